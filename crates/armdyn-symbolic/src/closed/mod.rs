//! Closed forms: every coefficient of a robot's equations of motion, written out.
//!
//!   τᵢ = Σ Dᵢⱼ q̈ⱼ + Σ Σ Dᵢⱼₖ q̇ⱼ q̇ₖ + Dᵢ                                      (Bejczy 1974, eq. 1)
//!
//! The core's `rnea` runs over polynomials in the sines and cosines of the joint angles, in sliding joints' coordinates and in
//! the robot's figures: once at rest, for Dᵢ, and once for each unit acceleration without gravity, for Dᵢⱼ. Then
//!
//!   Dᵢⱼₖ = ½ (∂Dᵢⱼ/∂qₖ + ∂Dᵢₖ/∂qⱼ − ∂Dⱼₖ/∂qᵢ)                                  (Christoffel)
//!
//! Deviation: the sum over j and k has both orders, so that the torque of two different velocities is 2 Dᵢⱼₖ q̇ⱼ q̇ₖ (the
//! report's eqs. 12–17 count a pair once).

mod equations;
mod factor;
mod form;
mod hash;
mod options;
mod over_polynomials;
mod poly;
mod ring;
mod shorten;

pub use equations::{Coefficient, Equations, Freedom, Group};
pub use form::{Angle, Factor, Point, Product, Sum};
pub use options::{ClosedError, ClosedOptions, Parameters, Tensor, Trigonometry};
pub use over_polynomials::{OverPolynomials, over_polynomials};
pub use poly::Poly;
pub use ring::{Coordinate, Generator, Ring};

pub use crate::figures::{Parameter, Symbol};

use crate::exact::recognise;
use crate::figures::{Figures, tidied, with_symbols};
use armdyn_core::{Error, Model, Pair, Real, RneaData, Vec3, rnea};
use equations::pair;
use factor::{Groups, Writer};
use ring::Lack;
use shorten::Ways;
use std::time::Instant;

/// The equations of motion of a robot, written out, and checked against the recursion. Joints that turn freely (balls) have no
/// such form.
pub fn closed_form(model: &Model<f64>, options: &ClosedOptions) -> Result<Equations, ClosedError> {
    closed_form_watched(model, options, &|_| {})
}

/// The same; `progress` is told how much is done, from 0 to 1.
pub fn closed_form_watched(
    model: &Model<f64>,
    options: &ClosedOptions,
    progress: &dyn Fn(f64),
) -> Result<Equations, ClosedError> {
    let deadline = Instant::now().checked_add(options.patience);
    let n = model.nv();
    if let Some((_, b)) = model.base_to_tip().find(|(_, b)| b.pair.nv() != 1) {
        let formulation = "written-out equations are of joints with one degree of freedom";
        return Err(Error::Unsupported { formulation, joint: model.dof_names()[b.v].clone() }.into());
    }
    if n > Ring::MOST_COORDINATES {
        return Err(ClosedError::TooManyCoordinates { found: n });
    }
    let driven = if options.drives { model.without_friction() } else { model.without_drives() };
    let (exact, recognised) = if options.exact { (driven, vec![]) } else { recognise(&driven)? };
    let model = tidied(&exact);
    let coordinates: Vec<Coordinate> = model.base_to_tip().map(|(_, b)| coordinate(&b.pair)).collect();
    let figures = Figures::new(options.parameters != Parameters::Numeric, options.tensor);
    let first_half = |share: f64| progress(0.5 * share);
    let (mut ring, all) = Ring::new(&coordinates, options.most_terms)
        .until(deadline)
        .record(|| coefficients(&model, &figures, &first_half));
    let all = ring.keep(&all?);
    if let Some(lack) = all.iter().find_map(|&p| ring.terms(p).err()) {
        return Err(ClosedError::of(lack, options));
    }

    let parameters = figures.into_parameters();
    let ways = Ways::new(shorten::parallel(&model, &coordinates));
    let short: Vec<bool> = all.iter().map(|&p| ring.terms(p).is_ok_and(|t| t.len() <= shorten::LONG)).collect();
    let summed = |(&p, short): (&Poly, &bool)| if *short { ways.in_summed(p) } else { None };
    let (ring, summed) = ring.record(|| all.iter().zip(&short).map(summed).collect::<Vec<_>>());
    let names: Vec<Factor> = ring.names().iter().map(|name| symbol(name, &parameters)).collect();
    let mut groups = Groups::default();
    let grouped = options.parameters == Parameters::Grouped;
    let mut writer = Writer { ring: &ring, parameters: &names, groups: grouped.then_some(&mut groups) };
    let mut coefficients = Vec::with_capacity(all.len());
    for (&poly, summed) in all.iter().zip(summed) {
        if deadline.is_some_and(|d| Instant::now() > d) {
            return Err(ClosedError::of(Lack::TooLate, options));
        }
        progress(0.5 + 0.5 * coefficients.len() as f64 / all.len() as f64);
        let terms = match options.trigonometry {
            // Where the summed angles were too long, the joints' own serve.
            Trigonometry::Shortest => ways.shortest(&ring, poly, summed.filter(|&p| ring.terms(p).is_ok())),
            Trigonometry::MultipleAngles => shorten::multiple_angles(&ring, poly),
        };
        coefficients.push(Coefficient { written: writer.write(&terms), poly });
    }
    let used = ring.symbols_in(&all);
    let values: Vec<f64> = parameters.iter().map(|p| p.value).collect();
    let group = |definition: Sum| {
        let value = definition.evaluate(Point { q: &[], parameters: &values, groups: &[] });
        Group { definition, value }
    };
    let groups = groups.definitions(&names).into_iter().map(group).collect();
    let velocity = coefficients.split_off(n + n * (n + 1) / 2);
    let inertia = coefficients.split_off(n);
    let mut equations = Equations {
        robot: model.name().to_string(),
        options: options.clone(),
        freedoms: freedoms(&model, &coordinates),
        parameters,
        groups,
        recognised,
        gravity_vector: model.gravity().to_array(),
        ring: ring.until(None),
        used,
        gravity: coefficients,
        inertia,
        velocity,
    };
    equations.ring.keep(&all);
    check(&model, &equations)?;
    Ok(equations)
}

fn coordinate(pair: &Pair<f64>) -> Coordinate {
    if matches!(pair, Pair::Prismatic) { Coordinate::Length } else { Coordinate::Angle }
}

fn freedoms(m: &Model<f64>, coordinates: &[Coordinate]) -> Vec<Freedom> {
    let link = |v: usize| {
        let joint = m.joints().iter().find(|j| j.v.contains(&v)).expect("every degree of freedom is a joint's");
        m.links()[joint.child].name.clone()
    };
    let freedom =
        |(v, name): (usize, &String)| Freedom { name: name.clone(), coordinate: coordinates[v], link: link(v) };
    m.dof_names().iter().enumerate().map(freedom).collect()
}

fn symbol(name: &str, parameters: &[Parameter]) -> Factor {
    match parameters.iter().position(|p| p.symbol.plain() == name) {
        Some(k) => Factor::Symbol(k),
        // A screw's own angle.
        None => Factor::Coordinate(name[1..].parse::<usize>().expect("q and a number") - 1),
    }
}

/// Dᵢ, Dᵢⱼ (i ≤ j, by j), Dᵢⱼₖ (by i, then as Dᵢⱼ), in the ring at work.
fn coefficients(model: &Model<f64>, figures: &Figures, progress: &dyn Fn(f64)) -> Result<Vec<Poly>, Error> {
    let n = model.nv();
    // Friction is no part of it; drives are added below, but for rotors that spin in a moving body.
    let mounted = model.rotors().iter().any(|r| r.mount.is_some());
    let over = if mounted { model.without_friction().cast() } else { model.without_drives().cast() };
    let m = with_symbols(model, &over, figures);
    let q: Vec<Poly> = (0..n).map(Poly::coordinate).collect();
    let still = vec![Poly::zero(); n];
    let mut data = RneaData::new(&m);
    let mut gravity = still.clone();
    rnea(&m, &mut data, &q, &still, &still, &mut gravity)?;
    let weightless = m.with_gravity(Vec3::zero());
    let mut inertia = vec![];
    for j in 0..n {
        progress((j + 1) as f64 / (n + 1) as f64);
        let (mut unit, mut column) = (still.clone(), still.clone());
        unit[j] = Poly::one();
        rnea(&weightless, &mut data, &q, &still, &unit, &mut column)?;
        inertia.extend_from_slice(&column[..=j]);
    }
    if !mounted {
        for (i, j, share) in figures.drives(model) {
            inertia[pair(i, j)] += share;
        }
    }
    let half = Poly::lift(0.5);
    let mut velocity = vec![];
    for i in 0..n {
        for k in 0..n {
            for j in 0..=k {
                let d = |a: usize, b: usize, by: usize| inertia[pair(a, b)].derivative(by);
                velocity.push(half * (d(i, j, k) + d(i, k, j) - d(j, k, i)));
            }
        }
    }
    Ok([gravity, inertia, velocity].concat())
}

/// What is written, evaluated with the robot's figures, against the recursion at a few states.
fn check(model: &Model<f64>, e: &Equations) -> Result<(), ClosedError> {
    let n = e.size();
    let mut data = RneaData::new(model);
    for state in 1..=3 {
        // Values without a pattern.
        let value = |k: usize| ((k * 7 + state * 13) as f64 * 0.618_033_988_75).fract() * 2.0 - 1.0;
        let [q, qd, qdd] = [0, 1, 2].map(|a| (0..n).map(|i| value(3 * i + a)).collect::<Vec<f64>>());
        let mut tau = vec![0.0; n];
        rnea(model, &mut data, &q, &qd, &qdd, &mut tau)?;
        for i in 0..n {
            let mut size = 0.0;
            let mut term = |c: &Coefficient, by: f64| {
                let x = e.evaluate(&c.written, &q) * by;
                size += x.abs();
                x
            };
            let mut sum = term(e.gravity(i), 1.0);
            for j in 0..n {
                sum += term(e.inertia(i, j), qdd[j]);
                for k in 0..n {
                    sum += term(e.velocity(i, j, k), qd[j] * qd[k]);
                }
            }
            let by = (sum - tau[i]).abs() / (size + f64::MIN_POSITIVE);
            if by > 1e-9 && (sum - tau[i]).abs() > 1e-12 {
                return Err(ClosedError::Wrong { what: format!("torque of {}", e.freedoms[i].name), by });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::{
        CoefficientsData, CoriolisData, CrbaData, LagrangeData, christoffel, coefficients, crba, lagrange,
    };
    use armdyn_testkit::bundled;
    use armdyn_testkit::random::{self, Description, Drives, Joints, State};
    use std::time::Duration;

    /// Lau's and Bejczy's own algorithms, run over polynomials, give the very polynomials.
    #[test]
    fn every_formulation_gives_the_same_polynomials() {
        let model = bundled("jpl-rrp").without_drives();
        let model = tidied(&model);
        let kinds: Vec<Coordinate> = model.base_to_tip().map(|(_, b)| coordinate(&b.pair)).collect();
        let n = model.nv();
        let (ring, (ours, lau, bejczy)) = Ring::new(&kinds, 1_000_000).record(|| {
            let figures = Figures::new(true, Tensor::Origin);
            let m = with_symbols(&model, &model.cast(), &figures);
            let q: Vec<Poly> = (0..n).map(Poly::coordinate).collect();
            let mut lau = CoefficientsData::new(&m);
            coefficients(&m, &mut lau, &q).unwrap();
            let mut bejczy = LagrangeData::new(&m);
            lagrange(&m, &mut bejczy, &q).unwrap();
            (super::coefficients(&model, &figures, &|_| {}).unwrap(), lau, bejczy)
        });
        for i in 0..n {
            for found in [lau.gravity(i), bejczy.gravity(i)] {
                assert!(ring.equal(ours[i], found), "D{i}");
            }
            for j in 0..n {
                for found in [lau.inertia(i, j), bejczy.inertia(i, j)] {
                    assert!(ring.equal(ours[n + pair(i, j)], found), "D{i}{j}");
                }
                for k in 0..n {
                    let at = n + n * (n + 1) / 2 * (i + 1) + pair(j, k);
                    for found in [lau.velocity(i, j, k), bejczy.velocity(i, j, k)] {
                        assert!(ring.equal(ours[at], found), "D{i}{j}{k}");
                    }
                }
            }
        }
    }

    /// Random trees with any axes, drives and screws: what is written equals the core's numbers.
    #[test]
    fn what_is_written_is_what_the_core_computes() {
        for seed in 0..10 {
            let size = 2 + seed as usize % 2;
            let m = Description::random(seed, size, Joints::SingleAxis, true, Drives::Friction).build();
            let n = m.nv();
            let s = State::random(&m, &mut random::source(seed));
            let (mut mass, mut gamma) = (vec![0.0; n * n], vec![0.0; n * n * n]);
            crba(&m, &mut CrbaData::new(&m), &s.q, &mut mass).unwrap();
            christoffel(&m, &mut CoriolisData::new(&m), &s.q, &mut gamma).unwrap();
            let scale = gamma.iter().chain(&mass).fold(1e-3, |s: f64, x| s.max(x.abs()));
            for parameters in [Parameters::Symbolic, Parameters::Grouped, Parameters::Numeric] {
                for trigonometry in [Trigonometry::Shortest, Trigonometry::MultipleAngles] {
                    let tensor = if seed % 2 == 0 { Tensor::Origin } else { Tensor::Centre };
                    let options = ClosedOptions { parameters, trigonometry, tensor, ..ClosedOptions::default() };
                    let e = closed_form(&m, &options).unwrap();
                    for i in 0..n {
                        for j in 0..n {
                            // A sum of thousands of products of the size of the greatest.
                            let close =
                                |c: &Coefficient, x: f64| (e.evaluate(&c.written, &s.q) - x).abs() < 1e-10 * scale;
                            assert!(close(e.inertia(i, j), mass[i * n + j]), "{seed} {i} {j}");
                            for k in 0..n {
                                assert!(close(e.velocity(i, j, k), gamma[(i * n + j) * n + k]), "{seed} {i} {j} {k}");
                            }
                        }
                    }
                }
            }
        }
    }

    /// 2 sin a cos a = sin 2a, and cos² a = ½ + ½ cos 2a: one centrifugal term of a rod that tilts.
    #[test]
    fn multiple_angles() {
        let options = ClosedOptions { trigonometry: Trigonometry::MultipleAngles, ..ClosedOptions::default() };
        let e = closed_form(&bundled("lau-fig4"), &options).unwrap();
        let angles = |sum: &Sum| {
            let of = |f: &(Factor, u8)| match &f.0 {
                Factor::Sin(a) | Factor::Cos(a) => Some((a.parts().collect::<Vec<_>>(), f.1)),
                _ => None,
            };
            sum.0.iter().flat_map(|p| p.factors.iter().filter_map(of)).collect::<Vec<_>>()
        };
        assert!(angles(&e.inertia(0, 0).written).iter().all(|a| *a == (vec![(1, 2)], 1)), "cos 2θ₂ alone");
    }

    #[test]
    fn rounded_angles_are_told_and_can_be_kept() {
        let model = bundled("ur5e");
        let e = closed_form(&model, &ClosedOptions { parameters: Parameters::Numeric, ..ClosedOptions::default() });
        // A robot whose quarter turns are exact has none to tell.
        assert_eq!(e.unwrap().recognised, []);
        use armdyn_core::{BASE, Joint, Link, ModelBuilder};
        let in_file: f64 = "1.5708".parse().unwrap();
        let mut robot = ModelBuilder::new("tilted");
        let first = robot.add(BASE, Joint::revolute("a", [0.0, 0.0, 1.0]), Link::new("1"));
        let tilted = Joint::modified_dh("b", false, in_file, 0.3, 0.0, 0.0);
        robot.add(first, tilted, Link::new("2").body(1.0, [0.2, 0.0, 0.0], [0.0; 6]));
        let model = robot.build().unwrap();
        let e = closed_form(&model, &ClosedOptions::default()).unwrap();
        let told: Vec<(&str, f64)> = e.recognised.iter().map(|r| (r.joint.as_str(), r.degrees)).collect();
        assert_eq!(told, [("b", 90.0)]);
        // The angle is off by 3.7e-6 rad; a torque by little more of the largest.
        assert!(e.recognised[0].effect > 0.0 && e.recognised[0].effect < 4e-5, "{:?}", e.recognised);
        for page in [
            crate::write::unicode(&e, 400),
            crate::write::html(&e),
            crate::write::latex(&e),
            crate::write::markdown(&e),
        ] {
            assert!(page.contains("1.5708 rad is taken for 90"), "{page}");
        }
        let exact = closed_form(&model, &ClosedOptions { exact: true, ..ClosedOptions::default() }).unwrap();
        assert!(exact.recognised.is_empty());
        assert!(exact.inertia(0, 1).written.length() > e.inertia(0, 1).written.length());
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        use armdyn_core::{BASE, Joint, JointKind, Link, ModelBuilder};
        let mut robot = ModelBuilder::new("ball");
        robot.add(
            BASE,
            Joint::new("hip", JointKind::Spherical),
            Link::new("leg").body(1.0, [0.0; 3], [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]),
        );
        let refused = closed_form(&robot.build().unwrap(), &ClosedOptions::default()).unwrap_err();
        assert!(
            matches!(&refused, ClosedError::Core(Error::Unsupported { joint, .. }) if joint.starts_with("hip")),
            "{refused}"
        );
        let short = ClosedOptions { most_terms: 10, ..ClosedOptions::default() };
        let refused = closed_form(&bundled("jpl-rrp"), &short).unwrap_err();
        assert_eq!(refused, ClosedError::TooLong { most: 10 });
        let hasty = ClosedOptions { patience: Duration::ZERO, ..ClosedOptions::default() };
        let refused = closed_form(&bundled("jpl-rrp"), &hasty).unwrap_err();
        assert_eq!(refused, ClosedError::TooSlow { patience: Duration::ZERO });
    }
}
