//! `armdyn man`: manual pages.

use crate::args::{Cli, Man};
use crate::table::put_all;
use crate::{CommandError, CommandResult, document::Document, format};
use clap::CommandFactory;

/// Prints armdyn(1), or writes it and a page per command to a folder.
pub fn run(args: &Man) -> CommandResult {
    let mut command = Cli::command();
    command.build();
    let overview = page("armdyn".to_string(), &command)?;
    let Some(folder) = &args.out else {
        return Ok(Document::verbatim(String::from_utf8_lossy(&overview.1).into_owned()).into());
    };
    let subcommands = command.get_subcommands().filter(|c| c.get_name() != "help");
    let mut pages = vec![overview];
    for subcommand in subcommands {
        pages.push(page(format!("armdyn-{}", subcommand.get_name()), subcommand)?);
    }
    put_all(folder, pages.iter().map(|(name, page)| (name.as_str(), &page[..])))?;
    Ok(format!("{} written to {}\n", format::many(pages.len(), "page"), folder.display()).into())
}

fn page(title: String, command: &clap::Command) -> Result<(String, Vec<u8>), CommandError> {
    let mut page = vec![];
    let man = clap_mangen::Man::new(command.clone()).title(&title);
    man.render(&mut page)?;
    Ok((format!("{title}.1"), page))
}
