//! `<asset>`: meshes and height fields, read only where they define a body's mass.

use super::Mjcf;
use crate::findings::*;
use crate::mesh::{Filling, Mesh};
use crate::message::short;
use crate::source::Place;
use crate::xml::{Attribute, Element};
use armdyn_core::{Inertia, Rotation, Vec3, vec3};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

#[derive(Default)]
pub(super) struct Assets {
    /// Meshes by name, and their cached measures.
    meshes: HashMap<String, (Rc<Element>, Option<Option<Measured>>)>,
    hfields: HashMap<String, Rc<Element>>,
}

/// Inertia and size of a mesh, in its frame after `scale`, `refpos` and `refquat`.
#[derive(Clone)]
pub(super) struct Measured {
    /// For a density of 1.
    pub inertia: Option<Inertia<f64>>,
    /// Bounding box; zero if the mesh was not read.
    pub middle: Vec3<f64>,
    pub size: [f64; 3],
    pub file: Option<String>,
}

/// Limit on the numbers of an inline mesh.
const MAX_NUMBERS: usize = 6_000_000;

/// Attributes that are used.
pub(super) const USED: &[&str] = &[
    "name",
    "class",
    "file",
    "vertex",
    "face",
    "scale",
    "refpos",
    "refquat",
    "inertia",
    "builtin",
    "params",
    "maxhullvert",
];

impl Mjcf<'_, '_> {
    pub fn asset_section(&mut self, e: &Element) {
        for c in &e.children {
            let file = c.attribute("file").map(|a| Path::new(&a.value).file_stem().unwrap_or_default());
            let name = c.attribute("name").map(|a| a.value.clone());
            let name = name.or(file.map(|f| f.to_string_lossy().into_owned())).unwrap_or_default();
            match c.name.as_str() {
                "mesh" => {
                    self.r.unused_together(c, USED, &format!("mesh `{}`", short(&name)));
                    let merged = Rc::new(self.with_defaults(c, None));
                    self.assets.meshes.insert(name, (merged, None));
                }
                "hfield" => {
                    self.assets.hfields.insert(name, c.clone());
                }
                "model" => self.r.report(A011, &c.place, "a nested <model> is not supported"),
                _ => self.r.unused(c, "the assets"),
            }
        }
    }

    /// Half widths, elevation and base of a geom's height field.
    pub fn hfield(&mut self, geom: &Element, subject: &str) -> Option<[f64; 4]> {
        let named = geom.attribute("hfield");
        match named.and_then(|a| self.assets.hfields.get(&a.value)).cloned() {
            Some(e) => self.r.numbers(&e, "size", subject),
            None => {
                self.r.report(A004, &geom.place, format!("{subject}: unknown `hfield`"));
                None
            }
        }
    }

    /// The mesh `name`. Unless `weighs`, only the existence of its file is checked.
    pub fn mesh(&mut self, name: &str, place: &Place, weighs: bool, subject: &str) -> Option<Measured> {
        let Some((e, known)) = self.assets.meshes.get(name).cloned() else {
            self.r.report(A004, place, format!("{subject}: unknown mesh `{}`", short(name)));
            return None;
        };
        match known {
            Some(found) if found.as_ref().is_none_or(|m| m.inertia.is_some() || !weighs) => return found,
            _ => {}
        }
        let found = if weighs {
            match self.measure(&e, name) {
                Ok(found) => Some(found),
                Err((code, message)) => {
                    let place = e.place_of("file");
                    self.r.report(code, place, format!("mesh `{}`: {message}", short(name)));
                    None
                }
            }
        } else {
            let file = e.attribute("file");
            if let Some(a) = file.filter(|a| !self.mesh_path(a).is_file()).cloned() {
                self.r.report(A402, &a.place, format!("mesh `{}`: file `{}` not found", short(name), short(&a.value)));
            }
            let file = file.map(|a| a.value.clone());
            Some(Measured { inertia: None, middle: Vec3::zero(), size: [0.0; 3], file })
        };
        self.assets.meshes.insert(name.to_string(), (e, Some(found.clone())));
        found
    }

    /// The path of a mesh: in the mesh folder relative to the main file, or else to the referring file.
    fn mesh_path(&self, named: &Attribute) -> PathBuf {
        let files = &self.r.diagnostics.sources.files;
        let file = named.value.replace('\\', "/");
        let file = Path::new(&file);
        let file = if self.compiler.strip_path { Path::new(file.file_name().unwrap_or_default()) } else { file };
        let folder = |k: usize| files[k].path.parent().unwrap_or(Path::new(""));
        let (first, beside) = (folder(0).join(&self.compiler.meshdir).join(file), folder(named.place.file).join(file));
        if !first.is_file() && beside.is_file() { beside } else { first }
    }

    fn measure(&mut self, e: &Element, name: &str) -> Result<Measured, (&'static Code, String)> {
        let subject = format!("mesh `{}`", short(name));
        let wrong = |message: String| (A403, message);
        let word = self.r.keyword(e, "inertia", &["legacy", "exact", "shell", "convex"], &subject);
        let filling = match word {
            Some("exact" | "convex") => Filling::Exact,
            Some("shell") => Filling::Shell,
            _ => Filling::Legacy,
        };
        if e.attribute("builtin").is_some_and(|a| a.value != "none") {
            return Err((A011, "`builtin` meshes are not supported".into()));
        }
        let file = e.attribute("file").map(|a| a.value.clone());
        let mut mesh = match e.attribute("file") {
            Some(file) => {
                let ending = Path::new(&file.value).extension().unwrap_or_default().to_string_lossy().into_owned();
                let bytes = crate::read_bytes(&self.mesh_path(file)).map_err(wrong)?;
                Mesh::parse(&bytes, &ending).map_err(wrong)?
            }
            None => self.inline(e, &subject)?,
        };
        if word == Some("convex") || mesh.faces.is_empty() {
            if e.attribute("maxhullvert").is_some_and(|a| a.value.trim() != "-1") {
                return Err((A011, "`maxhullvert` is not supported".into()));
            }
            mesh = mesh.hull().map_err(wrong)?;
        }
        let scale = self.r.numbers(e, "scale", &subject).unwrap_or([1.0; 3]);
        let at: Vec3<f64> = Vec3::lift(self.r.numbers(e, "refpos", &subject).unwrap_or([0.0; 3]));
        let [w, x, y, z] = self.r.numbers(e, "refquat", &subject).unwrap_or([1.0, 0.0, 0.0, 0.0]);
        if [w, x, y, z] == [0.0; 4] {
            return Err((A005, "`refquat` is a null quaternion".into()));
        }
        let turn = Rotation::quaternion([x, y, z, w]);
        for v in &mut mesh.vertices {
            let t = turn.inverse_rotate(*v - at);
            *v = vec3(t.x * scale[0], t.y * scale[1], t.z * scale[2]);
        }
        if scale.iter().product::<f64>() < 0.0 {
            mesh.faces.iter_mut().for_each(|f| f.swap(1, 2));
        }
        let (lo, hi) = mesh.bounds();
        let inertia = mesh.inertia(filling).map_err(wrong)?;
        Ok(Measured { inertia: Some(inertia), middle: (lo + hi) * 0.5, size: (hi - lo).to_array(), file })
    }

    /// An inline mesh.
    fn inline(&mut self, e: &Element, subject: &str) -> Result<Mesh, (&'static Code, String)> {
        let wrong = |message: &str| (A403, message.to_string());
        let vertices =
            self.r.list(e, "vertex", 12, MAX_NUMBERS, subject).ok_or(wrong("it has neither `file` nor `vertex`"))?;
        // Without faces: the convex hull.
        let faces = match e.attribute("face") {
            None => vec![],
            Some(_) => self.r.list(e, "face", 3, MAX_NUMBERS, subject).ok_or(wrong("invalid `face`"))?,
        };
        if vertices.len() % 3 != 0 || faces.len() % 3 != 0 {
            return Err(wrong("the counts of `vertex` and `face` must be multiples of three"));
        }
        let single = |x: f64| f64::from(x as f32);
        let mesh = Mesh {
            vertices: vertices.chunks(3).map(|v| vec3(single(v[0]), single(v[1]), single(v[2]))).collect(),
            faces: faces.chunks(3).map(|f| [f[0] as usize, f[1] as usize, f[2] as usize]).collect(),
        };
        let count = mesh.vertices.len();
        if faces.iter().any(|f| f.fract() != 0.0 || *f < 0.0 || *f >= count as f64) {
            return Err(wrong("a face refers to a vertex that does not exist"));
        }
        Ok(mesh)
    }
}
