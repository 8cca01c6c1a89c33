//! A model built anew from its links and joints: with locked joints, or on a floating base.

use super::Mimic;
use super::builder::ModelBuilder;
use super::drive::{Drive, Rotor};
use super::ids::{BASE, JointId, LinkId};
use super::joint::{Joint, JointKind};
use super::link::Link;
use super::model::Model;
use super::tool::Tool;
use crate::error::{Error, Result};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A link of a model in the model built anew: on a floating base there is one more link before it.
fn rebuilt_link(link: LinkId, floating: bool) -> LinkId {
    LinkId::new(link.index() + usize::from(floating))
}

/// The name, or one made from it that is not taken.
fn unused(name: &str, taken: &[&String]) -> String {
    let numbered = (2..).map(|k| format!("{name}{k}"));
    let mut names = core::iter::once(name.to_string()).chain(numbered);
    names.find(|n| !taken.contains(&n)).unwrap_or_default()
}

impl Model<f64> {
    /// On a floating base: its base link moves freely, by a free joint before all others. The free joint is named `base` and the new
    /// base link `world` (`base2`, `world2`, … if these are taken); a link keeps its name, and its [`LinkId`] is one larger.
    ///
    /// ```
    /// let arm = armdyn_core::examples::two_link_arm();
    /// assert!(arm.with_floating_base().is_err()); // its base has no mass: free to move with any acceleration
    /// # use armdyn_core::{BASE, Joint, Link, ModelBuilder};
    /// let mut robot = ModelBuilder::new("satellite");
    /// robot.base(Link::new("hull").body(10.0, [0.0; 3], [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]));
    /// robot.add(BASE, Joint::revolute("boom", [0.0, 0.0, 1.0]), Link::new("rod").body(1.0, [1.0, 0.0, 0.0], [0.0; 6]));
    /// let free = robot.build()?.with_floating_base()?;
    /// assert_eq!((free.nq(), free.nv()), (8, 7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_floating_base(&self) -> Result<Self> {
        let base = self.base_inertia();
        if base.mass <= 0.0 {
            let why =
                format!("base link `{}` has no mass; a floating base needs mass and inertia", self.links()[BASE].name);
            return Err(Error::NotRebuilt { why });
        }
        self.rebuild(&BTreeMap::new(), true)
    }

    /// This model with the joints of the tree at given positions locked, and with its base on a free joint.
    pub(super) fn rebuild(&self, locked: &BTreeMap<usize, Vec<f64>>, floating: bool) -> Result<Self> {
        if self.tree().structure.has_changed_bodies {
            let why = "its bodies were changed (`with_bodies`), its links were not; do this first".to_string();
            return Err(Error::NotRebuilt { why });
        }
        let built = self.builder(locked, floating).build();
        let mut model = built.map_err(|e| Error::NotRebuilt { why: e.problems.join("; ") })?;
        for p in self.payloads() {
            model = model.with_payload_in_link(&p.name, rebuilt_link(p.link, floating), p.in_link)?;
        }
        Ok(model)
    }

    fn builder(&self, locked: &BTreeMap<usize, Vec<f64>>, floating: bool) -> ModelBuilder {
        let tree = self.tree();
        let link = |k: LinkId| {
            let info = &tree.links()[k];
            Link { name: info.name.clone(), parts: info.parts.clone(), beam: info.beam }
        };
        let mut builder = ModelBuilder::new(self.name());
        builder.gravity(tree.gravity().to_array());
        if floating {
            let links = tree.links().iter().map(|l| &l.name).collect::<Vec<_>>();
            let joints = tree.joints().iter().map(|j| &j.name).collect::<Vec<_>>();
            builder.base(Link::new(&unused("world", &links)));
            builder.add(BASE, Joint::new(&unused("base", &joints), JointKind::Free), link(BASE));
        } else {
            builder.base(link(BASE));
        }
        let moved = |link: LinkId| rebuilt_link(link, floating);
        let is_locked = |dof: usize| {
            let holds = |(j, _): &(&usize, &Vec<f64>)| tree.joints()[JointId::new(**j)].v.contains(&dof);
            locked.iter().any(|entry| holds(&entry))
        };
        // Rotors that drive a single joint belong to its drive; a rotor of locked joints is locked.
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
            builder.add(moved(info.parent), joint, link(info.child));
        }
        for r in rotors {
            let names = r.gear.iter().filter(|(dof, _)| !is_locked(dof.index()));
            let gears: Vec<(&str, f64)> = names.map(|&(dof, g)| (tree.dof_names()[dof.index()].as_str(), g)).collect();
            builder.coupled_rotor(r.inertia, &gears, r.link.map(moved).zip(r.axis));
        }
        // Contacts are points of a fixed base.
        for contact in self.contacts().iter().filter(|_| !floating) {
            builder.contact(contact.clone());
        }
        if let Some(tool) = self.structure.tool {
            builder.tool_from(Tool { link: moved(tool.link), ..tool });
        }
        builder
    }
}
