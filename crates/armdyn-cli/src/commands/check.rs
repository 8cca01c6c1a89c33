//! `armdyn check`: validates robot files and lists ignored elements.

use crate::args::Check;
use crate::document::{Document, Table};
use crate::format::many;
use crate::{CommandResult, Output, diagnostics, progress, robot};
use armdyn_import::{Finding, Loaded, Severity, check_meshes, findings};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The exit code is 0 without findings above notes, 1 with warnings, 2 with errors (or warnings with `--strict`).
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
        let folders: Vec<String> = args.files.iter().map(|f| format!("`{}`", f.display())).collect();
        return Err(format!("no robot files (.toml, .urdf, .xacro, .xml) in {}", folders.join(", ")).into());
    }
    let (mut text, mut findings, mut worst) = (String::new(), vec![], None);
    let bar = match files.len() {
        1 => ProgressBar::hidden(),
        n => progress::bar(n as u64, "{bar:30} {pos}/{len} {wide_msg}"),
    };
    for path in &files {
        bar.set_message(path.display().to_string());
        let mut loaded = robot::find(path, &options)?;
        let found = loaded.description.as_ref().map(check_meshes);
        loaded.findings.extend(found.into_iter().flatten());
        worst = worst.max(loaded.worst());
        findings.extend(loaded.findings.iter().map(|f| entry(path, f, &loaded)));
        print(&mut text, path, &loaded, args.all);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let exit_code = match worst {
        Some(Severity::Error) => 2,
        Some(Severity::Warning) => 1 + u8::from(args.strict),
        _ => 0,
    };
    if files.len() > 1 {
        let _ = writeln!(text, "{}", many(files.len(), "file"));
    }
    let result =
        json!({ "files": files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>(), "findings": findings });
    Ok(Output::of(args.json, &result, |_| Document::verbatim(text))?.with_exit_code(exit_code))
}

/// All findings as a table.
pub fn view(loaded: &Loaded) -> Document {
    if loaded.findings.is_empty() {
        return "No findings: nothing is wrong, and nothing was ignored.\n".to_string().into();
    }
    let place = |f: &Finding| f.place.as_ref().map(|p| format!("line {}", loaded.sources.line_column(p).0));
    let row = |f: &Finding| {
        let [severity, message, fix] = [f.code.severity.to_string(), f.message.clone(), f.suggestion().to_string()];
        vec![severity, f.code.id.to_string(), message, place(f).unwrap_or_default(), fix]
    };
    Table::new(&["severity", "code", "finding", "position", "fix"], &[0, 1, 2, 3, 4], loaded.findings.iter().map(row))
        .into()
}

/// A file, or the robot files of a folder and its subfolders in alphabetical order.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else { return files.push(path.to_path_buf()) };
    let mut inside: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    inside.sort();
    for path in inside {
        // Symbolic links may form cycles.
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files);
        } else if path.is_file() && armdyn_import::is_robot_file(&path) {
            files.push(path);
        }
    }
}

fn explain(id: &str, json: bool) -> CommandResult {
    let code = findings::code(id).ok_or_else(|| {
        let ids: Vec<&str> = findings::ALL.iter().map(|c| c.id).collect();
        format!("unknown code `{id}`: expected one of {}", ids.join(", "))
    })?;
    let (severity, category) = (code.severity.to_string(), code.category().to_string());
    let (id, title, why, fix) = (code.id, code.title, code.why, code.fix);
    let result =
        json!({ "code": id, "severity": severity, "category": category, "title": title, "why": why, "fix": fix });
    Output::of(json, &result, |_| {
        format!("{id} ({category}, {severity}): {title}\n\nWhy it matters: {why}.\nHow to fix it:  {fix}.\n").into()
    })
}

/// A finding with its position.
fn entry(path: &Path, f: &Finding, loaded: &Loaded) -> Value {
    let place = f.place.as_ref().map(|p| (&loaded.sources.files[p.file].path, loaded.sources.line_column(p)));
    let (file, line, column) = match place {
        Some((file, (line, column))) => (file.as_path(), Some(line), Some(column)),
        None => (path, None, None),
    };
    let (severity, category) = (f.code.severity.to_string(), f.code.category().to_string());
    json!({
        "file": file.display().to_string(), "line": line, "column": column, "code": f.code.id, "severity": severity, "category": category,
        "message": f.message, "why": f.code.why, "fix": f.suggestion(),
    })
}

fn print(text: &mut String, path: &Path, loaded: &Loaded, all: bool) {
    let (mut counts, mut hidden) = ([0; 3], 0);
    for f in &loaded.findings {
        counts[f.code.severity as usize] += 1;
        // That something could not be checked is part of the answer.
        let shown = f.code.severity > Severity::Note || all || f.code == findings::A404;
        hidden += usize::from(!shown);
        if shown {
            let _ = writeln!(text, "{}", diagnostics::render(f, &loaded.sources, &std::io::stdout()));
        }
    }
    let [notes, warnings, errors] = counts;
    let hidden = if hidden > 0 { " (--all shows them)" } else { "" };
    let counted = [many(errors, "error"), many(warnings, "warning"), many(notes, "note")].join(", ");
    let _ = writeln!(text, "{}: {counted}{hidden}", diagnostics::plain(&path.display().to_string()));
}
