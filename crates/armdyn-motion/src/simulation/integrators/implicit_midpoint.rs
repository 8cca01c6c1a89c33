//! The implicit midpoint rule, for stiff joints: A-stable, symmetric, conserves quadratic invariants; order 2.
//!
//! With the state at the middle of the step, x = x₀ + ½h ẋ(x, v), θ = θ₀ + ½h θ̇:
//!
//!   rnea(q, v, 2(v − v₀)/h) + f(v) = τ,   2B (θ̇ − θ̇₀)/h + f(θ̇) = τ − K (θ − q) − D (θ̇ − q̇)                           (1)
//!   y₁ = y₀ + h ẏ
//!
//! Inverse dynamics needs no factorisation of M: (1) is solved for v and θ̇ by Newton's method with the matrix
//! 2M/h + ∂τ/∂q̇ + ½h ∂τ/∂q of `rnea_derivatives`, restricted to what is not held at rest. A rotation moves by the constant angular
//! velocity of the middle, q₁ = q₀ exp(h ω); its derivative is taken as that at the middle, so Newton converges a little slower there.

use super::System;
use crate::simulation::system::{Motion, WORKS, sliding_slope};
use armdyn_core::{DerivativesData, RneaData, rnea, rnea_derivatives};
use armdyn_numerics::{Result, invalid_option};

const MAX_ITERATIONS: usize = 50;

/// Workspace.
pub(super) struct ImplicitMidpoint {
    rnea: RneaData<f64>,
    derivatives: DerivativesData<f64>,
    /// The state at the middle.
    middle: Vec<f64>,
    rates: Vec<f64>,
    acceleration: Vec<f64>,
    required: Vec<f64>,
    by_q: Vec<f64>,
    by_qd: Vec<f64>,
    matrix: Vec<f64>,
    residual: Vec<f64>,
}

impl ImplicitMidpoint {
    pub fn new(system: &System) -> Self {
        let (n, size) = (system.nv(), system.nv() + system.flexible.len());
        ImplicitMidpoint {
            rnea: RneaData::new(&system.model),
            derivatives: DerivativesData::new(&system.model),
            middle: vec![0.0; system.len()],
            rates: vec![0.0; n],
            acceleration: vec![0.0; n],
            required: vec![0.0; n],
            by_q: vec![0.0; n * n],
            by_qd: vec![0.0; n * n],
            matrix: vec![0.0; size * size],
            residual: vec![0.0; size],
        }
    }

    pub fn step(&mut self, system: &mut System, t: f64, y: &[f64], h: f64, out: &mut [f64]) -> Result<()> {
        let (n, speeds) = (system.nv(), system.motor_velocities());
        self.middle.copy_from_slice(y);
        let mut last = f64::INFINITY;
        for iteration in 0.. {
            self.linearise(system, t + 0.5 * h, y, h)?;
            let size = self.residual.len();
            if !solve(&mut self.matrix, size, &mut self.residual) {
                return invalid_option(
                    "step",
                    format!("the implicit step at {t} s has no solution; use a shorter step"),
                );
            }
            let mut change = 0.0_f64;
            for (k, r) in self.residual.iter().enumerate() {
                let v = &mut self.middle[if k < n { n + k } else { speeds + k - n }];
                *v -= r;
                change = change.max(r.abs() / (1.0 + v.abs()));
            }
            // Converged, or rounding errors remain.
            if change <= 1e-15 || (change <= 1e-11 && change >= 0.1 * last) {
                break;
            }
            if iteration >= MAX_ITERATIONS || !change.is_finite() {
                let message = format!("the implicit step of {h} s at {t} s does not converge; use a shorter step");
                return invalid_option("step", message);
            }
            last = change;
        }
        self.place(system, y, 0.5 * h)?;
        system.torques(t + 0.5 * h, &self.middle)?;
        out.copy_from_slice(y);
        (0..n).for_each(|i| out[i] += h * self.rates[i]);
        (n..2 * n).chain(speeds..speeds + system.flexible.len()).for_each(|i| out[i] = 2.0 * self.middle[i] - y[i]);
        (0..system.flexible.len()).for_each(|k| out[2 * n + k] += h * self.middle[speeds + k]);
        let works = out.len() - WORKS;
        let powers = system.powers(t + 0.5 * h, &self.middle);
        out[works..].iter_mut().zip(powers).for_each(|(w, p)| *w += h * p);
        Ok(())
    }

    /// The positions at the middle for its velocities; twice, because the position of a free joint depends on its rotation there.
    fn place(&mut self, system: &mut System, y: &[f64], half: f64) -> Result<()> {
        let (n, speeds) = (system.nv(), system.motor_velocities());
        let rounds = if system.chart.has_quaternions() { 2 } else { 1 };
        for _ in 0..rounds {
            let (x, rest) = self.middle.split_at_mut(n);
            // Along its own direction, a rotation vector has the rate ω.
            system.chart.rates(x, &system.q, &rest[..n], &mut self.rates);
            (0..n).for_each(|i| x[i] = y[i] + half * self.rates[i]);
            system.chart.configuration(&system.model, x, &mut system.q)?;
        }
        (0..system.flexible.len()).for_each(|k| self.middle[2 * n + k] = y[2 * n + k] + half * self.middle[speeds + k]);
        Ok(())
    }

    /// Residual and matrix of (1) at the current guess.
    fn linearise(&mut self, system: &mut System, t: f64, y: &[f64], h: f64) -> Result<()> {
        let (n, speeds, size) = (system.nv(), system.motor_velocities(), self.residual.len());
        self.place(system, y, 0.5 * h)?;
        system.torques(t, &self.middle)?;
        let v = &self.middle[n..2 * n];
        self.acceleration.iter_mut().zip(v.iter().zip(&y[n..])).for_each(|(a, (v, v0))| *a = 2.0 * (v - v0) / h);
        system.copy_wrenches(&mut self.rnea.boundary)?;
        system.copy_wrenches(&mut self.derivatives.boundary)?;
        rnea(&system.model, &mut self.rnea, &system.q, v, &self.acceleration, &mut self.required)?;
        let (by_q, by_qd) = (&mut self.by_q, &mut self.by_qd);
        rnea_derivatives(&system.model, &mut self.derivatives, &system.q, v, &self.acceleration, by_q, by_qd)?;
        system.update_mass()?;
        self.matrix.fill(0.0);
        for i in 0..n {
            self.residual[i] = self.required[i] - system.tau[i];
            for j in 0..n {
                let k = i * n + j;
                self.matrix[i * size + j] = 2.0 / h * system.mass[k] + by_qd[k] + 0.5 * h * by_q[k];
            }
            self.matrix[i * size + i] += sliding_slope(&system.friction[i], system.motion[i], v[i]);
        }
        for (k, f) in system.flexible.iter().enumerate() {
            let (motor, link, speed) = (n + k, f.dof, self.middle[speeds + k]);
            let elastic = f.damping + 0.5 * h * f.stiffness;
            self.matrix[link * size + link] += elastic;
            self.matrix[link * size + motor] -= elastic;
            self.matrix[motor * size + link] -= elastic;
            self.matrix[motor * size + motor] =
                2.0 / h * f.inertia + elastic + sliding_slope(&f.friction, f.motion, speed);
            self.residual[motor] = f.inertia * (2.0 * (speed - y[speeds + k]) / h - f.acceleration);
        }
        let motors = system.flexible.iter().map(|f| f.motion == Motion::Held);
        for (k, _) in system.held.iter().copied().chain(motors).enumerate().filter(|(_, held)| *held) {
            for j in 0..size {
                self.matrix[k * size + j] = 0.0;
                self.matrix[j * size + k] = 0.0;
            }
            self.matrix[k * size + k] = 1.0;
            self.residual[k] = 0.0;
        }
        Ok(())
    }
}

/// Solves a x = b in place by Gaussian elimination with pivoting by rows; false if a pivot is 0 or not finite.
fn solve(a: &mut [f64], n: usize, b: &mut [f64]) -> bool {
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap_or(k);
        if !(a[pivot * n + k].is_finite() && a[pivot * n + k] != 0.0) {
            return false;
        }
        b.swap(k, pivot);
        (k..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k * n + j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k * n + k];
    }
    true
}
