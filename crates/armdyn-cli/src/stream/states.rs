//! Blocks of states, computed row by row on all cores.

use crate::output::CommandError;
use rayon::prelude::*;

/// Rows of a task of a thread.
const ROWS_PER_TASK: usize = 256;

/// States of a block: one row-major array per input.
pub struct States<'a, const N: usize> {
    /// Number of states.
    pub rows: usize,
    /// The inputs.
    pub arrays: [&'a [f64]; N],
    /// Whether the table has so many states that compiling a program for them pays.
    pub many: bool,
}

impl<'a, const N: usize> States<'a, N> {
    /// The inputs of a row.
    pub fn row(&self, i: usize) -> [&'a [f64]; N] {
        self.arrays.map(|all| {
            let n = all.len() / self.rows;
            &all[i * n..(i + 1) * n]
        })
    }

    /// Computes each row's results from its index and inputs, on all cores, with a workspace per task. The error is that of the
    /// first row that has one, whatever the number of threads.
    pub fn each_row<W>(
        &self,
        out: &mut [f64],
        workspace: impl Fn() -> W + Sync,
        each: impl Fn(&mut W, usize, [&[f64]; N], &mut [f64]) -> Result<(), CommandError> + Sync,
    ) -> Result<(), RowError> {
        let width = (out.len() / self.rows.max(1)).max(1);
        let tasks = out.par_chunks_mut(ROWS_PER_TASK * width).enumerate();
        let errors = tasks.filter_map(|(task, out)| {
            let mut workspace = workspace();
            out.chunks_exact_mut(width).zip(task * ROWS_PER_TASK..).find_map(|(out, row)| {
                let error = each(&mut workspace, row, self.row(row), out).err()?;
                Some(RowError { row, error })
            })
        });
        errors.min_by_key(|e| e.row).map_or(Ok(()), Err)
    }
}

/// An error of a state.
#[derive(Debug)]
pub struct RowError {
    /// Its index in the block, from 0.
    pub row: usize,
    /// What is wrong.
    pub error: CommandError,
}
