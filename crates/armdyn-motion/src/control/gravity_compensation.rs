//! Gravity compensation: the torques that hold the arm at rest wherever it is.

use super::{Controller, require_lengths};
use armdyn_core::{Model, RneaData, rnea};
use armdyn_numerics::Result;

/// A controller whose torques balance gravity at the measured positions: τ = g(q).
///
/// ```
/// use armdyn_motion::simulation::{Sampling, Simulation};
/// use armdyn_motion::control::GravityCompensation;
/// let model = armdyn_core::examples::two_link_arm();
/// let mut controller = GravityCompensation::new(&model);
/// let run = Simulation::new(&model).initial_state(&[0.4, -0.3], &[0.0; 2]);
/// let run = run.controller(&mut controller, Sampling::default()).run(1.0)?;
/// assert!((run.end().q[0] - 0.4).abs() < 1e-9 && (run.end().q[1] + 0.3).abs() < 1e-9);
/// # Ok::<(), armdyn_numerics::Error>(())
/// ```
pub struct GravityCompensation<'a> {
    model: &'a Model<f64>,
    data: RneaData<f64>,
    zero: Vec<f64>,
}

impl<'a> GravityCompensation<'a> {
    /// For a robot.
    pub fn new(model: &'a Model<f64>) -> Self {
        GravityCompensation { model, data: RneaData::new(model), zero: vec![0.0; model.nv()] }
    }
}

impl Controller for GravityCompensation<'_> {
    fn model(&self) -> Option<&Model<f64>> {
        Some(self.model)
    }

    fn torque(&mut self, _: f64, q: &[f64], qd: &[f64], tau: &mut [f64]) -> Result<()> {
        require_lengths(self.model, q, qd, tau)?;
        Ok(rnea(self.model, &mut self.data, q, &self.zero, &self.zero, tau)?)
    }
}
