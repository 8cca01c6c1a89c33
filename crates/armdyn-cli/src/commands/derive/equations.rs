//! Equations to read, and their verification.

use super::{file_name, output};
use crate::args::{self, Axes, Derive, Emit, EquationForm};
use crate::commands::{programs, terms};
use crate::document::{Document, Table};
use crate::progress::with_progress;
use crate::{CommandError, CommandResult, Output, robot};
use armdyn_core::{JacobianFrame, Model, Rate};
use armdyn_symbolic::closed::{
    CartesianForm, CartesianOptions, Coefficient, MotionTerm, Parameters, Quotient, Trigonometry, Wrench,
};
use armdyn_symbolic::emit::File;
use armdyn_symbolic::typeset::{
    self, Comparison, TextFormat, Verification, direction_name, plain_expression, plain_motion, plain_quotient,
};
use armdyn_symbolic::{ClosedError, ClosedOptions, Equations, SymbolNames, closed_form_with_progress};
use serde_json::{Value, json};

/// The width of formulas in the terminal \[characters\].
const WIDTH: usize = 100;

/// Equations to read.
pub fn equations(m: &Model<f64>, args: &Derive) -> Result<Equations, CommandError> {
    let search = &args.search;
    for (set, option) in [
        (args.what.is_some(), "--what"),
        (args.scalar.is_some(), "--scalar"),
        (args.trig.is_some(), "--trig"),
        (search.strategy.is_some(), "--strategy"),
        (search.single_joint_trig, "--single-joint-trig"),
    ] {
        if set {
            return Err(format!(
                "`{option}` applies to code only (`--emit rust`, `c`, …); equations always include M, C and g"
            )
            .into());
        }
    }
    if args.symbols.is_some() && args.parameters() == args::Parameters::Numeric {
        return Err("`--symbols` requires `--parameters symbolic` or `base`".into());
    }
    let symbols = args.symbols.as_deref().map(SymbolNames::parse).transpose();
    let mut options = ClosedOptions {
        drives: !args.robot.no_drives,
        parameters: match args.parameters() {
            args::Parameters::Numeric => Parameters::Numeric,
            args::Parameters::Symbolic => Parameters::Symbolic,
            args::Parameters::Base => Parameters::Grouped,
        },
        tensor: args.tensor(),
        notation: args.notation.unwrap_or_default(),
        trigonometry: if args.multiple_angles { Trigonometry::MultipleAngles } else { Trigonometry::Shortest },
        symbols: symbols.map_err(|e| format!("`--symbols`: {e}"))?.unwrap_or_default(),
        energy: args.energy,
        wrenches: args.wrenches,
        cartesian: cartesian(m, args)?,
        exact: search.exact,
        ..ClosedOptions::default()
    };
    if let Some(budget) = search.budget {
        options.budget = budget;
    }
    with_progress(|progress| closed_form_with_progress(m, &options, progress)).map_err(|e| match e {
        ClosedError::TooSlow { .. } | ClosedError::TooLong { .. } => {
            let help = "generate code with `--emit`, allow more time with `--budget`, or choose other `--parameters`";
            format!("{e}\n  help: {help}").into()
        }
        ClosedError::TooManyForCartesian { .. } => {
            format!("{e}\n  help: lock joints with `--lock JOINT=VALUE`, or use `armdyn terms --form cartesian`").into()
        }
        ClosedError::NotSquare { .. } | ClosedError::SingularCartesian => {
            format!("{e}\n  help: choose others with `--directions`, or use `armdyn terms --form cartesian`").into()
        }
        ClosedError::Symbols(e) => format!("`--symbols`: {e}").into(),
        e => e.to_string().into(),
    })
}

/// The frame and directions of the Cartesian form.
fn cartesian(m: &Model<f64>, args: &Derive) -> Result<Option<CartesianOptions>, CommandError> {
    if args.form != EquationForm::Cartesian {
        return match args.cartesian_options().next() {
            Some(option) => Err(format!("`{option}` requires `--form cartesian`").into()),
            None => Ok(None),
        };
    }
    let task = &args.cartesian;
    let tool = robot::task(m, task)?;
    let frame = match task.axes.unwrap_or_default() {
        Axes::Base => JacobianFrame::LocalWorldAligned,
        Axes::Tool => JacobianFrame::Local,
    };
    let directions = task.directions.as_deref().map(terms::directions).transpose()?.unwrap_or_default();
    Ok(Some(CartesianOptions { tool, frame, directions, rate: args.rate.unwrap_or(Rate::Inertial) }))
}

/// Equations in a format, or the result of their verification.
pub fn run(m: &Model<f64>, args: &Derive) -> CommandResult {
    let e = equations(m, args)?;
    programs::warn(&e.rounded_angles);
    let result = json!({ "robot": m.name(), "notes": [], "equations": in_plain_text(&e) });
    if args.verify {
        return verified(m, args, &e, result);
    }
    let (extension, text) = match args.emit {
        Emit::Latex => ("tex", typeset::latex(&e)),
        Emit::Html => ("html", typeset::html(&e)),
        Emit::Markdown => ("md", typeset::markdown(&e)),
        _ => ("txt", typeset::unicode(&e, WIDTH)),
    };
    let file = File { name: format!("{}.{extension}", file_name(m.name())), contents: text.into_bytes() };
    output(args, &[file], result)
}

/// Compares the LaTeX and Unicode text of the equations with the recursion.
fn verified(m: &Model<f64>, args: &Derive, e: &Equations, mut result: Value) -> CommandResult {
    let formats = [(TextFormat::Latex, typeset::latex(e)), (TextFormat::Unicode, typeset::unicode(e, WIDTH))];
    let check = |(format, text): &(TextFormat, String)| typeset::verify(m, e, *format, text, args.search.seed);
    let found = formats.iter().map(check).collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    let holds = found.iter().all(Verification::holds);
    let largest = found
        .iter()
        .fold(0.0, |w: f64, v| if v.difference() > w || v.difference().is_nan() { v.difference() } else { w });
    let format = |v: &Verification| {
        let of = |c: &Comparison| json!({ "quantity": c.quantity, "difference": c.difference });
        json!({ "format": v.format.name(), "comparisons": v.comparisons.iter().map(of).collect::<Vec<_>>() })
    };
    let (states, tolerance) = found.first().map_or((0, 0.0), |v| (v.states, v.tolerance));
    result["verification"] = json!({
        "holds": holds, "difference": largest, "tolerance": tolerance, "states": states,
        "formats": found.iter().map(format).collect::<Vec<_>>(),
    });
    // Rounding errors differ from one processor to another.
    let difference = |x: f64| if x < 1e-12 { "below 1e-12".to_string() } else { format!("{x:.1e}") };
    let output = Output::of(args.robot.json, &result, |_| {
        let mut document = Document::default();
        let at = |v: &Verification, k: usize| v.comparisons.get(k).map_or(String::new(), |c| difference(c.difference));
        let quantities = found.first().map_or(&[][..], |v| &v.comparisons[..]).iter().enumerate();
        let rows = quantities.map(|(k, c)| {
            std::iter::once(c.quantity.to_string()).chain(found.iter().map(|v| at(v, k))).collect::<Vec<_>>()
        });
        document.table(Table::new(&["relative difference", "LaTeX", "Unicode"], &[0], rows));
        let verdict = if holds { "The printed equations hold" } else { "The printed equations do NOT hold" };
        let largest = difference(largest);
        document += &format!(
            "\n{verdict}: largest relative difference {largest} at {states} random states, tolerance {tolerance:.0e}.\n"
        );
        document
    });
    Ok(output?.with_exit_code(u8::from(!holds)))
}

/// The equations as expressions that other programs can read.
fn in_plain_text(e: &Equations) -> Value {
    let n = e.size();
    let plain = |c: &Coefficient| json!(plain_expression(e, &c.written));
    let each = |f: &dyn Fn(usize) -> Value| (0..n).map(f).collect::<Value>();
    let parameter = |p: &armdyn_symbolic::closed::Parameter| json!({ "symbol": p.symbol.plain(), "value": p.value, "unit": p.unit, "description": p.meaning });
    let group = |(k, g): (usize, &armdyn_symbolic::closed::Group)| json!({ "symbol": format!("b{}", k + 1), "value": g.value, "definition": plain_expression(e, &g.definition) });
    let mut out = json!({
        "joints": e.dofs.iter().map(|d| &d.name).collect::<Vec<_>>(),
        "parameters": e.parameters.iter().filter(|p| e.uses(p)).map(parameter).collect::<Vec<_>>(),
        "groups": e.groups.iter().enumerate().map(group).collect::<Vec<_>>(),
        "g": each(&|i| plain(e.gravity(i))),
        "M": each(&|i| each(&|j| plain(e.inertia(i, j)))),
        "christoffel": each(&|i| each(&|j| each(&|k| plain(e.velocity(i, j, k))))),
    });
    let extra = e.supplements();
    if let Some(potential) = &extra.potential {
        let factor = |(x, [i, j], c): (f64, [usize; 2], &Coefficient)| {
            format!("{x:?}*({})*qd{}*qd{}", plain_expression(e, &c.written), i + 1, j + 1)
        };
        let kinetic: Vec<String> = e.kinetic_energy().into_iter().map(factor).collect();
        out["energy"] = json!({ "kinetic": kinetic.join(" + "), "potential": plain(potential) });
    }
    if !extra.wrenches.is_empty() {
        let wrench = |w: &Wrench<Coefficient>| {
            let [fx, fy, fz, nx, ny, nz] = [0, 1, 2, 3, 4, 5].map(|k| plain_motion(e, &w.components[k]));
            json!({ "joint": w.joint, "link": w.link, "force": [fx, fy, fz], "moment": [nx, ny, nz] })
        };
        out["wrenches"] = extra.wrenches.iter().map(wrench).collect();
    }
    if let Some(form) = &extra.cartesian {
        out["cartesian"] = cartesian_in_plain_text(e, form);
    }
    out
}

fn cartesian_in_plain_text(e: &Equations, form: &CartesianForm<Coefficient>) -> Value {
    let n = e.size();
    let quotient = |q: &Quotient<Coefficient>| json!(plain_quotient(e, q));
    let motion = |terms: &Vec<MotionTerm<Coefficient>>| json!(plain_motion(e, terms));
    let velocity = |row: &Vec<(Quotient<Coefficient>, [usize; 2])>| {
        let term = |(q, [j, k]): &(Quotient<Coefficient>, [usize; 2])| {
            format!("({})*qd{}*qd{}", plain_quotient(e, q), j + 1, k + 1)
        };
        if row.is_empty() { "0".to_string() } else { row.iter().map(term).collect::<Vec<_>>().join(" + ") }
    };
    let jacobian: Vec<String> = form.jacobian.iter().map(|c| plain_expression(e, &c.written)).collect();
    let mass: Vec<Value> = form.mass.iter().map(quotient).collect();
    json!({
        "axes": if form.options.frame == JacobianFrame::Local { "tool" } else { "base" },
        "directions": form.options.directions.iter().map(|d| direction_name(*d)).collect::<Vec<_>>(),
        "J": jacobian.chunks(n).collect::<Vec<_>>(),
        "Jdot_qd": form.rate.iter().map(motion).collect::<Vec<_>>(),
        "M_x": mass.chunks(n).collect::<Vec<_>>(),
        "V_x": form.velocity.iter().map(velocity).collect::<Vec<_>>(),
        "G_x": form.gravity.iter().map(quotient).collect::<Vec<_>>(),
    })
}
