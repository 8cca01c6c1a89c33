//! Files that appear complete or not at all: written under a temporary name in the target's folder, then renamed; and
//! temporary folders.
//!
//! Dropping removes unfinished files. Interrupts and panics on another thread drop nothing, so
//! [`remove_unfinished_on_interrupt`] removes them from a list. Only SIGKILL and power loss leave one behind.

use super::TableError;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{NamedTempFile, TempDir};

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes Ctrl-C, SIGTERM, SIGHUP and panics remove unfinished files. The signals then end the process with exit code 130,
/// unless [`crate::progress`] can end its computation early. Call it once per process.
pub fn remove_unfinished_on_interrupt() -> Result<(), ctrlc::Error> {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // Without waiting: the panicking thread may hold the lock.
        if let Ok(list) = UNFINISHED.try_lock() {
            remove(&list);
        }
        default(panic);
    }));
    ctrlc::set_handler(|| {
        if crate::progress::interrupt() {
            return;
        }
        // The list stays locked: no file is created or renamed while the process ends.
        let list = unfinished();
        remove(&list);
        std::process::exit(130);
    })
}

fn remove(list: &[PathBuf]) {
    for path in list {
        let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
}

/// A temporary folder, removed when the command ends.
pub struct Scratch(TempDir);

impl Scratch {
    pub fn new() -> Result<Self, String> {
        let mut list = unfinished();
        let folder = tempfile::tempdir().map_err(|e| format!("cannot create a temporary folder: {e}"))?;
        list.push(folder.path().to_path_buf());
        Ok(Scratch(folder))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        unfinished().retain(|p| p != self.0.path());
    }
}

/// An unfinished file.
pub struct AtomicFile {
    file: Option<NamedTempFile>,
    temporary: PathBuf,
    /// Its final path.
    pub target: PathBuf,
    /// Whether it is copied to standard output instead.
    to_stdout: bool,
}

impl AtomicFile {
    /// Creates a temporary file in the target's folder.
    pub fn beside(target: &Path) -> Result<Self, TableError> {
        let fault = |e: io::Error| TableError::unwritable(target, e);
        // Symbolic links stay; their target is replaced.
        let target = std::fs::canonicalize(target).unwrap_or_else(|_| target.to_path_buf());
        let about = std::fs::metadata(&target).ok();
        if about.as_ref().is_some_and(|a| !a.is_file()) {
            return Err(TableError::new(&target, "exists and is not a file", "choose another name"));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".armdyn-").suffix(".unfinished");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As for a new file (the umask applies), or as the replaced one.
            builder.permissions(about.map_or(PermissionsExt::from_mode(0o666), |a| a.permissions()));
        }
        AtomicFile::new(|| builder.tempfile_in(folder(&target)), &target, false).map_err(fault)
    }

    /// Creates a temporary file that is copied to standard output.
    pub fn stdout() -> Result<Self, TableError> {
        let target = Path::new("stdout");
        AtomicFile::new(NamedTempFile::new, target, true).map_err(|e| TableError::unwritable(target, e))
    }

    fn new(create: impl FnOnce() -> io::Result<NamedTempFile>, target: &Path, to_stdout: bool) -> io::Result<Self> {
        let mut list = unfinished();
        let file = create()?;
        let temporary = file.path().to_path_buf();
        list.push(temporary.clone());
        Ok(AtomicFile { file: Some(file), temporary, target: target.to_path_buf(), to_stdout })
    }

    /// Writes all contents and finishes the file.
    pub fn hold(mut self, contents: &[u8]) -> Result<(), TableError> {
        let target = self.target.clone();
        self.write_all(contents).map_err(|e| TableError::unwritable(&target, e))?;
        self.finish()
    }

    /// An unnamed temporary file in the same folder.
    pub fn spool(&self) -> Result<File, TableError> {
        tempfile::tempfile_in(folder(&self.temporary)).map_err(|e| TableError::unwritable(&self.target, e))
    }

    /// Renames the complete file to its target, or copies it to standard output.
    pub fn finish(mut self) -> Result<(), TableError> {
        let mut file = self.file.take().expect("open until it is finished");
        if self.to_stdout {
            let mut stdout = io::stdout().lock();
            let copied = file.rewind().and_then(|()| io::copy(&mut file, &mut stdout)).and_then(|_| stdout.flush());
            return match copied {
                // A closed pipe (`| head`) is no error.
                Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(TableError::unwritable(&self.target, e)),
                _ => Ok(()),
            };
        }
        let written = file.as_file().sync_all();
        let _list = unfinished();
        written
            .and_then(|()| file.persist(&self.target).map(|_| ()).map_err(|e| e.error))
            .map_err(|e| TableError::unwritable(&self.target, e))
    }

    fn open(&mut self) -> &mut File {
        self.file.as_mut().expect("open until it is finished").as_file_mut()
    }
}

/// Writes files to a folder, creating it if necessary: all of them, or none.
pub fn put_all<'a>(folder: &Path, files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<(), TableError> {
    let mut files_written = vec![];
    for (name, contents) in files {
        let path = folder.join(name);
        let fault = |e: io::Error| TableError::unwritable(&path, e);
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(fault)?;
        let mut file = AtomicFile::beside(&path)?;
        file.write_all(contents).map_err(fault)?;
        files_written.push(file);
    }
    files_written.into_iter().try_for_each(AtomicFile::finish)
}

/// The folder of a file.
fn folder(file: &Path) -> &Path {
    file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        drop(self.file.take());
        unfinished().retain(|p| *p != self.temporary);
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.open().flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.open().seek(to)
    }
}
