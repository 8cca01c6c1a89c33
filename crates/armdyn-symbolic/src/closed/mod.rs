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

mod factor;
mod form;
mod hash;
mod poly;
mod ring;
mod shorten;

pub use form::{Angle, Factor, Point, Product, Sum};
pub use poly::Poly;
pub use ring::{Coordinate, Generator, Ring};

pub use crate::figures::{Parameter, Symbol};

use crate::exact::{Recognised, recognise};
use crate::figures::{Figures, tidied, with_symbols};
use armdyn::{Error, Model, Pair, Real, RneaData, Vec3, rnea};
use factor::{Groups, Writer};
use ring::Lack;
use shorten::Ways;
use std::fmt;
use std::time::{Duration, Instant};

/// What stands for the robot's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// A symbol for each that is not zero.
    Symbolic,
    /// Symbols, and a name for each sum of them that is a coefficient.
    Grouped,
    /// Their values.
    Numeric,
}

/// What the symbols of inertia tensors are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tensor {
    /// The origin of the link's frame: the equations are linear in I, m x and m.
    Origin,
    /// The centre of mass.
    Centre,
}

/// What products of sines and cosines become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigonometry {
    /// The shortest found of: products, sin² or cos², sums of angles of parallel joints.
    Shortest,
    /// Sums of sines and cosines of sums of multiples of the angles.
    MultipleAngles,
}

/// How equations are to be written.
#[derive(Clone, Debug)]
pub struct ClosedOptions {
    /// What stands for the robot's figures.
    pub parameters: Parameters,
    /// What inertia tensors are about.
    pub tensor: Tensor,
    /// What products of sines and cosines become.
    pub trigonometry: Trigonometry,
    /// Whether the inertia of drives counts in D_ii.
    pub drives: bool,
    /// Whether angles are taken as they are, not as the exact ones that they round; what is taken so is told.
    pub exact: bool,
    /// The most terms that one polynomial may have.
    pub most_terms: usize,
    /// How long it may take.
    pub patience: Duration,
}

impl Default for ClosedOptions {
    fn default() -> Self {
        ClosedOptions {
            parameters: Parameters::Symbolic,
            tensor: Tensor::Origin,
            trigonometry: Trigonometry::Shortest,
            drives: true,
            exact: false,
            most_terms: 100_000,
            patience: Duration::from_secs(60),
        }
    }
}

/// Why there are no equations.
#[derive(Clone, Debug, PartialEq)]
pub enum ClosedError {
    /// The core refuses.
    Core(Error),
    /// More degrees of freedom than there is room for.
    TooManyCoordinates {
        /// How many the robot has.
        found: usize,
    },
    /// A polynomial has more terms than the options allow.
    TooLong {
        /// How many they allow.
        most: usize,
    },
    /// It takes longer than the options allow.
    TooSlow {
        /// How long they allow.
        patience: Duration,
    },
    /// Something that is no polynomial in sines, cosines, lengths and figures.
    NotPolynomial,
    /// The written equations do not give what the recursion gives; this is a fault of this program.
    Wrong {
        /// The quantity.
        what: String,
        /// The relative difference.
        by: f64,
    },
}

impl fmt::Display for ClosedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClosedError::Core(e) => e.fmt(f),
            ClosedError::TooManyCoordinates { found } => write!(
                f,
                "the robot has {found} degrees of freedom, and written-out equations have room for {}",
                Ring::MOST_COORDINATES
            ),
            ClosedError::TooLong { most } => write!(
                f,
                "a coefficient of the equations has more than {most} terms: nobody could read it; numbers instead of symbols \
                 make it shorter, and a program of the same equations has no such limit"
            ),
            ClosedError::TooSlow { patience } => write!(
                f,
                "to write these equations out takes more than {} s, and they would be too long to read; a program of the same \
                 equations has no such limit",
                patience.as_secs_f64()
            ),
            ClosedError::NotPolynomial => write!(f, "the equations are not polynomials in sines, cosines and lengths"),
            ClosedError::Wrong { what, by } => {
                write!(
                    f,
                    "the written {what} is off by {by:.1e} from the recursion: a fault of this program, please report it"
                )
            }
        }
    }
}

impl std::error::Error for ClosedError {}

impl From<Error> for ClosedError {
    fn from(e: Error) -> Self {
        ClosedError::Core(e)
    }
}

impl ClosedError {
    fn of(lack: Lack, options: &ClosedOptions) -> Self {
        match lack {
            Lack::NotPolynomial => ClosedError::NotPolynomial,
            Lack::TooLong => ClosedError::TooLong { most: options.most_terms },
            Lack::TooLate => ClosedError::TooSlow { patience: options.patience },
        }
    }
}

/// A sum of figures that has a name.
#[derive(Clone, Debug)]
pub struct Group {
    /// What it is.
    pub definition: Sum,
    /// Its value.
    pub value: f64,
}

/// A degree of freedom.
#[derive(Clone, Debug)]
pub struct Freedom {
    /// What the robot's file calls it.
    pub name: String,
    /// Whether it is an angle or a length.
    pub coordinate: Coordinate,
    /// The link that it moves.
    pub link: String,
}

/// A coefficient: as it is written, and as a polynomial of [`Equations::ring`].
#[derive(Clone, Debug)]
pub struct Coefficient {
    /// As it is written.
    pub written: Sum,
    /// The polynomial.
    pub poly: Poly,
}

impl Coefficient {
    /// Whether it is zero, identically.
    pub fn is_zero(&self) -> bool {
        self.written.is_zero()
    }
}

/// The equations of motion of a robot. Degrees of freedom are numbered from 0.
#[derive(Clone, Debug)]
pub struct Equations {
    /// The robot's name.
    pub robot: String,
    /// What was asked for.
    pub options: ClosedOptions,
    /// The degrees of freedom.
    pub freedoms: Vec<Freedom>,
    /// The robot's figures that have a symbol.
    pub parameters: Vec<Parameter>,
    /// Sums of them that have a name, where that was asked for.
    pub groups: Vec<Group>,
    /// Angles that were taken for exact ones.
    pub recognised: Vec<Recognised>,
    /// Gravity in the base's axes.
    pub gravity_vector: [f64; 3],
    /// The polynomials.
    pub ring: Ring,
    /// The names of the symbols in the equations.
    used: Vec<String>,
    gravity: Vec<Coefficient>,
    inertia: Vec<Coefficient>,
    velocity: Vec<Coefficient>,
}

impl Equations {
    /// How many degrees of freedom there are.
    pub fn size(&self) -> usize {
        self.freedoms.len()
    }

    /// Dᵢ: element i of g.
    pub fn gravity(&self, i: usize) -> &Coefficient {
        &self.gravity[i]
    }

    /// Dᵢⱼ = Dⱼᵢ: element i, j of M.
    pub fn inertia(&self, i: usize, j: usize) -> &Coefficient {
        &self.inertia[pair(i, j)]
    }

    /// Dᵢⱼₖ = Dᵢₖⱼ. Element i, j of C is Σ Dᵢⱼₖ q̇ₖ.
    pub fn velocity(&self, i: usize, j: usize, k: usize) -> &Coefficient {
        let n = self.size();
        &self.velocity[i * n * (n + 1) / 2 + pair(j, k)]
    }

    /// The i, j ≤ k of the Dᵢⱼₖ that are zero wherever the robot is.
    pub fn zeros(&self) -> Vec<[usize; 3]> {
        self.triples().filter(|&[i, j, k]| self.velocity(i, j, k).is_zero()).collect()
    }

    /// Every i, j ≤ k.
    pub fn triples(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let n = self.size();
        (0..n).flat_map(move |i| (0..n).flat_map(move |j| (j..n).map(move |k| [i, j, k])))
    }

    /// The coefficient before `at`, in the order of [`Equations::triples`], that this one equals, or is the negative of
    /// (true).
    pub fn same_as(&self, at: [usize; 3]) -> Option<([usize; 3], bool)> {
        let of = |[i, j, k]: [usize; 3]| self.velocity(i, j, k);
        let this = of(at);
        self.triples().take_while(|&t| t != at).filter(|&t| !of(t).is_zero()).find_map(|t| {
            let other = of(t).poly;
            let equal = self.ring.equal(this.poly, other);
            (equal || self.ring.opposite(this.poly, other)).then_some((t, !equal))
        })
    }

    /// Whether a figure is in any of the equations.
    pub fn uses(&self, parameter: &Parameter) -> bool {
        let name = parameter.symbol.plain();
        self.used.contains(&name)
    }

    /// Evaluates what is written with the robot's own figures.
    pub fn evaluate(&self, written: &Sum, q: &[f64]) -> f64 {
        let parameters: Vec<f64> = self.parameters.iter().map(|p| p.value).collect();
        let groups: Vec<f64> = self.groups.iter().map(|g| g.value).collect();
        written.evaluate(Point { q, parameters: &parameters, groups: &groups })
    }
}

/// Where a pair is among all pairs of a symmetric matrix, whatever its size.
fn pair(i: usize, j: usize) -> usize {
    let (low, high) = (i.min(j), i.max(j));
    high * (high + 1) / 2 + low
}

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
    use armdyn::{CoefficientsData, CoriolisData, CrbaData, LagrangeData, christoffel, coefficients, crba, lagrange};
    use armdyn_conformance::random::{self, Description, Drives, Joints, State};

    fn bundled(name: &str) -> Model<f64> {
        armdyn_import::library::bundled(name).unwrap().load().description.unwrap().model().unwrap()
    }

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
        use armdyn::{BASE, Joint, Link, ModelBuilder};
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
        use armdyn::{BASE, Joint, JointKind, Link, ModelBuilder};
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
