//! The robot that a command works on: a bundled one or a file's, with what the options change about it.

use crate::format::many;
use crate::values::numbers;
use crate::{args, diagnostics};
use armdyn_core::{Inertia, LinkId, Model, Sym3, Transform, Vec3, vec3};
use armdyn_import::library::{bundled, nearest};
use armdyn_import::{Description, Loaded, Options, Severity, check, load};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The model, as the options want it. Errors in its file are told with their places; of anything less, that it is there.
pub fn open(args: &args::Robot) -> Result<Model<f64>, String> {
    prepare(&describe(&args.robot, &args.import)?, args)
}

/// The model of a description, as the options want it.
pub fn prepare(description: &Description, args: &args::Robot) -> Result<Model<f64>, String> {
    let mut model = description.model().map_err(|e| format!("`{}` makes no model: {e}", args.robot))?;
    for payload in &args.payload {
        model = loaded_with(&model, payload)?;
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
pub fn describe(robot: &str, finding: &args::Import) -> Result<Description, String> {
    let Loaded { description, findings, sources } = find(Path::new(robot), &options(finding)?)?;
    let odd = description.as_ref().map(check).unwrap_or_default();
    let count = |severity| findings.iter().chain(&odd).filter(|f| f.code.severity == severity).count();
    let (errors, warnings) = (many(count(Severity::Error), "error"), many(count(Severity::Warning), "warning"));
    let Some(description) = description else {
        diagnostics::print_errors(&findings, &sources);
        return Err(format!("`{robot}` cannot be used: {errors}"));
    };
    if findings.iter().chain(&odd).any(|f| f.code.severity > Severity::Note) {
        diagnostics::warn(format_args!(
            "{errors}, {warnings} about `{robot}`: its figures may be wrong; see `armdyn check {robot}`"
        ));
    }
    Ok(description)
}

/// Reads a bundled robot or a file.
pub fn find(path: &Path, options: &Options) -> Result<Loaded, String> {
    let robot = path.to_str().unwrap_or_default();
    if let Some(it) = bundled(robot) {
        return Ok(it.load());
    }
    if path.exists() || path.extension().is_some() || path.components().count() > 1 {
        return Ok(load(path, options));
    }
    let meant = nearest(robot).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    Err(format!(
        "there is no bundled robot `{robot}`, and no such file{meant} (`armdyn robots` lists those that are bundled)"
    ))
}

/// What a reader needs besides the file.
pub fn options(finding: &args::Import) -> Result<Options, String> {
    let packages = pairs(&finding.package)?.into_iter().map(|(name, dir)| (name, PathBuf::from(dir))).collect();
    Ok(Options { packages, arguments: pairs(&finding.arguments)? })
}

fn pairs(given: &[String]) -> Result<BTreeMap<String, String>, String> {
    let split = |s: &String| {
        let (name, value) = s.split_once('=').ok_or_else(|| format!("`{s}` should read NAME=VALUE"))?;
        Ok((name.to_string(), value.to_string()))
    };
    given.iter().map(split).collect()
}

fn gravity_vector(given: &str) -> Result<Vec3<f64>, String> {
    match numbers(given, "--gravity")?.as_slice() {
        [x, y, z] => Ok(vec3(*x, *y, *z)),
        [g] if *g >= 0.0 => Ok(vec3(0.0, 0.0, -g)),
        [_] => Err("--gravity: one number acts along -z and is not negative; give three for another direction".into()),
        all => Err(format!("--gravity: {} numbers, where three (or one) are asked for", all.len())),
    }
}

/// The model with a load: `mass[,x,y,z[,ixx,iyy,izz]][@link]`, or without any: `none`.
fn loaded_with(model: &Model<f64>, given: &str) -> Result<Model<f64>, String> {
    if given == "none" {
        return Ok(model.without_payloads());
    }
    let (figures, link) = match given.split_once('@') {
        Some((figures, link)) => (figures, link.to_string()),
        None => (given, tip(model)?),
    };
    let (mass, centre, tensor) = match numbers(figures, "--payload")?.as_slice() {
        [mass] => (*mass, Vec3::zero(), Sym3::zero()),
        [mass, x, y, z] => (*mass, vec3(*x, *y, *z), Sym3::zero()),
        [mass, x, y, z, xx, yy, zz] => (*mass, vec3(*x, *y, *z), Sym3::diagonal(*xx, *yy, *zz)),
        all => return Err(format!("--payload: {} numbers, where 1, 4 or 7 are asked for", all.len())),
    };
    let Sym3 { xx, yy, zz, .. } = tensor;
    if [[xx, yy, zz], [yy, zz, xx], [zz, xx, yy]].iter().any(|[a, b, c]| *a < 0.0 || *a > (b + c) * (1.0 + 1e-9)) {
        return Err(format!(
            "--payload {given}: no body has such moments: each is at least 0 and at most the other two together"
        ));
    }
    let inertia = Inertia::about_centre(mass, centre, tensor);
    let link = self::link(model, &link).map_err(|e| format!("--payload {given}: {e}"))?;
    let loaded = model.with_payload("payload", link, inertia, Transform::identity());
    loaded.map_err(|e| format!("--payload {given}: {e}"))
}

/// The link of this name.
pub fn link(model: &Model<f64>, name: &str) -> Result<LinkId, String> {
    model.link(name).map_err(|e| {
        let names: Vec<&str> = model.links().iter().map(|l| l.name.as_str()).collect();
        format!("{e}; its links are {}", names.join(", "))
    })
}

/// A point of a link: `x,y,z[@link]`, at the last link's origin by default.
pub fn point(model: &Model<f64>, given: Option<&str>, option: &str) -> Result<(LinkId, Vec3<f64>), String> {
    let (figures, link) = match given.map(|g| g.split_once('@').unwrap_or((g, ""))) {
        None | Some((_, "")) => (given.unwrap_or("").trim_end_matches('@'), tip(model)?),
        Some((figures, link)) => (figures, link.to_string()),
    };
    let at = match numbers(if figures.is_empty() { "0,0,0" } else { figures }, option)?.as_slice() {
        [x, y, z] => vec3(*x, *y, *z),
        all => return Err(format!("{} numbers, where three are asked for", all.len())),
    };
    Ok((self::link(model, &link)?, at))
}

/// The name of the link at the end, if there is but one.
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
        many => Err(format!("`{}` has several ends ({}): say which link is meant", model.name(), many.join(", "))),
    }
}
