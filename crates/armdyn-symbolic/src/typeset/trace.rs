//! Traces of the documents' methods as documents to read.

use super::document::{Block, Document, Line, Span, parameter_table, text, value, visible};
use super::math::{Letter, Letters, Math};
use super::{html, latex, markdown, unicode};
use crate::closed::Sum;
use crate::steps::{Quantity, Step, SymbolicTrace, Trace, Value};
use armdyn_core::{Model, four_digits, rounded};

/// A trace to read.
pub struct TracePage(Document);

/// Formulas wider than this are listed by their elements \[columns\].
const WIDE: usize = 88;

impl TracePage {
    /// Values at a state.
    pub fn values(m: &Model<f64>, [q, qd, qdd]: [&[f64]; 3], trace: &Trace<f64>) -> Self {
        let mut blocks = opening(trace);
        blocks.push(Block::Heading("State".to_string()));
        // A quaternion has more coordinates than degrees of freedom.
        let coordinates = m.nq() == m.nv();
        if !coordinates {
            let list: Vec<String> = q.iter().map(|x| four_digits(*x)).collect();
            blocks.push(Block::Text(vec![text(format!("q = ({})", list.join(", ")))]));
        }
        let row = |(i, name): (usize, &String)| {
            let unit = if m.is_rotational(i) { ["rad", "rad/s, rad/s²"] } else { ["m", "m/s, m/s²"] };
            let position = coordinates.then(|| number(q[i], 0.0));
            let unit = if coordinates { unit.join(", ") } else { unit[1].to_string() };
            let mut row = vec![text((i + 1).to_string()), text(name)];
            row.extend(position);
            row.extend([number(qd[i], 0.0), number(qdd[i], 0.0), text(unit)]);
            row
        };
        let rows = m.dof_names().iter().enumerate().map(row).collect();
        let mut header = vec!["", "joint", "q", "q̇", "q̈", "unit"];
        if !coordinates {
            header.remove(2);
        }
        blocks.push(Block::Table { header, rows, tight: false });
        for step in &trace.steps {
            heading(step, &mut blocks);
            numbers(step, &mut blocks);
        }
        TracePage(Document { title: title(trace, m.name()), blocks })
    }

    /// Formulas.
    pub fn formulas(symbolic: &SymbolicTrace) -> Self {
        let (e, trace) = (&symbolic.equations, &symbolic.trace);
        let mut blocks = opening(trace);
        if !e.parameters.is_empty() {
            blocks.push(Block::Heading("Parameters".to_string()));
            blocks.extend(parameter_table(e));
        }
        for step in &trace.steps {
            heading(step, &mut blocks);
            let lines: Vec<Line> = step.quantities.iter().flat_map(|q| lines(&Letters(e), q)).collect();
            if !lines.is_empty() {
                blocks.push(Block::Lines(lines));
            }
        }
        TracePage(Document { title: title(trace, &e.robot), blocks })
    }

    /// Text for a terminal, in lines of at most `width` columns where possible.
    pub fn unicode(&self, width: usize) -> String {
        unicode::page(&self.0, width)
    }

    /// A standalone LaTeX document.
    pub fn latex(&self) -> String {
        latex::page(&self.0)
    }

    /// A standalone HTML page.
    pub fn html(&self) -> String {
        html::page(&self.0)
    }

    /// Markdown with LaTeX formulas.
    pub fn markdown(&self) -> String {
        markdown::page(&self.0)
    }
}

fn title<T>(trace: &Trace<T>, robot: &str) -> String {
    visible(&format!("{} of {robot}, step by step", trace.method.title()))
}

fn opening<T>(trace: &Trace<T>) -> Vec<Block> {
    let document = format!("After {}.", trace.document);
    std::iter::once(document).chain(trace.notes.clone()).map(|t| Block::Text(vec![text(t)])).collect()
}

fn heading<T>(step: &Step<T>, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(visible(&format!("{} ({})", step.title, step.equation))));
    blocks.extend(step.formulas.iter().map(|f| Block::Formula { unicode: f.unicode, latex: f.latex }));
    for c in &step.corrections {
        blocks.push(Block::Text(vec![text(format!("corrected: {}: {}.", c.equation, c.text))]));
    }
}

/// Four significant digits; rounding errors relative to `scale` are zero.
fn four(x: f64, scale: f64) -> f64 {
    four_digits(rounded(x, scale)).parse().unwrap_or(x)
}

fn number(x: f64, scale: f64) -> Span {
    value(four(x, scale))
}

#[derive(PartialEq)]
enum Shape {
    Scalar,
    Spatial,
    Array,
}

fn shape<T>(q: &Quantity<T>) -> Shape {
    match &q.value {
        Value::Scalar(_) => Shape::Scalar,
        Value::Vector(v) if v.len() == 3 && (q.link.is_some() || q.joint.is_some() || !q.unit.is_empty()) => {
            Shape::Spatial
        }
        _ => Shape::Array,
    }
}

/// The quantities of a step: scalars and vectors of space as tables, others as matrices.
fn numbers(step: &Step<f64>, blocks: &mut Vec<Block>) {
    let size = |unit: &str| {
        let same = step.quantities.iter().filter(|q| q.unit == unit);
        same.flat_map(|q| q.value.components()).fold(0.0_f64, |s, x| s.max(x.abs()))
    };
    for run in step.quantities.chunk_by(|a, b| shape(a) == shape(b)) {
        let symbol = |q: &Quantity<f64>| Span::Math(q.symbol.0.clone());
        let of = |q: &Quantity<f64>| q.joint.clone().or(q.link.clone()).unwrap_or_default();
        match shape(&run[0]) {
            Shape::Array => {
                let scaled = |x: &f64, q: &Quantity<f64>| Math::Sum(vec![signed(four(*x, size(q.unit)))]);
                let line = |q: &Quantity<f64>| {
                    let rows = match &q.value {
                        Value::Matrix(rows) => rows.iter().map(|r| r.iter().map(|x| scaled(x, q)).collect()).collect(),
                        other => other.components().iter().map(|x| vec![scaled(x, q)]).collect(),
                    };
                    Line { left: q.symbol.0.clone(), right: Math::Matrix(rows), unit: q.unit }
                };
                blocks.push(Block::Lines(run.iter().map(line).collect()));
            }
            spatial => {
                let components = if spatial == Shape::Spatial { vec!["x", "y", "z"] } else { vec!["value"] };
                let mut header = [vec![""], components, vec!["unit", "of", "axes", "equation"]].concat();
                let mut rows: Vec<Vec<Span>> = run
                    .iter()
                    .map(|q| {
                        let values = q.value.components().into_iter().map(|x| number(*x, size(q.unit)));
                        let axes = q.frame.clone().unwrap_or_default();
                        let ends = [q.unit.to_string(), of(q), axes, q.equation.unwrap_or_default().to_string()];
                        std::iter::once(symbol(q)).chain(values).chain(ends.map(text)).collect()
                    })
                    .collect();
                // Columns without contents.
                let empty = |s: &Span| matches!(s, Span::Text(t) if t.is_empty());
                for k in (1..header.len()).rev().filter(|&k| rows.iter().all(|r| empty(&r[k]))).collect::<Vec<_>>() {
                    header.remove(k);
                    rows.iter_mut().for_each(|r| drop(r.remove(k)));
                }
                blocks.push(Block::Table { header, rows, tight: false });
            }
        }
    }
}

fn signed(x: f64) -> (bool, Math) {
    (x < 0.0, Math::Decimal(x.abs()))
}

/// A quantity as equations: one, or one per element if it is wide.
fn lines(letters: &Letters, q: &Quantity<Sum>) -> Vec<Line> {
    let symbol = |element: String| match (&q.denominator, element.is_empty()) {
        (None, true) => q.symbol.0.clone(),
        (None, false) => Math::Row(vec![q.symbol.0.clone(), bracketed(element)]),
        (Some(d), _) => {
            let front = match letters.sum(d) {
                Math::Sum(terms) if terms.len() == 1 && !terms[0].0 => terms[0].1.clone(),
                sum => Math::Brackets(Box::new(sum), 1),
            };
            let mut row = vec![front, q.symbol.0.clone()];
            row.extend((!element.is_empty()).then(|| bracketed(element)));
            Math::Row(row)
        }
    };
    let line = |left, right| Line { left, right, unit: "" };
    let sum = |s: &Sum| letters.sum(s);
    let rows: Vec<Vec<&Sum>> = match &q.value {
        Value::Scalar(x) => return vec![line(symbol(String::new()), sum(x))],
        Value::Vector(v) => v.iter().map(|x| vec![x]).collect(),
        Value::Matrix(rows) => rows.iter().map(|r| r.iter().collect()).collect(),
    };
    if rows.iter().flatten().all(|s| s.is_zero()) {
        return vec![line(symbol(String::new()), Math::Number(0.0))];
    }
    let math: Vec<Vec<Math>> = rows.iter().map(|r| r.iter().map(|s| sum(s)).collect()).collect();
    let width = |m: &Math| unicode::math(m).chars().count();
    let columns = math.first().map_or(0, Vec::len);
    let wide: usize = (0..columns).map(|c| math.iter().map(|r| width(&r[c])).max().unwrap_or(0) + 2).sum();
    if wide <= WIDE {
        return vec![line(symbol(String::new()), Math::Matrix(math))];
    }
    let axis = |r: usize, c: usize| match &q.value {
        Value::Vector(v) if shape(q) == Shape::Spatial && v.len() == 3 => ["x", "y", "z"][r].to_string(),
        Value::Vector(_) => (r + 1).to_string(),
        _ => format!("{} {}", r + 1, c + 1),
    };
    let elements = math
        .into_iter()
        .enumerate()
        .flat_map(|(r, row)| row.into_iter().enumerate().map(move |(c, m)| (r, c, m)).collect::<Vec<_>>());
    elements.map(|(r, c, m)| line(symbol(axis(r, c)), m)).collect()
}

fn bracketed(element: String) -> Math {
    Math::Letter(Letter { base: format!("[{element}]"), power: 1, ..Letter::default() })
}
