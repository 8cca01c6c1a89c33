//! The pictures of `armdyn tipover`.

use super::Found;
use crate::document::Document;
use crate::plots;
use armdyn_mobile::tipover::{reach_picture, top_view};
use std::path::{Path, PathBuf};

/// What a picture shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// Wheels and the zero-moment point from above.
    Top,
    /// Where the tool may reach.
    Reach,
}

/// Columns of a picture in the terminal.
const WIDE: usize = 96;

/// The pictures that are asked for, and where they go.
pub fn wanted(given: &[String]) -> Result<Vec<(Picture, Option<PathBuf>)>, String> {
    plots::wanted(given, &[("top", Picture::Top), ("reach", Picture::Reach)])
}

/// Draws one to its file, or on the page.
pub fn draw(page: &mut Document, found: &Found, what: Picture, file: Option<&Path>) -> Result<(), String> {
    let name = found.m.name();
    let (svg, terminal) = match (what, &found.reach) {
        (Picture::Reach, Some(map)) => {
            let map = reach_picture(map, found.support, format!("{name}: where the tool may be at rest"));
            (map.svg(), map.terminal(WIDE))
        }
        _ => {
            let way = found.along.as_ref().map_or(&[][..], |a| &a.zmp);
            let [x, y, _] = found.standing.centre;
            let drawing = top_view(found.support, format!("{name} from above"), way, found.standing.zmp, [x, y]);
            (drawing.svg(), drawing.terminal(WIDE))
        }
    };
    plots::put(page, svg, terminal, file)
}
