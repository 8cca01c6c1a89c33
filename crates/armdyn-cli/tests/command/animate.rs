//! `--animate` as a user types it.

use crate::typed::{folder, number, refused_in, run_in, text};
use serde_json::Value;
use std::path::Path;

const MOVE: &str = "from 0.3,0.2,-0.6 to 1.1,0.5,-0.7 in 1 s";
const LINE: [&str; 6] = ["simulate", "lau-movable", "--base", "rolling", "--move", MOVE];

/// The data of a page.
fn data(page: &Path) -> Value {
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("id=\"animation\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// Numbers of a Base64 text.
fn floats(value: &Value) -> Vec<f64> {
    let letter = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let text = value.as_str().unwrap().trim_end_matches('=');
    let bits = |chunk: &[u8]| chunk.iter().fold((0_u32, 0), |(bits, n), c| (bits << 6 | u32::from(letter(*c)), n + 6));
    let bytes: Vec<u8> = text
        .as_bytes()
        .chunks(4)
        .flat_map(|chunk| {
            let (bits, n) = bits(chunk);
            (0..n / 8).map(move |k| (bits >> (n - 8 - 8 * k)) as u8)
        })
        .collect();
    bytes.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect()
}

/// The page has the samples of the result: the base moves, joints and torques too.
#[test]
fn the_page_has_the_motion_of_the_simulation() {
    let here = folder("animate-motion");
    let output = run_in(&here, &[&LINE[..], &["--animate", "out.html", "--json"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (samples, page) = (result["samples"].as_array().unwrap(), data(&here.join("out.html")));
    let (t, poses) = (floats(&page["t"]), floats(&page["poses"]));
    assert_eq!(t.len(), samples.len());
    assert_eq!(page["events"].as_array().unwrap().len(), result["events"].as_array().unwrap().len());
    let width = poses.len() / t.len();
    let (q, tau) = (floats(&page["q"]), floats(&page["tau"]));
    for (k, s) in samples.iter().enumerate() {
        // Single precision.
        let near =
            |found: f64, expected: &Value| (found - number(expected)).abs() < 1e-6 * number(expected).abs().max(1.0);
        assert!(near(t[k], &s["t"]));
        for c in 0..3 {
            assert!(near(poses[k * width + c], &s["position"][c]), "position at sample {k}");
            assert!(near(q[3 * k + c], &s["q"][c]) && near(tau[3 * k + c], &s["tau"][c]), "joint {c} at sample {k}");
        }
    }
    let moved = (poses[(t.len() - 1) * width] - poses[0]).hypot(poses[(t.len() - 1) * width + 1] - poses[1]);
    assert!(moved > 1e-3, "{moved}");
    assert_eq!(std::fs::read_dir(&here).unwrap().count(), 1, "no unfinished file is left");
}

#[test]
fn a_page_that_cannot_be_written_is_refused() {
    let here = folder("animate-refused");
    let line = |out: &'static str| [&LINE[..], &["--animate", out]].concat();
    refused_in(&here, &line("out.txt"), &["`--animate out.txt`", "extension .html"]);
    refused_in(&here, &line("missing/out.html"), &["missing"]);
    // A simulation that fails leaves the page of an earlier one as it was.
    std::fs::write(here.join("old.html"), "old").unwrap();
    refused_in(&here, &[&line("old.html")[..], &["--rate", "0"]].concat(), &["rate"]);
    assert_eq!(std::fs::read_to_string(here.join("old.html")).unwrap(), "old");
}

/// A URDF with a box, a cylinder, a mesh, a missing mesh with a sphere for collisions, and a mesh that is missing altogether.
#[test]
fn shapes_of_the_file_are_drawn() {
    let here = folder("animate-shapes");
    let solid = |mass: f64| {
        format!("<inertial><mass value='{mass}'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>")
    };
    let link = |name: &str, shapes: &str| format!("<link name='{name}'>{}{shapes}</link>", solid(2.0));
    let shape = |tag: &str, form: &str| format!("<{tag}><geometry><{form}/></geometry></{tag}>");
    let joint = |k: usize| {
        let (parent, child) = (["base", "a", "b", "c"][k], ["a", "b", "c", "d"][k]);
        format!(
            "<joint name='j{k}' type='revolute'><parent link='{parent}'/><child link='{child}'/><origin xyz='0 0 0.3'/>\
             <axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='9' velocity='1'/></joint>"
        )
    };
    let links = [
        link("base", &shape("visual", "box size='0.4 0.3 0.2'")),
        link("a", &(shape("visual", "cylinder radius='0.1' length='0.5'") + &shape("collision", "sphere radius='9'"))),
        link("b", &shape("visual", "mesh filename='tip.stl' scale='0.1 0.1 0.1'")),
        link("c", &(shape("visual", "mesh filename='none.stl'") + &shape("collision", "sphere radius='0.2'"))),
        link("d", &shape("visual", "mesh filename='none.stl'")),
    ];
    let robot = format!("<robot name='r'>{}{}</robot>", links.concat(), (0..4).map(joint).collect::<String>());
    std::fs::write(here.join("r.urdf"), robot).unwrap();
    let facet = |c: [&str; 3]| format!("facet normal 0 0 0 outer loop vertex {} endloop endfacet ", c.join(" vertex "));
    let mesh = [["0 0 0", "1 0 0", "0 1 0"], ["0 0 0", "0 1 0", "0 0 1"]].map(facet).concat();
    std::fs::write(here.join("tip.stl"), format!("solid tip {mesh} endsolid")).unwrap();
    let line = ["simulate", "r.urdf", "--base", "floating", "--move", "to j0=1 in 1", "--animate", "out.html"];
    let output = run_in(&here, &line);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("the shapes of 1 link cannot be drawn (`d`: mesh `none.stl` is not available)"), "{said}");
    let page = data(&here.join("out.html"));
    let shapes = |k: usize| page["scene"]["links"][k]["shapes"].as_array().unwrap().clone();
    let near =
        |value: &Value, expected: f64| assert!((number(value) - expected).abs() < 1e-7, "{value} is not {expected}");
    let [base, a, b, c] = [0, 1, 2, 3].map(|k| {
        assert_eq!(shapes(k).len(), 1, "link {k}");
        shapes(k)[0]["geometry"].clone()
    });
    assert_eq!(base["kind"], "box");
    near(&base["size"][0], 0.4);
    near(&a["radius"], 0.1);
    near(&a["length"], 0.5);
    let positions = floats(&b["positions"]);
    assert_eq!(positions.len(), 12, "four vertices");
    assert!((positions.iter().fold(0.0, |m: f64, x| m.max(*x)) - 0.1).abs() < 1e-7, "{positions:?}");
    near(&c["semi"][2], 0.2);
    assert!(shapes(4).iter().any(|s| s["role"] == "joint"), "drawn from the joints");
    assert_eq!(page["scene"]["gravity"], serde_json::json!([0.0, 0.0, 0.0]), "a floating robot has no weight");
}

/// A planned motion ends at its goal; an arm without torques falls as the samples of the result say.
#[test]
fn trajectories_and_arms_driven_by_torques_are_animated() {
    let here = folder("animate-arms");
    let run = |line: &[&str]| {
        let output = run_in(&here, &[line, &["--animate", "out.html", "--json"]].concat());
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text(&output.stderr));
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        (result, data(&here.join("out.html")))
    };
    let last = |page: &Value| floats(&page["q"]).chunks(2).last().unwrap().to_vec();
    let goal = ["trajectory", "planar-2r", "--from", "0,0", "--to", "0.5,-0.25", "--duration", "1s"];
    let (_, page) = run(&[&goal[..], &["--speeds", "3", "--accelerations", "9"]].concat());
    assert!(last(&page).iter().zip([0.5, -0.25]).all(|(a, b)| (a - b).abs() < 1e-6), "{:?}", last(&page));
    let (result, page) =
        run(&["simulate", "planar-2r", "--controller", "none", "--q", "0.3,0.2", "--duration", "200ms"]);
    let end = &result["samples"].as_array().unwrap().last().unwrap()["q"];
    assert!(last(&page).iter().enumerate().all(|(k, q)| (q - number(&end[k])).abs() < 1e-6), "{end}");
    assert!((last(&page)[0] - 0.3).abs() > 1e-3, "it moves");
    refused_in(&here, &[&goal[..], &["--animate", "out.pdf"]].concat(), &["extension .html"]);
}
