//! Elastic links: beams, their cross sections and materials.

use alloc::format;
use alloc::string::{String, ToString};

/// A link as an elastic beam.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Beam {
    /// Cross section.
    pub section: Section,
    /// Material; a section of given stiffness needs none.
    pub material: Option<Material>,
    /// Length \[m\].
    pub length: f64,
    /// Start point in the link's frame \[m\]; defaults to its origin.
    pub start: Option<[f64; 3]>,
    /// End point in the link's frame \[m\]; defaults to the next joint, or the tool.
    pub end: Option<[f64; 3]>,
    /// Direction of the section's height, in the link's axes; defaults to z.
    pub up: Option<[f64; 3]>,
}

impl Beam {
    /// A beam from the link's origin to the next joint, or the tool.
    pub fn new(section: Section, material: Material, length: f64) -> Self {
        Beam { section, material: Some(material), length, start: None, end: None, up: None }
    }

    /// Sets the start and the end in the link's frame \[m\].
    pub fn between(mut self, start: [f64; 3], end: [f64; 3]) -> Self {
        (self.start, self.end) = (Some(start), Some(end));
        self
    }

    /// What is wrong with it, if anything.
    pub(super) fn problem(&self) -> Option<String> {
        if !positive(self.length) {
            return Some(format!("beam length `{}` must be positive and finite", self.length));
        }
        let points = [self.start, self.end, self.up];
        if points.iter().flatten().flatten().any(|x| !x.is_finite()) {
            return Some("beam `start`, `end` and `up` must be finite".to_string());
        }
        match &self.material {
            None if !matches!(self.section, Section::Given { .. }) => Some("beam has no material".to_string()),
            material => self.section.problem().or_else(|| material.as_ref().and_then(Material::problem)),
        }
    }
}

fn positive(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

/// Cross section of a beam; lengths in \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// Solid circle.
    Rod {
        /// Diameter.
        diameter: f64,
    },
    /// Hollow circle.
    Tube {
        /// Outer diameter.
        outer: f64,
        /// Inner diameter.
        inner: f64,
    },
    /// Rectangle, solid or hollow.
    Box {
        /// Width.
        width: f64,
        /// Height.
        height: f64,
        /// Wall thickness, if it is hollow.
        wall: Option<f64>,
    },
    /// I section.
    I {
        /// Width of the flanges.
        width: f64,
        /// Overall height.
        height: f64,
        /// Thickness of the web.
        web: f64,
        /// Thickness of each flange.
        flange: f64,
    },
    /// A section of given stiffness.
    Given {
        /// Bending stiffness about the axes of width and of height, EIy and EIz \[N m²\].
        bending: [f64; 2],
        /// Torsional stiffness GJ \[N m²\].
        torsion: f64,
        /// Axial stiffness EA \[N\].
        axial: f64,
    },
}

impl Section {
    fn problem(&self) -> Option<String> {
        let valid = match *self {
            Section::Rod { diameter } => positive(diameter),
            Section::Tube { outer, inner } => positive(outer) && inner >= 0.0 && inner < outer,
            Section::Box { width, height, wall } => {
                [width, height].into_iter().all(positive)
                    && wall.is_none_or(|w| positive(w) && 2.0 * w <= width.min(height))
            }
            Section::I { width, height, web, flange } => {
                [width, height, web, flange].into_iter().all(positive) && web <= width && 2.0 * flange <= height
            }
            Section::Given { bending: [y, z], torsion, axial } => [y, z, torsion, axial].into_iter().all(positive),
        };
        (!valid).then(|| format!("beam section {self:?}: sizes must be positive, and walls must fit"))
    }
}

/// Elastic material of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus E \[Pa\].
    pub youngs_modulus: f64,
    /// Shear modulus G \[Pa\].
    pub shear_modulus: f64,
    /// Density \[kg/m³\]; without it the beam has no mass of its own.
    pub density: Option<f64>,
    /// Yield stress \[Pa\].
    pub yield_stress: Option<f64>,
}

impl Material {
    const fn new(youngs_modulus: f64, shear_modulus: f64, density: f64, yield_stress: Option<f64>) -> Self {
        Material { youngs_modulus, shear_modulus, density: Some(density), yield_stress }
    }

    /// A material of the [library](MATERIALS), by name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        MATERIALS.iter().find(|m| m.name == name).map(|m| m.material)
    }

    fn problem(&self) -> Option<String> {
        let Material { youngs_modulus: e, shear_modulus: g, density, yield_stress } = *self;
        if !positive(e) || !positive(g) || !yield_stress.is_none_or(positive) {
            return Some("beam material: E, G and the yield stress must be positive and finite".to_string());
        }
        let rho = density.unwrap_or(0.0);
        (!(rho.is_finite() && rho >= 0.0)).then(|| format!("beam material: density `{rho}` must not be negative"))
    }
}

/// A material of the library.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LibraryMaterial {
    /// Name.
    pub name: &'static str,
    /// Grade.
    pub grade: &'static str,
    /// Parameters.
    pub material: Material,
    /// Source of the parameters.
    pub source: &'static str,
}

/// Common materials, for [`Material::named`] and for robot files (`material = "steel"`).
pub const MATERIALS: [LibraryMaterial; 4] = [
    LibraryMaterial {
        name: "steel",
        grade: "structural steel S235",
        material: Material::new(210e9, 81e9, 7850.0, Some(235e6)),
        source: "EN 1993-1-1, 3.2.6 and table 3.1 (up to 40 mm); density EN 1991-1-1",
    },
    LibraryMaterial {
        name: "aluminium",
        grade: "EN AW-6082 T6, extruded",
        material: Material::new(70e9, 27e9, 2700.0, Some(250e6)),
        source: "EN 1999-1-1, 3.2.5 and table 3.2b (up to 5 mm)",
    },
    LibraryMaterial {
        name: "titanium",
        grade: "Ti-6Al-4V, grade 5, annealed",
        material: Material::new(114e9, 44e9, 4430.0, Some(828e6)),
        source: "ASTM B265 (minimum yield stress); moduli and density as in common data sheets",
    },
    LibraryMaterial {
        name: "carbon-fibre",
        grade: "quasi-isotropic laminate [0/±45/90]s of a standard-modulus fibre in epoxy, 60 % fibre by volume",
        material: Material::new(54e9, 20.6e9, 1580.0, None),
        source: "laminate theory on a ply of E1 = 140, E2 = 10, G12 = 5 GPa, ν12 = 0.3; it breaks without yielding: its \
                 strength depends on the laminate, so none is given",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A laminate of equal plies at 0, 45, −45, 90° has the mean of the plies' rotated stiffness.
    #[test]
    fn the_laminate_has_the_moduli_of_its_plies() {
        let (e1, e2, g, nu): (f64, f64, f64, f64) = (140e9, 10e9, 5e9, 0.3);
        let d = 1.0 - nu * nu * e2 / e1;
        let (q11, q22, q12) = (e1 / d, e2 / d, nu * e2 / d);
        let (mut a11, mut a12, mut a66) = (0.0, 0.0, 0.0);
        for angle in [0.0_f64, 45.0, -45.0, 90.0] {
            let (s, c) = angle.to_radians().sin_cos();
            let mix = s * s * c * c;
            a11 += (q11 * c.powi(4) + 2.0 * (q12 + 2.0 * g) * mix + q22 * s.powi(4)) / 4.0;
            a12 += ((q11 + q22 - 4.0 * g) * mix + q12 * (s.powi(4) + c.powi(4))) / 4.0;
            a66 += ((q11 + q22 - 2.0 * q12 - 2.0 * g) * mix + g * (s.powi(4) + c.powi(4))) / 4.0;
        }
        let m = Material::named("carbon-fibre").unwrap();
        // The library's values are rounded to two or three digits.
        assert!((m.youngs_modulus / (a11 - a12 * a12 / a11) - 1.0).abs() < 0.01);
        assert!((m.shear_modulus / a66 - 1.0).abs() < 0.01);
    }

    #[test]
    fn poissons_ratios_are_plausible() {
        for m in MATERIALS {
            let nu = m.material.youngs_modulus / (2.0 * m.material.shear_modulus) - 1.0;
            assert!((0.25..0.36).contains(&nu), "{}: {nu}", m.name);
        }
    }
}
