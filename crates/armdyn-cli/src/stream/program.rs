//! Programs compiled for tables of many states, in place of the recursions.

use super::States;
use armdyn_core::Model;
use armdyn_jit::Compiled;

/// States at which a program is compared with the recursion before it is used.
const COMPARED: usize = 64;

/// Maximum deviation from the recursion, relative to the largest result of a state.
const TOLERANCE: f64 = 1e-12;

/// The recursion, for one state.
type Recursion = fn(&Model<f64>, [&[f64]; 3]) -> armdyn_core::error::Result<Vec<f64>>;

/// A program of a robot, compiled for the first block of a table of many states.
pub struct TableProgram<'a> {
    model: &'a Model<f64>,
    compile: fn(&Model<f64>) -> Result<Compiled, armdyn_jit::Error>,
    recursion: Recursion,
    /// None if there is no program that agrees with the recursion.
    program: Option<Option<Compiled>>,
    results: Vec<f64>,
}

impl<'a> TableProgram<'a> {
    /// τ(q, q̇, q̈) with the friction of moving joints, as [`rnea`](armdyn_core::rnea) computes it.
    pub fn inverse(model: &'a Model<f64>) -> Self {
        Self::new(model, Compiled::inverse, |m, [q, qd, qdd]| m.inverse_dynamics(q, qd, qdd))
    }

    /// q̈(q, q̇, τ) with the friction of moving joints, as [`aba`](armdyn_core::aba) computes it.
    pub fn forward(model: &'a Model<f64>) -> Self {
        Self::new(model, Compiled::forward, |m, [q, qd, tau]| m.forward_dynamics(q, qd, tau))
    }

    fn new(
        model: &'a Model<f64>,
        compile: fn(&Model<f64>) -> Result<Compiled, armdyn_jit::Error>,
        recursion: Recursion,
    ) -> Self {
        TableProgram { model, compile, recursion, program: None, results: vec![] }
    }

    /// The results of a block, row-major; `None` where the recursion has to compute them: few states, no program, or an invalid
    /// state, whose error the recursion reports.
    pub fn results(&mut self, states: &States<3>) -> Option<&[f64]> {
        if !states.many {
            return None;
        }
        let (model, recursion, compile) = (self.model, self.recursion, self.compile);
        let make = || compile(model).ok().filter(|program| agrees(program, model, recursion, states));
        let program = self.program.get_or_insert_with(make).as_ref()?;
        let [q, qd, last] = states.arrays;
        self.results.resize(states.rows * program.outputs(), 0.0);
        program.batch(states.rows, q, qd, last, &mut self.results).ok()?;
        Some(&self.results)
    }
}

/// Whether a program agrees with the recursion at states of a block. Invalid states are not compared.
fn agrees(program: &Compiled, model: &Model<f64>, recursion: Recursion, states: &States<3>) -> bool {
    let mut found = vec![0.0; program.outputs()];
    (0..states.rows).step_by(states.rows.div_ceil(COMPARED).max(1)).all(|row| {
        let inputs = states.row(row);
        let Ok(expected) = recursion(model, inputs) else { return true };
        let [q, qd, last] = inputs;
        let largest = expected.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
        program.call(q, qd, last, &mut found).is_ok()
            && found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= TOLERANCE * largest)
    })
}
