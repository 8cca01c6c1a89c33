//! Changes of the mode: zero crossings of velocities, breakaway, stops, impacts.
//!
//! A mode holds while everything that slides keeps its direction, every force that holds something at rest is within its
//! limits, and nothing is beyond a stop. Where it ends, velocities that changed sign become exactly 0, positions beyond a stop are
//! set to it, and the complementarity problem of rest ([`armdyn_core::Complementarity`]) decides who sticks, who starts to move in which
//! direction, and who leaves a stop. An impact solves the same problem for velocities and impulses:
//!
//!   M (v⁺ − v⁻) + p = 0;   at an upper stop  v⁺ ≤ −e v⁻ (0 if v⁻ ≤ 0),  p ≥ 0,  one of both with equality             (1)
//!
//! for all stops that are touched at once. Dry friction is bounded and has no impulse: an impact can move what sticks.

use super::events::EventKind;
use super::system::{Motion, System};
use armdyn_core::{Friction, REST_TOLERANCE, force_scale};
use armdyn_numerics::Result;

/// Impacts below this speed end without a rebound and without an impulse on other joints \[rad/s or m/s\]: bounces of ever shorter
/// height end.
const REST_SPEED: f64 = 1e-6;

/// What ends a mode exceeds a limit by more than what decides the next mode, so that a breakaway is decided as one.
const GUARD_TOLERANCE: f64 = 4.0 * REST_TOLERANCE;

/// Limits of the force that holds a degree of freedom at rest; infinite towards a stop that it touches.
fn limits(friction: &Friction<f64>, contact: f64) -> [f64; 2] {
    let [lower, upper] = friction.static_limits();
    [if contact < 0.0 { f64::NEG_INFINITY } else { lower }, if contact > 0.0 { f64::INFINITY } else { upper }]
}

/// Whether something that moves keeps its direction.
fn keeps_direction(motion: Motion, v: f64) -> bool {
    !matches!(motion, Motion::Sliding(d) if d * v < 0.0)
}

impl System<'_> {
    /// Whether anything can end a mode.
    pub fn has_modes(&self) -> bool {
        let stops = self.stops.iter().any(|s| s.iter().any(|x| x.is_finite()));
        stops
            || self.mobile.is_some()
            || self.friction.iter().any(Friction::is_dry)
            || self.flexible.iter().any(|f| f.friction.is_dry())
    }

    /// Whether the mode holds in a state.
    pub fn mode_holds(&mut self, t: f64, y: &[f64]) -> Result<bool> {
        let n = self.nv();
        let motors = &y[self.motor_velocities()..];
        let directions = self.motion.iter().zip(&y[n..]).all(|(m, v)| keeps_direction(*m, *v))
            && self.flexible.iter().zip(motors).all(|(f, v)| keeps_direction(f.motion, *v));
        let inside = |i: usize| self.contact[i] != 0.0 || (self.stops[i][0] <= y[i] && y[i] <= self.stops[i][1]);
        if !directions || !(0..n).all(inside) {
            return Ok(false);
        }
        let motor_held = self.flexible.iter().any(|f| f.motion == Motion::Held);
        if !motor_held && !self.held.contains(&true) && self.mobile.is_none() {
            return Ok(true);
        }
        self.accelerate(t, y)?;
        if let Some(mobile) = &self.mobile
            && !mobile.mode_holds(&self.base_twist(y))?
        {
            return Ok(false);
        }
        let within = |force: f64, [lower, upper]: [f64; 2], scale: f64| {
            let tolerance = GUARD_TOLERANCE * scale;
            lower - tolerance <= force && force <= upper + tolerance
        };
        let links = (0..n).filter(|i| self.held[*i]).all(|i| {
            let scale = force_scale(n, i, &self.mass, &self.rest, &self.qdd);
            within(self.force[i], limits(&self.friction[i], self.contact[i]), scale)
        });
        let motors = self.flexible.iter().filter(|f| f.motion == Motion::Held);
        let mut motors = motors.map(|f| within(f.force, f.friction.static_limits(), self.motor_scale(f.dof, t)));
        Ok(links && motors.all(|m| m))
    }

    /// The scale of the rounding error of the force on a motor at rest.
    fn motor_scale(&self, dof: usize, t: f64) -> f64 {
        self.applied.torque(dof, t).abs() + self.tau[dof].abs()
    }

    /// Determines the mode of a state, after an event or a change of torques; changes velocities to exactly 0, and by impacts.
    /// Returns the energy lost in impacts.
    pub fn settle(&mut self, t: f64, y: &mut [f64], mut event: impl FnMut(EventKind)) -> Result<f64> {
        let n = self.nv();
        let motors = self.motor_velocities();
        let held = |m: &Motion| *m == Motion::Held;
        let motors_held: Vec<bool> = self.flexible.iter().map(|f| held(&f.motion)).collect();
        let before: Vec<[bool; 2]> = self.motion.iter().zip(&self.contact).map(|(m, c)| [held(m), *c != 0.0]).collect();
        for i in 0..n {
            if !keeps_direction(self.motion[i], y[n + i]) {
                y[n + i] = 0.0;
            }
        }
        let loss = self.impact(y, &mut event)?;
        let mut rests = vec![None; n];
        for i in 0..n {
            let (v, dry) = (y[n + i], self.friction[i].is_dry());
            self.contact[i] = if v == 0.0 { self.touches(i, y[i]) } else { 0.0 };
            if v == 0.0 && (dry || self.contact[i] != 0.0) {
                rests[i] = Some(limits(&self.friction[i], self.contact[i]));
            }
            self.motion[i] = if dry && v != 0.0 { Motion::Sliding(v.signum()) } else { Motion::Free };
            self.held[i] = false;
        }
        for (k, f) in self.flexible.iter_mut().enumerate() {
            let speed = &mut y[motors + k];
            if !keeps_direction(f.motion, *speed) {
                *speed = 0.0;
            }
            f.motion = match (f.friction.is_dry(), *speed == 0.0) {
                (false, _) => Motion::Free,
                (true, true) => Motion::Held,
                (true, false) => Motion::Sliding(speed.signum()),
            };
        }
        self.torques(t, y)?;
        for k in 0..self.flexible.len() {
            let f = &self.flexible[k];
            let (tolerance, [lower, upper]) = (REST_TOLERANCE * self.motor_scale(f.dof, t), f.friction.static_limits());
            let direction = if f.force > upper { 1.0 } else { -1.0 };
            if held(&f.motion) && !(lower - tolerance..=upper + tolerance).contains(&f.force) {
                self.flexible[k].motion = Motion::Sliding(direction);
            }
        }
        if self.mobile.is_some() {
            self.settle_on_ground(t, y, &rests, &mut event)?;
        } else if rests.iter().any(Option::is_some) {
            self.mass_and_rest(&y[n..2 * n])?;
            self.resolve_rests(&rests)?;
        }
        for i in 0..n {
            if rests[i].is_some() && !self.held[i] {
                self.contact[i] = 0.0;
            }
        }
        self.changes(&before, &motors_held, event);
        Ok(loss)
    }

    /// Which degrees of freedom at rest stay at rest, for the current mass matrix and forces; `rests` has the limits of the forces that
    /// can hold them.
    pub fn resolve_rests(&mut self, rests: &[Option<[f64; 2]>]) -> Result<()> {
        let (mass, rest) = (&self.mass, &self.rest);
        let solved = self.complementarity.solve(mass, rest, rests, &mut self.force, &mut self.qdd);
        solved.map_err(|e| self.unsolved(e))?;
        for i in (0..self.nv()).filter(|i| rests[*i].is_some()) {
            let direction = self.complementarity.direction(i).unwrap_or(0.0);
            self.held[i] = direction == 0.0;
            self.motion[i] = match (self.held[i], self.friction[i].is_dry()) {
                (true, _) => Motion::Held,
                (false, true) => Motion::Sliding(direction),
                (false, false) => Motion::Free,
            };
        }
        Ok(())
    }

    /// The stop that a position touches: ±1, 0 if none.
    fn touches(&self, i: usize, x: f64) -> f64 {
        let [lower, upper] = self.stops[i];
        if x >= upper {
            1.0
        } else if x <= lower {
            -1.0
        } else {
            0.0
        }
    }

    /// (1): sets positions beyond a stop to it and velocities after the impact. Returns the lost energy.
    fn impact(&mut self, y: &mut [f64], event: &mut impl FnMut(EventKind)) -> Result<f64> {
        let n = self.nv();
        let (mut target, mut limits) = (vec![0.0; n], vec![None; n]);
        let (mut hit, mut slow) = (false, vec![]);
        for i in 0..n {
            let (side, v) = (self.touches(i, y[i]), y[n + i]);
            if side == 0.0 {
                continue;
            }
            y[i] = if side > 0.0 { self.stops[i][1] } else { self.stops[i][0] };
            limits[i] = Some(if side > 0.0 { [0.0, f64::INFINITY] } else { [f64::NEG_INFINITY, 0.0] });
            if side * v > REST_SPEED {
                hit = true;
                target[i] = -self.restitution[i] * v;
                let unit = if self.model.is_rotational(i) { "rad/s" } else { "m/s" };
                event(EventKind::HitsStop { joint: self.model.dof_names()[i].clone(), velocity: v, unit });
            } else if side * v > 0.0 {
                slow.push(i);
            }
        }
        if !hit && slow.is_empty() {
            return Ok(0.0);
        }
        let before = self.energies(y)?[0];
        if !hit {
            // An impact moves other joints away from their stops, whose impacts move this one: without end, ever slower.
            slow.iter().for_each(|i| y[n + i] = 0.0);
            return Ok(before - self.energies(y)?[0]);
        }
        // The mass matrix at the configuration that the energy was computed for.
        self.mass_and_rest(&vec![0.0; n])?;
        self.project_mass_for_impact();
        let jump: Vec<f64> = (0..n).map(|i| y[n + i] - target[i]).collect();
        let momentum: Vec<f64> = (0..n).map(|i| (0..n).map(|j| self.mass[i * n + j] * jump[j]).sum::<f64>()).collect();
        let solved = self.complementarity.solve(&self.mass, &momentum, &limits, &mut self.force, &mut self.qdd);
        solved.map_err(|e| self.unsolved(e))?;
        for i in 0..n {
            y[n + i] = self.qdd[i] + target[i];
        }
        Ok(before - self.energies(y)?[0])
    }

    /// Reports what changed; `before` has whether each degree of freedom was held, and whether it touched a stop.
    fn changes(&self, before: &[[bool; 2]], motors_held: &[bool], mut event: impl FnMut(EventKind)) {
        let joint = |i: usize| self.model.dof_names()[i].clone();
        let mut friction = |dof: usize, before: bool, after: bool| match (before, after) {
            (false, true) => event(EventKind::Sticks { joint: joint(dof) }),
            (true, false) => event(EventKind::Slips { joint: joint(dof) }),
            _ => {}
        };
        for (f, before) in self.flexible.iter().zip(motors_held) {
            friction(f.dof, *before, f.motion == Motion::Held);
        }
        for (i, [held, _]) in before.iter().enumerate().filter(|(i, b)| !b[1] && self.contact[*i] == 0.0) {
            friction(i, *held, self.motion[i] == Motion::Held);
        }
        for (i, [_, touched]) in before.iter().enumerate() {
            match (touched, self.contact[i] != 0.0) {
                (false, true) => event(EventKind::RestsAtStop { joint: joint(i) }),
                (true, false) => event(EventKind::LeavesStop { joint: joint(i) }),
                _ => {}
            }
        }
    }
}
