//! Augmented bodies (Renaud 1987): a body with the mass of all bodies it carries concentrated at the origins of its children.
//!
//! `augmented mass K`, `augmented first K`, `augmented tensor K`: of body K, about its origin, in its axes.

use super::{Found, Scalar, Scene, Value};
use armdyn_core::{AugmentedData, augmented};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    match words {
        ["augmented", what, body] => Some(part(scene, what, body)),
        _ => None,
    }
}

fn part<S: Scalar>(scene: &Scene<S>, what: &str, body: &str) -> Result<Value<S>, String> {
    let (m, [q, qd, qdd]) = (&scene.model, &scene.state);
    let number = body.parse().ok().filter(|k| (1..=m.body_count()).contains(k));
    let number = number.ok_or_else(|| format!("`{body}` is none of {} bodies", m.body_count()))?;
    let mut d = AugmentedData::new(m);
    augmented(m, &mut d, q, qd, qdd, &mut vec![S::zero(); m.nv()]).map_err(|e| e.to_string())?;
    let star = d.body(number);
    match what {
        "mass" => Ok(star.mass.into()),
        "first" => Ok(star.first.into()),
        "tensor" => Ok(Value::matrix(3, star.second.to_rows().concat())),
        _ => Err(format!("`{what}`: mass, first, tensor")),
    }
}
