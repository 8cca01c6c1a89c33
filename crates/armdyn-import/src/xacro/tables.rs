//! Symbol tables: one for the file, one per macro call, one per namespace.
//!
//! A macro's table is a child of its caller's (dynamic scopes); that of a macro of a namespace is a child of the namespace's,
//! which is a child of the including scope. Macros have separate tables: those of a namespace see only each other.

use super::expression::Value;
use crate::source::Place;
use crate::xml::Element;
use std::collections::HashMap;
use std::rc::Rc;

/// The definition of a name.
#[derive(Clone)]
pub(super) enum Property {
    /// Text, evaluated at its first use.
    Text(Rc<str>, Place),
    Value(Value),
    /// A block: an element (`*name`), or its content (`**name`).
    Block(Rc<Element>),
    Namespace(usize),
}

pub(super) struct Macro {
    pub parameters: Vec<Parameter>,
    pub body: Rc<Element>,
}

pub(super) struct Parameter {
    /// Its name; with the prefix `*` or `**` for a block.
    pub name: String,
    /// `^`: the caller's value, if any.
    pub inherits: bool,
    pub default: Option<String>,
}

/// A scope: its names, and the macros defined in it.
#[derive(Default)]
struct Table {
    parent: Option<usize>,
    namespace: bool,
    names: HashMap<String, Property>,
    macros: HashMap<String, Callable>,
}

enum Callable {
    Macro(Rc<Macro>),
    Namespace,
}

/// All tables; the first is the file's.
pub(super) struct Tables(Vec<Table>);

impl Tables {
    pub fn new() -> Self {
        Tables(vec![Table::default()])
    }

    fn add(&mut self, table: Table) -> usize {
        self.0.push(table);
        self.0.len() - 1
    }

    /// The table of a call of a macro found from `at`.
    pub fn enter(&mut self, at: usize, names: HashMap<String, Property>) -> usize {
        self.add(Table { parent: Some(at), names, ..Table::default() })
    }

    /// The table of a namespace, visible as `name`.
    pub fn open(&mut self, name: &str, here: usize) -> usize {
        let made = self.add(Table { parent: Some(here), namespace: true, ..Table::default() });
        self.0[here].names.insert(name.to_string(), Property::Namespace(made));
        self.0[here].macros.insert(name.to_string(), Callable::Namespace);
        made
    }

    /// The number of tables; [`Tables::leave`] drops those created by a call since.
    pub fn mark(&self) -> usize {
        self.0.len()
    }

    pub fn leave(&mut self, mark: usize) {
        self.0.truncate(mark);
    }

    /// A table and its ancestors.
    fn scopes(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(from), |&k| self.0[k].parent)
    }

    /// The table that defines a name, searched from one.
    pub fn holder(&self, name: &str, from: usize) -> Option<usize> {
        self.scopes(from).find(|&k| self.0[k].names.contains_key(name))
    }

    pub fn get(&self, name: &str, from: usize) -> Option<&Property> {
        self.0[self.holder(name, from)?].names.get(name)
    }

    pub fn set(&mut self, table: usize, name: &str, property: Property) {
        self.0[table].names.insert(name.to_string(), property);
    }

    /// Removes a name, from here to the root.
    pub fn remove(&mut self, name: &str, from: usize) {
        for k in self.scopes(from).collect::<Vec<_>>() {
            self.0[k].names.remove(name);
        }
    }

    /// The parent table: the caller's for a call, skipping namespaces.
    pub fn parent(&self, table: usize) -> Option<usize> {
        let own = self.0[table].namespace;
        self.scopes(table).skip(1).find(|&k| own || !self.0[k].namespace)
    }

    pub fn add_macro(&mut self, table: usize, name: &str, made: Macro) {
        self.0[table].macros.insert(name.to_string(), Callable::Macro(Rc::new(made)));
    }

    /// A macro by `name` or `namespace.name`, and the table from which it was found.
    pub fn find_macro(&self, name: &str, here: usize) -> Option<(usize, Rc<Macro>)> {
        if let Some(Callable::Macro(found)) = self.callable(name, here) {
            return Some((here, found.clone()));
        }
        let (spaces, last) = name.rsplit_once('.')?;
        let mut at = here;
        for space in spaces.split('.') {
            let Some(Callable::Namespace) = self.callable(space, at) else { return None };
            let Some(Property::Namespace(table)) = self.get(space, at) else { return None };
            at = *table;
        }
        match self.callable(last, at)? {
            Callable::Macro(found) => Some((at, found.clone())),
            Callable::Namespace => None,
        }
    }

    /// A macro or namespace; those outside of a namespace are not visible in it.
    fn callable(&self, name: &str, from: usize) -> Option<&Callable> {
        let visible = std::iter::successors(Some(from), |&k| self.0[k].parent.filter(|_| !self.0[k].namespace));
        visible.filter_map(|k| self.0[k].macros.get(name)).next()
    }
}
