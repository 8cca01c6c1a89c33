//! Markdown with LaTeX formulas between dollar signs.

use super::document::{Block, Document, Span};
use super::latex;
use crate::closed::Equations;

/// The document.
pub fn markdown(e: &Equations) -> String {
    page(&Document::on(e))
}

/// A document.
pub(super) fn page(document: &Document) -> String {
    let mut out = format!("# {}\n", escaped(&document.title));
    for block in &document.blocks {
        out.push('\n');
        match block {
            Block::Heading(t) => out.push_str(&format!("## {}\n", escaped(t))),
            Block::Text(spans) => out.push_str(&(spans.iter().map(span).collect::<String>() + "\n")),
            Block::Table { header, rows, .. } => out.push_str(&table(header, rows)),
            Block::Formula { latex, .. } => out.push_str(&format!("$$ {latex} $$\n")),
            Block::Lines(lines) => {
                let each = |l| format!("$$\n\\begin{{aligned}}\n{}\n\\end{{aligned}}\n$$\n", latex::line(l));
                out.push_str(&lines.iter().map(each).collect::<Vec<_>>().join("\n"));
            }
        }
    }
    out
}

fn escaped(t: &str) -> String {
    let each = |c: char| if "_*|<>`$\\[]#&~".contains(c) { format!("\\{c}") } else { c.to_string() };
    t.chars().map(each).collect()
}

fn span(s: &Span) -> String {
    match s {
        Span::Text(t) => escaped(t),
        Span::Math(m) => format!("${}$", latex::math(m)),
    }
}

fn table(header: &[&str], rows: &[Vec<Span>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut rows = rows.iter().map(|row| row.iter().map(span).collect::<Vec<_>>());
    // Markdown tables need a header: the first row.
    let head = if header.is_empty() {
        rows.next().unwrap_or_default()
    } else {
        header.iter().map(|h| h.to_string()).collect()
    };
    let rule = line(head.iter().map(|_| "---".to_string()).collect());
    line(head) + &rule + &rows.map(line).collect::<String>()
}
