//! Source files of a description, and locations in them.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A location: a byte range of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index of the file in [`Sources`].
    pub file: usize,
    /// Byte range in its text.
    pub span: Range<usize>,
}

impl Place {
    /// The location of a model that was built in code.
    pub fn nowhere() -> Self {
        Place { file: usize::MAX, span: 0..0 }
    }
}

/// A source file, or a text without a file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path, or name in messages.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Start offsets of lines, computed on demand: a file may have a million findings.
    lines: OnceLock<Vec<usize>>,
}

impl SourceFile {
    /// The zero-based line of a byte offset, and the offset of the line's start.
    fn line(&self, at: usize) -> (usize, usize) {
        let starts = || std::iter::once(0).chain(self.text.match_indices('\n').map(|(k, _)| k + 1)).collect();
        let lines = self.lines.get_or_init(starts);
        let line = lines.partition_point(|&start| start <= at) - 1;
        (line, lines[line])
    }
}

/// All files of a description: the main file, then its includes.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// In reading order.
    pub files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a file and returns its index.
    pub fn add(&mut self, path: impl AsRef<Path>, text: String) -> usize {
        self.files.push(SourceFile { path: path.as_ref().to_path_buf(), text, lines: OnceLock::new() });
        self.files.len() - 1
    }

    /// The text of a location's file; empty for [`Place::nowhere`].
    fn text(&self, place: &Place) -> &str {
        self.files.get(place.file).map_or("", |f| &f.text)
    }

    /// One-based line and column of a location; columns count characters.
    pub fn line_column(&self, place: &Place) -> (usize, usize) {
        let Some(file) = self.files.get(place.file) else { return (1, 1) };
        let at = place.span.start.min(file.text.len());
        let (line, start) = file.line(at);
        (line + 1, file.text.get(start..at).unwrap_or("").chars().count() + 1)
    }

    /// Formats a location as `path:line:column`.
    pub fn location(&self, place: &Place) -> String {
        let (line, column) = self.line_column(place);
        match self.files.get(place.file) {
            Some(file) => format!("{}:{line}:{column}", file.path.display()),
            None => "model".to_string(),
        }
    }

    /// The first line of a location, and the byte range it covers in this line.
    pub fn excerpt(&self, place: &Place) -> (&str, Range<usize>) {
        let text = self.text(place);
        let at = place.span.start.min(text.len());
        let start = text[..at].rfind('\n').map_or(0, |k| k + 1);
        let end = text[at..].find('\n').map_or(text.len(), |k| at + k);
        (&text[start..end], at - start..place.span.end.clamp(at, end) - start)
    }
}
