//! Everyday commands: check, show, inverse, forward, terms, explain, kinematics, convert, derive, ops.

use crate::typed::{assert_close, folder, json, refused_in, run, run_in, said, text};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap_or_else(|| panic!("{value}")).iter().map(|x| x.as_f64().unwrap()).collect()
}

fn list(values: &Value) -> String {
    numbers(values).iter().map(f64::to_string).collect::<Vec<_>>().join(",")
}

fn golden() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../armdyn-testkit/data/documents/jpl.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Lin's RR arm (slides 20–29): point masses 2 kg and 1.5 kg at 0.6 m and 0.4 m.
pub fn lin_rr(q: [f64; 2], qd: [f64; 2], qdd: [f64; 2]) -> [f64; 2] {
    let (m1, m2, l1, l2, g) = (2.0, 1.5, 0.6, 0.4, 9.81);
    let (c2, s2) = (q[1].cos(), q[1].sin());
    let m12 = m2 * l2 * l2 + m2 * l1 * l2 * c2;
    let m11 = m2 * l2 * l2 + 2.0 * m2 * l1 * l2 * c2 + (m1 + m2) * l1 * l1;
    let (h, g2) = (m2 * l1 * l2 * s2, m2 * l2 * g * (q[0] + q[1]).cos());
    [
        m11 * qdd[0] + m12 * qdd[1] - h * qd[1] * qd[1] - 2.0 * h * qd[0] * qd[1]
            + g2
            + (m1 + m2) * l1 * g * q[0].cos(),
        m12 * qdd[0] + m2 * l2 * l2 * qdd[1] + h * qd[0] * qd[0] + g2,
    ]
}

#[test]
fn inverse_gives_lins_torques() {
    let answer = json(&["inverse", "lin-rr", "--q", "0.3,-0.8", "--qd", "1,2", "--qdd", "-0.5,3", "--json"]);
    let expected = lin_rr([0.3, -0.8], [1.0, 2.0], [-0.5, 3.0]);
    assert_close(&numbers(&answer["tau"]), &expected, 1e-14, "tau");
    assert_eq!(answer["robot"], "lin-rr");
    assert_eq!(answer["joints"].as_array().unwrap().len(), 2);
}

#[test]
fn forward_undoes_inverse() {
    let tau = lin_rr([0.3, -0.8], [1.0, 2.0], [-0.5, 3.0]);
    let tau = format!("{},{}", tau[0], tau[1]);
    let answer = json(&["forward", "lin-rr", "--q", "0.3,-0.8", "--qd", "1,2", "--tau", &tau, "--json"]);
    assert_close(&numbers(&answer["qdd"]), &[-0.5, 3.0], 1e-13, "qdd");
}

/// A disc of 4 kg m² on an axle with Coulomb friction of 5 N m forward and 3 backward, and 1 more at rest.
#[test]
fn joints_at_rest_stick_within_their_static_friction() {
    let here = folder("stiction");
    let disc = "version = 1\nname = \"disc\"\n[[link]]\nname = \"d\"\nmass = 1\ninertia = { about = \"centre\", xx = 2, yy = 2, zz = 4 }\n\
                joint = { name = \"axle\", kind = \"revolute\", limits = { effort = { lower = -20, upper = 8 } }, friction = { \
                coulomb = { forward = 5, backward = 3 }, stribeck = 1, stribeck_speed = 0.1 } }\n";
    std::fs::write(here.join("disc.toml"), disc).unwrap();
    let run = |line: &[&str]| {
        let output = run_in(&here, line);
        assert!(output.status.success(), "{line:?}: {}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    let forward = |qd: &str, tau: &str| -> Value {
        serde_json::from_str(&run(&["forward", "disc.toml", "--qd", qd, "--tau", tau, "--json"]).0).unwrap()
    };
    for (qd, tau, qdd, friction, state) in [
        ("0", "1", 0.0, 1.0, "sticks"),
        ("0", "-3.9", 0.0, -3.9, "sticks"),
        ("0", "7", 0.25, 6.0, "slides"),
        ("0", "-7", -0.75, -4.0, "slides"),
        // At 0.1 rad/s half of the excess is left.
        ("0.1", "1", -1.125, 5.5, "slides"),
    ] {
        let answer = forward(qd, tau);
        assert_close(&numbers(&answer["qdd"]), &[qdd], 1e-14, "q̈");
        assert_close(&numbers(&answer["friction"]), &[friction], 1e-14, "friction");
        assert_eq!(answer["friction_state"], serde_json::json!([state]));
    }
    let (printed, warned) = run(&["forward", "disc.toml", "--tau", "9"]);
    assert!(printed.contains("slides") && printed.contains("0.75"), "{printed}");
    assert!(warned.contains("outside its effort limits [-20, 8]"), "{warned}");
    let inverse = |qd: &str, qdd: &str| -> Value {
        serde_json::from_str(&run(&["inverse", "disc.toml", "--qd", qd, "--qdd", qdd, "--json"]).0).unwrap()
    };
    assert_eq!(inverse("0", "0")["tau_range"], serde_json::json!([[-4.0, 6.0]]));
    assert_eq!(inverse("0", "0")["tau"], serde_json::json!([0.0]));
    // A joint that starts overcomes its static friction: 4 q̈ + 6, and backward 4 q̈ − 4.
    assert_eq!(inverse("0", "0.5")["tau_range"], serde_json::json!([[8.0, 8.0]]));
    for (qdd, tau, dry) in [("0.5", 8.0, 6.0), ("-1", -8.0, -4.0)] {
        assert_eq!(inverse("0", qdd)["tau"], serde_json::json!([tau]));
        let explained = run(&["explain", "disc.toml", "--qdd", qdd, "--json"]).0;
        let torque = &serde_json::from_str::<Value>(&explained).unwrap()["torques"][0];
        assert_eq!(torque["tau"], tau, "{explained}");
        let friction = torque["contributions"].as_array().unwrap().iter().find(|c| c["kind"] == "dry friction");
        assert_eq!(friction.unwrap()["torque"], dry, "{explained}");
    }
    assert!(inverse("1", "0").get("tau_range").is_none());
    let (printed, _) = run(&["inverse", "disc.toml"]);
    assert!(printed.contains("from") && printed.contains("-4") && printed.contains("static friction"), "{printed}");
    // The same in tables.
    std::fs::write(here.join("states.csv"), "qd_axle,tau_axle\n0,1\n0,7\n").unwrap();
    run(&["forward", "disc.toml", "--states", "states.csv", "--out", "out.csv", "--q", "0"]);
    let table = std::fs::read_to_string(here.join("out.csv")).unwrap();
    assert_eq!(table.lines().collect::<Vec<_>>(), ["qdd_axle,friction_axle", "0.0,1.0", "0.25,6.0"], "{table}");
    std::fs::write(here.join("motion.csv"), "qd_axle,qdd_axle\n0,0\n0,-1\n").unwrap();
    run(&["inverse", "disc.toml", "--states", "motion.csv", "--out", "tau.csv", "--q", "0"]);
    let table = std::fs::read_to_string(here.join("tau.csv")).unwrap();
    let expected = ["tau_axle,tau_min_axle,tau_max_axle", "0.0,-4.0,6.0", "-8.0,-8.0,-8.0"];
    assert_eq!(table.lines().collect::<Vec<_>>(), expected, "{table}");
}

#[test]
fn values_by_name_by_order_and_in_degrees_are_the_same() {
    let q = [0.3f64.to_degrees(), -0.8f64.to_degrees()];
    let order = json(&["inverse", "lin-rr", "--q", "0,-0.8", "--qd", "0,2", "--json"]);
    let name = json(&["inverse", "lin-rr", "--q", "theta2=-0.8", "--qd", "theta2=2", "--json"]);
    assert_eq!(order, name);
    let radians = json(&["inverse", "lin-rr", "--q", "0.3,-0.8", "--json"]);
    let degrees = json(&["inverse", "lin-rr", "--deg", "--q", &format!("{},{}", q[0], q[1]), "--json"]);
    assert_close(&numbers(&degrees["tau"]), &numbers(&radians["tau"]), 1e-14, "tau");
}

#[test]
fn a_payload_of_nothing_changes_no_bit() {
    let line = [
        "inverse",
        "jpl-rrp",
        "--q",
        "0.1,0.2,0.5,0.3,-0.4,1",
        "--qd",
        "1,2,0.3,-1,-2,0.5",
        "--qdd",
        "1,1,1,1,1,1",
        "--json",
    ];
    let nothing = [&line[..], &["--payload", "0"]].concat();
    assert_eq!(said(&line), said(&nothing));
}

#[test]
fn a_payload_weighs() {
    // On the end of Lin's second link, in the link's frame: as if m2 were larger, but at the joint's distance of 0.4 m.
    let bare = json(&["inverse", "lin-rr", "--json"]);
    let loaded = json(&["inverse", "lin-rr", "--payload", "2,0.4,0,0", "--json"]);
    let more: Vec<f64> = numbers(&loaded["tau"]).iter().zip(numbers(&bare["tau"])).map(|(a, b)| a - b).collect();
    assert_close(&more, &[2.0 * 9.81 * 1.0, 2.0 * 9.81 * 0.4], 1e-14, "m g x");
    let weightless = json(&["inverse", "lin-rr", "--payload", "2,0.4,0,0", "--gravity", "0", "--json"]);
    assert_close(&numbers(&weightless["tau"]), &[0.0, 0.0], 1e-14, "no gravity");
}

#[test]
fn wrenches_hold_the_weight_of_what_is_behind() {
    let answer = json(&["inverse", "jpl-rrp", "--wrenches", "--frame", "world", "--json"]);
    let first = &answer["wrenches"][0];
    assert_eq!(first["frame"], "world");
    let masses: f64 = numbers(&golden()["robot"]["m"]).iter().sum();
    assert_close(&numbers(&first["force"]), &[0.0, 0.0, masses * 9.81], 1e-6, "the arm's weight");
    assert_eq!(numbers(&first["moment"]).len(), 3);
}

#[test]
fn terms_of_the_jpl_arm_are_the_reports() {
    for state in &golden()["states"].as_array().unwrap()[..5] {
        let (q, qd) = (list(&state["q"]), list(&state["qd"]));
        let answer = json(&["terms", "jpl-rrp", "--no-drives", "--q", &q, "--qd", &qd, "--json"]);
        let expected = &state["noload"];
        for (row, wanted) in answer["M"].as_array().unwrap().iter().zip(expected["D_ij"].as_array().unwrap()) {
            assert_close(&numbers(row), &numbers(wanted), 2e-6, "M");
        }
        assert_close(&numbers(&answer["g"]), &numbers(&expected["D_i"]), 2e-6, "g");
        for key in ["C", "tau_bias"] {
            assert_eq!(answer[key].as_array().unwrap().len(), 6);
        }
    }
}

/// The report's coefficients: Σ D_ij q̈_j and the drives in table 1, Σ D_ijk q̇_j q̇_k, D_i in table 2.
#[test]
fn explain_gives_the_contributions_of_the_jpl_tables() {
    let data = golden();
    let drive = numbers(&data["robot"]["Im"]);
    for state in &data["states"].as_array().unwrap()[..5] {
        let [q, qd, qdd] = ["q", "qd", "qdd"].map(|k| numbers(&state[k]));
        let [a, b, c] = ["q", "qd", "qdd"].map(|k| list(&state[k]));
        let answer = json(&["explain", "jpl-rrp", "--q", &a, "--qd", &b, "--qdd", &c, "--json"]);
        assert_eq!(q.len(), 6);
        for i in 0..6 {
            let torque = &answer["torques"][i];
            let of = |kind: &str| -> f64 {
                let parts = torque["contributions"].as_array().unwrap().iter().filter(|p| p["kind"] == kind);
                parts.map(|p| p["torque"].as_f64().unwrap()).sum()
            };
            let inertia = numbers(&state["noload"]["D_ij"][i]);
            let products = numbers(&state["noload"]["D_ijk"][i]);
            let pairs: Vec<(usize, usize)> = (0..6).flat_map(|j| (j..6).map(move |k| (j, k))).collect();
            let velocity = |square: bool| -> f64 {
                let terms = pairs.iter().zip(&products).filter(|((j, k), _)| (j == k) == square);
                terms.map(|((j, k), d)| d * qd[*j] * qd[*k] * if j == k { 1.0 } else { 2.0 }).sum()
            };
            let coupling: f64 = (0..6).filter(|j| *j != i).map(|j| inertia[j] * qdd[j]).sum();
            let found = ["own inertia", "coupling inertia", "centrifugal", "Coriolis", "gravity", "rotor"].map(of);
            let gravity = state["noload"]["D_i"][i].as_f64().unwrap();
            let expected = [inertia[i] * qdd[i], coupling, velocity(true), velocity(false), gravity, drive[i] * qdd[i]];
            assert_close(&found, &expected, 1e-5, &format!("joint {}", i + 1));
            let whole = state["noload"]["tau_with_drive"][i].as_f64().unwrap();
            assert_close(&[torque["tau"].as_f64().unwrap()], &[whole], 1e-5, "tau");
        }
        let loaded = json(&["inverse", "jpl-rrp-loaded", "--q", &a, "--qd", &b, "--qdd", &c, "--json"]);
        assert_close(&numbers(&loaded["tau"]), &numbers(&state["load"]["tau_with_drive"]), 1e-5, "with load");
    }
}

#[test]
fn explain_shows_the_largest_first_with_bars() {
    let printed =
        said(&["explain", "jpl-rrp", "--q", "joint2=1,joint3=0.5", "--qdd", "1,1,0,0,0,0", "--joint", "joint2"]);
    let sizes: Vec<f64> = printed
        .lines()
        .filter(|l| l.contains('│'))
        .map(|l| {
            let before = l.split(['│', '█']).next().unwrap();
            before.split_whitespace().last().unwrap().parse::<f64>().unwrap().abs()
        })
        .collect();
    assert!(sizes.len() > 4 && sizes.is_sorted_by(|a, b| a >= b), "{printed}");
    assert!(printed.contains("weight of link3"));
}

#[test]
fn kinematics_of_lins_arm() {
    let answer = json(&["kinematics", "lin-rr", "--q", "0.3,-0.8", "--qd", "1,2", "--link", "link2", "--json"]);
    let links = answer["links"].as_array().unwrap();
    let elbow = links.iter().find(|l| l["link"] == "link2").unwrap();
    assert_close(&numbers(&elbow["position"]), &[0.6 * 0.3f64.cos(), 0.6 * 0.3f64.sin(), 0.0], 1e-14, "elbow");
    let half = 0.5 * (0.3f64 - 0.8);
    assert_close(&numbers(&elbow["quaternion"]), &[0.0, 0.0, half.sin(), half.cos()], 1e-14, "quaternion");
    let expected = [-0.6 * 0.3f64.sin(), 0.6 * 0.3f64.cos(), 0.0, 0.0, 0.0, 3.0];
    assert_close(&numbers(&answer["jacobian"]["velocity"]), &expected, 1e-14, "velocity");
}

#[test]
fn all_bundled_robots_are_listed_and_checked() {
    let all = json(&["robots", "--json"]);
    let names: Vec<&str> = all["robots"].as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect();
    for name in [
        "jpl-rrp",
        "jpl-rrp-loaded",
        "renaud-6r",
        "lin-rr",
        "lin-rp",
        "morris-neea",
        "lau-fig4",
        "lau-flexible",
        "lau-generalized",
        "puma560",
        "stanford",
        "ur3e",
        "ur5e",
        "ur10e",
        "panda",
        "iiwa14",
        "scara",
        "slender-two-link",
        "planar-2r",
        "two-arms",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    for name in names {
        assert_eq!(json(&["show", name, "--json"])["robot"], name);
        let output = run(&["check", name, "--json"]);
        assert!(output.status.code() < Some(2), "{name}: {}", text(&output.stdout));
    }
}

#[test]
fn a_converted_robot_is_the_same_robot() {
    let folder = folder("convert");
    for out in ["puma.toml", "puma.urdf"] {
        let path = folder.join(out);
        let path = path.to_str().unwrap();
        let answer = json(&["convert", "puma560", "--out", path, "--json"]);
        assert!(answer["losses"].is_array());
        let line = |robot: &str| json(&["terms", robot, "--q", "0.1,-0.2,0.3,-0.4,0.5,-0.6", "--json"]);
        let (here, there) = (line("puma560"), line(path));
        assert_close(&numbers(&there["g"]), &numbers(&here["g"]), 1e-12, out);
        for (a, b) in there["M"].as_array().unwrap().iter().zip(here["M"].as_array().unwrap()) {
            assert_close(&numbers(a), &numbers(b), 1e-12, out);
        }
    }
}

/// A chain of rods, each 1 m and 1 kg, that swing about y; with these names.
fn rods(folder: &Path, file: &str, joints: &[&str]) {
    let mut robot = "version = 1\nname = \"rods\"\n".to_string();
    for (k, joint) in joints.iter().enumerate() {
        let x = if k == 0 { 0 } else { 1 };
        robot += &format!("[[link]]\nname = \"rod{k}\"\nmass = 1\ncentre = [0.5, 0, 0]\n");
        robot += &format!(
            "joint = {{ name = \"{joint}\", kind = \"revolute\", axis = [0, 1, 0], origin = {{ xyz = [{x}, 0, 0] }} }}\n"
        );
    }
    std::fs::write(folder.join(file), robot).unwrap();
}

#[test]
fn joints_may_be_called_anything() {
    let folder = folder("names");
    rods(&folder, "rods.toml", &["a,b", "a", "x=y", "t", "关节 4", "tip"]);
    let ask = |q: &str| {
        let output = run_in(&folder, &["kinematics", "rods.toml", "--q", q, "--json"]);
        assert!(output.status.success(), "{q}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(ask("a,b=1, a =2,x=y = 3,t=4,关节 4=5"), ask("1,2,3,4,5,0"));
    // A joint's position, and not the time.
    std::fs::write(folder.join("in.csv"), "q[0],q[1],q[2],t,q[4],q[5]\n0,0,0,1.5707963267948966,0,0\n").unwrap();
    let output = run_in(&folder, &["inverse", "rods.toml", "--states", "in.csv", "--out", "out.csv"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    let last: f64 = written.lines().nth(1).unwrap().split(',').next_back().unwrap().parse().unwrap();
    assert!(written.starts_with("\"tau_a,b\"") && last.abs() < 1e-14, "the last rods hang down: {written}");
}

/// A reduction of 1 without a rotor is a placeholder: nothing is printed for the motor.
#[test]
fn a_placeholder_gear_has_no_motor_side() {
    let folder = folder("placeholder-gear");
    let clean = include_str!("../../../armdyn-import/tests/faults/clean.urdf");
    for (reduction, printed) in [("1", false), ("50", true)] {
        let gear = format!(
            r#"<transmission name="t"><joint name="left_shoulder"/><actuator name="m">
            <mechanicalReduction>{reduction}</mechanicalReduction></actuator></transmission></robot>"#
        );
        std::fs::write(folder.join("arm.urdf"), clean.replace("</robot>", &gear)).unwrap();
        let output = text(&run_in(&folder, &["range", "arm.urdf"]).stdout);
        assert_eq!(output.contains("at motor"), printed, "{reduction}: {output}");
    }
}

#[test]
fn check_reports_by_its_exit_code() {
    let faults = Path::new(env!("CARGO_MANIFEST_DIR")).join("../armdyn-import/tests/faults");
    let code = |line: &[&str]| run_in(&faults, line).status.code();
    assert_eq!(code(&["check", "clean.urdf"]), Some(0));
    assert_eq!(code(&["check", "A214-axis-not-unit.urdf"]), Some(1));
    assert_eq!(code(&["check", "A214-axis-not-unit.urdf", "--strict"]), Some(2));
    assert_eq!(code(&["check", "A201-negative-mass.urdf"]), Some(2));
    // Meshes are opened by `check` alone.
    assert_eq!(code(&["check", "clean.mesh.urdf"]), Some(0));
    assert_eq!(code(&["check", "A205-mesh-centre-sign.urdf"]), Some(1));
    assert!(run_in(&faults, &["show", "A205-mesh-centre-sign.urdf"]).stderr.is_empty());
    assert_eq!(code(&["check", "."]), Some(2));
    let printed = text(&run_in(&faults, &["check", "A201-negative-mass.urdf"]).stdout);
    for what in ["A201", "A201-negative-mass.urdf:", "<mass", "Why it matters"] {
        assert!(printed.contains(what), "no `{what}` in {printed}");
    }
    let explained = said(&["check", "--explain", "a201"]);
    assert!(explained.contains("physics") && explained.contains("negative mass"), "{explained}");
    assert_eq!(json(&["check", "--explain", "A201", "--json"])["title"], "negative mass");
    let all: Value = serde_json::from_str(&text(&run_in(&faults, &["check", ".", "--json"]).stdout)).unwrap();
    let found = all["findings"].as_array().unwrap();
    for code in ["A002", "A101", "A203", "A301", "A402", "A501"] {
        let finding = found.iter().find(|f| f["code"] == code).unwrap_or_else(|| panic!("{code}"));
        assert!(finding["file"].is_string() && finding["line"].is_u64(), "{finding}");
    }
}

#[test]
fn a_quaternion_must_be_a_rotation() {
    let folder = folder("quaternion");
    let robot = "version = 1\nname = \"r\"\n[[link]]\nname = \"l\"\nmass = 1\ncentre = [1, 0, 0]\njoint = { name = \"b\", kind = \"spherical\" }\n";
    std::fs::write(folder.join("ball.toml"), robot).unwrap();
    std::fs::write(folder.join("zero.csv"), "b.qx,b.qy,b.qz,b.qw\n0,0,0,1\n0,0,0,0\n").unwrap();
    refused_in(&folder, &["inverse", "ball.toml", "--q", "b.qx=1"], &["b.qx, b.qy, b.qz, b.qw", "length 1.41"]);
    refused_in(&folder, &["inverse", "ball.toml", "--states", "zero.csv", "--out", "o.csv"], &["row 2", "length 0"]);
    // Half a turn about z, and a quarter in three digits: the centre goes to -x, to y.
    for (q, x, y) in [("b.qz=1,b.qw=0", -1.0, 0.0), ("b.qz=0.707,b.qw=0.707", 0.0, 1.0)] {
        let output = run_in(&folder, &["kinematics", "ball.toml", "--q", q, "--json"]);
        let answer: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
        let axis: Vec<f64> = (0..3).map(|k| answer["links"][1]["rotation"][k][0].as_f64().unwrap()).collect();
        assert_close(&axis, &[x, y, 0.0], 1e-14, q);
    }
}

#[test]
fn a_robot_that_does_not_move_has_empty_terms() {
    let folder = folder("still");
    std::fs::write(folder.join("still.urdf"), "<robot name='r'><link name='a'/></robot>").unwrap();
    for form in ["state-space", "configuration"] {
        let output = run_in(&folder, &["terms", "still.urdf", "--form", form, "--christoffel", "--json"]);
        let answer: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
        assert_eq!((&answer["M"], &answer["christoffel"]), (&Value::Array(vec![]), &Value::Array(vec![])));
        assert!(run_in(&folder, &["terms", "still.urdf", "--form", form, "--christoffel"]).status.success());
    }
}

#[test]
fn degrees_go_in_and_come_out() {
    let (radians, degrees) = (json(&["show", "panda", "--json"]), json(&["show", "panda", "--json", "--deg"]));
    let upper = |answer: &Value| answer["joints"][1]["dofs"][0]["upper"].as_f64().unwrap();
    assert_close(&[upper(&degrees)], &[upper(&radians).to_degrees()], 1e-14, "upper");
    assert_eq!(degrees["joints"][1]["dofs"][0]["unit"], "°");
    let [q, tau] = [["--q", "30,-40"], ["--tau", "1,2"]];
    let turned = json(&["forward", "lin-rr", "--deg", q[0], q[1], tau[0], tau[1], "--json"]);
    let [a, b] = [30f64.to_radians(), -40f64.to_radians()];
    let back = lin_rr([a, b], [0.0; 2], [0, 1].map(|k| numbers(&turned["qdd"])[k].to_radians()));
    assert_close(&back, &[1.0, 2.0], 1e-13, "tau");
}

#[test]
fn check_reads_files_whatever_they_are_called() {
    let folder = folder("odd-names");
    let write = |name: &std::ffi::OsStr| std::fs::write(folder.join(name), "<robot name='r'><link name='a'/></robot>");
    write("plain name.urdf".as_ref()).unwrap();
    #[cfg(target_os = "linux")]
    write(std::os::unix::ffi::OsStrExt::from_bytes(b"caf\xe9.urdf")).unwrap();
    let output = run_in(&folder, &["check", "."]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

/// An output that cannot be written: no panic, and the exit code is right.
#[test]
#[cfg(target_os = "linux")]
fn outputs_that_cannot_be_written() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let armdyn = || Command::new(env!("CARGO_BIN_EXE_armdyn"));
    assert_eq!(armdyn().args(["inverse", "pandas"]).stderr(full()).status().unwrap().code(), Some(2));
    assert_eq!(armdyn().args(["inverse", "panda"]).stdout(full()).stderr(full()).status().unwrap().code(), Some(2));
}

/// Names in robot files cannot control the terminal.
#[test]
fn control_characters_are_not_printed() {
    let folder = folder("control");
    rods(&folder, "rods.toml", &["esc\\u001b[31m", "bell\\u0007\\u009b"]);
    std::fs::write(folder.join("bad.urdf"), "<robot name='\u{1b}[31m'>").unwrap();
    for line in
        [&["show", "rods.toml"][..], &["inverse", "rods.toml", "--q", "no=1"], &["check", "rods.toml", "bad.urdf"]]
    {
        let output = run_in(&folder, line);
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert!(printed.contains("[31m") && !printed.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{line:?}: {printed:?}");
    }
}

/// Rounding errors print as 0: Christoffel symbols and gravity that vanish, positions that a search resolves to 1e-8, ratios and sums
/// of terms that cancel.
#[test]
fn rounding_errors_print_as_zero() {
    let size = ["size", "scara", "--random-moves", "1", "--effort", "100", "--speeds", "2", "--samples", "200"];
    for line in [
        &["terms", "puma560", "--christoffel"][..],
        &["terms", "morris-neea", "--form", "configuration"],
        &["range", "jpl-rrp"],
        &["range", "slender-two-link"],
        &["importance", "morris-neea", "--speeds", "1", "--accelerations", "1", "--samples", "500", "--ratios", "R12"],
        &size,
    ] {
        let printed = said(line);
        let tiny = |word: &str| {
            let exponent = word.split_once("e-").and_then(|(_, e)| e.parse::<u32>().ok());
            exponent.is_some_and(|e| e > 9)
        };
        let words: Vec<&str> = printed.split([' ', '\n', ';', ',', '(', ')']).filter(|w| tiny(w)).collect();
        assert!(words.is_empty(), "{line:?}: {words:?}");
    }
}

/// A vertical joint whose axis is written as two quarter turns: gravity leaves 1e-17 N m about it, which is no contribution.
#[test]
fn gravity_about_a_vertical_axis_is_no_contribution() {
    let robot = r#"<robot name="turntable">
      <link name="base"/>
      <link name="table"><inertial><origin xyz="0.3 0.2 0.1"/><mass value="5"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="turn" type="continuous"><parent link="base"/><child link="table"/>
        <origin rpy="1.5707963267948966 0 0"/><axis xyz="0 1 0"/></joint>
    </robot>"#;
    let file = folder("turntable").join("turntable.urdf");
    std::fs::write(&file, robot).unwrap();
    let printed = said(&["explain", file.to_str().unwrap(), "--q", "0.7"]);
    assert!(printed.contains("turn: 0 N m") && !printed.contains('█'), "{printed}");
}

/// Branches of the tree are connected.
#[test]
fn the_tree_of_a_robot_with_two_arms() {
    let printed = said(&["show", "two-arms"]);
    for line in [
        "└─ waist_joint (revolute) ─ torso",
        "   ├─ left_mount (fixed) ─ left_base_link",
        "   │  └─ left_tilt (fixed) ─ left_base",
        "   └─ right_mount (fixed) ─ right_base_link",
        "      └─ right_tilt (fixed) ─ right_base",
    ] {
        assert!(printed.lines().any(|l| l == line), "{line} is not in\n{printed}");
    }
}
