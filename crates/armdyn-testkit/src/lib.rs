//! Robots to test with: random ones, those of the documents and those of the peers, with their golden data.

pub mod documents;
pub mod peers;
pub mod random;

use armdyn_core::{CrbaData, Model, RneaData, crba, rnea};

/// The model of a bundled robot.
#[track_caller]
pub fn bundled(name: &str) -> Model<f64> {
    let robot = armdyn_import::library::bundled(name).expect("no bundled robot of this name").load();
    robot.model().expect("bundled robots load").expect("bundled robots are valid")
}

/// Joint torques by inverse dynamics.
#[track_caller]
pub fn torques(m: &Model<f64>, q: &[f64], qd: &[f64], qdd: &[f64]) -> Vec<f64> {
    let mut tau = vec![0.0; m.nv()];
    rnea(m, &mut RneaData::new(m), q, qd, qdd, &mut tau).expect("shapes fit");
    tau
}

/// The mass matrix, row-major.
#[track_caller]
pub fn mass_matrix(m: &Model<f64>, q: &[f64]) -> Vec<f64> {
    let mut mass = vec![0.0; m.nv() * m.nv()];
    crba(m, &mut CrbaData::new(m), q, &mut mass).expect("shapes fit");
    mass
}

/// Asserts that all values agree within `tolerance` times the largest expected magnitude.
#[track_caller]
pub fn assert_close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_close_above(what, found, expected, tolerance, 0.0);
}

/// The same, for a scale of at least `floor`.
#[track_caller]
pub fn assert_close_above(what: &str, found: &[f64], expected: &[f64], tolerance: f64, floor: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(floor, |s, x| s.max(x.abs()));
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * scale, "{what}[{k}]: {a} is not {b}: {found:?}, expected {expected:?}");
    }
}
