//! Arrays that are in the memory of a GPU: computed there, without a copy to the host.
//!
//! What is checked of them, and which library allocates the result, is in `_arrays.py`.
#![allow(unsafe_code)]

use crate::arrays::Argument;
use crate::errors;
use crate::evaluate::{Precision, gpu_program};
use crate::quantity::Quantity;
use crate::robot::Inner;
use armdyn_gpu::Layout;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Where the arguments of a call are.
pub struct Places {
    /// The number of the GPU.
    gpu: usize,
    /// Whether the numbers are in `f32`.
    pub is_single: bool,
    /// The address and the shape of each array.
    arrays: Vec<(u64, Vec<usize>)>,
}

/// The number of the GPU, whether the numbers are in `f32`, and the arrays.
type Found = (usize, bool, Vec<(u64, Vec<usize>)>);

/// Where the arguments are; none if they are not on a GPU.
pub fn places<const N: usize>(arguments: [Argument<'_, '_>; N]) -> PyResult<Option<Places>> {
    let py = arguments[0].1.py();
    // NumPy's arrays, the usual case, need no call of Python.
    if arguments.iter().all(|(_, value)| value.cast::<numpy::PyUntypedArray>().is_ok()) {
        return Ok(None);
    }
    let names = PyTuple::new(py, arguments.map(|a| a.0))?;
    let values = PyTuple::new(py, arguments.map(|a| a.1))?;
    let found = py.import("armdyn._arrays")?.getattr("on_gpu")?.call1((names, values))?;
    let found: Option<Found> = found.extract()?;
    Ok(found.map(|(gpu, is_single, arrays)| Places { gpu, is_single, arrays }))
}

/// Computes a state or a batch. The result is on the same GPU, of the library of the arguments.
pub fn run<'py, T: Precision, const N: usize>(
    py: Python<'py>,
    robot: &Inner,
    quantity: Quantity,
    arguments: [Argument<'_, 'py>; N],
    places: Places,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let m = &robot.model;
    let fail = |e: armdyn_gpu::Error| errors::error(py, &e.to_string());
    let program = gpu_program::<T>(robot, quantity).map_err(fail)?;
    let number = places.gpu;
    let gpu = program.gpus().iter().find(|g| g.ordinal() == number);
    let gpu = gpu.ok_or_else(|| errors::error(py, &format!("GPU {number} of the arguments is not available")))?;
    let mut rows: Option<Vec<usize>> = None;
    for (k, ((name, _), (_, shape))) in arguments.iter().zip(&places.arrays).enumerate() {
        let n = if k == 0 { m.nq() } else { m.nv() };
        let (Some((&last, before)), true) = (shape.split_last(), shape.len() <= 2) else {
            return Err(errors::value(format!("`{name}` on the GPU has {} axes: expected 1 or 2", shape.len())));
        };
        if last != n || rows.as_deref().is_some_and(|rows| rows != before) {
            let message = format!("`{name}` on the GPU has the shape {shape:?}: expected as many rows as `q`, of {n}");
            return Err(errors::value(message));
        }
        rows = Some(before.to_vec());
    }
    let rows = rows.unwrap_or_default();
    let states: usize = rows.iter().product();
    let shape: Vec<usize> = rows.into_iter().chain(quantity.shape(m)).collect();
    let make = py.import("armdyn._arrays")?.getattr("gpu_output")?;
    let (result, address): (Bound<'py, PyAny>, u64) =
        make.call1((arguments[0].1, PyTuple::new(py, &shape)?, out))?.extract()?;
    let used = program.arrays().len();
    let computed = py.detach(|| {
        // What other streams still write is finished before it is read.
        gpu.synchronize()?;
        let length = |shape: &[usize]| shape.iter().product::<usize>();
        // SAFETY: the addresses are those of contiguous arrays of these shapes and this type in the memory of this GPU, which the
        // arguments and `result` keep alive; CUDA array interfaces are of the primary context. `gpu_output` returned a new array or a
        // writeable one of the caller, who must not use it meanwhile, as with any library.
        let mut inputs: Vec<_> =
            places.arrays[..used].iter().map(|(at, shape)| unsafe { gpu.borrow::<T>(*at, length(shape)) }).collect();
        // SAFETY: as above.
        let mut out = unsafe { gpu.borrow::<T>(address, length(&shape)) };
        let inputs: Vec<_> = inputs.iter_mut().map(|a| &*a.array()).collect();
        program.run(Layout::Rows, states, &inputs, out.array())
    });
    match computed {
        Ok(()) => Ok(result),
        Err(armdyn_gpu::Error::InvalidStates { first, count, source }) => {
            Err(errors::of_gpu_states(py, (first, &source), count, states, result))
        }
        Err(e) => Err(fail(e)),
    }
}
