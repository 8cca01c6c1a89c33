//! Parses formulas printed by computer algebra into polynomials of the active ring.

use armdyn_core::Real;
use armdyn_symbolic::closed::Poly;

/// Parses `a + b*c**2/2 - (d + e)`; `of` returns the value of a name.
pub fn read(text: &str, of: &dyn Fn(&str) -> Poly) -> Poly {
    let mut reader = Reader { rest: text, of };
    let value = reader.sum();
    assert!(reader.rest.trim().is_empty(), "not read: {}", reader.rest);
    value
}

struct Reader<'a> {
    rest: &'a str,
    of: &'a dyn Fn(&str) -> Poly,
}

impl Reader<'_> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        // `*` is not the beginning of `**`.
        let found = rest.starts_with(token) && !(token == "*" && rest.starts_with("**"));
        self.rest = if found { &rest[token.len()..] } else { rest };
        found
    }

    fn sum(&mut self) -> Poly {
        let mut value = if self.take("-") { -self.product() } else { self.product() };
        loop {
            if self.take("+") {
                value += self.product();
            } else if self.take("-") {
                value -= self.product();
            } else {
                return value;
            }
        }
    }

    fn product(&mut self) -> Poly {
        let mut value = self.power();
        loop {
            if self.take("*") {
                value *= self.power();
            } else if self.take("/") {
                value /= self.power();
            } else {
                return value;
            }
        }
    }

    fn power(&mut self) -> Poly {
        let base = self.one();
        if self.take("**") {
            let power: usize = self.word(|c| c.is_ascii_digit()).parse().unwrap();
            return (1..power).fold(base, |p, _| p * base);
        }
        base
    }

    fn word(&mut self, is: impl Fn(char) -> bool) -> &str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c| !is(c)).unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }

    fn one(&mut self) -> Poly {
        if self.take("(") {
            let value = self.sum();
            assert!(self.take(")"), "unclosed bracket before {}", self.rest);
            return value;
        }
        let of = self.of;
        let word = self.word(|c| c.is_ascii_alphanumeric() || c == '.');
        match word.parse::<f64>() {
            Ok(x) => Poly::lift(x),
            Err(_) => of(word),
        }
    }
}
