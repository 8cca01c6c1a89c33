//! The contents of a document on a robot's equations, independent of the format.

use super::math::{Letters, Math, letter};
use super::supplements;
use crate::closed::{Coefficient, Coordinate, Equations, Parameters, Tensor, Trigonometry};

/// Text, or a formula in it.
#[derive(Clone, Debug)]
pub(super) enum Span {
    Text(String),
    Math(Math),
}

/// An equation.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub left: Math,
    pub right: Math,
    /// The unit of the right-hand side, or empty.
    pub unit: &'static str,
}

/// A block of a document.
#[derive(Clone, Debug)]
pub(super) enum Block {
    Heading(String),
    Text(Vec<Span>),
    Table {
        header: Vec<&'static str>,
        rows: Vec<Vec<Span>>,
        tight: bool,
    },
    Lines(Vec<Line>),
    /// A formula of a document.
    Formula {
        unicode: &'static str,
        latex: &'static str,
    },
}

/// A document.
pub(super) struct Document {
    pub title: String,
    pub blocks: Vec<Block>,
}

pub(super) fn text(t: impl Into<String>) -> Span {
    Span::Text(visible(&t.into()))
}

/// Replaces control and bidirectional characters in names from untrusted files by their code points.
pub(super) fn visible(t: &str) -> String {
    let hidden = |c: char| {
        c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
    };
    t.chars().map(|c| if hidden(c) { format!("U+{:04X}", u32::from(c)) } else { c.to_string() }).collect()
}

pub(super) fn value(x: f64) -> Span {
    Span::Math(Math::Sum(vec![(x < 0.0, Math::Decimal(x.abs()))]))
}

/// Maximum length of equations for which full torques and energies are printed.
pub(super) const SHORT: usize = 120;
/// Maximum number of rows of a printed matrix.
const ROWS: usize = 10;

impl Document {
    pub fn on(e: &Equations) -> Self {
        let mut blocks = vec![];
        opening(e, &mut blocks);
        coordinates(e, &mut blocks);
        parameters(e, &mut blocks);
        let zeros = |i: &usize| e.gravity(*i).is_zero();
        let n = e.size();
        blocks.push(Block::Heading("Gravity".to_string()));
        blocks.push(lines(e, (0..n).filter(|i| !zeros(i)).map(|i| (vec![i], e.gravity(i)))));
        all_zero(e, (0..n).filter(zeros).map(|i| vec![i]).collect(), &mut blocks);
        blocks.push(Block::Heading("Inertia".to_string()));
        let pairs: Vec<[usize; 2]> = (0..n).flat_map(|i| (i..n).map(move |j| [i, j])).collect();
        let (zero, other): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|&[i, j]| e.inertia(i, j).is_zero());
        blocks.push(lines(e, other.into_iter().map(|[i, j]| (vec![i, j], e.inertia(i, j)))));
        all_zero(e, zero.into_iter().map(|p| p.to_vec()).collect(), &mut blocks);
        velocities(e, &mut blocks);
        vectors(e, &mut blocks);
        supplements::energy(e, &mut blocks);
        supplements::wrenches(e, &mut blocks);
        supplements::cartesian(e, &mut blocks);
        Document { title: visible(&format!("Equations of motion: {}", e.robot)), blocks }
    }
}

fn opening(e: &Equations, blocks: &mut Vec<Block>) {
    let l = |base, number: &str| Math::Letter(letter(base, number));
    let dotted = |number: &str, dots| {
        let mut q = letter("q", number);
        q.dots = dots;
        Math::Letter(q)
    };
    let row = Math::Row;
    let [one, two, three] = [1, 2, 3].map(|k| e.options.notation.letter(k));
    let terms = vec![
        (false, row(vec![Math::Total("j"), l(two, "ij"), dotted("j", 2)])),
        (false, row(vec![Math::Total("j"), Math::Total("k"), l(three, "ijk"), dotted("j", 1), dotted("k", 1)])),
        (false, l(one, "i")),
    ];
    let matrices = vec![
        (false, row(vec![l("M", ""), dotted("", 2)])),
        (false, row(vec![l("C", ""), dotted("", 1)])),
        (false, l("g", "")),
    ];
    blocks.push(Block::Lines(vec![
        Line { left: l("τ", "i"), right: Math::Sum(terms), unit: "" },
        Line { left: l("τ", ""), right: Math::Sum(matrices), unit: "" },
    ]));
    let drives = if e.options.drives { "The inertia of the drives is included" } else { "Drives are excluded" };
    blocks.push(Block::Text(vec![
        Span::Math(l("τ", "i")),
        text(" is the torque or force of joint i. "),
        Span::Math(l(two, "ij")),
        text(" is element i, j of M; "),
        Span::Math(l(one, "i")),
        text(" is element i of g; "),
        Span::Math(l(three, "ijk")),
        text(" is a Christoffel symbol; element i, j of C is the sum of "),
        Span::Math(row(vec![l(three, "ijk"), dotted("k", 1)])),
        text(" over k. The sum over j and k includes both orders: two different velocities contribute "),
        Span::Math(row(vec![Math::Number(2.0), l(three, "ijk"), dotted("j", 1), dotted("k", 1)])),
        text(format!(". {drives}; friction is excluded.")),
    ]));
    let mut spans = vec![
        Span::Math(l("s", "2")),
        text(" is "),
        Span::Math(row(vec![Math::Word("sin", 1), l("θ", "2")])),
        text(", "),
        Span::Math(l("c", "23")),
        text(" is "),
        Span::Math(row(vec![
            Math::Word("cos", 1),
            Math::Brackets(Box::new(Math::Sum(vec![(false, l("θ", "2")), (false, l("θ", "3"))])), 1),
        ])),
        text(", and so on."),
    ];
    if e.options.trigonometry == Trigonometry::MultipleAngles {
        spans.push(text(" Products of sines and cosines are written as sums of multiple angles."));
    }
    blocks.push(Block::Text(spans));
}

fn coordinates(e: &Equations, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading("Joints and frames".to_string()));
    let row = |(i, f): (usize, &crate::closed::DegreeOfFreedom)| {
        let (kind, unit) = match f.coordinate {
            Coordinate::Angle => ("revolute", "rad"),
            Coordinate::Length => ("prismatic", "m"),
        };
        let coordinate = Span::Math(Math::Letter(Letters(e).coordinate(i, 0)));
        vec![text((i + 1).to_string()), text(&f.name), coordinate, text(kind), text(&f.link), text(unit)]
    };
    let header = vec!["", "joint", "coordinate", "type", "link", "unit"];
    blocks.push(Block::Table { header, rows: e.dofs.iter().enumerate().map(row).collect(), tight: false });
    let [x, y, z] = e.gravity_vector.map(|g| format!("{}", g + 0.0).replace('-', "−"));
    let about = match e.options.tensor {
        Tensor::Origin => "the origin of its frame",
        Tensor::Centre => "its centre of mass",
    };
    blocks.push(Block::Text(vec![text(format!(
        "Link frames are those of the robot file; fixed links are part of their parent. The centre of mass (x, y, z) and the \
         inertia tensor I, about {about}, are expressed in the link frame; products of inertia are elements of the tensor: \
         Ixy = −∫ x y dm. Gravity is ({x}, {y}, {z}) m/s² in base axes."
    ))]));
    let rounded = e.rounded_angles.lines();
    if !rounded.is_empty() {
        let list = format!("Rounded angles of the robot file that were made exact: {}.", rounded.join(". "));
        blocks.push(Block::Text(vec![text(list)]));
    }
}

fn parameters(e: &Equations, blocks: &mut Vec<Block>) {
    if e.options.parameters == Parameters::Numeric {
        let note = "Parameter values are numbers in SI units, rounded to six digits.";
        blocks.push(Block::Text(vec![text(note)]));
        return;
    }
    blocks.push(Block::Heading("Parameters".to_string()));
    blocks.extend(parameter_table(e));
    if !e.groups.is_empty() {
        blocks.push(Block::Heading("Parameter groups".to_string()));
        let line = |(k, g): (usize, &crate::closed::Group)| Line {
            left: Math::Letter(Letters(e).group(k)),
            right: Letters(e).sum(&g.definition),
            unit: "",
        };
        blocks.push(Block::Lines(e.groups.iter().enumerate().map(line).collect()));
        let row = |(k, g): (usize, &crate::closed::Group)| {
            vec![Span::Math(Math::Letter(Letters(e).group(k))), value(g.value)]
        };
        let rows = e.groups.iter().enumerate().map(row).collect();
        blocks.push(Block::Table { header: vec!["group", "value"], rows, tight: false });
    }
}

/// The parameters that occur in equations, with their values.
pub(super) fn parameter_table(e: &Equations) -> Vec<Block> {
    let mut blocks = vec![];
    let rows = e.parameters.iter().filter(|p| e.uses(p)).map(|p| {
        let symbol = Span::Math(Math::Letter(Letters(e).symbol(&p.symbol)));
        vec![symbol, value(p.value), text(p.unit), text(&p.meaning)]
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        blocks.push(Block::Text(vec![text("The equations contain no parameters.")]));
    } else {
        blocks.push(Block::Table { header: vec!["symbol", "value", "unit", "description"], rows, tight: false });
    }
    if e.parameters.iter().any(|p| !e.uses(p)) {
        let note = "Parameters that occur in no equation are omitted.";
        blocks.push(Block::Text(vec![text(note)]));
    }
    blocks
}

/// A coefficient by its indices: D₁₂, or M₁₂.
pub(super) fn coefficient(e: &Equations, indices: &[usize]) -> Math {
    Letters(e).indexed(e.options.notation.letter(indices.len()), indices)
}

fn lines<'a>(e: &Equations, all: impl Iterator<Item = (Vec<usize>, &'a Coefficient)>) -> Block {
    let line = |(indices, c): (Vec<usize>, &Coefficient)| Line {
        left: coefficient(e, &indices),
        right: Letters(e).sum(&c.written),
        unit: "",
    };
    Block::Lines(all.map(line).collect())
}

fn all_zero(e: &Equations, indices: Vec<Vec<usize>>, blocks: &mut Vec<Block>) {
    if indices.is_empty() {
        return;
    }
    blocks.push(zeros(indices.iter().map(|at| coefficient(e, at)).collect()));
}

/// "Identically zero: D₁, D₂."
pub(super) fn zeros(all: Vec<Math>) -> Block {
    let mut spans = vec![text("Identically zero: ")];
    let count = all.len();
    for (k, m) in all.into_iter().enumerate() {
        spans.push(Span::Math(m));
        spans.push(text(if k + 1 == count { "." } else { ", " }));
    }
    Block::Text(spans)
}

fn velocities(e: &Equations, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading("Coriolis and centrifugal terms".to_string()));
    let n = e.size();
    let (zeros, total) = (e.zeros().len(), e.triples().count());
    let mut written = vec![];
    let mut same = vec![];
    for at in e.triples().filter(|&[i, j, k]| !e.velocity(i, j, k).is_zero()) {
        match e.duplicate_of(at) {
            None => written.push(at),
            Some(other) => same.push((at, other)),
        }
    }
    blocks.push(Block::Text(vec![text(format!(
        "Of the {total} coefficients with j ≤ k, {zeros} are identically zero. Of the other {}: listed here {}, equal to one of these \
         or its negative {}.",
        total - zeros,
        written.len(),
        same.len()
    ))]));
    let at = |[i, j, k]: [usize; 3]| (vec![i, j, k], e.velocity(i, j, k));
    blocks.push(lines(e, written.iter().copied().map(at)));
    if !same.is_empty() {
        let line = |&(at, (other, negative)): &([usize; 3], ([usize; 3], bool))| Line {
            left: coefficient(e, &at),
            right: Math::Sum(vec![(negative, coefficient(e, &other))]),
            unit: "",
        };
        blocks.push(Block::Lines(same.iter().map(line).collect()));
    }
    if n > 1 && n <= 8 {
        blocks.push(Block::Text(vec![text(
            "Non-zero coefficients (row i, columns j k; ● listed above, = equal to another, ± its negative):",
        )]));
        let pairs: Vec<[usize; 2]> = (0..n).flat_map(|j| (j..n).map(move |k| [j, k])).collect();
        let mark = |t: [usize; 3]| {
            if e.velocity(t[0], t[1], t[2]).is_zero() {
                return "·";
            }
            match same.iter().find(|s| s.0 == t) {
                None => "●",
                Some((_, (_, false))) => "=",
                Some((_, (_, true))) => "±",
            }
        };
        let mut rows =
            vec![std::iter::once(text("")).chain(pairs.iter().map(|p| text(Letters(e).joined(p)))).collect::<Vec<_>>()];
        for i in 0..n {
            let marks = pairs.iter().map(|&[j, k]| text(mark([i, j, k])));
            rows.push(std::iter::once(text((i + 1).to_string())).chain(marks).collect());
        }
        blocks.push(Block::Table { header: vec![], rows, tight: true });
    }
}

fn vectors(e: &Equations, blocks: &mut Vec<Block>) {
    let n = e.size();
    let l = Letters(e);
    let or_zero = |c: &Coefficient, indices: &[usize]| {
        if c.is_zero() { Math::Number(0.0) } else { coefficient(e, indices) }
    };
    blocks.push(Block::Heading("Matrices".to_string()));
    let mass = (0..n).map(|i| (0..n).map(|j| or_zero(e.inertia(i, j), &[i.min(j), i.max(j)])).collect()).collect();
    let gravity = (0..n).map(|i| vec![or_zero(e.gravity(i), &[i])]).collect();
    let plain = |base| Math::Letter(letter(base, ""));
    if n <= ROWS {
        blocks.push(Block::Lines(vec![
            Line { left: plain("M"), right: Math::Matrix(mass), unit: "" },
            Line { left: plain("g"), right: Math::Matrix(gravity), unit: "" },
        ]));
    }
    let mut coriolis = vec![];
    let mut torques = vec![];
    let mut letters = 0;
    for i in 0..n {
        let mut torque = vec![];
        for j in 0..n {
            let c = e.inertia(i, j);
            if !c.is_zero() {
                torque.push(l.times(&c.written, 1.0, vec![Math::Letter(l.coordinate(j, 2))]));
                letters += c.written.length();
            }
        }
        for j in 0..n {
            let mut sum = vec![];
            for k in 0..n {
                let c = e.velocity(i, j, k);
                if c.is_zero() {
                    continue;
                }
                let at = [i, j.min(k), j.max(k)];
                sum.push((false, Math::Row(vec![coefficient(e, &at), Math::Letter(l.coordinate(k, 1))])));
                if j <= k {
                    torque.push(l.times(&c.written, if j == k { 1.0 } else { 2.0 }, l.velocities([j, k])));
                    letters += c.written.length();
                }
            }
            let right = if sum.is_empty() { Math::Number(0.0) } else { Math::Sum(sum) };
            coriolis.push(Line { left: l.indexed("C", &[i, j]), right, unit: "" });
        }
        let g = &e.gravity(i).written;
        letters += g.length();
        if let Math::Sum(terms) = l.sum(g) {
            torque.extend(terms);
        }
        let right = if torque.is_empty() { Math::Number(0.0) } else { Math::Sum(torque) };
        torques.push(Line { left: l.indexed("τ", &[i]), right, unit: "" });
    }
    blocks.push(Block::Lines(coriolis));
    if letters <= SHORT {
        blocks.push(Block::Heading("Torques".to_string()));
        blocks.push(Block::Lines(torques));
    }
}
