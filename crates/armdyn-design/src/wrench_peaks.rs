//! What each joint's bearing and structure bear: the peaks of its wrench over a motion.
//!
//! In the joint's own frame, whose z axis is the joint's and whose origin lies on it: force z is axial, forces x and y are
//! radial; moment z is what the drive gives (of a sliding joint, force z), moments x and y tilt. A fixed joint has the
//! frame of the link behind it; of a joint of several pairs it is the last one.

use armdyn_core::{JointId, Model, Progress, RneaData, WrenchFrame, rnea};
use armdyn_numerics::{Error, Peak, Result, Trajectory, parallel_ordered};

/// Numbers of a joint's wrench at one sample: three forces, three moments, radial force, tilting moment.
const FIGURES: usize = 8;

/// The peaks of one joint's wrench on the link that it moves, with their signs.
#[derive(Clone, Debug)]
pub struct WrenchPeaks {
    /// The joint.
    pub joint: JointId,
    /// Forces along x, y, z \[N\].
    pub force: [Peak; 3],
    /// Moments about x, y, z \[N m\].
    pub moment: [Peak; 3],
    /// The force across the axis \[N\].
    pub radial: Peak,
    /// The moment across the axis \[N m\].
    pub tilting: Peak,
}

/// The pose of the frame that a joint's wrench is given in, in the link that the joint moves.
pub fn joint_frame(m: &Model<f64>, joint: JointId) -> WrenchFrame<f64> {
    let info = &m.joints()[joint];
    if info.bodies.is_empty() {
        return WrenchFrame::Link;
    }
    WrenchFrame::At(m.links()[info.child].pose.inverse())
}

/// Of all joints, fixed ones too, over a trajectory.
pub fn wrench_peaks(m: &Model<f64>, trajectory: &Trajectory, progress: &Progress) -> Result<Vec<WrenchPeaks>> {
    let joints = m.joints().len();
    let frames: Vec<WrenchFrame<f64>> = m.joint_ids().map(|j| joint_frame(m, j)).collect();
    let fill = |(d, tau): &mut (RneaData<f64>, Vec<f64>), k: usize, row: &mut [f64]| {
        let [q, qd, qdd] = trajectory.state(k);
        rnea(m, d, q, qd, qdd, tau)?;
        for (j, figures) in row.chunks_mut(FIGURES).enumerate() {
            let pairs = d.wrenches(m, JointId::new(j), frames[j])?;
            let Some(last) = pairs.last() else { continue };
            let (f, t) = (last.total.force, last.total.moment);
            figures.copy_from_slice(&[f.x, f.y, f.z, t.x, t.y, t.z, f.x.hypot(f.y), t.x.hypot(t.y)]);
        }
        Ok::<(), Error>(())
    };
    let mut peaks = vec![[Peak::default(); FIGURES]; joints];
    let see = |first: usize, rows: &[f64]| {
        for (k, row) in rows.chunks((joints * FIGURES).max(1)).enumerate() {
            for (peaks, figures) in peaks.iter_mut().zip(row.chunks(FIGURES)) {
                peaks.iter_mut().zip(figures).for_each(|(peak, x)| peak.update(*x, first + k));
            }
        }
    };
    let make = || (RneaData::new(m), vec![0.0; m.nv()]);
    parallel_ordered(trajectory.len(), joints * FIGURES, "wrenches", progress, make, fill, see)?;
    let told = |(joint, [a, b, c, d, e, f, radial, tilting]): (JointId, [Peak; FIGURES])| WrenchPeaks {
        joint,
        force: [a, b, c],
        moment: [d, e, f],
        radial,
        tilting,
    };
    Ok(m.joint_ids().zip(peaks).map(told).collect())
}
