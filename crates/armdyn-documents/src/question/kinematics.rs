//! Where the links are.
//!
//! `position P [in F]`: where a point is in frame F, the base's unless said; `rotation L [in F]`: link L's axes there. P is the
//! origin of a link's frame, `L`, or the centre of mass of all that moves with it, `centre L`. L and F may be joints as well
//! (see `frames`).

use super::frames::Frames;
use crate::scene::Scene;
use crate::setting::Scalar;
use crate::value::Value;

/// The answer, if it is such a question.
pub fn answer<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Option<Result<Value<S>, String>> {
    match words {
        ["position" | "rotation", ..] => Some(Frames::at(scene).and_then(|frames| frames.place(words))),
        _ => None,
    }
}
