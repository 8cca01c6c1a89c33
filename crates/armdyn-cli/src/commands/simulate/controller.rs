//! The controller of a simulation, from the arguments.

use crate::CommandError;
use crate::args::{ControllerKind, TorqueDriven};
use armdyn_core::Model;
use armdyn_motion::{Controller, GravityCompensation};

/// The controller, and its name in words; none for free motion.
pub type Named<'a> = (Option<Box<dyn Controller + 'a>>, String);

/// Builds the controller of `--controller`.
pub fn build<'a>(m: &'a Model<f64>, args: &TorqueDriven) -> Result<Named<'a>, CommandError> {
    Ok(match args.controller {
        None | Some(ControllerKind::None) => (None, "free motion".to_string()),
        Some(ControllerKind::Gravity) => (
            Some(Box::new(GravityCompensation::new(m))),
            format!("gravity compensation at {} Hz", args.controller_rate),
        ),
    })
}
