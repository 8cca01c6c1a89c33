//! Expressions in `${…}`: Python's arithmetic, comparisons and conditions on numbers and strings.
//!
//! An expression is parsed completely, then evaluated as in Python: branches not taken are not evaluated.

mod evaluate;
mod functions;
mod parse;
mod value;

use super::text::Scope;
use super::{RUN, brief};
pub(super) use functions::is_known;
pub(super) use parse::is_name;
pub(super) use value::Value;

/// Why an expression cannot be evaluated.
enum Fault {
    /// Syntax error or unsupported feature.
    Beyond,
    Bad(String),
}

/// The value of an expression.
pub(super) fn value(text: &str, names: &mut Scope) -> Value {
    if text.len() > super::MAX_LENGTH {
        return Value::Bad(format!("expression longer than {} KiB", super::MAX_LENGTH >> 10));
    }
    match parse::parse(text).and_then(|node| evaluate::evaluate(&node, names)) {
        Ok(value) => value,
        Err(Fault::Bad(message)) => Value::Bad(message),
        Err(Fault::Beyond) => Value::Bad(format!("unsupported expression `${{{}}}`; {RUN}", brief(text.trim()))),
    }
}
