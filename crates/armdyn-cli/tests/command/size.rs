//! `armdyn size` as a user types it.

use crate::typed::{self, Of, number, text};
use serde_json::Value;
use std::f64::consts::PI;
use std::path::{Path, PathBuf};

const SIZE: Of = Of("size");

const G: f64 = 9.81;

/// A file in a folder of its own.
fn file(name: &str, content: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("size");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// Lin's RR arm (2 kg at 0.6 m, 1.5 kg another 0.4 m on), stretched out, its shoulder turned once in 2 s.
fn turn(name: &str) -> String {
    let rows = (0..=200).map(|k| format!("{},{},0,{PI},0,0,0\n", k as f64 / 100.0, PI * k as f64 / 100.0));
    let header = "t,q_theta1,q_theta2,qd_theta1,qd_theta2,qdd_theta1,qdd_theta2\n".to_string();
    file(name, &(header + &rows.collect::<String>())).display().to_string()
}

#[test]
fn a_steady_turn_in_closed_form() {
    let path = turn("turn.csv");
    let line =
        ["lin-rr", "--trajectory", &path, "--effort", "40,10", "--continuous", "theta1=20", "--speeds", "theta1=4"];
    let answer = SIZE.json(&line);
    let weight = [(2.0 * 0.6 + 1.5) * G, 1.5 * 0.4 * G];
    for (drive, w) in answer["drives"].as_array().unwrap().iter().zip(weight) {
        assert!((number(&drive["peak"]["value"]).abs() - w).abs() < 1e-12 * w);
        assert!((number(&drive["rms"]) - w / 2f64.sqrt()).abs() < 1e-12 * w);
        assert_eq!(drive["unit"], "N m");
    }
    let shoulder = &answer["drives"][0];
    assert!((number(&shoulder["effort_utilization"]) - weight[0] / 40.0).abs() < 1e-12);
    assert!((number(&shoulder["continuous_utilization"]) - weight[0] / 2f64.sqrt() / 20.0).abs() < 1e-12);
    assert!((number(&shoulder["speed_utilization"]) - PI / 4.0).abs() < 1e-12);
    assert!(
        answer["drives"][1]["continuous_utilization"].is_null() && answer["drives"][1]["speed_utilization"].is_null()
    );
    // Lifted by twice its height, and let down again; a step of the trapezoidal rule is 1/100 of the turn's half.
    assert!((number(&shoulder["work"]) - 2.0 * weight[0]).abs() < 1e-3 * weight[0], "{}", shoulder["work"]);
    let parts = shoulder["contributions"].as_array().unwrap();
    let sum: f64 = parts.iter().map(|p| number(&p["torque"])).sum();
    assert!((sum - number(&shoulder["peak"]["value"])).abs() < 1e-12 * weight[0]);
    assert_eq!(parts[0]["cause"], "weight of link2");
    // At the tool, the end of link2: the shoulder has (1.2 + 1.5 + μ) g ≤ 40, or its RMS ≤ 20.
    let mass = (40.0 / G - 2.7).min(20.0 * 2f64.sqrt() / G - 2.7);
    assert!((number(&answer["payload"]["maximum"]) - mass).abs() < 1e-9 * mass, "{}", answer["payload"]);
    assert_eq!(answer["payload"]["limited_by"]["limit"], "continuous");
    // Centripetal forces need no torque of a stretched arm: speed is what bounds it.
    assert!((number(&answer["speed_scaling"]["factor"]) - 4.0 / PI).abs() < 1e-9);
    assert_eq!(answer["speed_scaling"]["limited_by"]["joint"], "theta1");
    let printed = SIZE.said(&line);
    // Held level the shoulder is above its continuous torque, which it may be for a time: exit code 0.
    assert_eq!(answer["capacity"]["worst"]["cannot_hold"]["kind"], "continuous", "{}", answer["capacity"]["worst"]);
    assert!(!printed.contains("CANNOT HOLD"), "{printed}");
    for part in [
        "exceeds its continuous torque",
        "no continuous torque limit for theta2",
        "maximum payload",
        "peak / effort [%]",
        "weight of link2",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

/// A vertical slide of 1 kg whose motor pulls up with at most 20 N: it carries 20/g − 1 kg, not 100/g − 1.
#[test]
fn the_directions_of_a_motor_have_their_own_limits() {
    let slide = |inside: &str, motors: &str| {
        format!(
            "<mujoco><option gravity='0 0 -9.81'/><worldbody><body name='b'><joint name='d' type='slide' {inside}
             range='-1 1'/><geom size='0.1' mass='1'/></body></worldbody><actuator>{motors}</actuator></mujoco>"
        )
    };
    let still = file("still.csv", "t,q_d\n0,0\n1,0\n2,0\n").display().to_string();
    let two = "<motor joint='d' gear='-7' ctrlrange='-2 5'/><motor joint='d' gear='2' ctrlrange='-2 5'/>";
    for (name, inside, motors, [lower, upper]) in [
        ("control.xml", "", "<motor joint='d' ctrlrange='-100 20'/>", [-100.0, 20.0]),
        ("force.xml", "", "<motor joint='d' gear='10' forcerange='-3 2'/>", [-30.0, 20.0]),
        ("joint.xml", "actuatorfrcrange='-40 15'", "", [-40.0, 15.0]),
        ("two.xml", "", two, [-39.0, 24.0]),
    ] {
        let robot = file(name, &slide(inside, motors)).display().to_string();
        let line = [robot.as_str(), "--trajectory", &still, "--samples", "10", "--tool", "0,0,0"];
        let answer = SIZE.json(&line);
        let expected = upper / G - 1.0;
        assert!((number(&answer["payload"]["maximum"]) - expected).abs() < 1e-9, "{name}: {}", answer["payload"]);
        assert_eq!(answer["limits"]["effort"], serde_json::json!([[lower, upper]]), "{name}");
        let shown = Of("show").said(&[robot.as_str()]);
        assert!(shown.contains(&format!("{lower} … {upper}")), "{shown}");
        // The option replaces it, in both forms.
        let upwards = SIZE.json(&[&line[..], &["--effort", "d=-5:30"]].concat());
        assert!((number(&upwards["payload"]["maximum"]) - (30.0 / G - 1.0)).abs() < 1e-9);
        let both = SIZE.json(&[&line[..], &["--effort", "-50:30"]].concat());
        assert_eq!(both["limits"]["effort"], serde_json::json!([[-50.0, 30.0]]));
    }
}

#[test]
fn an_exceeded_limit_is_exit_code_1() {
    let path = turn("weak.csv");
    let line = ["size", "lin-rr", "--trajectory", &path, "--samples", "100", "--effort"];
    // The shoulder needs 26.5 N m.
    for (effort, code) in [("40,10", 0), ("20,10", 1)] {
        let output = typed::run(&[&line[..], &[effort]].concat());
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout).contains("EXCEEDED: theta1 needs 132"), code == 1);
        assert_eq!(typed::run(&[&line[..], &[effort, "--json"]].concat()).status.code(), Some(code));
    }
    // Nothing is said of a best pose, in which the arm loads no drive.
    let printed = text(&typed::run(&[&line[..], &["40,10", "--ranges", "theta1=-3:3,theta2=-3:3"]].concat()).stdout);
    let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["or more in half of the poses", "limited by the effort limit of"] {
        assert!(words.contains(part), "{printed}");
    }
    assert!(!words.contains("best pose"), "{printed}");
}

/// Level and stretched out the shoulder needs 26.5 N m: with 26 it holds almost all poses, with 5 few.
#[test]
fn a_drive_that_cannot_hold_the_arm_is_said_plainly() {
    // The trajectory stays upright: only the ranges and the pose have the arm level.
    let upright =
        file("upright.csv", &"t,q_theta1,q_theta2\n0,h,0\n1,h,0\n2,h,0\n".replace(",h,", ",1.5707963267948966,"));
    let ranges = ["--ranges", "theta1=-3:3,theta2=-3:3", "--samples", "2000", "--effort"];
    let line =
        |effort| [&["size", "lin-rr", "--trajectory", upright.to_str().unwrap()], &ranges[..], &[effort]].concat();
    let printed = |line: &[&str], code: i32| {
        let output = typed::run(line);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(!printed(&line("27,6"), 0).contains("hold the arm"));
    let few = printed(&[&line("5,6")[..], &["--q", "0,0"]].concat(), 1);
    for joint in ["theta1  rad/s²", "theta2  rad/s²"] {
        assert!(typed::numbers_of(&few, joint).iter().all(|x| *x >= 0.0), "{few}");
    }
    let few = few.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "CANNOT HOLD: joint `theta1`: the drive cannot hold the arm (gravity 26.49 N m, limit 5 N m) at q = (0, 0)",
        "none in at least one pose",
        "none in at least half of the poses",
        "of 2000 poses that the drives can hold",
        "at q = (0, 0): none; the drives cannot hold the arm",
    ] {
        assert!(few.contains(part), "{part}: {few}");
    }
    assert!(!few.contains("0 kg or more") && !few.contains("e-1"), "{few}");
    let answer: Value = serde_json::from_slice(&typed::run(&[&line("26,6")[..], &["--json"]].concat()).stdout).unwrap();
    let found = &answer["minimum_accelerations"]["cannot_hold"][0];
    assert_eq!((&found["joint"], &found["kind"]), (&"theta1".into(), &"effort".into()), "{found}");
    assert!(number(&found["torque"]).abs() > 26.0 && number(&found["torque"]).abs() < 2.7 * G, "{found}");
    assert_eq!(answer["capacity"]["worst"]["cannot_hold"], *found);
    // Too many samples: how many moves fit.
    let printed =
        SIZE.refused(&["lin-rr", "--random-moves", "9", "--effort", "60,15", "--rate", "1e7", ranges[0], ranges[1]]);
    assert!(
        printed.contains("10000000 values (samples × joints)") && printed.contains("fewer moves or a lower rate"),
        "{printed}"
    );
}

#[test]
fn motors_and_gears_of_a_catalogue() {
    let gear = "[[gear]]\nname = \"g\"\nmass = 1\nratio = 50\nefficiency = 0.8\n";
    let motor = |name: &str, mass: f64, torque: f64| {
        format!(
            "[[motor]]\nname = \"{name}\"\nmass = {mass}\ninertia = \"1 kg-cm2\"\n\
             curve = [{{ speed = \"3000 rpm\", continuous = {torque}, peak = {} }}]\n",
            3.0 * torque
        )
    };
    let head = "version = 1\nname = \"mine\"\n";
    let both = file("both.toml", &format!("{head}{}{}{gear}", motor("small", 0.5, 0.2), motor("large", 2.0, 2.0)));
    let path = turn("catalogue.csv");
    let line = ["lin-rr", "--trajectory", &path, "--catalogue", both.to_str().unwrap()];
    let answer = SIZE.json(&line);
    assert_eq!(answer["catalogue"]["catalogue"], "mine");
    let joints = answer["catalogue"]["joints"].as_array().unwrap();
    // The shoulder needs 26.5 N m / 50 / 0.8 while it lifts, 0.38 N m RMS or more; the elbow 5.9 N m, held.
    let best = |k: usize| joints[k]["ranking"][0]["motor"].as_str().unwrap();
    assert_eq!((best(0), best(1)), ("large", "small"));
    let weight = (2.0 * 0.6 + 1.5) * G;
    let peak = number(&joints[0]["ranking"][0]["peak"]["value"]).abs();
    assert!((peak - weight / 50.0 / 0.8).abs() < 1e-12, "{peak}");
    let printed = SIZE.said(&line);
    for part in ["Motors and gears of the catalogue `mine`", "1 of 2 fit", "· large", "utilization [%]"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let svg = file("points.svg", "");
    SIZE.said(&[&line[..], &["--plot", &format!("operating-points={}", svg.display())]].concat());
    let drawn = std::fs::read_to_string(svg).unwrap();
    assert_eq!((drawn.matches("motor torque").count(), drawn.matches(">continuous<").count()), (2, 2), "{drawn}");
    // Nothing fits: exit code 1, and what comes nearest.
    let weak = file("weak.toml", &format!("{head}{}{gear}", motor("small", 0.5, 0.01)));
    let output = typed::run(&["size", "lin-rr", "--trajectory", &path, "--catalogue", weak.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("NO FIT: no motor and gear of the catalogue can drive theta1; the nearest"));
    // The bundled one, and errors.
    let generic = SIZE.json(&["lin-rr", "--trajectory", &path, "--catalogue", "generic"]);
    assert!(generic["catalogue"]["joints"][0]["fitting"].as_u64().unwrap() > 0);
    for (name, content, part) in [
        ("curve.toml", motor("m", 1.0, 1.0).replace("3000 rpm", "0 rpm"), "speed above 0"),
        ("unit.toml", motor("m", 1.0, 1.0).replace("kg-cm2", "kg"), "unit"),
        ("typo.toml", motor("m", 1.0, 1.0).replace("mass", "mas"), "did you mean `mass`"),
        ("twice.toml", motor("m", 1.0, 1.0) + &motor("m", 1.0, 1.0), "duplicate"),
    ] {
        let wrong = file(name, &format!("{head}{content}{gear}"));
        let printed = SIZE.refused(&["lin-rr", "--trajectory", &path, "--catalogue", wrong.to_str().unwrap()]);
        assert!(printed.contains(part), "{name}: {printed}");
    }
}

#[test]
fn missing_derivatives_are_computed_and_reported() {
    let rows: String = (0..=100).map(|k| k as f64 / 50.0).map(|t| format!("{t},{},0.3\n", 0.5 * t * t)).collect();
    let path = file("positions.csv", &format!("t,theta1,theta2\n{rows}")).display().to_string();
    let output = typed::run(&["size", "lin-rr", "--trajectory", &path, "--json"]);
    assert!(text(&output.stderr).contains("differentiating positions"), "{}", text(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!((number(&answer["drives"][0]["speed"]["value"]) - 2.0).abs() < 1e-9);
    assert!(answer["payload"].is_null() && answer["speed_scaling"].is_null());
    assert!(answer["notes"].to_string().contains("--effort JOINT=VALUE"), "{}", answer["notes"]);
}

#[test]
fn errors_of_a_trajectory_name_the_row() {
    let header = "t,q_theta1,q_theta2\n";
    for (name, rows, parts) in [
        ("back.csv", "0,0,0\n1,0,0\n0.5,0,0\n", ["row 3", "is not after"]),
        ("nan.csv", "0,0,0\n1,NaN,0\n2,0,0\n", ["line 3", "q_theta1"]),
        ("short.csv", "0,0,0\n1,0,0\n", ["three samples", "short.csv"]),
    ] {
        let path = file(name, &format!("{header}{rows}")).display().to_string();
        let printed = SIZE.refused(&["lin-rr", "--trajectory", &path]);
        assert!(parts.iter().all(|p| printed.contains(p)), "{name}: {printed}");
    }
    let timeless = file("timeless.csv", "q_theta1,q_theta2\n0,0\n").display().to_string();
    assert!(SIZE.refused(&["lin-rr", "--trajectory", &timeless]).contains("`t`"));
    let half = file("half.csv", "t,q_theta1\n0,0\n").display().to_string();
    assert!(SIZE.refused(&["lin-rr", "--trajectory", &half]).contains("q_theta2"));
    let outside = file(
        "outside.csv",
        "t,q_joint1,q_joint2,q_joint3,q_joint4,q_joint5,q_joint6\n0,0,0,0.2,0,0,0\n1,4,0,0.2,0,0,0\n2,0,0,0.2,0,0,0\n",
    );
    let output = typed::run(&["size", "jpl-rrp", "--trajectory", &outside.display().to_string(), "--samples", "0"]);
    let printed = text(&output.stderr);
    assert!(
        output.status.success() && printed.contains("in 1 of 3 rows; row 2: `joint1` = 4 rad is outside its range"),
        "{printed}"
    );
}

#[test]
fn missing_and_invalid_limits_are_errors() {
    let printed = SIZE.refused(&["puma560", "--random-moves", "2"]);
    assert!(
        printed.contains("effort") && printed.contains("joint3") && printed.contains("--accelerations"),
        "{printed}"
    );
    let printed = SIZE.refused(&["lin-rp", "--random-moves", "2", "--accelerations", "1,1"]);
    assert!(printed.contains("--ranges JOINT=LOW:HIGH"), "{printed}");
    for (line, part) in [
        (["panda", "--random-moves", "1", "--effort", "panda_joint2=-3"], "negative"),
        (["panda", "--random-moves", "1", "--effort", "elbow=3"], "no joint `elbow`"),
        (["panda", "--random-moves", "0", "--rate", "100"], "at least one"),
        (["panda", "--random-moves", "1", "--tool", "0,0,0@hand"], "hand"),
        (["panda", "--random-moves", "1", "--tool", "0,0"], "three"),
        (["panda", "--random-moves", "1", "--plot", "torques"], "torque, utilization, operating-points, payload, best"),
        (["panda", "--random-moves", "1", "--plot", "torque=a.gif"], ".svg or .png"),
        (["panda", "--random-moves", "1", "--accelerations", "1,1,1,1,1,0,1"], "panda_joint6"),
        (["panda", "--random-moves", "1", "--ranges", "panda_joint1=1:-1"], "lower end first"),
    ] {
        let printed = SIZE.refused(&line);
        assert!(printed.contains(part), "{line:?}: {printed}");
    }
    assert!(!typed::run(&["size", "panda"]).status.success());
}

#[test]
fn moves_are_written_and_reproducible() {
    let folder = file("unused.txt", "");
    let path = |name: &str| folder.with_file_name(name).display().to_string();
    let (table, torque, map) = (path("moves.csv"), path("torque.svg"), path("map.svg"));
    let plots = [format!("torque={torque}"), format!("payload={map}")];
    let line = ["ur5e", "--random-moves", "2", "--seed", "4", "--rate", "50", "--samples", "500", "--out", &table];
    let printed =
        SIZE.said(&[&line[..], &["--plot", &plots[0], "--plot", &plots[1], "--plot", "utilization"]].concat());
    assert!(
        printed.contains("2 moves") && printed.contains("maximum accelerations") && printed.contains("█"),
        "{printed}"
    );
    // One chart per joint, in newton metres.
    let svg = std::fs::read_to_string(&torque).unwrap();
    assert_eq!((svg.matches("torque [N m]").count(), svg.matches(" of its limit<").count()), (6, 6), "{svg}");
    assert!(std::fs::read(&map).unwrap().starts_with(b"<svg"));
    let again = SIZE.json(&line[..9]);
    assert_eq!(again, SIZE.json(&line[..9]));
    assert_eq!(again["capacity"]["poses"], 500);
    // What was written is a trajectory: sized again it has the same torques.
    let back = SIZE.json(&["ur5e", "--trajectory", &table, "--samples", "0"]);
    for (a, b) in back["drives"].as_array().unwrap().iter().zip(again["drives"].as_array().unwrap()) {
        assert!((number(&a["rms"]) - number(&b["rms"])).abs() < 1e-9 * number(&b["rms"]));
    }
    let used = |key: &str| again["drives"].as_array().unwrap().iter().map(|d| number(&d[key])).fold(0.0, f64::max);
    assert!((used("effort_utilization").max(used("speed_utilization")) - 1.0).abs() < 1e-9);
}
