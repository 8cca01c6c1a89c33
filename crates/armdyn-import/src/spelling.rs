//! Words in messages: what a misspelt one is likely meant to be, and texts cut to what a message can hold.

/// The most findings of a file that get a suggestion: finding one looks at every word there is.
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
    let mut told: Vec<String> = words.iter().take(24).map(|w| format!("`{}`", short(w.as_ref()))).collect();
    if words.len() > told.len() {
        told.push("…".to_string());
    }
    told.join(", ")
}

/// The word that a misspelt one is likely meant to be: at most a third of it differs.
pub(crate) fn nearest<'w, S: AsRef<str>>(word: &str, words: &'w [S]) -> Option<&'w str> {
    if word.len() > 60 {
        return None;
    }
    let most = (word.chars().count().max(3) / 3).max(1);
    // A longer word differs by its further letters at least.
    let near = words.iter().map(AsRef::as_ref).filter(|w| w.len() <= 4 * (word.len() + most));
    let near = near.map(|w| (distance(word, w), w)).min_by_key(|(d, _)| *d);
    near.filter(|(d, _)| *d <= most).map(|(_, w)| w)
}

/// Levenshtein's distance, with a swap of neighbours as one change; case does not count.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swap = if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    rows[i - 2][j - 2] + 1
                } else {
                    change
                };
                change.min(swap).min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1)
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_word_finds_its_neighbour() {
        let words = ["mass", "centre", "inertia", "joint", "bodies"];
        assert_eq!(nearest("mas", &words), Some("mass"));
        assert_eq!(nearest("center", &words), Some("centre"));
        assert_eq!(nearest("Inertia", &words), Some("inertia"));
        assert_eq!(nearest("jiont", &words), Some("joint"));
        assert_eq!(nearest("colour", &words), None);
        assert_eq!(nearest("", &words), None);
    }
}
