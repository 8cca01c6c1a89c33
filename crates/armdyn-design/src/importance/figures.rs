//! Pictures of what matters.

use super::parts::{Kind, Parts};
use super::ratio::RatioCurve;
use super::slow::Slow;
use super::weigh::Importance;
use armdyn_core::Model;
use armdyn_plot::{Axis, Chart};

impl Importance {
    /// The mean share of each kind at each joint.
    pub fn chart(&self, m: &Model<f64>) -> Chart {
        let title = format!("What the torques of {} are made of", m.name());
        let share = Axis::new("mean share", "%").within(0.0, 100.0);
        let mut chart = Chart::bars(title, share, m.dof_names(), true);
        for (k, kind) in Kind::ALL.into_iter().enumerate() {
            chart = chart.series(kind.name(), self.joints.iter().map(|j| 100.0 * j.kinds[k].mean_share));
        }
        chart
    }
}

impl Slow {
    /// In which share of the configurations a motion is slow, by its speed, as each joint feels it.
    pub fn chart(&self, m: &Model<f64>) -> Chart {
        let fastest = self.together.iter().map(|b| b.percentiles[90]).filter(|s| s.is_finite()).fold(1.0, f64::max);
        let speed = Axis::new("share of full speed", "%").within(0.0, 100.0 * fastest);
        let often = Axis::new("configurations where it is slow", "%").within(0.0, 100.0);
        let mut chart = Chart::new(format!("Dynamically slow motion of {}", m.name()), speed, often);
        for (joint, boundary) in m.dof_names().iter().zip(&self.together) {
            let end = [(0.0, 100.0), (100.0 * boundary.least, 100.0)];
            let points = boundary.percentiles.iter().enumerate().map(|(p, s)| (100.0 * s, 100.0 - p as f64));
            chart = chart.curve(format!("felt at {joint}"), end.into_iter().chain(points));
        }
        chart
    }
}

/// The parts of one joint's torque over time or over a sweep.
pub fn parts_chart(m: &Model<f64>, joint: usize, x: Axis, points: &[(f64, Parts)]) -> Chart {
    let what = if m.turns(joint) { ("torque", "N m") } else { ("force", "N") };
    let title = format!("What the {} of {} is made of", what.0, m.dof_names()[joint]);
    let mut chart = Chart::new(title, x, Axis::new(what.0, what.1));
    for kind in Kind::ALL {
        if points.iter().any(|p| p.1.of(kind) != 0.0) {
            chart = chart.curve(kind.name(), points.iter().map(|p| (p.0, p.1.of(kind))));
        }
    }
    chart.curve("all together", points.iter().map(|p| (p.0, p.1.sum())))
}

/// Curves of ratios of one unit, by name; the swept coordinate is multiplied by `scale` to be shown.
pub fn ratio_chart(m: &Model<f64>, title: &str, x: Axis, scale: f64, curves: &[(String, &RatioCurve)]) -> Chart {
    let mut names: Vec<String> = vec![];
    for (_, curve) in curves {
        if !names.contains(&curve.ratio.name()) {
            names.push(curve.ratio.name());
        }
    }
    let unit = curves.first().map_or("", |c| c.1.ratio.unit(m));
    let mut chart = Chart::new(title, x, Axis::new(names.join(", "), unit));
    for (name, curve) in curves {
        chart = chart.curve(name.clone(), curve.points.iter().map(|(x, y)| (scale * x, *y)));
    }
    chart
}
