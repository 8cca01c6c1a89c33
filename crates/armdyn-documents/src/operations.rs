//! Operation counts of formulas: `operations(K1)` of a symbol's definition as written, `operations({D11})` of a
//! query's value expanded into a sum of products.
//!
//! A sum, a product, a quotient and a power count one each; signs and symbols are not counted.

use crate::evaluation::{Evaluation, single_robot};
use crate::expression::Expression;
use crate::scene::over_polynomials;
use armdyn_symbolic::closed;
use std::collections::HashMap;

/// The number of operations.
pub fn count(evaluation: &Evaluation<f64>, formula: &Expression) -> Result<usize, String> {
    match formula {
        Expression::Query(_) => expanded(evaluation, formula),
        Expression::Name(name) => {
            let (text, _) = evaluation
                .context
                .definition(name)
                .ok_or_else(|| format!("the document defines no symbol `{name}`"))?;
            Ok(written(&Expression::parse(text)?))
        }
        formula => Ok(written(formula)),
    }
}

fn written(formula: &Expression) -> usize {
    let all = |of: &[Expression]| of.iter().map(written).sum();
    match formula {
        Expression::Number(_) | Expression::Name(_) | Expression::Query(_) | Expression::Index(..) => 0,
        Expression::Minus(of) => written(of),
        Expression::Binary(_, of) => 1 + all(&of[..]),
        Expression::Call(_, of) | Expression::List(of) => all(of),
    }
}

fn expanded(evaluation: &Evaluation<f64>, formula: &Expression) -> Result<usize, String> {
    let context = evaluation.context;
    let none = || format!("the document defines no robot `{}`", context.robot);
    let robot = context.robots.get(context.robot).ok_or_else(none)?;
    let (ring, value) = closed::polynomial_model(&robot.model, |over| {
        let make = single_robot(robot, over_polynomials(robot, over));
        formula.evaluate(&mut context.evaluation(HashMap::new(), make))?.number()
    })
    .map_err(|e| e.to_string())?;
    let value = value?;
    if !ring.is_polynomial(value) {
        return Err("this is not a polynomial".to_string());
    }
    let terms = ring.expanded_terms(value);
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
    use crate::evaluation::RowContext;
    use crate::robot::Robot;
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
        let place = RowContext { document: &document, robots: &robots, robot: "arm", row: &row };
        for (expression, operations) in
            [("operations(F)", 4.0), ("operations(F - 2*F)", 2.0), ("operations({D22})", 0.0)]
        {
            assert_eq!(place.number(expression).unwrap(), operations, "{expression}");
        }
        assert!(place.number("operations({D11})").unwrap() > 3.0);
        assert!(place.number("operations(G)").is_err());
        assert!(place.number("operations({other: D11})").unwrap_err().contains("one robot"));
    }
}
