//! Expansion of conditions, blocks, macro calls, includes, and elements and attributes by name.

use super::expression::Value;
use super::tables::Property;
use super::{Content, Expander, MAX_DEPTH, MAX_TEXT, RUN, brief};
use crate::source::Place;
use crate::xml::{self, Attribute, Element};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

impl Expander<'_> {
    pub(super) fn condition(&mut self, e: &Element, wanted: bool, into: &mut Content) {
        let Some(a) = self.required(e, "value") else { return };
        match self.evaluate(&a.value, &a.place, self.here).condition() {
            Ok(truth) if truth == wanted => self.children(e, into),
            Ok(_) => {}
            Err(message) => self.problem(&a.place, message),
        }
    }

    /// Inserts a block; it is evaluated here, block arguments of a macro for the second time.
    pub(super) fn insert(&mut self, e: &Element, into: &mut Content) {
        let Some(name) = self.required(e, "name") else { return };
        let found = |stars: &str| match self.tables.get(&format!("{stars}{}", name.value), self.here) {
            Some(Property::Block(element)) => Some(element.clone()),
            _ => None,
        };
        match (found("**"), found("*")) {
            (Some(content), _) => self.children(&content, into),
            (None, Some(whole)) => self.element(&whole, into),
            _ => self.problem(&e.place, format!("unknown block `{}`", brief(&name.value))),
        }
    }

    pub(super) fn named_element(&mut self, e: &Rc<Element>, into: &mut Content) {
        let Some(name) = self.required(e, "xacro:name") else { return };
        let name = self.text(&name.value, &name.place);
        if name.is_empty() || name.starts_with("xacro:") {
            return self.problem(&e.place, format!("invalid element name `{}`; {RUN}", brief(&name)));
        }
        self.ordinary(e, &name, into);
    }

    pub(super) fn named_attribute(&mut self, e: &Element, into: &mut Content) {
        let (Some(name), Some(value)) = (self.required(e, "name"), self.required(e, "value")) else { return };
        let [name, value] = [name, value].map(|a| self.text(&a.value, &a.place));
        if name.is_empty() {
            return self.problem(&e.place, "attribute without a name");
        }
        into.attributes.retain(|a| a.name != name);
        into.attributes.push(Attribute { name, value, place: e.place.clone() });
    }

    pub(super) fn call_by_name(&mut self, e: &Element, into: &mut Content) {
        let Some(name) = self.required(e, "macro") else { return };
        let name = self.text(&name.value, &name.place);
        let attributes = e.attributes.iter().filter(|a| a.name != "macro").cloned().collect();
        self.call(&Element { attributes, ..e.clone() }, &name, into);
    }

    pub(super) fn call(&mut self, e: &Element, name: &str, into: &mut Content) {
        let Some((at, called)) = self.tables.find_macro(name, self.here) else {
            return self.problem(&e.place, format!("unknown macro `{}`", brief(name)));
        };
        if self.calls >= MAX_DEPTH {
            return self.too_deep(&e.place, &format!("macro `{}`", brief(name)));
        }
        let before = self.problems;
        let mut names = HashMap::new();
        for a in &e.attributes {
            if !called.parameters.iter().any(|p| p.name == a.name) {
                self.problem(&a.place, format!("macro `{name}`: unknown parameter `{}`", a.name));
                continue;
            }
            let value = self.typed(&a.value, &a.place);
            self.give(&mut names, &a.name, value, &a.place);
        }
        let mut given = Content::default();
        self.children(&Element { attributes: vec![], text: String::new(), ..e.clone() }, &mut given);
        let mut blocks = given.children.into_iter();
        for p in called.parameters.iter().filter(|p| p.name.starts_with('*')) {
            match blocks.next() {
                Some(element) => {
                    names.insert(p.name.clone(), Property::Block(element));
                }
                None => {
                    let block = p.name.trim_start_matches('*');
                    self.problem(&e.place, format!("macro `{name}`: missing element for block `{block}`"));
                }
            }
        }
        if blocks.next().is_some() {
            self.problem(&e.place, format!("macro `{name}`: more elements than block parameters"));
        }
        let open = |p: &&super::tables::Parameter| !p.name.starts_with('*') && e.attribute(&p.name).is_none();
        for p in called.parameters.iter().filter(open) {
            let inherited = p.inherits.then(|| self.lookup(&p.name, self.here)).flatten();
            let value = match (inherited, &p.default) {
                (Some(value), _) => value.retyped(),
                (None, Some(default)) => self.typed(default, &e.place),
                (None, None) => Value::Bad(format!("macro `{name}`: missing parameter `{}`", p.name)),
            };
            self.give(&mut names, &p.name, value, &e.place);
        }
        if self.problems > before {
            // Do not expand it without its arguments.
            return;
        }
        let (caller, mark) = (self.here, self.tables.mark());
        self.here = self.tables.enter(at, names);
        self.calls += 1;
        self.children(&called.body, into);
        self.calls -= 1;
        self.here = caller;
        self.tables.leave(mark);
    }

    fn give(&mut self, names: &mut HashMap<String, Property>, name: &str, value: Value, place: &Place) {
        match value {
            Value::Bad(message) => self.problem(place, message),
            value => {
                names.insert(name.to_string(), Property::Value(value));
            }
        }
    }

    fn too_deep(&mut self, place: &Place, subject: &str) {
        self.stop(place, format!("{subject}: macros and includes are nested more than {MAX_DEPTH} deep; {RUN}"));
    }

    pub(super) fn include(&mut self, e: &Element, into: &mut Content) {
        let before = self.problems;
        let Some(a) = self.required(e, "filename") else { return };
        let name = self.text(&a.value, &a.place);
        let space = e.attribute("ns").map(|ns| self.text(&ns.value, &ns.place)).filter(|ns| !ns.is_empty());
        if self.problems > before {
            return;
        }
        if name.contains(['*', '[', '?']) {
            return self.problem(&a.place, format!("includes with a pattern are not supported; {RUN}"));
        }
        if self.calls >= MAX_DEPTH {
            return self.too_deep(&a.place, &format!("`{}`", brief(&name)));
        }
        // Relative to the file being read, not to the one that defines the macro.
        let path = self.files.last().and_then(|f| f.parent()).unwrap_or(Path::new("")).join(&name);
        let optional = e.attribute("optional").is_some_and(|o| ["true", "True", "1"].contains(&o.value.as_str()));
        let Some(root) = self.file(&path, &a.place, optional) else { return };
        let caller = self.here;
        if let Some(space) = space {
            self.here = self.tables.open(&space, caller);
        }
        self.calls += 1;
        self.files.push(path);
        self.children(&root, into);
        self.files.pop();
        self.calls -= 1;
        self.here = caller;
    }

    /// The root of a file; files are cached.
    fn file(&mut self, path: &PathBuf, place: &Place, optional: bool) -> Option<Rc<Element>> {
        if let Some(root) = self.parsed.get(path) {
            return Some(root.clone());
        }
        let text = match crate::read_text(path) {
            Ok(text) => text,
            Err(_) if optional => return None,
            Err(message) => {
                self.problem(place, format!("cannot resolve include: {message}"));
                return None;
            }
        };
        self.written += text.len();
        if self.written > MAX_TEXT {
            self.stop(place, format!("the files have more than {} MiB of text", MAX_TEXT >> 20));
            return None;
        }
        let file = self.diagnostics.sources.add(path, text);
        match xml::parse(&self.diagnostics.sources.files[file].text, file) {
            Ok((root, _)) => {
                self.parsed.insert(path.clone(), root.clone());
                Some(root)
            }
            Err(finding) => {
                self.report(finding);
                None
            }
        }
    }
}
