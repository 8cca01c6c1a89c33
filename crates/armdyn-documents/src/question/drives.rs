//! What the drives are.
//!
//! `gear 2`: turns of the rotor of degree of freedom 2 for one of its joint; `effort 2`: the greatest torque or force there.

use super::dynamics::member;
use crate::scene::Scene;
use crate::setting::Scalar;
use crate::value::Value;

/// The answer, if it is such a question.
pub fn answer<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Option<Result<Value<S>, String>> {
    let m = &scene.robot.model;
    let gear = |dof: usize| m.rotors().iter().find_map(|r| r.gear.iter().find(|g| g.0.index() == dof).map(|g| g.1));
    Some(match words {
        ["gear", i] => member(&(0..m.nv()).map(|k| S::lift(gear(k).unwrap_or(1.0))).collect::<Vec<S>>(), i),
        ["effort", i] => member(&m.limits().iter().map(|l| S::lift(l.effort)).collect::<Vec<S>>(), i),
        _ => return None,
    })
}
