//! Arrays of NumPy as slices, read and written in place. Unsafe code is here and in `on_gpu.rs`.
//!
//! A slice is used while its array is alive. Other Python threads may write an array while a batch reads it, as with NumPy's own
//! functions: the numbers are then undefined, and nothing else.
#![allow(unsafe_code)]

use numpy::npyffi::NPY_ARRAY_WRITEABLE;
use numpy::{
    Element, IxDyn, PyArray, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::ops::Range;

/// An array whose rows lie one after the other.
pub type Array<'py, T> = Bound<'py, PyArrayDyn<T>>;

/// The name of an argument, and its value.
pub type Argument<'a, 'py> = (&'static str, &'a Bound<'py, PyAny>);

/// The arguments of a call in one precision.
pub enum Arrays<'py, const N: usize> {
    /// All in `f64`.
    Double([Array<'py, f64>; N]),
    /// All in `f32`.
    Single([Array<'py, f32>; N]),
}

/// The arguments as contiguous arrays: in single precision if all of them are, otherwise in double precision. Anything else that
/// NumPy can convert is copied.
pub fn read<'py, const N: usize>(arguments: [Argument<'_, 'py>; N]) -> PyResult<Arrays<'py, N>> {
    if let Some(arrays) = all(arguments, |(_, value)| contiguous::<f64>(value)) {
        return Ok(Arrays::Double(arrays));
    }
    if let Some(arrays) = all(arguments, |(_, value)| contiguous::<f32>(value)) {
        return Ok(Arrays::Single(arrays));
    }
    let mut converted = vec![];
    for argument in arguments {
        converted.push(convert(argument)?);
    }
    let single = converted.iter().all(|array| kind(array) == (b'f', 4));
    // `all` fails only if NumPy returned what it was not asked for.
    let wrong = || PyTypeError::new_err("NumPy returned an array of another type");
    if single {
        let arrays = cast(arguments, &converted, "float32")?;
        return all_of(&arrays, contiguous::<f32>).map(Arrays::Single).ok_or_else(wrong);
    }
    let arrays = cast(arguments, &converted, "float64")?;
    all_of(&arrays, contiguous::<f64>).map(Arrays::Double).ok_or_else(wrong)
}

fn all<'a, 'py, T, const N: usize>(
    arguments: [Argument<'a, 'py>; N],
    mut one: impl FnMut(Argument<'a, 'py>) -> Option<T>,
) -> Option<[T; N]> {
    let mut found: [Option<T>; N] = std::array::from_fn(|_| None);
    for (slot, argument) in found.iter_mut().zip(arguments) {
        *slot = Some(one(argument)?);
    }
    Some(found.map(|slot| slot.expect("each slot was filled")))
}

fn all_of<'py, T, const N: usize>(
    arrays: &[Bound<'py, PyAny>],
    one: impl Fn(&Bound<'py, PyAny>) -> Option<T>,
) -> Option<[T; N]> {
    let found: Option<Vec<T>> = arrays.iter().map(one).collect();
    found?.try_into().ok()
}

/// The array if it has this type and is contiguous.
fn contiguous<'py, T: Element>(value: &Bound<'py, PyAny>) -> Option<Array<'py, T>> {
    let array = value.cast::<PyArrayDyn<T>>().ok()?;
    array.is_c_contiguous().then(|| array.clone())
}

/// The kind of the numbers of an array (`f`, `i`, …) and their size.
fn kind(array: &Bound<'_, PyAny>) -> (u8, usize) {
    array.cast::<PyUntypedArray>().map_or((b'O', 0), |a| (a.dtype().kind(), a.dtype().itemsize()))
}

/// The argument as an array of whatever type.
fn convert<'py>((name, value): Argument<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    static AS_ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let function =
        AS_ARRAY.get_or_try_init(py, || Ok::<_, PyErr>(py.import("armdyn._arrays")?.getattr("as_array")?.unbind()))?;
    function.bind(py).call1((name, value))
}

/// The arrays in a type, contiguous.
fn cast<'py, const N: usize>(
    arguments: [Argument<'_, 'py>; N],
    arrays: &[Bound<'py, PyAny>],
    to: &str,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut all = vec![];
    for ((name, value), array) in arguments.into_iter().zip(arrays) {
        let (kind, _) = kind(array);
        if !matches!(kind, b'f' | b'i' | b'u' | b'b') {
            return Err(PyTypeError::new_err(format!(
                "`{name}` is not an array of real numbers: its type is {}",
                array.getattr("dtype")?
            )));
        }
        let py = value.py();
        let options = PyDict::new(py);
        options.set_item("order", "C")?;
        options.set_item("copy", false)?;
        all.push(array.call_method("astype", (to,), Some(&options))?);
    }
    Ok(all)
}

/// The numbers of an array.
pub fn numbers<'a, T: Element>(array: &'a Array<'_, T>) -> &'a [T] {
    // SAFETY: the array is contiguous, of numbers that have no invalid representation, and alive as long as the slice. Nothing of
    // this package writes it: `output` refuses results that overlap arguments.
    unsafe { array.as_slice() }.expect("arrays are contiguous")
}

/// The shape without its last axis, which must have `n` numbers: `[]` of one state, `[B]` of a batch.
pub fn batch<T: Element>(name: &str, array: &Array<'_, T>, n: usize) -> PyResult<Option<usize>> {
    match *array.shape() {
        [found] if found == n => Ok(None),
        [states, found] if found == n => Ok(Some(states)),
        ref shape => {
            let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
            let comma = if shape.len() == 1 { "," } else { "" };
            Err(PyValueError::new_err(format!(
                "`{name}` has the shape ({}{comma}): expected ({n},) for one state, or (B, {n}) for B states",
                shape.join(", ")
            )))
        }
    }
}

/// A result array: a new one, or `out` after a check of its type and shape, and that it overlaps no argument.
pub fn output<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
    out: Option<&Bound<'py, PyAny>>,
    inputs: &[Range<usize>],
) -> PyResult<Array<'py, T>> {
    let Some(out) = out else {
        // SAFETY: all numbers are written before the array is returned, and any bits are a number.
        return Ok(unsafe { PyArray::<T, IxDyn>::new(py, shape, false) });
    };
    let expected = || {
        let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        format!(
            "expected a contiguous, writeable array of {} with the shape ({}{comma})",
            T::get_dtype(py),
            shape.join(", ")
        )
    };
    let Ok(array) = out.cast::<PyArrayDyn<T>>() else {
        return Err(PyTypeError::new_err(format!("`out` has the wrong type: {}", expected())));
    };
    if array.shape() != shape {
        return Err(PyValueError::new_err(format!("`out` has the wrong shape: {}", expected())));
    }
    if !array.is_c_contiguous() {
        return Err(PyValueError::new_err(format!("`out` is not contiguous: {}", expected())));
    }
    // SAFETY: the pointer is that of a living array.
    if unsafe { (*array.as_array_ptr()).fields.flags } & NPY_ARRAY_WRITEABLE == 0 {
        return Err(PyValueError::new_err(format!("`out` is read-only: {}", expected())));
    }
    let own = extent(numbers(array));
    if inputs.iter().any(|input| input.start < own.end && own.start < input.end) {
        return Err(PyValueError::new_err("`out` overlaps an argument: pass another array"));
    }
    Ok(array.clone())
}

/// The addresses of a slice.
pub fn extent<T>(values: &[T]) -> Range<usize> {
    let start = values.as_ptr() as usize;
    start..start + size_of_val(values)
}

/// The numbers of a result, to be written.
pub fn numbers_mut<'a, T: Element>(array: &'a mut Array<'_, T>) -> &'a mut [T] {
    // SAFETY: as of `numbers`; `output` returned the array, so it is writeable and overlaps no argument. The slice borrows the
    // handle mutably, and calls make one handle each.
    unsafe { array.as_slice_mut() }.expect("arrays are contiguous")
}
