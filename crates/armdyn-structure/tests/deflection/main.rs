//! Elastic links: golden data of Lau's chapter 7, finite elements, the rigid robot's wrenches, closed forms, invalid input.

mod arms;
mod beam_fe;
mod built_in_code;
mod golden;
mod refused;
mod strength;

use armdyn_core::{Force, Model, Progress, RneaData, Transform, Vec3, WrenchFrame, rnea};
use armdyn_import::{Format, Options, load_text};
use armdyn_numerics::{JointRanges, Plane};
use armdyn_structure::{
    CompensationTarget, Contribution, DeformationModes, JointSpring, LoadCase, MapOptions, Structure,
};
use arms::Arm;
use std::f64::consts::PI;
use std::path::Path;

fn slender() -> (Structure, Model<f64>) {
    let description = armdyn_import::library::bundled("slender-two-link").unwrap().load().description.unwrap();
    let model = description.model().unwrap();
    (Structure::new(&model, None).unwrap(), model)
}

/// Ten arms: the library's closed forms against independent finite elements. Their nodal values are exact, so the two differ
/// only by rounding: 1e-8 of the maximum displacement leaves two digits of the required 1e-6.
#[test]
fn displacements_match_finite_elements() {
    for seed in 0..10 {
        let arm = Arm::random(seed);
        let (structure, _) = arm.structure();
        for (modes, shear) in [(DeformationModes::all(), true), (DeformationModes::euler_bernoulli(), false)] {
            let found = structure.deflect(&arm.case, &modes).unwrap();
            let (frames, ends) = arm.frames(2, shear);
            let solved = frames.solve();
            let most = ends.iter().map(|e| solved[*e].fixed_rows::<3>(0).norm()).fold(0.0, f64::max);
            let turned = ends.iter().map(|e| solved[*e].fixed_rows::<3>(3).norm()).fold(0.0, f64::max);
            for (link, e) in found.links.iter().zip(&ends) {
                let (shift, turn) = (link.displacement.translation.to_array(), link.displacement.rotation.to_array());
                for k in 0..3 {
                    assert!((shift[k] - solved[*e][k]).abs() < 1e-8 * most, "arm {seed}: {shift:?} {}", solved[*e]);
                    assert!((turn[k] - solved[*e][k + 3]).abs() < 1e-8 * turned, "arm {seed}: {turn:?} {}", solved[*e]);
                }
            }
            let last = found.links.last().unwrap().displacement;
            assert!((found.tool.displacement.translation - last.translation).norm() < 1e-13 * most);
        }
    }
}

/// The lowest five, with the same number of elements.
#[test]
fn frequencies_match_finite_elements() {
    for seed in 0..10 {
        let arm = Arm::random(seed);
        let (structure, _) = arm.structure();
        for (modes, shear) in [(DeformationModes::all(), true), (DeformationModes::euler_bernoulli(), false)] {
            let found = structure.frequencies(&arm.case.q, &modes, JointSpring::Gear, 2, 5).unwrap();
            let expected = arm.frames(2, shear).0.frequencies();
            assert_eq!(found.len(), 5);
            for (f, e) in found.iter().zip(expected) {
                assert!((f.frequency / e - 1.0).abs() < 1e-6, "arm {seed}: {} Hz is not {e} Hz", f.frequency);
                assert!((f.strain_energy.iter().map(|e| e.fraction).sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
    }
}

/// Cantilever: β² √(EI/μL⁴)/2π with β of cos β cosh β = −1: 1.875104, 4.694091; the error falls with the fourth power.
#[test]
fn frequencies_of_a_cantilever_converge() {
    let text = "version = 1\nname = \"c\"\n[section.s]\nkind = \"rod\"\ndiameter = 0.01\n[material.m]\nE = 2e11\nG = 8e10\n\
                density = 8000\n[[link]]\nname = \"l\"\njoint = { name = \"j\", kind = \"revolute\" }\n\
                beam = { section = \"s\", material = \"m\", length = 2, end = [2, 0, 0] }\n\
                bodies = [{ kind = \"cylinder\", along = \"x\", length = 2, diameter = 0.01, density = 8000, at = { xyz = [1, 0, 0] } }]\n";
    let structure = golden::structure(text);
    let (area, second) = (std::f64::consts::PI * 25e-6, std::f64::consts::PI * 1e-8 / 64.0);
    let unit = (2e11 * second / (8000.0 * area * 16.0)).sqrt() / (2.0 * std::f64::consts::PI);
    let mut before = [f64::INFINITY; 2];
    for elements in [4, 8, 16] {
        let found = structure
            .frequencies(&[0.3], &DeformationModes::euler_bernoulli(), JointSpring::Gear, elements, 3)
            .unwrap();
        // Each frequency occurs twice, once per plane; rotary inertia lowers them by 4e-6 and 3e-5.
        assert!((found[0].frequency / found[1].frequency - 1.0).abs() < 1e-9);
        let errors = [(0, 1.875_104_068_711_961_f64), (2, 4.694_091_132_974_174)]
            .map(|(k, beta): (usize, f64)| (found[k].frequency / (beta * beta * unit) - 1.0).abs());
        for (error, before) in errors.iter().zip(before) {
            assert!(*error < before / 10.0 || *error < 4e-5, "{elements}: {error:e} after {before:e}");
        }
        before = errors;
    }
    assert!(before[0] < 2e-5 && before[1] < 5e-5, "{before:?}");
}

/// A mass on a spring: √(k/I)/2π; with the rotor, √(k/(I + g² J))/2π.
#[test]
fn a_rotor_behind_a_servo_slows_the_vibration() {
    let text = "version = 1\nname = \"c\"\n[[link]]\nname = \"l\"\nmass = 2\ncentre = [0.5, 0, 0]\n\
                joint = { name = \"j\", kind = \"revolute\", stiffness = 800, drive = { rotor = 1e-4, gear = 50 } }\n[tool]\n";
    let structure = golden::structure(text);
    for (spring, inertia) in [(JointSpring::Gear, 0.5), (JointSpring::Servo, 0.75)] {
        let found = structure.frequencies(&[0.0], &DeformationModes::all(), spring, 1, 3).unwrap();
        let expected = (800.0_f64 / inertia).sqrt() / (2.0 * std::f64::consts::PI);
        assert!(found.len() == 1 && (found[0].frequency / expected - 1.0).abs() < 1e-12, "{found:?}");
    }
}

/// Joint compliance alone gives one frequency per joint: those of a rigid robot on springs, with the mass matrix of its
/// equations of motion.
#[test]
fn joint_compliance_alone_is_a_rigid_robot_on_springs() {
    let (structure, model) = slender();
    let q = [0.2, 0.3, 0.4];
    let modes = DeformationModes { joints: true, ..DeformationModes::NONE };
    let found = structure.frequencies(&q, &modes, JointSpring::Servo, 4, 20).unwrap();
    let mut mass = vec![0.0; 9];
    // The rotor in the upper arm couples joints; only its diagonal terms are included.
    let rigid = model.without_drives();
    armdyn_core::crba(&rigid, &mut armdyn_core::CrbaData::new(&rigid), &q, &mut mass).unwrap();
    for (i, j) in model.reflected_inertia().iter().enumerate() {
        mass[4 * i] += j;
    }
    let stiff = nalgebra::DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(model.joint_stiffness()));
    let expected = beam_fe::smallest(&stiff, &nalgebra::DMatrix::from_row_slice(3, 3, &mass));
    assert_eq!(found.len(), 3);
    for (f, e) in found.iter().zip(expected) {
        assert!((f.frequency / (e.sqrt() / (2.0 * std::f64::consts::PI)) - 1.0).abs() < 1e-12);
    }
}

/// The loads of each link equal the joint wrenches of recursive Newton–Euler.
#[test]
fn loads_add_up_to_the_joint_wrenches() {
    let (structure, model) = slender();
    let mut cases = vec![];
    let case = LoadCase::moving(&[0.3, 0.6, -0.9], &[1.0, -2.0, 1.5], &[3.0, 2.0, -4.0]);
    cases.push((structure, model, case));
    for seed in 0..10 {
        let arm = Arm::random(seed);
        let (structure, model) = arm.structure();
        cases.push((structure, model, arm.case));
    }
    for (structure, model, l) in cases {
        let mut d = RneaData::new(&model);
        d.boundary.base_velocity = l.base_velocity;
        d.boundary.base_acceleration = l.base_acceleration;
        let mut k = armdyn_core::KinematicsData::new(&model);
        armdyn_core::kinematics(&model, &mut k, &l.q).unwrap();
        let tool = structure.tool();
        let pose = k.link_pose(&model, tool.link).unwrap();
        let there = Transform::from_translation(pose.point(tool.position())).force(l.tool_wrench);
        d.boundary.add_external_wrench(&model, tool.link, pose.force_back(there)).unwrap();
        rnea(&model, &mut d, &l.q, &l.qd, &l.qdd, &mut vec![0.0; model.nv()]).unwrap();
        let found = structure.joint_wrenches(&l).unwrap();
        for (j, joint) in model.joint_ids().zip(model.joints()) {
            let expected = d.wrenches(&model, j, WrenchFrame::World).unwrap()[0].total;
            let Force { moment, force } = found[joint.child.index()] - expected;
            assert!(force.norm() < 1e-11 * expected.force.norm(), "{}: {force:?}", model.name());
            assert!(moment.norm() < 1e-11 * expected.moment.norm().max(expected.force.norm()), "{moment:?}");
        }
    }
}

#[test]
fn contributions_add_up_to_the_displacement_of_the_tool() {
    for seed in 0..10 {
        let arm = Arm::random(seed);
        let found = arm.structure().0.deflect(&arm.case, &DeformationModes::all()).unwrap();
        let sum =
            |of: fn(&Contribution) -> Vec3<f64>| found.contributions.iter().fold(Vec3::zero(), |sum, c| sum + of(c));
        assert!(
            (sum(|c| c.displacement.translation) - found.tool.displacement.translation).norm()
                < 1e-12 * found.tool.displacement.translation.norm()
        );
        assert!(
            (sum(|c| c.displacement.rotation) - found.tool.displacement.rotation).norm()
                < 1e-12 * found.tool.displacement.rotation.norm()
        );
    }
}

/// The compensation is checked on the deflected robot.
#[test]
fn compensation_removes_the_displacement_of_the_tool() {
    let (structure, _) = slender();
    let l = LoadCase::at_rest(&[0.3, 0.2, 0.7], 3);
    let before = structure.deflect(&l, &DeformationModes::all()).unwrap();
    assert!(before.tool.displacement.translation.norm() > 1e-3, "it sags by millimetres");
    let found = structure.compensate(&l, &DeformationModes::all(), CompensationTarget::Position).unwrap();
    let after = structure.deflect(&LoadCase { q: found.q.clone(), ..l }, &DeformationModes::all()).unwrap();
    let missed = after.tool.position + after.tool.displacement.translation - before.tool.position;
    assert!(missed.norm() < 1e-12 && (missed - found.residual.translation).norm() < 1e-14, "{missed:?}");
    assert!(found.change.iter().zip(&found.q).zip([0.3, 0.2, 0.7]).all(|((c, q), was)| (q - was - c).abs() < 1e-15));
}

/// At rest an arm deflects most when stretched out horizontally; one of 3000 poses comes near to that.
#[test]
fn the_worst_pose_of_the_map_is_the_stretched_arm() {
    let (structure, model) = slender();
    let ranges = JointRanges::new(&model, &[]).unwrap();
    let map = |seed| {
        let options = MapOptions { ranges: ranges.clone(), plane: Plane::Rz, samples: 3000, seed, columns: 20 };
        structure.deflection_map(&options, Force::zero(), &DeformationModes::all(), &Progress::none()).unwrap()
    };
    let found = map(1);
    let level = structure
        .deflect(&LoadCase::at_rest(&[0.0; 3], 3), &DeformationModes::all())
        .unwrap()
        .tool
        .displacement
        .translation
        .norm();
    let worst = found.worst.displacement.translation.norm();
    assert!(worst <= level * (1.0 + 1e-9) && worst > 0.97 * level, "{worst} of {level}");
    let maximum = found.maximum.iter().copied().filter(|x| !x.is_nan()).fold(0.0, f64::max);
    assert_eq!((maximum, found.poses, found.in_plane), (worst, 3000, 3000));
    assert_eq!(map(1).worst.q, found.worst.q);
    assert_ne!(map(2).worst.q, found.worst.q);
}

/// Each sample equals the analysis of its state, and the worst sample is the maximum of them.
#[test]
fn a_trajectory_is_analysed_state_by_state() {
    let (structure, _) = slender();
    let t: Vec<f64> = (0..30).map(|k| f64::from(k) * 0.05).collect();
    let row = |f: fn(f64) -> [f64; 3]| t.iter().flat_map(|t| f(*t)).collect::<Vec<f64>>();
    let (q, qd, qdd) = (row(|t| [t, t * t, -t]), row(|t| [1.0, 2.0 * t, -1.0]), row(|_| [0.0, 2.0, 0.0]));
    let trajectory = armdyn_numerics::Trajectory::new(3, t, q, qd, qdd).unwrap();
    let load = Force::new(Vec3::zero(), armdyn_core::vec3(0.0, 30.0, -10.0));
    let ends = armdyn_structure::EndConditions::FixedFree;
    let found =
        structure.deflect_trajectory(&trajectory, load, &DeformationModes::all(), ends, &Progress::none()).unwrap();
    let mut worst = (0.0, 0);
    let mut stress = 0.0_f64;
    for k in 0..30 {
        let [q, qd, qdd] = trajectory.state(k);
        let at = LoadCase { tool_wrench: load, ..LoadCase::moving(q, qd, qdd) };
        let tool = structure.deflect(&at, &DeformationModes::all()).unwrap().tool.displacement;
        assert_eq!(found.tool[k], tool);
        if tool.translation.norm() > worst.0 {
            worst = (tool.translation.norm(), k);
        }
        stress = stress.max(structure.strength(&at, ends, true).unwrap()[0].stress.unwrap());
    }
    assert_eq!((found.worst_sample, found.links[0].stress.unwrap().value), (worst.1, stress));
}

const RAIL: &str = r#"version = 1
name = "rail"
[section.s]
kind = "given"
EI = 500
GJ = 400
EA = 1e7
[[link]]
name = "rail"
beam = { section = "s", length = 1, end = [1, 0, 0] }
joint = { name = "root", kind = "fixed" }
"#;

fn of_text(text: &str) -> Structure {
    let loaded = load_text(Path::new("rail.toml"), text.to_string(), Format::Toml, &Options::default());
    let description = loaded.description.unwrap_or_else(|| panic!("{:?}", loaded.findings));
    let model = description.model().unwrap();
    Structure::new(&model, None).unwrap()
}

/// A carriage bends its rail at its position: m g a³/3EI, with slope m g a²/2EI beyond.
#[test]
fn a_carriage_bends_its_rail_at_its_position() {
    let text = RAIL.to_string()
        + "[[link]]\nname = \"carriage\"\nmass = 10\njoint = { name = \"x\", kind = \"prismatic\", axis = [1, 0, 0] }\n[tool]\n";
    let structure = of_text(&text);
    for a in [0.0_f64, 0.3, 0.8, 1.0] {
        let found = structure.deflect(&LoadCase::at_rest(&[a], 1), &DeformationModes::all()).unwrap();
        let (sag, slope) = (98.1 * a.powi(3) / 1500.0, 98.1 * a * a / 1000.0);
        assert!(
            (found.tool.displacement.translation.z + sag).abs() < 1e-12,
            "{a} m: {}",
            found.tool.displacement.translation.z
        );
        assert!((found.links[0].displacement.translation.z + sag + slope * (1.0 - a)).abs() < 1e-12, "{a} m");
        let sum = found.contributions.iter().fold(0.0, |sum, c| sum + c.displacement.translation.z);
        assert!((sum - found.tool.displacement.translation.z).abs() < 1e-15);
    }
    let frequency = |a: f64| {
        structure.frequencies(&[a], &DeformationModes::bending(), JointSpring::Gear, 1, 1).unwrap()[0].frequency
    };
    // Its shear stiffness is unknown, so it has no shear vibration.
    let shear = DeformationModes { shear: true, bending: false, ..DeformationModes::bending() };
    assert!(structure.frequencies(&[0.8], &shear, JointSpring::Gear, 1, 1).is_err());
    // √(3EI/m a³)/2π: a massless beam is one element exactly.
    assert!((frequency(0.8) / ((1500.0_f64 / (10.0 * 0.512)).sqrt() / (2.0 * PI)) - 1.0).abs() < 1e-9);
}

/// Without a moving joint the whole displacement remains.
#[test]
fn a_robot_without_moving_joints_is_not_compensated() {
    let structure = of_text(RAIL);
    let case =
        LoadCase { tool_wrench: Force::new(Vec3::zero(), Vec3::lift([0.0, 0.0, -15.0])), ..LoadCase::at_rest(&[], 0) };
    let found = structure.compensate(&case, &DeformationModes::all(), CompensationTarget::Position).unwrap();
    assert!((found.residual.translation.z + 15.0 / 1500.0).abs() < 1e-12 && found.change.is_empty());
}
