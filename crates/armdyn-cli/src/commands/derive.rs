//! `armdyn derive`: the equations of this robot, to read or as code; `armdyn ops`: what they cost.

use crate::args::{Derive, Emit, Ops, Search, Strategy};
use crate::table::Unfinished;
use crate::{Outcome, print, robot};
use armdyn::Model;
use armdyn_symbolic::closed::{ClosedOptions, Parameters as Figures};
use armdyn_symbolic::emit::{EmitOptions, File, Language, emit};
use armdyn_symbolic::{
    Options, Parameters, Program, Quantity, base_parameters, closed_form, minimal, recognise, renaud, trace,
};
use armdyn_symbolic::{Trig, write};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// The width of a page in the terminal \[characters\].
const WIDTH: usize = 110;

/// Equations or code.
pub fn run(args: &Derive) -> Outcome {
    let m = robot::open(&args.robot)?;
    if args.base_parameters {
        return base(&m, args.robot.json);
    }
    let files = match args.emit {
        Emit::Unicode | Emit::Latex | Emit::Html | Emit::Markdown => vec![equations(&m, args)?],
        _ => code(&m, args)?,
    };
    match &args.out {
        Some(folder) => {
            for file in &files {
                put(folder, file)?;
            }
            let names: Vec<String> = files.iter().map(|f| folder.join(&f.name).display().to_string()).collect();
            Ok(if args.robot.json {
                json!({ "robot": m.name(), "files": names }).into()
            } else {
                format!("{} written\n", names.join(", ")).into()
            })
        }
        None => {
            let text = |f: &File| String::from_utf8(f.contents.clone()).ok();
            let first = files.first().and_then(text).ok_or("this is no text: give a folder with --out")?;
            Ok(if args.robot.json {
                let files: Vec<Value> = files.iter().map(|f| json!({ "name": f.name, "text": text(f) })).collect();
                json!({ "robot": m.name(), "files": files }).into()
            } else {
                first.into()
            })
        }
    }
}

/// Operation counts of every quantity.
pub fn ops(args: &Ops) -> Outcome {
    let m = robot::open(&args.robot)?;
    let all = [Quantity::Inverse, Quantity::Gravity, Quantity::Coriolis, Quantity::Mass, Quantity::Forward];
    let quantities = if args.search.strategy == Strategy::Renaud { &all[..1] } else { &all[..] };
    let (mut object, mut rows) = (Map::new(), vec![]);
    tell_recognised(&m, &args.search)?;
    for &quantity in quantities {
        let program = program(&m, quantity, &args.search, Parameters::Numeric)?;
        let count = program.count();
        let plain = trace(&m, quantity).map_err(|e| e.to_string())?.count();
        rows.push(vec![
            quantity.to_string(),
            count.mul.to_string(),
            count.add.to_string(),
            count.div.to_string(),
            count.trig.len().to_string(),
            program.strategy.clone(),
            plain.to_string(),
        ]);
        let value = json!({
            "mul": count.mul, "add": count.add, "div": count.div, "trig": count.trig, "strategy": program.strategy,
        });
        object.insert(quantity.to_string(), value);
    }
    if args.robot.json {
        return Ok(Value::Object(object).into());
    }
    let header = ["quantity", "M", "A", "D", "trig", "strategy", "traced"];
    Ok(print::table(&header, &[0, 5, 6], rows).into())
}

fn base(m: &Model<f64>, json: bool) -> Outcome {
    let all = base_parameters(m).map_err(|e| e.to_string())?;
    if json {
        let all: Vec<Value> =
            all.iter().map(|p| json!({ "name": p.name, "formula": p.formula, "value": p.value })).collect();
        return Ok(json!({ "robot": m.name(), "base_parameters": all }).into());
    }
    let rows = all.iter().map(|p| vec![p.name.clone(), print::number(p.value), p.formula.clone()]);
    Ok(print::table(&["parameter", "value [SI]", "formula"], &[0, 2], rows).into())
}

fn equations(m: &Model<f64>, args: &Derive) -> Result<File, String> {
    let parameters = match args.parameters {
        crate::args::Figures::Numeric => Figures::Numeric,
        crate::args::Figures::Symbolic => Figures::Symbolic,
        crate::args::Figures::Base => Figures::Grouped,
    };
    let rounding = if args.search.exact { 0.0 } else { ClosedOptions::default().rounding };
    let options = ClosedOptions { parameters, rounding, ..ClosedOptions::default() };
    let e = closed_form(m, &options).map_err(|e| e.to_string())?;
    let (ending, text) = match args.emit {
        Emit::Latex => ("tex", write::latex(&e)),
        Emit::Html => ("html", write::html(&e)),
        Emit::Markdown => ("md", write::markdown(&e)),
        _ => ("txt", write::unicode(&e, WIDTH)),
    };
    Ok(File { name: format!("{}.{ending}", safe(m.name())), contents: text.into_bytes() })
}

fn code(m: &Model<f64>, args: &Derive) -> Result<Vec<File>, String> {
    let language = language(args.emit).ok_or("no such language")?;
    let parameters = match args.parameters {
        crate::args::Figures::Numeric => Parameters::Numeric,
        _ => Parameters::Symbolic,
    };
    tell_recognised(m, &args.search)?;
    let programs: Vec<Program> = quantities(&args.what)?
        .into_iter()
        .map(|quantity| program(m, quantity, &args.search, parameters))
        .collect::<Result<_, _>>()?;
    let all: Vec<&Program> = programs.iter().collect();
    emit(&all, language, &EmitOptions::default()).map(|e| e.files).map_err(|e| e.to_string())
}

fn language(emit: Emit) -> Option<Language> {
    Some(match emit {
        Emit::Rust => Language::Rust,
        Emit::C => Language::C,
        Emit::Cpp => Language::Cpp,
        Emit::Cuda => Language::Cuda,
        Emit::Python => Language::Python,
        Emit::Matlab => Language::Matlab,
        Emit::Js => Language::JavaScript,
        Emit::Wasm => Language::Wasm,
        Emit::Unicode | Emit::Latex | Emit::Html | Emit::Markdown => return None,
    })
}

fn quantities(what: &str) -> Result<Vec<Quantity>, String> {
    if what == "all" {
        return Ok(Quantity::ALL.to_vec());
    }
    let names: Vec<&str> = Quantity::ALL.iter().map(|q| q.name()).collect();
    let one = |name: &str| {
        let found = Quantity::ALL.into_iter().find(|q| q.name() == name.trim());
        found.ok_or_else(|| format!("--what: `{}` is none of {}, all", name.trim(), names.join(", ")))
    };
    what.split(',').map(one).collect()
}

/// Rounded angles that are taken for exact ones, each with what that does to the torques.
fn tell_recognised(m: &Model<f64>, search: &Search) -> Result<(), String> {
    if search.exact || search.strategy != Strategy::Minimal {
        return Ok(());
    }
    for r in recognise(m).map_err(|e| e.to_string())?.1 {
        eprintln!(
            "armdyn: joint `{}`: {} of {} rad is taken for {}°; torques change by {:.1e} of the largest (--exact: not so)",
            r.joint, r.angle, r.found, r.degrees, r.effect
        );
    }
    Ok(())
}

fn program(m: &Model<f64>, quantity: Quantity, search: &Search, parameters: Parameters) -> Result<Program, String> {
    match (search.strategy, quantity) {
        (Strategy::Traced, _) => return trace(m, quantity).map_err(|e| e.to_string()),
        (Strategy::Renaud, Quantity::Inverse) => return renaud(m).map(|(p, _)| p).map_err(|e| e.to_string()),
        (Strategy::Renaud, _) => return Err(format!("--strategy renaud gives inverse dynamics, not {quantity}")),
        (Strategy::Minimal, _) => {}
    }
    let budget = duration(&search.budget)?;
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
        bar.set_style(style);
    }
    let show = |share: f64, total: usize| {
        bar.set_position((share * 1000.0) as u64);
        bar.set_message(format!("{quantity}: {total} operations so far"));
    };
    let trig = if search.single_joint_trig { Trig::SingleJoint } else { Trig::Sums };
    let options = Options {
        budget,
        seed: search.seed,
        trig,
        parameters,
        exact: search.exact,
        progress: Some(&show),
        ..Options::default()
    };
    let found = minimal(m, quantity, &options).map_err(|e| e.to_string());
    bar.finish_and_clear();
    found
}

/// `10s`, `500ms`, `1m`; a bare number is seconds.
fn duration(given: &str) -> Result<Duration, String> {
    let split = given.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(given.len());
    let (number, unit) = given.split_at(split);
    let scale = match unit {
        "s" | "" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        _ => return Err(format!("--budget: `{unit}` is no unit of time; use s, ms or m")),
    };
    let seconds = number.trim().parse::<f64>().map_err(|_| format!("--budget: `{given}` is no time"))? * scale;
    if seconds > 0.0 && seconds <= 86_400.0 {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err("--budget: a search takes some time, up to a day; --strategy traced needs none".to_string())
}

/// A name that a file can have.
fn safe(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' }).collect()
}

fn put(folder: &Path, file: &File) -> Result<(), String> {
    let path = folder.join(&file.name);
    std::fs::create_dir_all(folder).map_err(|e| format!("`{}` cannot be made: {e}", folder.display()))?;
    let mut whole = Unfinished::beside(&path).map_err(|e| e.to_string())?;
    whole.write_all(&file.contents).map_err(|e| format!("`{}` cannot be written: {e}", path.display()))?;
    whole.finish().map_err(|e| e.to_string())
}
