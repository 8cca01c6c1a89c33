//! How many operations a formula has: `operations(K1)` of a symbol's definition as it is written, `operations({D11})` of an
//! answer multiplied out into a sum of products.
//!
//! A sum, a product, a quotient and a power count one each; signs and symbols are free.

use crate::expression::Expression;
use crate::scene::over_polynomials;
use crate::setting::{Setting, alone};
use armdyn_symbolic::closed;
use std::collections::BTreeMap;

/// How many.
pub fn count(setting: &Setting<f64>, formula: &Expression) -> Result<usize, String> {
    match formula {
        Expression::Ask(_) => multiplied_out(setting, formula),
        Expression::Name(name) => {
            let (text, _) = setting.definition(name).ok_or_else(|| format!("the document has no symbol `{name}`"))?;
            Ok(written(&Expression::parse(text)?))
        }
        formula => Ok(written(formula)),
    }
}

fn written(formula: &Expression) -> usize {
    let all = |of: &[Expression]| of.iter().map(written).sum();
    match formula {
        Expression::Number(_) | Expression::Name(_) | Expression::Ask(_) | Expression::Index(..) => 0,
        Expression::Minus(of) => written(of),
        Expression::Binary(_, of) => 1 + all(&of[..]),
        Expression::Call(_, of) | Expression::List(of) => all(of),
    }
}

fn multiplied_out(setting: &Setting<f64>, formula: &Expression) -> Result<usize, String> {
    let none = || format!("the document has no robot `{}`", setting.robot);
    let robot = setting.robots.get(setting.robot).ok_or_else(none)?;
    let (ring, answer) = closed::over_polynomials(&robot.model, |over| {
        let make = alone(robot, over_polynomials(robot, over));
        let (document, robots) = (setting.document, setting.robots);
        let mut over = Setting::new(document, robots, setting.robot, setting.row, BTreeMap::new(), make);
        formula.evaluate(&mut over)?.number()
    })
    .map_err(|e| e.to_string())?;
    let answer = answer?;
    if !ring.is_polynomial(answer) {
        return Err("this is no polynomial".to_string());
    }
    let terms = ring.written_out(answer);
    let product = |coefficient: f64, factors: &[(closed::Generator, u8)]| {
        let powers = factors.iter().filter(|(_, power)| *power > 1).count();
        let numbers = usize::from(coefficient.abs() != 1.0);
        (numbers + factors.len()).saturating_sub(1) + powers
    };
    let products: usize = terms.iter().map(|(coefficient, factors)| product(*coefficient, factors)).sum();
    Ok(products + terms.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use crate::robot::Robot;
    use crate::row::Place;
    use std::sync::Arc;

    #[test]
    fn as_written_and_multiplied_out() {
        let document = crate::parse(
            "short",
            r#"
            title = ""
            about = ""
            implemented = []
            section = []
            [robots.arm]
            file = "lin-rp"
            coordinates = ["theta", "d"]
            [robots.other]
            file = "lin-rr"
            coordinates = ["a", "b"]
            [symbols]
            F = "-m*(a + b)^2/2"
            "#,
        )
        .unwrap();
        let robots = document.robots.iter().map(|(word, r)| (word.clone(), Arc::new(Robot::new(r).unwrap()))).collect();
        let row = Default::default();
        let place = Place { document: &document, robots: &robots, robot: "arm", row: &row };
        for (ask, operations) in [("operations(F)", 4.0), ("operations(F - 2*F)", 2.0), ("operations({D22})", 0.0)] {
            assert_eq!(place.number(ask).unwrap(), operations, "{ask}");
        }
        assert!(place.number("operations({D11})").unwrap() > 3.0);
        assert!(place.number("operations(G)").is_err());
        assert!(place.number("operations({other: D11})").unwrap_err().contains("one robot"));
    }
}
