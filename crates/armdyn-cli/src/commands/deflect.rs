//! `armdyn deflect`: deflection, stress, buckling and natural frequencies of elastic links and joints.

mod view;

use crate::args::{self, Deflect};
use crate::document::Document;
use crate::values::{Kind, Reader, numbers};
use crate::{CommandResult, Output, diagnostics, plots, progress, robot, trajectory};
use armdyn_core::{Force, Model, Motion as Twist, Vec3, vec3};
use armdyn_structure::{
    CompensationTarget, DeflectionAnalysis, DeformationModes, EndConditions, JointSpring, LoadCase, MapOptions, Motion,
    Options, Structure, Tool,
};
use std::path::{Path, PathBuf};

/// Cells along the longer side of the map.
const MAP_COLUMNS: usize = 48;
/// Width of a plot in the terminal, in characters.
const PLOT_WIDTH: usize = 96;

/// Runs the command.
pub fn run(args: &Deflect) -> CommandResult {
    answer(&robot::open(&args.robot)?, args)
}

/// Analyses a robot that is already loaded.
pub fn answer(m: &Model<f64>, args: &Deflect) -> CommandResult {
    let plots = requested_plots(args)?;
    let tool = match &args.tool {
        Some(given) => {
            let (link, position) =
                robot::point(m, Some(given), "--tool").map_err(|e| format!("--tool X,Y,Z[@LINK]: {e}"))?;
            Some(Tool { link, position })
        }
        None => None,
    };
    let structure = Structure::new(m, tool).map_err(|e| e.to_string())?;
    let reader = Reader { model: m, deg: args.within.deg };
    let options = options(args, &reader)?;
    let motion = motion(args, &reader)?;
    let analysis =
        progress::with_progress(|progress| structure.analyze(&motion, &options, progress).map_err(|e| e.to_string()))?;
    let mut document = view::document(&analysis, m, args.within.deg);
    for (plot, file) in &plots {
        draw(&mut document, &analysis, *plot, file.as_deref())?;
    }
    Output::of(args.robot.json, &analysis, |_| document)
}

fn options(args: &Deflect, reader: &Reader) -> Result<Options, String> {
    if !args.map && !args.within.ranges.is_empty() {
        return Err("--ranges applies to the map; add --map".to_string());
    }
    let map = |ranges| MapOptions {
        ranges,
        plane: plots::plane(args.plane, reader.model),
        samples: args.samples as usize,
        seed: args.seed,
        columns: MAP_COLUMNS,
    };
    let ranges = args.map.then(|| reader.joint_ranges(&args.within.ranges)).transpose()?;
    Ok(Options {
        modes: modes(&args.modes)?,
        end_conditions: match args.end_conditions {
            args::EndConditions::FixedFree => EndConditions::FixedFree,
            args::EndConditions::Pinned => EndConditions::Pinned,
            args::EndConditions::FixedPinned => EndConditions::FixedPinned,
            args::EndConditions::Fixed => EndConditions::Fixed,
        },
        compensate: args.compensate.map(|target| match target {
            args::CompensationTarget::Position => CompensationTarget::Position,
            args::CompensationTarget::Pose => CompensationTarget::Pose,
        }),
        frequencies: args.frequencies.map(Into::into),
        joint_spring: if args.servo { JointSpring::Servo } else { JointSpring::Gear },
        elements: args.elements.into(),
        bandwidth: args.bandwidth,
        map: ranges.map(map),
    })
}

fn motion(args: &Deflect, reader: &Reader) -> Result<Motion, String> {
    let pair = |option: &str, given: &Option<String>| {
        given.as_deref().map_or(Ok([Vec3::zero(); 2]), |g| two_vectors(option, g))
    };
    let [force, moment] = pair("--force", &args.force)?;
    let tool_wrench = Force::new(moment, force);
    if let Some(file) = &args.trajectory {
        let trajectory::Read { trajectory, notes } = file.read(reader)?;
        notes.iter().for_each(|n| diagnostics::warn(format_args!("{n}")));
        return Ok(Motion::Trajectory(trajectory, tool_wrench));
    }
    let read = |option: &str, kind: Kind, given: &Option<String>| reader.read(option, &kind, given.as_deref());
    let q = read("--q", Kind::Position, &args.q)?;
    let (qd, qdd) = (read("--qd", Kind::Rate, &args.qd)?, read("--qdd", Kind::Rate, &args.qdd)?);
    let [v, w] = pair("--base-velocity", &args.base_velocity)?;
    let [a, alpha] = pair("--base-acceleration", &args.base_acceleration)?;
    let (base_velocity, base_acceleration) = (Twist::new(w, v), Twist::new(alpha, a));
    Ok(Motion::State(LoadCase { tool_wrench, base_velocity, base_acceleration, ..LoadCase::moving(&q, &qd, &qdd) }))
}

fn modes(given: &str) -> Result<DeformationModes, String> {
    match given.trim() {
        "all" => return Ok(DeformationModes::all()),
        "euler" => return Ok(DeformationModes::euler_bernoulli()),
        "lau" => return Ok(DeformationModes::lau()),
        _ => {}
    }
    let mut modes = DeformationModes::NONE;
    for word in given.split(',').map(str::trim) {
        let mode = match word {
            "bending" => &mut modes.bending,
            "torsion" => &mut modes.torsion,
            "axial" => &mut modes.axial,
            "shear" => &mut modes.shear,
            "joints" => &mut modes.joints,
            _ => {
                return Err(format!(
                    "--modes: unknown mode `{word}`: expected all, euler, lau, or a list of bending, torsion, axial, \
                     shear, joints"
                ));
            }
        };
        *mode = true;
    }
    Ok(modes)
}

/// Three or six numbers as two vectors.
fn two_vectors(option: &str, given: &str) -> Result<[Vec3<f64>; 2], String> {
    match numbers(given, option)?.as_slice() {
        [x, y, z] => Ok([vec3(*x, *y, *z), Vec3::zero()]),
        [x, y, z, a, b, c] => Ok([vec3(*x, *y, *z), vec3(*a, *b, *c)]),
        all => Err(format!("{option}: {} numbers: expected three or six", all.len())),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    Shape,
    Tool,
    Map,
}

/// The requested plots with their files, checked before the analysis.
fn requested_plots(args: &Deflect) -> Result<Vec<(Plot, Option<PathBuf>)>, String> {
    let plots = plots::wanted(&args.plot, &[("shape", Plot::Shape), ("tool", Plot::Tool), ("map", Plot::Map)])?;
    let requested = |plot| plots.iter().any(|(p, _)| *p == plot);
    if requested(Plot::Tool) && args.trajectory.is_none() {
        return Err("--plot tool requires --trajectory".to_string());
    }
    if requested(Plot::Map) && !args.map {
        return Err("--plot map requires --map".to_string());
    }
    Ok(plots)
}

fn draw(document: &mut Document, a: &DeflectionAnalysis, plot: Plot, file: Option<&Path>) -> Result<(), String> {
    let (svg, terminal) = match (plot, &a.trajectory, &a.map) {
        (Plot::Shape, ..) => {
            let drawing = a.deflection.drawing(&a.robot);
            (drawing.svg(), drawing.terminal(PLOT_WIDTH))
        }
        (Plot::Tool, Some(trajectory), _) => {
            let chart = trajectory.chart(&a.robot);
            (chart.svg(), chart.terminal(PLOT_WIDTH))
        }
        (Plot::Map, _, Some(map)) => {
            let map = map.chart(&a.robot);
            (map.svg(), map.terminal(PLOT_WIDTH))
        }
        _ => return Ok(()),
    };
    plots::put(document, svg, terminal, file)
}
