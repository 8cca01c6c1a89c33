//! Export as armdyn's TOML: convention `frames`, SI units, shortest decimal representation of each number.
//!
//! Reading the file gives the same model, bit for bit: bodies are written by their moments about the link's origin, and
//! rotations as roll, pitch and yaw where these reproduce the matrix exactly, otherwise as the matrix.

use crate::description::{BeamDescription, Description, JointDescription, LinkDescription, PartDescription};
use crate::toml::rpy;
use armdyn_core::{Contact, Drive, Friction, Inertia, JointKind, Limits, Order, Rotation, Section, Transform};
use std::fmt::Write;

/// Writes a robot as TOML, links in tree order.
pub fn to_toml(description: &Description) -> String {
    let d = description;
    let mut out = String::from("version = 1\n");
    line(&mut out, "name", text(&d.name));
    for (key, value) in [("summary", &d.summary), ("origin", &d.origin)] {
        value.iter().for_each(|value| line(&mut out, key, text(value)));
    }
    if let Some(g) = d.gravity {
        line(&mut out, "gravity", vector(&g));
    }
    for (link, joint) in d.tree() {
        let Some(link) = d.links.get(link) else { continue };
        match joint.and_then(|j| d.joints.get(j)) {
            None => out.push_str("\n[base]\n"),
            Some(_) => out.push_str("\n[[link]]\n"),
        }
        line(&mut out, "name", text(&link.name));
        if let Some(joint) = joint.and_then(|j| d.joints.get(j)) {
            line(&mut out, "parent", text(&joint.parent));
            line(&mut out, "joint", joint_table(joint));
        }
        link_body(&mut out, link);
    }
    for p in &d.payloads {
        out.push_str("\n[[payload]]\n");
        line(&mut out, "name", text(&p.name));
        line(&mut out, "link", text(&p.link));
        for (key, value) in moments(&p.inertia) {
            line(&mut out, key, value);
        }
    }
    for rotor in &d.coupled_rotors {
        out.push_str("\n[[coupled_rotor]]\n");
        line(&mut out, "inertia", number(rotor.inertia));
        let gears: Vec<String> = rotor.gears.iter().map(|(n, g)| format!("{} = {}", text(n), number(*g))).collect();
        line(&mut out, "gears", format!("{{ {} }}", gears.join(", ")));
        if let Some((link, axis)) = &rotor.mount {
            line(&mut out, "mount", table(&[("link", text(link)), ("axis", vector(axis))]));
        }
    }
    for c in &d.contacts {
        out.push_str("\n[[contact]]\n");
        for (key, value) in contact(&c.contact) {
            line(&mut out, key, value);
        }
    }
    if let Some(tool) = &d.tool {
        out.push_str("\n[tool]\n");
        line(&mut out, "link", text(&tool.link));
        line(&mut out, "at", pose(&tool.pose));
    }
    for (name, m) in &d.materials {
        let _ = writeln!(out, "\n[material.{}]", text(name));
        line(&mut out, "E", number(m.youngs_modulus));
        line(&mut out, "G", number(m.shear_modulus));
        for (key, value) in [("density", m.density), ("yield", m.yield_stress)] {
            if let Some(x) = value {
                line(&mut out, key, number(x));
            }
        }
    }
    for (name, s) in &d.sections {
        let _ = writeln!(out, "\n[section.{}]", text(name));
        for (key, value) in section(s) {
            line(&mut out, key, value);
        }
    }
    out
}

type Pairs = Vec<(&'static str, String)>;

fn line(out: &mut String, key: &str, value: String) {
    let _ = writeln!(out, "{key} = {value}");
}

fn table(pairs: &[(&'static str, String)]) -> String {
    if pairs.is_empty() {
        return "{}".to_string();
    }
    let pairs: Vec<String> = pairs.iter().map(|(k, v)| format!("{k} = {v}")).collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// The shortest decimal representation.
fn number(x: f64) -> String {
    format!("{x:?}").replace("NaN", "nan")
}

fn vector(v: &[f64]) -> String {
    format!("[{}]", v.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", "))
}

/// A TOML basic string, of several lines if it has them.
fn text(s: &str) -> String {
    let (start, end) = if s.contains('\n') { ("\"\"\"\n", "\"\"\"") } else { ("\"", "\"") };
    let mut out = String::from(start);
    for c in s.chars() {
        match c {
            '\n' => out.push('\n'),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + end
}

/// Mass, first moment and tensor about the origin.
fn moments(i: &Inertia<f64>) -> Pairs {
    let [mass, x, y, z, xx, xy, xz, yy, yz, zz] = i.components();
    let mut tensor = vec![("about", text("origin"))];
    for (key, value) in [("xx", xx), ("yy", yy), ("zz", zz), ("xy", xy), ("xz", xz), ("yz", yz)] {
        if value.to_bits() != 0 {
            tensor.push((key, number(value)));
        }
    }
    vec![("mass", number(mass)), ("first_moment", vector(&[x, y, z])), ("inertia", table(&tensor))]
}

fn link_body(out: &mut String, link: &LinkDescription) {
    // The first part is the link's own if it has the link's name.
    let (own, further): (&[PartDescription], &[PartDescription]) = match link.parts.as_slice() {
        [first, rest @ ..] if first.name == link.name => (std::slice::from_ref(first), rest),
        parts => (&[], parts),
    };
    for (key, value) in own.iter().flat_map(|p| moments(&p.inertia)) {
        line(out, key, value);
    }
    let bodies: Vec<String> = further
        .iter()
        .map(|p| {
            let mut pairs = vec![("kind", text("solid")), ("name", text(&p.name))];
            pairs.extend(moments(&p.inertia));
            format!("  {},\n", table(&pairs))
        })
        .collect();
    if !bodies.is_empty() {
        line(out, "bodies", format!("[\n{}]", bodies.concat()));
    }
    let shapes: Vec<String> = link
        .shapes
        .iter()
        .map(|s| {
            let mut pairs = vec![("size", vector(&s.size)), ("at", pose(&s.pose))];
            pairs.extend(s.asset.as_ref().map(|a| ("asset", text(a))));
            format!("  {},\n", table(&pairs))
        })
        .collect();
    if !shapes.is_empty() {
        line(out, "shapes", format!("[\n{}]", shapes.concat()));
    }
    if let Some(BeamDescription { section, material, length, start, end, up }) = &link.beam {
        let mut pairs = vec![("section", text(section))];
        pairs.extend(material.as_ref().map(|m| ("material", text(m))));
        pairs.push(("length", number(*length)));
        let places = [("start", start), ("end", end), ("up", up)];
        pairs.extend(places.into_iter().filter_map(|(key, v)| Some((key, vector(v.as_ref()?)))));
        line(out, "beam", table(&pairs));
    }
}

fn pose(x: &Transform<f64>) -> String {
    let mut pairs = vec![("xyz", vector(&x.translation.to_array()))];
    if bits(&x.rotation) != bits(&Rotation::identity()) {
        pairs.push(rotation(&x.rotation));
    }
    table(&pairs)
}

fn bits(m: &Rotation<f64>) -> [[u64; 3]; 3] {
    m.to_rows().map(|row| row.map(f64::to_bits))
}

/// Roll, pitch and yaw if they reproduce the matrix exactly, otherwise the matrix.
fn rotation(m: &Rotation<f64>) -> (&'static str, String) {
    let [[xx, ..], [yx, ..], [zx, zy, zz]] = m.to_rows();
    let simple = [zy.atan2(zz), (-zx).atan2(xx.hypot(yx)), yx.atan2(xx)];
    for [roll, pitch, yaw] in [simple, m.roll_pitch_yaw()] {
        if bits(&rpy(roll, pitch, yaw)) == bits(m) {
            return ("rpy", vector(&[roll, pitch, yaw]));
        }
    }
    ("rotation", format!("[{}]", m.to_rows().map(|row| vector(&row)).join(", ")))
}

/// A field of a joint: its key for one degree of freedom, for several, and its entries for a drive.
type Field = (&'static str, &'static str, fn(&Drive) -> Pairs);

fn joint_table(j: &JointDescription) -> String {
    let mut pairs = vec![("name", text(&j.name))];
    pairs.extend(kind(&j.kind));
    pairs.push(("origin", pose(&j.placement)));
    let drives: Vec<Drive> =
        (0..j.kind.axes().len()).map(|k| j.drives.get(k).copied().unwrap_or(Drive::ideal())).collect();
    let fields: [Field; 3] =
        [("drive", "drives", drive), ("friction", "frictions", friction), ("limits", "limits", limits)];
    for (one, many, of) in fields {
        let tables: Vec<Pairs> = drives.iter().map(of).collect();
        if tables.iter().all(Vec::is_empty) {
            continue;
        }
        match tables.as_slice() {
            [single] => pairs.push((one, table(single))),
            tables => {
                let tables: Vec<String> = tables.iter().map(|t| table(t)).collect();
                pairs.push((many, format!("[{}]", tables.join(", "))));
            }
        }
    }
    match j.stiffness.as_slice() {
        [] => {}
        [one] => pairs.push(("stiffness", number(*one))),
        all => pairs.push(("stiffness", vector(all))),
    }
    if let Some(m) = &j.mimic {
        let fields = [("joint", text(&m.joint)), ("multiplier", number(m.multiplier)), ("offset", number(m.offset))];
        pairs.push(("mimic", table(&fields)));
    }
    table(&pairs)
}

fn kind(kind: &JointKind) -> Pairs {
    let mut pairs = vec![("kind", text(kind.name()))];
    match kind {
        JointKind::Revolute { axis } | JointKind::Prismatic { axis } | JointKind::Cylindrical { axis } => {
            pairs.push(("axis", vector(axis)));
        }
        JointKind::Helical { axis, pitch } => pairs.extend([("axis", vector(axis)), ("pitch", number(*pitch))]),
        JointKind::Universal { axes: [a, b] } => pairs.push(("axes", format!("[{}, {}]", vector(a), vector(b)))),
        JointKind::Generalized { rotations, translations, order } => {
            let chosen = |words: [&str; 3], which: &[bool; 3]| {
                let words: Vec<String> = words.iter().zip(which).filter(|(_, w)| **w).map(|(n, _)| text(n)).collect();
                format!("[{}]", words.join(", "))
            };
            let order = match order {
                Order::RotationFirst => "rotation-first",
                Order::TranslationFirst => "translation-first",
            };
            pairs.extend([
                ("rotations", chosen(["yaw", "pitch", "roll"], rotations)),
                ("translations", chosen(["x", "y", "z"], translations)),
                ("order", text(order)),
            ]);
        }
        _ => {}
    }
    pairs
}

fn drive(d: &Drive) -> Pairs {
    let mut pairs = vec![];
    if let Some(rotor) = d.rotor {
        pairs.push(("rotor", number(rotor.inertia)));
        pairs.push(("gear", number(rotor.gear)));
        pairs.extend(rotor.axis.map(|a| ("axis", vector(&a))));
    }
    if d.armature.to_bits() != 0 {
        pairs.push(("armature", number(d.armature)));
    }
    pairs
}

fn friction(d: &Drive) -> Pairs {
    let (f, none) = (d.friction, Friction::none());
    let mut pairs = vec![];
    if f.viscous != none.viscous {
        pairs.push(("viscous", number(f.viscous)));
    }
    if [f.coulomb_forward, f.coulomb_backward] != [0.0; 2] {
        let levels = [("forward", number(f.coulomb_forward)), ("backward", number(f.coulomb_backward))];
        pairs.push((
            "coulomb",
            if f.coulomb_forward == f.coulomb_backward { number(f.coulomb_forward) } else { table(&levels) },
        ));
    }
    if f.stribeck != none.stribeck || f.stribeck_speed != none.stribeck_speed {
        pairs.push(("stribeck", number(f.stribeck)));
        pairs.push(("stribeck_speed", number(f.stribeck_speed)));
    }
    pairs
}

fn limits(d: &Drive) -> Pairs {
    let (l, none) = (d.limits, Limits::NONE);
    let given = |key, x: f64, none: f64| (x != none).then(|| (key, number(x)));
    let effort = match l.effort {
        e if e == none.effort => None,
        e if e.is_symmetric() => Some(number(e.upper)),
        e => {
            let ends = [given("lower", e.lower, none.effort.lower), given("upper", e.upper, none.effort.upper)];
            Some(table(&ends.into_iter().flatten().collect::<Pairs>()))
        }
    };
    let all = [
        given("lower", l.lower, none.lower),
        given("upper", l.upper, none.upper),
        given("speed", l.speed, none.speed),
        effort.map(|text| ("effort", text)),
        given("continuous", l.continuous, none.continuous),
    ];
    all.into_iter().flatten().collect()
}

fn contact(c: &Contact) -> Pairs {
    let mut pairs = vec![("name", text(&c.name)), ("at", vector(&c.position)), ("kind", text(c.kind.name()))];
    if c.kind.is_directed() && c.rolling_direction != [1.0, 0.0, 0.0] {
        pairs.push(("rolls", vector(&c.rolling_direction)));
    }
    let f = &c.friction;
    let coefficients =
        [("static", f.static_friction), ("sliding", f.sliding_friction), ("rolling", f.rolling_resistance)];
    let said: Pairs = coefficients.into_iter().filter_map(|(key, x)| Some((key, number(x?)))).collect();
    if !said.is_empty() {
        pairs.push(("friction", table(&said)));
    }
    let sizes = [("stiffness", c.stiffness), ("radius", c.radius)];
    pairs.extend(sizes.into_iter().filter_map(|(key, x)| Some((key, number(x?)))));
    pairs
}

fn section(s: &Section) -> Pairs {
    let (kind, sizes): (&str, Vec<(&'static str, f64)>) = match *s {
        Section::Rod { diameter } => ("rod", vec![("diameter", diameter)]),
        Section::Tube { outer, inner } => ("tube", vec![("outer", outer), ("inner", inner)]),
        Section::Box { width, height, wall } => {
            let mut sizes = vec![("width", width), ("height", height)];
            sizes.extend(wall.map(|w| ("wall", w)));
            ("box", sizes)
        }
        Section::I { width, height, web, flange } => {
            ("I", vec![("width", width), ("height", height), ("web", web), ("flange", flange)])
        }
        Section::Given { bending: [y, z], torsion, axial } => {
            let mut sizes = if y == z { vec![("EI", y)] } else { vec![("EIy", y), ("EIz", z)] };
            sizes.extend([("GJ", torsion), ("EA", axial)]);
            ("given", sizes)
        }
    };
    let mut pairs = vec![("kind", text(kind))];
    pairs.extend(sizes.into_iter().map(|(key, x)| (key, number(x))));
    pairs
}
