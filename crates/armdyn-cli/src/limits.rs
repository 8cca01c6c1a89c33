//! Warnings about positions outside the joint limits.

use crate::diagnostics;
use crate::format::{many, number, position_unit};
use crate::values::Reader;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Relative excess that is rounding.
const ROUNDING: f64 = 1e-9;

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
        LimitCheck { reader, coordinates: coordinates.collect(), rows: 0, outside: 0, first: None }
    }

    /// What is outside its limits, of the coordinates that were given.
    fn message(&self, q: &[f64], given: impl Fn(usize) -> bool) -> Option<String> {
        let m = self.reader.model;
        let beyond = |x: f64, v: usize| {
            let l = &m.limits()[v];
            x < l.lower - ROUNDING * l.lower.abs().max(1.0) || x > l.upper + ROUNDING * l.upper.abs().max(1.0)
        };
        let mut all = self.coordinates.iter().filter(|(k, v)| given(*k) && beyond(q[*k], *v));
        let &(k, v) = all.next()?;
        let others = all.clone().count();
        let fits = |&(k, v): &(usize, usize)| m.is_rotational(v) && !beyond(q[k].to_radians(), v);
        let degrees = !self.reader.deg && fits(&(k, v)) && all.all(fits);
        let scale = if self.reader.deg && m.is_rotational(v) { 1f64.to_degrees() } else { 1.0 };
        let [q, low, high] = [q[k], m.limits()[v].lower, m.limits()[v].upper].map(|x| number(x * scale));
        let (name, unit) = (&m.dof_names()[v], position_unit(m, v, self.reader.deg));
        let more = if others == 0 { String::new() } else { format!(", and {} too", many(others, "other joint")) };
        let hint = if degrees { " (did you mean --deg?)" } else { "" };
        Some(format!("`{name}` = {q} {unit} is outside its range [{low}, {high}] {unit}{more}{hint}"))
    }

    /// Warns about one configuration; `given` tells which coordinates the user set.
    pub fn warn(&self, q: &[f64], given: impl Fn(usize) -> bool) {
        self.message(q, given).into_iter().for_each(warn_once);
    }

    /// Counts a row of a table.
    pub fn row(&mut self, q: &[f64]) {
        self.rows += 1;
        if let Some(message) = self.message(q, |_| true) {
            self.outside += 1;
            self.first.get_or_insert((self.rows, message));
        }
    }

    /// Warns about the rows of a table: how many, and the first.
    pub fn summarize(self) {
        if let Some((row, message)) = self.first {
            let (outside, rows) = (self.outside, many(self.rows as usize, "row"));
            warn_once(format!("positions outside the joint limits in {outside} of {rows}; row {row}: {message}"));
        }
    }
}
