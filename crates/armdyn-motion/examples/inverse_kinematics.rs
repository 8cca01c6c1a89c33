//! Inverse kinematics of 10,000 random reachable poses of each robot: fraction solved, errors, time of a solution.
//!
//! The poses are those of random configurations within the joint limits; the start is another random configuration.
//!
//!   cargo run --release -p armdyn-motion --example inverse_kinematics -- panda ur10e
//!
//! `--position`: positions only; `--no-centring`: redundant arms do not move to mid-range; `--numerical`: no closed form;
//! `--export DIR`: write robot and configurations for the peers' script (`benches/ik`).

use armdyn_core::{Model, SplitMix64, Transform};
use armdyn_motion::{IkOptions, InverseKinematics, Target};
use std::fmt::Write;
use std::time::Instant;

const POSES: usize = 10_000;

/// A configuration whose pose is to be reached, and one to start from.
type Case = (Vec<f64>, Vec<f64>);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| names.iter().position(|n| n == name).map(|k| names.remove(k)).is_some();
    let (position, centring, analytic) = (flag("--position"), !flag("--no-centring"), !flag("--numerical"));
    let export =
        names.iter().position(|n| n == "--export").map(|k| names.drain(k..k + 2).next_back().unwrap_or_default());
    if names.is_empty() {
        names = ["panda", "ur10e"].map(String::from).to_vec();
    }
    println!("robot     solved      max error  median µs    mean     99 %     max  iterations  starts  max starts");
    for name in &names {
        let model = armdyn_import::load_model(name)?;
        let options = IkOptions { centring, analytic, ..IkOptions::default() };
        let cases = cases(&model)?;
        if let Some(folder) = &export {
            std::fs::create_dir_all(folder)?;
            let mut text = String::new();
            for (q, start) in &cases {
                let row: Vec<String> = q.iter().chain(start).map(f64::to_string).collect();
                writeln!(text, "{}", row.join(","))?;
            }
            std::fs::write(format!("{folder}/{name}.csv"), text)?;
            let robot = armdyn_import::find(name.as_ref(), &armdyn_import::Options::default())?;
            let description = robot.description.ok_or("the robot has errors")?;
            std::fs::write(format!("{folder}/{name}.urdf"), armdyn_import::to_urdf(&description)?.0)?;
        }
        measure(name, &model, options, &cases, position)?;
    }
    Ok(())
}

fn cases(m: &Model<f64>) -> Result<Vec<Case>, armdyn_core::Error> {
    let mut random = SplitMix64(2026);
    let mut one = || {
        let mut q = vec![0.0; m.nq()];
        m.random(|| random.unit(), &mut q).map(|()| q)
    };
    (0..POSES).map(|_| Ok((one()?, one()?))).collect()
}

/// The pose of the tool.
fn pose(m: &Model<f64>, q: &[f64]) -> Result<Transform<f64>, armdyn_core::Error> {
    let tool = m.tool()?;
    let mut data = armdyn_core::KinematicsData::new(m);
    armdyn_core::kinematics(m, &mut data, q)?;
    data.frame_pose(m, tool.link, Some(&tool.pose))
}

fn measure(
    name: &str,
    m: &Model<f64>,
    options: IkOptions,
    cases: &[Case],
    position: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut ik = InverseKinematics::new(m, None, options)?;
    let mut q = vec![0.0; m.nq()];
    let (mut times, mut solved, mut largest) = (vec![], 0, 0.0_f64);
    let (mut iterations, mut starts, mut most) = (0, 0, 0);
    for (goal, start) in cases {
        let goal = pose(m, goal)?;
        let target = if position { Target::Position(goal.translation) } else { Target::Pose(goal) };
        let clock = Instant::now();
        let report = ik.solve(m, &target, start, &mut q)?;
        times.push(clock.elapsed().as_secs_f64() * 1e6);
        iterations += report.iterations;
        starts += report.starts;
        most = most.max(report.starts);
        // Checked outside the solver: within limits, at the pose.
        let inside = q.iter().zip(m.limits()).all(|(q, l)| (l.lower..=l.upper).contains(q));
        let reached = pose(m, &q)?;
        let distance = (reached.translation - goal.translation).norm();
        let [x, y, z, _] = goal.rotation.compose(&reached.rotation.inverse()).to_quaternion();
        let angle = if position { 0.0 } else { 2.0 * (x * x + y * y + z * z).sqrt().min(1.0).asin() };
        if inside && distance < 1e-9 && angle < 1e-9 {
            solved += 1;
            largest = largest.max(distance).max(angle);
        }
    }
    times.sort_by(f64::total_cmp);
    let n = cases.len();
    let mean = times.iter().sum::<f64>() / n as f64;
    let [iterations, starts] = [iterations, starts].map(|x: usize| x as f64 / n as f64);
    println!(
        "{name:8} {:6.2} %  {largest:12.1e}  {:9.1} {mean:7.1}  {:7.1} {:7.0}  {iterations:10.1}  {starts:6.2}  {most:10}",
        100.0 * solved as f64 / n as f64,
        times[n / 2],
        times[n * 99 / 100],
        times[n - 1],
    );
    Ok(())
}
