//! Time-optimal motion along a path under limits of speed, acceleration and torque: reachability analysis.
//!
//! Pham & Pham, "A New Approach to Time-Optimal Path Parameterization Based on Reachability Analysis", IEEE T-RO 34 (2018). On a grid of path
//! parameters, with x = ṡ² and constant u = s̈ between grid points, xₖ₊₁ = xₖ + 2 Δ u. A pass backward computes the speeds from which
//! the rest of the path can be completed (controllable sets); a pass forward takes the largest acceleration that stays in them. Each
//! step satisfies the constraints at both of its ends (the interpolation scheme of the paper), so that points of zero inertia, where a
//! constraint does not depend on u, need no special treatment.
//!
//! Deviations: the small linear programs also have terms in ṡ, so that viscous friction is exact (`stage.rs`); at the far end of a step
//! these use the change of speed that the round before found. What this and the distance of the grid points leave is removed by iteration: constraints are tightened where they
//! are exceeded between grid points, and the grid is refined where that does not suffice. Where s̈ is constant within an interval but the
//! active limit, or the s̈ that it allows, changes, no limit is active in a part of it: such intervals are divided first.
//!
//! A jerk limit is imposed afterwards: the mean of the time law s(t) over a moving window has a bounded third derivative, and slower motion
//! brings all quantities within their limits. The window with the shortest duration is searched; the result is feasible but not optimal.

mod constraints;
mod stage;
mod time_law;

use super::time_scaling::maximum_speed_scaling;
use super::{MotionLimits, PiecewisePolynomial, SplineEnds, Waypoints, cubic_spline};
use armdyn_core::Model;
use armdyn_numerics::{ContinuousTrajectory, Error, Limit, Result, invalid};
use constraints::Constraints;
use stage::{Conflict, Row, Stage};
use time_law::TimeLaw;

pub use time_law::PathTrajectory;

/// Options of [`time_optimal`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOptimalOptions {
    /// Minimum number of grid intervals.
    pub intervals: usize,
    /// Margin of the limits at the grid points, relative; what lies between them may use it.
    pub tolerance: f64,
}

impl Default for TimeOptimalOptions {
    fn default() -> Self {
        TimeOptimalOptions { intervals: 1000, tolerance: 2e-4 }
    }
}

/// Maximum number of rounds of tightening before the grid is refined.
const ROUNDS: usize = 8;
/// Rounds after which the changes of speed over the intervals have converged.
const CHANGES: usize = 3;
/// Fraction of the path at each end with finer steps, and their number.
const GRADED: f64 = 0.02;
const STEPS: usize = 50;
/// Maximum number of refinements.
const REFINEMENTS: usize = 4;
/// Distance from all limits, relative to them, beyond which an interval of the grid is divided, and into how many.
const SLACK: f64 = 0.01;
const SHARPENED: usize = 8;

/// Margin of the speed under jerk limits, for what lies between samples.
const JERK_MARGIN: f64 = 1e-4;

/// The path through waypoints: the natural cubic spline over their chord lengths, with each joint's distance divided by its speed limit.
pub fn geometric_path(waypoints: &Waypoints, limits: &MotionLimits) -> Result<PiecewisePolynomial> {
    cubic_spline(waypoints, &waypoints.chord_parameters(&limits.drive.speed)?, &SplineEnds::Natural)
}

/// The fastest motion along a path, from rest to rest, within the limits of speed, acceleration, torque and jerk.
pub fn time_optimal(
    m: &Model<f64>,
    path: &PiecewisePolynomial,
    limits: &MotionLimits,
    options: &TimeOptimalOptions,
) -> Result<PathTrajectory> {
    limits.check(m)?;
    if path.dofs() != m.nv() {
        return invalid(format!("a path of {} joints; robot `{}` has {}", path.dofs(), m.name(), m.nv()));
    }
    if options.intervals == 0 || !(1e-9..0.5).contains(&options.tolerance) {
        return invalid("a time-optimal motion needs at least one grid interval and a tolerance from 1e-9 to 0.5");
    }
    require_bounded_acceleration(m, path, limits)?;
    let coarse = grid(path, options.intervals);
    let sharp = sharpened(m, path, limits, &coarse, options.tolerance)?;
    let law = if sharp.len() > coarse.len() {
        // A motion on the coarser grid is one all the same.
        on_grid(m, path, limits, sharp, options.tolerance)
            .or_else(|_| on_grid(m, path, limits, coarse, options.tolerance))
    } else {
        on_grid(m, path, limits, coarse, options.tolerance)
    };
    with_jerk(m, PathTrajectory::new(path.clone(), law?, 0.0, 1.0), limits)
}

/// The grid with those intervals divided in which no limit is active somewhere.
fn sharpened(
    m: &Model<f64>,
    path: &PiecewisePolynomial,
    limits: &MotionLimits,
    grid: &[f64],
    tolerance: f64,
) -> Result<Vec<f64>> {
    let mut constraints = Constraints::new(m, path, limits, grid.to_vec(), tolerance)?;
    if has_viscous_friction(m) {
        let x = solve(m, path, &constraints)?;
        constraints.update_changes(&x);
    }
    let x = solve(m, path, &constraints)?;
    let uses = constraints.tighten(&x, tolerance)?;
    Ok(divided(grid, uses.iter().map(|u| if u.slack > SLACK { SHARPENED } else { 1 })))
}

/// The grid with each interval divided into so many.
fn divided(grid: &[f64], pieces: impl Iterator<Item = usize>) -> Vec<f64> {
    let mut all = vec![grid[0]];
    for (ends, pieces) in grid.windows(2).zip(pieces) {
        let step = (ends[1] - ends[0]) / pieces as f64;
        all.extend((1..pieces).map(|k| ends[0] + k as f64 * step));
        all.push(ends[1]);
    }
    all
}

fn has_viscous_friction(m: &Model<f64>) -> bool {
    m.friction().iter().any(|f| f.viscous != 0.0)
}

/// The fastest time law on a grid, which is refined where limits are exceeded between its points.
fn on_grid(
    m: &Model<f64>,
    path: &PiecewisePolynomial,
    limits: &MotionLimits,
    mut grid: Vec<f64>,
    tolerance: f64,
) -> Result<TimeLaw> {
    // Within the limits themselves, with a tenth of the margin for what lies between samples.
    let allowed = 0.9 * tolerance;
    for _ in 0..=REFINEMENTS {
        let mut constraints = Constraints::new(m, path, limits, grid, tolerance)?;
        if has_viscous_friction(m) {
            for _ in 0..CHANGES {
                let x = solve(m, path, &constraints)?;
                constraints.update_changes(&x);
            }
        }
        let mut uses = vec![];
        for _ in 0..ROUNDS {
            let x = solve(m, path, &constraints)?;
            uses = constraints.tighten(&x, tolerance / 2.0)?;
            if uses.iter().all(|u| u.excess <= allowed) {
                return Ok(TimeLaw::new(&constraints.s, &x));
            }
        }
        grid = divided(&constraints.s, uses.iter().map(|u| if u.excess > allowed { 2 } else { 1 }));
    }
    let percent = 100.0 * tolerance;
    invalid(format!(
        "no motion along the path stays within {percent} % of the limits on a grid of {} points",
        grid.len()
    ))
}

/// Grid points: all knots of the path, equal steps between them, and at both ends steps that are equal in time under constant
/// acceleration.
fn grid(path: &PiecewisePolynomial, intervals: usize) -> Vec<f64> {
    let length = path.duration();
    let mut s = vec![0.0];
    for ends in path.knots().windows(2) {
        let steps = (intervals as f64 * (ends[1] - ends[0]) / length).ceil().max(4.0);
        s.extend((1..steps as usize).map(|k| ends[0] + (ends[1] - ends[0]) * k as f64 / steps));
        s.push(ends[1]);
    }
    let near = |k: usize| length * GRADED * (k as f64 / STEPS as f64).powi(2);
    s.extend((1..STEPS).flat_map(|k| [near(k), length - near(k)]));
    s.sort_by(f64::total_cmp);
    // Points nearer than the finest of these steps are one; the last stays.
    let finest = 0.5 * near(1);
    s.dedup_by(|b, a| *b - *a < finest && *b < length);
    let last = s.len() - 1;
    if last > 1 && length - s[last - 1] < finest {
        s.remove(last - 1);
    }
    s
}

/// Fails if no joint that moves along the path has a limit of acceleration or effort: there is no fastest motion.
fn require_bounded_acceleration(m: &Model<f64>, path: &PiecewisePolynomial, limits: &MotionLimits) -> Result<()> {
    let [mut start, mut q, mut qd, mut qdd] = [(); 4].map(|()| vec![0.0; m.nv()]);
    path.at(0.0, &mut start, &mut qd, &mut qdd);
    let mut moves = vec![false; m.nv()];
    // Between knots a joint that moves leaves its start: a cubic has no more than three zeros.
    for ends in path.knots().windows(2) {
        for k in 1..=4 {
            path.at(ends[0] + (ends[1] - ends[0]) * f64::from(k) / 4.0, &mut q, &mut qd, &mut qdd);
            (0..m.nv()).for_each(|i| moves[i] |= q[i] != start[i]);
        }
    }
    let moving = || (0..m.nv()).filter(|i| moves[*i]);
    if moving().any(|i| limits.acceleration[i].is_finite() || limits.drive.effort[i].is_known()) {
        return Ok(());
    }
    Err(Error::NoLimit { limit: Limit::Acceleration, joints: moving().map(|i| m.dof_names()[i].clone()).collect() })
}

/// The squares of the largest path speeds at the grid points, from rest to rest.
fn solve(m: &Model<f64>, path: &PiecewisePolynomial, constraints: &Constraints) -> Result<Vec<f64>> {
    let s = &constraints.s;
    let last = s.len() - 1;
    let mut stage = Stage::default();
    let fill = |stage: &mut Stage, k: usize, low: f64, high: f64| {
        stage.clear();
        let twice = 2.0 * (s[k + 1] - s[k]);
        constraints.rows(k).iter().enumerate().for_each(|(r, row)| stage.add(r, *row));
        for (r, row) in constraints.rows(k + 1).iter().enumerate() {
            stage.add(r, Row { a: row.a + twice * row.b, c: row.c - row.k * constraints.change[k], ..*row });
        }
        stage.add_next(constraints.meanings.len(), twice, low, high);
    };
    let mut controllable = vec![(0.0, 0.0); s.len()];
    for k in (0..last).rev() {
        let (low, high) = controllable[k + 1];
        fill(&mut stage, k, low, high);
        // Without a speed limit, the acceleration needed to reach the next point bounds the speed.
        let most = constraints.speed[k].min(1e6 * s[last]);
        let ends = stage.largest_speed(most).and_then(|y| Ok((stage.smallest_speed(y)?, y)));
        let (low, high) = ends.or_else(|rows| infeasible(m, path, constraints, k, rows))?;
        controllable[k] = (low * low, high * high);
    }
    let still = |k: usize| infeasible(m, path, constraints, k, (usize::MAX, usize::MAX));
    if controllable[0].0 > 0.0 {
        return still(0);
    }
    let mut x: Vec<f64> = vec![0.0];
    for k in 0..last {
        let (low, high) = controllable[k + 1];
        fill(&mut stage, k, low, high);
        let u = stage.largest_acceleration(x[k].sqrt());
        let next = (x[k] + 2.0 * (s[k + 1] - s[k]) * u).clamp(low, high);
        if next <= 0.0 && x[k] <= 0.0 {
            return still(k);
        }
        x.push(next);
    }
    Ok(x)
}

/// The error of a path that no speed can follow.
fn infeasible<T>(
    m: &Model<f64>,
    path: &PiecewisePolynomial,
    constraints: &Constraints,
    k: usize,
    (a, b): Conflict,
) -> Result<T> {
    let segment = path.knots().partition_point(|s| *s <= constraints.s[k]).clamp(1, path.knots().len() - 1);
    let describe = |r: usize| {
        let meaning = constraints.meanings.get(r)?;
        Some(format!("the {} limit of `{}`", meaning.limit, m.dof_names()[meaning.dof]))
    };
    let mut by: Vec<String> = [describe(a), describe(b)].into_iter().flatten().collect();
    by.dedup();
    let by = if by.is_empty() { "the limits".to_string() } else { by.join(" and ") };
    invalid(format!(
        "the robot cannot follow the path from rest to rest at any speed: {by} would be exceeded between waypoints {segment} and {}",
        segment + 1
    ))
}

/// The motion within the limits of jerk too.
fn with_jerk(m: &Model<f64>, optimal: PathTrajectory, limits: &MotionLimits) -> Result<PathTrajectory> {
    if limits.jerk.iter().all(|j| j.is_infinite()) {
        return Ok(optimal);
    }
    let mut peaks = limits.clone();
    peaks.jerk.fill(f64::INFINITY);
    peaks.drive.continuous.fill(f64::INFINITY);
    let smoothed = |window: f64| -> Result<Option<PathTrajectory>> {
        let smooth = optimal.smoothed(window);
        let by_jerk = smooth.jerk_scaling(&limits.jerk);
        let by_others = maximum_speed_scaling(m, &smooth, &peaks, true)?.factor;
        Ok(by_others.map(|s| smooth.scaled(s.min(by_jerk) * (1.0 - JERK_MARGIN))))
    };
    let full = optimal.duration();
    // Windows from a hundredth to three times the duration; then between the neighbours of the best.
    let mut windows: Vec<f64> = (0..13).map(|k| full * 0.01 * 1.6f64.powi(k)).collect();
    let (mut best, mut ratio): (Option<(f64, PathTrajectory)>, f64) = (None, 1.6);
    for _ in 0..5 {
        for window in windows {
            let found = smoothed(window)?;
            if let Some(found) = found.filter(|f| best.as_ref().is_none_or(|(_, b)| f.duration() < b.duration())) {
                best = Some((window, found));
            }
        }
        ratio = ratio.sqrt();
        windows = best.iter().flat_map(|(window, _)| [window * ratio, window / ratio]).collect();
    }
    best.map(|(_, found)| found)
        .map_or_else(|| invalid(format!("no motion along the path is within the {} limits", Limit::Jerk)), Ok)
}
