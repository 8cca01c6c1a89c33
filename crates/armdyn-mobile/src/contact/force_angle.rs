//! Force-angle measure of tip-over stability.
//!
//! Papadopoulos & Rey, "A new measure of tipover stability margin for mobile manipulators", ICRA 1996, and "The force-angle
//! measure …", Vehicle System Dynamics 33, 2000. For each edge with axis â, the perpendicular l from the centre of mass to
//! the edge, and the net force f and moment n on the centre of mass (gravity and external loads minus inertia):
//!
//!   f* = (1 − ââᵀ) f + (l̂ × ââᵀ n)/|l|,   θ = ± angle between f* and l,   β = θ |d| |f*|
//!
//! d is the distance of the line of f* from the edge. θ falls to 0 where the robot tips; β also accounts for weight and height
//! of the centre of mass. The normalisation by a nominal posture of the second paper is not included.

use super::Support;
use armdyn_core::{Force, Vec3};

/// Force-angle margin about an edge; negative if the robot tips over it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct ForceAngle {
    /// The angle θ \[rad\].
    pub angle: f64,
    /// The measure β = θ |d| |f*| \[N m rad\].
    pub measure: f64,
}

/// The margin of each edge, for a centre of mass in the base frame and the wrench of the ground about the base origin.
pub(super) fn force_angles(support: &Support, centre: Vec3<f64>, wrench: Force<f64>) -> Vec<ForceAngle> {
    let (f, n) = (-wrench.force, centre.cross(wrench.force) - wrench.moment);
    let corner = |c: usize| Vec3::lift(support.contacts()[c].position);
    let margin = |contacts: [usize; 2]| {
        let [from, to] = contacts.map(corner);
        let axis = (to - from) * (1.0 / (to - from).norm());
        let across = |v: Vec3<f64>| v - axis * axis.dot(v);
        let l = across(to - centre);
        let distance = l.norm();
        // With the centre of mass on the edge only the moment remains.
        if distance == 0.0 {
            let restoring = 0.0 - axis.dot(n);
            let angle = restoring.atan2(0.0);
            return ForceAngle { angle, measure: angle * restoring.abs() };
        }
        let l = l * (1.0 / distance);
        let net = across(f) + l.cross(axis * axis.dot(n)) * (1.0 / distance);
        let magnitude = net.norm();
        let sine = l.cross(net).dot(axis);
        let angle = sine.atan2(l.dot(net));
        let lever = if magnitude > 0.0 { (sine / magnitude).abs() * distance } else { 0.0 };
        ForceAngle { angle, measure: angle * lever * magnitude }
    };
    support.edges().iter().map(|e| margin(e.contacts)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::support::tests::contact;
    use super::*;
    use armdyn_core::ContactKind;
    use armdyn_core::vec3;
    use std::f64::consts::FRAC_PI_2;

    /// A point mass of 100 N, 2 m above a square of 2 m, with a force of 60 N along x at its height.
    #[test]
    fn angles_of_a_point_mass_above_a_square() {
        let at = [[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]];
        let feet: Vec<_> = at.iter().enumerate().map(|(k, p)| contact(&k.to_string(), *p, ContactKind::Foot)).collect();
        let support = Support::from_contacts(&feet, vec3(0.0, 0.0, 1.0)).unwrap();
        let centre = vec3(0.0, 0.0, 2.0);
        let wrench = |f: Vec3<f64>| Force::new(centre.cross(f), f);
        let at_rest = 1f64.atan2(2.0);
        for a in force_angles(&support, centre, wrench(vec3(0.0, 0.0, 100.0))) {
            assert!((a.angle - at_rest).abs() < 1e-15 && (a.measure - at_rest * 100.0).abs() < 1e-12);
        }
        // The net force (60, 0, −100) leans by atan 0.6 towards the edge at x = 1, which is at atan 0.5: it tips.
        let pushed = force_angles(&support, centre, wrench(vec3(-60.0, 0.0, 100.0)));
        let ahead = support.edges().iter().position(|e| e.inward[0] < -0.5).unwrap();
        assert!((pushed[ahead].angle - (at_rest - 0.6f64.atan())).abs() < 1e-15 && pushed[ahead].measure < 0.0);
        // About the edge itself: 100 N · 1 m − 60 N · 2 m.
        assert!((pushed[ahead].measure / pushed[ahead].angle - 20.0).abs() < 1e-12);
        let behind = support.edges().iter().position(|e| e.inward[0] > 0.5).unwrap();
        assert!((pushed[behind].angle - (at_rest + 0.6f64.atan())).abs() < 1e-15);
        // With the centre of mass on the edge, a moment of 5 N m tips or restores.
        let centre = vec3(1.0, 0.3, 0.0);
        let up = vec3(0.0, 0.0, 100.0);
        for (moment, angle) in [(0.0, 0.0), (-5.0, FRAC_PI_2), (5.0, -FRAC_PI_2)] {
            let wrench = Force::new(centre.cross(up) + vec3(0.0, -moment, 0.0), up);
            let found = force_angles(&support, centre, wrench)[ahead];
            assert_eq!((found.angle, found.measure), (angle, angle * 5.0));
        }
    }
}
