//! The rows of a part as a table of an HTML page.

use super::off;
use armdyn_documents::{Method, Row};
use maud::{Markup, html};

/// All rows.
pub fn grid(rows: &[Row]) -> Markup {
    html! { div.scroll { table.rows {
        thead { tr { th.left { "equation" } th.left { "quantity" } th { "printed" } th { "computed" } th.right { "off" } th.left { "verdict" } th.left { "note" } } }
        tbody { @for row in rows { (line(row)) } }
    } } }
}

fn line(row: &Row) -> Markup {
    let kind = if row.method == Method::Number { "right" } else { "left" };
    let off = row.difference.map_or(String::new(), off);
    html! { tr {
        td.left { (row.equation) }
        td.left { (row.quantity) }
        td class=(kind) { (row.printed) @if row.printed.parse::<f64>().is_ok() { " " (row.unit) } }
        td class=(kind) {
            (row.computed)
            @if row.method == Method::Number { " " (row.unit) }
            @if !row.evidence.is_empty() { " " small { (row.evidence) } }
        }
        td.right { (off) }
        td.left { span class=(row.verdict.name()) { (row.verdict.name()) } }
        td.note { (row.note) }
    } }
}
