//! `armdyn tipover` as a user types it, with the golden numbers of Lau's chapter 6.

use crate::typed::{self, Of, number, text};
use serde_json::Value;

const TIPOVER: Of = Of("tipover");

/// What a line that finds the robot tipping says: it ends with 1.
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
fn loads_of_the_three_wheels_are_the_golden_ones() {
    let answer = TIPOVER.json(&["lau-movable", "--q", "0.7,0.1,-0.6"]);
    let loads = [123.33837168675883, 115.99200573702028, 143.25962257622092];
    for (contact, load) in answer["contacts"].as_array().unwrap().iter().zip(loads) {
        near(&contact["load"], load);
    }
    assert_eq!((answer["stands"].as_bool(), &answer["loads_shared_by"]), (Some(true), &Value::from("equilibrium")));
    near(&answer["mass"], 39.0);
    let page = TIPOVER.said(&["lau-movable", "--q", "0.7,0.1,-0.6"]);
    for part in ["it stands", "load [N]", "castor", "distance [m]", "largest payload on `rod`", "safe pace: any"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn a_rolling_base_asks_for_the_golden_friction() {
    let moving = ["--base-velocity", "0.4,0,0.1", "--base-acceleration", "-0.15291286974294116,0,0.05876710142549288"];
    let state = [
        "lau-movable",
        "--q=0.8453110080186672,0.45244129544236894,-0.6479425538604203",
        "--qd=0.8780266426485851,0.3241813835208838,-0.08775825618903728",
        "--qdd=-1.2269497680420014,-1.0097651817694757,0.0479425538604203",
    ];
    let answer = TIPOVER.json(&[&state[..], &moving[..]].concat());
    near(&answer["friction"]["needed"], 0.019229379773899945);
    near(&answer["zmp"][1], -0.029704893802994854);
    // As the base then rolls by itself nothing is left; with another acceleration something is, and is told.
    assert!(number(&answer["friction"]["unheld_force"][0]).abs() < 1e-6);
    let page = TIPOVER.said(&[&state[..], &["--base-velocity", "0.4,0,0.1"]].concat());
    assert!(page.contains("no contact holds") && page.contains("the base would roll"), "{page}");
}

#[test]
fn it_says_how_far_it_may_reach_and_what_it_may_carry() {
    let from = ["lau-movable", "--payload", "none", "--payload", "12@rod"];
    let way = ["--q=-1.5707963267948966,0,-0.4", "--towards=-1.5707963267948966,0,-1"];
    let answer = TIPOVER.json(&[&from[..], &way].concat());
    near(&answer["towards"]["q"][2], -0.5327777777777779);
    assert_eq!(answer["towards"]["edge"], serde_json::json!(["castor", "left"]));
    let answer = TIPOVER.json(&["lau-movable", "--q=-1.5707963267948966,0,-0.5327777777777779"]);
    near(&answer["payload"]["most"], 12.0);
    let beyond = tips(&[&from[..], &["--q=-1.5707963267948966,0,-0.6327777777777779"]].concat());
    assert!(beyond.contains("IT TIPS over castor – left") && beyond.contains("`right` lifts"), "{beyond}");
}

#[test]
fn a_slope_that_is_steep_enough_tips_it() {
    // h = (0.1934, −0.0178, 0.2623): backwards it tips beyond atan(0.1934/0.2623) = 36.4°.
    assert!(TIPOVER.said(&["lau-movable", "--q", "0.7,0.1,-0.6", "--slope", "36"]).contains("a slope of 36°"));
    assert!(tips(&["lau-movable", "--q", "0.7,0.1,-0.6", "--slope", "37"]).contains("IT TIPS over left – right"));
    assert!(TIPOVER.said(&["lau-movable", "--q", "0.7,0.1,-0.6", "--slope", "37@180"]).contains("it stands"));
    for (slope, told) in [("95", "±90°"), ("5@x", "not a number"), ("1,2", "ANGLE@HEADING")] {
        assert!(TIPOVER.refused(&["lau-movable", "--slope", slope]).contains(told), "{slope}");
    }
}

#[test]
fn a_motion_has_its_worst_instant_and_pictures() {
    let rows: String = (0..=100)
        .map(|k| f64::from(k) / 50.0)
        .map(|t| {
            format!("{t},{},{},{}\n", 0.3 + 0.8 * (1.5 * t).sin(), 0.2 + 0.3 * (2.0 * t).sin(), -0.6 - 0.1 * t.sin())
        })
        .collect();
    let motion = file("motion.csv", &format!("t,q_theta1,q_arm.pitch,q_arm.x\n{rows}"));
    let top = file("top.svg", "");
    let answer = TIPOVER.json(&["lau-movable", "--trajectory", &motion, "--plot", &format!("top={top}")]);
    let along = &answer["along"];
    let distances: Vec<f64> = along["distance"].as_array().unwrap().iter().map(number).collect();
    let worst = along["worst"]["sample"].as_u64().unwrap() as usize;
    assert_eq!(distances.len(), 101);
    assert!(distances.iter().all(|d| *d >= distances[worst]) && distances[worst] == number(&answer["distance"]));
    assert!(number(&answer["safe_pace"]["fastest"]) > 1.0);
    let svg = std::fs::read_to_string(&top).unwrap();
    assert!(svg.contains("castor") && svg.contains("where it is worst"));
    let page = TIPOVER.said(&["lau-movable", "--trajectory", &motion, "--plot", "top"]);
    assert!(page.contains("worst of 101 samples") && page.contains("most friction of the motion"), "{page}");
    assert!(page.contains("from above") && page.contains("support polygon"));
    // From a pose that does not even stand.
    let heavy = TIPOVER.refused(&["lau-movable", "--payload", "60@rod", "--trajectory", &motion]);
    assert!(heavy.contains("does not stand at rest from the start"), "{heavy}");
}

#[test]
fn never_tips_is_proven_or_refuted() {
    let asked = |far: &str, more: &[&str]| {
        let range = format!("theta1=-180:180,arm.pitch=0:0,arm.x=-{far}:-0.3");
        let line: Vec<String> = ["lau-movable", "--payload", "10@rod", "--deg", "--guaranteed", "--box"]
            .iter()
            .copied()
            .chain([range.as_str()])
            .chain(more.iter().copied())
            .map(str::to_string)
            .collect();
        line
    };
    let run = |line: Vec<String>| typed::run(&TIPOVER.line(&line.iter().map(String::as_str).collect::<Vec<_>>()));
    let proven = run(asked("0.5", &["--q", "arm.x=-0.4"]));
    assert!(text(&proven.stdout).contains("PROVEN"), "{}", text(&proven.stdout));
    assert_eq!(proven.status.code(), Some(0));
    let refuted = run(asked("0.6", &["--q", "arm.x=-0.4", "--json"]));
    let answer: Value = serde_json::from_str(&text(&refuted.stdout)).unwrap();
    assert_eq!((refuted.status.code(), &answer["never_tips"]["verdict"]), (Some(1), &Value::from("tips")));
    let fast = run(asked("0.5", &["--q", "arm.x=-0.4", "--speeds", "60,60,1", "--accelerations", "0,500,0"]));
    let page = text(&fast.stdout);
    assert!(page.contains("IT TIPS in the box") && page.contains("m/s; accelerations theta1 0 °/s²"), "{page}");
    let edges = answer["never_tips"]["edges"].as_array().unwrap();
    assert!(edges.iter().any(|e| number(&e["least_found"]) < 0.0));
}

#[test]
fn the_reach_of_a_mobile_manipulator_is_mapped() {
    let map = file("reach.png", "");
    let line = ["ur5e-on-wheels", "--payload", "5", "--reach", "--samples", "2000", "--plot", &format!("reach={map}")];
    let page = TIPOVER.said(&line);
    assert!(page.contains("shared by the least norm") && page.contains("every pose safe to [m]"), "{page}");
    assert!(std::fs::read(&map).unwrap().starts_with(b"\x89PNG"));
    let answer = TIPOVER.json(&line[..6]);
    for d in answer["reach"]["directions"].as_array().unwrap() {
        let [safe, farthest, reach] = ["safe", "farthest_safe", "reach"].map(|k| number(&d[k]));
        assert!(safe <= reach && farthest <= reach && reach < 1.3, "{d}");
    }
}

#[test]
fn what_is_missing_or_wrong_is_told() {
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
    assert!(TIPOVER.refused(&[&row]).contains("in one line"));
    let good = file("good.toml", &robot(&(a.clone() + &b + &foot("c", "[0, 1, 0]"))));
    let page = TIPOVER.said(&[&good, "--base-acceleration", "1,0,0"]);
    assert!(page.contains("give friction = { static = … }"), "{page}");
    let wheels = robot(&(a + &b + &foot("c", "[0, 1, 0]"))).replace("\"foot\"", "\"fixed\"");
    let page = TIPOVER.said(&[&file("wheels.toml", &wheels), "--base-velocity", "1,0,0"]);
    assert!(page.contains("contact `a`") && page.contains("friction = { rolling = … }"), "{page}");
    assert!(TIPOVER.refused(&[&good, "--base-velocity", "1,0"]).contains("three"));
    assert!(TIPOVER.refused(&[&good, "--q", "nan"]).contains("not finite"));
    assert!(TIPOVER.refused(&[&good, "--plot", "side"]).contains("top, reach"));
    assert!(TIPOVER.refused(&[&good, "--gravity", "0"]).contains("gravity"));
    assert!(TIPOVER.refused(&["lau-movable", "--reach"]).contains("--box"));
    assert!(
        TIPOVER
            .refused(&["lau-movable", "--guaranteed", "--box", "arm.x=-0.6:-0.3", "--speeds=-1,0,0"])
            .contains("negative")
    );
}

#[test]
fn gravity_of_its_own_tells_the_slope_and_the_axes() {
    // atan(3/9) = 18.435°; what pulls along x climbs against it.
    let page = TIPOVER.said(&["ur5e-on-wheels", "--gravity=3,0,-9"]);
    assert!(page.contains("a slope of 18.435° that climbs towards 180°"), "{page}");
    assert!(!page.contains("of its base") && TIPOVER.said(&["ur5e-on-wheels"]).contains("on level ground"), "{page}");
    let answer = TIPOVER.json(&["ur5e-on-wheels", "--gravity=0,0,9.81"]);
    assert_eq!(answer["axes"], serde_json::json!([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]));
    assert!(TIPOVER.said(&["ur5e-on-wheels", "--gravity=0,0,9.81"]).contains("x and y along the ground are"));
}

/// A soft foot amid an edge bears least, and does not lift as the robot tips over that edge.
#[test]
fn what_lifts_is_off_the_edge() {
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
    assert!(page.contains("0.700000 m from tipping over f0 – f2, where `f3` lifts"), "{page}");
}

#[test]
fn slipping_is_told_as_far_as_it_is_known() {
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
    let told = |name: &str, friction| TIPOVER.said(&[&[file(name, &wheels(friction)).as_str()][..], &push].concat());
    let one = told("one.toml", [0.2, 0.5, 0.5]);
    assert!(one.contains("`w0` SLIPS") && one.contains("others have friction left"), "{one}");
    let all = told("all.toml", [0.2, 0.2, 0.2]);
    assert!(all.contains("`w1` SLIPS") && !all.contains("others have friction left"), "{all}");
    let tipping = tips(&["lau-movable", "--q", "0.7,0.1,-0.6", "--slope", "37"]);
    assert!(tipping.contains("left out: it does not stand") && !tipping.contains("held x"), "{tipping}");
}
