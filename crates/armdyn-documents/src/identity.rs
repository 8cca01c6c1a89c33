//! Whether two expressions are identical for all parameters and states of a robot.
//!
//! If every joint has one degree of freedom and consecutive frames differ by multiples of 90°, both are evaluated over polynomials in
//! sines, cosines, lengths and parameters, which have a unique normal form: this is a proof. Otherwise both are evaluated with numbers,
//! in random states of robots with random parameters.

use crate::conditions::conditions;
use crate::evaluation::RowContext;
use crate::evaluation::{Evaluation, quotient, single_robot};
use crate::expression::Expression;
use crate::scene::{at_random, over_polynomials, whole};
use crate::value::Value;
use armdyn_core::{Model, Real, Rotation, SplitMix64, Sym3};
use armdyn_symbolic::closed::{self, Poly};
use std::collections::HashMap;

/// The number of random robots and states.
pub const TRIALS: u64 = 12;

/// The relative tolerance of equal values: cancellation costs digits.
pub const TOLERANCE: f64 = 1e-9;

/// The largest number of degrees of freedom whose polynomials stay short enough.
const MAX_DOFS: usize = 8;

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Identity {
    /// Equal, or not, as polynomials.
    Proven(bool),
    /// The largest relative difference at random.
    Tested(f64),
}

impl Identity {
    /// Whether the expressions are identical.
    pub fn holds(self) -> bool {
        match self {
            Identity::Proven(holds) => holds,
            Identity::Tested(off) => off < TOLERANCE,
        }
    }
}

/// Compares two expressions; an error if they cannot be evaluated.
pub fn same(place: &RowContext, a: &str, b: &str) -> Result<Identity, String> {
    let (a, b) = (Expression::parse(a)?, Expression::parse(b)?);
    let robot = place.robots.get(place.robot);
    let single =
        |m: &Model<f64>| m.base_to_tip().all(|(_, b)| b.pair.nv() == 1 && quarter_turns(&b.placement.rotation));
    let short = |m: &Model<f64>| m.nv() <= MAX_DOFS && single(m);
    let plain = place.row.free.is_empty() && robot.is_some_and(|r| r.source.tip.is_none() && short(&r.model));
    if plain && let Some(holds) = proven(place, &a, &b)? {
        return Ok(Identity::Proven(holds));
    }
    (0..TRIALS).try_fold(0.0, |worst: f64, trial| Ok(worst.max(tested(place, &a, &b, trial)?))).map(Identity::Tested)
}

/// Whether it is a multiple of 90° about each axis: other angles give rounded coefficients.
fn quarter_turns(r: &Rotation<f64>) -> bool {
    r.to_rows().iter().flatten().all(|x| whole(*x).is_some())
}

/// Whether the expressions are equal as polynomials; none if one contains roots or quotients, or a query that has no value over
/// polynomials.
fn proven(place: &RowContext, a: &Expression, b: &Expression) -> Result<Option<bool>, String> {
    let robot = &place.robots[place.robot];
    let (ring, cells) = closed::polynomial_model(&robot.model, |over| -> Result<Option<Vec<[Poly; 2]>>, String> {
        let mut evaluation = place.evaluation(HashMap::new(), single_robot(robot, over_polynomials(robot, over)));
        let (a, b) = match a.evaluate(&mut evaluation).and_then(|a| Ok((a, b.evaluate(&mut evaluation)?))) {
            Err(_) if evaluation.numbers_only => return Ok(None),
            both => both?,
        };
        same_shape(&a, &b)?;
        let replaced = replacements(place, &mut evaluation)?;
        let finish = |p: &Poly| p.with_symbols(|name| replaced.get(name).copied());
        Ok(Some(a.cells().iter().zip(b.cells()).map(|(a, b)| [finish(a), finish(b)]).collect()))
    })
    .map_err(|e| e.to_string())?;
    let polynomials = cells?.filter(|cells| cells.iter().flatten().all(|p| ring.is_polynomial(*p)));
    Ok(polynomials.map(|cells| cells.iter().all(|[a, b]| ring.equal(*a, *b))))
}

fn same_shape<S: Real>(a: &Value<S>, b: &Value<S>) -> Result<(), String> {
    let [(a, b), (c, d)] = [a.shape(), b.shape()];
    if (a, b) == (c, d) { Ok(()) } else { Err(format!("{a} × {b} and {c} × {d} have different shapes")) }
}

/// Substitutions: parameters expressed by quotients, and those that the row sets.
fn replacements(place: &RowContext, evaluation: &mut Evaluation<Poly>) -> Result<HashMap<String, Poly>, String> {
    let scene = evaluation.scene(place.robot)?;
    let mut set = HashMap::new();
    for (name, value) in conditions(&place.row.at)? {
        if scene.place(&name).is_some() {
            continue;
        }
        // Defines a quotient that the row does not use otherwise.
        evaluation.value(&name)?;
        let value = evaluation.value(&value)?.number()?;
        let definition = place.document.symbols.get(&name).map(String::as_str).unwrap_or_default();
        let parameter = match Expression::parse(definition)? {
            Expression::Query(name) if scene.parameters.contains_key(&name) => name,
            Expression::Binary('/', _) => quotient(&name),
            _ => {
                return Err(format!(
                    "`{name}` is neither a parameter of the robot nor a quotient of one: {definition}"
                ));
            }
        };
        set.insert(parameter, value);
    }
    let mut all = evaluation.quotients.clone();
    all.extend(set);
    // A quotient's substitution may contain a parameter that the row sets.
    let once = all.clone();
    for p in all.values_mut() {
        *p = p.with_symbols(|name| once.get(name).copied());
    }
    Ok(all)
}

/// The largest relative difference.
fn tested(place: &RowContext, a: &Expression, b: &Expression, trial: u64) -> Result<f64, String> {
    let mut random = SplitMix64(1000 + trial);
    let free = place.row.free.iter().map(|(name, kind)| Ok((name.clone(), random_value(kind, &mut random)?)));
    let free: HashMap<String, Value<f64>> = free.collect::<Result<_, String>>()?;
    let mut evaluation = place.evaluation(free, Box::new(move |robot| Ok(at_random(robot, trial))));
    let (a, b) = (a.evaluate(&mut evaluation)?, b.evaluate(&mut evaluation)?);
    same_shape(&a, &b)?;
    let all = || a.cells().iter().chain(b.cells());
    if !all().all(|x| x.is_finite()) {
        return Err("a value is not finite".to_string());
    }
    let size = all().fold(0.0, |s: f64, x| s.max(x.abs()));
    let off = a.cells().iter().zip(b.cells()).fold(0.0, |s: f64, (a, b)| s.max((a - b).abs()));
    Ok(if size == 0.0 { 0.0 } else { off / size })
}

/// A random value of a kind.
fn random_value(kind: &str, random: &mut SplitMix64) -> Result<Value<f64>, String> {
    let mut number = || random.within(1.0);
    Ok(match kind {
        "number" => number().into(),
        "vector" => Value::column(vec![number(), number(), number()]),
        "matrix" => Value::matrix(3, (0..9).map(|_| number()).collect()),
        "rotation" => {
            let r = Rotation::rpy(3.0 * number(), 1.5 * number(), 3.0 * number());
            Value::matrix(3, r.to_rows().concat())
        }
        "tensor" => {
            // The tensor of four particles.
            let mut sum = Sym3::zero();
            for _ in 0..4 {
                let v = armdyn_core::vec3(number(), number(), number());
                sum += Sym3::shift(v * 0.5, v);
            }
            Value::matrix(3, vec![sum.xx, sum.xy, sum.xz, sum.xy, sum.yy, sum.yz, sum.xz, sum.yz, sum.zz])
        }
        other => {
            return Err(format!("unknown kind of symbol `{other}`; expected number, vector, matrix, rotation, tensor"));
        }
    })
}
