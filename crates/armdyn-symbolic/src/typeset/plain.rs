//! Plain text that computer algebra systems read: `m1*x1*sin(q1 + q2)*qd1**2`.

use crate::closed::{Angle, Equations, Factor, RATES, Sum};

/// An expression of these equations. Coordinates are q1, q2, …, their rates qd1, qdd1, ….
pub fn plain_expression(e: &Equations, sum: &Sum) -> String {
    if sum.is_zero() {
        return "0".to_string();
    }
    let mut out = String::new();
    for (k, p) in sum.0.iter().enumerate() {
        let (negative, size) = (p.coefficient < 0.0, p.coefficient.abs());
        out.push_str(match (k, negative) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        });
        let mut factors: Vec<String> = p.factors.iter().map(|(f, power)| factor(e, f, *power)).collect();
        if size != 1.0 || factors.is_empty() {
            factors.insert(0, format!("{size}"));
        }
        out.push_str(&factors.join("*"));
    }
    out
}

fn factor(e: &Equations, f: &Factor, power: u8) -> String {
    let base = match f {
        Factor::Symbol(k) => e.parameters[*k].symbol.plain(),
        Factor::Group(k) => format!("b{}", k + 1),
        Factor::Coordinate(i) => coordinate(*i),
        Factor::Sin(a) => format!("sin({})", angle(a)),
        Factor::Cos(a) => format!("cos({})", angle(a)),
        Factor::Sum(sum) => format!("({})", plain_expression(e, sum)),
    };
    if power == 1 { base } else { format!("{base}**{power}") }
}

fn coordinate(i: usize) -> String {
    format!("{}{}", ["q", "qd", "qdd"][(i / RATES).min(2)], i % RATES + 1)
}

fn angle(a: &Angle) -> String {
    let part = |(k, (joint, times)): (usize, (usize, i32))| {
        let sign = match (k, times < 0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        let size = if times.abs() == 1 { String::new() } else { format!("{}*", times.abs()) };
        format!("{sign}{size}{}", coordinate(joint))
    };
    a.parts().enumerate().map(part).collect()
}
