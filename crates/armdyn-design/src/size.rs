//! Sizing of motors, gears and bearings for a trajectory, with payload, speed and acceleration margins.

use crate::*;
use armdyn_core::{Catalogue, Model, Progress, UnitPayload};
use armdyn_numerics::{JointRanges, Limit, Result, Trajectory};
use serde::Serialize;

/// Options of [`size`].
#[derive(Clone, Debug)]
pub struct SizeOptions<'a> {
    /// Limits of the drives.
    pub limits: DriveLimits,
    /// The payload whose maximum mass is computed; none: no payload and tip accelerations.
    pub load: Option<UnitPayload>,
    /// Joint ranges for payload capacity and accelerations; none: neither is computed.
    pub ranges: Option<&'a JointRanges>,
    /// Options of the payload capacity; no samples: neither capacity nor accelerations over the ranges.
    pub capacity: CapacityOptions,
    /// A configuration in which accelerations are computed.
    pub pose: Option<Vec<f64>>,
    /// Motors and gears to choose from.
    pub catalogue: Option<&'a Catalogue>,
    /// Maximum ratio of load to rotor inertia of a motor of the catalogue; none: any.
    pub max_inertia_ratio: Option<f64>,
}

/// The result of [`size`].
#[derive(Clone, Debug, Serialize)]
pub struct SizeReport {
    /// The robot.
    pub robot: String,
    /// Its degrees of freedom.
    pub joints: Vec<String>,
    /// Description of the trajectory.
    pub motion: String,
    /// Remarks, such as results omitted for lack of limits.
    pub notes: Vec<String>,
    /// Duration of the trajectory \[s\].
    pub duration: f64,
    /// Number of samples.
    pub samples: usize,
    /// Whether the work was cancelled.
    pub partial: bool,
    /// Loads of the drives.
    pub drives: Vec<DriveLoad>,
    /// Loads of the motors of joints with a known gear ratio.
    pub motors: Vec<MotorLoad>,
    /// Motors and gears of the catalogue.
    pub catalogue: Option<CatalogueRanking>,
    /// Peaks of the joint wrenches.
    pub wrenches: Vec<WrenchPeaks>,
    /// Maximum payload on the trajectory.
    pub payload: Option<TrajectoryPayload>,
    /// A payload above this mass \[kg\], a hundred times that of the robot, says that the motion hardly loads the drives with it.
    #[serde(skip)]
    pub plausible_payload: f64,
    /// Maximum speed scaling of the trajectory.
    pub speed_scaling: Option<SpeedScaling>,
    /// Payload capacity over the workspace.
    pub capacity: Option<CapacityMap>,
    /// Minimum accelerations over the joint ranges.
    pub minimum_accelerations: Option<MinimumAccelerations>,
    /// Accelerations in the configuration of the options.
    pub accelerations: Option<Accelerations>,
    /// Limits of the drives.
    pub limits: DriveLimits,
    /// The trajectory.
    #[serde(skip)]
    pub trajectory: Trajectory,
    /// Torques, one row per sample.
    #[serde(skip)]
    pub torques: Vec<f64>,
}

/// The maximum payload on a trajectory, a point mass.
#[derive(Clone, Debug, Serialize)]
pub struct TrajectoryPayload {
    /// The link.
    pub link: String,
    /// Its centre of mass in the link frame \[m\].
    pub centre: [f64; 3],
    /// The masses that can be carried.
    #[serde(flatten)]
    pub range: PayloadRange,
}

/// Sizes the drives of a robot for a trajectory. Results that lack a limit are omitted.
pub fn size(m: &Model<f64>, trajectory: Trajectory, options: &SizeOptions, progress: &Progress) -> Result<SizeReport> {
    let limits = &options.limits;
    let DriveLoads { drives, torques, samples } = drive_loads(m, &trajectory, limits, progress)?;
    // After a cancellation only results that state their number of samples are kept.
    let complete = || !progress.cancelled();
    let wrenches = wrench_peaks(m, &trajectory, progress)?;
    let motors = motor_loads(m, &trajectory, &torques, progress)?;
    let rank = |c| rank_catalogue(m, &trajectory, c, options.max_inertia_ratio, progress);
    let ranking = options.catalogue.map(rank).transpose()?;
    let limited = limits.any_torque();
    let mut report = SizeReport {
        robot: m.name().to_string(),
        joints: m.dof_names().to_vec(),
        motion: String::new(),
        notes: vec![],
        duration: trajectory.t[samples - 1] - trajectory.t[0],
        samples,
        partial: false,
        drives,
        motors: if complete() { motors } else { vec![] },
        catalogue: ranking.filter(|_| complete()),
        wrenches: if complete() { wrenches } else { vec![] },
        payload: None,
        plausible_payload: 100.0 * m.total_mass(),
        speed_scaling: None,
        capacity: None,
        minimum_accelerations: None,
        accelerations: None,
        limits: limits.clone(),
        torques,
        trajectory,
    };
    if limited || limits.speed.iter().any(|x| x.is_finite()) {
        let scaling = maximum_speed_scaling(m, &report.trajectory, limits, progress)?;
        report.speed_scaling = Some(scaling).filter(|_| complete());
    }
    if let Some(load) = options.load.as_ref().filter(|_| limited) {
        report.load_margins(m, load, options, progress)?;
    }
    report.partial = progress.cancelled();
    Ok(report)
}

impl SizeReport {
    /// Payload and accelerations.
    fn load_margins(
        &mut self,
        m: &Model<f64>,
        load: &UnitPayload,
        options: &SizeOptions,
        progress: &Progress,
    ) -> Result<()> {
        let (limits, &CapacityOptions { samples, seed, .. }) = (&options.limits, &options.capacity);
        let (link, centre) = (load.link, load.per_kilogram.centre());
        let range = payload_on_trajectory(m, &self.trajectory, limits, load, progress)?;
        let payload = TrajectoryPayload { link: m.links()[link].name.clone(), centre: centre.to_array(), range };
        self.payload = Some(payload).filter(|_| !progress.cancelled());
        if let Some(q) = &options.pose {
            self.accelerations = Some(AccelerationData::new(m, limits, (link, centre))?.at(q)?);
        }
        let Some(ranges) = options.ranges.filter(|_| samples > 0 && limits.all_efforts()) else {
            return Ok(());
        };
        let map = capacity_map(m, limits, load, ranges, &options.capacity, progress)?;
        self.capacity = Some(map).filter(|map| map.poses > 0);
        let minimum = minimum_accelerations(m, limits, (link, centre), ranges, (samples, seed), progress)?;
        self.minimum_accelerations = Some(minimum).filter(|minimum| minimum.poses > 0);
        Ok(())
    }

    /// The drives whose effort limit gravity exceeds in a configuration, each with one such configuration. Continuous torques,
    /// which a drive may exceed for a time, and the accelerations of a payload map matter for the capacity only.
    pub fn cannot_hold(&self) -> Vec<&CannotHold> {
        let at_pose = self.accelerations.iter().flat_map(|a| &a.cannot_hold);
        let sampled = self.minimum_accelerations.iter().flat_map(|a| &a.cannot_hold);
        let unloaded = self.capacity.iter().flat_map(|c| &c.worst.cannot_hold);
        let mut all: Vec<&CannotHold> = vec![];
        for found in
            at_pose.chain(sampled).chain(unloaded).filter(|found| found.kind == Limit::Effort && !found.accelerates)
        {
            if !all.iter().any(|a| a.joint == found.joint) {
                all.push(found);
            }
        }
        all
    }

    /// Whether a drive exceeds one of its limits or cannot hold the robot, or no motor and gear of the catalogue fits a joint.
    pub fn exceeds_limits(&self) -> bool {
        let unfit = self.catalogue.iter().flat_map(|c| &c.joints).any(|j| j.fitting == 0);
        unfit || !self.cannot_hold().is_empty() || self.drives.iter().any(|d| !d.exceeded.is_empty())
    }

    /// The joints without a limit, for each kind of limit that is not known for all.
    pub fn missing_limits(&self) -> Vec<(Limit, Vec<String>)> {
        self.limits.missing(&self.joints).into_iter().filter(|(_, joints)| !joints.is_empty()).collect()
    }
}
