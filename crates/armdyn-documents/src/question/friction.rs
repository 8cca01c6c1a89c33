//! Friction of a degree of freedom, of the robot's own figures: `friction 1`, what it takes at the state's speed; `viscous 1`,
//! `coulomb 1`: its coefficients; `static 1`: the most that it can hold at rest.

use crate::scene::Scene;
use crate::setting::Scalar;
use crate::value::Value;

/// The answer, if it is such a question.
pub fn answer<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Option<Result<Value<S>, String>> {
    let [kind @ ("friction" | "viscous" | "coulomb" | "static"), number] = words else { return None };
    let all = scene.robot.model.friction();
    let dof = number.parse::<usize>().ok().and_then(|k| k.checked_sub(1)).filter(|k| *k < all.len());
    let Some(dof) = dof else { return Some(Err(format!("there are {} degrees of freedom", all.len()))) };
    let f = all[dof];
    Some(Ok(match *kind {
        "friction" => f.map(S::lift).torque(scene.state[1][dof]),
        "viscous" => S::lift(f.viscous),
        "coulomb" => S::lift(f.coulomb_forward),
        _ => S::lift(f.coulomb_forward + f.stribeck),
    }
    .into()))
}
