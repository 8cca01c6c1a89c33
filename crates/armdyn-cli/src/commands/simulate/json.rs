//! The same for machines.

use super::Found;
use armdyn_mobile::EventKind;
use serde_json::{Map, Value, json};

impl Found<'_> {
    /// One object.
    pub fn json(&self) -> Value {
        let (run, wheels) = (&self.run, self.base.wheels());
        let names = |list: &[usize]| list.iter().map(|i| wheels[*i].name.as_str()).collect::<Vec<_>>();
        let event = |e: &armdyn_mobile::Event| {
            let (what, of): (&str, Value) = match &e.what {
                EventKind::Starts => ("starts", Value::Null),
                EventKind::Stops => ("stops", Value::Null),
                EventKind::Slides => ("slides", Value::Null),
                EventKind::Grips => ("grips", Value::Null),
                EventKind::Rolls { wheel } => ("rolls", json!(names(&[*wheel]))),
                EventKind::Rests { wheel } => ("rests", json!(names(&[*wheel]))),
                EventKind::Reverses { wheel } => ("reverses", json!(names(&[*wheel]))),
                EventKind::Tips { about, lifts } => {
                    return json!({ "t": e.t, "what": "tips", "about": names(about), "lifts": names(lifts) });
                }
            };
            json!({ "t": e.t, "what": what, "wheels": of })
        };
        let figure = |(what, value, unit, t): (&str, f64, &str, f64)| json!({ "what": what, "value": value, "unit": unit, "t": t });
        let wheel = |k: usize| {
            let ((least, at), (most, when)) =
                (self.greatest(|s| -s.instant.weights[k]), self.greatest(|s| s.instant.weights[k]));
            json!({ "wheel": wheels[k].name, "kind": wheels[k].kind.name(), "unit": "N",
                    "least": { "value": -least, "t": at }, "greatest": { "value": most, "t": when } })
        };
        let joint = |k: usize| {
            let (most, at) = self.greatest(|s| s.instant.tau[k].abs());
            json!({ "joint": self.m.dof_names()[k], "unit": crate::format::torque_unit(self.m, k), "peak": most, "t": at })
        };
        let b = &run.balance;
        let end: Map<String, Value> = self.row(run.end()).into_iter().map(|(name, x)| (name, json!(x))).collect();
        json!({
            "robot": self.m.name(),
            "base": self.words[0],
            "motion": self.words[1],
            "notes": self.notes,
            "duration": run.end().t,
            "samples": run.samples.len(),
            "partial": run.partial(),
            "tipped": run.tipped().is_some(),
            "figures": self.figures().into_iter().map(figure).collect::<Vec<_>>(),
            "end": end,
            "wheels": (0..wheels.len()).map(wheel).collect::<Vec<_>>(),
            "joints": (0..self.m.nv()).map(joint).collect::<Vec<_>>(),
            "events": run.events.iter().map(event).collect::<Vec<_>>(),
            "energy": { "unit": "J", "joints": b.joints, "drive": b.drive, "friction": b.rubbing, "grown": b.energy,
                        "residual": b.residual, "scale": b.scale },
            "momentum": { "linear_change": b.linear_momentum, "angular_change": b.angular_momentum,
                          "linear_scale": b.momentum_scale[0], "angular_scale": b.momentum_scale[1] },
        })
    }
}
