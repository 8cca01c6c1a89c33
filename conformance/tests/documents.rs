//! `documents/`: every row of the five documents, as `armdyn reproduce` reports it; and that nothing of the specification is
//! missing: its numbers, its errata.

use armdyn_core::Progress;
use armdyn_documents::{ErratumKind, Method, Reproduction, Row, RowClass, Verdict, document, names, reproduce};
use armdyn_testkit::documents::jpl_golden;
use serde_json::Value;
use std::collections::BTreeMap;

fn reproduced(name: &str) -> Reproduction {
    reproduce(document(name).unwrap(), &Progress::none()).unwrap()
}

fn assert_explained(name: &str) -> Reproduction {
    let r = reproduced(name);
    let describe = |r: &Row| format!("{} {}: {}", r.equation, r.quantity, r.note);
    let unexplained: Vec<String> = r.rows().filter(|r| r.verdict == Verdict::Unexplained).map(describe).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    r
}

/// 6-72 is tested as it is printed: friction force against load.
#[test]
fn lau() {
    let r = assert_explained("lau");
    let source = r.document.sections.iter().flat_map(|s| &s.rows).find(|r| r.equation == "6-72").unwrap();
    assert!(source.text.as_deref().unwrap().contains("≤ μₛ (N₂ + N₃)"));
    assert_eq!(source.formula.as_deref(), Some("abs(f)/(N2 + N3)"));
    let row = r.rows().find(|r| r.equation == "6-72").unwrap();
    assert_eq!((row.verdict, row.class), (Verdict::Agrees, RowClass::Computed), "{}", row.note);
}

#[test]
fn renaud() {
    assert_explained("renaud");
}

/// D₄ = g s₂ (d₃ c₄ s₅ − d₄ s₄) and D₅ = g d₃ (s₂ s₄ c₅ + c₂ s₅): their maxima are g √(d₃² + d₄²) and g d₃, not equal as printed.
#[test]
fn bejczy() {
    let r = assert_explained("bejczy");
    let d4: f64 = -0.00583495470382;
    for (equation, d3) in [("96, 98", 0.115926215571_f64), ("97, 99", 0.561696215571)] {
        let row = r.rows().find(|r| r.equation == equation).unwrap();
        assert_eq!((row.verdict, row.class), (Verdict::Erratum, RowClass::Computed), "{}", row.note);
        let expected = d3.hypot(d4) / d3;
        // d₃ and d₄ are known to 12 digits, the search to 1e-9.
        assert!((row.value.unwrap() / expected - 1.0).abs() < 1e-8, "{:?} {expected}", row.value);
    }
    // A hypothetical is no erratum.
    let free = r.rows().find(|r| r.quantity.contains("were θ₅ free")).unwrap();
    assert_eq!((free.verdict, free.class), (Verdict::Agrees, RowClass::Own));
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
    let more: Vec<&str> = found.keys().map(String::as_str).filter(|e| !wanted.contains_key(*e)).collect();
    assert_eq!(more, BEYOND_THE_SPECIFICATION);
}

/// Errata of the documents that the specification does not list, in order.
const BEYOND_THE_SPECIFICATION: [&str; 17] = [
    "E51",
    "E52",
    "E53",
    "E54",
    "E55",
    "E56",
    "E57",
    "Lau 3-76",
    "Lau 4-111,4-112",
    "Lin p.5",
    "Lin p.6",
    "Morris 2.5",
    "Morris 2.6",
    "Morris 3.12",
    "Morris 3.13",
    "Morris 3.13 z",
    "Renaud alpha",
];

/// The classes partition the rows, every erratum has a kind, and one rule judges lost dots.
#[test]
fn classes_of_rows_and_kinds_of_errata() {
    let all: Vec<Reproduction> = names().map(reproduced).collect();
    assert!(all.iter().map(|r| r.rows().count()).sum::<usize>() > 1600);
    for r in &all {
        assert_classes(r);
        assert_kinds(r);
    }
    assert_input(all.iter().find(|r| r.document.name == "bejczy").unwrap());
    assert_dots(&all);
    let kind = |name: &str| all.iter().find_map(|r| r.document.errata.get(name)).copied();
    for (erratum, expected) in [
        ("Lau p.37", ErratumKind::Convention),
        ("Lau 3-5,3-6,3-89,3-98b", ErratumKind::Convention),
        ("Lau 3-17,3-19", ErratumKind::Convention),
        ("Lau 5-84", ErratumKind::Convention),
        ("Lau 7-13,7-15,7-16,7-19,7-20", ErratumKind::Assumption),
        ("Lau 7-17", ErratumKind::Assumption),
        ("E56", ErratumKind::Convention),
        ("E48", ErratumKind::Scan),
        ("Morris 3.14", ErratumKind::Scan),
    ] {
        assert_eq!(kind(erratum), Some(expected), "{erratum}");
    }
}

/// Each row has the class that its keys say.
fn assert_classes(r: &Reproduction) {
    let of_class = |class: RowClass| r.rows().filter(|r| r.class == class).count();
    assert_eq!(RowClass::ALL.map(of_class).iter().sum::<usize>(), r.rows().count(), "{}", r.document.name);
    for (source, row) in r.document.sections.iter().flat_map(|s| &s.rows).zip(r.rows()) {
        let what = format!("{} {} {}: {:?}", row.document, row.equation, row.quantity, row.class);
        let computed = source.compute.is_some() || source.equals.is_some();
        let bound = source.printed.as_deref().is_some_and(|p| p.starts_with(['<', '>', '~']));
        let printed = source.printed.is_some() || source.formula.is_some();
        assert_eq!(row.class == RowClass::Reading, !computed, "{what}");
        assert_eq!(row.class == RowClass::Statement, bound, "{what}");
        assert_eq!(row.class == RowClass::Own, computed && !printed, "{what}");
        assert!(row.class != RowClass::Input || row.method == Method::Number, "{what}");
    }
}

/// The numbers of Bejczy's appendix B are the input of the robot's file, but for conversion factors and lost ones.
fn assert_input(bejczy: &Reproduction) {
    let numbers = bejczy.rows().filter(|r| r.equation == "App. B" && r.method == Method::Number);
    let mut others: Vec<&str> = numbers.filter(|r| r.class != RowClass::Input).map(|r| r.quantity.as_str()).collect();
    others.sort_unstable();
    let conversions = ["1 in", "1 oz", "1 oz in", "1 oz in s²", "1 oz s²", "1 oz s²/in"];
    assert_eq!(others, [&conversions[..], &["drive inertia, joint 2", "drive inertia, joint 3"]].concat());
}

fn assert_kinds(r: &Reproduction) {
    let name = &r.document.name;
    for row in r.rows() {
        assert_eq!(row.kind.is_some(), row.verdict == Verdict::Erratum, "{name} {}", row.equation);
    }
    let shown: Vec<&String> = r.rows().flat_map(|r| &r.errata).collect();
    assert!(r.document.errata.keys().all(|e| shown.contains(&e)), "{name}");
    let errata = r.errata();
    assert!(errata.len() <= r.count(Verdict::Erratum) && errata.iter().all(|e| !e.rows.is_empty()), "{name}");
}

/// Where the print differs from the correction in nothing but dots over letters, it is damage by the scan.
fn assert_dots(all: &[Reproduction]) {
    let letter = |c: char| match c {
        'ẋ' | 'ẍ' => 'x',
        'ẏ' | 'ÿ' => 'y',
        'ṙ' => 'r',
        'ḋ' => 'd',
        'Ṙ' => 'R',
        c => c,
    };
    let is_dot = |c: &char| matches!(c, '\u{307}' | '\u{308}' | '\'' | ' ');
    let bare = |text: &str| text.chars().filter(|c| !is_dot(c)).map(letter).collect::<String>();
    let mut seen = vec![];
    for row in all.iter().flat_map(Reproduction::rows).filter(|r| r.class != RowClass::Own && r.printed != r.computed) {
        if !row.computed.is_empty() && bare(&row.printed) == bare(&row.computed) {
            assert_eq!(row.kind, Some(ErratumKind::Scan), "{} {}: {}", row.document, row.equation, row.printed);
            seen.extend(row.errata.clone());
        }
    }
    for erratum in ["Morris 2.5", "Morris 3.14", "Morris 3.1 j", "Lin p.35", "Lin p.39", "Lin p.21"] {
        assert!(seen.iter().any(|e| e == erratum), "{erratum}: {seen:?}");
    }
}
