//! Faults planted in robots with meshes: `armdyn check` reports every one, and nothing in the originals.
//!
//! A fault is one change of the text that a slip of unit, sign, axis or reference point would cause. One robot is generated here, with its
//! meshes: two arms of boxes. The others are public ones of `example-robot-data` (see `real-files/README.md`), in the folder given in
//! `ARMDYN_REAL_FILES`.

use armdyn_import::{Finding, Format, Options, Severity, check, check_meshes, load_text};
use std::path::{Path, PathBuf};

/// A change of a robot's text, and the link or joint that must be named.
type Fault = (&'static str, Box<dyn Fn(&str) -> String>, &'static str);

/// The robot's text with `change` applied to each link or joint (`kind`) whose name ends with `name`.
fn each(text: &str, kind: &str, name: &str, change: impl Fn(&str) -> String) -> String {
    let (open, close) = (format!("<{kind} name=\""), format!("</{kind}>"));
    let (mut out, mut rest, mut changed) = (String::new(), text, 0);
    while let Some(at) = rest.find(&open) {
        let tag = at + rest[at..].find('>').expect("a tag");
        let end = if rest[..tag].ends_with('/') { tag } else { at + rest[at..].find(&close).expect("a closing tag") };
        let (before, block) = (&rest[..at], &rest[at..end]);
        let own = block[open.len()..].split('"').next().unwrap_or_default();
        out += before;
        if own.ends_with(name) {
            changed += 1;
            out += &change(block);
        } else {
            out += block;
        }
        rest = &rest[end..];
    }
    assert!(changed > 0, "there is no {kind} {name}");
    out + rest
}

/// The numbers of an attribute of the first `<element>` after `from`, and its value replaced.
fn attribute(block: &str, from: &str, element: &str, name: &str, change: impl Fn(Vec<f64>) -> Vec<f64>) -> String {
    let Some(start) = block.find(from) else { return block.to_string() };
    let Some(element) = block[start..].find(&format!("<{element}")).map(|k| start + k) else {
        return block.to_string();
    };
    let value = element + block[element..].find(&format!(" {name}=\"")).expect("an attribute") + name.len() + 3;
    let end = value + block[value..].find('"').expect("a quotation mark");
    let numbers = block[value..end].split_whitespace().map(|w| w.parse().expect("a number")).collect();
    let written: Vec<String> = change(numbers).iter().map(|x: &f64| format!("{x}")).collect();
    format!("{}{}{}", &block[..value], written.join(" "), &block[end..])
}

fn inertial(block: &str, element: &str, name: &str, change: impl Fn(Vec<f64>) -> Vec<f64>) -> String {
    attribute(block, "<inertial>", element, name, change)
}

const MOMENTS: [&str; 6] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];

fn values(block: &str, element: &str, name: &str) -> Vec<f64> {
    let found = std::cell::RefCell::new(vec![]);
    inertial(block, element, name, |v| {
        found.replace(v.clone());
        v
    });
    found.into_inner()
}

fn set_tensor(block: &str, tensor: [f64; 6]) -> String {
    MOMENTS.iter().zip(tensor).fold(block.to_string(), |b, (n, x)| inertial(&b, "inertia", n, |_| vec![x]))
}

fn tensor(block: &str) -> [f64; 6] {
    MOMENTS.map(|n| values(block, "inertia", n)[0])
}

fn mass(link: &'static str, factor: f64) -> Box<dyn Fn(&str) -> String> {
    Box::new(move |t| each(t, "link", link, |b| inertial(b, "mass", "value", |v| vec![v[0] * factor])))
}

fn inertia(link: &'static str, factor: f64) -> Box<dyn Fn(&str) -> String> {
    let scaled =
        move |b: &str| MOMENTS.iter().fold(b.to_string(), |b, n| inertial(&b, "inertia", n, |v| vec![v[0] * factor]));
    Box::new(move |t| each(t, "link", link, scaled))
}

fn centre(link: &'static str, factors: [f64; 3]) -> Box<dyn Fn(&str) -> String> {
    let scaled = move |v: Vec<f64>| v.iter().zip(factors).map(|(x, f)| x * f).collect();
    Box::new(move |t| each(t, "link", link, |b| inertial(b, "origin", "xyz", scaled)))
}

fn identity(link: &'static str) -> Box<dyn Fn(&str) -> String> {
    Box::new(move |t| {
        each(t, "link", link, |b| {
            if b.contains("<inertial>") { set_tensor(b, [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]) } else { b.into() }
        })
    })
}

fn swapped(link: &'static str, one: usize, other: usize) -> Box<dyn Fn(&str) -> String> {
    Box::new(move |t| {
        each(t, "link", link, |b| {
            let mut moments = tensor(b);
            moments.swap(one, other);
            set_tensor(b, moments)
        })
    })
}

/// I + m (c·c 1 − c cᵀ) instead of I.
fn about_origin(link: &'static str) -> Box<dyn Fn(&str) -> String> {
    Box::new(move |t| {
        each(t, "link", link, |b| {
            let (m, c) = (values(b, "mass", "value")[0], values(b, "origin", "xyz"));
            let (x, y, z) = (c[0], c[1], c[2]);
            let shift = [y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y];
            let moments = tensor(b);
            set_tensor(b, std::array::from_fn(|k| moments[k] + m * shift[k]))
        })
    })
}

fn limit(joint: &'static str, name: &'static str, factor: f64) -> Box<dyn Fn(&str) -> String> {
    Box::new(move |t| {
        each(t, "joint", joint, |b| {
            if b.contains("<limit") { attribute(b, "<limit", "limit", name, |v| vec![v[0] * factor]) } else { b.into() }
        })
    })
}

const DEGREES: f64 = 180.0 / std::f64::consts::PI;

fn ur10() -> Vec<Fault> {
    vec![
        ("centre of mass in mm", centre("upper_arm_link", [1e3; 3]), "upper_arm_link"),
        ("centre of mass in cm", centre("forearm_link", [1e2; 3]), "forearm_link"),
        ("sign of the centre of mass", centre("upper_arm_link", [-1.0; 3]), "upper_arm_link"),
        ("sign of the centre of mass", centre("forearm_link", [1.0, 1.0, -1.0]), "forearm_link"),
        ("masses in grams", mass("_link", 1e3), "forearm_link"),
        ("mass in grams", mass("upper_arm_link", 1e3), "upper_arm_link"),
        ("mass in grams", mass("wrist_3_link", 1e3), "wrist_3_link"),
        ("inertias in kg mm²", inertia("_link", 1e6), "wrist_1_link"),
        ("inertia in kg mm²", inertia("forearm_link", 1e6), "forearm_link"),
        ("inertia in kg cm²", inertia("wrist_1_link", 1e4), "wrist_1_link"),
        ("inertia in g m²", inertia("upper_arm_link", 1e3), "upper_arm_link"),
        ("tensor about the link's origin", about_origin("upper_arm_link"), "upper_arm_link"),
        ("tensor about the link's origin", about_origin("forearm_link"), "forearm_link"),
        ("ixx and izz interchanged", swapped("upper_arm_link", 0, 5), "upper_arm_link"),
        ("iyy and izz interchanged", swapped("forearm_link", 3, 5), "forearm_link"),
        ("identity tensor", identity("upper_arm_link"), "upper_arm_link"),
        ("identity tensors", identity("_link"), "forearm_link"),
        ("velocities in degrees per second", limit("_joint", "velocity", DEGREES), "elbow_joint"),
        ("velocity in degrees per second", limit("wrist_3_joint", "velocity", DEGREES), "wrist_3_joint"),
        ("efforts in N mm", limit("_joint", "effort", 1e3), "elbow_joint"),
        ("effort in N mm", limit("wrist_2_joint", "effort", 1e3), "wrist_2_joint"),
    ]
}

fn panda() -> Vec<Fault> {
    vec![
        ("centre of mass in mm", centre("link4", [1e3; 3]), "panda_link4"),
        ("sign of the centre of mass", centre("link3", [1.0, 1.0, -1.0]), "panda_link3"),
        ("sign of the centre of mass", centre("link6", [-1.0, 1.0, 1.0]), "panda_link6"),
        ("sign of the centre of mass", centre("link7", [-1.0; 3]), "panda_link7"),
        ("masses in grams", mass("", 1e3), "panda_link2"),
        ("mass in grams", mass("link3", 1e3), "panda_link3"),
        ("inertia in kg mm²", inertia("link5", 1e6), "panda_link5"),
        ("ixx and izz interchanged", swapped("link5", 0, 5), "panda_link5"),
        ("identity tensor", identity("link2"), "panda_link2"),
        ("identity tensors", identity(""), "panda_link4"),
        ("velocities in degrees per second", limit("", "velocity", DEGREES), "panda_joint1"),
        ("efforts in N mm", limit("", "effort", 1e3), "panda_joint1"),
    ]
}

/// A box of the generated robot: link, size, centre (y to the left), density, ending of its mesh; and its joint's origin.
struct Block(&'static str, [f64; 3], [f64; 3], f64, &'static str, [f64; 3]);

const BLOCKS: [Block; 3] = [
    Block("upper", [0.08, 0.10, 0.34], [0.01, 0.04, -0.15], 900.0, "stl", [0.0, 0.2, 0.4]),
    Block("lower", [0.06, 0.07, 0.28], [0.02, 0.03, -0.13], 1100.0, "obj", [0.03, 0.06, -0.3]),
    Block("hand", [0.05, 0.09, 0.16], [0.01, 0.035, -0.07], 1000.0, "dae", [0.02, 0.04, -0.27]),
];

/// The corners of a box as a mesh file.
fn mesh(size: [f64; 3], centre: [f64; 3], ending: &str) -> String {
    let corner =
        |k: usize| [0, 1, 2].map(|axis| centre[axis] + size[axis] * if k >> axis & 1 == 1 { 0.5 } else { -0.5 });
    let text = |p: [f64; 3]| format!("{} {} {}", p[0], p[1], p[2]);
    let faces = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    match ending {
        "stl" => {
            let facet = |f: [usize; 3]| f.map(|k| format!("vertex {}\n", text(corner(k)))).concat();
            let facets =
                faces.map(|f| format!("facet normal 0 0 0\nouter loop\n{}endloop\nendfacet\n", facet(f))).concat();
            format!("solid box\n{facets}endsolid\n")
        }
        "obj" => {
            let vertices: String = (0..8).map(|k| format!("v {}\n", text(corner(k)))).collect();
            vertices + &faces.map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1)).concat()
        }
        _ => {
            let numbers = (0..8).map(|k| text(corner(k))).collect::<Vec<_>>().join(" ");
            format!(
                r##"<COLLADA><asset><unit meter="1"/></asset><library_geometries><geometry id="g"><mesh><source id="p">
                <float_array>{numbers}</float_array></source><vertices><input semantic="POSITION" source="#p"/></vertices>
                </mesh></geometry></library_geometries></COLLADA>"##
            )
        }
    }
}

/// Writes a torso with two mirrored arms of boxes, with their meshes; its path and text.
fn two_arms() -> (PathBuf, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("two-arms");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut text = r#"<robot name="two_arms"><link name="torso"/>"#.to_string();
    for (side, s) in [("left", 1.0), ("right", -1.0)] {
        let mut parent = "torso".to_string();
        for Block(name, size, [cx, cy, cz], density, ending, [x, y, z]) in &BLOCKS {
            let (link, cy, [a, b, c]) = (format!("{side}_{name}"), s * cy, *size);
            std::fs::write(folder.join(format!("{link}.{ending}")), mesh(*size, [*cx, cy, *cz], ending))
                .expect("a mesh");
            let (m, effort) = (density * a * b * c, 1000.0 * c / 9.0);
            let [ixx, iyy, izz] = [b * b + c * c, a * a + c * c, a * a + b * b].map(|sum| m * sum / 12.0);
            text += &format!(
                r#"<link name="{link}"><inertial><origin xyz="{cx} {cy} {cz}"/><mass value="{m}"/>
                <inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/></inertial>
                <collision><geometry><mesh filename="{link}.{ending}"/></geometry></collision></link>
                <joint name="{link}_joint" type="revolute"><origin xyz="{x} {} {z}"/><parent link="{parent}"/>
                <child link="{link}"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="{effort}" velocity="2.5"/></joint>"#,
                s * y
            );
            parent = link;
        }
    }
    (folder.join("two_arms.urdf"), text + "</robot>")
}

fn origin(joint: &'static str, factors: [f64; 3]) -> Box<dyn Fn(&str) -> String> {
    let scaled = move |v: Vec<f64>| v.iter().zip(factors).map(|(x, f)| x * f).collect();
    Box::new(move |t| each(t, "joint", joint, |b| attribute(b, "<origin", "origin", "xyz", scaled)))
}

/// Faults of the generated robot, and the hint: text that the message with the name must have.
fn generated() -> Vec<(Fault, &'static str)> {
    vec![
        (("mass in grams", mass("left_upper", 1e3), "left_upper"), "is the mass in grams?"),
        (("mass × 100", mass("left_upper", 1e2), "left_upper"), "times more than the other links for their size"),
        (("mass × 30", mass("right_hand", 30.0), "right_hand"), "times more than the other links for their size"),
        (("mass × 10", mass("left_lower", 10.0), "left_lower"), "times more than the other links for their size"),
        (("mass in tonnes", mass("left_upper", 1e-3), "left_upper"), "is the mass in tonnes?"),
        (("masses in grams", mass("", 1e3), "left_upper"), "is the mass in grams?"),
        (("masses in tonnes", mass("", 1e-3), "two_arms"), "are the masses in tonnes?"),
        (("inertia in kg mm²", inertia("right_lower", 1e6), "right_lower"), "wrong by a factor of 1e6?"),
        (("inertia in kg cm²", inertia("right_lower", 1e4), "right_lower"), "wrong by a factor of 1e4?"),
        (("inertia in g m²", inertia("left_hand", 1e3), "left_hand"), "wrong by a factor of 1000?"),
        (("inertia × 100", inertia("left_hand", 1e2), "left_hand"), "that of the mesh"),
        (("inertia × 10", inertia("left_hand", 10.0), "left_hand"), "that of the mesh"),
        (("inertia ÷ 100", inertia("left_upper", 1e-2), "left_upper"), "that of the mesh"),
        (("inertia ÷ 1000", inertia("left_upper", 1e-3), "left_upper"), "that of the mesh"),
        (("inertia ÷ 1e4", inertia("right_upper", 1e-4), "right_upper"), "that of the mesh"),
        (("centre of mass in mm", centre("left_lower", [1e3; 3]), "left_lower"), "wrong by a factor of 1000?"),
        (("centre of mass in cm", centre("right_upper", [1e2; 3]), "right_upper"), "wrong by a factor of 100?"),
        (("sign of the centre of mass", centre("left_upper", [1.0, 1.0, -1.0]), "left_upper"), "wrong sign?"),
        (
            ("side of the centre of mass", centre("left_upper", [1.0, -1.0, 1.0]), "left_upper"),
            "wrong sign of y of `left_upper`?",
        ),
        (
            ("side of the centre of mass", centre("right_hand", [1.0, -1.0, 1.0]), "right_hand"),
            "wrong sign of y of `right_hand`?",
        ),
        (
            ("sign of a joint's origin", origin("left_lower_joint", [1.0, -1.0, 1.0]), "left_lower"),
            "wrong sign of y in the origin of joint `left_lower_joint`?",
        ),
        (
            ("sign of a joint's origin", origin("right_hand_joint", [1.0, -1.0, 1.0]), "right_hand"),
            "wrong sign of y in the origin of joint `right_hand_joint`?",
        ),
        (
            ("sign of a joint's origin", origin("left_upper_joint", [1.0, -1.0, 1.0]), "left_upper"),
            "wrong sign in the origin of joint `left_upper_joint` or `right_upper_joint` (nothing in the file tells which)?",
        ),
        (
            ("tensor about the link's origin", about_origin("left_upper"), "left_upper"),
            "without m c² it would be 0.1023 m",
        ),
        (("ixx and izz interchanged", swapped("right_lower", 0, 5), "right_lower"), "would fit in the order z, y, x"),
        (("iyy and izz interchanged", swapped("left_lower", 3, 5), "left_lower"), "would fit in the order x, z, y"),
        (("identity tensor", identity("left_hand"), "left_hand"), "the tensor is the identity matrix"),
        (("effort in N mm", limit("_joint", "effort", 1e3), "left_upper_joint"), "is it in N mm?"),
        (
            ("velocity in degrees per second", limit("left_hand_joint", "velocity", DEGREES), "left_hand_joint"),
            "in degrees per second?",
        ),
    ]
}

/// On any machine, with no download. A message names no factor that was not planted.
#[test]
fn every_fault_planted_in_a_generated_robot_is_reported_with_its_hint() {
    let (path, text) = two_arms();
    for check in [check, check_meshes] {
        let clean = found(&path, text.clone(), check);
        assert!(clean.is_empty(), "{clean:#?}");
    }
    let mut missed = vec![];
    for ((what, change, named), hint) in generated() {
        let changed = change(&text);
        assert_ne!(changed, text, "{what}");
        let lines = found(&path, changed, check_meshes);
        let wrong_hint = |l: &&String| {
            let factor = l.split("factor of ").nth(1).map(|f| f.trim_end_matches('?'));
            factor.is_some_and(|f| !hint.contains(&format!("factor of {f}?")))
                || ["grams", "tonnes"].iter().any(|unit| l.contains(unit) && !hint.contains(unit))
        };
        let right = lines.iter().any(|l| l.contains(&format!("`{named}`")) && l.contains(hint));
        if !right || lines.iter().any(|l| wrong_hint(&l)) {
            missed.push(format!("{what}, {named}, `{hint}`: {lines:#?}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Warnings and errors, one line each.
fn found(path: &Path, text: String, check: fn(&armdyn_import::Description) -> Vec<Finding>) -> Vec<String> {
    let mut loaded = load_text(path, text, Format::Urdf, &Options::default());
    loaded.findings.extend(loaded.description.as_ref().map(check).into_iter().flatten());
    let worse = loaded.findings.iter().filter(|f| f.code.severity > Severity::Note);
    worse.map(|f| f.line(&loaded.sources)).collect()
}

#[test]
fn every_planted_fault_is_reported() {
    let Some(data) = std::env::var_os("ARMDYN_REAL_FILES").map(PathBuf::from) else {
        return println!("skipped: ARMDYN_REAL_FILES is not set (conformance/real-files/collect fills the folder)");
    };
    let robots = data.join("files/example-robot-data/robots");
    let (mut count, mut missed) = (0, vec![]);
    for (file, faults) in
        [("ur_description/urdf/ur10_robot.urdf", ur10()), ("panda_description/urdf/panda.urdf", panda())]
    {
        let path = robots.join(file);
        let text = std::fs::read_to_string(&path).expect("the robot is there");
        let clean = found(&path, text.clone(), check_meshes);
        assert!(clean.is_empty(), "{clean:#?}");
        for (what, change, named) in faults {
            count += 1;
            let changed = change(&text);
            assert_ne!(changed, text, "{file}: {what}");
            let lines = found(&path, changed, check_meshes);
            let first = lines.iter().find(|l| l.contains(&format!("`{named}`")));
            println!("{file}: {what}: {}", first.map_or("MISSED", |l| l.split(".urdf:").last().unwrap_or(l)));
            if first.is_none() {
                missed.push(format!("{file}: {what}: {lines:?}"));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(count >= 25, "{count}");
}

/// Without the meshes, the distances between the joints remain.
#[test]
fn gross_faults_are_reported_without_meshes() {
    let Some(data) = std::env::var_os("ARMDYN_REAL_FILES").map(PathBuf::from) else {
        return println!("skipped: ARMDYN_REAL_FILES is not set (conformance/real-files/collect fills the folder)");
    };
    let path = data.join("files/example-robot-data/robots/ur_description/urdf/ur10_robot.urdf");
    let text = std::fs::read_to_string(&path).expect("the robot is there");
    assert!(found(&path, text.clone(), check).is_empty());
    let reported: Vec<bool> =
        ur10().iter().map(|(_, change, _)| !found(&path, change(&text), check).is_empty()).collect();
    let names: Vec<&str> = ur10().iter().zip(&reported).filter(|(_, r)| !**r).map(|((what, ..), _)| *what).collect();
    println!("without meshes not reported: {names:?}");
    let units =
        ["centre of mass in mm", "centre of mass in cm", "masses in grams", "inertias in kg mm²", "identity tensors"];
    assert!(units.iter().all(|u| !names.contains(u)), "{names:?}");
    assert!(reported.iter().filter(|r| **r).count() >= 10, "{names:?}");
}
