//! Mimic joints, locked joints, and positions outside the limits.

use crate::typed::{assert_close, folder, json, refused, run, said, text};
use serde_json::Value;
use std::path::Path;

fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).display().to_string()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap_or_else(|| panic!("{value}")).iter().map(|x| x.as_f64().unwrap()).collect()
}

/// The warnings and notes of a command that succeeds.
fn printed(line: &[&str]) -> String {
    let output = run(line);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stderr)
}

/// The arm moves about vertical axes: the only weight is that of the fingers, 0.1 kg · g + ½ · 0.2 kg · g.
#[test]
fn a_mimic_joint_has_no_value_of_its_own() {
    let robot = data("gripper.urdf");
    let q = ["--q", "0.3,-1,0.01"];
    let answer = json(&[&["inverse", &robot, "--json"], &q[..]].concat());
    assert_eq!(answer["joints"], serde_json::json!(["shoulder", "elbow", "left_finger"]));
    assert_close(&numbers(&answer["tau"]), &[0.0, 0.0, 0.2 * 9.81], 1e-15, "tau");
    // M of the finger: 0.1 + ½² · 0.2.
    let terms = json(&[&["terms", &robot, "--json"], &q[..]].concat());
    assert_close(&[terms["M"][2][2].as_f64().unwrap()], &[0.15], 1e-14, "M");
    let message = refused(&["inverse", &robot, "--q", "0.3,-1,0.01,0.01"]);
    assert!(message.contains("needs 3 values (shoulder, elbow, left_finger)"), "{message}");
    // Poses: the right finger rises by half as much.
    let poses = json(&[&["kinematics", &robot, "--json"], &q[..]].concat());
    let height = |name: &str| {
        let link = poses["links"].as_array().unwrap().iter().find(|l| l["link"] == name).unwrap();
        link["position"][2].as_f64().unwrap()
    };
    assert_close(&[height("left"), height("right")], &[0.01, 0.005], 1e-15, "z");
    // The follower's limit of 0.01 m limits its leader to 0.02 m.
    let ranges = json(&["range", &robot, "--json"]);
    assert_close(&[ranges["ranges"][2]["upper"].as_f64().unwrap()], &[0.02], 1e-15, "range");
    assert!(said(&["show", &robot]).contains("`right_finger` mimics `left_finger`: q = 0.5 q(left_finger)"));
    let shown = json(&["show", &robot, "--json"]);
    assert_eq!((&shown["dof"], &shown["mimics"][0]["multiplier"]), (&3.into(), &0.5.into()));
}

/// Pinocchio 4.1, `buildModelFromUrdf(file, mimic=True)`, with gravity (3, −2, −9).
#[test]
fn a_mimic_joint_is_pinocchios() {
    let robot = data("gripper.urdf");
    let state = ["--q", "0.3,-1,0.01", "--qd", "1.5,-2,0.3", "--qdd", "0.7,1.1,-4", "--gravity", "3,-2,-9", "--json"];
    let answer = json(&[&["inverse", &robot], &state[..]].concat());
    let expected = [4.372140700982164, -0.2806638575097747, 1.2];
    assert_close(&numbers(&answer["tau"]), &expected, 1e-14, "tau");
    let terms = json(&["terms", &robot, "--q", "0.3,-1,0.01", "--json"]);
    let mass = [[1.078594257081817, 0.3239571285409084, 0.0], [0.3239571285409084, 0.18432, 0.0], [0.0, 0.0, 0.15]];
    let found: Vec<f64> = (0..3).flat_map(|k| numbers(&terms["M"][k])).collect();
    assert_close(&found, mass.as_flattened(), 1e-14, "M");
}

/// A locked joint is fixed in every command; the default position is said.
#[test]
fn joints_can_be_locked() {
    let robot = data("gripper.urdf");
    let locked = json(&["inverse", &robot, "--lock", "left_finger", "--q", "0.3,-1", "--qdd", "1,2", "--json"]);
    assert_eq!(locked["joints"], serde_json::json!(["shoulder", "elbow"]));
    let free = json(&["inverse", &robot, "--q", "0.3,-1,0", "--qdd", "1,2,0", "--json"]);
    assert_close(&numbers(&locked["tau"]), &numbers(&free["tau"])[..2], 1e-14, "tau");
    let note = printed(&["inverse", &robot, "--lock", "left_finger", "--lock", "elbow"]);
    assert!(note.contains("note: `left_finger` is locked at 0 m\n"), "{note}");
    assert!(note.contains("note: `elbow` is locked at -1.5 rad, the middle of its range, which excludes 0"), "{note}");
    let degrees = json(&["inverse", &robot, "--deg", "--lock", "elbow=-90", "--lock", "left_finger=0.02", "--json"]);
    let radians = format!("elbow={}", -std::f64::consts::FRAC_PI_2);
    let same = json(&["inverse", &robot, "--lock", &radians, "--lock", "left_finger=0.02", "--json"]);
    assert_eq!(degrees["tau"], same["tau"]);
    for (lock, expected) in [
        ("right_finger", "joint `right_finger` follows `left_finger`; lock `left_finger`, which locks both"),
        ("wrist", "joint `wrist` is fixed already"),
        ("thumb", "no joint `thumb`; its joints are shoulder, elbow, left_finger"),
        ("elbow=1,2", "has 2 values: joint `elbow` needs 1"),
        ("elbow=x", "`x` is not a number"),
    ] {
        let message = refused(&["inverse", &robot, "--lock", lock]);
        assert!(message.contains(expected), "{message}");
    }
    let outside = printed(&["inverse", &robot, "--lock", "elbow=1"]);
    assert!(outside.contains("`elbow` = 1 rad is outside its range [-2.5, -0.5] rad"), "{outside}");
}

/// Every command that takes a robot takes `--lock`.
#[test]
fn every_command_locks() {
    let (robot, here) = (data("gripper.urdf"), folder("locked"));
    let lock = ["--lock", "left_finger", "--lock", "elbow=-1"];
    let out = here.join("report.html").display().to_string();
    let commands: [&[&str]; 15] = [
        &["show", &robot],
        &["inverse", &robot],
        &["forward", &robot],
        &["terms", &robot],
        &["explain", &robot],
        &["kinematics", &robot],
        &["convert", &robot, "--to", "toml"],
        &["derive", &robot],
        &["ops", &robot, "--budget", "1s"],
        &["simplify", &robot, "--error", "5%"],
        &["range", &robot],
        &["importance", &robot, "--samples", "20", "--speeds", "1", "--accelerations", "1"],
        &["size", &robot, "--random-moves", "1", "--accelerations", "1", "--samples", "10"],
        &["simulate", &robot, "--base", "floating", "--move", "to 0.5 in 1s", "--duration", "0.1s"],
        &["report", &robot, "--out", &out, "--budget", "1s"],
    ];
    for command in commands {
        let output = run(&[command, &lock[..]].concat());
        let message = text(&output.stderr);
        // The command may say that the robot has no weight, no contacts, …; what counts is that the option is known.
        assert!(!message.contains("unexpected argument"), "{command:?}: {message}");
        assert!(message.contains("`left_finger` is locked at 0 m"), "{command:?}: {message}");
        assert!(output.status.success() || command[0] == "simulate", "{command:?}: {message}");
    }
    let page = std::fs::read_to_string(&out).unwrap();
    assert!(page.contains("--lock=left_finger") || page.contains("--lock left_finger"), "the commands of the report");
}

/// The locked robot is a chain: its fixed links are merged, and it has the minimal program of a 2R arm; with its fingers the
/// reason is said.
#[test]
fn a_locked_robot_has_a_minimal_program() {
    let robot = data("gripper.urdf");
    let count = |answer: &Value, what: &str| ["mul", "add"].map(|k| answer[what][k].as_u64().unwrap());
    let locked = json(&["ops", &robot, "--lock", "left_finger", "--budget", "1s", "--json"]);
    assert_eq!(locked["inverse"]["strategy"], "minimal");
    assert_eq!(locked["inverse"]["reason"], Value::Null);
    // A 2R arm with parallel axes in a plane without gravity: D₁₁ = a + 2 b c₂, D₁₂ = d + b c₂, D₂₂ = d and h = b s₂ q̇.
    assert!(count(&locked, "inverse").iter().sum::<u64>() <= 18, "{}", locked["inverse"]);
    let free = json(&["ops", &robot, "--budget", "1s", "--json"]);
    assert_eq!(free["inverse"]["strategy"], "traced");
    let reason = "joint `right_finger` mimics `left_finger`; lock `left_finger` for a minimal program";
    assert_eq!(free["inverse"]["reason"], reason);
    let text = said(&["ops", &robot, "--budget", "1s"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains(&format!("traced, not minimal: inverse, gravity, coriolis, mass, forward: {reason}")),
        "{text}"
    );
    let code = json(&["derive", &robot, "--emit", "c", "--budget", "1s", "--json"]);
    assert!(code["notes"][0].as_str().unwrap().contains(reason), "{}", code["notes"]);
    assert!(code["files"][0]["text"].as_str().unwrap().contains("mimics"), "the header says it");
}

/// One warning line with joint, value and range; and a hint where degrees would fit.
#[test]
fn positions_outside_the_limits_are_warned_about() {
    let hint = "warning: `panda_joint2` = -45 rad is outside its range [-1.763, 1.763] rad (did you mean --deg?)";
    for command in ["inverse", "explain", "forward", "terms", "kinematics"] {
        let message = printed(&[command, "panda", "--q", "panda_joint2=-45"]);
        assert_eq!(message.matches("is outside its range").count(), 1, "{command}: {message}");
        assert!(message.contains(hint), "{command}: {message}");
    }
    let two = printed(&["inverse", "panda", "--q", "0,-45,0,-120,0,90,0"]);
    assert!(
        two.contains("`panda_joint2` = -45 rad") && two.contains("and 2 other joints too (did you mean --deg?)"),
        "{two}"
    );
    let more = printed(&["inverse", "panda", "--q", "0,30,0,-90,0,90,0"]);
    assert!(more.contains("and 2 other joints too (did you mean --deg?)"), "{more}");
    // A joint that is outside in degrees too does not hide the others.
    let one = printed(&["inverse", "panda", "--q", "0,120,0,-90,0,90,0"]);
    assert!(one.contains("`panda_joint2` = 120 rad") && one.contains("(did you mean --deg?)"), "{one}");
    // Several values that are small for degrees, and one alone.
    let small = printed(&["inverse", "panda", "--q", "panda_joint2=5,panda_joint4=-6"]);
    assert!(small.contains("and 1 other joint too (did you mean --deg?)"), "{small}");
    for (position, range) in [("panda_joint2=3", "[-1.763, 1.763]"), ("panda_joint1=2.9", "[-2.897, 2.897]")] {
        let radians = printed(&["inverse", "panda", "--q", position]);
        assert!(radians.contains(&format!("rad is outside its range {range} rad\n")), "{radians}");
    }
    // In degrees 170 is outside too; positions that were not given are not judged.
    let degrees = printed(&["inverse", "panda", "--deg", "--q", "panda_joint2=170"]);
    assert!(degrees.contains("`panda_joint2` = 170 ° is outside its range [-101, 101] °\n"), "{degrees}");
    assert!(!printed(&["inverse", "panda", "--q", "panda_joint2=1"]).contains("outside"));
    let moved = [
        "simulate",
        "ur5e-on-wheels",
        "--base",
        "floating",
        "--move",
        "to elbow_joint=90 in 1s",
        "--duration",
        "0.01s",
    ];
    let moved = printed(&moved);
    assert!(moved.contains("`elbow_joint` = 90 rad is outside its range"), "{moved}");
    let tipping = printed(&["tipover", "ur5e-on-wheels", "--q", "shoulder_lift_joint=-90"]);
    assert!(tipping.contains("`shoulder_lift_joint` = -90 rad is outside its range"), "{tipping}");
}

/// A table has one line with the count and the first row.
#[test]
fn tables_count_the_rows_outside_the_limits() {
    let here = folder("outside");
    let (states, out) = (here.join("states.csv"), here.join("tau.csv").display().to_string());
    let header = (1..=7).map(|k| format!("q_panda_joint{k}")).collect::<Vec<_>>().join(",");
    std::fs::write(&states, format!("{header}\n0,0,0,-1,0,1,0\n0,-45,0,-1,0,1,0\n0,-45,0,-90,0,1,0\n")).unwrap();
    let message = printed(&["inverse", "panda", "--states", &states.display().to_string(), "--out", &out]);
    let expected = "warning: positions outside the joint limits in 2 of 3 rows; row 2: `panda_joint2` = -45 rad is outside its \
                    range [-1.763, 1.763] rad (did you mean --deg?)";
    assert!(message.contains(expected) && message.matches("outside the joint limits").count() == 1, "{message}");
    // The first row outside is near its limit; a later one shows the unit. A trajectory is judged alike.
    let rows = |last: &str| format!("t,{header}\n0,0,1.7,0,-1,0,1,0\n1,0,1.9,0,-1,0,1,0\n2,0,{last},0,-1,0,1,0\n");
    for (last, hint) in [("60", " (did you mean --deg?)"), ("1.8", "")] {
        std::fs::write(&states, rows(last)).unwrap();
        let file = states.display().to_string();
        let expected =
            format!("in 2 of 3 rows; row 2: `panda_joint2` = 1.9 rad is outside its range [-1.763, 1.763] rad{hint}\n");
        for line in [
            &["inverse", "panda", "--states", &file, "--out", &out][..],
            &["size", "panda", "--trajectory", &file, "--samples", "0"],
        ] {
            // `size` may find that the drives are too weak: exit code 1.
            let message = text(&run(line).stderr);
            assert!(message.contains(&expected), "{line:?}: {message}");
        }
    }
}
