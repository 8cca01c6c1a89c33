//! The command `armdyn`.

mod args;
mod commands;
mod demo;
mod page;
mod picture;
mod print;
mod progress;
mod report;
mod robot;
mod sheet;
mod stream;
mod table;
mod trajectory;
mod values;

use args::{Cli, Command};
use clap::Parser;
use page::Page;
use std::io::Write;
use std::process::ExitCode;

/// What a command gives: a page for standard output, and the exit code.
pub struct Answer {
    /// What to print.
    pub page: Page,
    /// 0: all is well; 1: a check found warnings; 2: something is wrong.
    pub code: u8,
}

impl<P: Into<Page>> From<P> for Answer {
    fn from(page: P) -> Self {
        Answer { page: page.into(), code: 0 }
    }
}

/// An answer, or what went wrong.
pub type Outcome = Result<Answer, String>;

fn main() -> ExitCode {
    if let Err(error) = table::sweep_on_interrupt() {
        report::tell(format_args!("armdyn: Ctrl-C would leave unfinished files: {error}"));
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
    };
    match outcome {
        // A reader that went away (`| head`) is no fault.
        Ok(Answer { page, code }) => match write!(std::io::stdout().lock(), "{page}") {
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                report::tell(format_args!("armdyn: the output cannot be written: {e}"));
                ExitCode::from(2)
            }
            _ => ExitCode::from(code),
        },
        Err(error) => {
            report::tell(format_args!("armdyn: {error}"));
            ExitCode::from(2)
        }
    }
}
