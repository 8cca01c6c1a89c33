//! The lexer of LaTeX documents.

use super::{Equation, Name, ReadError, Token, error};
use crate::symbols::GREEK;

struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn while_in(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// The inside of the braces that follow.
    fn braces(&mut self) -> Result<&'a str, String> {
        let inside = self.rest.strip_prefix('{').ok_or("an argument in braces is missing")?;
        let mut depth = 1;
        for (at, c) in inside.char_indices() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if depth == 0 {
                self.rest = &inside[at + 1..];
                return Ok(&inside[..at]);
            }
        }
        Err("a brace is not closed".to_string())
    }

    fn integer(&mut self) -> Result<i32, String> {
        self.braces()?.parse().map_err(|_| "invalid power".to_string())
    }

    /// The letter of a name, a character or a command.
    fn letter(text: &str) -> Result<String, String> {
        match text.strip_prefix('\\') {
            None if text.chars().count() == 1 => Ok(text.to_string()),
            Some(command) => GREEK
                .iter()
                .find(|g| g.1 == command)
                .map(|g| g.0.to_string())
                .ok_or_else(|| format!("unknown command `{text}`")),
            None => Err(format!("unknown letter `{text}`")),
        }
    }

    /// A name with its subscript.
    fn name(&mut self, letter: String, dots: u8) -> Result<Token, String> {
        let below = if self.eat("_") {
            if self.rest.starts_with('{') {
                self.braces()?.to_string()
            } else {
                self.while_in(|c| c.is_ascii_alphanumeric()).to_string()
            }
        } else {
            String::new()
        };
        if below.contains(['{', '}', '\\', ' ']) {
            return Err(format!("unknown subscript `{below}`"));
        }
        Ok(Token::Name(Name::new(letter + &below, dots)))
    }
}

/// The tokens of a formula.
fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut out = vec![];
    let mut l = Lexer { rest: text };
    while let Some(c) = l.rest.chars().next() {
        match c {
            ' ' | '\n' => drop(l.while_in(|c| c == ' ' || c == '\n')),
            '+' | '-' => {
                l.eat(&c.to_string());
                out.push(Token::Sign { minus: c == '-' });
            }
            '(' => {
                l.eat("(");
                out.push(Token::Open);
            }
            ')' => {
                l.eat(")");
                out.push(Token::Close);
            }
            '^' => {
                l.eat("^");
                out.push(Token::Power(l.integer()?));
            }
            '0'..='9' => {
                let digits = l.while_in(|c| c.is_ascii_digit() || c == '.');
                let mut value: f64 = digits.parse().map_err(|_| "invalid number")?;
                if l.eat(" \\cdot 10^") {
                    value *= 10f64.powi(l.integer()?);
                }
                out.push(Token::Number(value));
            }
            '\\' => {
                l.eat("\\");
                let command = l.while_in(|c| c.is_ascii_alphabetic());
                match command {
                    "bigl" if l.eat("(") => out.push(Token::Open),
                    "bigr" if l.eat(")") => out.push(Token::Close),
                    "sin" | "cos" | "det" => out.push(Token::Name(Name::new(command, 0))),
                    "tfrac" => {
                        let [a, b] = [l.braces()?, l.braces()?].map(str::parse::<f64>);
                        let (a, b) = (a.map_err(|_| "invalid fraction")?, b.map_err(|_| "invalid fraction")?);
                        out.push(Token::Number(a / b));
                    }
                    "frac" => {
                        for (k, part) in [l.braces()?, l.braces()?].into_iter().enumerate() {
                            out.extend((k > 0).then_some(Token::Slash));
                            out.push(Token::Open);
                            out.extend(tokens(part)?);
                            out.push(Token::Close);
                        }
                    }
                    "dot" | "ddot" => {
                        let letter = Lexer::letter(l.braces()?)?;
                        out.push(l.name(letter, if command == "dot" { 1 } else { 2 })?);
                    }
                    other => {
                        let letter = Lexer::letter(&format!("\\{other}"))?;
                        out.push(l.name(letter, 0)?);
                    }
                }
            }
            c if c.is_alphabetic() => {
                l.eat(&c.to_string());
                out.push(l.name(c.to_string(), 0)?);
            }
            other => return Err(format!("unexpected character `{other}`")),
        }
    }
    Ok(out)
}

/// The equations of all `align*` environments.
pub(super) fn equations(text: &str) -> Result<Vec<Equation>, ReadError> {
    let mut out = vec![];
    for block in text.split("\\begin{align*}\n").skip(1) {
        let block = block.split("\n\\end{align*}").next().unwrap_or("");
        // A long equation continues on lines that start with `&\quad`.
        let block = block.replace(" \\\\\n&\\quad ", " ");
        for line in block.split(" \\\\\n") {
            out.extend(equation(line)?);
        }
    }
    Ok(out)
}

/// An equation; none for the first ones of a document, which explain its notation by sums over indices.
fn equation(line: &str) -> Result<Option<Equation>, ReadError> {
    let (left, right) = line.split_once(" &= ").ok_or_else(|| error(line, "no `&=`"))?;
    if right.contains("\\sum_") {
        return Ok(None);
    }
    let lexed = |text: &str| tokens(text).map_err(|reason| error(text, reason));
    let matrix = right.strip_prefix("\\begin{bmatrix} ").and_then(|r| r.strip_suffix(" \\end{bmatrix}"));
    let cells = match matrix {
        None => vec![vec![lexed(right)?]],
        Some(rows) => {
            let row = |row: &str| row.split(" & ").map(lexed).collect::<Result<Vec<_>, _>>();
            rows.split(" \\\\ ").map(row).collect::<Result<Vec<_>, _>>()?
        }
    };
    Ok(Some(Equation { left: lexed(left)?, cells, is_matrix: matrix.is_some(), text: line.to_string() }))
}

/// The names that are listed as identically zero.
pub(super) fn zeros(text: &str) -> Result<Vec<Name>, ReadError> {
    let mut out = vec![];
    for list in text.split("Identically zero: ").skip(1) {
        let list = list.split(".\n").next().unwrap_or("");
        for name in list.split(", ") {
            let inside = name.trim().trim_matches('$');
            match &tokens(inside).map_err(|reason| error(name, reason))?[..] {
                [Token::Name(name)] => out.push(name.clone()),
                _ => return Err(error(name, "expected a name")),
            }
        }
    }
    Ok(out)
}
