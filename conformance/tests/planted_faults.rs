//! Faults planted in public mesh-based robots: `armdyn check` reports every one, and nothing in the originals.
//!
//! The files are those of `example-robot-data` (see `real-files/README.md`), in the folder given in `ARMDYN_REAL_FILES`. A fault
//! is one change of the text that a slip of unit, sign, axis or reference point would cause.

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
