//! Pose and Jacobian of the last link in few operations.
//!
//! The base-frame axes of each group of parallel axes follow from those of the preceding group. A lever arm is transformed to base
//! axes by the axes of its link, or by the unrotated axes of its group with the sine and cosine of a sum of angles; for a
//! position, the latter are summed first. Values that are not needed (a rotation with nothing outboard) are not counted.

use super::choices::Site;
use super::context::Context;
use super::geometry::{TIDY, poses};
use super::vector::*;
use super::wrenches::sliders;
use crate::graph::Expr;
use armdyn_core::{Model, Real, Rotation, Transform, Vec3};

/// The last link's pose at q = 0 in the base frame.
pub(crate) fn last_link(m: &Model<f64>) -> Transform<f64> {
    let link = &m.links()[m.last_link()];
    poses(m)[link.body].compose(&link.pose)
}

/// The path from the base to the last link, in base axes.
struct Path {
    /// Vectors between consecutive origins: first the position of link 1, last that of the last link's frame.
    steps: Vec<V>,
    /// The joint axes.
    axes: Vec<V>,
    /// The last link's axes.
    end: [V; 3],
}

/// A sum of columns.
fn along(axes: &[V; 3], p: V) -> V {
    add(add(scale(p[0], axes[0]), scale(p[1], axes[1])), scale(p[2], axes[2]))
}

fn columns(r: Rotation<f64>) -> [V; 3] {
    let whole = |x: f64| Expr::lift(if (x - x.round()).abs() < TIDY { x.round() } else { x });
    [r.x, r.y, r.z].map(|v| v.to_array().map(whole))
}

/// `together`: whether the lever arms of one group may be summed before they are transformed to base axes.
fn path(s: &mut Context, tip: &Transform<f64>, together: bool) -> Path {
    let arm = s.arm;
    let last = arm.len() - 1;
    let origin = |s: &Context, j: usize| s.choices.pick(Site::Origin, j, arm.origin_count(j));
    let mut frame = arm.frame(last, origin(s, last));
    // A rotation about the last z axis belongs to the last joint.
    s.terminal = 0.0;
    let axis_z = frame.rotation.inverse_rotate(tip.rotation.z).z;
    if arm.places[last].slides.is_none() && (axis_z.abs() - 1.0).abs() < TIDY {
        let x = frame.rotation.inverse_rotate(tip.rotation.x);
        s.terminal = x.y.atan2(x.x);
        let z = frame.rotation.z;
        frame.rotation = Rotation { x: tip.rotation.x, y: z.cross(tip.rotation.x), z };
    }
    let s = &*s;
    let tip = frame.inverse().compose(tip);
    let named = |name: &str, v: Vec3<f64>| {
        let size = arm.size.max(v.norm());
        let constant = |i: usize| s.constant(&format!("{name}{}", ["x", "y", "z"][i]), v.get(i));
        [0, 1, 2].map(|i| if v.get(i).abs() < TIDY * size { Expr::zero() } else { constant(i) })
    };
    // From the preceding origin to that of link j, in the axes of the preceding link; after the last one, to the tip.
    let into_link = |j: usize| {
        let p = match j {
            0 => zeros(),
            j if j <= last => s.lengths[j],
            _ => named("t", tip.translation),
        };
        match arm.places.get(j).and_then(|p| p.slides) {
            Some(u) => add(p, scale(s.q[j], u.to_array().map(Expr::lift))),
            None => p,
        }
    };
    let mut axes = columns(arm.base_axes());
    let mut path = Path { steps: vec![zeros(); last + 2], axes: vec![zeros(); last + 1], end: axes };
    let slide = |path: &mut Path, axes: &[V; 3], j: usize| {
        if let Some(u) = arm.places.get(j).and_then(|p| p.slides) {
            path.axes[j] = along(axes, u.to_array().map(Expr::lift));
        }
    };
    for j in 0..=sliders(s, 0).len() {
        path.steps[j] = along(&axes, into_link(j));
        slide(&mut path, &axes, j);
    }
    path.steps[0] = add(named("b", arm.frame(0, origin(s, 0)).translation), path.steps[0]);
    for group in &s.groups {
        let (c, sn) = s.alpha[group[0]];
        let [x, y, z] = axes;
        let flat = [x, add(scale(c, y), scale(sn, z)), add(scale(c, z), scale(-sn, y))];
        let mut sum = zeros();
        let mut to = 0;
        for (i, &u) in group.iter().enumerate().map(|(i, u)| (i + 1, u)) {
            let t = s.cos_sin(group, 0, i);
            let own = [
                add(scale(t.0, flat[0]), scale(t.1, flat[1])),
                add(scale(t.0, flat[1]), scale(-t.1, flat[0])),
                flat[2],
            ];
            let revolute = arm.units[u].joint.expect("a revolute unit");
            path.axes[revolute] = scale(Expr::lift(arm.units[u].sign), flat[2]);
            for j in std::iter::once(revolute).chain(sliders(s, u)) {
                to = j + 1;
                slide(&mut path, &own, to);
                let p = into_link(to);
                match s.choices.pick(Site::Arm, j, 2) {
                    0 => path.steps[to] = along(&own, p),
                    _ if together => sum = add(sum, out(p, t)),
                    _ => path.steps[to] = along(&flat, out(p, t)),
                }
            }
            axes = own;
        }
        path.steps[to] = add(path.steps[to], along(&flat, sum));
    }
    path.end = columns(tip.rotation).map(|c| along(&axes, c));
    path
}

/// Rotation by rows, then position.
pub(crate) fn pose(s: &mut Context, tip: &Transform<f64>) -> Vec<Expr> {
    let path = path(s, tip, true);
    let p = path.steps.iter().copied().reduce(add).expect("at least a step");
    let rows = (0..3).flat_map(|i| path.end.map(|c| c[i]));
    rows.chain(p).collect()
}

/// The Jacobian by rows, linear ones first, with a column for each of `n` degrees of freedom.
pub(crate) fn jacobian(s: &mut Context, tip: &Transform<f64>, n: usize) -> Vec<Expr> {
    let path = path(s, tip, false);
    let mut all = vec![Expr::zero(); 6 * n];
    let mut from = zeros();
    for j in (0..path.axes.len()).rev() {
        from = add(path.steps[j + 1], from);
        let slides = s.arm.places[j].slides.is_some();
        let linear = if slides { path.axes[j] } else { cross(path.axes[j], from) };
        let angular = if slides { zeros() } else { path.axes[j] };
        for i in 0..3 {
            let column = s.arm.dofs[j];
            (all[i * n + column], all[(i + 3) * n + column]) = (linear[i], angular[i]);
        }
    }
    all
}
