//! Closed-form inverse kinematics of arms with six joints: which placement of the axes it covers, and all its solutions.
//!
//! The axes are those in a reference configuration, lengths relative to that of the arm; the target is the displacement of the last
//! link from there. Its inverse is that of the arm from tip to base with all joints reversed: an arm whose first three axes meet is
//! solved as one whose last three do.

use super::chain::Dof;
use super::parallel_axes::ParallelAxes;
use super::spherical_wrist::SphericalWrist;
use super::{Descent, InverseKinematics, Target, TaskError};
use armdyn_core::{KinematicsData, Model, Pair, Tool, Transform, Vec3};
use armdyn_numerics::Result;

/// Angles \[rad\] and lengths, relative to that of the arm, that count as zero: robot files have rounded ones, as 1.5708. The solutions
/// are those of the model all the same, as they are iterated to it.
pub(super) const TOLERANCE: f64 = 1e-4;
/// Lengths that count as zero where the closed form covers others too, by a quartic whose roots are then pairs that differ by about as much.
pub(super) const INTERSECTING: f64 = 1e-6;
/// More solutions than there can be.
pub(super) const CAPACITY: usize = 32;

/// The descent from a closed-form solution.
const POLISH: Descent = Descent { iterations: 100, patience: 5, full_turns: false };
/// How far a closed-form solution may be beyond a limit \[rad; prismatic joints: of the length of the arm\], as the iteration may move it.
const LIMIT_SLACK: f64 = 1e-3;

/// Joint positions of solutions, in a list that does not allocate.
#[derive(Clone, Debug)]
pub(super) struct Solutions {
    all: Vec<[f64; 6]>,
}

impl Solutions {
    pub fn push(&mut self, q: [f64; 6]) {
        if self.all.len() < CAPACITY && q.iter().all(|x| x.is_finite()) {
            self.all.push(q);
        }
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }
}

/// The axis of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// A unit vector.
    pub direction: Vec3<f64>,
    /// A point on it.
    pub point: Vec3<f64>,
    /// Whether the joint is prismatic.
    pub prismatic: bool,
}

impl Axis {
    /// The point nearest to another one.
    pub fn foot(&self, x: Vec3<f64>) -> Vec3<f64> {
        self.point + self.direction * self.direction.dot(x - self.point)
    }
}

/// Whether two axes have the same or opposite directions.
pub(super) fn is_parallel(a: &Axis, b: &Axis) -> bool {
    a.direction.cross(b.direction).norm() < TOLERANCE
}

/// The points on two axes that are nearest to each other; none if these are parallel.
pub(super) fn common_normal(a: &Axis, b: &Axis) -> Option<(Vec3<f64>, Vec3<f64>)> {
    if is_parallel(a, b) {
        return None;
    }
    let normal = a.direction.cross(b.direction);
    let (between, n2) = (b.point - a.point, normal.norm_squared());
    let along = |other: Vec3<f64>| between.cross(other).dot(normal) / n2;
    Some((a.point + a.direction * along(b.direction), b.point + b.direction * along(a.direction)))
}

#[derive(Clone, Debug)]
enum Family {
    SphericalWrist(SphericalWrist),
    ParallelAxes(ParallelAxes),
}

/// An arm with six joints that has a closed-form solution.
#[derive(Clone, Debug)]
pub(super) struct Analytic {
    family: Family,
    /// Whether the arm is taken from tip to base.
    reversed: bool,
    /// From the frame in the reference configuration to the base.
    reference: Transform<f64>,
    length: f64,
    /// For each joint of the family its coordinate in q, that in the reference configuration, and the factor of its position.
    joints: [(usize, f64, f64); 6],
    /// For each joint of the family its index in the degrees of freedom that move the frame.
    pub dofs: [usize; 6],
    solutions: Solutions,
}

impl Analytic {
    /// For the frame of a robot whose kinematics are those of the configuration `reference`; none if no closed form covers it.
    pub fn new(
        m: &Model<f64>,
        data: &KinematicsData<f64>,
        reference: &[f64],
        frame: &Tool,
        length: f64,
        dofs: &[Dof],
    ) -> Option<Self> {
        let mut bodies = vec![];
        let mut body = m.links()[frame.link].body;
        while body != 0 {
            bodies.insert(0, body);
            body = m.body(body).parent;
        }
        let bodies: [usize; 6] = bodies.try_into().ok()?;
        let mut axes = vec![];
        for body in bodies {
            let b = m.body(body);
            let prismatic = match b.pair {
                Pair::Revolute => false,
                Pair::Prismatic => true,
                _ => return None,
            };
            let leads = m.followers().iter().any(|f| m.joints()[f.leader].v.contains(&b.v));
            if b.follows || leads {
                return None;
            }
            let pose = data.poses()[body];
            axes.push(Axis { direction: pose.rotation.z, point: pose.translation * (1.0 / length), prismatic });
        }
        let axes: [Axis; 6] = axes.try_into().ok()?;
        let coordinates = bodies.map(|body| m.body(body).q);
        let pose = data.frame_pose(m, frame.link, Some(&frame.pose)).ok()?;
        for reversed in [false, true] {
            let mut axes = axes;
            let mut joints = coordinates.map(|i| (i, reference[i], if reversed { -1.0 } else { 1.0 }));
            if reversed {
                axes.reverse();
                joints.reverse();
            }
            // Parallel axes have one direction.
            for i in [2, 3] {
                if axes[i].direction.dot(axes[1].direction) < 0.0 && is_parallel(&axes[i], &axes[1]) {
                    axes[i].direction = -axes[i].direction;
                    joints[i].2 = -joints[i].2;
                }
            }
            let wrist = SphericalWrist::new(&axes).map(Family::SphericalWrist);
            if let Some(family) = wrist.or_else(|| ParallelAxes::new(&axes).map(Family::ParallelAxes)) {
                for (joint, _) in joints.iter_mut().zip(&axes).filter(|(_, axis)| axis.prismatic) {
                    joint.2 *= length;
                }
                let index = |i: usize| dofs.iter().position(|dof| dof.q == Some(i));
                let mut indices = [0; 6];
                for (k, (i, ..)) in joints.iter().enumerate() {
                    indices[k] = index(*i)?;
                }
                let (reference, solutions) = (pose.inverse(), Solutions { all: Vec::with_capacity(CAPACITY) });
                return Some(Analytic { family, reversed, reference, length, joints, dofs: indices, solutions });
            }
        }
        None
    }

    /// All solutions, approximately: joint angles up to full turns, without regard to limits. Where a joint does not matter, as the pose is
    /// singular, it is where it is at the start.
    pub fn solve(&mut self, target: &Transform<f64>, start: &[f64]) -> &mut [[f64; 6]] {
        let mut g = target.compose(&self.reference);
        g.translation = g.translation * (1.0 / self.length);
        if self.reversed {
            g = g.inverse();
        }
        let free = self.joints.map(|(i, reference, factor)| (start[i] - reference) / factor);
        self.solutions.all.clear();
        match &self.family {
            Family::SphericalWrist(arm) => arm.solve(&g, &free, &mut self.solutions),
            Family::ParallelAxes(arm) => arm.solve(&g, &free, &mut self.solutions),
        }
        for q in &mut self.solutions.all {
            for (x, (_, reference, factor)) in q.iter_mut().zip(self.joints) {
                *x = reference + factor * *x;
            }
        }
        &mut self.solutions.all
    }
}

impl InverseKinematics {
    /// Finds `candidates`, the closed-form solutions within the limits, nearest to `start` first; returns their number.
    pub(super) fn closed_form(&mut self, target: &Target, start: &[f64]) -> usize {
        self.candidates.clear();
        if let (Some(analytic), Target::Pose(pose)) = (&mut self.analytic, target) {
            let dofs = analytic.dofs.map(|k| self.dofs[k]);
            for q in analytic.solve(pose, start) {
                let (mut distance, mut within) = (0.0, true);
                for (x, dof) in q.iter_mut().zip(&dofs) {
                    let Some(start) = dof.q.map(|i| start[i]) else { continue };
                    match dof.nearest(*x, start, 0.0).or_else(|| dof.nearest(*x, start, LIMIT_SLACK)) {
                        Some(nearest) => *x = nearest,
                        None => within = false,
                    }
                    distance += ((*x - start) / dof.scale).powi(2);
                }
                if within {
                    self.candidates.push((distance, *q));
                }
            }
            self.candidates.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        }
        self.candidates.len()
    }

    /// Descends from a closed-form solution to `current`.
    pub(super) fn polish(
        &mut self,
        m: &Model<f64>,
        target: &Target,
        start: &[f64],
        candidate: usize,
        iterations: &mut usize,
    ) -> Result<TaskError> {
        self.current.copy_from_slice(start);
        if let Some(analytic) = &self.analytic {
            for (k, x) in analytic.dofs.iter().zip(self.candidates[candidate].1) {
                let Some(i) = self.dofs[*k].q else { continue };
                self.current[i] = x;
            }
        }
        self.descend(m, target, POLISH, iterations)
    }
}
