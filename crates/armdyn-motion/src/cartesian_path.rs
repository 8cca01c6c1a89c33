//! Cartesian paths: the tool moves along a line or an arc, and the joints follow.
//!
//! The path is sampled; each sample is solved by inverse kinematics from the one before, without restarts, so that the joint
//! positions are continuous. Where joints move far between two samples, samples are added; if they still jump, the path has
//! no continuous solution. A path ends where a joint reaches its limit, where the target is out of reach, or where the
//! Jacobian is singular: a singular value below a threshold, or a determinant of the square Jacobian that changes its sign
//! between two samples. These positions are found by bisection.

use crate::inverse_kinematics::{IkOptions, InverseKinematics, Target};
use crate::singularity::{joint_list, smallest_singular_value};
use armdyn_core::{Model, Rotation, Tool, Transform, Vec3};
use armdyn_numerics::{Result, invalid};
use nalgebra::DMatrix;
use serde::Serialize;
use std::f64::consts::TAU;

/// A path of the tool: its origin moves along a line or an arc, its orientation turns about one axis at a constant rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolPath {
    from: Transform<f64>,
    /// The rotation from the first to the last orientation, in base axes.
    turn: Vec3<f64>,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// The displacement.
    Line(Vec3<f64>),
    /// Centre, radius vector of the first point, the same turned by a right angle, angle.
    Arc(Vec3<f64>, Vec3<f64>, Vec3<f64>, f64),
}

/// Relative error of geometry that counts as none.
const GEOMETRY: f64 = 1e-9;

impl ToolPath {
    /// A straight line.
    #[must_use]
    pub fn line(from: Transform<f64>, to: Transform<f64>) -> Self {
        ToolPath { from, turn: turn(&from, &to), shape: Shape::Line(to.translation - from.translation) }
    }

    /// The arc of the circle from one pose through the point `via` to another pose. Fails if the three points are on a line.
    pub fn arc_through(from: Transform<f64>, via: Vec3<f64>, to: Transform<f64>) -> Result<Self> {
        // Centre of the circle through 0, b, c with n = b × c: n × (|c|² b − |b|² c) / (2 |n|²).
        let (b, c) = (via - from.translation, to.translation - from.translation);
        let normal = b.cross(c);
        let n2 = normal.norm_squared();
        if n2.is_nan() || n2.sqrt() <= GEOMETRY * b.norm() * c.norm() {
            return invalid("the three points of the arc are on a line: use a line, or a via point beside it");
        }
        let centre = normal.cross(b * c.norm_squared() - c * b.norm_squared()) * (0.5 / n2);
        let axis = normal * (1.0 / n2.sqrt());
        let first = -centre;
        let side = axis.cross(first);
        let last = c - centre;
        // In (0, 2π): `via` is before `to` when the circle runs about b × c.
        let angle = last.dot(side).atan2(last.dot(first)).rem_euclid(TAU);
        let shape = Shape::Arc(from.translation + centre, first, side, angle);
        Ok(ToolPath { from, turn: turn(&from, &to), shape })
    }

    /// The shorter arc about a centre from one pose to another. Fails if the distances from the centre differ by more than 1e-6
    /// of them, or if both ends and the centre are on a line.
    pub fn arc_about(from: Transform<f64>, centre: Vec3<f64>, to: Transform<f64>) -> Result<Self> {
        let (first, last) = (from.translation - centre, to.translation - centre);
        let (radius, other) = (first.norm(), last.norm());
        if radius.is_nan() || other.is_nan() || (radius - other).abs() > 1e-6 * radius {
            return invalid(format!(
                "the ends of the arc are {radius} m and {other} m from its centre: expected equal distances"
            ));
        }
        let normal = first.cross(last);
        let area = normal.norm();
        if area <= GEOMETRY * radius * other {
            return invalid("the ends and the centre of the arc are on a line: give a point on the arc instead");
        }
        let side = (normal * (1.0 / area)).cross(first);
        let angle = last.dot(side).atan2(last.dot(first));
        Ok(ToolPath { from, turn: turn(&from, &to), shape: Shape::Arc(centre, first, side, angle) })
    }

    /// Length of the path \[m\]; if only the orientation changes, its angle \[rad\].
    #[must_use]
    pub fn length(&self) -> f64 {
        let length = match self.shape {
            Shape::Line(d) => d.norm(),
            Shape::Arc(_, first, _, angle) => first.norm() * angle,
        };
        if length > 0.0 { length } else { self.turn.norm() }
    }

    /// Whether only the orientation changes.
    #[must_use]
    pub fn only_turns(&self) -> bool {
        self.shape == Shape::Line(Vec3::zero())
    }

    /// The pose at the fraction `t` of the path, from 0 to 1.
    pub fn pose(&self, t: f64) -> Transform<f64> {
        let translation = match self.shape {
            Shape::Line(d) => self.from.translation + d * t,
            Shape::Arc(centre, first, side, angle) => {
                let (s, c) = (angle * t).sin_cos();
                centre + first * c + side * s
            }
        };
        let angle = self.turn.norm();
        if angle == 0.0 {
            return Transform::new(self.from.rotation, translation);
        }
        let turned = Rotation::about(self.turn * (1.0 / angle), (angle * t).sin_cos());
        Transform::new(turned.compose(&self.from.rotation), translation)
    }
}

fn turn(from: &Transform<f64>, to: &Transform<f64>) -> Vec3<f64> {
    to.rotation.compose(&from.rotation.inverse()).rotation_vector()
}

/// Options of [`CartesianPath::follow`].
#[derive(Clone, Debug, PartialEq)]
pub struct PathOptions {
    /// Maximum distance of samples along the path \[m\].
    pub spacing: f64,
    /// Maximum change of the orientation between samples \[rad\].
    pub angular_spacing: f64,
    /// Maximum motion of a joint between samples \[rad; prismatic joints: of the length of the arm\]; samples are added
    /// to stay below it.
    pub joint_step: f64,
    /// Singular value of the Jacobian (positions divided by the length of the arm) below which a configuration is
    /// singular; 0: singular configurations are passed.
    pub singular_value: f64,
    /// Errors at which a sample counts as reached \[m, rad\].
    pub tolerance: f64,
    /// Whether the tool has the orientation of the path; otherwise only its position is prescribed.
    pub orientation: bool,
}

impl Default for PathOptions {
    fn default() -> Self {
        PathOptions {
            spacing: 0.005,
            angular_spacing: 0.02,
            joint_step: 0.1,
            singular_value: 1e-3,
            tolerance: 1e-10,
            orientation: true,
        }
    }
}

impl PathOptions {
    fn target(&self, path: &ToolPath, t: f64) -> Target {
        let pose = path.pose(t);
        if self.orientation { Target::Pose(pose) } else { Target::Position(pose.translation) }
    }
}

/// Joint positions along a path of the tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CartesianPath {
    /// Path length at each sample \[m\]; \[rad\] if the tool only turns.
    pub s: Vec<f64>,
    /// Joint positions at each sample \[rad, m\].
    pub q: Vec<Vec<f64>>,
}

/// Why a robot cannot follow a path.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// A joint reaches its limit.
    #[error("joint `{joint}` reaches its limit at {} along the path; start from another configuration", at(*s, *turns))]
    JointLimit {
        /// Path length.
        s: f64,
        /// Whether `s` is an angle.
        turns: bool,
        /// The joint.
        joint: String,
    },
    /// The Jacobian is singular.
    #[error("singular at {} along the path: {} can move without moving the tool (singular value {value:.1e}); \
             change the path, or start from another configuration", at(*s, *turns), joint_list(joints))]
    Singular {
        /// Path length.
        s: f64,
        /// Whether `s` is an angle.
        turns: bool,
        /// The joints of the right singular vector, largest component first.
        joints: Vec<String>,
        /// The smallest singular value.
        value: f64,
    },
    /// The joints would have to jump.
    #[error("joint `{joint}` jumps by {change:.3} at {} along the path: no continuous motion follows it; \
             change the path, or start from another configuration", at(*s, *turns))]
    Jump {
        /// Path length.
        s: f64,
        /// Whether `s` is an angle.
        turns: bool,
        /// The joint that moves most.
        joint: String,
        /// Its change \[rad, m\].
        change: f64,
    },
    /// The tool cannot reach the path.
    #[error("the path is out of reach from {} on; end it there, or move it", at(*s, *turns))]
    OutOfReach {
        /// Path length of the last pose that is reached.
        s: f64,
        /// Whether `s` is an angle.
        turns: bool,
    },
    /// The start of the path is not reached.
    #[error(
        "the start of the path is out of reach: the best configuration is {position_error:.3e} m and \
             {rotation_error:.3e} rad away; move it within reach"
    )]
    Start {
        /// Smallest distance found \[m\].
        position_error: f64,
        /// Angle of that configuration \[rad\].
        rotation_error: f64,
    },
    /// Invalid input.
    #[error(transparent)]
    Numerics(#[from] armdyn_numerics::Error),
}

fn at(s: f64, turns: bool) -> String {
    format!("{} {}", armdyn_core::four_digits(s), if turns { "rad" } else { "m" })
}

/// Times that a piece of the path is halved.
const HALVINGS: usize = 40;
/// Halvings of the distance of two samples after which a large motion of a joint is a jump.
const JUMP_HALVINGS: usize = 12;

impl CartesianPath {
    /// Joint positions with the frame (by default the tool) on the path, starting from the configuration nearest to
    /// `start`.
    ///
    /// ```
    /// use armdyn_core::{Rotation, Transform, vec3};
    /// use armdyn_motion::{CartesianPath, PathOptions, ToolPath};
    /// let model = armdyn_import::load_model("ur10e")?;
    /// let down = |x, y, z| Transform::new(Rotation::rpy(std::f64::consts::PI, 0.0, 0.0), vec3(x, y, z));
    /// let line = ToolPath::line(down(0.6, -0.3, 0.3), down(0.6, 0.3, 0.4));
    /// let start = [0.0, -1.5, 1.5, -1.5, -1.5, 0.0];
    /// let path = CartesianPath::follow(&model, None, &line, &start, &PathOptions::default())?;
    /// assert_eq!(path.s.len(), path.q.len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn follow(
        m: &Model<f64>,
        frame: Option<Tool>,
        path: &ToolPath,
        start: &[f64],
        options: &PathOptions,
    ) -> std::result::Result<Self, PathError> {
        for (name, value) in [
            ("spacing", options.spacing),
            ("angular spacing", options.angular_spacing),
            ("joint step", options.joint_step),
        ] {
            if value.is_nan() || value <= 0.0 {
                return Ok(invalid(format!("invalid {name} {value}: expected a positive number"))?);
            }
        }
        let ik = IkOptions { tolerance: options.tolerance, centring: false, ..IkOptions::default() };
        let mut first = vec![0.0; m.nq()];
        let target = options.target(path, 0.0);
        let mut anywhere = InverseKinematics::new(m, frame, ik.clone())?;
        let report = anywhere.solve(m, &target, start, &mut first)?;
        if !report.solved {
            let (position_error, rotation_error) = (report.position_error, report.rotation_error.unwrap_or(0.0));
            return Err(PathError::Start { position_error, rotation_error });
        }
        let ik = InverseKinematics::new(m, frame, IkOptions { starts: 1, full_turns: false, ..ik })?;
        let mut follower = Follower { m, ik, anywhere, path, options, samples: vec![] };
        let first = follower.sample(0.0, first)?;
        follower.require_regular(&first)?;
        follower.samples.push(first);
        let length = if path.only_turns() { 0.0 } else { path.length() };
        let pieces = (length / options.spacing).max(path.turn.norm() / options.angular_spacing).ceil().max(1.0);
        for k in 1..=pieces as usize {
            follower.advance(k as f64 / pieces, JUMP_HALVINGS)?;
        }
        let (length, samples) = (path.length(), follower.samples);
        Ok(CartesianPath {
            s: samples.iter().map(|sample| sample.t * length).collect(),
            q: samples.into_iter().map(|sample| sample.q).collect(),
        })
    }
}

/// A configuration on the path.
#[derive(Clone, Debug)]
struct Sample {
    /// Fraction of the path.
    t: f64,
    q: Vec<f64>,
    /// The smallest singular value of the Jacobian, and the joints of its right singular vector.
    singular: f64,
    joints: Vec<usize>,
    /// Determinant of the Jacobian if it is square, otherwise 0.
    determinant: f64,
}

struct Follower<'a> {
    m: &'a Model<f64>,
    /// From the sample before.
    ik: InverseKinematics,
    /// From many starts.
    anywhere: InverseKinematics,
    path: &'a ToolPath,
    options: &'a PathOptions,
    samples: Vec<Sample>,
}

type Followed<T> = std::result::Result<T, PathError>;

impl Follower<'_> {
    fn sample(&mut self, t: f64, q: Vec<f64>) -> Followed<Sample> {
        let columns = self.ik.jacobian(self.m, &q)?;
        let (rows, n) = (if self.options.orientation { 6 } else { 3 }, columns.len());
        let jacobian = DMatrix::from_fn(rows, n, |i, j| columns[j][i]);
        let determinant = if n == rows { jacobian.determinant() } else { 0.0 };
        let (singular, columns) = smallest_singular_value(jacobian);
        let dofs: Vec<usize> = self.ik.dofs().collect();
        Ok(Sample { t, q, singular, joints: columns.into_iter().map(|j| dofs[j]).collect(), determinant })
    }

    /// The sample at `t` from an earlier one, if inverse kinematics finds it.
    fn from(&mut self, before: &[f64], t: f64) -> Followed<Option<Sample>> {
        let mut q = before.to_vec();
        let report = self.ik.solve(self.m, &self.options.target(self.path, t), before, &mut q)?;
        if report.solved { Ok(Some(self.sample(t, q)?)) } else { Ok(None) }
    }

    /// Adds the sample at `t`, and those before it that keep the joints' steps small.
    fn advance(&mut self, t: f64, halvings: usize) -> Followed<()> {
        let before = self.samples[self.samples.len() - 1].clone();
        let Some(next) = self.from(&before.q, t)? else { return Err(self.end(before, t)?) };
        let (joint, change) = self.largest_change(&before.q, &next.q)?;
        if change > self.options.joint_step {
            if halvings == 0 {
                return Err(self.jump(before.t, joint, change));
            }
            self.advance(0.5 * (before.t + t), halvings - 1)?;
            return self.advance(t, halvings - 1);
        }
        if self.options.singular_value > 0.0 && before.determinant * next.determinant < 0.0 {
            return Err(self.crossing(before, next)?);
        }
        self.require_regular(&next)?;
        self.samples.push(next);
        Ok(())
    }

    /// Fails if a sample is singular.
    fn require_regular(&self, sample: &Sample) -> Followed<()> {
        if sample.singular < self.options.singular_value { Err(self.singular(sample)) } else { Ok(()) }
    }

    fn singular(&self, sample: &Sample) -> PathError {
        let (s, turns) = self.place(sample.t);
        let joints = sample.joints.iter().map(|&dof| self.m.dof_names()[dof].clone()).collect();
        PathError::Singular { s, turns, joints, value: sample.singular }
    }

    fn jump(&self, t: f64, joint: usize, change: f64) -> PathError {
        let change = change * if self.m.is_rotational(joint) { 1.0 } else { self.ik.length() };
        let (s, turns) = self.place(t);
        PathError::Jump { s, turns, joint: self.m.dof_names()[joint].clone(), change }
    }

    /// The singular configuration between two samples whose determinants have opposite signs.
    fn crossing(&mut self, mut low: Sample, high: Sample) -> Followed<PathError> {
        let mut end = high.t;
        for _ in 0..HALVINGS {
            let Some(middle) = self.from(&low.q, 0.5 * (low.t + end))? else { break };
            if middle.determinant * low.determinant < 0.0 {
                end = middle.t;
            } else {
                low = middle;
            }
        }
        Ok(self.singular(&low))
    }

    /// Why no sample follows `low` up to `t`: the last one that is found is at a limit, singular, or far from other
    /// solutions; or there are none.
    fn end(&mut self, mut low: Sample, t: f64) -> Followed<PathError> {
        let mut end = t;
        for _ in 0..HALVINGS {
            match self.from(&low.q, 0.5 * (low.t + end))? {
                Some(middle) => low = middle,
                None => end = 0.5 * (low.t + end),
            }
        }
        let (s, turns) = self.place(low.t);
        // Bisection finds the limit to rounding errors, or to the square root of the tolerance where the joint turns back.
        if let Some(dof) = self.blocking(&low, t)? {
            return Ok(PathError::JointLimit { s, turns, joint: self.m.dof_names()[dof].clone() });
        }
        if low.singular < self.options.singular_value {
            return Ok(self.singular(&low));
        }
        let mut q = low.q.clone();
        if !self.anywhere.solve(self.m, &self.options.target(self.path, t), &low.q, &mut q)?.solved {
            return Ok(PathError::OutOfReach { s, turns });
        }
        let (joint, change) = self.largest_change(&low.q, &q)?;
        Ok(self.jump(low.t, joint, change))
    }

    /// The joint whose limit ends the path after `low`: one at its limit without which `t` is reached, or, if it takes several, the one that
    /// then exceeds its limit most. A joint that only rests at its limit is none.
    fn blocking(&mut self, low: &Sample, t: f64) -> Followed<Option<usize>> {
        let at = self.ik.at_limits(&low.q, 1e-5);
        let mut found = None;
        // Beyond a limit the path may end for another reason too: the nearer the target, the less so.
        for target in [1.0, 0.1, 1e-2, 1e-3].map(|part| low.t + part * (t - low.t)) {
            for &dof in &at {
                self.ik.release(self.m, &[dof]);
                if found.is_none() && self.from(&low.q, target)?.is_some() {
                    found = Some(dof);
                }
            }
            self.ik.release(self.m, &at);
            if found.is_none()
                && at.len() > 1
                && let Some(beyond) = self.from(&low.q, target)?
            {
                let excess = |dof: usize| {
                    let (x, l) = (beyond.q[self.m.body(self.m.dof_bodies()[dof]).q], &self.m.limits()[dof]);
                    let length = if self.m.is_rotational(dof) { 1.0 } else { self.ik.length() };
                    (x - l.upper).max(l.lower - x) / length
                };
                found = at.iter().copied().max_by(|&a, &b| excess(a).total_cmp(&excess(b)));
            }
            if found.is_some() {
                break;
            }
        }
        self.ik.release(self.m, &[]);
        Ok(found)
    }

    /// The joint that moves most, and by how much \[rad, lengths of the arm\].
    fn largest_change(&self, from: &[f64], to: &[f64]) -> Followed<(usize, f64)> {
        let mut change = vec![0.0; self.m.nv()];
        self.m.difference(from, to, &mut change).map_err(armdyn_numerics::Error::from)?;
        let size = |dof: usize| change[dof].abs() / if self.m.is_rotational(dof) { 1.0 } else { self.ik.length() };
        let largest = self.ik.dofs().max_by(|&a, &b| size(a).total_cmp(&size(b)));
        Ok(largest.map_or((0, 0.0), |dof| (dof, size(dof))))
    }

    /// Path length, and whether it is an angle.
    fn place(&self, t: f64) -> (f64, bool) {
        (t * self.path.length(), self.path.only_turns())
    }
}
