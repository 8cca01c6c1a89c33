//! Lin's two arms, Lau's example, Morris and Neea's torques.

use armdyn_core::Real;
use armdyn_symbolic::closed::{Generator, Poly, Tensor};
use armdyn_symbolic::typeset::unicode_expression;
use armdyn_symbolic::{ClosedOptions, Equations, closed_form};

pub fn equations(robot: &str, tensor: Tensor) -> Equations {
    let model = armdyn_testkit::bundled(robot);
    closed_form(&model, &ClosedOptions { tensor, ..ClosedOptions::default() }).unwrap()
}

fn sine(i: usize) -> Poly {
    Poly::generator(Generator::Sin(i))
}

fn cosine(i: usize) -> Poly {
    Poly::generator(Generator::Cos(i))
}

fn n(x: f64) -> Poly {
    Poly::lift(x)
}

/// Named pairs of derived and expected polynomials.
type Pairs = Vec<(&'static str, Poly, Poly)>;

fn assert_equal(e: &Equations, pairs: impl FnOnce() -> Pairs) {
    let (ring, pairs) = e.ring.clone().record(pairs);
    for (what, found, expected) in pairs {
        assert!(ring.equal(found, expected), "{what}: {:?}", ring.expanded_terms(found));
    }
}

/// C q̇ of joint i, the velocities as symbols.
fn velocity_torque(e: &Equations, i: usize) -> Poly {
    let qd = |k: usize| Poly::symbol(&format!("qd{}", k + 1));
    let mut sum = Poly::zero();
    for j in 0..e.size() {
        for k in 0..e.size() {
            sum += e.velocity(i, j, k).poly * qd(j) * qd(k);
        }
    }
    sum
}

/// Slides 26 and 27. Point masses: the tensors about the centres of mass are zero.
#[test]
fn lin_rr() {
    let e = equations("lin-rr", Tensor::Centre);
    assert_equal(&e, || {
        let [m1, m2, l1, l2, g] = ["m1", "m2", "lx2", "x2", "g"].map(Poly::symbol);
        // The first mass is at the elbow: x1 is l1.
        let elbow = |p: Poly| p.with_symbols(|name| (name == "x1").then_some(l1));
        let [w1, w2] = ["qd1", "qd2"].map(Poly::symbol);
        let (s2, c2) = (sine(1), cosine(1));
        let c12 = cosine(0) * cosine(1) - sine(0) * sine(1);
        let mut pairs = vec![
            ("M11", elbow(e.inertia(0, 0).poly), l2.sqr() * m2 + n(2.0) * l1 * l2 * m2 * c2 + l1.sqr() * (m1 + m2)),
            ("M12", elbow(e.inertia(0, 1).poly), l2.sqr() * m2 + l1 * l2 * m2 * c2),
            ("M22", elbow(e.inertia(1, 1).poly), l2.sqr() * m2),
            ("V1", elbow(velocity_torque(&e, 0)), -m2 * l1 * l2 * s2 * w2.sqr() - n(2.0) * m2 * l1 * l2 * s2 * w1 * w2),
            ("V2", elbow(velocity_torque(&e, 1)), m2 * l1 * l2 * s2 * w1.sqr()),
        ];
        pairs.push(("G1", elbow(e.gravity(0).poly), m2 * l2 * g * c12 + (m1 + m2) * l1 * g * cosine(0)));
        pairs.push(("G2", elbow(e.gravity(1).poly), m2 * l2 * g * c12));
        pairs
    });
}

/// Sums of angles as in Lin's notation.
#[test]
fn lin_rr_in_printed_form() {
    let e = equations("lin-rr", Tensor::Centre);
    let written = |c: &armdyn_symbolic::closed::Coefficient| unicode_expression(&e, &[(c.written.clone(), vec![])]);
    assert_eq!(written(e.gravity(1)), "g m₂ x₂ c₁₂");
    assert_eq!(written(e.inertia(0, 1)), "m₂ x₂ (x₂ + lx₂ c₂)");
    assert_eq!(written(e.velocity(0, 0, 1)), "−m₂ x₂ lx₂ s₂");
}

/// Slides 33 to 35.
#[test]
fn lin_rp() {
    let e = equations("lin-rp", Tensor::Centre);
    assert_equal(&e, || {
        let [m1, m2, l1, i1, i2, g] = ["m1", "m2", "x1", "Izz1", "Izz2", "g"].map(Poly::symbol);
        let [w1, w2] = ["qd1", "qd2"].map(Poly::symbol);
        let d2 = Poly::generator(Generator::Length(1));
        vec![
            ("M11", e.inertia(0, 0).poly, m1 * l1.sqr() + i1 + i2 + m2 * d2.sqr()),
            ("M12", e.inertia(0, 1).poly, Poly::zero()),
            ("M22", e.inertia(1, 1).poly, m2),
            ("V1", velocity_torque(&e, 0), n(2.0) * m2 * d2 * w1 * w2),
            ("V2", velocity_torque(&e, 1), -m2 * d2 * w1.sqr()),
            ("G1", e.gravity(0).poly, (m1 * l1 + m2 * d2) * g * cosine(0)),
            ("G2", e.gravity(1).poly, m2 * g * sine(0)),
        ]
    });
}

/// Figures 4 and 5, corrected: the centre of the rod is at ρ = d − L/2 behind the pivot; in this robot the prismatic coordinate
/// is −d and the centre at x3 = L/2: ρ = −(q3 + x3); its moment of inertia is M L²/12; I1zz is that of the disc.
#[test]
fn lau_figure_4() {
    let e = equations("lau-fig4", Tensor::Centre);
    assert_equal(&e, || {
        let [i1, m3, d1, x3, rod, g] = ["Izz1", "m3", "ly2", "x3", "Izz3", "g"].map(Poly::symbol);
        let rho = -(Poly::generator(Generator::Length(2)) + x3);
        let (s2, c2) = (sine(1), cosine(1));
        // A thin rod has the same moment about y and z.
        let thin = |p: Poly| p.with_symbols(|name| (name == "Iyy3").then_some(rod));
        // The third row and column change sign with the coordinate.
        vec![
            ("H11", thin(e.inertia(0, 0).poly), i1 + m3 * d1.sqr() + (m3 * rho.sqr() + rod) * c2.sqr()),
            ("H12", thin(e.inertia(0, 1).poly), -m3 * d1 * rho * s2),
            ("H13", thin(e.inertia(0, 2).poly), -m3 * d1 * c2),
            ("H22", thin(e.inertia(1, 1).poly), m3 * rho.sqr() + rod),
            ("H23", thin(e.inertia(1, 2).poly), Poly::zero()),
            ("H33", thin(e.inertia(2, 2).poly), m3),
            ("G1", e.gravity(0).poly, Poly::zero()),
            ("G2", e.gravity(1).poly, m3 * g * rho * c2),
            ("G3", e.gravity(2).poly, -m3 * g * s2),
        ]
    });
}

/// One of Morris and Neea's links, in their symbols, and its motion: n is 1 at the tip, 3 at the column.
#[derive(Clone, Copy)]
struct Link {
    /// q l, the link's mass without its motor.
    mass: Poly,
    /// d and l.
    centre: Poly,
    length: Poly,
    motor: Poly,
    axial: Poly,
    transverse: Poly,
    /// The motor's moments of inertia, about its axis and normal to it.
    about: Poly,
    across: Poly,
    /// sin β, cos β, β̇, β̈.
    beta: [Poly; 4],
}

/// Position, velocity and acceleration of a point in the arm's plane, along x and y.
#[derive(Clone, Copy)]
struct Along {
    x: [Poly; 3],
    y: [Poly; 3],
}

impl Link {
    fn new(number: usize, beta: [Poly; 4]) -> Self {
        let of = |name: &str| Poly::symbol(&format!("{name}{number}"));
        Link {
            mass: of("w"),
            centre: of("d"),
            length: of("len"),
            motor: of("mm"),
            axial: of("Ia"),
            transverse: of("It"),
            about: of("Izm"),
            across: of("Itm"),
            beta,
        }
    }

    /// A point at `r` from the link's joint, which is at `from`.
    fn point(&self, from: Along, r: Poly) -> Along {
        let [s, c, w, a] = self.beta;
        Along {
            x: [from.x[0] + r * c, from.x[1] - r * s * w, from.x[2] - r * (s * a + c * w.sqr())],
            y: [from.y[0] + r * s, from.y[1] + r * c * w, from.y[2] + r * (c * a - s * w.sqr())],
        }
    }
}

/// (3.16) to (3.19), corrected, for the accelerations a_x = ẍ − x ψ̇², a_y = ÿ, a_z = −2 ẋ ψ̇ − x ψ̈.
fn morris_torques() -> [Poly; 4] {
    let [psi1, psi2] = ["qd1", "qdd1"].map(Poly::symbol);
    let g = Poly::symbol("g");
    // β3 = θ3, β2 = θ3 + θ2, β1 = θ3 + θ2 + θ1, where θ3, θ2, θ1 are joints 2, 3, 4.
    let mut beta = [sine(1), cosine(1), Poly::symbol("qd2"), Poly::symbol("qdd2")];
    let l3 = Link::new(3, beta);
    let mut next = |joint: usize| {
        let [s, c, w, a] = beta;
        let (sj, cj) = (sine(joint), cosine(joint));
        let [wj, aj] = ["qd", "qdd"].map(|d| Poly::symbol(&format!("{d}{}", joint + 1)));
        beta = [s * cj + c * sj, c * cj - s * sj, w + wj, a + aj];
        beta
    };
    let l2 = Link::new(2, next(2));
    let l1 = Link::new(1, next(3));
    let column = Along { x: [Poly::zero(); 3], y: [Poly::zero(); 3] };
    let (joint2, joint1) = (l3.point(column, l3.length), l2.point(l3.point(column, l3.length), l2.length));
    let [p3, p2, p1] = [l3.point(column, l3.centre), l2.point(joint2, l2.centre), l1.point(joint1, l1.centre)];
    let ax = |p: Along| p.x[2] - p.x[0] * psi1.sqr();
    let ay = |p: Along| p.y[2] + g;
    let az = |p: Along| -n(2.0) * p.x[1] * psi1 - p.x[0] * psi2;
    let own = |l: &Link| {
        let [s, c, _, a] = l.beta;
        (l.transverse + l.about) * a + (l.transverse - l.axial) * s * c * psi1.sqr()
    };
    // Σ m a over the outboard links, and at the link's centre with the lever d instead of l.
    let levered = |l: &Link, own: Along, carried: &[(Poly, Along)]| {
        let [s, c, ..] = l.beta;
        let part = |m: Poly, p: Along, lever: Poly| lever * m * (ay(p) * c - ax(p) * s);
        carried.iter().fold(part(l.mass, own, l.centre), |sum, &(m, p)| sum + part(m, p, l.length))
    };
    let on2 = [(l1.mass, p1), (l1.motor, joint1)];
    let on3 = [(l2.mass, p2), (l2.motor, joint2), (l1.mass, p1), (l1.motor, joint1)];
    let mz1 = own(&l1) + levered(&l1, p1, &[]);
    let mz2 = mz1 + own(&l2) + levered(&l2, p2, &on2);
    let mz3 = mz2 + own(&l3) + levered(&l3, p3, &on3);
    let [ia4, itm4] = ["Ia4", "Itm4"].map(Poly::symbol);
    let mut my4 = (ia4 + itm4) * psi2;
    for l in [&l1, &l2, &l3] {
        let [s, c, w, _] = l.beta;
        my4 += (l.transverse * c.sqr() + l.axial * s.sqr() + l.across) * psi2
            - n(2.0) * (l.transverse - l.axial) * s * c * w * psi1;
    }
    let turned = |l: &Link, own: Along, carried: &[(Poly, Along)]| {
        let along = carried.iter().fold(l.centre * l.mass * az(own), |sum, &(m, p)| sum + l.length * m * az(p));
        along * l.beta[1]
    };
    my4 -= turned(&l1, p1, &[]) + turned(&l2, p2, &on2) + turned(&l3, p3, &on3);
    [my4, mz3, mz2, mz1]
}

/// Body k of the model is their link 5 − k with its motor (k = 2, 3, 4), or the column (k = 1).
fn in_their_symbols(e: &Equations, p: Poly) -> Poly {
    let names = e.ring.names().to_vec();
    let mut sum = Poly::zero();
    // A first moment m x is w d: m and x are replaced together.
    for (x, factors) in e.ring.expanded_terms(p) {
        let moments: Vec<String> = factors.iter().filter_map(|f| first_moment(&names, f.0)).collect();
        let mut product = n(x);
        for (g, power) in factors {
            let Generator::Symbol(k) = g else {
                product = (0..power).fold(product, |p, _| p * Poly::generator(g));
                continue;
            };
            let name = &names[k];
            let (letters, body) = name.split_at(name.trim_end_matches(|c: char| c.is_ascii_digit()).len());
            let of = |name: &str| Poly::symbol(&format!("{name}{}", body.parse::<usize>().map_or(0, |b| 5 - b)));
            let about_origin = || of("It") + of("w") * of("d").sqr();
            let mut power = power;
            let value = match letters {
                "m" => {
                    power -= u8::from(moments.contains(&body.to_string()));
                    of("w") + of("mm")
                }
                "x" => of("w") * of("d"),
                "Ixx" => of("Ia") + of("Itm"),
                "Iyy" => about_origin() + of("Itm"),
                "Izz" if body == "1" => of("Ia") + of("Itm"),
                "Izz" => about_origin() + of("Izm"),
                // Frame k is at the end of body k − 1.
                "lx" => Poly::symbol(&format!("len{}", 6 - body.parse::<usize>().unwrap())),
                _ => Poly::generator(g),
            };
            product = (0..power).fold(product, |p, _| p * value);
        }
        sum += product;
    }
    sum
}

fn first_moment(names: &[String], g: Generator) -> Option<String> {
    match g {
        Generator::Symbol(k) => names[k].strip_prefix('x').map(str::to_string),
        _ => None,
    }
}

#[test]
fn morris_and_neea() {
    let e = equations("morris-neea", Tensor::Origin);
    assert_equal(&e, || {
        let expected = morris_torques();
        let symbol = |d: &str, k: usize| Poly::symbol(&format!("{d}{}", k + 1));
        let torque = |i: usize| {
            let mut sum = in_their_symbols(&e, e.gravity(i).poly);
            for j in 0..4 {
                sum += in_their_symbols(&e, e.inertia(i, j).poly) * symbol("qdd", j);
                for k in 0..4 {
                    sum += in_their_symbols(&e, e.velocity(i, j, k).poly) * symbol("qd", j) * symbol("qd", k);
                }
            }
            sum
        };
        let names = ["My4", "Mz3", "Mz2", "Mz1"];
        (0..4).map(|i| (names[i], torque(i), expected[i])).collect()
    });
}
