//! The document of `armdyn size`.

use crate::document::{Document, Table};
use crate::format::{self, many, number};
use crate::shown::Shown;
use armdyn_core::{EffortRange, Model};
use armdyn_design::{
    Accelerations, ActiveLimit, Candidate, CannotHold, CapacityMap, CatalogueRanking, ConfigurationMinimum, DriveLoad,
    ExceededLimit, JointAcceleration, JointCandidates, MinimumAccelerations, MotorLoad, PayloadRange, PeakValue,
    SizeReport, TorqueTerm,
};
use armdyn_numerics::Limit;
use std::fmt::Write;

/// Terms shown for a peak torque.
const TERMS: usize = 4;

/// Motors and gears shown for a joint.
const CANDIDATES: usize = 3;

/// The report as a document.
pub fn view(r: &SizeReport, m: &Model<f64>, deg: bool) -> Document {
    let (mut doc, shown) = (Document::default(), Shown { m, deg });
    let _ = writeln!(doc, "{}: {}", r.robot, r.motion);
    let _ = writeln!(doc, "{} s, {}", number(r.duration), many(r.samples, "sample"));
    if r.partial {
        doc += "partial: cancelled; results of unfinished steps are missing\n";
    }
    r.notes.iter().for_each(|note| doc += &format!("note: {note}\n"));
    drives(&mut doc, r, shown);
    if !r.motors.is_empty() {
        motors(&mut doc, r);
    }
    if let Some(ranking) = &r.catalogue {
        catalogue(&mut doc, ranking);
    }
    peaks(&mut doc, r, shown);
    if !r.wrenches.is_empty() {
        wrenches(&mut doc, r, shown);
    }
    margins(&mut doc, r, shown);
    for found in r.cannot_hold() {
        let _ = writeln!(doc, "CANNOT HOLD: {}", cannot_hold(found, shown));
    }
    if let Some(minimum) = &r.minimum_accelerations {
        minimum_accelerations(&mut doc, minimum, shown);
    }
    if let Some(at) = &r.accelerations {
        accelerations(&mut doc, at, shown);
    }
    doc
}

fn drives(doc: &mut Document, r: &SizeReport, shown: Shown) {
    let row = |(i, d): (usize, &DriveLoad)| {
        let torques = [d.peak.value.abs(), d.rms, d.p95].map(|x| torque(x, shown));
        let speeds = [d.speed.value.abs(), d.speed_rms].map(|x| number(shown.value(i, x)));
        let powers = [d.motoring.value, d.braking.value, d.work, d.regenerated].map(number);
        let [torque, speed] = [vec![d.unit.to_string()], vec![shown.rate_unit(i, "s")]];
        [vec![d.joint.clone()], torques.to_vec(), torque, speeds.to_vec(), speed, powers.to_vec()].concat()
    };
    let header =
        ["joint", "peak", "RMS", "95 %", "", "speed", "RMS", "", "motor [W]", "brake [W]", "work [J]", "regen. [J]"];
    *doc += "\nTorque, speed and power of each drive (RMS and 95th percentile are over time)\n";
    doc.table(Table::new(&header, &[0, 4, 7], r.drives.iter().enumerate().map(row)));
    type Column = fn(&DriveLoad) -> Option<f64>;
    let columns: [(&str, Column); 5] = [
        ("peak / effort [%]", |d| d.effort_utilization),
        ("RMS / continuous [%]", |d| d.continuous_utilization),
        ("speed / limit [%]", |d| d.speed_utilization),
        ("above continuous [% of time]", |d| d.above_continuous),
        ("duty cycle [%]", |d| Some(d.duty_cycle)),
    ];
    let known: Vec<_> = columns.into_iter().filter(|(_, of)| r.drives.iter().any(|d| of(d).is_some())).collect();
    let header: Vec<&str> = std::iter::once("joint").chain(known.iter().map(|(h, _)| *h)).collect();
    let row = |d: &DriveLoad| {
        let cell = |of: Column| of(d).map_or("?".to_string(), |x| format!("{:.1}", 100.0 * x));
        std::iter::once(d.joint.clone()).chain(known.iter().map(|(_, of)| cell(*of))).collect()
    };
    *doc += match known.len() {
        1 => "\nDuty cycle: fraction of time above 1 % of the peak speed\n",
        _ => "\nUtilization of limits (duty cycle: fraction of time above 1 % of the peak speed)\n",
    };
    doc.table(Table::new(&header, &[0], r.drives.iter().map(row)));
    for d in &r.drives {
        for ExceededLimit { limit, utilization } in &d.exceeded {
            let used = match *utilization {
                f64::INFINITY => format!("a torque in a direction that its {limit} limit does not allow"),
                used => format!("{:.1} % of its {limit} limit", 100.0 * used),
            };
            let _ = writeln!(doc, "EXCEEDED: {} needs {used}", d.joint);
        }
    }
}

/// A torque or force; rounding errors of gravity print as 0.
fn torque(x: f64, shown: Shown) -> String {
    number(format::rounded(x, shown.m.gravity_scale()))
}

/// Loads of the robot's own motors.
fn motors(doc: &mut Document, r: &SizeReport) {
    let percent = |x: Option<f64>| x.map_or("?".to_string(), |x| format!("{:.1}", 100.0 * x));
    let row = |d: &MotorLoad| {
        let numbers =
            [d.gear_ratio, d.load.peak.value.abs(), d.load.rms, rpm(d.load.speed.value), rpm(d.load.mean_speed)];
        let power = number(d.load.power.value);
        let ratio = format::optional(d.load.inertia_ratio);
        [vec![d.joint.clone()], numbers.map(number).to_vec(), vec![power, ratio, percent(d.efficiency)]].concat()
    };
    let header = [
        "joint",
        "gear ratio",
        "peak [N m]",
        "RMS [N m]",
        "speed [rpm]",
        "mean [rpm]",
        "power [W]",
        "inertia ratio",
        "efficiency [%]",
    ];
    *doc += "\nMotor side, by the rotors and gear ratios of the robot file\n";
    doc.table(Table::new(&header, &[0], r.motors.iter().map(row)));
    *doc += "inertia ratio: load at the motor / rotor, maximum; efficiency: 1 − friction losses / work of the motor\n";
}

/// The best motors and gears of a catalogue, below each joint.
fn catalogue(doc: &mut Document, ranking: &CatalogueRanking) {
    let _ = writeln!(doc, "\nMotors and gears of the catalogue `{}`, lightest first", ranking.catalogue);
    let header = ["joint, motor", "gear", "kg", "W", "J ratio", "eff.", "peak", "cont.", "speed", "gear"];
    let row = |c: &Candidate| {
        let (u, efficiency) = (&c.utilization, c.efficiency.map(|x| 100.0 * x));
        let gear = u.gear_peak.max(u.gear_average).max(u.gear_speed);
        let used = [u.peak, u.continuous, u.speed, gear].map(|x| format!("{:.0}", 100.0 * x));
        let load = [Some(c.mass), Some(c.load.power.value), c.load.inertia_ratio, efficiency].map(format::optional);
        [vec![format!("· {}", c.motor), c.gear.clone()], load.to_vec(), used.to_vec()].concat()
    };
    let group = |joint: &JointCandidates| {
        let mut first = vec![String::new(); header.len()];
        first[0] = joint.joint.clone();
        first[1] = format!("{} of {} fit", joint.fitting, joint.considered);
        let shown = if joint.fitting == 0 { 1 } else { joint.fitting.min(CANDIDATES) };
        std::iter::once(first).chain(joint.ranking.iter().take(shown).map(row)).collect::<Vec<_>>()
    };
    doc.table(Table::new(&header, &[0, 1], ranking.joints.iter().flat_map(group)));
    *doc += "W: peak power of the motor; J ratio: inertia of the load at the motor / of rotor and gear; eff.: efficiency [%]; then the \
             utilization [%] of the motor's peak torque, continuous torque and speed, and of the gear's torque or speed\n";
    for joint in ranking.joints.iter().filter(|j| j.fitting == 0) {
        let nearest = joint.ranking.first().map(|c| {
            let (worst, limit) = c.utilization.worst();
            format!("; the nearest, {} with {}, needs {:.0} % of {limit}", c.motor, c.gear, 100.0 * worst)
        });
        let (joint, nearest) = (&joint.joint, nearest.unwrap_or("; it has no gear for this kind of joint".to_string()));
        let _ = writeln!(doc, "NO FIT: no motor and gear of the catalogue can drive {joint}{nearest}");
    }
}

/// Revolutions per minute.
fn rpm(speed: f64) -> f64 {
    speed.abs() * 30.0 / std::f64::consts::PI
}

fn peaks(doc: &mut Document, r: &SizeReport, shown: Shown) {
    *doc += "\nPeak torque of each drive\n";
    for d in &r.drives {
        let peak = torque(d.peak.value, shown);
        let _ = writeln!(doc, "{}: {peak} {} at {} s", d.joint, d.unit, number(d.peak.t));
        for (name, values) in [("q", &d.state.q), ("q̇", &d.state.qd), ("q̈", &d.state.qdd)] {
            let _ = writeln!(doc, "  {name} = {}", shown.list(values));
        }
        let term = |t: &TorqueTerm| format!("{} {}", t.cause, torque(t.torque, shown));
        let listed: Vec<String> = d.contributions.iter().take(TERMS).map(term).collect();
        let rest: f64 = d.contributions.iter().skip(TERMS).map(|t| t.torque).sum();
        let rest = format::rounded(rest, format::largest(d.contributions.iter().map(|t| t.torque)));
        let others = d.contributions.len().saturating_sub(TERMS);
        let others = if others > 0 { format!("; {others} others {}", number(rest)) } else { String::new() };
        let _ = writeln!(doc, "  = {}{others}", listed.join("; "));
    }
}

fn wrenches(doc: &mut Document, r: &SizeReport, shown: Shown) {
    let cell = |p: &PeakValue| format!("{} @{}", torque(p.value, shown), number(p.t));
    *doc += "\nPeak joint forces on the child link (@ time [s])\n";
    let rows = r.wrenches.iter().map(|w| {
        std::iter::once(w.joint.clone()).chain(w.force.iter().chain([&w.radial_force]).map(cell)).collect::<Vec<_>>()
    });
    doc.table(Table::new(&["joint", "x [N]", "y [N]", "axial z [N]", "radial [N]"], &[0], rows));
    *doc += "\nPeak joint moments on the child link (@ time [s])\n";
    let rows = r.wrenches.iter().map(|w| {
        std::iter::once(w.joint.clone()).chain(w.moment.iter().chain([&w.tilting_moment]).map(cell)).collect::<Vec<_>>()
    });
    doc.table(Table::new(&["joint", "x [N m]", "y [N m]", "axial z [N m]", "tilting [N m]"], &[0], rows));
    *doc += "in the joint frame, with z along the joint axis; a fixed joint has the frame of its child link\n";
}

/// Maximum payload and speed scaling.
fn margins(doc: &mut Document, r: &SizeReport, shown: Shown) {
    *doc += "\n";
    let partial = !r.limits.effort.iter().all(EffortRange::is_known);
    let known = if partial { " (by the known effort limits)" } else { "" };
    if let Some(p) = &r.payload {
        let [x, y, z] = p.centre.map(number);
        let others: Vec<String> = shown.m.payloads().iter().map(|p| format!("{} kg", number(p.in_link.mass))).collect();
        let others = if others.is_empty() { String::new() } else { format!(", in place of {}", others.join(", ")) };
        let mass = payload(&p.range, r.plausible_payload);
        let _ = writeln!(doc, "maximum payload, a point mass at {} ({x}, {y}, {z} m){others}{known}: {mass}", p.link);
    }
    if let Some(scaling) = &r.speed_scaling {
        let by = limited_by(&scaling.limited_by);
        let _ = match scaling.factor {
            None => writeln!(doc, "maximum speed scaling: none; {by} is exceeded at any speed"),
            Some(s) if s.is_infinite() => writeln!(doc, "maximum speed scaling: no known limit"),
            Some(s) => writeln!(doc, "maximum speed scaling{known}: {}, limited by {by}", number(s)),
        };
    }
    if let Some(map) = &r.capacity {
        capacity(doc, map, shown);
    }
}

fn capacity(doc: &mut Document, map: &CapacityMap, shown: Shown) {
    let motion = match &map.accelerations {
        None => "at rest".to_string(),
        Some(a) => format!("with accelerations up to ±{}", shown.list(a)),
    };
    let cells = many(map.minimum.iter().filter(|x| !x.is_nan()).count(), "cell");
    let (minimum, q) = (map.worst.value, shown.list(&map.worst.q));
    let everywhere = if minimum > 0.0 {
        let by = limited_by(&map.worst.limited_by);
        format!("{} kg in every pose (minimum at q = {q}, limited by {by})", number(minimum))
    } else {
        let by = map.worst.cannot_hold.as_ref().map(exceeded_unloaded);
        let by = by.map_or(String::new(), |by| format!(", where {by}"));
        format!("none in at least one pose (q = {q}{by})")
    };
    let median = match map.median {
        median if median > 0.0 => format!("{} kg or more in half of the poses", number(median)),
        _ => "none in at least half of the poses".to_string(),
    };
    let (poses, in_plane) = (many(map.poses, "pose"), many(map.in_plane, "pose"));
    let _ = writeln!(doc, "payload capacity {motion}, without friction, sampled at {poses}: {everywhere}; {median}");
    let _ = writeln!(doc, "the payload map has {cells} with {in_plane} (--plot payload, --plot best)");
}

fn payload(range: &PayloadRange, plausible: f64) -> String {
    let by = limited_by(&range.limited_by);
    match range.largest() {
        None => format!("none; {by} is exceeded without a payload"),
        Some(maximum) if maximum.is_infinite() => "no known limit".to_string(),
        Some(maximum) if maximum > plausible => {
            format!("above {} kg: the motion hardly loads the drives with it (limited by {by})", number(plausible))
        }
        Some(maximum) if range.minimum > 0.0 => {
            format!(
                "{} kg (at least {} kg as a counterweight), limited by {by}",
                number(maximum),
                number(range.minimum)
            )
        }
        Some(maximum) => format!("{} kg, limited by {by}", number(maximum)),
    }
}

fn limited_by(by: &Option<ActiveLimit>) -> String {
    let Some(ActiveLimit { joint, limit, t }) = by else { return "a limit".to_string() };
    let time = t.map_or(String::new(), |t| format!(" at {} s", number(t)));
    match limit {
        Limit::Continuous => format!("the continuous torque of {joint}"),
        limit => format!("the {limit} limit of {joint}{time}"),
    }
}

/// The limit that a drive exceeds without a payload.
pub fn exceeded_unloaded(found: &CannotHold) -> String {
    let limit = if found.kind == Limit::Continuous { "continuous torque" } else { "effort limit" };
    format!("{} exceeds its {limit} without a payload", found.joint)
}

/// A drive that cannot hold the robot.
pub fn cannot_hold(found: &CannotHold, shown: Shown) -> String {
    let CannotHold { joint, unit, torque, limit, q, .. } = found;
    // Both without a sign where they have the same.
    let sign = if *torque < 0.0 && *limit <= 0.0 { -1.0 } else { 1.0 };
    let kind = if torque.abs() < limit.abs() { "minimum" } else { "limit" };
    let ([torque, limit], q) = ([torque, limit].map(|x| number(sign * x)), shown.list(q));
    format!(
        "joint `{joint}`: the drive cannot hold the arm (gravity {torque} {unit}, {kind} {limit} {unit}) at q = {q}"
    )
}

fn minimum_accelerations(doc: &mut Document, minimum: &MinimumAccelerations, shown: Shown) {
    if minimum.held == 0 {
        let poses = many(minimum.poses, "pose");
        let _ = writeln!(doc, "\nMinimum available accelerations: none; the drives can hold none of {poses} (sampled)");
        return;
    }
    let poses = match minimum.held {
        held if held == minimum.poses => many(held, "pose"),
        held => format!("the {held} of {} that the drives can hold", many(minimum.poses, "pose")),
    };
    let _ = writeln!(
        doc,
        "\nMinimum available accelerations from rest over {poses} (sampled), other joints held, without friction"
    );
    let cell = |i: usize, x: &ConfigurationMinimum| [number(shown.value(i, x.value)), shown.list(&x.q)];
    let row = |(i, (f, b)): (usize, (&ConfigurationMinimum, &ConfigurationMinimum))| {
        let name = vec![shown.m.dof_names()[i].clone(), shown.rate_unit(i, "s²")];
        [name, cell(i, f).to_vec(), cell(i, b).to_vec()].concat()
    };
    let rows = minimum.forward.iter().zip(&minimum.backward).enumerate().map(row);
    doc.table(Table::new(&["joint", "", "forward", "at q", "backward", "at q"], &[0, 1, 3, 5], rows));
    if let Some(tip) = &minimum.tip {
        let (value, q, p5, median) = (number(tip.value), shown.list(&tip.q), number(tip.p5), number(tip.median));
        let poses =
            if minimum.held < minimum.poses { "poses, with 0 where the drives cannot hold the arm" } else { "poses" };
        let _ = writeln!(
            doc,
            "tip, in every direction: at least {value} m/s² (at q = {q}), {p5} m/s² in 95 %, {median} m/s² in half of the {poses}"
        );
    }
}

fn accelerations(doc: &mut Document, at: &Accelerations, shown: Shown) {
    let q = shown.list(&at.q);
    if !at.cannot_hold.is_empty() {
        let _ = writeln!(doc, "\nAvailable accelerations from rest at q = {q}: none; the drives cannot hold the arm");
        return;
    }
    let _ = writeln!(doc, "\nAvailable accelerations from rest at q = {q}, other joints held, without friction");
    let cell = |i: usize, x: &JointAcceleration| [number(shown.value(i, x.value)), x.limited_by.clone()];
    let rows = (0..at.forward.len()).map(|i| {
        let name = vec![shown.m.dof_names()[i].clone(), shown.rate_unit(i, "s²")];
        [name, cell(i, &at.forward[i]).to_vec(), cell(i, &at.backward[i]).to_vec()].concat()
    });
    let header = ["joint", "", "forward", "limited by", "backward", "limited by"];
    doc.table(Table::new(&header, &[0, 1, 3, 5], rows));
    if let Some(tip) = &at.tip {
        let axis =
            |k: usize| format!("{} −{}…+{}", ["x", "y", "z"][k], number(tip.along[k][0]), number(tip.along[k][1]));
        let (axes, isotropic) = ([axis(0), axis(1), axis(2)].join(", "), number(tip.isotropic));
        let dimensions = many(tip.directions, "dimension");
        let _ = writeln!(doc, "tip [m/s²]: {axes}; {isotropic} in every direction of its {dimensions}");
    }
}
