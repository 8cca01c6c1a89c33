//! `armdyn robots`: what is bundled.

use crate::args::Robots;
use crate::document::Table;
use crate::{CommandResult, format};
use armdyn_import::library::ROBOTS;
use serde_json::json;

/// Lists the bundled robots.
pub fn run(args: &Robots) -> CommandResult {
    let (mut rows, mut objects) = (vec![], vec![]);
    for bundled in ROBOTS {
        let name = bundled.name;
        let description = bundled.load().description.ok_or_else(|| format!("the bundled robot `{name}` is damaged"))?;
        let model = description.model().map_err(|e| format!("the bundled robot `{name}` makes no model: {e}"))?;
        let mass = format::total_mass(&model);
        let summary = description.summary.clone().unwrap_or_default();
        rows.push(vec![name.to_string(), model.nv().to_string(), format!("{mass:.2}"), summary.clone()]);
        objects.push(json!({
            "name": name, "dof": model.nv(), "mass": mass, "summary": summary, "origin": description.origin,
        }));
    }
    if args.json {
        return Ok(json!({ "robots": objects }).into());
    }
    Ok(Table::new(&["robot", "dof", "mass [kg]", "what"], &[0, 3], rows).into())
}
