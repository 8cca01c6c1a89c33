//! Materials that a beam may name without a file defining them: `material = "steel"`.

use crate::description::Material;

/// A material of the library.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// Its name.
    pub name: &'static str,
    /// What exactly it is.
    pub what: &'static str,
    /// Young's modulus E \[Pa\].
    pub young: f64,
    /// Shear modulus G \[Pa\].
    pub shear: f64,
    /// Density \[kg/m³\].
    pub density: f64,
    /// Yield stress \[Pa\], if it yields.
    pub yield_stress: Option<f64>,
    /// Where the figures come from.
    pub source: &'static str,
}

/// All of them.
pub const MATERIALS: [Known; 4] = [
    Known {
        name: "steel",
        what: "structural steel S235",
        young: 210e9,
        shear: 81e9,
        density: 7850.0,
        yield_stress: Some(235e6),
        source: "EN 1993-1-1, 3.2.6 and table 3.1 (up to 40 mm); density EN 1991-1-1",
    },
    Known {
        name: "aluminium",
        what: "EN AW-6082 T6, extruded",
        young: 70e9,
        shear: 27e9,
        density: 2700.0,
        yield_stress: Some(250e6),
        source: "EN 1999-1-1, 3.2.5 and table 3.2b (up to 5 mm)",
    },
    Known {
        name: "titanium",
        what: "Ti-6Al-4V, grade 5, annealed",
        young: 114e9,
        shear: 44e9,
        density: 4430.0,
        yield_stress: Some(828e6),
        source: "ASTM B265 (least yield stress); moduli and density as in common data sheets",
    },
    Known {
        name: "carbon-fibre",
        what: "quasi-isotropic laminate [0/±45/90]s of a standard-modulus fibre in epoxy, 60 % fibre by volume",
        young: 54e9,
        shear: 20.6e9,
        density: 1580.0,
        yield_stress: None,
        source: "laminate theory on a ply of E1 = 140, E2 = 10, G12 = 5 GPa, ν12 = 0.3; it breaks and does not yield: a \
                 strength depends on the laminate, so none is given",
    },
];

/// The one of this name.
pub fn material(name: &str) -> Option<&'static Known> {
    MATERIALS.iter().find(|m| m.name == name)
}

impl Known {
    /// Its figures, as a file would give them.
    pub fn figures(&self) -> Material {
        let Known { young, shear, density, yield_stress, .. } = *self;
        Material { young, shear, density: Some(density), yield_stress }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The laminate of equal plies at 0, 45, −45, 90°: its stiffness is the mean of the plies' turned stiffness (Tsai and
    /// Pagano's invariants are not used here: the four are turned and summed).
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
        let m = material("carbon-fibre").unwrap();
        // The library's figures are rounded to two or three digits.
        assert!((m.young / (a11 - a12 * a12 / a11) - 1.0).abs() < 0.01);
        assert!((m.shear / a66 - 1.0).abs() < 0.01);
    }

    #[test]
    fn poissons_ratio_is_that_of_a_material() {
        for m in MATERIALS {
            let nu = m.young / (2.0 * m.shear) - 1.0;
            assert!((0.25..0.36).contains(&nu), "{}: {nu}", m.name);
        }
    }
}
