//! Design studies whose points are computed by commands, for the command `study` and for bindings.
//!
//! ```
//! use armdyn_cli::study::Plan;
//! use std::path::Path;
//! let text = "robot = 'lin-rr'\n[vary]\npayload = [0, 1]\n[measure]\ng = 'max(terms.g)'\n[run.terms]\nq = [0, 0]";
//! let plan = Plan::new(armdyn_study::Definition::of_toml(text)?, Path::new(""))?;
//! let mut session = plan.session(None)?;
//! session.run(2, &armdyn_core::Progress::none(), |_, point, cancel| plan.evaluate(point, cancel))?;
//! assert_eq!(session.records().len(), 2);
//! # Ok::<(), armdyn_study::Error>(())
//! ```

use crate::args::Cli;
use crate::embedding::{self, Host};
use crate::output::CommandError;
use crate::{args, robot};
use armdyn_import::{Description, Format, Loaded, Options, nearest, suggestion};
use armdyn_study::{Definition, Error, Failure, Journal, Point, Record, Result, Run, Session, Study};
use clap::{Arg, ArgAction, Command, CommandFactory, Parser};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// A study with its robot, ready to run.
pub struct Plan {
    definition: Definition,
    /// The checked study.
    pub study: Arc<Study>,
    /// The robot as a file of the format TOML.
    pub robot: String,
    /// Where relative paths of options begin.
    folder: PathBuf,
    /// Contents of the files that options name.
    inputs: Vec<u8>,
    warnings: Mutex<BTreeMap<String, usize>>,
}

/// Options that a run does not have: the study provides the robot and takes the result.
const TAKEN: [&str; 8] = ["robot", "json", "plot", "out", "package", "arg", "animate", "help"];
/// Commands that compute nothing of one robot.
const OTHERS: [&str; 3] = ["report", "study", "convert"];

impl Plan {
    /// The plan of a study file: TOML, or JSON. A robot, if there is one, takes the place of the file's.
    pub fn of_file(file: &Path, robot: Option<&Description>) -> Result<Plan> {
        let fault = |e: &dyn std::fmt::Display| Error(format!("`{}`: {e}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|e| fault(&format_args!("cannot be read: {e}")))?;
        let json = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        let definition = if json { Definition::of_json(&text) } else { Definition::of_toml(&text) };
        let (definition, folder) = (definition.map_err(|e| fault(&e))?, file.parent().unwrap_or(Path::new("")));
        let plan = robot.map_or_else(
            || Plan::new(definition.clone(), folder),
            |robot| Plan::of_robot(definition.clone(), robot, folder),
        );
        plan.map_err(|e| fault(&e))
    }

    /// The plan of a definition; its paths are relative to a folder. The robot of an embedding program takes the place of its robot.
    pub fn new(definition: Definition, folder: &Path) -> Result<Plan> {
        let name = match (&definition.robot, embedding::host().and_then(|h| h.robot())) {
            (_, Some(_)) => "robot",
            (Some(name), None) => name,
            (None, None) => {
                return Err(Error(
                    "the study names no robot: add `robot = \"…\"`, a bundled robot or a file".to_string(),
                ));
            }
        };
        let path = beside(folder, name);
        let described = robot::describe(&path, &args::Import::default()).map_err(message)?;
        Plan::of_robot(definition, &described, folder)
    }

    /// The plan of a definition and a robot.
    pub fn of_robot(definition: Definition, robot: &Description, folder: &Path) -> Result<Plan> {
        // Every process computes with the robot of the same text.
        let text = armdyn_import::to_toml(robot);
        let Loaded { description, findings, sources } =
            armdyn_import::load_text(Path::new("robot.toml"), text.clone(), Format::Toml, &Options::default());
        let description = description.ok_or_else(|| {
            let lines: Vec<String> = findings.iter().map(|f| f.line(&sources)).collect();
            Error(format!("`{}` cannot be written as a robot file:\n  {}", robot.name, lines.join("\n  ")))
        })?;
        let study = Arc::new(Study::new(description, &definition)?);
        let (folder, warnings) = (folder.to_path_buf(), Mutex::default());
        let mut plan = Plan { definition, study, robot: text, folder, inputs: vec![], warnings };
        plan.check_runs()?;
        Ok(plan)
    }

    /// The plan of a definition as JSON and of the text of a robot file, as another process has them.
    pub fn of_texts(definition: &str, robot: &str, folder: &Path) -> Result<Plan> {
        let loaded =
            armdyn_import::load_text(Path::new("robot.toml"), robot.to_string(), Format::Toml, &Options::default());
        let robot = loaded.description.ok_or_else(|| Error("the robot of the study cannot be read".to_string()))?;
        Plan::of_robot(Definition::of_json(definition)?, &robot, folder)
    }

    /// The definition as JSON.
    pub fn definition(&self) -> String {
        serde_json::to_string(&self.definition).unwrap_or_default()
    }

    /// Starts or continues the study, with a journal at this path (and whether it begins anew).
    pub fn session(&self, journal: Option<(&Path, bool)>) -> Result<Session<Arc<Study>>> {
        let open = |(path, restart)| Journal::open(path, &self.identity(), restart);
        Session::new(self.study.clone(), journal.map(open).transpose()?)
    }

    fn identity(&self) -> Map<String, Value> {
        self.study.identity(&self.definition, env!("CARGO_PKG_VERSION"), &self.inputs)
    }

    /// Computes a point; none if it was cancelled.
    pub fn evaluate(&self, point: &Point, cancel: &Arc<AtomicBool>) -> Option<Record> {
        let commands = Cli::command();
        self.study.evaluate(point.index, &point.values, |robot, run, options| {
            let line = self.line(&commands, run, options).map_err(Failure::Failed)?;
            let mut host = Host::new(Loaded { description: Some(robot.clone()), ..Loaded::default() });
            host.cancel = cancel.clone();
            let (messages, result) = match embedding::call(&line, host) {
                Ok(reply) if reply.cancelled => return Err(Failure::Cancelled),
                Ok(reply) => {
                    (reply.messages, serde_json::from_str(&reply.json).map_err(|e| Failure::Failed(e.to_string())))
                }
                Err(failure) if failure.cancelled => return Err(Failure::Cancelled),
                Err(failure) => (failure.messages, Err(Failure::Failed(failure.message))),
            };
            let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
            for warning in messages.into_iter().filter(|m| m.level == "warning") {
                *warnings.entry(format!("{}: {}", run.name, warning.text)).or_default() += 1;
            }
            result
        })
    }

    /// Warnings of the commands so far, each with its number of points.
    pub fn warnings(&self) -> BTreeMap<String, usize> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Checks the commands and options of the runs, and reads the files that options name.
    fn check_runs(&mut self) -> Result<()> {
        let commands = Cli::command();
        let values = |first: bool| {
            let value = |v: &armdyn_study::Variable| v.domain.at(if first { 0.0 } else { 1.0 });
            self.study.variables.iter().map(value).collect::<Vec<_>>()
        };
        let mut inputs = vec![];
        for run in &self.study.runs {
            let fault = |e: String| Error(format!("run `{}`: {e}", run.name));
            for values in [values(true), values(false)] {
                let options = self.study.options(run, &values);
                let line = self.line(&commands, run, &options).map_err(fault)?;
                let words = ["armdyn"].into_iter().chain(line.iter().map(String::as_str));
                if let Err(e) = Cli::try_parse_from(words) {
                    let text = e.render().to_string();
                    let text = text.trim_start_matches("error: ").split("\n\nUsage").next().unwrap_or_default();
                    return Err(fault(text.split("\n\nFor more").next().unwrap_or_default().trim_end().to_string()));
                }
                for file in
                    line.iter().filter_map(|word| Some(Path::new(word.split_once('=')?.1))).filter(|f| f.is_file())
                {
                    inputs.extend(
                        std::fs::read(file).map_err(|e| fault(format!("cannot read `{}`: {e}", file.display())))?,
                    );
                }
            }
        }
        self.inputs = inputs;
        Ok(())
    }

    /// The arguments of a run's command.
    fn line(&self, commands: &Command, run: &Run, options: &Map<String, Value>) -> Result<Vec<String>, String> {
        let computes = |c: &&Command| {
            !OTHERS.contains(&c.get_name())
                && c.get_arguments().any(|a| a.get_id() == "robot")
                && c.get_arguments().any(|a| a.get_long() == Some("json"))
        };
        let known: Vec<&str> = commands.get_subcommands().filter(computes).map(Command::get_name).collect();
        let command = commands.get_subcommands().filter(computes).find(|c| c.get_name() == run.command);
        let command = command.ok_or_else(|| {
            let hint = suggestion(nearest(&run.command, &known), &known);
            format!(
                "no command of a robot is named `{}`; {hint} (another name of a run needs `command = \"…\"`)",
                run.command
            )
        })?;
        let mut line = vec![run.command.clone(), "robot".to_string()];
        for (key, value) in options {
            let own = |a: &&Arg| a.get_long().is_some_and(|long| !TAKEN.contains(&long));
            let Some(argument) = command.get_arguments().filter(own).find(|a| a.get_long() == Some(key)) else {
                let names: Vec<&str> = command.get_arguments().filter(own).filter_map(Arg::get_long).collect();
                return Err(format!(
                    "`{}` has no option `{key}` for a study; {}",
                    run.command,
                    suggestion(nearest(key, &names), &names)
                ));
            };
            if !argument.get_action().takes_values() {
                match value {
                    Value::Bool(true) => line.push(format!("--{key}")),
                    Value::Bool(false) => {}
                    other => return Err(format!("`{key}` is true or false, not {other}")),
                }
                continue;
            }
            let is_file = argument.get_value_names().unwrap_or_default().iter().any(|n| n.contains("FILE"));
            for text in
                texts(value, matches!(argument.get_action(), ArgAction::Append)).map_err(|e| format!("`{key}`: {e}"))?
            {
                let text = if is_file { beside(&self.folder, &text) } else { text };
                line.push(format!("--{key}={text}"));
            }
        }
        Ok(line)
    }
}

/// A path relative to a folder, if there is such a file; otherwise as it is.
fn beside(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    if path.is_file() { path.display().to_string() } else { name.to_string() }
}

/// The texts of the values of an option: lists are separated by commas, tables are `NAME=VALUE`, with `LOW:HIGH` for a list of two.
fn texts(value: &Value, repeated: bool) -> Result<Vec<String>, String> {
    let one = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        // Without the `.0` of whole numbers.
        Value::Number(x) => {
            Ok(x.as_i64().map_or_else(|| x.as_f64().unwrap_or(f64::NAN).to_string(), |k| k.to_string()))
        }
        Value::Array(pair) if pair.len() == 2 && pair.iter().all(Value::is_number) => {
            Ok(pair.iter().map(|x| x.as_f64().unwrap_or(f64::NAN).to_string()).collect::<Vec<_>>().join(":"))
        }
        other => Err(format!("`{other}` is not a value of an option")),
    };
    let all = match value {
        Value::Array(all) => all.iter().map(one).collect::<Result<Vec<_>, _>>()?,
        Value::Object(pairs) => pairs
            .iter()
            .map(|(name, value)| Ok(format!("{name}={}", one(value)?)))
            .collect::<Result<Vec<_>, String>>()?,
        value => return Ok(vec![one(value)?]),
    };
    let is_text = matches!(value, Value::Array(all) if all.iter().any(Value::is_string)) || value.is_object();
    Ok(if repeated && is_text { all } else { vec![all.join(",")] })
}

fn message(e: CommandError) -> Error {
    Error(e.to_string())
}
