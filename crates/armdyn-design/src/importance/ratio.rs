//! The ratios Rᵢⱼ = Dᵢⱼ / Dᵢᵢ and Kᵢ = Dᵢ / Dᵢᵢ, along a sweep and within joint ranges.

use crate::units;
use armdyn_core::{FormsData, Model, Progress, rounded, state_space};
use armdyn_numerics::{CompiledStates, Error, JointRanges, QuasiRandom, Result, invalid, parallel_map, quantile};
use rayon::prelude::*;
use serde::{Serialize, Serializer};

/// A coefficient relative to the joint's own inertia. Degrees of freedom are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ratio {
    /// Rᵢⱼ = Dᵢⱼ / Dᵢᵢ: the reaction of joint j's acceleration at joint i.
    Reaction {
        /// Joint i.
        at: usize,
        /// Joint j, which accelerates.
        of: usize,
    },
    /// Kᵢ = Dᵢ / Dᵢᵢ: the acceleration whose inertia torque equals gravity.
    Gravity {
        /// The joint.
        at: usize,
    },
}

impl Ratio {
    /// `R12`, `K2`, as in the report; `R1:12` if a number has two digits.
    pub fn name(self) -> String {
        match self {
            Ratio::Reaction { at, of } if at < 9 && of < 9 => format!("R{}{}", at + 1, of + 1),
            Ratio::Reaction { at, of } => format!("R{}:{}", at + 1, of + 1),
            Ratio::Gravity { at } => format!("K{}", at + 1),
        }
    }

    /// Parses a [`name`](Self::name).
    pub fn parse(name: &str, m: &Model<f64>) -> Result<Self> {
        let joint = |text: &str| text.parse().ok().filter(|k| (1..=m.nv()).contains(k)).map(|k: usize| k - 1);
        let ratio = |name: &str| {
            if let Some(one) = name.strip_prefix(['K', 'k']) {
                return Some(Ratio::Gravity { at: joint(one)? });
            }
            let two = name.strip_prefix(['R', 'r'])?;
            let split = two.split_once(':').or_else(|| two.is_ascii().then(|| two.split_at_checked(1)).flatten());
            let (at, of) = split.map(|(at, of)| (joint(at), joint(of)))?;
            Some(Ratio::Reaction { at: at?, of: of? }).filter(|_| at != of)
        };
        ratio(name.trim()).ok_or_else(|| {
            let what = format!("invalid ratio `{name}` for a robot with {} joints", m.nv());
            Error::InvalidInput(format!(
                "{what}: expected `R12` (reaction of joint 2 at joint 1), `R1:12` (joint 12 at joint 1) or `K2` (gravity of joint 2)"
            ))
        })
    }

    /// Unit; empty if dimensionless.
    pub fn unit(self, m: &Model<f64>) -> &'static str {
        match self {
            Ratio::Gravity { at } => units::acceleration(m, at),
            Ratio::Reaction { at, of } => units::inertia_ratio(m, at, of),
        }
    }

    /// The value at a configuration.
    pub fn value(self, m: &Model<f64>, d: &mut FormsData<f64>, q: &[f64]) -> Result<f64> {
        let form = state_space(m, d, q, &vec![0.0; m.nv()])?;
        self.of(m, form.mass, form.gravity)
    }

    /// The value for a mass matrix and gravity torques.
    fn of(self, m: &Model<f64>, mass: &[f64], gravity: &[f64]) -> Result<f64> {
        let n = m.nv();
        // Without rounding errors: |Dᵢⱼ| ≤ √(Dᵢᵢ Dⱼⱼ).
        let (above, at) = match self {
            Ratio::Reaction { at, of } => {
                let largest = (mass[at * n + at] * mass[of * n + of]).sqrt();
                (rounded(mass[at * n + of], largest), at)
            }
            Ratio::Gravity { at } => (rounded(gravity[at], m.gravity_scale()), at),
        };
        let own = mass[at * n + at];
        if own > 0.0 {
            return Ok(above / own);
        }
        invalid(format!("joint `{}` has no inertia, so its ratios are undefined", m.dof_names()[at]))
    }
}

impl Serialize for Ratio {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

/// A sweep of one coordinate with the others fixed.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The swept degree of freedom.
    pub joint: usize,
    /// Start.
    pub from: f64,
    /// End.
    pub to: f64,
    /// Number of points, including both ends.
    pub points: usize,
    /// Configuration of the others.
    pub q: Vec<f64>,
}

impl Sweep {
    /// The swept coordinate and the configuration of each point.
    pub fn configurations(&self) -> impl Iterator<Item = (f64, Vec<f64>)> + '_ {
        let points = self.points.max(2);
        (0..points).map(move |k| {
            let fraction = k as f64 / (points - 1) as f64;
            let x = if k == points - 1 { self.to } else { self.from + (self.to - self.from) * fraction };
            (x, self.at(x))
        })
    }

    fn at(&self, x: f64) -> Vec<f64> {
        let mut q = self.q.clone();
        q[self.joint] = x;
        q
    }
}

/// A ratio along a sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatioCurve {
    /// Name of the curve.
    pub name: String,
    /// The ratio.
    pub ratio: Ratio,
    /// Its unit; empty if dimensionless.
    pub unit: &'static str,
    /// Swept coordinate \[rad, m\].
    pub x: Vec<f64>,
    /// Values of the ratio.
    pub y: Vec<f64>,
    /// The point of largest magnitude, also between the samples.
    pub peak: CurvePoint,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Swept coordinate.
    pub x: f64,
    /// Value.
    pub y: f64,
}

/// Ratios along a sweep of one joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatioCurves {
    /// The robot.
    pub robot: String,
    /// The swept joint.
    pub sweep: String,
    /// The curves.
    pub curves: Vec<RatioCurve>,
}

/// Computes a ratio along a sweep, and its largest magnitude.
pub fn ratio_curve(m: &Model<f64>, ratio: Ratio, sweep: &Sweep, name: String) -> Result<RatioCurve> {
    let mut d = FormsData::new(m);
    let mut value = |q: &[f64]| ratio.value(m, &mut d, q);
    let points = sweep.configurations().map(|(x, q)| Ok((x, value(&q)?))).collect::<Result<Vec<(f64, f64)>>>()?;
    let top = (0..points.len()).fold(0, |top, k| if points[k].1.abs() > points[top].1.abs() { k } else { top });
    // Ternary search between the neighbours of the best sample.
    let (mut low, mut high) = (points[top.saturating_sub(1)].0, points[(top + 1).min(points.len() - 1)].0);
    let mut peak = points[top];
    for _ in 0..100 {
        let inner = [(2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0];
        let [a, b] = [value(&sweep.at(inner[0]))?, value(&sweep.at(inner[1]))?];
        for (x, y) in [(inner[0], a), (inner[1], b)] {
            if y.abs() > peak.1.abs() {
                peak = (x, y);
            }
        }
        if a.abs() > b.abs() {
            high = inner[1]
        } else {
            low = inner[0]
        };
    }
    let (x, y) = points.into_iter().unzip();
    Ok(RatioCurve { name, ratio, unit: ratio.unit(m), x, y, peak: CurvePoint { x: peak.0, y: peak.1 } })
}

/// Distribution of a ratio's magnitude over configurations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatioRange {
    /// The ratio.
    pub ratio: Ratio,
    /// Its unit; empty if dimensionless.
    pub unit: &'static str,
    /// 10th percentile.
    pub p10: f64,
    /// Median.
    pub median: f64,
    /// 95th percentile.
    pub p95: f64,
    /// The sampled value of largest magnitude.
    pub maximum: f64,
    /// Its configuration.
    pub at: Vec<f64>,
}

/// Distributions of ratios over configurations within joint ranges.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatioRanges {
    /// The robot.
    pub robot: String,
    /// Number of configurations.
    pub samples: usize,
    /// Whether the work was cancelled.
    pub partial: bool,
    /// The ratios.
    pub ratios: Vec<RatioRange>,
}

/// Computes distributions of ratios over `samples` configurations; fewer if cancelled.
pub fn ratio_ranges(
    m: &Model<f64>,
    ranges: &JointRanges,
    ratios: &[Ratio],
    (samples, seed): (usize, u64),
    progress: &Progress,
) -> Result<RatioRanges> {
    let sequence = QuasiRandom::new(ranges, seed);
    let recursion = |ratio: &Ratio| {
        let value = |d: &mut FormsData<f64>, k: usize| ratio.value(m, d, &sequence.point(k));
        parallel_map(samples, &ratio.name(), progress, || Ok(FormsData::new(m)), value)
    };
    let compiled = compiled_values(m, &sequence, ratios, samples, progress);
    let values = compiled.map_or_else(|| ratios.iter().map(recursion).collect::<Result<Vec<_>>>(), Ok)?;
    let range = |(ratio, values): (&Ratio, Vec<f64>)| {
        let top = (0..values.len()).reduce(|a, b| if values[b].abs() > values[a].abs() { b } else { a });
        let mut magnitudes: Vec<(f64, f64)> = values.iter().map(|x| (x.abs(), 1.0)).collect();
        let [p10, median, p95] = [0.1, 0.5, 0.95].map(|p| quantile(&mut magnitudes, p));
        let (maximum, at) = top.map_or((f64::NAN, vec![]), |k| (values[k], sequence.point(k)));
        RatioRange { ratio: *ratio, unit: ratio.unit(m), p10, median, p95, maximum, at }
    };
    let ratios = ratios.iter().zip(values).map(range).collect();
    Ok(RatioRanges { robot: m.name().to_string(), samples, partial: progress.cancelled(), ratios })
}

/// The values of ratios by compiled programs, those of a ratio together; none if they do not pay, or if a value is undefined.
fn compiled_values(
    m: &Model<f64>,
    sequence: &QuasiRandom,
    ratios: &[Ratio],
    samples: usize,
    progress: &Progress,
) -> Option<Vec<Vec<f64>>> {
    const BLOCK: usize = 1 << 13;
    if !CompiledStates::pays(samples) || ratios.is_empty() {
        return None;
    }
    let (n, programs) = (m.nv(), [CompiledStates::mass(m), CompiledStates::gravity(m)]);
    let (mut mass, mut gravity, mut values) = (vec![], vec![], vec![Vec::with_capacity(samples); ratios.len()]);
    let mut done = 0;
    while done < samples && !progress.cancelled() {
        progress.report("ratios", done as f64 / samples as f64);
        let block = done..samples.min(done + BLOCK);
        let q: Vec<f64> = block.clone().into_par_iter().flat_map_iter(|k| sequence.point(k)).collect();
        mass.resize(block.len() * n * n, 0.0);
        gravity.resize(block.len() * n, 0.0);
        let computed = programs[0].compute(block.len(), [&q, &[], &[]], &mut mass)
            && programs[1].compute(block.len(), [&q, &[], &[]], &mut gravity);
        if !computed {
            return None;
        }
        for (ratio, values) in ratios.iter().zip(&mut values) {
            for (mass, gravity) in mass.chunks(n * n).zip(gravity.chunks(n)) {
                values.push(ratio.of(m, mass, gravity).ok()?);
            }
        }
        done = block.end;
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_and_invalid_ones_are_errors() {
        let m = armdyn_testkit::bundled("jpl-rrp");
        for ratio in [Ratio::Reaction { at: 0, of: 1 }, Ratio::Reaction { at: 5, of: 2 }, Ratio::Gravity { at: 3 }] {
            assert_eq!(Ratio::parse(&ratio.name(), &m).unwrap(), ratio);
        }
        assert_eq!(Ratio::parse("R1:2", &m).unwrap(), Ratio::Reaction { at: 0, of: 1 });
        for wrong in ["", "R", "R1", "R11", "R17", "K0", "K7", "Rä2", "X12", "R1:", "K1:2", "R123"] {
            assert!(Ratio::parse(wrong, &m).is_err(), "{wrong}");
        }
        let units = ["R12", "R13", "R31", "K2", "K3"].map(|r| Ratio::parse(r, &m).unwrap().unit(&m));
        assert_eq!(units, ["", "rad/m", "m/rad", "rad/s²", "m/s²"]);
    }
}
