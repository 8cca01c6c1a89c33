//! Charts of the results.

use crate::importance::{RatioCurve, SpeedThreshold, TermImportance, TermKind, TorqueTerms};
use crate::servo::Response;
use crate::{Candidate, CapacityMap, DriveLoad, ServoReport, SizeReport};
use armdyn_core::{Model, OperatingLimit};
use armdyn_numerics::quantile;
use armdyn_plot::{Axis, Chart, Map, Panels, of_neighbours};

impl ServoReport {
    /// Minimum and maximum natural frequency of each joint, with constant and with scheduled gains.
    pub fn frequency_chart(&self) -> Chart {
        self.response_chart("natural frequency", "Hz", |r| r.frequency)
    }

    /// Minimum and maximum damping ratio of each joint, likewise.
    pub fn damping_chart(&self) -> Chart {
        self.response_chart("damping ratio", "", |r| r.damping)
    }

    fn response_chart(&self, what: &str, unit: &str, value: impl Fn(&Response) -> [f64; 2]) -> Chart {
        let names: Vec<String> = self.joints.iter().map(|j| j.joint.clone()).collect();
        let title = format!("{}: {what} over the joint ranges", self.robot);
        let constant = |end: usize| self.joints.iter().map(|j| value(&j.response)[end]).collect::<Vec<f64>>();
        let scheduled = |j: &crate::servo::JointServo| j.schedule.as_ref().map_or(f64::NAN, |s| value(&s.response)[1]);
        let chart = Chart::bars(title, Axis::new(what, unit), &names, false)
            .series("minimum, constant gains", constant(0))
            .series("maximum, constant gains", constant(1));
        let maxima: Vec<f64> = self.joints.iter().map(scheduled).collect();
        if maxima.iter().any(|x| x.is_finite()) { chart.series("maximum, scheduled gains", maxima) } else { chart }
    }
}

impl SizeReport {
    /// The torque of each drive over time, with its effort limit where the torque comes near it.
    pub fn torque_panels(&self) -> Panels {
        let panels = Panels::new(format!("{}: torques over time (dashed: effort limits)", self.robot), 3);
        self.drives.iter().enumerate().fold(panels, |panels, (i, drive)| panels.chart(self.torque_chart(i, drive)))
    }

    fn torque_chart(&self, i: usize, drive: &DriveLoad) -> Chart {
        // A limit far away would flatten the curve.
        const NEAR: f64 = 0.4;
        let (peak, limits) = (drive.peak.value.abs(), self.limits.effort[i]);
        let title = match drive.effort_utilization {
            Some(used) => format!("{}: {:.0} % of its limit", drive.joint, 100.0 * used),
            None => drive.joint.clone(),
        };
        let name = if drive.unit == "N" { "force" } else { "torque" };
        let point = |k: usize| (self.trajectory.t[k], self.torques[k * self.joints.len() + i]);
        let chart = Chart::new(title, Axis::new("time", "s"), Axis::new(name, drive.unit));
        let chart = chart.curve("", (0..self.samples).map(point));
        let near = [limits.upper, limits.lower].into_iter().filter(|limit| peak >= NEAR * limit.abs());
        near.fold(chart, |chart, limit| chart.level("", limit))
    }

    /// Operating points of each joint in the torque–speed plane: those of the first candidate of the catalogue with the curves of
    /// its motor, or without a catalogue those of the joint with its limits.
    pub fn operating_panels(&self) -> Panels {
        let candidate = |i: usize| self.catalogue.as_ref().and_then(|c| c.joints.get(i)?.ranking.first());
        let chart = |i: usize| candidate(i).map_or_else(|| self.joint_points(i), |c| motor_points(&self.joints[i], c));
        let panels = Panels::new(format!("{}: operating points", self.robot), 2);
        (0..self.joints.len()).fold(panels, |panels, i| panels.chart(chart(i)))
    }

    fn joint_points(&self, i: usize) -> Chart {
        let (n, drive) = (self.joints.len(), &self.drives[i]);
        let unit = if drive.unit == "N" { ("m/s", "force") } else { ("rad/s", "torque") };
        let chart = Chart::new(drive.joint.clone(), Axis::new("speed", unit.0), Axis::new(unit.1, drive.unit));
        let points = (0..self.samples).map(|k| (self.trajectory.qd[k * n + i].abs(), self.torques[k * n + i].abs()));
        let mut chart = chart.curve("operating points", points).mark("RMS", drive.speed_rms, drive.rms);
        let (effort, speed) = (self.limits.effort[i], self.limits.speed[i]);
        if effort.is_known() {
            // The limits of the two directions, where they differ.
            chart = chart.level("effort limit", effort.upper);
            if !effort.is_symmetric() {
                chart = chart.level("effort limit backward", -effort.lower);
            }
        }
        if self.limits.continuous[i].is_finite() {
            chart = chart.level("continuous torque", self.limits.continuous[i]);
        }
        if speed.is_finite() { chart.instant("speed limit", speed) } else { chart }
    }

    /// Utilization of the limits of each drive, where known.
    pub fn utilization_chart(&self) -> Chart {
        let title = format!("{}: utilization of drive limits", self.robot);
        let mut chart = Chart::bars(title, Axis::new("utilization", "%"), &self.joints, false);
        type Utilization = fn(&DriveLoad) -> Option<f64>;
        let kinds: [(&str, Utilization); 3] = [
            ("peak torque / effort limit", |d| d.effort_utilization),
            ("RMS torque / continuous torque", |d| d.continuous_utilization),
            ("peak speed / speed limit", |d| d.speed_utilization),
        ];
        for (name, of) in kinds.into_iter().filter(|(_, of)| self.drives.iter().any(|d| of(d).is_some())) {
            chart = chart.series(name, self.drives.iter().map(|d| of(d).map_or(f64::NAN, |x| 100.0 * x)));
        }
        chart
    }
}

/// Operating points of a motor with its curves.
fn motor_points(joint: &str, c: &Candidate) -> Chart {
    let rpm = |speed: f64| speed * 30.0 / std::f64::consts::PI;
    let title = format!("{joint}: {}, {}", c.motor, c.gear);
    let start = c.curve.first().map(|p| OperatingLimit { speed: 0.0, ..*p });
    let curve = |torque: fn(&OperatingLimit) -> f64| {
        start.iter().chain(&c.curve).map(|p| (rpm(p.speed), torque(p))).collect::<Vec<_>>()
    };
    Chart::new(title, Axis::new("motor speed", "rpm"), Axis::new("motor torque", "N m"))
        .curve("operating points", c.points.iter().map(|[speed, torque]| (rpm(*speed), *torque)))
        .curve("continuous", curve(|p| p.continuous))
        .curve("peak", curve(|p| p.peak))
        .mark("RMS torque at the mean speed", rpm(c.load.mean_speed), c.load.rms)
}

impl CapacityMap {
    /// The mass that every configuration in a cell and its neighbours can carry, as a cell alone has few samples; `best`: the mass
    /// that the best configuration in a cell can carry. Few cells can be far above all others: the last colour covers the
    /// largest twentieth.
    pub fn chart(&self, title: &str, best: bool) -> Map {
        let [a, b] = self.plane.axes();
        let axis = |name: &str, (low, high): (f64, f64)| Axis::new(name, "m").within(low, high);
        let cells = if best { self.maximum.clone() } else { of_neighbours(&self.minimum, self.columns, f64::min) };
        let mut known: Vec<(f64, f64)> = cells.iter().filter(|x| !x.is_nan()).map(|x| (*x, 1.0)).collect();
        let [minimum, top, maximum] = [0.0, 0.95, 1.0].map(|p| quantile(&mut known, p));
        let value = if maximum > top && top > minimum && top.is_finite() {
            Axis::new("payload (last colour: or more)", "kg").within(minimum, top)
        } else {
            Axis::new("payload", "kg")
        };
        let shown = cells.iter().map(|x| if *x > top { top } else { *x }).collect();
        Map::new(title, axis(a, self.x_range), axis(b, self.y_range), value, self.columns, shown)
    }
}

impl TermImportance {
    /// Mean fraction of each kind of term at each joint.
    pub fn chart(&self) -> Chart {
        let title = format!("Torque terms of {}", self.robot);
        let axis = Axis::new("mean fraction", "%").within(0.0, 100.0);
        let joints: Vec<String> = self.joints.iter().map(|j| j.joint.clone()).collect();
        TermKind::ALL.into_iter().fold(Chart::bars(title, axis, &joints, true), |chart, kind| {
            chart.series(kind.name(), self.joints.iter().map(|j| 100.0 * j.term(kind).mean_fraction))
        })
    }
}

impl SpeedThreshold {
    /// Fraction of the configurations in which velocity torques are insignificant at each joint, over the speed.
    pub fn chart(&self) -> Chart {
        let fastest = self.all_joints.iter().map(|b| b.percentiles[90]).filter(|s| s.is_finite()).fold(1.0, f64::max);
        let speed = Axis::new("fraction of full speed", "%").within(0.0, 100.0 * fastest);
        let often = Axis::new("configurations below the threshold", "%").within(0.0, 100.0);
        let title = format!("Speed at which velocity torques become significant, {}", self.robot);
        self.all_joints.iter().fold(Chart::new(title, speed, often), |chart, joint| {
            let start = [(0.0, 100.0), (100.0 * joint.minimum, 100.0)];
            let points = joint.percentiles.iter().enumerate().map(|(p, s)| (100.0 * s, 100.0 - p as f64));
            chart.curve(format!("at {}", joint.joint), start.into_iter().chain(points))
        })
    }
}

/// The terms of one joint's torque over time or over a sweep.
pub fn torque_terms_chart(m: &Model<f64>, joint: usize, x: Axis, points: &[(f64, TorqueTerms)]) -> Chart {
    let name = if m.is_rotational(joint) { "torque" } else { "force" };
    let title = format!("Terms of the {name} of {}", m.dof_names()[joint]);
    let mut chart = Chart::new(title, x, Axis::new(name, m.torque_unit(joint)));
    for kind in TermKind::ALL.into_iter().filter(|kind| points.iter().any(|p| p.1.get(*kind) != 0.0)) {
        chart = chart.curve(kind.name(), points.iter().map(|p| (p.0, p.1.get(kind))));
    }
    chart.curve("total", points.iter().map(|p| (p.0, p.1.sum())))
}

/// Curves of ratios, each with the factor to the unit; `scale` converts the swept coordinate.
pub fn ratio_chart(title: &str, x: Axis, scale: f64, unit: &str, curves: &[(&RatioCurve, f64)]) -> Chart {
    let mut names: Vec<String> = curves.iter().map(|(c, _)| c.ratio.name()).collect();
    names.dedup();
    curves.iter().fold(Chart::new(title, x, Axis::new(names.join(", "), unit)), |chart, (curve, factor)| {
        chart.curve(&curve.name, curve.x.iter().zip(&curve.y).map(|(x, y)| (scale * x, factor * y)))
    })
}
