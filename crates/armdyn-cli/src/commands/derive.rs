//! `armdyn derive`: the equations of this robot, to read or as code.

use super::programs::{self, Watched};
use crate::args::{About, Derive, Emit, Figures, Scalar, Sines};
use crate::document::Table;
use crate::table::put_all;
use crate::{CommandResult, diagnostics, format, robot};
use armdyn_core::Model;
use armdyn_symbolic::closed::{Parameters, Tensor, Trigonometry};
use armdyn_symbolic::emit::{self, EmitOptions, File, Language, emit};
use armdyn_symbolic::{ClosedError, ClosedOptions, Equations, Program, base_parameters, closed_form_watched, write};
use serde_json::{Value, json};
use std::path::Path;

/// The width of a page in the terminal \[characters\].
const WIDTH: usize = 110;

/// Equations or code.
pub fn run(args: &Derive) -> CommandResult {
    let m = robot::open(&args.robot)?;
    if args.base_parameters {
        return base(&m, args.robot.json);
    }
    if let Some(folder) = args.out.as_deref().filter(|f| f.exists() && !f.is_dir()) {
        return Err(format!("--out: `{}` is there and is no folder", folder.display()));
    }
    if args.emit == Emit::Wasm && args.out.is_none() {
        return Err("a WebAssembly module is no text: give a folder with --out".to_string());
    }
    let files = match language(args.emit) {
        None => vec![written(&m, args)?],
        Some(language) => code(&m, args, language)?,
    };
    match &args.out {
        Some(folder) => {
            put(folder, &files)?;
            let names: Vec<String> = files.iter().map(|f| folder.join(&f.name).display().to_string()).collect();
            Ok(if args.robot.json {
                json!({ "robot": m.name(), "files": names }).into()
            } else {
                format!("{} written\n", names.join(", ")).into()
            })
        }
        None => {
            let text = |f: &File| String::from_utf8(f.contents.clone()).ok();
            let first = files.first().and_then(text).ok_or("there is no text")?;
            Ok(if args.robot.json {
                let files: Vec<Value> = files.iter().map(|f| json!({ "name": f.name, "text": text(f) })).collect();
                json!({ "robot": m.name(), "files": files }).into()
            } else {
                first.into()
            })
        }
    }
}

fn base(m: &Model<f64>, json: bool) -> CommandResult {
    let all = base_parameters(m).map_err(|e| e.to_string())?;
    if json {
        let all: Vec<Value> =
            all.iter().map(|p| json!({ "name": p.name, "formula": p.formula, "value": p.value })).collect();
        return Ok(json!({ "robot": m.name(), "base_parameters": all }).into());
    }
    let rows = all.iter().map(|p| vec![p.name.clone(), format::number(p.value), p.formula.clone()]);
    Ok(Table::new(&["parameter", "value [SI]", "formula"], &[0, 2], rows).into())
}

/// The equations that are asked for.
pub fn equations(m: &Model<f64>, args: &Derive) -> Result<Equations, String> {
    let search = &args.search;
    for (given, option) in [
        (args.what.is_some(), "--what"),
        (args.scalar.is_some(), "--scalar"),
        (args.trig.is_some(), "--trig"),
        (search.strategy.is_some(), "--strategy"),
        (search.single_joint_trig, "--single-joint-trig"),
    ] {
        if given {
            return Err(format!(
                "{option} is for code; equations to read are all of M, C and g (--emit rust, c, … is code)"
            ));
        }
    }
    let mut options = ClosedOptions {
        parameters: match args.parameters {
            Figures::Numeric => Parameters::Numeric,
            Figures::Symbolic => Parameters::Symbolic,
            Figures::Base => Parameters::Grouped,
        },
        tensor: if args.about == Some(About::Centre) { Tensor::Centre } else { Tensor::Origin },
        trigonometry: if args.multiple_angles { Trigonometry::MultipleAngles } else { Trigonometry::Shortest },
        exact: search.exact,
        ..ClosedOptions::default()
    };
    if let Some(budget) = search.budget {
        options.patience = budget;
    }
    let watched = Watched::new();
    let found = closed_form_watched(m, &options, &|share| watched.show(share, "equations".to_string()));
    drop(watched);
    found.map_err(|e| match e {
        ClosedError::TooSlow { .. } | ClosedError::TooLong { .. } => {
            format!("{e}\n  --emit rust, c, … writes it; --budget gives more time, and --parameters other symbols")
        }
        e => e.to_string(),
    })
}

fn written(m: &Model<f64>, args: &Derive) -> Result<File, String> {
    let e = equations(m, args)?;
    programs::warn(&e.recognised);
    let (ending, text) = match args.emit {
        Emit::Latex => ("tex", write::latex(&e)),
        Emit::Html => ("html", write::html(&e)),
        Emit::Markdown => ("md", write::markdown(&e)),
        _ => ("txt", write::unicode(&e, WIDTH)),
    };
    Ok(File { name: format!("{}.{ending}", safe(m.name())), contents: text.into_bytes() })
}

fn code(m: &Model<f64>, args: &Derive, language: Language) -> Result<Vec<File>, String> {
    for (given, option) in [(args.about.is_some(), "--about"), (args.multiple_angles, "--multiple-angles")] {
        if given {
            return Err(format!("{option} is for equations to read, not for code"));
        }
    }
    let scalar = args.scalar.map(|s| match s {
        Scalar::F64 => emit::Scalar::F64,
        Scalar::F32 => emit::Scalar::F32,
        Scalar::Generic => emit::Scalar::Generic,
    });
    let trig = args.trig.map(|t| match t {
        Sines::Library => emit::Trig::Library,
        Sines::BuiltIn => emit::Trig::BuiltIn,
    });
    let options = EmitOptions { scalar, trig, notes: &[] };
    // Before a search of many seconds.
    language.takes(&options).map_err(|e| e.to_string())?;
    let quantities = programs::quantities(args.what.as_deref().unwrap_or("inverse"))?;
    let made = programs::make(m, &quantities, &args.search, args.parameters)?;
    made.notes.iter().for_each(|note| diagnostics::warn(format_args!("{note}")));
    let all: Vec<&Program> = made.programs.iter().collect();
    let options = EmitOptions { notes: &made.notes, ..options };
    emit(&all, language, &options).map(|e| e.files).map_err(|e| e.to_string())
}

/// The language of what is to come out; none if that is a text to read.
pub fn language(emit: Emit) -> Option<Language> {
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

/// A name that a file can have.
fn safe(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let safe: String = name.chars().take(60).map(kept).collect();
    if safe.contains(|c: char| c.is_ascii_alphanumeric()) { safe } else { "robot".to_string() }
}

/// All files, or none.
pub fn put(folder: &Path, files: &[File]) -> Result<(), String> {
    put_all(folder, files.iter().map(|f| (f.name.as_str(), &f.contents[..]))).map_err(|e| e.to_string())
}
