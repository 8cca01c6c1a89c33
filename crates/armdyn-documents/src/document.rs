//! A document as its file in `documents/` has it: robots, symbols, and sections of rows.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The word for it: `bejczy`.
    #[serde(skip)]
    pub name: String,
    /// Author, title, year.
    pub title: String,
    /// What it describes.
    pub about: String,
    /// What of it is implemented, and where.
    pub implemented: Vec<Implemented>,
    /// What to know before reading the rows: conventions, and how the text came down.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The robots that its rows ask, by the word for them; rows ask the one named `arm` unless they say another.
    #[serde(default)]
    pub robots: BTreeMap<String, RobotSource>,
    /// The document's symbols, and what they are; `p[j,k]` is a family.
    #[serde(default)]
    pub symbols: BTreeMap<String, String>,
    /// States that numbers are known in, by the words for them; what is not named is zero.
    #[serde(default)]
    pub states: BTreeMap<String, String>,
    /// Its parts, in its order.
    #[serde(rename = "section")]
    pub sections: Vec<Section>,
}

impl Document {
    /// With a section's own symbols, which stand for the document's of the same name, be it a family's or not.
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

/// A part of a document that is implemented.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Implemented {
    /// The part.
    pub what: String,
    /// The file.
    pub file: String,
}

/// A robot that rows ask.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RobotSource {
    /// The bundled robot.
    pub file: String,
    /// What the document calls its coordinates; rates have `'` behind, accelerations `''`.
    pub coordinates: Vec<String>,
    /// Without drives.
    #[serde(default)]
    pub links_alone: bool,
    /// A load of its own.
    pub payload: Option<PayloadSource>,
    /// Whether its figures are those of the rigid parts of its links, about their centres of mass: `m NAME`, `x NAME`,
    /// `Izz NAME`. A part that is alone in its link has the link's name.
    #[serde(default)]
    pub by_parts: bool,
    /// Figures of parts that are the same as others: `"x link1" = "lx2"`.
    #[serde(default)]
    pub equal: BTreeMap<String, String>,
    /// A frame `tip` on a link: at numbers, so that identities are tried with the robot's own figures.
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
    /// What the document calls the speeds of its base on the ground: ahead, to the left, turning; rates have `'` behind.
    #[serde(default)]
    pub base: Vec<String>,
    /// What it calls the force and the moment of the surroundings on the last link: three, and three.
    #[serde(default)]
    pub wrench: Vec<String>,
    /// What its coordinates do, as expressions of the time `t`.
    #[serde(default)]
    pub motion: Vec<String>,
}

/// Coefficients of friction on the ground.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactFrictionSource {
    /// Before anything slips.
    pub holding: Option<f64>,
    /// Once it slips.
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
    /// Coulomb level both ways.
    pub coulomb: f64,
    /// What static friction has above it, gone at any speed.
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

/// A part of a document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// The robot that its rows ask.
    pub robot: Option<String>,
    /// Symbols that it has for itself, beside the document's or in their place.
    #[serde(default)]
    pub symbols: BTreeMap<String, String>,
    /// Its rows.
    #[serde(rename = "row", default)]
    pub rows: Vec<Source>,
    /// Its figures.
    #[serde(rename = "figure", default)]
    pub figures: Vec<Figure>,
}

/// A row: a printed number (`printed`, `ask`), one whose print is lost (`text`, `ask`), a printed formula (`formula`, `equals`),
/// or printed words (`text`).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The equation, table or page.
    pub equation: String,
    /// What it is of.
    pub quantity: String,
    /// The robot asked, where it is not the section's.
    pub robot: Option<String>,
    /// The state: `theta2=90°, r3=1.1176`. What is not named is zero in a number's row and anything in a formula's.
    #[serde(default)]
    pub at: String,
    /// The ranges that greatest values are sought in, where they are not the robot's limits: `theta5=-180°..180°`.
    #[serde(default)]
    pub over: String,
    /// Symbols that stand for anything: a `number`, a `vector`, a `rotation`, a `tensor`, a `matrix`.
    #[serde(default)]
    pub free: BTreeMap<String, String>,

    /// The number as it is printed; `< 5` for what is claimed to be below.
    pub printed: Option<String>,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
    /// What armdyn is to compute.
    pub ask: Option<String>,
    /// The right number, found by other means than armdyn's.
    pub expected: Option<f64>,
    /// How near the two must be, of their size; 1e-6 unless said.
    pub tolerance: Option<f64>,
    /// The same computed with the rounded figures that the document computes with: gives what is printed.
    pub rounded: Option<String>,

    /// The formula as it is printed.
    pub formula: Option<String>,
    /// What it is the formula of.
    pub equals: Option<String>,
    /// The formula as it should be.
    pub correct: Option<String>,
    /// What is known of it in single states, by other means than armdyn's.
    #[serde(rename = "check", default)]
    pub checks: Vec<Check>,

    /// What is printed, where it is words, or a formula is better read so.
    pub text: Option<String>,
    /// What it should be, where that is words, or a formula is better read so.
    pub corrected: Option<String>,

    /// Why the printed is wrong: the verdict is then *erratum*, if what is computed bears it out.
    pub erratum: Option<String>,
    /// Why the printed is off by more than a digit's rounding: the verdict is then *rounding*.
    pub rounding: Option<String>,
    /// What else is to know.
    #[serde(default)]
    pub note: String,
    /// The known errata that this row shows, by their names: `E19`.
    #[serde(default)]
    pub errata: Vec<String>,
}

/// What a formula's quantity is in one state, with the robot's own figures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The document's word for the state.
    pub state: String,
    /// The right numbers.
    pub value: Vec<f64>,
    /// What the printed formula is off by.
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
    /// What the document tells of it.
    pub text: String,
    /// The coordinate along the sheet.
    pub along: String,
    /// From where to where: `0°..180°`.
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
    /// What is drawn.
    pub ask: String,
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
    /// Below it.
    pub name: String,
    /// The series, and what each shows.
    pub asks: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sections_symbols_stand_for_the_documents() {
        let symbols = |all: &[(&str, &str)]| all.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        let own: BTreeMap<String, String> = symbols(&[("p[j]", "1"), ("r", "2")]);
        let text = "title = ''\nabout = ''\nimplemented = []\nsection = []\nsymbols = { 'p[j,k]' = '3', 'r[j]' = '4', pq = '5' }";
        let found = crate::parse("t", text).unwrap().with_symbols(&own).symbols;
        assert_eq!(found, symbols(&[("p[j]", "1"), ("r", "2"), ("pq", "5")]));
    }
}
