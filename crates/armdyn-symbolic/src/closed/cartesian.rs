//! The Cartesian form as formulas (Lin, Manipulator Dynamics, pp. 36–40), for arms of up to three joints and a square J:
//!
//!   M_x = J⁻ᵀ M J⁻¹,   V_x = J⁻ᵀ V − M_x J̇q̇,   G_x = J⁻ᵀ g
//!
//! With J⁻¹ = adj J / det J each element is a polynomial over a power of det J, reduced in `fraction`.

use super::fraction::{Determinant, Part};
use super::options::{ClosedError, ClosedOptions};
use super::poly::Poly;
use super::supplements::{Fraction, MotionTerm, Quotient, map_quotient, map_terms};
use armdyn_core::{
    Error, JacobianFrame, KinematicsData, Model, Motion, Rate, Real, Task, TaskDirection, Tool, Transform, kinematics,
    movable_directions,
};

/// Maximum number of degrees of freedom of a Cartesian form.
pub const MAX_JOINTS: usize = 3;

/// Options of the Cartesian form.
#[derive(Clone, Debug)]
pub struct CartesianOptions {
    /// The frame whose motion is described.
    pub tool: Tool,
    /// Axes of the base, at the tool ([`JacobianFrame::LocalWorldAligned`]), or of the tool ([`JacobianFrame::Local`]).
    pub frame: JacobianFrame,
    /// The components of the tool's motion, as many as joints; if empty, the first of x, y, z, rx, ry, rz that are independent.
    pub directions: Vec<TaskDirection>,
    /// Definition of ẍ.
    pub rate: Rate,
}

/// F = M_x ẍ + V_x + G_x for as many directions as joints. Matrices are row-major.
#[derive(Clone, Debug)]
pub struct CartesianForm<C> {
    /// The options, with the directions.
    pub options: CartesianOptions,
    /// J: ẋ = J q̇.
    pub jacobian: Vec<C>,
    /// det J: a number and factors with their powers.
    pub determinant: (f64, Vec<(C, u8)>),
    /// J̇q̇: ẍ at q̈ = 0.
    pub rate: Vec<Vec<MotionTerm<C>>>,
    /// M_x.
    pub mass: Vec<Quotient<C>>,
    /// V_x: quotients with the two velocities that they multiply.
    pub velocity: Vec<Vec<(Quotient<C>, [usize; 2])>>,
    /// G_x.
    pub gravity: Vec<Quotient<C>>,
}

impl<C> CartesianForm<C> {
    pub(super) fn map<D>(self, f: &mut impl FnMut(C) -> D) -> CartesianForm<D> {
        let jacobian = self.jacobian.into_iter().map(&mut *f).collect();
        let (number, factors) = self.determinant;
        let determinant = (number, factors.into_iter().map(|(c, p)| (f(c), p)).collect());
        let rate = self.rate.into_iter().map(|t| map_terms(t, f)).collect();
        let mass = self.mass.into_iter().map(|q| map_quotient(q, f)).collect();
        let mut row = |row: Vec<(Quotient<C>, [usize; 2])>| {
            row.into_iter().map(|(q, rates)| (map_quotient(q, f), rates)).collect()
        };
        let velocity = self.velocity.into_iter().map(&mut row).collect();
        let gravity = self.gravity.into_iter().map(|q| map_quotient(q, f)).collect();
        CartesianForm { options: self.options, jacobian, determinant, rate, mass, velocity, gravity }
    }
}

impl CartesianForm<Poly> {
    /// With the numbers among the factors of denominators and of the determinant multiplied out, in the active ring.
    pub(super) fn with_plain_denominators(mut self) -> Self {
        let plain = |fraction: &mut Fraction<Poly>| {
            fraction.denominator.retain(|(factor, power)| match factor.constant() {
                Some(x) => {
                    fraction.numerator /= Poly::lift(x.powi(i32::from(*power)));
                    false
                }
                None => true,
            });
        };
        self.mass.iter_mut().chain(&mut self.gravity).flatten().for_each(plain);
        self.velocity.iter_mut().flatten().flat_map(|(q, _)| q).for_each(plain);
        let (number, factors) = &mut self.determinant;
        factors.retain(|(factor, power)| match factor.constant() {
            Some(x) => {
                *number *= x.powi(i32::from(*power));
                false
            }
            None => true,
        });
        self
    }
}

/// Completes the options for a robot, or says why it has no such form.
pub(super) fn resolved(m: &Model<f64>, options: &CartesianOptions) -> Result<CartesianOptions, ClosedError> {
    let n = m.nv();
    if n > MAX_JOINTS {
        return Err(ClosedError::TooManyForCartesian { found: n });
    }
    if let Some(f) = m.followers().first() {
        let formulation = "the Cartesian form in closed form (robots without mimic joints)";
        return Err(Error::Unsupported { formulation, joint: m.joints()[f.joint].name.clone() }.into());
    }
    if options.frame == JacobianFrame::World {
        return Err(ClosedError::NoCartesianFrame);
    }
    let mut options = options.clone();
    if options.directions.is_empty() {
        let CartesianOptions { tool, frame, rate, .. } = options;
        let task = Task { link: tool.link, at: Some(tool.pose), frame, directions: &[], rate };
        // In a configuration without special angles.
        let q: Vec<f64> = (0..m.nq()).map(|i| 0.37 + 0.61 * i as f64).collect();
        options.directions = movable_directions(m, &task, &q)?;
    }
    if options.directions.len() != n {
        return Err(ClosedError::NotSquare { directions: options.directions.len(), joints: n });
    }
    Ok(options)
}

/// ∂/∂qᵢ of each.
fn derivatives(values: &[Poly], i: usize) -> Vec<Poly> {
    values.iter().map(|p| p.derivative(i)).collect()
}

/// The adjugate of a square matrix of up to three rows.
fn adjugate(a: &[Poly], n: usize) -> Vec<Poly> {
    let at = |r: usize, c: usize| a[(r % n) * n + c % n];
    let mut out = vec![Poly::one(); n * n];
    for r in 0..n {
        for c in 0..n {
            out[c * n + r] = match n {
                1 => Poly::one(),
                2 if r == c => at(r + 1, c + 1),
                2 => -at(r + 1, c + 1),
                _ => at(r + 1, c + 1) * at(r + 2, c + 2) - at(r + 1, c + 2) * at(r + 2, c + 1),
            };
        }
    }
    out
}

/// The form of a robot with mass matrix `mass`, velocity coefficients and gravity, in the active ring. `tool` is the pose of the
/// tool in its body.
pub(super) fn cartesian(
    m: &Model<Poly>,
    q: &[Poly],
    options: CartesianOptions,
    tool: Transform<Poly>,
    (gravity, mass, velocity): (&[Poly], impl Fn(usize, usize) -> Poly, impl Fn(usize, usize, usize) -> Poly),
    limits: &ClosedOptions,
) -> Result<CartesianForm<Poly>, ClosedError> {
    let n = m.nv();
    let mut data = KinematicsData::new(m);
    kinematics(m, &mut data, q)?;
    let body = m.links()[options.tool.link].body;
    let pose = data.poses()[body].compose(&tool);
    let frame = match options.frame {
        JacobianFrame::Local => pose,
        _ => Transform::from_translation(pose.translation),
    };
    let mut columns = vec![Motion::zero(); n];
    let mut at = body;
    while at != 0 {
        let v = m.body(at).v;
        columns[v] = frame.motion_back(data.screws()[v]);
        at = m.body(at).parent;
    }
    let chosen = |motion: Motion<Poly>| -> Vec<Poly> { options.directions.iter().map(|d| d.of(motion)).collect() };
    let mut jacobian = vec![Poly::zero(); n * n];
    for (c, column) in columns.iter().enumerate() {
        chosen(*column).into_iter().enumerate().for_each(|(r, x)| jacobian[r * n + c] = x);
    }
    let adjugate = adjugate(&jacobian, n);
    let whole = (0..n).fold(Poly::zero(), |sum, k| sum + jacobian[k] * adjugate[k * n]);
    if let Some(failure) = whole.failure() {
        return Err(ClosedError::of(failure, limits));
    }
    let determinant = Determinant::of(whole).ok_or(ClosedError::SingularCartesian)?;
    // J̇q̇ by products of velocities; in turning axes the inertial acceleration has ω × v besides.
    let turning = options.rate == Rate::Inertial && options.frame == JacobianFrame::Local;
    let slopes: Vec<Vec<Poly>> = (0..n).map(|i| derivatives(&jacobian, i)).collect();
    let point = |j: usize, k: usize| {
        let mut out = Motion::zero();
        out.linear = columns[j].angular.cross(columns[k].linear);
        chosen(out)
    };
    let rate_of = |j: usize, k: usize| -> Vec<Poly> {
        let (jk, kj) = if turning { (point(j, k), point(k, j)) } else { (vec![], vec![]) };
        let carried = |r: usize, one: &[Poly]| one.get(r).copied().unwrap_or_else(Poly::zero);
        let component = |r: usize| {
            let first = slopes[k][r * n + j] + carried(r, &jk);
            if j == k { first } else { first + slopes[j][r * n + k] + carried(r, &kj) }
        };
        (0..n).map(component).collect()
    };
    let pairs: Vec<[usize; 2]> = (0..n).flat_map(|j| (j..n).map(move |k| [j, k])).collect();
    let rates: Vec<Vec<Poly>> = pairs.iter().map(|&[j, k]| rate_of(j, k)).collect();
    // adjᵀ M adj, the numerators of M_x.
    let sum = |f: &dyn Fn(usize) -> Poly| (0..n).fold(Poly::zero(), |s, k| s + f(k));
    let half: Vec<Poly> = (0..n * n).map(|at| sum(&|k| mass(at / n, k) * adjugate[k * n + at % n])).collect();
    let numerators: Vec<Poly> =
        (0..n * n).map(|at| sum(&|k| adjugate[k * n + at / n] * half[k * n + at % n])).collect();
    let quotient = |p: Poly, power: u8| fractions(determinant.quotient(p, power));
    let velocity_of = |r: usize| {
        let of = |(&[j, k], rate): (&[usize; 2], &Vec<Poly>)| {
            let twice = Poly::lift(if j == k { 1.0 } else { 2.0 });
            let torque = sum(&|i| adjugate[i * n + r] * velocity(i, j, k)) * twice * determinant.whole;
            let quotient = quotient(torque - sum(&|s| numerators[r * n + s] * rate[s]), 2);
            (!quotient.is_empty()).then_some((quotient, [j, k]))
        };
        pairs.iter().zip(&rates).filter_map(of).collect()
    };
    let rate = |r: usize| {
        let term = |([j, k], rate): (&[usize; 2], &Vec<Poly>)| {
            let coefficient = rate[r];
            (!coefficient.is_null()).then(|| MotionTerm { coefficient, rates: vec![(*j, 1), (*k, 1)] })
        };
        pairs.iter().zip(&rates).filter_map(term).collect()
    };
    Ok(CartesianForm {
        rate: (0..n).map(rate).collect(),
        mass: numerators.iter().map(|&p| quotient(p, 2)).collect(),
        velocity: (0..n).map(velocity_of).collect(),
        gravity: (0..n).map(|r| quotient(sum(&|i| adjugate[i * n + r] * gravity[i]), 1)).collect(),
        determinant: determinant.factors(),
        jacobian,
        options,
    })
}

fn fractions(parts: Vec<Part>) -> Quotient<Poly> {
    let parts = parts.into_iter().filter(|p| !p.numerator.is_null());
    parts.map(|p| Fraction { numerator: p.numerator, denominator: p.denominator }).collect()
}
