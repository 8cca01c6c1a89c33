//! `armdyn explain`: joint torques, and components of joint wrenches, broken down into their physical causes.

use crate::args::{By, Explain};
use crate::document::{Document, Table};
use crate::format::many;
use crate::values::{Kind, Reader};
use crate::wrench::External;
use crate::{CommandError, CommandResult, Output, format, plots, robot};
use armdyn_core::{Boundary, Breakdown, Cause, Force, JointId, LinkId, Model, SplitBy};
use armdyn_design::contribution_charts::{Stack, contribution_areas, contribution_bars};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Contributions smaller than this fraction of the largest are summed up, unless `--all` is set.
const SMALL: f64 = 0.005;

/// The length of the longest bar \[characters\].
const BAR: f64 = 20.0;

/// The components of a wrench.
const COMPONENTS: [&str; 6] = ["moment.x", "moment.y", "moment.z", "force.x", "force.y", "force.z"];

/// The charts of `--plot`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    Bars,
    Areas,
}

/// What is explained.
enum Subject {
    Torque { dof: usize },
    Component { text: String, joint: JointId, component: usize },
}

/// A torque or a component of a wrench at each state, and its contributions.
struct Explained {
    name: String,
    joint: String,
    is_torque: bool,
    unit: &'static str,
    total: Vec<f64>,
    contributions: Vec<Contribution>,
}

struct Contribution {
    cause: String,
    kind: &'static str,
    link: Option<String>,
    values: Vec<f64>,
}

/// The contributions to torques and components, at a state or along a trajectory.
pub fn run(m: &Model<f64>, args: &Explain) -> CommandResult {
    let over_time = args.motion.trajectory.is_some();
    let default = if over_time { Plot::Areas } else { Plot::Bars };
    let plots = plots::wanted(&args.plot, &[("bars", Plot::Bars), ("areas", Plot::Areas)], default)?;
    for (plot, wrong, needs) in [
        (Plot::Bars, over_time, "`--plot bars` shows one state; omit `--trajectory`, or plot `areas`"),
        (Plot::Areas, !over_time, "`--plot areas` requires `--trajectory FILE`; plot `bars` of one state"),
    ] {
        if wrong && plots.iter().any(|(p, _)| *p == plot) {
            return Err(needs.into());
        }
    }
    let subjects = subjects(m, args)?;
    let reader = Reader { model: m, deg: args.state.deg };
    let (t, states) = states(&reader, args)?;
    let mut external = External::new(m, &args.wrench)?;
    let mut boundary = Boundary::at_rest(m);
    let mut all: Vec<Explained> = vec![];
    for [q, qd, qdd] in &states {
        external.apply(q, &mut boundary)?;
        let found = explain_state(m, args, &subjects, &Breakdown::new(m, &boundary, q, qd, qdd)?)?;
        if all.is_empty() {
            all = found;
            continue;
        }
        for (known, new) in all.iter_mut().zip(found) {
            known.total.extend(new.total);
            for (c, more) in known.contributions.iter_mut().zip(new.contributions) {
                c.values.extend(more.values);
            }
        }
    }
    tidy(m, &mut all);
    let external = (!external.is_empty()).then(|| external.json());
    let result = json(m, args, t.as_deref(), &all, external);
    let mut document = Document::default();
    for e in &all {
        view(&mut document, e, args, over_time);
    }
    let stacks: Vec<Stack> = all.iter().map(|e| stack(e, args.by)).collect();
    for (plot, file) in &plots {
        let title = format!("{}: contributions", m.name());
        let chart = match plot {
            Plot::Bars => contribution_bars(&title, &stacks),
            Plot::Areas => contribution_areas(&title, t.as_deref().unwrap_or_default(), &stacks),
        };
        plots::put(&mut document, &chart, file.as_deref())?;
    }
    Output::of(args.robot.json, &result, |_| document)
}

/// The states: one, or those of a trajectory with their times.
#[allow(clippy::type_complexity)]
fn states(reader: &Reader, args: &Explain) -> Result<(Option<Vec<f64>>, Vec<[Vec<f64>; 3]>), CommandError> {
    let Some(source) = &args.motion.trajectory else {
        let state = reader.read_all(&[
            ("q", Kind::Position, args.state.q.as_deref()),
            ("qd", Kind::Rate, args.state.qd.as_deref()),
            ("qdd", Kind::Rate, args.qdd.as_deref()),
        ])?;
        return Ok((None, vec![state]));
    };
    for (set, option) in [(&args.state.q, "--q"), (&args.state.qd, "--qd"), (&args.qdd, "--qdd")] {
        if set.is_some() {
            return Err(format!("`{option}` and `--trajectory` both set the motion; pass one of them").into());
        }
    }
    let trajectory = source.read(reader)?;
    let n = reader.model.nv();
    let row = |values: &[f64], k: usize| values[k * n..(k + 1) * n].to_vec();
    let state = |k: usize| [&trajectory.q, &trajectory.qd, &trajectory.qdd].map(|values| row(values, k));
    let states = (0..trajectory.len()).map(state).collect();
    Ok((Some(trajectory.t), states))
}

/// The torques of `--joint`, or of all joints unless there are components; then the components.
fn subjects(m: &Model<f64>, args: &Explain) -> Result<Vec<Subject>, CommandError> {
    let mut chosen = vec![];
    for name in &args.joint {
        chosen.push(robot::dof(m, "--joint", name)?);
    }
    let selected = |dof: &usize| if args.joint.is_empty() { args.component.is_empty() } else { chosen.contains(dof) };
    let mut subjects: Vec<Subject> = (0..m.nv()).filter(selected).map(|dof| Subject::Torque { dof }).collect();
    for text in &args.component {
        let expected = || format!("expected one of {}, and a joint, such as `force.x@JOINT`", COMPONENTS.join(", "));
        let (name, joint) =
            text.split_once('@').ok_or_else(|| format!("invalid `--component {text}`: {}", expected()))?;
        let component = COMPONENTS.iter().position(|c| *c == name);
        let component = component.ok_or_else(|| format!("invalid `--component {text}`: {}", expected()))?;
        let joint = m.joint(joint).map_err(|e| {
            let names: Vec<&str> = m.joints().iter().map(|j| j.name.as_str()).collect();
            format!("`--component {text}`: {e}; its joints are {}", names.join(", "))
        })?;
        subjects.push(Subject::Component { text: text.clone(), joint, component });
    }
    Ok(subjects)
}

fn explain_state(
    m: &Model<f64>,
    args: &Explain,
    subjects: &[Subject],
    breakdown: &Breakdown<f64>,
) -> Result<Vec<Explained>, CommandError> {
    let by = if args.by == By::Link { SplitBy::Link } else { SplitBy::Cause };
    let torques = breakdown.torques(by)?;
    let contribution = |cause: Cause, link: Option<LinkId>, value: f64| {
        let link = link.map(|l| m.links()[l].name.clone());
        let text = match (&link, cause) {
            (Some(link), cause) if !matches!(cause, Cause::Gravity { .. }) => format!("{}, {link}", cause.describe(m)),
            _ => cause.describe(m),
        };
        Contribution { cause: text, kind: cause.kind(), link, values: vec![value] }
    };
    let mut all = vec![];
    for subject in subjects {
        all.push(match subject {
            Subject::Torque { dof } => {
                let e = &torques[*dof];
                let name = m.dof_names()[*dof].clone();
                Explained {
                    joint: name.clone(),
                    name,
                    is_torque: true,
                    unit: m.torque_unit(*dof),
                    total: vec![e.torque],
                    contributions: e.contributions.iter().map(|c| contribution(c.cause, c.link, c.torque)).collect(),
                }
            }
            Subject::Component { text, joint, component } => {
                let e = breakdown.wrench(*joint, args.frame.in_core(), by)?;
                let value = |w: &Force<f64>| w.components()[*component];
                let one = |c: &armdyn_core::WrenchContribution<f64>| contribution(c.cause, c.link, value(&c.wrench));
                Explained {
                    name: text.clone(),
                    joint: m.joints()[*joint].name.clone(),
                    is_torque: false,
                    unit: if *component < 3 { "N m" } else { "N" },
                    total: vec![value(&e.total)],
                    contributions: e.contributions.iter().map(one).collect(),
                }
            }
        });
    }
    Ok(all)
}

/// Removes rounding errors relative to the largest contribution of a unit, and sorts by size.
fn tidy(m: &Model<f64>, all: &mut [Explained]) {
    let scale = |all: &[Explained], unit: &str| {
        let of_unit = all.iter().filter(|e| e.unit == unit);
        let values = of_unit.flat_map(|e| e.contributions.iter().flat_map(|c| &c.values).chain(&e.total));
        // Gravity that vanishes leaves rounding errors of the size of the weight's.
        format::largest(values.copied()).max(m.gravity_scale())
    };
    let scales: Vec<f64> = all.iter().map(|e| scale(all, e.unit)).collect();
    for (e, largest) in all.iter_mut().zip(scales) {
        e.total.iter_mut().for_each(|x| *x = format::rounded(*x, largest));
        e.contributions.retain(|c| c.values.iter().any(|x| format::rounded(*x, largest) != 0.0));
        let size = |c: &Contribution| format::largest(c.values.iter().copied());
        e.contributions.sort_by(|a, b| size(b).total_cmp(&size(a)));
    }
}

fn stack(e: &Explained, by: By) -> Stack {
    let name = |c: &Contribution| match (by, &c.link) {
        (By::Link, Some(link)) => link.clone(),
        _ => c.kind.to_string(),
    };
    Stack {
        name: e.name.clone(),
        unit: e.unit.to_string(),
        total: e.total.clone(),
        contributions: e.contributions.iter().map(|c| (name(c), c.values.clone())).collect(),
    }
}

fn json(m: &Model<f64>, args: &Explain, t: Option<&[f64]>, all: &[Explained], external: Option<Value>) -> Value {
    // One value, or one per sample.
    let values = |values: &[f64]| if t.is_some() { json!(values) } else { json!(values.first()) };
    let one = |e: &Explained| {
        let (total, contribution) = if e.is_torque { ("tau", "torque") } else { ("value", "value") };
        let contributions = e.contributions.iter().map(|c| {
            let mut entry = Map::new();
            entry.insert("cause".into(), json!(c.cause));
            entry.insert("kind".into(), json!(c.kind));
            if let Some(link) = &c.link {
                entry.insert("link".into(), json!(link));
            }
            entry.insert(contribution.into(), values(&c.values));
            Value::Object(entry)
        });
        let mut entry = Map::new();
        if !e.is_torque {
            entry.insert("component".into(), json!(e.name));
            entry.insert("frame".into(), json!(args.frame));
        }
        entry.insert("joint".into(), json!(e.joint));
        entry.insert(total.into(), values(&e.total));
        entry.insert("unit".into(), json!(e.unit));
        entry.insert("contributions".into(), contributions.collect());
        Value::Object(entry)
    };
    let (torques, components): (Vec<&Explained>, Vec<&Explained>) = all.iter().partition(|e| e.is_torque);
    let mut result = json!({ "robot": m.name(), "joints": m.dof_names(), "by": args.by });
    if let Some(t) = t {
        result["t"] = json!(t);
    }
    result["torques"] = torques.into_iter().map(one).collect();
    if !components.is_empty() {
        result["components"] = components.into_iter().map(one).collect();
    }
    if let Some(external) = external {
        result["external"] = external;
    }
    result
}

/// A table with bars: positive contributions to the right of the line, negative ones to the left; over a trajectory, their ranges.
fn view(document: &mut Document, e: &Explained, args: &Explain, over_time: bool) {
    let range = |values: &[f64]| {
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(*x), b.max(*x)));
        [low, high].map(format::number)
    };
    let frame = if e.is_torque { String::new() } else { format!(", in {}", args.frame.describe()) };
    let size = |c: &Contribution| format::largest(c.values.iter().copied());
    let largest = e.contributions.first().map_or(0.0, size);
    let (shown, small): (Vec<&Contribution>, Vec<_>) =
        e.contributions.iter().partition(|c| args.all || size(c) >= SMALL * largest);
    let rest = many(small.len(), "smaller contribution");
    if over_time {
        let [low, high] = range(&e.total);
        let _ = writeln!(document, "{}: {low} … {high} {}{frame}", e.name, e.unit);
        let row = |name: &str, values: &[f64]| [vec![format!("  {name}")], range(values).to_vec()].concat();
        let mut rows: Vec<Vec<String>> = shown.iter().map(|c| row(&c.cause, &c.values)).collect();
        if !small.is_empty() {
            let sum: Vec<f64> = (0..e.total.len()).map(|k| small.iter().map(|c| c.values[k]).sum()).collect();
            rows.push(row(&rest, &sum));
        }
        let [low, high] = ["minimum", "maximum"].map(|what| format!("{what} [{}]", e.unit));
        document.table(Table::new(&["  cause", &low, &high], &[0], rows));
    } else {
        let total = e.total.first().copied().unwrap_or(0.0);
        let _ = writeln!(document, "{}: {} {}{frame}", e.name, format::number(total), e.unit);
        let row = |cause: &str, value: f64| vec![format!("  {cause}"), format::number(value), bar(value / largest)];
        let mut rows: Vec<Vec<String>> = shown.iter().map(|c| row(&c.cause, c.values[0])).collect();
        if !small.is_empty() {
            rows.push(row(&rest, small.iter().map(|c| c.values[0]).sum()));
        }
        if !rows.is_empty() {
            document.table(Table::new(&["  cause", e.unit, ""], &[0, 2], rows));
        }
    }
    let _ = writeln!(document);
}

/// `    ███│` or `│███`, to scale, in eighths of a character to the right.
fn bar(fraction: f64) -> String {
    let length = fraction.abs() * BAR;
    if fraction < 0.0 {
        let full = length.round().max(1.0) as usize;
        return format!("{}{}│", " ".repeat((BAR as usize).saturating_sub(full)), "█".repeat(full));
    }
    let eighths = (length * 8.0).round().max(1.0) as usize;
    let last = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    format!("{}│{}{last}", " ".repeat(BAR as usize), "█".repeat(eighths / 8))
}
