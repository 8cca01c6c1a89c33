//! `report` and `reproduce`.

use super::{LimitArgs, Robot, Trajectory, Within};
use crate::values::{duration, fraction};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::path::PathBuf;
use std::time::Duration;

/// `armdyn report`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn report ur5e --out ur5e.html
  armdyn report jpl-rrp --out jpl.html --random-moves 50 --error 2% --guaranteed --budget 5m")]
pub struct Report {
    /// Write the report to this .html file (self-contained)
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Write a PDF too (requires Chromium or Chrome)
    #[arg(long, value_name = "FILE")]
    pub pdf: Option<PathBuf>,
    /// Maximum error of the simplified model
    #[arg(long, value_name = "FRACTION", value_parser = fraction, default_value = "5%")]
    pub error: f64,
    /// Compute guaranteed bounds of the ranges and of the simplification errors
    #[arg(long)]
    pub guaranteed: bool,
    /// Time limit of each section (60s, 5m; a bare number is in seconds)
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    pub budget: Duration,
    /// Seed of random moves and searches
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub motion: Trajectory,
    /// Number of random point-to-point moves, if there is no trajectory
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "trajectory", help_heading = "Motion")]
    pub random_moves: usize,
    /// Maximum accelerations of these moves [rad/s², m/s²], by order, by name, or one number for all joints
    /// [default: as fast as the drives allow]
    #[arg(long, value_name = "VALUES", conflicts_with = "trajectory", help_heading = "Motion")]
    pub accelerations: Option<String>,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub within: Within,
    #[command(flatten)]
    pub robot: Robot,
}

/// `armdyn reproduce`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn reproduce
  armdyn reproduce lin --rows erratum
  armdyn reproduce bejczy --html bejczy.html

Exit codes: 0 every row agrees or has an explanation, 1 otherwise.")]
pub struct Reproduce {
    /// Document
    #[arg(value_parser = PossibleValuesParser::new(documents()), default_value = "all")]
    pub document: String,
    /// Print the rows with this verdict before the summary [default: those that are unexplained]
    #[arg(long, value_name = "VERDICT", num_args = 0..=1, default_missing_value = "all", value_parser = PossibleValuesParser::new(verdicts()))]
    pub rows: Option<String>,
    /// Write a self-contained .html page with the documents' plots
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write a Markdown page per document and its plots as SVG to this folder
    #[arg(long, value_name = "DIR")]
    pub markdown: Option<PathBuf>,
    /// Print the rows as one JSON list
    #[arg(long)]
    pub json: bool,
}

/// The names of the documents, and `all`.
fn documents() -> impl Iterator<Item = PossibleValue> {
    let one = |name| PossibleValue::new(name).help(armdyn_documents::document(name).map_or_else(|e| e, |d| d.title));
    armdyn_documents::names().map(one).chain([PossibleValue::new("all").help("All five")])
}

/// The names of the verdicts, and `all`.
fn verdicts() -> impl Iterator<Item = PossibleValue> {
    ["all"].into_iter().chain(armdyn_documents::Verdict::ALL.map(|v| v.name())).map(PossibleValue::new)
}
