//! Motors and gears on a trajectory: loads at the motor, and which of a catalogue fit.
//!
//! A drive with gear ratio N accelerates the inertia J of rotor and gear at the motor's side, and passes the load torque τ of the joint
//! through the gear with efficiency η:
//!
//!   ω = N q̇,   τ_m = J N q̈ + τ/N · (1/η driving the load, η driven by it, 1 at rest)                             (1)
//!
//! For a catalogue τ is that of the robot without its own rotors and friction, which the candidate replaces. The masses of candidates
//! are not added to the links. A candidate fits if, relative to their limits, none of these exceeds 1: the torque against the peak curve
//! at its speed, at every sample; the RMS torque against the continuous curve at the mean speed; the speeds of motor and gear; the
//! peak torque at the joint, and its average (Σ |ω τ³| Δt / Σ |ω| Δt)^⅓, as gears are rated (fatigue: damage with the cube of the torque);
//! the inertia ratio, if it has a limit.

use crate::drive_loads::{PeakValue, torques};
use armdyn_core::{Catalogue, CrbaData, Gear, Model, Motor, OperatingLimit, Progress, crba};
use armdyn_numerics::{CompiledStates, Peak, Result, Trajectory, invalid, parallel_map};
use serde::Serialize;

/// Candidates kept for a joint.
const KEPT: usize = 10;

/// Relative rounding error allowed above a limit.
const RATING_TOLERANCE: f64 = 1e-9;

/// The load of a motor by the robot's own rotor and gear ratio.
#[derive(Clone, Debug, Serialize)]
pub struct MotorLoad {
    /// The degree of freedom.
    pub joint: String,
    /// Gear ratio (rad/m for a prismatic joint).
    pub gear_ratio: f64,
    /// Load at the motor.
    #[serde(flatten)]
    pub load: MotorSide,
    /// Fraction of the motor's work that friction leaves, if the robot has friction.
    pub efficiency: Option<f64>,
}

/// Torque, speed and power at a motor.
#[derive(Clone, Debug, Serialize)]
pub struct MotorSide {
    /// Peak torque \[N m\].
    pub peak: PeakValue,
    /// RMS torque \[N m\].
    pub rms: f64,
    /// Peak speed \[rad/s\].
    pub speed: PeakValue,
    /// Mean of the speed's magnitude \[rad/s\].
    pub mean_speed: f64,
    /// Peak power from the motor \[W\].
    pub power: PeakValue,
    /// Maximum of the load's inertia at the motor relative to that of rotor and gear, if they have any.
    pub inertia_ratio: Option<f64>,
}

/// Utilization of the limits of a motor and a gear, each relative to its limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Utilization {
    /// Torque against the peak curve.
    pub peak: f64,
    /// RMS torque against the continuous curve at the mean speed.
    pub continuous: f64,
    /// Speed of the motor.
    pub speed: f64,
    /// Peak torque of the gear.
    pub gear_peak: f64,
    /// Average torque of the gear.
    pub gear_average: f64,
    /// Speed of the gear.
    pub gear_speed: f64,
    /// Ratio of load to rotor inertia; 0 without a limit of it.
    pub inertia_ratio: f64,
}

impl Utilization {
    /// The largest, and its name.
    pub fn worst(&self) -> (f64, &'static str) {
        let all = [
            (self.peak, "the motor's peak torque"),
            (self.continuous, "the motor's continuous torque"),
            (self.speed, "the motor's speed"),
            (self.gear_peak, "the gear's peak torque"),
            (self.gear_average, "the gear's average torque"),
            (self.gear_speed, "the gear's speed"),
            (self.inertia_ratio, "the inertia ratio"),
        ];
        all.into_iter().fold((0.0, ""), |worst, x| if x.0 > worst.0 { x } else { worst })
    }
}

/// A motor and a gear for a joint.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// The motor.
    pub motor: String,
    /// The gear.
    pub gear: String,
    /// Gear ratio (rad/m for a prismatic joint).
    pub gear_ratio: f64,
    /// Mass of both \[kg\].
    pub mass: f64,
    /// Whether no limit is exceeded.
    pub fits: bool,
    /// What limits it most.
    pub limited_by: &'static str,
    /// Load at the motor.
    #[serde(flatten)]
    pub load: MotorSide,
    /// Work on the load relative to that of the motor, copper losses included where they are known; none without work.
    pub efficiency: Option<f64>,
    /// Utilization of the limits.
    pub utilization: Utilization,
    /// Torque–speed curve of the motor.
    #[serde(skip)]
    pub curve: Vec<OperatingLimit>,
    /// Speed and torque at the motor in every sample.
    #[serde(skip)]
    pub points: Vec<[f64; 2]>,
}

/// The motors and gears of a catalogue for a joint.
#[derive(Clone, Debug, Serialize)]
pub struct JointCandidates {
    /// The degree of freedom.
    pub joint: String,
    /// Number of pairs that were considered.
    pub considered: usize,
    /// Number of them that fit.
    pub fitting: usize,
    /// Those that fit, lightest first, then those that exceed a limit least; at most ten.
    pub ranking: Vec<Candidate>,
}

/// The pairs of a catalogue for each joint.
#[derive(Clone, Debug, Serialize)]
pub struct CatalogueRanking {
    /// The catalogue.
    pub catalogue: String,
    /// Each joint.
    pub joints: Vec<JointCandidates>,
}

/// Inertia Dᵢᵢ of each degree of freedom in each sample; fewer samples if cancelled.
fn inertias(m: &Model<f64>, trajectory: &Trajectory, progress: &Progress) -> Result<Vec<Vec<f64>>> {
    let n = m.nv();
    if let Some(inertias) = compiled_inertias(m, trajectory, progress) {
        return Ok(inertias);
    }
    let make = || Ok((CrbaData::new(m), vec![0.0; n * n]));
    let diagonal = |(d, mass): &mut (CrbaData<f64>, Vec<f64>), k: usize| {
        crba(m, d, trajectory.state(k)[0], mass)?;
        Ok((0..n).map(|i| mass[i * n + i]).collect())
    };
    parallel_map(trajectory.len(), "inertias", progress, make, diagonal)
}

/// The same by a compiled program; none if it does not pay, or if a state is invalid.
fn compiled_inertias(m: &Model<f64>, trajectory: &Trajectory, progress: &Progress) -> Option<Vec<Vec<f64>>> {
    const BLOCK: usize = 1 << 13;
    let (n, samples) = (m.nv(), trajectory.len());
    if !CompiledStates::pays(samples) {
        return None;
    }
    let (program, mut mass, mut inertias) = (CompiledStates::mass(m), vec![], vec![]);
    while inertias.len() < samples && !progress.cancelled() {
        progress.report("inertias", inertias.len() as f64 / samples as f64);
        let block = inertias.len()..samples.min(inertias.len() + BLOCK);
        mass.resize(block.len() * n * n, 0.0);
        if !program.compute(block.len(), trajectory.states(block), &mut mass) {
            return None;
        }
        inertias.extend(mass.chunks((n * n).max(1)).map(|mass| mass.iter().step_by(n + 1).copied().collect()));
    }
    Some(inertias)
}

/// Gear ratio and inertia of the rotor that drives a degree of freedom, if there is one that drives it alone.
pub(crate) fn own_rotor(m: &Model<f64>, dof: usize) -> Option<(f64, f64)> {
    let mut rotors = m.rotors().iter().filter(|r| r.gear.iter().any(|g| g.0.index() == dof));
    match (rotors.next(), rotors.next()) {
        (Some(r), None) if r.gear.len() == 1 => Some((r.gear[0].1, r.inertia)),
        _ => None,
    }
}

/// One joint on a trajectory.
struct JointMotion<'a> {
    trajectory: &'a Trajectory,
    n: usize,
    dof: usize,
    /// Load torque of the joint in each sample, and its maximum inertia.
    load: Vec<f64>,
    inertia: f64,
}

impl JointMotion<'_> {
    fn rate(&self, k: usize) -> f64 {
        self.trajectory.qd[k * self.n + self.dof]
    }

    fn acceleration(&self, k: usize) -> f64 {
        self.trajectory.qdd[k * self.n + self.dof]
    }

    /// Mean over time.
    fn mean(&self, f: impl Fn(usize) -> f64) -> f64 {
        let (sum, time) = (0..self.load.len()).fold((0.0, 0.0), |(sum, time), k| {
            let w = self.trajectory.weight(k);
            (sum + w * f(k), time + w)
        });
        sum / time
    }

    /// Loads at a motor from its torque in each sample.
    fn side(&self, gear: f64, own_inertia: f64, torque: &[f64]) -> MotorSide {
        let speed = |k: usize| gear * self.rate(k);
        let [mut peak, mut fastest, mut power] = [Peak::default(); 3];
        for (k, tau) in torque.iter().enumerate() {
            peak.update(*tau, k);
            fastest.update(speed(k), k);
            power.update((tau * speed(k)).max(0.0), k);
        }
        let [peak, speed_peak, power] = [peak, fastest, power].map(|p| PeakValue::new(p, self.trajectory));
        MotorSide {
            peak,
            rms: self.mean(|k| torque[k] * torque[k]).sqrt(),
            speed: speed_peak,
            mean_speed: self.mean(|k| speed(k).abs()),
            power,
            inertia_ratio: (own_inertia > 0.0).then(|| self.inertia / (gear * gear * own_inertia)),
        }
    }

    /// A motor and a gear in place of the joint's own.
    fn candidate(&self, motor: &Motor, gear: &Gear, max_inertia_ratio: f64) -> Candidate {
        let (ratio, inertia) = (gear.ratio, motor.inertia + gear.inertia);
        let torque = |k: usize| {
            let power = self.load[k] * self.rate(k);
            let loss = match power {
                p if p > 0.0 => 1.0 / gear.efficiency,
                p if p < 0.0 => gear.efficiency,
                _ => 1.0,
            };
            inertia * ratio * self.acceleration(k) + self.load[k] / ratio * loss // (1)
        };
        let torques: Vec<f64> = (0..self.load.len()).map(torque).collect();
        let side = self.side(ratio, inertia, &torques);
        let largest = |f: &dyn Fn(usize) -> f64| (0..torques.len()).map(f).fold(0.0, f64::max);
        let cubes = self.mean(|k| (self.rate(k) * self.load[k].powi(3)).abs());
        let distance = self.mean(|k| self.rate(k).abs());
        let average = if distance > 0.0 { (cubes / distance).cbrt() } else { 0.0 };
        let fastest = side.speed.value.abs();
        let utilization = Utilization {
            peak: largest(&|k| torques[k].abs() / motor.at((ratio * self.rate(k)).abs()).peak),
            continuous: side.rms / motor.at(side.mean_speed).continuous,
            speed: fastest / motor.max_speed(),
            gear_peak: largest(&|k| self.load[k].abs()) / gear.peak,
            gear_average: average / gear.average,
            gear_speed: fastest / gear.max_speed,
            inertia_ratio: side.inertia_ratio.unwrap_or(0.0) / max_inertia_ratio,
        };
        let work = self.mean(|k| (self.load[k] * self.rate(k)).max(0.0));
        let copper = motor.copper_loss.map_or(0.0, |loss| loss * side.rms * side.rms);
        let input = self.mean(|k| (torques[k] * ratio * self.rate(k)).max(0.0)) + copper;
        let (worst, limited_by) = utilization.worst();
        Candidate {
            motor: motor.name.clone(),
            gear: gear.name.clone(),
            gear_ratio: ratio,
            mass: motor.mass + gear.mass,
            fits: worst <= 1.0 + RATING_TOLERANCE,
            limited_by,
            load: side,
            efficiency: (work > 0.0).then(|| work / input),
            utilization,
            curve: motor.curve.clone(),
            points: torques.iter().enumerate().map(|(k, t)| [(ratio * self.rate(k)).abs(), t.abs()]).collect(),
        }
    }
}

/// Loads at the motors of the joints that one rotor with a known gear ratio drives, from the torques of a trajectory.
pub fn motor_loads(
    m: &Model<f64>,
    trajectory: &Trajectory,
    torques: &[f64],
    progress: &Progress,
) -> Result<Vec<MotorLoad>> {
    let own: Vec<(usize, f64, f64)> =
        (0..m.nv()).filter_map(|i| own_rotor(m, i).map(|(gear, j)| (i, gear, j))).collect();
    if own.is_empty() {
        return Ok(vec![]);
    }
    let (n, inertias) = (m.nv(), inertias(m, trajectory, progress)?);
    let load = |(i, gear, rotor): &(usize, f64, f64)| {
        let (i, gear, rotor) = (*i, *gear, *rotor);
        // The mass matrix includes the reflected rotor.
        let inertia = inertias.iter().map(|d| d[i] - gear * gear * rotor).fold(0.0, f64::max);
        let load: Vec<f64> = torques.iter().skip(i).step_by(n).copied().collect();
        let joint = JointMotion { trajectory, n, dof: i, load, inertia };
        let torque: Vec<f64> = joint.load.iter().map(|t| t / gear).collect();
        let work = joint.mean(|k| (joint.load[k] * joint.rate(k)).max(0.0));
        let friction = joint.mean(|k| m.friction()[i].torque(joint.rate(k)) * joint.rate(k));
        MotorLoad {
            joint: m.dof_names()[i].clone(),
            gear_ratio: gear,
            load: joint.side(gear, rotor, &torque),
            efficiency: (work > 0.0 && friction > 0.0).then(|| (1.0 - friction / work).max(0.0)),
        }
    };
    Ok(own.iter().map(load).collect())
}

/// The pairs of a catalogue that can drive each joint on a trajectory, in place of the robot's own drives; with a limit of the
/// ratio of load to rotor inertia, if given.
pub fn rank_catalogue(
    m: &Model<f64>,
    trajectory: &Trajectory,
    catalogue: &Catalogue,
    max_inertia_ratio: Option<f64>,
    progress: &Progress,
) -> Result<CatalogueRanking> {
    let limit = max_inertia_ratio.unwrap_or(f64::INFINITY);
    if limit.is_nan() || limit <= 0.0 {
        return invalid(format!("invalid inertia ratio `{limit}`: expected a number above 0"));
    }
    let (bare, n) = (m.without_drives(), m.nv());
    let loads = torques(&bare, trajectory, "torques without drives", progress)?;
    let inertias = inertias(&bare, trajectory, progress)?;
    let rank = |(): &mut (), i: usize| {
        let load = loads.iter().skip(i).step_by(n).copied().collect();
        let inertia = inertias.iter().map(|d| d[i]).fold(0.0, f64::max);
        let joint = JointMotion { trajectory, n, dof: i, load, inertia };
        let gears: Vec<&Gear> = catalogue.gears.iter().filter(|g| g.linear != m.is_rotational(i)).collect();
        let pairs = catalogue.motors.iter().flat_map(|motor| gears.iter().map(move |gear| (motor, *gear)));
        let mut ranking: Vec<Candidate> = pairs.map(|(motor, gear)| joint.candidate(motor, gear, limit)).collect();
        let worst = |c: &Candidate| c.utilization.worst().0;
        ranking.sort_by(|a, b| match (a.fits, b.fits) {
            (true, true) => a.mass.total_cmp(&b.mass).then(worst(a).total_cmp(&worst(b))),
            (false, false) => worst(a).total_cmp(&worst(b)),
            (a, b) => b.cmp(&a),
        });
        let (considered, fitting) = (ranking.len(), ranking.iter().filter(|c| c.fits).count());
        ranking.truncate(KEPT);
        Ok(JointCandidates { joint: m.dof_names()[i].clone(), considered, fitting, ranking })
    };
    let joints = parallel_map(n, "catalogue", progress, || Ok(()), rank)?;
    Ok(CatalogueRanking { catalogue: catalogue.name.clone(), joints })
}
