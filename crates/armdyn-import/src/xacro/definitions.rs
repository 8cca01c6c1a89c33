//! Definitions: `<xacro:property>`, `<xacro:macro>`, `<xacro:arg>`.

use super::expression::{self, Value};
use super::tables::{Macro, Parameter, Property};
use super::{Expander, MAX_LENGTH, brief};
use crate::xml::Element;
use std::rc::Rc;

impl Expander<'_> {
    pub(super) fn property(&mut self, e: &Rc<Element>) {
        let Some(name) = self.required(e, "name") else { return };
        let name = self.text(&name.value, &name.place);
        if !expression::is_name(&name) || name.starts_with("__") {
            return self.problem(&e.place, format!("invalid property name `{}`", brief(&name)));
        }
        let [remove, lazy] = [("remove", false), ("lazy_eval", true)].map(|(flag, default)| {
            let Some(a) = e.attribute(flag) else { return Some(default) };
            match self.evaluate(&a.value, &a.place, self.here).condition() {
                Ok(truth) => Some(truth),
                Err(message) => {
                    self.problem(&a.place, message);
                    None
                }
            }
        });
        let (Some(remove), Some(mut lazy)) = (remove, lazy) else { return };
        let (given, default) = (e.attribute("value"), e.attribute("default"));
        if usize::from(given.is_some()) + usize::from(default.is_some()) + usize::from(remove) > 1 {
            return self.problem(&e.place, format!("property `{name}`: use only one of `value`, `default`, `remove`"));
        }
        let here = self.here;
        if remove {
            return self.tables.remove(&name, here);
        }
        if default.is_some() && (self.tables.holder(&name, here).is_some() || expression::is_known(&name)) {
            return;
        }
        let table = match e.attribute("scope").map(|a| a.value.as_str()) {
            Some("parent") => match self.tables.parent(here) {
                Some(parent) => parent,
                None => return self.problem(&e.place, format!("property `{name}`: there is no parent scope")),
            },
            Some("global") => 0,
            None | Some("") => here,
            Some(other) => {
                return self.problem(&e.place, format!("unknown scope `{}`: expected parent or global", brief(other)));
            }
        };
        // Values for other scopes are evaluated in this one.
        lazy &= e.attribute("scope").is_none_or(|a| a.value.is_empty());
        let Some(a) = given.or(default) else {
            return self.tables.set(table, &format!("**{name}"), Property::Block(e.clone()));
        };
        let property = match lazy {
            true => match Value::literal(&a.value) {
                Value::Text(text) => Property::Text(text, a.place.clone()),
                value => Property::Value(value),
            },
            false => match self.typed(&a.value, &a.place) {
                Value::Bad(message) => return self.problem(&a.place, message),
                value => Property::Value(value),
            },
        };
        self.tables.set(table, &name, property);
    }

    pub(super) fn define(&mut self, e: &Rc<Element>) {
        let Some(name) = self.required(e, "name") else { return };
        let bare = name.value.strip_prefix("xacro:").unwrap_or(&name.value);
        if bare == "call" || bare.contains('.') {
            return self.problem(&name.place, format!("invalid macro name `{}`", brief(bare)));
        }
        let text = e.attribute("params").map_or("", |a| a.value.as_str());
        match parameters(text) {
            Ok(parameters) => {
                self.tables.add_macro(self.here, bare, Macro { parameters, body: e.clone() });
            }
            Err(message) => {
                let place = e.attribute("params").map_or(&e.place, |a| &a.place);
                self.problem(place, format!("macro `{}`: {message}", brief(bare)));
            }
        }
    }

    pub(super) fn argument(&mut self, e: &Element) {
        let Some(name) = self.required(e, "name") else { return };
        if let Some(default) = e.attribute("default")
            && !self.arguments.contains_key(&name.value)
        {
            let value = self.text(&default.value, &default.place);
            self.arguments.insert(name.value.clone(), value);
        }
    }
}

/// `a b:=1 c = 'x y' d:=^ e:=^|2 *f **g`.
fn parameters(text: &str) -> Result<Vec<Parameter>, String> {
    if text.len() > MAX_LENGTH {
        return Err(format!("`params` is longer than {} KiB", MAX_LENGTH >> 10));
    }
    let mut found: Vec<Parameter> = vec![];
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == ':' || c == '=').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.trim_start_matches('*').is_empty() {
            return Err(format!("invalid parameter `{}`", brief(rest)));
        }
        if found.iter().any(|p| p.name == name) {
            return Err(format!("duplicate parameter `{}`", brief(name)));
        }
        let mut parameter = Parameter { name: name.to_string(), inherits: false, default: None };
        rest = after;
        let set = after.trim_start();
        if let Some(value) = set.strip_prefix(":=").or_else(|| set.strip_prefix('=')) {
            if name.starts_with('*') {
                return Err(format!("block parameter `{}` must not have a default", brief(name)));
            }
            let value = value.trim_start();
            parameter.inherits = value.starts_with('^');
            let value = value.strip_prefix("^|").or_else(|| value.strip_prefix('^')).unwrap_or(value);
            let end = default_end(value)?;
            rest = &value[end..];
            parameter.default = (end > 0).then(|| value[..end].to_string());
        } else if rest.starts_with(':') {
            return Err(format!("invalid parameter `{}`", brief(rest)));
        }
        found.push(parameter);
        rest = rest.trim_start();
    }
    Ok(found)
}

/// The end of a default: a space outside quotes. As in xacro, one that starts with `${` or `$(` ends at the first `}` or `)`
/// followed by a space.
fn default_end(text: &str) -> Result<usize, String> {
    let ends = |k: usize| text[k..].chars().next().is_none_or(char::is_whitespace);
    for (open, close) in [("${", '}'), ("$(", ')')] {
        if text.starts_with(open)
            && let Some(k) = text.match_indices(close).map(|(k, _)| k + 1).find(|&k| ends(k))
        {
            return Ok(k);
        }
    }
    let mut quote = None;
    for (k, c) in text.char_indices() {
        match quote {
            Some(q) => quote = quote.filter(|_| c != q),
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c.is_whitespace() => return Ok(k),
            None => {}
        }
    }
    if quote.is_some() { Err(format!("unclosed quote in `{}`", brief(text))) } else { Ok(text.len()) }
}
