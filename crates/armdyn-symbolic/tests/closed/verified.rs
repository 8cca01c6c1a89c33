//! Printed equations, read back from their text, against the core's algorithms.

use super::supplements::{at_tool, lin};
use armdyn_core::{BASE, JacobianFrame, Joint, JointId, Link, Model, ModelBuilder, Rate, Tool, Transform, vec3};
use armdyn_symbolic::closed::{Notation, Parameters, Trigonometry};
use armdyn_symbolic::typeset::{TextFormat, Verification, VerifyError, latex, unicode, verify};
use armdyn_symbolic::{ClosedOptions, Equations, closed_form};
use armdyn_testkit::bundled;

const FORMATS: [TextFormat; 2] = [TextFormat::Unicode, TextFormat::Latex];

fn printed(e: &Equations, format: TextFormat) -> String {
    match format {
        TextFormat::Latex => latex(e),
        TextFormat::Unicode => unicode(e, 100),
    }
}

/// The first three joints of the JPL arm: two that turn, and one that slides.
pub fn jpl_with_locked_wrist() -> Model<f64> {
    let model = bundled("jpl-rrp");
    let wrist: Vec<_> = (3..6).map(|k| (JointId::new(k), vec![0.0])).collect();
    let locked = model.with_locked(&wrist).unwrap();
    assert_eq!(locked.nv(), 3);
    locked
}

/// Waist, shoulder and elbow: det J has a sum as a factor.
pub fn elbow_arm() -> Model<f64> {
    let quarter = std::f64::consts::FRAC_PI_2;
    let mut robot = ModelBuilder::new("elbow");
    let link = |name, mass: f64, x: f64| {
        Link::new(name).body(mass, [x, 0.0, 0.0], [0.01, 0.0, 0.0, 0.02 * mass, 0.0, 0.03 * mass])
    };
    let waist = robot.add(BASE, Joint::modified_dh("waist", false, 0.0, 0.0, 0.0, 0.0), link("column", 3.0, 0.0));
    let upper =
        robot.add(waist, Joint::modified_dh("shoulder", false, quarter, 0.0, 0.0, 0.0), link("upper", 2.0, 0.25));
    let lower = robot.add(upper, Joint::modified_dh("elbow", false, 0.0, 0.5, 0.0, 0.0), link("lower", 1.0, 0.2));
    robot.tool(lower, Transform::from_translation(vec3(0.4, 0.0, 0.0)));
    robot.build().unwrap()
}

/// Robots with all that can be printed of them.
pub fn complete() -> Vec<(String, Model<f64>, Equations)> {
    let (model, e) = lin();
    let mut out = vec![("lin-symbols".to_string(), model, e)];
    for model in [bundled("lin-rp"), bundled("planar-2r"), jpl_with_locked_wrist(), elbow_arm()] {
        let robot = model.name().to_string();
        let end = *model.end_links().last().unwrap();
        let tool = model.tool().unwrap_or(Tool::at(end, vec3(0.3, 0.0, 0.2)));
        for (parameters, frame) in [
            (Parameters::Symbolic, JacobianFrame::LocalWorldAligned),
            (Parameters::Grouped, JacobianFrame::Local),
            (Parameters::Numeric, JacobianFrame::LocalWorldAligned),
        ] {
            let cartesian = Some(at_tool(tool, frame, Rate::Inertial));
            let options =
                ClosedOptions { parameters, energy: true, wrenches: true, cartesian, ..ClosedOptions::default() };
            let without = ClosedOptions { cartesian: None, ..options.clone() };
            let e = closed_form(&model, &options).or_else(|_| closed_form(&model, &without)).unwrap();
            out.push((format!("{robot}-{parameters:?}"), model.clone(), e));
        }
    }
    out
}

fn check(name: &str, model: &Model<f64>, e: &Equations) -> Vec<Verification> {
    let of = |format| {
        let text = printed(e, format);
        let v = verify(model, e, format, &text, 1).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert!(v.holds(), "{name}: {v:#?}\n{text}");
        v
    };
    FORMATS.map(of).to_vec()
}

#[test]
fn complete_documents_hold() {
    let mut cartesian = 0;
    for (name, model, e) in complete() {
        let found = check(&name, &model, &e);
        let quantities: Vec<&str> = found[0].comparisons.iter().map(|c| c.quantity).collect();
        for wanted in ["torques by the coefficients", "torques by M, C and g", "kinetic energy T", "joint wrenches"] {
            assert!(quantities.contains(&wanted), "{name}: {quantities:?}");
        }
        cartesian += usize::from(quantities.contains(&"M_x"));
        assert_eq!(found[0].comparisons.len(), found[1].comparisons.len());
    }
    assert!(cartesian >= 8, "{cartesian} documents have a Cartesian form");
}

#[test]
fn documents_of_larger_robots_hold() {
    for (robot, parameters) in [
        ("scara", Parameters::Symbolic),
        ("morris-neea", Parameters::Symbolic),
        ("stanford", Parameters::Numeric),
        ("two-arms", Parameters::Numeric),
    ] {
        for (notation, trigonometry) in
            [(Notation::D, Trigonometry::MultipleAngles), (Notation::M, Trigonometry::Shortest)]
        {
            let model = bundled(robot);
            let options =
                ClosedOptions { parameters, notation, trigonometry, energy: true, ..ClosedOptions::default() };
            match closed_form(&model, &options) {
                Ok(e) => drop(check(robot, &model, &e)),
                Err(e) => panic!("{robot}: {e}"),
            }
        }
    }
}

fn holds(result: &Result<Verification, VerifyError>) -> bool {
    result.as_ref().is_ok_and(Verification::holds)
}

/// Every sign and every index of every equation matters: changing one of them is detected.
#[test]
fn a_changed_sign_or_index_is_detected() {
    let (model, e) = lin();
    for format in FORMATS {
        let text = printed(&e, format);
        let changes: &[(char, char)] = match format {
            TextFormat::Unicode => &[('+', '−'), ('−', '+'), ('₁', '₂'), ('₂', '₁'), ('²', '³'), ('s', 'c')],
            TextFormat::Latex => &[('+', '-'), ('-', '+'), ('1', '2'), ('2', '1'), ('s', 'c')],
        };
        // Equations start after the table of parameters.
        let start = text.find("Gravity\n").or_else(|| text.find("\\section*{Gravity}")).unwrap();
        let (mut tried, mut missed) = (0, vec![]);
        let mut at = start;
        for line in text[start..].split_inclusive('\n') {
            let is_equation = match format {
                TextFormat::Unicode => {
                    line.starts_with("  ")
                        && (line.contains(" = ") || line.contains(['⎡', '⎣']) || line.starts_with("     "))
                }
                TextFormat::Latex => line.contains('&'),
            };
            // The notation of the Cartesian form: F = …, ẋ = ….
            let schematic = ["  F =", "  ẋ =", "F &=", "\\dot{x} &="].iter().any(|s| line.starts_with(s));
            // A table: LaTeX's have rows that end in `\\`, without `&=` or a continuation.
            let table = format == TextFormat::Latex && !line.contains("&=") && !line.starts_with("&\\quad");
            if is_equation && !schematic && !table {
                for (k, c) in line.char_indices() {
                    let Some(&(_, other)) = changes.iter().find(|x| x.0 == c) else { continue };
                    // Letters of commands: \cos, \bmatrix, \begin.
                    if c == 's'
                        && !line[k..].starts_with("s_")
                        && !line[k..].starts_with("s₁")
                        && !line[k..].starts_with("s₂")
                    {
                        continue;
                    }
                    // D₁₁₂ and D₁₂₂ are equal: one for the other is no error.
                    let mut other_line = line.to_string();
                    other_line.replace_range(k..k + c.len_utf8(), &other.to_string());
                    let alike = |l: &str| l.replace("D₁₂₂", "D₁₁₂").replace("D_{122}", "D_{112}");
                    let right = |l: &str| l.split_once('=').map(|x| alike(x.1));
                    if right(line) == right(&other_line) && line.split('=').next() == other_line.split('=').next() {
                        continue;
                    }
                    let mut changed = text.clone();
                    changed.replace_range(at + k..at + k + c.len_utf8(), &other.to_string());
                    tried += 1;
                    if holds(&verify(&model, &e, format, &changed, 1)) {
                        missed.push(format!("{c} → {other} at {k} of {line}"));
                    }
                }
            }
            at += line.len();
        }
        assert!(tried > 250, "{}: {tried} changes", format.name());
        assert!(
            missed.is_empty(),
            "{}: {} of {tried} changes are not detected: {missed:#?}",
            format.name(),
            missed.len()
        );
    }
}

/// A missing equation, or one that is defined twice, is an error that names it.
#[test]
fn incomplete_documents_are_errors() {
    let (model, e) = lin();
    let text = printed(&e, TextFormat::Unicode);
    let without = text.replacen("  D₂₂ = m₂ l₂²\n", "", 1);
    assert_ne!(text, without);
    let error = verify(&model, &e, TextFormat::Unicode, &without, 1).unwrap_err().to_string();
    assert!(error.contains("D22"), "{error}");
    let twice = text.replacen("  D₂₂ = m₂ l₂²\n", "  D₂₂ = m₂ l₂²\n  D₂₂ = m₂ l₂²\n", 1);
    let error = verify(&model, &e, TextFormat::Unicode, &twice, 1).unwrap_err().to_string();
    assert!(error.contains("twice"), "{error}");
}

/// An equation whose name cannot be read is not prose, in the elements that only complete others too.
#[test]
fn unreadable_equations_are_errors() {
    let (model, e) = lin();
    let text = unicode(&e, 100);
    for name in ["D₁₁₂", "C₁₂", "τ₁", "τ₂", "D₂₁₁"] {
        let wrong = text.replacen(&format!("  {name} = "), &format!("  {name}# = "), 1);
        assert_ne!(wrong, text, "{name}");
        let error = verify(&model, &e, TextFormat::Unicode, &wrong, 1).unwrap_err().to_string();
        assert!(error.contains(&format!("cannot read `{name}# = ")), "{error}");
    }
}

/// τ₁ has (C₁₁ q̇₁ + C₁₂ q̇₂): terms that are moved from one to the other change no torque, but C.
#[test]
fn each_element_of_c_is_compared() {
    let (model, e) = lin();
    let text = unicode(&e, 100);
    let moved = text.replacen("  C₁₁ = D₁₁₂ θ̇₂\n", "  C₁₁ = 2 D₁₁₂ θ̇₂\n", 1).replacen(
        "  C₁₂ = D₁₁₂ θ̇₁ + D₁₂₂ θ̇₂\n",
        "  C₁₂ = D₁₂₂ θ̇₂\n",
        1,
    );
    let found = verify(&model, &e, TextFormat::Unicode, &moved, 1).unwrap();
    let of = |quantity: &str| found.comparisons.iter().find(|c| c.quantity == quantity).unwrap().difference;
    assert!(of("torques by M, C and g") < 1e-12 && of("elements of C") > 1e-3, "{found:?}\n{moved}");
    assert!(!found.holds());
}
