//! Compares what the five documents behind armdyn print with what armdyn computes.
//!
//! A document is a file of `documents/`: robots, symbols and rows. A row holds a number, a formula or text as printed, and the
//! expression that the algorithms evaluate. Nothing in this crate is specific to one document.

mod class;
mod conditions;
mod document;
mod erratum;
mod evaluation;
mod expression;
mod extreme;
mod figure;
mod functions;
mod identity;
mod motion;
mod operations;
mod parts;
mod printed;
mod query;
mod robot;
mod row;
mod scalar;
mod scene;
mod value;

pub use class::RowClass;
pub use document::{Document, Implemented};
pub use erratum::{Erratum, ErratumKind};
pub use figure::FigureChart;
pub use row::{Method, Row, Verdict};

use armdyn_core::Progress;
use evaluation::{ARM, Robots, RowContext};
use rayon::prelude::*;
use robot::Robot;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The documents: name and file.
const FILES: [(&str, &str); 5] = [
    ("lau", include_str!("../documents/lau.toml")),
    ("renaud", include_str!("../documents/renaud.toml")),
    ("bejczy", include_str!("../documents/bejczy.toml")),
    ("lin", include_str!("../documents/lin.toml")),
    ("morris", include_str!("../documents/morris.toml")),
];

/// A document with the results of its rows.
pub struct Reproduction {
    /// The document.
    pub document: Document,
    /// Its parts.
    pub parts: Vec<Part>,
}

/// A section of a document with its results.
pub struct Part {
    /// Its heading.
    pub title: String,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Its figures.
    pub figures: Vec<FigureChart>,
}

impl Reproduction {
    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.parts.iter().flat_map(|p| &p.rows)
    }

    /// The number of rows with a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows().filter(|r| r.verdict == verdict).count()
    }

    /// The distinct errata with their rows, in the order of their first rows.
    pub fn errata(&self) -> Vec<Erratum<'_>> {
        erratum::distinct(self.rows(), |name| self.document.errata.get(name).copied())
    }
}

/// The names of the documents.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// A document by name.
pub fn document(name: &str) -> Result<Document, String> {
    let (_, text) = FILES.iter().find(|(own, _)| *own == name).ok_or_else(|| format!("unknown document `{name}`"))?;
    parse(name, text)
}

/// A document from the text of its file.
pub fn parse(name: &str, text: &str) -> Result<Document, String> {
    let mut document: Document = toml::from_str(text).map_err(|e| format!("documents/{name}.toml: {e}"))?;
    document.name = name.to_string();
    Ok(document)
}

/// Evaluates all rows and figures of a document. Returns an error if it is cancelled.
pub fn reproduce(document: Document, progress: &Progress) -> Result<Reproduction, String> {
    let named = |e: String| format!("documents/{}.toml: {e}", document.name);
    let robots: Robots = document
        .robots
        .iter()
        .map(|(word, source)| Ok((word.clone(), Arc::new(Robot::new(source)?))))
        .collect::<Result<_, String>>()
        .map_err(named)?;
    let (mut parts, done) = (vec![], AtomicUsize::new(0));
    let all: usize = document.sections.iter().map(|s| s.rows.len() + s.figures.len()).sum();
    let report = || {
        let fraction = (done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / all as f64;
        progress.report(&document.title, fraction);
    };
    for section in &document.sections {
        let own = document.with_symbols(&section.symbols);
        let rows = section.rows.par_iter().map(|row| {
            let robot = row.robot.as_deref().or(section.robot.as_deref()).unwrap_or(ARM);
            if progress.cancelled() {
                return Err("cancelled".to_string());
            }
            let result = RowContext { document: &own, robots: &robots, robot, row }.evaluate(&section.title);
            report();
            Ok(result)
        });
        let rows = rows.collect::<Result<_, _>>()?;
        let drawn = section.figures.iter().map(|figure| {
            let drawn = figure::draw(&own, &robots, section.robot.as_deref(), figure);
            report();
            drawn.map_err(|e| format!("{}: {e}", figure.equation))
        });
        let figures = drawn.collect::<Result<_, _>>().map_err(named)?;
        parts.push(Part { title: section.title.clone(), rows, figures });
    }
    Ok(Reproduction { document, parts })
}
