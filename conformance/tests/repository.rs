//! The repository's texts: links between pages resolve, every page is in the book, and the words are those of the field.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// All files below a folder with one of the extensions, without build output.
fn files(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        if entry.is_dir() {
            if !["target", ".git", "node_modules", ".venv"].contains(&name.as_str()) {
                files(&entry, extensions, found);
            }
        } else if entry.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
            found.push(entry);
        }
    }
}

fn all(extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = vec![];
    files(&root(), extensions, &mut found);
    found.sort();
    found
}

/// The targets of Markdown links, without code blocks and inline code.
fn links(text: &str) -> Vec<String> {
    let mut found = vec![];
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("_");
        found.extend(prose.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(to, _)| to.to_string())));
    }
    found
}

#[test]
fn links_between_pages_resolve() {
    let mut broken = vec![];
    for page in all(&["md"]) {
        for link in links(&std::fs::read_to_string(&page).unwrap()) {
            let target = link.split('#').next().unwrap();
            if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            if !page.parent().unwrap().join(target).exists() {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_book_has_every_page() {
    let docs = root().join("docs");
    let summary = links(&std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap());
    let mut pages = vec![];
    files(&docs, &["md"], &mut pages);
    for page in pages {
        let name = page.strip_prefix(&docs).unwrap().to_string_lossy().into_owned();
        assert!(name == "SUMMARY.md" || summary.contains(&name), "docs/SUMMARY.md does not list {name}");
    }
}

/// Words that readers of the field's books stumble over. (Written in two parts, so that this file passes.)
#[test]
fn words_are_those_of_the_field() {
    let words = [("to", "ld"), ("me", "nd"), ("be", "ars"), ("bo", "rne"), ("aflo", "at"), ("gives w", "ay")];
    let words: Vec<String> = words.iter().map(|(a, b)| format!("{a}{b}")).collect();
    let mut found = vec![];
    for file in all(&["md", "rs", "toml", "py"]) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        for (number, line) in text.lines().enumerate() {
            // What a document prints is quoted as it is.
            if file.extension().is_some_and(|e| e == "toml") && line.starts_with("text = ") {
                continue;
            }
            let lower = line.to_lowercase();
            let separate = |at: usize, len: usize| {
                let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
                !letter(lower[..at].chars().next_back()) && !letter(lower[at + len..].chars().next())
            };
            for word in &words {
                if lower.match_indices(word.as_str()).any(|(at, _)| separate(at, word.len())) {
                    found.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{} lines:\n{}", found.len(), found.join("\n"));
}
