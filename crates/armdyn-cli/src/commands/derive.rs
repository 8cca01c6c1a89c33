//! `armdyn derive`: a robot's equations of motion, to read or as code.

use super::programs;
use crate::args::{self, Derive, Emit};
use crate::document::Table;
use crate::progress::with_progress;
use crate::table::put_all;
use crate::{CommandError, CommandResult, Output, diagnostics, document::Document, format};
use armdyn_core::Model;
use armdyn_symbolic::closed::{Parameters, Tensor, Trigonometry};
use armdyn_symbolic::emit::{EmitOptions, File, Language, emit};
use armdyn_symbolic::{
    ClosedError, ClosedOptions, Equations, Program, base_parameters, closed_form_with_progress, typeset,
};
use serde_json::json;
use std::path::Path;

/// The width of formulas in the terminal \[characters\].
const WIDTH: usize = 100;

/// Equations or code.
pub fn run(m: &Model<f64>, args: &Derive) -> CommandResult {
    if args.base_parameters {
        return base(m, args.robot.json);
    }
    if let Some(folder) = args.out.as_deref().filter(|f| f.exists() && !f.is_dir()) {
        return Err(format!("`--out {}` exists and is not a folder", folder.display()).into());
    }
    if args.emit == Emit::Code(Language::Wasm) && args.out.is_none() {
        return Err("a WebAssembly module is binary; pass a folder with `--out`".into());
    }
    let (files, notes) = match args.emit {
        Emit::Code(language) => code(m, args, language)?,
        _ => (vec![written(m, args)?], vec![]),
    };
    if let Some(folder) = &args.out {
        let files = put(folder, &files)?;
        let result = json!({ "robot": m.name(), "files": files, "notes": notes });
        return Output::of(args.robot.json, &result, |_| format!("{} written\n", files.join(", ")).into());
    }
    let text = |f: &File| String::from_utf8(f.contents.clone()).ok();
    let printed: Vec<_> = files.iter().map(|f| json!({ "name": f.name, "text": text(f) })).collect();
    Output::of(args.robot.json, &json!({ "robot": m.name(), "files": printed, "notes": notes }), |_| {
        let mut document = Document::default();
        document.drawn(files.first().and_then(text).unwrap_or_default());
        document
    })
}

fn base(m: &Model<f64>, json: bool) -> CommandResult {
    let parameters = base_parameters(m)?;
    let entries = parameters.iter().map(|p| json!({ "name": p.name, "formula": p.formula, "value": p.value }));
    let result = json!({ "robot": m.name(), "base_parameters": entries.collect::<Vec<_>>() });
    Output::of(json, &result, |_| {
        let rows = parameters.iter().map(|p| vec![p.name.clone(), format::number(p.value), p.formula.clone()]);
        Table::new(&["parameter", "value [SI]", "formula"], &[0, 2], rows).into()
    })
}

/// Equations to read.
pub fn equations(m: &Model<f64>, args: &Derive) -> Result<Equations, CommandError> {
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
            )
            .into());
        }
    }
    let mut options = ClosedOptions {
        parameters: match args.parameters {
            args::Parameters::Numeric => Parameters::Numeric,
            args::Parameters::Symbolic => Parameters::Symbolic,
            args::Parameters::Base => Parameters::Grouped,
        },
        tensor: args.about.unwrap_or(Tensor::Origin),
        trigonometry: if args.multiple_angles { Trigonometry::MultipleAngles } else { Trigonometry::Shortest },
        exact: search.exact,
        ..ClosedOptions::default()
    };
    if let Some(budget) = search.budget {
        options.budget = budget;
    }
    with_progress(|progress| closed_form_with_progress(m, &options, progress)).map_err(|e| match e {
        ClosedError::TooSlow { .. } | ClosedError::TooLong { .. } => {
            let help = "generate code with `--emit`, allow more time with `--budget`, or choose other `--parameters`";
            format!("{e}\n  help: {help}").into()
        }
        e => e.to_string().into(),
    })
}

fn written(m: &Model<f64>, args: &Derive) -> Result<File, CommandError> {
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

/// Code, and the notes in its header.
fn code(m: &Model<f64>, args: &Derive, language: Language) -> Result<(Vec<File>, Vec<String>), CommandError> {
    for (set, option) in [(args.about.is_some(), "--about"), (args.multiple_angles, "--multiple-angles")] {
        if set {
            return Err(format!("`{option}` applies to equations only, not to code").into());
        }
    }
    let options = EmitOptions { scalar: args.scalar, trig: args.trig, notes: &[] };
    // Fail before a long search.
    language.resolve(&options)?;
    let quantities = programs::quantities(args.what.as_deref().unwrap_or("inverse"))?;
    let mut generated = programs::generate(m, &quantities, &args.search, args.parameters)?;
    generated.notes.extend(generated.traced_note());
    generated.notes.iter().for_each(diagnostics::warn);
    let programs: Vec<&Program> = generated.programs.iter().collect();
    let options = EmitOptions { notes: &generated.notes, ..options };
    let files = emit(&programs, language, &options)?.files;
    Ok((files, generated.notes))
}

/// A valid file name.
fn file_name(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let name: String = name.chars().take(60).map(kept).collect();
    if name.contains(|c: char| c.is_ascii_alphanumeric()) { name } else { "robot".to_string() }
}

/// Writes all files, or none, and returns their names.
pub fn put(folder: &Path, files: &[File]) -> Result<Vec<String>, CommandError> {
    put_all(folder, files.iter().map(|f| (f.name.as_str(), &f.contents[..])))?;
    Ok(files.iter().map(|f| folder.join(&f.name).display().to_string()).collect())
}
