//! Checks that links and joints form a tree.

use crate::findings::*;
use crate::message::{MAX_SUGGESTIONS, nearest, number};
use crate::source::Place;
use crate::{Description, Diagnostics};
use armdyn_core::Inertia;
use std::collections::{HashMap, HashSet};

/// Locations of the parent and child names of each joint, by the joint's own location (file and first byte).
pub(crate) type Ends<'a> = HashMap<(usize, usize), [&'a Place; 2]>;

/// Reports duplicate names, unknown links, loops, and links that are not connected.
pub(crate) fn check(diagnostics: &mut Diagnostics, robot: &Description, places: &Ends) {
    let mut index: HashMap<&str, usize> = HashMap::new();
    for (k, l) in robot.links.iter().enumerate() {
        if index.contains_key(l.name.as_str()) {
            diagnostics.report(A101, &l.place, format!("duplicate link `{}`", l.name));
        } else {
            index.insert(&l.name, k);
        }
    }
    // The parent joint of each link.
    let mut mover: Vec<Option<usize>> = vec![None; robot.links.len()];
    let mut named: HashSet<&str> = HashSet::new();
    // Candidates for suggestions.
    let links: Vec<&str> = robot.links.iter().map(|l| l.name.as_str()).take(1000).collect();
    let mut missing = 0;
    let mut names: HashSet<&str> = HashSet::new();
    for (k, j) in robot.joints.iter().enumerate() {
        if !names.insert(&j.name) {
            diagnostics.report(A102, &j.place, format!("duplicate joint `{}`", j.name));
        }
        let at = |end: usize| places.get(&(j.place.file, j.place.span.start)).map_or(&j.place, |p| p[end]);
        for (end, link) in [&j.parent, &j.child].into_iter().enumerate() {
            named.insert(link);
            if !index.contains_key(link.as_str()) {
                let which = ["parent", "child"][end];
                let message = format!("joint `{}`: unknown {which} link `{link}`", j.name);
                missing += 1;
                let like = if missing < MAX_SUGGESTIONS { nearest(link, &links) } else { None };
                let mut finding = Finding::at(A103, at(end), message);
                finding.fix = like.map(|like| format!("did you mean `{like}`?"));
                diagnostics.findings.push(finding);
            }
        }
        let Some(&child) = index.get(j.child.as_str()) else { continue };
        match mover[child] {
            None => mover[child] = Some(k),
            Some(first) => {
                let first = &robot.joints[first].name;
                let message = format!("link `{}` is the child of joint `{first}` and of joint `{}`", j.child, j.name);
                diagnostics.report(A106, at(1), message);
            }
        }
    }
    loops(diagnostics, robot, &index, &mover);
    let roots: Vec<usize> =
        (0..robot.links.len()).filter(|&k| mover[k].is_none() && index[robot.links[k].name.as_str()] == k).collect();
    let alone = |k: usize| !named.contains(robot.links[k].name.as_str());
    let Some(&base) = roots.iter().find(|&&k| !alone(k)).or(roots.first()) else { return };
    let root = &robot.links[base];
    for &k in roots.iter().filter(|&&k| k != base) {
        let link = &robot.links[k];
        if alone(k) {
            let message = format!("link `{}` is not connected to the root `{}`", link.name, root.name);
            diagnostics.report(A104, &link.place, message);
        } else {
            let message =
                format!("links `{}` and `{}` are both roots: neither is the child of a joint", root.name, link.name);
            diagnostics.report(A107, &link.place, message);
        }
    }
    for part in root.parts.iter().filter(|p| p.inertia != Inertia::zero()) {
        let message = format!("link `{}` is the root: its {} kg affect no joint", root.name, number(part.inertia.mass));
        diagnostics.report(A504, &part.place, message);
    }
}

/// Reports each loop once.
fn loops(diagnostics: &mut Diagnostics, robot: &Description, index: &HashMap<&str, usize>, mover: &[Option<usize>]) {
    // 0: not visited; otherwise the walk that visited it.
    let mut walk = vec![0; mover.len()];
    for start in 0..mover.len() {
        let mut at = start;
        while walk[at] == 0 {
            walk[at] = start + 1;
            let Some(j) = mover[at] else { break };
            let Some(&parent) = index.get(robot.joints[j].parent.as_str()) else { break };
            if walk[parent] == start + 1 {
                let message = around(robot, index, mover, parent);
                let first = mover[parent].map_or(&robot.links[parent].place, |j| &robot.joints[j].place);
                diagnostics.report(A105, &first.clone(), message);
            }
            at = parent;
        }
    }
}

/// The message that lists the links of a loop.
fn around(robot: &Description, index: &HashMap<&str, usize>, mover: &[Option<usize>], from: usize) -> String {
    let mut names = vec![robot.links[from].name.as_str()];
    let mut at = from;
    while let Some(j) = mover[at] {
        let joint = &robot.joints[j];
        names.push(&joint.parent);
        match index.get(joint.parent.as_str()) {
            Some(&p) if p != from && names.len() < 10 => at = p,
            _ => break,
        }
    }
    names.reverse();
    format!("links form a loop: {}", names.join(" → "))
}
