//! Simplified equations as text and as programs, with common factors extracted one at a time.

use super::mathml::mathml;
use super::problem::expansion;
use super::reduce::Reduced;
use super::terms::{Atom, Motion, Powers, Term};
use super::{Coefficient, Formula, FormulaTerm, Operations, Simplified, SimplifyOptions, Target};
use crate::units;
use armdyn_core::{Model, Real};
use armdyn_symbolic::closed::{Angle, Coordinate, Factor, Product, Sum};
use armdyn_symbolic::typeset::{latex_expression, unicode_expression};
use armdyn_symbolic::{Array, Count, Equations, Expr, Graph, Output, Program, Quantity};
use std::collections::BTreeMap;

/// The formula of a reduced equation, with the terms of the unloaded robot if it has a payload.
pub(super) fn formula(
    m: &Model<f64>,
    e: &Equations,
    reduced: Reduced,
    unloaded: Option<&[Term]>,
    options: &SimplifyOptions,
) -> Formula {
    let Reduced { problem, coefficients, accuracy, states, finished } = reduced;
    let coefficient = problem.coefficient;
    let mut statistics = vec![(f64::INFINITY, f64::NEG_INFINITY, 0.0_f64); problem.terms.len()];
    for x in &states {
        let values: Vec<f64> = problem.basis.values(x).iter().zip(&problem.exact).map(|(v, a)| v * a).collect();
        let unit = problem.reference.at(values.iter().sum());
        for ((low, high, fraction), v) in statistics.iter_mut().zip(values) {
            (*low, *high, *fraction) = (low.min(v), high.max(v), fraction.max(v.abs() / unit));
        }
    }
    let unloaded: Option<BTreeMap<_, f64>> = unloaded.map(|all| all.iter().map(|t| (t.key(), t.coefficient)).collect());
    let depends_on_payload = |t: &Term| {
        unloaded.as_ref().is_some_and(|all| {
            let bare = all.get(&t.key()).copied().unwrap_or(0.0);
            (bare - t.coefficient).abs() > 1e-12 * bare.abs().max(t.coefficient.abs())
        })
    };
    let term = |(t, (b, (low, high, maximum_fraction))): (&Term, (&f64, (f64, f64, f64)))| FormulaTerm {
        term: text(e, &[Term { coefficient: 1.0, ..t.clone() }], Style::Unicode),
        exact: t.coefficient,
        coefficient: Some(*b).filter(|b| *b != 0.0),
        half_range: 0.5 * (high - low),
        maximum_fraction,
        depends_on_payload: depends_on_payload(t),
        symbolic: t.clone(),
    };
    let mut terms: Vec<FormulaTerm> = problem.terms.iter().zip(coefficients.iter().zip(statistics)).map(term).collect();
    terms.retain(|t| t.exact != 0.0 || t.coefficient.is_some());
    terms.sort_by(|x, y| y.maximum_fraction.total_cmp(&x.maximum_fraction));
    let (kept, dropped): (Vec<FormulaTerm>, _) = terms.into_iter().partition(|t| t.coefficient.is_some());
    let expression: Vec<Term> =
        kept.iter().filter_map(|t| t.coefficient.map(|c| Term { coefficient: c, ..t.symbolic.clone() })).collect();
    let exact: Vec<Term> = problem.terms.into_iter().filter(|t| t.coefficient != 0.0).collect();
    let name = |i: usize| m.dof_names()[i].as_str();
    let (joint, unit) = match coefficient {
        Coefficient::Inertia(i, j) if i != j => (format!("{}, {}", name(i), name(j)), units::inertia(m, i, j)),
        Coefficient::Inertia(i, _) => (name(i).to_string(), units::inertia(m, i, i)),
        Coefficient::Gravity(i) | Coefficient::Torque(i) => (name(i).to_string(), units::torque(m, i)),
    };
    Formula {
        name: coefficient.name(),
        coefficient,
        joint,
        unit,
        formula: text(e, &expression, Style::Unicode),
        latex: text(e, &expression, Style::Latex),
        mathml: mathml(e, coefficient, &expression),
        exact_terms: exact.len(),
        guaranteed: accuracy.bound.is_some_and(|bound| bound <= options.error),
        error: accuracy,
        operations: Operations { exact: count(m.nv(), &exact), simplified: count(m.nv(), &expression) },
        kept,
        dropped,
        finished,
    }
}

/// Terms of one motion as a factored sum: the cheaper of two orders of factors.
fn factored(terms: &[(Powers, f64)]) -> Sum {
    let [first, last] = [false, true].map(|last| extract(terms, last));
    if cost(&last) < cost(&first) { last } else { first }
}

/// Number of multiplications and additions.
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

/// Extracts the most frequent factor (the first or last of several), recursively.
fn extract(terms: &[(Powers, f64)], last: bool) -> Sum {
    let mut frequency: BTreeMap<&Atom, usize> = BTreeMap::new();
    terms.iter().flat_map(|t| t.0.keys()).for_each(|atom| *frequency.entry(atom).or_default() += 1);
    let order = |a: &Atom, b: &Atom| if last { a.cmp(b) } else { b.cmp(a) };
    let common = frequency.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(order(a.0, b.0)));
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
    let inner = extract(&with, last);
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
    sum.extend(extract(&without, last).0);
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

/// The factored terms of each motion.
pub(super) fn by_motion(terms: &[Term]) -> BTreeMap<Motion, Sum> {
    let mut parts: BTreeMap<Motion, Vec<(Powers, f64)>> = BTreeMap::new();
    for t in terms {
        parts.entry(t.motion).or_default().push((t.powers.clone(), t.coefficient));
    }
    parts.into_iter().map(|(motion, terms)| (motion, factored(&terms))).collect()
}

/// Format of an equation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Unicode,
    Latex,
}

/// Terms as text.
fn text(e: &Equations, terms: &[Term], style: Style) -> String {
    let one = |sum: &Sum| match style {
        Style::Unicode => unicode_expression(e, sum),
        Style::Latex => latex_expression(e, sum),
    };
    let mut out = String::new();
    for (motion, sum) in by_motion(terms) {
        let mut text = one(&sum);
        if motion != Motion::Rest {
            let motion = motion_text(e, motion, style);
            text = match &sum.0[..] {
                [p] if p.factors.is_empty() && p.coefficient == 1.0 => motion,
                [_] => format!("{text} {motion}"),
                _ => format!("({text}) {motion}"),
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

fn motion_text(e: &Equations, motion: Motion, style: Style) -> String {
    let letter = |i: usize, dots: usize| {
        let angle = e.dofs[i].coordinate == Coordinate::Angle;
        match style {
            Style::Unicode => {
                let dot = ['\u{307}', '\u{308}'][dots - 1];
                let below: String = (i + 1)
                    .to_string()
                    .bytes()
                    .map(|d| char::from_u32('₀' as u32 + u32::from(d - b'0')).unwrap_or('?'))
                    .collect();
                format!("{}{dot}{below}", if angle { "θ" } else { "d" })
            }
            Style::Latex => {
                format!("\\{}{{{}}}_{{{}}}", ["dot", "ddot"][dots - 1], if angle { "\\theta" } else { "d" }, i + 1)
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

/// The inputs of expressions.
struct Inputs {
    q: Vec<Expr>,
    qd: Vec<Expr>,
    qdd: Vec<Expr>,
}

impl Inputs {
    /// The inputs in these arrays.
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
            Factor::Symbol(_) | Factor::Group(_) => unreachable!("parameters are numeric"),
        };
        let factors = p.factors.iter().flat_map(|(f, power)| std::iter::repeat_n(value(f), usize::from(*power)));
        let product = factors.reduce(|x, y| x * y);
        product.map_or(Expr::lift(p.coefficient), |x| Expr::lift(p.coefficient) * x)
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

/// Operation count of terms.
fn count(n: usize, terms: &[Term]) -> Count {
    let (graph, out) = Graph::record(|| Inputs::new(n, Quantity::Inverse.arrays()).terms(terms));
    Count::of(&graph, &[out])
}

/// Gravity, torque, or the mass matrix as a program; elements that were not simplified are exact.
pub(super) fn program(s: &Simplified, m: &Model<f64>) -> Program {
    let n = s.equations.size();
    let terms = |c: Coefficient| match s.formulas.iter().find(|f| f.coefficient == c) {
        Some(f) => f.expression(),
        None => expansion(&s.equations, c),
    };
    let (quantity, outputs): (Quantity, Vec<(String, Coefficient)>) = match s.target {
        Target::Gravity => {
            (Quantity::Gravity, (0..n).map(|i| (format!("g{}", i + 1), Coefficient::Gravity(i))).collect())
        }
        Target::Torque => {
            (Quantity::Inverse, (0..n).map(|i| (format!("tau{}", i + 1), Coefficient::Torque(i))).collect())
        }
        Target::Inertia | Target::Coupling => {
            let element = |k: usize| {
                (format!("M{}_{}", k / n + 1, k % n + 1), Coefficient::Inertia((k / n).min(k % n), (k / n).max(k % n)))
            };
            (Quantity::Mass, (0..n * n).map(element).collect())
        }
    };
    let (graph, outputs) = Graph::record(|| {
        let inputs = Inputs::new(n, quantity.arrays());
        outputs
            .into_iter()
            .map(|(name, coefficient)| Output { name, value: inputs.terms(&terms(coefficient)) })
            .collect()
    });
    Program::of(m, quantity, "simplified", graph, outputs)
}
