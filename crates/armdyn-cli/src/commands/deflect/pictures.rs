//! The pictures of `armdyn deflect`.

use super::Found;
use crate::args::Deflect;
use crate::page::Page;
use crate::picture;
use armdyn_analysis::plot::{Axis, Chart};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What a picture shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// The robot under load.
    Shape,
    /// The tool's displacement over time.
    Tool,
    /// The tool's displacement over the box.
    Map,
}

/// Columns of a picture in the terminal.
const WIDE: usize = 96;

/// The pictures that are asked for, and where they go; told before long work if there is nothing for one to show.
pub fn wanted(given: &[String], args: &Deflect) -> Result<Vec<(Picture, Option<PathBuf>)>, String> {
    let one = |given: &String| {
        let (what, file) = given.split_once('=').map_or((given.as_str(), None), |(w, f)| (w, Some(PathBuf::from(f))));
        let shown = match what {
            "shape" => Picture::Shape,
            "tool" if args.trajectory.is_none() => {
                return Err("--plot tool: it is over time, and takes a --trajectory".to_string());
            }
            "tool" => Picture::Tool,
            "map" if !args.map => return Err("--plot map: ask for the map with --map".to_string()),
            "map" => Picture::Map,
            other => {
                return Err(format!(
                    "--plot: there is no picture `{other}`; there are shape, tool, map, each with =FILE or without"
                ));
            }
        };
        file.as_deref().map_or(Ok(()), picture::check)?;
        Ok((shown, file))
    };
    given.iter().map(one).collect()
}

/// Draws one to its file, or on the page.
pub fn draw(page: &mut Page, found: &Found, what: Picture, file: Option<&Path>) -> Result<(), String> {
    let name = found.structure.model().name();
    let (svg, terminal) = match what {
        Picture::Shape => {
            let drawing = found.deflection.picture(name, found.deflection.exaggeration());
            (drawing.svg(), drawing.terminal(WIDE))
        }
        Picture::Tool => {
            let Some((trajectory, along)) = &found.motion else { return Ok(()) };
            let title = format!("{name}: displacement of the tool");
            let mut chart = Chart::new(title, Axis::new("time", "s"), Axis::new("displacement", "mm"));
            for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
                let points = along.tool.iter().zip(&trajectory.t).map(|(d, t)| (*t, d.shift.get(k) * 1e3));
                chart = chart.curve(axis, points);
            }
            (chart.svg(), chart.terminal(WIDE))
        }
        Picture::Map => {
            let Some(map) = &found.map else { return Ok(()) };
            let map = map.picture(&format!("{name}: displacement of the tool at rest"));
            (map.svg(), map.terminal(WIDE))
        }
    };
    match file {
        None => page.picture(svg, Some(format!("\n{terminal}"))),
        Some(file) => {
            picture::save(file, &svg)?;
            let _ = writeln!(page, "\npicture in {}", file.display());
        }
    }
    Ok(())
}
