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

/// Lines of one command.
pub struct Of(pub &'static str);

impl Of {
    pub fn line<'a>(&self, rest: &[&'a str]) -> Vec<&'a str> {
        [&[self.0], rest].concat()
    }

    pub fn said(&self, rest: &[&str]) -> String {
        said(&self.line(rest))
    }

    pub fn json(&self, rest: &[&str]) -> Value {
        json(&[&self.line(rest)[..], &["--json"]].concat())
    }

    pub fn refused(&self, rest: &[&str]) -> String {
        refused(&self.line(rest))
    }
}

/// A line in a folder is refused: one message, exit code 2, nothing printed, nothing written.
pub fn refused_in(folder: &Path, line: &[&str], says: &[&str]) {
    let before = listing(folder);
    let output = run_in(folder, line);
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{line:?}: {printed}{}", text(&output.stdout));
    assert!(output.stdout.is_empty(), "{line:?}: {}", text(&output.stdout));
    for what in says {
        assert!(printed.contains(what), "{line:?} does not say `{what}`: {printed}");
    }
    assert!(!printed.contains("panicked"), "{printed}");
    assert_eq!(listing(folder), before, "{line:?} left something");
}

fn listing(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    all
}

pub fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-3, |s: f64, x| s.max(x.abs()));
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance * scale, "{what}: {found:?} is not {expected:?}");
    }
}

/// The numbers of the last line of a text that starts like this.
pub fn numbers_of(text: &str, start: &str) -> Vec<f64> {
    let line = text.lines().rfind(|l| l.starts_with(start)).unwrap_or_else(|| panic!("no {start}: {text}"));
    line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Whether numbers of four digits are `factor` times others.
pub fn scaled(found: &[f64], others: &[f64], factor: f64) -> bool {
    // Half a unit of the last of four digits, in both.
    let close = |(a, b): (&f64, &f64)| (a - factor * b).abs() <= 1.1e-3 * a.abs();
    !found.is_empty() && found.len() == others.len() && found.iter().zip(others).all(close)
}
