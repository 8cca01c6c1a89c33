//! Scalar functions of the configuration: D_ij, D_i and their ratios, with values, gradients and guaranteed bounds.

use crate::bound::{Norm, Polynomial, Quotient};
use crate::objective::{Enclosure, Objective};
use crate::{Error, JointRanges, Result};
use armdyn_core::{Interval, Model, Real, RneaData, Vec3, rnea, vec3};
use armdyn_symbolic::{Array, Degree, Expr, Graph, Tape};

/// The mass matrix D_ij(q), drives included, and the gravity torques D_i(q) of a robot, as expressions.
#[derive(Clone, Debug)]
pub struct Coefficients {
    /// Without friction.
    model: Model<f64>,
    graph: Graph,
    mass: Vec<Expr>,
    gravity: Vec<Expr>,
}

/// A dynamic coefficient or a ratio of coefficients; degrees of freedom are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coefficient {
    /// D_ij \[kg m², kg m, kg\].
    Inertia(usize, usize),
    /// D_i \[N m, N\].
    Gravity(usize),
    /// D_ij / D_ii.
    Coupling(usize, usize),
    /// D_ij / √(D_ii D_jj), dimensionless.
    Correlation(usize, usize),
    /// (effort ∓ D_i) / D_ii: the acceleration available besides gravity; forward (−) or backward.
    AccelerationMargin {
        /// The degree of freedom.
        joint: usize,
        /// Maximum torque \[N m, N\].
        effort: f64,
        /// Forward, against a positive gravity torque.
        forward: bool,
    },
}

impl Coefficients {
    /// The coefficients of a robot whose coordinates are each one angle or one length.
    ///
    /// The columns of M are torques of unit accelerations, computed by the recursion in link frames: its operations show that
    /// D_ij is of degree ≤ 2 in each coordinate beyond i and depends on no other.
    pub fn new(model: &Model<f64>) -> Result<Self> {
        let n = model.nv();
        let frictionless = model.without_friction();
        let (graph, expressions) = Graph::record(|| -> armdyn_core::error::Result<_> {
            let q: Vec<Expr> = (0..n).map(|i| Graph::input(Array::Q, i, &format!("q{}", i + 1))).collect();
            let zero = vec![Expr::zero(); n];
            let torques = |m: &Model<f64>, qdd: &[Expr]| {
                let (m, mut tau): (Model<Expr>, _) = (m.cast(), zero.clone());
                rnea(&m, &mut RneaData::new(&m), &q, &zero, qdd, &mut tau)?;
                Ok(tau)
            };
            let weightless = frictionless.with_gravity(Vec3::zero());
            let mut columns = vec![];
            for j in 0..n {
                let mut qdd = zero.clone();
                qdd[j] = Expr::one();
                columns.push(torques(&weightless, &qdd)?);
            }
            // Of the two equal elements, the one that depends on fewer coordinates.
            let mass = (0..n * n).map(|k| columns[(k / n).max(k % n)][(k / n).min(k % n)]).collect();
            Ok((mass, torques(&frictionless, &zero)?))
        });
        let (mass, gravity) = expressions?;
        Ok(Coefficients { model: frictionless, graph, mass, gravity })
    }

    /// Number of degrees of freedom.
    pub fn len(&self) -> usize {
        self.gravity.len()
    }

    /// Whether the robot has no degrees of freedom.
    pub fn is_empty(&self) -> bool {
        self.gravity.is_empty()
    }

    /// |D_i| per m/s² for the worst direction of gravity: an upper bound that depends on the coordinates beyond i only, because
    /// the joints before i rotate gravity. None for the first joint.
    pub fn gravity_magnitude(&self, i: usize, ranges: &JointRanges) -> Result<Option<Norm>> {
        let (m, n) = (&self.model, self.len());
        let body = m.dof_bodies()[i];
        // Needs a joint of one degree of freedom and one before it that can rotate gravity. A joint before it may lead one
        // beyond it.
        if !m.followers().is_empty()
            || m.body(body).dofs().len() != 1
            || (0..n).all(|u| u == i || !m.is_ancestor(m.dof_bodies()[u], body))
        {
            return Ok(None);
        }
        let (graph, torques) = Graph::record(|| -> armdyn_core::error::Result<_> {
            let before = |u: usize| m.is_ancestor(m.dof_bodies()[u], body);
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
            (0..3).map(along).collect::<armdyn_core::error::Result<Vec<Expr>>>()
        });
        let tapes: Result<Vec<Tape>> = torques?.iter().map(|e| tape(&graph, *e, n)).collect();
        Ok(polynomials(&tapes?, ranges).and_then(Norm::new))
    }

    /// The function of a coefficient, ready for a search; call [`CoefficientFunction::over`] for bounds.
    pub fn function(&self, coefficient: Coefficient) -> Result<CoefficientFunction> {
        let n = self.len();
        let d = |i: usize, j: usize| self.mass[i * n + j];
        let (numerator, offset, denominators) = match coefficient {
            Coefficient::Inertia(i, j) => (d(i, j), 0.0, vec![]),
            Coefficient::Gravity(i) => (self.gravity[i], 0.0, vec![]),
            Coefficient::Coupling(i, j) => (d(i, j), 0.0, vec![d(i, i)]),
            Coefficient::Correlation(i, j) => (d(i, j), 0.0, vec![d(i, i), d(j, j)]),
            Coefficient::AccelerationMargin { joint, effort, forward } => {
                let g = self.gravity[joint];
                let (_, g) = self.graph.clone().record_more(|| if forward { -g } else { g });
                (g, effort, vec![d(joint, joint)])
            }
        };
        let (graph, value) = self.graph.clone().record_more(|| {
            let numerator = numerator + Expr::lift(offset);
            match denominators[..] {
                [] => numerator,
                [a] => numerator / a,
                _ => numerator / denominators.iter().fold(Expr::one(), |p, e| p * *e).sqrt(),
            }
        });
        let parts: Result<Vec<Tape>> =
            [numerator].iter().chain(&denominators).map(|e| tape(&self.graph, *e, n)).collect();
        Ok(CoefficientFunction { tape: tape(&graph, value, n)?, parts: parts?, offset, quotient: None })
    }
}

/// The tape of an expression of `coordinates` positions.
fn tape(graph: &Graph, value: Expr, coordinates: usize) -> Result<Tape> {
    let tape = Tape::bind(graph, &[value], &[(Array::Q, coordinates)], &[]).map_err(|e| e.to_string());
    tape.and_then(|t| if t.is_differentiable() { Ok(t) } else { Err("the value is not differentiable".to_string()) })
        .map_err(Error::InvalidInput)
}

/// A scalar function of the configuration.
#[derive(Clone, Debug)]
pub struct CoefficientFunction {
    tape: Tape,
    /// The numerator without offset, then the denominators.
    parts: Vec<Tape>,
    offset: f64,
    /// Bounds by control points, if the parts are polynomials.
    quotient: Option<Quotient>,
}

/// The polynomials that tapes compute, with the same degrees; none if one is no polynomial or has too many coefficients.
fn polynomials(tapes: &[Tape], ranges: &JointRanges) -> Option<Vec<Polynomial>> {
    let each: Option<Vec<Vec<Degree>>> = tapes.iter().map(Tape::degrees).collect();
    let mut all = each?.into_iter();
    let first = all.next()?;
    let joined =
        all.try_fold(first, |a, b| -> Option<Vec<Degree>> { a.iter().zip(&b).map(|(a, b)| a.join(*b)).collect() })?;
    tapes.iter().map(|tape| Polynomial::new(&joined, ranges, |q| tape.value(q))).collect()
}

impl CoefficientFunction {
    /// An expression of `coordinates` positions.
    pub fn new(graph: &Graph, value: Expr, coordinates: usize) -> Result<Self> {
        let tape = tape(graph, value, coordinates)?;
        Ok(CoefficientFunction { parts: vec![tape.clone()], tape, offset: 0.0, quotient: None })
    }

    /// Prepares tight bounds over joint ranges and parts of them.
    #[must_use]
    pub fn over(mut self, ranges: &JointRanges) -> Self {
        self.quotient = polynomials(&self.parts, ranges).and_then(|mut all| {
            let numerator = all.remove(0);
            Quotient::new(numerator, all, self.offset)
        });
        self
    }

    /// Allows bounds to be wider by `slack` in exchange for speed: drops small harmonics. Quotients stay as they are.
    #[must_use]
    pub fn truncated(mut self, slack: f64) -> Self {
        self.quotient = self.quotient.map(|q| q.truncated(slack));
        self
    }

    /// Whether bounds come from control points, otherwise from interval evaluation of the tape.
    pub fn is_polynomial(&self) -> bool {
        self.quotient.is_some()
    }

    /// Natural extension and mean value form; coordinates in which the function is monotone are set to the relevant end.
    fn enclose_by_tape(&self, q: &[Interval]) -> Enclosure {
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
        let range =
            Interval::new(end(&low).lo(), end(&high).hi()).and_then(|r| r.intersect(natural)).unwrap_or(natural);
        let smear = |k: usize| {
            if q[k].lo() < q[k].hi() { slopes[k].lo().abs().max(slopes[k].hi().abs()) * q[k].width() } else { -1.0 }
        };
        let split = (0..q.len()).filter(|k| smear(*k) > 0.0).max_by(|a, b| smear(*a).total_cmp(&smear(*b)));
        Enclosure { range, split: split.map(|k| (k, 2)) }
    }
}

impl Objective for CoefficientFunction {
    fn value(&self, q: &[f64]) -> f64 {
        self.tape.value(q)
    }

    fn values(&self, q: &[f64], out: &mut [f64]) {
        self.tape.values(q, out);
    }

    fn gradient(&self, q: &[f64]) -> (f64, Vec<f64>) {
        self.tape.gradient(q)
    }

    fn depends(&self, dof: usize) -> bool {
        self.tape.depends(dof)
    }

    fn is_periodic(&self, dof: usize) -> bool {
        self.quotient.as_ref().is_some_and(|q| q.is_periodic(dof))
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        match &self.quotient {
            Some(quotient) => quotient.enclose(q),
            None => self.enclose_by_tape(q),
        }
    }
}
