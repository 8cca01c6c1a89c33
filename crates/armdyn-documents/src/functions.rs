//! Functions that expressions have beside arithmetic, by scalar.

use crate::evaluation::{Evaluation, Functions};
use crate::expression::Expression;
use crate::value::Value;
use crate::{extreme, operations};
use armdyn_symbolic::Expr;
use armdyn_symbolic::closed::Poly;

impl Functions for f64 {
    fn function(evaluation: &mut Evaluation<f64>, name: &str, args: &[Expression]) -> Result<Value<f64>, String> {
        match (name, args) {
            ("operations", [formula]) => operations::count(evaluation, formula).map(|n| (n as f64).into()),
            _ => extreme::function(evaluation, name, args),
        }
    }
}

impl Functions for Expr {}

impl Functions for Poly {
    /// `derivative(e, theta2)`: with respect to a coordinate.
    fn function(evaluation: &mut Evaluation<Poly>, name: &str, args: &[Expression]) -> Result<Value<Poly>, String> {
        let ("derivative", [of, Expression::Name(by)]) = (name, args) else {
            return Err(format!("unknown function `{name}` with {} arguments in an identity", args.len()));
        };
        let dof = evaluation.scene(evaluation.context.robot)?.coordinate(by)?;
        Ok(of.evaluate(evaluation)?.map(|p| p.derivative(dof)))
    }
}
