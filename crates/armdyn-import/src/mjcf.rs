//! MJCF reader, after MuJoCo's XML reference and compiler (3.x, 4.0).
//!
//! The world is the base link `world`, without mass. Each body is a link with the body's frame. Its joints are given in the
//! body's frame at q = `ref` and act in sequence; a body without joints is fixed to its parent:
//!
//!   ᵖT(q) = ᵖT_body Π_k [Trans(a_k) J_k(q_k − ref_k) Trans(−a_k)],   a_k the joint's `pos`.
//!
//! A description has one joint per link. So each joint but the last moves a massless link, named `body/joint`; where a_k of
//! the last one is not zero, its link is at a_k and the body is fixed to it (joint `joint/back`). q and q̇ of hinges and
//! slides equal MuJoCo's. Unnamed bodies and joints are `body7` (MuJoCo's number), `body7/joint`, `body7/joint2`; a weld to
//! the parent is `body7/fixed`.
//!
//! Coordinates that differ from MuJoCo's (quaternions are x, y, z, w in armdyn, w, x, y, z in MuJoCo):
//!
//! | joint | armdyn's q | armdyn's q̇ and τ |
//! |---|---|---|
//! | ball | the quaternion, w last | the same: angular, in the body's axes |
//! | free | position and quaternion, w last, of the body in the world | linear part in the body's axes: Rᵀ v; angular part the same |
//!
//! So the body of a free joint is at the origin for neutral q; `pos` and orientation are only its qpos0.
//!
//! `damping` is viscous friction, `frictionloss` Coulomb friction; `armature` of a joint is the drive's, that of an actuator a
//! rotor behind the actuator's gear. A site with the name of a tool is the tool. Springs, gravity compensation, fluids and constraints are reported and not modelled.

mod actuators;
mod bodies;
mod chains;
mod compiler;
mod constraints;
mod defaults;
mod geoms;
mod include;
mod inertials;
mod joints;
mod meshes;

use crate::findings::*;
use crate::source::Place;
use crate::xml::{self, Element, Reader};
use crate::{Description, Diagnostics, Options, ToolDescription, topology};
use compiler::Compiler;
use defaults::Defaults;
use meshes::Assets;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Reads the robot of a file.
pub(crate) fn read(diagnostics: &mut Diagnostics, file: usize, options: &Options) -> Option<Description> {
    let (root, _) = xml::parse_file(diagnostics, file, "mujoco")?;
    let root = include::expand(diagnostics, &root)?;
    let description = Mjcf::new(&mut Reader::new(diagnostics, options)).model(&root);
    diagnostics.findings.sort_by_key(|f| f.place.as_ref().map(|p| (p.file, p.span.start)));
    description
}

/// State of the reader.
struct Mjcf<'r, 'a> {
    r: &'r mut Reader<'a>,
    compiler: Compiler,
    defaults: Defaults,
    assets: Assets,
    robot: Description,
    /// The number of each joint, once all are read.
    numbers: HashMap<String, usize>,
    /// Joints that follow others by a constraint, and its place.
    mimics: Vec<(usize, Place)>,
    /// `ref` of each joint, for constraints between joints.
    refs: HashMap<String, f64>,
    /// Joints with a `springdamper`, and its time constant \[s\].
    time_constants: Vec<(String, f64)>,
    names: Names,
    /// Sites whose names say that they are the tool: how well, the name, and the tool.
    tool_sites: Vec<(usize, String, ToolDescription)>,
    /// Number of bodies so far, without the world.
    bodies: usize,
    /// Flags that `<option>` disables.
    without: HashSet<&'static str>,
    /// Remaining element budget: copies multiply elements.
    left: usize,
}

/// Names given in the file, not available for unnamed elements.
#[derive(Default)]
struct Names {
    links: Taken,
    joints: Taken,
}

/// Names in use.
#[derive(Default)]
struct Taken {
    names: HashSet<String>,
    /// Number of repetitions of each name.
    again: HashMap<String, usize>,
}

impl Taken {
    /// An unused name: this one, or with a prime and a number.
    fn fresh(&mut self, wanted: String) -> String {
        if self.names.insert(wanted.clone()) {
            return wanted;
        }
        let again = self.again.entry(wanted.clone()).or_default();
        loop {
            *again += 1;
            let number = if *again == 1 { String::new() } else { again.to_string() };
            let name = format!("{wanted}'{number}");
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Limit on the elements of the tree, including copies.
const MAX_ELEMENTS: usize = 50_000;

impl<'r, 'a> Mjcf<'r, 'a> {
    fn new(r: &'r mut Reader<'a>) -> Self {
        Mjcf {
            r,
            compiler: Compiler::default(),
            defaults: Defaults::default(),
            assets: Assets::default(),
            robot: Description::default(),
            numbers: HashMap::new(),
            mimics: vec![],
            refs: HashMap::new(),
            time_constants: vec![],
            names: Names::default(),
            tool_sites: vec![],
            bodies: 0,
            without: HashSet::new(),
            left: MAX_ELEMENTS,
        }
    }

    fn model(mut self, root: &Element) -> Option<Description> {
        self.robot.name = root.attribute("model").map_or("MuJoCo Model".to_string(), |a| a.value.clone());
        self.r.unused_attributes(root, &["model"], "the model");
        collect_names(root, &mut self.names);
        // Settings apply to the whole file, wherever they appear.
        self.each(root, "compiler", Self::compiler);
        self.each(root, "option", Self::option);
        if self.without.contains("gravity") {
            self.robot.gravity = Some([0.0; 3]);
        }
        self.each(root, "default", Self::default_section);
        self.each(root, "asset", Self::asset_section);
        let worlds: Vec<Rc<Element>> = root.children.iter().filter(|e| e.name == "worldbody").cloned().collect();
        match worlds.first() {
            Some(first) => self.world(first, &worlds),
            None => {
                let message = "the model has no <worldbody>; is it meant to be included by another file?";
                self.r.report(A004, &root.place, message);
                return None;
            }
        }
        self.choose_tool();
        self.total_mass(root);
        self.number_joints();
        self.actuators(root);
        self.damp();
        self.each(root, "equality", Self::equalities);
        self.report_mimics();
        self.each(root, "tendon", Self::tendons);
        self.each(root, "deformable", Self::deformables);
        for e in &root.children {
            match e.name.as_str() {
                "compiler" | "option" | "default" | "asset" | "worldbody" => {}
                "actuator" | "equality" | "tendon" | "deformable" => {}
                "contact" | "sensor" | "keyframe" | "visual" | "statistic" | "size" | "custom" | "extension" => {
                    self.r.unused(e, "the model");
                }
                _ => {
                    let message = format!("the model: unknown element <{}>", e.name);
                    self.r.report(A010, &e.place, message);
                }
            }
        }
        topology::check(self.r.diagnostics, &self.robot, &HashMap::new());
        Some(self.robot)
    }

    /// Of joints with the same name, the first one is used.
    fn number_joints(&mut self) {
        for (k, j) in self.robot.joints.iter().enumerate() {
            self.numbers.entry(j.name.clone()).or_insert(k);
        }
    }

    /// Whether `<option>` disables one of these flags.
    fn switched_off(&self, flags: [&str; 2]) -> bool {
        flags.iter().any(|f| self.without.contains(f))
    }

    fn each(&mut self, root: &Element, name: &str, mut read: impl FnMut(&mut Self, &Element)) {
        root.children.iter().filter(|e| e.name == name).for_each(|e| read(self, e));
    }
}

/// Collects all names of bodies and joints in the file.
fn collect_names(e: &Element, into: &mut Names) {
    let set = match e.name.as_str() {
        "body" => Some(&mut into.links),
        "joint" | "freejoint" => Some(&mut into.joints),
        _ => None,
    };
    if let (Some(set), Some(a)) = (set, e.attribute("name")) {
        set.names.insert(a.value.clone());
    }
    e.children.iter().for_each(|c| collect_names(c, into));
}
