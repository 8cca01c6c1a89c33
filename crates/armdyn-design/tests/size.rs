//! Sizing against closed forms, the core at random states, and consistency of its results.

use armdyn_core::{
    BASE, Catalogue, Drive, EffortRange, EnergyData, Force, Gear, Inertia, Joint, Limits, Link, Model, ModelBuilder,
    Motor, OperatingLimit, Progress, RneaData, Transform, UnitPayload, energy, rnea, vec3,
};
use armdyn_design::{
    AccelerationData, CapacityOptions, DriveLimits, MoveOptions, Profile, StaticPayload, capacity_map, drive_loads,
    joint_frame, maximum_speed_scaling, minimum_accelerations, motor_loads, payload_on_trajectory, random_moves,
    rank_catalogue, scaled_torques, wrench_peaks,
};
use armdyn_numerics::{JointRanges, Limit, Plane, Trajectory};
use armdyn_testkit::bundled;
use std::f64::consts::PI;

const G: f64 = 9.81;

/// A point of 2 kg at 0.5 m from a level axis; gravity along −y.
fn pendulum(drive: Drive) -> Model<f64> {
    let mut b = ModelBuilder::new("pendulum");
    b.gravity([0.0, -G, 0.0]);
    let swing = Joint::revolute("swing", [0.0, 0.0, 1.0]).driven_by(drive);
    b.add(BASE, swing, Link::new("arm").body(2.0, [0.5, 0.0, 0.0], [0.0; 6]));
    b.build().unwrap()
}

fn limited(effort: f64, speed: f64, continuous: f64) -> Drive {
    Drive::ideal().limits(Limits { effort: effort.into(), speed, continuous, ..Limits::NONE })
}

/// From 0 to π in 2 s by the quintic.
fn swing(count: usize) -> Trajectory {
    let u = |k: usize| k as f64 / (count - 1) as f64;
    let all = |f: &dyn Fn(f64) -> f64| (0..count).map(|k| f(u(k))).collect::<Vec<f64>>();
    Trajectory::new(
        1,
        all(&|u| 2.0 * u),
        all(&|u| PI * (10.0 * u.powi(3) - 15.0 * u.powi(4) + 6.0 * u.powi(5))),
        all(&|u| PI * 30.0 * u * u * (1.0 - u) * (1.0 - u) / 2.0),
        all(&|u| PI * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / 4.0),
    )
    .unwrap()
}

#[test]
fn a_pendulum_held_level_has_constant_torque_and_no_power() {
    let m = pendulum(limited(20.0, 5.0, 8.0));
    let it = Trajectory::new(1, vec![0.0, 0.3, 1.0], vec![0.0; 3], vec![0.0; 3], vec![0.0; 3]).unwrap();
    let d = &drive_loads(&m, &it, &DriveLimits::of(&m), &Progress::none()).unwrap().drives[0];
    let weight = 2.0 * 0.5 * G;
    for x in [d.peak.value, d.rms, d.p95] {
        assert!((x - weight).abs() < 1e-14 * weight, "{d:?}");
    }
    assert_eq!((d.work, d.regenerated, d.duty_cycle, d.above_continuous), (0.0, 0.0, 0.0, Some(1.0)));
    assert!(
        (d.effort_utilization.unwrap() - weight / 20.0).abs() < 1e-15
            && (d.continuous_utilization.unwrap() - weight / 8.0).abs() < 1e-15
    );
    assert_eq!(d.contributions[0].cause, "weight of arm");
}

#[test]
fn a_steadily_rotating_pendulum_has_the_mean_square_of_a_cosine() {
    let m = pendulum(limited(20.0, 5.0, f64::INFINITY));
    // One turn in 2 s: τ = m g r cos(πt); the trapezoidal rule is exact for its square over whole turns.
    let t: Vec<f64> = (0..=400).map(|k| k as f64 / 200.0).collect();
    let q: Vec<f64> = t.iter().map(|t| PI * t).collect();
    let it = Trajectory::new(1, t.clone(), q, vec![PI; 401], vec![0.0; 401]).unwrap();
    let d = &drive_loads(&m, &it, &DriveLimits::of(&m), &Progress::none()).unwrap().drives[0];
    let weight = 2.0 * 0.5 * G;
    assert!((d.rms - weight / 2f64.sqrt()).abs() < 1e-13 * weight);
    // |cos| is at most cos(π/2 · 0.05) in 95 % of the time; a sample is 1/400 of it.
    assert!((d.p95 - weight * (PI / 2.0 * 0.05).cos()).abs() < 1e-3 * weight, "{}", d.p95);
    // Lifted by 2 r over half a turn, and back; the trapezoidal rule misses (π/200)²/12 of it.
    assert!(
        (d.work - 2.0 * weight).abs() < 5e-5 * weight && (d.regenerated - 2.0 * weight).abs() < 5e-5 * weight,
        "{d:?}"
    );
    assert!((d.motoring.value - weight * PI).abs() < 1e-12 * weight * PI);
    assert!((d.braking.value + weight * PI).abs() < 1e-12 * weight * PI && (d.braking.t - 1.0).abs() < 1e-12);
    assert_eq!((d.duty_cycle, d.above_continuous, d.continuous_utilization), (1.0, None, None));
    assert!((d.speed_utilization.unwrap() - PI / 5.0).abs() < 1e-15);
}

#[test]
fn work_is_the_change_of_energy_of_an_arm_without_friction() {
    let m = bundled("panda").without_friction();
    let ranges = JointRanges::new(&m, &[]).unwrap();
    let limits = DriveLimits::of(&m);
    let options =
        MoveOptions { accelerations: Some(vec![5.0; 7]), count: 3, seed: 7, rate: 2000.0, ..MoveOptions::default() };
    let moves = random_moves(&m, &ranges, &limits, &options, &Progress::none()).unwrap();
    let it = &moves.trajectory;
    let sizing = drive_loads(&m, it, &limits, &Progress::none()).unwrap();
    let work: f64 = sizing.drives.iter().map(|d| d.work - d.regenerated).sum();
    let done: f64 = sizing.drives.iter().map(|d| d.work).sum();
    let whole = |k: usize| {
        let e = energy(&m, &mut EnergyData::new(&m), it.state(k)[0], it.state(k)[1]).unwrap();
        e.kinetic + e.potential
    };
    let change = whole(it.len() - 1) - whole(0);
    // The trapezoidal rule at 2000 steps a second, moves of about a second.
    assert!((work - change).abs() < 1e-6 * done, "{work} {change} {done}");
    assert!(done > 10.0);
}

#[test]
fn scaled_torques_are_those_of_the_scaled_trajectory() {
    for name in ["puma560", "jpl-rrp-loaded", "panda"] {
        let m = bundled(name);
        let (n, t) = (m.nv(), vec![0.0, 0.1, 0.2]);
        let wave = |shift: f64| (0..3 * n).map(|k| 0.7 * (shift + 1.3 * k as f64).sin()).collect::<Vec<f64>>();
        let it = Trajectory::new(n, t, wave(0.0), wave(1.0), wave(2.0)).unwrap();
        let scaled = scaled_torques(&m, &it, &Progress::none()).unwrap();
        for s in [0.4, 1.0, 3.0] {
            let fast = it.time_scaled(s);
            for k in 0..3 {
                let [q, qd, qdd] = fast.state(k);
                let mut tau = vec![0.0; n];
                rnea(&m, &mut RneaData::new(&m), q, qd, qdd, &mut tau).unwrap();
                let size = tau.iter().fold(1.0_f64, |a, x| a.max(x.abs()));
                for i in 0..n {
                    assert!((scaled[k * n + i].at(s) - tau[i]).abs() < 1e-12 * size, "{name} {s}");
                }
            }
        }
    }
}

#[test]
fn the_maximum_speed_scaling_is_tight() {
    let it = swing(401);
    let progress = Progress::none();
    let friction = |d: Drive| d.viscous(0.4).coulomb(0.6, 0.5).stribeck(0.8, 0.7);
    let inf = f64::INFINITY;
    for (drive, limit) in [
        (limited(12.0, inf, inf), Limit::Effort),
        (friction(limited(14.0, inf, inf)), Limit::Effort),
        (limited(1e3, 4.0, inf), Limit::Speed),
        (limited(1e3, inf, 9.0), Limit::Continuous),
        (friction(limited(1e3, inf, 9.0)), Limit::Continuous),
    ] {
        let m = pendulum(drive);
        let limits = DriveLimits::of(&m);
        let found = maximum_speed_scaling(&m, &it, &limits, &progress).unwrap();
        let (s, by) = (found.factor.unwrap(), found.limited_by.unwrap());
        assert_eq!((by.limit, by.joint.as_str()), (limit, "swing"));
        let used = |s: f64| {
            let d = &drive_loads(&m, &it.time_scaled(s), &limits, &progress).unwrap().drives[0];
            match limit {
                Limit::Effort => d.effort_utilization.unwrap(),
                Limit::Speed => d.speed_utilization.unwrap(),
                Limit::Continuous => d.continuous_utilization.unwrap(),
                other => panic!("{other}"),
            }
        };
        assert!((used(s) - 1.0).abs() < 1e-9, "{limit:?}: {}", used(s));
        assert!(used(1.01 * s) > 1.0 + 1e-4, "{limit:?}: {}", used(1.01 * s));
    }
    // The speed's own closed form: the quintic's peak is 15/8 π/2 rad/s.
    let m = pendulum(limited(1e3, 4.0, inf));
    let s = maximum_speed_scaling(&m, &it, &DriveLimits::of(&m), &progress).unwrap().factor.unwrap();
    assert!((s - 4.0 / (15.0 / 8.0 * PI / 2.0)).abs() < 1e-12);
    // A drive that cannot hold the weight cannot do so slowly.
    let weak = pendulum(limited(9.0, inf, inf));
    let none = maximum_speed_scaling(&weak, &it, &DriveLimits::of(&weak), &progress).unwrap();
    assert_eq!((none.factor, none.limited_by.unwrap().limit), (None, Limit::Effort));
}

#[test]
fn the_maximum_payload_is_tight() {
    let m = bundled("panda");
    let ranges = JointRanges::new(&m, &[]).unwrap();
    let progress = Progress::none();
    let own = DriveLimits::of(&m);
    let (accelerations, profile) = (Some(vec![1.0; 7]), Profile::Trapezoidal);
    let options = MoveOptions { accelerations, profile, count: 4, seed: 3, rate: 200.0 };
    let moves = random_moves(&m, &ranges, &own, &options, &progress).unwrap();
    let warm = drive_loads(&m, &moves.trajectory, &own, &progress).unwrap().drives;
    for (limit, limits) in [
        (Limit::Effort, own.clone()),
        // A tenth more than the arm alone needs.
        (Limit::Continuous, DriveLimits { continuous: warm.iter().map(|d| 1.1 * d.rms).collect(), ..own }),
    ] {
        let link = m.last_link();
        let load = UnitPayload::point(link, vec3(0.02, 0.0, 0.1));
        let masses = payload_on_trajectory(&m, &moves.trajectory, &limits, &load, &progress).unwrap();
        let (mass, by) = (masses.largest().unwrap(), masses.limited_by.unwrap());
        let used = |mass: f64| {
            let inertia = Inertia::point(mass, vec3(0.02, 0.0, 0.1));
            let loaded = m.with_payload("load", link, inertia, Transform::identity()).unwrap();
            let drives = drive_loads(&loaded, &moves.trajectory, &limits, &progress).unwrap().drives;
            let most = |f: &dyn Fn(&armdyn_design::DriveLoad) -> Option<f64>| {
                drives.iter().filter_map(f).fold(0.0_f64, f64::max)
            };
            most(&|d| d.effort_utilization).max(most(&|d| d.continuous_utilization))
        };
        assert_eq!(by.limit, limit);
        assert!(mass > 0.01 && (used(mass) - 1.0).abs() < 1e-9, "{mass} kg: {}", used(mass));
        assert!(used(1.01 * mass) > 1.0 + 1e-5 && used(0.99 * mass) < 1.0);
    }
}

#[test]
fn payloads_of_a_pendulum_in_closed_form() {
    let m = pendulum(limited(20.0, 5.0, f64::INFINITY));
    let limits = DriveLimits::of(&m);
    let it = swing(401);
    let masses = payload_on_trajectory(
        &m,
        &it,
        &limits,
        &UnitPayload::point(m.last_link(), vec3(1.0, 0.0, 0.0)),
        &Progress::none(),
    )
    .unwrap();
    // τ = (m r² + μ) q̈ + (m r + μ) g cos q at each sample.
    let minimum = (0..it.len())
        .map(|k| {
            let [q, _, qdd] = it.state(k).map(|x| x[0]);
            let (own, added) = (0.5 * qdd + G * q.cos(), qdd + G * q.cos());
            if added > 0.0 { (20.0 - own) / added } else { (-20.0 - own) / added }
        })
        .fold(f64::INFINITY, f64::min);
    assert!((masses.maximum - minimum).abs() < 1e-12 * minimum && masses.minimum == 0.0);
    // A drive too weak for the arm needs a counterweight behind the axis: 9.81 − 9.81 μ/2 from −6 to 6.
    let weak = pendulum(limited(6.0, 5.0, f64::INFINITY));
    let still = Trajectory::new(1, vec![0.0, 1.0], vec![0.0; 2], vec![0.0; 2], vec![0.0; 2]).unwrap();
    let limits = DriveLimits::of(&weak);
    let behind = UnitPayload::point(m.last_link(), vec3(-0.5, 0.0, 0.0));
    let masses = payload_on_trajectory(&weak, &still, &limits, &behind, &Progress::none()).unwrap();
    let ends = [(G - 6.0) / (G / 2.0), (G + 6.0) / (G / 2.0)];
    assert!((masses.minimum - ends[0]).abs() < 1e-12 && (masses.maximum - ends[1]).abs() < 1e-12, "{masses:?}");
    let ahead = payload_on_trajectory(
        &weak,
        &still,
        &limits,
        &UnitPayload::point(m.last_link(), vec3(0.5, 0.0, 0.0)),
        &Progress::none(),
    )
    .unwrap();
    assert_eq!(ahead.largest(), None);
}

#[test]
fn wrenches_agree_with_the_core_and_a_crane_in_closed_form() {
    let m = bundled("puma560");
    let (n, count) = (m.nv(), 40);
    let t: Vec<f64> = (0..count).map(f64::from).collect();
    let wave = |shift: f64| (0..40 * n).map(|k| 1.5 * (shift + 2.7 * k as f64).sin()).collect::<Vec<f64>>();
    let it = Trajectory::new(n, t, wave(0.0), wave(1.0), wave(2.0)).unwrap();
    let found = wrench_peaks(&m, &it, &Progress::none()).unwrap();
    let mut data = RneaData::new(&m);
    for (joint, w) in m.joint_ids().zip(&found) {
        let components = |f: &Force<f64>| [f.force.x, f.force.y, f.force.z, f.moment.x, f.moment.y, f.moment.z];
        let mut largest = [0.0_f64; 6];
        for k in 0..it.len() {
            let [q, qd, qdd] = it.state(k);
            rnea(&m, &mut data, q, qd, qdd, &mut vec![0.0; n]).unwrap();
            let here = data.wrenches(&m, joint, joint_frame(&m, joint)).unwrap();
            for (largest, x) in largest.iter_mut().zip(components(&here[0].total)) {
                *largest = largest.max(x.abs());
            }
            // What the drive of a joint that moves gives is the moment about z: so z is its axis.
            if !m.joints()[joint].bodies.is_empty() {
                let (given, all) = (here[0].actuation.moment, here[0].total.moment);
                assert!((given.z - all.z).abs() < 1e-9 && given.x.abs() < 1e-9 && given.y.abs() < 1e-9);
            }
        }
        for (peak, largest) in w.force.iter().chain(&w.moment).zip(largest) {
            assert_eq!(peak.value.abs(), largest);
        }
    }
    // 2 kg at 1 m on a jib about the vertical: −m r q̇² along it, m g down, and m g r tilts.
    let mut b = ModelBuilder::new("crane");
    b.add(BASE, Joint::revolute("swing", [0.0, 0.0, 1.0]), Link::new("jib").body(2.0, [1.0, 0.0, 0.0], [0.0; 6]));
    let crane = b.build().unwrap();
    let it = Trajectory::new(1, vec![0.0, 1.0], vec![0.0, 0.4], vec![1.0, 3.0], vec![0.0, 0.5]).unwrap();
    let w = &wrench_peaks(&crane, &it, &Progress::none()).unwrap()[0];
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    close(w.force[0].value, -18.0);
    close(w.force[1].value, 1.0);
    close(w.force[2].value, 2.0 * G);
    close(w.moment[1].value, -2.0 * G);
    close(w.moment[2].value, 1.0);
    close(w.radial_force.value, 18f64.hypot(1.0));
    close(w.tilting_moment.value, 2.0 * G);
    assert_eq!((w.force[0].t, w.moment[2].t), (1.0, 1.0));
}

#[test]
fn moves_stay_within_their_limits_and_reach_one_of_them() {
    let m = bundled("panda");
    let ranges = JointRanges::new(&m, &[(3, -2.0, -1.0)]).unwrap();
    let limits = DriveLimits::of(&m);
    let progress = Progress::none();
    for profile in [Profile::Quintic, Profile::Trapezoidal] {
        let given = [2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0];
        let options = MoveOptions { count: 6, seed: 5, rate: 400.0, profile, accelerations: Some(given.to_vec()) };
        let make = |seed| {
            let options = MoveOptions { seed, ..options.clone() };
            random_moves(&m, &ranges, &limits, &options, &progress).unwrap()
        };
        let moves = make(5);
        let it = &moves.trajectory;
        assert_eq!(make(5).trajectory, *it);
        assert_ne!(make(6).trajectory.q, it.q);
        let mut used = 0.0_f64;
        for k in 0..it.len() {
            let [q, qd, qdd] = it.state(k);
            for i in 0..7 {
                assert!(ranges.intervals()[i].lo() <= q[i] && q[i] <= ranges.intervals()[i].hi());
                used = used.max(qd[i].abs() / limits.speed[i]).max(qdd[i].abs() / given[i]);
            }
        }
        // The maximum acceleration of the quintic lies between samples.
        assert!(used <= 1.0 + 1e-12 && used > 1.0 - 1e-3, "{profile:?}: {used}");
        assert!((it.t[it.len() - 1] - moves.durations.iter().sum::<f64>()).abs() < 1e-6);
        // As fast as drives allow: one of them is at its limit in every move, and none above.
        let options = MoveOptions { count: 4, accelerations: None, ..options };
        let fast = random_moves(&m, &ranges, &limits, &options, &progress).unwrap();
        let loads = drive_loads(&m, &fast.trajectory, &limits, &progress).unwrap().drives;
        let worst =
            loads.iter().flat_map(|d| [d.effort_utilization, d.speed_utilization]).flatten().fold(0.0_f64, f64::max);
        assert!((worst - 1.0).abs() < 1e-9, "{worst}");
    }
    let bare = bundled("puma560");
    let (ranges, limits) = (JointRanges::new(&bare, &[]).unwrap(), DriveLimits::of(&bare));
    let error = random_moves(&bare, &ranges, &limits, &MoveOptions::default(), &progress).unwrap_err().to_string();
    assert!(error.contains("effort") && bare.dof_names().iter().all(|n| error.contains(n.as_str())), "{error}");
}

/// Lin's arm: 2 kg at 0.6 m, 1.5 kg another 0.4 m on; gravity along −y.
#[test]
fn payload_capacity_of_a_planar_arm() {
    let m = bundled("lin-rr");
    let inf = f64::INFINITY;
    let limits = DriveLimits { effort: vec![60.0.into(), 15.0.into()], speed: vec![inf; 2], continuous: vec![inf; 2] };
    let load = UnitPayload::point(m.last_link(), vec3(0.4, 0.0, 0.0));
    let by_hand = |q: &[f64], a: [f64; 2]| {
        let (c1, c12, c2) = (q[0].cos(), (q[0] + q[1]).cos(), q[1].cos());
        // Gravity and inertia for 2 kg and for a mass at the tip.
        let g = move |m1: f64, m2: f64| [(m1 + m2) * 0.6 * G * c1 + m2 * 0.4 * G * c12, m2 * 0.4 * G * c12];
        let mass = move |m1: f64, m2: f64| {
            let (d22, d12) = (m2 * 0.16, m2 * 0.16 + m2 * 0.24 * c2);
            [[(m1 + m2) * 0.36 + m2 * 0.16 + 2.0 * m2 * 0.24 * c2, d12], [d12, d22]]
        };
        // The worst of the four combinations of accelerations.
        move |mu: f64| {
            let (g, d) = (g(2.0, 1.5 + mu), mass(2.0, 1.5 + mu));
            let tau = |i: usize| g[i].abs() + d[i][0].abs() * a[0] + d[i][1].abs() * a[1];
            (tau(0) / 60.0).max(tau(1) / 15.0)
        }
    };
    for (a, q) in
        [([0.0, 0.0], [0.3, 0.5]), ([3.0, 4.0], [0.3, 0.5]), ([3.0, 4.0], [2.0, -2.6]), ([1.0, 9.0], [0.1, 3.0])]
    {
        let masses = StaticPayload::new(&m, &limits, &load, Some(&a)).unwrap().at(&q).unwrap();
        let mass = masses.largest().unwrap();
        assert!((by_hand(&q, a)(mass) - 1.0).abs() < 1e-12, "{a:?} {q:?}: {}", by_hand(&q, a)(mass));
        assert!(by_hand(&q, a)(1.01 * mass) > 1.0 + 1e-4);
    }
    let ranges = JointRanges::new(&m, &[(0, -PI, PI), (1, -PI, PI)]).unwrap();
    let options = CapacityOptions { plane: Plane::Xy, columns: 24, ..CapacityOptions::default() };
    let map = capacity_map(&m, &limits, &load, &ranges, &options, &Progress::none()).unwrap();
    assert_eq!((map.poses, map.in_plane), (20_000, 20_000));
    assert!((map.x_range.1 - 1.0).abs() < 0.05 && (map.x_range.0 + 1.0).abs() < 0.05, "{:?}", map.x_range);
    // Stretched out level the shoulder has (2 · 0.6 + 1.5) g + μ g ≤ 60, folded back the minimum.
    let worst = (60.0 - (2.0 * 0.6 + 1.5) * G) / G;
    let elbow = (15.0 - 0.6 * G) / (0.4 * G);
    assert!(map.worst.value >= worst.min(elbow) - 1e-12 && map.worst.value < 1.02 * worst.min(elbow));
    for (minimum, maximum) in map.minimum.iter().zip(&map.maximum).filter(|(l, _)| !l.is_nan()) {
        assert!(*minimum >= map.worst.value && maximum >= minimum);
    }
    // Within 0.2 m of the base nothing is reached.
    let middle = (map.minimum.len() / map.columns / 2) * map.columns + map.columns / 2;
    assert!(map.minimum[middle].is_nan());
}

/// From rest at 2 rad/s² for a second, without gravity: 1 N m on 0.5 kg m².
fn start(count: usize) -> Trajectory {
    let t: Vec<f64> = (0..count).map(|k| k as f64 / (count - 1) as f64).collect();
    let q = t.iter().map(|t| t * t).collect();
    let qd = t.iter().map(|t| 2.0 * t).collect();
    Trajectory::new(1, t, q, qd, vec![2.0; count]).unwrap()
}

/// The first sample overcomes static friction: 1 + 4 N m, also of a slower or faster motion; the last one has 3 / (1 + 2²) left of the
/// Stribeck term.
#[test]
fn a_motion_from_rest_overcomes_static_friction() {
    let m = pendulum(Drive::ideal().coulomb(1.0, 2.0).stribeck(3.0, 1.0)).with_gravity(vec3(0.0, 0.0, 0.0));
    let (it, none) = (start(11), Progress::none());
    let loads = drive_loads(&m, &it, &DriveLimits::of(&m), &none).unwrap();
    assert!((loads.torques[0] - 5.0).abs() < 1e-14 && (loads.torques[10] - 2.6).abs() < 1e-14, "{:?}", loads.torques);
    let peak = &loads.drives[0];
    assert!((peak.peak.value - 5.0).abs() < 1e-14, "{peak:?}");
    let sum: f64 = peak.contributions.iter().map(|c| c.torque).sum();
    assert!((sum - 5.0).abs() < 1e-14, "contributions of the peak: {:?}", peak.contributions);
    let scaled = scaled_torques(&m, &it, &none).unwrap();
    for s in [0.5, 1.0, 2.0] {
        assert!((scaled[0].at(s) - (4.0 + s * s)).abs() < 1e-14);
    }
}

#[test]
fn the_motor_of_a_geared_joint() {
    let m = pendulum(Drive::ideal().rotor(1e-4, 50.0).viscous(0.1)).with_gravity(vec3(0.0, 0.0, 0.0));
    let (it, none) = (start(101), Progress::none());
    let torques = drive_loads(&m, &it, &DriveLimits::of(&m), &none).unwrap().torques;
    let motors = motor_loads(&m, &it, &torques, &none).unwrap();
    let [motor] = &motors[..] else { panic!("{motors:?}") };
    let close = |a: f64, b: f64, accuracy: f64| assert!((a - b).abs() < accuracy * b.abs(), "{a} {b}");
    // τ = (0.5 + 0.25) 2 + 0.1 · 2t at the joint.
    close(motor.load.peak.value, (1.5 + 0.2) / 50.0, 1e-12);
    close(motor.load.speed.value, 100.0, 1e-12);
    close(motor.load.mean_speed, 50.0, 1e-12);
    close(motor.load.power.value, 1.7 * 2.0, 1e-12);
    close(motor.load.inertia_ratio.unwrap(), 0.5 / 0.25, 1e-12);
    // ∫ (1.5 + 0.2t)² = 2.25 + 0.3 + 0.04/3; the trapezoidal rule misses 0.08/12/100².
    close(motor.load.rms, (2.55_f64 + 0.04 / 3.0).sqrt() / 50.0, 1e-6);
    // Friction takes ∫ 0.4t² of ∫ (1.5 + 0.2t) 2t.
    close(motor.efficiency.unwrap(), 1.0 - (0.4 / 3.0) / (1.5 + 0.4 / 3.0), 1e-4);
    assert!(motor_loads(&pendulum(Drive::ideal()), &it, &torques, &none).unwrap().is_empty());
}

#[test]
fn motors_and_gears_of_a_catalogue_are_ranked() {
    let point = |speed, continuous, peak| OperatingLimit { speed, continuous, peak };
    let motor = |name: &str, mass, scale: f64| Motor {
        name: name.to_string(),
        mass,
        inertia: 1e-3,
        curve: vec![point(10.0, 0.2 * scale, 0.3 * scale), point(30.0, 0.1 * scale, 0.15 * scale)],
        copper_loss: None,
    };
    let gear = |name: &str, linear| Gear {
        name: name.to_string(),
        mass: 0.5,
        ratio: 10.0,
        linear,
        efficiency: 0.8,
        inertia: 1e-3,
        max_speed: 40.0,
        average: 4.0,
        peak: 5.0,
    };
    let hot = Motor { copper_loss: Some(2.0), ..motor("hot", 1.5, 1.0) };
    let catalogue = Catalogue {
        name: "three".to_string(),
        origin: None,
        motors: vec![motor("weak", 0.2, 0.5), hot, motor("good", 1.0, 1.0)],
        gears: vec![gear("screw", true), gear("gear", false)],
    };
    // The robot's own rotor and friction are replaced.
    let m = pendulum(Drive::ideal().rotor(1.0, 100.0).viscous(9.0)).with_gravity(vec3(0.0, 0.0, 0.0));
    let ranking = rank_catalogue(&m, &start(101), &catalogue, None, &Progress::none()).unwrap();
    let joint = &ranking.joints[0];
    let names: Vec<&str> = joint.ranking.iter().map(|c| c.motor.as_str()).collect();
    assert_eq!((names, joint.considered, joint.fitting), (vec!["good", "hot", "weak"], 3, 2));
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b.abs(), "{a} {b}");
    let good = &joint.ranking[0];
    // 2e-3 · 10 · 2 + 1/10/0.8; at rest, in the first of 100 steps, without the loss.
    close(good.load.peak.value, 0.04 + 0.125);
    let rms = (0.005 * 0.14_f64.powi(2) + 0.995 * 0.165_f64.powi(2)).sqrt();
    close(good.load.rms, rms);
    close(good.load.power.value, 0.165 * 20.0);
    close(good.load.inertia_ratio.unwrap(), 0.5 / (100.0 * 2e-3));
    close(good.mass, 1.5);
    // At 20 rad/s the peak curve is at 0.225, at the mean of 10 the continuous one at 0.2.
    let u = good.utilization;
    close(u.peak, 0.165 / 0.225);
    close(u.continuous, rms / 0.2);
    close(u.speed, 20.0 / 30.0);
    close(u.gear_peak, 1.0 / 5.0);
    close(u.gear_average, 1.0 / 4.0);
    close(u.gear_speed, 20.0 / 40.0);
    close(good.efficiency.unwrap(), 1.0 / 1.65);
    close(joint.ranking[1].efficiency.unwrap(), 1.0 / (1.65 + 2.0 * rms * rms));
    assert_eq!((joint.ranking[2].fits, joint.ranking[2].limited_by), (false, "the motor's continuous torque"));
    let even = rank_catalogue(&m, &start(101), &catalogue, Some(2.0), &Progress::none()).unwrap();
    assert_eq!((even.joints[0].fitting, even.joints[0].ranking[0].limited_by), (0, "the inertia ratio"));
    close(even.joints[0].ranking[0].utilization.inertia_ratio, 2.5 / 2.0);
}

/// A vertical slide of 1 kg whose drive pushes with 100 N and pulls up with 20 N.
#[test]
fn each_direction_has_its_own_effort_limit() {
    let effort = EffortRange { lower: -100.0, upper: 20.0 };
    let mut b = ModelBuilder::new("slide");
    let limits = Limits { effort, lower: -1.0, upper: 1.0, ..Limits::NONE };
    let drive = Drive::ideal().limits(limits);
    b.add(
        BASE,
        Joint::prismatic("d", [0.0, 0.0, 1.0]).driven_by(drive),
        Link::new("box").body(1.0, [0.0; 3], [0.0; 6]),
    );
    let m = b.build().unwrap();
    let (limits, load) = (DriveLimits::of(&m), UnitPayload::point(m.last_link(), vec3(0.0, 0.0, 0.0)));
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b.abs(), "{a} {b}");
    // At rest: (1 + μ) g ≤ 20.
    let held = StaticPayload::new(&m, &limits, &load, None).unwrap().at(&[0.3]).unwrap();
    close(held.largest().unwrap(), 20.0 / G - 1.0);
    // With 3 m/s² either way: (1 + μ)(g + 3) ≤ 20.
    let moved = StaticPayload::new(&m, &limits, &load, Some(&[3.0])).unwrap().at(&[0.3]).unwrap();
    close(moved.largest().unwrap(), 20.0 / (G + 3.0) - 1.0);
    // Up by 20 − g, down by 100 + g; the tip likewise.
    let at = AccelerationData::new(&m, &limits, (m.last_link(), vec3(0.0, 0.0, 0.0))).unwrap().at(&[0.3]).unwrap();
    close(at.forward[0].value, 20.0 - G);
    close(at.backward[0].value, 100.0 + G);
    let tip = at.tip.unwrap();
    close(tip.along[2][0], 100.0 + G);
    close(tip.along[2][1], 20.0 - G);
    close(tip.isotropic, 20.0 - G);
    // Half a period of z = −cos(2t)/10: accelerations of ±0.4 cos(2t), up by 0.4 s² at the start.
    let t: Vec<f64> = (0..=100).map(|k| PI / 200.0 * k as f64).collect();
    let all = |f: &dyn Fn(f64) -> f64| t.iter().map(|t| f(2.0 * t)).collect::<Vec<f64>>();
    let it = Trajectory::new(1, t.clone(), all(&|x| -0.1 * x.cos()), all(&|x| 0.2 * x.sin()), all(&|x| 0.4 * x.cos()));
    let (it, none) = (it.unwrap(), Progress::none());
    let load_of = &drive_loads(&m, &it, &limits, &none).unwrap().drives[0];
    close(load_of.effort_utilization.unwrap(), (G + 0.4) / 20.0);
    close(payload_on_trajectory(&m, &it, &limits, &load, &none).unwrap().maximum, 20.0 / (G + 0.4) - 1.0);
    let fastest = maximum_speed_scaling(&m, &it, &limits, &none).unwrap();
    close(fastest.factor.unwrap(), ((20.0 - G) / 0.4).sqrt());
    // Turned over, the same motion needs the other direction.
    let over = DriveLimits { effort: vec![EffortRange { lower: -20.0, upper: 100.0 }], ..limits };
    let fastest = maximum_speed_scaling(&m, &it, &over, &none).unwrap();
    // Up: g + 0.4 s² ≤ 100; down: g − 0.4 s² ≥ −20.
    close(fastest.factor.unwrap(), ((20.0 + G) / 0.4).sqrt());
}

#[test]
fn accelerations_of_a_planar_arm() {
    let m = bundled("lin-rr");
    let inf = f64::INFINITY;
    let limits = DriveLimits { effort: vec![60.0.into(), 15.0.into()], speed: vec![inf; 2], continuous: vec![inf; 2] };
    let q = [0.4_f64, 0.9];
    let (c1, c12, c2) = (q[0].cos(), (q[0] + q[1]).cos(), q[1].cos());
    let (d22, d12) = (1.5 * 0.16, 1.5 * (0.16 + 0.24 * c2));
    let d11 = 3.5 * 0.36 + 1.5 * (0.16 + 0.48 * c2);
    let (g1, g2) = (3.5 * 0.6 * G * c1 + 0.6 * G * c12, 0.6 * G * c12);
    let at = AccelerationData::new(&m, &limits, (m.last_link(), vec3(0.4, 0.0, 0.0))).unwrap().at(&q).unwrap();
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-11 * b.abs().max(1.0), "{a} {b}");
    close(at.forward[0].value, ((60.0 - g1) / d11).min((15.0 - g2) / d12));
    close(at.backward[0].value, ((60.0 + g1) / d11).min((15.0 + g2) / d12));
    close(at.forward[1].value, ((60.0 - g1) / d12).min((15.0 - g2) / d22));
    let tip = at.tip.unwrap();
    assert_eq!((tip.directions, tip.along[2]), (2, [0.0, 0.0]));
    // Whatever torques within their limits do to the tip lies in the box, and its corners reach what is said.
    let (s1, s12, det) = (q[0].sin(), (q[0] + q[1]).sin(), d11 * d22 - d12 * d12);
    let tip_acceleration = |t1: f64, t2: f64| {
        let (a, b) = (t1 - g1, t2 - g2);
        let (u, v) = ((d22 * a - d12 * b) / det, (d11 * b - d12 * a) / det);
        [-0.6 * s1 * u - 0.4 * s12 * (u + v), 0.6 * c1 * u + 0.4 * c12 * (u + v)]
    };
    // Along the edges of the box of torques: where the boundary crosses the axes, and how near it comes.
    let corners = [(-60.0, -15.0), (60.0, -15.0), (60.0, 15.0), (-60.0, 15.0)];
    let (mut nearest, mut right) = (f64::INFINITY, 0.0_f64);
    for (k, (a, b)) in corners.iter().enumerate() {
        let (c, d) = corners[(k + 1) % 4];
        let (p, r) = (tip_acceleration(*a, *b), tip_acceleration(c, d));
        let (dx, dy) = (r[0] - p[0], r[1] - p[1]);
        nearest = nearest.min((p[0] * dy - p[1] * dx).abs() / dx.hypot(dy));
        if p[1] * r[1] < 0.0 {
            right = right.max(p[0] - p[1] * dx / dy);
        }
    }
    close(tip.isotropic, nearest);
    close(tip.along[0][1], right);
    let ranges = JointRanges::new(&m, &[(0, -PI, PI), (1, -PI, PI)]).unwrap();
    let minimum = minimum_accelerations(
        &m,
        &limits,
        (m.last_link(), vec3(0.4, 0.0, 0.0)),
        &ranges,
        (20_000, 1),
        &Progress::none(),
    )
    .unwrap();
    // Stretched out level: D11 = 3.5 · 0.36 + 1.5 · 0.64 is maximum where gravity is.
    let (d11, d12) = (3.5 * 0.36 + 1.5 * 0.64, 1.5 * 0.4);
    let worst = ((60.0 - (3.5 * 0.6 + 0.6) * G) / d11).min((15.0 - 0.6 * G) / d12);
    assert!(
        minimum.forward[0].value >= worst - 1e-9 && minimum.forward[0].value < 1.02 * worst,
        "{:?}",
        minimum.forward[0]
    );
    assert!(minimum.tip.unwrap().value < 1.0);
}

/// Lin's arm stretched out level: 2.7 g at the shoulder, 0.6 g at the elbow.
#[test]
fn drives_that_cannot_hold_the_arm_are_typed() {
    let m = bundled("lin-rr");
    let inf = f64::INFINITY;
    let limits = |effort: [f64; 2], continuous| DriveLimits {
        effort: effort.map(Into::into).to_vec(),
        speed: vec![inf; 2],
        continuous: vec![continuous, inf],
    };
    let tip = (m.last_link(), vec3(0.4, 0.0, 0.0));
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b.abs(), "{a} {b}");
    // 20 N m at the shoulder do not hold 26.5 N m; turned over, with the other sign.
    for (q, sign) in [([0.0, 0.0], 1.0), ([PI, 0.0], -1.0)] {
        let weak = limits([20.0, 10.0], inf);
        let at = AccelerationData::new(&m, &weak, tip).unwrap().at(&q).unwrap();
        assert!(at.forward.is_empty() && at.backward.is_empty() && at.tip.is_none(), "{at:?}");
        let [found] = &at.cannot_hold[..] else { panic!("{at:?}") };
        assert_eq!(
            (found.joint.as_str(), found.unit, found.kind, &found.q[..]),
            ("theta1", "N m", Limit::Effort, &q[..])
        );
        close(found.torque, sign * 2.7 * G);
        close(found.limit, sign * 20.0);
    }
    // Upright the same drives hold it.
    let up = AccelerationData::new(&m, &limits([20.0, 10.0], inf), tip).unwrap().at(&[PI / 2.0, 0.0]).unwrap();
    assert!(up.cannot_hold.is_empty() && up.forward.iter().all(|a| a.value > 0.0));
    let load = UnitPayload::point(tip.0, tip.1);
    let held = |limits: &DriveLimits, accelerations: Option<&[f64]>| {
        StaticPayload::new(&m, limits, &load, accelerations).unwrap().cannot_hold(&[0.0, 0.0]).unwrap()
    };
    assert_eq!(held(&limits([30.0, 10.0], inf), None), None);
    // D11 = 3.5 · 0.36 + 1.5 · 0.64 and D12 = 1.5 · 0.4 with 2 and 1 rad/s².
    let found = held(&limits([30.0, 10.0], inf), Some(&[2.0, 1.0])).unwrap();
    assert!(found.accelerates);
    close(found.torque, 2.7 * G + 2.0 * (3.5 * 0.36 + 1.5 * 0.64) + 0.6);
    let found = held(&limits([30.0, 10.0], 25.0), None).unwrap();
    assert_eq!((found.kind, found.limit), (Limit::Continuous, 25.0));
    // Over ranges: accelerations are of the poses that are held, and the worst pose of each drive is named.
    let ranges = JointRanges::new(&m, &[(0, -PI, PI), (1, -PI, PI)]).unwrap();
    let weak = limits([20.0, 10.0], inf);
    let minimum = minimum_accelerations(&m, &weak, tip, &ranges, (20_000, 1), &Progress::none()).unwrap();
    assert!(minimum.held > 0 && minimum.held < minimum.poses);
    assert!(minimum.forward.iter().chain(&minimum.backward).all(|a| a.value >= 0.0), "{minimum:?}");
    let [found] = &minimum.cannot_hold[..] else { panic!("{minimum:?}") };
    // 20,000 samples come within a thousandth of the maximum, 2.7 g.
    assert!(found.torque.abs() <= 2.7 * G && found.torque.abs() > 0.999 * 2.7 * G, "{found:?}");
    let by_hand = (2.1 * found.q[0].cos() + 0.6 * (found.q[0] + found.q[1]).cos()) * G;
    close(found.torque, by_hand);
    let map = capacity_map(&m, &weak, &load, &ranges, &CapacityOptions::default(), &Progress::none()).unwrap();
    assert_eq!((map.worst.value, map.worst.cannot_hold.as_ref()), (0.0, Some(found)));
    // None is held where the range is level.
    let level = JointRanges::new(&m, &[(0, -0.1, 0.1), (1, -0.1, 0.1)]).unwrap();
    let none = minimum_accelerations(&m, &weak, tip, &level, (100, 1), &Progress::none()).unwrap();
    assert_eq!((none.held, none.forward.len(), none.backward.len(), none.tip.unwrap().median), (0, 0, 0, 0.0));
}
