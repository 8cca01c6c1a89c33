//! One state or a batch, in `f64` or `f32`: arguments checked, results in new arrays or in `out`.

use crate::arrays::{self, Array, Arrays};
use crate::quantity::{Algorithm, Quantity};
use crate::robot::Inner;
use crate::{errors, on_gpu, pool};
use armdyn_core::{Error, Real};
use armdyn_gpu::GpuProgram;
use armdyn_jit::{BatchError, Compiled, Number};
use numpy::Element;
use pyo3::prelude::*;
use rayon::prelude::*;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Number of states from which on a batch is computed by a program that is compiled for the robot (once, in some milliseconds).
const COMPILED_FROM: usize = 16;
/// Numbers of results between two looks at Ctrl-C: some hundredths of a second.
const RESULTS_AT_A_TIME: usize = 1 << 21;
/// States of a task of a thread.
const STATES_PER_TASK: usize = 256;

/// What a robot keeps for a precision.
pub struct Engine<T: Number + Real + armdyn_gpu::Number> {
    programs: Mutex<Vec<(Quantity, Program<T>)>>,
    on_gpus: Mutex<Vec<(Quantity, Arc<GpuProgram<T>>)>>,
    /// Workspaces that no call uses.
    idle: Mutex<Vec<(Quantity, Algorithm<T>)>>,
}

/// A compiled program; none where the recursion computes batches.
type Program<T> = Arc<OnceLock<Option<Compiled<T>>>>;

impl<T: Number + Real + armdyn_gpu::Number> Default for Engine<T> {
    fn default() -> Self {
        Engine { programs: Mutex::default(), on_gpus: Mutex::default(), idle: Mutex::default() }
    }
}

/// A precision of which a robot has an engine.
pub trait Precision: Number + Real + Element + armdyn_gpu::Number {
    fn engine(robot: &Inner) -> &Engine<Self>;
    fn algorithm(robot: &Inner, quantity: Quantity) -> Algorithm<Self>;
    fn compile(robot: &Inner, quantity: armdyn_symbolic::Quantity) -> Option<Compiled<Self>>;
    fn on_gpus(robot: &Inner, quantity: armdyn_symbolic::Quantity) -> Result<GpuProgram<Self>, armdyn_gpu::Error>;
}

impl Precision for f64 {
    fn engine(robot: &Inner) -> &Engine<f64> {
        &robot.double
    }

    fn algorithm(robot: &Inner, quantity: Quantity) -> Algorithm<f64> {
        Algorithm::new(&robot.model, quantity)
    }

    fn compile(robot: &Inner, quantity: armdyn_symbolic::Quantity) -> Option<Compiled> {
        Compiled::of_model(&robot.model, quantity).ok()
    }

    fn on_gpus(robot: &Inner, quantity: armdyn_symbolic::Quantity) -> Result<GpuProgram, armdyn_gpu::Error> {
        GpuProgram::of_model(&robot.model, quantity)
    }
}

impl Precision for f32 {
    fn engine(robot: &Inner) -> &Engine<f32> {
        &robot.single
    }

    fn algorithm(robot: &Inner, quantity: Quantity) -> Algorithm<f32> {
        Algorithm::new(&robot.model.cast(), quantity)
    }

    fn compile(robot: &Inner, quantity: armdyn_symbolic::Quantity) -> Option<Compiled<f32>> {
        f64::compile(robot, quantity).map(|program| program.single())
    }

    fn on_gpus(robot: &Inner, quantity: armdyn_symbolic::Quantity) -> Result<GpuProgram<f32>, armdyn_gpu::Error> {
        f64::on_gpus(robot, quantity).map(|program| program.single())
    }
}

/// Where results go, and what computes them.
#[derive(Clone, Copy)]
pub struct Target<'a, 'py> {
    /// The array for the results.
    pub out: Option<&'a Bound<'py, PyAny>>,
    /// `cpu` or `cuda`.
    pub device: Option<&'a str>,
}

/// Computes a quantity of one state or of a batch. Arguments of one state are repeated for all states of a batch.
pub fn evaluate<'py, const N: usize>(
    py: Python<'py>,
    robot: &Inner,
    quantity: Quantity,
    arguments: [arrays::Argument<'_, 'py>; N],
    target: Target<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let names = arguments.map(|a| a.0);
    if let Some(places) = on_gpu::places(arguments)? {
        return match places.is_single {
            true => on_gpu::run::<f32, N>(py, robot, quantity, arguments, places, target.out),
            false => on_gpu::run::<f64, N>(py, robot, quantity, arguments, places, target.out),
        };
    }
    match arrays::read(arguments)? {
        Arrays::Double(arrays) => run(py, robot, quantity, names, &arrays, target),
        Arrays::Single(arrays) => run(py, robot, quantity, names, &arrays, target),
    }
}

fn run<'py, T: Precision, const N: usize>(
    py: Python<'py>,
    robot: &Inner,
    quantity: Quantity,
    names: [&'static str; N],
    arrays: &[Array<'py, T>; N],
    Target { out, device }: Target<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let m = &robot.model;
    let on_gpus = match device {
        None | Some("cpu") => None,
        Some("cuda") => Some(gpu_program::<T>(robot, quantity).map_err(|e| errors::error(py, &e.to_string()))?),
        Some(other) => return Err(errors::value(format!("invalid `device={other:?}`: expected \"cpu\" or \"cuda\""))),
    };
    let mut states = None;
    let mut sizes = [None; N];
    let mut inputs: [&[T]; 3] = [&[]; 3];
    for (k, array) in arrays.iter().enumerate() {
        sizes[k] = arrays::batch(names[k], array, if k == 0 { m.nq() } else { m.nv() })?;
        inputs[k] = arrays::numbers(array);
        if let Some(count) = sizes[k] {
            if let Some((first, other)) = states.filter(|(_, other)| *other != count) {
                return Err(errors::value(format!("`{first}` has {other} states and `{}` {count}", names[k])));
            }
            states = Some((names[k], count));
        }
    }
    let extents: [_; 3] = inputs.map(arrays::extent);
    let mut shape = quantity.shape(m);
    let width: usize = shape.iter().product();
    let Some((_, count)) = states else {
        let mut result = arrays::output::<T>(py, &shape, out, &extents)?;
        single_state(robot, quantity, inputs, arrays::numbers_mut(&mut result))
            .map_err(|e| errors::of_state(py, &e))?;
        return Ok(result.into_any());
    };
    shape.insert(0, count);
    let repeated: Vec<Vec<T>> =
        (0..N).map(|k| if sizes[k].is_none() { inputs[k].repeat(count) } else { vec![] }).collect();
    for (k, rows) in repeated.iter().enumerate() {
        if sizes[k].is_none() {
            inputs[k] = rows;
        }
    }
    let mut result = arrays::output::<T>(py, &shape, out, &extents)?;
    let mut invalid: Vec<(usize, Error)> = vec![];
    let numbers = arrays::numbers_mut(&mut result);
    let rows = (RESULTS_AT_A_TIME / width.max(1)).max(1024);
    for (k, part) in numbers.chunks_mut((rows * width).max(1)).enumerate() {
        let (first, states) = (k * rows, part.len() / width.max(1));
        let inputs: [&[T]; 3] = std::array::from_fn(|i| {
            let n = inputs[i].len() / count.max(1);
            &inputs[i][first * n..(first + states) * n]
        });
        let computed = match &on_gpus {
            None => false,
            Some(program) => py
                .detach(|| on_gpus_batch(program, quantity, states, inputs, part))
                .map_err(|e| errors::error(py, &e.to_string()))?,
        };
        if !computed {
            let found = py.detach(|| pool::on_threads(|| batch(robot, quantity, count, states, inputs, part)));
            invalid.extend(found.into_iter().map(|(i, e)| (first + i, e)));
        }
        if first + states < count {
            py.check_signals()?;
        }
    }
    if invalid.is_empty() {
        Ok(result.into_any())
    } else {
        Err(errors::of_states(py, &invalid, count, result.into_any()))
    }
}

/// The program of a quantity on the GPUs, compiled once.
pub fn gpu_program<T: Precision>(robot: &Inner, quantity: Quantity) -> Result<Arc<GpuProgram<T>>, armdyn_gpu::Error> {
    let mut known = T::engine(robot).on_gpus.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, program)) = known.iter().find(|(of, _)| *of == quantity) {
        return Ok(program.clone());
    }
    let Some(wanted) = quantity.program() else {
        let (formulation, joint) = ("the CUDA backend", robot.model.name().to_string());
        return Err(Error::Unsupported { formulation, joint }.into());
    };
    let program = Arc::new(T::on_gpus(robot, wanted)?);
    known.push((quantity, program.clone()));
    Ok(program)
}

/// Computes a batch on the GPUs. False if a state is invalid: the CPU then reports each of them.
fn on_gpus_batch<T: Precision>(
    program: &GpuProgram<T>,
    quantity: Quantity,
    states: usize,
    inputs: [&[T]; 3],
    out: &mut [T],
) -> Result<bool, armdyn_gpu::Error> {
    let used = used(quantity, inputs);
    match program.batch(states, used[0], used[1], used[2], out) {
        Ok(()) => Ok(true),
        Err(armdyn_gpu::Error::InvalidStates { .. }) => Ok(false),
        Err(e) => Err(e),
    }
}

/// The arrays that a quantity depends on; the others empty.
fn used<T>(quantity: Quantity, inputs: [&[T]; 3]) -> [&[T]; 3] {
    let mut used = [&[] as &[T]; 3];
    let n = quantity.program().map_or(3, |program| program.arrays().len());
    used[..n].copy_from_slice(&inputs[..n]);
    used
}

/// Computes a state by the recursion.
fn single_state<T: Precision>(
    robot: &Inner,
    quantity: Quantity,
    inputs: [&[T]; 3],
    out: &mut [T],
) -> Result<(), Error> {
    check_finite(robot, quantity, inputs)?;
    with_algorithm(robot, quantity, |algorithm| algorithm.compute(inputs, out))
}

/// Numbers that are not finite may cancel: a wrong position of a joint about a vertical axis does not change gravity torques.
fn check_finite<T: Precision>(robot: &Inner, quantity: Quantity, inputs: [&[T]; 3]) -> Result<(), Error> {
    let names = match quantity.program() {
        Some(armdyn_symbolic::Quantity::Forward | armdyn_symbolic::Quantity::ForwardDerivatives) => ["q", "v", "tau"],
        _ => ["q", "v", "a"],
    };
    for (what, values) in names.into_iter().zip(inputs) {
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            let names = robot.model.dof_names();
            let joint = if values.len() == names.len() { names[i].clone() } else { robot.model.name().to_string() };
            return Err(Error::NotFinite { what, joint });
        }
    }
    Ok(())
}

/// The error with the arguments' names in Python.
fn named(error: Error) -> Error {
    match error {
        Error::NotFinite { what: "qd", joint } => Error::NotFinite { what: "v", joint },
        Error::NotFinite { what: "qdd", joint } => Error::NotFinite { what: "a", joint },
        other => other,
    }
}

/// Calls a function with a workspace of the robot.
fn with_algorithm<T: Precision, R>(robot: &Inner, quantity: Quantity, f: impl FnOnce(&mut Algorithm<T>) -> R) -> R {
    let idle = &T::engine(robot).idle;
    let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = {
        let mut all = lock();
        all.iter().position(|(of, _)| *of == quantity).map(|k| all.swap_remove(k).1)
    };
    let mut algorithm = taken.unwrap_or_else(|| T::algorithm(robot, quantity));
    let result = f(&mut algorithm);
    let mut all = lock();
    // Each frame of each link is a quantity of its own: old ones go.
    if all.len() >= 64 {
        all.remove(0);
    }
    all.push((quantity, algorithm));
    result
}

/// Computes `states` rows of a batch of `count`. Returns the invalid ones, whose rows are NaN.
fn batch<T: Precision>(
    robot: &Inner,
    quantity: Quantity,
    count: usize,
    states: usize,
    inputs: [&[T]; 3],
    out: &mut [T],
) -> Vec<(usize, Error)> {
    if (count >= COMPILED_FROM || robot.is_compiled.load(Ordering::Relaxed))
        && let Some(wanted) = quantity.program()
    {
        let slot = {
            let mut all = T::engine(robot).programs.lock().unwrap_or_else(PoisonError::into_inner);
            match all.iter().find(|(of, _)| *of == quantity) {
                Some((_, slot)) => slot.clone(),
                None => {
                    all.push((quantity, Program::default()));
                    all[all.len() - 1].1.clone()
                }
            }
        };
        if let Some(program) = slot.get_or_init(|| T::compile(robot, wanted)) {
            let used = used(quantity, inputs);
            return match program.batch(states, used[0], used[1], used[2], out) {
                Ok(()) => vec![],
                Err(BatchError::InvalidStates(all)) => all.into_iter().map(|s| (s.state, named(s.error))).collect(),
                Err(BatchError::Length(e)) => vec![(0, e)],
                Err(e) => unreachable!("{e}"),
            };
        }
    }
    let width = out.len() / states.max(1);
    let widths = inputs.map(|values| values.len() / states.max(1));
    let row = |algorithm: &mut Algorithm<T>, i: usize, out: &mut [T]| {
        let inputs: [&[T]; 3] = std::array::from_fn(|k| &inputs[k][i * widths[k]..(i + 1) * widths[k]]);
        let found = check_finite(robot, quantity, inputs).and_then(|()| algorithm.compute(inputs, out));
        found.err().map(|e| {
            out.fill(T::lift(f64::NAN));
            (i, e)
        })
    };
    let tasks = out.par_chunks_mut((STATES_PER_TASK * width).max(1)).enumerate();
    let invalid = tasks.map(|(k, out)| {
        with_algorithm(robot, quantity, |algorithm| {
            let rows = out.chunks_mut(width.max(1)).enumerate();
            rows.filter_map(|(i, out)| row(algorithm, STATES_PER_TASK * k + i, out)).collect::<Vec<_>>()
        })
    });
    invalid.collect::<Vec<_>>().into_iter().flatten().collect()
}
