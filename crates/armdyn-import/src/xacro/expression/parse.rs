//! The grammar of expressions.

use super::Fault::{self, Beyond};
use super::Value::{self, Integer, Real, Truth};

/// An expression.
pub(super) enum Node {
    Value(Value),
    Name(String),
    Member(Box<Node>, String),
    Call(Box<Node>, Vec<Node>),
    Negative(Box<Node>),
    Positive(Box<Node>),
    Not(Box<Node>),
    /// a + b − c … or a · b / c …, from the left.
    Arithmetic(Box<Node>, Vec<(char, Node)>),
    /// a < b < c is a < b and b < c.
    Compare(Box<Node>, Vec<(&'static str, Node)>),
    And(Vec<Node>),
    Or(Vec<Node>),
    Choice {
        condition: Box<Node>,
        then: Box<Node>,
        otherwise: Box<Node>,
    },
}

type Parsed = Result<Node, Fault>;

/// Nesting limit of an expression.
const MAX_DEPTH: usize = 24;

/// Reserved words.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Whether a text is a valid name.
pub(crate) fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_')
        && !KEYWORDS.contains(&text)
}

pub(super) fn parse(text: &str) -> Parsed {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let node = parser.choice()?;
    if parser.peek().is_none() { Ok(node) } else { Err(Beyond) }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&mut self) -> Option<char> {
        self.at += self.rest().len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    /// Consumes an operator.
    fn sign(&mut self, sign: &str) -> bool {
        self.peek();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn identifier(&mut self) -> &'a str {
        self.peek();
        let end = self.rest().find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest().len());
        &self.rest()[..end]
    }

    /// Consumes a keyword.
    fn word(&mut self, word: &str) -> bool {
        let found = self.identifier() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn within(&mut self, part: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth >= MAX_DEPTH {
            return Err(Beyond);
        }
        self.depth += 1;
        let parsed = part(self);
        self.depth -= 1;
        parsed
    }

    /// a if c else b
    fn choice(&mut self) -> Parsed {
        let then = self.either()?;
        if !self.word("if") {
            return Ok(then);
        }
        let condition = Box::new(self.either()?);
        if !self.word("else") {
            return Err(Beyond);
        }
        let otherwise = Box::new(self.within(Self::choice)?);
        Ok(Node::Choice { condition, then: Box::new(then), otherwise })
    }

    fn either(&mut self) -> Parsed {
        self.joined("or", Self::both, Node::Or)
    }

    fn both(&mut self) -> Parsed {
        self.joined("and", Self::negation, Node::And)
    }

    /// Operands joined by a keyword.
    fn joined(&mut self, word: &str, operand: fn(&mut Self) -> Parsed, of: fn(Vec<Node>) -> Node) -> Parsed {
        let mut all = vec![operand(self)?];
        while self.word(word) {
            all.push(operand(self)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { of(all) })
    }

    fn negation(&mut self) -> Parsed {
        if !self.word("not") {
            return self.comparison();
        }
        Ok(Node::Not(Box::new(self.within(Self::negation)?)))
    }

    fn comparison(&mut self) -> Parsed {
        let first = self.sum()?;
        let mut more = vec![];
        while let Some(sign) = ["==", "!=", "<=", ">=", "<", ">"].into_iter().find(|s| self.sign(s)) {
            more.push((sign, self.sum()?));
        }
        Ok(if more.is_empty() { first } else { Node::Compare(Box::new(first), more) })
    }

    fn sum(&mut self) -> Parsed {
        self.arithmetic(&[("+", '+'), ("-", '-')], Self::product)
    }

    fn product(&mut self) -> Parsed {
        // `d` is floor division.
        self.arithmetic(&[("*", '*'), ("//", 'd'), ("/", '/'), ("%", '%')], Self::signed)
    }

    fn arithmetic(&mut self, signs: &[(&str, char)], operand: fn(&mut Self) -> Parsed) -> Parsed {
        let first = operand(self)?;
        let mut more = vec![];
        while let Some((_, sign)) = signs.iter().find(|(s, _)| self.sign(s)) {
            more.push((*sign, operand(self)?));
        }
        Ok(if more.is_empty() { first } else { Node::Arithmetic(Box::new(first), more) })
    }

    fn signed(&mut self) -> Parsed {
        if self.sign("-") {
            return Ok(Node::Negative(Box::new(self.within(Self::signed)?)));
        }
        if self.sign("+") {
            return Ok(Node::Positive(Box::new(self.within(Self::signed)?)));
        }
        self.power()
    }

    /// Binds tighter than a preceding sign, and weaker than a following one: −2 ** −1 is −(2 ** (−1)).
    fn power(&mut self) -> Parsed {
        let a = self.postfix()?;
        if !self.sign("**") {
            return Ok(a);
        }
        let b = self.within(Self::signed)?;
        Ok(Node::Arithmetic(Box::new(a), vec![('^', b)]))
    }

    /// Members and calls.
    fn postfix(&mut self) -> Parsed {
        let mut node = self.atom()?;
        for _ in 0..MAX_DEPTH {
            if self.sign("(") {
                let mut given = vec![];
                while !self.sign(")") {
                    if !given.is_empty() && !self.sign(",") {
                        return Err(Beyond);
                    }
                    given.push(self.within(Self::choice)?);
                }
                node = Node::Call(Box::new(node), given);
            } else if self.sign(".") {
                let name = self.identifier();
                if !is_name(name) {
                    return Err(Beyond);
                }
                self.at += name.len();
                node = Node::Member(Box::new(node), name.to_string());
            } else {
                return Ok(node);
            }
        }
        Err(Beyond)
    }

    fn atom(&mut self) -> Parsed {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let inside = self.within(Self::choice)?;
                if self.sign(")") { Ok(inside) } else { Err(Beyond) }
            }
            Some(quote @ ('\'' | '"')) => {
                let inside = &self.rest()[1..];
                let end = inside.find(quote).ok_or(Beyond)?;
                let text = &inside[..end];
                self.at += end + 2;
                if text.contains('\\') { Err(Beyond) } else { Ok(Node::Value(Value::text(text))) }
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.figure(),
            Some(c) if c.is_alphabetic() || c == '_' => {
                let name = self.identifier();
                self.at += name.len();
                match name {
                    "True" | "False" => Ok(Node::Value(Truth(name == "True"))),
                    name if is_name(name) => Ok(Node::Name(name.to_string())),
                    _ => Err(Beyond),
                }
            }
            _ => Err(Beyond),
        }
    }

    fn figure(&mut self) -> Parsed {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut end = digits(0);
        let mut whole = true;
        if bytes.get(end) == Some(&b'.') {
            whole = false;
            end += 1 + digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let power = digits((end + 1 + sign).min(bytes.len()));
            if power > 0 {
                whole = false;
                end += 1 + sign + power;
            }
        }
        let text = &self.rest()[..end];
        let value = match whole {
            true if text.len() > 1 && text.starts_with('0') => return Err(Beyond),
            true => Integer(text.parse().map_err(|_| Beyond)?),
            false => Real(text.parse().map_err(|_| Beyond)?),
        };
        self.at += end;
        // `0x10`, `1_000`, `2j` are not of this grammar.
        let after = self.rest().chars().next();
        if after.is_some_and(|c| c.is_alphanumeric() || c == '_') { Err(Beyond) } else { Ok(Node::Value(value)) }
    }
}
