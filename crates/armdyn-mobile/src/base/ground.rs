//! A base on the ground over time: which friction constraints stick and which slide, from one event to the next.
//!
//! A contact mode holds while nothing that sticks exceeds its static friction, nothing that slides reverses, and the robot does not
//! tip over. Near rest the direction of sliding is that of the mode rather than that of a velocity close to rounding.

use super::dynamics::{BaseEquations, Six};
use super::equations::{BaseSolution, ContactMode, FrictionState};
use super::linear_algebra::Basis;
use super::stiction::REST_SPEED;
use super::{Base, Drive};
use crate::EventKind;
use crate::invalid;
use armdyn_numerics::Result;

/// Regularisation speed of the sliding direction just after breakaway \[m/s\].
const STARTING: f64 = 1e-6;

/// The same just before coming to rest.
const STOPPING: f64 = 2e-10;

/// Velocity against the sliding direction that counts as a reversal rather than rounding \[m/s\].
const REVERSAL: f64 = 1e-12;

/// Time after breakaway at which the sliding direction is evaluated \[s\].
const BREAKAWAY_DELAY: f64 = 1e-6;

/// A base and its contact mode.
#[derive(Clone, Debug)]
pub struct Ground<'a> {
    base: &'a Base,
    mode: ContactMode,
    /// Regularisation speed: near rest the sliding direction is that of the mode, not that of the velocity.
    regularisation: f64,
}

impl<'a> Ground<'a> {
    /// A base of which everything sticks.
    pub fn new(base: &'a Base) -> Self {
        Ground { base, mode: vec![FrictionState::Sticking; base.friction.len()], regularisation: STARTING }
    }

    /// The base.
    pub fn base(&self) -> &'a Base {
        self.base
    }

    /// Accelerations and forces in the current mode.
    pub fn solve(&self, equations: &BaseEquations, twist: &[f64; 6]) -> Result<BaseSolution> {
        self.base.solve(equations, &self.current_mode(twist))
    }

    /// The accelerations that the current mode allows: one of them, and a basis of their differences.
    pub fn allowed_accelerations(&self, equations: &BaseEquations) -> (Six, Vec<Six>) {
        let free = self.base.free();
        let basis = Basis::new(&self.base.constraints(equations, &self.mode), free.len());
        let all = |v: &[f64]| {
            let mut six = [0.0; 6];
            free.iter().zip(v).for_each(|(i, x)| six[*i] = *x);
            six
        };
        (all(&basis.particular), basis.null_space.iter().map(|v| all(v)).collect())
    }

    /// A basis of the changes of velocity that the constraints and the drive allow in an impact, which friction cannot hold.
    pub fn allowed_jumps(&self) -> Vec<[f64; 6]> {
        let mode = vec![FrictionState::Sliding([0.0; 2]); self.mode.len()];
        let equations = self.base.equations(0.0, 0.0, &[0.0; 6], [[0.0; 6]; 6], [0.0; 6]);
        Ground { mode, ..self.clone() }.allowed_accelerations(&equations).1
    }

    /// The first time after `t` at which a prescribed motion of the base has a discontinuous derivative \[s\].
    pub fn next_knot(&self, t: f64) -> f64 {
        match &self.base.drive {
            Drive::Motion(drive) => drive.next_knot(t),
            Drive::Heading(controller) => controller.next_knot(t),
            Drive::Free | Drive::Effort(_) => f64::INFINITY,
        }
    }

    /// Forces and moment (F_x, F_y, M_z) of the drive and of sliding friction on the base.
    pub fn applied_wrench(&self, equations: &BaseEquations, s: &BaseSolution) -> [f64; 3] {
        let mut sum = [0.0; 3];
        sum.iter_mut().zip(self.base.drive_forces(equations)).for_each(|(s, f)| *s += f);
        for (k, state) in s.mode.iter().enumerate() {
            let Some(row) = self.base.sliding_row(k, state) else { continue };
            let force = self.base.friction[k].kinetic_coefficient * self.base.load_on(k, s);
            sum.iter_mut().zip(row).for_each(|(s, w)| *s -= force * w);
        }
        sum
    }

    /// Power that friction of the ground dissipates, and power of the drive \[W\].
    pub fn powers(&self, s: &BaseSolution, twist: &Six) -> [f64; 2] {
        let dissipation = |(k, state): (usize, &FrictionState)| match state {
            FrictionState::Sliding([a, b]) => {
                let [x, y] = self.base.sliding_velocity(k, twist);
                self.base.friction[k].kinetic_coefficient * self.base.load_on(k, s) * (a * x + b * y)
            }
            FrictionState::Sticking => 0.0,
        };
        [s.mode.iter().enumerate().map(dissipation).sum(), self.base.drive_power(s, twist)]
    }

    /// The nearest initial twist that the wheels, the rail and the drive allow; fails if it differs from the given one.
    pub fn initial_twist(&self, twist: &Six) -> Result<Six> {
        let base = self.base;
        if base.floats() {
            return Ok(*twist);
        }
        if [2, 3, 4].iter().any(|i| twist[*i] != 0.0) {
            return invalid("the twist of a base on wheels has no components vz, wx, wy");
        }
        let planar = [twist[0], twist[1], twist[5]];
        let mut rows: Vec<_> = base.constrained_rows().collect();
        let prescribed = base.prescribed_motion(0.0);
        let driven = prescribed.is_some();
        if let Some([velocity, _]) = prescribed {
            rows.extend(base.driven.iter().zip(velocity).map(|((_, row), v)| (*row, v)));
        }
        let allowed = base.project(planar, &rows);
        let differs = allowed.iter().zip(planar).any(|(a, b)| (a - b).abs() > 1e-9);
        if differs && driven && planar != [0.0; 3] {
            return invalid("the initial twist contradicts the initial velocity of the drive; omit the twist");
        }
        if differs && !driven {
            return invalid("the initial twist has a component that the wheels or the rail do not allow (sideways)");
        }
        Ok([allowed[0], allowed[1], 0.0, 0.0, 0.0, allowed[2]])
    }

    /// Determines the initial contact mode. Fails if the robot tips from the start.
    pub fn start(&mut self, equations: &BaseEquations, twist: &Six) -> Result<()> {
        let solution = self.base.contact_mode(equations, twist)?;
        self.mode.clone_from(&solution.mode);
        if !self.base.floats() && solution.normal <= 0.0 {
            return invalid(format!(
                "the wheels carry no load (total {:.4} N): gravity must act along −z of the base; use a floating base without gravity",
                solution.normal
            ));
        }
        if let Some((moment, edge)) = self.base.critical_edge(&solution).filter(|(moment, _)| *moment < 0.0) {
            let [a, b] = edge.map(|i| &self.base.wheels[i].name);
            return invalid(format!(
                "the robot tips over wheels `{a}` and `{b}` from the start (restoring moment {moment:.4} N m); change the \
                 configuration, the payload or the wheels"
            ));
        }
        Ok(())
    }

    /// Whether the contact mode still holds: nothing that sticks slides, nothing reverses, nothing tips.
    pub fn holds(&self, equations: &BaseEquations, twist: &Six) -> Result<bool> {
        if self.base.floats() {
            return Ok(true);
        }
        let solution = self.solve(equations, twist)?;
        if self.base.critical_edge(&solution).is_some_and(|(moment, _)| moment < 0.0) || !self.keeps_sliding(twist) {
            return Ok(false);
        }
        if solution.undetermined && self.mode.contains(&FrictionState::Sticking) {
            return self.base.all_stick(equations, &self.mode);
        }
        Ok(self.breaking_away(&solution).is_empty())
    }

    /// Switches to the contact mode after an event; returns the event if the robot tips over. `equations` are those at a time after
    /// the event and a twist.
    pub fn switch_mode(
        &mut self,
        twist: &mut Six,
        mut equations: impl FnMut(f64, &Six) -> Result<BaseEquations>,
    ) -> Result<Option<EventKind>> {
        let solution = self.solve(&equations(0.0, twist)?, twist)?;
        if let Some((_, edge)) = self.base.critical_edge(&solution).filter(|(moment, _)| *moment < 0.0) {
            let lifted = (0..self.base.wheels.len()).filter(|w| !edge.contains(w));
            let lifted = lifted.map(|w| self.wheel_name(w)).collect();
            return Ok(Some(EventKind::TipsOver { edge: edge.map(|w| self.wheel_name(w)), lifted }));
        }
        if !solution.undetermined && self.keeps_sliding(twist) {
            for k in self.breaking_away(&solution) {
                let [a, b] = solution.friction[k];
                let size = a.hypot(b);
                self.mode[k] = FrictionState::Sliding([-a / size, -b / size]);
            }
            return Ok(None);
        }
        self.redetermine_mode(twist, equations)?;
        Ok(None)
    }

    /// The events of the change from an earlier contact mode.
    pub fn events_since(&self, earlier: &Ground) -> Vec<EventKind> {
        let before = &earlier.mode;
        match (self.base.is_immobile(before), self.base.is_immobile(&self.mode)) {
            (true, false) => return vec![EventKind::BaseStarts],
            (false, true) => return vec![EventKind::BaseStops],
            _ => {}
        }
        let event = |(k, (old, new)): (usize, (&FrictionState, &FrictionState))| {
            let constraint = &self.base.friction[k];
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

    /// Updates the sliding directions after a step without events.
    pub fn update_directions(&mut self, twist: &Six) {
        let mut fastest = 0.0_f64;
        for (k, state) in self.mode.iter_mut().enumerate() {
            let [x, y] = self.base.sliding_velocity(k, twist);
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

    /// The mode with current sliding directions. A direction that reverses within a step is kept until the reversal is an event.
    fn current_mode(&self, twist: &Six) -> ContactMode {
        let current = |(k, state): (usize, &FrictionState)| match *state {
            FrictionState::Sliding(direction) if self.base.friction[k].rows.len() == 2 => {
                let [x, y] = self.base.sliding_velocity(k, twist);
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

    /// Whether everything that slides keeps its direction and everything that sticks is at rest; a drive may move the latter.
    fn keeps_sliding(&self, twist: &Six) -> bool {
        self.mode.iter().enumerate().all(|(k, state)| {
            let [x, y] = self.base.sliding_velocity(k, twist);
            match state {
                FrictionState::Sliding([a, b]) => x * a + y * b >= -REVERSAL,
                FrictionState::Sticking => x.hypot(y) <= REST_SPEED,
            }
        })
    }

    /// The sticking constraints whose force exceeds static friction.
    fn breaking_away(&self, s: &BaseSolution) -> Vec<usize> {
        let exceeds = |k: &usize| self.mode[*k] == FrictionState::Sticking && self.base.friction_reserve(*k, s) < 0.0;
        (0..self.mode.len()).filter(exceeds).collect()
    }

    fn wheel_name(&self, wheel: usize) -> String {
        self.base.wheels[wheel].name.clone()
    }

    /// Determines again which constraints stick, and sets their velocity to exactly zero.
    fn redetermine_mode(
        &mut self,
        twist: &mut Six,
        mut equations: impl FnMut(f64, &Six) -> Result<BaseEquations>,
    ) -> Result<()> {
        let speed = |k: usize| {
            let [x, y] = self.base.sliding_velocity(k, twist);
            x.hypot(y)
        };
        let speeds: Vec<f64> = (0..self.mode.len()).map(speed).collect();
        let stops = speeds.iter().all(|v| *v <= 2.0 * self.regularisation);
        let resting = (0..self.mode.len()).filter(|k| stops || speeds[*k] <= REST_SPEED);
        let resting = resting.flat_map(|k| self.base.friction[k].rows.iter().map(|r| (*r, 0.0)));
        let rows: Vec<_> = self.base.constrained_rows().chain(resting).collect();
        [twist[0], twist[1], twist[5]] = self.base.project([twist[0], twist[1], twist[5]], &rows);
        // At breakaway the forces are at their limits; the direction follows from the forces a moment later. A drive prescribes it.
        let delay = if stops && !matches!(self.base.drive, Drive::Motion(_)) { BREAKAWAY_DELAY } else { 0.0 };
        self.mode = self.base.contact_mode(&equations(delay, twist)?, twist)?.mode;
        if stops {
            self.regularisation = STARTING;
        }
        Ok(())
    }
}
