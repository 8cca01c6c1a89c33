//! Generates programs for `derive` and `ops`, with a progress bar.

use crate::args::{Parameters as ParameterKind, Search, Strategy};
use crate::progress::with_progress;
use crate::{CommandError, diagnostics};
use armdyn_core::{Friction, Model, Progress};
use armdyn_symbolic::{
    MinimalOptions, Parameters, Program, Quantity, Renaud, RenaudOptions, RoundedAngles, Trig, exact_angles, minimal,
    no_minimal_program, renaud, trace, trace_symbolic,
};
use std::time::Duration;

/// Programs, and notes for the user.
pub struct Generated {
    pub programs: Vec<Program>,
    pub notes: Vec<String>,
    /// Why programs were traced instead of minimal, one for each.
    pub reasons: Vec<Option<String>>,
    /// Renaud's procedure, if it was requested.
    pub renaud: Option<Renaud>,
}

/// The quantities in a list of names.
pub fn quantities(what: &str) -> Result<Vec<Quantity>, CommandError> {
    if what.trim() == "all" {
        return Ok(Quantity::ALL.to_vec());
    }
    let names: Vec<&str> = Quantity::ALL.iter().map(|q| q.name()).collect();
    let one = |name: &str| {
        let found = Quantity::ALL.into_iter().find(|q| q.name() == name.trim());
        found.ok_or_else(|| -> CommandError {
            format!("invalid quantity `{}` for `--what`: expected `all` or some of {}", name.trim(), names.join(", "))
                .into()
        })
    };
    let all: Vec<Quantity> = what.split(',').map(one).collect::<Result<_, _>>()?;
    match all.iter().enumerate().find(|(i, q)| all[..*i].contains(q)) {
        Some((_, twice)) => Err(format!("`--what` lists `{twice}` twice").into()),
        None => Ok(all),
    }
}

/// A program of each quantity.
pub fn generate(
    m: &Model<f64>,
    quantities: &[Quantity],
    search: &Search,
    parameters: ParameterKind,
) -> Result<Generated, CommandError> {
    let default = if parameters == ParameterKind::Symbolic { Strategy::Traced } else { Strategy::Minimal };
    let strategy = search.strategy.unwrap_or(default);
    let budget = search.budget.unwrap_or(MinimalOptions::default().budget);
    match (strategy, parameters) {
        (Strategy::Minimal, ParameterKind::Symbolic) => {
            return Err(
                "`--strategy minimal` does not support `--parameters symbolic`; pass `--parameters base`".into()
            );
        }
        (Strategy::Traced, ParameterKind::Base) => {
            return Err("`--strategy traced` does not support `--parameters base`; pass `--parameters symbolic`".into());
        }
        (Strategy::Renaud, ParameterKind::Base) => {
            return Err("`--strategy renaud` does not support `--parameters base`; pass `--parameters symbolic`".into());
        }
        (Strategy::Minimal | Strategy::Traced, _) if search.tip_wrench => {
            return Err("`--tip-wrench` requires `--strategy renaud`".into());
        }
        (Strategy::Renaud, _) => {
            if let Some(quantity) = quantities.iter().find(|q| **q != Quantity::Inverse) {
                return Err(format!("`--strategy renaud` supports inverse dynamics only, not {quantity}").into());
            }
        }
        _ => {}
    }
    use Quantity::{Derivatives, ForwardDerivatives, Jacobian, Kinematics, Regressor};
    let without = |q: &&Quantity| matches!(q, Kinematics | Jacobian | Derivatives | ForwardDerivatives | Regressor);
    if let (ParameterKind::Base, Some(quantity)) = (parameters, quantities.iter().find(without)) {
        return Err(format!("`--parameters base`: {quantity} has no base parameters; remove it from `--what`").into());
    }
    let mut notes = vec![];
    if strategy != Strategy::Traced && !search.exact {
        notes.extend(exact_angles(m)?.1.lines().into_iter().map(note));
    }
    if parameters == ParameterKind::Symbolic && strategy != Strategy::Renaud {
        notes.push(
            "p holds the nonzero parameters of the robot file; rotations and friction are numbers in the code"
                .to_string(),
        );
    }
    if parameters == ParameterKind::Base {
        notes.push("no element of p may be zero: the code divides by some of them".to_string());
    }
    if strategy == Strategy::Renaud && is_driven(m) {
        notes.push("Renaud's procedure ignores rotor inertia and friction".to_string());
    }
    if strategy == Strategy::Renaud {
        let symbolic = parameters == ParameterKind::Symbolic;
        let options = RenaudOptions { tip_wrench: search.tip_wrench, symbolic, exact: search.exact };
        let found = renaud(m, options)?;
        return Ok(Generated {
            programs: vec![found.program.clone()],
            notes,
            reasons: vec![None],
            renaud: Some(found),
        });
    }
    let one = |&quantity: &Quantity| match strategy {
        Strategy::Traced if parameters == ParameterKind::Symbolic => trace_symbolic(m, quantity),
        Strategy::Traced => trace(m, quantity),
        _ => search_minimal(m, quantity, search, budget, parameters),
    };
    let programs: Vec<Program> = quantities.iter().map(one).collect::<Result<_, armdyn_core::Error>>()?;
    if parameters == ParameterKind::Base && programs.iter().any(|p| p.strategy != "minimal") {
        return Err(format!(
            "`--parameters base` requires a serial arm of revolute and prismatic joints with one drive each, which `{}` is \
             not; pass `--parameters symbolic`",
            m.name()
        ).into());
    }
    let reason =
        |p: &Program| (strategy == Strategy::Minimal && p.strategy == "traced").then(|| why_traced(m, p.quantity));
    let reasons: Vec<Option<String>> = programs.iter().map(reason).collect();
    Ok(Generated { programs, notes, reasons, renaud: None })
}

impl Generated {
    /// One line about programs that are traced instead of minimal, with the reasons.
    pub fn traced_note(&self) -> Option<String> {
        let mut by_reason: Vec<(&String, Vec<&str>)> = vec![];
        for (program, reason) in self.programs.iter().zip(&self.reasons) {
            let (Some(reason), name) = (reason, program.quantity.name()) else { continue };
            match by_reason.iter_mut().find(|(r, _)| *r == reason) {
                Some((_, names)) => names.push(name),
                None => by_reason.push((reason, vec![name])),
            }
        }
        let lines: Vec<String> = by_reason.iter().map(|(r, names)| format!("{}: {r}", names.join(", "))).collect();
        (!lines.is_empty()).then(|| format!("traced, not minimal: {}", lines.join("; ")))
    }
}

/// Why a minimal program was not generated, or not used.
fn why_traced(m: &Model<f64>, quantity: Quantity) -> String {
    let of_quantity = match quantity {
        Quantity::Derivatives | Quantity::Regressor => "there are no minimal programs of this quantity",
        _ => "the traced program has no more operations",
    };
    no_minimal_program(m).unwrap_or_else(|| of_quantity.to_string())
}

fn is_driven(m: &Model<f64>) -> bool {
    let friction = m.friction().iter().any(|f| *f != Friction::none());
    friction || !m.rotors().is_empty() || m.armature().iter().any(|a| *a != 0.0)
}

fn search_minimal(
    m: &Model<f64>,
    quantity: Quantity,
    search: &Search,
    budget: Duration,
    parameters: ParameterKind,
) -> Result<Program, armdyn_core::Error> {
    with_progress(|progress| {
        let callback = |step: &str, fraction: f64| progress.report(&format!("{quantity}: {step}"), fraction);
        let options = MinimalOptions {
            budget,
            seed: search.seed,
            trig: if search.single_joint_trig { Trig::SingleJoint } else { Trig::Sums },
            parameters: if parameters == ParameterKind::Base { Parameters::Symbolic } else { Parameters::Numeric },
            exact: search.exact,
            progress: Progress { callback: &callback, cancel: progress.cancel },
            ..MinimalOptions::default()
        };
        minimal(m, quantity, &options)
    })
}

fn note(line: String) -> String {
    format!("{line} (pass `--exact` to keep the angles as written)")
}

/// Warns about rounded angles that were replaced by exact ones, with the effect on the torques.
pub fn warn(rounded_angles: &RoundedAngles) {
    rounded_angles.lines().into_iter().for_each(|line| diagnostics::warn(note(line)));
}
