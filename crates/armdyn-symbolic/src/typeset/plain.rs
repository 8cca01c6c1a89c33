//! Expressions as plain text for other programs: `m2*l1*cos(q1 + q2)`, in the syntax that Python, SymPy and Julia share.
//!
//! Coordinates are q1, q2, …; velocities qd1, …; accelerations qdd1, …; parameters have the names of
//! [`Symbol::plain`](crate::closed::Symbol::plain), groups b1, b2, …. Numbers have all their digits.

use crate::closed::{Angle, Coefficient, Equations, Factor, MotionTerm, Product, Quotient, RATES, Sum};

/// An expression.
pub fn plain_expression(e: &Equations, sum: &Sum) -> String {
    if sum.is_zero() {
        return "0".to_string();
    }
    let terms = sum.0.iter().map(|p| product(e, p));
    joined(terms)
}

/// Coefficients times time derivatives of coordinates.
pub fn plain_motion(e: &Equations, terms: &[MotionTerm<Coefficient>]) -> String {
    let term = |t: &MotionTerm<Coefficient>| {
        let rates = t.rates.iter().map(|(i, order)| format!("*q{}{}", "d".repeat(usize::from(*order)), i + 1));
        format!("({}){}", plain_expression(e, &t.coefficient.written), rates.collect::<String>())
    };
    if terms.is_empty() { "0".to_string() } else { joined(terms.iter().map(term)) }
}

/// A sum of fractions.
pub fn plain_quotient(e: &Equations, quotient: &Quotient<Coefficient>) -> String {
    let fraction = |f: &crate::closed::Fraction<Coefficient>| {
        let below = f.denominator.iter().map(|(c, power)| format!("/({})**{power}", plain_expression(e, &c.written)));
        format!("({}){}", plain_expression(e, &f.numerator.written), below.collect::<String>())
    };
    if quotient.is_empty() { "0".to_string() } else { joined(quotient.iter().map(fraction)) }
}

fn joined(terms: impl Iterator<Item = String>) -> String {
    terms.fold(String::new(), |out, t| match (out.is_empty(), t.strip_prefix('-')) {
        (true, _) => t,
        (false, Some(positive)) => format!("{out} - {positive}"),
        (false, None) => format!("{out} + {t}"),
    })
}

fn product(e: &Equations, p: &Product) -> String {
    let power = |(f, power): &(Factor, u8)| match power {
        1 => factor(e, f),
        p => format!("{}**{p}", factor(e, f)),
    };
    let factors: Vec<String> = p.factors.iter().map(power).collect();
    match (p.coefficient, factors.is_empty()) {
        (1.0, false) => factors.join("*"),
        (-1.0, false) => format!("-{}", factors.join("*")),
        (x, true) => format!("{x:?}"),
        (x, false) => format!("{x:?}*{}", factors.join("*")),
    }
}

fn factor(e: &Equations, f: &Factor) -> String {
    match f {
        Factor::Symbol(k) => e.parameters[*k].symbol.plain(),
        Factor::Group(k) => format!("b{}", k + 1),
        Factor::Coordinate(i) => coordinate(*i),
        Factor::Sin(a) => format!("sin({})", angle(a)),
        Factor::Cos(a) => format!("cos({})", angle(a)),
        Factor::Sum(sum) => format!("({})", plain_expression(e, sum)),
    }
}

/// q₁, or a rate of it, which has a higher number.
fn coordinate(i: usize) -> String {
    format!("{}{}", ["q", "qd", "qdd"][(i / RATES).min(2)], i % RATES + 1)
}

fn angle(a: &Angle) -> String {
    joined(a.parts().map(|(joint, times)| match times {
        1 => coordinate(joint),
        -1 => format!("-{}", coordinate(joint)),
        n => format!("{n}*{}", coordinate(joint)),
    }))
}
