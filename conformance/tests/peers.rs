//! Golden data of Pinocchio 4.1: everything that both compute (see `data/peers/README.md`).

use armdyn_conformance::formulations;
use armdyn_core::error::Result;
use armdyn_core::{
    AbaData, CoriolisData, CrbaData, DerivativesData, FormsData, JacobianFrame, KinematicsData, LINK_PARAMETERS,
    MinverseData, Model, Motion, RegressorData, RneaData, aba, aba_derivatives, coriolis, crba, kinematics, minverse,
    parameter_count, regressor, rnea, rnea_derivatives, state_space,
};
use armdyn_testkit::peers;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Both compute in doubles; those that hold M⁻¹ lose digits by its condition number (about 1e5 for the humanoid).
const AGREEMENT: f64 = 1e-10;

type Rows = Vec<Vec<f64>>;

#[derive(Deserialize)]
struct Golden {
    pinocchio: String,
    samples: Vec<Sample>,
}

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct Sample {
    q: Vec<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
    tau: Vec<f64>,
    M: Rows,
    Minv: Rows,
    g: Vec<f64>,
    nle: Vec<f64>,
    C: Rows,
    tau_in: Vec<f64>,
    aba_qdd: Vec<f64>,
    dtau_dq: Rows,
    dtau_dqd: Rows,
    ddq_dq: Rows,
    ddq_dqd: Rows,
    last_joint_pose: Rows,
    last_joint_jacobian_LWA: Rows,
    regressor: Option<Rows>,
}

fn golden(name: &str) -> Golden {
    let text = match name {
        "ur5" => include_str!("../../crates/armdyn-testkit/data/peers/ur5.golden.json"),
        "panda" => include_str!("../../crates/armdyn-testkit/data/peers/panda.golden.json"),
        "puma560" => include_str!("../../crates/armdyn-testkit/data/peers/puma560.golden.json"),
        "talos_ff" => include_str!("../../crates/armdyn-testkit/data/peers/talos_ff.golden.json"),
        _ => panic!("no golden data of `{name}`"),
    };
    serde_json::from_str(text).expect("the golden data are valid")
}

/// The worst error of each quantity, relative to its largest value in a state.
#[derive(Default)]
struct Errors(BTreeMap<&'static str, f64>);

impl Errors {
    fn add(&mut self, what: &'static str, found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len(), "{what}");
        let scale = expected.iter().fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
        let worst = self.0.entry(what).or_default();
        for (a, b) in found.iter().zip(expected) {
            let error = (a - b).abs() / scale;
            if error > *worst || error.is_nan() {
                *worst = error;
            }
        }
    }
}

fn product(rows: &Rows, x: &[f64]) -> Vec<f64> {
    rows.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn compare(m: &Model<f64>, s: &Sample, errors: &mut Errors) -> Result<()> {
    let n = m.nv();
    let zero = vec![0.0; n];
    let (mut v, [mut a, mut b, mut c]) = (zero.clone(), [(); 3].map(|()| vec![0.0; n * n]));
    let (q, qd, qdd) = (&s.q, &s.qd, &s.qdd);

    for f in formulations::torques::<f64>().iter().filter(|f| (f.covers)(m)) {
        (f.make)(m)(m, [q, qd, qdd], &mut v)?;
        errors.add(f.name, &v, &s.tau);
    }
    let mut d = RneaData::new(m);
    rnea(m, &mut d, q, &zero, &zero, &mut v)?;
    errors.add("gravity", &v, &s.g);
    rnea(m, &mut d, q, qd, &zero, &mut v)?;
    errors.add("nonlinear effects", &v, &s.nle);
    let mut d = FormsData::new(m);
    let form = state_space(m, &mut d, q, qd)?;
    errors.add("gravity, state space", form.gravity, &s.g);
    errors.add("C q', state space", form.velocity, &product(&s.C, qd));

    crba(m, &mut CrbaData::new(m), q, &mut a)?;
    errors.add("M", &a, &s.M.concat());
    minverse(m, &mut MinverseData::new(m), q, &mut a)?;
    errors.add("inverse of M", &a, &s.Minv.concat());
    coriolis(m, &mut CoriolisData::new(m), q, qd, &mut a)?;
    let rows: Rows = a.chunks_exact(n).map(<[f64]>::to_vec).collect();
    errors.add("C q'", &product(&rows, qd), &product(&s.C, qd));
    aba(m, &mut AbaData::new(m), q, qd, &s.tau_in, &mut v)?;
    errors.add("aba", &v, &s.aba_qdd);

    let mut d = DerivativesData::new(m);
    rnea_derivatives(m, &mut d, q, qd, qdd, &mut a, &mut b)?;
    errors.add("d tau/d q", &a, &s.dtau_dq.concat());
    errors.add("d tau/d q'", &b, &s.dtau_dqd.concat());
    aba_derivatives(m, &mut d, q, qd, &s.tau_in, &mut a, &mut b, &mut c)?;
    errors.add("d q''/d q", &a, &s.ddq_dq.concat());
    errors.add("d q''/d q'", &b, &s.ddq_dqd.concat());
    errors.add("d q''/d tau", &c, &s.Minv.concat());
    errors.add("q'' of aba_derivatives", d.qdd(), &s.aba_qdd);

    let mut d = KinematicsData::new(m);
    kinematics(m, &mut d, q)?;
    let last = m.last_link();
    let pose = d.link_pose(m, last)?;
    let (r, p) = (pose.rotation.to_rows(), pose.translation.to_array());
    let rows: Vec<f64> = (0..3).flat_map(|k| [r[k][0], r[k][1], r[k][2], p[k]]).collect();
    errors.add("pose", &rows, &s.last_joint_pose[..3].concat());
    let mut columns = vec![Motion::zero(); n];
    d.jacobian(m, last, JacobianFrame::LocalWorldAligned, &mut columns)?;
    let rows: Vec<f64> = (0..6).flat_map(|k| columns.iter().map(move |c| c.components()[(k + 3) % 6])).collect();
    errors.add("Jacobian", &rows, &s.last_joint_jacobian_LWA.concat());

    if let Some(expected) = &s.regressor {
        let width = parameter_count(m);
        let mut y = vec![0.0; n * width];
        regressor(m, &mut RegressorData::new(m), q, qd, qdd, &mut y)?;
        // Ours has the drives last, and xx, xy, xz, yy, yz, zz for their xx, xy, yy, xz, yz, zz.
        const THEIRS: [usize; LINK_PARAMETERS] = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9];
        let theirs = |row: &[f64]| -> Vec<f64> {
            let links = row[..LINK_PARAMETERS * m.joints().len()].chunks_exact(LINK_PARAMETERS);
            links.flat_map(|link| THEIRS.map(|k| link[k])).collect()
        };
        let found: Vec<f64> = y.chunks_exact(width).flat_map(theirs).collect();
        errors.add("Y", &found, &expected.concat());
    }
    Ok(())
}

#[test]
fn everything_agrees_with_pinocchio() {
    let mut failures = vec![];
    let mut table: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
    for (k, name) in peers::NAMES.iter().enumerate() {
        let (m, golden) = (peers::robot(name), golden(name));
        assert_eq!(golden.pinocchio, "4.1.0");
        let mut errors = Errors::default();
        for s in &golden.samples {
            compare(&m, s, &mut errors).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        for (what, error) in errors.0 {
            table.entry(what).or_insert_with(|| vec![None; peers::NAMES.len()])[k] = Some(error);
            if error.is_nan() || error > AGREEMENT {
                failures.push(format!("{name}: {what} differs by {error:.1e}"));
            }
        }
    }
    let head: String = peers::NAMES.iter().map(|n| format!("{n:>10}")).collect();
    println!("\nPinocchio 4.1, worst relative errors\n{:<28}{head}", "");
    for (what, row) in &table {
        let cells = row.iter().map(|e| e.map_or(format!("{:>10}", "-"), |e| format!("{e:>10.0e}")));
        println!("{what:<28}{}", cells.collect::<String>());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
