//! Unique names that XML allows.

use std::collections::{HashMap, HashSet};

/// Names of links or joints: original and written.
#[derive(Default)]
pub(in crate::export) struct Names {
    written: HashMap<String, String>,
    taken: HashSet<String>,
}

impl Names {
    /// Registers a name; returns the written name if it differs. A name without letters becomes `instead`.
    pub fn take(&mut self, name: &str, instead: &str) -> Option<String> {
        let allowed = allowed(name);
        let wanted = if allowed.trim().is_empty() { instead.to_string() } else { allowed };
        let written = self.invent(&wanted);
        self.written.insert(name.to_string(), written.clone());
        (written != name).then_some(written)
    }

    /// An unused name: this one, or with a number appended.
    pub fn invent(&mut self, wanted: &str) -> String {
        let wanted = allowed(wanted);
        let further = (2..).map(|k| format!("{wanted}_{k}"));
        let mut free = std::iter::once(wanted.clone()).chain(further).filter(|n| !self.taken.contains(n));
        let name = free.next().unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// The written name.
    pub fn of<'a>(&'a self, name: &'a str) -> &'a str {
        self.written.get(name).map_or(name, String::as_str)
    }

    /// Whether a name is in use.
    pub fn knows(&self, name: &str) -> bool {
        self.written.contains_key(name)
    }
}

/// Replaces characters that XML 1.0 does not allow by `_`.
pub(in crate::export) fn allowed(text: &str) -> String {
    let fits = |c: char| matches!(c, '\t' | '\n' | '\r') || (c >= ' ' && c != '\u{FFFE}' && c != '\u{FFFF}');
    text.chars().map(|c| if fits(c) { c } else { '_' }).collect()
}
