//! `trace`: terms, formats and what is refused; `conformance/python/trace_steps.py` recomputes every number.

use crate::everyday::lin_rr;
use crate::typed::{assert_close, json, refused, run, text};
use serde_json::Value;

const STATE: [&str; 6] = ["--q", "0.3,-0.8", "--qd", "1,2", "--qdd", "-0.5,3"];

fn trace(method: &str, more: &[&str]) -> Value {
    json(&[&["trace", "lin-rr", "--method", method, "--json"], more].concat())
}

#[test]
fn every_method_ends_with_lins_torques() {
    let expected = lin_rr([0.3, -0.8], [1.0, 2.0], [-0.5, 3.0]);
    for method in ["newton-euler", "lau", "lagrange", "bejczy", "cartesian"] {
        let answer = trace(method, &STATE);
        let last = answer["steps"].as_array().and_then(|s| s.last()).unwrap();
        let tau: Vec<f64> =
            last["quantities"].as_array().unwrap().iter().map(|q| q["value"].as_f64().unwrap()).collect();
        assert_close(&tau, &expected, 1e-13, method);
    }
}

#[test]
fn one_term_of_laus_closed_form() {
    let answer = trace("lau", &[&STATE[..], &["--term", "1,1,2,2"]].concat());
    let steps = answer["steps"].as_array().unwrap();
    let quantities = steps[0]["quantities"].as_array().unwrap();
    assert_eq!((steps.len(), quantities.len()), (1, 2), "{answer}");
    assert!(quantities.iter().all(|q| q["kind"] == "Coriolis" && q["indices"] == serde_json::json!([1, 1, 2, 2])));
    // 2 m₂ w₁ × (w₂ × r) with r from joint 2 to the mass, and its moment about joint 1, in frame 1.
    let (s, c) = (0.3f64 - 0.8).sin_cos();
    let (fx, fy) = (-2.0 * 1.5 * 2.0 * 0.4 * c, -2.0 * 1.5 * 2.0 * 0.4 * s);
    let (x, y) = (0.6 * 0.3f64.cos() + 0.4 * c, 0.6 * 0.3f64.sin() + 0.4 * s);
    let found = |k: usize| serde_json::from_value::<Vec<f64>>(quantities[k]["value"].clone()).unwrap();
    assert_close(&found(0), &[fx, fy, 0.0], 1e-13, "F");
    assert_close(&found(1), &[0.0, 0.0, x * fy - y * fx], 1e-13, "N");
}

#[test]
fn formats() {
    let print =
        |more: &[&str]| text(&run(&[&["trace", "lin-rp", "--method", "lagrange", "--symbolic"], more].concat()).stdout);
    assert!(print(&[]).contains("k₁ = ½ (m₁ x₁² + Izz₁) θ̇₁²"), "{}", print(&[]));
    let latex = print(&["--emit", "latex"]);
    assert!(latex.contains("\\frac{\\partial k}{\\partial \\dot{\\theta}_{1}}") && latex.is_ascii(), "{latex}");
    assert!(print(&["--emit", "html"]).contains("<mfrac>"));
    assert!(print(&["--emit", "markdown"]).starts_with("# Lagrange's equations of lin-rp, step by step\n"));
}

#[test]
fn refusals() {
    let refused = |more: &[&str]| refused(&[&["trace"], more].concat());
    for (arguments, message) in [
        (&["lin-rr", "--method", "lagrange", "--term", "1,1,1,1"][..], "`--term` applies to `--method lau`"),
        (&["lin-rr", "--method", "lau", "--term", "1,1,2"], "expected four joint numbers i,k,l,j"),
        (&["lin-rr", "--method", "lau", "--term", "1,3,3,3"], "there is no term i, k, l, j = 1, 3, 3, 3"),
        (&["lin-rr", "--method", "lau", "--axes", "base"], "`--axes` applies to `--method cartesian`"),
        (&["panda", "--method", "cartesian"], "needs as many directions as joints"),
        (&["lau-generalized", "--method", "lau", "--term", "0,0,0,0"], "there is no term"),
    ] {
        let said = refused(arguments);
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
}
