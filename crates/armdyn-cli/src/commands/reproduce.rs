//! `armdyn reproduce`: the published values and formulas of the documents, recomputed row by row.

use crate::args::Reproduce;
use crate::document::{Document, Table};
use crate::format::many;
use crate::html::{Highlight, HtmlPage, Section};
use crate::table::{AtomicFile, put_all};
use crate::{CommandError, CommandResult, Output, progress};
use armdyn_core::Progress;
use armdyn_documents::{Method, Part, Reproduction, Row, Verdict, document, names, reproduce};
use serde::Serialize;
use std::fmt::Write;

const FOOTER: &str = "Agrees: equal within half a unit of the last printed digit, or identical; where no number is printed, the computed one \
    equals one found by other means. Rounding: equal but for the rounding of the printed inputs. Erratum: wrong, and the \
    correction agrees with what armdyn computes.";

/// A row as JSON.
#[derive(Serialize)]
struct Entry<'a> {
    document: &'a str,
    section: &'a str,
    equation: &'a str,
    quantity: &'a str,
    printed: &'a str,
    computed: Computed,
    unit: &'a str,
    /// Printed minus computed, relative to the computed value.
    difference: Option<f64>,
    verdict: &'static str,
    method: &'static str,
    note: &'a str,
    errata: &'a [String],
}

#[derive(Serialize)]
#[serde(untagged)]
enum Computed {
    Number(f64),
    Text(String),
}

/// The exit code is 1 if a row is unexplained.
pub fn run(args: &Reproduce) -> CommandResult {
    let html = args.html.as_deref().map(AtomicFile::beside).transpose()?;
    let all = progress::with_progress(|progress| compute(&args.document, progress))?;
    if let Some(file) = html {
        file.hold(page(&all).html().into_string().as_bytes())?;
    }
    if let Some(folder) = &args.markdown {
        let files = markdown_files(&all, args.document == "all");
        put_all(folder, files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())))?;
    }
    let unexplained: usize = all.iter().map(|r| r.count(Verdict::Unexplained)).sum();
    let rows: Vec<Entry> = all.iter().flat_map(Reproduction::rows).map(entry).collect();
    let output = Output::of(args.json, &rows, |_| {
        let mut document = view(&all);
        for path in args.html.iter().chain(&args.markdown) {
            let _ = writeln!(document, "{} written", path.display());
        }
        document
    })?;
    Ok(output.with_exit_code(u8::from(unexplained > 0)))
}

fn compute(which: &str, progress: &Progress) -> Result<Vec<Reproduction>, CommandError> {
    let chosen: Vec<&str> = names().filter(|name| which == "all" || *name == which).collect();
    let one = |(k, name): (usize, &&str)| {
        let callback = |step: &str, done: f64| progress.report(step, (k as f64 + done) / chosen.len() as f64);
        Ok(reproduce(document(name)?, &Progress { callback: &callback, cancel: progress.cancel })?)
    };
    chosen.iter().enumerate().map(one).collect()
}

fn entry(r: &Row) -> Entry<'_> {
    let text = [r.computed.clone(), r.evidence.clone()].into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>();
    Entry {
        document: &r.document,
        section: &r.section,
        equation: &r.equation,
        quantity: &r.quantity,
        printed: &r.printed,
        computed: r.value.map_or(Computed::Text(text.join("; ")), Computed::Number),
        unit: &r.unit,
        difference: r.difference,
        verdict: r.verdict.name(),
        method: r.method.name(),
        note: &r.note,
        errata: &r.errata,
    }
}

/// Terminal output: all parts, then the counts.
fn view(all: &[Reproduction]) -> Document {
    let mut document = Document::default();
    for r in all {
        document.heading(1, &r.document.title);
        for part in &r.parts {
            document.heading(2, &part.title);
            add_part(&mut document, &r.document.name, part);
        }
    }
    document.table(counts(all, |r| r.document.name.clone()));
    document
}

/// The rows and plots of a part.
fn add_part(document: &mut Document, name: &str, part: &Part) {
    if !part.rows.is_empty() {
        let header = ["equation", "quantity", "printed", "computed", "difference", "verdict", "note"];
        let table = Table::new(&header, &[0, 1, 5, 6], part.rows.iter().map(cells));
        document.table(table.records().class(5));
        *document += "\n";
    }
    for figure in &part.figures {
        let _ = writeln!(document, "{}: {}. {}\n", figure.equation, figure.title, figure.text.trim());
        document.picture_file(figure.chart.svg(), &figure.equation, figure_file(name, &figure.equation));
    }
}

fn cells(row: &Row) -> Vec<String> {
    let computed = [value(row, &row.computed), row.evidence.clone()].join(" ").trim().to_string();
    let difference = match row.difference {
        None => String::new(),
        Some(0.0) => "0 %".to_string(),
        Some(x) => format!("{:+.2} %", 100.0 * x),
    };
    let printed = value(row, &row.printed);
    let [equation, quantity, note] = [&row.equation, &row.quantity, &row.note].map(String::clone);
    vec![equation, quantity, printed, computed, difference, row.verdict.name().to_string(), note]
}

/// A number with its unit, a formula as code, or words.
fn value(row: &Row, text: &str) -> String {
    match row.method {
        Method::Number if text.parse::<f64>().is_ok() => format!("{text} {}", row.unit).trim_end().to_string(),
        Method::Proof | Method::Trials if !text.is_empty() => format!("`{text}`"),
        _ => text.to_string(),
    }
}

/// Numbers of rows: all, by verdict, and by evidence.
fn counts(all: &[Reproduction], title: impl Fn(&Reproduction) -> String) -> Table {
    let header = ["document", "rows", "agrees", "rounding", "erratum", "unexplained", "proven", "tested", "by reading"];
    let line = |name: String, of: &[&Reproduction]| {
        let count = |f: &dyn Fn(&Row) -> bool| of.iter().flat_map(|r| r.rows()).filter(|r| f(r)).count().to_string();
        let verdicts = Verdict::ALL.map(|v| count(&|r| r.verdict == v));
        let evidence = [Method::Proof, Method::Trials, Method::Reading].map(|s| count(&|r| r.method == s));
        [&[name, count(&|_| true)][..], &verdicts, &evidence].concat()
    };
    let mut rows: Vec<Vec<String>> = all.iter().map(|r| line(title(r), &[r])).collect();
    if all.len() > 1 {
        rows.push(line("all".to_string(), &all.iter().collect::<Vec<_>>()));
    }
    Table::new(&header, &[0], rows)
}

fn page(all: &[Reproduction]) -> HtmlPage {
    let highlights = Verdict::ALL.map(|v| {
        let n: usize = all.iter().map(|r| r.count(v)).sum();
        Highlight { name: v.name().to_string(), value: many(n, "row"), detail: String::new() }
    });
    let mut sections = vec![];
    for r in all {
        for (k, part) in r.parts.iter().enumerate() {
            let mut document = Document::default();
            add_part(&mut document, &r.document.name, part);
            let title =
                if all.len() == 1 { part.title.clone() } else { format!("{}: {}", r.document.name, part.title) };
            let question = if k == 0 { r.document.title.clone() } else { String::new() };
            sections.push(Section { title, question, command: String::new(), content: Ok(document) });
        }
    }
    let (subject, summary) = match all {
        [one] => (one.document.title.clone(), one.document.about.trim().to_string()),
        _ => ("The five documents".to_string(), "Printed values and formulas, and what armdyn computes.".to_string()),
    };
    let (kind, highlights) = ("reproduction", highlights.to_vec());
    let summary = vec![summary];
    HtmlPage { subject, kind, summary, picture: None, highlights, sections, partial: false, footer: FOOTER }
}

/// The Markdown pages and their plots, by file name; with an index if all documents are there.
fn markdown_files(all: &[Reproduction], whole: bool) -> Vec<(String, String)> {
    let mut files = vec![];
    if whole {
        let mut index = Document::from(INDEX.to_string());
        index.table(counts(all, |r| format!("[{}](documents/{}.md)", r.document.title, r.document.name)));
        files.push(("documents.md".to_string(), index.markdown()));
    }
    for r in all {
        let name = &r.document.name;
        files.push((format!("documents/{name}.md"), markdown_page(r).markdown()));
        let figures = r.parts.iter().flat_map(|p| &p.figures);
        files.extend(figures.map(|f| (format!("documents/{}", figure_file(name, &f.equation)), f.chart.svg())));
    }
    files
}

fn figure_file(document: &str, equation: &str) -> String {
    let number: String = equation.chars().filter(char::is_ascii_digit).collect();
    format!("{document}-figure-{number}.svg")
}

fn markdown_page(r: &Reproduction) -> Document {
    let d = &r.document;
    let mut page = Document::default();
    page.heading(1, &d.title);
    page += d.about.trim();
    page.heading(2, "What is implemented");
    let rows = d.implemented.iter().map(|part| vec![part.what.clone(), format!("`{}`", part.file)]);
    page.table(Table::new(&["what", "where"], &[0, 1], rows));
    if !d.remarks.is_empty() {
        page.heading(2, "Remarks");
        d.remarks.iter().for_each(|remark| page += &format!("- {}\n", remark.trim()));
    }
    page.heading(2, "Errata");
    for row in r.rows().filter(|r| r.verdict == Verdict::Erratum) {
        let names = row.errata.iter().fold(String::new(), |all, e| format!("{all}, {e}"));
        let _ =
            writeln!(page, "- {}, {}: {} (by {}{names})", row.equation, row.quantity, row.reason, row.method.name());
    }
    page.heading(2, "Printed and computed");
    let counts = Verdict::ALL.map(|v| format!("{} {}", r.count(v), v.name())).join(", ");
    page += &format!("Written by `armdyn reproduce {}`: {counts}.\n", d.name);
    for part in &r.parts {
        page.heading(3, &part.title);
        add_part(&mut page, &d.name, part);
    }
    page
}

const INDEX: &str = "# The documents behind armdyn

armdyn grew from five documents. Each has a page here: what it describes, what of it is implemented and where, its errata, and what
it prints beside what armdyn computes, row by row. `armdyn reproduce all --markdown docs` writes the pages from the files in
`crates/armdyn-documents/documents`; the tests run all of them.

A row is a printed number, formula or statement, and a query that the ordinary algorithms answer: no code is specific to a document.
The verdict is

- **agrees**: the number is equal to half of its last printed digit, or the formula is identical; where no number is printed, the
  computed one equals one that was found by other means;
- **rounding**: equal but for the rounding of the printed inputs;
- **erratum**: wrong, and the correction agrees with what armdyn computes, or, where there is nothing to compute, with a reading of
  the text;
- **unexplained**: none of these. `armdyn reproduce` then exits with code 1.

Each page lists its errata with the reason, the evidence, and the name of the erratum in the list of the tests (`E03`, `Lau 3-20`), if it
has one. A formula is *proven* if both sides are the same polynomial in the sines and cosines of the angles, the lengths, the rates and
all parameters of the robot; if a joint has several degrees of freedom, or a side is not a polynomial, both are evaluated at random
states of robots with random parameters.
";
