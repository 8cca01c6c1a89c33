//! How a load is shared among contacts.
//!
//! Three contacts' shares follow from equilibrium (1). More than three need a law: here each yields like a spring, the base
//! and the ground between them being rigid. With aᵢ = (1, yᵢ, −xᵢ), stiffness kᵢ and the base's sinking and tilt λ,
//!
//!   Nᵢ = kᵢ max(0, aᵢ·λ),   Σ aᵢ Nᵢ = (Fₙ, Mₓ, M_y)                              (2)
//!
//! which is the least Σ Nᵢ²/kᵢ of all loads that push: where no stiffness is given, the least norm. (2) is the gradient of
//! a convex function of λ; Newton's steps, halved where they go too far, end on it. They are damped by what is out of balance, as
//! the contacts that bear at a step may be too few to say where to go.

use super::Support;
use crate::symmetric::{Matrix3, solved};

/// How much Newton's steps are damped: of the softest contact, and of what is out of balance.
const DAMPING: f64 = 1e-3;

/// The law by which loads were shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shares {
    /// Of three contacts: by equilibrium alone.
    Exact,
    /// By the contacts' stiffness.
    Stiffness,
    /// All contacts alike, as the stiffness of one or more is unknown: the least norm.
    LeastNorm,
    /// As the last two, as if the ground could pull: the robot does not stand.
    Pulling,
}

/// The load of each contact, for Fₙ, Mₓ, M_y; negative ones only where nothing but pulling would hold the robot.
pub(super) fn shares(support: &Support, wrench: [f64; 3], stands: bool) -> (Vec<f64>, Shares) {
    let points = support.points();
    // Lengths by the size of the support, so that all of λ are alike.
    let size = support.size();
    let rows: Vec<[f64; 3]> = points.iter().map(|[x, y]| [1.0, y / size, -x / size]).collect();
    let wrench = [wrench[0], wrench[1] / size, wrench[2] / size];
    let given: Option<Vec<f64>> = support.contacts().iter().map(|c| c.stiffness).collect();
    let stiffest = given.as_ref().map_or(1.0, |k| k.iter().copied().fold(0.0, f64::max));
    let stiffness: Vec<f64> = match &given {
        Some(k) if points.len() > 3 => k.iter().map(|k| k / stiffest).collect(),
        _ => vec![1.0; points.len()],
    };
    let loads = |lambda: [f64; 3], pulls: bool| -> Vec<f64> {
        let one = |(a, k): (&[f64; 3], &f64)| {
            let sinks = dot(a, &lambda);
            k * if pulls { sinks } else { sinks.max(0.0) }
        };
        rows.iter().zip(&stiffness).map(one).collect()
    };
    let all = solved(&normal(&rows, &stiffness, |_| true), wrench);
    let law = match (points.len(), given) {
        (3, _) => Shares::Exact,
        _ if !stands => Shares::Pulling,
        (_, Some(_)) => Shares::Stiffness,
        _ => Shares::LeastNorm,
    };
    if matches!(law, Shares::Exact | Shares::Pulling) {
        return (loads(all, true), law);
    }
    let height = |lambda: &[f64; 3]| {
        let springs = rows.iter().zip(&stiffness).map(|(a, k)| 0.5 * k * dot(a, lambda).max(0.0).powi(2));
        springs.sum::<f64>() - dot(&wrench, lambda)
    };
    let unbalanced = |lambda: [f64; 3]| -> [f64; 3] {
        let loaded = loads(lambda, false);
        std::array::from_fn(|i| wrench[i] - rows.iter().zip(&loaded).map(|(a, n)| a[i] * n).sum::<f64>())
    };
    let softest = stiffness.iter().copied().fold(1.0, f64::min);
    let mut lambda = all;
    for _ in 0..200 {
        let left = unbalanced(lambda);
        if left.iter().all(|x| x.abs() <= 1e-15 * wrench[0].abs()) {
            break;
        }
        let size = dot(&left, &left);
        let mut matrix = normal(&rows, &stiffness, |k| dot(&rows[k], &lambda) > 0.0);
        (0..3).for_each(|i| matrix[i][i] += DAMPING * softest * size.sqrt() / wrench[0]);
        let step = solved(&matrix, left);
        let slope = dot(&left, &step);
        let moved = |t: f64| -> [f64; 3] { std::array::from_fn(|i| lambda[i] + t * step[i]) };
        let now = height(&lambda);
        // Near the end the height says nothing more, and the balance does.
        let better = |t: &f64| {
            let left = unbalanced(moved(*t));
            height(&moved(*t)) < now - 1e-4 * t * slope || dot(&left, &left) < 0.25 * size
        };
        let Some(t) = (0..60).map(|k| 0.5f64.powi(k)).find(better) else { break };
        lambda = moved(t);
    }
    (loads(lambda, false), law)
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Σ k a aᵀ of those that count.
fn normal(rows: &[[f64; 3]], stiffness: &[f64], counts: impl Fn(usize) -> bool) -> Matrix3 {
    let mut matrix = [[0.0; 3]; 3];
    for (a, k) in rows.iter().zip(stiffness).enumerate().filter(|(i, _)| counts(*i)).map(|(_, x)| x) {
        for i in 0..3 {
            for j in 0..3 {
                matrix[i][j] += k * a[i] * a[j];
            }
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::super::support::tests::contact;
    use super::*;
    use armdyn_core::ContactKind;
    use armdyn_core::vec3;

    fn table(stiffness: [Option<f64>; 4]) -> Support {
        let corners = [[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]];
        let mut feet: Vec<_> =
            corners.iter().enumerate().map(|(k, p)| contact(&format!("f{k}"), *p, ContactKind::Foot)).collect();
        feet.iter_mut().zip(stiffness).for_each(|(f, k)| f.stiffness = k);
        Support::from_contacts(&feet, vec3(0.0, 0.0, 1.0)).unwrap()
    }

    /// A weight of 100 N at a point.
    fn at(x: f64, y: f64) -> [f64; 3] {
        [100.0, 100.0 * y, -100.0 * x]
    }

    fn near(found: &[f64], expected: &[f64]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-11), "{found:?} against {expected:?}");
    }

    #[test]
    fn four_alike_share_by_the_mean_and_the_slopes() {
        let (n, law) = shares(&table([None; 4]), at(0.2, 0.1), true);
        // 25 (1 ± 0.2 ± 0.1)
        near(&n, &[32.5, 22.5, 17.5, 27.5]);
        assert_eq!(law, Shares::LeastNorm);
    }

    #[test]
    fn one_that_would_pull_lifts_and_three_carry_as_equilibrium_says() {
        // 25 (1 − 0.6 − 0.6) < 0: the far corner lifts.
        let (n, _) = shares(&table([None; 4]), at(0.6, 0.6), true);
        near(&n, &[60.0, 20.0, 0.0, 20.0]);
        // On the diagonal's end and on an edge too.
        near(&shares(&table([None; 4]), at(1.0, 1.0), true).0, &[100.0, 0.0, 0.0, 0.0]);
        near(&shares(&table([None; 4]), at(1.0, 0.5), true).0, &[75.0, 0.0, 0.0, 25.0]);
        let (n, law) = shares(&table([None; 4]), at(1.5, 0.0), false);
        near(&n, &[62.5, -12.5, -12.5, 62.5]);
        assert_eq!(law, Shares::Pulling);
    }

    /// Six feet anywhere: loads push and are in equilibrium with a weight near a corner or an edge, of which few are in reach.
    #[test]
    fn loads_are_in_equilibrium_wherever_feet_are() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..3000 {
            let at: Vec<[f64; 3]> = (0..6).map(|_| [random(), random(), 0.0]).collect();
            let mut feet: Vec<_> = at.iter().map(|p| contact("f", *p, ContactKind::Foot)).collect();
            // From alike to a hundred times as soft.
            feet.iter_mut().for_each(|f| f.stiffness = Some(10f64.powf(2.0 * random().round() * random())));
            let support = Support::from_contacts(&feet, vec3(0.0, 0.0, 1.0)).unwrap();
            let shares_of: Vec<f64> = (0..6).map(|_| random().powi(12)).collect();
            let sum: f64 = shares_of.iter().sum();
            let [x, y] = [0, 1].map(|k| shares_of.iter().zip(&at).map(|(s, p)| s * p[k]).sum::<f64>() / sum);
            let (n, _) = shares(&support, super::tests::at(x, y), true);
            let left = [0, 1].map(|k| n.iter().zip(&at).map(|(n, p)| n * p[k]).sum::<f64>());
            let left = [n.iter().sum::<f64>() - 100.0, left[0] - 100.0 * x, left[1] - 100.0 * y];
            assert!(
                n.iter().all(|n| *n >= 0.0) && left.iter().all(|l| l.abs() < 1e-6),
                "{left:?} {n:?} {at:?} {x} {y}"
            );
        }
    }

    #[test]
    fn a_soft_foot_carries_less() {
        // Under a weight in the middle all sink alike: loads go as 3 to 1.
        let (n, law) = shares(&table([Some(3e5), Some(1e5), Some(3e5), Some(1e5)]), at(0.0, 0.0), true);
        near(&n, &[37.5, 12.5, 37.5, 12.5]);
        assert_eq!(law, Shares::Stiffness);
    }
}
