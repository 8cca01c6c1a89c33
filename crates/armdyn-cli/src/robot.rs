//! The robot of a command: bundled or from a file, with the changes that options make.

use crate::format::{many, number, position_unit};
use crate::limits::LimitCheck;
use crate::values::{Kind, Reader, numbers};
use crate::{CommandError, args, diagnostics, embedding, format};
use armdyn_core::{Error, Inertia, JointId, Limits, LinkId, Model, Sym3, Tool, Transform, Vec3, vec3};
use armdyn_import::{Description, Loaded, Options, Severity, check};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The model with the changes of the options. Prints errors in its file with their positions, and a summary of warnings.
/// Positions of locked joints may be in degrees.
pub fn open(args: &args::Robot, deg: bool) -> Result<Model<f64>, CommandError> {
    prepare(&describe(&args.robot, &args.import)?, args, deg)
}

/// The model of a description with the changes of the options.
pub fn prepare(description: &Description, args: &args::Robot, deg: bool) -> Result<Model<f64>, CommandError> {
    let mut model = locked(description, &args.lock, deg)?;
    for payload in &args.payload {
        model = with_payload(&model, "--payload", payload)?;
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

/// The model of a description with joints locked. Prints the positions that it chooses.
pub fn locked(description: &Description, args: &args::Lock, deg: bool) -> Result<Model<f64>, CommandError> {
    let model = self::model(description)?;
    let locks = locks(&model, args, deg)?;
    for Locked { joint, q, chosen } in &locks {
        let info = &model.joints()[*joint];
        for ((v, q), how) in info.v.clone().zip(q).zip(chosen) {
            let scale = if deg && model.is_rotational(v) { 1f64.to_degrees() } else { 1.0 };
            let (at, unit, dof) = (number(q * scale), position_unit(&model, v, deg), &model.dof_names()[v]);
            diagnostics::note(format_args!("`{dof}` is locked at {at} {unit}{how}"));
        }
    }
    let locks: Vec<(JointId, Vec<f64>)> = locks.into_iter().map(|lock| (lock.joint, lock.q)).collect();
    Ok(model.with_locked(&locks)?)
}

/// A joint that `--lock` names, its coordinates, and for each that was not given how it was chosen.
struct Locked {
    joint: JointId,
    q: Vec<f64>,
    chosen: Vec<&'static str>,
}

/// The options `--lock` in SI units, with the positions that they leave open.
pub fn lock_options(description: &Description, args: &args::Lock, deg: bool) -> Result<Vec<String>, CommandError> {
    let model = self::model(description)?;
    let text = |lock: Locked| {
        let q: Vec<String> = lock.q.iter().map(ToString::to_string).collect();
        format!("{}={}", model.joints()[lock.joint].name, q.join(","))
    };
    Ok(locks(&model, args, deg)?.into_iter().map(text).collect())
}

fn locks(model: &Model<f64>, args: &args::Lock, deg: bool) -> Result<Vec<Locked>, CommandError> {
    let reader = Reader { model, deg };
    let mut locks: Vec<Locked> = vec![];
    for text in &args.lock {
        let (name, value) = match model.joint(text) {
            Ok(_) => (text.as_str(), None),
            Err(_) => text.rsplit_once('=').map_or((text.as_str(), None), |(name, value)| (name.trim(), Some(value))),
        };
        let joint = model.joint(name).map_err(|e| {
            let moving = model.joints().iter().filter(|j| !j.v.is_empty()).map(|j| j.name.as_str());
            format!("`--lock {text}`: {e}; its joints are {}", moving.collect::<Vec<_>>().join(", "))
        })?;
        let info = &model.joints()[joint];
        if info.bodies.is_empty() {
            return Err(format!("`--lock {text}`: joint `{name}` is fixed already").into());
        }
        if locks.iter().any(|lock| lock.joint == joint) {
            return Err(format!("`--lock` names `{name}` twice").into());
        }
        let mut q = vec![0.0; model.nq()];
        model.neutral(&mut q)?;
        let mut chosen = vec![];
        match value {
            Some(value) => {
                let values = numbers(value, "--lock")?;
                if values.len() != info.q.len() && !info.q.is_empty() {
                    let (count, expected) = (many(values.len(), "value"), info.q.len());
                    return Err(format!("`--lock {text}` has {count}: joint `{name}` needs {expected}").into());
                }
                let scales = reader.scales(&Kind::Position);
                info.q.clone().zip(values).for_each(|(k, x)| q[k] = x * scales[k]);
                reader.check_quaternions(&q).map_err(|e| format!("`--lock {text}`: {e}"))?;
                LimitCheck::new(&reader).warn(&q, |k| info.q.contains(&k));
            }
            None if info.q.len() == info.v.len() => {
                for (k, v) in info.q.clone().zip(info.v.clone()) {
                    let (at, how) = default_position(&model.limits()[v]);
                    q[k] = at;
                    chosen.push(how);
                }
            }
            None => {}
        }
        locks.push(Locked { joint, q: q[info.q.clone()].to_vec(), chosen });
    }
    Ok(locks)
}

/// Where a joint is locked by default, and why if it is not at zero.
fn default_position(l: &Limits) -> (f64, &'static str) {
    match (l.lower.is_finite(), l.upper.is_finite()) {
        _ if l.lower <= 0.0 && l.upper >= 0.0 => (0.0, ""),
        (true, true) => (0.5 * (l.lower + l.upper), ", the middle of its range, which excludes 0"),
        (true, false) => (l.lower, ", its lower limit"),
        _ => (l.upper, ", its upper limit"),
    }
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
    // An embedding program had them when it loaded the robot.
    if !counted.is_empty() && embedding::host().is_none_or(|host| host.robot().is_none()) {
        let effect = if counts[0].0 > 0 { "results may be wrong; " } else { "" };
        let counted = counted.join(" and ");
        diagnostics::warn(format_args!("`{robot}` has {counted}: {effect}see `armdyn check {robot}`"));
    }
    Ok((description, loaded))
}

/// Adds the findings about the robot to those about its file; mesh files are not opened.
pub fn checked(mut loaded: Loaded) -> Loaded {
    if let Some(robot) = &loaded.description {
        loaded.findings.extend(check(robot));
    }
    loaded
}

/// Reads a bundled robot or a file; the robot of an embedding program takes its place.
pub fn find(path: &Path, options: &Options) -> Result<Loaded, CommandError> {
    if let Some(loaded) = embedding::host().and_then(|host| host.robot()) {
        return Ok(loaded);
    }
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

/// The model with the payload of an option, or without payloads: `none`.
pub fn with_payload(model: &Model<f64>, option: &str, text: &str) -> Result<Model<f64>, CommandError> {
    if text == "none" {
        return Ok(model.without_payloads());
    }
    let (link, inertia, pose) = payload(model, option, text)?;
    model.with_payload("payload", link, inertia, pose).map_err(|e| format!("`{option} {text}`: {e}").into())
}

/// The link, the inertia and its pose in the link, of a payload `mass[,x,y,z[,ixx,iyy,izz]][@link]`.
pub fn payload(
    model: &Model<f64>,
    option: &str,
    text: &str,
) -> Result<(LinkId, Inertia<f64>, Transform<f64>), CommandError> {
    let (values, link) = text.split_once('@').map_or((text, None), |(values, link)| (values, Some(link)));
    let named = link.map(|link| self::link(model, link)).transpose().map_err(|e| format!("`{option} {text}`: {e}"))?;
    let numbers = numbers(values, option)?;
    let mass = |mass, centre, tensor| Inertia::about_centre(mass, centre, tensor);
    let inertia = match numbers[..] {
        [m] => mass(m, Vec3::zero(), Sym3::zero()),
        [m, x, y, z] => mass(m, vec3(x, y, z), Sym3::zero()),
        [m, x, y, z, xx, yy, zz] => mass(m, vec3(x, y, z), Sym3::diagonal(xx, yy, zz)),
        ref all => return Err(format!("`{option}` has {}: expected 1, 4 or 7", many(all.len(), "number")).into()),
    };
    inertia.validate().map_err(|fault| format!("`{option} {text}`: {fault}"))?;
    let option = format!("{option} {}", numbers[0]);
    let (link, pose) = match (named, numbers.len()) {
        (Some(link), _) => (link, Transform::identity()),
        (None, 1) => {
            let tool = model.tool().map_err(|e| no_tool(e, &format!("{option},X,Y,Z@LINK")))?;
            diagnostics::note(format_args!("payload of {} kg at the {}", numbers[0], describe_tool(model, &tool)));
            (tool.link, tool.pose)
        }
        (None, _) => {
            let link = tool_link(model, &format!("{option},X,Y,Z@LINK"))?;
            diagnostics::note(format_args!("payload of {} kg on `{}`", numbers[0], model.links()[link].name));
            (link, Transform::identity())
        }
    };
    Ok((link, inertia, pose))
}

/// The configuration closest to zero within the joint limits.
pub fn configuration(m: &Model<f64>) -> Result<Vec<f64>, Error> {
    let mut q = vec![0.0; m.nq()];
    m.neutral(&mut q)?;
    for j in m.joints().iter().filter(|j| j.q.len() == j.v.len()) {
        for (q, limits) in q[j.q.clone()].iter_mut().zip(&m.limits()[j.v.clone()]) {
            *q = q.max(limits.lower).min(limits.upper);
        }
    }
    Ok(q)
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

/// The tool: the point `X,Y,Z[@LINK]` of a link, by default of the robot's tool link; without text, the robot's tool.
pub fn tool(model: &Model<f64>, text: Option<&str>) -> Result<Tool, CommandError> {
    let example = "--tool X,Y,Z@LINK";
    let Some(text) = text else { return model.tool().map_err(|e| no_tool(e, example)) };
    let (values, link) = text.split_once('@').unwrap_or((text, ""));
    let at = match numbers(if values.is_empty() { "0,0,0" } else { values }, "--tool")?.as_slice() {
        [x, y, z] => vec3(*x, *y, *z),
        all => return Err(format!("`--tool` has {}: expected three", many(all.len(), "number")).into()),
    };
    let link = if link.is_empty() { tool_link(model, example)? } else { self::link(model, link)? };
    Ok(Tool::at(link, at))
}

/// The frame of a name: of a link, or the robot's tool: `tool`.
pub fn frame(model: &Model<f64>, name: &str) -> Result<Tool, CommandError> {
    match model.link(name) {
        Err(_) if name == "tool" => model.tool().map_err(|e| no_tool(e, "--link LINK")),
        _ => Ok(Tool::at(link(model, name)?, Vec3::zero())),
    }
}

/// The frame of the Cartesian form: a link's, or at a tool.
pub fn task(model: &Model<f64>, args: &args::Cartesian) -> Result<Tool, CommandError> {
    match &args.link {
        Some(name) => frame(model, name),
        None => tool(model, args.tool.as_deref()),
    }
}

/// The link of the tool, or the only end link.
fn tool_link(model: &Model<f64>, example: &str) -> Result<LinkId, CommandError> {
    match (model.tool(), &model.end_links()[..]) {
        (Ok(tool), _) => Ok(tool.link),
        (Err(_), [end]) => Ok(*end),
        (Err(e), _) => Err(no_tool(e, example)),
    }
}

/// The error of a robot without a known tool, with an example of the option that gives it.
pub fn no_tool(error: Error, example: &str) -> CommandError {
    format!("{error}; pass `{example}`, or define `[tool]` in an armdyn file").into()
}

/// The tool in words: where it is, and how it was chosen.
pub fn describe_tool(model: &Model<f64>, tool: &Tool) -> String {
    let at = tool.position().to_array();
    let at = if at == [0.0; 3] { String::new() } else { format!(" at ({}) m", format::numbers(&at).join(", ")) };
    format!("tool on `{}`{at} ({})", model.links()[tool.link].name, tool.source.describe())
}

/// The tool in JSON: its link, its pose in the link's frame, and how it was chosen.
pub fn tool_json(model: &Model<f64>, tool: &Tool) -> Value {
    json!({
        "link": model.links()[tool.link].name, "position": tool.position().to_array(),
        "rotation": tool.pose.rotation.to_rows(), "source": tool.source.describe(),
    })
}
