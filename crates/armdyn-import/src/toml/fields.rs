//! Typed access to tables and values of a TOML document; reports everything that is invalid.

use crate::findings::{A004, A005, A006, A010, A202, Code, Finding};
use crate::message::{MAX_SUGGESTIONS, nearest, quoted, short, suggestion};
use crate::source::Place;
use crate::units::{Fault, Quantity, parse};
use std::fmt::Display;
use std::ops::Range;
use toml_edit::{ArrayOfTables, Item, Table, TableLike, Value};

/// The value of a key.
#[derive(Clone, Copy)]
pub(super) enum Node<'t> {
    Value(&'t Value),
    Table(&'t Table),
    Tables(&'t ArrayOfTables),
}

impl<'t> Node<'t> {
    fn of(item: &'t Item) -> Option<Self> {
        match item {
            Item::None => None,
            Item::Value(v) => Some(Node::Value(v)),
            Item::Table(t) => Some(Node::Table(t)),
            Item::ArrayOfTables(a) => Some(Node::Tables(a)),
        }
    }

    fn span(self) -> Option<Range<usize>> {
        match self {
            Node::Value(v) => v.span(),
            Node::Table(t) => t.span(),
            Node::Tables(a) => a.span(),
        }
    }

    fn table(self) -> Option<&'t dyn TableLike> {
        match self {
            Node::Value(Value::InlineTable(t)) => Some(t),
            Node::Table(t) => Some(t),
            _ => None,
        }
    }

    /// Its type, for messages.
    fn type_name(self) -> &'static str {
        match self {
            Node::Value(Value::String(_)) => "a string",
            Node::Value(Value::Integer(_) | Value::Float(_)) => "a number",
            Node::Value(Value::Boolean(_)) => "a boolean",
            Node::Value(Value::Datetime(_)) => "a date",
            Node::Value(Value::Array(_)) | Node::Tables(_) => "an array",
            Node::Value(Value::InlineTable(_)) | Node::Table(_) => "a table",
        }
    }
}

/// A node with its location and its label in messages: ``link `upper`: `mass` ``.
#[derive(Clone)]
pub(super) struct Entry<'t> {
    pub node: Node<'t>,
    pub place: Place,
    pub called: String,
}

impl Entry<'_> {
    pub fn is_array(&self) -> bool {
        matches!(self.node, Node::Value(Value::Array(_)) | Node::Tables(_))
    }

    pub fn is_table(&self) -> bool {
        self.node.table().is_some()
    }
}

/// A table with known fields.
#[derive(Clone)]
pub(super) struct Fields<'t> {
    table: &'t dyn TableLike,
    /// Its location.
    pub place: Place,
    /// The owner, for messages: ``link `upper` ``.
    pub subject: String,
}

impl<'t> Fields<'t> {
    pub fn has(&self, key: &str) -> bool {
        self.table.get(self.spelled(key)).is_some_and(|i| !i.is_none())
    }

    /// The spelling of a key in this table: `centre` may be `center`.
    fn spelled<'k>(&self, key: &'k str) -> &'k str {
        match key {
            "centre" if !self.table.contains_key("centre") => "center",
            key => key,
        }
    }

    pub fn get(&self, key: &str) -> Option<Entry<'t>> {
        let key = self.spelled(key);
        let node = Node::of(self.table.get(key)?)?;
        let span = node.span().or_else(|| self.table.key(key).and_then(|k| k.span()));
        let place = Place { file: self.place.file, span: span.unwrap_or_else(|| self.place.span.clone()) };
        Some(Entry { node, place, called: format!("{}: `{key}`", self.subject) })
    }

    /// The location of a field, or of the table.
    pub fn place_of(&self, key: &str) -> Place {
        self.get(key).map_or_else(|| self.place.clone(), |e| e.place)
    }

    pub fn keys(&self) -> Vec<&'t str> {
        self.table.iter().map(|(k, _)| k).collect()
    }

    /// Names the owner in messages, if the name is known.
    pub fn named(self, kind: &str, name: Option<&str>) -> Self {
        match name {
            Some(name) => self.called(format!("{kind} `{name}`")),
            None => self,
        }
    }

    /// Sets the owner in messages.
    pub fn called(mut self, subject: String) -> Self {
        self.subject = subject;
        self
    }
}

/// Limit on the findings of a file.
const MAX_FINDINGS: usize = 10_000;

/// Collects findings.
pub(super) struct Reader<'r> {
    pub findings: &'r mut Vec<Finding>,
    pub file: usize,
}

impl Reader<'_> {
    /// Adds a finding, up to a limit; but always the first error.
    pub fn report(&mut self, code: &'static Code, place: &Place, message: impl Into<String>) {
        self.push(Finding::at(code, place, message));
    }

    fn push(&mut self, finding: Finding) {
        let last = self.findings.last().map(|f| f.code.severity);
        if self.findings.len() < MAX_FINDINGS || last.is_some_and(|last| last < finding.code.severity) {
            self.findings.push(finding);
        }
    }

    /// Reports an invalid entry; `problem` follows its label.
    pub fn invalid<T>(&mut self, entry: &Entry, problem: impl Display) -> Option<T> {
        self.report(A005, &entry.place, format!("{} {problem}", entry.called));
        None
    }

    fn mistyped<T>(&mut self, entry: &Entry, expected: impl Display) -> Option<T> {
        self.invalid(entry, format!("is {}: expected {expected}", entry.node.type_name()))
    }

    /// Reports missing fields of a table.
    pub fn missing<T>(&mut self, fields: &Fields, missing: &str) -> Option<T> {
        self.report(A004, &fields.place, format!("{}: missing {missing}", fields.subject));
        None
    }

    /// Reports two fields of which only one is allowed.
    pub fn either<T>(&mut self, fields: &Fields, first: &str, second: &str) -> Option<T> {
        let message = format!("{}: use either `{first}` or `{second}`", fields.subject);
        self.report(A005, &fields.place_of(second), message);
        None
    }

    /// Whether suggestions are still computed.
    pub fn hints(&self) -> bool {
        self.findings.len() < MAX_SUGGESTIONS
    }

    /// The most similar known word.
    pub fn nearest<'w, S: AsRef<str>>(&self, word: &str, known: &'w [S]) -> Option<&'w str> {
        if self.hints() { nearest(word, known) } else { None }
    }

    /// The root table.
    pub fn root<'t>(&mut self, table: &'t Table, subject: &str, known: &[&str]) -> Fields<'t> {
        let place = Place { file: self.file, span: 0..0 };
        let fields = Fields { table, place, subject: subject.to_string() };
        self.check_known(&fields, known);
        fields
    }

    /// An entry as a table with known fields; any fields if none are listed.
    pub fn fields<'t>(&mut self, entry: &Entry<'t>, subject: String, known: &[&str]) -> Option<Fields<'t>> {
        let Some(table) = entry.node.table() else {
            let expected = if known.is_empty() { String::new() } else { format!(" with {}", quoted(known)) };
            return self.mistyped(entry, format!("a table{expected}"));
        };
        let fields = Fields { table, place: entry.place.clone(), subject };
        if !known.is_empty() {
            self.check_known(&fields, known);
        }
        Some(fields)
    }

    fn check_known(&mut self, fields: &Fields, known: &[&str]) {
        // One of two spellings; both at once are not.
        let respelled = |key: &str| known.contains(&"centre") && fields.spelled("centre") == key;
        for (key, _) in fields.table.iter().filter(|(k, _)| !known.contains(k) && !respelled(k)) {
            let span = fields.table.key(key).and_then(|k| k.span());
            let place = Place { file: self.file, span: span.unwrap_or_else(|| fields.place.span.clone()) };
            // The name of the continuous rating in earlier versions.
            let word = if key == "rated" { "continuous" } else { key };
            let near = self.nearest(word, known);
            let message = format!("{}: unknown field `{key}`; {}", fields.subject, suggestion(near, known));
            let fix = near.map(|near| format!("write `{near}`"));
            self.push(Finding { fix, ..Finding::at(A010, &place, message) });
        }
    }

    /// The members of an array, or the single entry.
    pub fn list<'t>(&mut self, entry: &Entry<'t>) -> Vec<Entry<'t>> {
        let nodes: Vec<Node<'t>> = match entry.node {
            Node::Value(Value::Array(a)) => a.iter().map(Node::Value).collect(),
            Node::Tables(a) => a.iter().map(Node::Table).collect(),
            _ => self.mistyped(entry, "an array").unwrap_or_default(),
        };
        let entries = nodes.into_iter().enumerate().map(|(k, node)| {
            let span = node.span().unwrap_or_else(|| entry.place.span.clone());
            let place = Place { file: self.file, span };
            Entry { node, place, called: format!("{}, entry {}", entry.called, k + 1) }
        });
        entries.collect()
    }

    /// A required field.
    pub fn require<'t>(&mut self, fields: &Fields<'t>, key: &str) -> Option<Entry<'t>> {
        let entry = fields.get(key);
        entry.or_else(|| self.missing(fields, &format!("`{key}`")))
    }

    pub fn text<'t>(&mut self, fields: &Fields<'t>, key: &str) -> Option<&'t str> {
        let entry = fields.get(key)?;
        self.string(&entry)
    }

    /// A required name that is not empty.
    pub fn name<'t>(&mut self, fields: &Fields<'t>, key: &str) -> Option<&'t str> {
        let entry = self.require(fields, key)?;
        let text = self.string(&entry)?;
        if text.is_empty() {
            self.invalid::<()>(&entry, "is empty");
        }
        Some(text)
    }

    fn string<'t>(&mut self, entry: &Entry<'t>) -> Option<&'t str> {
        match entry.node {
            Node::Value(Value::String(s)) => Some(s.value()),
            _ => self.mistyped(entry, "a string"),
        }
    }

    /// The index of a keyword.
    pub fn choice(&mut self, entry: &Entry, words: &[&str], code: &'static Code) -> Option<usize> {
        let text = match self.string(entry)? {
            "center" => "centre",
            text => text,
        };
        let found = words.iter().position(|w| *w == text);
        if found.is_none() {
            let near = self.nearest(text, words);
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let message = format!("{} is `{}`: expected {}{hint}", entry.called, short(text), quoted(words));
            self.report(code, &entry.place, message);
        }
        found
    }

    pub fn number(&mut self, fields: &Fields, key: &str, quantity: Quantity) -> Option<f64> {
        let entry = fields.get(key)?;
        self.value(&entry, quantity)
    }

    pub fn require_number(&mut self, fields: &Fields, key: &str, quantity: Quantity) -> Option<f64> {
        let entry = self.require(fields, key)?;
        self.value(&entry, quantity)
    }

    /// A required positive number.
    pub fn require_positive(&mut self, fields: &Fields, key: &str, quantity: Quantity) -> Option<f64> {
        let entry = self.require(fields, key)?;
        self.above_zero(&entry, quantity)
    }

    /// An optional positive number.
    pub fn size(&mut self, fields: &Fields, key: &str, quantity: Quantity) -> Option<f64> {
        let entry = fields.get(key)?;
        self.above_zero(&entry, quantity)
    }

    fn above_zero(&mut self, entry: &Entry, quantity: Quantity) -> Option<f64> {
        let x = self.value(entry, quantity)?;
        if x > 0.0 { Some(x) } else { self.invalid(entry, format!("is {x}: expected a positive number")) }
    }

    /// A number in SI units.
    pub fn value(&mut self, entry: &Entry, quantity: Quantity) -> Option<f64> {
        let x = match entry.node {
            Node::Value(Value::Integer(i)) => *i.value() as f64,
            Node::Value(Value::Float(f)) => *f.value(),
            Node::Value(Value::String(s)) => {
                let numbers = self.with_unit(entry, s.value(), quantity)?;
                match numbers[..] {
                    [x] => x,
                    _ => return self.invalid(entry, format!("has {} numbers: expected one", numbers.len())),
                }
            }
            _ => {
                let expected = quantity.units().first().map_or("a number".to_string(), |unit| {
                    format!("a number ({}) or a string with a number and a unit", unit.name)
                });
                return self.mistyped(entry, expected);
            }
        };
        if x.is_finite() {
            return Some(x);
        }
        self.report(A202, &entry.place, format!("{} is not finite: {x}", entry.called));
        None
    }

    pub fn vector<const N: usize>(&mut self, fields: &Fields, key: &str, quantity: Quantity) -> Option<[f64; N]> {
        let entry = fields.get(key)?;
        self.numbers(&entry, quantity)
    }

    /// N numbers: an array of values, or a string of numbers with one unit.
    pub fn numbers<const N: usize>(&mut self, entry: &Entry, quantity: Quantity) -> Option<[f64; N]> {
        let found: Vec<f64> = match entry.node {
            Node::Value(Value::Array(a)) => {
                let values: Vec<Option<f64>> =
                    self.list(entry).iter().take(N).map(|e| self.value(e, quantity)).collect();
                if a.len() == N { values.into_iter().collect::<Option<_>>()? } else { vec![0.0; a.len()] }
            }
            Node::Value(Value::String(s)) => self.with_unit(entry, s.value(), quantity)?,
            _ => return self.mistyped(entry, format!("{N} numbers")),
        };
        let count = found.len();
        let array = found.try_into().ok();
        array.or_else(|| self.invalid(entry, format!("has {count} components: expected {N}")))
    }

    fn with_unit(&mut self, entry: &Entry, text: &str, quantity: Quantity) -> Option<Vec<f64>> {
        if quantity == Quantity::Number {
            return self.mistyped(entry, "a plain number");
        }
        let fault = match parse(text, quantity) {
            Ok(numbers) => return Some(numbers),
            Err(fault) => fault,
        };
        let (called, units, text) = (&entry.called, quantity.list(), short(text));
        let (code, message) = match fault {
            Fault::NoNumber => {
                (A005, format!("invalid value `{text}` of {called}: expected a number, a space and a unit ({units})"))
            }
            Fault::NoUnit => {
                (A006, format!("{called} is `{text}` without a unit; units of {} are {units}", quantity.name()))
            }
            Fault::Unit(name, other) => {
                let is = match other {
                    Some(other) => format!("`{name}` is a unit of {}", other.name()),
                    None => format!("unknown unit `{}`", short(&name)),
                };
                (A006, format!("{called}: {is}; units of {} are {units}", quantity.name()))
            }
            Fault::NotFinite => (A202, format!("{called} is `{text}`, which is not finite")),
        };
        self.report(code, &entry.place, message);
        None
    }
}
