//! What commands print: tables, matrices, numbers with their units.

use crate::document::Table;
use armdyn_core::Model;

/// A row-major matrix with named rows and columns.
pub fn matrix(rows: &[String], columns: &[String], values: &[f64]) -> Table {
    let header: Vec<&str> = std::iter::once("").chain(columns.iter().map(String::as_str)).collect();
    let cells = numbers(values);
    let line = |(i, name): (usize, &String)| {
        std::iter::once(name).chain(&cells[i * columns.len()..(i + 1) * columns.len()]).cloned().collect()
    };
    Table::new(&header, &[0], rows.iter().enumerate().map(line))
}

/// Numbers of one kind: what is left by rounding beside the largest of them is 0.
pub fn numbers(values: &[f64]) -> Vec<String> {
    let largest = values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    values.iter().map(|&x| number(if x.abs() < 1e-14 * largest { 0.0 } else { x })).collect()
}

/// Six digits, without an exponent where the number can be read without.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if size == 0.0 {
        "0".to_string()
    } else if (1e-3..1e6).contains(&size) {
        let digits = (5 - size.log10().floor() as i32).clamp(0, 8) as usize;
        format!("{x:.digits$}")
    } else {
        format!("{x:.4e}")
    }
}

/// `1 error`, `2 errors`.
pub fn many(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The mass of all links and payloads \[kg\].
pub fn total_mass(m: &Model<f64>) -> f64 {
    m.base_inertia().mass + m.base_to_tip().map(|(_, b)| b.inertia.mass).sum::<f64>()
}

/// The unit of a degree of freedom's torque.
pub fn torque_unit(m: &Model<f64>, dof: usize) -> &'static str {
    if m.turns(dof) { "N m" } else { "N" }
}

/// The unit of its position, in degrees or not.
pub fn position_unit(m: &Model<f64>, dof: usize, deg: bool) -> &'static str {
    match (m.turns(dof), deg) {
        (true, true) => "°",
        (true, false) => "rad",
        (false, _) => "m",
    }
}

/// A row-major matrix as JSON: an array of rows.
pub fn json_matrix(values: &[f64], columns: usize) -> serde_json::Value {
    if columns == 0 { serde_json::json!([]) } else { serde_json::json!(values.chunks(columns).collect::<Vec<_>>()) }
}
