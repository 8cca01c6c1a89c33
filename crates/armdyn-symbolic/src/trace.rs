//! Traced programs: the core's own algorithms run over expressions. Any robot; what is constant is folded, what is the same
//! is computed once.

use crate::graph::{Array, Expr, Graph};
use crate::program::{Output, Program, Quantity};
use armdyn::{
    AbaData, CrbaData, Error, JacobianFrame, KinematicsData, Model, Motion, Real, RneaData, Vec3, aba, crba,
    kinematics, rnea,
};

/// The program of a quantity, by the algorithm that the core has for it: `rnea`, `crba`, `aba`, `kinematics`.
pub fn trace(model: &Model<f64>, quantity: Quantity) -> Result<Program, Error> {
    let (graph, outputs) = Graph::record(|| outputs(model, quantity));
    Ok(Program::of(model, quantity, "traced", graph, outputs?))
}

fn inputs(array: Array, count: usize) -> Vec<Expr> {
    (0..count).map(|i| Graph::input(array, i, &format!("{}{}", array.name(), i + 1))).collect()
}

fn outputs(model: &Model<f64>, quantity: Quantity) -> Result<Vec<Output>, Error> {
    let (nq, n) = (model.nq(), model.nv());
    let m: Model<Expr> = match quantity {
        // Friction is no part of C q̇, and drives are none of g.
        Quantity::Coriolis => model.without_friction().with_gravity(Vec3::zero()).cast(),
        _ => model.cast(),
    };
    let q = inputs(Array::Q, nq);
    let zero = vec![Expr::zero(); n];
    let vector = |name: &str, values: Vec<Expr>| {
        values.into_iter().enumerate().map(|(i, value)| Output { name: format!("{name}{}", i + 1), value }).collect()
    };
    let matrix = |name: &str, columns: usize, values: Vec<Expr>| {
        let element = |(k, value): (usize, Expr)| Output {
            name: format!("{name}{}_{}", k / columns + 1, k % columns + 1),
            value,
        };
        values.into_iter().enumerate().map(element).collect()
    };
    let mut out = zero.clone();
    Ok(match quantity {
        Quantity::Inverse => {
            let (qd, qdd) = (inputs(Array::Qd, n), inputs(Array::Qdd, n));
            rnea(&m, &mut RneaData::new(&m), &q, &qd, &qdd, &mut out)?;
            vector("tau", out)
        }
        Quantity::Gravity => {
            rnea(&m, &mut RneaData::new(&m), &q, &zero, &zero, &mut out)?;
            vector("g", out)
        }
        Quantity::Coriolis => {
            rnea(&m, &mut RneaData::new(&m), &q, &inputs(Array::Qd, n), &zero, &mut out)?;
            vector("c", out)
        }
        Quantity::Forward => {
            let (qd, tau) = (inputs(Array::Qd, n), inputs(Array::Tau, n));
            aba(&m, &mut AbaData::new(&m), &q, &qd, &tau, &mut out)?;
            vector("qdd", out)
        }
        Quantity::Mass => {
            let mut mass = vec![Expr::zero(); n * n];
            crba(&m, &mut CrbaData::new(&m), &q, &mut mass)?;
            matrix("M", n, mass)
        }
        Quantity::Kinematics | Quantity::Jacobian => {
            let mut data = KinematicsData::new(&m);
            kinematics(&m, &mut data, &q)?;
            let link = m.links().len() - 1;
            if quantity == Quantity::Kinematics {
                let pose = data.link_pose(&m, link)?;
                let p = pose.translation;
                let rows = matrix("R", 3, pose.rotation.to_rows().concat());
                [rows, vector("p", vec![p.x, p.y, p.z])].concat()
            } else {
                let mut columns = vec![Motion::zero(); n];
                data.jacobian(&m, link, JacobianFrame::LocalWorldAligned, &mut columns)?;
                let row =
                    |k: usize| columns.iter().map(move |c| if k < 3 { c.linear.get(k) } else { c.angular.get(k - 3) });
                matrix("J", n, (0..6).flat_map(row).collect())
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_conformance::random::{self, Description, Drives, Joints, State};

    /// Every quantity of random robots equals the core's, at a random state.
    #[test]
    fn a_traced_program_computes_what_the_algorithm_does() {
        for seed in 0..20 {
            let m = Description::random(seed, 6, Joints::SingleAxis, true, Drives::Friction).build();
            let s = State::random(&m, &mut random::source(seed));
            let n = m.nv();
            let mut expected = vec![0.0; n];
            rnea(&m, &mut RneaData::new(&m), &s.q, &s.qd, &s.qdd, &mut expected).unwrap();
            let arrays = [(Array::Q, &s.q[..]), (Array::Qd, &s.qd), (Array::Qdd, &s.qdd), (Array::Tau, &expected)];
            let close = |found: &[f64], expected: &[f64]| {
                let scale = expected.iter().fold(1e-3, |s: f64, x| s.max(x.abs()));
                found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-10 * scale)
            };
            let program = |what| trace(&m, what).unwrap().evaluate(&arrays);
            assert!(close(&program(Quantity::Inverse), &expected));
            assert!(close(&program(Quantity::Forward), &s.qdd), "{seed}");
            let mut mass = vec![0.0; n * n];
            crba(&m, &mut CrbaData::new(&m), &s.q, &mut mass).unwrap();
            assert!(close(&program(Quantity::Mass), &mass));
        }
    }

    /// CasADi's SX takes 447 M + 351 A for a classical recursion of the Panda, folded and with its `cse`.
    #[test]
    fn folding_and_sharing_beat_a_general_tool() {
        let m = armdyn_import::library::bundled("panda").unwrap().load().description.unwrap().model().unwrap();
        let count = trace(&m, Quantity::Inverse).unwrap().count();
        assert!(count.mul < 447 && count.add < 351, "{count}");
        assert_eq!(count.trig.len(), 12, "of joints 2 to 7: {:?}", count.trig);
    }
}
