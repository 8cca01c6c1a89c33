//! Renaud's frames of a serial arm of revolute and prismatic joints: modified Denavit–Hartenberg.
//!
//! z of frame i is the axis of joint i, as the robot file directs it; x is the common normal of the axes i and i + 1, from which
//! frame i + 1 follows by α about x, a along x, θ about z and r along z. θ = q + offset for a revolute joint, r = q + offset
//! for a prismatic one. The origin of the last frame is where the common normal with the axis before it ends. Frame 0 has z
//! vertical, upwards.
//!
//! Where frames are arbitrary (parallel axes, the last x, the sign of x) those of the robot file are taken, so that a robot
//! that is described by modified Denavit–Hartenberg parameters has its own frames, and otherwise offsets of 0.
//!
//! Deviation: the common normal of nearly parallel axes may be far away; the origin is then that of the robot file, and the
//! position of the next frame has three components instead of a and r.

use crate::minimal::geometry::{
    Line, TIDY, has_one_axis, normal_direction, poses, snap, tidy, tidy_angle, tidy_direction,
};
use armdyn_core::{Error, Inertia, Model, Pair, Rotation, Sym3, Transform, Vec3, vec3};

/// A frame of Renaud's procedure, and the body in it.
#[derive(Clone, Debug)]
pub struct RenaudFrame {
    /// The joint.
    pub joint: String,
    /// Whether the joint is prismatic: σ.
    pub prismatic: bool,
    /// Cosine and sine of α, the angle about the x axis of the frame before it.
    pub alpha: (f64, f64),
    /// θ at q = 0 \[rad\].
    pub theta: f64,
    /// The position of the origin in the frame before it, less r along z: a along x, but see the module. \[m\]
    pub position: Vec3<f64>,
    /// r at q = 0 \[m\].
    pub r: f64,
    /// Mass, first moment and tensor about the origin, in the frame's axes.
    pub inertia: Inertia<f64>,
    /// The frame at q = 0, in the base.
    pub pose: Transform<f64>,
}

impl RenaudFrame {
    /// The axis of the joint in the frame before it: (0, −sin α, cos α).
    pub fn axis(&self) -> Vec3<f64> {
        vec3(0.0, -self.alpha.1, self.alpha.0)
    }
}

/// The frames of an arm.
#[derive(Clone, Debug)]
pub struct RenaudFrames {
    /// The frames 1 … n.
    pub frames: Vec<RenaudFrame>,
    /// The magnitude of gravity \[m/s²\].
    pub gravity: f64,
    /// Frame 0, in the base.
    pub base: Rotation<f64>,
    /// The frame of the link that the last joint moves, in frame n: a wrench at the tip is given in it.
    pub tip: Transform<f64>,
    /// Each frame in its body's.
    pub(super) within: Vec<Transform<f64>>,
}

const COVERS: &str = "Renaud's procedure covers serial arms of independent revolute and prismatic joints";

impl RenaudFrames {
    /// The frames of a model; drives are ignored.
    pub fn of(m: &Model<f64>) -> Result<RenaudFrames, Error> {
        let unsupported = |joint: &str| Error::Unsupported { formulation: COVERS, joint: joint.to_string() };
        if let Some(follower) = m.followers().first() {
            return Err(unsupported(&m.joints()[follower.joint].name));
        }
        if let Some((k, _)) = m.base_to_tip().find(|(k, b)| b.parent + 1 != *k || !has_one_axis(&b.pair)) {
            return Err(unsupported(&joint_of(m, k)));
        }
        let n = m.body_count();
        if n == 0 {
            return Err(unsupported(m.name()));
        }
        let poses = poses(m);
        let size = m.base_to_tip().map(|(_, b)| b.placement.translation.norm()).fold(1e-3, f64::max);
        let mut lines: Vec<Line> =
            poses[1..].iter().map(|x| Line { through: x.translation, along: x.rotation.z }).collect();
        for k in 1..n {
            // Parallel within rounding.
            let (before, along) = (lines[k - 1].along, lines[k].along);
            if before.cross(along).norm() < TIDY {
                lines[k].along = before * before.dot(along).signum();
            }
        }
        let origins = origins(&lines, &poses, size);
        // The x axes, with the sign that is nearer to the robot file's.
        let mut xs: Vec<Vec3<f64>> = vec![];
        for k in 0..n {
            let own = poses[k + 1].rotation;
            let x = match lines.get(k + 1) {
                Some(next) => normal_direction(&lines[k], next, own.x, size),
                None => xs.last().map_or(own.x, |x| *x - lines[k].along * lines[k].along.dot(*x)),
            };
            let (along, across) = (snap(x.dot(own.x)), x.dot(own.y));
            let reversed = along < 0.0 || (along == 0.0 && across < 0.0);
            xs.push(x * (if reversed && k + 1 < n { -1.0 } else { 1.0 } / x.norm()));
        }
        let base = base_axes(m.gravity(), lines[0].along, xs[0]);

        // Each frame in its body: rotated about z, displaced along z.
        let within: Vec<Transform<f64>> = (0..n)
            .map(|k| {
                let pose = &poses[k + 1];
                let x = pose.rotation.inverse_rotate(xs[k]);
                let (c, s) = tidy_direction(x.x, x.y);
                let height = pose.rotation.z.dot(origins[k] - pose.translation);
                let rotation = Rotation { x: vec3(c, s, 0.0), y: vec3(-s, c, 0.0), z: Vec3::unit(2) };
                Transform::new(rotation, tidy(vec3(0.0, 0.0, height), size))
            })
            .collect();
        let mut frames = vec![];
        for (k, b) in m.base_to_tip() {
            let relative = match k {
                1 => Transform::from_rotation(base.inverse().compose(&poses[1].compose(&within[0]).rotation)),
                _ => within[k - 2].inverse().compose(&b.placement).compose(&within[k - 1]),
            };
            let r = relative.rotation;
            let alpha = tidy_direction(r.z.z, -r.z.y);
            let theta = tidy_angle((-r.y.x).atan2(r.x.x));
            let axis = vec3(0.0, -alpha.1, alpha.0);
            let along = axis.dot(relative.translation);
            let position = tidy(relative.translation - axis * along, size);
            let inertia =
                tidied(b.inertia.transformed(&within[k - 1].inverse()), &b.inertia, within[k - 1].translation);
            frames.push(RenaudFrame {
                joint: joint_of(m, k),
                prismatic: matches!(b.pair, Pair::Prismatic),
                alpha,
                theta,
                position,
                r: tidy(vec3(along, 0.0, 0.0), size).x,
                inertia,
                pose: poses[k].compose(&within[k - 1]),
            });
        }
        let last = m.joints().iter().rfind(|j| j.bodies.contains(&n)).map(|j| m.links()[j.child].pose);
        let tip = within[n - 1].inverse().compose(&last.unwrap_or(Transform::identity()));
        let tip = Transform::new(tip.rotation.map(snap), tidy(tip.translation, size));
        Ok(RenaudFrames { frames, gravity: m.gravity().norm(), base, tip, within })
    }
}

/// The name of the joint before a body.
fn joint_of(m: &Model<f64>, body: usize) -> String {
    m.joints().iter().find(|j| j.bodies.contains(&body)).map_or_else(|| m.name().to_string(), |j| j.name.clone())
}

/// The origins, from the tip to the base.
fn origins(lines: &[Line], poses: &[Transform<f64>], size: f64) -> Vec<Vec3<f64>> {
    let n = lines.len();
    let mut origins = vec![Vec3::zero(); n];
    for k in (0..n).rev() {
        let parallel = |other: usize| lines[k].along.cross(lines[other].along).norm() < TIDY;
        let own = poses[k + 1].translation;
        origins[k] = match k + 1 < n {
            true if parallel(k + 1) => lines[k].foot(origins[k + 1]),
            true => lines[k].normal(&lines[k + 1], size).map_or(own, |(here, _)| here),
            false if k > 0 && !parallel(k - 1) => lines[k - 1].normal(&lines[k], size).map_or(own, |(_, there)| there),
            false => own,
        };
    }
    origins
}

/// The axes of frame 0: z upwards, x the common normal with the first axis; along the first axis without gravity.
fn base_axes(gravity: Vec3<f64>, first: Vec3<f64>, x: Vec3<f64>) -> Rotation<f64> {
    let z = if gravity.norm() > 0.0 { gravity * (-1.0 / gravity.norm()) } else { first };
    let normal = z.cross(first);
    let x = if normal.norm() < TIDY { x - z * z.dot(x) } else { normal };
    let x = x * (1.0 / x.norm());
    Rotation { x, y: z.cross(x), z }
}

/// Without rounding residues of the transformation.
fn tidied(inertia: Inertia<f64>, given: &Inertia<f64>, shift: Vec3<f64>) -> Inertia<f64> {
    let far = shift.norm();
    let first = given.first.norm() + given.mass.abs() * far;
    let second = given.second.trace().abs() + far * (2.0 * given.first.norm() + given.mass.abs() * far);
    let clean = |x: f64, size: f64| if x.abs() <= 1e-14 * size { 0.0 } else { x };
    let s = inertia.second;
    let [xx, xy, xz, yy, yz, zz] = [s.xx, s.xy, s.xz, s.yy, s.yz, s.zz].map(|x| clean(x, second));
    Inertia {
        mass: inertia.mass,
        first: inertia.first.map(|x| clean(x, first)),
        second: Sym3 { xx, xy, xz, yy, yz, zz },
    }
}
