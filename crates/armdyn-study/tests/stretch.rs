//! A stretched link against the integral over the stretched body, and against robot files written by hand.

use crate::robot;
use armdyn_core::{Inertia, Model, Rotation, SplitMix64, Sym3, Transform, Vec3, vec3};
use armdyn_import::{Description, Format, Options, load_text};
use armdyn_study::Parameter;
use armdyn_testkit::{assert_close, mass_matrix, torques};
use std::path::Path;

fn read(text: &str) -> Description {
    let loaded = load_text(Path::new("arm.toml"), text.to_string(), Format::Toml, &Options::default());
    loaded.description.unwrap_or_else(|| panic!("{:?}", loaded.findings))
}

/// The robot with a length of a link.
fn stretched(mut d: Description, name: &str, length: f64, rigid: &[&str]) -> Description {
    let rigid: Vec<String> = rigid.iter().map(ToString::to_string).collect();
    Parameter::named(&d, name, &rigid).unwrap().set(&mut d, length).unwrap();
    d
}

fn assert_same_dynamics(found: &Model<f64>, expected: &Model<f64>) {
    let mut random = SplitMix64(5);
    for _ in 0..5 {
        let [q, qd, qdd] = [0; 3].map(|_| (0..found.nv()).map(|_| random.within(2.0)).collect::<Vec<_>>());
        assert_close("tau", &torques(found, &q, &qd, &qdd), &torques(expected, &q, &qd, &qdd), 1e-12);
        assert_close("M", &mass_matrix(found, &q), &mass_matrix(expected, &q), 1e-12);
    }
}

/// Points of a body that move to r' = S r and whose masses grow by λ have the moments of the stretched link.
#[test]
fn moments_are_those_of_the_stretched_points() {
    let mut random = SplitMix64(3);
    let mut d = robot("slender-two-link");
    let link = d.links.iter().position(|l| l.name == "upper arm").unwrap();
    let joint = d.joints.iter().position(|j| j.name == "elbow").unwrap();
    let end = vec3(0.7, -0.4, 0.5);
    d.joints[joint].placement.translation = end;
    let points: Vec<(f64, Vec3<f64>)> =
        (0..9).map(|_| (random.unit(), vec3(random.within(1.0), random.within(1.0), random.within(1.0)))).collect();
    let sum = |points: &[(f64, Vec3<f64>)]| points.iter().fold(Inertia::zero(), |i, (m, r)| i + Inertia::point(*m, *r));
    d.links[link].parts.truncate(1);
    d.links[link].parts[0].inertia = sum(&points);
    let factor = 1.37;
    let u = end * (1.0 / end.norm());
    let moved: Vec<_> = points.iter().map(|(m, r)| (factor * m, *r + u * ((factor - 1.0) * u.dot(*r)))).collect();
    let d = stretched(d, "upper arm.length", factor * end.norm(), &[]);
    let (found, expected) = (d.links[link].parts[0].inertia, sum(&moved));
    assert_close("moments", &found.components(), &expected.components(), 1e-14);
    assert_close("joint", &d.joints[joint].placement.translation.to_array(), &(end * factor).to_array(), 1e-15);
}

/// A uniform box at an angle to the line: the integral over the sheared box, by Gauss points that integrate it exactly.
#[test]
fn a_box_is_integrated_exactly() {
    let (size, mass, factor) = ([0.3, 0.08, 0.05], 2.0, 0.8);
    let pose = Transform::new(Rotation::rpy(0.3, -0.5, 0.9), vec3(0.2, 0.03, -0.04));
    let [a, b, c] = size.map(|s| s * s / 12.0);
    let central = Sym3::diagonal(b + c, a + c, a + b);
    let solid = Inertia::about_centre(mass, Vec3::zero(), central * mass).transformed(&pose);
    let mut d = robot("planar-2r");
    let link = d.links.iter().position(|l| l.name == "link2").unwrap();
    d.links[link].parts[0].inertia = solid;
    let d = stretched(d, "link2.length", factor * 1.0, &[]);
    // Two Gauss points in each direction integrate polynomials of degree 3; the line of the link is its x axis.
    let mut expected = Inertia::zero();
    for k in 0..8 {
        let side = |axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 } * size[axis] / 2.0 / 3f64.sqrt();
        let r = pose.point(vec3(side(0), side(1), side(2)));
        expected += Inertia::point(factor * mass / 8.0, vec3(factor * r.x, r.y, r.z));
    }
    assert_close("box", &d.links[link].parts[0].inertia.components(), &expected.components(), 1e-14);
}

/// The tube of the upper arm is another tube of the same section; the motor at its end moves along.
#[test]
fn a_slender_arm_is_the_one_written_by_hand() {
    let text = armdyn_import::library::bundled("slender-two-link").unwrap().text;
    let by_hand = text
        .replace(r#"material = "aluminium", length = 1.2"#, r#"material = "aluminium", length = 1.5"#)
        .replace(r#"along = "x", length = 1.2"#, r#"along = "x", length = 1.5"#)
        .replace("at = { xyz = [0.6, 0, 0] }", "at = { xyz = [0.75, 0, 0] }")
        .replace("at = { xyz = [1.2, 0.04, 0] }", "at = { xyz = [1.5, 0.04, 0] }")
        .replace("origin = { xyz = [1.2, 0, 0] }", "origin = { xyz = [1.5, 0, 0] }");
    let expected = read(&by_hand);
    let found = stretched(robot("slender-two-link"), "upper arm.length", 1.5, &["elbow motor"]);
    assert_same_dynamics(&found.model().unwrap(), &expected.model().unwrap());
    let beam = |d: &Description| d.links.iter().find(|l| l.name == "upper arm").unwrap().beam.clone().unwrap();
    assert_close("beam", &[beam(&found).length], &[beam(&expected).length], 1e-15);

    // The forearm ends at its tool, the end of its beam; the payload there and the camera head, which is rigid, move along.
    let by_hand = text
        .replace(
            r#"material = "aluminium", length = 1, end = [1, 0, 0]"#,
            r#"material = "aluminium", length = 0.8, end = [0.8, 0, 0]"#,
        )
        .replace(r#"along = "x", length = 1,"#, r#"along = "x", length = 0.8,"#)
        .replace("at = { xyz = [0.5, 0, 0] }", "at = { xyz = [0.4, 0, 0] }")
        .replace("at = { xyz = [0.97, 0, 0] }", "at = { xyz = [0.776, 0, 0] }")
        .replace("centre = [1, 0, 0]", "centre = [0.8, 0, 0]");
    let expected = read(&by_hand).model().unwrap();
    let found = stretched(robot("slender-two-link"), "forearm.length", 0.8, &["camera head"]).model().unwrap();
    assert_same_dynamics(&found, &expected);
    assert_close("tool", &found.tool().unwrap().position().to_array(), &[0.8, 0.0, 0.0], 1e-15);
}

/// Denavit–Hartenberg parameters have the link's frame at its end: a grows, and what is at the end stays there.
#[test]
fn an_arm_of_denavit_hartenberg_parameters_is_the_one_written_by_hand() {
    let text = armdyn_import::library::bundled("planar-2r").unwrap().text;
    let (mass, moment) = (50.0 * 1.3, 10.0 * 1.3f64.powi(3));
    let by_hand = text.replacen("dh = { a = 1 }", "dh = { a = 1.3 }", 1).replacen(
        "mass = 50, inertia = { about = \"centre\", xx = 0, yy = 10, zz = 10 }, at = { xyz = [-0.5, 0, 0] }",
        &format!("mass = {mass}, inertia = {{ about = \"centre\", xx = 0, yy = {moment}, zz = {moment} }}, at = {{ xyz = [-0.65, 0, 0] }}"),
        1,
    );
    assert_ne!(by_hand, text.replacen("dh = { a = 1 }", "dh = { a = 1.3 }", 1));
    let found = stretched(robot("planar-2r"), "link1.length", 1.3, &["rotor 2"]);
    assert_same_dynamics(&found.model().unwrap(), &read(&by_hand).model().unwrap());
}

/// The distances between the joints of arms as published.
#[test]
fn original_lengths() {
    let length = |name: &str, link: &str| {
        Parameter::named(&robot(name), &format!("{link}.length"), &[]).unwrap().original.unwrap()
    };
    assert_close("upper arm", &[length("ur5e", "upper_arm_link")], &[0.425], 1e-15);
    assert_close("forearm", &[length("ur5e", "forearm_link")], &[0.3922f64.hypot(0.1333)], 1e-15);
    assert_close("panda", &[length("panda", "panda_link2"), length("panda", "panda_link3")], &[0.316, 0.0825], 1e-15);
    let refused = |name: &str, link: &str| Parameter::named(&robot(name), &format!("{link}.length"), &[]).unwrap_err();
    assert!(refused("ur5e", "base").contains("has no joint"), "{}", refused("ur5e", "base"));
    assert!(refused("panda", "panda_link1").contains("same place"), "{}", refused("panda", "panda_link1"));
    assert!(refused("two-arms", "torso").contains("several child joints"), "{}", refused("two-arms", "torso"));
}
