//! Compiled programs of one robot: single calls and batches, in double and single precision.

use crate::pointers::{self, Input, Output, check_size};
use crate::robot::{Robot, unknown};
use crate::status::{Failure, Status, c_text, guard, value};
use armdyn_jit::{Backend, BatchError, Compiled, Number};
use armdyn_symbolic::Array;
use std::ffi::{CString, c_char};

/// One quantity of one robot, compiled to machine code, in double precision. Any number of threads may use it at the same time.
pub struct Program(Code<f64>);

/// The same in single precision: batches take half the time, results have about seven digits.
pub struct ProgramF32(Code<f32>);

struct Code<T: Number> {
    compiled: Compiled<T>,
    outputs: usize,
    /// Lengths of q, qd and the last array; 0 where the quantity does not depend on one.
    lengths: [usize; 3],
    /// The name of the last array.
    last: &'static str,
    backend: CString,
}

/// What a program computes.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Quantity(pub i32);

/// Inverse dynamics: torques (nv) of q, qd, qdd.
pub const ARMDYN_QUANTITY_INVERSE: Quantity = Quantity(0);
/// Forward dynamics: accelerations (nv) of q, qd, tau.
pub const ARMDYN_QUANTITY_FORWARD: Quantity = Quantity(1);
/// Gravity torques (nv) of q.
pub const ARMDYN_QUANTITY_GRAVITY: Quantity = Quantity(2);
/// Bias torques without friction (nv) of q, qd.
pub const ARMDYN_QUANTITY_BIAS: Quantity = Quantity(3);
/// Velocity torques (nv) of q, qd.
pub const ARMDYN_QUANTITY_CORIOLIS: Quantity = Quantity(4);
/// Mass matrix (nv × nv) of q.
pub const ARMDYN_QUANTITY_MASS: Quantity = Quantity(5);
/// Inverse mass matrix (nv × nv) of q.
pub const ARMDYN_QUANTITY_INVERSE_MASS: Quantity = Quantity(6);
/// Derivatives of inverse dynamics by q, then by qd (2 × nv × nv), of q, qd, qdd.
pub const ARMDYN_QUANTITY_DERIVATIVES: Quantity = Quantity(7);
/// Derivatives of forward dynamics by q, by qd, then by tau (3 × nv × nv), of q, qd, tau.
pub const ARMDYN_QUANTITY_FORWARD_DERIVATIVES: Quantity = Quantity(8);
/// Pose of the last link of q: rotation by rows, then position (12).
pub const ARMDYN_QUANTITY_KINEMATICS: Quantity = Quantity(9);
/// Jacobian of the last link of q, at its origin in the axes of the base, linear rows first (6 × nv).
pub const ARMDYN_QUANTITY_JACOBIAN: Quantity = Quantity(10);
/// Regressor Y of q, qd, qdd (nv × `armdyn_robot_parameter_count`), with tau = Y p and the p of `armdyn_robot_parameters`.
pub const ARMDYN_QUANTITY_REGRESSOR: Quantity = Quantity(11);

/// Compiles a quantity of a robot.
fn compile(robot: *const Robot, quantity: Quantity) -> Result<Code<f64>, Failure> {
    let m = &pointers::shared("robot", robot)?.0.model;
    let quantity = match quantity {
        ARMDYN_QUANTITY_INVERSE => armdyn_symbolic::Quantity::Inverse,
        ARMDYN_QUANTITY_FORWARD => armdyn_symbolic::Quantity::Forward,
        ARMDYN_QUANTITY_GRAVITY => armdyn_symbolic::Quantity::Gravity,
        ARMDYN_QUANTITY_BIAS => armdyn_symbolic::Quantity::Bias,
        ARMDYN_QUANTITY_CORIOLIS => armdyn_symbolic::Quantity::Coriolis,
        ARMDYN_QUANTITY_MASS => armdyn_symbolic::Quantity::Mass,
        ARMDYN_QUANTITY_INVERSE_MASS => armdyn_symbolic::Quantity::InverseMass,
        ARMDYN_QUANTITY_DERIVATIVES => armdyn_symbolic::Quantity::Derivatives,
        ARMDYN_QUANTITY_FORWARD_DERIVATIVES => armdyn_symbolic::Quantity::ForwardDerivatives,
        ARMDYN_QUANTITY_KINEMATICS => armdyn_symbolic::Quantity::Kinematics,
        ARMDYN_QUANTITY_JACOBIAN => armdyn_symbolic::Quantity::Jacobian,
        ARMDYN_QUANTITY_REGRESSOR => armdyn_symbolic::Quantity::Regressor,
        Quantity(other) => return Err(unknown("quantity", other)),
    };
    let arrays = quantity.arrays();
    let length = |k: usize| arrays.get(k).map_or(0, |array| if *array == Array::Q { m.nq() } else { m.nv() });
    let last = if arrays.get(2) == Some(&Array::Tau) { "tau" } else { "qdd" };
    Ok(Code::new(Compiled::of_model(m, quantity)?, [0, 1, 2].map(length), last))
}

impl<T: Number> Code<T> {
    fn new(compiled: Compiled<T>, lengths: [usize; 3], last: &'static str) -> Self {
        let backend = match compiled.call_backend() {
            Backend::Avx512 => c"AVX-512".into(),
            Backend::Avx2 => c"AVX2".into(),
            Backend::Cranelift { reason } => c_text(&format!("Cranelift ({reason})")),
            Backend::Interpreted { reason } => c_text(&format!("interpreted ({reason})")),
            other => c_text(&format!("{other:?}")),
        };
        Code { outputs: compiled.outputs(), compiled, lengths, last, backend }
    }

    /// Arrays of this many states, which memory can hold.
    #[inline(always)]
    fn arrays(&self, states: usize, arrays: [(*const T, usize); 3], (data, length): (*mut T, usize)) -> Arrays<T> {
        let input = |what, k: usize| {
            let (data, length) = arrays[k];
            Input { what, data, length, expected: states * self.lengths[k] }
        };
        let out = Output { what: "out", data, length, expected: states * self.outputs };
        ([input("q", 0), input("qd", 1), input(self.last, 2)], [out])
    }

    #[inline(always)]
    fn call(&self, arrays: [(*const T, usize); 3], out: (*mut T, usize)) -> Result<(), Failure> {
        let (inputs, outputs) = self.arrays(1, arrays, out);
        pointers::arrays(inputs, outputs, |[q, qd, last], [out]| Ok(self.compiled.call(q, qd, last, out)?))
    }

    fn batch(
        &self,
        states: usize,
        arrays: [(*const T, usize); 3],
        out: (*mut T, usize),
        valid: (*mut u8, usize),
    ) -> Result<(), Failure> {
        let widest = self.lengths.into_iter().chain([self.outputs, 1]).max().unwrap_or(1);
        check_size::<T>("out", states.saturating_mul(widest))?;
        let valid = Output { what: "valid", data: valid.0, length: valid.1, expected: states };
        let (inputs, outputs) = self.arrays(states, arrays, out);
        pointers::arrays_and_flags(inputs, outputs, valid, |[q, qd, last], [out], valid| {
            valid.fill(1);
            let computed = self.compiled.batch(states, q, qd, last, out);
            match computed {
                Ok(()) => Ok(()),
                Err(BatchError::Length(e)) => Err(e.into()),
                Err(e) => {
                    for state in e.invalid_states() {
                        valid.get_mut(state.state).into_iter().for_each(|flag| *flag = 0);
                    }
                    Err(Failure::new(Status::InvalidStates, e.to_string()))
                }
            }
        })
    }
}

type Arrays<T> = ([Input<T>; 3], [Output<T>; 1]);

/// A property of a program.
fn of<P, T>(program: *const P, otherwise: T, property: impl FnOnce(&P) -> T) -> T {
    value(otherwise, || Ok(property(pointers::shared("program", program)?)))
}

/// Compiles a quantity of a robot, in some milliseconds; no compiler is needed. The program keeps nothing of the robot: its payloads and
/// gravity are compiled in. `program` receives it (null on failure); release it with `armdyn_program_release`.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_compile(
    robot: *const Robot,
    quantity: Quantity,
    program: *mut *mut Program,
) -> Status {
    guard(|| pointers::give("program", program, || Ok(Program(compile(robot, quantity)?))))
}

/// Releases a program; null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_release(program: *mut Program) {
    value((), || {
        pointers::release(program);
        Ok(())
    });
}

/// Number of results of a state; 0 if `program` is null.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_outputs(program: *const Program) -> usize {
    of(program, 0, |p| p.0.outputs)
}

/// How single calls are computed: `AVX-512`, `AVX2`, `Cranelift (reason)`, `interpreted (reason)`; null if `program` is. Valid while the
/// program is.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_backend(program: *const Program) -> *const c_char {
    of(program, std::ptr::null(), |p| p.0.backend.as_ptr())
}

/// Computes one state: `out` (`armdyn_program_outputs` numbers, as its quantity says). `last` is qdd or tau. Arrays that the
/// quantity does not depend on are null and 0.
///
/// Nothing is allocated, except on a thread's first call where programs are interpreted (`armdyn_program_backend`).
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_call(
    program: *const Program,
    q: *const f64,
    q_length: usize,
    qd: *const f64,
    qd_length: usize,
    last: *const f64,
    last_length: usize,
    out: *mut f64,
    out_length: usize,
) -> Status {
    guard(|| {
        let code = &pointers::shared("program", program)?.0;
        code.call([(q, q_length), (qd, qd_length), (last, last_length)], (out, out_length))
    })
}

/// Computes many states, on several threads if they are many: `q` (states × nq), `qd` and `last` (states × nv), `out` (states ×
/// `armdyn_program_outputs`), all row-major. Lengths are those of the whole arrays. The results are those of single calls, bit by bit.
///
/// `valid`: a flag for each state, 1 if it has a result, otherwise 0; or null and 0. If a state is invalid, its row is NaN, all others are
/// computed, and the call returns `ARMDYN_STATUS_INVALID_STATES`. The first batch of a program compiles code for batches.
///
/// The environment variable `RAYON_NUM_THREADS` sets the number of threads; a process that forks does so before its first large batch.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_batch(
    program: *const Program,
    states: usize,
    q: *const f64,
    q_length: usize,
    qd: *const f64,
    qd_length: usize,
    last: *const f64,
    last_length: usize,
    out: *mut f64,
    out_length: usize,
    valid: *mut u8,
    valid_length: usize,
) -> Status {
    guard(|| {
        let code = &pointers::shared("program", program)?.0;
        let arrays = [(q, q_length), (qd, qd_length), (last, last_length)];
        code.batch(states, arrays, (out, out_length), (valid, valid_length))
    })
}

/// As `armdyn_program_compile`, in single precision.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_f32_compile(
    robot: *const Robot,
    quantity: Quantity,
    program: *mut *mut ProgramF32,
) -> Status {
    guard(|| {
        pointers::give("program", program, || {
            let double = compile(robot, quantity)?;
            Ok(ProgramF32(Code::new(double.compiled.single(), double.lengths, double.last)))
        })
    })
}

/// Releases a program; null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_f32_release(program: *mut ProgramF32) {
    value((), || {
        pointers::release(program);
        Ok(())
    });
}

/// Number of results of a state; 0 if `program` is null.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_f32_outputs(program: *const ProgramF32) -> usize {
    of(program, 0, |p| p.0.outputs)
}

/// As `armdyn_program_backend`.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_f32_backend(program: *const ProgramF32) -> *const c_char {
    of(program, std::ptr::null(), |p| p.0.backend.as_ptr())
}

/// As `armdyn_program_call`, in single precision.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_f32_call(
    program: *const ProgramF32,
    q: *const f32,
    q_length: usize,
    qd: *const f32,
    qd_length: usize,
    last: *const f32,
    last_length: usize,
    out: *mut f32,
    out_length: usize,
) -> Status {
    guard(|| {
        let code = &pointers::shared("program", program)?.0;
        code.call([(q, q_length), (qd, qd_length), (last, last_length)], (out, out_length))
    })
}

/// As `armdyn_program_batch`, in single precision.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_program_f32_batch(
    program: *const ProgramF32,
    states: usize,
    q: *const f32,
    q_length: usize,
    qd: *const f32,
    qd_length: usize,
    last: *const f32,
    last_length: usize,
    out: *mut f32,
    out_length: usize,
    valid: *mut u8,
    valid_length: usize,
) -> Status {
    guard(|| {
        let code = &pointers::shared("program", program)?.0;
        let arrays = [(q, q_length), (qd, qd_length), (last, last_length)];
        code.batch(states, arrays, (out, out_length), (valid, valid_length))
    })
}
