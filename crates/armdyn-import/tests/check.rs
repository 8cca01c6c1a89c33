//! The check finds every planted fault, and nothing to worry about in the clean original.
//!
//! `faults/` has one file a fault, made from `clean.urdf` by one change; its name begins with the code that must be found.

use armdyn_import::{Finding, Options, Severity, check, load};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults")
}

fn findings(path: &Path) -> (Vec<Finding>, Vec<String>) {
    let mut loaded = load(path, &Options::default());
    if let Some(robot) = &loaded.description {
        loaded.findings.extend(check(robot));
    }
    let lines = loaded.findings.iter().map(|f| f.line(&loaded.sources)).collect();
    (loaded.findings, lines)
}

#[test]
fn the_original_is_clean() {
    let (found, lines) = findings(&folder().join("clean.urdf"));
    assert!(found.iter().all(|f| f.code.severity == Severity::Note), "{lines:#?}");
}

#[test]
fn every_planted_fault_is_found() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        if name == "clean.urdf" {
            continue;
        }
        count += 1;
        let (found, lines) = findings(&path);
        assert!(found.iter().any(|f| f.code.id == &name[..4]), "{name}: {lines:#?}");
        let placed = |f: &&Finding| f.code.id == &name[..4] && f.place.is_some();
        assert!(found.iter().find(placed).is_some(), "{name}: no place");
        // One change must not set off a dozen warnings: only what follows from it.
        let warnings = found.iter().filter(|f| f.code.severity > Severity::Note).count();
        assert!(warnings <= 4, "{name}: {lines:#?}");
    }
    assert!(count >= 30, "{count}");
}
