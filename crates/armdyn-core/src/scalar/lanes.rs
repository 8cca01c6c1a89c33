//! Several numbers side by side: a batch of states runs through an algorithm in one call.

use super::Real;
use armdyn_simd::operators;
use core::ops::{Index, IndexMut};

/// `L` numbers; all operations are elementwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes<T, const L: usize>(pub [T; L]);

impl<T: Real, const L: usize> Lanes<T, L> {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(x: T) -> Self {
        Lanes([x; L])
    }

    #[inline(always)]
    fn map(mut self, f: impl Fn(T) -> T) -> Self {
        for i in 0..L {
            self.0[i] = f(self.0[i]);
        }
        self
    }

    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        for i in 0..L {
            self.0[i] = f(self.0[i], other.0[i]);
        }
        self
    }
}

impl<T, const L: usize> From<[T; L]> for Lanes<T, L> {
    #[inline(always)]
    fn from(lanes: [T; L]) -> Self {
        Lanes(lanes)
    }
}

impl<T, const L: usize> Index<usize> for Lanes<T, L> {
    type Output = T;

    #[inline(always)]
    fn index(&self, lane: usize) -> &T {
        &self.0[lane]
    }
}

impl<T, const L: usize> IndexMut<usize> for Lanes<T, L> {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut T {
        &mut self.0[lane]
    }
}

operators! { [T: Real, const L: usize] Lanes<T, L>, always,
    neg |a| a.map(T::neg),
    add |a, b| a.zip(b, T::add),
    sub |a, b| a.zip(b, T::sub),
    mul |a, b| a.zip(b, T::mul),
    div |a, b| a.zip(b, T::div),
}

impl<T: Real, const L: usize> Real for Lanes<T, L> {
    const EPSILON: f64 = T::EPSILON;

    #[inline(always)]
    fn sqr(self) -> Self {
        self.map(T::sqr)
    }

    #[inline(always)]
    fn lift(x: f64) -> Self {
        Self::splat(T::lift(x))
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let mut pairs = [(T::zero(), T::zero()); L];
        T::sin_cos_each(&self.0, &mut pairs);
        let (mut sin, mut cos) = (self, self);
        for i in 0..L {
            (sin.0[i], cos.0[i]) = pairs[i];
        }
        (sin, cos)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(T::sqrt)
    }

    #[inline(always)]
    fn sign(self) -> Self {
        self.map(T::sign)
    }

    #[inline(always)]
    fn mul_add(mut self, a: Self, b: Self) -> Self {
        for i in 0..L {
            self.0[i] = self.0[i].mul_add(a.0[i], b.0[i]);
        }
        self
    }

    /// Whether every lane is finite.
    #[inline(always)]
    fn is_finite(&self) -> bool {
        self.0.iter().all(T::is_finite)
    }

    /// Whether every lane is positive.
    #[inline(always)]
    fn is_positive(&self) -> bool {
        self.0.iter().all(T::is_positive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_is_the_scalar() {
        let a = Lanes([0.5, -2.0, 3.0e7, 1.0, 0.25]);
        let b = Lanes([4.0, 0.3, -1.5, 7.0, 1e9]);
        let c = Lanes::splat(0.1);
        for i in 0..5 {
            let (x, y): (f64, f64) = (a[i], b[i]);
            assert_eq!((a + b)[i], x + y);
            assert_eq!((a - b)[i], x - y);
            assert_eq!((a * b)[i], x * y);
            assert_eq!((a / b)[i], x / y);
            assert_eq!((-a)[i], -x);
            assert_eq!(a.mul_add(b, c)[i], Real::mul_add(x, y, 0.1));
            assert_eq!((a.sin_cos().0[i], a.sin_cos().1[i]), Real::sin_cos(x));
            assert_eq!((a * a).sqrt()[i], x.abs());
            assert_eq!(a.sign()[i], x.signum());
        }
        let mut d = a;
        d += b;
        d -= c;
        d *= b;
        assert_eq!(d, (a + b - c) * b);
    }

    #[test]
    fn a_report_needs_every_lane() {
        assert!(Lanes([1.0, 2.0]).is_positive());
        assert!(!Lanes([1.0, 0.0]).is_positive());
        assert!(Lanes([1.0, -2.0]).is_finite());
        assert!(!Lanes([1.0, f64::NAN]).is_finite());
    }
}
