//! `armdyn study`: design studies.

use crate::args::Study as Args;
use crate::document::{Document, Table};
use crate::format::{many, number, optional};
use crate::output::Output;
use crate::study::Plan;
use crate::table::columns::{self, Column};
use crate::{CommandError, CommandResult, diagnostics, plots, progress};
use armdyn_core::Progress;
use armdyn_study::{Goal, Results, Row, Setting};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A chart of the results.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    /// The one that suits the objectives.
    Default,
    Front,
    Convergence,
    Sensitivity,
}

const PLOTS: [(&str, Plot); 3] =
    [("front", Plot::Front), ("convergence", Plot::Convergence), ("sensitivity", Plot::Sensitivity)];

/// Rows of a printed front, and messages of one kind.
const ROWS: usize = 20;
const MESSAGES: usize = 5;

/// The results as JSON.
#[derive(Serialize)]
struct Report<'a> {
    study: String,
    #[serde(flatten)]
    results: &'a Results,
    out: Option<String>,
    journal: String,
    partial: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> CommandResult {
    let plots = plots::wanted(&args.plot, &PLOTS, Plot::Default)?;
    let plan = Plan::of_file(&args.file, None).map_err(|e| e.to_string())?;
    let out = args.out.clone().unwrap_or_else(|| args.file.with_extension("parquet"));
    columns::check_format(&out)?;
    let journal = out.with_extension("journal");
    if let Some(address) = &args.ray {
        on_ray(args, address, &journal)?;
    }
    let restart = args.restart && args.ray.is_none();
    let mut session = plan.session(Some((&journal, restart))).map_err(|e| e.to_string())?;
    let threads =
        args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get), usize::from);
    let compute = |progress: &Progress| session.run(threads, progress, |_, point, cancel| plan.evaluate(point, cancel));
    let complete = progress::with_progress(compute).map_err(|e| e.to_string())?;
    for (warning, points) in plan.warnings().iter().take(MESSAGES) {
        diagnostics::warn(format_args!("in {}: {warning}", many(*points, "point")));
    }
    let results = plan.study.results(&session.records());
    let (done, total) = session.counts();
    if complete {
        columns::put(&out, &table(&results))?;
    }
    let report = Report {
        study: args.file.display().to_string(),
        results: &results,
        out: complete.then(|| out.display().to_string()),
        journal: journal.display().to_string(),
        partial: !complete,
    };
    let mut document = view(&results);
    let _ = if complete {
        writeln!(document, "\nresults written to {}; finished points are in {}", out.display(), journal.display())
    } else {
        let known = format!("{done} of {total} points are in {}", journal.display());
        writeln!(document, "\npartial: {known}; run the same command again to go on")
    };
    for (plot, file) in &plots {
        draw(&mut document, &results, *plot, file.as_deref())?;
    }
    let exit_code = u8::from(results.feasible == 0);
    Ok(Output::of(args.json, &report, |_| document)?.with_exit_code(exit_code))
}

fn draw(document: &mut Document, results: &Results, plot: Plot, file: Option<&Path>) -> Result<(), CommandError> {
    let objectives = results.objectives().len();
    match plot {
        Plot::Default if objectives > 1 => draw(document, results, Plot::Front, file),
        Plot::Default | Plot::Sensitivity => plots::put(document, &results.sensitivity_panels(), file),
        Plot::Front if objectives < 2 => {
            Err("`--plot front`: a Pareto front needs two or more measures with `minimise` or `maximise`".into())
        }
        Plot::Front => match results.front_of_two() {
            Some(chart) => plots::put(document, &chart, file),
            None => plots::put(document, &results.front_panels(), file),
        },
        Plot::Convergence => {
            let chart = results.convergence_chart();
            let needs = "`--plot convergence`: it needs exactly one measure with `minimise` or `maximise`";
            plots::put(document, &chart.ok_or_else(|| needs.to_string())?, file)
        }
    }
}

/// Python with the packages that a computation on Ray needs.
fn python() -> Result<&'static str, CommandError> {
    let mut said = "there is no Python".to_string();
    for name in ["python3", "python"] {
        match Command::new(name).args(["-c", "import armdyn._study, ray"]).stdin(Stdio::null()).output() {
            Ok(output) if output.status.success() => return Ok(name),
            Ok(output) => {
                let errors = String::from_utf8_lossy(&output.stderr);
                said = errors.lines().last().unwrap_or("it fails").to_string();
                break;
            }
            Err(_) => {}
        }
    }
    Err(format!("`--ray` needs Python with the packages armdyn and ray ({said}): install them with `pip install \"armdyn[ray]\"`").into())
}

/// Fills the journal by a Python process that computes on a Ray cluster.
fn on_ray(args: &Args, address: &str, journal: &Path) -> Result<(), CommandError> {
    let mut command = Command::new(python()?);
    command
        .args(["-c", "import sys; from armdyn._study import main; sys.exit(main())"])
        .arg(&args.file)
        .arg("--ray")
        .arg(address)
        .arg("--journal")
        .arg(journal);
    if args.restart {
        command.arg("--restart");
    }
    // The standard output has the result.
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    let mut child = child.map_err(|e| format!("`--ray`: cannot start Python: {e}"))?;
    let status = progress::with_progress(|progress| {
        loop {
            if let Some(status) = child.try_wait().transpose() {
                return status;
            }
            let lines = std::fs::read(journal).map_or(0, |bytes| bytes.iter().filter(|b| **b == b'\n').count());
            progress.report(&format!("{} on Ray", many(lines.saturating_sub(1), "point")), 0.0);
            std::thread::sleep(Duration::from_millis(200));
        }
    });
    let status = status.map_err(|e| format!("`--ray`: {e}"))?;
    // After Ctrl-C, which Python receives too, the points that it finished are known.
    if status.success() || progress::interrupted() {
        return Ok(());
    }
    Err(format!("the computation on Ray failed ({status}); finished points are in {}", journal.display()).into())
}

/// The results as a table: a row per point.
fn table(results: &Results) -> Vec<(String, Column)> {
    let rows = &results.rows;
    let mut all = vec![("point".to_string(), Column::Integers(rows.iter().map(|r| r.point as i64).collect()))];
    for (k, variable) in results.variables.iter().enumerate() {
        let numbers: Option<Vec<f64>> = rows.iter().map(|r| r.values[k].number()).collect();
        let column = match numbers {
            Some(numbers) => Column::Numbers(numbers.into_iter().map(Some).collect()),
            None => Column::Texts(rows.iter().map(|r| Some(r.values[k].to_string())).collect()),
        };
        all.push((variable.name.clone(), column));
    }
    for (k, measure) in results.measures.iter().enumerate() {
        all.push((measure.name.clone(), Column::Numbers(rows.iter().map(|r| r.measures[k]).collect())));
    }
    all.push(("feasible".to_string(), Column::Flags(rows.iter().map(|r| r.feasible).collect())));
    all.push(("on_front".to_string(), Column::Flags(rows.iter().map(|r| r.on_front).collect())));
    all.push(("error".to_string(), Column::Texts(rows.iter().map(|r| r.error.clone()).collect())));
    all
}

/// The results as a document.
fn view(results: &Results) -> Document {
    let Results { robot, method, points, feasible, failed, .. } = results;
    let mut doc = Document::from(format!("{robot}: {} ({method})", many(*points, "point")));
    let bounded = results.measures.iter().any(|m| m.at_most.is_some() || m.at_least.is_some());
    let _ = match (bounded, failed) {
        (false, 0) => writeln!(doc),
        (true, 0) => writeln!(doc, ", {feasible} within all bounds"),
        (false, failed) => writeln!(doc, ", {failed} failed"),
        (true, failed) => writeln!(doc, ", {feasible} within all bounds, {failed} failed"),
    };
    doc += "\nMeasures\n";
    let measure = |(k, m): (usize, &armdyn_study::MeasureInfo)| {
        let values = results.rows.iter().filter_map(|r| r.measures[k]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        let shown = |x: f64| optional(Some(x).filter(|x| x.is_finite()));
        vec![m.name.clone(), m.unit.clone(), wanted(m), shown(low), shown(high), m.expression.clone()]
    };
    let rows = results.measures.iter().enumerate().map(measure);
    doc.table(Table::new(&["measure", "unit", "wanted", "minimum", "maximum", "expression"], &[0, 1, 2, 5], rows));
    if let Some(best) = results.best.and_then(|k| results.row(k)) {
        doc += "\nBest point\n";
        doc.table(rows_of(results, &[best]));
    } else if !results.front.is_empty() {
        let front: Vec<&Row> = results.front.iter().filter_map(|&k| results.row(k)).collect();
        let shown = spread(&front, ROWS);
        let of = if shown.len() < front.len() { format!("{} of ", shown.len()) } else { String::new() };
        let _ = writeln!(doc, "\nPareto front ({of}{})", many(front.len(), "point"));
        doc.table(rows_of(results, &shown));
    } else if results.objectives().is_empty() {
        let all: Vec<&Row> = results.rows.iter().collect();
        let shown = spread(&all, ROWS);
        let of = if shown.len() < all.len() { format!(" ({} of {})", shown.len(), all.len()) } else { String::new() };
        let _ = writeln!(doc, "\nPoints{of}");
        doc.table(rows_of(results, &shown));
    } else {
        doc += "\nno point is within all bounds\n";
    }
    let mut errors: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for row in &results.rows {
        if let Some(error) = &row.error {
            errors.entry(error).or_default().push(row.point);
        }
    }
    if !errors.is_empty() {
        doc += "\n";
        let (kinds, shown) = (errors.len(), errors.into_iter().take(MESSAGES));
        for (error, points) in shown {
            let _ = writeln!(doc, "failed: {} (first: {}): {error}", many(points.len(), "point"), points[0]);
        }
        if kinds > MESSAGES {
            let _ = writeln!(doc, "failed: and {}; see the column `error`", many(kinds - MESSAGES, "other error"));
        }
    }
    doc
}

/// `maximise, ≤ 3`.
fn wanted(m: &armdyn_study::MeasureInfo) -> String {
    let goal = m.goal.map(|g| if g == Goal::Minimise { "minimise".to_string() } else { "maximise".to_string() });
    let bounds = [(m.at_most, "≤"), (m.at_least, "≥")];
    let bounds = bounds.into_iter().filter_map(|(b, sign)| Some(format!("{sign} {}", number(b?))));
    goal.into_iter().chain(bounds).collect::<Vec<_>>().join(", ")
}

fn rows_of(results: &Results, rows: &[&Row]) -> Table {
    let title = |name: &String, unit: &String| if unit.is_empty() { name.clone() } else { format!("{name} [{unit}]") };
    let variables = results.variables.iter().map(|v| title(&v.name, &v.unit));
    let measures = results.measures.iter().map(|m| title(&m.name, &m.unit));
    let header: Vec<String> = std::iter::once("point".to_string()).chain(variables).chain(measures).collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let cells = |row: &&Row| {
        let value = |v: &Setting| v.number().map_or_else(|| v.to_string(), number);
        let values = row.values.iter().map(value).chain(row.measures.iter().map(|x| optional(*x)));
        std::iter::once(row.point.to_string()).chain(values).collect()
    };
    Table::new(&header, &[0], rows.iter().map(cells))
}

/// At most `count` of some rows, evenly, with the first and the last.
fn spread<'a>(rows: &[&'a Row], count: usize) -> Vec<&'a Row> {
    if rows.len() <= count {
        return rows.to_vec();
    }
    (0..count).map(|k| rows[k * (rows.len() - 1) / (count - 1)]).collect()
}
