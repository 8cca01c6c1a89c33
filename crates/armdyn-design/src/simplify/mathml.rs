//! Simplified equations in MathML: every addend is a formula of its own, so that long ones break like text.

use super::Of;
use super::formula::{by_motion, name};
use super::terms::{Motion, Term};
use armdyn_symbolic::Equations;
use armdyn_symbolic::write::{html_coordinate, html_expression};

/// `D11 = …`.
pub(super) fn mathml(e: &Equations, of: Of, terms: &[Term]) -> String {
    let name = name(of);
    let (letter, number) = name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len()));
    let letter = if letter == "tau" { "τ" } else { letter };
    let left = format!("<math><msub><mi>{letter}</mi><mn>{number}</mn></msub><mo>=</mo></math> ");
    let motions = by_motion(terms);
    if motions.is_empty() {
        return left + "<math><mn>0</mn></math>";
    }
    let sign = |sign: &str| format!("<math><mo stretchy=\"false\">{sign}</mo></math>");
    let one = |(motion, sum)| {
        let (written, moving) = (html_expression(e, &sum), moving(e, motion));
        if moving.is_empty() { written } else { format!("{} {written} {} {moving}", sign("("), sign(")")) }
    };
    left + &motions.into_iter().map(one).collect::<Vec<_>>().join(&format!(" {} ", sign("+")))
}

fn moving(e: &Equations, motion: Motion) -> String {
    match motion {
        Motion::Rest => String::new(),
        Motion::Acceleration(j) => html_coordinate(e, j, 2),
        Motion::Speeds(j, k) => html_coordinate(e, j, 1) + " " + &html_coordinate(e, k, 1),
    }
}
