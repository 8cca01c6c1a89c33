//! `armdyn study`: its rows are the results of the single commands; what it writes; how it goes on; what it says.

use crate::typed::{folder, json, number, refused_in, run_in, text};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const MODEST: &str = "robot = 'lin-rr'\n[vary]\nlink2.length = [0.3, 0.4, 0.5]\npayload = [0, 1]\n[run.terms]\nq = [0, 0]\n\
                      [measure]\ntorque = 'minimise max(terms.g)'\nreach = 'maximise kinematics.links[link2].position[0]'\n";

fn in_folder(name: &str, study: &str) -> PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("study.toml"), study).unwrap();
    folder
}

fn study(folder: &Path, rest: &[&str]) -> Output {
    run_in(folder, &[&["study", "study.toml"], rest].concat())
}

fn result(folder: &Path, rest: &[&str]) -> Value {
    let output = study(folder, &[rest, &["--json"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_str(&text(&output.stdout)).unwrap()
}

/// The measures of a row.
fn measures(result: &Value, row: usize) -> Vec<f64> {
    result["rows"][row]["measures"].as_array().unwrap().iter().map(number).collect()
}

fn maximum(list: &Value, of: impl Fn(&Value) -> &Value) -> f64 {
    list.as_array().unwrap().iter().filter_map(|x| of(x).as_f64()).fold(f64::NEG_INFINITY, f64::max)
}

/// Size, range and tip-over of a mobile arm with payloads, bit by bit.
#[test]
fn rows_are_the_results_of_the_commands() {
    let folder = in_folder(
        "study-commands",
        "robot = 'ur5e-on-wheels'\n[vary]\npayload = [1, 3]\n\
         [run.size]\nrandom-moves = 2\nsamples = 0\n[run.range]\nseed = 2\n[run.stretched]\ncommand = 'tipover'\nq = '0,-0.2,0,0,0,0'\n\
         [measure]\nmoment = 'minimise max(size.wrenches.tilting_moment.value)'\nscaling = 'size.speed_scaling.factor'\n\
         gravity = 'max(range.payloads[1].joints.gravity.maximum.value)'\nmargin = 'maximise stretched.margin'\nsafe = 'stretched.payload.maximum'\n",
    );
    let found = result(&folder, &["--threads", "2"]);
    for (row, mass) in ["1", "3"].into_iter().enumerate() {
        let of = |line: &[&str]| {
            let output = run_in(&folder, &[line, &["--payload", mass, "--json"]].concat());
            serde_json::from_str::<Value>(&text(&output.stdout))
                .unwrap_or_else(|e| panic!("{line:?}: {e} {}", text(&output.stderr)))
        };
        let size = of(&["size", "ur5e-on-wheels", "--random-moves", "2", "--samples", "0"]);
        let range = of(&["range", "ur5e-on-wheels", "--seed", "2"]);
        let tipover = of(&["tipover", "ur5e-on-wheels", "--q", "0,-0.2,0,0,0,0"]);
        let expected = [
            maximum(&size["wrenches"], |w| &w["tilting_moment"]["value"]),
            number(&size["speed_scaling"]["factor"]),
            maximum(&range["payloads"][1]["joints"], |j| &j["gravity"]["maximum"]["value"]),
            number(&tipover["margin"]),
            number(&tipover["payload"]["maximum"]),
        ];
        assert_eq!(measures(&found, row), expected, "payload {mass}");
    }
}

/// Deflection and natural frequency with another payload and gravity; an option as a variable.
#[test]
fn deflection_and_options() {
    let folder = in_folder(
        "study-deflect",
        "robot = 'slender-two-link'\n[vary]\npayload = 2.5\ngravity = [9.81, 3.7]\ndeflect.q = ['0,0,0', '0,0.5,-0.4']\n\
         [run.deflect]\nfrequencies = 2\n[measure]\nsag = 'abs(deflect.tool.displacement.translation[2])'\n\
         frequency = { of = 'maximise deflect.vibration_modes[0].frequency', unit = 'Hz' }\n",
    );
    let found = result(&folder, &[]);
    let points = [("9.81", "0,0,0"), ("9.81", "0,0.5,-0.4"), ("3.7", "0,0,0"), ("3.7", "0,0.5,-0.4")];
    for (row, (gravity, q)) in points.into_iter().enumerate() {
        let line = [
            "deflect",
            "slender-two-link",
            "--q",
            q,
            "--gravity",
            gravity,
            "--payload",
            "none",
            "--payload",
            "2.5",
            "--frequencies",
            "2",
            "--json",
        ];
        let expected = json(&line);
        let expected = [
            number(&expected["tool"]["displacement"]["translation"][2]).abs(),
            number(&expected["vibration_modes"][0]["frequency"]),
        ];
        assert_eq!(measures(&found, row), expected, "{gravity} {q}");
        assert_eq!(found["rows"][row]["values"], json!([2.5, gravity.parse::<f64>().unwrap(), q]));
    }
    assert_eq!((&found["measures"][1]["unit"], &found["variables"][0]["original"]), (&json!("Hz"), &json!(1.0)));
}

/// m g x of the arm and its payload: the front is known.
#[test]
fn tables_plots_and_the_front() {
    let folder = in_folder("study-tables", MODEST);
    let output = study(&folder, &["--out", "results.csv", "--plot", "front=front.svg", "--plot", "sensitivity=s.svg"]);
    let said = text(&output.stdout);
    assert!(
        output.status.success() && said.contains("lin-rr: 6 points (grid)") && said.contains("Pareto front (1 point)"),
        "{said}"
    );
    let lines = std::fs::read_to_string(folder.join("results.csv")).unwrap();
    let mut lines = lines.lines();
    assert_eq!(lines.next(), Some("point,link2.length,payload,torque,reach,feasible,on_front,error"));
    let rows: Vec<Vec<&str>> = lines.map(|l| l.split(',').collect()).collect();
    for (k, row) in rows.iter().enumerate() {
        let (length, payload) = ([0.3, 0.4, 0.5][k / 2], [0.0, 1.0][k % 2]);
        // The point mass of the second link grows with the length.
        let torque = 9.81 * (2.0 * 0.6 + (1.5 * length / 0.4 + payload) * (0.6 + length));
        let found: f64 = row[3].parse().unwrap();
        assert!((found / torque - 1.0).abs() < 1e-12, "{row:?} {torque}");
        assert_eq!(
            (row[0], row[1], row[5], row[6], row[7]),
            (k.to_string().as_str(), length.to_string().as_str(), "true", if k == 0 { "true" } else { "false" }, "")
        );
    }
    for plot in ["front.svg", "s.svg"] {
        assert!(std::fs::read_to_string(folder.join(plot)).unwrap().contains("<circle"), "{plot}");
    }
    assert!(said.contains("plot written to front.svg"));
    // The same command reads the journal; the result is the same.
    let again = study(&folder, &["--out", "results.parquet", "--plot"]);
    assert!(text(&again.stdout).contains("torque") && folder.join("results.parquet").exists());
}

/// Ctrl-C keeps the finished points, and the same command goes on; a kill loses nothing either.
#[test]
#[cfg(unix)]
fn an_interrupted_study_goes_on() {
    let definition = "robot = 'slender-two-link'\nsamples = 120\n[vary]\nforearm.length = { from = 0.8, to = 1.2 }\nelbow.gear = [60, 100, 140]\n\
                      [run.deflect]\nq = [0, 0.5, -0.4]\nfrequencies = 1\n[measure]\nf = 'maximise deflect.vibration_modes[0].frequency'\nm = 'minimise show.mass'\n";
    let folder = in_folder("study-interrupted", definition);
    let journal = folder.join("study.journal");
    let known = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count().saturating_sub(1));
    for (signal, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let before = known();
        let mut command = Command::new(env!("CARGO_BIN_EXE_armdyn"));
        command
            .args(["study", "study.toml", "--threads", "1"])
            .current_dir(&folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let running = command.spawn().unwrap();
        while known() < before + 3 {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(Command::new("kill").args([signal, &running.id().to_string()]).status().unwrap().success());
        let output = running.wait_with_output().unwrap();
        assert_eq!(output.status.code(), code);
        if code.is_some() {
            let said = text(&output.stdout);
            assert!(
                said.contains("partial: ")
                    && said.contains("of 120 points are in study.journal; run the same command again to go on"),
                "{said}"
            );
        }
        assert!((before + 3..120).contains(&known()) && !folder.join("study.parquet").exists(), "{}", known());
    }
    let resumed = result(&folder, &[]);
    assert!(resumed["partial"] == false && folder.join("study.parquet").exists() && known() == 120);
    let anew = result(&folder, &["--restart", "--threads", "2"]);
    assert_eq!(resumed, anew);
}

/// A point that fails is a row; without a point within the bounds the exit code is 1.
#[test]
fn failures_are_rows() {
    let folder = in_folder(
        "study-failures",
        "robot = 'slender-two-link'\n[vary]\nelbow.lower = [-1, 3]\n[measure]\nmass = 'minimise show.mass <= 100'\n",
    );
    let output = study(&folder, &["--out", "results.csv"]);
    let said = text(&output.stdout);
    assert!(
        output.status.success()
            && said.contains("1 within all bounds, 1 failed")
            && said.contains("failed: 1 point (first: 1): "),
        "{said}"
    );
    let table = std::fs::read_to_string(folder.join("results.csv")).unwrap();
    let row = table.split_once("\n1,").unwrap().1;
    assert!(row.starts_with("3.0,,false,false,\"show: ") && row.contains("`elbow`: invalid limits"), "{row}");
    let folder = in_folder(
        "study-infeasible",
        "robot = 'lin-rr'\n[vary]\npayload = [0, 1]\n[measure]\nmass = 'minimise show.mass <= 1'\n",
    );
    let output = study(&folder, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("no point is within all bounds"));
}

#[test]
fn wrong_studies_get_one_clear_message() {
    let folder = folder("study-refused");
    let write = |study: &str| std::fs::write(folder.join("study.toml"), study).unwrap();
    let refused = |study: &str, says: &[&str]| {
        write(study);
        refused_in(&folder, &["study", "study.toml"], says);
    };
    refused_in(&folder, &["study", "nothing.toml"], &["nothing.toml", "cannot be read"]);
    refused("[vary]\npayload = 0\n[measure]\nm = 'show.mass'", &["study.toml", "names no robot"]);
    refused("robot = 'lin-rrr'\n[vary]\npayload = 0\n[measure]\nm = 'show.mass'", &["did you mean `lin-rr`"]);
    refused("robot = 'lin-rr'\n[vary\npayload = 0", &["study.toml", "line 2"]);
    refused(
        "robot = 'lin-rr'\n[vary]\nlink3.mass = 1\n[measure]\nm = 'show.mass'",
        &["vary `link3.mass`", "did you mean `link1`"],
    );
    let run =
        |run: &str| format!("robot = 'lin-rr'\n[vary]\npayload = 0\n[run.size]\n{run}\n[measure]\nm = 'size.duration'");
    refused(&run("random_move = 3"), &["run `size`", "no option `random-move`", "did you mean `random-moves`"]);
    refused(&run("random-moves = 'many'"), &["run `size`", "many", "--random-moves"]);
    refused(&run("samples = 3"), &["run `size`", "--random-moves"]);
    refused(&run("random-moves = 1\nno-friction = 3"), &["run `size`", "`no-friction` is true or false"]);
    refused(&run("random-moves = 1\nout = 'x.csv'"), &["run `size`", "no option `out`"]);
    refused(
        "robot = 'lin-rr'\n[vary]\npayload = 0\n[measure]\nm = 'sizes.duration'",
        &["no command of a robot is named `sizes`", "did you mean `size`"],
    );
    write(MODEST);
    refused_in(&folder, &["study", "study.toml", "--out", "results.xlsx"], &["results.xlsx", ".parquet"]);
    refused_in(&folder, &["study", "study.toml", "--plot", "pareto"], &["pareto", "front, convergence, sensitivity"]);
    refused_in(&folder, &["study", "study.toml", "--plot", "front=front.gif"], &["front.gif", ".svg"]);
    // The journal of another study.
    assert!(study(&folder, &[]).status.success());
    write(&MODEST.replace("0.5]", "0.6]"));
    refused_in(&folder, &["study", "study.toml"], &["another study", "`vary`", "--restart"]);
    assert!(study(&folder, &["--restart"]).status.success());
}

/// Without Python, or without its packages, the message says what to install.
#[test]
fn ray_needs_python() {
    let folder = in_folder("study-ray", MODEST);
    let run = |path: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_armdyn"));
        let output = command
            .args(["study", "study.toml", "--ray", "auto"])
            .current_dir(&folder)
            .env("PATH", path)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    let said = run(&folder);
    assert!(said.contains("there is no Python") && said.contains("pip install \"armdyn[ray]\""), "{said}");
    assert!(!folder.join("study.parquet").exists() && !folder.join("study.journal").exists());
}
