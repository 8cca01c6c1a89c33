//! URDF, as the `urdfdom` specification of `<robot>` has it; xacro is expanded first.
//!
//! Semantics: `rpy` is Rz(yaw) Ry(pitch) Rx(roll). An inertia is about the centre of mass, in the *inertial frame*, whose
//! origin (the centre of mass) and axes `<inertial><origin>` gives in the link's frame. A joint's `<origin>` is the pose of
//! the child's frame in the parent's at q = 0, `<axis>` is in the child's frame. A link without `<inertial>` has no mass.
//!
//! A planar joint moves in the plane perpendicular to its axis: it slides along the two other axes of its frame, then turns
//! about the axis. Where the axis is x, y or z these are the coordinates. Otherwise a link without mass is put in between,
//! whose z is the axis; it is named after the joint, with `/plane` at the end.

use crate::findings::*;
use crate::packages;
use crate::source::Place;
use crate::xacro;
use crate::xml::{self, Element};
use crate::{Description, JointDescription, LinkDescription, Mimic, Options, PartDescription, Reading, Shape};
use armdyn::{Drive, Inertia, JointKind, Limits, Order, Rotation, Rotor, Sym3, Transform, Vec3, vec3};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The kinds of joints there are.
const KINDS: [&str; 6] = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"];

/// How far an axis may be from unit length without a word: digits that were rounded off.
const ROUNDED: f64 = 1e-3;

/// Reads the robot of a file.
pub(crate) fn read(reading: &mut Reading, file: usize, options: &Options) -> Option<Description> {
    let source = &reading.sources.files[file];
    let named = source.path.extension().is_some_and(|e| e == "xacro");
    let (root, declared) = match xml::parse(&source.text, file) {
        Ok(parsed) => parsed,
        Err(finding) => {
            reading.findings.push(finding);
            return None;
        }
    };
    if root.name != "robot" {
        let what = format!("the root element is <{}>; a URDF's is <robot>", root.name);
        reading.findings.push(Finding::at(A003, &root.place, what));
        return None;
    }
    let root = if named || declared { xacro::expand(reading, &root, options)? } else { root };
    let mut reader = Reader { reading, options, unfound: BTreeSet::new() };
    let description = reader.robot(&root);
    reading.findings.sort_by_key(|f| f.place.as_ref().map(|p| (p.file, p.span.start)));
    description
}

struct Reader<'a> {
    reading: &'a mut Reading,
    options: &'a Options,
    /// Packages that were not found, each told once.
    unfound: BTreeSet<String>,
}

/// What a transmission says of a joint.
struct Transmission {
    joint: String,
    rotor: Rotor,
    place: Place,
    who: String,
}

impl Reader<'_> {
    fn find(&mut self, code: &'static Code, place: &Place, what: impl Into<String>) {
        self.reading.findings.push(Finding::at(code, place, what));
    }

    fn robot(&mut self, root: &Element) -> Option<Description> {
        let name = match root.attribute("name") {
            Some(a) => a.value.clone(),
            None => {
                self.find(A004, &root.place, "<robot> has no `name`");
                String::new()
            }
        };
        self.unused_attributes(root, &["name", "version"], "the robot");
        let mut robot = Description { name, ..Description::default() };
        let mut transmissions = vec![];
        for e in &root.children {
            match e.name.as_str() {
                "link" => robot.links.extend(self.link(e)),
                "joint" => self.joint(e, &mut robot),
                "transmission" => transmissions.extend(self.transmission(e)),
                _ => self.unused(e, "the robot"),
            }
        }
        for t in transmissions {
            self.drive(&mut robot, t);
        }
        if robot.links.is_empty() {
            self.find(A004, &root.place, "the robot has no links");
            return None;
        }
        self.mimics(root, &mut robot);
        self.topology(root, &robot);
        Some(robot)
    }

    // Values.

    /// `N` finite numbers of an attribute; none if it is not there or (which is told) wrong.
    fn numbers<const N: usize>(&mut self, e: &Element, name: &str, who: &str) -> Option<[f64; N]> {
        let a = e.attribute(name)?;
        self.figures(&a.value, &a.place, &format!("{who}: `{name}` of <{}>", e.name), false)
    }

    fn number(&mut self, e: &Element, name: &str, who: &str) -> Option<f64> {
        self.numbers::<1>(e, name, who).map(|[x]| x)
    }

    /// A number that must be there.
    fn needed(&mut self, e: &Element, name: &str, who: &str) -> Option<f64> {
        if e.attribute(name).is_none() {
            self.find(A004, &e.place, format!("{who}: <{}> has no `{name}`", e.name));
        }
        self.number(e, name, who)
    }

    fn figures<const N: usize>(&mut self, text: &str, place: &Place, what: &str, unbounded: bool) -> Option<[f64; N]> {
        let asked = if N == 1 { "a number".to_string() } else { format!("{N} numbers") };
        let parts: Vec<&str> = text.split_whitespace().collect();
        if parts.len() != N {
            self.find(A005, place, format!("{what} is `{}`, not {asked}", short(text)));
            return None;
        }
        let mut found = [0.0; N];
        for (x, part) in found.iter_mut().zip(&parts) {
            let Ok(value) = part.parse::<f64>() else {
                self.find(A005, place, format!("{what} is `{}`, not {asked}", short(text)));
                return None;
            };
            if value.is_nan() || (value.is_infinite() && !unbounded) {
                self.find(A202, place, format!("{what} is `{}`, which is not finite", short(text)));
                return None;
            }
            *x = value;
        }
        Some(found)
    }

    /// A name that must be there.
    fn name(&mut self, e: &Element, who: &str) -> Option<String> {
        match e.attribute("name").filter(|a| !a.value.trim().is_empty()) {
            Some(a) => Some(a.value.clone()),
            None => {
                self.find(A004, &e.place, format!("{who} has no `name`"));
                None
            }
        }
    }

    /// The first child `name`; further ones are told.
    fn only<'e>(&mut self, e: &'e Element, name: &str, who: &str) -> Option<&'e Element> {
        let mut all = e.children.iter().filter(|c| c.name == name);
        let first = all.next()?;
        for again in all {
            self.find(A501, &again.place, format!("{who}: another <{name}> was not used: the first counts"));
        }
        Some(first)
    }

    /// The pose that `<origin>` gives.
    fn origin(&mut self, e: &Element, who: &str) -> Transform<f64> {
        let Some(origin) = self.only(e, "origin", who) else { return Transform::identity() };
        self.unused_attributes(origin, &["xyz", "rpy", "quat_xyzw"], who);
        self.unused_children(origin, &[], who);
        let xyz = self.numbers(origin, "xyz", who).unwrap_or([0.0; 3]);
        let rotation = match self.numbers::<4>(origin, "quat_xyzw", who) {
            Some(q) if q.iter().all(|x| *x == 0.0) => {
                self.find(A005, &origin.place, format!("{who}: `quat_xyzw` of <origin> is null"));
                Rotation::identity()
            }
            Some(q) => Rotation::quaternion(q),
            None => {
                let [roll, pitch, yaw] = self.numbers(origin, "rpy", who).unwrap_or([0.0; 3]);
                Rotation::rpy(roll, pitch, yaw)
            }
        };
        Transform::new(rotation, Vec3::lift(xyz))
    }

    // What was not used.

    fn unused(&mut self, e: &Element, who: &str) {
        self.find(A501, &e.place, format!("{who}: <{}> was not used", e.name));
    }

    fn unused_attributes(&mut self, e: &Element, used: &[&str], who: &str) {
        for a in e.attributes.iter().filter(|a| !used.contains(&a.name.as_str())) {
            self.find(A502, &a.place, format!("{who}: `{}` of <{}> was not used", a.name, e.name));
        }
    }

    fn unused_children(&mut self, e: &Element, used: &[&str], who: &str) {
        for c in e.children.iter().filter(|c| !used.contains(&c.name.as_str())) {
            self.unused(c, who);
        }
    }

    // Links.

    fn link(&mut self, e: &Element) -> Option<LinkDescription> {
        let name = self.name(e, "a link")?;
        let who = format!("link `{name}`");
        self.unused_attributes(e, &["name"], &who);
        self.unused_children(e, &["inertial", "visual", "collision"], &who);
        let part = self.only(e, "inertial", &who).and_then(|i| self.inertial(i, &name, &who));
        let shapes = e.children.iter().filter(|c| c.name == "visual" || c.name == "collision");
        let shapes = shapes.filter_map(|c| self.shape(c, &who)).collect();
        Some(LinkDescription { name, place: e.place.clone(), parts: part.into_iter().collect(), shapes, beam: None })
    }

    fn inertial(&mut self, e: &Element, name: &str, who: &str) -> Option<PartDescription> {
        self.unused_attributes(e, &[], who);
        self.unused_children(e, &["origin", "mass", "inertia"], who);
        let pose = self.origin(e, who);
        let mass = match self.only(e, "mass", who) {
            None => {
                self.find(A004, &e.place, format!("{who}: <inertial> has no <mass>"));
                None
            }
            Some(m) => {
                self.unused_attributes(m, &["value"], who);
                let mass = self.needed(m, "value", who);
                if let Some(kg) = mass.filter(|kg| *kg < 0.0) {
                    let place = m.attribute("value").map_or(&m.place, |a| &a.place);
                    self.find(A201, place, format!("{who}: its mass is {kg} kg"));
                }
                mass
            }
        };
        let tensor = match self.only(e, "inertia", who) {
            None => {
                self.find(A004, &e.place, format!("{who}: <inertial> has no <inertia>"));
                None
            }
            Some(i) => {
                let names = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
                self.unused_attributes(i, &names, who);
                let [xx, xy, xz, yy, yz, zz] = names.map(|n| self.needed(i, n, who));
                (|| Some(Sym3 { xx: xx?, xy: xy?, xz: xz?, yy: yy?, yz: yz?, zz: zz? }))()
            }
        };
        let inertia = Inertia::about_centre(mass?, Vec3::zero(), tensor?).seen_from(&pose);
        Some(PartDescription { name: name.to_string(), place: e.place.clone(), inertia })
    }

    /// The size of a visual or collision; none where it is not known.
    fn shape(&mut self, e: &Element, who: &str) -> Option<Shape> {
        self.unused_attributes(e, &["name"], who);
        self.unused_children(e, &["origin", "geometry"], who);
        let pose = self.origin(e, who);
        let Some(geometry) = self.only(e, "geometry", who) else {
            self.find(A004, &e.place, format!("{who}: <{}> has no <geometry>", e.name));
            return None;
        };
        let solids = ["box", "cylinder", "sphere", "capsule", "mesh"];
        self.unused_children(geometry, &solids, who);
        let solid = geometry.children.iter().find(|c| solids.contains(&c.name.as_str()))?;
        let used: &[&str] = match solid.name.as_str() {
            "box" => &["size"],
            "sphere" => &["radius"],
            "mesh" => &["filename"],
            _ => &["radius", "length"],
        };
        self.unused_attributes(solid, used, who);
        if solid.name == "mesh" {
            let Some(file) = solid.attribute("filename") else {
                self.find(A004, &solid.place, format!("{who}: <mesh> has no `filename`"));
                return None;
            };
            self.asset(&file.value, &file.place, who);
            let asset = Some(file.value.clone());
            return Some(Shape { place: solid.place.clone(), pose, size: [0.0; 3], asset });
        }
        let size = if solid.name == "box" {
            if solid.attribute("size").is_none() {
                self.find(A004, &solid.place, format!("{who}: <box> has no `size`"));
            }
            self.numbers(solid, "size", who)?
        } else {
            let r = self.needed(solid, "radius", who);
            let l = if solid.name == "sphere" { Some(0.0) } else { self.needed(solid, "length", who) };
            let (r, l) = (r?, l?);
            [2.0 * r, 2.0 * r, if solid.name == "cylinder" { l } else { l + 2.0 * r }]
        };
        Some(Shape { place: solid.place.clone(), pose, size, asset: None })
    }

    /// Looks for a file that is named.
    fn asset(&mut self, uri: &str, place: &Place, who: &str) {
        let from = self.reading.sources.files[place.file].path.clone();
        let path: PathBuf = if let Some((_, inside)) =
            uri.split_once("://").filter(|(scheme, _)| ["package", "model"].contains(scheme))
        {
            let (package, rest) = inside.split_once('/').unwrap_or((inside, ""));
            match packages::folder(package, self.options, &from) {
                Some(folder) => folder.join(rest),
                None => {
                    if self.unfound.insert(package.to_string()) {
                        self.find(
                            A401,
                            place,
                            format!("{who}: package `{package}` is not found (for `{}`)", short(uri)),
                        );
                    }
                    return;
                }
            }
        } else if let Some(absolute) = uri.strip_prefix("file://") {
            PathBuf::from(absolute)
        } else if uri.contains("://") {
            return self.find(A402, place, format!("{who}: `{}` was not looked for", short(uri)));
        } else {
            from.parent().unwrap_or(Path::new("")).join(uri)
        };
        if !path.is_file() {
            self.find(A402, place, format!("{who}: there is no file `{}`", short(uri)));
        }
    }

    // Joints.

    fn joint(&mut self, e: &Element, robot: &mut Description) {
        let Some(name) = self.name(e, "a joint") else { return };
        let who = format!("joint `{name}`");
        self.unused_attributes(e, &["name", "type"], &who);
        let placement = self.origin(e, &who);
        let kind = self.kind(e, &who);
        let moves = !matches!(kind.as_str(), "fixed" | "floating" | "");
        let driven = matches!(kind.as_str(), "revolute" | "continuous" | "prismatic");
        let mut used = vec!["origin", "parent", "child"];
        used.extend(moves.then_some("axis"));
        used.extend(driven.then_some(["limit", "dynamics", "mimic"]).into_iter().flatten());
        self.unused_children(e, if kind.is_empty() { &[] } else { &used }, &who);
        let axis = if moves { self.axis(e, &who) } else { [0.0; 3] };
        let [parent, child] = ["parent", "child"].map(|end| self.end(e, end, &who));
        let (drives, mimic) =
            if driven { (vec![self.drive_of(e, &kind, &who)], self.mimic(e, &who)) } else { (vec![], None) };
        let (Some(parent), Some(child)) = (parent, child) else { return };
        if kind == "fixed" {
            self.find(A503, &e.place, format!("{who} is fixed: `{child}` moves with `{parent}`"));
        }
        let place = e.place.clone();
        let mut joint =
            JointDescription { name, place, kind: JointKind::Fixed, parent, child, placement, drives, mimic };
        joint.kind = match kind.as_str() {
            "revolute" | "continuous" => JointKind::Revolute { axis },
            "prismatic" => JointKind::Prismatic { axis },
            "floating" => JointKind::Free,
            "planar" => match plane(axis) {
                Some(kind) => kind,
                None => return across(joint, axis, robot),
            },
            _ => JointKind::Fixed,
        };
        robot.joints.push(joint);
    }

    /// The type of a joint; nothing if it is not known.
    fn kind(&mut self, e: &Element, who: &str) -> String {
        match e.attribute("type") {
            Some(a) if KINDS.contains(&a.value.as_str()) => return a.value.clone(),
            Some(a) => {
                let what = format!("{who}: its type is `{}`; there are {}", short(&a.value), KINDS.join(", "));
                self.find(A008, &a.place, what);
            }
            None => {
                self.find(A004, &e.place, format!("{who} has no `type`: one of {}", KINDS.join(", ")));
            }
        }
        String::new()
    }

    /// The joint's axis, of unit length.
    fn axis(&mut self, e: &Element, who: &str) -> [f64; 3] {
        let default = [1.0, 0.0, 0.0];
        let Some(axis) = self.only(e, "axis", who) else { return default };
        self.unused_attributes(axis, &["xyz"], who);
        let Some(v) = self.numbers::<3>(axis, "xyz", who) else { return default };
        let place = axis.attribute("xyz").map_or(&axis.place, |a| &a.place);
        // Scaled first, so that no square over- or underflows.
        let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest == 0.0 {
            self.find(A005, place, format!("{who}: its axis is null: it has no direction"));
            return default;
        }
        let scaled = v.map(|x| x / largest);
        let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (largest * length - 1.0).abs() > ROUNDED {
            let what = format!("{who}: its axis has length {}, not 1; it is scaled", largest * length);
            self.find(A214, place, what);
        }
        scaled.map(|x| x / length)
    }

    /// The link at one end.
    fn end(&mut self, e: &Element, which: &str, who: &str) -> Option<String> {
        let Some(end) = self.only(e, which, who) else {
            self.find(A004, &e.place, format!("{who} has no <{which}>"));
            return None;
        };
        self.unused_attributes(end, &["link"], who);
        let link = end.attribute("link").map(|a| a.value.clone());
        if link.is_none() {
            self.find(A004, &end.place, format!("{who}: <{which}> has no `link`"));
        }
        link
    }

    /// Friction and limits.
    fn drive_of(&mut self, e: &Element, kind: &str, who: &str) -> Drive {
        let mut drive = Drive::ideal();
        if let Some(d) = self.only(e, "dynamics", who) {
            self.unused_attributes(d, &["damping", "friction"], who);
            let damping = self.number(d, "damping", who).unwrap_or(0.0);
            let friction = self.number(d, "friction", who).unwrap_or(0.0);
            drive = drive.viscous(damping).coulomb(friction, friction);
        }
        if let Some(l) = self.only(e, "limit", who) {
            let bounded = kind != "continuous";
            let used: &[&str] =
                if bounded { &["lower", "upper", "velocity", "effort"] } else { &["velocity", "effort"] };
            self.unused_attributes(l, used, who);
            let mut limit = |name: &str, default: f64| {
                let Some(a) = l.attribute(name) else { return default };
                let what = format!("{who}: `{name}` of <limit>");
                self.figures::<1>(&a.value, &a.place, &what, true).map_or(default, |[x]| x)
            };
            let (speed, effort) = (limit("velocity", f64::INFINITY), limit("effort", f64::INFINITY));
            // The specification's default is 0 for each of them.
            let (lower, upper) =
                if bounded { (limit("lower", 0.0), limit("upper", 0.0)) } else { (f64::NEG_INFINITY, f64::INFINITY) };
            drive = drive.limits(Limits { lower, upper, speed, effort });
        }
        drive
    }

    fn mimic(&mut self, e: &Element, who: &str) -> Option<Mimic> {
        let m = self.only(e, "mimic", who)?;
        self.unused_attributes(m, &["joint", "multiplier", "offset"], who);
        let Some(joint) = m.attribute("joint").map(|a| a.value.clone()) else {
            self.find(A004, &m.place, format!("{who}: <mimic> has no `joint`"));
            return None;
        };
        let multiplier = self.number(m, "multiplier", who).unwrap_or(1.0);
        let offset = self.number(m, "offset", who).unwrap_or(0.0);
        Some(Mimic { joint, multiplier, offset })
    }

    /// Tells what follows what. A joint that follows itself, or one that is not there, follows nothing.
    fn mimics(&mut self, root: &Element, robot: &mut Description) {
        let names: HashSet<String> = robot.joints.iter().map(|j| j.name.clone()).collect();
        let joints = root.children.iter().filter(|e| e.name == "joint");
        let places: HashMap<&str, &Place> =
            joints.filter_map(|e| Some((e.attribute("name")?.value.as_str(), &e.child("mimic")?.place))).collect();
        for j in &mut robot.joints {
            let Some(Mimic { joint, multiplier, offset }) = j.mimic.clone() else { continue };
            let place = places.get(j.name.as_str()).copied().unwrap_or(&j.place);
            let finding = if joint != j.name && names.contains(&joint) {
                let what = format!("joint `{}` follows `{joint}`: q = {multiplier} q({joint}) + {offset}", j.name);
                Finding::at(A108, place, what)
            } else {
                j.mimic = None;
                let whom = if joint == j.name { "itself".into() } else { format!("`{joint}`, which is not there") };
                let what = format!("joint `{}` follows {whom}: it moves on its own", j.name);
                Finding::at(A108, place, what).fix("name the joint that it follows")
            };
            self.reading.findings.push(finding);
        }
    }

    // Transmissions.

    /// Gear and rotor of a simple transmission: `mechanicalReduction` and `motorInertia`.
    fn transmission(&mut self, e: &Element) -> Option<Transmission> {
        let who = e.attribute("name").map_or("a transmission".to_string(), |a| format!("transmission `{}`", a.value));
        self.unused_attributes(e, &["name", "type"], &who);
        let joints: Vec<_> = e.children.iter().filter(|c| c.name == "joint").collect();
        let actuators: Vec<_> = e.children.iter().filter(|c| c.name == "actuator").collect();
        if joints.len() != 1 || actuators.len() > 1 {
            let what = format!(
                "{who} was not used: it has {} joints and {} actuators, and only one joint on one actuator is read",
                joints.len(),
                actuators.len()
            );
            self.find(A501, &e.place, what);
            return None;
        }
        let figures = ["mechanicalReduction", "motorInertia"];
        self.unused_children(e, &["type", "joint", "actuator", figures[0], figures[1]], &who);
        let mut found = [None; 2];
        let ends = joints.iter().chain(&actuators).copied();
        for part in ends.clone() {
            self.unused_attributes(part, &["name"], &who);
            self.unused_children(part, &figures, &who);
        }
        for part in ends.flat_map(|p| &p.children).chain(&e.children) {
            let Some(k) = figures.iter().position(|f| *f == part.name) else { continue };
            let what = format!("{who}: <{}>", part.name);
            match self.figures::<1>(&part.text, &part.place, &what, false) {
                Some(_) if found[k].is_some() => self.unused(part, &who),
                Some([x]) => found[k] = Some(x),
                None => {}
            }
        }
        let joint = self.name(joints[0], &format!("{who}: its joint"))?;
        if found == [None; 2] {
            return None;
        }
        let rotor = Rotor { inertia: found[1].unwrap_or(0.0), gear: found[0].unwrap_or(1.0), axis: None };
        Some(Transmission { joint, rotor, place: e.place.clone(), who })
    }

    fn drive(&mut self, robot: &mut Description, t: Transmission) {
        let Transmission { joint, rotor, place, who } = t;
        match robot.joints.iter_mut().find(|j| j.name == joint) {
            None => self.find(A501, &place, format!("{who} was not used: there is no joint `{joint}`")),
            Some(j) => match j.drives.first_mut() {
                None => {
                    let what = format!("{who} was not used: joint `{joint}` has not one degree of freedom");
                    self.find(A501, &place, what);
                }
                Some(d) if d.rotor.is_some() => {
                    self.find(A501, &place, format!("{who} was not used: joint `{joint}` has another one"));
                }
                Some(d) => d.rotor = Some(rotor),
            },
        }
    }

    // The tree.

    fn topology(&mut self, root: &Element, robot: &Description) {
        let mut number: HashMap<&str, usize> = HashMap::new();
        for (k, l) in robot.links.iter().enumerate() {
            if number.contains_key(l.name.as_str()) {
                self.find(A101, &l.place, format!("there is another link `{}`", l.name));
            } else {
                number.insert(&l.name, k);
            }
        }
        // The joint that moves each link.
        let mut mover: Vec<Option<usize>> = vec![None; robot.links.len()];
        let mut named: HashSet<&str> = HashSet::new();
        let mut names: HashSet<&str> = HashSet::new();
        let places = ends(root);
        for (k, j) in robot.joints.iter().enumerate() {
            if !names.insert(&j.name) {
                self.find(A102, &j.place, format!("there is another joint `{}`", j.name));
            }
            let at = |end: usize| places.get(&(j.place.file, j.place.span.start)).map_or(&j.place, |p| p[end]);
            for (end, link) in [&j.parent, &j.child].into_iter().enumerate() {
                named.insert(link);
                if !number.contains_key(link.as_str()) {
                    let which = ["parent", "child"][end];
                    let what = format!("joint `{}`: its {which} `{link}` is not there", j.name);
                    let like = nearest(link, robot.links.iter().map(|l| l.name.as_str()));
                    let mut finding = Finding::at(A103, at(end), what);
                    finding.fix = like.map(|like| format!("is `{like}` meant?"));
                    self.reading.findings.push(finding);
                }
            }
            let Some(&child) = number.get(j.child.as_str()) else { continue };
            match mover[child] {
                None => mover[child] = Some(k),
                Some(first) => {
                    let first = &robot.joints[first].name;
                    let what = format!("link `{}` hangs on joint `{first}` and on joint `{}`", j.child, j.name);
                    self.find(A106, at(1), what);
                }
            }
        }
        self.loops(robot, &number, &mover);
        let roots: Vec<usize> = (0..robot.links.len())
            .filter(|&k| mover[k].is_none() && number[robot.links[k].name.as_str()] == k)
            .collect();
        let alone = |k: usize| !named.contains(robot.links[k].name.as_str());
        let Some(&base) = roots.iter().find(|&&k| !alone(k)).or(roots.first()) else { return };
        let root = &robot.links[base];
        for &k in roots.iter().filter(|&&k| k != base) {
            let link = &robot.links[k];
            if alone(k) {
                self.find(
                    A104,
                    &link.place,
                    format!("link `{}` is on no joint; the root is `{}`", link.name, root.name),
                );
            } else {
                let what = format!("links `{}` and `{}` are both roots: no joint moves them", root.name, link.name);
                self.find(A107, &link.place, what);
            }
        }
        for part in root.parts.iter().filter(|p| p.inertia != Inertia::zero()) {
            let what = format!("link `{}` is the root: its {} kg bear on no joint", root.name, part.inertia.mass);
            self.find(A504, &part.place, what);
        }
    }

    /// Tells each loop once.
    fn loops(&mut self, robot: &Description, number: &HashMap<&str, usize>, mover: &[Option<usize>]) {
        // 0: not seen; otherwise the walk that came by.
        let mut walk = vec![0; mover.len()];
        for start in 0..mover.len() {
            let mut at = start;
            while walk[at] == 0 {
                walk[at] = start + 1;
                let Some(j) = mover[at] else { break };
                let Some(&parent) = number.get(robot.joints[j].parent.as_str()) else { break };
                if walk[parent] == start + 1 {
                    let what = self.around(robot, number, mover, parent);
                    let first = mover[parent].map_or(&robot.links[parent].place, |j| &robot.joints[j].place);
                    self.find(A105, &first.clone(), what);
                }
                at = parent;
            }
        }
    }

    /// The links of a loop, in words.
    fn around(
        &self,
        robot: &Description,
        number: &HashMap<&str, usize>,
        mover: &[Option<usize>],
        from: usize,
    ) -> String {
        let mut names = vec![robot.links[from].name.as_str()];
        let mut at = from;
        while let Some(j) = mover[at] {
            let joint = &robot.joints[j];
            names.push(&joint.parent);
            match number.get(joint.parent.as_str()) {
                Some(&p) if p != from && names.len() < 10 => at = p,
                _ => break,
            }
        }
        names.reverse();
        format!("links hang on each other in a loop: {}", names.join(" → "))
    }
}

/// The kind of a planar joint whose normal is a coordinate axis.
fn plane(normal: [f64; 3]) -> Option<JointKind> {
    let order = Order::TranslationFirst;
    if normal == [0.0, 0.0, 1.0] {
        Some(JointKind::Planar)
    } else if normal == [0.0, 1.0, 0.0] {
        let (rotations, translations) = ([false, true, false], [true, false, true]);
        Some(JointKind::Generalized { rotations, translations, order })
    } else if normal == [1.0, 0.0, 0.0] {
        let (rotations, translations) = ([false, false, true], [false, true, true]);
        Some(JointKind::Generalized { rotations, translations, order })
    } else {
        None
    }
}

/// A planar joint with any normal, by a link in between whose z is the normal.
fn across(mut joint: JointDescription, normal: [f64; 3], robot: &mut Description) {
    let z: Vec3<f64> = Vec3::lift(normal);
    let least = (0..3).min_by(|&i, &j| z.get(i).abs().total_cmp(&z.get(j).abs())).unwrap_or(0);
    let x = z.cross(Vec3::unit(least));
    let x = x * (1.0 / x.norm());
    let turned = Transform::turned(Rotation { x, y: z.cross(x), z: vec3(z.x, z.y, z.z) });
    let name = format!("{}/plane", joint.name);
    let (parts, shapes) = (vec![], vec![]);
    robot.links.push(LinkDescription { name: name.clone(), place: joint.place.clone(), parts, shapes, beam: None });
    let back = JointDescription {
        name: format!("{}/back", joint.name),
        place: joint.place.clone(),
        kind: JointKind::Fixed,
        parent: name.clone(),
        child: std::mem::replace(&mut joint.child, name),
        placement: turned.inverse(),
        drives: vec![],
        mimic: None,
    };
    joint.placement = joint.placement.compose(&turned);
    joint.kind = JointKind::Planar;
    robot.joints.extend([joint, back]);
}

/// Where each joint, by its place, names its links.
fn ends(root: &Element) -> HashMap<(usize, usize), [&Place; 2]> {
    let joints = root.children.iter().filter(|e| e.name == "joint");
    joints
        .map(|e| {
            let at = |end| {
                let end = e.child(end);
                end.and_then(|p| p.attribute("link")).map_or(end.map_or(&e.place, |p| &p.place), |a| &a.place)
            };
            ((e.place.file, e.place.span.start), [at("parent"), at("child")])
        })
        .collect()
}

/// A name that differs in case or in two letters at most.
fn nearest<'a>(name: &str, all: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let close = |other: &str| {
        if other.eq_ignore_ascii_case(name) {
            return 1;
        }
        let (a, b): (Vec<char>, Vec<char>) = (name.chars().take(64).collect(), other.chars().take(64).collect());
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut before = std::mem::replace(&mut row[0], i + 1);
            for (j, y) in b.iter().enumerate() {
                let here = (before + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
                before = std::mem::replace(&mut row[j + 1], here);
            }
        }
        row[b.len()]
    };
    all.take(1000).map(|n| (close(n), n)).filter(|(d, n)| *d <= 2 && *d < n.chars().count()).min().map(|(_, n)| n)
}

/// The beginning of a text that may be long.
fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((k, _)) => format!("{}…", &text[..k]),
        None => text.to_string(),
    }
}
