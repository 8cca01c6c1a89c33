//! `armdyn simplify` as a user types it.

use crate::typed::{self, Of, folder};
use serde_json::Value;

const SIMPLIFY: Of = Of("simplify");

#[test]
fn a_guaranteed_model_of_the_loaded_arm() {
    let line = ["jpl-rrp-loaded", "--joint", "joint1", "--guaranteed", "--samples", "5000"];
    let found = SIMPLIFY.json(&line);
    let f = &found["formulas"][0];
    assert_eq!((f["name"].as_str(), f["unit"].as_str()), (Some("D11"), Some("kg m²")));
    let (kept, dropped) = (f["kept"].as_array().unwrap(), f["dropped"].as_array().unwrap());
    assert!(kept.len() <= 8 && kept.len() + dropped.len() <= 14, "{f}");
    let (maximum, bound) = (f["error"]["maximum"].as_f64().unwrap(), f["error"]["bound"].as_f64().unwrap());
    assert!(maximum <= bound && bound <= 0.05, "{f}");
    assert!(f["latex"].as_str().unwrap().contains("s_{2}"), "{f}");
    let page = SIMPLIFY.said(&line);
    for part in ["D11 of joint1 (kg m²)", "guaranteed", "guaranteed: below", "dropped", "payload", "maximum"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(SIMPLIFY.said(&["jpl-rrp", "--joint", "joint2", "--samples", "500"]).contains("not guaranteed"));
}

/// The mass matrix of the result: whether it is positive definite, with its smallest eigenvalue and the configuration.
#[test]
fn the_mass_matrix_is_positive_definite() {
    let line = ["ur10e", "--joint", "elbow_joint", "--error", "20%", "--samples", "500"];
    let matrix = &SIMPLIFY.json(&line)["mass_matrix"];
    assert_eq!(matrix["positive_definite"], "sampled", "{matrix}");
    assert!(matrix["minimum_eigenvalue"].as_f64().unwrap() > 0.0 && matrix["at"].as_array().unwrap().len() == 6);
    let page = SIMPLIFY.said(&line);
    assert!(page.contains("positive definite where sampled") && page.contains("smallest eigenvalue"), "{page}");
    let gravity = SIMPLIFY.json(&["lin-rr", "--what", "gravity", "--samples", "500"]);
    assert!(gravity["mass_matrix"].is_null());
}

/// After the budget each formula states whether it is guaranteed, and unfinished ones make the result partial.
#[test]
fn results_after_the_budget() {
    for budget in ["200ms", "60s"] {
        let line =
            ["jpl-rrp-loaded", "--guaranteed", "--error", "2%", "--samples", "2000", "--json", "--budget", budget];
        let output = typed::run(&SIMPLIFY.line(&line));
        // On a slow machine the exact equations are not derived in time.
        if budget == "200ms" && !output.status.success() {
            assert!(typed::text(&output.stderr).contains("--budget"));
            continue;
        }
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut whole = found["not_started"].as_array().unwrap().is_empty();
        for f in found["formulas"].as_array().unwrap() {
            let guaranteed = f["error"]["bound"].as_f64().is_some_and(|bound| bound <= 0.02);
            assert_eq!(f["guaranteed"].as_bool(), Some(guaranteed), "{f}");
            whole &= f["finished"] == true && guaranteed;
        }
        assert_eq!(found["partial"].as_bool(), Some(!whole), "{found}");
    }
    assert!(SIMPLIFY.refused(&["panda", "--budget", "1ms"]).contains("--budget"));
}

#[test]
fn generated_code() {
    let out = folder("simplified");
    let line = ["jpl-rrp", "--what", "gravity", "--samples", "500", "--emit", "python", "--out"];
    SIMPLIFY.said(&[&line[..], &[out.to_str().unwrap()]].concat());
    let code = std::fs::read_to_string(out.join("jpl_rrp.py")).unwrap();
    assert!(code.contains("strategy: simplified") && code.contains("def gravity"), "{code}");
}

#[test]
fn along_a_trajectory() {
    let file = folder("simplify-motion").join("motion.csv");
    let rows: String = (0..50).map(|k| format!("{0},0,{0},0.5,0,0,0\n", 0.02 * f64::from(k))).collect();
    let header = "t,q_joint1,q_joint2,q_joint3,q_joint4,q_joint5,q_joint6\n";
    std::fs::write(&file, format!("{header}{rows}")).unwrap();
    let line = ["jpl-rrp", "--joint", "joint1", "--trajectory", file.to_str().unwrap()];
    let f = &SIMPLIFY.json(&line)["formulas"][0];
    // Only joint 2 moves, and half a metre of boom is near the minimum: two terms suffice.
    assert!(f["kept"].as_array().unwrap().len() <= 2, "{f}");
    assert!(f["error"]["maximum"].as_f64().unwrap() <= 0.05 && f["error"]["samples"] == 50, "{f}");
}

#[test]
fn invalid_requests_name_the_option() {
    let missing = SIMPLIFY.refused(&["jpl-rrp", "--what", "torque"]);
    assert!(missing.contains("joint4") && missing.contains("--speeds"), "{missing}");
    let missing = SIMPLIFY.refused(&["jpl-rrp", "--what", "torque", "--speeds", "1,1,1,1,1,1"]);
    assert!(missing.contains("--accelerations"), "{missing}");
    let some = ["jpl-rrp", "--what", "torque", "--speeds", "1,1,1,1,1,1", "--accelerations", "joint1=1"];
    assert!(SIMPLIFY.refused(&some).contains("joint2"));
    assert!(SIMPLIFY.refused(&["jpl-rrp", "--error", "0"]).contains("between 0 and 1"));
    assert!(SIMPLIFY.refused(&["jpl-rrp", "--error", "much"]).contains("--error"));
    assert!(SIMPLIFY.refused(&["jpl-rrp", "--joint", "elbow"]).contains("joint6"));
    assert!(SIMPLIFY.refused(&["jpl-rrp", "--ranges", "joint3=1:0.5"]).contains("joint3"));
    let of_effort = SIMPLIFY.refused(&["renaud-6r", "--what", "gravity", "--of-effort"]);
    assert!(of_effort.contains("effort limit"), "{of_effort}");
}
