//! armdyn's TOML format: robots of the documents against their golden torques, one arm in three conventions, findings for
//! every kind of invalid file, and exact round trips.

use armdyn_core::*;
use armdyn_import::*;
use armdyn_testkit::{assert_close, torques};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn robot_text(name: &str) -> String {
    std::fs::read_to_string(root().join("crates/armdyn-import/robots").join(name)).expect("the robot is there")
}

fn load_str(text: &str) -> Loaded {
    load_text(Path::new("robot.toml"), text.to_string(), Format::Toml, &Options::default())
}

/// The model of a valid text.
fn model(text: &str) -> Model<f64> {
    let loaded = load_str(text);
    let lines: Vec<String> = loaded.findings.iter().map(|f| f.line(&loaded.sources)).collect();
    loaded.model().unwrap_or_else(|| panic!("{}", lines.join("\n"))).expect("a model")
}

fn golden(file: &str) -> Value {
    let text = std::fs::read_to_string(root().join("crates/armdyn-testkit/data/documents").join(file))
        .expect("the data is there");
    serde_json::from_str(&text).expect("the data is JSON")
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().expect("an array").iter().map(|x| x.as_f64().expect("a number")).collect()
}

#[test]
fn the_jpl_arm_in_british_units() {
    let arm = robot_text("jpl-rrp.toml");
    // 27 in³ of 1.8 kg at the origin of frame 6.
    let load = "\n[[payload]]\nname = \"load\"\nlink = \"link6\"\nbodies = [{ kind = \"cube\", side = \"3 in\", mass = \"1.8 kg\" }]\n";
    let arms = [("noload", model(&arm)), ("load", model(&(arm + load)))];
    let data = golden("jpl.json");
    let states = data["states"].as_array().expect("states");
    assert_eq!(states.len(), 50);
    for s in states {
        let [q, qd, qdd] = ["q", "qd", "qdd"].map(|k| numbers(&s[k]));
        for (key, m) in &arms {
            assert_close(key, &torques(m, &q, &qd, &qdd), &numbers(&s[key]["tau_with_drive"]), 1e-12);
            assert_close(key, &torques(&m.without_drives(), &q, &qd, &qdd), &numbers(&s[key]["tau"]), 1e-12);
        }
    }
}

#[test]
fn a_catalogue_of_motors_and_gears() {
    let loaded = load_catalogue(Path::new("generic"));
    assert!(loaded.findings.is_empty(), "{:?}", loaded.findings);
    let generic = loaded.catalogue.expect("a catalogue");
    let motor = generic.motors.iter().find(|m| m.name == "servo 400 W").expect("a motor");
    assert_eq!((motor.inertia, motor.mass, motor.copper_loss), (0.26 / 1e4, 1.3, None));
    assert_eq!((motor.curve[0].speed, motor.curve[0].peak), (100.0 * std::f64::consts::PI, 3.8));
    let screw = generic.gears.iter().find(|g| g.linear).expect("a screw");
    assert_eq!((screw.ratio, screw.average), (std::f64::consts::TAU / 0.005, 4000.0));
    // A motor that is heavier is stronger, at rest and fast.
    for pair in generic.motors.windows(2) {
        let [a, b] = [&pair[0], &pair[1]].map(|m| (m.mass, m.inertia, m.at(0.0).continuous, m.at(500.0).peak));
        assert!(a.0 < b.0 && a.1 < b.1 && a.2 < b.2 && a.3 < b.3, "{pair:?}");
    }
    let missing = load_catalogue(Path::new("nowhere.toml"));
    assert!(missing.catalogue.is_none() && missing.findings[0].code.id == "A001");
}

#[test]
fn renauds_arm_in_modified_parameters() {
    let g = &golden("lau-renaud-lin-morris.json")["renaud"]["six_R"];
    let [q, qd, qdd] = ["q", "qd", "qdd"].map(|k| numbers(&g[k]));
    assert_close("Γ", &torques(&model(&robot_text("renaud-6r.toml")), &q, &qd, &qdd), &numbers(&g["Gamma"]), 1e-12);
}

#[test]
fn lins_arms_in_frames() {
    let g = &golden("lau-renaud-lin-morris.json")["lin"];
    for (file, key, names) in
        [("lin-rr.toml", "RR", ["theta", "thetad", "thetadd"]), ("lin-rp.toml", "RP", ["q", "qd", "qdd"])]
    {
        let [q, qd, qdd] = names.map(|k| numbers(&g[key]["params"][k]));
        assert_close(key, &torques(&model(&robot_text(file)), &q, &qd, &qdd), &numbers(&g[key]["tau"]), 1e-12);
    }
}

#[test]
fn morris_and_neeas_arm_of_lumped_parts() {
    let g = &golden("lau-renaud-lin-morris.json")["morris"];
    let m = model(&robot_text("morris-neea.toml"));
    let back = |v: &Value| numbers(v).into_iter().rev().collect::<Vec<f64>>();
    let states = g["more_states"].as_array().expect("states").iter();
    let first = (&g["state"], &g["M"]);
    for (s, expected) in std::iter::once(first).chain(states.map(|s| (s, &s["M"]))) {
        let [q, qd, qdd] = ["th", "thd", "thdd"].map(|k| back(&s[k]));
        assert_close("M", &torques(&m, &q, &qd, &qdd), &back(expected), 1e-12);
    }
}

/// An arm with a bent first link, a slider and a turned wrist: three ways to place its joints. Bodies are about each
/// convention's own frames, so they are points, given where they are in each.
#[test]
fn one_arm_in_three_conventions() {
    // Standard: link i's frame at the far end. α₁ = 90°, a₁ = 0.3, α₂ = −90°.
    let dh = r#"
version = 1
name = "arm"
convention = "dh"
[[link]]
name = "one"
joint = { name = "j1", kind = "revolute", dh = { theta = 0.2, d = 0.5, a = 0.3, alpha = "90 deg" }, drive = { rotor = 1e-4, gear = 50, axis = [0, 0, 1] } }
bodies = [{ kind = "point", mass = 2, at = { xyz = [0.1, -0.2, 0.3] } }]
[[link]]
name = "two"
joint = { name = "j2", kind = "prismatic", dh = { theta = 0.4, d = 0.1, a = 0, alpha = "-90 deg" } }
bodies = [{ kind = "point", mass = 1.5, at = { xyz = [0.05, 0.06, 0.07] } }, { kind = "rod", along = "x", length = 0.4, mass = 1 }]
[[link]]
name = "three"
joint = { name = "j3", kind = "revolute", dh = { theta = 0, d = 0.2, a = 0.25, alpha = 0 }, drive = { rotor = 2e-4, gear = 30, axis = [0, 1, 0] } }
bodies = [{ kind = "point", mass = 1, at = { xyz = [0, 0.1, 0] } }, { kind = "cube", side = 0.1, mass = 0.5 }]
"#;
    // Modified: link i's frame at the near end; what was at p is now at Trans(x, a) Rot(x, α) p.
    let mdh = r#"
version = 1
name = "arm"
convention = "mdh"
[[link]]
name = "one"
joint = { name = "j1", kind = "revolute", mdh = { theta = 0.2, d = 0.5 }, drive = { rotor = 1e-4, gear = 50, axis = [0, 0, 1] } }
bodies = [{ kind = "point", mass = 2, at = { xyz = [0.4, -0.3, -0.2] } }]
[[link]]
name = "two"
joint = { name = "j2", kind = "prismatic", mdh = { alpha = "90 deg", a = 0.3, theta = 0.4, d = 0.1 } }
bodies = [{ kind = "point", mass = 1.5, at = { xyz = [0.05, 0.07, -0.06] } }, { kind = "rod", along = "x", length = 0.4, mass = 1 }]
[[link]]
name = "three"
joint = { name = "j3", kind = "revolute", mdh = { alpha = "-90 deg", d = 0.2 }, drive = { rotor = 2e-4, gear = 30, axis = [0, 0, -1] } }
bodies = [{ kind = "point", mass = 1, at = { xyz = [0.25, 0.1, 0] } }, { kind = "cube", side = 0.1, mass = 0.5, at = { xyz = [0.25, 0, 0] } }]
"#;
    // Frames, by hand: Rot(x, 90°) Rot(z, 0.4) has roll 90° and the pitch −0.4 … in Rz Ry Rx it is rpy = (90°, −0.4, 0).
    let frames = r#"
version = 1
name = "arm"
[[link]]
name = "one"
joint = { name = "j1", kind = "revolute", origin = { xyz = [0, 0, 0.5], rpy = [0, 0, 0.2] }, drive = { rotor = 1e-4, gear = 50, axis = [0, 0, 1] } }
mass = 2
centre = [0.4, -0.3, -0.2]
[[link]]
name = "two"
joint = { name = "j2", kind = "prismatic", axis = [0, 0, 1], origin = { xyz = [0.3, -0.1, 0], rpy = ["90 deg", -0.4, 0] } }
bodies = [{ kind = "point", mass = 1.5, at = { xyz = [0.05, 0.07, -0.06] } }, { kind = "box", size = [0.4, 0, 0], mass = 1 }]
[[link]]
name = "three"
parent = "two"
joint = { name = "j3", kind = "revolute", origin = { xyz = [0, 0.2, 0], rotation = [[1, 0, 0], [0, 0, 1], [0, -1, 0]] }, drive = { rotor = 2e-4, gear = 30, axis = [0, 0, -1] } }
bodies = [{ kind = "point", mass = 1, at = { xyz = [0.25, 0.1, 0] } }, { kind = "box", size = "10 10 10 cm", density = "0.5 g/cm3", at = { xyz = [0.25, 0, 0], rpy = "0 0 90 deg" } }]
"#;
    let [dh, mdh, frames] = [dh, mdh, frames].map(model);
    for k in 0..20 {
        let at = |shift: f64| [0, 1, 2].map(|i| (1.7 * k as f64 + 0.9 * i as f64 + shift).sin() * 1.5);
        let (q, qd, qdd) = (at(0.1), at(1.3), at(2.2));
        let reference = torques(&dh, &q, &qd, &qdd);
        assert_close("mdh", &torques(&mdh, &q, &qd, &qdd), &reference, 1e-12);
        assert_close("frames", &torques(&frames, &q, &qd, &qdd), &reference, 1e-12);
    }
}

const HEAD: &str = "version = 1\nname = \"r\"\n";
const LINK: &str = "[[link]]\nname = \"a\"\nmass = 1\njoint = { name = \"j\", kind = \"revolute\" }\n";

/// The findings of a text: code, line, column, what.
fn found(text: &str) -> Vec<(String, usize, usize, String)> {
    let loaded = load_str(text);
    let tell = |f: &Finding| {
        let (line, column) = f.place.as_ref().map_or((0, 0), |p| loaded.sources.line_column(p));
        (f.code.id.to_string(), line, column, f.message.clone())
    };
    loaded.findings.iter().map(tell).collect()
}

/// Asserts a single finding with this code, location and text.
fn assert_found(text: &str, code: &str, line: usize, column: usize, says: &str) {
    let all = found(text);
    let [one] = all.as_slice() else { panic!("one finding {code} expected in\n{text}\nfound {all:#?}") };
    assert_eq!((one.0.as_str(), one.1, one.2), (code, line, column), "{}\n{text}", one.3);
    assert!(one.3.contains(says), "`{}` should say `{says}`", one.3);
    assert!(load_str(text).description.is_none());
}

/// A link with an additional line, the fifth of the text.
fn with(line: &str) -> String {
    format!("{HEAD}[[link]]\nname = \"a\"\n{line}\nmass = 1\njoint = {{ name = \"j\", kind = \"revolute\" }}\n")
}

/// A link with this joint, on the text's fifth line after `joint = `.
fn jointed(joint: &str) -> String {
    format!("{HEAD}[[link]]\nname = \"a\"\njoint = {joint}\nmass = 1\n")
}

#[test]
fn faults_are_found_at_their_location() {
    // The text as a whole.
    assert_found("version = 1\nname = \"r", "A002", 2, 10, "");
    assert_found("version = 1\nname = \"r\"\nname = \"s\"\n", "A002", 3, 1, "");
    assert_found("name = \"r\"\n", "A004", 1, 1, "missing `version`");
    assert_found("version = 2\nname = \"r\"\nnew = 1\n", "A007", 1, 11, "expected 1");
    assert_found("version = \"1\"\nname = \"r\"\n", "A007", 1, 11, "not an integer");
    assert_found("version = 1\n", "A004", 1, 1, "missing `name`");
    assert_found("version = 1\nname = \"r\"\ngravty = [0, 0, 0]\n", "A010", 3, 1, "did you mean `gravity`?");
    assert_found("version = 1\nname = \"r\"\nconvention = \"hd\"\n", "A005", 3, 14, "`frames`, `dh`, `mdh`");
    assert_found("version = 1\nname = 7\n", "A005", 2, 8, "expected a string");
    assert_found(&format!("{HEAD}gravity = [0, 0]\n"), "A005", 3, 11, "2 components: expected 3");
    assert_found(
        &format!("{HEAD}gravity = [0, 0, \"9.81 m\"]\n"),
        "A006",
        3,
        18,
        "`m` is a unit of length; units of acceleration are m/s2",
    );
    assert_found(&format!("{HEAD}link = 3\n"), "A005", 3, 8, "expected an array");
    // Links.
    assert_found(&with("mas = 2"), "A010", 5, 1, "link `a`: unknown field `mas`; did you mean `mass`?");
    assert_found(&with("colour = \"red\""), "A010", 5, 1, "expected one of `name`");
    assert_found(
        &with("centre = \"4 0 0 kg\""),
        "A006",
        5,
        10,
        "`kg` is a unit of mass; units of length are m, mm, cm",
    );
    assert_found(&with("centre = [0, \"4 ells\", 0]"), "A006", 5, 14, "unknown unit `ells`");
    assert_found(&with("centre = \"4 0 0\""), "A006", 5, 10, "without a unit");
    assert_found(&with("centre = \"far\""), "A005", 5, 10, "a number, a space and a unit");
    assert_found(&with("centre = [0, nan, 0]"), "A202", 5, 14, "NaN");
    assert_found(&with("centre = [0, 0, \"inf m\"]"), "A202", 5, 17, "not finite");
    assert_found(&with("centre = [0, 0, \"1e308 km\"]"), "A202", 5, 17, "not finite");
    assert_found(&with("centre = true"), "A005", 5, 10, "a boolean");
    assert_found(&with("inertia = { xx = 1, yy = 1, zz = 1 }"), "A004", 5, 11, "link `a`, inertia: missing `about`");
    assert_found(&with("inertia = { about = \"centr\" }"), "A005", 5, 21, "did you mean `centre`?");
    assert_found(&with("inertia = { about = \"centre\", xx = \"1 kg\" }"), "A006", 5, 36, "kg-m2, g-mm2");
    assert_found(&with("inertia = [1, 1, 1]"), "A005", 5, 11, "is an array: expected a table");
    assert_found(&with("parent = \"bsae\""), "A103", 5, 10, "did you mean `base`?");
}

#[test]
fn names_and_parents() {
    let twice = format!("{HEAD}{LINK}{}", LINK.replace("\"j\"", "\"k\""));
    assert_found(&twice, "A101", 8, 8, "duplicate link `a`");
    assert_found(&format!("{HEAD}{LINK}{}", LINK.replace("\"a\"", "\"b\"")), "A102", 10, 18, "duplicate joint `j`");
    assert_found(&format!("{HEAD}{}", LINK.replace("\"a\"", "\"base\"")), "A101", 4, 8, "duplicate link `base`");
    let later = format!(
        "{HEAD}{}{}",
        LINK.replace("mass", "parent = \"b\"\nmass"),
        LINK.replace("\"a\"", "\"b\"").replace("\"j\"", "\"k\"")
    );
    assert_found(&later, "A103", 5, 10, "move it before");
    assert_found(&format!("{HEAD}[[link]]\nname = \"a\"\n"), "A004", 3, 1, "link `a`: missing `joint`");
}

#[test]
fn joints() {
    assert_found(&jointed("{ kind = \"revolute\" }"), "A004", 5, 9, "missing `name`");
    assert_found(&jointed("{ name = \"j\" }"), "A004", 5, 9, "joint `j`: missing `kind`");
    assert_found(&jointed("{ name = \"j\", kind = \"revolut\" }"), "A008", 5, 30, "did you mean `revolute`?");
    assert_found(&jointed("{ name = \"j\", kind = \"revolute\", axis = [0, 0, 0] }"), "A005", 5, 49, "null vector");
    assert_found(
        &jointed("{ name = \"j\", kind = \"revolute\", axis = \"0 0 1 m\" }"),
        "A005",
        5,
        49,
        "a plain number",
    );
    assert_found(&jointed("{ name = \"j\", kind = \"helical\" }"), "A004", 5, 9, "missing `pitch`");
    let earlier = jointed("{ name = \"j\", kind = \"revolute\", limits = { rated = 3 } }");
    assert_found(&earlier, "A010", 5, 53, "did you mean `continuous`?");
    assert_found(&jointed("{ name = \"j\", kind = \"universal\", axes = [[1, 0, 0]] }"), "A005", 5, 50, "expected two");
    assert_found(&jointed("{ name = \"j\", kind = \"revolute\", pitch = 1 }"), "A005", 5, 50, "does not apply");
    assert_found(
        &jointed("{ name = \"j\", kind = \"revolute\", dh = { a = 1 } }"),
        "A005",
        5,
        47,
        "convention `frames`",
    );
    assert_found(
        &jointed("{ name = \"j\", kind = \"revolute\", origin = { xyz = [0, 0] } }"),
        "A005",
        5,
        59,
        "expected 3",
    );
    let bent = "{ name = \"j\", kind = \"revolute\", origin = { rotation = [[1, 0, 0], [0, 1, 0], [0, 0, -1]] } }";
    assert_found(&jointed(bent), "A005", 5, 64, "not a rotation");
    assert_found(
        &jointed("{ name = \"j\", kind = \"prismatic\", limits = { speed = \"3 rad/s\" } }"),
        "A006",
        5,
        62,
        "units of speed are m/s, mm/s",
    );
    assert_found(
        &jointed("{ name = \"j\", kind = \"revolute\", limits = { effort = \"3 N\" } }"),
        "A006",
        5,
        62,
        "units of torque are N-m",
    );
    assert_found(
        &jointed("{ name = \"j\", kind = \"revolute\", drive = { rotor = 1 } }"),
        "A004",
        5,
        50,
        "missing `gear`",
    );
    assert_found(
        &jointed("{ name = \"j\", kind = \"revolute\", friction = { coulomb = 2, static = 1, stribeck_speed = 1 } }"),
        "A306",
        5,
        77,
        "below",
    );
    assert_found(
        &jointed("{ name = \"j\", kind = \"revolute\", friction = { static = 1 } }"),
        "A004",
        5,
        53,
        "missing `stribeck_speed`",
    );
    assert_found(
        &jointed("{ name = \"j\", kind = \"spherical\", drive = { armature = 1 } }"),
        "A005",
        5,
        51,
        "array `drives`",
    );
    assert_found(&jointed("{ name = \"j\", kind = \"planar\", drives = [{}, {}] }"), "A005", 5, 49, "expected 3");
    assert_found(
        &jointed("{ name = \"j\", kind = \"generalized\", rotations = [\"yawn\"] }"),
        "A005",
        5,
        58,
        "did you mean `yaw`?",
    );
    let dh = jointed("{ name = \"j\", kind = \"spherical\", dh = {} }")
        .replace("name = \"r\"", "name = \"r\"\nconvention = \"dh\"");
    assert_found(&dh, "A005", 6, 30, "single axis");
    let dh =
        jointed("{ name = \"j\", kind = \"revolute\" }").replace("name = \"r\"", "name = \"r\"\nconvention = \"dh\"");
    assert_found(&dh, "A004", 6, 9, "missing `dh`");
}

#[test]
fn bodies_payloads_rotors_beams() {
    let body = |b: &str| with(&format!("bodies = [{b}]"));
    assert_found(&body("{ kind = \"cube\", side = 1e200, density = 1 }"), "A202", 5, 11, "overflows");
    assert_found(&body("{ mass = 1 }"), "A004", 5, 11, "missing `kind`");
    assert_found(&body("{ kind = \"ball\", mass = 1 }"), "A005", 5, 20, "`sphere`");
    assert_found(&body("{ kind = \"sphere\", mass = 1 }"), "A004", 5, 11, "`radius` or `diameter`");
    assert_found(&body("{ kind = \"cube\", side = 1 }"), "A004", 5, 11, "`mass` or `density`");
    assert_found(&body("{ kind = \"cube\", side = -1, mass = 1 }"), "A005", 5, 35, "expected a positive number");
    assert_found(&body("{ kind = \"point\", density = 1 }"), "A005", 5, 39, "no volume");
    assert_found(&body("{ kind = \"cube\", side = 1, mass = 1, length = 2 }"), "A010", 5, 48, "`length`");
    assert_found(
        &body("{ kind = \"tube\", along = \"x\", length = 1, outer = 1, inner = 2, mass = 1 }"),
        "A005",
        5,
        72,
        "between zero and `outer`",
    );
    assert_found(&body("{ kind = \"rod\", along = \"w\", length = 1, mass = 1 }"), "A005", 5, 35, "`x`, `y`, `z`");
    let more = |t: &str| format!("{HEAD}{LINK}{t}");
    assert_found(&more("[[payload]]\nname = \"p\"\nlink = \"c\"\nmass = 1\n"), "A103", 9, 8, "unknown link `c`");
    assert_found(&more("[[payload]]\nname = \"p\"\nlink = \"a\"\n"), "A004", 7, 1, "`mass` or `bodies`");
    assert_found(&more("[[coupled_rotor]]\ninertia = 1\ngears = { jj = 2 }\n"), "A005", 9, 16, "did you mean `j`?");
    assert_found(&more("[material.steel]\nE = \"200 GPa\"\nG = \"80 kg\"\n"), "A006", 9, 5, "units of modulus are Pa");
    assert_found(
        &more("[section.s]\nkind = \"box\"\nwidth = 0.1\nheight = 0.1\nwall = 0.06\n"),
        "A005",
        11,
        8,
        "too thick",
    );
    let steel = "[material.steel]\nE = 1\nG = 1\n[[link]]";
    let beam = |b: &str| with(&format!("beam = {b}")).replace("[[link]]", steel);
    assert_found(&beam("{ section = \"s\", length = 1, material = \"steel\" }"), "A005", 8, 20, "unknown section `s`");
}

#[test]
fn contacts_and_their_faults() {
    let text = |lines: &str| format!("{HEAD}{LINK}[[contact]]\nname = \"w\"\n{lines}\n");
    let d = load_str(&text(
        "at = \"100 0 -50 mm\"\nkind = \"driven\"\nrolls = [0, 3, 4]\nfriction = { static = 0.8 }\nstiffness = \"2 N/mm\"",
    ));
    let d = d.description.unwrap_or_else(|| panic!("{:?}", d.findings));
    let [ContactDescription { contact: w, .. }] = d.contacts.as_slice() else { panic!("{:?}", d.contacts) };
    assert_eq!((w.name.as_str(), w.position, w.kind), ("w", [0.1, 0.0, -0.05], ContactKind::Driven));
    assert_eq!((w.rolling_direction, w.stiffness, w.radius), ([0.0, 0.6, 0.8], Some(2000.0), None));
    assert_eq!(w.friction, ContactFriction { static_friction: Some(0.8), ..Default::default() });
    round_trip(&d);
    assert_found(&text("at = [0, 0, 0]"), "A004", 7, 1, "contact `w`: missing `kind`");
    assert_found(&text("kind = \"foot\""), "A004", 7, 1, "contact `w`: missing `at`");
    assert_found(
        &text("at = [0, 0, 0]\nkind = \"wheel\""),
        "A005",
        10,
        8,
        "`foot`, `castor`, `fixed`, `driven`, `omni`",
    );
    assert_found(&text("at = [0, nan, 0]\nkind = \"foot\""), "A202", 9, 10, "NaN");
    let foot = |line: &str| text(&format!("at = [0, 0, 0]\nkind = \"foot\"\n{line}"));
    assert_found(&foot("rolls = [0, 0, 0]").replace("foot", "fixed"), "A005", 11, 9, "null vector");
    assert_found(&foot("rolls = [0, 1, 0]"), "A010", 11, 9, "does not apply to a contact of kind `foot`");
    assert_found(&foot("friction = { sliding = -0.1 }"), "A005", 11, 24, "must not be negative");
    assert_found(&foot("friction = { dynamic = 0.1 }"), "A010", 11, 14, "`static`, `sliding`, `rolling`");
    assert_found(&foot("stiffness = 0"), "A005", 11, 13, "expected a positive number");
    assert_found(&foot("radius = \"1 kg\""), "A006", 11, 10, "units of length");
    let twice = foot("[[contact]]\nname = \"w\"\nat = [1, 0, 0]\nkind = \"foot\"");
    assert_found(&twice, "A102", 11, 1, "duplicate contact `w`");
}

/// An invalid field of a joint, or an unknown convention, does not stop the reader.
#[test]
fn faults_beside_each_other() {
    let joint =
        "{ name = \"j\", kind = \"revolute\", dh = { a = \"1 kg\", alpha = true }, limits = { speed = \"1 m\" } }";
    let codes = |text: &str| found(text).into_iter().map(|f| f.0).collect::<Vec<_>>();
    let dh = format!(
        "version = 1\nname = \"r\"\nconvention = \"dh\"\n[[link]]\nname = \"a\"\nmass = \"x\"\njoint = {joint}\n"
    );
    assert_eq!(codes(&dh), ["A005", "A006", "A005", "A006"]);
    assert_eq!(codes(&dh.replace("\"dh\"", "\"denavit\"")), ["A005", "A005", "A006"]);
    let mimic = jointed("{ name = \"j\", kind = \"revolute\", mimic = { joint = \"j\" } }");
    assert_found(&mimic, "A005", 5, 9, "must name another joint");
}

#[test]
fn all_faults_at_once_in_the_order_of_the_text() {
    let text = format!(
        "{HEAD}gravity = 1\n[[link]]\nname = \"a\"\nmass = \"1 m\"\ncentr = [0, 0, 0]\ninertia = {{ xx = nan }}\njoint = {{ kind = \"turn\", axis = [0] }}\n[[link]]\nparent = \"x\"\n"
    );
    let codes: Vec<(String, usize)> = found(&text).into_iter().map(|(c, l, ..)| (c, l)).collect();
    let expected = [("A005", 3), ("A006", 6), ("A010", 7), ("A004", 8), ("A202", 8), ("A004", 9), ("A008", 9)];
    assert_eq!(&codes[..7], expected.map(|(c, l)| (c.to_string(), l)));
    assert!(codes[7..].iter().any(|c| c.0 == "A103") && codes[7..].iter().filter(|c| c.0 == "A004").count() == 2);
}

/// The reader never panics: every text with a byte removed or inserted.
#[test]
fn damaged_texts_do_not_panic() {
    for name in ["jpl-rrp.toml", "morris-neea.toml"] {
        let text = robot_text(name);
        for k in (0..text.len()).step_by(7).filter(|&k| text.is_char_boundary(k)) {
            let (a, b) = text.split_at(k);
            load_str(a);
            for put in ["\"", "{", "]", "-", "9e999", "\n[[link]]\n", "\u{0}", "é"] {
                load_str(&format!("{a}{put}{b}"));
            }
        }
    }
    load_str(&format!("a = {}", "[".repeat(100_000)));
    load_str(&format!("a = {}", "{ b = ".repeat(100_000)));
    load_str(&format!("{HEAD}{} = 1", "k".repeat(1_000_000)));
    load_str(&format!("{HEAD}gravity = \"{}\"", "1 ".repeat(100_000)));
}

#[test]
fn a_file_with_every_field_is_read() {
    let text = r#"
version = 1
name = "everything"
gravity = "0 0 -1 g0"
[base]
name = "stand"
mass = "1 t"
[material.steel]
E = "210 GPa"
G = "80 GPa"
density = "7850 kg/m3"
yield = "36000 psi"
[section.pipe]
kind = "tube"
outer = "2 in"
inner = "1.5 in"
[section.beam]
kind = "given"
EIy = 1000
EIz = "2000 N-m2"
GJ = "800 N-m2"
EA = "1e6 N"
[[link]]
name = "carriage"
joint = { name = "rails", kind = "planar", limits = [{ lower = "-1 m", upper = "1 m", effort = { lower = "-0.1 kN", upper = 20 } }, { speed = "100 mm/s", effort = "2 kN" }, { speed = "30 rpm", effort = "20 lb-ft" }], drives = [{}, { armature = "2 lb" }, { rotor = "10 kg-cm2", gear = 100, axis = [0, 0, 1] }], frictions = [{ viscous = "3 N-s/m" }, { coulomb = "1 kgf" }, { viscous = "2 oz-in-s/rad", coulomb = { forward = 2, backward = 1 }, static = "3 Nm", stribeck_speed = "10 deg/s" }] }
mass = 3
beam = { section = "pipe", material = "steel", length = "1 ft" }
[[link]]
name = "wrist"
joint = { name = "gimbal", kind = "generalized", rotations = ["yaw", "roll"], translations = ["z"], order = "translation-first", stiffness = ["3 N/mm", inf, "6 N-m/rad"] }
mass = 1
beam = { section = "beam", length = 1, start = "10 0 0 mm", end = [1.01, 0, 0], up = [0, 1, 0] }
[[link]]
name = "screw"
parent = "carriage"
joint = { name = "screw", kind = "helical", pitch = "2 mm", axis = [1, 0, 0], stiffness = "2 kN-m/rad" }
bodies = [{ kind = "sphere", diameter = "4 in", density = "0.28 lb/in3" }]
[[payload]]
name = "tool"
link = "wrist"
mass = "2 lb"
[[coupled_rotor]]
inertia = "1 oz-in-s2"
gears = { screw = 3, "gimbal.yaw" = -2 }
mount = { link = "carriage", axis = [0, 1, 0] }
"#;
    let loaded = load_str(text);
    assert!(loaded.findings.is_empty(), "{:?}", found(text));
    let d = loaded.description.expect("a robot");
    let rails = &d.joints[0].drives;
    assert_eq!((rails[0].limits.lower, rails[1].limits.speed, rails[1].limits.effort), (-1.0, 0.1, 2000.0.into()));
    assert_eq!(rails[0].limits.effort, EffortRange { lower: -100.0, upper: 20.0 });
    assert_eq!(rails[2].limits.speed, std::f64::consts::PI);
    assert_eq!(rails[1].armature, 0.90718474);
    assert_eq!(rails[1].friction.coulomb_forward, 9.80665);
    let f = rails[2].friction;
    assert_eq!((f.coulomb_forward, f.coulomb_backward, f.stribeck), (2.0, 1.0, 1.0));
    assert_eq!(rails[2].rotor, Some(Rotor { inertia: 1e-3, gear: 100.0, axis: Some([0.0, 0.0, 1.0]) }));
    assert_eq!(d.sections["pipe"], Section::Tube { outer: 0.0508, inner: 0.0381 });
    assert_eq!(d.links[1].beam.as_ref().map(|b| b.length), Some(0.3048));
    let wrist = d.links[2].beam.as_ref().unwrap();
    assert_eq!(
        (wrist.start, wrist.end, wrist.up),
        (Some([0.01, 0.0, 0.0]), Some([1.01, 0.0, 0.0]), Some([0.0, 1.0, 0.0]))
    );
    assert_eq!(d.sections["beam"], Section::Given { bending: [1000.0, 2000.0], torsion: 800.0, axial: 1e6 });
    assert_eq!(
        (&d.joints[1].stiffness[..], &d.joints[2].stiffness[..]),
        (&[3000.0, f64::INFINITY, 6.0][..], &[2000.0][..])
    );
    assert!(d.joints[0].stiffness.is_empty());
    assert_eq!(d.gravity, Some([0.0, 0.0, -9.80665]));
    let m = d.model().expect("a model");
    assert_eq!(m.nv(), 7);
    round_trip(&d);
}

/// Random numbers with all bits set.
struct Source(SplitMix64);

impl Source {
    fn bits(&mut self) -> u64 {
        self.0.next()
    }

    /// In [−1, 1).
    fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: u64) -> usize {
        (self.bits() % n) as usize
    }

    fn vector(&mut self) -> [f64; 3] {
        std::array::from_fn(|_| self.number())
    }

    fn pose(&mut self) -> Transform<f64> {
        let [x, y, z] = self.vector();
        let shift = Vec3::lift(self.vector());
        match self.below(3) {
            0 => Transform::from_translation(shift),
            1 => Transform::new(Rotation::rpy(x, y, z), shift),
            _ => Transform::new(Rotation::quaternion([x, y, z, self.number()]), shift),
        }
    }

    fn inertia(&mut self) -> Inertia<f64> {
        let [x, y, z] = self.vector().map(|x| x.abs() + 0.1);
        let tensor = Sym3::diagonal(y + z, x + z, x + y);
        Inertia::about_centre(self.number().abs(), Vec3::zero(), tensor).transformed(&self.pose())
    }

    fn kind(&mut self) -> JointKind {
        let axis = self.vector();
        let flag = |s: &mut Self| s.bits() & 1 == 1;
        match self.below(11) {
            0 => JointKind::Fixed,
            1 => JointKind::Revolute { axis },
            2 => JointKind::Prismatic { axis },
            3 => JointKind::Helical { axis, pitch: self.number() },
            4 => JointKind::Cylindrical { axis },
            5 => JointKind::Universal { axes: [axis, self.vector()] },
            6 => JointKind::Spherical,
            7 => JointKind::Planar,
            8 => JointKind::Translation,
            9 => JointKind::Free,
            _ => JointKind::Generalized {
                rotations: std::array::from_fn(|_| flag(self)),
                translations: std::array::from_fn(|_| flag(self)),
                order: if flag(self) { Order::RotationFirst } else { Order::TranslationFirst },
            },
        }
    }

    fn drive(&mut self) -> Drive {
        let mut level = || self.number().abs();
        let mut drive = Drive::ideal()
            .armature(level())
            .viscous(level())
            .coulomb(level(), level())
            .stribeck(level(), level() + 0.1);
        let (lower, upper, speed) = (-level(), level(), f64::INFINITY);
        let effort = EffortRange { lower: -level(), upper: level() };
        drive.limits = Limits { lower, upper, speed, effort, continuous: level() };
        match self.below(3) {
            0 => Drive::ideal(),
            1 => drive.rotor(self.number().abs(), 1e5 * self.number()),
            _ => drive.gyroscopic_rotor(self.number().abs(), 1e5 * self.number(), self.vector()),
        }
    }

    fn description(&mut self) -> Description {
        let place = Place { file: 0, span: 0..0 };
        let mut d = Description {
            name: "odd \"name\"\t\\ é".to_string(),
            gravity: Some(self.vector()),
            ..Description::default()
        };
        for k in 0..2 + self.below(8) {
            let name = format!("link {k}");
            let parts = (0..self.below(3))
                .map(|p| PartDescription {
                    name: if p == 0 { name.clone() } else { format!("part {p}") },
                    place: place.clone(),
                    inertia: self.inertia(),
                })
                .collect();
            let shapes = (0..self.below(2))
                .map(|_| Shape {
                    place: place.clone(),
                    pose: self.pose(),
                    size: self.vector(),
                    form: Form::Mesh,
                    visual: true,
                    asset: Some("a.stl".into()),
                    mesh: None,
                })
                .collect();
            let beam = (k == 1).then(|| BeamDescription {
                section: "s".into(),
                material: Some("m".into()),
                length: 0.1 + self.number().abs(),
                start: Some(self.vector()),
                end: None,
                up: Some([0.0, 1.0, 0.5]),
            });
            d.links.push(LinkDescription { name: name.clone(), place: place.clone(), parts, shapes, beam });
            if k > 0 {
                let kind = self.kind();
                let dofs = Model::nv(&{
                    let mut b = ModelBuilder::new("one");
                    b.add(BASE, Joint::new("j", kind), Link::new("l"));
                    b.build().expect("one joint")
                });
                let single = |kind: &JointKind| kind.axes().len() == 1;
                let mimic = (single(&kind) && d.joints.first().is_some_and(|j| single(&j.kind))).then(|| Mimic {
                    joint: "joint.1".into(),
                    multiplier: self.number(),
                    offset: self.number(),
                });
                // Stribeck speeds of a follower and its leader would have to fit.
                let driven = if mimic.is_some() { 0 } else { self.below(dofs as u64 + 1) };
                d.joints.push(JointDescription {
                    name: format!("joint.{k}"),
                    place: place.clone(),
                    kind,
                    parent: format!("link {}", self.below(k as u64)),
                    child: name,
                    placement: self.pose(),
                    drives: (0..driven).map(|_| self.drive()).collect(),
                    stiffness: (0..dofs).map(|_| 0.1 + self.number().abs()).collect(),
                    mimic,
                });
            }
        }
        for k in 0..self.below(5) {
            let some = |x: f64| (k % 2 == 0).then_some(x.abs() + 0.1);
            let kind = ContactKind::ALL[k];
            let contact = Contact {
                rolling_direction: if kind.is_directed() { [-0.6, 0.8, 0.0] } else { [1.0, 0.0, 0.0] },
                friction: ContactFriction {
                    static_friction: some(self.number()),
                    sliding_friction: None,
                    rolling_resistance: some(self.number()),
                },
                stiffness: some(self.number()),
                radius: some(self.number()),
                ..Contact::new(&format!("contact {k}"), kind, self.vector())
            };
            d.contacts.push(ContactDescription { place: place.clone(), contact });
        }
        let mut section = || self.number().abs() + 0.1;
        let (width, height) = (section(), section());
        d.sections.insert("s".into(), Section::Box { width, height, wall: Some(0.01 * width) });
        d.materials.insert(
            "m".into(),
            Material {
                youngs_modulus: section(),
                shear_modulus: section(),
                density: None,
                yield_stress: Some(section()),
            },
        );
        let inertia = self.inertia();
        d.payloads.push(PayloadDescription {
            name: "load".into(),
            place: place.clone(),
            link: "link 1".into(),
            inertia,
        });
        let model = d.model().expect("a model");
        if let Some(dof) = model.dof_names().first() {
            let gears = vec![(dof.to_string(), self.number())];
            d.coupled_rotors.push(CoupledRotor {
                place,
                inertia: self.number().abs(),
                gears,
                mount: Some(("link 1".into(), self.vector())),
            });
        }
        d
    }
}

/// Every number of a model; `{:?}` prints the shortest unique representation and distinguishes −0 from 0.
fn every_bit(m: &Model<f64>) -> String {
    format!("{m:?}")
}

fn round_trip(d: &Description) {
    let text = to_toml(d);
    let loaded = load_str(&text);
    let again = loaded.description.unwrap_or_else(|| panic!("{:#?}\n{text}", found(&text)));
    assert_eq!(every_bit(&again.model().expect("a model")), every_bit(&d.model().expect("a model")), "{text}");
    assert_eq!(to_toml(&again), text, "the same text again");
    assert_eq!(
        (&again.name, &again.origin, &again.materials, &again.sections),
        (&d.name, &d.origin, &d.materials, &d.sections)
    );
    let count = |d: &Description| d.links.iter().map(|l| l.shapes.len()).sum::<usize>();
    assert_eq!(count(&again), count(d));
}

#[test]
fn export_round_trip_is_exact() {
    let mut source = Source(SplitMix64(7));
    for _ in 0..300 {
        round_trip(&source.description());
    }
    for name in ["jpl-rrp.toml", "renaud-6r.toml", "lin-rr.toml", "lin-rp.toml", "morris-neea.toml"] {
        round_trip(&load_str(&robot_text(name)).description.expect("a robot"));
    }
}

#[test]
fn the_example_of_the_format_page() {
    let page = std::fs::read_to_string(root().join("docs/format.md")).expect("the page is there");
    let example = page.split("```toml").nth(1).and_then(|t| t.split("```").next()).expect("an example");
    let m = model(example);
    assert_eq!(m.dof_names(), ["shoulder", "elbow"]);
    // π/4 (40² − 34²) mm² · 350 mm · 2700 kg/m³ and the motor's 300 g.
    let tube = std::f64::consts::FRAC_PI_4 * (0.04 * 0.04 - 0.034 * 0.034) * 0.35 * 2700.0;
    let mut g = [0.0; 2];
    rnea(&m, &mut RneaData::new(&m), &[0.0; 2], &[0.0; 2], &[0.0; 2], &mut g).expect("shapes fit");
    // About +y, a weight at +x rotates forward: the drive counteracts.
    let lower = 9.81 * (tube * 0.175 + 0.3 * 0.35);
    let upper = 9.81 * (2.5 * 0.2 + (tube + 0.3) * 0.4);
    assert_close("τ", &g, &[-lower - upper, -lower], 1e-12);
}

/// A long file with many faults is read quickly.
#[test]
fn a_long_file_with_a_fault_in_every_link() {
    let mut text = HEAD.to_string();
    for k in 0..5000 {
        text += &format!(
            "[[link]]\nname = \"a{k}\"\nparent = \"x{k}\"\nmas = 1\njoint = {{ name = \"j{k}\", kind = \"revolute\" }}\n"
        );
    }
    let loaded = load_str(&text);
    assert_eq!(loaded.findings.len(), 10_000);
}

#[test]
fn an_axis_of_any_length_has_a_direction() {
    let text = |axis: &str| {
        format!(
            "version = 1\nname = \"r\"\n[[link]]\nname = \"a\"\nmass = 1\ncentre = [1, 0, 0]\njoint = {{ name = \"j\", kind = \"revolute\", axis = {axis} }}\n"
        )
    };
    // 1 kg at 1 m on a level joint: m g l about −y, times cos 45° if the axis is rotated by 45°.
    for size in ["1", "1e200", "1e-200"] {
        let m = model(&text(&format!("[0, {size}, {size}]")));
        assert_close(size, &torques(&m, &[0.0], &[0.0], &[0.0]), &[-9.81 * 0.5_f64.sqrt()], 1e-15);
    }
}

#[test]
fn an_intermediate_frame_has_a_unique_name() {
    let link = |name: &str| {
        format!(
            "[[link]]\nname = \"{name}\"\nmass = 1\njoint = {{ name = \"j {name}\", kind = \"revolute\", dh = {{ a = 1 }} }}\n"
        )
    };
    let text = |names: [&str; 2]| {
        format!("version = 1\nname = \"r\"\nconvention = \"dh\"\n{}{}", link(names[0]), link(names[1]))
    };
    for names in [["a", "a_proximal"], ["a_proximal", "a"]] {
        let loaded = load_str(&text(names));
        assert_eq!(loaded.findings.iter().map(|f| f.code.id).collect::<Vec<_>>(), ["A101"], "{names:?}");
    }
    assert_eq!(model(&text(["a", "b"])).nv(), 2);
}

/// `center` and `centre` are one field, also as a value; both at once are not.
#[test]
fn both_spellings_of_centre() {
    let text = |key: &str, about: &str| {
        format!(
            "{HEAD}[[link]]\nname = \"a\"\nmass = 2\n{key} = [0.1, 0, 0]\ninertia = {{ about = \"{about}\", xx = 1, yy = 1, zz = 1 }}\n\
             joint = {{ name = \"j\", kind = \"revolute\" }}\n"
        )
    };
    let of = |text: &str| load_str(text).description.expect("it is valid").links[1].parts[0].inertia;
    assert_eq!(of(&text("center", "center")), of(&text("centre", "centre")));
    assert_eq!(of(&text("center", "centre")).first.x, 0.2);
    let both = text("centre", "centre").replace("mass = 2", "mass = 2\ncenter = [0, 0, 0]");
    assert_found(&both, "A010", 6, 1, "center");
}

/// The tool is a frame of a link, by default of the last one.
#[test]
fn a_tool_frame() {
    let of = |tool: &str| load_str(&format!("{HEAD}{LINK}{tool}")).description.expect("it is valid").tool.unwrap();
    let tool = of("[tool]\nat = { xyz = \"0 0 100 mm\" }\n");
    assert_eq!((tool.link.as_str(), tool.pose.translation.to_array()), ("a", [0.0, 0.0, 0.1]));
    assert_eq!(of("[tool]\nlink = \"base\"\n").link, "base");
    assert_found(&format!("{HEAD}{LINK}[tool]\nlink = \"b\"\n"), "A103", 8, 8, "unknown link `b`");
    assert_found(&format!("{HEAD}{LINK}[tool]\nxyz = [0, 0, 0]\n"), "A010", 8, 1, "xyz");
}
