//! Drive parameters.
//!
//! `gear 2`: gear ratio of degree of freedom 2; `effort 2`: its effort limit.

use super::dynamics::member;
use crate::scalar::Scalar;
use crate::scene::Scene;
use crate::value::Value;

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Option<Result<Value<S>, String>> {
    let m = &scene.robot.model;
    let gear = |dof: usize| m.rotors().iter().find_map(|r| r.gear.iter().find(|g| g.0.index() == dof).map(|g| g.1));
    Some(match words {
        ["gear", i] => member(&(0..m.nv()).map(|k| S::lift(gear(k).unwrap_or(1.0))).collect::<Vec<S>>(), i),
        ["effort", i] => member(&m.limits().iter().map(|l| S::lift(l.effort)).collect::<Vec<S>>(), i),
        _ => return None,
    })
}
