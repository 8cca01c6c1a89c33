//! Extremes of a simulation over all its steps: those of the output samples depend on their rate.
//!
//! The ends of all steps count. Torques are linear between changes, at which steps end: their extremes are exact. Within an adaptive
//! step a quantity x with ẋ₀ at the start is nearly the parabola through its ends,
//!
//!   x(s) = x₀ + ẋ₀ s + c s²,   c = (x₁ − x₀ − ẋ₀ h) / h²                                    (1)
//!
//! If that exceeds the extreme so far, the state at its vertex s = −ẋ₀ / 2c is integrated and counts too. Fixed steps resolve a motion as
//! far as they integrate it.

use super::system::System;
use armdyn_mobile::Extremum;
use serde::Serialize;

/// A vertex within a step counts if it exceeds the extreme so far by this, relatively.
const EXCESS: f64 = 1e-6;

/// The values of largest magnitude of a degree of freedom, with their signs, over all steps of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointPeaks {
    /// The degree of freedom.
    pub joint: String,
    /// Velocity \[rad/s, m/s\].
    pub velocity: Extremum,
    /// Torque of the drive, within its effort limits \[N m, N\].
    pub torque: Extremum,
    /// Friction torque \[N m, N\].
    pub friction: Extremum,
}

const NOTHING: Extremum = Extremum { value: 0.0, t: 0.0 };

/// Keeps the value of largest magnitude.
pub(crate) fn keep_largest(peak: &mut Extremum, value: f64, t: f64) {
    if value.abs() > peak.value.abs() {
        *peak = Extremum { value, t };
    }
}

/// The time of the vertex of (1) within a step of length `h`, if it exceeds a peak.
pub(crate) fn vertex_above(peak: &Extremum, [start, rate, end]: [f64; 3], h: f64) -> Option<f64> {
    let c = (end - start - rate * h) / (h * h);
    let s = -0.5 * rate / c;
    let value = start + 0.5 * rate * s;
    (s > 0.0 && s < h && value.abs() > peak.value.abs() * (1.0 + EXCESS)).then_some(s)
}

impl JointPeaks {
    pub(super) fn new(joint: &str) -> Self {
        JointPeaks { joint: joint.to_string(), velocity: NOTHING, torque: NOTHING, friction: NOTHING }
    }
}

/// Updates the peaks of the arm's joints by a state whose mode was evaluated.
pub(super) fn update(peaks: &mut [JointPeaks], system: &System, t: f64, y: &[f64]) {
    let base = system.base_size()[1];
    for (k, peak) in peaks.iter_mut().enumerate() {
        let dof = base + k;
        keep_largest(&mut peak.velocity, y[system.nv() + dof], t);
        keep_largest(&mut peak.torque, system.applied.torque(dof, t), t);
        keep_largest(&mut peak.friction, system.drive_friction(dof, y), t);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sin t from 1 to 2 has its maximum 1 at π/2.
    #[test]
    fn the_vertex_of_a_step_is_near_the_extreme() {
        let (start, end) = (1f64, 2f64);
        let ends = [start.sin(), start.cos(), end.sin()];
        let s = vertex_above(&NOTHING, ends, 1.0).unwrap();
        assert!((start + s - std::f64::consts::FRAC_PI_2).abs() < 0.05, "{s}");
        assert_eq!(vertex_above(&Extremum { value: -1.1, t: 0.0 }, ends, 1.0), None, "a larger one is known");
        assert_eq!(vertex_above(&NOTHING, [0f64.sin(), 0f64.cos(), 1f64.sin()], 1.0), None, "it is beyond the end");
        assert_eq!(vertex_above(&NOTHING, [0.0, 1.0, 1.0], 1.0), None, "a line has none");
        assert_eq!(vertex_above(&NOTHING, [0.0; 3], 1.0), None);
    }
}
