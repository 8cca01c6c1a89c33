//! A compiled program, and its calls.

mod batch;
#[cfg(test)]
mod tests;

use crate::Error;
use crate::interpret::interpret;
use crate::native::{self, Machine};
use crate::number::Number;
use crate::tape::Tape;
use armdyn_core::{AbaData, DerivativesData, Model, Real, aba, rnea_derivatives};
use armdyn_symbolic::{Array, Expr, Graph, Options, Program, Quantity, minimal};
use cranelift_codegen::isa::OwnedTargetIsa;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How a program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// As native code.
    Native,
    /// By the interpreter, in `f64`.
    Interpreted {
        /// Why there is no native code.
        reason: String,
    },
}

/// The program of one robot, ready to be called, from any thread.
///
/// ```
/// use armdyn_jit::Compiled;
/// # let model = armdyn_testkit::bundled("panda");
/// let inverse = Compiled::inverse(&model)?;
/// let (q, qd, qdd, mut tau) = ([0.5; 7], [1.0; 7], [2.0; 7], [0.0; 7]);
/// inverse.call(&q, &qd, &qdd, &mut tau)?;
///
/// let mass = Compiled::mass(&model)?;
/// let mut m = [0.0; 49];
/// mass.call(&q, &[], &[], &mut m)?;
///
/// let single = inverse.single();
/// let mut tau = [0f32; 7];
/// single.call(&[0.5; 7], &[1.0; 7], &[2.0; 7], &mut tau)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `inverse`, `gravity`, `coriolis`, `mass` and `forward` compile the quasi-minimal program of a serial arm without a search
/// ([`minimal`] with a budget of zero), of the robot exactly as it is. It was compared with the core's recursion at 50
/// states: no result is off by more than 1e-10 of the largest. Any other robot's recursion is traced.
/// A program that was searched for longer goes to [`Compiled::new`].
pub struct Compiled<T: Number = f64> {
    source: Arc<Source>,
    engine: Engine<T>,
}

/// What is compiled.
struct Source {
    robot: String,
    joints: Vec<String>,
    /// What it depends on, with the lengths.
    arrays: Vec<(Array, usize)>,
    tape: Tape,
}

enum Engine<T> {
    Native(Box<Native<T>>),
    Interpreted { reason: String },
}

struct Native<T> {
    one: Machine<T>,
    /// For as many states as there are lanes, made when a batch asks for it; none if it could not be.
    several: OnceLock<Option<Machine<T>>>,
    isa: OwnedTargetIsa,
}

impl Compiled {
    /// A program without parameters.
    pub fn new(program: &Program) -> Result<Self, Error> {
        Self::with_parameters(program, &[])
    }

    /// A program with these values of its parameters, which become constants.
    pub fn with_parameters(program: &Program, parameters: &[f64]) -> Result<Self, Error> {
        let host = native::host();
        Ok(Self::of(Source::of(program, parameters, &host)?, host))
    }

    /// τ(q, q̇, q̈).
    pub fn inverse(model: &Model<f64>) -> Result<Self, Error> {
        Self::new(&least(model, Quantity::Inverse)?)
    }

    /// g(q).
    pub fn gravity(model: &Model<f64>) -> Result<Self, Error> {
        Self::new(&least(model, Quantity::Gravity)?)
    }

    /// C(q, q̇) q̇.
    pub fn coriolis(model: &Model<f64>) -> Result<Self, Error> {
        Self::new(&least(model, Quantity::Coriolis)?)
    }

    /// M(q), row-major.
    pub fn mass(model: &Model<f64>) -> Result<Self, Error> {
        Self::new(&least(model, Quantity::Mass)?)
    }

    /// q̈(q, q̇, τ).
    ///
    /// A mass matrix that is not positive definite is an error here, or where a call meets it; a program that was given to
    /// [`Compiled::new`] divides by its pivots as they are, and only what is not finite is an error.
    pub fn forward(model: &Model<f64>) -> Result<Self, Error> {
        let host = native::host();
        let mut source = Source::of(&least(model, Quantity::Forward)?, &[], &host)?;
        source.watch_pivots(model)?;
        Ok(Self::of(source, host))
    }

    /// ∂τ/∂q, then ∂τ/∂q̇, of q, q̇, q̈; each n × n, row-major. The core's recursion, traced.
    pub fn derivatives(model: &Model<f64>) -> Result<Self, Error> {
        let n = model.nv();
        let (graph, outputs) = Graph::record(|| {
            let m: Model<Expr> = model.cast();
            let inputs = |array: Array, count: usize| -> Vec<Expr> {
                (0..count).map(|i| Graph::input(array, i, &format!("{}{}", array.name(), i + 1))).collect()
            };
            let (q, qd, qdd) = (inputs(Array::Q, m.nq()), inputs(Array::Qd, n), inputs(Array::Qdd, n));
            let mut out = vec![Expr::zero(); 2 * n * n];
            let (by_q, by_qd) = out.split_at_mut(n * n);
            rnea_derivatives(&m, &mut DerivativesData::new(&m), &q, &qd, &qdd, by_q, by_qd)?;
            Ok::<_, Error>(out)
        });
        let host = native::host();
        let arrays = arrays(Quantity::Inverse, (model.nq(), n));
        let tape = Tape::new(&graph, &outputs?, &arrays, &[], fuses(&host))?;
        let source = Source { robot: model.name().to_string(), joints: model.dof_names().to_vec(), arrays, tape };
        Ok(Self::of(source, host))
    }

    /// The same program compiled for `f32`: twice as many states at a time, about seven digits.
    ///
    /// Its sines are right to 2 units in the last place, for angles of any size; but an `f32` of a thousand radians is itself
    /// known to 6e-5 rad only.
    pub fn single(&self) -> Compiled<f32> {
        let host = match &self.engine {
            Engine::Native(native) => Ok(native.isa.clone()),
            Engine::Interpreted { reason } => Err(reason.clone()),
        };
        Compiled { engine: Engine::new(&self.source.tape, host), source: self.source.clone() }
    }

    fn of(source: Source, host: Result<OwnedTargetIsa, String>) -> Self {
        Compiled { engine: Engine::new(&source.tape, host), source: Arc::new(source) }
    }
}

impl<T: Number> Compiled<T> {
    /// How it runs.
    pub fn backend(&self) -> Backend {
        match &self.engine {
            Engine::Native(_) => Backend::Native,
            Engine::Interpreted { reason } => Backend::Interpreted { reason: reason.clone() },
        }
    }

    /// How many numbers a call gives.
    pub fn outputs(&self) -> usize {
        self.source.tape.outputs.len()
    }

    /// Computes one state. `last` is q̈, or τ for forward dynamics; what the program does not depend on is left empty.
    ///
    /// Nothing is allocated (interpreted: on a thread's first call only).
    pub fn call(&self, q: &[T], qd: &[T], last: &[T], out: &mut [T]) -> armdyn_core::Result<()> {
        let inputs = self.checked(1, [q, qd, last], out)?;
        let positive = self.one(inputs, out);
        if finite(inputs, out) & positive { Ok(()) } else { Err(self.failure(inputs, out)) }
    }

    /// Computes a state; whether all pivots are positive.
    #[inline]
    fn one(&self, inputs: [&[T]; 3], out: &mut [T]) -> bool {
        match &self.engine {
            Engine::Native(native) => native.one.run(inputs, out),
            Engine::Interpreted { .. } => interpret(&self.source.tape, inputs, out).is_none(),
        }
    }

    /// The arrays that it depends on, in order, after a check of all lengths.
    #[inline]
    fn checked<'a>(&self, states: usize, given: [&'a [T]; 3], out: &[T]) -> armdyn_core::Result<[&'a [T]; 3]> {
        let places = [Array::Q, Array::Qd, Array::Qdd];
        for (i, place) in places.into_iter().enumerate() {
            let (array, n) = self.source.arrays.get(i).copied().unwrap_or((place, 0));
            check(array.name(), states * n, given[i].len())?;
        }
        check("out", states * self.outputs(), out.len())?;
        Ok(given)
    }

    /// What is wrong with a state.
    #[cold]
    fn failure(&self, inputs: [&[T]; 3], out: &[T]) -> armdyn_core::Error {
        let Source { robot, joints, arrays, tape } = &*self.source;
        let wrong = |values: &[T]| values.iter().position(|x| !x.is_finite());
        let name = |i: usize, of: usize| if of == joints.len() { joints[i].clone() } else { robot.clone() };
        for ((array, n), values) in arrays.iter().zip(inputs) {
            if let Some(i) = wrong(values) {
                return armdyn_core::Error::NotFinite { what: array.name(), joint: name(i, *n) };
            }
        }
        match wrong(out) {
            Some(i) if interpret(tape, inputs, &mut []).is_none() => {
                armdyn_core::Error::NotFinite { what: "out", joint: name(i, out.len()) }
            }
            _ => armdyn_core::Error::NotPositiveDefinite { joint: robot.clone() },
        }
    }
}

impl Source {
    fn of(program: &Program, parameters: &[f64], host: &Result<OwnedTargetIsa, String>) -> Result<Self, Error> {
        let arrays = arrays(program.quantity, program.size);
        let tape = Tape::new(&program.graph, &program.values(), &arrays, parameters, fuses(host))?;
        Ok(Source { robot: program.robot.clone(), joints: program.joints.clone(), arrays, tape })
    }

    /// Has calls report a divisor whose sign is another than where the core's `aba` holds.
    fn watch_pivots(&mut self, model: &Model<f64>) -> Result<(), Error> {
        let (mut q, zero, mut out) = (vec![0.0; model.nq()], vec![0.0; model.nv()], vec![0.0; model.nv()]);
        model.random(|| 0.7, &mut q)?;
        aba(model, &mut AbaData::new(model), &q, &zero, &zero, &mut out)?;
        self.tape.watch_divisors();
        while let Some(k) = interpret(&self.tape, [&q, &zero, &zero], &mut out) {
            let negative = &mut self.tape.pivots[k].1;
            if *negative {
                return Err(armdyn_core::Error::NotPositiveDefinite { joint: self.robot.clone() }.into());
            }
            *negative = true;
        }
        Ok(())
    }
}

impl<T: Number> Engine<T> {
    fn new(tape: &Tape, host: Result<OwnedTargetIsa, String>) -> Self {
        let native = |isa: OwnedTargetIsa| {
            let one = Machine::new(tape, isa.clone(), native::fuses(&isa), 1)?;
            Ok(Engine::Native(Box::new(Native { one, several: OnceLock::new(), isa })))
        };
        host.and_then(native).unwrap_or_else(|reason| Engine::Interpreted { reason })
    }
}

/// The quasi-minimal program, without a search; that of the robot as it is.
fn least(model: &Model<f64>, quantity: Quantity) -> Result<Program, Error> {
    Ok(minimal(model, quantity, &Options { budget: Duration::ZERO, exact: true, ..Options::default() })?)
}

fn fuses(host: &Result<OwnedTargetIsa, String>) -> bool {
    host.as_ref().is_ok_and(native::fuses)
}

/// Each array that a quantity depends on, with its length: as many as there are positions, or degrees of freedom.
fn arrays(quantity: Quantity, (nq, nv): (usize, usize)) -> Vec<(Array, usize)> {
    quantity.arrays().iter().map(|&a| (a, if a == Array::Q { nq } else { nv })).collect()
}

#[inline]
fn check(what: &'static str, expected: usize, found: usize) -> armdyn_core::Result<()> {
    if found == expected { Ok(()) } else { Err(armdyn_core::Error::Length { what, expected, found }) }
}

/// Whether all numbers are. One pass without a branch.
#[inline]
fn finite<T: Number>(inputs: [&[T]; 3], out: &[T]) -> bool {
    let all = |values: &[T]| values.iter().fold(true, |all, x| all & x.is_finite());
    inputs.into_iter().all(all) & all(out)
}
