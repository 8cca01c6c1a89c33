//! The committed header is the one that cbindgen generates from the sources; unsafe code is where it is expected; the documents
//! show code and outputs of the examples, which `check` runs.
//!
//! `ARMDYN_WRITE_HEADER=1 cargo test -p armdyn-c --test files` writes the header.

use std::path::{Path, PathBuf};

/// The sources without unsafe code.
const SOURCES: [&str; 6] = ["abi", "lib", "status", "robot", "data", "program"];

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn source(name: &str) -> PathBuf {
    folder().join("src").join(name).with_extension("rs")
}

/// The text of a file, with the line ends of the repository.
fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())).replace("\r\n", "\n")
}

fn generated() -> String {
    let mut config = cbindgen::Config::from_file(folder().join("cbindgen.toml")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let [major, minor, patch] =
        [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"), env!("CARGO_PKG_VERSION_PATCH")];
    let introduction = text(&folder().join("tests/introduction.txt"));
    config.header = Some(introduction.trim_end().to_string());
    config.after_includes = Some(format!(
        "
/** Version of the header, as text and as numbers. */
#define ARMDYN_VERSION \"{version}\"
#define ARMDYN_VERSION_MAJOR {major}
#define ARMDYN_VERSION_MINOR {minor}
#define ARMDYN_VERSION_PATCH {patch}

/** The link that stands for the robot's tool: its flange or TCP. */
#define ARMDYN_TOOL SIZE_MAX"
    ));
    let mut bytes = vec![];
    let builder = cbindgen::Builder::new().with_src(source("lib")).with_config(config);
    builder.generate().unwrap().write(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_header_is_that_of_the_sources() {
    let (path, generated) = (folder().join("include/armdyn/armdyn.h"), generated());
    if std::env::var_os("ARMDYN_WRITE_HEADER").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = text(&path);
    let first = committed.lines().zip(generated.lines()).position(|(a, b)| a != b);
    assert!(
        committed == generated,
        "{} is not what cbindgen generates (first difference: line {}); run `ARMDYN_WRITE_HEADER=1 cargo test -p armdyn-c --test files`",
        path.display(),
        first.unwrap_or_else(|| committed.lines().count().min(generated.lines().count())) + 1
    );
}

#[test]
fn unsafe_code_is_in_one_file() {
    for name in SOURCES {
        let text = text(&source(name));
        let others = text.lines().filter(|line| line.contains("unsafe") && line.trim() != "#[unsafe(no_mangle)]");
        assert_eq!(others.collect::<Vec<_>>(), Vec::<&str>::new(), "{name}.rs");
    }
    // No file escapes the check.
    let files = std::fs::read_dir(folder().join("src")).unwrap().count();
    assert_eq!(files, SOURCES.len() + 1, "a new source belongs to SOURCES; pointers.rs is the only other one");
    let pointers = text(&source("pointers"));
    let (uses, reasons) = (pointers.matches("unsafe {").count(), pointers.matches("// SAFETY:").count());
    assert!(uses > 0 && uses == reasons, "{uses} unsafe blocks, {reasons} reasons");
}

#[test]
fn documents_show_the_examples() {
    let examples: Vec<String> =
        std::fs::read_dir(folder().join("examples")).unwrap().map(|entry| text(&entry.unwrap().path())).collect();
    let mut shown = 0;
    for document in ["README.md", "../../docs/how-to/c-and-cpp.md"] {
        let text = text(&folder().join(document));
        for block in text.split("\n```").skip(1).step_by(2) {
            let (language, code) = block.split_once('\n').unwrap();
            if language != "sh" {
                assert!(examples.iter().any(|e| e.contains(code)), "{document}: no example contains\n{code}");
                shown += 1;
            }
        }
    }
    assert!(shown > 8, "{shown} blocks");
}
