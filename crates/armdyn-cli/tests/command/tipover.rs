//! `armdyn tipover` as a user types it, with the golden numbers of Lau's chapter 6.

use crate::typed::{self, Of, number, text};
use serde_json::Value;

const TIPOVER: Of = Of("tipover");

/// The output of a command that finds the robot tipping; its exit code is 1.
fn tips(rest: &[&str]) -> String {
    let output = typed::run(&TIPOVER.line(rest));
    assert_eq!(output.status.code(), Some(1), "{rest:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// A file in a folder of its own.
fn file(name: &str, content: &str) -> String {
    let path = typed::folder(&format!("tipover-{name}")).join(name);
    std::fs::write(&path, content).unwrap();
    path.display().to_string()
}

fn near(found: &Value, expected: f64) {
    assert!((number(found) - expected).abs() < 1e-9 * expected.abs(), "{found} against {expected}");
}

#[test]
fn wheel_loads_are_the_golden_ones() {
    let answer = TIPOVER.json(&["lau-movable", "--q", "0.7,0.1,-0.6"]);
    let loads = [123.33837168675883, 115.99200573702028, 143.25962257622092];
    for (contact, load) in answer["contacts"].as_array().unwrap().iter().zip(loads) {
        near(&contact["load"], load);
    }
    assert_eq!((answer["stable"].as_bool(), &answer["load_distribution"]), (Some(true), &Value::from("equilibrium")));
    near(&answer["mass"], 39.0);
    let page = TIPOVER.said(&["lau-movable", "--q", "0.7,0.1,-0.6"]);
    for part in [
        "stable: margin",
        "load [N]",
        "castor",
        "distance [m]",
        "safe payload on `rod`",
        "safe speed scaling of base and arm: any",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn a_rolling_base_requires_the_golden_friction() {
    let moving = [
        "--base-velocity",
        "0.4,0,0,0,0,0.1",
        "--base-acceleration",
        "-0.15291286974294116,0,0,0,0,0.05876710142549288",
    ];
    let state = [
        "lau-movable",
        "--q=0.8453110080186672,0.45244129544236894,-0.6479425538604203",
        "--qd=0.8780266426485851,0.3241813835208838,-0.08775825618903728",
        "--qdd=-1.2269497680420014,-1.0097651817694757,0.0479425538604203",
    ];
    let answer = TIPOVER.json(&[&state[..], &moving[..]].concat());
    near(&answer["friction"]["required_coefficient"], 0.019229379773899945);
    near(&answer["zmp"][1], -0.029704893802994854);
    // With this acceleration the base rolls freely; with another one no contact resists the rest.
    assert!(number(&answer["friction"]["unresisted_force"][0]).abs() < 1e-6);
    let page = TIPOVER.said(&[&state[..], &["--base-velocity", "0.4,0,0,0,0,0.1"]].concat());
    assert!(page.contains("no contact resists") && page.contains("the base rolls"), "{page}");
}

#[test]
fn safe_path_and_safe_payload() {
    let from = ["lau-movable", "--payload", "none", "--payload", "12@rod"];
    let path = ["--q=-1.5707963267948966,0,-0.4", "--toward=-1.5707963267948966,0,-1"];
    let answer = TIPOVER.json(&[&from[..], &path].concat());
    near(&answer["toward"]["q"][2], -0.5327777777777779);
    let edge = answer["toward"]["edge"].as_u64().unwrap() as usize;
    assert_eq!(answer["edges"][edge]["contacts"], serde_json::json!(["castor", "left"]));
    let answer = TIPOVER.json(&["lau-movable", "--q=-1.5707963267948966,0,-0.5327777777777779"]);
    near(&answer["payload"]["maximum"], 12.0);
    let beyond = tips(&[&from[..], &["--q=-1.5707963267948966,0,-0.6327777777777779"]].concat());
    assert!(beyond.contains("TIPS OVER castor – left") && beyond.contains("`right` lifts off"), "{beyond}");
}

#[test]
fn a_slope_that_is_steep_enough_tips_it() {
    // h = (0.1934, −0.0178, 0.2623): backwards it tips beyond atan(0.1934/0.2623) = 36.4°.
    assert!(
        TIPOVER.said(&["lau-movable", "--q", "0.7,0.1,-0.6", "--slope", "0.6283"]).contains("a slope of 0.6283 rad")
    );
    assert!(tips(&["lau-movable", "--q", "0.7,0.1,-0.6", "--slope", "0.6458"]).contains("TIPS OVER left – right"));
    assert!(
        TIPOVER.said(&["lau-movable", "--q", "0.7,0.1,-0.6", "--slope", "0.6458@3.1416"]).contains("stable: margin")
    );
    for (slope, message) in [("95", "--deg"), ("0.5@x", "`x`"), ("1,2", "ANGLE@HEADING")] {
        assert!(TIPOVER.refused(&["lau-movable", "--slope", slope]).contains(message), "{slope}");
    }
}

#[test]
fn a_trajectory_has_its_smallest_margin_and_plots() {
    let rows: String = (0..=100)
        .map(|k| f64::from(k) / 50.0)
        .map(|t| {
            format!("{t},{},{},{}\n", 0.3 + 0.8 * (1.5 * t).sin(), 0.2 + 0.3 * (2.0 * t).sin(), -0.6 - 0.1 * t.sin())
        })
        .collect();
    let motion = file("motion.csv", &format!("t,q_theta1,q_arm.pitch,q_arm.x\n{rows}"));
    let top = file("top.svg", "");
    let answer = TIPOVER.json(&["lau-movable", "--trajectory", &motion, "--plot", &format!("top={top}")]);
    let along = &answer["trajectory"];
    let distances: Vec<f64> = along["margin"].as_array().unwrap().iter().map(number).collect();
    let worst = along["worst"].as_u64().unwrap() as usize;
    assert_eq!(distances.len(), 101);
    assert!(distances.iter().all(|d| *d >= distances[worst]) && distances[worst] == number(&answer["margin"]));
    assert!(number(&answer["speed_scaling"]["maximum"]) > 1.0);
    let svg = std::fs::read_to_string(&top).unwrap();
    assert!(svg.contains("castor") && svg.contains("smallest margin"));
    let page = TIPOVER.said(&["lau-movable", "--trajectory", &motion, "--plot", "top"]);
    assert!(
        page.contains("smallest margin of 101 samples") && page.contains("largest required friction coefficient"),
        "{page}"
    );
    assert!(page.contains("from above") && page.contains("support polygon"));
    // From a configuration that tips at rest.
    let heavy = TIPOVER.refused(&["lau-movable", "--payload", "60@rod", "--trajectory", &motion]);
    assert!(heavy.contains("not stable at rest"), "{heavy}");
}

#[test]
fn stability_is_guaranteed_or_refuted() {
    let command = |far: &str, more: &[&str]| {
        let range = format!("theta1=-180:180,arm.pitch=0:0,arm.x=-{far}:-0.3");
        let line: Vec<String> = ["lau-movable", "--payload", "10@rod", "--deg", "--guaranteed", "--ranges"]
            .iter()
            .copied()
            .chain([range.as_str()])
            .chain(more.iter().copied())
            .map(str::to_string)
            .collect();
        line
    };
    let run = |line: Vec<String>| typed::run(&TIPOVER.line(&line.iter().map(String::as_str).collect::<Vec<_>>()));
    let guaranteed = run(command("0.5", &["--q", "arm.x=-0.4"]));
    assert!(text(&guaranteed.stdout).contains("GUARANTEED"), "{}", text(&guaranteed.stdout));
    assert_eq!(guaranteed.status.code(), Some(0));
    let refuted = run(command("0.6", &["--q", "arm.x=-0.4", "--json"]));
    let answer: Value = serde_json::from_str(&text(&refuted.stdout)).unwrap();
    assert_eq!((refuted.status.code(), &answer["guaranteed"]["verdict"]), (Some(1), &Value::from("tips_over")));
    let fast = run(command("0.5", &["--q", "arm.x=-0.4", "--speeds", "60,60,1", "--accelerations", "0,500,0"]));
    let page = text(&fast.stdout);
    assert!(page.contains("within the ranges, at") && page.contains("m/s; accelerations theta1 0 °/s²"), "{page}");
    let edges = answer["guaranteed"]["edges"].as_array().unwrap();
    assert!(edges.iter().any(|e| number(&e["minimum"]) < 0.0));
}

#[test]
fn the_reach_of_a_mobile_manipulator_is_mapped() {
    let map = file("reach.svg", "");
    let line = ["ur5e-on-wheels", "--payload", "5", "--reach", "--samples", "2000", "--plot", &format!("reach={map}")];
    let page = TIPOVER.said(&line);
    assert!(page.contains("by least norm") && page.contains("all stable to [m]"), "{page}");
    assert!(std::fs::read(&map).unwrap().starts_with(b"<svg"));
    let answer = TIPOVER.json(&line[..6]);
    for d in answer["reach"]["directions"].as_array().unwrap() {
        let [safe, stable, reach] = ["safe", "maximum_stable", "reach"].map(|k| number(&d[k]));
        assert!(safe <= reach && stable <= reach && reach < 1.3, "{d}");
    }
}

#[test]
fn errors_name_what_is_missing_or_wrong() {
    assert!(TIPOVER.refused(&["panda"]).contains("[[contact]]"));
    let robot = |contacts: &str| {
        let link = "[[link]]\nname = \"a\"\nmass = 1\njoint = { name = \"j\", kind = \"revolute\" }\n";
        format!("version = 1\nname = \"r\"\n[base]\nmass = 10\ncentre = [0.3, 0.1, 0.2]\n{link}{contacts}")
    };
    let foot = |name: &str, at: &str| format!("[[contact]]\nname = \"{name}\"\nat = {at}\nkind = \"foot\"\n");
    let (a, b) = (foot("a", "[0, 0, 0]"), foot("b", "[1, 0, 0]"));
    let two = file("two.toml", &robot(&(a.clone() + &b)));
    assert!(TIPOVER.refused(&[&two]).contains("three contacts"));
    let row = file("row.toml", &robot(&(a.clone() + &b + &foot("c", "[2, 0, 0]"))));
    assert!(TIPOVER.refused(&[&row]).contains("on one line"));
    let good = file("good.toml", &robot(&(a.clone() + &b + &foot("c", "[0, 1, 0]"))));
    let page = TIPOVER.said(&[&good, "--base-acceleration", "1,0,0"]);
    assert!(page.contains("add friction = { static = … }"), "{page}");
    let wheels = robot(&(a + &b + &foot("c", "[0, 1, 0]"))).replace("\"foot\"", "\"fixed\"");
    let page = TIPOVER.said(&[&file("wheels.toml", &wheels), "--base-velocity", "1,0,0"]);
    let page = page.replace("\n  ", " ");
    assert!(page.contains("contact `a`") && page.contains("friction = { rolling = … }"), "{page}");
    assert!(TIPOVER.refused(&[&good, "--base-velocity", "1,0"]).contains("three"));
    assert!(TIPOVER.refused(&[&good, "--q", "nan"]).contains("not finite"));
    assert!(TIPOVER.refused(&[&good, "--plot", "side"]).contains("top, reach"));
    assert!(TIPOVER.refused(&[&good, "--gravity", "0"]).contains("gravity"));
    assert!(TIPOVER.refused(&["lau-movable", "--reach"]).contains("--ranges"));
    assert!(
        TIPOVER
            .refused(&["lau-movable", "--guaranteed", "--ranges", "arm.x=-0.6:-0.3", "--speeds=-1,0,0"])
            .contains("negative")
    );
}

#[test]
fn gravity_determines_the_slope_and_the_ground_axes() {
    // atan(3/9) = 18.435°; what pulls along x climbs against it.
    let page = TIPOVER.said(&["ur5e-on-wheels", "--gravity=3,0,-9"]);
    assert!(page.contains("a slope of 0.3218 rad that rises towards 3.142 rad"), "{page}");
    assert!(!page.contains("in base axes") && TIPOVER.said(&["ur5e-on-wheels"]).contains("on level ground"), "{page}");
    let answer = TIPOVER.json(&["ur5e-on-wheels", "--gravity=0,0,9.81"]);
    assert_eq!(answer["ground"]["axes"], serde_json::json!([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]));
    assert!(TIPOVER.said(&["ur5e-on-wheels", "--gravity=0,0,9.81"]).contains("x and y along the ground are"));
}

/// A soft foot in the middle of an edge carries the smallest load, but does not lift off when the robot tips over that edge.
#[test]
fn the_lifting_contact_is_off_the_edge() {
    let foot = |k: usize, at: [i32; 2]| {
        let stiffness = if k == 1 { 1.0 } else { 1e5 };
        format!(
            "[[contact]]\nname = \"f{k}\"\nat = {:?}\nkind = \"foot\"\nstiffness = {stiffness}\n",
            [at[0], at[1], 0]
        )
    };
    let feet: String = [[1, 1], [0, 1], [-1, 1], [-1, -1], [0, -1], [1, -1]]
        .into_iter()
        .enumerate()
        .map(|(k, at)| foot(k, at))
        .collect();
    let base = "version = 1\nname = \"r\"\n[base]\nmass = 10\ncentre = [0.1, 0.3, 1]\n";
    let page = TIPOVER.said(&[&file("six.toml", &format!("{base}{feet}"))]);
    assert!(page.contains("margin 0.7 m to tipping over f0 – f2, where `f3` lifts off"), "{page}");
}

#[test]
fn slipping_contacts_are_reported() {
    let wheels = |friction: [f64; 3]| {
        let at = ["[1, 1, 0]", "[-1, 1, 0]", "[0, -1, 0]"];
        let one = |k: usize| {
            format!(
                "[[contact]]\nname = \"w{k}\"\nat = {}\nkind = \"foot\"\nfriction.static = {}\n",
                at[k], friction[k]
            )
        };
        let feet = [0, 1, 2].map(one).concat();
        format!("version = 1\nname = \"r\"\n[base]\nmass = 10\ncentre = [0, 0, 0.1]\n{feet}")
    };
    // 30 % of the weight along the ground.
    let push = ["--base-acceleration", "2.943,0,0"];
    let output = |name: &str, friction| TIPOVER.said(&[&[file(name, &wheels(friction)).as_str()][..], &push].concat());
    let one = output("one.toml", [0.2, 0.5, 0.5]);
    assert!(one.contains("`w0` SLIPS") && one.contains("other contacts have friction left"), "{one}");
    let all = output("all.toml", [0.2, 0.2, 0.2]);
    assert!(all.contains("`w1` SLIPS") && !all.contains("other contacts have friction left"), "{all}");
    let tipping = tips(&["lau-movable", "--q", "0.7,0.1,-0.6", "--slope", "0.6458"]);
    assert!(tipping.contains("not computed: the robot tips over") && !tipping.contains("force x"), "{tipping}");
}
