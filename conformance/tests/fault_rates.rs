//! How many planted faults `armdyn check` reports in public robots, and how many sound ones it warns about, by kind of fault.
//!
//! The robots are the URDF and xacro files of `real-files/OUTCOME.md` that agree with Pinocchio and whose meshes are there, in the folder
//! given in `ARMDYN_REAL_FILES`. They are split by family (the first letters of the robot's name, so that variants of one robot stay
//! together): the thresholds of `check` were chosen on one half; the other half was not looked at, and its rates are those to expect.

use armdyn_core::{Inertia, JointKind, Sym3, Vec3, vec3};
use armdyn_import::{Description, LinkSizes, Options, Severity, check_sizes, load};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Codes of the comparisons with meshes, joint distances, other links and the other side.
const CODES: [&str; 7] = ["A205", "A206", "A207", "A208", "A209", "A211", "A216"];

/// Faults planted in one robot per kind, each in another link.
const PER_ROBOT: usize = 3;

/// Smallest mass of a link in which a fault is planted, relative to the robot's.
const MIN_MASS: f64 = 0.01;

/// A robot and what `check` says of it as it is.
pub struct Robot {
    pub file: String,
    pub description: Description,
    pub sizes: LinkSizes,
    /// Whether the thresholds were chosen without it.
    pub held_out: bool,
    /// Codes and messages.
    pub original: BTreeSet<(&'static str, String)>,
}

/// Warnings and errors: codes and messages.
pub fn warnings(description: &Description, sizes: &LinkSizes) -> BTreeSet<(&'static str, String)> {
    let found = check_sizes(description, sizes).into_iter().filter(|f| f.code.severity > Severity::Note);
    found.map(|f| (f.code.id, f.message)).collect()
}

/// Whether a robot's family is in the half that the thresholds were not chosen on: FNV-1a of the first four letters of its name.
fn is_held_out(name: &str) -> bool {
    let letters = name.to_lowercase();
    let family = letters.chars().filter(char::is_ascii_alphabetic).take(4);
    let hash = family.fold(0xcbf2_9ce4_8422_2325_u64, |h, c| (h ^ c as u64).wrapping_mul(0x0100_0000_01b3));
    (hash >> 24) % 2 == 1
}

/// The files of OUTCOME.md that agree: package and path.
fn agreeing() -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("real-files/OUTCOME.md")).unwrap();
    let (mut package, mut files) = ("", vec![]);
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            package = title.split("==").next().unwrap_or_default();
        }
        let cells: Vec<&str> = line.split(" | ").collect();
        if cells.get(2) == Some(&"agrees") {
            files.push(format!("{package}/{}", cells[0].trim_start_matches("| ")));
        }
    }
    files
}

/// The robots with meshes that agree with Pinocchio; none without the folder.
pub fn robots() -> Option<Vec<Robot>> {
    let data = PathBuf::from(std::env::var_os("ARMDYN_REAL_FILES")?);
    let packages = std::fs::read_to_string(data.join("packages.json")).unwrap();
    let packages: BTreeMap<String, BTreeMap<String, PathBuf>> = serde_json::from_str(&packages).unwrap();
    let mut found = vec![];
    for file in agreeing().into_iter().filter(|f| f.ends_with(".urdf") || f.ends_with(".xacro")) {
        let within = packages.get(file.split('/').next().unwrap_or_default()).into_iter().flatten();
        let packages = within.map(|(name, path)| (name.clone(), data.join("files").join(path))).collect();
        let options = Options { packages, ..Options::default() };
        let Some(description) = load(&data.join("files").join(&file), &options).description else { continue };
        let meshes = description.links.iter().flat_map(|l| &l.shapes).filter(|s| s.mesh.is_some()).count();
        if meshes == 0 {
            continue;
        }
        let sizes = LinkSizes::read(&description);
        let original = warnings(&description, &sizes);
        let held_out = is_held_out(&description.name);
        found.push(Robot { file, description, sizes, held_out, original });
    }
    Some(found)
}

/// A kind of fault: its name, and a robot's description with the fault in a link; none where it would change nothing.
type Fault = (&'static str, fn(&Description, usize) -> Option<Description>);

/// Faults of one link.
const OF_A_LINK: &[Fault] = &[
    ("mass × 1000", |d, k| mass(d, &[k], 1e3)),
    ("mass × 100", |d, k| mass(d, &[k], 1e2)),
    ("mass × 30", |d, k| mass(d, &[k], 30.0)),
    ("mass × 10", |d, k| mass(d, &[k], 10.0)),
    ("mass ÷ 1000", |d, k| mass(d, &[k], 1e-3)),
    ("inertia × 1e6", |d, k| inertia(d, &[k], 1e6)),
    ("inertia × 1e4", |d, k| inertia(d, &[k], 1e4)),
    ("inertia × 1000", |d, k| inertia(d, &[k], 1e3)),
    ("inertia × 100", |d, k| inertia(d, &[k], 1e2)),
    ("inertia × 10", |d, k| inertia(d, &[k], 10.0)),
    ("inertia ÷ 10", |d, k| inertia(d, &[k], 0.1)),
    ("inertia ÷ 100", |d, k| inertia(d, &[k], 1e-2)),
    ("inertia ÷ 1000", |d, k| inertia(d, &[k], 1e-3)),
    ("inertia ÷ 1e4", |d, k| inertia(d, &[k], 1e-4)),
    ("identity tensor", |d, k| with(d, k, |m, c, _| (m, c, Sym3::diagonal(1.0, 1.0, 1.0)))),
    ("tensor about the origin", |d, k| with(d, k, |m, c, i| (m, c, i + Sym3::shift(c * (0.5 * m), c)))),
    ("centre of mass in mm", |d, k| centre(d, k, 1e3)),
    ("centre of mass in cm", |d, k| centre(d, k, 1e2)),
    ("sign of the centre of mass", |d, k| centre(d, k, -1.0)),
    ("moments interchanged", interchanged),
];

/// A fault of a whole robot.
type RobotFault = (&'static str, fn(&Description) -> Option<Description>);

/// Faults of all links.
const OF_ALL: &[RobotFault] = &[
    ("all masses × 1000", |d| mass(d, &all(d), 1e3)),
    ("all masses ÷ 1000", |d| mass(d, &all(d), 1e-3)),
    ("all inertias × 1e6", |d| inertia(d, &all(d), 1e6)),
];

/// Faults of the right-hand link of a mirrored pair.
const OF_A_SIDE: &[Fault] =
    &[("mirrored: sign of the centre of mass", side_centre), ("mirrored: sign of a joint's origin", side_origin)];

fn all(d: &Description) -> Vec<usize> {
    (0..d.links.len()).collect()
}

/// The link with mass, centre of mass and tensor about it changed.
fn with(
    d: &Description,
    k: usize,
    change: impl Fn(f64, Vec3<f64>, Sym3<f64>) -> (f64, Vec3<f64>, Sym3<f64>),
) -> Option<Description> {
    let mut changed = d.clone();
    for part in changed.links[k].parts.iter_mut().filter(|p| p.inertia.mass > 0.0) {
        let (m, c, i) = change(part.inertia.mass, part.inertia.centre(), part.inertia.central());
        part.inertia = Inertia::about_centre(m, c, i);
    }
    Some(changed)
}

fn mass(d: &Description, links: &[usize], factor: f64) -> Option<Description> {
    links.iter().try_fold(d.clone(), |d, &k| with(&d, k, |m, c, i| (m * factor, c, i)))
}

fn inertia(d: &Description, links: &[usize], factor: f64) -> Option<Description> {
    links.iter().try_fold(d.clone(), |d, &k| with(&d, k, |m, c, i| (m, c, i.map(|x| x * factor))))
}

/// Centres of mass within 2 cm of the origin are as good as any other.
fn centre(d: &Description, k: usize, factor: f64) -> Option<Description> {
    let far = d.links[k].parts.iter().any(|p| p.inertia.mass > 0.0 && p.inertia.centre().norm() > 0.02);
    far.then(|| with(d, k, |m, c, i| (m, c * factor, i)))?
}

/// The largest and the smallest of ixx, iyy, izz, if they differ by a factor of 3.
fn interchanged(d: &Description, k: usize) -> Option<Description> {
    let t = d.links[k].parts.first()?.inertia.central();
    let mut order = [(t.xx, 0), (t.yy, 1), (t.zz, 2)];
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    (order[2].0 > 3.0 * order[0].0).then(|| {
        with(d, k, |m, c, i| {
            let mut moments = [i.xx, i.yy, i.zz];
            moments.swap(order[0].1, order[2].1);
            (m, c, Sym3 { xx: moments[0], yy: moments[1], zz: moments[2], ..i })
        })
    })?
}

/// The sign of the component of the centre of mass that is farthest from 0, if that is 2.5 cm.
fn side_centre(d: &Description, k: usize) -> Option<Description> {
    let c = d.links[k].parts.first()?.inertia.centre();
    let axis = farthest(c).filter(|&axis| c.get(axis).abs() > 0.025)?;
    with(d, k, |m, c, i| (m, reversed(c, axis), i))
}

/// The sign of the component of the joint's origin that is farthest from 0, if that is 2.5 cm.
fn side_origin(d: &Description, k: usize) -> Option<Description> {
    let mut changed = d.clone();
    let joint = changed.joints.iter_mut().find(|j| j.child == d.links[k].name)?;
    let t = joint.placement.translation;
    let axis = farthest(t).filter(|&axis| t.get(axis).abs() > 0.025)?;
    joint.placement.translation = reversed(t, axis);
    Some(changed)
}

fn farthest(v: Vec3<f64>) -> Option<usize> {
    (0..3).max_by(|&a, &b| v.get(a).abs().total_cmp(&v.get(b).abs()))
}

fn reversed(v: Vec3<f64>, axis: usize) -> Vec3<f64> {
    let mut v = v.to_array();
    v[axis] = -v[axis];
    vec3(v[0], v[1], v[2])
}

/// Some links that a joint moves, with a mesh and one part of at least 1 % of the robot's mass.
fn chosen(d: &Description, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
    let moved: BTreeSet<&str> =
        d.joints.iter().filter(|j| j.kind != JointKind::Fixed).map(|j| j.child.as_str()).collect();
    let whole: f64 = d.links.iter().flat_map(|l| &l.parts).map(|p| p.inertia.mass).sum();
    let fits = |k: &usize| {
        let l = &d.links[*k];
        let heavy = l.parts.len() == 1 && l.parts[0].inertia.mass > MIN_MASS * whole;
        let tensor = heavy && l.parts[0].inertia.central().eigenvalues()[0] > 0.0;
        moved.contains(l.name.as_str()) && tensor && l.shapes.iter().any(|s| s.mesh.is_some()) && wanted(&l.name)
    };
    let all: Vec<usize> = (0..d.links.len()).filter(fits).collect();
    let step = all.len().div_ceil(PER_ROBOT).max(1);
    all.into_iter().step_by(step).collect()
}

/// Whether a link is the right-hand one of a pair.
fn is_right(d: &Description, name: &str) -> bool {
    let others = [("right", "left"), ("Right", "Left"), ("RIGHT", "LEFT")].map(|(r, l)| name.replace(r, l));
    let letter = name.strip_prefix("r_").map(|rest| format!("l_{rest}"));
    others.into_iter().chain(letter).any(|other| other != name && d.links.iter().any(|l| l.name == other))
}

/// Planted, reported with the right name, and reported with other names only.
#[derive(Clone, Copy, Default)]
struct Count {
    planted: usize,
    found: usize,
    elsewhere: usize,
}

/// By kind of fault, on the half that the thresholds were chosen on and on the other one.
fn counts(robots: &[Robot]) -> Vec<(&'static str, [Count; 2])> {
    let mut counts: Vec<(&'static str, [Count; 2])> = vec![];
    let mut plant = |robot: &Robot, kind: &'static str, changed: Option<Description>, names: Option<[String; 2]>| {
        let Some(changed) = changed else { return };
        let at = counts.iter().position(|(name, _)| *name == kind).unwrap_or_else(|| {
            counts.push((kind, Default::default()));
            counts.len() - 1
        });
        let count = &mut counts[at].1[usize::from(robot.held_out)];
        let found = warnings(&changed, &robot.sizes);
        let new: Vec<&String> = found.difference(&robot.original).map(|(_, message)| message).collect();
        let named = |m: &&&String| names.as_ref().is_none_or(|names| names.iter().any(|n| m.contains(n)));
        count.planted += 1;
        match new.iter().find(named) {
            Some(_) => count.found += 1,
            None => {
                count.elsewhere += usize::from(!new.is_empty());
                if std::env::var_os("ARMDYN_REAL_FILES_VERBOSE").is_some() {
                    println!("MISSED\t{}\t{kind}\t{}\t{names:?}\t{new:?}", robot.held_out, robot.file);
                }
            }
        }
    };
    for robot in robots {
        let d = &robot.description;
        let joint_of = |k: usize| d.joints.iter().find(|j| j.child == d.links[k].name).map(|j| format!("`{}`", j.name));
        for (faults, links) in [(OF_A_LINK, chosen(d, |_| true)), (OF_A_SIDE, chosen(d, |name| is_right(d, name)))] {
            for (kind, fault) in faults {
                for &k in &links {
                    let names = [format!("`{}`", d.links[k].name), joint_of(k).unwrap_or_default()];
                    plant(robot, kind, fault(d, k), Some(names));
                }
            }
        }
        if !chosen(d, |_| true).is_empty() {
            OF_ALL.iter().for_each(|(kind, fault)| plant(robot, kind, fault(d), None));
        }
    }
    counts
}

/// Robots, and those with a warning of these comparisons.
fn alarms(robots: &[Robot], held_out: bool) -> (usize, usize) {
    let half: Vec<&Robot> = robots.iter().filter(|r| r.held_out == held_out).collect();
    let warned = half.iter().filter(|r| r.original.iter().any(|(code, _)| CODES.contains(code))).count();
    (half.len(), warned)
}

#[test]
fn rates_on_the_held_out_half() {
    let Some(robots) = robots() else {
        return println!("skipped: ARMDYN_REAL_FILES is not set (conformance/real-files/collect fills the folder)");
    };
    let counts = counts(&robots);
    let percent = |c: &Count| 100.0 * c.found as f64 / c.planted.max(1) as f64;
    let mut lines = vec!["| fault | planted | reported | planted, held out | reported |".to_string()];
    for (kind, [chosen, held_out]) in &counts {
        let [a, b] = [chosen, held_out].map(percent);
        lines.push(format!("| {kind} | {} | {a:.0} % | {} | {b:.0} % |", chosen.planted, held_out.planted));
    }
    let [(all, warned), (others, warned_others)] = [false, true].map(|held_out| alarms(&robots, held_out));
    lines.push(format!("| files with a warning as they are | {all} | {warned} | {others} | {warned_others} |"));
    lines.iter().for_each(|line| println!("{line}"));
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/import.md");
    let docs = std::fs::read_to_string(docs).expect("docs/import.md");
    let missing: Vec<&String> = lines.iter().filter(|line| !docs.contains(line.as_str())).collect();
    assert!(missing.is_empty(), "docs/import.md has other rates: {missing:#?}");
    // What `check` is for: slips of a unit in one link or in all of them.
    for (kind, least) in
        [("mass × 1000", 95.0), ("inertia × 1e6", 95.0), ("centre of mass in mm", 95.0), ("all masses ÷ 1000", 95.0)]
    {
        let (_, [_, held_out]) = counts.iter().find(|(name, _)| *name == kind).expect("a kind");
        assert!(percent(held_out) >= least, "{kind}: {:.0} %", percent(held_out));
    }
}
