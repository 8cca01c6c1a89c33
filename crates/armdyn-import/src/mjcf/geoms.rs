//! Geoms: shapes, and masses where these define the body's inertia.

use super::Mjcf;
use super::bodies::{Contents, Owner, Scope};
use super::compiler::{ORIENTATIONS, from_z, normalized};
use crate::findings::*;
use crate::solids::Solid;
use crate::xml::Element;
use crate::{Form, Shape};
use armdyn_core::{Inertia, Transform, Vec3};

/// Geom types.
const TYPES: [&str; 9] = ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "plane", "hfield", "sdf"];

/// Geoms of this group and above are hidden in MuJoCo's viewer unless asked for: they only detect collisions.
const COLLISION_GROUP: f64 = 3.0;

/// Attributes that are used, besides the orientation.
pub(super) const USED: &[&str] =
    &["name", "class", "type", "pos", "fromto", "size", "mass", "density", "shellinertia", "group", "mesh", "hfield"];

impl Mjcf<'_, '_> {
    pub fn geom(&mut self, own: &Element, frame: &Transform<f64>, scope: &Scope, owner: &Owner, into: &mut Contents) {
        let name = own.attribute("name").map(|a| format!("geom `{}`", a.value));
        let subject = name.unwrap_or(format!("a geom of `{}`", owner.name));
        let weight = ["mass", "density", "shellinertia", "group"];
        let used: Vec<&str> = USED.iter().filter(|u| owner.weighs || !weight.contains(u)).copied().collect();
        self.r.unused_together(own, &[&used[..], &ORIENTATIONS].concat(), &subject);
        let e = &self.with_defaults(own, scope.class.as_deref());
        let Some(kind) =
            self.r.keyword(e, "type", &TYPES, &subject).or(e.attribute("type").is_none().then_some("sphere"))
        else {
            return;
        };
        let group = self.r.number(e, "group", &subject).unwrap_or(0.0);
        let [least, most] = self.compiler.groups;
        let weighs = owner.weighs && (least..=most).contains(&group) && self.mass(e, &subject) != Some(0.0);
        if kind == "plane" {
            return;
        }
        if matches!(kind, "mesh" | "sdf") || e.attribute("mesh").is_some() {
            let visual = group < COLLISION_GROUP;
            return self.mesh_geom(e, kind, frame, [weighs, visual], &subject, into);
        }
        let Some((solid, pose)) = self.solid(e, kind, &subject) else { return };
        let (pose, size) = (frame.compose(&pose), extents(&solid));
        if !self.finite(&pose, size, e, &subject) {
            return;
        }
        let (place, form, visual) = (e.place.clone(), form(&solid), group < COLLISION_GROUP);
        into.shapes.push(Shape { place, pose, size, form, visual, asset: None, mesh: None });
        if !weighs {
            return;
        }
        let shell = self.r.boolean(e, "shellinertia", &subject) == Some(true);
        let size = if shell { solid.surface() } else { solid.volume() };
        let mass = self.mass(e, &subject).unwrap_or(self.density(e, &subject) * size.unwrap_or(0.0));
        let inertia = if shell { solid.shell(mass) } else { Some(solid.inertia(mass)) };
        into.geoms.extend(inertia.map(|i| i.transformed(&pose)));
    }

    /// Checks that size and pose are finite: sums of finite numbers may overflow.
    fn finite(&mut self, pose: &Transform<f64>, size: [f64; 3], e: &Element, subject: &str) -> bool {
        let fine = pose.translation.is_finite() && size.iter().all(|x| x.is_finite());
        if !fine {
            self.r.report(A202, &e.place, format!("{subject}: its size or pose is not finite"));
        }
        fine
    }

    fn mass(&mut self, e: &Element, subject: &str) -> Option<f64> {
        self.r.weight(e, "mass", ("mass", "kg"), subject)
    }

    fn density(&mut self, e: &Element, subject: &str) -> f64 {
        self.r.weight(e, "density", ("density", "kg/m³"), subject).unwrap_or(1000.0)
    }

    /// A primitive solid and its pose in the enclosing frame.
    fn solid(&mut self, e: &Element, kind: &str, subject: &str) -> Option<(Solid, Transform<f64>)> {
        if kind == "hfield" {
            // MuJoCo treats a height field as a box of half its elevation.
            let [x, y, elevation, base] = self.hfield(e, subject)?;
            let solid = Solid::Box { size: [2.0 * x, 2.0 * y, elevation / 2.0 + base] };
            return Some((solid, self.pose(e, subject)));
        }
        let along = e.attribute("fromto").cloned();
        let needed = match (kind, along.is_some()) {
            ("sphere", true) => {
                self.r.report(A005, &along?.place, format!("{subject}: `fromto` is not allowed for a sphere"));
                return None;
            }
            ("sphere", _) | (_, true) => 1,
            ("capsule" | "cylinder", _) => 2,
            _ => 3,
        };
        let place = e.place_of("size");
        if e.attribute("size").is_none() {
            self.r.report(A004, place, format!("{subject} has no `size`"));
            return None;
        }
        let size = self.r.list(e, "size", 1, 3, subject)?;
        if size.len() < needed || size[..needed].iter().any(|x| *x <= 0.0) {
            let message = format!("{subject}: invalid `size` {size:?}: a {kind} needs {needed} positive values");
            self.r.report(A005, place, message);
            return None;
        }
        let mut size = [size[0], size.get(1).copied().unwrap_or(0.0), size.get(2).copied().unwrap_or(0.0)];
        let pose = match &along {
            None => self.pose(e, subject),
            Some(a) => {
                if self.r.numbers(e, "pos", subject).is_some_and(|pos: [f64; 3]| pos != [0.0; 3]) {
                    self.r.report(A005, e.place_of("pos"), format!("{subject} has both `pos` and `fromto`"));
                }
                let [a0, a1, a2, b0, b1, b2] = self.r.numbers(e, "fromto", subject)?;
                let (from, to): (Vec3<f64>, Vec3<f64>) = (Vec3::lift([a0, a1, a2]), Vec3::lift([b0, b1, b2]));
                let Some(axis) = normalized((to - from).to_array()) else {
                    self.r.report(A005, &a.place, format!("{subject}: `fromto` has zero length"));
                    return None;
                };
                let half = (to - from).norm() / 2.0;
                size =
                    if matches!(kind, "box" | "ellipsoid") { [size[0], size[0], half] } else { [size[0], half, 0.0] };
                Transform::new(from_z(axis), (from + to) * 0.5)
            }
        };
        let [x, y, _] = size;
        let solid = match kind {
            "sphere" => Solid::Sphere { radius: x },
            "capsule" => Solid::Capsule { length: 2.0 * y, radius: x },
            "cylinder" => Solid::Cylinder { along: 2, length: 2.0 * y, outer: x, inner: 0.0 },
            "ellipsoid" => Solid::Ellipsoid { semi: size },
            _ => Solid::Box { size: size.map(|s| 2.0 * s) },
        };
        Some((solid, pose))
    }

    /// A mesh geom, or one that is fitted to a mesh.
    fn mesh_geom(
        &mut self,
        e: &Element,
        kind: &str,
        frame: &Transform<f64>,
        [weighs, visual]: [bool; 2],
        subject: &str,
        into: &mut Contents,
    ) {
        let Some(named) = e.attribute("mesh").cloned() else {
            return self.r.report(A004, &e.place, format!("{subject} is a {kind} but has no `mesh`"));
        };
        let pose = frame.compose(&self.pose(e, subject));
        if weighs && kind != "mesh" {
            let message = format!("{subject}: the mass of a {kind} fitted to a mesh is not supported");
            return self.r.report(A011, &e.place, message);
        }
        let Some(found) = self.mesh(&named.value, &named.place, weighs, subject) else { return };
        let (place, size) = (e.place.clone(), found.size);
        let pose_of_box = pose.compose(&Transform::from_translation(found.middle));
        if !self.finite(&pose_of_box, size, e, subject) {
            return;
        }
        let asset = found.file.clone();
        into.shapes.push(Shape { place, pose: pose_of_box, size, form: Form::Mesh, visual, asset, mesh: None });
        let Some(unit) = found.inertia.filter(|_| weighs) else { return };
        if self.r.boolean(e, "shellinertia", subject) == Some(true) {
            let shell = e.place_of("shellinertia");
            let message =
                format!("{subject}: `shellinertia` is not allowed for a mesh; set `inertia` of the mesh asset");
            self.r.report(A005, shell, message);
        }
        let factor = match self.mass(e, subject) {
            Some(mass) => mass / unit.mass,
            None => self.density(e, subject),
        };
        let scaled: Inertia<f64> = unit.map(|x| x * factor);
        into.geoms.push(scaled.transformed(&pose));
    }
}

fn form(solid: &Solid) -> Form {
    match solid {
        Solid::Sphere { .. } | Solid::Ellipsoid { .. } => Form::Ellipsoid,
        Solid::Capsule { .. } => Form::Capsule,
        Solid::Cylinder { .. } => Form::Cylinder,
        Solid::Box { .. } | Solid::Point | Solid::Rod { .. } => Form::Box,
    }
}

/// Full extents of a solid.
fn extents(solid: &Solid) -> [f64; 3] {
    match *solid {
        Solid::Sphere { radius } => [2.0 * radius; 3],
        Solid::Capsule { length, radius } => [2.0 * radius, 2.0 * radius, length + 2.0 * radius],
        Solid::Cylinder { length, outer, .. } => [2.0 * outer, 2.0 * outer, length],
        Solid::Ellipsoid { semi } => semi.map(|s| 2.0 * s),
        Solid::Box { size } => size,
        Solid::Point | Solid::Rod { .. } => [0.0; 3],
    }
}
