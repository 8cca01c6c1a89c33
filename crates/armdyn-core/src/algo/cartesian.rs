//! Dynamics in Cartesian space.
//!
//! Lin, Manipulator Dynamics, pp. 36–40. For the velocity Ẋ = J q̇ of a link in chosen directions, F = M_x Ẍ + V_x + G_x:
//!
//!   M_x = (J M⁻¹ Jᵀ)⁻¹,   J̄ = M⁻¹ Jᵀ M_x                              (1)
//!   V_x = J̄ᵀ V − M_x J̇q̇,   G_x = J̄ᵀ G                                  (2)
//!   Jᵀ V_x = B_x [q̇q̇] + C_x [q̇²],   J̇q̇ = b [q̇q̇] + c [q̇²]             (3)
//!   B_x = Jᵀ (J̄ᵀ B − M_x b),   C_x = Jᵀ (J̄ᵀ C − M_x c)                (4)
//!
//! b and c come from the screws: the spatial acceleration is Σ (Jⱼ × Jₖ) q̇ⱼ q̇ₖ over j < k between base and link, and a
//! point that the link carries has the additional acceleration ω × v.
//!
//! Deviations: Lin has J⁻ᵀ M J⁻¹ and so on, for a square J; (1) is the same there, and covers redundant arms by the
//! dynamically consistent inverse J̄ (Khatib 1987): τ = Jᵀ F gives the link the acceleration Ẍ. Lin's Ẍ is the derivative
//! of components in a rotating frame, not the inertial acceleration: [`Rate`] names both. J̇₂₁ (p. 39) has θ̇₂.

use super::forms::pairs;
use super::{FormsData, JacobianFrame, KinematicsData, configuration_space, kinematics, state_space};
use crate::dense::{cholesky, cholesky_solve};
use crate::error::{Error, Result};
use crate::model::{LinkId, Model};
use crate::scalar::Real;
use crate::spatial::{Motion, Transform, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// A pose counts as singular where the condition number of J M⁻¹ Jᵀ is above this fraction of 1/ε of the scalar (4.5e11 for
/// `f64`): M_x has then no more than about four digits left.
pub const SINGULAR_CONDITION: f64 = 1e-4;

/// A component of a link's velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TaskDirection {
    LinearX,
    LinearY,
    LinearZ,
    AngularX,
    AngularY,
    AngularZ,
}

impl TaskDirection {
    /// All six, linear before angular.
    pub const ALL: [Self; 6] =
        [Self::LinearX, Self::LinearY, Self::LinearZ, Self::AngularX, Self::AngularY, Self::AngularZ];

    /// That component of a motion.
    #[inline(always)]
    pub fn of<T: Real>(self, m: Motion<T>) -> T {
        m.components()[(self as usize + 3) % 6] // angular first
    }
}

/// Definition of Ẍ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// The acceleration of the link's point, as one sees it from the base, in the frame's axes.
    Inertial,
    /// The derivative of the components Ẋ: Lin's. In axes that turn with the link, or for the point that happens to be at
    /// the base's origin, it lacks ω × v.
    OfComponents,
}

/// A task: which components of a link's motion are controlled, and in which frame.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The link's number ([`Model::link`] gives it).
    pub link: LinkId,
    /// The pose of the task's frame in the link's frame, such as a tool's; without it, the link's own frame. What is not a pose (a
    /// rotation and a finite translation) is an error of every call.
    pub at: Option<Transform<f64>>,
    /// The axes, and the point of the link.
    pub frame: JacobianFrame,
    /// The components that matter, at most six, each once.
    pub directions: &'a [TaskDirection],
    /// Definition of Ẍ.
    pub rate: Rate,
}

/// The dynamics of a task: F = M_x Ẍ + V_x + G_x. With k directions, matrices row-major.
#[derive(Clone, Copy, Debug)]
pub struct Cartesian<'a, T> {
    /// J, k × nv.
    pub jacobian: &'a [T],
    /// J̇q̇: Ẍ where q̈ = 0.
    pub rate: &'a [T],
    /// J̄ = M⁻¹ Jᵀ M_x, nv × k: q̈ = J̄ (Ẍ − J̇q̇) with the minimum M-norm.
    pub inverse: &'a [T],
    /// M_x, k × k.
    pub mass: &'a [T],
    /// V_x: centrifugal and Coriolis forces.
    pub velocity: &'a [T],
    /// G_x: gravity forces.
    pub gravity: &'a [T],
    /// The condition number of J M⁻¹ Jᵀ in Frobenius' norm: from k (isotropic) up. It depends on the units where
    /// linear and angular directions are mixed.
    pub condition: T,
}

/// The same by products of velocities: τ = Jᵀ (M_x Ẍ + G_x) + B_x [q̇q̇] + C_x [q̇²].
#[derive(Clone, Copy, Debug)]
pub struct CartesianProducts<'a, T> {
    /// B_x, nv × nv(nv − 1)/2, row-major: torques of q̇₁q̇₂, q̇₁q̇₃, …, q̇ₙ₋₁q̇ₙ.
    pub coriolis: &'a [T],
    /// C_x, nv × nv, row-major: torques of q̇₁², …, q̇ₙ².
    pub centrifugal: &'a [T],
    /// As in [`Cartesian`].
    pub condition: T,
}

/// Workspace of [`cartesian`] and [`cartesian_products`].
#[derive(Clone, Debug)]
pub struct CartesianData<T> {
    forms: FormsData<T>,
    space: TaskSpace<T>,
    rate: [T; MAX_DIRECTIONS],
    velocity: [T; MAX_DIRECTIONS],
    gravity: [T; MAX_DIRECTIONS],
    coriolis: Vec<T>,
    centrifugal: Vec<T>,
    /// q̇ of the tree.
    qd: Vec<T>,
    /// b, then c: the columns of (3).
    products: Vec<Motion<T>>,
}

impl<T: Real> CartesianData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let n = m.nv();
        let zeros = |count: usize| vec![T::zero(); count];
        CartesianData {
            forms: FormsData::new(m),
            space: TaskSpace {
                kinematics: KinematicsData::new(m),
                columns: vec![Motion::zero(); n],
                screws: vec![Motion::zero(); m.tree().nv()],
                factor: zeros(n * n),
                jacobian: zeros(MAX_DIRECTIONS * n),
                inverse: zeros(n * MAX_DIRECTIONS),
                mass: zeros(MAX_DIRECTIONS * MAX_DIRECTIONS),
                scratch: zeros(n.max(MAX_DIRECTIONS)),
            },
            rate: [T::zero(); MAX_DIRECTIONS],
            velocity: [T::zero(); MAX_DIRECTIONS],
            gravity: [T::zero(); MAX_DIRECTIONS],
            coriolis: zeros(n * pairs(n).count()),
            centrifugal: zeros(n * n),
            qd: zeros(m.tree().nv()),
            products: vec![Motion::zero(); pairs(n).count() + n],
        }
    }
}

const MAX_DIRECTIONS: usize = TaskDirection::ALL.len();

/// J, J̄ and M_x of a task.
#[derive(Clone, Debug)]
struct TaskSpace<T> {
    kinematics: KinematicsData<T>,
    columns: Vec<Motion<T>>,
    /// The columns of J_tree; J = J_tree G where joints follow others.
    screws: Vec<Motion<T>>,
    factor: Vec<T>,
    jacobian: Vec<T>,
    inverse: Vec<T>,
    mass: Vec<T>,
    scratch: Vec<T>,
}

impl<T: Real> TaskSpace<T> {
    /// (1), and the condition number.
    fn update(&mut self, m: &Model<T>, task: &Task, q: &[T], mass: &[T]) -> Result<T> {
        let (n, k) = (m.nv(), task.directions.len());
        self.kinematics.update(m, q);
        let at = task.at.as_ref();
        self.kinematics.frame_jacobian(m, task.link, at, task.frame, &mut self.columns)?;
        self.kinematics.tree_jacobian(m, task.link, at, task.frame, &mut self.screws)?;
        self.factor.copy_from_slice(mass);
        cholesky(&mut self.factor, n).map_err(|dof| m.not_positive(dof))?;
        for (r, direction) in task.directions.iter().enumerate() {
            for i in 0..n {
                self.jacobian[r * n + i] = direction.of(self.columns[i]);
            }
            let column = &mut self.scratch[..n];
            column.copy_from_slice(&self.jacobian[r * n..(r + 1) * n]);
            cholesky_solve(&self.factor, n, column);
            for i in 0..n {
                self.inverse[i * k + r] = column[i];
            }
        }
        let mut mobility = [T::zero(); MAX_DIRECTIONS * MAX_DIRECTIONS];
        for r in 0..k {
            for s in 0..=r {
                let sum = |sum, i: usize| self.jacobian[r * n + i].mul_add(self.inverse[i * k + s], sum);
                mobility[r * k + s] = (0..n).fold(T::zero(), sum);
                mobility[s * k + r] = mobility[r * k + s];
            }
        }
        let square = |matrix: &[T]| matrix.iter().fold(T::zero(), |sum, &x| x.mul_add(x, sum));
        let size = square(&mobility[..k * k]);
        cholesky(&mut mobility[..k * k], k).map_err(|_| Error::Singular { condition: f64::INFINITY })?;
        for r in 0..k {
            let row = &mut self.mass[r * k..(r + 1) * k];
            row.fill(T::zero());
            row[r] = T::one();
            cholesky_solve(&mobility, k, row);
        }
        let condition = (size * square(&self.mass[..k * k])).sqrt();
        if !(T::lift(SINGULAR_CONDITION / T::EPSILON) - condition).is_positive() {
            return Err(Error::Singular { condition: view(condition) });
        }
        for row in self.inverse[..n * k].chunks_exact_mut(k.max(1)) {
            let before = &mut self.scratch[..k];
            before.copy_from_slice(row);
            for (s, x) in row.iter_mut().enumerate() {
                *x = (0..k).fold(T::zero(), |sum, r| before[r].mul_add(self.mass[r * k + s], sum));
            }
        }
        Ok(condition)
    }

    /// J̄ᵀ τ − M_x ẍ, component `r` of `k`.
    #[inline(always)]
    fn force(&self, r: usize, k: usize, n: usize, torque: impl Fn(usize) -> T, rate: &[T; MAX_DIRECTIONS]) -> T {
        let f = (0..n).fold(T::zero(), |sum, i| self.inverse[i * k + r].mul_add(torque(i), sum));
        (0..k).fold(f, |f, s| f - self.mass[r * k + s] * rate[s])
    }
}

/// A finite number ≥ 1 to three digits, or infinity: found by asking which powers are above it.
#[cold]
fn view<T: Real>(x: T) -> f64 {
    let (mut low, mut high) = (1.0_f64, 1e300_f64);
    if !(T::lift(high) - x).is_positive() {
        return f64::INFINITY;
    }
    while high > 1.0001 * low {
        let middle = Real::sqrt(low) * Real::sqrt(high);
        if (T::lift(middle) - x).is_positive() {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

impl Task<'_> {
    fn check<T: Real>(&self, m: &Model<T>) -> Result<()> {
        m.check_link(self.link)?;
        let body = m.links()[self.link].body;
        let moved_by = |dof: usize| match m.following() {
            None => m.support_dofs(body).any(|v| v == dof),
            Some((tree, rows)) => tree.support_dofs(body).any(|v| rows.rates()[v].index == dof),
        };
        let maximum = (0..m.nv()).filter(|&dof| moved_by(dof)).count().min(MAX_DIRECTIONS);
        let directions = self.directions.len();
        if directions > maximum { Err(Error::TooManyDirections { directions, maximum }) } else { Ok(()) }
    }

    /// Whether ω × v is part of Ẍ.
    fn carries_point(&self) -> bool {
        self.rate == Rate::Inertial || self.frame == JacobianFrame::LocalWorldAligned
    }

    /// The chosen components.
    #[inline(always)]
    fn components<T: Real>(&self, motion: Motion<T>) -> [T; MAX_DIRECTIONS] {
        let mut out = [T::zero(); MAX_DIRECTIONS];
        for (x, direction) in out.iter_mut().zip(self.directions) {
            *x = direction.of(motion);
        }
        out
    }
}

/// The directions (of x, y, z, rx, ry, rz, in this order) in which the frame of a task can move independently of the
/// preceding ones; the task's own directions do not matter.
///
/// ```
/// use armdyn_core::{JacobianFrame, Rate, Task, TaskDirection, movable_directions};
/// let model = armdyn_core::examples::pendulum();
/// let frame = JacobianFrame::LocalWorldAligned;
/// let task = Task { link: model.link("rod")?, at: None, frame, directions: &[], rate: Rate::Inertial };
/// assert_eq!(movable_directions(&model, &task, &[0.0])?, [TaskDirection::AngularY]); // the rod's origin is on the axis
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn movable_directions(m: &Model<f64>, task: &Task, q: &[f64]) -> Result<Vec<TaskDirection>> {
    let mut data = KinematicsData::new(m);
    kinematics(m, &mut data, q)?;
    let mut columns = vec![Motion::zero(); m.nv()];
    data.frame_jacobian(m, task.link, task.at.as_ref(), task.frame, &mut columns)?;
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let (mut kept, mut rows): (Vec<TaskDirection>, Vec<Vec<f64>>) = (vec![], vec![]);
    for direction in TaskDirection::ALL {
        let mut row: Vec<f64> = columns.iter().map(|c| direction.of(*c)).collect();
        let before = Real::sqrt(dot(&row, &row));
        // What is left of it beside the rows that were kept, which are orthonormal.
        for other in &rows {
            let along = dot(&row, other);
            row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
        let left = Real::sqrt(dot(&row, &row));
        if left > 1e-6 * before.max(1e-6) {
            row.iter_mut().for_each(|x| *x /= left);
            rows.push(row);
            kept.push(direction);
        }
    }
    Ok(kept)
}

/// J, J̇q̇, M_x, V_x, G_x of a task at a state. `Error::Singular` where the pose is singular for it, with a condition
/// number above [`SINGULAR_CONDITION`] / ε.
///
/// ```
/// use armdyn_core::*;
/// let mut robot = ModelBuilder::new("crane");
/// let weight = |name, mass| Link::new(name).body(mass, [0.0; 3], [0.0; 6]);
/// let beam = robot.add(BASE, Joint::prismatic("lift", [0.0, 0.0, 1.0]), weight("beam", 5.0));
/// robot.add(beam, Joint::prismatic("reach", [1.0, 0.0, 0.0]), weight("hook", 2.0));
/// let model = robot.build()?;
/// let task = Task {
///     link: model.link("hook")?,
///     at: None,
///     frame: JacobianFrame::LocalWorldAligned,
///     directions: &[TaskDirection::LinearX, TaskDirection::LinearZ],
///     rate: Rate::Inertial,
/// };
/// let mut data = CartesianData::new(&model);
/// let x = cartesian(&model, &mut data, &task, &[0.3, 0.5], &[0.0, 0.0])?;
/// let [xx, xz, _, zz] = x.mass else { unreachable!() };
/// assert!((xx - 2.0).abs() < 1e-12 && xz.abs() < 1e-12 && (zz - 7.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cartesian<'a, T: Real>(
    m: &Model<T>,
    d: &'a mut CartesianData<T>,
    task: &Task,
    q: &[T],
    qd: &[T],
) -> Result<Cartesian<'a, T>> {
    task.check(m)?;
    let (n, k) = (m.nv(), task.directions.len());
    let form = state_space(m, &mut d.forms, q, qd)?;
    let condition = d.space.update(m, task, q, form.mass)?;
    let (mut v, mut a) = (Motion::zero(), Motion::zero());
    match m.following() {
        None => d.qd.copy_from_slice(qd),
        Some((_, rows)) => rows.expand_rates(qd, &mut d.qd),
    }
    for (_, b) in m.tree().base_to_tip() {
        let own = b.dofs().fold(Motion::zero(), |sum, j| d.space.screws[j].scale_add(d.qd[j], sum));
        a += v.cross(own);
        v += own;
    }
    if task.carries_point() {
        a.linear += v.angular.cross(v.linear);
    }
    d.rate = task.components(a);
    let still = [T::zero(); MAX_DIRECTIONS];
    for r in 0..k {
        d.velocity[r] = d.space.force(r, k, n, |i| form.velocity[i], &d.rate); // (2)
        d.gravity[r] = d.space.force(r, k, n, |i| form.gravity[i], &still);
    }
    Ok(Cartesian {
        jacobian: &d.space.jacobian[..k * n],
        rate: &d.rate[..k],
        inverse: &d.space.inverse[..n * k],
        mass: &d.space.mass[..k * k],
        velocity: &d.velocity[..k],
        gravity: &d.gravity[..k],
        condition,
    })
}

/// B_x, C_x of a task at a configuration. For pairs of one axis; singular poses as in [`cartesian`].
///
/// ```
/// use armdyn_core::{CartesianData, JacobianFrame, Rate, Task, TaskDirection, cartesian_products};
/// let model = armdyn_core::examples::two_link_arm();
/// let task = Task {
///     link: model.link("lower")?,
///     at: None,
///     frame: JacobianFrame::LocalWorldAligned,
///     directions: &[TaskDirection::LinearZ],
///     rate: Rate::Inertial,
/// };
/// let mut data = CartesianData::new(&model);
/// let products = cartesian_products(&model, &mut data, &task, &[0.0, 0.0])?;
/// assert_eq!((products.coriolis.len(), products.centrifugal.len()), (2, 4)); // 2 joints: one pair, two squares
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn cartesian_products<'a, T: Real>(
    m: &Model<T>,
    d: &'a mut CartesianData<T>,
    task: &Task,
    q: &[T],
) -> Result<CartesianProducts<'a, T>> {
    task.check(m)?;
    let (n, k) = (m.nv(), task.directions.len());
    let form = configuration_space(m, &mut d.forms, q)?;
    let space = &mut d.space;
    let condition = space.update(m, task, q, form.mass)?;
    let of_point = |a: Motion<T>, b: Motion<T>| match task.carries_point() {
        true => Motion::new(Vec3::zero(), a.angular.cross(b.linear)),
        false => Motion::zero(),
    };
    // (4), one column.
    let put = |from: &[T], rate: Motion<T>, to: &mut [T], column: usize, columns: usize| {
        let rate = task.components(rate);
        for r in 0..k {
            let f = space.force(r, k, n, |i| from[i * columns + column], &rate);
            for i in 0..n {
                to[i * columns + column] = space.jacobian[r * n + i].mul_add(f, to[i * columns + column]);
            }
        }
    };
    d.coriolis.fill(T::zero());
    d.centrifugal.fill(T::zero());
    let columns = pairs(n).count();
    // Where a product of two velocities of the tree counts, and how often.
    let slot = |i: usize, j: usize| {
        let (i, j) = (i.min(j), i.max(j));
        if i == j { columns + i } else { i * (2 * n - i - 1) / 2 + j - i - 1 }
    };
    let place = |j: usize, k: usize| match m.following() {
        None => (slot(j, k), None),
        Some((_, rows)) => {
            let [a, b] = [j, k].map(|v| &rows.rates()[v]);
            (slot(a.index, b.index), Some(a.times(b.times(T::one()))))
        }
    };
    d.products.fill(Motion::zero());
    for (j, &a) in space.screws.iter().enumerate() {
        for (k, &b) in space.screws.iter().enumerate().skip(j) {
            let rate = if j == k { of_point(a, a) } else { a.cross(b) + of_point(a, b) + of_point(b, a) };
            let (at, factor) = place(j, k);
            d.products[at] += factor.map_or(rate, |factor| rate * factor);
        }
    }
    for column in 0..columns {
        put(form.coriolis, d.products[column], &mut d.coriolis, column, columns);
    }
    for j in 0..n {
        put(form.centrifugal, d.products[columns + j], &mut d.centrifugal, j, n);
    }
    Ok(CartesianProducts { coriolis: &d.coriolis, centrifugal: &d.centrifugal, condition })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use crate::spatial::vec3;

    #[test]
    fn the_frame_of_a_task_is_checked() {
        let m = examples::two_link_arm();
        let (lower, frame) = (m.link("lower").unwrap(), JacobianFrame::LocalWorldAligned);
        let directions = &[TaskDirection::LinearZ];
        let mut d = CartesianData::new(&m);
        let nowhere = Transform::from_translation(vec3(0.0, f64::NAN, 0.0));
        let mut skew = Transform::<f64>::identity();
        skew.rotation.x = vec3(2.0, 0.0, 0.0);
        for at in [nowhere, skew] {
            let task = Task { link: lower, at: Some(at), frame, directions, rate: Rate::Inertial };
            let expected = Error::NotAPose { what: "frame", link: "lower".into() };
            assert_eq!(cartesian(&m, &mut d, &task, &[0.0; 2], &[0.0; 2]).unwrap_err(), expected);
            assert_eq!(cartesian_products(&m, &mut d, &task, &[0.0; 2]).unwrap_err(), expected);
            assert_eq!(movable_directions(&m, &task, &[0.0; 2]).unwrap_err(), expected);
        }
        let task = Task { link: LinkId::new(7), at: None, frame, directions, rate: Rate::Inertial };
        assert!(matches!(movable_directions(&m, &task, &[0.0; 2]), Err(Error::NoSuchLink { .. })));
    }
}
