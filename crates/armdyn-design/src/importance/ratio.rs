//! Rᵢⱼ = Dᵢⱼ / Dᵢᵢ and Kᵢ = gᵢ / Dᵢᵢ, as curves and over a region.

use armdyn_core::{FormsData, Model, Progress, state_space};
use armdyn_numerics::{Error, JointRanges, QuasiRandom, Result, quantile};
use rayon::prelude::*;

/// A coefficient beside the joint's own inertia. Degrees of freedom from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ratio {
    /// Rᵢⱼ = Dᵢⱼ / Dᵢᵢ: the reaction of j's acceleration at i, beside an equal acceleration of i.
    Reaction {
        /// Where it is felt.
        at: usize,
        /// What accelerates.
        of: usize,
    },
    /// Kᵢ = gᵢ / Dᵢᵢ: the acceleration whose torque gravity equals.
    Gravity {
        /// The joint.
        at: usize,
    },
}

impl Ratio {
    /// `R12`, `K2`, as the report writes them; `R1:12` where a number has two digits.
    pub fn name(self) -> String {
        match self {
            Ratio::Reaction { at, of } if at < 9 && of < 9 => format!("R{}{}", at + 1, of + 1),
            Ratio::Reaction { at, of } => format!("R{}:{}", at + 1, of + 1),
            Ratio::Gravity { at } => format!("K{}", at + 1),
        }
    }

    /// Reads a [`name`](Self::name).
    pub fn parse(name: &str, m: &Model<f64>) -> Result<Self> {
        let wrong = || {
            let what = format!("`{name}` is no ratio of a robot of {} joints", m.nv());
            Error::InvalidInput(format!(
                "{what}: R12 is joint 2's reaction at joint 1 (R1:12 joint 12's), K2 joint 2's gravity"
            ))
        };
        let joint = |text: &str| match text.parse::<usize>() {
            Ok(k) if (1..=m.nv()).contains(&k) => Ok(k - 1),
            _ => Err(wrong()),
        };
        let name = name.trim();
        let found = match (name.strip_prefix(['R', 'r']), name.strip_prefix(['K', 'k'])) {
            (Some(two), _) => {
                let split = two.split_once(':').or_else(|| two.is_ascii().then(|| two.split_at_checked(1)).flatten());
                let (at, of) = split.ok_or_else(wrong)?;
                Ratio::Reaction { at: joint(at)?, of: joint(of)? }
            }
            (_, Some(one)) => Ratio::Gravity { at: joint(one)? },
            _ => return Err(wrong()),
        };
        match found {
            Ratio::Reaction { at, of } if at == of => Err(wrong()),
            found => Ok(found),
        }
    }

    /// Its unit; empty for a mere number.
    pub fn unit(self, m: &Model<f64>) -> &'static str {
        match self {
            Ratio::Gravity { at } if m.turns(at) => "rad/s²",
            Ratio::Gravity { .. } => "m/s²",
            Ratio::Reaction { at, of } => match (m.turns(at), m.turns(of)) {
                (true, false) => "1/m",
                (false, true) => "m",
                _ => "",
            },
        }
    }

    /// At a configuration.
    pub fn value(self, m: &Model<f64>, d: &mut FormsData<f64>, q: &[f64]) -> Result<f64> {
        let n = m.nv();
        let form = state_space(m, d, q, &vec![0.0; n])?;
        let (above, at) = match self {
            Ratio::Reaction { at, of } => (form.mass[at * n + of], at),
            Ratio::Gravity { at } => (form.gravity[at], at),
        };
        let own = form.mass[at * n + at];
        if own > 0.0 {
            return Ok(above / own);
        }
        Err(Error::InvalidInput(format!(
            "`{}` has no inertia of its own: there are no ratios to it",
            m.dof_names()[at]
        )))
    }
}

/// One coordinate from an end to another, the others held.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The degree of freedom that is swept.
    pub joint: usize,
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// How many points it has, ends included.
    pub points: usize,
    /// Where the others are held.
    pub q: Vec<f64>,
}

impl Sweep {
    /// The configurations, with the swept coordinate.
    pub fn configurations(&self) -> impl Iterator<Item = (f64, Vec<f64>)> + '_ {
        let points = self.points.max(2);
        (0..points).map(move |k| {
            let share = k as f64 / (points - 1) as f64;
            let x = if k == points - 1 { self.to } else { self.from + (self.to - self.from) * share };
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
#[derive(Clone, Debug, PartialEq)]
pub struct RatioCurve {
    /// Which.
    pub ratio: Ratio,
    /// The swept coordinate and the ratio.
    pub points: Vec<(f64, f64)>,
    /// Where it is largest in size, between the points too.
    pub peak: (f64, f64),
}

/// A ratio along a sweep, and its largest size.
pub fn ratio_curve(m: &Model<f64>, ratio: Ratio, sweep: &Sweep) -> Result<RatioCurve> {
    let mut d = FormsData::new(m);
    let mut value = |q: &[f64]| ratio.value(m, &mut d, q);
    let points = sweep.configurations().map(|(x, q)| Ok((x, value(&q)?))).collect::<Result<Vec<(f64, f64)>>>()?;
    let top = (0..points.len()).fold(0, |top, k| if points[k].1.abs() > points[top].1.abs() { k } else { top });
    // Between the neighbours of the best point, by thirds.
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
    Ok(RatioCurve { ratio, points, peak })
}

/// How a ratio's size varies over a region.
#[derive(Clone, Debug, PartialEq)]
pub struct RatioRange {
    /// Which.
    pub ratio: Ratio,
    /// What its size stays below in a tenth of the configurations.
    pub p10: f64,
    /// In half of them.
    pub median: f64,
    /// In 95 % of them.
    pub p95: f64,
    /// The largest size seen, with its sign.
    pub worst: f64,
    /// Where.
    pub at: Vec<f64>,
}

/// How ratios vary over `count` configurations of a region. Fewer are looked at if the progress ends it.
pub fn ratio_ranges(
    m: &Model<f64>,
    region: &JointRanges,
    ratios: &[Ratio],
    count: usize,
    seed: u64,
    progress: &Progress,
) -> Result<Vec<RatioRange>> {
    let spread = QuasiRandom::new(region, seed);
    let one = |d: &mut FormsData<f64>, k: usize, ratio: Ratio| -> Result<Option<(f64, usize)>> {
        if progress.cancelled() {
            return Ok(None);
        }
        Ok(Some((ratio.value(m, d, &spread.point(k))?, k)))
    };
    let range = |(which, ratio): (usize, &Ratio)| -> Result<RatioRange> {
        progress.report(&ratio.name(), which as f64 / ratios.len() as f64);
        let found = (0..count).into_par_iter().map_init(|| FormsData::new(m), |d, k| one(d, k, *ratio));
        let found: Vec<Option<(f64, usize)>> = found.collect::<Result<_>>()?;
        let seen: Vec<(f64, usize)> = found.into_iter().flatten().collect();
        let worst = seen.iter().copied().reduce(|a, b| if b.0.abs() > a.0.abs() { b } else { a });
        let mut sizes: Vec<(f64, f64)> = seen.iter().map(|(x, _)| (x.abs(), 1.0)).collect();
        let [p10, median, p95] = [0.1, 0.5, 0.95].map(|p| quantile(&mut sizes, p));
        let (worst, at) = worst.map_or((f64::NAN, vec![]), |(x, k)| (x, spread.point(k)));
        Ok(RatioRange { ratio: *ratio, p10, median, p95, worst, at })
    };
    ratios.iter().enumerate().map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_what_is_none_is_refused() {
        let m = armdyn_testkit::bundled("jpl-rrp");
        for ratio in [Ratio::Reaction { at: 0, of: 1 }, Ratio::Reaction { at: 5, of: 2 }, Ratio::Gravity { at: 3 }] {
            assert_eq!(Ratio::parse(&ratio.name(), &m).unwrap(), ratio);
        }
        assert_eq!(Ratio::parse("R1:2", &m).unwrap(), Ratio::Reaction { at: 0, of: 1 });
        for wrong in ["", "R", "R1", "R11", "R17", "K0", "K7", "Rä2", "X12", "R1:", "K1:2", "R123"] {
            assert!(Ratio::parse(wrong, &m).is_err(), "{wrong}");
        }
        let units = ["R12", "R13", "R31", "K2", "K3"].map(|r| Ratio::parse(r, &m).unwrap().unit(&m));
        assert_eq!(units, ["", "1/m", "m", "rad/s²", "m/s²"]);
    }
}
