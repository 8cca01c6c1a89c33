//! Unicode text for the terminal, with subscripts and powers; long sums are broken at their signs.

use super::document::{Block, Document, Line, Span};
use super::math::{Breaking, Letter, Letters, Math, MotionTerms, Written, decimal, sign, signed_terms, written};
use crate::closed::Equations;

/// The document, in lines of at most `width` columns where possible.
pub fn unicode(e: &Equations, width: usize) -> String {
    page(&Document::on(e), width)
}

/// A document, in lines of at most `width` columns where possible.
pub(super) fn page(document: &Document, width: usize) -> String {
    let rule = "═".repeat(columns(&document.title));
    let mut out = format!("{}\n{rule}\n", document.title);
    let mut before: Option<&Block> = None;
    for block in &document.blocks {
        // Formulas follow each other.
        if !matches!((before, block), (Some(Block::Formula { .. }), Block::Formula { .. })) {
            out.push('\n');
        }
        before = Some(block);
        match block {
            Block::Heading(t) => out.push_str(&format!("{t}\n{}\n", "─".repeat(columns(t)))),
            Block::Text(spans) => out.push_str(&filled(&spans.iter().map(span).collect::<String>(), width)),
            Block::Table { header, rows, tight } => out.push_str(&table(header, rows, *tight)),
            Block::Lines(lines) => out.push_str(&equations(lines, width)),
            Block::Formula { unicode, .. } => out.push_str(&format!("  {unicode}\n")),
        }
    }
    out
}

/// An expression of these equations.
pub fn unicode_expression(e: &Equations, terms: &MotionTerms) -> String {
    math(&Letters(e).motion_terms(terms))
}

fn span(s: &Span) -> String {
    match s {
        Span::Text(t) => t.clone(),
        Span::Math(m) => math(m),
    }
}

/// Width in terminal columns; combining dots have none.
fn columns(t: &str) -> usize {
    t.chars().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).count()
}

fn padded(t: &str, width: usize) -> String {
    format!("{t}{}", " ".repeat(width.saturating_sub(columns(t))))
}

/// Wraps text.
fn filled(t: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in t.split(' ') {
        let line = lines.last_mut().expect("there is one");
        if !line.is_empty() && columns(line) + 1 + columns(word) > width {
            lines.push(word.to_string());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

fn table(header: &[&str], rows: &[Vec<Span>], tight: bool) -> String {
    let mut all: Vec<Vec<String>> = vec![];
    if !header.is_empty() {
        all.push(header.iter().map(|h| h.to_string()).collect());
    }
    all.extend(rows.iter().map(|row| row.iter().map(span).collect()));
    let count = all.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| all.iter().filter_map(|r| r.get(c)).map(|t| columns(t)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let gap = if tight { " " } else { "  " };
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().enumerate().map(|(c, t)| padded(t, widths[c])).collect();
        format!("  {}\n", cells.join(gap).trim_end())
    };
    all.iter().map(line).collect()
}

fn equations(lines: &[Line], width: usize) -> String {
    let lefts: Vec<String> = lines.iter().map(|l| math(&l.left)).collect();
    let indent = lefts.iter().map(|l| columns(l)).max().unwrap_or(0) + 2;
    let mut out = String::new();
    for (left, line) in lefts.iter().zip(lines) {
        if let Math::Matrix(rows) = &line.right {
            out.push_str(&matrix(left, rows, indent, line.unit));
            continue;
        }
        let mut now = format!("  {} = ", padded(left, indent - 2));
        let start = columns(&now);
        for piece in pieces(&line.right, width.saturating_sub(start + 4)) {
            let at_start = columns(&now) == start;
            let spaced = if at_start { piece.trim_start().to_string() } else { piece };
            if !at_start && columns(&now) + columns(&spaced) > width {
                out.push_str(now.trim_end());
                out.push('\n');
                now = " ".repeat(start);
                now.push_str(spaced.trim_start());
            } else {
                now.push_str(&spaced);
            }
        }
        out.push_str(now.trim_end());
        if !line.unit.is_empty() {
            out.push_str(&format!("  {}", line.unit));
        }
        out.push('\n');
    }
    out
}

/// The pieces between which a line may be broken, including inside long brackets.
fn pieces(m: &Math, room: usize) -> Vec<String> {
    let breaking = Breaking {
        math: &math,
        sign: &signed,
        long: &|m, text| columns(text) > if matches!(m, Math::Brackets(..)) { room / 2 } else { room },
        open: "(",
        close: &|power| format!("){}", raised(power)),
        gap: " ",
        end: "",
    };
    breaking.pieces(m)
}

fn signed(k: usize, negative: bool) -> String {
    sign(k, negative, [" + ", " − "])
}

fn matrix(left: &str, rows: &[Vec<Math>], indent: usize, unit: &str) -> String {
    let cells: Vec<Vec<String>> = rows.iter().map(|r| r.iter().map(math).collect()).collect();
    let count = cells.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..count).map(|c| cells.iter().map(|r| columns(&r[c])).max().unwrap_or(0)).collect();
    let last = cells.len().saturating_sub(1);
    let mut out = String::new();
    for (r, row) in cells.iter().enumerate() {
        let (open, close) = match r {
            _ if last == 0 => ("[", "]"),
            0 => ("⎡", "⎤"),
            r if r == last => ("⎣", "⎦"),
            _ => ("⎢", "⎥"),
        };
        let front = if r == last / 2 { format!("  {} = ", padded(left, indent - 2)) } else { " ".repeat(indent + 3) };
        let row: Vec<String> = row.iter().enumerate().map(|(c, t)| padded(t, widths[c])).collect();
        let unit = if r == last / 2 && !unit.is_empty() { format!("  {unit}") } else { String::new() };
        out.push_str(&format!("{front}{open} {} {close}{unit}\n", row.join("  ")));
    }
    out
}

pub(crate) fn math(m: &Math) -> String {
    match m {
        Math::Letter(l) => one_letter(l),
        Math::Number(x) => number(written(*x)),
        Math::Decimal(x) => number(decimal(*x)),
        Math::Word(w, power) => format!("{w}{}", raised(*power)),
        Math::Row(parts) => row(parts),
        Math::Sum(terms) if terms.is_empty() => "0".to_string(),
        Math::Sum(terms) => signed_terms(terms, &signed, &math),
        Math::Brackets(inner, power) => format!("({}){}", math(inner), raised(*power)),
        Math::Matrix(rows) => {
            let rows: Vec<String> = rows.iter().map(|r| r.iter().map(math).collect::<Vec<_>>().join(" ")).collect();
            format!("[{}]", rows.join("; "))
        }
        Math::Fraction(above, below) => {
            let within = |m: &Math, several: bool| if several { format!("({})", math(m)) } else { math(m) };
            let is_sum = matches!(&**above, Math::Sum(terms) if terms.len() > 1);
            let differential = |factors: &[Math]| matches!(factors[0], Math::Word("∂" | "d", _));
            let is_product = matches!(&**below, Math::Row(factors) if factors.len() > 1 && !differential(factors));
            format!("{}/{}", within(above, is_sum), within(below, is_product))
        }
        Math::Total(index) => format!("Σ{}", lowered(index)),
    }
}

fn row(parts: &[Math]) -> String {
    let mut out = String::new();
    for (k, part) in parts.iter().enumerate() {
        let tight =
            k > 0 && matches!((&parts[k - 1], part), (Math::Word(..), Math::Brackets(..)) | (Math::Word("∂", _), _));
        if k > 0 && !tight {
            out.push(' ');
        }
        out.push_str(&math(part));
    }
    out
}

fn one_letter(l: &Letter) -> String {
    let dots = ["", "\u{307}", "\u{308}"][usize::from(l.dots.min(2))];
    let (frame, above) = (superscript(&l.frame), superscript(&l.above));
    // Letters without a subscript form: a_C₁.
    let word = |c: char| c.is_alphabetic() && lowered(&c.to_string()).starts_with(c);
    let rule = if l.number.starts_with(word) { "_" } else { "" };
    let (before, number) = (lowered(&l.before), format!("{rule}{}", lowered(&l.number)));
    format!("{frame}{before}{}{dots}{}{number}{above}{}", l.base, l.axes, raised(l.power))
}

fn lowered(t: &str) -> String {
    let lower = |c: char| match c {
        '0'..='9' => char::from_u32('₀' as u32 + c as u32 - '0' as u32).unwrap_or(c),
        'i' => 'ᵢ',
        'j' => 'ⱼ',
        'k' => 'ₖ',
        'l' => 'ₗ',
        'x' => 'ₓ',
        _ => c,
    };
    t.chars().map(lower).collect()
}

fn raised(power: u8) -> String {
    if power == 1 { String::new() } else { upper(i32::from(power)) }
}

fn upper(x: i32) -> String {
    superscript(&x.to_string())
}

fn superscript(t: &str) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0'..='9' => char::from_u32('⁰' as u32 + c as u32 - '0' as u32).unwrap_or(c),
        'i' => 'ⁱ',
        'j' => 'ʲ',
        'k' => 'ᵏ',
        'l' => 'ˡ',
        'T' => 'ᵀ',
        'C' => 'ᶜ',
        'g' => 'ᵍ',
        ',' => '’',
        c => c,
    };
    t.chars().map(digit).collect()
}

fn number(x: Written) -> String {
    match x {
        Written::Fraction(1, 2) => "½".to_string(),
        Written::Fraction(1, 4) => "¼".to_string(),
        Written::Fraction(3, 4) => "¾".to_string(),
        Written::Fraction(a, b) => format!("{a}/{b}"),
        Written::Decimal(text, 0) => text,
        Written::Decimal(text, exponent) => format!("{text}·10{}", upper(exponent)),
    }
}
