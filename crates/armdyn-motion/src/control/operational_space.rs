//! Controllers in operational space: they act on the pose of the tool.
//!
//! With x_d(t) the pose of the tool in the desired configuration q_d(t), e the error of position and orientation (a rotation vector)
//! in the base's axes, J the Jacobian of the tool:
//!
//!   computed torque:  τ = Jᵀ [M_x (ẍ_d + K_p e + K_d ė) + V_x + G_x] + Nᵀ τ₀           (1)
//!   impedance:        τ = Jᵀ (K_p e + K_d ė) + g(q) + Nᵀ τ₀                             (2)
//!   posture:          τ₀ = M(q) (k_p (q_d − q) + k_d (q̇_d − q̇)),   Nᵀ = 1 − Jᵀ J̄ᵀ        (3)
//!
//! (1): Khatib 1987, with the forms of Lin, Manipulator Dynamics, pp. 36–40. (2): Hogan 1985 without shaping the inertia; K_p is the stiffness that
//! the tool has, K_d its damping. (3) acts in the null space of redundant arms and moves no tool.
//!
//! Deviation: friction is not compensated in (2), so that it does not feed back through a stiff contact.

use super::gains::Gains;
use super::reference::Reference;
use super::{Controller, require_lengths};
use armdyn_core::{
    CartesianData, CrbaData, FrameMotionData, Friction, JacobianFrame, Model, Motion, Rate, RneaData, Task,
    TaskDirection, Tool, cartesian, crba, frame_motions, movable_directions, rnea,
};
use armdyn_numerics::{ContinuousTrajectory, Result, invalid};

/// How the force at the tool follows from the error of its pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OperationalSpaceLaw {
    /// Inverse dynamics of the tool with a corrected acceleration (1); gains in 1/s² and 1/s.
    ComputedTorque,
    /// A spring and a damper at the tool (2); gains in N/m, N m/rad and N s/m, N m s/rad.
    Impedance,
}

/// A controller in operational space.
///
/// ```
/// use armdyn_core::{BASE, Joint, Link, ModelBuilder, Tool, ToolSource, Transform};
/// use armdyn_motion::control::{Controller, Gains, OperationalSpaceController, OperationalSpaceLaw};
/// use armdyn_numerics::PointToPoint;
/// let mut robot = ModelBuilder::new("slide");
/// robot.add(BASE, Joint::prismatic("slide", [1.0, 0.0, 0.0]), Link::new("cart").body(2.0, [0.0; 3], [0.0; 6]));
/// let model = robot.build()?;
/// let tool = Tool { link: model.link("cart")?, pose: Transform::identity(), source: ToolSource::Given };
/// let hold = PointToPoint::new(vec![0.5], vec![0.5], 1.0)?;
/// let law = OperationalSpaceLaw::Impedance;
/// let mut controller = OperationalSpaceController::new(&model, tool, &hold, law, Gains::new(vec![300.0], vec![5.0])?)?;
/// let mut tau = [0.0];
/// controller.torque(0.0, &[0.4], &[0.2], &mut tau)?;
/// assert!((tau[0] - (300.0 * 0.1 - 5.0 * 0.2)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OperationalSpaceController<'a> {
    /// Without friction.
    model: Model<f64>,
    friction: Vec<Friction<f64>>,
    tool: Tool,
    directions: Vec<TaskDirection>,
    reference: Reference<'a>,
    law: OperationalSpaceLaw,
    gains: Gains,
    posture: Gains,
    cartesian: CartesianData<f64>,
    desired: FrameMotionData<f64>,
    measured: FrameMotionData<f64>,
    rnea: RneaData<f64>,
    crba: CrbaData<f64>,
    mass: Vec<f64>,
    zero: Vec<f64>,
    null: Vec<f64>,
}

impl<'a> OperationalSpaceController<'a> {
    /// A controller of a tool whose desired pose is that of the desired configuration. One pair of gains holds for all directions, two
    /// pairs for translations and for rotations, three and more for each of [`Self::directions`] in order. The gains of an
    /// impedance have different units for translations and rotations: one pair is an error for a tool that has both.
    ///
    /// The directions are those in which the tool can move at the start of the trajectory.
    pub fn new(
        model: &Model<f64>,
        tool: Tool,
        trajectory: &'a dyn ContinuousTrajectory,
        law: OperationalSpaceLaw,
        gains: Gains,
    ) -> Result<Self> {
        let n = model.nv();
        let mut reference = Reference::new(model, trajectory)?;
        reference.evaluate(0.0);
        let directions = movable_directions(model, &task(&tool, &TaskDirection::ALL), &reference.q)?;
        if directions.is_empty() {
            return invalid("the tool cannot move in any direction at the start of the trajectory");
        }
        let rotational = |d: &TaskDirection| usize::from(*d as usize >= 3);
        let both = directions.iter().any(|d| rotational(d) == 0) && directions.iter().any(|d| rotational(d) == 1);
        let pairs: Option<Vec<usize>> = match gains.len() {
            1 if both && law == OperationalSpaceLaw::Impedance => {
                return invalid(
                    "one gain of an impedance cannot be in N/m and in N m/rad; expected two, for translations and rotations of the tool",
                );
            }
            1 => Some(vec![0; directions.len()]),
            2 => Some(directions.iter().map(rotational).collect()),
            _ => None,
        };
        let gains = match pairs {
            Some(pairs) => {
                let each = |of: &[f64]| pairs.iter().map(|pair| of[*pair]).collect();
                Gains::new(each(gains.position()), each(gains.velocity()))?
            }
            None => gains,
        };
        gains.require(directions.len(), "directions of the tool")?;
        Ok(OperationalSpaceController {
            friction: model.friction().to_vec(),
            cartesian: CartesianData::new(model),
            desired: FrameMotionData::new(model),
            measured: FrameMotionData::new(model),
            rnea: RneaData::new(model),
            crba: CrbaData::new(model),
            model: model.without_friction(),
            posture: Gains::of_unit_mass(n, 5.0, 1.0)?,
            mass: vec![0.0; n * n],
            zero: vec![0.0; n],
            null: vec![0.0; n],
            tool,
            directions,
            reference,
            law,
            gains,
        })
    }

    /// With other gains \[1/s², 1/s\] of the posture (3), which is a natural frequency of 5 rad/s with critical damping by default.
    pub fn with_posture(mut self, posture: Gains) -> Result<Self> {
        posture.require(self.model.nv(), "degrees of freedom")?;
        self.posture = posture;
        Ok(self)
    }

    /// The components of the tool's motion that are controlled, in the base's axes.
    pub fn directions(&self) -> &[TaskDirection] {
        &self.directions
    }
}

/// Components of the motion of a tool in the base's axes.
fn task<'d>(tool: &Tool, directions: &'d [TaskDirection]) -> Task<'d> {
    let frame = JacobianFrame::LocalWorldAligned;
    Task { link: tool.link, at: Some(tool.pose), frame, directions, rate: Rate::Inertial }
}

impl Controller for OperationalSpaceController<'_> {
    fn model(&self) -> Option<&Model<f64>> {
        Some(&self.model)
    }

    fn torque(&mut self, t: f64, q: &[f64], qd: &[f64], tau: &mut [f64]) -> Result<()> {
        require_lengths(&self.model, q, qd, tau)?;
        self.reference.evaluate(t);
        let (m, n, k, to) = (&self.model, self.model.nv(), self.directions.len(), &self.reference);
        frame_motions(m, &mut self.desired, &to.q, &to.qd, &to.qdd)?;
        frame_motions(m, &mut self.measured, q, qd, &self.zero)?;
        let at = |d: &FrameMotionData<f64>| d.frame(m, self.tool.link, Some(&self.tool.pose));
        let (desired, measured) = (at(&self.desired)?, at(&self.measured)?);
        let turned = desired.pose.rotation.compose(&measured.pose.rotation.inverse()).rotation_vector();
        let error = Motion::new(turned, desired.pose.translation - measured.pose.translation).components();
        let rate = (desired.velocity - measured.velocity).components();
        let ahead = desired.acceleration.components();
        let task = task(&self.tool, &self.directions);
        let x = cartesian(m, &mut self.cartesian, &task, q, qd)?;
        // Components of a motion are angular first, directions are linear first.
        let component = |r: usize| (self.directions[r] as usize + 3) % 6;
        let feedback = |r: usize| self.gains.feedback(r, error[component(r)], rate[component(r)]);
        let mut force = [0.0; 6];
        match self.law {
            OperationalSpaceLaw::ComputedTorque => {
                for r in 0..k {
                    let inertial: f64 = (0..k).map(|c| x.mass[r * k + c] * (ahead[component(c)] + feedback(c))).sum();
                    force[r] = inertial + x.velocity[r] + x.gravity[r];
                }
                tau.fill(0.0);
            }
            OperationalSpaceLaw::Impedance => {
                (0..k).for_each(|r| force[r] = feedback(r));
                rnea(m, &mut self.rnea, q, &self.zero, &self.zero, tau)?;
            }
        }
        for j in 0..n {
            tau[j] += (0..k).map(|r| x.jacobian[r * n + j] * force[r]).sum::<f64>();
        }
        if self.law == OperationalSpaceLaw::ComputedTorque {
            for j in 0..n {
                tau[j] += self.friction[j].viscous_torque(qd[j]) + self.friction[j].dry_torque(to.qd[j]);
            }
        }
        if n > k {
            crba(m, &mut self.crba, q, &mut self.mass)?;
            let posture = |i: usize| self.posture.feedback(i, to.q[i] - q[i], to.qd[i] - qd[i]);
            for j in 0..n {
                self.null[j] = (0..n).map(|i| self.mass[j * n + i] * posture(i)).sum();
            }
            for r in 0..k {
                force[r] = (0..n).map(|j| x.inverse[j * k + r] * self.null[j]).sum();
            }
            for j in 0..n {
                tau[j] += self.null[j] - (0..k).map(|r| x.jacobian[r * n + j] * force[r]).sum::<f64>();
            }
        }
        Ok(())
    }
}
