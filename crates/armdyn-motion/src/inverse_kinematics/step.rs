//! A step of damped least squares within bounds.

use armdyn_core::dense::{cholesky, cholesky_solve};

/// min |J δ − e|² + μ (δ − c)ᵀ D (δ − c) within bounds, and its workspace.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// J, column by column.
    pub jacobian: Vec<[f64; 6]>,
    /// The diagonal of D.
    pub weights: Vec<f64>,
    /// c.
    pub wanted: Vec<f64>,
    /// Lower and upper bound of each component of δ.
    pub bounds: Vec<(f64, f64)>,
    /// Components that may exceed a bound if a full turn brings them back within both.
    pub periodic: Vec<bool>,
    /// δ.
    pub step: Vec<f64>,
    held: Vec<bool>,
    normal: Vec<f64>,
    right: Vec<f64>,
}

impl Step {
    pub fn new(n: usize) -> Self {
        Step {
            jacobian: vec![[0.0; 6]; n],
            weights: vec![1.0; n],
            wanted: vec![0.0; n],
            bounds: vec![(f64::NEG_INFINITY, f64::INFINITY); n],
            periodic: vec![false; n],
            step: vec![0.0; n],
            held: vec![false; n],
            normal: vec![0.0; n * n],
            right: vec![0.0; n],
        }
    }

    /// c = 0, D = 1.
    pub fn clear(&mut self) {
        self.wanted.fill(0.0);
        self.weights.fill(1.0);
    }

    /// Solves for δ with the first `directions` rows of J and e; returns the predicted reduction of ½ |e|².
    ///
    /// Components that leave their bounds are held there, and the others are solved again, until all are within bounds: an
    /// active set that only grows. It starts empty in every step, so that a joint at a limit can leave it.
    pub fn solve(&mut self, e: &[f64; 6], mut damping: f64, directions: usize) -> f64 {
        let n = self.step.len();
        self.held.fill(false);
        self.step.copy_from_slice(&self.wanted);
        loop {
            // e − J (δ of held components, c of the others)
            let rest = self.remainder(e, directions);
            for i in 0..n {
                if self.held[i] {
                    self.normal[i * n..(i + 1) * n].fill(0.0);
                    (self.normal[i * n + i], self.right[i]) = (1.0, 0.0);
                    continue;
                }
                let column = &self.jacobian[i];
                for j in 0..=i {
                    let held = self.held[j];
                    self.normal[i * n + j] = if held { 0.0 } else { dot(column, &self.jacobian[j], directions) };
                }
                self.normal[i * n + i] += damping * self.weights[i];
                self.right[i] = dot(column, &rest, directions);
            }
            if cholesky(&mut self.normal, n).is_err() {
                damping *= 100.0;
                if !damping.is_finite() {
                    self.step.fill(0.0);
                    return 0.0;
                }
                continue;
            }
            cholesky_solve(&self.normal, n, &mut self.right);
            let mut complete = true;
            for i in 0..n {
                if self.held[i] {
                    continue;
                }
                let (lower, upper) = self.bounds[i];
                let value = self.wanted[i] + self.right[i];
                self.step[i] = value;
                let turned = if value > upper { value - std::f64::consts::TAU } else { value + std::f64::consts::TAU };
                let allowed = (lower..=upper).contains(&value) || self.periodic[i] && (lower..=upper).contains(&turned);
                if !allowed {
                    self.step[i] = value.max(lower).min(upper);
                    self.held[i] = true;
                    complete = false;
                }
            }
            if complete {
                break;
            }
            // Those that are not held start from c again.
            for i in 0..n {
                if !self.held[i] {
                    self.step[i] = self.wanted[i];
                }
            }
        }
        let rest = self.remainder(e, directions);
        0.5 * (dot(e, e, directions) - dot(&rest, &rest, directions))
    }

    /// e − J δ.
    fn remainder(&self, e: &[f64; 6], directions: usize) -> [f64; 6] {
        let mut rest = *e;
        for (column, step) in self.jacobian.iter().zip(&self.step) {
            for k in 0..directions {
                rest[k] -= column[k] * step;
            }
        }
        rest
    }
}

fn dot(a: &[f64; 6], b: &[f64; 6], directions: usize) -> f64 {
    a[..directions].iter().zip(&b[..directions]).map(|(a, b)| a * b).sum()
}
