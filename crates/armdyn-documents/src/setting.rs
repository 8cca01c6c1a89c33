//! What the names and questions of a row mean: its document's symbols, its robots, its state.

use crate::document::{Document, Source};
use crate::expression::{Expression, Meaning, numbered};
use crate::question::{self, Question};
use crate::robot::Robot;
use crate::scene::Scene;
use crate::value::Value;
use crate::{extreme, operations};
use armdyn_core::Real;
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
    /// Whether it has symbols in it that stand for themselves.
    const SYMBOLIC: bool = false;

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
    const SYMBOLIC: bool = true;

    fn itself(name: &str) -> Option<Self> {
        Some(Poly::symbol(name))
    }

    /// `derivative(e, theta2)`: by a coordinate.
    fn function(setting: &mut Setting<Poly>, name: &str, of: &[Expression]) -> Result<Value<Poly>, String> {
        let ("derivative", [of, Expression::Name(by)]) = (name, of) else {
            return Err(format!("there is no function `{name}` of {} in an identity", of.len()));
        };
        let dof = setting.scene(setting.robot)?.coordinate(by)?;
        Ok(of.evaluate(setting)?.map(|p| p.derivative(dof)))
    }
}

/// How a scene is made of a robot.
pub type Make<'a, S> = Box<dyn FnMut(&Arc<Robot>) -> Result<Scene<S>, String> + 'a>;

/// The scene of one robot, where no other may be asked.
pub fn alone<'a, S: 'a + Clone>(robot: &'a Arc<Robot>, scene: Scene<S>) -> Make<'a, S> {
    Box::new(
        move |asked| {
            if Arc::ptr_eq(asked, robot) { Ok(scene.clone()) } else { Err("this is of one robot".to_string()) }
        },
    )
}

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
    pub quotients: BTreeMap<String, S>,
    /// Whether a question was met that is answered in numbers alone.
    pub numbers_alone: bool,
    depth: usize,
}

/// How deep symbols may be defined by symbols.
const DEEPEST: usize = 24;

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
        let (scenes, quotients) = (BTreeMap::new(), BTreeMap::new());
        Setting { document, robots, robot, row, make, scenes, known, quotients, numbers_alone: false, depth: 0 }
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
        for (name, value) in conditions(&self.row.at)? {
            // What is no coordinate is a figure's symbol, which an identity replaces at its end.
            let figure = S::SYMBOLIC && self.document.symbols.contains_key(&name);
            if !self.place(&mut scene, &name, &value)? && !figure {
                scene.coordinate(&name)?;
            }
        }
        self.scenes.insert(robot.to_string(), scene.clone());
        Ok(scene)
    }

    /// Gives what a condition names its value, if it is part of a state.
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

    /// One definition deeper: `Err` for what is defined by itself.
    fn deeper<T>(&mut self, name: &str, then: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if self.depth == DEEPEST {
            return Err(format!("`{name}` is defined by itself, or too deep"));
        }
        self.depth += 1;
        let found = then(self);
        self.depth -= 1;
        found
    }

    /// A quotient's symbol, and the value of a member of a family or of a plain one, from its definition.
    fn defined(&mut self, label: &str, text: &str) -> Result<Value<S>, String> {
        let parsed = Expression::parse(text)?;
        let (Expression::Binary('/', of), Some(itself)) = (&parsed, S::itself(&quotient(label))) else {
            return parsed.evaluate(self);
        };
        let Expression::Ask(figure) = &of[0] else {
            return Err(format!("`{label}` is a quotient, but of no figure: {text}"));
        };
        let by = of[1].evaluate(self)?.number()?;
        match self.quotients.insert(figure.clone(), itself * by) {
            None => Ok(itself.into()),
            Some(_) => Err(format!("`{label}` is not the only quotient of {{{figure}}}")),
        }
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

/// The name of the symbol that stands for a quotient: no figure has it.
pub fn quotient(label: &str) -> String {
    format!("{label} itself")
}

/// `name=value, name=value`; commas within brackets part nothing.
pub fn conditions(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut depth = 0;
    let parts = text.split(|c: char| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        c == ',' && depth == 0
    });
    let each = parts.map(str::trim).filter(|c| !c.is_empty());
    each.map(|c| match c.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err(format!("`{c}` should read NAME=VALUE")),
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
        let text =
            numbered(text, &running.iter().map(|own| own.to_string()).zip(numbers.iter().copied()).collect::<Vec<_>>());
        let label = if numbers.is_empty() { name.to_string() } else { format!("{name}{numbers:?}") };
        let value = self.deeper(name, |own| own.defined(&label, &text))?;
        self.known.insert(key, value.clone());
        Ok(value)
    }

    fn is_family(&self, name: &str) -> bool {
        self.definition(name).is_some_and(|(_, numbers)| !numbers.is_empty())
    }

    fn answer(&mut self, text: &str) -> Result<Value<S>, String> {
        let question = Question::parse(text)?;
        let mut scene = self.scene(question.robot.unwrap_or(self.robot))?;
        for (name, value) in &question.at {
            if !self.place(&mut scene, name, value)? {
                scene.coordinate(name)?;
            }
        }
        question::answer(&question, &scene).map_err(|e| {
            self.numbers_alone |= e == question::NUMBERS_ALONE;
            format!("{{{text}}}: {e}")
        })
    }

    fn function(&mut self, name: &str, of: &[Expression]) -> Result<Value<S>, String> {
        S::function(self, name, of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_parted_at_outer_commas() {
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        let found = conditions(" a=1, b'' = max([1, 2], x)*90°,c={D11 | a=2},").unwrap();
        assert_eq!(found, [pair("a", "1"), pair("b''", "max([1, 2], x)*90°"), pair("c", "{D11 | a=2}")]);
        for wrong in ["a", "a=1, b", "=1", "a="] {
            assert!(conditions(wrong).unwrap_err().contains("NAME=VALUE"), "{wrong}");
        }
    }
}
