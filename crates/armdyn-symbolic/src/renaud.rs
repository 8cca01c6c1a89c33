//! Renaud's procedure, step by step.
//!
//! M. Renaud, a quasi-minimal dynamic model (1987): augmented bodies in modified Denavit–Hartenberg frames, eqs. (1) … (10)
//! of [`augmented`](armdyn_core::augmented()), customised: zeros and parameters cost nothing, and values that no torque needs
//! are omitted. His table counts each step separately: a product that two steps share is counted in both.
//!
//! Deviations: other directions of gravity than along the first axis are allowed; prismatic joints are not (their augmented
//! bodies change with q). Drives are not part of it.

use crate::graph::{Array, Expr, Graph, Node, Stage};
use crate::minimal::geometry::Arm;
use crate::minimal::vector::*;
use crate::program::{Output, Program, Quantity};
use armdyn_core::{Error, Model, Real};

/// The operation count of a step of the procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number in the paper: `1` velocities, `2` their products, `3` angular accelerations, `4` the matrices b, `6`
    /// accelerations, `7` forces, `9` moments.
    pub number: usize,
    /// Multiplications.
    pub mul: usize,
    /// Additions.
    pub add: usize,
}

/// Inputs and outputs of a step, link by link.
#[derive(Default)]
struct Record(Vec<(Vec<Expr>, Vec<Expr>)>);

impl Record {
    fn add(&mut self, from: &[V], to: &[V]) {
        self.0.push((from.concat(), to.concat()));
    }
}

/// The inverse dynamics program, and the operation counts of its steps. The program shares common subexpressions of steps.
pub fn renaud(model: &Model<f64>) -> Result<(Program, Vec<Step>), Error> {
    let covers = "Renaud's procedure covers serial arms of revolute joints";
    let unsupported = || Error::Unsupported { formulation: covers, joint: model.name().to_string() };
    let arm = Arm::of(&model.without_drives()).ok_or_else(unsupported)?;
    if arm.places.iter().any(|p| p.slides.is_some()) {
        return Err(unsupported());
    }
    let (graph, (tau, records)) = Graph::record(|| procedure(&arm));
    let needed = graph.needed(&tau);
    let steps = records.iter().map(|(number, r)| step(&graph, *number, r, &needed)).collect();
    let outputs =
        tau.into_iter().enumerate().map(|(i, value)| Output { name: format!("tau{}", i + 1), value }).collect();
    let ideal = model.without_drives();
    Ok((Program::of(&ideal, Quantity::Inverse, "renaud", graph, outputs).with_references(&ideal), steps))
}

/// The operations of a step: from its needed outputs back to its inputs.
fn step(graph: &Graph, number: usize, record: &Record, needed: &[bool]) -> Step {
    let mut counted = vec![false; graph.nodes().len()];
    for (from, to) in &record.0 {
        let inside = |e: &Expr| !from.iter().any(|f| f.node() == e.node());
        let mut reached = vec![false; graph.nodes().len()];
        to.iter().filter(|e| needed[e.node()] && inside(e)).for_each(|e| reached[e.node()] = true);
        for (k, node) in graph.nodes().iter().enumerate().rev() {
            let operation = matches!(node, Node::Sum(..) | Node::Product(..)) && graph.stage(k) == Stage::Call;
            if reached[k] && operation {
                counted[k] = true;
                node.operands().filter(inside).for_each(|e| reached[e.node()] = true);
            }
        }
    }
    let mut step = Step { number, mul: 0, add: 0 };
    for (node, _) in graph.nodes().iter().zip(counted).filter(|(_, counted)| *counted) {
        match node {
            Node::Sum(..) => step.add += 1,
            _ => step.mul += 1,
        }
    }
    step
}

fn procedure(arm: &Arm) -> (Vec<Expr>, Vec<(usize, Record)>) {
    let n = arm.len();
    let layout = arm.layout(|_| 0, None);
    let p: Vec<V> = layout.p.iter().map(|p| p.to_array().map(Expr::lift)).collect();
    // (0) Augmented bodies: first moments u* and tensors k* about the origins, as parameters.
    let mut outboard_mass = 0.0;
    let mut bodies = vec![];
    for j in (0..n).rev() {
        let [k11, k12, k13, k22, k23, k33, sx, sy, sz, m] = layout.moments[j];
        let next = layout.p.get(j + 1).copied().unwrap_or(armdyn_core::Vec3::zero());
        let square = next.norm_squared();
        let shift = |a: f64, b: f64| outboard_mass * a * b;
        let tensor = [
            k22 + k33 + outboard_mass * square - shift(next.x, next.x),
            -k12 - shift(next.x, next.y),
            -k13 - shift(next.x, next.z),
            k11 + k33 + outboard_mass * square - shift(next.y, next.y),
            -k23 - shift(next.y, next.z),
            k11 + k22 + outboard_mass * square - shift(next.z, next.z),
        ];
        let size = tensor.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
        let first = [sx + outboard_mass * next.x, sy + outboard_mass * next.y, sz + outboard_mass * next.z];
        let tidy = |x: f64, size: f64| Expr::lift(if x.abs() < 1e-13 * size { 0.0 } else { x });
        bodies.push((first.map(|x| tidy(x, 1.0)), tensor.map(|x| tidy(x, size))));
        outboard_mass += m;
    }
    bodies.reverse();
    let [q, qd, qdd] = [Array::Q, Array::Qd, Array::Qdd].map(|array| Graph::array(array, n));
    let alpha: Vec<CosSin> = arm.units[1..].iter().map(|u| (Expr::lift(u.alpha.0), Expr::lift(u.alpha.1))).collect();
    let trig: Vec<CosSin> = arm.units[1..]
        .iter()
        .zip(&q)
        .map(|(u, &q)| {
            let (s, c) = (Expr::lift(u.sign) * q + Expr::lift(u.offset)).sin_cos();
            (c, s)
        })
        .collect();
    let sign: Vec<Expr> = arm.units[1..].iter().map(|u| Expr::lift(u.sign)).collect();
    let inward = |j: usize, v: V| into(twist(v, alpha[j]), trig[j]);
    let outward = |j: usize, v: V| untwist(out(v, trig[j]), alpha[j]);
    let zeros = || [Expr::zero(); 3];
    let [mut one, mut two, mut three, mut four, mut six, mut seven, mut nine]: [Record; 7] = Default::default();

    let (mut w, mut a, mut b, mut acceleration) = (zeros(), zeros(), [zeros(); 3], arm.lift.to_array().map(Expr::lift));
    let mut links = vec![];
    for j in 0..n {
        let (rate, rate_dot) = (sign[j] * qd[j], sign[j] * qdd[j]);
        let start = [rate, rate_dot, Expr::zero()];
        // (1)
        let rotated = inward(j, w);
        let next_w = add(rotated, [Expr::zero(), Expr::zero(), rate]);
        one.add(&[w, start], &[rotated, next_w]);
        // (2)
        let products = |v: V| [[v[0] * v[0], v[1] * v[1], v[2] * v[2]], [v[1] * v[2], v[0] * v[2], v[0] * v[1]]];
        let [squares, mixed] = products(next_w);
        two.add(&[next_w], &[squares, mixed]);
        // (3)
        let next_a = add(inward(j, a), [rate * rotated[1], -(rate * rotated[0]), rate_dot]);
        three.add(&[a, rotated, start], &[next_a]);
        // (4)
        let ([xx, yy, zz], [yz, xz, xy], [ax, ay, az]) = (squares, mixed, next_a);
        let next_b = [[-(yy + zz), xy - az, xz + ay], [xy + az, -(xx + zz), yz - ax], [xz - ay, yz + ax, -(xx + yy)]];
        four.add(&[squares, mixed, next_a], &next_b);
        // (6)
        let next_acceleration = inward(j, add(acceleration, apply(&b, p[j])));
        six.add(&[&b[..], &[acceleration]].concat(), &[next_acceleration]);
        (w, a, b, acceleration) = (next_w, next_a, next_b, next_acceleration);
        links.push((squares, mixed, a, b, acceleration));
    }
    let (mut e, mut moment) = (zeros(), zeros());
    let mut tau = vec![Expr::zero(); n];
    for j in (0..n).rev() {
        let (squares, mixed, a, b, acceleration) = links[j];
        let (u, [kxx, kxy, kxz, kyy, kyz, kzz]) = bodies[j];
        let ([xx, yy, zz], [yz, xz, xy]) = (squares, mixed);
        // (7), with the force of the child in these axes.
        let from = e;
        let child = if j + 1 < n { outward(j + 1, e) } else { zeros() };
        e = add(child, apply(&b, u));
        seven.add(&[&b[..], &[from]].concat(), &[child, e]);
        // (9)
        let own = [
            kxx * a[0] + kxy * a[1] + kxz * a[2] + (kzz - kyy) * yz + kyz * (yy - zz) + kxz * xy - kxy * xz,
            kxy * a[0] + kyy * a[1] + kyz * a[2] + (kxx - kzz) * xz + kxz * (zz - xx) + kxy * yz - kyz * xy,
            kxz * a[0] + kyz * a[1] + kzz * a[2] + (kyy - kxx) * xy + kxy * (xx - yy) + kyz * xz - kxz * yz,
        ];
        let before = moment;
        let behind = if j + 1 < n { add(outward(j + 1, moment), cross(p[j + 1], child)) } else { zeros() };
        moment = add(add(own, cross(u, acceleration)), behind);
        // A length times a first moment is one constant: α then enters through the parent's b.
        let parent = links[j.saturating_sub(1)].3;
        nine.add(&[&[squares, mixed, a, acceleration, before, child][..], &parent].concat(), &[moment]);
        // (10)
        tau[j] = sign[j] * moment[2];
    }
    (tau, vec![(1, one), (2, two), (3, three), (4, four), (6, six), (7, seven), (9, nine)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::{RneaData, rnea};
    use armdyn_testkit::random::{self, State};

    #[test]
    fn the_counts_of_each_step_are_renauds() {
        let m = armdyn_testkit::bundled("renaud-6r");
        let (program, steps) = renaud(&m).unwrap();
        let table = [(1, 18, 12), (2, 25, 0), (3, 28, 22), (4, 0, 15), (6, 22, 12), (7, 26, 16), (9, 62, 50)];
        assert_eq!(steps, table.map(|(number, mul, add)| Step { number, mul, add }));
        let sum = |f: fn(&Step) -> usize| steps.iter().map(f).sum::<usize>();
        assert_eq!((sum(|s| s.mul), sum(|s| s.add)), (181, 127));
        // Steps 2 and 3 share two products.
        assert_eq!((program.count().mul, program.count().add), (179, 127));
    }

    #[test]
    fn the_program_computes_the_torques() {
        for m in (0..5).map(|seed| random::arm(seed, "RRRRR")) {
            let (program, _) = renaud(&m).unwrap();
            let s = State::random(&m, &mut random::source(1));
            let mut expected = vec![0.0; m.nv()];
            rnea(&m, &mut RneaData::new(&m), &s.q, &s.qd, &s.qdd, &mut expected).unwrap();
            let found = program.evaluate(&[(Array::Q, &s.q), (Array::Qd, &s.qd), (Array::Qdd, &s.qdd)]);
            let size = expected.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
            assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-11 * size), "{found:?} {expected:?}");
        }
        assert!(renaud(&random::arm(1, "RP")).is_err());
    }
}
