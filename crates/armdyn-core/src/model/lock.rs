//! A model with some of its joints locked: they become fixed joints.

use super::ids::JointId;
use super::model::{JointInfo, Model};
use crate::error::{Error, Result};
use crate::scalar::Real;
use crate::spatial::Transform;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

impl Model<f64> {
    /// With joints locked at given positions (the coordinates of each joint, [`JointInfo::q`]): each becomes a fixed joint,
    /// its links merge, its drive has no effect any more, and the joints that follow it are locked too. The bodies must be those of
    /// the links: lock joints before [`Model::with_bodies`].
    ///
    /// ```
    /// let model = armdyn_core::examples::two_link_arm();
    /// let elbow = model.joint("elbow")?;
    /// let locked = model.with_locked(&[(elbow, vec![std::f64::consts::FRAC_PI_2])])?; // elbow bent by 90°
    /// assert_eq!(locked.nv(), 1);
    /// assert!((locked.mass_matrix(&[0.0])?[(0, 0)] - 3.0).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn with_locked(&self, locked: &[(JointId, Vec<f64>)]) -> Result<Self> {
        let tree = self.tree();
        let mut at: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (joint, q) in locked {
            let info = self.checked_joint(*joint)?;
            if let Some(f) = self.followers().iter().find(|f| f.joint == *joint) {
                let (joint, leader) = (info.name.clone(), self.joints()[f.leader].name.clone());
                return Err(Error::LockedFollower { joint, leader });
            }
            self.check_length("position of a locked joint", info.q.len(), q.len())?;
            if q.iter().any(|x| !x.is_finite()) {
                return Err(Error::NotFinite { what: "position of a locked joint", joint: info.name.clone() });
            }
            for f in self.followers().iter().filter(|f| f.leader == *joint) {
                at.insert(f.joint.index(), vec![f.multiplier.mul_add(q[0], f.offset)]);
            }
            at.insert(joint.index(), q.clone());
        }
        at.retain(|joint, _| !tree.joints()[JointId::new(*joint)].bodies.is_empty());
        if at.is_empty() {
            return Ok(self.clone());
        }
        self.rebuild(&at, false)
    }

    /// The pose of a joint's child link in its parent link at given positions.
    pub(super) fn locked_pose(&self, joint: &JointInfo, q: &[f64]) -> Transform<f64> {
        let mut neutral = vec![0.0; self.nq()];
        if self.neutral(&mut neutral).is_ok() && neutral[joint.q.clone()] == *q {
            return joint.placement; // exact
        }
        let mut pose = self.links()[joint.parent].pose.inverse();
        for b in joint.bodies.clone().map(|k| self.body(k)) {
            let own = &q[b.q - joint.q.start..][..b.pair.nq()];
            let trig: Vec<(f64, f64)> = own.iter().map(|x| Real::sin_cos(*x)).collect();
            pose = pose.compose(&b.pair.pose(&b.placement, own, &trig));
        }
        pose.compose(&self.links()[joint.child].pose)
    }
}

#[cfg(test)]
mod tests {
    use crate::spatial::{Inertia, vec3};
    use crate::{Error, examples};

    /// The links of a model whose bodies were changed do not describe it any more.
    #[test]
    fn changed_bodies_are_not_replaced_by_those_of_the_links() {
        let m = examples::two_link_arm();
        let lock = [(m.joint("elbow").unwrap(), alloc::vec![0.0])];
        let heavy = m.with_bodies(|_, b| (b.placement, b.inertia * 2.0));
        let error = heavy.with_locked(&lock).unwrap_err();
        assert!(matches!(&error, Error::NotRebuilt { why } if why.contains("with_bodies")), "{error}");
        assert!(heavy.cast::<f64>().with_locked(&lock).is_err() && heavy.with_locked(&[]).is_ok());
        // Without a payload the changed bodies remain: point masses of 2 kg, 1 m and 2 m from the shoulder, 1 m from the elbow.
        let load = Inertia::point(3.0, vec3(1.0, 0.0, 0.0));
        let loaded = heavy.with_payload_in_link("load", heavy.last_link(), load).unwrap();
        let mass = loaded.without_payloads().mass_matrix(&[0.0, 0.0]).unwrap();
        assert!((mass[(0, 0)] - 2.0 * 5.0).abs() < 1e-14 && (mass[(1, 1)] - 2.0).abs() < 1e-14, "{mass:?}");
    }
}
