//! `armdyn control` and the controllers of `armdyn simulate` as a user types them.

use crate::typed::{Of, folder, number, refused_in, run, text};
use serde_json::Value;

const CONTROL: Of = Of("control");
const SIMULATE: Of = Of("simulate");

const MOVE: [&str; 3] = ["lin-rr", "--move", "from 0.2,0.5 to 0.8,1 in 1"];

/// K_p = ω² D_max and ω_max = ω √(D_max/D_min), with the inertias of `range`.
#[test]
fn constant_gains_meet_the_specification_or_the_exit_code_says_so() {
    let line = ["lin-rr", "--servo", "--frequency", "2", "--no-schedule"];
    let found = CONTROL.json(&line);
    let ranges = Of("range").json(&["lin-rr"]);
    for (joint, range) in
        found["joints"].as_array().unwrap().iter().zip(ranges["payloads"][0]["joints"].as_array().unwrap())
    {
        let [low, high] = ["minimum", "maximum"].map(|end| number(&range["inertia"][end]["value"]));
        let omega = std::f64::consts::TAU * 2.0;
        let kp = number(&joint["position_gain"]);
        assert!((kp / (omega * omega * high) - 1.0).abs() < 1e-6, "{joint}");
        let fastest = number(&joint["response"]["frequency"][1]);
        assert!((fastest / (2.0 * (high / low).sqrt()) - 1.0).abs() < 1e-6, "{joint}");
    }
    assert_eq!(run(&CONTROL.line(&line)).status.code(), Some(0));
    let limited = [&line[..], &["--max-frequency", "2.1"]].concat();
    let output = run(&CONTROL.line(&limited));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("NO"));
}

#[test]
fn controllers_follow_a_motion() {
    let plain = SIMULATE.json(&[&MOVE[..], &["--controller", "computed-torque"]].concat());
    let fine = SIMULATE.json(&[&MOVE[..], &["--controller", "computed-torque", "--controller-rate", "4000"]].concat());
    let worst = |run: &Value| {
        let joints = run["tracking"]["joints"].as_array().unwrap().iter();
        joints.map(|j| number(&j["peak"]["value"]).abs()).fold(0.0, f64::max)
    };
    // The true model: what remains is the hold between samples, in proportion to the sample time.
    assert!(
        worst(&plain) < 2e-3 && (worst(&plain) / worst(&fine) - 4.0).abs() < 0.5,
        "{} {}",
        worst(&plain),
        worst(&fine)
    );
    let of = |controller: &str| {
        worst(&SIMULATE.json(&[&MOVE[..], &["--controller", controller, "--frequency", "3"]].concat()))
    };
    // Without a model of gravity the arm sags; with the whole model it follows to the sample time.
    let [pd, gravity, forward, adaptive, tool] =
        ["pd", "pd-gravity", "feed-forward", "adaptive", "operational-space"].map(of);
    assert!(pd > gravity && gravity > forward, "{pd} {gravity} {forward}");
    assert!(forward < 5e-3 && adaptive < 5e-3 && tool < 5e-3, "{forward} {adaptive} {tool}");
    // From an offset the error decays.
    let offset = ["--controller", "computed-torque", "--frequency", "3", "--q", "0.3,0.4", "--duration", "2s"];
    let joints = SIMULATE.json(&[&MOVE[..], &offset[..]].concat())["tracking"]["joints"].clone();
    for joint in joints.as_array().unwrap() {
        assert!(
            (number(&joint["peak"]["value"]).abs() - 0.1).abs() < 1e-9 && number(&joint["last"]).abs() < 1e-6,
            "{joint}"
        );
    }
    let gains = ["--controller", "impedance", "--kp", "500,50", "--kd", "50,5"];
    let found = SIMULATE.json(&[&MOVE[..], &gains[..]].concat());
    assert!(number(&found["tracking"]["tool"][1]) < 0.1, "{found}");
    // A controller without the payload sags; with it, it does not.
    let loaded = ["--controller", "computed-torque", "--payload", "1", "--duration", "4s"];
    let last = |run: &Value| number(&run["tracking"]["tool"][1]);
    let known = SIMULATE.json(&[&MOVE[..], &loaded[..]].concat());
    let unknown = SIMULATE.json(&[&MOVE[..], &loaded[..], &["--model-payload", "none"]].concat());
    assert!(last(&known) < 1e-6 && last(&unknown) > 1e-3, "{} {}", last(&known), last(&unknown));
}

#[test]
fn errors_say_what_is_missing() {
    let folder = folder("control-errors");
    let refuse = |line: &[&str], says: &[&str]| refused_in(&folder, line, says);
    refuse(&["control", "lin-rr", "--servo", "--frequency", "0"], &["invalid natural frequency `0`"]);
    refuse(&["control", "lin-rr", "--servo", "--frequency", "2", "--damping", "nan"], &["invalid damping ratio"]);
    refuse(&["control", "lin-rr", "--servo", "--frequency", "theta1=2"], &["theta2", "--frequency"]);
    refuse(&["simulate", "lin-rr", "--controller", "pd"], &["--trajectory", "--move"]);
    let follow = |rest: &[&'static str]| [&["simulate"][..], &MOVE[..], rest].concat();
    refuse(&follow(&["--controller", "impedance"]), &["--kp", "--kd"]);
    refuse(&follow(&["--controller", "pd", "--kp", "nan", "--kd", "1"]), &["--kp"]);
    refuse(
        &follow(&["--controller", "pd", "--kp", "1,2,3", "--kd", "1,2,3"]),
        &["`--kp` has 3 values", "or 2 (theta1, theta2)"],
    );
    refuse(&follow(&["--controller", "gravity"]), &["follows no motion"]);
    refuse(&follow(&["--controller", "pd", "--frequency", "-1"]), &["--frequency"]);
    refuse(&follow(&["--controller", "pd", "--adaptation", "2"]), &["--adaptation", "does not apply"]);
    refuse(&follow(&["--controller", "adaptive", "--kp", "2", "--kd", "2"]), &["--kp", "does not apply"]);
    refuse(&["simulate", "lin-rr", "--controller", "none", "--duration", "1", "--delay", "1ms"], &["--delay"]);
    refuse(&["control", "lin-rr", "--servo", "--frequency", "4", "--max-frequency", "3"], &["above the maximum"]);
    let base = ["simulate", "lau-movable", "--base", "rolling", "--move", "to theta1=1 in 1", "--step", "1e-3"];
    refuse(&base, &["--step", "--base"]);
}
