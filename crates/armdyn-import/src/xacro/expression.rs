//! What stands in `${…}`: Python's arithmetic, comparisons and conditions, on numbers and texts.
//!
//! An expression is parsed whole, then evaluated as Python does: a branch that is not taken is not looked at.

mod evaluate;
mod functions;
mod parse;
mod value;

use super::{RUN, brief};
pub(super) use functions::is_known;
pub(super) use parse::is_name;
pub(super) use value::Value;

/// What names stand for.
pub(super) trait Names {
    /// A name's value.
    fn value(&mut self, name: &str) -> Option<Value>;
    /// That of a name in a namespace.
    fn member(&mut self, space: usize, name: &str) -> Option<Value>;
    /// Counts text that is handled; whether there may be more.
    fn spend(&mut self, bytes: usize) -> bool;
}

/// Why an expression has no value.
enum Fault {
    /// It is not of this grammar, or uses something that is not read here.
    Beyond,
    Bad(String),
}

/// The value of an expression.
pub(super) fn value(text: &str, names: &mut dyn Names) -> Value {
    if text.len() > super::MAX_LENGTH {
        return Value::Bad(format!("an expression is longer than {} KiB", super::MAX_LENGTH >> 10));
    }
    match parse::parse(text).and_then(|node| evaluate::evaluate(&node, names)) {
        Ok(value) => value,
        Err(Fault::Bad(what)) => Value::Bad(what),
        Err(Fault::Beyond) => {
            Value::Bad(format!("`${{{}}}` is beyond the arithmetic that is read here; {RUN}", brief(text.trim())))
        }
    }
}
