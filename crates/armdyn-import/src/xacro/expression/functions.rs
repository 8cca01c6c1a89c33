//! Supported Python constants and functions.

use super::Fault::{Bad, Beyond};
use super::Value::{self, Integer, Real, Text, Truth};
use super::evaluate::{Found, compare, proper};
use std::f64::consts;

/// Names predefined by `xacro`, supported or not.
const KNOWN: &str = "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp \
    exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma \
    log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp list \
    dict map len str float int bool min max round sorted range math python xacro load_yaml abs_filename dotify";

/// Whether `xacro` predefines a name.
pub(crate) fn is_known(name: &str) -> bool {
    KNOWN.split_whitespace().any(|k| k == name)
}

pub(super) fn constant(name: &str) -> Option<Value> {
    Some(Real(match name {
        "pi" => consts::PI,
        "tau" => consts::TAU,
        "e" => consts::E,
        "inf" => f64::INFINITY,
        _ => return None,
    }))
}

/// Whether `name` is a supported function.
pub(super) fn is_read(name: &str) -> bool {
    let further = [
        "str", "len", "bool", "int", "float", "abs", "round", "log", "atan2", "hypot", "pow", "fmod", "copysign",
        "min", "max",
    ];
    further.contains(&name) || single(name).is_some() || whole(name).is_some()
}

/// Functions of one number.
fn single(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        "asin" => f64::asin,
        "acos" => f64::acos,
        "atan" => f64::atan,
        "sinh" => f64::sinh,
        "cosh" => f64::cosh,
        "tanh" => f64::tanh,
        "sqrt" => f64::sqrt,
        "exp" => f64::exp,
        "expm1" => f64::exp_m1,
        "log" => f64::ln,
        "log1p" => f64::ln_1p,
        "log2" => f64::log2,
        "log10" => f64::log10,
        "radians" => f64::to_radians,
        "degrees" => f64::to_degrees,
        "fabs" | "abs" => f64::abs,
        "float" => |x| x,
        _ => return None,
    })
}

/// Functions of one number with an integer result.
fn whole(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "int" | "trunc" => f64::trunc,
        "round" => f64::round_ties_even,
        _ => return None,
    })
}

pub(super) fn call(name: &str, given: Vec<Value>) -> Found {
    let wrong = || Err(Bad(format!("invalid arguments of `{name}`")));
    match (name, &given[..]) {
        ("str", [v]) => return Ok(Value::text(&v.to_string())),
        ("len", [Text(text)]) => return Ok(Integer(text.chars().count() as i64)),
        ("bool", [v]) => return Ok(Truth(v.truth())),
        ("int", [Text(text)]) => {
            return match Value::integer_text(text) {
                Some(Value::Bad(message)) => Err(Bad(message)),
                Some(number) => Ok(number),
                None => wrong(),
            };
        }
        ("float", [Text(text)]) if !text.contains('_') => {
            return text.trim().parse().map(Real).or_else(|_| wrong());
        }
        ("abs", [v]) if v.integer().is_some() => {
            return v.integer().and_then(i64::checked_abs).map(Integer).ok_or(Beyond);
        }
        ("int" | "trunc" | "floor" | "ceil" | "round", [v]) if v.integer().is_some() => {
            return v.integer().map(Integer).ok_or(Beyond);
        }
        ("round", [v, digits]) => return rounded(v, digits),
        _ => {}
    }
    let reals: Option<Vec<f64>> = given.iter().map(Value::real).collect();
    let finite = reals.iter().flatten().all(|x| x.is_finite());
    match (name, reals.as_deref()) {
        ("log", Some([x, base])) => proper(x.ln() / base.ln(), finite),
        ("atan2", Some([y, x])) => Ok(Real(y.atan2(*x))),
        ("hypot", Some([x, y])) => proper(x.hypot(*y), finite),
        ("fmod", Some([x, y])) => proper(x % y, finite),
        ("copysign", Some([x, y])) => Ok(Real(x.copysign(*y))),
        ("pow", Some([x, y])) => proper(x.powf(*y), finite),
        ("min" | "max", _) if given.len() > 1 => best(if name == "min" { "<" } else { ">" }, given),
        (_, Some([x])) => match (single(name), whole(name)) {
            (Some(f), _) => proper(f(*x), x.is_finite()),
            (None, Some(f)) if f(*x).abs() < 9e15 => Ok(Integer(f(*x) as i64)),
            _ => wrong(),
        },
        _ => wrong(),
    }
}

/// The first minimum or maximum.
fn best(sign: &str, given: Vec<Value>) -> Found {
    let mut given = given.into_iter();
    let mut best = given.next().ok_or(Beyond)?;
    for value in given {
        if compare(sign, &value, &best)? {
            best = value;
        }
    }
    Ok(best)
}

/// Rounds to decimal digits, by the exact value.
fn rounded(v: &Value, digits: &Value) -> Found {
    match (v, digits.integer()) {
        (Real(x), Some(n @ 0..=300)) if x.is_finite() => {
            format!("{x:.*}", n as usize).parse().map(Real).map_err(|_| Beyond)
        }
        (Integer(x), Some(0..)) => Ok(Integer(*x)),
        _ => Err(Beyond),
    }
}
