//! Velocities and accelerations of links and points, relative to the base.
//!
//! `speed P [in F]`, `acceleration P [in F]`: of a point, in F's axes, default the base; `spin L [in F]`, `turn L [in F]`:
//! angular velocity and acceleration. A point P is the origin of a link's frame, `L`; the centre of mass of
//! its body, `centre L`; or that of one of its parts, `part NAME`, whose position is `position part NAME [in F]`.

use super::frames::Frames;
use super::inertia::in_frame;
use super::{Found, Scalar, Scene, Value};
use armdyn_core::{KinematicsData, LinkId, Motion, Vec3, kinematics};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    let (kind, rest) = words.split_first()?;
    let end = rest.iter().position(|w| *w == "in").unwrap_or(rest.len());
    let (of, frame) = rest.split_at(end);
    let applies = match (*kind, of) {
        ("speed" | "acceleration" | "spin" | "turn", _) | ("position", ["part", ..]) => true,
        // A part's centre is a parameter; that of a body would be a quotient.
        ("position", ["centre", link]) => only_part(scene, link).is_some(),
        _ => false,
    };
    applies.then(|| found(scene, kind, of, frame))
}

fn found<S: Scalar>(scene: &Scene<S>, kind: &str, of: &[&str], frame: &[&str]) -> Result<Value<S>, String> {
    let frames = Frames::at(scene)?;
    let (link, at) = point(scene, of)?;
    let (p, axes) = (frames.link(link).point(at), frames.named(frame)?);
    if kind == "position" {
        return Ok(axes.inverse().point(p).into());
    }
    let (v, a) = motion(scene, link)?;
    let speed = v.linear + v.angular.cross(p);
    let found = match kind {
        "speed" => speed,
        "acceleration" => a.linear + a.angular.cross(p) + v.angular.cross(speed),
        "spin" => v.angular,
        _ => a.angular,
    };
    Ok(axes.rotation.inverse_rotate(found).into())
}

/// A point: its link's number and its position in the link frame.
fn point<S: Scalar>(scene: &Scene<S>, words: &[&str]) -> Result<(LinkId, Vec3<S>), String> {
    let number = |link: &str| scene.model.link(link).map_err(|e| e.to_string());
    match words {
        ["part", name @ ..] => {
            let found = scene.parts.get(&name.join(" "));
            found
                .copied()
                .ok_or_else(|| format!("the robot has no parameters by parts, or no part `{}`", name.join(" ")))
        }
        ["centre", link] => match only_part(scene, link) {
            Some(point) => Ok(point),
            None => Ok((number(link)?, in_frame(scene, link, link)?.centre())),
        },
        [link] => Ok((number(link)?, Vec3::zero())),
        _ => Err(format!("`{}` should read LINK, `centre LINK` or `part NAME`", words.join(" "))),
    }
}

/// The only part of a link, if parameters are those of parts.
fn only_part<S: Scalar>(scene: &Scene<S>, link: &str) -> Option<(LinkId, Vec3<S>)> {
    let link = scene.model.link(link).ok()?;
    let mut own = scene.parts.values().filter(|(l, _)| *l == link);
    own.next().copied().filter(|_| own.next().is_none())
}

/// A link's velocity and spatial acceleration, at the base's origin and in its axes.
fn motion<S: Scalar>(scene: &Scene<S>, link: LinkId) -> Result<(Motion<S>, Motion<S>), String> {
    let (m, [q, qd, qdd]) = (&scene.model, &scene.state);
    let mut d = KinematicsData::new(m);
    kinematics(m, &mut d, q).map_err(|e| e.to_string())?;
    let (mut v, mut a) = (Motion::zero(), Motion::zero());
    for (_, b) in m.base_to_tip().filter(|(i, _)| m.is_ancestor(*i, m.links()[link].body)) {
        let of = |rates: &[S]| b.dofs().fold(Motion::zero(), |sum, j| d.screws()[j].scale_add(rates[j], sum));
        a += v.cross(of(qd)) + of(qdd);
        v += of(qd);
    }
    Ok((v, a))
}
