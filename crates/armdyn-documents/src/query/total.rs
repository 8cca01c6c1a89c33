//! The whole robot, base and links.
//!
//! `total mass`, `total first` (moment), `total centre`, `total centre rate`, `total centre acceleration`, `total inertia`: about
//! the base's origin, in its axes; rates along the state.

use super::{Found, Scalar, Scene, Value};
use crate::motion::{Moving, acceleration, rate, value};
use armdyn_core::{Inertia, KinematicsData, kinematics};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    match words {
        ["total", what @ ..] => Some(total(scene, what)),
        _ => None,
    }
}

fn total<S: Scalar>(scene: &Scene<S>, what: &[&str]) -> Result<Value<S>, String> {
    let (model, q) = scene.over_time()?;
    let mut d = KinematicsData::new(&model);
    kinematics(&model, &mut d, &q).map_err(|e| e.to_string())?;
    let bodies = model.base_to_tip().map(|(k, b)| b.inertia.transformed(&d.poses()[k]));
    let all: Inertia<Moving<S>> = bodies.fold(*model.base_inertia(), |sum, body| sum + body);
    let order: fn(Moving<S>) -> S = match what {
        ["mass"] => return Ok(value(all.mass).into()),
        ["first"] => return Ok(Value::column(all.first.to_array().map(value).to_vec())),
        ["inertia"] => return Ok(Value::matrix(3, all.second.map(value).to_rows().concat())),
        ["centre"] => value,
        ["centre", "rate"] => rate,
        ["centre", "acceleration"] => acceleration,
        _ => return Err(format!("`{}`: mass, first, centre [rate | acceleration], inertia", what.join(" "))),
    };
    let (mass, first) = (value(all.mass), all.first);
    Ok(Value::column([first.x, first.y, first.z].iter().map(|x| order(*x) / mass).collect()))
}
