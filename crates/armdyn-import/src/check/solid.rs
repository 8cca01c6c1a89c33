//! The size of each link: bounding box, and the convex hull of its shapes as a body of unit density.

use crate::description::{Description, LinkDescription, MeshFile, Shape};
use crate::findings::{self, Finding};
use crate::mesh::{self, Filling, Mesh};
use crate::message::quoted;
use armdyn_core::{Inertia, Vec3, vec3};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Bounding box in the link's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub lo: Vec3<f64>,
    pub hi: Vec3<f64>,
}

impl Bounds {
    /// The box of points; none without points.
    pub fn of(points: impl IntoIterator<Item = Vec3<f64>>) -> Option<Bounds> {
        let each = |f: fn(f64, f64) -> f64, a: Vec3<f64>, b: Vec3<f64>| vec3(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z));
        let boxes = points.into_iter().map(|p| Bounds { lo: p, hi: p });
        boxes.reduce(|a, b| Bounds { lo: each(f64::min, a.lo, b.lo), hi: each(f64::max, a.hi, b.hi) })
    }

    /// Its diagonal.
    pub fn size(&self) -> f64 {
        (self.hi - self.lo).norm()
    }

    /// The distance of a point from the box; 0 inside.
    pub fn distance(&self, p: Vec3<f64>) -> f64 {
        let outside = |x: f64, lo: f64, hi: f64| (lo - x).max(x - hi).max(0.0);
        let Bounds { lo, hi } = self;
        vec3(outside(p.x, lo.x, hi.x), outside(p.y, lo.y, hi.y), outside(p.z, lo.z, hi.z)).norm()
    }
}

/// What the shapes of a link occupy.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    /// Bounding box.
    pub bounds: Bounds,
    /// Whether a mesh was read.
    pub measured: bool,
    /// The convex hull with a density of 1, if a mesh was read and it has a volume.
    pub hull: Option<Inertia<f64>>,
}

/// The sizes of a robot's links, by their shapes: boxes, cylinders, spheres, and meshes if they were opened.
#[derive(Clone, Debug)]
pub struct LinkSizes {
    /// By the name of the link.
    solids: HashMap<String, Solid>,
    /// A note about the meshes that could not be read.
    pub(super) unread: Option<Finding>,
}

impl LinkSizes {
    /// Opens the mesh files (STL, OBJ, COLLADA).
    #[must_use]
    pub fn read(robot: &Description) -> Self {
        Self::with(robot, true)
    }

    /// Opens no file: meshes have no size.
    #[must_use]
    pub fn without_meshes(robot: &Description) -> Self {
        Self::with(robot, false)
    }

    fn with(robot: &Description, open: bool) -> Self {
        let mut meshes = Meshes { open, outlines: HashMap::new() };
        let (mut solids, mut unread) = (HashMap::new(), vec![]);
        for link in &robot.links {
            let (solid, why) = solid(link, &mut meshes);
            let weighs = link.parts.iter().any(|p| p.inertia.mass > 0.0);
            unread.extend(why.filter(|_| weighs).map(|why| (link.name.as_str(), why)));
            solids.extend(solid.map(|solid| (link.name.clone(), solid)));
        }
        let unread = unread.first().filter(|_| open).map(|(first, why)| {
            let names: Vec<&str> = unread.iter().map(|(name, _)| *name).collect();
            let message = format!("no mesh of {} could be read (`{first}`: {why})", quoted(&names));
            Finding::of_file(findings::A404, message)
        });
        LinkSizes { solids, unread }
    }

    /// The solid of each link.
    pub(super) fn of(&self, robot: &Description) -> Vec<Option<&Solid>> {
        robot.links.iter().map(|l| self.solids.get(&l.name)).collect()
    }
}

/// What a link's shapes occupy, and why a mesh could not be read.
fn solid(link: &LinkDescription, meshes: &mut Meshes) -> (Option<Solid>, Option<String>) {
    let (mut points, mut why, mut measured) = (vec![], None, false);
    for shape in &link.shapes {
        if is_sized(shape) {
            points.extend(corners(shape));
            continue;
        }
        match meshes.outline(shape) {
            Ok(outline) => {
                measured = true;
                points.extend(outline.iter().map(|p| shape.pose.point(*p)));
            }
            Err(reason) => why = why.or(Some(reason).filter(|_| shape.asset.is_some())),
        }
    }
    // A second mesh, of a format that is not supported, does not make the size unknown.
    let why = why.filter(|_| !measured);
    let solid = Bounds::of(points.iter().copied()).map(|bounds| {
        let hull = if measured { hull(&points, 1e-4 * bounds.size()) } else { None };
        Solid { bounds, measured, hull }
    });
    (solid, why)
}

/// The convex hull of points on a grid, with a density of 1.
fn hull(points: &[Vec3<f64>], cell: f64) -> Option<Inertia<f64>> {
    // Corners of neighbouring triangles are the same point; so are those of two meshes of the link, but for rounding.
    let snapped = |p: &Vec3<f64>| p.to_array().map(|x| (x / cell).round() as i64);
    let distinct: BTreeSet<[i64; 3]> = points.iter().map(snapped).collect();
    // No four points of a flat face may stay exactly coplanar: the hull would have degenerate faces.
    let mut seed = 0.5;
    let mut jitter = || {
        seed = (seed + 0.618_033_988_749_895) % 1.0;
        0.2 * (seed - 0.5)
    };
    let vertices = distinct.iter().map(|p| Vec3::lift(p.map(|x| (x as f64 + jitter()) * cell))).collect();
    Mesh { vertices, faces: vec![] }.hull().and_then(|h| h.inertia(Filling::Exact)).ok()
}

/// Whether a shape has a size without its mesh.
pub(super) fn is_sized(shape: &Shape) -> bool {
    shape.size.iter().all(|x| x.is_finite() && *x > 0.0)
}

/// The corners of a shape's box, in the link's frame.
pub(super) fn corners(shape: &Shape) -> impl Iterator<Item = Vec3<f64>> {
    (0..8).map(|corner| {
        let half = |k: usize| shape.size[k] * if corner >> k & 1 == 0 { -0.5 } else { 0.5 };
        shape.pose.point(vec3(half(0), half(1), half(2)))
    })
}

/// Extreme points of a mesh, or why it cannot be read.
type Outline = Result<Rc<[Vec3<f64>]>, String>;

/// Outlines of mesh files: each file is read once.
struct Meshes {
    /// Whether files are opened.
    open: bool,
    outlines: HashMap<String, Outline>,
}

impl Meshes {
    fn outline(&mut self, shape: &Shape) -> Outline {
        let file = shape.mesh.as_ref().filter(|_| self.open).ok_or("file not found")?;
        let key = format!("{:?} {}", file.scale, file.path.display());
        self.outlines.entry(key).or_insert_with(|| outline(file)).clone()
    }
}

fn outline(MeshFile { path, scale: [x, y, z] }: &MeshFile) -> Outline {
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let mut points = mesh::vertices(&crate::read_bytes(path)?, &ending)?;
    points.iter_mut().for_each(|p| *p = vec3(p.x * x, p.y * y, p.z * z));
    let finite = points.iter().all(|p| p.is_finite());
    if finite { Ok(mesh::outline(&points).into()) } else { Err("its scale is not finite".into()) }
}
