//! The equations of motion by Lagrange, with 4 × 4 matrices.
//!
//! Bejczy 1974 (JPL TM 33-669), section III and appendix D. With T_a^b the homogeneous matrix of
//! body b in body a, Q_j the derivative of joint j, J_p = ∫ (r; 1)(r; 1)ᵀ dm the pseudo-inertia of body p and ρ_p its
//! centre of mass:
//!
//!   U_pj = ∂T_0^p/∂q_j = T_0^j Q_j T_j^p                                              (4)
//!   U_pjk = ∂²T_0^p/∂q_j∂q_k = T_0^j Q_j T_j^k Q_k T_k^p,  j ≤ k                       (7)
//!   D_ij = Σ_p Tr(U_pj J_p U_piᵀ),   D_ijk = Σ_p Tr(U_pjk J_p U_piᵀ)                   (1)
//!   D_i = −Σ_p m_p G U_pi ρ_p
//!   τ_i = Σ_j D_ij q̈_j + Σ_j Σ_k D_ijk q̇_j q̇_k + D_i
//!
//! over the bodies p that all joints named carry. Appendix D: the transforms before the lowest joint named drop out of
//! D_ij and D_ijk ([`Omission`]), not of D_i; and of the n³ coefficients D_ijk
//!
//!   D_i,jk = D_i,kj ;   D_i,kj = −D_j,ki for k ≤ i, j   (so D_iii = 0, and D_i,ij = 0 for i > j)     (D.51)
//!   D_i,kj = 0 if the lower of k, j is prismatic
//!
//! leave n (n² − 1)/3 to compute when all joints are revolute ([`Identities`]).
//!
//! Deviations: a body's frame has its joint's axis as z, so Q_j follows T_{j−1}^j; with the report's distal frames it
//! precedes it. T_{l−1}^l of the lowest joint l drops out too. D_i has the sign of (1); (28)-(56) print the
//! negative. D_ijk is the trace of (1) and of appendix D; (12)-(17) print it once for each pair j < k, which is twice that.
//! (D.51) holds for k ≤ i, j where k < i, j is printed. A helical joint has Q_j = Q_turn + pitch · Q_slide, for which all
//! of this holds. Trees are covered: joints on different branches have no coefficient in common. D_ij includes the
//! drives' Gᵀ J G, as in the report's tables, but not in its (36)-(68).

use super::crba::add_reflected;
use super::dynamic_coefficients::{DynamicCoefficients, dynamic_coefficients};
use crate::error::Result;
use crate::model::{Model, Pair};
use crate::scalar::Real;
use crate::spatial::Mat4;
use alloc::vec;
use alloc::vec::Vec;

/// Whether the transforms that appendix D shows to have no effect are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omission {
    /// All transforms, from the base.
    Full,
    /// None before the lowest joint named in D_ij or D_ijk.
    Lemma,
}

/// Whether the identities of appendix D are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identities {
    /// Every D_ij and D_ijk is computed from its own traces.
    Ignored,
    /// The independent ones are computed, the others follow.
    Used,
}

const COVERS: &str = "the Lagrangian formulation covers pairs of one axis and rotors that do not spin in a moving body";

/// Workspace and result of [`lagrange`]: the dynamic coefficients. Degrees of freedom are numbered from 0.
#[derive(Clone, Debug)]
pub struct LagrangeData<T> {
    omission: Omission,
    identities: Identities,
    shape: u64,
    trig: Vec<(T, T)>,
    /// T_a^b, (bodies + 1)², where a is an ancestor of b.
    transforms: Vec<Mat4<T>>,
    /// Q_a T_a^b.
    derivatives: Vec<Mat4<T>>,
    pseudo_inertias: Vec<Mat4<T>>,
    independent: Vec<[usize; 3]>,
    coefficients: DynamicCoefficients<T>,
}

dynamic_coefficients!(LagrangeData);

impl<T: Real> LagrangeData<T> {
    /// Creates a workspace for a model that uses all simplifications of appendix D.
    pub fn new(m: &Model<T>) -> Self {
        LagrangeData::with(m, Omission::Lemma, Identities::Used)
    }

    /// Creates a workspace for a model with the chosen simplifications of appendix D.
    pub fn with(m: &Model<T>, omission: Omission, identities: Identities) -> Self {
        let nodes = m.body_count() + 1;
        LagrangeData {
            omission,
            identities,
            shape: m.structure.shape,
            trig: vec![(T::zero(), T::zero()); m.nq()],
            transforms: vec![Mat4::identity(); nodes * nodes],
            derivatives: vec![Mat4::zero(); nodes * nodes],
            pseudo_inertias: vec![Mat4::zero(); nodes],
            independent: to_compute(m, identities),
            coefficients: DynamicCoefficients::new(m),
        }
    }

    /// The [i, j, k], j ≤ k, whose D_ijk is computed; the others follow from them or are zero.
    pub fn independent(&self) -> &[[usize; 3]] {
        &self.independent
    }

    /// T_a^b: the homogeneous matrix of body `b` in its ancestor `a`.
    pub fn transform(&self, a: usize, b: usize) -> Mat4<T> {
        self.transforms[self.at(a, b)]
    }

    /// U_pj, relative to body `from` (0 is the base, and gives ∂T_0^p/∂q_j); all three are body numbers.
    pub fn first_partial(&self, from: usize, p: usize, j: usize) -> Mat4<T> {
        let u = self.derivatives[self.at(j, p)];
        if from == j { u } else { self.transforms[self.at(from, j)] * u } // (4)
    }

    /// U_pjk with j ≤ k, relative to body `from`.
    pub fn second_partial(&self, from: usize, p: usize, j: usize, k: usize) -> Mat4<T> {
        self.first_partial(from, k, j) * self.derivatives[self.at(k, p)] // (7)
    }

    fn at(&self, a: usize, b: usize) -> usize {
        a * self.pseudo_inertias.len() + b
    }

    /// The body that the transforms begin at when the lowest joint named moves body `lowest`.
    fn from(&self, lowest: usize) -> usize {
        match self.omission {
            Omission::Full => 0,
            Omission::Lemma => lowest,
        }
    }

    /// All T_a^b, Q_a T_a^b, and J_p.
    fn update(&mut self, m: &Model<T>, q: &[T]) {
        T::sin_cos_each(q, &mut self.trig);
        for (i, b) in m.base_to_tip() {
            let x = Mat4::pose(&b.pair.pose(&b.placement, &q[b.q..], &self.trig[b.q..]));
            let own = self.at(i, i);
            self.derivatives[own] = derivative(&b.pair);
            self.pseudo_inertias[i] = Mat4::pseudo_inertia(&b.inertia);
            let mut a = b.parent;
            loop {
                let at = self.at(a, i);
                self.transforms[at] = self.transforms[self.at(a, b.parent)] * x;
                self.derivatives[at] = self.derivatives[self.at(a, a)] * self.transforms[at];
                if a == 0 {
                    break;
                }
                a = m.body(a).parent;
            }
        }
    }

    /// −Σ_p m_p G U_pi ρ_p, by number of body.
    fn gravity_term(&self, m: &Model<T>, i: usize) -> T {
        let g = m.gravity;
        let mut sum = T::zero();
        for (p, _) in m.base_to_tip().skip(i - 1).filter(|&(p, _)| m.is_ancestor(i, p)) {
            let u = self.first_partial(0, p, i);
            let moment = self.pseudo_inertias[p].rows[3]; // m (ρ; 1)
            let along = |r: usize| (0..4).fold(T::zero(), |s, c| u.rows[r][c].mul_add(moment[c], s));
            sum -= g.x * along(0) + g.y * along(1) + g.z * along(2);
        }
        sum
    }

    /// Σ_p Tr(U_pj J_p U_piᵀ), by number of body.
    fn inertia_term(&self, m: &Model<T>, i: usize, j: usize) -> T {
        let from = self.from(i.min(j));
        self.sum(m, i, i.max(j), from, |p| self.first_partial(from, p, j))
    }

    /// Σ_p Tr(U_pjk J_p U_piᵀ) with j ≤ k, by number of body.
    fn velocity_term(&self, m: &Model<T>, [i, j, k]: [usize; 3]) -> T {
        let from = self.from(i.min(j));
        self.sum(m, i, i.max(k), from, |p| self.second_partial(from, p, j, k))
    }

    /// Σ Tr(u_p J_p U_piᵀ) over the bodies p that body `last` carries.
    fn sum(&self, m: &Model<T>, i: usize, last: usize, from: usize, u: impl Fn(usize) -> Mat4<T>) -> T {
        (last..=m.body_count()).filter(|&p| m.is_ancestor(last, p)).fold(T::zero(), |sum, p| {
            sum + (u(p) * self.pseudo_inertias[p]).trace_with(&self.first_partial(from, p, i))
        })
    }
}

/// Q: the derivative of a pair about or along its own z axis, (5), (6).
fn derivative<T: Real>(pair: &Pair<T>) -> Mat4<T> {
    let s = pair.motion(&[T::one()]);
    let mut q = Mat4::zero();
    q.rows[0][1] = -s.angular.z;
    q.rows[1][0] = s.angular.z;
    q.rows[2][3] = s.linear.z;
    q
}

/// The [i, j, k], j ≤ k, of the D_ijk to compute.
fn to_compute<T: Real>(m: &Model<T>, identities: Identities) -> Vec<[usize; 3]> {
    let n = m.body_count();
    let on_one_branch = |mut t: [usize; 3]| {
        t.sort_unstable();
        m.is_ancestor(t[0] + 1, t[1] + 1) && m.is_ancestor(t[1] + 1, t[2] + 1)
    };
    let rotates = |j: usize| !matches!(m.body(j + 1).pair, Pair::Prismatic);
    let needed = |&[i, j, k]: &[usize; 3]| match identities {
        Identities::Ignored => true,
        // i < j ≤ k: nothing else follows from it; j ≤ i < k: so does D_k,ji.
        Identities::Used => rotates(j) && i < k,
    };
    let all = (0..n).flat_map(|i| (0..n).flat_map(move |j| (j..n).map(move |k| [i, j, k])));
    all.filter(|&t| on_one_branch(t)).filter(needed).collect()
}

/// The dynamic coefficients at `q`.
///
/// ```
/// use armdyn_core::{LagrangeData, lagrange};
/// let model = armdyn_core::examples::two_link_arm();
/// let mut data = LagrangeData::new(&model);
/// lagrange(&model, &mut data, &[0.0, std::f64::consts::FRAC_PI_2])?;
/// assert!((data.inertia(0, 0) - 3.0).abs() < 1e-12 && (data.velocity(1, 0, 0) - 1.0).abs() < 1e-12);
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn lagrange<T: Real>(m: &Model<T>, d: &mut LagrangeData<T>, q: &[T]) -> Result<()> {
    m.check_length("q", m.nq(), q.len())?;
    m.check_single_axis(COVERS)?;
    m.check_no_spinning(COVERS)?;
    m.check_no_followers(
        "the Lagrangian formulation covers independent joints; lock the mimic joint or use another one",
    )?;
    m.check_made_for("workspace", d.shape)?;
    let n = m.nv();
    d.update(m, q);
    d.coefficients.inertia.fill(T::zero());
    for i in 0..n {
        d.coefficients.gravity[i] = d.gravity_term(m, i + 1);
        for j in (0..=i).filter(|&j| m.is_ancestor(j + 1, i + 1)) {
            let x = d.inertia_term(m, i + 1, j + 1);
            d.coefficients.inertia[i * n + j] = x;
            d.coefficients.inertia[j * n + i] = match d.identities {
                Identities::Used => x,
                Identities::Ignored => d.inertia_term(m, j + 1, i + 1),
            };
        }
    }
    for t in 0..d.independent.len() {
        let [i, j, k] = d.independent[t];
        let x = d.velocity_term(m, [i + 1, j + 1, k + 1]);
        d.coefficients.set_velocity([i, j, k], x);
        if d.identities == Identities::Used && j <= i {
            d.coefficients.set_velocity([k, j, i], -x); // (D.51)
        }
    }
    add_reflected(m, &mut d.coefficients.inertia);
    (0..n).try_for_each(|i| m.check_finite_at("D", d.inertia(i, i) + d.gravity(i), i, &[("q", q)]))
}

/// τ for a motion: `tau` = Σ D_ij q̈_j + Σ Σ D_ijk q̇_j q̇_k + D_i + friction.
///
/// ```
/// use armdyn_core::{LagrangeData, lagrange_tau};
/// let model = armdyn_core::examples::pendulum();
/// let mut tau = [0.0];
/// lagrange_tau(&model, &mut LagrangeData::new(&model), &[0.0], &[0.0], &[2.0], &mut tau)?;
/// assert!((tau[0] - (0.5 * 2.0 + 9.81)).abs() < 1e-12); // m r² q̈ + m g r cos q
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn lagrange_tau<T: Real>(
    m: &Model<T>,
    d: &mut LagrangeData<T>,
    q: &[T],
    qd: &[T],
    qdd: &[T],
    tau: &mut [T],
) -> Result<()> {
    m.check_shapes(q, qd, qdd, tau)?;
    lagrange(m, d, q)?;
    d.coefficients.torques(m, qd, qdd, tau)
}
