//! A robot by its bundled name or its file.

use crate::library::{bundled, nearest};
use crate::{Finding, Loaded, Options, Severity, Sources, load};
use armdyn_core::{BuildError, Model};
use std::path::Path;

/// Why a robot could not be loaded.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Neither a bundled robot nor a file.
    #[error(
        "no bundled robot or file is named `{robot}`\n  help: {}`armdyn robots` lists the bundled robots",
        suggestion.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default()
    )]
    NotFound {
        /// The name or path.
        robot: String,
        /// A bundled robot with a similar name.
        suggestion: Option<&'static str>,
    },
    /// The file has errors.
    #[error("`{robot}` cannot be used:{}", errors(findings, sources))]
    Invalid {
        /// The name or path.
        robot: String,
        /// All findings, errors and warnings.
        findings: Vec<Finding>,
        /// The files that the findings refer to.
        sources: Sources,
    },
    /// The description is not a physical robot.
    #[error(transparent)]
    Build(#[from] BuildError),
}

fn errors(findings: &[Finding], sources: &Sources) -> String {
    let errors = findings.iter().filter(|f| f.code.severity == Severity::Error);
    errors.map(|f| format!("\n  {}", f.line(sources))).collect()
}

/// Reads a bundled robot or a file.
pub fn find(robot: &Path, options: &Options) -> Result<Loaded, LoadError> {
    let name = robot.to_str().unwrap_or_default();
    if let Some(bundled) = bundled(name) {
        return Ok(bundled.load());
    }
    if robot.exists() || robot.extension().is_some() || robot.components().count() > 1 {
        return Ok(load(robot, options));
    }
    Err(LoadError::NotFound { robot: name.to_string(), suggestion: nearest(name) })
}

/// Loads the model of a bundled robot or a file; warnings are ignored.
///
/// ```
/// let model = armdyn_import::load_model("panda")?;
/// assert_eq!(model.nv(), 7);
/// let error = armdyn_import::load_model("pandda").unwrap_err();
/// assert!(error.to_string().contains("did you mean `panda`?"));
/// # Ok::<(), armdyn_import::LoadError>(())
/// ```
pub fn load_model(robot: impl AsRef<Path>) -> Result<Model<f64>, LoadError> {
    let robot = robot.as_ref();
    let Loaded { description, findings, sources } = find(robot, &Options::default())?;
    match description {
        Some(description) => Ok(description.model()?),
        None => Err(LoadError::Invalid { robot: robot.display().to_string(), findings, sources }),
    }
}
