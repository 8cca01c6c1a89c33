//! `armdyn check`: is this robot file physical, and what did we ignore?

use crate::args::Check;
use crate::document::{Document, Table};
use crate::format::many;
use crate::{CommandResult, Output, diagnostics, robot};
use armdyn_import::{Finding, Loaded, Severity, check, findings};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Runs it. The exit code: 0 nothing is wrong, 1 warnings, 2 errors (with `--strict` warnings are errors).
pub fn run(args: &Check) -> CommandResult {
    if let Some(id) = &args.explain {
        return explain(id, args.json);
    }
    let options = robot::options(&args.import)?;
    let mut files = vec![];
    for path in &args.files {
        collect(path, &mut files);
    }
    if files.is_empty() {
        return Err("no robot files (.toml, .urdf, .xacro, .xml) are there".to_string());
    }
    let (mut text, mut all, mut worst) = (String::new(), vec![], None);
    let bar = progress(files.len());
    for path in &files {
        bar.set_message(path.display().to_string());
        let loaded = checked(robot::find(path, &options)?);
        worst = worst.max(loaded.worst());
        if args.json {
            all.extend(loaded.findings.iter().map(|f| told(path, f, &loaded)));
        } else {
            print(&mut text, path, &loaded, args.all);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let code = match worst {
        Some(Severity::Error) => 2,
        Some(Severity::Warning) => 1 + u8::from(args.strict),
        _ => 0,
    };
    if args.json {
        let files: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        text = format!("{}\n", json!({ "files": files, "findings": all }));
    } else if files.len() > 1 {
        let _ = writeln!(text, "{} files", files.len());
    }
    Ok(Output { document: Document::verbatim(text), exit_code: code })
}

/// With what is odd about the robot among the findings.
pub fn checked(mut loaded: Loaded) -> Loaded {
    if let Some(robot) = &loaded.description {
        loaded.findings.extend(check(robot));
    }
    loaded
}

/// All findings, as a table.
pub fn page(loaded: &Loaded) -> Document {
    if loaded.findings.is_empty() {
        return "Nothing is wrong with it, and nothing of it was ignored.\n".to_string().into();
    }
    let place = |f: &Finding| f.place.as_ref().map(|p| format!("line {}", loaded.sources.line_column(p).0));
    let row = |f: &Finding| {
        let [severity, what, fix] = [f.code.severity.to_string(), f.message.clone(), f.suggestion().to_string()];
        vec![severity, f.code.id.to_string(), what, place(f).unwrap_or_default(), fix]
    };
    Table::new(&["", "code", "what", "where", "what to do"], &[0, 1, 2, 3, 4], loaded.findings.iter().map(row)).into()
}

fn progress(files: usize) -> ProgressBar {
    if files < 2 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A file as it is; a folder's robot files, by name, through all its folders.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else { return files.push(path.to_path_buf()) };
    let mut inside: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    inside.sort();
    for path in inside {
        // A link that leads back up would never end.
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files);
        } else if path.is_file() && armdyn_import::is_robot_file(&path) {
            files.push(path);
        }
    }
}

fn explain(id: &str, json: bool) -> CommandResult {
    let code = findings::code(id).ok_or_else(|| {
        let all: Vec<&str> = findings::ALL.iter().map(|c| c.id).collect();
        format!("there is no code `{id}`; there are {}", all.join(", "))
    })?;
    if json {
        let (severity, category) = (code.severity.to_string(), code.category().to_string());
        let told = json!({
            "code": code.id, "severity": severity, "category": category, "title": code.title, "why": code.why, "fix": code.fix,
        });
        return Ok(told.into());
    }
    let head = format!("{} ({}, {}): {}", code.id, code.category(), code.severity, code.title);
    Ok(format!("{head}\n\nWhy it matters: {}.\nWhat to do:     {}.\n", code.why, code.fix).into())
}

fn told(path: &Path, f: &Finding, loaded: &Loaded) -> Value {
    let place = f.place.as_ref().map(|p| (&loaded.sources.files[p.file].path, loaded.sources.line_column(p)));
    let (file, line, column) = match place {
        Some((file, (line, column))) => (file.as_path(), Some(line), Some(column)),
        None => (path, None, None),
    };
    json!({
        "file": file.display().to_string(), "line": line, "column": column, "code": f.code.id,
        "severity": f.code.severity.to_string(), "category": f.code.category().to_string(), "message": f.message,
        "why": f.code.why, "fix": f.suggestion(),
    })
}

fn print(text: &mut String, path: &Path, loaded: &Loaded, all: bool) {
    let mut counts = [0; 3];
    for f in &loaded.findings {
        counts[f.code.severity as usize] += 1;
        if f.code.severity > Severity::Note || all {
            let _ = writeln!(text, "{}", diagnostics::render(f, &loaded.sources, &std::io::stdout()));
        }
    }
    let [notes, warnings, errors] = counts;
    let hidden = if notes > 0 && !all { " (--all shows them)" } else { "" };
    let counted = [many(errors, "error"), many(warnings, "warning"), many(notes, "note")].join(", ");
    let _ = writeln!(text, "{}: {counted}{hidden}", diagnostics::plain(&path.display().to_string()));
}
