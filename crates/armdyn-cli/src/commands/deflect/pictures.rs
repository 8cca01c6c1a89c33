//! The pictures of `armdyn deflect`.

use super::Found;
use crate::args::Deflect;
use crate::document::Document;
use crate::plots;
use armdyn_plot::{Axis, Chart};
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
    let all = [("shape", Picture::Shape), ("tool", Picture::Tool), ("map", Picture::Map)];
    let wanted = plots::wanted(given, &all)?;
    let asked = |what| wanted.iter().any(|(shown, _)| *shown == what);
    if asked(Picture::Tool) && args.trajectory.is_none() {
        return Err("--plot tool: it is over time, and takes a --trajectory".to_string());
    }
    if asked(Picture::Map) && !args.map {
        return Err("--plot map: ask for the map with --map".to_string());
    }
    Ok(wanted)
}

/// Draws one to its file, or on the page.
pub fn draw(page: &mut Document, found: &Found, what: Picture, file: Option<&Path>) -> Result<(), String> {
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
    plots::put(page, svg, terminal, file)
}
