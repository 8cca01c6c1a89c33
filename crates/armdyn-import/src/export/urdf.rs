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

use super::names;
use super::writer::{STANDARD_GRAVITY, Writer, escaped, number, vector};
use super::{ConversionError, ConversionLoss};
use crate::description::{Description, LinkDescription, Shape};
use armdyn_core::{Inertia, Sym3, Transform};
use joints::Written;
pub(super) use joints::members;
use std::fmt::Write;

/// Writes a robot as URDF, links in tree order, with a list of what was omitted or changed.
pub fn to_urdf(description: &Description) -> Result<(String, Vec<ConversionLoss>), ConversionError> {
    let mut writer = Writer::new(description, "URDF");
    writer.robot();
    writer.finish()
}

impl Writer<'_> {
    fn robot(&mut self) {
        let d = self.d;
        let tree = d.tree();
        self.name_all(&tree, Writer::degrees);
        self.besides();
        let name = self.robot_name();
        let _ = writeln!(self.out, "<?xml version=\"1.0\"?>\n<robot name=\"{name}\">");
        self.comments();
        for &(link, joint) in &tree {
            self.link(&d.links[link]);
            if let Some(joint) = joint {
                self.joint(&d.joints[joint]);
            }
        }
        self.tool();
        self.transmissions();
        self.out.push_str("</robot>\n");
    }

    /// The tool as a link without mass.
    fn tool(&mut self) {
        let Some(tool) = &self.d.tool else { return };
        let (child, name) = (self.links.invent("tool0"), self.joints.invent("tool0_fixed"));
        let _ = writeln!(self.out, "  <link name=\"{}\"/>", escaped(&child));
        self.report_substitution("the tool", format!("it is written as the link `{child}`"));
        let (parent, placement) = (self.links.of(&tool.link).to_string(), tool.pose);
        let fixed = Written { name, kind: "fixed", axis: None, parent, child, placement, drive: None, mimic: None };
        self.write(fixed);
    }

    /// Properties of the whole robot.
    fn besides(&mut self) {
        let d = self.d;
        if let Some(g) = d.gravity.filter(|g| *g != STANDARD_GRAVITY) {
            self.report_loss("the robot", format!("its gravity [{}] m/s²: URDF has no gravity", vector(g)));
        }
        self.report_omitted();
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
                Some(file) => {
                    let scale = shape
                        .mesh
                        .as_ref()
                        .map(|m| m.scale)
                        .filter(|s| *s != [1.0; 3] && s.iter().all(|x| x.is_finite()));
                    let scale = scale.map_or(String::new(), |s| format!(" scale=\"{}\"", vector(s)));
                    format!("<mesh filename=\"{}\"{scale}/>", escaped(&names::allowed(file)))
                }
                None => format!("<box size=\"{}\"/>", vector(shape.size)),
            };
            let _ = writeln!(
                self.out,
                "    <collision>\n      {}\n      <geometry>{solid}</geometry>\n    </collision>",
                origin(&shape.pose)
            );
        }
        if link.shapes.iter().any(|s| s.asset.is_none()) {
            self.report_substitution(&subject, "its shapes are replaced by their bounding boxes");
        }
        if link.shapes.iter().any(|s| s.asset.is_some() && s.size != [0.0; 3]) {
            self.report_loss(&subject, "the size of a mesh is omitted");
        }
        self.out.push_str("  </link>\n");
    }

    fn inertial(&mut self, inertia: &Inertia<f64>, subject: &str) {
        let Some((centre, tensor)) = self.centre_and_tensor(inertia, subject) else { return };
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
