//! A description as URDF, and what URDF cannot say.
//!
//! What comes back when it is read again has the same M, g and τ but for rounding: a tensor is shifted to the centre of
//! mass, and rotations become roll, pitch and yaw. Numbers have the fewest digits that give them back.
//!
//! A joint that URDF lacks is a chain of joints that it has, with links without mass in between, each joint named as its
//! degree of freedom was. That is exact for pairs with one axis. A helical or a spherical joint is no such chain: it is
//! failures.

mod drive;
mod joints;
mod names;

use super::{ConversionError, ConversionLoss};
use crate::description::{Description, LinkDescription, Shape};
use armdyn_core::{Inertia, Sym3, Transform, Vec3};
use drive::Reflected;
use names::{Names, escaped};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Gravity where nothing is said of it.
const STANDARD: [f64; 3] = [0.0, 0.0, -9.81];

/// Writes a robot as URDF, links in the order of the tree, with what was left out or changed; or why it cannot be written.
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

/// The fewest digits that give the number back; −0 is 0.
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
            self.report_loss("the robot", "its name has characters that XML cannot hold; they are `_`");
        }
        let said = [(&d.summary, "its summary"), (&d.origin, "where its figures come from")];
        for (text, what) in said.into_iter().filter_map(|(text, what)| Some((text.as_ref()?, what))) {
            let text = names::allowed(text).replace("--", "- -");
            let _ = writeln!(self.out, "  <!-- {} -->", text.trim_end_matches('-'));
            self.report_loss("the robot", format!("{what} is written as a comment"));
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

    /// Names for all links and joints, and what hangs on nothing.
    fn name_all(&mut self, tree: &[(usize, Option<usize>)]) {
        let d = self.d;
        let mut seen = HashSet::new();
        for l in d.links.iter().filter(|l| !seen.insert(l.name.as_str())) {
            self.report_failure(format!("link `{}`", l.name), "there is another link of that name");
        }
        let mut seen = HashSet::new();
        for j in d.joints.iter().filter(|j| !seen.insert(j.name.as_str())) {
            self.report_failure(format!("joint `{}`", j.name), "there is another joint of that name");
        }
        if tree.is_empty() {
            self.report_failure("the robot", "it has no root: no link that no joint moves");
        }
        let kept: HashSet<usize> = tree.iter().map(|(l, _)| *l).collect();
        let moving: HashSet<usize> = tree.iter().filter_map(|(_, j)| *j).collect();
        for (_, l) in d.links.iter().enumerate().filter(|(k, _)| !kept.contains(k)) {
            self.report_loss(format!("link `{}`", l.name), "it does not hang on the root, and is left out");
        }
        for (_, j) in d.joints.iter().enumerate().filter(|(k, _)| !moving.contains(k)) {
            self.report_loss(format!("joint `{}`", j.name), "it moves no link of the tree, and is left out");
        }
        for &(l, j) in tree {
            let name = &d.links[l].name;
            if let Some(other) = self.links.take(name, "link") {
                self.report_loss(
                    format!("link `{name}`"),
                    format!("URDF cannot hold its name; it is called `{other}`"),
                );
            }
            for name in j.map_or(vec![], |j| self.degrees(&d.joints[j])) {
                if let Some(other) = self.joints.take(&name, "joint") {
                    self.report_loss(
                        format!("joint `{name}`"),
                        format!("URDF cannot hold its name; it is called `{other}`"),
                    );
                }
            }
        }
    }

    /// What belongs to the robot as a whole.
    fn besides(&mut self) {
        let d = self.d;
        if let Some(g) = d.gravity.filter(|g| *g != STANDARD) {
            self.report_loss("the robot", format!("its gravity [{}] m/s²: URDF has none", vector(g)));
        }
        for name in d.materials.keys() {
            self.report_loss(format!("material `{name}`"), "its stiffness, density and strength");
        }
        for name in d.sections.keys() {
            self.report_loss(format!("section `{name}`"), "it is left out");
        }
        for joint in d.joints.iter().filter(|j| j.stiffness.iter().any(|k| k.is_finite())) {
            self.report_loss(format!("joint `{}`", joint.name), "how stiff its drive holds it");
        }
        for contact in &d.contacts {
            self.report_loss(
                format!("contact `{}`", contact.contact.name),
                "where the base meets the ground: it is left out",
            );
        }
    }

    // Links.

    fn link(&mut self, link: &LinkDescription) {
        let subject = format!("link `{}`", link.name);
        let name = escaped(self.links.of(&link.name));
        let body = self.body(link, &subject);
        if let Some(beam) = &link.beam {
            self.report_loss(&subject, format!("its beam, of section `{}`", beam.section));
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
            self.report_loss(&subject, "a shape whose size or place is not finite");
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
            self.report_loss(&subject, "its shapes are written as the boxes around them");
        }
        if link.shapes.iter().any(|s| s.asset.is_some() && s.size != [0.0; 3]) {
            self.report_loss(&subject, "the size of a shape that is a file");
        }
        self.out.push_str("  </link>\n");
    }

    /// All parts and payloads of a link together.
    fn body(&mut self, link: &LinkDescription, subject: &str) -> Option<Inertia<f64>> {
        match &link.parts[..] {
            [] => {}
            [one] if one.name == link.name => {}
            [one] => self.report_loss(subject, format!("the name of its part `{}`", one.name)),
            parts => {
                let names: Vec<String> = parts.iter().map(|p| format!("`{}`", p.name)).collect();
                self.report_loss(subject, format!("its parts {} are one inertia", names.join(", ")));
            }
        }
        let payloads: Vec<_> = self.d.payloads.iter().filter(|p| p.link == link.name).collect();
        for p in &payloads {
            self.report_loss(format!("payload `{}`", p.name), format!("it is part of the inertia of {subject}"));
        }
        let own = link.parts.iter().map(|p| p.inertia);
        own.chain(payloads.iter().map(|p| p.inertia)).reduce(|a, b| a + b)
    }

    fn inertial(&mut self, inertia: &Inertia<f64>, subject: &str) {
        if !inertia.components().iter().all(|x| x.is_finite()) {
            return self.report_failure(subject, "its inertia is not finite");
        }
        if inertia.mass < 0.0 || (inertia.mass == 0.0 && inertia.first != Vec3::zero()) {
            return self.report_failure(subject, "it has a first moment but no mass, or a negative one");
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
