//! Whether two expressions are the same whatever the robot's figures and state are.
//!
//! Where the robot's joints have one degree of freedom each, and stand to each other by whole quarter turns, both are computed
//! over polynomials in the sines, cosines, lengths and figures, in which what is the same has one form: that is a proof.
//! Otherwise both are computed with numbers, in random states of robots with random figures.

use crate::expression::Expression;
use crate::row::Place;
use crate::scene::{at_random, over_polynomials, whole};
use crate::setting::{Setting, alone, conditions, quotient};
use crate::value::Value;
use armdyn_core::{Model, Real, Rotation, Sym3};
use armdyn_symbolic::closed::{self, Poly};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;

/// How many random robots and states are tried.
pub const TRIALS: u64 = 12;

/// How near, of their size, two values must be to be the same: cancellations cost digits.
pub const SAME: f64 = 1e-9;

/// The most degrees of freedom whose polynomials are not too long.
const MOST: usize = 8;

/// How it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// Equal, or not, as polynomials.
    Proven(bool),
    /// Equal within rounding, or not, by the greatest difference of their size.
    Tried(f64),
}

impl Found {
    /// Whether they are the same.
    pub fn holds(self) -> bool {
        match self {
            Found::Proven(holds) => holds,
            Found::Tried(off) => off < SAME,
        }
    }
}

/// Whether they are; why it cannot be found.
pub fn same(place: &Place, a: &str, b: &str) -> Result<Found, String> {
    let (a, b) = (Expression::parse(a)?, Expression::parse(b)?);
    let robot = place.robots.get(place.robot);
    let single =
        |m: &Model<f64>| m.base_to_tip().all(|(_, b)| b.pair.nv() == 1 && quarter_turns(&b.placement.rotation));
    let short = |m: &Model<f64>| m.nv() <= MOST && single(m);
    let plain = place.row.free.is_empty() && robot.is_some_and(|r| !r.own_figures && short(&r.model));
    if plain {
        match proven(place, &a, &b) {
            Err(Refused::NoPolynomial | Refused::NumbersAlone) => {}
            Err(Refused::Fault(fault)) => return Err(fault),
            Ok(holds) => return Ok(Found::Proven(holds)),
        }
    }
    (0..TRIALS).try_fold(0.0, |worst: f64, trial| Ok(worst.max(tried(place, &a, &b, trial)?))).map(Found::Tried)
}

/// Whether it is by whole quarter turns: other angles leave rounded coefficients.
fn quarter_turns(r: &Rotation<f64>) -> bool {
    r.to_rows().iter().flatten().all(|x| whole(*x).is_some())
}

/// Why there is no proof either way.
enum Refused {
    /// An expression has roots or quotients in it.
    NoPolynomial,
    /// A question has no answer over polynomials.
    NumbersAlone,
    /// The row is wrong.
    Fault(String),
}

impl From<String> for Refused {
    fn from(fault: String) -> Self {
        Refused::Fault(fault)
    }
}

fn proven(place: &Place, a: &Expression, b: &Expression) -> Result<bool, Refused> {
    let robot = &place.robots[place.robot];
    let (ring, cells) = closed::over_polynomials(&robot.model, |over| -> Result<Vec<[Poly; 2]>, Refused> {
        let mut setting = place.setting(BTreeMap::new(), alone(robot, over_polynomials(robot, over)));
        let both = a.evaluate(&mut setting).and_then(|a| Ok((a, b.evaluate(&mut setting)?)));
        let (a, b) = both.map_err(|e| if setting.numbers_alone { Refused::NumbersAlone } else { e.into() })?;
        of_one_shape(&a, &b)?;
        let replaced = replacements(place, &mut setting)?;
        let finish = |p: &Poly| p.with_symbols(|name| replaced.get(name).copied());
        Ok(a.cells().iter().zip(b.cells()).map(|(a, b)| [finish(a), finish(b)]).collect())
    })
    .map_err(|e| Refused::Fault(e.to_string()))?;
    let cells = cells?;
    let polynomial = |p: Poly| ring.is_polynomial(p);
    if cells.iter().flatten().any(|p| !polynomial(*p)) {
        return Err(Refused::NoPolynomial);
    }
    Ok(cells.iter().all(|[a, b]| ring.equal(*a, *b)))
}

fn of_one_shape<S: Real>(a: &Value<S>, b: &Value<S>) -> Result<(), String> {
    let [(a, b), (c, d)] = [a.shape(), b.shape()];
    if (a, b) == (c, d) { Ok(()) } else { Err(format!("{a} × {b} and {c} × {d} cannot be the same")) }
}

/// Figures that quotients stand for, and those that the row sets.
fn replacements(place: &Place, setting: &mut Setting<Poly>) -> Result<BTreeMap<String, Poly>, String> {
    let scene = setting.scene(place.robot)?;
    let mut set = BTreeMap::new();
    for (name, value) in conditions(&place.row.at)? {
        if scene.place(&name).is_some() {
            continue;
        }
        // So that a quotient that the row does not name otherwise is known.
        setting.value(&name)?;
        let value = setting.value(&value)?.number()?;
        let definition = place.document.symbols.get(&name).map(String::as_str).unwrap_or_default();
        let figure = match Expression::parse(definition)? {
            Expression::Ask(figure) if scene.figures.contains_key(&figure) => figure,
            Expression::Binary('/', _) => quotient(&name),
            _ => return Err(format!("`{name}` is no figure of the robot, nor a quotient of one: {definition}")),
        };
        set.insert(figure, value);
    }
    let mut all = setting.quotients.clone();
    all.extend(set);
    // What a quotient stands for may have a figure that the row sets.
    let once = all.clone();
    for p in all.values_mut() {
        *p = p.with_symbols(|name| once.get(name).copied());
    }
    Ok(all)
}

/// The greatest difference, of the size of what is compared.
fn tried(place: &Place, a: &Expression, b: &Expression, trial: u64) -> Result<f64, String> {
    let mut random = StdRng::seed_from_u64(1000 + trial);
    let free = place.row.free.iter().map(|(name, kind)| Ok((name.clone(), anything(kind, &mut random)?)));
    let free: BTreeMap<String, Value<f64>> = free.collect::<Result<_, String>>()?;
    let mut setting = place.setting(free, Box::new(move |robot| Ok(at_random(robot, trial))));
    let (a, b) = (a.evaluate(&mut setting)?, b.evaluate(&mut setting)?);
    of_one_shape(&a, &b)?;
    let all = || a.cells().iter().chain(b.cells());
    if !all().all(|x| x.is_finite()) {
        return Err("a value is not finite".to_string());
    }
    let size = all().fold(0.0, |s: f64, x| s.max(x.abs()));
    let off = a.cells().iter().zip(b.cells()).fold(0.0, |s: f64, (a, b)| s.max((a - b).abs()));
    Ok(if size == 0.0 { 0.0 } else { off / size })
}

/// Something of a kind.
fn anything(kind: &str, random: &mut StdRng) -> Result<Value<f64>, String> {
    let mut number = || random.random_range(-1.0..1.0);
    Ok(match kind {
        "number" => number().into(),
        "vector" => Value::column(vec![number(), number(), number()]),
        "matrix" => Value::matrix(3, (0..9).map(|_| number()).collect()),
        "rotation" => {
            let r = Rotation::rpy(3.0 * number(), 1.5 * number(), 3.0 * number());
            Value::matrix(3, r.to_rows().concat())
        }
        "tensor" => {
            // Of four particles.
            let mut sum = Sym3::zero();
            for _ in 0..4 {
                let v = armdyn_core::vec3(number(), number(), number());
                sum = sum + Sym3::shift(v * 0.5, v);
            }
            Value::matrix(3, vec![sum.xx, sum.xy, sum.xz, sum.xy, sum.yy, sum.yz, sum.xz, sum.yz, sum.zz])
        }
        other => return Err(format!("`{other}` is no kind of symbol: number, vector, matrix, rotation, tensor")),
    })
}
