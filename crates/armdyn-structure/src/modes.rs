//! Which of its ways a structure may give way in.

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Bending of links, in both planes.
    pub bending: bool,
    /// Their torsion.
    pub torsion: bool,
    /// Their stretching.
    pub axial: bool,
    /// Their shear (Timoshenko).
    pub shear: bool,
    /// Joints that give way along their own freedom.
    pub joints: bool,
}

impl Modes {
    /// Everything.
    pub fn all() -> Self {
        Modes { bending: true, torsion: true, axial: true, shear: true, joints: true }
    }

    /// Euler and Bernoulli's beam: everything but shear.
    pub fn euler() -> Self {
        Modes { shear: false, ..Modes::all() }
    }

    /// Lau 1985, section 7.1.1, his four assumptions: beams and lumps; bending alone, no compression or twist; no shear; no
    /// deflection along the axis of motion. That last one holds for the joints; his removal of the wrench's components
    /// along the axis (7-13 … 7-16) does not hold of a joint that its drive holds, and is not followed.
    pub fn lau() -> Self {
        Modes { torsion: false, axial: false, shear: false, joints: false, ..Modes::all() }
    }
}
