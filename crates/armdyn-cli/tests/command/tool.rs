//! The tool: default payload, Cartesian form, external wrenches, poses between frames.

use crate::typed::{assert_close, folder, json, refused, run, run_in, said, text};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap_or_else(|| panic!("{value}")).iter().map(|x| x.as_f64().unwrap()).collect()
}

fn rows(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().flat_map(numbers).collect()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// An arm of 0.5 m about y on a stand; `base` is a frame at the root, `tool0` and a sensor are at the end.
const ARM: &str = r#"<robot name="arm">
  <link name="base_link"/><link name="base"/><link name="tool0"/><link name="sensor"/>
  <link name="rod"><inertial><origin xyz="0.25 0 0"/><mass value="2"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>
  <joint name="root" type="fixed"><parent link="base_link"/><child link="base"/><origin rpy="0 0 3.14159"/></joint>
  <joint name="shoulder" type="revolute"><parent link="base_link"/><child link="rod"/><axis xyz="0 -1 0"/>
    <limit lower="-2" upper="2" effort="100" velocity="3"/></joint>
  <joint name="mount" type="fixed"><parent link="rod"/><child link="tool0"/><origin xyz="0.5 0 0"/></joint>
  <joint name="aside" type="fixed"><parent link="rod"/><child link="sensor"/><origin xyz="0.4 0.1 0"/></joint>
</robot>"#;

/// A mass alone is at the tool: m g times the horizontal distance from each joint.
#[test]
fn a_payload_is_at_the_tool() {
    let bare = json(&["inverse", "lin-rr", "--q", "0.3,-0.8", "--json"]);
    let output = run(&["inverse", "lin-rr", "--q", "0.3,-0.8", "--payload", "2", "--json"]);
    let loaded: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let distances = [0.6 * 0.3_f64.cos() + 0.4 * 0.5_f64.cos(), 0.4 * 0.5_f64.cos()];
    let expected = distances.map(|x| 2.0 * 9.81 * x);
    assert_close(&minus(&numbers(&loaded["tau"]), &numbers(&bare["tau"])), &expected, 1e-13, "m g x");
    let note = text(&output.stderr);
    assert!(note.contains("note: payload of 2 kg at the tool on `link2` at (0.4, 0, 0) m"), "{note}");

    let folder = folder("payload-at-the-tool");
    std::fs::write(folder.join("arm.urdf"), ARM).unwrap();
    let output = run_in(&folder, &["inverse", "arm.urdf", "--payload", "3", "--json"]);
    let arm: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_close(&numbers(&arm["tau"]), &[9.81 * (2.0 * 0.25 + 3.0 * 0.5)], 1e-13, "at tool0");
    assert!(text(&output.stderr).contains("`tool0`"), "{}", text(&output.stderr));
}

/// Where the tool is not known, the message names the option.
#[test]
fn an_unknown_tool_is_asked_for() {
    for (line, option) in [
        (vec!["inverse", "puma560", "--payload", "2"], "--payload 2,X,Y,Z@LINK"),
        (vec!["inverse", "two-arms", "--payload", "1"], "--payload 1,X,Y,Z@LINK"),
        (vec!["inverse", "puma560", "--wrench", "1,0,0"], "--wrench 1,0,0@LINK"),
        (vec!["terms", "puma560", "--form", "cartesian"], "--tool X,Y,Z@LINK"),
        (vec!["tipover", "two-arms", "--reach"], ""),
    ] {
        let said = refused(&line);
        assert!(said.contains(option), "{line:?}: {said}");
    }
    assert!(refused(&["inverse", "two-arms", "--payload", "1"]).contains("left_tool0, right_tool0"));
    let size = json(&["size", "puma560", "--random-moves", "1", "--effort", "500", "--accelerations", "1", "--json"]);
    assert!(size["payload"].is_null() && size["notes"].to_string().contains("--tool X,Y,Z@LINK"), "{}", size["notes"]);
}

/// The stress at the shoulder end of the forearm grows with the payload: m g L (D/2) / I of the tube.
#[test]
fn a_payload_stresses_the_last_beam() {
    let stress = |mass: &str| {
        let answer = json(&["deflect", "slender-two-link", "--q", "0,0,0", "--payload", mass, "--json"]);
        let links = answer["strength"].as_array().unwrap_or_else(|| panic!("{answer:#}")).clone();
        let forearm = links.iter().find(|l| l["link"] == "forearm").unwrap_or_else(|| panic!("{links:#?}")).clone();
        forearm["stress"].as_f64().unwrap_or_else(|| panic!("{forearm:#}"))
    };
    let (outer, inner) = (0.06_f64, 0.055_f64);
    let second_moment = std::f64::consts::PI / 64.0 * (outer.powi(4) - inner.powi(4));
    let expected = (2000.0 - 0.001) * 9.81 * 1.0 * (outer / 2.0) / second_moment;
    let found = stress("2000") - stress("0.001");
    // The equivalent stress has a small contribution of shear too.
    assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
}

/// Lin's arm, from his equations.
struct Lin {
    mass: [f64; 4],
    velocity: [f64; 2],
    jacobian: [f64; 4],
    rate: [f64; 2],
}

const Q: [f64; 2] = [0.3, -0.8];
const QD: [f64; 2] = [1.0, 2.0];

fn lin() -> Lin {
    let (m1, m2, l1, l2) = (2.0, 1.5, 0.6, 0.4);
    let ([q1, q2], [w1, w2]) = (Q, QD);
    let (c1, s1, c12, s12) = (q1.cos(), q1.sin(), (q1 + q2).cos(), (q1 + q2).sin());
    let (h, m12) = (m2 * l1 * l2 * q2.sin(), m2 * l2 * l2 + m2 * l1 * l2 * q2.cos());
    let m11 = m12 + m2 * l1 * l2 * q2.cos() + (m1 + m2) * l1 * l1;
    let w = w1 + w2;
    Lin {
        mass: [m11, m12, m12, m2 * l2 * l2],
        velocity: [-h * w2 * w2 - 2.0 * h * w1 * w2, h * w1 * w1],
        jacobian: [-l1 * s1 - l2 * s12, -l2 * s12, l1 * c1 + l2 * c12, l2 * c12],
        rate: [-l1 * c1 * w1 * w1 - l2 * c12 * w * w, -l1 * s1 * w1 * w1 - l2 * s12 * w * w],
    }
}

fn inverse([a, b, c, d]: [f64; 4]) -> [f64; 4] {
    let det = a * d - b * c;
    [d / det, -b / det, -c / det, a / det]
}

fn times(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]]
}

fn applied(a: [f64; 4], x: [f64; 2]) -> [f64; 2] {
    [a[0] * x[0] + a[1] * x[1], a[2] * x[0] + a[3] * x[1]]
}

fn transposed([a, b, c, d]: [f64; 4]) -> [f64; 4] {
    [a, c, b, d]
}

/// Lin, slides 36–40: M_x = J⁻ᵀ M J⁻¹ and V_x = J⁻ᵀ (V − M J⁻¹ J̇q̇); the torques Jᵀ V_x by products of velocities are B_x, C_x.
#[test]
fn the_cartesian_form_of_lins_arm() {
    let line = ["terms", "lin-rr", "--q", "0.3,-0.8", "--qd", "1,2", "--form", "cartesian", "--directions", "x,y"];
    let answer = json(&[&line[..], &["--json"]].concat());
    let Lin { mass, velocity, jacobian, rate } = lin();
    let back = inverse(jacobian);
    let mx = times(transposed(back), times(mass, back));
    assert_close(&rows(&answer["M"]), &mx, 1e-12, "M_x");
    assert_close(&rows(&answer["J"]), &jacobian, 1e-14, "J");
    assert_close(&numbers(&answer["Jdot_qd"]), &rate, 1e-13, "J̇ q̇");
    let torques = minus(&velocity, &applied(mass, applied(back, rate)));
    let vx = applied(transposed(back), [torques[0], torques[1]]);
    assert_close(&numbers(&answer["V"]), &vx, 1e-12, "V_x");
    let (b, c) = (rows(&answer["B_x"]), rows(&answer["C_x"]));
    let products = |i: usize| b[i] * QD[0] * QD[1] + c[2 * i] * QD[0] * QD[0] + c[2 * i + 1] * QD[1] * QD[1];
    assert_close(&[products(0), products(1)], &torques, 1e-12, "B_x [q̇q̇] + C_x [q̇²]");
    assert_eq!((&answer["tool"]["link"], &answer["axes"]), (&Value::from("link2"), &Value::from("base")));

    // In the tool's axes, which are turned by q1 + q2.
    let tool = json(&[&line[..], &["--axes", "tool", "--json"]].concat());
    let (s, c) = (Q[0] + Q[1]).sin_cos();
    let turn = [c, s, -s, c];
    assert_close(&rows(&tool["M"]), &times(turn, times(mx, transposed(turn))), 1e-12, "M_x in tool axes");

    // The default directions are reported.
    let default = json(&[&line[..8], &["--json"]].concat());
    assert_eq!(default["directions"], serde_json::json!(["x", "y"]));
    assert!(said(&line[..8]).contains("directions: x, y (independent ones"), "{}", said(&line[..8]));
}

/// A wrench of the environment adds −Jᵀ w to the torques, Jᵀ w to M q̈.
#[test]
fn an_external_wrench() {
    let Lin { mass, jacobian, .. } = lin();
    let (force, moment) = ([3.0, -7.0], 0.9);
    let torques = applied(transposed(jacobian), force).map(|t| t + moment);
    let state = ["--q", "0.3,-0.8", "--qd", "1,2"];
    let ask = |command: &str, more: &[&str]| json(&[&[command, "lin-rr"], &state[..], more, &["--json"]].concat());
    let wrench = ["--wrench", "3,-7,0,0,0,0.9"];
    let tau = |more: &[&str]| numbers(&ask("inverse", more)["tau"]);
    assert_close(&minus(&tau(&wrench), &tau(&[])), &torques.map(|t| -t), 1e-13, "inverse");
    assert_close(&numbers(&ask("terms", &wrench)["tau_external"]), &torques, 1e-14, "terms");
    let qdd = |more: &[&str]| numbers(&ask("forward", &[&["--tau", "5,1"], more].concat())["qdd"]);
    let change = minus(&qdd(&wrench), &qdd(&[]));
    assert_close(&applied(mass, [change[0], change[1]]), &torques, 1e-12, "forward");
    let explained = ask("explain", &wrench);
    for (joint, expected) in explained["torques"].as_array().unwrap().iter().zip(torques) {
        let all = joint["contributions"].as_array().unwrap();
        let external = all.iter().find(|c| c["kind"] == "external").unwrap()["torque"].as_f64().unwrap();
        assert_close(&[external], &[-expected], 1e-13, "explain");
    }
    // In the tool's axes, and at the origin of a link: a force at the first joint does nothing.
    let (s, c) = (Q[0] + Q[1]).sin_cos();
    let turned = format!("{},{},0,0,0,0.9", c * 3.0 - s * 7.0, -s * 3.0 - c * 7.0);
    assert_close(&tau(&["--wrench", &turned, "--wrench-axes", "tool"]), &tau(&wrench), 1e-13, "tool axes");
    let at_link1 = minus(&tau(&["--wrench", "3,-7,2,0,0,0.9@link1"]), &tau(&[]));
    assert_close(&at_link1, &[-0.9, 0.0], 1e-13, "@link1");
    let both = minus(&tau(&["--wrench", "3,-7,0", "--wrench", "0,0,0,0,0,0.9@link2"]), &tau(&[]));
    assert_close(&both, &torques.map(|t| -t), 1e-13, "two wrenches");
    assert!(refused(&["inverse", "lin-rr", "--wrench", "1,2"]).contains("expected three or six"));
    assert!(refused(&["inverse", "lin-rr", "--wrench", "1,2,3@hand"]).contains("link1, link2"));
}

/// Every row of a table has the wrench in the base's axes, at its own configuration.
#[test]
fn an_external_wrench_on_a_table() {
    let folder = folder("wrench-states");
    std::fs::write(folder.join("states.csv"), "q_theta1,q_theta2\n0.3,-0.8\n1.1,0.4\n").unwrap();
    let run = |command: &str, out: &str| {
        let line = [command, "lin-rr", "--states", "states.csv", "--out", out, "--wrench", "3,-7,0"];
        let output = run_in(&folder, &line);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let written = std::fs::read_to_string(folder.join(out)).unwrap();
        let mut lines = written.lines();
        let names: Vec<String> = lines.next().unwrap().split(',').map(String::from).collect();
        let rows = lines.map(|l| l.split(',').map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>());
        (names, rows.collect::<Vec<_>>())
    };
    let (_, inverse) = run("inverse", "tau.csv");
    for (row, q) in inverse.iter().zip(["0.3,-0.8", "1.1,0.4"]) {
        let one = json(&["inverse", "lin-rr", "--q", q, "--wrench", "3,-7,0", "--json"]);
        assert_close(row, &numbers(&one["tau"]), 1e-14, q);
    }
    let (names, terms) = run("terms", "terms.csv");
    let column = |name: &str| names.iter().position(|n| n == name).unwrap_or_else(|| panic!("{name}: {names:?}"));
    let one = json(&["terms", "lin-rr", "--q", "1.1,0.4", "--wrench", "3,-7,0", "--json"]);
    let found = [terms[1][column("tau_external_theta1")], terms[1][column("potential_energy")]];
    let expected = [numbers(&one["tau_external"])[0], one["energy"]["potential"].as_f64().unwrap()];
    assert_close(&found, &expected, 1e-14, "terms");
}

/// Jᵀ f of a spatial arm, with J by differences of positions.
#[test]
fn an_external_force_on_panda() {
    let q = [0.1, -0.6, 0.3, -2.0, 0.4, 1.7, -0.2];
    let line = |q: &[f64]| q.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    let position = |q: &[f64]| {
        numbers(&json(&["kinematics", "panda", "--q", &line(q), "--to", "flange", "--json"])["links"][0]["position"])
    };
    let force = [4.0, -9.0, 12.0];
    let expected: Vec<f64> = (0..7)
        .map(|k| {
            let moved = |h: f64| {
                let mut q = q;
                q[k] += h;
                position(&q)
            };
            let column = minus(&moved(1e-5), &moved(-1e-5));
            -column.iter().zip(force).map(|(x, f)| x / 2e-5 * f).sum::<f64>()
        })
        .collect();
    let tau =
        |more: &[&str]| numbers(&json(&[&["inverse", "panda", "--q", &line(&q), "--json"], more].concat())["tau"]);
    // Central differences: h² of the third derivative, and rounding / h.
    assert_close(&minus(&tau(&["--wrench", "4,-9,12"]), &tau(&[])), &expected, 1e-8, "−Jᵀ f");
}

/// Velocity and acceleration between two frames are the derivatives of the relative position, by differences.
#[test]
fn motion_between_two_frames() {
    let (q, qd, qdd) =
        ([0.2, -1.0, 1.2, 0.3, 0.7, 0.1], [0.5, -0.4, 0.8, 1.0, -0.6, 0.3], [1.0, 0.5, -0.7, 0.2, 0.9, 0.4]);
    let line = |x: &[f64]| x.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    let frames = ["--from", "forearm_link", "--to", "tool0", "--json"];
    let position = |t: f64| {
        let q: Vec<f64> = (0..6).map(|k| q[k] + qd[k] * t + 0.5 * qdd[k] * t * t).collect();
        numbers(&json(&[&["kinematics", "ur5e", "--q", &line(&q)], &frames[..]].concat())["links"][0]["position"])
    };
    let answer = json(
        &[&["kinematics", "ur5e", "--q", &line(&q), "--qd", &line(&qd), "--qdd", &line(&qdd)], &frames[..]].concat(),
    );
    let (now, h) = (position(0.0), 1e-4);
    let (before, after) = (position(-h), position(h));
    let link = &answer["links"][0];
    assert_close(&numbers(&link["position"]), &now, 1e-15, "position");
    let velocity: Vec<f64> = minus(&after, &before).iter().map(|x| x / (2.0 * h)).collect();
    assert_close(&numbers(&link["velocity"])[..3], &velocity, 1e-7, "velocity");
    let second: Vec<f64> = (0..3).map(|k| (after[k] - 2.0 * now[k] + before[k]) / (h * h)).collect();
    assert_close(&numbers(&link["acceleration"])[..3], &second, 1e-6, "acceleration");
    // Joints before both frames do not matter.
    let still = json(&[&["kinematics", "ur5e", "--q", &line(&q), "--qd", "1,1,1,0,0,0"], &frames[..]].concat());
    // Velocities of about 1 m/s cancel.
    assert!(numbers(&still["links"][0]["velocity"]).iter().all(|x| x.abs() < 1e-14), "at rest relative to each other");
    let tool = json(&["kinematics", "lin-rr", "--to", "tool", "--json"]);
    assert_close(&numbers(&tool["links"][0]["position"]), &[1.0, 0.0, 0.0], 1e-15, "the tool of lin-rr");
}

/// ½ m v² and m g h of two point masses.
#[test]
fn energies_of_lins_arm() {
    let energy = &json(&["terms", "lin-rr", "--q", "0.3,-0.8", "--qd", "1,2", "--json"])["energy"];
    let v = applied(lin().jacobian, QD);
    let kinetic = 0.5 * 2.0 * (0.6 * QD[0]).powi(2) + 0.5 * 1.5 * (v[0] * v[0] + v[1] * v[1]);
    let (y1, y2) = (0.6 * 0.3_f64.sin(), 0.6 * 0.3_f64.sin() + 0.4 * (-0.5_f64).sin());
    let potential = 9.81 * (2.0 * y1 + 1.5 * y2);
    let found = [energy["kinetic"].as_f64().unwrap(), energy["potential"].as_f64().unwrap()];
    assert_close(&found, &[kinetic, potential], 1e-13, "energy");
}

/// Gear ratios as Corke's table has them.
#[test]
fn show_prints_gear_ratios_and_the_tool() {
    let shown = said(&["show", "puma560"]);
    assert!(shown.contains("gear ratio") && shown.contains("76.69"), "{shown}");
    let joints = json(&["show", "puma560", "--json"])["joints"].as_array().unwrap().clone();
    let rotor = &joints.iter().find(|j| j["name"] == "joint6").unwrap()["dofs"][0]["rotors"][0];
    assert_eq!((rotor["gear"].as_f64(), rotor["inertia"].as_f64()), (Some(76.686), Some(3.3e-5)));
    assert!(said(&["show", "panda"]).contains("tool on `flange` (end link with the name of a tool)"));
    assert_eq!(json(&["show", "ur5e", "--json"])["tool"]["link"], "tool0");
}

/// What is written as MJCF is the same robot.
#[test]
fn convert_to_mjcf() {
    let folder = folder("convert-mjcf");
    let output = run_in(&folder, &["convert", "ur5e", "--out", "ur5e.xml"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let state = ["--q", "0.1,-1,1.2,0.3,0.7,0.1", "--qd", "1,1,1,1,1,1", "--payload", "2", "--json"];
    let found = run_in(&folder, &[&["inverse", "ur5e.xml"], &state[..]].concat());
    let found: Value = serde_json::from_str(&text(&found.stdout)).unwrap();
    let expected = json(&[&["inverse", "ur5e"], &state[..]].concat());
    assert_close(&numbers(&found["tau"]), &numbers(&expected["tau"]), 1e-12, "tau");
    assert!(refused(&["convert", "ur5e"]).contains("`mjcf`"));
}

#[test]
fn center_is_centre() {
    let line = |spelling| ["derive", "planar-2r", "--parameters", "symbolic", "--about", spelling];
    assert_eq!(said(&line("center")), said(&line("centre")));
}
