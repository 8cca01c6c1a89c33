//! The check finds every planted fault, and reports no warning for the clean originals.
//!
//! `faults/` has one file per fault, made from `clean.urdf`, `clean.mesh.urdf`, `clean.xml` (MJCF) or `clean.toml` by one change; its
//! name starts with the expected code.

use armdyn_import::{Finding, Format, Options, Severity, check, check_meshes, load, load_text};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults")
}

fn findings(path: &Path) -> (Vec<Finding>, Vec<String>) {
    let mut loaded = load(path, &Options::default());
    if let Some(robot) = &loaded.description {
        loaded.findings.extend(check_meshes(robot));
    }
    let lines = loaded.findings.iter().map(|f| f.line(&loaded.sources)).collect();
    (loaded.findings, lines)
}

#[test]
fn the_original_is_clean() {
    for original in ["clean.urdf", "clean.mesh.urdf", "clean.xml", "clean.toml"] {
        let (found, lines) = findings(&folder().join(original));
        assert!(found.iter().all(|f| f.code.severity == Severity::Note), "{lines:#?}");
    }
}

#[test]
fn every_planted_fault_is_found() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        if name.starts_with("clean.") || path.is_dir() {
            continue;
        }
        count += 1;
        let (found, lines) = findings(&path);
        assert!(found.iter().any(|f| f.code.id == &name[..4]), "{name}: {lines:#?}");
        let placed = |f: &&Finding| f.code.id == &name[..4] && f.place.is_some();
        assert!(found.iter().find(placed).is_some(), "{name}: no place");
        // One change must not cause a dozen warnings.
        let warnings = found.iter().filter(|f| f.code.severity > Severity::Note).count();
        assert!(warnings <= 4, "{name}: {lines:#?}");
    }
    assert!(count >= 120, "{count}");
}

/// Codes of warnings and errors for these links and joints; `BLOCK` is an inertial of 1 kg with a radius of gyration of 0.1 m.
fn warnings(links: &[(&str, &str)], joints: &[(&str, &str, &str)]) -> Vec<String> {
    let block =
        r#"<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>"#;
    let links = links.iter().map(|(n, inner)| format!(r#"<link name="{n}">{}</link>"#, inner.replace("BLOCK", block)));
    let joints = joints.iter().map(|(parent, child, inner)| {
        format!(
            r#"<joint name="{child}_joint" type="continuous"><parent link="{parent}"/><child link="{child}"/>
            <axis xyz="0 0 1"/>{inner}</joint>"#
        )
    });
    let text: String = links.chain(joints).collect();
    let text = format!(r#"<robot name="r">{text}</robot>"#);
    let loaded = load_text(Path::new("robot.urdf"), text, Format::Urdf, &Options::default());
    let found = check(loaded.description.as_ref().unwrap_or_else(|| panic!("{:?}", loaded.findings)));
    let worse = found.iter().filter(|f| f.code.severity > Severity::Note);
    worse.map(|f| f.code.id.to_string()).collect()
}

/// A label of 1 mg whose tensor no body has, fixed to 1 kg: the robot is computed, and the label is reported. On its own joint
/// it is refused.
#[test]
fn a_decoration_does_not_block_a_robot() {
    let label = r#"<inertial><mass value="1e-6"/>
        <inertia ixx="1e-8" ixy="6e-8" ixz="0" iyy="1e-8" iyz="0" izz="1e-8"/></inertial>"#;
    let load = |joint: &str| {
        let block = r#"<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>"#;
        let text = format!(
            r#"<robot name="r"><link name="base"/><link name="arm">{block}</link><link name="label">{label}</link>
            <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
            <joint name="k" type="{joint}"><origin xyz="0 0 0.1"/><parent link="arm"/><child link="label"/></joint></robot>"#
        );
        load_text(Path::new("robot.urdf"), text, Format::Urdf, &Options::default()).description.unwrap()
    };
    let worse = |robot: &armdyn_import::Description| {
        let found = check(robot);
        let worse = found.iter().filter(|f| f.code.severity > Severity::Note);
        worse.map(|f| f.code.id).collect::<Vec<_>>()
    };
    let fixed = load("fixed");
    assert_eq!(worse(&fixed), ["A217"]);
    let model = fixed.model().unwrap();
    assert_eq!((model.nv(), model.warnings().len()), (1, 1));
    let moving = load("continuous");
    assert_eq!(worse(&moving), ["A203"]);
    assert!(moving.model().unwrap_err().to_string().contains("link `label`: the inertia is not positive definite"));
}

/// Two arms that mirror each other in the plane of x and z, with a change of the right one.
fn two_arms(change: impl Fn(&str) -> String) -> Vec<String> {
    let arm = |side: &str, s: f64| {
        let link = |name: &str, y: f64, ixy: f64| {
            format!(
                r#"<link name="{side}_{name}"><inertial><origin xyz="0.2 {} 0"/><mass value="2"/>
                <inertia ixx="0.01" ixy="{}" ixz="0" iyy="0.04" iyz="0" izz="0.045"/></inertial></link>"#,
                s * y,
                s * ixy
            )
        };
        let joint = |parent: &str, child: &str, at: &str| {
            format!(
                r#"<joint name="{side}_{child}_joint" type="continuous"><origin xyz="{at}"/><parent link="{parent}"/>
                <child link="{side}_{child}"/><axis xyz="0 1 0"/></joint>"#
            )
        };
        [
            link("upper", 0.03, 0.008),
            link("lower", 0.02, 0.005),
            link("hand", 0.02, 0.004),
            joint("base", "upper", &format!("0 {} 0.3", s * 0.25)),
            joint(&format!("{side}_upper"), "lower", &format!("0.4 {} 0", s * 0.05)),
            joint(&format!("{side}_lower"), "hand", "0.4 0 0"),
        ]
        .concat()
    };
    let right = arm("right", -1.0);
    let changed = change(&right);
    let text = format!(r#"<robot name="r"><link name="base"/>{}{changed}</robot>"#, arm("left", 1.0));
    let loaded = load_text(Path::new("robot.urdf"), text, Format::Urdf, &Options::default());
    let found = check(loaded.description.as_ref().unwrap());
    let worse = found.iter().filter(|f| f.code.severity > Severity::Note);
    worse.map(|f| format!("{} {}", f.code.id, f.message)).collect()
}

/// A mirrored arm with one wrong sign: of a product of inertia, of the centre of mass, of a joint's origin.
#[test]
fn arms_that_do_not_mirror_each_other_are_reported() {
    assert_eq!(two_arms(str::to_string), Vec::<String>::new());
    let faults = [
        (
            r#"ixy="-0.008""#,
            r#"ixy="0.008""#,
            "wrong sign of ixy of `left_upper` or `right_upper` (nothing in the file tells which)?",
        ),
        (
            r#"xyz="0.2 -0.03 0""#,
            r#"xyz="0.2 0.03 0""#,
            "wrong sign of y of `left_upper` or `right_upper` (nothing in the file tells which)?",
        ),
        (
            r#"xyz="0.4 -0.05 0""#,
            r#"xyz="0.4 0.05 0""#,
            "wrong sign of y in the origin of joint `left_lower_joint` or `right_lower_joint` (nothing in the file tells which)?",
        ),
        (
            r#"xyz="0 -0.25 0.3""#,
            r#"xyz="0 0.25 0.3""#,
            "wrong sign in the origin of joint `left_upper_joint` or `right_upper_joint` (nothing in the file tells which)?",
        ),
    ];
    for (sound, wrong, message) in faults {
        let found = two_arms(|right| {
            assert!(right.contains(sound), "{right}");
            right.replace(sound, wrong)
        });
        assert_eq!(found.len(), 1, "{wrong}: {found:#?}");
        assert!(found[0].starts_with("A211") && found[0].ends_with(message), "{wrong}: {found:?}");
    }
}

/// Links whose meshes cannot be read are listed in one note.
#[test]
fn links_of_unknown_size_are_listed() {
    let text = std::fs::read_to_string(folder().join("clean.mesh.urdf")).unwrap();
    let text = text.replace("lower.obj", "none.obj").replace("tool.dae", "../clean.urdf");
    let path = folder().join("robot.urdf");
    let loaded = load_text(&path, text, Format::Urdf, &Options::default());
    let found = check_meshes(loaded.description.as_ref().unwrap());
    let notes: Vec<&Finding> = found.iter().filter(|f| f.code.id == "A404").collect();
    let [note] = notes[..] else { panic!("{found:?}") };
    assert_eq!(note.message, "no mesh of `lower`, `tool` could be read (`lower`: file not found)");
    assert!(found.iter().all(|f| f.code.severity == Severity::Note), "{found:?}");
}

#[test]
fn copies_of_one_part_are_not_placeholders() {
    let wheels = [("base", "BLOCK"), ("a", "BLOCK"), ("b", "BLOCK"), ("c", "BLOCK")];
    assert_eq!(warnings(&wheels[..1], &[]), Vec::<String>::new());
    let apart = [("base", "a", ""), ("base", "b", ""), ("base", "c", "")];
    let wheels = [("base", ""), wheels[1], wheels[2], wheels[3]];
    assert_eq!(warnings(&wheels, &apart), Vec::<String>::new());
    // In a chain they are three links with the same inertia, unless they have the same shape.
    let chain = [("base", "a", ""), ("a", "b", ""), ("b", "c", "")];
    assert_eq!(warnings(&wheels, &chain), ["A209"]);
    let motor = r#"BLOCK<visual><geometry><box size="0.3 0.3 0.3"/></geometry></visual>"#;
    assert_eq!(warnings(&[("base", ""), ("a", motor), ("b", motor), ("c", motor)], &chain), Vec::<String>::new());
}

#[test]
fn a_link_between_two_axes_of_one_joint_needs_no_inertia() {
    let links = [("base", ""), ("cross", ""), ("arm", "BLOCK")];
    let here = [("base", "cross", ""), ("cross", "arm", r#"<origin xyz="0 0 0" rpy="1.57 0 0"/>"#)];
    assert_eq!(warnings(&links, &here), Vec::<String>::new());
    let away = [("base", "cross", ""), ("cross", "arm", r#"<origin xyz="0 0 0.3" rpy="1.57 0 0"/>"#)];
    assert_eq!(warnings(&links, &away), ["A213"]);
}

#[test]
fn a_point_mass_on_the_joint_axis_has_no_inertia() {
    let point = |at: &str| {
        format!(
            r#"<inertial><origin xyz="{at}"/><mass value="1"/>
            <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>"#
        )
    };
    let robot = |at: &str| warnings(&[("base", ""), ("a", &point(at))], &[("base", "a", "")]);
    assert_eq!(robot("0 0 0.2"), ["A210"]);
    assert_eq!(robot("0.1 0 0.2"), Vec::<String>::new());
}

#[test]
fn a_mesh_of_unknown_size_widens_the_thresholds() {
    let shapes =
        |mesh: &str| format!(r#"BLOCK<collision><geometry><sphere radius="0.05"/></geometry></collision>{mesh}"#);
    let robot = |mesh: &str| warnings(&[("base", ""), ("a", &shapes(mesh))], &[("base", "a", "")]);
    // Radius of gyration 0.1 m; of the sphere's box half the diagonal is 0.087 m.
    assert_eq!(robot(""), ["A206"]);
    let mesh = r#"<visual><geometry><mesh filename="head.stl"/></geometry></visual>"#;
    assert_eq!(robot(mesh), Vec::<String>::new());
}

#[test]
fn a_massless_robot_is_reported_once() {
    let links = [("base", "BLOCK"), ("a", ""), ("b", ""), ("c", "")];
    let chain = [("base", "a", ""), ("a", "b", ""), ("b", "c", "")];
    assert_eq!(warnings(&links, &chain), ["A210"]);
    // If some joint moves a mass, each joint that moves none is reported.
    let links = [links[0], ("a", "BLOCK"), links[2], links[3]];
    assert_eq!(warnings(&links, &chain), ["A210", "A210"]);
}

#[test]
fn a_massless_joint_that_follows_another_one_moves_with_it() {
    let links = [("base", "BLOCK"), ("a", "BLOCK"), ("b", "")];
    let joints = |mimic| [("base", "a", ""), ("base", "b", mimic)];
    assert_eq!(warnings(&links, &joints("")), ["A210"]);
    assert_eq!(warnings(&links, &joints(r#"<mimic joint="a_joint"/>"#)), Vec::<String>::new());
    // Neither has a mass.
    let links = [("base", "BLOCK"), ("a", ""), ("b", "")];
    assert_eq!(warnings(&links, &joints(r#"<mimic joint="a_joint"/>"#)), ["A210"]);
}

#[test]
fn placeholders_are_found_for_any_centre_of_mass() {
    let block = |at: &str| {
        format!(
            r#"<inertial><origin xyz="{at}"/><mass value="1.3"/>
            <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>"#
        )
    };
    let [a, b, c] = ["0.1 0.2 0.3", "0 0 0.1", "0.123 -0.07 0.011"].map(block);
    let chain = [("base", "a", ""), ("a", "b", ""), ("b", "c", "")];
    assert_eq!(warnings(&[("base", ""), ("a", &a), ("b", &b), ("c", &c)], &chain), ["A209"]);
}

#[test]
fn left_and_right_are_recognised_by_letters() {
    let heavy =
        r#"<inertial><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>"#;
    for (left, right) in [("l_arm", "r_arm"), ("arm_L", "arm_R"), ("FL_hip", "FR_hip")] {
        let joints = [("base", left, ""), ("base", right, "")];
        assert_eq!(warnings(&[("base", ""), (left, "BLOCK"), (right, heavy)], &joints), ["A211"]);
        assert_eq!(warnings(&[("base", ""), (left, "BLOCK"), (right, "BLOCK")], &joints), Vec::<String>::new());
    }
}
