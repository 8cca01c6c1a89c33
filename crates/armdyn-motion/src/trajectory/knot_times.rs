//! Splines through waypoints whose times follow from the limits.
//!
//! The ratios of the times between waypoints come from a time law along the chord lengths s; one factor of all times then brings every limit within
//! its value. Candidates:
//!
//! - constant path speed: times are proportional to the chord lengths;
//! - minimum jerk, s/L = 10 τ³ − 15 τ⁴ + 6 τ⁵ (Flash & Hogan 1985), from rest to rest over all waypoints;
//! - the time-optimal law of the path (`time_optimal.rs`), and its means over moving windows: splines have continuous accelerations, and overshoot
//!   if the knots jump between two of them.
//!
//! The shortest spline within the position limits is the result. It is never longer than that of constant path speed, unless only the latter
//! leaves the position limits.

use super::sampling::DenseSamples;
use super::time_scaling::scaling_of;
use super::{
    MotionLimits, PiecewisePolynomial, ROUNDING, SplineEnds, TimeOptimalOptions, TimeScaled, Waypoints, geometric_path,
    time_optimal,
};
use armdyn_core::Model;
use armdyn_design::SpeedScaling;
use armdyn_numerics::{ContinuousTrajectory, Result, invalid};

/// Windows of the means of the time-optimal law, relative to its duration.
const WINDOWS: [f64; 6] = [0.0, 0.05, 0.1, 0.2, 0.4, 0.8];
/// Halvings of an interval of time in which the law passes a waypoint: to rounding errors.
const HALVINGS: usize = 60;

/// A spline through waypoints, from rest to rest, by `spline`, as short as all limits allow, efforts and continuous torques included, by the best of
/// several time laws.
pub fn spline_within_limits(
    m: &Model<f64>,
    waypoints: &Waypoints,
    limits: &MotionLimits,
    spline: impl Fn(&Waypoints, &[f64], &SplineEnds) -> Result<PiecewisePolynomial>,
) -> Result<TimeScaled<PiecewisePolynomial>> {
    limits.check(m)?;
    waypoints.check(m, limits)?;
    let s = waypoints.chord_parameters(&limits.drive.speed)?;
    let candidate = |times: &[f64]| -> Result<Candidate> {
        let trajectory = spline(waypoints, times, &SplineEnds::Rest)?;
        let dense = DenseSamples::new(&trajectory, m.nv())?;
        let scaling = scaling_of(m, &dense, limits, true)?;
        Ok(Candidate { within: within_positions(&dense, limits), trajectory, scaling })
    };
    let mut best = candidate(&s)?;
    if best.scaling.factor == Some(f64::INFINITY) {
        return invalid(
            "no limit of speed, acceleration, jerk or effort bounds the speed of the motion: give one of them, or the duration",
        );
    }
    // Between two waypoints there is one spline, whatever its time.
    let others = if waypoints.len() > 2 { other_times(m, waypoints, limits, &s) } else { vec![] };
    for times in others {
        // Where two knots are one by rounding there is no spline.
        best = candidate(&times).ok().filter(|c| c.is_better_than(&best)).unwrap_or(best);
    }
    let Candidate { trajectory, scaling, .. } = best;
    match scaling {
        SpeedScaling { factor: Some(factor), .. } => Ok(TimeScaled { trajectory, factor }),
        SpeedScaling { limited_by: by, .. } => {
            let by = by.map_or(String::new(), |by| format!(": the {} limit of `{}` is exceeded", by.limit, by.joint));
            invalid(format!("the robot cannot follow this path at any speed{by}"))
        }
    }
}

/// A spline, with how much faster it may be.
struct Candidate {
    trajectory: PiecewisePolynomial,
    scaling: SpeedScaling,
    /// Whether it is within the position limits.
    within: bool,
}

impl Candidate {
    /// Seconds within all limits that depend on speed; infinite if there are none.
    fn duration(&self) -> f64 {
        self.scaling.factor.map_or(f64::INFINITY, |factor| self.trajectory.duration() / factor)
    }

    fn is_better_than(&self, other: &Candidate) -> bool {
        let possible = [self, other].map(|c| c.within && c.duration().is_finite());
        if possible[0] == possible[1] { self.duration() < other.duration() } else { possible[0] }
    }
}

fn within_positions(dense: &DenseSamples, limits: &MotionLimits) -> bool {
    let mut positions = dense.trajectory.q.iter().zip(limits.position.iter().cycle());
    positions.all(|(q, (lower, upper))| {
        let slack = |end: f64| ROUNDING * end.abs().max(1.0);
        *q >= lower - slack(*lower) && *q <= upper + slack(*upper)
    })
}

/// The times of the waypoints by minimum jerk and by the time-optimal law, up to a factor. Without the limits that a time-optimal law needs, there is
/// none.
fn other_times(m: &Model<f64>, waypoints: &Waypoints, limits: &MotionLimits, s: &[f64]) -> Vec<Vec<f64>> {
    let minimum_jerk = |t: f64| t * t * t * (10.0 - t * (15.0 - t * 6.0));
    let length = s[s.len() - 1];
    let mut all = vec![passing_times(s, 1.0, |t| length * minimum_jerk(t))];
    let without_jerk = MotionLimits { jerk: vec![f64::INFINITY; m.nv()], ..limits.clone() };
    let optimal = geometric_path(waypoints, limits)
        .and_then(|path| time_optimal(m, &path, &without_jerk, &TimeOptimalOptions::default()));
    if let Ok(optimal) = optimal {
        all.extend(WINDOWS.map(|window| {
            let law = optimal.smoothed(window * optimal.duration());
            passing_times(s, law.duration(), |t| law.path_motion(t)[0])
        }));
    }
    all
}

/// The times at which a law that never goes back, from 0 to `duration`, passes path parameters.
fn passing_times(s: &[f64], duration: f64, law: impl Fn(f64) -> f64) -> Vec<f64> {
    let passes = |s: f64| {
        let (mut low, mut high) = (0.0, duration);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if law(middle) < s { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    };
    let inner = s[1..s.len() - 1].iter().map(|s| passes(*s));
    std::iter::once(0.0).chain(inner).chain([duration]).collect()
}
