//! Every formulation of a quantity, as rows of a list: what it is called, what it covers, how it is computed.
//!
//! No formulation is the reference of another: tests compare every pair.

use armdyn_core::dense::{cholesky, cholesky_solve};
use armdyn_core::error::Result;
use armdyn_core::{
    AbaData, AugmentedData, CartesianData, ClosedFormData, CoefficientsData, CoriolisData, CrbaData, Dual, EnergyData,
    Error, Force, FormsData, Identities, Inertia, JacobianFrame, KinematicsData, LagrangeData, LinkId, MinverseData,
    Model, Motion, Omission, Pair, Rate, Real, RegressorData, RneaData, Task, TaskDirection, Vec3, aba, augmented,
    cartesian, cartesian_products, closed_form, coefficients, coefficients_tau, configuration_space, coriolis, crba,
    energy, explain, kinematics, lagrange, lagrange_tau, minverse, parameter_count, parameters, regressor, rnea,
    state_space,
};
use mass::*;
use std::collections::BTreeSet;

mod mass;

/// Computes a quantity for a motion (q, q̇, and q̈ or τ). It owns its workspace, so that it may be called for any model
/// of the shape that it was made for.
pub type Compute<T> = Box<dyn FnMut(&Model<T>, [&[T]; 3], &mut [T]) -> Result<()>>;

/// A way to compute a quantity.
pub struct Formulation<T> {
    /// What it is called.
    pub name: &'static str,
    /// The models it covers.
    pub covers: fn(&Model<f64>) -> bool,
    /// Whether a call allocates nothing.
    pub hot: bool,
    /// Makes the workspace.
    pub make: fn(&Model<T>) -> Compute<T>,
}

fn any(_: &Model<f64>) -> bool {
    true
}

fn no_spinning(m: &Model<f64>) -> bool {
    m.rotors().iter().all(|r| r.mount.is_none())
}

fn independent_no_spinning(m: &Model<f64>) -> bool {
    m.followers().is_empty() && no_spinning(m)
}

fn single_axis(m: &Model<f64>) -> bool {
    m.base_to_tip().all(|(_, b)| b.pair.nv() == 1)
}

fn single_axis_no_spinning(m: &Model<f64>) -> bool {
    single_axis(m) && no_spinning(m)
}

fn single_axis_independent_no_spinning(m: &Model<f64>) -> bool {
    single_axis(m) && independent_no_spinning(m)
}

fn revolute_or_prismatic(m: &Model<f64>) -> bool {
    independent_no_spinning(m) && m.base_to_tip().all(|(_, b)| matches!(b.pair, Pair::Revolute | Pair::Prismatic))
}

/// The last link moves, by two degrees of freedom at least.
fn moves_in_two_directions(m: &Model<f64>) -> bool {
    let mut body = m.links().last().map_or(0, |l| l.body);
    let mut dofs = BTreeSet::new();
    while body != 0 {
        dofs.extend(m.body(body).dofs());
        body = m.body(body).parent;
    }
    dofs.len() >= 2
}

fn moves_in_two_directions_single_axis(m: &Model<f64>) -> bool {
    moves_in_two_directions(m) && single_axis(m)
}

/// τ of (q, q̇, q̈).
pub fn torques<T: Real + 'static>() -> Vec<Formulation<T>> {
    vec![
        Formulation { name: "Newton-Euler, recursive", covers: any, hot: true, make: by_rnea },
        Formulation {
            name: "Newton-Euler, closed form",
            covers: independent_no_spinning,
            hot: true,
            make: by_closed_form,
        },
        Formulation { name: "coefficients D", covers: single_axis_no_spinning, hot: true, make: by_coefficients },
        Formulation {
            name: "Lagrange, all terms",
            covers: single_axis_independent_no_spinning,
            hot: true,
            make: by_lagrange,
        },
        Formulation { name: "Lagrange, lemma", covers: single_axis_independent_no_spinning, hot: true, make: by_lemma },
        Formulation {
            name: "Lagrange, identities",
            covers: single_axis_independent_no_spinning,
            hot: true,
            make: by_identities,
        },
        Formulation { name: "augmented bodies", covers: revolute_or_prismatic, hot: true, make: by_augmented },
        Formulation { name: "M q'' + C q' + g", covers: any, hot: true, make: by_matrices },
        Formulation { name: "state space", covers: any, hot: true, make: by_state_space },
        Formulation { name: "configuration space", covers: single_axis, hot: true, make: by_configuration_space },
        Formulation { name: "Cartesian", covers: moves_in_two_directions, hot: true, make: by_cartesian },
        Formulation {
            name: "Cartesian B, C",
            covers: moves_in_two_directions_single_axis,
            hot: true,
            make: by_products,
        },
        Formulation { name: "regressor", covers: any, hot: true, make: by_regressor },
        Formulation { name: "explained contributions", covers: any, hot: false, make: by_explain },
        Formulation { name: "M (q'' - aba(0))", covers: any, hot: true, make: by_aba },
        Formulation { name: "minverse", covers: any, hot: true, make: by_minverse },
    ]
}

/// τ once more, by nested dual numbers.
pub fn torques_by_derivation() -> Vec<Formulation<f64>> {
    vec![Formulation { name: "energy by Dual", covers: single_axis, hot: false, make: by_energy }]
}

/// M of q, row-major.
pub fn mass_matrices<T: Real + 'static>() -> Vec<Formulation<T>> {
    vec![
        Formulation { name: "composite bodies", covers: any, hot: true, make: mass_by_crba },
        Formulation { name: "columns of rnea", covers: any, hot: true, make: mass_by_rnea },
        Formulation { name: "minverse, inverted", covers: any, hot: true, make: mass_by_minverse },
        Formulation { name: "sum of J' I J", covers: any, hot: true, make: mass_by_jacobians },
        Formulation { name: "coefficients D", covers: single_axis_no_spinning, hot: true, make: mass_by_coefficients },
        Formulation {
            name: "Lagrange",
            covers: single_axis_independent_no_spinning,
            hot: true,
            make: mass_by_lagrange,
        },
        Formulation { name: "state space", covers: any, hot: true, make: mass_by_state_space },
    ]
}

/// M once more, by nested dual numbers.
pub fn mass_matrices_by_derivation() -> Vec<Formulation<f64>> {
    vec![
        Formulation { name: "d rnea/d q'' by Dual", covers: any, hot: false, make: mass_by_dual },
        Formulation { name: "d2 T/d q'2 by Dual", covers: any, hot: false, make: mass_by_energy },
    ]
}

/// q̈ of (q, q̇, τ).
pub fn accelerations<T: Real + 'static>() -> Vec<Formulation<T>> {
    vec![
        Formulation { name: "articulated bodies", covers: any, hot: true, make: acceleration_by_aba },
        Formulation { name: "crba, solved", covers: any, hot: true, make: acceleration_by_crba },
        Formulation { name: "minverse", covers: any, hot: true, make: acceleration_by_minverse },
    ]
}

fn zeros<T: Real>(n: usize) -> Vec<T> {
    vec![T::zero(); n]
}

/// out += A x, row-major.
fn add_product<T: Real>(a: &[T], x: &[T], out: &mut [T]) {
    for (o, row) in out.iter_mut().zip(a.chunks_exact(x.len().max(1))) {
        *o = row.iter().zip(x).fold(*o, |sum, (&a, &x)| a.mul_add(x, sum));
    }
}

fn add_friction<T: Real>(m: &Model<T>, qd: &[T], tau: &mut [T]) {
    for ((t, f), &v) in tau.iter_mut().zip(m.friction()).zip(qd) {
        *t += f.viscous_torque(v) + f.dry_torque(v);
    }
}

/// The last line of a row that puts together what several calls gave.
fn finite<T: Real>(m: &Model<T>, values: &[T]) -> Result<()> {
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(k) => Err(Error::NotFinite { what: "tau", joint: m.dof_names()[k % m.nv()].clone() }),
    }
}

/// A link with its payloads, in its own frame.
fn loaded<T: Real>(m: &Model<T>, number: LinkId) -> Inertia<T> {
    let link = &m.links()[number];
    let payloads = m.payloads().iter().filter(|p| p.link == number);
    payloads.fold(link.inertia(), |sum, p| sum + p.inertia.transformed(&link.pose.inverse()))
}

/// What holds the weight of all links, added to `tau`: −Jᵀ (m g) of each.
fn add_gravity<T: Real>(m: &Model<T>, k: &KinematicsData<T>, columns: &mut [Motion<T>], tau: &mut [T]) -> Result<()> {
    for number in m.link_ids() {
        let body = loaded(m, number).transformed(&k.link_pose(m, number)?);
        let weight = Force::new(body.first.cross(m.gravity()), m.gravity() * body.mass);
        k.jacobian(m, number, JacobianFrame::World, columns)?;
        tau.iter_mut().zip(&*columns).for_each(|(t, column)| *t -= column.dot(weight));
    }
    Ok(())
}

fn by_rnea<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = RneaData::new(m);
    Box::new(move |m, [q, qd, qdd], tau| rnea(m, &mut d, q, qd, qdd, tau))
}

fn by_closed_form<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = ClosedFormData::new(m);
    Box::new(move |m, [q, qd, qdd], tau| closed_form(m, &mut d, q, qd, qdd, tau))
}

fn by_coefficients<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = CoefficientsData::new(m);
    Box::new(move |m, [q, qd, qdd], tau| coefficients_tau(m, &mut d, q, qd, qdd, tau))
}

fn by_lagrange<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = LagrangeData::with(m, Omission::Full, Identities::Ignored);
    Box::new(move |m, [q, qd, qdd], tau| lagrange_tau(m, &mut d, q, qd, qdd, tau))
}

fn by_lemma<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = LagrangeData::with(m, Omission::Lemma, Identities::Ignored);
    Box::new(move |m, [q, qd, qdd], tau| lagrange_tau(m, &mut d, q, qd, qdd, tau))
}

fn by_identities<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = LagrangeData::with(m, Omission::Lemma, Identities::Used);
    Box::new(move |m, [q, qd, qdd], tau| lagrange_tau(m, &mut d, q, qd, qdd, tau))
}

fn by_augmented<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = AugmentedData::new(m);
    Box::new(move |m, [q, qd, qdd], tau| augmented(m, &mut d, q, qd, qdd, tau))
}

fn by_matrices<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let (mut d, mut c, mut k) = (CrbaData::new(m), CoriolisData::new(m), KinematicsData::new(m));
    let (mut matrix, mut columns) = (zeros(m.nv() * m.nv()), vec![Motion::zero(); m.nv()]);
    Box::new(move |m, [q, qd, qdd], tau| {
        tau.fill(T::zero());
        crba(m, &mut d, q, &mut matrix)?;
        add_product(&matrix, qdd, tau);
        coriolis(m, &mut c, q, qd, &mut matrix)?;
        add_product(&matrix, qd, tau);
        kinematics(m, &mut k, q)?;
        add_gravity(m, &k, &mut columns, tau)?;
        add_friction(m, qd, tau);
        finite(m, tau)
    })
}

fn by_state_space<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = FormsData::new(m);
    Box::new(move |m, [q, qd, qdd], tau| {
        let form = state_space(m, &mut d, q, qd)?;
        tau.copy_from_slice(form.gravity);
        tau.iter_mut().zip(form.velocity).for_each(|(t, &v)| *t += v);
        add_product(form.mass, qdd, tau);
        add_friction(m, qd, tau);
        finite(m, tau)
    })
}

/// B [q̇q̇] + C [q̇²], added to `tau`.
fn add_velocity_products<T: Real>(b: &[T], c: &[T], qd: &[T], tau: &mut [T]) {
    let n = qd.len();
    let width = n * n.saturating_sub(1) / 2;
    for (i, t) in tau.iter_mut().enumerate() {
        let pairs = (0..n).flat_map(|j| (j + 1..n).map(move |k| (j, k)));
        for (column, (j, k)) in pairs.enumerate() {
            *t += b[i * width + column] * qd[j] * qd[k];
        }
        for j in 0..n {
            *t += c[i * n + j] * qd[j] * qd[j];
        }
    }
}

fn by_configuration_space<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = FormsData::new(m);
    Box::new(move |m, [q, qd, qdd], tau| {
        let form = configuration_space(m, &mut d, q)?;
        tau.copy_from_slice(form.gravity);
        add_velocity_products(form.coriolis, form.centrifugal, qd, tau);
        add_product(form.mass, qdd, tau);
        add_friction(m, qd, tau);
        finite(m, tau)
    })
}

/// Two directions of the last link, so that the rest of the motion is in the null space of J.
fn two_directions<T: Real>(m: &Model<T>) -> Task<'static> {
    const DIRECTIONS: [TaskDirection; 2] = [TaskDirection::LinearX, TaskDirection::LinearZ];
    Task {
        link: m.last_link(),
        at: None,
        frame: JacobianFrame::LocalWorldAligned,
        directions: &DIRECTIONS,
        rate: Rate::Inertial,
    }
}

/// τ = Jᵀ F + (1 − Jᵀ J̄ᵀ)(M q̈ + V + G), F = M_x Ẍ + V_x + G_x. With B_x and C_x, Jᵀ V_x is B_x [q̇q̇] + C_x [q̇²].
fn cartesian_torques<T: Real + 'static>(m: &Model<T>, products: bool) -> Compute<T> {
    let (mut d, mut forms) = (CartesianData::new(m), FormsData::new(m));
    let mut rest = zeros(m.nv());
    Box::new(move |m, [q, qd, qdd], tau| {
        let task = two_directions(m);
        let form = state_space(m, &mut forms, q, qd)?;
        rest.copy_from_slice(form.gravity);
        rest.iter_mut().zip(form.velocity).for_each(|(t, &v)| *t += v);
        add_product(form.mass, qdd, &mut rest);
        tau.fill(T::zero());
        if products {
            let by = cartesian_products(m, &mut d, &task, q)?;
            add_velocity_products(by.coriolis, by.centrifugal, qd, tau);
        }
        let x = cartesian(m, &mut d, &task, q, qd)?;
        let mut acceleration = [x.rate[0], x.rate[1]];
        add_product(x.jacobian, qdd, &mut acceleration);
        let mut f = [x.gravity[0], x.gravity[1]];
        add_product(x.mass, &acceleration, &mut f);
        if !products {
            f.iter_mut().zip(x.velocity).for_each(|(f, &v)| *f += v);
        }
        for (r, f) in f.iter_mut().enumerate() {
            *f = rest.iter().enumerate().fold(*f, |f, (i, &t)| f - x.inverse[2 * i + r] * t); // F − J̄ᵀ rest
        }
        for (i, t) in tau.iter_mut().enumerate() {
            *t += rest[i] + x.jacobian[i] * f[0] + x.jacobian[m.nv() + i] * f[1];
        }
        add_friction(m, qd, tau);
        finite(m, tau)
    })
}

fn by_cartesian<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    cartesian_torques(m, false)
}

fn by_products<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    cartesian_torques(m, true)
}

fn by_regressor<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = RegressorData::new(m);
    let mut y = zeros(m.nv() * parameter_count(m));
    let mut pi: Vec<T> = parameters(m).into_iter().map(|p| p.value).collect();
    Box::new(move |m, [q, qd, qdd], tau| {
        // Another model of the shape has other parameters; a payload, if it has one more, comes with more columns.
        if y.len() != m.nv() * parameter_count(m) {
            y = zeros(m.nv() * parameter_count(m));
            pi = parameters(m).into_iter().map(|p| p.value).collect();
        }
        regressor(m, &mut d, q, qd, qdd, &mut y)?;
        tau.fill(T::zero());
        add_product(&y, &pi, tau);
        finite(m, tau)
    })
}

fn by_explain<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let d = RneaData::new(m);
    Box::new(move |m, [q, qd, qdd], tau| {
        for e in explain(m, &d.boundary, q, qd, qdd)? {
            tau[e.dof.index()] = e.contributions.iter().fold(T::zero(), |sum, s| sum + s.torque);
        }
        finite(m, tau)
    })
}

/// q̈ − aba(q, q̇, 0) = M⁻¹ τ.
fn by_aba<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let (mut d, mut c) = (AbaData::new(m), CrbaData::new(m));
    let (mut mass, zero, mut a) = (zeros(m.nv() * m.nv()), zeros(m.nv()), zeros(m.nv()));
    Box::new(move |m, [q, qd, qdd], tau| {
        aba(m, &mut d, q, qd, &zero, &mut a)?;
        a.iter_mut().zip(qdd).for_each(|(a, &x)| *a = x - *a);
        crba(m, &mut c, q, &mut mass)?;
        tau.fill(T::zero());
        add_product(&mass, &a, tau);
        finite(m, tau)
    })
}

fn by_minverse<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let (mut d, mut inverse) = (AbaData::new(m), MinverseData::new(m));
    let (mut matrix, zero) = (zeros(m.nv() * m.nv()), zeros(m.nv()));
    Box::new(move |m, [q, qd, qdd], tau| {
        aba(m, &mut d, q, qd, &zero, tau)?;
        tau.iter_mut().zip(qdd).for_each(|(a, &x)| *a = x - *a);
        minverse(m, &mut inverse, q, &mut matrix)?;
        factor(m, &mut matrix)?;
        cholesky_solve(&matrix, m.nv(), tau);
        finite(m, tau)
    })
}

fn factor<T: Real>(m: &Model<T>, matrix: &mut [T]) -> Result<()> {
    let named = |k: usize| Error::NotPositiveDefinite { joint: m.dof_names()[k].clone() };
    cholesky(matrix, m.nv()).map_err(named)
}

/// Lagrange's equation, d/dt ∂L/∂q̇ − ∂L/∂q, L = T − U from the energies alone: time is the outer dual number, qᵢ and q̇ᵢ
/// are the inner ones.
fn by_energy(_: &Model<f64>) -> Compute<f64> {
    Box::new(move |m, [q, qd, qdd], tau| {
        type Both = Dual<Dual<f64, 2>, 1>;
        if let Some((_, b)) = m.base_to_tip().find(|(_, b)| b.pair.nv() != 1) {
            let formulation = "Lagrange's equation is that of coordinates, one to a pair of one axis";
            return Err(Error::Unsupported { formulation, joint: m.dof_names()[b.v].clone() });
        }
        let lifted = m.map(|x| Both::constant(Dual::constant(x)));
        let mut d = EnergyData::new(&lifted);
        for i in 0..m.nv() {
            let moving = |x: &[f64], rate: &[f64], which: usize| -> Vec<Both> {
                let one = |j: usize| match j == i {
                    true => Dual::variable(x[j], which),
                    false => Dual::constant(x[j]),
                };
                (0..x.len()).map(|j| Dual { value: one(j), grad: [Dual::constant(rate[j])] }).collect()
            };
            let e = energy(&lifted, &mut d, &moving(q, qd, 0), &moving(qd, qdd, 1))?;
            let l = e.kinetic - e.potential;
            tau[i] = l.grad[0].grad[1] - l.value.grad[0];
        }
        add_friction(m, qd, tau);
        Ok(())
    })
}

fn acceleration_by_aba<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let mut d = AbaData::new(m);
    Box::new(move |m, [q, qd, tau], qdd| aba(m, &mut d, q, qd, tau, qdd))
}

/// τ − rnea(q, q̇, 0).
fn unbalanced<T: Real>(
    m: &Model<T>,
    d: &mut RneaData<T>,
    [q, qd, tau]: [&[T]; 3],
    zero: &[T],
    rest: &mut [T],
) -> Result<()> {
    rnea(m, d, q, qd, zero, rest)?;
    rest.iter_mut().zip(tau).for_each(|(r, &t)| *r = t - *r);
    Ok(())
}

fn acceleration_by_crba<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let (mut d, mut c, n) = (RneaData::new(m), CrbaData::new(m), m.nv());
    let (mut mass, zero) = (zeros(n * n), zeros(n));
    Box::new(move |m, given, qdd| {
        unbalanced(m, &mut d, given, &zero, qdd)?;
        crba(m, &mut c, given[0], &mut mass)?;
        factor(m, &mut mass)?;
        cholesky_solve(&mass, n, qdd);
        finite(m, qdd)
    })
}

fn acceleration_by_minverse<T: Real + 'static>(m: &Model<T>) -> Compute<T> {
    let (mut d, mut inverse, n) = (RneaData::new(m), MinverseData::new(m), m.nv());
    let (mut matrix, zero, mut rest) = (zeros(n * n), zeros(n), zeros(n));
    Box::new(move |m, given, qdd| {
        unbalanced(m, &mut d, given, &zero, &mut rest)?;
        minverse(m, &mut inverse, given[0], &mut matrix)?;
        qdd.fill(T::zero());
        add_product(&matrix, &rest, qdd);
        finite(m, qdd)
    })
}
