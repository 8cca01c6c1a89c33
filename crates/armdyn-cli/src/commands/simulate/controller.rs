//! The controller of a simulation, from the arguments.

use super::setup;
use crate::args::{ControllerKind, Simulate, TorqueDriven};
use crate::format::{many, number};
use crate::robot::{open, with_payload};
use crate::values::finite;
use crate::{CommandError, args};
use armdyn_core::Model;
use armdyn_motion::Controller;
use armdyn_motion::control::{
    AdaptiveController, AdaptiveOptions, Gains, GravityCompensation, JointSpaceController, JointSpaceLaw,
    OperationalSpaceController, OperationalSpaceLaw,
};
use armdyn_motion::simulation::Sampling;
use armdyn_numerics::ContinuousTrajectory;
use std::f64::consts::TAU;

/// Default natural frequency of the closed loop \[Hz\].
const FREQUENCY: f64 = 2.0;

/// The controller, and its name in words; none for free motion.
pub type Named<'a> = (Option<Box<dyn Controller + 'a>>, String);

/// The model of the controller: that of the robot, or with the payload of `--model-payload`.
pub fn model(m: &Model<f64>, args: &Simulate) -> Result<Model<f64>, CommandError> {
    let model = match &args.arm.model_payload {
        Some(payload) => {
            let bare = open(&args::Robot { payload: vec![], ..args.robot.clone() }, args.deg)?;
            with_payload(&bare, "--model-payload", payload)?
        }
        None => m.clone(),
    };
    Ok(setup::with_gravity_of_base(&model, args))
}

/// Builds the controller of `--controller`, with its own model, for a trajectory to follow.
pub fn build<'a>(
    m: &'a Model<f64>,
    args: &Simulate,
    trajectory: Option<&'a dyn ContinuousTrajectory>,
) -> Result<Named<'a>, CommandError> {
    let own = &args.arm;
    let Some(kind) = own.controller else { return Ok((None, String::new())) };
    reject_other_options(kind, own)?;
    if kind == ControllerKind::None {
        return Ok((None, "free motion".to_string()));
    }
    let rate = format!("at {} Hz", number(rate(own)));
    if kind == ControllerKind::Gravity {
        return Ok((Some(Box::new(GravityCompensation::new(m))), format!("gravity compensation {rate}")));
    }
    let to = trajectory.ok_or("this controller follows a motion: pass `--trajectory FILE` or `--move`")?;
    let joint_space = |law: JointSpaceLaw| -> Result<Box<dyn Controller + 'a>, CommandError> {
        let gains = joint_gains(m, args, to, law.gains_per_unit_mass())?;
        Ok(Box::new(JointSpaceController::new(m, to, law, gains)?))
    };
    let tool_space = |law: OperationalSpaceLaw, gains: Gains| -> Result<Box<dyn Controller + 'a>, CommandError> {
        let tool = m.tool()?;
        let controller = OperationalSpaceController::new(m, tool, to, law, gains);
        let controller = controller.map_err(|e| match args.arm.kp {
            Some(_) => CommandError::from(format!("`--kp`, `--kd`: {e}")),
            None => e.into(),
        });
        Ok(Box::new(controller?))
    };
    let (controller, name) = match kind {
        ControllerKind::Pd => (joint_space(JointSpaceLaw::Pd)?, "PD control"),
        ControllerKind::PdGravity => (joint_space(JointSpaceLaw::PdGravity)?, "PD control and gravity compensation"),
        ControllerKind::FeedForward => (joint_space(JointSpaceLaw::FeedForward)?, "feed-forward and PD control"),
        ControllerKind::ComputedTorque => (joint_space(JointSpaceLaw::ComputedTorque)?, "computed torque"),
        ControllerKind::OperationalSpace => {
            let (frequency, damping) = response(args)?;
            let gains = given_gains(args, &[])?.map_or_else(|| Gains::of_unit_mass(1, frequency, damping), Ok)?;
            (tool_space(OperationalSpaceLaw::ComputedTorque, gains)?, "computed torque in operational space")
        }
        ControllerKind::Impedance => {
            let missing = "`--controller impedance` requires the stiffness and damping of the tool: `--kp` and `--kd`, each for \
                           translations and rotations, such as `--kp 500,20 --kd 50,2`";
            let gains = given_gains(args, &[])?.ok_or(missing)?;
            (tool_space(OperationalSpaceLaw::Impedance, gains)?, "impedance control")
        }
        ControllerKind::Adaptive => (adaptive(m, args, to)?, "adaptive control"),
        ControllerKind::None | ControllerKind::Gravity => unreachable!("returned above"),
    };
    Ok((Some(controller), format!("{name} {rate}")))
}

/// Samples per second.
pub fn rate(args: &TorqueDriven) -> f64 {
    args.controller_rate.unwrap_or(Sampling::default().rate)
}

/// Options that a controller does not use are an error: nothing is ignored in silence.
fn reject_other_options(kind: ControllerKind, args: &TorqueDriven) -> Result<(), CommandError> {
    use ControllerKind::{Adaptive, Gravity, Impedance, None};
    let unused =
        |option: &'static str, given: bool, by: &[ControllerKind]| (given && by.contains(&kind)).then_some(option);
    let others = [
        unused("--frequency", args.frequency.is_some(), &[None, Gravity, Impedance]),
        unused("--damping", args.damping.is_some(), &[None, Gravity, Impedance, Adaptive]),
        unused("--kp", args.kp.is_some(), &[None, Gravity, Adaptive]),
        unused("--controller-rate", args.controller_rate.is_some(), &[None]),
        unused("--delay", args.delay.is_some(), &[None]),
        unused("--resolution", args.resolution.is_some(), &[None]),
        unused("--model-payload", args.model_payload.is_some(), &[None]),
        (args.adaptation.is_some() && kind != Adaptive).then_some("--adaptation"),
    ];
    match others.into_iter().flatten().next() {
        Some(option) => Err(format!("`{option}` does not apply to this `--controller`; remove it").into()),
        Option::None => Ok(()),
    }
}

/// The gains of `--kp` and `--kd`: for each of these joints, or one for all; without joints, as many as given, for the tool.
fn given_gains(args: &Simulate, joints: &[String]) -> Result<Option<Gains>, CommandError> {
    let (Some(kp), Some(kd)) = (&args.arm.kp, &args.arm.kd) else { return Ok(None) };
    let (mut kp, mut kd) = (gains("--kp", kp, joints)?, gains("--kd", kd, joints)?);
    let count = if joints.is_empty() { kp.len().max(kd.len()) } else { joints.len() };
    for gains in [&mut kp, &mut kd] {
        if let [one] = gains[..] {
            gains.resize(count, one);
        }
    }
    if kp.len() != kd.len() {
        let [kp, kd] = [kp, kd].map(|gains| many(gains.len(), "value"));
        return Err(format!("`--kp` has {kp}, but `--kd` {kd}; expected as many of both, or one").into());
    }
    Ok(Some(Gains::new(kp, kd)?))
}

/// The values of an option, one for each of these joints or one for all; without joints, any number of them.
fn gains(option: &str, text: &str, joints: &[String]) -> Result<Vec<f64>, CommandError> {
    let parts: Vec<&str> = text.split(',').collect();
    let n = joints.len();
    if n > 0 && parts.len() != 1 && parts.len() != n {
        let (found, joints) = (many(parts.len(), "value"), joints.join(", "));
        return Err(format!("`{option}` has {found}; expected one for all joints, or {n} ({joints})").into());
    }
    let value = |(k, part): (usize, &&str)| {
        let place = match (parts.len(), joints.get(k)) {
            (1, _) => String::new(),
            (_, Some(joint)) => format!(", joint `{joint}`"),
            (_, None) => format!(", value {}", k + 1),
        };
        let value = finite(part).and_then(|x| match x < 0.0 {
            true => Err(format!("`{}` is negative; expected a gain of at least 0", part.trim())),
            false => Ok(x),
        });
        value.map_err(|e| format!("`{option}`{place}: {e}").into())
    };
    parts.iter().enumerate().map(value).collect()
}

/// The natural frequency \[rad/s\] and the damping ratio of `--frequency` and `--damping`.
fn response(args: &Simulate) -> Result<(f64, f64), CommandError> {
    let frequency = args.arm.frequency.unwrap_or(FREQUENCY);
    if !(frequency.is_finite() && frequency > 0.0) {
        return Err(format!("invalid `--frequency {frequency}`: expected a frequency above 0 Hz").into());
    }
    let damping = args.arm.damping.unwrap_or(1.0);
    if !(damping.is_finite() && damping >= 0.0) {
        return Err(format!("invalid `--damping {damping}`: expected a damping ratio of at least 0").into());
    }
    Ok((TAU * frequency, damping))
}

/// The configuration at the start of a trajectory.
fn start(m: &Model<f64>, to: &dyn ContinuousTrajectory) -> Vec<f64> {
    let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; m.nv()]);
    to.at(0.0, &mut q, &mut qd, &mut qdd);
    q
}

fn joint_gains(
    m: &Model<f64>,
    args: &Simulate,
    to: &dyn ContinuousTrajectory,
    unit_mass: bool,
) -> Result<Gains, CommandError> {
    if let Some(gains) = given_gains(args, m.dof_names())? {
        return Ok(gains);
    }
    let (frequency, damping) = response(args)?;
    Ok(match unit_mass {
        true => Gains::of_unit_mass(m.nv(), frequency, damping)?,
        false => Gains::of_joints(m, &start(m, to), frequency, damping)?,
    })
}

fn adaptive<'a>(
    m: &'a Model<f64>,
    args: &Simulate,
    to: &'a dyn ContinuousTrajectory,
) -> Result<Box<dyn Controller + 'a>, CommandError> {
    let (frequency, _) = response(args)?;
    let options = AdaptiveOptions::of_joints(m, &start(m, to), frequency, args.arm.adaptation.unwrap_or(1.0))?;
    Ok(Box::new(AdaptiveController::new(m, to, options)?))
}
