//! A small row-major matrix for results.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Index, IndexMut};

/// A dense matrix, row after row.
///
/// ```
/// use armdyn_core::Matrix;
/// let m = Matrix::from_row_major(2, 2, vec![1.0, 2.0, 3.0, 1234.56]);
/// assert_eq!((m[(0, 1)], m.row(1)), (2.0, &[3.0, 1234.56][..]));
/// assert_eq!(m.to_string(), "1     2\n3  1235\n");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T> {
    columns: usize,
    rows: usize,
    values: Vec<T>,
}

impl<T> Matrix<T> {
    /// From its elements, row after row.
    ///
    /// # Panics
    /// If there are not `rows` × `columns` values.
    #[must_use]
    pub fn from_row_major(rows: usize, columns: usize, values: Vec<T>) -> Self {
        assert_eq!(values.len(), rows * columns, "a {rows} × {columns} matrix needs {} values", rows * columns);
        Matrix { columns, rows, values }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// The elements, row after row.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    /// The elements, row after row.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.values
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;

    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.values[i * self.columns..(i + 1) * self.columns][j]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.values[i * self.columns..(i + 1) * self.columns][j]
    }
}

/// One line per row, columns aligned, four significant digits.
impl fmt::Display for Matrix<f64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.values.iter().map(|x| four_digits(*x)).collect();
        let width = |j: usize| texts.iter().skip(j).step_by(self.columns).map(String::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns).map(width).collect();
        for row in texts.chunks(self.columns.max(1)) {
            for (j, (text, width)) in row.iter().zip(&widths).enumerate() {
                write!(f, "{}{text:>width$}", if j == 0 { "" } else { "  " })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// A number for people: four significant digits, without an exponent where it reads well without one.
///
/// ```
/// use armdyn_core::four_digits;
/// assert_eq!([16.6919, -0.0, 1.5e-7].map(four_digits), ["16.69", "0", "1.5e-7"]);
/// ```
#[must_use]
pub fn four_digits(x: f64) -> String {
    let trimmed = |text: &str| match text.contains('.') {
        true => String::from(text.trim_end_matches('0').trim_end_matches('.')),
        false => String::from(text),
    };
    let scientific = format!("{x:.3e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>() {
        _ if x == 0.0 => String::from("0"),
        Ok(e @ -3..4) => trimmed(&format!("{x:.*}", (3 - e) as usize)),
        Ok(4..6) => format!("{:.0}", scientific.parse().unwrap_or(x)),
        _ => format!("{}e{exponent}", trimmed(digits)),
    }
}

/// Fraction of the scale of a quantity up to which a value is a rounding error.
pub const ROUNDING: f64 = 1e-13;

/// A value without rounding errors: 0 up to 1e-13 of the scale of its quantity, such as the largest value of the same kind.
///
/// ```
/// use armdyn_core::rounded;
/// assert_eq!([rounded(-2.2e-12, 87.0), rounded(-2.2e-12, 1.0)], [0.0, -2.2e-12]);
/// ```
#[must_use]
pub fn rounded(x: f64, scale: f64) -> f64 {
    if x.abs() <= ROUNDING * scale { 0.0 } else { x }
}

#[cfg(feature = "nalgebra")]
impl<T: nalgebra::Scalar> From<Matrix<T>> for nalgebra::DMatrix<T> {
    fn from(m: Matrix<T>) -> Self {
        nalgebra::DMatrix::from_row_iterator(m.rows, m.columns, m.values)
    }
}

#[cfg(feature = "nalgebra")]
impl<T: nalgebra::Scalar> From<&nalgebra::DMatrix<T>> for Matrix<T> {
    fn from(m: &nalgebra::DMatrix<T>) -> Self {
        Matrix::from_row_major(m.nrows(), m.ncols(), m.transpose().iter().cloned().collect())
    }
}

#[cfg(feature = "faer")]
impl<T: Copy> From<Matrix<T>> for faer::Mat<T> {
    fn from(m: Matrix<T>) -> Self {
        faer::Mat::from_fn(m.rows, m.columns, |i, j| m[(i, j)])
    }
}

#[cfg(feature = "faer")]
impl<T: Copy> From<faer::MatRef<'_, T>> for Matrix<T> {
    fn from(m: faer::MatRef<'_, T>) -> Self {
        let values = (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |j| m[(i, j)])).collect();
        Matrix::from_row_major(m.nrows(), m.ncols(), values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_significant_digits() {
        let expected = [
            (16.6919, "16.69"),
            (-2.8973, "-2.897"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (123_456.0, "123500"),
            (1.5e-7, "1.5e-7"),
            (0.000_123_456, "1.235e-4"),
            (f64::NAN, "NaN"),
        ];
        for (x, text) in expected {
            assert_eq!(four_digits(x), text);
        }
    }

    #[cfg(feature = "nalgebra")]
    #[test]
    fn nalgebra_there_and_back() {
        let m = Matrix::from_row_major(2, 3, alloc::vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let converted = nalgebra::DMatrix::from(m.clone());
        assert_eq!((converted[(0, 2)], converted[(1, 0)]), (3.0, 4.0));
        assert_eq!(Matrix::from(&converted), m);
    }

    #[cfg(feature = "faer")]
    #[test]
    fn faer_there_and_back() {
        let m = Matrix::from_row_major(2, 3, alloc::vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let converted = faer::Mat::from(m.clone());
        assert_eq!((converted[(0, 2)], converted[(1, 0)]), (3.0, 4.0));
        assert_eq!(Matrix::from(converted.as_ref()), m);
    }
}
