//! Inertia of a body: from `<inertial>` or geoms, within the compiler's bounds.

use super::Mjcf;
use super::bodies::Contents;
use super::compiler::ORIENTATIONS;
use crate::PartDescription;
use crate::findings::*;
use crate::xml::Element;
use armdyn_core::{Inertia, Sym3, Transform, Vec3};

impl Mjcf<'_, '_> {
    /// The inertia of an `<inertial>`, in the body's frame.
    pub fn inertial(&mut self, e: &Element, frame: &Transform<f64>, body: &str) -> Option<Inertia<f64>> {
        let subject = format!("body `{body}`");
        let mut used = vec!["pos", "mass", "diaginertia", "fullinertia"];
        used.extend(ORIENTATIONS);
        self.r.unused_attributes(e, &used, &subject);
        self.r.required_attribute(e, "pos", &subject);
        let pose = frame.compose(&self.pose(e, &subject));
        self.r.required_attribute(e, "mass", &subject)?;
        let mass = self.r.weight(e, "mass", ("mass", "kg"), &subject)?;
        let (full, diagonal) = (e.attribute("fullinertia"), e.attribute("diaginertia"));
        let turned = e.attributes.iter().find(|a| ORIENTATIONS.contains(&a.name.as_str()));
        if let (Some(full), Some(other)) = (full, diagonal.or(turned)) {
            let message = format!("{subject}: <inertial> has both `fullinertia` and `{}`", other.name);
            self.r.report(A005, &full.place, message);
        }
        let tensor = if full.is_some() {
            let [xx, yy, zz, xy, xz, yz] = self.r.numbers(e, "fullinertia", &subject)?;
            Sym3 { xx, xy, xz, yy, yz, zz }
        } else {
            let [xx, yy, zz] = if diagonal.is_some() {
                self.r.numbers(e, "diaginertia", &subject)?
            } else {
                if self.compiler.min_inertia <= 0.0 && mass > 0.0 {
                    let message = format!("{subject}: <inertial> has neither `diaginertia` nor `fullinertia`");
                    self.r.report(A004, &e.place, message);
                }
                [0.0; 3]
            };
            Sym3::diagonal(xx, yy, zz)
        };
        Some(Inertia::about_centre(mass, Vec3::zero(), tensor).transformed(&pose))
    }

    /// The inertia of a body, within the compiler's bounds.
    ///
    /// As in MuJoCo, the mass that the bounds assign to an empty body is at `at`, its `pos`.
    pub fn part(&self, name: &str, e: &Element, contents: &Contents, at: Vec3<f64>) -> Option<PartDescription> {
        let c = &self.compiler;
        let geoms = contents.geoms.iter().fold(Inertia::zero(), |sum, i| sum + *i);
        let (found, place) = match &contents.inertial {
            Some((i, place)) if contents.geoms.is_empty() => (*i, place.clone()),
            _ => (geoms, e.place.clone()),
        };
        let bounded = c.balance || c.min_mass > 0.0 || c.min_inertia > 0.0;
        let inertia = if bounded && found.components().iter().all(|x| x.is_finite()) {
            let centre = if found.mass != 0.0 { found.centre() } else { at };
            let tensor = if found.mass != 0.0 { found.central() } else { found.second };
            let (moments, axes) = tensor.eigen();
            let mut moments = moments.map(|x| x.max(c.min_inertia));
            let [x, y, z] = moments;
            if c.balance && (x + y < z || y + z < x || z + x < y) {
                moments = [(x + y + z) / 3.0; 3];
            }
            let [x, y, z] = moments;
            let tensor = axes.rotate_tensor(&Sym3::diagonal(x, y, z));
            Inertia::about_centre(found.mass.max(c.min_mass), centre, tensor)
        } else {
            found
        };
        (inertia != Inertia::zero()).then(|| PartDescription { name: name.to_string(), place, inertia })
    }

    /// `settotalmass`: scales all masses and tensors by one factor.
    pub fn total_mass(&mut self, root: &Element) {
        let Some(total) = self.compiler.total_mass else { return };
        let parts = || self.robot.links.iter().flat_map(|l| &l.parts);
        let found: f64 = parts().map(|p| p.inertia.mass).sum();
        if found.is_nan() || found <= 0.0 {
            return self.r.report(A004, &root.place, "`settotalmass` is set, but the total mass is zero");
        }
        for part in self.robot.links.iter_mut().flat_map(|l| &mut l.parts) {
            part.inertia = part.inertia.map(|x| x * (total / found));
        }
    }
}
