//! Files that are not whole yet: written under another name in their target's folder, renamed when whole, else removed;
//! and folders of passing use.
//!
//! Dropping removes them. A process that is interrupted or panics drops nothing (a release build aborts), so the names
//! are kept in a list that [`remove_unfinished_on_interrupt`] removes. Only SIGKILL and a loss of power leave one behind.

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

/// From now on, Ctrl-C, SIGTERM, SIGHUP and a panic remove unfinished files. The signals then end the process with
/// status 130, unless [`crate::progress`] can end its work early. Once a process, and only where nobody else handles Ctrl-C.
pub fn remove_unfinished_on_interrupt() -> Result<(), ctrlc::Error> {
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // Not by waiting: the thread that panics may hold the list.
        if let Ok(list) = UNFINISHED.try_lock() {
            sweep(&list);
        }
        told(panic);
    }));
    ctrlc::set_handler(|| {
        if crate::progress::interrupt() {
            return;
        }
        // The list stays locked: no file is begun or renamed while the process ends.
        let list = unfinished();
        sweep(&list);
        std::process::exit(130);
    })
}

fn sweep(list: &[PathBuf]) {
    for path in list {
        let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
}

/// A folder for what is needed while a command runs; it goes with the command, however that ends.
pub struct Scratch(TempDir);

impl Scratch {
    /// An empty one.
    pub fn new() -> Result<Self, String> {
        let mut list = unfinished();
        let folder = tempfile::tempdir().map_err(|e| format!("there is no temporary folder: {e}"))?;
        list.push(folder.path().to_path_buf());
        Ok(Scratch(folder))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        unfinished().retain(|p| p != self.0.path());
    }
}

/// A file that is not whole yet.
pub struct AtomicFile {
    file: Option<NamedTempFile>,
    temporary: PathBuf,
    /// What it is to be called.
    pub target: PathBuf,
}

impl AtomicFile {
    /// Begins a file in the target's folder.
    pub fn beside(target: &Path) -> Result<Self, TableError> {
        let fault = |e: io::Error| TableError::unwritable(target, e);
        // A link stays a link: what it points to is replaced.
        let target = std::fs::canonicalize(target).unwrap_or_else(|_| target.to_path_buf());
        let about = std::fs::metadata(&target).ok();
        if about.as_ref().is_some_and(|a| !a.is_file()) {
            return Err(TableError::new(&target, "is there and is not a file", "choose another name"));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".armdyn-").suffix(".unfinished");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file (the umask still applies), or as the one that is replaced.
            builder.permissions(about.map_or(PermissionsExt::from_mode(0o666), |a| a.permissions()));
        }
        let mut list = unfinished();
        let file = builder.tempfile_in(folder(&target)).map_err(fault)?;
        let temporary = file.path().to_path_buf();
        list.push(temporary.clone());
        Ok(AtomicFile { file: Some(file), temporary, target })
    }

    /// Puts the whole of it there.
    pub fn hold(mut self, contents: &[u8]) -> Result<(), TableError> {
        let target = self.target.clone();
        self.write_all(contents).map_err(|e| TableError::unwritable(&target, e))?;
        self.finish()
    }

    /// A nameless file in the same folder, gone with the process.
    pub fn spool(&self) -> Result<File, TableError> {
        tempfile::tempfile_in(folder(&self.target)).map_err(|e| TableError::unwritable(&self.target, e))
    }

    /// It is whole: gives it its name.
    pub fn finish(mut self) -> Result<(), TableError> {
        let file = self.file.take().expect("held until it is finished");
        let written = file.as_file().sync_all();
        let _list = unfinished();
        written
            .and_then(|()| file.persist(&self.target).map(|_| ()).map_err(|e| e.error))
            .map_err(|e| TableError::unwritable(&self.target, e))
    }

    fn open(&mut self) -> &mut File {
        self.file.as_mut().expect("held until it is finished").as_file_mut()
    }
}

/// Files by their names in a folder, which is made: all of them, or none.
pub fn put_all<'a>(folder: &Path, files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<(), TableError> {
    let mut whole = vec![];
    for (name, contents) in files {
        let path = folder.join(name);
        let fault = |e: io::Error| TableError::unwritable(&path, e);
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(fault)?;
        let mut begun = AtomicFile::beside(&path)?;
        begun.write_all(contents).map_err(fault)?;
        whole.push(begun);
    }
    whole.into_iter().try_for_each(AtomicFile::finish)
}

/// The folder that a file is in.
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
