//! Commands run by another program, such as the Python package: with the options, results and messages of the command line, and
//! a robot in memory.
//!
//! ```
//! use armdyn_cli::embedding::{Host, call};
//! let robot = armdyn_import::find("panda".as_ref(), &Default::default())?;
//! let reply = call(&["explain", "panda", "--q", "panda_joint2=-0.7"], Host::new(robot)).map_err(|e| e.message)?;
//! assert!(reply.json.contains("\"torques\"") && reply.html.contains("<table"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::args::Cli;
use crate::output::Output;
use armdyn_core::Model;
use armdyn_import::{Description, Loaded};
use clap::{CommandFactory, Parser};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A function of the current step and the fraction done.
pub type OnProgress = Box<dyn Fn(&str, f64) + Send + Sync>;

/// What the calling program provides.
pub struct Host {
    /// The robot, which takes the place of the command's robot argument.
    robot: Option<Loaded>,
    /// Ends a long computation with its results so far, once set.
    pub cancel: Arc<AtomicBool>,
    /// Receives the current step and the fraction done of a long computation.
    pub progress: OnProgress,
    messages: RefCell<Vec<Message>>,
    charts: RefCell<Vec<Value>>,
}

impl Host {
    /// A host with a robot.
    pub fn new(robot: Loaded) -> Self {
        Host { robot: Some(robot), ..Host::without_robot() }
    }

    /// A host whose commands read their robot as the command line does.
    pub fn without_robot() -> Self {
        Host {
            robot: None,
            cancel: Arc::default(),
            progress: Box::new(|_, _| {}),
            messages: RefCell::default(),
            charts: RefCell::default(),
        }
    }
}

/// A warning or a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `warning` or `note`.
    pub level: &'static str,
    /// The text.
    pub text: String,
}

/// The result of a command.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The result as the option `--json` prints it; of a command without that option, its text in an object.
    pub json: String,
    /// The result as the terminal shows it.
    pub text: String,
    /// The result as HTML, for a section of a page.
    pub html: String,
    /// The data of the plots that `--plot` selects.
    pub charts: Vec<Value>,
    /// What the command line would print on stderr.
    pub messages: Vec<Message>,
    /// The exit code of the command line.
    pub exit_code: u8,
    /// Whether the computation was cancelled: the result is partial.
    pub cancelled: bool,
}

/// Why a command failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The error.
    pub message: String,
    /// Warnings and notes before it.
    pub messages: Vec<Message>,
    /// Whether the computation was cancelled.
    pub cancelled: bool,
}

thread_local! {
    static HOST: RefCell<Option<Rc<Host>>> = const { RefCell::new(None) };
}

/// The host of the command that this thread runs; none in the program `armdyn`.
pub(crate) fn host() -> Option<Rc<Host>> {
    HOST.with_borrow(Clone::clone)
}

impl Host {
    pub(crate) fn robot(&self) -> Option<Loaded> {
        self.robot.clone()
    }

    pub(crate) fn report(&self, level: &'static str, text: String) {
        self.messages.borrow_mut().push(Message { level, text });
    }

    pub(crate) fn plot(&self, data: Value) {
        self.charts.borrow_mut().push(data);
    }
}

/// Runs a command with these arguments, of which the first is its name. The result has both forms, text and JSON, so that `--json`
/// is not needed, nor does it conflict with options of the text.
pub fn call<S: AsRef<str>>(arguments: &[S], host: Host) -> Result<Reply, Failure> {
    let line = ["armdyn"].into_iter().chain(arguments.iter().map(AsRef::as_ref));
    let cli =
        Cli::try_parse_from(line).map_err(|e| Failure { message: clean(&e), messages: vec![], cancelled: false })?;
    let host = Rc::new(host);
    // A command may run another one.
    let outer = HOST.replace(Some(host.clone()));
    let result = crate::run(cli.command);
    HOST.set(outer);
    let (messages, cancelled) = (host.messages.take(), host.cancel.load(Ordering::SeqCst));
    let Output { document, json, exit_code } =
        result.map_err(|e| Failure { message: e.to_string(), messages: messages.clone(), cancelled })?;
    let text = document.to_string();
    let json = json.unwrap_or_else(|| json!({ "text": text }).to_string());
    let charts = host.charts.take();
    Ok(Reply { json, html: document.html().into_string(), text, charts, messages, exit_code, cancelled })
}

/// The model of a description with the changes of options of the command line, such as `--payload 2` or `--lock JOINT`, and what the
/// command line would report about them.
pub fn with_options<S: AsRef<str>>(
    description: &Description,
    options: &[S],
) -> Result<(Model<f64>, Vec<Message>), Failure> {
    #[derive(Parser)]
    #[command(no_binary_name = true)]
    struct Changes {
        #[command(flatten)]
        robot: crate::args::Robot,
    }
    let failure = |message: String| Failure { message, messages: vec![], cancelled: false };
    let line = [description.name.as_str()].into_iter().chain(options.iter().map(AsRef::as_ref));
    let changes = Changes::try_parse_from(line).map_err(|e| failure(clean(&e)))?;
    let host = Rc::new(Host::without_robot());
    let outer = HOST.replace(Some(host.clone()));
    let model = crate::robot::prepare(description, &changes.robot, false);
    HOST.set(outer);
    Ok((model.map_err(|e| failure(e.to_string()))?, host.messages.take()))
}

/// The configuration closest to zero within the joint limits.
pub fn configuration(m: &Model<f64>) -> Result<Vec<f64>, armdyn_core::Error> {
    crate::robot::configuration(m)
}

/// A page that plays a motion of a model in 3-D, with the shapes of its description.
pub fn animation(
    description: &Description,
    m: &Model<f64>,
    motion: &armdyn_scene::Motion<'_>,
) -> Result<String, Failure> {
    crate::animation::page(Some(description), m, motion).map_err(|e| Failure {
        message: e.to_string(),
        messages: vec![],
        cancelled: false,
    })
}

/// An error of arguments without what only helps at a terminal.
fn clean(e: &clap::Error) -> String {
    let text = e.render().to_string();
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    text.split("\n\nFor more information")
        .next()
        .unwrap_or_default()
        .trim_start_matches("error: ")
        .trim_end()
        .to_string()
}

/// The commands with their options, as JSON: name, help, and of each option its name, help, value and whether it can be repeated.
pub fn commands() -> Value {
    let all = Cli::command();
    let text = |t: Option<&clap::builder::StyledStr>| t.map(ToString::to_string).unwrap_or_default();
    let argument = |a: &clap::Arg| {
        let takes_value = a.get_action().takes_values();
        let values = a.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect::<Vec<_>>();
        let choices = a
            .get_possible_values()
            .iter()
            .filter(|v| !v.is_hide_set())
            .map(|v| v.get_name().to_string())
            .collect::<Vec<_>>();
        json!({
            "name": a.get_long().unwrap_or(a.get_id().as_str()), "positional": a.is_positional(), "help": text(a.get_help()),
            "heading": a.get_help_heading(), "flag": !takes_value, "value": values.join(" "),
            "choices": if takes_value { choices } else { vec![] },
            "repeated": matches!(a.get_action(), clap::ArgAction::Append),
            "default": a.get_default_values().iter().map(|d| d.to_string_lossy().into_owned()).collect::<Vec<_>>().join(","),
        })
    };
    let command = |c: &clap::Command| {
        let shown =
            c.get_arguments().filter(|a| !a.is_hide_set() && !matches!(a.get_id().as_str(), "help" | "version"));
        let entry = json!({ "about": text(c.get_about()), "options": shown.map(argument).collect::<Vec<_>>() });
        (c.get_name().to_string(), entry)
    };
    Value::Object(all.get_subcommands().map(command).collect())
}
