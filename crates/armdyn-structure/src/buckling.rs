//! Buckling of columns under compression.
//!
//! Lau 1985, eq. 7-23, corrected (the critical load grows with the square of the mode, and with E): Euler's
//!
//!   P_k = (β_k/L)² EI,   β_k = (k − ½)π fixed–free, kπ pinned, tan β = β fixed–pinned, tan ½β = ½β or sin ½β = 0 fixed–fixed
//!
//! with Engesser's correction for shear, P = P_E/(1 + P_E/κGA).

use super::structure::ElasticBeam;
use std::f64::consts::PI;

/// End conditions of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EndConditions {
    /// Fixed at its start, free at its end: Lau's case, with the lowest critical load.
    FixedFree,
    /// Pinned at both ends.
    Pinned,
    /// Fixed at its start, pinned at its end.
    FixedPinned,
    /// Fixed at both ends.
    Fixed,
}

impl EndConditions {
    /// β of a mode, counted from 1.
    #[must_use]
    pub fn beta(self, mode: usize) -> f64 {
        let k = mode.max(1) as f64;
        match self {
            EndConditions::FixedFree => (k - 0.5) * PI,
            EndConditions::Pinned => k * PI,
            EndConditions::FixedPinned => tangent_root(mode.max(1)),
            EndConditions::Fixed if mode.max(1) % 2 == 1 => (k + 1.0) * PI,
            EndConditions::Fixed => 2.0 * tangent_root(mode / 2),
        }
    }
}

/// The k-th root of tan x = x above 0, by Newton's steps on x cos x − sin x from below (k + ½)π.
fn tangent_root(k: usize) -> f64 {
    let top = (k as f64 + 0.5) * PI;
    let mut x = top - 1.0 / top;
    for _ in 0..8 {
        let (s, c) = x.sin_cos();
        x += (x * c - s) / (x * s);
    }
    x
}

impl ElasticBeam {
    /// Critical load \[N\] of a mode about the weaker axis, with or without Engesser's correction for shear.
    #[must_use]
    pub fn critical_load(&self, ends: EndConditions, mode: usize, shear: bool) -> f64 {
        let about = |axis: usize| {
            let euler = (ends.beta(mode) / self.length).powi(2) * self.stiffness.bending[axis];
            // Bending about y moves along z.
            if shear { euler / (1.0 + euler / self.stiffness.shear[1 - axis]) } else { euler }
        };
        about(0).min(about(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Timoshenko and Gere's effective lengths: 2, 1, 0.6992, 0.5.
    #[test]
    fn first_modes_have_the_effective_lengths_of_the_handbook() {
        for (ends, length) in [
            (EndConditions::FixedFree, 2.0),
            (EndConditions::Pinned, 1.0),
            (EndConditions::FixedPinned, 0.699_156),
            (EndConditions::Fixed, 0.5),
        ] {
            assert!((PI / ends.beta(1) / length - 1.0).abs() < 1e-6, "{ends:?}");
        }
        // Second modes: 8.183 EI/L² fixed at both ends has β = 8.9868, fixed–pinned 7.7253.
        assert!((EndConditions::Fixed.beta(2) - 8.986_819).abs() < 1e-5);
        assert!((EndConditions::FixedPinned.beta(2) - 7.725_252).abs() < 1e-5);
        assert!((EndConditions::Fixed.beta(3) - 4.0 * PI).abs() < 1e-12);
    }
}
