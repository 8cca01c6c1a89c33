//! Inverse dynamics by augmented bodies.
//!
//! Renaud 1987 (a quasi-minimal dynamic model), eqs. (0)-(10), all in the axes of body i. σ = 1 for a prismatic joint, 0 for
//! a revolute one; Z = (0 0 1); p_ic is the origin of body c in body i. The augmented body i is body i with the mass of
//! all its descendants concentrated at the origins of its children c:
//!
//!   m* = m + Σ m*_c,   u* = u + Σ m*_c p_ic,   k* = k − Σ m*_c p̂_ic p̂_ic                (0)
//!   ωᵢ = ωₚ + σ̄ q̇ Z                                                                    (1)
//!   δᵢ = ωᵢ ⊗ ωᵢ                                                                        (2)
//!   aᵢ = aₚ + σ̄ (q̇ ωₚ × Z + q̈ Z)                                                       (3)
//!   bᵢ = âᵢ + ω̂ᵢ ω̂ᵢ                                                                     (4)
//!   tᵢ = σ (2 q̇ ωₚ × Z + q̈ Z)                                                          (5)
//!   rₚ = αₚ + bₚ p_pi,   αᵢ = σ tᵢ + rₚ                                                  (6)
//!   eᵢ = Σ e_c + bᵢ u* + σ m* tᵢ                                                        (7)
//!   σ fᵢ = σ (eᵢ + m* rₚ)                                                               (8)
//!   nᵢ = Σ n_c + k* aᵢ + ωᵢ × k* ωᵢ + u* × αᵢ + Σ p_ic × e_c                             (9)
//!   Γᵢ = Z·(σ̄ nᵢ + σ fᵢ)                                                               (10)
//!
//! from α₀ = −g.
//!
//! Deviations: (0) is computed in every call, because p depends on q for a prismatic joint, and a workspace holds no data of the
//! model. Frames have any constant placement (the paper: modified Denavit–Hartenberg) with z along the joint's axis. The paper covers chains, one child each; with the sums over children c it holds for trees.
//! The base may move. An external wrench may act on every body; it is exerted by the surroundings, so that on the tip it is
//! (−n, −f)ⁿ⁺¹, the paper's being exerted by the robot. Drives are added last.

use super::Boundary;
use super::rnea::drive_torques;
use crate::error::Result;
use crate::model::{AccelerationTensor, Model, Moving, Pair, tensor_times};
use crate::scalar::Real;
use crate::spatial::{Force, Inertia, Sym3, Transform, Vec3, vec3};
use alloc::vec;
use alloc::vec::Vec;

const COVERS: &str = "augmented bodies cover revolute and prismatic pairs and rotors that do not spin in a moving body";

#[derive(Clone, Copy, Debug)]
struct State<T> {
    x: Transform<T>,
    /// ω; Renaud's angular acceleration a is `alpha` here, his α, of the origin and with gravity, is `a`.
    moving: Moving<T>,
    b: AccelerationTensor<T>,
    t: Vec3<T>,
    /// r of the parent, in this body's axes.
    r: Vec3<T>,
    e: Vec3<T>,
    n: Vec3<T>,
}

/// Workspace of [`augmented`].
#[derive(Clone, Debug)]
pub struct AugmentedData<T> {
    /// Motion of the base, and external wrenches.
    pub boundary: Boundary<T>,
    shape: u64,
    trig: Vec<(T, T)>,
    /// m*, u*, k*.
    bodies: Vec<Inertia<T>>,
    states: Vec<State<T>>,
}

impl<T: Real> AugmentedData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let zero = Vec3::zero();
        let still = Moving { omega: zero, alpha: zero, a: zero };
        let state = State { x: Transform::identity(), moving: still, b: [zero; 3], t: zero, r: zero, e: zero, n: zero };
        AugmentedData {
            boundary: Boundary::at_rest(m),
            shape: m.structure.shape,
            trig: vec![(T::zero(), T::zero()); m.nq()],
            bodies: vec![Inertia::zero(); m.body_count() + 1],
            states: vec![state; m.body_count() + 1],
        }
    }

    /// m*, u* and k* of an augmented body, by number of body (1 …), in the last call.
    pub fn body(&self, number: usize) -> &Inertia<T> {
        &self.bodies[number]
    }
}

/// σ.
fn is_prismatic<T>(pair: &Pair<T>) -> bool {
    matches!(pair, Pair::Prismatic)
}

/// (0): adds the mass of a child and its descendants, at the child's origin.
#[inline(always)]
fn attach<T: Real>(body: &mut Inertia<T>, child: T, p: Vec3<T>) {
    body.mass += child;
    body.first = p.scale_add(child, body.first);
    body.second += Sym3::shift(p * (child * T::lift(0.5)), p);
}

/// τ for a motion, as [`rnea`](super::rnea()) computes it.
///
/// ```
/// use armdyn_core::{AugmentedData, augmented};
/// let model = armdyn_core::examples::pendulum();
/// let mut tau = [0.0];
/// augmented(&model, &mut AugmentedData::new(&model), &[0.0], &[0.0], &[2.0], &mut tau)?;
/// assert!((tau[0] - (0.5 * 2.0 + 9.81)).abs() < 1e-12); // m r² q̈ + m g r cos q
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn augmented<T: Real>(
    m: &Model<T>,
    d: &mut AugmentedData<T>,
    q: &[T],
    qd: &[T],
    qdd: &[T],
    tau: &mut [T],
) -> Result<()> {
    m.check_shapes(q, qd, qdd, tau)?;
    m.check_made_for("workspace", d.shape)?;
    d.boundary.check(m)?;
    m.check_no_spinning(COVERS)?;
    m.check_no_followers("augmented bodies cover independent joints; lock the mimic joint or use another formulation")?;
    m.check_pairs(COVERS, |pair| matches!(pair, Pair::Revolute | Pair::Prismatic))?;
    T::sin_cos_each(q, &mut d.trig);
    let base = d.boundary.base(m.gravity);
    d.bodies[0] = m.base;
    d.states[0] = State { moving: base, b: base.tensor(), e: Vec3::zero(), n: Vec3::zero(), ..d.states[0] };
    for (i, b) in m.base_to_tip() {
        let x = b.pair.pose(&b.placement, &q[b.q..], &d.trig[b.q..]);
        d.bodies[i] = b.inertia;
        forward(d, i, b.parent, x, is_prismatic(&b.pair), qd[b.v], qdd[b.v]);
    }
    if let Some(wrenches) = d.boundary.wrenches() {
        for (s, w) in d.states.iter_mut().zip(wrenches) {
            (s.e, s.n) = (-w.force, -w.moment);
        }
    }
    for (i, b) in m.tip_to_base() {
        tau[b.v] = backward(d, i, b.parent, is_prismatic(&b.pair));
        let mass = d.bodies[i].mass;
        attach(&mut d.bodies[b.parent], mass, d.states[i].x.translation); // (0)
    }
    drive_torques(m, qd, qdd, tau);
    m.check_finite("tau", tau, &[("q", q), ("qd", qd), ("qdd", qdd)])
}

/// (1)-(6).
#[inline(always)]
fn forward<T: Real>(
    d: &mut AugmentedData<T>,
    i: usize,
    parent: usize,
    x: Transform<T>,
    prismatic: bool,
    qd: T,
    qdd: T,
) {
    let p = &d.states[parent];
    let rotation = &x.rotation;
    let mut omega = rotation.inverse_rotate(p.moving.omega); // (1a)
    let mut a = rotation.inverse_rotate(p.moving.alpha); // (3a)
    let r = rotation.inverse_rotate(tensor_times(&p.b, x.translation, p.moving.a)); // (6a), (6b)
    let zero = Vec3::zero();
    let mut t = zero;
    if prismatic {
        let twice = qd + qd;
        t = vec3(twice * omega.y, -(twice * omega.x), qdd); // (5)
    } else {
        a += vec3(qd * omega.y, -(qd * omega.x), qdd); // (3b)
        omega.z += qd; // (1b)
    }
    let moving = Moving { omega, alpha: a, a: r + t }; // (6c)
    d.states[i] = State { x, moving, b: moving.tensor(), t, r, e: zero, n: zero }; // (2), (4)
}

/// (7)-(10); returns Γ.
#[inline(always)]
fn backward<T: Real>(d: &mut AugmentedData<T>, i: usize, parent: usize, prismatic: bool) -> T {
    let (s, star) = (&mut d.states[i], &d.bodies[i]);
    let (omega, a, alpha) = (s.moving.omega, s.moving.alpha, s.moving.a);
    s.e = tensor_times(&s.b, star.first, s.e); // (7a)
    s.n += omega.cross_add(star.second * omega, star.second * a) + star.first.cross(alpha); // (9a)
    if prismatic {
        s.e = s.t.scale_add(star.mass, s.e);
    }
    let gamma = if prismatic { star.mass.mul_add(s.r.z, s.e.z) } else { s.n.z }; // (8), (10)
    let up = s.x.force(Force::new(s.n, s.e)); // (7b), (9b), and p × e of (9a)
    let before = &mut d.states[parent];
    before.e += up.force;
    before.n += up.moment;
    gamma
}
