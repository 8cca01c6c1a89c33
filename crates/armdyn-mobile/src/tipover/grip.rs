//! Forces along the ground: what the contacts must hold, what friction that takes, and what nobody holds.
//!
//! A foot, a driven wheel and an omnidirectional one hold both ways, a fixed wheel across its own, a castor none. Rolling
//! resistance of a wheel that is not driven acts against its speed with c N, and is known. What is left of the demand is shared
//! among the contacts that hold it so that Σ |tᵢ|²/Nᵢ is least: in proportion to the loads as far as that turns nothing. That is one of the
//! ways that friction may take: if its coefficients suffice for it nothing slips; single contacts may creep before. What no
//! contact holds is told: the base would roll. Moments are taken about the centre of the loads that hold, so that what is held
//! does not depend on where the base's frame is: an axle holds all of a push across it, and nothing of a turn.

use super::{BaseMotion, Standing, Support};
use crate::symmetric::solved;
use armdyn_core::{Contact, ContactKind};
use armdyn_numerics::{Error, Result};

/// What a contact holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// The force on it in the directions that it holds, in the ground's axes \[N\].
    pub force: [f64; 2],
    /// The rolling resistance on it \[N\].
    pub rolling: [f64; 2],
    /// The coefficient of friction that the force takes; none for what holds nothing or bears no load.
    pub needed: Option<f64>,
    /// The coefficient of static friction over the one needed; none where either is unknown or nothing is needed.
    pub margin: Option<f64>,
    /// What sliding friction leaves of the force once it slips \[N\]; none while it holds, or where that is unknown.
    pub lacking: Option<f64>,
}

/// Forces along the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Grip {
    /// One for each contact.
    pub held: Vec<Held>,
    /// The greatest coefficient needed by a contact.
    pub needed: f64,
    /// All that is held over all loads that hold it: no coefficient below this could do.
    pub least: f64,
    /// What no contact holds: force in the ground's axes \[N\].
    pub unheld: [f64; 2],
    /// And moment about the normal through the ground's origin \[N m\].
    pub unheld_turn: f64,
    /// What rolling resistance could hold at rest, all wheels that are not driven together \[N\]; none where the base moves,
    /// or where a coefficient is unknown.
    pub rolling_at_rest: Option<f64>,
}

impl Grip {
    /// Whether the contacts hold all that is asked, but for rounding.
    pub fn holds_all(&self, standing: &Standing, size: f64) -> bool {
        let little = 1e-9 * standing.demand.normal.abs();
        self.unheld.iter().all(|f| f.abs() <= little) && self.unheld_turn.abs() <= little * size
    }

    pub(super) fn new(support: &Support, standing: &Standing, base: &BaseMotion) -> Result<Self> {
        let (points, contacts, size) = (support.points(), support.contacts(), support.size());
        let loads: Vec<f64> = standing.loads.iter().map(|n| n.max(0.0)).collect();
        let mut rolling = vec![[0.0; 2]; contacts.len()];
        for (k, c) in contacts.iter().enumerate().filter(|(_, c)| freewheels(c)) {
            let Some(way) = rolls(support, k, base) else { continue };
            let coefficient =
                c.friction.rolling_resistance.ok_or_else(|| unknown(c, "rolling", "its resistance as it rolls"))?;
            rolling[k] = way.map(|w| -coefficient * loads[k] * w);
        }
        let held: Vec<(usize, [f64; 2])> = (0..contacts.len()).flat_map(|k| ways(support, k)).collect();
        let holding: Vec<usize> = (0..contacts.len()).filter(|k| held.iter().any(|(h, _)| h == k)).collect();
        let bearing: f64 = holding.iter().map(|k| loads[*k]).sum();
        let centre = match bearing > 0.0 {
            true => [0, 1].map(|i| holding.iter().map(|k| loads[*k] * points[*k][i]).sum::<f64>() / bearing),
            false => support.middle(),
        };
        // The moment about the centre of a force at a point, by the size of the support.
        let turn = |[x, y]: [f64; 2], [fx, fy]: [f64; 2]| ((x - centre[0]) * fy - (y - centre[1]) * fx) / size;
        // The demand less what rolls.
        let d = &standing.demand;
        let mut left = [d.along[0], d.along[1], d.turning / size + turn([0.0, 0.0], d.along)];
        for (at, f) in points.iter().zip(&rolling) {
            left = [left[0] - f[0], left[1] - f[1], left[2] - turn(*at, *f)];
        }
        let column = |(k, [u, v]): &(usize, [f64; 2])| [*u, *v, turn(points[*k], [*u, *v])];
        let mut matrix = [[0.0; 3]; 3];
        for way in &held {
            let a = column(way);
            for (row, x) in matrix.iter_mut().zip(a) {
                row.iter_mut().zip(a).for_each(|(m, y)| *m += loads[way.0] * x * y);
            }
        }
        let lambda = solved(&matrix, left);
        let mut forces = vec![[0.0; 2]; contacts.len()];
        for way in &held {
            let a = column(way);
            let size: f64 = loads[way.0] * a.iter().zip(&lambda).map(|(a, l)| a * l).sum::<f64>();
            left.iter_mut().zip(a).for_each(|(left, a)| *left -= size * a);
            forces[way.0].iter_mut().zip(way.1).for_each(|(f, u)| *f += size * u);
        }
        let one = |k: usize| {
            let (load, friction) = (loads[k], &contacts[k].friction);
            let size = forces[k][0].hypot(forces[k][1]);
            let holds = holding.contains(&k) && load > 0.0;
            let needed = holds.then(|| size / load);
            let margin = needed.filter(|n| *n > 0.0).and_then(|n| Some(friction.static_friction? / n));
            let lacking =
                margin.filter(|m| *m < 1.0).and_then(|_| Some((size - friction.sliding_friction? * load).max(0.0)));
            Held { force: forces[k], rolling: rolling[k], needed, margin, lacking }
        };
        let each: Vec<Held> = (0..contacts.len()).map(one).collect();
        let total: [f64; 2] = [0, 1].map(|i| forces.iter().map(|f| f[i]).sum::<f64>());
        let at_rest = base.velocity.linear.norm() == 0.0 && base.velocity.angular.norm() == 0.0;
        let resistance = |(c, n): (&Contact, &f64)| Some(c.friction.rolling_resistance? * n);
        let free = contacts.iter().zip(&loads).filter(|(c, _)| freewheels(c));
        Ok(Grip {
            needed: each.iter().filter_map(|h| h.needed).fold(0.0, f64::max),
            least: if bearing > 0.0 { total[0].hypot(total[1]) / bearing } else { 0.0 },
            held: each,
            unheld: [left[0], left[1]],
            unheld_turn: (left[2] - turn([0.0, 0.0], [left[0], left[1]])) * size,
            rolling_at_rest: if at_rest { free.map(resistance).sum() } else { None },
        })
    }
}

/// That a coefficient is asked for.
fn unknown(c: &Contact, which: &str, what: &str) -> Error {
    Error::InvalidInput(format!(
        "contact `{}`: {what} takes a coefficient that its file does not say: friction = {{ {which} = … }}",
        c.name
    ))
}

fn freewheels(c: &Contact) -> bool {
    matches!(c.kind, ContactKind::Castor | ContactKind::Fixed)
}

/// The directions that a contact holds.
fn ways(support: &Support, contact: usize) -> Vec<(usize, [f64; 2])> {
    let [u, v] = support.way(contact);
    match support.contacts()[contact].kind {
        ContactKind::Castor => vec![],
        ContactKind::Fixed => vec![(contact, [-v, u])],
        ContactKind::Foot | ContactKind::Driven | ContactKind::Omni => {
            vec![(contact, [1.0, 0.0]), (contact, [0.0, 1.0])]
        }
    }
}

/// The way that a wheel rolls on a base that moves, if it does: a castor's own velocity, a fixed wheel's along its way.
fn rolls(support: &Support, contact: usize, base: &BaseMotion) -> Option<[f64; 2]> {
    let at = armdyn_core::Vec3::lift(support.contacts()[contact].position);
    let v = base.velocity.linear + base.velocity.angular.cross(at);
    let [x, y] = [[1.0, 0.0], [0.0, 1.0]].map(|a| support.along(a).dot(v));
    if support.contacts()[contact].kind == ContactKind::Fixed {
        let [u, w] = support.way(contact);
        let speed = x * u + y * w;
        return (speed != 0.0).then(|| [u * speed.signum(), w * speed.signum()]);
    }
    let speed = x.hypot(y);
    (speed > 0.0).then(|| [x / speed, y / speed])
}

#[cfg(test)]
mod tests {
    use super::super::support::tests::contact;
    use super::super::{Demand, Shares};
    use super::*;
    use armdyn_core::vec3;

    /// A castor and an axle: the axle holds all of a push across it and nothing of a turn, wherever the base's frame is.
    #[test]
    fn what_an_axle_holds_does_not_depend_on_the_frame() {
        for [x, y] in [[0.0, 0.0], [0.7, -0.4], [-30.0, 8.0]] {
            let contacts = [
                contact("castor", [x + 0.6, y, 0.0], ContactKind::Castor),
                contact("left", [x, y + 0.25, 0.0], ContactKind::Fixed),
                contact("right", [x, y - 0.25, 0.0], ContactKind::Fixed),
            ];
            let support = Support::from_contacts(&contacts, vec3(0.0, 0.0, 1.0)).unwrap();
            // (10, 20) N at the middle of the axle, and 3 N m.
            let demand =
                Demand { normal: 100.0, along: [10.0, 20.0], tilting: [0.0; 2], turning: 3.0 + 20.0 * x - 10.0 * y };
            let standing = Standing {
                demand,
                mass: 10.0,
                centre: [0.0; 3],
                zmp: None,
                loads: vec![20.0, 50.0, 30.0],
                shares: Shares::Exact,
                margins: vec![],
            };
            let grip = Grip::new(&support, &standing, &BaseMotion::rest()).unwrap();
            let found = [grip.held[1].force[1], grip.held[2].force[1], grip.unheld[0], grip.unheld[1], grip.needed];
            let expected = [12.5, 7.5, 10.0, 0.0, 0.25];
            assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-11), "{found:?}");
            assert!((grip.unheld_turn - (3.0 - 10.0 * y)).abs() < 1e-10, "{}", grip.unheld_turn);
        }
    }
}
