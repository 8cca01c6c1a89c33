//! What `armdyn size` found, for machines: SI units, but for `--deg`.

use super::Found;
use crate::format::{position_unit, torque_unit};
use crate::progress;
use armdyn_design::{Accelerations, Binding, CapacityMap, DriveLoad, Least, LeastAccelerations, WrenchPeaks};
use armdyn_numerics::Peak;
use serde_json::{Value, json};

impl Found<'_> {
    /// All of it.
    pub fn json(&self) -> Value {
        let seen = self.sizing.samples;
        let t = &self.trajectory.t;
        let mut all = json!({
            "robot": self.m.name(), "joints": self.m.dof_names(), "motion": self.motion, "notes": self.notes,
            "duration": t[seen - 1] - t[0], "samples": seen, "partial": progress::interrupted(),
            "drives": self.sizing.drives.iter().enumerate().map(|(i, d)| self.drive(i, d)).collect::<Vec<_>>(),
            "wrenches": self.wrenches.iter().map(|w| self.wrench(w)).collect::<Vec<_>>(),
        });
        if let Some((load, masses)) = &self.payload {
            all["payload"] = json!({
                "link": self.m.links()[load.link].name, "centre": load.per_kilogram.centre().to_array(),
                "mass": masses.largest(), "least": masses.least, "by": self.binding(&masses.by),
            });
        }
        if let Some(scaling) = &self.scaling {
            all["time_scaling"] = json!({ "factor": scaling.factor, "by": self.binding(&scaling.by) });
        }
        if let Some((map, allowed)) = &self.capacity {
            all["capacity"] = self.map(map, allowed.as_deref());
        }
        if let Some(least) = &self.least {
            all["least_accelerations"] = self.least_json(least);
        }
        if let Some((q, at)) = &self.at {
            all["accelerations"] = self.at_json(q, at);
        }
        all
    }

    fn shown(&self, values: &[f64]) -> Vec<f64> {
        values.iter().enumerate().map(|(i, x)| self.rate(i, *x)).collect()
    }

    fn peak(&self, p: &Peak) -> Value {
        json!({ "value": p.value, "t": self.trajectory.t[p.sample] })
    }

    fn drive(&self, i: usize, d: &DriveLoad) -> Value {
        let [q, qd, qdd] = self.trajectory.state(d.peak.sample).map(|x| self.shown(x));
        let part = |s: &armdyn_core::Contribution<f64>| json!({ "cause": s.cause.describe(self.m), "kind": s.cause.kind(), "torque": s.torque });
        let unit = format!("{}/s", position_unit(self.m, i, self.deg));
        json!({
            "joint": self.m.dof_names()[i], "unit": torque_unit(self.m, i),
            "peak": d.peak.value, "rms": d.rms, "p95": d.p95,
            "speed": {
                "peak": self.rate(i, d.speed.value), "t": self.trajectory.t[d.speed.sample],
                "rms": self.rate(i, d.speed_rms), "unit": unit,
            },
            "power": { "motoring": self.peak(&d.motoring), "braking": self.peak(&d.braking), "unit": "W" },
            "work": d.work, "returned": d.returned, "moving": d.moving, "above_rated": d.above_rated,
            "effort_used": d.effort_used, "rated_used": d.rated_used, "speed_used": d.speed_used,
            "worst": {
                "t": self.trajectory.t[d.peak.sample], "q": q, "qd": qd, "qdd": qdd,
                "parts": d.parts.contributions.iter().map(part).collect::<Vec<_>>(),
            },
        })
    }

    fn wrench(&self, w: &WrenchPeaks) -> Value {
        let three = |p: &[Peak; 3]| p.iter().map(|p| self.peak(p)).collect::<Vec<_>>();
        json!({
            "joint": self.m.joints()[w.joint].name, "force": three(&w.force), "moment": three(&w.moment),
            "radial_force": self.peak(&w.radial), "tilting_moment": self.peak(&w.tilting), "frame": "joint",
        })
    }

    fn binding(&self, by: &Option<Binding>) -> Value {
        let told = |b: &Binding| {
            let t = b.sample.map(|k| self.trajectory.t[k]);
            json!({ "joint": self.m.dof_names()[b.dof], "limit": b.limit.name(), "t": t })
        };
        by.as_ref().map_or(Value::Null, told)
    }

    fn map(&self, map: &CapacityMap, allowed: Option<&[f64]>) -> Value {
        json!({
            "plane": map.plane.axes(), "across": [map.across.0, map.across.1], "up": [map.up.0, map.up.1],
            "columns": map.columns, "least": map.least, "best": map.best,
            "everywhere": { "mass": map.everywhere.0, "q": self.shown(&map.everywhere.1) },
            "accelerations": allowed.map(|a| self.shown(a)), "poses": map.poses, "in_plane": map.in_plane, "unit": "kg",
        })
    }

    fn least_json(&self, least: &LeastAccelerations) -> Value {
        let one = |i: usize, l: &Least| json!({ "value": self.rate(i, l.value), "q": self.shown(&l.q) });
        let all = |x: &[Least]| x.iter().enumerate().map(|(i, l)| one(i, l)).collect::<Vec<_>>();
        let tip = least.tip.as_ref().map(|(least, p5, half)| {
            json!({ "least": least.value, "q": self.shown(&least.q), "p5": p5, "median": half, "unit": "m/s²" })
        });
        json!({ "forward": all(&least.forward), "backward": all(&least.backward), "tip": tip, "poses": least.poses })
    }

    fn at_json(&self, q: &[f64], at: &Accelerations) -> Value {
        let one =
            |(i, (x, by)): (usize, &(f64, usize))| json!({ "value": self.rate(i, *x), "by": self.m.dof_names()[*by] });
        let all = |x: &[(f64, usize)]| x.iter().enumerate().map(one).collect::<Vec<_>>();
        let tip = at.tip.map(|t| json!({ "along": t.along, "every": t.every, "directions": t.directions }));
        json!({ "q": self.shown(q), "forward": all(&at.forward), "backward": all(&at.backward), "tip": tip })
    }
}
