//! `armdyn completions`: a completion script for a shell.

use crate::args::{Cli, Completions};
use crate::{CommandResult, document::Document};
use clap::CommandFactory;

pub fn run(args: &Completions) -> CommandResult {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut Cli::command(), "armdyn", &mut script);
    Ok(Document::verbatim(String::from_utf8_lossy(&script).into_owned()).into())
}
