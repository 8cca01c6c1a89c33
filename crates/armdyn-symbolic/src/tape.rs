//! Straight-line programs: the operations that some outputs of a graph need, in order, evaluated over any scalar.
//!
//! The gradient is computed in reverse mode (Griewank & Walther 2008, section 3.2) and costs about four evaluations.

use crate::graph::{Array, Expr, Graph, Node, Stage};
use armdyn_core::Real;
use thiserror::Error;

/// A straight-line program. Operands are positions on the tape, before the operation that uses them.
#[derive(Clone, Debug)]
pub struct Tape {
    operations: Vec<Node>,
    outputs: Vec<Expr>,
    inputs: usize,
}

/// Reasons why a tape cannot be built.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TapeError {
    /// The number of parameter values differs from the number of parameters.
    #[error("the program has {expected} parameters, but {found} values were passed")]
    Parameters {
        /// Parameters of the program.
        expected: usize,
        /// Values passed.
        found: usize,
    },
    /// An input is not an element of the expected arrays.
    #[error("the program reads `{name}`, which is not one of its input arrays")]
    UnknownInput {
        /// Name of the input.
        name: String,
    },
}

impl Tape {
    /// The operations that the outputs need. The inputs are those of the graph ([`Graph::inputs`]).
    #[must_use]
    pub fn new(graph: &Graph, outputs: &[Expr]) -> Tape {
        let constants = vec![None; graph.nodes().len()];
        Tape::build(graph, outputs, &constants, graph.inputs().len(), |i| Ok(Node::Input(i)))
            .expect("every input of the graph is an input of the tape")
    }

    /// The operations that the outputs need, with numeric parameter values. The inputs are the elements of `arrays` (each with
    /// its length), one array after the other.
    pub fn bind(
        graph: &Graph,
        outputs: &[Expr],
        arrays: &[(Array, usize)],
        parameters: &[f64],
    ) -> Result<Tape, TapeError> {
        let constants = graph.constants(parameters)?;
        let inputs = arrays.iter().map(|(_, n)| n).sum();
        Tape::build(graph, outputs, &constants, inputs, |i| {
            let input = &graph.inputs()[i];
            let k = arrays.iter().position(|(a, n)| *a == input.array && input.index < *n);
            let k = k.ok_or_else(|| TapeError::UnknownInput { name: input.name.clone() })?;
            Ok(Node::Input(arrays[..k].iter().map(|(_, n)| n).sum::<usize>() + input.index))
        })
    }

    fn build(
        graph: &Graph,
        outputs: &[Expr],
        constants: &[Option<f64>],
        inputs: usize,
        input: impl Fn(usize) -> Result<Node, TapeError>,
    ) -> Result<Tape, TapeError> {
        let needed = graph.reached(outputs, |k| constants[k].is_none());
        let mut position = vec![Expr::new(0); needed.len()];
        let mut operations = vec![];
        for (k, node) in graph.nodes().iter().enumerate().filter(|(k, _)| needed[*k]) {
            let at = |e: Expr| position[e.node()].flipped(e.is_negative());
            let operation = match (constants[k], *node) {
                (Some(x), _) => Node::Constant(x.to_bits()),
                (None, Node::Input(i)) => input(i)?,
                (None, node) => node.with_operands(at),
            };
            position[k] = Expr::new(operations.len());
            operations.push(operation);
        }
        let outputs = outputs.iter().map(|e| position[e.node()].flipped(e.is_negative())).collect();
        Ok(Tape { operations, outputs, inputs })
    }

    /// The operations in order. Their operands are positions on the tape; constants may be negative.
    pub fn operations(&self) -> &[Node] {
        &self.operations
    }

    /// The positions of the results, with signs.
    pub fn outputs(&self) -> &[Expr] {
        &self.outputs
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Whether the outputs depend on an input.
    pub fn depends(&self, input: usize) -> bool {
        self.operations.contains(&Node::Input(input))
    }

    /// Whether every operation is differentiable (a sign is not).
    pub fn is_differentiable(&self) -> bool {
        !self.operations.iter().any(|node| matches!(node, Node::Sign(_)))
    }

    /// Computes the values of all operations into `values`; allocates only if its capacity is too small.
    pub fn run<T: Real>(&self, input: impl Fn(usize) -> T, values: &mut Vec<T>) {
        values.clear();
        values.reserve(self.operations.len());
        let mut last_cosine = None;
        for node in &self.operations {
            let operand = |e: Expr| e.signed(values[e.node()]);
            let value = match *node {
                Node::Sin(a) => {
                    let (sine, cosine) = operand(a).sin_cos();
                    last_cosine = Some((a, cosine));
                    sine
                }
                Node::Cos(a) => match last_cosine {
                    Some((angle, cosine)) if angle == a => cosine,
                    _ => operand(a).sin_cos().1,
                },
                node => node.apply(operand, &input),
            };
            values.push(value);
        }
    }

    /// The outputs.
    pub fn evaluate<T: Real>(&self, inputs: &[T]) -> Vec<T> {
        let mut values = vec![];
        self.run(|i| inputs[i], &mut values);
        self.outputs.iter().map(|o| o.signed(values[o.node()])).collect()
    }

    /// The first output.
    pub fn value<T: Real>(&self, inputs: &[T]) -> T {
        self.evaluate(inputs)[0]
    }

    /// The first output and its partial derivatives by the inputs. The derivative of a sign is taken as zero.
    pub fn gradient<T: Real>(&self, inputs: &[T]) -> (T, Vec<T>) {
        let mut values = vec![];
        self.run(|i| inputs[i], &mut values);
        let mut gradient = vec![T::zero(); self.inputs];
        let mut adjoints = vec![T::zero(); values.len()];
        let value = |e: Expr| e.signed(values[e.node()]);
        let add = |adjoints: &mut [T], e: Expr, x: T| adjoints[e.node()] += e.signed(x);
        add(&mut adjoints, self.outputs[0], T::one());
        for (k, node) in self.operations.iter().enumerate().rev() {
            let adjoint = adjoints[k];
            let two = T::lift(2.0);
            match *node {
                Node::Constant(_) | Node::Sign(_) => {}
                Node::Input(i) => gradient[i] += adjoint,
                Node::Sum(a, b) => {
                    add(&mut adjoints, a, adjoint);
                    add(&mut adjoints, b, adjoint);
                }
                Node::Product(a, b) if a == b => add(&mut adjoints, a, adjoint * (two * value(a))),
                Node::Product(a, b) => {
                    add(&mut adjoints, a, adjoint * value(b));
                    add(&mut adjoints, b, adjoint * value(a));
                }
                Node::Quotient(a, b) => {
                    let slope = adjoint / value(b);
                    add(&mut adjoints, a, slope);
                    add(&mut adjoints, b, -(slope * values[k]));
                }
                Node::Root(a) => add(&mut adjoints, a, adjoint / (two * values[k])),
                Node::Sin(a) => add(&mut adjoints, a, adjoint * value(a).sin_cos().1),
                Node::Cos(a) => add(&mut adjoints, a, -(adjoint * value(a).sin_cos().0)),
            }
        }
        (value(self.outputs[0]), gradient)
    }
}

impl Graph {
    /// The values of all nodes before stage [`Stage::Call`], with these parameter values.
    fn constants(&self, parameters: &[f64]) -> Result<Vec<Option<f64>>, TapeError> {
        let of_parameters = self.inputs().iter().filter(|i| i.array == Array::Parameter);
        let expected = of_parameters.map(|i| i.index + 1).max().unwrap_or(0);
        if parameters.len() != expected {
            return Err(TapeError::Parameters { expected, found: parameters.len() });
        }
        let mut values: Vec<Option<f64>> = vec![None; self.nodes().len()];
        for (k, node) in self.nodes().iter().enumerate().filter(|(k, _)| self.stage(*k) < Stage::Call) {
            let operand = |e: Expr| e.signed(values[e.node()].expect("operands are known before"));
            values[k] = Some(node.apply(operand, |i| parameters[self.inputs()[i].index]));
        }
        Ok(values)
    }

    /// The values of the outputs at values of the inputs ([`Graph::inputs`]).
    pub fn evaluate(&self, outputs: &[Expr], inputs: &[f64]) -> Vec<f64> {
        Tape::new(self, outputs).evaluate(inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::Dual;

    fn function<T: Real>([a, b, c]: [T; 3]) -> T {
        (a * b - c).sqrt() / (a.sin_cos().0 + b.sin_cos().1 * c) - (c - b).sign() * a * a
    }

    fn tape() -> Tape {
        let (graph, output) =
            Graph::record(|| function(std::array::from_fn(|i| Graph::input(Array::Q, i, &format!("x{i}")))));
        Tape::bind(&graph, &[output], &[(Array::Q, 3)], &[]).unwrap()
    }

    /// Reverse mode against forward mode (dual numbers) of the same function.
    #[test]
    fn the_gradient_equals_that_of_dual_numbers() {
        let x = [1.2, 2.5, -0.7];
        let (value, gradient) = tape().gradient(&x);
        for (k, slope) in gradient.iter().enumerate() {
            let expected = function::<Dual<f64, 1>>(std::array::from_fn(|i| Dual {
                value: x[i],
                grad: [f64::from(u8::from(i == k))],
            }));
            assert!((value - expected.value).abs() < 1e-14 * value.abs());
            assert!((slope - expected.grad[0]).abs() < 1e-13 * value.abs(), "{k}: {slope} {expected:?}");
        }
    }

    #[test]
    fn parameters_become_constants() {
        let (graph, output) = Graph::record(|| {
            let [m, l] = [0, 1].map(|i| Graph::input(Array::Parameter, i, &format!("p{i}")));
            m * l * Graph::input(Array::Q, 1, "q2").sin_cos().0
        });
        let bind = |n, values: &[f64]| Tape::bind(&graph, &[output], &[(Array::Q, n)], values);
        let tape = bind(2, &[2.0, -3.0]).unwrap();
        assert_eq!(tape.operations().len(), 4, "m l is one constant: {tape:?}");
        assert_eq!(tape.value(&[0.0, 0.5]), -6.0 * Real::sin_cos(0.5f64).0);
        assert!(tape.depends(1) && !tape.depends(0));
        assert_eq!(bind(2, &[]).err(), Some(TapeError::Parameters { expected: 2, found: 0 }));
        assert_eq!(bind(1, &[2.0, 3.0]).err(), Some(TapeError::UnknownInput { name: "q2".to_string() }));
    }
}
