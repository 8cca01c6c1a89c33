//! `armdyn simulate` of an arm driven by torques: peaks, marks of partial results, own files, flexible joints, wrong options.

use crate::typed::{folder, json, number, refused, run, run_in, text};
use serde_json::Value;

/// A mass of 2 kg on a slider along x.
const SLIDE: &str = "version = 1\nname = \"slide\"\n[[link]]\nname = \"mass\"\nmass = 2.0\ncentre = [0, 0, 0]\n\
                     inertia = { about = \"centre\", xx = 1, yy = 1, zz = 1, xy = 0, xz = 0, yz = 0 }\n[link.joint]\nname = \"slide\"\n\
                     kind = \"prismatic\"\naxis = [1, 0, 0]\n";

const FAST: [&str; 8] = [
    "simulate",
    "panda",
    "--controller",
    "computed-torque",
    "--move",
    "from 0,-0.5,0,-2,0,1.5,0 to 0.5,0,0.4,-1,0.3,2,1 in 0.35",
    "--duration",
    "2s",
];

/// A move that is over before the second sample of one per second: its peaks are those of a thousand per second.
#[test]
fn peaks_and_speed_warnings_do_not_depend_on_the_rate() {
    let of = |rate: &str| json(&[&FAST[..], &["--json", "--rate", rate]].concat());
    let (coarse, dense) = (of("1"), of("1000"));
    assert_eq!(coarse["samples"].as_array().unwrap().len(), 3);
    let largest = |quantity: &str, joint: usize| {
        let samples = dense["samples"].as_array().unwrap();
        samples.iter().map(|s| number(&s[quantity][joint]).abs()).fold(0.0, f64::max)
    };
    for joint in 0..7 {
        for (peak, quantity) in [("velocity", "qd"), ("torque", "tau")] {
            let found = number(&coarse["peaks"][joint][peak]["value"]).abs();
            let expected = largest(quantity, joint);
            // The samples of the dense run are at those of the controller, where torques change.
            assert!((found - expected).abs() <= 1e-3 * expected, "{joint}: {peak} {found}, not {expected}");
        }
        let [a, b] = [&coarse, &dense].map(|run| number(&run["tracking"]["joints"][joint]["peak"]["value"]));
        assert!((a - b).abs() <= 1e-6 * b.abs(), "{joint}: {a} and {b}");
    }
    assert!((largest("qd", 3) - 5.373).abs() < 1e-3);
    let warned = text(&run(&[&FAST[..], &["--rate", "1"]].concat()).stderr);
    assert!(warned.contains("joints exceed their speed limits") && warned.contains("`panda_joint4`"), "{warned}");
}

/// Gains that a step of 1 ms cannot hold: the simulation fails after a while, and all that it writes says that it is partial.
#[test]
fn all_outputs_of_a_failed_run_are_marked_as_partial() {
    let here = folder("simulate-partial");
    std::fs::write(here.join("slide.toml"), SLIDE).unwrap();
    let mut line = vec![
        "simulate",
        "slide.toml",
        "--controller",
        "pd",
        "--kp",
        "1e9",
        "--kd",
        "0",
        "--move",
        "from 0.1 to 0 in 1",
    ];
    line.extend(["--integrator", "semi-implicit-euler", "--rate", "1000", "--no-saturation", "--out", "run.csv"]);
    line.extend(["--plot", "energy=energy.svg", "--plot", "position=position.svg", "--plot", "torque=torque.svg"]);
    let output = run_in(&here, &line);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("partial: failed"), "{}", text(&output.stdout));
    let read = |name: &str| std::fs::read_to_string(here.join(name)).unwrap();
    assert!(read("run.csv").lines().next().unwrap().ends_with(",partial"));
    for name in ["energy.svg", "position.svg", "torque.svg"] {
        assert!(read(name).contains("(partial: ended at "), "{name}: {}", read(name));
    }
    if cfg!(feature = "mcap") {
        let table = line.iter().position(|word| *word == "run.csv").unwrap();
        line[table] = "run.mcap";
        let output = run_in(&here, &line);
        assert!(text(&output.stdout).contains("partial (metadata `armdyn`: `partial`)"), "{}", text(&output.stdout));
        let bytes = std::fs::read(here.join("run.mcap")).unwrap();
        // A metadata record: name, and a map of one entry.
        let string = |text: &str| [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
        let entry = [string("partial"), string("true")].concat();
        let record = [string("armdyn"), (entry.len() as u32).to_le_bytes().to_vec(), entry].concat();
        assert!(bytes.windows(record.len()).any(|window| window == record));
    }
    // A run that ends as planned has no mark.
    let output = run_in(
        &here,
        &["simulate", "slide.toml", "--controller", "none", "--duration", "1s", "--plot", "energy=energy.svg"],
    );
    assert!(output.status.success() && !read("energy.svg").contains("partial"));
}

#[test]
fn columns_that_armdyn_writes_are_no_surprise() {
    let here = folder("simulate-own-files");
    let said = |line: &[&str]| {
        let output = run_in(&here, line);
        assert!(output.status.success(), "{line:?}: {}", text(&output.stderr));
        text(&output.stderr)
    };
    let goal =
        ["trajectory", "panda", "--from", "0,-0.5,0,-2,0,1.5,0", "--to", "0.1,-0.4,0,-2,0,1.5,0", "--out", "move.csv"];
    said(&goal);
    let follow =
        ["simulate", "panda", "--controller", "computed-torque", "--trajectory", "move.csv", "--out", "run.csv"];
    let wheels =
        ["simulate", "lau-movable", "--base", "rolling", "--controller", "pd-gravity", "--move", "to theta1=0.2 in 1"];
    for line in [
        &["trajectory", "panda", "--trajectory", "move.csv"][..],
        &["explain", "panda", "--trajectory", "move.csv"],
        &follow,
        &["simulate", "panda", "--torque", "run.csv", "--q", "0,-0.5,0,-2,0,1.5,0"],
        &["trajectory", "panda", "--trajectory", "run.csv"],
        &[&wheels[..], &["--out", "wheels.csv"]].concat(),
        &["simulate", "lau-movable", "--torque", "wheels.csv"],
    ] {
        let warned = said(line);
        assert!(!warned.contains("unused"), "{line:?}: {warned}");
    }
    // A name that is not of this robot still is one.
    let table = std::fs::read_to_string(here.join("run.csv")).unwrap();
    std::fs::write(here.join("other.csv"), table.replace("commanded_panda_joint1", "tau_elbow")).unwrap();
    let warned = said(&["simulate", "panda", "--torque", "other.csv", "--q", "0,-0.5,0,-2,0,1.5,0"]);
    assert!(warned.contains("unused columns: tau_elbow"), "{warned}");
}

/// A constant force F on the link of 2 kg, whose motor of 1 kg hangs on a spring of 200 N/m: x = q − θ is
/// F/(m ω²) (1 − cos ωt) with ω² = K (1/m + 1/B).
#[test]
fn any_joint_can_be_made_flexible() {
    let here = folder("simulate-flexible");
    std::fs::write(here.join("slide.toml"), SLIDE).unwrap();
    let line = ["simulate", "slide.toml", "--controller", "none", "--duration", "1s", "--rate", "1000", "--json"];
    let spring = ["--flexible", "--joint-stiffness", "slide=200", "--motor-inertia", "1", "--wrench", "3,0,0@mass"];
    let output = run_in(&here, &[&line[..], &spring].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let omega = (200.0 * (0.5 + 1.0f64)).sqrt();
    for s in answer["samples"].as_array().unwrap() {
        let (t, stretch) = (number(&s["t"]), number(&s["q"][0]) - number(&s["motor_position"][0]));
        let expected = 3.0 / (2.0 * omega * omega) * (1.0 - (omega * t).cos());
        assert!((stretch - expected).abs() < 1e-9, "{t} s: {stretch}, not {expected}");
    }
    let free = ["--controller", "none", "--duration", "10ms", "--no-stops"];
    let refuse = |robot: &str, more: &[&str]| refused(&[&["simulate", robot][..], &free, more].concat());
    for (error, words) in [
        (refuse("panda", &["--flexible"]), &["no joint of `panda` has a stiffness", "`--joint-stiffness`"][..]),
        (refuse("panda", &["--flexible", "--joint-stiffness", "1e4"]), &["`panda_joint1`", "`--motor-inertia`"]),
        (refuse("slender-two-link", &["--flexible"]), &["gyroscopic", "`--motor-inertia`"]),
        (refuse("panda", &["--flexible", "--joint-stiffness", "panda_joint2=0"]), &["`panda_joint2`", "more than 0"]),
    ] {
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
    for (robot, more) in [
        ("panda", &["--joint-stiffness", "1e4", "--motor-inertia", "0.5"][..]),
        ("slender-two-link", &["--motor-inertia", "0.6,0.6,0.2"]),
        ("puma560", &["--joint-stiffness", "joint2=2e4"]),
    ] {
        let answer = json(&[&["simulate", robot][..], &free, &["--json", "--flexible", "1"], more].concat());
        assert!(!answer["flexible"].as_array().unwrap().is_empty(), "{robot}");
    }
}

#[test]
fn wrong_options_are_named_with_the_joint() {
    let motion = ["--move", "from 0,-0.5,0,-2,0,1.5,0 to 0.1,-0.5,0,-2,0,1.5,0 in 1"];
    let refuse = |controller: &str, more: &[&str]| {
        refused(&[&["simulate", "panda", "--controller", controller][..], &motion, more].concat())
    };
    for (error, words) in [
        (refuse("pd", &["--kp", "1,nan,3,4,5,6,7", "--kd", "1"]), &["`--kp`, joint `panda_joint2`: `nan`"][..]),
        (refuse("pd", &["--kp", "1,-2,3,4,5,6,7", "--kd", "1"]), &["`--kp`, joint `panda_joint2`: `-2` is negative"]),
        (refuse("pd", &["--kp", "1", "--kd", "1,2,3,4,5,6,x"]), &["`--kd`, joint `panda_joint7`: `x` is not a number"]),
        (refuse("pd", &["--kp", "1,2,3,4,5,6", "--kd", "1"]), &["`--kp` has 6 values", "or 7 (panda_joint1"]),
        (refuse("impedance", &["--kp", "1,-2", "--kd", "1,1"]), &["`--kp`, value 2: `-2` is negative"]),
        (refuse("impedance", &["--kp", "1,2,3", "--kd", "1"]), &["`--kp`, `--kd`: 3 gains for 6 directions"]),
        (refuse("pd", &["--damping", "nan"]), &["invalid `--damping NaN`"]),
        (refuse("pd", &["--damping", "-1"]), &["invalid `--damping -1`"]),
        (refuse("pd", &["--model-payload", "2@tool0"]), &["`--model-payload 2@tool0`"]),
        (refuse("pd", &["--controller-rate", "1e11"]), &["1e11 samples of the controller", "`--controller-rate`"]),
        (
            refuse("pd", &["--integrator", "runge-kutta", "--step", "1e-300"]),
            &["1e300 steps of 1e-300 s are too many", "`--step`"],
        ),
        (refused(&["trace", "jpl-rrp", "--method", "cartesian"]), &["the pose is singular"]),
    ] {
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
}

/// Ten times too long a step of order 1: the balance is a percentage, not a power of ten.
#[test]
fn a_large_residual_is_a_percentage() {
    let line = [
        "simulate",
        "lin-rr",
        "--controller",
        "none",
        "--q",
        "1,1",
        "--duration",
        "4s",
        "--rate",
        "5",
        "--step",
        "0.2",
    ];
    let output = run(&[&line[..], &["--integrator", "semi-implicit-euler"]].concat());
    let page = text(&output.stdout);
    let balance = page.lines().find(|l| l.starts_with("Energy balance:")).unwrap();
    assert!(balance.contains(" % of the largest energy") && !balance.contains("1e0"), "{balance}");
}
