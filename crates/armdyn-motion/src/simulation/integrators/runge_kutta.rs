//! The classical Runge–Kutta method of order 4.
//!
//!   k₁ = f(t, y),  k₂ = f(t + ½h, y + ½h k₁),  k₃ = f(t + ½h, y + ½h k₂),  k₄ = f(t + h, y + h k₃)
//!   y₁ = y + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄)

use super::System;
use armdyn_numerics::Result;
use armdyn_numerics::integrate::Rates;

/// Workspace.
pub(super) struct RungeKutta {
    k: Vec<f64>,
    stage: Vec<f64>,
}

impl RungeKutta {
    pub fn new(system: &System) -> Self {
        RungeKutta { k: vec![0.0; system.len()], stage: vec![0.0; system.len()] }
    }

    pub fn step(&mut self, system: &mut System, t: f64, y: &[f64], h: f64, out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(y);
        self.stage.copy_from_slice(y);
        for (node, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
            if node > 0.0 {
                self.stage.iter_mut().zip(y.iter().zip(&self.k)).for_each(|(s, (y, k))| *s = y + node * h * k);
            }
            system.rates(t + node * h, &self.stage, &mut self.k)?;
            out.iter_mut().zip(&self.k).for_each(|(o, k)| *o += h * weight / 6.0 * k);
        }
        Ok(())
    }
}
