//! A page as PDF, printed by a browser that is installed.

use crate::CommandError;
use crate::table::Scratch;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What Chromium and its kin are called.
const NAMES: [&str; 6] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"];

/// The first that is on the path.
pub fn browser() -> Result<PathBuf, CommandError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let ending = std::env::consts::EXE_SUFFIX;
    let all = NAMES.iter().flat_map(|name| folders.iter().map(move |f| f.join(format!("{name}{ending}"))));
    all.into_iter().find(|f| f.is_file()).ok_or_else(|| {
        let names = NAMES.join(", ");
        format!("`--pdf` needs a browser, and none of {names} is on the PATH; any browser prints the .html too").into()
    })
}

/// Prints the page, out of a folder of its own: no name needs care, and a browser that runs is left alone.
pub fn print(browser: &Path, html: &Path, out: &Path) -> Result<(), CommandError> {
    let failed = |what: &str| format!("--pdf: {} {what}", browser.display());
    let folder = Scratch::new()?;
    let (page, printed) = (folder.path().join("page.html"), folder.path().join("page.pdf"));
    std::fs::copy(html, &page).map_err(|e| format!("--pdf: `{}` cannot be read: {e}", html.display()))?;
    // For root a browser has no sandbox; the page is our own and asks the network for nothing.
    for sandbox in [None, Some("--no-sandbox")] {
        let run = Command::new(browser)
            .args(["--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer"])
            .args(sandbox)
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg(format!("--print-to-pdf={}", printed.display()))
            .arg(format!("file://{}", page.display()))
            .stdin(Stdio::null())
            .output();
        run.map_err(|e| failed(&format!("does not run: {e}")))?;
        if printed.exists() {
            let copied = std::fs::copy(&printed, out);
            return copied.map(|_| ()).map_err(|e| format!("--pdf: `{}` cannot be written: {e}", out.display()).into());
        }
    }
    Err(failed("printed nothing; any browser prints the .html").into())
}
