//! `armdyn size`: what a motion asks of drives and bearings, and how much more they could.

mod json;
mod pictures;
mod text;

use crate::args::{self, Size};
use crate::document::Document;
use crate::table::{self, Block};
use crate::values::{Kind, Reader};
use crate::{CommandResult, diagnostics, format, plots, progress, robot, trajectory};
use armdyn_core::{Model, Progress, UnitPayload};
use armdyn_design::{
    Accelerating, Accelerations, CapacityMap, DriveLimits, LeastAccelerations, Masses, Profile, Sizing, TimeScaling,
    WrenchPeaks, capacity_map, largest_time_scaling, least_accelerations, payloads_along, random_moves, size,
    wrench_peaks,
};
use armdyn_numerics::{JointRanges, Trajectory};
use std::path::Path;

/// Grid along the longer side of the payload map.
const CELLS: usize = 48;

/// All that was found.
pub struct Found<'a> {
    m: &'a Model<f64>,
    deg: bool,
    limits: DriveLimits,
    trajectory: Trajectory,
    /// What the motion is, in words.
    motion: String,
    /// What is left out or to be known, in words.
    notes: Vec<String>,
    sizing: Sizing,
    wrenches: Vec<WrenchPeaks>,
    scaling: Option<TimeScaling>,
    /// Where a payload is carried, and how much of it.
    payload: Option<(UnitPayload, Masses)>,
    /// The map, and the accelerations that it allows for.
    capacity: Option<(CapacityMap, Option<Vec<f64>>)>,
    least: Option<LeastAccelerations>,
    at: Option<(Vec<f64>, Accelerations)>,
}

impl Found<'_> {
    /// The greatest speed and acceleration of each joint on the motion, as they are shown.
    pub fn greatest_rates(&self) -> [Vec<f64>; 2] {
        let n = self.m.nv();
        let most = |rates: &[f64], i: usize| rates.iter().skip(i).step_by(n).fold(0.0_f64, |m, x| m.max(x.abs()));
        let of = |rates: &[f64]| (0..n).map(|i| self.rate(i, most(rates, i))).collect();
        [of(&self.trajectory.qd), of(&self.trajectory.qdd)]
    }

    /// What is worth knowing first, each with its value.
    pub fn figures(&self) -> Vec<(String, String)> {
        let drives = self.sizing.drives.iter().enumerate();
        let hardest = drives.filter_map(|(i, d)| Some((i, d.effort_used?))).max_by(|a, b| a.1.total_cmp(&b.1));
        let effort = hardest.map(|(i, used)| {
            (format!("peak of its effort, {}", self.m.dof_names()[i]), format!("{:.0} %", 100.0 * used))
        });
        let most = self.payload.as_ref().and_then(|(_, masses)| masses.largest()).filter(|m| m.is_finite());
        let payload = most.map(|m| ("largest payload on the motion".to_string(), format!("{} kg", format::number(m))));
        let faster = self.scaling.as_ref().and_then(|s| s.factor).filter(|s| s.is_finite());
        let faster = faster.map(|s| ("the motion could be faster".to_string(), format!("× {s:.2}")));
        [effort, payload, faster].into_iter().flatten().collect()
    }

    /// The page, with every picture that there is.
    pub fn illustrated(&self) -> Document {
        let mut page = self.page();
        for what in pictures::ALL {
            // A map that lacks figures is left out; the page says which are lacking.
            let _ = pictures::draw(&mut page, self, what, None);
        }
        page
    }

    /// A position, speed or acceleration of a degree of freedom as it is shown.
    fn rate(&self, dof: usize, x: f64) -> f64 {
        if self.deg && self.m.turns(dof) { x.to_degrees() } else { x }
    }
}

/// Torques, speeds, powers, wrenches of a motion; the largest payload and speed; what can be carried where.
pub fn run(args: &Size) -> CommandResult {
    let m = robot::open(&args.robot)?;
    let plots = pictures::wanted(&args.plot)?;
    let found = found(&m, args)?;
    if let Some(out) = &args.out {
        write(&found, out, true)?;
    }
    let mut page = found.page();
    for (what, file) in &plots {
        pictures::draw(&mut page, &found, *what, file.as_deref())?;
    }
    Ok(if args.robot.json { found.json().into() } else { page.into() })
}

/// What there is to find for a robot that was opened.
pub fn found<'a>(m: &'a Model<f64>, args: &Size) -> Result<Found<'a>, String> {
    progress::with_progress(|progress| find(args, &Reader { model: m, deg: args.within.deg }, progress))
}

fn told(error: armdyn_numerics::Error) -> String {
    match error {
        armdyn_numerics::Error::NoLimit { limit: armdyn_numerics::Limit::Effort, .. } => {
            format!("{error} with --effort JOINT=VALUE")
        }
        error => error.to_string(),
    }
}

fn find<'a>(args: &Size, reader: &Reader<'a>, progress: &Progress) -> Result<Found<'a>, String> {
    let m = reader.model;
    let limits = limits(reader, &args.limits)?;
    let load = load(m, args.payload_at.as_deref());
    if let (Err(e), Some(_)) = (&load, &args.payload_at) {
        return Err(format!("--payload-at: {e}"));
    }
    let mut notes = vec![];
    let region = reader.joint_ranges(&args.within.ranges);
    let (trajectory, motion) = match (&args.trajectory, args.moves) {
        (Some(file), _) => {
            let trajectory::Read { trajectory, notes } = trajectory::read(file, reader)?;
            notes.iter().for_each(|n| diagnostics::warn(format_args!("{n}")));
            (trajectory, format!("`{}`", file.display()))
        }
        (None, moves) => {
            moved(args, reader, &limits, region.as_ref().map_err(String::clone)?, moves.unwrap_or(0), progress)?
        }
    };
    let sizing = size(m, &trajectory, &limits, progress).map_err(told)?;
    for (what, option, of) in [
        ("effort", "--effort", &limits.effort),
        ("speed", "--speed", &limits.speed),
        ("rated torque", "--rated", &limits.rated),
    ] {
        let missing = DriveLimits::missing(m, of);
        if !missing.is_empty() {
            let names = if missing.len() == m.nv() { "any joint".to_string() } else { missing.join(", ") };
            notes.push(format!(
                "no {what} of {names} is known: what depends on it is left out; give it with {option} JOINT=VALUE"
            ));
        }
    }
    let any = |x: &[f64]| x.iter().any(|x| x.is_finite());
    let bounded = any(&limits.effort) || any(&limits.rated);
    let mut found = Found {
        m,
        deg: reader.deg,
        limits,
        trajectory,
        motion,
        notes,
        sizing,
        wrenches: vec![],
        scaling: None,
        payload: None,
        capacity: None,
        least: None,
        at: None,
    };
    // Of what was ended early, only that is kept which says how much of it was done.
    let whole = || !progress.cancelled();
    let (it, limits) = (&found.trajectory, &found.limits);
    found.wrenches = wrench_peaks(m, it, progress).map(|w| if whole() { w } else { vec![] }).map_err(told)?;
    if bounded || any(&limits.speed) {
        found.scaling = Some(largest_time_scaling(m, it, limits, progress).map_err(told)?).filter(|_| whole());
    }
    if !bounded {
        return Ok(found);
    }
    let load = match load {
        Ok(load) => load,
        Err(e) => {
            found.notes.push(format!("payload and tip are left out: {e} with --payload-at X,Y,Z@LINK"));
            return Ok(found);
        }
    };
    let masses = payloads_along(m, it, limits, &load, progress).map_err(told)?;
    found.payload = Some((load, masses)).filter(|_| whole());
    over_the_box(&mut found, args, reader, region, progress)?;
    Ok(found)
}

/// What depends on the pose alone: payload capacity and accelerations.
fn over_the_box(
    found: &mut Found,
    args: &Size,
    reader: &Reader,
    region: Result<JointRanges, String>,
    progress: &Progress,
) -> Result<(), String> {
    let (m, Some((load, _))) = (found.m, found.payload) else { return Ok(()) };
    let tip = (load.link, load.per_kilogram.centre());
    if let Some(q) = &args.q {
        let q = reader.read("--q", &Kind::Position, Some(q))?;
        let at = Accelerating::new(m, &found.limits, tip.0, tip.1).and_then(|mut a| a.at(&q)).map_err(told)?;
        found.at = Some((q, at));
    }
    if args.samples == 0 || found.limits.effort.iter().any(|e| e.is_infinite()) {
        return Ok(());
    }
    let region = match region {
        Ok(region) => region,
        Err(e) => {
            found.notes.push(format!("payload capacity and accelerations over the box are left out: {e}"));
            return Ok(());
        }
    };
    let given = args.map_accelerations.as_deref();
    let allowed = given.map(|a| reader.read("--map-accelerations", &Kind::Rate, Some(a))).transpose()?;
    if let Some(i) = allowed.iter().flatten().position(|a| *a < 0.0) {
        return Err(format!("--map-accelerations: that of `{}` is negative: it is meant either way", m.dof_names()[i]));
    }
    let plane = plots::plane(args.plane, m);
    let counts = (args.samples, args.seed, CELLS);
    let map =
        capacity_map(m, &found.limits, &load, allowed.as_deref(), &region, plane, counts, progress).map_err(told)?;
    found.capacity = Some((map, allowed)).filter(|(map, _)| map.poses > 0);
    let least =
        least_accelerations(m, &found.limits, tip, &region, (args.samples, args.seed), progress).map_err(told)?;
    found.least = Some(least).filter(|least| least.poses > 0);
    Ok(())
}

/// The robot's limits, with those of the options in their place.
fn limits(reader: &Reader, given: &args::GivenLimits) -> Result<DriveLimits, String> {
    let mut limits = DriveLimits::of(reader.model);
    for (option, kind, given, own) in [
        ("--effort", Kind::Torque, &given.effort, &mut limits.effort),
        ("--rated", Kind::Torque, &given.rated, &mut limits.rated),
        ("--speed", Kind::Rate, &given.speed, &mut limits.speed),
    ] {
        for given in given {
            for (own, value) in own.iter_mut().zip(reader.parse(option, &kind, given)?) {
                *own = value.unwrap_or(*own);
            }
        }
    }
    limits.check(reader.model).map_err(told)?;
    Ok(limits)
}

/// The load of one kilogram, at the point that is asked for.
fn load(m: &Model<f64>, given: Option<&str>) -> Result<UnitPayload, String> {
    let (link, centre) = robot::point(m, given, "--payload-at")?;
    Ok(UnitPayload::point(link, centre))
}

/// Random moves, and what they are in words.
fn moved(
    args: &Size,
    reader: &Reader,
    limits: &DriveLimits,
    region: &JointRanges,
    count: usize,
    progress: &Progress,
) -> Result<(Trajectory, String), String> {
    let m = reader.model;
    let given = args.accelerations.as_deref();
    let accelerations = given.map(|a| reader.read("--accelerations", &Kind::Rate, Some(a))).transpose()?;
    let (profile, shape) = match args.profile {
        args::Profile::Quintic => (Profile::Quintic, "quintic"),
        args::Profile::Trapezoidal => (Profile::Trapezoidal, "trapezoidal"),
    };
    let counts = (count, args.seed, args.rate);
    let made =
        random_moves(m, region, limits, accelerations.as_deref(), profile, counts, progress).map_err(|e| match e {
            armdyn_numerics::Error::NoLimit { .. } => format!("{}, or the moves' --accelerations", told(e)),
            e => told(e),
        })?;
    let scales = reader.scales(&Kind::Rate);
    let reached = made.accelerations.iter().zip(&scales).map(|(a, s)| format::number(a / s));
    let reached: Vec<String> = m.dof_names().iter().zip(reached).map(|(n, a)| format!("{n} {a}")).collect();
    let bound = match (&accelerations, limits.speed.iter().any(|s| s.is_infinite())) {
        (Some(_), false) => "at the accelerations given and the speed limits",
        (Some(_), true) => "at the accelerations given, and the speed limits that are known",
        (None, false) => "as fast as efforts and speed limits allow",
        (None, true) => "as fast as efforts, and the speed limits that are known, allow",
    };
    let mut motion = format!(
        "{} between random places of the box (seed {}), {shape}, {bound}\ngreatest accelerations used [{}]: {}",
        format::many(made.count, "move"),
        args.seed,
        if reader.deg { "°/s², m/s²" } else { "rad/s², m/s²" },
        reached.join(", "),
    );
    if made.drawn_anew > 0 {
        motion += &format!(
            "\n{} drawn anew: the drives cannot hold the robot on the way there, however slow it is",
            format::many(made.drawn_anew, "goal")
        );
    }
    Ok((made.trajectory, motion))
}

/// The motion as a table, with its torques and powers or without.
pub fn write(found: &Found, out: &Path, torques: bool) -> Result<(), String> {
    let (m, it) = (found.m, &found.trajectory);
    let kinds = &["q", "qd", "qdd", "tau", "power"][..if torques { 5 } else { 3 }];
    let columns = kinds.iter().flat_map(|k| m.dof_names().iter().map(move |n| format!("{k}_{n}")));
    let names: Vec<String> = std::iter::once("t".to_string()).chain(columns).collect();
    let mut writer = table::Writer::create(out, &names).map_err(|e| e.to_string())?;
    let mut block = Block::new(names.len(), 4096);
    let samples = 0..found.sizing.samples;
    for k in samples.clone() {
        let [q, qd, qdd] = it.state(k);
        let tau = &found.sizing.torques[k * m.nv()..(k + 1) * m.nv()];
        let power: Vec<f64> = tau.iter().zip(qd).map(|(t, v)| t * v).collect();
        let [q, qd, qdd] =
            [q, qd, qdd].map(|x| x.iter().enumerate().map(|(i, x)| found.rate(i, *x)).collect::<Vec<_>>());
        let row: Vec<f64> = [&[it.t[k]], &q[..], &qd, &qdd, tau, &power].concat();
        block.push(&row[..names.len()]);
        if block.rows() == 4096 || k + 1 == samples.end {
            writer.write(&block).map_err(|e| e.to_string())?;
            block.clear();
        }
    }
    writer.finish().map_err(|e| e.to_string())
}
