//! Study files: what they mean, and what is said about wrong ones.

use crate::{refused, study};
use armdyn_study::{Definition, Domain, Method, Session, Setting};

fn numbers(domain: &Domain) -> Vec<f64> {
    match domain {
        Domain::Values(all) => all.iter().map(|v| v.number().unwrap()).collect(),
        Domain::Range(low, high) => vec![*low, *high],
    }
}

#[test]
fn values_ranges_and_relative_values() {
    let study = study(
        "samples = 3\n[vary]\nlink1.mass = { values = [0.5, 1, 2], relative = true }\nlink2.length = { from = 0.5, to = 1.5, relative = true }\n\
         theta1.effort = { from = 10, to = 20, step = 2.5 }\n'theta2.effort' = { from = 0, to = 1, count = 3 }\nsize.rate = [100, 200]\n\
         payload = 2\n[run.size]\nrandom-moves = 3\n[measure]\nx = 'size.duration'",
    );
    let found: Vec<Vec<f64>> = study.variables.iter().map(|v| numbers(&v.domain)).collect();
    let expected: [&[f64]; 6] = [
        &[1.0, 2.0, 4.0],
        &[0.2, 0.6000000000000001],
        &[10.0, 12.5, 15.0, 17.5, 20.0],
        &[0.0, 0.5, 1.0],
        &[100.0, 200.0],
        &[2.0],
    ];
    assert_eq!(found, expected);
    let names: Vec<&str> = study.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["link1.mass", "link2.length", "theta1.effort", "theta2.effort", "size.rate", "payload"]);
    assert_eq!(study.method, Method::Samples { count: 3 });
    let options = study.options(&study.runs[0], &Session::new(&study, None).unwrap().pending()[0].values);
    assert!(options["random-moves"] == 3 && (options["rate"] == 100.0 || options["rate"] == 200.0), "{options:?}");
}

/// The last variable changes fastest.
#[test]
fn a_grid_has_all_combinations() {
    let study = study("[vary]\nf.a = [1, 2]\nf.b = ['x', 'y', 'z']\n[measure]\ny = 'f.y'");
    let points: Vec<String> = Session::new(&study, None)
        .unwrap()
        .pending()
        .iter()
        .map(|p| format!("{}{}", p.values[0], p.values[1]))
        .collect();
    assert_eq!(points, ["1x", "1y", "1z", "2x", "2y", "2z"]);
}

/// Quasi-random points are within the ranges and use every value.
#[test]
fn samples_fill_the_ranges() {
    let study = study(
        "samples = 400\nseed = 3\n[vary]\nf.a = { from = -2, to = 6 }\nf.b = ['x', 'y', 'z']\n[measure]\ny = 'f.y'",
    );
    let points = Session::new(&study, None).unwrap().pending();
    let lower = points.iter().filter(|p| (-2.0..0.0).contains(&p.values[0].number().unwrap())).count();
    assert!(
        lower.abs_diff(100) <= 4
            && points.iter().all(|p| p.values[0].number().is_some_and(|x| (-2.0..=6.0).contains(&x))),
        "{lower}"
    );
    for name in ["x", "y", "z"] {
        let count = points.iter().filter(|p| p.values[1] == Setting::Text(name.to_string())).count();
        assert!(count.abs_diff(133) <= 6, "{name}: {count}");
    }
}

/// The same definition as TOML and as JSON.
#[test]
fn toml_and_json_are_the_same() {
    let toml = Definition::of_toml("robot = 'ur5e'\nsamples = 5\n[vary]\npayload = [0, 1]\n[measure]\nm = 'show.mass'")
        .unwrap();
    let json = r#"{"robot": "ur5e", "samples": 5, "vary": {"payload": [0, 1]}, "measure": {"m": "show.mass"}}"#;
    assert_eq!(Definition::of_json(json).unwrap(), toml);
}

#[test]
fn wrong_files_are_errors() {
    let measure = "[measure]\nm = 'show.mass'";
    for (text, parts) in [
        (format!("[vary]\npayload = [0]\nsample = 3\n{measure}"), &["vary `sample`", "unknown parameter `sample`"][..]),
        (format!("sample = 3\n[vary]\npayload = [0]\n{measure}"), &["unknown field `sample`", "line 1"]),
        ("[vary]\npayload = [0]".to_string(), &["missing field `measure`"]),
        (format!("[vary]\n{measure}"), &["varies nothing"]),
        ("[vary]\npayload = 0\n[measure]".to_string(), &["no measure"]),
        (format!("[vary]\npayload = []\n{measure}"), &["is empty"]),
        (format!("[vary]\npayload = [1, 2, 1.0]\n{measure}"), &["1 is given twice"]),
        (format!("[vary]\npayload = [1, true]\n{measure}"), &["`true` is not a number"]),
        (
            format!("[vary]\npayload = {{ from = 2, to = 1, count = 3 }}\n{measure}"),
            &["`from` (2) is not below `to` (1)"],
        ),
        (format!("[vary]\npayload = {{ from = 2 }}\n{measure}"), &["`to` is missing"]),
        (format!("[vary]\npayload = {{ from = 0, to = 1, step = 0.3 }}\n{measure}"), &["`step` does not divide"]),
        (
            format!("[vary]\npayload = {{ from = 0, to = 1, counts = 3 }}\n{measure}"),
            &["unknown key `counts`", "`count`"],
        ),
        (format!("[vary]\npayload = {{ from = 0, to = inf, count = 3 }}\n{measure}"), &["`to` is not a finite number"]),
        (format!("[vary]\npayload = {{ from = 0, to = 1 }}\n{measure}"), &["a grid needs values", "`samples`"]),
        (format!("[vary]\npayload = {{ values = [1], relative = true }}\n{measure}"), &["the value 0", "relative"]),
        (format!("[vary]\ntheta1.effort = {{ values = [1], relative = true }}\n{measure}"), &["no value", "relative"]),
        (format!("samples = 0\n[vary]\npayload = 0\n{measure}"), &["`samples` is 0"]),
        (format!("samples = 3\ngenerations = 3\n[vary]\npayload = 0\n{measure}"), &["exclude each other"]),
        (format!("generations = 3\n[vary]\npayload = 0\n{measure}"), &["needs a measure with"]),
        (format!("[vary]\npayload = 0\n[run.size]\nrandom-moves = 1\n{measure}"), &["run `size`", "no measure refers"]),
        (format!("[vary]\npayload = 0\n[run]\nsize = 3\n{measure}"), &["run `size`", "a table of options"]),
        ("[vary]\npayload = 0\n[measure]\npayload = 'show.mass'".to_string(), &["`payload` is used twice"]),
        ("[vary]\npayload = 0\n[measure]\nerror = 'show.mass'".to_string(), &["`error` is used twice"]),
        ("[vary]\npayload = 0\n[measure]\nm = 'maximise'".to_string(), &["measure `m`", "expected a number, a path"]),
        ("[vary]\npayload = 0\n[measure]\nm = 'show.mass <= heavy'".to_string(), &["`heavy` is not a number"]),
        ("[vary]\npayload = 0\n[measure]\nm = 3".to_string(), &["`3` is not a text"]),
        (format!("[vary]\nlink1.mass = 1\n'point@link1.mass' = 1\n{measure}"), &["set the same mass"]),
    ] {
        let said = refused("lin-rr", &text);
        assert!(parts.iter().all(|p| said.contains(p)), "{text}\n{said}");
    }
}
