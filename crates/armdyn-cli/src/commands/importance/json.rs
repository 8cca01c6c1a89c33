//! What `armdyn importance` found, for machines.

use super::Asked;
use crate::format;
use crate::values::Kind as Values;
use armdyn_design::importance::{Alone, Boundary, Importance, JointImportance, Kind, Size, Slow, State};
use serde_json::{Value, json};

impl Asked<'_> {
    fn state_json(&self, s: &State) -> Value {
        let mut object = json!({});
        if let Some(t) = s.t {
            object["t"] = json!(t);
        }
        for (name, values) in [("q", &s.q), ("qd", &s.qd), ("qdd", &s.qdd)] {
            object[name] = json!(self.shown(values));
        }
        object
    }

    pub fn weights_json(&self, found: &Importance) -> Value {
        let m = self.m;
        let size = |s: &Size| {
            json!({
                "mean_share": s.mean_share, "rms": s.rms, "p95": s.p95, "worst": s.worst, "at": self.state_json(&s.at),
            })
        };
        let joint = |(i, j): (usize, &JointImportance)| {
            let mut object = json!({ "joint": m.dof_names()[i], "unit": format::torque_unit(m, i) });
            for (kind, s) in Kind::ALL.iter().zip(&j.kinds) {
                object[kind.name().replace(' ', "_").to_lowercase()] = size(s);
            }
            object["torque"] = size(&j.torque);
            object["gravity_dominates"] = json!(j.gravity_dominates);
            object
        };
        let joints: Vec<Value> = found.joints.iter().enumerate().map(joint).collect();
        let units: Vec<&str> = (0..m.nv()).map(|i| format::position_unit(m, i, self.reader.deg)).collect();
        json!({
            "robot": m.name(), "position_units": units, "states": found.states, "partial": found.partial, "joints": joints,
        })
    }

    pub fn boundary_json(&self, found: &Slow, x: f64) -> Value {
        let (names, scales, rates) = (self.m.dof_names(), self.reader.scales(&Values::Rate), self.rate_units("s"));
        // JSON has no infinity: null is any speed.
        let finite = |s: f64| if s.is_finite() { json!(s) } else { Value::Null };
        let together = |(i, b): (usize, &Boundary)| {
            json!({
                "joint": names[i], "least": finite(b.least), "p5": finite(b.p5()), "median": finite(b.median()),
                "slow_at_full_speed": b.slow_at_full, "at": self.shown(&b.at),
            })
        };
        let alone = |(j, a): (usize, &Alone)| {
            json!({
                "joint": names[j], "least": finite(a.least / scales[j]), "median": finite(a.median / scales[j]),
                "unit": rates[j], "felt_at": names[a.felt], "at": self.shown(&a.at),
            })
        };
        json!({
            "robot": self.m.name(), "share": x, "configurations": found.configurations, "partial": found.partial,
            "together": found.together.iter().enumerate().map(together).collect::<Vec<_>>(),
            "alone": found.alone.iter().enumerate().map(alone).collect::<Vec<_>>(),
        })
    }
}
