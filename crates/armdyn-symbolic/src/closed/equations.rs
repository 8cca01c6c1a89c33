//! The equations of motion in closed form.

use super::supplements::{Fraction, MotionTerm, Supplements};
use super::{ClosedOptions, Coordinate, Point, Poly, Ring, Sum};
use crate::parameters::Parameter;
use crate::rounded_angles::RoundedAngles;

/// A named sum of parameters.
#[derive(Clone, Debug)]
pub struct Group {
    /// The definition.
    pub definition: Sum,
    /// The value.
    pub value: f64,
}

/// A degree of freedom.
#[derive(Clone, Debug)]
pub struct DegreeOfFreedom {
    /// Name in the robot file.
    pub name: String,
    /// Whether it is an angle or a length.
    pub coordinate: Coordinate,
    /// The moved link.
    pub link: String,
}

/// A coefficient in factored form and as a polynomial of [`Equations::ring`].
#[derive(Clone, Debug)]
pub struct Coefficient {
    /// Factored form.
    pub written: Sum,
    /// The polynomial.
    pub poly: Poly,
}

impl Coefficient {
    /// Whether it is identically zero.
    pub fn is_zero(&self) -> bool {
        self.written.is_zero()
    }
}

/// The equations of motion of a robot. Degrees of freedom are numbered from 0.
#[derive(Clone, Debug)]
pub struct Equations {
    /// The robot's name.
    pub robot: String,
    /// The options.
    pub options: ClosedOptions,
    /// The degrees of freedom.
    pub dofs: Vec<DegreeOfFreedom>,
    /// The parameters with a symbol.
    pub parameters: Vec<Parameter>,
    /// Named sums of parameters, with [`Parameters::Grouped`](super::Parameters::Grouped).
    pub groups: Vec<Group>,
    /// Rounded angles that were made exact.
    pub rounded_angles: RoundedAngles,
    /// Gravity in base axes.
    pub gravity_vector: [f64; 3],
    /// The polynomials.
    pub ring: Ring,
    /// The names of the symbols in the equations.
    pub(super) used: Vec<String>,
    pub(super) gravity: Vec<Coefficient>,
    pub(super) inertia: Vec<Coefficient>,
    pub(super) velocity: Vec<Coefficient>,
    pub(super) supplements: Supplements<Coefficient>,
}

impl Equations {
    /// Number of degrees of freedom.
    pub fn size(&self) -> usize {
        self.dofs.len()
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

    /// Energies, joint wrenches and Cartesian form, as requested by the options.
    pub fn supplements(&self) -> &Supplements<Coefficient> {
        &self.supplements
    }

    /// The terms of the kinetic energy ½ q̇ᵀ M q̇: factor, the two joints, coefficient.
    pub fn kinetic_energy(&self) -> Vec<(f64, [usize; 2], &Coefficient)> {
        let n = self.size();
        let pairs = (0..n).flat_map(|i| (i..n).map(move |j| [i, j]));
        let terms = pairs.map(|[i, j]| (if i == j { 0.5 } else { 1.0 }, [i, j], self.inertia(i, j)));
        terms.filter(|t| !t.2.is_zero()).collect()
    }

    /// The i, j ≤ k of the Dᵢⱼₖ that are identically zero.
    pub fn zeros(&self) -> Vec<[usize; 3]> {
        self.triples().filter(|&[i, j, k]| self.velocity(i, j, k).is_zero()).collect()
    }

    /// Every i, j ≤ k.
    pub fn triples(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let n = self.size();
        (0..n).flat_map(move |i| (0..n).flat_map(move |j| (j..n).map(move |k| [i, j, k])))
    }

    /// The coefficient before `at`, in the order of [`Equations::triples`], that this one equals, or whose negative it is
    /// (true).
    pub fn duplicate_of(&self, at: [usize; 3]) -> Option<([usize; 3], bool)> {
        let of = |[i, j, k]: [usize; 3]| self.velocity(i, j, k);
        let this = of(at);
        self.triples().take_while(|&t| t != at).filter(|&t| !of(t).is_zero()).find_map(|t| {
            let other = of(t).poly;
            let equal = self.ring.equal(this.poly, other);
            (equal || self.ring.opposite(this.poly, other)).then_some((t, !equal))
        })
    }

    /// Whether a parameter occurs in the equations.
    pub fn uses(&self, parameter: &Parameter) -> bool {
        let name = parameter.symbol.plain();
        self.used.contains(&name)
    }

    /// Evaluates an expression with the robot's parameter values.
    pub fn evaluate(&self, written: &Sum, q: &[f64]) -> f64 {
        let parameters: Vec<f64> = self.parameters.iter().map(|p| p.value).collect();
        let groups: Vec<f64> = self.groups.iter().map(|g| g.value).collect();
        written.evaluate(Point { q, parameters: &parameters, groups: &groups })
    }
}

impl Equations {
    /// The value of a sum of motion terms; `rates` has the velocities, then the accelerations.
    pub fn evaluate_terms(&self, terms: &[MotionTerm<Coefficient>], q: &[f64], rates: [&[f64]; 2]) -> f64 {
        let rate = |(i, order): &(usize, u8)| rates[usize::from(*order == 2)][*i];
        let value = |t: &MotionTerm<Coefficient>| {
            self.evaluate(&t.coefficient.written, q) * t.rates.iter().map(rate).product::<f64>()
        };
        terms.iter().map(value).sum()
    }

    /// The value of a sum of fractions.
    pub fn evaluate_quotient(&self, quotient: &[Fraction<Coefficient>], q: &[f64]) -> f64 {
        let factor = |(c, power): &(Coefficient, u8)| self.evaluate(&c.written, q).powi(i32::from(*power));
        let value = |f: &Fraction<Coefficient>| {
            self.evaluate(&f.numerator.written, q) / f.denominator.iter().map(factor).product::<f64>()
        };
        quotient.iter().map(value).sum()
    }
}

/// The index of a pair in the packed lower triangle of a symmetric matrix.
pub(super) fn pair(i: usize, j: usize) -> usize {
    let (low, high) = (i.min(j), i.max(j));
    high * (high + 1) / 2 + low
}
