//! Motions of a document: each coordinate as an expression in the time `t`.

use crate::expression::{Environment, Expression};
use crate::value::Value;
use armdyn_core::{Dual, Real};

/// A number with its first and second time derivative.
pub type Moving<S> = Dual<Dual<S, 1>, 1>;

/// A number from its value and derivatives.
pub fn moving<S: Real>(x: S, rate: S, acceleration: S) -> Moving<S> {
    let dual = |value: S, slope: S| Dual { value, grad: [slope] };
    Dual { value: dual(x, rate), grad: [dual(rate, acceleration)] }
}

/// Its value.
pub fn value<S: Real>(x: Moving<S>) -> S {
    x.value.value
}

/// Its first derivative.
pub fn rate<S: Real>(x: Moving<S>) -> S {
    x.value.grad[0]
}

/// Its second derivative.
pub fn acceleration<S: Real>(x: Moving<S>) -> S {
    x.grad[0].grad[0]
}

/// A motion.
#[derive(Clone, Debug)]
pub struct Motion(Vec<Expression>);

impl Motion {
    /// Parses one expression per coordinate.
    pub fn parse(texts: &[String]) -> Result<Self, String> {
        texts.iter().map(|text| Expression::parse(text)).collect::<Result<_, _>>().map(Motion)
    }

    /// Coordinates, rates and accelerations at a time.
    pub fn at<S: Real>(&self, t: S) -> Result<[Vec<S>; 3], String> {
        let mut time = Time(moving(t, S::one(), S::zero()));
        let mut state = [vec![], vec![], vec![]];
        for each in &self.0 {
            let x = each.evaluate(&mut time)?.number()?;
            let parts = [value(x), rate(x), acceleration(x)];
            state.iter_mut().zip(parts).for_each(|(list, part)| list.push(part));
        }
        Ok(state)
    }
}

/// The environment of an expression in `t`.
struct Time<S>(S);

impl<S: Real> Environment<S> for Time<S> {
    fn symbol(&mut self, name: &str, _: &[i64]) -> Result<Value<S>, String> {
        match name {
            "t" => Ok(self.0.into()),
            "pi" => Ok(S::lift(std::f64::consts::PI).into()),
            _ => Err(format!("a motion depends on `t` only, not on `{name}`")),
        }
    }

    fn is_family(&self, _: &str) -> bool {
        false
    }

    fn query(&mut self, query: &str) -> Result<Value<S>, String> {
        Err(format!("{{{query}}}: a motion depends on `t` only"))
    }

    fn function(&mut self, name: &str, _: &[Expression]) -> Result<Value<S>, String> {
        Err(format!("unknown function `{name}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_accelerations_are_its_derivatives() {
        let motion = Motion::parse(&["0.3 + 0.8*sin(1.5*t)".to_string(), "t^3".to_string()]).unwrap();
        let found = motion.at(2.0).unwrap();
        let (s, c) = 3f64.sin_cos();
        let expected = [[0.3 + 0.8 * s, 8.0], [1.2 * c, 12.0], [-1.8 * s, 12.0]];
        for (f, e) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!((f - e).abs() < 1e-14, "{found:?}");
        }
        assert!(Motion::parse(&["x".to_string()]).unwrap().at(1.0).is_err());
    }
}
