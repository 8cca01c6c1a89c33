//! Text of messages: suggestions for misspelt words, shortened quotations, numbers.

pub(crate) use armdyn_core::four_digits as number;

/// Limit on the findings of a file with a suggestion: each compares all known words.
pub(crate) const MAX_SUGGESTIONS: usize = 100;

/// The beginning of a text that may be long.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((k, _)) => format!("{}…", &text[..k]),
        None => text.to_string(),
    }
}

/// `` `a`, `b`, `c` ``.
pub(crate) fn quoted<S: AsRef<str>>(words: &[S]) -> String {
    let mut list: Vec<String> = words.iter().take(24).map(|w| format!("`{}`", short(w.as_ref()))).collect();
    if words.len() > list.len() {
        list.push("…".to_string());
    }
    list.join(", ")
}

/// The word most similar to a misspelt one, if at most a third of it differs; case is ignored.
pub fn nearest<'w, S: AsRef<str>>(word: &str, words: &'w [S]) -> Option<&'w str> {
    if word.len() > 60 {
        return None;
    }
    let limit = (word.chars().count().max(3) / 3).max(1);
    let lower = word.to_lowercase();
    // The difference in length is a lower bound of the distance.
    let similar = words.iter().map(AsRef::as_ref).filter(|w| w.len() <= 4 * (word.len() + limit));
    let similar = similar.map(|w| (strsim::osa_distance(&lower, &w.to_lowercase()), w)).min_by_key(|(d, _)| *d);
    similar.filter(|(d, _)| *d <= limit).map(|(_, w)| w)
}

/// What to write instead of an unknown word: the most similar known one, or one of all.
pub fn suggestion<S: AsRef<str>>(near: Option<&str>, known: &[S]) -> String {
    match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected one of {}", quoted(known)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_the_intended_word() {
        let words = ["mass", "centre", "inertia", "joint", "bodies"];
        assert_eq!(nearest("mas", &words), Some("mass"));
        assert_eq!(nearest("center", &words), Some("centre"));
        assert_eq!(nearest("Inertia", &words), Some("inertia"));
        assert_eq!(nearest("jiont", &words), Some("joint"));
        assert_eq!(nearest("colour", &words), None);
        assert_eq!(nearest("", &words), None);
    }

    #[test]
    fn numbers_have_four_significant_digits() {
        let cases = [
            (16.6919, "16.69"),
            (-2.8973, "-2.897"),
            (0.0, "0"),
            (-0.0, "0"),
            (1234.56, "1235"),
            (1.23456e-7, "1.235e-7"),
        ];
        assert!(cases.iter().all(|(x, text)| number(*x) == *text));
        assert_eq!(number(f64::INFINITY), "inf");
    }
}
