//! Motors and gears to choose from: a catalogue.

use alloc::string::String;
use alloc::vec::Vec;

/// Torques of a motor at a speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperatingLimit {
    /// Speed \[rad/s\].
    pub speed: f64,
    /// Torque that the motor can produce continuously at that speed \[N m\].
    pub continuous: f64,
    /// Torque that it can produce for a short time \[N m\].
    pub peak: f64,
}

/// A motor.
#[derive(Clone, Debug, PartialEq)]
pub struct Motor {
    /// Its name.
    pub name: String,
    /// Mass \[kg\].
    pub mass: f64,
    /// Moment of inertia of the rotor \[kg m²\].
    pub inertia: f64,
    /// Torque–speed curve: points of ascending speed, linear in between; the first torque holds below, the last speed is the
    /// maximum.
    pub curve: Vec<OperatingLimit>,
    /// Copper loss per squared torque, R/k² \[W/(N m)²\], if torque constant and resistance are known.
    pub copper_loss: Option<f64>,
}

impl Motor {
    /// Maximum speed \[rad/s\].
    #[must_use]
    pub fn max_speed(&self) -> f64 {
        self.curve.last().map_or(0.0, |p| p.speed)
    }

    /// Limits of the torque at a speed; those of the maximum speed above it.
    ///
    /// ```
    /// use armdyn_core::{Motor, OperatingLimit};
    /// let point = |speed, continuous, peak| OperatingLimit { speed, continuous, peak };
    /// let curve = vec![point(100.0, 2.0, 6.0), point(200.0, 1.0, 4.0)];
    /// let motor = Motor { name: "m".into(), mass: 1.0, inertia: 1e-4, curve, copper_loss: None };
    /// assert_eq!(motor.at(50.0), point(50.0, 2.0, 6.0));
    /// assert_eq!(motor.at(150.0), point(150.0, 1.5, 5.0));
    /// ```
    #[must_use]
    pub fn at(&self, speed: f64) -> OperatingLimit {
        let after = self.curve.iter().position(|p| p.speed >= speed).unwrap_or(self.curve.len());
        match (after.checked_sub(1).and_then(|k| self.curve.get(k)), self.curve.get(after)) {
            (Some(a), Some(b)) => {
                let u = (speed - a.speed) / (b.speed - a.speed);
                let between = |a: f64, b: f64| a + u * (b - a);
                let (continuous, peak) = (between(a.continuous, b.continuous), between(a.peak, b.peak));
                OperatingLimit { speed, continuous, peak }
            }
            (Some(end), None) | (None, Some(end)) => OperatingLimit { speed, ..*end },
            (None, None) => OperatingLimit { speed, continuous: 0.0, peak: 0.0 },
        }
    }
}

/// A gear: of a revolute joint, or a screw or belt of a prismatic one.
#[derive(Clone, Debug, PartialEq)]
pub struct Gear {
    /// Its name.
    pub name: String,
    /// Mass \[kg\].
    pub mass: f64,
    /// Motor revolutions per joint revolution, or rad/m for a prismatic joint.
    pub ratio: f64,
    /// Whether it drives a prismatic joint.
    pub linear: bool,
    /// Power at the joint relative to power at the motor, in (0, 1].
    pub efficiency: f64,
    /// Moment of inertia at the motor \[kg m²\].
    pub inertia: f64,
    /// Maximum speed of the motor's side \[rad/s\]; infinite if unknown.
    pub max_speed: f64,
    /// Maximum average torque or force at the joint \[N m, N\]; infinite if unknown.
    pub average: f64,
    /// Maximum torque or force at the joint \[N m, N\]; infinite if unknown.
    pub peak: f64,
}

/// Motors and gears to choose from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// Its name.
    pub name: String,
    /// Source of the values.
    pub origin: Option<String>,
    /// Motors.
    pub motors: Vec<Motor>,
    /// Gears.
    pub gears: Vec<Gear>,
}
