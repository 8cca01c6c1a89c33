//! xacro's common subset: properties, macros, arguments, includes with namespaces, conditions, arithmetic.
//!
//! Same semantics as the tool `xacro` (2.1): dynamic scopes, properties evaluated at their first use, text that reads as a
//! number is a number. Expanded elements keep their source location. Features outside the subset (lists, dictionaries, YAML,
//! Python methods, …) are reported. Depth, elements and text of the expansion are limited.

mod definitions;
mod expansion;
mod expression;
mod tables;
mod text;

use crate::findings::{A009, Finding};
use crate::message::short as brief;
use crate::source::Place;
use crate::xml::{Attribute, Element};
use crate::{Diagnostics, Options};
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use tables::Tables;

/// Nesting limit of macros and includes.
const MAX_DEPTH: usize = 150;
/// Nesting limit of elements, calls and properties together.
const MAX_NESTING: usize = 600;
/// Limit on visited elements.
const MAX_ELEMENTS: usize = 500_000;
/// Length limit of an attribute \[bytes\].
const MAX_LENGTH: usize = 1 << 16;
/// Limit on the total text \[bytes\].
const MAX_TEXT: usize = 64 << 20;
/// Limit on findings.
const MAX_FINDINGS: usize = 100;

/// The fix for unsupported features.
const RUN: &str = "run `xacro robot.xacro > robot.urdf` and load the result";

/// Expands a robot; none if something cannot be expanded.
pub(crate) fn expand(diagnostics: &mut Diagnostics, root: &Element, options: &Options) -> Option<Rc<Element>> {
    let arguments = options.arguments.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    let mut expander = Expander {
        files: vec![diagnostics.sources.files[root.place.file].path.clone()],
        diagnostics,
        options,
        tables: Tables::new(),
        here: 0,
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

/// An element under construction.
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
    /// The current symbol table.
    here: usize,
    arguments: HashMap<String, String>,
    /// Stack of files being read.
    files: Vec<PathBuf>,
    /// Cached files.
    parsed: HashMap<PathBuf, Rc<Element>>,
    visited: usize,
    written: usize,
    depth: usize,
    calls: usize,
    problems: usize,
    stopped: bool,
}

impl Expander<'_> {
    fn problem(&mut self, place: &Place, message: impl Into<String>) {
        self.report(Finding::at(A009, place, message));
    }

    fn report(&mut self, finding: Finding) {
        if self.stopped {
            return;
        }
        // Report problems of a macro once, not at every call.
        let recent = self.diagnostics.findings.iter().rev().take(MAX_FINDINGS);
        if !recent.into_iter().any(|f| f.place == finding.place && f.message == finding.message) {
            self.diagnostics.findings.push(finding);
        }
        self.problems += 1;
        self.stopped = self.problems >= MAX_FINDINGS;
    }

    fn stop(&mut self, place: &Place, message: impl Into<String>) {
        self.problem(place, message);
        self.stopped = true;
    }

    /// Expands the content of an element.
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
            // The order of alternating elements and text is not kept.
            self.problem(place, format!("text composed of several pieces is not supported; {RUN}"));
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

    /// Evaluates attributes; drops those of xacro's namespace.
    fn attributes(&mut self, e: &Element) -> Vec<Attribute> {
        let kept = e.attributes.iter().filter(|a| !a.name.starts_with("xacro:"));
        kept.map(|a| Attribute { value: self.text(&a.value, &a.place), ..a.clone() }).collect()
    }

    /// A required attribute, not evaluated.
    fn required<'e>(&mut self, e: &'e Element, name: &str) -> Option<&'e Attribute> {
        let found = e.attribute(name);
        if found.is_none() {
            self.problem(&e.place, format!("<{}> has no `{name}`", e.name));
        }
        found
    }
}
