//! `armdyn tipover`: contact loads, tip-over stability and friction.

mod view;

use crate::args::{self, Tipover};
use crate::document::Document;
use crate::values::{Kind, Reader, numbers};
use crate::{CommandError, CommandResult, Output, format, plots, progress, robot};
use armdyn_core::{Interval, Model, UnitPayload, Vec3};
use armdyn_mobile::Support;
use armdyn_mobile::plot;
use armdyn_mobile::tipover::{ReachOptions, StateRanges, TipoverAnalysis, TipoverOptions, Verdict, analyse_tipover};
use armdyn_numerics::bound::Budget;
use armdyn_numerics::search::SearchOptions;
use std::f64::consts::FRAC_PI_2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    Top,
    Reach,
}

/// Runs the command.
pub fn run(level: &Model<f64>, args: &Tipover) -> CommandResult {
    let (result, document) = analysis(level, args)?;
    Ok(Output::of(args.robot.json, &result, |_| document)?.with_exit_code(u8::from(tips(&result))))
}

/// The result for a loaded robot, and its document with plots.
pub fn analysis(level: &Model<f64>, args: &Tipover) -> Result<(TipoverAnalysis, Document), CommandError> {
    let plots = plots::wanted(&args.plot, &[("top", Plot::Top), ("reach", Plot::Reach)], Plot::Top)?;
    let support = Support::new(level)?;
    let m = match &args.slope {
        Some(text) => level.with_gravity(slope(level, &support, text, args.within.deg)?),
        None => level.clone(),
    };
    let reach = args.reach || plots.iter().any(|(plot, _)| *plot == Plot::Reach);
    let options = options(&m, &support, args, reach)?;
    let result = progress::with_progress(|progress| analyse_tipover(&m, &support, &options, progress))?;
    let mut document = view::document(&m, &result, args.within.deg);
    for (plot, file) in &plots {
        match (plot, &result.reach) {
            (Plot::Reach, Some(map)) => plots::put(&mut document, &plot::reach(&result, map), file.as_deref())?,
            _ => plots::put(&mut document, &plot::top_view(&result), file.as_deref())?,
        }
    }
    Ok((result, document))
}

/// Whether a state tips, or stability is not guaranteed although requested.
fn tips(result: &TipoverAnalysis) -> bool {
    !result.stability.stable || result.guaranteed.as_ref().is_some_and(|g| g.verdict != Verdict::Guaranteed)
}

/// Gravity on a slope `ANGLE[@HEADING]`.
fn slope(m: &Model<f64>, support: &Support, text: &str, deg: bool) -> Result<Vec3<f64>, CommandError> {
    let (angle, heading) = text.split_once('@').unwrap_or((text, "0"));
    let angle_of = |part: &str| match numbers(part, "--slope")?.as_slice() {
        [x] => Ok(if deg { x.to_radians() } else { *x }),
        _ => Err(CommandError::from(format!("invalid slope `{text}`: expected ANGLE or ANGLE@HEADING"))),
    };
    let (slope, heading) = (angle_of(angle)?, angle_of(heading)?);
    if slope.abs() >= FRAC_PI_2 {
        let (range, hint) = if deg { ("±90°", "") } else { ("±π/2 rad", " (did you mean --deg?)") };
        return Err(format!("invalid slope `{angle}`: expected an angle within {range}{hint}").into());
    }
    Ok(support.slope(m.gravity().norm(), slope, heading))
}

fn options(m: &Model<f64>, support: &Support, args: &Tipover, reach: bool) -> Result<TipoverOptions, CommandError> {
    let reader = Reader { model: m, deg: args.within.deg };
    let args::Motion { q, qd, qdd, file, base_velocity, base_acceleration } = &args.motion;
    let payload = match robot::tool(m, args.tool.as_deref()) {
        Ok(tool) => Some(UnitPayload::point(tool.link, tool.position())),
        Err(e) if args.tool.is_some() || reach => return Err(e),
        Err(_) => None,
    };
    let toward = args.toward.as_deref().map(|text| reader.read("--toward", &Kind::Position, Some(text))).transpose()?;
    let sampling = ReachOptions { samples: args.samples as usize, seed: args.seed, ..ReachOptions::default() };
    let reach = if reach { Some((reader.joint_ranges(&args.within.ranges)?, sampling)) } else { None };
    let guaranteed = if args.guaranteed { Some(guaranteed(args, &reader)?) } else { None };
    Ok(TipoverOptions {
        state: reader.read_all(&[
            ("q", Kind::Position, q.as_deref()),
            ("qd", Kind::Rate, qd.as_deref()),
            ("qdd", Kind::Rate, qdd.as_deref()),
        ])?,
        trajectory: file.trajectory.as_ref().map(|file| file.read(&reader)).transpose()?,
        base_velocity: planar(support, &reader, "--base-velocity", base_velocity)?,
        base_acceleration: planar(support, &reader, "--base-acceleration", base_acceleration)?,
        payload,
        toward,
        reach,
        guaranteed,
    })
}

/// The part of a base motion along the ground: x, y and about the normal.
fn planar(support: &Support, reader: &Reader, option: &str, text: &Option<String>) -> Result<[f64; 3], CommandError> {
    let [linear, angular] = reader.twist(option, text.as_deref())?;
    let ([x, y], normal) = (support.axes(), support.normal());
    let off_ground = [linear.dot(normal), angular.dot(x), angular.dot(y)];
    if format::largest(off_ground.into_iter()) > 1e-9 * (linear.norm() + angular.norm()) {
        return Err(format!("`{option}`: the base moves along the ground and turns about its normal only").into());
    }
    Ok([linear.dot(x), linear.dot(y), angular.dot(normal)])
}

/// Ranges of states and computing budget of the guaranteed bound.
fn guaranteed(args: &Tipover, reader: &Reader) -> Result<(StateRanges, Budget), CommandError> {
    let symmetric = |option: &str, text: &Option<String>| -> Result<Vec<Interval>, CommandError> {
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
