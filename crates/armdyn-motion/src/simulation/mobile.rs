//! An arm on a mobile base that is driven by torques.
//!
//! The base has a free joint: its twist ν is the first six velocities of the model. With r = τ − C q̇ − g:
//!
//!   [ I  Fᵀ ] [ ν̇ ]   [ r₀ + wrench of the ground and of the drive ]
//!   [ F  M  ] [ q̈ ] = [ r − forces that hold joints                ]                                              (1)
//!
//! Without the joints that move freely, q̈ = M⁻¹ (r − F ν̇), the base has the equations of motion of [`armdyn_mobile::base`]:
//!
//!   (I − Fᵀ M⁻¹ F) ν̇ + (Fᵀ M⁻¹ r − r₀) = wrench of the ground and of the drive                                      (2)
//!
//! so that wheels, rails and their friction act as below an arm whose motion is prescribed. Arm and base act on each other.

use super::events::EventKind;
use super::system::{Motion, System};
use super::time_reached;
use armdyn_core::{Error, Rotation};
use armdyn_mobile::base::{BaseEquations, BaseSolution, Ground};
use armdyn_numerics::Result;
use nalgebra::{DMatrix, DVector};

/// Rounds in which the joints that stick and the wheels that stick are determined in turn.
const MAX_ROUNDS: usize = 50;

/// Degrees of freedom of the base.
pub(super) const BASE: usize = 6;

/// The ground below the base, and the last solution.
pub(super) struct Mobile<'a> {
    pub ground: Ground<'a>,
    pub solution: Option<(BaseEquations, BaseSolution)>,
    started: bool,
    pub tipped_over: bool,
}

impl<'a> Mobile<'a> {
    pub fn new(ground: Ground<'a>) -> Self {
        Mobile { ground, solution: None, started: false, tipped_over: false }
    }

    /// Powers dissipated by friction of the ground, and of the drive of the base, for the last solution.
    pub fn powers(&self, twist: &[f64; BASE]) -> [f64; 2] {
        self.solution.as_ref().map_or([0.0; 2], |(_, solution)| self.ground.powers(solution, twist))
    }

    /// Whether the contact mode holds, for the last solution.
    pub fn mode_holds(&self, twist: &[f64; BASE]) -> Result<bool> {
        self.solution.as_ref().map_or(Ok(true), |(equations, _)| self.ground.holds(equations, twist))
    }
}

/// (2), and what q̈ of the joints that move follows from: q̈ = `alone` − `coupling` ν̇.
struct Reduced {
    equations: BaseEquations,
    moving: Vec<usize>,
    alone: DVector<f64>,
    coupling: DMatrix<f64>,
}

/// What the wheels do in a contact mode: the accelerations that they allow (one, and a basis of the differences), and the wrench of
/// sliding friction and of the drive.
struct Wheels {
    prescribed: [f64; BASE],
    basis: Vec<[f64; BASE]>,
    wrench: [f64; 3],
}

impl Wheels {
    fn new(equations: &BaseEquations, ground: &Ground, twist: &[f64; BASE]) -> Result<Self> {
        let (prescribed, basis) = ground.allowed_accelerations(equations);
        let wrench = ground.applied_wrench(equations, &ground.solve(equations, twist)?);
        Ok(Wheels { prescribed, basis, wrench })
    }
}

impl System<'_> {
    /// The twist of the base in a state.
    pub fn base_twist(&self, y: &[f64]) -> [f64; BASE] {
        let n = self.nv();
        std::array::from_fn(|i| y[n + i])
    }

    /// Whether the robot has tipped over, which ends a simulation.
    pub fn tipped_over(&self) -> bool {
        self.mobile.as_ref().is_some_and(|m| m.tipped_over)
    }

    /// The next discontinuity of a prescribed motion of the base \[s\].
    pub fn next_knot(&self, t: f64) -> f64 {
        self.mobile.as_ref().map_or(f64::INFINITY, |m| m.ground.next_knot(time_reached(t)))
    }

    /// Updates the sliding directions of wheels after a step without events.
    pub fn update_directions(&mut self, y: &[f64]) {
        let n = self.nv();
        if let Some(mobile) = &mut self.mobile {
            mobile.ground.update_directions(&std::array::from_fn(|i| y[n + i]));
        }
    }

    /// (2), after [`System::mass_and_rest`].
    fn reduced(&self, t: f64, twist: &[f64; BASE], ground: &Ground) -> Result<Reduced> {
        let n = self.nv();
        let moving: Vec<usize> = (BASE..n).filter(|i| !self.held[*i]).collect();
        let k = moving.len();
        let mass = |i: usize, j: usize| self.mass[i * n + j];
        let matrix = DMatrix::from_fn(k, k, |i, j| mass(moving[i], moving[j]));
        let factor = matrix.cholesky().ok_or_else(|| {
            let joint = moving.first().map_or_else(String::new, |i| self.model.dof_names()[*i].clone());
            Error::NotPositiveDefinite { joint }
        })?;
        let coupling = DMatrix::from_fn(k, BASE, |i, j| mass(moving[i], j));
        let solved = factor.solve(&coupling);
        let alone = factor.solve(&DVector::from_fn(k, |i, _| self.rest[moving[i]]));
        let (inertia, force) = (coupling.transpose() * &solved, coupling.transpose() * &alone);
        let mass = std::array::from_fn(|i| std::array::from_fn(|j| mass(i, j) - inertia[(i, j)]));
        let bias = std::array::from_fn(|i| force[i] - self.rest[i]);
        let attitude = Rotation::quaternion([self.q[3], self.q[4], self.q[5], self.q[6]]);
        let equations = ground.base().equations(t, attitude.heading(), twist, mass, bias);
        Ok(Reduced { equations, moving, alone, coupling: solved })
    }

    /// Accelerations and holding forces on the ground, in the current mode; after [`System::torques`].
    pub fn accelerate_on_ground(&mut self, t: f64, y: &[f64]) -> Result<()> {
        let Some(mut mobile) = self.mobile.take() else { return Ok(()) };
        let done = self.solve_on_ground(t, y, &mut mobile);
        self.mobile = Some(mobile);
        done
    }

    fn solve_on_ground(&mut self, t: f64, y: &[f64], mobile: &mut Mobile) -> Result<()> {
        let (n, twist) = (self.nv(), self.base_twist(y));
        self.mass_and_rest(&y[n..2 * n])?;
        let reduced = self.reduced(t, &twist, &mobile.ground)?;
        let solution = mobile.ground.solve(&reduced.equations, &twist)?;
        let rate = DVector::from_column_slice(&solution.rate);
        let joints = &reduced.alone - &reduced.coupling * rate;
        self.qdd.fill(0.0);
        self.qdd[..BASE].copy_from_slice(&solution.rate);
        reduced.moving.iter().zip(joints.iter()).for_each(|(i, a)| self.qdd[*i] = *a);
        for i in (BASE..n).filter(|i| self.held[*i]) {
            let inertial: f64 = (0..n).map(|j| self.mass[i * n + j] * self.qdd[j]).sum();
            self.force[i] = self.rest[i] - inertial;
        }
        mobile.solution = Some((reduced.equations, solution));
        Ok(())
    }

    /// Determines which joints and which wheels stick; `rests` has the limits of the forces that can hold joints at rest. Joints
    /// and wheels are determined in turn, until neither changes.
    pub fn settle_on_ground(
        &mut self,
        t: f64,
        y: &mut [f64],
        rests: &[Option<[f64; 2]>],
        event: &mut impl FnMut(EventKind),
    ) -> Result<()> {
        let Some(mut mobile) = self.mobile.take() else { return Ok(()) };
        let done = self.settle_joints_and_wheels(t, y, rests, &mut mobile, event);
        self.mobile = Some(mobile);
        done
    }

    fn settle_joints_and_wheels(
        &mut self,
        t: f64,
        y: &mut [f64],
        rests: &[Option<[f64; 2]>],
        mobile: &mut Mobile,
        event: &mut impl FnMut(EventKind),
    ) -> Result<()> {
        let n = self.nv();
        let before = mobile.ground.clone();
        let mut undecided = None;
        self.held.iter_mut().zip(rests).for_each(|(held, rest)| *held = rest.is_some());
        for _ in 0..MAX_ROUNDS {
            let mut twist = self.base_twist(y);
            if mobile.started {
                let (now, mut state, qdd) = (y.to_vec(), y.to_vec(), self.qdd.clone());
                let equations = |delay: f64, twist: &[f64; BASE]| {
                    // The arm moves on during the delay, without which a wheel at its limit would not break away.
                    for i in BASE..n {
                        state[i] = now[i] + delay * now[n + i];
                        state[n + i] = now[n + i] + delay * qdd[i];
                    }
                    state[n..n + BASE].copy_from_slice(twist);
                    self.torques(t + delay, &state)?;
                    self.mass_and_rest(&state[n..2 * n])?;
                    Ok(self.reduced(t + delay, twist, &before)?.equations)
                };
                if let Some(tips_over) = mobile.ground.switch_mode(&mut twist, equations)? {
                    mobile.tipped_over = true;
                    event(EventKind::Base(tips_over));
                    return Ok(());
                }
                y[n..n + BASE].copy_from_slice(&twist);
            } else {
                self.mass_and_rest(&y[n..2 * n])?;
                mobile.ground.start(&self.reduced(t, &twist, &mobile.ground)?.equations, &twist)?;
            }
            self.torques(t, y)?;
            self.mass_and_rest(&y[n..2 * n])?;
            let equations = self.reduced(t, &twist, &mobile.ground)?.equations;
            let wheels = Wheels::new(&equations, &mobile.ground, &twist)?;
            // The friction of joints at rest is what is decided.
            self.motion.iter_mut().zip(rests).filter(|(_, rest)| rest.is_some()).for_each(|(m, _)| *m = Motion::Free);
            self.torques(t, y)?;
            self.mass_and_rest(&y[n..2 * n])?;
            let held = self.held.clone();
            self.settle_joints(&wheels, rests)?;
            if self.held == held {
                mobile.started = true;
                mobile.ground.events_since(&before).into_iter().for_each(|kind| event(EventKind::Base(kind)));
                return Ok(());
            }
            undecided = (0..n).find(|i| self.held[*i] != held[*i]);
        }
        let joint = undecided.map_or_else(String::new, |i| self.model.dof_names()[i].clone());
        Err(Error::NotConverged { what: "friction of joints and wheels at rest", joint }.into())
    }

    /// Which joints stick while the base moves as its contact mode allows.
    fn settle_joints(&mut self, wheels: &Wheels, rests: &[Option<[f64; 2]>]) -> Result<()> {
        if rests.iter().all(Option::is_none) {
            return Ok(());
        }
        let n = self.nv();
        let [x, y, yaw] = wheels.wrench;
        for (i, force) in [(0, x), (1, y), (5, yaw)] {
            self.rest[i] += force;
        }
        for i in 0..n {
            self.rest[i] -= (0..BASE).map(|j| self.mass[i * n + j] * wheels.prescribed[j]).sum::<f64>();
        }
        project(n, &mut self.mass, Some(&mut self.rest), &wheels.basis);
        self.resolve_rests(rests)
    }

    /// Restricts the mass matrix to the changes of velocity that the wheels allow in an impact.
    pub fn project_mass_for_impact(&mut self) {
        if let Some(mobile) = &self.mobile {
            project(self.motion.len(), &mut self.mass, None, &mobile.ground.allowed_jumps());
        }
    }
}

/// P M P + 1 − P and P r, with the projection P of the base's velocities onto the span of an orthonormal basis.
fn project(n: usize, mass: &mut [f64], rest: Option<&mut Vec<f64>>, basis: &[[f64; BASE]]) {
    let p = |i: usize, j: usize| basis.iter().map(|b| b[i] * b[j]).sum::<f64>();
    let p: [[f64; BASE]; BASE] = std::array::from_fn(|i| std::array::from_fn(|j| p(i, j)));
    let column =
        |x: [f64; BASE]| -> [f64; BASE] { std::array::from_fn(|i| p[i].iter().zip(x).map(|(p, x)| p * x).sum()) };
    for j in 0..n {
        let x = column(std::array::from_fn(|i| mass[i * n + j]));
        x.iter().enumerate().for_each(|(i, x)| mass[i * n + j] = *x);
    }
    for i in 0..n {
        let x = column(std::array::from_fn(|j| mass[i * n + j]));
        mass[i * n..i * n + BASE].copy_from_slice(&x);
    }
    for i in 0..BASE {
        for j in 0..BASE {
            mass[i * n + j] += f64::from(u8::from(i == j)) - p[i][j];
        }
    }
    if let Some(rest) = rest {
        let x = column(std::array::from_fn(|i| rest[i]));
        rest[..BASE].copy_from_slice(&x);
    }
}
