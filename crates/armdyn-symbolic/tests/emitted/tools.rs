//! Compilers and interpreters; missing tools are reported and skipped.

use armdyn_symbolic::emit::Emitted;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An empty folder of this name.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emitted").join(name);
    _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Writes what was emitted.
pub fn write(folder: &Path, emitted: &Emitted) {
    for file in &emitted.files {
        std::fs::write(folder.join(&file.name), &file.contents).unwrap();
    }
}

/// Whether a tool runs. If not, the test is skipped, unless `ARMDYN_EMITTED=all` requires all tools.
pub fn is_there(tool: &str, arguments: &[&str]) -> bool {
    let status = Command::new(tool).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let there = status.is_ok_and(|status| status.success());
    if !there {
        let all = std::env::var("ARMDYN_EMITTED").is_ok_and(|v| v == "all");
        assert!(!all, "{tool} {arguments:?} does not run, and ARMDYN_EMITTED=all");
        eprintln!("SKIPPED: {tool} {arguments:?} does not run here");
    }
    there
}

/// Runs a tool in a folder with input; returns its output and panics unless it succeeds.
pub fn run(folder: &Path, tool: &str, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(tool)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{tool}: {e}"));
    let mut stdin = child.stdin.take().unwrap();
    let text = input.to_string();
    let feeder = std::thread::spawn(move || _ = stdin.write_all(text.as_bytes()));
    let done = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    let [out, err] = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(done.status.success(), "in {}: {tool} {arguments:?}: {}\n{out}\n{err}", folder.display(), done.status);
    out
}

/// The numbers of a text, one per line; `nan` in any spelling.
pub fn numbers(text: &str) -> Vec<f64> {
    let number = |line: &str| line.trim().trim_start_matches('-').eq_ignore_ascii_case("nan").then_some(f64::NAN);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            number(line).or_else(|| line.trim().parse().ok()).unwrap_or_else(|| panic!("{line:?} is no number"))
        })
        .collect()
}

/// A Python with NumPy: of the peers' virtual environment, or the system's.
pub fn python() -> Option<String> {
    let peers = std::env::var("ARMDYN_REAL_FILES")
        .map_or(Path::new(env!("CARGO_TARGET_TMPDIR")).join("../real-files"), PathBuf::from);
    let own = peers.join("venv/bin/python").to_string_lossy().into_owned();
    let python = if Path::new(&own).exists() { own } else { "python3".to_string() };
    is_there(&python, &["-c", "import numpy"]).then_some(python)
}
