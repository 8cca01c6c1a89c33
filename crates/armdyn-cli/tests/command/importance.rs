//! `armdyn importance` as a user types it.

use crate::typed::{self, folder, number, numbers_of, refused, said, scaled};
use serde_json::Value;

fn json(line: &[&str]) -> Value {
    typed::json(&[line, &["--json"]].concat())
}

#[test]
fn missing_speeds_and_accelerations_are_reported_by_joint() {
    let said = refused(&["importance", "jpl-rrp"]);
    assert!(said.contains("`--accelerations` is required for all joints"), "{said}");
    assert!(said.contains("`--speeds` is required for all joints"), "{said}");
    let said = refused(&["importance", "jpl-rrp", "--speeds", "1", "--accelerations", "joint2=1,joint3=1"]);
    assert!(said.contains("required for joint1, joint4, joint5, joint6") && !said.contains("speed"), "{said}");
    // The Panda's own speeds do.
    said_with_panda();
}

fn said_with_panda() {
    let text = said(&["importance", "panda", "--accelerations", "2", "--samples", "300"]);
    for part in ["mean fraction", "own inertia", "Coriolis", "rad/s²", "300 configurations", "95th percentile", "N m"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// SPEC of the JPL arm: gravity is more than 1 rad/s² of own inertia in 74 % of the box unloaded, 79 % loaded at joint 2, ….
#[test]
fn gravity_dominates_the_jpl_arm() {
    for (robot, shares) in [("jpl-rrp", [0.741, 0.923, 0.674, 0.916]), ("jpl-rrp-loaded", [0.788, 0.925, 0.872, 0.965])]
    {
        let answer = json(&["importance", robot, "--speeds", "0", "--accelerations", "1", "--samples", "8000"]);
        for (k, share) in shares.iter().enumerate() {
            let found = number(&answer["joints"][k + 1]["gravity_dominates"]);
            // Three deviations of 8000 random samples.
            assert!((found - share).abs() < 0.016, "{robot} joint{}: {found} {share}", k + 2);
        }
        assert_eq!((&answer["states"], &answer["partial"]), (&8000.into(), &false.into()));
    }
}

#[test]
fn curves_of_ratios_are_those_of_the_mass_matrix() {
    let sweep = ["importance", "jpl-rrp", "--deg", "--sweep", "joint2=0:90", "--ratios", "R12,R31"];
    let answer = json(&[&sweep[..], &["--at", "joint3=0.508", "--at", "joint3=1.1176,joint5=30"]].concat());
    let curves = answer["curves"].as_array().unwrap();
    assert_eq!((curves.len(), &answer["sweep"]), (4, &"joint2".into()));
    assert_eq!((&curves[0]["unit"], &curves[2]["unit"]), (&"".into(), &"m/rad".into()));
    // Results are in SI units, whatever --deg says.
    let at = |k: usize| format!("joint2={},joint3=1.1176,joint5=30", number(&curves[1]["x"][k]).to_degrees());
    for k in [0, 60, 180] {
        let terms = json(&["terms", "jpl-rrp", "--deg", "--q", &at(k)]);
        let m = |i: usize, j: usize| number(&terms["M"][i][j]);
        assert!((number(&curves[1]["y"][k]) - m(0, 1) / m(0, 0)).abs() < 1e-12);
        assert!((number(&curves[3]["y"][k]) - m(2, 0) / m(2, 2)).abs() < 1e-12);
    }
    let text = said(&[&sweep[..], &["--at", "joint3=0.508", "--at", "joint3=1.1176"]].concat());
    assert!(text.contains("a R12, joint3=0.508   b R12, joint3=1.1176") && text.contains("joint2 [°]"), "{text}");
}

#[test]
fn plots_are_written_in_the_format_of_their_extension() {
    let folder = folder("importance-pictures");
    let [svg, png] = ["k2.svg", "k2.PNG"].map(|name| folder.join(name).display().to_string());
    let line = ["importance", "jpl-rrp", "--sweep", "joint2", "--ratios", "K2", "--plot", &format!("ratios={svg}")];
    assert!(said(&line).contains(&svg));
    let text = std::fs::read_to_string(&svg).unwrap();
    assert!(text.starts_with("<svg") && text.contains("K2 [rad/s²]") && text.contains("joint2 [rad]"), "{text}");
    let plot = format!("ratios={png}");
    let line = [&line[..7], &[&plot[..]]].concat();
    if cfg!(feature = "png") {
        said(&line);
        let bytes = std::fs::read(&png).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() > 5000);
    } else {
        assert!(refused(&line).contains("--features png"));
    }
    let said = refused(&["importance", "panda", "--accelerations", "1", "--plot", "terms=shares.jpg"]);
    assert!(said.contains("shares.jpg") && said.contains(".svg or .png"), "{said}");
    let said = refused(&["importance", "jpl-rrp", "--sweep", "joint2", "--ratios", "K2,R12", "--plot", "ratios"]);
    assert!(said.contains("units"), "{said}");
}

/// Lin's RR arm at rest, first as it is and then upright for nine times as long.
#[test]
fn trajectories_and_their_errors() {
    let folder = folder("importance-trajectory");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let names: Vec<String> = json(&["show", "lin-rr"])["joints"]
        .as_array()
        .map(|all| all.iter().filter_map(|j| j["name"].as_str().map(str::to_string)).collect())
        .unwrap_or_default();
    let [a, b] = [&names[0], &names[1]];
    let head = format!("t,q_{a},q_{b},qd_{a},qd_{b},qdd_{a},qdd_{b}\n");
    let good = file("good.csv", &format!("{head}0,0,0,0,0,0,0\n1,0,0,0,0,0,0\n"));
    let answer = json(&["importance", "lin-rr", "--trajectory", &good]);
    // (m₁ + m₂) l₁ g + m₂ l₂ g.
    let gravity = 3.5 * 0.6 * 9.81 + 1.5 * 0.4 * 9.81;
    assert!((number(&answer["joints"][0]["gravity"]["rms"]) - gravity).abs() < 1e-12 * gravity);
    assert_eq!(number(&answer["joints"][0]["gravity"]["mean_fraction"]), 1.0);
    let picture = folder.join("parts.svg").display().to_string();
    let text =
        said(&["importance", "lin-rr", "--trajectory", &good, "--joint", b, "--plot", &format!("terms={picture}")]);
    assert!(text.contains("maximum gravity at t = 0 s") && text.contains("time [s]"), "{text}");
    assert!(std::fs::read_to_string(&picture).unwrap().contains("torque [N m]"));

    let back = file("back.csv", &format!("{head}0,0,0,0,0,0,0\n2,0,0,0,0,0,0\n1,0,0,0,0,0,0\n"));
    let said = refused(&["importance", "lin-rr", "--trajectory", &back]);
    assert!(said.contains("back.csv`, row 3") && said.contains("is not after"), "{said}");
    let nan = file("nan.csv", &format!("{head}0,0,0,0,0,0,0\n1,NaN,0,0,0,0,0\n"));
    assert!(refused(&["importance", "lin-rr", "--trajectory", &nan]).contains("nan.csv"));
    let timeless = file("timeless.csv", &format!("q_{a},q_{b}\n0,0\n1,1\n"));
    assert!(refused(&["importance", "lin-rr", "--trajectory", &timeless]).contains("no time column"));
    let short = file("short.csv", &format!("t,q_{a},q_{b}\n0,0,0\n1,1,1\n"));
    assert!(refused(&["importance", "lin-rr", "--trajectory", &short]).contains("three samples"));
}

#[test]
fn the_speed_threshold_grows_with_the_root_of_the_fraction() {
    let slow = |share: &str| {
        let line = [
            "importance",
            "puma560",
            "--speeds",
            "1",
            "--accelerations",
            "1",
            "--samples",
            "500",
            "--velocity-threshold",
            share,
        ];
        json(&line)["all_joints"].as_array().unwrap().iter().map(|b| number(&b["median"])).collect::<Vec<_>>()
    };
    let five = slow("5%");
    assert_eq!(five, slow("0.05"));
    for (a, b) in five.iter().zip(slow("20%")) {
        assert!((2.0 * a - b).abs() < 1e-12 * b);
    }
    let text = said(&[
        "importance",
        "scara",
        "--speeds",
        "1",
        "--accelerations",
        "1",
        "--samples",
        "50",
        "--velocity-threshold",
        "5%",
    ]);
    assert!(text.contains("any") && text.contains("first significant at"), "{text}");
    assert!(
        refused(&["importance", "scara", "--speeds", "1", "--accelerations", "1", "--velocity-threshold", "0"])
            .contains("--velocity-threshold")
    );
}

#[test]
fn invalid_requests_are_errors() {
    let with = |more: &[&str]| refused(&[&["importance", "jpl-rrp"], more].concat());
    assert!(with(&["--ratios", "R19"]).contains("invalid ratio `R19` for a robot with 6 joints"));
    assert!(with(&["--sweep", "elbow", "--ratios", "K2"]).contains("elbow"));
    assert!(with(&["--sweep", "joint2=2:1", "--ratios", "K2"]).contains("joint2"));
    assert!(with(&["--ratios", "K2", "--ranges", "joint2=1:0"]).contains("joint2"));
    let said = refused(&["importance", "lin-rp", "--sweep", "joint2", "--ratios", "K1"]);
    assert!(said.contains("joint2"), "{said}");
    let answer = with(&["--accelerations", "1", "--speeds", "1", "--joint", "elbow"]);
    assert!(answer.contains("has no joint `elbow`; its joints are joint1, joint2"), "{answer}");
    let line =
        ["importance", "jpl-rrp", "--accelerations", "1", "--speeds", "1", "--joint", "joint2", "--samples", "100"];
    assert!(said_deg(&line).contains("joint1") && said_deg(&line).contains("°"));
}

fn said_deg(line: &[&str]) -> String {
    said(&[line, &["--deg"]].concat())
}

/// Ratios have the degrees of `--deg`, within ranges and along a sweep.
#[test]
fn degrees_apply_to_ratios() {
    let within = ["importance", "jpl-rrp", "--ratios", "K2,K3,R13,R31,R12", "--samples", "300"];
    let sweep = [
        "importance",
        "jpl-rrp",
        "--ratios",
        "K2,K3,R13,R31,R12",
        "--sweep",
        "joint3",
        "--q",
        "0.3,0.4,0.5,0.1,0.2,0.3",
    ];
    let q = "17.18873385392469,22.91831180523293,0.5,5.729577951308232,11.45915590261646,17.18873385392469";
    let turned = [&sweep[..7], &[q]].concat();
    for (line, turned) in [(&within[..], &within[..]), (&sweep, &turned)] {
        let (radians, degrees) = (said(line), said_deg(turned));
        assert!(radians.contains("rad/s²") && degrees.contains("°/s²") && !degrees.contains("rad/"), "{degrees}");
        for (ratio, factor) in
            [("K2 ", 57.29578), ("K3 ", 1.0), ("R13 ", 57.29578), ("R31 ", 1.0 / 57.29578), ("R12 ", 1.0)]
        {
            let [mut found, mut other] = [&degrees, &radians].map(|text| numbers_of(text, ratio));
            if line.len() == sweep.len() {
                // The last number is the position of the sweep, anywhere if a ratio does not depend on it.
                found.pop();
                other.pop();
            }
            assert!(scaled(&found, &other, factor), "{ratio}: {degrees}\n{radians}");
        }
    }
}

/// SCARA's first joint has no gravity torque: it exceeds own inertia in no state, which is 0.0 %, not −0.0 %.
#[test]
fn no_zero_has_a_sign() {
    let line = ["importance", "scara", "--speeds", "1", "--accelerations", "1", "--samples", "100"];
    let text = said(&line);
    assert!(!text.contains("-0"), "{text}");
    let answer = typed::run(&[&line[..], &["--json"]].concat());
    assert!(!typed::text(&answer.stdout).contains("-0.0,"), "{}", typed::text(&answer.stdout));
}

#[test]
fn a_plot_of_another_mode_names_the_option() {
    for (plot, options, part) in [
        (
            "ratios",
            &["--speeds", "1", "--accelerations", "1"][..],
            "`--plot ratios` requires `--ratios` and `--sweep JOINT`",
        ),
        ("threshold=a.svg", &["--speeds", "1", "--accelerations", "1"], "requires `--velocity-threshold FRACTION`"),
        ("terms", &["--ratios", "K2", "--sweep", "joint2"], "omit `--ratios`"),
    ] {
        let printed = refused(&[&["importance", "jpl-rrp", "--plot", plot], options].concat());
        assert!(printed.contains(part), "{printed}");
    }
}
