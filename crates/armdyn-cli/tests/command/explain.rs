//! `armdyn explain` by link, of wrenches, over time, as plots.

use crate::typed::{folder, json, number, refused_in, run_in, said, text};
use serde_json::Value;
use std::path::Path;

fn said_in(folder: &Path, line: &[&str]) -> String {
    let output = run_in(folder, line);
    assert!(output.status.success(), "{line:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn sum(explained: &Value, key: &str) -> f64 {
    explained["contributions"].as_array().unwrap().iter().map(|c| number(&c[key])).sum()
}

const STATE: [&str; 6] = ["--q", "0.3,-0.8", "--qd", "1,2", "--qdd", "0.5,-1"];

#[test]
fn contributions_by_link_are_finer_and_add_up() {
    let by_cause = json(&[&["explain", "lin-rr", "--json"][..], &STATE].concat());
    let by_link = json(&[&["explain", "lin-rr", "--by", "link", "--json"][..], &STATE].concat());
    assert_eq!((&by_cause["by"], &by_link["by"]), (&"cause".into(), &"link".into()));
    let [coarse, fine] = [&by_cause["torques"][0], &by_link["torques"][0]];
    for torque in [coarse, fine] {
        assert!((sum(torque, "torque") - number(&torque["tau"])).abs() < 1e-12, "{torque}");
    }
    let own = |torque: &Value| -> Vec<(String, f64)> {
        let all = torque["contributions"].as_array().unwrap().iter().filter(|c| c["kind"] == "own inertia");
        all.map(|c| (c["link"].as_str().unwrap_or("").to_string(), number(&c["torque"]))).collect()
    };
    // Lin's arm: point masses at the ends, l1 = 0.6, l2 = 0.4, m1 = 2, m2 = 1.5: m1 l1² and m2 (l1² + l2² + 2 l1 l2 cos θ2).
    let links = own(fine);
    let of = |name: &str| links.iter().find(|l| l.0 == name).unwrap().1;
    let cosine = 0.8_f64.cos();
    assert!((of("link1") - 2.0 * 0.36 * 0.5).abs() < 1e-12, "{links:?}");
    assert!((of("link2") - 1.5 * (0.36 + 0.16 + 0.48 * cosine) * 0.5).abs() < 1e-12, "{links:?}");
    assert!((own(coarse)[0].1 - of("link1") - of("link2")).abs() < 1e-12);
}

#[test]
fn components_of_a_wrench_are_those_of_inverse() {
    for (frame, key) in [("link", "force"), ("world", "moment")] {
        let state = ["--q", "0.4,0.3,0.2,0.1,0.5,0.6", "--qd", "1,1,1,1,1,1", "--qdd", "1,2,3,1,2,3"];
        let wrenches = json(&[&["inverse", "ur5e", "--wrenches", "--frame", frame, "--json"][..], &state].concat());
        let joint = "elbow_joint";
        let wrench = wrenches["wrenches"].as_array().unwrap().iter().find(|w| w["joint"] == joint).unwrap();
        for (k, axis) in ["x", "y", "z"].iter().enumerate() {
            let component = format!("{key}.{axis}@{joint}");
            let line = ["explain", "ur5e", "--component", &component, "--frame", frame, "--by", "link", "--json"];
            let found = json(&[&line[..], &state].concat());
            assert_eq!(found["torques"].as_array().unwrap().len(), 0);
            let found = &found["components"][0];
            let expected = number(&wrench[key][k]);
            assert_eq!((&found["joint"], &found["frame"]), (&joint.into(), &frame.into()));
            assert!((number(&found["value"]) - expected).abs() < 1e-10, "{component}: {found} {expected}");
            assert!((sum(found, "value") - expected).abs() < 1e-10, "{component}: {found} {expected}");
        }
    }
}

#[test]
fn a_trajectory_has_a_value_per_sample_and_areas() {
    let folder = folder("explain-trajectory");
    let rows: String = (0..=20)
        .map(|k| {
            let t = f64::from(k) / 10.0;
            format!("{t},{},{},{},{},{},{}\n", t.sin(), 0.5 * t, t.cos(), 0.5, -t.sin(), 0.0)
        })
        .collect();
    let header = "t,q_theta1,q_theta2,qd_theta1,qd_theta2,qdd_theta1,qdd_theta2\n";
    std::fs::write(folder.join("move.csv"), format!("{header}{rows}")).unwrap();
    let line = ["explain", "lin-rr", "--trajectory", "move.csv"];
    let printed = said_in(&folder, &[&line[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(found["t"].as_array().unwrap().len(), 21);
    let torque = &found["torques"][1];
    // At t = 1 as `inverse` has it.
    let state = ["--q", &format!("{},0.5", 1_f64.sin()), "--qd", &format!("{},0.5", 1_f64.cos())];
    let qdd = format!("{},0", -1_f64.sin());
    let single = json(&[&["inverse", "lin-rr", "--json", "--qdd", &qdd][..], &state].concat());
    assert!((number(&torque["tau"][10]) - number(&single["tau"][1])).abs() < 1e-10, "{torque} {single}");
    let sum: f64 = torque["contributions"].as_array().unwrap().iter().map(|c| number(&c["torque"][10])).sum();
    assert!((sum - number(&torque["tau"][10])).abs() < 1e-10);
    let printed = said_in(&folder, &[&line[..], &["--plot", "areas=areas.svg"]].concat());
    assert!(printed.contains("minimum [N m]") && printed.contains("plot written to areas.svg"), "{printed}");
    let svg = std::fs::read_to_string(folder.join("areas.svg")).unwrap();
    assert!(["gravity", "own inertia", "theta2", "time [s]"].iter().all(|part| svg.contains(part)), "{svg}");
    said_in(&folder, &["explain", "lin-rr", "--q", "0.3,-0.8", "--qdd", "1,1", "--plot", "bars=bars.svg"]);
    let svg = std::fs::read_to_string(folder.join("bars.svg")).unwrap();
    assert!(["gravity", "coupling inertia", "theta1"].iter().all(|part| svg.contains(part)), "{svg}");
    for (line, says) in [
        (&["--plot", "areas"][..], &["--trajectory"][..]),
        (&["--trajectory", "move.csv", "--plot", "bars"], &["areas"]),
        (&["--trajectory", "move.csv", "--q", "0,0"], &["--q", "--trajectory"]),
        (&["--component", "force@theta1"], &["force.x"]),
        (&["--component", "force.x@elbow"], &["elbow", "theta1, theta2"]),
        (&["--frame", "world"], &["--component"]),
    ] {
        refused_in(&folder, &[&["explain", "lin-rr"], line].concat(), says);
    }
}

/// Causes that do not fit a line go on below their beginning, further in.
#[test]
fn long_causes_hang_from_their_indentation() {
    let page = said(&["explain", "panda", "--by", "link", "--q", "0,0.5,0,-1.5,0,1.5,0", "--qd", "1,1,1,1,1,1,1"]);
    let lines: Vec<&str> = page.lines().skip_while(|l| !l.starts_with("panda_joint1:")).skip(2).collect();
    let causes: Vec<&&str> = lines.iter().take_while(|l| !l.is_empty()).collect();
    assert!(causes.iter().all(|l| l.starts_with("  ") && l.chars().count() <= 100), "{page}");
    assert!(
        causes.iter().any(|l| l.starts_with("  Coriolis")) && causes.iter().any(|l| l.starts_with("    ")),
        "{page}"
    );
}
