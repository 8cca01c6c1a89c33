//! What `armdyn deflect` found, for machines: SI units, but for `--deg`.

use super::Found;
use super::text::share;
use crate::format::position_unit;
use crate::progress;
use armdyn_numerics::Peak;
use armdyn_structure::{Displacement, Part, WELL_BELOW, dynamic_surplus};
use serde_json::{Value, json};

impl Found {
    /// All of it.
    pub fn json(&self) -> Value {
        let m = self.structure.model();
        let d = &self.deflection;
        let name = |k: usize| &m.links()[k].name;
        let links = d.links.iter().map(|l| {
            let elastic = self.structure.links()[l.link].beam.is_some();
            json!({ "link": name(l.link), "elastic": elastic, "at": l.end.to_array(), "displacement": self.moved(&l.displacement) })
        });
        let parts = d.contributions.iter().map(|c| {
            let mut part = self.part_json(c.part);
            part["tool"] = self.moved(&c.tool);
            part["share"] = json!(share(c.tool.shift, d.tool.shift));
            if let Part::Joint(v) = c.part {
                part["gives_way"] = json!(self.angle(v, d.joints[v]));
                part["unit"] = json!(position_unit(m, v, self.deg));
            }
            part
        });
        let strength = self.strength.iter().map(|s| {
            json!({
                "link": name(s.link), "stress": s.stress, "at": s.at, "yield_safety": finite(s.yield_safety),
                "compression": s.compression, "critical_loads": s.critical_loads,
                "buckling_safety": finite(Some(s.buckling_safety)), "amplification": finite(Some(s.amplification)),
                "interaction": finite(s.interaction),
            })
        });
        let modes = self.modes;
        let mut all = json!({
            "robot": m.name(), "joints": m.dof_names(), "q": self.position(&self.at.q),
            "modes": {
                "bending": modes.bending, "torsion": modes.torsion, "axial": modes.axial, "shear": modes.shear,
                "joints": modes.joints,
            },
            "units": {
                "shift": "m", "turn": if self.deg { "°" } else { "rad" }, "stress": "Pa", "force": "N", "frequency": "Hz",
            },
            "partial": progress::interrupted(),
            "tool": { "link": name(self.structure.tool().link), "at": d.tool_at.to_array(), "displacement": self.moved(&d.tool) },
            "links": links.collect::<Vec<_>>(),
            "contributions": parts.collect::<Vec<_>>(),
            "strength": strength.collect::<Vec<_>>(),
        });
        self.motion_json(&mut all);
        if let Some((_, c)) = &self.correction {
            let change: Vec<f64> = c.change.iter().enumerate().map(|(v, x)| self.angle(v, *x)).collect();
            all["correction"] = json!({
                "q": self.position(&c.q), "change": change, "residual": self.moved(&c.residual), "steps": c.steps,
            });
        }
        self.vibrations_json(&mut all);
        if let Some(map) = &self.map {
            all["map"] = json!({
                "plane": map.plane.axes(), "across": [map.across.0, map.across.1], "up": [map.up.0, map.up.1],
                "columns": map.columns, "greatest": map.greatest, "poses": map.poses, "in_plane": map.in_plane, "unit": "m",
                "worst": { "q": self.position(&map.worst.1), "displacement": self.moved(&map.worst.0) },
            });
        }
        all
    }

    fn motion_json(&self, all: &mut Value) {
        let Some((trajectory, along)) = &self.motion else { return };
        let peak = |p: &Peak| json!({ "value": p.value, "t": trajectory.t[p.sample] });
        let links = along.links.iter().map(|l| {
            json!({
                "link": self.structure.model().links()[l.link].name, "shift": peak(&l.shift),
                "stress": l.stress.as_ref().map(peak), "yield_safety": finite(l.yield_safety),
                "compression": peak(&l.compression), "buckling_safety": finite(Some(l.buckling_safety)),
                "interaction": l.interaction.as_ref().map(peak),
            })
        });
        all["motion"] = json!({
            "samples": along.tool.len(), "worst": trajectory.t[along.worst],
            "t": trajectory.t[..along.tool.len()],
            "tool": along.tool.iter().map(|d| self.moved(d)).collect::<Vec<_>>(),
            "links": links.collect::<Vec<_>>(),
        });
    }

    fn vibrations_json(&self, all: &mut Value) {
        let Some(vibrations) = &self.vibrations else { return };
        let one = |v: &armdyn_structure::Vibration| {
            let parts = v.parts.iter().map(|(p, x)| {
                let mut part = self.part_json(*p);
                part["share"] = json!(x);
                part
            });
            json!({ "frequency": v.frequency, "tool": v.tool.to_array(), "parts": parts.collect::<Vec<_>>() })
        };
        all["frequencies"] = vibrations.iter().map(one).collect();
        if let (Some((bandwidth, given)), Some(first)) = (self.bandwidth, vibrations.first()) {
            all["bandwidth"] = json!({
                "value": bandwidth, "given": given, "ratio": first.frequency / bandwidth,
                "asked_ratio": WELL_BELOW, "well_below": first.frequency >= WELL_BELOW * bandwidth,
                "statics_short_by": finite(Some(dynamic_surplus(bandwidth, first.frequency))),
            });
        }
    }

    fn part_json(&self, part: Part) -> Value {
        let m = self.structure.model();
        match part {
            Part::Link(k) => json!({ "link": m.links()[k].name }),
            Part::Joint(v) => json!({ "joint": m.dof_names()[v] }),
        }
    }

    fn moved(&self, d: &Displacement) -> Value {
        let turn = d.turn.to_array().map(|x| if self.deg { x.to_degrees() } else { x });
        json!({ "shift": d.shift.to_array(), "turn": turn })
    }

    fn angle(&self, dof: usize, x: f64) -> f64 {
        if self.deg && self.structure.model().turns(dof) { x.to_degrees() } else { x }
    }

    /// Positions as they are shown; a quaternion is no angle.
    fn position(&self, q: &[f64]) -> Vec<f64> {
        let reader = crate::values::Reader { model: self.structure.model(), deg: self.deg };
        q.iter().zip(reader.scales(&crate::values::Kind::Position)).map(|(x, s)| x / s).collect()
    }
}

/// What JSON has no word for is null.
fn finite(x: Option<f64>) -> Option<f64> {
    x.filter(|x| x.is_finite())
}
