//! Helpers of the XML readers: attribute values, required elements, ignored content, referenced files.

use super::{Attribute, Element, MAX_NAME_BYTES};
use crate::findings::*;
use crate::message::short;
use crate::source::Place;
use crate::{Diagnostics, Options, packages};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
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
        self.list(e, name, N, N, subject)?.try_into().ok()
    }

    pub fn number(&mut self, e: &Element, name: &str, subject: &str) -> Option<f64> {
        self.numbers::<1>(e, name, subject).map(|[x]| x)
    }

    /// A required number.
    pub fn required(&mut self, e: &Element, name: &str, subject: &str) -> Option<f64> {
        self.required_attribute(e, name, subject)?;
        self.number(e, name, subject)
    }

    /// A mass or density, by its attribute; reports a negative one.
    pub fn weight(&mut self, e: &Element, name: &str, (quantity, unit): (&str, &str), subject: &str) -> Option<f64> {
        let x = self.number(e, name, subject)?;
        if x < 0.0 {
            self.report(A201, e.place_of(name), format!("{subject}: negative {quantity} of {x} {unit}"));
        }
        Some(x)
    }

    pub fn required_attribute<'e>(&mut self, e: &'e Element, name: &str, subject: &str) -> Option<&'e Attribute> {
        let found = e.attribute(name);
        if found.is_none() {
            self.report(A004, &e.place, format!("{subject}: <{}> has no `{name}`", e.name));
        }
        found
    }

    /// Between `min` and `max` finite numbers of an attribute.
    pub fn list(&mut self, e: &Element, name: &str, min: usize, max: usize, subject: &str) -> Option<Vec<f64>> {
        let a = e.attribute(name)?;
        let label = format!("{subject}: `{name}` of <{}>", e.name);
        self.parse_numbers(&a.value, &a.place, &label, min..=max, false)
    }

    /// The numbers of a text; finite unless `unbounded`.
    pub fn parse_numbers(
        &mut self,
        text: &str,
        place: &Place,
        label: &str,
        count: RangeInclusive<usize>,
        unbounded: bool,
    ) -> Option<Vec<f64>> {
        let words = text.split_whitespace().take(count.end() + 1);
        let found: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
        let Some(found) = found.filter(|found| count.contains(&found.len())) else {
            let expected = match count.into_inner() {
                (1, 1) => "a number".to_string(),
                (min, max) if min == max => format!("{min} numbers"),
                (min, max) => format!("{min} to {max} numbers"),
            };
            self.report(A005, place, format!("{label} is `{}`: expected {expected}", short(text)));
            return None;
        };
        if found.iter().any(|x| x.is_nan() || (x.is_infinite() && !unbounded)) {
            self.report(A202, place, format!("{label} is `{}`, which is not finite", short(text)));
            return None;
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

    /// The first child `name`, which is required.
    pub fn required_child<'e>(&mut self, e: &'e Element, name: &str, subject: &str) -> Option<&'e Element> {
        let found = self.single_child(e, name, subject);
        if found.is_none() {
            self.report(A004, &e.place, format!("{subject}: <{}> has no <{name}>", e.name));
        }
        found
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

    /// The path of a referenced file; reports one that does not exist.
    pub fn asset(&mut self, uri: &str, place: &Place, subject: &str) -> Option<PathBuf> {
        let from = self.diagnostics.sources.files[place.file].path.clone();
        let path: PathBuf = if let Some((_, inside)) =
            uri.split_once("://").filter(|(scheme, _)| ["package", "model"].contains(scheme))
        {
            let (package, rest) = inside.split_once('/').unwrap_or((inside, ""));
            match packages::folder(package, self.options, &from) {
                Some(folder) => folder.join(rest),
                None => {
                    if self.unfound.insert(package.to_string()) {
                        let message = format!("{subject}: package `{package}` of `{}` not found", short(uri));
                        self.report(A401, place, message);
                    }
                    return None;
                }
            }
        } else if let Some(absolute) = uri.strip_prefix("file://") {
            PathBuf::from(absolute)
        } else if uri.contains("://") {
            self.report(A402, place, format!("{subject}: `{}` cannot be checked", short(uri)));
            return None;
        } else {
            from.parent().unwrap_or(Path::new("")).join(uri)
        };
        if !path.is_file() {
            self.report(A402, place, format!("{subject}: file `{}` not found", short(uri)));
            return None;
        }
        Some(path)
    }
}
