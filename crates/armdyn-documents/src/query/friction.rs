//! Friction of a degree of freedom, with the robot's own parameters: `friction 1`, its torque at the state's velocity; `viscous 1`,
//! `coulomb 1`: its coefficients; `static 1`: the largest static friction.

use crate::scalar::Scalar;
use crate::scene::Scene;
use crate::value::Value;

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Option<Result<Value<S>, String>> {
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
