//! Text with `${…}` and `$(…)`.
//!
//! A `${` ends at the next `}`, a `$(` at the next `)`; the content is expanded as text first. `$${` is `${`.

use super::expression::{self, Value};
use super::tables::Property;
use super::{Expander, MAX_LENGTH, MAX_NESTING, MAX_TEXT, RUN, brief};
use crate::packages;
use crate::source::Place;
use std::path::PathBuf;

impl Expander<'_> {
    /// Expands a text; reports errors.
    pub(super) fn text(&mut self, text: &str, place: &Place) -> String {
        match self.evaluate(text, place, self.here) {
            Value::Bad(message) => {
                self.problem(place, message);
                String::new()
            }
            value => value.to_string(),
        }
    }

    /// The value of a property's text: numbers and booleans are converted.
    pub(super) fn typed(&mut self, text: &str, place: &Place) -> Value {
        self.evaluate(text, place, self.here).retyped()
    }

    /// The value of a text: typed if it is a single `${…}`, otherwise a string.
    pub(super) fn evaluate(&mut self, text: &str, place: &Place, table: usize) -> Value {
        if !self.spend(text.len(), place) {
            return Value::Bad("the expanded text is too long".to_string());
        }
        let mut made = String::new();
        let mut rest = text;
        while let Some(k) = rest.find('$') {
            made.push_str(&rest[..k]);
            rest = &rest[k..];
            let dollars = rest.len() - rest.trim_start_matches('$').len();
            let open = rest.as_bytes().get(dollars).copied().filter(|b| matches!(b, b'{' | b'('));
            if dollars > 1 && open.is_some() {
                made.push_str(&rest[1..=dollars]);
                rest = &rest[dollars + 1..];
                continue;
            }
            let Some(open) = open else {
                if dollars > 1 {
                    return Value::Bad(format!("invalid expression `{}`", brief(rest)));
                }
                made.push('$');
                rest = &rest[1..];
                continue;
            };
            let Some(end) = rest.find(if open == b'{' { '}' } else { ')' }) else {
                return Value::Bad(format!("unclosed `{}`", brief(rest)));
            };
            let value = self.inside(&rest[2..end], open == b'{', place, table);
            if matches!(value, Value::Bad(_)) {
                return value;
            }
            if made.is_empty() && rest.len() == text.len() && end + 1 == rest.len() {
                return value;
            }
            let value = value.to_string();
            made.push_str(&value);
            rest = &rest[end + 1..];
            if made.len() > MAX_LENGTH || !self.spend(value.len(), place) {
                return Value::Bad("the expanded text is too long".to_string());
            }
        }
        made.push_str(rest);
        Value::text(&made)
    }

    /// Counts text; false above the limit.
    fn spend(&mut self, bytes: usize, place: &Place) -> bool {
        self.written += bytes;
        if self.written > MAX_TEXT && !self.stopped {
            self.stop(place, format!("the expansion has more than {} MiB of text", MAX_TEXT >> 20));
        }
        self.written <= MAX_TEXT
    }

    fn inside(&mut self, inside: &str, expression: bool, place: &Place, table: usize) -> Value {
        if self.depth >= MAX_NESTING {
            return Value::Bad(format!("the expansion is nested more than {MAX_NESTING} deep; {RUN}"));
        }
        self.depth += 1;
        let found = match self.evaluate(inside, place, table) {
            Value::Bad(message) => Value::Bad(message),
            inside if expression => {
                expression::value(&inside.to_string(), &mut Scope { expander: self, place, table: Some(table) })
            }
            inside => self.substitution(&inside.to_string(), place),
        };
        self.depth -= 1;
        match found {
            Value::Namespace(_) => Value::Bad("a namespace is not a value".to_string()),
            found => found,
        }
    }

    /// `$(arg x)`, `$(find package)`, `$(env X)`, `$(optenv X default)`, `$(dirname)`, `$(eval …)`.
    fn substitution(&mut self, inside: &str, place: &Place) -> Value {
        if let Some(expression) = inside.strip_prefix("eval ") {
            let value = expression::value(expression, &mut Scope { expander: self, place, table: None });
            return if matches!(value, Value::Bad(_)) { value } else { Value::text(&value.to_string()) };
        }
        let words: Vec<&str> = inside.split(' ').filter(|w| !w.is_empty()).collect();
        match words[..] {
            ["arg", name] => match self.arguments.get(name) {
                Some(value) => Value::text(value),
                None => Value::Bad(format!("undefined argument `{}`", brief(name))),
            },
            ["find", name] => match packages::folder(name, self.options, self.path(place)) {
                Some(folder) => Value::text(&folder.display().to_string()),
                None => Value::Bad(format!(
                    "package `{name}` not found: set ROS_PACKAGE_PATH, or pass --package {name}=DIR"
                )),
            },
            ["env", name] => match std::env::var(name) {
                Ok(value) => Value::text(&value),
                Err(_) => Value::Bad(format!("undefined environment variable `{}`", brief(name))),
            },
            ["optenv", name, ref default @ ..] => {
                Value::text(&std::env::var(name).unwrap_or_else(|_| default.join(" ")))
            }
            ["dirname"] => {
                let folder = self.files.last().and_then(|f| f.parent()).map(PathBuf::from).unwrap_or_default();
                Value::text(&folder.display().to_string())
            }
            _ => Value::Bad(format!("unsupported substitution `$({})`; {RUN}", brief(inside))),
        }
    }

    fn path(&self, place: &Place) -> &std::path::Path {
        &self.diagnostics.sources.files[place.file].path
    }

    /// The value of a name, looked up from a table.
    pub(super) fn lookup(&mut self, name: &str, from: usize) -> Option<Value> {
        let table = self.tables.holder(name, from)?;
        let (text, place) = match self.tables.get(name, table)? {
            Property::Value(value) => return Some(value.clone()),
            Property::Namespace(table) => return Some(Value::Namespace(*table)),
            Property::Block(_) => return Some(Value::Bad(format!("`{name}` is a block, not a value"))),
            Property::Text(text, place) => (text.clone(), place.clone()),
        };
        if self.depth >= MAX_NESTING {
            let message = format!("property `{name}` is recursive, or nested more than {MAX_NESTING} deep; {RUN}");
            return Some(Value::Bad(message));
        }
        // A recursive property finds this placeholder.
        let itself = Value::Bad(format!("property `{name}` is recursive"));
        self.tables.set(table, name, Property::Value(itself));
        self.depth += 4;
        let value = self.evaluate(&text, &place, table).retyped();
        self.depth -= 4;
        // Errors are cached too: evaluating again at each use could take very long.
        self.tables.set(table, name, Property::Value(value.clone()));
        Some(value)
    }
}

/// The names that an expression may use.
pub(super) struct Scope<'a, 'b> {
    expander: &'a mut Expander<'b>,
    place: &'a Place,
    /// The table of properties; none for `$(eval …)`, which uses arguments: integers, floats, booleans, strings.
    table: Option<usize>,
}

impl Scope<'_, '_> {
    /// The value of a name.
    pub fn value(&mut self, name: &str) -> Option<Value> {
        match (self.table, name) {
            (Some(table), _) => self.expander.lookup(name, table),
            (None, "true" | "false") => Some(Value::Truth(name == "true")),
            (None, _) if expression::is_known(name) => None,
            (None, _) => Some(Value::argument(self.expander.arguments.get(name)?)),
        }
    }

    /// The value of a name in a namespace.
    pub fn member(&mut self, space: usize, name: &str) -> Option<Value> {
        self.table.and_then(|_| self.expander.lookup(name, space))
    }

    /// Counts processed text; false above the limit.
    pub fn spend(&mut self, bytes: usize) -> bool {
        self.expander.spend(bytes, self.place)
    }
}
