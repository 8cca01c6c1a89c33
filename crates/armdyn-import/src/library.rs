//! The robots that come with armdyn: the files of `robots/`, by name.

use crate::spelling::nearest as closest;
use crate::{Format, Loaded, Options, load_text};
use std::path::Path;

/// A robot that comes with armdyn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundled {
    /// Its name: that of its file.
    pub name: &'static str,
    /// Its file's text, armdyn's TOML.
    pub text: &'static str,
}

macro_rules! robots {
    ($($name:literal)*) => {
        /// All of them, by name.
        pub const ROBOTS: &[Bundled] = &[$(
            Bundled { name: $name, text: include_str!(concat!("../../../robots/", $name, ".toml")) },
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
    /// Reads it.
    pub fn load(&self) -> Loaded {
        let file = format!("{}.toml", self.name);
        load_text(Path::new(&file), self.text.to_string(), Format::Toml, &Options::default())
    }

    /// What it is, in one line.
    pub fn summary(&self) -> String {
        self.load().description.and_then(|d| d.summary).unwrap_or_default()
    }
}

/// The robot of this name; case does not count.
pub fn bundled(name: &str) -> Option<&'static Bundled> {
    ROBOTS.iter().find(|r| r.name.eq_ignore_ascii_case(name))
}

/// The name that was likely meant, if one is close: by edit distance, else the first that starts so.
pub fn nearest(name: &str) -> Option<&'static str> {
    let names: Vec<&'static str> = ROBOTS.iter().map(|r| r.name).collect();
    let starts = |r: &&'static str| r.get(..name.len()).is_some_and(|s| s.eq_ignore_ascii_case(name));
    match closest(name, &names) {
        Some(near) => bundled(near).map(|r| r.name),
        None if name.len() > 1 => names.iter().copied().find(starts),
        None => None,
    }
}
