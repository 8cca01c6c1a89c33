//! The system of differential equations that a simulation integrates.
//!
//! On wheels the state is (x, y, ψ, v_x, v_y, ω), for a floating base (position, quaternion, linear and angular velocity), followed by
//! the work of the joints, the work of the drive and the energy dissipated by friction.

use super::{EventKind, SimulationOptions};
use crate::base::{Base, BiasAndInertia, ContactMode, Drive, Dynamics, FrictionState, REST_SPEED, Six, Solution};
use crate::invalid;
use armdyn_core::{Model, Rotation, Vec3, vec3};
use armdyn_numerics::integrate::{Rates, Step};
use armdyn_numerics::{ContinuousTrajectory, Error, Result};

/// Regularisation speed of the sliding direction just after breakaway \[m/s\].
const STARTING: f64 = 1e-6;

/// The same just before coming to rest.
const STOPPING: f64 = 2e-10;

/// Velocity against the sliding direction that counts as a reversal rather than rounding \[m/s\].
const REVERSAL: f64 = 1e-12;

/// Time after breakaway at which the sliding direction is evaluated \[s\].
const BREAKAWAY_DELAY: f64 = 1e-6;

/// A robot on its base, with the contact mode of the current step.
pub(super) struct System<'a> {
    pub d: Dynamics<'a>,
    arm: &'a dyn ContinuousTrajectory,
    mode: ContactMode,
    /// Regularisation speed: near rest the sliding direction is that of the mode, not that of the velocity.
    regularisation: f64,
}

impl<'a> System<'a> {
    pub fn new(m: &Model<f64>, base: &'a Base, arm: &'a dyn ContinuousTrajectory) -> Result<Self> {
        let mode = vec![FrictionState::Sticking; base.friction.len()];
        Ok(System { d: Dynamics::new(m, base)?, arm, mode, regularisation: STARTING })
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
        let base = self.d.base;
        let planar = [twist[0], twist[1], twist[5]];
        let mut rows: Vec<_> = self.d.constrained_rows().collect();
        let prescribed = base.prescribed_motion(0.0);
        let driven = prescribed.is_some();
        if let Some([velocity, _]) = prescribed {
            rows.extend(base.driven.iter().zip(velocity).map(|((_, row), v)| (*row, v)));
        }
        let allowed = self.d.project(planar, &rows);
        let differs = allowed.iter().zip(planar).any(|(a, b)| (a - b).abs() > 1e-9);
        if differs && driven && planar != [0.0; 3] {
            return invalid("the initial twist contradicts the initial velocity of the drive; omit the twist");
        }
        if differs && !driven {
            return invalid("the initial twist has a component that the wheels or the rail do not allow (sideways)");
        }
        Ok(vec![0.0, 0.0, options.heading, allowed[0], allowed[1], allowed[2], 0.0, 0.0, 0.0])
    }

    pub fn next_knot(&self, t: f64) -> f64 {
        let drive = if let Drive::Motion(drive) = &self.d.base.drive { drive.next_knot(t) } else { f64::INFINITY };
        self.arm.next_knot(t).min(drive)
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
    fn terms(&mut self, t: f64, y: &[f64]) -> Result<(Six, BiasAndInertia)> {
        self.set_arm_state(t);
        let (attitude, twist) = (self.attitude(y), self.twist(y));
        Ok((twist, self.d.bias_and_inertia(t, &attitude, &twist)?))
    }

    /// The contact mode with current sliding directions, and the solution of the equations of motion.
    pub fn solution(&mut self, t: f64, y: &[f64]) -> Result<(ContactMode, Solution)> {
        let (twist, terms) = self.terms(t, y)?;
        let mode = self.current_mode(&twist);
        let solution = self.d.solve(&terms, &mode)?;
        Ok((mode, solution))
    }

    /// The mode with current sliding directions. A direction that reverses within a step is kept until the reversal is an event.
    fn current_mode(&self, twist: &Six) -> ContactMode {
        let current = |(k, state): (usize, &FrictionState)| match *state {
            FrictionState::Sliding(direction) if self.d.base.friction[k].rows.len() == 2 => {
                let [x, y] = self.d.sliding_velocity(k, twist);
                let sign = if x * direction[0] + y * direction[1] < 0.0 { -1.0 } else { 1.0 };
                let [a, b] = direction.map(|d| self.regularisation * d);
                let (x, y) = (sign * x + a, sign * y + b);
                let size = x.hypot(y);
                FrictionState::Sliding([x / size, y / size])
            }
            state => state,
        };
        self.mode.iter().enumerate().map(current).collect()
    }

    /// Determines the initial contact mode. Fails if the robot tips from the start.
    pub fn initialise(&mut self, t: f64, y: &[f64]) -> Result<()> {
        let (twist, terms) = self.terms(t, y)?;
        let (mode, solution) = self.d.contact_mode(&terms, &twist)?;
        self.mode = mode;
        if !self.floats() && solution.normal <= 0.0 {
            return invalid(format!(
                "the wheels carry no load (total {:.4} N): gravity must act along −z of the base; use a floating base without gravity",
                solution.normal
            ));
        }
        if let Some((moment, edge)) = self.d.critical_edge(&solution).filter(|(moment, _)| *moment < 0.0) {
            let [a, b] = edge.map(|i| &self.d.base.wheels[i].name);
            return invalid(format!(
                "the robot tips over wheels `{a}` and `{b}` from the start (restoring moment {moment:.4} N m); change the \
                 configuration, the payload or the wheels"
            ));
        }
        Ok(())
    }

    /// Whether the contact mode still holds at the end of a step: nothing that sticks slides, nothing reverses, nothing tips.
    pub fn mode_holds(&mut self, step: &Step) -> Result<bool> {
        if self.floats() {
            return Ok(true);
        }
        let (_, solution) = self.solution(step.t, &step.y)?;
        let twist = self.twist(&step.y);
        if self.d.critical_edge(&solution).is_some_and(|(moment, _)| moment < 0.0) || !self.keeps_sliding(&twist) {
            return Ok(false);
        }
        if solution.undetermined && self.mode.contains(&FrictionState::Sticking) {
            let (_, terms) = self.terms(step.t, &step.y)?;
            return self.d.all_stick(&terms, &self.mode);
        }
        Ok(self.breaking_away(&solution).is_empty())
    }

    /// Whether everything that slides keeps its direction and everything that sticks is at rest; a drive may move the latter.
    fn keeps_sliding(&self, twist: &Six) -> bool {
        self.mode.iter().enumerate().all(|(k, state)| {
            let [x, y] = self.d.sliding_velocity(k, twist);
            match state {
                FrictionState::Sliding([a, b]) => x * a + y * b >= -REVERSAL,
                FrictionState::Sticking => x.hypot(y) <= REST_SPEED,
            }
        })
    }

    /// The sticking constraints whose force exceeds static friction.
    fn breaking_away(&self, s: &Solution) -> Vec<usize> {
        let exceeds = |k: &usize| self.mode[*k] == FrictionState::Sticking && self.d.friction_reserve(*k, s) < 0.0;
        (0..self.mode.len()).filter(exceeds).collect()
    }

    /// Switches to the contact mode after an event, and returns the events.
    pub fn switch_mode(&mut self, t: f64, y: &mut [f64]) -> Result<Vec<EventKind>> {
        let (_, solution) = self.solution(t, y)?;
        if let Some((_, edge)) = self.d.critical_edge(&solution).filter(|(moment, _)| *moment < 0.0) {
            let lifted = (0..self.d.base.wheels.len()).filter(|w| !edge.contains(w));
            let lifted = lifted.map(|w| self.wheel_name(w)).collect();
            return Ok(vec![EventKind::TipsOver { edge: edge.map(|w| self.wheel_name(w)), lifted }]);
        }
        let twist = self.twist(y);
        if !solution.undetermined && self.keeps_sliding(&twist) {
            let mut after = self.mode.clone();
            for k in self.breaking_away(&solution) {
                let [a, b] = solution.friction[k];
                let size = a.hypot(b);
                after[k] = FrictionState::Sliding([-a / size, -b / size]);
            }
            return Ok(self.set_mode(after));
        }
        self.redetermine_mode(t, y)
    }

    fn wheel_name(&self, wheel: usize) -> String {
        self.d.base.wheels[wheel].name.clone()
    }

    /// Updates the sliding directions after a step without events.
    pub fn update_directions(&mut self, y: &[f64]) {
        let twist = self.twist(y);
        let mut fastest = 0.0_f64;
        for (k, state) in self.mode.iter_mut().enumerate() {
            let [x, y] = self.d.sliding_velocity(k, &twist);
            let speed = x.hypot(y);
            fastest = fastest.max(speed);
            if speed > self.regularisation && *state != FrictionState::Sticking {
                *state = FrictionState::Sliding([x / speed, y / speed]);
            }
        }
        if fastest > 10.0 * STARTING {
            self.regularisation = STOPPING;
        }
    }

    /// Determines again which constraints stick, and sets their velocity to exactly zero.
    fn redetermine_mode(&mut self, t: f64, y: &mut [f64]) -> Result<Vec<EventKind>> {
        let twist = self.twist(y);
        let speed = |k: usize| {
            let [x, y] = self.d.sliding_velocity(k, &twist);
            x.hypot(y)
        };
        let speeds: Vec<f64> = (0..self.mode.len()).map(speed).collect();
        let stops = speeds.iter().all(|v| *v <= 2.0 * self.regularisation);
        let resting = (0..self.mode.len()).filter(|k| stops || speeds[*k] <= REST_SPEED);
        let resting = resting.flat_map(|k| self.d.base.friction[k].rows.iter().map(|r| (*r, 0.0)));
        let rows: Vec<_> = self.d.constrained_rows().chain(resting).collect();
        let planar = self.d.project([y[3], y[4], y[5]], &rows);
        y[3..6].copy_from_slice(&planar);
        // At breakaway the forces are at their limits; the direction follows from the forces a moment later. A drive prescribes it.
        let t = if stops && !matches!(self.d.base.drive, Drive::Motion(_)) { t + BREAKAWAY_DELAY } else { t };
        let (twist, terms) = self.terms(t, y)?;
        let (after, _) = self.d.contact_mode(&terms, &twist)?;
        if stops {
            self.regularisation = STARTING;
        }
        Ok(self.set_mode(after))
    }

    /// Sets the mode and returns the events of the change.
    fn set_mode(&mut self, after: ContactMode) -> Vec<EventKind> {
        let before = std::mem::replace(&mut self.mode, after);
        match (self.d.is_immobile(&before), self.d.is_immobile(&self.mode)) {
            (true, false) => return vec![EventKind::BaseStarts],
            (false, true) => return vec![EventKind::BaseStops],
            _ => {}
        }
        let event = |(k, (old, new)): (usize, (&FrictionState, &FrictionState))| {
            let constraint = &self.d.base.friction[k];
            let wheel = self.wheel_name(constraint.wheels[0]);
            Some(match (constraint.lateral, old, new) {
                (true, FrictionState::Sticking, FrictionState::Sliding(_)) => EventKind::AxleSlips,
                (true, FrictionState::Sliding(_), FrictionState::Sticking) => EventKind::AxleSticks,
                (false, FrictionState::Sticking, FrictionState::Sliding(_)) => EventKind::WheelStarts { wheel },
                (false, FrictionState::Sliding(_), FrictionState::Sticking) => EventKind::WheelStops { wheel },
                (false, FrictionState::Sliding([a, b]), FrictionState::Sliding([x, y])) if a * x + b * y < 0.0 => {
                    EventKind::WheelReverses { wheel }
                }
                _ => return None,
            })
        };
        before.iter().zip(&self.mode).enumerate().filter_map(event).collect()
    }
}

impl Rates for System<'_> {
    type Error = Error;

    fn rates(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<()> {
        let (mode, solution) = self.solution(t, y)?;
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
        self.d.forward_dynamics(&attitude, &twist, &mode, &solution)?;
        let joints: f64 = self.d.tau.iter().zip(&self.d.qd).map(|(t, v)| t * v).sum();
        let dissipation = |(k, s): (usize, &FrictionState)| match s {
            FrictionState::Sliding([a, b]) => {
                let [x, y] = self.d.sliding_velocity(k, &twist);
                self.d.base.friction[k].kinetic_coefficient * self.d.load_on(k, &solution) * (a * x + b * y)
            }
            FrictionState::Sticking => 0.0,
        };
        let n = out.len() - 3;
        out[n] = joints;
        out[n + 1] = self.d.drive_power(&solution, &twist);
        out[n + 2] = mode.iter().enumerate().map(dissipation).sum::<f64>() + self.d.joint_friction();
        Ok(())
    }
}
