//! Simplified equations in MathML. Each addend is a separate `<math>` element, so that long equations wrap like text.

use super::Coefficient;
use super::formula::by_motion;
use super::terms::{Motion, Term};
use armdyn_symbolic::Equations;
use armdyn_symbolic::typeset::{html_coordinate, html_expression};

/// `D11 = …`.
pub(super) fn mathml(e: &Equations, coefficient: Coefficient, terms: &[Term]) -> String {
    let name = coefficient.name();
    let (letter, number) = name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len()));
    let letter = if letter == "tau" { "τ" } else { letter };
    let left = format!("<math><msub><mi>{letter}</mi><mn>{number}</mn></msub><mo>=</mo></math> ");
    let motions = by_motion(terms);
    if motions.is_empty() {
        return left + "<math><mn>0</mn></math>";
    }
    let sign = |sign: &str| format!("<math><mo stretchy=\"false\">{sign}</mo></math>");
    let one = |(motion, sum)| {
        let (sum, motion) = (html_expression(e, &sum), motion_html(e, motion));
        if motion.is_empty() { sum } else { format!("{} {sum} {} {motion}", sign("("), sign(")")) }
    };
    left + &motions.into_iter().map(one).collect::<Vec<_>>().join(&format!(" {} ", sign("+")))
}

fn motion_html(e: &Equations, motion: Motion) -> String {
    match motion {
        Motion::Rest => String::new(),
        Motion::Acceleration(j) => html_coordinate(e, j, 2),
        Motion::Speeds(j, k) => html_coordinate(e, j, 1) + " " + &html_coordinate(e, k, 1),
    }
}
