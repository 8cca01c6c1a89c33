//! Closed forms: every coefficient of a robot's equations of motion as a formula.
//!
//!   τᵢ = Σ Dᵢⱼ q̈ⱼ + Σ Σ Dᵢⱼₖ q̇ⱼ q̇ₖ + Dᵢ                                      (Bejczy 1974, eq. 1)
//!
//! The core's `rnea` runs over polynomials in the sines and cosines of the joint angles, the prismatic coordinates and the
//! robot's parameters: once at rest, for Dᵢ, and once for each unit acceleration without gravity, for Dᵢⱼ. Then
//!
//!   Dᵢⱼₖ = ½ (∂Dᵢⱼ/∂qₖ + ∂Dᵢₖ/∂qⱼ − ∂Dⱼₖ/∂qᵢ)                                  (Christoffel)
//!
//! Deviation: the sum over j and k includes both orders, so that two different velocities contribute 2 Dᵢⱼₖ q̇ⱼ q̇ₖ (the
//! report's eqs. 12–17 count a pair once).

mod cartesian;
mod check;
mod equations;
mod factor;
mod form;
mod fraction;
mod motion;
mod options;
mod poly;
mod polynomial_model;
mod reserved;
mod ring;
mod shorten;
mod supplements;
mod wrenches;

pub use cartesian::{CartesianForm, CartesianOptions, MAX_JOINTS as MAX_CARTESIAN_JOINTS};
pub use equations::{Coefficient, DegreeOfFreedom, Equations, Group};
pub use form::{Angle, Factor, Point, Product, Sum};
pub(crate) use motion::{PolynomialMotion, RATES, motion_formulas};
pub use options::{ClosedError, ClosedOptions, Notation, Parameters, Tensor, Trigonometry};
pub use poly::Poly;
pub use polynomial_model::{PolynomialModel, polynomial_model};
pub use ring::{Coordinate, Generator, Ring};
pub use supplements::{Fraction, MotionTerm, Quotient, Supplements, Wrench};

pub use crate::parameters::{Parameter, Symbol};

use crate::parameters::{SymbolTable, tidied, with_symbols};
use crate::rounded_angles::{RoundedAngles, exact_angles};
use crate::symbols::SymbolNames;
use armdyn_core::{EnergyData, Error, JointInfo, Model, Pair, Progress, Real, RneaData, Transform, Vec3, energy, rnea};
use check::check;
use equations::pair;
use factor::{Groups, Writer};
use ring::Failure;
use shorten::Rewriter;
use std::time::Instant;

/// The equations of motion of a robot in closed form, checked against the recursion. Requires joints with one degree of freedom
/// per coordinate (no spherical or free joints).
pub fn closed_form(model: &Model<f64>, options: &ClosedOptions) -> Result<Equations, ClosedError> {
    closed_form_with_progress(model, options, &Progress::none())
}

/// Like [`closed_form`], with progress reports and cancellation.
pub fn closed_form_with_progress(
    model: &Model<f64>,
    options: &ClosedOptions,
    progress: &Progress,
) -> Result<Equations, ClosedError> {
    let deadline = Instant::now().checked_add(options.budget);
    let n = model.nv();
    let coordinates = coordinates(model, "closed-form equations (joints with one degree of freedom)")?;
    let (model, rounded_angles) = analysed_model(model, options)?;
    let cartesian = options.cartesian.as_ref().map(|c| cartesian::resolved(&model, c)).transpose()?;
    let (names, parameters) = renamed(&model, &coordinates, options)?;
    let symbols = SymbolTable::new(options.parameters != Parameters::Numeric, options.tensor).named(names);
    let (mut ring, derived) = Ring::new(&coordinates, options.max_terms).until(deadline).record(|| {
        if !options.symbols.is_empty() {
            for name in reserved::in_textbook_order(&parameters) {
                Poly::symbol(&name);
            }
        }
        derived(&model, &symbols, options, cartesian, progress)
    });
    let (mut all, mut supplements) = derived?;
    let core = all.len();
    let form = supplements.cartesian.take();
    let mut add = |p: Poly| {
        all.push(p);
        all.len() - 1
    };
    let mut supplements = supplements.map(&mut add);
    supplements.cartesian = form.map(|f| f.map(&mut add));
    let in_cartesian = supplements.cartesian.as_ref().and_then(|f| f.jacobian.first().copied()).unwrap_or(all.len());
    let all = ring.keep(&all);
    if let Some(failure) = all.iter().find_map(|&p| ring.terms(p).err()) {
        return Err(ClosedError::of(failure, options));
    }

    let mut groups = Groups::default();
    let grouped = options.parameters == Parameters::Grouped;
    let of = WrittenRobot { model: &model, coordinates: &coordinates, parameters: &parameters };
    // Numerators over det J have other sums than the equations; names for them would explain nothing.
    let (ring, names, mut coefficients) =
        written(&of, ring, &all, (grouped.then_some(&mut groups), in_cartesian), options, deadline, progress)?;
    let supplements = supplements.map(&mut |k: usize| coefficients[k].clone());
    coefficients.truncate(core);
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
        dofs: dofs(&model, &coordinates),
        parameters,
        groups,
        rounded_angles,
        gravity_vector: model.gravity().to_array(),
        ring: ring.until(None),
        used,
        gravity: coefficients,
        inertia,
        velocity,
        supplements,
    };
    equations.ring.keep(&all);
    check(&model, &equations)?;
    Ok(equations)
}

/// A robot whose polynomials are written.
struct WrittenRobot<'a> {
    model: &'a Model<f64>,
    coordinates: &'a [Coordinate],
    parameters: &'a [Parameter],
}

/// Polynomials in factored form, the first of them with groups, and the factors of the ring's symbols.
fn written(
    of: &WrittenRobot,
    ring: Ring,
    all: &[Poly],
    (groups, grouped): (Option<&mut Groups>, usize),
    options: &ClosedOptions,
    deadline: Option<Instant>,
    progress: &Progress,
) -> Result<(Ring, Vec<Factor>, Vec<Coefficient>), ClosedError> {
    let rewriter = Rewriter::new(shorten::parallel(of.model, of.coordinates));
    let short: Vec<bool> = all.iter().map(|&p| ring.terms(p).is_ok_and(|t| t.len() <= shorten::LONG)).collect();
    let summed = |(&p, short): (&Poly, &bool)| if *short { rewriter.in_summed(p) } else { None };
    let (ring, summed) = ring.record(|| all.iter().zip(&short).map(summed).collect::<Vec<_>>());
    let names: Vec<Factor> = ring.names().iter().map(|name| symbol(name, of.parameters)).collect();
    let mut writer = Writer { ring: &ring, parameters: &names, groups };
    let mut coefficients = Vec::with_capacity(all.len());
    for (number, (&poly, summed)) in all.iter().zip(summed).enumerate() {
        if number == grouped {
            writer.groups = None;
        }
        if deadline.is_some_and(|d| Instant::now() > d) {
            return Err(ClosedError::of(Failure::OutOfTime, options));
        }
        if progress.cancelled() {
            return Err(ClosedError::Cancelled);
        }
        progress.report("equations", 0.5 + 0.5 * coefficients.len() as f64 / all.len() as f64);
        let terms = match options.trigonometry {
            // If the form with summed angles is too long, the joint angles are used.
            Trigonometry::Shortest => rewriter.shortest(&ring, poly, summed.filter(|&p| ring.terms(p).is_ok())),
            Trigonometry::MultipleAngles => shorten::multiple_angles(&ring, poly),
        };
        coefficients.push(Coefficient { written: writer.write(&terms), poly });
    }
    Ok((ring, names, coefficients))
}

/// The model that equations describe: without friction, and unless excluded by the options with drives and exact angles.
pub(crate) fn analysed_model(
    model: &Model<f64>,
    options: &ClosedOptions,
) -> Result<(Model<f64>, RoundedAngles), ClosedError> {
    let driven = if options.drives { model.without_friction() } else { model.without_drives() };
    let (exact, rounded_angles) =
        if options.exact { (driven, RoundedAngles::default()) } else { exact_angles(&driven)? };
    Ok((tidied(&exact), rounded_angles))
}

/// The coordinates of a robot; an error if a joint has several degrees of freedom, or there are too many.
fn coordinates(model: &Model<f64>, formulation: &'static str) -> Result<Vec<Coordinate>, ClosedError> {
    if let Some((_, b)) = model.base_to_tip().find(|(_, b)| b.pair.nv() != 1) {
        return Err(Error::Unsupported { formulation, joint: model.dof_names()[b.v].clone() }.into());
    }
    if model.nv() > Ring::MAX_COORDINATES {
        return Err(ClosedError::TooManyCoordinates { found: model.nv() });
    }
    let kind = |pair: &Pair<f64>| if let Pair::Prismatic = pair { Coordinate::Length } else { Coordinate::Angle };
    // A follower that slides is linear in its leader's coordinate; the sine of a multiple of an angle is no factor here.
    for f in model.followers() {
        let info = &model.joints()[f.joint];
        let slides = |joint: &JointInfo| joint.bodies.clone().all(|b| kind(&model.body(b).pair) == Coordinate::Length);
        if !(slides(info) && slides(&model.joints()[f.leader])) {
            let formulation = "closed forms cover mimic joints that are prismatic; lock its leader (--lock)";
            return Err(Error::Unsupported { formulation, joint: info.name.clone() }.into());
        }
    }
    Ok(model.dof_bodies().iter().map(|&b| kind(&model.body(b).pair)).collect())
}

fn dofs(m: &Model<f64>, coordinates: &[Coordinate]) -> Vec<DegreeOfFreedom> {
    let link = |v: usize| {
        let joint = m.joints().iter().find(|j| j.v.contains(&v)).expect("every degree of freedom is a joint's");
        m.links()[joint.child].name.clone()
    };
    let freedom =
        |(v, name): (usize, &String)| DegreeOfFreedom { name: name.clone(), coordinate: coordinates[v], link: link(v) };
    m.dof_names().iter().enumerate().map(freedom).collect()
}

fn symbol(name: &str, parameters: &[Parameter]) -> Factor {
    match parameters.iter().position(|p| p.symbol.plain() == name) {
        Some(k) => Factor::Symbol(k),
        // The angle of a helical joint.
        None => Factor::Coordinate(name[1..].parse::<usize>().expect("q and a number") - 1),
    }
}

/// A robot over polynomials, in the active ring.
struct Robot {
    /// Without friction; with its drives if rotors are mounted on moving bodies, which `rnea` accounts for.
    model: Model<Poly>,
    /// What the drives add to M otherwise.
    drives: Vec<(usize, usize, Poly)>,
}

impl Robot {
    fn new(model: &Model<f64>, symbols: &SymbolTable) -> Self {
        let mounted = model.rotors().iter().any(|r| r.mount.is_some());
        let over = if mounted { model.without_friction().cast() } else { model.without_drives().cast() };
        let over = with_symbols(model, &over, symbols);
        if mounted {
            return Robot { model: symbols.with_drives(model, over), drives: vec![] };
        }
        Robot { model: over, drives: symbols.drives(model) }
    }
}

/// The symbols of the options with their parameters, and the parameters under these symbols.
fn renamed(
    model: &Model<f64>,
    coordinates: &[Coordinate],
    options: &ClosedOptions,
) -> Result<(SymbolNames, Vec<Parameter>), ClosedError> {
    let table = SymbolTable::new(options.parameters != Parameters::Numeric, options.tensor);
    let _ = Ring::new(coordinates, options.max_terms).record(|| {
        let _ = Robot::new(model, &table);
        options.cartesian.as_ref().map(|c| table.tool::<Poly>(model, &c.tool))
    });
    let parameters = table.into_parameters();
    let names = options.symbols.assigned(&parameters)?;
    let renamed = names.renamed(&parameters)?;
    reserved::check(options, coordinates)?;
    Ok((names, renamed))
}

/// The coefficients and supplements of a robot, in the active ring.
fn derived(
    model: &Model<f64>,
    symbols: &SymbolTable,
    options: &ClosedOptions,
    cartesian: Option<CartesianOptions>,
    progress: &Progress,
) -> Result<(Vec<Poly>, Supplements<Poly>), ClosedError> {
    let robot = Robot::new(model, symbols);
    let all = coefficients(&robot, progress)?;
    let (n, m) = (model.nv(), &robot.model);
    let q: Vec<Poly> = (0..n).map(Poly::coordinate).collect();
    let mut supplements = Supplements::none();
    if options.energy {
        let at_rest = vec![Poly::zero(); n];
        supplements.potential = Some(energy(m, &mut EnergyData::new(m), &q, &at_rest)?.potential);
    }
    if options.wrenches {
        supplements.wrenches = wrenches::wrenches(m, &q)?;
    }
    if let Some(task) = cartesian {
        let form = if options.parameters == Parameters::Numeric {
            numeric_cartesian(model, options, task, progress)?
        } else {
            let tool = symbols.tool(model, &task.tool);
            cartesian_form(&robot, task, tool, &all, options)?
        };
        supplements.cartesian = Some(form);
    }
    Ok((all, supplements))
}

fn cartesian_form(
    robot: &Robot,
    task: CartesianOptions,
    tool: Transform<Poly>,
    all: &[Poly],
    options: &ClosedOptions,
) -> Result<CartesianForm<Poly>, ClosedError> {
    let n = robot.model.nv();
    let q: Vec<Poly> = (0..n).map(Poly::coordinate).collect();
    let pairs = n * (n + 1) / 2;
    let inertia = |i: usize, j: usize| all[n + pair(i, j)];
    let velocity = |i: usize, j: usize, k: usize| all[n + pairs * (i + 1) + pair(j, k)];
    cartesian::cartesian(&robot.model, &q, task, tool, (&all[..n], inertia, velocity), options)
}

/// The Cartesian form with numbers: derived with symbols, so that the factors of det J can be divided out, which then get their values.
fn numeric_cartesian(
    model: &Model<f64>,
    options: &ClosedOptions,
    task: CartesianOptions,
    progress: &Progress,
) -> Result<CartesianForm<Poly>, ClosedError> {
    let table = SymbolTable::new(true, options.tensor);
    let coordinates = coordinates(model, "closed-form equations (joints with one degree of freedom)")?;
    let deadline = Instant::now().checked_add(options.budget);
    let (ring, form) = Ring::new(&coordinates, options.max_terms).until(deadline).record(|| {
        let robot = Robot::new(model, &table);
        let all = coefficients(&robot, progress)?;
        let tool = table.tool(model, &task.tool);
        cartesian_form(&robot, task, tool, &all, options)
    });
    let parameters = table.into_parameters();
    let value = |k: usize| match symbol(&ring.names()[k], &parameters) {
        Factor::Symbol(k) => Poly::lift(parameters[k].value),
        _ => Poly::symbol(&ring.names()[k]),
    };
    let mut failure = None;
    let mut numeric = |p: Poly| match ring.terms(p) {
        Err(f) => {
            failure = Some(f);
            Poly::zero()
        }
        Ok(_) => ring.expanded_terms(p).into_iter().fold(Poly::zero(), |sum, (x, factors)| {
            let factor = |g: Generator| if let Generator::Symbol(k) = g { value(k) } else { Poly::generator(g) };
            let power = |product: Poly, (g, power): (Generator, u8)| (0..power).fold(product, |p, _| p * factor(g));
            sum + factors.into_iter().fold(Poly::lift(x), power)
        }),
    };
    let form = form?.map(&mut numeric).with_plain_denominators();
    match failure {
        Some(failure) => Err(ClosedError::of(failure, options)),
        None => Ok(form),
    }
}

/// Dᵢ, Dᵢⱼ (i ≤ j, by j), Dᵢⱼₖ (by i, then as Dᵢⱼ), in the active ring.
fn coefficients(robot: &Robot, progress: &Progress) -> Result<Vec<Poly>, ClosedError> {
    let (m, n) = (&robot.model, robot.model.nv());
    let q: Vec<Poly> = (0..n).map(Poly::coordinate).collect();
    let zero = vec![Poly::zero(); n];
    let mut data = RneaData::new(m);
    let mut gravity = zero.clone();
    rnea(m, &mut data, &q, &zero, &zero, &mut gravity)?;
    let weightless = m.with_gravity(Vec3::zero());
    let mut inertia = vec![];
    for j in 0..n {
        if progress.cancelled() {
            return Err(ClosedError::Cancelled);
        }
        progress.report("equations", 0.5 * (j + 1) as f64 / (n + 1) as f64);
        let (mut unit, mut column) = (zero.clone(), zero.clone());
        unit[j] = Poly::one();
        rnea(&weightless, &mut data, &q, &zero, &unit, &mut column)?;
        inertia.extend_from_slice(&column[..=j]);
    }
    for &(i, j, term) in &robot.drives {
        inertia[pair(i, j)] += term;
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

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::{
        CoefficientsData, CoriolisData, CrbaData, LagrangeData, christoffel, coefficients, crba, lagrange,
    };
    use armdyn_testkit::bundled;
    use armdyn_testkit::random::{self, Description, Drives, Joints, State};
    use std::time::Duration;

    /// Lau's and Bejczy's algorithms over polynomials give identical polynomials.
    #[test]
    fn every_formulation_gives_the_same_polynomials() {
        let model = bundled("jpl-rrp").without_drives();
        let model = tidied(&model);
        let kinds = coordinates(&model, "").unwrap();
        let n = model.nv();
        let (ring, (ours, lau, bejczy)) = Ring::new(&kinds, 1_000_000).record(|| {
            let symbols = SymbolTable::new(true, Tensor::Origin);
            let m = with_symbols(&model, &model.cast(), &symbols);
            let q: Vec<Poly> = (0..n).map(Poly::coordinate).collect();
            let mut lau = CoefficientsData::new(&m);
            coefficients(&m, &mut lau, &q).unwrap();
            let mut bejczy = LagrangeData::new(&m);
            lagrange(&m, &mut bejczy, &q).unwrap();
            (super::coefficients(&Robot::new(&model, &symbols), &Progress::none()).unwrap(), lau, bejczy)
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

    /// Random trees with any axes, drives and helical joints.
    #[test]
    fn the_equations_equal_the_cores_results() {
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
                            // Rounding of a sum of thousands of products.
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

    /// cos² a = ½ + ½ cos 2a: the inertia of a tilting rod.
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

    /// With rotors on moving links no coefficient is a sum with a bare number: the rotors have symbols.
    #[test]
    fn rotors_on_moving_links_have_symbols() {
        let model = bundled("planar-2r");
        assert!(model.rotors().iter().any(|r| r.mount.is_some()));
        let e = closed_form(&model, &ClosedOptions::default()).unwrap();
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            let sum = &e.inertia(i, j).written;
            assert!(sum.0.iter().all(|p| !p.factors.is_empty()), "D{}{}: {sum:?}", i + 1, j + 1);
        }
        let names: Vec<String> = e.parameters.iter().map(|p| p.symbol.plain()).collect();
        assert!(["Jr1", "n1", "Jr2", "n2"].iter().all(|n| names.iter().any(|m| m == n)), "{names:?}");
    }

    #[test]
    fn coefficients_can_be_written_as_mass_matrix_and_gravity() {
        let options = ClosedOptions { notation: Notation::M, ..ClosedOptions::default() };
        let e = closed_form(&bundled("lin-rr"), &options).unwrap();
        let text = crate::typeset::unicode(&e, 100);
        for part in ["g₁ = ", "M₁₁ = ", "Γ₁₁₂ = ", "C₁₁ = Γ₁₁₂ θ̇₂"] {
            assert!(text.contains(part), "no {part}: {text}");
        }
        assert!(!text.contains('D'), "{text}");
        assert!(crate::typeset::latex(&e).contains("\\Gamma_{112}"));
    }

    #[test]
    fn rounded_angles_are_reported_and_can_be_kept() {
        let model = bundled("ur5e");
        let e = closed_form(&model, &ClosedOptions { parameters: Parameters::Numeric, ..ClosedOptions::default() });
        // All angles are exact.
        assert_eq!(e.unwrap().rounded_angles.list, []);
        use armdyn_core::{BASE, Joint, Link, ModelBuilder};
        let in_file: f64 = "1.5708".parse().unwrap();
        let mut robot = ModelBuilder::new("tilted");
        let first = robot.add(BASE, Joint::revolute("a", [0.0, 0.0, 1.0]), Link::new("1"));
        let tilted = Joint::modified_dh("b", false, in_file, 0.3, 0.0, 0.0);
        robot.add(first, tilted, Link::new("2").body(1.0, [0.2, 0.0, 0.0], [0.0; 6]));
        let model = robot.build().unwrap();
        let e = closed_form(&model, &ClosedOptions::default()).unwrap();
        let listed: Vec<(&str, f64)> = e.rounded_angles.list.iter().map(|r| (r.joint.as_str(), r.degrees)).collect();
        assert_eq!(listed, [("b", 90.0)]);
        // The angle is off by 3.7e-6 rad; a torque by little more of the largest.
        assert!(
            e.rounded_angles.list[0].effect > 0.0 && e.rounded_angles.list[0].effect < 4e-5,
            "{:?}",
            e.rounded_angles
        );
        for document in [
            crate::typeset::unicode(&e, 400),
            crate::typeset::html(&e),
            crate::typeset::latex(&e),
            crate::typeset::markdown(&e),
        ] {
            assert!(document.contains("1.5708 rad is replaced by 90"), "{document}");
        }
        let exact = closed_form(&model, &ClosedOptions { exact: true, ..ClosedOptions::default() }).unwrap();
        assert!(exact.rounded_angles.list.is_empty());
        assert!(exact.inertia(0, 1).written.length() > e.inertia(0, 1).written.length());
    }

    /// The equations are checked against the recursion of the robot with its followers.
    #[test]
    fn slides_that_follow_are_covered() {
        use armdyn_core::{BASE, Joint, Link, ModelBuilder};
        let finger = |name| Link::new(name).body(0.1, [0.02, 0.0, 0.05], [1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4]);
        let build = |right: Joint| {
            let mut robot = ModelBuilder::new("hand");
            let palm = robot.add(BASE, Joint::revolute("wrist", [0.0, 1.0, 0.0]), finger("palm"));
            robot.add(palm, right.mimic("left", -0.5, 0.01), finger("right finger"));
            robot.add(palm, Joint::prismatic("left", [1.0, 0.0, 0.0]), finger("left finger"));
            robot.build().unwrap()
        };
        let e = closed_form(&build(Joint::prismatic("right", [1.0, 0.0, 0.0])), &ClosedOptions::default()).unwrap();
        assert_eq!(e.dofs.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(), ["wrist", "left"]);
        // M of the slide: m (1 + ½²).
        let slide = e.evaluate(&e.inertia(1, 1).written, &[0.0, 0.0]);
        assert!((slide - 0.125).abs() < 1e-15, "{slide}");
        let error = closed_form(&build(Joint::revolute("right", [1.0, 0.0, 0.0])), &ClosedOptions::default());
        assert!(matches!(error, Err(ClosedError::Core(Error::Unsupported { joint, .. })) if joint == "right"));
    }

    #[test]
    fn unsupported_joints_and_limits_are_errors() {
        use armdyn_core::{BASE, Joint, JointKind, Link, ModelBuilder};
        let mut robot = ModelBuilder::new("ball");
        robot.add(
            BASE,
            Joint::new("hip", JointKind::Spherical),
            Link::new("leg").body(1.0, [0.0; 3], [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]),
        );
        let error = closed_form(&robot.build().unwrap(), &ClosedOptions::default()).unwrap_err();
        assert!(
            matches!(&error, ClosedError::Core(Error::Unsupported { joint, .. }) if joint.starts_with("hip")),
            "{error}"
        );
        let short = ClosedOptions { max_terms: 10, ..ClosedOptions::default() };
        let error = closed_form(&bundled("jpl-rrp"), &short).unwrap_err();
        assert_eq!(error, ClosedError::TooLong { max_terms: 10 });
        let no_time = ClosedOptions { budget: Duration::ZERO, ..ClosedOptions::default() };
        let error = closed_form(&bundled("jpl-rrp"), &no_time).unwrap_err();
        assert_eq!(error, ClosedError::TooSlow { budget: Duration::ZERO });
    }
}
