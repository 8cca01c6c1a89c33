//! Augmented bodies (Renaud 1987): a body with the mass of all that it carries put where its children begin.
//!
//! `augmented mass K`, `augmented first K`, `augmented tensor K`: of body K, about its origin, in its axes; `tau by augmented`.

use super::dynamics::push;
use crate::scene::Scene;
use crate::setting::Scalar;
use crate::value::Value;
use armdyn::{AugmentedData, augmented};

/// The answer, if it is such a question.
pub fn answer<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Option<Result<Value<S>, String>> {
    Some(match words {
        ["tau", "by", "augmented"] => computed(scene).map(|(_, tau)| Value::column(tau)),
        ["augmented", what, body] => part(scene, what, body),
        _ => return None,
    })
}

fn computed<S: Scalar>(scene: &Scene<S>) -> Result<(AugmentedData<S>, Vec<S>), String> {
    let (m, [q, qd, qdd]) = (&scene.model, &scene.state);
    let mut d = AugmentedData::new(m);
    push(scene, &mut d.boundary)?;
    let mut tau = vec![S::zero(); m.nv()];
    augmented(m, &mut d, q, qd, qdd, &mut tau).map_err(|e| e.to_string())?;
    Ok((d, tau))
}

fn part<S: Scalar>(scene: &Scene<S>, what: &str, body: &str) -> Result<Value<S>, String> {
    let number = body.parse().ok().filter(|k| *k <= scene.model.body_count());
    let number = number.ok_or_else(|| format!("`{body}` is none of {} bodies", scene.model.body_count()))?;
    let (d, _) = computed(scene)?;
    let star = d.body(number);
    match what {
        "mass" => Ok(star.mass.into()),
        "first" => Ok(star.first.into()),
        "tensor" => Ok(Value::matrix(3, star.second.to_rows().concat())),
        _ => Err(format!("`{what}`: mass, first, tensor")),
    }
}
