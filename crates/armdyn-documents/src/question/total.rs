//! The whole robot, base and links.
//!
//! `total mass`, `total first` (moment), `total centre`, `total centre rate`, `total centre acceleration`, `total inertia`: about
//! the base's origin, in its axes; rates along the state.

use crate::motion::{Moving, moving};
use crate::scene::Scene;
use crate::setting::Scalar;
use crate::value::Value;
use armdyn::{Inertia, KinematicsData, Model, Real, kinematics};

/// The answer, if it is such a question.
pub fn answer<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Option<Result<Value<S>, String>> {
    match words {
        ["total", what @ ..] => Some(total(scene, what)),
        _ => None,
    }
}

/// A number at the time.
pub fn value<S: Real>(x: Moving<S>) -> S {
    x.value.value
}

/// Its rate.
pub fn rate<S: Real>(x: Moving<S>) -> S {
    x.value.grad[0]
}

/// Its second rate.
pub fn second<S: Real>(x: Moving<S>) -> S {
    x.grad[0].grad[0]
}

/// A model as the time goes by, and where its bodies are.
pub type Moved<S> = (Model<Moving<S>>, KinematicsData<Moving<S>>);

/// A robot along its state.
pub fn moved<S: Scalar>(scene: &Scene<S>) -> Result<Moved<S>, String> {
    let [q, qd, qdd] = &scene.state;
    if q.len() != scene.model.nq() {
        return Err("a coordinate's rate is not its derivative here".to_string());
    }
    let model = scene.model.map(|x| moving(x, S::zero(), S::zero()));
    let q: Vec<Moving<S>> = (0..q.len()).map(|k| moving(q[k], qd[k], qdd[k])).collect();
    let mut d = KinematicsData::new(&model);
    kinematics(&model, &mut d, &q).map_err(|e| e.to_string())?;
    Ok((model, d))
}

fn total<S: Scalar>(scene: &Scene<S>, what: &[&str]) -> Result<Value<S>, String> {
    let (model, d) = moved(scene)?;
    let bodies = model.base_to_tip().map(|(k, b)| b.inertia.seen_from(&d.poses()[k]));
    let all: Inertia<Moving<S>> = bodies.fold(*model.base_inertia(), |sum, body| sum + body);
    let order: fn(Moving<S>) -> S = match what {
        ["mass"] => return Ok(value(all.mass).into()),
        ["first"] => return Ok(Value::column(all.first.to_array().map(value).to_vec())),
        ["inertia"] => return Ok(Value::matrix(3, all.second.map(value).to_rows().concat())),
        ["centre"] => value,
        ["centre", "rate"] => rate,
        ["centre", "acceleration"] => second,
        _ => return Err(format!("`{}`: mass, first, centre [rate | acceleration], inertia", what.join(" "))),
    };
    let (mass, first) = (value(all.mass), all.first);
    Ok(Value::column([first.x, first.y, first.z].iter().map(|x| order(*x) / mass).collect()))
}
