//! Large and hostile files: each gives the expected findings, in time proportional to its size.
//!
//! None of these is timed. With quadratic cost a file would take minutes or gigabytes.

use armdyn_import::{Format, Loaded, Options, Severity, check, load_text};
use std::fmt::Write;
use std::path::Path;

fn load(text: String, format: Format) -> Loaded {
    load_text(Path::new("robot"), text, format, &Options::default())
}

fn errors(loaded: &Loaded) -> Vec<&str> {
    loaded.findings.iter().filter(|f| f.code.severity == Severity::Error).map(|f| f.code.id).collect()
}

const BODY: &str =
    r#"<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;

/// A chain of n links on the left, with a transmission on every joint.
fn chain(n: usize) -> String {
    let mut text = r#"<robot name="r"><link name="left_0"/>"#.to_string();
    for k in 1..=n {
        write!(
            text,
            r#"<link name="left_{k}">{BODY}</link><joint name="j{k}" type="continuous"><parent link="left_{}"/>
            <child link="left_{k}"/></joint><transmission name="t{k}"><joint name="j{k}"/><actuator name="a">
            <mechanicalReduction>{}</mechanicalReduction></actuator></transmission>"#,
            k - 1,
            k + 1
        )
        .unwrap();
    }
    text + "</robot>"
}

#[test]
fn a_chain_of_many_links_is_read_and_checked() {
    let n = 30_000;
    let loaded = load(chain(n), Format::Urdf);
    let robot = loaded.description.as_ref().expect("a robot");
    assert_eq!((robot.links.len(), robot.joints.len(), robot.tree().len()), (n + 1, n, n + 1));
    assert!(robot.joints.iter().zip(2..).all(|(j, k)| j.drives[0].rotor.unwrap().gear == f64::from(k)));
    let found = check(robot);
    assert_eq!(found.iter().filter(|f| f.code.id == "A302").count(), n);
    // Every finding can be formatted with its line.
    let lines = found.iter().filter(|f| !f.line(&loaded.sources).starts_with("robot:1:")).count();
    assert!(lines > n);
}

#[test]
fn each_unknown_link_is_reported() {
    let (long, n) = ("x".repeat(20), 20_000);
    let mut text = r#"<robot name="r">"#.to_string();
    (0..1000).for_each(|k| write!(text, r#"<link name="{long}{k}"/>"#).unwrap());
    for k in 0..n {
        write!(text, r#"<joint name="j{k}" type="fixed"><parent link="y{long}{k}"/><child link="{long}0"/></joint>"#)
            .unwrap();
    }
    let loaded = load(text + "</robot>", Format::Urdf);
    assert_eq!(errors(&loaded).iter().filter(|id| **id == "A103").count(), n);
    let mut text = "version = 1\nname = \"r\"\n".to_string();
    for k in 0..900 {
        write!(text, "[[link]]\nname = \"{long}{k}\"\njoint = {{ name = \"j{k}\", kind = \"revolute\" }}\n").unwrap();
    }
    (0..n).for_each(|k| write!(text, "[[payload]]\nname = \"p\"\nlink = \"y{long}{k}\"\nmass = 1\n").unwrap());
    let found = load(text, Format::Toml);
    assert_eq!(errors(&found), vec!["A103"; 10_000], "as many as are listed");
}

#[test]
fn many_bodies_with_the_same_name() {
    let n = 8000;
    let text = format!(
        "<mujoco><worldbody>{}</worldbody></mujoco>",
        "<body name='a'><joint/><joint/><geom size='1'/></body>".repeat(n)
    );
    let loaded = load(text, Format::Mjcf);
    // The bodies are reported, not the links between their joints.
    assert!(errors(&loaded).iter().all(|id| *id == "A101" || *id == "A106"), "{:?}", errors(&loaded).last());
    assert_eq!(errors(&loaded).iter().filter(|id| **id == "A101").count(), n - 1);
}

#[test]
fn many_actuators_find_their_joint() {
    let n = 15_000;
    let mut text = "<mujoco><worldbody>".to_string();
    (0..n).for_each(|k| write!(text, "<body><joint name='a_joint_{k}'/><geom size='1'/></body>").unwrap());
    text += "</worldbody><actuator>";
    text += &format!("<motor joint='a_joint_{}' ctrlrange='0 0.5'/>", n - 1).repeat(100_000);
    let loaded = load(text + "</actuator></mujoco>", Format::Mjcf);
    let robot = loaded.description.expect("a robot");
    assert_eq!(robot.joints[n - 1].drives[0].limits.effort, armdyn_core::EffortRange { lower: 0.0, upper: 50_000.0 });
}

#[test]
fn costly_xml_is_rejected() {
    let many = |n: usize, of: &dyn Fn(usize) -> String| (0..n).map(of).collect::<String>();
    let attributes = many(100_000, &|k| format!(" a{k}=''"));
    let spaces = many(900, &|k| format!(" xmlns:n{k}='u{k}'"));
    let nested = "<a xmlns:b='c'/>".repeat(100_000);
    let name = "a".repeat(100_000);
    for text in [
        format!("<robot name='r'><link name='a'{attributes}/></robot>"),
        format!("<robot name='r'{spaces}><link name='a'/>{nested}</robot>"),
        format!("<robot name='r'><link name='a'/>{}</robot>", "<a/>".repeat(1_100_000)),
        format!("<robot name='r'><link name='{name}'>{}</link></robot>", "<x/>".repeat(20_000)),
        format!("<robot name='r'><{name}/></robot>"),
        format!("<robot name='r'><link {name}='a'/></robot>"),
    ] {
        assert_eq!(errors(&load(text, Format::Urdf)), ["A002"]);
    }
    // Comments, CDATA and processing instructions are not limited.
    let fine = format!(
        "<robot name='r'><!-- {attributes} --><?a {attributes}?><link name='a=\"{}\"'/></robot>",
        "=".repeat(900)
    );
    assert_eq!(errors(&load(fine, Format::Urdf)), [""; 0]);
}

#[test]
fn many_parameters_and_classes() {
    let parameters = (0..100_000).map(|k| format!("p{k} ")).collect::<String>();
    let text = format!(
        "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='a'/>
        <xacro:macro name='m' params='{parameters}'/></robot>"
    );
    assert_eq!(errors(&load(text, Format::Urdf)), ["A009"]);
    let attributes = (0..990).map(|k| format!(" a{k}='1'")).collect::<String>();
    let classes = (0..100_000).map(|k| format!("<default class='c{k}'/>")).collect::<String>();
    let text = format!(
        "<mujoco><default><geom{attributes} density='500'/>{classes}</default>
        <worldbody><body><joint/><geom class='c99999' type='box' size='0.5 0.5 0.5'/></body></worldbody></mujoco>"
    );
    let robot = load(text, Format::Mjcf).description.expect("a robot");
    assert_eq!(robot.links[1].parts[0].inertia.mass, 500.0);
}

#[test]
fn an_error_is_reported_after_many_warnings() {
    // Each joint but the first mimics it: a finding each. The last line is invalid.
    let mut text = "version = 1\nname = \"r\"\n".to_string();
    for k in 0..10_100 {
        let mimic = if k == 0 { "" } else { ", mimic = { joint = \"j0\" }" };
        writeln!(text, "[[link]]\nname = \"l{k}\"\njoint = {{ name = \"j{k}\", kind = \"revolute\"{mimic} }}").unwrap();
    }
    let loaded = load(text + "[[payload]]\nname = \"p\"\nlink = \"nowhere\"\nmass = 1\n", Format::Toml);
    assert_eq!(errors(&loaded), ["A103"]);
    assert!(loaded.description.is_none());
}
