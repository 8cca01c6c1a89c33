//! Distribution of the normal load among the contacts.
//!
//! The loads of three contacts follow from equilibrium, (1) of [`crate::contact`]. More than three are statically indeterminate: each
//! contact is modelled as a unilateral spring between the rigid base and the rigid ground. With aᵢ = (1, yᵢ, −xᵢ), stiffness kᵢ
//! and the sinkage and tilt λ of the base,
//!
//!   Nᵢ = kᵢ max(0, aᵢ·λ),   Σ aᵢ Nᵢ = (Fₙ, Mₓ, M_y)                              (2)
//!
//! which minimises Σ Nᵢ²/kᵢ over all loads Nᵢ ≥ 0; without stiffness data that is the minimum norm. (2) is the gradient of a
//! convex function of λ and is solved by Newton steps with step halving. The steps are damped in proportion to the residual,
//! because the contacts that are loaded at a step may be too few to determine λ.

use super::solve_semidefinite;
use nalgebra::{Matrix3, Vector3};

/// Damping of the Newton steps, relative to the softest contact and to the residual.
const DAMPING: f64 = 1e-3;

/// How the normal loads were determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LoadDistribution {
    /// Three contacts: equilibrium determines the loads.
    Equilibrium,
    /// Unilateral springs with the contacts' stiffness.
    Stiffness,
    /// Unilateral springs of equal stiffness (minimum norm), because a contact has no stiffness.
    LeastNorm,
    /// The robot tips over: loads of contacts that could pull.
    Bilateral,
}

/// Contacts as springs between a rigid base and a rigid ground.
#[derive(Clone, Debug)]
pub struct ContactSprings {
    /// aᵢ = (1, yᵢ, −xᵢ).
    rows: Vec<Vector3<f64>>,
    /// Relative to the stiffest contact.
    stiffness: Vec<f64>,
    method: LoadDistribution,
    /// Length that makes the components of λ comparable \[m\].
    size: f64,
}

impl ContactSprings {
    /// Springs at points on the ground \[m\], with their stiffness if all are known \[N/m\].
    #[must_use]
    pub fn new(points: &[[f64; 2]], stiffness: Option<Vec<f64>>) -> Self {
        let distance = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let size = points.iter().flat_map(|a| points.iter().map(|b| distance(a, b))).fold(0.0, f64::max);
        let method = match (points.len(), &stiffness) {
            (3, _) => LoadDistribution::Equilibrium,
            (_, Some(_)) => LoadDistribution::Stiffness,
            _ => LoadDistribution::LeastNorm,
        };
        let stiffness = match stiffness.filter(|_| method == LoadDistribution::Stiffness) {
            Some(k) => k.iter().map(|x| x / k.iter().copied().fold(0.0, f64::max)).collect(),
            None => vec![1.0; points.len()],
        };
        let rows = points.iter().map(|[x, y]| Vector3::new(1.0, *y, -x)).collect();
        ContactSprings { rows, stiffness, method, size }
    }

    /// The largest distance between two contacts \[m\].
    pub fn size(&self) -> f64 {
        self.size
    }

    /// aᵢ: the force and the moments of a unit load on a contact.
    pub(crate) fn row(&self, contact: usize) -> Vector3<f64> {
        self.rows[contact]
    }

    /// Σ kᵢ aᵢ aᵢᵀ over some contacts: the reaction of these springs for a unit λ.
    pub(crate) fn stiffness_matrix(&self, active: impl Fn(usize) -> bool) -> Matrix3<f64> {
        stiffness_matrix(&self.rows, &self.stiffness, active)
    }

    /// The load of each contact for (Fₙ, Mₓ, M_y); `stable` if the zero-moment point lies within the support polygon, so that no
    /// contact has to pull.
    pub fn distribute(&self, reaction: [f64; 3], stable: bool) -> (Vec<f64>, LoadDistribution) {
        let size = self.size;
        let scale = |v: Vector3<f64>| Vector3::new(v[0], v[1] / size, v[2] / size);
        let rows: Vec<Vector3<f64>> = self.rows.iter().map(|a| scale(*a)).collect();
        let (wrench, stiffness) = (scale(Vector3::from(reaction)), &self.stiffness);
        let bilateral = solve_semidefinite(stiffness_matrix(&rows, stiffness, |_| true), wrench);
        let method = match self.method {
            LoadDistribution::Equilibrium => LoadDistribution::Equilibrium,
            _ if !stable => LoadDistribution::Bilateral,
            method => method,
        };
        if matches!(method, LoadDistribution::Equilibrium | LoadDistribution::Bilateral) {
            return (rows.iter().zip(stiffness).map(|(a, k)| k * a.dot(&bilateral)).collect(), method);
        }
        let loads = |lambda: &Vector3<f64>| -> Vec<f64> {
            rows.iter().zip(stiffness).map(|(a, k)| k * a.dot(lambda).max(0.0)).collect()
        };
        let potential = |lambda: &Vector3<f64>| {
            let springs = rows.iter().zip(stiffness).map(|(a, k)| 0.5 * k * a.dot(lambda).max(0.0).powi(2));
            springs.sum::<f64>() - wrench.dot(lambda)
        };
        let residual =
            |lambda: &Vector3<f64>| wrench - rows.iter().zip(loads(lambda)).map(|(a, n)| a * n).sum::<Vector3<f64>>();
        let softest = stiffness.iter().copied().fold(1.0, f64::min);
        let mut lambda = bilateral;
        for _ in 0..200 {
            let left = residual(&lambda);
            if left.amax() <= 1e-15 * wrench[0].abs() {
                break;
            }
            let damping = DAMPING * softest * left.norm() / wrench[0];
            let matrix = stiffness_matrix(&rows, stiffness, |k| rows[k].dot(&lambda) > 0.0);
            let step = solve_semidefinite(matrix + Matrix3::from_diagonal_element(damping), left);
            let (slope, before) = (left.dot(&step), potential(&lambda));
            // Near the solution the potential is flat to rounding, and the residual decides.
            let improves = |t: &f64| {
                let next = lambda + step * *t;
                potential(&next) < before - 1e-4 * t * slope
                    || residual(&next).norm_squared() < 0.25 * left.norm_squared()
            };
            let Some(t) = (0..60).map(|k| 0.5f64.powi(k)).find(improves) else { break };
            lambda += step * t;
        }
        (loads(&lambda), method)
    }
}

fn stiffness_matrix(rows: &[Vector3<f64>], stiffness: &[f64], active: impl Fn(usize) -> bool) -> Matrix3<f64> {
    let active = rows.iter().zip(stiffness).enumerate().filter(|(k, _)| active(*k));
    active.map(|(_, (a, k))| *k * a * a.transpose()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(stiffness: Option<[f64; 4]>) -> ContactSprings {
        let corners = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
        ContactSprings::new(&corners, stiffness.map(|k| k.to_vec()))
    }

    /// A weight of 100 N at a point.
    fn weight_at(x: f64, y: f64) -> [f64; 3] {
        [100.0, 100.0 * y, -100.0 * x]
    }

    fn near(found: &[f64], expected: &[f64]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-11), "{found:?} against {expected:?}");
    }

    #[test]
    fn equal_springs_distribute_by_the_mean_and_the_slopes() {
        let (n, method) = square(None).distribute(weight_at(0.2, 0.1), true);
        // 25 (1 ± 0.2 ± 0.1)
        near(&n, &[32.5, 22.5, 17.5, 27.5]);
        assert_eq!(method, LoadDistribution::LeastNorm);
    }

    #[test]
    fn a_contact_that_would_pull_lifts_off() {
        // 25 (1 − 0.6 − 0.6) < 0: the far corner lifts, and equilibrium determines the other three.
        near(&square(None).distribute(weight_at(0.6, 0.6), true).0, &[60.0, 20.0, 0.0, 20.0]);
        // At a corner and on an edge.
        near(&square(None).distribute(weight_at(1.0, 1.0), true).0, &[100.0, 0.0, 0.0, 0.0]);
        near(&square(None).distribute(weight_at(1.0, 0.5), true).0, &[75.0, 0.0, 0.0, 25.0]);
        let (n, method) = square(None).distribute(weight_at(1.5, 0.0), false);
        near(&n, &[62.5, -12.5, -12.5, 62.5]);
        assert_eq!(method, LoadDistribution::Bilateral);
    }

    /// Six contacts at random points: loads are positive and in equilibrium with a weight near a corner or an edge.
    #[test]
    fn loads_are_in_equilibrium() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..3000 {
            let points: Vec<[f64; 2]> = (0..6).map(|_| [random(), random()]).collect();
            // From equal to a hundred times as soft.
            let stiffness = (0..6).map(|_| 10f64.powf(2.0 * random().round() * random())).collect();
            let weights: Vec<f64> = (0..6).map(|_| random().powi(12)).collect();
            let sum: f64 = weights.iter().sum();
            let [x, y] = [0, 1].map(|k| weights.iter().zip(&points).map(|(w, p)| w * p[k]).sum::<f64>() / sum);
            let (n, _) = ContactSprings::new(&points, Some(stiffness)).distribute(weight_at(x, y), true);
            let moment = [0, 1].map(|k| n.iter().zip(&points).map(|(n, p)| n * p[k]).sum::<f64>());
            let left = [n.iter().sum::<f64>() - 100.0, moment[0] - 100.0 * x, moment[1] - 100.0 * y];
            assert!(
                n.iter().all(|n| *n >= 0.0) && left.iter().all(|l| l.abs() < 1e-6),
                "{left:?} {n:?} {points:?} {x} {y}"
            );
        }
    }

    #[test]
    fn a_soft_contact_carries_less() {
        // Under a central weight all contacts sink equally: loads are as 3 to 1.
        let (n, method) = square(Some([3e5, 1e5, 3e5, 1e5])).distribute(weight_at(0.0, 0.0), true);
        near(&n, &[37.5, 12.5, 37.5, 12.5]);
        assert_eq!(method, LoadDistribution::Stiffness);
    }
}
