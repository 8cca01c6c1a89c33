//! The files that a description was read from, and places in them.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A stretch of text in one of the files.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file's number in [`Sources`].
    pub file: usize,
    /// Bytes of its text.
    pub span: Range<usize>,
}

impl Place {
    /// Of what no file describes: a model that was built in code.
    pub fn nowhere() -> Self {
        Place { file: usize::MAX, span: 0..0 }
    }
}

/// A file, or a text that came without one.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Where it was read from, or what it is called.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Where its lines begin, once that was asked for: a file may have a million findings.
    lines: OnceLock<Vec<usize>>,
}

impl SourceFile {
    /// The line that a byte is in, from 0, and where that line begins.
    fn line(&self, at: usize) -> (usize, usize) {
        let starts = || std::iter::once(0).chain(self.text.match_indices('\n').map(|(k, _)| k + 1)).collect();
        let lines = self.lines.get_or_init(starts);
        let line = lines.partition_point(|&start| start <= at) - 1;
        (line, lines[line])
    }
}

/// All the files of a description: the one that was asked for, then those that it includes.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// In the order they were read.
    pub files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a file and gives its number.
    pub fn add(&mut self, path: impl AsRef<Path>, text: String) -> usize {
        self.files.push(SourceFile { path: path.as_ref().to_path_buf(), text, lines: OnceLock::new() });
        self.files.len() - 1
    }

    /// The text that a place is in; nothing for [`Place::nowhere`].
    fn text(&self, place: &Place) -> &str {
        self.files.get(place.file).map_or("", |f| &f.text)
    }

    /// Line and column of a place's beginning, both from 1; columns count characters.
    pub fn line_column(&self, place: &Place) -> (usize, usize) {
        let Some(file) = self.files.get(place.file) else { return (1, 1) };
        let at = place.span.start.min(file.text.len());
        let (line, start) = file.line(at);
        (line + 1, file.text.get(start..at).unwrap_or("").chars().count() + 1)
    }

    /// `path:line:column` of a place.
    pub fn location(&self, place: &Place) -> String {
        let (line, column) = self.line_column(place);
        match self.files.get(place.file) {
            Some(file) => format!("{}:{line}:{column}", file.path.display()),
            None => "model".to_string(),
        }
    }

    /// The line that a place begins in, and which of its bytes the place covers.
    pub fn excerpt(&self, place: &Place) -> (&str, Range<usize>) {
        let text = self.text(place);
        let at = place.span.start.min(text.len());
        let start = text[..at].rfind('\n').map_or(0, |k| k + 1);
        let end = text[at..].find('\n').map_or(text.len(), |k| at + k);
        (&text[start..end], at - start..place.span.end.clamp(at, end) - start)
    }
}
