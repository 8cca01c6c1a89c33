//! `armdyn convert`: a robot file in another format, and what that format could not say.

use crate::args::{Convert, Target};
use crate::stream::same_file;
use crate::table::AtomicFile;
use crate::{CommandResult, diagnostics, document::Document, robot};
use armdyn_import::{to_toml, to_urdf};
use serde_json::json;
use std::path::Path;

/// Writes it to a file or to the screen.
pub fn run(args: &Convert) -> CommandResult {
    let target = target(args)?;
    if let Some(path) = args.out.as_ref().filter(|path| same_file(Path::new(&args.robot), path)) {
        return Err(format!("`{}` would be replaced by what is left of it: name another file", path.display()));
    }
    let description = robot::describe(&args.robot, &args.import)?;
    let (text, lost) = match target {
        Target::Toml => (to_toml(&description), vec![]),
        Target::Urdf => to_urdf(&description).map_err(|e| e.to_string())?,
    };
    let lost: Vec<String> = lost.iter().map(ToString::to_string).collect();
    if let Some(path) = &args.out {
        write(path, &text)?;
    }
    if args.json {
        let out = args.out.as_ref().map(|p| p.display().to_string());
        return Ok(json!({ "robot": description.name, "out": out, "text": text, "losses": lost }).into());
    }
    for what in &lost {
        diagnostics::warn(format_args!("not in the new file: {what}"));
    }
    Ok(match &args.out {
        Some(path) => format!("{} written\n", path.display()).into(),
        None => Document::verbatim(text).into(),
    })
}

fn target(args: &Convert) -> Result<Target, String> {
    let ending = args.out.as_deref().and_then(Path::extension).and_then(|e| e.to_str());
    match (args.to, ending) {
        (Some(target), _) => Ok(target),
        (None, Some("toml")) => Ok(Target::Toml),
        (None, Some("urdf")) => Ok(Target::Urdf),
        _ => Err("say the format: --to toml or --to urdf, or --out FILE with such an ending".to_string()),
    }
}

/// All of it or nothing: written beside, then put in place.
fn write(path: &Path, text: &str) -> Result<(), String> {
    AtomicFile::beside(path).and_then(|file| file.hold(text.as_bytes())).map_err(|e| e.to_string())
}
