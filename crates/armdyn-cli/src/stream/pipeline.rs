//! Reading, computing and writing at the same time: a thread reads blocks ahead, another one writes results; queues are bounded.

use super::differences::{Window, increasing};
use super::{InputValues, Plan, RowError, Source, States};
use crate::format::many;
use crate::limits::LimitCheck;
use crate::output::CommandError;
use crate::progress;
use crate::table::{self, Block, Progress, TableError};
use crate::values::Reader;
use armdyn_numerics::CompiledStates;
use rayon::prelude::*;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;

/// Rows of a block at most.
const ROWS: usize = 1 << 14;

/// Size of a block's inputs and results \[bytes\], above which it has fewer rows.
const BLOCK_SIZE: usize = 8 << 20;

/// Blocks that wait for computation, and results that wait to be written.
const QUEUED: usize = 2;

/// A block, or why there is none, and how far reading is.
type Read = (Result<Block, TableError>, Progress);

/// Reads blocks until the end, an error, or nobody receives them.
fn read(table: &mut table::Reader, rows: usize, blocks: &SyncSender<Read>, used: &Receiver<Block>) {
    loop {
        let mut block = used.try_recv().unwrap_or_else(|_| table.block(rows));
        let read = match table.read(&mut block) {
            Ok(0) => return,
            Ok(_) => Ok(block),
            Err(error) => Err(error),
        };
        let end = read.is_err();
        if blocks.send((read, table.progress())).is_err() || end {
            return;
        }
    }
}

/// Writes results, and returns the writer when there are no more.
fn write(
    mut writer: table::Writer,
    results: &Receiver<Block>,
    used: &Sender<Block>,
) -> Result<table::Writer, TableError> {
    for block in results {
        writer.write(&block)?;
        // Nobody takes used blocks any more after the last one.
        let _ = used.send(block);
    }
    Ok(writer)
}

impl<const N: usize> Plan<'_, N> {
    /// Computes all rows, of `width` results each, and returns their number.
    pub(super) fn compute(
        self,
        table: &mut table::Reader,
        writer: table::Writer,
        width: usize,
        reader: &Reader,
        block: impl FnMut(&States<N>, &mut [f64]) -> Result<(), RowError>,
    ) -> Result<u64, CommandError> {
        let columns = table.block(1).width();
        let rows = (BLOCK_SIZE / (8 * (columns + width))).clamp(1, ROWS);
        let total = table.rows();
        let bar = match table.progress() {
            Progress::Rows(_, total) => progress::bar(total, "{bar:30} {human_pos}/{human_len} states, {eta} left"),
            Progress::Bytes(_, total) => progress::bar(total, "{bar:30} {bytes}/{total_bytes}, {eta} left"),
        };
        let (send_block, blocks) = mpsc::sync_channel::<Read>(QUEUED);
        let (send_results, results) = mpsc::sync_channel(QUEUED);
        let (reuse_block, used_blocks) = mpsc::channel();
        let (reuse_results, used_results) = mpsc::channel();
        let limits = LimitCheck::new(reader);
        let mut computation = Computation {
            plan: self,
            reader,
            limits,
            width,
            total,
            done: 0,
            block,
            results: send_results,
            used_results,
        };
        let differentiate = !computation.plan.derived().is_empty();
        let (computed, written) = thread::scope(|scope| {
            scope.spawn(move || read(table, rows, &send_block, &used_blocks));
            let writing = scope.spawn(move || write(writer, &results, &reuse_results));
            let next = || {
                let (block, Progress::Rows(now, _) | Progress::Bytes(now, _)) = blocks.recv().ok()?;
                bar.set_position(now);
                Some(block)
            };
            let reuse = |block| drop(reuse_block.send(block));
            let computed = match differentiate {
                true => computation.with_derivatives(columns, next, reuse),
                false => computation.independent(next, reuse),
            };
            // Reader and writer end when nobody listens or speaks.
            drop(blocks);
            let Computation { done, limits, results, .. } = computation;
            drop(results);
            let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (computed.map(|()| (done, limits)), written)
        });
        bar.finish_and_clear();
        // What cannot be written comes before the rows that are computed meanwhile.
        let writer = written?;
        let (done, limits) = computed?;
        writer.finish()?;
        limits.summarize();
        Ok(done)
    }
}

/// A table's computation.
struct Computation<'a, const N: usize, F> {
    plan: Plan<'a, N>,
    reader: &'a Reader<'a>,
    limits: LimitCheck<'a>,
    /// Numbers in a row of results.
    width: usize,
    /// Number of states, if the table says so.
    total: Option<u64>,
    /// Number of computed states.
    done: u64,
    block: F,
    results: SyncSender<Block>,
    used_results: Receiver<Block>,
}

impl<const N: usize, F: FnMut(&States<N>, &mut [f64]) -> Result<(), RowError>> Computation<'_, N, F> {
    fn independent(
        &mut self,
        next: impl Fn() -> Option<Result<Block, TableError>>,
        reuse: impl Fn(Block),
    ) -> Result<(), CommandError> {
        while let Some(block) = next() {
            let block = block?;
            if !self.rows(block.rows(), |i| (block.row(i), None))? {
                break;
            }
            reuse(block);
        }
        Ok(())
    }

    fn with_derivatives(
        &mut self,
        columns: usize,
        next: impl Fn() -> Option<Result<Block, TableError>>,
        reuse: impl Fn(Block),
    ) -> Result<(), CommandError> {
        let (file, time) = (self.plan.file, self.plan.first_time);
        let (mut window, mut read, mut last) = (Window::new(columns), 0, None);
        loop {
            let block = next().transpose()?;
            let (mut disorder, end) = (None, block.is_none());
            if let Some(block) = block {
                let (ordered, found) = increasing(&block, time, last);
                window.add(block.iter().take(ordered));
                read += ordered;
                last = block.iter().take(ordered).last().map(|row| row[time]);
                disorder = found;
                reuse(block);
            }
            let rows = window.take(end);
            let (first, count) = (rows.start, rows.len());
            let go_on = self.rows(count, |i| (window.row(first + i), Some(window.around(first + i))))?;
            if let Some((now, last)) = disorder {
                return Err(format!("`{file}`, row {}: time {now} s is not after {last} s", read + 1).into());
            }
            if end && read < 3 {
                return Err(format!("`{file}` has {}: `--differentiate` needs three", many(read, "row")).into());
            }
            if end || !go_on {
                return Ok(());
            }
        }
    }

    /// Computes rows and passes their results on. Returns whether anybody takes them.
    fn rows<'r>(
        &mut self,
        rows: usize,
        row: impl Fn(usize) -> (&'r [f64], Option<[&'r [f64]; 3]>) + Sync,
    ) -> Result<bool, CommandError> {
        if rows == 0 {
            return Ok(true);
        }
        let (file, time, stamps) = (self.plan.file, self.plan.first_time, self.plan.times.len());
        self.plan.inputs.par_iter_mut().for_each(|input| input.fill(rows, &row, time));
        let arrays: [&[f64]; N] = std::array::from_fn(|k| self.plan.inputs[k].values.as_slice());
        let many = CompiledStates::pays(self.total.unwrap_or(0).max(self.done + rows as u64) as usize);
        let states = States { rows, arrays, many };
        if self.plan.inputs.first().is_some_and(|q| matches!(q.source, Source::Columns(_))) {
            self.limits.rows(states.arrays[0], rows);
        }
        let fault = |RowError { row, error }, done: u64| format!("`{file}`, row {}: {error}", done + row as u64 + 1);

        let mut results = self.used_results.try_recv().unwrap_or_else(|_| Block::new(self.width, rows));
        results.reset(rows);
        let width = self.width - stamps;
        let computed = if stamps == 0 {
            (self.block)(&states, results.values_mut())
        } else {
            let mut values = vec![0.0; rows * width];
            let computed = (self.block)(&states, &mut values);
            let into = results.values_mut().chunks_exact_mut(self.width).zip(values.chunks_exact(width.max(1)));
            for (i, (into, values)) in into.enumerate() {
                let (stamp, result) = into.split_at_mut(stamps);
                stamp.copy_from_slice(&row(i).0[time..]);
                result.copy_from_slice(values);
            }
            computed
        };
        let checked = self.reader.first_wrong_quaternion(states.arrays[0], rows);
        let first = [checked.err(), computed.err()].into_iter().flatten().min_by_key(|e| e.row);
        if let Some(error) = first {
            return Err(fault(error, self.done).into());
        }
        self.done += rows as u64;
        Ok(self.results.send(results).is_ok())
    }
}

impl InputValues<'_> {
    /// Sets the values of rows; derivatives are those of the three rows around each, whose times are in a column.
    fn fill<'r>(
        &mut self,
        rows: usize,
        row: &(impl Fn(usize) -> (&'r [f64], Option<[&'r [f64]; 3]>) + Sync),
        time: usize,
    ) {
        let n = self.scales.len();
        let (first, order) = match self.source {
            Source::Constant => {
                let state = self.values[..n].to_vec();
                if self.values.len() != rows * n {
                    self.values = state.repeat(rows);
                }
                return;
            }
            Source::Columns(first) => (first, 0),
            Source::Derivative(first, order) => (first, order),
        };
        self.values.resize(rows * n, 0.0);
        let scales = &self.scales;
        self.values.par_chunks_exact_mut(n.max(1)).with_min_len(256).enumerate().for_each(|(i, values)| {
            let (now, around) = row(i);
            for (j, (value, scale)) in values.iter_mut().zip(scales).enumerate() {
                *value = scale
                    * match (order, around) {
                        (1.., Some(rows)) => {
                            let times = rows.map(|r| r[time]);
                            armdyn_numerics::parabola_derivatives(times, rows.map(|r| r[first + j]), now[time])
                                [order - 1]
                        }
                        _ => now[first + j],
                    };
            }
        });
    }
}
