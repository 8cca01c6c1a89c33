//! The C library armdyn: robots, their dynamics, compiled programs. Its documentation is `include/armdyn/armdyn.h`.

// In the order of the header.
mod abi;

mod status;

mod robot;

mod data;

mod program;

mod pointers;

use std::ffi::{CStr, c_char};

/// Version of the library, as text; compare with `ARMDYN_VERSION` of the header. Valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!(),
    };
    VERSION.as_ptr()
}

/// Number of the library's binary interface. A program that was compiled with a header of another `ARMDYN_ABI_VERSION` must not use the
/// library.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_abi_version() -> u32 {
    abi::ARMDYN_ABI_VERSION
}
