//! Result of a simulation: samples, events, and the balance of energy and momentum.

use super::Solver;
use super::system::System;
use crate::base::{Base, BaseDynamics, REST_SPEED, motion};
use armdyn_core::{Contact, ContactKind, Force, Model, Rotation, Vec3};
use armdyn_numerics::Result;
use serde::Serialize;
use std::fmt;

/// State, accelerations and forces at a time.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    /// Time \[s\].
    pub t: f64,
    /// Position of the base origin in the world \[m\].
    pub position: [f64; 3],
    /// Orientation of the base in the world: unit quaternion (x, y, z, w).
    pub orientation: [f64; 4],
    /// Heading from the world's x axis about z \[rad\]; on wheels it counts full turns.
    pub heading: f64,
    /// Linear velocity of the base origin, in base axes \[m/s\].
    pub linear_velocity: [f64; 3],
    /// Angular velocity of the base, in base axes \[rad/s\].
    pub angular_velocity: [f64; 3],
    /// Direction of each castor in the base frame, in the order of the wheels \[rad\].
    pub castor_angles: Vec<f64>,
    /// Positions of the arm's joints.
    pub q: Vec<f64>,
    /// Accelerations and forces.
    #[serde(flatten)]
    pub dynamics: BaseDynamics,
}

impl Sample {
    /// Orientation of the base in the world.
    pub fn rotation(&self) -> Rotation<f64> {
        Rotation::quaternion(self.orientation)
    }
}

/// A change of the contact mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// The base starts to move.
    BaseStarts,
    /// The base comes to rest.
    BaseStops,
    /// The axle starts to slip sideways.
    AxleSlips,
    /// The axle stops slipping.
    AxleSticks,
    /// A wheel starts to roll.
    WheelStarts {
        /// Its name.
        wheel: String,
    },
    /// A wheel stops rolling while the base turns about it.
    WheelStops {
        /// Its name.
        wheel: String,
    },
    /// A wheel reverses its rolling direction.
    WheelReverses {
        /// Its name.
        wheel: String,
    },
    /// The robot tips over, which ends the simulation.
    TipsOver {
        /// The wheels of the edge that it tips over.
        edge: [String; 2],
        /// The wheels that lift off.
        lifted: Vec<String>,
    },
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |names: &[String]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
        match self {
            EventKind::BaseStarts => f.write_str("the base starts to move"),
            EventKind::BaseStops => f.write_str("the base comes to rest"),
            EventKind::AxleSlips => f.write_str("the axle starts to slip sideways"),
            EventKind::AxleSticks => f.write_str("the axle stops slipping"),
            EventKind::WheelStarts { wheel } => write!(f, "wheel `{wheel}` starts to roll"),
            EventKind::WheelStops { wheel } => write!(f, "wheel `{wheel}` stops, the base turns about it"),
            EventKind::WheelReverses { wheel } => write!(f, "wheel `{wheel}` reverses"),
            EventKind::TipsOver { edge, lifted } => {
                write!(f, "the robot tips over {}; {} lifts off, end of the simulation", names(edge), names(lifted))
            }
        }
    }
}

/// An event and its time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// Time \[s\].
    pub t: f64,
    /// What changes.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// Energy balance of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EnergyBalance {
    /// Work of the arm's joints \[J\].
    pub joint_work: f64,
    /// Work of the base's drive \[J\].
    pub drive_work: f64,
    /// Work of external wrenches, and energy that payloads bring, on an arm driven by torques \[J\].
    pub external_work: f64,
    /// Energy dissipated by friction of wheels and joints \[J\].
    pub friction_loss: f64,
    /// Change of kinetic and potential energy \[J\].
    pub energy_change: f64,
    /// The largest imbalance at a sample \[J\].
    pub residual: f64,
    /// The largest kinetic or exchanged energy \[J\].
    pub scale: f64,
}

impl EnergyBalance {
    /// Sets energies that are rounding errors to 0.
    fn remove_rounding(&mut self) {
        let rounding = 1e-14 * self.scale;
        let own = [&mut self.joint_work, &mut self.drive_work, &mut self.friction_loss, &mut self.energy_change];
        own.into_iter().filter(|x| x.abs() <= rounding).for_each(|x| *x = 0.0);
    }
}

/// Change of the momentum in the world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MomentumBalance {
    /// The largest change of linear momentum \[kg m/s\].
    pub linear_change: f64,
    /// The largest change of angular momentum about the world origin \[kg m²/s\].
    pub angular_change: f64,
    /// The largest linear momentum of base or arm \[kg m/s\].
    pub linear_scale: f64,
    /// The largest angular momentum of base or arm \[kg m²/s\].
    pub angular_scale: f64,
}

/// A wheel of the base.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WheelInfo {
    /// Its name.
    pub name: String,
    /// Its kind: `castor`, `fixed`, `driven` or `omni`.
    pub kind: String,
    /// Contact point in the base frame \[m\].
    pub position: [f64; 2],
    /// Rolling direction in the base frame.
    pub rolling_direction: [f64; 2],
}

/// An extreme value and its time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Extremum {
    /// The value.
    pub value: f64,
    /// When it first occurs \[s\].
    pub t: f64,
}

/// Result of a simulation.
#[derive(Clone, Debug, Serialize)]
pub struct SimulationResult {
    /// The robot.
    pub robot: String,
    /// Names of the joint coordinates, in the order of `q`.
    pub coordinates: Vec<String>,
    /// Names of the degrees of freedom, in the order of `tau`.
    pub joints: Vec<String>,
    /// The wheels; empty for a floating base.
    pub wheels: Vec<WheelInfo>,
    /// Wheels at the corners of the support polygon, counter-clockwise.
    pub support_polygon: Vec<usize>,
    /// Names of the driven directions.
    pub driven: Vec<String>,
    /// Simulated time \[s\].
    pub duration: f64,
    /// Whether the simulation was cancelled before its end.
    pub partial: bool,
    /// Whether the robot tipped over.
    pub tipped_over: bool,
    /// Energy balance.
    pub energy: EnergyBalance,
    /// Momentum balance.
    pub momentum: MomentumBalance,
    /// Events in order of time.
    pub events: Vec<Event>,
    /// Samples at equal time steps, and at the end.
    pub samples: Vec<Sample>,
}

/// Time and pose of a base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BasePose {
    /// Time \[s\].
    pub t: f64,
    /// Position of the base origin in the world \[m\].
    pub position: [f64; 3],
    /// Unit quaternion (x, y, z, w).
    pub orientation: [f64; 4],
    /// Heading from the world's x axis about z \[rad\].
    pub heading: f64,
}

impl SimulationResult {
    /// A result without samples, of a robot on a base.
    pub fn new(m: &Model<f64>, base: &Base) -> Self {
        let wheel = |w: &Contact| WheelInfo {
            name: w.name.clone(),
            kind: w.kind.name().to_string(),
            position: [w.position[0], w.position[1]],
            rolling_direction: [w.rolling_direction[0], w.rolling_direction[1]],
        };
        SimulationResult {
            robot: m.name().to_string(),
            coordinates: m.coordinate_names(),
            joints: m.dof_names().to_vec(),
            wheels: base.wheels.iter().map(wheel).collect(),
            support_polygon: base.polygon.corners().collect(),
            driven: base.driven().map(str::to_string).collect(),
            duration: 0.0,
            partial: false,
            tipped_over: false,
            energy: EnergyBalance::default(),
            momentum: MomentumBalance::default(),
            events: vec![],
            samples: vec![],
        }
    }

    /// Adds a sample: pose and twist of the base, positions of the joints, accelerations and forces.
    pub fn push(&mut self, base: &Base, pose: BasePose, twist: &[f64; 6], q: &[f64], dynamics: BaseDynamics) {
        let last = self.samples.last();
        let castors = base.wheels.iter().filter(|w| w.kind == ContactKind::Castor).enumerate().map(|(k, w)| {
            let (x, y) = (twist[0] - twist[5] * w.position[1], twist[1] + twist[5] * w.position[0]);
            // At rest a castor keeps its direction.
            if x.hypot(y) > REST_SPEED { y.atan2(x) } else { last.map_or(0.0, |s| s.castor_angles[k]) }
        });
        let velocity = motion(twist);
        let sample = Sample {
            t: pose.t,
            position: pose.position,
            orientation: pose.orientation,
            heading: pose.heading,
            linear_velocity: velocity.linear.to_array(),
            angular_velocity: velocity.angular.to_array(),
            castor_angles: castors.collect(),
            q: q.to_vec(),
            dynamics,
        };
        self.samples.push(sample);
    }

    /// The last sample.
    pub fn end(&self) -> &Sample {
        &self.samples[self.samples.len() - 1]
    }

    /// Whether the base floats.
    pub fn floats(&self) -> bool {
        self.wheels.is_empty()
    }

    /// The maximum over the samples of a quantity; none if no sample has it.
    pub fn maximum(&self, quantity: impl Fn(&Sample) -> Option<f64>) -> Option<Extremum> {
        let values = self.samples.iter().filter_map(|s| Some(Extremum { value: quantity(s)?, t: s.t }));
        values.reduce(|max, next| if next.value > max.value { next } else { max })
    }

    /// The minimum over the samples of a quantity; none if no sample has it.
    pub fn minimum(&self, quantity: impl Fn(&Sample) -> Option<f64>) -> Option<Extremum> {
        self.maximum(|s| quantity(s).map(|x| -x)).map(|e| Extremum { value: -e.value, t: e.t })
    }

    /// Angle between the initial and the final orientation \[rad\].
    pub fn rotation_angle(&self) -> f64 {
        // From sine and cosine, because the cosine alone loses small angles to rounding.
        let ([a, b, c, d], [p, q, r, s]) = (self.samples[0].orientation, self.end().orientation);
        let sine = [d * p - s * a + c * q - b * r, d * q - s * b + a * r - c * p, d * r - s * c + b * p - a * q];
        let cosine = a * p + b * q + c * r + d * s;
        2.0 * sine.iter().map(|x| x * x).sum::<f64>().sqrt().atan2(cosine.abs())
    }
}

/// Records a simulation.
pub(super) struct Recorder {
    result: SimulationResult,
    rate: f64,
    /// Samples at equal time steps so far.
    count: usize,
    initial: Mechanics,
}

/// Energy and momentum at an instant.
struct Mechanics {
    kinetic: f64,
    potential: f64,
    momentum: Force<f64>,
    /// The larger of the momenta of base and arm: linear, angular.
    scale: [f64; 2],
}

impl Recorder {
    pub fn new(m: &Model<f64>, system: &mut System, y: &[f64], rate: f64) -> Result<Self> {
        let initial = mechanics(system, 0.0, y)?;
        let result = SimulationResult::new(m, system.d.base);
        let mut recorder = Recorder { result, rate, count: 1, initial };
        recorder.sample(system, 0.0, y)?;
        Ok(recorder)
    }

    fn sample(&mut self, system: &mut System, t: f64, y: &[f64]) -> Result<()> {
        self.update_balance(&mechanics(system, t, y)?, system.works(y));
        let solution = system.solution(t, y)?;
        let (attitude, twist) = (system.attitude(y), system.twist(y));
        let dynamics = system.d.forward_dynamics(&attitude, &twist, &solution)?;
        let pose = BasePose {
            t,
            position: system.position(y).to_array(),
            orientation: system.quaternion(y),
            heading: if system.floats() { attitude.heading() } else { y[2] },
        };
        self.result.push(system.d.base, pose, &twist, &system.d.q, dynamics);
        Ok(())
    }

    fn update_balance(&mut self, now: &Mechanics, [joints, drive, friction]: [f64; 3]) {
        let e = &mut self.result.energy;
        let change = now.kinetic - self.initial.kinetic + now.potential - self.initial.potential;
        (e.joint_work, e.drive_work, e.friction_loss, e.energy_change) = (joints, drive, friction, change);
        e.residual = e.residual.max((change - (joints + drive - friction)).abs());
        e.scale = [now.kinetic, joints, drive, friction, change].iter().fold(e.scale, |m, x| m.max(x.abs()));
        let p = &mut self.result.momentum;
        let change = now.momentum - self.initial.momentum;
        p.linear_change = p.linear_change.max(change.force.norm());
        p.angular_change = p.angular_change.max(change.moment.norm());
        p.linear_scale = p.linear_scale.max(now.scale[0]);
        p.angular_scale = p.angular_scale.max(now.scale[1]);
    }

    /// Samples at equal time steps within the step that ends at `end`.
    pub fn samples_until(&mut self, system: &mut System, solver: &mut Solver, end: f64) -> Result<()> {
        while self.count as f64 / self.rate < end {
            let t = self.count as f64 / self.rate;
            self.count += 1;
            let at = solver.part(system, t - solver.t)?;
            self.sample(system, t, &at.y)?;
        }
        Ok(())
    }

    /// Records events; returns whether they end the simulation.
    pub fn record_events(&mut self, t: f64, kinds: Vec<EventKind>) -> bool {
        self.result.tipped_over |= kinds.iter().any(|k| matches!(k, EventKind::TipsOver { .. }));
        self.result.events.extend(kinds.into_iter().map(|kind| Event { t, kind }));
        self.result.tipped_over
    }

    pub fn finish(mut self, system: &mut System, solver: &Solver, requested: f64) -> Result<SimulationResult> {
        if self.result.end().t < solver.t {
            self.sample(system, solver.t, &solver.y)?;
        }
        self.result.energy.remove_rounding();
        self.result.duration = self.result.end().t;
        self.result.partial = !self.result.tipped_over && self.result.duration < requested * (1.0 - 1e-12);
        Ok(self.result)
    }
}

fn mechanics(system: &mut System, t: f64, y: &[f64]) -> Result<Mechanics> {
    system.set_arm_state(t);
    let (attitude, position, twist) = (system.attitude(y), system.position(y), system.twist(y));
    let (kinetic, momentum, inertia) = system.d.kinetic(&twist)?;
    let first: Vec3<f64> = position * inertia.mass + attitude.rotate(inertia.first);
    let base = inertia.momentum(motion(&twist));
    let arm = momentum - base;
    let (moment, force) = (attitude.rotate(momentum.moment), attitude.rotate(momentum.force));
    Ok(Mechanics {
        kinetic,
        potential: -system.d.gravity.dot(first),
        momentum: Force::new(moment + position.cross(force), force),
        scale: [base.force.norm().max(arm.force.norm()), base.moment.norm().max(arm.moment.norm())],
    })
}
