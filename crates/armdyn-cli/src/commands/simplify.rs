//! `armdyn simplify`: equations with the fewest terms within an error.

use super::derive::put;
use crate::args::{Emit, Simplify};
use crate::document::{Document, Table};
use crate::format::{many, number};
use crate::output::Output;
use crate::progress::with_progress;
use crate::shown::Shown;
use crate::values::{Kind, Reader};
use crate::{CommandError, CommandResult, robot};
use armdyn_core::Model;
use armdyn_design::simplify::{
    Accuracy, Domain, ErrorReference, Formula, FormulaTerm, MassMatrix, PositiveDefinite, Target,
};
use armdyn_design::{Simplified, SimplifyOptions, simplify};
use armdyn_numerics::{Error, Limit};
use armdyn_symbolic::emit::{EmitOptions, emit};
use serde::Serialize;

/// Dropped terms shown without `--all`.
const DROPPED: usize = 12;

/// The result with the files of generated code.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    result: Simplified,
    files: Vec<String>,
}

/// Runs the command.
pub fn run(m: &Model<f64>, args: &Simplify) -> CommandResult {
    let reader = Reader { model: m, deg: args.within.deg };
    let options = options(args, &reader)?;
    let run = |domain| with_progress(|progress| simplify(m, domain, &options, progress)).map_err(message);
    let result = match &args.motion.trajectory {
        None => run(Domain::Ranges(&reader.joint_ranges(&args.within.ranges)?))?,
        Some(file) => run(Domain::Trajectory(&file.read(&reader)?))?,
    };
    let files = write_code(args, m, &result)?;
    let indefinite = result.mass_matrix.as_ref().is_some_and(|m| m.positive_definite == PositiveDefinite::No);
    let output = Output::of(args.robot.json, &Report { result, files }, |report| {
        let mut document = view(&report.result, m, args.within.deg, args.all);
        report.files.iter().for_each(|file| document += &format!("wrote {file}\n"));
        document
    })?;
    Ok(output.with_exit_code(u8::from(indefinite)))
}

fn options(args: &Simplify, reader: &Reader) -> Result<SimplifyOptions, CommandError> {
    let m = reader.model;
    let limits: Vec<f64> = m.limits().iter().map(|l| l.speed).collect();
    let unknown = vec![f64::NAN; m.nv()];
    let maxima = |option: &str, text: &Option<String>, defaults: &[f64]| {
        text.as_deref().map(|text| reader.maxima(option, &Kind::Rate, Some(text), defaults)).transpose()
    };
    Ok(SimplifyOptions {
        target: args.what.unwrap_or(Target::Inertia),
        error: args.error,
        guaranteed: args.guaranteed,
        of_effort: args.of_effort,
        speeds: maxima("--speeds", &args.speeds, &limits)?,
        accelerations: maxima("--accelerations", &args.accelerations, &unknown)?,
        dofs: args.joint.iter().map(|name| robot::dof(m, "--joint", name)).collect::<Result<_, _>>()?,
        samples: args.samples.max(1),
        seed: args.seed,
        budget: args.budget,
    })
}

/// An error with the option that resolves it.
fn message(e: Error) -> CommandError {
    let fix = match &e {
        Error::NoLimit { limit: Limit::Speed, .. } => "; pass `--speeds VALUES`",
        Error::NoLimit { limit: Limit::Acceleration, .. } => "; pass `--accelerations VALUES`",
        Error::NoLimit { limit: Limit::Effort, .. } => "; add it to the robot file or omit `--of-effort`",
        Error::InvalidInput(what) if what.starts_with("the budget") => " with `--budget`",
        _ => return e.into(),
    };
    format!("{e}{fix}").into()
}

/// Writes the generated code.
fn write_code(args: &Simplify, m: &Model<f64>, result: &Simplified) -> Result<Vec<String>, CommandError> {
    let (Some(Emit::Code(language)), Some(folder)) = (args.emit, &args.out) else { return Ok(vec![]) };
    let program = result.program(m);
    let note = |f: &Formula| {
        let error = match f.error.bound {
            Some(bound) => format!("guaranteed below {}", percent(bound)),
            None => format!("at most {} as sampled,", percent(f.error.maximum)),
        };
        let (kept, exact) = (many(f.kept.len(), "term"), f.exact_terms);
        format!("Simplified: {} has {kept} of {exact}; error {error} {}", f.name, reference(f))
    };
    let matrix =
        result.mass_matrix.as_ref().map(|matrix| format!("Simplified: the mass matrix is {}", definiteness(matrix)));
    let notes: Vec<String> = result.formulas.iter().map(note).chain(matrix).collect();
    let options = EmitOptions { notes: &notes, ..EmitOptions::default() };
    put(folder, &emit(&[&program], language, &options)?.files)
}

fn reference(f: &Formula) -> String {
    match f.error.relative_to {
        ErrorReference::Value => "of its value at each configuration".to_string(),
        ErrorReference::Maximum(x) => format!("of its maximum, {} {}", number(x), f.unit),
        ErrorReference::Effort(x) => format!("of the effort limit, {} {}", number(x), f.unit),
    }
}

/// Whether a mass matrix is positive definite, in words.
fn definiteness(matrix: &MassMatrix) -> &'static str {
    match matrix.positive_definite {
        PositiveDefinite::Guaranteed => "positive definite, guaranteed over the joint ranges",
        PositiveDefinite::Sampled => "positive definite where sampled, not guaranteed",
        PositiveDefinite::No => "not positive definite",
    }
}

fn percent(x: f64) -> String {
    format!("{} %", number(100.0 * x))
}

/// The result as a document; `all` lists all dropped terms.
pub fn view(result: &Simplified, m: &Model<f64>, deg: bool, all: bool) -> Document {
    let mode = match (result.domain, result.guaranteed) {
        ("trajectory", _) => "errors at the samples of the trajectory, which weigh equally",
        (_, true) if result.formulas.iter().all(|f| f.guaranteed) => "guaranteed error bounds over the joint ranges",
        (_, true) => "error bounds are guaranteed where stated; other errors are sampled",
        (_, false) => "errors are sampled and searched, not guaranteed",
    };
    let mut doc = Document::from(format!("{}: errors up to {}; {mode}\n", result.robot, percent(result.error)));
    for f in &result.formulas {
        formula(&mut doc, f, result, all);
        accuracy(&mut doc, f, result, Shown { m, deg });
    }
    if let Some(matrix) = &result.mass_matrix {
        doc += &format!(
            "\nmass matrix with these elements: {}\n  smallest eigenvalue {} at q = {}\n",
            definiteness(matrix),
            number(matrix.minimum_eigenvalue),
            Shown { m, deg }.list(&matrix.at),
        );
    }
    if result.formulas.is_empty() && !result.partial {
        doc += "nothing to simplify: the coefficients vanish\n";
    }
    if result.partial {
        let missing = result.not_started.join(", ");
        let missing = if missing.is_empty() { String::new() } else { format!("; not started: {missing}") };
        doc += &format!("\npartial: ended by the budget or Ctrl-C{missing}\n");
    }
    doc
}

fn formula(doc: &mut Document, f: &Formula, result: &Simplified, all: bool) {
    let (kept, operations) = (many(f.kept.len(), "term"), &f.operations);
    *doc += &format!(
        "\n{} of {} ({}): {kept} of {}, {} instead of {}\n",
        f.name, f.joint, f.unit, f.exact_terms, operations.simplified, operations.exact,
    );
    doc.formula(format!("  {} = {}\n", f.name, f.formula), f.mathml.clone());
    let row = |t: &FormulaTerm| {
        vec![
            if t.coefficient.is_some() { "kept" } else { "dropped" }.to_string(),
            t.term.clone(),
            number(t.exact),
            t.coefficient.map_or(String::new(), number),
            number(t.half_range),
            percent(t.maximum_fraction),
            if t.depends_on_payload { "payload" } else { "" }.to_string(),
        ]
    };
    let spread = format!("± over {}", result.domain);
    let header = ["", "term", "exact", "simplified", &spread, "max fraction", "depends on"];
    let hidden = if all { 0 } else { f.dropped.len().saturating_sub(DROPPED) };
    let rows = f.terms().take(f.kept.len() + f.dropped.len() - hidden).map(row);
    doc.table(Table::new(&header, &[0, 1, 6], rows));
    if hidden > 0 {
        *doc += &format!("  … {hidden} more dropped (--all)\n");
    }
}

fn accuracy(doc: &mut Document, f: &Formula, result: &Simplified, shown: Shown) {
    const UNFINISHED: &str = "the budget ended the search (--budget)";
    let Accuracy { samples, mean, p95, maximum, at, bound, .. } = &f.error;
    if f.kept.len() == f.exact_terms && *maximum < 1e-12 {
        *doc += "  exact: no term was dropped";
        *doc += &if f.finished { "\n".to_string() } else { format!("; {UNFINISHED}\n") };
        return;
    }
    if f.operations.simplified.total() > f.operations.exact.total() {
        *doc += "  fewer terms, but more operations than the exact equation, which has more common factors\n";
    }
    let state: Vec<String> = [("q", &at.q), ("qd", &at.qd), ("qdd", &at.qdd)]
        .into_iter()
        .take(if f.name.starts_with("tau") { 3 } else { 1 })
        .map(|(name, values)| format!("{name} = {}", shown.list(values)))
        .collect();
    *doc += &format!(
        "  error {}: mean {}, 95 % of {samples} states below {}, maximum {} at {}\n",
        reference(f),
        percent(*mean),
        percent(*p95),
        percent(*maximum),
        state.join("; "),
    );
    match bound {
        Some(bound) if f.guaranteed => *doc += &format!("  guaranteed: below {}\n", percent(*bound)),
        Some(bound) => {
            let requested = percent(result.error);
            *doc += &format!("  sampled: below {requested} at all states; guaranteed only below {}\n", percent(*bound));
        }
        None if result.guaranteed => *doc += "  sampled: not guaranteed, the budget ended the search (--budget)\n",
        None => {}
    }
    if f.limited {
        *doc += "  errors are limited further, so that the mass matrix stays positive definite\n";
    }
    if !f.finished && f.guaranteed == result.guaranteed {
        *doc += &format!("  fewer terms may be possible: {UNFINISHED}\n");
    }
}
