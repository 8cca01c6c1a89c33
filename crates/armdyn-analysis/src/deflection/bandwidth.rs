//! How fast a motion is beside the structure's own vibrations.
//!
//! Lau 1985, section 7: statics stands for dynamics as long as the signals' bandwidth is well below the lowest structural
//! frequency. A harmonic of frequency b makes a structure of frequency f move by 1/(1 − (b/f)²) of what statics says.

use crate::Trajectory;
use std::f64::consts::PI;

/// The lowest frequency should be so many times the bandwidth: statics is then wrong by 1/24, 4 %, at most.
pub const WELL_BELOW: f64 = 5.0;
/// The share of the accelerations' energy that the bandwidth holds.
pub const ENERGY: f64 = 0.95;
/// Samples that a spectrum is taken of, at most.
const SAMPLES: usize = 2048;

/// By how much statics is short of the true amplitude, as a share of it, at a bandwidth and a lowest frequency \[Hz\];
/// infinite where the motion reaches the frequency.
pub fn dynamic_surplus(bandwidth: f64, frequency: f64) -> f64 {
    let ratio = (bandwidth / frequency).powi(2);
    if ratio < 1.0 { 1.0 / (1.0 - ratio) - 1.0 } else { f64::INFINITY }
}

/// The frequency \[Hz\] below which 95 % of the energy of a motion's accelerations lies, the widest of its joints: from the
/// spectrum of its samples, at even times.
pub fn bandwidth(trajectory: &Trajectory) -> f64 {
    let n = trajectory.qdd.len() / trajectory.len();
    let (from, to) = (trajectory.t[0], trajectory.t[trajectory.len() - 1]);
    let count = trajectory.len().clamp(2, SAMPLES);
    let mut widest = 0.0_f64;
    for dof in 0..n {
        let mut sample = 0;
        let at = |k: usize| trajectory.state(k)[2][dof];
        let even: Vec<f64> = (0..count)
            .map(|k| {
                let t = from + (to - from) * k as f64 / (count - 1) as f64;
                while sample + 2 < trajectory.len() && trajectory.t[sample + 1] <= t {
                    sample += 1;
                }
                let (a, b) = (trajectory.t[sample], trajectory.t[sample + 1]);
                let share = ((t - a) / (b - a)).clamp(0.0, 1.0);
                at(sample) * (1.0 - share) + at(sample + 1) * share
            })
            .collect();
        let power: Vec<f64> = (0..=count / 2)
            .map(|f| {
                let (mut re, mut im) = (0.0, 0.0);
                for (k, x) in even.iter().enumerate() {
                    let (s, c) = (2.0 * PI * ((f * k) % count) as f64 / count as f64).sin_cos();
                    re += x * c;
                    im += x * s;
                }
                re * re + im * im
            })
            .collect();
        let (total, mut sum) = (power.iter().sum::<f64>(), 0.0);
        if total <= 0.0 {
            continue;
        }
        let last = power.iter().position(|p| {
            sum += p;
            sum >= ENERGY * total
        });
        let step = (count - 1) as f64 / (count as f64 * (to - from));
        widest = widest.max(last.unwrap_or(0) as f64 * step);
    }
    widest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_has_its_own_frequency_as_bandwidth() {
        for f in [0.5, 2.0, 7.0] {
            let t: Vec<f64> = (0..1000).map(|k| f64::from(k) * 0.01).collect();
            let qdd: Vec<f64> = t.iter().flat_map(|t| [(2.0 * PI * f * t).sin(), 0.0]).collect();
            let zero = vec![0.0; qdd.len()];
            let found = bandwidth(&Trajectory::new(2, t, zero.clone(), zero, qdd).unwrap());
            // Ten seconds tell frequencies apart by 0.1 Hz.
            assert!((found - f).abs() < 0.11, "{found} Hz is not {f} Hz");
        }
    }

    #[test]
    fn statics_is_short_by_the_resonance_curve() {
        assert!((dynamic_surplus(1.0, WELL_BELOW) - 1.0 / 24.0).abs() < 1e-15);
        assert!(dynamic_surplus(2.0, 2.0).is_infinite());
    }
}
