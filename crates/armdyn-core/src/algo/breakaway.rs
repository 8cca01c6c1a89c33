//! Inverse dynamics with friction at rest: the torques that start a joint, and those that hold it.
//!
//! The recursions take dry friction at rest as 0. For a motion (q, q̇, q̈) the sign of q̈ determines it (`model/drive.rs`):
//!
//!   q̇ᵢ ≠ 0:            fᵢ as in the recursion
//!   q̇ᵢ = 0, q̈ᵢ > 0:    fᵢ = c₊ + e,   q̇ᵢ = 0, q̈ᵢ < 0:   fᵢ = −(c₋ + e)                                          (1)
//!   q̇ᵢ = 0, q̈ᵢ = 0:    any fᵢ from −(c₋ + e) to c₊ + e; τᵢ has fᵢ = 0, and a range                              (2)
//!
//! Over intervals the recursion contains every fᵢ at rest already; what is added widens the enclosure.
//! This is the inverse of [`stiction`](super::stiction()): its q̈ under any torques within the ranges is the motion.

use super::{RneaData, rnea};
use crate::error::Result;
use crate::model::Model;
use crate::scalar::Real;
use alloc::vec;
use alloc::vec::Vec;

impl<T: Real> Model<T> {
    /// Adds the static friction of joints at rest that start to move to the torques of [`rnea`] (or of another formulation) for
    /// the motion `qd`, `qdd`; see [`Friction::breakaway_torque`](crate::Friction::breakaway_torque).
    pub fn add_breakaway_torques(&self, qd: &[T], qdd: &[T], tau: &mut [T]) -> Result<()> {
        for (what, length) in [("qd", qd.len()), ("qdd", qdd.len()), ("tau", tau.len())] {
            self.check_length(what, self.nv(), length)?;
        }
        for (i, friction) in self.friction().iter().enumerate() {
            tau[i] += friction.breakaway_torque(qd[i], qdd[i]); // (1)
        }
        Ok(())
    }

    /// Joint torques τ for a motion, with the static friction of joints that start to move; the friction of joints that are held at
    /// rest is 0 ([`Model::torque_ranges`] has what it allows).
    ///
    /// ```
    /// use armdyn_core::{BASE, Drive, Joint, Link, ModelBuilder};
    /// let mut robot = ModelBuilder::new("wheel");
    /// let axle = Joint::revolute("axle", [0.0, 0.0, 1.0]).driven_by(Drive::ideal().coulomb(5.0, 3.0));
    /// robot.add(BASE, axle, Link::new("disc").body(1.0, [0.0; 3], [1.0, 0.0, 0.0, 1.0, 0.0, 2.0]));
    /// let model = robot.build().unwrap();
    /// assert_eq!(model.inverse_dynamics_with_stiction(&[0.0], &[0.0], &[1.0])?, [2.0 + 5.0]); // starts with 1 rad/s²
    /// let held = model.inverse_dynamics_with_stiction(&[0.0], &[0.0], &[0.0])?;
    /// assert_eq!((held[0], model.torque_ranges(&[0.0], &[0.0], &held)?[0]), (0.0, [-3.0, 5.0]));
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn inverse_dynamics_with_stiction(&self, q: &[T], qd: &[T], qdd: &[T]) -> Result<Vec<T>> {
        let mut tau = vec![T::zero(); self.nv()];
        rnea(self, &mut RneaData::new(self), q, qd, qdd, &mut tau)?;
        self.add_breakaway_torques(qd, qdd, &mut tau)?;
        Ok(tau)
    }
}

impl Model<f64> {
    /// The torques that produce a motion: lower and upper end for each degree of freedom. They differ where dry friction holds a
    /// joint at rest. `tau` are the torques of the motion with those that start joints ([`Model::add_breakaway_torques`],
    /// [`Model::inverse_dynamics_with_stiction`]), and within the ranges.
    pub fn torque_ranges(&self, qd: &[f64], qdd: &[f64], tau: &[f64]) -> Result<Vec<[f64; 2]>> {
        for (what, x) in [("qd", qd), ("qdd", qdd), ("tau", tau)] {
            self.check_length(what, self.nv(), x.len())?;
        }
        let held = |i: usize| qd[i] == 0.0 && qdd[i] == 0.0;
        let limits = self.friction().iter().map(|f| f.static_limits()).enumerate();
        let limits = limits.map(|(i, limits)| if held(i) { limits } else { [0.0; 2] }); // (2)
        Ok(limits.zip(tau).map(|(limits, tau)| limits.map(|f| tau + f)).collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::algo::{Boundary, Cause, explain};
    use crate::model::{BASE, Drive, Joint, Link, ModelBuilder};
    use crate::scalar::Interval;
    use crate::{Error, Model};

    /// Discs of 0.35 kg m² with Coulomb friction 5 forward and 2 backward, and 1 more at rest; the second turns with the first, half
    /// as fast and in the opposite direction.
    fn discs(coupled: bool) -> Model<f64> {
        let mut robot = ModelBuilder::new("discs");
        let drive = Drive::ideal().coulomb(5.0, 2.0).stribeck(1.0, 0.1);
        let disc = |name: &str| Link::new(name).body(1.0, [0.0; 3], [0.2, 0.0, 0.0, 0.2, 0.0, 0.35]);
        let axle = |name: &str| Joint::revolute(name, [0.0, 0.0, 1.0]).driven_by(drive);
        robot.add(BASE, axle("first"), disc("a"));
        if coupled {
            let slow = drive.stribeck(1.0, 0.05);
            let second = Joint::revolute("second", [0.0, 0.0, 1.0]).driven_by(slow).mimic("first", -0.5, 0.0);
            robot.add(BASE, second, disc("b"));
        }
        robot.build().unwrap()
    }

    #[test]
    fn the_sign_of_the_acceleration_decides_friction_at_rest() {
        // The follower adds 0.35/4 kg m², half of its friction, with its directions exchanged.
        for (coupled, qd, qdd, tau, range) in [
            (false, 0.0, 1.0, 0.35 + 6.0, [6.35, 6.35]),
            (false, 0.0, -1.0, -0.35 - 3.0, [-3.35, -3.35]),
            (false, 0.0, 0.0, 0.0, [-3.0, 6.0]),
            (false, 0.1, 1.0, 0.35 + 5.5, [5.85, 5.85]),
            (true, 0.0, 1.0, 0.4375 + 6.0 + 0.5 * 3.0, [7.9375, 7.9375]),
            (true, 0.0, -1.0, -0.4375 - 3.0 - 0.5 * 6.0, [-6.4375, -6.4375]),
            (true, 0.0, 0.0, 0.0, [-6.0, 7.5]),
        ] {
            let m = discs(coupled);
            let found = m.inverse_dynamics_with_stiction(&[0.0], &[qd], &[qdd]).unwrap();
            let near = |a: f64, b: f64| (a - b).abs() < 1e-14;
            assert!(near(found[0], tau), "{qd} {qdd}: {found:?}");
            let [low, high] = m.torque_ranges(&[qd], &[qdd], &found).unwrap()[0];
            assert!(near(low, range[0]) && near(high, range[1]), "{qd} {qdd}: {low} {high}");
            let explained = explain(&m, &Boundary::at_rest(&m), &[0.0], &[qd], &[qdd]).unwrap().remove(0);
            let dry = explained.contributions.iter().find(|c| c.cause == Cause::Coulomb).unwrap().torque;
            let inertia = if coupled { 0.4375 } else { 0.35 } * qdd;
            assert!(near(explained.torque, tau) && near(dry, tau - inertia), "{explained:?}");
        }
    }

    /// Over intervals: every value from a joint held at rest to one that starts, and no more than friction twice.
    #[test]
    fn intervals_contain_the_torques_of_their_motions() {
        let m = discs(false).cast::<Interval>();
        let range = |low, high| [Interval::new(low, high).unwrap()];
        let starts = m.inverse_dynamics_with_stiction(&range(0.0, 0.0), &range(0.0, 0.0), &range(0.0, 1.0)).unwrap();
        assert!(starts[0].lo() <= 0.0 && starts[0].hi() >= 6.35 && starts[0].hi() < 12.36, "{starts:?}");
    }

    #[test]
    fn lengths_are_checked() {
        let m = discs(false);
        let error = m.add_breakaway_torques(&[0.0], &[], &mut [0.0]).unwrap_err();
        assert_eq!(error, Error::Length { what: "qdd", expected: 1, found: 0 });
    }
}
