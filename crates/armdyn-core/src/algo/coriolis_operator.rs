//! The operator of Coriolis matrices and velocity derivatives: momentum rate of a moving body due to another motion.
//!
//! Niemeyer & Slotine 1991; Echeandia & Wensing 2021. For a body of inertia (m, h, I) moving with v = (ω, u):
//!
//!   B x = x ×* I v + v ×* I x − I (v × x) = 2 ∫ (r × (ξ × ṙ), ξ × ṙ) dm        x = (ξ, η)
//!       = (N ξ, 2 ξ × p),   N = 2 [(h·u) 1 − u hᵀ − ω̂ K],   p = m u + ω × h,   K = ½ tr(I) 1 − I
//!
//! η does not enter: a rigid translation on top changes nothing. Twelve numbers, that add up over bodies.

use crate::scalar::Real;
use crate::spatial::{Force, Inertia, Motion, Vec3, vec3};

/// The operator B of a body, or of several: all at one point, in one frame's axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoriolisOperator<T> {
    /// N by rows.
    n: [Vec3<T>; 3],
    /// 2 p.
    p: Vec3<T>,
}

impl<T: Real> CoriolisOperator<T> {
    pub fn zero() -> Self {
        CoriolisOperator { n: [Vec3::zero(); 3], p: Vec3::zero() }
    }

    /// Of a body that moves with `v` and has the momentum `momentum`.
    #[inline(always)]
    pub fn of(inertia: &Inertia<T>, v: Motion<T>, momentum: Force<T>) -> Self {
        let two = T::lift(2.0);
        let (w, u) = (v.angular * two, v.linear * two);
        let (h, k) = (inertia.first, inertia.moments());
        let along = h.dot(u);
        let [kx, ky, kz] = k.to_rows().map(|[x, y, z]| vec3(x, y, z));
        // Rows of −ω̂K, then − u hᵀ, then + (h·u) 1.
        let mut n = [ky.scale_add(w.z, kz * -w.y), kz.scale_add(w.x, kx * -w.z), kx.scale_add(w.y, ky * -w.x)];
        n[0] = h.scale_add(-u.x, n[0]);
        n[1] = h.scale_add(-u.y, n[1]);
        n[2] = h.scale_add(-u.z, n[2]);
        n[0].x += along;
        n[1].y += along;
        n[2].z += along;
        CoriolisOperator { n, p: momentum.force * two }
    }

    /// All components: N by rows, 2 p.
    #[inline(always)]
    pub fn components(&self) -> [T; 12] {
        let ([a, b, c], p) = (self.n, self.p);
        [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, p.x, p.y, p.z]
    }

    /// From all components: N by rows, 2 p.
    #[inline(always)]
    pub fn from_components([a, b, c, d, e, f, g, h, i, x, y, z]: [T; 12]) -> Self {
        CoriolisOperator { n: [vec3(a, b, c), vec3(d, e, f), vec3(g, h, i)], p: vec3(x, y, z) }
    }

    /// Adds another body's.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        for k in 0..3 {
            self.n[k] += other.n[k];
        }
        self.p += other.p;
    }

    /// Adds x ×* (h, 0), for a rotor of angular momentum h.
    #[inline(always)]
    pub fn add_spin(&mut self, h: Vec3<T>) {
        let zero = T::zero();
        self.n[0] += vec3(zero, h.z, -h.y);
        self.n[1] += vec3(-h.z, zero, h.x);
        self.n[2] += vec3(h.y, -h.x, zero);
    }

    /// B x.
    #[inline(always)]
    pub fn times(&self, x: Motion<T>) -> Force<T> {
        let xi = x.angular;
        let [a, b, c] = self.n;
        Force::new(vec3(a.dot(xi), b.dot(xi), c.dot(xi)), xi.cross(self.p))
    }

    /// The angular part of Bᵀ y; its linear part is zero.
    #[inline(always)]
    pub fn transposed(&self, y: Motion<T>) -> Vec3<T> {
        let d = y.angular;
        let [a, b, c] = self.n;
        a.scale_add(d.x, b.scale_add(d.y, c.scale_add(d.z, self.p.cross(y.linear))))
    }
}
