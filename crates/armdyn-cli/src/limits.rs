//! Warnings about positions outside the joint limits.

use crate::diagnostics;
use crate::format::{many, number, position_unit};
use crate::values::Reader;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::f64::consts::TAU;
use std::sync::{Mutex, PoisonError};

/// Excess over a limit, relative to it or to 1 rad or m, that is a rounded position.
const LIMIT_TOLERANCE: f64 = 1e-9;

/// Excess over a limit, relative to the range, beyond which a position is not near its limit.
const FAR_OUTSIDE: f64 = 0.2;

/// Prints a warning that this process has not printed before.
fn warn_once(message: String) {
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if PRINTED.lock().unwrap_or_else(PoisonError::into_inner).insert(message.clone()) {
        diagnostics::warn(message);
    }
}

/// Finds coordinates outside their joint's limits.
pub struct LimitCheck<'a> {
    reader: &'a Reader<'a>,
    /// Coordinates with a range, and their degrees of freedom.
    coordinates: Vec<(usize, usize)>,
    rows: u64,
    outside: u64,
    first: Option<(u64, String)>,
    /// Whether a row of a table looks like degrees.
    degrees: bool,
}

/// The hint of a warning about angles that are probably in degrees.
pub fn hint(degrees: bool) -> &'static str {
    if degrees { " (did you mean --deg?)" } else { "" }
}

impl<'a> LimitCheck<'a> {
    /// For the robot of a reader.
    pub fn new(reader: &'a Reader) -> Self {
        let m = reader.model;
        let own = m.base_to_tip().map(|(_, b)| b).filter(|b| b.pair.nq() == 1 && !b.follows);
        let coordinates = own.map(|b| (b.q, b.v)).filter(|(_, v)| {
            let l = &m.limits()[*v];
            l.lower.is_finite() || l.upper.is_finite()
        });
        LimitCheck { reader, coordinates: coordinates.collect(), rows: 0, outside: 0, first: None, degrees: false }
    }

    /// How far a position is outside its limits; 0 if it is within them.
    fn excess(&self, x: f64, v: usize) -> f64 {
        let l = &self.reader.model.limits()[v];
        let tolerance = |limit: f64| LIMIT_TOLERANCE * limit.abs().max(1.0);
        match x {
            x if x < l.lower - tolerance(l.lower) => l.lower - x,
            x if x > l.upper + tolerance(l.upper) => x - l.upper,
            _ => 0.0,
        }
    }

    /// Coordinates outside their limits, and their degrees of freedom.
    fn outside(&self, q: &[f64]) -> impl Iterator<Item = (usize, usize)> {
        self.coordinates.iter().copied().filter(|&(k, v)| self.excess(q[k], v) > 0.0)
    }

    /// Whether positions are probably in degrees although they are read as radians: as degrees they are within their limits, as
    /// radians far outside; one beyond a full turn, or several.
    fn looks_like_degrees(&self, q: &[f64], outside: impl Iterator<Item = (usize, usize)>) -> bool {
        let m = self.reader.model;
        let degrees = |&(k, v): &(usize, usize)| {
            let range = m.limits()[v].upper - m.limits()[v].lower;
            let far = self.excess(q[k], v) > FAR_OUTSIDE * if range.is_finite() { range } else { TAU };
            m.is_rotational(v) && far && self.excess(q[k].to_radians(), v) == 0.0
        };
        let count = |(all, beyond_a_turn), (k, _): (usize, usize)| (all + 1, beyond_a_turn || q[k].abs() > TAU);
        let (all, beyond_a_turn) = outside.filter(degrees).fold((0, false), count);
        !self.reader.deg && (beyond_a_turn || all > 1)
    }

    /// What is outside its limits, of the coordinates that were given.
    fn message(&self, q: &[f64], given: impl Fn(usize) -> bool) -> Option<String> {
        let m = self.reader.model;
        let mut outside = self.outside(q).filter(|(k, _)| given(*k));
        let (k, v) = outside.next()?;
        let scale = if self.reader.deg && m.is_rotational(v) { 1f64.to_degrees() } else { 1.0 };
        let [x, low, high] = [q[k], m.limits()[v].lower, m.limits()[v].upper].map(|x| number(x * scale));
        let (name, unit) = (&m.dof_names()[v], position_unit(m, v, self.reader.deg));
        let more = match outside.count() {
            0 => String::new(),
            others => format!(", and {} too", many(others, "other joint")),
        };
        Some(format!("`{name}` = {x} {unit} is outside its range [{low}, {high}] {unit}{more}"))
    }

    /// Warns about one configuration; `given` tells which coordinates the user set.
    pub fn warn(&self, q: &[f64], given: impl Fn(usize) -> bool) {
        if let Some(message) = self.message(q, &given) {
            let degrees = self.looks_like_degrees(q, self.outside(q).filter(|(k, _)| given(*k)));
            warn_once(message + hint(degrees));
        }
    }

    /// Counts rows of a table.
    pub fn rows(&mut self, q: &[f64], rows: usize) {
        let n = self.reader.model.nq();
        // How many are outside, the first of them, and whether any looks like degrees.
        let one = |(row, q): (usize, &[f64])| match self.outside(q).next() {
            Some(_) => (1, row, self.looks_like_degrees(q, self.outside(q))),
            None => (0, usize::MAX, false),
        };
        let sum = |a: (u64, usize, bool), b: (u64, usize, bool)| (a.0 + b.0, a.1.min(b.1), a.2 || b.2);
        let all = q.par_chunks_exact(n.max(1)).with_min_len(256).enumerate().map(one);
        let (outside, first, degrees) = all.reduce(|| (0, usize::MAX, false), sum);
        if self.first.is_none() && outside > 0 {
            let message = self.message(&q[first * n..(first + 1) * n], |_| true);
            self.first = message.map(|message| (self.rows + first as u64 + 1, message));
        }
        self.outside += outside;
        self.degrees |= degrees;
        self.rows += rows as u64;
    }

    /// Warns about the rows of a table: how many, the first, and whether any of them looks like degrees.
    pub fn summarize(self) {
        if let Some((row, message)) = self.first {
            let (outside, rows, hint) = (self.outside, many(self.rows as usize, "row"), hint(self.degrees));
            warn_once(format!("positions outside the joint limits in {outside} of {rows}; row {row}: {message}{hint}"));
        }
    }
}
