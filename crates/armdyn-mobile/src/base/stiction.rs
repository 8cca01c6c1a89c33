//! What sticks and what gives way, where something that rubs is at rest.
//!
//! FrictionConstraint at rest is set-valued: any force within μ N. Of all accelerations the true one makes the least of
//!
//!   ½ aᵀ I a + aᵀ W + Σ μ N |J a|                                                        (1)
//!
//! over what is at rest (Gauss's principle with dry friction; Moreau 1966). Its dual asks for the forces p, each within μ N,
//! that leave the least of ½ |Σ Jᵀ p − W|² in the measure of I⁻¹: all sticks where they leave nothing. That is found by
//! projected gradients with Nesterov's momentum, begun anew where it overshoots (O'Donoghue & Candès 2015). N follows from a
//! and is found in turn.

use super::dynamics::{Dynamics, Load, Six};
use super::equations::{Mode, Solution, Status};
use super::linear::{Basis, dot, eliminate};
use armdyn_numerics::Result;

/// What is slower than this is at rest \[m/s\].
pub(crate) const STILL: f64 = 1e-9;

/// Where nothing is accelerated more than this, within the search's own accuracy, all sticks \[m/s²\].
const UNMOVED: f64 = 1e-8;

impl Dynamics<'_> {
    /// What sticks and what rubs at a twist; with the solution then.
    pub fn decide(&self, load: &Load, twist: &Six) -> Result<(Mode, Solution)> {
        let status = |k: usize| {
            let [x, y] = self.speed(k, twist);
            let speed = x.hypot(y);
            if speed > STILL { Status::Rubs([x / speed, y / speed]) } else { Status::Sticks }
        };
        let mode: Mode = (0..self.base.rubbing.len()).map(status).collect();
        let solution = self.solve(load, &mode)?;
        let resting: Vec<usize> = (0..mode.len()).filter(|k| mode[*k] == Status::Sticks).collect();
        if resting.is_empty() || (!solution.undetermined && resting.iter().all(|k| self.reserve(*k, &solution) >= 0.0))
        {
            return Ok((mode, solution));
        }
        self.give_way(load, mode, &resting)
    }

    /// Whether everything that is at rest is held there.
    pub fn holds(&self, load: &Load, mode: &[Status]) -> Result<bool> {
        let resting: Vec<usize> = (0..mode.len()).filter(|k| mode[*k] == Status::Sticks).collect();
        let solution = self.solve(load, mode)?;
        let it = Yielding::new(self, load, mode, &resting, &solution);
        let mut holds = None;
        let alpha = it.search(&mut vec![0.0; it.pulls.len()], |alpha| {
            if it.fastest(alpha) <= UNMOVED {
                holds = Some(true);
            } else if it.gains(alpha) {
                holds = Some(false);
            }
            holds.is_some()
        });
        Ok(holds.unwrap_or_else(|| it.fastest(&alpha) <= UNMOVED))
    }

    fn give_way(&self, load: &Load, mut mode: Mode, resting: &[usize]) -> Result<(Mode, Solution)> {
        let mut solution = self.solve(load, &mode)?;
        let (mut p, mut a) = (vec![], [0.0; 6]);
        for _ in 0..30 {
            let it = Yielding::new(self, load, &mode, resting, &solution);
            p.resize(it.pulls.len(), 0.0);
            let alpha = it.search(&mut p, |_| false);
            a = it.acceleration(&alpha);
            let weights = self.weights(load, &a);
            let change = weights.iter().zip(&solution.weights).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            let size = weights.iter().map(|x| x.abs()).fold(0.0, f64::max);
            solution.weights = weights;
            if change <= 1e-13 * size {
                break;
            }
        }
        let speeds: Vec<[f64; 2]> = resting.iter().map(|k| self.speed(*k, &a)).collect();
        let greatest = speeds.iter().map(|[x, y]| x.hypot(*y)).fold(0.0, f64::max);
        for (k, [x, y]) in resting.iter().zip(speeds) {
            let speed = x.hypot(y);
            if greatest > UNMOVED && speed > 1e-3 * greatest {
                mode[*k] = Status::Rubs([x / speed, y / speed]);
            }
        }
        let solution = self.solve(load, &mode)?;
        Ok((mode, solution))
    }
}

/// Something at rest along one row: J a = row · α + offset, and I⁻¹ Jᵀ.
struct Pull {
    of: usize,
    row: Vec<f64>,
    offset: f64,
    column: Vec<f64>,
    limit: f64,
}

/// The problem (1), with what nothing overcomes taken out: a = given + Σ y α.
struct Yielding {
    basis: Basis,
    pulls: Vec<Pull>,
    /// α without any force of what rests, and the force that gives it.
    start: Vec<f64>,
    force: Vec<f64>,
    /// Not less than the greatest curvature of the dual.
    steep: f64,
}

impl Yielding {
    fn new(d: &Dynamics, load: &Load, mode: &[Status], resting: &[usize], solution: &Solution) -> Self {
        let bilateral: Mode = vec![Status::Rubs([0.0; 2]); mode.len()];
        let basis = Basis::new(&d.rows(load, &bilateral), 3);
        let free = d.free();
        let times = |v: &[f64]| -> Vec<f64> {
            free.iter().map(|i| free.iter().zip(v).map(|(j, x)| load.mass[*i][*j] * x).sum()).collect()
        };
        let heavy: Vec<Vec<f64>> = basis.rest.iter().map(|y| times(y)).collect();
        let inverse = |f: &[f64]| {
            let line = |(z, f): (&Vec<f64>, &f64)| {
                heavy.iter().map(|h| dot(z, h)).chain(std::iter::once(*f)).collect::<Vec<f64>>()
            };
            eliminate(basis.rest.iter().zip(f).map(line).collect(), f.len()).unwrap_or_else(|| vec![f64::NAN; f.len()])
        };
        let pull = |(k, r): (usize, &super::Row)| {
            let row: Vec<f64> = basis.rest.iter().map(|y| dot(r, y)).collect();
            let limit = (d.base.rubbing[k].at_rest * d.weight_on(k, solution)).max(0.0);
            Pull { of: k, offset: dot(r, &basis.given), column: inverse(&row), row, limit }
        };
        let rows = resting.iter().flat_map(|k| d.base.rubbing[*k].rows.iter().map(move |r| (*k, r)));
        let pulls: Vec<Pull> = rows.map(pull).collect();
        let mut needed: Vec<f64> = times(&basis.given);
        needed.iter_mut().zip(free).zip(d.effort(load)).for_each(|((r, i), e)| *r += load.bias[*i] - e);
        for (k, status) in mode.iter().enumerate().filter(|(k, _)| !resting.contains(k)) {
            let force = d.base.rubbing[k].moving * d.weight_on(k, solution);
            let way = d.way(k, status).unwrap_or_default();
            needed.iter_mut().zip(way).for_each(|(r, w)| *r += force * w);
        }
        let force: Vec<f64> = basis.rest.iter().map(|y| -dot(y, &needed)).collect();
        let steep = pulls.iter().map(|p| dot(&p.row, &p.column)).sum::<f64>().max(f64::MIN_POSITIVE);
        Yielding { start: inverse(&force), force, basis, pulls, steep }
    }

    /// a.
    fn acceleration(&self, alpha: &[f64]) -> Six {
        let a = |c: usize| self.basis.given[c] + self.basis.rest.iter().zip(alpha).map(|(y, x)| y[c] * x).sum::<f64>();
        [a(0), a(1), 0.0, 0.0, 0.0, a(2)]
    }

    /// J a of a row.
    fn along(p: &Pull, alpha: &[f64]) -> f64 {
        dot(&p.row, alpha) + p.offset
    }

    /// The greatest acceleration of what rests.
    fn fastest(&self, alpha: &[f64]) -> f64 {
        self.pulls.iter().map(|p| Self::along(p, alpha).abs()).fold(0.0, f64::max)
    }

    /// The rows of each thing.
    fn things(&self) -> impl Iterator<Item = &[Pull]> {
        self.pulls.chunk_by(|a, b| a.of == b.of)
    }

    /// Whether going a little along α makes less of (1) than rest: proof that not all sticks.
    fn gains(&self, alpha: &[f64]) -> bool {
        let held: f64 = self
            .things()
            .map(|t| t[0].limit * t.iter().map(|p| Self::along(p, alpha).powi(2)).sum::<f64>().sqrt())
            .sum();
        let pulled = dot(&self.force, alpha);
        held - pulled < -1e-12 * (held + pulled.abs())
    }

    /// α of least (1), from forces `p`, which are left as they are at the end; or where `enough` says so.
    fn search(&self, p: &mut Vec<f64>, mut enough: impl FnMut(&[f64]) -> bool) -> Vec<f64> {
        const MOST: usize = 5_000;
        if self.start.is_empty() {
            return vec![];
        }
        let accelerated = |p: &[f64]| {
            let mut alpha = self.start.clone();
            for (p, pull) in p.iter().zip(&self.pulls) {
                alpha.iter_mut().zip(&pull.column).for_each(|(a, c)| *a += p * c);
            }
            alpha
        };
        let within = |mut p: &mut [f64]| {
            for thing in self.things() {
                let (own, others) = p.split_at_mut(thing.len());
                let size = dot(own, own).sqrt();
                if size > thing[0].limit {
                    own.iter_mut().for_each(|x| *x *= thing[0].limit / size);
                }
                p = others;
            }
        };
        let (mut ahead, mut momentum) = (p.clone(), 1.0_f64);
        for _ in 0..MOST {
            let alpha = accelerated(&ahead);
            let mut next = ahead.clone();
            next.iter_mut().zip(&self.pulls).for_each(|(x, p)| *x -= Self::along(p, &alpha) / self.steep);
            within(&mut next);
            let step: Vec<f64> = next.iter().zip(&*p).map(|(a, b)| a - b).collect();
            let overshoots = ahead.iter().zip(&next).zip(&step).map(|((y, n), s)| (y - n) * s).sum::<f64>() > 0.0;
            let moved = ahead
                .iter()
                .zip(&next)
                .zip(&step)
                .zip(&self.pulls)
                .map(|(((y, n), s), pull)| (y - n).abs().max(s.abs()) / pull.limit.max(f64::MIN_POSITIVE));
            let still = moved.fold(0.0, f64::max) < 1e-14;
            let grown = if overshoots { 1.0 } else { (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) / 2.0 };
            let carry = if overshoots { 0.0 } else { (momentum - 1.0) / grown };
            ahead = next.iter().zip(&step).map(|(n, s)| n + carry * s).collect();
            *p = next;
            momentum = grown;
            if still || enough(&accelerated(p)) {
                break;
            }
        }
        accelerated(p)
    }
}
