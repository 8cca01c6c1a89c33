//! A standalone HTML page with formulas in MathML, which browsers display without scripts. Every addend of a sum is a separate
//! formula, so that long equations wrap like text.

use super::document::{Block, Document, Line, Span};
use super::math::{Breaking, Letter, Letters, Math, MotionTerms, Written, decimal, signed_terms, written};
use crate::closed::Equations;
use armdyn_core::escape_xml as escaped;

/// The style sheet: light, dark and print.
pub const STYLE: &str = include_str!("page.css");

/// The page.
pub fn html(e: &Equations) -> String {
    page(&Document::on(e))
}

/// A document as a page.
pub(super) fn page(document: &Document) -> String {
    let title = escaped(&document.title);
    let headings = document.blocks.iter().filter_map(|b| if let Block::Heading(t) = b { Some(t) } else { None });
    let links: String = headings.map(|t| format!("<a href=\"#{}\">{}</a>", anchor(t), escaped(t))).collect();
    let body = body(document);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<nav>{links}</nav>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// The page without its title, to be embedded in another page with [`STYLE`].
pub fn html_body(e: &Equations) -> String {
    body(&Document::on(e))
}

fn body(document: &Document) -> String {
    document.blocks.iter().map(block).collect()
}

/// An expression of these equations in MathML, every addend a separate formula.
pub fn html_expression(e: &Equations, terms: &MotionTerms) -> String {
    wrapping(&Letters(e).motion_terms(terms))
}

fn anchor(t: &str) -> String {
    t.to_lowercase().replace(' ', "-")
}

fn formula(inside: &str) -> String {
    format!("<math>{inside}</math>")
}

fn span(s: &Span) -> String {
    match s {
        Span::Text(t) => escaped(t),
        Span::Math(m) => formula(&math(m)),
    }
}

fn block(b: &Block) -> String {
    match b {
        Block::Heading(t) => format!("<h2 id=\"{}\">{}</h2>\n", anchor(t), escaped(t)),
        Block::Text(spans) => format!("<p>{}</p>\n", spans.iter().map(span).collect::<String>()),
        Block::Table { header, rows, tight } => table(header, rows, *tight),
        Block::Lines(lines) if lines.is_empty() => String::new(),
        Block::Lines(lines) => {
            format!("<div class=\"equations\">\n{}</div>\n", lines.iter().map(line).collect::<String>())
        }
        Block::Formula { unicode, .. } => format!("<p class=\"formula\">{}</p>\n", escaped(unicode)),
    }
}

fn table(header: &[&str], rows: &[Vec<Span>], tight: bool) -> String {
    let cells = |tag: &str, cells: Vec<String>| {
        let all: String = cells.into_iter().map(|c| format!("<{tag}>{c}</{tag}>")).collect();
        format!("<tr>{all}</tr>\n")
    };
    let mut out = format!("<div class=\"scroll\"><table{}>\n", if tight { " class=\"marks\"" } else { "" });
    if !header.is_empty() {
        out.push_str(&cells("th", header.iter().map(|h| escaped(h)).collect()));
    }
    for (k, row) in rows.iter().enumerate() {
        let tag = if header.is_empty() && k == 0 { "th" } else { "td" };
        out.push_str(&cells(tag, row.iter().map(span).collect()));
    }
    out + "</table></div>\n"
}

/// An equation whose right-hand side wraps between addends.
fn line(l: &Line) -> String {
    let left = formula(&format!("{}<mo>=</mo>", math(&l.left)));
    let unit = if l.unit.is_empty() { String::new() } else { format!(" {}", escaped(l.unit)) };
    let side = if matches!(l.right, Math::Matrix(_)) { "left middle" } else { "left" };
    format!("<div class=\"{side}\">{left}</div><div class=\"right\">{}{unit}</div>\n", wrapping(&l.right))
}

/// An expression that wraps between its addends.
fn wrapping(m: &Math) -> String {
    let breaking = Breaking {
        math: &math,
        sign: &sign,
        long: &|m, _| size(m) > if matches!(m, Math::Brackets(..)) { 8 } else { 14 },
        open: "<mo stretchy=\"false\">(</mo>",
        close: &|power| raised("<mo stretchy=\"false\">)</mo>", power),
        gap: "",
        end: "",
    };
    match m {
        Math::Sum(terms) if !terms.is_empty() => breaking.pieces(m).into_iter().map(|p| formula(&p) + " ").collect(),
        other => formula(&math(other)),
    }
}

fn sign(k: usize, negative: bool) -> String {
    match (k, negative) {
        (0, false) => String::new(),
        (0, true) => "<mo form=\"prefix\">−</mo>".to_string(),
        // Browsers omit the space beside an operator at the start of a formula.
        _ => {
            format!("<mo form=\"infix\" lspace=\".2em\" rspace=\".22em\">{}</mo>", if negative { '−' } else { '+' })
        }
    }
}

/// The number of symbols.
fn size(m: &Math) -> usize {
    match m {
        Math::Row(parts) => parts.iter().map(size).sum(),
        Math::Sum(terms) => terms.iter().map(|t| size(&t.1) + 1).sum(),
        Math::Brackets(inner, _) => size(inner) + 1,
        _ => 1,
    }
}

fn math(m: &Math) -> String {
    match m {
        Math::Letter(l) => one_letter(l),
        Math::Number(x) => number(written(*x)),
        Math::Decimal(x) => number(decimal(*x)),
        Math::Word(w @ ("∂" | "d" | "dt"), _) => format!("<mi mathvariant=\"normal\">{w}</mi>"),
        Math::Fraction(a, b) => format!("<mfrac>{}{}</mfrac>", math(a), math(b)),
        Math::Word(w, power) => raised(&format!("<mi>{w}</mi>"), *power) + "<mspace width=\"0.1em\"/>",
        Math::Row(parts) => format!("<mrow>{}</mrow>", parts.iter().map(math).collect::<Vec<_>>().join(THIN)),
        Math::Sum(terms) if terms.is_empty() => "<mn>0</mn>".to_string(),
        Math::Sum(terms) => format!("<mrow>{}</mrow>", signed_terms(terms, &sign, &math)),
        Math::Brackets(inner, power) => raised(
            &format!("<mrow><mo stretchy=\"false\">(</mo>{}<mo stretchy=\"false\">)</mo></mrow>", math(inner)),
            *power,
        ),
        Math::Matrix(rows) => {
            let cell = |m: &Math| format!("<mtd>{}</mtd>", math(m));
            let row = |r: &Vec<Math>| format!("<mtr>{}</mtr>", r.iter().map(cell).collect::<String>());
            let rows: String = rows.iter().map(row).collect();
            // Brackets by the style sheet: characters stretch only with a mathematical font.
            format!("<mtable class=\"matrix\">{rows}</mtable>")
        }
        Math::Total(index) => format!("<munder><mo>∑</mo><mi>{index}</mi></munder>"),
    }
}

/// The space between the factors of a product.
const THIN: &str = "<mspace width=\"0.14em\"/>";

fn one_letter(l: &Letter) -> String {
    let base = format!("<mi>{}</mi>", escaped(&l.base));
    let dots = ["", "˙", "¨"][usize::from(l.dots.min(2))];
    let base = if dots.is_empty() {
        base
    } else {
        format!("<mover accent=\"true\">{base}<mo stretchy=\"false\">{dots}</mo></mover>")
    };
    let below: String = [&l.axes, &l.number].iter().filter(|t| !t.is_empty()).map(|t| marks(t)).collect();
    if !(l.frame.is_empty() && l.before.is_empty() && l.above.is_empty()) {
        let mark = |t: &str| format!("<mrow>{}</mrow>", if t.is_empty() { String::new() } else { marks(t) });
        let (after, before) = (format!("<mrow>{below}</mrow>{}", mark(&l.above)), mark(&l.before) + &mark(&l.frame));
        return format!("<mmultiscripts>{base}{after}<mprescripts/>{before}</mmultiscripts>");
    }
    match (below.is_empty(), l.power) {
        (true, 1) => base,
        (true, p) => format!("<msup>{base}<mn>{p}</mn></msup>"),
        (false, 1) => format!("<msub>{base}<mrow>{below}</mrow></msub>"),
        (false, p) => format!("<msubsup>{base}<mrow>{below}</mrow><mn>{p}</mn></msubsup>"),
    }
}

/// A number, or single letters: browsers set several letters upright.
fn marks(t: &str) -> String {
    if t.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("<mn>{}</mn>", escaped(t));
    }
    t.chars().map(|c| format!("<mi>{}</mi>", escaped(&c.to_string()))).collect()
}

fn raised(base: &str, power: u8) -> String {
    if power == 1 { base.to_string() } else { format!("<msup>{base}<mn>{power}</mn></msup>") }
}

fn number(x: Written) -> String {
    match x {
        Written::Fraction(a, b) => format!("<mfrac><mn>{a}</mn><mn>{b}</mn></mfrac>"),
        Written::Decimal(text, 0) => format!("<mn>{text}</mn>"),
        Written::Decimal(text, exponent) => {
            let exponent = exponent.to_string().replace('-', "−");
            format!("<mrow><mn>{text}</mn><mo>·</mo><msup><mn>10</mn><mn>{exponent}</mn></msup></mrow>")
        }
    }
}
