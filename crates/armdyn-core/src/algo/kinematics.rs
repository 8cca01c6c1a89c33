//! Forward kinematics and Jacobians.
//!
//!   ⁰Xᵢ = ⁰Xₚ ᵖXᵢ(q),   Jᵥ = ⁰Xᵢ Sᵥ
//!
//! Every column of S as a screw in the base's axes, at the base's origin: what the algorithms in base axes start from.

use crate::error::{Error, Result};
use crate::model::{Body, LinkId, Model};
use crate::scalar::Real;
use crate::spatial::{Inertia, Motion, Transform, vec3};
use alloc::vec;
use alloc::vec::Vec;

/// In which axes, and for which point, a Jacobian gives a link's velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JacobianFrame {
    /// The link's axes and origin.
    Local,
    /// The base's axes, and the point of the link that is at the base's origin.
    World,
    /// The base's axes, and the link's origin.
    LocalWorldAligned,
}

/// Workspace and result of [`kinematics`]: poses of all bodies, and all joint screws, in the base's frame.
#[derive(Clone, Debug)]
pub struct KinematicsData<T> {
    shape: u64,
    /// The coordinates of the tree, if joints follow others.
    expanded: Vec<T>,
    trig: Vec<(T, T)>,
    pub(crate) poses: Vec<Transform<T>>,
    pub(crate) screws: Vec<Motion<T>>,
}

/// Computations done in the same pass from base to tip. (A trait, not a closure, so that it is always inlined.)
pub(crate) trait Visitor<T> {
    fn visit(&mut self, number: usize, body: &Body<T>, pose: &Transform<T>);
}

/// Nothing.
impl<T> Visitor<T> for () {
    #[inline(always)]
    fn visit(&mut self, _: usize, _: &Body<T>, _: &Transform<T>) {}
}

/// Each body's inertia in the base's axes.
impl<T: Real> Visitor<T> for &mut Vec<Inertia<T>> {
    #[inline(always)]
    fn visit(&mut self, number: usize, body: &Body<T>, pose: &Transform<T>) {
        self[number] = body.inertia.transformed(pose);
    }
}

impl<T: Real> KinematicsData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let (zero, tree) = (T::zero(), m.tree());
        KinematicsData {
            shape: m.structure.shape,
            expanded: vec![zero; if m.following().is_some() { tree.nq() } else { 0 }],
            trig: vec![(zero, zero); tree.nq()],
            poses: vec![Transform::identity(); m.body_count() + 1],
            screws: vec![Motion::zero(); tree.nv()],
        }
    }

    /// `Err` unless this workspace was created for a model of this shape.
    #[inline(always)]
    pub(crate) fn check(&self, m: &Model<T>) -> Result<()> {
        m.check_made_for("workspace", self.shape)
    }

    /// Poses and screws in the base's frame, without a check of `q`.
    #[inline(always)]
    pub(crate) fn update(&mut self, m: &Model<T>, q: &[T]) {
        self.poses[0] = Transform::identity();
        self.fill(m, q, ());
    }

    /// The same in the base's axes, but with the origin at the first body where that one floats: a robot far from the
    /// base loses no digits. `visitor` sees each body with its pose.
    #[inline(always)]
    pub(crate) fn update_near(&mut self, m: &Model<T>, q: &[T], visitor: impl Visitor<T>) {
        self.poses[0] = match m.bodies.first() {
            Some(b) if b.pair.nv() == 6 => Transform::from_translation(-b.placement.point(vec3(q[0], q[1], q[2]))),
            _ => Transform::identity(),
        };
        self.fill(m, q, visitor);
    }

    #[inline(always)]
    fn fill(&mut self, m: &Model<T>, q: &[T], mut visitor: impl Visitor<T>) {
        let (m, q) = match m.following() {
            None => (m, q),
            Some((tree, rows)) => {
                rows.expand_positions(q, &mut self.expanded);
                (tree, self.expanded.as_slice())
            }
        };
        T::sin_cos_each(q, &mut self.trig);
        let mut last = self.poses[0];
        for (i, b) in m.base_to_tip() {
            let x = b.pair.pose(&b.placement, &q[b.q..], &self.trig[b.q..]);
            // In a chain the parent's pose is still in registers; to read what was just written would stall.
            let parent = if b.parent + 1 == i { last } else { self.poses[b.parent] };
            let pose = parent.compose(&x);
            last = pose;
            for (k, screw) in self.screws[b.dofs()].iter_mut().enumerate() {
                *screw = b.pair.column(k, &pose);
            }
            self.poses[i] = pose;
            visitor.visit(i, b, &pose);
        }
    }

    /// The pose of each body in the base; 0 is the base itself.
    pub fn poses(&self) -> &[Transform<T>] {
        &self.poses
    }

    /// The screw of each degree of freedom of the [tree](Model::tree), in the base's frame.
    pub fn screws(&self) -> &[Motion<T>] {
        &self.screws
    }

    /// The pose of a link in the base.
    pub fn link_pose(&self, m: &Model<T>, link: LinkId) -> Result<Transform<T>> {
        self.check(m)?;
        m.check_link(link)?;
        let l = &m.links()[link];
        Ok(self.poses[l.body].compose(&l.pose))
    }

    /// The pose in the base of a frame that has the pose `at` in a link's frame; without it, of the link's frame.
    pub fn frame_pose(&self, m: &Model<T>, link: LinkId, at: Option<&Transform<f64>>) -> Result<Transform<T>> {
        let pose = self.link_pose(m, link)?;
        match at {
            Some(at) if !at.is_valid() => Err(Error::NotAPose { what: "frame", link: m.links()[link].name.clone() }),
            Some(at) => Ok(pose.compose(&at.map(T::lift))),
            None => Ok(pose),
        }
    }

    /// The columns of the Jacobian of a frame, each with its degree of freedom of the tree.
    fn frame_columns<'a>(
        &'a self,
        m: &'a Model<T>,
        link: LinkId,
        at: Option<&Transform<f64>>,
        frame: JacobianFrame,
    ) -> Result<impl Iterator<Item = (usize, Motion<T>)> + use<'a, T>> {
        let pose = self.frame_pose(m, link, at)?;
        let x = match frame {
            JacobianFrame::Local => pose,
            JacobianFrame::World => Transform::identity(),
            JacobianFrame::LocalWorldAligned => Transform::from_translation(pose.translation),
        };
        Ok(m.tree().support_dofs(m.links()[link].body).map(move |v| (v, x.motion_back(self.screws[v]))))
    }

    /// The Jacobian of a frame in the coordinates of the tree.
    pub(super) fn tree_jacobian(
        &self,
        m: &Model<T>,
        link: LinkId,
        at: Option<&Transform<f64>>,
        frame: JacobianFrame,
        columns: &mut [Motion<T>],
    ) -> Result<()> {
        columns.fill(Motion::zero());
        self.frame_columns(m, link, at, frame)?.for_each(|(v, column)| columns[v] = column);
        Ok(())
    }

    /// The Jacobian of a link: a column for each degree of freedom, its velocity per unit of q̇.
    pub fn jacobian(&self, m: &Model<T>, link: LinkId, frame: JacobianFrame, columns: &mut [Motion<T>]) -> Result<()> {
        self.frame_jacobian(m, link, None, frame, columns)
    }

    /// The Jacobian of a frame that has the pose `at` in a link's frame, in its axes and for its origin where a link's
    /// Jacobian has those of the link.
    pub fn frame_jacobian(
        &self,
        m: &Model<T>,
        link: LinkId,
        at: Option<&Transform<f64>>,
        frame: JacobianFrame,
        columns: &mut [Motion<T>],
    ) -> Result<()> {
        m.check_length("columns", m.nv(), columns.len())?;
        let Some((_, rows)) = m.following() else { return self.tree_jacobian(m, link, at, frame, columns) };
        columns.fill(Motion::zero());
        for (v, column) in self.frame_columns(m, link, at, frame)? {
            let row = &rows.rates()[v];
            columns[row.index] += column * row.times(T::one()); // J = J_tree G
        }
        Ok(())
    }
}

/// Where everything is at `q`.
///
/// ```
/// use armdyn_core::{KinematicsData, kinematics};
/// let model = armdyn_core::examples::two_link_arm();
/// let mut data = KinematicsData::new(&model);
/// kinematics(&model, &mut data, &[std::f64::consts::FRAC_PI_2, 0.0])?;
/// let elbow = data.link_pose(&model, model.link("lower")?)?.translation;
/// assert!(elbow.x.abs() < 1e-12 && (elbow.z - 1.0).abs() < 1e-12); // the upper link points upwards
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn kinematics<T: Real>(m: &Model<T>, d: &mut KinematicsData<T>, q: &[T]) -> Result<()> {
    m.check_length("q", m.nq(), q.len())?;
    d.check(m)?;
    d.update(m, q);
    for (i, b) in m.base_to_tip() {
        let p = d.poses[i].translation + d.poses[i].rotation.x;
        m.check_finite_at("pose", p.x + p.y + p.z, b.v, &[("q", q)])?;
    }
    Ok(())
}
