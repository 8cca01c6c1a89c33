//! How closely a simulated robot follows a trajectory.

use crate::simulation::{keep_largest, vertex_above};
use armdyn_core::{KinematicsData, Model, Tool, kinematics};
use armdyn_mobile::Extremum;
use armdyn_numerics::{ContinuousTrajectory, Result, require_dofs_of, require_scalar_coordinates};

/// Tracking error of one joint, q_d − q \[rad, m\], over all steps of a simulation.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct JointTracking {
    /// The degree of freedom.
    pub joint: String,
    /// The error of largest magnitude.
    pub peak: Extremum,
    /// Root mean square over time.
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

/// Records the tracking errors of a simulation.
pub(crate) struct TrackingRecorder<'a> {
    model: &'a Model<f64>,
    trajectory: &'a dyn ContinuousTrajectory,
    tool: Option<(Tool, KinematicsData<f64>)>,
    /// The desired state of the last evaluation, and its time.
    evaluated: Option<f64>,
    q: Vec<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
    /// The errors and their rates at the start of a step, and its time.
    error: Vec<f64>,
    rate: Vec<f64>,
    t: f64,
    tracking: Tracking,
}

impl<'a> TrackingRecorder<'a> {
    pub fn new(model: &'a Model<f64>, trajectory: &'a dyn ContinuousTrajectory) -> Result<Self> {
        require_scalar_coordinates(model)?;
        require_dofs_of(model, trajectory)?;
        let nothing = Extremum { value: 0.0, t: 0.0 };
        let joint = |name: &String| JointTracking { joint: name.clone(), peak: nothing, rms: 0.0, last: 0.0 };
        let (zero, tool) = (vec![0.0; model.nv()], model.tool().ok());
        Ok(TrackingRecorder {
            model,
            trajectory,
            tracking: Tracking {
                joints: model.dof_names().iter().map(joint).collect(),
                tool: tool.is_some().then_some([0.0; 2]),
            },
            tool: tool.map(|tool| (tool, KinematicsData::new(model))),
            evaluated: None,
            q: zero.clone(),
            qd: zero.clone(),
            qdd: zero.clone(),
            error: zero.clone(),
            rate: zero,
            t: 0.0,
        })
    }

    /// Evaluates the desired state at a time; after the end of the trajectory, its last configuration at rest.
    fn evaluate(&mut self, t: f64) {
        if self.evaluated.replace(t) == Some(t) {
            return;
        }
        let end = self.trajectory.duration();
        self.trajectory.at(t.clamp(0.0, end), &mut self.q, &mut self.qd, &mut self.qdd);
        if t > end {
            self.qd.fill(0.0);
        }
    }

    /// Counts a state within a step.
    pub fn within(&mut self, t: f64, q: &[f64]) -> Result<()> {
        self.evaluate(t);
        for (i, joint) in self.tracking.joints.iter_mut().enumerate() {
            keep_largest(&mut joint.peak, self.q[i] - q[i], t);
        }
        self.tool_distance(q).map(drop)
    }

    /// Counts the state at the end of a step, or at the start of the simulation.
    pub fn end_of_step(&mut self, t: f64, q: &[f64], qd: &[f64]) -> Result<()> {
        self.evaluate(t);
        let elapsed = t - self.t;
        for (i, joint) in self.tracking.joints.iter_mut().enumerate() {
            let (before, error) = (self.error[i], self.q[i] - q[i]);
            keep_largest(&mut joint.peak, error, t);
            // The integral of the square of a line.
            joint.rms += elapsed * (before * before + before * error + error * error) / 3.0;
            joint.last = error;
            (self.error[i], self.rate[i]) = (error, self.qd[i] - qd[i]);
        }
        self.t = t;
        if let Some(distance) = self.tool_distance(q)?
            && let Some([_, last]) = &mut self.tracking.tool
        {
            *last = distance;
        }
        Ok(())
    }

    /// The time within a step to a configuration at which an error is probably larger than all before.
    pub fn vertex(&mut self, joint: usize, h: f64, end: f64) -> Option<f64> {
        self.evaluate(self.t + h);
        let ends = [self.error[joint], self.rate[joint], self.q[joint] - end];
        vertex_above(&self.tracking.joints[joint].peak, ends, h)
    }

    /// The distance of the tool from its place in the desired configuration.
    fn tool_distance(&mut self, q: &[f64]) -> Result<Option<f64>> {
        let Some((tool, data)) = &mut self.tool else { return Ok(None) };
        let mut place = |q: &[f64]| -> Result<_> {
            kinematics(self.model, data, q)?;
            Ok(data.frame_pose(self.model, tool.link, Some(&tool.pose))?.translation)
        };
        let distance = (place(&self.q)? - place(q)?).norm();
        if let Some([maximum, _]) = &mut self.tracking.tool {
            *maximum = maximum.max(distance);
        }
        Ok(Some(distance))
    }

    /// The tracking errors until the last step.
    pub fn finish(mut self) -> Tracking {
        for joint in &mut self.tracking.joints {
            joint.rms = if self.t > 0.0 { (joint.rms / self.t).sqrt() } else { joint.last.abs() };
        }
        self.tracking
    }
}
