//! URDF links: inertia, and sizes of visual and collision shapes.

use super::origin;
use crate::findings::A502;
use crate::message::short;
use crate::xml::{Element, Reader};
use crate::{Form, LinkDescription, MeshFile, PartDescription, Shape};
use armdyn_core::{Inertia, Sym3, Vec3};

/// A link.
pub(super) fn link(r: &mut Reader, e: &Element) -> Option<LinkDescription> {
    let name = r.name(e, "a link")?;
    let subject = format!("link `{name}`");
    r.unused_attributes(e, &["name"], &subject);
    r.unused_children(e, &["inertial", "visual", "collision"], &subject);
    let part = r.single_child(e, "inertial", &subject).and_then(|i| inertial(r, i, &name, &subject));
    let shapes = e.children.iter().filter(|c| c.name == "visual" || c.name == "collision");
    let shapes = shapes.filter_map(|c| shape(r, c, &subject)).collect();
    Some(LinkDescription { name, place: e.place.clone(), parts: part.into_iter().collect(), shapes, beam: None })
}

fn inertial(r: &mut Reader, e: &Element, name: &str, subject: &str) -> Option<PartDescription> {
    r.unused_attributes(e, &[], subject);
    r.unused_children(e, &["origin", "mass", "inertia"], subject);
    let pose = origin(r, e, subject);
    let mass = r.required_child(e, "mass", subject).and_then(|m| {
        r.unused_attributes(m, &["value"], subject);
        r.required_attribute(m, "value", subject)?;
        r.weight(m, "value", ("mass", "kg"), subject)
    });
    let tensor = r.required_child(e, "inertia", subject).and_then(|i| {
        let names = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
        r.unused_attributes(i, &names, subject);
        let [xx, xy, xz, yy, yz, zz] = names.map(|n| r.required(i, n, subject));
        Some(Sym3 { xx: xx?, xy: xy?, xz: xz?, yy: yy?, yz: yz?, zz: zz? })
    });
    let inertia = Inertia::about_centre(mass?, Vec3::zero(), tensor?).transformed(&pose);
    Some(PartDescription { name: name.to_string(), place: e.place.clone(), inertia })
}

/// A visual or collision shape.
fn shape(r: &mut Reader, e: &Element, subject: &str) -> Option<Shape> {
    r.unused_attributes(e, &["name"], subject);
    r.unused_children(e, &["origin", "geometry"], subject);
    let pose = origin(r, e, subject);
    let geometry = r.required_child(e, "geometry", subject)?;
    let solids = ["box", "cylinder", "sphere", "capsule", "mesh"];
    r.unused_children(geometry, &solids, subject);
    let solid = geometry.children.iter().find(|c| solids.contains(&c.name.as_str()))?;
    let visual = e.name == "visual";
    let used: &[&str] = match solid.name.as_str() {
        "box" => &["size"],
        "sphere" => &["radius"],
        "mesh" => &["filename", "scale"],
        _ => &["radius", "length"],
    };
    r.unused_attributes(solid, used, subject);
    if solid.name == "mesh" {
        let file = r.required_attribute(solid, "filename", subject)?;
        let path = r.asset(&file.value, &file.place, subject);
        let asset = Some(file.value.clone());
        let scale = scale(r, solid, subject);
        let mesh = path.zip(scale).map(|(path, scale)| MeshFile { path, scale });
        let (place, form, size) = (solid.place.clone(), Form::Mesh, [0.0; 3]);
        return Some(Shape { place, pose, size, form, visual, asset, mesh });
    }
    let size = if solid.name == "box" {
        r.required_attribute(solid, "size", subject);
        r.numbers(solid, "size", subject)?
    } else {
        let radius = r.required(solid, "radius", subject);
        let length = if solid.name == "sphere" { Some(0.0) } else { r.required(solid, "length", subject) };
        let (radius, length) = (radius?, length?);
        let width = 2.0 * radius;
        [width, width, if solid.name == "cylinder" { length } else { length + width }]
    };
    let form = match solid.name.as_str() {
        "box" => Form::Box,
        "sphere" => Form::Ellipsoid,
        "capsule" => Form::Capsule,
        _ => Form::Cylinder,
    };
    Some(Shape { place: solid.place.clone(), pose, size, form, visual, asset: None, mesh: None })
}

/// The scale of a mesh, 1 by default. An invalid one is no error: it does not affect the dynamics.
fn scale(r: &mut Reader, mesh: &Element, subject: &str) -> Option<[f64; 3]> {
    let Some(a) = mesh.attribute("scale") else { return Some([1.0; 3]) };
    let numbers: Option<Vec<f64>> = a.value.split_whitespace().map(|w| w.parse().ok()).collect();
    let found = numbers.and_then(|v| <[f64; 3]>::try_from(v).ok()).filter(|v| v.iter().all(|x| x.is_finite()));
    if found.is_none() {
        r.report(
            A502,
            &a.place,
            format!("{subject}: `scale` of <mesh> is `{}`, not three numbers; ignored", short(&a.value)),
        );
    }
    found
}
