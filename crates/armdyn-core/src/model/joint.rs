//! Joints as described by the user, and the kinematic pairs that each is made of.

use super::pair::Pair;
use super::{Drive, Mimic};
use crate::spatial::{Rotation, Transform, Vec3, vec3};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// Order of rotation and translation of a generalized joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Rot·Tran: rotation, then translation along the rotated axes. Lau's equations assume this order.
    RotationFirst,
    /// Tran·Rot: translation along the parent's axes, then rotation.
    TranslationFirst,
}

/// Kind of a joint: the motion that it allows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// No motion: the link is merged with its parent.
    Fixed,
    /// Rotation about an axis.
    Revolute {
        /// In the link's frame.
        axis: [f64; 3],
    },
    /// Translation along an axis.
    Prismatic {
        /// In the link's frame.
        axis: [f64; 3],
    },
    /// Rotation about an axis with a proportional translation along it.
    Helical {
        /// In the link's frame.
        axis: [f64; 3],
        /// Advance per radian \[m/rad\].
        pitch: f64,
    },
    /// Rotation about an axis and translation along it.
    Cylindrical {
        /// In the link's frame.
        axis: [f64; 3],
    },
    /// Rotation about a first axis, then about a second axis that moves with it.
    Universal {
        /// The first axis and the second, in the link's frame where q = 0.
        axes: [[f64; 3]; 2],
    },
    /// Free rotation about a point (unit quaternion).
    Spherical,
    /// Translation along x and y and rotation about z of the joint's frame.
    Planar,
    /// Translation along x, y and z.
    Translation,
    /// Free motion (position and unit quaternion).
    Free,
    /// Lau's generalized joint: any of three rotations, yaw about z, pitch about y, roll about x, in that order,
    /// and any of three translations along x, y, z.
    Generalized {
        /// Which of yaw (z), pitch (y), roll (x).
        rotations: [bool; 3],
        /// Which of x, y, z.
        translations: [bool; 3],
        /// Which come first.
        order: Order,
    },
}

impl JointKind {
    /// The names of all kinds.
    pub const NAMES: [&str; 11] = [
        "fixed",
        "revolute",
        "prismatic",
        "helical",
        "cylindrical",
        "universal",
        "spherical",
        "planar",
        "translation",
        "free",
        "generalized",
    ];

    /// The name of the kind: `revolute`, `prismatic`, ….
    pub fn name(&self) -> &'static str {
        let k = match self {
            JointKind::Fixed => 0,
            JointKind::Revolute { .. } => 1,
            JointKind::Prismatic { .. } => 2,
            JointKind::Helical { .. } => 3,
            JointKind::Cylindrical { .. } => 4,
            JointKind::Universal { .. } => 5,
            JointKind::Spherical => 6,
            JointKind::Planar => 7,
            JointKind::Translation => 8,
            JointKind::Free => 9,
            JointKind::Generalized { .. } => 10,
        };
        JointKind::NAMES[k]
    }
}

/// A degree of freedom of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointAxis {
    /// What follows the joint's name and a dot in the name of the degree of freedom; empty if there is only one.
    pub label: &'static str,
    /// Whether it is a translation.
    pub prismatic: bool,
    /// Its direction in the joint's frame.
    pub axis: [f64; 3],
}

impl JointAxis {
    /// The name of the degree of freedom of a joint: `joint`, or `joint.label`.
    pub fn dof_name(&self, joint: &str) -> String {
        if self.label.is_empty() { joint.to_string() } else { format!("{joint}.{}", self.label) }
    }
}

/// A pair of a joint: its kind, and the frame whose z axis is the pair's, in the joint's frame.
pub(crate) struct Member {
    pub pair: Pair<f64>,
    pub frame: Rotation<f64>,
}

impl JointKind {
    /// The degrees of freedom, base to tip.
    pub fn axes(&self) -> Vec<JointAxis> {
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let revolute = |label, axis| JointAxis { label, prismatic: false, axis };
        let slide = |label, axis| JointAxis { label, prismatic: true, axis };
        let [yaw, pitch, roll] = [revolute("yaw", z), revolute("pitch", y), revolute("roll", x)];
        let slides = [slide("x", x), slide("y", y), slide("z", z)];
        match *self {
            JointKind::Fixed => vec![],
            JointKind::Revolute { axis } | JointKind::Helical { axis, .. } => vec![revolute("", axis)],
            JointKind::Prismatic { axis } => vec![slide("", axis)],
            JointKind::Cylindrical { axis } => vec![revolute("angle", axis), slide("displacement", axis)],
            JointKind::Universal { axes: [a, b] } => vec![revolute("first", a), revolute("second", b)],
            JointKind::Spherical => vec![roll, pitch, yaw],
            JointKind::Planar => vec![slides[0], slides[1], yaw],
            JointKind::Translation => slides.to_vec(),
            JointKind::Free => [slides, [roll, pitch, yaw]].concat(),
            JointKind::Generalized { rotations, translations, order } => {
                let chosen = |all: [JointAxis; 3], which: [bool; 3]| {
                    all.into_iter().zip(which).filter(|(_, w)| *w).map(|(axis, _)| axis).collect::<Vec<_>>()
                };
                let (turns, slides) = (chosen([yaw, pitch, roll], rotations), chosen(slides, translations));
                match order {
                    Order::RotationFirst => [turns, slides].concat(),
                    Order::TranslationFirst => [slides, turns].concat(),
                }
            }
        }
    }

    /// The pairs that make the joint, base to tip; or why there are none.
    pub(crate) fn members(&self) -> Result<Vec<Member>, String> {
        let whole = |pair| Ok(vec![Member { pair, frame: Rotation::identity() }]);
        let pair = |a: &JointAxis| match *self {
            JointKind::Helical { pitch, .. } => Pair::Helical { pitch },
            _ if a.prismatic => Pair::Prismatic,
            _ => Pair::Revolute,
        };
        match self {
            JointKind::Spherical => whole(Pair::Ball),
            JointKind::Free => whole(Pair::Free),
            JointKind::Helical { pitch, .. } if !pitch.is_finite() => Err("its pitch is not a number".to_string()),
            kind => kind.axes().iter().map(|a| Ok(Member { pair: pair(a), frame: aligned(a.axis)? })).collect(),
        }
    }
}

/// A frame whose z axis is `axis`. Exact where the axis is a coordinate axis.
fn aligned(axis: [f64; 3]) -> Result<Rotation<f64>, String> {
    let v: Vec3<f64> = Vec3::lift(axis);
    let length = v.norm();
    if !(length.is_finite() && length > 0.0) {
        return Err("its axis must be finite and not zero".to_string());
    }
    let e = Vec3::unit;
    if axis.iter().filter(|x| **x == 0.0).count() == 2 {
        let k = (0..3).find(|&k| axis[k] != 0.0).unwrap_or(2);
        let s = axis[k].signum();
        return Ok(if k == 2 {
            Rotation { x: e(0), y: e(1) * s, z: e(2) * s }
        } else {
            Rotation { x: e((k + 1) % 3), y: e((k + 2) % 3) * s, z: e(k) * s }
        });
    }
    let z = v * (1.0 / length);
    let smallest = (0..3).min_by(|&i, &j| z.get(i).abs().total_cmp(&z.get(j).abs())).unwrap_or(0);
    let x = z.cross(e(smallest));
    let x = x * (1.0 / x.norm());
    Ok(Rotation { x, y: z.cross(x), z: vec3(z.x, z.y, z.z) })
}

/// A joint: its name, kind, placement and drives.
#[derive(Clone, Debug)]
#[must_use]
pub struct Joint {
    /// Its name, unique in the model.
    pub name: String,
    /// Its kind.
    pub kind: JointKind,
    /// The pose of the child link's frame in the parent link's frame where q is neutral.
    pub placement: Transform<f64>,
    /// Drive of each degree of freedom; those that are missing are ideal.
    pub drives: Vec<Drive>,
    /// Stiffness of each degree of freedom \[N m/rad or N/m\]; those that are missing are rigid (infinite).
    pub stiffness: Vec<f64>,
    /// The joint that this one follows, if it does.
    pub mimic: Option<Mimic>,
}

impl Joint {
    /// A joint of any kind, at the parent's origin.
    pub fn new(name: &str, kind: JointKind) -> Self {
        let placement = Transform::identity();
        Joint { name: name.to_string(), kind, placement, drives: vec![], stiffness: vec![], mimic: None }
    }

    /// A fixed joint.
    pub fn fixed(name: &str) -> Self {
        Joint::new(name, JointKind::Fixed)
    }

    /// A revolute joint about `axis`, given in the link's frame.
    pub fn revolute(name: &str, axis: [f64; 3]) -> Self {
        Joint::new(name, JointKind::Revolute { axis })
    }

    /// A prismatic joint along `axis`, given in the link's frame.
    pub fn prismatic(name: &str, axis: [f64; 3]) -> Self {
        Joint::new(name, JointKind::Prismatic { axis })
    }

    /// Modified Denavit–Hartenberg (Craig, Khalil, Renaud): Rot(x, α) Trans(x, a) Rot(z, θ) Trans(z, r), the
    /// joint acting along the link's z axis; θ is an offset for a revolute joint, r for a prismatic one.
    pub fn modified_dh(name: &str, sliding: bool, alpha: f64, a: f64, theta: f64, r: f64) -> Self {
        use crate::scalar::Real;
        let z = [0.0, 0.0, 1.0];
        let twist = Rotation::about(Vec3::unit(0), Real::sin_cos(alpha));
        let at = Transform::new(twist, vec3(a, 0.0, 0.0))
            .compose(&Transform::new(Rotation::about(Vec3::unit(2), Real::sin_cos(theta)), vec3(0.0, 0.0, r)));
        if sliding { Joint::prismatic(name, z).at(at) } else { Joint::revolute(name, z).at(at) }
    }

    /// Placed at `placement` in the parent link's frame.
    pub fn at(mut self, placement: Transform<f64>) -> Self {
        self.placement = placement;
        self
    }

    /// Driven by `drive`; call once for each degree of freedom, in order.
    pub fn driven_by(mut self, drive: Drive) -> Self {
        self.drives.push(drive);
        self
    }

    /// Following another joint: q = multiplier · q of `joint` + offset (a mimic joint). Both have one degree of freedom;
    /// chains are allowed, and `joint` may be added later.
    pub fn mimic(mut self, joint: &str, multiplier: f64, offset: f64) -> Self {
        self.mimic = Some(Mimic { joint: joint.to_string(), multiplier, offset });
        self
    }

    /// Compliant, with this stiffness \[N m/rad or N/m\]; call once for each degree of freedom, in order.
    pub fn stiffness(mut self, stiffness: f64) -> Self {
        self.stiffness.push(stiffness);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_the_axis_as_z_and_is_right_handed() {
        let units =
            [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
        for axis in units {
            let r = aligned(axis).unwrap();
            assert_eq!(r.z.to_array().map(|x| x + 0.0), axis.map(|x| x + 0.0), "exact for a coordinate axis");
            assert_eq!(r.x.cross(r.y).to_array().map(|x| x + 0.0), r.z.to_array().map(|x| x + 0.0));
        }
        assert_eq!(aligned([0.0, 0.0, 49.0]).unwrap().z, vec3(0.0, 0.0, 1.0));
        let tilted = aligned([1e-9, 0.0, 1.0]).unwrap();
        assert!((tilted.z.x - 1e-9).abs() < 1e-24 && tilted.x.dot(tilted.z).abs() < 1e-24, "a small tilt is kept");
        let r = aligned([3.0, 0.0, 4.0]).unwrap();
        assert!((r.z - vec3(0.6, 0.0, 0.8)).norm() < 1e-15);
        assert!(
            (r.x.cross(r.y) - r.z).norm() < 1e-15 && r.x.dot(r.z).abs() < 1e-15 && (r.x.norm() - 1.0).abs() < 1e-15
        );
    }

    #[test]
    fn an_axis_without_direction_is_rejected() {
        for axis in [[0.0; 3], [f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0]] {
            assert!(aligned(axis).is_err());
        }
    }

    #[test]
    fn generalized_joints_have_the_order_asked_for() {
        let labels = |order| {
            let kind =
                JointKind::Generalized { rotations: [true, false, true], translations: [false, true, true], order };
            kind.axes().iter().map(|a| a.label).collect::<Vec<_>>()
        };
        assert_eq!(labels(Order::RotationFirst), ["yaw", "roll", "y", "z"]);
        assert_eq!(labels(Order::TranslationFirst), ["y", "z", "yaw", "roll"]);
    }

    #[test]
    fn modified_dh_is_craigs_matrix() {
        // Craig eq. 3.6 with α = 30°, a = 0.2, θ = 60°, d = 0.5.
        let (ca, sa, ct, st) = (3.0_f64.sqrt() / 2.0, 0.5, 0.5, 3.0_f64.sqrt() / 2.0);
        let pi = core::f64::consts::PI;
        let at = Joint::modified_dh("j", false, pi / 6.0, 0.2, pi / 3.0, 0.5).placement;
        let expected = [[ct, -st, 0.0], [st * ca, ct * ca, -sa], [st * sa, ct * sa, ca]];
        for (row, e) in at.rotation.to_rows().iter().zip(expected) {
            assert!(row.iter().zip(e).all(|(x, e)| (x - e).abs() < 1e-15));
        }
        assert!((at.translation - vec3(0.2, -sa * 0.5, ca * 0.5)).norm() < 1e-15);
    }
}
