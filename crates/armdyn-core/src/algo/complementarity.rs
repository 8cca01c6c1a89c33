//! Accelerations of a system in which some degrees of freedom are at rest, with limits on the forces that hold them.
//!
//! With a mass matrix M and the force r on each degree of freedom:
//!
//!   M a + f = r;   at rest:  a = 0 and l ≤ f ≤ u,  or  a > 0 and f = u,  or  a < 0 and f = l;   otherwise f = 0        (1)
//!
//! Finite limits are those of dry friction at rest, an infinite one is that of a stop (u = ∞ at an upper stop: no force moves the
//! joint beyond it); with velocities for accelerations and momenta for forces, (1) is an impact. These are the optimality conditions
//! of Gauss's principle with dry friction, min ½ aᵀ M a − rᵀ a + Σ max(u a, l a) (Moreau 1966), which is strictly convex: there is
//! exactly one solution. In f it is a linear complementarity problem with bounds and a positive definite matrix. It is solved by
//! principal pivoting (Júdice & Pires 1994): solve (1) for a guess of who stays and who moves in which direction, change all that
//! contradict it; if that does not reduce their number any more, change only the last of them (Murty's rule) until it does. The number
//! of contradictions falls below its minimum at most n times, and in between Murty's rule visits no guess twice, since every
//! principal submatrix of M is positive definite: without rounding errors the method ends at the solution. With them it might not,
//! which is an error.

use crate::dense::{cholesky, cholesky_solve};
use alloc::vec;
use alloc::vec::Vec;

/// Relative error up to which a force is at its limit, and an acceleration 0: a few thousand roundings.
pub const REST_TOLERANCE: f64 = 1e-12;

/// Rounds without fewer contradictions before degrees of freedom are changed one by one.
const PATIENCE: usize = 4;

/// Why a complementarity problem has no numerical solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// The mass matrix is not positive definite at this degree of freedom.
    NotPositive(usize),
    /// Rounding errors decide about this degree of freedom.
    NotConverged(usize),
}

/// Workspace and solution of the complementarity problem of rest.
#[derive(Clone, Debug)]
pub struct Complementarity {
    n: usize,
    /// Each degree of freedom: none if it moves, otherwise its direction: 0 stays at rest, ±1 starts to move.
    directions: Vec<Option<f64>>,
    /// The degrees of freedom that move, their mass matrix and their accelerations.
    moving: Vec<usize>,
    factor: Vec<f64>,
    accelerations: Vec<f64>,
    contradictions: Vec<(usize, f64)>,
}

impl Complementarity {
    /// Creates a workspace for `n` degrees of freedom.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Complementarity {
            n,
            directions: vec![None; n],
            moving: Vec::with_capacity(n),
            factor: vec![0.0; n * n],
            accelerations: Vec::with_capacity(n),
            contradictions: Vec::with_capacity(n),
        }
    }

    /// The direction in which a degree of freedom at rest starts to move (±1), 0 if it stays; none if it was not at rest.
    #[must_use]
    pub fn direction(&self, dof: usize) -> Option<f64> {
        self.directions[dof]
    }

    /// Solves (1). `mass` is row-major; `limits` are [l, u] of what is at rest, none for what moves. Writes the forces of what is
    /// at rest and all accelerations; those that rounding cannot tell from 0 are 0.
    ///
    /// # Panics
    /// If a length does not fit.
    pub fn solve(
        &mut self,
        mass: &[f64],
        rest: &[f64],
        limits: &[Option<[f64; 2]>],
        force: &mut [f64],
        acceleration: &mut [f64],
    ) -> Result<(), Unsolved> {
        self.pivot(100 + 10 * self.n * self.n, mass, rest, limits, force, acceleration)
    }

    /// Principal pivoting from a state in which all that is at rest stays. It takes a few rounds, seldom more than n.
    fn pivot(
        &mut self,
        rounds: usize,
        mass: &[f64],
        rest: &[f64],
        limits: &[Option<[f64; 2]>],
        force: &mut [f64],
        acceleration: &mut [f64],
    ) -> Result<(), Unsolved> {
        self.directions.iter_mut().zip(limits).for_each(|(d, l)| *d = l.map(|_| 0.0));
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for _ in 0..rounds {
            self.solve_guess(mass, rest, limits, force, acceleration)?;
            self.contradict(mass, rest, limits, force, acceleration);
            let count = self.contradictions.len();
            if count == 0 {
                return Ok(());
            }
            if count < fewest {
                (fewest, patience) = (count, PATIENCE);
            } else {
                patience = patience.saturating_sub(1);
            }
            let first = if patience > 0 { 0 } else { count - 1 };
            for &(i, direction) in &self.contradictions[first..] {
                self.directions[i] = Some(direction);
            }
        }
        Err(Unsolved::NotConverged(self.contradictions.last().map_or(0, |c| c.0)))
    }

    /// Accelerations while all of `held` stay at rest, and the forces that hold them, whatever their limits.
    pub fn hold(
        &mut self,
        mass: &[f64],
        rest: &[f64],
        held: &[bool],
        force: &mut [f64],
        acceleration: &mut [f64],
    ) -> Result<(), Unsolved> {
        self.directions.iter_mut().zip(held).for_each(|(d, held)| *d = held.then_some(0.0));
        self.solve_guess(mass, rest, &[], force, acceleration)
    }

    /// (1) for a guess: accelerations of what moves, forces on what stays.
    fn solve_guess(
        &mut self,
        mass: &[f64],
        rest: &[f64],
        limits: &[Option<[f64; 2]>],
        force: &mut [f64],
        acceleration: &mut [f64],
    ) -> Result<(), Unsolved> {
        let n = self.n;
        self.moving.clear();
        self.accelerations.clear();
        for i in 0..n {
            force[i] = match self.directions[i] {
                Some(0.0) => continue,
                // The forces on what moves already are in r.
                None => 0.0,
                Some(d) => limits[i].map_or(0.0, |l| l[usize::from(d > 0.0)]),
            };
            self.moving.push(i);
            self.accelerations.push(rest[i] - force[i]);
        }
        let k = self.moving.len();
        for (a, &i) in self.moving.iter().enumerate() {
            for (b, &j) in self.moving.iter().enumerate() {
                self.factor[a * k + b] = mass[i * n + j];
            }
        }
        cholesky(&mut self.factor[..k * k], k).map_err(|a| Unsolved::NotPositive(self.moving[a]))?;
        cholesky_solve(&self.factor[..k * k], k, &mut self.accelerations);
        acceleration.fill(0.0);
        self.moving.iter().zip(&self.accelerations).for_each(|(&i, &a)| acceleration[i] = a);
        for i in (0..n).filter(|i| self.directions[*i] == Some(0.0)) {
            let inertial: f64 = self.moving.iter().map(|&j| mass[i * n + j] * acceleration[j]).sum();
            force[i] = rest[i] - inertial;
        }
        Ok(())
    }

    /// Finds what contradicts (1), with the direction that it needs.
    fn contradict(
        &mut self,
        mass: &[f64],
        rest: &[f64],
        limits: &[Option<[f64; 2]>],
        force: &[f64],
        acceleration: &[f64],
    ) {
        let fastest = acceleration.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        self.contradictions.clear();
        for i in 0..self.n {
            let (Some(direction), Some([lower, upper])) = (self.directions[i], limits[i]) else { continue };
            if direction != 0.0 {
                if direction * acceleration[i] < -REST_TOLERANCE * fastest {
                    self.contradictions.push((i, 0.0));
                }
                continue;
            }
            let tolerance = REST_TOLERANCE * force_scale(self.n, i, mass, rest, acceleration);
            if force[i] > upper + tolerance {
                self.contradictions.push((i, 1.0));
            } else if force[i] < lower - tolerance {
                self.contradictions.push((i, -1.0));
            }
        }
    }
}

/// The scale of the rounding error of the force on a degree of freedom at rest.
#[must_use]
pub fn force_scale(n: usize, dof: usize, mass: &[f64], rest: &[f64], acceleration: &[f64]) -> f64 {
    (0..n).fold(rest[dof].abs(), |s, j| s + (mass[dof * n + j] * acceleration[j]).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M = [[3, 1], [1, 1]]: a joint pushed against an upper stop moves its neighbour only.
    #[test]
    fn a_stop_is_a_limit_at_infinity() {
        let (mass, mut f, mut a) = ([3.0, 1.0, 1.0, 1.0], [0.0; 2], [0.0; 2]);
        let mut c = Complementarity::new(2);
        let stop = Some([0.0, f64::INFINITY]);
        c.solve(&mass, &[5.0, 2.0], &[stop, None], &mut f, &mut a).unwrap();
        assert_eq!((a, f, c.direction(0), c.direction(1)), ([0.0, 2.0], [3.0, 0.0], Some(0.0), None));
        // It leaves the stop: 3 a₁ + a₂ = −4, a₁ + a₂ = 2.
        c.solve(&mass, &[-4.0, 2.0], &[stop, None], &mut f, &mut a).unwrap();
        assert!((a[0] + 3.0).abs() < 1e-14 && (a[1] - 5.0).abs() < 1e-14 && f == [0.0; 2]);
        assert_eq!(c.direction(0), Some(-1.0));
        // Held whatever the limit.
        c.hold(&mass, &[-4.0, 2.0], &[true, false], &mut f, &mut a).unwrap();
        assert_eq!((a, f), ([0.0, 2.0], [-6.0, 0.0]));
    }

    /// A guess that still contradicts itself is an error, not a result.
    #[test]
    fn too_few_rounds_are_an_error() {
        let (mass, mut f, mut a) = ([3.0, 1.0, 1.0, 1.0], [0.0; 2], [0.0; 2]);
        let limits = [Some([-1.0, 1.0]), Some([-2.0, 2.0])];
        let mut c = Complementarity::new(2);
        assert_eq!(c.pivot(1, &mass, &[4.0, 0.0], &limits, &mut f, &mut a), Err(Unsolved::NotConverged(0)));
        c.pivot(2, &mass, &[4.0, 0.0], &limits, &mut f, &mut a).unwrap();
        // A few roundings of a square root.
        assert!((a[0] - 1.0).abs() < 1e-15 && a[1] == 0.0 && f[0] == 1.0 && (f[1] + 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_names_the_row() {
        let (mut f, mut a) = ([0.0; 2], [0.0; 2]);
        let solved = Complementarity::new(2).solve(&[1.0, 2.0, 2.0, 1.0], &[1.0; 2], &[None; 2], &mut f, &mut a);
        assert_eq!(solved, Err(Unsolved::NotPositive(1)));
    }
}
