//! xacro's common subset: properties, macros, arguments, includes, conditions, arithmetic.
//!
//! An expanded element keeps the place of the text that it came from. What is beyond the subset (Python expressions, YAML,
//! dictionaries, …) is one finding at its place. The expansion is bounded in depth, elements and text.

mod expression;

use crate::findings::{A009, Finding};
use crate::packages;
use crate::source::Place;
use crate::xml::{self, Attribute, Element};
use crate::{Options, Reading};
use expression::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The deepest nesting of macros and includes.
const DEEPEST: usize = 64;
/// The deepest nesting of everything: elements, calls, properties within properties.
const NESTED: usize = 300;
/// The most elements that are visited.
const MOST: usize = 2_000_000;
/// The longest text that an attribute may become \[bytes\].
const LONGEST: usize = 1 << 20;
/// The most text in all \[bytes\].
const MOST_TEXT: usize = 256 << 20;
/// The most findings before it stops.
const MOST_FINDINGS: usize = 100;

/// The robot with everything expanded; none if something could not be.
pub(crate) fn expand(reading: &mut Reading, root: &Element, options: &Options) -> Option<Rc<Element>> {
    let arguments = options.arguments.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    let mut expander = Expander {
        reading,
        options,
        scopes: vec![HashMap::new()],
        macros: HashMap::new(),
        arguments,
        visited: 0,
        written: 0,
        depth: 0,
        calls: 0,
        problems: 0,
        stopped: false,
    };
    let attributes = expander.attributes(root);
    let mut children = vec![];
    expander.children(root, &mut children);
    let clean = expander.problems == 0;
    clean.then(|| Rc::new(Element { attributes, children, ..root.clone() }))
}

/// What a name stands for.
#[derive(Clone)]
enum Property {
    /// A text that is evaluated where it is first used.
    Text(String, Place),
    Value(Value),
    /// Elements; to be expanded where they are inserted, unless they already are.
    Block {
        elements: Vec<Rc<Element>>,
        expanded: bool,
    },
}

struct Macro {
    parameters: Vec<Parameter>,
    body: Rc<Element>,
}

struct Parameter {
    name: String,
    /// Whether it stands for an element (`*name`) or for the elements within one (`**name`).
    block: Option<Block>,
    /// `^`: the caller's value, if there is one.
    inherits: bool,
    default: Option<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Block {
    Whole,
    Content,
}

struct Expander<'a> {
    reading: &'a mut Reading,
    options: &'a Options,
    /// The file's own, then that of each macro that is being called.
    scopes: Vec<HashMap<String, Property>>,
    macros: HashMap<String, Rc<Macro>>,
    arguments: HashMap<String, String>,
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
        let told = self.reading.findings.iter().rev().take(MOST_FINDINGS);
        if !told.into_iter().any(|f| f.place == finding.place && f.what == finding.what) {
            self.reading.findings.push(finding);
        }
        self.problems += 1;
        self.stopped = self.problems >= MOST_FINDINGS;
    }

    fn stop(&mut self, place: &Place, what: impl Into<String>) {
        self.problem(place, what);
        self.stopped = true;
    }

    fn path(&self, place: &Place) -> &Path {
        &self.reading.sources.files[place.file].path
    }

    fn children(&mut self, e: &Element, into: &mut Vec<Rc<Element>>) {
        for c in &e.children {
            self.element(c, into);
        }
    }

    fn element(&mut self, e: &Rc<Element>, into: &mut Vec<Rc<Element>>) {
        if self.stopped {
            return;
        }
        self.visited += 1;
        if self.visited > MOST {
            return self.stop(&e.place, format!("the expansion has more than {MOST} elements"));
        }
        if self.depth >= NESTED {
            return self.stop(&e.place, format!("the expansion is nested more than {NESTED} deep"));
        }
        self.depth += 1;
        match e.name.strip_prefix("xacro:") {
            None => self.ordinary(e, into),
            Some("property") => self.property(e),
            Some("macro") => self.define(e),
            Some("arg") => self.argument(e),
            Some("include") => self.include(e, into),
            Some("if") => self.condition(e, true, into),
            Some("unless") => self.condition(e, false, into),
            Some("insert_block") => self.insert(e, into),
            Some(name) => self.call(e, name, into),
        }
        self.depth -= 1;
    }

    fn ordinary(&mut self, e: &Element, into: &mut Vec<Rc<Element>>) {
        let attributes = self.attributes(e);
        let text = if e.text.is_empty() { String::new() } else { self.text(&e.text, &e.place) };
        let mut children = vec![];
        self.children(e, &mut children);
        into.push(Rc::new(Element { name: e.name.clone(), attributes, children, text, place: e.place.clone() }));
    }

    fn attributes(&mut self, e: &Element) -> Vec<Attribute> {
        let evaluated = |a: &Attribute| Attribute { value: self.text(&a.value, &a.place), ..a.clone() };
        e.attributes.iter().map(evaluated).collect()
    }

    /// An attribute that must be there, evaluated.
    fn needed(&mut self, e: &Element, name: &str) -> Option<String> {
        match e.attribute(name) {
            Some(a) => Some(self.text(&a.value, &a.place)),
            None => {
                self.problem(&e.place, format!("<{}> has no `{name}`", e.name));
                None
            }
        }
    }

    // Definitions.

    fn property(&mut self, e: &Element) {
        let Some(name) = self.needed(e, "name") else { return };
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == '*') {
            return self.problem(&e.place, format!("`{name}` is not a property's name"));
        }
        let top = self.scopes.len() - 1;
        let scope = match e.attribute("scope").map(|a| a.value.as_str()) {
            None => top,
            Some("parent") => top.saturating_sub(1),
            Some("global") => 0,
            Some(other) => return self.problem(&e.place, format!("there is no scope `{other}`: parent, global")),
        };
        if e.attribute("remove").is_some_and(|a| a.value == "true") {
            self.scopes[scope].remove(&name);
            return;
        }
        let (given, default) = (e.attribute("value"), e.attribute("default"));
        if given.is_none() && default.is_some() && self.scopes.iter().any(|s| s.contains_key(&name)) {
            return;
        }
        let property = match given.or(default) {
            None => {
                let block = Property::Block { elements: e.children.clone(), expanded: false };
                self.scopes[scope].insert(format!("**{name}"), block);
                return;
            }
            Some(a) if e.attribute("lazy_eval").is_some_and(|l| l.value == "false") => match self.typed(a, top) {
                Value::Bad(what) => return self.problem(&a.place, what),
                value => Property::Value(value),
            },
            Some(a) => Property::Text(a.value.clone(), a.place.clone()),
        };
        self.scopes[scope].insert(name, property);
    }

    fn typed(&mut self, a: &Attribute, scope: usize) -> Value {
        match self.evaluate(&a.value, &a.place, scope) {
            Value::Text(text) => Value::literal(&text),
            value => value,
        }
    }

    fn define(&mut self, e: &Rc<Element>) {
        let Some(name) = e.attribute("name") else {
            return self.problem(&e.place, "<xacro:macro> has no `name`");
        };
        let text = e.attribute("params").map_or("", |a| a.value.as_str());
        match parameters(text) {
            Ok(parameters) => {
                let name = name.value.strip_prefix("xacro:").unwrap_or(&name.value).to_string();
                self.macros.insert(name, Rc::new(Macro { parameters, body: e.clone() }));
            }
            Err(what) => {
                let place = e.attribute("params").map_or(&e.place, |a| &a.place);
                self.problem(place, format!("macro `{}`: {what}", name.value));
            }
        }
    }

    fn argument(&mut self, e: &Element) {
        let Some(name) = self.needed(e, "name") else { return };
        if let Some(default) = e.attribute("default")
            && !self.arguments.contains_key(&name)
        {
            let value = self.text(&default.value, &default.place);
            self.arguments.insert(name, value);
        }
    }

    // Uses.

    fn condition(&mut self, e: &Element, wanted: bool, into: &mut Vec<Rc<Element>>) {
        let Some(a) = e.attribute("value") else {
            return self.problem(&e.place, format!("<{}> has no `value`", e.name));
        };
        let value = self.typed(a, self.scopes.len() - 1);
        match value.condition() {
            Ok(truth) if truth == wanted => self.children(e, into),
            Ok(_) => {}
            Err(what) => self.problem(&a.place, what),
        }
    }

    fn insert(&mut self, e: &Element, into: &mut Vec<Rc<Element>>) {
        let Some(name) = self.needed(e, "name") else { return };
        let keys = [format!("**{name}"), format!("*{name}")];
        let found = self.scopes.iter().rev().find_map(|s| keys.iter().find_map(|k| s.get(k)));
        match found.cloned() {
            Some(Property::Block { elements, expanded: true }) => {
                self.visited += elements.len();
                into.extend(elements);
            }
            Some(Property::Block { elements, .. }) => elements.iter().for_each(|c| self.element(c, into)),
            _ => self.problem(&e.place, format!("there is no block `{name}` to insert")),
        }
    }

    fn call(&mut self, e: &Element, name: &str, into: &mut Vec<Rc<Element>>) {
        let Some(called) = self.macros.get(name).cloned() else {
            let what = match name {
                "element" | "attribute" | "call" => format!("<xacro:{name}> is beyond what is read here; {RUN}"),
                _ => format!("there is no macro `{name}`"),
            };
            return self.problem(&e.place, what);
        };
        if self.calls >= DEEPEST {
            return self
                .stop(&e.place, format!("macro `{name}`: macros and includes are nested more than {DEEPEST} deep"));
        }
        let mut given = vec![];
        self.children(e, &mut given);
        let mut blocks = given.into_iter();
        let mut scope = HashMap::new();
        let top = self.scopes.len() - 1;
        for a in &e.attributes {
            if !called.parameters.iter().any(|p| p.block.is_none() && p.name == a.name) {
                self.problem(&a.place, format!("macro `{name}` has no parameter `{}`", a.name));
            }
        }
        for p in &called.parameters {
            let value = match (p.block, e.attribute(&p.name)) {
                (Some(block), _) => {
                    let Some(element) = blocks.next() else {
                        self.problem(&e.place, format!("macro `{name}`: no element is given for block `{}`", p.name));
                        continue;
                    };
                    let (key, elements) = match block {
                        Block::Whole => (format!("*{}", p.name), vec![element]),
                        Block::Content => (format!("**{}", p.name), element.children.clone()),
                    };
                    scope.insert(key, Property::Block { elements, expanded: true });
                    continue;
                }
                (None, Some(a)) => (self.typed(a, top), &a.place),
                (None, None) => {
                    let inherited = p.inherits && self.scopes.iter().any(|s| s.contains_key(&p.name));
                    let value = if inherited {
                        self.lookup(&p.name, top)
                    } else if let Some(default) = &p.default {
                        match self.evaluate(default, &e.place, top) {
                            Value::Text(text) => Value::literal(&text),
                            value => value,
                        }
                    } else {
                        Value::Bad(format!("macro `{name}`: parameter `{}` is not given", p.name))
                    };
                    (value, &e.place)
                }
            };
            match value {
                (Value::Bad(what), place) => self.problem(place, what),
                (value, _) => {
                    scope.insert(p.name.clone(), Property::Value(value));
                }
            }
        }
        if blocks.next().is_some() {
            self.problem(&e.place, format!("macro `{name}`: more elements are given than it has blocks"));
        }
        self.calls += 1;
        self.scopes.push(scope);
        self.children(&called.body, into);
        self.scopes.pop();
        self.calls -= 1;
    }

    fn include(&mut self, e: &Element, into: &mut Vec<Rc<Element>>) {
        let before = self.problems;
        let Some(name) = self.needed(e, "filename") else { return };
        if self.problems > before {
            return;
        }
        let place = e.attribute("filename").map_or(&e.place, |a| &a.place);
        if e.attribute("ns").is_some() || name.contains(['*', '[', '?']) {
            let what = format!("an include with a namespace or a pattern is beyond what is read here; {RUN}");
            return self.problem(place, what);
        }
        if self.calls >= DEEPEST {
            let what = format!("`{name}`: macros and includes are nested more than {DEEPEST} deep");
            return self.stop(place, what);
        }
        let path = self.path(&e.place).parent().unwrap_or(Path::new("")).join(&name);
        let text = match crate::read_text(&path) {
            Ok(text) => text,
            Err(_) if e.attribute("optional").is_some_and(|a| a.value == "true") => return,
            Err(what) => return self.problem(place, format!("an include cannot be resolved: {what}")),
        };
        self.written += text.len();
        if self.written > MOST_TEXT {
            return self.stop(place, format!("the files have more than {} MiB of text", MOST_TEXT >> 20));
        }
        let file = self.reading.sources.add(&path, text);
        match xml::parse(&self.reading.sources.files[file].text, file) {
            Err(finding) => self.report(finding),
            Ok((root, _)) => {
                self.calls += 1;
                self.children(&root, into);
                self.calls -= 1;
            }
        }
    }

    // Texts.

    /// A text with everything in it evaluated; faults are told.
    fn text(&mut self, text: &str, place: &Place) -> String {
        if !text.contains('$') {
            self.written += text.len();
            return text.to_string();
        }
        match self.evaluate(text, place, self.scopes.len() - 1) {
            Value::Bad(what) => {
                self.problem(place, what);
                String::new()
            }
            value => value.to_string(),
        }
    }

    /// A text's value: of its own type if it is one `${…}`, a text otherwise.
    fn evaluate(&mut self, text: &str, place: &Place, scope: usize) -> Value {
        let mut made = String::new();
        let mut rest = text;
        while let Some(k) = rest.find('$') {
            made.push_str(&rest[..k]);
            rest = &rest[k..];
            // `$${` and `$$(` are `${` and `$(`.
            if rest.starts_with("$${") || rest.starts_with("$$(") {
                made.push_str(&rest[1..3]);
                rest = &rest[3..];
                continue;
            }
            let close = match rest.as_bytes().get(1) {
                Some(b'{') => b'}',
                Some(b'(') => b')',
                _ => {
                    made.push('$');
                    rest = &rest[1..];
                    continue;
                }
            };
            let Some(end) = closing(rest, close) else {
                return Value::Bad(format!("`{}` is not closed", brief(rest)));
            };
            let inside = &rest[2..end];
            let value = if close == b'}' {
                expression::value(inside, &mut |name| self.lookup(name, scope))
            } else {
                self.substitution(inside, place, scope)
            };
            let value = match value {
                Value::Bad(what) => return Value::Bad(what),
                value => value,
            };
            let whole = made.is_empty() && rest.len() == text.len() && end + 1 == rest.len();
            if whole {
                return value;
            }
            made.push_str(&value.to_string());
            rest = &rest[end + 1..];
            self.written += made.len();
            if made.len() > LONGEST || self.written > MOST_TEXT {
                self.stopped |= self.written > MOST_TEXT;
                return Value::Bad("the expansion has too much text".to_string());
            }
        }
        made.push_str(rest);
        self.written += made.len();
        Value::Text(made)
    }

    /// `$(arg x)`, `$(find package)`, `$(env X)`, `$(optenv X default)`, `$(dirname)`.
    fn substitution(&mut self, inside: &str, place: &Place, scope: usize) -> Value {
        // What is within may be evaluated itself: `$(arg ${name})`.
        let inside = if inside.contains('$') && self.depth < NESTED {
            self.depth += 1;
            let value = self.evaluate(inside, place, scope);
            self.depth -= 1;
            match value {
                Value::Bad(what) => return Value::Bad(what),
                value => value.to_string(),
            }
        } else {
            inside.to_string()
        };
        let words: Vec<&str> = inside.split_whitespace().collect();
        match words[..] {
            ["arg", name] => match self.arguments.get(name) {
                Some(value) => Value::literal(value),
                None => Value::Bad(format!("argument `{name}` has no value")),
            },
            ["find", name] => match packages::folder(name, self.options, self.path(place)) {
                Some(folder) => Value::Text(folder.display().to_string()),
                None => Value::Bad(format!(
                    "package `{name}` is not found: set ROS_PACKAGE_PATH, or give the package's folder"
                )),
            },
            ["env", name] => match std::env::var(name) {
                Ok(value) => Value::Text(value),
                Err(_) => Value::Bad(format!("the environment has no `{name}`")),
            },
            ["optenv", name, ref default @ ..] => {
                Value::Text(std::env::var(name).unwrap_or_else(|_| default.join(" ")))
            }
            ["dirname"] => {
                let folder = self.path(place).parent().map(PathBuf::from).unwrap_or_default();
                Value::Text(folder.display().to_string())
            }
            _ => Value::Bad(format!("`$({})` is beyond what is read here; {RUN}", brief(&inside))),
        }
    }

    /// What a name stands for, seen from a scope.
    fn lookup(&mut self, name: &str, from: usize) -> Value {
        let Some(scope) = (0..=from).rev().find(|&k| self.scopes[k].contains_key(name)) else {
            return Value::Bad(format!("there is no property `{}`", brief(name)));
        };
        let (text, place) = match &self.scopes[scope][name] {
            Property::Value(value) => return value.clone(),
            Property::Block { .. } => return Value::Bad(format!("`{name}` is a block, not a value")),
            Property::Text(text, place) => (text.clone(), place.clone()),
        };
        if self.depth >= NESTED {
            return Value::Bad(format!("property `{name}` is defined by itself, or nested more than {NESTED} deep"));
        }
        // A property that is defined by itself meets this, and not itself again.
        let itself = Value::Bad(format!("property `{name}` is defined by itself"));
        self.scopes[scope].insert(name.to_string(), Property::Value(itself));
        self.depth += 4;
        let value = match self.evaluate(&text, &place, scope) {
            Value::Text(text) => Value::literal(&text),
            value => value,
        };
        self.depth -= 4;
        // What failed is kept too: trying it again at each use could take without end.
        self.scopes[scope].insert(name.to_string(), Property::Value(value.clone()));
        value
    }
}

/// What to do about what is beyond the subset.
const RUN: &str = "run `xacro robot.xacro > robot.urdf` and read that";

/// Where a `${` or `$(` ends: brackets of its kind within count, and texts in quotes don't.
fn closing(text: &str, close: u8) -> Option<usize> {
    let open = if close == b'}' { b'{' } else { b'(' };
    let (mut level, mut quote) = (0, None);
    for (k, &b) in text.as_bytes().iter().enumerate().skip(1) {
        match quote {
            Some(q) if b == q => quote = None,
            Some(_) => {}
            None if close == b'}' && (b == b'\'' || b == b'"') => quote = Some(b),
            None if b == open => level += 1,
            None if b == close => {
                level -= 1;
                if level == 0 {
                    return Some(k);
                }
            }
            None => {}
        }
    }
    None
}

/// `a b:=1 c:='x y' d:=^ e:=^|2 *f **g`.
fn parameters(text: &str) -> Result<Vec<Parameter>, String> {
    let mut found: Vec<Parameter> = vec![];
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == ':' || c == '=').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let (name, block) = match (name.strip_prefix("**"), name.strip_prefix('*')) {
            (Some(name), _) => (name, Some(Block::Content)),
            (None, Some(name)) => (name, Some(Block::Whole)),
            (None, None) => (name, None),
        };
        let proper = |c: char| c.is_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(proper) {
            return Err(format!("`{}` is not a parameter", brief(rest)));
        }
        if found.iter().any(|p| p.name == name) {
            return Err(format!("there are two parameters `{name}`"));
        }
        let mut parameter = Parameter { name: name.to_string(), block, inherits: false, default: None };
        rest = after;
        if let Some(value) = rest.strip_prefix(":=").or_else(|| rest.strip_prefix('=')) {
            if block.is_some() {
                return Err(format!("block `{name}` cannot have a default"));
            }
            let end = default_end(value);
            rest = &value[end..];
            let value = &value[..end];
            let (inherits, default) = match value.strip_prefix('^') {
                None => (false, Some(value)),
                Some("") => (true, None),
                Some(other) => (true, Some(other.strip_prefix('|').unwrap_or(other))),
            };
            parameter.inherits = inherits;
            parameter.default = default.map(str::to_string);
        } else if rest.starts_with(':') {
            return Err(format!("`{}` is not a parameter", brief(rest)));
        }
        found.push(parameter);
        rest = rest.trim_start();
    }
    Ok(found)
}

/// Where a default ends: at a space that is not in quotes, nor in `${…}`.
fn default_end(text: &str) -> usize {
    let (mut level, mut quote) = (0_usize, None);
    for (k, c) in text.char_indices() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == '{' || c == '(' => level += 1,
            None if c == '}' || c == ')' => level = level.saturating_sub(1),
            None if c.is_whitespace() && level == 0 => return k,
            None => {}
        }
    }
    text.len()
}

/// The beginning of a text that may be long.
fn brief(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((k, _)) => format!("{}…", &text[..k]),
        None => text.to_string(),
    }
}
