//! The errata of a document: each has a name and a kind, and may show on several rows.

use crate::row::{Row, Verdict};
use serde::Deserialize;

/// Why what is printed differs from what is right. Without the printed page a slip of a character cannot be attributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErratumKind {
    /// A mistake of the author: more than single characters, or the same slip in every place, or used further on.
    Error,
    /// Single letters, digits, signs, indices or exponents, or a claim with several readings: author and scan cannot be distinguished.
    Undecidable,
    /// Damage by the scan: text that is lost, letters that look alike, and every difference of dots over letters alone.
    Scan,
    /// Another convention than today's or armdyn's; right within it.
    Convention,
    /// An assumption that the author states; what follows from it is not an error.
    Assumption,
}

impl ErratumKind {
    /// All kinds.
    pub const ALL: [ErratumKind; 5] = [
        ErratumKind::Error,
        ErratumKind::Undecidable,
        ErratumKind::Scan,
        ErratumKind::Convention,
        ErratumKind::Assumption,
    ];

    /// Its name, as in the files of `documents/`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ErratumKind::Error => "error",
            ErratumKind::Undecidable => "undecidable",
            ErratumKind::Scan => "scan",
            ErratumKind::Convention => "convention",
            ErratumKind::Assumption => "assumption",
        }
    }
}

/// An erratum with the rows that show it.
pub struct Erratum<'a> {
    /// Its name: `E19`, `Lau 3-20`.
    pub name: &'a str,
    /// Its kind.
    pub kind: ErratumKind,
    /// Its rows.
    pub rows: Vec<&'a Row>,
}

/// The distinct errata of some rows in the order of their first rows.
pub fn distinct<'a>(
    rows: impl Iterator<Item = &'a Row>,
    kind: impl Fn(&str) -> Option<ErratumKind>,
) -> Vec<Erratum<'a>> {
    let mut found: Vec<Erratum<'a>> = vec![];
    for row in rows.filter(|row| row.verdict == Verdict::Erratum) {
        for name in &row.errata {
            match (found.iter_mut().find(|e| e.name == name), kind(name)) {
                (Some(erratum), _) => erratum.rows.push(row),
                (None, Some(kind)) => found.push(Erratum { name, kind, rows: vec![row] }),
                (None, None) => {}
            }
        }
    }
    found
}
