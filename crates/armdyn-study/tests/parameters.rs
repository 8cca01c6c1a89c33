//! Parameters of robots: what they are, what they change, and what is said about unknown ones.

use crate::{refused, robot};
use armdyn_core::Inertia;
use armdyn_import::Description;
use armdyn_study::Parameter;
use armdyn_testkit::{assert_close, torques};

fn set(d: &mut Description, name: &str, x: f64) {
    Parameter::named(d, name, &[]).unwrap_or_else(|e| panic!("{name}: {e}")).set(d, x).unwrap();
}

fn with(name: &str, parameter: &str, x: f64) -> Description {
    let mut d = robot(name);
    set(&mut d, parameter, x);
    d
}

fn original(name: &str, parameter: &str) -> Option<f64> {
    Parameter::named(&robot(name), parameter, &[]).unwrap_or_else(|e| panic!("{parameter}: {e}")).original
}

/// The values of the bundled files.
#[test]
fn originals_are_those_of_the_file() {
    for (name, parameter, expected) in [
        ("slender-two-link", "shoulder.gear", 100.0),
        ("slender-two-link", "elbow.rotor", 0.2e-4),
        ("slender-two-link", "elbow.effort", 60.0),
        ("slender-two-link", "elbow.stiffness", 10e3),
        ("slender-two-link", "turn.upper", 170f64.to_radians()),
        ("slender-two-link", "column.mass", 4.0),
        ("slender-two-link", "elbow motor@upper arm.mass", 0.9),
        ("slender-two-link", "payload", 1.0),
        ("slender-two-link", "load.mass", 1.0),
        ("slender-two-link", "elbow.x", 1.2),
        ("slender-two-link", "forearm.length", 1.0),
        ("slender-two-link", "gravity", 9.81),
        ("ur5e", "elbow_joint.speed", std::f64::consts::PI),
        ("ur5e", "wrist_1_joint.z", 0.1333),
    ] {
        assert_close(parameter, &[original(name, parameter).unwrap()], &[expected], 1e-15);
    }
    for unlimited in ["theta1.effort", "theta1.upper", "theta1.speed", "theta1.stiffness"] {
        assert_eq!(original("lin-rr", unlimited), None, "{unlimited}");
    }
}

/// The same motor with another gear: reflected inertia G² J, torque times and speed divided by the ratio.
#[test]
fn a_gear_ratio_keeps_the_motor() {
    let model = with("slender-two-link", "elbow.gear", 150.0).model().unwrap();
    assert_close("reflected", &[model.reflected_inertia()[2]], &[0.2e-4 * 150.0 * 150.0], 1e-14);
    let limits = model.limits()[2];
    assert_close("limits", &[limits.effort.upper, limits.effort.lower, limits.speed], &[90.0, -90.0, 2.0], 1e-14);
    let others = robot("slender-two-link").model().unwrap();
    assert_eq!(model.limits()[1], others.limits()[1]);
}

#[test]
fn limits_friction_and_stiffness() {
    let mut d = robot("slender-two-link");
    for (name, x) in [
        ("elbow.lower", -1.0),
        ("elbow.upper", 2.0),
        ("elbow.speed", 5.0),
        ("elbow.effort", 70.0),
        ("elbow.viscous", 0.3),
        ("elbow.coulomb", 0.7),
        ("elbow.armature", 0.04),
        ("elbow.stiffness", 5e3),
        ("elbow.continuous", 30.0),
    ] {
        set(&mut d, name, x);
    }
    let m = d.model().unwrap();
    let (l, f) = (m.limits()[2], m.friction()[2]);
    assert_eq!(
        (l.lower, l.upper, l.speed, l.effort.upper, l.effort.lower, l.continuous),
        (-1.0, 2.0, 5.0, 70.0, -70.0, 30.0)
    );
    assert_eq!(
        (f.viscous, f.coulomb_forward, f.coulomb_backward, m.armature()[2], m.joint_stiffness()[2]),
        (0.3, 0.7, 0.7, 0.04, 5e3)
    );
    // A joint without drive gets one.
    let m = with("lin-rr", "theta2.effort", 12.0).model().unwrap();
    assert_eq!((m.limits()[1].effort.upper, m.limits()[0].effort.upper), (12.0, f64::INFINITY));
    // Directions that differ keep their ratio.
    let mut d = with("lin-rr", "theta2.effort", 12.0);
    d.joints[1].drives[0].limits.effort.lower = -24.0;
    set(&mut d, "theta2.effort", 48.0);
    assert_eq!(d.joints[1].drives[0].limits.effort.lower, -48.0);
    assert_eq!(d.joints[1].drives[0].limits.effort.upper, 24.0);
}

/// m g x at the joints; masses scale with all moments; the payload is at the tool and replaces that of the file.
#[test]
fn masses_payload_and_gravity() {
    let at_rest = |d: &Description| torques(&d.model().unwrap(), &[0.3, -0.8], &[0.0; 2], &[0.0; 2]);
    let bare = at_rest(&robot("lin-rr"));
    let loaded = at_rest(&with("lin-rr", "payload", 2.0));
    let distances = [0.6 * 0.3_f64.cos() + 0.4 * 0.5_f64.cos(), 0.4 * 0.5_f64.cos()];
    let differences: Vec<f64> = loaded.iter().zip(&bare).map(|(a, b)| a - b).collect();
    assert_close("payload", &differences, &distances.map(|x| 2.0 * 9.81 * x), 1e-13);
    assert_close(
        "gravity",
        &at_rest(&with("lin-rr", "gravity", 1.62)),
        &[bare[0] * 1.62 / 9.81, bare[1] * 1.62 / 9.81],
        1e-14,
    );
    let mut d = robot("slender-two-link");
    set(&mut d, "payload", 3.0);
    assert_eq!(d.payloads.len(), 1);
    assert_close(
        "at the tool",
        &d.payloads[0].inertia.components(),
        &Inertia::point(3.0, armdyn_core::vec3(1.0, 0.0, 0.0)).components(),
        1e-15,
    );
    let masses = |d: &Description| d.model().unwrap().total_mass();
    let before = masses(&robot("slender-two-link"));
    assert_close("mass", &[masses(&with("slender-two-link", "column.mass", 5.5)) - before], &[1.5], 1e-12);
    assert_close(
        "part",
        &[masses(&with("slender-two-link", "elbow motor@upper arm.mass", 0.4)) - before],
        &[-0.5],
        1e-12,
    );
    assert_close("offset", &[with("lin-rr", "theta2.y", 0.25).joints[1].placement.translation.y], &[0.25], 0.0);
}

/// The mass that a study gives is that of the stretched link.
#[test]
fn the_mass_is_set_after_the_length() {
    let text = "[vary]\n'forearm.mass' = 2\n'forearm.length' = 1.4\n'payload' = 0\n[measure]\nx = 'f.x'";
    let study =
        armdyn_study::Study::new(robot("slender-two-link"), &armdyn_study::Definition::of_toml(text).unwrap()).unwrap();
    let values: Vec<_> = armdyn_study::Session::new(&study, None).unwrap().pending().remove(0).values;
    let d = study.varied(&values).unwrap();
    let forearm = d.links.iter().find(|l| l.name == "forearm").unwrap();
    assert_close("mass", &[forearm.parts.iter().map(|p| p.inertia.mass).sum()], &[2.0], 1e-14);
    assert_close("tool", &d.model().unwrap().tool().unwrap().position().to_array(), &[1.4, 0.0, 0.0], 1e-14);
}

#[test]
fn unknown_parameters_are_errors() {
    for (name, parts) in [
        ("forarm.length", &["no link or joint `forarm`", "did you mean `forearm`?"][..]),
        ("forearm.lenght", &["no parameter `lenght`", "did you mean `length`?"]),
        ("elbow.gears", &["no parameter `gears`", "did you mean `gear`?"]),
        ("payloads", &["unknown parameter `payloads`", "did you mean `payload`?"]),
        ("elbow moter@upper arm.mass", &["no part `elbow moter`", "did you mean `elbow motor`?"]),
        ("column.length", &["vary `column.length`", "not a number"]),
    ] {
        let said = refused("slender-two-link", &format!("[vary]\n'{name}' = 'x'\n[measure]\nm = 'show.mass'"));
        assert!(parts.iter().all(|p| said.contains(p)), "{name}: {said}");
    }
    let said = refused("lin-rr", "[vary]\ntheta1.gear = 3\n[measure]\nm = 'show.mass'");
    assert!(said.contains("has no rotor") && said.contains("drive ="), "{said}");
    let said = refused(
        "slender-two-link",
        "[vary]\n'upper arm.length' = {from = 1, to = 2, rigid = ['motor']}\n[measure]\nm = 'show.mass'",
    );
    assert!(said.contains("no part `motor`"), "{said}");
}

/// Values that make no robot are errors of the point.
#[test]
fn impossible_values_are_refused() {
    let refused = |name: &str, parameter: &str, x: f64| {
        let mut d = robot(name);
        let set = Parameter::named(&d, parameter, &[]).unwrap().set(&mut d, x);
        set.err().or_else(|| d.model().err().map(|e| e.to_string())).unwrap_or_else(|| panic!("{parameter} = {x}"))
    };
    for (parameter, x) in [
        ("forearm.length", 0.0),
        ("forearm.length", -1.0),
        ("forearm.mass", 0.0),
        ("elbow.gear", 0.0),
        ("elbow.speed", -1.0),
        ("elbow.stiffness", 0.0),
        ("elbow.lower", 3.0),
        ("payload", -1.0),
    ] {
        assert!(!refused("slender-two-link", parameter, x).is_empty());
    }
    assert!(refused("puma560", "payload", 1.0).contains("tool"));
}
