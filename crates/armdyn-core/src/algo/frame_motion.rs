//! Motion of frames: pose, velocity and acceleration of any frame of a link, in the base or in another moving frame.
//!
//!   vᵢ = vₚ + Σ Jᵥ q̇ᵥ,   aᵢ = aₚ + Σ (Jᵥ q̈ᵥ + vᵢ × Jᵥ q̇ᵥ)
//!
//! with the screws J in the base's axes at its origin (spatial accelerations). A frame's origin p has the velocity
//! v + ω × p and the acceleration a + α × p + ω × (v + ω × p). As seen from a moving frame A, with d = p_B − p_A:
//!
//!   v = Rᵀ (v_B − v_A − ω_A × d),   ω = Rᵀ (ω_B − ω_A)                                              (1)
//!   a = Rᵀ (a_B − a_A − α_A × d − ω_A × (ω_A × d) − 2 ω_A × R v),   α = Rᵀ (α_B − α_A − ω_A × ω_B)    (2)

use super::{KinematicsData, kinematics};
use crate::error::Result;
use crate::model::{LinkId, Model};
use crate::scalar::Real;
use crate::spatial::{Motion, Transform, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// Pose, velocity and acceleration of a frame in another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameMotion<T> {
    /// Its pose.
    pub pose: Transform<T>,
    /// Its angular velocity, and the velocity of its origin.
    pub velocity: Motion<T>,
    /// Its angular acceleration, and the acceleration of its origin.
    pub acceleration: Motion<T>,
}

/// Workspace and result of [`frame_motions`].
#[derive(Clone, Debug)]
pub struct FrameMotionData<T> {
    kinematics: KinematicsData<T>,
    /// Of each body, at the base's origin in its axes; 0 is the base.
    velocities: Vec<Motion<T>>,
    accelerations: Vec<Motion<T>>,
}

impl<T: Real> FrameMotionData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let still = vec![Motion::zero(); m.body_count() + 1];
        FrameMotionData { kinematics: KinematicsData::new(m), velocities: still.clone(), accelerations: still }
    }

    /// Poses and Jacobians at the same configuration.
    pub fn kinematics(&self) -> &KinematicsData<T> {
        &self.kinematics
    }

    /// The motion in the base of a frame that has the pose `at` in a link's frame; without it, of the link's frame.
    pub fn frame(&self, m: &Model<T>, link: LinkId, at: Option<&Transform<f64>>) -> Result<FrameMotion<T>> {
        let pose = self.kinematics.frame_pose(m, link, at)?;
        let body = m.links()[link].body;
        let (v, a) = (self.velocities[body], self.accelerations[body]);
        let p = pose.translation;
        let point = v.linear + v.angular.cross(p);
        let linear = a.linear + a.angular.cross(p) + v.angular.cross(point);
        Ok(FrameMotion { pose, velocity: Motion::new(v.angular, point), acceleration: Motion::new(a.angular, linear) })
    }
}

impl<T: Real> FrameMotion<T> {
    /// The motion of this frame as seen from another one: both given in the same frame.
    #[must_use]
    pub fn relative_to(&self, other: &Self) -> Self {
        let (to, d) = (other.pose.rotation, self.pose.translation - other.pose.translation);
        let (v, w, alpha) = (other.velocity.linear, other.velocity.angular, other.acceleration.angular);
        let relative = self.velocity.linear - v - w.cross(d); // (1)
        let turning = self.velocity.angular - w;
        let transport = alpha.cross(d) + w.cross(w.cross(d)) + w.cross(relative) * T::lift(2.0);
        let linear = self.acceleration.linear - other.acceleration.linear - transport; // (2)
        let angular = self.acceleration.angular - alpha - w.cross(self.velocity.angular);
        let back =
            |angular: Vec3<T>, linear: Vec3<T>| Motion::new(to.inverse_rotate(angular), to.inverse_rotate(linear));
        FrameMotion {
            pose: other.pose.inverse().compose(&self.pose),
            velocity: back(turning, relative),
            acceleration: back(angular, linear),
        }
    }
}

/// Velocities and accelerations of all bodies; [`FrameMotionData::frame`] gives those of a frame.
///
/// ```
/// use armdyn_core::{FrameMotionData, Transform, frame_motions, vec3};
/// let model = armdyn_core::examples::pendulum(); // about y
/// let mut data = FrameMotionData::new(&model);
/// frame_motions(&model, &mut data, &[0.0], &[2.0], &[3.0])?;
/// let tip = Transform::from_translation(vec3(0.5, 0.0, 0.0));
/// let tip = data.frame(&model, model.link("rod")?, Some(&tip))?;
/// assert!((tip.acceleration.linear.x + 0.5 * 2.0 * 2.0).abs() < 1e-12); // −r q̇²
/// assert!((tip.acceleration.linear.z.abs() - 0.5 * 3.0).abs() < 1e-12); // r q̈
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn frame_motions<T: Real>(m: &Model<T>, d: &mut FrameMotionData<T>, q: &[T], qd: &[T], qdd: &[T]) -> Result<()> {
    m.check_length("qd", m.nv(), qd.len())?;
    m.check_length("qdd", m.nv(), qdd.len())?;
    kinematics(m, &mut d.kinematics, q)?;
    let rate = |rates: &[T], v: usize| m.following().map_or_else(|| rates[v], |(_, rows)| rows.rate(rates, v));
    for (i, b) in m.tree().base_to_tip() {
        let (mut own, mut change) = (Motion::zero(), Motion::zero());
        for v in b.dofs() {
            own = d.kinematics.screws[v].scale_add(rate(qd, v), own);
            change = d.kinematics.screws[v].scale_add(rate(qdd, v), change);
        }
        let velocity = d.velocities[b.parent] + own;
        d.velocities[i] = velocity;
        d.accelerations[i] = d.accelerations[b.parent] + change + velocity.cross(own);
        let (v, a) = (velocity, d.accelerations[i]);
        let sum = v.angular + v.linear + a.angular + a.linear;
        m.check_finite_at("motion", sum.x + sum.y + sum.z, m.body(i).v, &[("q", q), ("qd", qd), ("qdd", qdd)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BASE, Boundary, ExternalWrench, Force, Inertia, Joint, Link, ModelBuilder, Rotation, WrenchAxes, vec3,
    };

    /// A tree of four joints; the branch may follow the second joint.
    fn arm(follows: bool) -> Model<f64> {
        let mut robot = ModelBuilder::new("arm");
        let at = |x, y, z| Transform::new(Rotation::rpy(0.3, -0.2, 0.5), vec3(x, y, z));
        let link = |name| Link::new(name).part(name, Inertia::point(1.0, vec3(0.1, 0.2, 0.0)), Transform::identity());
        let one = robot.add(BASE, Joint::revolute("one", [0.0, 0.6, 0.8]).at(at(0.1, 0.2, 0.3)), link("first"));
        let two = robot.add(one, Joint::prismatic("two", [1.0, 0.0, 0.0]).at(at(0.4, 0.0, -0.1)), link("second"));
        robot.add(two, Joint::revolute("three", [0.0, 0.0, 1.0]).at(at(0.3, 0.1, 0.0)), link("third"));
        let side = Joint::revolute("side", [0.0, 1.0, 0.0]).at(at(-0.2, 0.1, 0.0));
        robot.add(one, if follows { side.mimic("two", -1.7, 0.2) } else { side }, link("branch"));
        robot.build().unwrap()
    }

    /// Velocities and accelerations are the derivatives of the relative pose along a motion: central differences.
    #[test]
    fn derivatives_of_the_relative_pose() {
        [false, true].into_iter().for_each(|follows| check_derivatives(&arm(follows)));
    }

    fn check_derivatives(m: &Model<f64>) {
        let n = m.nv();
        let [q, qd, qdd] =
            [[0.3, 0.2, -0.7, 0.9], [0.8, -0.5, 1.1, 0.4], [0.6, 0.9, -1.2, 0.7]].map(|x| x[..n].to_vec());
        let tool = Transform::new(Rotation::rpy(-0.4, 0.1, 0.2), vec3(0.2, -0.3, 0.1));
        let links = [m.link("third").unwrap(), m.link("branch").unwrap()];
        let relative = |t: f64| {
            let at: Vec<f64> = (0..n).map(|k| q[k] + qd[k] * t + 0.5 * qdd[k] * t * t).collect();
            let mut data = KinematicsData::new(m);
            kinematics(m, &mut data, &at).unwrap();
            let [to, from] = [links[0], links[1]].map(|l| data.link_pose(m, l).unwrap());
            from.inverse().compose(&to.compose(&tool))
        };
        let mut data = FrameMotionData::new(m);
        frame_motions(m, &mut data, &q, &qd, &qdd).unwrap();
        let from = data.frame(m, links[1], None).unwrap();
        let motion = data.frame(m, links[0], Some(&tool)).unwrap().relative_to(&from);
        let h = 1e-4;
        let (before, now, after) = (relative(-h), relative(0.0), relative(h));
        assert_eq!(motion.pose, now);
        // Central differences err by h² times the third derivative, second ones by ε/h² too: 1e-7.
        let near = |a: Vec3<f64>, b: Vec3<f64>, what: &str| assert!((a - b).norm() < 3e-7, "{what}: {a:?} {b:?}");
        let difference = (after.translation - before.translation) * (0.5 / h);
        near(motion.velocity.linear, difference, "velocity");
        let second = (after.translation - now.translation * 2.0 + before.translation) * (1.0 / (h * h));
        near(motion.acceleration.linear, second, "acceleration");
        // Ṙ c = ω × R c and R̈ c = α × R c + ω × (ω × R c) for each axis.
        let (w, alpha) = (motion.velocity.angular, motion.acceleration.angular);
        for axis in [Vec3::unit(0), Vec3::unit(1), Vec3::unit(2)] {
            let [before, now, after] = [before, now, after].map(|x| x.rotation.rotate(axis));
            near(w.cross(now), (after - before) * (0.5 / h), "angular velocity");
            let second = (after - now * 2.0 + before) * (1.0 / (h * h));
            near(alpha.cross(now) + w.cross(w.cross(now)), second, "angular acceleration");
        }
    }
    /// The power of a wrench at a point is Jᵀ w · q̇, and w · v of the point.
    #[test]
    fn external_torques_have_the_power_of_the_wrench() {
        for m in [arm(false), arm(true)] {
            let n = m.nv();
            let (q, qd) = (&[0.3, 0.2, -0.7, 0.9][..n], &[0.8, -0.5, 1.1, 0.4][..n]);
            let (at, wrench) = (vec3(0.2, -0.3, 0.1), Force::new(vec3(1.5, 0.2, -0.7), vec3(3.0, -2.0, 0.5)));
            let mut data = FrameMotionData::new(&m);
            frame_motions(&m, &mut data, q, qd, &vec![0.0; n]).unwrap();
            let (mut boundary, mut tau) = (Boundary::at_rest(&m), vec![0.0; n]);
            for (link, axes) in m.link_ids().skip(1).flat_map(|l| [(l, WrenchAxes::Base), (l, WrenchAxes::Link)]) {
                let external = ExternalWrench { link, at, axes, wrench };
                boundary.set_external_wrenches(&m, data.kinematics(), &[external]).unwrap();
                boundary.external_torques(&m, data.kinematics(), &mut tau).unwrap();
                let point = data.frame(&m, link, Some(&Transform::from_translation(at))).unwrap();
                let rotation = if axes == WrenchAxes::Link { point.pose.rotation } else { Rotation::identity() };
                let power = rotation.rotate(wrench.force).dot(point.velocity.linear)
                    + rotation.rotate(wrench.moment).dot(point.velocity.angular);
                let found: f64 = tau.iter().zip(qd).map(|(t, v)| t * v).sum();
                assert!((found - power).abs() < 1e-13 * (1.0 + power.abs()), "{found} {power}");
            }
        }
    }
}
