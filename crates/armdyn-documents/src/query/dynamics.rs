//! What the equations of motion consist of.
//!
//! `D2`, `D12`, `D123` [by lagrange | coefficients]: dynamic coefficients; `M`, `tau`: all of them at once; `tau 2`; `U 2 1`:
//! ∂T₀²/∂q₁ (Bejczy 1974, eq. 3); `T 0 2`: a body's pose in another.

use super::{Found, Query, Scalar, Scene, Value};
use crate::scene::tidy;
use armdyn_core::{
    Boundary, CoefficientsData, CoriolisData, CrbaData, DynamicCoefficients, Force, LagrangeData, Mat4, Real, RneaData,
    Transform, christoffel, coefficients, crba, lagrange, rnea, vec3,
};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    Some(match words {
        [word] if Query::numbers(word, "D").is_some() => coefficient(scene, word, ""),
        [word, "by", by] if Query::numbers(word, "D").is_some() => coefficient(scene, word, by),
        ["M"] => mass(scene).map(|cells| Value::matrix(scene.model.nv(), cells)),
        ["tau"] => torques(scene).map(Value::column),
        ["tau", i] => torques(scene).and_then(|tau| member(&tau, i)),
        [letter @ ("U" | "T"), a, b] => partial(scene, letter, a, b),
        _ => return None,
    })
}

/// The element of a list by its number, from 1.
pub fn member<S: Real>(all: &[S], word: &str) -> Result<Value<S>, String> {
    let at = word.parse::<usize>().ok().and_then(|i| i.checked_sub(1));
    at.and_then(|i| all.get(i))
        .map(|&x| x.into())
        .ok_or_else(|| format!("`{word}` is not a number from 1 to {}", all.len()))
}

fn mass<S: Scalar>(scene: &Scene<S>) -> Result<Vec<S>, String> {
    let (m, n) = (&scene.model, scene.model.nv());
    let mut mass = vec![S::zero(); n * n];
    crba(m, &mut CrbaData::new(m), &scene.state[0], &mut mass).map_err(|e| e.to_string())?;
    (0..n * n).for_each(|k| mass[k] += scene.drive_inertia(k / n, k % n));
    Ok(mass)
}

/// Adds the external wrench on the last link, in its axes, about its origin.
pub fn add_tool_wrench<S: Scalar>(scene: &Scene<S>, boundary: &mut Boundary<S>) -> Result<(), String> {
    let [a, b, c, d, e, f] = &scene.wrench[..] else { return Ok(()) };
    let wrench = Force::new(vec3(*d, *e, *f), vec3(*a, *b, *c));
    boundary.add_external_wrench(&scene.model, scene.model.last_link(), wrench).map_err(|e| e.to_string())
}

/// An error if a wrench acts on the last link and the query would ignore it.
pub fn require_no_tool_wrench<S: Scalar>(scene: &Scene<S>) -> Result<(), String> {
    let still = match S::in_numbers(scene) {
        Some(scene) => scene.wrench.iter().all(|x| *x == 0.0),
        None => scene.wrench.is_empty(),
    };
    if still { Ok(()) } else { Err("an external wrench on the last link is not supported here".to_string()) }
}

fn torques<S: Scalar>(scene: &Scene<S>) -> Result<Vec<S>, String> {
    let (m, [q, qd, qdd]) = (&scene.model, &scene.state);
    let mut tau = vec![S::zero(); m.nv()];
    let mut d = RneaData::new(m);
    add_tool_wrench(scene, &mut d.boundary)?;
    rnea(m, &mut d, q, qd, qdd, &mut tau).map_err(|e| e.to_string())?;
    Ok(scene.with_drives(tau))
}

fn coefficient<S: Scalar>(scene: &Scene<S>, word: &str, by: &str) -> Result<Value<S>, String> {
    let (m, q, n) = (&scene.model, &scene.state[0], scene.model.nv());
    let numbers = Query::numbers(word, "D").unwrap_or_default();
    if numbers.iter().any(|k| *k > n) || numbers.len() > 3 {
        return Err(format!("there are {n} degrees of freedom"));
    }
    let at: Vec<usize> = numbers.iter().map(|k| k - 1).collect();
    let read = |found: &DynamicCoefficients<S>| match at[..] {
        [i] => found.gravity(i),
        [i, j] => found.inertia(i, j) + scene.drive_inertia(i, j),
        _ => found.velocity(at[0], at[1], at[2]),
    };
    let found = match (by, &at[..]) {
        ("lagrange", _) => {
            let mut d = LagrangeData::new(m);
            lagrange(m, &mut d, q).map(|()| read(d.coefficients()))
        }
        ("coefficients", _) => {
            let mut d = CoefficientsData::new(m);
            coefficients(m, &mut d, q).map(|()| read(d.coefficients()))
        }
        ("", &[i]) => {
            let mut still = scene.clone();
            still.state[1].fill(S::zero());
            still.state[2].fill(S::zero());
            still.wrench.clear();
            return torques(&still).map(|tau| tau[i].into());
        }
        ("", &[i, j]) => return mass(scene).map(|mass| mass[i * n + j].into()),
        ("", _) => {
            let mut gamma = vec![S::zero(); n * n * n];
            christoffel(m, &mut CoriolisData::new(m), q, &mut gamma).map(|()| gamma[(at[0] * n + at[1]) * n + at[2]])
        }
        _ => return Err(format!("`{by}` does not compute coefficients; expected lagrange, coefficients")),
    };
    found.map(Into::into).map_err(|e| e.to_string())
}

fn partial<S: Scalar>(scene: &Scene<S>, letter: &str, a: &str, b: &str) -> Result<Value<S>, String> {
    let m = &scene.model;
    let number = |word: &str| word.parse::<usize>().ok().filter(|k| *k <= m.body_count());
    let (Some(a), Some(b)) = (number(a), number(b)) else {
        return Err(format!("there are {} bodies", m.body_count()));
    };
    let mut d = LagrangeData::new(m);
    lagrange(m, &mut d, &scene.state[0]).map_err(|e| e.to_string())?;
    match letter {
        "T" if a > b => Err(format!("body {a} is not an ancestor of body {b}")),
        "T" => frame(scene, a, true).times(&cells(&d.transform(a, b)))?.times(&frame(scene, b, false)),
        _ if !(1..=a).contains(&b) => Ok(Value::matrix(4, vec![S::zero(); 16])),
        _ => cells(&d.first_partial(0, a, b)).times(&frame(scene, a, false)),
    }
}

/// A matrix.
pub fn cells<S: Real>(m: &Mat4<S>) -> Value<S> {
    Value::matrix(4, m.rows.iter().flatten().copied().collect())
}

/// The link frame in the body frame, whose z axis is the joint axis, or the inverse. Multiples of 90° are exact.
pub fn frame<S: Real>(scene: &Scene<S>, body: usize, inverse: bool) -> Value<S> {
    let m = &scene.robot.model;
    let joint = m.joints().iter().find(|j| j.bodies.clone().next_back() == Some(body));
    let pose = joint.map_or(Transform::identity(), |j| m.links()[j.child].pose);
    let pose = if inverse { pose.inverse() } else { pose };
    cells(&Mat4::pose(&tidy(pose).map(S::lift)))
}
