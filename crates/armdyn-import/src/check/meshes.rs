//! Compares mass, centre of mass and inertia of a link with its meshes: bounding box, and convex hull as a solid of even density.
//!
//! A link's mass is not spread evenly over its hull: motors are heavy, covers are empty; some public files have placeholders.
//! `docs/import.md` has the thresholds, the rates of planted faults that are reported, and the public files with warnings.

use super::geometry::{INERTIA_UNITS, decade, length_factor};
use super::neighbours::{Verdict, misfit};
use super::solid::{Bounds, Solid};
use super::tree::{Tree, is_sound};
use super::units;
use crate::description::LinkDescription;
use crate::findings::{self, Finding};
use crate::message::number;
use armdyn_core::{Inertia, Sym3, Vec3, vec3};

/// A centre of mass this far outside \[mesh diagonals, m\]: meshes omit covers and cables, and are moved by centimetres.
const OUTSIDE: (f64, f64) = (0.15, 0.05);

/// How much nearer to the hull's centre the centre of mass is with another sign \[mesh diagonals, m\].
const SIGN: (f64, f64) = (0.2, 0.04);

/// Largest ratio of the largest moment to the hull's. Simulators are given spheres of large inertia for small links: equal moments
/// have another limit.
const MAX_RATIO: (f64, f64) = (100.0, 1e5);

/// Smallest ratio.
const MIN_RATIO: f64 = 5e-5;

/// Ratio from which an identity matrix is a placeholder.
const IDENTITY: f64 = 10.0;

/// By how much a tensor fits the hull better without m c², as the logarithm of the worst ratio of moments; how well it must fit; and the
/// smallest contribution of m c² to the trace.
const ABOUT_ORIGIN: (f64, f64, f64) = (0.5, 1.0, 0.3);

/// By how much interchanged axes must fit better, as the logarithm of a ratio of moments (a factor of 12), and how well they must fit.
const INTERCHANGED: (f64, f64) = (2.5, 0.6);

/// By how much another order must fit better to be preferred, as the logarithm of a ratio.
const CLEARLY_BETTER: f64 = 0.3;

/// Smallest mass that is checked, relative to the robot's.
const MIN_MASS: f64 = 1e-3;

/// Checks link number `k`, of which the other links say `verdict`.
pub(super) fn check(tree: &Tree, k: usize, solid: Option<&Solid>, verdict: Verdict, findings: &mut Vec<Finding>) {
    let Some((solid, hull)) = solid.filter(|s| s.measured).and_then(|s| Some((s, s.hull.as_ref()?))) else { return };
    let (link, inertia) = (&tree.robot.links[k], &tree.inertia[k]);
    if !is_sound(inertia) {
        return;
    }
    let mass =
        units::density(link, inertia.mass, hull.mass).or_else(|| density(link, inertia.mass, hull.mass, verdict));
    let light = inertia.mass <= MIN_MASS * tree.mass;
    if tree.depth[k] > 0 && !(light && verdict.inertia.is_none()) {
        findings.extend(centre(tree, link, inertia, solid, hull));
        // With a wrong mass, the inertia per mass says nothing.
        if mass.is_none() {
            findings.extend(tensor(link, inertia, hull, verdict));
        }
    }
    findings.extend(mass);
}

/// A mass that is far from that of the other links in their hulls.
fn density(link: &LinkDescription, mass: f64, volume: f64, verdict: Verdict) -> Option<Finding> {
    let deviation = verdict.density?;
    let (times, than) = if deviation > 0.0 { (deviation, "more") } else { (-deviation, "less") };
    let unit = match decade(times, &[3]) {
        Some(_) if deviation > 0.0 => "; is the mass in grams?",
        Some(_) => "; is the mass in tonnes?",
        None => "",
    };
    let message = format!(
        "link `{}`: {} kg in {} litres, {} times {than} than the other links for their size{unit}",
        link.name,
        number(mass),
        number(volume * 1e3),
        number(10_f64.powf(times))
    );
    Some(Finding::at(findings::A207, &link.parts.first()?.place, message))
}

/// A centre of mass outside the mesh, or on its other side.
fn centre(
    tree: &Tree,
    link: &LinkDescription,
    inertia: &Inertia<f64>,
    solid: &Solid,
    hull: &Inertia<f64>,
) -> Option<Finding> {
    let (name, place) = (&link.name, &link.parts.first()?.place);
    // The link extends at least from its own joint to the next ones.
    let joints = tree.children(name).map(|j| j.placement.translation);
    let bounds = Bounds::of(joints.chain([Vec3::zero(), solid.bounds.lo, solid.bounds.hi]))?;
    let (c, middle, size) = (inertia.centre(), hull.centre(), solid.bounds.size());
    let signs = (1..8).map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { -1.0 } else { 1.0 }));
    let flipped = signs.map(|s| vec3(s[0] * c.x, s[1] * c.y, s[2] * c.z));
    let (distance, flipped) = flipped.map(|f| ((f - middle).norm(), f)).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let gain = (c - middle).norm() - distance;
    let reversed = gain > SIGN.0 * size && gain > SIGN.1;
    let point = |v: Vec3<f64>| format!("({})", v.to_array().map(number).join(", "));
    let off = bounds.distance(c);
    if off > OUTSIDE.0 * bounds.size() && off > OUTSIDE.1 {
        let message = format!(
            "link `{name}`: the centre of mass lies {} m outside the mesh, whose size is {} m",
            number(off),
            number(size)
        );
        return Some(match length_factor(c, middle, &bounds) {
            Some(factor) => Finding::at(findings::A207, place, format!("{message}; wrong by a factor of {factor}?")),
            None if reversed => Finding::at(findings::A205, place, format!("{message}; wrong sign?")),
            None => Finding::at(findings::A205, place, message),
        });
    }
    reversed.then(|| {
        let message = format!(
            "link `{name}`: the centre of mass {} m is {} m from the middle of the mesh, {} m; {} m would be {} m from it: wrong sign?",
            point(c),
            number((c - middle).norm()),
            point(middle),
            point(flipped),
            number(distance)
        );
        Finding::at(findings::A205, place, message)
    })
}

/// An inertia tensor that does not fit the mesh: too large, a placeholder, about another point, with interchanged axes.
fn tensor(link: &LinkDescription, inertia: &Inertia<f64>, hull: &Inertia<f64>, verdict: Verdict) -> Option<Finding> {
    let (name, place) = (&link.name, &link.parts.first()?.place);
    let c = inertia.centre();
    // Per mass: squares of radii of gyration.
    let [own, even] = [inertia, hull].map(|i| i.central().map(|x| x / i.mass));
    let ([own_min, _, own_max], [even_min, _, even_max]) = (own.eigenvalues(), even.eigenvalues());
    // What rounding leaves of a point mass.
    if own_max <= 1e-12 * c.norm_squared() || even_min <= 0.0 {
        return None;
    }
    let (largest, smallest) = (own_max / even_max, own_min / even_min);
    if is_identity(inertia) && (largest > IDENTITY || smallest > IDENTITY) {
        let message = format!(
            "link `{name}`: the tensor is the identity matrix, a placeholder; its mesh suggests {} to {} kg m²",
            number(inertia.mass * even_min),
            number(inertia.mass * even_max)
        );
        return Some(Finding::at(findings::A206, place, message));
    }
    let equal = own_max < 1.05 * own_min;
    let far = largest > if equal { MAX_RATIO.1 } else { MAX_RATIO.0 } || largest < MIN_RATIO;
    // Equal moments are those of a sphere for a simulator.
    let far = far || (!equal && verdict.inertia.is_some());
    let off = verdict.inertia.unwrap_or(largest.log10() - verdict.typical);
    // If the tensor is about the frame's origin, it contains c² once too often.
    let reduced = own - Sym3::shift(c * 0.5, c);
    let (as_written, without) = (misfit(&own, &even)?, misfit(&reduced, &even)?);
    let shifted = (own - reduced).trace() > ABOUT_ORIGIN.2 * own.trace();
    let about_origin = shifted && without < ABOUT_ORIGIN.1 && as_written - without > ABOUT_ORIGIN.0;
    if far && !about_origin {
        let message = format!(
            "link `{name}`: the radius of gyration is {} m, that of the mesh {} m",
            number(own_max.sqrt()),
            number(even_max.sqrt())
        );
        return Some(match decade(off, INERTIA_UNITS).filter(|_| !equal) {
            Some(factor) => {
                Finding::at(findings::A207, place, format!("{message}; is the inertia wrong by a factor of {factor}?"))
            }
            None => Finding::at(findings::A206, place, message),
        });
    }
    if about_origin {
        let message = format!(
            "link `{name}`: the radius of gyration is {} m, that of the mesh {} m; without m c² it would be {} m",
            number(own_max.sqrt()),
            number(even_max.sqrt()),
            number(reduced.eigenvalues()[2].sqrt())
        );
        return Some(Finding::at(findings::A208, place, message));
    }
    interchanged(name, &own, &even).map(|message| Finding::at(findings::A216, place, message))
}

/// Moments whose axes fit the mesh far better in another order.
fn interchanged(name: &str, own: &Sym3<f64>, even: &Sym3<f64>) -> Option<String> {
    let diagonal = |t: &Sym3<f64>| [t.xx, t.yy, t.zz];
    let (own, even) = (diagonal(own), diagonal(even));
    // The spread of the ratios to the hull's moments.
    let misfit = |order: [usize; 3]| {
        let ratios = [0, 1, 2].map(|k| (own[order[k]].max(1e-12 * own[0].abs()) / even[k]).ln());
        ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max) - ratios.iter().copied().fold(f64::INFINITY, f64::min)
    };
    let orders = [[0, 2, 1], [1, 0, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]];
    let best_of = |orders: &[[usize; 3]]| orders.iter().map(|o| (misfit(*o), *o)).min_by(|a, b| a.0.total_cmp(&b.0));
    // Two axes interchanged, unless all three fit clearly better.
    let (two, all) = (best_of(&orders[..3])?, best_of(&orders)?);
    let (best, order) = if two.0 < all.0 + CLEARLY_BETTER { two } else { all };
    (best < INTERCHANGED.1 && misfit([0, 1, 2]) - best > INTERCHANGED.0).then(|| {
        let relative = |v: [f64; 3]| v.map(|x| number(x / v.iter().copied().fold(0.0, f64::max))).join(" : ");
        let should = order.map(|k| ["x", "y", "z"][k]).join(", ");
        format!(
            "link `{name}`: the moments of inertia about x, y, z are as {}, those of its mesh as {}; \
             they would fit in the order {should}",
            relative(own),
            relative(even)
        )
    })
}

/// Whether the tensor about the centre of mass is the identity matrix, but for rounding.
fn is_identity(inertia: &Inertia<f64>) -> bool {
    let rounding = 1e-12 * inertia.second.trace();
    let t = inertia.central() - Sym3::diagonal(1.0, 1.0, 1.0);
    [t.xx, t.xy, t.xz, t.yy, t.yz, t.zz].iter().all(|x| x.abs() <= rounding)
}
