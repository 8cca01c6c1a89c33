//! Trajectories of whole robots against brute force and closed forms.

use crate::dh::{self, standard, transform};
use armdyn_core::{EffortRange, Friction, Model, Progress, SplitMix64, Transform, vec3};
use armdyn_motion::trajectory::{
    CheckReport, ExcitationOptions, MotionLimits, SpeedProfile, SplineEnds, TimeOptimalOptions, TimeScaled, Waypoints,
    check, cubic_spline, excitation, geometric_path, maximum_speed_scaling, quintic_spline, spline_within_limits,
    straight_moves, time_optimal,
};
use armdyn_motion::{CartesianPath, PathOptions, ToolPath};
use armdyn_numerics::{ContinuousTrajectory, Limit};
use armdyn_testkit::bundled;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// Random waypoints within 80 % of the position ranges.
fn random_waypoints(m: &Model<f64>, limits: &MotionLimits, count: usize, seed: u64) -> Waypoints {
    let mut random = SplitMix64(seed);
    let n = m.nv();
    let one = |k: usize| {
        let (a, b) = limits.position[k % n];
        0.5 * (a + b) + 0.4 * (b - a) * random.within(1.0)
    };
    Waypoints::new(n, (0..count * n).map(one).collect()).unwrap()
}

/// The largest utilization of each kind of limit over `count` equally spaced instants, torques by inverse dynamics; and the
/// fraction of the instants at which one of them is above 99 %.
fn utilization(
    m: &Model<f64>,
    trajectory: &dyn ContinuousTrajectory,
    limits: &MotionLimits,
    count: usize,
) -> ([f64; 3], f64) {
    let n = m.nv();
    let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; n]);
    let (mut all, mut active) = ([0.0_f64; 3], 0);
    for k in 0..count {
        trajectory.at(trajectory.duration() * (k as f64 + 0.5) / count as f64, &mut q, &mut qd, &mut qdd);
        let tau = m.inverse_dynamics(&q, &qd, &qdd).unwrap();
        let mut here = [0.0_f64; 3];
        for i in 0..n {
            here[0] = here[0].max(qd[i].abs() / limits.drive.speed[i]);
            here[1] = here[1].max(qdd[i].abs() / limits.acceleration[i]);
            let effort = limits.drive.effort[i];
            here[2] = here[2].max(1.0 + (tau[i] - effort.upper).max(effort.lower - tau[i]) / effort.half_width());
        }
        active += usize::from(here.iter().any(|x| *x > 0.99));
        (0..3).for_each(|i| all[i] = all[i].max(here[i]));
    }
    (all, active as f64 / count as f64)
}

/// Panda, all limits: none is exceeded at four times the grid, and one of them is active nearly always. Where none is, s̈ is constant within a
/// grid interval in which the active limit changes, or in which the s̈ that a limit allows does; such intervals are divided first.
#[test]
fn time_optimal_motion_of_panda_uses_its_limits_and_keeps_them() {
    let m = bundled("panda");
    for seed in 0..10 {
        let mut limits = MotionLimits::of(&m);
        limits.acceleration = vec![15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0];
        if seed % 2 == 1 {
            // Torques alone, not symmetric.
            limits.acceleration.fill(1e6);
            limits
                .drive
                .effort
                .iter_mut()
                .for_each(|e| *e = EffortRange { lower: 0.9 * e.lower, upper: 0.8 * e.upper });
        }
        let path = geometric_path(&random_waypoints(&m, &limits, 6, seed), &limits).unwrap();
        let motion = time_optimal(&m, &path, &limits, &TimeOptimalOptions::default()).unwrap();
        let (used, active) = utilization(&m, &motion, &limits, 4000);
        println!("{seed}: {} s, {used:?}, {active}", motion.duration());
        assert!(used.iter().all(|u| *u < 1.0 + 1e-6), "{seed}: {used:?}");
        assert!(active > 0.998, "{seed}: {active}");
    }
}

/// A slider of 2 kg along x without gravity in that direction, its drive with friction.
fn slider(friction: Friction<f64>, effort: EffortRange) -> Model<f64> {
    use armdyn_core::{BASE, Drive, Joint, Limits, Link, ModelBuilder};
    let mut robot = ModelBuilder::new("slider");
    let limits = Limits { effort, lower: -10.0, upper: 10.0, ..Limits::NONE };
    let drive = Drive { friction, limits, ..Drive::ideal() };
    robot.add(
        BASE,
        Joint::prismatic("x", [1.0, 0.0, 0.0]).driven_by(drive),
        Link::new("car").body(2.0, [0.0; 3], [0.0; 6]),
    );
    robot.build().unwrap()
}

fn fastest(m: &Model<f64>, limits: &MotionLimits, q: Vec<f64>) -> Box<dyn ContinuousTrajectory> {
    let path = geometric_path(&Waypoints::new(m.nv(), q).unwrap(), limits).unwrap();
    Box::new(time_optimal(m, &path, limits, &TimeOptimalOptions::default()).unwrap())
}

/// Bang-bang: 3 m at ±(6 ∓ …) N and 2 kg; with a speed limit, a trapezoid.
#[test]
fn time_optimal_moves_have_their_closed_forms() {
    let m = slider(Friction::none(), EffortRange { lower: -2.0, upper: 6.0 });
    let mut limits = MotionLimits::of(&m);
    // 3 m/s² up to v, 1 m/s² down: v²/6 + v²/2 = 3, v = √4.5, T = v/3 + v.
    let v = 4.5f64.sqrt();
    let found = fastest(&m, &limits, vec![0.0, 3.0]).duration();
    // The margin of the limits, 2e-4: half of it in the time of an acceleration, all of it at constant speed.
    assert!((found / (v / 3.0 + v) - 1.0).abs() < 2e-4, "{found}");
    limits.drive.speed = vec![1.5];
    // Ramps of 0.5 s and 1.5 s cover 0.375 m and 1.125 m, the rest takes 1 s.
    let found = fastest(&m, &limits, vec![0.0, 3.0]).duration();
    assert!((found / 3.0 - 1.0).abs() < 2e-4, "{found}");
    limits.acceleration = vec![1.0];
    let found = fastest(&m, &limits, vec![0.0, 3.0]).duration();
    assert!((found / 3.5 - 1.0).abs() < 2e-4, "{found}");
}

/// With viscous, Coulomb and Stribeck friction, against the integration of full forward and full backward effort in time: friction brakes, so that
/// the motion accelerates longer than it brakes.
#[test]
fn time_optimal_motion_with_friction_is_bang_bang() {
    let base = Friction { viscous: 1.5, coulomb_forward: 0.5, coulomb_backward: 0.7, ..Friction::none() };
    let m = slider(base, 6.0.into());
    let limits = MotionLimits::of(&m);
    for (distance, coulomb) in [(3.0, 0.5), (-3.0, 0.7)] {
        let found = fastest(&m, &limits, vec![0.0, distance]);
        // 2 v̇ = ±6 − 0.5 − 1.5 v: accelerating from 0, and braking to 0 backward in time, meet where the distances add up to 3 m.
        let h = 1e-5;
        let (mut v, mut x, mut t) = (0.0_f64, 0.0, 0.0);
        let (mut w, mut y, mut s) = (0.0_f64, 0.0, 0.0);
        while x + y < 3.0 {
            if v <= w {
                let (a, middle) = ((6.0 - coulomb - 1.5 * v) / 2.0, v + h / 2.0 * (6.0 - coulomb - 1.5 * v) / 2.0);
                (x, v, t) = (x + h * (v + h * a / 2.0), v + h * (6.0 - coulomb - 1.5 * middle) / 2.0, t + h);
            } else {
                let (a, middle) = ((6.0 + coulomb + 1.5 * w) / 2.0, w + h / 2.0 * (6.0 + coulomb + 1.5 * w) / 2.0);
                (y, w, s) = (y + h * (w + h * a / 2.0), w + h * (6.0 + coulomb + 1.5 * middle) / 2.0, s + h);
            }
        }
        let duration = found.duration();
        // The tolerance of the limits, 2e-4, and the change of friction within a step.
        assert!((duration / (t + s) - 1.0).abs() < 1e-3, "{duration} for {}", t + s);
        assert!(utilization(&m, found.as_ref(), &limits, 20_000).0[2] < 1.0 + 1e-6);
    }
    // Stribeck friction counts in full: slower than without, never beyond the effort.
    let sticky = slider(Friction { stribeck: 0.4, stribeck_speed: 0.1, ..base }, 6.0.into());
    let slow = fastest(&sticky, &MotionLimits::of(&sticky), vec![0.0, 3.0]);
    assert!(slow.duration() > fastest(&m, &limits, vec![0.0, 3.0]).duration());
    assert!(utilization(&sticky, slow.as_ref(), &limits, 20_000).0[2] < 1.0 + 1e-6);
}

/// A joint that reverses on the path has Coulomb friction of both signs.
#[test]
fn time_optimal_motion_with_reversals_and_friction_keeps_efforts() {
    let m = bundled("puma560");
    let mut limits = MotionLimits::of(&m);
    limits.drive.speed = vec![3.0; 6];
    limits.drive.effort = [300.0, 300.0, 150.0, 30.0, 30.0, 30.0].map(EffortRange::from).to_vec();
    limits.acceleration.fill(1e9);
    for seed in 0..3 {
        limits.position = vec![(-1.0, 1.0); 6];
        let path = geometric_path(&random_waypoints(&m, &limits, 5, seed), &limits).unwrap();
        let motion = time_optimal(&m, &path, &limits, &TimeOptimalOptions::default()).unwrap();
        let (used, active) = utilization(&m, &motion, &limits, 10_000);
        assert!(used.iter().all(|u| *u < 1.001) && active > 0.95, "{seed}: {used:?} {active}");
    }
}

/// With jerk limits: all limits are kept, jerks by differences of accelerations.
#[test]
fn jerk_limits_are_kept() {
    let m = bundled("panda");
    let mut limits = MotionLimits::of(&m);
    limits.acceleration = vec![15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0];
    limits.jerk = vec![150.0; 7];
    for seed in 0..2 {
        let path = geometric_path(&random_waypoints(&m, &limits, 4, seed), &limits).unwrap();
        let motion = time_optimal(&m, &path, &limits, &TimeOptimalOptions::default()).unwrap();
        let used = utilization(&m, &motion, &limits, 4000).0;
        assert!(used.iter().all(|u| *u < 1.001), "{used:?}");
        let (h, count) = (1e-5, 5000);
        let at = |t: f64| {
            let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; 7]);
            motion.at(t, &mut q, &mut qd, &mut qdd);
            qdd
        };
        let mut largest = 0.0_f64;
        for k in 1..count {
            let t = motion.duration() * k as f64 / count as f64;
            at(t + h).iter().zip(at(t - h)).for_each(|(b, a)| largest = largest.max((b - a).abs() / (2.0 * h)));
        }
        assert!(largest < 150.0 * 1.001 && largest > 140.0, "{largest}");
        let free = MotionLimits { jerk: vec![f64::INFINITY; 7], ..limits.clone() };
        let unlimited = time_optimal(&m, &path, &free, &TimeOptimalOptions::default()).unwrap().duration();
        println!("{seed}: {} s with jerk limits, {unlimited} s without", motion.duration());
        assert!(motion.duration() > unlimited);
    }
}

#[test]
fn infeasible_paths_name_the_joint() {
    let m = bundled("panda");
    let mut limits = MotionLimits::of(&m);
    limits.drive.effort[1] = 5.0.into();
    let q = vec![0.0, 1.0, 0.0, -1.0, 0.0, 1.5, 0.0, 0.5, 1.2, 0.0, -1.0, 0.0, 1.5, 0.0];
    let path = geometric_path(&Waypoints::new(7, q).unwrap(), &limits).unwrap();
    let error = time_optimal(&m, &path, &limits, &TimeOptimalOptions::default()).unwrap_err().to_string();
    assert!(error.contains("effort limit of `panda_joint2`") && error.contains("waypoints 1 and 2"), "{error}");
}

fn report(m: &Model<f64>, trajectory: &dyn ContinuousTrajectory, limits: &MotionLimits) -> CheckReport {
    check(m, trajectory, limits, m.tool().ok().as_ref()).unwrap()
}

/// Each limit in turn just below the peak of a cubic move from rest to rest: 3/2 of the mean speed in the middle, 6 Δ/T² at the ends.
#[test]
fn every_exceeded_limit_is_reported_with_joint_and_instant() {
    let m = bundled("lin-rr");
    let waypoints = Waypoints::new(2, vec![0.0, 0.5, 1.0, 0.5]).unwrap();
    let cubic = cubic_spline(&waypoints, &[0.0, 2.0], &SplineEnds::Rest).unwrap();
    let mut none = MotionLimits::of(&m);
    none.position = vec![(-9.0, 9.0); 2];
    none.drive.speed.fill(f64::INFINITY);
    none.drive.effort.fill(EffortRange::UNLIMITED);
    none.drive.continuous.fill(f64::INFINITY);
    let free = report(&m, &cubic, &none);
    assert!(free.violations.is_empty() && free.duration == 2.0, "{:?}", free.violations);
    let joint = &free.joints[0];
    // Extremes between samples: (1e-3)² of the second derivative.
    assert!((joint.speed.value - 0.75).abs() < 1e-6 && (joint.speed.t - 1.0).abs() < 2e-3);
    assert!((joint.acceleration.value.abs() - 1.5).abs() < 1e-8);
    assert!((joint.jerk.value + 1.5).abs() < 1e-6 && (joint.maximum.value - 1.0).abs() < 1e-8);
    let one = |change: &dyn Fn(&mut MotionLimits)| {
        let mut limits = none.clone();
        change(&mut limits);
        let found = report(&m, &cubic, &limits).violations;
        assert_eq!(found.len(), 1, "{found:?}");
        (found[0].limit, found[0].joint.clone(), found[0].t)
    };
    let (limit, joint, t) = one(&|l| l.drive.speed[0] = 0.74);
    assert!(limit == Limit::Speed && joint == "theta1" && (t.unwrap() - 1.0).abs() < 2e-3);
    let (limit, _, t) = one(&|l| l.position[0].1 = 0.99);
    assert!(limit == Limit::Position && (t.unwrap() - 2.0).abs() < 1e-6);
    assert_eq!(one(&|l| l.position[1].0 = 0.51).1, "theta2");
    assert_eq!(one(&|l| l.acceleration[0] = 1.49).0, Limit::Acceleration);
    assert_eq!(one(&|l| l.jerk[0] = 1.49).0, Limit::Jerk);
    let peak = free.joints[0].effort.value.abs();
    assert_eq!(one(&|l| l.drive.effort[0] = (0.999 * peak).into()).0, Limit::Effort);
    let rms = free.joints[1].rms_effort;
    let (limit, joint, t) = one(&|l| l.drive.continuous[1] = 0.999 * rms);
    assert_eq!((limit, joint.as_str(), t), (Limit::Continuous, "theta2", None));
}

/// A planar arm with links of 0.6 and 0.4 m is singular where it is stretched; jumps of the acceleration are infinite jerks.
#[test]
fn singularities_and_jumps_are_found() {
    let m = bundled("lin-rr");
    let mut limits = MotionLimits::of(&m);
    limits.position = vec![(-9.0, 9.0); 2];
    limits.acceleration = vec![2.0; 2];
    let through = Waypoints::new(2, vec![0.0, -1.0, 0.0, 1.0]).unwrap();
    let moves = straight_moves(&m, &through, &limits, SpeedProfile::Trapezoidal).unwrap();
    let report = report(&m, &moves, &limits);
    let near = report.singularity.unwrap();
    // Stretched in the middle: the Jacobian of position and rotation keeps rank 2, with columns (0, 1, 1) and (0, 0.4, 1).
    let (a, b, c) = (2.0_f64, 1.16_f64, 1.4_f64);
    let smallest = (((a + b) - ((a - b).powi(2) + 4.0 * c * c).sqrt()) / 2.0).sqrt();
    assert!((near.singular_value - smallest).abs() < 1e-5, "{} for {smallest}", near.singular_value);
    assert!((near.t - moves.duration() / 2.0).abs() < 2e-3 * moves.duration() && near.q[1].abs() < 1e-2);
    assert!(report.joints[1].jerk.value.is_infinite());
    // Its right singular vector is (c, smallest² − a): the elbow moves most.
    assert_eq!(near.joints, ["theta2", "theta1"]);
    assert_eq!(near.joint_list(), "joints `theta2` and `theta1`");
}

/// With wrist 2 at 0, the axes of wrist 1 and wrist 3 are parallel to those of shoulder and elbow: four parallel axes move the tool in a plane, with
/// three degrees of freedom.
#[test]
fn an_aligned_wrist_is_named() {
    let m = bundled("ur5e");
    let mut limits = MotionLimits::of(&m);
    limits.acceleration.fill(5.0);
    let q = vec![0.0, -1.0, 1.0, 0.0, -0.5, 0.0, 0.0, -1.0, 1.0, 0.0, 0.5, 0.0];
    let motion = spline_within_limits(&m, &Waypoints::new(6, q).unwrap(), &limits, quintic_spline).unwrap();
    let near = report(&m, &motion, &limits).singularity.unwrap();
    assert!(near.singular_value < 2e-3 && near.q[4].abs() < 2e-3, "{near:?}");
    let named = |joint: &str| near.joints.iter().any(|j| j == joint);
    assert!(named("wrist_1_joint") && named("wrist_3_joint"), "{near:?}");
    assert!(!named("wrist_2_joint") && !named("shoulder_pan_joint"), "{near:?}");
}

/// Uniform scaling reaches exactly one limit; times from limits do so for splines.
#[test]
fn time_scaling_reaches_a_limit() {
    let m = bundled("panda");
    let mut limits = MotionLimits::of(&m);
    limits.acceleration.fill(6.0);
    limits.jerk.fill(60.0);
    let waypoints = random_waypoints(&m, &limits, 5, 3);
    let motion = spline_within_limits(&m, &waypoints, &limits, quintic_spline).unwrap();
    let found = report(&m, &motion, &limits);
    assert!(found.violations.is_empty(), "{:?}", found.violations);
    let again = maximum_speed_scaling(&m, &motion, &limits, true).unwrap();
    assert!((again.factor.unwrap() - 1.0).abs() < 1e-3 && again.limited_by.is_some(), "{again:?}");
    // Twice as far in the same time needs twice the speed: half of the scaling by speed alone.
    let by_speed = |distance: f64| {
        let m = bundled("lin-rr");
        let mut limits = MotionLimits::of(&m);
        limits.position = vec![(-9.0, 9.0); 2];
        limits.drive.speed = vec![1.5, f64::INFINITY];
        let waypoints = Waypoints::new(2, vec![0.0, 0.0, distance, 0.0]).unwrap();
        let cubic = cubic_spline(&waypoints, &[0.0, 1.0], &SplineEnds::Rest).unwrap();
        maximum_speed_scaling(&m, &cubic, &limits, false).unwrap().factor.unwrap()
    };
    // The peak speed is 1.5 rad/s for 1 rad in 1 s.
    assert!((by_speed(1.0) - 1.0).abs() < 1e-6 && (by_speed(2.0) - 0.5).abs() < 1e-6);
}

/// Waypoints that divide a straight move add no time to it beyond what the spline through them needs to follow its time law.
#[test]
fn waypoints_along_a_straight_move_hardly_lengthen_it() {
    let m = bundled("panda");
    let (from, to) = ([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.0], [1.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0]);
    let divided = |count: usize| {
        let one = |k: usize| (0..7).map(move |i| from[i] + (to[i] - from[i]) * k as f64 / (count - 1) as f64);
        Waypoints::new(7, (0..count).flat_map(one).collect()).unwrap()
    };
    for jerk in [f64::INFINITY, 100.0] {
        let mut limits = MotionLimits::of(&m);
        limits.acceleration.fill(5.0);
        limits.jerk.fill(jerk);
        for spline in [cubic_spline, quintic_spline] {
            let duration = |count: usize| {
                let motion = spline_within_limits(&m, &divided(count), &limits, spline).unwrap();
                let found = report(&m, &motion, &limits);
                assert!(found.violations.is_empty(), "{count}: {:?}", found.violations);
                found.duration
            };
            let two = duration(2);
            for count in [3, 5, 11, 41, 200] {
                let many = duration(count);
                println!("{count} waypoints, jerk {jerk}: {many} s for {two} s");
                assert!(many < 1.3 * two, "{count} waypoints, jerk {jerk}: {many} s for {two} s");
            }
        }
    }
}

/// The tool of a UR10e along a line, 5 mm from configuration to configuration: splines are not much longer than the time-optimal motion, with jerk limits too, and the tool
/// stays on the line between the configurations, by Denavit–Hartenberg matrices.
#[test]
fn splines_along_a_line_of_the_tool_are_fast_and_straight() {
    let m = bundled("ur10e");
    let tool = |q: &[f64]| transform(&standard(&dh::UR10E, q));
    let start = [0.0, -1.2, 1.8, -2.1, -1.5, 0.0];
    let (from, to) = (tool(&start), Transform::new(tool(&start).rotation, vec3(-0.7, 0.1, 0.5)));
    let path = CartesianPath::follow(&m, None, &ToolPath::line(from, to), &start, &PathOptions::default()).unwrap();
    let waypoints = Waypoints::new(6, path.q.concat()).unwrap();
    let mut limits = MotionLimits::of(&m);
    limits.acceleration.fill(10.0);
    let fastest = |limits: &MotionLimits| {
        let path = geometric_path(&waypoints, limits).unwrap();
        time_optimal(&m, &path, limits, &TimeOptimalOptions::default()).unwrap().duration()
    };
    for jerk in [f64::INFINITY, 100.0] {
        limits.jerk.fill(jerk);
        let shortest = fastest(&limits);
        for spline in [cubic_spline, quintic_spline] {
            let motion = spline_within_limits(&m, &waypoints, &limits, spline).unwrap();
            let found = report(&m, &motion, &limits);
            assert!(found.violations.is_empty(), "{:?}", found.violations);
            let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; 6]);
            let mut beside = 0.0_f64;
            for k in 0..=2000 {
                motion.at(found.duration * f64::from(k) / 2000.0, &mut q, &mut qd, &mut qdd);
                let (point, along) = (tool(&q).translation, to.translation - from.translation);
                beside = beside.max(along.cross(point - from.translation).norm() / along.norm());
            }
            println!("jerk {jerk}: {} s for {shortest} s, {beside:e} m from the line", found.duration);
            assert!(found.duration < 1.3 * shortest, "jerk {jerk}: {} s for {shortest} s", found.duration);
            assert!(beside < 1e-5, "jerk {jerk}: {beside} m");
        }
    }
}

/// Through random waypoints no spline is longer than the one with times proportional to the chord lengths.
#[test]
fn splines_are_not_longer_than_at_constant_path_speed() {
    let m = bundled("panda");
    let mut limits = MotionLimits::of(&m);
    limits.acceleration.fill(6.0);
    for (seed, count) in [(1, 3), (2, 4), (3, 6), (4, 12), (5, 30)] {
        let waypoints = random_waypoints(&m, &limits, count, seed);
        let times = waypoints.chord_parameters(&limits.drive.speed).unwrap();
        for spline in [cubic_spline, quintic_spline] {
            let constant = spline(&waypoints, &times, &SplineEnds::Rest).unwrap();
            let factor = maximum_speed_scaling(&m, &constant, &limits, true).unwrap().factor.unwrap();
            let by_chords = TimeScaled { trajectory: constant, factor };
            let is_within = |t: &dyn ContinuousTrajectory| report(&m, t, &limits).violations.is_empty();
            let found = spline_within_limits(&m, &waypoints, &limits, spline).unwrap();
            println!("{count} waypoints: {} s for {} s", found.duration(), by_chords.duration());
            assert!(is_within(&found) || !is_within(&by_chords), "{count} waypoints");
            assert!(found.duration() <= by_chords.duration() || !is_within(&by_chords), "{count} waypoints");
        }
    }
}

/// An excitation is within all limits, at rest at both ends, the same for a seed, and better conditioned than the first candidate.
#[test]
fn excitations_are_within_limits_and_reproducible() {
    let m = bundled("ur5e");
    let mut limits = MotionLimits::of(&m);
    limits.acceleration.fill(4.0);
    let options = ExcitationOptions { candidates: 12, duration: 8.0, ..ExcitationOptions::default() };
    let excitation =
        |limits: &MotionLimits, options: &ExcitationOptions| excitation(&m, limits, options, &Progress::none());
    let best = excitation(&limits, &options).unwrap();
    assert!(!best.partial && best.candidates == 12);
    let free = MotionLimits {
        drive: armdyn_design::DriveLimits { continuous: vec![f64::INFINITY; 6], ..limits.drive.clone() },
        ..limits.clone()
    };
    let found = report(&m, &best.series, &free);
    assert!(found.violations.is_empty() && found.duration == 8.0, "{:?}", found.violations);
    for t in [0.0, 8.0] {
        let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; 6]);
        best.series.at(t, &mut q, &mut qd, &mut qdd);
        assert!(qd.iter().chain(&qdd).all(|x| x.abs() < 1e-12));
    }
    assert_eq!(best, excitation(&limits, &options).unwrap());
    let one = excitation(&limits, &ExcitationOptions { candidates: 1, ..options });
    assert!(one.is_err() || one.unwrap().condition >= best.condition);
    // Gautier & Khalil: a general arm with six revolute joints has 36 + 4 … base parameters; rotors add one per joint at most.
    assert!((30..=60).contains(&best.base_parameters), "{}", best.base_parameters);
    let tight = MotionLimits {
        drive: armdyn_design::DriveLimits { effort: vec![0.1.into(); 6], ..limits.drive.clone() },
        ..limits
    };
    assert!(excitation(&tight, &options).unwrap_err().to_string().contains("effort"));
}

/// Cancelled, the search has the best of the candidates so far, within all limits; without any there is an error.
#[test]
fn a_cancelled_search_has_its_best_excitation() {
    let m = bundled("ur5e");
    let mut limits = MotionLimits::of(&m);
    limits.acceleration.fill(4.0);
    limits.drive.continuous.fill(f64::INFINITY);
    let after = |count: usize, candidates: usize| {
        let (cancel, calls) = (AtomicBool::new(false), AtomicUsize::new(0));
        let callback = |_: &str, _: f64| {
            // Reported before each candidate.
            if calls.fetch_add(1, Relaxed) + 1 >= count {
                cancel.store(true, Relaxed);
            }
        };
        let options = ExcitationOptions { candidates, duration: 8.0, ..ExcitationOptions::default() };
        excitation(&m, &limits, &options, &Progress { callback: &callback, cancel: &cancel })
    };
    let found = after(12, 500_000).unwrap();
    assert!(found.partial && found.candidates == 12, "{found:?}");
    assert!(report(&m, &found.series, &limits).violations.is_empty());
    // The first half of the candidates does not depend on their number.
    assert_eq!(found, after(12, 100).unwrap());
    assert!(found.condition <= after(6, 500_000).unwrap().condition);
    let cancelled = AtomicBool::new(true);
    let none = Progress { callback: &|_, _| {}, cancel: &cancelled };
    let error = excitation(&m, &limits, &ExcitationOptions::default(), &none).unwrap_err().to_string();
    assert!(error.contains("cancelled after 0 of 200"), "{error}");
}
