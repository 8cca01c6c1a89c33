//! `armdyn robots`: the bundled robots.

use crate::args::Robots;
use crate::document::Table;
use crate::{CommandResult, Output, format};
use armdyn_import::library::ROBOTS;
use serde::Serialize;

#[derive(Serialize)]
struct Listing {
    robots: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    dof: usize,
    /// Of all links and payloads [kg].
    mass: f64,
    summary: String,
    origin: Option<String>,
}

/// Lists the bundled robots.
pub fn run(args: &Robots) -> CommandResult {
    let mut robots = vec![];
    for bundled in ROBOTS {
        let name = bundled.name;
        let description = bundled.load().description.ok_or_else(|| format!("bundled robot `{name}` does not load"))?;
        let m = description.model().map_err(|e| format!("bundled robot `{name}` is not a valid model: {e}"))?;
        let summary = description.summary.clone().unwrap_or_default();
        robots.push(Entry { name, dof: m.nv(), mass: m.total_mass(), summary, origin: description.origin.clone() });
    }
    Output::of(args.json, &Listing { robots }, |listing| {
        let row = |r: &Entry| vec![r.name.into(), r.dof.to_string(), format::number(r.mass), r.summary.clone()];
        Table::new(&["robot", "dof", "mass [kg]", "description"], &[0, 3], listing.robots.iter().map(row)).into()
    })
}
