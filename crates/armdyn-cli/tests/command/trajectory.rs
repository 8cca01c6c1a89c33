//! `armdyn trajectory` as a user types it.

use crate::typed::{Of, assert_close, folder, json, number, refused_in, run, run_in, text};
use serde_json::Value;
use std::path::Path;

const TRAJECTORY: Of = Of("trajectory");

const MOVE: [&str; 5] = ["lin-rr", "--from", "0,0.5", "--to", "1,0.5"];

/// Columns of a table by name.
fn columns(path: &Path) -> Vec<(String, Vec<f64>)> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().unwrap().split(',').map(str::to_string).collect();
    let rows: Vec<Vec<f64>> = lines.map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    names.into_iter().enumerate().map(|(k, name)| (name, rows.iter().map(|r| r[k]).collect())).collect()
}

fn column(all: &[(String, Vec<f64>)], name: &str) -> Vec<f64> {
    all.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("{name}")).1.clone()
}

/// Closed forms of the durations: 1 rad with 0.5 rad/s, 1 rad/s², 4 rad/s³.
#[test]
fn durations_of_profiles_in_closed_form() {
    let limits = ["--speeds", "0.5", "--accelerations", "1", "--jerks", "4", "--effort", "1000"];
    for (profile, duration) in [
        // 15/8 of the mean speed; then the acceleration 10/√3 /T² and the jerk 60/T³ are below their limits.
        ("quintic", 15.0 / 8.0 / 0.5),
        // 3/2 of the mean speed; 6/T² and 12/T³.
        ("cubic", 1.5 / 0.5),
        ("trapezoidal", 2.5),
        ("s-curve", 2.75),
    ] {
        let line = TRAJECTORY.line(&[&MOVE[..], &limits[..], &["--profile", profile, "--json"]].concat());
        let found: Value = serde_json::from_str(&text(&run(&line).stdout)).unwrap();
        // Speeds between samples: (1/2000)² of the curvature.
        assert!((number(&found["duration"]) / duration - 1.0).abs() < 1e-5, "{profile}: {found}");
        let exceeded = found["violations"].as_array().unwrap();
        assert!(exceeded.is_empty() || ["cubic", "trapezoidal"].contains(&profile), "{profile}: {exceeded:?}");
    }
}

/// Positions, velocities and accelerations of a table are those of 3u² − 2u³, torques those of `inverse`.
#[test]
fn a_table_of_a_move() {
    let folder = folder("trajectory-table");
    let line =
        [&["trajectory"], &MOVE[..], &["--profile", "cubic", "--duration", "2s", "--rate", "10", "--out", "move.csv"]];
    let output = run_in(&folder, &line.concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("21 samples written to move.csv"), "{}", text(&output.stdout));
    let all = columns(&folder.join("move.csv"));
    let [t, q, qd, qdd] = ["t", "q_theta1", "qd_theta1", "qdd_theta1"].map(|name| column(&all, name));
    assert_close(&t, &(0..=20).map(|k| 0.1 * f64::from(k)).collect::<Vec<_>>(), 1e-15, "t");
    let exact = |f: fn(f64) -> f64| t.iter().map(|t| f(t / 2.0)).collect::<Vec<f64>>();
    assert_close(&q, &exact(|u| u * u * (3.0 - 2.0 * u)), 1e-14, "q");
    assert_close(&qd, &exact(|u| 3.0 * u * (1.0 - u)), 1e-14, "qd");
    assert_close(&qdd, &exact(|u| 1.5 * (1.0 - 2.0 * u)), 1e-13, "qdd");
    let state = |name: &str, k: usize| {
        format!("{},{}", column(&all, &format!("{name}_theta1"))[k], column(&all, &format!("{name}_theta2"))[k])
    };
    let line =
        ["inverse", "lin-rr", "--q", &state("q", 7), "--qd", &state("qd", 7), "--qdd", &state("qdd", 7), "--json"];
    let tau: Vec<f64> = json(&line)["tau"].as_array().unwrap().iter().map(number).collect();
    assert_close(&[column(&all, "tau_theta1")[7], column(&all, "tau_theta2")[7]], &tau, 1e-12, "tau");
    // The table is a trajectory: it is checked with the same peaks.
    let again = run_in(&folder, &["trajectory", "lin-rr", "--trajectory", "move.csv", "--json"]);
    let again: Value = serde_json::from_str(&text(&again.stdout)).unwrap();
    assert!((number(&again["joints"][0]["speed"]["value"]) - 0.75).abs() < 1e-6, "{again}");
}

#[cfg(feature = "mcap")]
#[test]
fn mcap_there_and_back() {
    let folder = folder("trajectory-mcap");
    let run = |line: &[&str]| {
        let output = run_in(&folder, line);
        assert!(output.status.success(), "{line:?}: {}", text(&output.stderr));
        text(&output.stderr)
    };
    for out in ["move.csv", "move.mcap"] {
        run(&[&["trajectory"], &MOVE[..], &["--duration", "1", "--rate", "40", "--out", out]].concat());
    }
    let warned = run(&["size", "lin-rr", "--trajectory", "move.mcap", "--samples", "0", "--out", "back.csv"]);
    assert!(warned.contains("differentiating velocities") && !warned.contains("unused"), "{warned}");
    let (sent, back) = (columns(&folder.join("move.csv")), columns(&folder.join("back.csv")));
    for name in ["q_theta1", "q_theta2", "qd_theta1", "qd_theta2"] {
        assert_eq!(column(&sent, name), column(&back, name), "{name}");
    }
    // Nanoseconds.
    assert_close(&column(&sent, "t"), &column(&back, "t"), 1e-9, "t");
    refused_in(&folder, &["size", "lin-rr", "--trajectory", "move.mcap", "--deg"], &["radians", "--deg"]);
    refused_in(&folder, &["terms", "lin-rr", "--states", "move.csv", "--out", "terms.mcap"], &["cannot hold", ".npz"]);
    std::fs::write(folder.join("cut.mcap"), &std::fs::read(folder.join("move.mcap")).unwrap()[..600]).unwrap();
    refused_in(&folder, &["size", "lin-rr", "--trajectory", "cut.mcap"], &["cut.mcap", "not a complete MCAP file"]);
    std::fs::write(folder.join("other.mcap"), b"not a recording").unwrap();
    refused_in(&folder, &["size", "lin-rr", "--trajectory", "other.mcap"], &["other.mcap", "MCAP"]);
}

/// Waypoints with times, by degrees, and time-optimal; an exceeded limit is exit code 1.
#[test]
fn waypoints_speed_scaling_and_exit_codes() {
    let folder = folder("trajectory-waypoints");
    std::fs::write(folder.join("timed.csv"), "t,q_theta1,q_theta2\n0,0,0\n1,30,10\n3,45,-20\n").unwrap();
    let run = |rest: &[&str]| {
        let output = run_in(&folder, &[&["trajectory", "lin-rr", "--json"], rest].concat());
        let code = output.status.code();
        let said = text(&output.stdout);
        (code, serde_json::from_str::<Value>(&said).unwrap_or_else(|_| panic!("{}", text(&output.stderr))))
    };
    let (code, timed) = run(&["--waypoints", "timed.csv", "--deg"]);
    assert_eq!((code, number(&timed["duration"])), (Some(0), 3.0));
    let half = run(&["--waypoints", "timed.csv", "--deg", "--speed-scaling", "0.5"]).1;
    let speed = |r: &Value| number(&r["joints"][0]["speed"]["value"]);
    assert_eq!(number(&half["duration"]), 6.0);
    assert!((speed(&half) - speed(&timed) / 2.0).abs() < 1e-9 * speed(&timed));
    let (code, slow) = run(&["--waypoints", "timed.csv", "--deg", "--speeds", "0.2"]);
    // 0.2 °/s.
    assert_eq!((code, slow["violations"][0]["limit"].as_str()), (Some(1), Some("speed")));
    let (code, scaled) = run(&["--waypoints", "timed.csv", "--deg", "--speeds", "10", "--speed-scaling", "max"]);
    assert!(code == Some(0) && (speed(&scaled).abs().to_degrees() - 10.0).abs() < 1e-4, "{scaled}");
    let optimal =
        ["--waypoints", "timed.csv", "--deg", "--profile", "time-optimal", "--speeds", "60", "--effort", "60,15"];
    let (code, optimal) = run(&optimal);
    assert_eq!(code, Some(0), "{}", optimal["violations"]);
    assert!(number(&optimal["duration"]) < 3.0);
    let said = text(&run_in(&folder, &["trajectory", "lin-rr", "--waypoints", "timed.csv", "--deg", "--plot"]).stdout);
    for part in [
        "motion through 3 waypoints of timed.csv, quintic",
        "duration 3 s",
        "Torque of each drive",
        "singular value",
        "torque and its limits",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn an_excitation_is_reproducible() {
    let line = ["ur5e", "--profile", "fourier", "--accelerations", "3", "--candidates", "6", "--duration", "8"];
    let one = TRAJECTORY.json(&line);
    assert!(number(&one["condition"]) > 1.0 && one["violations"].as_array().unwrap().is_empty(), "{one}");
    assert!(one["partial"] == false && one["candidates"] == 6, "{one}");
    assert_eq!(one, TRAJECTORY.json(&line));
    let other = TRAJECTORY.json(&[&line[..], &["--seed", "2"]].concat());
    assert_ne!(number(&one["condition"]), number(&other["condition"]));
}

/// The joints whose combined motion moves the tool least are named in text and JSON.
#[test]
fn a_motion_through_a_singularity_names_its_joints() {
    let line = ["ur5e", "--from", "0,-1,1,0,-0.5,0", "--to", "0,-1,1,0,0.5,0", "--accelerations", "5"];
    // On one line, however it wraps.
    let said = text(&run(&TRAJECTORY.line(&line)).stdout).replace("\n  ", " ");
    let near = said.lines().find(|l| l.contains("NEAR A SINGULARITY")).unwrap_or_else(|| panic!("{said}"));
    let joints = TRAJECTORY.json(&line)["singularity"]["joints"].clone();
    let joints: Vec<&str> = joints.as_array().unwrap().iter().map(|j| j.as_str().unwrap()).collect();
    assert!(joints.contains(&"wrist_3_joint") && !joints.contains(&"wrist_2_joint"), "{joints:?}");
    assert!(joints.iter().all(|j| near.contains(&format!("`{j}`"))), "{near}");
}

#[test]
fn bad_motions_get_one_clear_message() {
    let folder = folder("trajectory-refused");
    let write = |name: &str, content: &str| std::fs::write(folder.join(name), content).unwrap();
    write("one.csv", "q_theta1,q_theta2\n0,0\n");
    write("back.csv", "t,q_theta1,q_theta2\n0,0,0\n1,1,0\n1,2,0\n");
    write("same.csv", "q_theta1,q_theta2\n0,0\n1,1\n1,1\n");
    write("other.csv", "t,q_panda_joint1,q_panda_joint2\n0,0,0\n");
    write(
        "panda.csv",
        "q_panda_joint1,q_panda_joint2,q_panda_joint3,q_panda_joint4,q_panda_joint5,q_panda_joint6,q_panda_joint7\n0,0,0,-1,0,1,0\n0,0,0,-1,9,1,0\n",
    );
    let refuse = |rest: &[&str], says: &[&str]| refused_in(&folder, &[&["trajectory"], rest].concat(), says);
    refuse(&["lin-rr"], &["--waypoints", "--to"]);
    refuse(&["lin-rr", "--waypoints", "one.csv"], &["one.csv", "at least two"]);
    refuse(&["lin-rr", "--waypoints", "back.csv"], &["back.csv", "row 3", "not after"]);
    refuse(&["lin-rr", "--waypoints", "same.csv", "--speeds", "1"], &["same.csv", "row 3", "equals"]);
    refuse(&["lin-rr", "--waypoints", "other.csv"], &["other.csv", "q_theta1", "q_panda_joint1"]);
    refuse(
        &["panda", "--waypoints", "panda.csv"],
        &["panda.csv", "row 2", "`panda_joint5` = 9 rad is outside its range [-2.897, 2.897] rad; move it inside"],
    );
    refuse(&["lin-rr", "--from", "1,1", "--to", "1,1", "--speeds", "1"], &["`--to` equals `--from`"]);
    let singular = ["ur10e", "--from", "0,-1.5,1.5,-1.5,0,0", "--line", "0.7,0.2,0.4"];
    refuse(&singular, &["--line", "singular at 0 m", "`wrist_1_joint`", "start from another configuration"]);
    refuse(&["panda", "--from", "0,0,0,-1,0,1,0", "--to", "panda_joint1=9"], &["`--to`: `panda_joint1`"]);
    let line = |more: &[&'static str]| [&MOVE[..], more].concat();
    refuse(&line(&["--profile", "trapezoidal"]), &["theta1", "acceleration limit", "--accelerations"]);
    refuse(&line(&["--profile", "s-curve", "--accelerations", "1"]), &["jerk limit", "--jerks"]);
    refuse(&line(&["--profile", "s-curve"]), &["acceleration limit", "--accelerations", "jerk limit", "--jerks"]);
    refuse(&line(&["--profile", "quintic"]), &["no limit of speed", "duration"]);
    refuse(&line(&["--accelerations", "0"]), &["acceleration limit `0`", "theta1"]);
    refuse(&line(&["--accelerations", "-1"]), &["--accelerations", "negative"]);
    refuse(&line(&["--jerks", "nan"]), &["--jerks", "nan"]);
    refuse(&line(&["--profile", "time-optimal", "--duration", "2"]), &["--duration"]);
    refuse(&line(&["--speed-scaling", "0", "--speeds", "1"]), &["speed scaling `0`"]);
    refuse(&line(&["--rate", "0", "--speeds", "1"]), &["--rate"]);
    refuse(&line(&["--speeds", "1", "--out", "move.txt"]), &["move.txt", ".mcap"]);
    refuse(&line(&["--profile", "fourier"]), &["fourier", "--to"]);
    refuse(&["lin-rr", "--profile", "fourier"], &["limit", "--"]);
}

/// Along a line and an arc of the tool, forward kinematics of every sample is on the path.
#[test]
fn the_tool_moves_along_lines_and_arcs() {
    let folder = folder("trajectory-lines");
    let start = ["ur10e", "--from", "0,-1.2,1.8,-2.1,-1.5,0", "--accelerations", "10"];
    let tool = |q: &[f64]| -> Vec<f64> {
        let q = q.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let found = json(&["kinematics", "ur10e", "--q", &q, "--json"]);
        let links = found["links"].as_array().unwrap();
        let tool = links.iter().find(|link| link["link"] == "tool0").unwrap();
        tool["position"].as_array().unwrap().iter().map(number).collect()
    };
    let from = tool(&[0.0, -1.2, 1.8, -2.1, -1.5, 0.0]);
    let to = [from[0] + 0.1, from[1] + 0.3, from[2] + 0.2];
    let middle = [0, 1, 2].map(|k| 0.5 * (from[k] + to[k]));
    let via = [middle[0], middle[1], middle[2] + 0.1];
    let list = |x: &[f64]| x.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    for arc in [false, true] {
        let (goal, via_text) = (list(&to), list(&via));
        let mut line = [&["trajectory"][..], &start[..], &["--line", &goal, "--profile", "time-optimal"]].concat();
        line.extend(["--effort", "1000", "--out", "move.csv", "--rate", "20"]);
        if arc {
            line.extend(["--via", &via_text]);
        }
        let output = run_in(&folder, &line);
        assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
        let table = columns(&folder.join("move.csv"));
        let joints: Vec<&Vec<f64>> = table.iter().filter(|(n, _)| n.starts_with("q_")).map(|(_, v)| v).collect();
        let mut passed = f64::INFINITY;
        for k in 0..joints[0].len() {
            let q: Vec<f64> = joints.iter().map(|j| j[k]).collect();
            let p = tool(&q);
            let distance = |a: &[f64], b: &[f64]| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
            passed = passed.min(distance(&p, &via));
            if !arc {
                // The spline between configurations 5 mm apart leaves the line by much less than 0.1 mm.
                let (along, length) = (distance(&p, &from), distance(&to, &from));
                assert!(along + distance(&p, &to) < length + 1e-6, "{p:?} is beside the line");
            }
        }
        assert!(if arc { passed < 0.02 } else { passed > 0.05 }, "{passed} m from the point between");
    }
    let out_of_reach = [&["trajectory"][..], &start[..], &["--line", "-3,-0.18,0.3"]].concat();
    refused_in(&folder, &out_of_reach, &["--line", "along the path"]);
    let stops = [&["trajectory"][..], &start[..], &["--line", "-0.7,0.1,0.5", "--profile", "s-curve"]].concat();
    refused_in(&folder, &stops, &["--line", "time-optimal"]);
}

/// A planned motion, written and read again, is within the limits that it was planned for.
#[test]
fn a_written_motion_is_within_its_limits() {
    let folder = folder("trajectory-again");
    for profile in ["time-optimal", "trapezoidal", "s-curve", "quintic", "cubic"] {
        let limits = ["--speeds", "2", "--accelerations", "5", "--jerks", "60", "--effort", "1000"];
        // A trapezoidal motion and a cubic spline have no limit of jerk.
        let limits = if ["trapezoidal", "time-optimal", "cubic"].contains(&profile) {
            [&limits[..4], &limits[6..]].concat()
        } else {
            limits.to_vec()
        };
        let plan = ["trajectory", "ur5e", "--to", "1,-1,1,0.5,0.5,0", "--profile", profile, "--out", "move.csv"];
        let planned = run_in(&folder, &[&plan[..], &limits[..]].concat());
        assert_eq!(planned.status.code(), Some(0), "{profile}: {}{}", text(&planned.stdout), text(&planned.stderr));
        let again = run_in(&folder, &[&["trajectory", "ur5e", "--trajectory", "move.csv"][..], &limits[..]].concat());
        assert_eq!(again.status.code(), Some(0), "{profile}: {}", text(&again.stdout));
    }
}

/// Without any limit of acceleration or effort there is no fastest motion.
#[test]
fn a_time_optimal_motion_needs_a_limit() {
    let folder = folder("trajectory-unlimited");
    let line = ["trajectory", "lin-rr", "--to", "1,1", "--profile", "time-optimal"];
    refused_in(&folder, &line, &["theta1", "acceleration limit", "--accelerations"]);
}
