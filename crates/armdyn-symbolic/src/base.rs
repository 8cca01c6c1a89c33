//! Base (minimal) inertial parameters, as formulas (Gautier & Khalil 1990).
//!
//! In [canonical frames](crate::canonical_frames) (modified Denavit–Hartenberg: α, d about and along x, θ, r about and along z)
//! link j has the moments of inertia XX … ZZ about its origin, the first moments MX MY MZ and the mass M. Parameters that the joint cannot separate are
//! grouped with those of the parent, tip to base: XX − YY, ZZ, XY, XZ, YZ, MX and MY remain. Parameters without effect (the
//! first joints have limited motion) are identified from the regressor columns at random states.

use crate::canonical::{LINK_LETTERS, lengths};
use crate::graph::{Array, Expr, Graph, Node};
use crate::minimal::gauge::{self, Gauge};
use crate::minimal::geometry::{Arm, Layout, Moments, poses};
use armdyn_core::{
    Error, Inertia, LINK_PARAMETERS, Model, Real, RegressorData, SplitMix64, Sym3, parameter_count, regressor, vec3,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A base parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseParameter {
    /// `ZZ1R`, `MX2R`: R for regrouped.
    pub name: String,
    /// Its definition by link parameters in canonical frames and lengths: `ZZ1 + YY2 + d3² (M3 + M4)`.
    pub formula: String,
    /// The value.
    pub value: f64,
}

/// Symbols with coefficients.
type Terms = Vec<(usize, f64)>;

/// A sum of products of symbols.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polynomial(BTreeMap<Vec<usize>, f64>);

impl Polynomial {
    fn plus(mut self, times: f64, other: &Polynomial) -> Self {
        for (k, x) in &other.0 {
            *self.0.entry(k.clone()).or_insert(0.0) += times * x;
        }
        self.0.retain(|_, x| x.abs() > 1e-12);
        self
    }

    fn times(&self, other: &Polynomial) -> Self {
        let mut product = Polynomial::default();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                let mut factors = [a.clone(), b.clone()].concat();
                factors.sort_unstable();
                product = product.plus(x * y, &Polynomial(BTreeMap::from([(factors, 1.0)])));
            }
        }
        product
    }

    /// As text, grouped by lengths. The first `lengths` symbols are lengths.
    fn to_text(&self, names: &[String], lengths: usize) -> String {
        let mut groups: BTreeMap<(Vec<usize>, i64), Terms> = BTreeMap::new();
        for (factors, &x) in &self.0 {
            let (geometry, rest): (Vec<usize>, Vec<usize>) = factors.iter().partition(|f| **f < lengths);
            let size = (x.abs() * 1e9).round() as i64;
            groups.entry((geometry, size)).or_default().push((rest.first().copied().unwrap_or(usize::MAX), x));
        }
        let mut text = String::new();
        for ((geometry, _), terms) in groups {
            let first = terms[0].1;
            let alone = geometry.is_empty() && (first.abs() - 1.0).abs() < 1e-9;
            let name = |k: usize| names.get(k).map_or("1", String::as_str);
            if alone {
                for (k, x) in terms {
                    join(&mut text, x, name(k));
                }
                continue;
            }
            let mut factor = String::new();
            if (first.abs() - 1.0).abs() > 1e-9 {
                let _ = write!(factor, "{} ", rounded(first.abs()));
            }
            for chunk in geometry.chunk_by(|a, b| a == b) {
                let power = ["", "", "²", "³", "⁴"].get(chunk.len()).copied().unwrap_or("ⁿ");
                let _ = write!(factor, "{}{power} ", name(chunk[0]));
            }
            let mut inner = String::new();
            terms.iter().for_each(|&(k, x)| join(&mut inner, x * first.signum(), name(k)));
            let inner = if terms.len() > 1 { format!("({inner})") } else { inner };
            join(&mut text, first, &format!("{factor}{inner}"));
        }
        if text.is_empty() { "0".to_string() } else { text }
    }
}

fn rounded(x: f64) -> String {
    let short = format!("{x:.6}");
    short.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn join(text: &mut String, sign: f64, term: &str) {
    text.push_str(match (text.is_empty(), sign < 0.0) {
        (true, false) => "",
        (true, true) => "-",
        (false, false) => " + ",
        (false, true) => " - ",
    });
    text.push_str(term);
}

/// The moments of the links in the common gauge, as polynomials.
pub(crate) struct Regrouped {
    moments: Vec<Moments<Polynomial>>,
    names: Vec<String>,
    lengths: usize,
}

impl Regrouped {
    /// For an arm with this choice of origins.
    pub fn new(arm: &Arm, layout: &Layout) -> Self {
        let mut named_lengths = 0;
        let (graph, all) = Graph::record(|| {
            let count = std::cell::Cell::new(0);
            let symbol = |name: String| {
                count.set(count.get() + 1);
                Graph::input(Array::Parameter, count.get() - 1, &name)
            };
            let (mut e, mut p) = (vec![], vec![]);
            for j in 0..arm.len() {
                let axis = gauge::axis(arm, j);
                let general = axis[1] != 0.0 && axis[2] != 0.0;
                e.push(if general && arm.places[j].slides.is_none() {
                    let (c, s) = (symbol(format!("cos(α{})", j + 1)), symbol(format!("sin(α{})", j + 1)));
                    [Expr::zero(), -s, c]
                } else {
                    axis.map(Expr::lift)
                });
                let mut at = [Expr::zero(); 3];
                for (name, _) in lengths(arm, layout, j) {
                    let length = symbol(format!("{name}{}", j + 1));
                    match name {
                        "d" | "px" => at[0] = length,
                        "py" => at[1] = length,
                        "pz" => at[2] = length,
                        _ => (at[1], at[2]) = (e[j][1] * length, e[j][2] * length),
                    }
                }
                p.push(at);
            }
            named_lengths = count.get();
            let half = Expr::lift(0.5);
            let link = |j: usize| {
                let [xx, xy, xz, yy, yz, zz, mx, my, mz, m] = LINK_LETTERS.map(|n| symbol(format!("{n}{}", j + 1)));
                let (k11, k22, k33) = (half * (yy + zz - xx), half * (xx + zz - yy), half * (xx + yy - zz));
                [k11, -xy, -xz, k22, -yz, k33, mx, my, mz, m]
            };
            let moments: Vec<Moments<Expr>> = (0..arm.len()).map(link).collect();
            gauge::grouped(Gauge::Common, arm, &moments, &e, &p).0
        });
        let expanded = expand(&graph);
        let of = |e: Expr| Polynomial::default().plus(if e.is_negative() { -1.0 } else { 1.0 }, &expanded[e.node()]);
        let moments = all.into_iter().map(|m| m.map(of)).collect();
        Regrouped { moments, names: graph.inputs().iter().map(|i| i.name.clone()).collect(), lengths: named_lengths }
    }

    /// A sum of a link's moments, as a polynomial.
    fn sum(&self, j: usize, weights: &Moments<f64>) -> Polynomial {
        let terms = self.moments[j].iter().zip(weights).filter(|(_, w)| **w != 0.0);
        terms.fold(Polynomial::default(), |sum, (p, w)| sum.plus(*w, p))
    }

    /// A sum of a link's moments, as text.
    pub fn formula(&self, j: usize, weights: &Moments<f64>) -> String {
        self.sum(j, weights).to_text(&self.names, self.lengths)
    }
}

/// Each node expanded.
fn expand(graph: &Graph) -> Vec<Polynomial> {
    let mut all: Vec<Polynomial> = vec![];
    for node in graph.nodes() {
        let sign = |e: Expr| if e.is_negative() { -1.0 } else { 1.0 };
        all.push(match *node {
            Node::Constant(bits) => {
                Polynomial::default().plus(f64::from_bits(bits), &Polynomial(BTreeMap::from([(vec![], 1.0)])))
            }
            Node::Input(i) => Polynomial(BTreeMap::from([(vec![i], 1.0)])),
            Node::Sum(a, b) => all[a.node()].clone().plus(sign(b), &all[b.node()]),
            Node::Product(a, b) => all[a.node()].times(&all[b.node()]),
            _ => unreachable!("grouping uses sums and products only"),
        });
    }
    all
}

/// Candidate parameters of a link: name, definition as a sum of moments, and the moments of a unit change.
pub(crate) fn candidates(prismatic: bool) -> Vec<(&'static str, Moments<f64>, Moments<f64>)> {
    let only = |k: usize, x: f64| core::array::from_fn(|i| if i == k { x } else { 0.0 });
    let three = |a: f64, b: f64, c: f64| [a, 0.0, 0.0, b, 0.0, c, 0.0, 0.0, 0.0, 0.0];
    let own = |name, k: usize, sign: f64| (name, only(k, sign), only(k, sign));
    if prismatic {
        return vec![own("MX", 6, 1.0), own("MY", 7, 1.0), own("MZ", 8, 1.0), own("M", 9, 1.0)];
    }
    vec![
        ("XX", three(-1.0, 1.0, 0.0), three(-0.5, 0.5, 0.5)),
        own("XY", 1, -1.0),
        own("XZ", 2, -1.0),
        own("YZ", 4, -1.0),
        ("ZZ", three(1.0, 1.0, 0.0), three(0.5, 0.5, -0.5)),
        own("MX", 6, 1.0),
        own("MY", 7, 1.0),
    ]
}

/// Regressor columns at random states.
struct Columns {
    y: Vec<Vec<f64>>,
    width: usize,
    /// First column of each body, and its canonical frame in the link frame.
    links: Vec<(usize, armdyn_core::Transform<f64>)>,
}

impl Columns {
    fn new(m: &Model<f64>, arm: &Arm) -> Result<Self, Error> {
        let (n, width) = (m.nv(), parameter_count(m));
        let mut data = RegressorData::new(m);
        let mut random = SplitMix64(7);
        let mut y = vec![];
        for _ in 0..12 * n + 8 {
            let mut numbers = |range: f64| (0..n).map(|_| random.within(range)).collect::<Vec<f64>>();
            let (q, qd, qdd) = (numbers(3.0), numbers(2.0), numbers(2.0));
            let mut rows = vec![0.0; n * width];
            regressor(m, &mut data, &q, &qd, &qdd, &mut rows)?;
            y.extend(rows.chunks(width).map(<[f64]>::to_vec));
        }
        let moving: Vec<_> = m.links().iter().filter(|l| l.body != 0).collect();
        let poses = poses(m);
        let link = |j: usize| {
            let k = moving.iter().position(|l| l.body == j + 1).expect("a body has a link");
            let at = poses[j + 1].compose(&moving[k].pose);
            (k * LINK_PARAMETERS, at.inverse().compose(&arm.frame(j, 0)))
        };
        Ok(Columns { y, width, links: (0..arm.len()).map(link).collect() })
    }

    fn of(&self, j: usize, k: &Moments<f64>) -> Vec<f64> {
        let moments = Sym3 { xx: k[0], xy: k[1], xz: k[2], yy: k[3], yz: k[4], zz: k[5] };
        let trace = moments.trace();
        let inertia = Inertia {
            mass: k[9],
            first: vec3(k[6], k[7], k[8]),
            second: Sym3::diagonal(trace, trace, trace) - moments,
        };
        let (at, frame) = self.links[j];
        let parts = inertia.transformed(&frame).components();
        debug_assert!(at + LINK_PARAMETERS <= self.width);
        self.y.iter().map(|row| row[at..at + LINK_PARAMETERS].iter().zip(parts).map(|(y, x)| y * x).sum()).collect()
    }
}

/// The canonical frames of a serial arm; an error for other robots.
pub(crate) fn serial_arm(m: &Model<f64>) -> Result<Arm, Error> {
    Arm::of(m).ok_or_else(|| {
        let joint = m.joints().first().map_or(String::new(), |j| j.name.clone());
        let formulation = "base parameters are for serial arms of revolute and prismatic joints";
        Error::Unsupported { formulation, joint }
    })
}

/// The base parameters of a serial arm of revolute and prismatic joints; an error for other robots.
pub fn base_parameters(m: &Model<f64>) -> Result<Vec<BaseParameter>, Error> {
    let m = &m.without_drives();
    let arm = serial_arm(m)?;
    let layout = arm.layout(|_| 0, None);
    let regrouped = Regrouped::new(&arm, &layout);
    let numbers = gauge::numeric(Gauge::Common, &arm, &layout);
    let columns = Columns::new(m, &arm)?;
    let mut found: Vec<(String, Polynomial, f64)> = vec![];
    // An orthonormal basis of the independent columns, each with its coefficients in those columns.
    let mut basis: Vec<(Vec<f64>, Vec<f64>)> = vec![];
    let largest = columns.y.iter().flatten().fold(0.0, |s: f64, x| s.max(x.abs()));
    for j in 0..arm.len() {
        for (name, sum, unit) in candidates(arm.places[j].slides.is_some()) {
            let column = columns.of(j, &unit);
            let formula = regrouped.sum(j, &sum);
            let value: f64 = numbers[j].iter().zip(sum).map(|(x, w)| x * w).sum();
            let size = norm(&column);
            let mut rest = column;
            let mut combination = vec![0.0; basis.len()];
            // Gram–Schmidt, twice against rounding.
            for _ in 0..2 {
                for (direction, weights) in &basis {
                    let along: f64 = rest.iter().zip(direction).map(|(a, b)| a * b).sum();
                    rest.iter_mut().zip(direction).for_each(|(a, b)| *a -= along * b);
                    combination.iter_mut().zip(weights).for_each(|(c, w)| *c += along * w);
                }
            }
            if norm(&rest) > 1e-8 * size.max(largest) {
                let length = norm(&rest);
                let mut weights: Vec<f64> = combination.iter().map(|c| -c / length).collect();
                weights.push(1.0 / length);
                basis.iter_mut().for_each(|(_, w)| w.push(0.0));
                basis.push((rest.iter().map(|x| x / length).collect(), weights));
                found.push((format!("{name}{}R", j + 1), formula, value));
            } else {
                // A combination of the independent ones, which absorb it.
                for (k, &c) in combination.iter().enumerate().filter(|(_, c)| c.abs() > 1e-9) {
                    let c = if (c * 12.0 - (c * 12.0).round()).abs() < 1e-7 { (c * 12.0).round() / 12.0 } else { c };
                    found[k].1 = std::mem::take(&mut found[k].1).plus(c, &formula);
                    found[k].2 += c * value;
                }
            }
        }
    }
    let parameter = |(name, formula, value): (String, Polynomial, f64)| BaseParameter {
        name,
        formula: formula.to_text(&regrouped.names, regrouped.lengths),
        value,
    };
    Ok(found.into_iter().map(parameter).collect())
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_testkit::bundled;
    use armdyn_testkit::random;

    /// The rank of the core's regressor (link columns), by Gaussian elimination with full pivoting.
    fn rank(m: &Model<f64>) -> usize {
        let m = m.without_drives();
        let columns = Columns::new(&m, &Arm::of(&m).unwrap()).unwrap();
        let links = m.links().iter().filter(|l| l.body != 0).count() * LINK_PARAMETERS;
        let mut a: Vec<Vec<f64>> = columns.y.iter().map(|r| r[..links].to_vec()).collect();
        let largest = |a: &[Vec<f64>], k: usize| {
            let all = (k..a.len()).flat_map(|i| (0..links).map(move |j| (i, j)));
            all.max_by(|x, y| a[x.0][x.1].abs().total_cmp(&a[y.0][y.1].abs())).unwrap()
        };
        let first = largest(&a, 0);
        let size = a[first.0][first.1].abs();
        for k in 0..links {
            let (i, j) = largest(&a, k);
            if a[i][j].abs() < 1e-9 * size {
                return k;
            }
            a.swap(i, k);
            let pivot = a[k].clone();
            for row in a.iter_mut().skip(k + 1) {
                let f = row[j] / pivot[j];
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= f * p);
                row[j] = 0.0;
            }
        }
        links
    }

    #[test]
    fn their_number_is_the_rank_of_the_regressor() {
        let named = ["planar-2r", "scara", "renaud-6r", "jpl-rrp", "puma560", "panda", "stanford", "ur5e", "lin-rp"]
            .map(bundled);
        let kinds = ["R", "P", "RR", "PR", "RP", "RPR", "RRRRRR", "PRPR"].map(|k| random::arm(4, k));
        for m in named.iter().chain(&kinds) {
            let found = base_parameters(m).unwrap();
            assert_eq!(found.len(), rank(m), "{}: {found:#?}", m.name());
        }
    }

    /// The sums of `lau-renaud-lin-morris/SPEC.md` B.2, with YY written out: XX2 − YY2 − d3² (M3 + … + M6), ….
    #[test]
    fn the_base_parameters_of_renauds_arm_are_the_published_sums() {
        let found = base_parameters(&bundled("renaud-6r")).unwrap();
        let get = |name: &str| found.iter().find(|p| p.name == name).unwrap_or_else(|| panic!("no {name}"));
        // Masses 10, 8, 6, 3, 1.5, 0.8; a2 = 0.5, r4 = 0.4.
        let (m3, m4, a2, r4) = (11.3, 5.3, 0.5, 0.4);
        let expected = [
            ("ZZ1R", 0.12 + 0.46 + 0.04 + m3 * a2 * a2),
            ("XX2R", 0.05 - 0.46 - m3 * a2 * a2),
            ("ZZ2R", 0.47 + m3 * a2 * a2),
            ("MX2R", 1.6 + m3 * a2),
            ("XX3R", 0.11 - 0.04 + 0.036 + 2.0 * r4 * -0.25 + m4 * r4 * r4),
            ("MY3R", -0.5 + 0.25 - m4 * r4),
            ("ZZ4R", 0.012 + 0.006),
            ("MY5R", 0.06 - 0.05),
            ("ZZ6R", 0.0015),
        ];
        for (name, value) in expected {
            assert!((get(name).value - value).abs() < 1e-12, "{name}: {:?}, expected {value}", get(name));
        }
        assert_eq!(get("MX2R").formula, "MX2 + d3 (M3 + M4 + M5 + M6)");
        assert_eq!(get("MY3R").formula, "MY3 - MZ4 - r4 (M4 + M5 + M6)");
    }
}
