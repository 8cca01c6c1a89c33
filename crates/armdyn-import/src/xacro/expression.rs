//! What stands in `${…}`: Python's arithmetic, comparisons and conditions, on numbers and texts.
//!
//! A value that cannot be had is [`Value::Bad`] and goes on as such, so a branch that is not taken does no harm.

use super::{RUN, brief};
use std::fmt;

/// What an expression is worth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Integer(i64),
    Real(f64),
    Truth(bool),
    Text(String),
    /// Why there is no value.
    Bad(String),
}

use Value::{Bad, Integer, Real, Text, Truth};

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Integer(x) => write!(f, "{x}"),
            Real(x) => write!(f, "{x:?}"),
            Truth(true) => f.write_str("True"),
            Truth(false) => f.write_str("False"),
            Text(text) | Bad(text) => f.write_str(text),
        }
    }
}

impl Value {
    /// What a text without expressions stands for: a number, a truth value, or itself.
    pub fn literal(text: &str) -> Value {
        let bare = text.trim();
        let quoted = |q| bare.len() > 1 && bare.starts_with(q) && bare.ends_with(q);
        if quoted('\'') || quoted('"') {
            return Text(bare[1..bare.len() - 1].to_string());
        }
        match bare {
            "true" | "True" => return Truth(true),
            "false" | "False" => return Truth(false),
            _ => {}
        }
        if bare.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
            if let Ok(x) = bare.parse() {
                return Integer(x);
            }
            if let Ok(x) = bare.parse() {
                return Real(x);
            }
        }
        Text(text.to_string())
    }

    /// Whether an `if` holds.
    pub fn condition(&self) -> Result<bool, String> {
        match self {
            Bad(why) => Err(why.clone()),
            Text(text) => Err(format!("`{}` is neither true nor false", brief(text))),
            other => Ok(other.truth()),
        }
    }

    fn truth(&self) -> bool {
        match self {
            Integer(x) => *x != 0,
            Real(x) => *x != 0.0,
            Truth(x) => *x,
            Text(text) => !text.is_empty(),
            Bad(_) => false,
        }
    }

    fn real(&self) -> Option<f64> {
        match self {
            Integer(x) => Some(*x as f64),
            Real(x) => Some(*x),
            Truth(x) => Some(f64::from(u8::from(*x))),
            Text(_) | Bad(_) => None,
        }
    }

    fn integer(&self) -> Option<i64> {
        match self {
            Integer(x) => Some(*x),
            Truth(x) => Some(i64::from(*x)),
            _ => None,
        }
    }
}

/// The value of an expression; `names` knows the properties.
pub(crate) fn value(text: &str, names: &mut dyn FnMut(&str) -> Value) -> Value {
    if text.len() > 1 << 16 {
        return Bad("an expression is longer than 64 KiB".to_string());
    }
    let mut parser = Parser { text, at: 0, depth: 0, names };
    match parser.choice() {
        Ok(value) if parser.peek().is_none() => value,
        _ => Bad(format!("`${{{}}}` is beyond the arithmetic that is read here; {RUN}", brief(text.trim()))),
    }
}

/// The text is not an expression of this grammar.
struct Beyond;

type Parsed = Result<Value, Beyond>;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    names: &'a mut dyn FnMut(&str) -> Value,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&mut self) -> Option<char> {
        let skipped = self.rest().len() - self.rest().trim_start().len();
        self.at += skipped;
        self.rest().chars().next()
    }

    /// Takes a sign.
    fn sign(&mut self, sign: &str) -> bool {
        self.peek();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn identifier(&mut self) -> &str {
        self.peek();
        let start = self.at;
        let end = self.rest().find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest().len());
        &self.text[start..start + end]
    }

    /// Takes a word.
    fn word(&mut self, word: &str) -> bool {
        let found = self.identifier() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn within(&mut self, part: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth >= 24 {
            return Err(Beyond);
        }
        self.depth += 1;
        let parsed = part(self);
        self.depth -= 1;
        parsed
    }

    /// a if c else b
    fn choice(&mut self) -> Parsed {
        let a = self.either()?;
        if !self.word("if") {
            return Ok(a);
        }
        let c = self.either()?;
        if !self.word("else") {
            return Err(Beyond);
        }
        let b = self.within(Self::choice)?;
        Ok(match c {
            Bad(why) => Bad(why),
            c if c.truth() => a,
            _ => b,
        })
    }

    fn either(&mut self) -> Parsed {
        let mut a = self.both()?;
        while self.word("or") {
            let b = self.both()?;
            a = if matches!(a, Bad(_)) || a.truth() { a } else { b };
        }
        Ok(a)
    }

    fn both(&mut self) -> Parsed {
        let mut a = self.negation()?;
        while self.word("and") {
            let b = self.negation()?;
            a = if matches!(a, Bad(_)) || !a.truth() { a } else { b };
        }
        Ok(a)
    }

    fn negation(&mut self) -> Parsed {
        if !self.word("not") {
            return self.comparison();
        }
        Ok(match self.within(Self::negation)? {
            Bad(why) => Bad(why),
            a => Truth(!a.truth()),
        })
    }

    /// a < b < c is a < b and b < c.
    fn comparison(&mut self) -> Parsed {
        let mut a = self.sum()?;
        let mut held: Option<Value> = None;
        loop {
            let signs = ["==", "!=", "<=", ">=", "<", ">"];
            let Some(sign) = signs.into_iter().find(|s| self.sign(s)) else { break };
            let b = self.sum()?;
            let now = compare(sign, &a, &b);
            held = Some(match held {
                Some(before) if before != Truth(true) => before,
                _ => now,
            });
            a = b;
        }
        Ok(held.unwrap_or(a))
    }

    fn sum(&mut self) -> Parsed {
        let mut a = self.product()?;
        loop {
            let sign = if self.sign("+") {
                '+'
            } else if self.sign("-") {
                '-'
            } else {
                return Ok(a);
            };
            let b = self.product()?;
            a = arithmetic(sign, a, b);
        }
    }

    fn product(&mut self) -> Parsed {
        let mut a = self.signed()?;
        loop {
            self.peek();
            let sign = if self.rest().starts_with("**") {
                return Ok(a);
            } else if self.sign("*") {
                '*'
            } else if self.sign("//") {
                'd'
            } else if self.sign("/") {
                '/'
            } else if self.sign("%") {
                '%'
            } else {
                return Ok(a);
            };
            let b = self.signed()?;
            a = arithmetic(sign, a, b);
        }
    }

    fn signed(&mut self) -> Parsed {
        if self.sign("-") {
            return Ok(arithmetic('-', Integer(0), self.within(Self::signed)?).negated_zero());
        }
        if self.sign("+") {
            return Ok(arithmetic('+', Integer(0), self.within(Self::signed)?));
        }
        self.power()
    }

    /// Binds closer than a sign before it, and less than one after it: −2 ** −1 is −(2 ** (−1)).
    fn power(&mut self) -> Parsed {
        let a = self.atom()?;
        if !self.sign("**") {
            return Ok(a);
        }
        Ok(arithmetic('^', a, self.within(Self::signed)?))
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
                let text = inside[..end].to_string();
                self.at += end + 2;
                if text.contains('\\') { Err(Beyond) } else { Ok(Text(text)) }
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.figure(),
            Some(c) if c.is_alphabetic() || c == '_' => self.named(),
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
        let value = match (whole, text.parse()) {
            (true, Ok(x)) => Integer(x),
            _ => Real(text.parse().map_err(|_| Beyond)?),
        };
        self.at += end;
        // `0x10`, `1_000`, `2j` are not of this grammar.
        let after = self.rest().chars().next();
        if after.is_some_and(|c| c.is_alphanumeric() || c == '_') { Err(Beyond) } else { Ok(value) }
    }

    fn named(&mut self) -> Parsed {
        let mut name = self.identifier().to_string();
        self.at += name.len();
        if name == "math" && self.rest().starts_with('.') {
            self.at += 1;
            name = self.identifier().to_string();
            self.at += name.len();
        }
        if ["if", "else", "and", "or", "not", "in", "is", "lambda", "for"].contains(&name.as_str()) {
            return Err(Beyond);
        }
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let mut given = vec![];
                while !self.sign(")") {
                    if !given.is_empty() && !self.sign(",") {
                        return Err(Beyond);
                    }
                    given.push(self.within(Self::choice)?);
                }
                function(&name, given)
            }
            // Members and elements: dictionaries, lists.
            Some('.' | '[') => Err(Beyond),
            _ => Ok(match name.as_str() {
                "True" | "true" => Truth(true),
                "False" | "false" => Truth(false),
                _ => match (self.names)(&name) {
                    Bad(why) => match name.as_str() {
                        "pi" => Real(std::f64::consts::PI),
                        "tau" => Real(std::f64::consts::TAU),
                        "e" => Real(std::f64::consts::E),
                        "inf" => Real(f64::INFINITY),
                        _ => Bad(why),
                    },
                    value => value,
                },
            }),
        }
    }
}

impl Value {
    /// −0.0 where a sign stands before 0.0, as 0 − 0.0 is 0.0.
    fn negated_zero(self) -> Value {
        if self == Real(0.0) { Real(-0.0) } else { self }
    }
}

fn compare(sign: &str, a: &Value, b: &Value) -> Value {
    if let Some(bad) = [a, b].into_iter().find(|v| matches!(v, Bad(_))) {
        return bad.clone();
    }
    let order = match (a, b) {
        (Text(a), Text(b)) => Some(a.cmp(b)),
        _ => match (a.real(), b.real()) {
            (Some(x), Some(y)) => match x.partial_cmp(&y) {
                None => return Truth(sign == "!="),
                order => order,
            },
            _ => None,
        },
    };
    match (sign, order) {
        ("==", order) => Truth(order.is_some_and(|o| o.is_eq())),
        ("!=", order) => Truth(!order.is_some_and(|o| o.is_eq())),
        (_, None) => Bad(format!("`{a}` and `{b}` have no order")),
        ("<", Some(o)) => Truth(o.is_lt()),
        (">", Some(o)) => Truth(o.is_gt()),
        ("<=", Some(o)) => Truth(o.is_le()),
        (_, Some(o)) => Truth(o.is_ge()),
    }
}

fn arithmetic(sign: char, a: Value, b: Value) -> Value {
    match (&a, &b) {
        (Bad(_), _) => return a,
        (_, Bad(_)) => return b,
        (Text(x), Text(y)) if sign == '+' => {
            return if x.len() + y.len() > super::LONGEST {
                Bad("the expansion has too much text".to_string())
            } else {
                Text(format!("{x}{y}"))
            };
        }
        _ => {}
    }
    let (Some(x), Some(y)) = (a.real(), b.real()) else {
        return Bad(format!("`{}` and `{}` are not both numbers", brief(&a.to_string()), brief(&b.to_string())));
    };
    if y == 0.0 && matches!(sign, '/' | 'd' | '%') {
        return Bad("a division by zero".to_string());
    }
    if let (Some(i), Some(j)) = (a.integer(), b.integer()) {
        let exact = match sign {
            '+' => i.checked_add(j),
            '-' => i.checked_sub(j),
            '*' => i.checked_mul(j),
            'd' => i.checked_div_euclid(j).map(|d| if j < 0 && i.rem_euclid(j) != 0 { d - 1 } else { d }),
            '%' => i.checked_rem(j).map(|r| if r != 0 && (r < 0) != (j < 0) { r + j } else { r }),
            '^' => u32::try_from(j).ok().and_then(|j| i.checked_pow(j)),
            _ => None,
        };
        if let Some(exact) = exact {
            return Integer(exact);
        }
    }
    let found = match sign {
        '+' => x + y,
        '-' => x - y,
        '*' => x * y,
        '/' => x / y,
        'd' => (x / y).floor(),
        // Python's remainder has the divisor's sign.
        '%' => match x % y {
            r if r != 0.0 && (r < 0.0) != (y < 0.0) => r + y,
            r => r,
        },
        _ => x.powf(y),
    };
    proper(found, x.is_finite() && y.is_finite())
}

/// A result that is not finite though its operands were is a fault.
fn proper(found: f64, finite: bool) -> Value {
    if found.is_nan() || (finite && found.is_infinite()) {
        Bad("a result is not a finite number".to_string())
    } else {
        Real(found)
    }
}

fn function(name: &str, given: Vec<Value>) -> Parsed {
    if let Some(bad) = given.iter().find(|v| matches!(v, Bad(_))) {
        return Ok(bad.clone());
    }
    let reals: Option<Vec<f64>> = given.iter().map(Value::real).collect();
    let wrong = || Ok(Bad(format!("`{name}` has not the arguments that it needs")));
    if let [one] = &given[..] {
        match (name, one) {
            ("str", v) => return Ok(Text(v.to_string())),
            ("len", Text(text)) => return Ok(Integer(text.chars().count() as i64)),
            ("bool", v) => return Ok(Truth(v.truth())),
            ("int" | "float", Text(text)) => {
                let number = Value::literal(text);
                return if number.real().is_some() { function(name, vec![number]) } else { wrong() };
            }
            ("abs", v) if v.integer().is_some() => {
                return Ok(v.integer().and_then(i64::checked_abs).map_or(Bad("an overflow".to_string()), Integer));
            }
            _ => {}
        }
    }
    let single: Option<fn(f64) -> f64> = match name {
        "sin" => Some(f64::sin),
        "cos" => Some(f64::cos),
        "tan" => Some(f64::tan),
        "asin" => Some(f64::asin),
        "acos" => Some(f64::acos),
        "atan" => Some(f64::atan),
        "sqrt" => Some(f64::sqrt),
        "exp" => Some(f64::exp),
        "log" => Some(f64::ln),
        "radians" => Some(f64::to_radians),
        "degrees" => Some(f64::to_degrees),
        "abs" | "fabs" => Some(f64::abs),
        "float" => Some(|x| x),
        _ => None,
    };
    let whole: Option<fn(f64) -> f64> = match name {
        "floor" => Some(f64::floor),
        "ceil" => Some(f64::ceil),
        "int" => Some(f64::trunc),
        "round" => Some(f64::round_ties_even),
        _ => None,
    };
    match (name, reals.as_deref()) {
        (_, Some([x])) if single.is_some() => Ok(single.map_or(Beyond.into(), |f| proper(f(*x), x.is_finite()))),
        (_, Some([x])) if whole.is_some() => Ok(whole.map_or(Beyond.into(), |f| match f(*x) {
            y if y.abs() < 9e15 => Integer(y as i64),
            y => proper(y, true),
        })),
        ("atan2", Some([y, x])) => Ok(Real(y.atan2(*x))),
        ("hypot", Some([x, y])) => Ok(Real(x.hypot(*y))),
        ("pow", Some([_, _])) => Ok(given.into_iter().reduce(|a, b| arithmetic('^', a, b)).unwrap_or(Beyond.into())),
        ("min" | "max", Some([_, ..])) => {
            let sign = if name == "min" { "<" } else { ">" };
            let better = |a: Value, b: Value| if compare(sign, &b, &a) == Truth(true) { b } else { a };
            Ok(given.into_iter().reduce(better).unwrap_or(Beyond.into()))
        }
        ("atan2" | "hypot" | "pow" | "min" | "max", _) => wrong(),
        _ if single.is_some() || whole.is_some() => wrong(),
        _ => Err(Beyond),
    }
}

impl From<Beyond> for Value {
    fn from(_: Beyond) -> Value {
        Bad(format!("this is beyond the arithmetic that is read here; {RUN}"))
    }
}
