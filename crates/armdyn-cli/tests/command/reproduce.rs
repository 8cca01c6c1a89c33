//! `armdyn reproduce`: rows, pages, and that the pages in the repository are current.

use crate::typed::{folder, json, refused, said};
use std::path::{Path, PathBuf};

#[test]
fn rows_have_what_is_printed_and_what_is_computed() {
    let all = json(&["reproduce", "lin", "--json"]);
    let rows = all.as_array().unwrap();
    assert!(rows.len() > 20, "{}", rows.len());
    for row in rows {
        for key in ["document", "equation", "quantity", "printed", "computed", "verdict", "class", "kind", "note"] {
            assert!(row.get(key).is_some(), "{key}: {row}");
        }
        assert_eq!(row["document"], "lin");
        assert!(["agrees", "rounding", "erratum"].contains(&row["verdict"].as_str().unwrap()), "{row}");
    }
    let errata = rows.iter().filter(|r| r["verdict"] == "erratum");
    assert!(errata.clone().count() >= 9 && errata.clone().all(|r| r["note"] != "" && r["kind"].is_string()));
    assert!(rows.iter().all(|r| r["verdict"] == "erratum" || r["kind"].is_null()));
}

/// A summary within a screen; rows on request, all or of one verdict.
#[test]
fn a_person_gets_a_summary_and_rows_on_request() {
    let summary = said(&["reproduce", "morris"]);
    for line in
        ["Morris", "verdicts", "own check", "computed by the algorithms", "distinct errata", "undecidable", "--rows"]
    {
        assert!(summary.contains(line), "{line}: {summary}");
    }
    assert!(!summary.contains("printed:") && summary.lines().count() < 30, "{summary}");
    assert!(summary.lines().all(|line| line.chars().count() <= 100), "{summary}");
    let rows = said(&["reproduce", "morris", "--rows"]);
    for line in ["printed:", "computed:", "agrees", "erratum (scan)", "by reading", "distinct errata"] {
        assert!(rows.contains(line), "{line}: {rows}");
    }
    let errata = said(&["reproduce", "morris", "--rows", "erratum"]);
    assert!(errata.contains("printed:") && errata.lines().count() < rows.lines().count());
    assert!(!errata.contains("3.7 "), "{errata}");
    assert!(refused(&["reproduce", "morris", "--rows", "wrong"]).contains("erratum"));
}

#[test]
fn a_document_that_is_not_there_is_refused() {
    assert!(refused(&["reproduce", "newton"]).contains("bejczy"));
}

/// The page has the figures, and nothing from elsewhere; an unwritable file is an error before anything is computed.
#[test]
fn the_page_stands_alone() {
    let own = folder("reproduce-page");
    let page = own.join("page.html");
    said(&["reproduce", "bejczy", "--html", page.to_str().unwrap()]);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("</html>") && html.matches("<svg").count() >= 9, "{}", html.matches("<svg").count());
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"));
    assert!(refused(&["reproduce", "bejczy", "--html", "/nowhere/page.html"]).contains("/nowhere"));
}

/// The pages in docs/ are what the command makes; numbers to 1e-3, as the last digit may differ between machines.
#[test]
fn the_pages_in_the_repository_are_current() {
    let own = folder("reproduce-pages");
    said(&["reproduce", "all", "--markdown", own.to_str().unwrap()]);
    let docs = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"));
    let names = ["documents.md", "documents/lau.md", "documents/renaud.md", "documents/bejczy.md"];
    for name in names.iter().chain(&["documents/lin.md", "documents/morris.md"]) {
        let [new, old] = [own.as_path(), docs.as_path()].map(|f: &Path| std::fs::read_to_string(f.join(name)).unwrap());
        assert_eq!(new.lines().count(), old.lines().count(), "{name}: `armdyn reproduce all --markdown docs` is due");
        for (new, old) in new.lines().zip(old.lines()) {
            let alike = new.split(' ').count() == old.split(' ').count()
                && new.split(' ').zip(old.split(' ')).all(|(a, b)| same(a, b));
            assert!(alike, "{name}: `armdyn reproduce all --markdown docs` is due\n{new}\n{old}");
        }
    }
}

fn same(a: &str, b: &str) -> bool {
    let close = |x: f64, y: f64| (x - y).abs() <= 1e-3 * x.abs().max(y.abs()).max(1e-9);
    a == b || matches!((a.parse(), b.parse()), (Ok(x), Ok(y)) if close(x, y))
}
