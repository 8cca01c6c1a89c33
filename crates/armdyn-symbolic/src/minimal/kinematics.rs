//! Where the last link is, and its Jacobian, in few operations.
//!
//! The axes of each group of parallel axes, seen from the base, come from those of the group before it. An arm goes to the
//! base's axes by its own link's axes, or by the unturned ones of its group with the sine and cosine of a sum of angles;
//! for a position, the arms of one group that do so add up first. What nothing needs (a turn behind which there is nothing) is not counted.

use super::choices::Site;
use super::geometry::{TIDY, poses};
use super::setting::Setting;
use super::transmit::sliders;
use super::vector::*;
use crate::graph::Expr;
use armdyn_core::{Model, Real, Rotation, Transform, Vec3};

/// The last link's pose at q = 0 in the base's frame; none where it is not on the last body.
pub(crate) fn last_link(m: &Model<f64>) -> Option<Transform<f64>> {
    let link = m.links().last()?;
    (link.body == m.body_count()).then(|| poses(m)[link.body].compose(&link.pose))
}

/// The way from the base to the last link, in the base's axes.
struct Way {
    /// From each link's origin to the next one's; before them the first one's place, behind them that of the last link.
    steps: Vec<V>,
    /// What each joint turns about or slides along.
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

/// `together`: whether the arms of one group may be added up before they are seen from the base.
fn way(s: &mut Setting, tip: &Transform<f64>, together: bool) -> Way {
    let arm = s.arm;
    let last = arm.len() - 1;
    let origin = |s: &Setting, j: usize| s.choices.pick(Site::Origin, j, arm.origin_count(j));
    let mut frame = arm.frame(last, origin(s, last));
    // A turn about the last z is the last joint's.
    s.terminal = 0.0;
    let seen = frame.rotation.inverse_rotate(tip.rotation.z).z;
    if arm.places[last].slides.is_none() && (seen.abs() - 1.0).abs() < TIDY {
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
    // From the origin before link j to its own, in the axes of the link before; behind the last one, to the tip.
    let into_link = |j: usize| {
        let p = match j {
            0 => nil(),
            j if j <= last => s.lengths[j],
            _ => named("t", tip.translation),
        };
        match arm.places.get(j).and_then(|p| p.slides) {
            Some(u) => add(p, scale(s.q[j], u.to_array().map(Expr::lift))),
            None => p,
        }
    };
    let mut axes = columns(arm.base_axes());
    let mut way = Way { steps: vec![nil(); last + 2], axes: vec![nil(); last + 1], end: axes };
    let slide = |way: &mut Way, axes: &[V; 3], j: usize| {
        if let Some(u) = arm.places.get(j).and_then(|p| p.slides) {
            way.axes[j] = along(axes, u.to_array().map(Expr::lift));
        }
    };
    for j in 0..=sliders(s, 0).len() {
        way.steps[j] = along(&axes, into_link(j));
        slide(&mut way, &axes, j);
    }
    way.steps[0] = add(named("b", arm.frame(0, origin(s, 0)).translation), way.steps[0]);
    for group in &s.groups {
        let (c, sn) = s.alpha[group[0]];
        let [x, y, z] = axes;
        let flat = [x, add(scale(c, y), scale(sn, z)), add(scale(c, z), scale(-sn, y))];
        let mut sum = nil();
        let mut to = 0;
        for (i, &u) in group.iter().enumerate().map(|(i, u)| (i + 1, u)) {
            let t = s.turn(group, 0, i);
            let own = [
                add(scale(t.0, flat[0]), scale(t.1, flat[1])),
                add(scale(t.0, flat[1]), scale(-t.1, flat[0])),
                flat[2],
            ];
            let turning = arm.units[u].joint.expect("a unit that turns");
            way.axes[turning] = scale(Expr::lift(arm.units[u].sign), flat[2]);
            for j in std::iter::once(turning).chain(sliders(s, u)) {
                to = j + 1;
                slide(&mut way, &own, to);
                let p = into_link(to);
                match s.choices.pick(Site::Arm, j, 2) {
                    0 => way.steps[to] = along(&own, p),
                    _ if together => sum = add(sum, out(p, t)),
                    _ => way.steps[to] = along(&flat, out(p, t)),
                }
            }
            axes = own;
        }
        way.steps[to] = add(way.steps[to], along(&flat, sum));
    }
    way.end = columns(tip.rotation).map(|c| along(&axes, c));
    way
}

/// Rotation by rows, then position.
pub(crate) fn pose(s: &mut Setting, tip: &Transform<f64>) -> Vec<Expr> {
    let way = way(s, tip, true);
    let p = way.steps.iter().copied().reduce(add).expect("at least a step");
    let rows = (0..3).flat_map(|i| way.end.map(|c| c[i]));
    rows.chain(p).collect()
}

/// The Jacobian by rows, linear ones first.
pub(crate) fn jacobian(s: &mut Setting, tip: &Transform<f64>) -> Vec<Expr> {
    let way = way(s, tip, false);
    let n = way.axes.len();
    let mut all = vec![Expr::zero(); 6 * n];
    let mut from = nil();
    for j in (0..n).rev() {
        from = add(way.steps[j + 1], from);
        let slides = s.arm.places[j].slides.is_some();
        let linear = if slides { way.axes[j] } else { cross(way.axes[j], from) };
        let angular = if slides { nil() } else { way.axes[j] };
        for i in 0..3 {
            (all[i * n + j], all[(i + 3) * n + j]) = (linear[i], angular[i]);
        }
    }
    all
}
