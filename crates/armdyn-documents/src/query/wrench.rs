//! Joint wrenches: all six components.
//!
//! `force 2 [in F]`, `torque 2 [in F]`: the wrench of the second moving joint on its child link, by the recursion, in
//! the frame F of a link or joint (axes and reference point), default the child link. `force 2 of
//! inertial K J`, `centrifugal K J`, `coriolis K L J`, `gravity J`: its term, in the joint's frame, due to
//! joints K and L through link J, by the closed form.

use super::dynamics::add_tool_wrench;
use super::frames::Frames;
use super::{Found, Scalar, Scene};
use armdyn_core::{ClosedFormData, Force, JointId, RneaData, Term, WrenchFrame, closed_form, rnea};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    let [what @ ("force" | "torque"), joint, rest @ ..] = words else { return None };
    let found = number(scene, joint).and_then(|joint| match rest {
        ["of", kind, numbers @ ..] => term(scene, joint, kind, numbers),
        _ => whole(scene, joint, rest),
    });
    Some(found.map(|f| if *what == "force" { f.force.into() } else { f.moment.into() }))
}

/// The index of a moving joint in the model.
fn number<S>(scene: &Scene<S>, word: &str) -> Result<JointId, String> {
    let m = &scene.robot.model;
    let moving: Vec<JointId> = m.joint_ids().filter(|k| !m.joints()[*k].bodies.is_empty()).collect();
    let at = word.parse::<usize>().ok().and_then(|k| moving.get(k.checked_sub(1)?).copied());
    at.ok_or_else(|| format!("`{word}` is not a number from 1 to {} joints", moving.len()))
}

fn whole<S: Scalar>(scene: &Scene<S>, joint: JointId, rest: &[&str]) -> Result<Force<S>, String> {
    let (m, [q, qd, qdd]) = (&scene.model, &scene.state);
    let frames = Frames::at(scene)?;
    let frame = if rest.is_empty() { frames.link(m.joints()[joint].child) } else { frames.named(rest)? };
    let mut d = RneaData::new(m);
    add_tool_wrench(scene, &mut d.boundary)?;
    rnea(m, &mut d, q, qd, qdd, &mut vec![S::zero(); m.nv()]).map_err(|e| e.to_string())?;
    let pairs = d.wrenches(m, joint, WrenchFrame::World).map_err(|e| e.to_string())?;
    let last = pairs.last().ok_or("the joint has no wrench")?;
    Ok(frame.force_back(last.total))
}

fn term<S: Scalar>(scene: &Scene<S>, joint: JointId, kind: &str, numbers: &[&str]) -> Result<Force<S>, String> {
    let (m, [q, qd, qdd]) = (&scene.model, &scene.state);
    let at = numbers.iter().map(|word| Ok(number(scene, word)?.index())).collect::<Result<Vec<usize>, String>>()?;
    let term = match (kind, &at[..]) {
        ("inertial", &[k, j]) => Term::Inertial { k, j },
        ("centrifugal", &[k, j]) => Term::Centrifugal { k, j },
        ("coriolis", &[k, l, j]) => Term::Coriolis { k, l, j },
        ("gravity", &[j]) => Term::Gravity { j },
        _ => return Err("inertial K J, centrifugal K J, coriolis K L J, gravity J".to_string()),
    };
    let mut d = ClosedFormData::new(m);
    closed_form(m, &mut d, q, qd, qdd, &mut vec![S::zero(); m.nv()]).map_err(|e| e.to_string())?;
    let none = || "no such term: the joints are not in that order between base and link".to_string();
    d.term(joint.index(), term).ok_or_else(none)
}
