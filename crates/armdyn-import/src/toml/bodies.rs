//! Inertia of a link: its own mass, centre of mass and tensor, and further parts.

use super::fields::{Entry, Fields, Reader};
use crate::description::PartDescription;
use crate::findings::{A005, A202};
use crate::solids::Solid;
use crate::units::Quantity::{Angle, Density, Inertia as Moment, Length, Mass, Number};
use armdyn_core::{Inertia, Rotation, Sym3, Transform, Vec3};
use std::f64::consts::FRAC_PI_2;

/// Fields of a table that describes a body.
pub(super) const BODY: [&str; 5] = ["mass", "centre", "first_moment", "inertia", "bodies"];

/// Kinds of parts and their fields.
const KINDS: [(&str, &[&str]); 8] = [
    ("point", &[]),
    ("rod", &["along", "length"]),
    ("cylinder", &["along", "length", "radius", "diameter"]),
    ("tube", &["along", "length", "outer", "inner"]),
    ("box", &["size"]),
    ("cube", &["side"]),
    ("sphere", &["radius", "diameter"]),
    ("solid", &["inertia", "first_moment"]),
];

/// Reference point of a tensor.
#[derive(Clone, Copy, PartialEq)]
enum About {
    Centre,
    Origin,
}

/// The parts of a link, base or payload.
pub(super) fn parts(r: &mut Reader, f: &Fields, name: &str) -> Vec<PartDescription> {
    let mut parts: Vec<PartDescription> = own(r, f, name).into_iter().collect();
    if let Some(bodies) = f.get("bodies") {
        let entries = r.list(&bodies);
        parts.extend(entries.iter().filter_map(|e| part(r, e)));
    }
    for p in &parts {
        if p.inertia.components().iter().any(|x| !x.is_finite()) {
            let message = format!("{}: mass, first moment or inertia of `{}` overflows", f.subject, p.name);
            r.report(A202, &p.place, message);
        }
    }
    parts
}

fn own(r: &mut Reader, f: &Fields, name: &str) -> Option<PartDescription> {
    if !["mass", "centre", "first_moment", "inertia"].iter().any(|k| f.has(k)) {
        return None;
    }
    let mass = r.require_number(f, "mass", Mass);
    let tensor = tensor(r, f);
    let first = first_moment(r, f, tensor.as_ref().and_then(|t| t.as_ref()), "centre");
    let centre = Vec3::lift(r.vector(f, "centre", Length).unwrap_or_default());
    let mass = mass?;
    let inertia = match (first?, tensor?) {
        (Some(first), t) => Inertia { mass, first, second: t.map_or(Sym3::zero(), |t| t.1) },
        (None, Some((About::Origin, t))) => Inertia::about_origin(mass, centre, t),
        (None, Some((About::Centre, t))) => Inertia::about_centre(mass, centre, t),
        (None, None) => Inertia::point(mass, centre),
    };
    let place = f.place_of(if f.has("inertia") { "inertia" } else { "mass" });
    Some(PartDescription { name: name.to_string(), place, inertia })
}

/// The first moment about the origin; requires a tensor about the origin. The outer `None` means that it is invalid.
fn first_moment(
    r: &mut Reader,
    f: &Fields,
    tensor: Option<&(About, Sym3<f64>)>,
    instead: &str,
) -> Option<Option<Vec3<f64>>> {
    let Some(entry) = f.get("first_moment") else { return Some(None) };
    if f.has(instead) {
        r.report(A005, &entry.place, format!("{}: use either `first_moment` or `{instead}`", f.subject));
    }
    if tensor.is_none_or(|t| t.0 != About::Origin) && !(f.has("inertia") && tensor.is_none()) {
        r.invalid::<()>(&entry, "requires `inertia` with about = \"origin\"");
    }
    // m c in kg m has no unit here: a plain number.
    Some(Some(Vec3::lift(r.numbers(&entry, Number)?)))
}

/// The tensor, if any. The outer `None` means that it is invalid.
fn tensor(r: &mut Reader, f: &Fields) -> Option<Option<(About, Sym3<f64>)>> {
    let Some(entry) = f.get("inertia") else { return Some(None) };
    let t = r.fields(&entry, format!("{}, inertia", f.subject), &["about", "xx", "yy", "zz", "xy", "xz", "yz"])?;
    let about = r.require(&t, "about").and_then(|e| r.choice(&e, &["centre", "origin"], A005));
    let [xx, xy, xz, yy, yz, zz] =
        ["xx", "xy", "xz", "yy", "yz", "zz"].map(|k| r.number(&t, k, Moment).unwrap_or_default());
    let about = if about? == 0 { About::Centre } else { About::Origin };
    Some(Some((about, Sym3 { xx, xy, xz, yy, yz, zz })))
}

fn part(r: &mut Reader, entry: &Entry) -> Option<PartDescription> {
    // The kind determines the known fields.
    let f = r.fields(entry, entry.called.clone(), &[])?;
    let names = KINDS.map(|(name, _)| name);
    let (kind, own) = *KINDS.get(r.require(&f, "kind").and_then(|e| r.choice(&e, &names, A005))?)?;
    let mut known = vec!["kind", "name", "mass", "at"];
    if kind != "solid" {
        known.push("density");
    }
    known.extend(own);
    r.fields(entry, format!("{} ({kind})", entry.called), &known)?;
    let name = r.text(&f, "name").unwrap_or(kind).to_string();
    let f = f.called(format!("{} ({name})", entry.called));
    let pose = if f.has("at") { pose(r, &f, "at") } else { Some(Transform::identity()) };
    let done = |inertia| Some(PartDescription { name: name.clone(), place: f.place.clone(), inertia });
    if kind == "solid" {
        return done(solid(r, &f, pose)?);
    }
    let shape = shape(r, &f, kind);
    let mass = mass(r, &f, shape);
    done(shape?.inertia(mass?).transformed(&pose?))
}

/// A part with a given tensor: about the centre in the axes of `at`, about the origin in the link's axes.
fn solid(r: &mut Reader, f: &Fields, pose: Option<Transform<f64>>) -> Option<Inertia<f64>> {
    let mass = r.require_number(f, "mass", Mass);
    r.require(f, "inertia");
    let tensor = tensor(r, f);
    let first = first_moment(r, f, tensor.as_ref().and_then(|t| t.as_ref()), "at");
    let (mass, pose) = (mass?, pose?);
    let (about, t) = tensor??;
    if let Some(first) = first? {
        return Some(Inertia { mass, first, second: t });
    }
    if about == About::Centre {
        return Some(Inertia::about_centre(mass, Vec3::zero(), t).transformed(&pose));
    }
    if pose.rotation != Rotation::identity() {
        let message =
            format!("{}: a tensor about the origin is in the link's axes; `at` must not rotate it", f.subject);
        r.report(A005, &f.place_of("at"), message);
    }
    Some(Inertia::about_origin(mass, pose.translation, t))
}

fn shape(r: &mut Reader, f: &Fields, kind: &str) -> Option<Solid> {
    match kind {
        "point" => Some(Solid::Point),
        "rod" => {
            let (along, length) = (along(r, f), r.require_positive(f, "length", Length));
            Some(Solid::Rod { along: along?, length: length? })
        }
        "cylinder" => {
            let (along, length, outer) = (along(r, f), r.require_positive(f, "length", Length), radius(r, f));
            Some(Solid::Cylinder { along: along?, length: length?, outer: outer?, inner: 0.0 })
        }
        "tube" => {
            let (along, length) = (along(r, f), r.require_positive(f, "length", Length));
            let (outer, inner) = rings(r, f)?;
            Some(Solid::Cylinder { along: along?, length: length?, outer: outer / 2.0, inner: inner / 2.0 })
        }
        "box" => {
            let entry = r.require(f, "size")?;
            let size = r.numbers::<3>(&entry, Length)?;
            if size.iter().any(|x| *x < 0.0) {
                r.invalid::<()>(&entry, "must not have negative components");
            }
            Some(Solid::Box { size })
        }
        "cube" => r.require_positive(f, "side", Length).map(|side| Solid::Box { size: [side; 3] }),
        _ => radius(r, f).map(|radius| Solid::Sphere { radius }),
    }
}

fn along(r: &mut Reader, f: &Fields) -> Option<usize> {
    r.require(f, "along").and_then(|e| r.choice(&e, &["x", "y", "z"], A005))
}

/// `radius`, or half of `diameter`.
fn radius(r: &mut Reader, f: &Fields) -> Option<f64> {
    match (f.has("radius"), f.has("diameter")) {
        (true, false) => r.require_positive(f, "radius", Length),
        (false, true) => r.require_positive(f, "diameter", Length).map(|d| d / 2.0),
        (true, true) => r.either(f, "radius", "diameter"),
        (false, false) => r.missing(f, "`radius` or `diameter`"),
    }
}

/// `outer` and `inner` diameters of a tube.
pub(super) fn rings(r: &mut Reader, f: &Fields) -> Option<(f64, f64)> {
    let outer = r.require_positive(f, "outer", Length);
    let inner = r.require_number(f, "inner", Length);
    let (outer, inner) = (outer?, inner?);
    if !(0.0..=outer).contains(&inner) {
        let message = format!("{}: `inner` ({inner} m) must be between zero and `outer` ({outer} m)", f.subject);
        r.report(A005, &f.place_of("inner"), message);
    }
    Some((outer, inner))
}

/// `mass`, or `density` times the volume.
fn mass(r: &mut Reader, f: &Fields, shape: Option<Solid>) -> Option<f64> {
    match (f.has("mass"), f.has("density")) {
        (true, false) => r.number(f, "mass", Mass),
        (true, true) => r.either(f, "mass", "density"),
        (false, true) => {
            let density = r.number(f, "density", Density);
            let volume = shape?.volume();
            if volume.is_none() {
                r.report(A005, &f.place_of("density"), format!("{}: a thin body has no volume; use `mass`", f.subject));
            }
            Some(density? * volume?)
        }
        (false, false) => r.missing(f, "`mass` or `density`"),
    }
}

/// `{ xyz, rpy }`, or `{ xyz, rotation }` with the matrix's rows.
pub(super) fn pose(r: &mut Reader, f: &Fields, key: &str) -> Option<Transform<f64>> {
    let entry = f.get(key)?;
    let p = r.fields(&entry, format!("{}, {key}", f.subject), &["xyz", "rpy", "rotation"])?;
    let xyz = if p.has("xyz") { r.vector(&p, "xyz", Length)? } else { [0.0; 3] };
    let rotation = match (p.get("rpy"), p.get("rotation")) {
        (Some(_), Some(_)) => return r.either(&p, "rpy", "rotation"),
        (Some(e), None) => {
            let [roll, pitch, yaw] = r.numbers(&e, Angle)?;
            rpy(roll, pitch, yaw)
        }
        (None, Some(e)) => matrix(r, &e)?,
        (None, None) => Rotation::identity(),
    };
    Some(Transform::new(rotation, Vec3::lift(xyz)))
}

fn matrix(r: &mut Reader, entry: &Entry) -> Option<Rotation<f64>> {
    let rows: Vec<Option<[f64; 3]>> = r.list(entry).iter().map(|e| r.numbers(e, Number)).collect();
    let rows: Option<[[f64; 3]; 3]> = match rows.as_slice() {
        [a, b, c] => Some([(*a)?, (*b)?, (*c)?]),
        _ => None,
    };
    let rotation = rows.map(Rotation::from_rows).filter(|m| {
        let products = [m.x.dot(m.y), m.y.dot(m.z), m.z.dot(m.x), m.x.cross(m.y).dot(m.z) - 1.0];
        let lengths = [m.x, m.y, m.z].map(|a| a.norm_squared() - 1.0);
        products.iter().chain(&lengths).all(|x| x.abs() < 1e-6)
    });
    let expected = "is not a rotation matrix: expected three orthonormal rows with determinant 1";
    rotation.or_else(|| r.invalid(entry, expected))
}

/// Roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll).
pub(crate) fn rpy(roll: f64, pitch: f64, yaw: f64) -> Rotation<f64> {
    about(2, yaw).compose(&about(1, pitch)).compose(&about(0, roll))
}

/// A rotation about a coordinate axis; exact for quarter turns.
pub(super) fn about(axis: usize, angle: f64) -> Rotation<f64> {
    let quarters = [(0.0, (0.0, 1.0)), (1.0, (1.0, 0.0)), (2.0, (0.0, -1.0)), (3.0, (-1.0, 0.0))];
    let exact = quarters.into_iter().find(|(k, _)| angle.abs() == k * FRAC_PI_2);
    let turn = match exact {
        Some((_, (s, c))) => (if angle < 0.0 { -s } else { s }, c),
        None => angle.sin_cos(),
    };
    Rotation::about(Vec3::unit(axis), turn)
}
