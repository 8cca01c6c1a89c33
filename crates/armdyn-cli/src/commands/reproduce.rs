//! `armdyn reproduce`: the published values and formulas of the documents, recomputed: a summary, and the rows on request.

use crate::args::Reproduce;
use crate::document::{Document, Table};
use crate::format::many;
use crate::html::{Highlight, HtmlPage, Section};
use crate::table::{AtomicFile, put_all};
use crate::{CommandError, CommandResult, Output, progress};
use armdyn_core::Progress;
use armdyn_documents::{
    Erratum, ErratumKind, Method, Part, Reproduction, Row, RowClass, Verdict, document, names, reproduce,
};
use serde::Serialize;
use std::fmt::Write;

const FOOTER: &str = "Agrees: equal within half a unit of the last printed digit, or identical; where no number is printed, the computed one \
    equals one found by other means. Rounding: equal but for the rounding of the printed inputs. Erratum: different, and the \
    correction agrees with what armdyn computes; its kind is an error of the author unless another is named.";

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
    /// What the verdict rests on.
    class: &'static str,
    /// The kind of an erratum.
    kind: Option<&'static str>,
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
        let mut document = view(&all, args.rows.as_deref());
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
        class: r.class.name(),
        kind: r.kind.map(ErratumKind::name),
        note: &r.note,
        errata: &r.errata,
    }
}

/// Terminal output: the requested rows, then the summary.
fn view(all: &[Reproduction], requested: Option<&str>) -> Document {
    let mut document = Document::default();
    let wanted = |row: &Row| match requested {
        None => row.verdict == Verdict::Unexplained,
        Some(verdict) => verdict == "all" || row.verdict.name() == verdict,
    };
    for r in all {
        let parts = r.parts.iter().map(|part| (part, part.rows.iter().filter(|row| wanted(row)).collect::<Vec<_>>()));
        let parts: Vec<_> = parts.filter(|(_, rows)| !rows.is_empty()).collect();
        if !parts.is_empty() || all.len() == 1 {
            document.heading(1, &r.document.title);
        }
        for (part, rows) in parts {
            document.heading(2, &part.title);
            add_rows(&mut document, &rows);
        }
    }
    add_summary(&mut document, all, |r| r.document.name.clone());
    if requested.is_none() {
        document += "\n`--rows` prints the rows, `--rows erratum` those with an erratum\n";
    }
    document
}

/// Verdicts, classes and errata in numbers.
fn add_summary(document: &mut Document, all: &[Reproduction], title: impl Fn(&Reproduction) -> String) {
    *document += "\nverdicts on the rows\n";
    document.table(counts(all, &title));
    *document += "\nwhat the verdicts rest on\n";
    document.table(classes(all));
    *document += "\ndistinct errata by kind\n";
    document.table(errata(all, &title));
}

/// The rows and plots of a part.
fn add_part(document: &mut Document, name: &str, part: &Part) {
    if !part.rows.is_empty() {
        add_rows(document, &part.rows.iter().collect::<Vec<_>>());
    }
    for figure in &part.figures {
        let _ = writeln!(document, "{}: {}. {}\n", figure.equation, figure.title, figure.text.trim());
        document.picture_file(figure.chart.svg(), &figure.equation, figure_file(name, &figure.equation));
    }
}

fn add_rows(document: &mut Document, rows: &[&Row]) {
    let header = ["equation", "quantity", "printed", "computed", "difference", "verdict", "class", "note"];
    let table = Table::new(&header, &[0, 1, 5, 6, 7], rows.iter().map(|row| cells(row)));
    document.table(table.records().class(5));
    *document += "\n";
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
    let verdict = match row.kind {
        Some(kind) if kind != ErratumKind::Error => format!("{} ({})", row.verdict.name(), kind.name()),
        _ => row.verdict.name().to_string(),
    };
    vec![equation, quantity, printed, computed, difference, verdict, row.class.name().to_string(), note]
}

/// A number with its unit, a formula as code, or words.
fn value(row: &Row, text: &str) -> String {
    match row.method {
        Method::Number if text.parse::<f64>().is_ok() => format!("{text} {}", row.unit).trim_end().to_string(),
        Method::Proof | Method::Trials if !text.is_empty() => format!("`{text}`"),
        _ => text.to_string(),
    }
}

/// A table with a line per document, and one for all of them.
fn per_document(
    all: &[Reproduction],
    header: &[&str],
    title: impl Fn(&Reproduction) -> String,
    numbers: impl Fn(&[&Reproduction]) -> Vec<usize>,
) -> Table {
    let line = |name: String, of: &[&Reproduction]| {
        [name].into_iter().chain(numbers(of).iter().map(ToString::to_string)).collect::<Vec<String>>()
    };
    let mut rows: Vec<Vec<String>> = all.iter().map(|r| line(title(r), &[r])).collect();
    if all.len() > 1 {
        rows.push(line("all".to_string(), &all.iter().collect::<Vec<_>>()));
    }
    Table::new(header, &[0], rows)
}

/// Numbers of rows: all, by verdict, and by evidence.
fn counts(all: &[Reproduction], title: impl Fn(&Reproduction) -> String) -> Table {
    let header = ["document", "rows", "agrees", "rounding", "erratum", "unexplained", "proven", "tested", "by reading"];
    per_document(all, &header, title, |of| {
        let count = |f: &dyn Fn(&Row) -> bool| of.iter().flat_map(|r| r.rows()).filter(|r| f(r)).count();
        let verdicts = Verdict::ALL.map(|v| count(&|r| r.verdict == v));
        let evidence = [Method::Proof, Method::Trials, Method::Reading].map(|s| count(&|r| r.method == s));
        [&[count(&|_| true)][..], &verdicts, &evidence].concat()
    })
}

/// Numbers of rows by class and verdict.
fn classes(all: &[Reproduction]) -> Table {
    let rows = |class: RowClass| all.iter().flat_map(Reproduction::rows).filter(move |r| r.class == class);
    let line = |class: RowClass| {
        let count = |v: Verdict| rows(class).filter(|r| r.verdict == v).count().to_string();
        let words = [class.name(), class.meaning()].map(ToString::to_string);
        [&words[..], &[rows(class).count().to_string()], &Verdict::ALL.map(count)].concat()
    };
    let header = ["class", "meaning", "rows", "agrees", "rounding", "erratum", "unexplained"];
    Table::new(&header, &[0, 1], RowClass::ALL.map(line))
}

/// Numbers of distinct errata by kind, and of the rows that show them.
fn errata(all: &[Reproduction], title: impl Fn(&Reproduction) -> String) -> Table {
    let header = [&["document", "errata"][..], &ErratumKind::ALL.map(ErratumKind::name), &["on rows"]].concat();
    per_document(all, &header, title, |of| {
        let found: Vec<Erratum> = of.iter().flat_map(|r| r.errata()).collect();
        let kinds = ErratumKind::ALL.map(|kind| found.iter().filter(|e| e.kind == kind).count());
        let rows = of.iter().map(|r| r.count(Verdict::Erratum)).sum();
        [&[found.len()][..], &kinds, &[rows]].concat()
    })
}

fn page(all: &[Reproduction]) -> HtmlPage {
    let highlights = Verdict::ALL.map(|v| {
        let n: usize = all.iter().map(|r| r.count(v)).sum();
        Highlight { name: v.name().to_string(), value: many(n, "row"), detail: String::new() }
    });
    let mut summary = Document::default();
    add_summary(&mut summary, all, |r| r.document.name.clone());
    let title = "Summary".to_string();
    let mut sections = vec![Section { title, question: String::new(), command: String::new(), content: Ok(summary) }];
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
        add_summary(&mut index, all, |r| format!("[{}](documents/{}.md)", r.document.title, r.document.name));
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
    let found = r.errata();
    page += &format!("Distinct errata: {}, on {}.\n", found.len(), many(r.count(Verdict::Erratum), "row"));
    for kind in ErratumKind::ALL {
        let of_kind: Vec<&Erratum> = found.iter().filter(|e| e.kind == kind).collect();
        if !of_kind.is_empty() {
            page.heading(3, &format!("{}: {}", kind.name(), of_kind.len()));
            of_kind.iter().for_each(|e| page += &erratum_line(e));
        }
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

/// An erratum: where, what, why, and how it is verified.
fn erratum_line(e: &Erratum) -> String {
    let distinct = |of: &dyn Fn(&Row) -> String| {
        let mut all: Vec<String> = vec![];
        e.rows.iter().map(|r| of(r)).for_each(|x| {
            if !all.contains(&x) {
                all.push(x)
            }
        });
        all
    };
    let what = match e.rows[..] {
        [row] => format!("{}, {}", row.equation, row.quantity),
        _ => distinct(&|r| r.equation.clone()).join(", "),
    };
    let reasons = distinct(&|r| r.reason.clone()).join("; ");
    let methods = distinct(&|r| r.method.name().to_string()).join(", ");
    let rows = if e.rows.len() == 1 { String::new() } else { format!("{} rows, ", e.rows.len()) };
    format!("- **{}**: {what}: {reasons} ({rows}by {methods})\n", e.name)
}

const INDEX: &str = "# The documents behind armdyn

armdyn grew from five documents. Each has a page here: what it describes, what of it is implemented and where, its errata, and what
it prints beside what armdyn computes, row by row. `armdyn reproduce all --markdown docs` writes the pages from the files in
`crates/armdyn-documents/documents`; the tests run all of them. A chapter per document leads a reader through the text, a command beside
each step: [Lau](chapters/lau.md), [Renaud](chapters/renaud.md), [Bejczy](chapters/bejczy.md), [Lin](chapters/lin.md),
[Morris & Neea](chapters/morris.md).

A row is a printed number, formula or statement, and a query that the ordinary algorithms answer: no code is specific to a document.
The verdict is

- **agrees**: the number is equal to half of its last printed digit, or the formula is identical; where no number is printed, the
  computed one equals one that was found by other means;
- **rounding**: equal but for the rounding of the printed inputs;
- **erratum**: different, and the correction agrees with what armdyn computes, or, where there is nothing to compute, with a reading
  of the text;
- **unexplained**: none of these. `armdyn reproduce` then exits with code 1.

A verdict is worth as much as what it rests on, the *class* of the row, which follows from what the row prints and asks:

- **computed**: what is printed is compared with what the algorithms compute;
- **input**: the printed number is a parameter of the robot's file, read back;
- **algebra**: no algorithm is asked: vector algebra, or arithmetic on the file's parameters;
- **own check**: nothing comparable is printed, or the print is lost: the computed value is compared with an independent one;
- **statement**: a bound, or a statement in words, is judged against a range;
- **reading**: nothing is computed.

An erratum has a name and may show on several rows. The sources are texts of scans, without the pages. Its *kind* is

- **error**: a mistake of the author: more than single characters, or the same slip in every place, or used further on;
- **undecidable**: single letters, digits, signs, indices or exponents, or a claim with several readings: author, printer and scan
  cannot be distinguished;
- **scan**: text that is lost, letters that look alike, and, by one rule for all documents, every difference of dots over letters alone;
- **convention**: another convention than today's or armdyn's, right within it; not an error;
- **assumption**: what follows from an assumption that the author states; not an error.

A formula is *proven* if both sides are the same polynomial in the sines and cosines of the angles, the lengths, the rates and
all parameters of the robot; if a joint has several degrees of freedom, or a side is not a polynomial, both are evaluated at random
states of robots with random parameters.
";
