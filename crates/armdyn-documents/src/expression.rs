//! Expressions of the documents' rows: `m5*k522 + m6*(k611*s6^2 + {D55})`.
//!
//! Names are the document's symbols, braces a query to the robot, `p[2]` an element (from 1) or a member of a
//! family of symbols, `[x, y, z]` a vector, `90°` an angle. −x² is −(x²), as in mathematics.

use crate::value::Value;
use armdyn_core::{Real, Vec3, vec3};
use std::iter::Peekable;
use std::str::CharIndices;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Number(f64),
    /// A symbol.
    Name(String),
    /// A query in braces.
    Query(String),
    /// −x.
    Minus(Box<Expression>),
    /// `+ - * / ^`.
    Binary(char, Box<[Expression; 2]>),
    /// A function.
    Call(String, Vec<Expression>),
    /// An element, or a member of a family.
    Index(Box<Expression>, Vec<Expression>),
    /// A vector, or rows of a matrix.
    List(Vec<Expression>),
}

/// The environment of an expression: values of names and queries.
pub trait Environment<S> {
    /// A symbol's value.
    fn symbol(&mut self, name: &str, numbers: &[i64]) -> Result<Value<S>, String>;
    /// Whether there is a family of symbols of that name.
    fn is_family(&self, name: &str) -> bool;
    /// The value of a query.
    fn query(&mut self, query: &str) -> Result<Value<S>, String>;
    /// A function that needs the environment: `max`, `mean`, …
    fn function(&mut self, name: &str, of: &[Expression]) -> Result<Value<S>, String>;
}

/// Summation indices, the innermost last.
type Running = Vec<(String, i64)>;

/// Replaces each `$name` by its number; the longest matching name wins.
pub fn with_numbers(text: &str, running: &[(String, i64)]) -> String {
    let mut pieces = text.split('$');
    let mut out = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let fits = running.iter().filter(|(name, _)| piece.starts_with(name.as_str()));
        // `max_by_key` returns the last of equals: the innermost sum.
        match fits.max_by_key(|(name, _)| name.len()) {
            Some((name, k)) => out += &format!("{k}{}", &piece[name.len()..]),
            None => out += &format!("${piece}"),
        }
    }
    out
}

/// The largest index, power or summation index.
const MAX_INTEGER: f64 = 1e6;

/// The largest nesting depth.
const MAX_DEPTH: usize = 100;

impl Expression {
    /// Parses an expression.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, letters: text.char_indices().peekable(), depth: 0 };
        let whole = reader.sum()?;
        match reader.next() {
            None => Ok(whole),
            Some((at, c)) => Err(format!("`{c}` at {at} of `{text}` is unexpected")),
        }
    }

    /// Its value.
    pub fn evaluate<S: Real>(&self, environment: &mut impl Environment<S>) -> Result<Value<S>, String> {
        self.value(environment, &mut vec![])
    }

    fn value<S: Real>(&self, m: &mut impl Environment<S>, running: &mut Running) -> Result<Value<S>, String> {
        match self {
            Expression::Number(x) => Ok(S::lift(*x).into()),
            Expression::Name(name) => match running.iter().rev().find(|(own, _)| own == name) {
                Some((_, k)) => Ok(S::lift(*k as f64).into()),
                None => m.symbol(name, &[]),
            },
            Expression::Query(query) => m.query(&with_numbers(query, running)),
            Expression::Minus(x) => Ok(-x.value(m, running)?),
            Expression::Binary('^', of) => {
                let power = of[1].whole(running)?;
                let x = of[0].value(m, running)?;
                let product = |n: i64| (1..n).try_fold(x.clone(), |product, _| product.times(&x));
                match power {
                    0 => Ok(S::one().into()),
                    n if n > 0 => product(n),
                    n => Ok((S::one() / product(-n)?.number()?).into()),
                }
            }
            Expression::Binary(operator, of) => {
                let (a, b) = (of[0].value(m, running)?, of[1].value(m, running)?);
                match operator {
                    '+' => a.plus(&b),
                    '-' => a.minus(&b),
                    '*' => a.times(&b),
                    _ => {
                        let by = b.number()?;
                        Ok(a.map(|x| *x / by))
                    }
                }
            }
            Expression::Index(of, at) => {
                let at: Vec<i64> = at.iter().map(|k| k.whole(running)).collect::<Result<_, _>>()?;
                match &**of {
                    Expression::Name(name) if m.is_family(name) => m.symbol(name, &at),
                    of => {
                        let at: Vec<usize> = at.iter().map(|k| usize::try_from(*k).unwrap_or(0)).collect();
                        let (row, column) = (at.first().copied().unwrap_or(0), at.get(1).copied().unwrap_or(1));
                        Ok(of.value(m, running)?.element(row, column)?.into())
                    }
                }
            }
            Expression::List(items) => {
                let rows: Vec<Value<S>> = items.iter().map(|x| x.value(m, running)).collect::<Result<_, _>>()?;
                let columns = rows.first().map_or(1, |r| r.cells().len());
                if rows.iter().any(|r| r.cells().len() != columns) {
                    return Err("the rows of a matrix need equal lengths".to_string());
                }
                Ok(Value::matrix(columns, rows.iter().flat_map(|r| r.cells().to_vec()).collect()))
            }
            Expression::Call(name, of) => call(name, of, m, running),
        }
    }

    /// An integer: an index or a power.
    fn whole(&self, running: &Running) -> Result<i64, String> {
        match self {
            Expression::Number(x) if x.fract() == 0.0 && x.abs() <= MAX_INTEGER => Ok(*x as i64),
            Expression::Minus(x) => Ok(-x.whole(running)?),
            Expression::Name(name) => {
                let own = running.iter().rev().find(|(own, _)| own == name);
                own.map(|(_, k)| *k).ok_or_else(|| format!("`{name}` is not an integer"))
            }
            Expression::Binary(operator @ ('+' | '-'), of) => {
                let (a, b) = (of[0].whole(running)?, of[1].whole(running)?);
                Ok(if *operator == '+' { a + b } else { a - b })
            }
            other => Err(format!("{other:?} is not an integer")),
        }
    }
}

fn call<S: Real>(
    name: &str,
    of: &[Expression],
    m: &mut impl Environment<S>,
    running: &mut Running,
) -> Result<Value<S>, String> {
    if let ("sum", [Expression::Name(k), from, to, each]) = (name, of) {
        let (from, to) = (from.whole(running)?, to.whole(running)?);
        let mut sum: Option<Value<S>> = None;
        for n in from..=to {
            running.push((k.clone(), n));
            let term = each.value(m, running);
            running.pop();
            let term = term?;
            sum = Some(match sum {
                None => term,
                Some(sum) => sum.plus(&term)?,
            });
        }
        return sum.ok_or_else(|| format!("a sum from {from} to {to} has no terms"));
    }
    if !FUNCTIONS.split(' ').any(|f| f == name) {
        return m.function(name, of);
    }
    let values: Vec<Value<S>> = of.iter().map(|x| x.value(m, running)).collect::<Result<_, _>>()?;
    let skew = |v: Vec3<S>| {
        let zero = S::zero();
        Value::matrix(3, vec![zero, -v.z, v.y, v.z, zero, -v.x, -v.y, v.x, zero])
    };
    Ok(match (name, &values[..]) {
        ("sin", [x]) => x.number()?.sin_cos().0.into(),
        ("cos", [x]) => x.number()?.sin_cos().1.into(),
        ("sqrt", [x]) => x.number()?.sqrt().into(),
        ("abs", [x]) => x.number()?.sqr().sqrt().into(),
        ("sign", [x]) => x.number()?.sign().into(),
        ("transpose", [x]) => x.transposed(),
        ("tr", [x]) => x.trace().into(),
        ("norm", [x]) => x.norm().into(),
        ("skew", [x]) => skew(x.vector()?),
        ("cross", [a, b]) => a.vector()?.cross(b.vector()?).into(),
        ("dot", [a, b]) => a.vector()?.dot(b.vector()?).into(),
        ("outer", [a, b]) => a.times(&b.transposed())?,
        ("diagonal", [x]) => {
            let n = x.cells().len();
            Value::matrix(n, (0..n * n).map(|k| if k % n == k / n { x.cells()[k % n] } else { S::zero() }).collect())
        }
        ("unit", [_]) => {
            let k = of[0].whole(running)?;
            let at = |n: i64| if n == k { S::one() } else { S::zero() };
            vec3(at(1), at(2), at(3)).into()
        }
        _ => return Err(format!("{name} is not a function of {}", values.len())),
    })
}

/// The functions that need no robot.
const FUNCTIONS: &str = "sin cos sqrt abs sign transpose tr norm skew cross dot outer diagonal unit";

struct Reader<'a> {
    text: &'a str,
    letters: Peekable<CharIndices<'a>>,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        while self.letters.next_if(|(_, c)| c.is_whitespace()).is_some() {}
        self.letters.peek().map(|(_, c)| *c)
    }

    fn next(&mut self) -> Option<(usize, char)> {
        self.peek();
        self.letters.next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.letters.next();
        }
        there
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.take(wanted) { Ok(()) } else { Err(format!("`{wanted}` is missing in `{}`", self.text)) }
    }

    fn sum(&mut self) -> Result<Expression, String> {
        let mut left = self.product()?;
        while let Some(operator @ ('+' | '-')) = self.peek() {
            self.letters.next();
            left = Expression::Binary(operator, Box::new([left, self.product()?]));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expression, String> {
        let mut left = self.signed()?;
        while let Some(operator @ ('*' | '/')) = self.peek() {
            self.letters.next();
            left = Expression::Binary(operator, Box::new([left, self.signed()?]));
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("`{}` is nested too deep", self.text));
        }
        let found = self.power();
        self.depth -= 1;
        found
    }

    fn power(&mut self) -> Result<Expression, String> {
        if self.take('-') {
            return Ok(Expression::Minus(Box::new(self.signed()?)));
        }
        let base = self.indexed()?;
        if self.take('^') {
            return Ok(Expression::Binary('^', Box::new([base, self.signed()?])));
        }
        Ok(base)
    }

    fn indexed(&mut self) -> Result<Expression, String> {
        let mut of = self.first()?;
        loop {
            of = if self.take('[') {
                Expression::Index(Box::new(of), self.list(']')?)
            } else if self.take('°') {
                let degree = Expression::Number(std::f64::consts::PI / 180.0);
                Expression::Binary('*', Box::new([of, degree]))
            } else {
                return Ok(of);
            };
        }
    }

    fn list(&mut self, end: char) -> Result<Vec<Expression>, String> {
        let mut all = vec![];
        while !self.take(end) {
            if !all.is_empty() {
                self.expect(',')?;
            }
            all.push(self.sum()?);
        }
        Ok(all)
    }

    fn first(&mut self) -> Result<Expression, String> {
        let Some((start, c)) = self.next() else { return Err(format!("`{}` ends too early", self.text)) };
        match c {
            '(' => {
                let inner = self.sum()?;
                self.expect(')')?;
                Ok(inner)
            }
            '[' => Ok(Expression::List(self.list(']')?)),
            '{' => {
                let end = self.text[start..].find('}').ok_or_else(|| format!("`}}` is missing in `{}`", self.text))?;
                while self.letters.next_if(|(at, _)| *at <= start + end).is_some() {}
                Ok(Expression::Query(self.text[start + 1..start + end].trim().to_string()))
            }
            c if c.is_ascii_digit() || c == '.' => {
                let mut before = c;
                let mut end = start + 1;
                while let Some((at, c)) = self.letters.next_if(|(_, c)| {
                    c.is_ascii_digit() || *c == '.' || *c == 'e' || (matches!(c, '-' | '+') && before == 'e')
                }) {
                    (before, end) = (c, at + 1);
                }
                let number = &self.text[start..end];
                number.parse().map(Expression::Number).map_err(|_| format!("`{number}` is not a number"))
            }
            c if c.is_alphabetic() || c == '_' => {
                let mut name = c.to_string();
                while let Some((_, c)) = self.letters.next_if(|(_, c)| c.is_alphanumeric() || *c == '_' || *c == '\'') {
                    name.push(c);
                }
                Ok(if self.take('(') { Expression::Call(name, self.list(')')?) } else { Expression::Name(name) })
            }
            c => Err(format!("`{c}` at {start} of `{}` begins nothing", self.text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bare;

    impl Environment<f64> for Bare {
        fn symbol(&mut self, name: &str, numbers: &[i64]) -> Result<Value<f64>, String> {
            match (name, numbers) {
                ("x", []) => Ok(3.0.into()),
                ("v", []) => Ok(Value::column(vec![1.0, 2.0, 4.0])),
                ("m", [k]) => Ok((10.0 * *k as f64).into()),
                _ => Err(name.to_string()),
            }
        }
        fn is_family(&self, name: &str) -> bool {
            name == "m"
        }
        fn query(&mut self, query: &str) -> Result<Value<f64>, String> {
            query.split(' ').next_back().and_then(|w| w.parse::<f64>().ok()).map(Into::into).ok_or("?".to_string())
        }
        fn function(&mut self, name: &str, _: &[Expression]) -> Result<Value<f64>, String> {
            Err(name.to_string())
        }
    }

    #[test]
    fn they_mean_what_is_written() {
        for (text, expected) in [
            ("-x^2", -9.0),
            ("2*x^2*x", 54.0),
            ("x^-2*9", 1.0),
            ("7-2-1", 4.0),
            ("12/3/2", 2.0),
            ("v[3]/v[2]", 2.0),
            ("sum(j, 1, 3, m[j])", 60.0),
            ("sum(j, 1, 2, sum(k, j, 2, m[j+k-1]))", 60.0),
            ("sum(j, 1, 2, {mass of $j})", 3.0),
            ("cos(180°)", -1.0),
            ("dot(v, [1, 0, 1])", 5.0),
            ("tr(outer(v, v))", 21.0),
            ("norm(cross(v, v))", 0.0),
            ("([[1, 2], [3, 4]]*[1, 1])[2]", 7.0),
            ("{mass link2 | theta=2, r = 4}+1e-1", 4.1),
            ("sum(j, 1, 2, sum(jk, 5, 5, {of $j $jk}))", 10.0),
            ("sum(jk, 5, 5, sum(j, 1, 2, {of $j $jk}))", 10.0),
            ("sum(j, 1, 1, sum(j, 2, 2, {$j}))", 2.0),
            ("sum(j, 1, 2, {$j1})", 32.0),
        ] {
            let found = Expression::parse(text).unwrap().evaluate(&mut Bare).unwrap().number().unwrap();
            assert!((found - expected).abs() < 1e-15, "{text}: {found}");
        }
    }

    #[test]
    fn invalid_expressions_are_errors() {
        for (text, expected_text) in [
            ("x +", "ends too early"),
            ("(x", "`)` is missing"),
            ("x x", "is unexpected"),
            ("{x", "`}` is missing"),
            ("y", "y"),
            ("v + x", "differ"),
            ("v[4]", "no element 4"),
            ("[1, v]", "equal lengths"),
            ("cross(v, x)", "vector of three"),
            ("1.2.3", "not a number"),
            ("sum(k, 2, 1, x)", "no terms"),
            ("{of $j}", "?"),
            ("m[9e18 + 9e18]", "not an integer"),
            ("x^0.5", "not an integer"),
            ("[]", "expected a number"),
            ("[[]]", "expected a number"),
            ("diagonal([])", "expected a number"),
            ("transpose([[], []])*[[], []]", "expected a number"),
            ("ε", "ε"),
            (&"(".repeat(10_000), "nested too deep"),
            (&"-".repeat(10_000), "nested too deep"),
        ] {
            let found = Expression::parse(text).and_then(|e| e.evaluate(&mut Bare)?.number()).unwrap_err();
            assert!(found.contains(expected_text), "{text}: {found}");
        }
    }
}
