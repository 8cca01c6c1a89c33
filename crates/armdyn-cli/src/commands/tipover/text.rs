//! What `armdyn tipover` says.

use super::{DIRECTIONS, Found};
use crate::document::{Document, Table};
use crate::format::number;
use crate::{format, progress};
use armdyn_mobile::tipover::{Grip, Held, NeverTips, ReachMap, SafeMasses, SafePace, Shares, Verdict};
use std::fmt::Write;

/// Of the directions that are looked at, every so many-th is told.
const EVERY: usize = 3;

/// The ground and the base's motion in words.
pub fn ground(slope: &str, velocity: [f64; 3], rates: [f64; 3]) -> String {
    let told = |[x, y, turn]: [f64; 3], per: &str| {
        format!("({}, {}) m/{per} and {} rad/{per}", number(x), number(y), number(turn))
    };
    match (velocity == [0.0; 3], rates == [0.0; 3]) {
        (true, true) => format!("on {slope}, its base at rest"),
        (_, true) => format!("on {slope}, its base moving with {}", told(velocity, "s")),
        _ => format!("on {slope}, its base moving with {}, at rates of {}", told(velocity, "s"), told(rates, "s²")),
    }
}

/// Whether it has less friction than it needs.
fn slips(held: &Held) -> bool {
    held.margin.is_some_and(|m| m < 1.0)
}

fn optional(x: Option<f64>) -> String {
    x.map_or("–".to_string(), number)
}

impl Found<'_> {
    pub fn page(&self) -> Document {
        let mut page = Document::default();
        let (m, s) = (self.m, &self.standing);
        let _ = writeln!(page, "{} {}", m.name(), self.ground);
        let axes = self.axes();
        let own = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        if axes.iter().flatten().zip(own.iter().flatten()).any(|(a, b)| (a - b).abs() > 1e-9) {
            let [x, y] = axes.map(|a| format::numbers(&a).join(", "));
            let _ = writeln!(page, "x and y along the ground are ({x}) and ({y}) of its base");
        }
        if let (Some(along), Some(t)) = (&self.along, &self.trajectory) {
            let (k, seen) = (along.worst, along.looked_at);
            let partial = if seen < t.len() { format!(" of {} (ended early)", t.len()) } else { String::new() };
            let _ = writeln!(page, "\nworst of {seen} samples{partial}: at {} s (row {})", number(t.t[k]), k + 1);
        }
        let _ = writeln!(page, "\n{}", self.verdict());
        let [x, y, height] = s.centre;
        let _ = writeln!(
            page,
            "mass {} kg, its centre at x {}, y {}, {} m above the ground",
            number(s.mass),
            number(x),
            number(y),
            number(height)
        );
        match s.zmp {
            Some([x, y]) => {
                let _ = writeln!(page, "zero-moment point at x {}, y {} m", number(x), number(y));
            }
            None => page += "nothing presses on the ground: there is no zero-moment point\n",
        }
        let law = match s.shares {
            Shares::Exact => "by equilibrium alone",
            Shares::Stiffness => "shared by the contacts' stiffness; contacts only push",
            Shares::LeastNorm => "shared by the least norm, as stiffness is not given for all; contacts only push",
            Shares::Pulling => "as if the ground could pull: it does not stand",
        };
        let _ = writeln!(page, "\nContacts: loads {law}");
        page.table(self.contacts());
        page += "\nEdges that it could tip over: distance of the zero-moment point, moment that holds it down, force-angle measure\n";
        page.table(self.edges());
        page += "\n";
        match &self.grip {
            Ok(grip) => self.grip_told(&mut page, grip),
            Err(e) => {
                let _ = writeln!(page, "what friction has to hold is left out: {e}");
            }
        }
        self.slipperiest_told(&mut page);
        self.limits_told(&mut page);
        if let Some((q, found)) = &self.towards {
            let values = self.positions(q);
            let _ = match found.edge {
                None => writeln!(page, "it stands all the way to --towards, as far as poses 1/512 of it apart show"),
                Some(edge) => writeln!(
                    page,
                    "towards --towards it tips over {} after {} % of the way: at {values}",
                    self.support.edge_name(edge),
                    number(100.0 * found.share)
                ),
            };
        }
        if let Some(map) = &self.reach {
            self.reach_told(&mut page, map);
        }
        if let Some(proof) = &self.proof {
            self.proof_told(&mut page, proof);
        }
        if progress::interrupted() {
            page += "partial: Ctrl-C ended it\n";
        }
        page
    }

    /// Whether it stands, over which edge it tips first, and which contact lifts then.
    fn verdict(&self) -> String {
        let (s, support) = (&self.standing, self.support);
        let edge = s.weakest();
        let off = |k: &usize| support.edges()[edge].distance(support.points()[*k]) > 1e-6 * support.size();
        let lifted = (0..s.loads.len()).filter(off).min_by(|a, b| s.loads[*a].total_cmp(&s.loads[*b]));
        let lifted = lifted.map(|k| support.contacts()[k].name.as_str()).unwrap_or_default();
        let (name, distance) = (support.edge_name(edge), s.distance());
        match distance {
            Some(d) if s.stands() => {
                format!("it stands: {} m from tipping over {name}, where `{lifted}` lifts", number(d))
            }
            Some(d) => format!("IT TIPS over {name}: {} m beyond it, `{lifted}` lifts", number(-d)),
            None => "IT LEAVES THE GROUND: nothing presses on it".to_string(),
        }
    }

    fn contacts(&self) -> Table {
        let s = &self.standing;
        let total: f64 = s.loads.iter().sum();
        let header = ["contact", "kind", "x [m]", "y [m]", "load [N]", "share [%]"];
        let held = ["held x [N]", "held y [N]", "friction needed", "static", "times"];
        let grip = self.grip.as_ref().ok();
        let header: Vec<&str> = header.into_iter().chain(held.into_iter().filter(|_| grip.is_some())).collect();
        let loads = format::numbers(&s.loads);
        let row = |k: usize| {
            let (c, [x, y]) = (&self.support.contacts()[k], self.support.points()[k]);
            let mut row = vec![c.name.clone(), c.kind.name().to_string(), number(x), number(y), loads[k].clone()];
            row.push(number(100.0 * s.loads[k] / total));
            if let Some(h) = grip.map(|g| &g.held[k]) {
                let holds = h.needed.is_some();
                // What rounding leaves of the weight is no force.
                let force = |i: usize| {
                    let f = h.force[i];
                    if holds { number(if f.abs() < 1e-12 * total.abs() { 0.0 } else { f }) } else { "–".to_string() }
                };
                let needed = h.needed.map(|n| if n < 1e-12 { 0.0 } else { n });
                row.extend([force(0), force(1), optional(needed), optional(c.friction.static_friction)]);
                row.push(optional(h.margin.filter(|_| needed.is_some_and(|n| n > 0.0))));
            }
            row
        };
        Table::new(&header, &[0, 1], (0..s.loads.len()).map(row))
    }

    fn edges(&self) -> Table {
        let header = ["edge", "distance [m]", "moment [N m]", "angle [°]", "angle × moment [N m rad]"];
        let row = |(k, m): (usize, &armdyn_mobile::tipover::Margin)| {
            let angle = m.force_angle;
            let name = self.support.edge_name(k);
            let numbers = [number(m.moment), number(angle.angle.to_degrees()), number(angle.measure)];
            [vec![name, optional(m.distance)], numbers.to_vec()].concat()
        };
        Table::new(&header, &[0], self.standing.margins.iter().enumerate().map(row))
    }

    fn grip_told(&self, page: &mut Document, grip: &Grip) {
        let contacts = self.support.contacts();
        for (c, held) in contacts.iter().zip(&grip.held) {
            let Some(margin) = held.margin.filter(|m| *m < 1.0) else { continue };
            let lacking = match held.lacking {
                Some(f) => format!("sliding friction lacks {} N of what is asked", number(f)),
                None => "what sliding friction holds is not known: give friction = { sliding = … }".to_string(),
            };
            let _ = writeln!(page, "`{}` SLIPS: it has {} of the friction it needs; {lacking}", c.name, number(margin));
        }
        if grip.held.iter().any(slips) && self.might_hold(grip) {
            *page += "others have friction left for it: whether it slips depends on how they share, which is by their loads here\n";
        }
        let unknown: Vec<&str> = contacts
            .iter()
            .zip(&grip.held)
            .filter(|(c, h)| h.needed.is_some_and(|n| n > 1e-12) && c.friction.static_friction.is_none())
            .map(|(c, _)| c.name.as_str())
            .collect();
        if !unknown.is_empty() {
            let names = unknown.join(", ");
            let _ = writeln!(page, "whether {names} slip is not known: give friction = {{ static = … }}");
        }
        if !grip.holds_all(&self.standing, self.support.size()) {
            // What rounding leaves of the weight is no force.
            let [x, y] = grip.unheld.map(|f| if f.abs() < 1e-12 * self.standing.demand.normal { 0.0 } else { f });
            let _ = writeln!(
                page,
                "no contact holds ({}, {}) N along x, y and {} N m about the normal at x = y = 0: the base would roll",
                number(x),
                number(y),
                number(grip.unheld_turn)
            );
            if let Some(most) = grip.rolling_at_rest.filter(|most| *most > 0.0) {
                let _ =
                    writeln!(page, "but for rolling resistance, which holds up to {} N in all at rest", number(most));
            }
        }
    }

    /// Whether the contacts together have the friction for the force that is held.
    fn might_hold(&self, grip: &Grip) -> bool {
        let contacts = self.support.contacts().iter().zip(&grip.held).zip(&self.standing.loads);
        let strength = |((c, h), load): ((&armdyn_core::Contact, &Held), &f64)| {
            h.needed.map_or(Some(0.0), |_| Some(c.friction.static_friction? * load))
        };
        let force = [0, 1].map(|i| grip.held.iter().map(|h| h.force[i]).sum::<f64>());
        contacts.map(strength).sum::<Option<f64>>().is_some_and(|most| most > force[0].hypot(force[1]) * (1.0 + 1e-9))
    }

    /// The state of a motion that takes the most friction, and what slips in it.
    fn slipperiest_told(&self, page: &mut Document) {
        let (Some((k, worst)), Some(t)) = (&self.slipperiest, &self.trajectory) else { return };
        let (needed, time) = (number(worst.needed), number(t.t[*k]));
        let contacts = self.support.contacts().iter().zip(&worst.held);
        let slipping: Vec<&str> = contacts.filter(|(_, h)| slips(h)).map(|(c, _)| c.name.as_str()).collect();
        let slipping = if slipping.is_empty() { String::new() } else { format!(": {} SLIPS", slipping.join(", ")) };
        let row = k + 1;
        let _ =
            writeln!(page, "most friction of the motion: a coefficient of {needed}, at {time} s (row {row}){slipping}");
    }

    /// The ground's axes in the base's.
    pub fn axes(&self) -> [[f64; 3]; 2] {
        [[1.0, 0.0], [0.0, 1.0]].map(|a| self.support.along(a).to_array())
    }

    /// Which state and edge allow no more.
    fn by(&self, by: Option<(usize, usize)>) -> String {
        let Some((k, edge)) = by else { return String::new() };
        let edge = self.support.edge_name(edge);
        match &self.trajectory {
            Some(t) => format!(" (over {edge}, at {} s)", number(t.t[k])),
            None => format!(" (over {edge})"),
        }
    }

    fn limits_told(&self, page: &mut Document) {
        let SafePace { slowest, fastest, by } = self.pace;
        let by = self.by(by);
        let _ = if fastest < slowest {
            writeln!(page, "safe pace: none: it tips however fast base and arm run{by}")
        } else if fastest.is_infinite() {
            writeln!(page, "safe pace: any: this motion does not tip it, however fast it is run")
        } else if slowest > 0.0 {
            writeln!(page, "safe pace: only from {} to {} times this motion{by}", number(slowest), number(fastest))
        } else {
            writeln!(page, "safe pace: up to {} times this motion, base and arm{by}", number(fastest))
        };
        let _ = match &self.masses {
            Err(e) => writeln!(page, "the largest payload is left out: {e}; give --payload-at X,Y,Z@LINK"),
            Ok((load, SafeMasses { least, most, by })) => {
                let at = &self.m.links()[load.link].name;
                let by = self.by(*by);
                if most < least {
                    writeln!(page, "largest payload on `{at}`: none: with no mass there does it stand{by}")
                } else if most.is_infinite() {
                    writeln!(page, "largest payload on `{at}`: any: it never tips for it")
                } else if *least > 0.0 {
                    let (least, most) = (number(*least), number(*most));
                    writeln!(page, "payload on `{at}`, in place of others: only from {least} to {most} kg{by}")
                } else {
                    writeln!(page, "largest payload on `{at}`, in place of others: {} kg{by}", number(*most))
                }
            }
        };
    }

    fn reach_told(&self, page: &mut Document, map: &ReachMap) {
        let (poses, tip) = map.poses;
        let _ = writeln!(
            page,
            "\nReach of the tool along the ground from the middle of the support polygon, at rest: {poses} poses of the box looked \
             at, {tip} tip. Each direction is {}° wide, and every third is told; --json has all",
            360 / DIRECTIONS
        );
        let header = ["direction [°]", "every pose safe to [m]", "a safe pose at [m]", "reach [m]"];
        let row = |d: &armdyn_mobile::tipover::Direction| {
            let farthest = optional(Some(d.farthest).filter(|x| *x > 0.0));
            vec![format!("{:.0}", d.heading.to_degrees()), number(d.safe), farthest, number(d.reach)]
        };
        page.table(Table::new(&header, &[], map.directions.iter().step_by(EVERY).map(row)));
    }

    fn proof_told(&self, page: &mut Document, proof: &NeverTips) {
        let least = &proof.edges[proof.weakest()];
        let over = self.support.edge_name(proof.weakest());
        let n = self.m.nv();
        let _ = match proof.verdict {
            Verdict::Proven => writeln!(page, "\nPROVEN: it tips in no state of the box"),
            Verdict::Tips => writeln!(page, "\nIT TIPS in the box, over {over}, at {}", self.state(&least.at, n)),
            Verdict::Undecided => writeln!(
                page,
                "\nUNDECIDED: no state of the box that tips was found, and none was ruled out; a longer --budget or a smaller \
                 --box decides"
            ),
        };
        let header = ["edge", "least moment found [N m]", "no state is below [N m]", "boxes"];
        let row = |(k, b): (usize, &armdyn_numerics::bound::Bounds)| {
            let bound = if b.bound.is_finite() { number(b.bound) } else { "–".to_string() };
            vec![self.support.edge_name(k), number(b.best), bound, b.boxes.to_string()]
        };
        page.table(Table::new(&header, &[0], proof.edges.iter().enumerate().map(row)));
    }

    fn state(&self, at: &[f64], n: usize) -> String {
        let (q, rest) = at.split_at(n);
        let rates = |x: &[f64], name: &str, per: &str| match x.iter().any(|x| *x != 0.0) {
            true => format!("; {name} {}", self.values(x, per)),
            false => String::new(),
        };
        self.positions(q) + &rates(&rest[..n], "speeds", "/s") + &rates(&rest[n..], "accelerations", "/s²")
    }

    fn positions(&self, q: &[f64]) -> String {
        if q.len() == self.m.nv() { self.values(q, "") } else { format::numbers(q).join(", ") }
    }

    fn values(&self, x: &[f64], per: &str) -> String {
        let one = |(i, x): (usize, &f64)| {
            let unit = format::position_unit(self.m, i, self.deg);
            format!("{} {} {unit}{per}", self.m.dof_names()[i], number(self.rate(i, *x)))
        };
        x.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
    }
}
