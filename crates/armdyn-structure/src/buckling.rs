//! Columns under compression.
//!
//! Lau 1985, eq. 7-23, corrected (the critical load grows with the square of the mode, and with E): Euler's
//!
//!   P_k = (β_k/L)² EI,   β_k = (k − ½)π free, kπ pinned, tan β = β held–pinned, tan ½β = ½β or sin ½β = 0 held at both ends
//!
//! with Engesser's correction for shear, P = P_E/(1 + P_E/κGA).

use super::structure::BeamLine;
use std::f64::consts::PI;

/// How a column is held at its two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Held at its start, free at its end: Lau's, and the least favourable of these.
    FixedFree,
    /// Free to turn at both.
    Pinned,
    /// Held at its start, guided but free to turn at its end.
    FixedPinned,
    /// Held at both.
    Fixed,
}

impl Ends {
    /// β of a mode, counted from 1.
    pub fn beta(self, mode: usize) -> f64 {
        let k = mode.max(1) as f64;
        match self {
            Ends::FixedFree => (k - 0.5) * PI,
            Ends::Pinned => k * PI,
            Ends::FixedPinned => tangent_root(mode.max(1)),
            Ends::Fixed if mode.max(1) % 2 == 1 => (k + 1.0) * PI,
            Ends::Fixed => 2.0 * tangent_root(mode / 2),
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

impl BeamLine {
    /// The force that it buckles at \[N\], about its weaker axis; with shear or without.
    pub fn critical_load(&self, ends: Ends, mode: usize, shear: bool) -> f64 {
        let about = |axis: usize| {
            let euler = (ends.beta(mode) / self.length).powi(2) * self.stiffness.bending[axis];
            // About y it moves along z.
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
        for (ends, length) in
            [(Ends::FixedFree, 2.0), (Ends::Pinned, 1.0), (Ends::FixedPinned, 0.699_156), (Ends::Fixed, 0.5)]
        {
            assert!((PI / ends.beta(1) / length - 1.0).abs() < 1e-6, "{ends:?}");
        }
        // Second modes: 8.183 EI/L² held at both ends has β = 8.9868, held–pinned 7.7253.
        assert!((Ends::Fixed.beta(2) - 8.986_819).abs() < 1e-5);
        assert!((Ends::FixedPinned.beta(2) - 7.725_252).abs() < 1e-5);
        assert!((Ends::Fixed.beta(3) - 4.0 * PI).abs() < 1e-12);
    }
}
