//! One arm written in standard DH, modified DH, URDF and MJCF gives one τ and one M: those that MuJoCo finds.
//!
//! The texts of `data/formats` are made by a script that has nothing of armdyn (`make.py` there), and so is the golden data
//! (`golden.py`: MuJoCo on the MJCF text). Frames differ from format to format: behind the link, on the joint's axis, turned
//! as the base, with the joint anywhere in the body.

use armdyn_core::*;
use armdyn_import::{Options, load};
use armdyn_testkit::random;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Relative to the largest entry: each text has 17 digits, but poses and tensors went through a few products. 1e-14 is
/// what they come to.
const ROUNDING: f64 = 1e-12;

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct State {
    q: Vec<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
    tau: Vec<f64>,
    M: Vec<f64>,
}

fn golden(name: &str) -> Vec<State> {
    let text = include_str!("../../crates/armdyn-testkit/data/formats/golden.json");
    let mut all: BTreeMap<String, serde_json::Value> = serde_json::from_str(text).expect("the bundled file is valid");
    serde_json::from_value(all.remove(name).expect("the arm is there")).expect("states")
}

fn arm(name: &str, ending: &str) -> Model<f64> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../crates/armdyn-testkit/data/formats")
        .join(format!("{name}.{ending}"));
    let loaded = load(&file, &Options::default());
    let lines: Vec<String> = loaded.findings.iter().map(|f| f.line(&loaded.sources)).collect();
    loaded.model().unwrap_or_else(|| panic!("{}", lines.join("\n"))).expect("a model")
}

/// τ and M.
fn dynamics(m: &Model<f64>, q: &[f64], qd: &[f64], qdd: &[f64]) -> [Vec<f64>; 2] {
    let n = m.nv();
    let (mut tau, mut mass) = (vec![0.0; n], vec![0.0; n * n]);
    rnea(m, &mut RneaData::new(m), q, qd, qdd, &mut tau).expect("shapes fit");
    crba(m, &mut CrbaData::new(m), q, &mut mass).expect("shapes fit");
    [tau, mass]
}

fn assert_near(what: &str, found: &[f64], expected: &[f64]) {
    let scale = expected.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    assert_eq!(found.len(), expected.len(), "{what}");
    let off = found.iter().zip(expected).fold(0.0_f64, |w, (f, e)| w.max((f - e).abs() / scale));
    assert!(off <= ROUNDING, "{what}: off by {off:e}");
}

fn agrees(name: &str, ending: &str) {
    let (m, states) = (arm(name, ending), golden(name));
    let names: Vec<String> = (1..=m.nv()).map(|k| format!("joint{k}")).collect();
    assert_eq!(m.dof_names(), names, "{name}.{ending}");
    assert_eq!(states.len(), 20);
    for s in states {
        let [tau, mass] = dynamics(&m, &s.q, &s.qd, &s.qdd);
        assert_near(&format!("τ of {name}.{ending}"), &tau, &s.tau);
        assert_near(&format!("M of {name}.{ending}"), &mass, &s.M);
    }
}

#[test]
fn standard_dh() {
    agrees("puma560", "dh.toml");
    agrees("scara", "dh.toml");
}

#[test]
fn modified_dh() {
    agrees("puma560", "mdh.toml");
    agrees("scara", "mdh.toml");
}

#[test]
fn urdf() {
    agrees("puma560", "urdf");
    agrees("scara", "urdf");
}

#[test]
fn mjcf() {
    agrees("puma560", "xml");
    agrees("scara", "xml");
}

/// The script's parts are those of the bundled robot, whose zero is elsewhere: q there is q here plus θ. θ of the sliding
/// joint turns what the fourth joint turns.
#[test]
fn the_scara_is_the_bundled_one() {
    let bundled = armdyn_import::library::bundled("scara").expect("it is bundled").load();
    let bundled = bundled.model().expect("a description").expect("a model");
    let ours = arm("scara", "dh.toml").without_drives();
    let mut rng = random::source(8);
    for _ in 0..20 {
        let [q, qd, qdd] = [3.0, 2.0, 5.0].map(|range| random::numbers(&mut rng, 4, range));
        let shifted = [q[0] + 0.25, q[1] - 0.6, q[2], q[3] + 0.4 + 0.15];
        let [tau, mass] = dynamics(&bundled, &shifted, &qd, &qdd);
        let [expected_tau, expected_mass] = dynamics(&ours, &q, &qd, &qdd);
        assert_near("τ", &tau, &expected_tau);
        assert_near("M", &mass, &expected_mass);
    }
}
