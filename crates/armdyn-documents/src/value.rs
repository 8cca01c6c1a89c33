//! The value of an expression: a number, a vector or a matrix over any scalar.

use armdyn_core::{Real, Vec3, vec3};
use std::ops::Neg;

/// A matrix; a number has one row and one column, a vector one column.
#[derive(Clone, Debug)]
pub struct Value<S> {
    rows: usize,
    columns: usize,
    /// Row-major.
    cells: Vec<S>,
}

impl<S> From<S> for Value<S> {
    fn from(x: S) -> Self {
        Value { rows: 1, columns: 1, cells: vec![x] }
    }
}

impl<S: Real> From<Vec3<S>> for Value<S> {
    fn from(v: Vec3<S>) -> Self {
        Value::column(v.to_array().to_vec())
    }
}

impl<S: Real> Value<S> {
    /// A vector.
    pub fn column(cells: Vec<S>) -> Self {
        Value { rows: cells.len(), columns: 1, cells }
    }

    /// A matrix, row-major.
    pub fn matrix(columns: usize, cells: Vec<S>) -> Self {
        Value { rows: cells.len().checked_div(columns).unwrap_or(0), columns, cells }
    }

    /// Its elements, row-major.
    pub fn cells(&self) -> &[S] {
        &self.cells
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The element of a row and a column, from 1.
    pub fn element(&self, row: usize, column: usize) -> Result<S, String> {
        let inside = (1..=self.rows).contains(&row) && (1..=self.columns).contains(&column);
        let none = || format!("no element {row}, {column} in a {} × {} matrix", self.rows, self.columns);
        if inside { Ok(self.cells[(row - 1) * self.columns + column - 1]) } else { Err(none()) }
    }

    /// Its value as a number.
    pub fn number(&self) -> Result<S, String> {
        match self.cells[..] {
            [x] => Ok(x),
            _ => Err(format!("expected a number, found {} × {}", self.rows, self.columns)),
        }
    }

    /// Its value as a vector of three.
    pub fn vector(&self) -> Result<Vec3<S>, String> {
        match self.cells[..] {
            [x, y, z] => Ok(vec3(x, y, z)),
            _ => Err(format!("expected a vector of three, found {} × {}", self.rows, self.columns)),
        }
    }

    /// Applies a function to every element.
    pub fn map<U>(&self, f: impl Fn(&S) -> U) -> Value<U> {
        Value { rows: self.rows, columns: self.columns, cells: self.cells.iter().map(f).collect() }
    }

    fn with(self, other: &Self, f: impl Fn(S, S) -> S) -> Result<Self, String> {
        if self.shape() != other.shape() {
            return Err(format!("shapes {:?} and {:?} differ", self.shape(), other.shape()));
        }
        let cells = self.cells.iter().zip(&other.cells).map(|(&a, &b)| f(a, b)).collect();
        Ok(Value { cells, ..self })
    }

    /// The sum.
    pub fn plus(self, other: &Self) -> Result<Self, String> {
        self.with(other, |a, b| a + b)
    }

    /// The difference.
    pub fn minus(self, other: &Self) -> Result<Self, String> {
        self.with(other, |a, b| a - b)
    }

    /// The product: of numbers, with a number, or of matrices.
    pub fn times(&self, other: &Self) -> Result<Self, String> {
        if let ([x], _) | (_, [x]) = (&self.cells[..], &other.cells[..]) {
            let matrix = if self.cells.len() == 1 { other } else { self };
            return Ok(matrix.map(|y| *x * *y));
        }
        if self.columns != other.rows {
            return Err(format!("shapes {:?} and {:?} cannot be multiplied", self.shape(), other.shape()));
        }
        let cell = |k: usize| {
            let (i, j) = (k / other.columns, k % other.columns);
            let product = |l: usize| self.cells[i * self.columns + l] * other.cells[l * other.columns + j];
            (0..self.columns).map(product).reduce(|sum, x| sum + x).unwrap_or(S::zero())
        };
        Ok(Value::matrix(other.columns, (0..self.rows * other.columns).map(cell).collect()))
    }

    /// The transpose.
    pub fn transposed(&self) -> Self {
        let cell = |k: usize| self.cells[k % self.rows * self.columns + k / self.rows];
        Value { rows: self.columns, columns: self.rows, cells: (0..self.cells.len()).map(cell).collect() }
    }

    /// The sum of the diagonal.
    pub fn trace(&self) -> S {
        (0..self.rows.min(self.columns)).fold(S::zero(), |sum, k| sum + self.cells[k * self.columns + k])
    }

    /// The Frobenius norm.
    pub fn norm(&self) -> S {
        self.cells.iter().fold(S::zero(), |sum, x| sum + x.sqr()).sqrt()
    }
}

impl<S: Real> Neg for Value<S> {
    type Output = Self;

    fn neg(self) -> Self {
        self.map(|x| -*x)
    }
}
