//! Comparison with the tool `xacro`: a file gives the same robot as the tool's output, or an error with the command to run.
//! `tests/xacro/README.md` describes how the outputs were made.

use armdyn_import::{Description, Format, Loaded, Options, load, load_text};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The files of a folder with an output of the tool.
fn expanded(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .filter(|f| f.extension().is_some_and(|e| e == "xacro"))
        .map(|f| (f.clone(), f.with_extension("urdf")))
        .filter(|(_, urdf)| urdf.is_file())
        .collect();
    all.sort();
    all
}

/// Arguments of the tool, from `<!-- arguments: a:=1 b:=2 -->`.
fn options(file: &Path) -> Options {
    let text = std::fs::read_to_string(file).unwrap();
    let given = text.split("<!-- arguments: ").nth(1).and_then(|t| t.split(" -->").next()).unwrap_or_default();
    let pairs = given.split_whitespace().filter_map(|a| a.split_once(":="));
    Options { arguments: pairs.map(|(n, v)| (n.to_string(), v.to_string())).collect(), ..Options::default() }
}

fn report(loaded: &Loaded) -> String {
    loaded.findings.iter().map(|f| f.line(&loaded.sources) + "\n").collect()
}

/// A description without its locations, with all digits.
fn everything(d: &Description) -> String {
    let mut out = format!("robot {}\n", d.name);
    for l in &d.links {
        let parts: Vec<_> = l.parts.iter().map(|p| (&p.name, p.inertia)).collect();
        let shapes: Vec<_> = l.shapes.iter().map(|s| (s.pose, s.size, &s.asset)).collect();
        writeln!(out, "link {} {parts:?} {shapes:?}", l.name).unwrap();
    }
    for j in &d.joints {
        let ends = (&j.parent, &j.child, &j.mimic);
        writeln!(out, "joint {} {:?} {ends:?} {:?} {:?}", j.name, j.kind, j.placement, j.drives).unwrap();
    }
    out
}

#[test]
fn expansion_equals_the_tools_output() {
    let files = expanded(&folder("xacro"));
    assert!(files.len() >= 20, "{}", files.len());
    let mut faults = String::new();
    for (xacro, urdf) in files {
        let (ours, tools) = (load(&xacro, &options(&xacro)), load(&urdf, &Options::default()));
        let tools = tools.description.unwrap_or_else(|| panic!("{}: the tool's output is no robot", urdf.display()));
        match &ours.description {
            None => writeln!(faults, "{}", report(&ours)).unwrap(),
            Some(ours) => {
                let (ours, tools) = (everything(ours), everything(&tools));
                for (a, b) in ours.lines().zip(tools.lines()).filter(|(a, b)| a != b) {
                    writeln!(faults, "{}:\n  {a}\n  {b}", xacro.display()).unwrap();
                }
                if ours.lines().count() != tools.lines().count() {
                    writeln!(faults, "{}: not as many links and joints", xacro.display()).unwrap();
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn unsupported_features_suggest_running_xacro() {
    let files = expanded(&folder("xacro/refused"));
    assert!(files.len() >= 10, "{}", files.len());
    for (xacro, urdf) in files {
        assert!(load(&urdf, &Options::default()).description.is_some(), "{}: the tool has a robot", urdf.display());
        let ours = load(&xacro, &options(&xacro));
        assert!(ours.description.is_none(), "{}", xacro.display());
        assert!(report(&ours).contains("run `xacro robot.xacro > robot.urdf`"), "{}", report(&ours));
    }
}

fn read(inside: &str) -> Loaded {
    let text = format!("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n{inside}\n</robot>");
    load_text(Path::new("robot.xacro"), text, Format::Urdf, &Options::default())
}

/// Files that the tool rejects are rejected with a message.
#[test]
fn files_rejected_by_the_tool_are_rejected() {
    let link = "<link name='a'/>";
    for (inside, says) in [
        (format!("<xacro:if value='1.0'>{link}</xacro:if>"), "neither true nor false"),
        (format!("<xacro:if value='${{\"abc\"}}'>{link}</xacro:if>"), "neither true nor false"),
        (
            format!("<xacro:property name='x' value='1' default='2'/>{link}"),
            "use only one of `value`, `default`, `remove`",
        ),
        (format!("<xacro:property name='a-b' value='1'/>{link}"), "invalid property name"),
        (format!("<xacro:property name='lambda' value='1'/>{link}"), "invalid property name"),
        (format!("<xacro:property name='x' value='1' scope='parent'/>{link}"), "no parent scope"),
        ("<link name='$$a'/>".into(), "invalid expression"),
        ("<link name='${a'/>".into(), "unclosed"),
        ("<link name='${true}'/>".into(), "unknown property `true`"),
        (
            "<xacro:property name='a' value='${b}'/><xacro:property name='b' value='${a}'/><link name='${a}'/>".into(),
            "is recursive",
        ),
        (
            format!(
                "<xacro:macro name='m' params=''><xacro:macro name='n' params=''>{link}</xacro:macro></xacro:macro><xacro:m/><xacro:n/>"
            ),
            "unknown macro `n`",
        ),
        (format!("<xacro:macro name='m' params='*b'>{link}</xacro:macro><xacro:m/>"), "missing element for block `b`"),
        (format!("<xacro:macro name='m' params=''>{link}</xacro:macro><xacro:m><x/></xacro:m>"), "more elements"),
        (format!("<xacro:macro name='m' params='a'>{link}</xacro:macro><xacro:m/>"), "missing parameter `a`"),
        (format!("<xacro:macro name='m' params=''>{link}</xacro:macro><xacro:m a='1'/>"), "unknown parameter `a`"),
        ("<xacro:property name='b'><x/></xacro:property><xacro:insert_block name='${\"b\"}'/>".into(), "unknown block"),
        ("<link name='${int(\"1.5\")}'/>".into(), "invalid arguments"),
        ("<link name='${sqrt(-1)}'/>".into(), "not finite"),
        ("<link name='${1 + \"a\"}'/>".into(), "not both numbers"),
    ] {
        let loaded = read(&inside);
        assert!(loaded.description.is_none() && report(&loaded).contains(says), "{inside}\n{}", report(&loaded));
    }
}

/// Each would take hours or gigabytes without limits; each is one finding.
#[test]
fn unlimited_expansion_is_one_finding() {
    let property = |name: &str, value: &str| format!("<xacro:property name='{name}' value='{value}'/>");
    let mut cases: Vec<(&str, String)> = vec![
        ("repeated", "<link name='${\"a\" * 10 ** 9}'/>".into()),
        ("repeated from the left", "<link name='${10 ** 18 * \"a\"}'/>".into()),
        ("a tower of powers", "<link name='${10 ** 10 ** 10}'/>".into()),
        ("a power", "<link name='${9 ** 999999999}'/>".into()),
        ("a float's power", "<link name='${9.0 ** 9999999}'/>".into()),
        ("brackets", format!("<link name='${{{}1{}}}'/>", "(".repeat(20_000), ")".repeat(20_000))),
        ("signs", format!("<link name='${{{}1}}'/>", "-".repeat(50_000))),
        ("powers", format!("<link name='${{{}1}}'/>", "1**".repeat(15_000))),
        ("members", format!("<link name='${{a{}}}'/>", ".a".repeat(20_000))),
        ("a long expression", format!("<link name='${{1{}}}'/>", "+1".repeat(40_000))),
        ("a macro of itself", "<xacro:macro name='m' params=''><xacro:m/></xacro:macro><xacro:m/>".into()),
        ("a macro of itself, twice", "<xacro:macro name='m' params=''><xacro:m/><xacro:m/></xacro:macro><xacro:m/>".into()),
        ("a block of itself", "<xacro:property name='b'><x><xacro:insert_block name='b'/></x></xacro:property><xacro:insert_block name='b'/>".into()),
        ("a default of itself", "<xacro:macro name='m' params='a:=${a}'><x y='${a}'/></xacro:macro><xacro:m/>".into()),
        ("a macro by name", "<xacro:macro name='m' params=''><xacro:call macro='m'/></xacro:macro><xacro:m/>".into()),
    ];
    // Chains: of properties, of texts that double, of macros that call twice, of blocks that insert twice.
    let (mut long, mut doubled, mut added) =
        (property("p0", "1"), property("p0", "aaaaaaaa"), property("p0", "aaaaaaaa"));
    let mut calls = "<xacro:macro name='m0' params=''><x/></xacro:macro>".to_string();
    let mut blocks = "<xacro:property name='b0'><x/></xacro:property>".to_string();
    for k in 1..=2000 {
        let b = k - 1;
        long += &property(&format!("p{k}"), &format!("${{p{b} + 1}}"));
        doubled += &property(&format!("p{k}"), &format!("${{p{b}}}${{p{b}}}"));
        added += &property(&format!("p{k}"), &format!("${{p{b} + p{b}}}"));
        if k <= 60 {
            write!(calls, "<xacro:macro name='m{k}' params=''><xacro:m{b}/><xacro:m{b}/></xacro:macro>").unwrap();
            write!(blocks, "<xacro:property name='b{k}'><xacro:insert_block name='b{b}'/><xacro:insert_block name='b{b}'/></xacro:property>").unwrap();
        }
    }
    cases.push(("a chain of properties", long + "<link name='${p2000}'/>"));
    cases.push(("texts that double", doubled + "<link name='${p40}'/>"));
    cases.push(("sums of texts that double", added + "<link name='${p40}'/>"));
    cases.push(("calls that double", calls + "<xacro:m60/>"));
    cases.push(("blocks that double", blocks + "<xacro:insert_block name='b60'/>"));
    // Texts of the longest length, many times over.
    let many: String = (0..3000).map(|_| "<link name='${big}'/>").collect();
    cases.push(("long texts", property("big", &"x".repeat(60_000)) + &many));
    let compared = "big == ".repeat(3000);
    cases.push((
        "long texts that are compared",
        property("big", &"x".repeat(60_000)) + &format!("<link name='${{{compared}1}}'/>"),
    ));
    for (what, inside) in cases {
        let begun = Instant::now();
        let loaded = read(&inside);
        let findings: Vec<_> = loaded.findings.iter().filter(|f| f.code.id == "A009").collect();
        assert_eq!(findings.len(), 1, "{what}: {}", report(&loaded));
        assert!(loaded.description.is_none(), "{what}");
        assert!(findings[0].message.len() < 400, "{what}: {}", findings[0].message);
        // Not a benchmark: without limits these do not terminate.
        assert!(begun.elapsed().as_secs() < 60, "{what}");
        println!("{what}: {:?}: {}", begun.elapsed(), findings[0].message);
    }
}

/// A file that includes itself twice, over and over.
#[test]
fn unlimited_includes_are_one_finding() {
    let folder = std::env::temp_dir().join(format!("armdyn-xacro-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("loop.xacro");
    let twice = "<xacro:include filename='loop.xacro'/>".repeat(2);
    std::fs::write(&file, format!("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>{twice}</robot>"))
        .unwrap();
    let loaded = load(&file, &Options::default());
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(loaded.findings.len(), 1, "{}", report(&loaded));
    assert!(loaded.sources.files.len() <= 2, "each file is read once");
}
