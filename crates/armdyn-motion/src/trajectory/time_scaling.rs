//! Uniform time scaling: the same motion s times as fast, t → t/s.
//!
//! Velocities scale by s, accelerations by s², jerks by s³; torques as in [`armdyn_design::ScaledTorque`].

use super::MotionLimits;
use super::sampling::DenseSamples;
use armdyn_core::{Model, Progress};
use armdyn_design::{ActiveLimit, SpeedScaling};
use armdyn_numerics::{ContinuousTrajectory, Limit, Result, require_dofs_of};

/// A trajectory played at another speed.
#[derive(Clone, Debug)]
pub struct TimeScaled<T> {
    /// The trajectory.
    pub trajectory: T,
    /// Speed scaling: 2 is twice as fast.
    pub factor: f64,
}

impl<T: ContinuousTrajectory> ContinuousTrajectory for TimeScaled<T> {
    fn at(&self, t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]) {
        let s = self.factor;
        self.trajectory.at((t * s).min(self.trajectory.duration()), q, qd, qdd);
        qd.iter_mut().for_each(|x| *x *= s);
        qdd.iter_mut().for_each(|x| *x *= s * s);
    }

    fn duration(&self) -> f64 {
        self.trajectory.duration() / self.factor
    }

    fn next_knot(&self, t: f64) -> f64 {
        let knot = self.trajectory.next_knot(t * self.factor) / self.factor;
        // Rounding may return the knot at `t` itself.
        if knot > t { knot } else { self.trajectory.next_knot(t * self.factor * (1.0 + f64::EPSILON)) / self.factor }
    }

    fn dofs(&self) -> Option<usize> {
        self.trajectory.dofs()
    }
}

/// The maximum speed scaling of a trajectory within all limits but those of positions; by `effort`, also within efforts and
/// continuous torques.
pub fn maximum_speed_scaling(
    m: &Model<f64>,
    trajectory: &dyn ContinuousTrajectory,
    limits: &MotionLimits,
    effort: bool,
) -> Result<SpeedScaling> {
    require_dofs_of(m, trajectory)?;
    limits.check(m)?;
    scaling_of(m, &DenseSamples::new(trajectory, m.nv())?, limits, effort)
}

/// [`maximum_speed_scaling`] of samples.
pub(super) fn scaling_of(
    m: &Model<f64>,
    dense: &DenseSamples,
    limits: &MotionLimits,
    effort: bool,
) -> Result<SpeedScaling> {
    let mut drive = limits.drive.clone();
    if !effort {
        drive.effort.fill(armdyn_core::EffortRange::UNLIMITED);
        drive.continuous.fill(f64::INFINITY);
    }
    let mut best = armdyn_design::maximum_speed_scaling(m, &dense.trajectory, &drive, &Progress::none())?;
    let mut reduce = |factor: f64, limit: Limit, dof: usize, sample: usize| {
        if best.factor.is_some_and(|s| factor < s) {
            let by = ActiveLimit { joint: m.dof_names()[dof].clone(), limit, t: Some(dense.trajectory.t[sample]) };
            best = SpeedScaling { factor: Some(factor).filter(|s| *s > 0.0), limited_by: Some(by) };
        }
    };
    let n = m.nv();
    for (k, a) in dense.trajectory.qdd.iter().enumerate().filter(|(_, a)| **a != 0.0) {
        reduce((limits.acceleration[k % n] / a.abs()).sqrt(), Limit::Acceleration, k % n, k / n);
    }
    for i in (0..n).filter(|i| limits.jerk[*i].is_finite()) {
        for (jerk, k) in dense.jerks(i).filter(|(jerk, _)| *jerk != 0.0) {
            reduce((limits.jerk[i] / jerk.abs()).cbrt(), Limit::Jerk, i, k);
        }
    }
    Ok(best)
}
