//! The scene of a robot: links with shapes, joints, the rows of the joint table, the tool.

use crate::{Mesh, base, links};
use armdyn_core::{Inertia, LinkId, Model, Pair, Transform, Vec3};
use serde::Serialize;

/// A pose: position \[m\] and unit quaternion, (x, y, z, qx, qy, qz, qw).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pose(pub [f32; 7]);

impl From<&Transform<f64>> for Pose {
    fn from(x: &Transform<f64>) -> Self {
        let ([px, py, pz], [qx, qy, qz, qw]) = (x.translation.to_array(), x.rotation.to_quaternion());
        Pose([px, py, pz, qx, qy, qz, qw].map(|x| x as f32))
    }
}

/// What a shape is part of; it decides the colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The structure of a link.
    Link,
    /// The housing of a joint.
    Joint,
    /// The base.
    Base,
    /// A wheel.
    Wheel,
    /// A payload.
    Payload,
    /// The flange at the tool.
    Flange,
}

/// A geometry, centred at the origin of its shape; lengths in \[m\].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Geometry {
    /// A box.
    Box {
        /// Full extents.
        size: [f32; 3],
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius.
        radius: f32,
        /// Length.
        length: f32,
    },
    /// A capsule along z: the convex hull of two spheres.
    Capsule {
        /// Radii of the spheres at −z and at +z.
        radii: [f32; 2],
        /// Distance of the spheres' centres.
        length: f32,
    },
    /// An ellipsoid; a sphere if all semi-axes are equal.
    Ellipsoid {
        /// Semi-axes.
        semi: [f32; 3],
    },
    /// Triangles.
    Mesh(Mesh),
}

/// A geometry with its pose in the frame of a link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shape {
    /// Its pose in the link's frame.
    pub pose: Pose,
    /// What it is part of.
    pub role: Role,
    /// Its geometry.
    pub geometry: Geometry,
}

impl Shape {
    /// A shape of a link's structure.
    pub fn new(pose: &Transform<f64>, role: Role, geometry: Geometry) -> Self {
        Shape { pose: pose.into(), role, geometry }
    }
}

/// A link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SceneLink {
    /// Its name.
    pub name: String,
    /// Its parent link; none for the base.
    pub parent: Option<usize>,
    /// The moving body that it belongs to; 0 is the base.
    pub body: usize,
    /// Its pose in the body's frame.
    pub pose: Pose,
    /// Its shapes.
    pub shapes: Vec<Shape>,
    /// Mass \[kg\].
    pub mass: f32,
    /// Pose of the centre of mass with the principal axes of inertia, in the link's frame; none without mass.
    pub centre: Option<Pose>,
    /// Semi-axes of the homogeneous ellipsoid of equal mass and inertia \[m\]; zero for a point mass.
    pub ellipsoid: [f32; 3],
}

/// A joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SceneJoint {
    /// Its name.
    pub name: String,
    /// Its kind: `revolute`, `prismatic`, ….
    pub kind: &'static str,
    /// The link it starts from.
    pub parent: usize,
    /// The link it moves.
    pub child: usize,
    /// The pose of the child link's frame in the parent link's frame where q is neutral.
    pub placement: Pose,
    /// The axes of its degrees of freedom in the child link's frame where q is neutral.
    pub axes: Vec<[f32; 3]>,
}

/// A degree of freedom: a row of the joint table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Whether it is a rotation (rad, N m), not a translation (m, N).
    pub rotational: bool,
    /// Lower and upper position \[rad or m\], where they are finite.
    pub range: [Option<f64>; 2],
    /// Minimum and maximum torque or force \[N m or N\], where they are finite.
    pub effort: [Option<f64>; 2],
    /// Its coordinate in q; none if it is part of a quaternion.
    #[serde(skip)]
    pub(crate) coordinate: Option<usize>,
}

/// The frame of the tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolFrame {
    /// Its link.
    pub link: usize,
    /// Its pose in the link's frame.
    pub pose: Pose,
}

/// A robot as a scene graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scene {
    /// Its name.
    pub name: String,
    /// Length scale: the distance from the base to the farthest end along the links \[m\].
    pub size: f32,
    /// Links, parent before child; the first is the base.
    pub links: Vec<SceneLink>,
    /// Joints, fixed ones included.
    pub joints: Vec<SceneJoint>,
    /// Degrees of freedom.
    pub rows: Vec<Row>,
    /// The tool, if it is known.
    pub tool: Option<ToolFrame>,
    /// Gravity in the base's axes \[m/s²\].
    pub gravity: [f32; 3],
    /// The direction that points up: against gravity, or z for a robot on wheels or without gravity.
    pub up: [f32; 3],
}

impl Scene {
    /// The scene of a model, with shapes made from its joints, limits and contacts.
    pub fn of(m: &Model<f64>) -> Self {
        let layout = links::Layout::new(m);
        let up = base::up(m);
        let parents: Vec<Option<usize>> =
            m.link_ids().map(|link| m.joints().iter().find(|j| j.child == link).map(|j| j.parent.index())).collect();
        let links = m.link_ids().zip(parents).map(|(id, parent)| {
            let l = &m.links()[id];
            let mut shapes = layout.shapes(m, id);
            if id.index() == 0 {
                shapes.extend(base::shapes(m, 0.0));
            }
            let (centre, ellipsoid) = ellipsoid(&l.inertia());
            let (pose, mass) = ((&l.pose).into(), l.inertia().mass as f32);
            SceneLink { name: l.name.clone(), parent, body: l.body, pose, shapes, mass, centre, ellipsoid }
        });
        let joints = m.joints().iter().map(|j| SceneJoint {
            name: j.name.clone(),
            kind: j.kind.name(),
            parent: j.parent.index(),
            child: j.child.index(),
            placement: (&j.placement).into(),
            axes: j.kind.axes().iter().map(|a| a.axis.map(|x| x as f32)).collect(),
        });
        let tool = m.tool().ok().map(|t| ToolFrame { link: t.link.index(), pose: (&t.pose).into() });
        Scene {
            name: m.name().to_string(),
            size: layout.reach as f32,
            links: links.collect(),
            joints: joints.collect(),
            rows: (0..m.nv()).map(|v| row(m, v)).collect(),
            tool,
            gravity: m.gravity().to_array().map(|x| x as f32),
            up: up.to_array().map(|x| x as f32),
        }
    }

    /// Replaces the structure of a link by shapes of its own; payloads and the base's wheels stay.
    ///
    /// # Panics
    /// If the model of this scene has no such link.
    pub fn set_shapes(&mut self, link: LinkId, shapes: Vec<Shape>) {
        let own = &mut self.links[link.index()].shapes;
        own.retain(|s| matches!(s.role, Role::Payload | Role::Wheel));
        own.extend(shapes);
    }
}

fn row(m: &Model<f64>, v: usize) -> Row {
    let body = m.body(m.dof_bodies()[v]);
    let coordinate = match body.pair {
        Pair::Ball => None,
        Pair::Free => Some(v - body.v).filter(|k| *k < 3).map(|k| body.q + k),
        _ => Some(body.q + v - body.v),
    };
    let (limits, finite) = (&m.limits()[v], |x: f64| x.is_finite().then_some(x));
    Row {
        name: m.dof_names()[v].clone(),
        rotational: m.is_rotational(v),
        range: [limits.lower, limits.upper].map(finite),
        effort: [limits.effort.lower, limits.effort.upper].map(finite),
        coordinate,
    }
}

/// Centre of mass with the principal axes, and semi-axes a² = 5/(2 m) (I_y + I_z − I_x).
fn ellipsoid(inertia: &Inertia<f64>) -> (Option<Pose>, [f32; 3]) {
    // A reflection is no rotation: the third axis follows from the others.
    let (moments, mut axes) = inertia.central().eigen();
    axes.z = axes.x.cross(axes.y);
    let centre: Vec3<f64> = inertia.centre();
    if !(inertia.mass > 0.0 && centre.is_finite()) {
        return (None, [0.0; 3]);
    }
    let sum: f64 = moments.iter().sum();
    let semi = moments.map(|i| (2.5 / inertia.mass * (sum - 2.0 * i)).max(0.0).sqrt() as f32);
    (Some((&Transform::new(axes, centre)).into()), semi)
}
