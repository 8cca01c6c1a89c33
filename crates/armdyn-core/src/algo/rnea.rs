//! Inverse dynamics: recursive Newton–Euler.
//!
//! Lau 1985, ch. 5 (corrected 5-1 … 5-39); Luh, Walker & Paul 1980. In body axes, with U = α̂ + ω̂ω̂ and
//! K = ∫ r rᵀ dm:
//!
//!   ωᵢ = Xᵀ ωₚ + w,   αᵢ = Xᵀ αₚ + ẇ + ωᵢ × w                        (1)
//!   aᵢ = Xᵀ (aₚ + Uₚ r) + u̇ + 2 ωᵢ × u − w × u                       (2)
//!   Fᵢ = m aᵢ + Uᵢ h − Fᵉˣᵗ                                          (3)
//!   Nᵢ = vee(Uᵢ K − K Uᵢᵀ) + h × aᵢ − Nᵉˣᵗ                            (4)
//!   τᵢ = Sᵀ (Nᵢ, Fᵢ) ;  Fₚ += X Fᵢ ;  Nₚ += X Nᵢ + r × X Fᵢ           (5)
//!
//! then the drives: τ += (Gᵀ J G) q̈ + friction. A rotor of inertia J and speed θ̇ = Σ g q̇, carried by body p along
//! the axis e, adds
//!
//!   Nₚ += J (θ̈ e + θ̇ ωₚ × e),   τⱼ += gⱼ J e·αₚ                      (6)
//!
//! Deviations: (4) is Lau's J α + ω × J ω, written with K, which takes fewer operations; link i rotates with frame i + 1
//! (his 5-31, 5-83 are wrong there), and gravity enters as an acceleration −g of the base (his 5-34 has +g).

use super::Boundary;
use super::on_tree::{OnTree, Tree};
use crate::error::Result;
use crate::model::{AccelerationTensor, Model, Moving, tensor_times};
use crate::scalar::{Real, algorithm};
use crate::spatial::{Force, Inertia, Sym3, Transform, Vec3, vec3};
use alloc::vec;
use alloc::vec::Vec;

#[derive(Clone, Copy, Debug)]
pub(crate) struct State<T> {
    pub x: Transform<T>,
    pub moving: Moving<T>,
    pub u: AccelerationTensor<T>,
    pub f: Force<T>,
}

/// Workspace of [`rnea`].
#[derive(Clone, Debug)]
pub struct RneaData<T> {
    /// Motion of the base, and external wrenches.
    pub boundary: Boundary<T>,
    pub(super) shape: u64,
    trig: Vec<(T, T)>,
    pub(super) states: Vec<State<T>>,
    /// The moment of each gyroscopic rotor on its carrier, in the carrier's axes.
    pub(super) spins: Vec<Vec3<T>>,
    pub(super) tree: Tree<T, RneaData<T>>,
}

impl<T: Real> RneaData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let still = Moving { omega: Vec3::zero(), alpha: Vec3::zero(), a: Vec3::zero() };
        let state = State { x: Transform::identity(), moving: still, u: [Vec3::zero(); 3], f: Force::zero() };
        let zero = T::zero();
        RneaData {
            boundary: Boundary::at_rest(m),
            shape: m.structure.shape,
            spins: vec![Vec3::zero(); m.rotors().len()],
            trig: vec![(zero, zero); m.nq()],
            states: vec![state; m.body_count() + 1],
            tree: OnTree::new(m, RneaData::new, |tree| [tree.nv(), 0]),
        }
    }

    pub(crate) fn state(&self, body: usize) -> &State<T> {
        &self.states[body]
    }
}

algorithm! {
    /// τ for a motion: `tau` = M(q) q̈ + C(q, q̇) q̇ + g(q) + drives − Jᵀ wrenches.
    ///
    /// ```
    /// use armdyn_core::{RneaData, rnea};
    /// let model = armdyn_core::examples::pendulum();
    /// let mut data = RneaData::new(&model); // created once, reused in every call
    /// let mut tau = [0.0];
    /// rnea(&model, &mut data, &[0.0], &[0.0], &[2.0], &mut tau)?;
    /// assert!((tau[0] - (0.5 * 2.0 + 9.81)).abs() < 1e-12); // m r² q̈ + m g r cos q
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    rnea = newton_euler(RneaData; q, qd, qdd; tau)
}

#[inline(always)]
fn newton_euler<T: Real>(m: &Model<T>, d: &mut RneaData<T>, q: &[T], qd: &[T], qdd: &[T], tau: &mut [T]) -> Result<()> {
    m.check_shapes(q, qd, qdd, tau)?;
    m.check_made_for("workspace", d.shape)?;
    d.boundary.check(m)?;
    if d.tree.is_some() {
        return by_tree(m, d, q, qd, qdd, tau);
    }
    outward(m, d, q, qd, qdd);
    if let Some(wrenches) = d.boundary.wrenches() {
        for (s, &w) in d.states.iter_mut().zip(wrenches) {
            s.f -= w;
        }
    }
    if m.structure.has_spinning {
        spinning_moments(m, d, qd, qdd);
    }
    let mut from_child = Force::zero(); // in a chain, the wrench on the parent stays in registers
    for (i, b) in m.tip_to_base() {
        let s = &mut d.states[i];
        let f = s.f + from_child;
        s.f = f;
        b.pair.project(&f, &mut tau[b.v..]); // (5)
        from_child = s.x.force(f);
        if b.parent + 1 != i {
            d.states[b.parent].f += from_child;
            from_child = Force::zero();
        }
    }
    d.states[0].f += from_child;
    drive_torques(m, qd, qdd, tau);
    if m.structure.has_spinning {
        spinning_torques(m, d, tau);
    }
    m.check_finite("tau", tau, &[("q", q), ("qd", qd), ("qdd", qdd)])
}

/// τ = Gᵀ τ_tree (`model/followers.rs`).
#[cold]
#[inline(never)]
fn by_tree<T: Real>(m: &Model<T>, d: &mut RneaData<T>, q: &[T], qd: &[T], qdd: &[T], tau: &mut [T]) -> Result<()> {
    let (own, tree, rows) = OnTree::at(&mut d.tree, m, q, Some(qd), Some(qdd))?;
    own.data.boundary.copy_from(&d.boundary);
    rnea(tree, &mut own.data, &own.q, &own.qd, &own.qdd, &mut own.results[0])?;
    rows.reduce(&own.results[0], tau);
    Ok(())
}

/// The same recursion with spatial vectors (Featherstone 2008, table 5.1), for reading; gyroscopic rotors are not covered.
///
///   vᵢ = ⁱXₚ vₚ + Sᵢ q̇ᵢ                         (1)
///   aᵢ = ⁱXₚ aₚ + Sᵢ q̈ᵢ + vᵢ × Sᵢ q̇ᵢ            (2)
///   fᵢ = Iᵢ aᵢ + vᵢ ×* Iᵢ vᵢ − fᵢᵉˣᵗ            (3)
///   τᵢ = Sᵢᵀ fᵢ ;  fₚ += ⁱXₚᵀ fᵢ                (4)
///
/// ```
/// use armdyn_core::{Boundary, rnea_spatial};
/// let model = armdyn_core::examples::pendulum();
/// let (boundary, mut tau) = (Boundary::at_rest(&model), [0.0]);
/// rnea_spatial(&model, &boundary, &[0.0], &[0.0], &[2.0], &mut tau)?;
/// assert!((tau[0] - (0.5 * 2.0 + 9.81)).abs() < 1e-12);
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn rnea_spatial<T: Real>(
    m: &Model<T>,
    boundary: &Boundary<T>,
    q: &[T],
    qd: &[T],
    qdd: &[T],
    tau: &mut [T],
) -> Result<()> {
    m.check_shapes(q, qd, qdd, tau)?;
    m.check_no_spinning("the spatial form of the recursion covers reflected rotor inertia alone")?;
    boundary.check(m)?;
    if let Some((tree, rows)) = m.following() {
        let mut on_tree = Boundary::at_rest(tree);
        on_tree.copy_from(boundary);
        let mut torques = vec![T::zero(); tree.nv()];
        let (q, qd, qdd) = (m.tree_positions(q)?, m.tree_rates(qd)?, m.tree_rates(qdd)?);
        rnea_spatial(tree, &on_tree, &q, &qd, &qdd, &mut torques)?;
        rows.reduce(&torques, tau);
        return Ok(());
    }
    let mut trig = vec![(T::zero(), T::zero()); m.nq()];
    T::sin_cos_each(q, &mut trig);
    let external = |i: usize| boundary.wrenches().map_or(Force::zero(), |w| w[i]);
    let (mut x, mut f) = (vec![Transform::identity()], vec![Force::zero()]);
    let (mut v, mut a) = (vec![boundary.base_velocity], vec![boundary.spatial_acceleration(m.gravity)]);
    for (i, b) in m.base_to_tip() {
        let (s_qd, s_qdd) = (b.pair.motion(&qd[b.v..]), b.pair.motion(&qdd[b.v..]));
        x.push(b.pair.pose(&b.placement, &q[b.q..], &trig[b.q..]));
        v.push(x[i].motion_back(v[b.parent]) + s_qd); // (1)
        a.push(x[i].motion_back(a[b.parent]) + s_qdd + v[i].cross(s_qd)); // (2)
        f.push(b.inertia.momentum(a[i]) + v[i].cross_force(b.inertia.momentum(v[i])) - external(i)); // (3)
    }
    for (i, b) in m.tip_to_base() {
        b.pair.project(&f[i], &mut tau[b.v..]); // (4)
        let on_parent = x[i].force(f[i]);
        f[b.parent] += on_parent;
    }
    drive_torques(m, qd, qdd, tau);
    m.check_finite("tau", tau, &[("q", q), ("qd", qd), ("qdd", qdd)])
}

/// The recursion from base to tip, (1) … (4).
#[inline(always)]
pub(crate) fn outward<T: Real>(m: &Model<T>, d: &mut RneaData<T>, q: &[T], qd: &[T], qdd: &[T]) {
    T::sin_cos_each(q, &mut d.trig);
    let base = d.boundary.base(m.gravity);
    d.states[0] = State { x: Transform::identity(), moving: base, u: base.tensor(), f: Force::zero() };
    let (mut moving, mut u) = (base, base.tensor());
    for (i, b) in m.base_to_tip() {
        if b.parent + 1 != i {
            (moving, u) = (d.states[b.parent].moving, d.states[b.parent].u);
        }
        let x = b.pair.pose(&b.placement, &q[b.q..], &d.trig[b.q..]);
        moving = b.pair.propagate(&moving, &u, &x, &qd[b.v..], &qdd[b.v..]); // (1), (2)
        u = moving.tensor();
        let f = inertial_wrench(&moving, &u, &b.inertia, &b.moments); // (3), (4)
        d.states[i] = State { x, moving, u, f };
    }
}

/// Rate of change of a body's momentum, gravity included: (3), (4).
#[inline(always)]
pub(super) fn inertial_wrench<T: Real>(
    moving: &Moving<T>,
    u: &AccelerationTensor<T>,
    inertia: &Inertia<T>,
    k: &Sym3<T>,
) -> Force<T> {
    let (a, h) = (moving.a, inertia.first);
    let [ux, uy, uz] = u;
    let euler = vec3(
        uz.x.mul_add(k.xy, uz.y.mul_add(k.yy, k.yz * (uz.z - uy.y))) - uy.x.mul_add(k.xz, uy.z * k.zz),
        ux.y.mul_add(k.yz, ux.z.mul_add(k.zz, k.xz * (ux.x - uz.z))) - uz.x.mul_add(k.xx, uz.y * k.xy),
        uy.x.mul_add(k.xx, uy.z.mul_add(k.xz, k.xy * (uy.y - ux.x))) - ux.y.mul_add(k.yy, ux.z * k.yz),
    );
    Force::new(h.cross_add(a, euler), tensor_times(u, h, a * inertia.mass))
}

/// (6): moments of gyroscopic rotors on their carriers.
#[inline(always)]
pub(super) fn spinning_moments<T: Real>(m: &Model<T>, d: &mut RneaData<T>, qd: &[T], qdd: &[T]) {
    for (r, spin) in m.rotors().iter().zip(&mut d.spins) {
        let Some((body, axis)) = r.mount else { continue };
        let s = &mut d.states[body];
        let spin_rate = axis * r.speed(qdd) + s.moving.omega.cross(axis) * r.speed(qd);
        *spin = spin_rate * r.inertia;
        s.f.moment += *spin;
    }
}

/// Torques of the drives (reflected inertia, friction), without gyroscopic rotors, added to `tau`.
#[inline(always)]
pub(crate) fn drive_torques<T: Real>(m: &Model<T>, qd: &[T], qdd: &[T], tau: &mut [T]) {
    for ((t, &j), &a) in tau.iter_mut().zip(&m.reflected).zip(qdd) {
        *t = j.mul_add(a, *t);
    }
    for &(i, j, x) in &m.coupling {
        tau[i] += x * qdd[j];
        tau[j] += x * qdd[i];
    }
    friction_torques(m, qd, tau);
}

/// Friction torques, added to `tau`.
#[inline(always)]
pub(crate) fn friction_torques<T: Real>(m: &Model<T>, qd: &[T], tau: &mut [T]) {
    if m.structure.has_friction {
        for ((t, f), &v) in tau.iter_mut().zip(&m.friction).zip(qd) {
            *t += f.torque(v);
        }
    }
}

/// (6): torques of gyroscopic rotors due to the rotation of their carriers, added to `tau`.
#[inline(always)]
fn spinning_torques<T: Real>(m: &Model<T>, d: &RneaData<T>, tau: &mut [T]) {
    for r in m.rotors() {
        let Some((body, axis)) = r.mount else { continue };
        let turning = axis.dot(d.states[body].moving.alpha) * r.inertia;
        for (dof, g) in r.gears() {
            tau[dof] += g * turning;
        }
    }
}
