//! A moving base and wrenches from outside, in every formulation that takes them.

use armdyn_core::{
    AbaData, AugmentedData, Boundary, DerivativesData, Dual, Force, LinkId, Model, Motion, Real, RegressorData,
    RneaData, Vec3, aba, aba_derivatives, augmented, explain, parameter_count, parameters, regressor, rnea,
    rnea_derivatives,
};
use armdyn_testkit::random::{self, Description, Drives, Joints, State};
use rand::rngs::StdRng;

/// Doubles, some thousands of operations.
const ROUNDING: f64 = 1e-11;

/// The motion of a base, and a wrench for each link.
struct Outside {
    velocity: Motion<f64>,
    acceleration: Motion<f64>,
    wrenches: Vec<(LinkId, Force<f64>)>,
}

impl Outside {
    fn random(m: &Model<f64>, rng: &mut StdRng) -> Self {
        let mut vector = |range| Vec3::from_fn(|_| random::number(rng, range));
        Outside {
            velocity: Motion::new(vector(2.0), vector(2.0)),
            acceleration: Motion::new(vector(3.0), vector(3.0)),
            wrenches: m.link_ids().map(|l| (l, Force::new(vector(2.0), vector(5.0)))).collect(),
        }
    }

    fn apply<T: Real>(&self, m: &Model<T>, boundary: &mut Boundary<T>, wrenches: bool) {
        boundary.base_velocity = self.velocity.map(T::lift);
        boundary.base_acceleration = self.acceleration.map(T::lift);
        for (link, wrench) in self.wrenches.iter().filter(|_| wrenches) {
            boundary.add_external_wrench(m, *link, wrench.map(T::lift)).unwrap();
        }
    }
}

fn scale(x: &[f64]) -> f64 {
    x.iter().fold(1e-300_f64, |s, x| s.max(x.abs()))
}

#[track_caller]
fn agree(what: &str, found: &[f64], expected: &[f64], size: f64, tolerance: f64) {
    let worst = found.iter().zip(expected).fold(0.0_f64, |w, (a, b)| w.max((a - b).abs()));
    assert!(found.len() == expected.len() && worst <= tolerance * size, "{what}: {worst:.1e} of {size:.1e}");
}

/// Trees of every kind, with every kind of drive; a state, and what is around it.
fn cases(joints: Joints, drives: Drives) -> impl Iterator<Item = (Model<f64>, State, Outside)> {
    (0..12).map(move |seed| {
        let m = Description::random(seed, 5, joints, true, drives).build();
        let mut rng = random::source(seed + 900);
        let state = State::random(&m, &mut rng);
        let outside = Outside::random(&m, &mut rng);
        (m, state, outside)
    })
}

fn torques<T: Real>(m: &Model<T>, outside: &Outside, wrenches: bool, [q, qd, qdd]: [&[T]; 3]) -> Vec<T> {
    let mut d = RneaData::new(m);
    outside.apply(m, &mut d.boundary, wrenches);
    let mut tau = vec![T::zero(); m.nv()];
    rnea(m, &mut d, q, qd, qdd, &mut tau).unwrap();
    tau
}

#[test]
fn forward_dynamics_inverts_and_shares_add_up() {
    for drives in [Drives::Ideal, Drives::Friction, Drives::Coupled, Drives::Spinning] {
        for (m, s, outside) in cases(Joints::All, drives) {
            let tau = torques(&m, &outside, true, [&s.q, &s.qd, &s.qdd]);
            let mut d = AbaData::new(&m);
            outside.apply(&m, &mut d.boundary, true);
            let mut qdd = vec![0.0; m.nv()];
            aba(&m, &mut d, &s.q, &s.qd, &tau, &mut qdd).unwrap();
            // M's condition enters.
            agree("qdd", &qdd, &s.qdd, scale(&s.qdd), 1e-8);

            let explained = explain(&m, &d.boundary, &s.q, &s.qd, &s.qdd).unwrap();
            let sums: Vec<f64> = explained.iter().map(|e| e.contributions.iter().map(|s| s.torque).sum()).collect();
            agree("shares", &sums, &tau, scale(&tau), 1e-12);
        }
    }
}

#[test]
fn augmented_bodies_and_the_regressor_agree_with_the_recursion() {
    for (m, s, outside) in cases(Joints::Mixed, Drives::Friction) {
        let tau = torques(&m, &outside, true, [&s.q, &s.qd, &s.qdd]);
        let mut d = AugmentedData::new(&m);
        outside.apply(&m, &mut d.boundary, true);
        let mut found = vec![0.0; m.nv()];
        augmented(&m, &mut d, &s.q, &s.qd, &s.qdd, &mut found).unwrap();
        agree("augmented", &found, &tau, scale(&tau), ROUNDING);
    }
    for (m, s, outside) in cases(Joints::All, Drives::Spinning) {
        // Wrenches from outside are no parameters.
        let tau = torques(&m, &outside, false, [&s.q, &s.qd, &s.qdd]);
        let mut d = RegressorData::new(&m);
        outside.apply(&m, d.boundary(), false);
        let width = parameter_count(&m);
        let mut y = vec![0.0; m.nv() * width];
        regressor(&m, &mut d, &s.q, &s.qd, &s.qdd, &mut y).unwrap();
        let pi: Vec<f64> = parameters(&m).iter().map(|p| p.value).collect();
        let found: Vec<f64> = y.chunks_exact(width).map(|row| row.iter().zip(&pi).map(|(y, p)| y * p).sum()).collect();
        agree("regressor", &found, &tau, scale(&tau), ROUNDING);
    }
}

#[test]
fn analytic_derivatives_are_those_of_dual_numbers() {
    for drives in [Drives::Friction, Drives::Spinning] {
        for (m, s, outside) in cases(Joints::All, drives) {
            let n = m.nv();
            let (mut dq, mut dqd, mut inverse) = (vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * n]);
            let mut d = DerivativesData::new(&m);
            outside.apply(&m, &mut d.boundary, true);
            rnea_derivatives(&m, &mut d, &s.q, &s.qd, &s.qdd, &mut dq, &mut dqd).unwrap();

            let lifted: Model<Dual<f64, 1>> = m.cast();
            let constant = |v: &[f64]| v.iter().map(|&x| Dual::constant(x)).collect::<Vec<_>>();
            let (q, qd, qdd) = (constant(&s.q), constant(&s.qd), constant(&s.qdd));
            let column = |k: usize, by_q: bool| {
                let (mut q_k, mut qd_k) = (q.clone(), qd.clone());
                if by_q {
                    let mut step = constant(&vec![0.0; n]);
                    step[k].grad[0] = 1.0;
                    lifted.integrate(&q, &step, &mut q_k).unwrap();
                } else {
                    qd_k[k].grad[0] = 1.0;
                }
                torques(&lifted, &outside, true, [&q_k, &qd_k, &qdd]).iter().map(|t| t.grad[0]).collect::<Vec<_>>()
            };
            for k in 0..n {
                let analytic = |matrix: &[f64]| (0..n).map(|i| matrix[i * n + k]).collect::<Vec<_>>();
                agree("dtau/dq", &analytic(&dq), &column(k, true), scale(&dq), 1e-10);
                agree("dtau/dqd", &analytic(&dqd), &column(k, false), scale(&dqd), 1e-10);
            }

            // ∂q̈ = −M⁻¹ ∂τ: the boundary conditions must enter q̈ as well.
            let tau = torques(&m, &outside, true, [&s.q, &s.qd, &s.qdd]);
            let (mut aq, mut aqd) = (dq.clone(), dqd.clone());
            aba_derivatives(&m, &mut d, &s.q, &s.qd, &tau, &mut aq, &mut aqd, &mut inverse).unwrap();
            agree("qdd", d.qdd(), &s.qdd, scale(&s.qdd), 1e-8);
            for i in 0..n {
                let expected: Vec<f64> =
                    (0..n).map(|j| -(0..n).map(|k| inverse[i * n + k] * dq[k * n + j]).sum::<f64>()).collect();
                agree("dqdd/dq", &aq[i * n..(i + 1) * n], &expected, scale(&aq), 1e-8);
            }
        }
    }
}
