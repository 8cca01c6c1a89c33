//! The output of a command: one result, rendered as JSON or as a document (text, HTML, Markdown).

use crate::document::Document;
use crate::embedding;
use crate::table::TableError;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use std::io;

/// What a command prints, and its exit code.
pub struct Output {
    /// What to print.
    pub document: Document,
    /// The result as JSON, beside its document, for an embedding program.
    pub json: Option<String>,
    /// 0: success; 1: `check` found warnings, `reproduce` an unexplained row, `size` an exceeded limit, `tipover` a robot that tips, or `kinematics` a pose out of reach; 2: an error.
    pub exit_code: u8,
}

/// The output of a command, or why it failed.
pub type CommandResult = Result<Output, CommandError>;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Arguments or files that do not fit together, with the option that resolves it.
    #[error("{0}")]
    Message(String),
    #[error(transparent)]
    Core(#[from] armdyn_core::Error),
    #[error(transparent)]
    Numerics(#[from] armdyn_numerics::Error),
    #[error(transparent)]
    Load(#[from] armdyn_import::LoadError),
    #[error(transparent)]
    Conversion(#[from] armdyn_import::ConversionError),
    #[error(transparent)]
    Animation(#[from] armdyn_scene::AnimationError),
    #[error(transparent)]
    Emit(#[from] armdyn_symbolic::emit::EmitError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error("cannot write the output: {0}")]
    Io(#[from] io::Error),
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl From<String> for CommandError {
    fn from(message: String) -> Self {
        CommandError::Message(message)
    }
}

impl From<&str> for CommandError {
    fn from(message: &str) -> Self {
        CommandError::Message(message.to_string())
    }
}

impl Output {
    /// The result as JSON if `json` is set, otherwise as the document that `view` makes of it; both for an embedding program.
    pub fn of<R: Serialize>(json: bool, result: &R, view: impl FnOnce(&R) -> Document) -> CommandResult {
        let embedded = embedding::host().is_some();
        if !json && !embedded {
            return Ok(view(result).into());
        }
        let mut text = vec![];
        result.serialize(&mut Serializer::with_formatter(&mut text, WithoutNegativeZero))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(match embedded {
            true => Output { json: Some(text), ..view(result).into() },
            false => Document::verbatim(text + "\n").into(),
        })
    }

    /// The same output with another exit code.
    pub fn with_exit_code(self, exit_code: u8) -> Self {
        Output { exit_code, ..self }
    }
}

impl<D: Into<Document>> From<D> for Output {
    fn from(document: D) -> Self {
        Output { document: document.into(), json: None, exit_code: 0 }
    }
}

/// Compact JSON in which -0 is 0.
struct WithoutNegativeZero;

impl Formatter for WithoutNegativeZero {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        CompactFormatter.write_f64(writer, value + 0.0)
    }
}
