//! The equations of motion taken apart: state-space and configuration-space forms.
//!
//! Lin, Manipulator Dynamics, pp. 27–29:
//!
//!   τ = M(q) q̈ + V(q, q̇) + G(q)
//!   τ = M(q) q̈ + B(q) [q̇q̇] + C(q) [q̇²] + G(q),   [q̇q̇] = (q̇₁q̇₂, q̇₁q̇₃, …, q̇ₙ₋₁q̇ₙ)
//!
//! with V = Σ Γᵢⱼₖ q̇ⱼ q̇ₖ, B's column of the product q̇ⱼq̇ₖ being 2 Γᵢⱼₖ and C's column of q̇ⱼ² being Γᵢⱼⱼ. Gravity is that
//! of the composites, G_v = −Jᵥ · (hᶜ × g, mᶜ g).
//!
//! Deviations: the drives' inertia is in M, and what spinning rotors do in V, B and C; friction (p. 41) is in none.

use super::{CoriolisData, CrbaData, christoffel, coriolis, crba};
use crate::error::Result;
use crate::model::Model;
use crate::scalar::Real;
use crate::spatial::Force;
use alloc::vec;
use alloc::vec::Vec;

/// M, V, G of τ = M q̈ + V + G.
#[derive(Clone, Copy, Debug)]
pub struct StateSpace<'a, T> {
    /// M(q), nv × nv, row-major.
    pub mass: &'a [T],
    /// V(q, q̇): centrifugal and Coriolis torques.
    pub velocity: &'a [T],
    /// G(q): gravity torques.
    pub gravity: &'a [T],
}

/// M, B, C, G of τ = M q̈ + B [q̇q̇] + C [q̇²] + G.
#[derive(Clone, Copy, Debug)]
pub struct ConfigurationSpace<'a, T> {
    /// M(q), nv × nv, row-major.
    pub mass: &'a [T],
    /// B(q), nv × nv(nv − 1)/2, row-major: Coriolis coefficients of q̇₁q̇₂, q̇₁q̇₃, …, q̇ₙ₋₁q̇ₙ.
    pub coriolis: &'a [T],
    /// C(q), nv × nv, row-major: centrifugal coefficients of q̇₁², …, q̇ₙ².
    pub centrifugal: &'a [T],
    /// G(q): gravity torques.
    pub gravity: &'a [T],
}

/// Workspace of [`state_space`] and [`configuration_space`].
#[derive(Clone, Debug)]
pub struct FormsData<T> {
    crba: CrbaData<T>,
    coriolis: CoriolisData<T>,
    mass: Vec<T>,
    velocity: Vec<T>,
    gravity: Vec<T>,
    matrix: Vec<T>,
    symbols: Vec<T>,
    products: Vec<T>,
}

impl<T: Real> FormsData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let n = m.nv();
        let zeros = |count: usize| vec![T::zero(); count];
        FormsData {
            crba: CrbaData::new(m),
            coriolis: CoriolisData::new(m),
            mass: zeros(n * n),
            velocity: zeros(n),
            gravity: zeros(n),
            matrix: zeros(n * n),
            symbols: zeros(n * n * n),
            products: zeros(n * pairs(n).count()),
        }
    }
}

/// The pairs j < k in the order of [q̇q̇].
#[inline(always)]
pub(super) fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |j| (j + 1..n).map(move |k| (j, k)))
}

/// M, V, G at a state.
///
/// ```
/// use armdyn_core::{FormsData, state_space};
/// let model = armdyn_core::examples::pendulum();
/// let mut data = FormsData::new(&model);
/// let form = state_space(&model, &mut data, &[0.0], &[3.0])?;
/// assert!((form.mass[0] - 0.5).abs() < 1e-12 && form.velocity[0].abs() < 1e-12);
/// assert!((form.gravity[0] - 9.81).abs() < 1e-12);
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn state_space<'a, T: Real>(m: &Model<T>, d: &'a mut FormsData<T>, q: &[T], qd: &[T]) -> Result<StateSpace<'a, T>> {
    crba(m, &mut d.crba, q, &mut d.mass)?;
    coriolis(m, &mut d.coriolis, q, qd, &mut d.matrix)?;
    for (v, row) in d.velocity.iter_mut().zip(d.matrix.chunks_exact(m.nv().max(1))) {
        *v = row.iter().zip(qd).fold(T::zero(), |sum, (&c, &x)| c.mul_add(x, sum));
    }
    gravity_torques(m, &mut d.coriolis, &mut d.gravity);
    m.check_finite("velocity", &d.velocity, &[("q", q), ("qd", qd)])?;
    m.check_finite("gravity", &d.gravity, &[("q", q)])?;
    Ok(StateSpace { mass: &d.mass, velocity: &d.velocity, gravity: &d.gravity })
}

/// M, B, C, G at a configuration. For pairs of one axis.
///
/// ```
/// use armdyn_core::{FormsData, configuration_space};
/// let model = armdyn_core::examples::two_link_arm();
/// let mut data = FormsData::new(&model);
/// let form = configuration_space(&model, &mut data, &[0.0, std::f64::consts::FRAC_PI_2])?;
/// assert!((form.coriolis[0] + 2.0).abs() < 1e-12); // B: −2 sin q₂ on the shoulder, of q̇₁ q̇₂
/// assert!((form.centrifugal[2] - 1.0).abs() < 1e-12); // C: sin q₂ on the elbow, of q̇₁²
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn configuration_space<'a, T: Real>(
    m: &Model<T>,
    d: &'a mut FormsData<T>,
    q: &[T],
) -> Result<ConfigurationSpace<'a, T>> {
    let n = m.nv();
    christoffel(m, &mut d.coriolis, q, &mut d.symbols)?;
    crba(m, &mut d.crba, q, &mut d.mass)?;
    let columns = pairs(n).count();
    for (i, symbols) in d.symbols.chunks_exact((n * n).max(1)).enumerate() {
        for (column, (j, k)) in pairs(n).enumerate() {
            d.products[i * columns + column] = symbols[j * n + k] + symbols[k * n + j];
        }
        for j in 0..n {
            d.matrix[i * n + j] = symbols[j * n + j];
        }
    }
    gravity_torques(m, &mut d.coriolis, &mut d.gravity);
    m.check_finite("gravity", &d.gravity, &[("q", q)])?;
    Ok(ConfigurationSpace { mass: &d.mass, coriolis: &d.products, centrifugal: &d.matrix, gravity: &d.gravity })
}

/// G, from the composites of the last call.
fn gravity_torques<T: Real>(m: &Model<T>, d: &mut CoriolisData<T>, gravity: &mut [T]) {
    if let (Some(own), Some((tree, rows))) = (&mut d.tree, m.following()) {
        let torques = &mut own.qdd;
        gravity_torques(tree, &mut own.data, torques);
        return rows.reduce(torques, gravity);
    }
    for (i, b) in m.base_to_tip() {
        let composite = &d.composites[i];
        let weight = Force::new(composite.first.cross(m.gravity), m.gravity * composite.mass);
        for v in b.dofs() {
            gravity[v] = -d.kinematics.screws[v].dot(weight);
        }
    }
}
