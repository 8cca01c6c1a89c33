//! `armdyn derive` and `armdyn ops` as a user types them.

use crate::typed::{assert_close, folder, json, refused_in, run_in, said, text};
use serde_json::Value;
use std::path::Path;

#[test]
fn derive_writes_lins_equations_and_code() {
    let printed = said(&["derive", "lin-rr", "--parameters", "symbolic"]);
    assert!(printed.contains("D₂₂ = Izz₂") && printed.contains("D₂ = g m₂ x₂ c₁₂"), "{printed}");
    let folder = folder("derive");
    let out = folder.join("code");
    let line = ["derive", "lin-rr", "--emit", "c", "--what", "inverse,mass", "--budget", "100ms", "--json", "--out"];
    let answer = json(&[&line[..], &[out.to_str().unwrap()]].concat());
    let names: Vec<&str> = answer["files"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
    assert!(names.iter().any(|n| n.ends_with(".h")) && names.iter().all(|n| Path::new(n).is_file()), "{names:?}");
    let base = json(&["derive", "lin-rr", "--base-parameters", "--json"]);
    // m1 l1² + m2 l1² = 1.26 kg m²: Lin's, slide 27.
    let first = &base["base_parameters"][0];
    assert_close(&[first["value"].as_f64().unwrap()], &[(2.0 + 1.5) * 0.36], 1e-12, "ZZ1R");
    refused_in(&folder, &["derive", "lin-rr", "--emit", "c", "--budget", "0"], &["--budget"]);
    refused_in(&folder, &["derive", "lin-rr", "--emit", "c", "--what", "torque"], &["torque", "inverse"]);
    refused_in(&folder, &["derive", "lin-rr", "--emit", "wasm", "--budget", "10ms"], &["--out"]);
    std::fs::write(folder.join("file"), "").unwrap();
    refused_in(&folder, &["derive", "lin-rr", "--emit", "c", "--budget", "10ms", "--out", "file"], &["file"]);
}

/// Slide 39 of Lin's chapter, M_x, and slide 33, k of the arm with a prismatic joint.
#[test]
fn derive_writes_lins_cartesian_form_and_energies() {
    let rr = ["derive", "lin-rr", "--about", "centre", "--symbols", "x1=l1,lx2=l1,x2=l2,xt=l2"];
    let form = ["--form", "cartesian", "--axes", "tool", "--rate", "components"];
    let printed = said(&[&rr[..], &form].concat());
    for part in ["m₂ + m₁/s₂²", "det J = l₁ l₂ s₂", "Gₓ₁ = m₂ g s₁₂ + m₁ g c₁/s₂"] {
        assert!(printed.contains(part), "no {part}: {printed}");
    }
    let rp = ["derive", "lin-rp", "--about", "centre", "--symbols", "x1=l1", "--energy"];
    let kinetic = "T = ½ (m₁ l₁² + Izz₁ + Izz₂ + m₂ d₂²) θ̇₁² + ½ m₂ d\u{307}₂²";
    let printed = said(&rp);
    assert!(printed.contains(kinetic), "{printed}");
    let answer = json(&[&rr[..], &form, &["--wrenches", "--energy", "--json"]].concat());
    let e = &answer["equations"];
    assert_eq!(e["cartesian"]["M_x"][1][1], "(m2)");
    assert_eq!(e["M"][1][1], "m2*l2**2");
    assert_eq!(e["wrenches"][1]["link"], "link2");
    assert_eq!(e["parameters"].as_array().unwrap().len(), 5, "g, m1, l1, m2, l2: {e}");
}

#[test]
fn derive_verifies_what_it_prints() {
    for line in [
        &["derive", "planar-2r", "--parameters", "symbolic", "--energy", "--wrenches", "--verify"][..],
        &["derive", "lin-rp", "--form", "cartesian", "--energy", "--verify"],
        &["derive", "scara", "--parameters", "base", "--wrenches", "--notation", "M", "--verify"],
        &["derive", "jpl-rrp", "--lock", "joint4", "--lock", "joint5", "--lock", "joint6=0.5", "--energy", "--verify"],
    ] {
        let answer = json(&[line, &["--json"]].concat());
        let v = &answer["verification"];
        assert_eq!(v["holds"], true, "{v}");
        assert!(v["difference"].as_f64().unwrap() <= v["tolerance"].as_f64().unwrap());
        assert_eq!(v["formats"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn derive_refuses_symbols_and_forms_that_it_cannot_print() {
    let folder = folder("derive-refused");
    let refused = |options: &[&str], parts: &[&str]| {
        refused_in(&folder, &[&["derive", "lin-rr"], options].concat(), parts);
    };
    refused(&["--symbols", "l1,l2,l3"], &["--symbols", "`l3` for 2 lengths", "`x1 = lx2 = 0.6 m`", "PARAMETER=SYMBOL"]);
    let printed = said(&["derive", "lin-rr", "--symbols", "l1,l2,m1,m2"]);
    assert!(printed.contains("D₂₂ = m₂ l₂²") && printed.contains("D₁₂ = m₂ l₂ (l₂ + l₁ c₂)"), "{printed}");
    refused(&["--symbols", "x9=l1"], &["unknown parameter `x9`", "`lx2`"]);
    refused(&["--symbols", "x1=l1,x2=l1"], &["`x1 = 0.6 m` and `x2 = 0.4 m`"]);
    refused(&["--symbols", "x1=c12"], &["reserved for the cosine"]);
    refused(&["--symbols", "x1=l1", "--parameters", "numeric"], &["--parameters symbolic"]);
    refused(&["--form", "cartesian", "--directions", "x"], &["not square", "--directions"]);
    refused(&["--form", "cartesian", "--directions", "x,z"], &["det J is zero"]);
    refused(&["--axes", "tool"], &["--axes", "--form cartesian"]);
    refused(&["--emit", "c", "--energy"], &["--energy", "equations only"]);
    let six = ["derive", "puma560", "--form", "cartesian", "--link", "link6"];
    refused_in(&folder, &six, &["6 degrees of freedom", "--lock"]);
}

#[test]
fn ops_counts_less_than_the_traced_recursion() {
    let sought = json(&["ops", "renaud-6r", "--budget", "200ms", "--json"]);
    let traced = json(&["ops", "renaud-6r", "--strategy", "traced", "--json"]);
    let total =
        |all: &Value, quantity: &str| all[quantity]["mul"].as_u64().unwrap() + all[quantity]["add"].as_u64().unwrap();
    for quantity in ["inverse", "gravity", "coriolis", "mass", "forward"] {
        assert!(total(&sought, quantity) < total(&traced, quantity), "{quantity}: {sought} {traced}");
        assert!(sought[quantity]["trig"].is_array() && sought[quantity]["strategy"] == "minimal");
    }
    // Renaud's own: 181 + 127; by hand 164 + 115.
    assert!(total(&sought, "inverse") < 164 + 115, "{sought}");
}

/// The operations that form angles (q2 + q3 of UR5e's parallel axes) are stated beside the others; a tree is minimal too.
#[test]
fn ops_states_operations_that_form_angles_and_the_accuracy() {
    let found = json(&["ops", "ur5e", "--budget", "50ms", "--json"]);
    let inverse = &found["inverse"];
    assert!(inverse["angle_operations"].as_u64().unwrap() >= 2, "{inverse}");
    let error = inverse["error"].as_f64().unwrap();
    assert!(error < 1e-12, "{error}");
    let printed = said(&["ops", "two-arms", "--budget", "50ms"]);
    assert!(printed.contains("angles") && printed.contains("minimal") && !printed.contains("traced, not"), "{printed}");
}

/// Renaud's table of his arm: step, multiplications, additions; a prismatic joint and a wrench at the tip.
#[test]
fn ops_has_the_steps_of_renauds_procedure() {
    let found = json(&["ops", "renaud-6r", "--strategy", "renaud", "--json"]);
    let inverse = &found["inverse"];
    assert_eq!((&inverse["mul"], &inverse["add"]), (&181.into(), &127.into()));
    assert_eq!((&inverse["shared"]["mul"], &inverse["shared"]["add"]), (&179.into(), &127.into()));
    let steps: Vec<[u64; 3]> = inverse["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| ["step", "mul", "add"].map(|key| s[key].as_u64().unwrap()))
        .filter(|s| s[1] + s[2] > 0)
        .collect();
    assert_eq!(steps, [[1, 18, 12], [2, 25, 0], [3, 28, 22], [4, 0, 15], [6, 22, 12], [7, 26, 16], [9, 62, 50]]);
    let printed = said(&["ops", "jpl-rrp", "--strategy", "renaud", "--tip-wrench"]);
    assert!(printed.contains("sliding accelerations t") && printed.contains("total"), "{printed}");
    let code = said(&["derive", "jpl-rrp", "--strategy", "renaud", "--tip-wrench", "--emit", "c"]);
    assert!(code.contains("wrench[0]") && code.contains("wrench: force x, y, z [N]"), "{code}");
    let code = said(&["derive", "renaud-6r", "--strategy", "renaud", "--parameters", "symbolic", "--emit", "c"]);
    assert!(code.contains("x*2 = 7.25") && code.contains("181 M + 127 A"), "{code}");
}

/// C of every quantity in the default time: about a second each.
#[test]
fn every_quantity_is_generated_with_a_test_against_the_recursion() {
    let out = folder("derive-all").join("code");
    let line = ["derive", "planar-2r", "--emit", "c", "--what", "all", "--budget", "50ms", "--out"];
    said(&[&line[..], &[out.to_str().unwrap()]].concat());
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let (header, test) = (read("planar_2r.h"), read("planar_2r_test.c"));
    for function in ["bias", "derivatives", "regressor", "jacobian"] {
        assert!(header.contains(&format!("planar_2r_{function}(")), "{header}");
        assert!(test.contains(&format!("report(\"{function}\"")), "{test}");
    }
    assert!(test.contains("results of the recursion over the robot's model") && header.contains("pi: "), "{test}");
}

/// M, C and g for students; base parameters with everything that their formulas name.
#[test]
fn equations_have_known_letters() {
    let printed = said(&["derive", "planar-2r", "--parameters", "symbolic", "--notation", "M"]);
    assert!(
        printed.contains(" + Jr₁ n₁² + ")
            && printed.contains("M₁₁ = ")
            && printed.contains("g₂ = ")
            && printed.contains("Γ₁₁₂ = "),
        "{printed}"
    );
    let printed = said(&["derive", "puma560", "--base-parameters"]);
    assert!(["θ [deg]", "origin [m]", "MX2R", "XX … ZZ"].iter().all(|x| printed.contains(x)), "{printed}");
    let found = json(&["derive", "lin-rr", "--base-parameters", "--json"]);
    // l1 = 0.6 m between the two parallel axes.
    assert_close(&[found["frames"][1]["lengths"]["d"].as_f64().unwrap()], &[0.6], 1e-12, "d2");
}

#[test]
fn derive_refuses_what_it_cannot_do_before_it_searches() {
    let folder = folder("derive-refused-early");
    for (line, says) in [
        (&["lin-rr", "--emit", "c", "--budget", "-1"][..], &["--budget", "-1"][..]),
        (&["lin-rr", "--emit", "c", "--budget", "abc"], &["abc", "10s"]),
        (&["lin-rr", "--emit", "c", "--what", "mass,mass"], &["mass", "twice"]),
        (&["lin-rr", "--what", "mass"], &["--what", "code"]),
        (&["lin-rr", "--emit", "js", "--scalar", "f32"], &["f32", "f64"]),
        (&["lin-rr", "--emit", "c", "--multiple-angles"], &["--multiple-angles"]),
        (&["lin-rr", "--emit", "c", "--notation", "M"], &["--notation"]),
        (&["lin-rr", "--emit", "c", "--parameters", "base", "--what", "regressor"], &["regressor"]),
        (&["lin-rr", "--emit", "c", "--parameters", "symbolic", "--strategy", "minimal"], &["--parameters base"]),
        (&["lin-rr", "--emit", "c", "--parameters", "base", "--what", "jacobian"], &["jacobian"]),
        (&["two-arms", "--emit", "c", "--parameters", "base"], &["two-arms", "serial"]),
        (&["two-arms", "--emit", "c", "--strategy", "renaud"], &["revolute", "serial"]),
        (&["jpl-rrp", "--emit", "c", "--tip-wrench"], &["--strategy renaud"]),
        (&["lau-generalized", "--budget", "100ms"], &["0.1 s", "--emit"]),
    ] {
        refused_in(&folder, &[&["derive"], line].concat(), says);
    }
}

/// Each of numeric, symbolic and base is what its name says.
#[test]
fn derived_code_says_what_its_parameters_are() {
    let code = |parameters| said(&["derive", "lin-rr", "--emit", "c", "--budget", "50ms", "--parameters", parameters]);
    let [numeric, symbolic, base] = ["numeric", "symbolic", "base"].map(code);
    assert!(!numeric.contains("_init"), "{numeric}");
    assert!(symbolic.contains("m2 = 1.5; mass of link2 [kg]"), "{symbolic}");
    assert!(base.contains("ZZ1 + d2² M2") && base.contains("g = -9.81"), "{base}");
}

/// A rounded right angle is reported on stderr and in the output, with its effect, unless `--exact` keeps it.
#[test]
fn derive_never_takes_an_angle_for_another_in_silence() {
    let folder = folder("derive-rounded");
    let link = |name: &str| {
        format!(
            "<link name='{name}'><inertial><origin xyz='0.1 0 0'/><mass value='1'/>\
             <inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, rpy: &str| {
        format!(
            "<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/>\
             <origin xyz='0.3 0 0' rpy='{rpy}'/><axis xyz='0 0 1'/></joint>"
        )
    };
    let robot = format!(
        "<robot name='tilted'><link name='base'/>{}{}{}{}</robot>",
        link("one"),
        link("two"),
        joint("a", "base", "one", "0 0 0"),
        joint("b", "one", "two", "1.5708 0 0")
    );
    std::fs::write(folder.join("tilted.urdf"), robot).unwrap();
    for line in [&["--emit", "html"][..], &["--emit", "c", "--budget", "20ms"]] {
        let line = [&["derive", "tilted.urdf"], line].concat();
        let output = run_in(&folder, &line);
        for printed in [text(&output.stderr), text(&output.stdout)] {
            assert!(
                printed.contains("1.5708 rad is replaced by 90") && printed.contains("e-6 of the largest"),
                "{line:?}: {printed}"
            );
        }
        let exact = run_in(&folder, &[&line[..], &["--exact"]].concat());
        assert!(!(text(&exact.stdout) + &text(&exact.stderr)).contains("replaced by"), "{line:?}");
    }
}
