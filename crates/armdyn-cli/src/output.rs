//! The output of a command: one result, rendered as JSON or as a document (text, HTML, Markdown).

use crate::document::Document;
use serde::Serialize;

/// What a command prints, and its exit code.
pub struct Output {
    /// What to print.
    pub document: Document,
    /// 0: success; 1: `check` found warnings, `reproduce` an unexplained row, or `tipover` a robot that tips; 2: an error.
    pub exit_code: u8,
}

/// The output of a command, or an error message.
pub type CommandResult = Result<Output, String>;

impl Output {
    /// The result as JSON if `json` is set, otherwise as the document that `view` makes of it.
    pub fn of<R: Serialize>(json: bool, result: &R, view: impl FnOnce(&R) -> Document) -> CommandResult {
        if !json {
            return Ok(view(result).into());
        }
        let text = serde_json::to_string(result).map_err(|e| format!("cannot write JSON: {e}"))?;
        Ok(Document::verbatim(text + "\n").into())
    }

    /// The same output with another exit code.
    pub fn with_exit_code(self, exit_code: u8) -> Self {
        Output { exit_code, ..self }
    }
}

impl<D: Into<Document>> From<D> for Output {
    fn from(document: D) -> Self {
        Output { document: document.into(), exit_code: 0 }
    }
}
