//! Bundled robots: the files of `robots/`, by name.

use crate::message::nearest as closest;
use crate::{Format, Loaded, Options, load_text};
use std::path::Path;

/// A bundled robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundled {
    /// Name: the file name without extension.
    pub name: &'static str,
    /// The text of the TOML file.
    pub text: &'static str,
}

macro_rules! robots {
    ($($name:literal)*) => {
        /// All bundled robots, by name.
        pub const ROBOTS: &[Bundled] = &[$(
            Bundled { name: $name, text: include_str!(concat!("../robots/", $name, ".toml")) },
        )*];
    };
}

robots! {
    "gen3"
    "iiwa14"
    "jpl-rrp"
    "jpl-rrp-loaded"
    "lau-fig4"
    "lau-flexible"
    "lau-generalized"
    "lau-movable"
    "lau-rpr"
    "lau-rrr"
    "lin-rp"
    "lin-rr"
    "morris-neea"
    "panda"
    "planar-2r"
    "puma560"
    "renaud-6r"
    "scara"
    "slender-two-link"
    "stanford"
    "two-arms"
    "ur10e"
    "ur3e"
    "ur5e"
    "ur5e-on-wheels"
}

impl Bundled {
    /// Loads the robot.
    pub fn load(&self) -> Loaded {
        let file = format!("{}.toml", self.name);
        load_text(Path::new(&file), self.text.to_string(), Format::Toml, &Options::default())
    }

    /// One-line summary.
    pub fn summary(&self) -> String {
        self.load().description.and_then(|d| d.summary).unwrap_or_default()
    }
}

/// Looks up a bundled robot by name, ignoring case.
pub fn bundled(name: &str) -> Option<&'static Bundled> {
    ROBOTS.iter().find(|r| r.name.eq_ignore_ascii_case(name))
}

/// The most similar name of a bundled robot: by edit distance, otherwise the first with this prefix.
pub fn nearest(name: &str) -> Option<&'static str> {
    let names: Vec<&'static str> = ROBOTS.iter().map(|r| r.name).collect();
    let starts = |r: &&'static str| r.get(..name.len()).is_some_and(|s| s.eq_ignore_ascii_case(name));
    match closest(name, &names) {
        Some(near) => bundled(near).map(|r| r.name),
        None if name.len() > 1 => names.iter().copied().find(starts),
        None => None,
    }
}
