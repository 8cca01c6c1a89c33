//! Charts of tip-over analyses and simulations.

use crate::tipover::{ReachMap, TipoverAnalysis};
use crate::{Sample, SimulationResult};
use armdyn_core::vec3;
use armdyn_plot::{Axis, Chart, Drawing, LineStyle, Map, Panels, of_neighbours};

/// Half the length of a wheel of unknown radius in a drawing, relative to the size of the support polygon.
const WHEEL: f64 = 0.06;

fn support_polygon(result: &TipoverAnalysis) -> Vec<(f64, f64)> {
    result.edges.iter().map(|e| result.contacts[e.contact_indices[0]].position).map(|[x, y]| (x, y)).collect()
}

/// Contacts, support polygon, ZMP trajectory and centre of mass from above.
pub fn top_view(result: &TipoverAnalysis) -> Drawing {
    let title = format!("{} from above", result.robot);
    let polygon = support_polygon(result);
    let size = polygon.iter().flat_map(|a| polygon.iter().map(|b| (a.0 - b.0).hypot(a.1 - b.1))).fold(0.0, f64::max);
    let drawing = Drawing::new(title, Axis::new("x", "m"), Axis::new("y", "m"));
    let mut drawing = drawing.line("support polygon", LineStyle::Area, polygon);
    for c in &result.contacts {
        let [x, y] = c.position;
        if let Some(direction) = c.rolling_direction {
            let [u, v] = direction.map(|w| w * c.radius.unwrap_or(WHEEL * size));
            drawing = drawing.line("", LineStyle::Body, [(x - u, y - v), (x + u, y + v)]);
        }
        drawing = drawing.label(c.name.clone(), x, y);
    }
    let trajectory = result.trajectory.as_ref();
    if let Some(t) = trajectory {
        drawing = drawing.line("zero-moment point", LineStyle::Curve(0), t.stability.zmp.iter().map(|p| (p[0], p[1])));
    }
    if let Some([x, y]) = result.stability.zmp {
        drawing = drawing.mark(if trajectory.is_some() { "smallest margin" } else { "zero-moment point" }, x, y);
    }
    let [x, y, _] = result.stability.centre_of_mass;
    drawing.mark("centre of mass", x, y)
}

/// The smallest margin with the tool above each cell and its neighbours, the support polygon, and the distance within which every configuration
/// is stable.
pub fn reach(result: &TipoverAnalysis, map: &ReachMap) -> Map {
    let closed = |mut points: Vec<(f64, f64)>| {
        points.extend(points.first().copied());
        points
    };
    let [x, y] = map.centre;
    let safe = map.directions.iter().map(|d| (x + d.safe * d.heading.cos(), y + d.safe * d.heading.sin())).collect();
    let axis = |name: &str, (low, high): (f64, f64)| Axis::new(name, "m").within(low, high);
    let value = Axis::new("smallest margin (negative: tips over)", "m");
    let title = format!("{}: safe reach of the tool at rest", result.robot);
    let margin = of_neighbours(&map.margin, map.columns, f64::min);
    Map::new(title, axis("x", map.x), axis("y", map.y), value, map.columns, margin)
        .outline("stable in every configuration", closed(safe))
        .outline("support polygon", closed(support_polygon(result)))
}

/// Path of the base and of the zero-moment point from above, with the wheels at start and end.
pub fn path(result: &SimulationResult) -> Drawing {
    const HALF_WHEEL: f64 = 0.05;
    let title = format!("{}: path of the base from above", result.robot);
    let mut drawing = Drawing::new(title, Axis::new("x", "m"), Axis::new("y", "m"));
    let world = |s: &Sample, [x, y]: [f64; 2]| {
        let p = s.rotation().rotate(vec3(x, y, 0.0));
        (p.x + s.position[0], p.y + s.position[1])
    };
    let (start, end) = (&result.samples[0], result.end());
    for (name, look, s) in
        [("wheels at the start", LineStyle::Curve(2), start), ("wheels at the end", LineStyle::Area, end)]
    {
        let corners = result.support_polygon.iter().map(|k| world(s, result.wheels[*k].position));
        let mut polygon: Vec<(f64, f64)> = corners.collect();
        polygon.extend(polygon.first().copied());
        if !polygon.is_empty() {
            drawing = drawing.line(name, look, polygon);
        }
        let mut castors = s.castor_angles.iter();
        for w in &result.wheels {
            let [x, y] = match w.kind.as_str() {
                "castor" => castors.next().map_or([1.0, 0.0], |a| [a.cos(), a.sin()]),
                _ => w.rolling_direction,
            };
            let ends = [-HALF_WHEEL, HALF_WHEEL].map(|k| world(s, [w.position[0] + k * x, w.position[1] + k * y]));
            drawing = drawing.line("", LineStyle::Body, ends);
        }
    }
    drawing =
        drawing.line("base origin", LineStyle::Curve(0), result.samples.iter().map(|s| (s.position[0], s.position[1])));
    if !result.floats() {
        let points = result.samples.iter().filter_map(|s| Some(world(s, s.dynamics.zmp?)));
        drawing = drawing.line("zero-moment point", LineStyle::Curve(1), points);
    }
    drawing.mark("start", start.position[0], start.position[1]).mark("end", end.position[0], end.position[1])
}

/// Load of each wheel over time; none for a floating base.
pub fn wheel_loads(result: &SimulationResult) -> Option<Chart> {
    if result.floats() {
        return None;
    }
    let title = format!("{}: wheel loads", result.robot);
    let mut chart = Chart::new(title, Axis::new("time", "s"), Axis::new("load", "N")).level("lift-off", 0.0);
    for (k, w) in result.wheels.iter().enumerate() {
        chart = chart.curve(w.name.clone(), result.samples.iter().map(|s| (s.t, s.dynamics.wheel_loads[k])));
    }
    Some(events(result, chart))
}

/// Velocity and yaw rate of the base over time, the yaw rate in degrees per second if `deg`; each has its own axis.
pub fn velocity(result: &SimulationResult, deg: bool) -> Panels {
    let (unit, scale) = if deg { ("°/s", 1f64.to_degrees()) } else { ("rad/s", 1.0) };
    let over = |of: &dyn Fn(&Sample) -> f64| result.samples.iter().map(|s| (s.t, of(s))).collect::<Vec<_>>();
    let chart = |name: &str, unit: &str| Chart::new("", Axis::new("time", "s"), Axis::new(name, unit));
    let mut linear = chart("velocity", "m/s");
    for (k, name) in ["along x", "along y", "along z"].into_iter().enumerate().take(if result.floats() { 3 } else { 2 })
    {
        linear = linear.curve(name, over(&|s| s.linear_velocity[k]));
    }
    let angular = match result.floats() {
        false => chart("yaw rate", unit).curve("", over(&|s| scale * s.angular_velocity[2])),
        true => (0..3).fold(chart("angular velocity", unit), |chart, k| {
            chart.curve(["about x", "about y", "about z"][k], over(&|s| scale * s.angular_velocity[k]))
        }),
    };
    let title = format!("{}: velocity of the base", result.robot);
    Panels::new(title, 1).chart(events(result, linear)).chart(events(result, angular))
}

/// Marks the events.
fn events(result: &SimulationResult, chart: Chart) -> Chart {
    result.events.iter().fold(chart, |chart, e| chart.instant(e.kind.to_string(), e.t))
}
