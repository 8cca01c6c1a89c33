//! Pointers of a caller as references and slices: all that is `unsafe`, in one place.
//!
//! What can be checked is checked: null pointers, lengths, alignment, results that overlap other arrays. What remains is the contract of
//! the header: a pointer that is not null is valid, a handle is one that armdyn returned and that is not released, a text ends with a zero,
//! and no other thread uses a result or an [`exclusive`] handle during the call.

use crate::status::{Failure, Status};
use std::ffi::{CStr, c_char};
use std::ops::Range;

fn null(what: &str) -> Failure {
    Failure::new(Status::NullPointer, format!("`{what}` is null"))
}

/// A handle that a call reads.
pub fn shared<'a, T>(what: &str, handle: *const T) -> Result<&'a T, Failure> {
    // SAFETY: the handle is null or one that `give` returned and that is not released; no call changes a shared handle.
    unsafe { handle.as_ref() }.ok_or_else(|| null(what))
}

/// A handle that a call changes.
pub fn exclusive<'a, T>(what: &str, handle: *mut T) -> Result<&'a mut T, Failure> {
    // SAFETY: the handle is null or one that `give` returned and that is not released; no other thread uses it during the call.
    unsafe { handle.as_mut() }.ok_or_else(|| null(what))
}

/// `Err` unless a result can be written.
pub fn check_place<T>(what: &str, place: *mut T) -> Result<(), Failure> {
    if place.is_null() { Err(null(what)) } else { check_alignment(what, place) }
}

/// Writes a result.
pub fn put<T>(what: &str, place: *mut T, value: T) -> Result<(), Failure> {
    check_place(what, place)?;
    // SAFETY: the place is valid and aligned. What was there needs no destructor: results are numbers and pointers.
    unsafe { place.write(value) };
    Ok(())
}

/// Creates an object of the caller. The place is null if that fails.
pub fn give<T>(what: &str, place: *mut *mut T, make: impl FnOnce() -> Result<T, Failure>) -> Result<(), Failure> {
    put(what, place, std::ptr::null_mut())?;
    put(what, place, Box::into_raw(Box::new(make()?)))
}

/// Releases an object of the caller; null is none.
pub fn release<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the handle is one that `give` returned, of this type, and it is released once.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// A text that ends with a zero.
pub fn text<'a>(what: &str, text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(null(what));
    }
    // SAFETY: the text is valid and ends with a zero.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|e| not_utf8(what, e.valid_up_to()))
}

/// A text of this many bytes.
pub fn long_text<'a>(what: &'static str, text: *const c_char, length: usize) -> Result<&'a str, Failure> {
    let bytes = slice(what, text.cast::<u8>(), length)?;
    std::str::from_utf8(bytes).map_err(|e| not_utf8(what, e.valid_up_to()))
}

fn not_utf8(what: &str, at: usize) -> Failure {
    Failure::new(Status::InvalidArgument, format!("`{what}` is not UTF-8 (byte {at})"))
}

/// An array that a call reads, of any length.
pub fn slice<'a, T>(what: &'static str, data: *const T, length: usize) -> Result<&'a [T], Failure> {
    check_size::<T>(what, length)?;
    let input = Input { what, data, length, expected: length };
    input.check()?;
    Ok(input.memory())
}

/// An array that a call reads, and the length that it must have.
#[derive(Clone, Copy)]
pub struct Input<T> {
    pub what: &'static str,
    pub data: *const T,
    pub length: usize,
    pub expected: usize,
}

/// An array that a call fills, and the length that it must have.
#[derive(Clone, Copy)]
pub struct Output<T> {
    pub what: &'static str,
    pub data: *mut T,
    pub length: usize,
    pub expected: usize,
}

impl<T> Output<T> {
    /// Its memory, once it is checked.
    #[inline(always)]
    fn memory<'a>(self) -> &'a mut [T] {
        match self.length {
            0 => &mut [],
            // SAFETY: not null, aligned, as long as the caller says, and apart from all other arrays of the call.
            length => unsafe { std::slice::from_raw_parts_mut(self.data, length) },
        }
    }

    #[inline(always)]
    fn as_input(&self) -> Input<T> {
        let Output { what, data, length, expected } = *self;
        Input { what, data, length, expected }
    }
}

impl<T> Input<T> {
    /// Whether length, pointer and alignment are right.
    #[inline(always)]
    fn is_valid(&self) -> bool {
        (self.length == self.expected) & (!self.data.is_null() | (self.length == 0)) & self.data.is_aligned()
    }

    /// `Err` unless length, pointer and alignment are right.
    fn check(&self) -> Result<(), Failure> {
        if self.length != self.expected {
            let (what, found, expected) = (self.what, self.length, self.expected);
            return Err(armdyn_core::Error::Length { what, expected, found }.into());
        }
        if self.data.is_null() && self.length > 0 {
            return Err(null(self.what));
        }
        check_alignment(self.what, self.data)
    }

    /// Its numbers, once it is checked.
    #[inline(always)]
    fn memory<'a>(self) -> &'a [T] {
        match self.length {
            0 => &[],
            // SAFETY: not null, aligned, and as long as the caller says, who does not change it during the call.
            length => unsafe { std::slice::from_raw_parts(self.data, length) },
        }
    }

    /// Its addresses. Of an array that is not valid they may be any.
    #[inline(always)]
    fn range(&self) -> Range<usize> {
        let first = self.data.addr();
        first..first.wrapping_add(self.length.wrapping_mul(size_of::<T>()))
    }

    /// Whether a result shares memory with this array.
    #[inline(always)]
    fn overlaps<U>(&self, result: &Output<U>) -> bool {
        let (a, b) = (self.range(), result.as_input().range());
        (a.start < b.end) & (b.start < a.end)
    }

    /// `Err` if a result shares memory with this array.
    fn check_apart<U>(&self, result: &Output<U>) -> Result<(), Failure> {
        if self.overlaps(result) {
            let message = format!("`{}` overlaps `{}`; results need memory of their own", result.what, self.what);
            return Err(Failure::new(Status::InvalidArgument, message));
        }
        Ok(())
    }
}

fn check_alignment<T>(what: &str, data: *const T) -> Result<(), Failure> {
    if data.is_aligned() {
        return Ok(());
    }
    let message = format!("`{what}` is not aligned to {} bytes", align_of::<T>());
    Err(Failure::new(Status::InvalidArgument, message))
}

/// `Err` if no array can have this many elements.
pub fn check_size<T>(what: &str, length: usize) -> Result<(), Failure> {
    let bytes = length.checked_mul(size_of::<T>()).filter(|bytes| isize::try_from(*bytes).is_ok());
    bytes.map(|_| ()).ok_or_else(|| {
        Failure::new(Status::WrongLength, format!("`{what}` has {length} values, more than memory can hold"))
    })
}

/// Calls a function with arrays. Their expected lengths are those of a robot, or passed [`check_size`].
#[inline(always)]
pub fn arrays<T: Copy, R, const I: usize, const O: usize>(
    inputs: [Input<T>; I],
    outputs: [Output<T>; O],
    call: impl FnOnce([&[T]; I], [&mut [T]; O]) -> Result<R, Failure>,
) -> Result<R, Failure> {
    // One decision for all arrays: a call takes less than a hundred nanoseconds.
    let mut valid = true;
    for input in &inputs {
        valid &= input.is_valid();
    }
    for (k, output) in outputs.iter().enumerate() {
        valid &= output.as_input().is_valid();
        for input in &inputs {
            valid &= !input.overlaps(output);
        }
        for other in &outputs[..k] {
            valid &= !other.as_input().overlaps(output);
        }
    }
    if !valid {
        check(inputs, outputs)?;
    }
    call(inputs.map(Input::memory), outputs.map(Output::memory))
}

/// `Err` unless all arrays are valid, and results apart from each other and from inputs.
#[cold]
#[inline(never)]
fn check<T: Copy, const I: usize, const O: usize>(
    inputs: [Input<T>; I],
    outputs: [Output<T>; O],
) -> Result<(), Failure> {
    inputs.iter().try_for_each(Input::check)?;
    outputs.iter().try_for_each(|o| o.as_input().check())?;
    for (k, output) in outputs.iter().enumerate() {
        inputs.iter().try_for_each(|input| input.check_apart(output))?;
        outputs[..k].iter().try_for_each(|other| other.as_input().check_apart(output))?;
    }
    Ok(())
}

/// Calls a function with arrays and with flags, which may be null.
pub fn arrays_and_flags<T: Copy, R, const I: usize, const O: usize>(
    inputs: [Input<T>; I],
    outputs: [Output<T>; O],
    flags: Output<u8>,
    call: impl FnOnce([&[T]; I], [&mut [T]; O], &mut [u8]) -> Result<R, Failure>,
) -> Result<R, Failure> {
    if flags.data.is_null() && flags.length == 0 {
        return arrays(inputs, outputs, |inputs, outputs| call(inputs, outputs, &mut []));
    }
    check(inputs, outputs)?;
    flags.as_input().check()?;
    inputs.iter().try_for_each(|input| input.check_apart(&flags))?;
    outputs.iter().try_for_each(|other| other.as_input().check_apart(&flags))?;
    arrays(inputs, outputs, |inputs, outputs| call(inputs, outputs, flags.memory()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(data: &[f64], expected: usize) -> Input<f64> {
        Input { what: "q", data: data.as_ptr(), length: data.len(), expected }
    }

    fn output(data: *mut f64, length: usize) -> Output<f64> {
        Output { what: "out", data, length, expected: length }
    }

    fn status(result: Result<(), Failure>) -> Status {
        result.err().map_or(Status::Ok, |e| e.status)
    }

    #[test]
    fn arrays_of_other_lengths_null_pointers_and_unaligned_ones() {
        let numbers = [1.0; 4];
        let call = |input| status(arrays([input], [], |[_], []| Ok(())));
        assert_eq!(call(input(&numbers, 4)), Status::Ok);
        assert_eq!(call(input(&numbers, 3)), Status::WrongLength);
        let null = Input { data: std::ptr::null(), ..input(&numbers, 4) };
        assert_eq!(call(null), Status::NullPointer);
        assert_eq!(call(Input { length: 0, expected: 0, ..null }), Status::Ok);
        let odd = numbers.as_ptr().wrapping_byte_add(1);
        assert_eq!(call(Input { data: odd, length: 3, expected: 3, ..null }), Status::InvalidArgument);
        assert_eq!(status(check_size::<f64>("q", usize::MAX / 4)), Status::WrongLength);
    }

    #[test]
    fn results_do_not_overlap() {
        let mut memory = [0.0; 10];
        let start = memory.as_mut_ptr();
        let at = |first: usize, length: usize| output(start.wrapping_add(first), length);
        let reads = |first: usize, length: usize| at(first, length).as_input();
        let call = |i, o, p| status(arrays([i], [o, p], |[_], [_, _]| Ok(())));
        assert_eq!(call(reads(0, 3), at(3, 4), at(7, 3)), Status::Ok);
        assert_eq!(call(reads(0, 4), at(3, 4), at(7, 3)), Status::InvalidArgument, "input and result");
        assert_eq!(call(reads(0, 3), at(3, 5), at(7, 3)), Status::InvalidArgument, "two results");
        assert_eq!(call(reads(5, 1), at(3, 5), at(8, 2)), Status::InvalidArgument, "input inside a result");
        let flags = Output { what: "valid", data: start.cast::<u8>(), length: 3, expected: 3 };
        let with_flags = |i| status(arrays_and_flags([i], [], flags, |[_], [], _| Ok(())));
        assert_eq!((with_flags(reads(0, 1)), with_flags(reads(1, 9))), (Status::InvalidArgument, Status::Ok));
    }
}
