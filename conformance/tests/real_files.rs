//! Public robot files (see `real-files/README.md`): each loads, and then M, g and τ equal the peer's, or
//! is refused for a reason that is written down.
//!
//! `real-files/collect` fetches the files and has Pinocchio (URDF) and MuJoCo (MJCF) compute the reference; the folder it
//! fills is given in `ARMDYN_REAL_FILES`. `real-files/OUTCOME.md` has the outcome of every file: what differs from it
//! fails. With `ARMDYN_REAL_FILES_RECORD` set, it is rewritten.
//!
//! MuJoCo reads the bundled robots too, as `to_mjcf` writes them.

use armdyn_core::{CrbaData, JointKind, Model, RneaData, crba, rnea};
use armdyn_import::{Description, Finding, Loaded, Options, Severity, check_meshes, library, load, to_mjcf};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Both sides compute in doubles; long trees with light tips lose some digits, nowhere half of them.
const AGREEMENT: f64 = 1e-8;

/// What the table is between.
const MARKS: [&str; 2] = ["<!-- table -->", "<!-- end of table -->"];

/// What a peer makes of a file.
#[derive(Deserialize)]
struct Reference {
    file: String,
    format: String,
    refused: Option<String>,
    joints: Vec<PeerJoint>,
    states: Vec<State>,
}

#[derive(Deserialize)]
struct PeerJoint {
    name: String,
    kind: String,
}

#[derive(Deserialize)]
struct State {
    q: Vec<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
    #[serde(rename = "M")]
    mass: Vec<f64>,
    g: Vec<f64>,
    tau: Vec<f64>,
}

/// What came of a file.
struct Row {
    file: String,
    joints: String,
    outcome: String,
    worst: Option<f64>,
    peer: String,
    found: String,
}

impl Row {
    /// A line of the table; without the worst difference, which is the machine's.
    fn line(&self, with_worst: bool) -> String {
        let Row { file, joints, outcome, worst, peer, found } = self;
        let worst = worst.filter(|_| with_worst).map_or(String::new(), |w| format!("{w:.0e}"));
        let name = file.split_once('/').map_or(file.as_str(), |(_, name)| name);
        format!("| {name} | {joints} | {outcome} | {worst} | {peer} | {found} |")
    }
}

/// The reasons that were written down: of a file, the codes that refuse it (or `differs within BOUND`) and why that is right. The text has
/// a line `codes: why` for each reason, and below it, indented, the files.
fn explained() -> BTreeMap<String, (String, String)> {
    let text = std::fs::read_to_string(folder().join("explained.txt")).expect("explained.txt");
    let (mut files, mut reason) = (BTreeMap::new(), None);
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        match line.strip_prefix("    ") {
            None => reason = line.split_once(": ").map(|(what, why)| (what.to_string(), why.to_string())),
            Some(file) => {
                let reason = reason.clone().unwrap_or_else(|| panic!("explained.txt: no reason before {file}"));
                assert!(files.insert(file.to_string(), reason).is_none(), "explained.txt has {file} twice");
            }
        }
    }
    files
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("real-files")
}

/// Codes of findings, each once, with how often it was found.
fn codes<'a>(findings: impl Iterator<Item = &'a Finding>) -> String {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    findings.for_each(|f| *count.entry(f.code.id).or_default() += 1);
    let describe = |(code, n): (&str, usize)| if n == 1 { code.to_string() } else { format!("{code} × {n}") };
    count.into_iter().map(describe).collect::<Vec<_>>().join(", ")
}

/// The coordinates of our model for each of the peer's, by joint; and of velocities.
fn places(m: &Model<f64>, reference: &Reference) -> Result<[Vec<usize>; 2], String> {
    let moving: Vec<_> = m.joints().iter().filter(|j| j.kind != JointKind::Fixed).collect();
    if moving.len() != reference.joints.len() {
        return Err(format!("{} joints move, the peer has {}", moving.len(), reference.joints.len()));
    }
    let (mut q, mut v) = (vec![], vec![]);
    for (k, peer) in reference.joints.iter().enumerate() {
        // MuJoCo has them in the order of the file, and not all have names.
        let ours =
            if reference.format == "mjcf" { Some(&moving[k]) } else { moving.iter().find(|j| j.name == peer.name) };
        let ours = ours.ok_or_else(|| format!("there is no joint `{}`", peer.name))?;
        let expected = match peer.kind.as_str() {
            "one" => (1, 1),
            "planar" => (3, 3),
            "spherical" => (4, 3),
            _ => (7, 6),
        };
        if (ours.q.len(), ours.v.len()) != expected {
            return Err(format!("joint `{}` is {:?}, the peer has `{}`", ours.name, ours.kind, peer.kind));
        }
        q.extend(ours.q.clone());
        v.extend(ours.v.clone());
    }
    Ok([q, v])
}

/// A difference from the peer, and where.
struct Difference {
    worst: f64,
    at: String,
    /// Whether the peer has anything but zeros.
    mass: bool,
}

/// The worst difference from the peer in M, g, τ: of an element of M relative to √(M_ii M_jj), of a torque relative to its
/// joint's largest in all states, or to a millionth of the robot's: what should be 0 is rounding.
fn difference(m: &Model<f64>, reference: &Reference, [at_q, at_v]: [Vec<usize>; 2]) -> Result<Difference, String> {
    let n = m.nv();
    let put = |values: &[f64], at: &[usize]| {
        let mut ours = vec![0.0; at.len()];
        at.iter().zip(values).for_each(|(&k, x)| ours[k] = *x);
        ours
    };
    let mut largest = vec![0.0_f64; n];
    for s in &reference.states {
        (0..n).for_each(|k| largest[k] = largest[k].max(s.tau[k].abs()).max(s.g[k].abs()));
    }
    let top = largest.iter().fold(0.0_f64, |x, y| x.max(*y));
    let mut found = Difference { worst: 0.0, at: String::new(), mass: top > 0.0 };
    let mut see = |ours: f64, peers: f64, scale: f64, what: &str, i: usize, j: usize| {
        let error = (ours - peers).abs() / scale.max(f64::MIN_POSITIVE);
        if error > found.worst || error.is_nan() {
            found.worst = if error.is_nan() { f64::INFINITY } else { error };
            let [i, j] = [i, j].map(|k| &m.dof_names()[at_v[k]]);
            found.at = format!("{what} of `{i}`, `{j}` is {ours}, the peer's {peers}");
        }
    };
    let (mut c, mut r) = (CrbaData::new(m), RneaData::new(m));
    let (zero, mut mass, mut tau) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; n]);
    for s in &reference.states {
        let (q, [qd, qdd]) = (put(&s.q, &at_q), [&s.qd, &s.qdd].map(|x| put(x, &at_v)));
        let describe = |e: armdyn_core::Error| e.to_string();
        crba(m, &mut c, &q, &mut mass).map_err(describe)?;
        let heaviest = (0..n).map(|k| s.mass[k * n + k]).fold(0.0, f64::max);
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let scale = (s.mass[i * n + i] * s.mass[j * n + j]).max(0.0).sqrt().max(1e-6 * heaviest);
            see(mass[at_v[i] * n + at_v[j]], s.mass[i * n + j], scale, "M", i, j);
        }
        for (what, qd, qdd, peers) in [("g", &zero, &zero, &s.g), ("τ", &qd, &qdd, &s.tau)] {
            rnea(m, &mut r, &q, qd, qdd, &mut tau).map_err(describe)?;
            (0..n).for_each(|k| see(tau[at_v[k]], peers[k], largest[k].max(1e-6 * top), what, k, k));
        }
    }
    Ok(found)
}

/// Loads a file and sets it against the peer.
fn outcome(
    files: &Path,
    options: &Options,
    reference: &Reference,
    explained: &BTreeMap<String, (String, String)>,
) -> (Row, Option<String>) {
    let Loaded { description, mut findings, sources } = load(&files.join(&reference.file), options);
    if let Some(robot) = &description {
        findings.extend(check_meshes(robot));
    }
    if std::env::var_os("ARMDYN_REAL_FILES_VERBOSE").is_some() {
        findings.iter().filter(|f| f.code.severity > Severity::Note).for_each(|f| println!("{}", f.line(&sources)));
    }
    let found = codes(findings.iter().filter(|f| f.code.severity > Severity::Note));
    let file = reference.file.clone();
    let reason = explained.get(&file);
    let peer = reference.refused.as_ref().map_or(String::new(), |r| format!("refuses: {}", r.replace('|', "/")));
    let mut row = Row { file: file.clone(), joints: String::new(), outcome: String::new(), worst: None, peer, found };
    let model = match description.map(|robot| robot.model()) {
        Some(Ok(model)) => model,
        refused => {
            let mut wrong: Vec<&str> =
                findings.iter().filter(|f| f.code.severity == Severity::Error).map(|f| f.code.id).collect();
            wrong.sort_unstable();
            wrong.dedup();
            let wrong = wrong.join(", ");
            let first = findings.iter().find(|f| f.code.severity == Severity::Error);
            let first = first.map(|f| f.line(&sources)).or(refused.and_then(|r| r.err()).map(|e| e.to_string()));
            row.outcome = format!("refused, {wrong}: {}", reason.map_or("", |(_, why)| why));
            let known = reason.is_some_and(|(codes, _)| *codes == wrong);
            return (row, (!known).then(|| format!("{file} | {wrong} | {}", first.unwrap_or_default())));
        }
    };
    row.joints = model.joints().iter().filter(|j| j.kind != JointKind::Fixed).count().to_string();
    // Pinocchio knows no drives, MuJoCo their armature.
    // The peers' joints are independent, mimic joints too.
    let model = model.tree();
    let model = if reference.format == "mjcf" { model.without_friction() } else { model.without_drives() };
    if reference.refused.is_some() {
        row.outcome = "loads".into();
        return (row, reason.map(|_| format!("{file} loads, and is in explained.txt")));
    }
    let found = places(&model, reference).and_then(|places| difference(&model, reference, places));
    row.worst = found.as_ref().ok().filter(|_| model.nv() > 0).map(|d| d.worst);
    let massless = found.as_ref().is_ok_and(|d| !d.mass);
    let wrong = match found {
        Ok(d) if d.worst <= AGREEMENT => None,
        Ok(Difference { worst, at, .. }) => Some(format!("{worst:.1e}: {at}")),
        Err(what) => Some(what),
    };
    row.outcome = match (&wrong, reason) {
        (Some(_), Some((_, why))) => format!("differs: {why}"),
        (Some(what), None) => format!("differs: {what}"),
        (None, _) if model.nv() == 0 => "loads, nothing moves".into(),
        (None, _) if massless => "agrees: all is zero".into(),
        (None, _) => "agrees".into(),
    };
    let bound = reason.and_then(|(what, _)| what.strip_prefix("differs within ")?.parse::<f64>().ok());
    let within = bound.zip(row.worst).is_some_and(|(bound, worst)| worst <= bound);
    let failure = match (wrong, reason) {
        (Some(_), Some(_)) if within => None,
        (None, None) => None,
        (Some(what), _) => Some(format!("{file} differs: {what}")),
        (None, Some(_)) => Some(format!("{file} agrees, and is in explained.txt")),
    };
    (row, failure)
}

/// The table, a part for each package; files in which nothing moves and nothing is odd are only counted.
fn table(rows: &[Row], with_worst: bool) -> String {
    let mut packages: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        packages.entry(row.file.split('/').next().unwrap_or_default()).or_default().push(row);
    }
    let mut text = String::new();
    let versions = std::fs::read_to_string(folder().join("packages.txt")).expect("packages.txt");
    for (package, rows) in packages {
        let named = versions.lines().find(|l| l.starts_with(&format!("{package}=="))).and_then(|l| l.split(' ').next());
        let dull = |r: &&&Row| r.outcome == "loads, nothing moves" && r.found.is_empty();
        let (quiet, count) = (rows.iter().filter(dull).count(), rows.len());
        let _ = writeln!(text, "\n### {}: {count} files\n", named.unwrap_or(package));
        if quiet > 0 {
            let _ = writeln!(text, "In {quiet} of them nothing moves and nothing is odd; they load.\n");
        }
        if quiet < count {
            let _ = writeln!(text, "| file | joints | outcome | worst | peer | found |\n|---|---|---|---|---|---|");
        }
        rows.iter().filter(|r| !dull(r)).for_each(|r| {
            let _ = writeln!(text, "{}", r.line(with_worst));
        });
    }
    text
}

/// A recorded table without its worst differences.
fn without_worst(table: &str) -> String {
    let line = |line: &str| {
        let mut cells: Vec<&str> = line.split('|').collect();
        if cells.len() > 5 && !line.starts_with("|---") && cells[1].trim() != "file" {
            cells[4] = "  ";
        }
        cells.join("|")
    };
    table.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_real_file_agrees_with_its_peer_or_is_refused_for_a_reason() {
    let Some(data) = std::env::var_os("ARMDYN_REAL_FILES").map(PathBuf::from) else {
        return println!("skipped: ARMDYN_REAL_FILES is not set (conformance/real-files/collect fills the folder)");
    };
    let mut names: Vec<PathBuf> = std::fs::read_dir(data.join("reference"))
        .expect("the folder of ARMDYN_REAL_FILES has a reference")
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    names.sort();
    assert!(names.len() > 1000, "only {} files", names.len());
    let explained = explained();
    let (files, packages) = (data.join("files"), std::fs::read_to_string(data.join("packages.json")).unwrap());
    // Of each package, the folders that `package://` and `$(find …)` mean in it.
    let packages: BTreeMap<String, BTreeMap<String, PathBuf>> = serde_json::from_str(&packages).unwrap();
    let (mut rows, mut failures) = (vec![], vec![]);
    for name in names {
        let text = std::fs::read_to_string(&name).unwrap();
        let reference: Reference = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", name.display()));
        let within = packages.get(reference.file.split('/').next().unwrap_or_default());
        let packages = within.into_iter().flatten().map(|(name, path)| (name.clone(), files.join(path))).collect();
        let options = Options { packages, ..Options::default() };
        let (row, failure) = outcome(&files, &options, &reference, &explained);
        rows.push(row);
        failures.extend(failure);
    }
    for file in explained.keys().filter(|f| rows.iter().all(|r| r.file != **f)) {
        failures.push(format!("{file} is in explained.txt, but there is no such file"));
    }
    let record = folder().join("OUTCOME.md");
    let text = std::fs::read_to_string(&record).expect("OUTCOME.md");
    let [before, rest] = text.split(MARKS[0]).collect::<Vec<_>>()[..] else { panic!("OUTCOME.md has no table") };
    let (recorded, after) = rest.split_once(MARKS[1]).expect("OUTCOME.md has an end of its table");
    let now = table(&rows, false);
    if std::env::var_os("ARMDYN_REAL_FILES_RECORD").is_some() {
        let text = format!("{before}{}\n{}\n{}{after}", MARKS[0], table(&rows, true), MARKS[1]);
        std::fs::write(&record, text).expect("OUTCOME.md can be written");
    } else if without_worst(recorded).trim() != now.trim() {
        let recorded = without_worst(recorded);
        let changed =
            now.lines().filter(|l| !recorded.lines().any(|r| r == *l)).map(|l| format!("not as recorded: {l}"));
        failures.extend(changed);
    }
    let count = |what: &str| rows.iter().filter(|r| r.outcome.starts_with(what)).count();
    println!(
        "{} files: {} agree, {} load and nothing moves, {} load and the peer refuses, {} are refused, {} differ",
        rows.len(),
        count("agrees"),
        count("loads, nothing"),
        rows.iter().filter(|r| r.outcome == "loads").count(),
        count("refused"),
        count("differs")
    );
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// A robot without what MJCF cannot express: gyroscopic rotors, and rotors geared to several joints.
fn in_mjcf(mut d: Description) -> Description {
    d.coupled_rotors.retain(|r| r.gears.len() == 1);
    d.coupled_rotors.iter_mut().for_each(|r| r.mount = None);
    for rotor in d.joints.iter_mut().flat_map(|j| &mut j.drives).filter_map(|d| d.rotor.as_mut()) {
        rotor.axis = None;
    }
    d
}

/// The bundled robots written as MJCF have the same M, g and τ in MuJoCo.
#[test]
fn exported_mjcf_in_mujoco() {
    let Some(data) = std::env::var_os("ARMDYN_REAL_FILES").map(PathBuf::from) else {
        return println!("skipped: ARMDYN_REAL_FILES is not set (conformance/real-files/collect fills the folder)");
    };
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exported-mjcf");
    let _ = std::fs::remove_dir_all(&out);
    std::fs::create_dir_all(out.join("files/bundled")).unwrap();
    let robots: Vec<Description> = library::ROBOTS.iter().map(|r| r.load().description.unwrap()).collect();
    for d in &robots {
        std::fs::write(out.join(format!("files/bundled/{}.xml", d.name)), to_mjcf(d).unwrap().0).unwrap();
    }
    let python = std::process::Command::new(data.join("venv/bin/python"))
        .args([folder().join("reference.py"), out.clone()])
        .output()
        .expect("the Python environment of ARMDYN_REAL_FILES");
    assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
    let mut failures = vec![];
    for d in robots {
        let name = d.name.clone();
        let text = std::fs::read_to_string(out.join(format!("reference/bundled__{name}.xml.json"))).unwrap();
        let reference: Reference = serde_json::from_str(&text).unwrap();
        if let Some(why) = reference.refused {
            // Measured moments that no rigid body has (A204, A212), which the export reports.
            if name != "puma560" || !why.contains("inertia must satisfy A + B >= C") {
                failures.push(format!("{name}: MuJoCo refuses it: {why}"));
            }
            continue;
        }
        let m = in_mjcf(d).model().unwrap().without_friction();
        let place = |j: &PeerJoint| m.dof_names().iter().position(|n| *n == j.name).expect("a degree of freedom");
        let at: Vec<usize> = reference.joints.iter().map(place).collect();
        let found = difference(&m, &reference, [at.clone(), at]).unwrap();
        println!("{name}: {:.0e}", found.worst);
        // Vanishing moments of inertia become 1e-9 of the largest one.
        if found.worst > 1e-7 {
            failures.push(format!("{name}: {:.1e}: {}", found.worst, found.at));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
