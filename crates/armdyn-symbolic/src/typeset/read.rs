//! Reads printed equations back: the text of a document, LaTeX or Unicode, to definitions that can be evaluated.
//!
//! The grammar is that of the documents:
//!
//!   equation   = left "=" (sum | matrix)
//!   sum        = ["−"] term { ("+" | "−") term }
//!   term       = factor { factor | "/" factor }
//!   factor     = (number | name | "(" sum ")") [power] | ("sin" | "cos") [power] "(" sum ")"
//!
//! A denominator is one factor, and what follows it is multiplied: a b/c d is (a b/c) d. Each format has a lexer; the rest is common. Nothing here knows the
//! polynomials from which a document was made.

mod latex;
mod unicode;

use std::collections::BTreeMap;

/// Format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFormat {
    /// [`latex`](super::latex()).
    Latex,
    /// [`unicode`](super::unicode()).
    Unicode,
}

impl TextFormat {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            TextFormat::Latex => "LaTeX",
            TextFormat::Unicode => "Unicode",
        }
    }
}

/// A text that is not an equation of these documents, or cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read `{text}`: {reason}")]
pub struct ReadError {
    /// The equation, or a name in it.
    pub text: String,
    /// What is wrong.
    pub reason: String,
}

fn error(text: impl Into<String>, reason: impl Into<String>) -> ReadError {
    ReadError { text: text.into(), reason: reason.into() }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Name(Name),
    Sign { minus: bool },
    Open,
    Close,
    Slash,
    Power(i32),
}

/// A letter with all its subscripts as plain text, and its dots: θ̇₁ is `θ1` with one dot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub text: String,
    pub dots: u8,
}

impl Name {
    pub fn new(text: impl Into<String>, dots: u8) -> Self {
        Name { text: text.into(), dots }
    }
}

/// An expression that was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Number(f64),
    Name(Name),
    Negative(Box<Expression>),
    Sum(Vec<Expression>),
    Product(Vec<Expression>),
    Quotient(Box<Expression>, Box<Expression>),
    Power(Box<Expression>, i32),
    Sin(Box<Expression>),
    Cos(Box<Expression>),
}

impl Expression {
    /// The value, with the values of names.
    pub fn evaluate(&self, value: &mut dyn FnMut(&Name) -> Result<f64, ReadError>) -> Result<f64, ReadError> {
        Ok(match self {
            Expression::Number(x) => *x,
            Expression::Name(name) => value(name)?,
            Expression::Negative(x) => -x.evaluate(value)?,
            Expression::Sum(terms) => {
                let mut sum = 0.0;
                for t in terms {
                    sum += t.evaluate(value)?;
                }
                sum
            }
            Expression::Product(factors) => {
                let mut product = 1.0;
                for f in factors {
                    product *= f.evaluate(value)?;
                }
                product
            }
            Expression::Quotient(a, b) => a.evaluate(value)? / b.evaluate(value)?,
            Expression::Power(x, p) => x.evaluate(value)?.powi(*p),
            Expression::Sin(x) => x.evaluate(value)?.sin(),
            Expression::Cos(x) => x.evaluate(value)?.cos(),
        })
    }
}

/// The right-hand sides of a document by their left-hand sides.
#[derive(Clone, Debug, Default)]
pub(super) struct Definitions {
    pub scalars: BTreeMap<Name, Expression>,
    /// By rows.
    pub matrices: BTreeMap<String, Vec<Vec<Expression>>>,
    /// Names that the document lists as identically zero.
    pub zeros: Vec<String>,
}

/// An equation as the lexers find it.
struct Equation {
    left: Vec<Token>,
    /// One row and column unless it is a matrix.
    cells: Vec<Vec<Vec<Token>>>,
    is_matrix: bool,
    text: String,
}

/// Left-hand sides of the equations that explain the notation.
const SCHEMATIC: [(&str, u8); 5] = [("τi", 0), ("τ", 0), ("F", 0), ("x", 1), ("ax", 0)];

/// Reads a document.
pub(super) fn read(text: &str, format: TextFormat) -> Result<Definitions, ReadError> {
    let (equations, zeros) = match format {
        TextFormat::Latex => (latex::equations(text)?, latex::zeros(text)?),
        TextFormat::Unicode => (unicode::equations(text)?, unicode::zeros(text)?),
    };
    let mut out = Definitions { zeros: zeros.into_iter().map(|n| n.text).collect(), ..Definitions::default() };
    for e in equations {
        let left = match &e.left[..] {
            [Token::Name(name)] => name.clone(),
            // det J, J̇ q̇
            [Token::Name(a), Token::Name(b)] => Name::new(format!("{} {}", a.text, b.text), 0),
            _ => return Err(error(e.text, "the left-hand side is not a name")),
        };
        if SCHEMATIC.iter().any(|s| left.text == s.0 && left.dots == s.1) {
            continue;
        }
        let cell = |tokens: &Vec<Token>| expression(tokens).map_err(|reason| error(&e.text, reason));
        let row = |cells: &Vec<Vec<Token>>| cells.iter().map(cell).collect::<Result<Vec<_>, _>>();
        let mut rows = e.cells.iter().map(row).collect::<Result<Vec<_>, _>>()?;
        let again = if e.is_matrix {
            out.matrices.insert(left.text.clone(), rows).is_some()
        } else {
            let only = rows.pop().and_then(|mut r| r.pop()).ok_or_else(|| error(&e.text, "nothing follows `=`"))?;
            out.scalars.insert(left.clone(), only).is_some()
        };
        if again {
            return Err(error(e.text, format!("`{}` is defined twice", left.text)));
        }
    }
    Ok(out)
}

struct Parser<'a> {
    rest: &'a [Token],
    depth: usize,
}

/// Maximum nesting of brackets.
const DEPTH: usize = 64;

fn expression(tokens: &[Token]) -> Result<Expression, String> {
    let mut parser = Parser { rest: tokens, depth: 0 };
    let sum = parser.sum()?;
    if parser.rest.is_empty() { Ok(sum) } else { Err(format!("unexpected {:?}", parser.rest[0])) }
}

impl Parser<'_> {
    fn next_if(&mut self, wanted: impl Fn(&Token) -> bool) -> Option<Token> {
        let [first, rest @ ..] = self.rest else { return None };
        wanted(first).then(|| {
            let token = first.clone();
            self.rest = rest;
            token
        })
    }

    fn sum(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("brackets are nested too deeply".to_string());
        }
        let mut terms = vec![];
        loop {
            let sign = self.next_if(|t| matches!(t, Token::Sign { .. }));
            match sign {
                None if !terms.is_empty() => break,
                Some(Token::Sign { minus: false }) if terms.is_empty() => {
                    return Err("a sum starts with `+`".to_string());
                }
                _ => {}
            }
            let term = self.term()?;
            let minus = matches!(sign, Some(Token::Sign { minus: true }));
            terms.push(if minus { Expression::Negative(Box::new(term)) } else { term });
        }
        self.depth -= 1;
        Ok(Expression::Sum(terms))
    }

    fn term(&mut self) -> Result<Expression, String> {
        let mut factors = vec![self.factor()?];
        loop {
            match self.rest.first() {
                Some(Token::Number(_) | Token::Name(_) | Token::Open) => factors.push(self.factor()?),
                Some(Token::Slash) => {
                    self.next_if(|_| true);
                    let above = Expression::Product(std::mem::take(&mut factors));
                    factors.push(Expression::Quotient(Box::new(above), Box::new(self.factor()?)));
                }
                _ => return Ok(Expression::Product(factors)),
            }
        }
    }

    fn factor(&mut self) -> Result<Expression, String> {
        let token = self.next_if(|_| true).ok_or("a factor is missing")?;
        let (base, power) = match token {
            Token::Number(x) => (Expression::Number(x), self.power()),
            Token::Name(name) if name.text == "sin" || name.text == "cos" => {
                let power = self.power();
                self.next_if(|t| *t == Token::Open).ok_or("a function without brackets")?;
                let angle = Box::new(self.in_brackets()?);
                (if name.text == "sin" { Expression::Sin(angle) } else { Expression::Cos(angle) }, power)
            }
            Token::Name(name) => (Expression::Name(name), self.power()),
            Token::Open => {
                let inside = self.in_brackets()?;
                (inside, self.power())
            }
            other => return Err(format!("unexpected {other:?}")),
        };
        Ok(if power == 1 { base } else { Expression::Power(Box::new(base), power) })
    }

    fn in_brackets(&mut self) -> Result<Expression, String> {
        let inside = self.sum()?;
        self.next_if(|t| *t == Token::Close).ok_or("a bracket is not closed")?;
        Ok(inside)
    }

    fn power(&mut self) -> i32 {
        match self.next_if(|t| matches!(t, Token::Power(_))) {
            Some(Token::Power(p)) => p,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, format: TextFormat) -> Result<f64, ReadError> {
        let document = match format {
            TextFormat::Latex => format!("\\begin{{align*}}\ny &= {text}\n\\end{{align*}}\n"),
            TextFormat::Unicode => format!("\n  y = {text}\n"),
        };
        let read = read(&document, format)?;
        read.scalars[&Name::new("y", 0)].evaluate(&mut |name| match (name.text.as_str(), name.dots) {
            ("m1", 0) => Ok(2.0),
            ("lx2", 0) => Ok(3.0),
            ("θ1", 0) => Ok(0.5),
            ("θ1", 1) => Ok(5.0),
            ("θ1", 2) => Ok(7.0),
            _ => Err(error(&name.text, "unknown")),
        })
    }

    #[test]
    fn sums_products_fractions_and_functions() {
        let half_sine = (0.5f64 - 1.0).sin();
        for (unicode, latex, expected) in [
            ("m₁ lx₂²", "m_{1} l_{x2}^{2}", 18.0),
            ("−½ m₁ + 2 (m₁ − lx₂)²", "-\\tfrac{1}{2} m_{1} + 2 (m_{1} - l_{x2})^{2}", 1.0),
            ("3/8 m₁ θ̇₁²", "\\tfrac{3}{8} m_{1} \\dot{\\theta}_{1}^{2}", 18.75),
            ("m₁ lx₂/θ̇₁² − θ̈₁", "\\frac{m_{1} l_{x2}}{\\dot{\\theta}_{1}^{2}} - \\ddot{\\theta}_{1}", 0.24 - 7.0),
            ("(m₁ + lx₂)/(m₁ θ̇₁)", "\\frac{m_{1} + l_{x2}}{m_{1} \\dot{\\theta}_{1}}", 0.5),
            ("1/(m₁ lx₂) (m₁ + 1) θ̇₁", "\\frac{1}{m_{1} l_{x2}} (m_{1} + 1) \\dot{\\theta}_{1}", 2.5),
            ("1.5·10⁻³ m₁", "1.5 \\cdot 10^{-3} m_{1}", 0.003),
            ("4 sin²(3 θ₁ − m₁)", "4 \\sin^{2} (3 \\theta_{1} - m_{1})", 4.0 * half_sine * half_sine),
            ("m₁ (lx₂ + 1)", "m_{1} \\bigl(l_{x2} + \\\\\n&\\quad 1\\bigr)", 8.0),
        ] {
            for (text, format) in [(unicode, TextFormat::Unicode), (latex, TextFormat::Latex)] {
                let found = value(text, format).unwrap();
                assert!((found - expected).abs() < 1e-14, "{text}: {found}, expected {expected}");
            }
        }
    }

    #[test]
    fn other_text_is_an_error() {
        for text in ["m₁ +", "(m₁", "m₁)", "m₁ // lx₂", "sin m₁", "x₉", "m₁ # lx₂", "", "+ m₁"] {
            assert!(value(text, TextFormat::Unicode).is_err(), "{text}");
        }
        for text in ["\\frac{1}", "m_{1", "\\unknown{m}", "m_{1} & 2"] {
            assert!(value(text, TextFormat::Latex).is_err(), "{text}");
        }
        let deep = "(".repeat(200) + "m₁" + &")".repeat(200);
        assert!(value(&deep, TextFormat::Unicode).unwrap_err().reason.contains("nested"));
    }
}
