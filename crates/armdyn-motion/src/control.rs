//! Controllers.

use armdyn_numerics::Result;

/// A controller: joint torques from a measured state.
pub trait Controller {
    /// Writes the joint torques \[N m, N\] for the positions and velocities measured at the time `t` \[s\].
    ///
    /// A sampled controller is called once per sample, at increasing times; its torques hold until the next sample.
    fn torque(&mut self, t: f64, q: &[f64], qd: &[f64], tau: &mut [f64]) -> Result<()>;
}
