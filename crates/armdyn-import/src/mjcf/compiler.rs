//! `<compiler>` and `<option>` settings, gravity, and poses, which depend on the settings.

use super::Mjcf;
use crate::direction;
use crate::findings::*;
use crate::xml::Element;
use armdyn_core::{Real, Rotation, Transform, Vec3, vec3};

/// Settings, with MuJoCo's defaults.
pub(super) struct Compiler {
    pub degrees: bool,
    pub autolimits: bool,
    pub inertia: Source,
    /// Groups of geoms that contribute mass.
    pub groups: [f64; 2],
    pub balance: bool,
    pub min_mass: f64,
    pub min_inertia: f64,
    pub total_mass: Option<f64>,
    pub meshdir: String,
    pub strip_path: bool,
    /// Lower case: intrinsic (rotated axes); upper case: extrinsic (parent's axes).
    sequence: [u8; 3],
}

/// Source of a body's inertia (`inertiafromgeom`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// `<inertial>` only.
    Inertial,
    /// Geoms, where there are any.
    Geoms,
    /// `<inertial>`, or geoms if there is none.
    Auto,
}

impl Default for Compiler {
    fn default() -> Self {
        Compiler {
            degrees: true,
            autolimits: true,
            inertia: Source::Auto,
            groups: [0.0, 5.0],
            balance: false,
            min_mass: 0.0,
            min_inertia: 0.0,
            total_mass: None,
            meshdir: String::new(),
            strip_path: false,
            sequence: *b"xyz",
        }
    }
}

impl Compiler {
    /// Converts an angle of the file to rad.
    pub fn angle(&self, x: f64) -> f64 {
        if self.degrees { x.to_radians() } else { x }
    }
}

/// Attributes that specify an orientation.
pub(super) const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

impl Mjcf<'_, '_> {
    pub fn compiler(&mut self, e: &Element) {
        let subject = "the compiler";
        let used = [
            "angle",
            "autolimits",
            "balanceinertia",
            "boundinertia",
            "boundmass",
            "coordinate",
            "eulerseq",
            "inertiafromgeom",
            "inertiagrouprange",
            "settotalmass",
            "meshdir",
            "assetdir",
            "strippath",
        ];
        self.r.unused_together(e, &used, subject);
        self.r.unused_children(e, &[], subject);
        if let Some(word) = self.r.keyword(e, "angle", &["degree", "radian"], subject) {
            self.compiler.degrees = word == "degree";
        }
        if self.r.keyword(e, "coordinate", &["local", "global"], subject) == Some("global") {
            let message = "global coordinates are not supported; MuJoCo has removed them";
            self.r.report(A011, &e.place, message);
        }
        if let Some(word) = self.r.keyword(e, "inertiafromgeom", &["false", "true", "auto"], subject) {
            self.compiler.inertia = match word {
                "false" => Source::Inertial,
                "true" => Source::Geoms,
                _ => Source::Auto,
            };
        }
        if let Some(a) = e.attribute("eulerseq") {
            match <[u8; 3]>::try_from(a.value.as_bytes()) {
                Ok(s) if s.iter().all(|c| b"xyzXYZ".contains(c)) => self.compiler.sequence = s,
                _ => self.r.report(
                    A005,
                    &a.place,
                    "the compiler: invalid `eulerseq`: expected three of x, y, z, X, Y, Z",
                ),
            }
        }
        let c = &mut self.compiler;
        for (name, into) in
            [("autolimits", &mut c.autolimits), ("balanceinertia", &mut c.balance), ("strippath", &mut c.strip_path)]
        {
            *into = self.r.boolean(e, name, subject).unwrap_or(*into);
        }
        for (name, into) in [("boundmass", &mut c.min_mass), ("boundinertia", &mut c.min_inertia)] {
            *into = self.r.number(e, name, subject).unwrap_or(*into);
        }
        if let Some(total) = self.r.number(e, "settotalmass", subject) {
            c.total_mass = Some(total).filter(|m| *m > 0.0);
        }
        c.groups = self.r.numbers(e, "inertiagrouprange", subject).unwrap_or(c.groups);
        if let Some(folder) = e.attribute("meshdir").or(e.attribute("assetdir")) {
            c.meshdir = folder.value.clone();
        }
    }

    pub fn option(&mut self, e: &Element) {
        let subject = "the options";
        self.r.unused_together(e, &["gravity", "density", "viscosity"], subject);
        self.r.unused_children(e, &["flag"], subject);
        self.robot.gravity = self.r.numbers(e, "gravity", subject).or(self.robot.gravity);
        for name in ["density", "viscosity"] {
            if let Some(x) = self.r.number(e, name, subject).filter(|x| *x != 0.0) {
                let place = e.place_of(name);
                self.r.report(A215, place, format!("the medium has a {name} of {x}: its drag is not modelled"));
            }
        }
        for flag in e.children.iter().filter(|c| c.name == "flag") {
            let used = ["gravity", "damper", "passive", "frictionloss", "constraint"];
            self.r.unused_together(flag, &used, subject);
            for name in used {
                // A later section overrides the flags that it sets.
                match self.r.keyword(flag, name, &["enable", "disable"], subject) {
                    Some("disable") => self.without.insert(name),
                    Some(_) => self.without.remove(name),
                    None => false,
                };
            }
        }
    }

    /// Position and orientation of an element.
    pub fn pose(&mut self, e: &Element, subject: &str) -> Transform<f64> {
        let at = self.r.numbers(e, "pos", subject).unwrap_or([0.0; 3]);
        Transform::new(self.orientation(e, subject), Vec3::lift(at))
    }

    pub fn orientation(&mut self, e: &Element, subject: &str) -> Rotation<f64> {
        let given: Vec<_> = e.attributes.iter().filter(|a| ORIENTATIONS.contains(&a.name.as_str())).collect();
        let Some(a) = given.first() else { return Rotation::identity() };
        if let Some(second) = given.get(1) {
            let message =
                format!("{subject}: `{}` and `{}` both set the orientation of <{}>", a.name, second.name, e.name);
            self.r.report(A005, &second.place, message);
        }
        let turn = match a.name.as_str() {
            "quat" => self.r.numbers::<4>(e, "quat", subject).map(|[w, x, y, z]| {
                let unit = normalized([w, x, y, z])?;
                Some(Rotation::quaternion([unit[1], unit[2], unit[3], unit[0]]))
            }),
            "axisangle" => self.r.numbers::<4>(e, "axisangle", subject).map(|[x, y, z, angle]| {
                Some(Rotation::about(Vec3::lift(normalized([x, y, z])?), Real::sin_cos(self.compiler.angle(angle))))
            }),
            "xyaxes" => self.r.numbers::<6>(e, "xyaxes", subject).map(|[a, b, c, d, e, f]| {
                let x: Vec3<f64> = Vec3::lift(normalized([a, b, c])?);
                let y = Vec3::lift(normalized([d, e, f])?);
                let y = Vec3::lift(normalized((y - x * x.dot(y)).to_array())?);
                Some(Rotation { x, y, z: x.cross(y) })
            }),
            "zaxis" => self.r.numbers::<3>(e, "zaxis", subject).map(|v| Some(from_z(normalized(v)?))),
            _ => self.r.numbers::<3>(e, "euler", subject).map(|angles| Some(self.euler(angles))),
        };
        match turn {
            Some(Some(rotation)) => rotation,
            Some(None) => {
                self.r.report(A005, &a.place, format!("{subject}: `{}` of <{}> is a null vector", a.name, e.name));
                Rotation::identity()
            }
            None => Rotation::identity(),
        }
    }

    /// Euler angles in the compiler's order; angles as in the file.
    pub fn euler(&self, angles: [f64; 3]) -> Rotation<f64> {
        let mut all = Rotation::identity();
        for (c, angle) in self.compiler.sequence.iter().zip(angles) {
            let axis = usize::from(c.to_ascii_lowercase() - b'x');
            let one = Rotation::about(Vec3::unit(axis), Real::sin_cos(self.compiler.angle(angle)));
            all = if c.is_ascii_lowercase() { all.compose(&one) } else { one.compose(&all) };
        }
        all
    }
}

/// The unit vector; none if it is null.
pub(super) fn normalized<const N: usize>(v: [f64; N]) -> Option<[f64; N]> {
    direction::normalized(v).map(|(unit, _)| unit)
}

/// The smallest rotation that maps z to a unit vector; 180° about x for −z.
pub(super) fn from_z(to: [f64; 3]) -> Rotation<f64> {
    let to: Vec3<f64> = Vec3::lift(to);
    let across = vec3(-to.y, to.x, 0.0);
    let sine = across.norm();
    let axis = if sine > 1e-14 { across * (1.0 / sine) } else { Vec3::unit(0) };
    Rotation::about(axis, (if sine > 1e-14 { sine } else { 0.0 }, to.z))
}
