//! A robot of a document: a bundled robot with the document's changes.

use crate::document::RobotSource;
use crate::motion::Motion;
use armdyn_core::{Drive, Friction, Inertia, JointKind, Model, Sym3, Transform, Vec3};
use armdyn_import::library::bundled;
use armdyn_import::{Description, JointDescription, LinkDescription, Place};
use armdyn_symbolic::parameters;
use std::collections::HashMap;

/// A robot of a document.
#[derive(Debug)]
pub struct Robot {
    /// The model that queries use.
    pub model: Model<f64>,
    /// Its entry in the document: the names of coordinates, base velocities and wrench, and how its parameters are named.
    pub source: RobotSource,
    /// Its motion over time.
    pub motion: Option<Motion>,
}

impl Robot {
    /// The robot of a document.
    pub fn new(source: &RobotSource) -> Result<Self, String> {
        let model =
            changed(source, described(source)?.model().map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
        let lengths = |what: &str, names: &[String], count: usize| match names.len() {
            n if n == count => Ok(()),
            n => Err(format!("`{}` has {count} {what}, not {n}", source.file)),
        };
        let RobotSource { coordinates, base, wrench, motion, .. } = source;
        lengths("coordinates", coordinates, model.nv())?;
        if !base.is_empty() {
            lengths("base velocities", base, 3)?;
        }
        if !wrench.is_empty() {
            lengths("wrench components", wrench, 6)?;
        }
        let motion = if motion.is_empty() {
            None
        } else {
            lengths("coordinates", motion, model.nv())?;
            Some(Motion::parse(motion)?)
        };
        let robot = Robot { model, source: source.clone(), motion };
        robot.check_equal(&parameter_values(&robot.model)).map_err(|e| format!("`{}`: {e}", source.file))?;
        Ok(robot)
    }
}

/// The description with the document's tip and friction.
fn described(source: &RobotSource) -> Result<Description, String> {
    let file = bundled(&source.file).ok_or_else(|| format!("unknown bundled robot `{}`", source.file))?;
    let mut robot = file.load().description.ok_or_else(|| format!("cannot load `{}`", source.file))?;
    for c in &mut robot.contacts {
        let (friction, other) = (&mut c.contact.friction, &source.contact_friction);
        friction.static_friction = other.holding.or(friction.static_friction);
        friction.sliding_friction = other.sliding.or(friction.sliding_friction);
        friction.rolling_resistance = other.rolling.or(friction.rolling_resistance);
    }
    if let Some(tip) = &source.tip {
        let (place, at) = (Place::nowhere(), Transform::from_translation(Vec3::lift(tip.at)));
        robot.links.push(LinkDescription::massless("tip", &place));
        robot.joints.push(JointDescription::fixed("tip".to_string(), &place, &tip.link, "tip", at));
    }
    if let Some(f) = source.friction {
        let levels = Friction { viscous: f.viscous, coulomb_forward: f.coulomb, ..Friction::none() };
        let friction = Friction { coulomb_backward: f.coulomb, stribeck: f.excess, stribeck_speed: 1e-9, ..levels };
        for joint in robot.joints.iter_mut().filter(|j| j.kind != JointKind::Fixed) {
            joint.drives.resize(joint.drives.len().max(1), Drive::ideal());
            joint.drives.iter_mut().for_each(|drive| drive.friction = friction);
        }
    }
    Ok(robot)
}

/// The model with the document's payload, first moments and gravity.
fn changed(source: &RobotSource, mut model: Model<f64>) -> armdyn_core::error::Result<Model<f64>> {
    if source.without_drives {
        model = model.without_drives();
    }
    if let Some(load) = &source.payload {
        let inertia = Inertia::point(load.mass, Vec3::lift(load.centre));
        model = model.with_payload("load", model.link(&load.link)?, inertia, Transform::identity())?;
    }
    for (link, first) in &source.first_moments {
        let inertia = Inertia { mass: 0.0, first: Vec3::lift(*first), second: Sym3::zero() };
        model = model.with_payload_in_link("first moment", model.link(link)?, inertia)?;
    }
    Ok(match source.gravity {
        Some(gravity) => model.with_gravity(Vec3::lift(gravity)),
        None => model,
    })
}

/// Parameter values by the names that `armdyn derive` uses.
pub fn parameter_values(model: &Model<f64>) -> HashMap<String, f64> {
    parameters(model).into_iter().map(|p| (p.symbol.plain(), p.value)).collect()
}
