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

/// The visible tables.
#[derive(Clone, Copy)]
pub(super) struct Here {
    pub symbols: usize,
    pub macros: usize,
}

impl Here {
    /// The file's tables.
    pub const TOP: Here = Here { symbols: 0, macros: 0 };
}

struct Table<T> {
    parent: Option<usize>,
    namespace: bool,
    names: HashMap<String, T>,
}

enum Callable {
    Macro(Rc<Macro>),
    Namespace(usize),
}

pub(super) struct Tables {
    symbols: Vec<Table<Property>>,
    macros: Vec<Table<Callable>>,
}

impl Tables {
    pub fn new() -> Self {
        Tables {
            symbols: vec![Table { parent: None, namespace: false, names: HashMap::new() }],
            macros: vec![Table { parent: None, namespace: false, names: HashMap::new() }],
        }
    }

    /// Tables for a call of a macro found at `at`.
    pub fn enter(&mut self, at: Here, names: HashMap<String, Property>) -> Here {
        self.symbols.push(Table { parent: Some(at.symbols), namespace: false, names });
        self.macros.push(Table { parent: Some(at.macros), namespace: false, names: HashMap::new() });
        self.last()
    }

    /// Tables for a namespace, visible as `name`.
    pub fn open(&mut self, name: &str, here: Here) -> Here {
        self.symbols.push(Table { parent: Some(here.symbols), namespace: true, names: HashMap::new() });
        self.macros.push(Table { parent: None, namespace: true, names: HashMap::new() });
        let made = self.last();
        self.symbols[here.symbols].names.insert(name.to_string(), Property::Namespace(made.symbols));
        self.macros[here.macros].names.insert(name.to_string(), Callable::Namespace(made.macros));
        made
    }

    fn last(&self) -> Here {
        Here { symbols: self.symbols.len() - 1, macros: self.macros.len() - 1 }
    }

    /// The number of tables; [`Tables::leave`] drops those created by a call since.
    pub fn mark(&self) -> (usize, usize) {
        (self.symbols.len(), self.macros.len())
    }

    pub fn leave(&mut self, (symbols, macros): (usize, usize)) {
        self.symbols.truncate(symbols);
        self.macros.truncate(macros);
    }

    /// The table that defines a name, searched from one.
    pub fn holder(&self, name: &str, from: usize) -> Option<usize> {
        let mut at = Some(from);
        while let Some(k) = at {
            if self.symbols[k].names.contains_key(name) {
                return Some(k);
            }
            at = self.symbols[k].parent;
        }
        None
    }

    pub fn get(&self, name: &str, from: usize) -> Option<&Property> {
        self.symbols[self.holder(name, from)?].names.get(name)
    }

    pub fn set(&mut self, table: usize, name: &str, property: Property) {
        self.symbols[table].names.insert(name.to_string(), property);
    }

    /// Removes a name, from here to the root.
    pub fn remove(&mut self, name: &str, from: usize) {
        let mut at = Some(from);
        while let Some(k) = at {
            self.symbols[k].names.remove(name);
            at = self.symbols[k].parent;
        }
    }

    /// The parent table: the caller's for a call, skipping namespaces.
    pub fn parent(&self, table: usize) -> Option<usize> {
        let mut parent = self.symbols[table].parent?;
        while !self.symbols[table].namespace && self.symbols[parent].namespace {
            parent = self.symbols[parent].parent?;
        }
        Some(parent)
    }

    pub fn add_macro(&mut self, table: usize, name: &str, made: Macro) {
        self.macros[table].names.insert(name.to_string(), Callable::Macro(Rc::new(made)));
    }

    /// A macro by `name` or `namespace.name`, and its visible tables.
    pub fn find_macro(&self, name: &str, here: Here) -> Option<(Here, Rc<Macro>)> {
        if let Some(Callable::Macro(found)) = self.callable(name, here.macros) {
            return Some((here, found.clone()));
        }
        let (spaces, last) = name.rsplit_once('.')?;
        let mut at = here;
        for space in spaces.split('.') {
            let Some(Callable::Namespace(macros)) = self.callable(space, at.macros) else { return None };
            let Some(Property::Namespace(symbols)) = self.get(space, at.symbols) else { return None };
            at = Here { symbols: *symbols, macros: *macros };
        }
        match self.callable(last, at.macros)? {
            Callable::Macro(found) => Some((at, found.clone())),
            Callable::Namespace(_) => None,
        }
    }

    fn callable(&self, name: &str, from: usize) -> Option<&Callable> {
        let mut at = Some(from);
        while let Some(k) = at {
            if let Some(found) = self.macros[k].names.get(name) {
                return Some(found);
            }
            at = self.macros[k].parent;
        }
        None
    }
}
