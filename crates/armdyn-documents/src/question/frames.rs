//! The frames of links and joints, where they are, and how they change.
//!
//! `position P [in F]`: where a point is in frame F, the base's unless said; `rotation L [in F]`: link L's axes there. P is the
//! origin of a link's frame, `L`, or the centre of mass of all that moves with it, `centre L`. L and F may be joints as well.
//! A joint's frame is that of the link that it moves where q is neutral, and stays with the link that it starts from.
//! `rate of position P [in F]`, `rate of rotation L [in F]`, `second rate of …`: differentiated by the time, along the state.
//! `turning 2 [in F]`, `sliding 2 [in F]`: the angular velocity, and the velocity at F's origin, that the second degree of
//! freedom gives what it moves, for each unit of its rate.

use crate::motion::{Moving, acceleration, rate};
use crate::robot::Robot;
use crate::scene::{Scene, tidy};
use crate::setting::Scalar;
use crate::value::Value;
use armdyn_core::{JointId, KinematicsData, LinkId, Model, Real, Transform, kinematics};

/// The answer, if it is such a question.
pub fn answer<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Option<Result<Value<S>, String>> {
    let in_time = |words: &[&str], order: fn(Moving<S>) -> S| {
        let (model, q) = scene.in_time()?;
        Ok(Frames::new(&scene.robot, &model, &q)?.place(words)?.map(|x| order(*x)))
    };
    Some(match words {
        ["position" | "rotation", ..] => Frames::at(scene).and_then(|frames| frames.place(words)),
        ["rate", "of", rest @ ..] => in_time(rest, rate),
        ["second", "rate", "of", rest @ ..] => in_time(rest, acceleration),
        [what @ ("turning" | "sliding"), dof, rest @ ..] => Frames::at(scene).and_then(|f| f.screw(what, dof, rest)),
        _ => return None,
    })
}

/// Where everything is.
pub struct Frames<'a, S> {
    robot: &'a Robot,
    model: &'a Model<S>,
    found: KinematicsData<S>,
}

impl<'a, S: Real> Frames<'a, S> {
    /// In a scene.
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
        let joint =
            |name| m.joint(name).map(|k| self.joint(k)).map_err(|_| format!("there is no link or joint `{name}`"));
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

    /// The pose of the frame that the words behind a question name.
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
            _ => Err(format!("`{}` is no position or rotation", words.join(" "))),
        }
    }

    /// The pose of a link's frame in its body's, whose z axis is the joint's. Whole quarter turns are exact.
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
