//! A model with some of its joints locked: they become fixed joints.

use super::Mimic;
use super::builder::ModelBuilder;
use super::drive::{Drive, Rotor};
use super::ids::{BASE, JointId, LinkId};
use super::joint::{Joint, JointKind};
use super::link::Link;
use super::model::{JointInfo, Model};
use crate::error::{Error, Result};
use crate::scalar::Real;
use crate::spatial::Transform;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
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
        if tree.structure.has_changed_bodies {
            let why = "its bodies were changed (`with_bodies`), its links were not; lock joints first".to_string();
            return Err(Error::NotRebuilt { why });
        }
        let built = self.rebuilt(&at).build();
        let mut model = built.map_err(|e| Error::NotRebuilt { why: e.problems.join("; ") })?;
        for p in self.payloads() {
            model = model.with_payload_in_link(&p.name, p.link, p.in_link)?;
        }
        Ok(model)
    }

    /// The builder of this model with the joints of the tree at given positions locked.
    fn rebuilt(&self, locked: &BTreeMap<usize, Vec<f64>>) -> ModelBuilder {
        let tree = self.tree();
        let link = |k: LinkId| {
            let info = &tree.links()[k];
            Link { name: info.name.clone(), parts: info.parts.clone(), beam: info.beam }
        };
        let mut builder = ModelBuilder::new(self.name());
        builder.gravity(tree.gravity().to_array());
        builder.base(link(BASE));
        let is_locked = |dof: usize| {
            let holds = |(j, _): &(&usize, &Vec<f64>)| tree.joints()[JointId::new(**j)].v.contains(&dof);
            locked.iter().any(|entry| holds(&entry))
        };
        // Rotors that drive a single joint belong to its drive; a rotor of locked joints stands still.
        let mut rotors: Vec<_> = tree.rotors().iter().collect();
        rotors.retain(|r| r.gear.iter().any(|(dof, _)| !is_locked(dof.index())));
        for (j, info) in tree.joints().iter().enumerate() {
            let at = locked.get(&j);
            let kind = if at.is_some() { JointKind::Fixed } else { info.kind };
            let mut joint = Joint::new(&info.name, kind).at(at.map_or(info.placement, |q| tree.locked_pose(info, q)));
            for v in info.v.clone().filter(|_| at.is_none()) {
                let own = |r: &&super::RotorInfo<f64>| match r.gear[..] {
                    [(dof, _)] => dof.index() == v && r.link.is_none_or(|link| link == info.parent),
                    _ => false,
                };
                let rotor = rotors.iter().position(own).map(|k| rotors.remove(k));
                joint = joint.driven_by(Drive {
                    rotor: rotor.map(|r| Rotor { inertia: r.inertia, gear: r.gear[0].1, axis: r.axis }),
                    armature: tree.armature()[v],
                    friction: tree.friction()[v],
                    limits: tree.limits()[v],
                });
                joint = joint.stiffness(tree.joint_stiffness()[v]);
            }
            if let Some(f) = self.followers().iter().find(|f| f.joint.index() == j && at.is_none()) {
                let leader = self.joints()[f.leader].name.to_string();
                joint.mimic = Some(Mimic { joint: leader, multiplier: f.multiplier, offset: f.offset });
            }
            builder.add(info.parent, joint, link(info.child));
        }
        for r in rotors {
            let names = r.gear.iter().filter(|(dof, _)| !is_locked(dof.index()));
            let gears: Vec<(&str, f64)> = names.map(|&(dof, g)| (tree.dof_names()[dof.index()].as_str(), g)).collect();
            builder.coupled_rotor(r.inertia, &gears, r.link.zip(r.axis));
        }
        for contact in self.contacts() {
            builder.contact(contact.clone());
        }
        if let Some(tool) = self.structure.tool {
            builder.tool_from(tool);
        }
        builder
    }

    /// The pose of a joint's child link in its parent link at given positions.
    fn locked_pose(&self, joint: &JointInfo, q: &[f64]) -> Transform<f64> {
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
