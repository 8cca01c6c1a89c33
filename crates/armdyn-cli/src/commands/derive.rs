//! `armdyn derive`: a robot's equations of motion, to read or as code.

mod equations;

pub use equations::equations;

use super::programs;
use crate::args::{Derive, Emit, EquationForm};
use crate::document::Table;
use crate::table::put_all;
use crate::{CommandError, CommandResult, Output, diagnostics, document::Document, format};
use armdyn_core::{Model, Vec3};
use armdyn_symbolic::emit::{EmitOptions, File, Language, emit};
use armdyn_symbolic::{CanonicalFrame, LINK_LETTERS, Program, base_parameters, canonical_frames};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;

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
    let Emit::Code(language) = args.emit else { return equations::run(m, args) };
    let (files, notes) = code(m, args, language)?;
    output(args, &files, json!({ "robot": m.name(), "notes": notes }))
}

/// Files, written to the folder of `--out`, or the first one printed; `result` is completed by their names or texts.
fn output(args: &Derive, files: &[File], mut result: Value) -> CommandResult {
    if let Some(folder) = &args.out {
        let names = put(folder, files)?;
        result["files"] = json!(names);
        return Output::of(args.robot.json, &result, |_| format!("{} written\n", names.join(", ")).into());
    }
    let text = |f: &File| String::from_utf8(f.contents.clone()).ok();
    result["files"] = files.iter().map(|f| json!({ "name": f.name, "text": text(f) })).collect();
    Output::of(args.robot.json, &result, |_| {
        let mut document = Document::default();
        document.drawn(files.first().and_then(text).unwrap_or_default());
        document
    })
}

fn base(m: &Model<f64>, json: bool) -> CommandResult {
    let (parameters, frames) = (base_parameters(m)?, canonical_frames(m)?);
    let entries = parameters.iter().map(|p| json!({ "name": p.name, "formula": p.formula, "value": p.value }));
    let frame = |f: &CanonicalFrame| {
        let lengths: Map<String, Value> = f.lengths.iter().map(|(name, x)| (name.to_string(), json!(x))).collect();
        let inertia: Map<String, Value> =
            LINK_LETTERS.iter().zip(f.inertia).map(|(name, x)| (name.to_string(), json!(x))).collect();
        let (p, r) = (f.pose.translation, f.pose.rotation);
        json!({
            "joint": f.joint, "prismatic": f.prismatic, "alpha": f.alpha, "theta": f.theta, "sign": f.sign,
            "lengths": lengths, "origin": p.to_array(), "x": r.x.to_array(), "z": r.z.to_array(), "inertia": inertia,
        })
    };
    let result = json!({
        "robot": m.name(),
        "base_parameters": entries.collect::<Vec<_>>(),
        "frames": frames.iter().map(frame).collect::<Vec<_>>(),
    });
    Output::of(json, &result, |_| {
        let mut document = Document::default();
        document.heading(2, "Base parameters");
        let rows = parameters.iter().map(|p| vec![p.name.clone(), format::number(p.value), p.formula.clone()]);
        document.table(Table::new(&["parameter", "value [SI]", "formula"], &[0, 2], rows));
        let _ = write!(document, "\nR: regrouped with parameters of outboard links.\n\n");
        legend(&mut document, &frames);
        document
    })
}

/// The frames, lengths and link parameters that the formulas of base parameters refer to.
fn legend(document: &mut Document, frames: &[CanonicalFrame]) {
    document.heading(2, "Frames");
    let _ = write!(
        document,
        "Frame j has the axis of joint j as z and the common normal with the next axis as x. From the frame before it: \
         α about x, d along x, θ = ±q + offset about z, r along z; px, py, pz is the position of an origin that is not so \
         located. A prismatic joint keeps the axes of the frame before it.\n\n"
    );
    let length = |f: &CanonicalFrame, name: &str| {
        f.lengths.iter().find(|l| l.0 == name).map_or("0".to_string(), |l| format::number(l.1))
    };
    let row = |(j, f): (usize, &CanonicalFrame)| {
        let theta = match (f.prismatic, f.sign < 0.0) {
            (true, _) => String::new(),
            (_, true) => format!("-q + {}", format::number(f.theta.to_degrees())),
            _ => format!("q + {}", format::number(f.theta.to_degrees())),
        };
        let general = f.lengths.iter().any(|l| l.0.starts_with('p'));
        let at = if general { ["px", "py", "pz"].map(|name| length(f, name)).join(" ") } else { String::new() };
        let [d, r] = ["d", "r"].map(|name| if general { String::new() } else { length(f, name) });
        let alpha = if f.prismatic { String::new() } else { format::number(f.alpha.to_degrees()) };
        vec![(j + 1).to_string(), f.joint.clone(), alpha, d, theta, r, at]
    };
    let header = ["j", "joint", "α [deg]", "d [m]", "θ [deg]", "r [m]", "px py pz [m]"];
    document.table(Table::new(&header, &[1, 4, 6], frames.iter().enumerate().map(row)));
    let vector = |v: Vec3<f64>| format::numbers(&v.to_array()).join(" ");
    let row = |(j, f): (usize, &CanonicalFrame)| {
        let (p, r) = (f.pose.translation, f.pose.rotation);
        vec![(j + 1).to_string(), vector(p), vector(r.x), vector(r.z)]
    };
    let _ = write!(document, "\nIn the base frame at q = 0:\n");
    document.table(Table::new(
        &["j", "origin [m]", "x axis", "z axis"],
        &[1, 2, 3],
        frames.iter().enumerate().map(row),
    ));
    let _ = writeln!(document);
    document.heading(2, "Link parameters in these frames");
    let _ = write!(
        document,
        "XX … ZZ [kg m²]: inertia tensor about the frame's origin; MX, MY, MZ [kg m]: mass times centre of mass; M [kg].\n\n"
    );
    let row = |(j, f): (usize, &CanonicalFrame)| {
        let largest = |range: std::ops::Range<usize>| format::largest(f.inertia[range].iter().copied());
        let value = |k: usize| format::rounded(f.inertia[k], largest(if k < 6 { 0..6 } else { 6..10 }));
        let values = (0..LINK_LETTERS.len()).map(|k| format::number(value(k)));
        std::iter::once((j + 1).to_string()).chain(values).collect()
    };
    let header: Vec<&str> = std::iter::once("j").chain(LINK_LETTERS).collect();
    document.table(Table::new(&header, &[], frames.iter().enumerate().map(row)));
}

/// Code, and the notes in its header.
fn code(m: &Model<f64>, args: &Derive, language: Language) -> Result<(Vec<File>, Vec<String>), CommandError> {
    for (set, option) in [
        (args.about.is_some(), "--about"),
        (args.notation.is_some(), "--notation"),
        (args.multiple_angles, "--multiple-angles"),
        (args.symbols.is_some(), "--symbols"),
        (args.energy, "--energy"),
        (args.wrenches, "--wrenches"),
        (args.verify, "--verify"),
        (args.form != EquationForm::StateSpace, "--form"),
    ] {
        if set {
            return Err(format!("`{option}` applies to equations only, not to code").into());
        }
    }
    if let Some(option) = args.cartesian_options().next() {
        return Err(format!("`{option}` applies to equations only, not to code").into());
    }
    let options = EmitOptions { scalar: args.scalar, trig: args.trig, notes: &[] };
    // Fail before a long search.
    language.resolve(&options)?;
    let quantities = programs::quantities(args.what.as_deref().unwrap_or("inverse"))?;
    let mut generated = programs::generate(m, &quantities, &args.search, args.parameters())?;
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
