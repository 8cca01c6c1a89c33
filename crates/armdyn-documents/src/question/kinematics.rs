//! Where the links are.
//!
//! `position L [in F]`: the origin of link L's frame in link F's frame, the base's unless said; `rotation L [in F]`: its axes.

use crate::scene::Scene;
use crate::setting::Scalar;
use crate::value::Value;
use armdyn::{KinematicsData, Rotation, Transform, kinematics};

/// The answer, if it is such a question.
pub fn answer<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Option<Result<Value<S>, String>> {
    Some(match words {
        ["position", link, rest @ ..] => pose(scene, link, rest).map(|x| x.translation.into()),
        ["rotation", link, rest @ ..] => pose(scene, link, rest).map(|x| matrix(&x.rotation)),
        _ => return None,
    })
}

/// The pose of a link in the frame that the words behind it name.
pub fn pose<S: Scalar>(scene: &Scene<S>, link: &str, rest: &[&str]) -> Result<Transform<S>, String> {
    let m = &scene.model;
    let mut d = KinematicsData::new(m);
    kinematics(m, &mut d, &scene.state[0]).map_err(|e| e.to_string())?;
    let of = |link: &str| m.link(link).and_then(|l| d.link_pose(m, l)).map_err(|e| e.to_string());
    match rest {
        [] => of(link),
        ["in", frame] => Ok(of(frame)?.inverse().compose(&of(link)?)),
        _ => Err(format!("`{}` should read `in LINK`", rest.join(" "))),
    }
}

/// As a matrix.
pub fn matrix<S: Scalar>(r: &Rotation<S>) -> Value<S> {
    Value::matrix(3, r.to_rows().concat())
}
