//! `armdyn tipover`: contact loads, tip-over stability and friction.

mod view;

use crate::args::Tipover;
use crate::values::{Kind, Reader, numbers};
use crate::{CommandResult, Output, diagnostics, plots, progress, robot, trajectory};
use armdyn_core::{Interval, Model, UnitPayload};
use armdyn_mobile::Support;
use armdyn_mobile::plot;
use armdyn_mobile::tipover::{ReachOptions, StateRanges, TipoverAnalysis, TipoverOptions, Verdict, analyse_tipover};
use armdyn_numerics::bound::Budget;
use armdyn_numerics::search::SearchOptions;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    Top,
    Reach,
}

/// Analyses the robot of the arguments.
pub fn run(args: &Tipover) -> CommandResult {
    answer(&robot::open(&args.robot)?, args)
}

/// Analyses a robot that is loaded already.
pub fn answer(level: &Model<f64>, args: &Tipover) -> CommandResult {
    let plots = plots::wanted(&args.plot, &[("top", Plot::Top), ("reach", Plot::Reach)])?;
    let support = Support::new(level).map_err(|e| e.to_string())?;
    let m = match &args.slope {
        Some(text) => level.with_gravity(slope(level, &support, text)?),
        None => level.clone(),
    };
    let reach = args.reach || plots.iter().any(|(plot, _)| *plot == Plot::Reach);
    let options = options(&m, args, reach)?;
    let result = progress::with_progress(|progress| analyse_tipover(&m, &support, &options, progress))
        .map_err(|e| e.to_string())?;
    let mut document = view::document(&m, &result, args.within.deg);
    for (plot, file) in &plots {
        let (svg, terminal) = match (plot, &result.reach) {
            (Plot::Reach, Some(map)) => {
                let map = plot::reach(&result, map);
                (map.svg(), map.terminal(plots::COLUMNS))
            }
            _ => {
                let drawing = plot::top_view(&result);
                (drawing.svg(), drawing.terminal(plots::COLUMNS))
            }
        };
        plots::put(&mut document, svg, terminal, file.as_deref())?;
    }
    Ok(Output::of(args.robot.json, &result, |_| document)?.with_exit_code(u8::from(tips(&result))))
}

/// Whether a state tips, or stability is not guaranteed although requested.
fn tips(result: &TipoverAnalysis) -> bool {
    !result.stability.stable || result.guaranteed.as_ref().is_some_and(|g| g.verdict != Verdict::Guaranteed)
}

/// Gravity on a slope `ANGLE[@HEADING]`.
fn slope(m: &Model<f64>, support: &Support, text: &str) -> Result<armdyn_core::Vec3<f64>, String> {
    let (angle, heading) = text.split_once('@').unwrap_or((text, "0"));
    let degrees = |part: &str| match numbers(part, "--slope")?.as_slice() {
        [x] => Ok(*x),
        _ => Err(format!("invalid slope `{text}`: expected ANGLE or ANGLE@HEADING in degrees, such as `10@90`")),
    };
    let (angle, heading) = (degrees(angle)?, degrees(heading)?);
    if angle.abs() >= 90.0 {
        return Err(format!("invalid slope `{angle}`: expected an angle within ±90°"));
    }
    Ok(support.slope(m.gravity().norm(), angle.to_radians(), heading.to_radians()))
}

fn options(m: &Model<f64>, args: &Tipover, reach: bool) -> Result<TipoverOptions, String> {
    let reader = Reader { model: m, deg: args.within.deg };
    let read = |option, kind: Kind, text: &Option<String>| reader.read(option, &kind, text.as_deref());
    let trajectory = match &args.trajectory {
        None => None,
        Some(file) => {
            let trajectory::Read { trajectory, notes } = file.read(&reader)?;
            notes.iter().for_each(|n| diagnostics::warn(format_args!("{n}")));
            Some(trajectory)
        }
    };
    let payload = match robot::point(m, args.payload_at.as_deref(), "--payload-at") {
        Ok((link, centre)) => Some(UnitPayload::point(link, centre)),
        Err(e) if args.payload_at.is_some() || reach => return Err(format!("`--payload-at`: {e}")),
        Err(_) => None,
    };
    let toward = match &args.toward {
        Some(text) => Some(reader.read("--toward", &Kind::Position, Some(text))?),
        None => None,
    };
    let sampling = ReachOptions { samples: args.samples as usize, seed: args.seed, ..ReachOptions::default() };
    let reach = if reach { Some((reader.joint_ranges(&args.within.ranges)?, sampling)) } else { None };
    let guaranteed = if args.guaranteed { Some(guaranteed(args, &reader)?) } else { None };
    Ok(TipoverOptions {
        state: [
            read("--q", Kind::Position, &args.q)?,
            read("--qd", Kind::Rate, &args.qd)?,
            read("--qdd", Kind::Rate, &args.qdd)?,
        ],
        trajectory,
        base_velocity: planar("--base-velocity", args.base_velocity.as_deref())?,
        base_acceleration: planar("--base-acceleration", args.base_acceleration.as_deref())?,
        payload,
        toward,
        reach,
        guaranteed,
    })
}

/// Three components of the base motion.
fn planar(option: &str, text: Option<&str>) -> Result<[f64; 3], String> {
    let Some(text) = text else { return Ok([0.0; 3]) };
    let values = numbers(text, option)?;
    values.try_into().map_err(|v: Vec<f64>| format!("`{option}` has {} values: expected three", v.len()))
}

/// Ranges of states and computing budget of the guaranteed bound.
fn guaranteed(args: &Tipover, reader: &Reader) -> Result<(StateRanges, Budget), String> {
    let symmetric = |option: &str, text: &Option<String>| -> Result<Vec<Interval>, String> {
        let zero = vec![0.0; reader.model.nv()];
        let maxima = reader.maxima(option, &Kind::Rate, text.as_deref(), &zero)?;
        Ok(maxima.iter().map(|x| Interval::new(-x, *x).unwrap_or(Interval::ENTIRE)).collect())
    };
    let ranges = StateRanges {
        positions: reader.joint_ranges(&args.within.ranges)?,
        velocities: symmetric("--speeds", &args.speeds)?,
        accelerations: symmetric("--accelerations", &args.accelerations)?,
    };
    let search = SearchOptions { seed: args.seed, ..SearchOptions::default() };
    Ok((ranges, Budget { time: Some(args.budget), search, ..Budget::default() }))
}
