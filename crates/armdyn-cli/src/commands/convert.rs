//! `armdyn convert`: a robot file in another format.

use crate::args::{Convert, Format};
use crate::stream::same_file;
use crate::table::AtomicFile;
use crate::{CommandError, CommandResult, Output, diagnostics, document::Document, robot};
use armdyn_import::{Description, LossKind, to_mjcf, to_toml, to_urdf};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// Writes the robot to a file or to stdout.
pub fn run(args: &Convert) -> CommandResult {
    let format = format(args)?;
    if let Some(path) = args.out.as_ref().filter(|path| same_file(Path::new(&args.robot.robot), path)) {
        return Err(format!("`--out {}` would replace the input; choose another file", path.display()).into());
    }
    let mut description = robot::describe(&args.robot.robot, &args.robot.import)?;
    if !args.robot.lock.lock.is_empty() {
        let locked = Description::of_model(&robot::locked(&description, &args.robot.lock, false)?);
        description = Description { summary: description.summary, origin: description.origin, ..locked };
    }
    let (text, lost) = match format {
        Format::Toml => (to_toml(&description), vec![]),
        Format::Urdf => to_urdf(&description)?,
        Format::Mjcf => to_mjcf(&description)?,
    };
    let listed = |kind| lost.iter().filter(|l| l.kind == kind).map(ToString::to_string).collect::<Vec<String>>();
    let [omitted, substituted] = [LossKind::Omitted, LossKind::WrittenDifferently].map(listed);
    if let Some(path) = &args.out {
        AtomicFile::beside(path)?.hold(text.as_bytes())?;
    }
    let out = args.out.as_ref().map(|path| path.display().to_string());
    let result = json!({
        "robot": description.name, "out": out, "text": text, "losses": omitted, "written_differently": substituted,
    });
    Output::of(args.robot.json, &result, |_| {
        let mut subjects = BTreeMap::<_, Vec<&str>>::new();
        for loss in &lost {
            subjects.entry((loss.kind.describe(), &loss.message)).or_default().push(&loss.subject);
        }
        for ((kind, what), subjects) in subjects {
            diagnostics::warn(format_args!("{kind}: {}: {what}", subjects.join(", ")));
        }
        match &out {
            Some(path) => format!("{path} written\n").into(),
            None => Document::verbatim(text),
        }
    })
}

fn format(args: &Convert) -> Result<Format, CommandError> {
    let extension = args.out.as_deref().and_then(Path::extension).and_then(|e| e.to_str());
    match (args.to, extension) {
        (Some(format), _) => Ok(format),
        (None, Some("toml")) => Ok(Format::Toml),
        (None, Some("urdf")) => Ok(Format::Urdf),
        (None, Some("mjcf" | "xml")) => Ok(Format::Mjcf),
        _ => Err("no output format; pass `--to toml`, `urdf` or `mjcf`, or `--out FILE` with such an extension".into()),
    }
}
