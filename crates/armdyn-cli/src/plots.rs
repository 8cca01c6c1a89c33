//! Pictures: which are asked for, and where they go.

use crate::args;
use crate::document::Document;
use armdyn_core::Model;
use armdyn_numerics::Plane;
use armdyn_plot::png;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Columns of a chart in the terminal.
pub const COLUMNS: usize = 96;

/// The pictures that `--plot WHAT[=FILE]` asks for, of all that there are, and their files.
pub fn wanted<P: Copy>(given: &[String], all: &[(&str, P)]) -> Result<Vec<(P, Option<PathBuf>)>, String> {
    let one = |given: &String| {
        let (what, file) = given.split_once('=').map_or((given.as_str(), None), |(w, f)| (w, Some(PathBuf::from(f))));
        let Some((_, shown)) = all.iter().find(|(name, _)| *name == what) else {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            return Err(format!("--plot: there is no picture `{what}`; there are {names}, each with =FILE or without"));
        };
        file.as_deref().map_or(Ok(()), check)?;
        Ok((*shown, file))
    };
    given.iter().map(one).collect()
}

/// Puts a picture to its file, or on the page.
pub fn put(page: &mut Document, svg: String, terminal: String, file: Option<&Path>) -> Result<(), String> {
    match file {
        None => page.picture(svg, Some(format!("\n{terminal}"))),
        Some(file) => {
            save(file, &svg)?;
            let _ = writeln!(page, "\npicture in {}", file.display());
        }
    }
    Ok(())
}

/// The plane of a map; without one that is given, upright where gravity acts along z, else that of x and y.
pub fn plane(given: Option<args::Plane>, m: &Model<f64>) -> Plane {
    match given {
        Some(args::Plane::Rz) => Plane::Rz,
        Some(args::Plane::Xy) => Plane::Xy,
        Some(args::Plane::Xz) => Plane::Xz,
        Some(args::Plane::Yz) => Plane::Yz,
        None if m.gravity().x == 0.0 && m.gravity().y == 0.0 => Plane::Rz,
        None => Plane::Xy,
    }
}

/// Writes a picture, given as SVG, in the format that the file's ending says.
pub fn save(path: &Path, svg: &str) -> Result<(), String> {
    check(path)?;
    let bytes = if is(path, "png") { png(svg).map_err(|e| e.to_string())? } else { svg.as_bytes().to_vec() };
    std::fs::write(path, bytes).map_err(|e| format!("`{}` cannot be written: {e}", path.display()))
}

/// Whether a file's ending says a format, told before long work and not after.
pub fn check(path: &Path) -> Result<(), String> {
    if is(path, "svg") || is(path, "png") {
        return Ok(());
    }
    Err(format!("`{}` has no ending that tells its format: name it .svg or .png", path.display()))
}

fn is(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending))
}
