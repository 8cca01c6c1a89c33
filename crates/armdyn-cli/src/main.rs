//! The command `armdyn`.

// Doc comments of arguments are help texts: units in brackets are not links.
#![allow(rustdoc::broken_intra_doc_links)]

mod args;
mod commands;
mod demo;
mod diagnostics;
mod document;
mod format;
mod html;
mod output;
mod plots;
mod progress;
mod robot;
mod shown;
mod stream;
mod table;
mod trajectory;
mod values;

use args::{Cli, Command};
use clap::Parser;
use output::{CommandResult, Output};
use std::io::Write;
use std::process::ExitCode;

/// The exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    if let Err(error) = table::remove_unfinished_on_interrupt() {
        diagnostics::warn(format_args!("Ctrl-C will leave unfinished files behind: {error}"));
    }
    let outcome = match Cli::parse().command {
        None => demo::show(),
        Some(Command::Check(args)) => commands::check::run(&args),
        Some(Command::Robots(args)) => commands::robots::run(&args),
        Some(Command::Show(args)) => commands::show::run(&args),
        Some(Command::Inverse(args)) => commands::inverse::run(&args),
        Some(Command::Forward(args)) => commands::forward::run(&args),
        Some(Command::Terms(args)) => commands::terms::run(&args),
        Some(Command::Explain(args)) => commands::explain::run(&args),
        Some(Command::Kinematics(args)) => commands::kinematics::run(&args),
        Some(Command::Convert(args)) => commands::convert::run(&args),
        Some(Command::Derive(args)) => commands::derive::run(&args),
        Some(Command::Ops(args)) => commands::ops::run(&args),
        Some(Command::Simplify(args)) => commands::simplify::run(&args),
        Some(Command::Range(args)) => commands::range::run(&args),
        Some(Command::Importance(args)) => commands::importance::run(&args),
        Some(Command::Size(args)) => commands::size::run(&args),
        Some(Command::Deflect(args)) => commands::deflect::run(&args),
        Some(Command::Simulate(args)) => commands::simulate::run(&args),
        Some(Command::Tipover(args)) => commands::tipover::run(&args),
        Some(Command::Report(args)) => commands::report::run(&args),
        Some(Command::Reproduce(args)) => commands::reproduce::run(&args),
        Some(Command::Completions(args)) => commands::completions::run(&args),
        Some(Command::Man(args)) => commands::man::run(&args),
    };
    match outcome {
        // A closed pipe (`| head`) is no error.
        Ok(Output { document, exit_code }) => match write!(std::io::stdout().lock(), "{document}") {
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                diagnostics::error(format_args!("cannot write the output: {e}"));
                ExitCode::from(2)
            }
            _ if progress::interrupted() => ExitCode::from(INTERRUPTED),
            _ => ExitCode::from(exit_code),
        },
        Err(error) => {
            diagnostics::error(error);
            ExitCode::from(if progress::interrupted() { INTERRUPTED } else { 2 })
        }
    }
}
