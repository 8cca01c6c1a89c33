//! What the five documents behind armdyn print, and what armdyn computes of it.
//!
//! A document is a file of `documents/`: robots, symbols, and rows. A row has a number, a formula or words as printed, and the
//! question that the ordinary algorithms answer. Nothing here knows a document: what is particular to one stands in its file.

mod curve;
mod document;
mod expression;
mod extreme;
mod identity;
mod motion;
mod operations;
mod parts;
mod printed;
mod question;
mod robot;
mod row;
mod scene;
mod setting;
mod value;

pub use curve::Drawn;
pub use document::{Document, Implemented};
pub use row::{Row, Shown, Verdict};

use armdyn_core::Progress;
use rayon::prelude::*;
use robot::Robot;
use row::Place;
use setting::{ARM, Robots};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The documents: the word for each, and its file.
const FILES: [(&str, &str); 5] = [
    ("lau", include_str!("../../../documents/lau.toml")),
    ("renaud", include_str!("../../../documents/renaud.toml")),
    ("bejczy", include_str!("../../../documents/bejczy.toml")),
    ("lin", include_str!("../../../documents/lin.toml")),
    ("morris", include_str!("../../../documents/morris.toml")),
];

/// What is found of a document.
pub struct Reproduction {
    /// The document.
    pub document: Document,
    /// Its parts.
    pub parts: Vec<Part>,
}

/// What is found of a part of a document.
pub struct Part {
    /// Its heading.
    pub title: String,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Its figures.
    pub figures: Vec<Drawn>,
}

impl Reproduction {
    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.parts.iter().flat_map(|p| &p.rows)
    }

    /// How many rows have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows().filter(|r| r.verdict == verdict).count()
    }
}

/// The words for the documents.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// A document by its word.
pub fn document(name: &str) -> Result<Document, String> {
    let (_, text) =
        FILES.iter().find(|(own, _)| *own == name).ok_or_else(|| format!("there is no document `{name}`"))?;
    parse(name, text)
}

/// A document from the text of its file.
pub fn parse(name: &str, text: &str) -> Result<Document, String> {
    let mut document: Document = toml::from_str(text).map_err(|e| format!("documents/{name}.toml: {e}"))?;
    document.name = name.to_string();
    Ok(document)
}

/// Computes all rows and figures of a document. Ended early, it gives nothing.
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
    let tell = || {
        let share = (done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / all as f64;
        progress.report(&document.title, share);
    };
    for section in &document.sections {
        let own = document.with_symbols(&section.symbols);
        let rows = section.rows.par_iter().map(|row| {
            let robot = row.robot.as_deref().or(section.robot.as_deref()).unwrap_or(ARM);
            if progress.cancelled() {
                return Err("ended early".to_string());
            }
            let found = Place { document: &own, robots: &robots, robot, row }.found(&section.title);
            tell();
            Ok(found)
        });
        let rows = rows.collect::<Result<_, _>>()?;
        let drawn = section.figures.iter().map(|figure| {
            let drawn = curve::draw(&own, &robots, section.robot.as_deref(), figure);
            tell();
            drawn.map_err(|e| format!("{}: {e}", figure.equation))
        });
        let figures = drawn.collect::<Result<_, _>>().map_err(named)?;
        parts.push(Part { title: section.title.clone(), rows, figures });
    }
    Ok(Reproduction { document, parts })
}
