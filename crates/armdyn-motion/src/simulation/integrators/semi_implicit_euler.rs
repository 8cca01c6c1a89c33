//! Semi-implicit Euler: velocities first, then positions with the new velocities. Symplectic; order 1.
//!
//!   v₁ = v + h v̇(t, x, v),   x₁ = x + h ẋ(x, v₁)
//!
//! Works are integrated with the mean velocity of the step.

use super::System;
use crate::simulation::system::WORKS;
use armdyn_numerics::Result;

/// Workspace.
pub(super) struct SemiImplicitEuler {
    rates: Vec<f64>,
    mean: Vec<f64>,
}

impl SemiImplicitEuler {
    pub fn new(system: &System) -> Self {
        SemiImplicitEuler { rates: vec![0.0; system.nv()], mean: vec![0.0; system.len()] }
    }

    pub fn step(&mut self, system: &mut System, t: f64, y: &[f64], h: f64, out: &mut [f64]) -> Result<()> {
        let (n, motors, speeds) = (system.nv(), system.flexible.len(), system.motor_velocities());
        out.copy_from_slice(y);
        system.accelerate(t, y)?;
        (0..n).for_each(|i| out[n + i] += h * system.qdd[i]);
        for (k, f) in system.flexible.iter().enumerate() {
            out[speeds + k] += h * f.acceleration;
            out[2 * n + k] += h * out[speeds + k];
        }
        system.chart.rates(&y[..n], &system.q, &out[n..2 * n], &mut self.rates);
        (0..n).for_each(|i| out[i] += h * self.rates[i]);
        self.mean.copy_from_slice(y);
        for i in (n..2 * n).chain(speeds..speeds + motors) {
            self.mean[i] = 0.5 * (y[i] + out[i]);
        }
        let powers = system.powers(t + 0.5 * h, &self.mean);
        let works = out.len() - WORKS;
        out[works..].iter_mut().zip(powers).for_each(|(w, p)| *w += h * p);
        Ok(())
    }
}
