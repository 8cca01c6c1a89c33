//! A compiled program, and its calls.

#[cfg(test)]
mod accuracy_tests;
mod batch;
#[cfg(test)]
mod batch_tests;
mod recursion;
#[cfg(test)]
mod tests;

pub(crate) use batch::Buffers;

use crate::Error;
use crate::interpret::interpret;
use crate::lower::Instructions;
use crate::machine::{Blocks, Machine, One};
use crate::native;
use crate::number::Number;
use crate::wide::{self, Target};
use armdyn_core::{AbaData, Model, aba};
use armdyn_symbolic::{Array, MinimalOptions, Program, Quantity, Tape, Trig, minimal};
use recursion::Recursion;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How a program is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// By code of armdyn's own for AVX-512.
    Avx512,
    /// By code of armdyn's own for AVX2.
    Avx2,
    /// By Cranelift's code.
    Cranelift {
        /// Why there is no code for AVX-512 or AVX2.
        reason: String,
    },
    /// By the core's recursion, which computes degrees of freedom side by side: with AVX-512, single calls of derivatives of robots with five
    /// and more.
    Recursion,
    /// Interpreted, in `f64`.
    Interpreted {
        /// Why there is no native code.
        reason: String,
    },
}

/// A compiled program of one robot, callable from any thread.
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
/// All constructors but `derivatives` and `regressor` compile the quasi-minimal program of an arm or tree without a search
/// ([`minimal`] with a budget of zero and exact parameters). Its results are checked against the core's recursion at 50
/// states (relative error at most 1e-10). For other robots the recursion is traced. Use [`Compiled::new`] for a program that
/// was optimised longer.
///
/// These programs use the sines of joint positions as they are ([`Trig::Unshifted`]): a sum of angles of 10⁶ rad is rounded by 1e-10 rad.
pub struct Compiled<T: Number = f64> {
    source: Arc<Source>,
    /// Native code, or the reason why there is none.
    engine: Result<Box<Native<T>>, String>,
    /// For single calls in `f64`, where it is faster than the program.
    recursion: Option<Arc<Recursion>>,
}

/// The program that is compiled.
struct Source {
    robot: String,
    joints: Vec<String>,
    /// The input arrays with their lengths.
    arrays: Vec<(Array, usize)>,
    tape: Tape,
    code: Instructions,
}

struct Native<T> {
    one: Machine<T>,
    /// For one state, moderate and valid; or the reason why there is no such code.
    fast: Result<One<T>, String>,
    /// For blocks of states, compiled by the first batch; or the reason why there is no such code.
    blocks: OnceLock<Result<Blocks<T>, String>>,
    /// For as many states as there are lanes, compiled by the first batch without blocks; none if compilation failed.
    several: OnceLock<Option<Machine<T>>>,
    host: native::Host,
}

impl Compiled {
    /// Compiles a program without parameters.
    pub fn new(program: &Program) -> Result<Self, Error> {
        Self::with_parameters(program, &[])
    }

    /// Compiles a program with these parameter values as constants.
    pub fn with_parameters(program: &Program, parameters: &[f64]) -> Result<Self, Error> {
        let host = native::Host::new();
        Ok(Self::of(Source::of(program, parameters, &host)?, host))
    }

    /// Compiles the quasi-minimal program of a quantity, without a search and with the exact parameters of the model; the traced one
    /// where it is shorter or there is no other. The constructors below are short forms.
    ///
    /// A mass matrix that is not positive definite is an error, here or in a call, of the quantities that invert it. A program passed
    /// to [`Compiled::new`] fails only if a result is not finite.
    ///
    /// ```
    /// use armdyn_jit::Compiled;
    /// use armdyn_symbolic::Quantity;
    /// # let model = armdyn_testkit::bundled("panda");
    /// let jacobian = Compiled::of_model(&model, Quantity::Jacobian)?;
    /// assert_eq!(jacobian.outputs(), 6 * 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_model(model: &Model<f64>, quantity: Quantity) -> Result<Self, Error> {
        Self::searched(model, quantity, Duration::ZERO)
    }

    /// The same after a search of about this time on two idle cores for a program of fewer operations, each of which costs about as
    /// much: worth it for batches of many millions of states.
    pub fn searched(model: &Model<f64>, quantity: Quantity, budget: Duration) -> Result<Self, Error> {
        let host = native::Host::new();
        let mut source = Source::of(&minimal_program(model, quantity, budget)?, &[], &host)?;
        if matches!(quantity, Quantity::Forward | Quantity::InverseMass | Quantity::ForwardDerivatives) {
            source.check_pivots(model)?;
        }
        let mut compiled = Self::of(source, host);
        // With registers half as wide the recursion is not always faster.
        if compiled.call_backend() == Backend::Avx512 {
            compiled.recursion = Recursion::faster(model, quantity, compiled.source.code.ops.len())?;
        }
        Ok(compiled)
    }

    /// τ(q, q̇, q̈).
    pub fn inverse(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Inverse)
    }

    /// g(q).
    pub fn gravity(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Gravity)
    }

    /// C(q, q̇) q̇.
    pub fn coriolis(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Coriolis)
    }

    /// C(q, q̇) q̇ + g(q), without friction.
    pub fn bias(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Bias)
    }

    /// M(q), row-major.
    pub fn mass(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Mass)
    }

    /// M(q)⁻¹, row-major.
    pub fn inverse_mass(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::InverseMass)
    }

    /// q̈(q, q̇, τ).
    pub fn forward(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Forward)
    }

    /// ∂τ/∂q, then ∂τ/∂q̇, as functions of q, q̇, q̈; each n × n, row-major. Traced from the core's recursion.
    pub fn derivatives(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Derivatives)
    }

    /// ∂q̈/∂q, then ∂q̈/∂q̇, then ∂q̈/∂τ = M⁻¹, as functions of q, q̇, τ; each n × n, row-major.
    pub fn forward_derivatives(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::ForwardDerivatives)
    }

    /// The pose of the last link: rotation by rows, then position.
    pub fn kinematics(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Kinematics)
    }

    /// The Jacobian of the last link at its origin in base axes, 6 × n row-major, linear rows first.
    pub fn jacobian(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Jacobian)
    }

    /// Y(q, q̇, q̈) with τ = Y π, row-major; columns as [`armdyn_core::parameters`].
    pub fn regressor(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Regressor)
    }

    /// The same program compiled for `f32`: twice as many states at a time, about seven digits.
    ///
    /// Its sines are accurate to 2 units in the last place for angles of any size; an `f32` of a thousand radians itself
    /// resolves only 6e-5 rad.
    pub fn single(&self) -> Compiled<f32> {
        let host = self.engine.as_ref().map(|native| native.host.clone()).map_err(String::clone);
        Compiled { engine: Native::new(&self.source.code, host), source: self.source.clone(), recursion: None }
    }

    fn of(source: Source, host: Result<native::Host, String>) -> Self {
        Compiled { engine: Native::new(&source.code, host), source: Arc::new(source), recursion: None }
    }
}

impl<T: Number> Compiled<T> {
    /// How batches are executed. Compiles their code, if no batch did.
    pub fn backend(&self) -> Backend {
        match self.blocks() {
            Ok(blocks) => Backend::wide(blocks.target()),
            Err(reason) => self.fallback(reason),
        }
    }

    /// How single calls are executed. States that code for AVX-512 or AVX2 refuses (invalid ones, angles beyond 2²⁰ rad, or 2¹³ in
    /// `f32`), or the recursion, are computed by Cranelift's.
    pub fn call_backend(&self) -> Backend {
        if self.recursion.is_some() {
            return Backend::Recursion;
        }
        match self.engine.as_ref().map(|native| &native.fast) {
            Ok(Ok(fast)) => Backend::wide(fast.target()),
            Ok(Err(reason)) | Err(reason) => self.fallback(reason),
        }
    }

    fn fallback(&self, reason: &str) -> Backend {
        let reason = reason.to_string();
        if self.engine.is_ok() { Backend::Cranelift { reason } } else { Backend::Interpreted { reason } }
    }

    /// Number of results of a call.
    pub fn outputs(&self) -> usize {
        self.source.code.outputs.len()
    }

    /// Computes one state. `last` is q̈, or τ for forward dynamics; arrays that the program does not depend on are empty.
    ///
    /// Allocates nothing (interpreted and by [`Backend::Recursion`]: only on a thread's first call; for the latter, the thread that compiled
    /// does not).
    pub fn call(&self, q: &[T], qd: &[T], last: &[T], out: &mut [T]) -> armdyn_core::error::Result<()> {
        let inputs = self.checked(1, [q, qd, last], out)?;
        if let Some(recursion) = &self.recursion
            && let Some((inputs, out)) = T::doubles(inputs, out)
            && recursion.run(inputs, out)
        {
            return Ok(());
        }
        if let Ok(native) = &self.engine
            && let Ok(fast) = &native.fast
            && fast.run(inputs, out)
        {
            return Ok(());
        }
        let positive = self.evaluate(inputs, out);
        if finite(inputs, out) & positive { Ok(()) } else { Err(self.failure(inputs, out)) }
    }

    /// Computes a state. Returns whether all pivots have the right sign.
    #[inline]
    fn evaluate(&self, inputs: [&[T]; 3], out: &mut [T]) -> bool {
        match &self.engine {
            Ok(native) => native.one.run(inputs, out),
            Err(_) => self.source.interpret(inputs, out).is_none(),
        }
    }

    /// The input arrays, after a check of all lengths.
    #[inline]
    fn checked<'a>(&self, states: usize, inputs: [&'a [T]; 3], out: &[T]) -> armdyn_core::error::Result<[&'a [T]; 3]> {
        for ((name, n), values) in named(&self.source.arrays).into_iter().zip(inputs) {
            check(name, states * n, values.len())?;
        }
        check("out", states * self.outputs(), out.len())?;
        Ok(inputs)
    }

    /// The error of a state.
    #[cold]
    fn failure(&self, inputs: [&[T]; 3], out: &[T]) -> armdyn_core::Error {
        let Source { robot, joints, arrays, .. } = &*self.source;
        let wrong = |values: &[T]| values.iter().position(|x| !x.is_finite());
        let name = |i: usize, of: usize| if of == joints.len() { joints[i].clone() } else { robot.clone() };
        for ((array, n), values) in arrays.iter().zip(inputs) {
            if let Some(i) = wrong(values) {
                return armdyn_core::Error::NotFinite { what: array.name(), joint: name(i, *n) };
            }
        }
        match wrong(out) {
            Some(i) if self.source.interpret(inputs, &mut []).is_none() => {
                armdyn_core::Error::NotFinite { what: "out", joint: name(i, out.len()) }
            }
            _ => armdyn_core::Error::NotPositiveDefinite { joint: robot.clone() },
        }
    }
}

impl Source {
    fn of(program: &Program, parameters: &[f64], host: &Result<native::Host, String>) -> Result<Self, Error> {
        let arrays = arrays(program.quantity, program.size);
        let tape = Tape::bind(&program.graph, &program.values(), &arrays, parameters)?;
        Source::new((program.robot.clone(), program.joints.clone()), arrays, tape, host)
    }

    fn new(
        (robot, joints): (String, Vec<String>),
        arrays: Vec<(Array, usize)>,
        tape: Tape,
        host: &Result<native::Host, String>,
    ) -> Result<Self, Error> {
        let mut lengths = [0; 3];
        lengths.iter_mut().zip(&arrays).for_each(|(length, (_, n))| *length = *n);
        let code = Instructions::new(&tape, lengths, host.as_ref().is_ok_and(native::Host::fuses))?;
        Ok(Source { robot, joints, arrays, tape, code })
    }

    fn interpret<T: Number>(&self, inputs: [&[T]; 3], out: &mut [T]) -> Option<usize> {
        interpret(&self.tape, &self.code.pivots, inputs, out)
    }

    /// Makes calls report a divisor whose sign differs from that in a state where the core's `aba` succeeds.
    fn check_pivots(&mut self, model: &Model<f64>) -> Result<(), Error> {
        let (mut q, zero, mut out) = (vec![0.0; model.nq()], vec![0.0; model.nv()], vec![0.0; model.nv()]);
        model.random(|| 0.7, &mut q)?;
        aba(model, &mut AbaData::new(model), &q, &zero, &zero, &mut out)?;
        self.code.pivots = std::mem::take(&mut self.code.divisors);
        while let Some(k) = self.interpret([&q, &zero, &zero], &mut out) {
            let negative = &mut self.code.pivots[k].negative;
            if *negative {
                return Err(armdyn_core::Error::NotPositiveDefinite { joint: self.robot.clone() }.into());
            }
            *negative = true;
        }
        Ok(())
    }
}

impl Backend {
    fn wide(target: Target) -> Self {
        if target.is_wide() { Backend::Avx512 } else { Backend::Avx2 }
    }
}

/// The widest instructions that code of our own can use.
fn wide_host<T: Number>(host: &native::Host) -> Result<wide::Host, String> {
    // Single calls by Cranelift and blocks agree bit by bit only if both fuse.
    if host.fuses() {
        wide::Host::new(const { &T::FORMAT })
    } else {
        Err("Cranelift has no fused multiply-add".to_string())
    }
}

impl<T: Number> Native<T> {
    fn new(code: &Instructions, host: Result<native::Host, String>) -> Result<Box<Self>, String> {
        let host = host?;
        let one = Machine::new(code, &host, 1)?;
        let fast = wide_host::<T>(&host).and_then(|wide| One::new(&wide::write_one(code, wide.target()), wide));
        Ok(Box::new(Native { one, fast, blocks: OnceLock::new(), several: OnceLock::new(), host }))
    }
}

/// The quasi-minimal program with exact parameters, accurate at angles of any size.
fn minimal_program(model: &Model<f64>, quantity: Quantity, budget: Duration) -> Result<Program, Error> {
    let trig = Trig::Unshifted;
    Ok(minimal(model, quantity, &MinimalOptions { budget, exact: true, trig, ..MinimalOptions::default() })?)
}

/// The arrays that a quantity depends on, with their lengths.
fn arrays(quantity: Quantity, (nq, nv): (usize, usize)) -> Vec<(Array, usize)> {
    quantity.arrays().iter().map(|&a| (a, if a == Array::Q { nq } else { nv })).collect()
}

/// The names of the three input arrays with their lengths; 0 where a quantity does not depend on one.
#[inline]
fn named(arrays: &[(Array, usize)]) -> [(&'static str, usize); 3] {
    let places = [Array::Q, Array::Qd, Array::Qdd];
    std::array::from_fn(|i| {
        let (array, n) = arrays.get(i).copied().unwrap_or((places[i], 0));
        (array.name(), n)
    })
}

/// The same of a quantity of a robot with these lengths of q and q̇.
pub(crate) fn columns(quantity: Quantity, size: (usize, usize)) -> [(&'static str, usize); 3] {
    named(&arrays(quantity, size))
}

#[inline]
pub(crate) fn check(what: &'static str, expected: usize, found: usize) -> armdyn_core::error::Result<()> {
    if found == expected { Ok(()) } else { Err(armdyn_core::Error::Length { what, expected, found }) }
}

/// Whether all numbers are finite, in one pass without a branch.
#[inline]
fn finite<T: Number>(inputs: [&[T]; 3], out: &[T]) -> bool {
    let all = |values: &[T]| values.iter().fold(true, |all, x| all & x.is_finite());
    inputs.into_iter().all(all) & all(out)
}
