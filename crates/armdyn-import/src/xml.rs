//! XML as the readers want it: elements with their attributes and text, each with its place.
//!
//! A document type declaration is failures, so no entity can expand; nesting, the number of nodes, attributes and namespaces,
//! and the length of names are bounded. (The parser compares each attribute of an element with all the others, and keeps for
//! each element that declares a namespace those around it.)

mod reader;

pub(crate) use reader::Reader;

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
const MAX_DEPTH: usize = 128;

/// The most nodes of a file, its texts between elements included.
const MAX_NODES: u32 = 1_000_000;

/// The most attributes of an element.
const MAX_ATTRIBUTES: usize = 1000;

/// The most declarations of namespaces in a file.
const MAX_NAMESPACES: usize = 2000;

/// The longest name of an element, of an attribute, or in a `name` or `class` \[bytes\]: it stands in every finding about it.
pub(crate) const MAX_NAME_BYTES: usize = 1000;

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
    bounded(text, file)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|e| fault(&e, text, file))?;
    let root = document.root_element();
    let xacro = root.namespaces().any(|n| n.name() == Some("xacro") || is_xacro(n.uri()));
    Ok((Rc::new(element(root, file, 0)?), xacro))
}

/// Refuses what would take the parser too long.
fn bounded(text: &str, file: usize) -> Result<(), Finding> {
    let told = |at: usize, what: String| Err(Finding::at(A002, &Place { file, span: at..at }, what));
    if let Some((at, _)) = text.match_indices("xmlns").nth(MAX_NAMESPACES) {
        return told(at, format!("the text declares more than {MAX_NAMESPACES} namespaces"));
    }
    let mut at = 0;
    while let Some(open) = text[at..].find('<').map(|k| at + k) {
        let inside = &text[open..];
        let skipped =
            [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].into_iter().find(|s| inside.starts_with(s.0));
        if let Some((_, close)) = skipped {
            let Some(end) = inside.find(close) else { return Ok(()) };
            at = open + end + close.len();
            continue;
        }
        let (mut quote, mut attributes, mut end) = (None, 0, inside.len());
        for (k, b) in inside.bytes().enumerate() {
            match (quote, b) {
                (Some(q), b) => quote = Some(q).filter(|q| *q != b),
                (None, b'"' | b'\'') => quote = Some(b),
                (None, b'=') => attributes += 1,
                (None, b'>') => {
                    end = k + 1;
                    break;
                }
                _ => {}
            }
            if attributes > MAX_ATTRIBUTES {
                return told(open, format!("an element has more than {MAX_ATTRIBUTES} attributes"));
            }
        }
        at = open + end;
    }
    Ok(())
}

/// The name of a text's first element, without diagnostics further.
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
    if depth >= MAX_DEPTH {
        let what = format!("<{}> is nested more than {MAX_DEPTH} deep", tag.name());
        return Err(Finding::at(A002, &place, what));
    }
    // A text that xacro is to evaluate is no name yet.
    let named_by = |a: &&Attribute| (a.name == "name" || a.name == "class") && !a.value.contains('$');
    let names = attributes.iter().map(|a| (&a.name, &a.place));
    let values = attributes.iter().filter(named_by).map(|a| (&a.value, &a.place));
    if let Some((_, place)) = names.chain(values).find(|(n, _)| n.len() > MAX_NAME_BYTES) {
        return Err(Finding::at(A002, place, format!("a name has more than {MAX_NAME_BYTES} bytes")));
    }
    let name = named(tag.name(), tag.namespace());
    if name.len() > MAX_NAME_BYTES {
        return Err(Finding::at(A002, &place, format!("the name of an element has more than {MAX_NAME_BYTES} bytes")));
    }
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
        Error::NodesLimitReached => format!("the text has more than {MAX_NODES} nodes"),
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
