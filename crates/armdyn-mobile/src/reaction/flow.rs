//! The state of a run and its rates.
//!
//! On wheels the state is (x, y, ψ, v_x, v_y, ω), afloat (position, quaternion, linear and angular velocity), and then the
//! work of the joints, that of the drive, and what rubbing takes.

use super::{EventKind, STILL, Setting, Status};
use crate::base::{Base, Drive, Dynamics, Mode, Six, Solution};
use crate::motion::Motion;
use armdyn_core::{Model, Rotation, Vec3, vec3};
use armdyn_numerics::integrate::{Rates, Step};
use armdyn_numerics::{Error, Result};

/// Slower than this, something that has just started hardly changes its way \[m/s\].
const STARTING: f64 = 1e-6;

/// And slower than this, something that is about to stop.
const STOPPING: f64 = 2e-10;

/// Faster than this, something goes back; slower, rounding may \[m/s\].
const BACK: f64 = 1e-12;

/// How long after a rest ends its way shows \[s\].
const LATER: f64 = 1e-6;

/// A robot on its base, on its way.
pub(super) struct Flow<'a> {
    pub d: Dynamics<'a>,
    arm: &'a dyn Motion,
    pub mode: Mode,
    /// Slower than this, something hardly changes its way: where something starts or stops every way is possible, and the
    /// true one is known from what it will be or was.
    slow: f64,
}

impl<'a> Flow<'a> {
    pub fn new(m: &Model<f64>, base: &'a Base, arm: &'a dyn Motion) -> Result<Self> {
        let mode = vec![Status::Sticks; base.rubbing.len()];
        Ok(Flow { d: Dynamics::new(m, base)?, arm, mode, slow: STARTING })
    }

    pub fn floats(&self) -> bool {
        self.d.base.floats()
    }

    /// The state at first.
    pub fn begin(&self, setting: &Setting) -> Result<Vec<f64>> {
        let t = &setting.twist;
        let (s, c) = (setting.heading / 2.0).sin_cos();
        let mut y = if self.floats() {
            [&[0.0, 0.0, 0.0, 0.0, 0.0, s, c], &t[..]].concat()
        } else {
            vec![0.0, 0.0, setting.heading, t[0], t[1], t[5]]
        };
        y.extend([0.0; 3]);
        if let Drive::Motion(drive) = &self.d.base.drive {
            let n = self.d.base.driven.len();
            let (mut place, mut speed, mut rate) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
            drive.at(0.0, &mut place, &mut speed, &mut rate);
            let rows = self.d.base.held.iter().map(|r| (*r, 0.0));
            let rows = rows.chain(self.d.base.driven.iter().zip(&speed).map(|((_, row), v)| (*row, *v)));
            let told = self.d.project([t[0], t[1], t[5]], rows.collect());
            if t.iter().any(|x| *x != 0.0) && told.iter().zip([t[0], t[1], t[5]]).any(|(a, b)| (a - b).abs() > 1e-9) {
                let what = "the base cannot move so at first: its drive has another speed then; leave the twist out";
                return Err(Error::InvalidInput(what.to_string()));
            }
            y[3..6].copy_from_slice(&told);
        } else if !self.floats() {
            let held = self.d.base.held.iter().map(|r| (*r, 0.0)).collect();
            let kept = self.d.project([t[0], t[1], t[5]], held);
            if kept.iter().zip([t[0], t[1], t[5]]).any(|(a, b)| (a - b).abs() > 1e-9) {
                let what = "the base cannot move so at first: its wheels hold it sideways, or its rail".to_string();
                return Err(Error::InvalidInput(what));
            }
        }
        Ok(y)
    }

    pub fn next_knot(&self, t: f64) -> f64 {
        let drive = if let Drive::Motion(it) = &self.d.base.drive { it.next_knot(t) } else { f64::INFINITY };
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
        // On wheels the base's origin is above the ground, at which the world's z is 0.
        if self.floats() { vec3(y[0], y[1], y[2]) } else { vec3(y[0], y[1], -self.d.base.ground) }
    }

    pub fn twist(&self, y: &[f64]) -> Six {
        if self.floats() { [y[7], y[8], y[9], y[10], y[11], y[12]] } else { [y[3], y[4], 0.0, 0.0, 0.0, y[5]] }
    }

    /// Work of the joints, work of the drive, what rubbing took.
    pub fn works(&self, y: &[f64]) -> [f64; 3] {
        let n = y.len() - 3;
        [y[n], y[n + 1], y[n + 2]]
    }

    /// The arm's state at a time, into the workspace.
    pub fn place_arm(&mut self, t: f64) {
        self.arm.at(t, &mut self.d.q, &mut self.d.qd, &mut self.d.qdd);
    }

    /// What is true at a state.
    pub fn solution(&mut self, t: f64, y: &[f64]) -> Result<(Mode, Solution)> {
        self.place_arm(t);
        let (attitude, twist) = (self.attitude(y), self.twist(y));
        let load = self.d.load(t, &attitude, &twist)?;
        let mode = self.ways(&twist);
        let solution = self.d.solve(&load, &mode)?;
        Ok((mode, solution))
    }

    /// The mode, with the way that each thing goes now. What goes back within a step keeps its way until that is seen.
    fn ways(&self, twist: &Six) -> Mode {
        let now = |(k, status): (usize, &Status)| match *status {
            Status::Rubs(way) if self.d.base.rubbing[k].rows.len() == 2 => {
                let [x, y] = self.d.speed(k, twist);
                let on = if x * way[0] + y * way[1] < 0.0 { -1.0 } else { 1.0 };
                let (x, y) = (on * x + self.slow * way[0], on * y + self.slow * way[1]);
                let size = x.hypot(y);
                Status::Rubs([x / size, y / size])
            }
            same => same,
        };
        self.mode.iter().enumerate().map(now).collect()
    }

    /// The first mode: what sticks, and what does not.
    pub fn settle(&mut self, t: f64, y: &mut [f64]) -> Result<()> {
        self.place_arm(t);
        let (attitude, twist) = (self.attitude(y), self.twist(y));
        let load = self.d.load(t, &attitude, &twist)?;
        let (mode, solution) = self.d.decide(&load, &twist)?;
        self.mode = mode;
        if !self.floats() && solution.resultant[0] <= 0.0 {
            return Err(Error::InvalidInput(format!(
                "nothing presses the wheels on the ground at first, {:.4} N in all: gravity is to point into the ground, along \
                 −z of the base; without gravity a base floats",
                solution.resultant[0]
            )));
        }
        if let Some((moment, about)) = self.d.tipping(&solution).filter(|(moment, _)| *moment < 0.0) {
            let names = about.map(|i| self.d.base.wheels[i].name.clone());
            return Err(Error::InvalidInput(format!(
                "the robot tips over `{}` and `{}` from the start, by {:.4} N m: move its arm, its load or its wheels",
                names[0], names[1], -moment
            )));
        }
        Ok(())
    }

    /// Whether the mode is still the true one at the end of a step: nothing slides that sticks, nothing went back, nothing tips.
    pub fn lasts(&mut self, step: &Step) -> Result<bool> {
        if self.floats() {
            return Ok(true);
        }
        let (_, solution) = self.solution(step.t, &step.y)?;
        let twist = self.twist(&step.y);
        if self.d.tipping(&solution).is_some_and(|(moment, _)| moment < 0.0) || !self.goes_on(&twist) {
            return Ok(false);
        }
        if solution.undetermined && self.mode.contains(&Status::Sticks) {
            let attitude = self.attitude(&step.y);
            let load = self.d.load(step.t, &attitude, &twist)?;
            return self.d.holds(&load, &self.mode);
        }
        Ok(self.sliding(&solution).is_empty())
    }

    /// Whether everything that rubs goes its way, and what sticks does not go.
    fn goes_on(&self, twist: &Six) -> bool {
        self.mode.iter().enumerate().all(|(k, status)| match status {
            Status::Rubs([a, b]) => {
                let [x, y] = self.d.speed(k, twist);
                x * a + y * b >= -BACK
            }
            // What is driven may be at rest, and then not.
            Status::Sticks => {
                let [x, y] = self.d.speed(k, twist);
                x.hypot(y) <= STILL
            }
        })
    }

    /// What sticks, and can no longer.
    fn sliding(&self, s: &Solution) -> Vec<usize> {
        let gives = |k: &usize| self.mode[*k] == Status::Sticks && self.d.reserve(*k, s) < 0.0;
        (0..self.mode.len()).filter(gives).collect()
    }

    /// Goes over to what is true just after a mode ended.
    pub fn happen(&mut self, t: f64, y: &mut [f64]) -> Result<Vec<EventKind>> {
        let (_, solution) = self.solution(t, y)?;
        if let Some((_, about)) = self.d.tipping(&solution).filter(|(moment, _)| *moment < 0.0) {
            let lifts = (0..self.d.base.wheels.len()).filter(|w| !about.contains(w)).collect();
            return Ok(vec![EventKind::Tips { about, lifts }]);
        }
        let twist = self.twist(y);
        if !solution.undetermined && self.goes_on(&twist) {
            let mut after = self.mode.clone();
            for k in self.sliding(&solution) {
                let [a, b] = solution.forces[k];
                let size = a.hypot(b);
                after[k] = Status::Rubs([-a / size, -b / size]);
            }
            return Ok(self.change(after));
        }
        self.decide(t, y)
    }

    /// After a step in which nothing happened: the way that things go now.
    pub fn follow(&mut self, y: &[f64]) {
        let twist = self.twist(y);
        let mut fastest = 0.0_f64;
        for (k, status) in self.mode.iter_mut().enumerate() {
            let [x, y] = self.d.speed(k, &twist);
            let speed = x.hypot(y);
            fastest = fastest.max(speed);
            if speed > self.slow && *status != Status::Sticks {
                *status = Status::Rubs([x / speed, y / speed]);
            }
        }
        if fastest > 10.0 * STARTING {
            self.slow = STOPPING;
        }
    }

    /// Decides anew what sticks; what does is put to rest exactly.
    fn decide(&mut self, t: f64, y: &mut [f64]) -> Result<Vec<EventKind>> {
        let twist = self.twist(y);
        let speeds: Vec<f64> = (0..self.mode.len()).map(|k| self.d.speed(k, &twist)).map(|[x, y]| x.hypot(y)).collect();
        let stops = speeds.iter().all(|v| *v <= 2.0 * self.slow);
        let slow = (0..self.mode.len()).filter(|k| stops || speeds[*k] <= STILL);
        let resting = slow.flat_map(|k| self.d.base.rubbing[k].rows.iter().map(|r| (*r, 0.0)));
        let planar = self.d.project([y[3], y[4], y[5]], self.d.kept().chain(resting).collect());
        y[3..6].copy_from_slice(&planar);
        // Where all rests, forces are at their limits now: which way it goes shows a little later. A drive says it now.
        let t = if stops && !matches!(self.d.base.drive, Drive::Motion(_)) { t + LATER } else { t };
        self.place_arm(t);
        let (attitude, twist) = (self.attitude(y), self.twist(y));
        let load = self.d.load(t, &attitude, &twist)?;
        let (after, _) = self.d.decide(&load, &twist)?;
        if stops {
            self.slow = STARTING;
        }
        Ok(self.change(after))
    }

    /// Takes a mode over, and tells what is other about it.
    fn change(&mut self, after: Mode) -> Vec<EventKind> {
        let before = std::mem::replace(&mut self.mode, after);
        let rests = |mode: &Mode| self.d.is_held(mode);
        match (rests(&before), rests(&self.mode)) {
            (true, false) => return vec![EventKind::Starts],
            (false, true) => return vec![EventKind::Stops],
            _ => {}
        }
        let told = |(k, (old, new)): (usize, (&Status, &Status))| {
            let rubbing = &self.d.base.rubbing[k];
            let wheel = rubbing.wheels[0];
            match (rubbing.sideways, old, new) {
                (true, Status::Sticks, Status::Rubs(_)) => Some(EventKind::Slides),
                (true, Status::Rubs(_), Status::Sticks) => Some(EventKind::Grips),
                (false, Status::Sticks, Status::Rubs(_)) => Some(EventKind::Rolls { wheel }),
                (false, Status::Rubs(_), Status::Sticks) => Some(EventKind::Rests { wheel }),
                (false, Status::Rubs(a), Status::Rubs(b)) if a[0] * b[0] + a[1] * b[1] < 0.0 => {
                    Some(EventKind::Reverses { wheel })
                }
                _ => None,
            }
        };
        before.iter().zip(&self.mode).enumerate().filter_map(told).collect()
    }
}

impl Rates for Flow<'_> {
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
            let turn = [w * p + z * r - u * q, w * q + u * p - x * r, w * r + x * q - z * p, -x * p - z * q - u * r];
            out[3..7].iter_mut().zip(turn).for_each(|(o, x)| *o = x / 2.0);
            out[7..13].copy_from_slice(rate);
        } else {
            let v = attitude.rotate(vec3(twist[0], twist[1], 0.0));
            out[..6].copy_from_slice(&[v.x, v.y, twist[5], rate[0], rate[1], rate[5]]);
        }
        self.d.instant(&attitude, &twist, &mode, &solution)?;
        let joints: f64 = self.d.tau.iter().zip(&self.d.qd).map(|(t, v)| t * v).sum();
        let rub = |(k, s): (usize, &Status)| match s {
            Status::Rubs([a, b]) => {
                let [x, y] = self.d.speed(k, &twist);
                self.d.base.rubbing[k].moving * self.d.weight_on(k, &solution) * (a * x + b * y)
            }
            Status::Sticks => 0.0,
        };
        let n = out.len() - 3;
        out[n] = joints;
        out[n + 1] = self.d.driving_power(&solution, &twist);
        out[n + 2] = mode.iter().enumerate().map(rub).sum::<f64>() + self.d.joint_friction();
        Ok(())
    }
}
