//! Morris & Neea 1982: the golden torques of the arm with four joints; their equations (3.1)-(3.20), corrected, against the model;
//! and what each printed error changes, against the golden data. (`documents/morris.toml` has the equations one by one.)
//!
//! Their order is θ₁ (distal), θ₂, θ₃, ψ; the model's is ψ, θ₃, θ₂, θ₁. Tolerances: 1e-12 of the largest torque, the rounding of
//! the sums; 1e-11 for their polar form, which divides by r⁴.

use armdyn_core::*;
use armdyn_testkit::assert_close;
use armdyn_testkit::documents::{Morris, MorrisState, block, morris_neea};
use armdyn_testkit::random::{numbers, source};

fn golden() -> Morris {
    block(&["morris"])
}

/// M_z1, M_z2, M_z3, M_y4 by a formulation of the model.
fn by_model(m: &Model<f64>, s: &MorrisState, formulation: &str) -> [f64; 4] {
    let back = |v: [f64; 4]| [v[3], v[2], v[1], v[0]];
    let (q, qd, qdd) = (back(s.th), back(s.thd), back(s.thdd));
    let mut tau = [0.0; 4];
    match formulation {
        "rnea" => rnea(m, &mut RneaData::new(m), &q, &qd, &qdd, &mut tau),
        "lagrange" => lagrange_tau(m, &mut LagrangeData::new(m), &q, &qd, &qdd, &mut tau),
        _ => augmented(m, &mut AugmentedData::new(m), &q, &qd, &qdd, &mut tau),
    }
    .expect("joints that turn");
    back(tau)
}

#[test]
fn torques_through_the_model() {
    let (g, m) = (golden(), morris_neea());
    assert_eq!(g.more_states.len(), 3);
    let first = MorrisState { M: g.M.clone(), ..g.state.clone() };
    for s in core::iter::once(&first).chain(&g.more_states) {
        for formulation in ["rnea", "lagrange", "augmented"] {
            assert_close(formulation, &by_model(&m, s, formulation), &s.M, 1e-12);
        }
    }
}

/// An equation of theirs that is taken as printed.
#[derive(Clone, Copy, PartialEq)]
enum Literal {
    Nothing,
    /// (3.16)-(3.18) have no (I_t − I_a) sin β cos β ψ̇².
    Gyroscopic,
    /// (3.17), (3.18): l_n {…} cos β − {…} sin β, l_n not before the second brace.
    Bracket,
    /// (3.18) has no M_z2.
    NoMz2,
    /// (3.19) has the I_y of a link as a constant.
    ConstantIy,
    /// (3.15) has 1/r where (3.20) has 1/r⁴.
    PowerOfR,
    /// (3.15): −(F ψ̇/r² − x ψ̈) k̂.
    SignOfAz,
    /// (3.20): F/r.
    FOverR,
    /// (3.14): F = 2 (D ẏ − C ẋ).
    Dots,
}

/// A point of the arm's plane: x, y with rates and accelerations.
#[derive(Clone, Copy, Default)]
struct Point {
    x: [f64; 3],
    y: [f64; 3],
}

impl Point {
    /// This point, and `length` further along a link at the angle β: (3.2), (3.5), (3.6).
    fn along(self, length: f64, beta: [f64; 3]) -> Point {
        let ([_, bd, bdd], (s, c)) = (beta, beta[0].sin_cos());
        let dx = [length * c, -length * bd * s, -length * (bdd * s + bd * bd * c)];
        let dy = [length * s, length * bd * c, length * (bdd * c - bd * bd * s)];
        Point { x: core::array::from_fn(|k| self.x[k] + dx[k]), y: core::array::from_fn(|k| self.y[k] + dy[k]) }
    }

    /// a_x, a_y, a_z by way of (3.13), (3.14), (3.20).
    fn acceleration(self, [_, psid, psidd]: [f64; 3], literal: Literal) -> [f64; 3] {
        let ([x, xd, xdd], [y, yd, ydd]) = (self.x, self.y);
        let r2 = x * x + y * y;
        let r = r2.sqrt();
        let c = xd * x + yd * y;
        let d = yd * x - y * xd;
        let a = (xdd * x + xd * xd + ydd * y + yd * yd) * r2 - c * c;
        let b = (ydd * x - y * xdd) * r2;
        let e = a - d * d;
        let f = 2.0 * if literal == Literal::Dots { d * yd - c * xd } else { d * y - c * x };
        let power = if literal == Literal::PowerOfR { r } else { r2 * r2 };
        let over = if literal == Literal::FOverR { r } else { r2 };
        let az = f / over * psid - x * psidd;
        [
            (e * x - b * y) / power - psid * psid * x,
            (e * y + b * x) / power,
            if literal == Literal::SignOfAz { -az } else { az },
        ]
    }
}

/// Their equations (3.16)-(3.19), one of them as printed.
fn by_equations(g: &Morris, s: &MorrisState, literal: Literal) -> [f64; 4] {
    let of = |map: &std::collections::BTreeMap<String, f64>, n: usize| map[&n.to_string()];
    let p = &g.params;
    let l = |n: usize| of(&p.l, n);
    let d = |n: usize| of(&p.d, n);
    let mass = |n: usize| of(&p.q, n) * l(n);
    let motor = |n: usize| of(&p.m, n);
    let inertia = |n: usize| &g.link_inertia[&n.to_string()];
    // (3.3): β₃ = θ₃, β₂ = θ₂ + θ₃, β₁ = θ₁ + θ₂ + θ₃.
    let beta = |n: usize| [&s.th, &s.thd, &s.thdd].map(|v| v[n - 1..3].iter().sum::<f64>());
    let psi = [s.th[3], s.thd[3], s.thdd[3]];
    let shoulder = Point { x: [0.0; 3], y: [l(4), 0.0, 0.0] };
    let elbow = shoulder.along(l(3), beta(3)); // motor 2
    let wrist = elbow.along(l(2), beta(2)); // motor 1
    let at = |point: Point| point.acceleration(psi, literal);
    let [m1, m2] = [at(wrist), at(elbow)];
    let links = [at(wrist.along(d(1), beta(1))), at(elbow.along(d(2), beta(2))), at(shoulder.along(d(3), beta(3)))];
    let link = |n: usize| links[n - 1];

    // Links further out count with l_n, the link itself with d_n: Σ over (mass · length, acceleration).
    let load = |n: usize| -> Vec<(f64, [f64; 3])> {
        let mut parts = vec![(mass(n) * d(n), link(n))];
        for k in 1..n {
            parts.push((mass(k) * l(n), link(k)));
            parts.push((motor(k) * l(n), if k == 1 { m1 } else { m2 }));
        }
        parts
    };
    let sum = |n: usize, axis: usize, add: f64| load(n).iter().map(|(w, a)| w * (a[axis] + add)).sum::<f64>();
    let own = |n: usize| {
        let (i, [b, _, bdd]) = (inertia(n), beta(n));
        let (sin, cos) = b.sin_cos();
        let gyroscopic = (i.I_transverse_cg - i.I_axial) * sin * cos * psi[1] * psi[1];
        let gyroscopic = if literal == Literal::Gyroscopic { 0.0 } else { gyroscopic };
        let turning = (i.I_transverse_cg + of(&p.Izm, n)) * bdd + gyroscopic;
        let length = if literal == Literal::Bracket && n > 1 { 1.0 / l(n) } else { 1.0 };
        turning + sum(n, 1, p.g) * cos - length * sum(n, 0, 0.0) * sin
    };
    let mz1 = own(1); // (3.16)
    let mz2 = mz1 + own(2); // (3.17)
    let mz3 = if literal == Literal::NoMz2 { own(3) } else { mz2 + own(3) }; // (3.18)
    let about_y = |n: usize| {
        let (i, [b, bd, _]) = (inertia(n), beta(n));
        let (sin, cos) = b.sin_cos();
        let (t, a) = (i.I_transverse_cg, i.I_axial);
        if literal == Literal::ConstantIy {
            t * psi[2]
        } else {
            (t * cos * cos + a * sin * sin) * psi[2] - 2.0 * (t - a) * sin * cos * bd * psi[1]
        }
    };
    let motors = (1..=4).map(|n| of(&p.Itm, n)).sum::<f64>();
    let my4 = (1..=3).map(about_y).sum::<f64>() + (inertia(4).I_axial + motors) * psi[2]
        - (1..=3).map(|n| sum(n, 2, 0.0) * beta(n)[0].cos()).sum::<f64>(); // (3.19)
    [mz1, mz2, mz3, my4]
}

#[test]
fn corrected_equations_agree_with_the_model() {
    let (g, m) = (golden(), morris_neea());
    assert_close("equations", &by_equations(&g, &g.state, Literal::Nothing), &g.M, 1e-12);
    let mut rng = source(1982);
    for _ in 0..100 {
        let mut four = |range: f64| -> [f64; 4] { numbers(&mut rng, 4, range).try_into().expect("four") };
        let s = MorrisState { th: four(3.0), thd: four(2.0), thdd: four(2.0), M: vec![] };
        let expected = by_model(&m, &s, "rnea");
        assert_close("equations", &by_equations(&g, &s, Literal::Nothing), &expected, 1e-11);
    }
}

/// Each printed error changes the torques by what the golden data says, so the model does not share it.
#[test]
fn equations_as_printed_differ_from_the_model() {
    let (g, m) = (golden(), morris_neea());
    let right = by_model(&m, &g.state, "rnea");
    let printed = [
        ("no_gyro", Literal::Gyroscopic, "(3.16)-(3.18)", 0.005),
        ("bracket", Literal::Bracket, "(3.17), (3.18)", 0.3),
        ("no_Mz2", Literal::NoMz2, "(3.18)", 17.0),
        ("Iy_const", Literal::ConstantIy, "(3.19)", 0.06),
        ("r_exp_315", Literal::PowerOfR, "(3.15)", 0.4),
        ("az_sign", Literal::SignOfAz, "(3.15)", 0.8),
        ("az_r", Literal::FOverR, "(3.20)", 0.4),
        ("F_dots", Literal::Dots, "(3.14)", 1.6),
    ];
    assert_eq!(printed.len(), g.literal_errors.len() + g.literal_acceleration_errors.len());
    for (key, literal, equation, minimum) in printed {
        let expected = g.literal_errors.get(key).unwrap_or_else(|| &g.literal_acceleration_errors[key]);
        let wrong = by_equations(&g, &g.state, literal);
        let off: Vec<f64> = wrong.iter().zip(right).map(|(w, r)| w - r).collect();
        for (k, (o, e)) in off.iter().zip(expected).enumerate() {
            // Differences of torques up to 50 N m.
            assert!((o - e).abs() <= 1e-12 * 50.0, "{equation} literally, M{}: off by {o:e}, not {e:e}", k + 1);
        }
        assert!(off.iter().any(|x| x.abs() > minimum), "{equation} literally makes no difference");
    }
}
