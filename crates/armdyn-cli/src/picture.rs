//! Pictures to files.

use armdyn_analysis::plot::png;
use std::path::Path;

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
