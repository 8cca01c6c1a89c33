//! Ranges of the inertia and gravity of each joint, and the strength of couplings: Bejczy 1974, section VII, tables 1 and 2, for
//! any robot.
//!
//! Quantities that vanish by the structure of the robot leave rounding errors, and even guaranteed bounds of these are exceeded by
//! those of another computation. So values and bounds are 0 up to 1e-13 of the scale of their quantity: the weight of the robot
//! times its length for gravity, the largest possible ratio for couplings.
//!
//! Deviation: extrema are searched in all coordinates at once. The report selects configurations by reasoning and misses some
//! (its D₂₂ minimum of 3.589 kg m² is 3.558, its D₁₁ maximum of 6.179 kg m² is 6.183).

use crate::motors::own_rotor;
use crate::units;
use armdyn_core::{EffortRange, Model, Progress, rounded};
use armdyn_numerics::bound::{Bounds, Budget, maximise, minimise};
use armdyn_numerics::coefficients::{Coefficient, CoefficientFunction, Coefficients};
use armdyn_numerics::objective::{Objective, bounded, magnitude, negative};
use armdyn_numerics::search::{SearchOptions, search};
use armdyn_numerics::{JointRange, JointRanges, QuasiRandom, Result, Tolerance};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Options of [`range`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeOptions {
    /// Compute guaranteed bounds with this gap to the value, as a fraction; none: search only.
    pub gap: Option<f64>,
    /// Maximum time for the bounds.
    pub budget: Duration,
    /// Seed of the search.
    pub seed: u64,
}

impl Default for RangeOptions {
    fn default() -> Self {
        RangeOptions { gap: None, budget: Duration::from_secs(60), seed: 1 }
    }
}

/// A minimum or maximum.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Extremum {
    /// The value found.
    pub value: f64,
    /// Its configuration.
    pub at: Vec<f64>,
    /// Coordinates that it depends on; all others can have any value.
    pub depends: Vec<bool>,
    /// Guaranteed bound, if computed.
    pub bound: Option<f64>,
    /// Whether the bound reached the requested gap.
    pub finished: bool,
}

impl Extremum {
    /// Without rounding errors: value and bound are 0 up to [`ROUNDING`](armdyn_core::ROUNDING) of the scale of the quantity.
    fn rounded(self, scale: f64) -> Self {
        let value = rounded(self.value, scale);
        let depends = self.depends.iter().map(|d| *d && value != 0.0).collect();
        Extremum { value, bound: self.bound.map(|b| rounded(b, scale)), depends, ..self }
    }

    /// The extremum of the magnitude.
    fn magnitude(&self) -> Self {
        Extremum { value: self.value.abs(), bound: self.bound.map(f64::abs), ..self.clone() }
    }

    /// Gap between bound and value as a fraction of the value; none without a bound or for a value of 0.
    pub fn gap(&self) -> Option<f64> {
        let gap = (self.bound.filter(|b| b.is_finite())? - self.value).abs();
        if gap == 0.0 { Some(0.0) } else { Some(gap / self.value.abs()).filter(|g| g.is_finite()) }
    }
}

/// Range of the inertia D_ii of a joint, including its drive.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InertiaRange {
    /// kg m² or kg.
    pub unit: &'static str,
    /// Minimum.
    pub minimum: Extremum,
    /// Maximum.
    pub maximum: Extremum,
    /// Minimum at the motor \[kg m²\].
    pub minimum_at_motor: Option<f64>,
    /// Maximum at the motor \[kg m²\].
    pub maximum_at_motor: Option<f64>,
}

/// Range of the gravity torque |D_i| of a joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GravityRange {
    /// N m or N.
    pub unit: &'static str,
    /// Minimum: 0 where gravity changes sign.
    pub minimum: Extremum,
    /// Maximum.
    pub maximum: Extremum,
    /// Minimum and maximum of the torque with its sign.
    pub signed: [f64; 2],
    /// Maximum at the motor \[N m\].
    pub maximum_at_motor: Option<f64>,
    /// Maximum as a fraction of the effort limit of its direction.
    pub effort_fraction: Option<f64>,
    /// Maximum as a fraction of the continuous torque.
    pub continuous_fraction: Option<f64>,
}

impl GravityRange {
    /// The largest torque relative to the effort limit of its direction, if both limits are known.
    pub fn utilization(&self, effort: &EffortRange) -> Option<f64> {
        let used = self.signed.iter().filter_map(|torque| effort.utilization(*torque));
        used.max_by(f64::total_cmp).filter(|_| effort.is_known())
    }
}

/// The minimum acceleration that the effort allows besides gravity, forward (upper − D_i) / D_ii, backward (D_i − lower) / D_ii.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AccelerationMargin {
    /// rad/s² or m/s².
    pub unit: &'static str,
    /// Minimum.
    pub minimum: Extremum,
}

/// The effect of another joint's acceleration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coupling {
    /// The joint that accelerates.
    pub joint: String,
    /// Maximum of |D_ij| / D_ii.
    pub ratio: Extremum,
    /// Unit of the ratio; empty if dimensionless.
    pub unit: &'static str,
    /// Maximum of |D_ij| / √(D_ii D_jj), which is always below 1: a bound of 1 or more is none.
    pub correlation: Extremum,
}

/// Ranges of one joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointExtrema {
    /// The degree of freedom.
    pub joint: String,
    /// Gear ratio (rad/m for a prismatic joint), if one rotor drives this joint alone.
    pub gear_ratio: Option<f64>,
    /// Lower and upper effort limit, if known \[N m, N\].
    pub effort: Option<[f64; 2]>,
    /// Continuous torque, if known \[N m, N\].
    pub continuous: Option<f64>,
    /// Inertia.
    pub inertia: InertiaRange,
    /// Gravity torque.
    pub gravity: GravityRange,
    /// Acceleration margin, if the effort limit is known.
    pub acceleration_margin: Option<AccelerationMargin>,
    /// Couplings with the other joints.
    pub couplings: Vec<Coupling>,
}

/// Ranges of all joints with one payload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PayloadExtrema {
    /// The payload; none: without payload.
    pub payload: Option<String>,
    /// Each degree of freedom.
    pub joints: Vec<JointExtrema>,
    /// Whether the work ended early.
    pub partial: bool,
}

/// The result of [`range`].
#[derive(Clone, Debug, Serialize)]
pub struct RangeReport {
    /// The robot.
    pub robot: String,
    /// The joint ranges.
    pub ranges: Vec<JointRange>,
    /// Whether bounds are guaranteed.
    pub guaranteed: bool,
    /// Requested gap of guaranteed bounds.
    pub gap: Option<f64>,
    /// Whether the work ended early.
    pub partial: bool,
    /// Without payload, and with the robot's payloads if it has any.
    pub payloads: Vec<PayloadExtrema>,
}

/// Computes the ranges of a robot's joints, without and with its payloads.
pub fn range(m: &Model<f64>, ranges: &JointRanges, options: RangeOptions, progress: &Progress) -> Result<RangeReport> {
    let mut payloads = vec![joint_extrema(&m.without_payloads(), ranges, options, progress)?];
    if !m.payloads().is_empty() {
        payloads.push(joint_extrema(m, ranges, options, progress)?);
    }
    Ok(RangeReport {
        robot: m.name().to_string(),
        ranges: ranges.named(m),
        guaranteed: options.gap.is_some(),
        gap: options.gap,
        partial: payloads.iter().any(|p| p.partial),
        payloads,
    })
}

/// Searches extrema one after the other and reports progress.
struct Seeker<'a> {
    model: &'a Model<f64>,
    coefficients: &'a Coefficients,
    ranges: &'a JointRanges,
    options: RangeOptions,
    progress: &'a Progress<'a>,
    start: Instant,
    done: usize,
    /// Number of extrema of inertia and gravity, and of all.
    first: usize,
    count: usize,
}

impl Seeker<'_> {
    /// Time for the next extremum: half of the remaining time for inertia and gravity, which come first; for the others three
    /// times an equal part.
    fn time(&self) -> Duration {
        let left = self.options.budget.saturating_sub(self.start.elapsed());
        let others = self.count - self.first;
        let parts = if self.done < self.first { 2 } else { ((self.count - self.done).min(others) / 3).max(1) };
        left / parts as u32
    }

    /// Search options; a short search after a cancellation.
    fn search(&self) -> SearchOptions {
        let full = SearchOptions { seed: self.options.seed, ..SearchOptions::default() };
        if self.progress.cancelled() { SearchOptions { points: 64, climbs: 1, ..full } } else { full }
    }

    /// The next extremum, within `absolute` or the gap; values below `zero` count as 0.
    fn next(&mut self, what: &str, f: &dyn Objective, max: bool, absolute: f64, zero: f64) -> Extremum {
        self.progress.report(what, self.done as f64 / self.count.max(1) as f64);
        let options = self.search();
        let budget = Budget { search: options, time: Some(self.time()), ..Budget::default() };
        let found = match self.options.gap {
            Some(relative) => {
                let bound = if max { maximise } else { minimise };
                bound(f, self.ranges, Tolerance { relative, absolute }, budget, self.progress)
            }
            None if max => searched(search(f, self.ranges, options), 1.0),
            None => searched(search(&negative(f), self.ranges, options), -1.0),
        };
        self.done += 1;
        let tolerance = (EQUAL * found.best.abs()).max(zero);
        let depends = dependencies(f, self.ranges, &found.at, tolerance);
        let bound = self.options.gap.map(|_| found.bound);
        Extremum { value: found.best, at: found.at, depends, bound, finished: found.finished }
    }

    /// Minimum and maximum of D_ii.
    fn inertia(&mut self, f: CoefficientFunction, name: &str) -> [Extremum; 2] {
        // A tenth of the gap is spent on truncation.
        let smallest = -search(&negative(&f), self.ranges, self.search()).0;
        let f = f.truncated(0.1 * self.options.gap.unwrap_or(0.0) * smallest.max(0.0));
        let minimum = self.next(&format!("minimum inertia of {name}"), &f, false, 0.0, 0.0);
        [minimum, self.next(&format!("maximum inertia of {name}"), &f, true, 0.0, 0.0)]
    }

    /// Minimum and maximum of |D_i|, and the values of those of D_i.
    fn gravity(&mut self, f: &CoefficientFunction, i: usize, heaviest: f64) -> Result<([Extremum; 2], [f64; 2])> {
        let (ranges, gap) = (self.ranges, self.options.gap);
        let largest = search(&magnitude(f), ranges, self.search()).0;
        let zero = 1e-9 * heaviest;
        let absolute = gap.map_or(0.0, |gap| (gap * largest).max(zero));
        let tolerance = (EQUAL * largest).max(zero);
        // A bound for any direction of gravity; sufficient if the joint can be turned to it.
        let limit = match gap {
            Some(gap) if largest > zero && !self.progress.cancelled() => {
                self.coefficients.gravity_magnitude(i, ranges)?.map(|weight| {
                    let g = self.model.gravity();
                    let size = g.x.hypot(g.y).hypot(g.z) * (1.0 + 4.0 * f64::EPSILON);
                    let tolerance = Tolerance { relative: 0.1 * gap, absolute: zero / size.max(1e-300) };
                    let budget = Budget { time: Some(self.time()), ..Budget::default() };
                    maximise(&weight, ranges, tolerance, budget, self.progress).bound
                        * size
                        * (1.0 + 4.0 * f64::EPSILON)
                })
            }
            _ => None,
        };
        let what = format!("gravity of {}", self.model.dof_names()[i]);
        let mut end = |max: bool| match limit {
            Some(limit) => self.next(&what, &bounded(f, limit), max, absolute, tolerance),
            None => self.next(&what, f, max, absolute, tolerance),
        };
        let (low, high) = (end(false), end(true));
        let largest = if high.value.abs() >= low.value.abs() { &high } else { &low };
        let bound = low.bound.zip(high.bound).map(|(a, b)| a.abs().max(b.abs()));
        let finished = low.finished && high.finished;
        let maximum = Extremum { bound, finished, ..largest.magnitude() };
        let minimum = if low.value <= 0.0 && high.value >= 0.0 {
            let at = balanced(f, &low.at, &high.at);
            let depends = dependencies(f, ranges, &at, tolerance);
            Extremum { value: 0.0, at, depends, bound: gap.map(|_| 0.0), finished: true }
        } else if low.value > 0.0 {
            Extremum { bound: low.bound.map(|b| b.max(0.0)), ..low.clone() }
        } else {
            Extremum { bound: high.bound.map(|b| (-b).max(0.0)), ..high.magnitude() }
        };
        let scale = self.model.gravity_scale();
        let vanishes = rounded(maximum.value, scale) == 0.0;
        let signed = [low.value, high.value].map(|x| if vanishes { rounded(x, scale) } else { x });
        Ok(([minimum, maximum].map(|e| if vanishes { e.rounded(scale) } else { e }), signed))
    }
}

/// Values within this relative difference are equal: a stationary configuration is accurate to about 1e-8.
const EQUAL: f64 = 1e-7;

/// The coordinates that the value at a configuration depends on; all others together do not change it.
fn dependencies(f: &dyn Objective, ranges: &JointRanges, at: &[f64], tolerance: f64) -> Vec<bool> {
    // More than determine a polynomial of degree 2 in a coordinate.
    const SAMPLES: usize = 24;
    let (value, sequence) = (f.value(at), QuasiRandom::new(ranges, 1));
    let mut free = vec![];
    (0..at.len())
        .map(|k| {
            if !f.depends(k) || ranges.intervals()[k].width() == 0.0 {
                return f.depends(k);
            }
            free.push(k);
            let differs = (0..SAMPLES).any(|sample| {
                let (mut q, other) = (at.to_vec(), sequence.random_point(sample));
                free.iter().for_each(|&i: &usize| q[i] = other[i]);
                (f.value(&q) - value).abs() > tolerance
            });
            if differs {
                free.pop();
            }
            differs
        })
        .collect()
}

/// The result of a search for the value or its negative, without a bound.
fn searched((best, at): (f64, Vec<f64>), sign: f64) -> Bounds {
    Bounds { best: sign * best, at, bound: f64::NAN, boxes: 0, finished: true }
}

/// Minimum and maximum of D_ii of each degree of freedom, payloads and drives included.
pub fn inertia_extrema(
    m: &Model<f64>,
    ranges: &JointRanges,
    options: RangeOptions,
    progress: &Progress,
) -> Result<Vec<[Extremum; 2]>> {
    let (coefficients, start, count) = (Coefficients::new(m)?, Instant::now(), 2 * m.nv());
    let mut seeker = Seeker {
        model: m,
        coefficients: &coefficients,
        ranges,
        options,
        progress,
        start,
        done: 0,
        first: count,
        count,
    };
    let mut found = vec![];
    for (i, name) in m.dof_names().iter().enumerate().rev() {
        let f = coefficients.function(Coefficient::Inertia(i, i))?;
        found.push(seeker.inertia(if options.gap.is_some() { f.over(ranges) } else { f }, name));
    }
    found.reverse();
    Ok(found)
}

/// Computes the ranges of a robot's joints.
pub fn joint_extrema(
    m: &Model<f64>,
    ranges: &JointRanges,
    options: RangeOptions,
    progress: &Progress,
) -> Result<PayloadExtrema> {
    let (n, names) = (m.nv(), m.dof_names());
    let coefficients = Coefficients::new(m)?;
    let start = Instant::now();
    let function = |coefficient| -> Result<CoefficientFunction> {
        let f = coefficients.function(coefficient)?;
        // Control points are useless after the budget.
        let bounded = options.gap.is_some() && start.elapsed() < options.budget && !progress.cancelled();
        Ok(if bounded { f.over(ranges) } else { f })
    };
    let (first, count) = (4 * n, 6 * n + 2 * n * n.saturating_sub(1));
    let mut seeker =
        Seeker { model: m, coefficients: &coefficients, ranges, options, progress, start, done: 0, first, count };
    // Rounding leaves some gravity where there is none.
    let heaviest = heaviest(&coefficients, ranges, options.seed)?;
    let mut joints = vec![];
    // From the tip, whose extrema depend on few coordinates and are found quickly.
    for i in (0..n).rev() {
        let (name, limits) = (&names[i], m.limits()[i]);
        let known = |x: f64| Some(x).filter(|x| x.is_finite());
        let gear_ratio = own_rotor(m, i).map(|(gear, _)| gear);
        let [minimum, maximum] = seeker.inertia(function(Coefficient::Inertia(i, i))?, name);
        let at_motor = |e: &Extremum| gear_ratio.map(|gear| e.value / (gear * gear));
        let [minimum_at_motor, maximum_at_motor] = [&minimum, &maximum].map(at_motor);
        let inertia =
            InertiaRange { unit: units::inertia(m, i, i), minimum, maximum, minimum_at_motor, maximum_at_motor };
        let (effort, continuous) = (Some(limits.effort).filter(EffortRange::is_known), known(limits.continuous));
        let ([minimum, maximum], signed) = seeker.gravity(&function(Coefficient::Gravity(i))?, i, heaviest)?;
        let mut gravity = GravityRange {
            unit: m.torque_unit(i),
            maximum_at_motor: gear_ratio.map(|gear| maximum.value / gear.abs()),
            effort_fraction: None,
            continuous_fraction: continuous.map(|continuous| maximum.value / continuous),
            minimum,
            maximum,
            signed,
        };
        gravity.effort_fraction = gravity.utilization(&limits.effort);
        joints.push(JointExtrema {
            joint: name.clone(),
            gear_ratio,
            effort: effort.map(|e| [e.lower, e.upper]),
            continuous,
            inertia,
            gravity,
            acceleration_margin: None,
            couplings: vec![],
        });
    }
    joints.reverse();
    for i in (0..n).rev() {
        let Some([lower, upper]) = joints[i].effort else { continue };
        let what = format!("acceleration margin of {}", names[i]);
        let [forward, backward] = [(true, upper), (false, -lower)].map(|(forward, effort)| -> Result<Extremum> {
            let margin = function(Coefficient::AccelerationMargin { joint: i, effort, forward })?;
            let absolute =
                options.gap.unwrap_or(0.0) * 1e-3 * m.limits()[i].effort.half_width() / joints[i].inertia.minimum.value;
            Ok(seeker.next(&what, &margin, false, absolute, 0.0))
        });
        let (a, b) = (forward?, backward?);
        let bound = a.bound.zip(b.bound).map(|(a, b)| a.min(b));
        let finished = a.finished && b.finished;
        let minimum = Extremum { bound, finished, ..if a.value <= b.value { a } else { b } };
        joints[i].acceleration_margin = Some(AccelerationMargin { unit: units::acceleration(m, i), minimum });
    }
    for i in (0..n).rev() {
        for j in (0..n).filter(|j| *j != i) {
            let what = format!("coupling of {} with {}", names[i], names[j]);
            // A thousandth of the largest possible value, |D_ij| ≤ √(D_ii D_jj), is accurate enough for small ones.
            let absolute = options.gap.unwrap_or(0.0) * 1e-3;
            let largest = (joints[j].inertia.maximum.value / joints[i].inertia.minimum.value).sqrt();
            let ratio = function(Coefficient::Coupling(i, j))?;
            let ratio =
                seeker.next(&what, &magnitude(&ratio), true, absolute * largest, 1e-12 * largest).rounded(largest);
            let symmetric = joints[j].couplings.iter().find(|c| j > i && c.joint == names[i]);
            let correlation = match symmetric.map(|c| c.correlation.clone()) {
                Some(known) => {
                    seeker.done += 1;
                    known
                }
                None => {
                    let correlation = function(Coefficient::Correlation(i, j))?;
                    let found = seeker.next(&what, &magnitude(&correlation), true, absolute, 1e-12).rounded(1.0);
                    Extremum { bound: found.bound.filter(|bound| *bound < 1.0), ..found }
                }
            };
            let (joint, unit) = (names[j].clone(), units::inertia_ratio(m, i, j));
            joints[i].couplings.push(Coupling { joint, ratio, unit, correlation });
        }
    }
    progress.report("done", 1.0);
    let unfinished = options.gap.is_some() && joints.iter().flat_map(extrema).any(|e| !e.finished);
    let names: Vec<&str> = m.payloads().iter().map(|p| p.name.as_str()).collect();
    let payload = Some(names.join(" + ")).filter(|name| !name.is_empty());
    Ok(PayloadExtrema { payload, joints, partial: progress.cancelled() || unfinished })
}

/// All extrema of a joint.
fn extrema(joint: &JointExtrema) -> impl Iterator<Item = &Extremum> {
    [&joint.inertia.minimum, &joint.inertia.maximum, &joint.gravity.minimum, &joint.gravity.maximum]
        .into_iter()
        .chain(joint.acceleration_margin.iter().map(|m| &m.minimum))
        .chain(joint.couplings.iter().flat_map(|c| [&c.ratio, &c.correlation]))
}

/// The maximum |D_i| of any joint, by search.
fn heaviest(coefficients: &Coefficients, ranges: &JointRanges, seed: u64) -> Result<f64> {
    let options = SearchOptions { points: 256, climbs: 4, seed };
    let each = (0..coefficients.len())
        .map(|i| Ok(search(&magnitude(&coefficients.function(Coefficient::Gravity(i))?), ranges, options).0));
    each.collect::<Result<Vec<f64>>>().map(|found| found.into_iter().fold(0.0, f64::max))
}

/// The root of a function between two configurations at which its signs differ, by bisection.
fn balanced(f: &CoefficientFunction, low: &[f64], high: &[f64]) -> Vec<f64> {
    let at = |t: f64| low.iter().zip(high).map(|(a, b)| a + t * (b - a)).collect::<Vec<f64>>();
    let (mut below, mut above) = (0.0, 1.0);
    for _ in 0..60 {
        let t = 0.5 * (below + above);
        if f.value(&at(t)) <= 0.0 { below = t } else { above = t }
    }
    at(below)
}
