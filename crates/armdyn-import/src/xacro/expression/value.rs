//! Values, with Python's parsing and formatting.

use super::super::{RUN, brief};
use std::fmt;
use std::rc::Rc;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Integer(i64),
    Real(f64),
    Truth(bool),
    Text(Rc<str>),
    /// The names of an include with a namespace.
    Namespace(usize),
    /// An error message.
    Bad(String),
}

use Value::{Bad, Integer, Namespace, Real, Text, Truth};

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Integer(x) => write!(f, "{x}"),
            Real(x) => f.write_str(&printed(*x)),
            Truth(true) => f.write_str("True"),
            Truth(false) => f.write_str("False"),
            Text(text) => f.write_str(text),
            Namespace(_) => f.write_str("a namespace"),
            Bad(text) => f.write_str(text),
        }
    }
}

/// Formats a number as Python does: shortest representation, with an exponent below 1e-4 and from 1e16.
fn printed(x: f64) -> String {
    let exponential = format!("{x:e}");
    let Some((digits, exponent)) = exponential.split_once('e') else {
        return format!("{x}").to_lowercase();
    };
    match exponent.parse::<i32>() {
        Ok(e) if !(-4..16).contains(&e) => {
            format!("{digits}e{}{:02}", if e < 0 { '-' } else { '+' }, e.abs())
        }
        _ => {
            let plain = format!("{x}");
            if plain.contains('.') { plain } else { plain + ".0" }
        }
    }
}

impl Value {
    pub fn text(text: &str) -> Value {
        Text(text.into())
    }

    /// The value of a property's or parameter's text: a quoted string, a number, a boolean, or the text itself.
    pub fn literal(text: &str) -> Value {
        if text.len() > 1 && text.starts_with('\'') && text.ends_with('\'') {
            return Value::text(&text[1..text.len() - 1]);
        }
        if text.contains('_') {
            return Value::text(text);
        }
        match text {
            "true" | "True" => Truth(true),
            "false" | "False" => Truth(false),
            _ => Value::integer_text(text)
                .or_else(|| text.trim().parse().ok().map(Real))
                .unwrap_or_else(|| Value::text(text)),
        }
    }

    /// The same for a value: only strings are converted.
    pub fn retyped(self) -> Value {
        match self {
            Text(text) => Value::literal(&text),
            other => other,
        }
    }

    /// The value of an argument in `$(eval …)`.
    pub fn argument(text: &str) -> Value {
        let number = if text.contains('.') { text.trim().parse().ok().map(Real) } else { Value::integer_text(text) };
        match (number, text.to_lowercase().as_str()) {
            (Some(number), _) => number,
            (None, "true") => Truth(true),
            (None, "false") => Truth(false),
            (None, _) if text.contains('_') && Value::literal(&text.replace('_', "")).real().is_some() => {
                Bad(format!("numbers with underscores such as `{}` are not supported; {RUN}", brief(text)))
            }
            (None, _) => Value::text(text),
        }
    }

    /// An integer; more than 64 bits are an error.
    pub fn integer_text(text: &str) -> Option<Value> {
        let bare = text.trim();
        let digits = bare.strip_prefix(['+', '-']).unwrap_or(bare);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        Some(bare.parse().map_or_else(|_| Value::too_large(), Integer))
    }

    /// The error for integers of more than 64 bits.
    pub fn too_large() -> Value {
        Bad(format!("integers of more than 64 bits are not supported; {RUN}"))
    }

    /// The truth value in a condition.
    pub fn condition(&self) -> Result<bool, String> {
        match self {
            Bad(why) => Err(why.clone()),
            Text(text) => match &**text {
                "true" | "True" => Ok(true),
                "false" | "False" => Ok(false),
                text => match Value::integer_text(text) {
                    Some(Integer(x)) => Ok(x != 0),
                    _ => Err(format!("`{}` is neither true nor false", brief(text))),
                },
            },
            Namespace(_) => Err("a namespace is neither true nor false".to_string()),
            other => Ok(other.truth()),
        }
    }

    /// Python's truth value.
    pub fn truth(&self) -> bool {
        match self {
            Integer(x) => *x != 0,
            Real(x) => *x != 0.0,
            Truth(x) => *x,
            Text(text) => !text.is_empty(),
            Namespace(_) | Bad(_) => false,
        }
    }

    pub fn real(&self) -> Option<f64> {
        match self {
            Real(x) => Some(*x),
            other => other.integer().map(|x| x as f64),
        }
    }

    pub fn integer(&self) -> Option<i64> {
        match self {
            Integer(x) => Some(*x),
            Truth(x) => Some(i64::from(*x)),
            _ => None,
        }
    }
}
