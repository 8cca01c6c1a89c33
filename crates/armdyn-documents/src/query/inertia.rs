//! Mass and inertia of a link.
//!
//! `mass L`; `inertia L`, `inertia L about origin`: the tensor about the centre of mass, or about the origin of the link's frame,
//! in its axes; `inertia L in F`: about the origin of frame F, in its axes. Links fixed to it are included.

use super::frames::Frames;
use super::{Found, Scalar, Scene, Value};
use armdyn_core::{Inertia, Sym3, Transform};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    Some(match words {
        ["mass", link] => in_frame(scene, link, link).map(|i| i.mass.into()),
        ["inertia", link] => in_frame(scene, link, link).map(|i| matrix(i.central())),
        ["inertia", link, "about", "origin"] => in_frame(scene, link, link).map(|i| matrix(i.second)),
        ["inertia", link, "in", frame] => in_frame(scene, link, frame).map(|i| matrix(i.second)),
        _ => return None,
    })
}

/// The inertia of a link's body in the frame of a link or joint.
pub fn in_frame<S: Scalar>(scene: &Scene<S>, link: &str, frame: &str) -> Result<Inertia<S>, String> {
    let (m, frames) = (&scene.model, Frames::at(scene)?);
    let body = m.links()[m.link(link).map_err(|e| e.to_string())?].body;
    let own = if body == 0 { m.base_inertia() } else { &m.body(body).inertia };
    let seen: Transform<S> = frames.of(frame)?.inverse().compose(&frames.body(body));
    Ok(own.transformed(&seen))
}

fn matrix<S: Scalar>(t: Sym3<S>) -> Value<S> {
    Value::matrix(3, t.to_rows().concat())
}
