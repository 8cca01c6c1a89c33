//! The command `armdyn`.

use std::process::ExitCode;

/// Blocks of a table go back and forth between threads: glibc returns their memory to the system and takes it again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    armdyn_cli::main(std::env::args_os()).into()
}
