//! A study that was killed goes on where it was; threads change nothing.

use crate::{evaluate, number, robot, study};
use armdyn_core::Progress;
use armdyn_study::{Definition, Journal, Record, Session, Study};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const GRID: &str = "[vary]\nf.x = [0.1, 0.2, 0.3]\nf.name = ['a', 'b\"\\n']\n[measure]\ny = 'minimise f.y'\nz = 'f.z'";
const SEARCH: &str = "population = 6\ngenerations = 5\n[vary]\nf.x = { from = 0, to = 1 }\nf.w = [1, 2, 3]\n[measure]\ny = 'minimise f.y'\nz = 'maximise f.z'";

/// Values with all digits, failures and missing values.
fn f(options: &Map<String, Value>) -> Result<Value, String> {
    let x = number(options, "x");
    if (0.6..0.8).contains(&x) {
        Err("no \u{e4}nswer\n2nd line".to_string())
    } else {
        Ok(json!({ "y": x.sin() / 3.0, "z": if x > 0.9 { None } else { Some(1.0 / (x + 1e-3)) } }))
    }
}

fn identity(study: &Study, text: &str) -> Map<String, Value> {
    study.identity(&Definition::of_toml(text).unwrap(), "0", b"")
}

/// Computes what is missing; returns the records and how many points were computed.
fn finish(study: &Study, text: &str, path: &Path) -> (Vec<Record>, usize) {
    let journal = Journal::open(path, &identity(study, text), false).unwrap();
    let mut session = Session::new(study, Some(journal)).unwrap();
    let mut computed = 0;
    loop {
        let pending = session.pending();
        if pending.is_empty() {
            return (session.records(), computed);
        }
        computed += pending.len();
        session.tell(pending.iter().map(|p| evaluate(study, p, f)).collect()).unwrap();
    }
}

#[test]
fn a_kill_at_any_byte_loses_at_most_the_last_point() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.journal");
    // Each byte of a short search.
    let search = SEARCH.replace("population = 6\ngenerations = 5", "population = 4\ngenerations = 2");
    for text in [GRID, &search] {
        let study = study(text);
        let _ = std::fs::remove_file(&path);
        let (expected, count) = finish(&study, text, &path);
        assert_eq!(expected.len(), count);
        let bytes = std::fs::read(&path).unwrap();
        let first = bytes.iter().position(|b| *b == b'\n').unwrap();
        for cut in 0..bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let (records, computed) = finish(&study, text, &path);
            assert_eq!(records, expected, "cut at {cut}");
            let kept = bytes[..cut].iter().filter(|b| **b == b'\n').count().saturating_sub(usize::from(cut > first));
            assert_eq!(computed, count - kept, "cut at {cut}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "cut at {cut}");
        }
    }
}

#[test]
fn the_journal_of_another_study_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.journal");
    finish(&study(GRID), GRID, &path);
    let open = |text: &str| {
        let study = study(text);
        Journal::open(&path, &identity(&study, text), false).map(|_| ()).unwrap_err().to_string()
    };
    for (other, part) in [
        (GRID.replace("0.1", "0.15"), "other `vary`"),
        (GRID.replace("'f.z'", "'f.y + 1'"), "other `measure`"),
        (GRID.replace("[vary]", "seed = 2\n[vary]"), "other `seed`"),
        (GRID.replace("[vary]", "samples = 2\n[vary]"), "other `method`"),
        (format!("{GRID}\n[run.f]\na = 1"), "other `run`"),
    ] {
        let said = open(&other);
        assert!(said.contains(part) && said.contains("--restart"), "{said}");
    }
    let study = study(GRID);
    let other = Study { robot: robot("lin-rp"), ..study.clone() };
    let said = Journal::open(&path, &identity(&other, GRID), false).unwrap_err().to_string();
    assert!(said.contains("other `robot`"), "{said}");
    // Two processes at once.
    let open = Journal::open(&path, &identity(&study, GRID), false).unwrap();
    let said = Journal::open(&path, &identity(&study, GRID), false).unwrap_err().to_string();
    assert!(said.contains("in use"), "{said}");
    drop(open);
    // A file that is no journal, and a journal with a damaged line.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, "q1,q2\n0,1\n").unwrap();
    let said = Journal::open(&path, &identity(&study, GRID), false).unwrap_err().to_string();
    assert!(said.contains("is not the journal of a study"), "{said}");
    let lines: Vec<&str> = text.lines().collect();
    std::fs::write(&path, [lines[0], "{\"point\":0,", lines[1], ""].join("\n")).unwrap();
    let said = Journal::open(&path, &identity(&study, GRID), false).unwrap_err().to_string();
    assert!(said.contains("line 2") && said.contains("damaged"), "{said}");
    // A new beginning.
    let (_, records) = Journal::open(&path, &identity(&study, GRID), true).unwrap();
    assert!(records.is_empty());
}

/// More samples or generations keep what is known.
#[test]
fn a_study_grows() {
    let folder = tempfile::tempdir().unwrap();
    for (few, more, text) in [
        (
            "samples = 20",
            "samples = 50",
            "[vary]\nf.x = { from = 0, to = 1 }\n[measure]\ny = 'minimise f.y'\nz = 'f.z'".to_string(),
        ),
        ("generations = 5", "generations = 8", SEARCH.replace("generations = 5\n", "")),
    ] {
        let path = folder.path().join(few);
        let [few, more] = [few, more].map(|n| format!("{n}\n{text}"));
        let (start, _) = finish(&study(&few), &few, &path);
        let (all, computed) = finish(&study(&more), &more, &path);
        assert!(computed > 0 && computed == all.len() - start.len() && all[..start.len()] == start);
        let (again, none) = finish(&study(&few), &few, &path);
        assert!(again == start && none == 0);
    }
}

#[test]
fn threads_change_nothing() {
    for text in [GRID, SEARCH, &SEARCH.replace("population = 6\ngenerations = 5", "samples = 60")] {
        let study = study(text);
        let records = [1, 2, 4, 7].map(|threads| {
            let mut session = Session::new(&study, None).unwrap();
            let started = AtomicUsize::new(0);
            let complete = session.run(threads, &Progress::none(), |study, point, _| {
                // Later points finish before earlier ones.
                let before = started.fetch_add(1, Ordering::SeqCst) % 5;
                std::thread::sleep(std::time::Duration::from_micros(300 * (5 - before) as u64));
                Some(evaluate(study, point, f))
            });
            assert_eq!(complete, Ok(true));
            session.records()
        });
        assert!(records.iter().all(|r| *r == records[0]));
    }
}

/// Cancelled points are not taken; the others are kept. A panic is an error of its point.
#[test]
fn cancellation_and_panics() {
    let study = study(&SEARCH.replace("population = 6\ngenerations = 5", "samples = 40"));
    let stop = AtomicBool::new(false);
    let mut session = Session::new(&study, None).unwrap();
    let progress = Progress { callback: &|_, _| {}, cancel: &stop };
    let complete = session.run(2, &progress, |study, point, cancelled| {
        if point.index == 10 {
            stop.store(true, Ordering::SeqCst);
        }
        if point.index >= 10 {
            while !cancelled.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            return None;
        }
        Some(evaluate(study, point, f))
    });
    assert_eq!(complete, Ok(false));
    assert_eq!(session.records().len(), 10);
    let complete = session.run(2, &Progress::none(), |study, point, _| {
        assert!(point.index != 33, "thirty-three");
        Some(evaluate(study, point, f))
    });
    assert_eq!(complete, Ok(true));
    let records = session.records();
    assert!(
        records.len() == 40 && records[33].error.as_ref().is_some_and(|e| e.contains("internal error: thirty-three"))
    );
}
