//! The deflected robot as a picture, its displacements exaggerated.

use super::deflected::Deflection;
use armdyn_core::Vec3;
use armdyn_plot::{Axis, Drawing, LineStyle};

/// The greatest displacement is drawn as about this share of the robot's extent.
const DRAWN_AS: f64 = 0.1;

impl Deflection {
    /// A round factor that makes the greatest displacement easy to see; 1 where nothing moves.
    pub fn exaggeration(&self) -> f64 {
        let points = || self.shape.iter().flatten();
        let extent = self.extents().into_iter().fold(0.0, f64::max);
        let most = points().map(|p| p.1.norm()).fold(0.0, f64::max);
        let wished = DRAWN_AS * extent / most;
        if !wished.is_finite() || wished <= 1.0 {
            return 1.0;
        }
        let decade = 10f64.powf(wished.log10().floor());
        [5.0, 2.0, 1.0].into_iter().map(|x| x * decade).find(|x| *x <= wished).unwrap_or(decade)
    }

    /// How far the undeflected robot reaches along x, y and z.
    fn extents(&self) -> [f64; 3] {
        [0, 1, 2].map(|k| {
            let along = self.shape.iter().flatten().map(|p| p.0.get(k));
            let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            high - low
        })
    }

    /// From whichever side it is seen best: before and behind, displacements `factor` times as large.
    pub fn picture(&self, name: &str, factor: f64) -> Drawing {
        let mut order = [(0, "x"), (1, "y"), (2, "z")];
        let extents = self.extents();
        let seen_in = |k: usize| {
            let moved = self.shape.iter().flatten().map(|p| p.1.get(k).abs()).fold(0.0, f64::max);
            extents[k].max(factor * moved)
        };
        order.sort_by(|a, b| seen_in(b.0).total_cmp(&seen_in(a.0)));
        let [mut across, mut up, _] = order;
        if across.0 > up.0 {
            std::mem::swap(&mut across, &mut up);
        }
        let seen = |p: Vec3<f64>| (p.get(across.0), p.get(up.0));
        let title = format!("{name} under load: displacements {factor} times as large");
        let mut drawing = Drawing::new(title, Axis::new(across.1, "m"), Axis::new(up.1, "m"));
        for line in &self.shape {
            drawing = drawing.line("without load", LineStyle::Body, line.iter().map(|p| seen(p.0)));
        }
        for line in &self.shape {
            drawing = drawing.line("under load", LineStyle::Curve(0), line.iter().map(|p| seen(p.0 + p.1 * factor)));
        }
        let (x, y) = seen(self.tool_at + self.tool.shift * factor);
        drawing.mark("tool under load", x, y)
    }
}
