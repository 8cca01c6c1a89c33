//! Base, arm motion, drive and initial state of a simulation, from the arguments.

use crate::args::{BaseKind, Simulate};
use crate::values::{Kind, Reader, numbers};
use crate::{table, trajectory};
use armdyn_core::{Contact, ContactFriction, ContactKind, Model};
use armdyn_mobile::{Base, ContinuousTrajectory, Drive, PointToPoint, QuinticSpline, SimulationOptions};
use armdyn_numerics::Trajectory;
use std::path::Path;

/// The base and the motion of the arm in words.
pub fn description(args: &Simulate) -> String {
    let base = match args.base {
        BaseKind::Rolling => "on castors and fixed wheels",
        BaseKind::Differential => "with a differential drive",
        BaseKind::Rail => "on a rail",
        BaseKind::Omni => "on omnidirectional wheels",
        BaseKind::Floating if args.robot.gravity.is_some() => "floating with gravity",
        BaseKind::Floating => "floating without gravity",
    };
    match (&args.trajectory, &args.moves) {
        (Some(file), _) => format!("{base}, trajectory `{}`", file.display()),
        (_, moves) => format!("{base}, move {}", moves.as_deref().unwrap_or_default().trim()),
    }
}

/// The base for a simulation of a given duration \[s\].
pub fn base(args: &Simulate, m: &Model<f64>, duration: f64) -> Result<Base, String> {
    if args.base == BaseKind::Floating {
        if args.drive.is_some() {
            return Err("`--drive`: a floating base has no drive".to_string());
        }
        if !args.friction.is_empty() {
            return Err("`--friction`: a floating base has no wheels".to_string());
        }
        let base = Base::floating();
        return Ok(if args.robot.gravity.is_some() { base } else { base.without_gravity() });
    }
    let wheels = wheels(args, m)?;
    let with_drive = |drive: Drive| match args.base {
        BaseKind::Differential => Base::differential(wheels.clone(), drive),
        BaseKind::Rail => Base::rail(wheels.clone(), drive),
        BaseKind::Omni => Base::omni(wheels.clone(), drive),
        BaseKind::Rolling | BaseKind::Floating => Base::rolling(wheels.clone()),
    };
    let base = with_drive(Drive::Free).map_err(|e| e.to_string())?;
    let Some(file) = &args.drive else { return Ok(base) };
    if base.driven().next().is_none() {
        return Err("`--drive`: this base has no drive; use --base differential, rail or omni".to_string());
    }
    with_drive(drive(file, &base.driven().collect::<Vec<_>>(), duration)?).map_err(|e| e.to_string())
}

/// The contacts of the robot as wheels, with their friction.
fn wheels(args: &Simulate, m: &Model<f64>) -> Result<Vec<Contact>, String> {
    let name = &args.robot.robot;
    if m.contacts().is_empty() {
        return Err(format!(
            "robot `{name}` has no wheels; add [[contact]] tables with name, at, kind and friction to its file, or use --base floating"
        ));
    }
    let overrides = friction(args, m)?;
    let slides = args.base != BaseKind::Rail;
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
            return Err(format!("`--friction {}:{what}`: this wheel cannot slip sideways; remove it", c.name));
        }
    }
    let for_all = overrides.iter().find(|(wheel, what, _)| what != "rolling" && wheel.is_none());
    if let Some((_, what, _)) = for_all.filter(|_| !slides || !wheels.iter().any(|w| w.kind.is_directed())) {
        return Err(format!("`--friction {what}`: no wheel of this base can slip sideways; remove it"));
    }
    if missing.is_empty() {
        return Ok(wheels);
    }
    Err(format!(
        "robot `{name}` lacks friction coefficients; pass `--friction {}=VALUE`, or one for all wheels such as `--friction rolling=0.01`",
        missing.join("=VALUE,")
    ))
}

/// Wheel (all if none), name of the coefficient, value.
type Coefficient = (Option<String>, String, f64);

fn friction(args: &Simulate, m: &Model<f64>) -> Result<Vec<Coefficient>, String> {
    let mut all = vec![];
    for part in args.friction.iter().flat_map(|g| g.split(',')).map(str::trim).filter(|p| !p.is_empty()) {
        let (what, value) =
            part.split_once('=').ok_or_else(|| format!("invalid friction `{part}`: expected [WHEEL:]rolling=VALUE"))?;
        let (wheel, what) = what.rsplit_once(':').map_or((None, what), |(wheel, what)| (Some(wheel.trim()), what));
        let what = what.trim();
        if !["rolling", "static", "sliding"].contains(&what) {
            return Err(format!("`--friction`: unknown coefficient `{what}`: expected rolling, static, sliding"));
        }
        if let Some(wheel) = wheel.filter(|w| m.contacts().iter().all(|c| c.name != *w)) {
            let names: Vec<&str> = m.contacts().iter().map(|c| c.name.as_str()).collect();
            return Err(format!("`--friction`: unknown wheel `{wheel}`: expected {}", names.join(", ")));
        }
        let value = numbers(value, "--friction")?[0];
        if value < 0.0 {
            return Err(format!("invalid friction `{part}`: a coefficient must not be negative"));
        }
        all.push((wheel.map(str::to_string), what.to_string(), value));
    }
    Ok(all)
}

/// The motion of the arm, and warnings about it.
pub fn arm(args: &Simulate, reader: &Reader) -> Result<(Box<dyn ContinuousTrajectory>, Vec<String>), String> {
    if let Some(file) = &args.trajectory {
        let trajectory::Read { trajectory, notes } = trajectory::read(file, reader)?;
        return Ok((Box::new(QuinticSpline::new(&trajectory)), notes));
    }
    let text = args.moves.as_deref().unwrap_or_default().trim();
    let form = || format!("invalid move `{text}`: expected `from VALUES to VALUES in SECONDS`");
    let (path, time) = text.rsplit_once(" in ").ok_or_else(form)?;
    let (from, to) = path.rsplit_once("to ").ok_or_else(form)?;
    let from = match from.trim() {
        "" => None,
        from => Some(from.strip_prefix("from ").ok_or_else(form)?),
    };
    if reader.model.nq() != reader.model.nv() {
        return Err("`--move`: moves need revolute and prismatic joints, but a joint has a quaternion".to_string());
    }
    let from = reader.read("--move", &Kind::Position, from)?;
    let to = reader.parse("--move", &Kind::Position, to.trim())?;
    let to: Vec<f64> = to.iter().zip(&from).map(|(to, from)| to.unwrap_or(*from)).collect();
    let time = time.trim();
    let time = numbers(time.strip_suffix('s').unwrap_or(time), "--move")?[0];
    let arm = PointToPoint::new(from, to, time).map_err(|e| format!("`--move`: {e}"))?;
    let arm = match args.duration {
        Some(duration) => arm.with_duration(duration).map_err(|e| format!("`--duration`: {e}"))?,
        None => arm,
    };
    Ok((Box::new(arm), vec![]))
}

/// Initial state, duration and sampling.
pub fn options(args: &Simulate, arm: &dyn ContinuousTrajectory) -> Result<SimulationOptions, String> {
    const NAMES: [&str; 6] = ["vx", "vy", "vz", "wx", "wy", "w"];
    let angle = |x: f64| if args.deg { x.to_radians() } else { x };
    let mut twist = [0.0; 6];
    for part in args.twist.iter().flat_map(|g| g.split(',')).map(str::trim).filter(|p| !p.is_empty()) {
        let fault = || format!("invalid twist `{part}`: expected NAME=VALUE with a name of {}", NAMES.join(", "));
        let (name, value) = part.split_once('=').ok_or_else(fault)?;
        let k = NAMES.iter().position(|n| *n == name.trim()).ok_or_else(fault)?;
        let value = numbers(value, "--twist")?[0];
        twist[k] = if k < 3 { value } else { angle(value) };
    }
    // A move includes the rest after it.
    let duration = args.duration.map(|d| if args.moves.is_some() { arm.duration() } else { d });
    Ok(SimulationOptions {
        heading: angle(args.heading),
        twist,
        duration,
        rate: args.rate,
        ..SimulationOptions::default()
    })
}

/// The drive from a table, for a simulation of a given duration \[s\].
fn drive(file: &Path, driven: &[&str], duration: f64) -> Result<Drive, String> {
    let shown = file.display();
    let mut table = table::Reader::open(file).map_err(|e| e.to_string())?;
    let names = table.names().to_vec();
    let place = |name: &str| names.iter().position(|n| n == name);
    let time = place("t").ok_or_else(|| format!("`{shown}` has no column `t` (time in seconds)"))?;
    let columns = |what: &str| driven.iter().map(|d| place(&format!("{what}_{d}"))).collect::<Option<Vec<usize>>>();
    let (columns, by_speed) = match (columns("speed"), columns("force")) {
        (Some(_), Some(_)) => return Err(format!("`{shown}` has columns speed_… and force_…: expected only one kind")),
        (Some(speeds), None) => (speeds, true),
        (None, Some(forces)) => (forces, false),
        (None, None) => {
            let expected: Vec<String> = driven.iter().map(|d| format!("speed_{d}")).collect();
            return Err(format!("`{shown}` needs the columns {} (or force_… for all)", expected.join(", ")));
        }
    };
    let used: Vec<usize> = std::iter::once(time).chain(columns).collect();
    table.select(&used).map_err(|e| e.to_string())?;
    let (mut t, mut values, mut rows) = (vec![], vec![], table.block(4096));
    while table.read(&mut rows).map_err(|e| e.to_string())? > 0 {
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
            "`{shown}` lasts {} s, but the simulation {duration} s; add rows to the drive, or use a shorter --duration",
            spline.duration()
        ));
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
}
