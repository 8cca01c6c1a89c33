//! Evaluation of the tape in `f64`, where there is no native code.

use crate::lower::Pivot;
use crate::number::Number;
use armdyn_symbolic::Tape;
use std::cell::RefCell;

thread_local! {
    /// The values of a call, allocated on the first call of a thread.
    static VALUES: RefCell<Vec<f64>> = const { RefCell::new(vec![]) };
}

/// Computes one state. Returns the index of the first pivot with the wrong sign.
pub(crate) fn interpret<T: Number>(tape: &Tape, pivots: &[Pivot], inputs: [&[T]; 3], out: &mut [T]) -> Option<usize> {
    let input = |mut i: usize| {
        let mut array = 0;
        while i >= inputs[array].len() {
            i -= inputs[array].len();
            array += 1;
        }
        inputs[array][i].into()
    };
    VALUES.with_borrow_mut(|values| {
        tape.run(input, values);
        for (x, o) in out.iter_mut().zip(tape.outputs()) {
            *x = T::lift(o.signed(values[o.node()]));
        }
        pivots.iter().position(|p| {
            let value = values[p.position];
            let positive = if p.negative { -value > 0.0 } else { value > 0.0 };
            !positive
        })
    })
}
