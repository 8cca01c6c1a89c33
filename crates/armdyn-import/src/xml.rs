//! XML as the readers want it: elements with their attributes and text, each with its place.
//!
//! A document type declaration is refused, so no entity can expand; nesting and the number of nodes are bounded.

mod reader;

pub(crate) use reader::{Reader, short};

use crate::findings::{A002, Finding};
use crate::source::Place;
use roxmltree::{Document, Error, Node, ParsingOptions};
use std::rc::Rc;

/// An element.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// Its name; `xacro:` before it if it is of xacro's namespace, as before an attribute's.
    pub name: String,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Rc<Element>>,
    /// Its text, without space around it.
    pub text: String,
    /// Its start tag.
    pub place: Place,
}

/// An attribute.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub name: String,
    pub value: String,
    pub place: Place,
}

/// The deepest nesting of elements that is read.
const DEEPEST: usize = 128;

/// The most nodes of a file.
const MOST: u32 = 4_000_000;

impl Element {
    /// The attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// Where the attribute `name` is, or the element if it has none.
    pub fn place_of(&self, name: &str) -> &Place {
        self.attribute(name).map_or(&self.place, |a| &a.place)
    }

    /// The first child `name`.
    pub fn child(&self, name: &str) -> Option<&Rc<Element>> {
        self.children.iter().find(|c| c.name == name)
    }
}

/// The root element of a text, and whether it is xacro by its namespace.
pub(crate) fn parse(text: &str, file: usize) -> Result<(Rc<Element>, bool), Finding> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|e| fault(&e, text, file))?;
    let root = document.root_element();
    let xacro = root.namespaces().any(|n| n.name() == Some("xacro") || is_xacro(n.uri()));
    Ok((Rc::new(element(root, file, 0)?), xacro))
}

/// The name of a text's first element, without reading further.
pub(crate) fn root_name(text: &str) -> Option<&str> {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some(inside) = rest.strip_prefix("<?").or(rest.strip_prefix("<!")) {
        let end = if inside.starts_with("--") { "-->" } else { ">" };
        rest = inside.split_once(end)?.1.trim_start();
    }
    let name = rest.strip_prefix('<')?;
    Some(&name[..name.find(|c: char| c.is_whitespace() || c == '>' || c == '/')?])
}

fn is_xacro(uri: &str) -> bool {
    uri.ends_with("/xacro") || uri.ends_with("/xacro/") || uri.ends_with("#xacro")
}

fn element(node: Node, file: usize, depth: usize) -> Result<Element, Finding> {
    let tag = node.tag_name();
    let start = node.range().start;
    let of_xacro = |uri: &str| is_xacro(uri) || node.lookup_namespace_uri(Some("xacro")) == Some(uri);
    let named = |name: &str, uri: Option<&str>| match uri {
        Some(uri) if of_xacro(uri) => format!("xacro:{name}"),
        _ => name.to_string(),
    };
    let attributes: Vec<Attribute> = node
        .attributes()
        .map(|a| Attribute {
            name: named(a.name(), a.namespace()),
            value: a.value().to_string(),
            place: Place { file, span: a.range() },
        })
        .collect();
    let end = attributes.last().map_or(start + 1 + tag.name().len(), |a| a.place.span.end);
    let place = Place { file, span: start..end.min(node.range().end) };
    if depth >= DEEPEST {
        let what = format!("<{}> is nested more than {DEEPEST} deep", tag.name());
        return Err(Finding::at(A002, &place, what));
    }
    let name = named(tag.name(), tag.namespace());
    let mut text = String::new();
    let mut children = vec![];
    for child in node.children() {
        if child.is_element() {
            children.push(Rc::new(element(child, file, depth + 1)?));
        } else if child.is_text() {
            text.push_str(child.text().unwrap_or(""));
        }
    }
    Ok(Element { name, attributes, children, text: text.trim().to_string(), place })
}

/// What is wrong with the text, and where.
fn fault(error: &Error, text: &str, file: usize) -> Finding {
    let at = match error {
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream | Error::NoRootNode => text.trim_end().len(),
        Error::DtdDetected => text.find("<!DOCTYPE").unwrap_or(0),
        other => {
            let position = other.pos();
            let line = text.split_inclusive('\n').take(position.row.saturating_sub(1) as usize).map(str::len).sum();
            let rest = text.get(line..).unwrap_or("");
            line + rest.char_indices().nth(position.col.saturating_sub(1) as usize).map_or(rest.len(), |(k, _)| k)
        }
    };
    let what = match error {
        Error::DtdDetected => {
            "a document type declaration is not read (its entities could expand without bound)".into()
        }
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => "the text ends before its elements do".to_string(),
        Error::NoRootNode => "there is no element in the text".to_string(),
        Error::NodesLimitReached => format!("the text has more than {MOST} nodes"),
        other => told(&other.to_string()),
    };
    Finding::at(A002, &Place { file, span: at..at }, what)
}

/// The parser's message, without its own ` at line:column`.
fn told(message: &str) -> String {
    match message.rsplit_once(" at ") {
        Some((said, place)) if place.bytes().all(|b| b.is_ascii_digit() || b == b':') => said.to_string(),
        _ => message.to_string(),
    }
}
