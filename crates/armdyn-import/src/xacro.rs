//! xacro's common subset: properties, macros, arguments, includes with namespaces, conditions, arithmetic.
//!
//! It means what the tool `xacro` (2.1) means: scopes are those of the calls, properties are evaluated where they are
//! first used, a text that reads as a number is one. An expanded element keeps the place of the text that it came from.
//! What is beyond the subset (lists, dictionaries, YAML, Python's methods, …) is one finding at its place. The expansion
//! is bounded in depth, elements and text.

mod definitions;
mod expansion;
mod expression;
mod tables;
mod text;

use crate::findings::{A009, Finding};
use crate::source::Place;
use crate::spelling::short as brief;
use crate::xml::{Attribute, Element};
use crate::{Diagnostics, Options};
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use tables::{Here, Tables};

/// The deepest nesting of macros and includes.
const MAX_DEPTH: usize = 150;
/// The deepest nesting of everything: elements, calls, properties within properties.
const MAX_NESTING: usize = 600;
/// The most elements that are visited.
const MAX_ELEMENTS: usize = 500_000;
/// The longest text that an attribute may become \[bytes\].
const MAX_LENGTH: usize = 1 << 16;
/// The most text in all \[bytes\].
const MAX_TEXT: usize = 64 << 20;
/// The most findings before it stops.
const MAX_FINDINGS: usize = 100;

/// What to do about what is beyond the subset.
const RUN: &str = "run `xacro robot.xacro > robot.urdf` and read that";

/// The robot with everything expanded; none if something could not be.
pub(crate) fn expand(diagnostics: &mut Diagnostics, root: &Element, options: &Options) -> Option<Rc<Element>> {
    let arguments = options.arguments.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    let mut expander = Expander {
        files: vec![diagnostics.sources.files[root.place.file].path.clone()],
        diagnostics,
        options,
        tables: Tables::new(),
        here: Here::TOP,
        arguments,
        parsed: HashMap::new(),
        visited: 0,
        written: 0,
        depth: 0,
        calls: 0,
        problems: 0,
        stopped: false,
    };
    let attributes = expander.attributes(root);
    let mut content = Content { attributes, ..Content::default() };
    expander.children(root, &mut content);
    let clean = expander.problems == 0;
    clean.then(|| Rc::new(Element { attributes: content.attributes, children: content.children, ..root.clone() }))
}

/// What an element is made of, as it grows.
#[derive(Default)]
struct Content {
    attributes: Vec<Attribute>,
    children: Vec<Rc<Element>>,
    text: String,
}

struct Expander<'a> {
    diagnostics: &'a mut Diagnostics,
    options: &'a Options,
    tables: Tables,
    /// The tables that are seen from where it is.
    here: Here,
    arguments: HashMap<String, String>,
    /// The file that is being read, on top of those that include it.
    files: Vec<PathBuf>,
    /// Files that were read before.
    parsed: HashMap<PathBuf, Rc<Element>>,
    visited: usize,
    written: usize,
    depth: usize,
    calls: usize,
    problems: usize,
    stopped: bool,
}

impl Expander<'_> {
    fn problem(&mut self, place: &Place, what: impl Into<String>) {
        self.report(Finding::at(A009, place, what));
    }

    fn report(&mut self, finding: Finding) {
        if self.stopped {
            return;
        }
        // A macro that is called often has its faults once.
        let told = self.diagnostics.findings.iter().rev().take(MAX_FINDINGS);
        if !told.into_iter().any(|f| f.place == finding.place && f.message == finding.message) {
            self.diagnostics.findings.push(finding);
        }
        self.problems += 1;
        self.stopped = self.problems >= MAX_FINDINGS;
    }

    fn stop(&mut self, place: &Place, what: impl Into<String>) {
        self.problem(place, what);
        self.stopped = true;
    }

    /// Everything within an element; its text is evaluated with it.
    fn children(&mut self, e: &Element, into: &mut Content) {
        if !e.text.is_empty() {
            let text = self.text(&e.text, &e.place);
            self.add_text(&text, &e.place, into);
        }
        for c in &e.children {
            self.element(c, into);
        }
    }

    fn add_text(&mut self, text: &str, place: &Place, into: &mut Content) {
        let text = text.trim();
        if !text.is_empty() && !into.text.is_empty() {
            // Where elements and text alternate, the order of the pieces is not kept.
            self.problem(place, format!("a text that is put together from several is beyond what is read here; {RUN}"));
        } else {
            into.text.push_str(text);
        }
    }

    fn element(&mut self, e: &Rc<Element>, into: &mut Content) {
        if self.stopped {
            return;
        }
        self.visited += 1;
        if self.visited > MAX_ELEMENTS {
            return self.stop(&e.place, format!("the expansion has more than {MAX_ELEMENTS} elements"));
        }
        if self.depth >= MAX_NESTING {
            return self.stop(&e.place, format!("the expansion is nested more than {MAX_NESTING} deep; {RUN}"));
        }
        self.depth += 1;
        match e.name.strip_prefix("xacro:") {
            None => self.ordinary(e, &e.name, into),
            Some("property") => self.property(e),
            Some("macro") => self.define(e),
            Some("arg") => self.argument(e),
            Some("include") => self.include(e, into),
            Some("if") => self.condition(e, true, into),
            Some("unless") => self.condition(e, false, into),
            Some("insert_block") => self.insert(e, into),
            Some("element") => self.named_element(e, into),
            Some("attribute") => self.named_attribute(e, into),
            Some("call") => self.call_by_name(e, into),
            Some(name) => self.call(e, name, into),
        }
        self.depth -= 1;
    }

    fn ordinary(&mut self, e: &Element, name: &str, into: &mut Content) {
        let mut content = Content { attributes: self.attributes(e), ..Content::default() };
        self.children(e, &mut content);
        let Content { attributes, children, text } = content;
        into.children.push(Rc::new(Element {
            name: name.to_string(),
            attributes,
            children,
            text,
            place: e.place.clone(),
        }));
    }

    /// The attributes, evaluated; those of xacro's namespace are dropped.
    fn attributes(&mut self, e: &Element) -> Vec<Attribute> {
        let kept = e.attributes.iter().filter(|a| !a.name.starts_with("xacro:"));
        kept.map(|a| Attribute { value: self.text(&a.value, &a.place), ..a.clone() }).collect()
    }

    /// An attribute that must be there, as it is written.
    fn required<'e>(&mut self, e: &'e Element, name: &str) -> Option<&'e Attribute> {
        let found = e.attribute(name);
        if found.is_none() {
            self.problem(&e.place, format!("<{}> has no `{name}`", e.name));
        }
        found
    }
}
