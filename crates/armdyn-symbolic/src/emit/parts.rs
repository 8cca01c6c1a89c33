//! A large program as consecutive parts, each a function of its own; values pass from part to part through slots of an array.

use super::listing::Body;
use std::collections::HashMap;
use std::ops::Range;

/// Consecutive steps of a program.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub steps: Range<usize>,
    /// The slots of the values of earlier parts that it reads.
    pub read: HashMap<&'a str, usize>,
    /// The slots of its values that later parts read.
    pub written: HashMap<&'a str, usize>,
}

impl Part<'_> {
    /// A whole program as one part.
    pub fn whole(body: &Body) -> Self {
        Part { steps: 0..body.steps.len(), read: HashMap::new(), written: HashMap::new() }
    }
}

/// The step that defines a value, and the last one that reads it.
fn lifetimes(body: &Body) -> HashMap<&str, Range<usize>> {
    let mut lives: HashMap<&str, Range<usize>> = HashMap::new();
    for (k, step) in body.steps.iter().enumerate() {
        step.value().each_leaf(&mut |leaf| {
            if let Some(life) = leaf.name().and_then(|name| lives.get_mut(name)) {
                life.end = k;
            }
        });
        step.names().for_each(|name| _ = lives.insert(name, k..k));
    }
    lives
}

/// Cuts a program into parts of about `size` steps, where few values pass; also returns the number of slots.
///
/// A part never writes a slot that it reads, so that the compiler may move its reads and writes.
pub(super) fn cut(body: &Body, size: usize) -> (Vec<Part<'_>>, usize) {
    let (total, lives) = (body.steps.len(), lifetimes(body));
    // The number of values that pass between step k − 1 and step k.
    let mut passing = vec![0isize; total + 2];
    for life in lives.values() {
        passing[life.start + 1] += 1;
        passing[life.end + 1] -= 1;
    }
    for k in 1..passing.len() {
        passing[k] += passing[k - 1];
    }
    let count = total.div_ceil(size.max(1)).max(1);
    let near = total / count / 8;
    let even = |p: usize| p * total / count;
    let best = |p: usize| (even(p) - near..=even(p) + near).min_by_key(|&k| (passing[k], even(p).abs_diff(k)));
    let cuts: Vec<usize> = (1..count).filter_map(best).chain([total]).collect();

    let mut parts: Vec<Part> = vec![];
    let (mut free, mut slots): (Vec<usize>, usize) = (vec![], 0);
    // The values in slots, with their last reads.
    let mut kept: Vec<(&str, usize, usize)> = vec![];
    let mut from = 0;
    for to in cuts {
        kept.retain(|&(_, slot, last)| {
            let needed = last >= from;
            if !needed {
                free.push(slot);
            }
            needed
        });
        let read = kept.iter().map(|&(name, slot, _)| (name, slot)).collect();
        let mut written = HashMap::new();
        for name in body.steps[from..to].iter().flat_map(|s| s.names()) {
            let last = lives[name].end;
            if last >= to {
                let slot = free.pop().unwrap_or_else(|| {
                    slots += 1;
                    slots - 1
                });
                written.insert(name, slot);
                kept.push((name, slot, last));
            }
        }
        parts.push(Part { steps: from..to, read, written });
        from = to;
    }
    (parts, slots)
}
