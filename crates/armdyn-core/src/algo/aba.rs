//! Forward dynamics: articulated bodies, in the base's axes.
//!
//! Featherstone 2008, §7.3. With the screws Jᵥ and all inertias in the base's axes:
//!
//!   vᵢ = vₚ + J q̇,   cᵢ = vᵢ × J q̇,   bᵢ = vᵢ ×* Iᵢ vᵢ − fᵉˣᵗ + Iᴬᵢ cᵢ          (1)
//!   U = Iᴬᵢ J,   D = J·U + (Gᵀ J G),   u = τ − τ_f − J·bᵢ                         (2)
//!   Iᴬₚ += Iᴬᵢ − U Uᵀ/D,   bₚ += bᵢ + U u/D                                       (3)
//!   q̈ = (u − U·a)/D,   a += J q̈,   with a = aₚ at first and aᵢ = a + cᵢ at last    (4)
//!
//! Deviations: base axes, so that no articulated inertia is ever transformed; a pair of several degrees of freedom is
//! eliminated one by one by (2), (3), so that D is a number; c enters through bᵢ. Drives that couple joints (a gear
//! coupling matrix, spinning rotors), and joints that follow others, make D a matrix across bodies: then
//! M q̈ = τ − rnea(q, q̇, 0) is solved by Cholesky.

use super::{Boundary, CrbaData, KinematicsData, RneaData, crba, rnea};
use crate::dense::{cholesky, cholesky_solve};
use crate::error::Result;
use crate::model::Model;
use crate::scalar::{Real, algorithm};
use crate::spatial::{Force, Inertia, Motion, Sym3, Vec3, vec3};
use alloc::vec;
use alloc::vec::Vec;

/// An articulated inertia: moment = a ω̇ + b v̇, force = bᵀ ω̇ + c v̇.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Articulated<T> {
    a: Sym3<T>,
    b: [Vec3<T>; 3],
    c: Sym3<T>,
}

impl<T: Real> Articulated<T> {
    pub fn zero() -> Self {
        Articulated { a: Sym3::zero(), b: [Vec3::zero(); 3], c: Sym3::zero() }
    }

    #[inline(always)]
    pub fn rigid(i: &Inertia<T>) -> Self {
        let (h, m, zero) = (i.first, i.mass, T::zero());
        let b = [vec3(zero, -h.z, h.y), vec3(h.z, zero, -h.x), vec3(-h.y, h.x, zero)];
        Articulated { a: i.second, b, c: Sym3::diagonal(m, m, m) }
    }

    #[inline(always)]
    fn times(&self, m: Motion<T>) -> Force<T> {
        let (w, v) = (m.angular, m.linear);
        let [bx, by, bz] = self.b;
        let moment = self.a * w;
        let force = self.c * v;
        Force::new(
            moment + vec3(bx.dot(v), by.dot(v), bz.dot(v)),
            bx.scale_add(w.x, by.scale_add(w.y, bz.scale_add(w.z, force))),
        )
    }

    /// Without what the degree of freedom with U = (n, f) takes up: − U Uᵀ/D.
    #[inline(always)]
    fn reduce(&mut self, u: Force<T>, inverse: T) {
        let (n, f) = (u.moment, u.force);
        let (sn, sf) = (n * -inverse, f * -inverse);
        let outer = |m: &mut Sym3<T>, s: Vec3<T>, t: Vec3<T>| {
            m.xx = s.x.mul_add(t.x, m.xx);
            m.xy = s.x.mul_add(t.y, m.xy);
            m.xz = s.x.mul_add(t.z, m.xz);
            m.yy = s.y.mul_add(t.y, m.yy);
            m.yz = s.y.mul_add(t.z, m.yz);
            m.zz = s.z.mul_add(t.z, m.zz);
        };
        outer(&mut self.a, sn, n);
        outer(&mut self.c, sf, f);
        self.b[0] = f.scale_add(sn.x, self.b[0]);
        self.b[1] = f.scale_add(sn.y, self.b[1]);
        self.b[2] = f.scale_add(sn.z, self.b[2]);
    }

    /// (2), (3): takes the degree of freedom `v`, of screw `j`, out; gives U and 1/D.
    #[inline(always)]
    pub fn eliminate(&mut self, m: &Model<T>, v: usize, j: Motion<T>, floor: T, q: &[T]) -> Result<(Force<T>, T)> {
        let u = self.times(j);
        let pivot = j.dot(u) + m.reflected[v];
        if !(pivot - floor).is_positive() {
            return Err(m.pivot_error(pivot, v, &[("q", q)]));
        }
        let inverse = T::one() / pivot;
        self.reduce(u, inverse);
        Ok((u, inverse))
    }

    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        self.a += other.a;
        self.c += other.c;
        for k in 0..3 {
            self.b[k] += other.b[k];
        }
    }
}

/// Workspace of [`aba`].
#[derive(Clone, Debug)]
pub struct AbaData<T> {
    /// Motion of the base, and external wrenches.
    pub boundary: Boundary<T>,
    kinematics: KinematicsData<T>,
    velocities: Vec<Motion<T>>,
    rates: Vec<Motion<T>>,
    accelerations: Vec<Motion<T>>,
    inertias: Vec<Articulated<T>>,
    biases: Vec<Force<T>>,
    u: Vec<Force<T>>,
    rest: Vec<T>,
    floors: Vec<T>,
    coupled: Option<Coupled<T>>,
}

/// Workspace of the dense method.
#[derive(Clone, Debug)]
struct Coupled<T> {
    rnea: RneaData<T>,
    crba: CrbaData<T>,
    mass: Vec<T>,
    zero: Vec<T>,
}

impl<T: Real> AbaData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let (bodies, n, zero) = (m.body_count() + 1, m.nv(), T::zero());
        let coupled = m.is_coupled_beyond_tree().then(|| Coupled {
            rnea: RneaData::new(m),
            crba: CrbaData::new(m),
            mass: vec![zero; n * n],
            zero: vec![zero; n],
        });
        AbaData {
            boundary: Boundary::at_rest(m),
            kinematics: KinematicsData::new(m),
            velocities: vec![Motion::zero(); bodies],
            rates: vec![Motion::zero(); bodies],
            accelerations: vec![Motion::zero(); bodies],
            inertias: vec![Articulated::zero(); bodies],
            biases: vec![Force::zero(); bodies],
            u: vec![Force::zero(); n],
            rest: vec![zero; n],
            floors: vec![zero; n],
            coupled,
        }
    }
}

algorithm! {
    /// q̈ for the torques `tau`: the inverse of [`rnea`].
    ///
    /// ```
    /// use armdyn_core::{AbaData, aba};
    /// let model = armdyn_core::examples::pendulum();
    /// let mut qdd = [0.0];
    /// aba(&model, &mut AbaData::new(&model), &[0.0], &[0.0], &[0.0], &mut qdd)?;
    /// assert!((qdd[0] + 9.81 / 0.5).abs() < 1e-12); // −m g r / (m r²)
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    aba = articulated_bodies(AbaData; q, qd, tau; qdd)
}

#[inline(always)]
fn articulated_bodies<T: Real>(
    m: &Model<T>,
    d: &mut AbaData<T>,
    q: &[T],
    qd: &[T],
    tau: &[T],
    qdd: &mut [T],
) -> Result<()> {
    m.check_shapes(q, qd, qdd, tau)?;
    d.kinematics.check(m)?;
    d.boundary.check(m)?;
    if let Some(c) = &mut d.coupled {
        c.rnea.boundary.copy_from(&d.boundary);
        rnea(m, &mut c.rnea, q, qd, &c.zero, qdd)?;
        crba(m, &mut c.crba, q, &mut c.mass)?;
        cholesky(&mut c.mass, m.nv()).map_err(|dof| m.not_positive(dof))?;
        for (x, &t) in qdd.iter_mut().zip(tau) {
            *x = t - *x;
        }
        cholesky_solve(&c.mass, m.nv(), qdd);
        return m.check_finite("qdd", qdd, &[("q", q), ("qd", qd), ("tau", tau)]);
    }
    d.kinematics.update_near(m, q, ());
    find_floors(m, &d.kinematics, &mut d.inertias, &mut d.floors);
    let k = &d.kinematics;
    d.velocities[0] = k.poses[0].motion(d.boundary.base_velocity);
    d.accelerations[0] = k.poses[0].motion(d.boundary.spatial_acceleration(m.gravity));
    for (i, b) in m.base_to_tip() {
        let mut rate = Motion::zero();
        for v in b.dofs() {
            rate = k.screws[v].scale_add(qd[v], rate);
        }
        let velocity = d.velocities[b.parent] + rate;
        let inertia = b.inertia.transformed(&k.poses[i]);
        d.velocities[i] = velocity;
        d.rates[i] = velocity.cross(rate); // c
        d.biases[i] = velocity.cross_force(inertia.momentum(velocity));
        d.inertias[i] = Articulated::rigid(&inertia);
    }
    if let Some(wrenches) = d.boundary.wrenches() {
        for (i, _) in m.base_to_tip() {
            d.biases[i] -= k.poses[i].force(wrenches[i]);
        }
    }
    // In a chain, what the parent receives stays in registers.
    let (mut of_child, mut bias_of_child) = (Articulated::zero(), Force::zero());
    for (i, b) in m.tip_to_base() {
        let mut inertia = d.inertias[i];
        inertia.add(&of_child);
        let mut bias = d.biases[i] + bias_of_child + inertia.times(d.rates[i]); // (1)
        for v in b.dofs().rev() {
            let j = k.screws[v];
            let mut rest = tau[v] - j.dot(bias);
            if m.structure.has_friction {
                rest -= m.friction[v].torque(qd[v]);
            }
            let (u, inverse) = inertia.eliminate(m, v, j, d.floors[v], q)?;
            bias += u * (rest * inverse);
            d.u[v] = u * inverse;
            d.rest[v] = rest * inverse;
        }
        (of_child, bias_of_child) = (inertia, bias);
        if b.parent + 1 != i {
            d.inertias[b.parent].add(&inertia);
            d.biases[b.parent] += bias;
            (of_child, bias_of_child) = (Articulated::zero(), Force::zero());
        }
    }
    for (i, b) in m.base_to_tip() {
        let mut a = d.accelerations[b.parent];
        for v in b.dofs() {
            let x = d.rest[v] - a.dot(d.u[v]); // (4)
            qdd[v] = x;
            a = k.screws[v].scale_add(x, a);
        }
        d.accelerations[i] = a + d.rates[i];
    }
    m.check_finite("qdd", qdd, &[("q", q), ("qd", qd), ("tau", tau)])
}

/// Lower bounds of the pivots: the rounding error of M_vv. If every body has mass, a pivot cannot vanish, and the bound is 0.
#[inline(always)]
pub(crate) fn find_floors<T: Real>(
    m: &Model<T>,
    k: &KinematicsData<T>,
    composites: &mut [Articulated<T>],
    floors: &mut [T],
) {
    if !m.structure.has_massless {
        return;
    }
    for (i, b) in m.base_to_tip() {
        composites[i] = Articulated::rigid(&b.inertia.transformed(&k.poses[i]));
    }
    for (i, b) in m.tip_to_base() {
        let composite = composites[i];
        composites[b.parent].add(&composite);
        for v in b.dofs() {
            let diagonal = k.screws[v].dot(composite.times(k.screws[v])) + m.reflected[v];
            floors[v] = diagonal * T::lift(500.0 * T::EPSILON);
        }
    }
}
