//! How closely a simulated robot follows a trajectory.

use crate::simulation::SimulationResult;
use armdyn_core::{KinematicsData, Model, kinematics};
use armdyn_numerics::{ContinuousTrajectory, Peak, Result, require_scalar_coordinates};

/// Tracking error of one joint, q_d − q \[rad, m\].
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct JointTracking {
    /// The degree of freedom.
    pub joint: String,
    /// The error of largest magnitude, and its sample.
    pub peak: Peak,
    /// Root mean square over the samples.
    pub rms: f64,
    /// At the end.
    pub last: f64,
}

/// Tracking errors of a simulation; after the end of the trajectory, from its last configuration.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Tracking {
    /// Each joint.
    pub joints: Vec<JointTracking>,
    /// Maximum and last distance of the tool from its desired position \[m\]; none if the robot has no known tool.
    pub tool: Option<[f64; 2]>,
}

/// The tracking errors of a simulation at its samples.
pub fn tracking(m: &Model<f64>, trajectory: &dyn ContinuousTrajectory, run: &SimulationResult) -> Result<Tracking> {
    require_scalar_coordinates(m)?;
    let (n, end) = (m.nv(), trajectory.duration());
    let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; n]);
    let mut joints: Vec<JointTracking> = m
        .dof_names()
        .iter()
        .map(|name| JointTracking { joint: name.clone(), peak: Peak::default(), rms: 0.0, last: 0.0 })
        .collect();
    let (tool, mut data) = (m.tool().ok(), KinematicsData::new(m));
    let mut distances = [0.0_f64; 2];
    for (k, sample) in run.samples.iter().enumerate() {
        trajectory.at(sample.t.min(end), &mut q, &mut qd, &mut qdd);
        for (i, joint) in joints.iter_mut().enumerate() {
            joint.last = q[i] - sample.q[i];
            joint.peak.update(joint.last, k);
            joint.rms += joint.last * joint.last / run.samples.len() as f64;
        }
        if let Some(tool) = &tool {
            let mut place = |q: &[f64]| -> Result<_> {
                kinematics(m, &mut data, q)?;
                Ok(data.frame_pose(m, tool.link, Some(&tool.pose))?.translation)
            };
            let distance = (place(&q)? - place(sample.q)?).norm();
            distances = [distances[0].max(distance), distance];
        }
    }
    joints.iter_mut().for_each(|joint| joint.rms = joint.rms.sqrt());
    Ok(Tracking { joints, tool: tool.map(|_| distances) })
}
