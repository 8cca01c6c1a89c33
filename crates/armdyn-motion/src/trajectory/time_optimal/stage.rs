//! One step of the path: which speeds are feasible, and which acceleration is the largest.
//!
//! A constraint is a u + b y² + k y ≤ c in the path speed y = ṡ and the path acceleration u = s̈. For a given y each is a bound of u, so y is
//! feasible if the smallest upper bound is not below the largest lower bound. The largest feasible y is found from above: the two
//! bounds that conflict at y do so down to a root of their difference, a quadratic polynomial; y moves there and the bounds are
//! compared again. Without k this solves the linear programs of TOPP-RA in x = y² exactly; with viscous friction k it remains exact although
//! the constraints are then not convex in (u, x).

/// The constraint a u + b y² + k y ≤ c.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    pub a: f64,
    pub b: f64,
    pub k: f64,
    pub c: f64,
}

/// Bounds of u at a path speed: c₀ + c₁ y + c₂ y², with the row they come from.
#[derive(Clone, Copy, Debug)]
struct Bound {
    c: [f64; 3],
    row: usize,
}

impl Bound {
    fn at(&self, y: f64) -> f64 {
        self.c[0] + y * (self.c[1] + y * self.c[2])
    }
}

/// All constraints of a step.
#[derive(Default)]
pub struct Stage {
    upper: Vec<Bound>,
    lower: Vec<Bound>,
    /// Must be at least 0.
    speed: Vec<Bound>,
}

/// The rows that conflict.
pub type Conflict = (usize, usize);

/// Relative rounding error of bounds.
const ROUNDING: f64 = 1e-11;

impl Stage {
    pub fn clear(&mut self) {
        self.upper.clear();
        self.lower.clear();
        self.speed.clear();
    }

    /// Adds a constraint.
    pub fn add(&mut self, row: usize, r: Row) {
        // Without u: below the rounding error of the other coefficients.
        if r.a.abs() <= 1e-14 * (r.b.abs() + r.k.abs() + r.c.abs()) {
            self.speed.push(Bound { c: [r.c, -r.k, -r.b], row });
        } else {
            let bound = Bound { c: [r.c / r.a, -r.k / r.a, -r.b / r.a], row };
            if r.a > 0.0 { self.upper.push(bound) } else { self.lower.push(bound) }
        }
    }

    /// Adds the range of the square of the next speed, low ≤ y² + 2Δ u ≤ high: it always bounds u on both sides.
    pub fn add_next(&mut self, row: usize, twice: f64, low: f64, high: f64) {
        self.upper.push(Bound { c: [high / twice, 0.0, -1.0 / twice], row });
        self.lower.push(Bound { c: [low / twice, 0.0, -1.0 / twice], row });
    }

    /// The tightest upper and lower bound of u.
    fn bounds(&self, y: f64) -> (&Bound, f64, &Bound, f64) {
        let (mut low, mut high) = ((&self.lower[0], f64::NEG_INFINITY), (&self.upper[0], f64::INFINITY));
        for bound in &self.upper {
            let value = bound.at(y);
            if value < high.1 {
                high = (bound, value);
            }
        }
        for bound in &self.lower {
            let value = bound.at(y);
            if value > low.1 {
                low = (bound, value);
            }
        }
        (high.0, high.1, low.0, low.1)
    }

    /// The largest acceleration at a feasible speed.
    pub fn largest_acceleration(&self, y: f64) -> f64 {
        self.bounds(y).1
    }

    /// The polynomial that is negative at y because two constraints conflict, and their rows.
    fn conflict(&self, y: f64) -> Option<([f64; 3], Conflict)> {
        for bound in &self.speed {
            let scale = bound.c[0].abs() + y * (bound.c[1].abs() + y * bound.c[2].abs());
            if bound.at(y) < -ROUNDING * scale {
                return Some((bound.c, (bound.row, bound.row)));
            }
        }
        let (upper, high, lower, low) = self.bounds(y);
        let size = |b: &Bound| b.c[0].abs() + y * (b.c[1].abs() + y * b.c[2].abs());
        (high - low < -ROUNDING * (size(upper) + size(lower)))
            .then(|| (std::array::from_fn(|k| upper.c[k] - lower.c[k]), (upper.row, lower.row)))
    }

    /// The largest feasible y from 0 to `most`.
    pub fn largest_speed(&self, most: f64) -> Result<f64, Conflict> {
        let mut y = most;
        while let Some((c, rows)) = self.conflict(y) {
            y = roots(c).into_iter().rev().find(|r| *r >= 0.0 && *r < y).ok_or(rows)?;
        }
        Ok(y)
    }

    /// The smallest feasible y from 0 to `most`.
    pub fn smallest_speed(&self, most: f64) -> Result<f64, Conflict> {
        let mut y = 0.0;
        while let Some((c, rows)) = self.conflict(y) {
            y = roots(c).into_iter().find(|r| *r > y && *r <= most).ok_or(rows)?;
        }
        Ok(y)
    }
}

/// The real roots of c₀ + c₁ y + c₂ y² in increasing order; NaN in place of those that are none.
fn roots([c0, c1, c2]: [f64; 3]) -> [f64; 2] {
    if c2 == 0.0 {
        return [-c0 / c1, f64::NAN];
    }
    let discriminant = c1 * c1 - 4.0 * c2 * c0;
    // A root of the form that does not cancel, and the other by the product of both.
    let w = -0.5 * (c1 + discriminant.sqrt().copysign(c1));
    let (a, b) = (w / c2, if w == 0.0 { 0.0 } else { c0 / w });
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Brute force over a fine grid of speeds.
    #[test]
    fn speeds_are_those_of_a_dense_search() {
        let mut random = armdyn_core::SplitMix64(3);
        let mut number = || 2.0 * random.unit() - 1.0;
        let (mut feasible, mut infeasible) = (0, 0);
        for _ in 0..300 {
            let rows: Vec<Row> =
                (0..12).map(|_| Row { a: number(), b: number(), k: 0.5 * number(), c: number() + 0.85 }).collect();
            let mut stage = Stage::default();
            rows.iter().enumerate().for_each(|(k, r)| stage.add(k, *r));
            stage.add(12, Row { a: 1.0, b: 0.0, k: 0.0, c: 50.0 });
            stage.add(13, Row { a: -1.0, b: 0.0, k: 0.0, c: 50.0 });
            let fits = |y: f64, slack: f64| {
                let bound = |r: &Row| (r.c - r.k * y - r.b * y * y) / r.a;
                let high = rows.iter().filter(|r| r.a > 0.0).map(bound).fold(50.0, f64::min);
                let low = rows.iter().filter(|r| r.a < 0.0).map(bound).fold(-50.0, f64::max);
                high - low >= slack
            };
            let all: Vec<f64> = (0..=4000).map(|k| k as f64 * 1e-3).filter(|y| fits(*y, 0.0)).collect();
            match (all.first(), all.last()) {
                (Some(first), Some(last)) => {
                    feasible += 1;
                    let (smallest, largest) = (stage.smallest_speed(4.0).unwrap(), stage.largest_speed(4.0).unwrap());
                    // The search has a resolution of 1e-3 and may miss a feasible set narrower than that.
                    assert!(largest >= last - 1e-9 && smallest <= first + 1e-9);
                    assert!(fits(largest, -1e-7) && fits(smallest, -1e-7));
                    assert!(largest <= last + 1e-3 || !fits(largest + 1e-6, 0.0));
                }
                _ => {
                    infeasible += 1;
                    assert!(stage.largest_speed(4.0).is_err() == stage.smallest_speed(4.0).is_err());
                }
            }
        }
        assert!(feasible > 100 && infeasible > 10, "{feasible} {infeasible}");
    }

    #[test]
    fn roots_of_a_parabola() {
        assert_eq!(roots([-2.0, 1.0, 1.0]), [-2.0, 1.0]);
        assert_eq!(roots([0.0, 0.0, 1.0]), [0.0, 0.0]);
        assert_eq!(roots([3.0, -1.5, 0.0])[0], 2.0);
        assert!(roots([1.0, 0.0, 1.0])[0].is_nan());
        // 1e-8 beside 1e8, without cancellation.
        assert!((roots([1.0, -1e8, 1.0])[0] - 1e-8).abs() < 1e-23);
    }
}
