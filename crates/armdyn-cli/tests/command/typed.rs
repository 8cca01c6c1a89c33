//! Lines as they are typed, and what comes back.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs `armdyn` in a folder.
pub fn run_in(folder: &Path, line: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_armdyn")).args(line).current_dir(folder).output().unwrap()
}

pub fn run(line: &[&str]) -> Output {
    run_in(Path::new("."), line)
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a line that succeeds prints.
pub fn said(line: &[&str]) -> String {
    let output = run(line);
    assert!(output.status.success(), "{line:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The same as JSON.
pub fn json(line: &[&str]) -> Value {
    serde_json::from_str(&said(line)).unwrap()
}

/// What a line that fails says, and it says nothing else.
pub fn refused(line: &[&str]) -> String {
    let output = run(line);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{line:?}: {said}");
    assert!(output.stdout.is_empty(), "{line:?}");
    said
}

/// A folder of its own, empty.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}
