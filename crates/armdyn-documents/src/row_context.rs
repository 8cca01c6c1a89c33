//! A row with its document and robots.

use crate::document::{Document, Source};
use crate::evaluation::{Evaluation, Functions, Robots, SceneFactory};
use crate::scene::at_zero;
use crate::value::Value;
use std::collections::BTreeMap;

/// A row with its document and robots.
pub struct RowContext<'a> {
    /// The document.
    pub document: &'a Document,
    /// Its robots.
    pub robots: &'a Robots,
    /// The row's robot.
    pub robot: &'a str,
    /// The row.
    pub row: &'a Source,
}

impl<'a> RowContext<'a> {
    /// The environment of its expressions.
    pub fn evaluation<S: Functions>(
        &self,
        free: BTreeMap<String, Value<S>>,
        make: SceneFactory<'a, S>,
    ) -> Evaluation<'a, S> {
        Evaluation::new(self.document, self.robots, self.robot, self.row, free, make)
    }

    /// The number that an expression has at the row's state.
    pub fn number(&self, text: &str) -> Result<f64, String> {
        self.value(text)?.number()
    }

    /// The value of an expression at the row's state.
    pub fn value(&self, text: &str) -> Result<Value<f64>, String> {
        self.evaluation(BTreeMap::new(), Box::new(|robot| Ok(at_zero(robot)))).value(text)
    }
}
