//! Findings as a person reads them: what, where (the source, pointed at), why it matters, what to do.

use armdyn_import::{Finding, Severity, Sources};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};
use std::io::IsTerminal;

/// The longest stretch that is pointed at \[bytes\]: of a longer one the beginning.
const LONGEST: usize = 200;

/// A finding, with an excerpt of its source.
pub fn render(finding: &Finding, sources: &Sources) -> String {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(110);
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = handler.render_report(&mut text, diagnostic(finding, sources).as_ref());
    text
}

/// All errors among the findings, to where errors go.
pub fn print_errors(findings: &[Finding], sources: &Sources) {
    for f in findings.iter().filter(|f| f.code.severity == Severity::Error) {
        eprintln!("{}", render(f, sources));
    }
}

fn diagnostic(f: &Finding, sources: &Sources) -> Report {
    let severity = match f.code.severity {
        Severity::Error => miette::Severity::Error,
        Severity::Warning => miette::Severity::Warning,
        Severity::Note => miette::Severity::Advice,
    };
    let told = MietteDiagnostic::new(f.what.clone()).with_code(f.code.id).with_severity(severity).with_help(format!(
        "{}.\nWhy it matters: {}.",
        f.suggestion(),
        f.code.why
    ));
    let Some(place) = &f.place else { return Report::new(told) };
    let source = &sources.files[place.file];
    let start = place.span.start.min(source.text.len());
    let mut end = place.span.end.clamp(start, (start + LONGEST).min(source.text.len()));
    while !source.text.is_char_boundary(end) {
        end -= 1;
    }
    let told = told.with_label(LabeledSpan::new_with_span(None, start..end));
    Report::new(told).with_source_code(NamedSource::new(source.path.display().to_string(), source.text.clone()))
}
