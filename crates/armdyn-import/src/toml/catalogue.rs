//! Reader of catalogues of motors and gears (`docs/format.md`, "A catalogue of motors and gears").

use super::fields::{Entry, Fields, Reader};
use super::{document, version};
use crate::findings::{A005, A102};
use crate::units::Quantity::{AngularSpeed, Force, Inertia, Length, Mass, Number, Resistance, Torque, TorqueConstant};
use crate::{Diagnostics, LoadedCatalogue, findings, read_text};
use armdyn_core::{Catalogue, Gear, Motor, OperatingLimit};
use std::collections::HashSet;
use std::f64::consts::TAU;
use std::path::Path;

const MOTOR: [&str; 6] = ["name", "mass", "inertia", "curve", "torque_constant", "resistance"];
const GEAR: [&str; 9] = ["name", "mass", "ratio", "lead", "efficiency", "inertia", "max_speed", "average", "peak"];

/// The bundled catalogue, by its name.
const GENERIC: (&str, &str) = ("generic", include_str!("../../catalogues/generic.toml"));

/// Loads a catalogue of motors and gears: a TOML file, or the bundled one, `generic`.
pub fn load_catalogue(path: &Path) -> LoadedCatalogue {
    let bundled = (path.as_os_str() == GENERIC.0).then(|| GENERIC.1.to_string());
    let text = match bundled.map_or_else(|| read_text(path), Ok) {
        Ok(text) => text,
        Err(message) => {
            let findings = vec![findings::Finding::of_file(findings::A001, message)];
            return LoadedCatalogue { findings, ..LoadedCatalogue::default() };
        }
    };
    let mut diagnostics = Diagnostics::default();
    let file = diagnostics.sources.add(path, text);
    let catalogue = document(&mut diagnostics, file, catalogue);
    let Diagnostics { sources, findings } = diagnostics;
    let valid = findings.iter().all(|f| f.code.severity != findings::Severity::Error);
    LoadedCatalogue { catalogue: catalogue.filter(|_| valid), findings, sources }
}

fn catalogue(r: &mut Reader, table: &toml_edit::Table) -> Option<Catalogue> {
    let root = r.root(table, "catalogue", &["version", "name", "origin", "motor", "gear"]);
    version(r, &root, table);
    let name = r.name(&root, "name").unwrap_or_default().to_string();
    let origin = r.text(&root, "origin").map(str::to_string);
    let (motors, gears) = (all(r, &root, "motor", motor), all(r, &root, "gear", gear));
    let mut names = HashSet::new();
    for (entry, name) in motors.iter().map(|(e, m)| (e, &m.name)).chain(gears.iter().map(|(e, g)| (e, &g.name))) {
        if !names.insert(name) {
            r.report(A102, &entry.place, format!("duplicate motor or gear `{name}`"));
        }
    }
    let (motors, gears) = (motors.into_iter().map(|m| m.1).collect(), gears.into_iter().map(|g| g.1).collect());
    Some(Catalogue { name, origin, motors, gears })
}

/// All entries of an array of tables; at least one.
fn all<'t, T>(
    r: &mut Reader,
    root: &Fields<'t>,
    key: &str,
    read: fn(&mut Reader, &Entry<'t>) -> Option<T>,
) -> Vec<(Entry<'t>, T)> {
    let Some(list) = r.require(root, key) else { return vec![] };
    r.list(&list).into_iter().filter_map(|e| read(r, &e).map(|item| (e, item))).collect()
}

fn motor(r: &mut Reader, entry: &Entry) -> Option<Motor> {
    let f = r.fields(entry, "motor".to_string(), &MOTOR)?;
    let name = r.name(&f, "name");
    let f = f.named("motor", name);
    let mass = r.require_positive(&f, "mass", Mass);
    let inertia = r.require_positive(&f, "inertia", Inertia);
    let curve = r.require(&f, "curve").and_then(|e| curve(r, &f, &e));
    let [constant, resistance] =
        [("torque_constant", TorqueConstant), ("resistance", Resistance)].map(|(key, of)| r.size(&f, key, of));
    if constant.is_some() != resistance.is_some() {
        r.missing::<()>(&f, "`torque_constant` or `resistance`: the copper loss needs both");
    }
    let copper_loss = constant.zip(resistance).map(|(k, r)| r / (k * k));
    Some(Motor { name: name?.to_string(), mass: mass?, inertia: inertia?, curve: curve?, copper_loss })
}

fn curve(r: &mut Reader, f: &Fields, entry: &Entry) -> Option<Vec<OperatingLimit>> {
    let mut points: Vec<OperatingLimit> = vec![];
    for e in r.list(entry) {
        let p = r.fields(&e, format!("{}, curve", f.subject), &["speed", "continuous", "peak"])?;
        let speed = r.require_number(&p, "speed", AngularSpeed);
        let continuous = r.require_positive(&p, "continuous", Torque);
        let peak = r.require_positive(&p, "peak", Torque);
        let point = OperatingLimit { speed: speed?, continuous: continuous?, peak: peak? };
        if point.peak < point.continuous {
            return r.invalid(&e, "has a peak torque below the continuous torque");
        }
        if point.speed < 0.0 || points.last().is_some_and(|last| last.speed >= point.speed) {
            return r.invalid(&e, "has a speed that is not above the one before");
        }
        points.push(point);
    }
    match points.last() {
        Some(last) if last.speed > 0.0 => Some(points),
        _ => r.invalid(entry, "needs at least one point with a speed above 0: the maximum speed"),
    }
}

fn gear(r: &mut Reader, entry: &Entry) -> Option<Gear> {
    let f = r.fields(entry, "gear".to_string(), &GEAR)?;
    let name = r.name(&f, "name");
    let f = f.named("gear", name);
    let mass = r.require_number(&f, "mass", Mass);
    let linear = f.has("lead");
    let ratio = match (f.has("ratio"), linear) {
        (true, true) => r.either(&f, "ratio", "lead"),
        (false, false) => r.missing(&f, "`ratio` or `lead`"),
        (true, false) => r.require_positive(&f, "ratio", Number),
        (false, true) => r.require_positive(&f, "lead", Length).map(|lead| TAU / lead),
    };
    let efficiency = r.require_positive(&f, "efficiency", Number);
    if let Some(x) = efficiency.filter(|x| *x > 1.0) {
        let message = format!("{}: `efficiency` is {x}: expected at most 1", f.subject);
        r.report(A005, &f.place_of("efficiency"), message);
    }
    let inertia = r.number(&f, "inertia", Inertia).unwrap_or(0.0);
    if mass.is_some_and(|x| x < 0.0) || inertia < 0.0 {
        r.report(A005, &f.place, format!("{}: mass and inertia must not be negative", f.subject));
    }
    let load = if linear { Force } else { Torque };
    let [max_speed, average, peak] = [("max_speed", AngularSpeed), ("average", load), ("peak", load)]
        .map(|(key, of)| r.size(&f, key, of).unwrap_or(f64::INFINITY));
    let name = name?.to_string();
    Some(Gear { name, mass: mass?, ratio: ratio?, linear, efficiency: efficiency?, inertia, max_speed, average, peak })
}
