//! The command `armdyn`.

mod demo;
mod robots;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(argument) = std::env::args().nth(1) {
        eprintln!("armdyn: `{argument}` is not known; run it without arguments to see what it does on a bundled robot");
        return ExitCode::from(2);
    }
    match demo::show() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("armdyn: {error}");
            ExitCode::FAILURE
        }
    }
}
