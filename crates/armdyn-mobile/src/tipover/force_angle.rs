//! The force-angle measure of tip-over stability.
//!
//! Papadopoulos & Rey, "A new measure of tipover stability margin for mobile manipulators", ICRA 1996, and "The force-angle
//! measure …", Vehicle System Dynamics 33, 2000. For each edge with the axis â, l from the centre of mass to it and at right
//! angles with it, and the net force f and moment n on the centre (gravity and what is not borne by the ground, less inertia):
//!
//!   f* = (1 − ââᵀ) f + (l̂ × ââᵀ n)/|l|,   θ = ± angle between f* and l,   β = θ |d| |f*|
//!
//! d being the distance of the line of f* from the edge. θ falls to 0 where the robot tips, and a heavy or low robot is told
//! from a light or high one by β. The second paper's scaling by a nominal posture is left to the reader.

use super::Support;
use super::stand::about;
use armdyn_core::{Force, Vec3};

/// The measure for an edge; below zero the robot tips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceAngle {
    /// The angle θ \[rad\].
    pub angle: f64,
    /// θ |d| |f*| \[N m\].
    pub measure: f64,
}

/// For each edge; `centre` in the base's frame, `wrench` what the ground must do, about the base's origin.
pub(super) fn force_angles(support: &Support, centre: Vec3<f64>, wrench: Force<f64>) -> Vec<ForceAngle> {
    let Force { moment, force } = about(wrench, centre);
    let (f, n) = (-force, -moment);
    let corner = |c: usize| Vec3::lift(support.contacts()[c].position);
    let one = |contacts: [usize; 2]| {
        let [from, to] = contacts.map(corner);
        let axis = (to - from) * (1.0 / (to - from).norm());
        let across = |v: Vec3<f64>| v - axis * axis.dot(v);
        let l = across(to - centre);
        let long = l.norm();
        // Of a centre on the edge only the moment is left: across it, either way.
        if long == 0.0 {
            let turn = 0.0 - axis.dot(n);
            let angle = turn.atan2(0.0);
            return ForceAngle { angle, measure: angle * turn.abs() };
        }
        let l = l * (1.0 / long);
        let push = across(f) + l.cross(axis * axis.dot(n)) * (1.0 / long);
        let size = push.norm();
        let turn = l.cross(push).dot(axis);
        let angle = turn.atan2(l.dot(push));
        // Where there is no force nothing tips, and nothing holds.
        let lever = if size > 0.0 { (turn / size).abs() * long } else { 0.0 };
        ForceAngle { angle, measure: angle * lever * size }
    };
    support.edges().iter().map(|e| one(e.contacts)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::support::tests::contact;
    use super::*;
    use armdyn_core::ContactKind;
    use armdyn_core::vec3;
    use std::f64::consts::FRAC_PI_2;

    /// A point of 100 N, 2 m above a square of 2 m, that is pushed with 60 N along x at its height.
    #[test]
    fn the_angles_of_a_tall_box() {
        let at = [[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]];
        let feet: Vec<_> = at.iter().enumerate().map(|(k, p)| contact(&k.to_string(), *p, ContactKind::Foot)).collect();
        let support = Support::from_contacts(&feet, vec3(0.0, 0.0, 1.0)).unwrap();
        let centre = vec3(0.0, 0.0, 2.0);
        let wrench = |f: Vec3<f64>| Force::new(centre.cross(f), f);
        let still = 1f64.atan2(2.0);
        for a in force_angles(&support, centre, wrench(vec3(0.0, 0.0, 100.0))) {
            assert!((a.angle - still).abs() < 1e-15 && (a.measure - still * 100.0).abs() < 1e-12);
        }
        // The net force (60, 0, −100) leans by atan 0.6 towards the edge at x = 1, which is at atan 0.5: it tips.
        let pushed = force_angles(&support, centre, wrench(vec3(-60.0, 0.0, 100.0)));
        let ahead = support.edges().iter().position(|e| e.inward[0] < -0.5).unwrap();
        assert!((pushed[ahead].angle - (still - 0.6f64.atan())).abs() < 1e-15 && pushed[ahead].measure < 0.0);
        // About the edge itself: 100 N · 1 m − 60 N · 2 m.
        assert!((pushed[ahead].measure / pushed[ahead].angle - 20.0).abs() < 1e-12);
        let behind = support.edges().iter().position(|e| e.inward[0] > 0.5).unwrap();
        assert!((pushed[behind].angle - (still + 0.6f64.atan())).abs() < 1e-15);
        // On the edge itself the weight does nothing, and a moment of 5 N m tips or holds.
        let centre = vec3(1.0, 0.3, 0.0);
        let up = vec3(0.0, 0.0, 100.0);
        for (moment, angle) in [(0.0, 0.0), (-5.0, FRAC_PI_2), (5.0, -FRAC_PI_2)] {
            let wrench = Force::new(centre.cross(up) + vec3(0.0, -moment, 0.0), up);
            let found = force_angles(&support, centre, wrench)[ahead];
            assert_eq!((found.angle, found.measure), (angle, angle * 5.0));
        }
    }
}
