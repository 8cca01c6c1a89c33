//! Simplified equations as text and as programs, with common factors extracted one at a time.

use super::definite::Element;
use super::problem::expansion;
use super::reduce::Reduced;
use super::terms::{Atom, Motion, Powers, Term};
use super::{Coefficient, Formula, FormulaTerm, Operations, Simplified, SimplifyOptions, Target};
use crate::units;
use armdyn_core::{Model, Real};
use armdyn_symbolic::closed::{Factor, Point, Product, Sum};
use armdyn_symbolic::typeset::{html_expression, latex_expression, unicode_expression};
use armdyn_symbolic::{Array, Count, Equations, Expr, Graph, Output, Program, Quantity};
use std::collections::BTreeMap;

/// The formula of a reduced equation, with the terms of the unloaded robot if it has a payload.
pub(super) fn formula(
    m: &Model<f64>,
    e: &Equations,
    element: Element,
    unloaded: Option<&[Term]>,
    options: &SimplifyOptions,
) -> Formula {
    let limited =
        !element.reduced.is_exact() && (element.reduced.problem.limited.is_some() || element.error < options.error);
    let Reduced { problem, coefficients, accuracy, states, finished, .. } = element.reduced;
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
        term: unicode_expression(e, &motion_terms(&[Term { coefficient: 1.0, ..t.clone() }])),
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
    let simplified: Vec<Term> = kept.iter().filter_map(FormulaTerm::fitted).collect();
    let parts = motion_terms(&simplified);
    let exact: Vec<Term> = problem.terms.into_iter().filter(|t| t.coefficient != 0.0).collect();
    let name = |i: usize| m.dof_names()[i].as_str();
    let (joint, unit) = match coefficient {
        Coefficient::Inertia(i, j) if i != j => (format!("{}, {}", name(i), name(j)), units::inertia(m, i, j)),
        Coefficient::Inertia(i, _) => (name(i).to_string(), units::inertia(m, i, i)),
        Coefficient::Gravity(i) | Coefficient::Torque(i) => (name(i).to_string(), m.torque_unit(i)),
    };
    Formula {
        name: coefficient.name(),
        coefficient,
        joint,
        unit,
        formula: unicode_expression(e, &parts),
        latex: latex_expression(e, &parts),
        mathml: mathml(e, coefficient, &simplified),
        exact_terms: exact.len(),
        guaranteed: accuracy.bound.is_some_and(|bound| bound <= options.error),
        error: accuracy,
        operations: Operations { exact: count(m.nv(), &exact), simplified: count(m.nv(), &simplified) },
        kept,
        dropped,
        finished,
        limited,
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
fn by_motion(terms: &[Term]) -> BTreeMap<Motion, Sum> {
    let mut parts: BTreeMap<Motion, Vec<(Powers, f64)>> = BTreeMap::new();
    for t in terms {
        parts.entry(t.motion).or_default().push((t.powers.clone(), t.coefficient));
    }
    parts.into_iter().map(|(motion, terms)| (motion, factored(&terms))).collect()
}

/// The factored terms of each motion, with the derivatives of coordinates that multiply them.
fn motion_terms(terms: &[Term]) -> Vec<(Sum, Vec<(usize, u8)>)> {
    let rates = |motion: Motion| match motion {
        Motion::Rest => vec![],
        Motion::Acceleration(j) => vec![(j, 2)],
        Motion::Speeds(j, k) => vec![(j, 1), (k, 1)],
    };
    by_motion(terms).into_iter().map(|(motion, sum)| (sum, rates(motion))).collect()
}

/// `D11 = …` in MathML.
fn mathml(e: &Equations, coefficient: Coefficient, terms: &[Term]) -> String {
    let name = coefficient.name();
    let (letter, number) = name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len()));
    let letter = if letter == "tau" { "τ" } else { letter };
    let left = format!("<math><msub><mi>{letter}</mi><mn>{number}</mn></msub><mo>=</mo></math> ");
    left + html_expression(e, &motion_terms(terms)).trim_end()
}

/// The expression of terms, with inputs in these arrays.
fn expression(n: usize, arrays: &[Array]) -> impl Fn(&[Term]) -> Expr {
    let input = |array: Array, i: usize| Graph::input(array, i, &format!("{}{}", array.name(), i + 1));
    let [q, qd, qdd] = [Array::Q, Array::Qd, Array::Qdd]
        .map(|array| if arrays.contains(&array) { (0..n).map(|i| input(array, i)).collect() } else { vec![] });
    move |terms| {
        let part = |(motion, sum): (Motion, Sum)| {
            let sum = sum.evaluate(Point { q: &q, parameters: &[], groups: &[] });
            match motion {
                Motion::Rest => sum,
                Motion::Acceleration(j) => sum * qdd[j],
                Motion::Speeds(j, k) => sum * (qd[j] * qd[k]),
            }
        };
        by_motion(terms).into_iter().map(part).reduce(|x, y| x + y).unwrap_or(Expr::zero())
    }
}

/// Operation count of terms.
fn count(n: usize, terms: &[Term]) -> Count {
    let (graph, out) = Graph::record(|| expression(n, Quantity::Inverse.arrays())(terms));
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
        let value = expression(n, quantity.arrays());
        outputs.into_iter().map(|(name, c)| Output { name, value: value(&terms(c)) }).collect()
    });
    Program::of(m, quantity, "simplified", graph, outputs)
}
