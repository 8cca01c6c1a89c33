//! The command `armdyn` as a library: [`main`] is the program, [`embedding`] runs commands in another process, for bindings.

// Doc comments of arguments are help texts: units in brackets are not links.
#![allow(rustdoc::broken_intra_doc_links)]

mod animation;
mod args;
mod commands;
mod demo;
mod diagnostics;
mod document;
pub mod embedding;
mod format;
mod html;
mod limits;
mod output;
mod plots;
mod progress;
mod robot;
mod shown;
mod stream;
pub mod study;
mod table;
mod trajectory;
mod values;
mod wrench;

use args::{Cli, Command};
use clap::Parser;
use document::Document;
use output::{CommandError, CommandResult, Output};
use robot::open;
use std::ffi::OsString;
use std::io::Write;

/// The exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;

/// The program `armdyn` with these arguments, of which the first is its name. Returns its exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    if let Err(error) = table::remove_unfinished_on_interrupt() {
        diagnostics::warn(format_args!("Ctrl-C will leave unfinished files behind: {error}"));
    }
    match run(Cli::parse_from(arguments).command) {
        // A closed pipe (`| head`) is no error.
        Ok(Output { document, exit_code, .. }) => match print(&document) {
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                diagnostics::error(format_args!("cannot write the output: {e}"));
                2
            }
            _ if progress::interrupted() => {
                diagnostics::warn("interrupted: the computation ended early, with the best result so far");
                INTERRUPTED
            }
            _ => exit_code,
        },
        Err(error) => {
            diagnostics::error(error);
            if progress::interrupted() { INTERRUPTED } else { 2 }
        }
    }
}

fn print(document: &Document) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    write!(stdout, "{document}")?;
    stdout.flush()
}

fn run(command: Option<Command>) -> CommandResult {
    let Some(command) = command else { return demo::show() };
    match command {
        Command::Check(args) => commands::check::run(&args),
        Command::Robots(args) => commands::robots::run(&args),
        Command::Show(args) => commands::show::run(&args),
        Command::Inverse(args) => commands::inverse::run(&open(&args.robot, args.state.deg)?, &args),
        Command::Forward(args) => commands::forward::run(&open(&args.robot, args.state.deg)?, &args),
        Command::Terms(args) => commands::terms::run(&open(&args.robot, args.state.deg)?, &args),
        Command::Explain(args) => commands::explain::run(&open(&args.robot, args.state.deg)?, &args),
        Command::Kinematics(args) => commands::kinematics::run(&args),
        Command::Convert(args) => commands::convert::run(&args),
        Command::Derive(args) => commands::derive::run(&open(&args.robot, false)?, &args),
        Command::Trace(args) => commands::trace::run(&open(&args.robot, args.deg)?, &args),
        Command::Ops(args) => commands::ops::run(&open(&args.robot, false)?, &args),
        Command::Simplify(args) => commands::simplify::run(&open(&args.robot, args.within.deg)?, &args),
        Command::Range(args) => commands::range::run(&open(&args.robot, args.within.deg)?, &args),
        Command::Importance(args) => commands::importance::run(&open(&args.robot, args.within.deg)?, &args),
        Command::Size(args) => commands::size::run(&open(&args.robot, args.within.deg)?, &args),
        Command::Deflect(args) => commands::deflect::run(&open(&args.robot, args.within.deg)?, &args),
        Command::Trajectory(args) => commands::trajectory::run(&open(&args.robot, args.deg)?, &args),
        Command::Simulate(args) => commands::simulate::run(&open(&args.robot, args.deg)?, &args),
        Command::Control(args) => commands::control::run(&open(&args.robot, args.within.deg)?, &args),
        Command::Tipover(args) => commands::tipover::run(&open(&args.robot, args.within.deg)?, &args),
        Command::Study(args) => commands::study::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Reproduce(args) => commands::reproduce::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    }
}
