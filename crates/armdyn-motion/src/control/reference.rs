//! The trajectory that a controller follows.

use armdyn_core::Model;
use armdyn_numerics::{ContinuousTrajectory, Result, require_dofs_of, require_scalar_coordinates};

/// The desired state of a trajectory at the last time asked for; after its end, its last configuration at rest.
pub(super) struct Reference<'a> {
    trajectory: &'a dyn ContinuousTrajectory,
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    pub qdd: Vec<f64>,
}

impl<'a> Reference<'a> {
    /// For a robot whose joints have one coordinate per degree of freedom.
    pub fn new(m: &Model<f64>, trajectory: &'a dyn ContinuousTrajectory) -> Result<Self> {
        require_scalar_coordinates(m)?;
        require_dofs_of(m, trajectory)?;
        let zero = vec![0.0; m.nv()];
        Ok(Reference { trajectory, q: zero.clone(), qd: zero.clone(), qdd: zero })
    }

    /// Evaluates the desired state at a time.
    pub fn evaluate(&mut self, t: f64) {
        let end = self.trajectory.duration();
        self.trajectory.at(t.clamp(0.0, end), &mut self.q, &mut self.qd, &mut self.qdd);
        if t > end {
            self.qd.fill(0.0);
            self.qdd.fill(0.0);
        }
    }
}
