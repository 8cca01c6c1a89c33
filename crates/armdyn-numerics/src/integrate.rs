//! Integration of ordinary differential equations: Dormand and Prince's method of order 8(5,3) with adaptive steps.
//!
//! Hairer, Nørsett & Wanner 1993, section II.10. A shorter step within an accepted one ([`Solver::part`]) is at least as
//! accurate: it locates events and produces samples, in place of an interpolant.
//!
//! A step that is cut far below what order 8 allows, by the sample of a controller for instance, is taken with order 5 (Cash and Karp, 6
//! evaluations instead of 12) if the error estimate of that method is within the same tolerance.

mod cash_karp;
mod dormand_prince;

use crate::Tolerance;
use dormand_prince::{E3, E5, STAGES};

/// An explicit Runge–Kutta method: nodes, matrix, weights.
struct Tableau {
    c: &'static [f64],
    a: &'static [&'static [f64]],
    b: &'static [f64],
}

const ORDER_8: Tableau = Tableau { c: &dormand_prince::C, a: &dormand_prince::A, b: &dormand_prince::B };
const ORDER_5: Tableau = Tableau { c: &cash_karp::C, a: &cash_karp::A, b: &cash_karp::B };

/// A system ẏ = f(t, y).
pub trait Rates {
    /// Error of an evaluation.
    type Error;
    /// Writes ẏ to `out`.
    fn rates(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<(), Self::Error>;
}

/// The integrator: current time and state.
#[derive(Clone, Debug)]
pub struct Solver {
    tolerance: Tolerance,
    /// The time \[s\].
    pub t: f64,
    /// The state.
    pub y: Vec<f64>,
    /// Length of the next attempted step \[s\].
    pub next: f64,
    /// The longest step \[s\] to try with order 5.
    short: f64,
    k: Vec<Vec<f64>>,
    trial: Vec<f64>,
}

/// The end of a step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Time \[s\].
    pub t: f64,
    /// State.
    pub y: Vec<f64>,
}

impl Solver {
    /// A solver at a state, with the length of the first attempted step.
    pub fn new(t: f64, y: Vec<f64>, first: f64, tolerance: Tolerance) -> Self {
        let (k, trial) = (vec![vec![0.0; y.len()]; STAGES], y.clone());
        Solver { tolerance, t, y, next: first, short: f64::INFINITY, k, trial }
    }

    /// Computes a step of at most `longest` within the tolerance, without advancing to it ([`Solver::take`]); none if the step
    /// size falls below the resolution of time.
    pub fn step<R: Rates>(&mut self, f: &mut R, longest: f64) -> Result<Option<Step>, R::Error> {
        Ok(self.try_step(f, longest)?.map(|h| Step { t: self.t + h, y: self.trial.clone() }))
    }

    /// The same without allocation: returns the length of the step; its end is [`Solver::trial`].
    pub fn try_step<R: Rates>(&mut self, f: &mut R, longest: f64) -> Result<Option<f64>, R::Error> {
        let mut h = self.next.min(longest);
        let vanishes = |t: f64, h: f64| h <= 4.0 * f64::EPSILON * t.abs() || h < 1e-14;
        if h < self.next && !vanishes(self.t, h) && self.short_step(f, h)? {
            return Ok(Some(h));
        }
        loop {
            if vanishes(self.t, h) {
                return Ok(None);
            }
            self.attempt(&ORDER_8, f, h)?;
            let error = self.error(h);
            // Order 8: the error grows as h⁸.
            let factor = if error == 0.0 { 6.0 } else { (0.9 * error.powf(-1.0 / 8.0)).clamp(1.0 / 3.0, 6.0) };
            if error <= 1.0 {
                // A step cut short by `longest` does not reduce the next one.
                self.next = if h < self.next { self.next.max(h * factor) } else { h * factor };
                return Ok(Some(h));
            }
            h *= if error.is_finite() { factor.min(0.9) } else { 0.1 };
            self.next = h;
        }
    }

    /// Attempts a step of order 5; false if it is too long for it.
    fn short_step<R: Rates>(&mut self, f: &mut R, h: f64) -> Result<bool, R::Error> {
        if h > self.short {
            // Tried again after some steps: the motion may have become slower.
            self.short *= 1.1;
            return Ok(false);
        }
        self.attempt(&ORDER_5, f, h)?;
        let error = h * (self.sum_of_squares(&cash_karp::E) / self.y.len() as f64).sqrt();
        // Order 5: the error estimate grows as h⁵.
        if error > 1.0 || !error.is_finite() {
            self.short = 0.5 * h;
            return Ok(false);
        }
        self.short = f64::INFINITY;
        Ok(true)
    }

    /// The end of the last attempted step.
    pub fn trial(&self) -> &[f64] {
        &self.trial
    }

    /// ẏ at the start of the last attempted step.
    pub fn start_rates(&self) -> &[f64] {
        &self.k[0]
    }

    /// Computes one step of length `h`, for a part of an accepted step.
    pub fn part<R: Rates>(&mut self, f: &mut R, h: f64) -> Result<Step, R::Error> {
        self.try_part(f, h)?;
        Ok(Step { t: self.t + h, y: self.trial.clone() })
    }

    /// The same without allocation: its end is [`Solver::trial`].
    pub fn try_part<R: Rates>(&mut self, f: &mut R, h: f64) -> Result<(), R::Error> {
        self.attempt(&ORDER_8, f, h)
    }

    /// Advances to the end of a step.
    pub fn take(&mut self, step: Step) {
        self.t = step.t;
        self.y = step.y;
    }

    fn attempt<R: Rates>(&mut self, method: &Tableau, f: &mut R, h: f64) -> Result<(), R::Error> {
        for (s, (c, row)) in method.c.iter().zip(method.a).enumerate() {
            self.trial.copy_from_slice(&self.y);
            let (before, rest) = self.k.split_at_mut(s);
            for (a, k) in row.iter().zip(&*before).filter(|(a, _)| **a != 0.0) {
                self.trial.iter_mut().zip(k).for_each(|(y, k)| *y += h * a * k);
            }
            f.rates(self.t + c * h, &self.trial, &mut rest[0])?;
        }
        self.trial.copy_from_slice(&self.y);
        for (b, k) in method.b.iter().zip(&self.k).filter(|(b, _)| **b != 0.0) {
            self.trial.iter_mut().zip(k).for_each(|(y, k)| *y += h * b * k);
        }
        Ok(())
    }

    /// Error estimate of an attempted step of order 8, relative to the tolerance.
    fn error(&self, h: f64) -> f64 {
        let (fifth, third) = (self.sum_of_squares(&E5), self.sum_of_squares(&E3));
        if fifth == 0.0 && third == 0.0 {
            return 0.0;
        }
        h * fifth / ((fifth + 0.01 * third) * self.y.len() as f64).sqrt()
    }

    /// Σ (e·k / scale)² over the state, with the scale of the tolerance.
    fn sum_of_squares(&self, weights: &[f64]) -> f64 {
        let component = |i: usize| {
            let size = self.y[i].abs().max(self.trial[i].abs());
            let scale = self.tolerance.absolute + self.tolerance.relative * size;
            (weights.iter().zip(&self.k).map(|(e, k)| e * k[i]).sum::<f64>() / scale).powi(2)
        };
        (0..self.y.len()).map(component).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Kepler(usize);

    impl Rates for Kepler {
        type Error = std::convert::Infallible;
        fn rates(&mut self, _: f64, y: &[f64], out: &mut [f64]) -> Result<(), Self::Error> {
            self.0 += 1;
            let cube = (y[0] * y[0] + y[1] * y[1]).powf(1.5);
            out.copy_from_slice(&[y[2], y[3], -y[0] / cube, -y[1] / cube]);
            Ok(())
        }
    }

    /// An orbit of eccentricity 0.6 from its perihelion, where it returns after 2π.
    fn orbit(tolerance: f64) -> (f64, usize) {
        let begin = vec![0.4, 0.0, 0.0, 2.0];
        let tolerance = Tolerance { relative: tolerance, absolute: tolerance };
        let (mut f, mut s) = (Kepler(0), Solver::new(0.0, begin.clone(), 0.1, tolerance));
        let end = std::f64::consts::TAU;
        while s.t < end {
            let Ok(step) = s.step(&mut f, end - s.t);
            s.take(step.unwrap());
        }
        (s.y.iter().zip(&begin).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max), f.0)
    }

    #[test]
    fn an_orbit_closes_at_the_cost_of_order_eight() {
        let (coarse, few) = orbit(1e-7);
        let (fine, many) = orbit(1e-12);
        // Errors add up over an orbit; some hundred tolerances are usual.
        assert!(coarse < 1e-5 && fine < 1e-9, "{coarse:e} {fine:e}");
        // A tolerance 10⁵ times as fine: 10^(5/8) = 4.2 times as many steps.
        assert!(many > few && many < 7 * few, "{few} {many}");
    }

    #[test]
    fn a_partial_step_is_on_the_solution() {
        struct Grow;
        impl Rates for Grow {
            type Error = std::convert::Infallible;
            fn rates(&mut self, _: f64, y: &[f64], out: &mut [f64]) -> Result<(), Self::Error> {
                out[0] = y[0];
                Ok(())
            }
        }
        let mut s = Solver::new(0.0, vec![1.0], 0.3, Tolerance { relative: 1e-12, absolute: 1e-12 });
        let Ok(half) = s.part(&mut Grow, 0.15);
        assert!((half.y[0] - 0.15_f64.exp()).abs() < 1e-14);
        let Ok(step) = s.step(&mut Grow, 1.0);
        let step = step.unwrap();
        assert!((step.y[0] - step.t.exp()).abs() < 1e-12);
    }

    #[test]
    fn a_singularity_stalls_the_solver() {
        struct Explode;
        impl Rates for Explode {
            type Error = std::convert::Infallible;
            fn rates(&mut self, _: f64, y: &[f64], out: &mut [f64]) -> Result<(), Self::Error> {
                out[0] = y[0] * y[0];
                Ok(())
            }
        }
        let mut s = Solver::new(0.0, vec![1.0], 0.1, Tolerance { relative: 1e-9, absolute: 1e-9 });
        while let Ok(Some(step)) = s.step(&mut Explode, 1.0) {
            s.take(step);
        }
        assert!((s.t - 1.0).abs() < 1e-6, "1/(1 − t) ends at 1");
    }

    /// The error on a circular orbit after 2 rad with `n` steps of one method, chosen by the length of the next adaptive step.
    fn orbit_in_steps(n: usize, limited: bool) -> (f64, usize) {
        let begin = vec![1.0, 0.0, 0.0, 1.0];
        let h = 2.0 / n as f64;
        let loose = Tolerance { relative: 1.0, absolute: 1e9 };
        let (mut f, mut s) = (Kepler(0), Solver::new(0.0, begin, h, loose));
        for _ in 0..n {
            s.next = if limited { 2.0 * h } else { h };
            let Ok(step) = s.step(&mut f, h);
            s.take(step.unwrap());
        }
        (error_on_circle(&s), f.0)
    }

    /// The difference from (cos t, sin t) and its velocity.
    fn error_on_circle(s: &Solver) -> f64 {
        let (sin, cos) = s.t.sin_cos();
        s.y.iter().zip([cos, sin, -sin, cos]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// Measured with equal steps, well above rounding errors and within the range of the leading term.
    #[test]
    fn both_methods_have_their_order() {
        for (limited, n, order, stages) in [(false, 10, 8.0, 12), (true, 100, 5.0, 6)] {
            let [(coarse, few), (fine, _)] = [n, 2 * n].map(|n| orbit_in_steps(n, limited));
            let measured = (coarse / fine).log2();
            assert_eq!(few, stages * n);
            assert!((measured - order).abs() < 0.2, "order {measured:.2}, errors {coarse:e} {fine:e}");
        }
    }

    /// Steps that are cut to a tenth of what order 8 allows are as accurate, at half the evaluations.
    #[test]
    fn short_steps_keep_the_tolerance() {
        let tolerance = Tolerance { relative: 1e-10, absolute: 1e-10 };
        let (mut f, mut s) = (Kepler(0), Solver::new(0.0, vec![1.0, 0.0, 0.0, 1.0], 0.1, tolerance));
        let n = 1000;
        let h = 1.0 / n as f64;
        for _ in 0..n {
            let Ok(step) = s.step(&mut f, h);
            s.take(step.unwrap());
        }
        let error = error_on_circle(&s);
        assert!(error < 1e-11, "{error:e}");
        assert_eq!(f.0, 6 * n);
    }

    /// Where order 5 is not within the tolerance, the step has order 8 and few attempts are lost.
    #[test]
    fn steps_too_long_for_order_five_have_order_eight() {
        let tolerance = Tolerance { relative: 1e-12, absolute: 1e-12 };
        let (mut f, mut s) = (Kepler(0), Solver::new(0.0, vec![1.0, 0.0, 0.0, 1.0], 0.1, tolerance));
        for _ in 0..100 {
            let Ok(step) = s.step(&mut f, 0.05);
            s.take(step.unwrap());
        }
        let error = error_on_circle(&s);
        assert!(error < 1e-11, "{error:e}");
        assert!(f.0 > 1200 && f.0 < 1300, "{} evaluations", f.0);
    }
}
