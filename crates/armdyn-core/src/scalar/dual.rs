//! Forward-mode derivatives: a number and its gradient, carried together through an algorithm.
//!
//! (u, u′)·(v, v′) = (u·v, u′·v + u·v′), and so on by the chain rule. The value is computed exactly as the plain number
//! would be. `Dual<Dual<T, N>, M>` gives second derivatives.

use super::Real;
use armdyn_simd::operators;

/// A value and its derivatives with respect to `N` variables.
///
/// ```
/// # use armdyn_core::scalar::{Dual, Real};
/// let x = Dual::<f64, 1>::variable(3.0, 0);
/// let y = x * x + Dual::lift(1.0);
/// assert_eq!((y.value, y.grad), (10.0, [6.0]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<T, const N: usize> {
    /// The number itself.
    pub value: T,
    /// Its derivative with respect to each variable.
    pub grad: [T; N],
}

impl<T: Real, const N: usize> Dual<T, N> {
    /// A number that depends on no variable.
    #[inline(always)]
    pub fn constant(value: T) -> Self {
        Dual { value, grad: [T::zero(); N] }
    }

    /// The variable of that index, at that value.
    ///
    /// # Panics
    /// If `index` is not below `N`.
    #[inline(always)]
    pub fn variable(value: T, index: usize) -> Self {
        let mut x = Self::constant(value);
        x.grad[index] = T::one();
        x
    }

    /// A value, with a gradient computed element by element from those of two numbers.
    #[inline(always)]
    fn combine(mut self, other: Self, value: T, element: impl Fn(T, T) -> T) -> Self {
        self.value = value;
        for i in 0..N {
            self.grad[i] = element(self.grad[i], other.grad[i]);
        }
        self
    }

    /// A function's value and its slope times this gradient.
    #[inline(always)]
    fn chain(self, value: T, slope: T) -> Self {
        self.combine(self, value, |g, _| g * slope)
    }

    /// (u/v)′ = (u′ − (u/v)·v′)·(1/v), one reciprocal for the whole gradient.
    #[inline(always)]
    fn quotient(self, other: Self) -> Self {
        let (value, reciprocal) = (self.value / other.value, T::one() / other.value);
        self.combine(other, value, |u, v| (-value).mul_add(v, u) * reciprocal)
    }
}

operators! { [T: Real, const N: usize] Dual<T, N>, always,
    neg |a| a.combine(a, -a.value, |u, _| -u),
    add |a, b| a.combine(b, a.value + b.value, |u, v| u + v),
    sub |a, b| a.combine(b, a.value - b.value, |u, v| u - v),
    mul |a, b| a.combine(b, a.value * b.value, |u, v| u.mul_add(b.value, a.value * v)),
    div |a, b| a.quotient(b),
}

impl<T: Real, const N: usize> Real for Dual<T, N> {
    const EPSILON: f64 = T::EPSILON;

    #[inline(always)]
    fn lift(x: f64) -> Self {
        Self::constant(T::lift(x))
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        (self.chain(sin, cos), self.chain(cos, -sin))
    }

    /// At zero the slope is infinite, and the gradient not finite.
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, T::lift(0.5) / root)
    }

    #[inline(always)]
    fn sqr(self) -> Self {
        self.chain(self.value.sqr(), self.value + self.value)
    }

    /// Its derivative is zero, also at the jump.
    #[inline(always)]
    fn sign(self) -> Self {
        Self::constant(self.value.sign())
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        let mut sum = Dual { value: self.value.mul_add(a.value, b.value), grad: b.grad };
        for i in 0..N {
            sum.grad[i] = self.grad[i].mul_add(a.value, self.value.mul_add(a.grad[i], b.grad[i]));
        }
        sum
    }

    /// Whether the value and the whole gradient are finite.
    #[inline(always)]
    fn is_finite(&self) -> bool {
        self.value.is_finite() && self.grad.iter().all(T::is_finite)
    }

    /// Whether the value is positive.
    #[inline(always)]
    fn is_positive(&self) -> bool {
        self.value.is_positive()
    }

    /// All values at once, as the underlying type computes them.
    #[inline(always)]
    fn sin_cos_each(angles: &[Self], out: &mut [(Self, Self)]) {
        const WIDTH: usize = 8;
        for (x, o) in angles.chunks(WIDTH).zip(out.chunks_mut(WIDTH)) {
            let n = x.len().min(o.len());
            let (mut values, mut pairs) = ([T::zero(); WIDTH], [(T::zero(), T::zero()); WIDTH]);
            for i in 0..n {
                values[i] = x[i].value;
            }
            T::sin_cos_each(&values[..n], &mut pairs[..n]);
            for i in 0..n {
                let (sin, cos) = pairs[i];
                o[i] = (x[i].chain(sin, cos), x[i].chain(cos, -sin));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::super::{Interval, Lanes};
    use super::*;

    /// f(x, y) = sin(x·y)/√y + y·cos x
    fn f<T: Real>(x: T, y: T) -> T {
        (x * y).sin_cos().0 / y.sqrt() + y * x.sin_cos().1
    }

    /// ∂f/∂x = √y·cos(x·y) − y·sin x;  ∂f/∂y = x·cos(x·y)/√y − sin(x·y)/(2·y^1.5) + cos x
    fn gradient(x: f64, y: f64) -> [f64; 2] {
        [
            y.sqrt() * (x * y).cos() - y * x.sin(),
            x * (x * y).cos() / y.sqrt() - (x * y).sin() / (2.0 * y.powf(1.5)) + x.cos(),
        ]
    }

    /// ∂²f/∂x² = −y^1.5·sin(x·y) − y·cos x;  ∂²f/∂x∂y = cos(x·y)/(2√y) − x·√y·sin(x·y) − sin x
    fn second(x: f64, y: f64) -> [f64; 2] {
        [
            -y.powf(1.5) * (x * y).sin() - y * x.cos(),
            (x * y).cos() / (2.0 * y.sqrt()) - x * y.sqrt() * (x * y).sin() - x.sin(),
        ]
    }

    /// A dozen roundings of terms of size ≤ 10.
    const TOLERANCE: f64 = 1e-14;

    const POINTS: [(f64, f64); 4] = [(0.7, 1.3), (-2.1, 0.4), (3.3, 2.0), (0.0, 5.0)];

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= TOLERANCE * (1.0 + b.abs()), "{a} is not {b}");
    }

    #[test]
    fn first_derivatives() {
        for (x, y) in POINTS {
            let d = f(Dual::<f64, 2>::variable(x, 0), Dual::variable(y, 1));
            assert_eq!(d.value, f(x, y));
            for i in 0..2 {
                near(d.grad[i], gradient(x, y)[i]);
            }
        }
    }

    #[test]
    fn nested_gives_second_derivatives() {
        type Second = Dual<Dual<f64, 2>, 1>;
        for (x, y) in POINTS {
            let d = f(Second::variable(Dual::variable(x, 0), 0), Second::constant(Dual::variable(y, 1)));
            for i in 0..2 {
                near(d.value.grad[i], gradient(x, y)[i]);
                near(d.grad[0].grad[i], second(x, y)[i]);
            }
        }
    }

    #[test]
    fn over_lanes_and_intervals() {
        let (x, y) = (Lanes(POINTS.map(|p| p.0)), Lanes(POINTS.map(|p| p.1)));
        let d = f(Dual::<_, 2>::variable(x, 0), Dual::variable(y, 1));
        for (lane, (x, y)) in POINTS.into_iter().enumerate() {
            near(d.grad[0][lane], gradient(x, y)[0]);
            near(d.grad[1][lane], gradient(x, y)[1]);
            let around = |a: f64| Interval::new(a - 0.01, a + 0.01).unwrap();
            let d = f(Dual::<_, 2>::variable(around(x), 0), Dual::variable(around(y), 1));
            for (dx, dy) in [(0.01, 0.01), (-0.01, 0.003), (0.0, -0.01), (0.004, 0.0)] {
                for i in 0..2 {
                    assert!(d.grad[i].contains(gradient(x + dx, y + dy)[i]));
                }
            }
        }
    }

    #[test]
    fn fused_and_plain_agree() {
        let [a, b, c] = [0, 1, 2].map(|i| Dual::<f64, 3>::variable([1.5, -0.25, 8.0][i], i));
        let d = a.mul_add(b, c);
        assert_eq!((d.value, d.grad), (7.625, [-0.25, 1.5, 1.0]));
        assert_eq!(a * b + c, d);
        let mut e = a;
        e *= b;
        e += c;
        e -= a;
        assert_eq!(e, d - a);
    }

    #[test]
    fn angles_in_one_go() {
        let angles: [Dual<f64, 2>; 11] =
            core::array::from_fn(|i| Dual { value: i as f64, grad: [1.0, -0.5 * i as f64] });
        let mut out = [(angles[0], angles[0]); 11];
        Dual::sin_cos_each(&angles, &mut out);
        assert_eq!(out, angles.map(Dual::sin_cos));
    }

    #[test]
    fn reports() {
        let x = Dual::<f64, 1> { value: 2.0, grad: [f64::NAN] };
        assert!(x.is_positive() && !x.is_finite());
        assert_eq!(Dual::<f64, 1>::variable(-3.0, 0).sign(), Dual::constant(-1.0));
        assert!(!Dual::<f64, 1>::variable(0.0, 0).sqrt().is_finite());
    }
}
