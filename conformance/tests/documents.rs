//! `documents/`: every row of the five documents, as `armdyn reproduce` reports it; and that nothing of the specification is
//! missing: its numbers, its errata.

use armdyn_core::Progress;
use armdyn_documents::{Method, Reproduction, Row, Verdict, document, names, reproduce};
use armdyn_testkit::documents::jpl_golden;
use serde_json::Value;
use std::collections::BTreeMap;

fn reproduced(name: &str) -> Reproduction {
    reproduce(document(name).unwrap(), &Progress::none()).unwrap()
}

fn assert_explained(name: &str) {
    let r = reproduced(name);
    let describe = |r: &Row| format!("{} {}: {}", r.equation, r.quantity, r.note);
    let unexplained: Vec<String> = r.rows().filter(|r| r.verdict == Verdict::Unexplained).map(describe).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
}

#[test]
fn lau() {
    assert_explained("lau");
}

#[test]
fn renaud() {
    assert_explained("renaud");
}

#[test]
fn bejczy() {
    assert_explained("bejczy");
}

#[test]
fn lin() {
    assert_explained("lin");
}

#[test]
fn morris() {
    assert_explained("morris");
}

#[test]
fn implemented_files_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in names() {
        for part in document(name).unwrap().implemented {
            for file in part.file.split(", ") {
                assert!(root.join(file).exists(), "documents/{name}.toml: {file}");
            }
        }
    }
}

/// Each of the 204 numbers has a row that computes it and gets the value computed in Python.
#[test]
fn every_number_of_bejczy_has_a_row() {
    let r = reproduced("bejczy");
    let golden = jpl_golden().golden_numbers;
    assert_eq!(golden.len(), 204);
    let computed: Vec<&Row> = r.rows().filter(|r| r.method == Method::Number).collect();
    assert!(computed.len() >= 201, "{}", computed.len());
    for g in &golden {
        // Some are in cm there; where the text is lost no number is printed; the sign may be in the row's question.
        let has = |r: &&&Row| {
            [1.0, 100.0].iter().any(|unit| {
                let same =
                    |x: f64, y: f64, tolerance: f64| (x.abs() - unit * y.abs()).abs() <= tolerance * unit * y.abs();
                let printed = r.printed.trim_start_matches(['<', '>', ' ']).parse::<f64>().ok();
                r.value.is_some_and(|x| same(x, g.correct, 2e-6))
                    && printed.zip(g.printed).is_none_or(|(x, y)| same(x, y, 1e-9))
            })
        };
        assert!(computed.iter().find(has).is_some(), "{}: printed {:?}, is {}", g.id, g.printed, g.correct);
    }
}

/// Each erratum of the specification is on a row, which confirms it.
#[test]
fn every_erratum_has_a_row() {
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap()["errata"].as_array().unwrap().clone();
    let word = |v: &Value| v.as_str().unwrap().to_string();
    for e in read(include_str!("../../crates/armdyn-testkit/data/documents/jpl-errata.json")) {
        *wanted.entry(word(&e["id"])).or_default() += 1;
    }
    for e in read(include_str!("../../crates/armdyn-testkit/data/documents/lau-renaud-lin-morris.json")) {
        *wanted.entry(format!("{} {}", word(&e["seed"]), word(&e["eq"]))).or_default() += 1;
    }
    assert_eq!(wanted.values().sum::<usize>(), 50 + 108);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for name in names() {
        for row in reproduced(name).rows().filter(|r| r.verdict != Verdict::Unexplained) {
            row.errata.iter().for_each(|e| *found.entry(e.clone()).or_default() += 1);
        }
    }
    let missing: Vec<&String> =
        wanted.iter().filter(|(e, n)| found.get(*e).unwrap_or(&0) < n).map(|(e, _)| e).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let unknown: Vec<&String> = found.keys().filter(|e| !wanted.contains_key(*e)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
