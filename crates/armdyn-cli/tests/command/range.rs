//! `armdyn range` as a user types it.

use crate::typed::{json, numbers_of, refused, said, scaled};
use serde_json::Value;
use std::path::Path;

fn golden() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../armdyn-testkit/data/documents/jpl-extremes.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Bejczy's tables 1 and 2: both loads side by side, at the joint and at the motor.
#[test]
fn tables_of_bejczys_arm() {
    let answer = json(&["range", "jpl-rrp-loaded", "--json"]);
    let golden = golden();
    assert_eq!(answer["guaranteed"], false);
    for (load, case) in ["noload/hardware", "load/hardware"].iter().enumerate() {
        let joints = answer["payloads"][load]["joints"].as_array().unwrap();
        for (name, joint, what, end) in [
            ("D11min", 0, "inertia", "minimum"),
            ("D11max", 0, "inertia", "maximum"),
            ("D22min", 1, "inertia", "minimum"),
            ("D44max", 3, "inertia", "maximum"),
            ("D2absmax", 1, "gravity", "maximum"),
            ("D3absmax", 2, "gravity", "maximum"),
            ("D5absmax", 4, "gravity", "maximum"),
        ] {
            let (found, expected) = (&joints[joint][what][end]["value"], &golden["extremes"][case][name]);
            let expected = expected.as_f64().unwrap();
            assert!((found.as_f64().unwrap() - expected).abs() < 1e-6 * expected, "{case} {name}: {found}");
        }
        // Stall torques 3.036 N m behind a gear of 100; joint 3 has none.
        let two = &joints[1];
        let torque = two["gravity"]["maximum"]["value"].as_f64().unwrap();
        assert!((two["gravity"]["maximum_at_motor"].as_f64().unwrap() - torque / 100.0).abs() < 1e-12);
        assert!((two["gravity"]["effort_fraction"].as_f64().unwrap() - torque / 303.6).abs() < 1e-12);
        assert!(joints[2]["gear_ratio"].is_null() && joints[2]["inertia"]["minimum_at_motor"].is_null());
        assert!(two["inertia"]["minimum"]["bound"].is_null() && two["acceleration_margin"]["unit"] == "rad/s²");
    }
}

/// Guaranteed bounds over ranges in degrees; missing limits are reported.
#[test]
fn guaranteed_over_joint_ranges() {
    let line = ["range", "lin-rr", "--guaranteed", "--gap", "0.1%", "--deg"];
    let names = json(&[&line[..], &["--json"]].concat());
    let second = names["payloads"][0]["joints"][1]["joint"].as_str().unwrap().to_string();
    let range = format!("{second}=-60:60");
    let answer = json(&[&line[..], &["--ranges", &range, "--json"]].concat());
    // Lin's arm: M11 = 1.5 + 0.72 cos q2.
    let one = &answer["payloads"][0]["joints"][0]["inertia"];
    let value = |end: &str, what: &str| one[end][what].as_f64().unwrap();
    assert!((value("minimum", "value") - 1.86).abs() < 1e-9 && (value("maximum", "value") - 2.22).abs() < 1e-9);
    assert!(value("minimum", "bound") <= 1.86 && value("minimum", "bound") > 1.858);
    assert!(value("maximum", "bound") >= 2.22 && value("maximum", "bound") < 2.2223);
    assert!((answer["ranges"][1]["upper"].as_f64().unwrap() - 60f64.to_radians()).abs() < 1e-9);
    let text = said(&line);
    for part in ["guaranteed bounds", "no effort limit for", "no gear ratio for", "≤", "gap [%]", "|D_ij|/D_ii"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn invalid_requests_are_errors() {
    assert!(refused(&["range", "lin-rp"]).contains("--ranges"));
    assert!(refused(&["range", "jpl-rrp", "--ranges", "joint3=1:0.5"]).contains("joint3"));
    assert!(refused(&["range", "jpl-rrp", "--ranges", "elbow=0:1"]).contains("elbow"));
    assert!(refused(&["range", "jpl-rrp", "--payload", "1@hand"]).contains("hand"));
    assert!(refused(&["range", "jpl-rrp", "--guaranteed", "--gap", "0"]).contains("--gap"));
    assert!(refused(&["range", "jpl-rrp", "--guaranteed", "--budget", "soon"]).contains("--budget"));
}

/// Margins and couplings have the degrees of `--deg` too.
#[test]
fn degrees_apply_to_margins_and_couplings() {
    let line = ["range", "jpl-rrp"];
    let (radians, degrees) = (said(&line), said(&[&line[..], &["--deg"]].concat()));
    assert!(radians.contains("rad/m") && degrees.contains("°/m") && !degrees.contains("rad"), "{degrees}");
    for (start, factor) in
        [("joint1  joint3", 1f64.to_degrees()), ("joint3  joint1", 1f64.to_radians()), ("joint1  joint2", 1.0)]
    {
        let ratio = |text: &str| numbers_of(text, start)[..1].to_vec();
        assert!(scaled(&ratio(&degrees), &ratio(&radians), factor), "{start}: {degrees}\n{radians}");
    }
    let line = ["range", "ur5e"];
    let (radians, degrees) = (said(&line), said(&[&line[..], &["--deg"]].concat()));
    assert!(!degrees.contains("rad"), "{degrees}");
    // The last number of a row of the gravity table is the margin.
    let gravity = |text: &str| text.split("Coupling").next().unwrap().to_string();
    let margin = |text: &str| numbers_of(&gravity(text), "elbow_joint").last().copied();
    let [found, other] = [&degrees, &radians].map(|text| margin(text).into_iter().collect::<Vec<f64>>());
    assert!(scaled(&found, &other, 1f64.to_degrees()), "{found:?} {other:?}");
}
