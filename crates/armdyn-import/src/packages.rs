//! Resolution of package paths.

use crate::Options;
use std::path::{Path, PathBuf};

/// The folder of package `name`: from the options, from `ROS_PACKAGE_PATH`, or an ancestor folder of `from` with this name.
pub(crate) fn folder(name: &str, options: &Options, from: &Path) -> Option<PathBuf> {
    if let Some(at) = options.packages.get(name) {
        return Some(at.clone());
    }
    let listed = std::env::var_os("ROS_PACKAGE_PATH").unwrap_or_default();
    let named = |p: &Path| p.file_name().is_some_and(|n| n == name);
    std::env::split_paths(&listed)
        .filter(|p| !p.as_os_str().is_empty())
        .find_map(|p| [p.join(name)].into_iter().chain(named(&p).then_some(p)).find(|p| p.is_dir()))
        .or_else(|| from.ancestors().skip(1).find(|p| named(p) && p.is_dir()).map(Path::to_path_buf))
}
