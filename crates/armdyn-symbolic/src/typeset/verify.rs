//! Verification of printed equations: their text is read back (`read`), evaluated at random states with the robot's parameter values, and
//! compared with the core's algorithms.

use super::math::{Written, written};
use super::read::{Definitions, Name, ReadError, TextFormat, read};
use crate::closed::{ClosedError, Coordinate, Equations, Factor, Parameters, Sum, analysed_model};
use armdyn_core::{
    CartesianData, CoriolisData, EnergyData, Error, Force, JointId, Model, RneaData, SplitMix64, Task, WrenchFrame,
    cartesian, christoffel, energy, rnea,
};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// States at which a document is evaluated.
pub const STATES: usize = 20;
/// Largest accepted relative difference of equations with symbols: rounding.
const TOLERANCE: f64 = 1e-9;
/// Largest accepted relative difference of equations with numbers that are rounded to six digits, of which three may cancel.
const SIX_DIGITS: f64 = 1e-3;

/// The comparison of one printed quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What was compared, by which printed formulas.
    pub quantity: &'static str,
    /// The largest difference of an element, relative to the largest element in that state; of a torque, to the sum of the sizes of
    /// its terms.
    pub difference: f64,
}

/// The comparison of a document with the core's algorithms.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// Format of the document.
    pub format: TextFormat,
    /// Number of states.
    pub states: usize,
    /// Largest accepted difference.
    pub tolerance: f64,
    /// The quantities.
    pub comparisons: Vec<Comparison>,
}

impl Verification {
    /// The largest difference.
    pub fn difference(&self) -> f64 {
        self.comparisons.iter().fold(0.0, |largest, c| {
            if c.difference > largest || c.difference.is_nan() { c.difference } else { largest }
        })
    }

    /// Whether all differences are accepted.
    pub fn holds(&self) -> bool {
        self.comparisons.iter().all(|c| c.difference <= self.tolerance)
    }
}

/// Reasons why a document cannot be verified.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VerifyError {
    /// The text is not that of such a document, or is incomplete.
    #[error("{format} text: {error}")]
    Read {
        /// Format of the document.
        format: &'static str,
        /// The error.
        error: ReadError,
    },
    /// An error of the core or of the model.
    #[error(transparent)]
    Closed(#[from] ClosedError),
    /// An error of the core.
    #[error(transparent)]
    Core(#[from] Error),
}

/// One state.
struct State {
    q: Vec<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
}

/// The values of names at a state.
struct Values<'a> {
    e: &'a Equations,
    text: &'a Definitions,
    parameters: &'a BTreeMap<String, f64>,
    state: &'a State,
    /// Values of definitions, none while they are being computed.
    known: RefCell<BTreeMap<Name, Option<f64>>>,
}

fn unknown(name: &Name, reason: &str) -> ReadError {
    ReadError { text: name.text.clone(), reason: reason.to_string() }
}

impl Values<'_> {
    fn of(&self, name: &Name) -> Result<f64, ReadError> {
        if let (Some(x), 0) = (self.parameters.get(&name.text), name.dots) {
            return Ok(*x);
        }
        if let Some(x) = self.coordinate(name).or_else(|| self.trigonometric(name)) {
            return Ok(x);
        }
        match self.known.borrow().get(name) {
            Some(Some(x)) => return Ok(*x),
            Some(None) => return Err(unknown(name, "it is defined by itself")),
            None => {}
        }
        let Some(definition) = self.text.scalars.get(name) else {
            return Err(unknown(name, "the document does not define it"));
        };
        self.known.borrow_mut().insert(name.clone(), None);
        let x = definition.evaluate(&mut |n| self.of(n))?;
        self.known.borrow_mut().insert(name.clone(), Some(x));
        Ok(x)
    }

    /// θ₁, d₂ and their derivatives.
    fn coordinate(&self, name: &Name) -> Option<f64> {
        let values = [&self.state.q, &self.state.qd, &self.state.qdd][usize::from(name.dots)];
        let letter = name.text.chars().next()?;
        let i = name.text[letter.len_utf8()..].parse::<usize>().ok()?.checked_sub(1)?;
        let own = match self.e.dofs.get(i)?.coordinate {
            Coordinate::Angle => 'θ',
            Coordinate::Length => 'd',
        };
        (letter == own).then(|| values[i])
    }

    /// s₁, c₂₃: of the sum of these angles.
    fn trigonometric(&self, name: &Name) -> Option<f64> {
        let digits = name.text.strip_prefix(['s', 'c']).filter(|d| name.dots == 0 && !d.is_empty())?;
        if !digits.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let n = self.e.size();
        let joints: Vec<usize> =
            if n < 10 { digits.bytes().map(|b| usize::from(b - b'0')).collect() } else { vec![digits.parse().ok()?] };
        let angles = joints.into_iter().map(|j| self.state.q.get(j.checked_sub(1)?));
        let angle: f64 = angles.sum::<Option<f64>>()?;
        Some(if name.text.starts_with('s') { angle.sin() } else { angle.cos() })
    }

    /// A coefficient by its letter and indices. One that is missing must be listed as zero, if `listed`.
    fn element(&self, letter: &str, indices: &[usize], listed: bool) -> Result<f64, ReadError> {
        let separator = if self.e.size() >= 10 { "," } else { "" };
        let number: Vec<String> = indices.iter().map(|i| (i + 1).to_string()).collect();
        let name = Name::new(format!("{letter}{}", number.join(separator)), 0);
        if self.text.scalars.contains_key(&name) {
            return self.of(&name);
        }
        if listed && !self.text.zeros.contains(&name.text) {
            return Err(unknown(&name, "the document neither defines it nor lists it as zero"));
        }
        Ok(0.0)
    }

    /// Whether the document defines any element of this letter.
    fn defines(&self, letter: &str) -> bool {
        let is_element = |name: &Name| {
            let numbers = name.text.strip_prefix(letter).unwrap_or("");
            name.dots == 0 && numbers.starts_with(|c: char| c.is_ascii_digit())
        };
        self.text.scalars.keys().any(is_element)
    }

    /// A matrix, by rows.
    fn matrix(&self, name: &str) -> Result<Option<Vec<Vec<f64>>>, ReadError> {
        let Some(rows) = self.text.matrices.get(name) else { return Ok(None) };
        let row = |cells: &Vec<super::read::Expression>| {
            cells.iter().map(|c| c.evaluate(&mut |n| self.of(n))).collect::<Result<Vec<_>, _>>()
        };
        rows.iter().map(row).collect::<Result<Vec<_>, _>>().map(Some)
    }
}

/// The differences found so far, by quantity.
#[derive(Default)]
struct Differences(Vec<Comparison>);

impl Differences {
    /// Compares vectors, relative to the largest expected element and a scale.
    fn compare(&mut self, quantity: &'static str, found: &[f64], expected: &[f64], scale: f64) {
        let size = expected.iter().fold(scale, |s: f64, x| s.max(x.abs())).max(f64::MIN_POSITIVE);
        let worst = |w: f64, (a, b): (&f64, &f64)| {
            let difference = (a - b).abs() / size;
            if difference > w || difference.is_nan() { difference } else { w }
        };
        let complete = if found.len() == expected.len() { 0.0 } else { f64::INFINITY };
        let difference = found.iter().zip(expected).fold(complete, worst);
        match self.0.iter_mut().find(|c| c.quantity == quantity) {
            Some(c) if difference > c.difference || difference.is_nan() => c.difference = difference,
            Some(_) => {}
            None => self.0.push(Comparison { quantity, difference }),
        }
    }
}

/// Evaluates the printed equations of a robot at random states and compares them with the core's algorithms. `e` gives the joints, the
/// values of the parameters and the options, but none of its formulas.
///
/// ```
/// use armdyn_symbolic::typeset::{TextFormat, unicode, verify};
/// use armdyn_symbolic::{ClosedOptions, closed_form};
/// let model = armdyn_core::examples::two_link_arm();
/// let e = closed_form(&model, &ClosedOptions::default())?;
/// let text = unicode(&e, 100);
/// assert!(verify(&model, &e, TextFormat::Unicode, &text, 1)?.holds());
/// let wrong = text.replacen("D₂₂ = ", "D₂₂ = −", 1);
/// assert!(verify(&model, &e, TextFormat::Unicode, &wrong, 1).map_or(true, |v| !v.holds()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(
    model: &Model<f64>,
    e: &Equations,
    format: TextFormat,
    text: &str,
    seed: u64,
) -> Result<Verification, VerifyError> {
    let failed = |error: ReadError| VerifyError::Read { format: format.name(), error };
    let model = analysed_model(model, &e.options)?.0;
    let read = read(text, format).map_err(failed)?;
    let parameters: BTreeMap<String, f64> =
        e.parameters.iter().map(|p| (printed(&p.symbol, e.size()), p.value)).collect();
    let mut random = SplitMix64(seed);
    let mut differences = Differences::default();
    for _ in 0..STATES {
        let mut vector = |scale: f64| (0..e.size()).map(|_| scale * (2.0 * random.unit() - 1.0)).collect::<Vec<f64>>();
        let state = State { q: vector(3.0), qd: vector(1.5), qdd: vector(2.0) };
        let values =
            Values { e, text: &read, parameters: &parameters, state: &state, known: RefCell::new(BTreeMap::new()) };
        let mut data = RneaData::new(&model);
        let mut torques = vec![0.0; e.size()];
        rnea(&model, &mut data, &state.q, &state.qd, &state.qdd, &mut torques)?;
        let mut symbols = vec![0.0; e.size().pow(3)];
        christoffel(&model, &mut CoriolisData::new(&model), &state.q, &mut symbols)?;
        let sizes = joint_space(&values, &torques, &mut differences).map_err(failed)?;
        velocity_terms(&values, &symbols, &sizes, &mut differences).map_err(failed)?;
        if e.options.energy {
            let known = energy(&model, &mut EnergyData::new(&model), &state.q, &state.qd)?;
            let of = |letter: &str| values.of(&Name::new(letter, 0)).map_err(failed);
            let (t, v, l) = (of("T")?, of("V")?, of("L")?);
            let size = known.kinetic.abs() + known.potential.abs();
            differences.compare("kinetic energy T", &[t], &[known.kinetic], 0.0);
            differences.compare("potential energy V", &[v], &[known.potential], 1e-3 * size);
            differences.compare("Lagrangian L", &[l], &[known.kinetic - known.potential], size);
        }
        if e.options.wrenches {
            let known = transmitted(&model, &data)?;
            let size = known.iter().flatten().fold(0.0, |s: f64, x| s.max(x.abs()));
            for (k, expected) in known.iter().enumerate() {
                let names = ["fx", "fy", "fz", "nx", "ny", "nz"];
                let found: Result<Vec<f64>, _> = names.iter().map(|name| values.element(name, &[k], true)).collect();
                differences.compare("joint wrenches", &found.map_err(failed)?, expected, size);
            }
        }
        in_cartesian_space(&model, &values, &mut differences).map_err(|e| e.or(failed))?;
    }
    let tolerance =
        if e.options.parameters == Parameters::Numeric || has_rounded_numbers(e) { SIX_DIGITS } else { TOLERANCE };
    Ok(Verification { format, states: STATES, tolerance, comparisons: differences.0 })
}

/// Whether numbers of the equations are rounded where they are printed, as those of frames with arbitrary angles.
fn has_rounded_numbers(e: &Equations) -> bool {
    fn rounded(sum: &Sum) -> bool {
        let number = |x: f64| match written(x) {
            Written::Fraction(..) => false,
            Written::Decimal(text, shown) => {
                let printed = text.parse::<f64>().unwrap_or(f64::NAN) * 10f64.powi(shown);
                (printed - x).abs() > 1e-12 * x.abs()
            }
        };
        let nested = |f: &Factor| matches!(f, Factor::Sum(inner) if rounded(inner));
        sum.0.iter().any(|p| number(p.coefficient) || p.factors.iter().any(|(f, _)| nested(f)))
    }
    let n = e.size();
    (0..n).any(|i| rounded(&e.gravity(i).written) || (i..n).any(|j| rounded(&e.inertia(i, j).written)))
        || e.triples().any(|[i, j, k]| rounded(&e.velocity(i, j, k).written))
}

/// The name of a parameter in the documents, subscripts in the line.
fn printed(s: &crate::closed::Symbol, size: usize) -> String {
    let separator = if size >= 10 { "," } else { "" };
    let number: Vec<String> = s.number.iter().map(usize::to_string).collect();
    format!("{}{}{}", s.letter, s.axes, number.join(separator))
}

/// Each Christoffel symbol Dᵢⱼₖ, and each element of C, which is the sum of Dᵢⱼₖ q̇ₖ over k: errors that cancel in the torques are
/// found too. `sizes` are those of the terms of each torque.
fn velocity_terms(
    values: &Values,
    symbols: &[f64],
    sizes: &[f64],
    differences: &mut Differences,
) -> Result<(), ReadError> {
    let (e, s, n) = (values.e, values.state, values.e.size());
    let three = e.options.notation.letter(3);
    let has_c = values.defines("C");
    for i in 0..n {
        let (mut found, mut elements, mut expected) = (vec![], vec![], vec![]);
        for j in 0..n {
            let row = &symbols[(i * n + j) * n..][..n];
            for k in 0..n {
                found.push(values.element(three, &[i, j.min(k), j.max(k)], false)?);
            }
            if has_c {
                elements.push(values.element("C", &[i, j], true)?);
                expected.push(row.iter().zip(&s.qd).map(|(x, qd)| x * qd).sum());
            }
        }
        differences.compare("velocity coefficients", &found, &symbols[i * n * n..][..n * n], sizes[i]);
        if has_c {
            differences.compare("elements of C", &elements, &expected, sizes[i]);
        }
    }
    Ok(())
}

/// τ by the coefficients, by the matrices, and as printed. Returns the sum of the sizes of the terms of each torque.
fn joint_space(values: &Values, torques: &[f64], differences: &mut Differences) -> Result<Vec<f64>, ReadError> {
    let (e, s, n) = (values.e, values.state, values.e.size());
    let [one, two, three] = [1, 2, 3].map(|k| e.options.notation.letter(k));
    // Each joint by itself, relative to the sizes of its terms: a small torque is not lost beside those of other joints.
    let mut sizes = vec![];
    for i in 0..n {
        let mut terms = vec![values.element(one, &[i], true)?];
        for j in 0..n {
            terms.push(values.element(two, &[i.min(j), i.max(j)], true)? * s.qdd[j]);
            for k in 0..n {
                terms.push(values.element(three, &[i, j.min(k), j.max(k)], false)? * s.qd[j] * s.qd[k]);
            }
        }
        sizes.push(terms.iter().map(|x| x.abs()).sum::<f64>());
        differences.compare("torques by the coefficients", &[terms.iter().sum()], &torques[i..=i], sizes[i]);
    }
    // Matrices of many rows are printed as coefficients only; C is printed all the same.
    let (mass, gravity) = (values.matrix("M")?, values.matrix("g")?);
    if mass.is_some() || gravity.is_some() || values.defines("C") {
        for i in 0..n {
            let entry = |rows: &[Vec<f64>], j: usize| rows.get(i).and_then(|r| r.get(j)).copied().unwrap_or(f64::NAN);
            let mut sum = match &gravity {
                Some(rows) => entry(rows, 0),
                None => values.element(one, &[i], true)?,
            };
            for j in 0..n {
                let m = match &mass {
                    Some(rows) => entry(rows, j),
                    None => values.element(two, &[i.min(j), i.max(j)], true)?,
                };
                sum += m * s.qdd[j] + values.element("C", &[i, j], true)? * s.qd[j];
            }
            differences.compare("torques by M, C and g", &[sum], &torques[i..=i], sizes[i]);
        }
    }
    if values.defines("τ") {
        for i in 0..n {
            let found = values.element("τ", &[i], true)?;
            differences.compare("torques as printed", &[found], &torques[i..=i], sizes[i]);
        }
    }
    Ok(sizes)
}

/// Force, then moment, of each pair of a moving joint.
fn transmitted(m: &Model<f64>, data: &RneaData<f64>) -> Result<Vec<[f64; 6]>, Error> {
    let mut out = vec![];
    for k in (0..m.joints().len()).filter(|&k| !m.joints()[k].bodies.is_empty()) {
        let components = |f: Force<f64>| [f.force.x, f.force.y, f.force.z, f.moment.x, f.moment.y, f.moment.z];
        let wrenches = data.wrenches(m, JointId::new(k), WrenchFrame::Local)?;
        out.extend(wrenches.iter().map(|w| components(w.total)));
    }
    Ok(out)
}

/// An error of the text or of the core.
enum Either {
    Text(ReadError),
    Core(Error),
}

impl Either {
    fn or(self, text: impl Fn(ReadError) -> VerifyError) -> VerifyError {
        match self {
            Either::Text(e) => text(e),
            Either::Core(e) => e.into(),
        }
    }
}

impl From<ReadError> for Either {
    fn from(e: ReadError) -> Self {
        Either::Text(e)
    }
}

fn in_cartesian_space(model: &Model<f64>, values: &Values, differences: &mut Differences) -> Result<(), Either> {
    let Some(form) = &values.e.supplements().cartesian else { return Ok(()) };
    let (o, s, n) = (&form.options, values.state, values.e.size());
    let task =
        Task { link: o.tool.link, at: Some(o.tool.pose), frame: o.frame, directions: &o.directions, rate: o.rate };
    let mut data = CartesianData::new(model);
    let known = match cartesian(model, &mut data, &task, &s.q, &s.qd) {
        // Nothing to compare with.
        Err(Error::Singular { .. }) => return Ok(()),
        known => known.map_err(Either::Core)?,
    };
    let flat = |rows: Vec<Vec<f64>>| rows.concat();
    let matrix = |name: &str| {
        let missing = || ReadError { text: name.to_string(), reason: "the document has no such matrix".to_string() };
        values.matrix(name).and_then(|m| m.map(flat).ok_or_else(missing))
    };
    differences.compare("Jacobian J", &matrix("J")?, known.jacobian, 0.0);
    let determinant = match (n, known.jacobian) {
        (1, j) => j[0],
        (2, j) => j[0] * j[3] - j[1] * j[2],
        (_, j) => {
            let minor = |a: usize, b: usize| j[3 + a] * j[6 + b] - j[3 + b] * j[6 + a];
            j[0] * minor(1, 2) - j[1] * minor(0, 2) + j[2] * minor(0, 1)
        }
    };
    // A determinant is a sum of products of this size.
    let size = known.jacobian.iter().fold(0.0, |s: f64, x| s.max(x.abs())).powi(n as i32);
    differences.compare("det J", &[values.of(&Name::new("det J", 0))?], &[determinant], size);
    let rate = match values.matrix("J q")? {
        Some(rows) => rows.concat(),
        None => (0..n).map(|r| values.element("ax", &[r], true)).collect::<Result<Vec<_>, _>>()?,
    };
    differences.compare("J̇q̇", &rate, known.rate, 0.0);
    let mass = match values.matrix("Mx")? {
        Some(rows) => rows.concat(),
        None => {
            let all = (0..n * n).map(|at| values.element("Mx", &[(at / n).min(at % n), (at / n).max(at % n)], true));
            all.collect::<Result<_, _>>()?
        }
    };
    let vector = |name: &str| (0..n).map(|r| values.element(name, &[r], true)).collect::<Result<Vec<_>, _>>();
    // Near a singular state the elements are large, and so is the rounding error of all of them.
    let amplified = |values: &[f64]| values.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
    differences.compare("M_x", &mass, known.mass, 0.0);
    differences.compare("V_x", &vector("Vx")?, known.velocity, amplified(known.mass) * amplified(known.rate));
    differences.compare("G_x", &vector("Gx")?, known.gravity, 0.0);
    Ok(())
}
