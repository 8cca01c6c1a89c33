//! Peaks of the joint wrenches over a trajectory: the loads of bearings and structure.
//!
//! In the joint frame, with z along the joint axis and the origin on it: force z is axial, forces x and y are radial; moment
//! z is the torque of the drive (force z for a prismatic joint), moments x and y are tilting moments. A fixed joint has the
//! frame of its child link; for a joint of several pairs it is the last one.

use crate::drive_loads::PeakValue;
use armdyn_core::{JointId, Model, Progress, RneaData, WrenchFrame, rnea};
use armdyn_numerics::{Peak, Result, Trajectory, parallel_ordered};
use serde::Serialize;

/// Values per joint and sample: three forces, three moments, radial force, tilting moment.
const VALUES: usize = 8;

/// Peaks of the wrench of one joint on its child link, in the joint frame.
#[derive(Clone, Debug, Serialize)]
pub struct WrenchPeaks {
    /// The joint.
    pub joint: String,
    /// Forces along x, y, z \[N\].
    pub force: [PeakValue; 3],
    /// Moments about x, y, z \[N m\].
    pub moment: [PeakValue; 3],
    /// Force normal to the axis \[N\].
    pub radial_force: PeakValue,
    /// Moment normal to the axis \[N m\].
    pub tilting_moment: PeakValue,
}

/// The joint frame, relative to the child link.
pub fn joint_frame(m: &Model<f64>, joint: JointId) -> WrenchFrame<f64> {
    let info = &m.joints()[joint];
    if info.bodies.is_empty() {
        return WrenchFrame::Local;
    }
    WrenchFrame::At(m.links()[info.child].pose.inverse())
}

/// The peaks of all joints, including fixed ones, over a trajectory.
pub fn wrench_peaks(m: &Model<f64>, trajectory: &Trajectory, progress: &Progress) -> Result<Vec<WrenchPeaks>> {
    let frames: Vec<(JointId, WrenchFrame<f64>)> = m.joint_ids().map(|j| (j, joint_frame(m, j))).collect();
    let wrenches = |(d, tau): &mut (RneaData<f64>, Vec<f64>), k: usize| {
        let [q, qd, qdd] = trajectory.state(k);
        rnea(m, d, q, qd, qdd, tau)?;
        let values = |(joint, frame): &(JointId, WrenchFrame<f64>)| {
            let Some(last) = d.wrenches(m, *joint, *frame)?.pop() else { return Ok([0.0; VALUES]) };
            let (f, t) = (last.total.force, last.total.moment);
            Ok([f.x, f.y, f.z, t.x, t.y, t.z, f.x.hypot(f.y), t.x.hypot(t.y)])
        };
        frames.iter().map(values).collect::<Result<Vec<[f64; VALUES]>>>()
    };
    let mut peaks = vec![[Peak::default(); VALUES]; frames.len()];
    let take = |sample: usize, all: Vec<[f64; VALUES]>| {
        peaks.iter_mut().flatten().zip(all.iter().flatten()).for_each(|(peak, x)| peak.update(*x, sample));
    };
    let make = || Ok((RneaData::new(m), vec![0.0; m.nv()]));
    parallel_ordered(trajectory.len(), "wrenches", progress, make, wrenches, take)?;
    let result = |(joint, peaks): (&armdyn_core::JointInfo, [Peak; VALUES])| {
        let [a, b, c, d, e, f, radial_force, tilting_moment] = peaks.map(|p| PeakValue::new(p, trajectory));
        let joint = joint.name.clone();
        WrenchPeaks { joint, force: [a, b, c], moment: [d, e, f], radial_force, tilting_moment }
    };
    Ok(m.joints().iter().zip(peaks).map(result).collect())
}
