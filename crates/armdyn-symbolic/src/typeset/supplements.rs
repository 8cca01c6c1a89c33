//! The sections on energies, joint wrenches and the Cartesian form.

use super::document::{Block, Line, SHORT, Span, coefficient, text, zeros};
use super::math::{Letter, Letters, Math, letter};
use crate::closed::{Coefficient, Equations, MotionTerm, Quotient};
use armdyn_core::{JacobianFrame, Rate, TaskDirection};

/// Maximum number of symbols in a row of a printed matrix.
const WIDE: usize = 24;

fn plain(base: &str, number: impl Into<String>) -> Math {
    Math::Letter(letter(base, number))
}

/// Kinetic and potential energy, the Lagrangian.
pub(super) fn energy(e: &Equations, blocks: &mut Vec<Block>) {
    let Some(potential) = &e.supplements().potential else { return };
    let l = Letters(e);
    let terms = e.kinetic_energy();
    let letters: usize = terms.iter().map(|t| t.2.written.length()).sum();
    let term = |(factor, at, c): &(f64, [usize; 2], &Coefficient)| {
        if letters <= SHORT {
            return l.times(&c.written, *factor, l.velocities(*at));
        }
        let number = (*factor != 1.0).then_some(Math::Number(*factor));
        (false, Math::Row(number.into_iter().chain([coefficient(e, at)]).chain(l.velocities(*at)).collect()))
    };
    let or_zero = |m: Math| if matches!(&m, Math::Sum(t) if t.is_empty()) { Math::Number(0.0) } else { m };
    blocks.push(Block::Heading("Energy".to_string()));
    blocks.push(Block::Lines(vec![
        Line { left: plain("T", ""), right: or_zero(Math::Sum(terms.iter().map(term).collect())), unit: "" },
        Line { left: plain("V", ""), right: or_zero(l.sum(&potential.written)), unit: "" },
        Line {
            left: plain("L", ""),
            right: Math::Sum(vec![(false, plain("T", "")), (true, plain("V", ""))]),
            unit: "",
        },
    ]));
    blocks.push(Block::Text(vec![text(
        "T is the kinetic energy [J], V the potential energy of gravity [J], zero where the centre of mass is at the origin of the \
         base, and L the Lagrangian.",
    )]));
}

/// fx₁, …, nz₁.
fn wrench_letter(e: &Equations, component: usize, number: usize) -> Math {
    let base = if component < 3 { "f" } else { "n" };
    let axes = ["x", "y", "z"][component % 3].to_string();
    Math::Letter(Letter { axes, ..letter(base, Letters(e).joined(&[number])) })
}

/// All six components of every joint wrench.
pub(super) fn wrenches(e: &Equations, blocks: &mut Vec<Block>) {
    let wrenches = &e.supplements().wrenches;
    if wrenches.is_empty() {
        return;
    }
    blocks.push(Block::Heading("Joint wrenches".to_string()));
    blocks.push(Block::Text(vec![text(
        "f is the force [N] and n the moment [N m] that a joint transmits to the link that it moves, with gravity and inertia of \
         all outboard links. Both are in the axes of the frame of that link; the moment is about its origin. The component along \
         the axis of a joint is its torque or force without the inertia of its drive.",
    )]));
    let row = |(k, w): (usize, &crate::closed::Wrench<Coefficient>)| {
        vec![text((k + 1).to_string()), text(&w.joint), text(format!("axes and origin of {}", w.link))]
    };
    let rows = wrenches.iter().enumerate().map(row).collect();
    blocks.push(Block::Table { header: vec!["", "joint", "frame"], rows, tight: false });
    for (k, w) in wrenches.iter().enumerate() {
        let (zero, other): (Vec<_>, Vec<_>) = w.components.iter().enumerate().partition(|c| c.1.is_empty());
        let line = |(c, terms): (usize, &Vec<MotionTerm<Coefficient>>)| Line {
            left: wrench_letter(e, c, k),
            right: Letters(e).motion(terms),
            unit: "",
        };
        if !other.is_empty() {
            blocks.push(Block::Lines(other.into_iter().map(line).collect()));
        }
        if !zero.is_empty() {
            blocks.push(zeros(zero.into_iter().map(|(c, _)| wrench_letter(e, c, k)).collect()));
        }
    }
}

/// The name of a direction.
pub fn direction_name(d: TaskDirection) -> &'static str {
    let at = TaskDirection::ALL.iter().position(|a| *a == d).unwrap_or(0);
    ["x", "y", "z", "rx", "ry", "rz"][at]
}

/// J, J̇q̇, M_x, V_x, G_x.
pub(super) fn cartesian(e: &Equations, blocks: &mut Vec<Block>) {
    let Some(form) = &e.supplements().cartesian else { return };
    let (l, n) = (Letters(e), e.size());
    let dotted = |base: &str, dots: u8| Math::Letter(Letter { dots, ..letter(base, "") });
    let terms = vec![
        (false, Math::Row(vec![plain("M", "x"), dotted("x", 2)])),
        (false, plain("V", "x")),
        (false, plain("G", "x")),
    ];
    blocks.push(Block::Heading("Cartesian form".to_string()));
    blocks.push(Block::Lines(vec![
        Line { left: plain("F", ""), right: Math::Sum(terms), unit: "" },
        Line { left: dotted("x", 1), right: Math::Row(vec![plain("J", ""), dotted("q", 1)]), unit: "" },
    ]));
    let directions: Vec<&str> = form.options.directions.iter().map(|d| direction_name(*d)).collect();
    let local = form.options.frame == JacobianFrame::Local;
    let axes = if local { "tool" } else { "base" };
    let rate = match (local, form.options.rate) {
        (false, _) => "",
        (true, Rate::Inertial) => " Its acceleration is the inertial one, in these turning axes.",
        (true, Rate::OfComponents) => " Its acceleration is the derivative of these components of the velocity.",
    };
    blocks.push(Block::Text(vec![text(format!(
        "F is the force [N] and moment [N m] at the tool, x its motion [m, rad], in the axes of the {axes}: {}.{rate} Forces and \
         joint torques are related by the transpose of J. The form is singular where det J = 0.",
        directions.join(", ")
    ))]));
    let cell = |c: &Coefficient| if c.is_zero() { Math::Number(0.0) } else { l.sum(&c.written) };
    let rows = |cells: Vec<Math>| cells.chunks(n).map(<[Math]>::to_vec).collect();
    let (number, factors) = &form.determinant;
    blocks.push(Block::Lines(vec![
        Line { left: plain("J", ""), right: Math::Matrix(rows(form.jacobian.iter().map(cell).collect())), unit: "" },
        Line {
            left: Math::Row(vec![Math::Word("det", 1), plain("J", "")]),
            right: Math::Sum(vec![(*number < 0.0, l.powers(*number, factors))]),
            unit: "",
        },
    ]));
    let element = |base: &str, at: &[usize]| plain(base, format!("x{}", l.joined(at)));
    let motion = |r: usize| {
        let terms = &form.rate[r];
        if terms.is_empty() { Math::Number(0.0) } else { l.motion(terms) }
    };
    let product = Math::Row(vec![dotted("J", 1), dotted("q", 1)]);
    let letters = |terms: &Vec<MotionTerm<Coefficient>>| {
        terms.iter().map(|t| t.coefficient.written.length() + t.rates.len()).sum::<usize>()
    };
    if form.rate.iter().any(|terms| letters(terms) > WIDE) {
        let line = |r: usize| Line { left: element("a", &[r]), right: motion(r), unit: "" };
        let name = Line { left: plain("a", "x"), right: product, unit: "" };
        blocks.push(Block::Lines(std::iter::once(name).chain((0..n).map(line)).collect()));
    } else {
        let cells = (0..n).map(|r| vec![motion(r)]).collect();
        blocks.push(Block::Lines(vec![Line { left: product, right: Math::Matrix(cells), unit: "" }]));
    }
    let length = |q: &Quotient<Coefficient>| {
        let of = |c: &Coefficient| c.written.length();
        q.iter().map(|f| of(&f.numerator) + f.denominator.iter().map(|d| of(&d.0)).sum::<usize>()).sum::<usize>()
    };
    let wide = form.mass.chunks(n).any(|row| row.iter().map(length).sum::<usize>() > WIDE);
    if wide {
        let pairs = (0..n).flat_map(|i| (i..n).map(move |j| [i, j]));
        let line = |[i, j]: [usize; 2]| Line {
            left: element("M", &[i, j]),
            right: l.quotient(&form.mass[i * n + j]),
            unit: "",
        };
        blocks.push(Block::Text(vec![Span::Math(plain("M", "x")), text(" is symmetric:")]));
        blocks.push(Block::Lines(pairs.map(line).collect()));
    } else {
        let cells = form.mass.iter().map(|q| l.quotient(q)).collect();
        blocks.push(Block::Lines(vec![Line { left: plain("M", "x"), right: Math::Matrix(rows(cells)), unit: "" }]));
    }
    let velocity = |r: usize| {
        let terms: Vec<_> = form.velocity[r].iter().map(|(q, rates)| l.quotient_times(q, *rates)).collect();
        let right = if terms.is_empty() { Math::Number(0.0) } else { Math::Sum(terms) };
        Line { left: element("V", &[r]), right, unit: "" }
    };
    blocks.push(Block::Lines((0..n).map(velocity).collect()));
    let gravity = |r: usize| Line { left: element("G", &[r]), right: l.quotient(&form.gravity[r]), unit: "" };
    blocks.push(Block::Lines((0..n).map(gravity).collect()));
}
