//! `armdyn simplify`: the equations of this robot in the fewest terms that an error allows.

use super::derive::{language, put};
use crate::args::{Simplify, SimplifyTarget};
use crate::document::{Document, Table};
use crate::values::{Kind, Reader};
use crate::{CommandResult, diagnostics, format, progress, robot, trajectory};
use armdyn_core::Model;
use armdyn_design::simplify::{Formula, Of, Over, Part, Relative, What};
use armdyn_design::{Simplified, SimplifyOptions, simplify};
use armdyn_numerics::{Error, Limit};
use armdyn_symbolic::Count;
use armdyn_symbolic::emit::{EmitOptions, emit};
use serde_json::{Map, Value, json};

/// Formulas, what they cost and how far off they are; code if asked for.
pub fn run(args: &Simplify) -> CommandResult {
    answer(&robot::open(&args.robot)?, args)
}

/// The same of a robot that was opened.
pub fn answer(m: &Model<f64>, args: &Simplify) -> CommandResult {
    let reader = Reader { model: m, deg: args.within.deg };
    let options = options(args, m, &reader)?;
    let found = match &args.trajectory {
        None => {
            let ranges = reader.joint_ranges(&args.within.ranges)?;
            progress::with_progress(|progress| simplify(m, Over::Box(&ranges), &options, progress))
        }
        Some(file) => {
            let read = trajectory::read(file, &reader)?;
            read.notes.iter().for_each(|note| diagnostics::warn(format_args!("{note}")));
            progress::with_progress(|progress| simplify(m, Over::Trajectory(&read.trajectory), &options, progress))
        }
    };
    let found = found.map_err(|e| remedy(&e))?;
    let files = code(args, m, &found)?;
    if args.robot.json {
        return Ok(object(args, m, &found, &options, &files).into());
    }
    let mut page = page(args, m, &found, &options);
    page += &files.iter().map(|f| format!("{f} written\n")).collect::<String>();
    Ok(page.into())
}

fn options(args: &Simplify, m: &Model<f64>, reader: &Reader) -> Result<SimplifyOptions, String> {
    let limits = m.limits().iter().map(|l| l.speed).collect::<Vec<f64>>();
    let rates = |option: &str, given: &Option<String>, otherwise: Option<&[f64]>| {
        let Some(given) = given else { return Ok(None) };
        let values = reader.parse(option, &Kind::Rate, given)?;
        let value = |(i, x): (usize, &Option<f64>)| {
            let name = &m.dof_names()[i];
            x.or(otherwise.map(|o| o[i])).ok_or_else(|| format!("{option}: give that of `{name}` too"))
        };
        values.iter().enumerate().map(value).collect::<Result<Vec<f64>, String>>().map(Some)
    };
    let dof = |name: &String| {
        let found = m.dof_names().iter().position(|n| n == name);
        found.ok_or_else(|| {
            format!("--joint: `{}` has no joint `{name}`; it has {}", m.name(), m.dof_names().join(", "))
        })
    };
    Ok(SimplifyOptions {
        what: match args.what {
            SimplifyTarget::Inertia => What::Inertia,
            SimplifyTarget::Coupling => What::Coupling,
            SimplifyTarget::Gravity => What::Gravity,
            SimplifyTarget::Torque => What::Torque,
        },
        error: args.error,
        guaranteed: args.guaranteed,
        of_effort: args.of_effort,
        speeds: rates("--speeds", &args.speeds, Some(&limits))?,
        accelerations: rates("--accelerations", &args.accelerations, None)?,
        dofs: args.joint.iter().map(dof).collect::<Result<_, _>>()?,
        samples: args.samples.max(1),
        seed: args.seed,
        budget: args.budget,
    })
}

/// An error with the option that helps.
fn remedy(e: &Error) -> String {
    match e {
        Error::NoLimit { limit: Limit::Speed, .. } => format!("{e} with --speeds"),
        Error::NoLimit { limit: Limit::Acceleration, .. } => format!("{e} with --accelerations"),
        Error::NoLimit { limit: Limit::Effort, .. } => format!("{e} in the robot's file, or leave --of-effort out"),
        Error::InvalidInput(why) if why.starts_with("the time was over") => format!("{why} with --budget"),
        e => e.to_string(),
    }
}

/// Writes the code that was asked for.
fn code(args: &Simplify, m: &Model<f64>, found: &Simplified) -> Result<Vec<String>, String> {
    let (Some(kind), Some(folder)) = (args.emit, &args.out) else { return Ok(vec![]) };
    let language = language(kind).ok_or("--emit: code is asked for: rust, c, cpp, cuda, python, matlab, js or wasm")?;
    let program = found.program(m);
    let note = |f: &Formula| {
        let (kept, of) = (format::many(f.kept().len(), "term"), f.exact_terms());
        let error = match f.accuracy.proven {
            Some(bound) => format!("proven below {}", percent(bound)),
            None => format!("worst found {}, not proven,", percent(f.accuracy.worst)),
        };
        format!("Simplified: {} has {kept} of {of}; error {error} {}", f.name(), relative(f, unit(m, f.of)))
    };
    let notes: Vec<String> = found.formulas.iter().map(note).collect();
    let options = EmitOptions { notes: &notes, ..EmitOptions::default() };
    let emitted = emit(&[&program], language, &options).map_err(|e| e.to_string())?;
    put(folder, &emitted.files)?;
    Ok(emitted.files.iter().map(|f| folder.join(&f.name).display().to_string()).collect())
}

/// `joint2`, or of two joints both.
fn whose(m: &Model<f64>, of: Of) -> String {
    let name = |i: usize| m.dof_names()[i].as_str();
    match of {
        Of::Inertia(i, j) if i != j => format!("{}, {}", name(i), name(j)),
        Of::Inertia(i, _) | Of::Gravity(i) | Of::Torque(i) => name(i).to_string(),
    }
}

fn unit(m: &Model<f64>, of: Of) -> &'static str {
    match of {
        Of::Inertia(i, j) => match (m.turns(i), m.turns(j)) {
            (true, true) => "kg m²",
            (false, false) => "kg",
            _ => "kg m",
        },
        Of::Gravity(i) | Of::Torque(i) => format::torque_unit(m, i),
    }
}

fn relative(f: &Formula, unit: &str) -> String {
    match f.relative {
        Relative::Value => "of its value at each configuration".to_string(),
        Relative::Largest(x) => format!("of its largest value, {} {unit}", format::number(x)),
        Relative::Effort(x) => format!("of the drive's effort, {} {unit}", format::number(x)),
    }
}

/// A share in percent.
fn percent(x: f64) -> String {
    let percent = 100.0 * x;
    if percent == 0.0 || percent >= 0.01 { format!("{percent:.2} %") } else { format!("{percent:.1e} %") }
}

fn page(args: &Simplify, m: &Model<f64>, found: &Simplified, options: &SimplifyOptions) -> Document {
    let all = found.formulas.iter().all(|f| f.is_proven(options.error));
    let mode = match (&args.trajectory, options.guaranteed) {
        (Some(_), _) => "along the trajectory: errors are at its samples",
        (_, true) if all => "guaranteed: no error in the box is above the proven bound",
        (_, true) => {
            "guaranteed where it is said to be proven; the other errors are those that samples and a search found"
        }
        (_, false) => "sampled: the worst errors are those that samples and a search found; none is proven",
    };
    let mut out = Document::from(format!("{}, errors up to {}; {mode}\n", m.name(), percent(options.error)));
    for f in &found.formulas {
        let unit = unit(m, f.of);
        let kept = f.kept().len();
        out += &format!(
            "\n{} of {} ({unit}): {} of {}, {} instead of {}\n",
            f.name(),
            whose(m, f.of),
            format::many(kept, "term"),
            f.exact_terms(),
            f.after,
            f.before,
        );
        out.formula(format!("  {} = {}\n", f.name(), found.unicode(f)), found.mathml(f));
        let row = |t: &Part| {
            vec![
                if t.coefficient.is_some() { "kept" } else { "dropped" }.to_string(),
                found.term(&t.exact),
                format::number(t.exact.coefficient),
                t.coefficient.map_or(String::new(), format::number),
                format::number(t.half_range),
                percent(t.share),
                if t.of_payload { "payload" } else { "" }.to_string(),
            ]
        };
        let header = ["", "term", "exact", "simplified", "± over the box", "share up to", "depends on"];
        let shown = if args.all { f.terms.len() } else { kept + 12 };
        out.table(Table::new(&header, &[0, 1, 6], f.terms.iter().take(shown).map(row)));
        if f.terms.len() > shown {
            out += &format!("  … {} more dropped (--all)\n", f.terms.len() - shown);
        }
        let a = &f.accuracy;
        let unfinished = "the time was over before all was tried (--budget)";
        if kept == f.exact_terms() && a.worst < 1e-12 {
            out += "  exact: no term was dropped";
            out += &if f.finished { "\n".to_string() } else { format!("; {unfinished}\n") };
            continue;
        }
        if f.after.total() > f.before.total() {
            out += "  fewer terms, but more operations than the exact equation, which has more factors in common\n";
        }
        out += &format!(
            "  error {}: mean {}, 95 % of {} states below {}, worst {} at {}\n",
            relative(f, unit),
            percent(a.mean),
            a.samples,
            percent(a.most),
            percent(a.worst),
            pose(args, m, f)
        );
        match a.proven {
            Some(bound) if bound <= options.error => {
                out += &format!("  proven: below {} in the whole box\n", percent(bound));
            }
            Some(bound) => {
                let asked = percent(options.error);
                out += &format!(
                    "  sampled: below {asked} wherever it was looked at, proven only below {}\n",
                    percent(bound)
                );
            }
            None if options.guaranteed => {
                out += "  sampled: not proven, the time was over before (--budget)\n";
            }
            None => {}
        }
        if !f.finished && f.is_proven(options.error) == options.guaranteed {
            out += &format!("  perhaps not the fewest terms: {unfinished}\n");
        }
    }
    if found.formulas.is_empty() && !found.partial {
        out += "nothing to simplify: what was asked for is zero wherever the robot is\n";
    }
    if found.partial || progress::interrupted() {
        let missing: Vec<String> = found.missing.iter().map(|of| of.name()).collect();
        let missing = if missing.is_empty() { String::new() } else { format!("; {} not begun", missing.join(", ")) };
        out += &format!("\npartial: the budget or Ctrl-C ended it{missing}\n");
    }
    out
}

/// Where the worst error is.
fn pose(args: &Simplify, m: &Model<f64>, f: &Formula) -> String {
    let scale = |i: usize| if args.within.deg && m.turns(i) { 1f64.to_degrees() } else { 1.0 };
    let torque = matches!(f.of, Of::Torque(_));
    let parts = ["q", "qd", "qdd"].into_iter().zip(&f.accuracy.at).take(if torque { 3 } else { 1 });
    let one = |(name, values): (&str, &Vec<f64>)| {
        let values: Vec<String> = values.iter().enumerate().map(|(i, x)| format::number(x * scale(i))).collect();
        format!("{name} = {}", values.join(", "))
    };
    parts.map(one).collect::<Vec<_>>().join("; ")
}

fn count(c: &Count) -> Value {
    json!({ "mul": c.mul, "add": c.add, "trig": c.trig })
}

fn object(args: &Simplify, m: &Model<f64>, found: &Simplified, options: &SimplifyOptions, files: &[String]) -> Value {
    let term = |t: &Part| {
        json!({
            "term": found.term(&t.exact), "exact": t.exact.coefficient, "coefficient": t.coefficient,
            "half_range": t.half_range, "largest_share": t.share, "depends_on_payload": t.of_payload,
        })
    };
    let formula = |f: &Formula| {
        let (a, unit) = (&f.accuracy, unit(m, f.of));
        let (to, size) = match f.relative {
            Relative::Value => ("value", None),
            Relative::Largest(x) => ("largest", Some(x)),
            Relative::Effort(x) => ("effort", Some(x)),
        };
        let at: Map<String, Value> =
            ["q", "qd", "qdd"].iter().zip(&a.at).map(|(name, x)| (name.to_string(), json!(x))).collect();
        let (kept, dropped): (Vec<&Part>, Vec<&Part>) = f.terms.iter().partition(|t| t.coefficient.is_some());
        json!({
            "name": f.name(), "joint": whose(m, f.of), "unit": unit, "formula": found.unicode(f), "latex": found.latex(f),
            "exact_terms": f.exact_terms(), "finished": f.finished, "guaranteed": f.is_proven(options.error),
            "kept": kept.into_iter().map(term).collect::<Vec<_>>(),
            "dropped": dropped.into_iter().map(term).collect::<Vec<_>>(),
            "error": {
                "relative_to": to, "unit_of_error": size, "samples": a.samples, "mean": a.mean, "p95": a.most,
                "worst": a.worst, "at": at, "proven": a.proven,
            },
            "operations": { "exact": count(&f.before), "simplified": count(&f.after) },
        })
    };
    json!({
        "robot": m.name(), "joints": m.dof_names(), "error": options.error,
        "mode": if options.guaranteed { "guaranteed" } else { "sampled" },
        "over": if args.trajectory.is_none() { "ranges" } else { "trajectory" },
        "partial": found.partial || progress::interrupted(),
        "not_begun": found.missing.iter().map(|of| of.name()).collect::<Vec<_>>(),
        "formulas": found.formulas.iter().map(formula).collect::<Vec<_>>(),
        "files": files,
    })
}
