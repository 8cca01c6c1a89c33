//! Helpers of the XML readers: attribute values, required elements, ignored content, referenced files.

use super::{Element, MAX_NAME_BYTES};
use crate::findings::*;
use crate::message::short;
use crate::source::Place;
use crate::{Diagnostics, Options, packages};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Reads elements and reports problems.
pub(crate) struct Reader<'a> {
    pub diagnostics: &'a mut Diagnostics,
    pub options: &'a Options,
    /// Packages that were not found, each reported once.
    unfound: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    pub fn new(diagnostics: &'a mut Diagnostics, options: &'a Options) -> Self {
        Reader { diagnostics, options, unfound: BTreeSet::new() }
    }

    pub fn report(&mut self, code: &'static Code, place: &Place, message: impl Into<String>) {
        self.diagnostics.report(code, place, message);
    }

    /// `N` finite numbers of an attribute; none if it is missing or (reported) invalid.
    pub fn numbers<const N: usize>(&mut self, e: &Element, name: &str, subject: &str) -> Option<[f64; N]> {
        let a = e.attribute(name)?;
        self.parse_numbers(&a.value, &a.place, &format!("{subject}: `{name}` of <{}>", e.name), false)
    }

    pub fn number(&mut self, e: &Element, name: &str, subject: &str) -> Option<f64> {
        self.numbers::<1>(e, name, subject).map(|[x]| x)
    }

    /// A required number.
    pub fn required(&mut self, e: &Element, name: &str, subject: &str) -> Option<f64> {
        if e.attribute(name).is_none() {
            self.report(A004, &e.place, format!("{subject}: <{}> has no `{name}`", e.name));
        }
        self.number(e, name, subject)
    }

    pub fn parse_numbers<const N: usize>(
        &mut self,
        text: &str,
        place: &Place,
        label: &str,
        unbounded: bool,
    ) -> Option<[f64; N]> {
        let expected = if N == 1 { "a number".to_string() } else { format!("{N} numbers") };
        let parts: Vec<&str> = text.split_whitespace().collect();
        if parts.len() != N {
            self.report(A005, place, format!("{label} is `{}`: expected {expected}", short(text)));
            return None;
        }
        let mut found = [0.0; N];
        for (x, part) in found.iter_mut().zip(&parts) {
            let Ok(value) = part.parse::<f64>() else {
                self.report(A005, place, format!("{label} is `{}`: expected {expected}", short(text)));
                return None;
            };
            if value.is_nan() || (value.is_infinite() && !unbounded) {
                self.report(A202, place, format!("{label} is `{}`, which is not finite", short(text)));
                return None;
            }
            *x = value;
        }
        Some(found)
    }

    /// Between `min` and `max` finite numbers of an attribute.
    pub fn list(&mut self, e: &Element, name: &str, min: usize, max: usize, subject: &str) -> Option<Vec<f64>> {
        let a = e.attribute(name)?;
        let count = a.value.split_whitespace().take(max + 1).count();
        if !(min..=max).contains(&count) {
            let message = format!(
                "{subject}: `{name}` of <{}> is `{}`: expected {min} to {max} numbers",
                e.name,
                short(&a.value)
            );
            self.report(A005, &a.place, message);
            return None;
        }
        let mut found = Vec::with_capacity(count);
        for part in a.value.split_whitespace() {
            let [x] =
                self.parse_numbers(part, &a.place, &format!("{subject}: a number in `{name}` of <{}>", e.name), false)?;
            found.push(x);
        }
        Some(found)
    }

    /// An attribute that is one of `words`.
    pub fn keyword(&mut self, e: &Element, name: &str, words: &[&'static str], subject: &str) -> Option<&'static str> {
        let a = e.attribute(name)?;
        let found = words.iter().copied().find(|w| *w == a.value.trim());
        if found.is_none() {
            let message =
                format!("{subject}: `{name}` of <{}> is `{}`: expected {}", e.name, short(&a.value), words.join(", "));
            self.report(A005, &a.place, message);
        }
        found
    }

    /// A boolean attribute.
    pub fn boolean(&mut self, e: &Element, name: &str, subject: &str) -> Option<bool> {
        self.keyword(e, name, &["true", "false"], subject).map(|w| w == "true")
    }

    /// A required name.
    pub fn name(&mut self, e: &Element, subject: &str) -> Option<String> {
        match e.attribute("name").filter(|a| !a.value.trim().is_empty()) {
            Some(a) if a.value.len() > MAX_NAME_BYTES => {
                self.report(A005, &a.place, format!("{subject} has a name of more than {MAX_NAME_BYTES} bytes"));
                None
            }
            Some(a) => Some(a.value.clone()),
            None => {
                self.report(A004, &e.place, format!("{subject} has no `name`"));
                None
            }
        }
    }

    /// The first child `name`; reports further ones.
    pub fn single_child<'e>(&mut self, e: &'e Element, name: &str, subject: &str) -> Option<&'e Element> {
        let mut all = e.children.iter().filter(|c| c.name == name);
        let first = all.next()?;
        for again in all {
            self.report(A501, &again.place, format!("{subject}: second <{name}> ignored"));
        }
        Some(first)
    }

    pub fn unused(&mut self, e: &Element, subject: &str) {
        self.report(A501, &e.place, format!("{subject}: <{}> ignored", e.name));
    }

    pub fn unused_attributes(&mut self, e: &Element, used: &[&str], subject: &str) {
        for a in e.attributes.iter().filter(|a| !used.contains(&a.name.as_str())) {
            self.report(A502, &a.place, format!("{subject}: `{}` of <{}> ignored", a.name, e.name));
        }
    }

    /// Reports all ignored attributes in one finding, for formats with many visual attributes.
    pub fn unused_together(&mut self, e: &Element, used: &[&str], subject: &str) {
        let mut all = e.attributes.iter().filter(|a| !used.contains(&a.name.as_str())).peekable();
        let Some(place) = all.peek().map(|a| a.place.clone()) else { return };
        let names: Vec<String> = all.map(|a| format!("`{}`", a.name)).collect();
        self.report(A502, &place, format!("{subject}: {} of <{}> ignored", names.join(", "), e.name));
    }

    pub fn unused_children(&mut self, e: &Element, used: &[&str], subject: &str) {
        for c in e.children.iter().filter(|c| !used.contains(&c.name.as_str())) {
            self.unused(c, subject);
        }
    }

    /// Checks that a referenced file exists.
    pub fn asset(&mut self, uri: &str, place: &Place, subject: &str) {
        let from = self.diagnostics.sources.files[place.file].path.clone();
        let path: PathBuf = if let Some((_, inside)) =
            uri.split_once("://").filter(|(scheme, _)| ["package", "model"].contains(scheme))
        {
            let (package, rest) = inside.split_once('/').unwrap_or((inside, ""));
            match packages::folder(package, self.options, &from) {
                Some(folder) => folder.join(rest),
                None => {
                    if self.unfound.insert(package.to_string()) {
                        self.report(
                            A401,
                            place,
                            format!("{subject}: package `{package}` of `{}` not found", short(uri)),
                        );
                    }
                    return;
                }
            }
        } else if let Some(absolute) = uri.strip_prefix("file://") {
            PathBuf::from(absolute)
        } else if uri.contains("://") {
            return self.report(A402, place, format!("{subject}: `{}` cannot be checked", short(uri)));
        } else {
            from.parent().unwrap_or(Path::new("")).join(uri)
        };
        if !path.is_file() {
            self.report(A402, place, format!("{subject}: file `{}` not found", short(uri)));
        }
    }
}
