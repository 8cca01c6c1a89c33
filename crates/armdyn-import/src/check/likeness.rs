//! Links that are alike and should not be (placeholders), and links that should be alike and are not (left and right).

use super::principal_moments;
use crate::description::{Description, LinkDescription};
use crate::findings::{self, Finding};
use armdyn::{Inertia, JointKind};
use std::collections::{BTreeMap, BTreeSet};

/// Three links or more with one and the same mass and tensor. Where all sit equally far from the base (feet, wheels, first
/// joints of fingers), or all look the same (motors), they are one part that is built in several times.
pub(super) fn placeholders(robot: &Description, found: &mut Vec<Finding>) {
    let depths = depths(robot);
    let mut same: BTreeMap<[u64; 7], Vec<&LinkDescription>> = BTreeMap::new();
    for link in robot.links.iter().filter(|l| l.parts.len() == 1 && l.parts[0].inertia.mass > 0.0) {
        let i = &link.parts[0].inertia;
        let t = i.central();
        // Nine digits: the tensor about the centre was subtracted from that about the origin.
        let key = [i.mass, t.xx, t.xy, t.xz, t.yy, t.yz, t.zz]
            .map(|x| format!("{x:.9e}").parse::<f64>().unwrap_or(x).to_bits());
        same.entry(key).or_default().push(link);
    }
    for links in same.values().filter(|l| l.len() >= 3) {
        let apart: BTreeSet<_> = links.iter().map(|l| depths.get(l.name.as_str())).collect();
        let looks: BTreeSet<String> = links.iter().map(|l| look(l)).collect();
        if apart.len() == 1 || (looks.len() == 1 && !looks.contains("")) {
            continue;
        }
        let names: Vec<String> = links.iter().map(|l| format!("`{}`", l.name)).collect();
        let what = format!("links {} have one and the same mass and inertia", names.join(", "));
        found.push(Finding::at(findings::A209, &links[1].parts[0].place, what));
    }
}

/// How many joints that move lie between each link and the base.
fn depths(robot: &Description) -> BTreeMap<&str, usize> {
    let mut depths = BTreeMap::new();
    for (link, joint) in robot.tree() {
        let depth = joint.map(|j| &robot.joints[j]).map_or(0, |j| {
            let before: usize = depths.get(j.parent.as_str()).copied().unwrap_or(0);
            before + usize::from(j.kind != JointKind::Fixed)
        });
        depths.insert(robot.links[link].name.as_str(), depth);
    }
    depths
}

/// The sizes and files of a link's shapes, as a text to compare.
fn look(link: &LinkDescription) -> String {
    link.shapes.iter().map(|s| format!("{:?} {:?};", s.size, s.asset)).collect()
}

/// Mirrored names whose figures differ.
pub(super) fn sides(robot: &Description, found: &mut Vec<Finding>) {
    let sides = [("left", "right"), ("Left", "Right"), ("_l_", "_r_"), ("LEFT", "RIGHT")];
    for link in &robot.links {
        for (left, right) in sides.iter().filter(|(left, _)| link.name.contains(left)) {
            let other = link.name.replace(left, right);
            let Some(mirrored) = robot.links.iter().find(|l| l.name == other) else { continue };
            let total = |l: &LinkDescription| l.parts.iter().fold(Inertia::zero(), |sum, p| sum + p.inertia);
            let (a, b) = (total(link), total(mirrored));
            let differ = |x: f64, y: f64| (x - y).abs() > 0.01 * x.abs().max(y.abs());
            let place = mirrored.parts.first().map_or(&mirrored.place, |p| &p.place);
            if differ(a.mass, b.mass) {
                let what = format!("`{}` has {} kg, `{other}` {} kg", link.name, a.mass, b.mass);
                found.push(Finding::at(findings::A211, place, what));
            } else if a.mass > 0.0 {
                let (p, q) = (principal_moments(&a.central()), principal_moments(&b.central()));
                if (0..3).any(|k| (p[k] - q[k]).abs() > 0.02 * p[2].abs().max(q[2].abs())) {
                    let what = format!(
                        "`{}` and `{other}` have other principal moments: {p:.3?} and {q:.3?} kg m²",
                        link.name
                    );
                    found.push(Finding::at(findings::A211, place, what));
                }
            }
        }
    }
}
