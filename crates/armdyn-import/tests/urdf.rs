//! URDF and xacro: semantics, and findings for invalid files.

use armdyn_core::{Inertia, JointKind, Order, Rotation, Sym3};
use armdyn_import::{Description, Format, Loaded, Options, Severity, load_text};
use armdyn_testkit::peers;
use armdyn_testkit::{assert_close, mass_matrix, torques};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

fn urdf(text: &str) -> Loaded {
    load_text(Path::new("robot.urdf"), text.to_string(), Format::Urdf, &Options::default())
}

fn xacro(text: &str) -> Loaded {
    load_text(Path::new("robot.xacro"), text.to_string(), Format::Urdf, &Options::default())
}

fn report(loaded: &Loaded) -> String {
    loaded.findings.iter().map(|f| f.line(&loaded.sources) + "\n").collect()
}

/// The description; fails if there are errors.
fn good(loaded: Loaded) -> Description {
    let findings = report(&loaded);
    loaded.description.unwrap_or_else(|| panic!("{findings}"))
}

fn codes(loaded: &Loaded, min: Severity) -> Vec<&'static str> {
    loaded.findings.iter().filter(|f| f.code.severity >= min).map(|f| f.code.id).collect()
}

/// `id line:column` of each finding.
fn places(loaded: &Loaded, id: &str) -> Vec<String> {
    let of = loaded.findings.iter().filter(|f| f.code.id == id);
    of.map(|f| {
        let (line, column) = loaded.sources.line_column(f.place.as_ref().expect("a place"));
        format!("{line}:{column}")
    })
    .collect()
}

// Comparison with peers.

fn list(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A peer's robot as URDF: the base, then one link per joint.
fn written(robot: &Value) -> String {
    let mut text = format!("<robot name=\"{}\">\n<link name=\"base\"/>\n", robot["name"].as_str().unwrap());
    let joints = robot["joints"].as_array().unwrap();
    let link =
        |k: usize| if k == 0 { "base".into() } else { format!("{}_link", joints[k - 1]["name"].as_str().unwrap()) };
    for (k, j) in joints.iter().enumerate() {
        let [r, p, c, i, axis] = ["R", "p", "com", "I", "axis"].map(|n| list(&j[n]));
        // Rz(yaw) Ry(pitch) Rx(roll), away from pitch = ±π/2.
        let (roll, pitch, yaw) = (r[7].atan2(r[8]), (-r[6]).atan2(r[0].hypot(r[3])), r[3].atan2(r[0]));
        let name = j["name"].as_str().unwrap();
        writeln!(
            text,
            r#"<link name="{child}"><inertial><origin xyz="{} {} {}"/><mass value="{}"/>
            <inertia ixx="{}" ixy="{}" ixz="{}" iyy="{}" iyz="{}" izz="{}"/></inertial></link>
            <joint name="{name}" type="continuous"><origin xyz="{} {} {}" rpy="{roll} {pitch} {yaw}"/>
            <parent link="{}"/><child link="{child}"/><axis xyz="{} {} {}"/></joint>"#,
            c[0],
            c[1],
            c[2],
            j["mass"],
            i[0],
            i[1],
            i[2],
            i[3],
            i[4],
            i[5],
            p[0],
            p[1],
            p[2],
            link(j["parent"].as_u64().unwrap() as usize),
            axis[0],
            axis[1],
            axis[2],
            child = link(k + 1),
        )
        .unwrap();
    }
    text + "</robot>\n"
}

#[test]
fn the_peers_robots_as_urdf_have_the_peers_torques() {
    let robots = [
        (
            "ur5",
            include_str!("../../armdyn-testkit/data/peers/ur5.json"),
            include_str!("../../armdyn-testkit/data/peers/ur5.golden.json"),
        ),
        (
            "panda",
            include_str!("../../armdyn-testkit/data/peers/panda.json"),
            include_str!("../../armdyn-testkit/data/peers/panda.golden.json"),
        ),
    ];
    for (name, parameters, golden) in robots {
        let loaded = urdf(&written(&serde_json::from_str(parameters).unwrap()));
        assert!(codes(&loaded, Severity::Note).is_empty(), "{}", report(&loaded));
        let (m, peer) = (loaded.model().unwrap().unwrap(), peers::robot(name));
        let golden: Value = serde_json::from_str(golden).unwrap();
        for s in golden["samples"].as_array().unwrap() {
            let [q, qd, qdd, tau] = ["q", "qd", "qdd", "tau"].map(|n| list(&s[n]));
            // Doubles, rounded in one recursion; angles that went through atan2 and back.
            assert_close(name, &torques(&m, &q, &qd, &qdd), &torques(&peer, &q, &qd, &qdd), 1e-12);
            assert_close(name, &mass_matrix(&m, &q), &mass_matrix(&peer, &q), 1e-12);
            assert_close("Pinocchio's torques", &torques(&m, &q, &qd, &qdd), &tau, 1e-12);
            let rows: Vec<f64> = s["M"].as_array().unwrap().iter().flat_map(list).collect();
            assert_close("Pinocchio's mass matrix", &mass_matrix(&m, &q), &rows, 1e-12);
        }
    }
}

// Semantics.

const BODY: &str =
    r#"<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;

/// A base, a tip with a body, and the joint between them.
fn pair(kind: &str, inside: &str) -> String {
    format!(
        r#"<robot name="r"><link name="a"/><link name="b">{BODY}</link>
<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{inside}</joint></robot>"#
    )
}

#[test]
fn an_inertial_frame_is_transformed() {
    // diag(1, 2, 3) about the centre, its frame turned by 90° about z: then xx is 2 and yy is 1. The centre, at (1, 2, 3)
    // with 2 kg, adds m (|c|² 1 − c cᵀ) = 2 · [[13, −2, −3], [−2, 10, −6], [−3, −6, 5]].
    let robot = good(urdf(
        r#"<robot name="r"><link name="a"><inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"/></inertial></link></robot>"#,
    ));
    let found = robot.links[0].parts[0].inertia;
    let expected = [2.0, 2.0, 4.0, 6.0, 28.0, -4.0, -6.0, 21.0, -12.0, 13.0];
    assert_close("about the origin", &found.components(), &expected, 1e-15);

    // A product of inertia, turned by 90° about x: y → z, z → −y. I_xy = 5 becomes I_xz, I_yz = 0.5 becomes −I_yz.
    let robot = good(urdf(
        r#"<robot name="r"><link name="a"><inertial><origin rpy="1.5707963267948966 0 0"/><mass value="1"/>
        <inertia ixx="10" ixy="5" ixz="0" iyy="20" iyz="0.5" izz="25"/></inertial></link></robot>"#,
    ));
    let expected = Sym3 { xx: 10.0, xy: 0.0, xz: 5.0, yy: 25.0, yz: -0.5, zz: 20.0 };
    let found = robot.links[0].parts[0].inertia;
    let rows = |s: Sym3<f64>| s.to_rows().concat();
    assert_close("turned", &rows(found.second), &rows(expected), 1e-15);
}

#[test]
fn rpy_rotates_about_x_then_y_then_z_of_the_parent() {
    let robot = good(urdf(&pair("fixed", r#"<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>"#)));
    let (x, y, z) = (armdyn_core::Vec3::unit(0), armdyn_core::Vec3::unit(1), armdyn_core::Vec3::unit(2));
    let about = |axis, angle: f64| Rotation::about(axis, angle.sin_cos());
    let expected = about(z, 0.3).compose(&about(y, 0.2)).compose(&about(x, 0.1));
    let found = robot.joints[0].placement;
    assert_close("rpy", &found.rotation.to_rows().concat(), &expected.to_rows().concat(), 1e-15);
    assert_eq!(found.translation.to_array(), [1.0, 2.0, 3.0]);
}

#[test]
fn every_type_of_joint_is_read() {
    let kind = |kind: &str, inside: &str| good(urdf(&pair(kind, inside))).joints[0].kind;
    let (x, z) = ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let axis = r#"<axis xyz="0 0 1"/>"#;
    assert_eq!(kind("revolute", ""), JointKind::Revolute { axis: x }, "the default axis");
    assert_eq!(kind("revolute", axis), JointKind::Revolute { axis: z });
    assert_eq!(kind("continuous", axis), JointKind::Revolute { axis: z });
    assert_eq!(kind("prismatic", axis), JointKind::Prismatic { axis: z });
    assert_eq!(kind("fixed", ""), JointKind::Fixed);
    assert_eq!(kind("floating", ""), JointKind::Free);
    assert_eq!(kind("planar", axis), JointKind::Planar);
    let order = Order::TranslationFirst;
    let across_x = JointKind::Generalized { rotations: [false, false, true], translations: [false, true, true], order };
    assert_eq!(kind("planar", ""), across_x, "the default axis");
    let across_y = JointKind::Generalized { rotations: [false, true, false], translations: [true, false, true], order };
    assert_eq!(kind("planar", r#"<axis xyz="0 1 0"/>"#), across_y);
}

#[test]
fn a_planar_joint_moves_across_any_axis() {
    // Normal (3, 0, 4)/5; gravity along −z has 3/5 · 9.81 of its length in the plane.
    let loaded = urdf(&pair("planar", r#"<axis xyz="0.6 0 0.8"/>"#));
    assert_eq!(codes(&loaded, Severity::Note), [""; 0], "{}", report(&loaded));
    let m = loaded.model().unwrap().unwrap();
    assert_eq!(m.dof_names(), ["j.x", "j.y", "j.yaw"]);
    let g = torques(&m, &[0.0; 3], &[0.0; 3], &[0.0; 3]);
    assert_close("in the plane", &[g[0].hypot(g[1])], &[0.6 * 9.81], 1e-14);
    assert_eq!(m.links().iter().filter(|l| !l.parts.is_empty()).count(), 1);
    // The link keeps its own axes: a diagonal tensor seen about the normal.
    let text = pair("planar", r#"<axis xyz="0.6 0 0.8"/>"#).replace(r#"izz="1""#, r#"izz="1.5""#);
    let m = urdf(&text).model().unwrap().unwrap();
    assert_close("about the normal", &[mass_matrix(&m, &[0.0; 3])[8]], &[0.36 + 0.64 * 1.5], 1e-14);
}

#[test]
fn an_axis_is_normalized_with_a_warning() {
    let text = pair("continuous", r#"<axis xyz="0 0 2"/>"#);
    let loaded = urdf(&text);
    assert_eq!(codes(&loaded, Severity::Warning), ["A214"]);
    assert_eq!(good(loaded).joints[0].kind, JointKind::Revolute { axis: [0.0, 0.0, 1.0] });
    let rounded = urdf(&pair("continuous", r#"<axis xyz="0.7071 0 0.7071"/>"#));
    assert!(codes(&rounded, Severity::Warning).is_empty(), "rounded digits are no fault");
    let JointKind::Revolute { axis } = good(rounded).joints[0].kind else { panic!() };
    assert_close("unit length", &[axis.iter().map(|x| x * x).sum()], &[1.0], 1e-15);
}

#[test]
fn friction_and_limits_are_the_drives() {
    let inside = r#"<dynamics damping="0.5" friction="0.25"/><limit lower="-1" upper="2" velocity="3" effort="4"/>"#;
    let drive = good(urdf(&pair("revolute", inside))).joints[0].drives[0];
    assert_eq!(
        (drive.friction.viscous, drive.friction.coulomb_forward, drive.friction.coulomb_backward),
        (0.5, 0.25, 0.25)
    );
    let l = drive.limits;
    assert_eq!((l.lower, l.upper, l.speed, l.effort), (-1.0, 2.0, 3.0, 4.0.into()));
    let l = good(urdf(&pair("revolute", r#"<limit velocity="3" effort="4"/>"#))).joints[0].drives[0].limits;
    assert_eq!((l.lower, l.upper), (0.0, 0.0), "the specification's default");
    let loaded = urdf(&pair("continuous", inside));
    assert_eq!(codes(&loaded, Severity::Note), ["A502", "A502"], "lower and upper of a continuous joint");
    assert_eq!(good(loaded).joints[0].drives[0].limits.upper, f64::INFINITY);
}

#[test]
fn a_transmission_is_gear_and_rotor() {
    let with = |t: &str| pair("continuous", "").replace("</robot>", &format!("{t}</robot>"));
    let modern = with(
        r#"<transmission name="t"><type>transmission_interface/SimpleTransmission</type>
        <joint name="j"><hardwareInterface>EffortJointInterface</hardwareInterface></joint>
        <actuator name="m"><mechanicalReduction>50</mechanicalReduction><motorInertia>1e-4</motorInertia></actuator>
        </transmission>"#,
    );
    let loaded = urdf(&modern);
    assert_eq!(codes(&loaded, Severity::Note), ["A501"], "hardwareInterface");
    let rotor = good(loaded.clone()).joints[0].drives[0].rotor.unwrap();
    assert_eq!((rotor.inertia, rotor.gear), (1e-4, 50.0));
    let m = loaded.model().unwrap().unwrap();
    assert_close("1 + 50² · 1e-4", &mass_matrix(&m, &[0.0]), &[1.0 + 0.25], 1e-15);
    let old = with(
        r#"<transmission name="t" type="SimpleTransmission"><actuator name="m"/><joint name="j"/>
        <mechanicalReduction>-30</mechanicalReduction></transmission>"#,
    );
    let rotor = good(urdf(&old)).joints[0].drives[0].rotor.unwrap();
    assert_eq!((rotor.inertia, rotor.gear), (0.0, -30.0));
    // An invalid gear ratio matters only with a rotor.
    let gear = old.replace("-30", "reduction");
    assert_eq!(good(urdf(&gear)).joints[0].drives[0].rotor, None);
    assert_eq!(codes(&urdf(&gear), Severity::Note), ["A501"]);
    let rotor = gear.replace("</transmission>", "<motorInertia>1e-4</motorInertia></transmission>");
    assert_eq!(codes(&urdf(&rotor), Severity::Error), ["A005"]);
    for unused in [
        r#"<transmission name="t"><joint name="j"/><joint name="k"/><actuator name="m"/></transmission>"#,
        r#"<transmission name="t"><joint name="k"/><mechanicalReduction>1</mechanicalReduction></transmission>"#,
    ] {
        assert_eq!(codes(&urdf(&with(unused)), Severity::Note), ["A501"]);
    }
}

/// Exporters write a reduction of 1 where they know none: no gear ratio, unless a rotor is behind it.
#[test]
fn a_reduction_of_one_is_a_placeholder() {
    let with = |inside: &str| {
        let t = format!(
            r#"<transmission name="t"><joint name="j"/><actuator name="m">{inside}</actuator></transmission></robot>"#
        );
        urdf(&pair("continuous", "").replace("</robot>", &t))
    };
    let placeholder = with("<mechanicalReduction>1</mechanicalReduction>");
    assert_eq!(codes(&placeholder, Severity::Note), ["A501"]);
    assert_eq!(good(placeholder).joints[0].drives[0].rotor, None);
    let direct = with("<mechanicalReduction>1</mechanicalReduction><motorInertia>0.01</motorInertia>");
    let rotor = good(direct).joints[0].drives[0].rotor.unwrap();
    assert_eq!((rotor.inertia, rotor.gear), (0.01, 1.0));
}

#[test]
fn mimic_joints_follow() {
    let text = |joint: &str| {
        format!(
            r#"<robot name="r"><link name="a"/><link name="b">{BODY}</link><link name="c">{BODY}</link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="revolute"><parent link="b"/><child link="c"/>
  <mimic joint="{joint}" multiplier="-2" offset="0.5"/></joint></robot>"#
        )
    };
    let loaded = urdf(&text("j"));
    assert_eq!(places(&loaded, "A108"), ["4:3"]);
    assert_eq!(codes(&loaded, Severity::Warning), ["A307", "A307"], "a mimic is no warning");
    let model = loaded.model().unwrap().unwrap();
    assert_eq!((model.nv(), model.dof_names()), (1, &["j".to_string()][..]));
    // s = (q, 0.5 − 2 q), so that τ = τ_j − 2 τ_k of the tree.
    let tau = model.inverse_dynamics(&[0.3], &[0.4], &[0.5]).unwrap();
    let all = model.tree().inverse_dynamics(&[0.3, -0.1], &[0.4, -0.8], &[0.5, -1.0]).unwrap();
    assert!((tau[0] - (all[0] - 2.0 * all[1])).abs() < 1e-14);
    let mimic = good(loaded).joints[1].mimic.clone().unwrap();
    assert_eq!((mimic.joint.as_str(), mimic.multiplier, mimic.offset), ("j", -2.0, 0.5));
    for nothing in ["k", "x"] {
        let loaded = urdf(&text(nothing));
        assert_eq!(places(&loaded, "A111"), ["4:3"]);
        assert_eq!(loaded.worst(), Some(Severity::Warning));
        assert!(good(loaded).joints[1].mimic.is_none());
    }
}

#[test]
fn fixed_links_are_merged_but_listed() {
    let text = format!(
        r#"<robot name="r"><link name="a">{BODY}</link><link name="b">{BODY}</link><link name="c">{BODY}</link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="k" type="fixed"><origin xyz="2 0 0"/><parent link="b"/><child link="c"/></joint></robot>"#
    );
    let loaded = urdf(&text);
    assert_eq!(codes(&loaded, Severity::Note), ["A504", "A503"], "in the order of the text");
    assert_eq!((places(&loaded, "A504"), places(&loaded, "A503")), (vec!["1:32".to_string()], vec!["3:1".to_string()]));
    let m = loaded.model().unwrap().unwrap();
    assert_eq!(m.links().iter().map(|l| l.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_close("two bodies, one at 2 m", &mass_matrix(&m, &[0.0]), &[1.0 + 1.0 + 4.0], 1e-15);
    assert_eq!(m.base_inertia().mass, 1.0);
}

#[test]
fn shapes_have_their_size() {
    let shape = |solid: &str| {
        let text = format!(
            r#"<robot name="r"><link name="a"><visual><geometry>{solid}</geometry></visual>
            <collision><origin xyz="0 0 1"/><geometry>{solid}</geometry></collision></link></robot>"#
        );
        let link = good(urdf(&text)).links.remove(0);
        assert_eq!(link.shapes.len(), 2);
        assert_eq!(link.shapes[1].pose.translation.z, 1.0);
        link.shapes[0].clone()
    };
    assert_eq!(shape(r#"<box size="1 2 3"/>"#).size, [1.0, 2.0, 3.0]);
    assert_eq!(shape(r#"<cylinder radius="1" length="5"/>"#).size, [2.0, 2.0, 5.0]);
    assert_eq!(shape(r#"<sphere radius="1.5"/>"#).size, [3.0; 3]);
    assert_eq!(shape(r#"<mesh filename="x.stl"/>"#).asset.as_deref(), Some("x.stl"));
}

#[test]
fn missing_meshes_are_reported() {
    let here = env!("CARGO_MANIFEST_DIR");
    let options = Options { packages: [("crate".to_string(), here.into())].into(), ..Options::default() };
    let found = |file: &str| {
        let text = format!(
            r#"<robot name="r"><link name="a"><visual><geometry><mesh filename="{file}"/></geometry></visual></link></robot>"#
        );
        let path = Path::new(here).join("src/robot.urdf");
        let loaded = load_text(&path, text, Format::Urdf, &options);
        assert!(codes(&loaded, Severity::Warning).is_empty(), "a missing mesh is a note");
        codes(&loaded, Severity::Note)
    };
    assert!(found("package://crate/src/lib.rs").is_empty());
    assert!(found("package://src/lib.rs").is_empty(), "a package that holds the file");
    assert!(found(&format!("file://{here}/src/lib.rs")).is_empty());
    assert!(found("lib.rs").is_empty() && found("../src/lib.rs").is_empty());
    assert_eq!(found("package://crate/src/none.stl"), ["A402"]);
    assert_eq!(found("none.stl"), ["A402"]);
    assert_eq!(found("https://example.org/x.stl"), ["A402"]);
    assert_eq!(found("package://no_such_package/x.stl"), ["A401"]);
}

#[test]
fn ignored_content_is_listed() {
    let text = r#"<robot name="r" mood="good">
<material name="m"><color rgba="1 0 0 1"/></material>
<link name="a"><visual><geometry><sphere radius="1"/></geometry><material name="m"/></visual></link>
<gazebo reference="a"><selfCollide>true</selfCollide></gazebo>
<gazebo/>
</robot>"#;
    let loaded = urdf(text);
    assert_eq!(places(&loaded, "A502"), ["1:17"]);
    assert_eq!(places(&loaded, "A501"), ["2:1", "3:65", "4:1", "5:1"]);
    assert!(codes(&loaded, Severity::Warning).is_empty());
}

#[test]
fn a_link_without_inertial_has_no_mass() {
    let robot = good(urdf(r#"<robot name="r"><link name="a"/></robot>"#));
    assert!(robot.links[0].parts.is_empty());
    let inertia: Inertia<f64> = Inertia::zero();
    assert_eq!(urdf(r#"<robot name="r"><link name="a"/></robot>"#).model().unwrap().unwrap().base_inertia(), &inertia);
}

// Invalid files.

/// Text, and its expected errors and warnings, `code line:column`.
const BAD: &[(&str, &[&str])] = &[
    ("", &["A002 1:1"]),
    ("robot", &["A002 1:1"]),
    ("<robot name='r'><link name='a'/>", &["A002 1:33"]),
    ("<robot name='r'>\n<link name='a'>\n</joint></robot>", &["A002 3:1"]),
    ("<robot name='r'>\n  <link name='a' name='b'/></robot>", &["A002 2:18"]),
    ("<robot name='r'>\n  <x:link name='a'/></robot>", &["A002 2:4"]),
    ("<!DOCTYPE r [<!ENTITY a 'aaaa'>]>\n<robot name='&a;'/>", &["A002 1:1"]),
    ("<robot name='&a;'><link name='a'/></robot>", &["A002 1:14"]),
    ("<mujoco/>", &["A003 1:1"]),
    ("<robot name='r'/>", &["A004 1:1"]),
    ("<robot><link name='a'/></robot>", &["A004 1:1"]),
    ("<robot name='r'><link name='a'/>\n<link/></robot>", &["A004 2:1"]),
    ("<robot name='r'><link name='a'><inertial/></link></robot>", &["A004 1:32", "A004 1:32"]),
    (
        "<robot name='r'><link name='a'><inertial><mass value='1'/>\n<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0'/></inertial></link></robot>",
        &["A004 2:1"],
    ),
    (
        "<robot name='r'><link name='a'><inertial><mass value='-1'/>\n<inertia ixx='1' ixy='0' ixz='x' iyy='1' iyz='0' izz='inf'/></inertial></link></robot>",
        &["A201 1:48", "A005 2:26", "A202 2:50"],
    ),
    (
        "<robot name='r'><link name='a'><inertial><mass value='1e999'/><inertia ixx='nan' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>",
        &["A202 1:48", "A202 1:72"],
    ),
    ("<robot name='r'><link name='a'/>\n<link name='a'/></robot>", &["A101 2:1"]),
    ("<robot name='r'><link name='a'/><link name='b'/></robot>", &["A104 1:33"]),
    (
        "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j'><parent link='a'/><child link='b'/></joint></robot>",
        &["A004 2:1"],
    ),
    (
        "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint></robot>",
        &["A008 2:17"],
    ),
    (
        "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/></joint></robot>",
        &["A104 1:33", "A004 2:1"],
    ),
    (
        "<robot name='r'><link name='a'/><link name='b'/>\n<joint type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
        &["A104 1:33", "A004 2:1"],
    ),
    (
        "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='A'/><child link='b'/></joint></robot>",
        &["A103 2:38"],
    ),
    (
        "<robot name='r'><link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
        &["A103 2:55"],
    ),
    (
        "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint></robot>",
        &["A102 3:1"],
    ),
    (
        "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
        &["A106 3:55"],
    ),
    (
        "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
        &["A105 3:1"],
    ),
    (
        "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='b'/><child link='b'/></joint></robot>",
        &["A105 2:1"],
    ),
    (
        "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n<joint name='k' type='fixed'><parent link='c'/><child link='d'/></joint></robot>",
        &["A107 1:49"],
    ),
    (
        "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='revolute'><parent link='a'/><child link='b'/><origin xyz='0 0'/><axis xyz='0 0 0'/></joint></robot>",
        &["A307 2:1", "A005 2:76", "A005 2:93"],
    ),
    (
        "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='revolute'><parent link='a'/><child link='b'/><origin rpy='0 0 0 0'/><limit lower='low' upper='nan' effort='1' velocity='1'/><dynamics damping='1,5'/></joint></robot>",
        &["A005 2:76", "A005 2:98", "A202 2:110", "A005 2:157"],
    ),
    (
        "<robot name='r'><link name='a'><visual/><collision><geometry><box/></geometry></collision></link></robot>",
        &["A004 1:32", "A004 1:62"],
    ),
    (
        "<robot name='r'><link name='a'><visual><geometry><sphere radius='wide'/></geometry></visual></link></robot>",
        &["A005 1:58"],
    ),
    ("<robot name='r'><link name='a'><visual><geometry><mesh/></geometry></visual></link></robot>", &["A004 1:50"]),
];

#[test]
fn invalid_files_have_findings_at_their_location() {
    for (text, expected) in BAD {
        let loaded = urdf(text);
        let errors = loaded.findings.iter().filter(|f| f.code.severity >= Severity::Warning);
        let found: Vec<String> = errors
            .map(|f| {
                let (line, column) = loaded.sources.line_column(f.place.as_ref().expect("a place"));
                format!("{} {line}:{column}", f.code.id)
            })
            .collect();
        assert_eq!(&found, expected, "{text}\n{}", report(&loaded));
        assert!(loaded.description.is_none(), "{text}");
    }
    assert!(BAD.len() > 30);
}

#[test]
fn a_message_says_what_to_do() {
    let text = "<robot name='r'><link name='arm'/><link name='hand'/>\n<joint name='j' type='hinge'><parent link='arn'/><child link='hand'/></joint></robot>";
    let loaded = urdf(text);
    let all = report(&loaded);
    assert!(all.contains("joint `j`: unknown type `hinge`: expected revolute, continuous, prismatic, fixed"), "{all}");
    assert!(all.contains("joint `j`: unknown parent link `arn`"), "{all}");
    assert!(loaded.findings.iter().any(|f| f.suggestion() == "did you mean `arm`?"));
}

#[test]
fn truncated_text_is_rejected_without_panic() {
    let text = r#"<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><!-- ü -->
<xacro:property name="m" value="${2 * (1 + pi)}"/>
<xacro:macro name="l" params="n m:=1 *o"><link name="${n}"><inertial><xacro:insert_block name="o"/><mass value="${m}"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></xacro:macro>
<xacro:l n="a" m="${m if m &gt; 1 else 1}"><origin xyz="0 0 1" rpy="0 0 0"/></xacro:l><link name="b"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1"/></joint></robot>"#;
    assert!(good(urdf(text)).links.len() == 2);
    let whole = text.len();
    for end in (0..whole).filter(|&k| text.is_char_boundary(k)) {
        let loaded = urdf(&text[..end]);
        assert!(loaded.description.is_none() && !loaded.findings.is_empty(), "cut at {end}");
        // Any byte left out: it may still be a robot, but it must not panic.
        let after = (end + 1..=whole).find(|&k| text.is_char_boundary(k)).unwrap_or(whole);
        let _ = urdf(&format!("{}{}", &text[..end], &text[after..])).model();
    }
}

#[test]
fn deep_nesting_is_rejected() {
    let n = 100_000;
    let text = format!("<robot name='r'>{}{}</robot>", "<a>".repeat(n), "</a>".repeat(n));
    assert_eq!(codes(&urdf(&text), Severity::Note), ["A002"]);
    assert_eq!(codes(&urdf(&"<a>".repeat(n)), Severity::Note), ["A002"]);
    let text = format!("<robot name='r'><link name='${{{}1{}}}'/></robot>", "(".repeat(n), ")".repeat(n));
    assert_eq!(codes(&xacro(&text), Severity::Note), ["A009"]);
    let text = format!("<robot name='r'><link name='${{{}1}}'/></robot>", "-".repeat(10_000));
    assert_eq!(codes(&xacro(&text), Severity::Note), ["A009"]);
    let text = format!("<robot name='r'><link name='{}a{}'/></robot>", "$(arg ".repeat(10_000), ")".repeat(10_000));
    assert_eq!(codes(&xacro(&text), Severity::Note), ["A009"]);
}

// xacro.

/// The names of the links of a robot with `inside`.
fn names(inside: &str) -> Vec<String> {
    let loaded = xacro(&format!("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>{inside}</robot>"));
    let errors: Vec<_> =
        loaded.findings.iter().filter(|f| f.code.id == "A009").map(|f| f.line(&loaded.sources)).collect();
    assert!(errors.is_empty(), "{inside}\n{errors:?}");
    // Several links without joints are errors, which contain their names in order.
    let root = loaded.description.map(|d| d.links[0].name.clone());
    root.into_iter()
        .chain(
            loaded
                .findings
                .iter()
                .filter(|f| f.code.id == "A104")
                .map(|f| f.message.split('`').nth(1).unwrap_or_default().to_string()),
        )
        .collect()
}

fn value(expression: &str) -> String {
    names(&format!("<xacro:property name='two' value='2'/><link name=\"{expression}\"/>")).remove(0)
}

#[test]
fn expressions_follow_python() {
    let pi = std::f64::consts::PI;
    for (expression, expected) in [
        ("${1 + 2 * 3}", "7".to_string()),
        ("${(1 + 2) * 3}", "9".into()),
        ("${7 / 2}", "3.5".into()),
        ("${4 / 2}", "2.0".into()),
        ("${7 // 2} ${-7 // 2} ${7 // -2} ${-7 // -2}", "3 -4 -4 3".into()),
        ("${7 % 3} ${-7 % 3} ${7 % -3} ${-7.5 % 2}", "1 2 -2 0.5".into()),
        ("${2 ** 3 ** 2}", "512".into()),
        ("${-2 ** 2} ${2 ** -1}", "-4 0.5".into()),
        ("${1 - 2 - 3}", "-4".into()),
        ("${--2} ${+2} ${-two}", "2 2 -2".into()),
        ("${pi}", format!("{pi:?}")),
        ("${pi/2}", format!("{:?}", pi / 2.0)),
        ("${radians(180)} ${degrees(pi)}", format!("{pi:?} 180.0")),
        ("${sin(0)} ${cos(0)} ${tan(0)} ${asin(0)} ${acos(1)} ${atan(0)}", "0.0 1.0 0.0 0.0 0.0 0.0".into()),
        ("${atan2(1, 0) == pi / 2} ${math.sqrt(16)}", "True 4.0".into()),
        ("${abs(-3)} ${abs(-3.5)} ${min(3, 1, 2)} ${max(1, 2.5)}", "3 3.5 1 2.5".into()),
        ("${floor(-1.5)} ${ceil(1.2)} ${pow(2, 5)} ${int(2.9)} ${round(2.5)}", "-2 2 32.0 2 2".into()),
        ("${1 if two > 1 else 0}", "1".into()),
        ("${nothing if two == 1 else 'b'}", "b".into()),
        ("${1 &lt; two &lt; 3} ${1 &lt; two &lt; 2}", "True False".into()),
        ("${not two == 2} ${two == 2 and 1 != 2} ${two &lt; 1 or two &gt;= 2}", "False True True".into()),
        ("${'a' + 'b'} ${'a' == 'a'} ${'a' == 1}", "ab True False".into()),
        ("link_${two}_${two * 1.5}", "link_2_3.0".into()),
        ("$${two} $$(arg x) $5", "${two} $(arg x) $5".into()),
        ("${1e-3} ${.5} ${1.} ${2.5E2}", "0.001 0.5 1.0 250.0".into()),
    ] {
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn unsupported_features_suggest_running_xacro() {
    for expression in [
        "${[1, 2][0]}",
        "${dict(a=1)}",
        "${xacro.load_yaml('x.yaml')}",
        "${two.x}",
        "${lambda x: x}",
        "${1 +}",
        "${}",
        "${__import__('os')}",
        "${0x10}",
        "$(cwd)",
    ] {
        let loaded = xacro(&format!(
            "<robot name='r'>\n <xacro:property xmlns:xacro='http://ros.org/wiki/xacro' name='two' value='2'/><link name=\"{expression}\"/></robot>"
        ));
        assert_eq!(codes(&loaded, Severity::Note), ["A009"], "{expression}");
        assert!(loaded.findings[0].message.contains("xacro robot.xacro > robot.urdf"), "{}", report(&loaded));
        assert_eq!(places(&loaded, "A009"), ["2:86"]);
    }
}

#[test]
fn properties_are_evaluated_lazily() {
    assert_eq!(
        names("<xacro:property name='a' value='${b + 1}'/><xacro:property name='b' value='2'/><link name='${a}'/>"),
        ["3"]
    );
    assert_eq!(
        names("<xacro:property name='a' value='1'/><xacro:property name='a' default='2'/><link name='${a}'/>"),
        ["1"]
    );
    assert_eq!(names("<xacro:property name='a' default='2'/><link name='${a}'/>"), ["2"]);
    assert_eq!(
        names(
            "<xacro:property name='a' value='1'/><xacro:property name='a' value='${a + 1}' lazy_eval='false'/><link name='${a}'/>"
        ),
        ["2"]
    );
    assert_eq!(
        names(
            "<xacro:property name='b'><link name='x'/><link name='y'/></xacro:property><xacro:insert_block name='b'/>"
        ),
        ["y"]
    );
}

#[test]
fn macros_have_parameters_defaults_and_blocks() {
    let m = |params: &str, body: &str, call: &str| {
        names(&format!(
            "<xacro:property name='p' value='q'/><xacro:macro name='m' params='{params}'>{body}</xacro:macro>{call}"
        ))
    };
    assert_eq!(m("a b", "<link name='${a}_${b}'/>", "<xacro:m a='x' b='${1 + 1}'/>"), ["x_2"]);
    assert_eq!(m("a b:=7 c:=${1 + 2}", "<link name='${a}${b}${c}'/>", "<xacro:m a='x'/>"), ["x73"]);
    assert_eq!(m("a:=&apos;x y&apos; b=2", "<link name='${a}${b}'/>", "<xacro:m/>"), ["x y2"]);
    assert_eq!(m("a:=\"x y\" b=2", "<link name='${a}${b}'/>", "<xacro:m/>"), ["\"x y\"2"]);
    assert_eq!(m("p:=^", "<link name='${p}'/>", "<xacro:m/>"), ["q"]);
    assert_eq!(m("p:=^|z r:=^|z", "<link name='${p}${r}'/>", "<xacro:m/>"), ["qz"]);
    assert_eq!(m("p:=^|z", "<link name='${p}'/>", "<xacro:m p='given'/>"), ["given"]);
    // A block is expanded where it is given.
    let body = "<xacro:property name='p' value='inner'/><xacro:insert_block name='o'/>";
    assert_eq!(m("*o", body, "<xacro:m><link name='${p}'/></xacro:m>"), ["q"]);
    assert_eq!(m("**o", body, "<xacro:m><all><link name='${p}'/></all></xacro:m>"), ["q"]);
    // Definitions in a macro are local by default.
    assert_eq!(m("", "<xacro:property name='p' value='in'/>", "<xacro:m/><link name='${p}'/>"), ["q"]);
    assert_eq!(m("", "<xacro:property name='p' value='in' scope='parent'/>", "<xacro:m/><link name='${p}'/>"), ["in"]);
    // Macros may call macros, also recursively.
    let body = "<xacro:if value='${n > 0}'><xacro:m n='${n - 1}'/></xacro:if><xacro:if value='${n == 0}'><link name='end'/></xacro:if>";
    assert_eq!(m("n", body, "<xacro:m n='20'/>"), ["end"]);
}

#[test]
fn conditions_choose() {
    for (condition, expected) in [
        ("true", "yes"),
        ("1", "yes"),
        ("${1 &lt; 2}", "yes"),
        ("false", "no"),
        ("0", "no"),
        ("${not True}", "no"),
        ("$(arg on)", "yes"),
    ] {
        let inside = format!(
            "<xacro:arg name='on' default='true'/><xacro:if value='{condition}'><link name='yes'/></xacro:if><xacro:unless value='{condition}'><link name='no'/></xacro:unless>"
        );
        assert_eq!(names(&inside), [expected], "{condition}");
    }
}

#[test]
fn arguments_are_given_or_have_defaults() {
    let text = "<robot name='$(arg n)'><xacro:arg xmlns:xacro='http://ros.org/wiki/xacro' name='n' default='d'/><link name='$(arg n)'/></robot>";
    let options = Options { arguments: [("n".to_string(), "given".to_string())].into(), ..Options::default() };
    let loaded = load_text(Path::new("robot.xacro"), text.into(), Format::Urdf, &options);
    let robot = good(loaded);
    assert_eq!((robot.name.as_str(), robot.links[0].name.as_str()), ("given", "given"));
    assert_eq!(names("<xacro:arg name='n' default='d'/><link name='$(arg n)'/>"), ["d"]);
}

#[test]
fn included_files_keep_their_locations() {
    let folder = std::env::temp_dir().join(format!("armdyn-urdf-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("parts")).unwrap();
    let head = "<robot xmlns:xacro='http://ros.org/wiki/xacro'>";
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("parts/a.xacro", &format!("{head}<xacro:include filename='b.xacro'/></robot>"));
    write(
        "parts/b.xacro",
        &format!(
            "{head}\n<xacro:macro name='m' params='n'>\n  <link name='${{n}}'><oops/></link></xacro:macro></robot>"
        ),
    );
    write("loop.xacro", &format!("{head}<xacro:include filename='loop.xacro'/></robot>"));
    let options = Options { packages: [("pkg".to_string(), folder.clone())].into(), ..Options::default() };
    let read = |inside: &str| {
        let text = format!("<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'>\n{inside}</robot>");
        load_text(&folder.join("robot.xacro"), text, Format::Urdf, &options)
    };
    for file in ["parts/a.xacro", "$(find pkg)/parts/a.xacro"] {
        let loaded = read(&format!("<xacro:include filename='{file}'/><xacro:m n='x'/>"));
        assert_eq!(codes(&loaded, Severity::Note), ["A501"], "{}", report(&loaded));
        let place = loaded.findings[0].place.clone().unwrap();
        assert!(loaded.sources.location(&place).ends_with("b.xacro:3:21"), "{}", report(&loaded));
        assert_eq!(good(loaded).links[0].name, "x");
    }
    assert_eq!(places(&read("<xacro:include filename='none.xacro'/>"), "A009"), ["2:16"]);
    assert_eq!(
        codes(&read("<link name='a'/><xacro:include filename='none.xacro' optional='true'/>"), Severity::Note),
        [""; 0]
    );
    assert_eq!(codes(&read("<xacro:include filename='$(find no_such)/x'/>"), Severity::Note), ["A009"]);
    assert_eq!(codes(&read("<xacro:include filename='loop.xacro'/>"), Severity::Note), ["A009"]);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn xacro_errors_have_locations() {
    for (inside, expected) in [
        ("<link name='${nothing}'/>", "A009 2:7"),
        ("<link name='a${'/>", "A009 2:7"),
        ("<link name='$(arg x)'/>", "A009 2:7"),
        ("<xacro:m/>", "A009 2:1"),
        ("<xacro:property value='1'/>", "A009 2:1"),
        ("<xacro:if value='maybe'/>", "A009 2:11"),
        ("<xacro:if/>", "A009 2:1"),
        ("<xacro:insert_block name='b'/>", "A009 2:1"),
        ("<link name='${1 / 0}'/>", "A009 2:7"),
        ("<link name='${1 + \"a\"}'/>", "A009 2:7"),
        ("<link name='${sqrt(-1)}'/>", "A009 2:7"),
        (
            "<xacro:property name='a' value='${b}'/><xacro:property name='b' value='${a}'/><link name='${a}'/>",
            "A009 2:85",
        ),
        ("<xacro:macro name='m' params='a'/><xacro:m/>", "A009 2:35"),
        ("<xacro:macro name='m' params=''/><xacro:m a='1'/>", "A009 2:43"),
        ("<xacro:macro name='m' params='*b'/><xacro:m/>", "A009 2:36"),
        ("<xacro:macro name='m' params='a a'/>", "A009 2:23"),
        ("<xacro:macro name='m' params=':='/>", "A009 2:23"),
        ("<xacro:macro name='m' params=''>\n<xacro:m/></xacro:macro><xacro:m/>", "A009 3:1"),
    ] {
        let text = format!("<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'>\n{inside}</robot>");
        let loaded = urdf(&text);
        let found: Vec<String> = loaded
            .findings
            .iter()
            .map(|f| {
                let (line, column) = loaded.sources.line_column(f.place.as_ref().expect("a place"));
                format!("{} {line}:{column}", f.code.id)
            })
            .collect();
        assert_eq!(found, [expected], "{inside}\n{}", report(&loaded));
    }
}

#[test]
fn unlimited_expansion_is_stopped() {
    let read = |inside: &str| {
        let text =
            format!("<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'>{inside}<link name='${{p40}}'/></robot>");
        codes(&xacro(&text), Severity::Note)
    };
    // Each macro calls the one before it twice.
    let mut doubled = "<xacro:macro name='m0' params=''><x/></xacro:macro>".to_string();
    let mut texts = "<xacro:property name='p0' value='aaaaaaaa'/>".to_string();
    let mut sums = "<xacro:property name='p0' value='1'/>".to_string();
    for k in 1..=40 {
        let b = k - 1;
        write!(doubled, "<xacro:macro name='m{k}' params=''><xacro:m{b}/><xacro:m{b}/></xacro:macro>").unwrap();
        write!(texts, "<xacro:property name='p{k}' value='${{p{b}}}${{p{b}}}'/>").unwrap();
        write!(sums, "<xacro:property name='p{k}' value='${{p{b} + p{b}}}'/>").unwrap();
    }
    assert_eq!(read(&(doubled + "<xacro:m40/>")), ["A009"]);
    assert_eq!(read(&texts), ["A009"]);
    assert_eq!(read(&sums), ["A009"; 0], "two to the fortieth is no trouble");
}
