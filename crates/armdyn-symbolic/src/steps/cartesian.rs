//! Dynamics in Cartesian space, with the inverse of the Jacobian.
//!
//! Lin, Manipulator Dynamics, pp. 36–40. With Ẋ = J q̇ the velocity of the tool, as many components as joints:
//!
//!   F = J⁻ᵀ τ,   Ẍ = J q̈ + J̇ q̇                                                       (p. 36)
//!   M_x = J⁻ᵀ M J⁻¹,   V_x = J⁻ᵀ (V − M J⁻¹ J̇ q̇),   G_x = J⁻ᵀ G                       (p. 37)
//!   τ = Jᵀ F,   Jᵀ V_x = B_x [q̇q̇] + C_x [q̇²]                                         (p. 40)
//!
//! J⁻¹ is adj J / det J, so that every result is a polynomial over a power of det J. J̇ is the derivative of J along the motion, by
//! dual numbers. Deviation: M, V and G are those of the links, without drives.

use super::newton_euler::DOCUMENT;
use super::subject::Subject;
use super::{Method, Quantity, Step, Symbol, TaskAxes, Trace};
use armdyn_core::{
    Dual, Error, FormsData, JacobianFrame, KinematicsData, LinkId, Model, Motion, Real, TaskDirection, Transform,
    configuration_space, kinematics, state_space,
};

/// A task over the scalar of a trace.
#[derive(Clone, Debug)]
pub(super) struct Tool<T> {
    /// The link that carries the tool.
    pub link: LinkId,
    /// The tool's frame in the link's.
    pub pose: Transform<T>,
    /// The axes of Ẋ.
    pub axes: TaskAxes,
    /// The components of Ẋ, as many as there are joints.
    pub directions: Vec<TaskDirection>,
    /// How they were chosen, in brackets, if nobody gave them.
    pub choice: &'static str,
}

type Rows<T> = Vec<Vec<T>>;

/// The Jacobian.
fn jacobian<T: Real>(m: &Model<T>, q: &[T], tool: &Tool<T>) -> Result<Rows<T>, Error> {
    let mut data = KinematicsData::new(m);
    kinematics(m, &mut data, q)?;
    let mut columns = vec![Motion::zero(); m.nv()];
    data.jacobian(m, tool.link, JacobianFrame::Local, &mut columns)?;
    let rotation = data.link_pose(m, tool.link)?.rotation.compose(&tool.pose.rotation);
    let column = |c: &Motion<T>| {
        let at_tool = tool.pose.motion_back(*c);
        let v = match tool.axes {
            TaskAxes::Tool => at_tool,
            TaskAxes::Base => Transform::from_rotation(rotation).motion(at_tool),
        };
        [v.linear.to_array(), v.angular.to_array()].concat()
    };
    let columns: Vec<Vec<T>> = columns.iter().map(column).collect();
    Ok(tool.directions.iter().map(|d| columns.iter().map(|c| c[*d as usize]).collect()).collect())
}

/// ∂J/∂q_j.
fn derivative<T: Real>(s: &Subject<T>, tool: &Tool<T>, j: usize) -> Result<Rows<T>, Error> {
    let model: Model<Dual<T, 1>> = s.model.map(Dual::constant);
    let mut q: Vec<Dual<T, 1>> = s.q.iter().map(|&x| Dual::constant(x)).collect();
    q[j].grad = [T::one()];
    let pose = tool.pose.map(Dual::constant);
    let (link, axes, directions, choice) = (tool.link, tool.axes, tool.directions.clone(), tool.choice);
    let rows = jacobian(&model, &q, &Tool { link, pose, axes, directions, choice })?;
    Ok(rows.iter().map(|row| row.iter().map(|x| x.grad[0]).collect()).collect())
}

/// The determinant of the rows and columns listed.
fn determinant<T: Real>(a: &Rows<T>, rows: &[usize], columns: &[usize]) -> T {
    let Some((&first, rest)) = rows.split_first() else { return T::one() };
    let mut sum = T::zero();
    for (k, &c) in columns.iter().enumerate() {
        let others: Vec<usize> = columns.iter().copied().filter(|&o| o != c).collect();
        let term = a[first][c] * determinant(a, rest, &others);
        sum = if k % 2 == 0 { sum + term } else { sum - term };
    }
    sum
}

/// adj A, so that A⁻¹ = adj A / det A, and det A.
fn adjugate<T: Real>(a: &Rows<T>) -> (Rows<T>, T) {
    let n = a.len();
    let all: Vec<usize> = (0..n).collect();
    let without = |k: usize| all.iter().copied().filter(|&i| i != k).collect::<Vec<_>>();
    let cofactor = |r: usize, c: usize| {
        let minor = determinant(a, &without(r), &without(c));
        if (r + c).is_multiple_of(2) { minor } else { -minor }
    };
    ((0..n).map(|i| (0..n).map(|j| cofactor(j, i)).collect()).collect(), determinant(a, &all, &all))
}

fn transposed<T: Real>(a: &Rows<T>) -> Rows<T> {
    (0..a.first().map_or(0, Vec::len)).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

fn times<T: Real>(a: &Rows<T>, v: &[T]) -> Vec<T> {
    a.iter().map(|row| row.iter().zip(v).fold(T::zero(), |sum, (x, y)| x.mul_add(*y, sum))).collect()
}

fn product<T: Real>(a: &Rows<T>, b: &Rows<T>) -> Rows<T> {
    let columns = transposed(b);
    transposed(&columns.iter().map(|c| times(a, c)).collect())
}

fn rows_of<T: Real>(values: &[T], columns: usize) -> Rows<T> {
    values.chunks(columns.max(1)).map(<[T]>::to_vec).collect()
}

/// The trace.
pub(super) fn cartesian<T: Real>(s: &Subject<T>, tool: &Tool<T>) -> Result<Trace<T>, Error> {
    let (m, n) = (&s.model, s.model.nv());
    let j = jacobian(m, &s.q, tool)?;
    let partials = (0..n).map(|k| derivative(s, tool, k)).collect::<Result<Vec<_>, _>>()?;
    let mut forms = FormsData::new(m);
    let form = state_space(m, &mut forms, &s.q, &s.qd)?;
    let (mass, velocity, gravity) = (rows_of(form.mass, n), form.velocity.to_vec(), form.gravity.to_vec());
    let mut forms = FormsData::new(m);
    let form = configuration_space(m, &mut forms, &s.q)?;
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
    let (coriolis, centrifugal) = (rows_of(form.coriolis, pairs.len()), rows_of(form.centrifugal, n));

    let element = |r: usize, c: usize| (0..n).fold(T::zero(), |sum, k| partials[k][r][c].mul_add(s.qd[k], sum));
    let rate: Rows<T> = (0..n).map(|r| (0..n).map(|c| element(r, c)).collect()).collect();
    let bias = times(&rate, &s.qd);
    let (adjugate, det) = adjugate(&j);
    let adjugate_t = transposed(&adjugate);
    let square = det * det;
    let x: Vec<T> = times(&j, &s.qdd).iter().zip(&bias).map(|(a, b)| *a + *b).collect();
    // V − M J⁻¹ J̇q̇, times det J.
    let forced = |v: &[T], bias: &[T]| -> Vec<T> {
        let coupled = times(&mass, &times(&adjugate, bias));
        v.iter().zip(&coupled).map(|(v, c)| det * *v - *c).collect()
    };
    let column = |a: &Rows<T>, k: usize| -> Vec<T> { a.iter().map(|row| row[k]).collect() };
    let vx = times(&adjugate_t, &forced(&velocity, &bias));
    let mx = product(&adjugate_t, &product(&mass, &adjugate));
    let gx = times(&adjugate_t, &gravity);
    let mixed = |&(a, b): &(usize, usize)| -> Vec<T> {
        column(&partials[a], b).iter().zip(column(&partials[b], a)).map(|(x, y)| *x + y).collect()
    };
    let bx = pairs.iter().enumerate().map(|(k, pair)| forced(&column(&coriolis, k), &mixed(pair)));
    let bx = transposed(&bx.collect());
    let cx = transposed(&(0..n).map(|k| forced(&column(&centrifugal, k), &column(&partials[k], k))).collect());
    let tau: Vec<T> =
        times(&mass, &s.qdd).iter().zip(&velocity).zip(&gravity).map(|((a, b), c)| *a + *b + *c).collect();
    let force = times(&adjugate_t, &tau);

    let frame = match tool.axes {
        TaskAxes::Tool => "tool",
        TaskAxes::Base => "base",
    };
    let at = |quantity: Quantity<T>| quantity.in_frame(frame);
    let letter = |base: &str| Symbol::new(base);
    let mut space = Step::new("Joint space", "Lin pp. 27, 28, 36").formula(
        "τ = M(q) q̈ + V(q, q̇) + G(q),  V = B(q) [q̇q̇] + C(q) [q̇²]",
        "\\tau = M(\\Theta)\\ddot\\Theta + V(\\Theta,\\dot\\Theta) + G(\\Theta),\\quad V = B(\\Theta)[\\dot\\Theta\\dot\\Theta] + \
         C(\\Theta)[\\dot\\Theta^2]",
    );
    space.push(Quantity::matrix(letter("M"), mass, ""));
    space.push(Quantity::vector(letter("V"), velocity, ""));
    space.push(Quantity::vector(letter("G"), gravity, ""));
    if !pairs.is_empty() {
        space.push(Quantity::matrix(letter("B"), coriolis, ""));
    }
    space.push(Quantity::matrix(letter("C"), centrifugal, ""));
    let mut jacobians = Step::new("Jacobian", "Lin pp. 36, 39")
        .formula("Ẋ = J q̇,  Ẍ = J q̈ + J̇ q̇", "\\dot X = J\\dot\\Theta,\\quad \\ddot X = J\\ddot\\Theta + \\dot J\\dot\\Theta")
        .corrected("p. 39", "J̇₂₁ = −l₁ s₂ θ₂ is printed; −l₁ s₂ θ̇₂ is used")
        .corrected("pp. 36–39", "Ẍ in axes that turn with the tool is the derivative of the components of Ẋ; the inertial acceleration has ω × v more");
    jacobians.push(at(Quantity::matrix(letter("J"), j, "")));
    jacobians.push(at(Quantity::matrix(letter("J").above("-1"), adjugate, "")).over(det));
    jacobians.push(at(Quantity::matrix(letter("J").dots(1), rate, "")));
    jacobians.push(at(Quantity::vector(letter("J̇q̇"), bias, "")));
    jacobians.push(at(Quantity::vector(letter("X").dots(2), x, "")));
    let mut terms = Step::new("Cartesian space", "Lin p. 37")
        .formula("Mₓ = J⁻ᵀ M J⁻¹", "M_x = J^{-T} M J^{-1}")
        .formula("Vₓ = J⁻ᵀ (V − M J⁻¹ J̇ q̇)", "V_x = J^{-T} (V - M J^{-1} \\dot J \\dot\\Theta)")
        .formula("Gₓ = J⁻ᵀ G", "G_x = J^{-T} G");
    terms.push(at(Quantity::matrix(letter("M").index("x"), mx, "")).over(square));
    terms.push(at(Quantity::vector(letter("V").index("x"), vx, "")).over(square));
    terms.push(at(Quantity::vector(letter("G").index("x"), gx, "")).over(det));
    let mut products = Step::new("Torques by products of velocities", "Lin p. 40").formula(
        "τ = Jᵀ Mₓ Ẍ + Bₓ [q̇q̇] + Cₓ [q̇²] + G",
        "\\tau = J^T M_x \\ddot X + B_x [\\dot\\Theta\\dot\\Theta] + C_x [\\dot\\Theta^2] + G",
    );
    if !pairs.is_empty() {
        products.push(Quantity::matrix(letter("B").index("x"), bx, "").over(det));
    }
    products.push(Quantity::matrix(letter("C").index("x"), cx, "").over(det));
    let mut forces = Step::new("Force", "Lin pp. 36, 37")
        .formula("F = Mₓ Ẍ + Vₓ + Gₓ = J⁻ᵀ τ", "F = M_x \\ddot X + V_x + G_x = J^{-T} \\tau");
    forces.push(at(Quantity::vector(letter("F"), force, "")).over(det));
    let torques = Step::new("Joint torques", "Lin pp. 36, 40").formula("τ = Jᵀ F", "\\tau = J^T F");
    let mut steps = vec![space, jacobians, terms, products, forces];
    steps.extend(s.torque_steps(torques, &tau));
    let names = ["x", "y", "z", "rx", "ry", "rz"];
    let listed: Vec<&str> = tool.directions.iter().map(|d| names[*d as usize]).collect();
    let notes = vec![format!(
        "Ẋ: velocity of the tool on {} in {frame} axes, components {}{}. Lin's Θ is q; [q̇q̇] is (q̇₁q̇₂, q̇₁q̇₃, …), [q̇²] is (q̇₁², q̇₂², …).",
        m.links()[tool.link].name,
        listed.join(", "),
        tool.choice
    )];
    Ok(Trace { method: Method::Cartesian, document: DOCUMENT, notes, steps })
}
