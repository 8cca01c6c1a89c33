//! A compiled program, and its calls.

use crate::Error;
use crate::interpret::interpret;
use crate::native::{self, Lanes, Machine};
use crate::tape::Tape;
use armdyn::{DerivativesData, Model, Real, rnea_derivatives};
use armdyn_symbolic::{Array, Expr, Graph, Program, Quantity, trace};
use cranelift_codegen::isa::OwnedTargetIsa;
use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

/// How a program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// As native code.
    Native,
    /// By the interpreter.
    Interpreted {
        /// Why there is no native code.
        reason: String,
    },
}

enum Engine {
    Native(Box<Native>),
    Interpreted { reason: String },
}

struct Native {
    one: Machine,
    /// Two states at a time, made when a batch asks for it; none if it could not be.
    two: OnceLock<Option<Machine>>,
    isa: OwnedTargetIsa,
    fuse: bool,
}

/// The program of one robot, ready to be called, from any thread.
///
/// ```
/// use armdyn_jit::Compiled;
/// # let model = armdyn_import::library::bundled("panda").unwrap().load().description.unwrap().model().unwrap();
/// let inverse = Compiled::inverse(&model)?;
/// let (q, qd, qdd, mut tau) = ([0.5; 7], [1.0; 7], [2.0; 7], [0.0; 7]);
/// inverse.call(&q, &qd, &qdd, &mut tau)?;
///
/// let mass = Compiled::mass(&model)?;
/// let mut m = [0.0; 49];
/// mass.call(&q, &[], &[], &mut m)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Compiled {
    robot: String,
    joints: Vec<String>,
    arrays: Vec<(Array, usize)>,
    outputs: usize,
    tape: Tape,
    engine: Engine,
}

/// Below so many instructions in all, a batch is not worth another thread: some tenths of a millisecond.
const WORK_OF_A_THREAD: usize = 1 << 20;

impl Compiled {
    /// A program without parameters.
    pub fn new(program: &Program) -> Result<Self, Error> {
        Self::with_parameters(program, &[])
    }

    /// A program with these values of its parameters.
    pub fn with_parameters(program: &Program, parameters: &[f64]) -> Result<Self, Error> {
        let source = Source {
            robot: &program.robot,
            joints: &program.joints,
            arrays: arrays(program.quantity.arrays(), program.size),
            graph: &program.graph,
            outputs: program.values(),
        };
        source.compile(parameters, native::host())
    }

    /// τ(q, q̇, q̈).
    pub fn inverse(model: &Model<f64>) -> Result<Self, Error> {
        Self::new(&trace(model, Quantity::Inverse)?)
    }

    /// g(q).
    pub fn gravity(model: &Model<f64>) -> Result<Self, Error> {
        Self::new(&trace(model, Quantity::Gravity)?)
    }

    /// C(q, q̇) q̇.
    pub fn coriolis(model: &Model<f64>) -> Result<Self, Error> {
        Self::new(&trace(model, Quantity::Coriolis)?)
    }

    /// M(q), row-major.
    pub fn mass(model: &Model<f64>) -> Result<Self, Error> {
        Self::new(&trace(model, Quantity::Mass)?)
    }

    /// q̈(q, q̇, τ).
    pub fn forward(model: &Model<f64>) -> Result<Self, Error> {
        Self::new(&trace(model, Quantity::Forward)?)
    }

    /// ∂τ/∂q, then ∂τ/∂q̇, of q, q̇, q̈; each n × n, row-major.
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
        let source = Source {
            robot: model.name(),
            joints: model.dof_names(),
            arrays: arrays(Quantity::Inverse.arrays(), (model.nq(), n)),
            graph: &graph,
            outputs: outputs?,
        };
        source.compile(&[], native::host())
    }

    /// How it runs.
    pub fn backend(&self) -> Backend {
        match &self.engine {
            Engine::Native(_) => Backend::Native,
            Engine::Interpreted { reason, .. } => Backend::Interpreted { reason: reason.clone() },
        }
    }

    /// How many numbers a call gives.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Computes one state. `last` is q̈, or τ for forward dynamics; what the program does not depend on is left empty.
    ///
    /// Nothing is allocated (interpreted: on a thread's first call only).
    pub fn call(&self, q: &[f64], qd: &[f64], last: &[f64], out: &mut [f64]) -> armdyn::Result<()> {
        let inputs = self.checked(1, [q, qd, last], out)?;
        self.one(inputs, out);
        if finite(inputs, out) { Ok(()) } else { Err(self.not_finite(inputs, out)) }
    }

    /// Computes many states, one a row: two at a time, and over threads where it is worth it.
    pub fn batch(&self, states: usize, q: &[f64], qd: &[f64], last: &[f64], out: &mut [f64]) -> armdyn::Result<()> {
        let inputs = self.checked(states, [q, qd, last], out)?;
        let useful = (states * self.tape.ops.len() / WORK_OF_A_THREAD).max(1);
        let threads = if useful == 1 { 1 } else { cores().min(useful) };
        if threads == 1 {
            return self.rows(0, inputs, out);
        }
        // An even number, so that only the last part may have a state left over.
        let part = states.div_ceil(threads).next_multiple_of(2);
        thread::scope(|scope| {
            let parts = out.chunks_mut(part * self.outputs).enumerate().map(|(k, out)| {
                let inputs = self.part(inputs, k * part, out.len() / self.outputs);
                scope.spawn(move || self.rows(k * part, inputs, out))
            });
            let parts: Vec<_> = parts.collect();
            parts.into_iter().try_for_each(|p| p.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
        })
    }

    /// Some rows of the inputs.
    fn part<'a>(&self, inputs: [&'a [f64]; 3], from: usize, count: usize) -> [&'a [f64]; 3] {
        std::array::from_fn(|i| {
            let n = self.arrays.get(i).map_or(0, |(_, n)| *n);
            &inputs[i][from * n..(from + count) * n]
        })
    }

    /// Rows of a batch, on one thread; the first of them is number `first`.
    fn rows(&self, first: usize, inputs: [&[f64]; 3], out: &mut [f64]) -> armdyn::Result<()> {
        let two = match &self.engine {
            Engine::Native(native) => {
                let make = || Machine::new(&self.tape, native.isa.clone(), native.fuse, Lanes::Two).ok();
                native.two.get_or_init(make).as_ref()
            }
            Engine::Interpreted { .. } => None,
        };
        for (k, out) in out.chunks_mut(2 * self.outputs.max(1)).enumerate() {
            let count = out.len() / self.outputs;
            let inputs = self.part(inputs, 2 * k, count);
            match two {
                Some(machine) if count == 2 => machine.run(inputs, out),
                _ => {
                    for (i, out) in out.chunks_mut(self.outputs).enumerate() {
                        self.one(self.part(inputs, i, 1), out);
                    }
                }
            }
            if !finite(inputs, out) {
                for (i, out) in out.chunks(self.outputs).enumerate() {
                    let inputs = self.part(inputs, i, 1);
                    if !finite(inputs, out) {
                        return Err(self.not_finite(inputs, out).of_state(first + 2 * k + i));
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn one(&self, inputs: [&[f64]; 3], out: &mut [f64]) {
        match &self.engine {
            Engine::Native(native) => native.one.run(inputs, out),
            Engine::Interpreted { .. } => interpret(&self.tape, inputs, out),
        }
    }

    /// The arrays that it depends on, in order, after a check of all lengths.
    #[inline]
    fn checked<'a>(&self, states: usize, given: [&'a [f64]; 3], out: &[f64]) -> armdyn::Result<[&'a [f64]; 3]> {
        let places = [Array::Q, Array::Qd, Array::Qdd];
        for (i, place) in places.into_iter().enumerate() {
            let (array, n) = self.arrays.get(i).copied().unwrap_or((place, 0));
            check(array.name(), states * n, given[i].len())?;
        }
        check("out", states * self.outputs, out.len())?;
        Ok(given)
    }

    #[cold]
    fn not_finite(&self, inputs: [&[f64]; 3], out: &[f64]) -> armdyn::Error {
        let wrong = |values: &[f64]| values.iter().position(|x| !x.is_finite());
        for ((array, n), values) in self.arrays.iter().zip(inputs) {
            if let Some(i) = wrong(values) {
                let joint = if *n == self.joints.len() { self.joints[i].clone() } else { self.robot.clone() };
                return armdyn::Error::NotFinite { what: array.name(), joint };
            }
        }
        let joint = match wrong(out) {
            Some(i) if self.outputs == self.joints.len() => self.joints[i].clone(),
            _ => self.robot.clone(),
        };
        armdyn::Error::NotFinite { what: "out", joint }
    }
}

/// Names the state of a batch that an error is about.
trait OfState {
    fn of_state(self, state: usize) -> Self;
}

impl OfState for armdyn::Error {
    fn of_state(self, state: usize) -> Self {
        match self {
            armdyn::Error::NotFinite { what, joint } => {
                armdyn::Error::NotFinite { what, joint: format!("{joint} (state {state})") }
            }
            other => other,
        }
    }
}

/// What is to be compiled.
struct Source<'a> {
    robot: &'a str,
    joints: &'a [String],
    arrays: Vec<(Array, usize)>,
    graph: &'a Graph,
    outputs: Vec<Expr>,
}

impl Source<'_> {
    fn compile(&self, parameters: &[f64], host: Result<OwnedTargetIsa, String>) -> Result<Compiled, Error> {
        let tape = |fuse| Tape::new(self.graph, &self.outputs, &self.arrays, parameters, fuse);
        let native = |isa: OwnedTargetIsa| {
            let fuse = native::fuses(&isa);
            let tape = tape(fuse)?;
            let one = Machine::new(&tape, isa.clone(), fuse, Lanes::One);
            let engine = one.map(|one| Engine::Native(Box::new(Native { one, two: OnceLock::new(), isa, fuse })));
            Ok(engine.map(|engine| (tape, engine)))
        };
        let (tape, engine) = match host.map(native) {
            Ok(Ok(Ok(made))) => made,
            Ok(Err(error)) => return Err(error),
            Ok(Ok(Err(reason))) | Err(reason) => (tape(false)?, Engine::Interpreted { reason }),
        };
        Ok(Compiled {
            robot: self.robot.to_string(),
            joints: self.joints.to_vec(),
            arrays: self.arrays.clone(),
            outputs: self.outputs.len(),
            tape,
            engine,
        })
    }
}

/// How many threads run at a time. Asked once: the system takes microseconds to answer.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Each array with its length: as many as there are positions, or degrees of freedom.
fn arrays(arrays: &[Array], (nq, nv): (usize, usize)) -> Vec<(Array, usize)> {
    arrays.iter().map(|&a| (a, if a == Array::Q { nq } else { nv })).collect()
}

#[inline]
fn check(what: &'static str, expected: usize, found: usize) -> armdyn::Result<()> {
    if found == expected { Ok(()) } else { Err(armdyn::Error::Length { what, expected, found }) }
}

/// Whether all numbers are. One pass without a branch.
#[inline]
fn finite(inputs: [&[f64]; 3], out: &[f64]) -> bool {
    let all = |values: &[f64]| values.iter().fold(true, |all, x| all & (x.abs() < f64::INFINITY));
    inputs.into_iter().all(all) & all(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn::{AbaData, CrbaData, Error as CallError, RneaData, Vec3, aba, crba, rnea};
    use armdyn_conformance::random::{self, Description, Drives, Joints, State};
    use armdyn_symbolic::Output;

    /// As `Compiled::with_parameters`, on a machine that has no code generator.
    fn interpreted(program: &Program) -> Compiled {
        let source = Source {
            robot: &program.robot,
            joints: &program.joints,
            arrays: arrays(program.quantity.arrays(), program.size),
            graph: &program.graph,
            outputs: program.values(),
        };
        source.compile(&[], Err("no such machine".to_string())).unwrap()
    }

    fn panda() -> Model<f64> {
        armdyn_import::library::bundled("panda").unwrap().load().description.unwrap().model().unwrap()
    }

    #[track_caller]
    fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
        let scale = expected.iter().fold(1e-3, |s: f64, x| s.max(x.abs()));
        for (i, (a, b)) in found.iter().zip(expected).enumerate() {
            assert!((a - b).abs() <= tolerance * scale, "{what}, {i}: {a} {b}, of {scale}");
        }
    }

    /// The core's own result.
    fn expected(m: &Model<f64>, quantity: Quantity, s: &State, tau: &[f64]) -> Vec<f64> {
        let n = m.nv();
        let (mut out, zero) = (vec![0.0; if quantity == Quantity::Mass { n * n } else { n }], vec![0.0; n]);
        match quantity {
            Quantity::Inverse => rnea(m, &mut RneaData::new(m), &s.q, &s.qd, &s.qdd, &mut out),
            Quantity::Gravity => rnea(m, &mut RneaData::new(m), &s.q, &zero, &zero, &mut out),
            Quantity::Coriolis => {
                let m = m.without_friction().with_gravity(Vec3::zero());
                rnea(&m, &mut RneaData::new(&m), &s.q, &s.qd, &zero, &mut out)
            }
            Quantity::Mass => crba(m, &mut CrbaData::new(m), &s.q, &mut out),
            _ => aba(m, &mut AbaData::new(m), &s.q, &s.qd, tau, &mut out),
        }
        .unwrap();
        out
    }

    /// Native and interpreted, for chains and trees with every joint and drive.
    #[test]
    fn every_quantity_of_random_robots_is_the_cores() {
        for seed in 0..12 {
            let joints = if seed % 2 == 0 { Joints::All } else { Joints::SingleAxis };
            let m = Description::random(seed, 5, joints, seed % 3 == 0, Drives::Spinning).build();
            let s = State::random(&m, &mut random::source(seed));
            let tau = expected(&m, Quantity::Inverse, &s, &[]);
            let made = [
                (Quantity::Inverse, Compiled::inverse(&m)),
                (Quantity::Gravity, Compiled::gravity(&m)),
                (Quantity::Coriolis, Compiled::coriolis(&m)),
                (Quantity::Mass, Compiled::mass(&m)),
                (Quantity::Forward, Compiled::forward(&m)),
            ];
            for (quantity, native) in made {
                let native = native.unwrap();
                assert_eq!(native.backend(), Backend::Native);
                let slow = interpreted(&trace(&m, quantity).unwrap());
                let reason = "no such machine".to_string();
                assert_eq!(slow.backend(), Backend::Interpreted { reason });
                // q̈ = M⁻¹(…): rounding grows with the condition of M, some thousands for these robots.
                let tolerance = if quantity == Quantity::Forward { 1e-8 } else { 1e-12 };
                let last = if quantity == Quantity::Forward { &tau } else { &s.qdd };
                let given = |i: usize, x: &'static [f64]| if quantity.arrays().len() > i { None } else { Some(x) };
                let (qd, last) = (given(1, &[]).unwrap_or(&s.qd), given(2, &[]).unwrap_or(last));
                let right = expected(&m, quantity, &s, &tau);
                for compiled in [native, slow] {
                    let mut out = vec![0.0; compiled.outputs()];
                    compiled.call(&s.q, qd, last, &mut out).unwrap();
                    assert_close(&out, &right, tolerance, &format!("{quantity} of {}", m.name()));
                }
            }
        }
    }

    /// Central differences of the core's τ: off by h² and ε/h, about 1e-9 of the largest each.
    #[test]
    fn derivatives_are_those_of_the_torque() {
        let m = random::arm(3, "RRPRRR");
        let n = m.nv();
        let s = State::random(&m, &mut random::source(3));
        let mut out = vec![0.0; 2 * n * n];
        Compiled::derivatives(&m).unwrap().call(&s.q, &s.qd, &s.qdd, &mut out).unwrap();
        let h = 1e-5;
        for k in 0..2 * n {
            let at = |step: f64| {
                let mut s = s.clone();
                if k < n {
                    s.q[k] += step
                } else {
                    s.qd[k - n] += step
                }
                expected(&m, Quantity::Inverse, &s, &[])
            };
            let column: Vec<f64> = at(h).iter().zip(at(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect();
            let found: Vec<f64> = (0..n).map(|i| out[(k / n * n + i) * n + k % n]).collect();
            assert_close(&found, &column, 1e-6, &format!("column {k}"));
        }
    }

    /// To the last bit: the same instructions, two states at a time, on one thread and on several, with a state left over.
    #[test]
    fn a_batch_is_so_many_calls() {
        let m = panda();
        let inverse = Compiled::inverse(&m).unwrap();
        let mut rng = random::source(5);
        for states in [0, 1, 2, 7, 2 * WORK_OF_A_THREAD / inverse.tape.ops.len() + 1001] {
            let mut draw = |range| random::numbers(&mut rng, 7 * states, range);
            let (mut q, qd, qdd) = (draw(3.0), draw(2.0), draw(5.0));
            // One state beyond the usual way; its neighbour then takes the core's sines too, a last place apart.
            let huge = if states == 7 { 3 } else { usize::MAX };
            if huge < states {
                q[7 * huge + 1] = 1e9;
            }
            let (mut all, mut one) = (vec![0.0; 7 * states], [0.0; 7]);
            inverse.batch(states, &q, &qd, &qdd, &mut all).unwrap();
            for i in 0..states {
                let row = 7 * i..7 * i + 7;
                inverse.call(&q[row.clone()], &qd[row.clone()], &qdd[row.clone()], &mut one).unwrap();
                if i == huge - huge % 2 {
                    assert_close(&one, &all[row], 1e-14, "beside an angle beyond the usual way");
                } else {
                    assert_eq!(one, all[row], "state {i} of {states}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_an_error_wherever_it_stands() {
        let m = panda();
        let gravity = Compiled::gravity(&m).unwrap();
        let inverse = Compiled::inverse(&m).unwrap();
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            // Gravity does not depend on joint 1, which turns about the vertical.
            for i in 0..7 {
                let mut q = [0.3; 7];
                q[i] = wrong;
                let joint = m.dof_names()[i].clone();
                assert_eq!(gravity.call(&q, &[], &[], &mut [0.0; 7]), Err(CallError::NotFinite { what: "q", joint }));
                let error = inverse.call(&[0.3; 7], &[0.1; 7], &q, &mut [0.0; 7]);
                assert!(matches!(error, Err(CallError::NotFinite { what: "qdd", .. })), "{error:?}");
            }
        }
        let overflow = inverse.call(&[0.3; 7], &[1e200; 7], &[0.0; 7], &mut [0.0; 7]);
        assert!(matches!(overflow, Err(CallError::NotFinite { what: "out", .. })), "{overflow:?}");
        let mut q = [0.3; 7 * 9];
        q[7 * 5 + 2] = f64::NAN;
        let error = gravity.batch(9, &q, &[], &[], &mut [0.0; 7 * 9]).unwrap_err();
        assert!(error.to_string().contains("(state 5)"), "{error}");
    }

    #[test]
    fn lengths_are_checked() {
        let m = panda();
        let (inverse, mass) = (Compiled::inverse(&m).unwrap(), Compiled::mass(&m).unwrap());
        let error = |what, expected, found| Err(CallError::Length { what, expected, found });
        let [six, seven] = [&[0.0; 6][..], &[0.0; 7][..]];
        assert_eq!(inverse.call(six, seven, seven, &mut [0.0; 7]), error("q", 7, 6));
        assert_eq!(inverse.call(seven, seven, six, &mut [0.0; 7]), error("qdd", 7, 6));
        assert_eq!(inverse.call(seven, seven, seven, &mut [0.0; 8]), error("out", 7, 8));
        assert_eq!(mass.call(seven, seven, &[], &mut [0.0; 49]), error("qd", 0, 7));
        assert_eq!(mass.batch(2, seven, &[], &[], &mut [0.0; 98]), error("q", 14, 7));
    }

    /// Sine and cosine of `count` angles as a program.
    fn sines(count: usize) -> Program {
        let (graph, outputs) = Graph::record(|| {
            let q: Vec<Expr> = (0..count).map(|i| Graph::input(Array::Q, i, &format!("q{i}"))).collect();
            let output = |value| Output { name: String::new(), value };
            q.iter().flat_map(|x| <[Expr; 2]>::from(x.sin_cos())).map(output).collect::<Vec<_>>()
        });
        let arm = random::arm(1, &"R".repeat(count));
        Program { graph, outputs, ..trace(&arm, Quantity::Gravity).unwrap() }
    }

    /// The core's are off by less than 0.85 units in the last place (tested there against 113 bits). Two roundings of the
    /// remainder where multiply-add is fused, four where it is not, and that of the result: a step or two more.
    #[test]
    fn sines_are_within_two_steps_of_the_cores() {
        let program = sines(3);
        let compiled = Compiled::new(&program).unwrap();
        let isa = native::host().unwrap();
        let tape = Tape::new(&program.graph, &program.values(), &[(Array::Q, 3)], &[], false).unwrap();
        let unfused = Machine::new(&tape, isa, false, Lanes::One).unwrap();
        let mut rng = random::source(8);
        let mut worst = [0; 2];
        for trial in 0..200_000 {
            let q: [f64; 3] = std::array::from_fn(|i| {
                let near = (random::number(&mut rng, 600_000.0)).round() * std::f64::consts::FRAC_PI_2;
                match (trial + i) % 5 {
                    0 => random::number(&mut rng, 4.0),
                    1 => random::number(&mut rng, 1e6),
                    2 => near,
                    3 => near.next_up(),
                    _ => random::number(&mut rng, 1.0) * 10f64.powi(-(trial as i32 % 20)),
                }
            });
            let mut out = [[0.0; 6]; 2];
            compiled.call(&q, &[], &[], &mut out[0]).unwrap();
            unfused.run([&q, &[], &[]], &mut out[1]);
            for (worst, out) in worst.iter_mut().zip(out) {
                for (x, found) in q.iter().zip(out.as_chunks::<2>().0) {
                    let right: [f64; 2] = Real::sin_cos(*x).into();
                    for (a, b) in found.iter().zip(right) {
                        let steps = if *a == b { 0 } else { a.to_bits().abs_diff(b.to_bits()) };
                        assert!(steps <= 2, "{x:e}: {a:e} {b:e}, {steps} steps");
                        *worst = steps.max(*worst);
                    }
                }
            }
        }
        println!("fused, not fused: {worst:?} steps");
    }

    /// Beyond 2²⁰ the core's own serve, for one angle of many too.
    #[test]
    fn angles_of_any_size() {
        let compiled = Compiled::new(&sines(5)).unwrap();
        for huge in [1048576.5, 1e22, -1e22, 1e308, f64::MAX] {
            for place in 0..5 {
                let mut q = [0.1, -2.0, 3.0, 0.0, 7.0];
                q[place] = huge;
                let mut out = [0.0; 10];
                compiled.call(&q, &[], &[], &mut out).unwrap();
                let right: Vec<f64> = q.iter().flat_map(|x| <[f64; 2]>::from(Real::sin_cos(*x))).collect();
                assert_eq!(out[..], right);
            }
        }
    }

    #[test]
    fn many_threads_call_one_program() {
        let m = panda();
        let inverse = Compiled::inverse(&m).unwrap();
        thread::scope(|scope| {
            for k in 0..8 {
                let (m, inverse) = (&m, &inverse);
                scope.spawn(move || {
                    let (mut data, mut rng) = (RneaData::new(m), random::source(k));
                    for _ in 0..500 {
                        let s = State::random(m, &mut rng);
                        let (mut found, mut right) = ([0.0; 7], [0.0; 7]);
                        inverse.call(&s.q, &s.qd, &s.qdd, &mut found).unwrap();
                        rnea(m, &mut data, &s.q, &s.qd, &s.qdd, &mut right).unwrap();
                        assert_close(&found, &right, 1e-12, "τ");
                    }
                });
            }
        });
    }

    #[test]
    fn parameters_become_constants() {
        let (graph, value) = Graph::record(|| {
            let (q, m) = (Graph::input(Array::Q, 0, "q1"), Graph::input(Array::Parameter, 0, "m"));
            m * m * q.sin_cos().0
        });
        let outputs = vec![Output { name: "g1".to_string(), value }];
        let program = Program { graph, outputs, ..sines(1) };
        assert_eq!(Compiled::new(&program).err(), Some(Error::Parameters { expected: 1, found: 0 }));
        let mut out = [0.0];
        Compiled::with_parameters(&program, &[3.0]).unwrap().call(&[0.5], &[], &[], &mut out).unwrap();
        assert_close(&out, &[9.0 * 0.479425538604203], 1e-15, "m² sin q");
    }

    #[test]
    fn a_robot_that_does_not_move_and_one_that_is_made_often() {
        let m = armdyn::ModelBuilder::new("nothing").build().unwrap();
        Compiled::inverse(&m).unwrap().call(&[], &[], &[], &mut []).unwrap();
        let m = random::arm(1, "RR");
        for _ in 0..200 {
            let mut g = [0.0; 2];
            Compiled::gravity(&m).unwrap().call(&[0.1, 0.2], &[], &[], &mut g).unwrap();
            assert!(g[0] != 0.0);
        }
    }
}
