//! Bundled robots: the list equals the folder, every file passes the check, and its parameters match their sources: golden data
//! of the documents and peers, masses and reaches of data sheets, closed forms.

use armdyn_core::*;
use armdyn_import::library::{ROBOTS, bundled, nearest};
use armdyn_import::*;
use armdyn_testkit::{assert_close, mass_matrix, torques};
use serde_json::Value;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn robot(name: &str) -> Model<f64> {
    let loaded = bundled(name).expect("it is bundled").load();
    loaded.model().unwrap_or_else(|| panic!("{:?}", loaded.findings)).expect("a model")
}

fn golden(file: &str) -> Value {
    let text =
        std::fs::read_to_string(root().join("crates/armdyn-testkit/data").join(file)).expect("the data is there");
    serde_json::from_str(&text).expect("the data is JSON")
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().expect("an array").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn vector(v: &Value) -> Vec3<f64> {
    let n = numbers(v);
    vec3(n[0], n[1], n[2])
}

/// The position of a point of a link, in the base's frame.
fn place(m: &Model<f64>, q: &[f64], link: &str, point: [f64; 3]) -> Vec3<f64> {
    let mut d = KinematicsData::new(m);
    kinematics(m, &mut d, q).expect("shapes fit");
    d.link_pose(m, m.link(link).expect("the link is there")).expect("a pose").point(Vec3::lift(point))
}

fn total_mass(m: &Model<f64>) -> f64 {
    m.base_inertia().mass + m.base_to_tip().map(|(_, b)| b.inertia.mass).sum::<f64>()
}

#[test]
fn the_list_is_the_folder() {
    let mut files: Vec<String> = std::fs::read_dir(root().join("crates/armdyn-import/robots"))
        .expect("the folder is there")
        .map(|f| f.expect("a file").file_name().into_string().expect("UTF-8"))
        .filter_map(|f| f.strip_suffix(".toml").map(str::to_string))
        .collect();
    files.sort();
    let names: Vec<&str> = ROBOTS.iter().map(|r| r.name).collect();
    assert_eq!(names, files);
}

#[test]
fn names_are_found_and_suggested() {
    assert_eq!(bundled("PUMA560").map(|r| r.name), Some("puma560"));
    assert!(bundled("puma").is_none());
    assert_eq!(nearest("puma650"), Some("puma560"));
    assert_eq!(nearest("Pandas"), Some("panda"));
    assert_eq!(nearest("Puma"), Some("puma560"));
    assert_eq!(nearest("jpl"), Some("jpl-rrp"));
    for none in ["submarine", "", "é", "u"] {
        assert_eq!(nearest(none), None, "{none}");
    }
}

/// The table of `robots/README.md` has every robot, with its degrees of freedom and mass.
#[test]
fn the_readme_lists_them() {
    let text =
        std::fs::read_to_string(root().join("crates/armdyn-import/robots/README.md")).expect("the table is there");
    let rows: Vec<&str> = text.lines().filter(|l| l.starts_with("| `")).collect();
    assert_eq!(rows.len(), ROBOTS.len());
    for (r, row) in ROBOTS.iter().zip(rows) {
        let m = robot(r.name);
        let start = format!("| `{}` | {} | {:.2} | ", r.name, m.nv(), total_mass(&m));
        assert!(row.starts_with(&start), "{row}: {start}");
    }
}

/// Expected findings of a robot; its `origin` explains them.
const JUSTIFIED: [(&str, &[&str]); 1] = [("puma560", &["A204", "A212"])];

#[test]
fn every_robot_passes_the_check() {
    let mut bad = vec![];
    for r in ROBOTS {
        let loaded = r.load();
        let mut findings = loaded.findings.clone();
        let robot = loaded.description.as_ref().unwrap_or_else(|| panic!("{}: {findings:?}", r.name));
        findings.extend(check(robot));
        let justified = JUSTIFIED.iter().find(|(name, _)| *name == r.name).map_or(&[][..], |(_, codes)| *codes);
        for code in justified {
            assert!(findings.iter().any(|f| f.code.id == *code), "{}: no {code} any more", r.name);
            assert!(robot.origin.as_ref().is_some_and(|o| o.contains(code)), "{}: {code} is not explained", r.name);
        }
        let odd = |f: &&Finding| f.code.severity > Severity::Note && !justified.contains(&f.code.id);
        bad.extend(findings.iter().filter(odd).map(|f| f.line(&loaded.sources)));
        assert_eq!(robot.name, r.name);
        let _ = robot.model().unwrap_or_else(|e| panic!("{}: {e}", r.name));
        let summary = r.summary();
        assert!(!summary.is_empty() && !summary.contains('\n') && summary.len() <= 110, "{}: `{summary}`", r.name);
        assert!(robot.origin.as_ref().is_some_and(|o| o.len() > 80), "{}: missing source of its parameters", r.name);
        assert_eq!(to_toml(robot).matches(&format!("summary = {:?}", summary)).count(), 1, "{}", r.name);
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn the_loaded_jpl_arm_gives_bejczys_torques() {
    let m = robot("jpl-rrp-loaded");
    let data = golden("documents/jpl.json");
    for s in data["states"].as_array().expect("states") {
        let [q, qd, qdd] = ["q", "qd", "qdd"].map(|k| numbers(&s[k]));
        // 1e-12: rounding of six links; the data has 16 digits.
        assert_close("τ", &torques(&m, &q, &qd, &qdd), &numbers(&s["load"]["tau_with_drive"]), 1e-12);
        let rows = s["load"]["D_ij"].as_array().expect("rows");
        let inertia: Vec<f64> = rows.iter().flat_map(numbers).collect();
        assert_close("D_ij", &mass_matrix(&m.without_drives(), &q), &inertia, 1e-12);
    }
}

#[test]
fn laus_figure_4() {
    let g = &golden("documents/lau-renaud-lin-morris.json")["lau"]["A1_example_fig4"];
    let m = robot("lau-fig4");
    let p = &g["params"];
    let of = |key: &str| p[key].as_f64().expect("a number");
    // The file's x is −d.
    let flip = |v: &[f64]| vec![v[0], v[1], -v[2]];
    let q = flip(&[of("th1"), of("th2"), of("d")]);
    let found = torques(&m, &q, &flip(&numbers(&p["qd"])), &flip(&numbers(&p["qdd"])));
    assert_close("τ", &flip(&found), &numbers(&g["tau_total"]), 1e-12);
}

/// The load at the end of the first tube at rest: the tip load, 0.8 kg and the second tube.
#[test]
fn laus_flexible_arm() {
    let g = &golden("documents/lau-renaud-lin-morris.json")["lau"]["A3_flex"];
    let m = robot("lau-flexible");
    let hanging = vector(&g["distal_loads"]["link1"]["F"]) - vector(&g["tip_force"]);
    let mass = m.links()[2].inertia().mass + g["mass_at_distal_end_of_link1"].as_f64().expect("a number");
    assert_close("weight", &[-9.81 * mass], &[hanging.z], 1e-12);
    let q = [0.4, -0.5, 0.9, 0.3];
    let elbow = place(&m, &q, "lower", [0.0; 3]);
    assert_close("upper", &[elbow.norm()], &[g["L"][0].as_f64().expect("a number")], 1e-14);
    // R1 = Rz(0.4) Ry(−0.5).
    assert_close("elbow", &[elbow.y.atan2(elbow.x), elbow.z / 0.7], &[0.4, 0.5_f64.sin()], 1e-14);
}

/// The arms of chapter 4, with the axes and the motion of the golden data, which has its links in other frames.
#[test]
fn laus_arms_of_one_degree_of_freedom_per_link() {
    for (name, block) in [("lau-rpr", "A1_onedof"), ("lau-rrr", "A1_onedof_RRR")] {
        let g = &golden("documents/lau-renaud-lin-morris.json")["lau"][block];
        let of = |key: &str| ["1", "2", "3"].map(|k| g[key][k].as_f64().expect("a number"));
        let found = torques(&robot(name), &[0.0; 3], &of("nd"), &of("ndd"));
        assert_close(name, &found, &of("tau"), 1e-12);
    }
}

/// Mass, centre of mass and wheels of chapter 6.
#[test]
fn laus_movable_robot() {
    let g = &golden("documents/lau-renaud-lin-morris.json")["lau"]["A2_movable"];
    let m = robot("lau-movable");
    for at in [&g["instants"][0], &g["instants"][1], &g["instants"][2], &g["static"]] {
        let q = numbers(&at["q"]);
        let arm = centre_of_mass(&m, &mut EnergyData::new(&m), &[q[0], q[1], -q[2]], &[0.0; 3]).expect("shapes fit");
        let (base, mass) = (m.base_inertia(), total_mass(&m));
        let found = (base.first + arm.position * arm.mass) * (1.0 / mass);
        assert_close("h", &found.to_array(), &numbers(&at["h"]), 1e-12);
        assert_close("M", &[mass], &[at["M"].as_f64().expect("a number")], 1e-15);
    }
    let p = &g["params"];
    let of = |key: &str| p[key].as_f64().expect("a number");
    let contacts = bundled("lau-movable")
        .expect("it is bundled")
        .load()
        .model()
        .expect("a robot")
        .expect("a model")
        .contacts()
        .to_vec();
    let wheels = [[of("s"), 0.0, 0.0], [0.0, of("d"), 0.0], [0.0, -of("d"), 0.0]];
    assert_eq!(contacts.iter().map(|c| c.position).collect::<Vec<_>>(), wheels);
    assert!(
        contacts
            .iter()
            .all(|c| c.friction.static_friction == Some(of("mu_s")) && c.friction.sliding_friction == Some(of("mu_k")))
    );
}

/// The arm on wheels is the UR5e; the base has the manufacturer's weight (50 kg without payload) and footprint (0.67 m wide over
/// tyres of 0.1143 m, data sheet).
#[test]
fn the_arm_on_wheels_is_the_ur5e() {
    let (m, arm) = (robot("ur5e-on-wheels"), robot("ur5e"));
    let q = [0.3, -1.1, 1.4, 0.2, -0.7, 0.5];
    let (qd, qdd) = ([0.4, -0.5, 0.6, 0.7, -0.8, 0.9], [-0.1, 0.2, 0.3, -0.4, 0.5, 0.6]);
    assert_close("τ", &torques(&m, &q, &qd, &qdd), &torques(&arm, &q, &qd, &qdd), 1e-13);
    let base = total_mass(&m) - total_mass(&arm);
    assert!((base - 50.0).abs() < 0.15 * 50.0, "{base} kg");
    let contacts = bundled("ur5e-on-wheels")
        .expect("it is bundled")
        .load()
        .model()
        .expect("a robot")
        .expect("a model")
        .contacts()
        .to_vec();
    let across = contacts.iter().map(|c| c.position[1]).fold(0.0, f64::max) * 2.0 + 0.1143;
    assert!((across - 0.67).abs() < 0.03, "{across} m");
}

/// Every inertial and gravity term of the generalized manipulator, in one: from rest, with the accelerations given.
#[test]
fn laus_generalized_manipulator() {
    let g = &golden("documents/lau-renaud-lin-morris.json")["lau"]["A1_generalized"];
    let m = robot("lau-generalized");
    let (mut q, mut qdd) = (vec![], vec![]);
    for j in g["joints"].as_array().expect("joints") {
        let rpy = vector(&j["rpy"]);
        let turned = Rotation::rpy(rpy.x, rpy.y, rpy.z);
        q.extend([rpy.z, rpy.y, rpy.x]);
        q.extend(numbers(&j["delta"]));
        // α = z ÿ + y' p̈ + x'' r̈, at rest.
        let [z, y, x] = [Vec3::unit(2), Rotation::rpy(0.0, 0.0, rpy.z).y, turned.x];
        let (al, det) = (vector(&j["al"]), z.dot(y.cross(x)));
        qdd.extend([al.dot(y.cross(x)) / det, z.dot(al.cross(x)) / det, z.dot(y.cross(al)) / det]);
        qdd.extend(turned.inverse_rotate(vector(&j["a"])).to_array());
    }
    let mut d = ClosedFormData::new(&m);
    closed_form(&m, &mut d, &q, &[0.0; 18], &qdd, &mut [0.0; 18]).expect("shapes fit");
    for i in 0..3 {
        let terms = &g["expected_terms"][(i + 1).to_string()];
        let sum = |keys: [&str; 2]| {
            let all = keys.iter().flat_map(|k| terms[k].as_object().expect("terms").values());
            all.fold(Vec3::zero(), |sum, v| sum + vector(v)).to_array()
        };
        let w = d.wrench(i).expect("a wrench");
        assert_close("F", &w.force.to_array(), &sum(["Fk", "Fg"]), 1e-12);
        assert_close("N", &w.moment.to_array(), &sum(["Nk", "Ng"]), 1e-12);
    }
}

fn agrees_with_peers(name: &str, m: &Model<f64>) {
    let data = golden(&format!("peers/{name}.golden.json"));
    let samples = data["samples"].as_array().expect("samples");
    assert_eq!(samples.len(), 20);
    for s in samples {
        let [q, qd, qdd] = ["q", "qd", "qdd"].map(|k| numbers(&s[k]));
        let inertia: Vec<f64> = s["M"].as_array().expect("rows").iter().flat_map(numbers).collect();
        // 1e-12: rounding of six or seven links on both sides.
        assert_close(name, &torques(m, &q, &qd, &qdd), &numbers(&s["tau"]), 1e-12);
        assert_close(name, &mass_matrix(m, &q), &inertia, 1e-12);
    }
}

/// The peers' Panda has its hand on: 0.73 kg at the flange, turned by −45°, and two fingers of 15 g (franka_description).
#[test]
fn the_panda_with_its_hand_is_the_peers() {
    let body =
        |m: f64, c: [f64; 3], [x, y, z]: [f64; 3]| Inertia::about_centre(m, Vec3::lift(c), Sym3::diagonal(x, y, z));
    let finger = body(0.015, [0.0, 0.0, 0.0584], [2.375e-6, 2.375e-6, 7.5e-7]);
    let hand = body(0.73, [-0.01, 0.0, 0.03], [0.001, 0.0025, 0.0017]) + finger + finger;
    let flange = Transform::new(Rotation::rpy(0.0, 0.0, -FRAC_PI_4), vec3(0.0, 0.0, 0.107));
    let m = robot("panda");
    let link7 = m.link("panda_link7").expect("it has a link 7");
    agrees_with_peers("panda", &m.with_payload("hand", link7, hand, flange).unwrap());
}

#[test]
fn the_puma_without_drives_is_the_peers() {
    agrees_with_peers("puma560", &robot("puma560").without_drives());
}

/// The toolbox's own test has these gravity torques at its pose qn.
#[test]
fn gravity_torques_of_the_puma_equal_the_toolboxs() {
    let (m, still) = (robot("puma560"), [0.0; 6]);
    let found = torques(&m, &[0.0, FRAC_PI_4, PI, 0.0, FRAC_PI_4, 0.0], &still, &still);
    for (f, e) in found.iter().zip([0.0, 31.6399, 6.0351, 0.0, 0.0283, 0.0]) {
        assert!((f - e).abs() < 5e-5, "{found:?}");
    }
}

/// Jm G² q̈ + B G² q̇ + |G| Tc, from the toolbox's values at the motors.
#[test]
fn the_pumas_drives_are_the_toolboxs() {
    let rows = [
        (200e-6, -62.6111, 1.48e-3, [0.395, 0.435]),
        (200e-6, 107.815, 0.817e-3, [0.126, 0.071]),
        (200e-6, -53.7063, 1.38e-3, [0.132, 0.105]),
        (33e-6, 76.0364, 71.2e-6, [11.2e-3, 16.9e-3]),
        (33e-6, 71.923, 82.6e-6, [9.26e-3, 14.5e-3]),
        (33e-6, 76.686, 36.7e-6, [3.96e-3, 10.5e-3]),
    ];
    let (m, q, qdd) = (robot("puma560"), [0.1, -0.2, 0.3, -0.4, 0.5, -0.6], [1.0, -0.5, 2.0, 3.0, -1.0, 0.7]);
    for side in [1.0, -1.0] {
        let qd = [0.4, 0.3, -0.2, 0.5, -0.6, 0.7].map(|x| side * x);
        let (with, without) = (torques(&m, &q, &qd, &qdd), torques(&m.without_drives(), &q, &qd, &qdd));
        for (i, (jm, g, b, [forward, backward])) in rows.into_iter().enumerate() {
            let coulomb: f64 = if qd[i] > 0.0 { forward } else { -backward };
            let expected = g * g * (jm * qdd[i] + b * qd[i]) + f64::abs(g) * coulomb;
            assert!((with[i] - without[i] - expected).abs() < 1e-11 * expected.abs().max(1.0), "joint {}", i + 1);
        }
    }
}

/// Bejczy 1974, table 1: 984 oz in s² about joint 2, drive included, with the boom level and out to 44 in. Paul's values
/// are rounded to two digits and have another mass of link 2: 1 %. The toolbox's own give 131 kg m².
#[test]
fn the_stanford_arm_is_bejczys() {
    let m = robot("stanford");
    let mass = mass_matrix(&m, &[0.0, FRAC_PI_2, 44.0 * 0.0254, 0.0, 0.0, 0.0]);
    let expected = 984.0 * 0.007061552;
    assert!((mass[7] - expected).abs() < 0.01 * expected, "{} against {expected}", mass[7]);
}

/// The book's closed form, with the rotor's spin in b₁₁ and b₁₂.
#[test]
fn the_planar_arm_has_the_books_inertia_and_gravity() {
    let (m, i, a, l, mr, ir, k, g) = (50.0, 10.0, 1.0, 0.5, 5.0, 0.01, 100.0, 9.81);
    let arm = robot("planar-2r");
    for q in [[0.3, 0.8], [-1.0, 2.0], [2.0, -0.4]] {
        let (c2, c1, c12) = (f64::cos(q[1]), f64::cos(q[0]), f64::cos(q[0] + q[1]));
        let b11 = i + m * l * l + k * k * ir + i + m * (a * a + l * l + 2.0 * a * l * c2) + ir + mr * a * a;
        let b12 = i + m * (l * l + a * l * c2) + k * ir;
        let b22 = i + m * l * l + k * k * ir;
        assert_close("B", &mass_matrix(&arm, &q), &[b11, b12, b12, b22], 1e-13);
        let g2 = m * l * g * c12;
        let g1 = (m * l + mr * a + m * a) * g * c1 + g2;
        assert_close("g", &torques(&arm, &q, &[0.0; 2], &[0.0; 2]), &[g1, g2], 1e-13);
    }
}

/// The UR5e in the frames of the manufacturer's URDF (ur_description): on the joint axes, with other centres of mass and
/// tensors in frames rotated about x. The file has the frames of the manufacturer's Denavit-Hartenberg table.
#[test]
fn the_ur5e_equals_the_manufacturers_urdf() {
    let (d1, a2, a3, d4, d5, d6) = (0.1625, -0.425, -0.3922, 0.1333, 0.0997, 0.0996);
    let (o, q) = (0.0, FRAC_PI_2);
    // Joint origin xyz and rpy; mass, centre, roll of the tensor's frame; xx, xy, xz, yy, yz, zz.
    let rows = [
        (
            [o, o, d1],
            [o, o, o],
            3.761,
            [o, -0.00193, -0.02561],
            q,
            [0.00700210, 0.00000073, -0.00001053, 0.00648091, 0.00049994, 0.00657286],
        ),
        (
            [o, o, o],
            [q, o, o],
            8.058,
            [-0.2125, o, 0.11336],
            o,
            [0.01505885, -0.00005400, 0.00000563, 0.33388086, -0.00000181, 0.33247207],
        ),
        (
            [a2, o, o],
            [o, o, o],
            2.846,
            [-0.2422, o, 0.0265],
            o,
            [0.00399632, -0.00001365, 0.00137272, 0.07879254, -0.00000660, 0.07848510],
        ),
        (
            [a3, o, d4],
            [o, o, o],
            1.37,
            [o, -0.01634, -0.0018],
            q,
            [0.00165491, -0.00000282, -0.00000438, 0.00135962, 0.00010157, 0.00126279],
        ),
        (
            [o, -d5, o],
            [q, o, o],
            1.3,
            [o, 0.01634, -0.0018],
            -q,
            [0.00135617, -0.00000274, 0.00000444, 0.00127827, -0.00005048, 0.00096614],
        ),
        (
            [o, d6, o],
            [q, PI, PI],
            0.365,
            [o, o, -0.001159],
            o,
            [0.00018694, 0.00000006, -0.00000017, 0.00018908, -0.00000092, 0.00025756],
        ),
    ];
    let (mut builder, mut last) = (ModelBuilder::new("ur_description"), BASE);
    for (k, (xyz, [r, p, y], mass, centre, roll, [xx, xy, xz, yy, yz, zz])) in rows.into_iter().enumerate() {
        let tensor = Sym3 { xx, xy, xz, yy, yz, zz };
        let own = Transform::new(Rotation::rpy(roll, 0.0, 0.0), Vec3::lift(centre));
        let link = Link::new(&format!("link{k}")).part("link", Inertia::about_centre(mass, Vec3::zero(), tensor), own);
        let at = Transform::new(Rotation::rpy(r, p, y), Vec3::lift(xyz));
        last = builder.add(last, Joint::revolute(&format!("joint{k}"), [0.0, 0.0, 1.0]).at(at), link);
    }
    let (urdf, dh) = (builder.build().expect("a model"), robot("ur5e"));
    let (q, qd, qdd) =
        ([0.3, -1.2, 0.8, 0.5, -0.7, 1.1], [0.5, -0.4, 0.9, 1.2, -0.8, 0.6], [1.0, 2.0, -1.5, 0.7, 3.0, -2.0]);
    // 1e-12: rounding of six links.
    assert_close("τ", &torques(&dh, &q, &qd, &qdd), &torques(&urdf, &q, &qd, &qdd), 1e-12);
    assert_close("M", &mass_matrix(&dh, &q), &mass_matrix(&urdf, &q), 1e-12);
}

/// Each arm has the dynamics of a UR3e.
#[test]
fn the_two_arms_are_ur3es() {
    let (both, one) = (robot("two-arms"), robot("ur3e"));
    let q = [0.2, -1.1, 0.7, 0.4, -0.9, 1.3];
    let all: Vec<f64> = [0.5].into_iter().chain(q).chain(q).collect();
    let (found, expected) = (mass_matrix(&both, &all), mass_matrix(&one, &q));
    for side in [1, 7] {
        let block: Vec<f64> = (0..36).map(|k| found[(side + k / 6) * 13 + side + k % 6]).collect();
        assert_close("M", &block, &expected, 1e-12);
    }
    let off = (0..36).map(|k| found[(1 + k / 6) * 13 + 7 + k % 6]).fold(0.0_f64, |s, x| s.max(x.abs()));
    assert_eq!(off, 0.0, "one arm's motion does not bear on the other's, the waist at rest");
    let [l, r] = ["left", "right"].map(|s| place(&both, &[0.0; 13], &format!("{s}_base"), [0.0; 3]));
    assert!((l.y + r.y).abs() < 1e-12 && (l.y - 0.25).abs() < 1e-12 && (l.z - r.z).abs() < 1e-12);
    // z of both bases points up and out.
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let [o, z] = [0.0, 1.0].map(|z| place(&both, &[0.0; 13], &format!("{side}_base"), [0.0, 0.0, z]));
        assert!(
            ((z - o).y - sign * FRAC_PI_4.sin()).abs() < 1e-12 && ((z - o).z - FRAC_PI_4.cos()).abs() < 1e-12,
            "{side}"
        );
    }
}

/// Masses of the data sheets, including the base.
#[test]
fn masses_match_data_sheets() {
    let sheets = [
        // The source doubts the mass of the base: 10 %.
        ("ur3e", 6, 11.2, 0.10),
        ("ur5e", 6, 20.6, 0.10),
        ("ur10e", 6, 33.5, 0.10),
        // Identified, not weighed; "about 18 kg".
        ("panda", 7, 18.0, 0.10),
        ("iiwa14", 7, 29.9, 0.005),
        ("gen3", 7, 8.2, 0.005),
        // Chosen to match.
        ("scara", 4, 41.0, 1e-12),
    ];
    for (name, joints, mass, tolerance) in sheets {
        let m = robot(name);
        assert_eq!(m.nv(), joints, "{name}");
        let found = total_mass(&m);
        assert!((found - mass).abs() <= tolerance * mass, "{name}: {found} kg against {mass} kg");
    }
    // Armstrong, Khatib and Burdick 1986: links 2 to 6 together.
    assert!((total_mass(&robot("puma560")) - 23.45).abs() < 1e-12);
}

/// Reaches of the data sheets, with the points between which they are measured.
#[test]
fn reaches_match_data_sheets() {
    let near = |name: &str, found: f64, reach: f64, tolerance: f64| {
        assert!((found - reach).abs() <= tolerance * reach, "{name}: {found} m against {reach} m");
    };
    // From axis A2 to axis A6.
    let m = robot("iiwa14");
    let [from, to] =
        [("lbr_link_2", [0.0, 0.01, 0.0]), ("lbr_link_6", [0.0, 0.0707, 0.0])].map(|(l, p)| place(&m, &[0.0; 7], l, p));
    near("iiwa14", (to - from).norm(), 0.820, 1e-12);
    // From the shoulder to the interface.
    let m = robot("gen3");
    let [from, to] = ["half_arm_1_link", "end_effector_link"].map(|l| place(&m, &[0.0; 7], l, [0.0; 3]));
    near("gen3", (to - from).norm(), 0.902, 0.005);
    // From the shoulder to the flange, elbow and wrist stretched up to their limits.
    let m = robot("panda");
    let mut reach = 0.0_f64;
    for k in 0..1000 {
        let (elbow, wrist) = (-0.0698 - 0.01 * f64::from(k % 10), 3.7525 * f64::from(k / 10) / 99.0);
        let q = [0.0, 0.0, 0.0, elbow, 0.0, wrist, 0.0];
        reach = reach.max((place(&m, &q, "panda_link7", [0.0, 0.0, 0.107]) - vec3(0.0, 0.0, 0.333)).norm());
    }
    near("panda", reach, 0.855, 0.01);
    // From axis 1 to the flange, arm horizontal; data sheets round, and do not specify the point of the wrist.
    for (name, sheet) in [("ur3e", 0.500), ("ur5e", 0.850), ("ur10e", 1.300)] {
        let p = place(&robot(name), &[0.0; 6], "wrist_3_link", [0.0; 3]);
        near(name, p.x.hypot(p.y), sheet, 0.07);
    }
    // From axis 1 to axis 4.
    let p = place(&robot("scara"), &[0.0; 4], "flange", [0.0; 3]);
    near("scara", p.x.hypot(p.y), 0.600, 1e-12);
    // From axis 2 to the wrist's centre, across the axis: 36 in to the flange less the flange's 2.2 in.
    let m = robot("puma560");
    let stretched = [0.0, 0.0, -FRAC_PI_2 + f64::atan2(0.0203, 0.4318), 0.0, 0.0, 0.0];
    let p = place(&m, &stretched, "link5", [0.0; 3]);
    near("puma560", p.x.hypot(p.z - 26.45 * 0.0254), 33.8 * 0.0254, 0.01);
}
