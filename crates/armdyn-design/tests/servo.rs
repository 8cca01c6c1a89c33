//! Joint servos against closed forms and the mass matrix at random configurations.

use armdyn_core::{BASE, Drive, Joint, Link, Model, ModelBuilder, Progress, SplitMix64};
use armdyn_design::{ServoOptions, servo};
use armdyn_numerics::JointRanges;
use armdyn_testkit::bundled;
use std::f64::consts::{PI, TAU};
use std::time::Duration;

fn configurations(ranges: &JointRanges, count: usize) -> Vec<Vec<f64>> {
    let mut random = SplitMix64(3);
    let mut at = || ranges.intervals().iter().map(|r| r.lo() + r.width() * random.unit()).collect();
    (0..count).map(|_| at()).collect()
}

/// D₁₁ = 3 + 2 cos q₂ from 1 to 5 kg m², D₂₂ = 1 kg m².
#[test]
fn a_planar_arm_in_closed_form() {
    let m = armdyn_core::examples::two_link_arm();
    let ranges = JointRanges::new(&m, &[(0, -PI, PI), (1, -PI, PI)]).unwrap();
    let options = ServoOptions { frequency: vec![2.0, 3.0], damping: 0.7, gap: Some(1e-6), ..ServoOptions::default() };
    let report = servo(&m, &ranges, &options, &Progress::none()).unwrap();
    let [shoulder, elbow] = &report.joints[..] else { unreachable!() };
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-5 * b, "{a} for {b}");
    let omega = TAU * 2.0;
    close(shoulder.position_gain, omega * omega * 5.0);
    close(shoulder.velocity_gain, 2.0 * 0.7 * omega * 5.0);
    // Bejczy, section II: the inertia falls by 5, frequency and damping rise by √5.
    let n = 5.0_f64.sqrt();
    [2.0, 2.0 * n].iter().zip(shoulder.response.frequency).for_each(|(a, b)| close(b, *a));
    [0.7, 0.7 * n].iter().zip(shoulder.response.damping).for_each(|(a, b)| close(b, *a));
    [3.0, 3.0].iter().zip(elbow.response.frequency).for_each(|(a, b)| close(b, *a));
    assert!(report.meets_specification() && report.guaranteed && !report.partial);
    // Above 4.47 Hz at the minimum inertia: only a schedule stays below 4 Hz.
    let limited = ServoOptions { maximum_frequency: Some(4.0), ..options.clone() };
    let report = servo(&m, &ranges, &limited, &Progress::none()).unwrap();
    assert!(!report.meets_specification());
    assert!(report.joints[0].schedule.as_ref().unwrap().response.meets_specification);
    // Given gains: ω² = K_p / D, ζ = K_d / (2 √(K_p D)).
    let gains = Some([vec![100.0, 50.0], vec![10.0, 5.0]]);
    let report = servo(&m, &ranges, &ServoOptions { gains, ..options }, &Progress::none()).unwrap();
    close(report.joints[0].response.frequency[0] * TAU, 20.0_f64.sqrt());
    close(report.joints[0].response.damping[1], 0.5);
}

/// At random configurations of the loaded JPL arm and Panda: natural frequency and damping by the mass matrix of the recursion are
/// within the guaranteed ranges, with constant gains and with scheduled ones.
#[test]
fn guaranteed_ranges_hold_everywhere() {
    // Guaranteed bounds of Panda's first inertia take a minute: a search finds them too.
    for (robot, gap) in [("jpl-rrp-loaded", Some(0.05)), ("panda", None)] {
        let m: Model<f64> = bundled(robot);
        let ranges = JointRanges::new(&m, &[]).unwrap();
        // Bounds hold whenever time is over.
        let budget = Duration::from_secs(3);
        let options = ServoOptions { frequency: vec![1.5; m.nv()], gap, budget, ..ServoOptions::default() };
        let report = servo(&m, &ranges, &options, &Progress::none()).unwrap();
        let inside = |x: f64, [low, high]: [f64; 2]| x >= low * (1.0 - 1e-9) && x <= high * (1.0 + 1e-9);
        assert!(report.joints.iter().any(|j| j.schedule.is_some()));
        for q in configurations(&ranges, 200) {
            let mass = m.mass_matrix(&q).unwrap();
            for (i, joint) in report.joints.iter().enumerate() {
                let d = mass[(i, i)];
                let (kp, kv) = (joint.position_gain, joint.velocity_gain + m.friction()[i].viscous);
                assert!(inside((kp / d).sqrt() / TAU, joint.response.frequency), "{robot} {}", joint.joint);
                assert!(inside(kv / (2.0 * (kp * d).sqrt()), joint.response.damping), "{robot} {}", joint.joint);
                let Some(schedule) = &joint.schedule else { continue };
                let simplified = schedule.inertia.evaluate(&q, &vec![0.0; m.nv()], &vec![0.0; m.nv()]);
                let (kp, kv) = (schedule.position_factor * simplified, schedule.velocity_factor * simplified);
                assert!(inside((kp / d).sqrt() / TAU, schedule.response.frequency), "{robot} {}", joint.joint);
                assert!(inside(kv / (2.0 * (kp * d).sqrt()), schedule.response.damping), "{robot} {}", joint.joint);
            }
        }
    }
}

#[test]
fn invalid_specifications() {
    let m = armdyn_core::examples::two_link_arm();
    let ranges = JointRanges::new(&m, &[]).unwrap();
    let good = ServoOptions { frequency: vec![1.0; 2], ..ServoOptions::default() };
    let text = |options: ServoOptions| servo(&m, &ranges, &options, &Progress::none()).unwrap_err().to_string();
    let three = ServoOptions { frequency: vec![1.0; 3], ..good.clone() };
    assert_eq!(text(three), "3 values for 2 degrees of freedom: expected one for each");
    let zero = ServoOptions { frequency: vec![1.0, 0.0], ..good.clone() };
    assert_eq!(text(zero), "invalid natural frequency `0`: expected a finite number greater than 0");
    let nan = ServoOptions { damping: f64::NAN, ..good.clone() };
    assert!(text(nan).starts_with("invalid damping ratio `NaN`"));
    let negative = ServoOptions { gains: Some([vec![1.0; 2], vec![1.0, -1.0]]), ..good };
    assert!(text(negative).starts_with("invalid velocity gain `-1`"));
}

/// A disc of 2 kg m² whose viscous friction of 100 N m s/rad alone damps more than asked for: no velocity gain, constant or scheduled,
/// and ζ = b / (2 ω D).
#[test]
fn friction_above_the_specification() {
    let mut robot = ModelBuilder::new("disc");
    let axle = Joint::revolute("axle", [0.0, 0.0, 1.0]).driven_by(Drive::ideal().viscous(100.0));
    robot.add(BASE, axle, Link::new("disc").body(1.0, [0.0; 3], [1.0, 0.0, 0.0, 1.0, 0.0, 2.0]));
    let m = robot.build().unwrap();
    let ranges = JointRanges::new(&m, &[(0, -1.0, 1.0)]).unwrap();
    let options = ServoOptions { frequency: vec![1.0], ..ServoOptions::default() };
    let report = servo(&m, &ranges, &options, &Progress::none()).unwrap();
    let (joint, expected) = (&report.joints[0], 100.0 / (2.0 * TAU * 2.0));
    assert_eq!(joint.velocity_gain, 0.0);
    for damping in [joint.response.damping[1], joint.schedule.as_ref().unwrap().response.damping[1]] {
        assert!((damping / expected - 1.0).abs() < 1e-6, "{damping} for {expected}");
    }
}
