//! Excitation trajectories for parameter identification: finite Fourier series.
//!
//! Swevers et al. 1997: each joint moves as, with ω = 2π/T,
//!
//!   q = c + Σₖ (aₖ/kω) sin kωt − (bₖ/kω) cos kωt,   q̇ = Σₖ aₖ cos kωt + bₖ sin kωt                 (1)
//!
//! With Σ aₖ = 0 and Σ k bₖ = 0 it starts and ends at rest, without acceleration. Coefficients are drawn at random, projected onto these
//! conditions and scaled so that each joint fills one of its limits. Among the candidates, and random changes of the best, the one
//! with the smallest condition number of the regressor of the base (identifiable) inertial parameters is chosen.

use super::MotionLimits;
use armdyn_core::{
    EffortRange, Model, Progress, RegressorData, RneaData, SplitMix64, parameter_count, parameters, regressor, rnea,
};
use armdyn_numerics::{ContinuousTrajectory, Error, Limit, Result, invalid, require_scalar_coordinates};
use nalgebra::DMatrix;
use std::f64::consts::{PI, TAU};

/// A periodic motion of all joints.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FourierSeries {
    /// Duration of one period \[s\].
    pub period: f64,
    /// Mean positions c.
    pub centre: Vec<f64>,
    /// The coefficients aₖ of each joint.
    pub cosine: Vec<Vec<f64>>,
    /// The coefficients bₖ of each joint.
    pub sine: Vec<Vec<f64>>,
}

impl ContinuousTrajectory for FourierSeries {
    fn at(&self, t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]) {
        let omega = TAU / self.period;
        q.copy_from_slice(&self.centre);
        qd.fill(0.0);
        qdd.fill(0.0);
        for k in 0..self.cosine[0].len() {
            let rate = (k + 1) as f64 * omega;
            let (sin, cos) = (rate * t).sin_cos();
            for i in 0..q.len() {
                let (a, b) = (self.cosine[i][k], self.sine[i][k]);
                q[i] += (a * sin - b * cos) / rate;
                qd[i] += a * cos + b * sin;
                qdd[i] += rate * (b * cos - a * sin);
            }
        }
    }

    fn duration(&self) -> f64 {
        self.period
    }

    fn dofs(&self) -> Option<usize> {
        Some(self.centre.len())
    }
}

/// Options of [`excitation`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExcitationOptions {
    /// Duration \[s\]: one period.
    pub duration: f64,
    /// Number of harmonics, at least three.
    pub harmonics: usize,
    /// Number of candidates.
    pub candidates: usize,
    /// Seed of the candidates.
    pub seed: u64,
}

impl Default for ExcitationOptions {
    fn default() -> Self {
        ExcitationOptions { duration: 10.0, harmonics: 5, candidates: 200, seed: 1 }
    }
}

/// An excitation trajectory.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Excitation {
    /// The motion.
    pub series: FourierSeries,
    /// Condition number of the regressor of the base parameters over the motion, in SI units.
    pub condition: f64,
    /// Number of base parameters.
    pub base_parameters: usize,
    /// Number of candidates evaluated.
    pub candidates: usize,
    /// Whether it was cancelled: the best of fewer candidates than requested.
    pub partial: bool,
}

/// Samples by which a candidate is fitted into its limits, and by which its regressor is evaluated.
const FIT: usize = 1000;
const SAMPLES: usize = 100;
/// Labels of the parameters of friction.
const FRICTION: [&str; 4] = [".viscous", ".coulomb_forward", ".coulomb_backward", ".stribeck"];
/// What extremes between samples may exceed: the curvature of the highest harmonics.
const MARGIN: f64 = 0.998;

/// The best of random excitation trajectories within the limits of position, speed, acceleration and effort. Cancelled, the best of those evaluated by
/// then.
pub fn excitation(
    m: &Model<f64>,
    limits: &MotionLimits,
    options: &ExcitationOptions,
    progress: &Progress,
) -> Result<Excitation> {
    require_scalar_coordinates(m)?;
    limits.check(m)?;
    let ExcitationOptions { duration, harmonics, candidates, seed } = *options;
    if !(duration.is_finite() && duration > 0.0) {
        return invalid(format!("invalid duration `{duration}` s of an excitation: expected more than 0 s"));
    }
    if !(3..=50).contains(&harmonics) || candidates == 0 {
        return invalid(format!("{harmonics} harmonics, {candidates} candidates: expected 3 to 50, and at least one"));
    }
    let (ranges, unbounded) = ranges(m, limits);
    let names = |unknown: &dyn Fn(usize) -> bool| {
        (0..m.nv()).filter(|i| unknown(*i)).map(|i| m.dof_names()[i].clone()).collect::<Vec<_>>()
    };
    let unlimited = names(&|i| limits.drive.speed[i].is_infinite() && limits.acceleration[i].is_infinite());
    if let Some(missing) = Error::missing_limits([(Limit::Position, unbounded), (Limit::Speed, unlimited)]) {
        return Err(missing);
    }
    let mut objective = Objective::new(m, &ranges, seed)?;
    let mut random = SplitMix64(seed);
    let mut best: Option<(f64, FourierSeries)> = None;
    let mut evaluated = 0;
    while evaluated < candidates && !progress.cancelled() {
        progress.report("excitations", evaluated as f64 / candidates as f64);
        let near = best.as_ref().filter(|_| evaluated >= candidates / 2).map(|(_, series)| series);
        let series = draw(&ranges, limits, options, near, &mut random);
        let condition = objective.condition(m, &series, &limits.drive.effort)?;
        if condition.is_some_and(|c| best.as_ref().is_none_or(|(b, _)| c < *b)) {
            best = condition.map(|c| (c, series));
        }
        evaluated += 1;
    }
    let partial = evaluated < candidates;
    match best {
        Some((condition, series)) => {
            let base_parameters = objective.columns.len();
            Ok(Excitation { series, condition, base_parameters, candidates: evaluated, partial })
        }
        None if partial => invalid(format!(
            "cancelled after {evaluated} of {candidates} excitation trajectories, none of which is within the effort limits"
        )),
        None => invalid(format!(
            "none of {candidates} excitation trajectories is within the effort limits; use a longer duration, lower accelerations or a smaller payload"
        )),
    }
}

/// Position ranges, a full turn for angles without limits; and the names of prismatic joints without them.
fn ranges(m: &Model<f64>, limits: &MotionLimits) -> (Vec<(f64, f64)>, Vec<String>) {
    let mut missing = vec![];
    let range = |i: usize| match limits.position[i] {
        (lower, upper) if lower.is_finite() && upper.is_finite() => (lower, upper),
        (lower, upper) => {
            if !m.is_rotational(i) {
                missing.push(m.dof_names()[i].clone());
            }
            match (lower.is_finite(), upper.is_finite()) {
                (true, _) => (lower, lower + TAU),
                (_, true) => (upper - TAU, upper),
                _ => (-PI, PI),
            }
        }
    };
    let ranges = (0..m.nv()).map(range).collect();
    (ranges, missing)
}

/// A random series within limits of position, speed and acceleration, or one near another.
fn draw(
    ranges: &[(f64, f64)],
    limits: &MotionLimits,
    options: &ExcitationOptions,
    near: Option<&FourierSeries>,
    random: &mut SplitMix64,
) -> FourierSeries {
    let (n, harmonics) = (ranges.len(), options.harmonics);
    let coefficients = |of: Option<&Vec<Vec<f64>>>, random: &mut SplitMix64| -> Vec<Vec<f64>> {
        (0..n)
            .map(|i| {
                let size = of.map_or(1.0, |x| x[i].iter().fold(0.0, |m: f64, x| m.max(x.abs())));
                let one = |k: usize, random: &mut SplitMix64| match of {
                    None => random.within(1.0),
                    Some(x) => x[i][k] + random.within(0.2 * size),
                };
                (0..harmonics).map(|k| one(k, random)).collect()
            })
            .collect()
    };
    let mut series = FourierSeries {
        period: options.duration,
        centre: vec![0.0; n],
        cosine: coefficients(near.map(|s| &s.cosine), random),
        sine: coefficients(near.map(|s| &s.sine), random),
    };
    let squares: f64 = (1..=harmonics).map(|k| (k * k) as f64).sum();
    for i in 0..n {
        let mean = series.cosine[i].iter().sum::<f64>() / harmonics as f64;
        series.cosine[i].iter_mut().for_each(|a| *a -= mean);
        let moment = (1..).zip(&series.sine[i]).map(|(k, b)| f64::from(k) * b).sum::<f64>() / squares;
        (1..).zip(&mut series.sine[i]).for_each(|(k, b)| *b -= f64::from(k) * moment);
    }
    let (mut low, mut high) = (vec![f64::INFINITY; n], vec![f64::NEG_INFINITY; n]);
    let [mut speed, mut acceleration] = [(); 2].map(|()| vec![0.0_f64; n]);
    let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; n]);
    for k in 0..FIT {
        series.at(series.period * k as f64 / FIT as f64, &mut q, &mut qd, &mut qdd);
        for i in 0..n {
            (low[i], high[i]) = (low[i].min(q[i]), high[i].max(q[i]));
            (speed[i], acceleration[i]) = (speed[i].max(qd[i].abs()), acceleration[i].max(qdd[i].abs()));
        }
    }
    for i in 0..n {
        let (lower, upper) = ranges[i];
        let by_position = (upper - lower) / (high[i] - low[i]);
        let by_rates = (limits.drive.speed[i] / speed[i]).min(limits.acceleration[i] / acceleration[i]);
        let scale = MARGIN * by_position.min(by_rates);
        series.cosine[i].iter_mut().chain(&mut series.sine[i]).for_each(|x| *x *= scale);
        // Anywhere in the range that is left.
        let (from, to) = (lower - scale * low[i], upper - scale * high[i]);
        let edge = 0.5 * (1.0 - MARGIN) * (to - from);
        series.centre[i] = from + edge + random.unit() * (to - from - 2.0 * edge);
    }
    series
}

/// The condition number of the regressor of the base parameters.
struct Objective {
    data: RegressorData<f64>,
    rnea: RneaData<f64>,
    /// The columns of the regressor that are independent.
    columns: Vec<usize>,
    y: Vec<f64>,
}

impl Objective {
    /// Finds independent columns by a pivoted QR factorisation over random states.
    fn new(m: &Model<f64>, ranges: &[(f64, f64)], seed: u64) -> Result<Self> {
        let (n, all) = (m.nv(), parameter_count(m));
        // Friction has models of its own: its columns are left out.
        let names = parameters(m);
        let is_inertial = |k: &usize| !FRICTION.iter().any(|label| names[*k].name.ends_with(label));
        let (data, rnea) = (RegressorData::new(m), RneaData::new(m));
        let mut found =
            Objective { data, rnea, columns: (0..all).filter(is_inertial).collect(), y: vec![0.0; n * all] };
        let mut random = SplitMix64(seed);
        let states = 2 * all.div_ceil(n);
        let mut w = DMatrix::zeros(states * n, found.columns.len());
        for state in 0..states {
            let q: Vec<f64> = ranges.iter().map(|(a, b)| a + (b - a) * random.unit()).collect();
            let [qd, qdd] = [(); 2].map(|()| (0..n).map(|_| random.within(1.0)).collect::<Vec<_>>());
            found.rows(m, &q, &qd, &qdd, &mut w, state)?;
        }
        let qr = w.col_piv_qr();
        let r = qr.r();
        let rank = (0..r.nrows().min(r.ncols())).take_while(|k| r[(*k, *k)].abs() > 1e-9 * r[(0, 0)].abs()).count();
        let mut order = DMatrix::from_fn(1, found.columns.len(), |_, k| found.columns[k] as f64);
        qr.p().permute_columns(&mut order);
        found.columns = (0..rank).map(|k| order[k] as usize).collect();
        Ok(found)
    }

    fn rows(
        &mut self,
        m: &Model<f64>,
        q: &[f64],
        qd: &[f64],
        qdd: &[f64],
        w: &mut DMatrix<f64>,
        state: usize,
    ) -> Result<()> {
        let (n, all) = (m.nv(), self.y.len() / m.nv());
        regressor(m, &mut self.data, q, qd, qdd, &mut self.y)?;
        for i in 0..n {
            for (k, column) in self.columns.iter().enumerate() {
                w[(state * n + i, k)] = self.y[i * all + column];
            }
        }
        Ok(())
    }

    /// The condition number over a motion; none if an effort is exceeded.
    fn condition(&mut self, m: &Model<f64>, series: &FourierSeries, effort: &[EffortRange]) -> Result<Option<f64>> {
        let n = m.nv();
        let [mut q, mut qd, mut qdd, mut tau] = [(); 4].map(|()| vec![0.0; n]);
        let mut w = DMatrix::zeros(SAMPLES * n, self.columns.len());
        for state in 0..SAMPLES {
            series.at(series.period * state as f64 / SAMPLES as f64, &mut q, &mut qd, &mut qdd);
            rnea(m, &mut self.rnea, &q, &qd, &qdd, &mut tau)?;
            if tau.iter().zip(effort).any(|(tau, range)| !range.contains(*tau)) {
                return Ok(None);
            }
            self.rows(m, &q, &qd, &qdd, &mut w, state)?;
        }
        let values = w.singular_values();
        Ok(Some(values.max() / values.min()))
    }
}
