//! Contact mechanics of a base on level or sloped ground, used by tip-over analysis and by the simulation of mobile bases.
//!
//! Ground coordinates: x, y along the ground, n upward, origin below the base origin. With contact i at (xᵢ, yᵢ) and normal
//! loads Nᵢ, the ground reaction has the normal force Fₙ and the tilting moments Mₓ, M_y:
//!
//!   Σ Nᵢ = Fₙ,   Σ yᵢ Nᵢ = Mₓ,   −Σ xᵢ Nᵢ = M_y                                  (1)
//!
//! and the zero-moment point is (−M_y, Mₓ)/Fₙ. The robot is stable while that point lies within the support polygon: while the
//! restoring moment Fₙ·distance about every edge ([`Edge::moment`]) is positive. That moment is linear in the reaction.

mod force_angle;
mod friction;
mod load_distribution;
mod stability;
mod support;
mod support_polygon;

pub use force_angle::ForceAngle;
pub use friction::{ContactFrictionDemand, FrictionDemand};
pub use load_distribution::{ContactSprings, LoadDistribution};
pub use stability::{EdgeMargin, GroundReaction, Stability, zero_moment_point};
pub use support::Support;
pub use support_polygon::{Edge, SupportPolygon};

use nalgebra::{Matrix3, SymmetricEigen, Vector3};

/// The x of least norm that minimises |A x − b|, for a symmetric A ≥ 0 that may be singular; NaN if A is not finite.
fn solve_semidefinite(a: Matrix3<f64>, b: Vector3<f64>) -> Vector3<f64> {
    const MAX_ITERATIONS: usize = 1000;
    const RANK_TOLERANCE: f64 = 1e-12;
    let eigen = SymmetricEigen::try_new(a, f64::EPSILON, MAX_ITERATIONS);
    let Some(eigen) = eigen.filter(|e| e.eigenvalues.iter().all(|x| x.is_finite())) else {
        return Vector3::repeat(f64::NAN);
    };
    let threshold = RANK_TOLERANCE * eigen.eigenvalues.max();
    let pairs = eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter());
    pairs.filter(|(value, _)| **value > threshold).map(|(value, v)| v * (v.dot(&b) / *value)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_regular_and_singular_systems() {
        let a = Matrix3::new(4.0, 1.0, -2.0, 1.0, 3.0, 0.5, -2.0, 0.5, 5.0);
        let x = Vector3::new(0.3, -1.2, 2.0);
        assert!((solve_semidefinite(a, a * x) - x).norm() < 1e-14);
        // u uᵀ with u = (1, 2, 2): only the component of b along u counts, x = u (u·b)/81.
        let u = Vector3::new(1.0, 2.0, 2.0);
        let x = solve_semidefinite(u * u.transpose(), Vector3::new(3.0, 0.0, 1.5));
        assert!((x - u * (6.0 / 81.0)).norm() < 1e-15, "{x:?}");
        assert!(solve_semidefinite(Matrix3::repeat(f64::NAN), Vector3::repeat(1.0))[0].is_nan());
    }
}
