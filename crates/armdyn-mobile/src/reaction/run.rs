//! What a run gives.

use super::flow::Flow;
use super::{Setting, Solver};
use crate::base::{Instant, WheelKind};
use armdyn_core::{Force, Motion as Twist, Rotation, Vec3};
use armdyn_numerics::Result;

/// The robot at a time.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The time \[s\].
    pub t: f64,
    /// Where the base's origin is, in the world \[m\].
    pub position: Vec3<f64>,
    /// Its attitude in the world.
    pub attitude: Rotation<f64>,
    /// The same as a unit quaternion (x, y, z, w).
    quaternion: [f64; 4],
    /// Its heading on the ground, turns counted \[rad\]; none afloat.
    pub turned: Option<f64>,
    /// Its velocity, in its axes.
    pub twist: Twist<f64>,
    /// Where each castor points to, in the base's frame, in the order of the wheels \[rad\].
    pub castors: Vec<f64>,
    /// The arm's joints.
    pub q: Vec<f64>,
    /// Forces and accelerations.
    pub instant: Instant,
}

impl Sample {
    /// Its attitude as a unit quaternion (x, y, z, w).
    pub fn quaternion(&self) -> [f64; 4] {
        self.quaternion
    }

    /// Which way the base looks, from the world's x axis about z \[rad\].
    pub fn heading(&self) -> f64 {
        self.turned.unwrap_or_else(|| self.attitude.x.y.atan2(self.attitude.x.x))
    }
}

/// Something that happens.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The base leaves its rest.
    Starts,
    /// It comes to rest.
    Stops,
    /// Its axle begins to slide sideways.
    Slides,
    /// It slides no longer.
    Grips,
    /// A wheel begins to roll.
    Rolls {
        /// Its number.
        wheel: usize,
    },
    /// A wheel stands, while the base turns about it.
    Rests {
        /// Its number.
        wheel: usize,
    },
    /// A wheel rolls the other way.
    Reverses {
        /// Its number.
        wheel: usize,
    },
    /// The robot tips over: the run ends.
    Tips {
        /// The wheels that it tips about.
        about: [usize; 2],
        /// Those that lift off.
        lifts: Vec<usize>,
    },
}

/// When something happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When \[s\].
    pub t: f64,
    /// What.
    pub what: EventKind,
}

/// What goes in and out of a robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// What the arm's joints worked \[J\].
    pub joints: f64,
    /// What the base's drive worked \[J\].
    pub drive: f64,
    /// What rubbing took, of wheels and joints \[J\].
    pub rubbing: f64,
    /// By how much kinetic and potential energy grew \[J\].
    pub energy: f64,
    /// The greatest difference of the two sides at any sample \[J\].
    pub residual: f64,
    /// The greatest energy that was in play: kinetic, or exchanged \[J\].
    pub scale: f64,
    /// The greatest change of linear momentum in the world \[kg m/s\].
    pub linear_momentum: f64,
    /// The greatest change of angular momentum about the world's origin \[kg m²/s\].
    pub angular_momentum: f64,
    /// The greatest linear and angular momentum that base or arm had.
    pub momentum_scale: [f64; 2],
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    /// At even times, and at the end.
    pub samples: Vec<Sample>,
    /// What happened.
    pub events: Vec<Event>,
    /// Energy and momentum.
    pub balance: Balance,
    /// How long it was to be \[s\]: it ends earlier where the robot tips over, or where it was ended.
    pub asked: f64,
}

impl Run {
    /// The last sample.
    pub fn end(&self) -> &Sample {
        &self.samples[self.samples.len() - 1]
    }

    /// Whether the robot tipped over, and about which wheels.
    pub fn tipped(&self) -> Option<&Event> {
        self.events.last().filter(|e| matches!(e.what, EventKind::Tips { .. }))
    }

    /// Whether it was ended early by whoever looked on.
    pub fn partial(&self) -> bool {
        self.tipped().is_none() && self.end().t < self.asked * (1.0 - 1e-12)
    }
}

/// Collects it.
pub(super) struct Recorder {
    run: Run,
    rate: f64,
    /// Samples at even times so far.
    count: usize,
    begin: State,
}

struct State {
    kinetic: f64,
    potential: f64,
    momentum: Force<f64>,
    /// What base or arm has alone.
    parts: [f64; 2],
}

impl Recorder {
    pub fn new(flow: &mut Flow, y: &[f64], setting: &Setting) -> Result<Self> {
        let begin = state(flow, 0.0, y)?;
        let balance = Balance {
            joints: 0.0,
            drive: 0.0,
            rubbing: 0.0,
            energy: 0.0,
            residual: 0.0,
            scale: 0.0,
            linear_momentum: 0.0,
            angular_momentum: 0.0,
            momentum_scale: [0.0; 2],
        };
        let run = Run { samples: vec![], events: vec![], balance, asked: 0.0 };
        let mut it = Recorder { run, rate: setting.rate, count: 1, begin };
        it.sample(flow, 0.0, y)?;
        Ok(it)
    }

    fn sample(&mut self, flow: &mut Flow, t: f64, y: &[f64]) -> Result<()> {
        let now = state(flow, t, y)?;
        let [joints, drive, rubbing] = flow.works(y);
        let b = &mut self.run.balance;
        let energy = now.kinetic - self.begin.kinetic + now.potential - self.begin.potential;
        (b.joints, b.drive, b.rubbing, b.energy) = (joints, drive, rubbing, energy);
        b.residual = b.residual.max((energy - (joints + drive - rubbing)).abs());
        b.scale = [now.kinetic, joints, drive, rubbing, energy].iter().fold(b.scale, |m, x| m.max(x.abs()));
        let change = now.momentum - self.begin.momentum;
        b.linear_momentum = b.linear_momentum.max(change.force.norm());
        b.angular_momentum = b.angular_momentum.max(change.moment.norm());
        b.momentum_scale = [0, 1].map(|k| b.momentum_scale[k].max(now.parts[k]));
        let (mode, solution) = flow.solution(t, y)?;
        let (attitude, twist) = (flow.attitude(y), flow.twist(y));
        let instant = flow.d.instant(&attitude, &twist, &mode, &solution)?;
        let last = self.run.samples.last();
        let castors = flow.d.base.wheels.iter().filter(|w| w.kind == WheelKind::Castor).enumerate().map(|(k, w)| {
            let (x, y) = (twist[0] - twist[5] * w.at[1], twist[1] + twist[5] * w.at[0]);
            // At rest it points where it did.
            if x.hypot(y) > super::STILL { y.atan2(x) } else { last.map_or(0.0, |s| s.castors[k]) }
        });
        let sample = Sample {
            t,
            position: flow.position(y),
            attitude,
            quaternion: flow.quaternion(y),
            turned: (!flow.floats()).then(|| y[2]),
            twist: crate::base::motion(&twist),
            castors: castors.collect(),
            q: flow.d.q.clone(),
            instant,
        };
        self.run.samples.push(sample);
        Ok(())
    }

    /// Samples at even times within the step that ends at `end`.
    pub fn samples_until(&mut self, flow: &mut Flow, solver: &mut Solver, end: f64) -> Result<()> {
        while self.count as f64 / self.rate < end {
            let t = self.count as f64 / self.rate;
            self.count += 1;
            let at = solver.part(flow, t - solver.t)?;
            self.sample(flow, t, &at.y)?;
        }
        Ok(())
    }

    /// Records what happened; whether that is the end.
    pub fn tell(&mut self, t: f64, told: Vec<EventKind>) -> bool {
        self.run.events.extend(told.into_iter().map(|what| Event { t, what }));
        self.run.tipped().is_some()
    }

    pub fn finish(mut self, flow: &mut Flow, solver: &Solver, asked: f64) -> Result<Run> {
        if self.run.end().t < solver.t {
            self.sample(flow, solver.t, &solver.y)?;
        }
        self.run.asked = asked;
        Ok(self.run)
    }
}

fn state(flow: &mut Flow, t: f64, y: &[f64]) -> Result<State> {
    flow.place_arm(t);
    let (attitude, position, twist) = (flow.attitude(y), flow.position(y), flow.twist(y));
    let (kinetic, momentum, inertia) = flow.d.kinetic(&twist)?;
    let centre = position * inertia.mass + attitude.rotate(inertia.first);
    let carried = inertia.momentum(crate::base::motion(&twist));
    let world = |f: Force<f64>| {
        let (moment, force) = (attitude.rotate(f.moment), attitude.rotate(f.force));
        Force::new(moment + position.cross(force), force)
    };
    let swing = momentum - carried;
    let parts = [carried.force.norm().max(swing.force.norm()), carried.moment.norm().max(swing.moment.norm())];
    Ok(State { kinetic, potential: -flow.d.gravity.dot(centre), momentum: world(momentum), parts })
}
