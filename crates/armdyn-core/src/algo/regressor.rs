//! The regressor: τ = Y(q, q̇, q̈) π, linear in the inertial parameters, the rotors' inertias and the friction levels.
//!
//! Atkeson, An & Hollerbach 1986. A link that moves with ω and α, whose frame has the axes e_x, e_y, e_z and the origin p, of acceleration a
//! (gravity included), needs the wrench, about the origin of the base's frame,
//!
//!   f = m a + Σ h_x f_x,   n = p × f + Σ h_x e_x × a + Σ I_xy n_xy                                          (1)
//!   f_x = α × e_x + ω × ė_x,   n_xx = e_x (e_x·α) + ė_x (e_x·ω),   ė_x = ω × e_x
//!   n_xy = e_x (e_y·α) + e_y (e_x·α) + ė_x (e_y·ω) + ė_y (e_x·ω)
//!
//! and a joint screw (δ, μ) that moves it takes δ·n + μ·f of it.
//!
//! Parameters of a link are those of `Inertia`: m, m c, I about the origin of the link's frame, in its axes.
//!
//! Deviations: everything in the base's axes, so that (1) is found once for all joints that move a link; eight columns at a time.

use super::on_tree::{OnTree, Tree};
use super::packed::{Packed, Wide, splat};
use super::{Boundary, KinematicsData};
use crate::dense::LANES;
use crate::error::Result;
use crate::model::{Inputs, Model};
use crate::scalar::{Real, algorithm};
use crate::spatial::{Force, Motion, Transform, Vec3};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Inertial parameters of a link: m, m c (x, y, z), I (xx, xy, xz, yy, yz, zz).
pub const LINK_PARAMETERS: usize = 10;

/// How many rigid bodies are computed with at a time.
const BLOCK: usize = 8;

const LINK_NAMES: [&str; LINK_PARAMETERS] = ["m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"];
const DRIVE_NAMES: [&str; 5] = ["armature", "viscous", "coulomb_forward", "coulomb_backward", "stribeck"];

/// A parameter that τ is linear in.
#[derive(Clone, Debug)]
pub struct Parameter<T> {
    /// The link's, payload's, rotor's or joint's name, a dot, and the parameter's.
    pub name: String,
    /// Its value in the model.
    pub value: T,
}

/// Workspace of [`regressor`].
#[derive(Clone, Debug)]
pub struct RegressorData<T> {
    boundary: Boundary<T>,
    kinematics: KinematicsData<T>,
    /// Velocity and spatial acceleration of each body, gravity included.
    motions: Vec<[Motion<T>; 2]>,
    /// (1) of each parameter of some links.
    wrenches: [Packed<T, 6>; BLOCK],
    tree: Tree<T, RegressorData<T>>,
}

impl<T: Real> RegressorData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let tree = OnTree::new(m, RegressorData::new, |tree| [tree.nv() * parameter_count(tree), 0]);
        let motions = vec![[Motion::zero(); 2]; m.body_count() + 1];
        let (boundary, kinematics) = (Boundary::at_rest(m), KinematicsData::new(m));
        let wrenches = core::array::from_fn(|_| Packed::new(LINK_PARAMETERS));
        RegressorData { boundary, kinematics, motions, wrenches, tree }
    }

    /// The motion of the base (wrenches from outside are no parameters: they are not part of Y).
    pub fn boundary(&mut self) -> &mut Boundary<T> {
        &mut self.boundary
    }
}

/// All rigid bodies with ten inertial parameters, moving links first, then payloads on them, in the order of Y's columns: the body
/// of each, and the frame of its parameters in it, if that is not the body's own. (What is fixed to the base affects no torque.)
#[inline(always)]
fn solids<T: Real>(m: &Model<T>) -> impl Iterator<Item = (usize, Option<&Transform<T>>)> {
    let links = m.links().iter().map(|l| (l.body, Some(&l.pose)));
    let payloads = m.payloads().iter().map(|p| (m.links()[p.link].body, None));
    links.chain(payloads).filter(|(body, _)| *body != 0)
}

/// Number of columns of Y.
pub fn parameter_count<T: Real>(m: &Model<T>) -> usize {
    let m = m.tree();
    LINK_PARAMETERS * solids(m).count() + m.rotors().len() + DRIVE_NAMES.len() * m.nv()
}

/// π: names and values in the order of Y's columns. Links that move, payloads, rotors, then five for each degree of freedom,
/// and for each joint that follows another one.
///
/// ```
/// use armdyn_core::{parameters};
/// let model = armdyn_core::examples::pendulum();
/// let pi = parameters(&model);
/// assert_eq!((pi[0].name.as_str(), pi[0].value), ("rod.m", 2.0));
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn parameters<T: Real>(m: &Model<T>) -> Vec<Parameter<T>> {
    let m = m.tree();
    let mut all = Vec::with_capacity(parameter_count(m));
    let mut push = |name: String, value| all.push(Parameter { name, value });
    let links = m.links().iter().filter(|l| l.body != 0).map(|l| (&l.name, l.inertia()));
    let payloads = m.payloads().iter().filter(|p| m.links()[p.link].body != 0).map(|p| (&p.name, p.inertia));
    for (name, inertia) in links.chain(payloads) {
        for (label, value) in LINK_NAMES.iter().zip(inertia.components()) {
            push(format!("{name}.{label}"), value);
        }
    }
    for r in m.rotors() {
        push(format!("rotor of {}.J", r.name), r.inertia);
    }
    for (v, name) in m.dof_names().iter().enumerate() {
        let f = &m.friction()[v];
        let values = [m.armature()[v], f.viscous, f.coulomb_forward, f.coulomb_backward, f.stribeck];
        for (label, value) in DRIVE_NAMES.iter().zip(values) {
            push(format!("{name}.{label}"), value);
        }
    }
    all
}

algorithm! {
    /// Y(q, q̇, q̈), row-major into `y` (nv × [`parameter_count`]).
    ///
    /// ```
    /// use armdyn_core::{RegressorData, parameter_count, parameters, regressor};
    /// let model = armdyn_core::examples::pendulum();
    /// let mut y = vec![0.0; parameter_count(&model)];
    /// regressor(&model, &mut RegressorData::new(&model), &[0.0], &[0.0], &[2.0], &mut y)?;
    /// let tau: f64 = y.iter().zip(parameters(&model)).map(|(y, p)| y * p.value).sum();
    /// assert!((tau - (0.5 * 2.0 + 9.81)).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    regressor = regressor_rows(RegressorData; q, qd, qdd; y)
}

#[inline(always)]
fn regressor_rows<T: Real>(
    m: &Model<T>,
    d: &mut RegressorData<T>,
    q: &[T],
    qd: &[T],
    qdd: &[T],
    y: &mut [T],
) -> Result<()> {
    let (n, width) = (m.nv(), parameter_count(m));
    m.check_length("q", m.nq(), q.len())?;
    m.check_length("qd", n, qd.len())?;
    m.check_length("qdd", n, qdd.len())?;
    m.check_length("y", n * width, y.len())?;
    d.kinematics.check(m)?;
    if d.tree.is_some() {
        return by_tree(m, d, q, qd, qdd, y);
    }
    d.kinematics.update_near(m, q, ());
    body_motions(m, d, qd, qdd);
    y.fill(T::zero());
    let inputs: Inputs<T> = &[("q", q), ("qd", qd), ("qdd", qdd)];
    let (mut solids_left, mut k) = (solids(m), 0);
    loop {
        // Some at a time, so that none waits for its wrenches to be written.
        let block: [_; BLOCK] = core::array::from_fn(|_| solids_left.next());
        for (wrenches, solid) in d.wrenches.iter_mut().zip(&block) {
            let Some((body, pose)) = *solid else { break };
            parameter_wrenches(&d.kinematics.poses[body], pose, &d.motions[body], wrenches);
        }
        for (place, solid) in block.into_iter().enumerate() {
            let Some((body, _)) = solid else { break };
            let size = solid_columns(m, d, body, place, &mut y[k * LINK_PARAMETERS..], width);
            m.check_finite_at("y", size, m.body(body).v, inputs)?;
            k += 1;
        }
        if block[BLOCK - 1].is_none() {
            break;
        }
    }
    drive_columns(m, d, qd, qdd, y, width);
    // Rotors' columns, and those of the degree of freedom's own drive: the rest of a row is zero.
    let (rotors, n) = (LINK_PARAMETERS * solids(m).count(), DRIVE_NAMES.len());
    (0..m.nv()).try_for_each(|v| {
        let row = &y[v * width + rotors..(v + 1) * width];
        let (rotors, drives) = row.split_at(m.rotors().len());
        let size = rotors.iter().chain(&drives[v * n..(v + 1) * n]).fold(T::zero(), |sum, &x| sum + x);
        m.check_finite_at("y", size, v, inputs)
    })
}

/// Y = Gᵀ Y_tree (`model/followers.rs`).
#[cold]
#[inline(never)]
fn by_tree<T: Real>(m: &Model<T>, d: &mut RegressorData<T>, q: &[T], qd: &[T], qdd: &[T], y: &mut [T]) -> Result<()> {
    let (own, tree, rows) = OnTree::at(&mut d.tree, m, q, Some(qd), Some(qdd))?;
    own.data.boundary.copy_from(&d.boundary);
    // A payload that was added to the model adds columns.
    own.results[0].resize(tree.nv() * parameter_count(tree), T::zero());
    regressor(tree, &mut own.data, &own.q, &own.qd, &own.qdd, &mut own.results[0])?;
    rows.reduce_rows(&own.results[0], parameter_count(tree), y);
    Ok(())
}

/// Velocity and acceleration of each body.
#[inline(always)]
fn body_motions<T: Real>(m: &Model<T>, d: &mut RegressorData<T>, qd: &[T], qdd: &[T]) {
    let k = &d.kinematics;
    let base = [d.boundary.base_velocity, d.boundary.spatial_acceleration(m.gravity)];
    let mut last = [k.poses[0].motion(base[0]), k.poses[0].motion(base[1])];
    d.motions[0] = last;
    for (i, b) in m.base_to_tip() {
        let [vp, ap] = if b.parent + 1 == i { last } else { d.motions[b.parent] };
        let (mut rate, mut push) = (Motion::zero(), Motion::zero());
        for v in b.dofs() {
            rate = k.screws[v].scale_add(qd[v], rate);
            push = k.screws[v].scale_add(qdd[v], push);
        }
        let velocity = vp + rate;
        last = [velocity, ap + push + velocity.cross(rate)];
        d.motions[i] = last;
    }
}

/// (1) of each parameter of a rigid body.
#[inline(always)]
fn parameter_wrenches<T: Real>(
    at: &Transform<T>,
    pose: Option<&Transform<T>>,
    &[Motion { angular: omega, linear: v }, Motion { angular: alpha, linear: spatial }]: &[Motion<T>; 2],
    wrenches: &mut Packed<T, 6>,
) {
    let world = if let Some(pose) = pose { at.compose(pose) } else { *at };
    let (r, p) = (world.rotation, world.translation);
    let a = alpha.cross_add(p, omega.cross_add(omega.cross_add(p, v), spatial));
    let (ex, ey, ez) = (r.x, r.y, r.z);
    let (dx, dy, dz) = (omega.cross(ex), omega.cross(ey), omega.cross(ez));
    let (al, w) = (r.inverse_rotate(alpha), r.inverse_rotate(omega));
    let (fx, fy, fz) = (
        alpha.cross_add(ex, omega.cross(dx)),
        alpha.cross_add(ey, omega.cross(dy)),
        alpha.cross_add(ez, omega.cross(dz)),
    );
    let (nx, ny, nz) = (p.cross_add(fx, ex.cross(a)), p.cross_add(fy, ey.cross(a)), p.cross_add(fz, ez.cross(a)));
    let (xx, yy, zz) = (ex.scale_add(al.x, dx * w.x), ey.scale_add(al.y, dy * w.y), ez.scale_add(al.z, dz * w.z));
    let (xy, xz, yz) = (
        ex.scale_add(al.y, ey.scale_add(al.x, dx.scale_add(w.y, dy * w.x))),
        ex.scale_add(al.z, ez.scale_add(al.x, dx.scale_add(w.z, dz * w.x))),
        ey.scale_add(al.z, ez.scale_add(al.y, dy.scale_add(w.z, dz * w.y))),
    );
    let zero = Vec3::zero();
    wrenches.set(0, Force::new(p.cross(a), a).components());
    wrenches.set(1, Force::new(nx, fx).components());
    wrenches.set(2, Force::new(ny, fy).components());
    wrenches.set(3, Force::new(nz, fz).components());
    for (k, n) in [xx, xy, xz, yy, yz, zz].into_iter().enumerate() {
        wrenches.set(4 + k, Force::new(n, zero).components());
    }
}

/// The ten columns of the rigid body at a place of the block, for each degree of freedom that moves it; `y` starts at the first of them, in
/// rows of `width`. Returns their sum, which is finite if they are.
#[inline(always)]
fn solid_columns<T: Real>(
    m: &Model<T>,
    d: &RegressorData<T>,
    body: usize,
    place: usize,
    y: &mut [T],
    width: usize,
) -> T {
    let (first, second) = (d.wrenches[place].wide(0), d.wrenches[place].wide(1));
    let (mut size, mut size_of_second) = (Wide::splat(T::zero()), Wide::splat(T::zero()));
    for dof in m.support_dofs(body) {
        let j = splat(d.kinematics.screws[dof].components());
        let columns = Motion::from_components(j).dot(Force::from_components(first));
        let rest = j[0].mul_add(second[0], j[1].mul_add(second[1], j[2] * second[2])); // their force is zero
        size += columns;
        size_of_second += rest;
        let out = &mut y[dof * width..][..LINK_PARAMETERS];
        out[..LANES].copy_from_slice(&columns.0);
        out[LANES..].copy_from_slice(&rest.0[..LINK_PARAMETERS - LANES]);
    }
    (size + size_of_second).0.iter().fold(T::zero(), |sum, &x| sum + x)
}

/// The columns of rotors and friction.
#[inline(always)]
fn drive_columns<T: Real>(m: &Model<T>, d: &RegressorData<T>, qd: &[T], qdd: &[T], y: &mut [T], width: usize) {
    let rotors = LINK_PARAMETERS * solids(m).count();
    for (k, r) in m.rotors().iter().enumerate() {
        let (speed, mut rate) = (r.speed(qd), r.speed(qdd));
        if let Some((body, axis)) = r.mount {
            let [velocity, acceleration] = d.motions[body];
            let e = d.kinematics.poses[body].rotation.rotate(axis);
            // The moment of `rnea.rs` (6), per unit of inertia.
            let spin_rate = e * rate + velocity.angular.cross(e) * speed;
            for dof in m.support_dofs(body) {
                y[dof * width + rotors + k] += d.kinematics.screws[dof].angular.dot(spin_rate);
            }
            rate += e.dot(acceleration.angular);
        }
        for (dof, g) in r.gears() {
            y[dof * width + rotors + k] += g * rate;
        }
    }
    let drives = rotors + m.rotors().len();
    for (dof, f) in m.friction().iter().enumerate() {
        let at = dof * width + drives + dof * DRIVE_NAMES.len();
        y[at] = qdd[dof];
        y[at + 1..at + DRIVE_NAMES.len()].copy_from_slice(&f.levels(qd[dof]));
    }
}
