//! Canonical frames of a serial arm of revolute and prismatic pairs: modified Denavit–Hartenberg (Khalil & Kleinfinger 1986).
//!
//! A *unit* is a revolute link and the prismatic links that follow it, with the same axes. z is the axis of rotation, x the
//! common normal of z and the next unit's z, so that a unit's axes are those of the preceding unit rotated by α about x and by
//! θ = ±q + offset about z. Unit 0 is the base, whose z is that of unit 1. The origin of a link on its axis is free: each has a
//! few candidates that make lengths vanish. Inertias are expressed as ∫ (r 1)(r 1)ᵀ dm.
//!
//! Parallel, perpendicular and intersecting axes are detected within [`TIDY`]; rounding residues are removed.

use armdyn_core::{Inertia, Model, Pair, Rotation, Sym3, Transform, Vec3};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Relative size below which a length, a sine or a moment is zero.
pub(crate) const TIDY: f64 = 1e-12;

/// K11 K12 K13 K22 K23 K33, s_x s_y s_z, m: K = ∫ r rᵀ dm, s = ∫ r dm.
pub(crate) type Moments<T> = [T; 10];

/// Axes that rotate together.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// The revolute link; none for the base.
    pub joint: Option<usize>,
    /// 1 if θ increases with q, otherwise −1.
    pub sign: f64,
    /// θ at q = 0.
    pub offset: f64,
    /// Cosine and sine of the angle between its z axis and the preceding one.
    pub alpha: (f64, f64),
    /// Its axes at q = 0, in the base frame.
    axes: Rotation<f64>,
}

/// One link.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Its unit.
    pub unit: usize,
    /// The sliding direction of a prismatic link, in its unit's axes.
    pub slides: Option<Vec3<f64>>,
    /// Candidate origins at q = 0, in the base frame.
    origins: Vec<Vec3<f64>>,
    /// Inertia about the base origin, in base axes, at q = 0.
    inertia: Inertia<f64>,
}

/// A serial arm in canonical frames.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub units: Vec<Unit>,
    pub places: Vec<Place>,
    /// −g in the base unit's axes.
    pub lift: Vec3<f64>,
    /// The largest distance.
    pub size: f64,
}

/// Lengths and moments once every origin is chosen.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Position relative to the preceding link's origin, in that link's axes.
    pub p: Vec<Vec3<f64>>,
    /// Moments about the origin, in the link's axes.
    pub moments: Vec<Moments<f64>>,
}

/// A line in space.
#[derive(Clone, Copy)]
struct Line {
    through: Vec3<f64>,
    along: Vec3<f64>,
}

impl Line {
    /// The point nearest to `p`.
    fn foot(&self, p: Vec3<f64>) -> Vec3<f64> {
        self.through + self.along * self.along.dot(p - self.through)
    }

    /// End points of the common normal, on this line and on the other; none if they are parallel.
    fn normal(&self, other: &Line) -> Option<(Vec3<f64>, Vec3<f64>)> {
        let n = self.along.cross(other.along);
        let square = n.norm_squared();
        if square < TIDY {
            return None;
        }
        let between = other.through - self.through;
        let at = |along: Vec3<f64>| between.cross(along).dot(n) / square;
        Some((self.through + self.along * at(other.along), other.through + other.along * at(self.along)))
    }
}

/// The poses of the bodies at q = 0.
pub(crate) fn poses(m: &Model<f64>) -> Vec<Transform<f64>> {
    let mut all = vec![Transform::identity()];
    for (_, b) in m.base_to_tip() {
        all.push(all[b.parent].compose(&b.placement));
    }
    all
}

impl Arm {
    /// The canonical frames of a chain of revolute and prismatic pairs; none for other robots.
    pub fn of(m: &Model<f64>) -> Option<Arm> {
        let serial = |(k, b): (usize, &armdyn_core::Body<f64>)| {
            b.parent + 1 == k && matches!(b.pair, Pair::Revolute | Pair::Prismatic)
        };
        if m.body_count() == 0 || !m.followers().is_empty() || !m.base_to_tip().all(serial) {
            return None;
        }
        let poses = poses(m);
        let slides: Vec<bool> = m.base_to_tip().map(|(_, b)| matches!(b.pair, Pair::Prismatic)).collect();
        let line = |j: usize| Line { through: poses[j + 1].translation, along: poses[j + 1].rotation.z };
        let n = slides.len();
        let size = (0..n).map(|j| m.body(j + 1).placement.translation.norm()).fold(0.0, f64::max);
        let revolute: Vec<usize> = (0..n).filter(|&j| !slides[j]).collect();

        // Axes of the units; a z axis is reversed if it makes an obtuse angle with the preceding one.
        let mut lines: Vec<Line> = revolute.iter().map(|&j| line(j)).collect();
        let mut signs = vec![1.0; lines.len()];
        for k in 1..lines.len() {
            let cosine = lines[k - 1].along.dot(lines[k].along);
            if cosine < -TIDY {
                lines[k].along = -lines[k].along;
                signs[k] = -1.0;
            }
            if lines[k - 1].along.cross(lines[k].along).norm() < TIDY {
                lines[k].along = lines[k - 1].along;
            }
        }
        let first_slides: Vec<Vec3<f64>> = (0..revolute.first().copied().unwrap_or(n)).map(|j| line(j).along).collect();
        let base = base_axes(lines.first().map(|l| l.along), &first_slides, m.gravity());
        let mut units = vec![Unit { joint: None, sign: 1.0, offset: 0.0, alpha: (1.0, 0.0), axes: base }];
        for k in 0..lines.len() {
            let before = units[k].axes;
            let z = lines[k].along;
            let x = lines.get(k + 1).map_or(before.x, |next| normal_direction(&lines[k], next, before.x, size));
            let y = z.cross(before.x);
            let offset = tidy_angle(x.dot(y).atan2(x.dot(before.x)));
            let alpha = tidy_direction(before.z.dot(z), before.z.cross(z).dot(before.x));
            units.push(Unit {
                joint: Some(revolute[k]),
                sign: signs[k],
                offset,
                alpha,
                axes: Rotation { x, y: z.cross(x), z },
            });
        }

        let on_axes = axis_points(&lines);
        let mut places = vec![];
        for j in 0..n {
            let unit = revolute.iter().filter(|&&t| t <= j).count();
            let b = m.body(j + 1);
            let mut inertia = b.inertia.transformed(&poses[j + 1]);
            if revolute.first() == Some(&j) {
                // On a fixed axis, the reflected rotor inertia is part of the link.
                let (z, i) = (line(j).along, m.reflected_inertia()[j]);
                let square = |a: f64, b: f64| i * a * b;
                let (xx, xy, xz) = (square(z.x, z.x), square(z.x, z.y), square(z.x, z.z));
                let rotor = Sym3 { xx, xy, xz, yy: square(z.y, z.y), yz: square(z.y, z.z), zz: square(z.z, z.z) };
                inertia.second += rotor;
            }
            let slides_to = slides[j].then(|| {
                let u = units[unit].axes.inverse_rotate(line(j).along);
                u.map(snap)
            });
            let origins = match slides[j] {
                false => on_axes[unit - 1].clone(),
                true => {
                    // The origins of the preceding link, those of the next revolute link, or its centre of mass.
                    let before = places.last().map_or(vec![Vec3::zero()], |p: &Place| p.origins.clone());
                    let next = if unit < lines.len() { on_axes[unit].clone() } else { vec![] };
                    let centre = if inertia.mass > 0.0 { vec![inertia.centre()] } else { vec![] };
                    let all = if unit == 0 { vec![Vec3::zero()] } else { [next, before, centre].concat() };
                    distinct(all)
                }
            };
            places.push(Place { unit, slides: slides_to, origins, inertia });
        }
        let lift = tidy(-base.inverse_rotate(m.gravity()), m.gravity().norm());
        Some(Arm { units, places, lift, size })
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Number of candidate origins of link `j`.
    pub fn origin_count(&self, j: usize) -> usize {
        self.places[j].origins.len()
    }

    /// Lengths and moments for the chosen origins `origin(j)`.
    pub fn layout(&self, origin: impl Fn(usize) -> usize) -> Layout {
        let origins: Vec<Vec3<f64>> = (0..self.len()).map(|j| self.places[j].origins[origin(j)]).collect();
        let mut layout = Layout { p: vec![], moments: vec![] };
        for (j, place) in self.places.iter().enumerate() {
            let before = if j == 0 { &self.units[0] } else { &self.units[self.places[j - 1].unit] };
            let from = if j == 0 { origins[0] } else { origins[j - 1] };
            layout.p.push(tidy(before.axes.inverse_rotate(origins[j] - from), self.size));
            let frame = Transform::new(self.units[place.unit].axes, origins[j]);
            let inertia = place.inertia.transformed(&frame.inverse());
            let (k, s) = (inertia.moments(), inertia.first);
            layout.moments.push([k.xx, k.xy, k.xz, k.yy, k.yz, k.zz, s.x, s.y, s.z, inertia.mass]);
        }
        layout
    }

    /// The base unit's axes in the base frame.
    pub fn base_axes(&self) -> Rotation<f64> {
        self.units[0].axes
    }

    /// The pose of link `j`'s frame at q = 0 in the base frame.
    pub fn frame(&self, j: usize, origin: usize) -> Transform<f64> {
        Transform::new(self.units[self.places[j].unit].axes, self.places[j].origins[origin])
    }
}

/// The base axes: z along the first revolute axis, x along a prismatic axis, gravity or a base axis.
fn base_axes(first: Option<Vec3<f64>>, slides: &[Vec3<f64>], gravity: Vec3<f64>) -> Rotation<f64> {
    let z = first.or(slides.first().copied()).unwrap_or(Vec3::unit(2));
    let across = |v: Vec3<f64>| {
        let rest = v - z * z.dot(v);
        (rest.norm() > 1e-9 * v.norm().max(1e-300)).then(|| rest * (1.0 / rest.norm()))
    };
    let candidates = slides.iter().copied().chain([gravity, Vec3::unit(0), Vec3::unit(1)]);
    let x = candidates.filter_map(across).next().expect("one of x and y is across z");
    Rotation { x, y: z.cross(x), z }
}

/// x of a unit: along the common normal of its axis and the next; `x` if the direction is arbitrary.
fn normal_direction(line: &Line, next: &Line, x: Vec3<f64>, size: f64) -> Vec3<f64> {
    let n = line.along.cross(next.along);
    if n.norm() > TIDY.sqrt() {
        return n * (1.0 / n.norm());
    }
    let across = next.through - line.foot(next.through);
    if across.norm() > TIDY * size { across * (1.0 / across.norm()) } else { x }
}

/// The points on each axis from which a length vanishes: end points of common normals, projected along parallel axes too.
fn axis_points(lines: &[Line]) -> Vec<Vec<Vec3<f64>>> {
    let mut points: Vec<Vec<Vec3<f64>>> = vec![vec![]; lines.len()];
    for k in 1..lines.len() {
        if let Some((a, b)) = lines[k - 1].normal(&lines[k]) {
            points[k - 1].insert(0, a);
            points[k].push(b);
        }
    }
    for _ in 1..lines.len() {
        for k in 1..lines.len() {
            if lines[k - 1].normal(&lines[k]).is_none() {
                let (here, there) = (points[k - 1].clone(), points[k].clone());
                points[k].extend(here.iter().map(|&p| lines[k].foot(p)));
                points[k - 1].extend(there.iter().map(|&p| lines[k - 1].foot(p)));
                points[k] = distinct(points[k].clone());
                points[k - 1] = distinct(points[k - 1].clone());
            }
        }
    }
    for (k, p) in points.iter_mut().enumerate() {
        if p.is_empty() {
            p.push(lines[k].foot(lines[0].through));
        }
        *p = distinct(p.clone());
    }
    points
}

fn distinct(points: Vec<Vec3<f64>>) -> Vec<Vec3<f64>> {
    let mut kept: Vec<Vec3<f64>> = vec![];
    for p in points {
        if kept.iter().all(|k| (*k - p).norm() > 1e-9) {
            kept.push(p);
        }
    }
    kept
}

/// Removes rounding residues, so that equal lengths are equal: zero if small relative to `size`, the short decimal if it is
/// within rounding.
fn tidy(v: Vec3<f64>, size: f64) -> Vec3<f64> {
    v.map(|x| {
        let short: f64 = format!("{x:.11e}").parse().expect("a number");
        if x.abs() <= TIDY * size {
            0.0
        } else if (short - x).abs() <= 8.0 * f64::EPSILON * size {
            short
        } else {
            x
        }
    })
}

/// A direction cosine within [`TIDY`] of 0 or ±1 is rounded to it.
fn snap(x: f64) -> f64 {
    let whole = x.round();
    if whole.abs() <= 1.0 && (x - whole).abs() < TIDY { whole + 0.0 } else { x }
}

fn tidy_direction(c: f64, s: f64) -> (f64, f64) {
    if snap(s) == 0.0 || snap(c) == 0.0 {
        (snap(c).signum() * snap(c).abs().round(), snap(s).signum() * snap(s).abs().round())
    } else {
        (c, s)
    }
}

/// Rounds to a multiple of 90° if it is one within [`TIDY`]; in (−π, π].
fn tidy_angle(angle: f64) -> f64 {
    let quarters = (angle / FRAC_PI_2).round();
    let rounded = if (angle - quarters * FRAC_PI_2).abs() < TIDY { quarters * FRAC_PI_2 } else { angle };
    if rounded <= -TAU / 2.0 { rounded + TAU } else { rounded }
}
