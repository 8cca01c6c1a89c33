//! `armdyn simulate` as a user types it.

use crate::typed::{folder, json, number, refused, run_in, said, text};
use std::fmt::Write;

/// A mass of 2 kg on a slider along x.
const SLIDE: &str = "version = 1\nname = \"slide\"\n[[link]]\nname = \"mass\"\nmass = 2.0\ncentre = [0, 0, 0]\n\
                     inertia = { about = \"centre\", xx = 1, yy = 1, zz = 1, xy = 0, xz = 0, yz = 0 }\n[link.joint]\nname = \"slide\"\n\
                     kind = \"prismatic\"\naxis = [1, 0, 0]\n";

const MOVE: &str = "from 0.3,0.2,-0.6 to 1.1,0.5,-0.7 in 2 s";

/// Lau's robot on a floor without resistance, by a table of his motion: the golden run of two seconds.
#[test]
fn the_golden_run_of_laus_robot() {
    let mut rows = String::from(
        "t,q_theta1,q_arm.pitch,q_arm.x,qd_theta1,qd_arm.pitch,qd_arm.x,qdd_theta1,qdd_arm.pitch,qdd_arm.x\n",
    );
    for k in 0..=200 {
        let t = f64::from(k) * 0.01;
        let ((s1, c1), (s2, c2), (s3, c3)) = ((1.5 * t).sin_cos(), (2.0 * t).sin_cos(), t.sin_cos());
        // The rod slides by −d of the golden data.
        let q = [0.3 + 0.8 * s1, 0.2 + 0.3 * s2, -(0.6 + 0.1 * s3)];
        let (qd, qdd) = ([1.2 * c1, 0.6 * c2, -0.1 * c3], [-1.8 * s1, -1.2 * s2, 0.1 * s3]);
        let all: Vec<String> = [q, qd, qdd].concat().iter().map(|x| format!("{x:e}")).collect();
        writeln!(rows, "{t},{}", all.join(",")).unwrap();
    }
    let here = folder("simulate-lau");
    std::fs::write(here.join("motion.csv"), rows).unwrap();
    let line = [
        "simulate",
        "lau-movable",
        "--base",
        "rolling",
        "--friction",
        "rolling=0",
        "--trajectory",
        "motion.csv",
        "--json",
        "--out",
        "run.csv",
    ];
    let output = run_in(&here, &line);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let golden: serde_json::Value = serde_json::from_str(
        &std::fs::read_to_string(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../armdyn-testkit/data/documents/lau-renaud-lin-morris.json"
        ))
        .unwrap(),
    )
    .unwrap();
    let end = answer["samples"].as_array().unwrap().last().unwrap();
    let found = [
        &end["position"][0],
        &end["position"][1],
        &end["heading"],
        &end["linear_velocity"][0],
        &end["angular_velocity"][2],
    ];
    let expected = &golden["lau"]["A2_movable"]["simulations"][0]["samples"]["2.0"];
    for (k, found) in found.into_iter().enumerate() {
        // A spline of 200 pieces of degree 5 is off by (0.01)⁶/720 of the sixth derivative: 1e-14; the golden run by 1e-8.
        let (found, expected) = (number(found), number(&expected[k]));
        assert!((found - expected).abs() < 2e-8, "{k}: {found} for {expected}");
    }
    assert_eq!((answer["partial"].as_bool(), answer["tipped_over"].as_bool()), (Some(false), Some(false)));
    assert!(number(&answer["energy"]["residual"]) < 1e-8 * number(&answer["energy"]["scale"]));
    let table = std::fs::read_to_string(here.join("run.csv")).unwrap();
    assert!(table.starts_with("t,x,y,heading,vx,vy,w,") && table.lines().count() == 202, "{}", table.lines().count());
}

#[test]
fn rolling_resistance_makes_the_base_start_and_stop() {
    let page = said(&[
        "simulate",
        "lau-movable",
        "--base",
        "rolling",
        "--move",
        MOVE,
        "--duration",
        "3",
        "--deg",
        "--heading",
        "10",
    ]);
    // With --deg the move is a degree or so: the base stays at rest.
    let heading = page.lines().find(|l| l.starts_with("final heading")).unwrap();
    assert!(heading.contains("10  °") && !page.contains("Events"), "{page}");
    let page = said(&[
        "simulate",
        "lau-movable",
        "--base",
        "rolling",
        "--move",
        "from 0.3,0.2,-0.6 to 2.3,0.5,-0.4 in 0.8",
        "--duration",
        "2",
    ]);
    for words in ["the base starts to move", "the base comes to rest", "Wheel loads", "castor", "N m", "residual"] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn other_bases() {
    let floating = json(&["simulate", "lau-movable", "--base", "floating", "--move", MOVE, "--json"]);
    assert!(number(&floating["momentum"]["linear_change"]) < 1e-10 * number(&floating["momentum"]["linear_scale"]));
    assert!(number(&floating["momentum"]["angular_change"]) < 1e-10 * number(&floating["momentum"]["angular_scale"]));
    assert!(floating["wheels"].as_array().unwrap().is_empty() && floating["samples"][0]["orientation"].is_array());
    let here = folder("simulate-bases");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../armdyn-import/robots/lau-movable.toml");
    let robot = std::fs::read_to_string(shipped).unwrap();
    let kinds = |kind: &str| robot.replace("kind = \"fixed\"", &format!("kind = \"{kind}\""));
    std::fs::write(here.join("driven.toml"), kinds("driven")).unwrap();
    std::fs::write(here.join("omni.toml"), kinds("omni")).unwrap();
    // Both rims to 0.2 m/s and on: 39 kg, straight ahead.
    std::fs::write(here.join("drive.csv"), "t,speed_left,speed_right\n0,0,0\n1,0.2,0.2\n2,0.4,0.4\n").unwrap();
    let still = "from 0.3,0.2,-0.6 to 0.3,0.2,-0.6 in 2";
    let output = run_in(
        &here,
        &[
            "simulate",
            "driven.toml",
            "--base",
            "differential",
            "--friction",
            "rolling=0",
            "--drive",
            "drive.csv",
            "--move",
            still,
            "--json",
        ],
    );
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let end = answer["samples"].as_array().unwrap().last().unwrap();
    assert!((number(&end["position"][0]) - 0.4).abs() < 1e-9, "{end}");
    let force = number(&end["driving_forces"][0]) + number(&end["driving_forces"][1]);
    assert!((force - 39.0 * 0.2).abs() < 1e-9, "{force}");
    std::fs::write(here.join("spin.csv"), "t,speed_vx,speed_vy,speed_w\n0,0,0,0.5\n1,0,0,0.5\n2,0,0,0.5\n").unwrap();
    let output =
        run_in(&here, &["simulate", "omni.toml", "--base", "omni", "--drive", "spin.csv", "--move", still, "--json"]);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let end = answer["samples"].as_array().unwrap().last().unwrap();
    assert!((number(&end["heading"]) - 1.0).abs() < 1e-9, "{end}");
}

#[test]
fn a_payload_too_far_out_tips_the_robot() {
    // Golden: with 12 kg the rod tips it at d = 0.532778 m along +y; slowly there, for inertia is not to matter much.
    let far = "from -1.5707963267948966,0,-0.4 to -1.5707963267948966,0,-0.7 in 100";
    let answer = json(&[
        "simulate",
        "lau-movable",
        "--base",
        "rolling",
        "--payload",
        "none",
        "--payload",
        "12",
        "--move",
        far,
        "--rate",
        "10",
        "--json",
    ]);
    let last = &answer["events"].as_array().unwrap().last().unwrap();
    assert_eq!((last["kind"].as_str(), &last["lifted"][0]), (Some("tips_over"), &serde_json::json!("right")), "{last}");
    let end = answer["samples"].as_array().unwrap().last().unwrap();
    assert!((number(&end["q"][2]) + 0.532778).abs() < 1e-3);
    assert_eq!((answer["tipped_over"].as_bool(), answer["partial"].as_bool()), (Some(true), Some(false)));
}

#[test]
fn plots() {
    let here = folder("simulate-plots");
    let fast = "from 0.3,0.2,-0.6 to 2.3,0.5,-0.4 in 0.8";
    let output = run_in(
        &here,
        &[
            "simulate",
            "lau-movable",
            "--base",
            "rolling",
            "--move",
            fast,
            "--plot",
            "path=path.svg",
            "--plot",
            "loads",
            "--plot",
            "velocity=velocity.svg",
        ],
    );
    assert!(output.status.success() && text(&output.stdout).contains("wheel loads"), "{}", text(&output.stderr));
    let svg = std::fs::read_to_string(here.join("path.svg")).unwrap();
    assert!(svg.contains("zero-moment point") && svg.contains("wheels at the end"));
    // One unit per axis, and the letter of each event in both charts and in the legend, with its name and time.
    let svg = std::fs::read_to_string(here.join("velocity.svg")).unwrap();
    assert_eq!((svg.matches("velocity [m/s]").count(), svg.matches("yaw rate [rad/s]").count()), (1, 1), "{svg}");
    let entry = |text: &str| ["the base starts to move (", "wheel `right` reverses ("].iter().all(|e| text.contains(e));
    for letter in ["A", "B", "C", "D"] {
        assert!(svg.matches(&format!(">{letter}</text>")).count() >= 3, "{letter}: {svg}");
    }
    assert!(entry(&svg) && entry(&text(&output.stdout)), "{}", text(&output.stdout));
}

#[test]
fn errors_say_what_is_wrong_and_how_to_fix_it() {
    let refuse = |more: &[&str], words: &[&str]| {
        let line = [&["simulate"], more].concat();
        let said = refused(&line);
        for word in words {
            assert!(said.contains(word), "{line:?}: {said}");
        }
    };
    let rolling = ["lau-movable", "--base", "rolling"];
    let with = |more: &[&'static str]| [&rolling[..], more].concat();
    refuse(&with(&["--move", "over there"]), &["from VALUES to VALUES in TIME"]);
    refuse(&with(&["--move", "to 1,1,1 in -2"]), &["-2", "seconds"]);
    refuse(&with(&["--move", "to 1,nan,1 in 2"]), &["nan"]);
    refuse(&with(&["--move", "to elbow=1 in 2"]), &["elbow", "theta1"]);
    refuse(&with(&["--move", MOVE, "--duration", "-1"]), &["--duration", "seconds"]);
    refuse(&with(&["--move", MOVE, "--friction", "sticky=1"]), &["sticky", "rolling, static, sliding"]);
    refuse(&with(&["--move", MOVE, "--friction", "nose:rolling=1"]), &["nose", "castor"]);
    refuse(&with(&["--move", MOVE, "--friction", "rolling=-1"]), &["negative"]);
    refuse(&with(&["--move", MOVE, "--friction", "static=0.1"]), &["smaller"]);
    refuse(&with(&["--move", MOVE, "--base-velocity", "up=1"]), &["up=1"]);
    refuse(&with(&["--move", MOVE, "--base-velocity", "0,0,1"]), &["vz"]);
    refuse(&with(&["--move", MOVE, "--plot", "top=x.svg"]), &["path, loads, velocity"]);
    refuse(&with(&["--move", MOVE, "--payload", "200"]), &["from the start"]);
    refuse(&["lau-movable", "--base", "omni", "--move", MOVE], &["`left` is fixed", "omni"]);
    refuse(&["lau-movable", "--base", "differential", "--move", MOVE], &["two driven wheels"]);
    refuse(&["panda", "--base", "rolling", "--move", "to 0,0,0,0,0,0,0 in 1"], &["no wheels", "[[contact]]"]);
    let here = folder("simulate-wrong");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../armdyn-import/robots/lau-movable.toml");
    let robot = std::fs::read_to_string(shipped).unwrap();
    let say = |robot: String, words: &[&str]| {
        std::fs::write(here.join("robot.toml"), robot).unwrap();
        let output = run_in(&here, &["simulate", "robot.toml", "--base", "rolling", "--move", MOVE]);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && words.iter().all(|w| said.contains(w)), "{said}");
    };
    say(robot.replace(", rolling = 0.015", ""), &["castor:rolling", "left:rolling"]);
    say(robot.replace("static = 0.6, ", ""), &["left:static", "right:static"]);
    say(robot.replace("at = [0.6, 0, 0]", "at = [0, 0, 0]"), &["one line"]);
    say(robot.replace("kind = \"castor\"", "kind = \"foot\""), &["foot"]);
    std::fs::write(here.join("back.csv"), "t,q_theta1,q_arm.pitch,q_arm.x\n0,0,0,-0.5\n2,0,0,-0.5\n1,0,0,-0.5\n")
        .unwrap();
    let output = run_in(&here, &["simulate", "lau-movable", "--base", "rolling", "--trajectory", "back.csv"]);
    assert!(text(&output.stderr).contains("row 3"), "{}", text(&output.stderr));
}

#[test]
fn a_drive_that_ends_too_early_is_refused_whether_speeds_or_forces() {
    let here = folder("simulate-short-drive");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../armdyn-import/robots/lau-movable.toml");
    let robot = std::fs::read_to_string(shipped).unwrap().replace("kind = \"fixed\"", "kind = \"driven\"");
    std::fs::write(here.join("driven.toml"), robot).unwrap();
    let line = ["simulate", "driven.toml", "--base", "differential", "--drive", "drive.csv", "--move", MOVE];
    for what in ["speed", "force"] {
        let rows = format!("t,{what}_left,{what}_right\n0,0,0\n0.5,0.2,0.2\n1.5,0.2,0.2\n");
        std::fs::write(here.join("drive.csv"), rows).unwrap();
        let output = run_in(&here, &line);
        assert!(!output.status.success() && text(&output.stderr).contains("lasts 1.5 s"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_coefficient_that_does_not_apply_is_an_error() {
    let line = ["simulate", "lau-movable", "--base", "rolling", "--move", MOVE, "--friction", "castor:static=0.3"];
    assert!(refused(&line).contains("castor:static"));
    let line = ["simulate", "lau-movable", "--base", "rail", "--move", MOVE, "--friction", "static=0.3"];
    assert!(refused(&line).contains("can slip sideways"));
}

#[test]
fn the_rotation_of_a_floating_base_is_relative_to_its_start() {
    let still = "from 0.3,0.2,-0.6 to 0.3,0.2,-0.6 in 1";
    let line = ["simulate", "lau-movable", "--base", "floating", "--move", still, "--heading", "1"];
    let rotation = |page: String| {
        let row = page.lines().find(|l| l.starts_with("final rotation")).unwrap().to_string();
        row.split_whitespace().nth(2).unwrap().parse::<f64>().unwrap()
    };
    assert!(rotation(said(&line)) < 1e-15);
    let turned = rotation(said(&[&line[..], &["--base-velocity", "0,0,0,0,0,0.3"]].concat()));
    assert!(turned > 0.1 && turned < 0.6, "{turned}");
}

/// A free fall of the first joint of a horizontal two-link arm, and a table that holds it: bad tables are named.
#[test]
fn torques_drive_an_arm() {
    let here = folder("simulate-torque");
    std::fs::write(here.join("slide.toml"), SLIDE).unwrap();
    std::fs::write(here.join("tau.csv"), "t,tau_slide\n0,0\n1,4\n").unwrap();
    let output = run_in(&here, &["simulate", "slide.toml", "--torque", "tau.csv", "--json", "--out", "run.csv"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let end = answer["samples"].as_array().unwrap().last().unwrap();
    // a = 2 t: v = t² = 1, x = t³/3.
    assert!((number(&end["qd"][0]) - 1.0).abs() < 1e-12 && (number(&end["q"][0]) - 1.0 / 3.0).abs() < 1e-12);
    let table = std::fs::read_to_string(here.join("run.csv")).unwrap();
    assert!(
        table.starts_with("t,q_slide,qd_slide,qdd_slide,tau_slide,commanded_slide,friction_slide,stop_slide,kinetic")
    );
    assert_eq!(table.lines().count(), 102);
    for (rows, expected) in [
        ("t,tau_elbow\n0,1\n", "expected columns such as `tau_slide`"),
        ("t,tau_slide\n0,1\n1,2\n1,3\n", "row 3"),
        ("t,tau_slide\n0.5,1\n", "starts at 0.5 s"),
        ("time,tau_slide\n0,nan\n", "bad.csv"),
    ] {
        std::fs::write(here.join("bad.csv"), rows).unwrap();
        let output = run_in(&here, &["simulate", "slide.toml", "--torque", "bad.csv"]);
        let error = text(&output.stderr);
        assert!(!output.status.success() && error.contains(expected), "{error}");
    }
    for (options, expected) in [
        (vec!["--controller", "none"], "`--duration` is required"),
        (
            vec!["--controller", "none", "--duration", "1s", "--integrator", "runge-kutta", "--step", "0"],
            "invalid step `0`",
        ),
        (
            vec!["--controller", "none", "--duration", "1s", "--integrator", "runge-kutta", "--step", "NaN"],
            "invalid step `NaN`",
        ),
        (vec!["--controller", "none", "--duration", "1s", "--heading", "1"], "--base <BASE>"),
        (vec!["--controller", "none", "--duration", "1s", "--out", "run.txt"], "extension of a known format"),
        (vec!["--controller", "none", "--duration", "1s", "--wrench", "1,0,0 from 2s to 1s"], "expected a later end"),
        (vec!["--controller", "none", "--duration", "1s", "--payload-during", "1"], "has no start"),
        (vec!["--controller", "gravity", "--duration", "1s", "--controller-rate", "0"], "invalid rate `0`"),
        (vec!["--move", "to 1 in 1"], "pass `--base KIND`"),
    ] {
        let output = run_in(&here, &[&["simulate", "slide.toml"][..], &options].concat());
        let error = text(&output.stderr);
        assert!(!output.status.success() && error.contains(expected), "{error}");
    }
}

/// A slider of 2 kg along x that a force of 3 N pushes from 1 s to 2 s, with a payload of 1 kg from 1.5 s on: v = 1.5 t, then t.
#[test]
fn wrenches_and_payloads_for_a_time() {
    let here = folder("simulate-changes");
    std::fs::write(here.join("slide.toml"), SLIDE).unwrap();
    let line = ["simulate", "slide.toml", "--controller", "none", "--duration", "3s", "--json", "--gravity", "0"];
    let changes = ["--wrench", "3,0,0@mass from 1s to 2s", "--payload-during", "1@mass from 1500ms"];
    let output = run_in(&here, &[&line[..], &changes].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let at =
        |t: f64| answer["samples"].as_array().unwrap().iter().find(|s| (number(&s["t"]) - t).abs() < 1e-9).unwrap();
    for (t, v) in [(1.0, 0.0), (1.5, 0.75), (2.0, 1.25), (3.0, 1.25)] {
        assert!((number(&at(t)["qd"][0]) - v).abs() < 1e-12, "{t} s: {}", at(t)["qd"][0]);
    }
    // It arrives with the velocity of the mass: ½ m v².
    assert!((number(&answer["energy"]["payload_energy"]) - 0.5 * 0.75 * 0.75).abs() < 1e-12);
    let kinds: Vec<&str> = answer["events"].as_array().unwrap().iter().map(|e| e["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["wrench_starts", "payload_attached", "wrench_ends"]);
}

/// An arm on wheels and in space follows its motion by computed torque, moves its base, and both balances hold.
#[test]
fn a_controller_drives_the_arm_on_a_base() {
    let follow = |base: &str, options: &[&str]| {
        let line =
            ["simulate", "lau-movable", "--base", base, "--controller", "computed-torque", "--move", MOVE, "--json"];
        json(&[&line[..], &["--friction", "rolling=0"][..if base == "floating" { 0 } else { 2 }], options].concat())
    };
    let rolling = follow("rolling", &[]);
    let end = rolling["base"]["samples"].as_array().unwrap().last().unwrap();
    assert!(number(&end["heading"]).abs() > 0.01, "{end}");
    let floating = follow("floating", &[]);
    let momentum = &floating["base"]["momentum"];
    assert!(number(&momentum["linear_change"]) < 1e-10 * number(&momentum["linear_scale"]), "{momentum}");
    assert!(number(&momentum["angular_change"]) < 1e-10 * number(&momentum["angular_scale"]), "{momentum}");
    for run in [&rolling, &floating] {
        assert!(number(&run["energy"]["residual"]) < 1e-9 * number(&run["energy"]["scale"]), "{}", run["energy"]);
        let errors = run["tracking"]["joints"].as_array().unwrap().iter().map(|j| number(&j["last"]).abs());
        assert!(errors.fold(0.0, f64::max) < 0.05, "{}", run["tracking"]);
    }
    let here = folder("simulate-base-controller");
    let line = ["simulate", "lau-movable", "--base", "rolling", "--controller", "computed-torque", "--move", MOVE];
    let files = ["--out", "run.csv", "--plot", "path=path.svg", "--plot", "error=error.svg", "--animate", "run.html"];
    let output = run_in(&here, &[&line[..], &files].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = std::fs::read_to_string(here.join("run.csv")).unwrap();
    assert!(
        table.lines().next().unwrap().contains("elastic,x,y,heading,vx,vy,w,"),
        "{}",
        table.lines().next().unwrap()
    );
    for file in ["path.svg", "error.svg", "run.html"] {
        assert!(here.join(file).exists(), "{file}");
    }
}

/// Lau's robot with driven wheels: the drive holds the heading while the arm swings.
#[test]
fn the_drive_holds_the_heading() {
    let here = folder("simulate-heading");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../armdyn-import/robots/lau-movable.toml");
    let robot = std::fs::read_to_string(shipped).unwrap();
    std::fs::write(here.join("driven.toml"), robot.replace("kind = \"fixed\"", "kind = \"driven\"")).unwrap();
    let heading = |options: &[&str]| {
        let line = [
            "simulate",
            "driven.toml",
            "--base",
            "differential",
            "--friction",
            "rolling=0",
            "--controller",
            "computed-torque",
        ];
        let output = run_in(&here, &[&line[..], &["--move", MOVE, "--json"], options].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let samples = answer["base"]["samples"].as_array().unwrap().clone();
        samples.iter().map(|s| number(&s["heading"]).abs()).fold(0.0, f64::max)
    };
    let free = heading(&[]);
    let forward = heading(&["--heading-control", "feed-forward"]);
    let both = heading(&["--heading-control", "both", "--heading-frequency", "2"]);
    assert!(free > 0.01 && forward < 0.05 * free && both <= forward, "{free} {forward} {both}");
    let line = ["simulate", "lau-movable", "--base", "rolling", "--move", MOVE, "--heading-control", "both"];
    assert!(refused(&line).contains("`--heading-control`: the drive of this base cannot turn it"));
}

/// A force from 0 to 4 N in a second, with a limit of 3 N: at the limit for the last quarter.
#[test]
fn the_time_at_effort_limits_is_reported() {
    let here = folder("simulate-saturation");
    std::fs::write(here.join("weak.toml"), format!("{SLIDE}limits = {{ effort = 3 }}\n")).unwrap();
    std::fs::write(here.join("tau.csv"), "t,tau_slide\n0,0\n1,4\n").unwrap();
    let line = ["simulate", "weak.toml", "--torque", "tau.csv"];
    let output = run_in(&here, &line);
    let (page, warnings) = (text(&output.stdout), text(&output.stderr));
    assert!(page.contains("Time at effort limits: `slide` 0.25 s"), "{page}");
    assert!(warnings.contains("torques are at their effort limits for much of the time: `slide` 25.0 %"), "{warnings}");
    let output = run_in(&here, &[&line[..], &["--json", "--out", "run.mcap"]].concat());
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!((number(&answer["saturated"][0]) - 0.25).abs() < 1e-12, "{}", answer["saturated"]);
    assert!(here.join("run.mcap").exists());
}
