//! The data of a generator: inputs, trigonometric values, lengths and moments in chosen units, groups of parallel axes.

use super::choices::{BranchChoices, Choices, Site};
use super::gauge::{self, Gauge};
use super::geometry::{Arm, Layout, Moments};
use super::tree::{Attachment, Branch};
use super::vector::{CosSin, V};
use super::{Parameters, Trig};
use crate::base::{Regrouped, candidates};
use crate::graph::{Array, Expr, Graph, ParameterValue};
use armdyn_core::{Real, Vec3};
use std::cell::RefCell;
use std::f64::consts::FRAC_PI_2;

/// The data available while a program is recorded.
pub(crate) struct Context<'a> {
    pub arm: &'a Arm,
    pub choices: BranchChoices<'a>,
    /// The link that the arm is attached to, if that moves.
    pub attachment: Option<Attachment>,
    /// Whether each link carries other branches.
    pub carries: &'a [bool],
    pub trig: Trig,
    pub q: Vec<Expr>,
    pub qd: Vec<Expr>,
    pub qdd: Vec<Expr>,
    /// Cosine and sine of α, unit by unit.
    pub alpha: Vec<CosSin>,
    /// Lengths; scaled lengths for accelerations; scaled lever arms for moments.
    pub lengths: Vec<V>,
    pub p: Vec<V>,
    pub lever: Vec<V>,
    /// Moments of the links, as numbers and as expressions.
    pub numbers: Vec<Moments<f64>>,
    pub moments: Vec<Moments<Expr>>,
    /// Scaled first moments for forces and for moments; scaled masses for forces.
    pub s_force: Vec<V>,
    pub s_moment: Vec<V>,
    pub mass: Vec<Expr>,
    /// −g.
    pub lift: V,
    /// Groups of units with parallel axes.
    pub groups: Vec<Vec<usize>>,
    /// Rotation of the terminal frame about its z axis.
    pub terminal: f64,
    constants: RefCell<Constants>,
}

/// The terms that a quantity includes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub gravity: bool,
    pub velocity: bool,
    pub acceleration: bool,
}

/// The inputs of a program, by degree of freedom; zero where a quantity does not include them.
pub(crate) struct Inputs {
    pub q: Vec<Expr>,
    pub qd: Vec<Expr>,
    pub qdd: Vec<Expr>,
}

impl Inputs {
    /// New inputs of the graph being recorded.
    pub fn new(count: usize, terms: Terms) -> Self {
        let array = |array, included| if included { Graph::array(array, count) } else { vec![Expr::zero(); count] };
        let q = array(Array::Q, true);
        Inputs { q, qd: array(Array::Qd, terms.velocity), qdd: array(Array::Qdd, terms.acceleration) }
    }
}

/// Creates constants: numbers or named parameters.
pub(crate) struct Constants {
    parameters: Parameters,
    /// The rounding error of a length.
    rounding: f64,
    made: Vec<(String, f64, Expr)>,
}

impl Constants {
    fn get(&mut self, name: &str, value: f64) -> Expr {
        self.named(name, value, || name.to_string())
    }

    fn named(&mut self, name: &str, value: f64, formula: impl Fn() -> String) -> Expr {
        if value == 0.0 || self.parameters == Parameters::Numeric {
            return Expr::lift(value);
        }
        if let Some((_, _, e)) = self.made.iter().find(|(n, ..)| n == name) {
            return *e;
        }
        let e = Graph::parameter(self.made.len(), name, ParameterValue { value, formula: formula() });
        self.made.push((name.to_string(), value, e));
        e
    }

    /// A length; equal lengths are one parameter.
    fn length(&mut self, name: &str, value: f64) -> Expr {
        if value == 0.0 || self.parameters == Parameters::Numeric {
            return Graph::approximate(value, self.rounding);
        }
        match self.made.iter().find(|(_, v, _)| v.abs() == value.abs()) {
            Some((_, v, e)) => e.flipped(*v != value),
            None => self.get(name, value),
        }
    }
}

/// The moments of the links from base parameters, as inputs with their formulas.
fn symbolic(
    constants: &mut Constants,
    arm: &Arm,
    layout: &Layout,
    lengths: &[V],
    alpha: &[CosSin],
) -> Vec<Moments<Expr>> {
    let numbers = gauge::numeric(Gauge::Common, arm, layout);
    let errors = gauge::errors(arm, layout);
    let regrouped = Regrouped::new(arm, layout);
    let mut all = vec![];
    for (j, numbers) in numbers.iter().enumerate() {
        let mut m = [Expr::zero(); 10];
        for (name, sum, unit) in candidates(arm.places[j].slides.is_some()) {
            let value: f64 = numbers.iter().zip(sum).map(|(x, w)| x * w).sum();
            let error: f64 = errors[j].iter().zip(sum).map(|(x, w)| x * w.abs()).sum();
            if value.abs() > error {
                let x = constants.named(&format!("{name}{}R", j + 1), value, || regrouped.formula(j, &sum));
                m.iter_mut().zip(unit).for_each(|(m, u)| *m += Expr::lift(u) * x);
            }
        }
        all.push(m);
    }
    let e: Vec<V> = arm.places.iter().map(|p| [Expr::zero(), -alpha[p.unit].1, alpha[p.unit].0]).collect();
    gauge::grouped(Gauge::Natural, arm, &all, &e, lengths).0
}

/// The chosen layout of a branch, its origins, and the rotation of its terminal frame.
pub(crate) fn chosen_layout(branch: &Branch, choices: &Choices, from: Option<Vec3<f64>>) -> (Layout, Vec<usize>, f64) {
    let arm = &branch.arm;
    let choices = BranchChoices { all: choices, first: branch.first };
    let origins: Vec<usize> = (0..arm.len()).map(|j| choices.pick(Site::Origin, j, arm.origin_count(j))).collect();
    let mut layout = arm.layout(|j| origins[j], from);
    let carries = branch.carries[arm.len() - 1];
    let terminal = if carries { 0.0 } else { terminal_rotation(arm, choices, &mut layout.moments) };
    (layout, origins, terminal)
}

impl<'a> Context<'a> {
    /// The data of a branch, in the graph being recorded. `from` is the origin of the link that it is attached to. None if the
    /// chosen gauge is invalid.
    pub fn new(
        branch: &'a Branch,
        choices: &'a Choices,
        from: Option<Vec3<f64>>,
        (trig, parameters): (Trig, Parameters),
        terms: Terms,
        inputs: &Inputs,
    ) -> Option<Self> {
        let arm = &branch.arm;
        let n = arm.len();
        let (layout, _, terminal) = chosen_layout(branch, choices, from);
        let choices = BranchChoices { all: choices, first: branch.first };
        let natural = gauge::numeric(Gauge::Natural, arm, &layout);
        let of_arm = |all: &[Expr]| arm.dofs.iter().map(|&dof| all[dof]).collect::<Vec<Expr>>();
        let (q, qd, qdd) = (of_arm(&inputs.q), of_arm(&inputs.qd), of_arm(&inputs.qdd));
        let mut constants = Constants { parameters, rounding: 8.0 * f64::EPSILON * arm.size, made: vec![] };
        let c = &mut constants;
        let mut lengths: Vec<V> = vec![];
        let mut alpha = vec![];
        for u in &arm.units {
            // Only the base unit has no joint, and its angle is zero.
            let general = u.joint.filter(|_| u.alpha.0 != 0.0 && u.alpha.1 != 0.0);
            let named = |c: &mut Constants, name: &str, x: f64| {
                general.map_or_else(|| Expr::lift(x), |j| c.get(&format!("{name}{}", j + 1), x))
            };
            alpha.push((named(c, "ca", u.alpha.0), named(c, "sa", u.alpha.1)));
        }
        for j in 0..n {
            let p = layout.p[j].to_array();
            lengths.push([0, 1, 2].map(|i| c.length(&format!("p{}{}", ["x", "y", "z"][i], j + 1), p[i])));
        }
        let g = arm.lift.to_array();
        let single = g.iter().filter(|x| **x != 0.0).count() == 1;
        let lift = [0, 1, 2].map(|i| {
            let name = if single { "g".to_string() } else { format!("g{}", ["x", "y", "z"][i]) };
            if terms.gravity { c.get(&name, g[i]) } else { Expr::zero() }
        });
        let symbols: Vec<Moments<Expr>> = match parameters {
            Parameters::Numeric => {
                let number =
                    |(m, e): (&Moments<f64>, Moments<f64>)| core::array::from_fn(|k| Graph::approximate(m[k], e[k]));
                natural.iter().zip(gauge::errors(arm, &layout)).map(number).collect()
            }
            Parameters::Symbolic => {
                let mut all = symbolic(c, arm, &layout, &lengths, &alpha);
                for (m, n) in all.iter_mut().zip(&natural) {
                    m.iter_mut().zip(n).filter(|(_, n)| **n == 0.0).for_each(|(m, _)| *m = Expr::zero());
                }
                all
            }
        };
        let (numbers, moments) = gauge::chosen(arm, &layout, &lengths, &natural, &symbols, choices)?;
        let groups = groups(arm, choices);
        let mut context = Context {
            arm,
            choices,
            attachment: branch.attachment,
            carries: &branch.carries,
            trig,
            q,
            qd,
            qdd,
            alpha,
            p: lengths.clone(),
            lever: lengths.clone(),
            lengths,
            s_force: moments.iter().map(|m| [m[6], m[7], m[8]]).collect(),
            s_moment: moments.iter().map(|m| [m[6], m[7], m[8]]).collect(),
            mass: moments.iter().map(|m| m[9]).collect(),
            numbers,
            moments,
            lift,
            groups,
            terminal,
            constants: RefCell::new(constants),
        };
        let alone = branch.attachment.is_none() && !branch.carries.contains(&true);
        if alone && arm.places.iter().all(|p| p.slides.is_none()) {
            context.scale(&layout.p.iter().map(|p| p.to_array()).collect::<Vec<_>>(), g);
        }
        Some(context)
    }

    /// A constant: a number, or a parameter of that name.
    pub fn constant(&self, name: &str, value: f64) -> Expr {
        self.constants.borrow_mut().get(name, value)
    }

    /// Units of acceleration and force in which a length, a moment or gravity is 1.
    fn scale(&mut self, p: &[[f64; 3]], g: [f64; 3]) {
        let n = p.len();
        // Candidates for a unit: length, first moment, gravity, mass; by link and component.
        #[derive(Clone, Copy, PartialEq)]
        enum Of {
            P(usize, usize),
            S(usize, usize),
            G(usize),
            M(usize),
        }
        let lengths = (1..n)
            .flat_map(|j| (0..3).map(move |i| Of::P(j, i)))
            .filter(|o| matches!(o, Of::P(j, i) if p[*j][*i] != 0.0));
        let lengths: Vec<Of> = lengths.collect();
        let numbers = self.numbers.clone();
        let firsts: Vec<Of> = (1..n)
            .flat_map(|j| (0..3).map(move |i| Of::S(j, i)))
            .filter(|o| matches!(o, Of::S(j, i) if numbers[*j][6 + *i] != 0.0))
            .collect();
        let masses = (1..n).map(Of::M).filter(|o| matches!(o, Of::M(j) if numbers[*j][9] != 0.0));
        let gravities = (0..3).map(Of::G).filter(|o| matches!(o, Of::G(i) if g[*i] != 0.0));
        let accelerations: Vec<Of> = lengths.iter().copied().chain(firsts.iter().copied()).chain(gravities).collect();
        let forces: Vec<Of> = lengths.iter().copied().chain(firsts.iter().copied()).chain(masses).collect();
        let pick = |site, all: &[Of]| match self.choices.pick(site, 0, all.len() + 1) {
            0 => None,
            k => Some(all[k - 1]),
        };
        let (a_of, f_of) = (pick(Site::AccelerationUnit, &accelerations), pick(Site::ForceUnit, &forces));
        let one = Expr::one();
        let value = |s: &Self, o: Of| match o {
            Of::P(j, i) => s.p[j][i],
            Of::S(j, i) => s.moments[j][6 + i],
            Of::G(i) => s.lift[i],
            Of::M(j) => s.moments[j][9],
        };
        // a = α a', f = φ f'.
        let acceleration = match a_of {
            None => one,
            Some(o @ Of::S(..)) => one / value(self, o),
            Some(o) => value(self, o),
        };
        if acceleration == Expr::zero() {
            return;
        }
        let force = match f_of {
            None => one,
            Some(o @ Of::P(..)) => one / value(self, o),
            Some(o @ Of::M(_)) => value(self, o) * acceleration,
            Some(o) => value(self, o),
        };
        let exact = |mine: bool, e: Expr| if mine { one } else { e };
        for j in 0..n {
            let s = [0, 1, 2].map(|i| self.moments[j][6 + i]);
            for i in 0..3 {
                self.lever[j][i] = exact(f_of == Some(Of::P(j, i)), self.lever[j][i] * force);
                self.p[j][i] = exact(a_of == Some(Of::P(j, i)), self.p[j][i] / acceleration);
                self.s_moment[j][i] = exact(a_of == Some(Of::S(j, i)), s[i] * acceleration);
                self.s_force[j][i] = exact(f_of == Some(Of::S(j, i)), s[i] / force);
            }
            self.mass[j] = exact(f_of == Some(Of::M(j)), self.moments[j][9] * acceleration / force);
        }
        for i in 0..3 {
            self.lift[i] = exact(a_of == Some(Of::G(i)), self.lift[i] / acceleration);
        }
    }

    /// Cosine and sine of the angle from member `a` of a group to member `b` (0: the unrotated axes).
    pub fn cos_sin(&self, group: &[usize], a: usize, b: usize) -> CosSin {
        if a > b {
            let (c, s) = self.cos_sin(group, b, a);
            return (c, -s);
        }
        if self.trig != Trig::Sums && b > a + 1 {
            let ((c, s), (d, t)) = (self.cos_sin(group, a, b - 1), self.cos_sin(group, b - 1, b));
            return (c * d - s * t, s * d + c * t);
        }
        self.cos_sin_of_sum(&group[a..b], 1.0)
    }

    /// Cosine and sine of a multiple of the sum of the angles of units.
    fn cos_sin_of_sum(&self, units: &[usize], times: f64) -> CosSin {
        let mut angle = Expr::zero();
        let mut offset = 0.0;
        for &u in units {
            let unit = &self.arm.units[u];
            let joint = unit.joint.expect("a revolute unit");
            angle += Expr::lift(unit.sign) * self.q[joint];
            offset += unit.offset + if joint + 1 == self.arm.len() { self.terminal } else { 0.0 };
        }
        let (angle, offset) = (Expr::lift(times) * angle, times * offset);
        let quarters = (offset / FRAC_PI_2).round();
        if (offset - quarters * FRAC_PI_2).abs() < 1e-12 {
            let (s, c) = angle.sin_cos();
            return match (quarters as i64).rem_euclid(4) {
                0 => (c, s),
                1 => (-s, c),
                2 => (-c, -s),
                _ => (s, -c),
            };
        }
        if self.trig == Trig::Unshifted {
            let ((s, c), (sine, cosine)) = (angle.sin_cos(), offset.sin_cos());
            let (sine, cosine) = (Expr::lift(sine), Expr::lift(cosine));
            return (c * cosine - s * sine, s * cosine + c * sine);
        }
        let (s, c) = (angle + Expr::lift(offset)).sin_cos();
        (c, s)
    }

    /// Cosine and sine of twice the angle from the unrotated axes of a group to member `b`.
    pub fn cos_sin_double(&self, group: &[usize], b: usize) -> CosSin {
        if self.trig == Trig::Sums {
            return self.cos_sin_of_sum(&group[..b], 2.0);
        }
        let (c, s) = self.cos_sin(group, 0, b);
        let twice = Expr::lift(2.0) * s;
        (Expr::one() - twice * s, twice * c)
    }
}

/// Consecutive units with parallel axes, unless chosen to be separate.
fn groups(arm: &Arm, choices: BranchChoices) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![];
    for u in 1..arm.units.len() {
        let joint = arm.units[u].joint.expect("a revolute unit");
        let parallel = u > 1 && arm.units[u].alpha == (1.0, 0.0);
        if parallel && choices.pick(Site::Apart, joint, 2) == 0 {
            groups.last_mut().expect("a unit before it").push(u);
        } else {
            groups.push(vec![u]);
        }
    }
    groups
}

/// Rotates the last frame about its z axis so that one of s_y, s_x, K12, K13, K23 vanishes.
fn terminal_rotation(arm: &Arm, choices: BranchChoices, moments: &mut [Moments<f64>]) -> f64 {
    let last = arm.len() - 1;
    if arm.places[last].slides.is_some() {
        return 0.0;
    }
    let m = &mut moments[last];
    let [k11, k12, k13, k22, k23, _, sx, sy, ..] = *m;
    let (angle, gone) = match choices.pick(Site::Terminal, last, 6) {
        0 => return 0.0,
        1 => (sy.atan2(sx), 7),
        2 => ((-sx).atan2(sy), 6),
        3 => (0.5 * (2.0 * k12).atan2(k11 - k22), 1),
        4 => ((-k13).atan2(k23), 2),
        _ => (k23.atan2(k13), 4),
    };
    let (s, c) = angle.sin_cos();
    let pair = |x: f64, y: f64| (c * x + s * y, c * y - s * x);
    let (mean, half) = (0.5 * (k11 + k22), 0.5 * (k11 - k22));
    let (s2, c2) = (2.0 * angle).sin_cos();
    let (d, x) = (c2 * half + s2 * k12, c2 * k12 - s2 * half);
    (m[0], m[3], m[1]) = (mean + d, mean - d, x);
    (m[2], m[4]) = pair(k13, k23);
    (m[6], m[7]) = pair(sx, sy);
    m[gone] = 0.0;
    let size = m[..6].iter().fold(0.0, |s: f64, x| s.max(x.abs()));
    m[..6].iter_mut().filter(|x| x.abs() < 1e-13 * size).for_each(|x| *x = 0.0);
    angle
}
