//! Stiction: which friction constraints at rest stick, and which break away.
//!
//! Friction at rest is set-valued: any force within μ N. The acceleration a minimises
//!
//!   ½ aᵀ I a + aᵀ W + Σ μ N |J a|                                                        (1)
//!
//! over the constraints at rest (Gauss's principle with dry friction; Moreau 1966). The dual problem minimises
//! ½ |Σ Jᵀ p − W|² in the metric of I⁻¹ over forces p, each within μ N: everything sticks if the minimum is zero. It is solved by
//! projected gradients with Nesterov's momentum and adaptive restart (O'Donoghue & Candès 2015). The loads N depend on a and are
//! updated in turn.

use super::Base;
use super::dynamics::{BaseEquations, Six};
use super::equations::{BaseSolution, ContactMode, FrictionState};
use super::linear_algebra::{Basis, dot, solve_linear};
use armdyn_numerics::Result;

/// Slower than this counts as rest \[m/s\].
pub(crate) const REST_SPEED: f64 = 1e-9;

/// Everything sticks if no acceleration exceeds this accuracy of the minimisation \[m/s²\].
const REST_ACCELERATION: f64 = 1e-8;

impl Base {
    /// The solution at a twist, with which constraints stick and which slide.
    pub(crate) fn contact_mode(&self, terms: &BaseEquations, twist: &Six) -> Result<BaseSolution> {
        let state = |k: usize| {
            let [x, y] = self.sliding_velocity(k, twist);
            let speed = x.hypot(y);
            match speed > REST_SPEED {
                true => FrictionState::Sliding([x / speed, y / speed]),
                false => FrictionState::Sticking,
            }
        };
        let mode: ContactMode = (0..self.friction.len()).map(state).collect();
        let solution = self.solve(terms, &mode)?;
        let resting = sticking(&mode);
        let within_limits = || resting.iter().all(|k| self.friction_reserve(*k, &solution) >= 0.0);
        if resting.is_empty() || (!solution.undetermined && within_limits()) {
            return Ok(solution);
        }
        self.break_away(terms, mode, &resting)
    }

    /// Whether all constraints at rest keep sticking.
    pub(crate) fn all_stick(&self, terms: &BaseEquations, mode: &[FrictionState]) -> Result<bool> {
        let resting = sticking(mode);
        let solution = self.solve(terms, mode)?;
        // Forces of least norm within the limits suffice; others may exist if these are not. A drive may move what sticks.
        let at_rest =
            |k: &usize| self.sliding_velocity(*k, &solution.rate).iter().all(|a| a.abs() <= REST_ACCELERATION);
        if resting.iter().all(|k| self.friction_reserve(*k, &solution) >= 0.0 && at_rest(k)) {
            return Ok(true);
        }
        let problem = Breakaway::new(self, terms, mode, &resting, &solution);
        // A base that moves while some constraints stick has no rest from which (1) could decrease.
        let immobile = self.is_immobile(mode);
        let mut sticks = None;
        let alpha = problem.minimise(&mut vec![0.0; problem.rows.len()], |alpha| {
            if problem.max_acceleration(alpha) <= REST_ACCELERATION {
                sticks = Some(true);
            } else if immobile && problem.decreases(alpha) {
                sticks = Some(false);
            }
            sticks.is_some()
        });
        Ok(sticks.unwrap_or_else(|| problem.max_acceleration(&alpha) <= REST_ACCELERATION))
    }

    /// Finds the constraints that break away. What slides is held by less than before (kinetic friction), so that others may follow.
    fn break_away(&self, terms: &BaseEquations, mut mode: ContactMode, resting: &[usize]) -> Result<BaseSolution> {
        let mut resting = resting.to_vec();
        loop {
            self.break_away_once(terms, &mut mode, &resting)?;
            let solution = self.solve(terms, &mode)?;
            let left = sticking(&mode);
            if left.is_empty() || left.len() == resting.len() || self.all_stick(terms, &mode)? {
                return Ok(solution);
            }
            resting = left;
        }
    }

    /// Sets the constraints at rest that break away at once to sliding: (1).
    fn break_away_once(&self, terms: &BaseEquations, mode: &mut ContactMode, resting: &[usize]) -> Result<()> {
        let mut solution = self.solve(terms, mode)?;
        let (mut p, mut a) = (vec![], [0.0; 6]);
        for _ in 0..30 {
            let problem = Breakaway::new(self, terms, mode, resting, &solution);
            p.resize(problem.rows.len(), 0.0);
            let alpha = problem.minimise(&mut p, |_| false);
            a = problem.acceleration(&alpha);
            let loads = self.loads(terms, &a);
            let change = loads.iter().zip(&solution.loads).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            let size = loads.iter().map(|x| x.abs()).fold(0.0, f64::max);
            solution.loads = loads;
            if change <= 1e-13 * size {
                break;
            }
        }
        let accelerations: Vec<[f64; 2]> = resting.iter().map(|k| self.sliding_velocity(*k, &a)).collect();
        let largest = accelerations.iter().map(|[x, y]| x.hypot(*y)).fold(0.0, f64::max);
        for (k, [x, y]) in resting.iter().zip(accelerations) {
            let size = x.hypot(y);
            if largest > REST_ACCELERATION && size > 1e-3 * largest {
                mode[*k] = FrictionState::Sliding([x / size, y / size]);
            }
        }
        Ok(())
    }
}

/// The constraints that stick.
fn sticking(mode: &[FrictionState]) -> Vec<usize> {
    (0..mode.len()).filter(|k| mode[*k] == FrictionState::Sticking).collect()
}

/// A row of a friction constraint at rest: J a = row · α + offset, and I⁻¹ Jᵀ.
struct RestingRow {
    constraint: usize,
    row: Vec<f64>,
    offset: f64,
    column: Vec<f64>,
    limit: f64,
}

/// The problem (1) in the null space of the other constraints: a = particular + Σ y α.
struct Breakaway {
    basis: Basis,
    rows: Vec<RestingRow>,
    /// α without friction at rest, and the force that causes it.
    start: Vec<f64>,
    force: Vec<f64>,
    /// Upper bound of the curvature of the dual problem.
    curvature: f64,
}

impl Breakaway {
    fn new(
        base: &Base,
        terms: &BaseEquations,
        mode: &[FrictionState],
        resting: &[usize],
        solution: &BaseSolution,
    ) -> Self {
        let frictionless: ContactMode = vec![FrictionState::Sliding([0.0; 2]); mode.len()];
        let basis = Basis::new(&base.constraints(terms, &frictionless), 3);
        let free = base.free();
        let momentum = |v: &[f64]| -> Vec<f64> {
            free.iter().map(|i| free.iter().zip(v).map(|(j, x)| terms.mass[*i][*j] * x).sum()).collect()
        };
        let momenta: Vec<Vec<f64>> = basis.null_space.iter().map(|y| momentum(y)).collect();
        let accelerate = |f: &[f64]| {
            let line = |(z, f): (&Vec<f64>, &f64)| {
                momenta.iter().map(|h| dot(z, h)).chain(std::iter::once(*f)).collect::<Vec<f64>>()
            };
            let equations = basis.null_space.iter().zip(f).map(line).collect();
            solve_linear(equations, f.len()).unwrap_or_else(|| vec![f64::NAN; f.len()])
        };
        let resting_row = |(k, r): (usize, &super::Row)| {
            let row: Vec<f64> = basis.null_space.iter().map(|y| dot(r, y)).collect();
            let limit = (base.friction[k].static_coefficient * base.load_on(k, solution)).max(0.0);
            RestingRow { constraint: k, offset: dot(r, &basis.particular), column: accelerate(&row), row, limit }
        };
        let rows = resting.iter().flat_map(|k| base.friction[*k].rows.iter().map(move |r| (*k, r)));
        let rows: Vec<RestingRow> = rows.map(resting_row).collect();
        let mut required: Vec<f64> = momentum(&basis.particular);
        required.iter_mut().zip(free).zip(base.drive_forces(terms)).for_each(|((r, i), e)| *r += terms.bias[*i] - e);
        for (k, state) in mode.iter().enumerate().filter(|(k, _)| !resting.contains(k)) {
            let force = base.friction[k].kinetic_coefficient * base.load_on(k, solution);
            let row = base.sliding_row(k, state).unwrap_or_default();
            required.iter_mut().zip(row).for_each(|(r, w)| *r += force * w);
        }
        let force: Vec<f64> = basis.null_space.iter().map(|y| -dot(y, &required)).collect();
        let curvature = rows.iter().map(|p| dot(&p.row, &p.column)).sum::<f64>().max(f64::MIN_POSITIVE);
        Breakaway { start: accelerate(&force), force, basis, rows, curvature }
    }

    /// The acceleration a of the base.
    fn acceleration(&self, alpha: &[f64]) -> Six {
        let (particular, null_space) = (&self.basis.particular, &self.basis.null_space);
        let a = |c: usize| particular[c] + null_space.iter().zip(alpha).map(|(y, x)| y[c] * x).sum::<f64>();
        [a(0), a(1), 0.0, 0.0, 0.0, a(2)]
    }

    /// J a of a row.
    fn along(p: &RestingRow, alpha: &[f64]) -> f64 {
        dot(&p.row, alpha) + p.offset
    }

    /// The largest acceleration along a resting row.
    fn max_acceleration(&self, alpha: &[f64]) -> f64 {
        self.rows.iter().map(|p| Self::along(p, alpha).abs()).fold(0.0, f64::max)
    }

    /// The rows of each constraint.
    fn constraints(&self) -> impl Iterator<Item = &[RestingRow]> {
        self.rows.chunk_by(|a, b| a.constraint == b.constraint)
    }

    /// Whether (1) decreases from rest along α, so that not everything sticks.
    fn decreases(&self, alpha: &[f64]) -> bool {
        let resistance: f64 = self
            .constraints()
            .map(|t| t[0].limit * t.iter().map(|p| Self::along(p, alpha).powi(2)).sum::<f64>().sqrt())
            .sum();
        let power = dot(&self.force, alpha);
        resistance - power < -1e-12 * (resistance + power.abs())
    }

    /// The α that minimises (1), or at which `done` ends the iteration; starts from forces `p` and updates them.
    fn minimise(&self, p: &mut Vec<f64>, mut done: impl FnMut(&[f64]) -> bool) -> Vec<f64> {
        const MAX_ITERATIONS: usize = 5_000;
        if self.start.is_empty() {
            return vec![];
        }
        let response = |p: &[f64]| {
            let mut alpha = self.start.clone();
            for (p, row) in p.iter().zip(&self.rows) {
                alpha.iter_mut().zip(&row.column).for_each(|(a, c)| *a += p * c);
            }
            alpha
        };
        let project = |mut p: &mut [f64]| {
            for rows in self.constraints() {
                let (own, others) = p.split_at_mut(rows.len());
                let size = dot(own, own).sqrt();
                if size > rows[0].limit {
                    own.iter_mut().for_each(|x| *x *= rows[0].limit / size);
                }
                p = others;
            }
        };
        let (mut ahead, mut momentum) = (p.clone(), 1.0_f64);
        for _ in 0..MAX_ITERATIONS {
            let alpha = response(&ahead);
            let mut next = ahead.clone();
            next.iter_mut().zip(&self.rows).for_each(|(x, p)| *x -= Self::along(p, &alpha) / self.curvature);
            project(&mut next);
            let step: Vec<f64> = next.iter().zip(&*p).map(|(a, b)| a - b).collect();
            let overshoots = ahead.iter().zip(&next).zip(&step).map(|((y, n), s)| (y - n) * s).sum::<f64>() > 0.0;
            let moved = ahead
                .iter()
                .zip(&next)
                .zip(&step)
                .zip(&self.rows)
                .map(|(((y, n), s), row)| (y - n).abs().max(s.abs()) / row.limit.max(f64::MIN_POSITIVE));
            let converged = moved.fold(0.0, f64::max) < 1e-14;
            let grown = if overshoots { 1.0 } else { (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) / 2.0 };
            let extrapolation = if overshoots { 0.0 } else { (momentum - 1.0) / grown };
            ahead = next.iter().zip(&step).map(|(n, s)| n + extrapolation * s).collect();
            *p = next;
            momentum = grown;
            if converged || done(&response(p)) {
                break;
            }
        }
        response(p)
    }
}
