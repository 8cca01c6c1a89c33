//! The contents of a file in `documents/`: robots, symbols, and sections of rows.

use crate::erratum::ErratumKind;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Its name: `bejczy`.
    #[serde(skip)]
    pub name: String,
    /// Author, title, year.
    pub title: String,
    /// What it describes.
    pub about: String,
    /// What of it is implemented, and where.
    pub implemented: Vec<Implemented>,
    /// Remarks on conventions and on the source text.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// Its robots by name; rows use `arm` unless they name another.
    #[serde(default)]
    pub robots: BTreeMap<String, RobotSource>,
    /// Definitions of the document's symbols; `p[j,k]` is a family.
    #[serde(default)]
    pub symbols: BTreeMap<String, String>,
    /// States of checks, by name; unnamed coordinates are zero.
    #[serde(default)]
    pub states: BTreeMap<String, String>,
    /// Its errata by name, with their kinds.
    #[serde(default)]
    pub errata: BTreeMap<String, ErratumKind>,
    /// Its sections in order.
    #[serde(rename = "section")]
    pub sections: Vec<Section>,
}

impl Document {
    /// The document with a section's own symbols, which replace those of the same name.
    pub(crate) fn with_symbols(&self, own: &BTreeMap<String, String>) -> Self {
        fn stem(name: &str) -> &str {
            name.split('[').next().unwrap_or_default()
        }
        let mut symbols = self.symbols.clone();
        symbols.retain(|name, _| !own.keys().any(|k| stem(k) == stem(name)));
        symbols.extend(own.clone());
        Document { symbols, sections: vec![], ..self.clone() }
    }
}

/// An implemented part of a document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Implemented {
    /// The part.
    pub what: String,
    /// The file.
    pub file: String,
}

/// A robot of a document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RobotSource {
    /// The bundled robot.
    pub file: String,
    /// The document's names of its coordinates; velocities end in `'`, accelerations in `''`.
    pub coordinates: Vec<String>,
    /// Without drives.
    #[serde(default)]
    pub without_drives: bool,
    /// A payload.
    pub payload: Option<PayloadSource>,
    /// Whether its parameters are those of the rigid parts of its links, about their centres of mass: `m NAME`, `x NAME`,
    /// `Izz NAME`. The only part of a link has the link's name.
    #[serde(default)]
    pub by_parts: bool,
    /// Parameters of parts that equal others: `"x link1" = "lx2"`.
    #[serde(default)]
    pub equal: BTreeMap<String, String>,
    /// A frame `tip` on a link, at a numeric position: identities are tested with the robot's own parameters.
    pub tip: Option<TipSource>,
    /// Friction of all its joints.
    pub friction: Option<FrictionSource>,
    /// First moments that are added to links \[kg m\].
    #[serde(default)]
    pub first_moments: BTreeMap<String, [f64; 3]>,
    /// Gravity, where it is not the file's \[m/s²\].
    pub gravity: Option<[f64; 3]>,
    /// The friction of its contacts, where it is not the file's.
    #[serde(default)]
    pub contact_friction: ContactFrictionSource,
    /// The document's names of the base velocities: forward, left, yaw rate; accelerations end in `'`.
    #[serde(default)]
    pub base: Vec<String>,
    /// The document's names of the external force and moment on the last link, three each.
    #[serde(default)]
    pub wrench: Vec<String>,
    /// Its coordinates as expressions in the time `t`.
    #[serde(default)]
    pub motion: Vec<String>,
}

/// Coefficients of friction on the ground.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactFrictionSource {
    /// Static.
    pub holding: Option<f64>,
    /// Sliding.
    pub sliding: Option<f64>,
    /// Rolling resistance.
    pub rolling: Option<f64>,
}

/// A frame on a link.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TipSource {
    /// The link.
    pub link: String,
    /// In the link's frame \[m\].
    pub at: [f64; 3],
}

/// Friction of a joint.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrictionSource {
    /// Viscous coefficient.
    pub viscous: f64,
    /// Coulomb level in both directions.
    pub coulomb: f64,
    /// Static friction above the Coulomb level, zero at any speed.
    #[serde(default)]
    pub excess: f64,
}

/// A point mass in a link.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PayloadSource {
    /// The link.
    pub link: String,
    /// \[kg\].
    pub mass: f64,
    /// In the link's frame \[m\].
    pub centre: [f64; 3],
}

/// A section of a document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// The robot of its rows.
    pub robot: Option<String>,
    /// Symbols that extend or replace the document's.
    #[serde(default)]
    pub symbols: BTreeMap<String, String>,
    /// Its rows.
    #[serde(rename = "row", default)]
    pub rows: Vec<Source>,
    /// Its figures.
    #[serde(rename = "figure", default)]
    pub figures: Vec<Figure>,
}

/// A row: a printed number (`printed`, `compute`), a number whose print is lost (`text`, `compute`), a printed formula (`formula`,
/// `equals`), or printed text (`text`).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The equation, table or page.
    pub equation: String,
    /// The quantity.
    pub quantity: String,
    /// The robot, if it is not the section's.
    pub robot: Option<String>,
    /// The state: `theta2=90°, r3=1.1176`. Unnamed coordinates are zero for a number and free for a formula.
    #[serde(default)]
    pub at: String,
    /// Joint ranges of extremes, where they differ from the robot's limits: `theta5=-180°..180°`.
    #[serde(default)]
    pub over: String,
    /// Free symbols: a `number`, a `vector`, a `rotation`, a `tensor`, a `matrix`.
    #[serde(default)]
    pub free: BTreeMap<String, String>,

    /// The printed number; `< 5` or `> 5` for a bound, `~ 5` for words such as "nearly", `= 5` for an exact equality.
    pub printed: Option<String>,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
    /// The expression that armdyn evaluates.
    pub compute: Option<String>,
    /// The right number from an independent source.
    pub expected: Option<f64>,
    /// The relative tolerance; default 1e-6.
    pub tolerance: Option<f64>,
    /// The expression with the document's rounded values, which reproduces the printed number.
    pub rounded: Option<String>,

    /// The printed formula.
    pub formula: Option<String>,
    /// The expression that it should equal.
    pub equals: Option<String>,
    /// The correct formula.
    pub correct: Option<String>,
    /// Values in single states from an independent source.
    #[serde(rename = "check", default)]
    pub checks: Vec<Check>,

    /// The printed text, or a readable form of the formula.
    pub text: Option<String>,
    /// The corrected text, or a readable form of the correct formula.
    pub corrected: Option<String>,

    /// Why the printed value is wrong: the verdict is *erratum* if the computed value confirms it.
    pub erratum: Option<String>,
    /// Why the printed value is off by more than its last digit: the verdict is *rounding*.
    pub rounding: Option<String>,
    /// A remark.
    #[serde(default)]
    pub note: String,
    /// The errata that this row shows, by their names in the document: `E19`.
    #[serde(default)]
    pub errata: Vec<String>,
}

/// The value of a formula's quantity in one state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The name of the state.
    pub state: String,
    /// The right numbers.
    pub value: Vec<f64>,
    /// The error of the printed formula.
    #[serde(default)]
    pub off: Vec<f64>,
    /// Their unit.
    #[serde(default)]
    pub unit: String,
}

/// A figure: curves of an expression along one coordinate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its number: `Fig. 4`.
    pub equation: String,
    /// What it shows.
    pub title: String,
    /// What the document says about it.
    pub text: String,
    /// The coordinate on the horizontal axis.
    pub along: String,
    /// Its range: `0°..180°`.
    pub range: String,
    /// Its unit; `°` for an angle in degrees.
    #[serde(default)]
    pub along_unit: String,
    /// The vertical axis.
    pub label: String,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
    /// The curves.
    #[serde(rename = "curve", default)]
    pub curves: Vec<Curve>,
    /// Bars instead of curves.
    #[serde(rename = "bar", default)]
    pub bars: Vec<Bar>,
}

/// A curve of a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// The expression.
    pub compute: String,
    /// The robot.
    pub robot: Option<String>,
    /// The rest of the state.
    #[serde(default)]
    pub at: String,
}

/// A group of bars of a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bar {
    /// Its label.
    pub name: String,
    /// Expressions by series.
    pub series: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sections_symbols_replace_the_documents() {
        let symbols = |all: &[(&str, &str)]| all.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        let own: BTreeMap<String, String> = symbols(&[("p[j]", "1"), ("r", "2")]);
        let text = "title = ''\nabout = ''\nimplemented = []\nsection = []\nsymbols = { 'p[j,k]' = '3', 'r[j]' = '4', pq = '5' }";
        let found = crate::parse("t", text).unwrap().with_symbols(&own).symbols;
        assert_eq!(found, symbols(&[("p[j]", "1"), ("r", "2"), ("pq", "5")]));
    }
}
