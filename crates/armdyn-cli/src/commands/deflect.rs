//! `armdyn deflect`: deflection, stress, buckling and natural frequencies of elastic links and joints.

mod view;

use crate::args::{self, Deflect};
use crate::document::Document;
use crate::values::{Kind, Reader, two_vectors};
use crate::{CommandError, CommandResult, Output, plots, progress, robot};
use armdyn_core::{Force, Model, Motion as Twist};
use armdyn_numerics::Error;
use armdyn_structure::{
    DeflectionAnalysis, DeformationModes, EndConditions, JointSpring, LoadCase, MapOptions, Motion, Options, Structure,
};
use std::path::{Path, PathBuf};

/// Cells along the longer side of the map.
const MAP_COLUMNS: usize = 48;

/// Runs the command.
pub fn run(m: &Model<f64>, args: &Deflect) -> CommandResult {
    let (analysis, document) = analysis(m, args)?;
    Output::of(args.robot.json, &analysis, |_| document)
}

/// The result for a loaded robot, and its document with plots.
pub fn analysis(m: &Model<f64>, args: &Deflect) -> Result<(DeflectionAnalysis, Document), CommandError> {
    let plots = requested_plots(args)?;
    let tool = args.tool.as_deref().map(|tool| robot::tool(m, Some(tool))).transpose()?;
    let structure = Structure::new(m, tool).map_err(|e| match e {
        Error::Core(e @ armdyn_core::Error::NoTool { .. }) => robot::no_tool(e, "--tool X,Y,Z@LINK"),
        e => e.into(),
    })?;
    let reader = Reader { model: m, deg: args.within.deg };
    let (options, motion) = (options(args, &reader)?, motion(args, &reader)?);
    let analysis = progress::with_progress(|progress| structure.analyze(&motion, &options, progress))?;
    let mut document = view::document(&analysis, m, args.within.deg);
    for (plot, file) in &plots {
        draw(&mut document, &analysis, *plot, file.as_deref())?;
    }
    Ok((analysis, document))
}

fn options(args: &Deflect, reader: &Reader) -> Result<Options, CommandError> {
    if !args.map && !args.within.ranges.is_empty() {
        return Err("`--ranges` applies to the map; add `--map`".into());
    }
    let map = |ranges| MapOptions {
        ranges,
        plane: args.plane.unwrap_or(plots::default_plane(reader.model)),
        samples: args.samples as usize,
        seed: args.seed,
        columns: MAP_COLUMNS,
    };
    let ranges = args.map.then(|| reader.joint_ranges(&args.within.ranges)).transpose()?;
    Ok(Options {
        modes: modes(&args.modes)?,
        end_conditions: args.end_conditions.unwrap_or(EndConditions::FixedFree),
        compensate: args.compensate,
        frequencies: args.frequencies.map(Into::into),
        joint_spring: if args.servo { JointSpring::Servo } else { JointSpring::Gear },
        elements: args.elements.into(),
        bandwidth: args.bandwidth,
        map: ranges.map(map),
    })
}

fn motion(args: &Deflect, reader: &Reader) -> Result<Motion, CommandError> {
    let args::Motion { q, qd, qdd, file, base_velocity, base_acceleration } = &args.motion;
    let [force, moment] = two_vectors("--force", args.force.as_deref())?;
    let tool_wrench = Force::new(moment, force);
    if let Some(file) = &file.trajectory {
        return Ok(Motion::Trajectory(file.read(reader)?, tool_wrench));
    }
    let [q, qd, qdd] = reader.read_all(&[
        ("q", Kind::Position, q.as_deref()),
        ("qd", Kind::Rate, qd.as_deref()),
        ("qdd", Kind::Rate, qdd.as_deref()),
    ])?;
    let [v, w] = reader.twist("--base-velocity", base_velocity.as_deref())?;
    let [a, alpha] = reader.twist("--base-acceleration", base_acceleration.as_deref())?;
    let (base_velocity, base_acceleration) = (Twist::new(w, v), Twist::new(alpha, a));
    Ok(Motion::State(LoadCase { tool_wrench, base_velocity, base_acceleration, ..LoadCase::moving(&q, &qd, &qdd) }))
}

fn modes(text: &str) -> Result<DeformationModes, CommandError> {
    match text.trim() {
        "all" => return Ok(DeformationModes::all()),
        "euler" => return Ok(DeformationModes::euler_bernoulli()),
        _ => {}
    }
    let mut modes = DeformationModes::NONE;
    for word in text.split(',').map(str::trim) {
        let mode = match word {
            "bending" => &mut modes.bending,
            "torsion" => &mut modes.torsion,
            "axial" => &mut modes.axial,
            "shear" => &mut modes.shear,
            "joints" => &mut modes.joints,
            _ => {
                return Err(format!(
                    "`--modes`: unknown mode `{word}`: expected all, euler, or a list of bending, torsion, axial, shear, \
                     joints"
                )
                .into());
            }
        };
        *mode = true;
    }
    Ok(modes)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    Shape,
    Tool,
    Map,
}

/// The requested plots with their files, checked before the analysis.
fn requested_plots(args: &Deflect) -> Result<Vec<(Plot, Option<PathBuf>)>, CommandError> {
    let kinds = [("shape", Plot::Shape), ("tool", Plot::Tool), ("map", Plot::Map)];
    let plots = plots::wanted(&args.plot, &kinds, Plot::Shape)?;
    let requested = |plot| plots.iter().any(|(p, _)| *p == plot);
    if requested(Plot::Tool) && args.motion.file.trajectory.is_none() {
        return Err("`--plot tool` requires `--trajectory`".into());
    }
    if requested(Plot::Map) && !args.map {
        return Err("`--plot map` requires `--map`".into());
    }
    Ok(plots)
}

fn draw(doc: &mut Document, a: &DeflectionAnalysis, plot: Plot, file: Option<&Path>) -> Result<(), CommandError> {
    match (plot, &a.trajectory, &a.map) {
        (Plot::Shape, ..) => plots::put(doc, &a.deflection.drawing(&a.robot), file),
        (Plot::Tool, Some(trajectory), _) => plots::put(doc, &trajectory.chart(&a.robot), file),
        (Plot::Map, _, Some(map)) => plots::put(doc, &map.chart(&a.robot), file),
        _ => Ok(()),
    }
}
