//! Left and right links whose frames do not mirror each other at q = 0: arms that are copies of one arm, or mirrored with other axes.
//!
//! In the frames of a pair of links, every vector of the right link is that of the left link with the same signs: its centre of mass, the middle
//! of its meshes, the origins of its children's joints. Each of them, where a coordinate has the same size on both sides, says whether that
//! coordinate changes its sign from left to right; one that contradicts at least two others, or the meshes, is reported.

use super::{APART, AXES, CLEARLY, Posed, SAME, Side, flipped, gain, outside};
use crate::findings::{self, Finding};
use armdyn_core::Vec3;
use std::collections::HashMap;

/// What says something about the signs of a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Centre,
    Mesh,
    /// A pair of children, by its place in the list.
    Origin(usize),
}

/// Checks all pairs.
pub(super) fn check(links: &[Posed], pairs: &[(usize, usize)]) -> Vec<Finding> {
    let mut children: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for (n, &(c, d)) in pairs.iter().enumerate() {
        if let Some(parents) = links[c].parent.zip(links[d].parent) {
            children.entry(parents).or_default().push(n);
        }
    }
    let none = vec![];
    pairs.iter().flat_map(|pair| of_pair(links, pairs, *pair, children.get(pair).unwrap_or(&none))).collect()
}

fn of_pair(links: &[Posed], pairs: &[(usize, usize)], (a, b): (usize, usize), children: &[usize]) -> Vec<Finding> {
    let centres = [a, b].map(|k| links[k].inertia.centre());
    let mut vectors: Vec<(Source, [Vec3<f64>; 2], f64)> = vec![(Source::Centre, centres, SAME)];
    let meshes = [a, b].map(|k| links[k].solid.and_then(|s| s.hull).map(|h| h.centre()));
    if let [Some(left), Some(right)] = meshes {
        vectors.push((Source::Mesh, [left, right], 3.0 * SAME));
    }
    for &n in children {
        let (c, d) = pairs[n];
        let origin = |k: usize| links[k].joint.map(|j| j.placement.translation);
        vectors.extend(origin(c).zip(origin(d)).map(|(left, right)| (Source::Origin(n), [left, right], SAME)));
    }
    (0..3).filter_map(|axis| dissent(links, pairs, (a, b), &vectors, axis)).collect()
}

/// The vector whose sign along an axis contradicts the others.
fn dissent(
    links: &[Posed],
    pairs: &[(usize, usize)],
    (a, b): (usize, usize),
    vectors: &[(Source, [Vec3<f64>; 2], f64)],
    axis: usize,
) -> Option<Finding> {
    let vote = |[left, right]: &[Vec3<f64>; 2], same: f64| {
        let (l, r) = (left.get(axis), right.get(axis));
        let large = l.abs().min(r.abs()) > 0.5 * APART;
        (large && (l.abs() - r.abs()).abs() < same).then_some(l.signum() == r.signum())
    };
    let votes: Vec<(Source, bool)> = vectors.iter().filter_map(|(s, v, same)| Some((*s, vote(v, *same)?))).collect();
    let for_same = votes.iter().filter(|(_, same)| *same).count();
    let minority = match (for_same, votes.len() - for_same) {
        (1, others) if others > 0 => true,
        (others, 1) if others > 0 => false,
        _ => return None,
    };
    let alone = |source: &Source| votes.iter().any(|(s, same)| s == source && *same == minority);
    let by_mesh = votes.len() == 2 && votes.iter().any(|(s, _)| *s == Source::Mesh);
    let (wrong, same) = votes.iter().find(|(s, _)| alone(s) && *s != Source::Mesh).or_else(|| {
        // Of two, the meshes are right.
        votes.iter().find(|(s, _)| by_mesh && *s != Source::Mesh)
    })?;
    if votes.len() < 3 && !by_mesh {
        return None;
    }
    let (left, right) = (&links[a], &links[b]);
    let other = if *same { "opposite" } else { "the same" };
    let others = format!(
        "the other vectors of links `{}` and `{}` have {other} signs of {}",
        left.link.name, right.link.name, AXES[axis]
    );
    match *wrong {
        Source::Origin(n) => {
            let (c, d) = (&links[pairs[n].0], &links[pairs[n].1]);
            // The child would be at the place of its mirror image, or of a copy.
            let side = Side::of_gains(outside(links, c), outside(links, d), CLEARLY);
            let (one, two) = (c.joint?, d.joint?);
            let message = format!(
                "the origins of joints `{}` and `{}` do not fit together: {others}; wrong sign of {} in the origin of joint {}?",
                one.name,
                two.name,
                AXES[axis],
                side.name(&one.name, &two.name)
            );
            Some(Finding::at(findings::A211, &side.pick(one, two).place, message))
        }
        _ => {
            let off = |k: &Posed| (k.inertia.centre() - flipped(k.inertia.centre(), axis)).norm();
            if off(left) < APART {
                return None;
            }
            let side = Side::of_gains(gain(left, axis), gain(right, axis), CLEARLY);
            let message = format!(
                "the centres of mass of links `{}` and `{}` do not fit together: {others}; wrong sign of {} of {}?",
                left.link.name,
                right.link.name,
                AXES[axis],
                side.name(&left.link.name, &right.link.name)
            );
            let part = side.pick(left, right).link.parts.first()?;
            Some(Finding::at(findings::A211, &part.place, message))
        }
    }
}
