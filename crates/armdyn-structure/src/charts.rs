//! Charts: the deflected robot, the tool's displacement over time, and the map.

use super::{Deflection, DeflectionMap, TrajectoryDeflection};
use armdyn_core::Vec3;
use armdyn_plot::{Axis, Chart, Drawing, LineStyle, Map, of_neighbours};

/// The maximum displacement is drawn as about this fraction of the robot's size.
const DRAWN_FRACTION: f64 = 0.1;

impl Deflection {
    /// A round factor that makes the maximum displacement visible; 1 if nothing moves.
    pub fn exaggeration(&self) -> f64 {
        let size = self.extents().into_iter().fold(0.0, f64::max);
        let maximum = self.shape.iter().flatten().map(|p| p.1.norm()).fold(0.0, f64::max);
        let factor = DRAWN_FRACTION * size / maximum;
        if !factor.is_finite() || factor <= 1.0 {
            return 1.0;
        }
        let decade = 10f64.powf(factor.log10().floor());
        [5.0, 2.0, 1.0].into_iter().map(|x| x * decade).find(|x| *x <= factor).unwrap_or(decade)
    }

    /// Extents of the undeflected robot along x, y and z.
    fn extents(&self) -> [f64; 3] {
        [0, 1, 2].map(|k| {
            let along = self.shape.iter().flatten().map(|p| p.0.get(k));
            let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            high - low
        })
    }

    /// The undeflected and the deflected robot, from the side with the largest extents, with exaggerated displacements.
    pub fn drawing(&self, name: &str) -> Drawing {
        let factor = self.exaggeration();
        let mut order = [(0, "x"), (1, "y"), (2, "z")];
        let extents = self.extents();
        let visible = |k: usize| {
            let moved = self.shape.iter().flatten().map(|p| p.1.get(k).abs()).fold(0.0, f64::max);
            extents[k].max(factor * moved)
        };
        order.sort_by(|a, b| visible(b.0).total_cmp(&visible(a.0)));
        let [mut across, mut up, _] = order;
        if across.0 > up.0 {
            std::mem::swap(&mut across, &mut up);
        }
        let project = |p: Vec3<f64>| (p.get(across.0), p.get(up.0));
        let title = format!("{name} under load: displacements exaggerated {factor} times");
        let mut drawing = Drawing::new(title, Axis::new(across.1, "m"), Axis::new(up.1, "m"));
        for line in &self.shape {
            drawing = drawing.line("without load", LineStyle::Body, line.iter().map(|p| project(p.0)));
        }
        for line in &self.shape {
            drawing = drawing.line("under load", LineStyle::Curve(0), line.iter().map(|p| project(p.0 + p.1 * factor)));
        }
        let (x, y) = project(self.tool.position + self.tool.displacement.translation * factor);
        drawing.mark("tool under load", x, y)
    }
}

impl TrajectoryDeflection {
    /// The tool's displacement over time, in millimetres.
    pub fn chart(&self, name: &str) -> Chart {
        let title = format!("{name}: displacement of the tool");
        let mut chart = Chart::new(title, Axis::new("time", "s"), Axis::new("displacement", "mm"));
        for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let points = self.tool.iter().zip(&self.t).map(|(d, t)| (*t, d.translation.get(k) * 1e3));
            chart = chart.curve(axis, points);
        }
        chart
    }
}

impl DeflectionMap {
    /// The map, in millimetres: the maximum of each cell and its neighbours.
    pub fn chart(&self, name: &str) -> Map {
        let [a, b] = self.plane.axes();
        let axis = |name: &str, (low, high): (f64, f64)| Axis::new(name, "m").within(low, high);
        let values = of_neighbours(&self.maximum, self.columns, f64::max).iter().map(|x| x * 1e3).collect();
        let title = format!("{name}: displacement of the tool at rest");
        let value = Axis::new("displacement of the tool", "mm");
        Map::new(title, axis(a, self.horizontal), axis(b, self.vertical), value, self.columns, values)
    }
}
