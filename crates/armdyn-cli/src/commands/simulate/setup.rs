//! Base, arm motion, drive and initial state of a simulation, from the arguments.

use crate::args::{BaseKind, HeadingControlKind, Simulate};
use crate::stream::found;
use crate::values::{Kind, Reader, duration, numbers};
use crate::{CommandError, format, table};
use armdyn_core::{Contact, ContactFriction, ContactKind, Model, Vec3};
use armdyn_mobile::{Base, Drive, HeadingControl, SimulationOptions};
use armdyn_numerics::Trajectory;
use armdyn_numerics::{ContinuousTrajectory, PointToPoint, QuinticSpline};
use std::path::Path;

/// Whether a robot in space has no gravity: unless an option sets it.
fn is_weightless(args: &Simulate) -> bool {
    args.base == Some(BaseKind::Floating) && args.robot.gravity.is_none()
}

/// The model with the gravity that acts on it.
pub fn with_gravity_of_base(m: &Model<f64>, args: &Simulate) -> Model<f64> {
    if is_weightless(args) { m.with_gravity(Vec3::zero()) } else { m.clone() }
}

/// Whether the numbers of an option are zeros.
fn is_zero(numbers: &str) -> bool {
    numbers.split(',').all(|x| x.trim().parse() == Ok(0.0))
}

/// The base in words.
pub fn base_description(args: &Simulate, base: BaseKind) -> &'static str {
    match base {
        BaseKind::Rolling => "on castors and fixed wheels",
        BaseKind::Differential => "with a differential drive",
        BaseKind::SkidSteer => "on skid-steered wheels",
        BaseKind::Rail => "on a rail",
        BaseKind::Omni => "on omnidirectional wheels",
        BaseKind::Floating if is_weightless(args) => "floating without gravity",
        BaseKind::Floating if args.robot.gravity.as_deref().is_some_and(is_zero) => "floating without gravity",
        BaseKind::Floating => "floating with gravity",
    }
}

/// The base and the motion of the arm in words.
pub fn description(args: &Simulate, base: BaseKind) -> String {
    let base = base_description(args, base);
    match (&args.motion.trajectory, &args.moves) {
        (Some(file), _) => format!("{base}, trajectory `{}`", file.display()),
        (_, moves) => format!("{base}, move {}", moves.as_deref().unwrap_or_default().trim()),
    }
}

/// The base for a simulation of this duration \[s\]. Its heading is controlled with a model and the planned motion of the arm.
pub fn base(
    args: &Simulate,
    kind: BaseKind,
    m: &Model<f64>,
    (model, arm): (&Model<f64>, &dyn ContinuousTrajectory),
    duration: f64,
) -> Result<Base, CommandError> {
    if kind == BaseKind::Floating {
        if args.drive.is_some() {
            return Err("`--drive`: a floating base has no drive".into());
        }
        if !args.friction.is_empty() {
            return Err("`--friction`: a floating base has no wheels".into());
        }
        if args.heading_control.is_some() {
            return Err("`--heading-control`: a floating base has no drive".into());
        }
        let base = Base::floating();
        return Ok(if is_weightless(args) { base.without_gravity() } else { base });
    }
    let wheels = wheels(args, kind, m)?;
    let with_drive = |drive: Drive| match kind {
        BaseKind::Differential => Base::differential(wheels.clone(), drive),
        BaseKind::SkidSteer => Base::skid_steer(wheels.clone(), drive),
        BaseKind::Rail => Base::rail(wheels.clone(), drive),
        BaseKind::Omni => Base::omni(wheels.clone(), drive),
        BaseKind::Rolling | BaseKind::Floating => Base::rolling(wheels.clone()),
    };
    let base = with_drive(Drive::Free)?;
    if let Some(how) = args.heading_control {
        let control = heading_control(args, how)?;
        return base.with_heading_control(model, arm, &control).map_err(|e| format!("`--heading-control`: {e}").into());
    }
    let Some(file) = &args.drive else { return Ok(base) };
    if base.driven().next().is_none() {
        return Err("`--drive`: this base has no drive; use --base differential, skid-steer, rail or omni".into());
    }
    Ok(with_drive(drive(file, &base.driven().collect::<Vec<_>>(), duration)?)?)
}

fn heading_control(args: &Simulate, how: HeadingControlKind) -> Result<HeadingControl, CommandError> {
    let feedback = how != HeadingControlKind::FeedForward;
    if !feedback && args.heading_frequency.is_some() {
        return Err("`--heading-frequency` is that of a feedback: pass `--heading-control both`, or remove it".into());
    }
    let default = HeadingControl::default();
    let frequency = if feedback { args.heading_frequency.unwrap_or(default.frequency) } else { 0.0 };
    let feed_forward = how != HeadingControlKind::Feedback;
    Ok(HeadingControl { heading: heading(args), feed_forward, frequency, ..default })
}

/// The initial heading of the base \[rad\].
pub fn heading(args: &Simulate) -> f64 {
    let heading = args.heading.unwrap_or(0.0);
    if args.deg { heading.to_radians() } else { heading }
}

/// The initial twist of the base: linear, angular.
pub fn base_twist(args: &Simulate, reader: &Reader) -> Result<[f64; 6], CommandError> {
    let [v, w] = reader.twist("--base-velocity", args.base_velocity.as_deref())?;
    Ok([v.x, v.y, v.z, w.x, w.y, w.z])
}

/// The contacts of the robot as wheels, with their friction.
fn wheels(args: &Simulate, kind: BaseKind, m: &Model<f64>) -> Result<Vec<Contact>, CommandError> {
    let name = &args.robot.robot;
    if m.contacts().is_empty() {
        return Err(format!(
            "robot `{name}` has no wheels; add [[contact]] tables with name, at, kind and friction to its file, or use --base floating"
        ).into());
    }
    let overrides = friction(args, m)?;
    let slides = kind != BaseKind::Rail;
    let mut missing = vec![];
    let mut wheels = m.contacts().to_vec();
    for (c, wheel) in m.contacts().iter().zip(&mut wheels).filter(|(c, _)| c.kind != ContactKind::Foot) {
        let mut coefficient = |what: &str, of_file: Option<f64>| {
            let own =
                overrides.iter().rev().find(|(wheel, w, _)| w == what && wheel.as_ref().is_none_or(|w| *w == c.name));
            let value = own.map(|(_, _, x)| *x).or(of_file);
            if value.is_none() {
                missing.push(format!("{}:{what}", c.name));
            }
            value
        };
        let rolling_resistance = coefficient("rolling", c.friction.rolling_resistance);
        wheel.friction = ContactFriction { rolling_resistance, ..ContactFriction::default() };
        if c.kind.is_directed() && slides {
            wheel.friction.static_friction = coefficient("static", c.friction.static_friction);
            wheel.friction.sliding_friction = coefficient("sliding", c.friction.sliding_friction);
        } else if let Some((_, what, _)) =
            overrides.iter().find(|(wheel, what, _)| what != "rolling" && wheel.as_ref() == Some(&c.name))
        {
            return Err(format!("`--friction {}:{what}`: this wheel cannot slip sideways; remove it", c.name).into());
        }
    }
    let for_all = overrides.iter().find(|(wheel, what, _)| what != "rolling" && wheel.is_none());
    if let Some((_, what, _)) = for_all.filter(|_| !slides || !wheels.iter().any(|w| w.kind.is_directed())) {
        return Err(format!("`--friction {what}`: no wheel of this base can slip sideways; remove it").into());
    }
    if missing.is_empty() {
        return Ok(wheels);
    }
    Err(format!(
        "robot `{name}` lacks friction coefficients; pass `--friction {}=VALUE`, or one for all wheels such as `--friction rolling=0.01`",
        missing.join("=VALUE,")
    ).into())
}

/// Wheel (all if none), name of the coefficient, value.
type Coefficient = (Option<String>, String, f64);

fn friction(args: &Simulate, m: &Model<f64>) -> Result<Vec<Coefficient>, CommandError> {
    let mut all = vec![];
    for part in args.friction.iter().flat_map(|g| g.split(',')).map(str::trim).filter(|p| !p.is_empty()) {
        let (what, value) =
            part.split_once('=').ok_or_else(|| format!("invalid friction `{part}`: expected [WHEEL:]rolling=VALUE"))?;
        let (wheel, what) = what.rsplit_once(':').map_or((None, what), |(wheel, what)| (Some(wheel.trim()), what));
        let what = what.trim();
        if !["rolling", "static", "sliding"].contains(&what) {
            return Err(format!("`--friction`: unknown coefficient `{what}`: expected rolling, static, sliding").into());
        }
        if let Some(wheel) = wheel.filter(|w| m.contacts().iter().all(|c| c.name != *w)) {
            let names: Vec<&str> = m.contacts().iter().map(|c| c.name.as_str()).collect();
            return Err(format!("`--friction`: unknown wheel `{wheel}`: expected {}", names.join(", ")).into());
        }
        let value = numbers(value, "--friction")?[0];
        if value < 0.0 {
            return Err(format!("invalid friction `{part}`: a coefficient must not be negative").into());
        }
        all.push((wheel.map(str::to_string), what.to_string(), value));
    }
    Ok(all)
}

/// The motion of the arm.
pub fn arm(args: &Simulate, reader: &Reader) -> Result<Box<dyn ContinuousTrajectory>, CommandError> {
    if let Some(file) = &args.motion.trajectory {
        return Ok(Box::new(QuinticSpline::new(&file.read(reader)?)));
    }
    let text = args.moves.as_deref().unwrap_or_default().trim();
    let form = || format!("invalid move `{text}`: expected `from VALUES to VALUES in TIME`");
    let (path, time) = text.rsplit_once(" in ").ok_or_else(form)?;
    let (from, to) = path.rsplit_once("to ").ok_or_else(form)?;
    let from = match from.trim() {
        "" => None,
        from => Some(from.strip_prefix("from ").ok_or_else(form)?),
    };
    if reader.model.nq() != reader.model.nv() {
        return Err("`--move`: moves need revolute and prismatic joints, but a joint has a quaternion".into());
    }
    let from = reader.read("--move", &Kind::Position, from)?;
    let to = reader.parse("--move", &Kind::Position, to.trim())?;
    let to: Vec<f64> = to.iter().zip(&from).map(|(to, from)| to.unwrap_or(*from)).collect();
    let time = duration(time).map_err(|e| format!("`--move`: invalid time `{time}`: {e}"))?.as_secs_f64();
    let arm = PointToPoint::new(from, to, time).map_err(|e| format!("`--move`: {e}"))?;
    Ok(Box::new(match args.duration {
        Some(duration) => {
            arm.with_duration(duration.as_secs_f64()).map_err(|e| CommandError::from(format!("`--duration`: {e}")))?
        }
        None => arm,
    }))
}

/// Initial state, duration and sampling.
pub fn options(
    args: &Simulate,
    arm: &dyn ContinuousTrajectory,
    reader: &Reader,
) -> Result<SimulationOptions, CommandError> {
    // A move includes the rest after it.
    let duration = args.duration.map(|d| if args.moves.is_some() { arm.duration() } else { d.as_secs_f64() });
    Ok(SimulationOptions {
        heading: heading(args),
        twist: base_twist(args, reader)?,
        duration,
        rate: args.rate,
        ..SimulationOptions::default()
    })
}

/// The drive from a table, for a simulation of this duration \[s\].
fn drive(file: &Path, driven: &[&str], duration: f64) -> Result<Drive, CommandError> {
    let shown = file.display();
    let mut table = table::Reader::open(file)?;
    let names = table.names().to_vec();
    let place = |name: &str| names.iter().position(|n| n == name);
    let time = place("t").ok_or_else(|| format!("`{shown}` has no column `t` (time in seconds); {}", found(&names)))?;
    let columns = |what: &str| driven.iter().map(|d| place(&format!("{what}_{d}"))).collect::<Option<Vec<usize>>>();
    let (columns, by_speed) = match (columns("speed"), columns("force")) {
        (Some(_), Some(_)) => {
            return Err(format!("`{shown}` has columns speed_… and force_…: expected only one kind").into());
        }
        (Some(speeds), None) => (speeds, true),
        (None, Some(forces)) => (forces, false),
        (None, None) => {
            let expected: Vec<String> = driven.iter().map(|d| format!("speed_{d}")).collect();
            let (expected, found) = (expected.join(", "), found(&names));
            return Err(format!("`{shown}` needs the columns {expected} (or force_… for all); {found}").into());
        }
    };
    let used: Vec<usize> = std::iter::once(time).chain(columns).collect();
    table.select(&used)?;
    let (mut t, mut values, mut rows) = (vec![], vec![], table.block(4096));
    while table.read(&mut rows)? > 0 {
        for row in rows.iter() {
            t.push(row[0]);
            values.extend_from_slice(&row[1..]);
        }
    }
    let n = driven.len();
    // Interpolated like positions: the spline has continuous second derivatives.
    let table = Trajectory::from_positions(n, t, values).map_err(|e| format!("`{shown}`: {e}"))?;
    let spline = QuinticSpline::new(&table);
    if duration > spline.duration() * (1.0 + 1e-12) {
        return Err(format!(
            "`{shown}` lasts {} s, but the simulation {} s; add rows to the drive, or use a shorter --duration",
            format::number(spline.duration()),
            format::number(duration)
        )
        .into());
    }
    if by_speed {
        return Ok(Drive::Motion(Box::new(Velocities { spline, n })));
    }
    Ok(Drive::Effort(Box::new(move |t, forces: &mut [f64]| {
        let mut blank = vec![0.0; 2 * n];
        let (first, second) = blank.split_at_mut(n);
        spline.at(t, forces, first, second);
    })))
}

/// A spline whose values are velocities.
struct Velocities {
    spline: QuinticSpline,
    n: usize,
}

impl ContinuousTrajectory for Velocities {
    fn at(&self, t: f64, position: &mut [f64], velocity: &mut [f64], acceleration: &mut [f64]) {
        let mut jerk = vec![0.0; self.n];
        position.fill(0.0);
        self.spline.at(t, velocity, acceleration, &mut jerk);
    }

    fn duration(&self) -> f64 {
        self.spline.duration()
    }

    fn next_knot(&self, t: f64) -> f64 {
        self.spline.next_knot(t)
    }

    fn dofs(&self) -> Option<usize> {
        self.spline.dofs()
    }
}
