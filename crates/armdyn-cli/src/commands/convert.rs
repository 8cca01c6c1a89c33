//! `armdyn convert`: a robot file in another format.

use crate::args::{Convert, Format};
use crate::stream::same_file;
use crate::table::AtomicFile;
use crate::{CommandResult, Output, diagnostics, document::Document, robot};
use armdyn_import::{to_toml, to_urdf};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct Converted {
    robot: String,
    out: Option<PathBuf>,
    text: String,
    /// What the format cannot express.
    losses: Vec<String>,
}

/// Writes the robot to a file or to stdout.
pub fn run(args: &Convert) -> CommandResult {
    let format = format(args)?;
    if let Some(path) = args.out.as_ref().filter(|path| same_file(Path::new(&args.robot), path)) {
        return Err(format!("`--out {}` would replace the input; choose another file", path.display()));
    }
    let description = robot::describe(&args.robot, &args.import)?;
    let (text, lost) = match format {
        Format::Toml => (to_toml(&description), vec![]),
        Format::Urdf => to_urdf(&description).map_err(|e| e.to_string())?,
    };
    let losses: Vec<String> = lost.iter().map(ToString::to_string).collect();
    if let Some(path) = &args.out {
        AtomicFile::beside(path).and_then(|file| file.hold(text.as_bytes())).map_err(|e| e.to_string())?;
    }
    let result = Converted { robot: description.name.clone(), out: args.out.clone(), text, losses };
    Output::of(args.json, &result, |r| {
        r.losses.iter().for_each(|what| diagnostics::warn(format_args!("not in the new file: {what}")));
        match &r.out {
            Some(path) => format!("{} written\n", path.display()).into(),
            None => Document::verbatim(r.text.clone()),
        }
    })
}

fn format(args: &Convert) -> Result<Format, String> {
    let extension = args.out.as_deref().and_then(Path::extension).and_then(|e| e.to_str());
    match (args.to, extension) {
        (Some(format), _) => Ok(format),
        (None, Some("toml")) => Ok(Format::Toml),
        (None, Some("urdf")) => Ok(Format::Urdf),
        _ => Err("no output format; pass `--to toml`, `--to urdf`, or `--out FILE` with such an extension".to_string()),
    }
}
