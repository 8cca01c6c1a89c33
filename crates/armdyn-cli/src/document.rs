//! What a command tells, to be printed or to stand in an HTML report: lines of text, tables, formulas and pictures.

use crate::diagnostics::plain;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table as Columns};
use maud::{Markup, PreEscaped, html};
use std::fmt::{self, Display, Formatter};
use std::ops::AddAssign;

/// A table of more rows than this is folded up on an HTML page.
const FOLDED: usize = 16;
/// A cell of more letters than this may take several lines there.
const WIDE: usize = 48;

/// A table: a header, then rows; numbers are set to the right.
#[derive(Clone)]
pub struct Table {
    header: Vec<String>,
    /// The columns that are set to the left.
    left: Vec<usize>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// With the columns named in `left` set to the left.
    pub fn new(header: &[&str], left: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let header = header.iter().map(ToString::to_string).collect();
        Table { header, left: left.to_vec(), rows: rows.into_iter().collect() }
    }

    /// A long one is folded up until it is opened or printed.
    fn html(&self, caption: Option<&str>) -> Markup {
        let side = |k: usize| if self.left.contains(&k) { "left" } else { "right" };
        let class = |k: usize, cell: &str| if cell.chars().count() > WIDE { "long" } else { side(k) };
        let table = html! { div.scroll { table {
            thead { tr { @for (k, cell) in self.header.iter().enumerate() { th class=(side(k)) { (cell) } } } }
            tbody { @for row in &self.rows {
                tr { @for (k, cell) in row.iter().enumerate() { td class=(class(k, cell)) { (cell) } } }
            } }
        } } };
        html! { figure.table {
            @if let Some(caption) = caption { figcaption { (caption) } }
            @if self.rows.len() > FOLDED { details { summary { (self.rows.len()) " rows" } (table) } } @else { (table) }
        } }
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let mut table = Columns::new();
        table.load_style(NOTHING).set_header(&self.header);
        table.add_rows(&self.rows);
        for (k, column) in table.column_iter_mut().enumerate() {
            column.set_padding((if k == 0 { 0 } else { 1 }, 1));
            let side = if self.left.contains(&k) { CellAlignment::Left } else { CellAlignment::Right };
            column.set_cell_alignment(side);
        }
        table.lines().try_for_each(|line| writeln!(f, "{}", line.trim_end()))
    }
}

enum Item {
    Text(String),
    /// Text that is printed as it is, with what gives a terminal orders.
    Verbatim(String),
    Table(Table),
    /// Lines that stand as they are written, each character as wide as another.
    Drawn(String),
    /// As text, and as MathML.
    Formula(String, String),
    /// A part of an HTML page, which a terminal does not show.
    Embedded(String),
    /// As SVG, and as it stands in a terminal if it does.
    Picture(String, Option<String>),
}

/// What is told, in order. Text is written to it as to a string; a line by itself before a table or a formula is its
/// caption.
#[derive(Default)]
pub struct Document(Vec<Item>);

impl Document {
    /// Text that is printed as it is: JSON, a file's, one with colours.
    pub fn verbatim(text: String) -> Self {
        Document(vec![Item::Verbatim(text)])
    }

    /// Lines follow that stand as they are written: a tree.
    pub fn drawn(&mut self, lines: String) {
        self.0.push(Item::Drawn(lines));
    }

    /// A table follows.
    pub fn table(&mut self, table: Table) {
        self.0.push(Item::Table(table));
    }

    /// A formula follows: a line of text, or MathML.
    pub fn formula(&mut self, text: String, mathml: String) {
        self.0.push(Item::Formula(text, mathml));
    }

    /// A picture follows: SVG, and what a terminal shows of it.
    pub fn picture(&mut self, svg: String, terminal: Option<String>) {
        self.0.push(Item::Picture(svg, terminal));
    }

    /// A part of an HTML page follows; a terminal does not show it.
    pub fn embed(&mut self, html: String) {
        self.0.push(Item::Embedded(html));
    }

    /// As a part of an HTML page.
    pub fn html(&self) -> Markup {
        let captions = |k: usize| matches!(self.0.get(k + 1), Some(Item::Table(_) | Item::Formula(..)));
        html! { @for (k, item) in self.0.iter().enumerate() { @match item {
            Item::Text(text) => (paragraphs(if captions(k) { split_caption(text).0 } else { text })),
            Item::Verbatim(text) | Item::Drawn(text) => pre { (text) },
            Item::Table(table) => (table.html(self.0[..k].last().and_then(caption))),
            Item::Formula(_, mathml) => figure {
                @if let Some(caption) = self.0[..k].last().and_then(caption) { figcaption { (caption) } }
                div.formula { (PreEscaped(mathml)) }
            },
            Item::Embedded(html) => (PreEscaped(html)),
            Item::Picture(svg, _) => figure.picture { (PreEscaped(svg)) },
        } } }
    }
}

/// The caption that a text leaves to what is behind it.
fn caption(before: &Item) -> Option<&str> {
    match before {
        Item::Text(text) => Some(split_caption(text).1.trim()).filter(|c| !c.is_empty()),
        _ => None,
    }
}

/// A text, and its last line if that is a paragraph by itself.
fn split_caption(text: &str) -> (&str, &str) {
    let whole = text.trim_end();
    let (before, last) = whole.rfind('\n').map_or(("", whole), |end| whole.split_at(end));
    if before.is_empty() || before.ends_with('\n') { (before, last) } else { (text, "") }
}

/// Lines of text; a blank line divides paragraphs.
fn paragraphs(text: &str) -> Markup {
    html! { @for paragraph in text.split("\n\n").map(|p| p.trim_matches('\n')).filter(|p| !p.trim().is_empty()) {
        p { @for (k, line) in paragraph.lines().enumerate() {
            @if k > 0 { br; }
            @if line.starts_with(' ') { span.inset { (line.trim()) } } @else { (line) }
        } }
    } }
}

impl AddAssign<&str> for Document {
    fn add_assign(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Item::Text(before)) => before.push_str(text),
            _ => self.0.push(Item::Text(text.to_string())),
        }
    }
}

impl fmt::Write for Document {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        *self += text;
        Ok(())
    }
}

impl Display for Document {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.0.iter().try_for_each(|item| match item {
            Item::Text(text) | Item::Drawn(text) => f.write_str(&plain(text)),
            Item::Verbatim(text) => f.write_str(text),
            Item::Table(table) => f.write_str(&plain(&table.to_string())),
            Item::Formula(text, _) => writeln!(f, "{}", plain(text)),
            Item::Embedded(_) => Ok(()),
            Item::Picture(_, terminal) => f.write_str(terminal.as_deref().unwrap_or_default()),
        })
    }
}

impl From<String> for Document {
    fn from(text: String) -> Self {
        Document(vec![Item::Text(text)])
    }
}

impl From<serde_json::Value> for Document {
    fn from(value: serde_json::Value) -> Self {
        Document::verbatim(format!("{value}\n"))
    }
}

impl From<Table> for Document {
    fn from(table: Table) -> Self {
        Document(vec![Item::Table(table)])
    }
}
