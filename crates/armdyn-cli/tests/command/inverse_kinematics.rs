//! `armdyn kinematics --pose`: closed forms of a planar arm with two links of 1 m.

use crate::typed::{json, refused, run, said, text};
use serde_json::Value;
use std::f64::consts::FRAC_PI_2;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[track_caller]
fn assert_near(found: &Value, expected: [f64; 2]) {
    let found = numbers(found);
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}, expected {expected:?}");
}

#[test]
fn both_elbows_at_a_corner() {
    // The tool at (1, 1): one link along x and one along y, in either order.
    let line = ["kinematics", "planar-2r", "--link", "link2", "--pose", "1,1,0", "--all", "--json"];
    let result = json(&line);
    assert_eq!((result["solved"].as_bool(), result["reach"].as_f64()), (Some(true), Some(2.0)));
    let solutions = result["solutions"].as_array().unwrap();
    assert_eq!(solutions.len(), 2);
    let mut expected = [[0.0, FRAC_PI_2], [FRAC_PI_2, -FRAC_PI_2]];
    if numbers(&solutions[0]["q"])[0] > 1.0 {
        expected.reverse();
    }
    assert_near(&solutions[0]["q"], expected[0]);
    assert_near(&solutions[1]["q"], expected[1]);
    // A start chooses, and degrees are honoured; the orientation of the tool is the sum of the angles.
    let line =
        ["kinematics", "planar-2r", "--link", "link2", "--q", "80,-80", "--deg", "--json", "--pose", "1,1,0,0,0,0"];
    assert_near(&json(&line)["solutions"][0]["q"], [90.0, -90.0]);
    let line = ["kinematics", "planar-2r", "--link", "link2", "--deg", "--json", "--pose", "1,1,0,0,0,90"];
    assert_near(&json(&line)["solutions"][0]["q"], [0.0, 90.0]);
}

#[test]
fn a_pose_out_of_reach_has_exit_code_1() {
    // 5 m from the first joint, of which the arm reaches 2 m.
    let output = run(&["kinematics", "planar-2r", "--link", "link2", "--pose", "3,4,0"]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("not reached: the best configuration found is 3 m away"), "{printed}");
    assert!(printed.contains("The target is 5 m from the first joint; the arm reaches at most 2 m."), "{printed}");
    let output = run(&["kinematics", "planar-2r", "--link", "link2", "--pose", "3,4,0", "--all", "--json"]);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), result["solved"].as_bool()), (Some(1), Some(false)));
    assert!((result["solutions"][0]["position_error"].as_f64().unwrap() - 3.0).abs() < 1e-9);
}

#[test]
fn results_depend_on_the_seed_alone() {
    let line = |seed| ["kinematics", "panda", "--pose", "0.3,0.2,0.4,3,0.1,0", "--all", "--json", "--seed", seed];
    assert_eq!(said(&line("4")), said(&line("4")));
    assert_ne!(said(&line("4")), said(&line("5")));
}

#[test]
fn invalid_poses_are_errors() {
    let refused = |arguments: &[&str]| refused(&[&["kinematics", "panda"], arguments].concat());
    assert!(refused(&["--pose", "1,1"]).contains("`--pose` has 2 numbers: expected three (x, y, z) or six"));
    assert!(refused(&["--pose", "1,1,x"]).contains("`x` is not a number"));
    assert!(refused(&["--pose", "1,0,1", "--link", "elbow"]).contains("no link `elbow`"));
    assert!(refused(&["--pose", "1,0,1", "--link", "panda_link0"]).contains("does not move"));
    assert!(refused(&["--pose", "1,0,1", "--starts", "0"]).contains("--starts"));
    assert!(refused(&["--starts", "5"]).contains("--pose"));
    assert!(refused(&["--pose", "1,0,1", "--from", "flange"]).contains("--from"));
}

#[test]
fn degrees_and_millimetres_are_suspected() {
    let warned = |arguments: &[&str]| text(&run(arguments).stderr);
    let degrees = warned(&["kinematics", "ur5e", "--pose", "0.3,0.2,0.4,180,0,0"]);
    assert!(degrees.contains("`--pose`: roll = 180 rad") && degrees.contains("(did you mean --deg?)"), "{degrees}");
    assert_eq!(warned(&["kinematics", "ur5e", "--pose", "0.3,0.2,0.4,180,0,0", "--deg"]), "");
    let millimetres = warned(&["kinematics", "ur5e", "--pose", "300,200,400"]);
    assert!(millimetres.contains("positions are in metres") && millimetres.contains("0.3,0.2,0.4?)"), "{millimetres}");
    // A little out of reach; out of reach in both units.
    assert_eq!(warned(&["kinematics", "ur5e", "--pose", "5,0,0"]), "");
    assert_eq!(warned(&["kinematics", "ur5e", "--pose", "3000,2000,4000"]), "");
    let line = ["trajectory", "ur5e", "--from", "0,-1.2,1.5,-1.8,-1.5,0"];
    let of_line = warned(&[&line[..], &["--line", "300,200,400"]].concat());
    assert!(of_line.contains("`--line`") && of_line.contains("metres"), "{of_line}");
    let of_line = warned(&[&line[..], &["--line", "-0.4,0.2,0.4,0,90,0"]].concat());
    assert!(of_line.contains("`--line`: pitch = 90 rad"), "{of_line}");
    let via = warned(&[&line[..], &["--line", "-0.4,0.2,0.4", "--via", "-400,100,400"]].concat());
    assert!(via.contains("`--via`") && via.contains("metres"), "{via}");
}

#[test]
fn all_solutions_of_arms_with_a_closed_form() {
    let line = ["kinematics", "ur10e", "--pose", "0.6,0.2,0.4,180,0,0", "--deg", "--all", "--json"];
    let result = json(&line);
    let solutions = result["solutions"].as_array().unwrap();
    // Two shoulders, two elbows, two wrists.
    assert_eq!((solutions.len(), &result["analytic"], &result["separation"]), (8, &Value::Bool(true), &Value::Null));
    assert!(solutions.iter().all(|s| s["method"] == "analytic"), "{result}");
    // A redundant arm: no closed form, and solutions that differ by 0.2 rad in a joint.
    let line =
        ["kinematics", "panda", "--pose", "0.4,0.1,0.5,3.14,0,0", "--q", "0,-0.5,0,-2,0,1.8,0", "--all", "--json"];
    let result = json(&line);
    let q: Vec<Vec<f64>> = result["solutions"].as_array().unwrap().iter().map(|s| numbers(&s["q"])).collect();
    assert!(q.len() > 3 && result["separation"] == 0.2 && result["solutions"][0]["method"] == "numerical", "{result}");
    for (k, a) in q.iter().enumerate() {
        assert!(q[..k].iter().all(|b| a.iter().zip(b).any(|(a, b)| (a - b).abs() > 0.2)), "{q:?}");
    }
}
