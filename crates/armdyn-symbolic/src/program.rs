//! A program: what is to be computed for one robot, as a graph and its outputs.

use crate::count::Count;
use crate::graph::{Array, Expr, Graph};
use armdyn_core::Model;
use std::fmt;

/// What a program gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// τ(q, q̇, q̈).
    Inverse,
    /// g(q).
    Gravity,
    /// C(q, q̇) q̇.
    Coriolis,
    /// M(q), row-major.
    Mass,
    /// q̈(q, q̇, τ).
    Forward,
    /// The pose of the last link: rotation by rows, then position.
    Kinematics,
    /// The Jacobian of the last link, 6 × n row-major, linear rows first, base's axes, at its origin.
    Jacobian,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Quantity; 7] = [
        Quantity::Inverse,
        Quantity::Gravity,
        Quantity::Coriolis,
        Quantity::Mass,
        Quantity::Forward,
        Quantity::Kinematics,
        Quantity::Jacobian,
    ];

    /// `inverse`, `gravity`, ….
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Inverse => "inverse",
            Quantity::Gravity => "gravity",
            Quantity::Coriolis => "coriolis",
            Quantity::Mass => "mass",
            Quantity::Forward => "forward",
            Quantity::Kinematics => "kinematics",
            Quantity::Jacobian => "jacobian",
        }
    }

    /// The arrays that it depends on.
    pub fn arrays(self) -> &'static [Array] {
        match self {
            Quantity::Inverse => &[Array::Q, Array::Qd, Array::Qdd],
            Quantity::Coriolis => &[Array::Q, Array::Qd],
            Quantity::Forward => &[Array::Q, Array::Qd, Array::Tau],
            Quantity::Gravity | Quantity::Mass | Quantity::Kinematics | Quantity::Jacobian => &[Array::Q],
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A result of a program.
#[derive(Clone, Debug)]
pub struct Output {
    /// What a person calls it: `tau2`, `M13`.
    pub name: String,
    /// What it is.
    pub value: Expr,
}

/// What is to be computed for one robot.
#[derive(Clone, Debug)]
pub struct Program {
    /// The robot's name.
    pub robot: String,
    /// What it gives.
    pub quantity: Quantity,
    /// How it was found: `traced`, `minimal`, `renaud`.
    pub strategy: String,
    /// The lengths of q and of q̇.
    pub size: (usize, usize),
    /// What each degree of freedom is called.
    pub joints: Vec<String>,
    /// Whether each degree of freedom turns (rad, N m), and does not shift (m, N).
    pub turns: Vec<bool>,
    /// What each element of q is called: its degree of freedom's name, or that of a quaternion's part.
    pub coordinates: Vec<String>,
    /// The expressions.
    pub graph: Graph,
    /// What comes out, in order.
    pub outputs: Vec<Output>,
}

impl Program {
    /// A program of a model's robot.
    pub fn of(model: &Model<f64>, quantity: Quantity, strategy: &str, graph: Graph, outputs: Vec<Output>) -> Self {
        Program {
            robot: model.name().to_string(),
            quantity,
            strategy: strategy.to_string(),
            size: (model.nq(), model.nv()),
            joints: model.dof_names().to_vec(),
            turns: (0..model.nv()).map(|dof| model.turns(dof)).collect(),
            coordinates: model.coordinate_names(),
            graph,
            outputs,
        }
    }

    /// What a call costs.
    pub fn count(&self) -> Count {
        Count::of(&self.graph, &self.values())
    }

    /// The values of its parameters for the robot that it was made for, in order.
    pub fn parameters(&self) -> Vec<f64> {
        self.graph.inputs().iter().filter_map(|i| i.given.as_ref().map(|g| g.value)).collect()
    }

    /// The expressions of the outputs.
    pub fn values(&self) -> Vec<Expr> {
        self.outputs.iter().map(|o| o.value).collect()
    }

    /// Computes it, slowly: the arrays by their kind, those that it does not depend on left out.
    pub fn evaluate(&self, arrays: &[(Array, &[f64])]) -> Vec<f64> {
        let find = |array: Array| arrays.iter().find(|(a, _)| *a == array).map_or(&[][..], |(_, values)| values);
        let inputs: Vec<f64> = self.graph.inputs().iter().map(|i| find(i.array)[i.index]).collect();
        self.graph.evaluate(&self.values(), &inputs)
    }
}
