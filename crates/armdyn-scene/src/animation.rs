//! A motion of a robot as an animation: poses of all bodies over time, and the page that plays them.

use crate::{Geometry, Pose, Role, Scene, SceneLink, Shape, base, encode};
use armdyn_core::{Error, KinematicsData, Model, Rotation, Transform, Vec3, kinematics};
use serde::Serialize;
use std::fmt;

/// The script and styles of the page, built in `web/` from TypeScript and three.js, whose licence it contains.
const SCRIPT: &str = include_str!("../assets/scene.js");

/// Limit on the numbers of a motion: 4 bytes each, 16/3 characters in the page.
const MAX_NUMBERS: usize = 750_000;

/// A motion: samples over time.
#[derive(Clone, Debug)]
pub struct Motion<'a> {
    /// Times, ascending \[s\].
    pub t: &'a [f64],
    /// Configuration at each time.
    pub q: &'a [Vec<f64>],
    /// Joint torques and forces at each time, if known.
    pub tau: Option<&'a [Vec<f64>]>,
    /// Pose of the base in the world at each time; without it the base rests at the world's origin.
    pub base: Option<&'a [Transform<f64>]>,
    /// Events to mark on the time axis.
    pub events: Vec<Event>,
}

impl<'a> Motion<'a> {
    /// A motion with a base at rest, without torques or events.
    pub fn new(t: &'a [f64], q: &'a [Vec<f64>]) -> Self {
        Motion { t, q, tau: None, base: None, events: vec![] }
    }
}

/// A named instant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// Time \[s\].
    pub t: f64,
    /// What happens.
    pub text: String,
}

/// Why a motion cannot be animated.
#[derive(Clone, Debug, PartialEq)]
pub enum AnimationError {
    /// What is wrong with the motion.
    Invalid(String),
    /// From the kinematics of the robot.
    Core(Error),
}

impl fmt::Display for AnimationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnimationError::Invalid(message) => write!(f, "cannot animate the motion: {message}"),
            AnimationError::Core(error) => write!(f, "cannot animate the motion: {error}"),
        }
    }
}

impl std::error::Error for AnimationError {}

impl From<Error> for AnimationError {
    fn from(error: Error) -> Self {
        AnimationError::Core(error)
    }
}

/// A scene and its motion, sampled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Animation {
    scene: Scene,
    /// Number of bodies, the base included.
    bodies: usize,
    /// Sample times \[s\].
    #[serde(serialize_with = "encode::floats")]
    t: Vec<f32>,
    /// Pose of each body in the world at each time: position and quaternion.
    #[serde(serialize_with = "encode::floats")]
    poses: Vec<f32>,
    /// Position of each degree of freedom at each time; NaN where it has none of its own.
    #[serde(serialize_with = "encode::floats")]
    q: Vec<f32>,
    /// Torque or force of each degree of freedom at each time; empty if not known.
    #[serde(serialize_with = "encode::floats")]
    tau: Vec<f32>,
    /// Position of the tool at each time; empty if there is none.
    #[serde(serialize_with = "encode::floats")]
    tool_path: Vec<f32>,
    events: Vec<Event>,
    /// Height of the ground along the scene's `up` \[m\].
    ground: f32,
    #[serde(skip)]
    given: usize,
}

impl Animation {
    /// Computes the poses of all bodies. Long motions are thinned out so that the page stays below 10 MB
    /// ([`Animation::samples`]).
    pub fn new(m: &Model<f64>, scene: Scene, motion: &Motion) -> Result<Self, AnimationError> {
        check(m, motion)?;
        let bodies = m.body_count() + 1;
        let (given, width) = (motion.t.len(), 7 * bodies + 2 * m.nv() + 4);
        let kept = chosen(given, (MAX_NUMBERS / width).max(2));
        let tool = m.tool().ok();
        let mut d = KinematicsData::new(m);
        let count = kept.len();
        let mut a = Animation {
            bodies,
            t: Vec::with_capacity(count),
            poses: Vec::with_capacity(7 * bodies * count),
            q: vec![],
            tau: vec![],
            tool_path: vec![],
            events: motion.events.clone(),
            ground: 0.0,
            given,
            scene,
        };
        let up = Vec3::lift(a.scene.up.map(f64::from));
        let mut points = vec![vec![]; bodies];
        a.scene.links.iter().filter(|l| l.body != 0).for_each(|l| points[l.body].extend(outline(l)));
        let mut lowest = f64::INFINITY;
        for k in kept {
            let q = &motion.q[k];
            kinematics(m, &mut d, q)?;
            let base = motion.base.map_or(Transform::identity(), |b| b[k]);
            a.t.push(motion.t[k] as f32);
            for (pose, points) in d.poses().iter().zip(&points) {
                let pose = base.compose(pose);
                lowest = points.iter().map(|p| pose.point(*p).dot(up)).fold(lowest, f64::min);
                a.poses.extend(Pose::from(&pose).0);
            }
            a.q.extend(a.scene.rows.iter().map(|r| r.coordinate.map_or(f32::NAN, |c| q[c] as f32)));
            a.tau.extend(motion.tau.iter().flat_map(|tau| &tau[k]).map(|x| *x as f32));
            if let Some(tool) = tool {
                let at = base.compose(&d.frame_pose(m, tool.link, Some(&tool.pose))?).translation;
                lowest = lowest.min(at.dot(up));
                a.tool_path.extend(at.to_array().map(|x| x as f32));
            }
        }
        a.ground = ground(m, &mut a.scene, lowest, motion.base.is_some()) as f32;
        Ok(a)
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Number of samples in the animation, and in the motion it was made of.
    pub fn samples(&self) -> [usize; 2] {
        [self.t.len(), self.given]
    }

    /// Pose of a body (0 is the base) in the world at a sample: position and quaternion.
    pub fn pose(&self, sample: usize, body: usize) -> Option<Pose> {
        let start = 7 * (sample * self.bodies + body);
        let pose = self.poses.get(start..start + 7).filter(|_| body < self.bodies)?;
        pose.try_into().ok().map(Pose)
    }

    /// A self-contained page that plays the animation.
    pub fn to_html(&self) -> String {
        // Numbers and strings have no other serialisation error than a full memory.
        let data = serde_json::to_string(self).unwrap_or_default();
        // Within a script element, `<` could end it or start a comment.
        let data = data.replace('<', "\\u003c");
        let name = armdyn_core::escape_xml(&self.scene.name);
        format!(
            r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="armdyn {version}">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
<title>{name}: motion</title>
</head>
<body>
<noscript>This page plays a motion of {name} in 3-D and needs JavaScript.</noscript>
<script type="application/json" id="animation">{data}</script>
<script>{SCRIPT}</script>
<script>armdynScene.play(document.body, JSON.parse(document.getElementById("animation").textContent))</script>
</body>
</html>
"#,
            version = env!("CARGO_PKG_VERSION"),
        )
    }
}

/// At most `limit` of `count` samples, evenly, with the first and the last.
fn chosen(count: usize, limit: usize) -> Vec<usize> {
    if count <= limit {
        return (0..count).collect();
    }
    (0..limit).map(|k| (k as u128 * (count as u128 - 1) / (limit as u128 - 1)) as usize).collect()
}

/// The height of the ground: under the contacts, or under everything that moves, where a plate then is.
fn ground(m: &Model<f64>, scene: &mut Scene, lowest: f64, moves: bool) -> f64 {
    if let Some(height) = m.contacts().iter().map(|c| c.position[2]).reduce(f64::min) {
        return height;
    }
    let (up, clearance) = (Vec3::lift(scene.up.map(f64::from)), 0.05 * f64::from(scene.size));
    let Some(base) = scene.links.first_mut() else { return lowest };
    match base::plate_height(&base.shapes, up) {
        Some(plate) if lowest >= plate => plate,
        Some(_) if !moves => {
            base.shapes.retain(|s| s.role != Role::Base);
            base.shapes.extend(base::shapes(m, clearance - lowest));
            lowest - clearance
        }
        _ => lowest.min(clearance) - clearance,
    }
}

/// The ends of a link's shapes along their z axes, in the frame of its body.
fn outline(link: &SceneLink) -> Vec<Vec3<f64>> {
    let transform = |pose: &Pose| {
        let [x, y, z, qx, qy, qz, qw] = pose.0.map(f64::from);
        Transform::new(Rotation::quaternion([qx, qy, qz, qw]), Vec3::lift([x, y, z]))
    };
    let ends = |s: &Shape| {
        let half = 0.5
            * f64::from(match s.geometry {
                Geometry::Box { size: [_, _, z] } => z,
                Geometry::Cylinder { length, .. } | Geometry::Capsule { length, .. } => length,
                Geometry::Ellipsoid { .. } | Geometry::Mesh(_) => 0.0,
            });
        let pose = transform(&link.pose).compose(&transform(&s.pose));
        [half, -half].map(|z| pose.point(Vec3::lift([0.0, 0.0, z])))
    };
    link.shapes.iter().filter(|s| s.role != Role::Base).flat_map(ends).collect()
}

fn check(m: &Model<f64>, motion: &Motion) -> Result<(), AnimationError> {
    let invalid = |message: String| Err(AnimationError::Invalid(message));
    let count = motion.t.len();
    if count == 0 {
        return invalid("it has no samples".to_string());
    }
    let rows = |what: &str, found: usize| match found == count {
        true => Ok(()),
        false => invalid(format!("{count} times but {found} samples of {what}")),
    };
    rows("q", motion.q.len())?;
    motion.tau.map_or(Ok(()), |tau| rows("tau", tau.len()))?;
    motion.base.map_or(Ok(()), |base| rows("base poses", base.len()))?;
    for (k, t) in motion.t.iter().enumerate() {
        if !t.is_finite() || k > 0 && *t < motion.t[k - 1] {
            return invalid(format!("time {t} s of sample {k} is not finite, or before the one before it"));
        }
        let coordinates = m.coordinate_names();
        let tables =
            [Some(("q", &motion.q[k], &coordinates[..])), motion.tau.map(|tau| ("tau", &tau[k], m.dof_names()))];
        for (what, values, names) in tables.into_iter().flatten() {
            if values.len() != names.len() {
                let (found, expected) = (values.len(), names.len());
                return invalid(format!("{what} at {t} s has {found} values, expected {expected}"));
            }
            if let Some(c) = values.iter().position(|x| !x.is_finite()) {
                return invalid(format!("{what} of `{}` at {t} s is {}, not a finite number", names[c], values[c]));
            }
        }
        if let Some(base) = motion.base.filter(|base| base[k].components().iter().any(|x| !x.is_finite())) {
            return invalid(format!("the base pose at {t} s is not finite: {:?}", base[k].components()));
        }
    }
    match motion.events.iter().find(|e| !e.t.is_finite()) {
        Some(event) => invalid(format!("the time of event `{}` is not finite", event.text)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_motions_keep_their_ends() {
        assert_eq!(chosen(3, 5), [0, 1, 2]);
        assert_eq!(chosen(11, 3), [0, 5, 10]);
        let kept = chosen(1_000_003, 1000);
        assert_eq!((kept.len(), kept[0], kept[999]), (1000, 0, 1_000_002));
        assert!(kept.windows(2).all(|w| w[0] < w[1]));
    }
}
