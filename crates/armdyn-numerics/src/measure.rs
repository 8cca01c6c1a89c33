//! What is measured of a configuration: D_ij, D_i, and their ratios, each one tape for numbers, gradients and intervals.

mod tape;

pub use tape::{Degree, Tape};

use crate::bound::{Enclosure, Norm, Objective, Polynomial, Quotient};
use crate::{JointRanges, Result};
use armdyn_core::{Interval, Model, Real, RneaData, Vec3, rnea, vec3};
use armdyn_symbolic::{Array, Expr, Graph};

/// The inertias D_ij(q), drives included, and gravity D_i(q) of a robot, as expressions.
#[derive(Clone, Debug)]
pub struct Coefficients {
    /// Without friction.
    model: Model<f64>,
    graph: Graph,
    mass: Vec<Expr>,
    gravity: Vec<Expr>,
}

/// What is to be measured, by degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// D_ij \[kg m², kg m, kg\].
    Inertia(usize, usize),
    /// D_i \[N m, N\].
    Gravity(usize),
    /// D_ij / D_ii.
    Coupling(usize, usize),
    /// D_ij / √(D_ii D_jj), which has no unit.
    Correlation(usize, usize),
    /// (effort ∓ D_i) / D_ii: the acceleration that a torque leaves beside gravity; forward (−) or backward.
    Margin {
        /// The degree of freedom.
        joint: usize,
        /// The greatest torque \[N m, N\].
        effort: f64,
        /// Against gravity that is positive.
        forward: bool,
    },
}

impl Coefficients {
    /// Of a robot whose coordinates are each one angle or one length.
    ///
    /// The recursion in the links' own frames gives M's columns, one for each unit acceleration: so it is seen from its steps
    /// that D_ij is of degree ≤ 2 in each coordinate beyond i and depends on no other.
    pub fn new(model: &Model<f64>) -> Result<Self> {
        let n = model.nv();
        let still = model.without_friction();
        let (graph, made) = Graph::record(|| -> armdyn_core::Result<_> {
            let q: Vec<Expr> = (0..n).map(|i| Graph::input(Array::Q, i, &format!("q{}", i + 1))).collect();
            let zero = vec![Expr::zero(); n];
            let torques = |m: &Model<f64>, qdd: &[Expr]| {
                let (m, mut tau): (Model<Expr>, _) = (m.cast(), zero.clone());
                rnea(&m, &mut RneaData::new(&m), &q, &zero, qdd, &mut tau)?;
                Ok(tau)
            };
            let weightless = still.with_gravity(Vec3::zero());
            let mut columns = vec![];
            for j in 0..n {
                let mut qdd = zero.clone();
                qdd[j] = Expr::one();
                columns.push(torques(&weightless, &qdd)?);
            }
            // Of the two that are equal, the one that starts further out.
            let mass = (0..n * n).map(|k| columns[(k / n).max(k % n)][(k / n).min(k % n)]).collect();
            Ok((mass, torques(&still, &zero)?))
        });
        let (mass, gravity) = made?;
        Ok(Coefficients { model: still, graph, mass, gravity })
    }

    /// How many degrees of freedom there are.
    pub fn len(&self) -> usize {
        self.gravity.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.gravity.is_empty()
    }

    /// What there is of D_i in the direction of gravity that is worst for it, per m/s²: |D_i| is at most this times gravity,
    /// and depends on the coordinates beyond i alone, as turning the base does what those before i do. None for the first joint.
    pub fn weight(&self, i: usize, region: &JointRanges) -> Result<Option<Norm>> {
        let (m, n) = (&self.model, self.len());
        let body = m.dof_bodies()[i];
        // Of several in one body none is before the others; with none before it, it cannot be turned to the worst.
        if m.body(body).dofs().len() != 1 || (0..n).all(|u| u == i || !m.carries(m.dof_bodies()[u], body)) {
            return Ok(None);
        }
        let (graph, made) = Graph::record(|| -> armdyn_core::Result<_> {
            let before = |u: usize| m.carries(m.dof_bodies()[u], body);
            let input = |u: usize| Graph::input(Array::Q, u, &format!("q{}", u + 1));
            let q: Vec<Expr> = (0..n).map(|u| if before(u) { Expr::zero() } else { input(u) }).collect();
            let zero = vec![Expr::zero(); n];
            let along = |k: usize| {
                let mut direction = [0.0; 3];
                direction[k] = 1.0;
                let m: Model<Expr> = m.with_gravity(vec3(direction[0], direction[1], direction[2])).cast();
                let mut tau = zero.clone();
                rnea(&m, &mut RneaData::new(&m), &q, &zero, &zero, &mut tau)?;
                Ok(tau[i])
            };
            (0..3).map(along).collect::<armdyn_core::Result<Vec<Expr>>>()
        });
        let tapes: Result<Vec<Tape>> = made?.iter().map(|e| Tape::new(&graph, *e, n)).collect();
        Ok(polynomials(&tapes?, region).and_then(Norm::new))
    }

    /// What is measured, to be sought; [`Measure::over`] a region it can be bounded as well.
    pub fn measure(&self, what: What) -> Result<Measure> {
        let n = self.len();
        let d = |i: usize, j: usize| self.mass[i * n + j];
        let (over, offset, under) = match what {
            What::Inertia(i, j) => (d(i, j), 0.0, vec![]),
            What::Gravity(i) => (self.gravity[i], 0.0, vec![]),
            What::Coupling(i, j) => (d(i, j), 0.0, vec![d(i, i)]),
            What::Correlation(i, j) => (d(i, j), 0.0, vec![d(i, i), d(j, j)]),
            What::Margin { joint, effort, forward } => {
                let g = self.gravity[joint];
                let (_, g) = self.graph.clone().record_more(|| if forward { -g } else { g });
                (g, effort, vec![d(joint, joint)])
            }
        };
        let (graph, whole) = self.graph.clone().record_more(|| {
            let over = over + Expr::lift(offset);
            match under[..] {
                [] => over,
                [a] => over / a,
                _ => over / under.iter().fold(Expr::one(), |p, e| p * *e).sqrt(),
            }
        });
        let parts: Result<Vec<Tape>> = [over].iter().chain(&under).map(|e| Tape::new(&self.graph, *e, n)).collect();
        Ok(Measure { tape: Tape::new(&graph, whole, n)?, parts: parts?, offset, quotient: None })
    }
}

/// A scalar of a configuration.
#[derive(Clone, Debug)]
pub struct Measure {
    tape: Tape,
    /// Numerator, without offset, and denominators.
    parts: Vec<Tape>,
    offset: f64,
    /// The same by control points, where it is made of polynomials.
    quotient: Option<Quotient>,
}

/// The polynomials that tapes compute, with the same degrees; none if one is no polynomial, or too long.
fn polynomials(tapes: &[Tape], region: &JointRanges) -> Option<Vec<Polynomial>> {
    let each: Option<Vec<Vec<Degree>>> = tapes.iter().map(Tape::degrees).collect();
    let mut all = each?.into_iter();
    let first = all.next()?;
    let joined =
        all.try_fold(first, |a, b| -> Option<Vec<Degree>> { a.iter().zip(&b).map(|(a, b)| a.join(*b)).collect() })?;
    tapes.iter().map(|tape| Polynomial::new(&joined, region, |q| tape.value(q))).collect()
}

impl Measure {
    /// An expression of `coordinates` positions.
    pub fn of(graph: &Graph, value: Expr, coordinates: usize) -> Result<Self> {
        let tape = Tape::new(graph, value, coordinates)?;
        Ok(Measure { parts: vec![tape.clone()], tape, offset: 0.0, quotient: None })
    }

    /// With what its bounds over a region, or parts of it, come from.
    pub fn over(mut self, region: &JointRanges) -> Self {
        self.quotient = polynomials(&self.parts, region).and_then(|mut all| {
            let over = all.remove(0);
            Quotient::new(over, all, self.offset)
        });
        self
    }

    /// With bounds that may be wider by `slack`, and are quicker for that: small harmonics are left out. Of quotients nothing.
    pub fn shortened(mut self, slack: f64) -> Self {
        self.quotient = self.quotient.map(|q| q.shortened(slack));
        self
    }

    /// Whether bounds come from control points; otherwise from intervals through the tape.
    pub fn is_polynomial(&self) -> bool {
        self.quotient.is_some()
    }

    /// Natural extension and mean value form, with coordinates in which it is monotone at the end that counts.
    fn by_tape(&self, q: &[Interval]) -> Enclosure {
        let (natural, slopes) = self.tape.gradient(q);
        let (mut low, mut high) = (q.to_vec(), q.to_vec());
        for (k, slope) in slopes.iter().enumerate() {
            let (first, last) = (Interval::point(q[k].lo()), Interval::point(q[k].hi()));
            if slope.lo() >= 0.0 {
                (low[k], high[k]) = (first, last);
            } else if slope.hi() <= 0.0 {
                (low[k], high[k]) = (last, first);
            }
        }
        let end = |q: &[Interval]| {
            let middle: Vec<Interval> = q.iter().map(|x| Interval::point(x.mid())).collect();
            let mut mean = self.tape.value(&middle);
            for k in 0..q.len() {
                if q[k].lo() < q[k].hi() {
                    mean += slopes[k] * (q[k] - middle[k]);
                }
            }
            self.tape.value(q).intersect(mean).unwrap_or(Interval::ENTIRE)
        };
        let (least, most) = (end(&low).lo(), end(&high).hi());
        let range = Interval::new(least, most).and_then(|r| r.intersect(natural)).unwrap_or(natural);
        let smear = |k: usize| {
            if q[k].lo() < q[k].hi() { slopes[k].lo().abs().max(slopes[k].hi().abs()) * q[k].width() } else { -1.0 }
        };
        let split = (0..q.len()).filter(|k| smear(*k) > 0.0).max_by(|a, b| smear(*a).total_cmp(&smear(*b)));
        Enclosure { range, split: split.map(|k| (k, 2)) }
    }
}

impl Objective for Measure {
    fn value(&self, q: &[f64]) -> f64 {
        self.tape.value(q)
    }

    fn gradient(&self, q: &[f64]) -> (f64, Vec<f64>) {
        self.tape.gradient(q)
    }

    fn depends(&self, dof: usize) -> bool {
        self.tape.depends(dof)
    }

    fn turns(&self, dof: usize) -> bool {
        self.quotient.as_ref().is_some_and(|q| q.turns(dof))
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        match &self.quotient {
            Some(quotient) => quotient.enclose(q),
            None => self.by_tape(q),
        }
    }
}
