//! `<include file="…"/>`: the children of the file's root element in its place.
//!
//! The file is looked for beside the model's file, then beside the file that includes it. As in MuJoCo a file is included
//! once at most, so none can include itself.

use crate::Reading;
use crate::findings::*;
use crate::spelling::short;
use crate::xml::{self, Element};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The deepest nesting of elements, all files together.
const DEEPEST: usize = 256;

/// The text with all files in place; none if one could not be included.
pub(super) fn expand(reading: &mut Reading, root: &Rc<Element>) -> Option<Rc<Element>> {
    let main = reading.sources.files[root.place.file].path.clone();
    let before = reading.findings.len();
    let mut include = Include { reading, seen: HashSet::from([canonical(&main)]), main };
    let expanded = include.element(root, 0);
    let clean = include.reading.findings[before..].iter().all(|f| f.code.severity < Severity::Error);
    clean.then_some(expanded)
}

struct Include<'a> {
    reading: &'a mut Reading,
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
        if depth > DEEPEST {
            return self.reading.find(A009, &e.place, format!("<{}> is nested more than {DEEPEST} deep", e.name));
        }
        for c in &e.children {
            if c.name != "include" {
                into.push(self.element(c, depth + 1));
            } else if let Some(root) = self.file(c) {
                self.children(&root, depth + 1, into);
            }
        }
    }

    /// The root element of the file that is named.
    fn file(&mut self, e: &Element) -> Option<Rc<Element>> {
        let Some(named) = e.attribute("file") else {
            self.reading.find(A004, &e.place, "<include> has no `file`");
            return None;
        };
        let beside = |file: &Path| file.parent().unwrap_or(Path::new("")).join(named.value.replace('\\', "/"));
        let from = beside(&self.reading.sources.files[e.place.file].path);
        let first = beside(&self.main);
        let path = if !first.is_file() && from.is_file() { from } else { first };
        if !self.seen.insert(canonical(&path)) {
            let what = format!("`{}` is included already: a file can be included once", short(&named.value));
            self.reading.find(A009, &named.place, what);
            return None;
        }
        let text = match crate::read_text(&path) {
            Ok(text) => text,
            Err(what) => {
                self.reading.find(A009, &named.place, format!("an include cannot be resolved: {what}"));
                return None;
            }
        };
        let file = self.reading.sources.add(&path, text);
        match xml::parse(&self.reading.sources.files[file].text, file) {
            Ok((root, _)) => Some(root),
            Err(finding) => {
                self.reading.findings.push(finding);
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
