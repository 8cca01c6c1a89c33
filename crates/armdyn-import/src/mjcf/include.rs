//! `<include file="…"/>`: replaced by the children of the file's root element.
//!
//! Paths are relative to the main file, then to the including file. As in MuJoCo a file is included at most once, so
//! recursion is impossible.

use crate::Diagnostics;
use crate::findings::*;
use crate::message::short;
use crate::xml::{self, Element};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Nesting limit of elements, over all files.
const MAX_DEPTH: usize = 256;

/// Expands all includes; none if one cannot be resolved.
pub(super) fn expand(diagnostics: &mut Diagnostics, root: &Rc<Element>) -> Option<Rc<Element>> {
    let main = diagnostics.sources.files[root.place.file].path.clone();
    let before = diagnostics.findings.len();
    let mut include = Include { diagnostics, seen: HashSet::from([canonical(&main)]), main };
    let expanded = include.element(root, 0);
    let clean = include.diagnostics.findings[before..].iter().all(|f| f.code.severity < Severity::Error);
    clean.then_some(expanded)
}

struct Include<'a> {
    diagnostics: &'a mut Diagnostics,
    main: PathBuf,
    seen: HashSet<PathBuf>,
}

impl Include<'_> {
    fn element(&mut self, e: &Rc<Element>, depth: usize) -> Rc<Element> {
        if !holds_include(e) {
            return e.clone();
        }
        let mut children = vec![];
        self.children(e, depth, &mut children);
        Rc::new(Element { children, ..(**e).clone() })
    }

    fn children(&mut self, e: &Element, depth: usize, into: &mut Vec<Rc<Element>>) {
        if depth > MAX_DEPTH {
            let message = format!("<{}> is nested more than {MAX_DEPTH} deep", e.name);
            return self.diagnostics.report(A009, &e.place, message);
        }
        for c in &e.children {
            if c.name != "include" {
                into.push(self.element(c, depth + 1));
            } else if let Some(root) = self.file(c) {
                self.children(&root, depth + 1, into);
            }
        }
    }

    /// The root element of the included file.
    fn file(&mut self, e: &Element) -> Option<Rc<Element>> {
        let Some(named) = e.attribute("file") else {
            self.diagnostics.report(A004, &e.place, "<include> has no `file`");
            return None;
        };
        let beside = |file: &Path| file.parent().unwrap_or(Path::new("")).join(named.value.replace('\\', "/"));
        let from = beside(&self.diagnostics.sources.files[e.place.file].path);
        let first = beside(&self.main);
        let path = if !first.is_file() && from.is_file() { from } else { first };
        if !self.seen.insert(canonical(&path)) {
            let message = format!("`{}` is already included; a file can be included only once", short(&named.value));
            self.diagnostics.report(A009, &named.place, message);
            return None;
        }
        let text = match crate::read_text(&path) {
            Ok(text) => text,
            Err(message) => {
                self.diagnostics.report(A009, &named.place, format!("cannot resolve include: {message}"));
                return None;
            }
        };
        let file = self.diagnostics.sources.add(&path, text);
        match xml::parse(&self.diagnostics.sources.files[file].text, file) {
            Ok((root, _)) => Some(root),
            Err(finding) => {
                self.diagnostics.findings.push(finding);
                None
            }
        }
    }
}

fn holds_include(e: &Element) -> bool {
    e.children.iter().any(|c| c.name == "include" || holds_include(c))
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or(path.to_path_buf())
}
