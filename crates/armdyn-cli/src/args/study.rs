//! `armdyn study`.

use clap::Args;
use std::path::PathBuf;

/// `armdyn study`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  armdyn study study.toml --out results.parquet --plot front=front.svg
  armdyn study study.toml --threads 8
  armdyn study study.toml --ray auto

A study that was interrupted goes on where it was when the same command runs again; --restart begins anew.

Exit codes: 0 some point is within all bounds, 1 none is, 2 errors.")]
pub struct Study {
    /// Study file (.toml, or .json with the same keys): what is varied, what is measured, and how points are chosen
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Number of points computed at the same time [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Compute on a Ray cluster: its address, or `auto` (requires Python with the packages armdyn and ray)
    #[arg(long, value_name = "ADDRESS", conflicts_with = "threads")]
    pub ray: Option<String>,
    /// Forget the points that are known and begin anew
    #[arg(long)]
    pub restart: bool,
    /// Write a row per point: .parquet, .csv, .tsv or .npz; finished points are kept in a .journal file of the same name
    /// [default: the name of the study file, with .parquet]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Plot the Pareto front (front), the best value so far (convergence) or measures over each variable (sensitivity); to the
    /// terminal, or to a .svg or .png file [without a value: front with several objectives, else sensitivity]
    #[arg(long, value_name = "WHAT[=FILE]", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    pub plot: Vec<String>,
    /// Print the result as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
