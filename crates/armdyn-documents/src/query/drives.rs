//! Drive parameters of a degree of freedom, with the robot's own parameters.
//!
//! `gear 2`: gear ratio of degree of freedom 2; `effort 2`: its effort limit; `friction 2`: its friction torque at the state's
//! velocity; `viscous 2`, `coulomb 2`: its friction coefficients; `static 2`: the largest static friction.

use super::{Found, Scalar, Scene};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    let [kind @ ("gear" | "effort" | "friction" | "viscous" | "coulomb" | "static"), number] = words else {
        return None;
    };
    let m = &scene.robot.model;
    let dof = number.parse::<usize>().ok().and_then(|k| k.checked_sub(1)).filter(|k| *k < m.nv());
    let Some(dof) = dof else { return Some(Err(format!("there are {} degrees of freedom", m.nv()))) };
    let f = m.friction()[dof];
    let gear = || m.rotors().iter().find_map(|r| r.gear.iter().find(|g| g.0.index() == dof).map(|g| g.1));
    Some(Ok(match *kind {
        "gear" => S::lift(gear().unwrap_or(1.0)),
        "effort" => S::lift(m.limits()[dof].effort.upper),
        "friction" => f.map(S::lift).torque(scene.state[1][dof]),
        "viscous" => S::lift(f.viscous),
        "coulomb" => S::lift(f.coulomb_forward),
        _ => S::lift(f.coulomb_forward + f.stribeck),
    }
    .into()))
}
