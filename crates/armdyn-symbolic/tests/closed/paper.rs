//! Typeset documents: LaTeX compiles, MathML is well formed, lines fit.

use armdyn_symbolic::closed::{Parameters, Trigonometry};
use armdyn_symbolic::{ClosedOptions, Equations, closed_form, typeset};
use std::path::Path;
use std::process::Command;

/// Several robots with all options.
fn documents() -> Vec<(String, Equations)> {
    let mut out = vec![];
    for robot in ["jpl-rrp", "lin-rr", "lin-rp", "lau-fig4", "morris-neea", "scara"] {
        let model = armdyn_testkit::bundled(robot);
        for parameters in [Parameters::Symbolic, Parameters::Grouped, Parameters::Numeric] {
            for trigonometry in [Trigonometry::Shortest, Trigonometry::MultipleAngles] {
                let options = ClosedOptions { parameters, trigonometry, ..ClosedOptions::default() };
                let name = format!("{robot}-{parameters:?}-{trigonometry:?}");
                out.push((name, closed_form(&model, &options).unwrap()));
            }
        }
    }
    out.extend(super::verified::complete().into_iter().map(|(name, _, e)| (format!("{name}-complete"), e)));
    out
}

/// KaTeX parses every formula. Skipped with a message without node or a package registry.
#[test]
fn latex_compiles() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("katex");
    std::fs::create_dir_all(&folder).unwrap();
    let run = |program: &str, arguments: &[&str]| Command::new(program).args(arguments).current_dir(&folder).output();
    if !folder.join("node_modules/katex").exists() {
        std::fs::write(folder.join("package.json"), "{}").unwrap();
        let installed = run("npm", &["install", "--no-audit", "--no-fund", "katex@0.16"]);
        if !installed.is_ok_and(|o| o.status.success()) {
            println!("skipped: npm cannot install KaTeX");
            return;
        }
    }
    let mut files = vec![];
    for (name, e) in documents() {
        for (end, text) in [("tex", typeset::latex(&e)), ("md", typeset::markdown(&e))] {
            let file = folder.join(format!("{name}.{end}"));
            std::fs::write(&file, text).unwrap();
            files.push(file.display().to_string());
        }
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/closed/katex.js").display().to_string();
    let mut arguments = vec![script.as_str()];
    arguments.extend(files.iter().map(String::as_str));
    let output = run("node", &arguments).unwrap();
    let output_text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output_text}{}", String::from_utf8_lossy(&output.stderr));
    let count: usize = output_text.trim().parse().unwrap();
    assert!(count > 3000, "KaTeX parsed {count} formulas");
}

/// Every element is closed in order, and there are no external references.
#[test]
fn html_is_well_formed() {
    for (name, e) in documents() {
        let page = typeset::html(&e);
        let mut open = vec![];
        for piece in page.split('<').skip(1) {
            let tag = piece.split('>').next().unwrap();
            let word = tag.split([' ', '/']).next().unwrap();
            if let Some(closed) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(closed), "{name}");
            } else if !tag.ends_with('/') && !["!DOCTYPE", "meta"].contains(&word) {
                open.push(word.to_string());
            }
        }
        assert!(open.is_empty(), "{name}: {open:?}");
        assert!(!page.contains("://") && !page.contains("<script"), "{name}");
    }
}

/// No line of equations is wider than requested where it can be broken.
#[test]
fn lines_fit_the_terminal() {
    let columns = |line: &str| line.chars().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).count();
    for (name, e) in documents().into_iter().filter(|p| p.0.contains("Symbolic-Shortest")) {
        let text = typeset::unicode(&e, 100);
        let equations = text.lines().filter(|l| l.starts_with("  D") || l.starts_with("      "));
        for line in equations {
            assert!(columns(line) <= 104, "{name}: {} columns: {line}", columns(line));
        }
        assert!(text.contains("Equations of motion"));
    }
}

/// Documents list the symbols with values and units.
#[test]
fn symbols_are_explained() {
    let (_, e) = documents().remove(0);
    let text = typeset::unicode(&e, 120);
    let line =
        |start: &str| text.lines().find(|l| l.trim_start().starts_with(start)).unwrap_or_else(|| panic!("no {start}"));
    // Appendix B: 0.388 oz s²/in and 9.75 in.
    assert!(line("m₃ ").contains("4.24683") && line("m₃ ").contains("kg") && line("m₃ ").contains("mass of link3"));
    assert!(line("lz₆ ").contains("0.24765"));
    assert!(line("J₃ ").contains("kg ") && !line("J₃ ").contains("kg m²"), "the drive of a prismatic joint is a mass");
    assert!(!text.contains("x₁ "), "zeros of the file have no symbol");
}
