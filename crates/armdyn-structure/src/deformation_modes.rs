//! The deformations to take into account.

/// The deformations to take into account; the others are rigid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct DeformationModes {
    /// Bending of links, in both planes.
    pub bending: bool,
    /// Torsion of links.
    pub torsion: bool,
    /// Axial stretching of links.
    pub axial: bool,
    /// Shear of links (Timoshenko beam).
    pub shear: bool,
    /// Joint compliance.
    pub joints: bool,
}

impl DeformationModes {
    /// No deformation.
    pub const NONE: Self =
        DeformationModes { bending: false, torsion: false, axial: false, shear: false, joints: false };

    /// All deformations.
    #[must_use]
    pub fn all() -> Self {
        DeformationModes { bending: true, torsion: true, axial: true, shear: true, joints: true }
    }

    /// Euler–Bernoulli beams: all deformations except shear.
    #[must_use]
    pub fn euler_bernoulli() -> Self {
        DeformationModes { shear: false, ..DeformationModes::all() }
    }

    /// Bending of links alone: the first three assumptions of Lau 1985, section 7.1.1. His fourth, that the wrench components
    /// along a joint's axis do not bend its link (7-13 … 7-16), is not made: a joint that its drive holds transmits them.
    #[must_use]
    pub fn bending() -> Self {
        DeformationModes { bending: true, ..DeformationModes::NONE }
    }
}
