//! Motion of a base on castors and fixed wheels due to its arm.
//!
//! At the state: `rolling acceleration` (forward, left, yaw), `rolling load C`, `rolling sideways` (the ground's force on
//! the axle), `rolling zmp`. After a time from the robot's motion, starting with the state's base velocities: `after T x`, `y`,
//! `heading`, `ahead`, `turning`, `castor`; `joint work`, `friction loss`, `energy gained`.

use super::dynamics::require_no_tool_wrench;
use super::{Found, Scalar, Scene, Value, in_numbers};
use crate::robot::Robot;
use armdyn_core::{Contact, Progress};
use armdyn_mobile::{Base, SimulationOptions, simulate};
use armdyn_numerics::FunctionTrajectory;

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    Some(match words {
        ["rolling", what @ ..] => in_numbers(scene, |scene| instant(scene, what)),
        ["after", time, what @ ..] => in_numbers(scene, |scene| after(scene, time, what)),
        _ => return None,
    })
}

fn base(robot: &Robot) -> Result<Base, String> {
    let incomplete = |c: &&Contact| {
        let lateral = [c.friction.static_friction, c.friction.sliding_friction];
        c.friction.rolling_resistance.is_none() || c.kind.is_directed() && lateral.contains(&None)
    };
    if let Some(c) = robot.model.contacts().iter().find(incomplete) {
        return Err(format!("contact `{}` lacks a friction coefficient", c.name));
    }
    Base::rolling(robot.model.contacts().to_vec()).map_err(|e| e.to_string())
}

fn twist(scene: &Scene<f64>) -> [f64; 6] {
    let [ahead, left, turning] = [0, 1, 2].map(|k| scene.base[0].get(k).copied().unwrap_or(0.0));
    [ahead, left, 0.0, 0.0, 0.0, turning]
}

fn instant(scene: &Scene<f64>, what: &[&str]) -> Result<Value<f64>, String> {
    require_no_tool_wrench(scene)?;
    let (base, [q, qd, qdd]) = (base(&scene.robot)?, &scene.state);
    let state =
        base.forward_dynamics(&scene.model, 0.0, (q, qd, qdd), 0.0, &twist(scene)).map_err(|e| e.to_string())?;
    match what {
        ["acceleration"] => {
            let (a, alpha) = (state.linear_acceleration, state.angular_acceleration);
            Ok(Value::column(vec![a[0], a[1], alpha[2]]))
        }
        ["sideways"] => state.lateral_force.map(Into::into).ok_or("the base has no axle that can slip".to_string()),
        ["zmp"] => state.zmp.map(|p| Value::column(p.to_vec())).ok_or("the base floats".to_string()),
        ["load", name @ ..] => {
            let name = name.join(" ");
            let at = base.wheels().iter().position(|w| w.name == name);
            at.and_then(|k| state.wheel_loads.get(k))
                .map(|w| (*w).into())
                .ok_or_else(|| format!("unknown wheel `{name}`"))
        }
        _ => Err(format!("`{}`: acceleration, sideways, zmp, load WHEEL", what.join(" "))),
    }
}

fn after(scene: &Scene<f64>, time: &str, what: &[&str]) -> Result<Value<f64>, String> {
    require_no_tool_wrench(scene)?;
    let motion = scene.robot.motion.as_ref().ok_or("the robot has no motion")?;
    let time = time
        .parse()
        .ok()
        .filter(|t: &f64| t.is_finite() && *t > 0.0)
        .ok_or_else(|| format!("`{time}` is not a time"))?;
    motion.at(time)?;
    let arm = FunctionTrajectory::new(time, |t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]| {
        let state = motion.at(t).unwrap_or_default();
        for (to, from) in [q, qd, qdd].into_iter().zip(state) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from);
        }
    });
    let options = SimulationOptions { twist: twist(scene), rate: 1.0 / time, ..SimulationOptions::default() };
    let run =
        simulate(&scene.model, &base(&scene.robot)?, &arm, &options, &Progress::none()).map_err(|e| e.to_string())?;
    let end = run.end();
    let found = match what {
        ["x"] => end.position[0],
        ["y"] => end.position[1],
        ["heading"] => end.heading,
        ["ahead"] => end.linear_velocity[0],
        ["turning"] => end.angular_velocity[2],
        ["castor"] => end.castor_angles.first().copied().ok_or("there is no castor")?,
        ["joint", "work"] => run.energy.joint_work,
        ["friction", "loss"] => run.energy.friction_loss,
        ["energy", "gained"] => run.energy.energy_change,
        _ => return Err(format!("`{}`: x, y, heading, ahead, turning, castor, joint work, …", what.join(" "))),
    };
    Ok(found.into())
}
