//! Rows of arrays to columns in registers and back: one state per row in memory, one per lane in a register.
//!
//! Several columns are read or written together, in blocks that are transposed by shuffles; the last block overlaps the one
//! before, so that nothing beyond a row is touched. Lanes hold the rows in natural order, except for `f64` with AVX-512,
//! where the order 0, 1, 4, 5, 2, 3, 6, 7 saves shuffles.

use super::Target;
use super::encode::{Extent, Memory};
use super::graph::{Graph, Op, Value};

/// The columns of an array of which `n` numbers per row are used.
pub(super) fn read(g: &mut Graph, base: u8, n: usize) -> Vec<Value> {
    let t = g.target;
    let mut columns = vec![];
    for first in blocks(t, 0, n) {
        let part = |row: usize| Memory { base, offset: t.offset(row, n, first), extent: Extent::Bytes(t.part()) };
        let step = t.columns();
        let rows: Vec<Value> = (0..step)
            .map(|i| {
                let mut row = g.op(Op::LoadPart(part(i)), &[]);
                for k in 1..t.lanes() / step {
                    row = g.op(Op::InsertPart(k as u8, part(i + k * step)), &[row]);
                }
                row
            })
            .collect();
        let block = match (t.wide, t.single()) {
            (false, false) => unpack(g, [rows[0], rows[1]]).to_vec(),
            (true, false) => {
                let ([a, b], [c, d]) = (unpack(g, [rows[0], rows[1]]), unpack(g, [rows[2], rows[3]]));
                [(a, c, 0x88), (b, d, 0x88), (a, c, 0xdd), (b, d, 0xdd)]
                    .map(|(x, y, blocks)| g.op(Op::ShuffleBlocks(blocks), &[x, y]))
                    .to_vec()
            }
            (_, true) => transposed(g, [rows[0], rows[1], rows[2], rows[3]]).to_vec(),
        };
        let known = columns.len() - first;
        columns.extend_from_slice(&block[known..]);
    }
    columns.truncate(n);
    columns
}

/// Stores columns. Whole registers are faster for `f32` with AVX-512 (M of Panda on a Zen 5: 6.0 instead of 7.2 ns), but slower
/// for the others (`f64`: 11.6 instead of 11.0 ns).
pub(super) fn write(g: &mut Graph, base: u8, columns: &[Value]) {
    let n = columns.len();
    let whole = if g.target.wide && g.target.single() { n - n % SQUARE } else { 0 };
    for first in (0..whole).step_by(SQUARE) {
        write_square(g, base, n, first, &columns[first..first + SQUARE]);
    }
    write_parts(g, base, whole, columns);
}

/// `f32` in a register of AVX-512.
const SQUARE: usize = 16;

/// Stores as many columns of `f32`, from column `first` on, in whole registers.
fn write_square(g: &mut Graph, base: u8, n: usize, first: usize, columns: &[Value]) {
    // Block k of vector i of a group: four columns of row 4 k + i.
    let groups: Vec<[Value; 4]> = columns.as_chunks::<4>().0.iter().map(|columns| transposed(g, *columns)).collect();
    for i in 0..4 {
        let mut shuffle = |x, y, blocks| g.op(Op::ShuffleBlocks(blocks), &[x, y]);
        let [a, b, c, d] = [0, 1, 2, 3].map(|group| groups[group][i]);
        let low = (shuffle(a, b, 0x44), shuffle(c, d, 0x44));
        let high = (shuffle(a, b, 0xee), shuffle(c, d, 0xee));
        let rows = [(low, 0x88), (low, 0xdd), (high, 0x88), (high, 0xdd)];
        let rows = rows.map(|((x, y), blocks)| shuffle(x, y, blocks));
        for (k, row) in rows.into_iter().enumerate() {
            let offset = g.target.offset(4 * k + i, n, first);
            g.store(Op::Store(Memory { base, offset, extent: Extent::Vector }), row);
        }
    }
}

/// Stores the columns from `from` on, several at a time, in parts of registers.
fn write_parts(g: &mut Graph, base: u8, from: usize, columns: &[Value]) {
    let (t, n) = (g.target, columns.len());
    let step = t.columns();
    let blocks = blocks(t, from, n);
    let indices = (t.wide && !t.single() && !blocks.is_empty())
        .then(|| [[0, 1, 8, 9, 2, 3, 10, 11], [4, 5, 12, 13, 6, 7, 14, 15]].map(|lanes| g.integers(&lanes)));
    for first in blocks {
        // Beyond a narrow array there is room in the row, filled with anything.
        let block: Vec<Value> = (0..step).map(|i| columns[(first + i).min(n - 1)]).collect();
        let part = |row: usize| Memory { base, offset: t.offset(row, n, first), extent: Extent::Bytes(t.part()) };
        // Each vector with the rows of its parts.
        let rows: Vec<(Value, Vec<usize>)> = match indices {
            Some([low, high]) => {
                // Pairs of numbers of the rows 0, 4, 2, 6, and of the rows 1, 5, 3, 7.
                let ([a, b], [c, d]) = (unpack(g, [block[0], block[1]]), unpack(g, [block[2], block[3]]));
                [(low, a, c, 0), (high, a, c, 2), (low, b, d, 1), (high, b, d, 3)]
                    .map(|(indices, x, y, row)| (g.op(Op::Permute, &[indices, x, y]), vec![row, row + 4]))
                    .to_vec()
            }
            None => {
                let vectors = if t.single() {
                    transposed(g, [block[0], block[1], block[2], block[3]]).to_vec()
                } else {
                    unpack(g, [block[0], block[1]]).to_vec()
                };
                let rows = |i: usize| (i..t.lanes()).step_by(step).collect();
                vectors.into_iter().enumerate().map(|(i, v)| (v, rows(i))).collect()
            }
        };
        for (vector, rows) in rows {
            for (k, row) in rows.into_iter().enumerate() {
                g.store(Op::StorePart(k as u8, part(row)), vector);
            }
        }
    }
}

/// The first columns of blocks that cover the columns from `from` on; the last one may overlap others.
fn blocks(t: Target, from: usize, n: usize) -> Vec<usize> {
    let last = n.saturating_sub(t.columns());
    if from == n { vec![] } else { (from..last).step_by(t.columns()).chain([last]).collect() }
}

fn unpack(g: &mut Graph, ab: [Value; 2]) -> [Value; 2] {
    [g.op(Op::UnpackLow, &ab), g.op(Op::UnpackHigh, &ab)]
}

/// The 4 × 4 transposes of all 16-byte blocks of `f32`.
fn transposed(g: &mut Graph, [a, b, c, d]: [Value; 4]) -> [Value; 4] {
    let ([ab, ab_high], [cd, cd_high]) = (unpack(g, [a, b]), unpack(g, [c, d]));
    [
        g.op(Op::UnpackLowPairs, &[ab, cd]),
        g.op(Op::UnpackHighPairs, &[ab, cd]),
        g.op(Op::UnpackLowPairs, &[ab_high, cd_high]),
        g.op(Op::UnpackHighPairs, &[ab_high, cd_high]),
    ]
}
