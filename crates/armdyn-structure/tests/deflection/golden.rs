//! Golden data: lau.A3_flex; and what the thesis prints.

use armdyn_core::{Force, Vec3};
use armdyn_import::{Format, Options, library::bundled, load_text};
use armdyn_structure::{DeformationModes, EndConditions, LoadCase, Structure};
use serde_json::Value;
use std::path::Path;

/// The structure of a robot file.
pub fn structure(text: &str) -> Structure {
    let loaded = load_text(Path::new("robot.toml"), text.to_string(), Format::Toml, &Options::default());
    let description = loaded.description.unwrap_or_else(|| panic!("{:?}", loaded.findings));
    Structure::new(&description.model().expect("a model"), None).expect("a structure")
}

fn golden() -> Value {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../armdyn-testkit/data/documents/lau-renaud-lin-morris.json");
    let text = std::fs::read_to_string(file).expect("the data is there");
    serde_json::from_str::<Value>(&text).expect("the data is JSON")["lau"]["A3_flex"].clone()
}

fn vector(v: &Value) -> Vec3<f64> {
    let x = |k: usize| v[k].as_f64().expect("a number");
    armdyn_core::vec3(x(0), x(1), x(2))
}

fn arm() -> (Structure, LoadCase, Value) {
    let (description, golden) = (bundled("lau-flexible").unwrap().load().description.unwrap(), golden());
    let structure = Structure::new(&description.model().unwrap(), None).unwrap();
    let mut case = LoadCase::at_rest(&[0.4, -0.5, 0.9, 0.3], 4);
    case.tool_wrench = Force::new(vector(&golden["tip_moment"]), vector(&golden["tip_force"]));
    (structure, case, golden)
}

#[test]
fn displacements_match_golden_data() {
    let (structure, case, golden) = arm();
    let tolerance = golden["tol_rel"].as_f64().unwrap();
    for (modes, name) in
        [(DeformationModes::bending(), "bending_only"), (DeformationModes::euler_bernoulli(), "bending_torsion_axial")]
    {
        let found = structure.deflect(&case, &modes).unwrap();
        for (link, end) in found.links.iter().zip(["link1_end", "tip"]) {
            let (u, phi) = (vector(&golden[name][end]["u"]), vector(&golden[name][end]["phi"]));
            assert!((link.displacement.translation - u).norm() < tolerance * u.norm(), "{name}: {end}");
            assert!((link.displacement.rotation - phi).norm() < tolerance * phi.norm(), "{name}: {end}");
        }
    }
    // The finite elements that the golden data were checked with.
    let full = structure.deflect(&case, &DeformationModes::euler_bernoulli()).unwrap();
    let fem = vector(&golden["fem"]["bending_torsion_axial_tip"]["u"]);
    assert!((full.tool.displacement.translation - fem).norm() < 1e-10 * fem.norm());
}

/// The load at the far end of each link, which bends it (7-11 … 7-16 have the net load).
#[test]
fn end_loads_match_golden_data() {
    let (structure, case, golden) = arm();
    let found = structure.deflect(&case, &DeformationModes::bending()).unwrap();
    for (link, name) in found.links.iter().zip(["link1", "link2"]) {
        let (f, n) = (&golden["distal_loads"][name]["F"], &golden["distal_loads"][name]["N"]);
        let Force { force, moment } = link.end_load;
        // In the section's axes: only magnitudes are compared.
        assert!((force.norm() / vector(f).norm() - 1.0).abs() < 1e-9, "{name}");
        assert!((moment.norm() / vector(n).norm() - 1.0).abs() < 1e-9, "{name}");
    }
}

/// A cantilever of 2 m, EI = 1000 N m², under each load alone: what the library gives, and what the thesis prints.
#[test]
fn errata_of_chapter_7() {
    let cantilever = structure(
        "version = 1\nname = \"c\"\ngravity = [0, 0, 0]\n[section.s]\nkind = \"given\"\nEI = 1000\nGJ = 1\nEA = 1\n[[link]]\n\
         name = \"l\"\nmass = 1\njoint = { name = \"j\", kind = \"revolute\" }\n\
         beam = { section = \"s\", length = 2, end = [2, 0, 0] }\n",
    );
    let (l, ei, load): (f64, f64, f64) = (2.0, 1000.0, 3.0);
    let of = |force: [f64; 3], moment: [f64; 3]| {
        let mut case = LoadCase::at_rest(&[0.0], 1);
        case.tool_wrench = Force::new(Vec3::lift(moment), Vec3::lift(force));
        cantilever.deflect(&case, &DeformationModes::bending()).unwrap().tool.displacement
    };
    let (pushed, turned) = (of([0.0, load, 0.0], [0.0; 3]), of([0.0; 3], [0.0, 0.0, load]));
    // 7-1 is right.
    assert!((pushed.translation.y / (l.powi(3) * load / (3.0 * ei)) - 1.0).abs() < 1e-14);
    // What 7-2, 7-3, 7-4 print has L³ for L², L², L: 2, 2 and 4 times too much for this beam.
    for (found, right, printed, times) in [
        (pushed.rotation.z, l.powi(2) * load / (2.0 * ei), l.powi(3) * load / (2.0 * ei), 2.0),
        (turned.translation.y, l.powi(2) * load / (2.0 * ei), l.powi(3) * load / (2.0 * ei), 2.0),
        (turned.rotation.z, l * load / ei, l.powi(3) * load / ei, 4.0),
    ] {
        assert!((found / right - 1.0).abs() < 1e-14 && (printed / found - times).abs() < 1e-12);
    }
    // 7-8, 7-10: +L/EI ((N × L) × L)/(L·L) has the wrong sign.
    let (n, along) = (Vec3::lift([0.0, 0.0, load]), Vec3::lift([l, 0.0, 0.0]));
    let printed = n.cross(along).cross(along) * (l / ei / along.norm_squared());
    assert!((turned.rotation + printed).norm() < 1e-14 * printed.norm());
}

/// 7-17 lumps a link's weight at its middle: a sixth of the displacement and a quarter of the rotation are missing.
#[test]
fn weight_is_distributed_along_the_beam() {
    let text = "version = 1\nname = \"c\"\n[section.s]\nkind = \"box\"\nwidth = 0.02\nheight = 0.04\n[material.m]\nE = 7e10\nG = 2.7e10\n\
                density = 2700\n[[link]]\nname = \"l\"\njoint = { name = \"j\", kind = \"revolute\" }\n\
                beam = { section = \"s\", material = \"m\", length = 1.5, end = [1.5, 0, 0] }\n\
                bodies = [{ kind = \"box\", size = [1.5, 0.02, 0.04], density = 2700, at = { xyz = [0.75, 0, 0] } }]\n";
    let found =
        structure(text).deflect(&LoadCase::at_rest(&[0.0], 1), &DeformationModes::bending()).unwrap().tool.displacement;
    let (l, ei, q) = (1.5_f64, 7e10 * 0.02 * 0.04_f64.powi(3) / 12.0, 2700.0 * 0.02 * 0.04 * 9.81);
    assert!((found.translation.z / (-q * l.powi(4) / (8.0 * ei)) - 1.0).abs() < 1e-12);
    assert!((found.rotation.y / (q * l.powi(3) / (6.0 * ei)) - 1.0).abs() < 1e-12);
    let (a, weight) = (l / 2.0, q * l);
    let printed = [a * a * (3.0 * l - a) / (6.0 * ei) * weight, a * a / (2.0 * ei) * weight];
    assert!(
        (printed[0] / -found.translation.z - 5.0 / 6.0).abs() < 1e-12
            && (printed[1] / found.rotation.y - 0.75).abs() < 1e-12
    );
}

/// 7-23 and its plot: the critical load grows with (2k − 1)², not with k² or its reciprocal.
#[test]
fn buckling_matches_golden_data() {
    let golden = &golden()["buckling"];
    for (k, theory) in golden["theory"].as_array().unwrap().iter().enumerate() {
        let found = EndConditions::FixedFree.beta(k + 1).powi(2);
        let (theory, fem) = (theory.as_f64().unwrap(), golden["fem20"][k].as_f64().unwrap());
        assert!((found / theory - 1.0).abs() < 1e-12);
        assert!((found / fem - 1.0).abs() < golden["tol_rel"].as_f64().unwrap());
    }
}

/// The arm of Morris and Neea, level and extended: its sag by integrating M/EI twice along it, over column and links.
#[test]
fn the_sag_of_the_arm_of_morris_and_neea() {
    let description = bundled("morris-neea").unwrap().load().description.unwrap();
    let arm = Structure::new(&description.model().unwrap(), None).unwrap();
    let found = arm.deflect(&LoadCase::at_rest(&[0.0; 4], 4), &DeformationModes::bending()).unwrap();
    // Length, radius, mass of the links; mass of the motors at their starts.
    let links = [(0.5, 0.03, 3.0, 4.0), (0.4, 0.025, 2.0, 3.0), (0.3, 0.02, 1.2, 2.0)];
    let start = |k: usize| links[..k].iter().map(|l: &(f64, f64, f64, f64)| l.0).sum::<f64>();
    let moment = |x: f64| {
        let of = |k: usize| {
            let ((length, _, mass, motor), from) = (links[k], start(k));
            let (a, b) = (from.max(x) - x, (from + length - x).max(0.0));
            9.81 * (motor * (from - x).max(0.0) + mass / length * (b * b - a * a).max(0.0) / 2.0)
        };
        (0..3).map(of).sum::<f64>()
    };
    let stiffness = |radius: f64| 70e9 * std::f64::consts::PI * radius.powi(4) / 4.0;
    // The column, 0.6 m high, is bent by the moment of all.
    let (mut slope, mut sag) = (moment(0.0) * 0.6 / stiffness(0.04), 0.0);
    for (k, (length, radius, ..)) in links.into_iter().enumerate() {
        // Simpson's rule is exact: M is quadratic within a link, and cubic with the lever.
        let at = |x: f64| moment(start(k) + x * length) / stiffness(radius);
        let simpson = |f: &dyn Fn(f64) -> f64| length * (f(0.0) + 4.0 * f(0.5) + f(1.0)) / 6.0;
        sag += slope * length + simpson(&|x| at(x) * length * (1.0 - x));
        slope += simpson(&at);
        let end = &found.links[k + 1];
        let (down, angle) = (-end.displacement.translation.z, end.displacement.rotation.y);
        assert!((down / sag - 1.0).abs() < 1e-9 && (angle / slope - 1.0).abs() < 1e-9, "{}: {down} {sag}", end.link);
    }
}
