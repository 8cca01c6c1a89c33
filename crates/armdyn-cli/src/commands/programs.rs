//! Programs as the options of `derive` and `ops` ask for them, with a bar while they are sought.

use crate::args::{Figures, Search, Strategy};
use crate::diagnostics;
use armdyn_core::{Friction, Model};
use armdyn_symbolic::{
    Options, Parameters, Program, Quantity, Recognised, Trig, minimal, recognise, renaud, trace, trace_symbolic,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Programs, and what a user must know of them.
pub struct Made {
    pub programs: Vec<Program>,
    pub notes: Vec<String>,
}

/// The quantities that a list names.
pub fn quantities(what: &str) -> Result<Vec<Quantity>, String> {
    if what.trim() == "all" {
        return Ok(Quantity::ALL.to_vec());
    }
    let names: Vec<&str> = Quantity::ALL.iter().map(|q| q.name()).collect();
    let one = |name: &str| {
        let found = Quantity::ALL.into_iter().find(|q| q.name() == name.trim());
        found.ok_or_else(|| format!("--what: `{}` is none of {}, all", name.trim(), names.join(", ")))
    };
    let all: Vec<Quantity> = what.split(',').map(one).collect::<Result<_, _>>()?;
    match all.iter().enumerate().find(|(i, q)| all[..*i].contains(q)) {
        Some((_, twice)) => Err(format!("--what: {twice} is there twice")),
        None => Ok(all),
    }
}

/// A program of each quantity.
pub fn make(m: &Model<f64>, quantities: &[Quantity], search: &Search, figures: Figures) -> Result<Made, String> {
    let usual = if figures == Figures::Symbolic { Strategy::Traced } else { Strategy::Minimal };
    let strategy = search.strategy.unwrap_or(usual);
    let budget = search.budget.unwrap_or(Duration::from_secs(10));
    match (strategy, figures) {
        (Strategy::Minimal, Figures::Symbolic) => {
            return Err(
                "--parameters symbolic takes the figures of every link, by the traced recursion; a short program \
                        takes base parameters: --parameters base"
                    .to_string(),
            );
        }
        (Strategy::Traced, Figures::Base) => {
            return Err(
                "--parameters base goes with --strategy minimal; the traced recursion takes the figures of every \
                        link: --parameters symbolic"
                    .to_string(),
            );
        }
        (Strategy::Renaud, Figures::Symbolic | Figures::Base) => {
            return Err("--strategy renaud takes the robot's figures as numbers: --parameters numeric".to_string());
        }
        (Strategy::Renaud, _) => {
            if let Some(quantity) = quantities.iter().find(|q| **q != Quantity::Inverse) {
                return Err(format!("--strategy renaud gives inverse dynamics, not {quantity}"));
            }
        }
        _ => {}
    }
    let without = |q: &&Quantity| matches!(q, Quantity::Kinematics | Quantity::Jacobian);
    if let (Figures::Base, Some(quantity)) = (figures, quantities.iter().find(without)) {
        return Err(format!("--parameters base: {quantity} has no base parameters; leave it out of --what"));
    }
    let mut notes = vec![];
    if strategy == Strategy::Minimal && !search.exact {
        notes.extend(recognise(m).map_err(|e| e.to_string())?.1.iter().map(told));
    }
    if figures == Figures::Symbolic {
        notes.push(
            "p has what is not zero in the robot's file; rotations and drives are numbers in the code".to_string(),
        );
    }
    if figures == Figures::Base {
        notes.push("no element of p may become zero: the code divides by some of them".to_string());
    }
    if strategy == Strategy::Renaud && is_driven(m) {
        notes.push("Renaud's procedure is of the links: the drives' inertia and friction are left out".to_string());
    }
    let one = |&quantity: &Quantity| {
        match strategy {
            Strategy::Traced if figures == Figures::Symbolic => trace_symbolic(m, quantity),
            Strategy::Traced => trace(m, quantity),
            Strategy::Renaud => renaud(m).map(|(program, _)| program),
            Strategy::Minimal => sought(m, quantity, search, budget, figures),
        }
        .map_err(|e| e.to_string())
    };
    let programs: Vec<Program> = quantities.iter().map(one).collect::<Result<_, _>>()?;
    if figures == Figures::Base && programs.iter().any(|p| p.strategy != "minimal") {
        return Err(format!(
            "--parameters base: `{}` is no serial arm of revolute and prismatic joints with a drive each; --parameters symbolic \
             takes the figures of every link",
            m.name()
        ));
    }
    Ok(Made { programs, notes })
}

fn is_driven(m: &Model<f64>) -> bool {
    let friction = m.friction().iter().any(|f| *f != Friction::none());
    friction || !m.rotors().is_empty() || m.armature().iter().any(|a| *a != 0.0)
}

fn sought(
    m: &Model<f64>,
    quantity: Quantity,
    search: &Search,
    budget: Duration,
    figures: Figures,
) -> Result<Program, armdyn_core::Error> {
    let watched = Watched::new();
    let show = |share: f64, total: usize| watched.show(share, format!("{quantity}: {total} operations so far"));
    let options = Options {
        budget,
        seed: search.seed,
        trig: if search.single_joint_trig { Trig::SingleJoint } else { Trig::Sums },
        parameters: if figures == Figures::Base { Parameters::Symbolic } else { Parameters::Numeric },
        exact: search.exact,
        progress: Some(&show),
        ..Options::default()
    };
    minimal(m, quantity, &options)
}

fn told(r: &Recognised) -> String {
    format!("{r} (--exact: not so)")
}

/// Rounded angles that are taken for exact ones, each with what that does to the torques.
pub fn warn(recognised: &[Recognised]) {
    recognised.iter().for_each(|r| diagnostics::warn(format_args!("{}", told(r))));
}

/// A bar on standard error, where that is a terminal; gone when it is dropped.
pub struct Watched(ProgressBar);

impl Watched {
    pub fn new() -> Self {
        let bar = ProgressBar::new(1000);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
            bar.set_style(style);
        }
        Watched(bar)
    }

    /// How much is done, from 0 to 1, and of what.
    pub fn show(&self, share: f64, what: String) {
        self.0.set_position((share * 1000.0) as u64);
        self.0.set_message(what);
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
