//! A study that was checked against its robot: variables, runs, measures, method; and the computation of a point.

use crate::definition::Definition;
use crate::measure::{Goal, Measure};
use crate::optimise::Fitness;
use crate::variable::{Setting, Target, Variable, entries};
use crate::{Error, Result};
use armdyn_import::Description;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Maximum number of points of a study.
const MAX_POINTS: usize = 10_000_000;

/// How points are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All combinations of the values.
    Grid,
    /// Quasi-random points.
    Samples {
        /// Number of points.
        count: usize,
    },
    /// Optimisation.
    Optimise {
        /// Points per generation.
        population: usize,
        /// Generations after the initial one.
        generations: usize,
    },
}

/// Options of a command, run once per point.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The name by which measures refer to it.
    pub name: String,
    /// The command.
    pub command: String,
    /// Its options by name, without dashes.
    pub options: Map<String, Value>,
}

/// A study.
#[derive(Clone, Debug)]
pub struct Study {
    /// The robot.
    pub robot: Description,
    /// What is varied.
    pub variables: Vec<Variable>,
    /// What is computed for each point.
    pub runs: Vec<Run>,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// How points are chosen.
    pub method: Method,
    /// Seed of points and optimisation.
    pub seed: u64,
}

/// A finished point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its number, from 0.
    pub point: usize,
    /// The values of the variables.
    pub values: Vec<Setting>,
    /// The measures; none where there is no value.
    pub measures: Vec<Option<f64>>,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

/// Why a run of a command has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It was cancelled.
    Cancelled,
    /// It failed.
    Failed(String),
}

impl Study {
    /// The study of a definition and a robot.
    pub fn new(robot: Description, definition: &Definition) -> Result<Study> {
        let measures = definition
            .measure
            .iter()
            .map(|(name, value)| Measure::of(name, value).map_err(|e| Error(format!("measure `{name}`: {e}"))));
        let measures = measures.collect::<Result<Vec<Measure>>>()?;
        if measures.is_empty() {
            return Err(Error(
                "the study has no measure: add one, such as `mass = \"minimise show.mass\"` below `[measure]`"
                    .to_string(),
            ));
        }
        let runs = runs(&definition.run, &measures)?;
        let names: Vec<String> = runs.iter().map(|r| r.name.clone()).collect();
        let variables = entries(&definition.vary).into_iter().map(|(name, value)| {
            Variable::of(&robot, &names, &name, value).map_err(|e| Error(format!("vary `{name}`: {e}")))
        });
        let variables = variables.collect::<Result<Vec<Variable>>>()?;
        if variables.is_empty() {
            return Err(Error(
                "the study varies nothing: add a parameter, such as `payload = [0, 1, 2]`, below `[vary]`".to_string(),
            ));
        }
        check_names(&variables, &measures)?;
        let method = method(definition, &variables, &measures)?;
        Ok(Study { robot, variables, runs, measures, method, seed: definition.seed })
    }

    /// What identifies the study in its journal; the number of points may grow.
    pub fn identity(&self, definition: &Definition, version: &str, inputs: &[u8]) -> Map<String, Value> {
        let method = match self.method {
            Method::Grid => Value::from("grid"),
            Method::Samples { .. } => Value::from("samples"),
            Method::Optimise { population, .. } => Value::from(format!("population of {population}")),
        };
        let robot = armdyn_import::to_toml(&self.robot);
        Map::from_iter([
            ("version".to_string(), version.into()),
            ("robot".to_string(), format!("{} {:016x}", self.robot.name, fingerprint(robot.as_bytes())).into()),
            ("vary".to_string(), definition.vary.clone().into()),
            ("run".to_string(), definition.run.clone().into()),
            ("measure".to_string(), definition.measure.clone().into()),
            ("method".to_string(), method),
            ("seed".to_string(), self.seed.into()),
            ("files".to_string(), format!("{:016x}", fingerprint(inputs)).into()),
        ])
    }

    /// The robot with the values of a point.
    pub fn varied(&self, values: &[Setting]) -> Result<Description, String> {
        let mut robot = self.robot.clone();
        let parameters = || {
            self.variables.iter().zip(values).filter_map(|(variable, value)| match &variable.target {
                Target::Robot(parameter) => Some((variable, parameter, value.number()?)),
                Target::Option { .. } => None,
            })
        };
        for first in [true, false] {
            for (variable, parameter, x) in parameters().filter(|(_, p, _)| p.is_first() == first) {
                parameter.set(&mut robot, x).map_err(|e| format!("`{}` = {x}: {e}", variable.name))?;
            }
        }
        Ok(robot)
    }

    /// The options of a run with the values of a point.
    pub fn options(&self, run: &Run, values: &[Setting]) -> Map<String, Value> {
        let mut options = run.options.clone();
        for (variable, value) in self.variables.iter().zip(values) {
            if let Target::Option { run: name, option } = &variable.target
                && *name == run.name
            {
                options.insert(option.clone(), serde_json::to_value(value).unwrap_or_default());
            }
        }
        options
    }

    /// Computes a point; `call` runs a command on a robot. None if it was cancelled.
    pub fn evaluate(
        &self,
        point: usize,
        values: &[Setting],
        mut call: impl FnMut(&Description, &Run, &Map<String, Value>) -> Result<Value, Failure>,
    ) -> Option<Record> {
        let record = |measures, error| Some(Record { point, values: values.to_vec(), measures, error });
        let robot = match self.varied(values) {
            Ok(robot) => robot,
            Err(e) => return record(vec![None; self.measures.len()], Some(e)),
        };
        let (mut results, mut error) = (BTreeMap::new(), None);
        for run in &self.runs {
            match call(&robot, run, &self.options(run, values)) {
                Ok(result) => _ = results.insert(run.name.clone(), result),
                Err(Failure::Cancelled) => return None,
                Err(Failure::Failed(e)) => error = error.or(Some(format!("{}: {e}", run.name))),
            }
        }
        let mut measures = vec![];
        for measure in &self.measures {
            let known = measure.expression.runs().iter().all(|run| results.contains_key(*run));
            let value = if known { measure.expression.value(&results) } else { Ok(None) };
            measures.push(value.as_ref().ok().copied().flatten());
            let fault = match value {
                Err(e) => Some(e),
                Ok(None) if known && measure.is_required() => Some(format!("`{}` has no value (null)", measure.text)),
                Ok(_) => None,
            };
            error = error.or(fault.map(|e| format!("measure `{}`: {e}", measure.name)));
        }
        record(measures, error)
    }

    /// The measures that are minimised or maximised.
    pub fn objectives(&self) -> Vec<usize> {
        (0..self.measures.len()).filter(|&k| self.measures[k].goal.is_some()).collect()
    }

    /// How good a point is.
    pub fn fitness(&self, record: &Record) -> Fitness {
        let value = |k: usize| record.measures.get(k).copied().flatten();
        let violation = |(k, m): (usize, &Measure)| match value(k) {
            Some(x) => m.violation(x),
            None if m.is_required() => f64::INFINITY,
            None => 0.0,
        };
        let violation = self.measures.iter().enumerate().map(violation).sum();
        let objective = |k: usize| {
            let sign = if self.measures[k].goal == Some(Goal::Maximise) { -1.0 } else { 1.0 };
            value(k).map_or(f64::INFINITY, |x| sign * x)
        };
        let objectives = self.objectives().into_iter().map(objective).collect();
        Fitness { violation: if record.error.is_some() { f64::INFINITY } else { violation }, objectives }
    }
}

/// The runs: those of the file, and commands without options that measures refer to.
fn runs(declared: &Map<String, Value>, measures: &[Measure]) -> Result<Vec<Run>> {
    let mut runs = vec![];
    for (name, options) in declared {
        let fault = |what: &str| Error(format!("run `{name}`: {what}"));
        if !name.chars().all(|c| c.is_alphanumeric() || c == '_') || name.is_empty() {
            return Err(fault("a name has letters, digits and `_`"));
        }
        let mut options = options.as_object().ok_or_else(|| fault("expected a table of options"))?.clone();
        let command = match options.shift_remove("command") {
            None => name.clone(),
            Some(command) => command.as_str().ok_or_else(|| fault("`command` is not a text"))?.to_string(),
        };
        // Options of the command line may be written with `_`, as in Python.
        options = options.into_iter().map(|(key, value)| (key.replace('_', "-"), value)).collect();
        runs.push(Run { name: name.clone(), command, options });
    }
    for name in measures.iter().flat_map(|m| m.expression.runs()) {
        if !runs.iter().any(|r: &Run| r.name == name) {
            runs.push(Run { name: name.to_string(), command: name.to_string(), options: Map::new() });
        }
    }
    let used = |run: &&Run| measures.iter().any(|m| m.expression.runs().contains(&run.name.as_str()));
    match runs.iter().find(|run| !used(run)) {
        Some(unused) => Err(Error(format!("run `{}`: no measure refers to it", unused.name))),
        None => Ok(runs),
    }
}

/// Names of the columns of the results besides variables and measures.
pub const COLUMNS: [&str; 4] = ["point", "feasible", "on_front", "error"];

fn check_names(variables: &[Variable], measures: &[Measure]) -> Result<()> {
    let mut seen: Vec<&str> = COLUMNS.to_vec();
    for name in variables.iter().map(|v| &v.name).chain(measures.iter().map(|m| &m.name)) {
        if seen.contains(&name.as_str()) {
            return Err(Error(format!(
                "the name `{name}` is used twice: columns of the results need names of their own"
            )));
        }
        if name.trim().is_empty() || name.trim() != name || name.chars().any(char::is_control) {
            return Err(Error(format!("`{}` is not a name for a column of the results", name.escape_debug())));
        }
        seen.push(name);
    }
    for (k, a) in variables.iter().enumerate() {
        for b in &variables[k + 1..] {
            if let (Target::Robot(x), Target::Robot(y)) = (&a.target, &b.target)
                && x.overlaps(y)
            {
                return Err(Error(format!("`{}` and `{}` set the same mass: vary one of them", a.name, b.name)));
            }
        }
    }
    Ok(())
}

fn method(definition: &Definition, variables: &[Variable], measures: &[Measure]) -> Result<Method> {
    let in_range = |name: &str, n: usize, least: usize| {
        let valid = (least..=MAX_POINTS).contains(&n);
        if valid {
            Ok(n)
        } else {
            Err(Error(format!("`{name}` is {n}: expected a whole number from {least} to {MAX_POINTS}")))
        }
    };
    let optimises = definition.generations.is_some() || definition.population.is_some();
    if let Some(count) = definition.samples {
        if optimises {
            return Err(Error("`samples` and an optimisation by `generations` exclude each other".to_string()));
        }
        return Ok(Method::Samples { count: in_range("samples", count, 1)? });
    }
    if optimises {
        if !measures.iter().any(|m| m.goal.is_some()) {
            return Err(Error("an optimisation needs a measure with `minimise` or `maximise`".to_string()));
        }
        let population = definition.population.unwrap_or((8 * variables.len()).clamp(16, 64));
        let generations = in_range("generations", definition.generations.unwrap_or(20), 0)?;
        let population = in_range("population", population, 4)?;
        if population.saturating_mul(generations + 1) > MAX_POINTS {
            return Err(Error(format!("{population} points in {generations} generations are more than {MAX_POINTS}")));
        }
        return Ok(Method::Optimise { population, generations });
    }
    let mut count = 1_usize;
    for variable in variables {
        let crate::variable::Domain::Values(values) = &variable.domain else {
            return Err(Error(format!(
                "vary `{}`: a grid needs values: add `count` or `step` to its range, or choose `samples` or `generations`",
                variable.name
            )));
        };
        count = count.saturating_mul(values.len());
    }
    if count > MAX_POINTS {
        return Err(Error(format!("the grid has more than {MAX_POINTS} points: choose `samples` or `generations`")));
    }
    Ok(Method::Grid)
}

/// A fingerprint of bytes (FNV-1a), the same on every machine.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
