//! `armdyn deflect`: where a robot goes under load, whether its links bear it, and how it vibrates.

mod json;
mod pictures;
mod text;

use crate::args::{self, Deflect};
use crate::values::{Kind, Reader, numbers};
use crate::{CommandResult, diagnostics, plots, progress, robot, trajectory};
use armdyn_core::{Force, Model, Motion, Progress, Vec3, vec3};
use armdyn_numerics::Trajectory;
use armdyn_structure::{
    Correction, Deflection, DeflectionMap, Ends, Loading, Modes, MotionDeflection, PutBack, Spring, Strength,
    Structure, Tool, Vibration, bandwidth,
};

/// Grid along the longer side of the map.
const CELLS: usize = 48;

/// All that was found.
struct Found {
    structure: Structure,
    modes: Modes,
    deg: bool,
    /// The pose that is looked at closely: the one given, or the worst instant of the motion.
    at: Loading,
    deflection: Deflection,
    strength: Vec<Strength>,
    motion: Option<(Trajectory, MotionDeflection)>,
    correction: Option<(PutBack, Correction)>,
    vibrations: Option<Vec<Vibration>>,
    /// Of the motion \[Hz\], and whether it was given.
    bandwidth: Option<(f64, bool)>,
    map: Option<DeflectionMap>,
}

/// Displacements, stresses, buckling; with options the correction, frequencies and the map.
pub fn run(args: &Deflect) -> CommandResult {
    answer(&robot::open(&args.robot)?, args)
}

/// The same of a robot that was opened.
pub fn answer(m: &Model<f64>, args: &Deflect) -> CommandResult {
    let plots = pictures::wanted(&args.plot, args)?;
    // Where several ends come into question, which one is meant must be said.
    let given = args.tool.as_deref();
    let point = robot::point(m, given, "--tool").map_err(|e| format!("--tool X,Y,Z[@LINK]: {e}"))?;
    let tool = given.map(|_| Tool { link: point.0.index(), at: point.1 });
    let structure = Structure::new(m, tool).map_err(|e| e.to_string())?;
    let reader = Reader { model: m, deg: args.within.deg };
    let found = progress::with_progress(|progress| find(args, structure, &reader, progress))?;
    let mut page = found.page();
    for (what, file) in &plots {
        pictures::draw(&mut page, &found, *what, file.as_deref())?;
    }
    Ok(if args.robot.json { found.json().into() } else { page.into() })
}

fn find(args: &Deflect, structure: Structure, reader: &Reader, progress: &Progress) -> Result<Found, String> {
    let m = reader.model;
    let modes = modes(&args.mode)?;
    let ends = match args.ends {
        args::Ends::FixedFree => Ends::FixedFree,
        args::Ends::Pinned => Ends::Pinned,
        args::Ends::FixedPinned => Ends::FixedPinned,
        args::Ends::Fixed => Ends::Fixed,
    };
    let told = |e: armdyn_numerics::Error| e.to_string();
    let pair =
        |option: &str, given: &Option<String>| given.as_deref().map_or(Ok([Vec3::zero(); 2]), |g| six(option, g));
    let [force, moment] = pair("--force", &args.force)?;
    let on_tool = Force::new(moment, force);
    let region = if args.map { Some(reader.joint_ranges(&args.within.ranges)?) } else { None };
    if !args.map && !args.within.ranges.is_empty() {
        return Err("--box: it is the box of the map; ask for that with --map".to_string());
    }
    let (at, motion) = match &args.trajectory {
        Some(file) => {
            let trajectory::Read { trajectory, notes } = trajectory::read(file, reader)?;
            notes.iter().for_each(|n| diagnostics::warn(format_args!("{n}")));
            let along = structure.deflect_along(&trajectory, on_tool, &modes, ends, progress).map_err(told)?;
            let [q, qd, qdd] = trajectory.state(along.worst);
            (Loading { on_tool, ..Loading::moving(q, qd, qdd) }, Some((trajectory, along)))
        }
        None => {
            let read = |option: &str, kind: Kind, given: &Option<String>| reader.read(option, &kind, given.as_deref());
            let q = read("--q", Kind::Position, &args.q)?;
            let (qd, qdd) = (read("--qd", Kind::Rate, &args.qd)?, read("--qdd", Kind::Rate, &args.qdd)?);
            let [v, w] = pair("--base-velocity", &args.base_velocity)?;
            let [a, alpha] = pair("--base-acceleration", &args.base_acceleration)?;
            let moving = Loading::moving(&q, &qd, &qdd);
            let (base_velocity, base_acceleration) = (Motion::new(w, v), Motion::new(alpha, a));
            (Loading { on_tool, base_velocity, base_acceleration, ..moving }, None)
        }
    };
    let deflection = structure.deflect(&at, &modes).map_err(told)?;
    let strength = structure.strength(&at, ends, modes.shear).map_err(told)?;
    let put_back = args.correct.map(|what| match what {
        args::PutBack::Position => PutBack::Position,
        args::PutBack::Pose => PutBack::Pose,
    });
    let correct = |what| Ok::<_, String>((what, structure.correct(&at, &modes, what).map_err(told)?));
    let correction = put_back.map(correct).transpose()?;
    let bandwidth = match (args.bandwidth, &motion) {
        (Some(given), _) if !(given > 0.0 && given.is_finite()) => {
            return Err(format!("--bandwidth: `{given}` must be above zero"));
        }
        (Some(given), _) => Some((given, true)),
        (None, Some((trajectory, _))) => Some((bandwidth(trajectory), false)),
        (None, None) => None,
    };
    // With a bandwidth there is something to compare: one frequency at least.
    let count = args.frequencies.or(bandwidth.map(|_| 1));
    let spring = if args.servo { Spring::Servo } else { Spring::Gear };
    let vibrate = |count: u16| structure.frequencies(&at.q, &modes, spring, args.elements.into(), count.into());
    let vibrations = count.map(vibrate).transpose().map_err(told)?;
    let plane = plots::plane(args.plane, m);
    let counts = (args.samples as usize, args.seed, CELLS);
    let map = region.map(|r| structure.deflection_map(&r, on_tool, &modes, plane, counts, progress)).transpose();
    let map = map.map_err(told)?.filter(|map| map.poses > 0);
    let deg = reader.deg;
    Ok(Found { structure, modes, deg, at, deflection, strength, motion, correction, vibrations, bandwidth, map })
}

/// What may give way.
fn modes(given: &str) -> Result<Modes, String> {
    let none = Modes { bending: false, torsion: false, axial: false, shear: false, joints: false };
    match given.trim() {
        "all" => return Ok(Modes::all()),
        "euler" => return Ok(Modes::euler()),
        "lau" => return Ok(Modes::lau()),
        _ => {}
    }
    given.split(',').try_fold(none, |modes, word| match word.trim() {
        "bending" => Ok(Modes { bending: true, ..modes }),
        "torsion" => Ok(Modes { torsion: true, ..modes }),
        "axial" => Ok(Modes { axial: true, ..modes }),
        "shear" => Ok(Modes { shear: true, ..modes }),
        "joints" => Ok(Modes { joints: true, ..modes }),
        other => Err(format!(
            "--mode: there is no mode `{other}`; there are all, euler, lau, or several of bending, torsion, axial, shear, \
             joints"
        )),
    })
}

/// Three numbers, or six.
fn six(option: &str, given: &str) -> Result<[Vec3<f64>; 2], String> {
    match numbers(given, option)?.as_slice() {
        [x, y, z] => Ok([vec3(*x, *y, *z), Vec3::zero()]),
        [x, y, z, a, b, c] => Ok([vec3(*x, *y, *z), vec3(*a, *b, *c)]),
        all => Err(format!("{option}: {} numbers, where three or six are asked for", all.len())),
    }
}
