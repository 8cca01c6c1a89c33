//! Plots: `--plot WHAT[=FILE]`.

use crate::document::Document;
use crate::embedding;
use crate::output::CommandError;
use armdyn_core::Model;
use armdyn_numerics::Plane;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Columns of a plot in the terminal.
const COLUMNS: usize = 96;

/// The plots that `--plot WHAT[=FILE]` selects, and their files; without `WHAT` the default one.
pub fn wanted<P: Copy>(
    texts: &[String],
    all: &[(&str, P)],
    default: P,
) -> Result<Vec<(P, Option<PathBuf>)>, CommandError> {
    let one = |text: &String| {
        if text.is_empty() {
            return Ok((default, None));
        }
        let (what, file) = text.split_once('=').map_or((text.as_str(), None), |(w, f)| (w, Some(PathBuf::from(f))));
        let Some((_, plot)) = all.iter().find(|(name, _)| *name == what) else {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            return Err(format!(
                "unknown plot `{what}` for `--plot`: expected one of {names}, optionally with `=FILE`"
            )
            .into());
        };
        file.as_deref().map_or(Ok(()), check)?;
        Ok((*plot, file))
    };
    texts.iter().map(one).collect()
}

/// A chart, several of them, a map or a drawing.
pub trait Picture {
    fn as_svg(&self) -> String;
    fn as_text(&self) -> String;
    /// The data, with the kind of plot, for other renderers.
    fn data(&self) -> Value;
}

macro_rules! pictures {
    ($($kind:ident),*) => { $(impl Picture for armdyn_plot::$kind {
        fn as_svg(&self) -> String { self.svg() }
        fn as_text(&self) -> String { self.terminal(COLUMNS) }
        fn data(&self) -> Value { json!({ "kind": stringify!($kind).to_lowercase(), "data": self }) }
    })* };
}

pictures!(Chart, Drawing, Map, Panels);

/// Writes a plot to its file, or adds it to the document.
pub fn put(document: &mut Document, plot: &dyn Picture, file: Option<&Path>) -> Result<(), CommandError> {
    if let Some(host) = embedding::host() {
        host.plot(plot.data());
    }
    match file {
        None => document.picture(plot.as_svg(), Some(format!("\n{}", plot.as_text()))),
        Some(file) => {
            save(file, &plot.as_svg())?;
            let _ = writeln!(document, "\nplot written to {}", file.display());
        }
    }
    Ok(())
}

/// The default plane of a map: r-z if gravity acts along z, else x-y.
pub fn default_plane(m: &Model<f64>) -> Plane {
    if m.gravity().x == 0.0 && m.gravity().y == 0.0 { Plane::Rz } else { Plane::Xy }
}

/// Writes an SVG plot as .svg or .png, by the file extension.
pub fn save(path: &Path, svg: &str) -> Result<(), CommandError> {
    check(path)?;
    #[cfg(feature = "png")]
    if is(path, "png") {
        return write(path, &armdyn_plot::png(svg).map_err(|e| e.to_string())?);
    }
    write(path, svg.as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    std::fs::write(path, bytes).map_err(|e| format!("cannot write `{}`: {e}", path.display()).into())
}

/// Checks the file extension, before long computations.
pub fn check(path: &Path) -> Result<(), CommandError> {
    if is(path, "svg") || cfg!(feature = "png") && is(path, "png") {
        return Ok(());
    }
    if is(path, "png") {
        let problem = format!("cannot write `{}`: this build of armdyn writes plots as .svg only", path.display());
        return Err(format!("{problem}; build it with `--features png` for .png").into());
    }
    Err(format!("unknown plot format of `{}`: expected the extension .svg or .png", path.display()).into())
}

fn is(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}
