//! What is put on paper: LaTeX that compiles, MathML that is well formed, lines that fit.

use armdyn_symbolic::closed::{Parameters, Trigonometry};
use armdyn_symbolic::{ClosedOptions, Equations, closed_form, write};
use std::path::Path;
use std::process::Command;

/// Several robots in every way of writing.
fn papers() -> Vec<(String, Equations)> {
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
    out
}

/// KaTeX reads every formula. Skipped, with a line that says so, where there is no node or no registry of packages.
#[test]
fn latex_compiles() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("katex");
    std::fs::create_dir_all(&folder).unwrap();
    let run = |program: &str, arguments: &[&str]| Command::new(program).args(arguments).current_dir(&folder).output();
    if !folder.join("node_modules/katex").exists() {
        std::fs::write(folder.join("package.json"), "{}").unwrap();
        let installed = run("npm", &["install", "--no-audit", "--no-fund", "katex@0.16"]);
        if !installed.is_ok_and(|o| o.status.success()) {
            println!("skipped: KaTeX, which reads the LaTeX here, could not be installed by npm");
            return;
        }
    }
    let mut files = vec![];
    for (name, e) in papers() {
        for (end, text) in [("tex", write::latex(&e)), ("md", write::markdown(&e))] {
            let file = folder.join(format!("{name}.{end}"));
            std::fs::write(&file, text).unwrap();
            files.push(file.display().to_string());
        }
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/closed/katex.js").display().to_string();
    let mut arguments = vec![script.as_str()];
    arguments.extend(files.iter().map(String::as_str));
    let output = run("node", &arguments).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let count: usize = said.trim().parse().unwrap();
    assert!(count > 3000, "it read {count} formulas");
}

/// Every element that is opened is closed, in order, and nothing asks for the network.
#[test]
fn html_is_well_formed() {
    for (name, e) in papers() {
        let page = write::html(&e);
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

/// No line of equations is wider than asked, where it can be broken; columns as a terminal counts them.
#[test]
fn lines_fit_the_terminal() {
    let columns = |line: &str| line.chars().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).count();
    for (name, e) in papers().into_iter().filter(|p| p.0.contains("Symbolic-Shortest")) {
        let text = write::unicode(&e, 100);
        let equations = text.lines().filter(|l| l.starts_with("  D") || l.starts_with("      "));
        for line in equations {
            assert!(columns(line) <= 104, "{name}: {} columns: {line}", columns(line));
        }
        assert!(text.contains("Equations of motion"));
    }
}

/// What is written tells the symbols with their values and units, and what was rounded.
#[test]
fn symbols_are_explained() {
    let (_, e) = papers().remove(0);
    let text = write::unicode(&e, 120);
    let line =
        |start: &str| text.lines().find(|l| l.trim_start().starts_with(start)).unwrap_or_else(|| panic!("no {start}"));
    // Appendix B: 0.388 oz s²/in and 9.75 in.
    assert!(line("m₃ ").contains("4.24683") && line("m₃ ").contains("kg") && line("m₃ ").contains("mass of link3"));
    assert!(line("lz₆ ").contains("0.24765"));
    assert!(line("J₃ ").contains("kg ") && !line("J₃ ").contains("kg m²"), "a sliding joint's drive is a mass");
    assert!(!text.contains("x₁ "), "what is zero in the file has no symbol");
}
