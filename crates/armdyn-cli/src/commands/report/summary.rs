//! The answers that a designer reads first: payload, reach, torques against limits, safety factors.

use crate::commands::size::{cannot_hold, exceeded_unloaded};
use crate::document::{Document, Table};
use crate::format::{many, number};
use crate::html::Highlight;
use crate::shown::Shown;
use armdyn_core::{EffortRange, Model};
use armdyn_design::range::{JointExtrema, RangeReport};
use armdyn_design::{DriveLimits, DriveLoad, Reach, SizeReport};
use armdyn_import::{Finding, Severity};
use armdyn_mobile::tipover::TipoverAnalysis;
use armdyn_plot::{Axis, Chart};
use armdyn_structure::DeflectionAnalysis;

/// The results that the summary is made of, as far as they are available.
pub struct Summary<'a> {
    pub m: &'a Model<f64>,
    pub deg: bool,
    pub findings: &'a [Finding],
    pub limits: DriveLimits,
    /// Whether the user gave a motion.
    pub has_motion: bool,
    pub reach: Option<Reach>,
    pub ranges: Option<&'a RangeReport>,
    pub size: Option<&'a SizeReport>,
    pub stability: Option<TipoverAnalysis>,
    pub structure: Option<DeflectionAnalysis>,
}

fn card(name: &str, value: String, detail: String) -> Highlight {
    Highlight { name: name.to_string(), value, detail }
}

fn percent(fraction: f64) -> String {
    format!("{:.0} %", 100.0 * fraction)
}

impl Summary<'_> {
    /// Key values. Without a motion only those that do not depend on one.
    pub fn cards(&self) -> Vec<Highlight> {
        let cards = [
            self.payload(),
            self.payload_on_motion(),
            self.reach.as_ref().map(|r| {
                let [low, high] = r.height.map(number);
                let height = if r.height[1] - r.height[0] > 1e-9 {
                    format!(", height {low} … {high} m")
                } else {
                    String::new()
                };
                card(
                    "reach of the tool",
                    format!("{} m", number(r.distance)),
                    format!("from the z axis of the base{height}"),
                )
            }),
            self.holding_torque(),
            self.peak_torque(),
            self.speed_scaling(),
            self.acceleration(),
            self.tip_over_margin(),
        ];
        let mut cards: Vec<Highlight> = cards.into_iter().flatten().chain(self.strength()).collect();
        let count = |s, name| many(self.findings.iter().filter(|f| f.code.severity == s).count(), name);
        let (errors, warnings) = (count(Severity::Error, "error"), count(Severity::Warning, "warning"));
        let joints = format!("{} of freedom", many(self.m.nv(), "degree"));
        cards.push(card("mass with base and payloads", format!("{} kg", number(self.m.total_mass())), joints));
        cards.push(card("check", format!("{errors}, {warnings}"), String::new()));
        cards
    }

    /// The payload that every pose can carry at rest.
    fn payload(&self) -> Option<Highlight> {
        let map = self.size?.capacity.as_ref()?;
        let link = self.size?.payload.as_ref().map_or(String::new(), |p| format!(" at {}", p.link));
        let value = format!("{} kg", number(map.worst.value));
        let detail = match &map.worst.cannot_hold {
            None => format!("held{link} in every pose, without friction"),
            Some(found) => format!("in the worst pose {}", exceeded_unloaded(found)),
        };
        Some(card("payload", value, detail))
    }

    fn payload_on_motion(&self) -> Option<Highlight> {
        let size = self.size.filter(|_| self.has_motion)?;
        let payload = size.payload.as_ref()?;
        let mass = payload.range.largest().filter(|m| *m <= size.plausible_payload)?;
        let by = payload.range.limited_by.as_ref().map_or(String::new(), |by| format!("limited by {}", by.joint));
        Some(card("payload on the motion", format!("{} kg", number(mass)), by))
    }

    /// The joints with all payloads: worst holding torque, limit, and the fraction of it.
    fn held(&self) -> Vec<(usize, &JointExtrema, Option<f64>)> {
        let joints = self.ranges.and_then(|r| r.payloads.last()).map_or(&[][..], |p| &p.joints);
        joints.iter().enumerate().map(|(i, j)| (i, j, j.gravity.utilization(&self.limits.effort[i]))).collect()
    }

    fn holding_torque(&self) -> Option<Highlight> {
        let held = self.held();
        let by_limit = held.iter().filter_map(|(i, j, fraction)| Some((*i, *j, (*fraction)?)));
        if let Some((i, j, fraction)) = by_limit.max_by(|a, b| a.2.total_cmp(&b.2)) {
            let (torque, limit) = (number(j.gravity.maximum.value), self.limits.effort[i]);
            let value = format!("{torque} of {limit} {}", j.gravity.unit);
            let detail = format!("{}: {} of its limit, safety factor {}", j.joint, percent(fraction), factor(fraction));
            return Some(card("worst holding torque", value, detail));
        }
        let largest = held.iter().max_by(|a, b| a.1.gravity.maximum.value.total_cmp(&b.1.gravity.maximum.value))?;
        let gravity = &largest.1.gravity;
        let value = format!("{} {}", number(gravity.maximum.value), gravity.unit);
        Some(card("worst holding torque", value, format!("{}: no effort limit is known", largest.1.joint)))
    }

    fn peak_torque(&self) -> Option<Highlight> {
        let drives = self.size.filter(|_| self.has_motion)?.drives.iter().enumerate();
        let used = drives.filter_map(|(i, d)| Some((i, d, d.effort_utilization?)));
        let (i, d, used) = used.max_by(|a, b| a.2.total_cmp(&b.2))?;
        let value = format!("{} of {} {}", number(d.peak.value.abs()), self.limits.effort[i], d.unit);
        let detail = format!("{}: {} of its limit, safety factor {}", d.joint, percent(used), factor(used));
        Some(card("peak torque on the motion", value, detail))
    }

    fn speed_scaling(&self) -> Option<Highlight> {
        let scaling = self.size.filter(|_| self.has_motion)?.speed_scaling.as_ref()?;
        let factor = scaling.factor.filter(|s| s.is_finite())?;
        let by = scaling.limited_by.as_ref().map_or(String::new(), |by| format!("limited by {}", by.joint));
        Some(card("the motion could be faster", format!("× {}", number(factor)), by))
    }

    fn acceleration(&self) -> Option<Highlight> {
        let tip = self.size?.minimum_accelerations.as_ref()?.tip.as_ref()?;
        let detail = format!("in every direction from rest, in 95 % of the poses; {} in all", number(tip.value));
        Some(card("acceleration of the tool", format!("{} m/s²", number(tip.p5)), detail))
    }

    /// The smallest margin at rest over all sampled poses.
    fn tip_over_margin(&self) -> Option<Highlight> {
        let analysis = self.stability.as_ref()?;
        let map = analysis.reach.as_ref()?;
        let margin = map.margin.iter().copied().filter(|x| x.is_finite()).reduce(f64::min)?;
        let detail = match map.tipping {
            0 => "smallest one at rest in any pose: none tips".to_string(),
            tipping => {
                format!("smallest one at rest in any pose: {} tip", percent(tipping as f64 / map.samples as f64))
            }
        };
        Some(card("tip-over margin", format!("{} m", number(margin)), detail))
    }

    /// Deflection, and safety factors against yield and buckling.
    fn strength(&self) -> Vec<Highlight> {
        let Some(analysis) = &self.structure else { return vec![] };
        let mut cards = vec![];
        if let Some(map) = &analysis.map {
            let moved = map.maximum.iter().copied().filter(|x| x.is_finite()).fold(0.0, f64::max);
            let value = format!("{} mm", number(1000.0 * moved));
            cards.push(card("deflection of the tool", value, "largest one at rest in any pose".to_string()));
        }
        let yields = analysis.strength.iter().filter_map(|s| Some((s.yield_safety_factor?, &s.link, "yield")));
        let buckles = analysis.strength.iter().map(|s| (s.buckling_safety_factor, &s.link, "buckling"));
        let smallest = yields.chain(buckles).filter(|(x, ..)| x.is_finite()).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((factor, link, against)) = smallest {
            let when = if analysis.trajectory.is_some() { "at the largest deflection" } else { "in the pose drawn" };
            let detail = format!("{link}, against {against}, {when}");
            cards.push(card("smallest safety factor of the links", number(factor), detail));
        }
        cards
    }

    /// Tables of torques against limits, and payload maps.
    pub fn document(&self) -> Document {
        let mut document = Document::default();
        if !self.has_motion {
            document += "No motion was given: this page begins with what does not depend on one. Pass `--trajectory FILE` for \
                         the peak torques, payload and speed margins of a motion.\n\n";
        }
        self.add_held(&mut document);
        if let Some(size) = self.size {
            if self.has_motion {
                document += "Torque on the motion against the limits (RMS over time)\n";
                document.table(self.motion_table(size));
            }
            if let Some(chart) = self.torque_chart(size) {
                document.picture(chart.svg(), None);
            }
            if let Some(map) = &size.capacity {
                document.picture(map.chart("Payload that every pose near a position can hold", false).svg(), None);
            }
            let shown = Shown { m: self.m, deg: self.deg };
            for found in size.cannot_hold() {
                document += &format!("CANNOT HOLD: {}\n", cannot_hold(found, shown));
            }
            size.notes.iter().for_each(|note| document += &format!("note: {note}\n"));
        }
        document
    }

    /// The worst holding torque of each joint.
    fn add_held(&self, document: &mut Document) {
        let (held, shown) = (self.held(), Shown { m: self.m, deg: self.deg });
        if held.is_empty() {
            return;
        }
        let limited = held.iter().any(|h| h.2.is_some());
        let largest = held.iter().map(|h| h.1.gravity.maximum.value).fold(0.0, f64::max);
        let mut header = vec!["joint", "holding torque", "unit"];
        if limited {
            header.extend(["limit", "of limit [%]", "safety factor"]);
        }
        header.push("worst pose (·: any value)");
        let row = |(i, j, fraction): &(usize, &JointExtrema, Option<f64>)| {
            let worst = &j.gravity.maximum;
            let vanishes = worst.value <= 1e-8 * largest;
            let value = if vanishes { 0.0 } else { worst.value };
            let mut row = vec![j.joint.clone(), number(value), j.gravity.unit.to_string()];
            if limited {
                let cells = fraction.map(|x| (self.limits.effort[*i].to_string(), if vanishes { 0.0 } else { x }));
                let cells = cells.map(|(limit, x)| [limit, format!("{:.1}", 100.0 * x), factor(x)]);
                row.extend(cells.unwrap_or_else(|| ["?", "?", "?"].map(String::from)));
            }
            // Searches resolve a position to about 1e-7.
            let value = |(k, q): (usize, &f64)| match worst.depends[k] {
                true => number(if q.abs() < 1e-7 { 0.0 } else { shown.value(k, *q) }),
                false => "·".to_string(),
            };
            let pose: Vec<String> = worst.at.iter().enumerate().map(value).collect();
            row.push(if vanishes { String::new() } else { format!("({})", pose.join(", ")) });
            row
        };
        *document += "Holding torque in the worst pose against the effort limit (at rest, without friction)\n";
        document.table(Table::new(&header, &[0, 2, header.len() - 1], held.iter().map(row)));
    }

    /// Torques of each joint as fractions of its limit.
    fn torque_chart(&self, size: &SizeReport) -> Option<Chart> {
        let held: Vec<f64> = self.held().iter().map(|h| 100.0 * h.2.unwrap_or(f64::NAN)).collect();
        if held.iter().all(|x| x.is_nan()) {
            return None;
        }
        let axis = Axis::new("of the effort limit", "%");
        let chart = Chart::bars("Torque against effort limit", axis, self.m.dof_names(), false);
        let chart = chart.series("holding torque in the worst pose", held);
        let peaks = size.drives.iter().map(|d| d.effort_utilization.map_or(f64::NAN, |x| 100.0 * x));
        Some(if self.has_motion { chart.series("peak torque on the motion", peaks) } else { chart })
    }

    fn motion_table(&self, size: &SizeReport) -> Table {
        let header = ["joint", "peak", "RMS", "unit", "limit", "of limit [%]", "safety factor", "of speed limit [%]"];
        let row = |(i, d): (usize, &DriveLoad)| {
            let limit = Some(self.limits.effort[i]).filter(EffortRange::is_known);
            let cell = |x: Option<f64>, show: &dyn Fn(f64) -> String| x.map_or("?".to_string(), show);
            let in_percent = |x: f64| format!("{:.1}", 100.0 * x);
            vec![
                d.joint.clone(),
                number(d.peak.value.abs()),
                number(d.rms),
                d.unit.to_string(),
                limit.map_or("?".to_string(), |e| e.to_string()),
                cell(d.effort_utilization, &in_percent),
                cell(d.effort_utilization, &factor),
                cell(d.speed_utilization, &in_percent),
            ]
        };
        Table::new(&header, &[0, 3], size.drives.iter().enumerate().map(row))
    }
}

/// The safety factor of a utilization.
fn factor(utilization: f64) -> String {
    if utilization > 0.0 { number(1.0 / utilization) } else { "–".to_string() }
}
