//! Pick and place: inverse kinematics of the grasps, the fastest motion between them, and what it asks of the drives.
//!
//! cargo run -p armdyn --features motion --example pick_and_place

use armdyn::design::{DriveLimits, drive_loads};
use armdyn::motion::trajectory::{MotionLimits, TimeOptimalOptions, Waypoints, geometric_path, sample, time_optimal};
use armdyn::motion::{IkOptions, InverseKinematics, Target};
use armdyn::numerics::ContinuousTrajectory;
use armdyn::{Inertia, Progress, Rotation, Transform, vec3};
use std::f64::consts::PI;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let empty = armdyn::load("panda")?;
    let tool = empty.tool()?;
    let model = empty.with_payload("part", tool.link, Inertia::point(1.0, vec3(0.0, 0.0, 0.0)), tool.pose)?;

    // The gripper points down at three places: pick, above both, place.
    let places = [vec3(0.5, -0.3, 0.2), vec3(0.5, 0.0, 0.5), vec3(0.4, 0.4, 0.2)];
    let mut ik = InverseKinematics::new(&model, None, IkOptions::default())?;
    let mut q = vec![0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.8];
    let mut waypoints = vec![];
    for place in places {
        let target = Target::Pose(Transform::new(Rotation::rpy(PI, 0.0, 0.0), place));
        let start = q.clone();
        let report = ik.solve(&model, &target, &start, &mut q)?;
        assert!(report.solved, "{place:?} is {} m away", report.position_error);
        waypoints.extend_from_slice(&q);
    }

    // As fast as speeds and efforts allow; robot files have no limit of acceleration.
    let limits = MotionLimits { acceleration: vec![15.0; 7], ..MotionLimits::of(&model) };
    let path = geometric_path(&Waypoints::new(7, waypoints)?, &limits)?;
    let motion = time_optimal(&model, &path, &limits, &TimeOptimalOptions::default())?;
    println!("{:.3} s from pick to place\n", motion.duration());

    let trajectory = sample(&motion, 7, 1000.0)?;
    let loads = drive_loads(&model, &trajectory, &DriveLimits::of(&model), &Progress::none())?;
    println!("{:14} {:>12} {:>12} {:>14}", "joint", "peak [N m]", "RMS [N m]", "of its limit");
    for drive in &loads.drives {
        let used = drive.effort_utilization.unwrap_or(f64::NAN);
        println!("{:14} {:>12.2} {:>12.2} {:>12.0} %", drive.joint, drive.peak.value, drive.rms, 100.0 * used);
        assert!(used <= 1.001, "within the effort limits");
    }
    Ok(())
}
