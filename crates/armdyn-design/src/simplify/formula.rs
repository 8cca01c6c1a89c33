//! Simplified equations on paper and as programs: what terms have in common is taken out, one factor at a time.

use super::case::expansion;
use super::terms::{Atom, Motion, Powers, Term};
use super::{Of, Simplified, What};
use armdyn_core::{Model, Real};
use armdyn_symbolic::closed::{Angle, Coordinate, Factor, Product, Sum};
use armdyn_symbolic::write::{latex_expression, unicode_expression};
use armdyn_symbolic::{Array, Count, Equations, Expr, Graph, Output, Program, Quantity};
use std::collections::BTreeMap;

/// `D11`, `D1`, `tau1`.
pub(super) fn name(of: Of) -> String {
    let joined =
        |i: usize, j: usize| if i.max(j) >= 9 { format!("{},{}", i + 1, j + 1) } else { format!("{}{}", i + 1, j + 1) };
    match of {
        Of::Inertia(i, j) => format!("D{}", joined(i, j)),
        Of::Gravity(i) => format!("D{}", i + 1),
        Of::Torque(i) => format!("tau{}", i + 1),
    }
}

/// Terms with a motion in common, as a sum with brackets; the cheaper of two ways.
fn factored(terms: &[(Powers, f64)]) -> Sum {
    let [first, last] = [false, true].map(|last| in_brackets(terms, last));
    if cost(&last) < cost(&first) { last } else { first }
}

/// Multiplications and additions as it is written.
fn cost(sum: &Sum) -> usize {
    let factor = |(f, power): &(Factor, u8)| match f {
        Factor::Sum(inner) => usize::from(*power) + cost(inner),
        _ => usize::from(*power),
    };
    let product = |p: &Product| {
        let factors: usize = p.factors.iter().map(factor).sum();
        (factors + usize::from(p.coefficient.abs() != 1.0)).saturating_sub(1)
    };
    sum.0.iter().map(product).sum::<usize>() + sum.0.len().saturating_sub(1)
}

/// The factor that most terms have is taken out, and so on within; of several the first, or the last.
fn in_brackets(terms: &[(Powers, f64)], last: bool) -> Sum {
    let mut often: BTreeMap<&Atom, usize> = BTreeMap::new();
    terms.iter().flat_map(|t| t.0.keys()).for_each(|atom| *often.entry(atom).or_default() += 1);
    let order = |a: &Atom, b: &Atom| if last { a.cmp(b) } else { b.cmp(a) };
    let common = often.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(order(a.0, b.0)));
    let Some((atom, 2..)) = common else {
        return Sum(terms.iter().map(|(powers, x)| product(*x, powers)).collect());
    };
    let (mut with, mut without) = (vec![], vec![]);
    for (powers, x) in terms {
        let mut rest = powers.clone();
        match rest.get_mut(atom) {
            None => without.push((rest, *x)),
            Some(power) => {
                *power -= 1;
                rest.retain(|_, power| *power > 0);
                with.push((rest, *x));
            }
        }
    }
    let mut sum = vec![];
    let inner = in_brackets(&with, last);
    match <[Product; 1]>::try_from(inner.0) {
        Ok([mut one]) => {
            let own = factor(atom);
            match one.factors.iter_mut().find(|f| f.0 == own) {
                Some(f) => f.1 += 1,
                None => one.factors.insert(0, (own, 1)),
            }
            sum.push(one);
        }
        Err(several) => {
            let factors = vec![(factor(atom), 1), (Factor::Sum(Sum(several)), 1)];
            sum.push(Product { coefficient: 1.0, factors });
        }
    }
    sum.extend(in_brackets(&without, last).0);
    Sum(sum)
}

fn factor(atom: &Atom) -> Factor {
    match atom {
        Atom::Length(i) => Factor::Coordinate(*i),
        Atom::Sin(a) => Factor::Sin(a.clone()),
        Atom::Cos(a) => Factor::Cos(a.clone()),
    }
}

fn product(coefficient: f64, powers: &Powers) -> Product {
    Product { coefficient, factors: powers.iter().map(|(atom, power)| (factor(atom), *power)).collect() }
}

/// The terms by their motions.
pub(super) fn by_motion(terms: &[Term]) -> BTreeMap<Motion, Sum> {
    let mut parts: BTreeMap<Motion, Vec<(Powers, f64)>> = BTreeMap::new();
    for t in terms {
        parts.entry(t.motion).or_default().push((t.powers.clone(), t.coefficient));
    }
    parts.into_iter().map(|(motion, terms)| (motion, factored(&terms))).collect()
}

/// How an equation is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Unicode,
    Latex,
}

/// Terms as a person reads them.
pub(super) fn written(e: &Equations, terms: &[Term], style: Style) -> String {
    let one = |sum: &Sum| match style {
        Style::Unicode => unicode_expression(e, sum),
        Style::Latex => latex_expression(e, sum),
    };
    let mut out = String::new();
    for (motion, sum) in by_motion(terms) {
        let mut text = one(&sum);
        if motion != Motion::Rest {
            let moving = moving(e, motion, style);
            text = match &sum.0[..] {
                [p] if p.factors.is_empty() && p.coefficient == 1.0 => moving,
                [_] => format!("{text} {moving}"),
                _ => format!("({text}) {moving}"),
            };
        }
        let (sign, rest) = match text.strip_prefix(['−', '-']) {
            Some(rest) => ([" − ", " - "][usize::from(style == Style::Latex)], rest.trim_start().to_string()),
            None => (" + ", text.clone()),
        };
        out += &if out.is_empty() { text } else { format!("{sign}{rest}") };
    }
    if out.is_empty() { "0".to_string() } else { out }
}

fn moving(e: &Equations, motion: Motion, style: Style) -> String {
    let letter = |i: usize, dots: usize| {
        let turns = e.freedoms[i].coordinate == Coordinate::Angle;
        match style {
            Style::Unicode => {
                let dot = ['\u{307}', '\u{308}'][dots - 1];
                let below: String = (i + 1)
                    .to_string()
                    .bytes()
                    .map(|d| char::from_u32('₀' as u32 + u32::from(d - b'0')).unwrap_or('?'))
                    .collect();
                format!("{}{dot}{below}", if turns { "θ" } else { "d" })
            }
            Style::Latex => {
                format!("\\{}{{{}}}_{{{}}}", ["dot", "ddot"][dots - 1], if turns { "\\theta" } else { "d" }, i + 1)
            }
        }
    };
    match motion {
        Motion::Rest => String::new(),
        Motion::Acceleration(j) => letter(j, 2),
        Motion::Speeds(j, k) if j == k => letter(j, 1) + if style == Style::Latex { "^{2}" } else { "²" },
        Motion::Speeds(j, k) => format!("{} {}", letter(j, 1), letter(k, 1)),
    }
}

/// The values that expressions are made of.
struct Inputs {
    q: Vec<Expr>,
    qd: Vec<Expr>,
    qdd: Vec<Expr>,
}

impl Inputs {
    /// Of the arrays that are asked for.
    fn new(n: usize, arrays: &[Array]) -> Self {
        let input = |array: Array, i: usize| Graph::input(array, i, &format!("{}{}", array.name(), i + 1));
        let [q, qd, qdd] = [Array::Q, Array::Qd, Array::Qdd]
            .map(|array| if arrays.contains(&array) { (0..n).map(|i| input(array, i)).collect() } else { vec![] });
        Inputs { q, qd, qdd }
    }

    fn angle(&self, a: &Angle) -> (Expr, Expr) {
        let part = |(joint, times): (usize, i32)| Expr::lift(f64::from(times)) * self.q[joint];
        a.parts().map(part).reduce(|x, y| x + y).unwrap_or(Expr::zero()).sin_cos()
    }

    fn sum(&self, sum: &Sum) -> Expr {
        sum.0.iter().map(|p| self.product(p)).reduce(|x, y| x + y).unwrap_or(Expr::zero())
    }

    fn product(&self, p: &Product) -> Expr {
        let value = |f: &Factor| match f {
            Factor::Coordinate(i) => self.q[*i],
            Factor::Sin(a) => self.angle(a).0,
            Factor::Cos(a) => self.angle(a).1,
            Factor::Sum(inner) => self.sum(inner),
            Factor::Symbol(_) | Factor::Group(_) => unreachable!("the robot's figures are numbers"),
        };
        let factors = p.factors.iter().flat_map(|(f, power)| std::iter::repeat_n(value(f), usize::from(*power)));
        let moving = factors.reduce(|x, y| x * y);
        moving.map_or(Expr::lift(p.coefficient), |x| Expr::lift(p.coefficient) * x)
    }

    fn terms(&self, terms: &[Term]) -> Expr {
        let part = |(motion, sum): (Motion, Sum)| {
            let sum = self.sum(&sum);
            match motion {
                Motion::Rest => sum,
                Motion::Acceleration(j) => sum * self.qdd[j],
                Motion::Speeds(j, k) => sum * (self.qd[j] * self.qd[k]),
            }
        };
        by_motion(terms).into_iter().map(part).reduce(|x, y| x + y).unwrap_or(Expr::zero())
    }
}

/// What terms cost by themselves.
pub(super) fn count(n: usize, terms: &[Term]) -> Count {
    let (graph, out) = Graph::record(|| Inputs::new(n, Quantity::Inverse.arrays()).terms(terms));
    Count::of(&graph, &[out])
}

/// Gravity, torque, or the mass matrix; what was not simplified is exact.
pub(super) fn program(s: &Simplified, m: &Model<f64>) -> Program {
    let n = s.equations.size();
    let of = |of: Of| match s.formulas.iter().find(|f| f.of == of) {
        Some(f) => f.kept(),
        None => expansion(&s.equations, of),
    };
    let (quantity, outputs): (Quantity, Vec<(String, Of)>) = match s.what {
        What::Gravity => (Quantity::Gravity, (0..n).map(|i| (format!("g{}", i + 1), Of::Gravity(i))).collect()),
        What::Torque => (Quantity::Inverse, (0..n).map(|i| (format!("tau{}", i + 1), Of::Torque(i))).collect()),
        What::Inertia | What::Coupling => {
            let element = |k: usize| {
                (format!("M{}_{}", k / n + 1, k % n + 1), Of::Inertia((k / n).min(k % n), (k / n).max(k % n)))
            };
            (Quantity::Mass, (0..n * n).map(element).collect())
        }
    };
    let (graph, outputs) = Graph::record(|| {
        let inputs = Inputs::new(n, quantity.arrays());
        outputs.into_iter().map(|(name, what)| Output { name, value: inputs.terms(&of(what)) }).collect()
    });
    Program::of(m, quantity, "simplified", graph, outputs)
}
