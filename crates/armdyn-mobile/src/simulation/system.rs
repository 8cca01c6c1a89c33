//! The system of differential equations that a simulation integrates.
//!
//! On wheels the state is (x, y, ψ, v_x, v_y, ω), for a floating base (position, quaternion, linear and angular velocity), followed by
//! the work of the joints, the work of the drive and the energy dissipated by friction.

use super::{EventKind, SimulationOptions};
use crate::base::{Base, BaseEquations, BaseSolution, Dynamics, Ground, Six};
use armdyn_core::{Model, Rotation, Vec3, vec3};
use armdyn_numerics::integrate::{Rates, Step};
use armdyn_numerics::{ContinuousTrajectory, Error, Result};

/// A robot on its base, with the contact mode of the current step.
pub(super) struct System<'a> {
    pub d: Dynamics<'a>,
    arm: &'a dyn ContinuousTrajectory,
    ground: Ground<'a>,
}

impl<'a> System<'a> {
    pub fn new(m: &Model<f64>, base: &'a Base, arm: &'a dyn ContinuousTrajectory) -> Result<Self> {
        Ok(System { d: Dynamics::new(m, base)?, arm, ground: Ground::new(base) })
    }

    pub fn floats(&self) -> bool {
        self.d.base.floats()
    }

    /// The initial state.
    pub fn initial_state(&self, options: &SimulationOptions) -> Result<Vec<f64>> {
        let twist = &options.twist;
        let (s, c) = (options.heading / 2.0).sin_cos();
        if self.floats() {
            return Ok([&[0.0, 0.0, 0.0, 0.0, 0.0, s, c], &twist[..], &[0.0; 3]].concat());
        }
        let [x, y, _, _, _, yaw] = self.ground.initial_twist(twist)?;
        Ok(vec![0.0, 0.0, options.heading, x, y, yaw, 0.0, 0.0, 0.0])
    }

    pub fn next_knot(&self, t: f64) -> f64 {
        self.arm.next_knot(t).min(self.ground.next_knot(t))
    }

    pub fn attitude(&self, y: &[f64]) -> Rotation<f64> {
        if self.floats() {
            return Rotation::quaternion([y[3], y[4], y[5], y[6]]);
        }
        Rotation::about(Vec3::unit(2), y[2].sin_cos())
    }

    /// The attitude as a unit quaternion (x, y, z, w).
    pub fn quaternion(&self, y: &[f64]) -> [f64; 4] {
        if self.floats() {
            let length = y[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
            return [y[3] / length, y[4] / length, y[5] / length, y[6] / length];
        }
        let (s, c) = (y[2] / 2.0).sin_cos();
        [0.0, 0.0, s, c]
    }

    pub fn position(&self, y: &[f64]) -> Vec3<f64> {
        // The ground is at z = 0 of the world.
        if self.floats() { vec3(y[0], y[1], y[2]) } else { vec3(y[0], y[1], -self.d.base.ground) }
    }

    pub fn twist(&self, y: &[f64]) -> Six {
        if self.floats() { [y[7], y[8], y[9], y[10], y[11], y[12]] } else { [y[3], y[4], 0.0, 0.0, 0.0, y[5]] }
    }

    /// Work of the joints, work of the drive, energy dissipated by friction.
    pub fn works(&self, y: &[f64]) -> [f64; 3] {
        let n = y.len() - 3;
        [y[n], y[n + 1], y[n + 2]]
    }

    /// Sets the state of the arm at a time.
    pub fn set_arm_state(&mut self, t: f64) {
        self.arm.at(t, &mut self.d.q, &mut self.d.qd, &mut self.d.qdd);
    }

    /// The twist, and the terms of the equations of motion.
    fn terms(&mut self, t: f64, y: &[f64]) -> Result<(Six, BaseEquations)> {
        self.set_arm_state(t);
        let (attitude, twist) = (self.attitude(y), self.twist(y));
        Ok((twist, self.d.bias_and_inertia(t, &attitude, &twist)?))
    }

    /// The solution of the equations of motion in the current contact mode.
    pub fn solution(&mut self, t: f64, y: &[f64]) -> Result<BaseSolution> {
        let (twist, terms) = self.terms(t, y)?;
        self.ground.solve(&terms, &twist)
    }

    /// Determines the initial contact mode. Fails if the robot tips from the start.
    pub fn initialise(&mut self, t: f64, y: &[f64]) -> Result<()> {
        let (twist, terms) = self.terms(t, y)?;
        self.ground.start(&terms, &twist)
    }

    /// Whether the contact mode still holds at the end of a step.
    pub fn mode_holds(&mut self, step: &Step) -> Result<bool> {
        if self.floats() {
            return Ok(true);
        }
        let (twist, terms) = self.terms(step.t, &step.y)?;
        self.ground.holds(&terms, &twist)
    }

    /// Switches to the contact mode after an event, and returns the events.
    pub fn switch_mode(&mut self, t: f64, y: &mut [f64]) -> Result<Vec<EventKind>> {
        let (mut twist, attitude) = (self.twist(y), self.attitude(y));
        let System { d, arm, ground } = self;
        let before = ground.clone();
        let tips_over = ground.switch_mode(&mut twist, |delay, twist| {
            arm.at(t + delay, &mut d.q, &mut d.qd, &mut d.qdd);
            d.bias_and_inertia(t + delay, &attitude, twist)
        })?;
        [y[3], y[4], y[5]] = [twist[0], twist[1], twist[5]];
        Ok(tips_over.map_or_else(|| ground.events_since(&before), |event| vec![event]))
    }

    /// Updates the sliding directions after a step without events.
    pub fn update_directions(&mut self, y: &[f64]) {
        self.ground.update_directions(&self.twist(y));
    }
}

impl Rates for System<'_> {
    type Error = Error;

    fn rates(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<()> {
        let solution = self.solution(t, y)?;
        let (attitude, twist) = (self.attitude(y), self.twist(y));
        let rate = &solution.rate;
        if self.floats() {
            let v = attitude.rotate(vec3(twist[0], twist[1], twist[2]));
            let ([x, z, u, w], [p, q, r]) = ([y[3], y[4], y[5], y[6]], [twist[3], twist[4], twist[5]]);
            out[..3].copy_from_slice(&v.to_array());
            // ½ q ∘ (ω, 0).
            let derivative =
                [w * p + z * r - u * q, w * q + u * p - x * r, w * r + x * q - z * p, -x * p - z * q - u * r];
            out[3..7].iter_mut().zip(derivative).for_each(|(o, x)| *o = x / 2.0);
            out[7..13].copy_from_slice(rate);
        } else {
            let v = attitude.rotate(vec3(twist[0], twist[1], 0.0));
            out[..6].copy_from_slice(&[v.x, v.y, twist[5], rate[0], rate[1], rate[5]]);
        }
        self.d.forward_dynamics(&attitude, &twist, &solution)?;
        let joints: f64 = self.d.tau.iter().zip(&self.d.qd).map(|(t, v)| t * v).sum();
        let [dissipation, drive] = self.ground.powers(&solution, &twist);
        let n = out.len() - 3;
        out[n] = joints;
        out[n + 1] = drive;
        out[n + 2] = dissipation + self.d.joint_friction();
        Ok(())
    }
}
