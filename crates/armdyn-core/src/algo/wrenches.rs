//! The complete wrench at every joint, in any frame: actuation and constraint wrench.
//!
//! Lau 1985: the recursion yields all six components, not just the one that the drive supplies. A fixed joint
//! has one too (a force sensor is such a joint): its descendant links are parts of a body, and the wrench across it is
//! what those parts, and the joints that start from them, need.

use super::rnea::{RneaData, inertial_wrench};
use crate::error::Result;
use crate::model::{JointId, JointInfo, LinkId, Model};
use crate::scalar::Real;
use crate::spatial::{Force, Inertia, Transform};
use alloc::vec;
use alloc::vec::Vec;

/// Where a wrench is given: its axes, and the point that its moment is about.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WrenchFrame<T> {
    /// The axes and origin of the link that the joint moves.
    Local,
    /// The axes and origin of the link that the joint starts from.
    Parent,
    /// The base's axes, at the origin of the link that the joint moves.
    LocalWorldAligned,
    /// The base's axes and origin.
    World,
    /// A frame with this pose in the link that the joint moves.
    At(Transform<T>),
}

/// The wrench that a joint transmits to its child link.
#[derive(Clone, Copy, Debug)]
pub struct JointWrench<T> {
    /// Their sum.
    pub total: Force<T>,
    /// The wrench that the drive supplies.
    pub actuation: Force<T>,
    /// The constraint wrench (reaction), carried by the structure.
    pub constraint: Force<T>,
}

impl<T: Real> RneaData<T> {
    /// The wrench that each pair of a joint transmitted in the last call, base to tip:
    /// one for most joints, and for a fixed joint.
    pub fn wrenches(&self, m: &Model<T>, joint: JointId, frame: WrenchFrame<T>) -> Result<Vec<JointWrench<T>>> {
        m.check_made_for("workspace", self.shape)?;
        if let (Some(own), Some((tree, _))) = (&self.tree, m.following()) {
            return own.data.wrenches(tree, joint, frame);
        }
        let info = m.checked_joint(joint)?;
        let frame = self.wrench_frame(m, info, frame);
        if info.bodies.is_empty() {
            return Ok(vec![self.fixed_wrench(m, info, &frame)]);
        }
        Ok(info.bodies.clone().map(|body| self.pair_wrench(m, body, &frame)).collect())
    }

    /// The wrench that a joint transmitted to its child link in the last call: of several pairs, that of the last one. Allocates
    /// nothing.
    pub fn wrench(&self, m: &Model<T>, joint: JointId, frame: WrenchFrame<T>) -> Result<JointWrench<T>> {
        m.check_made_for("workspace", self.shape)?;
        if let (Some(own), Some((tree, _))) = (&self.tree, m.following()) {
            return own.data.wrench(tree, joint, frame);
        }
        let info = m.checked_joint(joint)?;
        let frame = self.wrench_frame(m, info, frame);
        Ok(match info.bodies.clone().last() {
            Some(body) => self.pair_wrench(m, body, &frame),
            None => self.fixed_wrench(m, info, &frame),
        })
    }

    /// The pose in the base of the frame that a joint's wrench is given in.
    fn wrench_frame(&self, m: &Model<T>, joint: &JointInfo, frame: WrenchFrame<T>) -> Transform<T> {
        let link = |k: LinkId| self.pose(m, m.links()[k].body).compose(&m.links()[k].pose);
        let child = link(joint.child);
        match frame {
            WrenchFrame::Local => child,
            WrenchFrame::Parent => link(joint.parent),
            WrenchFrame::LocalWorldAligned => Transform::from_translation(child.translation),
            WrenchFrame::World => Transform::identity(),
            WrenchFrame::At(pose) => child.compose(&pose),
        }
    }

    /// The wrench across the pair of a body.
    fn pair_wrench(&self, m: &Model<T>, body: usize, frame: &Transform<T>) -> JointWrench<T> {
        let f = self.states[body].f;
        self.in_frame(m, body, frame, f, m.body(body).pair.actuation(&f))
    }

    /// The wrench across a fixed joint.
    fn fixed_wrench(&self, m: &Model<T>, joint: &JointInfo, frame: &Transform<T>) -> JointWrench<T> {
        self.in_frame(m, m.links()[joint.child].body, frame, self.across_fixed(m, joint), Force::zero())
    }

    /// A wrench of a body's frame in another frame.
    fn in_frame(
        &self,
        m: &Model<T>,
        body: usize,
        frame: &Transform<T>,
        total: Force<T>,
        actuation: Force<T>,
    ) -> JointWrench<T> {
        let x = frame.inverse().compose(&self.pose(m, body));
        JointWrench { total: x.force(total), actuation: x.force(actuation), constraint: x.force(total - actuation) }
    }

    /// The pose of a body in the base, in the last call.
    fn pose(&self, m: &Model<T>, mut body: usize) -> Transform<T> {
        let mut x = Transform::identity();
        while body != 0 {
            x = self.states[body].x.compose(&x);
            body = m.body(body).parent;
        }
        x
    }

    /// The wrench across a fixed joint, in the frame of the body that its link is merged with.
    fn across_fixed(&self, m: &Model<T>, joint: &JointInfo) -> Force<T> {
        // Descendant links that belong to the same body. Joint k moves link k + 1, and a child comes after its parent.
        let joints = m.joints();
        let behind = |mut link: LinkId| {
            while link > joint.child && joints[link.index() - 1].bodies.is_empty() {
                link = joints[link.index() - 1].parent;
            }
            link == joint.child
        };
        let mut f = Force::zero();
        for j in joints[joint.child.index()..].iter().filter(|j| behind(j.parent)) {
            if let Some(first) = j.bodies.clone().next() {
                f += self.states[first].x.force(self.states[first].f);
            }
        }
        let state = &self.states[m.links()[joint.child].body];
        let mut add = |inertia: Inertia<T>| f += inertial_wrench(&state.moving, &state.u, &inertia, &inertia.moments());
        let links = || m.link_ids().skip(joint.child.index()).filter(|link| behind(*link));
        for link in links() {
            let l = &m.links()[link];
            add(l.inertia().transformed(&l.pose));
        }
        for p in m.payloads().iter().filter(|p| behind(p.link)) {
            add(p.inertia);
        }
        for (rotor, moment) in m.rotors().iter().zip(&self.spins) {
            if rotor.link.is_some_and(behind) {
                f.moment += *moment;
            }
        }
        for link in links() {
            f -= self.boundary.on_link(link.index());
        }
        f
    }

    /// The wrench that the ground exerted on the base in the last call, the base's own inertia included, in the base's
    /// frame.
    pub fn base_wrench(&self, m: &Model<T>) -> Result<Force<T>> {
        m.check_made_for("workspace", self.shape)?;
        if let (Some(own), Some((tree, _))) = (&self.tree, m.following()) {
            return own.data.base_wrench(tree);
        }
        let base = &self.states[0];
        let f = base.f + inertial_wrench(&base.moving, &base.u, &m.base, &m.base.moments());
        let sum = f.components().iter().fold(T::zero(), |sum, &x| sum + x);
        m.check_finite_at("base wrench", sum, m.nv(), &[])?;
        Ok(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::rnea;
    use crate::model::{BASE, Joint, Link, ModelBuilder};
    use crate::spatial::{Vec3, vec3};

    /// A crane of one jib, 1 m, with 2 kg at its end, on a post 3 m high; the jib swings about the vertical.
    fn crane() -> Model<f64> {
        let mut b = ModelBuilder::new("crane");
        let post = Joint::revolute("swing", [0.0, 0.0, 1.0]).at(Transform::from_translation(vec3(0.0, 0.0, 3.0)));
        b.add(BASE, post, Link::new("jib").body(2.0, [1.0, 0.0, 0.0], [0.0; 6]));
        b.build().unwrap()
    }

    #[test]
    fn a_wrench_is_the_same_in_every_frame_it_is_asked_in() {
        let m = crane();
        let mut d = RneaData::new(&m);
        let quarter = core::f64::consts::FRAC_PI_2;
        rnea(&m, &mut d, &[quarter], &[0.0], &[0.0], &mut [0.0]).unwrap();
        let w = 2.0 * 9.81;
        // The jib points along y: r × (0, 0, w).
        let expected = [
            (WrenchFrame::Local, vec3(0.0, -w, 0.0)),
            (WrenchFrame::Parent, vec3(w, 0.0, 0.0)),
            (WrenchFrame::LocalWorldAligned, vec3(w, 0.0, 0.0)),
            (WrenchFrame::World, vec3(w, 0.0, 0.0)),
            (WrenchFrame::At(Transform::from_translation(vec3(1.0, 0.0, 0.0))), Vec3::zero()),
        ];
        for (frame, moment) in expected {
            let JointWrench { total, actuation, constraint } = d.wrench(&m, JointId::new(0), frame).unwrap();
            assert_eq!(total, d.wrenches(&m, JointId::new(0), frame).unwrap()[0].total);
            assert!((total.moment - moment).norm() < 1e-14 * w, "{frame:?}: {total:?}");
            assert!((total.force - vec3(0.0, 0.0, w)).norm() < 1e-14 * w);
            assert!(actuation.moment.norm() < 1e-14 * w && (constraint.force - total.force).norm() < 1e-14 * w);
        }
    }

    #[test]
    fn spinning_a_jib_takes_a_centripetal_force_and_speeding_it_up_a_torque() {
        let m = crane();
        let (mut d, mut tau) = (RneaData::new(&m), [0.0]);
        rnea(&m, &mut d, &[0.7], &[3.0], &[0.5], &mut tau).unwrap();
        assert!((tau[0] - 2.0 * 0.5).abs() < 1e-14, "m r² q̈");
        let force = d.wrenches(&m, JointId::new(0), WrenchFrame::Local).unwrap()[0].constraint.force;
        assert!((force - vec3(-2.0 * 9.0, 2.0 * 0.5, 2.0 * 9.81)).norm() < 1e-13, "−m r q̇², m r q̈, m g");
        // The ground reaction, about the foot of the post 3 m below: the drive's reaction about the vertical.
        assert!((d.base_wrench(&m).unwrap().moment.z - tau[0]).abs() < 1e-14);
    }

    #[test]
    fn a_force_sensor_is_a_fixed_joint() {
        // On the jib's tip a sensor, on it a hand of 0.5 kg, its centre 0.2 m out, that something pulls down with 3 N.
        let mut b = ModelBuilder::new("crane");
        let jib = Link::new("jib").body(2.0, [1.0, 0.0, 0.0], [0.0; 6]);
        let jib = b.add(BASE, Joint::revolute("swing", [0.0, 0.0, 1.0]), jib);
        let sensor = Joint::fixed("sensor").at(Transform::from_translation(vec3(1.0, 0.0, 0.0)));
        b.add(jib, sensor, Link::new("hand").body(0.5, [0.2, 0.0, 0.0], [0.0; 6]));
        let m = b.build().unwrap();
        let mut d = RneaData::new(&m);
        d.boundary
            .add_external_wrench(&m, m.link("hand").unwrap(), Force::new(Vec3::zero(), vec3(0.0, 0.0, -3.0)))
            .unwrap();
        rnea(&m, &mut d, &[0.4], &[2.0], &[0.0], &mut [0.0]).unwrap();
        let sensed = d.wrench(&m, m.joint("sensor").unwrap(), WrenchFrame::Local).unwrap();
        let (w, pull) = (0.5 * 9.81, 0.5 * 1.2 * 4.0);
        assert!((sensed.constraint.force - vec3(-pull, 0.0, w + 3.0)).norm() < 1e-14 * w);
        assert!((sensed.constraint.moment - vec3(0.0, -0.2 * w, 0.0)).norm() < 1e-14 * w);
        assert_eq!(sensed.actuation, Force::zero());
    }

    /// A sensor carries all that is fixed to it, and the joints that start from there; not what is fixed beside it.
    #[test]
    fn what_a_fixed_joint_carries() {
        let mut b = ModelBuilder::new("crane");
        let part = |name: &str, mass: f64| Link::new(name).body(mass, [0.0, 0.0, 0.0], [0.0; 6]);
        let jib = b.add(BASE, Joint::revolute("swing", [0.0, 0.0, 1.0]), part("jib", 1.0));
        let hand = b.add(jib, Joint::fixed("sensor"), part("hand", 2.0));
        b.add(jib, Joint::fixed("lamp"), part("lamp", 4.0));
        let bracket = b.add(hand, Joint::fixed("screws"), part("bracket", 8.0));
        let hook = b.add(bracket, Joint::revolute("hook", [0.0, 0.0, 1.0]), part("hook", 16.0));
        b.add(hook, Joint::fixed("chain"), part("load", 32.0));
        let m = b.build().unwrap();
        let m = m.with_payload_in_link("bag", bracket, Inertia::point(64.0, Vec3::zero())).unwrap();
        let mut d = RneaData::new(&m);
        rnea(&m, &mut d, &[0.3, 0.1], &[0.0; 2], &[0.0; 2], &mut [0.0; 2]).unwrap();
        let carried =
            [("sensor", 122.0), ("lamp", 4.0), ("screws", 120.0), ("hook", 48.0), ("chain", 32.0), ("swing", 127.0)];
        for (joint, mass) in carried {
            let total = d.wrench(&m, m.joint(joint).unwrap(), WrenchFrame::World).unwrap().total;
            assert!((total.force - vec3(0.0, 0.0, mass * 9.81)).norm() < 1e-12 * mass, "{joint}: {total:?}");
        }
    }
}
