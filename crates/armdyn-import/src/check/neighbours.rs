//! Compares links with one another: the density of each in its convex hull, and its inertia relative to the hull's, with those of the
//! robot's other links.
//!
//! Hulls are alike in one robot: in the public files with meshes on which the thresholds were chosen (`conformance/tests/fault_rates.rs`), 95 %
//! of the links are within a factor of 5 of the median density of the others. Links that are small beside the others (flanges, axles) are not
//! judged, nor links whose mass two others of another size have too: a placeholder.

use super::solid::Solid;
use super::tree::{Tree, is_sound};
use crate::description::JointDescription;
use armdyn_core::{Inertia, JointKind, Sym3};
use std::collections::HashSet;

/// Smallest hull that is compared \[m³\], and that is judged, relative to the median.
const MIN_VOLUME: (f64, f64) = (1e-7, 0.2);

/// Largest number of links that are compared: the cost is its square.
const MAX_LINKS: usize = 1000;

/// Smallest number of other links.
const MIN_OTHERS: usize = 3;

/// Smallest mass that is compared, relative to the median.
const MIN_MASS: f64 = 0.01;

/// Powers of ten by which a density is below or above the median of the others. Public files have 10^−2.04 … 10^0.89.
const DENSITY: (f64, f64) = (-2.2, 0.95);

/// Powers of ten by which an inertia (per mass, relative to the hull's) is below or above the median of the others. Public files have
/// 10^−1.51 … 10^0.77.
const INERTIA: (f64, f64) = (-1.6, 0.9);

/// Powers of ten by which such an inertia is off its own hull's in the same direction.
const OWN: f64 = 0.65;

/// Smallest limit of a link that another one is a copy of: a slip of one number is in one of them.
const TWIN: f64 = 1.5;

/// The same in medians of the deviations: robots whose links differ much have wider limits.
const SPREADS: f64 = 4.0;

/// Smallest and largest density of a whole robot, and median of its links' \[kg/m³\]. Public files have 26 (2 kg for each link of a large
/// robot) … 4000.
pub(super) const WHOLE_DENSITY: (f64, f64) = (5.0, 15_000.0);

/// A link compared with its hull, in powers of ten.
struct Compared {
    link: usize,
    density: f64,
    inertia: Option<f64>,
}

/// What the other links say of one, in powers of ten.
#[derive(Clone, Copy, Default)]
pub(super) struct Verdict {
    /// Its density relative to the others', if it is far off.
    pub density: Option<f64>,
    /// Its inertia relative to the others', if it is far off.
    pub inertia: Option<f64>,
    /// The others' inertia relative to their hulls'.
    pub typical: f64,
}

/// The verdict on each link.
pub(super) fn verdicts(tree: &Tree, solids: &[Option<&Solid>]) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::default(); solids.len()];
    let compared = compared(tree, solids);
    if compared.len() > MAX_LINKS {
        return verdicts;
    }
    let volume = |k: usize| solids[k].and_then(|s| s.hull).map_or(0.0, |h| h.mass);
    let volumes = median_and_spread(compared.iter().map(|c| volume(c.link)).collect());
    let smallest = MIN_VOLUME.1 * volumes.map_or(0.0, |(median, _)| median);
    let judged = |k: usize| volume(k) > smallest && !is_placeholder(tree, k, &volume);
    let moves: HashSet<usize> = tree.order.iter().filter(|(_, j)| moves(j)).map(|(link, _)| *link).collect();
    let masses = median_and_spread(compared.iter().map(|c| tree.inertia[c.link].mass).collect());
    let light = MIN_MASS * masses.map_or(0.0, |(median, _)| median);
    for this in compared.iter().filter(|c| judged(c.link)) {
        // Links that are very light (labels, frames) are no reference.
        let others = || compared.iter().filter(|o| o.link != this.link && tree.inertia[o.link].mass >= light);
        let twin = compared.iter().any(|o| o.link != this.link && is_twin(tree, this, o, &volume));
        let off = |own: f64, others: Vec<f64>, limits: (f64, f64)| {
            let (middle, spread) = median_and_spread(others)?;
            let wide = (SPREADS * spread).max(if twin { TWIN } else { 0.0 });
            let deviation = own - middle;
            Some((deviation, middle, deviation < limits.0.min(-wide) || deviation > limits.1.max(wide)))
        };
        let verdict = &mut verdicts[this.link];
        if let Some((deviation, _, true)) = off(this.density, others().map(|o| o.density).collect(), DENSITY) {
            // What is fixed to another link may be a label: it is never too light.
            verdict.density = Some(deviation).filter(|d| *d > 0.0 || moves.contains(&this.link));
        }
        if let Some(own) = this.inertia
            && let Some((deviation, middle, far)) = off(own, others().filter_map(|o| o.inertia).collect(), INERTIA)
        {
            verdict.typical = middle;
            // It must be off its own mesh, too: the others may be wrong.
            verdict.inertia = Some(deviation).filter(|d| far && own * d.signum() > OWN);
        }
    }
    verdicts
}

/// Mass and hull volume of the moving links with meshes, and the median of their densities, if there are several.
pub(super) fn whole(tree: &Tree, solids: &[Option<&Solid>]) -> Option<(f64, f64, f64)> {
    let compared = compared(tree, solids);
    let (median, _) = median_and_spread(compared.iter().map(|c| c.density).collect())?;
    let volume = compared.iter().filter_map(|c| solids[c.link]?.hull).map(|h| h.mass).sum();
    Some((compared.iter().map(|c| tree.inertia[c.link].mass).sum(), volume, 10_f64.powf(median)))
}

fn compared(tree: &Tree, solids: &[Option<&Solid>]) -> Vec<Compared> {
    let hull = |k: usize| solids[k].and_then(|s| s.hull).filter(|h| h.mass > MIN_VOLUME.0);
    let moving = (0..solids.len()).filter(|&k| tree.depth[k] > 0 && is_sound(&tree.inertia[k]));
    moving
        .filter_map(|k| {
            let (own, hull) = (&tree.inertia[k], hull(k)?);
            Some(Compared { link: k, density: (own.mass / hull.mass).log10(), inertia: relative_inertia(own, &hull) })
        })
        .collect()
}

/// The inertia per mass relative to the hull's; none of a point mass.
fn relative_inertia(own: &Inertia<f64>, hull: &Inertia<f64>) -> Option<f64> {
    let per_mass = |i: &Inertia<f64>| i.central().trace() / i.mass;
    // What rounding leaves of a point mass.
    (per_mass(own) > 1e-12 * own.centre().norm_squared()).then(|| (per_mass(own) / per_mass(hull)).log10())
}

/// Whether two links of another size have the same mass.
fn is_placeholder(tree: &Tree, k: usize, volume: &impl Fn(usize) -> f64) -> bool {
    let same = |o: &usize| (tree.inertia[*o].mass - tree.inertia[k].mass).abs() <= 1e-9 * tree.inertia[k].mass;
    let sized = |o: &usize| volume(*o) > 0.0 && (volume(*o) / volume(k)).ln().abs() > 0.1;
    (0..tree.inertia.len()).filter(|o| *o != k && same(o) && sized(o)).count() >= 2
}

/// Whether two links have the same mass, size and inertia.
fn is_twin(tree: &Tree, a: &Compared, b: &Compared, volume: &impl Fn(usize) -> f64) -> bool {
    let near = |x: f64, y: f64| (x / y).ln().abs() < 0.1;
    near(tree.inertia[a.link].mass, tree.inertia[b.link].mass)
        && near(volume(a.link), volume(b.link))
        && a.inertia.zip(b.inertia).is_none_or(|(x, y)| (x - y).abs() < 0.04)
}

/// Whether a joint that moves is between a link and its parent.
fn moves(joint: &Option<(usize, &JointDescription)>) -> bool {
    joint.is_some_and(|(_, j)| j.kind != JointKind::Fixed)
}

/// The median and the median deviation from it; none of too few values.
fn median_and_spread(values: Vec<f64>) -> Option<(f64, f64)> {
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let half = values.len() / 2;
        if values.len() % 2 == 1 { values[half] } else { 0.5 * (values[half - 1] + values[half]) }
    };
    (values.len() >= MIN_OTHERS).then(|| {
        let middle = median(values.clone());
        (middle, median(values.iter().map(|v| (v - middle).abs()).collect()))
    })
}

/// How far a tensor is from another one: the largest |ln λ| of the principal ratios λ, of which each direction has one between the smallest
/// and the largest; infinite if the first is not positive definite, none if the second is not.
pub(super) fn misfit(own: &Sym3<f64>, even: &Sym3<f64>) -> Option<f64> {
    // λ are the eigenvalues of L⁻¹ A L⁻ᵀ with L Lᵀ the other tensor.
    let l11 = even.xx.sqrt();
    let (l21, l31) = (even.xy / l11, even.xz / l11);
    let l22 = (even.yy - l21 * l21).sqrt();
    let l32 = (even.yz - l21 * l31) / l22;
    let l33 = (even.zz - l31 * l31 - l32 * l32).sqrt();
    if !(l11 > 0.0 && l22 > 0.0 && l33 > 0.0) {
        return None;
    }
    let solve = |b: [f64; 3]| {
        let x = b[0] / l11;
        let y = (b[1] - l21 * x) / l22;
        [x, y, (b[2] - l31 * x - l32 * y) / l33]
    };
    // The columns of L⁻¹ A, then of L⁻¹ (L⁻¹ A)ᵀ.
    let a = own.to_rows();
    let c = a.map(solve);
    let d = [0, 1, 2].map(|k| solve([c[0][k], c[1][k], c[2][k]]));
    let ratios = Sym3 { xx: d[0][0], xy: d[0][1], xz: d[0][2], yy: d[1][1], yz: d[1][2], zz: d[2][2] }.eigenvalues();
    let far = |x: f64| if x > 0.0 { x.ln().abs() } else { f64::INFINITY };
    Some(far(ratios[0]).max(far(ratios[2])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A = L Λ Lᵀ has the ratios Λ to L Lᵀ: with Λ = (2, 3, 0.25) the misfit is ln 4.
    #[test]
    fn misfit_of_tensors() {
        let l = [[2.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-0.3, 0.7, 1.2]];
        let product = |lambda: [f64; 3]| {
            let at = |i: usize, j: usize| (0..3).map(|k| l[i][k] * lambda[k] * l[j][k]).sum::<f64>();
            Sym3 { xx: at(0, 0), xy: at(0, 1), xz: at(0, 2), yy: at(1, 1), yz: at(1, 2), zz: at(2, 2) }
        };
        let even = product([1.0; 3]);
        let found = misfit(&product([2.0, 3.0, 0.25]), &even).unwrap();
        assert!((found - 4.0_f64.ln()).abs() < 1e-12, "{found}");
        assert!(misfit(&even, &even).unwrap() < 1e-12);
        assert_eq!(misfit(&product([2.0, -3.0, 0.25]), &even), Some(f64::INFINITY));
        assert_eq!(misfit(&even, &product([1.0, -1.0, 1.0])), None);
    }

    #[test]
    fn medians() {
        assert_eq!(median_and_spread(vec![3.0, 1.0, 2.0]), Some((2.0, 1.0)));
        assert_eq!(median_and_spread(vec![1.0, 2.0, 3.0, 10.0]), Some((2.5, 1.0)));
        assert_eq!(median_and_spread(vec![1.0, 2.0]), None);
    }
}
