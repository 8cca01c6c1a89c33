//! The equations of motion of a base, at an instant.
//!
//! Lau 1985, section 6.1, corrected. On wheels at (xᵢ, yᵢ), about the point of the ground below the base's origin, (1) of
//! [`crate::base`] is
//!
//!   x, y, ψ:  I ν̇ + W = drive + Σ J ᵀ p − Σ μ N Jᵀ e       p of what sticks, e the way of what rubs      (2)
//!   z:        I ν̇ + W = Σ Nᵢ                                                                           (3)
//!   Mx, My:   I ν̇ + W = Σ (yᵢ, −xᵢ) Nᵢ                                                                (4)
//!
//! Forces that hold do no work on what is allowed: (2) is projected on the basis Z of the twists that they leave, so that
//! ν̇ = ν̇₀ + Z a, with ν̇₀ of what is driven. The weight is Nᵢ = n₁ + n₂ xᵢ + n₃ yᵢ: exact for three wheels, and of more the
//! one of least norm, as wheels of equal compliance share it; a wheel that would have to pull lifts off then. Unknowns are
//! a and n. With a castor at (s, 0) and two fixed wheels at (0, ±d), that are the six equations of Lau's corrected model.

use super::{Base, Drive, Row};
use armdyn::{
    EnergyData, Force, Inertia, KinematicsData, Model, Motion as Twist, RneaData, Rotation, Transform, Vec3, energy,
    kinematics, momentum, rnea, vec3,
};
use armdyn_analysis::{Error, Result};

/// Components of a twist, and of a wrench: linear first.
pub(crate) type Six = [f64; 6];

/// What something that rubs does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Status {
    Sticks,
    /// The way it goes.
    Rubs([f64; 2]),
}

/// What everything that rubs does.
pub(crate) type Mode = Vec<Status>;

/// Base and arm at an instant, about the point of the ground below the base's origin: I, and W where ν̇ = 0.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub mass: [Six; 6],
    pub bias: Six,
    /// Accelerations of what is driven by a motion, and forces of what is driven by such.
    pub rates: Option<Vec<f64>>,
    pub efforts: Option<Vec<f64>>,
}

/// What the equations gave.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    /// ν̇.
    pub rate: Six,
    pub weights: Vec<f64>,
    /// Force of the ground, of each thing that rubs, along its rows.
    pub forces: Vec<[f64; 2]>,
    /// Forces of the drive.
    pub driving: Vec<f64>,
    /// Σ Nᵢ, Σ yᵢ Nᵢ, −Σ xᵢ Nᵢ.
    pub resultant: [f64; 3],
    /// Whether forces that hold are not determined: only their sum is.
    pub undetermined: bool,
}

/// What is true of a robot on a base at an instant.
#[derive(Clone, Debug)]
pub struct Instant {
    /// ν̇: linear and angular acceleration of the base, in its axes and relative to them.
    pub acceleration: Twist<f64>,
    /// Torques or forces of the arm's joints, on the base that moves so \[N m, N\].
    pub tau: Vec<f64>,
    /// The weight on each wheel \[N\].
    pub weights: Vec<f64>,
    /// Force of the ground sideways on the axle of fixed wheels \[N\]; where it is not determined, as at rest, the least
    /// that does. NaN if there is none, or it never slides.
    pub sideways: f64,
    /// Whether that axle slides.
    pub slides: bool,
    /// The zero-moment point, in the base's frame \[m\]; none afloat.
    pub zero_moment_point: Option<[f64; 2]>,
    /// How far the zero-moment point is within the wheels' polygon \[m\]; below 0 it tips. Infinite afloat.
    pub tip_margin: f64,
    /// The wheels that it is nearest to tip about.
    pub tip_edge: Option<[usize; 2]>,
    /// Forces of the drive along what is driven \[N, N m\].
    pub driving: Vec<f64>,
}

/// A robot on a base, with room to compute in.
pub(crate) struct Dynamics<'a> {
    /// Without gravity: that is counted in the base's acceleration, as the base may turn.
    model: Model<f64>,
    pub base: &'a Base,
    pub gravity: Vec3<f64>,
    data: RneaData<f64>,
    kinematics: KinematicsData<f64>,
    energy: EnergyData<f64>,
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    pub qdd: Vec<f64>,
    pub tau: Vec<f64>,
}

/// Which components of a twist are free on wheels, and which the ground holds.
const PLANAR: [usize; 3] = [0, 1, 5];
const GROUND: [usize; 3] = [2, 3, 4];
const ALL: [usize; 6] = [0, 1, 2, 3, 4, 5];

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl<'a> Dynamics<'a> {
    pub fn new(m: &Model<f64>, base: &'a Base) -> Result<Self> {
        let model = m.with_gravity(Vec3::zero());
        let mass = m.base_inertia().mass + m.base_to_tip().map(|(_, b)| b.inertia.mass).sum::<f64>();
        if mass <= 0.0 {
            return Err(Error::Asked(format!("`{}` has no mass: its base cannot move by reaction", m.name())));
        }
        let gravity = if base.weightless { Vec3::zero() } else { m.gravity() };
        let (n, data) = (model.nv(), RneaData::new(&model));
        let (kinematics, energy) = (KinematicsData::new(&model), EnergyData::new(&model));
        let (q, rest) = (vec![0.0; model.nq()], vec![0.0; n]);
        let (qd, qdd, tau) = (rest.clone(), rest.clone(), rest);
        Ok(Dynamics { model, base, gravity, data, kinematics, energy, q, qd, qdd, tau })
    }

    pub fn free(&self) -> &'static [usize] {
        if self.base.floats() { &ALL } else { &PLANAR }
    }

    /// The base's frame in that of the ground below it.
    fn above_ground(&self) -> Transform<f64> {
        Transform::shifted(vec3(0.0, 0.0, -self.base.ground))
    }

    /// Inertia of base and arm where the arm is at `q`, in the base's frame.
    fn composite(&mut self) -> Result<Inertia<f64>> {
        kinematics(&self.model, &mut self.kinematics, &self.q)?;
        let poses = self.kinematics.poses();
        let all = self.model.base_to_tip().map(|(i, b)| b.inertia.seen_from(&poses[i]));
        Ok(all.fold(*self.model.base_inertia(), |sum, i| sum + i))
    }

    /// τ of the arm at `q`, `q̇`, `q̈`, on a base with a twist and its rate; and the wrench that the base needs.
    fn recursion(&mut self, attitude: &Rotation<f64>, twist: &Six, rate: &Six) -> Result<Force<f64>> {
        let (velocity, rate) = (motion(twist), motion(rate));
        let fall = attitude.turn_back(self.gravity);
        self.data.boundary.base_velocity = velocity;
        let carried = velocity.angular.cross(velocity.linear);
        self.data.boundary.base_acceleration = Twist::new(rate.angular, rate.linear + carried - fall);
        rnea(&self.model, &mut self.data, &self.q, &self.qd, &self.qdd, &mut self.tau)?;
        Ok(self.data.base_wrench(&self.model)?)
    }

    /// I and W, and what the drive does.
    pub fn load(&mut self, t: f64, attitude: &Rotation<f64>, twist: &Six) -> Result<Load> {
        let x = self.above_ground();
        let inertia = self.composite()?.seen_from(&x);
        let bias = six(x.force(self.recursion(attitude, twist, &[0.0; 6])?));
        let column = |k: usize| six(inertia.momentum(motion(&std::array::from_fn(|i| f64::from(u8::from(i == k))))));
        let mass = std::array::from_fn(column);
        let n = self.base.driven.len();
        let (mut rates, mut efforts) = (None, None);
        match &self.base.drive {
            Drive::Free => {}
            Drive::Motion(it) => {
                let (mut place, mut speed, mut rate) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
                it.at(t, &mut place, &mut speed, &mut rate);
                rates = Some(rate);
            }
            Drive::Effort(it) => {
                let mut effort = vec![0.0; n];
                it(t, &mut effort);
                efforts = Some(effort);
            }
        }
        Ok(Load { mass, bias, rates, efforts })
    }

    /// Solves (2) … (4).
    pub fn solve(&self, load: &Load, mode: &[Status]) -> Result<Solution> {
        let (base, free) = (self.base, self.free());
        let rows = self.rows(load, mode);
        let basis = Basis::new(&rows, free.len());
        let m = |i: usize, v: &[f64]| free.iter().zip(v).map(|(j, x)| load.mass[i][*j] * x).sum::<f64>();
        let project = |z: &[f64], f: &dyn Fn(usize) -> f64| free.iter().zip(z).map(|(i, z)| z * f(*i)).sum::<f64>();
        let effort = self.effort(load);
        // The way of each thing that rubs, as a force of unit weight.
        let ways: Vec<(usize, Row)> = mode.iter().enumerate().filter_map(|(k, s)| Some((k, self.way(k, s)?))).collect();
        let k = basis.rest.len();
        let weights = if base.floats() { 0 } else { 3 };
        let mut standing: Vec<usize> = (0..base.wheels.len()).collect();
        let mut found: Option<(Vec<f64>, Vec<f64>, [f64; 3])> = None;
        loop {
            let share = |i: usize| [1.0, base.wheels[i].at[0], base.wheels[i].at[1]];
            let (size, mut a) = (k + weights, vec![]);
            for z in &basis.rest {
                let mut row: Vec<f64> = basis.rest.iter().map(|x| project(z, &|i| m(i, x))).collect();
                for c in 0..weights {
                    let rub = |(e, way): &(usize, Row)| {
                        let on = base.rubbing[*e].wheels.iter().filter(|i| standing.contains(i));
                        base.rubbing[*e].moving * dot(z, way) * on.map(|i| share(*i)[c]).sum::<f64>()
                    };
                    row.push(ways.iter().map(rub).sum());
                }
                row.push(-project(z, &|i| load.bias[i] + m(i, &basis.given)) + dot(z, &effort));
                a.push(row);
            }
            for (g, i) in GROUND.iter().enumerate().take(weights) {
                let mut row: Vec<f64> = basis.rest.iter().map(|x| m(*i, x)).collect();
                for c in 0..3 {
                    row.push(
                        -standing.iter().map(|w| [1.0, share(*w)[2], -share(*w)[1]][g] * share(*w)[c]).sum::<f64>(),
                    );
                }
                row.push(-(load.bias[*i] + m(*i, &basis.given)));
                a.push(row);
            }
            let Some(x) = eliminate(a, size) else {
                if found.is_some() {
                    break;
                }
                return Err(Error::Asked("the base moves no inertia: give it, or the arm, a mass".to_string()));
            };
            let on = |w: usize| if standing.contains(&w) { dot(&share(w), &x[k..]) } else { 0.0 };
            let each: Vec<f64> = (0..base.wheels.len()).map(on).collect();
            let first = found.as_ref().map(|f| f.2);
            let sum = |f: &dyn Fn(usize) -> f64| (0..each.len()).map(|w| f(w) * each[w]).sum::<f64>();
            let resultant = [sum(&|_| 1.0), sum(&|w| base.wheels[w].at[1]), sum(&|w| -base.wheels[w].at[0])];
            let total: f64 = each.iter().map(|x| x.abs()).sum();
            let pulls = standing
                .iter()
                .copied()
                .min_by(|i, j| each[*i].total_cmp(&each[*j]))
                .filter(|w| each[*w] < -1e-12 * total);
            found = Some((x, each, first.unwrap_or(resultant)));
            match pulls {
                Some(w) if standing.len() > 3 => standing.retain(|i| *i != w),
                _ => break,
            }
        }
        let (x, weights, resultant) = found.unwrap_or_default();
        let mut rate = [0.0; 6];
        for (c, i) in free.iter().enumerate() {
            rate[*i] = basis.given[c] + basis.rest.iter().zip(&x).map(|(z, a)| z[c] * a).sum::<f64>();
        }
        let mut forces = vec![[0.0; 2]; base.rubbing.len()];
        let mut left: Vec<f64> = free.iter().map(|i| load.bias[*i] + dot(&load.mass[*i], &rate)).collect();
        left.iter_mut().zip(&effort).for_each(|(f, e)| *f -= e);
        for (e, way) in &ways {
            let force = base.rubbing[*e].moving * base.rubbing[*e].wheels.iter().map(|i| weights[*i]).sum::<f64>();
            left.iter_mut().zip(way).for_each(|(f, w)| *f += force * w);
            if let Status::Rubs(way) = mode[*e] {
                forces[*e] = way.map(|w| -force * w);
            }
        }
        let undetermined = rows.len() > basis.rank;
        let held = basis.bearing(&rows, &left);
        let mut held = held.into_iter().skip(base.held.len());
        let mut driving = load.efforts.clone().unwrap_or_else(|| vec![0.0; base.driven.len()]);
        if load.rates.is_some() {
            driving.iter_mut().for_each(|d| *d = held.next().unwrap_or(0.0));
        }
        for (k, r) in base.rubbing.iter().enumerate().filter(|(k, _)| mode[*k] == Status::Sticks) {
            (0..r.rows.len()).for_each(|c| forces[k][c] = held.next().unwrap_or(0.0));
        }
        Ok(Solution { rate, weights, forces, driving, resultant, undetermined })
    }

    /// The weight on each wheel where the base is accelerated so: (3), (4).
    pub(super) fn weights(&self, load: &Load, rate: &Six) -> Vec<f64> {
        let share = |w: usize| [1.0, self.base.wheels[w].at[0], self.base.wheels[w].at[1]];
        let all = 0..self.base.wheels.len();
        let line = |(g, i): (usize, &usize)| {
            let lever = |w: usize| [1.0, share(w)[2], -share(w)[1]][g];
            let sums = (0..3).map(|c| all.clone().map(|w| lever(w) * share(w)[c]).sum::<f64>());
            sums.chain(std::iter::once(load.bias[*i] + dot(&load.mass[*i], rate))).collect::<Vec<f64>>()
        };
        let n = eliminate(GROUND.iter().enumerate().map(line).collect(), 3).unwrap_or_else(|| vec![f64::NAN; 3]);
        all.map(|w| dot(&share(w), &n)).collect()
    }

    /// What holds: rows, and the accelerations along them.
    pub(super) fn rows(&self, load: &Load, mode: &[Status]) -> Vec<(Row, f64)> {
        let mut rows: Vec<(Row, f64)> = self.base.held.iter().map(|r| (*r, 0.0)).collect();
        if let Some(rates) = &load.rates {
            rows.extend(self.base.driven.iter().zip(rates).map(|((_, row), rate)| (*row, *rate)));
        }
        for (rubbing, _) in self.base.rubbing.iter().zip(mode).filter(|(_, s)| **s == Status::Sticks) {
            rows.extend(rubbing.rows.iter().map(|r| (*r, 0.0)));
        }
        rows
    }

    /// The drive's forces on the free components.
    pub(super) fn effort(&self, load: &Load) -> Vec<f64> {
        let mut sum = vec![0.0; self.free().len()];
        for ((_, row), e) in self.base.driven.iter().zip(load.efforts.iter().flatten()) {
            sum.iter_mut().zip(row).for_each(|(s, r)| *s += e * r);
        }
        sum
    }

    /// Jᵀ e of something that rubs.
    pub(super) fn way(&self, k: usize, status: &Status) -> Option<Row> {
        let Status::Rubs(way) = status else { return None };
        let rows = &self.base.rubbing[k].rows;
        Some(std::array::from_fn(|c| rows.iter().zip(way).map(|(r, w)| r[c] * w).sum()))
    }

    /// The velocity of something that rubs.
    pub fn speed(&self, k: usize, twist: &Six) -> [f64; 2] {
        let planar = [twist[0], twist[1], twist[5]];
        let rows = &self.base.rubbing[k].rows;
        std::array::from_fn(|c| rows.get(c).map_or(0.0, |r| dot(r, &planar)))
    }

    /// The weight on something that rubs.
    pub fn weight_on(&self, k: usize, s: &Solution) -> f64 {
        self.base.rubbing[k].wheels.iter().map(|i| s.weights[*i]).sum()
    }

    /// How much more something that sticks could bear \[N\].
    pub fn reserve(&self, k: usize, s: &Solution) -> f64 {
        let [a, b] = s.forces[k];
        self.base.rubbing[k].at_rest * self.weight_on(k, s) - a.hypot(b)
    }

    /// The moment \[N m\] of the weight about the polygon's edge where it is least, and the edge's wheels.
    pub fn tipping(&self, s: &Solution) -> Option<(f64, [usize; 2])> {
        let [z, mx, my] = s.resultant;
        let corners = &self.base.corners;
        let edge = |k: usize| {
            let (i, j) = (corners[k], corners[(k + 1) % corners.len()]);
            let ([x, y, _], [u, v, _]) = (self.base.wheels[i].at, self.base.wheels[j].at);
            let (dx, dy) = (u - x, v - y);
            ((dx * (mx - z * y) - dy * (-my - z * x)) / dx.hypot(dy), [i, j])
        };
        (0..corners.len()).map(edge).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Everything at an instant; τ of the moving base stays in `tau`.
    pub fn instant(&mut self, attitude: &Rotation<f64>, twist: &Six, mode: &[Status], s: &Solution) -> Result<Instant> {
        self.recursion(attitude, twist, &s.rate)?;
        let axle = self.base.rubbing.iter().position(|r| r.sideways);
        let slides = axle.is_some_and(|k| mode[k] != Status::Sticks);
        let [z, mx, my] = s.resultant;
        let tip = self.tipping(s);
        Ok(Instant {
            acceleration: motion(&s.rate),
            tau: self.tau.clone(),
            weights: s.weights.clone(),
            sideways: axle.map_or(f64::NAN, |k| s.forces[k][0]),
            slides,
            zero_moment_point: tip.map(|_| [-my / z, mx / z]),
            tip_margin: tip.map_or(f64::INFINITY, |(moment, _)| moment / z.abs()),
            tip_edge: tip.map(|t| t.1),
            driving: s.driving.clone(),
        })
    }

    /// Kinetic energy \[J\], momentum about the base's origin in its axes, and the composite inertia.
    pub fn kinetic(&mut self, twist: &Six) -> Result<(f64, Force<f64>, Inertia<f64>)> {
        let (inertia, velocity) = (self.composite()?, motion(twist));
        let arm = energy(&self.model, &mut self.energy, &self.q, &self.qd)?.kinetic;
        let swing = momentum(&self.model, &mut self.energy, &self.q, &self.qd)?.about_origin;
        let carried = inertia.momentum(velocity);
        Ok((arm + velocity.dot(swing) + 0.5 * velocity.dot(carried), swing + carried, inertia))
    }

    /// The twist nearest to one that has the given speeds along some rows.
    pub fn project(&self, twist: Row, rows: Vec<(Row, f64)>) -> Row {
        let basis = Basis::new(&rows, 3);
        std::array::from_fn(|c| basis.given[c] + basis.rest.iter().map(|z| z[c] * dot(z, &twist)).sum::<f64>())
    }

    /// The rows that nothing overcomes, of what is at rest along them.
    pub fn kept(&self) -> impl Iterator<Item = (Row, f64)> {
        self.base.held.iter().map(|r| (*r, 0.0))
    }

    /// Whether nothing can move that is not driven.
    pub fn is_held(&self, mode: &[Status]) -> bool {
        let load = Load { mass: [[0.0; 6]; 6], bias: [0.0; 6], rates: None, efforts: None };
        !self.base.floats() && Basis::new(&self.rows(&load, mode), 3).rank == 3
    }

    /// What the drive works \[W\].
    pub fn driving_power(&self, s: &Solution, twist: &Six) -> f64 {
        let planar = [twist[0], twist[1], twist[5]];
        self.base.driven.iter().zip(&s.driving).map(|((_, row), f)| f * dot(row, &planar)).sum()
    }

    /// What the drives' own friction takes \[W\].
    pub fn joint_friction(&self) -> f64 {
        self.model.friction().iter().zip(&self.qd).map(|(f, v)| f.torque(*v) * v).sum()
    }
}

/// A twist, or its rate.
pub(crate) fn motion(v: &Six) -> Twist<f64> {
    Twist::new(vec3(v[3], v[4], v[5]), vec3(v[0], v[1], v[2]))
}

fn six(f: Force<f64>) -> Six {
    let ([a, b, c], [d, e, g]) = (f.force.to_array(), f.moment.to_array());
    [a, b, c, d, e, g]
}

/// What some rows leave of the free components.
pub(super) struct Basis {
    /// The least vector that has the given values along the rows.
    pub given: Vec<f64>,
    /// An orthonormal basis of what has none along any row.
    pub rest: Vec<Vec<f64>>,
    /// One of what the rows span.
    held: Vec<Vec<f64>>,
    pub rank: usize,
}

impl Basis {
    pub fn new(rows: &[(Row, f64)], n: usize) -> Self {
        let mut all: Vec<(Vec<f64>, f64)> = vec![];
        let unit = |k: usize| (0..n).map(|i| f64::from(u8::from(i == k))).collect::<Vec<f64>>();
        let given = rows.iter().map(|(r, value)| (r.to_vec(), *value));
        let mut rank = 0;
        for (count, (mut v, mut value)) in given.chain((0..n).map(|k| (unit(k), 0.0))).enumerate() {
            let size = dot(&v, &v).sqrt();
            // Twice is enough (Kahan): rounding of the first time is taken off by the second.
            for _ in 0..2 {
                for (q, b) in &all {
                    let along = dot(&v, q);
                    v.iter_mut().zip(q).for_each(|(v, q)| *v -= along * q);
                    value -= along * b;
                }
            }
            let left = dot(&v, &v).sqrt();
            // A unit vector counts among the rest only where it is not nearly spanned.
            if left > size * if count < rows.len() { 1e-9 } else { 1e-6 } && all.len() < n {
                v.iter_mut().for_each(|x| *x /= left);
                all.push((v, value / left));
                rank += usize::from(count < rows.len());
            }
        }
        let given = (0..n).map(|i| all[..rank].iter().map(|(q, b)| q[i] * b).sum()).collect();
        let rest = all.drain(rank..).map(|(q, _)| q).collect();
        Basis { given, rest, held: all.into_iter().map(|(q, _)| q).collect(), rank }
    }

    /// Forces along the rows that together are `sum`, the least ones where they are not determined.
    fn bearing(&self, rows: &[(Row, f64)], sum: &[f64]) -> Vec<f64> {
        let line = |q: &Vec<f64>| {
            let gram = self.held.iter().map(|p| rows.iter().map(|(r, _)| dot(r, q) * dot(r, p)).sum());
            gram.chain(std::iter::once(dot(q, sum))).collect::<Vec<f64>>()
        };
        let Some(z) = eliminate(self.held.iter().map(line).collect(), self.rank) else { return vec![0.0; rows.len()] };
        rows.iter().map(|(r, _)| self.held.iter().zip(&z).map(|(q, z)| z * dot(r, q)).sum()).collect()
    }
}

/// Solves n linear equations, each a row with its right side at the end, by elimination with pivots; none if singular.
pub(super) fn eliminate(mut a: Vec<Vec<f64>>, n: usize) -> Option<Vec<f64>> {
    for c in 0..n {
        let size = |r: &Vec<f64>| r[..n].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let pivot = (c..n).max_by(|&i, &j| {
            let share = |r: &Vec<f64>| r[c].abs() / size(r).max(f64::MIN_POSITIVE);
            share(&a[i]).total_cmp(&share(&a[j]))
        })?;
        a.swap(c, pivot);
        if a[c][c].is_nan() || a[c][c].abs() <= 1e-13 * size(&a[c]) {
            return None;
        }
        for i in c + 1..n {
            let factor = a[i][c] / a[c][c];
            let (above, below) = a.split_at_mut(i);
            below[0].iter_mut().zip(&above[c]).skip(c).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut x = vec![0.0; n];
    for c in (0..n).rev() {
        x[c] = (a[c][n] - dot(&a[c][c + 1..n], &x[c + 1..])) / a[c][c];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basis_keeps_what_rows_leave() {
        let b = Basis::new(&[([0.0, 2.0, 1.0], 3.0), ([0.0, 4.0, 2.0], 6.0)], 3);
        assert_eq!((b.rank, b.rest.len()), (1, 2));
        assert!(b.rest.iter().all(|z| (2.0 * z[1] + z[2]).abs() < 1e-15));
        assert!((2.0 * b.given[1] + b.given[2] - 3.0).abs() < 1e-14);
        assert_eq!(Basis::new(&[], 6).rest.len(), 6);
    }

    #[test]
    fn elimination_solves_and_refuses() {
        let x = eliminate(vec![vec![0.0, 2.0, 4.0], vec![3.0, 1.0, 5.0]], 2).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15);
        assert!(eliminate(vec![vec![1.0, 2.0, 0.0], vec![2.0, 4.0, 1.0]], 2).is_none());
    }
}
