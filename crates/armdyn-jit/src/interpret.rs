//! The interpreter: the tape, instruction by instruction, where there is no native code. It computes in `f64`.

use crate::number::Number;
use crate::tape::{Op, Operand, Tape};
use armdyn_core::Real;
use std::cell::RefCell;

thread_local! {
    /// The values of a call; it grows on the first call of a thread, and is kept.
    static VALUES: RefCell<Vec<f64>> = const { RefCell::new(vec![]) };
}

/// Computes one state. Gives the first pivot that is not positive, if there is one.
pub(crate) fn interpret<T: Number>(tape: &Tape, inputs: [&[T]; 3], out: &mut [T]) -> Option<usize> {
    VALUES.with_borrow_mut(|memory| {
        let size = tape.ops.len() + 2 * tape.angles.len();
        if memory.len() < size {
            memory.resize(size, 0.0);
        }
        let (sines, values) = memory.split_at_mut(2 * tape.angles.len());
        let read = |o: Operand, values: &[f64], sines: &[f64]| match o {
            Operand::Constant(k) => tape.constants[k],
            Operand::Input(array, i) => inputs[array][i].into(),
            Operand::Sine(k) => sines[2 * k],
            Operand::Cosine(k) => sines[2 * k + 1],
            Operand::Value(k) => values[k],
        };
        let step = |k: usize, values: &mut [f64], sines: &[f64]| {
            let of = |o| read(o, values, sines);
            values[k] = match tape.ops[k] {
                Op::Add(a, b) => of(a) + of(b),
                Op::Sub(a, b) => of(a) - of(b),
                Op::Mul(a, b) => of(a) * of(b),
                Op::MulAdd(a, b, c) => of(a).mul_add(of(b), of(c)),
                Op::MulSub(a, b, c) => of(a).mul_add(of(b), -of(c)),
                Op::NegMulAdd(a, b, c) => (-of(a)).mul_add(of(b), of(c)),
                Op::Div(a, b) => of(a) / of(b),
                Op::Root(a) => of(a).sqrt(),
                Op::Sign(a) => Real::sign(of(a)),
                Op::Neg(a) => -of(a),
            };
        };
        for k in 0..tape.before {
            step(k, values, sines);
        }
        for (k, angle) in tape.angles.iter().enumerate() {
            (sines[2 * k], sines[2 * k + 1]) = Real::sin_cos(read(*angle, values, sines));
        }
        for k in tape.before..tape.ops.len() {
            step(k, values, sines);
        }
        for (x, o) in out.iter_mut().zip(&tape.outputs) {
            *x = T::lift(read(*o, values, sines));
        }
        let positive =
            |&(o, negative): &(Operand, bool)| read(o, values, sines) * if negative { -1.0 } else { 1.0 } > 0.0;
        tape.pivots.iter().position(|p| !positive(p))
    })
}
