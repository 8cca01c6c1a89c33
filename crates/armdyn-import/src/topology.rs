//! Whether links and joints make a tree.

use crate::findings::*;
use crate::source::Place;
use crate::spelling::{MAX_SUGGESTIONS, nearest};
use crate::{Description, Diagnostics};
use armdyn_core::Inertia;
use std::collections::{HashMap, HashSet};

/// Where each joint, by its own place (file and first byte), names its parent and its child.
pub(crate) type Ends<'a> = HashMap<(usize, usize), [&'a Place; 2]>;

/// Tells double names, links that are not there, loops, and what is not connected.
pub(crate) fn check(diagnostics: &mut Diagnostics, robot: &Description, places: &Ends) {
    let mut number: HashMap<&str, usize> = HashMap::new();
    for (k, l) in robot.links.iter().enumerate() {
        if number.contains_key(l.name.as_str()) {
            diagnostics.report(A101, &l.place, format!("there is another link `{}`", l.name));
        } else {
            number.insert(&l.name, k);
        }
    }
    // The joint that moves each link.
    let mut mover: Vec<Option<usize>> = vec![None; robot.links.len()];
    let mut named: HashSet<&str> = HashSet::new();
    // What a link that is not there may be meant to be.
    let links: Vec<&str> = robot.links.iter().map(|l| l.name.as_str()).take(1000).collect();
    let mut missing = 0;
    let mut names: HashSet<&str> = HashSet::new();
    for (k, j) in robot.joints.iter().enumerate() {
        if !names.insert(&j.name) {
            diagnostics.report(A102, &j.place, format!("there is another joint `{}`", j.name));
        }
        let at = |end: usize| places.get(&(j.place.file, j.place.span.start)).map_or(&j.place, |p| p[end]);
        for (end, link) in [&j.parent, &j.child].into_iter().enumerate() {
            named.insert(link);
            if !number.contains_key(link.as_str()) {
                let which = ["parent", "child"][end];
                let what = format!("joint `{}`: its {which} `{link}` is not there", j.name);
                missing += 1;
                let like = if missing < MAX_SUGGESTIONS { nearest(link, &links) } else { None };
                let mut finding = Finding::at(A103, at(end), what);
                finding.fix = like.map(|like| format!("is `{like}` meant?"));
                diagnostics.findings.push(finding);
            }
        }
        let Some(&child) = number.get(j.child.as_str()) else { continue };
        match mover[child] {
            None => mover[child] = Some(k),
            Some(first) => {
                let first = &robot.joints[first].name;
                let what = format!("link `{}` hangs on joint `{first}` and on joint `{}`", j.child, j.name);
                diagnostics.report(A106, at(1), what);
            }
        }
    }
    loops(diagnostics, robot, &number, &mover);
    let roots: Vec<usize> =
        (0..robot.links.len()).filter(|&k| mover[k].is_none() && number[robot.links[k].name.as_str()] == k).collect();
    let alone = |k: usize| !named.contains(robot.links[k].name.as_str());
    let Some(&base) = roots.iter().find(|&&k| !alone(k)).or(roots.first()) else { return };
    let root = &robot.links[base];
    for &k in roots.iter().filter(|&&k| k != base) {
        let link = &robot.links[k];
        if alone(k) {
            diagnostics.report(
                A104,
                &link.place,
                format!("link `{}` is on no joint; the root is `{}`", link.name, root.name),
            );
        } else {
            let what = format!("links `{}` and `{}` are both roots: no joint moves them", root.name, link.name);
            diagnostics.report(A107, &link.place, what);
        }
    }
    for part in root.parts.iter().filter(|p| p.inertia != Inertia::zero()) {
        let what = format!("link `{}` is the root: its {} kg bear on no joint", root.name, part.inertia.mass);
        diagnostics.report(A504, &part.place, what);
    }
}

/// Tells each loop once.
fn loops(diagnostics: &mut Diagnostics, robot: &Description, number: &HashMap<&str, usize>, mover: &[Option<usize>]) {
    // 0: not seen; otherwise the walk that came by.
    let mut walk = vec![0; mover.len()];
    for start in 0..mover.len() {
        let mut at = start;
        while walk[at] == 0 {
            walk[at] = start + 1;
            let Some(j) = mover[at] else { break };
            let Some(&parent) = number.get(robot.joints[j].parent.as_str()) else { break };
            if walk[parent] == start + 1 {
                let what = around(robot, number, mover, parent);
                let first = mover[parent].map_or(&robot.links[parent].place, |j| &robot.joints[j].place);
                diagnostics.report(A105, &first.clone(), what);
            }
            at = parent;
        }
    }
}

/// The links of a loop, in words.
fn around(robot: &Description, number: &HashMap<&str, usize>, mover: &[Option<usize>], from: usize) -> String {
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
