//! Shapes of links that a model alone defines: tapered capsules from joint to joint, housings along the joint axes.

use crate::{Geometry, Role, Shape};
use armdyn_core::{Inertia, JointInfo, JointKind, LinkId, Model, Rotation, Transform, Vec3};

/// Radius of the structure at the base and at the farthest end, relative to the reach.
const RADII: [f64; 2] = [0.046, 0.02];
/// Radius and length of a housing, relative to the radius of the structure.
const HOUSING: [f64; 2] = [1.3, 2.9];
/// Housings of joints whose axes intersect become thinner by this factor, from one to the next.
const NESTED: f64 = 0.84;
/// Stroke of a prismatic joint without limits, relative to the reach.
const STROKE: f64 = 0.3;

/// Distances along the links from which the sizes of all shapes follow.
pub(crate) struct Layout {
    /// The longest way from the base to an end \[m\].
    pub reach: f64,
    /// The way from the base to each link's origin \[m\].
    along: Vec<f64>,
    /// Relative radius of the housing at each link's parent joint, at most 1.
    nested: Vec<f64>,
}

impl Layout {
    pub fn new(m: &Model<f64>) -> Self {
        let count = m.links().len();
        let (mut along, mut nested) = (vec![0.0; count], vec![1.0; count]);
        for j in m.joints() {
            let (p, c) = (j.parent.index(), j.child.index());
            let offset = j.placement.translation.norm();
            let stroke = stroke(m, j).map_or(0.0, |[low, high]| low.abs().max(high.abs()));
            along[c] = along[p] + offset + stroke;
            let moving = !j.kind.axes().is_empty();
            nested[c] = if offset > 0.0 { 1.0 } else { nested[p] * if moving { NESTED } else { 1.0 } };
        }
        let ends = m.link_ids().map(|id| along[id.index()] + farthest(&ends(m, id)));
        let reach = ends.fold(0.0, f64::max);
        Layout { reach: if reach > 0.0 { reach } else { 1.0 }, along, nested }
    }

    /// The radius of the structure at a distance from the base.
    pub fn radius(&self, along: f64) -> f64 {
        let s = (along / self.reach).clamp(0.0, 1.0);
        self.reach * (RADII[0] + (RADII[1] - RADII[0]) * s)
    }

    /// The shapes of a link.
    pub fn shapes(&self, m: &Model<f64>, id: LinkId) -> Vec<Shape> {
        let along = self.along[id.index()];
        let start = self.radius(along);
        let mut shapes = vec![];
        if let Some(j) = m.joints().iter().find(|j| j.child == id) {
            self.housing(m, j, &mut shapes);
        }
        let tool = m.tool().ok().filter(|t| t.link == id);
        for end in ends(m, id) {
            let length = end.norm();
            if length > 0.0 {
                let radii = [start, self.radius(along + length)];
                shapes.push(capsule(Vec3::zero(), end, radii, Role::Link));
            }
            if tool.is_some_and(|t| t.position() == end) && length > 0.0 {
                let r = self.radius(along + length);
                let pose = Transform::new(axis_frame(end), end);
                shapes.push(cylinder(&pose, 1.15 * r, 0.7 * r, Role::Flange));
            }
        }
        // Guides of the prismatic joints that start here.
        for j in m.joints().iter().filter(|j| j.parent == id) {
            let Some(([low, high], axis)) = stroke(m, j).zip(translation_axis(&j.kind)) else { continue };
            let r = self.radius(along + j.placement.translation.norm());
            let frame = j.placement.compose(&Transform::from_rotation(axis_frame(axis)));
            let (length, centre, width) = match id.index() {
                // A rail on the base, along the whole stroke.
                0 => (high - low + 4.0 * r, 0.5 * (low + high), 1.3 * r),
                // A sleeve, through which the child's rod slides.
                _ => (4.2 * r, 0.0, 2.7 * r),
            };
            let pose = frame.compose(&Transform::from_translation(Vec3::lift([0.0, 0.0, centre])));
            shapes.push(block(&pose, [width, width, length], Role::Joint));
        }
        for p in m.payloads().iter().filter(|p| p.link == id && p.in_link.mass > 0.0) {
            // A sphere as dense as aluminium, not larger than the robot allows.
            let radius = (3.0 * p.in_link.mass / (4.0 * std::f64::consts::PI * 2700.0)).cbrt();
            let radius = radius.clamp(0.5 * RADII[1] * self.reach, 2.0 * RADII[0] * self.reach) as f32;
            let pose = Transform::from_translation(p.in_link.centre());
            shapes.push(Shape::new(&pose, Role::Payload, Geometry::Ellipsoid { semi: [radius; 3] }));
        }
        shapes
    }

    /// The housing of a link's parent joint, in the link's frame.
    fn housing(&self, m: &Model<f64>, j: &JointInfo, shapes: &mut Vec<Shape>) {
        let child = j.child.index();
        let (r, nested) = (self.radius(self.along[child]), self.nested[child]);
        match j.kind {
            JointKind::Fixed | JointKind::Free | JointKind::Translation => {}
            JointKind::Revolute { axis } | JointKind::Helical { axis, .. } => {
                let pose = Transform::from_rotation(axis_frame(Vec3::lift(axis)));
                // The ends of an inner housing show beyond the outer one.
                let length = HOUSING[1] * r * (1.6 - 0.6 * nested);
                shapes.push(cylinder(&pose, HOUSING[0] * r * nested, length, Role::Joint));
            }
            JointKind::Prismatic { axis } | JointKind::Cylindrical { axis } => {
                let frame = axis_frame(Vec3::lift(axis));
                let [low, high] = stroke(m, j).unwrap_or_default();
                if j.parent.index() == 0 {
                    let pose = Transform::from_rotation(frame);
                    return shapes.push(block(&pose, [2.6 * r, 2.6 * r, 3.2 * r], Role::Joint));
                }
                // The guide is at −q along the axis: the rod covers it over the whole stroke.
                let (from, to) = ((-high).min(0.0) - 1.5 * r, (-low).max(0.0) + 1.5 * r);
                let centre = frame.rotate(Vec3::lift([0.0, 0.0, 0.5 * (from + to)]));
                let pose = Transform::new(frame, centre);
                shapes.push(match j.kind {
                    JointKind::Cylindrical { .. } => cylinder(&pose, 0.8 * r, to - from, Role::Link),
                    _ => block(&pose, [1.5 * r, 1.5 * r, to - from], Role::Link),
                });
            }
            _ => shapes.push(ball(HOUSING[0] * 1.2 * r * nested)),
        }
    }
}

/// Where the structure of a link ends, in its frame: at its child joints and at the tool; else where its inertia suggests.
fn ends(m: &Model<f64>, id: LinkId) -> Vec<Vec3<f64>> {
    let tool = m.tool().ok().filter(|t| t.link == id).map(|t| t.position());
    let children = m.joints().iter().filter(|j| j.parent == id).map(|j| j.placement.translation);
    let mut ends: Vec<Vec3<f64>> = vec![];
    for end in children.chain(tool) {
        if !ends.contains(&end) {
            ends.push(end);
        }
    }
    let is_end = m.joints().iter().all(|j| j.parent != id);
    if is_end && id.index() != 0 && farthest(&ends) == 0.0 {
        ends.extend(rod_end(&m.links()[id].inertia()));
    }
    ends
}

/// The far end of a homogeneous rod from the origin's side through the centre of mass: c + √(3 I/m) along c.
fn rod_end(inertia: &Inertia<f64>) -> Option<Vec3<f64>> {
    let c: Vec3<f64> = inertia.centre();
    let length = c.norm();
    if !(inertia.mass > 0.0 && length.is_finite() && length > 0.0) {
        return None;
    }
    let [_, _, largest] = inertia.central().eigenvalues();
    let half = (3.0 * largest.max(0.0) / inertia.mass).sqrt().min(2.0 * length);
    Some(c * (1.0 + half / length))
}

fn farthest(ends: &[Vec3<f64>]) -> f64 {
    ends.iter().map(|e| e.norm()).fold(0.0, f64::max)
}

/// The axis of a joint that is a translation, alone or with a rotation about it.
fn translation_axis(kind: &JointKind) -> Option<Vec3<f64>> {
    match kind {
        JointKind::Prismatic { axis } | JointKind::Cylindrical { axis } => Some(Vec3::lift(*axis)),
        _ => None,
    }
}

/// Lower and upper position of a joint's translation \[m\], finite.
fn stroke(m: &Model<f64>, j: &JointInfo) -> Option<[f64; 2]> {
    translation_axis(&j.kind)?;
    let size: f64 = m.joints().iter().map(|j| j.placement.translation.norm()).sum();
    let open = STROKE * if size > 0.0 { size } else { 1.0 };
    // A joint that follows another has no limits of its own.
    let limits = j.v.clone().last().map(|v| m.limits()[v]);
    let [low, high] = limits.map_or([f64::NEG_INFINITY, f64::INFINITY], |l| [l.lower, l.upper]);
    Some(match (low.is_finite(), high.is_finite()) {
        (true, true) => [low, high],
        (true, false) => [low, low + open],
        (false, true) => [high - open, high],
        (false, false) => [-open, open],
    })
}

/// A frame whose z axis is `axis`.
pub(crate) fn axis_frame(axis: Vec3<f64>) -> Rotation<f64> {
    let z = axis * (1.0 / axis.norm());
    let smallest = (0..3).min_by(|&i, &j| z.get(i).abs().total_cmp(&z.get(j).abs())).unwrap_or(0);
    let x = Vec3::unit(smallest).cross(z);
    let x = x * (1.0 / x.norm());
    Rotation { x, y: z.cross(x), z }
}

pub(crate) fn capsule(from: Vec3<f64>, to: Vec3<f64>, radii: [f64; 2], role: Role) -> Shape {
    let pose = Transform::new(axis_frame(to - from), (from + to) * 0.5);
    let geometry = Geometry::Capsule { radii: radii.map(|r| r as f32), length: (to - from).norm() as f32 };
    Shape::new(&pose, role, geometry)
}

pub(crate) fn cylinder(pose: &Transform<f64>, radius: f64, length: f64, role: Role) -> Shape {
    Shape::new(pose, role, Geometry::Cylinder { radius: radius as f32, length: length as f32 })
}

pub(crate) fn block(pose: &Transform<f64>, size: [f64; 3], role: Role) -> Shape {
    Shape::new(pose, role, Geometry::Box { size: size.map(|x| x as f32) })
}

fn ball(radius: f64) -> Shape {
    Shape::new(&Transform::identity(), Role::Joint, Geometry::Ellipsoid { semi: [radius as f32; 3] })
}
