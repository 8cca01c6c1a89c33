//! What the names and questions of a row mean: its document's symbols, its robots, its state.

use crate::document::{Document, Source};
use crate::expression::{Expression, Meaning};
use crate::extreme;
use crate::operations;
use crate::question::{self, Question};
use crate::robot::Robot;
use crate::scene::Scene;
use crate::value::Value;
use armdyn::Real;
use armdyn_symbolic::Expr;
use armdyn_symbolic::closed::Poly;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The robot that is asked where none is named.
pub const ARM: &str = "arm";

/// The robots of a document, by the words for them.
pub type Robots = BTreeMap<String, Arc<Robot>>;

/// A scalar that rows are computed with.
pub trait Scalar: Real {
    /// A symbol that stands for itself, where the scalar has such.
    fn itself(name: &str) -> Option<Self> {
        let _ = name;
        None
    }

    /// A scene over this scalar as one of numbers, if it is.
    fn in_numbers(scene: &Scene<Self>) -> Option<&Scene<f64>> {
        let _ = scene;
        None
    }

    /// A function that only this scalar has.
    fn function(setting: &mut Setting<Self>, name: &str, of: &[Expression]) -> Result<Value<Self>, String> {
        let _ = (setting, of);
        Err(format!("there is no function `{name}` here"))
    }
}

impl Scalar for f64 {
    fn in_numbers(scene: &Scene<f64>) -> Option<&Scene<f64>> {
        Some(scene)
    }

    fn function(setting: &mut Setting<f64>, name: &str, of: &[Expression]) -> Result<Value<f64>, String> {
        match (name, of) {
            ("operations", [formula]) => operations::count(setting, formula).map(|n| (n as f64).into()),
            _ => extreme::function(setting, name, of),
        }
    }
}

impl Scalar for Expr {}

impl Scalar for Poly {
    fn itself(name: &str) -> Option<Self> {
        Some(Poly::symbol(name))
    }

    /// `derivative(e, theta2)`: by a coordinate.
    fn function(setting: &mut Setting<Poly>, name: &str, of: &[Expression]) -> Result<Value<Poly>, String> {
        let ("derivative", [of, Expression::Name(by)]) = (name, of) else {
            return Err(format!("there is no function `{name}` of {} in an identity", of.len()));
        };
        match setting.scene(setting.robot)?.coordinate(by) {
            Some((0, dof)) => Ok(of.evaluate(setting)?.map(|p| p.derivative(dof))),
            _ => Err(format!("`{by}` is no coordinate")),
        }
    }
}

/// How a scene is made of a robot.
pub type Make<'a, S> = Box<dyn FnMut(&Arc<Robot>) -> Result<Scene<S>, String> + 'a>;

/// What a row's names and questions mean.
pub struct Setting<'a, S> {
    /// Its document.
    pub document: &'a Document,
    /// The document's robots.
    pub robots: &'a Robots,
    /// Which is asked where none is named.
    pub robot: &'a str,
    /// The row.
    pub row: &'a Source,
    make: Make<'a, S>,
    scenes: BTreeMap<String, Scene<S>>,
    known: BTreeMap<(String, Vec<i64>), Value<S>>,
    /// Figures that a symbol divides: what stands for them is the symbol times the divisor.
    pub quotients: Vec<(String, S)>,
}

impl<'a, S: Scalar> Setting<'a, S> {
    /// For a row; `free` are the values of its free symbols.
    pub fn new(
        document: &'a Document,
        robots: &'a Robots,
        robot: &'a str,
        row: &'a Source,
        free: BTreeMap<String, Value<S>>,
        make: Make<'a, S>,
    ) -> Self {
        let known = free.into_iter().map(|(name, value)| ((name, vec![]), value)).collect();
        Setting { document, robots, robot, row, make, scenes: BTreeMap::new(), known, quotients: vec![] }
    }

    /// What a text is worth.
    pub fn value(&mut self, text: &str) -> Result<Value<S>, String> {
        Expression::parse(text)?.evaluate(self)
    }

    /// The robot asked, in the row's state.
    pub fn scene(&mut self, robot: &str) -> Result<Scene<S>, String> {
        if let Some(scene) = self.scenes.get(robot) {
            return Ok(scene.clone());
        }
        let source = self.robots.get(robot).ok_or_else(|| format!("the document has no robot `{robot}`"))?;
        let mut scene = (self.make)(source)?;
        let at = conditions(&self.row.at)?;
        self.place(&mut scene, &at)?;
        self.scenes.insert(robot.to_string(), scene.clone());
        Ok(scene)
    }

    fn place(&mut self, scene: &mut Scene<S>, at: &[(String, String)]) -> Result<(), String> {
        for (name, value) in at {
            // What is no coordinate is a figure's symbol, which an identity replaces at its end.
            if let Some(place) = scene.place(name) {
                scene.set(place, self.value(value)?.number()?);
            } else if let ("t", Some(motion)) = (name.as_str(), &scene.robot.motion) {
                scene.state = motion.at(self.value(value)?.number()?)?;
            } else if S::itself(name).is_none() || !self.document.symbols.contains_key(name) {
                return Err(format!("`{name}` is no coordinate of the robot: {}", scene.robot.coordinates.join(", ")));
            }
        }
        Ok(())
    }

    /// What a symbol is, and the numbers that it has.
    pub fn definition(&self, name: &str) -> Option<(&'a str, Vec<&'a str>)> {
        if let Some(text) = self.document.symbols.get(name) {
            return Some((text, vec![]));
        }
        let family = format!("{name}[");
        let (key, text) =
            self.document.symbols.range(family.clone()..).next().filter(|(k, _)| k.starts_with(&family))?;
        let numbers = key[family.len()..].trim_end_matches(']').split(',').map(str::trim).collect();
        Some((text, numbers))
    }
}

/// `name=value, name=value`.
pub fn conditions(text: &str) -> Result<Vec<(String, String)>, String> {
    let each = text.split(',').map(str::trim).filter(|c| !c.is_empty());
    each.map(|c| {
        let (name, value) = c.split_once('=').ok_or_else(|| format!("`{c}` should read NAME=VALUE"))?;
        Ok((name.trim().to_string(), value.trim().to_string()))
    })
    .collect()
}

impl<S: Scalar> Meaning<S> for Setting<'_, S> {
    fn symbol(&mut self, name: &str, numbers: &[i64]) -> Result<Value<S>, String> {
        let key = (name.to_string(), numbers.to_vec());
        if let Some(value) = self.known.get(&key) {
            return Ok(value.clone());
        }
        if name == "pi" {
            return Ok(S::lift(std::f64::consts::PI).into());
        }
        if self.robots.contains_key(self.robot)
            && let Some(value) = self.scene(self.robot)?.value(name)
        {
            return Ok(value);
        }
        let (text, running) = self.definition(name).ok_or_else(|| format!("the document has no symbol `{name}`"))?;
        if running.len() != numbers.len() {
            return Err(format!("`{name}` has {} numbers, not {}", running.len(), numbers.len()));
        }
        // A member of a family: its definition with the numbers in it.
        let text = running
            .iter()
            .zip(numbers)
            .fold(text.to_string(), |text, (own, k)| text.replace(&format!("${own}"), &k.to_string()));
        let parsed = Expression::parse(&text)?;
        let value = match (&parsed, S::itself(name)) {
            (Expression::Binary('/', of), Some(itself)) => {
                let Expression::Ask(figure) = &of[0] else {
                    return Err(format!("`{name}` is a quotient, but of no figure: {text}"));
                };
                let by = of[1].evaluate(self)?.number()?;
                self.quotients.push((figure.clone(), itself * by));
                itself.into()
            }
            _ => parsed.evaluate(self)?,
        };
        self.known.insert(key, value.clone());
        Ok(value)
    }

    fn is_family(&self, name: &str) -> bool {
        self.definition(name).is_some_and(|(_, numbers)| !numbers.is_empty())
    }

    fn answer(&mut self, text: &str) -> Result<Value<S>, String> {
        let question = Question::parse(text)?;
        let mut scene = self.scene(question.robot.unwrap_or(self.robot))?;
        self.place(&mut scene, &question.at)?;
        question::answer(&question, &scene).map_err(|e| format!("{{{text}}}: {e}"))
    }

    fn function(&mut self, name: &str, of: &[Expression]) -> Result<Value<S>, String> {
        S::function(self, name, of)
    }
}
