//! The document of a tip-over analysis.

use crate::document::{Document, Table};
use crate::format::{self, many, number, optional, rounded};
use crate::shown::Shown;
use armdyn_core::Model;
use armdyn_mobile::contact::{FrictionDemand, LoadDistribution};
use armdyn_mobile::tipover::{
    CriticalEdge, Direction, EdgeBound, EdgeResult, GuaranteedStability, ReachMap, TipoverAnalysis, Verdict,
};
use std::fmt::Write;

/// Only every third direction of the reach is printed.
const DIRECTION_STEP: usize = 3;

/// The document; angles in degrees if `deg`.
pub fn document(m: &Model<f64>, result: &TipoverAnalysis, deg: bool) -> Document {
    View { shown: Shown { m, deg }, result, text: Document::default() }.document()
}

struct View<'a> {
    shown: Shown<'a>,
    result: &'a TipoverAnalysis,
    text: Document,
}

/// Writing to a document does not fail.
macro_rules! line {
    ($view:expr, $($arg:tt)*) => {{ let _ = writeln!($view.text, $($arg)*); }};
}

impl View<'_> {
    fn document(mut self) -> Document {
        let r = self.result;
        line!(self, "{} {}, {}", r.robot, self.ground(), self.base_motion());
        let [x, y] = r.ground.axes;
        if x.iter().chain(&y).zip([1.0, 0.0, 0.0, 0.0, 1.0, 0.0]).any(|(a, b)| (a - b).abs() > 1e-9) {
            let [x, y] = [x, y].map(|a| format::numbers(&a).join(", "));
            line!(self, "x and y along the ground are ({x}) and ({y}) in base axes");
        }
        if let Some(t) = &r.trajectory {
            let (worst, count) = (t.stability.worst, t.stability.margin.len());
            let of = if count < t.t.len() { format!(" of {} (partial)", t.t.len()) } else { String::new() };
            line!(
                self,
                "\nsmallest margin of {}{of}: at {} s (row {})",
                many(count, "sample"),
                number(t.t[worst]),
                worst + 1
            );
        }
        line!(self, "\n{}", self.verdict());
        let [x, y, height] = r.stability.centre_of_mass.map(number);
        line!(
            self,
            "mass {} kg, centre of mass at x {x}, y {y} m, {height} m above the ground",
            number(r.stability.mass)
        );
        match r.stability.zmp {
            Some([x, y]) => line!(self, "zero-moment point at x {}, y {} m", number(x), number(y)),
            None => line!(self, "the ground is not loaded: there is no zero-moment point"),
        }
        let method = match r.stability.load_distribution {
            LoadDistribution::Equilibrium => "by equilibrium",
            LoadDistribution::Stiffness => "by contact stiffness, without pulling",
            LoadDistribution::LeastNorm => "by least norm (not all contacts have a stiffness), without pulling",
            _ => "as if contacts could pull, because the robot tips",
        };
        line!(self, "\nContacts: loads {method}");
        self.text.table(self.contacts());
        line!(self, "\nEdges of the support polygon: distance of the ZMP, restoring moment, force-angle margin");
        self.text.table(self.edges());
        line!(self, "");
        match (&r.friction, &r.friction_error) {
            (Some(friction), _) => self.friction(friction),
            (None, Some(e)) => line!(self, "friction demand not computed: {e}"),
            _ => {}
        }
        self.maximum_friction();
        self.limits();
        if let Some(path) = &r.toward {
            match path.edge {
                None => line!(self, "stable on the whole path to --toward (checked at 512 steps)"),
                Some(edge) => {
                    let (percent, q) = (number(100.0 * path.fraction), self.shown.named_positions(&path.q));
                    line!(self, "tips over {} after {percent} % of the path to --toward: at {q}", r.edge_name(edge));
                }
            }
        }
        if let Some(map) = &r.reach {
            self.reach(map);
        }
        if let Some(guaranteed) = &r.guaranteed {
            self.guaranteed(guaranteed);
        }
        if r.partial {
            line!(self, "partial: cancelled by Ctrl-C");
        }
        self.text
    }

    fn ground(&self) -> String {
        let g = &self.result.ground;
        if g.slope.abs() < 1e-9 {
            return "on level ground".to_string();
        }
        let angle = |x: f64| match self.shown.deg {
            true => format!("{}°", number(rounded(x, 1.0).to_degrees())),
            false => format!("{} rad", number(rounded(x, 1.0))),
        };
        format!("on a slope of {} that rises towards {}", angle(g.slope), angle(g.uphill))
    }

    fn base_motion(&self) -> String {
        let r = self.result;
        let motion = |[x, y, yaw]: [f64; 3], per: &str| {
            format!("({}, {}) m/{per}, {} rad/{per}", number(x), number(y), number(yaw))
        };
        match (r.base_velocity == [0.0; 3], r.base_acceleration == [0.0; 3]) {
            (true, true) => "base at rest".to_string(),
            (_, true) => format!("base velocity {}", motion(r.base_velocity, "s")),
            _ => {
                let (velocity, acceleration) = (motion(r.base_velocity, "s"), motion(r.base_acceleration, "s²"));
                format!("base velocity {velocity}, acceleration {acceleration}")
            }
        }
    }

    /// Whether the robot is stable, and the edge with the smallest margin.
    fn verdict(&self) -> String {
        let r = self.result;
        let (edge, lifting) =
            (r.edge_name(r.stability.critical_edge), r.lifting_contact.as_deref().unwrap_or_default());
        match r.stability.margin {
            Some(d) if r.stability.stable => {
                format!("stable: margin {} m to tipping over {edge}, where `{lifting}` lifts off", number(d))
            }
            Some(d) => format!("TIPS OVER {edge}: {} m beyond the edge, `{lifting}` lifts off", number(-d)),
            None => "LEAVES THE GROUND: the contacts carry no load".to_string(),
        }
    }

    fn contacts(&self) -> Table {
        let r = self.result;
        let total: f64 = r.contacts.iter().map(|c| c.load).sum();
        let loads = format::numbers(&r.contacts.iter().map(|c| c.load).collect::<Vec<_>>());
        let mut header = vec!["contact", "kind", "x [m]", "y [m]", "load [N]", "load [%]"];
        if r.friction.is_some() {
            header.extend(["force x [N]", "force y [N]", "required μ", "static μ", "safety"]);
        }
        let row = |k: usize| {
            let c = &r.contacts[k];
            let ([x, y], load) = (c.position.map(number), loads[k].clone());
            let mut row = vec![c.name.clone(), c.kind.clone(), x, y, load, number(100.0 * c.load / total)];
            if let Some(d) = r.friction.as_ref().map(|f| &f.contacts[k]) {
                let rounded = |f: f64| if f.abs() < 1e-12 * total.abs() { 0.0 } else { f };
                let force = |i: usize| d.required_coefficient.map_or("–".into(), |_| number(rounded(d.force[i])));
                let required = d.required_coefficient.map(|n| if n < 1e-12 { 0.0 } else { n });
                row.extend([force(0), force(1), optional(required), optional(c.static_coefficient)]);
                row.push(optional(d.safety_factor.filter(|_| required.is_some_and(|n| n > 0.0))));
            }
            row
        };
        Table::new(&header, &[0, 1], (0..r.contacts.len()).map(row))
    }

    fn edges(&self) -> Table {
        let header = ["edge", "distance [m]", "moment [N m]", "angle [°]", "measure [N m rad]"];
        let row = |e: &EdgeResult| {
            let (moment, angle) = (number(e.margin.moment), e.margin.force_angle);
            let (degrees, measure) = (number(angle.angle.to_degrees()), number(angle.measure));
            vec![e.contacts.join(" – "), optional(e.margin.distance), moment, degrees, measure]
        };
        Table::new(&header, &[0], self.result.edges.iter().map(row))
    }

    fn friction(&mut self, friction: &FrictionDemand) {
        let r = self.result;
        for (c, d) in r.contacts.iter().zip(&friction.contacts).filter(|(_, d)| d.slips()) {
            let deficit = match d.kinetic_deficit {
                Some(f) => format!("kinetic friction lacks {} N", number(f)),
                None => "its kinetic friction is unknown; add friction = { sliding = … } to the robot file".to_string(),
            };
            line!(self, "`{}` SLIPS: safety factor {}; {deficit}", c.name, optional(d.safety_factor));
        }
        if friction.contacts.iter().any(|d| d.slips()) && r.total_friction_suffices() {
            line!(
                self,
                "other contacts have friction left: slip depends on how they distribute the force (here by load)"
            );
        }
        let demands = r.contacts.iter().zip(&friction.contacts);
        let unknown: Vec<&str> = demands
            .filter(|(c, d)| d.required_coefficient.is_some_and(|n| n > 1e-12) && c.static_coefficient.is_none())
            .map(|(c, _)| c.name.as_str())
            .collect();
        if !unknown.is_empty() {
            let names = unknown.join(", ");
            line!(
                self,
                "no static friction for {names}: slip is unknown; add friction = {{ static = … }} to the robot file"
            );
        }
        // Rounding errors relative to the weight.
        let tolerance = 1e-9 * r.contacts.iter().map(|c| c.load).sum::<f64>().abs();
        let [x, y] = friction.unresisted_force.map(|f| if f.abs() < 1e-3 * tolerance { 0.0 } else { f });
        let size = r.contacts.iter().map(|c| c.position[0].hypot(c.position[1])).fold(0.0, f64::max);
        if x.hypot(y) > tolerance || friction.unresisted_moment.abs() > tolerance * size {
            let moment = number(friction.unresisted_moment);
            line!(
                self,
                "no contact resists ({}, {}) N and {moment} N m about the origin: the base rolls",
                number(x),
                number(y)
            );
            if let Some(limit) = friction.rolling_resistance_at_rest.filter(|limit| *limit > 0.0) {
                line!(self, "unless rolling resistance holds it, up to {} N in total at rest", number(limit));
            }
        }
    }

    /// The largest friction demand of a trajectory.
    fn maximum_friction(&mut self) {
        let Some(t) = &self.result.trajectory else { return };
        let Some(max) = &t.maximum_friction else { return };
        let (coefficient, time) = (number(max.required_coefficient), number(t.t[max.sample]));
        let slips =
            if max.slipping.is_empty() { String::new() } else { format!(": {} SLIPS", max.slipping.join(", ")) };
        line!(self, "largest required friction coefficient: {coefficient} at {time} s (row {}){slips}", max.sample + 1);
    }

    /// Where a limit is reached.
    fn critical(&self, critical: Option<CriticalEdge>) -> String {
        let Some(CriticalEdge { sample, edge }) = critical else { return String::new() };
        let edge = self.result.edge_name(edge);
        match &self.result.trajectory {
            Some(t) => format!(" (over {edge}, at {} s)", number(t.t[sample])),
            None => format!(" (over {edge})"),
        }
    }

    fn limits(&mut self) {
        let r = self.result;
        let s = r.speed_scaling;
        let at = self.critical(s.critical);
        let scaling = match s {
            _ if s.maximum < s.minimum => format!("none, tips at any speed{at}"),
            _ if s.maximum.is_infinite() => "any, this motion never tips the robot".to_string(),
            _ if s.minimum > 0.0 => format!("only {} to {}{at}", number(s.minimum), number(s.maximum)),
            _ => format!("up to {}{at}", number(s.maximum)),
        };
        line!(self, "safe speed scaling of base and arm: {scaling}");
        let Some(p) = &r.payload else {
            line!(self, "safe payload not computed: the tool is not known; pass --tool X,Y,Z@LINK");
            return;
        };
        let (min, max, at) = (p.safe.minimum, p.safe.maximum, self.critical(p.safe.critical));
        let mass = match (min, max) {
            _ if max < min => format!("none, tips with any mass{at}"),
            _ if max.is_infinite() => "any".to_string(),
            _ if min > 0.0 => format!("only {} to {} kg{at}", number(min), number(max)),
            _ => format!("up to {} kg{at}", number(max)),
        };
        line!(self, "safe payload on `{}` (replacing others): {mass}", p.link);
    }

    fn reach(&mut self, map: &ReachMap) {
        let ReachMap { samples, tipping, .. } = map;
        line!(
            self,
            "\nSafe reach of the tool from the centre of the support polygon, at rest: {samples} configurations, {tipping} tip \
             (every third direction; all in --json)"
        );
        let header = ["direction [°]", "all stable to [m]", "stable pose to [m]", "reach [m]"];
        let row = |d: &Direction| {
            let stable = optional(Some(d.maximum_stable).filter(|x| *x > 0.0));
            vec![format!("{:.0}", d.heading.to_degrees()), number(d.safe), stable, number(d.reach)]
        };
        self.text.table(Table::new(&header, &[], map.directions.iter().step_by(DIRECTION_STEP).map(row)));
    }

    fn guaranteed(&mut self, g: &GuaranteedStability) {
        let critical = g.critical_edge();
        match g.verdict {
            Verdict::Guaranteed => line!(self, "\nGUARANTEED: no state within the ranges tips"),
            Verdict::TipsOver => {
                let (edge, state) = (self.result.edge_name(critical), self.state(&g.edges[critical]));
                line!(self, "\nTIPS OVER {edge} within the ranges, at {state}");
            }
            Verdict::Undecided => line!(
                self,
                "\nUNDECIDED: no state that tips was found, and none could be excluded; use a longer --budget or smaller --ranges"
            ),
        }
        let header = ["edge", "smallest moment found [N m]", "guaranteed bound [N m]", "subranges"];
        let row = |(k, b): (usize, &EdgeBound)| {
            let bound = optional(Some(b.lower_bound).filter(|x| x.is_finite()));
            vec![self.result.edge_name(k), number(b.minimum), bound, b.boxes.to_string()]
        };
        let table = Table::new(&header, &[0], g.edges.iter().enumerate().map(row));
        self.text.table(table);
    }

    fn state(&self, state: &EdgeBound) -> String {
        let rates = |x: &[f64], name: &str, per: &str| match x.iter().any(|x| *x != 0.0) {
            true => format!("; {name} {}", self.shown.named(x, per)),
            false => String::new(),
        };
        let (velocities, accelerations) = (&state.qd, &state.qdd);
        self.shown.named_positions(&state.q)
            + &rates(velocities, "velocities", "/s")
            + &rates(accelerations, "accelerations", "/s²")
    }
}
