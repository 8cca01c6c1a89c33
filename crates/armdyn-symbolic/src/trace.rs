//! Traced programs: the core's algorithms run over expressions, for any robot. Constants are folded, common subexpressions
//! computed once.

use crate::closed::Tensor;
use crate::friction::friction_torque;
use crate::graph::{Array, Expr, Graph};
use crate::parameters::{SymbolTable, with_symbols};
use crate::program::{Output, Program, Quantity};
use armdyn_core::{
    AbaData, CrbaData, DerivativesData, Error, JacobianFrame, MinverseData, Model, Real, RegressorData, RneaData, Vec3,
    aba, aba_derivatives, crba, minverse, parameters, regressor, rnea, rnea_derivatives,
};

/// The program of a quantity, traced from the core's algorithm: `rnea`, `crba`, `aba`, `kinematics`, `rnea_derivatives`,
/// `regressor`, `minverse`, `aba_derivatives`.
pub fn trace(model: &Model<f64>, quantity: Quantity) -> Result<Program, Error> {
    let (graph, outputs) = Graph::record(|| outputs(model.cast(), quantity));
    Ok(Program::of(model, quantity, "traced", graph, outputs?).with_references(model))
}

/// Like [`trace`], with link parameters, drive inertias and gravity as inputs, named as in the [closed forms](crate::closed): m,
/// x, y, z, I, l, J, g. Zeros stay zero; rotations and friction stay numbers.
pub fn trace_symbolic(model: &Model<f64>, quantity: Quantity) -> Result<Program, Error> {
    let symbolic = || {
        let symbols = SymbolTable::new(true, Tensor::Origin);
        let m = with_symbols(model, &model.cast(), &symbols);
        symbols.with_drives(model, m)
    };
    let (graph, outputs) = Graph::record(|| outputs(symbolic(), quantity));
    Ok(Program::of(model, quantity, "traced", graph, outputs?).with_references(model))
}

fn outputs(m: Model<Expr>, quantity: Quantity) -> Result<Vec<Output>, Error> {
    let (nq, n) = (m.nq(), m.nv());
    let friction = m.friction().to_vec();
    let with_friction = m;
    let m = with_friction.without_friction();
    let m = if quantity == Quantity::Coriolis { m.with_gravity(Vec3::zero()) } else { m };
    // Friction is added here, in fewer operations than the core needs for lanes and intervals.
    let friction = |qd: &[Expr]| friction.iter().zip(qd).map(|(f, &qd)| friction_torque(f, qd)).collect::<Vec<_>>();
    let q = Graph::array(Array::Q, nq);
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
            let (qd, qdd) = (Graph::array(Array::Qd, n), Graph::array(Array::Qdd, n));
            rnea(&m, &mut RneaData::new(&m), &q, &qd, &qdd, &mut out)?;
            out.iter_mut().zip(friction(&qd)).for_each(|(t, f)| *t += f);
            vector("tau", out)
        }
        Quantity::Gravity => {
            rnea(&m, &mut RneaData::new(&m), &q, &zero, &zero, &mut out)?;
            vector("g", out)
        }
        Quantity::Coriolis | Quantity::Bias => {
            rnea(&m, &mut RneaData::new(&m), &q, &Graph::array(Array::Qd, n), &zero, &mut out)?;
            vector(if quantity == Quantity::Bias { "b" } else { "c" }, out)
        }
        Quantity::Derivatives => {
            let (qd, qdd) = (Graph::array(Array::Qd, n), Graph::array(Array::Qdd, n));
            let mut by_q = vec![Expr::zero(); n * n];
            let mut by_qd = by_q.clone();
            let data = &mut DerivativesData::new(&with_friction);
            rnea_derivatives(&with_friction, data, &q, &qd, &qdd, &mut by_q, &mut by_qd)?;
            [matrix("dtau_dq", n, by_q), matrix("dtau_dqd", n, by_qd)].concat()
        }
        Quantity::ForwardDerivatives => {
            let (qd, tau) = (Graph::array(Array::Qd, n), Graph::array(Array::Tau, n));
            let [mut by_q, mut by_qd, mut by_tau] = [(); 3].map(|()| vec![Expr::zero(); n * n]);
            let data = &mut DerivativesData::new(&with_friction);
            aba_derivatives(&with_friction, data, &q, &qd, &tau, &mut by_q, &mut by_qd, &mut by_tau)?;
            [matrix("dqdd_dq", n, by_q), matrix("dqdd_dqd", n, by_qd), matrix("dqdd_dtau", n, by_tau)].concat()
        }
        Quantity::InverseMass => {
            let mut inverse = vec![Expr::zero(); n * n];
            minverse(&m, &mut MinverseData::new(&m), &q, &mut inverse)?;
            matrix("Minv", n, inverse)
        }
        Quantity::Regressor => {
            let (qd, qdd) = (Graph::array(Array::Qd, n), Graph::array(Array::Qdd, n));
            let names: Vec<String> = parameters(&with_friction).into_iter().map(|p| p.name).collect();
            let mut rows = vec![Expr::zero(); n * names.len()];
            regressor(&with_friction, &mut RegressorData::new(&with_friction), &q, &qd, &qdd, &mut rows)?;
            let name = |k: usize| format!("Y{} {}", k / names.len() + 1, names[k % names.len()]);
            rows.into_iter().enumerate().map(|(k, value)| Output { name: name(k), value }).collect()
        }
        Quantity::Forward => {
            let (qd, mut tau) = (Graph::array(Array::Qd, n), Graph::array(Array::Tau, n));
            tau.iter_mut().zip(friction(&qd)).for_each(|(t, f)| *t -= f);
            aba(&m, &mut AbaData::new(&m), &q, &qd, &tau, &mut out)?;
            vector("qdd", out)
        }
        Quantity::Mass => {
            let mut mass = vec![Expr::zero(); n * n];
            crba(&m, &mut CrbaData::new(&m), &q, &mut mass)?;
            matrix("M", n, mass)
        }
        Quantity::Kinematics => {
            let mut values = last_link(&m, &q, quantity)?;
            let position = values.split_off(9);
            [matrix("R", 3, values), vector("p", position)].concat()
        }
        Quantity::Jacobian => matrix("J", n, last_link(&m, &q, quantity)?),
    })
}

/// The last link's pose or Jacobian, as the program of the quantity returns it.
pub(crate) fn last_link<T: Real>(m: &Model<T>, q: &[T], quantity: Quantity) -> Result<Vec<T>, Error> {
    if quantity == Quantity::Kinematics {
        let pose = m.link_pose(q, m.last_link())?;
        return Ok([pose.rotation.to_rows().concat(), pose.translation.to_array().to_vec()].concat());
    }
    Ok(m.jacobian(q, m.last_link(), JacobianFrame::LocalWorldAligned)?.into_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_testkit::random::{self, Description, Drives, Joints, State};

    /// Every quantity of random robots equals the core's result at a random state.
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

    /// Parameter values of a robot give that robot's torques.
    #[test]
    fn symbolic_parameters_give_the_torques_of_their_robot() {
        for seed in 0..6 {
            let m = Description::random(seed, 5, Joints::All, true, Drives::Friction).build();
            let s = State::random(&m, &mut random::source(seed));
            for quantity in [Quantity::Inverse, Quantity::Mass, Quantity::Kinematics] {
                let [plain, symbolic] = [trace, trace_symbolic].map(|f| f(&m, quantity).unwrap());
                let p = symbolic.parameters();
                let arrays = [(Array::Q, &s.q[..]), (Array::Qd, &s.qd), (Array::Qdd, &s.qdd), (Array::Parameter, &p)];
                let (found, expected) = (symbolic.evaluate(&arrays), plain.evaluate(&arrays));
                let scale = expected.iter().fold(1e-3, |s: f64, x| s.max(x.abs()));
                // Centres of mass are divided by the mass and multiplied again: a few hundred roundings.
                assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-11 * scale), "{seed} {quantity}");
            }
            let symbolic = trace_symbolic(&m, Quantity::Gravity).unwrap();
            let g = symbolic.graph.inputs().iter().filter(|i| i.array == Array::Parameter && i.name.starts_with('g'));
            let mut p = symbolic.parameters();
            g.for_each(|i| p[i.index] *= 2.0);
            let heavy = m.with_gravity(m.gravity() * 2.0);
            let expected = trace(&heavy, Quantity::Gravity).unwrap().evaluate(&[(Array::Q, &s.q)]);
            let found = symbolic.evaluate(&[(Array::Q, &s.q), (Array::Parameter, &p)]);
            let scale = expected.iter().fold(1e-3, |s: f64, x| s.max(x.abs()));
            assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-11 * scale), "{seed}");
        }
    }

    /// CasADi's SX needs 447 M + 351 A for a classical recursion of the Panda, folded and with its `cse`.
    #[test]
    fn a_traced_program_is_shorter_than_casadis() {
        let m = armdyn_testkit::bundled("panda");
        let count = trace(&m, Quantity::Inverse).unwrap().count();
        assert!(count.mul < 447 && count.add < 351, "{count}");
        assert_eq!(count.trig.len(), 12, "of joints 2 to 7: {:?}", count.trig);
    }
}
