//! Numbers, matrices and units in the output of commands.

use crate::document::Table;
use armdyn_core::Model;
pub use armdyn_core::{four_digits as number, rounded};

/// A row-major matrix with named rows and columns.
pub fn matrix(rows: &[String], columns: &[String], values: &[f64]) -> Table {
    matrix_of_scale(rows, columns, values, 0.0)
}

/// A row-major matrix with named rows and columns, of a quantity of this scale or larger.
pub fn matrix_of_scale(rows: &[String], columns: &[String], values: &[f64], scale: f64) -> Table {
    let header: Vec<&str> = std::iter::once("").chain(columns.iter().map(String::as_str)).collect();
    let cells = numbers_of_scale(values, scale);
    let line = |(i, name): (usize, &String)| {
        std::iter::once(name).chain(&cells[i * columns.len()..(i + 1) * columns.len()]).cloned().collect()
    };
    Table::new(&header, &[0], rows.iter().enumerate().map(line))
}

/// Numbers of one quantity: rounding errors relative to the largest of them print as 0.
pub fn numbers(values: &[f64]) -> Vec<String> {
    numbers_of_scale(values, 0.0)
}

/// Numbers of one quantity: rounding errors relative to its scale or the largest of them print as 0.
pub fn numbers_of_scale(values: &[f64], scale: f64) -> Vec<String> {
    let scale = largest(values.iter().copied()).max(scale);
    values.iter().map(|&x| number(rounded(x, scale))).collect()
}

/// The largest magnitude.
pub fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |m, x| m.max(x.abs()))
}

/// Four significant digits, or a dash.
pub fn optional(x: Option<f64>) -> String {
    x.map_or("–".to_string(), number)
}

/// A fraction in percent, with one decimal and without the sign of a zero.
pub fn percent(fraction: f64) -> String {
    format!("{:.1}", (1000.0 * fraction).round() / 10.0 + 0.0)
}

/// `1 error`, `2 errors`.
pub fn many(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The unit of a position, in degrees or not.
pub fn position_unit(m: &Model<f64>, dof: usize, deg: bool) -> &'static str {
    match (m.is_rotational(dof), deg) {
        (true, true) => "°",
        (true, false) => "rad",
        (false, _) => "m",
    }
}

/// Rows of a name, a number and a unit.
pub fn columns(names: &[String], values: &[f64], units: &[String]) -> Vec<Vec<String>> {
    let rows = names.iter().zip(numbers(values)).zip(units);
    rows.map(|((name, value), unit)| vec![name.clone(), value, unit.clone()]).collect()
}

#[cfg(test)]
mod tests {
    use super::{number, percent};

    #[test]
    fn percent_has_no_negative_zero() {
        assert_eq!([-0.0, -1e-9, 0.12345, -0.5, 2.0].map(percent), ["0.0", "0.0", "12.3", "-50.0", "200.0"]);
    }

    #[test]
    fn four_significant_digits() {
        for (x, text) in [
            (16.6919, "16.69"),
            (-2.89730, "-2.897"),
            (0.0123, "0.0123"),
            (1.2341e-5, "1.234e-5"),
            (-0.0, "0"),
            (7.0, "7"),
            (9.99996, "10"),
            (12345.6, "12350"),
            (1.5e9, "1.5e9"),
            (-1e-20, "-1e-20"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(x), text);
        }
    }
}
