//! A Markdown page of each document: what it describes, what of it is implemented, its errata, all rows; and their index.

use super::{COUNTED, counted, off};
use armdyn_documents::{Method, Part, Reproduction, Row, Verdict};
use std::fmt::Write;

/// The pages and their figures, by file name; the index, where all documents are there.
pub fn files(all: &[Reproduction], whole: bool) -> Vec<(String, String)> {
    let mut files = vec![];
    if whole {
        files.push(("documents.md".to_string(), index(all)));
    }
    for r in all {
        let name = &r.document.name;
        files.push((format!("documents/{name}.md"), page(r)));
        let figures = r.parts.iter().flat_map(|p| &p.figures);
        files.extend(figures.map(|f| (format!("documents/{}", figure_file(name, &f.equation)), f.chart.svg())));
    }
    files
}

fn index(all: &[Reproduction]) -> String {
    let line = |name: &str, cells: [String; 8]| format!("| {name} | {} |\n", cells.join(" | "));
    let counts = |of: &[&Reproduction]| counted(of).map(|n| n.to_string());
    let mut text = INDEX.to_string();
    text += &line("document", COUNTED.map(String::from));
    text += &line("---", COUNTED.map(|_| "---".to_string()));
    for r in all {
        text += &line(&format!("[{}](documents/{}.md)", r.document.title, r.document.name), counts(&[r]));
    }
    text + &line("all", counts(&all.iter().collect::<Vec<_>>()))
}

const INDEX: &str = "# The documents behind armdyn

armdyn grew from five documents. Each has a page here: what it describes, what of it is implemented and where, what it prints
and what armdyn computes of it, row by row, with its errata. The pages are made by `armdyn reproduce all --markdown docs`; their
rows are the files of `documents/`, and the tests run all of them.

A row is a number, a formula or words as printed, and a question that the ordinary algorithms answer: nothing in the code knows
a document. What is found is

- **agrees**: the number is right to half of its last printed digit, or the formula identically; where no number is printed, the
  computed one equals one that was found by other means;
- **rounding**: it is right but for the rounding of what it was computed with;
- **erratum**: it is wrong, and the correction is borne out by what armdyn computes, or, where there is nothing to compute, by
  reading;
- **unexplained**: none of these. `armdyn reproduce` then ends with exit code 1.

Each page lists its errata with the reason, how it is shown, and the name of the erratum in the list that the tests hold (`E03`, `Lau 3-20`),
where it is on that list. A formula is *proven* where both sides are the same polynomial in the sines and cosines of the angles, the lengths, the rates and
all figures of the robot; where a joint has several degrees of freedom, or a side is no polynomial, both are computed in random
states of robots with random figures.

";

fn figure_file(document: &str, equation: &str) -> String {
    let number: String = equation.chars().filter(char::is_ascii_digit).collect();
    format!("{document}-figure-{number}.svg")
}

fn page(r: &Reproduction) -> String {
    let d = &r.document;
    let mut text =
        format!("# {}\n\n{}\n\n## What is implemented\n\n| what | where |\n|---|---|\n", d.title, d.about.trim());
    for part in &d.implemented {
        let _ = writeln!(text, "| {} | `{}` |", cell(&part.what), part.file);
    }
    if !d.remarks.is_empty() {
        text += "\n## To know before reading\n\n";
        d.remarks.iter().for_each(|remark| text += &format!("- {}\n", remark.trim()));
    }
    text += "\n## Errata\n\n";
    for row in r.rows().filter(|r| r.verdict == Verdict::Erratum) {
        let how = row.method.name();
        let names = row.errata.iter().fold(String::new(), |all, e| format!("{all}, {e}"));
        let _ = writeln!(text, "- {}, {}: {} (by {how}{names})", row.equation, row.quantity, row.reason);
    }
    let count = |v: Verdict| format!("{} {}", r.count(v), v.name());
    let (counts, name) = (Verdict::ALL.map(count).join(", "), &d.name);
    let _ = writeln!(
        text,
        "\n## What is printed, and what armdyn computes\n\nMade by `armdyn reproduce {name}`: {counts}."
    );
    r.parts.iter().for_each(|p| part(&mut text, &d.name, p));
    text
}

fn part(text: &mut String, document: &str, part: &Part) {
    let _ = writeln!(text, "\n### {}\n", part.title);
    if !part.rows.is_empty() {
        *text += "| equation | quantity | printed | computed | off | verdict | note |\n|---|---|---|---|---|---|---|\n";
        for row in &part.rows {
            let printed = value(row, &row.printed);
            let computed = [value(row, &row.computed), row.evidence.clone()].join(" ").trim().to_string();
            let off = row.difference.map_or(String::new(), off);
            let [equation, quantity, note] = [&row.equation, &row.quantity, &row.note].map(|c| cell(c));
            let verdict = row.verdict.name();
            let _ = writeln!(text, "| {equation} | {quantity} | {printed} | {computed} | {off} | {verdict} | {note} |");
        }
    }
    for figure in &part.figures {
        let (file, title) = (figure_file(document, &figure.equation), &figure.title);
        let _ =
            writeln!(text, "\n{}: {title}. {}\n\n![{}]({file})", figure.equation, figure.text.trim(), figure.equation);
    }
}

/// A number with its unit, a formula as code, or words.
fn value(row: &Row, text: &str) -> String {
    match row.method {
        _ if text.is_empty() => String::new(),
        Method::Number if text.parse::<f64>().is_ok() => format!("{text} {}", row.unit).trim_end().to_string(),
        Method::Proof | Method::Trials => format!("`{}`", cell(text)),
        _ => cell(text),
    }
}

/// What does not end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
