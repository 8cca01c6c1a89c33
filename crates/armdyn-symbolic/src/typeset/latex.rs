//! LaTeX: a standalone document, and single expressions. Long sums are broken at their signs.

use super::document::{Block, Document, Line, Span};
use super::math::{Breaking, Letter, Letters, Math, MotionTerms, Written, decimal, sign, signed_terms, written};
use crate::closed::Equations;
use crate::symbols::GREEK;

/// Line width of the right-hand side of an equation \[pt\]: A4 less margins, left-hand side and indent.
const LINE: f64 = 415.0;

/// A standalone document that uses only standard packages.
pub fn latex(e: &Equations) -> String {
    page(&Document::on(e))
}

/// A standalone document.
pub(super) fn page(document: &Document) -> String {
    let mut out = format!(
        "\\documentclass[a4paper]{{article}}\n\\usepackage[T1]{{fontenc}}\n\\usepackage[utf8]{{inputenc}}\n\
         \\usepackage{{amsmath,amssymb,longtable}}\n\\usepackage[margin=22mm]{{geometry}}\n\\allowdisplaybreaks\n\
         \\setlength{{\\parindent}}{{0pt}}\\setlength{{\\parskip}}{{1ex}}\n\\title{{{}}}\\date{{}}\n\\begin{{document}}\n\\maketitle\n",
        escaped(&document.title)
    );
    for block in &document.blocks {
        match block {
            Block::Heading(t) => out.push_str(&format!("\n\\section*{{{}}}\n", escaped(t))),
            Block::Text(spans) => out.push_str(&format!("\n{}\n", spans.iter().map(span).collect::<String>())),
            Block::Table { header, rows, tight } => out.push_str(&table(header, rows, *tight)),
            Block::Lines(lines) if lines.is_empty() => {}
            Block::Lines(lines) => {
                let lines: Vec<String> = lines.iter().map(line).collect();
                out.push_str(&format!("\n\\begin{{align*}}\n{}\n\\end{{align*}}\n", lines.join(" \\\\\n")));
            }
            Block::Formula { latex, .. } => out.push_str(&format!("\n\\[ {latex} \\]\n")),
        }
    }
    out.push_str("\\end{document}\n");
    out
}

/// An expression of these equations, for math mode.
pub fn latex_expression(e: &Equations, terms: &MotionTerms) -> String {
    math(&Letters(e).motion_terms(terms))
}

pub(super) fn escaped(t: &str) -> String {
    let mut out = String::new();
    let mut rest = t.chars().peekable();
    while let Some(c) = rest.next() {
        // Letters with dots above.
        let accent = match rest.peek() {
            Some('\u{307}') => "\\dot",
            Some('\u{308}') => "\\ddot",
            _ => "",
        };
        if accent.is_empty() {
            out.push_str(&one_character(c));
        } else {
            rest.next();
            out.push_str(&format!("${accent}{{{}}}$", greek(&c.to_string())));
        }
    }
    out
}

fn one_character(c: char) -> String {
    let math = |t: &str| format!("${t}$");
    match c {
        '_' | '&' | '%' | '$' | '#' | '{' | '}' => format!("\\{c}"),
        '\\' => "\\textbackslash{}".to_string(),
        '~' => "\\textasciitilde{}".to_string(),
        '^' => "\\textasciicircum{}".to_string(),
        '−' => math("-"),
        '∫' => math("\\int"),
        'Σ' => math("\\sum"),
        '×' => math("\\times"),
        '≤' => math("\\le"),
        '●' => math("\\bullet"),
        '·' => math("\\cdot"),
        '±' => math("\\pm"),
        '°' => math("^\\circ"),
        '…' => "\\dots{}".to_string(),
        '–' => "--".to_string(),
        'Ẋ' => math("\\dot{X}"),
        'Ẍ' => math("\\ddot{X}"),
        'Ẑ' => math("\\hat{Z}"),
        'ḋ' => math("\\dot{d}"),
        '²' => math("^2"),
        '³' => math("^3"),
        '¹' => math("^1"),
        '⁰' => math("^0"),
        '₀'..='₉' => math(&format!("_{}", u32::from(c) - u32::from('₀'))),
        'ᵢ' | 'ⱼ' | 'ₖ' | 'ₗ' | 'ₚ' | 'ₓ' | 'ᵧ' => math(match c {
            'ᵢ' => "_i",
            'ⱼ' => "_j",
            'ₖ' => "_k",
            'ₗ' => "_l",
            'ₚ' => "_p",
            'ₓ' => "_x",
            _ => "_y",
        }),
        'ⁱ' | 'ʲ' | 'ᵏ' | 'ˡ' | 'ⁿ' | 'ᵀ' | '⁺' | '⁻' => math(match c {
            'ⁿ' => "^n",
            'ⁱ' => "^i",
            'ʲ' => "^j",
            'ᵏ' => "^k",
            'ˡ' => "^l",
            'ᵀ' => "^T",
            '⁺' => "^+",
            _ => "^-",
        }),
        '`' => "'".to_string(),
        // Available in the fonts of every distribution.
        ' '..='~' | '\u{c0}'..='\u{17f}' => c.to_string(),
        c if greek(&c.to_string()).starts_with('\\') => math(&greek(&c.to_string())),
        c => format!("U+{:04X}", u32::from(c)),
    }
}

fn span(s: &Span) -> String {
    match s {
        Span::Text(t) => escaped(t),
        Span::Math(m) => format!("${}$", math(m)),
    }
}

fn table(header: &[&str], rows: &[Vec<Span>], tight: bool) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0).max(header.len());
    // Descriptions may be long.
    let columns = if tight || header.is_empty() {
        format!("@{{}}*{{{count}}}{{c@{{\\;}}}}")
    } else if header.last() == Some(&"description") {
        format!("{}p{{95mm}}", "l".repeat(count - 1))
    } else {
        "l".repeat(count)
    };
    let mut out = format!("\n\\begin{{longtable}}{{{columns}}}\n");
    if !header.is_empty() {
        let header: Vec<String> = header.iter().map(|h| escaped(h)).collect();
        out.push_str(&format!("{} \\\\ \\hline\n", header.join(" & ")));
    }
    for row in rows {
        out.push_str(&format!("{} \\\\\n", row.iter().map(span).collect::<Vec<_>>().join(" & ")));
    }
    out + "\\end{longtable}\n"
}

/// left &= right, over several lines if it is long.
pub(super) fn line(l: &Line) -> String {
    let mut out = format!("{} &= ", math(&l.left));
    let mut used = 0.0;
    for piece in pieces(&l.right) {
        let width = width(&piece);
        if used > 0.0 && used + width > LINE {
            out.push_str(" \\\\\n&\\quad ");
            used = 0.0;
        }
        out.push_str(&piece);
        used += width;
    }
    if !l.unit.is_empty() {
        out.push_str(&format!("\\ \\text{{{}}}", escaped(l.unit)));
    }
    out
}

/// Approximate width \[pt\] in ten-point Computer Modern.
fn width(t: &str) -> f64 {
    let mut width = 0.0;
    // The open braces, and whether each is a subscript, a power or a small fraction.
    let mut open: Vec<bool> = vec![];
    let mut script = false;
    let mut rest = t.chars().peekable();
    while let Some(c) = rest.next() {
        let own = match c {
            '\\' => {
                let mut command = String::new();
                while let Some(c) = rest.next_if(char::is_ascii_alphabetic) {
                    command.push(c);
                }
                script |= command == "tfrac";
                match command.as_str() {
                    "sin" | "cos" => 14.0,
                    "sum" => 18.0,
                    "cdot" => 7.2,
                    "theta" | "tau" => 4.8,
                    "frac" => -20.0, // the denominator is below
                    _ => 0.0,
                }
            }
            '_' | '^' => {
                script = true;
                0.0
            }
            '{' => {
                open.push(std::mem::take(&mut script));
                0.0
            }
            '}' => {
                open.pop();
                0.0
            }
            '+' | '-' => 12.3,
            'm' | 'D' | 'M' => 8.6,
            '(' | ')' => 4.6,
            '.' => 2.8,
            ' ' | '&' => 0.0,
            _ => 5.4,
        };
        width += if open.contains(&true) { 0.75 * own } else { own };
    }
    width
}

/// The pieces between which a line may be broken. Broken brackets have a fixed size, because \left and \right must stay on one
/// line.
fn pieces(m: &Math) -> Vec<String> {
    let sign = |k: usize, negative: bool| match (k, negative) {
        (0, false) => String::new(),
        (_, false) => "+ ".to_string(),
        (_, true) => "- ".to_string(),
    };
    let breaking = Breaking {
        math: &math,
        sign: &sign,
        long: &|m, text| width(text) > LINE / if matches!(m, Math::Brackets(..)) { 3.0 } else { 2.0 },
        open: "\\bigl(",
        close: &|power| format!("\\bigr){}", raised(power)),
        gap: "",
        end: " ",
    };
    breaking.pieces(m)
}

pub(crate) fn math(m: &Math) -> String {
    match m {
        Math::Letter(l) => one_letter(l),
        Math::Number(x) => number(written(*x)),
        Math::Decimal(x) => number(decimal(*x)),
        Math::Word("∂", _) => "\\partial".to_string(),
        Math::Word(w @ ("d" | "dt"), _) => w.to_string(),
        Math::Word(w, power) => format!("\\{w}{}", raised(*power)),
        Math::Fraction(a, b) => format!("\\frac{{{}}}{{{}}}", math(a), math(b)),
        Math::Row(parts) => parts.iter().map(math).collect::<Vec<_>>().join(" "),
        Math::Sum(terms) if terms.is_empty() => "0".to_string(),
        Math::Sum(terms) => signed_terms(terms, &|k, negative| sign(k, negative, [" + ", " - "]), &math),
        Math::Brackets(inner, power) => format!("({}){}", math(inner), raised(*power)),
        Math::Matrix(rows) => {
            let rows: Vec<String> = rows.iter().map(|r| r.iter().map(math).collect::<Vec<_>>().join(" & ")).collect();
            format!("\\begin{{bmatrix}} {} \\end{{bmatrix}}", rows.join(" \\\\ "))
        }
        Math::Total(index) => format!("\\sum_{index}"),
    }
}

fn one_letter(l: &Letter) -> String {
    let base = greek(&l.base);
    let base = match l.dots {
        0 => base,
        1 => format!("\\dot{{{base}}}"),
        _ => format!("\\ddot{{{base}}}"),
    };
    let below = format!("{}{}", l.axes, l.number);
    let mark = |sign: char, t: &str| if t.is_empty() { String::new() } else { format!("{sign}{{{t}}}") };
    let before = mark('^', &l.frame) + &mark('_', &l.before);
    let before = if before.is_empty() { before } else { format!("{{}}{before}") };
    format!("{before}{base}{}{}{}", mark('_', &below), mark('^', &l.above), raised(l.power))
}

/// The command of a Greek or script letter; other letters as they are.
fn greek(letter: &str) -> String {
    match letter {
        "ℒ" => "\\mathcal{L}".to_string(),
        "J\u{307}q\u{307}" => "\\dot{J}\\dot{q}".to_string(),
        other => match GREEK.iter().find(|g| g.0.to_string() == other) {
            Some((_, name)) => format!("\\{name}"),
            None => other.to_string(),
        },
    }
}

fn raised(power: u8) -> String {
    if power == 1 { String::new() } else { format!("^{{{power}}}") }
}

fn number(x: Written) -> String {
    match x {
        Written::Fraction(a, b) => format!("\\tfrac{{{a}}}{{{b}}}"),
        Written::Decimal(text, 0) => text,
        Written::Decimal(text, exponent) => format!("{text} \\cdot 10^{{{exponent}}}"),
    }
}
