//! The output of a command for people: text, tables, formulas and plots, rendered as terminal text, HTML or Markdown.

use crate::diagnostics::plain;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table as Columns};
use maud::{Markup, PreEscaped, html};
use std::borrow::Cow;
use std::fmt::{self, Display, Formatter, Write};
use std::ops::AddAssign;
use textwrap::WordSplitter::NoHyphenation;
use textwrap::core::display_width;

/// The width of terminal output \[characters\]: wider tables are wrapped or split.
const WIDTH: usize = 100;
/// HTML tables with more rows than this are collapsed, and so are paragraphs with more lines.
const COLLAPSED: usize = 16;
/// Formulas longer than this are collapsed \[bytes of MathML\].
const LONG_FORMULA: usize = 12_000;
/// Columns of text are not narrower than this where they wrap \[characters\].
const NARROW: usize = 24;
/// Cells longer than this may wrap \[characters\].
const LONG: usize = 48;

/// A table: a header and rows. Columns are right-aligned unless listed in `left`.
#[derive(Clone)]
pub struct Table {
    header: Vec<String>,
    left: Vec<usize>,
    rows: Vec<Vec<String>>,
    /// Whether a terminal shows rows with long cells as a list of `header: cell` lines.
    records: bool,
    /// The column whose cells are CSS classes.
    class: Option<usize>,
}

impl Table {
    pub fn new(header: &[&str], left: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let header = header.iter().map(ToString::to_string).collect();
        Table { header, left: left.to_vec(), rows: rows.into_iter().collect(), records: false, class: None }
    }

    /// In a terminal, shows rows with long cells as lists of `header: cell` lines.
    pub fn records(self) -> Self {
        Table { records: true, ..self }
    }

    /// In HTML, uses the cells of this column as CSS classes.
    pub fn class(self, column: usize) -> Self {
        Table { class: Some(column), ..self }
    }

    fn html(&self, caption: Option<&str>) -> Markup {
        let side = |k: usize| if self.left.contains(&k) { "left" } else { "right" };
        let class = |k: usize, cell: &str| if cell.chars().count() > LONG { "long" } else { side(k) };
        let table = html! { div.scroll { table {
            thead { tr { @for (k, cell) in self.header.iter().enumerate() { th class=(side(k)) { (cell) } } } }
            tbody { @for row in &self.rows {
                tr { @for (k, cell) in row.iter().enumerate() { td class=(class(k, cell)) {
                    @if self.class == Some(k) { span class=(cell) { (cell) } } @else { (inline(cell)) }
                } } }
            } }
        } } };
        let long = self.rows.len() > COLLAPSED && !self.records;
        html! { figure.table {
            @if let Some(caption) = caption { figcaption { (caption) } }
            (collapsed(long, &format!("{} rows", self.rows.len()), table))
        } }
    }

    fn markdown(&self) -> String {
        let escaped = |cell: &String| cell.replace('|', "\\|").replace('\n', " ");
        let line = |cells: &[String]| format!("| {} |\n", cells.iter().map(escaped).collect::<Vec<_>>().join(" | "));
        let rule = format!("|{}\n", "---|".repeat(self.header.len()));
        line(&self.header) + &rule + &self.rows.iter().map(|row| line(row)).collect::<String>()
    }

    /// Rows as lines `header: cell`, below the first two cells.
    fn records_text(&self, rows: &[Vec<String>]) -> String {
        let mut text = String::new();
        let indent = self.header.iter().skip(2).map(|h| display_width(h)).max().unwrap_or(0) + 2;
        for row in rows {
            let _ = writeln!(text, "{}", row.iter().take(2).map(String::as_str).collect::<Vec<_>>().join("  "));
            for (name, cell) in self.header.iter().zip(row).skip(2).filter(|(_, cell)| !cell.is_empty()) {
                let first = format!("    {:indent$}", format!("{name}:"));
                let rest = " ".repeat(indent + 4);
                let options = textwrap::Options::new(WIDTH).initial_indent(&first).subsequent_indent(&rest);
                let _ = writeln!(text, "{}", textwrap::fill(cell, options));
            }
        }
        text
    }

    /// The columns `which` of some rows, as aligned text.
    fn grid(&self, rows: &[Vec<String>], which: &[usize], wrap: bool) -> String {
        let pick =
            |cells: &[String]| which.iter().map(|&k| cells.get(k).cloned().unwrap_or_default()).collect::<Vec<_>>();
        let mut table = Columns::new();
        table.load_style(NOTHING).set_header(pick(&self.header));
        let mut rows: Vec<Vec<String>> = rows.iter().map(|row| pick(row)).collect();
        let wrap = wrap && !self.hang(&mut rows, which);
        table.add_rows(rows);
        if wrap {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH as u16);
        }
        for (k, column) in table.column_iter_mut().enumerate() {
            column.set_padding((if k == 0 { 0 } else { 1 }, 1));
            let left = self.left.contains(&which[k]);
            column.set_cell_alignment(if left { CellAlignment::Left } else { CellAlignment::Right });
        }
        table.lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
    }

    /// Wraps the cells of the first column if they are indented, so that their lines hang from the indentation and rows fit.
    fn hang(&self, rows: &mut [Vec<String>], which: &[usize]) -> bool {
        let cells = |k: usize| rows.iter().map(move |row| display_width(&row[k]));
        let widths: Vec<usize> = which
            .iter()
            .enumerate()
            .map(|(k, column)| cells(k).chain([display_width(&self.header[*column])]).max().unwrap_or(0) + 2)
            .collect();
        let others: usize = widths.iter().skip(1).sum();
        let indented = |row: &Vec<String>| row.first().is_some_and(|cell| cell.starts_with(' '));
        if others + NARROW > WIDTH || !rows.iter().all(indented) {
            return false;
        }
        for cell in rows.iter_mut().filter_map(|row| row.first_mut()) {
            let label = cell.trim_start();
            let indent = cell[..cell.len() - label.len()].to_string();
            let next = format!("{indent}  ");
            let options = textwrap::Options::new(WIDTH - others).initial_indent(&indent).subsequent_indent(&next);
            *cell = textwrap::fill(label, options.break_words(false).word_splitter(NoHyphenation));
        }
        true
    }

    /// Rows in at most [`WIDTH`] characters: cells of text wrap; columns of numbers are split into blocks.
    fn fitted(&self, rows: &[Vec<String>]) -> String {
        let cell_width = |row: &Vec<String>, k: usize| row.get(k).map_or(0, |cell| display_width(cell));
        let width = |k: usize| {
            rows.iter().map(|row| cell_width(row, k)).chain([display_width(&self.header[k])]).max().unwrap_or(0) + 2
        };
        let all: Vec<usize> = (0..self.header.len()).collect();
        let fits = |block: &[usize]| block.iter().map(|&k| width(k)).sum::<usize>() <= WIDTH + 2;
        if fits(&all) {
            return self.grid(rows, &all, false);
        }
        if self.left.iter().any(|&k| width(k) > LONG) {
            return self.grid(rows, &all, true);
        }
        let fixed: Vec<usize> = all.iter().copied().take_while(|k| self.left.contains(k)).collect();
        let start: usize = fixed.iter().map(|&k| width(k)).sum();
        let (mut blocks, mut used) = (vec![fixed.clone()], start);
        for &k in &all[fixed.len()..] {
            if used + width(k) > WIDTH + 2 && blocks.last().is_some_and(|b| b.len() > fixed.len()) {
                blocks.push(fixed.clone());
                used = start;
            }
            used += width(k);
            blocks.last_mut().expect("one block at least").push(k);
        }
        blocks.iter().map(|block| self.grid(rows, block, !fits(block))).collect::<Vec<_>>().join("\n")
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let long = |row: &Vec<String>| self.records && row.iter().any(|cell| cell.chars().count() > LONG);
        if self.rows.is_empty() {
            return f.write_str(&self.fitted(&[]));
        }
        for (k, rows) in self.rows.chunk_by(|a, b| long(a) == long(b)).enumerate() {
            if k > 0 {
                f.write_char('\n')?;
            }
            f.write_str(&if long(&rows[0]) { self.records_text(rows) } else { self.fitted(rows) })?;
        }
        Ok(())
    }
}

enum Item {
    Text(String),
    /// Level 1 or more, and the title.
    Heading(usize, String),
    /// Text printed as it is, control characters included.
    Verbatim(String),
    Table(Table),
    /// Preformatted lines.
    Drawn(String),
    /// As text, and as MathML.
    Formula(String, String),
    /// HTML that other renderings omit.
    Embedded(String),
    /// A plot.
    Picture(Picture),
}

struct Picture {
    svg: String,
    terminal: Option<String>,
    /// Title and file name in Markdown.
    file: Option<(String, String)>,
}

/// Text, tables, formulas and plots in order. A line by itself before a table or a formula is its caption.
#[derive(Default)]
pub struct Document(Vec<Item>);

impl Document {
    /// Text printed as it is: JSON, files, text with colours.
    pub fn verbatim(text: String) -> Self {
        Document(vec![Item::Verbatim(text)])
    }

    /// Adds a heading; level 1 is the highest.
    pub fn heading(&mut self, level: usize, title: &str) {
        self.0.push(Item::Heading(level, title.to_string()));
    }

    /// Adds preformatted lines, such as a tree.
    pub fn drawn(&mut self, lines: String) {
        self.0.push(Item::Drawn(lines));
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.0.push(Item::Table(table));
    }

    /// Adds a formula as text and as MathML.
    pub fn formula(&mut self, text: String, mathml: String) {
        self.0.push(Item::Formula(text, mathml));
    }

    /// Adds a plot as SVG and, if it has one, its terminal form.
    pub fn picture(&mut self, svg: String, terminal: Option<String>) {
        self.0.push(Item::Picture(Picture { svg, terminal, file: None }));
    }

    /// Adds a plot that Markdown refers to by its file name.
    pub fn picture_file(&mut self, svg: String, title: &str, file: String) {
        self.0.push(Item::Picture(Picture { svg, terminal: None, file: Some((title.to_string(), file)) }));
    }

    /// Adds the items of another document.
    pub fn append(&mut self, other: Document) {
        self.0.extend(other.0);
    }

    /// Adds HTML that other renderings omit.
    pub fn embed(&mut self, html: String) {
        self.0.push(Item::Embedded(html));
    }

    /// As HTML, for a section of a page.
    pub fn html(&self) -> Markup {
        let has_caption = |k: usize| matches!(self.0.get(k + 1), Some(Item::Table(_) | Item::Formula(..)));
        let is_picture = |k: usize| matches!(self.0.get(k), Some(Item::Picture(_)));
        html! { @for (k, item) in self.0.iter().enumerate() { @match item {
            Item::Text(text) => (paragraphs(if has_caption(k) { split_caption(text).0 } else { text })),
            Item::Heading(_, title) => h3 { (title) },
            Item::Verbatim(text) | Item::Drawn(text) => pre { (text) },
            Item::Table(table) => (table.html(self.0[..k].last().and_then(caption))),
            Item::Formula(_, mathml) => figure {
                @if let Some(caption) = self.0[..k].last().and_then(caption) { figcaption { (caption) } }
                (collapsed(mathml.len() > LONG_FORMULA, "formula", html! { div.formula { (PreEscaped(mathml)) } }))
            },
            Item::Embedded(html) => div.embedded { (PreEscaped(html)) },
            Item::Picture(_) if k > 0 && is_picture(k - 1) => {},
            Item::Picture(first) => div.pictures style={ "--width:" (svg_width(&first.svg)) "px" } {
                @for Picture { svg, .. } in self.0[k..].iter().map_while(Item::picture) {
                    figure.picture style={ "--own:" (svg_width(svg)) "px" } { (PreEscaped(svg)) }
                }
            },
        } } }
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let blocks = self.0.iter().filter_map(|item| match item {
            Item::Text(text) => Some(text.trim().to_string()),
            Item::Heading(level, title) => Some(format!("{} {title}", "#".repeat(*level))),
            Item::Verbatim(text) | Item::Drawn(text) | Item::Formula(text, _) => {
                Some(format!("```text\n{}\n```", text.trim_end()))
            }
            Item::Table(table) => Some(table.markdown().trim_end().to_string()),
            Item::Embedded(_) => None,
            Item::Picture(picture) => picture.file.as_ref().map(|(title, file)| format!("![{title}]({file})")),
        });
        let blocks: Vec<String> = blocks.filter(|block| !block.is_empty()).collect();
        blocks.join("\n\n") + "\n"
    }
}

impl Item {
    fn picture(&self) -> Option<&Picture> {
        match self {
            Item::Picture(picture) => Some(picture),
            _ => None,
        }
    }
}

/// The caption at the end of a text.
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

/// Paragraphs, separated by blank lines; of a long one only the first line is shown at once.
fn paragraphs(text: &str) -> Markup {
    html! { @for paragraph in text.split("\n\n").map(|p| p.trim_matches('\n')).filter(|p| !p.trim().is_empty()) {
        @match paragraph.split_once('\n').filter(|_| paragraph.lines().count() > COLLAPSED) {
            Some((first, rest)) => (collapsed(true, first, lines(rest))),
            None => (lines(paragraph)),
        }
    } }
}

/// The lines of a paragraph.
fn lines(paragraph: &str) -> Markup {
    html! { p { @for (k, line) in paragraph.lines().enumerate() {
        @if k > 0 { br; }
        @if line.starts_with(' ') { span.inset { (inline(line.trim())) } } @else { (inline(line)) }
    } } }
}

/// Contents that are shown after a click on a summary, and not in print.
fn collapsed(collapse: bool, summary: &str, contents: Markup) -> Markup {
    html! { @if collapse { details { summary { (summary) } (contents) } } @else { (contents) } }
}

/// The width of an SVG \[pixels\].
fn svg_width(svg: &str) -> &str {
    svg.split_once(" width=\"").and_then(|(_, rest)| rest.split_once('"')).map_or("720", |(width, _)| width)
}

/// Text with `code` between backquotes.
fn inline(text: &str) -> Markup {
    if text.matches('`').count() % 2 == 1 {
        return html! { (text) };
    }
    html! { @for (k, piece) in text.split('`').enumerate() { @if k % 2 == 1 { code { (piece) } } @else { (piece) } } }
}

/// A line in at most [`WIDTH`] characters: more lines, indented, if it is longer.
fn wrapped(line: &str) -> Cow<'_, str> {
    if display_width(line.trim_end()) <= WIDTH {
        return line.into();
    }
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    let next = format!("{indent}  ");
    let options = textwrap::Options::new(WIDTH).initial_indent(indent).subsequent_indent(&next).break_words(false);
    (textwrap::fill(text.trim_end(), options.word_splitter(NoHyphenation)) + "\n").into()
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

/// As terminal text.
impl Display for Document {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.0.iter().try_for_each(|item| match item {
            Item::Text(text) => plain(text).split_inclusive('\n').try_for_each(|line| f.write_str(&wrapped(line))),
            Item::Drawn(text) => f.write_str(&plain(text)),
            Item::Heading(level, title) => {
                let (title, rule) = (plain(title), if *level == 1 { "═" } else { "─" });
                writeln!(f, "{}\n{}\n", wrapped(&title).trim_end(), rule.repeat(display_width(&title).min(WIDTH)))
            }
            Item::Verbatim(text) => f.write_str(text),
            Item::Table(table) => f.write_str(&plain(&table.to_string())),
            Item::Formula(text, _) => writeln!(f, "{}", wrapped(&plain(text))),
            Item::Embedded(_) => Ok(()),
            Item::Picture(picture) => f.write_str(picture.terminal.as_deref().unwrap_or_default()),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(table: &Table) -> usize {
        table.to_string().lines().map(display_width).max().unwrap_or(0)
    }

    #[test]
    fn wide_tables_fit_the_width() {
        let names: Vec<String> = (0..30).map(|k| format!("joint_number_{k}")).collect();
        let header: Vec<&str> = std::iter::once("").chain(names.iter().map(String::as_str)).collect();
        let row = std::iter::once("joint".to_string()).chain(names.iter().map(|_| "-1.234e-5".to_string()));
        let numbers = Table::new(&header, &[0], [row.collect()]);
        assert!(widths(&numbers) <= WIDTH, "{numbers}");
        assert_eq!(numbers.to_string().matches("-1.234e-5").count(), 30);
        let text = Table::new(&["name", "", "text"], &[0, 1, 2], [vec!["a".into(), "b".into(), "word ".repeat(60)]]);
        assert!(widths(&text) <= WIDTH && widths(&text.clone().records()) <= WIDTH, "{text}");
    }

    #[test]
    fn wrapped_labels_hang_from_their_indentation() {
        let label = "  Coriolis of a_long_name_of_joint_1 and a_long_name_of_joint_2, a_long_name_of_link";
        let bar = "█".repeat(40);
        let table = Table::new(
            &["  cause", "N m", ""],
            &[0, 2],
            [label, "  gravity"].map(|l| vec![l.into(), "1".into(), bar.clone()]),
        );
        let text = table.to_string();
        assert!(widths(&table) <= WIDTH, "{text}");
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines.len() > 3 && lines[1].starts_with("  Coriolis of") && lines[2].starts_with("    a_long"),
            "{text}"
        );
        assert!(lines[lines.len() - 1].starts_with("  gravity"), "{text}");
    }

    #[test]
    fn one_document_renders_as_text_html_and_markdown() {
        let mut document = Document::default();
        document.heading(2, "Title");
        document += "Some `code`.\n\nCaption\n";
        document.table(Table::new(&["a", "b"], &[0], [vec!["x|y".into(), "1".into()]]));
        document.picture_file("<svg/>".into(), "plot", "plot.svg".into());
        assert!(document.to_string().starts_with("Title\n─────\n\nSome `code`."));
        let html = document.html().into_string();
        assert!(html.contains("<code>code</code>") && html.contains("<figcaption>Caption</figcaption>"), "{html}");
        let markdown = document.markdown();
        assert!(markdown.contains("## Title\n\nSome") && markdown.contains("| x\\|y | 1 |"), "{markdown}");
        assert!(markdown.contains("![plot](plot.svg)"));
    }
}
