//! A program as straight-line code: assignments in order, in no language yet.
//!
//! What is used once goes into the expression that uses it, as long as that stays short. Sine and cosine of one angle stand
//! together. The results are stored last, so that an output may lie where an input does.

use super::Scalar;
use crate::graph::{Array, Expr, Graph, Known, Node};
use crate::program::{Program, Quantity};
use std::collections::HashMap;

/// As many leaves as a line may have.
const LEAVES: usize = 8;

/// An expression as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Number(f64),
    Input(Array, usize),
    /// An element of `k`.
    Kept(usize),
    /// An assigned name.
    Name(String),
    Negative(Box<Term>),
    Sum(Box<Term>, Box<Term>),
    Difference(Box<Term>, Box<Term>),
    Product(Box<Term>, Box<Term>),
    Quotient(Box<Term>, Box<Term>),
    Root(Box<Term>),
    Sign(Box<Term>),
}

/// An assignment.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Value {
        name: String,
        value: Term,
    },
    /// Sine, cosine, or both, of an angle.
    Turn {
        angle: Term,
        sin: Option<String>,
        cos: Option<String>,
    },
}

/// The inside of a function: assignments, then the elements of its result.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub steps: Vec<Step>,
    pub results: Vec<Term>,
}

/// A program as two functions: from `p` to `k`, and from the state and `k` to the result.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    pub quantity: Quantity,
    /// The state's arrays, and how long they are.
    pub arrays: Vec<(Array, usize)>,
    /// How long `p` is: 0 if there are no parameters.
    pub parameters: usize,
    pub init: Body,
    pub call: Body,
}

impl Listing {
    pub fn of(program: &Program) -> Self {
        let graph = &program.graph;
        let values = program.values();
        let (nq, nv) = program.size;
        let needed = graph.needed(&values);
        let early = |e: Expr| graph.known(e.node()) == Known::Parameters;

        // What the call takes from `k`: what is known early, and used by what is not, or is a result.
        let late = (0..graph.nodes().len()).filter(|&k| needed[k] && graph.known(k) == Known::Call);
        let used = late.flat_map(|k| graph.nodes()[k].operands());
        let mut kept: Vec<Expr> =
            used.chain(values.iter().copied()).filter(|e| early(*e)).map(Expr::unsigned).collect();
        kept.sort();
        kept.dedup();
        let place: HashMap<usize, usize> = kept.iter().enumerate().map(|(i, e)| (e.node(), i)).collect();

        let parameters = graph.inputs().iter().filter(|i| i.array == Array::Parameter).map(|i| i.index + 1).max();
        let length = |array| if array == Array::Q { nq } else { nv };
        Listing {
            quantity: program.quantity,
            arrays: program.quantity.arrays().iter().map(|&a| (a, length(a))).collect(),
            parameters: if kept.is_empty() { 0 } else { parameters.unwrap_or(0) },
            init: body(graph, &kept, |_| None),
            call: body(graph, &values, |node| place.get(&node).map(|&i| Term::Kept(i))),
        }
    }

    /// `inverse`, ….
    pub fn name(&self) -> &'static str {
        self.quantity.name()
    }

    /// How long `k` is.
    pub fn kept(&self) -> usize {
        self.init.results.len()
    }

    /// How many results there are.
    pub fn results(&self) -> usize {
        self.call.results.len()
    }

    /// What the result is called.
    pub fn output(&self) -> &'static str {
        match self.quantity {
            Quantity::Inverse => "tau",
            Quantity::Gravity => "g",
            Quantity::Coriolis => "c",
            Quantity::Mass => "mass",
            Quantity::Forward => "qdd",
            Quantity::Kinematics => "pose",
            Quantity::Jacobian => "jacobian",
        }
    }

    /// Rows, where the result is a matrix.
    pub fn rows(&self) -> Option<usize> {
        match self.quantity {
            Quantity::Mass => Some(self.results().isqrt()),
            Quantity::Jacobian => Some(6),
            _ => None,
        }
    }

    /// The arrays that the call takes: the state's, and `k` if there are parameters. By name and length.
    pub fn takes(&self) -> Vec<(&'static str, usize)> {
        let state = self.arrays.iter().map(|&(a, n)| (a.name(), n));
        state.chain((self.kept() > 0).then_some(("k", self.kept()))).collect()
    }

    /// Whether sines or cosines are taken.
    pub fn turns(&self) -> bool {
        [&self.init, &self.call].iter().any(|b| b.steps.iter().any(|s| matches!(s, Step::Turn { .. })))
    }
}

impl Body {
    /// Whether an array is read: `q`, `k`.
    pub fn reads(&self, array: &str) -> bool {
        let values = self.steps.iter().map(|s| match s {
            Step::Value { value, .. } | Step::Turn { angle: value, .. } => value,
        });
        values.chain(&self.results).any(|t| t.reads(array))
    }
}

impl Term {
    fn reads(&self, array: &str) -> bool {
        match self {
            Term::Number(_) | Term::Name(_) => false,
            Term::Input(a, _) => a.name() == array,
            Term::Kept(_) => array == "k",
            Term::Negative(a) | Term::Root(a) | Term::Sign(a) => a.reads(array),
            Term::Sum(a, b) | Term::Difference(a, b) | Term::Product(a, b) | Term::Quotient(a, b) => {
                a.reads(array) || b.reads(array)
            }
        }
    }

    fn leaves(&self) -> usize {
        match self {
            Term::Number(_) | Term::Input(..) | Term::Kept(_) | Term::Name(_) => 1,
            Term::Negative(a) | Term::Root(a) | Term::Sign(a) => a.leaves(),
            Term::Sum(a, b) | Term::Difference(a, b) | Term::Product(a, b) | Term::Quotient(a, b) => {
                a.leaves() + b.leaves()
            }
        }
    }
}

/// The code of some expressions, not looking behind nodes that `given` has.
fn body(graph: &Graph, roots: &[Expr], given: impl Fn(usize) -> Option<Term>) -> Body {
    let nodes = graph.nodes();
    let leaf = |k: usize| matches!(nodes[k], Node::Constant(_) | Node::Input(_)) || given(k).is_some();
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
    // Where the sine and the cosine of an angle are.
    let mut turns: HashMap<Expr, usize> = HashMap::new();
    for k in (0..nodes.len()).filter(|&k| uses[k] > 0) {
        let of = |e: Expr| terms[e.node()].clone().expect("operands come first");
        let boxed = |e: Expr| Box::new(of(e));
        let (a, is_sine) = match nodes[k] {
            Node::Sin(a) => (Some(a), true),
            Node::Cos(a) => (Some(a), false),
            _ => (None, false),
        };
        let term = if let Some(term) = given(k) {
            term
        } else if let Some(a) = a {
            let at = *turns.entry(a).or_insert_with(|| {
                body.steps.push(Step::Turn { angle: signed(a, of(a)), sin: None, cos: None });
                body.steps.len() - 1
            });
            let number = turns.len();
            let Step::Turn { angle, sin, cos } = &mut body.steps[at] else { unreachable!("a turn was put there") };
            let known = sin.as_ref().or(cos.as_ref()).map(|name| name[1..].to_string());
            let label = known.unwrap_or_else(|| match angle {
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
                Node::Sum(a, b) if b.is_negative() => Term::Difference(boxed(a), boxed(b)),
                Node::Sum(a, b) => Term::Sum(boxed(a), boxed(b)),
                Node::Product(a, b) => Term::Product(boxed(a), boxed(b)),
                Node::Quotient(a, b) => Term::Quotient(boxed(a), boxed(b)),
                Node::Root(a) => Term::Root(Box::new(signed(a, of(a)))),
                Node::Sign(a) => Term::Sign(boxed(a)),
                Node::Sin(_) | Node::Cos(_) => unreachable!("done above"),
            };
            // A result is named, even one that is an input: it is stored when all inputs have been read.
            let constant = matches!(value, Term::Number(_));
            let inside = uses[k] == 1 && value.leaves() <= LEAVES;
            if constant || (!is_root[k] && (leaf(k) || inside)) {
                value
            } else {
                let name = format!("t{}", body.steps.len() + 1 - turns.len());
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

/// How a language writes expressions.
pub(super) trait Dialect {
    /// A constant, in the fewest digits that give it back.
    fn number(&self, x: f64) -> String {
        format!("{x:?}")
    }

    /// An element of an array.
    fn element(&self, array: &str, index: usize) -> String {
        format!("{array}[{index}]")
    }

    fn times(&self) -> &'static str {
        " * "
    }

    fn over(&self) -> &'static str {
        " / "
    }

    /// A function of a number: `sin`, `cos`, `sqrt`, `sign`.
    fn function(&self, name: &str, x: &str) -> String;

    /// The line that gives a value a name.
    fn assign(&self, name: &str, value: &str) -> String;

    /// The line that stores an element of a result.
    fn store(&self, output: &str, index: usize, value: &str) -> String;

    /// The lines that give the sine and the cosine of an angle names.
    fn turn(&self, angle: &str, sin: Option<&str>, cos: Option<&str>) -> String {
        self.turn_each(angle, sin, cos)
    }

    /// The same, by a function for each.
    fn turn_each(&self, angle: &str, sin: Option<&str>, cos: Option<&str>) -> String {
        let line = |name: Option<&str>, f: &str| name.map(|name| self.assign(name, &self.function(f, angle)));
        [line(sin, "sin"), line(cos, "cos")].into_iter().flatten().collect()
    }

    /// What tells a compiler that an argument is not read.
    fn unread(&self, _array: &str) -> String {
        String::new()
    }

    /// The lines of a function that takes these arrays.
    fn statements(&self, body: &Body, takes: &[(&str, usize)], output: &str) -> String {
        let unread = takes.iter().filter(|(array, _)| !body.reads(array)).map(|(array, _)| self.unread(array));
        let steps = body.steps.iter().map(|step| match step {
            Step::Value { name, value } => self.assign(name, &self.write(value)),
            Step::Turn { angle, sin, cos } => self.turn(&self.write(angle), sin.as_deref(), cos.as_deref()),
        });
        let results = body.results.iter().enumerate().map(|(i, r)| self.store(output, i, &self.write(r)));
        unread.chain(steps).chain(results).collect()
    }

    /// A term in full.
    fn write(&self, term: &Term) -> String {
        self.operand(term, 0)
    }

    /// A term as an operand: in brackets unless it binds at least as tightly as `level` (1 sums, 2 products, 3 signs).
    fn operand(&self, term: &Term, level: u8) -> String {
        let infix = |a: &Term, sign: &str, b: &Term, own: u8| {
            // A right operand of the same level is kept together: (a + b) + c is not a + (b + c).
            let text = format!("{}{sign}{}", self.operand(a, own), self.operand(b, own + 1));
            if level > own { format!("({text})") } else { text }
        };
        match term {
            Term::Number(x) if *x < 0.0 && level > 1 => format!("({})", self.number(*x)),
            Term::Number(x) => self.number(*x),
            Term::Input(array, i) => self.element(array.name(), *i),
            Term::Kept(i) => self.element("k", *i),
            Term::Name(name) => name.clone(),
            Term::Negative(a) if level > 0 => format!("(-{})", self.operand(a, 3)),
            Term::Negative(a) => format!("-{}", self.operand(a, 3)),
            Term::Sum(a, b) => infix(a, " + ", b, 1),
            Term::Difference(a, b) => infix(a, " - ", b, 1),
            Term::Product(a, b) => infix(a, self.times(), b, 2),
            Term::Quotient(a, b) => infix(a, self.over(), b, 2),
            Term::Root(a) => self.function("sqrt", &self.write(a)),
            Term::Sign(a) => self.function("sign", &self.write(a)),
        }
    }
}

/// A constant in the fewest digits that give it back, as a number of the given kind.
pub(super) fn digits(x: f64, scalar: Scalar) -> String {
    if scalar == Scalar::F32 { format!("{:?}", x as f32) } else { format!("{x:?}") }
}
