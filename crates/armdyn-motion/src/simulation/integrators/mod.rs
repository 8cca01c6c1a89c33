//! Integrators: one step of each, over the state of a [`System`].
//!
//! | integrator | order | file | for |
//! |---|---|---|---|
//! | semi-implicit (symplectic) Euler | 1 | `semi_implicit_euler.rs` | real-time loops |
//! | Runge–Kutta | 4 | `runge_kutta.rs` | fixed steps |
//! | Dormand–Prince 8(5,3) | 8, 5 in short steps | `armdyn_numerics::integrate` | accuracy; adaptive steps |
//! | implicit midpoint | 2 | `implicit_midpoint.rs` | stiff joints; conserves quadratic invariants |

mod implicit_midpoint;
mod runge_kutta;
mod semi_implicit_euler;

use super::system::System;
use armdyn_numerics::integrate::Solver;
use armdyn_numerics::{Result, Tolerance};
use implicit_midpoint::ImplicitMidpoint;
use runge_kutta::RungeKutta;
use semi_implicit_euler::SemiImplicitEuler;
use serde::Serialize;
use std::fmt;

/// An integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Integrator {
    /// Semi-implicit (symplectic) Euler, order 1, fixed steps.
    SemiImplicitEuler,
    /// The classical Runge–Kutta method, order 4, fixed steps.
    RungeKutta,
    /// Dormand–Prince 8(5,3), order 8, adaptive steps.
    #[default]
    DormandPrince,
    /// Implicit midpoint rule, order 2, fixed steps, stable for stiff joints.
    ImplicitMidpoint,
}

impl Integrator {
    /// Whether its steps have a fixed length.
    pub fn has_fixed_steps(self) -> bool {
        self != Integrator::DormandPrince
    }
}

impl fmt::Display for Integrator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Integrator::SemiImplicitEuler => "semi-implicit Euler",
            Integrator::RungeKutta => "Runge–Kutta 4",
            Integrator::DormandPrince => "Dormand–Prince 8(5,3)",
            Integrator::ImplicitMidpoint => "implicit midpoint",
        })
    }
}

enum Method {
    SemiImplicitEuler(SemiImplicitEuler),
    RungeKutta(RungeKutta),
    DormandPrince(Solver),
    ImplicitMidpoint(Box<ImplicitMidpoint>),
}

/// Accuracy to which events are located \[s\].
pub(super) const EVENT_ACCURACY: f64 = 1e-12;

/// The longest adaptive step \[s\]; events are detected at its end, and at its middle if it is longer than [`SHORT_STEP`].
const MAX_STEP: f64 = 0.05;

/// Events within an adaptive step up to this length are looked for at its end only \[s\].
const SHORT_STEP: f64 = 0.01;

/// An integrator at a time and a state.
pub(super) struct Stepper {
    pub t: f64,
    pub y: Vec<f64>,
    /// The end of an attempted step.
    pub trial: Vec<f64>,
    method: Method,
    /// Length of a fixed step.
    step: f64,
}

impl Stepper {
    pub fn new(integrator: Integrator, system: &System, step: f64, tolerance: Tolerance) -> Self {
        let y = vec![0.0; system.len()];
        let method = match integrator {
            Integrator::SemiImplicitEuler => Method::SemiImplicitEuler(SemiImplicitEuler::new(system)),
            Integrator::RungeKutta => Method::RungeKutta(RungeKutta::new(system)),
            Integrator::ImplicitMidpoint => Method::ImplicitMidpoint(Box::new(ImplicitMidpoint::new(system))),
            Integrator::DormandPrince => Method::DormandPrince(Solver::new(0.0, y.clone(), 1e-3, tolerance)),
        };
        Stepper { t: 0.0, trial: y.clone(), y, method, step }
    }

    /// Attempts a step that ends at `limit` at the latest; returns its length, none if no step is short enough.
    pub fn attempt(&mut self, system: &mut System, limit: f64) -> Result<Option<f64>> {
        let left = limit - self.t;
        let Method::DormandPrince(solver) = &mut self.method else {
            // Equal steps up to the limit; one that is too long by rounding does not add another.
            let h = left / (left / self.step - 1e-9).ceil().max(1.0);
            self.part(system, h)?;
            return Ok(Some(h));
        };
        solver.t = self.t;
        solver.y.copy_from_slice(&self.y);
        let step = solver.try_step(system, left.min(MAX_STEP))?;
        self.trial.copy_from_slice(solver.trial());
        Ok(step)
    }

    /// One step of length `h`, for a part of an accepted one.
    pub fn part(&mut self, system: &mut System, h: f64) -> Result<()> {
        match &mut self.method {
            Method::SemiImplicitEuler(method) => method.step(system, self.t, &self.y, h, &mut self.trial),
            Method::RungeKutta(method) => method.step(system, self.t, &self.y, h, &mut self.trial),
            Method::ImplicitMidpoint(method) => method.step(system, self.t, &self.y, h, &mut self.trial),
            Method::DormandPrince(solver) => {
                solver.t = self.t;
                solver.y.copy_from_slice(&self.y);
                solver.try_part(system, h)?;
                self.trial.copy_from_slice(solver.trial());
                Ok(())
            }
        }
    }

    /// Shortens an attempted step of length `h` to the first end of the mode within it. Returns its length and whether it ends with
    /// an event.
    pub fn until_event(&mut self, system: &mut System, h: f64) -> Result<(f64, bool)> {
        let mut low = 0.0;
        let mut high = h;
        if h > SHORT_STEP && matches!(self.method, Method::DormandPrince(_)) {
            let end = self.trial.clone();
            self.part(system, h / 2.0)?;
            if system.mode_holds(self.t + h / 2.0, &self.trial)? {
                low = h / 2.0;
                self.trial.copy_from_slice(&end);
            } else {
                high = h / 2.0;
            }
        }
        if high == h && system.mode_holds(self.t + h, &self.trial)? {
            return Ok((h, false));
        }
        while high - low > EVENT_ACCURACY.max(4.0 * f64::EPSILON * self.t) {
            let middle = low + (high - low) / 2.0;
            self.part(system, middle)?;
            if system.mode_holds(self.t + middle, &self.trial)? {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.part(system, high)?;
        Ok((high, true))
    }

    /// Advances to the end of the attempted step, at the time `t`.
    pub fn accept(&mut self, system: &mut System, t: f64) -> Result<()> {
        self.t = t;
        std::mem::swap(&mut self.y, &mut self.trial);
        if system.chart.has_quaternions() {
            let n = system.nv();
            system.chart.configuration(&system.model, &self.y[..n], &mut system.q)?;
            system.chart.set(&system.q, &mut self.y[..n]);
        }
        Ok(())
    }

    /// ẏ at the start of the attempted step, if it is an adaptive one.
    pub fn start_rates(&self) -> Option<&[f64]> {
        match &self.method {
            Method::DormandPrince(solver) => Some(solver.start_rates()),
            _ => None,
        }
    }

    /// After an event an adaptive integrator starts with a short step.
    pub fn restart(&mut self) {
        if let Method::DormandPrince(solver) = &mut self.method {
            solver.next = 1e-4;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Simulation;
    use armdyn_core::{BASE, Joint, JointKind, Link, ModelBuilder, Transform, vec3};

    /// A tumbling body that carries another one on a ball joint, after a time in equal steps of order 8.
    fn end(n: usize) -> Vec<f64> {
        let solid = |name| Link::new(name).body(2.0, [0.1, -0.05, 0.2], [0.3, 0.01, 0.02, 0.4, -0.03, 0.5]);
        let mut robot = ModelBuilder::new("bodies");
        let hull = robot.add(BASE, Joint::new("hull", JointKind::Free), solid("hull"));
        let place = Transform::from_translation(vec3(0.3, 0.0, 0.1));
        robot.add(hull, Joint::new("ball", JointKind::Spherical).at(place), solid("arm"));
        let m = robot.build().unwrap();
        let q = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let qd = [0.5, -0.3, 0.2, 1.0, -2.0, 1.5, 2.0, 1.0, -1.5];
        let mut setup = Simulation::new(&m).initial_state(&q, &qd).prepare(2.0).unwrap();
        let tolerance = Tolerance { relative: 1e-9, absolute: 1e-9 };
        let mut stepper = Stepper::new(Integrator::DormandPrince, &setup.system, 1e-3, tolerance);
        stepper.y.copy_from_slice(&setup.state);
        let h = 2.0 / n as f64;
        for k in 1..=n {
            stepper.part(&mut setup.system, h).unwrap();
            stepper.accept(&mut setup.system, k as f64 * h).unwrap();
        }
        let nv = m.nv();
        setup.system.chart.configuration(&setup.system.model, &stepper.y[..nv], &mut setup.system.q).unwrap();
        [&setup.system.q[..], &stepper.y[nv..2 * nv]].concat()
    }

    /// Equal steps in the range of the leading error term: longer ones, of half a radian, show order 7, and below 1/15 s rounding
    /// shows. (Adaptive steps start short and have order 5 where they are cut.) Errors are 3e-7 to 7e-11, that of the reference is 2e-13.
    #[test]
    fn dormand_prince_has_order_eight_on_quaternions() {
        let exact = end(400);
        let error = |n: usize| end(n).iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        for steps in [10, 14] {
            let [coarse, fine] = [steps, 2 * steps].map(error);
            let order = (coarse / fine).log2();
            assert!((order - 8.0).abs() < 0.2, "{steps} steps: order {order:.2}, errors {coarse:e} {fine:e}");
        }
    }
}
