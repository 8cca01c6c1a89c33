//! XML elements with attributes, text and source locations.
//!
//! Document type declarations are rejected, so entities cannot expand. Nesting, the number of nodes, attributes and
//! namespaces, and the length of names are limited. (The parser's cost is quadratic in attributes and nested namespaces.)

mod reader;

pub(crate) use reader::Reader;

use crate::Diagnostics;
use crate::findings::{A002, A003, Finding};
use crate::source::Place;
use roxmltree::{Document, Error, Node, ParsingOptions};
use std::rc::Rc;

/// An element.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// Its name; prefixed with `xacro:` in xacro's namespace, as are attributes.
    pub name: String,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Rc<Element>>,
    /// Its trimmed text.
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

/// Nesting limit of elements.
const MAX_DEPTH: usize = 128;

/// Limit on the nodes of a file, including text.
const MAX_NODES: u32 = 1_000_000;

/// Limit on the attributes of an element.
const MAX_ATTRIBUTES: usize = 1000;

/// Limit on the namespace declarations of a file.
const MAX_NAMESPACES: usize = 2000;

/// Length limit of names of elements and attributes, and of `name` and `class` \[bytes\].
pub(crate) const MAX_NAME_BYTES: usize = 1000;

impl Element {
    /// The attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// The location of the attribute `name`, or of the element.
    pub fn place_of(&self, name: &str) -> &Place {
        self.attribute(name).map_or(&self.place, |a| &a.place)
    }

    /// The first child `name`.
    pub fn child(&self, name: &str) -> Option<&Rc<Element>> {
        self.children.iter().find(|c| c.name == name)
    }
}

/// The root element of a text, and whether it declares xacro's namespace.
pub(crate) fn parse(text: &str, file: usize) -> Result<(Rc<Element>, bool), Finding> {
    check_limits(text, file)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|e| fault(&e, text, file))?;
    let root = document.root_element();
    let xacro = root.namespaces().any(|n| n.name() == Some("xacro") || is_xacro(n.uri()));
    Ok((Rc::new(element(root, file, 0)?), xacro))
}

/// Like [`parse`], of a source file; reports a syntax error, and a root element other than `name`.
pub(crate) fn parse_file(diagnostics: &mut Diagnostics, file: usize, name: &str) -> Option<(Rc<Element>, bool)> {
    match parse(&diagnostics.sources.files[file].text, file) {
        Ok((root, xacro)) if root.name == name => return Some((root, xacro)),
        Ok((root, _)) => {
            let message = format!("the root element is <{}>, expected <{name}>", root.name);
            diagnostics.report(A003, &root.place, message);
        }
        Err(finding) => diagnostics.findings.push(finding),
    }
    None
}

/// Rejects text that would take the parser too long.
pub(crate) fn check_limits(text: &str, file: usize) -> Result<(), Finding> {
    let fail = |at: usize, message: String| Err(Finding::at(A002, &Place { file, span: at..at }, message));
    if let Some((at, _)) = text.match_indices("xmlns").nth(MAX_NAMESPACES) {
        return fail(at, format!("the text declares more than {MAX_NAMESPACES} namespaces"));
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
                return fail(open, format!("an element has more than {MAX_ATTRIBUTES} attributes"));
            }
        }
        at = open + end;
    }
    Ok(())
}

/// The name of the first element, without parsing the rest.
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
        let message = format!("<{}> is nested more than {MAX_DEPTH} deep", tag.name());
        return Err(Finding::at(A002, &place, message));
    }
    // Text that xacro still has to evaluate is not a name yet.
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

/// The finding for a parser error.
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
    let message = match error {
        Error::DtdDetected => "document type declarations are not allowed (entities could expand without limit)".into(),
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            "unexpected end of text: an element is not closed".to_string()
        }
        Error::NoRootNode => "the text has no element".to_string(),
        Error::NodesLimitReached => format!("the text has more than {MAX_NODES} nodes"),
        other => without_position(&other.to_string()),
    };
    Finding::at(A002, &Place { file, span: at..at }, message)
}

/// The parser's message without ` at line:column`.
fn without_position(message: &str) -> String {
    match message.rsplit_once(" at ") {
        Some((said, place)) if place.bytes().all(|b| b.is_ascii_digit() || b == b':') => said.to_string(),
        _ => message.to_string(),
    }
}
