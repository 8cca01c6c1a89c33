//! A program: a dynamics quantity of one robot as a graph and its outputs.

use crate::count::Count;
use crate::graph::{Array, Expr, Graph, Input, Node};
use crate::reference::{Reference, references};
use armdyn_core::{AbaData, Error, Model, aba};

/// A dynamics quantity that a program computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// τ(q, q̇, q̈).
    Inverse,
    /// g(q).
    Gravity,
    /// C(q, q̇) q̇.
    Coriolis,
    /// C(q, q̇) q̇ + g(q), without friction.
    Bias,
    /// M(q), row-major.
    Mass,
    /// q̈(q, q̇, τ).
    Forward,
    /// The pose of the last link: rotation by rows, then position.
    Kinematics,
    /// The Jacobian of the last link at its origin in base axes, 6 × n row-major, linear rows first.
    Jacobian,
    /// ∂τ/∂q, then ∂τ/∂q̇, of inverse dynamics, each n × n row-major.
    Derivatives,
    /// Y(q, q̇, q̈) with τ = Y π, row-major; columns as [`armdyn_core::parameters`].
    Regressor,
    /// M(q)⁻¹, row-major.
    InverseMass,
    /// ∂q̈/∂q, then ∂q̈/∂q̇, then ∂q̈/∂τ = M⁻¹, of forward dynamics, each n × n row-major.
    ForwardDerivatives,
}

named!(Quantity {
    Inverse "inverse", Gravity "gravity", Coriolis "coriolis", Bias "bias", Mass "mass", Forward "forward",
    Kinematics "kinematics", Jacobian "jacobian", Derivatives "derivatives", Regressor "regressor",
    InverseMass "inverse_mass", ForwardDerivatives "forward_derivatives"
});

impl Quantity {
    /// The input arrays.
    pub fn arrays(self) -> &'static [Array] {
        match self {
            Quantity::Inverse | Quantity::Derivatives | Quantity::Regressor => &[Array::Q, Array::Qd, Array::Qdd],
            Quantity::Coriolis | Quantity::Bias => &[Array::Q, Array::Qd],
            Quantity::Forward | Quantity::ForwardDerivatives => &[Array::Q, Array::Qd, Array::Tau],
            Quantity::Gravity | Quantity::Mass | Quantity::InverseMass | Quantity::Kinematics | Quantity::Jacobian => {
                &[Array::Q]
            }
        }
    }

    /// Number of rows, if the result is a matrix, of a robot with `n` degrees of freedom.
    pub fn rows(self, n: usize) -> Option<usize> {
        match self {
            Quantity::Mass | Quantity::InverseMass | Quantity::Regressor => Some(n),
            Quantity::Jacobian => Some(6),
            Quantity::Derivatives => Some(2 * n),
            Quantity::ForwardDerivatives => Some(3 * n),
            _ => None,
        }
    }
}

/// An output of a program.
#[derive(Clone, Debug)]
pub struct Output {
    /// Display name: `tau2`, `M13`.
    pub name: String,
    /// The expression.
    pub value: Expr,
}

/// A straight-line program of one robot.
#[derive(Clone, Debug)]
pub struct Program {
    /// The robot's name.
    pub robot: String,
    /// The computed quantity.
    pub quantity: Quantity,
    /// How it was derived: `traced`, `minimal`, `renaud`.
    pub strategy: String,
    /// The lengths of q and of q̇.
    pub size: (usize, usize),
    /// Names of the degrees of freedom.
    pub joints: Vec<String>,
    /// Whether each degree of freedom is rotational (rad, N m), otherwise translational (m, N).
    pub rotational: Vec<bool>,
    /// Names of the elements of q: the degree of freedom, or a component of a quaternion.
    pub coordinates: Vec<String>,
    /// The expressions.
    pub graph: Graph,
    /// The outputs, in order.
    pub outputs: Vec<Output>,
    /// States with the results of the core's algorithm, for tests of generated code.
    pub references: Vec<Reference>,
    /// Definitions of what the formulas of the parameters refer to.
    pub legend: Vec<String>,
    /// Divisors that are positive in every state with a positive definite mass matrix ([`Program::with_pivots`]).
    pub pivots: Vec<Expr>,
}

impl Program {
    /// A program of a model, without references.
    pub fn of(model: &Model<f64>, quantity: Quantity, strategy: &str, graph: Graph, outputs: Vec<Output>) -> Self {
        Program {
            robot: model.name().to_string(),
            quantity,
            strategy: strategy.to_string(),
            size: (model.nq(), model.nv()),
            joints: model.dof_names().to_vec(),
            rotational: (0..model.nv()).map(|dof| model.is_rotational(dof)).collect(),
            coordinates: model.coordinate_names(),
            graph,
            outputs,
            references: vec![],
            legend: vec![],
            pivots: vec![],
        }
    }

    /// With its divisors as pivots, so that generated CUDA kernels mark states whose mass matrix is not positive definite. The signs
    /// are those in a state where the core's [`aba`] succeeds; the error is that of `aba`, or of a program without such signs.
    pub fn with_pivots(self, model: &Model<f64>) -> Result<Self, Error> {
        let (mut q, zero, mut out) = (vec![0.0; model.nq()], vec![0.0; model.nv()], vec![0.0; model.nv()]);
        model.random(|| 0.7, &mut q)?;
        aba(model, &mut AbaData::new(model), &q, &zero, &zero, &mut out)?;
        let needed = self.graph.needed(&self.values());
        let mut divisors: Vec<Expr> = vec![];
        for (node, _) in self.graph.nodes().iter().zip(needed).filter(|(_, needed)| *needed) {
            if let Node::Quotient(_, b) = *node {
                divisors.push(b.unsigned());
            }
        }
        divisors.sort();
        divisors.dedup();
        let state =
            |i: &Input| if i.array == Array::Q { q[i.index] } else { i.parameter.as_ref().map_or(0.0, |p| p.value) };
        let inputs: Vec<f64> = self.graph.inputs().iter().map(state).collect();
        let values = self.graph.evaluate(&divisors, &inputs);
        let pivot = |(e, value): (Expr, f64)| match value {
            _ if value > 0.0 => Ok(e),
            _ if value < 0.0 => Ok(e.flipped(true)),
            _ => Err(Error::NotPositiveDefinite { joint: self.robot.clone() }),
        };
        let pivots = divisors.into_iter().zip(values).map(pivot).collect::<Result<_, _>>()?;
        Ok(Program { pivots, ..self })
    }

    /// With the results of the core's algorithm at a few states.
    pub(crate) fn with_references(self, model: &Model<f64>) -> Self {
        Program { references: references(model, self.quantity), ..self }
    }

    /// The largest difference from the references, relative to the largest element of each result; none without references.
    pub fn reference_error(&self) -> Option<f64> {
        let parameters = self.parameters();
        let error = |r: &Reference| {
            let mut arrays: Vec<(Array, &[f64])> = r.arrays.iter().map(|(a, values)| (*a, &values[..])).collect();
            arrays.push((Array::Parameter, &parameters));
            let found = self.evaluate(&arrays);
            let scale = r.results.iter().fold(1e-300, |s: f64, x| s.max(x.abs()));
            found.iter().zip(&r.results).fold(0.0, |s: f64, (x, y)| s.max((x - y).abs() / scale))
        };
        self.references.iter().map(error).reduce(f64::max)
    }

    /// The operation count of a call.
    pub fn count(&self) -> Count {
        Count::of(&self.graph, &self.values())
    }

    /// The input arrays of the state with their lengths; a wrench at the tip, if the program takes one, comes last.
    pub fn arrays(&self) -> Vec<(Array, usize)> {
        let (nq, nv) = self.size;
        let length = |array| if array == Array::Q { nq } else { nv };
        let wrench = self.graph.inputs().iter().any(|i| i.array == Array::Wrench);
        let state = self.quantity.arrays().iter().map(|&a| (a, length(a)));
        state.chain(wrench.then_some((Array::Wrench, 6))).collect()
    }

    /// The parameter values of the robot, in order.
    pub fn parameters(&self) -> Vec<f64> {
        self.graph.inputs().iter().filter_map(|i| i.parameter.as_ref().map(|p| p.value)).collect()
    }

    /// The expressions of the outputs.
    pub fn values(&self) -> Vec<Expr> {
        self.outputs.iter().map(|o| o.value).collect()
    }

    /// Evaluates the program; arrays that it does not depend on may be left out. See [`Tape`](crate::Tape) for repeated
    /// evaluation.
    pub fn evaluate(&self, arrays: &[(Array, &[f64])]) -> Vec<f64> {
        let find = |array: Array| arrays.iter().find(|(a, _)| *a == array).map_or(&[][..], |(_, values)| values);
        let inputs: Vec<f64> = self.graph.inputs().iter().map(|i| find(i.array)[i.index]).collect();
        self.graph.evaluate(&self.values(), &inputs)
    }
}
