//! `armdyn derive`: a robot's equations of motion, to read or as code.

use super::programs;
use crate::args::{self, About, Derive, Emit, Scalar};
use crate::document::Table;
use crate::progress::with_progress;
use crate::table::put_all;
use crate::{CommandResult, Output, diagnostics, document::Document, format, robot};
use armdyn_core::Model;
use armdyn_symbolic::closed::{Parameters, Tensor, Trigonometry};
use armdyn_symbolic::emit::{self, EmitOptions, File, Language, emit};
use armdyn_symbolic::{
    ClosedError, ClosedOptions, Equations, Program, base_parameters, closed_form_with_progress, typeset,
};
use serde::Serialize;
use std::path::Path;

/// The width of formulas in the terminal \[characters\].
const WIDTH: usize = 100;

/// Equations or code.
pub fn run(args: &Derive) -> CommandResult {
    let m = robot::open(&args.robot)?;
    if args.base_parameters {
        return base(&m, args.robot.json);
    }
    if let Some(folder) = args.out.as_deref().filter(|f| f.exists() && !f.is_dir()) {
        return Err(format!("`--out {}` exists and is not a folder", folder.display()));
    }
    if args.emit == Emit::Wasm && args.out.is_none() {
        return Err("a WebAssembly module is binary; pass a folder with `--out`".to_string());
    }
    let files = match language(args.emit) {
        None => vec![written(&m, args)?],
        Some(language) => code(&m, args, language)?,
    };
    let robot = m.name().to_string();
    if let Some(folder) = &args.out {
        put(folder, &files)?;
        let files = files.iter().map(|f| folder.join(&f.name).display().to_string()).collect();
        return Output::of(args.robot.json, &Written { robot, files }, |w| {
            format!("{} written\n", w.files.join(", ")).into()
        });
    }
    let text = |f: &File| String::from_utf8(f.contents.clone()).ok();
    let files = files.iter().map(|f| Text { name: f.name.clone(), text: text(f) }).collect();
    Output::of(args.robot.json, &Printed { robot, files }, |p| {
        Document::from(p.files.first().and_then(|f| f.text.clone()).unwrap_or_default())
    })
}

#[derive(Serialize)]
struct Written {
    robot: String,
    files: Vec<String>,
}

#[derive(Serialize)]
struct Printed {
    robot: String,
    files: Vec<Text>,
}

#[derive(Serialize)]
struct Text {
    name: String,
    text: Option<String>,
}

#[derive(Serialize)]
struct BaseParameters {
    robot: String,
    base_parameters: Vec<BaseParameter>,
}

#[derive(Serialize)]
struct BaseParameter {
    name: String,
    formula: String,
    value: f64,
}

fn base(m: &Model<f64>, json: bool) -> CommandResult {
    let parameters = base_parameters(m).map_err(|e| e.to_string())?;
    let entry = |p: &armdyn_symbolic::BaseParameter| BaseParameter {
        name: p.name.clone(),
        formula: p.formula.clone(),
        value: p.value,
    };
    let base_parameters = parameters.iter().map(entry).collect();
    Output::of(json, &BaseParameters { robot: m.name().to_string(), base_parameters }, |r| {
        let rows = r.base_parameters.iter().map(|p| vec![p.name.clone(), format::number(p.value), p.formula.clone()]);
        Table::new(&["parameter", "value [SI]", "formula"], &[0, 2], rows).into()
    })
}

/// Equations to read.
pub fn equations(m: &Model<f64>, args: &Derive) -> Result<Equations, String> {
    let search = &args.search;
    for (set, option) in [
        (args.what.is_some(), "--what"),
        (args.scalar.is_some(), "--scalar"),
        (args.trig.is_some(), "--trig"),
        (search.strategy.is_some(), "--strategy"),
        (search.single_joint_trig, "--single-joint-trig"),
    ] {
        if set {
            return Err(format!(
                "`{option}` applies to code only (`--emit rust`, `c`, …); equations always include M, C and g"
            ));
        }
    }
    let mut options = ClosedOptions {
        parameters: match args.parameters {
            args::Parameters::Numeric => Parameters::Numeric,
            args::Parameters::Symbolic => Parameters::Symbolic,
            args::Parameters::Base => Parameters::Grouped,
        },
        tensor: if args.about == Some(About::Centre) { Tensor::Centre } else { Tensor::Origin },
        trigonometry: if args.multiple_angles { Trigonometry::MultipleAngles } else { Trigonometry::Shortest },
        exact: search.exact,
        ..ClosedOptions::default()
    };
    if let Some(budget) = search.budget {
        options.budget = budget;
    }
    with_progress(|progress| closed_form_with_progress(m, &options, progress)).map_err(|e| match e {
        ClosedError::TooSlow { .. } | ClosedError::TooLong { .. } => {
            format!("{e}\n  help: generate code with `--emit`, allow more time with `--budget`, or choose other `--parameters`")
        }
        e => e.to_string(),
    })
}

fn written(m: &Model<f64>, args: &Derive) -> Result<File, String> {
    let e = equations(m, args)?;
    programs::warn(&e.rounded_angles);
    let (extension, text) = match args.emit {
        Emit::Latex => ("tex", typeset::latex(&e)),
        Emit::Html => ("html", typeset::html(&e)),
        Emit::Markdown => ("md", typeset::markdown(&e)),
        _ => ("txt", typeset::unicode(&e, WIDTH)),
    };
    Ok(File { name: format!("{}.{extension}", file_name(m.name())), contents: text.into_bytes() })
}

fn code(m: &Model<f64>, args: &Derive, language: Language) -> Result<Vec<File>, String> {
    for (set, option) in [(args.about.is_some(), "--about"), (args.multiple_angles, "--multiple-angles")] {
        if set {
            return Err(format!("`{option}` applies to equations only, not to code"));
        }
    }
    let scalar = args.scalar.map(|s| match s {
        Scalar::F64 => emit::Scalar::F64,
        Scalar::F32 => emit::Scalar::F32,
        Scalar::Generic => emit::Scalar::Generic,
    });
    let trig = args.trig.map(|t| match t {
        args::Trig::Library => emit::Trig::Library,
        args::Trig::BuiltIn => emit::Trig::BuiltIn,
    });
    let options = EmitOptions { scalar, trig, notes: &[] };
    // Fail before a long search.
    language.resolve(&options).map_err(|e| e.to_string())?;
    let quantities = programs::quantities(args.what.as_deref().unwrap_or("inverse"))?;
    let generated = programs::generate(m, &quantities, &args.search, args.parameters)?;
    generated.notes.iter().for_each(diagnostics::warn);
    let programs: Vec<&Program> = generated.programs.iter().collect();
    let options = EmitOptions { notes: &generated.notes, ..options };
    emit(&programs, language, &options).map(|e| e.files).map_err(|e| e.to_string())
}

/// The language of generated code; none for equations.
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

/// A valid file name.
fn file_name(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let name: String = name.chars().take(60).map(kept).collect();
    if name.contains(|c: char| c.is_ascii_alphanumeric()) { name } else { "robot".to_string() }
}

/// Writes all files, or none.
pub fn put(folder: &Path, files: &[File]) -> Result<(), String> {
    put_all(folder, files.iter().map(|f| (f.name.as_str(), &f.contents[..]))).map_err(|e| e.to_string())
}
