//! Columns that belong together.

/// A quantity in each row of a table: one column per value in CSV and Parquet, one array in an npz.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    name: String,
    /// Shape of its array in a row; empty for a number.
    shape: Vec<usize>,
    columns: Vec<String>,
    /// The column of each element of the array, row-major.
    elements: Vec<usize>,
}

impl Quantity {
    /// One number.
    pub fn number(name: &str) -> Self {
        Quantity { name: name.to_string(), shape: vec![], columns: vec![name.to_string()], elements: vec![0] }
    }

    /// A vector with these columns.
    pub fn with_columns(name: &str, columns: Vec<String>) -> Self {
        let n = columns.len();
        Quantity { name: name.to_string(), shape: vec![n], columns, elements: (0..n).collect() }
    }

    /// A vector with one value per joint (wheel, …): columns `NAME_JOINT`.
    pub fn vector(name: &str, parts: &[String]) -> Self {
        Quantity::with_columns(name, parts.iter().map(|part| format!("{name}_{part}")).collect())
    }

    /// A symmetric matrix: columns `NAME_ROW_COLUMN` of its upper triangle, row by row; all of it in an npz.
    pub fn symmetric(name: &str, parts: &[String]) -> Self {
        let n = parts.len();
        let column = |i: usize, j: usize| i * (2 * n - i - 1) / 2 + j;
        let elements = (0..n * n).map(|k| column((k / n).min(k % n), (k / n).max(k % n))).collect();
        let upper = (0..n).flat_map(|i| (i..n).map(move |j| (i, j)));
        let columns = upper.map(|(i, j)| format!("{name}_{}_{}", parts[i], parts[j])).collect();
        Quantity { name: name.to_string(), shape: vec![n, n], columns, elements }
    }

    /// The name of its array.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The shape of its array in a row.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The names of its columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The column of each element of the array, row-major.
    pub(super) fn elements(&self) -> &[usize] {
        &self.elements
    }
}
