//! Export as MJCF (MuJoCo), with a list of what MJCF cannot represent.
//!
//! The exported robot has the same M, g and τ except for rounding. The root link is MuJoCo's world; if it has mass, a body
//! fixed to the world carries it. A joint of several axes becomes several joints of one body, named after the degrees of
//! freedom, in the same order: MuJoCo applies the joints of a body in sequence. Drives become `armature`, `damping`,
//! `frictionloss` and a motor; the tool becomes a site. Angles are in radians, quaternions w, x, y, z.
//!
//! MuJoCo rejects moving bodies without mass, with a vanishing moment of inertia, or plane ones by rounding; they get
//! [`LEAST_MASS`] and [`LEAST_MOMENT`], which is reported.

use super::writer::{STANDARD_GRAVITY, Writer, escaped, number, vector};
use super::{ConversionError, ConversionLoss};
use crate::description::{Description, JointDescription, LinkDescription, Mimic, Shape};
use crate::export::urdf::members;
use armdyn_core::{Drive, EffortRange, Inertia, JointAxis, JointKind, Sym3, Transform, Vec3};
use std::collections::HashMap;
use std::fmt::Write;

/// Mass of a moving body without mass \[kg\].
const LEAST_MASS: f64 = 1e-9;
/// Added to the moments of inertia where one vanishes: this \[kg m²\], or this fraction of the largest if that is more.
const LEAST_MOMENT: f64 = 1e-12;
const LEAST_FRACTION: f64 = 1e-9;

/// Writes a robot as MJCF, with a list of what was omitted or changed.
pub fn to_mjcf(description: &Description) -> Result<(String, Vec<ConversionLoss>), ConversionError> {
    let w = Writer::new(description, "MJCF");
    let mut mjcf = Mjcf { w, motors: String::new(), equalities: String::new(), depth: 2 };
    mjcf.robot();
    mjcf.w.finish()
}

struct Mjcf<'a> {
    w: Writer<'a>,
    motors: String,
    equalities: String,
    /// Nesting of the current element.
    depth: usize,
}

/// A step of the walk through the tree.
enum Step {
    Open(usize, usize),
    Close,
}

impl Mjcf<'_> {
    fn robot(&mut self) {
        let d = self.w.d;
        let tree = d.tree();
        self.w.name_all(&tree, |_, joint| joint_names(joint));
        self.w.report_omitted();
        let name = self.w.robot_name();
        let _ = writeln!(self.w.out, "<?xml version=\"1.0\"?>\n<mujoco model=\"{name}\">");
        self.w.comments();
        let gravity = vector(d.gravity.unwrap_or(STANDARD_GRAVITY));
        let _ = writeln!(
            self.w.out,
            "  <compiler angle=\"radian\" autolimits=\"true\" inertiafromgeom=\"false\"/>\n  <option gravity=\"{gravity}\"/>\n  \
             <worldbody>"
        );
        self.bodies(&tree);
        self.w.out.push_str("  </worldbody>\n");
        for (section, text) in [("equality", &self.equalities), ("actuator", &self.motors)] {
            if !text.is_empty() {
                let _ = writeln!(self.w.out, "  <{section}>\n{text}  </{section}>");
            }
        }
        self.w.out.push_str("</mujoco>\n");
        for r in d.coupled_rotors.iter().filter(|r| r.gears.len() > 1) {
            let names: Vec<String> = r.gears.iter().map(|(n, _)| format!("`{n}`")).collect();
            let message = "it is geared to several joints and is omitted: the mass matrix lacks its inertia";
            self.w.report_loss(format!("the rotor of {}", names.join(", ")), message);
        }
    }

    /// All bodies, parents before children.
    fn bodies(&mut self, tree: &[(usize, Option<usize>)]) {
        let d = self.w.d;
        let Some(&(root, _)) = tree.first() else { return };
        let mut children: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        for &(link, joint) in tree {
            if let Some(joint) = joint {
                children.entry(&d.joints[joint].parent).or_default().push((link, joint));
            }
        }
        self.root(&d.links[root]);
        let opened = |name: &str| {
            let below = children.get(name).into_iter().flatten().rev();
            below.map(|&(link, joint)| Step::Open(link, joint)).collect::<Vec<_>>()
        };
        let mut steps = opened(&d.links[root].name);
        while let Some(step) = steps.pop() {
            match step {
                Step::Open(link, joint) => {
                    let (link, joint) = (&d.links[link], &d.joints[joint]);
                    self.open(link, joint, joint.parent == d.links[root].name);
                    steps.push(Step::Close);
                    steps.extend(opened(&link.name));
                }
                Step::Close => {
                    self.depth -= 1;
                    self.line("</body>");
                }
            }
        }
    }

    /// The root is the world; what it consists of is a body fixed to it.
    fn root(&mut self, link: &LinkDescription) {
        let name = escaped(self.w.links.of(&link.name));
        let has_mass = self.w.d.payloads.iter().any(|p| p.link == link.name) || !link.parts.is_empty();
        if has_mass || !link.shapes.is_empty() || self.w.d.tool.as_ref().is_some_and(|t| t.link == link.name) {
            self.line(&format!("<body name=\"{name}\">"));
            self.depth += 1;
            self.contents(link, false);
            self.depth -= 1;
            self.line("</body>");
        } else {
            self.w.report_loss(format!("link `{}`", link.name), "the root is MuJoCo's `world`; its name is omitted");
        }
    }

    fn open(&mut self, link: &LinkDescription, joint: &JointDescription, at_root: bool) {
        let subject = format!("joint `{}`", joint.name);
        if !joint.placement.components().iter().all(|x| x.is_finite()) {
            self.w.report_failure(&subject, "its placement is not finite");
        }
        let name = escaped(self.w.links.of(&link.name));
        self.line(&format!("<body name=\"{name}\"{}>", pose(&joint.placement)));
        self.depth += 1;
        match &joint.kind {
            JointKind::Free => self.free(joint, &subject, at_root),
            JointKind::Spherical => self.ball(joint, &subject),
            kind => match members(kind) {
                Some(axes) => self.axes(joint, &axes),
                None => {
                    let message = format!("MJCF has no {} joint, and no chain of joints is equivalent", kind.name());
                    self.w.report_failure(&subject, message);
                }
            },
        }
        self.contents(link, joint.kind != JointKind::Fixed);
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.w.out, "{}{text}", "  ".repeat(self.depth));
    }

    // Joints.

    fn free(&mut self, joint: &JointDescription, subject: &str, at_root: bool) {
        if !at_root {
            self.w.report_failure(subject, "MJCF allows a free joint only at the root");
        }
        if joint.drives.iter().any(|d| *d != Drive::ideal()) {
            self.w.report_loss(subject, "rotors, friction and limits of a free joint are omitted");
        }
        if joint.placement != Transform::identity() {
            let message =
                "its placement is written as the initial pose: MuJoCo's coordinates are the pose in the world";
            self.w.report_substitution(subject, message);
        }
        let name = escaped(self.w.joints.of(&joint.name));
        self.line(&format!("<freejoint name=\"{name}\"/>"));
    }

    fn ball(&mut self, joint: &JointDescription, subject: &str) {
        let drive = joint.drives.first().copied().unwrap_or(Drive::ideal());
        if joint.drives.iter().any(|d| *d != drive) {
            self.w
                .report_substitution(subject, "its drives differ by axis: those of the first one are written for all");
        }
        let name = self.w.joints.of(&joint.name).to_string();
        let armature = joint.dof_names().first().and_then(|dof| self.w.reflected.get(dof)).map_or(0.0, |r| r.total());
        let drive = self.drive(&name, &drive, armature);
        self.line(&format!("<joint name=\"{}\" type=\"ball\"{drive}/>", escaped(&name)));
    }

    /// Joints of one axis each, in sequence.
    fn axes(&mut self, joint: &JointDescription, axes: &[JointAxis]) {
        let subject = format!("joint `{}`", joint.name);
        let names: Vec<String> = axes.iter().map(|a| a.dof_name(&joint.name)).collect();
        if axes.len() > 1 {
            let named: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            self.w.report_substitution(
                &subject,
                format!("it is replaced by the joints {} of one body", named.join(", ")),
            );
        }
        for (k, (axis, degree)) in axes.iter().zip(names).enumerate() {
            let drive = joint.drives.get(k).copied().unwrap_or(Drive::ideal());
            let length = Vec3::<f64>::lift(axis.axis).norm();
            if !(length.is_finite() && length > 0.0) {
                return self.w.report_failure(subject, "its axis has no direction");
            }
            let name = self.w.joints.of(&degree).to_string();
            let kind = if axis.prismatic { "slide" } else { "hinge" };
            let axis = vector(axis.axis.map(|x| x / length));
            let armature = self.armature(&degree, &drive);
            let written = self.drive(&name, &drive, armature) + &self.limits(&name, &drive);
            self.line(&format!("<joint name=\"{}\" type=\"{kind}\" axis=\"{axis}\"{written}/>", escaped(&name)));
            match &joint.mimic {
                Some(mimic) if axes.len() == 1 => self.equality(&name, mimic),
                Some(mimic) => {
                    let message = format!("mimic of `{}` is omitted: it has several axes", mimic.joint);
                    self.w.report_loss(&subject, message);
                }
                None => self.motor(&name, &drive),
            }
        }
    }

    /// The inertia of rotors and armature at the joint.
    fn armature(&mut self, degree: &str, drive: &Drive) -> f64 {
        let Some(reflected) = self.w.reflected.get(degree).cloned() else { return 0.0 };
        let subject = format!("joint `{degree}`");
        if !reflected.rotors.is_empty() {
            self.w.report_substitution(
                &subject,
                "rotor inertia and gear ratio are written as `armature`, the reflected inertia",
            );
        }
        if drive.rotor.is_some_and(|r| r.axis.is_some()) {
            self.w.report_loss(&subject, "the rotor's axis (gyroscopic effect) is omitted");
        }
        reflected.total()
    }

    /// Attributes of armature and friction.
    fn drive(&mut self, name: &str, drive: &Drive, armature: f64) -> String {
        let (subject, f) = (format!("joint `{name}`"), &drive.friction);
        let levels = [armature, f.viscous, f.coulomb_forward, f.coulomb_backward, f.stribeck];
        if !levels.iter().all(|x| x.is_finite()) {
            self.w.report_failure(&subject, "its friction or armature is not finite");
        }
        let coulomb = if f.coulomb_forward == f.coulomb_backward {
            f.coulomb_forward
        } else {
            let [forward, backward] = [f.coulomb_forward, f.coulomb_backward].map(armdyn_core::four_digits);
            let message = format!("Coulomb friction {forward} forward and {backward} backward is replaced by the mean");
            self.w.report_substitution(&subject, message);
            0.5 * (f.coulomb_forward + f.coulomb_backward)
        };
        if f.stribeck != 0.0 {
            let message = format!("the Stribeck friction of {} at {} is omitted", f.stribeck, f.stribeck_speed);
            self.w.report_loss(&subject, message);
        }
        let all = [("armature", armature), ("damping", f.viscous), ("frictionloss", coulomb)];
        all.into_iter().filter(|(_, x)| *x != 0.0).map(|(key, x)| format!(" {key}=\"{}\"", number(x))).collect()
    }

    /// Attributes of range and effort.
    fn limits(&mut self, name: &str, drive: &Drive) -> String {
        let (subject, l) = (format!("joint `{name}`"), drive.limits);
        for (limit, what) in [(l.speed, "speed limit"), (l.continuous, "continuous rating")] {
            if limit.is_finite() {
                self.w.report_loss(&subject, format!("its {what} is omitted"));
            }
        }
        let mut text = String::new();
        if [l.lower, l.upper, l.effort.lower, l.effort.upper].iter().any(|x| x.is_nan()) {
            self.w.report_failure(&subject, "a limit is not a number");
        } else if l.lower.is_finite() && l.upper.is_finite() && l.lower < l.upper {
            let _ = write!(text, " range=\"{}\"", vector([l.lower, l.upper]));
        } else if l.lower.is_finite() || l.upper.is_finite() {
            let message = "its limits are omitted: MuJoCo requires two finite ones, the lower one below the upper one";
            self.w.report_loss(&subject, message);
        }
        if let Some(range) = effort_range(drive) {
            let _ = write!(text, " actuatorfrcrange=\"{range}\"");
        } else if l.effort == 0.0.into() {
            self.w.report_loss(&subject, "its effort limit of zero is omitted");
        } else if l.effort != EffortRange::UNLIMITED {
            let message =
                "its effort limits are omitted: MuJoCo requires two finite ones, the lower one below the upper one";
            self.w.report_loss(&subject, message);
        }
        text
    }

    fn motor(&mut self, name: &str, drive: &Drive) {
        let range = effort_range(drive).map_or(String::new(), |range| format!(" ctrlrange=\"{range}\""));
        let name = escaped(name);
        let _ = writeln!(self.motors, "    <motor name=\"{name}\" joint=\"{name}\"{range}/>");
    }

    fn equality(&mut self, name: &str, mimic: &Mimic) {
        let (follower, leader) = (escaped(name), escaped(self.w.joints.of(&mimic.joint)));
        let coefficients = vector([mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0]);
        let _ = writeln!(
            self.equalities,
            "    <joint joint1=\"{follower}\" joint2=\"{leader}\" polycoef=\"{coefficients}\"/>"
        );
    }

    // What a body consists of.

    fn contents(&mut self, link: &LinkDescription, moves: bool) {
        let subject = format!("link `{}`", link.name);
        let body = self.w.body(link, &subject).filter(|i| *i != Inertia::zero());
        match body {
            Some(inertia) => self.inertial(&inertia, &subject, moves),
            None if moves && !self.carries_mass(&link.name) => {
                self.inertial(&Inertia::zero(), &subject, true);
            }
            None => {}
        }
        if let Some(beam) = &link.beam {
            self.w.report_loss(&subject, format!("its beam of section `{}` is omitted", beam.section));
        }
        for shape in &link.shapes {
            self.shape(shape, &subject);
        }
        if let Some(tool) = self.w.d.tool.as_ref().filter(|t| t.link == link.name) {
            self.line(&format!("<site name=\"tool\"{}/>", pose(&tool.pose)));
        }
    }

    /// Whether a link fixed to this one has mass.
    fn carries_mass(&self, link: &str) -> bool {
        let d = self.w.d;
        let mut links = vec![link];
        while let Some(name) = links.pop() {
            let own = d.links.iter().filter(|l| l.name == name).flat_map(|l| &l.parts).any(|p| p.inertia.mass > 0.0);
            if own || d.payloads.iter().any(|p| p.link == name) {
                return true;
            }
            let fixed = d.joints.iter().filter(|j| j.kind == JointKind::Fixed && j.parent == name);
            links.extend(fixed.map(|j| j.child.as_str()));
        }
        false
    }

    fn inertial(&mut self, inertia: &Inertia<f64>, subject: &str, moves: bool) {
        let Some((centre, mut tensor)) = self.w.centre_and_tensor(inertia, subject) else { return };
        let mut mass = inertia.mass;
        if moves && mass == 0.0 {
            mass = LEAST_MASS;
            self.w.report_substitution(subject, format!("MuJoCo requires a mass: {LEAST_MASS:e} kg is written"));
        }
        let [least, middle, largest] = tensor.eigenvalues();
        // A + B − C of the principal moments: 0 for a plane body, and then negative by rounding.
        let (margin, smallest) = (least + middle - largest, LEAST_FRACTION * largest);
        if margin < -1e-6 * largest {
            let message = "its moments violate the triangle inequality: written as they are, MuJoCo rejects them unless `balanceinertia` is set";
            self.w.report_substitution(subject, message);
        } else if margin < smallest || least < smallest || least < 0.1 * LEAST_MOMENT {
            let added = LEAST_MOMENT.max(smallest);
            tensor = Sym3 { xx: tensor.xx + added, yy: tensor.yy + added, zz: tensor.zz + added, ..tensor };
            let message = "MuJoCo requires positive moments of inertia that satisfy the triangle inequality: 1e-9 of the \
                           largest one, or 1e-12 kg m², is added";
            self.w.report_substitution(subject, message);
        }
        let Sym3 { xx, xy, xz, yy, yz, zz } = tensor;
        let moments = match [xy, xz, yz] == [0.0; 3] {
            true => format!("diaginertia=\"{}\"", vector([xx, yy, zz])),
            false => format!("fullinertia=\"{}\"", vector([xx, yy, zz, xy, xz, yz])),
        };
        let (centre, mass) = (vector(centre.to_array()), number(mass));
        self.line(&format!("<inertial pos=\"{centre}\" mass=\"{mass}\" {moments}/>"));
    }

    fn shape(&mut self, shape: &Shape, subject: &str) {
        let finite = shape.pose.components().iter().chain(&shape.size).all(|x| x.is_finite());
        if !finite || shape.size.iter().any(|x| *x <= 0.0) {
            let what = if shape.asset.is_some() { "a mesh without a known size" } else { "a shape without a size" };
            return self.w.report_loss(subject, format!("{what} is omitted"));
        }
        self.w.report_substitution(subject, "its shapes are replaced by their bounding boxes, without collisions");
        let half = vector(shape.size.map(|x| x / 2.0));
        let at = pose(&shape.pose);
        self.line(&format!("<geom type=\"box\" size=\"{half}\"{at} contype=\"0\" conaffinity=\"0\"/>"));
    }
}

/// The names of the joints that a joint is written as.
fn joint_names(joint: &JointDescription) -> Vec<String> {
    match (&joint.kind, members(&joint.kind)) {
        (JointKind::Fixed, _) => vec![],
        (_, Some(axes)) => axes.iter().map(|a| a.dof_name(&joint.name)).collect(),
        _ => vec![joint.name.clone()],
    }
}

/// Limits of a drive's force that MuJoCo accepts.
fn effort_range(drive: &Drive) -> Option<String> {
    let e = drive.limits.effort;
    (e.is_known() && e.lower < e.upper).then(|| vector([e.lower, e.upper]))
}

/// The attributes of a pose; nothing where it is the identity.
fn pose(x: &Transform<f64>) -> String {
    let mut text = String::new();
    if x.translation != Vec3::zero() {
        let _ = write!(text, " pos=\"{}\"", vector(x.translation.to_array()));
    }
    if x.rotation != Transform::identity().rotation {
        let [a, b, c, w] = x.rotation.to_quaternion();
        let _ = write!(text, " quat=\"{}\"", vector([w, a, b, c]));
    }
    text
}
