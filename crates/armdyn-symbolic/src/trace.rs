//! Traced programs: the core's algorithms run over expressions, for any robot. Constants are folded, common subexpressions
//! computed once.

use crate::closed::Tensor;
use crate::friction::friction_torque;
use crate::graph::{Array, Expr, Graph};
use crate::parameters::{SymbolTable, with_symbols};
use crate::program::{Output, Program, Quantity};
use crate::recursion::Recursion;
use armdyn_core::{Error, Model, Real, parameters};

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
    let n = m.nv();
    let friction = m.friction().to_vec();
    // Friction is added here, in fewer operations than the core needs for lanes and intervals.
    let added = matches!(quantity, Quantity::Inverse | Quantity::Forward);
    let m = if added { m.without_friction() } else { m };
    let mut inputs: [Vec<Expr>; 3] = Default::default();
    for (values, &array) in inputs.iter_mut().zip(quantity.arrays()) {
        *values = Graph::array(array, if array == Array::Q { m.nq() } else { n });
    }
    let [q, qd, mut last] = inputs;
    let friction = |qd: &[Expr]| friction.iter().zip(qd).map(|(f, &qd)| friction_torque(f, qd)).collect::<Vec<_>>();
    if quantity == Quantity::Forward {
        last.iter_mut().zip(friction(&qd)).for_each(|(t, f)| *t -= f);
    }
    let mut recursion = Recursion::new(&m, quantity);
    let mut values = vec![Expr::zero(); recursion.outputs()];
    recursion.compute([&q, &qd, &last], &mut values)?;
    if quantity == Quantity::Inverse {
        values.iter_mut().zip(friction(&qd)).for_each(|(t, f)| *t += f);
    }
    Ok(named(&m, quantity, &values))
}

/// The results of a quantity with their names.
fn named(m: &Model<Expr>, quantity: Quantity, values: &[Expr]) -> Vec<Output> {
    let n = m.nv();
    let vector = |name: &str, values: &[Expr]| -> Vec<Output> {
        let element = |(i, &value): (usize, &Expr)| Output { name: format!("{name}{}", i + 1), value };
        values.iter().enumerate().map(element).collect()
    };
    let matrix = |name: &str, columns: usize, values: &[Expr]| -> Vec<Output> {
        let place = |k: usize| format!("{name}{}_{}", k / columns + 1, k % columns + 1);
        values.iter().enumerate().map(|(k, &value)| Output { name: place(k), value }).collect()
    };
    let matrices = |names: &[&str]| -> Vec<Output> {
        let blocks = values.chunks((n * n).max(1)).zip(names);
        blocks.flat_map(|(values, name)| matrix(name, n, values)).collect()
    };
    match quantity {
        Quantity::Inverse => vector("tau", values),
        Quantity::Gravity => vector("g", values),
        Quantity::Coriolis => vector("c", values),
        Quantity::Bias => vector("b", values),
        Quantity::Forward => vector("qdd", values),
        Quantity::Mass => matrix("M", n, values),
        Quantity::InverseMass => matrix("Minv", n, values),
        Quantity::Jacobian => matrix("J", n, values),
        Quantity::Derivatives => matrices(&["dtau_dq", "dtau_dqd"]),
        Quantity::ForwardDerivatives => matrices(&["dqdd_dq", "dqdd_dqd", "dqdd_dtau"]),
        Quantity::Kinematics => [matrix("R", 3, &values[..9]), vector("p", &values[9..])].concat(),
        Quantity::Regressor => {
            let names: Vec<String> = parameters(m).into_iter().map(|p| p.name).collect();
            let name = |k: usize| format!("Y{} {}", k / names.len() + 1, names[k % names.len()]);
            values.iter().enumerate().map(|(k, &value)| Output { name: name(k), value }).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::{CrbaData, RneaData, crba, rnea};
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
