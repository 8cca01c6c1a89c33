//! Names that XML can hold, each once.

use std::collections::{HashMap, HashSet};

/// Names of links, or of joints, as they are described and as they are written.
#[derive(Default)]
pub(super) struct Names {
    written: HashMap<String, String>,
    taken: HashSet<String>,
}

impl Names {
    /// Takes a name; the one that is written if it is another. One without a letter is called `instead`.
    pub fn take(&mut self, name: &str, instead: &str) -> Option<String> {
        let allowed = allowed(name);
        let wanted = if allowed.trim().is_empty() { instead.to_string() } else { allowed };
        let written = self.invent(&wanted);
        self.written.insert(name.to_string(), written.clone());
        (written != name).then_some(written)
    }

    /// A name that nothing has: this one, or with a number behind it.
    pub fn invent(&mut self, wanted: &str) -> String {
        let wanted = allowed(wanted);
        let further = (2..).map(|k| format!("{wanted}_{k}"));
        let mut free = std::iter::once(wanted.clone()).chain(further).filter(|n| !self.taken.contains(n));
        let name = free.next().unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// The name that is written.
    pub fn of<'a>(&'a self, name: &'a str) -> &'a str {
        self.written.get(name).map_or(name, String::as_str)
    }

    /// Whether a name is taken as it is.
    pub fn knows(&self, name: &str) -> bool {
        self.written.contains_key(name)
    }
}

/// A text with `_` for each character that XML 1.0 has not.
pub(super) fn allowed(text: &str) -> String {
    let fits = |c: char| matches!(c, '\t' | '\n' | '\r') || (c >= ' ' && c != '\u{FFFE}' && c != '\u{FFFF}');
    text.chars().map(|c| if fits(c) { c } else { '_' }).collect()
}

/// A text as the value of an attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A reader turns these into spaces unless they are written by number.
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}
