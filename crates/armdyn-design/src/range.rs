//! How the inertia and gravity of each joint vary over a region, and how strongly joints are coupled: Bejczy 1974, section
//! VII, tables 1 and 2, for any robot.
//!
//! Deviation: extremes are sought in all coordinates at once, where the report reasons out poses and misses some (its D₂₂ min
//! 3.589 kg m² is 3.558, its D₁₁ max 6.179 kg m² is 6.183).

use armdyn_core::{Model, Progress};
use armdyn_numerics::bound::{Bounds, Budget, Tolerance, maximise, minimise};
use armdyn_numerics::coefficients::{Coefficient, CoefficientFunction, Coefficients};
use armdyn_numerics::objective::{Enclosure, Magnitude, Negative, Objective};
use armdyn_numerics::search::{SearchOptions, search};
use armdyn_numerics::{JointRanges, QuasiRandom, Result};
use std::time::{Duration, Instant};

/// How ranges are to be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeOptions {
    /// Prove bounds to within this share of the value; none: only seek.
    pub gap: Option<f64>,
    /// The longest that proving may take.
    pub time: Duration,
    /// Where the search starts.
    pub seed: u64,
}

impl Default for RangeOptions {
    fn default() -> Self {
        RangeOptions { gap: None, time: Duration::from_secs(60), seed: 1 }
    }
}

/// A least or greatest value.
#[derive(Clone, Debug, PartialEq)]
pub struct Extreme {
    /// The value found.
    pub value: f64,
    /// Where.
    pub at: Vec<f64>,
    /// Which coordinates count for it; the others may be anything, all at once.
    pub depends: Vec<bool>,
    /// What no value is beyond, if that was proven.
    pub bound: Option<f64>,
    /// Whether the bound is as near as was asked.
    pub finished: bool,
}

impl Extreme {
    /// Values no further apart than `near` are alike.
    fn of(found: Bounds, measure: &impl Objective, region: &JointRanges, near: f64, proven: bool) -> Self {
        let depends = matters(measure, region, &found.at, near);
        let bound = proven.then_some(found.bound);
        Extreme { value: found.best, at: found.at, depends, bound, finished: found.finished }
    }

    /// With the sign taken off: of an extreme that is one of the size as well.
    fn size(&self) -> Self {
        Extreme { value: self.value.abs(), bound: self.bound.map(f64::abs), ..self.clone() }
    }

    /// How far the bound is from the value, as a share of the value; none of what has no bound, or is nothing.
    pub fn gap(&self) -> Option<f64> {
        let gap = (self.bound.filter(|b| b.is_finite())? - self.value).abs();
        if gap == 0.0 { Some(0.0) } else { Some(gap / self.value.abs()).filter(|g| g.is_finite()) }
    }
}

/// How strongly one joint's acceleration acts on another.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// The joint that accelerates, by its degree of freedom.
    pub with: usize,
    /// The greatest |D_ij|/D_ii \[rad/rad, m/rad, …\].
    pub ratio: Extreme,
    /// The greatest |D_ij|/√(D_ii D_jj), which is below 1 by itself: a bound that says no more is none.
    pub correlation: Extreme,
}

/// What varies at one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRange {
    /// The degree of freedom's name.
    pub name: String,
    /// Whether it turns (kg m², N m), and does not shift (kg, N).
    pub turns: bool,
    /// Motor turns per joint turn (rad/m), where the robot has one rotor for this joint alone.
    pub gear: Option<f64>,
    /// The greatest torque at the joint, if there is a limit \[N m, N\].
    pub effort: Option<f64>,
    /// What it bears for ever, likewise.
    pub rated: Option<f64>,
    /// The least total inertia D_ii, drive included.
    pub inertia_min: Extreme,
    /// The greatest.
    pub inertia_max: Extreme,
    /// The least |D_i|: 0 where gravity changes sign.
    pub gravity_min: Extreme,
    /// The greatest |D_i|.
    pub gravity_max: Extreme,
    /// The least acceleration that the effort leaves beside gravity, (effort − |D_i|)/D_ii \[rad/s², m/s²\].
    pub margin: Option<Extreme>,
    /// By the other joints.
    pub couplings: Vec<Coupling>,
}

impl JointRange {
    /// An inertia as the motor feels it.
    pub fn inertia_at_motor(&self, inertia: f64) -> Option<f64> {
        self.gear.map(|gear| inertia / (gear * gear))
    }

    /// A torque as the motor feels it.
    pub fn torque_at_motor(&self, torque: f64) -> Option<f64> {
        self.gear.map(|gear| torque / gear.abs())
    }

    /// What gravity takes of the greatest torque.
    pub fn share_of_effort(&self) -> Option<f64> {
        self.effort.map(|effort| self.gravity_max.value / effort)
    }

    /// What gravity takes of the rated torque.
    pub fn share_of_rated(&self) -> Option<f64> {
        self.rated.map(|rated| self.gravity_max.value / rated)
    }
}

/// The ranges of all joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranges {
    /// By degree of freedom.
    pub joints: Vec<JointRange>,
    /// Whether it was ended before all that was asked.
    pub partial: bool,
}

/// Finds extremes one after the other, and tells how far it is.
struct Seeker<'a> {
    region: &'a JointRanges,
    options: RangeOptions,
    progress: &'a Progress<'a>,
    began: Instant,
    done: usize,
    /// How many there are of inertias and gravity, and in all.
    first: usize,
    of: usize,
}

impl Seeker<'_> {
    /// How long the next one may take, of the time that is left: half for an inertia or gravity, which come first; of the
    /// others three times an even share.
    fn time(&self) -> Duration {
        let left = self.options.time.saturating_sub(self.began.elapsed());
        let others = self.of - self.first;
        let share = if self.done < self.first { 2 } else { ((self.of - self.done).min(others) / 3).max(1) };
        left / share as u32
    }

    /// How a value is sought: with a few looks where the work is to end.
    fn search(&self) -> SearchOptions {
        let whole = SearchOptions { seed: self.options.seed, ..SearchOptions::default() };
        if self.progress.cancelled() { SearchOptions { points: 64, climbs: 1, ..whole } } else { whole }
    }

    /// The next one, to within `absolute` where that is more than the gap; what is below `nothing` is.
    fn next(&mut self, what: &str, measure: &impl Objective, most: bool, absolute: f64, nothing: f64) -> Extreme {
        self.progress.report(what, self.done as f64 / self.of.max(1) as f64);
        let how = self.search();
        let budget = Budget { search: how, time: Some(self.time()), ..Budget::default() };
        let found = match (self.options.gap, most) {
            (Some(gap), true) => {
                maximise(measure, self.region, Tolerance { relative: gap, absolute }, budget, self.progress)
            }
            (Some(gap), false) => {
                minimise(measure, self.region, Tolerance { relative: gap, absolute }, budget, self.progress)
            }
            (None, true) => found(search(measure, self.region, how), 1.0),
            (None, false) => found(search(&Negative(measure), self.region, how), -1.0),
        };
        self.done += 1;
        let near = (ALIKE * found.best.abs()).max(nothing);
        Extreme::of(found, measure, self.region, near, self.options.gap.is_some())
    }
}

/// Values that differ by no more than this share are alike: where a slope vanishes, a pose is found to about 1e-8.
const ALIKE: f64 = 1e-7;

/// Which coordinates count at a pose: the others, all of them anywhere in their ranges, leave the value as it is.
fn matters(o: &impl Objective, region: &JointRanges, at: &[f64], near: f64) -> Vec<bool> {
    // More than determine a polynomial of degree 2 in a coordinate.
    const LOOKS: usize = 24;
    let (value, spread) = (o.value(at), QuasiRandom::new(region, 1));
    let mut any = vec![];
    (0..at.len())
        .map(|k| {
            if !o.depends(k) || region.intervals()[k].width() == 0.0 {
                return o.depends(k);
            }
            any.push(k);
            let differs = (0..LOOKS).any(|look| {
                let (mut q, other) = (at.to_vec(), spread.random_point(look));
                any.iter().for_each(|&i: &usize| q[i] = other[i]);
                (o.value(&q) - value).abs() > near
            });
            if differs {
                any.pop();
            }
            differs
        })
        .collect()
}

/// What a search found, of the value or of its negative: nothing is proven.
fn found((best, at): (f64, Vec<f64>), sign: f64) -> Bounds {
    Bounds { best: sign * best, at, bound: f64::NAN, boxes: 0, finished: true }
}

/// The ranges of a robot's joints over a region.
pub fn ranges(m: &Model<f64>, region: &JointRanges, options: RangeOptions, progress: &Progress) -> Result<Ranges> {
    let n = m.nv();
    let all = Coefficients::new(m)?;
    let began = Instant::now();
    let measure = |what| -> Result<CoefficientFunction> {
        let it = all.function(what)?;
        // Control points are not worth it once the time is over.
        let worth = options.gap.is_some() && began.elapsed() < options.time && !progress.cancelled();
        Ok(if worth { it.over(region) } else { it })
    };
    let (first, of) = (4 * n, 6 * n + 2 * n * n.saturating_sub(1));
    let mut seeker = Seeker { region, options, progress, began, done: 0, first, of };
    // What counts as nothing: rounding leaves some gravity where there is none.
    let heaviest = heaviest(&all, region, options.seed)?;
    let mut joints = vec![];
    // From the tip, where little depends on little: what is quickly proven is not kept waiting.
    for i in (0..n).rev() {
        let name = &m.dof_names()[i];
        let limits = m.limits()[i];
        let limit = |x: f64| Some(x).filter(|x| x.is_finite());
        let mine: Vec<_> = m.rotors().iter().filter(|r| r.gear.iter().any(|g| g.0.index() == i)).collect();
        let inertia = measure(Coefficient::Inertia(i, i))?;
        // A tenth of the gap may go for speed.
        let least = -search(&Negative(&inertia), region, seeker.search()).0;
        let inertia = inertia.truncated(0.1 * options.gap.unwrap_or(0.0) * least.max(0.0));
        let inertia_min = seeker.next(&format!("least inertia of {name}"), &inertia, false, 0.0, 0.0);
        let inertia_max = seeker.next(&format!("greatest inertia of {name}"), &inertia, true, 0.0, 0.0);
        let [gravity_min, gravity_max] =
            gravity(&mut seeker, &all, &measure(Coefficient::Gravity(i))?, i, name, heaviest, m)?;
        joints.push(JointRange {
            name: name.clone(),
            turns: m.turns(i),
            gear: match mine[..] {
                [r] if r.gear.len() == 1 => Some(r.gear[0].1),
                _ => None,
            },
            effort: limit(limits.effort),
            rated: limit(limits.rated),
            inertia_min,
            inertia_max,
            gravity_min,
            gravity_max,
            margin: None,
            couplings: vec![],
        });
    }
    joints.reverse();
    for i in (0..n).rev() {
        let name = m.dof_names()[i].clone();
        if let Some(effort) = joints[i].effort {
            let what = format!("margin of {name}");
            let each = [true, false].map(|forward| -> Result<Extreme> {
                let margin = measure(Coefficient::AccelerationMargin { joint: i, effort, forward })?;
                let small = options.gap.unwrap_or(0.0) * 1e-3 * effort / joints[i].inertia_min.value;
                Ok(seeker.next(&what, &margin, false, small, 0.0))
            });
            let [a, b] = each;
            let (a, b) = (a?, b?);
            let bound = a.bound.zip(b.bound).map(|(a, b)| a.min(b));
            let finished = a.finished && b.finished;
            let least = if a.value <= b.value { a } else { b };
            joints[i].margin = Some(Extreme { bound, finished, ..least });
        }
    }
    for i in (0..n).rev() {
        for j in (0..n).filter(|j| *j != i) {
            let what = format!("coupling of {} with {}", m.dof_names()[i], m.dof_names()[j]);
            // Of what is nearly nothing a thousandth of the most that it could be is near enough: |D_ij| ≤ √(D_ii D_jj).
            let small = options.gap.unwrap_or(0.0) * 1e-3;
            let most = (joints[j].inertia_max.value / joints[i].inertia_min.value).sqrt();
            let ratio = seeker.next(
                &what,
                &Magnitude(&measure(Coefficient::Coupling(i, j))?),
                true,
                small * most,
                1e-12 * most,
            );
            let known = joints.get(j).filter(|_| j > i).and_then(|r| r.couplings.iter().find(|c| c.with == i));
            let correlation = match known.map(|c| c.correlation.clone()) {
                Some(same) => {
                    seeker.done += 1;
                    same
                }
                None => {
                    let it =
                        seeker.next(&what, &Magnitude(&measure(Coefficient::Correlation(i, j))?), true, small, 1e-12);
                    Extreme { bound: it.bound.filter(|bound| *bound < 1.0), ..it }
                }
            };
            joints[i].couplings.push(Coupling { with: j, ratio, correlation });
        }
    }
    progress.report("done", 1.0);
    let partial =
        progress.cancelled() || options.gap.is_some() && joints.iter().flat_map(extremes).any(|e| !e.finished);
    Ok(Ranges { joints, partial })
}

/// All of them.
fn extremes(joint: &JointRange) -> impl Iterator<Item = &Extreme> {
    [&joint.inertia_min, &joint.inertia_max, &joint.gravity_min, &joint.gravity_max]
        .into_iter()
        .chain(&joint.margin)
        .chain(joint.couplings.iter().flat_map(|c| [&c.ratio, &c.correlation]))
}

/// The greatest |D_i| of any joint, found.
fn heaviest(all: &Coefficients, region: &JointRanges, seed: u64) -> Result<f64> {
    let how = SearchOptions { points: 256, climbs: 4, seed };
    let each = (0..all.len()).map(|i| Ok(search(&Magnitude(&all.function(Coefficient::Gravity(i))?), region, how).0));
    each.collect::<Result<Vec<f64>>>().map(|found| found.into_iter().fold(0.0, f64::max))
}

/// The least and the greatest |D_i|.
fn gravity(
    seeker: &mut Seeker,
    all: &Coefficients,
    measure: &CoefficientFunction,
    i: usize,
    name: &str,
    heaviest: f64,
    m: &Model<f64>,
) -> Result<[Extreme; 2]> {
    let region = seeker.region;
    let gap = seeker.options.gap;
    let most = search(&Magnitude(measure), region, seeker.search()).0;
    let nothing = 1e-9 * heaviest;
    let small = gap.map_or(0.0, |gap| (gap * most).max(nothing));
    let near = (ALIKE * most).max(nothing);
    // Whatever the direction of gravity: where the joint can be turned to it, that is the whole proof.
    let limit = match gap {
        Some(gap) if most > nothing && !seeker.progress.cancelled() => {
            all.gravity_magnitude(i, region)?.map(|weight| {
                let g = m.gravity();
                let size = g.x.hypot(g.y).hypot(g.z) * (1.0 + 4.0 * f64::EPSILON);
                let tolerance = Tolerance { relative: 0.1 * gap, absolute: nothing / size.max(1e-300) };
                let budget = Budget { time: Some(seeker.time()), ..Budget::default() };
                maximise(&weight, region, tolerance, budget, seeker.progress).bound * size * (1.0 + 4.0 * f64::EPSILON)
            })
        }
        _ => None,
    };
    let what = format!("gravity of {name}");
    let mut end = |most: bool| match limit {
        Some(limit) => {
            let capped = Capped { measure, limit };
            seeker.next(&what, &capped, most, small, near)
        }
        None => seeker.next(&what, measure, most, small, near),
    };
    let (low, high) = (end(false), end(true));
    let greatest = if high.value.abs() >= low.value.abs() { &high } else { &low };
    let bound = low.bound.zip(high.bound).map(|(a, b)| a.abs().max(b.abs()));
    let finished = low.finished && high.finished;
    let gravity_max = Extreme { bound, finished, ..greatest.size() };
    let gravity_min = if low.value <= 0.0 && high.value >= 0.0 {
        let at = balanced(measure, &low.at, &high.at);
        let depends = matters(measure, region, &at, near);
        Extreme { value: 0.0, at, depends, bound: gap.map(|_| 0.0), finished: true }
    } else if low.value > 0.0 {
        Extreme { bound: low.bound.map(|b| b.max(0.0)), ..low.clone() }
    } else {
        Extreme { bound: high.bound.map(|b| (-b).max(0.0)), ..high.size() }
    };
    Ok([gravity_min, gravity_max])
}

/// A measure whose size is known to be at most `limit`.
struct Capped<'a> {
    measure: &'a CoefficientFunction,
    limit: f64,
}

impl Objective for Capped<'_> {
    fn value(&self, q: &[f64]) -> f64 {
        self.measure.value(q)
    }

    fn gradient(&self, q: &[f64]) -> (f64, Vec<f64>) {
        self.measure.gradient(q)
    }

    fn depends(&self, dof: usize) -> bool {
        self.measure.depends(dof)
    }

    fn is_periodic(&self, dof: usize) -> bool {
        self.measure.is_periodic(dof)
    }

    fn enclose(&self, q: &[armdyn_core::Interval]) -> Enclosure {
        let own = self.measure.enclose(q);
        let limit = armdyn_core::Interval::new(-self.limit, self.limit);
        let range = limit.and_then(|limit| limit.intersect(own.range)).unwrap_or(own.range);
        Enclosure { range, ..own }
    }
}

/// Where on the way between two poses a measure, whose sign changes there, vanishes.
fn balanced(measure: &CoefficientFunction, low: &[f64], high: &[f64]) -> Vec<f64> {
    let at = |t: f64| low.iter().zip(high).map(|(a, b)| a + t * (b - a)).collect::<Vec<f64>>();
    let (mut below, mut above) = (0.0, 1.0);
    for _ in 0..60 {
        let t = 0.5 * (below + above);
        if measure.value(&at(t)) <= 0.0 { below = t } else { above = t }
    }
    at(below)
}
