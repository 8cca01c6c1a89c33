//! Charts of a trajectory against its limits, one for each joint.

use super::MotionLimits;
use armdyn_core::Model;
use armdyn_numerics::Trajectory;
use armdyn_plot::{Axis, Chart, Panels};

/// A quantity over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionQuantity {
    /// Positions.
    Position,
    /// Velocities.
    Velocity,
    /// Accelerations.
    Acceleration,
    /// Torques or forces.
    Torque,
}

/// A quantity of each joint over time, with its limits. Torques have one row per sample; angles are in degrees if `deg`.
pub fn panels(
    m: &Model<f64>,
    trajectory: &Trajectory,
    torques: &[f64],
    limits: &MotionLimits,
    quantity: MotionQuantity,
    deg: bool,
) -> Panels {
    let n = m.nv();
    let (name, values) = match quantity {
        MotionQuantity::Position => ("position", &trajectory.q[..]),
        MotionQuantity::Velocity => ("velocity", &trajectory.qd[..]),
        MotionQuantity::Acceleration => ("acceleration", &trajectory.qdd[..]),
        MotionQuantity::Torque => ("torque", torques),
    };
    let panels = Panels::new(format!("{}: {name} and its limits", m.name()), 2);
    (0..n).fold(panels, |panels, i| {
        let rotational = m.is_rotational(i);
        let scale = if deg && rotational && quantity != MotionQuantity::Torque { 1f64.to_degrees() } else { 1.0 };
        let position = if !rotational {
            "m"
        } else if deg {
            "°"
        } else {
            "rad"
        };
        let (unit, range) = match quantity {
            MotionQuantity::Position => (position.to_string(), limits.position[i]),
            MotionQuantity::Velocity => (format!("{position}/s"), (-limits.drive.speed[i], limits.drive.speed[i])),
            MotionQuantity::Acceleration => {
                (format!("{position}/s²"), (-limits.acceleration[i], limits.acceleration[i]))
            }
            MotionQuantity::Torque => {
                let effort = limits.drive.effort[i];
                ((if rotational { "N m" } else { "N" }).to_string(), (effort.lower, effort.upper))
            }
        };
        let name = if quantity == MotionQuantity::Torque && !rotational { "force" } else { name };
        let points = trajectory.t.iter().zip(values.iter().skip(i).step_by(n)).map(|(t, x)| (*t, x * scale));
        panels.chart(within_limits(
            &m.dof_names()[i],
            Axis::new(name, unit),
            points,
            [range.0 * scale, range.1 * scale],
        ))
    })
}

/// A quantity of a joint over time, with the limits that it has.
pub(crate) fn within_limits(
    joint: &str,
    quantity: Axis,
    points: impl Iterator<Item = (f64, f64)>,
    limits: [f64; 2],
) -> Chart {
    let chart = Chart::new(joint, Axis::new("time", "s"), quantity).curve("", points);
    limits.into_iter().filter(|x| x.is_finite()).fold(chart, |chart, limit| chart.level("", limit))
}
