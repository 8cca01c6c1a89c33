//! Errors of tables: what is wrong, where, and how to fix it.

use std::fmt;
use std::path::{Path, PathBuf};

/// A position in a table's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of text, counted from 1, with the header and comments.
    Line(u64),
    /// A row of numbers, counted from 1, without the header.
    Row(u64),
}

/// An error in reading or writing a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The table's file.
    pub file: PathBuf,
    /// The position.
    pub place: Place,
    /// The column, if it concerns one.
    pub column: Option<String>,
    /// What is wrong.
    pub what: String,
    /// How to fix it.
    pub fix: String,
}

impl TableError {
    pub(super) fn new(file: &Path, what: impl Into<String>, fix: impl Into<String>) -> Self {
        TableError { file: file.to_path_buf(), place: Place::Whole, column: None, what: what.into(), fix: fix.into() }
    }

    pub(super) fn unwritable(file: &Path, why: impl fmt::Display) -> Self {
        let fix = "check that its folder exists, is writable and has space";
        TableError::new(file, format!("cannot be written: {why}"), fix)
    }

    pub(super) fn line(self, line: u64) -> Self {
        TableError { place: Place::Line(line), ..self }
    }

    pub(super) fn row(self, row: u64) -> Self {
        TableError { place: Place::Row(row), ..self }
    }

    pub(super) fn column(self, name: &str) -> Self {
        TableError { column: Some(name.to_string()), ..self }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.file.display())?;
        match self.place {
            Place::Whole => {}
            Place::Line(line) => write!(f, ", line {line}")?,
            Place::Row(row) => write!(f, ", row {row}")?,
        }
        if let Some(column) = &self.column {
            write!(f, ", column `{column}`")?;
        }
        write!(f, ": {}; {}", self.what, self.fix)
    }
}

impl std::error::Error for TableError {}
