//! The robot of a command: bundled or from a file, with the changes that options make.

use crate::format::many;
use crate::values::numbers;
use crate::{CommandError, args, diagnostics};
use armdyn_core::{Inertia, LinkId, Model, Sym3, Transform, Vec3, vec3};
use armdyn_import::{Description, Loaded, Options, Severity, check};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The model with the changes of the options. Prints errors in its file with their positions, and a summary of warnings.
pub fn open(args: &args::Robot) -> Result<Model<f64>, CommandError> {
    prepare(&describe(&args.robot, &args.import)?, args)
}

/// The model of a description with the changes of the options.
pub fn prepare(description: &Description, args: &args::Robot) -> Result<Model<f64>, CommandError> {
    let mut model = self::model(description)?;
    for payload in &args.payload {
        model = with_payload(&model, payload)?;
    }
    if let Some(gravity) = &args.gravity {
        model = model.with_gravity(gravity_vector(gravity)?);
    }
    Ok(match (args.no_drives, args.no_friction) {
        (true, _) => model.without_drives(),
        (_, true) => model.without_friction(),
        _ => model,
    })
}

/// The model of a description.
pub fn model(description: &Description) -> Result<Model<f64>, CommandError> {
    description.model().map_err(|e| format!("`{}` is not a valid model: {e}", description.name).into())
}

/// The description of a bundled robot or of a file.
pub fn describe(robot: &str, import: &args::Import) -> Result<Description, CommandError> {
    Ok(load(robot, import)?.0)
}

/// The description of a bundled robot or of a file, with all findings. Prints errors, or a summary of findings.
pub fn load(robot: &str, import: &args::Import) -> Result<(Description, Loaded), CommandError> {
    let mut loaded = checked(find(Path::new(robot), &options(import)?)?);
    let count = |severity| loaded.findings.iter().filter(|f| f.code.severity == severity).count();
    let counts = [(count(Severity::Error), "error"), (count(Severity::Warning), "warning")];
    let counted: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| many(*n, what)).collect();
    let Some(description) = loaded.description.take() else {
        diagnostics::print_errors(&loaded.findings, &loaded.sources);
        return Err(format!("cannot load `{robot}`: {}", many(counts[0].0, "error")).into());
    };
    if !counted.is_empty() {
        let effect = if counts[0].0 > 0 { "results may be wrong; " } else { "" };
        let counted = counted.join(" and ");
        diagnostics::warn(format_args!("`{robot}` has {counted}: {effect}see `armdyn check {robot}`"));
    }
    Ok((description, loaded))
}

/// Adds the findings about the robot to those about its file.
pub fn checked(mut loaded: Loaded) -> Loaded {
    if let Some(robot) = &loaded.description {
        loaded.findings.extend(check(robot));
    }
    loaded
}

/// Reads a bundled robot or a file.
pub fn find(path: &Path, options: &Options) -> Result<Loaded, CommandError> {
    Ok(armdyn_import::find(path, options)?)
}

/// Import options.
pub fn options(finding: &args::Import) -> Result<Options, CommandError> {
    let packages = pairs(&finding.package)?.into_iter().map(|(name, dir)| (name, PathBuf::from(dir))).collect();
    Ok(Options { packages, arguments: pairs(&finding.arguments)? })
}

fn pairs(texts: &[String]) -> Result<BTreeMap<String, String>, CommandError> {
    let split = |s: &String| {
        let (name, value) = s.split_once('=').ok_or_else(|| format!("invalid `{s}`: expected `NAME=VALUE`"))?;
        Ok((name.to_string(), value.to_string()))
    };
    texts.iter().map(split).collect()
}

fn gravity_vector(text: &str) -> Result<Vec3<f64>, CommandError> {
    match numbers(text, "--gravity")?.as_slice() {
        [x, y, z] => Ok(vec3(*x, *y, *z)),
        [g] if *g >= 0.0 => Ok(vec3(0.0, 0.0, -g)),
        [_] => {
            Err("`--gravity` is negative: one number acts along -z; pass three numbers for another direction".into())
        }
        all => Err(format!("`--gravity` has {}: expected three, or one", many(all.len(), "number")).into()),
    }
}

/// The model with a payload `mass[,x,y,z[,ixx,iyy,izz]][@link]`, or without payloads: `none`.
fn with_payload(model: &Model<f64>, text: &str) -> Result<Model<f64>, CommandError> {
    if text == "none" {
        return Ok(model.without_payloads());
    }
    let (values, link) = match text.split_once('@') {
        Some((values, link)) => (values, link.to_string()),
        None => (text, tip(model)?),
    };
    let (mass, centre, tensor) = match numbers(values, "--payload")?.as_slice() {
        [mass] => (*mass, Vec3::zero(), Sym3::zero()),
        [mass, x, y, z] => (*mass, vec3(*x, *y, *z), Sym3::zero()),
        [mass, x, y, z, xx, yy, zz] => (*mass, vec3(*x, *y, *z), Sym3::diagonal(*xx, *yy, *zz)),
        all => return Err(format!("`--payload` has {}: expected 1, 4 or 7", many(all.len(), "number")).into()),
    };
    let inertia = Inertia::about_centre(mass, centre, tensor);
    inertia.validate().map_err(|fault| format!("`--payload {text}`: {fault}"))?;
    let link = self::link(model, &link).map_err(|e| format!("`--payload {text}`: {e}"))?;
    let loaded = model.with_payload("payload", link, inertia, Transform::identity());
    loaded.map_err(|e| format!("`--payload {text}`: {e}").into())
}

/// The degree of freedom of a name.
pub fn dof(model: &Model<f64>, option: &str, name: &str) -> Result<usize, CommandError> {
    let names = model.dof_names();
    names.iter().position(|n| n == name).ok_or_else(|| {
        format!("`{option}`: `{}` has no joint `{name}`; its joints are {}", model.name(), names.join(", ")).into()
    })
}

/// The link of this name.
pub fn link(model: &Model<f64>, name: &str) -> Result<LinkId, CommandError> {
    model.link(name).map_err(|e| {
        let names: Vec<&str> = model.links().iter().map(|l| l.name.as_str()).collect();
        format!("{e}; its links are {}", names.join(", ")).into()
    })
}

/// A point of a link: `x,y,z[@link]`; by default the last link's origin.
pub fn point(model: &Model<f64>, text: Option<&str>, option: &str) -> Result<(LinkId, Vec3<f64>), CommandError> {
    let (values, link) = match text.map(|g| g.split_once('@').unwrap_or((g, ""))) {
        None | Some((_, "")) => (text.unwrap_or("").trim_end_matches('@'), tip(model)?),
        Some((values, link)) => (values, link.to_string()),
    };
    let at = match numbers(if values.is_empty() { "0,0,0" } else { values }, option)?.as_slice() {
        [x, y, z] => vec3(*x, *y, *z),
        all => return Err(format!("`{option}` has {}: expected three", many(all.len(), "number")).into()),
    };
    Ok((self::link(model, &link)?, at))
}

/// The name of the end link, if there is only one.
pub fn tip(model: &Model<f64>) -> Result<String, CommandError> {
    let parents: BTreeSet<LinkId> = model.joints().iter().map(|j| j.parent).collect();
    let ends: Vec<&str> = model
        .joints()
        .iter()
        .filter(|j| !parents.contains(&j.child))
        .map(|j| model.links()[j.child].name.as_str())
        .collect();
    match ends.as_slice() {
        [] => Ok(model.links()[0].name.clone()),
        [end] => Ok(end.to_string()),
        all => Err(format!("`{}` has several end links ({}); name one of them", model.name(), all.join(", ")).into()),
    }
}
