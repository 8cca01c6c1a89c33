//! `armdyn tipover`: what the ground bears, and how far the robot is from tipping and slipping.

mod json;
mod pictures;
mod text;

use crate::args::Tipover;
use crate::values::{Kind, Reader, numbers};
use crate::{CommandResult, Output, diagnostics, progress, robot, trajectory};
use armdyn_core::{Interval, Model, Progress, UnitPayload};
use armdyn_mobile::tipover::{
    Along, BaseMotion, Grip, NeverTips, ReachMap, SafeMasses, SafePace, SafeReach, Stand, Standing, State, Support,
    Verdict, along, never_tips, reach_map, safe_masses, safe_pace, safe_reach, worst_grip,
};
use armdyn_numerics::Trajectory;
use armdyn_numerics::bound::Budget;
use armdyn_numerics::search::SearchOptions;
use pictures::Picture;

/// Directions of the reach, and cells along the longer side of its map.
const DIRECTIONS: usize = 36;
const CELLS: usize = 60;

/// All that was found.
pub struct Found<'a> {
    /// On its slope.
    m: &'a Model<f64>,
    support: &'a Support,
    deg: bool,
    /// Where it stands and how its base moves, in words.
    ground: String,
    /// The states that were looked at: one, or a motion's.
    trajectory: Option<Trajectory>,
    /// The worst of them.
    q: Vec<f64>,
    standing: Standing,
    /// What the contacts hold then; or what is missing to know it.
    grip: Result<Grip, String>,
    along: Option<Along>,
    /// The state of a motion that takes the most friction.
    slipperiest: Option<(usize, Grip)>,
    pace: SafePace,
    /// Where the load would be, and how much of it.
    masses: Result<(UnitPayload, SafeMasses), String>,
    towards: Option<(Vec<f64>, SafeReach)>,
    reach: Option<ReachMap>,
    proof: Option<NeverTips>,
}

impl Found<'_> {
    /// A position, speed or acceleration of a degree of freedom as it is shown.
    fn rate(&self, dof: usize, x: f64) -> f64 {
        if self.deg && self.m.turns(dof) { x.to_degrees() } else { x }
    }

    /// Where the zero-moment point or the box of states gives way.
    fn tips(&self) -> bool {
        let distance = |a: &Along| a.distance.get(a.worst).is_some_and(|d| *d < 0.0);
        let proof = self.proof.as_ref().is_some_and(|p| p.verdict != Verdict::Proven);
        !self.standing.stands() || self.along.as_ref().is_some_and(distance) || proof
    }
}

/// Loads of wheels, the zero-moment point, what it takes to tip and to slip.
pub fn run(args: &Tipover) -> CommandResult {
    answer(&robot::open(&args.robot)?, args)
}

/// The same of a robot that was opened.
pub fn answer(level: &Model<f64>, args: &Tipover) -> CommandResult {
    let plots = pictures::wanted(&args.plot)?;
    let support = Support::new(level).map_err(|e| e.to_string())?;
    let (m, slope) = sloped(level, &support, args.slope.as_deref())?;
    let reaches = args.reach || plots.iter().any(|(what, _)| *what == Picture::Reach);
    let found = progress::with_progress(|progress| find(args, &m, &support, &slope, reaches, progress))?;
    let mut page = found.page();
    for (what, file) in &plots {
        pictures::draw(&mut page, &found, *what, file.as_deref())?;
    }
    let code = u8::from(found.tips());
    Ok(Output { document: if args.robot.json { found.json().into() } else { page }, exit_code: code })
}

/// The robot on a slope, and the slope in words.
fn sloped(m: &Model<f64>, support: &Support, given: Option<&str>) -> Result<(Model<f64>, String), String> {
    let told = |angle: f64, heading: f64| format!("a slope of {angle}° that climbs towards {heading}° of its heading");
    let Some(given) = given else {
        let up = -m.gravity();
        let [x, y] = [[1.0, 0.0], [0.0, 1.0]].map(|a| support.along(a).dot(up));
        let angle = x.hypot(y).atan2(support.normal().dot(up)).to_degrees();
        let rounded = |x: f64| (x * 1e3).round() / 1e3;
        let level = angle < 1e-9;
        let ground =
            if level { "level ground".to_string() } else { told(rounded(angle), rounded(y.atan2(x).to_degrees())) };
        return Ok((m.clone(), ground));
    };
    let (angle, heading) = given.split_once('@').unwrap_or((given, "0"));
    let one = |text: &str| match numbers(text, "--slope")?.as_slice() {
        [x] => Ok(*x),
        _ => Err(format!("--slope: `{given}` should read ANGLE or ANGLE@HEADING, in degrees")),
    };
    let (angle, heading) = (one(angle)?, one(heading)?);
    if angle.abs() >= 90.0 {
        return Err(format!("--slope: {angle}° is no ground to stand on: it must be within ±90°"));
    }
    let gravity = support.slope(m.gravity().norm(), angle.to_radians(), heading.to_radians());
    Ok((m.with_gravity(gravity), told(angle, heading)))
}

/// Three numbers of the base's motion.
fn planar(option: &str, given: Option<&str>) -> Result<[f64; 3], String> {
    let Some(given) = given else { return Ok([0.0; 3]) };
    let all = numbers(given, option)?;
    all.try_into().map_err(|all: Vec<f64>| format!("{option}: {} numbers, where three are asked for", all.len()))
}

fn find<'a>(
    args: &Tipover,
    m: &'a Model<f64>,
    support: &'a Support,
    slope: &str,
    reaches: bool,
    progress: &Progress,
) -> Result<Found<'a>, String> {
    let told = |e: armdyn_numerics::Error| e.to_string();
    let reader = Reader { model: m, deg: args.within.deg };
    let velocity = planar("--base-velocity", args.base_velocity.as_deref())?;
    let rates = planar("--base-acceleration", args.base_acceleration.as_deref())?;
    let base = BaseMotion::along(support, velocity, rates);
    let read = |option, kind: Kind, given: &Option<String>| reader.read(option, &kind, given.as_deref());
    let own = [
        read("--q", Kind::Position, &args.q)?,
        read("--qd", Kind::Rate, &args.qd)?,
        read("--qdd", Kind::Rate, &args.qdd)?,
    ];
    let trajectory = match &args.trajectory {
        None => None,
        Some(file) => {
            let trajectory::Read { trajectory, notes } = trajectory::read(file, &reader)?;
            notes.iter().for_each(|n| diagnostics::warn(format_args!("{n}")));
            Some(trajectory)
        }
    };
    let states: Vec<State> = match &trajectory {
        None => vec![[&own[0], &own[1], &own[2]]],
        Some(t) => (0..t.len()).map(|k| t.state(k)).collect(),
    };
    let along = match &trajectory {
        None => None,
        Some(_) => Some(along(m, support, &base, &states, progress).map_err(told)?),
    };
    let worst = along.as_ref().map_or(0, |a| a.worst);
    let mut stand = Stand::new(m, support);
    let standing = stand.standing(&base, states[worst]).map_err(told)?;
    // Loads that the ground cannot bear take no friction.
    let grip = match standing.stands() {
        true => stand.grip(&standing, &base).map_err(told),
        false => Err("it does not stand".to_string()),
    };
    // What is missing is told by the worst state.
    let slipperiest = along.as_ref().and_then(|_| worst_grip(m, support, &base, &states, progress).ok().flatten());
    let load = load(m, args.payload_at.as_deref());
    if let (Err(e), Some(_)) = (&load, &args.payload_at) {
        return Err(format!("--payload-at: {e}"));
    }
    let masses = match load.clone() {
        Ok(load) => Ok((load, safe_masses(m, support, &base, &states, &load, progress).map_err(told)?)),
        Err(e) => Err(e),
    };
    let towards = match args.towards.as_deref() {
        None => None,
        Some(given) => {
            let to = reader.read("--towards", &Kind::Position, Some(given))?;
            let found = safe_reach(m, support, &base, &own[0], &to).map_err(told)?;
            Some((own[0].iter().zip(&to).map(|(a, b)| a + (b - a) * found.share).collect(), found))
        }
    };
    let reach = if reaches {
        let (region, load) = (reader.joint_ranges(&args.within.ranges)?, load?);
        let tool = (load.link, load.per_kilogram.centre());
        let counts = (args.samples as usize, args.seed, DIRECTIONS, CELLS);
        Some(reach_map(m, support, tool, &region, counts, progress).map_err(told)?)
    } else {
        None
    };
    let proof = if args.guaranteed { Some(proof(args, &reader, support, &base, progress)?) } else { None };
    let pace = safe_pace(m, support, &base, &states, progress).map_err(told)?;
    let q = states[worst][0].to_vec();
    let ground = text::ground(slope, velocity, rates);
    let (deg, m) = (reader.deg, reader.model);
    Ok(Found {
        m,
        support,
        deg,
        ground,
        trajectory,
        q,
        standing,
        grip,
        along,
        slipperiest,
        pace,
        masses,
        towards,
        reach,
        proof,
    })
}

/// The load of one kilogram, at the point that is asked for.
fn load(m: &Model<f64>, given: Option<&str>) -> Result<UnitPayload, String> {
    let (link, centre) = robot::point(m, given, "--payload-at")?;
    Ok(UnitPayload::point(link, centre))
}

/// Whether it ever tips in the box of states.
fn proof(
    args: &Tipover,
    reader: &Reader,
    support: &Support,
    base: &BaseMotion,
    progress: &Progress,
) -> Result<NeverTips, String> {
    let m = reader.model;
    let region = reader.joint_ranges(&args.within.ranges)?;
    let either_way = |option: &str, given: &Option<String>| -> Result<Vec<Interval>, String> {
        let most = reader.read(option, &Kind::Rate, given.as_deref())?;
        let one = |(i, x): (usize, &f64)| {
            Interval::new(-x, *x)
                .ok_or_else(|| format!("{option}: that of `{}` is negative: it is meant either way", m.dof_names()[i]))
        };
        most.iter().enumerate().map(one).collect()
    };
    let speeds = either_way("--speeds", &args.speeds)?;
    let accelerations = either_way("--accelerations", &args.accelerations)?;
    let search = SearchOptions { seed: args.seed, ..SearchOptions::default() };
    let budget = Budget { time: Some(args.budget), search, ..Budget::default() };
    never_tips(m, support, base, &region, &speeds, &accelerations, budget, progress).map_err(|e| e.to_string())
}
