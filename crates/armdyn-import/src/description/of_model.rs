//! The description of a model that was built in code, for export and for the check.

use super::{
    BeamDescription, ContactDescription, CoupledRotor, Description, JointDescription, LinkDescription, PartDescription,
    PayloadDescription, ToolDescription,
};
use crate::source::Place;
use armdyn_core::{
    Beam, DofIndex, Drive, JointId, JointInfo, LinkId, MATERIALS, Mimic, Model, Rotor, RotorInfo, Tool, ToolSource,
};
use std::collections::BTreeMap;

impl Description {
    /// Describes a model. The description builds the same model, bit for bit.
    /// Places are [`Place::nowhere`].
    pub fn of_model(model: &Model<f64>) -> Self {
        // Every joint with its own drive and limits.
        let (followers, model) = (model.followers(), model.tree());
        let (mut sections, mut materials) = (BTreeMap::new(), BTreeMap::new());
        let mut beam = |link: &str, b: &Beam| {
            let known = b.material.and_then(|m| MATERIALS.iter().find(|l| l.material == m));
            BeamDescription {
                section: name_of(&mut sections, b.section, link),
                material: match (known, b.material) {
                    (Some(library), _) => Some(library.name.to_string()),
                    (None, material) => material.map(|m| name_of(&mut materials, m, link)),
                },
                length: b.length,
                start: b.start,
                end: b.end,
                up: b.up,
            }
        };
        let links = model.links().iter().map(|l| LinkDescription {
            name: l.name.clone(),
            place: Place::nowhere(),
            parts: l
                .parts
                .iter()
                .map(|p| PartDescription { name: p.name.clone(), place: Place::nowhere(), inertia: p.inertia })
                .collect(),
            shapes: vec![],
            beam: l.beam.as_ref().map(|b| beam(&l.name, b)),
        });
        let (rotors, coupled) = model.rotors().split_at(single(model));
        let drive = |dof: usize| Drive {
            rotor: rotors.iter().find(|r| r.gear[0].0.index() == dof).map(|r| Rotor {
                inertia: r.inertia,
                gear: r.gear[0].1,
                axis: r.axis,
            }),
            armature: model.armature()[dof],
            friction: model.friction()[dof],
            limits: model.limits()[dof],
        };
        let name = |link: LinkId| model.links()[link].name.clone();
        let mimic = |joint: JointId| {
            let f = followers.iter().find(|f| f.joint == joint)?;
            let leader = model.joints()[f.leader].name.clone();
            Some(Mimic { joint: leader, multiplier: f.multiplier, offset: f.offset })
        };
        let joints = model.joint_ids().zip(model.joints()).map(|(id, j)| JointDescription {
            name: j.name.clone(),
            place: Place::nowhere(),
            kind: j.kind,
            parent: name(j.parent),
            child: name(j.child),
            placement: j.placement,
            drives: j.v.clone().map(drive).collect(),
            stiffness: stiffness(model, j),
            mimic: mimic(id),
        });
        let coupled = coupled.iter().map(|r| CoupledRotor {
            place: Place::nowhere(),
            inertia: r.inertia,
            gears: r.gear.iter().map(|&(dof, g)| (model.dof_names()[dof.index()].clone(), g)).collect(),
            mount: r.link.map(name).zip(r.axis),
        });
        let payloads = model.payloads().iter().map(|p| PayloadDescription {
            name: p.name.clone(),
            place: Place::nowhere(),
            link: name(p.link),
            inertia: p.in_link,
        });
        let tool = model.tool().ok().filter(|t| matches!(t.source, ToolSource::Description | ToolSource::Site));
        let tool = tool.map(|Tool { link, pose, source }| ToolDescription {
            place: Place::nowhere(),
            link: name(link),
            pose,
            source,
        });
        let contacts = model.contacts().iter();
        Description {
            name: model.name().to_string(),
            gravity: Some(model.gravity().to_array()),
            links: links.collect(),
            sections,
            materials,
            contacts: contacts.map(|c| ContactDescription { place: Place::nowhere(), contact: c.clone() }).collect(),
            joints: joints.collect(),
            coupled_rotors: coupled.collect(),
            payloads: payloads.collect(),
            tool,
            ..Description::default()
        }
    }
}

/// The name of a section or material among those of the file; a new one is named after its link.
fn name_of<V: PartialEq>(names: &mut BTreeMap<String, V>, value: V, link: &str) -> String {
    if let Some((name, _)) = names.iter().find(|(_, v)| **v == value) {
        return name.clone();
    }
    names.insert(link.to_string(), value);
    link.to_string()
}

/// Stiffness of each degree of freedom of a joint; empty if all are rigid.
fn stiffness(model: &Model<f64>, joint: &JointInfo) -> Vec<f64> {
    let all = &model.joint_stiffness()[joint.v.clone()];
    if all.iter().any(|k| k.is_finite()) { all.to_vec() } else { vec![] }
}

/// The number of leading rotors that drive a single joint: at most one per degree of freedom, in order, mounted on the
/// joint's parent link.
fn single(model: &Model<f64>) -> usize {
    let joint = |dof: DofIndex| model.joints().iter().find(|j: &&JointInfo| j.v.contains(&dof.index()));
    let mut next = 0;
    let of_one = |r: &&RotorInfo<f64>| match r.gear[..] {
        [(dof, _)] if dof.index() >= next && r.link.is_none_or(|l| joint(dof).is_some_and(|j| j.parent == l)) => {
            next = dof.index() + 1;
            true
        }
        _ => false,
    };
    model.rotors().iter().take_while(of_one).count()
}
