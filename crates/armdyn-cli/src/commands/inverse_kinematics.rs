//! `armdyn kinematics --pose`: joint positions for a pose.

use crate::args;
use crate::diagnostics::warn;
use crate::document::{Document, Table};
use crate::format::{many, number};
use crate::shown::Shown;
use crate::values::{Kind, Reader, numbers};
use crate::{CommandError, CommandResult, Output, limits, robot};
use armdyn_core::{Model, Rotation, Tool, Transform, Vec3, vec3};
use armdyn_motion::{IkMethod, IkOptions, IkReport, InverseKinematics, Target};
use serde_json::{Value, json};
use std::f64::consts::TAU;
use std::fmt::Write;

/// Joint positions, and how they were found.
type Solution = (Vec<f64>, IkReport);

/// One solution, or all that are found.
pub fn run(m: &Model<f64>, args: &args::Kinematics, pose: &str) -> CommandResult {
    let target = target("--pose", pose, args.deg)?;
    let reader = Reader { model: m, deg: args.deg };
    let frame = robot::frame(m, args.link.as_deref().unwrap_or("tool"))?;
    let options = IkOptions {
        starts: args.inverse.starts as usize,
        seed: args.inverse.seed,
        // Who gives a start wants a solution near it.
        centring: args.q.is_none(),
        ..IkOptions::default()
    };
    let start = match &args.q {
        Some(q) => reader.read("--q", &Kind::Position, Some(q))?,
        None => middle(m)?,
    };
    let mut ik = InverseKinematics::new(m, Some(frame), options)?;
    check_unit("--pose", &ik, target.position());
    let mut found = if args.inverse.all { ik.solve_all(m, &target, &start)? } else { vec![] };
    if found.is_empty() {
        let mut q = start.clone();
        let report = ik.solve(m, &target, &start, &mut q)?;
        found.push((q, report));
    }
    let shown = Shown { m, deg: args.deg };
    let solved = found[0].1.solved;
    let result = result(shown, &ik, &frame, &target, &found);
    let output = Output::of(args.robot.json, &result, |_| view(shown, &ik, &target, &found))?;
    Ok(output.with_exit_code(u8::from(!solved)))
}

/// `X,Y,Z` or `X,Y,Z,R,P,Y`.
pub fn target(option: &str, text: &str, deg: bool) -> Result<Target, CommandError> {
    match numbers(text, option)?[..] {
        [x, y, z] => Ok(Target::Position(vec3(x, y, z))),
        [x, y, z, a, b, c] => {
            let names = ["roll", "pitch", "yaw"];
            if let Some((name, x)) = names.iter().zip([a, b, c]).find(|(_, x)| !deg && x.abs() > TAU) {
                warn(format_args!(
                    "`{option}`: {name} = {} rad is beyond a full turn{}",
                    number(x),
                    limits::hint(true)
                ));
            }
            let [roll, pitch, yaw] = [a, b, c].map(|x| if deg { x.to_radians() } else { x });
            Ok(Target::Pose(Transform::new(Rotation::rpy(roll, pitch, yaw), vec3(x, y, z))))
        }
        ref all => Err(format!(
            "`{option}` has {}: expected three (x, y, z) or six (x, y, z, roll, pitch, yaw)",
            many(all.len(), "number")
        )
        .into()),
    }
}

/// Warns about a position that is probably in millimetres.
pub fn check_unit(option: &str, ik: &InverseKinematics, position: Vec3<f64>) {
    if ik.looks_like_millimetres(position) {
        let (first, reach) = ik.reach();
        let distance = number((position - first).norm());
        let metres = (position * 1e-3).to_array().map(|x| x.to_string()).join(",");
        let reach = number(reach);
        warn(format_args!(
            "`{option}`: the position is {distance} m from the first joint, and the arm reaches at most {reach} m; positions are in \
             metres (did you mean {metres}?)"
        ));
    }
}

/// The middle of the joint ranges; neutral where there is none.
fn middle(m: &Model<f64>) -> Result<Vec<f64>, CommandError> {
    let mut q = vec![0.0; m.nq()];
    m.neutral(&mut q)?;
    for joint in m.joints().iter().filter(|joint| joint.q.len() == joint.v.len()) {
        for (i, v) in joint.q.clone().zip(joint.v.clone()) {
            let middle = 0.5 * (m.limits()[v].lower + m.limits()[v].upper);
            q[i] = if middle.is_finite() { middle } else { q[i] };
        }
    }
    Ok(q)
}

fn result(shown: Shown, ik: &InverseKinematics, frame: &Tool, target: &Target, found: &[Solution]) -> Value {
    let m = shown.m;
    let solution = |(q, report): &Solution| {
        let mut entry = json!(report);
        entry["q"] = json!(positions(shown, q));
        entry
    };
    let (first_joint, reach) = ik.reach();
    json!({
        "robot": m.name(), "joints": m.coordinate_names(), "tool": robot::tool_json(m, frame),
        "position": target.position().to_array(),
        "rotation": if let Target::Pose(pose) = target { json!(pose.rotation.to_rows()) } else { Value::Null },
        "first_joint": first_joint.to_array(), "reach": reach.is_finite().then_some(reach),
        "solved": found[0].1.solved, "analytic": ik.is_analytic(),
        "separation": ik.is_redundant(target).then_some(ik.options().separation),
        "solutions": found.iter().map(solution).collect::<Vec<_>>(),
    })
}

/// Joint positions in the units shown; quaternions have none.
fn positions(shown: Shown, q: &[f64]) -> Vec<f64> {
    let scales = Reader { model: shown.m, deg: shown.deg }.scales(&Kind::Position);
    q.iter().zip(scales).map(|(q, scale)| q / scale).collect()
}

fn view(shown: Shown, ik: &InverseKinematics, target: &Target, found: &[Solution]) -> Document {
    let m = shown.m;
    let mut document = Document::default();
    let report = &found[0].1;
    if !report.solved {
        document += &format!("not reached: the best configuration found is {} away\n", errors(shown, report));
        let (first, reach) = ik.reach();
        let distance = (target.position() - first).norm();
        if distance > reach {
            let (distance, reach) = (number(distance), number(reach));
            document +=
                &format!("The target is {distance} m from the first joint; the arm reaches at most {reach} m.\n");
        }
        document += "\n";
    }
    let one = found.len() == 1;
    let titles: Vec<String> =
        if one { vec!["q".into()] } else { (1..=found.len()).map(|k| format!("q of {k}")).collect() };
    let ends: &[&str] = if one { &["unit", "lower", "upper"] } else { &["unit"] };
    let header: Vec<&str> =
        ["joint"].into_iter().chain(titles.iter().map(String::as_str)).chain(ends.iter().copied()).collect();
    let columns: Vec<Vec<f64>> = found.iter().map(|(q, _)| positions(shown, q)).collect();
    let mut dofs = vec![None; m.nq()];
    for joint in m.joints().iter().filter(|joint| joint.q.len() == joint.v.len()) {
        joint.q.clone().zip(joint.v.clone()).for_each(|(i, v)| dofs[i] = Some(v));
    }
    let rows = m.coordinate_names().into_iter().enumerate().map(|(i, name)| {
        // Out of reach, joints are known to about 1e-7.
        let value = |q: &Vec<f64>| number(if q[i].abs() < 1e-7 { 0.0 } else { q[i] });
        let limit = |x: f64, v: usize| if x.is_finite() { number(shown.value(v, x)) } else { "–".to_string() };
        let end = match dofs[i] {
            Some(v) => [shown.position_unit(v).into(), limit(m.limits()[v].lower, v), limit(m.limits()[v].upper, v)],
            None => ["", "–", "–"].map(String::from),
        };
        [name].into_iter().chain(columns.iter().map(value)).chain(end.into_iter().take(ends.len())).collect()
    });
    document.table(Table::new(&header, &[0, titles.len() + 1], rows.collect::<Vec<Vec<String>>>()));
    if report.solved {
        let most = found.iter().map(|(_, report)| report).max_by(|a, b| a.position_error.total_cmp(&b.position_error));
        let text = errors(shown, most.unwrap_or(report));
        let _ = match found.len() {
            1 => {
                let how = match report.method {
                    IkMethod::Analytic => "closed form".to_string(),
                    _ => many(report.starts, "start"),
                };
                writeln!(document, "error {text}; {how}, {}", many(report.iterations, "iteration"))
            }
            n => {
                let (kind, separation) = (ik.is_redundant(target), number(ik.options().separation));
                let which = match report.method {
                    IkMethod::Analytic => " in closed form".to_string(),
                    _ if kind => format!(" found that differ by at least {separation} rad in a joint"),
                    _ => " found".to_string(),
                };
                writeln!(document, "{n} solutions{which}, nearest to the start first; maximum error {text}")
            }
        };
    }
    document
}

/// `0.1 m and 0.2 rad`.
fn errors(shown: Shown, report: &IkReport) -> String {
    // Rounding errors.
    let number = |x: f64| if x < 1e-12 { "below 1e-12".to_string() } else { number(x) };
    let position = format!("{} m", number(report.position_error));
    let angle = |x: f64| if shown.deg { format!("{}°", number(x.to_degrees())) } else { format!("{} rad", number(x)) };
    report.rotation_error.map_or(position.clone(), |x| format!("{position} and {}", angle(x)))
}
