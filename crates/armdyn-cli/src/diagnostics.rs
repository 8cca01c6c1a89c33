//! Errors, warnings and findings on stderr: the message, the position in the source, why it matters and how to fix it.

use crate::embedding;
use armdyn_import::{Finding, Severity, Sources};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};
use std::fmt::Display;
use std::io::{IsTerminal, Write};

/// The longest marked span \[bytes\]; longer ones are cut.
const LONGEST: usize = 200;

/// Prints a warning on stderr.
pub fn warn(message: impl Display) {
    print("warning", message);
}

/// Prints a note on stderr.
pub fn note(message: impl Display) {
    print("note", message);
}

/// Prints an error on stderr.
pub fn error(message: impl Display) {
    print("error", message);
}

/// A closed stderr (`2>&1 | head`) is no error.
fn print(level: &'static str, message: impl Display) {
    let text = plain(&message.to_string());
    match embedding::host() {
        Some(host) => host.report(level, text),
        None => drop(writeln!(std::io::stderr(), "{level}: {text}")),
    }
}

/// The text with `?` for every byte of a control character: names in files cannot control the terminal.
pub fn plain(text: &str) -> String {
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
    text.split_inclusive(control).fold(String::with_capacity(text.len()), |mut plain, piece| {
        let end = piece.chars().next_back().filter(|c| control(*c)).map_or(0, char::len_utf8);
        plain += &piece[..piece.len() - end];
        plain += &"??"[..end];
        plain
    })
}

/// A finding, with an excerpt of its source, in colours if `to` is a terminal and NO_COLOR is not set; in an embedding program, which
/// may show it anywhere, without colours.
pub fn render(finding: &Finding, sources: &Sources, to: &impl IsTerminal) -> String {
    let terminal = embedding::host().is_none() && to.is_terminal();
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty());
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(100);
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = handler.render_report(&mut text, diagnostic(finding, sources).as_ref());
    text
}

/// Prints the errors among the findings on stderr.
pub fn print_errors(findings: &[Finding], sources: &Sources) {
    for f in findings.iter().filter(|f| f.code.severity == Severity::Error) {
        let _ = writeln!(std::io::stderr(), "{}", render(f, sources, &std::io::stderr()));
    }
}

fn diagnostic(f: &Finding, sources: &Sources) -> Report {
    let severity = match f.code.severity {
        Severity::Error => miette::Severity::Error,
        Severity::Warning => miette::Severity::Warning,
        Severity::Note => miette::Severity::Advice,
    };
    let diagnostic = MietteDiagnostic::new(plain(&f.message))
        .with_code(f.code.id)
        .with_severity(severity)
        .with_help(format!("{}.\nWhy it matters: {}.", plain(f.suggestion()), f.code.why));
    let Some(place) = &f.place else { return Report::new(diagnostic) };
    let source = &sources.files[place.file];
    let start = place.span.start.min(source.text.len());
    let mut end = place.span.end.clamp(start, (start + LONGEST).min(source.text.len()));
    while !source.text.is_char_boundary(end) {
        end -= 1;
    }
    let diagnostic = diagnostic.with_label(LabeledSpan::new_with_span(None, start..end));
    Report::new(diagnostic)
        .with_source_code(NamedSource::new(plain(&source.path.display().to_string()), plain(&source.text)))
}
