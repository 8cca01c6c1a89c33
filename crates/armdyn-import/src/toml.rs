//! Reader of armdyn's TOML format (`docs/format.md`).
//!
//! All problems are reported in one pass: an invalid value does not stop the reader.

mod beams;
mod bodies;
mod catalogue;
mod contacts;
mod fields;
mod joints;

use crate::Diagnostics;
use crate::description::{
    CoupledRotor, Description, Form, JointDescription, LinkDescription, PayloadDescription, Shape, ToolDescription,
    mimic_message,
};
use crate::findings::{A002, A004, A005, A007, A101, A102, A103, A108, Finding};
use crate::message::suggestion;
use crate::source::Place;
use crate::units::Quantity::{Acceleration, Inertia as Moment, Length, Number};
use armdyn_core::{Inertia, ToolSource};
pub(crate) use bodies::rpy;
use bodies::{BODY, parts, pose};
pub use catalogue::load_catalogue;
use fields::{Entry, Fields, Reader};
use joints::{Convention, direction, joint};
use std::collections::{BTreeSet, HashSet};
use toml_edit::Document;

const TOP: [&str; 14] = [
    "version",
    "name",
    "summary",
    "origin",
    "gravity",
    "convention",
    "base",
    "link",
    "payload",
    "coupled_rotor",
    "material",
    "section",
    "contact",
    "tool",
];

/// Reads a robot.
pub(crate) fn read(diagnostics: &mut Diagnostics, file: usize) -> Option<Description> {
    document(diagnostics, file, robot)
}

/// Reads a TOML document by `read`; findings in the order of the text.
fn document<T>(
    diagnostics: &mut Diagnostics,
    file: usize,
    read: fn(&mut Reader, &toml_edit::Table) -> Option<T>,
) -> Option<T> {
    let text = diagnostics.sources.files.get(file)?.text.clone();
    let mut found = vec![];
    let content = match Document::parse(text.as_str()) {
        Ok(document) => {
            let mut reader = Reader { findings: &mut found, file };
            let content = read(&mut reader, document.as_table());
            found.sort_by_key(|f| f.place.as_ref().map_or(0, |p| p.span.start));
            content
        }
        Err(e) => {
            let span = e.span().unwrap_or(text.len()..text.len());
            let message = e.message().lines().collect::<Vec<_>>().join("; ");
            found.push(Finding::at(A002, &Place { file, span }, message));
            None
        }
    };
    diagnostics.findings.append(&mut found);
    content
}

/// Checks that `version` is 1.
fn version(r: &mut Reader, root: &Fields, table: &toml_edit::Table) {
    let Some(e) = r.require(root, "version") else { return };
    match table.get("version").and_then(|v| v.as_integer()) {
        Some(1) => {}
        Some(other) => r.report(A007, &e.place, format!("unsupported `version` {other}: expected 1")),
        None => r.report(A007, &e.place, "`version` is not an integer: expected 1"),
    }
}

fn robot(r: &mut Reader, table: &toml_edit::Table) -> Option<Description> {
    // The fields of other versions are unknown.
    if let Some(version) = table.get("version").and_then(|v| v.as_integer()).filter(|v| *v != 1) {
        let root = r.root(table, "robot", &table.iter().map(|(k, _)| k).collect::<Vec<_>>());
        r.report(A007, &root.place_of("version"), format!("unsupported `version` {version}: expected 1"));
        return None;
    }
    let root = r.root(table, "robot", &TOP);
    version(r, &root, table);
    let name = r.name(&root, "name").unwrap_or_default().to_string();
    let convention = match root.get("convention").map(|e| r.choice(&e, &["frames", "dh", "mdh"], A005)) {
        Some(Some(1)) => Convention::Dh,
        Some(Some(2)) => Convention::Mdh,
        Some(None) => Convention::Unknown,
        _ => Convention::Frames,
    };
    let mut made = Description {
        name,
        summary: r.text(&root, "summary").map(str::to_string),
        origin: r.text(&root, "origin").map(str::to_string),
        gravity: r.vector(&root, "gravity", Acceleration),
        materials: beams::materials(r, &root),
        sections: beams::sections(r, &root),
        contacts: contacts::contacts(r, &root),
        ..Description::default()
    };
    base(r, &root, &mut made);
    links(r, &root, convention, &mut made);
    mimics(r, &mut made);
    let names: HashSet<String> = made.links.iter().map(|l| l.name.clone()).collect();
    if let Some(e) = root.get("payload") {
        for entry in r.list(&e) {
            made.payloads.extend(payload(r, &entry, &names));
        }
    }
    if let Some(e) = root.get("coupled_rotor") {
        let degrees: BTreeSet<String> = made.joints.iter().flat_map(JointDescription::dof_names).collect();
        for entry in r.list(&e) {
            made.coupled_rotors.extend(coupled_rotor(r, &entry, &degrees, &names));
        }
    }
    if let Some(e) = root.get("tool") {
        let last = made.links.last().map(|l| l.name.clone()).unwrap_or_default();
        made.tool = tool(r, &e, last, &names);
    }
    Some(made)
}

fn mimics(r: &mut Reader, made: &mut Description) {
    let invalid = made.drop_invalid_mimics();
    for joint in &made.joints {
        if let Some(mimic) = &joint.mimic {
            r.report(A108, &joint.place, mimic_message(&joint.name, mimic));
        }
    }
    for (k, whom) in invalid {
        let joint = &made.joints[k];
        let message =
            format!("joint `{}`: `mimic` must name another joint with one degree of freedom, not {whom}", joint.name);
        r.report(A005, &joint.place, message);
    }
}

fn base(r: &mut Reader, root: &Fields, made: &mut Description) {
    let mut base = LinkDescription::massless("base", &root.place);
    let known: Vec<&str> = ["name", "shapes"].into_iter().chain(BODY).collect();
    if let Some(f) = root.get("base").and_then(|e| r.fields(&e, "base".to_string(), &known)) {
        if f.has("name") {
            base.name = r.name(&f, "name").unwrap_or("base").to_string();
        }
        base.place = f.place.clone();
        base.parts = parts(r, &f, &base.name);
        base.shapes = shapes(r, &f);
    }
    made.links.push(base);
}

fn links(r: &mut Reader, root: &Fields, convention: Convention, made: &mut Description) {
    let Some(list) = root.get("link") else { return };
    let entries = r.list(&list);
    let declared = |key: &str, r: &mut Reader| {
        let found = root.get(key).filter(Entry::is_table).and_then(|e| r.fields(&e, String::new(), &[]));
        found.map(|f| f.keys()).unwrap_or_default()
    };
    let declared = (declared("section", r), declared("material", r));
    let known: Vec<&str> = ["name", "parent", "joint", "beam", "shapes"].into_iter().chain(BODY).collect();
    // All names of the file, to distinguish a parent that comes later from an unknown one.
    let all: HashSet<&str> = entries.iter().filter_map(|e| peek(e, "name")).collect();
    let mut taken: HashSet<String> = made.links.iter().map(|l| l.name.clone()).collect();
    let mut joint_taken = HashSet::new();
    let mut before = made.links.first().map(|l| l.name.clone()).unwrap_or_default();
    for (k, entry) in entries.iter().enumerate() {
        let Some(f) = r.fields(entry, format!("link {}", k + 1), &[]) else { continue };
        let name = r.name(&f, "name").map(str::to_string);
        let subject = name.as_ref().map_or_else(|| format!("link {}", k + 1), |n| format!("link `{n}`"));
        r.fields(entry, subject.clone(), &known);
        let f = f.called(subject);
        let parent = parent(r, &f, &taken, &all, &before);
        let label = name.clone().unwrap_or_default();
        let link = LinkDescription {
            name: label.clone(),
            place: f.place.clone(),
            parts: parts(r, &f, &label),
            shapes: shapes(r, &f),
            beam: beams::beam(r, &f, &made.sections, (&declared.0, &declared.1)),
        };
        let read = r.require(&f, "joint").and_then(|e| Some((e.place.clone(), joint(r, &e, &f.subject, convention)?)));
        if let Some((place, read)) = read {
            if !joint_taken.insert(read.name.clone()) {
                let at = f.get("joint").and_then(|e| r.fields(&e, String::new(), &[])).map(|j| j.place_of("name"));
                let message = format!("{}: duplicate joint `{}`", f.subject, read.name);
                r.report(A102, &at.unwrap_or_else(|| place.clone()), message);
            }
            // The name of the intermediate frame of the convention.
            let foot = proximal(&link.name);
            if read.distal.is_some() && (all.contains(foot.as_str()) || !taken.insert(foot.clone())) {
                let message = format!("{}: its proximal frame `{foot}` has the name of another link", f.subject);
                r.report(A101, &f.place_of("name"), message);
            }
            push_joint(made, read, place, parent, &link);
        }
        if let Some(name) = &name {
            if !taken.insert(name.clone()) {
                r.report(A101, &f.place_of("name"), format!("duplicate link `{name}`"));
            }
            before = name.clone();
        }
        made.links.push(link);
    }
}

/// The name of the intermediate frame of a link.
fn proximal(link: &str) -> String {
    format!("{link}_proximal")
}

/// Adds a joint, and the intermediate frame if the convention needs one.
fn push_joint(made: &mut Description, read: joints::Read, place: Place, parent: String, link: &LinkDescription) {
    let joints::Read { name, kind, placement, distal, drives, stiffness, mimic } = read;
    let child = link.name.clone();
    let moved =
        JointDescription { name, place: place.clone(), kind, parent, child, placement, drives, stiffness, mimic };
    let Some(distal) = distal else { return made.joints.push(moved) };
    let foot = proximal(&link.name);
    let fixed = JointDescription::fixed(format!("{}_distal", moved.name), &place, &foot, &link.name, distal);
    made.links.push(LinkDescription::massless(&foot, &link.place));
    made.joints.push(JointDescription { child: foot, ..moved });
    made.joints.push(fixed);
}

/// A string field, without findings.
fn peek<'t>(entry: &Entry<'t>, key: &str) -> Option<&'t str> {
    let mut unsaid = vec![];
    let mut quiet = Reader { findings: &mut unsaid, file: entry.place.file };
    let f = quiet.fields(entry, String::new(), &[])?;
    quiet.text(&f, key)
}

fn parent(r: &mut Reader, f: &Fields, before: &HashSet<String>, all: &HashSet<&str>, last: &str) -> String {
    let Some(name) = r.text(f, "parent") else { return last.to_string() };
    if !before.contains(name) {
        let hint = if all.contains(name) { "move it before its child".to_string() } else { missing(r, name, before) };
        r.report(A103, &f.place_of("parent"), format!("{}: no preceding link `{name}`; {hint}", f.subject));
    }
    name.to_string()
}

/// A suggestion for an unknown name.
fn missing(r: &Reader, name: &str, there: &HashSet<String>) -> String {
    if there.len() > 1000 || !r.hints() {
        return format!("the file has {} links", there.len());
    }
    let mut words: Vec<&String> = there.iter().collect();
    words.sort();
    suggestion(r.nearest(name, &words), &words)
}

fn check_link(r: &mut Reader, f: &Fields, name: &str, links: &HashSet<String>) {
    if !links.contains(name) {
        let message = format!("{}: unknown link `{name}`; {}", f.subject, missing(r, name, links));
        r.report(A103, &f.place_of("link"), message);
    }
}

/// Bounding boxes of a link's geometry.
fn shapes(r: &mut Reader, f: &Fields) -> Vec<Shape> {
    let Some(entry) = f.get("shapes") else { return vec![] };
    let mut shapes = vec![];
    for e in r.list(&entry) {
        let Some(s) = r.fields(&e, e.called.clone(), &["size", "at", "asset"]) else { continue };
        let size = r.require(&s, "size").and_then(|e| r.numbers(&e, Length));
        let pose = if s.has("at") { pose(r, &s, "at") } else { Some(armdyn_core::Transform::identity()) };
        let asset = r.text(&s, "asset").map(str::to_string);
        if let (Some(size), Some(pose)) = (size, pose) {
            let form = if asset.is_some() { Form::Mesh } else { Form::Box };
            shapes.push(Shape { place: e.place, pose, size, form, visual: true, asset, mesh: None });
        }
    }
    shapes
}

/// The tool: a frame of a link, by default of the last one.
fn tool(r: &mut Reader, entry: &Entry, last: String, links: &HashSet<String>) -> Option<ToolDescription> {
    let f = r.fields(entry, "tool".to_string(), &["link", "at"])?;
    let link = if f.has("link") { r.name(&f, "link")?.to_string() } else { last };
    check_link(r, &f, &link, links);
    let pose = if f.has("at") { pose(r, &f, "at")? } else { armdyn_core::Transform::identity() };
    Some(ToolDescription { place: f.place.clone(), link, pose, source: ToolSource::Description })
}

fn payload(r: &mut Reader, entry: &Entry, links: &HashSet<String>) -> Option<PayloadDescription> {
    let known: Vec<&str> = ["name", "link"].into_iter().chain(BODY).collect();
    let f = r.fields(entry, "payload".to_string(), &known)?;
    let name = r.name(&f, "name");
    let f = f.named("payload", name);
    let link = r.name(&f, "link");
    if let Some(link) = link {
        check_link(r, &f, link, links);
    }
    let parts = parts(r, &f, name.unwrap_or_default());
    if parts.is_empty() && !BODY.iter().any(|k| f.has(k)) {
        r.missing::<()>(&f, "`mass` or `bodies`");
    }
    let inertia = parts.into_iter().map(|p| p.inertia).reduce(|a, b| a + b).unwrap_or_else(Inertia::zero);
    Some(PayloadDescription { name: name?.to_string(), place: f.place.clone(), link: link?.to_string(), inertia })
}

fn coupled_rotor(
    r: &mut Reader,
    entry: &Entry,
    degrees: &BTreeSet<String>,
    links: &HashSet<String>,
) -> Option<CoupledRotor> {
    let f = r.fields(entry, "coupled rotor".to_string(), &["inertia", "gears", "mount"])?;
    let inertia = r.require_number(&f, "inertia", Moment);
    let mut gears = vec![];
    if let Some(g) = r.require(&f, "gears").and_then(|e| r.fields(&e, "coupled rotor, gears".to_string(), &[])) {
        for name in g.keys() {
            if !degrees.contains(name) {
                let few: Vec<&String> = degrees.iter().take(1000).collect();
                let hint = suggestion(r.nearest(name, &few), &few);
                let message = format!("{}: unknown degree of freedom `{name}`; {hint}", g.subject);
                r.report(A005, &g.place_of(name), message);
            }
            gears.extend(r.number(&g, name, Number).map(|ratio| (name.to_string(), ratio)));
        }
        if g.keys().is_empty() {
            r.report(A004, &g.place, "coupled rotor: `gears` is empty");
        }
    }
    let mount = f.get("mount").and_then(|e| r.fields(&e, "coupled rotor, mount".to_string(), &["link", "axis"]));
    let mount = mount.and_then(|m| {
        let link = r.name(&m, "link");
        if let Some(link) = link {
            check_link(r, &m, link, links);
        }
        let axis = r.require(&m, "axis").and_then(|e| direction(r, &e));
        Some((link?.to_string(), axis?))
    });
    Some(CoupledRotor { place: f.place.clone(), inertia: inertia?, gears, mount })
}
