//! Status codes, messages of errors, and the barrier that no panic crosses.

use armdyn_core::Error;
use armdyn_import::LoadError;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Result of a call.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success.
    Ok = 0,
    /// A pointer is null.
    NullPointer = 1,
    /// An array has another length than the robot requires.
    WrongLength = 2,
    /// Another argument is invalid: an unknown constant, an index out of range, an array that is not aligned or overlaps a result, text
    /// that is not UTF-8.
    InvalidArgument = 3,
    /// No robot, link, joint or tool of this name.
    NotFound = 4,
    /// The robot's description has errors.
    InvalidRobot = 5,
    /// An input or a result is NaN or infinite.
    NotFinite = 6,
    /// The mass matrix is not positive definite: a joint moves no inertia.
    Singular = 7,
    /// States of a batch have no result; all others were computed.
    InvalidStates = 8,
    /// The robot has joints that this computation does not cover.
    Unsupported = 9,
    /// An internal error of armdyn; please report it with its message. Objects of the call may be released and nothing else.
    Internal = 10,
}

/// Why a call failed.
#[derive(Debug)]
pub struct Failure {
    pub status: Status,
    pub message: String,
}

impl Failure {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Failure { status, message: message.into() }
    }
}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        let status = match e {
            Error::Length { .. } => Status::WrongLength,
            Error::NotFinite { .. } => Status::NotFinite,
            Error::NotPositiveDefinite { .. } | Error::NotConverged { .. } | Error::Singular { .. } => Status::Singular,
            Error::Unsupported { .. } => Status::Unsupported,
            Error::NoTool { .. } | Error::NoSuchJoint { .. } | Error::NoSuchDof { .. } | Error::NoSuchLink { .. } => {
                Status::NotFound
            }
            _ => Status::InvalidArgument,
        };
        Failure::new(status, e.to_string())
    }
}

impl From<LoadError> for Failure {
    fn from(e: LoadError) -> Self {
        let status = if matches!(e, LoadError::NotFound { .. }) { Status::NotFound } else { Status::InvalidRobot };
        Failure::new(status, e.to_string())
    }
}

impl From<armdyn_jit::Error> for Failure {
    fn from(e: armdyn_jit::Error) -> Self {
        match e {
            armdyn_jit::Error::Model(e) => e.into(),
            other => Failure::new(Status::Unsupported, other.to_string()),
        }
    }
}

thread_local! {
    /// The message of the last error of this thread.
    static MESSAGE: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// A text for C; zero bytes, which it cannot contain, are replaced.
pub fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// Keeps the message of a failure, and returns its status.
fn report(failure: Failure) -> Status {
    // A thread that ends has no message any more.
    let _ = MESSAGE.try_with(|message| *message.borrow_mut() = Some(c_text(&failure.message)));
    failure.status
}

/// What a panic says.
fn internal(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no details");
    Failure::new(Status::Internal, format!("internal error of armdyn, please report it: {text}"))
}

/// Runs a call. A panic becomes an error.
#[inline]
pub fn guard(call: impl FnOnce() -> Result<(), Failure>) -> Status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(failure)) => report(failure),
        Err(panic) => report(internal(&*panic)),
    }
}

/// The value of a query, or `otherwise` if it fails.
pub fn value<T>(otherwise: T, query: impl FnOnce() -> Result<T, Failure>) -> T {
    let mut found = otherwise;
    guard(|| query().map(|value| found = value));
    found
}

/// Message of the last error of this thread: what is wrong, where, and what to do. UTF-8; empty if there was no error.
///
/// It is valid until the next call of this thread that fails.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_error_message() -> *const c_char {
    let message = MESSAGE.try_with(|message| message.borrow().as_deref().map_or(c"".as_ptr(), CStr::as_ptr));
    message.unwrap_or(c"".as_ptr())
}

/// Name of a status, such as `wrong length`; `unknown status` for other numbers. Valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_status_name(status: i32) -> *const c_char {
    const NAMES: [&CStr; 11] = [
        c"ok",
        c"null pointer",
        c"wrong length",
        c"invalid argument",
        c"not found",
        c"invalid robot",
        c"not finite",
        c"singular",
        c"invalid states",
        c"unsupported",
        c"internal error",
    ];
    usize::try_from(status).ok().and_then(|k| NAMES.get(k)).unwrap_or(&c"unknown status").as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> String {
        MESSAGE.with(|m| m.borrow().as_ref().map(|m| m.to_string_lossy().into_owned())).unwrap_or_default()
    }

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(guard(|| panic!("index {} is wrong", 7)), Status::Internal);
        assert!(message().ends_with("index 7 is wrong"), "{}", message());
        assert_eq!(value(5, || panic!("no value")), 5);
        assert!(message().contains("internal error"), "{}", message());
        assert_eq!(guard(|| std::panic::panic_any(7)), Status::Internal);
        assert!(message().ends_with("no details"));
    }

    #[test]
    fn the_message_of_an_error_remains_after_a_success() {
        assert_eq!(guard(|| Err(Failure::new(Status::NotFound, "no\0thing"))), Status::NotFound);
        assert_eq!(guard(|| Ok(())), Status::Ok);
        assert_eq!(message(), "no\u{fffd}thing");
    }
}
