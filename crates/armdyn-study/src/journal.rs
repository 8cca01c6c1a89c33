//! The journal: finished points, one JSON line each, so that a study that was interrupted or killed can go on.
//!
//! The first line identifies the study. A line is complete with its end of line; what a kill leaves of a last line is dropped. Only one
//! process at a time can have a journal open.

use crate::study::Record;
use crate::{Error, Result};
use serde_json::{Map, Value};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The format of the first line.
const FORMAT: u64 = 1;

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens or creates the journal of a study with this identity, and reads the finished points.
    pub fn open(path: &Path, identity: &Map<String, Value>, restart: bool) -> Result<(Journal, Vec<Record>)> {
        let fault = |e: std::io::Error| Error(format!("cannot open the journal `{}`: {e}", path.display()));
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error(format!(
                    "the journal `{}` is in use: another process runs this study",
                    path.display()
                )));
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = vec![];
        file.read_to_end(&mut bytes).map_err(fault)?;
        let complete = if restart { 0 } else { bytes.iter().rposition(|b| *b == b'\n').map_or(0, |k| k + 1) };
        let text = std::str::from_utf8(&bytes[..complete]).map_err(|_| damaged(path, 1))?;
        let mut lines = text.lines();
        let records = match lines.next() {
            None => vec![],
            Some(first) => {
                check(path, first, identity)?;
                let read = |(k, line): (usize, &str)| serde_json::from_str(line).map_err(|_| damaged(path, k + 2));
                lines.enumerate().map(read).collect::<Result<Vec<Record>>>()?
            }
        };
        file.set_len(complete as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(fault)?;
        let mut journal = Journal { path: path.to_path_buf(), file };
        if complete == 0 {
            let mut first = Map::from_iter([("armdyn_study".to_string(), FORMAT.into())]);
            first.extend(identity.clone());
            journal.line(&Value::Object(first).to_string())?;
        }
        Ok((journal, records))
    }

    /// Adds finished points.
    pub fn add(&mut self, records: &[Record]) -> Result<()> {
        let text = |record: &Record| serde_json::to_string(record).map_err(|e| self.fault(e));
        let lines = records.iter().map(text).collect::<Result<Vec<_>>>()?;
        if lines.is_empty() { Ok(()) } else { self.line(&lines.join("\n")) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn line(&mut self, text: &str) -> Result<()> {
        self.file.write_all(format!("{text}\n").as_bytes()).and_then(|()| self.file.flush()).map_err(|e| self.fault(e))
    }

    fn fault(&self, e: impl std::fmt::Display) -> Error {
        Error(format!("cannot write the journal `{}`: {e}", self.path.display()))
    }
}

fn damaged(path: &Path, line: usize) -> Error {
    let fix = "remove the line, or begin anew with `--restart`";
    Error(format!("the journal `{}` is damaged: line {line} is not a point of a study; {fix}", path.display()))
}

/// Checks that a journal is that of a study.
fn check(path: &Path, first: &str, identity: &Map<String, Value>) -> Result<()> {
    let header: Option<Map<String, Value>> = serde_json::from_str(first).ok();
    let header = header.filter(|h| h.get("armdyn_study").and_then(Value::as_u64) == Some(FORMAT));
    let header = header.ok_or_else(|| {
        Error(format!(
            "`{}` is not the journal of a study: choose another name for the results, or remove it",
            path.display()
        ))
    })?;
    let differs: Vec<String> = identity
        .iter()
        .filter(|(key, value)| header.get(*key) != Some(value))
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    if differs.is_empty() {
        return Ok(());
    }
    Err(Error(format!(
        "the journal `{}` belongs to another study (other {}): begin anew with `--restart`, or choose another name for the results",
        path.display(),
        differs.join(", ")
    )))
}
