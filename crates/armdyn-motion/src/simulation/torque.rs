//! Torque sources: a table over time, or a sampled controller with delay, quantised positions and saturation.

use super::events::{Event, EventKind};
use super::time_reached;
use crate::control::{Controller, require_robot};
use armdyn_core::{EffortRange, Model};
use armdyn_numerics::{Error, Result, invalid, invalid_option};
use std::collections::VecDeque;

/// Torques between the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Each row holds until the next (zero-order hold).
    Hold,
    /// Linear between rows.
    Linear,
}

/// Joint torques over time. The last row holds after its time.
#[derive(Clone, Debug, PartialEq)]
pub struct TorqueTable {
    t: Vec<f64>,
    tau: Vec<f64>,
    interpolation: Interpolation,
}

impl TorqueTable {
    /// A table with a row of torques for each time \[s\]; times increase from 0.
    pub fn new(t: Vec<f64>, tau: Vec<f64>, interpolation: Interpolation) -> Result<Self> {
        if t.is_empty() || !tau.len().is_multiple_of(t.len()) {
            return invalid(format!("invalid torque table: {} times and {} torques", t.len(), tau.len()));
        }
        if t[0] != 0.0 {
            return invalid(format!("invalid torque table: it starts at {} s; expected 0 s", t[0]));
        }
        if let Some(k) = (1..t.len()).find(|k| !(t[*k] > t[k - 1] && t[*k].is_finite())) {
            let (row, at, before) = (k + 1, t[k], t[k - 1]);
            return invalid(format!(
                "invalid torque table, row {row}: time {at} s does not increase from {before} s; sort the rows and remove duplicates"
            ));
        }
        let n = tau.len() / t.len();
        if let Some(k) = tau.iter().position(|x| !x.is_finite()) {
            return invalid(format!("invalid torque table, row {}: torque {} is not finite", k / n.max(1) + 1, tau[k]));
        }
        Ok(TorqueTable { t, tau, interpolation })
    }

    /// Time of the last row \[s\].
    pub fn duration(&self) -> f64 {
        self.t[self.t.len() - 1]
    }

    fn width(&self) -> usize {
        self.tau.len() / self.t.len()
    }
}

/// How a controller is called and what it measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// Samples per second.
    pub rate: f64,
    /// Time from a sample until its torques act \[s\]: computation and transport. The torques are 0 before the first act.
    pub delay: f64,
    /// Resolution of the measured position of each degree of freedom \[rad or m\], 0 if it is exact; empty if all are exact.
    pub resolution: Vec<f64>,
    /// Whether velocities are differences of measured positions, not measured exactly.
    pub differentiate: bool,
}

impl Default for Sampling {
    /// 1 kHz, no delay, exact measurements.
    fn default() -> Self {
        Sampling { rate: 1000.0, delay: 0.0, resolution: vec![], differentiate: false }
    }
}

/// Where torques come from.
pub(super) enum Source<'a> {
    None,
    Table(TorqueTable),
    Controller(&'a mut dyn Controller, Sampling),
}

/// The torques of the drives as functions of time: linear until the next change.
#[derive(Clone, Debug)]
pub(super) struct Applied {
    /// Degrees of freedom without drives before the others: those of a base.
    pub base: usize,
    start: f64,
    pub value: Vec<f64>,
    slope: Vec<f64>,
}

impl Applied {
    pub fn new(n: usize, base: usize) -> Self {
        Applied { base, start: 0.0, value: vec![0.0; n - base], slope: vec![0.0; n - base] }
    }

    pub fn torque(&self, dof: usize, t: f64) -> f64 {
        dof.checked_sub(self.base).map_or(0.0, |i| self.value[i] + self.slope[i] * (t - self.start))
    }

    pub fn at(&self, t: f64, tau: &mut [f64]) {
        tau.iter_mut().enumerate().for_each(|(i, tau)| *tau = self.torque(i, t));
    }
}

/// The drives: the source of torques and their saturation.
pub(super) struct Drives<'a> {
    /// The arm.
    model: &'a Model<f64>,
    source: Source<'a>,
    /// Effort limits; unlimited if there is no saturation, [0, 0] without a drive.
    limits: Vec<EffortRange>,
    /// Position in q of each degree of freedom that is quantised.
    places: Vec<Option<usize>>,
    /// The commanded torques and their slope.
    commanded: Applied,
    saturated: Vec<bool>,
    /// Time at the effort limits until the last change \[s\], and when that was.
    saturated_time: Vec<f64>,
    changed: f64,
    /// The next row of the table, or the next sample of the controller.
    next: usize,
    /// The time of the next change, at which [`Drives::update`] must be called.
    pub due: f64,
    arrivals: VecDeque<f64>,
    pending: VecDeque<f64>,
    measured: [Vec<f64>; 3],
    output: Vec<f64>,
}

impl<'a> Drives<'a> {
    pub fn new(
        m: &'a Model<f64>,
        source: Source<'a>,
        limits: Vec<EffortRange>,
        places: Vec<Option<usize>>,
    ) -> Result<Self> {
        let n = m.nv();
        let mut waiting = 0;
        match &source {
            Source::Table(table) if table.width() != n => {
                let (robot, joints) = (m.name().to_string(), m.dof_names().to_vec());
                return Err(Error::TorquesOfAnotherRobot { found: table.width(), robot, joints });
            }
            Source::Controller(controller, s) => {
                require_robot(&**controller, m)?;
                if !(s.rate.is_finite() && s.rate > 0.0) {
                    return invalid_option(
                        "sampling.rate",
                        format!("invalid rate `{}` of the controller: expected more than 0 Hz", s.rate),
                    );
                }
                if !(s.delay >= 0.0 && s.delay * s.rate <= 1e6) {
                    return invalid_option(
                        "sampling.delay",
                        format!("invalid delay `{}` s of the controller: expected 0 to a million samples", s.delay),
                    );
                }
                if !s.resolution.is_empty() && s.resolution.len() != n {
                    let found = s.resolution.len();
                    return invalid(format!(
                        "{found} encoder resolutions for {n} degrees of freedom; expected one for each"
                    ));
                }
                if let Some(r) = s.resolution.iter().find(|r| !(r.is_finite() && **r >= 0.0)) {
                    return invalid(format!(
                        "invalid encoder resolution `{r}`: expected a number that is not negative"
                    ));
                }
                waiting = (s.delay * s.rate) as usize + 2;
            }
            _ => {}
        }
        Ok(Drives {
            model: m,
            source,
            limits,
            places,
            commanded: Applied::new(n, 0),
            saturated: vec![false; n],
            saturated_time: vec![0.0; n],
            changed: 0.0,
            next: 0,
            due: 0.0,
            arrivals: VecDeque::with_capacity(waiting),
            pending: VecDeque::with_capacity(waiting * n),
            measured: [vec![0.0; m.nq()], vec![0.0; m.nq()], vec![0.0; n]],
            output: vec![0.0; n],
        })
    }

    /// The torques that the source asks for at a time.
    pub fn commanded(&self, dof: usize, t: f64) -> f64 {
        self.commanded.torque(dof, t)
    }

    /// The next change after an update at `t`.
    fn change_after(&self, t: f64) -> f64 {
        match &self.source {
            Source::None => f64::INFINITY,
            Source::Table(table) => {
                let row = table.t.get(self.next).copied().unwrap_or(f64::INFINITY);
                row.min(self.next_crossing(t))
            }
            Source::Controller(_, s) => {
                let sample = self.next as f64 / s.rate;
                self.arrivals.front().map_or(sample, |a| a.min(sample))
            }
        }
    }

    /// When a linear torque next crosses an effort limit.
    fn next_crossing(&self, t: f64) -> f64 {
        let c = &self.commanded;
        let crossing = |i: usize| {
            let times = [self.limits[i].lower, self.limits[i].upper].map(|l| c.start + (l - c.value[i]) / c.slope[i]);
            times.into_iter().filter(|at| *at > time_reached(t)).fold(f64::INFINITY, f64::min)
        };
        (0..c.value.len()).filter(|i| c.slope[*i] != 0.0).map(crossing).fold(f64::INFINITY, f64::min)
    }

    /// Brings torques up to date at a time of change, with the true state there. Returns whether they changed.
    pub fn update(
        &mut self,
        t: f64,
        [q, qd]: [&[f64]; 2],
        applied: &mut Applied,
        events: &mut Vec<Event>,
    ) -> Result<bool> {
        let changed = self.command(t, [q, qd])?;
        if changed {
            self.saturate(t, applied, events);
        }
        self.due = self.change_after(t);
        Ok(changed)
    }

    /// Brings the commanded torques up to date. Returns whether they changed.
    fn command(&mut self, t: f64, [q, qd]: [&[f64]; 2]) -> Result<bool> {
        let m = self.model;
        let now = time_reached(t);
        match &mut self.source {
            Source::None => return Ok(false),
            Source::Table(table) => {
                while table.t.get(self.next).is_some_and(|at| *at <= now) {
                    let (k, n) = (self.next, self.commanded.value.len());
                    let row = |k: usize| &table.tau[k * n..(k + 1) * n];
                    self.commanded.start = table.t[k];
                    self.commanded.value.copy_from_slice(row(k));
                    self.commanded.slope.fill(0.0);
                    if table.interpolation == Interpolation::Linear && k + 1 < table.t.len() {
                        let time = table.t[k + 1] - table.t[k];
                        let ends = row(k).iter().zip(row(k + 1));
                        self.commanded.slope.iter_mut().zip(ends).for_each(|(s, (a, b))| *s = (b - a) / time);
                    }
                    self.next += 1;
                }
            }
            Source::Controller(controller, s) => {
                let mut changed = false;
                while self.next as f64 / s.rate <= now {
                    let at = self.next as f64 / s.rate;
                    let [positions, previous, velocities] = &mut self.measured;
                    previous.copy_from_slice(positions);
                    positions.copy_from_slice(q);
                    for (place, r) in self.places.iter().zip(&s.resolution).filter(|(_, r)| **r > 0.0) {
                        if let Some(k) = place {
                            positions[*k] = (positions[*k] / r).round() * r;
                        }
                    }
                    velocities.copy_from_slice(qd);
                    if s.differentiate {
                        velocities.fill(0.0);
                        if self.next > 0 {
                            m.difference(previous, positions, velocities)?;
                            velocities.iter_mut().for_each(|v| *v *= s.rate);
                        }
                    }
                    controller.torque(at, positions, velocities, &mut self.output)?;
                    check_torques(m, at, &self.output)?;
                    self.arrivals.push_back(at + s.delay);
                    self.pending.extend(&self.output);
                    self.next += 1;
                }
                while self.arrivals.front().is_some_and(|at| *at <= now) {
                    self.commanded.start = self.arrivals.pop_front().unwrap_or(t);
                    for value in &mut self.commanded.value {
                        *value = self.pending.pop_front().unwrap_or(0.0);
                    }
                    changed = true;
                }
                return Ok(changed);
            }
        }
        Ok(true)
    }

    /// Time that each drive was at its effort limit until `t` \[s\].
    pub fn saturated_time(&self, t: f64) -> Vec<f64> {
        let now = self.saturated.iter().map(|s| if *s { t - self.changed } else { 0.0 });
        self.saturated_time.iter().zip(now).map(|(before, now)| before + now).collect()
    }

    /// The torques within the effort limits, until the next change.
    fn saturate(&mut self, t: f64, applied: &mut Applied, events: &mut Vec<Event>) {
        self.saturated_time
            .iter_mut()
            .zip(&self.saturated)
            .filter(|(_, s)| **s)
            .for_each(|(time, _)| *time += t - self.changed);
        self.changed = t;
        applied.start = t;
        for (i, limit) in self.limits.iter().enumerate() {
            let (torque, slope) = (self.commanded.torque(i, t), self.commanded.slope[i]);
            let within = torque.max(limit.lower).min(limit.upper);
            // At a limit it is saturated if it goes on beyond it.
            let rounding = 1e-12 * torque.abs();
            let above = torque > limit.upper + rounding || (torque >= limit.upper - rounding && slope > 0.0);
            let below = torque < limit.lower - rounding || (torque <= limit.lower + rounding && slope < 0.0);
            let saturated = above || below;
            applied.value[i] = within;
            applied.slope[i] = if saturated { 0.0 } else { slope };
            if saturated != self.saturated[i] {
                let joint = self.model.dof_names()[i].clone();
                let kind = if saturated { EventKind::Saturates { joint } } else { EventKind::Desaturates { joint } };
                events.push(Event { t, kind });
                self.saturated[i] = saturated;
            }
        }
    }
}

fn check_torques(m: &Model<f64>, t: f64, tau: &[f64]) -> Result<()> {
    match tau.iter().position(|x| !x.is_finite()) {
        Some(i) => invalid(format!(
            "the controller's torque of joint `{}` is not finite ({}) at {t} s; check its gains and the measured state",
            m.dof_names()[i],
            tau[i]
        )),
        None => Ok(()),
    }
}
