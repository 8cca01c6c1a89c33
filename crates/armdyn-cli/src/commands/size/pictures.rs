//! The pictures of `armdyn size`.

use super::Found;
use crate::document::Document;
use crate::plots;
use std::path::{Path, PathBuf};

/// What a picture shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// Torques over time.
    Torque,
    /// How much of each limit is used.
    Used,
    /// What every pose can carry.
    Payload,
    /// What the best pose can carry.
    Best,
}

/// All there are.
pub const ALL: [Picture; 4] = [Picture::Torque, Picture::Used, Picture::Payload, Picture::Best];

/// Columns of a picture in the terminal.
const WIDE: usize = 96;

/// The pictures that are asked for, and where they go.
pub fn wanted(given: &[String]) -> Result<Vec<(Picture, Option<PathBuf>)>, String> {
    let all =
        [("torque", Picture::Torque), ("used", Picture::Used), ("payload", Picture::Payload), ("best", Picture::Best)];
    plots::wanted(given, &all)
}

/// Draws one to its file, or on the page.
pub fn draw(page: &mut Document, found: &Found, what: Picture, file: Option<&Path>) -> Result<(), String> {
    let (svg, terminal): (String, String) = match what {
        Picture::Torque => {
            let chart = found.sizing.over_time(found.m, &found.trajectory, &found.limits);
            (chart.svg(), chart.terminal(WIDE))
        }
        Picture::Used => {
            let chart = found.sizing.used(found.m);
            (chart.svg(), chart.terminal(WIDE))
        }
        Picture::Payload | Picture::Best => {
            let Some((map, _)) = &found.capacity else {
                let why = "all efforts, position limits and --samples above 0";
                return Err(format!("--plot: there is no payload map; it takes {why}"));
            };
            let best = what == Picture::Best;
            let who = if best { "the best pose" } else { "every pose" };
            let map =
                map.picture(&format!("{}: what {who} that reaches a place can carry there", found.m.name()), best);
            (map.svg(), map.terminal(WIDE))
        }
    };
    plots::put(page, svg, terminal, file)
}
