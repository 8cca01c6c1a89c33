//! A study as its file defines it: TOML, or JSON with the same keys.
//!
//! ```toml
//! robot = "slender-two-link"
//! samples = 200                              # or `generations`; otherwise the grid of all values
//!
//! [vary]
//! forearm.length = { from = 0.7, to = 1.1 }
//! elbow.gear = [50, 80, 100, 120, 160]
//! size.accelerations = [2, 4]                # an option of a run
//!
//! [run.size]                                 # options of a command; another name needs `command = "size"`
//! random-moves = 10
//!
//! [measure]
//! payload = "maximise size.payload.maximum"
//! mass = "minimise show.mass"
//! used = "max(size.drives.effort_utilization) <= 1"
//! ```

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The keys of a study file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Bundled robot or file, unless the caller provides a robot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot: Option<String>,
    /// What is varied: values or ranges by parameter.
    pub vary: Map<String, Value>,
    /// What is measured: an expression with a goal or a bound by name.
    pub measure: Map<String, Value>,
    /// Options of commands by the name of the run.
    #[serde(default)]
    pub run: Map<String, Value>,
    /// Number of quasi-random points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<usize>,
    /// Number of generations of an optimisation, after the initial one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generations: Option<usize>,
    /// Points per generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<usize>,
    /// Seed of points and optimisation.
    #[serde(default = "one")]
    pub seed: u64,
}

fn one() -> u64 {
    1
}

impl Definition {
    /// Reads TOML.
    pub fn of_toml(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|e| Error(e.to_string().trim_end().to_string()))
    }

    /// Reads JSON.
    pub fn of_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|e| Error(e.to_string()))
    }
}
