//! `armdyn reproduce`: what the documents print, what armdyn computes of it, and the verdict.

mod grid;
mod markdown;

use crate::args::{Documents, Reproduce};
use crate::document::{Document, Table};
use crate::format::many;
use crate::html::{HtmlPage, Section};
use crate::table::{AtomicFile, put_all};
use crate::{CommandResult, Output, progress};
use armdyn_core::Progress;
use armdyn_documents::{Method, Part, Reproduction, Row, Verdict, document, names, reproduce};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::fmt::Write;

const FOOTER: &str = "Agrees: right to half of the last printed digit, or identically; where no number is printed, the computed one \
    equals one found by other means. Rounding: right but for the rounding \
    of what it was computed with. Erratum: wrong, and the correction is borne out by what armdyn computes.";

/// Tells it.
pub fn run(args: &Reproduce) -> CommandResult {
    let html = args.html.as_deref().map(AtomicFile::beside).transpose().map_err(|e| e.to_string())?;
    let all = progress::with_progress(|progress| asked(args.document, progress))?;
    let mut page = if args.json { list(&all).into() } else { told(&all) };
    if let Some(file) = html {
        file.hold(sheet(&all).html().into_string().as_bytes()).map_err(|e| e.to_string())?;
    }
    if let Some(folder) = &args.markdown {
        let files = markdown::files(&all, args.document == Documents::All);
        put_all(folder, files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())))
            .map_err(|e| e.to_string())?;
    }
    if !args.json {
        for written in args.html.iter().chain(&args.markdown) {
            let _ = writeln!(page, "{} written", written.display());
        }
    }
    let unexplained: usize = all.iter().map(|r| r.count(Verdict::Unexplained)).sum();
    Ok(Output { document: page, exit_code: u8::from(unexplained > 0) })
}

fn asked(which: Documents, progress: &Progress) -> Result<Vec<Reproduction>, String> {
    let word = which.to_possible_value().map(|v| v.get_name().to_string()).unwrap_or_default();
    let chosen: Vec<&str> = names().filter(|name| which == Documents::All || *name == word).collect();
    let one = |(k, name): (usize, &&str)| {
        let callback = |step: &str, done: f64| progress.report(step, (k as f64 + done) / chosen.len() as f64);
        reproduce(document(name)?, &Progress { callback: &callback, cancel: progress.cancel })
    };
    chosen.iter().enumerate().map(one).collect()
}

fn list(all: &[Reproduction]) -> Value {
    let row = |r: &Row| {
        json!({
            "document": r.document, "section": r.section, "equation": r.equation, "quantity": r.quantity,
            "printed": r.printed, "computed": r.value.map_or(json!(found(r)), |x| json!(x)), "unit": r.unit,
            "difference": r.difference, "verdict": r.verdict.name(), "shown": r.method.name(), "note": r.note,
            "errata": r.errata,
        })
    };
    all.iter().flat_map(Reproduction::rows).map(row).collect()
}

/// What was found of a formula or of words: the correction, if there is one, and how it is known.
fn found(row: &Row) -> String {
    match (row.computed.as_str(), row.evidence.as_str()) {
        (one, "") | ("", one) => one.to_string(),
        (computed, evidence) => format!("{computed} ({evidence})"),
    }
}

fn told(all: &[Reproduction]) -> Document {
    let mut page = Document::default();
    for r in all {
        let _ = writeln!(page, "{}\n{}\n", r.document.title, "═".repeat(r.document.title.chars().count()));
        for part in &r.parts {
            let _ = writeln!(page, "{}\n{}\n", part.title, "─".repeat(part.title.chars().count()));
            rows(&mut page, part);
        }
    }
    page.table(counts(all));
    page
}

/// Rows with numbers as tables, the others as lines.
fn rows(page: &mut Document, part: &Part) {
    for group in part.rows.chunk_by(|a, b| (a.method == Method::Number) == (b.method == Method::Number)) {
        if group[0].method == Method::Number {
            let header = ["", "", "printed", "computed", "", "off", "", ""];
            page.table(Table::new(&header, &[0, 1, 4, 6, 7], group.iter().map(cells)));
        } else {
            group.iter().for_each(|row| lines(page, row));
        }
        *page += "\n";
    }
    for figure in &part.figures {
        let _ = writeln!(page, "{}: {}. {}\n", figure.equation, figure.title, figure.text.trim());
    }
}

fn cells(row: &Row) -> Vec<String> {
    let off = row.difference.map_or(String::new(), off);
    let r = row.clone();
    vec![r.equation, r.quantity, r.printed, r.computed, r.unit, off, r.verdict.name().to_string(), r.note]
}

fn off(difference: f64) -> String {
    if difference == 0.0 { "0 %".to_string() } else { format!("{:+.2} %", 100.0 * difference) }
}

fn lines(page: &mut Document, row: &Row) {
    let _ = writeln!(page, "{}  {}: {}", row.equation, row.quantity, row.verdict.name());
    for (what, text) in [("printed:", &row.printed), ("found:", &found(row)), ("note:", &row.note)] {
        for (k, line) in wrapped(text).iter().enumerate() {
            let _ = writeln!(page, "    {:9}{line}", if k == 0 { what } else { "" });
        }
    }
}

/// Its lines, broken at spaces.
fn wrapped(text: &str) -> Vec<String> {
    const WIDTH: usize = 96;
    let mut lines: Vec<String> = vec![];
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= WIDTH) {
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_string()),
        }
    }
    lines
}

/// What rows there are: all, by verdict, and by how they are shown.
const COUNTED: [&str; 8] =
    ["rows", "agrees", "rounding", "erratum", "unexplained", "proven", "tried", "by reading alone"];

fn counted(of: &[&Reproduction]) -> [usize; 8] {
    let count = |f: &dyn Fn(&Row) -> bool| of.iter().flat_map(|r| r.rows()).filter(|r| f(r)).count();
    let [agrees, rounding, erratum, unexplained] = Verdict::ALL.map(|v| count(&|r| r.verdict == v));
    let [proven, tried, read] = [Method::Proof, Method::Trials, Method::Reading].map(|s| count(&|r| r.method == s));
    [count(&|_| true), agrees, rounding, erratum, unexplained, proven, tried, read]
}

fn counts(all: &[Reproduction]) -> Table {
    let header = [&["document"], &COUNTED[..]].concat();
    let line = |name: &str, of: &[&Reproduction]| {
        std::iter::once(name.to_string()).chain(counted(of).map(|n| n.to_string())).collect::<Vec<String>>()
    };
    let mut table: Vec<Vec<String>> = all.iter().map(|r| line(&r.document.name, &[r])).collect();
    if all.len() > 1 {
        table.push(line("all", &all.iter().collect::<Vec<_>>()));
    }
    Table::new(&header, &[0], table)
}

fn sheet(all: &[Reproduction]) -> HtmlPage {
    let figures = Verdict::ALL.map(|v| {
        let n: usize = all.iter().map(|r| r.count(v)).sum();
        (v.name().to_string(), many(n, "row"))
    });
    let mut summary = vec!["What is printed, what armdyn computes of it, and the verdict.".to_string()];
    let mut sections = vec![];
    for r in all {
        if let [_] = all {
            summary = vec![r.document.about.trim().to_string()];
        }
        for (k, part) in r.parts.iter().enumerate() {
            let mut page = Document::default();
            page.embed(grid::grid(&part.rows).into_string());
            for figure in &part.figures {
                let _ = writeln!(page, "{}: {}. {}\n", figure.equation, figure.title, figure.text.trim());
                page.picture(figure.chart.svg(), None);
            }
            let named =
                if all.len() == 1 { part.title.clone() } else { format!("{}: {}", r.document.name, part.title) };
            let question = if k == 0 { r.document.title.clone() } else { String::new() };
            sections.push(Section { title: named, question, command: String::new(), told: Ok(page) });
        }
    }
    let subject = match all {
        [one] => one.document.title.clone(),
        _ => "The five documents".to_string(),
    };
    HtmlPage {
        subject,
        kind: "reproduction",
        summary,
        figures: figures.to_vec(),
        sections,
        partial: false,
        footer: FOOTER,
    }
}
