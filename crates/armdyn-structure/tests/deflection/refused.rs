//! What cannot be, told with its link or joint and a remedy.

use armdyn_import::{Format, Options, library::bundled, load_text};
use armdyn_structure::{Loading, Modes, Structure};
use std::path::Path;

fn refusal(link: &str) -> String {
    let text = format!(
        "version = 1\nname = \"c\"\n[section.s]\nkind = \"rod\"\ndiameter = 0.02\n[[link]]\nname = \"upper\"\n\
         joint = {{ name = \"j\", kind = \"revolute\" }}\n{link}\n"
    );
    let loaded = load_text(Path::new("robot.toml"), text, Format::Toml, &Options::default());
    match loaded.description {
        Some(d) => {
            let model = d.model().expect("a model");
            Structure::new(&model, None).expect_err("it is refused").to_string()
        }
        None => loaded.findings.iter().map(|f| f.message.clone()).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn what_is_missing_or_impossible_is_told() {
    let beam = |b: &str| format!("mass = 5\nbeam = {{ section = \"s\", material = \"steel\", {b} }}");
    for (link, told) in [
        (beam("length = 1"), "`upper`: nothing hangs on it: give where its beam ends"),
        (beam("length = 1, end = [2, 0, 0]"), "1 m long by `length`, but 2 m"),
        (beam("length = 1, end = [0, 0, 0]"), "has no length"),
        (beam("length = 0, end = [1, 0, 0]"), "expected a positive number"),
        (beam("length = 1, end = [1, 0, 0]").replace("steel", "steal"), "did you mean `steel`?"),
        (beam("length = 1, end = [1, 0, 0]").replace("\"s\"", "\"t\""), "unknown section `t`"),
        (beam("length = 1, end = [1, 0, 0]").replace("mass = 5", "mass = 0.5"), "`upper`: its beam alone weighs"),
        (beam("length = 1, end = [1, 0, 0]"), "lies closer together"),
    ] {
        let found = refusal(&link);
        assert!(found.contains(told), "{link}: {found}");
    }
    let found = refusal("mass = 1").replace("  ", " ");
    assert!(
        found.contains("nothing of `c` gives way") && found.contains("`upper`") && found.contains("`stiffness`"),
        "{found}"
    );
}

#[test]
fn a_negative_stiffness_is_told_by_its_joint() {
    let text = "version = 1\nname = \"c\"\n[[link]]\nname = \"l\"\nmass = 1\njoint = { name = \"j\", kind = \"revolute\", stiffness = -3 }\n";
    let loaded = load_text(Path::new("robot.toml"), text.to_string(), Format::Toml, &Options::default());
    let told = &loaded.findings[0].message;
    assert!(told.contains("joint `j`") && told.contains("expected a positive number"), "{told}");
}

#[test]
fn states_of_another_robot_are_refused() {
    let d = bundled("lau-flexible").unwrap().load().description.unwrap();
    let structure = Structure::new(&d.model().unwrap(), None).unwrap();
    assert!(structure.deflect(&Loading::at_rest(&[0.0; 3], 4), &Modes::all()).is_err());
    assert!(structure.deflect(&Loading::at_rest(&[0.0; 4], 3), &Modes::all()).is_err());
    assert!(structure.deflect(&Loading::moving(&[0.0; 4], &[f64::NAN; 4], &[0.0; 4]), &Modes::all()).is_err());
    assert!(structure.deflect(&Loading::at_rest(&[f64::NAN; 4], 4), &Modes::all()).is_err());
}
