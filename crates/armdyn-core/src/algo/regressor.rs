//! The regressor: τ = Y(q, q̇, q̈) π, linear in the inertial parameters, the rotors' inertias and the friction levels.
//!
//! Atkeson, An & Hollerbach 1986. For a link that moves with ω, α and acceleration a of its origin (gravity included),
//! in the link's axes, and a joint screw (δ, μ) in the link's axes, with ρ = δ × ω and U = α̂ + ω̂ω̂:
//!
//!   ∂τ/∂m = μ·a,   ∂τ/∂h = Uᵀμ + a × δ,   ∂τ/∂I_xy = δ_x α_y + δ_y α_x + ρ_x ω_y + ρ_y ω_x,   …
//!
//! Parameters of a link are those of `Inertia`: m, m c, I about the origin of the link's frame, in its axes.

use super::on_tree::{OnTree, Tree};
use super::rnea::outward;
use super::{Boundary, KinematicsData, RneaData};
use crate::error::Result;
use crate::model::{Inputs, Model, Moving, tensor_times};
use crate::scalar::{Real, algorithm};
use crate::spatial::{Motion, Transform, Vec3};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Inertial parameters of a link: m, m c (x, y, z), I (xx, xy, xz, yy, yz, zz).
pub const LINK_PARAMETERS: usize = 10;

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
    rnea: RneaData<T>,
    kinematics: KinematicsData<T>,
    tree: Tree<T, RegressorData<T>>,
}

impl<T: Real> RegressorData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let tree = OnTree::new(m, RegressorData::new, |tree| [tree.nv() * parameter_count(tree), 0]);
        RegressorData { rnea: RneaData::new(m), kinematics: KinematicsData::new(m), tree }
    }

    /// The motion of the base (wrenches from outside are no parameters: they are not part of Y).
    pub fn boundary(&mut self) -> &mut Boundary<T> {
        &mut self.rnea.boundary
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
    outward(m, &mut d.rnea, q, qd, qdd);
    y.fill(T::zero());
    let inputs: Inputs<T> = &[("q", q), ("qd", qd), ("qdd", qdd)];
    for (k, (body, pose)) in solids(m).enumerate() {
        let size = solid_columns(m, d, body, pose, |dof, columns| {
            y[dof * width + k * LINK_PARAMETERS..][..LINK_PARAMETERS].copy_from_slice(&columns);
        });
        m.check_finite_at("y", size, m.body(body).v, inputs)?;
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
    own.data.rnea.boundary.copy_from(&d.rnea.boundary);
    // A payload that was added to the model adds columns.
    own.results[0].resize(tree.nv() * parameter_count(tree), T::zero());
    regressor(tree, &mut own.data, &own.q, &own.qd, &own.qdd, &mut own.results[0])?;
    rows.reduce_rows(&own.results[0], parameter_count(tree), y);
    Ok(())
}

/// The ten columns of a rigid body, for each degree of freedom that moves it. Returns their sum, which is finite if they are.
#[inline(always)]
fn solid_columns<T: Real>(
    m: &Model<T>,
    d: &RegressorData<T>,
    body: usize,
    pose: Option<&Transform<T>>,
    mut put: impl FnMut(usize, [T; LINK_PARAMETERS]),
) -> T {
    let mut size = T::zero();
    let moving = d.rnea.state(body).moving;
    let (world, Moving { omega, alpha, a }) = match pose {
        None => (d.kinematics.poses[body], moving),
        Some(pose) => {
            let r = &pose.rotation;
            let at = tensor_times(&moving.tensor(), pose.translation, moving.a);
            let seen = Moving {
                omega: r.inverse_rotate(moving.omega),
                alpha: r.inverse_rotate(moving.alpha),
                a: r.inverse_rotate(at),
            };
            (d.kinematics.poses[body].compose(pose), seen)
        }
    };
    let [ux, uy, uz] = Moving { omega, alpha, a }.tensor();
    for dof in m.support_dofs(body) {
        let Motion { angular: delta, linear: mu } = world.motion_back(d.kinematics.screws[dof]);
        let rho = delta.cross(omega);
        let first = ux.scale_add(mu.x, uy.scale_add(mu.y, uz.scale_add(mu.z, a.cross(delta))));
        let square = |d: T, al: T, r: T, w: T| d.mul_add(al, r * w);
        let product = |i: fn(&Vec3<T>) -> T, j: fn(&Vec3<T>) -> T| {
            square(i(&delta), j(&alpha), i(&rho), j(&omega)) + square(j(&delta), i(&alpha), j(&rho), i(&omega))
        };
        let columns = [
            mu.dot(a),
            first.x,
            first.y,
            first.z,
            square(delta.x, alpha.x, rho.x, omega.x),
            product(|v| v.x, |v| v.y),
            product(|v| v.x, |v| v.z),
            square(delta.y, alpha.y, rho.y, omega.y),
            product(|v| v.y, |v| v.z),
            square(delta.z, alpha.z, rho.z, omega.z),
        ];
        size = columns.iter().fold(size, |sum, &x| sum + x);
        put(dof, columns);
    }
    size
}

/// The columns of rotors and friction.
#[inline(always)]
fn drive_columns<T: Real>(m: &Model<T>, d: &RegressorData<T>, qd: &[T], qdd: &[T], y: &mut [T], width: usize) {
    let rotors = LINK_PARAMETERS * solids(m).count();
    for (k, r) in m.rotors().iter().enumerate() {
        let (speed, mut rate) = (r.speed(qd), r.speed(qdd));
        if let Some((body, axis)) = r.mount {
            let Moving { omega, alpha, .. } = d.rnea.state(body).moving;
            // The moment of `rnea.rs` (6), per unit of inertia, in the base's axes.
            let spin_rate = d.kinematics.poses[body].rotation.rotate(axis * rate + omega.cross(axis) * speed);
            for dof in m.support_dofs(body) {
                y[dof * width + rotors + k] += d.kinematics.screws[dof].angular.dot(spin_rate);
            }
            rate += axis.dot(alpha);
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
