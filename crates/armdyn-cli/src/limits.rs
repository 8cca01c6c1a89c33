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

    /// Whether positions are probably in degrees although they are read as radians: as degrees they are within their limits, as
    /// radians far outside; one beyond a full turn, or several.
    fn looks_like_degrees(&self, q: &[f64], outside: &[(usize, usize)]) -> bool {
        let m = self.reader.model;
        let degrees = |&&(k, v): &&(usize, usize)| {
            let range = m.limits()[v].upper - m.limits()[v].lower;
            let far = self.excess(q[k], v) > FAR_OUTSIDE * if range.is_finite() { range } else { TAU };
            m.is_rotational(v) && far && self.excess(q[k].to_radians(), v) == 0.0
        };
        let beyond_a_turn = outside.iter().filter(degrees).any(|(k, _)| q[*k].abs() > TAU);
        !self.reader.deg && (beyond_a_turn || outside.iter().filter(degrees).count() > 1)
    }

    /// What is outside its limits, of the coordinates that were given, and whether it looks like degrees.
    fn message(&self, q: &[f64], given: impl Fn(usize) -> bool) -> Option<(String, bool)> {
        let m = self.reader.model;
        let outside = self.coordinates.iter().filter(|(k, v)| given(*k) && self.excess(q[*k], *v) > 0.0);
        let outside: Vec<(usize, usize)> = outside.copied().collect();
        let (&(k, v), others) = outside.split_first()?;
        let degrees = self.looks_like_degrees(q, &outside);
        let scale = if self.reader.deg && m.is_rotational(v) { 1f64.to_degrees() } else { 1.0 };
        let [q, low, high] = [q[k], m.limits()[v].lower, m.limits()[v].upper].map(|x| number(x * scale));
        let (name, unit) = (&m.dof_names()[v], position_unit(m, v, self.reader.deg));
        let more = match others.len() {
            0 => String::new(),
            others => format!(", and {} too", many(others, "other joint")),
        };
        Some((format!("`{name}` = {q} {unit} is outside its range [{low}, {high}] {unit}{more}"), degrees))
    }

    /// Warns about one configuration; `given` tells which coordinates the user set.
    pub fn warn(&self, q: &[f64], given: impl Fn(usize) -> bool) {
        if let Some((message, degrees)) = self.message(q, given) {
            warn_once(message + hint(degrees));
        }
    }

    /// Counts rows of a table.
    pub fn rows(&mut self, q: &[f64], rows: usize) {
        let n = self.reader.model.nq();
        let is_outside = |(_, q): &(usize, &[f64])| self.coordinates.iter().any(|&(k, v)| self.excess(q[k], v) > 0.0);
        let all = q.par_chunks_exact(n.max(1)).with_min_len(256).enumerate();
        let outside: Vec<(usize, &[f64])> = all.filter(is_outside).collect();
        for (row, q) in outside {
            if let Some((message, degrees)) = self.message(q, |_| true) {
                self.outside += 1;
                self.degrees |= degrees;
                self.first.get_or_insert((self.rows + row as u64 + 1, message));
            }
        }
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
