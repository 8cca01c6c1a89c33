//! CUDA: the statements of a function of one state, or of a part of it.

use super::Module;
use super::c::CFamily;
use super::cuda::in_cuda;
use super::listing::{Dialect, Listing, Term};
use super::parts::Part;
use std::collections::{HashMap, HashSet};

/// An element of an array: `stride` apart but for those of `k`.
fn strided(array: &str, i: usize) -> String {
    match (array, i) {
        ("k", i) => format!("k[{i}]"),
        (array, 0) => format!("{array}[0]"),
        (array, i) => format!("{array}[{i} * stride]"),
    }
}

/// A slot of the array through which values pass from part to part: `states` apart.
fn slot(array: &str, i: usize) -> String {
    if i == 0 { format!("{array}[0]") } else { format!("{array}[{i} * states]") }
}

/// The variable of an element of an input array.
fn variable(array: &str, i: usize) -> String {
    format!("{array}_{i}")
}

/// The statements of a part of a function of one state. They return whether the results of the part are finite and its pivots
/// positive. Results are stored at the end if `kept`, else as soon as they are computed. Values of earlier parts are read from `from`,
/// those for later parts are written to `to`.
pub(super) fn statements(module: &Module, l: &Listing, part: &Part, kept: bool) -> String {
    let body = &l.call.body;
    // By name; the first part also has those without one.
    let mut results: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
    body.results.iter().enumerate().for_each(|(i, r)| results.entry(r.name()).or_default().push(i));
    let mut pivots: HashMap<Option<&str>, Vec<&Term>> = HashMap::new();
    body.pivots.iter().for_each(|p| pivots.entry(p.name()).or_default().push(p));

    in_cuda(module, &variable, |c| {
        let mut reader = Reader { part, places: HashSet::new(), names: HashSet::new() };
        let (mut text, mut stores) = (String::new(), String::new());
        let mut finish = |name: Option<&str>, text: &mut String, reader: &mut Reader| {
            for pivot in pivots.get(&name).into_iter().flatten() {
                *text += &reader.read(c, pivot);
                *text += &format!("    valid &= {} > {};\n", c.operand(pivot, 1), c.number(0.0));
            }
            let own = results.get(&name).map_or(&[][..], Vec::as_slice);
            for &i in own {
                let result = &body.results[i];
                *text += &reader.read(c, result);
                let store = format!("    {} = {};\n", strided(l.call.output, i), c.write(result));
                *(if kept { &mut stores } else { &mut *text }) += &store;
            }
            if let (Some(name), false) = (name, own.is_empty()) {
                *(if kept { &mut stores } else { &mut *text }) += &format!("    zero += {name} * 0;\n");
            }
        };
        if part.steps.start == 0 {
            finish(None, &mut text, &mut reader);
        }
        for step in &body.steps[part.steps.clone()] {
            text += &reader.read(c, step.value());
            text += &c.step(step);
            for name in step.names() {
                if let Some(&i) = part.written.get(name) {
                    text += &format!("    {} = {name};\n", slot("to", i));
                }
                finish(Some(name), &mut text, &mut reader);
            }
        }
        let unread = l.call.inputs.iter().filter(|(array, _)| reader.places.iter().all(|(a, _)| a != array));
        let unread: String = unread.map(|(array, _)| c.unread(array)).collect();
        let real = c.real;
        format!("{unread}    {real} zero = 0;\n    int valid = 1;\n{text}{stores}    return valid && zero == 0;\n")
    })
}

/// What a function has read so far.
struct Reader<'a> {
    part: &'a Part<'a>,
    /// Elements of input arrays.
    places: HashSet<(&'static str, usize)>,
    /// Values of earlier parts.
    names: HashSet<&'a str>,
}

impl Reader<'_> {
    /// Assigns the inputs and the values of earlier parts in a term to variables, unless they have been read before.
    fn read(&mut self, c: &CFamily, term: &Term) -> String {
        let mut text = String::new();
        term.each_leaf(&mut |leaf| {
            if let Some((array, i)) = leaf.place().filter(|place| self.places.insert(*place)) {
                text += &c.assign(&variable(array, i), &strided(array, i));
            }
            let earlier = leaf.name().and_then(|name| self.part.read.get_key_value(name));
            if let Some((name, &i)) = earlier.filter(|(name, _)| self.names.insert(name)) {
                text += &c.assign(name, &slot("from", i));
            }
        });
        text
    }
}
