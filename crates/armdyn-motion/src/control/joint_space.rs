//! Controllers in joint space.
//!
//! With e = q_d − q, for the desired motion q_d(t):
//!
//!   PD:               τ = K_p e + K_d ė                                                    (1)
//!   PD and gravity:   τ = K_p e + K_d ė + g(q)                                             (2)
//!   feed-forward:     τ = K_p e + K_d ė + M(q_d) q̈_d + C(q_d, q̇_d) q̇_d + g(q_d) + f(q̇_d)  (3)
//!   computed torque:  τ = M(q) (q̈_d + K_p e + K_d ė) + C(q, q̇) q̇ + g(q) + f               (4)
//!
//! Siciliano et al. 2009, sections 8.5 and 8.6; (4) is what Bejczy 1974 (section II, reference 3) calls the computed torque drive
//! method. Gains of (1) to (3) are in N m/rad and N m s/rad, those of (4) in 1/s² and 1/s: each joint has the natural
//! frequency √K_p and the damping ratio K_d / (2 √K_p).
//!
//! Deviation: dry friction in (4) is that of the desired velocity, viscous friction that of the measured one. The sign of a measured
//! velocity changes with its noise, and at rest it has none.

use super::gains::Gains;
use super::reference::Reference;
use super::{Controller, require_lengths};
use armdyn_core::{Friction, Model, RneaData, rnea};
use armdyn_numerics::{ContinuousTrajectory, Result};

/// How joint torques follow from the tracking error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum JointSpaceLaw {
    /// Proportional-derivative feedback (1).
    Pd,
    /// PD feedback and gravity compensation (2).
    PdGravity,
    /// PD feedback and the torques of the desired motion, friction included (3).
    FeedForward,
    /// Inverse dynamics of the measured state with a corrected acceleration (4).
    ComputedTorque,
}

impl JointSpaceLaw {
    /// Whether gains apply to accelerations rather than torques.
    #[must_use]
    pub fn gains_per_unit_mass(self) -> bool {
        self == JointSpaceLaw::ComputedTorque
    }
}

/// A controller in joint space.
///
/// ```
/// use armdyn_motion::control::{Controller, Gains, JointSpaceController, JointSpaceLaw};
/// use armdyn_numerics::PointToPoint;
/// let model = armdyn_core::examples::pendulum();
/// let hold = PointToPoint::new(vec![0.0], vec![0.0], 1.0)?;
/// let gains = Gains::new(vec![100.0], vec![20.0])?;
/// let mut controller = JointSpaceController::new(&model, &hold, JointSpaceLaw::PdGravity, gains)?;
/// let mut tau = [0.0];
/// controller.torque(0.0, &[0.0], &[0.0], &mut tau)?; // horizontal, at rest: the weight
/// assert!((tau[0] - 9.81).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct JointSpaceController<'a> {
    /// Without friction.
    model: Model<f64>,
    friction: Vec<Friction<f64>>,
    reference: Reference<'a>,
    law: JointSpaceLaw,
    gains: Gains,
    rnea: RneaData<f64>,
    zero: Vec<f64>,
    qdd: Vec<f64>,
}

impl<'a> JointSpaceController<'a> {
    /// A controller with a model, a trajectory to follow and gains for each degree of freedom.
    pub fn new(
        model: &Model<f64>,
        trajectory: &'a dyn ContinuousTrajectory,
        law: JointSpaceLaw,
        gains: Gains,
    ) -> Result<Self> {
        let n = model.nv();
        gains.require(n, "degrees of freedom")?;
        Ok(JointSpaceController {
            reference: Reference::new(model, trajectory)?,
            friction: model.friction().to_vec(),
            rnea: RneaData::new(model),
            model: model.without_friction(),
            law,
            gains,
            zero: vec![0.0; n],
            qdd: vec![0.0; n],
        })
    }
}

impl Controller for JointSpaceController<'_> {
    fn model(&self) -> Option<&Model<f64>> {
        Some(&self.model)
    }

    fn torque(&mut self, t: f64, q: &[f64], qd: &[f64], tau: &mut [f64]) -> Result<()> {
        require_lengths(&self.model, q, qd, tau)?;
        self.reference.evaluate(t);
        let (desired, gains, zero) = (&self.reference, &self.gains, &self.zero);
        let feedback = |i: usize| gains.feedback(i, desired.q[i] - q[i], desired.qd[i] - qd[i]);
        let (m, d) = (&self.model, &mut self.rnea);
        match self.law {
            JointSpaceLaw::Pd => tau.fill(0.0),
            JointSpaceLaw::PdGravity => rnea(m, d, q, zero, zero, tau)?,
            JointSpaceLaw::FeedForward => {
                rnea(m, d, &desired.q, &desired.qd, &desired.qdd, tau)?;
                for i in 0..tau.len() {
                    tau[i] += self.friction[i].torque(desired.qd[i]);
                }
            }
            JointSpaceLaw::ComputedTorque => {
                for i in 0..tau.len() {
                    self.qdd[i] = desired.qdd[i] + feedback(i);
                }
                rnea(m, d, q, qd, &self.qdd, tau)?;
                for i in 0..tau.len() {
                    tau[i] += self.friction[i].viscous_torque(qd[i]) + self.friction[i].dry_torque(desired.qd[i]);
                }
                return Ok(());
            }
        }
        (0..tau.len()).for_each(|i| tau[i] += feedback(i));
        Ok(())
    }
}
