//! The complete analysis of a robot under load: one call, one result.

use super::*;
use armdyn_core::{Force, Progress};
use armdyn_numerics::{Result, Trajectory, invalid};
use serde::Serialize;

/// The state or the motion to analyse.
#[derive(Clone, Debug)]
pub enum Motion {
    /// A state, with its loads.
    State(LoadCase),
    /// A trajectory, with a wrench on the tool in the base's axes.
    Trajectory(Trajectory, Force<f64>),
}

/// What to compute.
#[derive(Clone, Debug)]
pub struct Options {
    /// Deformations to take into account.
    pub modes: DeformationModes,
    /// End conditions for buckling.
    pub end_conditions: EndConditions,
    /// Compensate the tool's deflection.
    pub compensate: Option<CompensationTarget>,
    /// Number of natural frequencies.
    pub frequencies: Option<usize>,
    /// What the joint stiffness represents in vibrations.
    pub joint_spring: JointSpring,
    /// Finite elements per beam segment, for the frequencies.
    pub elements: usize,
    /// Bandwidth of the motion \[Hz\]; by default that of the trajectory.
    pub bandwidth: Option<f64>,
    /// Map of the tool's deflection.
    pub map: Option<MapOptions>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            modes: DeformationModes::all(),
            end_conditions: EndConditions::FixedFree,
            compensate: None,
            frequencies: None,
            joint_spring: JointSpring::Gear,
            elements: 4,
            bandwidth: None,
            map: None,
        }
    }
}

/// Deflection, strength, vibration and compensation of a robot; SI units. A trajectory is analysed in detail at the sample
/// of maximum deflection.
#[derive(Clone, Debug, Serialize)]
pub struct DeflectionAnalysis {
    /// Name of the robot.
    pub robot: String,
    /// Names of the degrees of freedom.
    pub joints: Vec<String>,
    /// Joint positions \[rad, m\].
    pub q: Vec<f64>,
    /// Deformations taken into account.
    pub modes: DeformationModes,
    /// Deflection of the tool and the links.
    #[serde(flatten)]
    pub deflection: Deflection,
    /// Stress and buckling of the links with a beam.
    pub strength: Vec<Strength>,
    /// Deflection over the trajectory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trajectory: Option<TrajectoryDeflection>,
    /// Compensation of the tool's deflection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compensation: Option<Compensation>,
    /// Vibration modes with the lowest frequencies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vibration_modes: Option<Vec<VibrationMode>>,
    /// Bandwidth of the motion against the lowest frequency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<BandwidthCheck>,
    /// Map of the tool's deflection at rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<DeflectionMap>,
    /// Whether the analysis was cancelled: results cover what was computed until then.
    pub partial: bool,
}

impl Structure {
    /// Analyses a state or a motion.
    pub fn analyze(&self, motion: &Motion, options: &Options, progress: &Progress) -> Result<DeflectionAnalysis> {
        let Options { modes, end_conditions, .. } = options;
        if let Some(b) = options.bandwidth.filter(|b| !(*b > 0.0 && b.is_finite())) {
            return invalid(format!("invalid bandwidth `{b}`: expected a positive number of Hz"));
        }
        let (case, trajectory) = match motion {
            Motion::State(case) => (case.clone(), None),
            Motion::Trajectory(samples, tool_wrench) => {
                let result = self.deflect_trajectory(samples, *tool_wrench, modes, *end_conditions, progress)?;
                let [q, qd, qdd] = samples.state(result.worst_sample);
                (LoadCase { tool_wrench: *tool_wrench, ..LoadCase::moving(q, qd, qdd) }, Some(result))
            }
        };
        let compensation = options.compensate.map(|target| self.compensate(&case, modes, target)).transpose()?;
        let hertz = match (options.bandwidth, motion) {
            (None, Motion::Trajectory(samples, _)) => Some(bandwidth(samples)),
            (given, _) => given,
        };
        // A bandwidth is compared with the lowest frequency.
        let count = options.frequencies.or(hertz.map(|_| 1));
        let vibrate = |count| self.frequencies(&case.q, modes, options.joint_spring, options.elements, count);
        let vibration_modes = count.map(vibrate).transpose()?;
        let lowest = vibration_modes.as_ref().and_then(|m| m.first()).map(|m| m.frequency);
        let check = |(b, f): (f64, f64)| BandwidthCheck::new(b, f, options.bandwidth.is_some());
        let map = |o: &MapOptions| self.deflection_map(o, case.tool_wrench, modes, progress);
        let map = options.map.as_ref().map(map).transpose()?.filter(|map| map.poses > 0);
        Ok(DeflectionAnalysis {
            robot: self.model.name().to_string(),
            joints: self.model.dof_names().to_vec(),
            q: case.q.clone(),
            modes: *modes,
            deflection: self.deflect(&case, modes)?,
            strength: self.strength(&case, *end_conditions, modes.shear)?,
            trajectory,
            compensation,
            vibration_modes,
            bandwidth: hertz.zip(lowest).map(check),
            map,
            partial: progress.cancelled(),
        })
    }
}
