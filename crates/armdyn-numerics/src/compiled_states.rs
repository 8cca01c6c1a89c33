//! Dynamics of many states by a program that is compiled for the robot (feature `jit`), in place of the recursion.
//!
//! Compiling costs some milliseconds and pays from about ten thousand states on. The program is compared with the recursion at
//! some of the states before it is used. Without the feature, nothing is computed and the caller's recursion does the work. With the
//! feature `cuda`, the program may run on the NVIDIA GPUs of the machine.

use crate::{Result, invalid};
use armdyn_core::Model;
use armdyn_symbolic::Quantity;
#[cfg(feature = "jit")]
use std::sync::OnceLock;

/// Number of states from which on compiling a program pays.
const MANY: usize = 1 << 14;

/// States at which a program is compared with the recursion before it is used.
#[cfg(feature = "jit")]
const COMPARED: usize = 64;

/// Maximum deviation from the recursion, relative to the largest result of a state.
#[cfg(feature = "jit")]
const TOLERANCE: f64 = 1e-12;

/// The processor that computes many states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// All cores of the CPU.
    #[default]
    Cpu,
    /// All NVIDIA GPUs.
    Cuda,
}

/// A quantity of a robot at many states.
#[cfg_attr(not(feature = "jit"), expect(dead_code, reason = "only programs read its fields"))]
pub struct CompiledStates<'a> {
    model: &'a Model<f64>,
    quantity: Quantity,
    /// None if there is no program that agrees with the recursion.
    #[cfg(feature = "jit")]
    program: OnceLock<Option<armdyn_jit::Compiled>>,
    /// The program on GPUs, in place of the other one.
    #[cfg(feature = "cuda")]
    gpu: Option<armdyn_gpu::GpuProgram>,
}

impl<'a> CompiledStates<'a> {
    /// τ(q, q̇, q̈) with the friction of moving joints, as [`rnea`](armdyn_core::rnea) computes it.
    pub fn inverse(model: &'a Model<f64>) -> Self {
        Self::new(model, Quantity::Inverse)
    }

    /// q̈(q, q̇, τ) with the friction of moving joints, as [`aba`](armdyn_core::aba) computes it.
    pub fn forward(model: &'a Model<f64>) -> Self {
        Self::new(model, Quantity::Forward)
    }

    /// M(q), row-major.
    pub fn mass(model: &'a Model<f64>) -> Self {
        Self::new(model, Quantity::Mass)
    }

    /// g(q).
    pub fn gravity(model: &'a Model<f64>) -> Self {
        Self::new(model, Quantity::Gravity)
    }

    /// C(q, q̇) q̇ + g(q), without friction.
    pub fn bias(model: &'a Model<f64>) -> Self {
        Self::new(model, Quantity::Bias)
    }

    fn new(model: &'a Model<f64>, quantity: Quantity) -> Self {
        CompiledStates {
            model,
            quantity,
            #[cfg(feature = "jit")]
            program: OnceLock::new(),
            #[cfg(feature = "cuda")]
            gpu: None,
        }
    }

    /// On a device. An error says why there is no GPU to use.
    pub fn on(self, device: Device) -> Result<Self> {
        match device {
            Device::Cpu => Ok(self),
            #[cfg(feature = "cuda")]
            Device::Cuda => match armdyn_gpu::GpuProgram::of_model(self.model, self.quantity) {
                Ok(program) => Ok(CompiledStates { gpu: Some(program), ..self }),
                Err(e) => invalid(e.to_string()),
            },
            #[cfg(not(feature = "cuda"))]
            Device::Cuda => invalid("this build computes on the CPU only; build it with the feature `cuda`"),
        }
    }

    /// Whether GPUs compute the states.
    pub fn on_gpu(&self) -> bool {
        #[cfg(feature = "cuda")]
        {
            self.gpu.is_some()
        }
        #[cfg(not(feature = "cuda"))]
        false
    }

    /// Whether a program pays for this number of states.
    pub fn pays(states: usize) -> bool {
        cfg!(feature = "jit") && states >= MANY
    }

    /// Computes the results of states, all row-major; arrays that the quantity does not depend on are not read. False where the
    /// recursion has to compute them: no program, or an invalid state, whose error the recursion reports.
    ///
    /// The results do not depend on the number of threads.
    #[cfg_attr(not(feature = "jit"), expect(unused_variables))]
    pub fn compute(&self, states: usize, arrays: [&[f64]; 3], out: &mut [f64]) -> bool {
        #[cfg(feature = "jit")]
        {
            let mut inputs: [&[f64]; 3] = [&[]; 3];
            let used = self.quantity.arrays().len();
            inputs[..used].copy_from_slice(&arrays[..used]);
            #[cfg(feature = "cuda")]
            if let Some(program) = &self.gpu {
                let [q, qd, last] = inputs;
                return program.batch(states, q, qd, last, out).is_ok();
            }
            let make = || armdyn_jit::Compiled::of_model(self.model, self.quantity).ok();
            let program = self.program.get_or_init(|| make().filter(|program| self.agrees(program, states, inputs)));
            let [q, qd, last] = inputs;
            program.as_ref().is_some_and(|program| program.batch(states, q, qd, last, out).is_ok())
        }
        #[cfg(not(feature = "jit"))]
        false
    }

    /// Whether a program agrees with the recursion at some of the states. Invalid states are not compared.
    #[cfg(feature = "jit")]
    fn agrees(&self, program: &armdyn_jit::Compiled, states: usize, inputs: [&[f64]; 3]) -> bool {
        let mut found = vec![0.0; program.outputs()];
        (0..states).step_by(states.div_ceil(COMPARED).max(1)).all(|row| {
            let row = inputs.map(|all| &all[all.len() / states * row..all.len() / states * (row + 1)]);
            let Some(expected) = self.recursion(row) else { return true };
            let [q, qd, last] = row;
            let largest = expected.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
            program.call(q, qd, last, &mut found).is_ok()
                && found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= TOLERANCE * largest)
        })
    }

    /// The results of a state; none if it is invalid.
    #[cfg(feature = "jit")]
    fn recursion(&self, [q, qd, last]: [&[f64]; 3]) -> Option<Vec<f64>> {
        let m = self.model;
        match self.quantity {
            Quantity::Inverse => m.inverse_dynamics(q, qd, last),
            Quantity::Forward => m.forward_dynamics(q, qd, last),
            Quantity::Mass => {
                m.mass_matrix(q).map(|mass| (0..mass.rows()).flat_map(|i| mass.row(i).to_vec()).collect())
            }
            Quantity::Gravity => m.gravity_torques(q),
            _ => m.bias_torques(q, qd),
        }
        .ok()
    }
}

#[cfg(all(test, feature = "jit"))]
mod tests {
    use super::*;
    use armdyn_testkit::random::{self, State};
    use armdyn_testkit::{assert_close, bundled};

    /// States of a robot, row-major.
    fn states(m: &Model<f64>, count: usize) -> [Vec<f64>; 3] {
        let mut rng = random::source(3);
        let states: Vec<State> = (0..count).map(|_| State::random(m, &mut rng)).collect();
        let all = |part: fn(&State) -> &Vec<f64>| states.iter().flat_map(part).copied().collect();
        [all(|s| &s.q), all(|s| &s.qd), all(|s| &s.qdd)]
    }

    #[test]
    fn results_are_those_of_the_recursion() {
        for m in [bundled("panda"), bundled("puma560")] {
            let (n, arrays) = (m.nv(), states(&m, 50));
            let arrays = arrays.each_ref().map(Vec::as_slice);
            let quantities =
                [CompiledStates::inverse, CompiledStates::gravity, CompiledStates::bias, CompiledStates::mass];
            for (new, width) in quantities.into_iter().zip([n, n, n, n * n]) {
                let (compiled, mut out) = (new(&m), vec![0.0; 50 * width]);
                assert!(compiled.compute(50, arrays, &mut out));
                for (k, found) in out.chunks(width).enumerate() {
                    let state = arrays.map(|x| &x[k * n..(k + 1) * n]);
                    let expected = compiled.recursion(state).unwrap();
                    assert_close(&compiled.quantity.to_string(), found, &expected, 1e-11);
                }
            }
        }
    }

    #[test]
    fn an_invalid_state_is_left_to_the_recursion() {
        let m = bundled("panda");
        let mut arrays = states(&m, 9);
        let compiled = CompiledStates::inverse(&m);
        let mut out = vec![0.0; 9 * 7];
        let mut computed = |arrays: &[Vec<f64>; 3]| compiled.compute(9, arrays.each_ref().map(Vec::as_slice), &mut out);
        assert!(computed(&arrays));
        arrays[1][60] = f64::NAN;
        assert!(!computed(&arrays));
    }

    /// The program of another robot.
    #[test]
    fn a_program_that_differs_is_not_used() {
        let (m, heavier) = (bundled("panda"), bundled("iiwa14"));
        let arrays = states(&m, 9);
        let arrays = arrays.each_ref().map(Vec::as_slice);
        let compiled = CompiledStates::inverse(&m);
        let other = armdyn_jit::Compiled::inverse(&heavier).unwrap();
        assert!(!compiled.agrees(&other, 9, arrays));
        assert!(compiled.agrees(&armdyn_jit::Compiled::inverse(&m).unwrap(), 9, arrays));
    }
}
