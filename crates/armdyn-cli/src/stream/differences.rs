//! Rows with their neighbours, for derivatives across the borders of blocks.

use crate::table::Block;
use std::ops::Range;

/// Rows that wait for the next one, followed by those of the current block.
pub struct Window {
    width: usize,
    rows: Vec<f64>,
    /// Number of its first rows that were computed before.
    done: usize,
}

impl Window {
    /// Without rows.
    pub fn new(width: usize) -> Self {
        Window { width, rows: vec![], done: 0 }
    }

    /// Adds the next rows after dropping those that are no longer needed.
    pub fn add<'a>(&mut self, rows: impl Iterator<Item = &'a [f64]>) {
        let unneeded = if self.done > 0 { self.len().saturating_sub(3) } else { 0 };
        self.rows.drain(..unneeded * self.width);
        self.done -= unneeded;
        rows.for_each(|row| self.rows.extend_from_slice(row));
    }

    /// The rows to compute now; at the end also the last one. Empty if there are fewer than three rows.
    pub fn take(&mut self, end: bool) -> Range<usize> {
        let until = if self.len() < 3 { 0 } else { self.len() - usize::from(!end) };
        let rows = self.done..until.max(self.done);
        self.done = rows.end;
        rows
    }

    fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// A row.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.width..(i + 1) * self.width]
    }

    /// Three neighbouring rows, with row `i` among them: in the middle, but for the first and the last row.
    pub fn around(&self, i: usize) -> [&[f64]; 3] {
        let middle = i.clamp(1, self.len() - 2);
        [middle - 1, middle, middle + 1].map(|k| self.row(k))
    }
}

/// The rows of a block whose times increase, after a last time; and the index of the first other row.
pub fn increasing(block: &Block, time: usize, last: Option<f64>) -> (usize, Option<(f64, f64)>) {
    let mut last = last;
    for (i, row) in block.iter().enumerate() {
        let now = row[time];
        if let Some(last) = last.filter(|last| *last >= now) {
            return (i, Some((now, last)));
        }
        last = Some(now);
    }
    (block.rows(), None)
}
