//! A program as straight-line code, independent of the language: assignments in order.
//!
//! A value that is used once is inlined as long as the expression stays short. Sine and cosine of an angle are computed together.
//! The results are stored last, so that outputs may overlap inputs.

use super::Scalar;
use crate::graph::{Array, Expr, Graph, Node, Stage};
use crate::program::{Program, Quantity};
use std::collections::HashMap;

/// Maximum number of leaves per line.
const LEAVES: usize = 8;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Number(f64),
    Input(Array, usize),
    /// An element of `k`.
    Precomputed(usize),
    /// An assigned name.
    Name(String),
    Negative(Box<Term>),
    /// `+ - * /`.
    Binary(char, Box<[Term; 2]>),
    /// `sqrt`, `sign`.
    Function(&'static str, Box<Term>),
}

/// An assignment.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Value {
        name: String,
        value: Term,
    },
    /// Sine, cosine, or both, of an angle.
    SinCos {
        angle: Term,
        sin: Option<String>,
        cos: Option<String>,
    },
}

/// The body of a function: assignments, then the elements of its result.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub steps: Vec<Step>,
    pub results: Vec<Term>,
    /// What is positive in valid states; CUDA checks it.
    pub pivots: Vec<Term>,
}

/// A function of the emitted code.
#[derive(Clone, Debug)]
pub(super) struct Routine {
    /// `inverse`, `inverse_init`.
    pub name: String,
    /// The input arrays with their lengths.
    pub inputs: Vec<(&'static str, usize)>,
    /// The name of the result.
    pub output: &'static str,
    pub body: Body,
}

impl Routine {
    /// Number of results.
    pub fn results(&self) -> usize {
        self.body.results.len()
    }

    /// Whether it computes `k` from the parameters.
    pub fn is_init(&self) -> bool {
        self.output == "k"
    }
}

/// A program as two functions: from `p` to `k`, and from the state and `k` to the result.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    pub quantity: Quantity,
    /// The arrays of the state, with their lengths.
    pub arrays: Vec<(Array, usize)>,
    /// The length of `p`: 0 if there are no parameters.
    pub parameters: usize,
    /// None if there are no parameters.
    pub init: Option<Routine>,
    pub call: Routine,
    /// Number of rows, if the result is a matrix.
    pub rows: Option<usize>,
}

impl Listing {
    pub fn of(program: &Program) -> Self {
        let graph = &program.graph;
        let values = [program.values(), program.pivots.clone()].concat();
        let nv = program.size.1;
        let needed = graph.needed(&values);
        let is_early = |e: Expr| graph.stage(e.node()) == Stage::Parameters;

        // Elements of `k`: values of stage `Parameters` that are used in the call or are results.
        let late = (0..graph.nodes().len()).filter(|&k| needed[k] && graph.stage(k) == Stage::Call);
        let used = late.flat_map(|k| graph.nodes()[k].operands());
        let mut precomputed: Vec<Expr> =
            used.chain(values.iter().copied()).filter(|e| is_early(*e)).map(Expr::unsigned).collect();
        precomputed.sort();
        precomputed.dedup();
        let place: HashMap<usize, usize> = precomputed.iter().enumerate().map(|(i, e)| (e.node(), i)).collect();

        let parameters = graph.inputs().iter().filter(|i| i.array == Array::Parameter).map(|i| i.index + 1).max();
        let parameters = if precomputed.is_empty() { 0 } else { parameters.unwrap_or(0) };
        let quantity = program.quantity;
        let mut call_body = body(graph, &values, |node| place.get(&node).map(|&i| Term::Precomputed(i)));
        call_body.pivots = call_body.results.split_off(program.outputs.len());
        let arrays = program.arrays();
        let state = arrays.iter().map(|&(a, n)| (a.name(), n));
        let call = Routine {
            name: quantity.name().to_string(),
            inputs: state.chain((!precomputed.is_empty()).then_some(("k", precomputed.len()))).collect(),
            output: match quantity {
                Quantity::Inverse => "tau",
                Quantity::Gravity => "g",
                Quantity::Coriolis => "c",
                Quantity::Bias => "bias",
                Quantity::Mass => "mass",
                Quantity::Forward => "qdd",
                Quantity::Kinematics => "pose",
                Quantity::Jacobian => "jacobian",
                Quantity::Derivatives => "derivatives",
                Quantity::Regressor => "regressor",
                Quantity::InverseMass => "inverse",
                Quantity::ForwardDerivatives => "derivatives",
            },
            body: call_body,
        };
        let init = (!precomputed.is_empty()).then(|| Routine {
            name: format!("{quantity}_init"),
            inputs: vec![("p", parameters)],
            output: "k",
            body: body(graph, &precomputed, |_| None),
        });
        Listing { quantity, arrays, parameters, init, call, rows: quantity.rows(nv) }
    }

    /// The functions, in the order of their calls.
    pub fn routines(&self) -> impl DoubleEndedIterator<Item = &Routine> {
        self.init.iter().chain([&self.call])
    }

    /// The length of `k`.
    pub fn precomputed(&self) -> usize {
        self.init.as_ref().map_or(0, Routine::results)
    }

    /// Whether sines or cosines are needed.
    pub fn uses_trig(&self) -> bool {
        self.routines().any(|r| r.body.steps.iter().any(|s| matches!(s, Step::SinCos { .. })))
    }
}

impl Body {
    /// Whether an array is read: `q`, `k`.
    pub fn reads(&self, array: &str) -> bool {
        self.steps.iter().map(Step::value).chain(&self.results).chain(&self.pivots).any(|t| t.reads(array))
    }
}

impl Step {
    /// What is computed, or the angle.
    pub fn value(&self) -> &Term {
        match self {
            Step::Value { value, .. } | Step::SinCos { angle: value, .. } => value,
        }
    }

    /// The assigned names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let (first, second) = match self {
            Step::Value { name, .. } => (Some(name), None),
            Step::SinCos { sin, cos, .. } => (sin.as_ref(), cos.as_ref()),
        };
        first.into_iter().chain(second).map(String::as_str)
    }
}

impl Term {
    /// Calls a function with each operand that is not an operation.
    pub fn each_leaf<'a>(&'a self, f: &mut impl FnMut(&'a Term)) {
        match self {
            Term::Number(_) | Term::Input(..) | Term::Precomputed(_) | Term::Name(_) => f(self),
            Term::Negative(a) | Term::Function(_, a) => a.each_leaf(f),
            Term::Binary(_, of) => of.iter().for_each(|a| a.each_leaf(f)),
        }
    }

    /// The array and the index of an input or of an element of `k`.
    pub fn place(&self) -> Option<(&'static str, usize)> {
        match *self {
            Term::Input(array, i) => Some((array.name(), i)),
            Term::Precomputed(i) => Some(("k", i)),
            _ => None,
        }
    }

    /// The name of an assigned value, also of its negative.
    pub fn name(&self) -> Option<&str> {
        match self {
            Term::Name(name) => Some(name),
            Term::Negative(a) => a.name(),
            _ => None,
        }
    }

    fn reads(&self, array: &str) -> bool {
        let mut found = false;
        self.each_leaf(&mut |leaf| found |= leaf.place().is_some_and(|(a, _)| a == array));
        found
    }

    fn leaves(&self) -> usize {
        let mut count = 0;
        self.each_leaf(&mut |_| count += 1);
        count
    }
}

/// The code of expressions; `known` returns the terms of nodes that are already computed.
fn body(graph: &Graph, roots: &[Expr], known: impl Fn(usize) -> Option<Term>) -> Body {
    let nodes = graph.nodes();
    let leaf = |k: usize| matches!(nodes[k], Node::Constant(_) | Node::Input(_)) || known(k).is_some();
    let mut uses = vec![0usize; nodes.len()];
    let mut is_root = vec![false; nodes.len()];
    roots.iter().for_each(|r| (uses[r.node()], is_root[r.node()]) = (1, true));
    for k in (0..nodes.len()).rev().filter(|&k| !leaf(k)) {
        if uses[k] > 0 {
            nodes[k].operands().for_each(|e| uses[e.node()] += 1);
        }
    }

    let mut body = Body::default();
    let mut terms: Vec<Option<Term>> = vec![None; nodes.len()];
    // The step of each angle.
    let mut steps_of_angles: HashMap<Expr, usize> = HashMap::new();
    for k in (0..nodes.len()).filter(|&k| uses[k] > 0) {
        let of = |e: Expr| terms[e.node()].clone().expect("operands come first");
        let binary = |sign, a: Expr, b: Expr| Term::Binary(sign, Box::new([of(a), of(b)]));
        let (a, is_sine) = match nodes[k] {
            Node::Sin(a) => (Some(a), true),
            Node::Cos(a) => (Some(a), false),
            _ => (None, false),
        };
        let term = if let Some(term) = known(k) {
            term
        } else if let Some(a) = a {
            let at = *steps_of_angles.entry(a).or_insert_with(|| {
                body.steps.push(Step::SinCos { angle: signed(a, of(a)), sin: None, cos: None });
                body.steps.len() - 1
            });
            let number = steps_of_angles.len();
            let Step::SinCos { angle, sin, cos } = &mut body.steps[at] else { unreachable!("the step of an angle") };
            let named = sin.as_ref().or(cos.as_ref()).map(|name| name[1..].to_string());
            let label = named.unwrap_or_else(|| match angle {
                Term::Input(Array::Q, i) => (*i + 1).to_string(),
                _ => format!("a{number}"),
            });
            let name = format!("{}{label}", if is_sine { 's' } else { 'c' });
            *(if is_sine { sin } else { cos }) = Some(name.clone());
            Term::Name(name)
        } else {
            let value = match nodes[k] {
                Node::Constant(bits) => Term::Number(f64::from_bits(bits)),
                Node::Input(i) => Term::Input(graph.inputs()[i].array, graph.inputs()[i].index),
                Node::Sum(a, b) => binary(if b.is_negative() { '-' } else { '+' }, a, b),
                Node::Product(a, b) => binary('*', a, b),
                Node::Quotient(a, b) => binary('/', a, b),
                Node::Root(a) => Term::Function("sqrt", Box::new(signed(a, of(a)))),
                Node::Sign(a) => Term::Function("sign", Box::new(of(a))),
                Node::Sin(_) | Node::Cos(_) => unreachable!("handled above"),
            };
            // Results are named, even inputs: they are stored after all inputs have been read.
            let constant = matches!(value, Term::Number(_));
            let inside = uses[k] == 1 && value.leaves() <= LEAVES;
            if constant || (!is_root[k] && (leaf(k) || inside)) {
                value
            } else {
                let name = format!("t{}", body.steps.len() + 1 - steps_of_angles.len());
                body.steps.push(Step::Value { name: name.clone(), value });
                Term::Name(name)
            }
        };
        terms[k] = Some(term);
    }
    let result = |r: &Expr| signed(*r, terms[r.node()].clone().expect("a root is used"));
    body.results = roots.iter().map(result).collect();
    body
}

fn signed(e: Expr, term: Term) -> Term {
    match term {
        term if !e.is_negative() => term,
        Term::Number(x) => Term::Number(-x),
        term => Term::Negative(Box::new(term)),
    }
}

/// The syntax of a language.
pub(super) trait Dialect {
    /// A constant, in the shortest form that round-trips.
    fn number(&self, x: f64) -> String {
        format!("{x:?}")
    }

    /// An element of an array.
    fn element(&self, array: &str, index: usize) -> String {
        format!("{array}[{index}]")
    }

    /// An operator: `+ - * /`.
    fn operator(&self, sign: char) -> String {
        format!(" {sign} ")
    }

    /// A function of a number: `sin`, `cos`, `sqrt`, `sign`.
    fn function(&self, name: &str, x: &str) -> String;

    /// An assignment.
    fn assign(&self, name: &str, value: &str) -> String;

    /// The assignment of an element of a result.
    fn store(&self, output: &str, index: usize, value: &str) -> String {
        format!("    {} = {value};\n", self.element(output, index))
    }

    /// The assignments of the sine and the cosine of an angle.
    fn sin_cos(&self, angle: &str, sin: Option<&str>, cos: Option<&str>) -> String {
        self.sin_cos_each(angle, sin, cos)
    }

    /// The same, with separate functions.
    fn sin_cos_each(&self, angle: &str, sin: Option<&str>, cos: Option<&str>) -> String {
        let line = |name: Option<&str>, f: &str| name.map(|name| self.assign(name, &self.function(f, angle)));
        [line(sin, "sin"), line(cos, "cos")].into_iter().flatten().collect()
    }

    /// A statement that marks an argument as unused.
    fn unread(&self, _array: &str) -> String {
        String::new()
    }

    /// The assignments of a step.
    fn step(&self, step: &Step) -> String {
        match step {
            Step::Value { name, value } => self.assign(name, &self.write(value)),
            Step::SinCos { angle, sin, cos } => self.sin_cos(&self.write(angle), sin.as_deref(), cos.as_deref()),
        }
    }

    /// The statements of a function.
    fn statements(&self, Routine { inputs, output, body, .. }: &Routine) -> String {
        let unread = inputs.iter().filter(|(array, _)| !body.reads(array)).map(|(array, _)| self.unread(array));
        let steps = body.steps.iter().map(|step| self.step(step));
        let results = body.results.iter().enumerate().map(|(i, r)| self.store(output, i, &self.write(r)));
        unread.chain(steps).chain(results).collect()
    }

    /// A term without brackets.
    fn write(&self, term: &Term) -> String {
        self.operand(term, 0)
    }

    /// A term as an operand: in brackets unless it binds at least as tightly as `level` (1 sums, 2 products, 3 signs).
    fn operand(&self, term: &Term, level: u8) -> String {
        match term {
            Term::Number(x) if *x < 0.0 && level > 1 => format!("({})", self.number(*x)),
            Term::Number(x) => self.number(*x),
            Term::Input(array, i) => self.element(array.name(), *i),
            Term::Precomputed(i) => self.element("k", *i),
            Term::Name(name) => name.clone(),
            Term::Negative(a) if level > 0 => format!("(-{})", self.operand(a, 3)),
            Term::Negative(a) => format!("-{}", self.operand(a, 3)),
            Term::Binary(sign, of) => {
                let own = if matches!(sign, '+' | '-') { 1 } else { 2 };
                // A right operand of the same level is bracketed: floating-point sums are not associative.
                let [a, b] = [self.operand(&of[0], own), self.operand(&of[1], own + 1)];
                let text = format!("{a}{}{b}", self.operator(*sign));
                if level > own { format!("({text})") } else { text }
            }
            Term::Function(name, a) => self.function(name, &self.write(a)),
        }
    }
}

/// A constant in the shortest form that round-trips in the scalar type.
pub(super) fn digits(x: f64, scalar: Scalar) -> String {
    if scalar == Scalar::F32 { format!("{:?}", x as f32) } else { format!("{x:?}") }
}
