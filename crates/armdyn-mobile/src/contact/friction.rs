//! Friction demand: tangential forces at the contacts, the friction coefficients that they require, and what no contact can resist.
//!
//! A foot, a driven wheel and an omnidirectional wheel resist forces in both directions, a fixed wheel across its rolling
//! direction, a castor none. Rolling resistance of wheels without a drive opposes their velocity with c N and is known. The
//! rest of the tangential reaction is distributed among the contacts that resist it so that Σ |tᵢ|²/Nᵢ is minimal: in proportion
//! to the loads, as far as that produces no yaw moment. Friction may distribute the force in other ways too: if the coefficients
//! suffice for this one, the base does not slip as a whole, although single contacts may creep before. What no contact resists
//! makes the base roll. Moments are taken about the centre of the loads that resist, so that the result does not depend on
//! the base frame: an axle resists all of a force across it, and no yaw moment.

use super::{GroundReaction, Support, solve_semidefinite};
use crate::BaseMotion;
use armdyn_core::Vec3;
use armdyn_core::{Contact, ContactKind};
use armdyn_numerics::{Error, Result};
use nalgebra::{Matrix3, Vector3};

/// Friction demand of a contact.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct ContactFrictionDemand {
    /// Tangential force that the contact resists, in ground coordinates \[N\].
    pub force: [f64; 2],
    /// Rolling resistance \[N\].
    pub rolling_resistance: [f64; 2],
    /// Friction coefficient that the force requires; none if the contact resists nothing or carries no load.
    pub required_coefficient: Option<f64>,
    /// Static friction coefficient divided by the required one; none if either is unknown or nothing is required.
    pub safety_factor: Option<f64>,
    /// The force that kinetic friction lacks once the contact slips \[N\]; none while it sticks, or if that is unknown.
    pub kinetic_deficit: Option<f64>,
}

impl ContactFrictionDemand {
    /// Whether static friction is insufficient.
    pub fn slips(&self) -> bool {
        self.safety_factor.is_some_and(|s| s < 1.0)
    }
}

/// Friction demand of all contacts.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FrictionDemand {
    /// Demand of each contact.
    pub contacts: Vec<ContactFrictionDemand>,
    /// The largest coefficient that a contact requires.
    pub required_coefficient: f64,
    /// Total resisted force divided by the total load that resists it: a smaller coefficient cannot suffice.
    pub minimum_coefficient: f64,
    /// Force that no contact resists, in ground coordinates \[N\].
    pub unresisted_force: [f64; 2],
    /// Yaw moment about the ground origin that no contact resists \[N m\].
    pub unresisted_moment: f64,
    /// The force that rolling resistance of all wheels without a drive can resist at rest \[N\]; none if the base moves or a
    /// coefficient is unknown.
    pub rolling_resistance_at_rest: Option<f64>,
}

impl FrictionDemand {
    /// The demand of a ground reaction and normal loads.
    pub(crate) fn new(
        support: &Support,
        reaction: &GroundReaction<f64>,
        loads: &[f64],
        base: &BaseMotion,
    ) -> Result<Self> {
        let (points, contacts, size) = (support.points(), support.contacts(), support.size());
        let loads: Vec<f64> = loads.iter().map(|n| n.max(0.0)).collect();
        let mut rolling = vec![[0.0; 2]; contacts.len()];
        for (k, c) in contacts.iter().enumerate().filter(|(_, c)| freewheels(c)) {
            let Some(direction) = rolling_velocity_direction(support, k, base) else { continue };
            let coefficient = c.friction.rolling_resistance.ok_or_else(|| missing_rolling_coefficient(c))?;
            rolling[k] = direction.map(|w| -coefficient * loads[k] * w);
        }
        let directions: Vec<(usize, [f64; 2])> =
            (0..contacts.len()).flat_map(|k| resisted_directions(support, k)).collect();
        let resists = |k: usize| directions.iter().any(|(d, _)| *d == k);
        let resisting_load: f64 = (0..contacts.len()).filter(|k| resists(*k)).map(|k| loads[k]).sum();
        let centre = match resisting_load > 0.0 {
            true => [0, 1].map(|i| {
                let moments = (0..contacts.len()).filter(|k| resists(*k)).map(|k| loads[k] * points[k][i]);
                moments.sum::<f64>() / resisting_load
            }),
            false => support.polygon().centre(),
        };
        // Wrench of a force at a point: its moment about the centre, divided by the size of the support.
        let wrench = |[x, y]: [f64; 2], [fx, fy]: [f64; 2]| {
            Vector3::new(fx, fy, ((x - centre[0]) * fy - (y - centre[1]) * fx) / size)
        };
        let mut left = wrench([0.0; 2], reaction.tangential) + Vector3::new(0.0, 0.0, reaction.yaw / size);
        points.iter().zip(&rolling).for_each(|(at, f)| left -= wrench(*at, *f));
        let columns: Vec<Vector3<f64>> = directions.iter().map(|(k, u)| wrench(points[*k], *u)).collect();
        let matrix: Matrix3<f64> =
            directions.iter().zip(&columns).map(|((k, _), a)| loads[*k] * a * a.transpose()).sum();
        let lambda = solve_semidefinite(matrix, left);
        let mut forces = vec![[0.0; 2]; contacts.len()];
        for ((k, u), a) in directions.iter().zip(&columns) {
            let force = loads[*k] * a.dot(&lambda);
            left -= a * force;
            forces[*k].iter_mut().zip(u).for_each(|(f, u)| *f += force * u);
        }
        let demand = |k: usize| {
            let (load, friction) = (loads[k], &contacts[k].friction);
            let force = forces[k][0].hypot(forces[k][1]);
            let required_coefficient = (resists(k) && load > 0.0).then(|| force / load);
            let safety_factor =
                required_coefficient.filter(|n| *n > 0.0).and_then(|n| Some(friction.static_friction? / n));
            let slipping = safety_factor.filter(|m| *m < 1.0);
            let kinetic_deficit = slipping.and_then(|_| Some((force - friction.sliding_friction? * load).max(0.0)));
            let (force, rolling_resistance) = (forces[k], rolling[k]);
            ContactFrictionDemand { force, rolling_resistance, required_coefficient, safety_factor, kinetic_deficit }
        };
        let demands: Vec<ContactFrictionDemand> = (0..contacts.len()).map(demand).collect();
        let total: [f64; 2] = [0, 1].map(|i| forces.iter().map(|f| f[i]).sum::<f64>());
        let at_rest = base.velocity.linear.norm() == 0.0 && base.velocity.angular.norm() == 0.0;
        let resistance = |(c, n): (&Contact, &f64)| Some(c.friction.rolling_resistance? * n);
        let free = contacts.iter().zip(&loads).filter(|(c, _)| freewheels(c));
        let unresisted_force = [left[0], left[1]];
        Ok(FrictionDemand {
            required_coefficient: demands.iter().filter_map(|d| d.required_coefficient).fold(0.0, f64::max),
            minimum_coefficient: if resisting_load > 0.0 { total[0].hypot(total[1]) / resisting_load } else { 0.0 },
            contacts: demands,
            unresisted_force,
            unresisted_moment: (left[2] - wrench([0.0; 2], unresisted_force)[2]) * size,
            rolling_resistance_at_rest: if at_rest { free.map(resistance).sum() } else { None },
        })
    }
}

fn missing_rolling_coefficient(c: &Contact) -> Error {
    Error::InvalidInput(format!(
        "contact `{}` has no rolling resistance coefficient; add friction = {{ rolling = … }} to the robot file",
        c.name
    ))
}

/// Whether a contact is a wheel without a drive.
fn freewheels(c: &Contact) -> bool {
    matches!(c.kind, ContactKind::Castor | ContactKind::Fixed)
}

/// The directions in which a contact resists tangential forces.
fn resisted_directions(support: &Support, contact: usize) -> Vec<(usize, [f64; 2])> {
    let [u, v] = support.rolling_direction(contact);
    match support.contacts()[contact].kind {
        ContactKind::Castor => vec![],
        ContactKind::Fixed => vec![(contact, [-v, u])],
        ContactKind::Foot | ContactKind::Driven | ContactKind::Omni => {
            vec![(contact, [1.0, 0.0]), (contact, [0.0, 1.0])]
        }
    }
}

/// The direction in which a wheel rolls on a moving base: that of its velocity; for a fixed wheel along its rolling direction.
fn rolling_velocity_direction(support: &Support, contact: usize, base: &BaseMotion) -> Option<[f64; 2]> {
    let v = base.velocity.linear + base.velocity.angular.cross(Vec3::lift(support.contacts()[contact].position));
    let [mut x, mut y] = support.axes().map(|a| a.dot(v));
    if support.contacts()[contact].kind == ContactKind::Fixed {
        let [u, w] = support.rolling_direction(contact);
        let speed = x * u + y * w;
        (x, y) = (u * speed, w * speed);
    }
    let speed = x.hypot(y);
    (speed > 0.0).then(|| [x / speed, y / speed])
}

#[cfg(test)]
mod tests {
    use super::super::support::tests::contact;
    use super::*;
    use armdyn_core::vec3;

    /// A castor and an axle: the axle resists all of a force across it and no yaw moment, wherever the base frame is.
    #[test]
    fn what_an_axle_resists_does_not_depend_on_the_base_frame() {
        for [x, y] in [[0.0, 0.0], [0.7, -0.4], [-30.0, 8.0]] {
            let contacts = [
                contact("castor", [x + 0.6, y, 0.0], ContactKind::Castor),
                contact("left", [x, y + 0.25, 0.0], ContactKind::Fixed),
                contact("right", [x, y - 0.25, 0.0], ContactKind::Fixed),
            ];
            let support = Support::from_contacts(&contacts, vec3(0.0, 0.0, 1.0)).unwrap();
            // (10, 20) N at the middle of the axle, and 3 N m.
            let yaw = 3.0 + 20.0 * x - 10.0 * y;
            let reaction = GroundReaction { normal: 100.0, tangential: [10.0, 20.0], tilting: [0.0; 2], yaw };
            let d = FrictionDemand::new(&support, &reaction, &[20.0, 50.0, 30.0], &BaseMotion::rest()).unwrap();
            let [x_left, y_left] = d.unresisted_force;
            let found = [d.contacts[1].force[1], d.contacts[2].force[1], x_left, y_left, d.required_coefficient];
            let expected = [12.5, 7.5, 10.0, 0.0, 0.25];
            assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-11), "{found:?}");
            assert!((d.unresisted_moment - (3.0 - 10.0 * y)).abs() < 1e-10, "{}", d.unresisted_moment);
        }
    }
}
