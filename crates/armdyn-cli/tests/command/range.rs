//! `armdyn range` as a user types it.

use crate::typed::{json, refused, said};
use serde_json::Value;
use std::path::Path;

fn golden() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../armdyn-testkit/data/seeds/jpl-extremes.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Bejczy's tables 1 and 2: both loads side by side, at the joint and at the motor.
#[test]
fn the_tables_of_bejczys_arm() {
    let answer = json(&["range", "jpl-rrp-loaded", "--json"]);
    let golden = golden();
    assert_eq!(answer["guaranteed"], false);
    for (load, case) in ["noload/hardware", "load/hardware"].iter().enumerate() {
        let joints = answer["loads"][load]["joints"].as_array().unwrap();
        for (name, joint, what, end) in [
            ("D11min", 0, "inertia", "least"),
            ("D11max", 0, "inertia", "greatest"),
            ("D22min", 1, "inertia", "least"),
            ("D44max", 3, "inertia", "greatest"),
            ("D2absmax", 1, "gravity", "greatest"),
            ("D3absmax", 2, "gravity", "greatest"),
            ("D5absmax", 4, "gravity", "greatest"),
        ] {
            let (found, expected) = (&joints[joint][what][end]["value"], &golden["extremes"][case][name]);
            let expected = expected.as_f64().unwrap();
            assert!((found.as_f64().unwrap() - expected).abs() < 1e-6 * expected, "{case} {name}: {found}");
        }
        // Stall torques 3.036 N m behind a gear of 100; joint 3 has none.
        let two = &joints[1];
        let torque = two["gravity"]["greatest"]["value"].as_f64().unwrap();
        assert!((two["gravity"]["greatest_at_motor"].as_f64().unwrap() - torque / 100.0).abs() < 1e-12);
        assert!((two["gravity"]["share_of_effort"].as_f64().unwrap() - torque / 303.6).abs() < 1e-12);
        assert!(joints[2]["gear"].is_null() && joints[2]["inertia"]["least_at_motor"].is_null());
        assert!(two["inertia"]["least"]["bound"].is_null() && two["margin"]["unit"] == "rad/s²");
    }
}

/// Guaranteed, over a box in degrees; what the robot lacks is told, not assumed.
#[test]
fn guaranteed_over_a_box() {
    let line = ["range", "lin-rr", "--guaranteed", "--gap", "0.1%", "--deg"];
    let names = json(&[&line[..], &["--json"]].concat());
    let second = names["loads"][0]["joints"][1]["joint"].as_str().unwrap().to_string();
    let boxes = format!("{second}=-60:60");
    let answer = json(&[&line[..], &["--ranges", &boxes, "--json"]].concat());
    // Lin's arm: M11 = 1.5 + 0.72 cos q2.
    let one = &answer["loads"][0]["joints"][0]["inertia"];
    let value = |end: &str, what: &str| one[end][what].as_f64().unwrap();
    assert!((value("least", "value") - 1.86).abs() < 1e-9 && (value("greatest", "value") - 2.22).abs() < 1e-9);
    assert!(value("least", "bound") <= 1.86 && value("least", "bound") > 1.858);
    assert!(value("greatest", "bound") >= 2.22 && value("greatest", "bound") < 2.2223);
    assert!((answer["box"][1]["high"].as_f64().unwrap() - 60.0).abs() < 1e-9 && answer["box"][1]["unit"] == "°");
    let text = said(&line);
    for part in ["proven bounds", "no effort limit of", "no gear of", "≤", "gap [%]", "|D_ij|/D_ii"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn what_cannot_be_asked_is_refused_by_name() {
    assert!(refused(&["range", "lin-rp"]).contains("--ranges"));
    assert!(refused(&["range", "jpl-rrp", "--ranges", "joint3=1:0.5"]).contains("joint3"));
    assert!(refused(&["range", "jpl-rrp", "--ranges", "elbow=0:1"]).contains("elbow"));
    assert!(refused(&["range", "jpl-rrp", "--payload", "1@hand"]).contains("hand"));
    assert!(refused(&["range", "jpl-rrp", "--guaranteed", "--gap", "0"]).contains("--gap"));
    assert!(refused(&["range", "jpl-rrp", "--guaranteed", "--budget", "soon"]).contains("--budget"));
}
