//! `armdyn deflect` as a user types it.

use crate::typed::{folder, json, number, numbers_of, refused, said, scaled};

/// The golden pose and load of Lau's chapter 7.
const GOLDEN: [&str; 6] = ["deflect", "lau-flexible", "--q", "0.4,-0.5,0.9,0.3", "--force", "3,-2,-20,0.2,-0.1,0.3"];

fn tip(line: &[&str]) -> Vec<f64> {
    json(line)["tool"]["displacement"]["translation"].as_array().unwrap().iter().map(number).collect()
}

/// crates/armdyn-testkit/data/documents/lau-renaud-lin-morris.json, lau.A3_flex: only bending, and with torsion and stretching.
#[test]
fn the_golden_displacements() {
    for (mode, expected) in [
        ("bending", [-8.49358466692085e-05, -0.00031653268326834795, -0.003145619738772812]),
        ("euler", [6.722695263238358e-05, -0.0005452465807271315, -0.0032393583399329662]),
        ("bending,torsion,axial", [6.722695263238358e-05, -0.0005452465807271315, -0.0032393583399329662]),
    ] {
        let found = tip(&[&GOLDEN[..], &["--modes", mode, "--json"]].concat());
        assert!(found.iter().zip(expected).all(|(x, e)| (x - e).abs() < 1e-9 * 3.2e-3), "{mode}: {found:?}");
    }
    let text = said(&[&GOLDEN[..], &["--modes", "euler"]].concat());
    for expected in ["displacements under load", "x [mm]", "-3.239", "contributions", "stress [MPa]", "upper"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

/// Lau's second question, whether the links are strong enough: stress at their roots by the handbook's formulas for tubes, √(σ² + 3 τ²)
/// of bending, axial force, torsion and shear, over 235 MPa; within 1e-4, as the stress points are 15° apart.
#[test]
fn the_links_of_laus_arm_are_strong_enough() {
    let answer = json(&[&GOLDEN[..], &["--json"]].concat());
    for (link, stress) in [(0, 21_856_241.497), (1, 21_689_743.117)] {
        let found = &answer["strength"][link];
        assert!((number(&found["stress"]) / stress - 1.0).abs() < 1e-4, "{found}");
        assert!((number(&found["yield_safety_factor"]) * stress / 235e6 - 1.0).abs() < 1e-4, "{found}");
    }
}

#[test]
fn compensation_and_frequencies() {
    let line = [
        "deflect",
        "slender-two-link",
        "--q",
        "0,0.3,0.4",
        "--compensate",
        "--frequencies",
        "3",
        "--bandwidth",
        "4",
        "--json",
    ];
    let answer = json(&line);
    let q: Vec<String> =
        answer["compensation"]["q"].as_array().unwrap().iter().map(|x| format!("{:?}", number(x))).collect();
    // The deflected robot at the compensated positions is where the rigid one was.
    let there = json(&["deflect", "slender-two-link", "--q", &q.join(","), "--json"]);
    for k in 0..3 {
        let is = number(&there["tool"]["position"][k]) + number(&there["tool"]["displacement"]["translation"][k]);
        assert!((is - number(&answer["tool"]["position"][k])).abs() < 1e-9);
        assert!(number(&answer["compensation"]["residual"]["translation"][k]).abs() < 1e-9);
    }
    let frequencies = answer["vibration_modes"].as_array().unwrap();
    assert!(
        frequencies.len() == 3
            && frequencies.windows(2).all(|f| number(&f[0]["frequency"]) <= number(&f[1]["frequency"]))
    );
    let ratio = number(&frequencies[0]["frequency"]) / 4.0;
    assert!((number(&answer["bandwidth"]["frequency_ratio"]) - ratio).abs() < 1e-12);
    assert_eq!(answer["bandwidth"]["static_is_valid"], ratio >= 5.0);
    let slow = said(&["deflect", "slender-two-link", "--q", "0,0.3,0.4", "--bandwidth", "0.01"]).replace("\n  ", " ");
    assert!(slow.contains("0.0 % too small"), "{slow}");
    let fast = said(&["deflect", "slender-two-link", "--q", "0,0.3,0.4", "--bandwidth", "1000"]).replace("\n  ", " ");
    assert!(fast.contains("the static solution is not valid"), "{fast}");
    // Rotors that move with their joints lower the frequency.
    let servo = json(&[&line[..], &["--servo"]].concat());
    assert!(number(&servo["vibration_modes"][0]["frequency"]) < number(&frequencies[0]["frequency"]));
}

#[test]
fn a_trajectory_has_a_worst_sample_and_plots() {
    let folder = folder("deflect");
    let motion = folder.join("motion.csv");
    // The arm rises from the horizontal: it deflects most at the start.
    let rows = (0..=20).map(|k| format!("{},0,{},0\n", k as f64 / 10.0, 0.06 * k as f64));
    std::fs::write(&motion, "t,q_turn,q_shoulder,q_elbow\n".to_string() + &rows.collect::<String>()).unwrap();
    let [motion, shape, map, tool] =
        [motion, folder.join("shape.svg"), folder.join("map.svg"), folder.join("tool.svg")]
            .map(|p| p.display().to_string());
    let plots = [format!("shape={shape}"), format!("map={map}"), format!("tool={tool}")];
    let line = ["deflect", "slender-two-link", "--trajectory", &motion, "--map", "--samples", "300"];
    let text = said(&[&line[..], &["--plot", &plots[0], "--plot", &plots[1], "--plot", &plots[2]]].concat());
    for expected in ["mm at 0 s", "over 300 configurations", "bandwidth of the motion", "yield SF"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let svg = std::fs::read_to_string(&shape).unwrap();
    assert!(svg.contains("exaggerated") && svg.contains("under load"), "the plot states the factor");
    assert!(
        std::fs::read(&map).unwrap().starts_with(b"<svg") && std::fs::read_to_string(&tool).unwrap().contains("[mm]")
    );
    let answer = json(&[&line[..], &["--json"]].concat());
    assert_eq!(
        (number(&answer["trajectory"]["worst_sample"]), answer["trajectory"]["t"].as_array().unwrap().len()),
        (0.0, 21)
    );
    assert_eq!(answer["map"]["poses"], 300);
    // The same seed gives the same map.
    assert_eq!(json(&[&line[..], &["--json"]].concat())["map"], answer["map"]);
}

#[test]
fn invalid_input_is_reported_with_a_fix() {
    let rigid = refused(&["deflect", "ur5e", "--q", "0,0,0,0,0,0"]);
    assert!(
        rigid.contains("robot `ur5e` is rigid") && rigid.contains("forearm_link") && rigid.contains("stiffness"),
        "{rigid}"
    );
    for (line, expected) in [
        (&["--q", "0,0,0", "--modes", "bend"][..], "unknown mode `bend`"),
        (&["--q", "0,0,0", "--modes", "lau"], "unknown mode `lau`"),
        (&["--q", "0,0"], "needs 3"),
        (&["--q", "0,0,0", "--plot", "map"], "--map"),
        (&["--q", "0,0,0", "--plot", "tool"], "--trajectory"),
        (&["--q", "0,0,0", "--plot", "shape=a.txt"], ".svg or .png"),
        (&["--q", "0,0,0", "--force", "1,2"], "three or six"),
        (&["--q", "0,0,0", "--tool", "1,2,3@hand"], "hand"),
        (&["--q", "0,0,0", "--bandwidth", "0"], "positive"),
        (&["--q", "0,0,0", "--ranges", "turn=0:1"], "--map"),
        (&["--q", "0,0,0", "--samples", "10"], "--map"),
        (&[], "--q"),
    ] {
        let found = refused(&[&["deflect", "slender-two-link"], line].concat());
        assert!(found.contains(expected), "{line:?}: {found}");
    }
}

/// Joint deflections and the residual of a compensation have the degrees of `--deg`.
#[test]
fn degrees_apply_to_joint_deflections_and_residuals() {
    let line = ["deflect", "slender-two-link", "--q", "0,0,0", "--force", "0,0,-50", "--compensate", "position"];
    let (radians, degrees) = (said(&line), said(&[&line[..], &["--deg"]].concat()));
    assert!(radians.contains("mrad") && !degrees.contains("rad"), "{degrees}");
    let residual = |text: &str| numbers_of(text, "residual of the tool")[1..].to_vec();
    assert!(scaled(&residual(&degrees), &residual(&radians), 1e-3 * 57.29578), "{degrees}\n{radians}");
}
