//! Variables: what is varied, and over which values.

use crate::parameter::Parameter;
use armdyn_import::{Description, nearest, suggestion};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// A value of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// A number.
    Number(f64),
    /// A text, of an option of a command.
    Text(String),
}

impl Setting {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Setting::Number(x) => Some(*x),
            Setting::Text(_) => None,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Number(x) => write!(f, "{x}"),
            Setting::Text(text) => f.write_str(text),
        }
    }
}

/// What a variable changes.
#[derive(Clone, Debug)]
pub enum Target {
    /// A parameter of the robot.
    Robot(Parameter),
    /// An option of a run.
    Option {
        /// The name of the run.
        run: String,
        /// The option.
        option: String,
    },
}

/// The values of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// These values.
    Values(Vec<Setting>),
    /// All numbers from the first to the second.
    Range(f64, f64),
}

impl Domain {
    /// The value at a coordinate from 0 to 1.
    pub fn at(&self, u: f64) -> Setting {
        match self {
            Domain::Values(all) => all[((u * all.len() as f64) as usize).min(all.len() - 1)].clone(),
            Domain::Range(low, high) => Setting::Number((low + (high - low) * u).clamp(*low, *high)),
        }
    }
}

/// A variable of a study.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name: the path of what it changes.
    pub name: String,
    /// What it changes.
    pub target: Target,
    /// Its values.
    pub domain: Domain,
}

/// The keys of a range or list of values.
const KEYS: [&str; 7] = ["from", "to", "count", "step", "values", "relative", "rigid"];
/// Maximum number of values of a variable.
const MAX_VALUES: usize = 1_000_000;

/// The entries of `[vary]`: of nested tables, which unquoted keys with a dot are in TOML, with their path.
pub fn entries(vary: &Map<String, Value>) -> Vec<(String, &Value)> {
    let is_nested = |value: &Value| {
        value.as_object().is_some_and(|t| !t.is_empty() && t.keys().all(|k| !KEYS.contains(&k.as_str())))
    };
    let mut all = vec![];
    for (key, value) in vary {
        match value {
            Value::Object(inner) if is_nested(value) => {
                all.extend(entries(inner).into_iter().map(|(rest, value)| (format!("{key}.{rest}"), value)));
            }
            value => all.push((key.clone(), value)),
        }
    }
    all
}

impl Variable {
    /// The variable of an entry of `[vary]`; `runs` are the names of the study's runs.
    pub fn of(d: &Description, runs: &[String], name: &str, value: &Value) -> Result<Variable, String> {
        let table = match value {
            Value::Object(table) => table.clone(),
            value => Map::from_iter([("values".to_string(), value.clone())]),
        };
        if let Some(unknown) = table.keys().find(|k| !KEYS.contains(&k.as_str())) {
            return Err(format!("unknown key `{unknown}`; {}", suggestion(nearest(unknown, &KEYS), &KEYS)));
        }
        let rigid = match table.get("rigid") {
            None => vec![],
            Some(value) => {
                serde_json::from_value(value.clone()).map_err(|_| "`rigid` is a list of names of parts".to_string())?
            }
        };
        let option = name.split_once('.').filter(|(run, _)| runs.iter().any(|r| r == run));
        let target = match (Parameter::named(d, name, &rigid), option) {
            (Ok(_), Some((run, _))) => {
                return Err(format!(
                    "`{run}` is a run and a part of the robot: give the run another name with `command`"
                ));
            }
            (Ok(parameter), None) => Target::Robot(parameter),
            (Err(_), Some((run, option))) => Target::Option { run: run.to_string(), option: option.to_string() },
            (Err(e), None) => return Err(e),
        };
        if !rigid.is_empty() && !name.ends_with(".length") {
            return Err("`rigid` applies to the length of a link".to_string());
        }
        let mut domain = domain(&table)?;
        let relative = match table.get("relative") {
            None => false,
            Some(value) => value.as_bool().ok_or("`relative` is true or false")?,
        };
        match &target {
            Target::Robot(parameter) => {
                if let Domain::Values(all) = &domain
                    && let Some(text) = all.iter().find(|v| v.number().is_none())
                {
                    let unit =
                        if parameter.unit.is_empty() { String::new() } else { format!(" in {}", parameter.unit) };
                    return Err(format!("`{text}` is not a number{unit}"));
                }
                if relative {
                    let original = parameter.original.filter(|x| *x != 0.0).ok_or_else(|| {
                        let value = parameter.original.map_or("no value", |_| "the value 0");
                        format!(
                            "the robot has {value} to which values could be relative: give values without `relative`"
                        )
                    })?;
                    domain = domain.scaled(original);
                }
            }
            Target::Option { .. } if relative => {
                return Err("an option has no value to which others could be relative".to_string());
            }
            Target::Option { .. } => {}
        }
        Ok(Variable { name: name.to_string(), target, domain })
    }

    /// The unit; empty for a ratio and for options.
    pub fn unit(&self) -> &'static str {
        match &self.target {
            Target::Robot(parameter) => parameter.unit,
            Target::Option { .. } => "",
        }
    }

    /// The value of the robot as it is.
    pub fn original(&self) -> Option<f64> {
        match &self.target {
            Target::Robot(parameter) => parameter.original,
            Target::Option { .. } => None,
        }
    }
}

impl Domain {
    fn scaled(self, factor: f64) -> Self {
        match self {
            Domain::Range(a, b) => Domain::Range((a * factor).min(b * factor), (a * factor).max(b * factor)),
            Domain::Values(all) => {
                let scale = |v: Setting| v.number().map_or(v, |x| Setting::Number(x * factor));
                Domain::Values(all.into_iter().map(scale).collect())
            }
        }
    }
}

fn domain(table: &Map<String, Value>) -> Result<Domain, String> {
    let has = |key: &str| table.contains_key(key);
    let number = |key: &str| match table.get(key).map(Value::as_f64) {
        Some(Some(x)) if x.is_finite() => Ok(x),
        Some(_) => Err(format!("`{key}` is not a finite number")),
        None => Err(format!(
            "`{key}` is missing: expected a list of values, or `{{ from, to }}`, optionally with `count` or `step`"
        )),
    };
    if let Some(values) = table.get("values") {
        if let Some(other) = ["from", "to", "count", "step"].into_iter().find(|k| has(k)) {
            return Err(format!("`values` and `{other}` exclude each other"));
        }
        let all = match values {
            Value::Array(all) => all.clone(),
            one => vec![one.clone()],
        };
        let one = |value: &Value| match value {
            Value::Number(x) => Ok(Setting::Number(x.as_f64().unwrap_or(f64::NAN))),
            Value::String(text) => Ok(Setting::Text(text.clone())),
            other => Err(format!("`{other}` is not a number (or a text, of an option)")),
        };
        let all = all.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        if let Some(twice) = (1..all.len()).find(|&k| all[..k].contains(&all[k])) {
            return Err(format!("the value {} is given twice", all[twice]));
        }
        return if all.is_empty() { Err("the list of values is empty".to_string()) } else { Ok(Domain::Values(all)) };
    }
    let (from, to) = (number("from")?, number("to")?);
    if from >= to {
        return Err(format!("`from` ({from}) is not below `to` ({to})"));
    }
    let steps = match (has("count"), has("step")) {
        (true, true) => return Err("`count` and `step` exclude each other".to_string()),
        (false, false) => return Ok(Domain::Range(from, to)),
        (true, false) => {
            let count = table["count"].as_u64().filter(|n| (2..=MAX_VALUES as u64).contains(n));
            (count.ok_or(format!("`count` is a whole number from 2 to {MAX_VALUES}"))? - 1) as usize
        }
        (false, true) => {
            let steps = (to - from) / number("step")?;
            if !(steps >= 1.0 - 1e-9 && steps <= MAX_VALUES as f64) || (steps - steps.round()).abs() > 1e-6 * steps {
                return Err(format!("`step` does not divide the range from {from} to {to}"));
            }
            steps.round() as usize
        }
    };
    let value = |k: usize| if k == steps { to } else { from + (to - from) * (k as f64 / steps as f64) };
    Ok(Domain::Values((0..=steps).map(|k| Setting::Number(value(k))).collect()))
}
