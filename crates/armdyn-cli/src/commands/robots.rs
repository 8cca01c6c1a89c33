//! `armdyn robots`: the bundled robots.

use crate::args::Robots;
use crate::document::Table;
use crate::{CommandResult, Output, format, robot};
use armdyn_import::library::ROBOTS;
use serde_json::json;

/// Lists the bundled robots.
pub fn run(args: &Robots) -> CommandResult {
    let (mut robots, mut rows) = (vec![], vec![]);
    for bundled in ROBOTS {
        let name = bundled.name;
        let description = bundled.load().description.ok_or_else(|| format!("bundled robot `{name}` does not load"))?;
        let m = robot::model(&description)?;
        let (dof, mass, origin) = (m.nv(), m.total_mass(), &description.origin);
        let summary = description.summary.clone().unwrap_or_default();
        robots.push(json!({ "name": name, "dof": dof, "mass": mass, "summary": summary, "origin": origin }));
        rows.push(vec![name.to_string(), dof.to_string(), format::number(mass), summary]);
    }
    Output::of(args.json, &json!({ "robots": robots }), |_| {
        Table::new(&["robot", "dof", "mass [kg]", "description"], &[0, 3], rows).into()
    })
}
