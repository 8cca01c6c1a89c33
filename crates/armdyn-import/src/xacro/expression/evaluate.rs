//! Evaluation of expressions.

use super::super::text::Scope;
use super::super::{MAX_LENGTH, brief};
use super::Fault::{self, Bad, Beyond};
use super::Value::{self, Integer, Namespace, Real, Text, Truth};
use super::functions;
use super::parse::Node;

pub(super) type Found = Result<Value, Fault>;

pub(super) fn evaluate(node: &Node, names: &mut Scope) -> Found {
    Ok(match node {
        Node::Value(value) => value.clone(),
        Node::Name(name) => known(names.value(name), name, names)?,
        Node::Member(of, name) => match space(of, names)? {
            None => functions::constant(name).ok_or(Beyond)?,
            Some(space) => known(names.member(space, name), name, names)?,
        },
        Node::Call(callee, given) => {
            let name = match &**callee {
                Node::Name(name) if names.value(name).is_none() => name,
                Node::Member(of, name) if space(of, names)?.is_none() => name,
                _ => return Err(Beyond),
            };
            if !functions::is_read(name) {
                return Err(Beyond);
            }
            let given = given.iter().map(|g| evaluate(g, names)).collect::<Result<Vec<_>, _>>()?;
            functions::call(name, given)?
        }
        Node::Negative(a) => match evaluate(a, names)? {
            Real(x) => Real(-x),
            a => arithmetic('-', Integer(0), a, names)?,
        },
        Node::Positive(a) => arithmetic('+', Integer(0), evaluate(a, names)?, names)?,
        Node::Not(a) => Truth(!evaluate(a, names)?.truth()),
        Node::Arithmetic(first, more) => {
            let mut a = evaluate(first, names)?;
            for (sign, b) in more {
                let b = evaluate(b, names)?;
                a = arithmetic(*sign, a, b, names)?;
            }
            a
        }
        Node::Compare(first, more) => {
            let mut a = evaluate(first, names)?;
            for (sign, b) in more {
                let b = evaluate(b, names)?;
                if !compare(sign, &a, &b)? {
                    return Ok(Truth(false));
                }
                a = b;
            }
            Truth(true)
        }
        Node::And(all) => one_of(all, false, names)?,
        Node::Or(all) => one_of(all, true, names)?,
        Node::Choice { condition, then, otherwise } => {
            let taken = if evaluate(condition, names)?.truth() { then } else { otherwise };
            evaluate(taken, names)?
        }
    })
}

/// The first value with this truth value, or the last one.
fn one_of(all: &[Node], truth: bool, names: &mut Scope) -> Found {
    let mut value = Truth(!truth);
    for node in all {
        value = evaluate(node, names)?;
        if value.truth() == truth {
            break;
        }
    }
    Ok(value)
}

/// The value of a name: a property, or a Python constant.
fn known(found: Option<Value>, name: &str, names: &mut Scope) -> Found {
    match found {
        Some(Value::Bad(message)) => Err(Bad(message)),
        Some(Text(text)) => {
            spend(text.len(), names)?;
            Ok(Text(text))
        }
        Some(value) => Ok(value),
        None => functions::constant(name).ok_or_else(|| match functions::is_known(name) {
            true => Beyond,
            false => Bad(format!("unknown property `{}`", brief(name))),
        }),
    }
}

/// The namespace before a `.`; none for `math` and `python`.
fn space(of: &Node, names: &mut Scope) -> Result<Option<usize>, Fault> {
    if let Node::Name(name) = of
        && (name == "math" || name == "python")
        && names.value(name).is_none()
    {
        return Ok(None);
    }
    match evaluate(of, names)? {
        Namespace(space) => Ok(Some(space)),
        _ => Err(Beyond),
    }
}

fn spend(bytes: usize, names: &mut Scope) -> Result<(), Fault> {
    if names.spend(bytes) { Ok(()) } else { Err(too_long()) }
}

fn too_long() -> Fault {
    Bad("the expanded text is too long".to_string())
}

pub(super) fn compare(sign: &str, a: &Value, b: &Value) -> Result<bool, Fault> {
    let order = match (a, b) {
        (Text(a), Text(b)) => Some(a.cmp(b)),
        _ => match (a.integer().zip(b.integer()), a.real().zip(b.real())) {
            (Some((i, j)), _) => Some(i.cmp(&j)),
            (None, Some((x, y))) => match x.partial_cmp(&y) {
                None => return Ok(sign == "!="),
                order => order,
            },
            (None, None) => None,
        },
    };
    match (sign, order) {
        ("==", order) => Ok(order.is_some_and(|o| o.is_eq())),
        ("!=", order) => Ok(!order.is_some_and(|o| o.is_eq())),
        (_, None) => {
            Err(Bad(format!("`{}` and `{}` cannot be compared", brief(&a.to_string()), brief(&b.to_string()))))
        }
        ("<", Some(o)) => Ok(o.is_lt()),
        (">", Some(o)) => Ok(o.is_gt()),
        ("<=", Some(o)) => Ok(o.is_le()),
        (_, Some(o)) => Ok(o.is_ge()),
    }
}

fn arithmetic(sign: char, a: Value, b: Value, names: &mut Scope) -> Found {
    match (&a, sign, &b) {
        (Text(x), '+', Text(y)) => {
            spend(x.len() + y.len(), names)?;
            return if x.len() + y.len() > MAX_LENGTH { Err(too_long()) } else { Ok(Value::text(&format!("{x}{y}"))) };
        }
        (Text(text), '*', times) | (times, '*', Text(text)) if times.integer().is_some() => {
            let times = times.integer().and_then(|n| usize::try_from(n.max(0)).ok()).unwrap_or(usize::MAX);
            let length = text.len().saturating_mul(times);
            if length > MAX_LENGTH {
                return Err(too_long());
            }
            spend(length, names)?;
            return Ok(Value::text(&text.repeat(if text.is_empty() { 0 } else { times })));
        }
        // Python's formats.
        (Text(_), '%', _) => return Err(Beyond),
        _ => {}
    }
    let (Some(x), Some(y)) = (a.real(), b.real()) else {
        let [a, b] = [a, b].map(|v| brief(&v.to_string()));
        return Err(Bad(format!("`{a}` and `{b}` are not both numbers")));
    };
    if y == 0.0 && matches!(sign, '/' | 'd' | '%') {
        return Err(Bad("division by zero".to_string()));
    }
    if let (Some(i), Some(j)) = (a.integer(), b.integer()) {
        let exact = match sign {
            '+' => Some(i.checked_add(j)),
            '-' => Some(i.checked_sub(j)),
            '*' => Some(i.checked_mul(j)),
            'd' => Some(i.checked_div_euclid(j).map(|d| if j < 0 && i.rem_euclid(j) != 0 { d - 1 } else { d })),
            '%' => Some(i.checked_rem(j).map(|r| if r != 0 && (r < 0) != (j < 0) { r + j } else { r })),
            '^' if j >= 0 => Some(u32::try_from(j).ok().and_then(|j| i.checked_pow(j))),
            // A quotient of integers that are not exact in f64 would be rounded twice.
            _ => (i.unsigned_abs().max(j.unsigned_abs()) > 1 << 53).then_some(None),
        };
        match exact {
            Some(Some(exact)) => return Ok(Integer(exact)),
            Some(None) => return known(Some(Value::too_large()), "", names),
            None => {}
        }
    }
    let found = match sign {
        '+' => x + y,
        '-' => x - y,
        '*' => x * y,
        '/' => x / y,
        'd' => divided(x, y).0,
        '%' => divided(x, y).1,
        _ => x.powf(y),
    };
    proper(found, x.is_finite() && y.is_finite())
}

/// Python's floor division and remainder.
fn divided(x: f64, y: f64) -> (f64, f64) {
    let mut remainder = x % y;
    let mut quotient = (x - remainder) / y;
    if remainder == 0.0 {
        remainder = 0.0_f64.copysign(y);
    } else if (y < 0.0) != (remainder < 0.0) {
        remainder += y;
        quotient -= 1.0;
    }
    let floor = quotient.floor();
    let whole = match quotient {
        0.0 => 0.0_f64.copysign(x / y),
        q if q - floor > 0.5 => floor + 1.0,
        _ => floor,
    };
    (whole, remainder)
}

/// Rejects a result that is not finite.
pub(super) fn proper(found: f64, finite: bool) -> Found {
    if found.is_nan() || (finite && found.is_infinite()) {
        Err(Bad("the result is not finite".to_string()))
    } else {
        Ok(Real(found))
    }
}
