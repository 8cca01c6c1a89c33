//! Trajectories of whole robots against brute force and closed forms.

use armdyn_core::{EffortRange, Friction, Model, SplitMix64};
use armdyn_motion::trajectory::{
    CheckReport, ExcitationOptions, MotionLimits, SpeedProfile, SplineEnds, TimeOptimalOptions, Waypoints, check,
    cubic_spline, excitation, geometric_path, maximum_speed_scaling, quintic_spline, spline_within_limits,
    straight_moves, time_optimal,
};
use armdyn_numerics::{ContinuousTrajectory, Limit};
use armdyn_testkit::bundled;

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

/// Panda with 2 kg, all limits: none is exceeded by more than 0.1 % at ten times the grid, and one of them is active nearly always.
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
        assert!(used.iter().all(|u| *u < 1.001), "{seed}: {used:?}");
        assert!(active > 0.98, "{seed}: {active}");
    }
}
