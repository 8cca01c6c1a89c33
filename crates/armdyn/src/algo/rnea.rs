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
//! the axis e, has besides
//!
//!   Nₚ += J (θ̈ e + θ̇ ωₚ × e),   τⱼ += gⱼ J e·αₚ                      (6)
//!
//! Deviations: (4) is Lau's J α + ω × J ω, written with K, which takes fewer operations; link i turns with frame i + 1
//! (his 5-31, 5-83 are wrong there), and gravity enters as an acceleration −g of the base (his 5-34 has +g).

use super::Boundary;
use crate::error::Result;
use crate::model::{AccelerationTensor, JointInfo, Model, Moving, tensor_times};
use crate::scalar::Real;
use crate::spatial::{Force, Inertia, Sym3, Transform, Vec3, vec3};
use alloc::vec;
use alloc::vec::Vec;

/// Where a wrench is given: its axes, and the point that its moment is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WrenchFrame<T> {
    /// The axes and origin of the link that the joint moves.
    Link,
    /// The axes and origin of the link that the joint starts from.
    Parent,
    /// The base's axes, at the origin of the link that the joint moves.
    WorldAligned,
    /// The base's axes and origin.
    World,
    /// A frame with this pose in the link that the joint moves.
    At(Transform<T>),
}

/// What a joint transmits: the wrench on the link that it moves.
#[derive(Clone, Copy, Debug)]
pub struct JointWrench<T> {
    /// All of it.
    pub total: Force<T>,
    /// What the drive supplies.
    pub actuation: Force<T>,
    /// What the structure bears.
    pub constraint: Force<T>,
}

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
    /// Motion of the base, and wrenches from outside.
    pub boundary: Boundary<T>,
    trig: Vec<(T, T)>,
    states: Vec<State<T>>,
}

impl<T: Real> RneaData<T> {
    /// For a model.
    pub fn new(m: &Model<T>) -> Self {
        let still = Moving { omega: Vec3::zero(), alpha: Vec3::zero(), a: Vec3::zero() };
        let state = State { x: Transform::identity(), moving: still, u: [Vec3::zero(); 3], f: Force::zero() };
        let zero = T::zero();
        RneaData {
            boundary: Boundary::new(m),
            trig: vec![(zero, zero); m.nq()],
            states: vec![state; m.body_count() + 1],
        }
    }

    /// The wrench that each pair of a joint transmitted in the last call (one for most joints, base to tip).
    pub fn wrenches(&self, m: &Model<T>, joint: usize, frame: WrenchFrame<T>) -> Vec<JointWrench<T>> {
        let info = &m.joints()[joint];
        info.bodies.clone().map(|b| self.wrench(m, info, b, frame)).collect()
    }

    fn wrench(&self, m: &Model<T>, joint: &JointInfo, body: usize, frame: WrenchFrame<T>) -> JointWrench<T> {
        let link = |k: usize| self.pose(m, m.links()[k].body).compose(&m.links()[k].pose);
        let child = link(joint.child);
        let asked = match frame {
            WrenchFrame::Link => child,
            WrenchFrame::Parent => link(joint.parent),
            WrenchFrame::WorldAligned => Transform::shifted(child.translation),
            WrenchFrame::World => Transform::identity(),
            WrenchFrame::At(pose) => child.compose(&pose),
        };
        let x = asked.inverse().compose(&self.pose(m, body));
        let total = self.states[body].f;
        let actuation = m.body(body).pair.actuation(&total);
        JointWrench { total: x.force(total), actuation: x.force(actuation), constraint: x.force(total - actuation) }
    }

    /// The pose of a body in the base, in the last call.
    fn pose(&self, m: &Model<T>, mut body: usize) -> Transform<T> {
        let mut x = Transform::identity();
        while body != 0 {
            x = self.states[body].x.compose(&x);
            body = m.body(body).parent;
        }
        x
    }

    /// The wrench that the ground exerted on the base in the last call, the base's own inertia included, in the base's
    /// frame.
    pub fn base_wrench(&self, m: &Model<T>) -> Force<T> {
        let base = &self.states[0];
        base.f + inertial_wrench(&base.moving, &base.u, &m.base, &m.base.moments())
    }

    pub(crate) fn state(&self, body: usize) -> &State<T> {
        &self.states[body]
    }
}

/// τ for a motion: `tau` = M(q) q̈ + C(q, q̇) q̇ + g(q) + drives − Jᵀ wrenches.
pub fn rnea<T: Real>(m: &Model<T>, d: &mut RneaData<T>, q: &[T], qd: &[T], qdd: &[T], tau: &mut [T]) -> Result<()> {
    m.check_shapes(q, qd, qdd, tau)?;
    m.check_workspace(d.trig.len(), d.states.len())?;
    outward(m, d, q, qd, qdd);
    if let Some(wrenches) = d.boundary.wrenches() {
        for (s, &w) in d.states.iter_mut().zip(wrenches) {
            s.f -= w;
        }
    }
    if m.has_spinning {
        spinning_moments(m, d, qd, qdd);
    }
    for (i, b) in m.tip_to_base() {
        let s = &d.states[i];
        b.pair.project(&s.f, &mut tau[b.v..]); // (5)
        let f = s.x.force(s.f);
        d.states[b.parent].f += f;
    }
    drive_torques(m, qd, qdd, tau);
    if m.has_spinning {
        spinning_torques(m, d, tau);
    }
    m.check_finite("tau", tau, &[("q", q), ("qd", qd), ("qdd", qdd)])
}

/// The recursion from base to tip, (1) … (4).
#[inline(always)]
pub(crate) fn outward<T: Real>(m: &Model<T>, d: &mut RneaData<T>, q: &[T], qd: &[T], qdd: &[T]) {
    T::sin_cos_each(q, &mut d.trig);
    let base = d.boundary.base(m.gravity);
    d.states[0] = State { x: Transform::identity(), moving: base, u: base.tensor(), f: Force::zero() };
    for (i, b) in m.base_to_tip() {
        let p = &d.states[b.parent];
        let x = b.pair.pose(&b.placement, &q[b.q..], &d.trig[b.q..]);
        let moving = b.pair.carry(&p.moving, &p.u, &x, &qd[b.v..], &qdd[b.v..]); // (1), (2)
        let u = moving.tensor();
        let f = inertial_wrench(&moving, &u, &b.inertia, &b.moments); // (3), (4)
        d.states[i] = State { x, moving, u, f };
    }
}

/// Rate of change of a body's momentum, gravity included: (3), (4).
#[inline(always)]
fn inertial_wrench<T: Real>(
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

/// (6): what a spinning rotor does to the body that carries it.
fn spinning_moments<T: Real>(m: &Model<T>, d: &mut RneaData<T>, qd: &[T], qdd: &[T]) {
    for r in m.rotors() {
        let Some((body, axis)) = r.mount else { continue };
        let s = &mut d.states[body];
        let turn = axis * r.speed(qdd) + s.moving.omega.cross(axis) * r.speed(qd);
        s.f.moment += turn * r.inertia;
    }
}

/// What the drives need for themselves, spinning apart, added to `tau`.
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

/// What friction takes, added to `tau`.
#[inline(always)]
pub(crate) fn friction_torques<T: Real>(m: &Model<T>, qd: &[T], tau: &mut [T]) {
    if m.has_friction {
        for ((t, f), &v) in tau.iter_mut().zip(&m.friction).zip(qd) {
            *t += f.viscous_torque(v) + f.dry_torque(v);
        }
    }
}

/// (6): what a spinning rotor needs because the body that carries it turns, added to `tau`.
fn spinning_torques<T: Real>(m: &Model<T>, d: &RneaData<T>, tau: &mut [T]) {
    for r in m.rotors() {
        let Some((body, axis)) = r.mount else { continue };
        let turning = axis.dot(d.states[body].moving.alpha) * r.inertia;
        for &(dof, g) in &r.gear {
            tau[dof] += g * turning;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BASE, Joint, Link, ModelBuilder};

    /// A crane of one jib, 1 m, with 2 kg at its end, on a post 3 m high; the jib swings about the vertical.
    fn crane() -> Model<f64> {
        let mut b = ModelBuilder::new("crane");
        let post = Joint::revolute("swing", [0.0, 0.0, 1.0]).at(Transform::shifted(vec3(0.0, 0.0, 3.0)));
        b.add(BASE, post, Link::new("jib").body(2.0, [1.0, 0.0, 0.0], [0.0; 6]));
        b.build().unwrap()
    }

    #[test]
    fn a_wrench_is_the_same_in_every_frame_it_is_asked_in() {
        let m = crane();
        let mut d = RneaData::new(&m);
        let quarter = core::f64::consts::FRAC_PI_2;
        rnea(&m, &mut d, &[quarter], &[0.0], &[0.0], &mut [0.0]).unwrap();
        let w = 2.0 * 9.81;
        // The jib points along y: r × (0, 0, w).
        let expected = [
            (WrenchFrame::Link, vec3(0.0, -w, 0.0)),
            (WrenchFrame::Parent, vec3(w, 0.0, 0.0)),
            (WrenchFrame::WorldAligned, vec3(w, 0.0, 0.0)),
            (WrenchFrame::World, vec3(w, 0.0, 0.0)),
            (WrenchFrame::At(Transform::shifted(vec3(1.0, 0.0, 0.0))), Vec3::zero()),
        ];
        for (frame, moment) in expected {
            let JointWrench { total, actuation, constraint } = d.wrenches(&m, 0, frame)[0];
            assert!((total.moment - moment).norm() < 1e-14 * w, "{frame:?}: {total:?}");
            assert!((total.force - vec3(0.0, 0.0, w)).norm() < 1e-14 * w);
            assert!(actuation.moment.norm() < 1e-14 * w && (constraint.force - total.force).norm() < 1e-14 * w);
        }
    }

    #[test]
    fn spinning_a_jib_takes_a_centripetal_force_and_speeding_it_up_a_torque() {
        let m = crane();
        let (mut d, mut tau) = (RneaData::new(&m), [0.0]);
        rnea(&m, &mut d, &[0.7], &[3.0], &[0.5], &mut tau).unwrap();
        assert!((tau[0] - 2.0 * 0.5).abs() < 1e-14, "m r² q̈");
        let force = d.wrenches(&m, 0, WrenchFrame::Link)[0].constraint.force;
        assert!((force - vec3(-2.0 * 9.0, 2.0 * 0.5, 2.0 * 9.81)).norm() < 1e-13, "−m r q̇², m r q̈, m g");
        // What the ground bears, about the foot of the post 3 m below: the drive's reaction about the vertical.
        assert!((d.base_wrench(&m).moment.z - tau[0]).abs() < 1e-14);
    }
}
