//! The robot of a command: bundled or from a file, with the changes that options make.

use crate::format::many;
use crate::values::numbers;
use crate::{args, diagnostics};
use armdyn_core::{Inertia, LinkId, Model, Sym3, Transform, Vec3, vec3};
use armdyn_import::{Description, Loaded, Options, Severity, check};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The model with the changes of the options. Prints errors in its file with their positions, and a summary of warnings.
pub fn open(args: &args::Robot) -> Result<Model<f64>, String> {
    prepare(&describe(&args.robot, &args.import)?, args)
}

/// The model of a description with the changes of the options.
pub fn prepare(description: &Description, args: &args::Robot) -> Result<Model<f64>, String> {
    let mut model = description.model().map_err(|e| format!("`{}` is not a valid model: {e}", args.robot))?;
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

/// The description of a bundled robot or of a file.
pub fn describe(robot: &str, import: &args::Import) -> Result<Description, String> {
    Ok(load(robot, import)?.0)
}

/// The description of a bundled robot or of a file, with all findings. Prints errors, or a summary of findings.
pub fn load(robot: &str, import: &args::Import) -> Result<(Description, Loaded), String> {
    let mut loaded = checked(find(Path::new(robot), &options(import)?)?);
    let count = |severity| loaded.findings.iter().filter(|f| f.code.severity == severity).count();
    let (errors, warnings) = (many(count(Severity::Error), "error"), many(count(Severity::Warning), "warning"));
    let Some(description) = loaded.description.take() else {
        diagnostics::print_errors(&loaded.findings, &loaded.sources);
        return Err(format!("cannot load `{robot}`: {errors}"));
    };
    if loaded.findings.iter().any(|f| f.code.severity > Severity::Note) {
        diagnostics::warn(format_args!(
            "`{robot}` has {errors} and {warnings}, so results may be wrong; see `armdyn check {robot}`"
        ));
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
pub fn find(path: &Path, options: &Options) -> Result<Loaded, String> {
    armdyn_import::find(path, options).map_err(|e| e.to_string())
}

/// Import options.
pub fn options(finding: &args::Import) -> Result<Options, String> {
    let packages = pairs(&finding.package)?.into_iter().map(|(name, dir)| (name, PathBuf::from(dir))).collect();
    Ok(Options { packages, arguments: pairs(&finding.arguments)? })
}

fn pairs(texts: &[String]) -> Result<BTreeMap<String, String>, String> {
    let split = |s: &String| {
        let (name, value) = s.split_once('=').ok_or_else(|| format!("invalid `{s}`: expected `NAME=VALUE`"))?;
        Ok((name.to_string(), value.to_string()))
    };
    texts.iter().map(split).collect()
}

fn gravity_vector(text: &str) -> Result<Vec3<f64>, String> {
    match numbers(text, "--gravity")?.as_slice() {
        [x, y, z] => Ok(vec3(*x, *y, *z)),
        [g] if *g >= 0.0 => Ok(vec3(0.0, 0.0, -g)),
        [_] => {
            Err("`--gravity` is negative: one number acts along -z; pass three numbers for another direction".into())
        }
        all => Err(format!("`--gravity` has {} numbers: expected three, or one", all.len())),
    }
}

/// The model with a payload `mass[,x,y,z[,ixx,iyy,izz]][@link]`, or without payloads: `none`.
fn with_payload(model: &Model<f64>, text: &str) -> Result<Model<f64>, String> {
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
        all => return Err(format!("`--payload` has {} numbers: expected 1, 4 or 7", all.len())),
    };
    let Sym3 { xx, yy, zz, .. } = tensor;
    if [[xx, yy, zz], [yy, zz, xx], [zz, xx, yy]].iter().any(|[a, b, c]| *a < 0.0 || *a > (b + c) * (1.0 + 1e-9)) {
        return Err(format!(
            "`--payload {text}`: moments of inertia must be at least 0, and none may exceed the sum of the other two"
        ));
    }
    let inertia = Inertia::about_centre(mass, centre, tensor);
    let link = self::link(model, &link).map_err(|e| format!("`--payload {text}`: {e}"))?;
    let loaded = model.with_payload("payload", link, inertia, Transform::identity());
    loaded.map_err(|e| format!("`--payload {text}`: {e}"))
}

/// The degree of freedom of a name.
pub fn dof(model: &Model<f64>, option: &str, name: &str) -> Result<usize, String> {
    let names = model.dof_names();
    names.iter().position(|n| n == name).ok_or_else(|| {
        format!("`{option}`: `{}` has no joint `{name}`; its joints are {}", model.name(), names.join(", "))
    })
}

/// The link of this name.
pub fn link(model: &Model<f64>, name: &str) -> Result<LinkId, String> {
    model.link(name).map_err(|e| {
        let names: Vec<&str> = model.links().iter().map(|l| l.name.as_str()).collect();
        format!("{e}; its links are {}", names.join(", "))
    })
}

/// A point of a link: `x,y,z[@link]`; by default the last link's origin.
pub fn point(model: &Model<f64>, text: Option<&str>, option: &str) -> Result<(LinkId, Vec3<f64>), String> {
    let (values, link) = match text.map(|g| g.split_once('@').unwrap_or((g, ""))) {
        None | Some((_, "")) => (text.unwrap_or("").trim_end_matches('@'), tip(model)?),
        Some((values, link)) => (values, link.to_string()),
    };
    let at = match numbers(if values.is_empty() { "0,0,0" } else { values }, option)?.as_slice() {
        [x, y, z] => vec3(*x, *y, *z),
        all => return Err(format!("`{option}` has {} numbers: expected three", all.len())),
    };
    Ok((self::link(model, &link)?, at))
}

/// The name of the end link, if there is only one.
pub fn tip(model: &Model<f64>) -> Result<String, String> {
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
        many => Err(format!("`{}` has several end links ({}); name one of them", model.name(), many.join(", "))),
    }
}
