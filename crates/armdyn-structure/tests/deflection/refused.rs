//! Invalid input is reported with its link or joint and a fix.

use armdyn_import::{Format, Options, library::bundled, load_text};
use armdyn_structure::{DeformationModes, LoadCase, Structure};
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
fn missing_or_impossible_data_is_reported() {
    let beam = |b: &str| format!("mass = 5\nbeam = {{ section = \"s\", material = \"steel\", {b} }}");
    for (link, expected) in [
        (beam("length = 1"), "`upper`: its beam has no end"),
        (beam("length = 1, end = [2, 0, 0]"), "`length` of its beam is 1 m, but the distance"),
        (beam("length = 1, end = [0, 0, 0]"), "starts and ends at the same point"),
        (beam("length = 0, end = [1, 0, 0]"), "expected a positive number"),
        (beam("length = 1, end = [1, 0, 0]").replace("steel", "steal"), "did you mean `steel`?"),
        (beam("length = 1, end = [1, 0, 0]").replace("\"s\"", "\"t\""), "unknown section `t`"),
        (beam("length = 1, end = [1, 0, 0]").replace("mass = 5", "mass = 0.5"), "`upper`: its beam has a mass of"),
        (beam("length = 1, end = [1, 0, 0]"), "its inertia is smaller"),
    ] {
        let found = refusal(&link);
        assert!(found.contains(expected), "{link}: {found}");
    }
    let found = refusal("mass = 1").replace("  ", " ");
    assert!(
        found.contains("robot `c` is rigid") && found.contains("`upper`") && found.contains("`stiffness`"),
        "{found}"
    );
}

#[test]
fn a_negative_stiffness_is_reported_with_its_joint() {
    let text = "version = 1\nname = \"c\"\n[[link]]\nname = \"l\"\nmass = 1\njoint = { name = \"j\", kind = \"revolute\", stiffness = -3 }\n";
    let loaded = load_text(Path::new("robot.toml"), text.to_string(), Format::Toml, &Options::default());
    let reported = &loaded.findings[0].message;
    assert!(reported.contains("joint `j`") && reported.contains("expected a positive number"), "{reported}");
}

#[test]
fn states_of_another_robot_are_refused() {
    let d = bundled("lau-flexible").unwrap().load().description.unwrap();
    let structure = Structure::new(&d.model().unwrap(), None).unwrap();
    assert!(structure.deflect(&LoadCase::at_rest(&[0.0; 3], 4), &DeformationModes::all()).is_err());
    assert!(structure.deflect(&LoadCase::at_rest(&[0.0; 4], 3), &DeformationModes::all()).is_err());
    assert!(
        structure.deflect(&LoadCase::moving(&[0.0; 4], &[f64::NAN; 4], &[0.0; 4]), &DeformationModes::all()).is_err()
    );
    assert!(structure.deflect(&LoadCase::at_rest(&[f64::NAN; 4], 4), &DeformationModes::all()).is_err());
}
