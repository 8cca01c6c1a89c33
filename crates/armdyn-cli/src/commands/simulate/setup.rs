//! What is simulated: wheels and their friction, the arm's motion, the drive, and how it begins.

use crate::args::{BaseKind, Simulate};
use crate::values::{Kind, Reader, numbers};
use crate::{table, trajectory};
use armdyn_core::Model;
use armdyn_mobile::{Base, Drive, Motion, PointToPoint, Setting, Spline, Wheel};
use armdyn_numerics::Trajectory;
use std::path::Path;

/// What a base is called.
pub fn words(kind: BaseKind) -> &'static str {
    match kind {
        BaseKind::Rolling => "on castors and fixed wheels",
        BaseKind::Differential => "on two driven wheels and castors",
        BaseKind::Rail => "on a rail",
        BaseKind::Omni => "on omnidirectional wheels",
        BaseKind::Floating => "afloat",
    }
}

/// The base that is asked for, on the wheels of the robot's file, for a run that lasts so long \[s\].
pub fn base(args: &Simulate, m: &Model<f64>, lasts: f64, notes: &mut Vec<String>) -> Result<Base, String> {
    if args.base == BaseKind::Floating {
        if args.drive.is_some() {
            return Err("--drive: a floating base has nothing that is driven".to_string());
        }
        if !args.friction.is_empty() {
            return Err("--friction: a floating base has no wheels".to_string());
        }
        if args.robot.gravity.is_some() {
            notes.push("gravity acts, and changes its momentum".to_string());
            return Ok(Base::floating());
        }
        notes.push("afloat without gravity; with --gravity it falls".to_string());
        return Ok(Base::floating().without_gravity());
    }
    let wheels = wheels(args, m)?;
    let made = |drive: Drive| match args.base {
        BaseKind::Differential => Base::differential(wheels.clone(), drive),
        BaseKind::Rail => Base::rail(wheels.clone(), drive),
        BaseKind::Omni => Base::omni(wheels.clone(), drive),
        BaseKind::Rolling | BaseKind::Floating => Base::rolling(wheels.clone()),
    };
    let base = made(Drive::Free).map_err(|e| e.to_string())?;
    let Some(file) = &args.drive else { return Ok(base) };
    if base.driven().next().is_none() {
        return Err(
            "--drive: nothing is driven on this base; --base differential, rail and omni have drives".to_string()
        );
    }
    made(drive(file, &base.driven().collect::<Vec<_>>(), lasts)?).map_err(|e| e.to_string())
}

/// The contacts as wheels.
fn wheels(args: &Simulate, m: &Model<f64>) -> Result<Vec<Wheel>, String> {
    let name = &args.robot.robot;
    if m.contacts().is_empty() {
        return Err(format!(
            "`{name}` has no wheels: give its file [[contact]] with name, at, kind and friction, or ask for --base floating"
        ));
    }
    let given = friction(args, m)?;
    let slides = args.base != BaseKind::Rail;
    let mut missing = vec![];
    let mut wheels = vec![];
    for c in m.contacts() {
        let wheel = Wheel::mounted(c).map_err(|e| e.to_string())?;
        let mut value = |what: &str, of_file: Option<f64>| {
            let own = given.iter().rev().find(|(wheel, w, _)| w == what && wheel.as_ref().is_none_or(|w| *w == c.name));
            let value = own.map(|(_, _, x)| *x).or(of_file);
            if value.is_none() {
                missing.push(format!("{}:{what}", c.name));
            }
            value.unwrap_or(0.0)
        };
        let mut wheel = wheel.rolling(value("rolling", c.friction.rolling_resistance));
        if wheel.is_directed() && slides {
            wheel = wheel
                .sliding(value("static", c.friction.static_friction), value("sliding", c.friction.sliding_friction));
        } else if let Some((_, what, _)) =
            given.iter().find(|(wheel, what, _)| what != "rolling" && wheel.as_ref() == Some(&c.name))
        {
            return Err(format!("--friction {}:{what}: this wheel does not slide sideways here; leave it out", c.name));
        }
        wheels.push(wheel);
    }
    let for_all = given.iter().find(|(wheel, what, _)| what != "rolling" && wheel.is_none());
    if let Some((_, what, _)) = for_all.filter(|_| !slides || !wheels.iter().any(Wheel::is_directed)) {
        return Err(format!("--friction {what}: no wheel slides sideways on this base; leave it out"));
    }
    if missing.is_empty() {
        return Ok(wheels);
    }
    Err(format!(
        "`{name}` does not say the friction of its wheels: give --friction {}=VALUE (or one for all, as --friction rolling=0.01)",
        missing.join("=VALUE,")
    ))
}

/// Wheel (or all), which coefficient, value.
type Coefficient = (Option<String>, String, f64);

fn friction(args: &Simulate, m: &Model<f64>) -> Result<Vec<Coefficient>, String> {
    let mut all = vec![];
    for part in args.friction.iter().flat_map(|g| g.split(',')).map(str::trim).filter(|p| !p.is_empty()) {
        let (what, value) =
            part.split_once('=').ok_or_else(|| format!("--friction: `{part}` should read [WHEEL:]rolling=VALUE"))?;
        let (wheel, what) = what.rsplit_once(':').map_or((None, what), |(wheel, what)| (Some(wheel.trim()), what));
        let what = what.trim();
        if !["rolling", "static", "sliding"].contains(&what) {
            return Err(format!("--friction: there is no coefficient `{what}`; there are rolling, static, sliding"));
        }
        if let Some(wheel) = wheel.filter(|w| m.contacts().iter().all(|c| c.name != *w)) {
            let names: Vec<&str> = m.contacts().iter().map(|c| c.name.as_str()).collect();
            return Err(format!("--friction: there is no wheel `{wheel}`; there are {}", names.join(", ")));
        }
        let value = numbers(value, "--friction")?[0];
        if value < 0.0 {
            return Err(format!("--friction: `{part}`: a coefficient is not below 0"));
        }
        all.push((wheel.map(str::to_string), what.to_string(), value));
    }
    Ok(all)
}

/// The arm's motion, and what it is in words.
pub fn arm(args: &Simulate, reader: &Reader, notes: &mut Vec<String>) -> Result<(Box<dyn Motion>, String), String> {
    if let Some(file) = &args.trajectory {
        let read = trajectory::read(file, reader)?;
        notes.extend(read.notes);
        return Ok((Box::new(Spline::new(&read.trajectory)), format!("`{}`", file.display())));
    }
    let given = args.moves.as_deref().unwrap_or_default().trim();
    let form = || format!("--move: `{given}` should read: from VALUES to VALUES in TIME s");
    let (way, time) = given.rsplit_once(" in ").ok_or_else(form)?;
    let (from, to) = way.rsplit_once("to ").ok_or_else(form)?;
    let from = match from.trim() {
        "" => None,
        from => Some(from.strip_prefix("from ").ok_or_else(form)?),
    };
    if reader.model.nq() != reader.model.nv() {
        return Err("--move: a joint has a quaternion; a move is of joints that turn or slide".to_string());
    }
    let from = reader.read("--move", &Kind::Position, from)?;
    let to = reader.parse("--move", &Kind::Position, to.trim())?;
    let to: Vec<f64> = to.iter().zip(&from).map(|(to, from)| to.unwrap_or(*from)).collect();
    let time = time.trim();
    let time = numbers(time.strip_suffix('s').unwrap_or(time), "--move")?[0];
    let go = PointToPoint::new(from, to, time).map_err(|e| format!("--move: {e}"))?;
    let go = match args.duration {
        Some(duration) => go.lasting(duration).map_err(|e| format!("--duration: {e}"))?,
        None => go,
    };
    Ok((Box::new(go), format!("move {given}")))
}

/// How it begins, how long it is.
pub fn setting(args: &Simulate, arm: &dyn Motion) -> Result<Setting, String> {
    const NAMES: [&str; 6] = ["vx", "vy", "vz", "wx", "wy", "w"];
    let angle = |x: f64| if args.deg { x.to_radians() } else { x };
    let mut twist = [0.0; 6];
    for part in args.twist.iter().flat_map(|g| g.split(',')).map(str::trim).filter(|p| !p.is_empty()) {
        let fault = || format!("--twist: `{part}` should read NAME=VALUE with one of {}", NAMES.join(", "));
        let (name, value) = part.split_once('=').ok_or_else(fault)?;
        let k = NAMES.iter().position(|n| *n == name.trim()).ok_or_else(fault)?;
        let value = numbers(value, "--twist")?[0];
        twist[k] = if k < 3 { value } else { angle(value) };
    }
    // A move rests at its end for as long as is asked.
    let duration = args.duration.map(|d| if args.moves.is_some() { arm.duration() } else { d });
    Ok(Setting { heading: angle(args.heading), twist, duration, rate: args.rate, ..Setting::default() })
}

/// Speeds or forces of what is driven, for a run that lasts so long \[s\].
fn drive(file: &Path, driven: &[&str], lasts: f64) -> Result<Drive, String> {
    let shown = file.display();
    let mut table = table::Reader::open(file).map_err(|e| e.to_string())?;
    let names = table.names().to_vec();
    let place = |name: &str| names.iter().position(|n| n == name);
    let time = place("t").ok_or_else(|| format!("`{shown}` has no column of times: name it `t`, in seconds"))?;
    let columns = |what: &str| driven.iter().map(|d| place(&format!("{what}_{d}"))).collect::<Option<Vec<usize>>>();
    let (columns, by_speed) = match (columns("speed"), columns("force")) {
        (Some(_), Some(_)) => return Err(format!("`{shown}` has speeds and forces of what is driven: leave one out")),
        (Some(speeds), None) => (speeds, true),
        (None, Some(forces)) => (forces, false),
        (None, None) => {
            let asked: Vec<String> = driven.iter().map(|d| format!("speed_{d}")).collect();
            return Err(format!("`{shown}` needs the columns {} (or force_…, of all)", asked.join(", ")));
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
    // As positions: their spline has continuous second derivatives, and so have speeds and forces themselves.
    let made = Trajectory::from_positions(n, t, values).map_err(|e| format!("`{shown}`: {e}"))?;
    let spline = Spline::new(&made);
    if lasts > spline.duration() * (1.0 + 1e-12) {
        return Err(format!(
            "`{shown}` lasts {} s and the run {lasts} s: give the drive rows until then, or a shorter --duration",
            spline.duration()
        ));
    }
    if by_speed {
        return Ok(Drive::Motion(Box::new(Speeds { spline, n })));
    }
    Ok(Drive::Effort(Box::new(move |t, forces: &mut [f64]| {
        let mut blank = vec![0.0; 2 * n];
        let (rate, bend) = blank.split_at_mut(n);
        spline.at(t, forces, rate, bend);
    })))
}

/// A spline whose values are speeds.
struct Speeds {
    spline: Spline,
    n: usize,
}

impl Motion for Speeds {
    fn at(&self, t: f64, place: &mut [f64], speed: &mut [f64], rate: &mut [f64]) {
        let mut bend = vec![0.0; self.n];
        place.fill(0.0);
        self.spline.at(t, speed, rate, &mut bend);
    }

    fn duration(&self) -> f64 {
        self.spline.duration()
    }

    fn next_knot(&self, t: f64) -> f64 {
        self.spline.next_knot(t)
    }
}
