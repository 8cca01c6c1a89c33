//! Links with identical inertias (placeholder values), and mirrored links with different ones.

use super::tree::Tree;
use crate::description::LinkDescription;
use crate::findings::{self, Finding};
use crate::message::{number, quoted};
use std::collections::{BTreeMap, BTreeSet};

/// Reports three or more links with the same tensor: with at least three different masses, or with one mass unless they are copies of
/// one part, at the same depth in the tree (feet, wheels, fingers) or with the same shapes (motors).
pub(super) fn placeholders(tree: &Tree, findings: &mut Vec<Finding>) {
    let mut tensors: BTreeMap<(String, [i64; 6]), Vec<&LinkDescription>> = BTreeMap::new();
    for link in tree.robot.links.iter().filter(|l| l.parts.len() == 1 && l.parts[0].inertia.mass > 0.0) {
        let t = link.parts[0].inertia.central();
        // Nine digits relative to the trace: the tensor about the centre is a difference.
        let digits_of_trace = |x: f64| if t.trace() == 0.0 { 0 } else { (x / t.trace() * 1e9).round() as i64 };
        let key = (digits(t.trace()), [t.xx, t.xy, t.xz, t.yy, t.yz, t.zz].map(digits_of_trace));
        tensors.entry(key).or_default().push(link);
    }
    let depth = |l: &LinkDescription| tree.link(&l.name).map(|k| tree.depth[k]);
    let depths_of = |links: &[&LinkDescription]| links.iter().map(|l| depth(l)).collect::<BTreeSet<_>>().len();
    let mut report = |links: &[&LinkDescription], what: &str| {
        let names: Vec<&str> = links.iter().map(|l| l.name.as_str()).collect();
        let message = format!("links {} have the same {what}", quoted(&names));
        findings.push(Finding::at(findings::A209, &links[1].parts[0].place, message));
    };
    for links in tensors.values().filter(|l| l.len() >= 3) {
        let mut masses: BTreeMap<String, Vec<&LinkDescription>> = BTreeMap::new();
        links.iter().for_each(|l| masses.entry(digits(l.parts[0].inertia.mass)).or_default().push(l));
        if masses.len() >= 3 && depths_of(links) > 1 && links[0].parts[0].inertia.central().trace() > 0.0 {
            report(links, "inertia, and different masses");
            continue;
        }
        for links in masses.values().filter(|l| l.len() >= 3) {
            let shapes: BTreeSet<String> = links.iter().map(|l| shapes_text(l)).collect();
            if depths_of(links) > 1 && (shapes.len() > 1 || shapes.contains("")) {
                report(links, "mass and inertia");
            }
        }
    }
}

fn digits(x: f64) -> String {
    format!("{x:.9e}")
}

/// Sizes and files of a link's shapes, as text for comparison.
fn shapes_text(link: &LinkDescription) -> String {
    link.shapes.iter().map(|s| format!("{:?} {:?};", s.size, s.asset)).collect()
}

/// Reports left and right links whose mass or principal moments differ.
pub(super) fn left_and_right(tree: &Tree, findings: &mut Vec<Finding>) {
    for (k, link) in tree.robot.links.iter().enumerate() {
        for other in mirrored(&link.name) {
            let Some(right) = tree.link(&other) else { continue };
            let (mirrored, a, b) = (&tree.robot.links[right], tree.inertia[k], tree.inertia[right]);
            let differ = |x: f64, y: f64| (x - y).abs() > 0.01 * x.abs().max(y.abs());
            let place = mirrored.parts.first().map_or(&mirrored.place, |p| &p.place);
            if differ(a.mass, b.mass) {
                let message =
                    format!("masses differ: `{}` {} kg, `{other}` {} kg", link.name, number(a.mass), number(b.mass));
                findings.push(Finding::at(findings::A211, place, message));
            } else if a.mass > 0.0 {
                let (p, q) = (a.central().eigenvalues(), b.central().eigenvalues());
                // What rounding leaves of the moments about the origin, and of zeros, is no difference.
                let rounding = 1e-12 * a.second.trace().abs().max(b.second.trace().abs()) + 1e-30;
                if (0..3).any(|k| (p[k] - q[k]).abs() > 0.02 * p[2].abs().max(q[2].abs()) + rounding) {
                    let list = |moments: [f64; 3]| moments.map(number).join(", ");
                    let (name, p, q) = (&link.name, list(p), list(q));
                    let message = format!("principal moments differ: `{name}` {p} kg m², `{other}` {q} kg m²");
                    findings.push(Finding::at(findings::A211, place, message));
                }
            }
        }
    }
}

/// Names of the right-hand link for a left-hand one: by a word anywhere in the name, or by letters between separators.
pub(super) fn mirrored(name: &str) -> Vec<String> {
    let words = [("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT")];
    let letters =
        [("l", "r"), ("lf", "rf"), ("lh", "rh"), ("lb", "rb"), ("fl", "fr"), ("rl", "rr"), ("bl", "br"), ("hl", "hr")];
    let by_word = words.iter().filter(|(left, _)| name.contains(left)).map(|(left, right)| name.replace(left, right));
    let between = |c: char| matches!(c, '_' | '-' | '.' | '/' | ' ');
    let other = |piece: &str| {
        let (word, end) = piece.split_at(piece.len() - piece.ends_with(between) as usize);
        let right = letters.iter().find_map(|&(left, right)| match word {
            word if word == left => Some(right.to_string()),
            word if word == left.to_uppercase() => Some(right.to_uppercase()),
            _ => None,
        });
        right.unwrap_or(word.to_string()) + end
    };
    let by_letter = name.split_inclusive(between).map(other).collect::<String>();
    by_word.chain(Some(by_letter).filter(|other| other != name)).collect()
}

#[cfg(test)]
mod tests {
    use super::mirrored;

    #[test]
    fn sides_by_word_and_by_letter() {
        assert_eq!(mirrored("left_knee"), ["right_knee"]);
        assert_eq!(mirrored("LeftKnee"), ["RightKnee"]);
        assert_eq!(mirrored("l_knee"), ["r_knee"]);
        assert_eq!(mirrored("knee_L"), ["knee_R"]);
        assert_eq!(mirrored("arm_l_3"), ["arm_r_3"]);
        assert_eq!(mirrored("FL_hip"), ["FR_hip"]);
        assert_eq!(mirrored("LH-foot"), ["RH-foot"]);
        assert!(mirrored("lower_arm").is_empty() && mirrored("right_knee").is_empty() && mirrored("flap").is_empty());
    }
}
