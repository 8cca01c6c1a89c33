//! Frames of links and joints: poses and their time derivatives.
//!
//! `position P [in F]`: where a point is in frame F, default the base; `rotation L [in F]`: link L's axes there. P is the
//! origin of a link's frame, `L`, or the centre of mass of its body, `centre L`. L and F may be joints as well.
//! A joint frame is the child link's frame at the neutral position, fixed to the parent link.
//! `rate of position P [in F]`, `rate of rotation L [in F]`, `second rate of …`: time derivatives along the state.
//! `turning 2 [in F]`, `sliding 2 [in F]`: angular velocity, and velocity at F's origin, per unit rate of the second
//! degree of freedom.

use super::{Found, Scalar, Scene, Value};
use crate::motion::{Moving, acceleration, rate};
use crate::robot::Robot;
use crate::scene::tidy;
use armdyn_core::{JointId, KinematicsData, LinkId, Model, Real, Transform, kinematics};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    let over_time = |words: &[&str], order: fn(Moving<S>) -> S| {
        let (model, q) = scene.over_time()?;
        Ok(Frames::new(&scene.robot, &model, &q)?.place(words)?.map(|x| order(*x)))
    };
    Some(match words {
        ["position" | "rotation", ..] => Frames::at(scene).and_then(|frames| frames.place(words)),
        ["rate", "of", rest @ ..] => over_time(rest, rate),
        ["second", "rate", "of", rest @ ..] => over_time(rest, acceleration),
        [what @ ("turning" | "sliding"), dof, rest @ ..] => Frames::at(scene).and_then(|f| f.screw(what, dof, rest)),
        _ => return None,
    })
}

/// The poses of all frames.
pub struct Frames<'a, S> {
    robot: &'a Robot,
    model: &'a Model<S>,
    found: KinematicsData<S>,
}

impl<'a, S: Real> Frames<'a, S> {
    /// The frames of a scene.
    pub fn at(scene: &'a Scene<S>) -> Result<Self, String> {
        Frames::new(&scene.robot, &scene.model, &scene.state[0])
    }

    fn new(robot: &'a Robot, model: &'a Model<S>, q: &[S]) -> Result<Self, String> {
        let mut found = KinematicsData::new(model);
        kinematics(model, &mut found, q).map_err(|e| e.to_string())?;
        Ok(Frames { robot, model, found })
    }

    /// The pose of a link's or a joint's frame in the base.
    pub fn of(&self, name: &str) -> Result<Transform<S>, String> {
        let m = self.model;
        let joint = |name| m.joint(name).map(|k| self.joint(k)).map_err(|_| format!("unknown link or joint `{name}`"));
        m.link(name).map(|k| self.link(k)).or_else(|_| joint(name))
    }

    /// The pose of a link's frame in the base.
    pub fn link(&self, link: LinkId) -> Transform<S> {
        self.body(self.model.links()[link].body).compose(&self.in_body(link))
    }

    /// The pose of a joint's frame in the base.
    pub fn joint(&self, joint: JointId) -> Transform<S> {
        let info = &self.model.joints()[joint];
        let Some(first) = info.bodies.clone().next() else { return self.link(info.child) };
        let start = self.body(self.model.body(first).parent);
        let last = info.bodies.clone().fold(start, |x, b| x.compose(&self.model.body(b).placement));
        last.compose(&self.in_body(info.child))
    }

    /// The pose of a body in the base.
    pub fn body(&self, body: usize) -> Transform<S> {
        self.found.poses()[body]
    }

    /// The pose of the frame that the rest of a query names.
    pub fn named(&self, rest: &[&str]) -> Result<Transform<S>, String> {
        match rest {
            [] => Ok(Transform::identity()),
            ["in", frame] => self.of(frame),
            _ => Err(format!("`{}` should read `in LINK` or `in JOINT`", rest.join(" "))),
        }
    }

    /// `position L [in F]`, `position centre L [in F]`, `rotation L [in F]`.
    pub fn place(&self, words: &[&str]) -> Result<Value<S>, String> {
        match words {
            ["position", "centre", link, rest @ ..] => {
                let body = self.model.links()[self.model.link(link).map_err(|e| e.to_string())?].body;
                let own = if body == 0 { self.model.base_inertia() } else { &self.model.body(body).inertia };
                let centre = self.body(body).point(own.centre());
                Ok(self.named(rest)?.inverse().point(centre).into())
            }
            ["position", name, rest @ ..] => Ok(self.named(rest)?.inverse().point(self.of(name)?.translation).into()),
            ["rotation", name, rest @ ..] => {
                let axes = self.named(rest)?.inverse().compose(&self.of(name)?).rotation;
                Ok(Value::matrix(3, axes.to_rows().concat()))
            }
            _ => Err(format!("`{}` is not a position or rotation", words.join(" "))),
        }
    }

    /// The pose of a link frame in its body frame, whose z axis is the joint axis. Multiples of 90° are exact.
    fn in_body(&self, link: LinkId) -> Transform<S> {
        tidy(self.robot.model.links()[link].pose).map(S::lift)
    }

    fn screw(&self, what: &str, dof: &str, rest: &[&str]) -> Result<Value<S>, String> {
        let at = dof.parse::<usize>().ok().and_then(|k| k.checked_sub(1));
        let none = || format!("there are {} degrees of freedom", self.model.nv());
        let screw = at.and_then(|k| self.found.screws().get(k)).ok_or_else(none)?;
        let seen = self.named(rest)?.motion_back(*screw);
        Ok(if what == "turning" { seen.angular.into() } else { seen.linear.into() })
    }
}
