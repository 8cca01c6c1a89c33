//! The 4 × 4 matrices and the velocity coefficients of Lagrange's form (Bejczy 1974, section III, appendix D).
//!
//! `J 2`: ∫ (r; 1)(r; 1)ᵀ dm of body 2, in the frame of its link; `U 3 1 2`: ∂²T₀³/∂q₁∂q₂ (eq. 7); `velocity 2`: the matrix of
//! D₂ⱼₖ; `vanishing`, `independent` [for any parameters]: the number of D_ijk, j ≤ k, that vanish in every configuration, and of
//! the others that are independent; `terms D11`: the number of terms of D₁₁ with numeric parameters.

use super::dynamics::{cells, frame};
use super::{Found, Query, Scalar, Scene, Value};
use armdyn_core::{CoriolisData, LagrangeData, Mat4, christoffel, lagrange};
use armdyn_symbolic::closed::{ClosedOptions, Equations, Factor, Parameters, Sum, closed_form};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    Some(match words {
        ["J", body] => number(body, scene.model.body_count()).and_then(|b| pseudo_inertia(scene, b)),
        ["U", p, j, k] => second_partial(scene, [p, j, k]),
        ["velocity", i] => number(i, scene.model.nv()).and_then(|i| velocity(scene, i)),
        [what @ ("vanishing" | "independent")] => count(scene, Parameters::Numeric, what),
        [what @ ("vanishing" | "independent"), "for", "any", "parameters"] => count(scene, Parameters::Symbolic, what),
        ["terms", word] => terms(scene, word),
        _ => return None,
    })
}

fn number(word: &str, most: usize) -> Result<usize, String> {
    let found = word.parse().ok().filter(|k| (1..=most).contains(k));
    found.ok_or_else(|| format!("`{word}` is not a number from 1 to {most}"))
}

fn pseudo_inertia<S: Scalar>(scene: &Scene<S>, body: usize) -> Result<Value<S>, String> {
    let own = frame(scene, body, true);
    let inertia = cells(&Mat4::pseudo_inertia(&scene.model.body(body).inertia));
    own.times(&inertia)?.times(&own.transposed())
}

fn second_partial<S: Scalar>(scene: &Scene<S>, words: [&str; 3]) -> Result<Value<S>, String> {
    let m = &scene.model;
    let mut numbers = [0; 3];
    for (own, word) in numbers.iter_mut().zip(words) {
        *own = number(word, m.body_count())?;
    }
    let [p, j, k] = numbers;
    if j.max(k) > p {
        return Ok(Value::matrix(4, vec![S::zero(); 16]));
    }
    let mut d = LagrangeData::new(m);
    lagrange(m, &mut d, &scene.state[0]).map_err(|e| e.to_string())?;
    cells(&d.second_partial(0, p, j.min(k), j.max(k))).times(&frame(scene, p, false))
}

fn velocity<S: Scalar>(scene: &Scene<S>, i: usize) -> Result<Value<S>, String> {
    let (m, n) = (&scene.model, scene.model.nv());
    let mut gamma = vec![S::zero(); n * n * n];
    christoffel(m, &mut CoriolisData::new(m), &scene.state[0], &mut gamma).map_err(|e| e.to_string())?;
    Ok(Value::matrix(n, gamma[(i - 1) * n * n..i * n * n].to_vec()))
}

/// The closed form; its zeros vanish in every configuration.
fn written<S: Scalar>(scene: &Scene<S>, parameters: Parameters) -> Result<Equations, String> {
    if S::SYMBOLIC {
        return Err("this query is a number and cannot be used in an identity".to_string());
    }
    closed_form(&scene.robot.model, &ClosedOptions { parameters, ..Default::default() }).map_err(|e| e.to_string())
}

fn count<S: Scalar>(scene: &Scene<S>, parameters: Parameters, what: &str) -> Result<Value<S>, String> {
    let zeros = written(scene, parameters)?.zeros();
    let found = match what {
        "vanishing" => zeros.len(),
        _ => LagrangeData::new(&scene.robot.model).independent().iter().filter(|t| !zeros.contains(t)).count(),
    };
    Ok(S::lift(found as f64).into())
}

/// The number of terms of D_ij with numeric parameters.
fn terms<S: Scalar>(scene: &Scene<S>, word: &str) -> Result<Value<S>, String> {
    let n = scene.model.nv();
    let Some(&[i, j]) = Query::numbers(word, "D").as_deref().filter(|at| at.iter().all(|k| *k <= n)) else {
        return Err(format!("`{word}` is not a D_ij of {n} degrees of freedom"));
    };
    let equations = written(scene, Parameters::Numeric)?;
    Ok(S::lift(terms_of(&equations.inertia(i - 1, j - 1).written) as f64).into())
}

fn terms_of(sum: &Sum) -> usize {
    let factor = |f: &Factor| if let Factor::Sum(inner) = f { terms_of(inner) } else { 1 };
    sum.0.iter().map(|p| p.factors.iter().map(|(f, _)| factor(f)).product::<usize>()).sum()
}
