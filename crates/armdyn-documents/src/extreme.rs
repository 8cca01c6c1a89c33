//! Greatest, least and mean values over the robot's range: `max({D11})`, `argmax({D11}, r3)`, `mean({D11})`.

use crate::expression::Expression;
use crate::robot::Robot;
use crate::scene::lifted;
use crate::setting::{Setting, conditions};
use crate::value::Value;
use armdyn::Interval;
use armdyn_analysis::Region;
use armdyn_analysis::bound::{Enclosure, Objective};
use armdyn_analysis::measure::Tape;
use armdyn_analysis::search::{Search, mean, search};
use armdyn_symbolic::{Array, Expr, Graph};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many points a mean is taken of.
const POINTS: usize = 1 << 16;

/// An expression of the coordinates, or its negative, to be made great.
struct Sought {
    tape: Tape,
    sign: f64,
}

impl Objective for Sought {
    fn value(&self, q: &[f64]) -> f64 {
        self.sign * self.tape.value(q)
    }

    fn gradient(&self, q: &[f64]) -> (f64, Vec<f64>) {
        let (value, slope) = self.tape.gradient(q);
        (self.sign * value, slope.into_iter().map(|x| self.sign * x).collect())
    }

    fn depends(&self, dof: usize) -> bool {
        self.tape.depends(dof)
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        let range = self.tape.value(q);
        Enclosure { range: if self.sign < 0.0 { -range } else { range }, split: None }
    }
}

/// `max`, `min`, `argmax`, `argmin`, `mean`.
pub fn function(setting: &mut Setting<f64>, name: &str, of: &[Expression]) -> Result<Value<f64>, String> {
    let (sign, where_found, what) = match (name, of) {
        ("max" | "mean", [what]) => (1.0, None, what),
        ("min", [what]) => (-1.0, None, what),
        ("argmax", [what, Expression::Name(at)]) => (1.0, Some(at), what),
        ("argmin", [what, Expression::Name(at)]) => (-1.0, Some(at), what),
        _ => return Err(format!("there is no function `{name}` of {}", of.len())),
    };
    let scene = setting.scene(setting.robot)?;
    let mut given = vec![];
    // Rates and the like are the same everywhere.
    for (name, value) in conditions(&setting.row.at)?.iter().filter(|(name, _)| scene.coordinate(name).is_ok()) {
        let x = setting.value(value)?.number()?;
        given.push((scene.coordinate(name)?, x, x));
    }
    for (name, range) in conditions(&setting.row.over)? {
        let (low, high) = span(setting, &range)?;
        given.push((scene.coordinate(&name)?, low, high));
    }
    let region = Region::new(&scene.robot.model, &given).map_err(|e| e.to_string())?;
    let n = scene.robot.model.nv();
    let (graph, expression) = Graph::record(|| -> Result<Expr, String> {
        let q = |k: usize| Graph::input(Array::Q, k, &format!("q{}", k + 1));
        let make = |robot: &Arc<Robot>| match robot.model.nv() {
            own if own == n => Ok(lifted(robot, (0..n).map(q).collect())),
            own => Err(format!("the other robot has {own} degrees of freedom, not {n}")),
        };
        let (document, robots) = (setting.document, setting.robots);
        let mut over =
            Setting::<Expr>::new(document, robots, setting.robot, setting.row, BTreeMap::new(), Box::new(make));
        what.evaluate(&mut over)?.number()
    });
    let tape = Tape::new(&graph, expression?, n).map_err(|e| e.to_string())?;
    let sought = Sought { tape, sign };
    if name == "mean" {
        return Ok(mean(&sought, &region, POINTS).into());
    }
    let (value, q) = search(&sought, &region, Search::default());
    match where_found {
        None => Ok((sign * value).into()),
        Some(at) => Ok(q[scene.coordinate(at)?].into()),
    }
}

/// `-180°..180°`.
pub fn span(setting: &mut Setting<f64>, text: &str) -> Result<(f64, f64), String> {
    let (low, high) = text.split_once("..").ok_or_else(|| format!("`{text}` should read LOW..HIGH"))?;
    let (low, high) = (setting.value(low)?.number()?, setting.value(high)?.number()?);
    if low.is_finite() && high.is_finite() { Ok((low, high)) } else { Err(format!("`{text}` has no end")) }
}
