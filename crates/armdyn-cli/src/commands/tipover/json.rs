//! `armdyn tipover --json`.

use super::Found;
use crate::progress;
use armdyn_mobile::tipover::{Shares, Verdict};
use serde_json::{Value, json};

/// JSON has no infinity.
fn finite(x: f64) -> Option<f64> {
    Some(x).filter(|x| x.is_finite())
}

impl Found<'_> {
    pub fn json(&self) -> Value {
        let (s, support) = (&self.standing, self.support);
        let name = |edge: usize| support.edges()[edge].contacts.map(|c| support.contacts()[c].name.clone());
        let by = |by: Option<(usize, usize)>| by.map(|(k, edge)| json!({ "sample": k, "edge": name(edge) }));
        let contact = |(k, c): (usize, &armdyn_core::Contact)| {
            let held = self.grip.as_ref().ok().map(|g| &g.held[k]);
            json!({
                "name": c.name, "kind": c.kind.name(), "at": support.points()[k], "load": s.loads[k],
                "held": held.map(|h| h.force), "rolling_resistance": held.map(|h| h.rolling),
                "friction_needed": held.and_then(|h| h.needed), "friction_static": c.friction.static_friction,
                "friction_margin": held.and_then(|h| h.margin), "sliding_lacks": held.and_then(|h| h.lacking),
            })
        };
        let edge = |(k, m): (usize, &armdyn_mobile::tipover::Margin)| {
            json!({
                "contacts": name(k), "distance": m.distance, "moment": m.moment,
                "force_angle": m.force_angle.angle, "force_angle_measure": m.force_angle.measure,
            })
        };
        let shares = match s.shares {
            Shares::Exact => "equilibrium",
            Shares::Stiffness => "stiffness",
            Shares::LeastNorm => "least norm",
            Shares::Pulling => "as if the ground could pull",
        };
        let grip = match &self.grip {
            Ok(g) => json!({
                "needed": g.needed, "least": g.least, "unheld_force": g.unheld, "unheld_moment": g.unheld_turn,
                "rolling_resistance_at_rest": g.rolling_at_rest,
            }),
            Err(e) => json!({ "unknown": e }),
        };
        let along = self.along.as_ref().zip(self.trajectory.as_ref()).map(|(a, t)| {
            json!({
                "samples": a.looked_at, "of": t.len(), "worst": { "sample": a.worst, "t": t.t[a.worst] },
                "zmp": a.zmp.iter().map(|p| p.map(finite)).collect::<Vec<_>>(),
                "distance": a.distance.iter().map(|d| finite(*d)).collect::<Vec<_>>(),
                "most_friction": self.slipperiest.as_ref().map(|(k, g)| json!({ "sample": k, "needed": g.needed })),
            })
        });
        let masses = match &self.masses {
            Ok((load, m)) => json!({
                "link": self.m.links()[load.link].name, "at": load.per_kilogram.centre().to_array(),
                "least": finite(m.least), "most": finite(m.most), "unbounded": m.most.is_infinite(), "by": by(m.by),
            }),
            Err(e) => json!({ "unknown": e }),
        };
        let reach = self.reach.as_ref().map(|map| {
            let one = |d: &armdyn_mobile::tipover::Direction| {
                let farthest = Some(d.farthest).filter(|x| *x > 0.0);
                json!({ "heading": d.heading, "safe": d.safe, "farthest_safe": farthest, "reach": d.reach })
            };
            json!({
                "poses": map.poses.0, "tipping": map.poses.1, "from": support.middle(),
                "directions": map.directions.iter().map(one).collect::<Vec<_>>(),
            })
        });
        let proof = self.proof.as_ref().map(|p| {
            let verdict = match p.verdict {
                Verdict::Proven => "proven",
                Verdict::Tips => "tips",
                Verdict::Undecided => "undecided",
            };
            let n = self.m.nv();
            let one = |(k, b): (usize, &armdyn_numerics::bound::Bounds)| {
                let parts: Vec<&[f64]> = b.at.chunks(n.max(1)).collect();
                json!({
                    "contacts": name(k), "least_found": b.best, "bound": finite(b.bound), "boxes": b.boxes,
                    "at": { "q": parts.first(), "qd": parts.get(1), "qdd": parts.get(2) },
                })
            };
            json!({ "verdict": verdict, "edges": p.edges.iter().enumerate().map(one).collect::<Vec<_>>() })
        });
        json!({
            "robot": self.m.name(),
            "ground": self.ground,
            "units": "SI; places and forces along the ground in its axes x and y, headings from x towards y",
            "axes": self.axes(),
            "joints": self.m.dof_names(),
            "q": self.q,
            "stands": s.stands(),
            "mass": s.mass,
            "centre_of_mass": s.centre,
            "zmp": s.zmp,
            "distance": s.distance(),
            "tips_over": name(s.weakest()),
            "loads_shared_by": shares,
            "contacts": support.contacts().iter().enumerate().map(contact).collect::<Vec<_>>(),
            "edges": s.margins.iter().enumerate().map(edge).collect::<Vec<_>>(),
            "friction": grip,
            "along": along,
            "safe_pace": { "slowest": finite(self.pace.slowest), "fastest": finite(self.pace.fastest),
                           "unbounded": self.pace.fastest.is_infinite(), "by": by(self.pace.by) },
            "payload": masses,
            "towards": self.towards.as_ref().map(|(q, r)| json!({ "share": r.share, "q": q, "edge": r.edge.map(name) })),
            "reach": reach,
            "never_tips": proof,
            "partial": progress::interrupted(),
        })
    }
}
