//! Pictures of a robot's stand, seen from above.

use super::{ReachMap, Support};
use armdyn_core::ContactKind;
use armdyn_plot::{Axis, Drawing, LineStyle, Map};

/// Half the length that a wheel is drawn with where its radius is not known, of the size of the support.
const WHEEL: f64 = 0.06;

fn corners(support: &Support) -> Vec<(f64, f64)> {
    support.edges().iter().map(|e| (e.at[0], e.at[1])).collect()
}

/// Wheels, the contacts' hull, the way of the zero-moment point and where it is worst, and the centre of mass there.
pub fn top_view(
    support: &Support,
    title: impl Into<String>,
    way: &[[f64; 2]],
    worst: Option<[f64; 2]>,
    centre: [f64; 2],
) -> Drawing {
    let drawing = Drawing::new(title, Axis::new("x", "m"), Axis::new("y", "m"));
    let mut drawing = drawing.line("support polygon", LineStyle::Area, corners(support));
    for (k, (c, [x, y])) in support.contacts().iter().zip(support.points()).enumerate() {
        if matches!(c.kind, ContactKind::Fixed | ContactKind::Driven) {
            let half = c.radius.unwrap_or(WHEEL * support.size());
            let [u, v] = support.way(k).map(|w| w * half);
            drawing = drawing.line("", LineStyle::Body, [(x - u, y - v), (x + u, y + v)]);
        }
        drawing = drawing.label(c.name.clone(), *x, *y);
    }
    if way.len() > 1 {
        drawing = drawing.line("zero-moment point", LineStyle::Curve(0), way.iter().map(|p| (p[0], p[1])));
    }
    if let Some([x, y]) = worst {
        drawing = drawing.mark(if way.len() > 1 { "where it is worst" } else { "zero-moment point" }, x, y);
    }
    drawing.mark("centre of mass", centre[0], centre[1])
}

/// The least distance to tipping with the tool over each cell, the contacts' hull, and how far every pose is safe.
pub fn reach_picture(map: &ReachMap, support: &Support, title: impl Into<String>) -> Map {
    let closed = |mut points: Vec<(f64, f64)>| {
        points.extend(points.first().copied());
        points
    };
    let [x, y] = support.middle();
    let safe = map.directions.iter().map(|d| (x + d.safe * d.heading.cos(), y + d.safe * d.heading.sin())).collect();
    let axis = |name: &str, (low, high): (f64, f64)| Axis::new(name, "m").within(low, high);
    let value = Axis::new("least distance to tipping (below 0: tips)", "m");
    Map::new(title, axis("x", map.across), axis("y", map.up), value, map.columns, map.least.clone())
        .outline("safe in every pose", closed(safe))
        .outline("support polygon", closed(corners(support)))
}
