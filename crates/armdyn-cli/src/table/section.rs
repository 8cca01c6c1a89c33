//! A section of a file with a position of its own, so that several threads can read one file at the same time.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// A section of a file.
pub(super) struct Section {
    file: Arc<File>,
    at: u64,
    end: u64,
}

impl Section {
    /// The bytes from `at` to before `end`.
    pub fn new(file: &Arc<File>, at: u64, end: u64) -> Self {
        Section { file: file.clone(), at, end }
    }
}

impl Read for Section {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX));
        let read = read_at(&self.file, &mut into[..most], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Reads from a place in a file, whatever its position.
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, into, at);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, into, at);
}
