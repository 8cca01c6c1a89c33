//! Evaluation of a row's expressions: the document's symbols, its robots, the row's state.

use crate::conditions::conditions;
use crate::document::{Document, Source};
use crate::expression::{Environment, Expression, with_numbers};
use crate::query::{self, Query};
use crate::robot::Robot;
use crate::scalar::Scalar;
use crate::scene::{Scene, at_zero};
use crate::value::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// The default robot.
pub const ARM: &str = "arm";

/// The robots of a document by name.
pub type Robots = HashMap<String, Arc<Robot>>;

/// Functions that a scalar has beside arithmetic.
pub trait Functions: Scalar {
    /// The value of a function.
    fn function(evaluation: &mut Evaluation<Self>, name: &str, args: &[Expression]) -> Result<Value<Self>, String> {
        let _ = (evaluation, args);
        Err(format!("unknown function `{name}`"))
    }
}

/// Makes the scene of a robot.
pub type SceneFactory<'a, S> = Box<dyn FnMut(&Arc<Robot>) -> Result<Scene<S>, String> + 'a>;

/// A factory for one robot; others are an error.
pub fn single_robot<'a, S: 'a + Clone>(robot: &'a Arc<Robot>, scene: Scene<S>) -> SceneFactory<'a, S> {
    Box::new(move |requested| {
        if Arc::ptr_eq(requested, robot) {
            Ok(scene.clone())
        } else {
            Err("this expression is limited to one robot".to_string())
        }
    })
}

/// A row with its document and robots.
#[derive(Clone, Copy)]
pub struct RowContext<'a> {
    /// The document.
    pub document: &'a Document,
    /// Its robots.
    pub robots: &'a Robots,
    /// The row's robot, of queries that name none.
    pub robot: &'a str,
    /// The row.
    pub row: &'a Source,
}

impl<'a> RowContext<'a> {
    /// The environment of its expressions; `free` holds the values of its free symbols.
    pub fn evaluation<S>(self, free: HashMap<String, Value<S>>, make: SceneFactory<'a, S>) -> Evaluation<'a, S> {
        let (scenes, quotients) = (HashMap::new(), HashMap::new());
        Evaluation { context: self, make, scenes, known: free, quotients, numbers_only: false, depth: 0 }
    }

    /// The number that an expression has at the row's state.
    pub fn number(self, text: &str) -> Result<f64, String> {
        self.value(text)?.number()
    }

    /// The value of an expression at the row's state.
    pub fn value(self, text: &str) -> Result<Value<f64>, String> {
        self.at_state().value(text)
    }

    /// The environment of its expressions at the row's state.
    pub fn at_state(self) -> Evaluation<'a, f64> {
        self.evaluation(HashMap::new(), Box::new(|robot| Ok(at_zero(robot))))
    }

    /// The definition of a symbol and the names of its indices.
    pub fn definition(&self, name: &str) -> Option<(&'a str, Vec<&'a str>)> {
        if let Some(text) = self.document.symbols.get(name) {
            return Some((text, vec![]));
        }
        let family = format!("{name}[");
        let mut members = self.document.symbols.range(family.clone()..);
        let (key, text) = members.next().filter(|(k, _)| k.starts_with(&family))?;
        let numbers = key[family.len()..].trim_end_matches(']').split(',').map(str::trim).collect();
        Some((text, numbers))
    }
}

/// The environment in which a row's expressions are evaluated.
pub struct Evaluation<'a, S> {
    /// The row.
    pub context: RowContext<'a>,
    make: SceneFactory<'a, S>,
    scenes: HashMap<String, Scene<S>>,
    known: HashMap<String, Value<S>>,
    /// Parameters that are divided by a symbol's definition: each is replaced by the symbol times the divisor.
    pub quotients: HashMap<String, S>,
    /// Whether a query was met that has a value over numbers only.
    pub numbers_only: bool,
    depth: usize,
}

/// The largest nesting depth of symbol definitions.
const MAX_DEPTH: usize = 24;

impl<'a, S: Functions> Evaluation<'a, S> {
    /// The value of an expression.
    pub fn value(&mut self, text: &str) -> Result<Value<S>, String> {
        Expression::parse(text)?.evaluate(self)
    }

    /// A robot in the row's state.
    pub fn scene(&mut self, robot: &str) -> Result<Scene<S>, String> {
        if let Some(scene) = self.scenes.get(robot) {
            return Ok(scene.clone());
        }
        let source =
            self.context.robots.get(robot).ok_or_else(|| format!("the document defines no robot `{robot}`"))?;
        let mut scene = (self.make)(source)?;
        for (name, value) in conditions(&self.context.row.at)? {
            // A name that is not a coordinate is a parameter's symbol, which an identity substitutes at its end.
            let parameter = S::SYMBOLIC && self.context.document.symbols.contains_key(&name);
            if !self.place(&mut scene, &name, &value)? && !parameter {
                scene.coordinate(&name)?;
            }
        }
        self.scenes.insert(robot.to_string(), scene.clone());
        Ok(scene)
    }

    /// Sets the value that a condition names, if it is part of a state.
    fn place(&mut self, scene: &mut Scene<S>, name: &str, value: &str) -> Result<bool, String> {
        if let Some(place) = scene.place(name) {
            scene.set(place, self.deeper(name, |own| own.value(value)?.number())?);
        } else if let ("t", Some(motion)) = (name, scene.robot.motion.clone()) {
            scene.state = motion.at(self.deeper(name, |own| own.value(value)?.number())?)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Evaluates one definition deeper; an error for circular definitions.
    fn deeper<T>(&mut self, name: &str, then: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if self.depth == MAX_DEPTH {
            return Err(format!("`{name}` is defined by itself, or nested too deep"));
        }
        self.depth += 1;
        let found = then(self);
        self.depth -= 1;
        found
    }

    /// The value of a symbol from its definition; a quotient gets a free symbol where the scalar has them.
    fn defined(&mut self, label: &str, text: &str) -> Result<Value<S>, String> {
        let parsed = Expression::parse(text)?;
        let (Expression::Binary('/', of), Some(symbol)) = (&parsed, S::free_symbol(&quotient(label))) else {
            return parsed.evaluate(self);
        };
        let Expression::Query(parameter) = &of[0] else {
            return Err(format!("`{label}` is a quotient, but not of a parameter: {text}"));
        };
        let by = of[1].evaluate(self)?.number()?;
        match self.quotients.insert(parameter.clone(), symbol * by) {
            None => Ok(symbol.into()),
            Some(_) => Err(format!("`{label}` is not the only quotient of {{{parameter}}}")),
        }
    }
}

/// The name of the free symbol of a quotient; no parameter has it.
pub fn quotient(label: &str) -> String {
    format!("{label} free")
}

impl Evaluation<'_, f64> {
    /// `-180°..180°`.
    pub fn interval(&mut self, text: &str) -> Result<(f64, f64), String> {
        let (low, high) = text.split_once("..").ok_or_else(|| format!("`{text}` should read LOW..HIGH"))?;
        let (low, high) = (self.value(low)?.number()?, self.value(high)?.number()?);
        if low.is_finite() && high.is_finite() { Ok((low, high)) } else { Err(format!("`{text}` is not finite")) }
    }
}

impl<S: Functions> Environment<S> for Evaluation<'_, S> {
    fn symbol(&mut self, name: &str, numbers: &[i64]) -> Result<Value<S>, String> {
        let label = if numbers.is_empty() { name.to_string() } else { format!("{name}{numbers:?}") };
        if let Some(value) = self.known.get(&label) {
            return Ok(value.clone());
        }
        if name == "pi" {
            return Ok(S::lift(std::f64::consts::PI).into());
        }
        if self.context.robots.contains_key(self.context.robot)
            && let Some(value) = self.scene(self.context.robot)?.value(name)
        {
            return Ok(value);
        }
        let (text, running) =
            self.context.definition(name).ok_or_else(|| format!("the document defines no symbol `{name}`"))?;
        if running.len() != numbers.len() {
            return Err(format!("`{name}` has {} indices, not {}", running.len(), numbers.len()));
        }
        // A member of a family: its definition with the indices substituted.
        let running: Vec<_> = running.iter().map(|own| own.to_string()).zip(numbers.iter().copied()).collect();
        let text = with_numbers(text, &running);
        let value = self.deeper(name, |own| own.defined(&label, &text))?;
        self.known.insert(label, value.clone());
        Ok(value)
    }

    fn is_family(&self, name: &str) -> bool {
        self.context.definition(name).is_some_and(|(_, numbers)| !numbers.is_empty())
    }

    fn query(&mut self, text: &str) -> Result<Value<S>, String> {
        let query = Query::parse(text)?;
        let mut scene = self.scene(query.robot.unwrap_or(self.context.robot))?;
        for (name, value) in &query.at {
            if !self.place(&mut scene, name, value)? {
                scene.coordinate(name)?;
            }
        }
        query::evaluate(&query, &scene).map_err(|e| {
            self.numbers_only |= e == query::NUMBERS_ONLY;
            format!("{{{text}}}: {e}")
        })
    }

    fn function(&mut self, name: &str, of: &[Expression]) -> Result<Value<S>, String> {
        S::function(self, name, of)
    }
}
