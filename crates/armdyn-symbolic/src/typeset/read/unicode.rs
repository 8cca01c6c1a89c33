//! The lexer of Unicode documents.

use super::{Equation, Name, ReadError, Token, error};

/// The digit of a raised or lowered character.
fn script(c: char) -> Option<(char, bool)> {
    let raised = |digit: char| Some((digit, true));
    match c {
        '⁰' => raised('0'),
        '¹' => raised('1'),
        '²' => raised('2'),
        '³' => raised('3'),
        '⁴'..='⁹' => raised(char::from(b'4' + (c as u32 - '⁴' as u32) as u8)),
        '⁻' => raised('-'),
        '₀'..='₉' => Some((char::from(b'0' + (c as u32 - '₀' as u32) as u8), false)),
        'ₓ' => Some(('x', false)),
        'ᵢ' => Some(('i', false)),
        'ⱼ' => Some(('j', false)),
        'ₖ' => Some(('k', false)),
        _ => None,
    }
}

/// The tokens of a formula; an error names the character.
fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let all: Vec<char> = text.chars().collect();
    let mut out = vec![];
    let mut at = 0;
    let take = |at: &mut usize, wanted: &dyn Fn(char) -> bool| {
        let start = *at;
        while *at < all.len() && wanted(all[*at]) {
            *at += 1;
        }
        all[start..*at].iter().collect::<String>()
    };
    let raised = |at: &mut usize| {
        let text = take(at, &|c| script(c).is_some_and(|s| s.1));
        text.chars().filter_map(script).map(|s| s.0).collect::<String>()
    };
    while at < all.len() {
        let c = all[at];
        match c {
            ' ' => at += 1,
            '+' | '−' => {
                out.push(Token::Sign { minus: c == '−' });
                at += 1;
            }
            '(' => {
                out.push(Token::Open);
                at += 1;
            }
            ')' => {
                out.push(Token::Close);
                at += 1;
            }
            '/' => {
                out.push(Token::Slash);
                at += 1;
            }
            '½' | '¼' | '¾' => {
                out.push(Token::Number(if c == '½' {
                    0.5
                } else if c == '¼' {
                    0.25
                } else {
                    0.75
                }));
                at += 1;
            }
            '0'..='9' => {
                let digits = |at: &mut usize| take(at, &|c| c.is_ascii_digit() || c == '.');
                let number = digits(&mut at).parse::<f64>().map_err(|_| "invalid number")?;
                let mut value = number;
                if all[at..].starts_with(&['·', '1', '0']) {
                    at += 3;
                    let exponent = raised(&mut at).parse::<i32>().map_err(|_| "invalid power of ten")?;
                    value *= 10f64.powi(exponent);
                } else if all.get(at) == Some(&'/') && all.get(at + 1).is_some_and(char::is_ascii_digit) {
                    at += 1;
                    value /= digits(&mut at).parse::<f64>().map_err(|_| "invalid fraction")?;
                }
                out.push(Token::Number(value));
            }
            c if c.is_alphabetic() && script(c).is_none() => {
                let mut text = take(&mut at, &|c| c.is_alphabetic() && script(c).is_none());
                let dots = match all.get(at) {
                    Some('\u{307}') => 1,
                    Some('\u{308}') => 2,
                    _ => 0,
                };
                at += usize::from(dots > 0);
                // Numbers with two digits are separated: D₁,₁₂.
                while at < all.len() {
                    match (script(all[at]), all[at]) {
                        (Some((digit, false)), _) => text.push(digit),
                        (_, ',') if all.get(at + 1).and_then(|c| script(*c)).is_some_and(|s| !s.1) => text.push(','),
                        _ => break,
                    }
                    at += 1;
                }
                out.push(Token::Name(Name::new(text, dots)));
            }
            c if script(c).is_some_and(|s| s.1) => {
                out.push(Token::Power(raised(&mut at).parse().map_err(|_| "invalid power")?));
            }
            other => return Err(format!("unexpected character `{other}`")),
        }
    }
    Ok(out)
}

/// The left-hand side of a line that starts an equation: one name, or `det J` and `J̇ q̇`.
fn left_of(text: &str) -> Option<Vec<Token>> {
    let tokens = tokens(text).ok()?;
    match &tokens[..] {
        [Token::Name(_)] => Some(tokens),
        [Token::Name(a), Token::Name(b)] if (a.text == "det" || a.dots == 1) && !b.text.is_empty() => Some(tokens),
        _ => None,
    }
}

/// The brackets at the ends of the rows of a matrix.
const BRACKETS: [(char, char); 4] = [('⎡', '⎤'), ('⎢', '⎥'), ('⎣', '⎦'), ('[', ']')];

/// What is before the opening bracket of a row of a matrix, and its cells.
fn row(line: &str) -> Option<(&str, Vec<&str>)> {
    let (open, close) = BRACKETS.into_iter().find(|(open, close)| line.contains(*open) && line.ends_with(*close))?;
    let (front, rest) = line.split_once(open)?;
    let cells = rest.strip_suffix(close)?.trim();
    Some((front, cells.split("  ").map(str::trim).filter(|c| !c.is_empty()).collect()))
}

/// Whether a line is a row of a table: of columns, two spaces apart, before its `=`, or of the pattern of the velocity coefficients,
/// a number and one mark per coefficient.
fn is_table_row(line: &str) -> bool {
    let columns = line.split_once(" = ").is_some_and(|(left, _)| left.trim().contains("  "));
    let marks = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    columns || (marks.starts_with(' ') && marks.chars().all(|c| " ·●±=".contains(c)))
}

/// The equations of a document: indented by two spaces, a name and `=`. Lines that are indented further continue one.
pub(super) fn equations(text: &str) -> Result<Vec<Equation>, ReadError> {
    let mut out: Vec<(Vec<Token>, String)> = vec![];
    let mut matrices = vec![];
    let mut rows: Vec<Vec<&str>> = vec![];
    let mut name: Option<Vec<Token>> = None;
    // Whether the line before belongs to an equation.
    let mut open = false;
    for line in text.lines() {
        let is_first = line.starts_with("  ") && !line.starts_with("   ");
        if let Some((front, cells)) = row(line).filter(|_| line.starts_with("  ")) {
            if let Some(left) = front.trim().strip_suffix('=').and_then(left_of) {
                name = Some(left);
            }
            rows.push(cells);
            if line.ends_with(['⎦', ']']) {
                let left = name.take().ok_or_else(|| error(line, "a matrix without a name"))?;
                matrices.push((left, std::mem::take(&mut rows), line));
            }
            open = false;
            continue;
        }
        match line.split_once(" = ").filter(|_| is_first && !is_table_row(line)) {
            Some((left, right)) => {
                let left = left_of(left).ok_or_else(|| error(line.trim(), "the left-hand side is not a name"))?;
                out.push((left, right.to_string()));
                open = true;
            }
            None if open && line.starts_with("    ") => {
                if let Some(last) = out.last_mut() {
                    last.1.push(' ');
                    last.1.push_str(line.trim());
                }
            }
            None => open = false,
        }
    }
    let scalar = |(left, text): (Vec<Token>, String)| {
        let cells = vec![vec![tokens(&text).map_err(|reason| error(&text, reason))?]];
        Ok(Equation { left, cells, is_matrix: false, text })
    };
    let matrix = |(left, rows, line): (Vec<Token>, Vec<Vec<&str>>, &str)| {
        let cell = |text: &&str| tokens(text).map_err(|reason| error(*text, reason));
        let row = |cells: &Vec<&str>| cells.iter().map(cell).collect::<Result<Vec<_>, _>>();
        let cells = rows.iter().map(row).collect::<Result<Vec<_>, _>>()?;
        Ok(Equation { left, cells, is_matrix: true, text: line.trim().to_string() })
    };
    out.into_iter().map(scalar).chain(matrices.into_iter().map(matrix)).collect()
}

/// The names that are listed as identically zero.
pub(super) fn zeros(text: &str) -> Result<Vec<Name>, ReadError> {
    let lists = text.split("Identically zero: ").skip(1).map(|rest| rest.split('.').next().unwrap_or(""));
    let mut out = vec![];
    for list in lists {
        let found = tokens(&list.replace('\n', " ").replace(", ", " ")).map_err(|reason| error(list, reason))?;
        out.extend(found.into_iter().filter_map(|t| if let Token::Name(name) = t { Some(name) } else { None }));
    }
    Ok(out)
}
