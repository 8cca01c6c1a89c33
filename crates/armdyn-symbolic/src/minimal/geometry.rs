//! Canonical frames of a serial arm of revolute and prismatic pairs: modified Denavit–Hartenberg (Khalil & Kleinfinger 1986).
//!
//! A *unit* is a revolute link and the prismatic links that follow it, with the same axes. z is the axis of rotation, x the
//! common normal of z and the next unit's z, so that a unit's axes are those of the preceding unit rotated by α about x and by
//! θ = ±q + offset about z. Unit 0 is the base, whose z is that of unit 1. The origin of a link on its axis is free: each has a
//! few candidates that make lengths vanish. Inertias are expressed as ∫ (r 1)(r 1)ᵀ dm.
//!
//! Parallel, perpendicular and intersecting axes are detected within [`TIDY`]; rounding residues are removed. The common normal of
//! nearly parallel axes may be far away: origins are then in a plane normal to the preceding axis, as for parallel axes.
//!
//! The arm may be attached to a link that moves: then unit 0 is that link, with x along the common normal of its z axis and unit
//! 1's.

use armdyn_core::{Inertia, Model, Pair, Rotation, Sym3, Transform, Vec3};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Relative size below which a length, a sine or a moment is zero.
pub(crate) const TIDY: f64 = 1e-12;

/// Roundings of a sum of moments.
const ROUNDINGS: f64 = 16.0;

/// Distance of a common normal from the joints, relative to the arm's size, beyond which it is not an origin: with the square of
/// it digits are lost.
const FAR: f64 = 100.0;

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
    /// The degree of freedom of each link.
    pub dofs: Vec<usize>,
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
    /// Bounds of their rounding errors.
    pub errors: Vec<Moments<f64>>,
}

/// A line in space.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub through: Vec3<f64>,
    pub along: Vec3<f64>,
}

impl Line {
    /// The point nearest to `p`.
    pub fn foot(&self, p: Vec3<f64>) -> Vec3<f64> {
        self.through + self.along * self.along.dot(p - self.through)
    }

    /// End points of the common normal, on this line and on the other; none if they are parallel or if it is far away.
    pub fn normal(&self, other: &Line, size: f64) -> Option<(Vec3<f64>, Vec3<f64>)> {
        let n = self.along.cross(other.along);
        let square = n.norm_squared();
        if square < TIDY {
            return None;
        }
        let between = other.through - self.through;
        let at = |along: Vec3<f64>| between.cross(along).dot(n) / square;
        let (here, there) = (at(other.along), at(self.along));
        let near = here.abs().max(there.abs()) <= FAR * size;
        near.then(|| (self.through + self.along * here, other.through + other.along * there))
    }

    /// The point in the plane through `p` with this normal.
    fn in_plane(&self, p: Vec3<f64>, normal: Vec3<f64>) -> Vec3<f64> {
        self.through + self.along * (normal.dot(p - self.through) / normal.dot(self.along))
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
        let serial =
            m.followers().is_empty() && m.base_to_tip().all(|(k, b)| b.parent + 1 == k && has_one_axis(&b.pair));
        (m.body_count() > 0 && serial).then(|| Arm::along(m, &(1..=m.body_count()).collect::<Vec<_>>(), None))
    }

    /// The canonical frames of consecutive bodies with revolute and prismatic pairs, attached to a link with this frame at
    /// q = 0, or to the base.
    pub fn along(m: &Model<f64>, bodies: &[usize], link: Option<Transform<f64>>) -> Arm {
        let poses = poses(m);
        let slides: Vec<bool> = bodies.iter().map(|&b| matches!(m.body(b).pair, Pair::Prismatic)).collect();
        let line = |j: usize| Line { through: poses[bodies[j]].translation, along: poses[bodies[j]].rotation.z };
        let n = slides.len();
        let size = m.base_to_tip().map(|(_, b)| b.placement.translation.norm()).fold(0.0, f64::max);
        let revolute: Vec<usize> = (0..n).filter(|&j| !slides[j]).collect();
        let root = link.map(|frame| Line { through: frame.translation, along: frame.rotation.z });

        // Axes of the units; a z axis is reversed if it makes an obtuse angle with the preceding one.
        let mut lines: Vec<Line> = revolute.iter().map(|&j| line(j)).collect();
        let mut signs = vec![1.0; lines.len()];
        for k in 0..lines.len() {
            let before = if k == 0 { root } else { Some(lines[k - 1]) };
            let Some(before) = before else { continue };
            let cosine = before.along.dot(lines[k].along);
            if cosine < -TIDY {
                lines[k].along = -lines[k].along;
                signs[k] = -1.0;
            }
            if before.along.cross(lines[k].along).norm() < TIDY {
                lines[k].along = before.along;
            }
        }
        let first_slides: Vec<Vec3<f64>> = (0..revolute.first().copied().unwrap_or(n)).map(|j| line(j).along).collect();
        let base = match (&link, &root, lines.first()) {
            (Some(frame), Some(root), Some(first)) => {
                let (x, z) = (normal_direction(root, first, frame.rotation.x, size), root.along);
                Rotation { x, y: z.cross(x), z }
            }
            (Some(frame), ..) => frame.rotation,
            _ => base_axes(lines.first().map(|l| l.along), &first_slides, m.gravity()),
        };
        let mut units = vec![Unit { joint: None, sign: 1.0, offset: 0.0, alpha: (1.0, 0.0), axes: base }];
        for k in 0..lines.len() {
            let before = units[k].axes;
            let z = lines[k].along;
            let x = lines
                .get(k + 1)
                .map_or_else(|| across(before.x, z), |next| normal_direction(&lines[k], next, before.x, size));
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

        let all: Vec<Line> = root.into_iter().chain(lines.iter().copied()).collect();
        let on_axes = axis_points(&all, size).split_off(all.len() - lines.len());
        let mut places = vec![];
        for j in 0..n {
            let unit = revolute.iter().filter(|&&t| t <= j).count();
            let b = m.body(bodies[j]);
            let mut inertia = b.inertia.transformed(&poses[bodies[j]]);
            if link.is_none() && revolute.first() == Some(&j) {
                // On a fixed axis, the reflected rotor inertia is part of the link.
                let (z, i) = (line(j).along, m.reflected_inertia()[b.v]);
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
                    match (&link, unit) {
                        (None, 0) => vec![Vec3::zero()],
                        // One origin only: the parent takes K about it.
                        (Some(frame), 0) => vec![centre.first().copied().unwrap_or(frame.translation)],
                        _ => distinct([next, before, centre].concat()),
                    }
                }
            };
            places.push(Place { unit, slides: slides_to, origins, inertia });
        }
        let lift = tidy(-base.inverse_rotate(m.gravity()), m.gravity().norm());
        let dofs = bodies.iter().map(|&b| m.body(b).v).collect();
        Arm { dofs, units, places, lift, size }
    }

    /// Adds inertia about the base origin, in base axes, to a link.
    pub fn add_inertia(&mut self, j: usize, inertia: Inertia<f64>) {
        self.places[j].inertia += inertia;
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Number of candidate origins of link `j`.
    pub fn origin_count(&self, j: usize) -> usize {
        self.places[j].origins.len()
    }

    /// Lengths and moments for the chosen origins `origin(j)`; `from` is the origin of the link that it is attached to, at q = 0
    /// in the base frame.
    pub fn layout(&self, origin: impl Fn(usize) -> usize, from: Option<Vec3<f64>>) -> Layout {
        let origins: Vec<Vec3<f64>> = (0..self.len()).map(|j| self.places[j].origins[origin(j)]).collect();
        let mut layout = Layout { p: vec![], moments: vec![], errors: vec![] };
        for (j, place) in self.places.iter().enumerate() {
            let before = if j == 0 { &self.units[0] } else { &self.units[self.places[j - 1].unit] };
            let from = if j == 0 { from.unwrap_or(origins[0]) } else { origins[j - 1] };
            layout.p.push(tidy(before.axes.inverse_rotate(origins[j] - from), self.size));
            let frame = Transform::new(self.units[place.unit].axes, origins[j]);
            let inertia = place.inertia.transformed(&frame.inverse());
            let (k, s) = (inertia.moments(), inertia.first);
            layout.moments.push([k.xx, k.xy, k.xz, k.yy, k.yz, k.zz, s.x, s.y, s.z, inertia.mass]);
            // The sizes of the terms that were summed: inertia about the base origin, and the displacement to this one.
            let (m, first, far) = (place.inertia.mass.abs(), place.inertia.first.norm(), origins[j].norm());
            let second = place.inertia.second.trace().abs() + far * (2.0 * first + m * far);
            let [k, s, m] = [second, first + m * far, m].map(|size| ROUNDINGS * f64::EPSILON * size);
            layout.errors.push([k, k, k, k, k, k, s, s, s, m]);
        }
        layout
    }

    /// Cosine and sine of the angle about z from other axes with the same z to unit 0's.
    pub fn turn_from(&self, axes: &Rotation<f64>) -> (f64, f64) {
        let x = axes.inverse_rotate(self.units[0].axes.x);
        tidy_direction(x.x, x.y)
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

/// Whether a pair is revolute or prismatic.
pub(crate) fn has_one_axis(pair: &Pair<f64>) -> bool {
    matches!(pair, Pair::Revolute | Pair::Prismatic)
}

/// The direction of `v` across the unit vector `z`.
fn across(v: Vec3<f64>, z: Vec3<f64>) -> Vec3<f64> {
    let rest = v - z * z.dot(v);
    rest * (1.0 / rest.norm())
}

/// x of a unit: along the common normal of its axis and the next; `x` if the direction is arbitrary.
pub(crate) fn normal_direction(line: &Line, next: &Line, x: Vec3<f64>, size: f64) -> Vec3<f64> {
    let n = line.along.cross(next.along);
    if n.norm() > TIDY {
        return across(n, line.along);
    }
    let apart = next.through - line.foot(next.through);
    if apart.norm() > TIDY * size { across(apart, line.along) } else { across(x, line.along) }
}

/// The points on each axis from which a length vanishes: end points of common normals, projected along parallel axes too.
fn axis_points(lines: &[Line], size: f64) -> Vec<Vec<Vec3<f64>>> {
    let mut points: Vec<Vec<Vec3<f64>>> = vec![vec![]; lines.len()];
    for k in 1..lines.len() {
        if let Some((a, b)) = lines[k - 1].normal(&lines[k], size) {
            points[k - 1].insert(0, a);
            points[k].push(b);
        }
    }
    for _ in 1..lines.len() {
        for k in 1..lines.len() {
            if lines[k - 1].normal(&lines[k], size).is_none() {
                let (here, there) = (points[k - 1].clone(), points[k].clone());
                points[k].extend(here.iter().map(|&p| lines[k].in_plane(p, lines[k - 1].along)));
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
pub(crate) fn tidy(v: Vec3<f64>, size: f64) -> Vec3<f64> {
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
pub(crate) fn snap(x: f64) -> f64 {
    let whole = x.round();
    if whole.abs() <= 1.0 && (x - whole).abs() < TIDY { whole + 0.0 } else { x }
}

pub(crate) fn tidy_direction(c: f64, s: f64) -> (f64, f64) {
    if snap(s) == 0.0 || snap(c) == 0.0 {
        (snap(c).signum() * snap(c).abs().round(), snap(s).signum() * snap(s).abs().round())
    } else {
        (c, s)
    }
}

/// Rounds to a multiple of 90° if it is one within [`TIDY`]; in (−π, π].
pub(crate) fn tidy_angle(angle: f64) -> f64 {
    let quarters = (angle / FRAC_PI_2).round();
    let rounded = if (angle - quarters * FRAC_PI_2).abs() < TIDY { quarters * FRAC_PI_2 } else { angle };
    if rounded <= -TAU / 2.0 { rounded + TAU } else { rounded }
}
