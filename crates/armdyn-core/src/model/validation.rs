//! Physical validity of inertial parameters: the one set of rules for the builder and for `armdyn check`.

use crate::spatial::Inertia;
use core::fmt;

/// Relative tolerance of the triangle inequality of principal moments.
///
/// Robot files print about six digits, so a thin plate (a + b = c) or a rod (a = 0, b = c) may violate it by 1e-6 of c.
pub const INERTIA_TOLERANCE: f64 = 1e-6;

/// Why an inertia is not that of a rigid body. Principal moments \[kg m²\] are about the centre of mass, ascending.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InertiaFault {
    /// A component is NaN or infinite.
    NotFinite,
    /// The mass is negative \[kg\].
    NegativeMass(f64),
    /// The mass is zero, the first moment is not.
    FirstMomentWithoutMass,
    /// A principal moment is negative.
    NotPositiveDefinite([f64; 3]),
    /// The mass is zero, the tensor is not.
    TensorWithoutMass,
    /// The largest principal moment exceeds the sum of the others.
    TriangleInequality([f64; 3]),
}

impl InertiaFault {
    /// Whether the equations of motion can still be evaluated: a model with this inertia builds, with a warning.
    #[must_use]
    pub fn is_tolerable(&self) -> bool {
        matches!(self, InertiaFault::TensorWithoutMass | InertiaFault::TriangleInequality(_))
    }
}

impl fmt::Display for InertiaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let principal = |f: &mut fmt::Formatter, [a, b, c]: &[f64; 3]| {
            write!(f, "principal moments {a:.3e}, {b:.3e}, {c:.3e} kg m² about the centre of mass")
        };
        match self {
            InertiaFault::NotFinite => write!(f, "mass, centre of mass or inertia is not finite"),
            InertiaFault::NegativeMass(mass) => write!(f, "the mass is negative: {mass} kg"),
            InertiaFault::FirstMomentWithoutMass => write!(f, "it has a first moment but no mass"),
            InertiaFault::TensorWithoutMass => write!(f, "it has inertia but no mass"),
            InertiaFault::NotPositiveDefinite(moments) => {
                write!(f, "the inertia is not positive definite: ")?;
                principal(f, moments)
            }
            InertiaFault::TriangleInequality(moments @ [a, b, c]) => {
                write!(f, "the inertia violates the triangle inequality: ")?;
                principal(f, moments)?;
                let sum = a + b;
                if sum > 1e-12 * c {
                    write!(f, "; the largest is {:.4} times the sum of the others", c / sum)
                } else {
                    Ok(())
                }
            }
        }
    }
}

impl core::error::Error for InertiaFault {}

impl Inertia<f64> {
    /// Checks that a rigid body can have this inertia, within [`INERTIA_TOLERANCE`].
    ///
    /// ```
    /// use armdyn_core::{Inertia, InertiaFault, Sym3, Vec3};
    /// let inertia = Inertia::about_centre(1.0, Vec3::zero(), Sym3::diagonal(1.0, 1.0, 3.0));
    /// assert_eq!(inertia.validate(), Err(InertiaFault::TriangleInequality([1.0, 1.0, 3.0])));
    /// ```
    pub fn validate(&self) -> Result<(), InertiaFault> {
        if self.components().iter().any(|x| !x.is_finite()) {
            return Err(InertiaFault::NotFinite);
        }
        if self.mass < 0.0 {
            return Err(InertiaFault::NegativeMass(self.mass));
        }
        let massless = self.mass == 0.0;
        if massless && self.first.norm() > 0.0 {
            return Err(InertiaFault::FirstMomentWithoutMass);
        }
        let moments = if massless { self.second } else { self.central() }.eigenvalues();
        let [a, b, c] = moments;
        // Subtracting m c² from the tensor about the origin leaves a rounding error of its size.
        let rounding = 1e-12 * self.second.trace().abs() + f64::MIN_POSITIVE;
        if a < -rounding {
            Err(InertiaFault::NotPositiveDefinite(moments))
        } else if massless && c > rounding {
            Err(InertiaFault::TensorWithoutMass)
        } else if a + b < c * (1.0 - INERTIA_TOLERANCE) - rounding {
            Err(InertiaFault::TriangleInequality(moments))
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::{Sym3, vec3};

    #[test]
    fn six_digits_of_a_thin_plate_are_accepted() {
        let plate =
            |zz| Inertia::about_centre(2.0, vec3(0.3, 0.1, -0.2), Sym3::diagonal(0.123456, 0.234567, zz)).validate();
        assert_eq!(plate(0.358023), Ok(()));
        assert_eq!(plate(0.3580233), Ok(()));
        assert!(matches!(plate(0.35803), Err(InertiaFault::TriangleInequality(_))));
    }

    #[test]
    fn faults_in_order() {
        let body = |mass, xx| Inertia::about_origin(mass, vec3(0.0, 0.0, 0.0), Sym3::diagonal(xx, 1.0, 1.0)).validate();
        assert_eq!(body(f64::NAN, 1.0), Err(InertiaFault::NotFinite));
        assert_eq!(body(-1.0, 1.0), Err(InertiaFault::NegativeMass(-1.0)));
        assert_eq!(body(1.0, -1.0), Err(InertiaFault::NotPositiveDefinite([-1.0, 1.0, 1.0])));
        assert_eq!(body(0.0, 3.0), Err(InertiaFault::TensorWithoutMass));
        let first = Inertia { first: vec3(1.0, 0.0, 0.0), ..Inertia::zero() };
        assert_eq!(first.validate(), Err(InertiaFault::FirstMomentWithoutMass));
    }
}
