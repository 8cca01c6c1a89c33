//! Export as URDF, with a list of what URDF cannot represent.
//!
//! The exported robot has the same M, g and τ except for rounding: tensors are shifted to the centre of mass, and rotations
//! become roll, pitch and yaw. Numbers have their shortest decimal representation.
//!
//! A joint kind that URDF lacks becomes a chain of URDF joints with massless links between them; each joint has the name of
//! its degree of freedom. This is exact for single-axis pairs. Helical and spherical joints have no such chain and are an
//! error.

mod drive;
mod joints;
mod names;

use super::{ConversionError, ConversionLoss};
use crate::description::{Description, LinkDescription, Shape};
use armdyn_core::escape_xml as escaped;
use armdyn_core::{Inertia, Sym3, Transform, Vec3};
use drive::Reflected;
use names::Names;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Default gravity.
const STANDARD: [f64; 3] = [0.0, 0.0, -9.81];

/// Writes a robot as URDF, links in tree order, with a list of what was omitted or changed.
pub fn to_urdf(description: &Description) -> Result<(String, Vec<ConversionLoss>), ConversionError> {
    let mut writer = Writer {
        d: description,
        out: String::new(),
        lost: vec![],
        failures: vec![],
        links: Names::default(),
        joints: Names::default(),
        reflected: HashMap::new(),
    };
    writer.robot();
    if writer.failures.is_empty() { Ok((writer.out, writer.lost)) } else { Err(ConversionError(writer.failures)) }
}

struct Writer<'a> {
    d: &'a Description,
    out: String,
    lost: Vec<ConversionLoss>,
    failures: Vec<ConversionLoss>,
    links: Names,
    joints: Names,
    /// Rotors by degree of freedom.
    reflected: HashMap<String, Reflected>,
}

/// The shortest decimal representation; −0 is 0.
fn number(x: f64) -> String {
    let text = format!("{:?}", x + 0.0);
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

fn vector(v: [f64; 3]) -> String {
    v.map(number).join(" ")
}

impl Writer<'_> {
    fn report_loss(&mut self, subject: impl Into<String>, message: impl Into<String>) {
        self.lost.push(ConversionLoss { subject: subject.into(), message: message.into() });
    }

    fn report_failure(&mut self, subject: impl Into<String>, message: impl Into<String>) {
        self.failures.push(ConversionLoss { subject: subject.into(), message: message.into() });
    }

    fn robot(&mut self) {
        let d = self.d;
        let tree = d.tree();
        self.name_all(&tree);
        self.besides();
        let _ = writeln!(self.out, "<?xml version=\"1.0\"?>\n<robot name=\"{}\">", escaped(&names::allowed(&d.name)));
        if names::allowed(&d.name) != d.name {
            self.report_loss("the robot", "its name has characters that XML does not allow; they are replaced by `_`");
        }
        let said = [(&d.summary, "its summary"), (&d.origin, "the source of its parameters")];
        for (text, field) in said.into_iter().filter_map(|(text, field)| Some((text.as_ref()?, field))) {
            let text = names::allowed(text).replace("--", "- -");
            let _ = writeln!(self.out, "  <!-- {} -->", text.trim_end_matches('-'));
            self.report_loss("the robot", format!("{field} is written as a comment"));
        }
        self.reflected = drive::by_degree(d);
        for &(link, joint) in &tree {
            self.link(&d.links[link]);
            if let Some(joint) = joint {
                self.joint(&d.joints[joint]);
            }
        }
        self.transmissions();
        self.out.push_str("</robot>\n");
    }

    /// Assigns names to all links and joints; reports those that are not connected.
    fn name_all(&mut self, tree: &[(usize, Option<usize>)]) {
        let d = self.d;
        let mut seen = HashSet::new();
        for l in d.links.iter().filter(|l| !seen.insert(l.name.as_str())) {
            self.report_failure(format!("link `{}`", l.name), "duplicate link name");
        }
        let mut seen = HashSet::new();
        for j in d.joints.iter().filter(|j| !seen.insert(j.name.as_str())) {
            self.report_failure(format!("joint `{}`", j.name), "duplicate joint name");
        }
        if tree.is_empty() {
            self.report_failure("the robot", "it has no root link");
        }
        let kept: HashSet<usize> = tree.iter().map(|(l, _)| *l).collect();
        let moving: HashSet<usize> = tree.iter().filter_map(|(_, j)| *j).collect();
        for (_, l) in d.links.iter().enumerate().filter(|(k, _)| !kept.contains(k)) {
            self.report_loss(format!("link `{}`", l.name), "it is not connected to the root and is omitted");
        }
        for (_, j) in d.joints.iter().enumerate().filter(|(k, _)| !moving.contains(k)) {
            self.report_loss(format!("joint `{}`", j.name), "it is not connected to the root and is omitted");
        }
        for &(l, j) in tree {
            let name = &d.links[l].name;
            if let Some(other) = self.links.take(name, "link") {
                let message = format!("its name is not allowed in URDF; it is renamed to `{other}`");
                self.report_loss(format!("link `{name}`"), message);
            }
            for name in j.map_or(vec![], |j| self.degrees(&d.joints[j])) {
                if let Some(other) = self.joints.take(&name, "joint") {
                    let message = format!("its name is not allowed in URDF; it is renamed to `{other}`");
                    self.report_loss(format!("joint `{name}`"), message);
                }
            }
        }
    }

    /// Properties of the whole robot.
    fn besides(&mut self) {
        let d = self.d;
        if let Some(g) = d.gravity.filter(|g| *g != STANDARD) {
            self.report_loss("the robot", format!("its gravity [{}] m/s²: URDF has no gravity", vector(g)));
        }
        for name in d.materials.keys() {
            self.report_loss(format!("material `{name}`"), "it is omitted");
        }
        for name in d.sections.keys() {
            self.report_loss(format!("section `{name}`"), "it is omitted");
        }
        for joint in d.joints.iter().filter(|j| j.stiffness.iter().any(|k| k.is_finite())) {
            self.report_loss(format!("joint `{}`", joint.name), "its stiffness is omitted");
        }
        for contact in &d.contacts {
            self.report_loss(format!("contact `{}`", contact.contact.name), "it is omitted");
        }
    }

    // Links.

    fn link(&mut self, link: &LinkDescription) {
        let subject = format!("link `{}`", link.name);
        let name = escaped(self.links.of(&link.name));
        let body = self.body(link, &subject);
        if let Some(beam) = &link.beam {
            self.report_loss(&subject, format!("its beam of section `{}` is omitted", beam.section));
        }
        if body.is_none() && link.shapes.is_empty() {
            let _ = writeln!(self.out, "  <link name=\"{name}\"/>");
            return;
        }
        let _ = writeln!(self.out, "  <link name=\"{name}\">");
        if let Some(inertia) = body {
            self.inertial(&inertia, &subject);
        }
        let finite = |s: &&Shape| s.pose.components().iter().chain(&s.size).all(|x| x.is_finite());
        if !link.shapes.iter().all(|s| finite(&s)) {
            self.report_loss(&subject, "a shape whose size or pose is not finite is omitted");
        }
        for shape in link.shapes.iter().filter(finite) {
            let solid = match &shape.asset {
                Some(file) => format!("<mesh filename=\"{}\"/>", escaped(&names::allowed(file))),
                None => format!("<box size=\"{}\"/>", vector(shape.size)),
            };
            let _ = writeln!(
                self.out,
                "    <collision>\n      {}\n      <geometry>{solid}</geometry>\n    </collision>",
                origin(&shape.pose)
            );
        }
        if link.shapes.iter().any(|s| s.asset.is_none()) {
            self.report_loss(&subject, "its shapes are replaced by their bounding boxes");
        }
        if link.shapes.iter().any(|s| s.asset.is_some() && s.size != [0.0; 3]) {
            self.report_loss(&subject, "the size of a mesh is omitted");
        }
        self.out.push_str("  </link>\n");
    }

    /// The total inertia of a link with its parts and payloads.
    fn body(&mut self, link: &LinkDescription, subject: &str) -> Option<Inertia<f64>> {
        match &link.parts[..] {
            [] => {}
            [one] if one.name == link.name => {}
            [one] => self.report_loss(subject, format!("the name of its part `{}` is omitted", one.name)),
            parts => {
                let names: Vec<String> = parts.iter().map(|p| format!("`{}`", p.name)).collect();
                self.report_loss(subject, format!("its parts {} are merged into one inertia", names.join(", ")));
            }
        }
        let payloads: Vec<_> = self.d.payloads.iter().filter(|p| p.link == link.name).collect();
        for p in &payloads {
            self.report_loss(format!("payload `{}`", p.name), format!("it is merged into the inertia of {subject}"));
        }
        let own = link.parts.iter().map(|p| p.inertia);
        own.chain(payloads.iter().map(|p| p.inertia)).reduce(|a, b| a + b)
    }

    fn inertial(&mut self, inertia: &Inertia<f64>, subject: &str) {
        if !inertia.components().iter().all(|x| x.is_finite()) {
            return self.report_failure(subject, "its inertia is not finite");
        }
        if inertia.mass < 0.0 || (inertia.mass == 0.0 && inertia.first != Vec3::zero()) {
            return self.report_failure(subject, "its mass is negative, or it has a first moment but no mass");
        }
        let massless = inertia.mass == 0.0;
        let (centre, tensor) =
            if massless { (Vec3::zero(), inertia.second) } else { (inertia.centre(), inertia.central()) };
        let Sym3 { xx, xy, xz, yy, yz, zz } = tensor;
        let [xx, xy, xz, yy, yz, zz] = [xx, xy, xz, yy, yz, zz].map(number);
        let _ = writeln!(
            self.out,
            "    <inertial>\n      <origin xyz=\"{}\" rpy=\"0 0 0\"/>\n      <mass value=\"{}\"/>\n      <inertia ixx=\"{xx}\" \
             ixy=\"{xy}\" ixz=\"{xz}\" iyy=\"{yy}\" iyz=\"{yz}\" izz=\"{zz}\"/>\n    </inertial>",
            vector(centre.to_array()),
            number(inertia.mass)
        );
    }
}

fn origin(x: &Transform<f64>) -> String {
    format!("<origin xyz=\"{}\" rpy=\"{}\"/>", vector(x.translation.to_array()), vector(x.rotation.roll_pitch_yaw()))
}
