//! Every formulation against every other, on every robot, over every scalar; the worst errors as tables
//! (`cargo nextest run -p armdyn-conformance -E 'test(/^matrix::/)' --no-capture`).

use armdyn_conformance::formulations::{
    Compute, Formulation, accelerations, mass_matrices, mass_matrices_by_derivation, torques, torques_by_derivation,
};
use armdyn_core::{
    AbaData, ClosedFormData, CrbaData, DerivativesData, Dual, Error, Force, Interval, JointId, Lanes, Model, Real,
    RneaData, Term, Transform, WrenchFrame, aba, aba_derivatives, aba_derivatives_from, closed_form, crba, rnea,
    rnea_derivatives, vec3,
};
use armdyn_testkit::peers;
use armdyn_testkit::random::{self, Description, Drives, Joints, State};

/// Doubles, some thousands of operations, inverses of mass matrices with condition numbers up to about 1e4.
const AGREEMENT: f64 = 1e-10;

/// Random robots.
const ROBOTS: usize = 54;

/// States of each robot: 54 robots × 200 = 10,800.
const STATES: usize = 200;

/// Robots that have something in common.
struct Group {
    name: &'static str,
    robots: Vec<Model<f64>>,
}

/// The random robots.
fn groups() -> Vec<Group> {
    let chains = |seed: u64, sizes: std::ops::RangeInclusive<usize>, joints, drives| {
        sizes.map(|n| Description::random(seed + n as u64, n, joints, false, drives).build()).collect()
    };
    let trees = |seed: u64, count: u64, joints, drives| {
        (0..count).map(|k| Description::random(seed + k, 4 + k as usize, joints, true, drives).build()).collect()
    };
    let following = |seed: u64, count: u64| {
        let one = |k: u64| Description::random(seed + k, 5 + k as usize, JOINTS[k as usize], k > 0, Drives::Spinning);
        const JOINTS: [Joints; 4] = [Joints::Mixed, Joints::Mixed, Joints::SingleAxis, Joints::All];
        (0..count).map(|k| one(k).with_followers(seed + k).build()).collect()
    };
    use {Drives::*, Joints::*};
    let made: Vec<(&'static str, Vec<Model<f64>>)> = vec![
        ("chains R", chains(100, 1..=8, Turning, Ideal)),
        ("chains P", chains(200, 1..=8, Sliding, Ideal)),
        ("chains R, P", chains(300, 1..=8, Mixed, Ideal)),
        ("chains R, P, driven", chains(400, 4..=7, Mixed, Friction)),
        ("trees R, P", trees(500, 5, Mixed, Ideal)),
        ("trees R, P, coupled", trees(600, 4, Mixed, Coupled)),
        ("trees, single axis", trees(700, 4, SingleAxis, Spinning)),
        ("trees, all joints", trees(800, 5, All, Ideal)),
        ("trees, all, spinning", trees(900, 4, All, Spinning)),
        ("with followers", following(1000, 4)),
    ];
    let groups: Vec<Group> = made.into_iter().map(|(name, robots)| Group { name, robots }).collect();
    assert_eq!(groups.iter().map(|g| g.robots.len()).sum::<usize>(), ROBOTS);
    groups
}

fn peer_group() -> Group {
    Group { name: "robots of the peers", robots: peers::NAMES.iter().map(|name| peers::robot(name)).collect() }
}

fn states(m: &Model<f64>, count: usize) -> Vec<State> {
    let mut rng = random::source(m.name().len() as u64 + 7 * m.nv() as u64);
    (0..count).map(|_| State::random(m, &mut rng)).collect()
}

/// The worst differences of each pair of formulations.
struct Table {
    names: Vec<&'static str>,
    worst: Vec<Vec<Option<f64>>>,
    compared: Vec<usize>,
    failures: Vec<String>,
}

impl Table {
    fn new(names: Vec<&'static str>) -> Self {
        let n = names.len();
        Table { names, worst: vec![vec![None; n]; n], compared: vec![0; n], failures: vec![] }
    }

    /// The differences, relative to the largest value that the robot had in any state.
    fn add_robot(&mut self, m: &Model<f64>, results: &[Vec<Option<Vec<f64>>>]) {
        let finite = results.iter().flatten().flatten().flatten();
        let scale = finite.fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
        for of_state in results {
            for (i, a) in of_state.iter().enumerate() {
                let Some(a) = a else { continue };
                self.compared[i] += 1;
                for (j, b) in of_state[..i].iter().enumerate() {
                    let Some(b) = b else { continue };
                    let error = a.iter().zip(b).fold(0.0, |e, (x, y)| worse(e, (x - y).abs())) / scale;
                    let (a, b) = (self.names[i], self.names[j]);
                    if error.is_nan() || error > AGREEMENT {
                        self.failures.push(format!("{}: `{a}` and `{b}` differ by {error:.1e}", m.name()));
                    }
                    let cell = &mut self.worst[i][j];
                    *cell = Some(cell.map_or(error, |e| worse(e, error)));
                }
            }
        }
    }

    fn print(&self, title: &str) {
        println!("\n{title}");
        let columns: String = (1..self.names.len()).map(|k| format!("{k:>8}")).collect();
        println!("{:>32}  states{columns}", "");
        for (i, name) in self.names.iter().enumerate() {
            let cell = |w: &Option<f64>| w.map_or(format!("{:>8}", "-"), |e| format!("{e:>8.0e}"));
            let row: String = self.worst[i][..i].iter().map(cell).collect();
            println!("{:>4} {name:<27}{:>8}{row}", i + 1, self.compared[i]);
        }
    }
}

/// What a formulation gives; none where it does not cover the model, or where the pose is singular for its task.
fn compute<T: Real>(
    f: &Formulation<T>,
    covered: bool,
    call: &mut Compute<T>,
    m: &Model<T>,
    given: [&[T]; 3],
    length: usize,
) -> Option<Vec<T>> {
    let mut out = vec![T::zero(); length];
    match call(m, given, &mut out) {
        Ok(()) => {
            assert!(covered, "{}: `{}` should not cover it", m.name(), f.name);
            Some(out)
        }
        Err(Error::Unsupported { .. }) if !covered => None,
        Err(Error::Singular { .. } | Error::TooManyDirections { .. }) if f.name.starts_with("Cartesian") => None,
        Err(e) => panic!("{}: `{}`: {e}", m.name(), f.name),
    }
}

/// Compares every pair on every state of the robots. `given` makes the third input from the state.
fn compare(
    formulations: &[Formulation<f64>],
    group: &Group,
    count: usize,
    length: fn(&Model<f64>) -> usize,
    given: fn(&Model<f64>, &State) -> Vec<f64>,
    tables: &mut [&mut Table],
) {
    for m in &group.robots {
        let mut calls: Vec<_> = formulations.iter().map(|f| ((f.covers)(m), (f.make)(m))).collect();
        let one = |s: &State| {
            let third = given(m, s);
            let each = formulations.iter().zip(&mut calls);
            each.map(|(f, (covered, call))| compute(f, *covered, call, m, [&s.q, &s.qd, &third], length(m))).collect()
        };
        let results: Vec<Vec<_>> = states(m, count).iter().map(one).collect();
        tables.iter_mut().for_each(|t| t.add_robot(m, &results));
    }
}

/// Compares on the random robots and on those of the peers, and prints a table for each group and one for all.
fn compare_all(
    quantity: &str,
    formulations: &[Formulation<f64>],
    length: fn(&Model<f64>) -> usize,
    given: fn(&Model<f64>, &State) -> Vec<f64>,
) {
    let names: Vec<_> = formulations.iter().map(|f| f.name).collect();
    let mut all = Table::new(names.clone());
    for group in groups() {
        let mut table = Table::new(names.clone());
        compare(formulations, &group, STATES, length, given, &mut [&mut table, &mut all]);
        table.print(&format!("{quantity}: {}, {} robots", group.name, group.robots.len()));
    }
    let peers = peer_group();
    let mut table = Table::new(names);
    compare(formulations, &peers, 5, length, given, &mut [&mut table]);
    table.print(&format!("{quantity}: {}", peers.name));
    all.print(&format!("{quantity}: all {ROBOTS} random robots × {STATES} states, worst differences of pairs"));
    let failures = [all.failures.as_slice(), &table.failures].concat();
    let first = failures[..failures.len().min(9)].join("\n");
    assert!(failures.is_empty(), "{} differences, the first:\n{first}", failures.len());
    assert_eq!(all.compared[0], ROBOTS * STATES);
    for (name, &compared) in all.names.iter().zip(&all.compared) {
        assert!(compared >= 10 * STATES, "`{name}` was compared on {compared} states only");
    }
}

#[test]
fn torques_agree() {
    let all: Vec<_> = torques().into_iter().chain(torques_by_derivation()).collect();
    compare_all("tau", &all, Model::nv, |_, s| s.qdd.clone());
}

#[test]
fn mass_matrices_agree() {
    let all: Vec<_> = mass_matrices().into_iter().chain(mass_matrices_by_derivation()).collect();
    compare_all("M", &all, |m| m.nv() * m.nv(), |_, s| s.qdd.clone());
}

#[test]
fn accelerations_agree() {
    compare_all("q''", &accelerations(), Model::nv, |m, s| {
        let mut tau = vec![0.0; m.nv()];
        rnea(m, &mut RneaData::new(m), &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
        tau
    });
}

/// All terms of the wrench of a joint in the last call of the closed form.
fn terms(d: &ClosedFormData<f64>, joints: usize, i: usize) -> Vec<Force<f64>> {
    let all = || 0..joints;
    let of_link = |j: usize| {
        let of_joint = move |k: usize| {
            let coriolis = all().map(move |l| Term::Coriolis { k, l, j });
            [Term::Inertial { k, j }, Term::Centrifugal { k, j }].into_iter().chain(coriolis)
        };
        all().flat_map(of_joint).chain([Term::Gravity { j }])
    };
    all().flat_map(of_link).filter_map(|term| d.term(i, term)).collect()
}

fn largest(of: impl Iterator<Item = f64>) -> f64 {
    of.fold(f64::MIN_POSITIVE, f64::max)
}

/// The sum of the terms of the closed form is the wrench of every joint that the recursion finds, and the torques are those of the
/// recursion, prismatic and generalized joints included. Up to a thousand terms, of some ten operations each, are added: rounding
/// errors are relative to the largest of them, of which the sum may leave little. (The matrix above compares relative to the largest
/// torque of a robot, and formulations that invert mass matrices.) Measured: at most 1e-14 of wrenches, 4e-15 of torques. Gyroscopic rotors,
/// which the closed form does not cover, are left out.
#[test]
fn closed_form_terms_add_up_to_the_recursion() {
    const SUM: f64 = 1e-13;
    let groups = groups().into_iter().chain([peer_group()]);
    let mut compared = 0;
    println!("\nClosed form against recursion, relative to the largest term (at most {SUM:.0e})");
    for group in groups {
        let (mut worst, mut robots) = ([0.0_f64; 2], 0);
        for m in group.robots.iter().filter(|m| m.followers().is_empty()) {
            let m = &if m.rotors().iter().any(|r| r.mount.is_some()) { m.without_drives() } else { m.clone() };
            robots += 1;
            let (mut d, mut r, n) = (ClosedFormData::new(m), RneaData::new(m), m.joints().len());
            let [mut closed, mut recursive] = [(); 2].map(|()| vec![0.0; m.nv()]);
            for s in states(m, 5) {
                closed_form(m, &mut d, &s.q, &s.qd, &s.qdd, &mut closed).unwrap();
                rnea(m, &mut r, &s.q, &s.qd, &s.qdd, &mut recursive).unwrap();
                let mut size = largest(recursive.iter().map(|x| x.abs()));
                for i in 0..n {
                    let Some(variables) = d.variables(i) else { continue };
                    let all = terms(&d, n, i);
                    let sum = all.iter().fold(Force::zero(), |sum, f| sum + *f);
                    let [forces, moments] = [|f: &Force<f64>| f.force.norm(), |f: &Force<f64>| f.moment.norm()];
                    let [force, moment] = [largest(all.iter().map(forces)), largest(all.iter().map(moments))];
                    size = size.max(force).max(moment);
                    // The recursion's, about the origin of frame i, in its axes.
                    let expected = r.wrenches(m, JointId::new(i), WrenchFrame::World).unwrap()[0].total;
                    let (axes, origin) = (variables.frame.rotation, variables.frame.translation);
                    let moment_there = expected.moment - origin.cross(expected.force);
                    // The wrench about the world's origin has the rounding errors of that lever.
                    let lever = moment + origin.norm() * force;
                    let errors = [
                        (sum.force - axes.inverse_rotate(expected.force)).norm() / force,
                        (sum.moment - axes.inverse_rotate(moment_there)).norm() / lever,
                    ];
                    worst[0] = errors.into_iter().fold(worst[0], worse);
                    compared += 1;
                }
                let error = closed.iter().zip(&recursive).map(|(a, b)| (a - b).abs()).fold(0.0, worse);
                worst[1] = worse(worst[1], error / size);
            }
        }
        println!("{:>24} {robots:>3} robots: wrenches {:.0e}, torques {:.0e}", group.name, worst[0], worst[1]);
        assert!(worst.iter().all(|w| *w <= SUM), "{}: {worst:?}", group.name);
    }
    assert!(compared > 1000, "{compared}");
}

/// The random robots, and one of the peers.
fn all_robots() -> Vec<Model<f64>> {
    groups().into_iter().flat_map(|g| g.robots).chain([peers::robot("panda")]).collect()
}

/// The quantities, with the length of each and its third input.
#[derive(Clone, Copy)]
enum Quantity {
    Torques,
    Mass,
    Accelerations,
}

impl Quantity {
    const ALL: [Quantity; 3] = [Quantity::Torques, Quantity::Mass, Quantity::Accelerations];

    fn formulations<T: Real + 'static>(self) -> Vec<Formulation<T>> {
        match self {
            Quantity::Torques => torques(),
            Quantity::Mass => mass_matrices(),
            Quantity::Accelerations => accelerations(),
        }
    }

    fn symbol(self) -> &'static str {
        ["tau", "M", "q''"][self as usize]
    }

    fn length<T: Real>(self, m: &Model<T>) -> usize {
        match self {
            Quantity::Mass => m.nv() * m.nv(),
            _ => m.nv(),
        }
    }
}

/// The worst error of each formulation, by `error`, which is given the formulation over each of two scalars.
fn each_formulation<A: Real + 'static, B: Real + 'static>(
    title: &str,
    tolerance: f64,
    quantities: &[Quantity],
    robots: &[Model<f64>],
    error: impl Fn(Quantity, &Formulation<A>, &Formulation<B>, &Model<f64>) -> f64,
) {
    println!("\n{title}, {} robots (at most {tolerance:.0e})", robots.len());
    let mut failures = vec![];
    for &quantity in quantities {
        for (a, b) in quantity.formulations::<A>().iter().zip(&quantity.formulations::<B>()) {
            let errors = robots.iter().filter(|m| (a.covers)(m)).map(|m| error(quantity, a, b, m));
            let worst = errors.fold(0.0, worse);
            println!("{:>6} {:<27}{worst:>8.0e}", quantity.symbol(), a.name);
            if worst.is_nan() || worst > tolerance {
                failures.push(format!("{} by `{}`: {worst:.1e}", quantity.symbol(), a.name));
            }
        }
    }
    assert!(failures.is_empty(), "{title}:\n{}", failures.join("\n"));
}

/// The worse of two errors; NaN is the worst.
fn worse(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// The largest difference, relative to the largest value and to `size`.
fn relative(found: &[f64], expected: &[f64], size: f64) -> f64 {
    let scale = expected.iter().fold(size.max(f64::MIN_POSITIVE), |s, x| s.max(x.abs()));
    found.iter().zip(expected).fold(0.0, |e, (a, b)| worse(e, (a - b).abs() / scale))
}

/// f32 has 7 digits, of which the sums of a long chain and the inverse of M (condition number up to about 1e4) take
/// some: three must be left.
#[test]
fn single_precision_gives_three_digits() {
    each_formulation::<f64, f32>(
        "f32 against f64",
        1e-3,
        &Quantity::ALL,
        &all_robots(),
        |quantity, double, single, m| {
            let small: Model<f32> = m.cast();
            let (mut a, mut b) = ((double.make)(m), (single.make)(&small));
            let mut worst = 0.0_f64;
            for s in states(m, 20) {
                let cast = |x: &[f64]| -> Vec<f32> { x.iter().map(|&x| x as f32).collect() };
                let (q, qd, qdd) = (cast(&s.q), cast(&s.qd), cast(&s.qdd));
                let found = compute(single, true, &mut b, &small, [&q, &qd, &qdd], quantity.length(m));
                let expected = compute(double, true, &mut a, m, [&s.q, &s.qd, &s.qdd], quantity.length(m));
                if let (Some(found), Some(expected)) = (found, expected) {
                    let found: Vec<f64> = found.iter().map(|&x| x.into()).collect();
                    worst = worse(worst, relative(&found, &expected, 0.0));
                }
            }
            worst
        },
    );
}

/// Lanes do what the scalar does, lane by lane; 1e-13 leaves room for other roundings of sine and cosine. The scalar is an `f64`
/// without derivatives, which rounds as lanes do on every processor (`f64` itself fuses products and sums where it can; that its
/// code paths agree is shown in `dispatch.rs`).
#[test]
fn lanes_equal_scalars() {
    const L: usize = 4;
    type Scalar = Dual<f64, 0>;
    each_formulation::<Scalar, Lanes<f64, L>>(
        "Lanes<f64, 4> against f64",
        1e-13,
        &Quantity::ALL,
        &all_robots(),
        |quantity, one, all, m| {
            let (scalar, wide): (Model<Scalar>, Model<Lanes<f64, L>>) = (m.cast(), m.cast());
            let (mut a, mut b) = ((one.make)(&scalar), (all.make)(&wide));
            let mut worst = 0.0_f64;
            for group in states(m, 3 * L).chunks_exact(L) {
                let side_by_side = |of: fn(&State) -> &Vec<f64>| -> Vec<Lanes<f64, L>> {
                    (0..of(&group[0]).len()).map(|k| Lanes(core::array::from_fn(|l| of(&group[l])[k]))).collect()
                };
                let (q, qd, qdd) = (side_by_side(|s| &s.q), side_by_side(|s| &s.qd), side_by_side(|s| &s.qdd));
                let Some(found) = compute(all, true, &mut b, &wide, [&q, &qd, &qdd], quantity.length(m)) else {
                    continue;
                };
                for (l, s) in group.iter().enumerate() {
                    let lane: Vec<f64> = found.iter().map(|x| x[l]).collect();
                    let [q, qd, qdd] =
                        [&s.q, &s.qd, &s.qdd].map(|x| x.iter().map(|&x| Scalar::constant(x)).collect::<Vec<_>>());
                    let one = compute(one, true, &mut a, &scalar, [&q, &qd, &qdd], quantity.length(m)).unwrap();
                    let one: Vec<f64> = one.iter().map(|x| x.value).collect();
                    worst = worse(worst, relative(&lane, &one, 0.0));
                }
            }
            worst
        },
    );
}

/// Variables of a call with dual numbers.
const N: usize = 2;

/// q ⊞ δ, q̇, and the third input, with δ, q̇ or the third as variables from `first` on: columns of the derivatives.
fn seeded<T: Real>(m: &Model<Dual<T, N>>, [q, qd, third]: [&[T]; 3], by: usize, first: usize) -> [Vec<Dual<T, N>>; 3] {
    let n = m.nv();
    let constant = |x: &[T]| -> Vec<Dual<T, N>> { x.iter().map(|&x| Dual::constant(x)).collect() };
    let mut given = [vec![Dual::constant(T::zero()); n], constant(qd), constant(third)];
    for k in first..n.min(first + N) {
        given[by][k].grad[k - first] = T::one();
    }
    let [delta, qd, third] = given;
    let mut moved = constant(q);
    m.integrate(&constant(q), &delta, &mut moved).unwrap();
    [moved, qd, third]
}

/// The derivatives of what a formulation gives by δ of q ⊞ δ (0), by q̇ (1) or by the third input (2), row-major.
fn derivatives<T: Real>(
    f: &Formulation<Dual<T, N>>,
    m: &Model<Dual<T, N>>,
    given: [&[T]; 3],
    by: usize,
) -> Option<Vec<T>> {
    let n = m.nv();
    let mut call = (f.make)(m);
    let mut out = vec![T::zero(); n * n];
    for first in (0..n).step_by(N) {
        let [q, qd, third] = seeded(m, given, by, first);
        let column = compute(f, true, &mut call, m, [&q, &qd, &third], n)?;
        for (i, x) in column.iter().enumerate() {
            for k in first..n.min(first + N) {
                out[i * n + k] = x.grad[k - first];
            }
        }
    }
    Some(out)
}

/// The analytic derivatives by q, q̇ and the third input (for τ that is M).
fn analytic(quantity: Quantity, m: &Model<f64>, s: &State) -> [Vec<f64>; 3] {
    let mut d = DerivativesData::new(m);
    let [mut by_q, mut by_qd, mut by_third] = [(); 3].map(|()| vec![0.0; m.nv() * m.nv()]);
    match quantity {
        Quantity::Torques => {
            rnea_derivatives(m, &mut d, &s.q, &s.qd, &s.qdd, &mut by_q, &mut by_qd).unwrap();
            crba(m, &mut CrbaData::new(m), &s.q, &mut by_third).unwrap();
        }
        _ => {
            aba_derivatives(m, &mut d, &s.q, &s.qd, &s.qdd, &mut by_q, &mut by_qd, &mut by_third).unwrap();
            // The same operations.
            let [mut bias, zero] = [(); 2].map(|()| vec![0.0; m.nv()]);
            rnea(m, &mut RneaData::new(m), &s.q, &s.qd, &zero, &mut bias).unwrap();
            let (mut a, mut b) = (by_q.clone(), by_qd.clone());
            a.fill(f64::NAN);
            aba_derivatives_from(m, &mut d, &s.q, &s.qd, &s.qdd, &bias, &by_third, &mut a, &mut b).unwrap();
            assert_eq!([&a, &b], [&by_q, &by_qd], "{}", m.name());
        }
    }
    [by_q, by_qd, by_third]
}

/// The derivatives of every formulation, exact by dual numbers, are those of `rnea_derivatives`, `aba_derivatives`.
#[test]
fn dual_numbers_give_the_analytic_derivatives() {
    let robots = all_robots();
    each_formulation::<f64, Dual<f64, N>>(
        "Dual<f64, 2> against the analytic derivatives",
        1e-10,
        &[Quantity::Torques, Quantity::Accelerations],
        &robots,
        |quantity, _, f, m| {
            let lifted: Model<Dual<f64, N>> = m.cast();
            let mut worst = 0.0_f64;
            for s in states(m, 2) {
                let expected = analytic(quantity, m, &s);
                // A derivative may be zero: all are measured against the largest of the three.
                let size = expected.iter().flatten().fold(0.0_f64, |s, x| s.max(x.abs()));
                for (by, expected) in expected.iter().enumerate() {
                    if let Some(found) = derivatives(f, &lifted, [&s.q, &s.qd, &s.qdd], by) {
                        worst = worse(worst, relative(&found, expected, size));
                    }
                }
            }
            worst
        },
    );
}

/// Dual numbers over lanes are dual numbers, lane by lane.
#[test]
fn dual_numbers_over_lanes_equal_those_over_scalars() {
    type Wide = Lanes<f64, 2>;
    let (mut worst, mut compared) = (0.0_f64, 0);
    for m in all_robots() {
        let (narrow, wide): (Model<Dual<f64, N>>, Model<Dual<Wide, N>>) = (m.cast(), m.cast());
        let two = states(&m, 2);
        let side_by_side = |of: fn(&State) -> &Vec<f64>| -> Vec<Wide> {
            (0..of(&two[0]).len()).map(|k| Lanes(core::array::from_fn(|l| of(&two[l])[k]))).collect()
        };
        let given = [side_by_side(|s| &s.q), side_by_side(|s| &s.qd), side_by_side(|s| &s.qdd)];
        let n = m.nv();
        for by in 0..3 {
            for first in (0..n).step_by(N) {
                let [q, qd, qdd] = seeded(&wide, given.each_ref().map(Vec::as_slice), by, first);
                let mut tau = vec![Dual::lift(0.0); n];
                rnea(&wide, &mut RneaData::new(&wide), &q, &qd, &qdd, &mut tau).unwrap();
                let mut a = tau.clone();
                aba(&wide, &mut AbaData::new(&wide), &q, &qd, &tau, &mut a).unwrap();
                for (l, s) in two.iter().enumerate() {
                    let [q, qd, qdd] = seeded(&narrow, [&s.q, &s.qd, &s.qdd], by, first);
                    let mut one = vec![Dual::lift(0.0); n];
                    rnea(&narrow, &mut RneaData::new(&narrow), &q, &qd, &qdd, &mut one).unwrap();
                    let mut b = one.clone();
                    aba(&narrow, &mut AbaData::new(&narrow), &q, &qd, &one, &mut b).unwrap();
                    let parts = |x: &Dual<f64, N>| [x.value, x.grad[0], x.grad[1]];
                    let lane = |x: &Dual<Wide, N>| [x.value[l], x.grad[0][l], x.grad[1][l]];
                    for (wide, narrow) in [(&tau, &one), (&a, &b)] {
                        let found: Vec<f64> = wide.iter().flat_map(lane).collect();
                        let expected: Vec<f64> = narrow.iter().flat_map(parts).collect();
                        worst = worse(worst, relative(&found, &expected, 0.0));
                        compared += 1;
                    }
                }
            }
        }
    }
    println!(
        "\nDual<Lanes<f64, 2>, 2> against Dual<f64, 2>, rnea and aba: {worst:.0e} in {compared} calls (at most 1e-13)"
    );
    assert!(worst <= 1e-13 && compared > 100);
}

/// A box around a state, and states in it.
fn boxed(s: &State, width: f64) -> [Vec<Interval>; 3] {
    let around = |x: &[f64]| -> Vec<Interval> {
        x.iter().map(|&x| Interval::new(x - 0.5 * width, x + 0.5 * width).unwrap()).collect()
    };
    [around(&s.q), around(&s.qd), around(&s.qdd)]
}

/// Whether a formulation divides by what M leaves, which over a box may hold zero: then it says so.
fn inverts_mass(name: &str) -> bool {
    ["Cartesian", "M (q''", "minverse", "articulated", "crba, solved"].iter().any(|begins| name.starts_with(begins))
}

/// What an interval gives encloses what f64 gives anywhere in the box (a quaternion in it has any length: it is divided
/// out). Points: the f64 result differs from the exact one by roundings, which the interval encloses too.
#[test]
fn intervals_enclose_every_sample() {
    use rand::Rng;
    println!(
        "\nInterval: how many boxes of width 0, 1e-3, 0.1 have bounds, and how many samples they enclose (all must)"
    );
    let robots = all_robots();
    for quantity in Quantity::ALL {
        for (f, g) in quantity.formulations::<f64>().iter().zip(&quantity.formulations::<Interval>()) {
            let mut row = String::new();
            for (width, samples) in [(0.0, 1), (1e-3, 20), (0.1, 20)] {
                let (mut bounded, mut boxes, mut enclosed) = (0, 0, 0);
                for m in robots.iter().filter(|m| (f.covers)(m)) {
                    let lifted: Model<Interval> = m.cast();
                    let length = quantity.length(m);
                    let (mut plain, mut call) = ((f.make)(m), (g.make)(&lifted));
                    let mut rng = random::source(5);
                    for s in states(m, 3) {
                        boxes += 1;
                        let region = boxed(&s, width);
                        let mut bounds = vec![Interval::lift(0.0); length];
                        // Too wide a box has no bounds, and that is said: the mass matrix may be singular in it.
                        match call(&lifted, region.each_ref().map(Vec::as_slice), &mut bounds) {
                            Ok(()) => bounded += 1,
                            Err(Error::Singular { .. }) if width == 0.0 => {
                                boxes -= 1; // a pose that is singular for the task, in f64 as well
                                continue;
                            }
                            Err(
                                Error::NotFinite { .. } | Error::NotPositiveDefinite { .. } | Error::Singular { .. },
                            ) => continue,
                            Err(e) => panic!("{}: `{}`: {e}", m.name(), f.name),
                        }
                        for _ in 0..samples {
                            let mut inside = |b: &Vec<Interval>| -> Vec<f64> {
                                b.iter().map(|x| rng.random_range(x.lo()..=x.hi())).collect()
                            };
                            let [q, qd, third] = region.each_ref().map(&mut inside);
                            let Some(found) = compute(f, true, &mut plain, m, [&q, &qd, &third], length) else {
                                continue;
                            };
                            for (x, b) in found.iter().zip(&bounds) {
                                assert!(b.contains(*x), "{}: `{}`: {x} is not in {b:?}", m.name(), f.name);
                                enclosed += 1;
                            }
                        }
                    }
                }
                let required = match (inverts_mass(f.name), width == 0.0) {
                    (false, _) => boxes,
                    // Roundings may grow along a large tree until a pivot is not known to be positive.
                    (true, true) => boxes - boxes / 20,
                    (true, false) => 1,
                };
                assert!(bounded >= required, "`{}`: {bounded} of {boxes} boxes of width {width} have bounds", f.name);
                row += &format!("{bounded:>6} of {boxes:<4}{enclosed:>8}");
            }
            println!("{:>6} {:<27}{row}", ["tau", "M", "q\'\'"][quantity as usize], f.name);
        }
    }
}

/// A workspace holds nothing of the model: one that was made for the bare robot serves the loaded one, to the bit, and
/// nothing of one call stays for the next.
#[test]
fn a_workspace_serves_any_model_of_its_shape() {
    for m in all_robots() {
        let link = m.last_link();
        let inertia = random::inertia(&mut random::source(3));
        let loaded = m.with_payload("load", link, inertia, Transform::identity()).unwrap();
        let loaded = loaded.with_gravity(vec3(1.0, 2.0, 3.0));
        for quantity in Quantity::ALL {
            for f in quantity.formulations::<f64>().iter().filter(|f| (f.covers)(&m)) {
                let (mut used, mut fresh) = ((f.make)(&m), (f.make)(&loaded));
                let [first, second] = [0, 1].map(|k| states(&m, 2).swap_remove(k));
                let length = quantity.length(&m);
                compute(f, true, &mut used, &m, [&first.q, &first.qd, &first.qdd], length);
                let given = [&*second.q, &*second.qd, &*second.qdd];
                let found = compute(f, true, &mut used, &loaded, given, length);
                assert_eq!(found, compute(f, true, &mut fresh, &loaded, given, length), "{}: `{}`", m.name(), f.name);
            }
        }
    }
}
