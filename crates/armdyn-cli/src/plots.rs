//! Plots: `--plot WHAT[=FILE]`.

use crate::args;
use crate::document::Document;
use armdyn_core::Model;
use armdyn_numerics::Plane;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Columns of a chart in the terminal.
pub const COLUMNS: usize = 96;

/// The plots that `--plot WHAT[=FILE]` selects, and their files.
pub fn wanted<P: Copy>(texts: &[String], all: &[(&str, P)]) -> Result<Vec<(P, Option<PathBuf>)>, String> {
    let one = |text: &String| {
        let (what, file) = text.split_once('=').map_or((text.as_str(), None), |(w, f)| (w, Some(PathBuf::from(f))));
        let Some((_, plot)) = all.iter().find(|(name, _)| *name == what) else {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            return Err(format!(
                "unknown plot `{what}` for `--plot`: expected one of {names}, optionally with `=FILE`"
            ));
        };
        file.as_deref().map_or(Ok(()), check)?;
        Ok((*plot, file))
    };
    texts.iter().map(one).collect()
}

/// Writes a plot to its file, or adds it to the document.
pub fn put(document: &mut Document, svg: String, terminal: String, file: Option<&Path>) -> Result<(), String> {
    match file {
        None => document.picture(svg, Some(format!("\n{terminal}"))),
        Some(file) => {
            save(file, &svg)?;
            let _ = writeln!(document, "\nplot written to {}", file.display());
        }
    }
    Ok(())
}

/// The plane of a map; by default r-z if gravity acts along z, else x-y.
pub fn plane(plane: Option<args::Plane>, m: &Model<f64>) -> Plane {
    match plane {
        Some(args::Plane::Rz) => Plane::Rz,
        Some(args::Plane::Xy) => Plane::Xy,
        Some(args::Plane::Xz) => Plane::Xz,
        Some(args::Plane::Yz) => Plane::Yz,
        None if m.gravity().x == 0.0 && m.gravity().y == 0.0 => Plane::Rz,
        None => Plane::Xy,
    }
}

/// Writes an SVG plot as .svg or .png, by the file extension.
pub fn save(path: &Path, svg: &str) -> Result<(), String> {
    check(path)?;
    #[cfg(feature = "png")]
    if is(path, "png") {
        return write(path, &armdyn_plot::png(svg).map_err(|e| e.to_string())?);
    }
    write(path, svg.as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("cannot write `{}`: {e}", path.display()))
}

/// Checks the file extension, before long computations.
pub fn check(path: &Path) -> Result<(), String> {
    if is(path, "svg") || cfg!(feature = "png") && is(path, "png") {
        return Ok(());
    }
    if is(path, "png") {
        let problem = format!("cannot write `{}`: this build of armdyn writes plots as .svg only", path.display());
        return Err(format!("{problem}; build it with `--features png` for .png"));
    }
    Err(format!("unknown plot format of `{}`: expected the extension .svg or .png", path.display()))
}

fn is(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}
