//! Bandwidth of a motion relative to the natural frequencies.
//!
//! Lau 1985, section 7: the static solution is valid while the signals' bandwidth is well below the lowest structural
//! frequency. A harmonic of frequency b is amplified by 1/(1 − (b/f)²) in a structure of natural frequency f.

use armdyn_numerics::Trajectory;
use std::f64::consts::PI;

/// Required ratio of the lowest frequency to the bandwidth: the static amplitude of a harmonic is then 1/24 (4 %) too small.
pub const MIN_FREQUENCY_RATIO: f64 = 5.0;
/// Fraction of the accelerations' energy within the bandwidth.
pub const BANDWIDTH_ENERGY: f64 = 0.95;
/// Maximum number of samples of a spectrum: a power of two.
const SAMPLES: usize = 1 << 20;

/// Relative error of the static amplitude at a bandwidth and a lowest frequency \[Hz\]; infinite if the motion reaches the
/// frequency.
#[must_use]
pub fn static_error(bandwidth: f64, frequency: f64) -> f64 {
    let ratio = (bandwidth / frequency).powi(2);
    if ratio < 1.0 { 1.0 / (1.0 - ratio) - 1.0 } else { f64::INFINITY }
}

/// Bandwidth of a motion against the lowest natural frequency.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct BandwidthCheck {
    /// Bandwidth of the motion \[Hz\].
    pub bandwidth: f64,
    /// Whether the user gave it.
    pub given: bool,
    /// Lowest frequency divided by the bandwidth.
    pub frequency_ratio: f64,
    /// Whether the ratio is at least [`MIN_FREQUENCY_RATIO`].
    pub static_is_valid: bool,
    /// Relative error of the static amplitude of a harmonic at the bandwidth; infinite (null) at the lowest frequency.
    pub static_error: f64,
}

impl BandwidthCheck {
    /// Compares a bandwidth with the lowest frequency \[Hz\].
    #[must_use]
    pub fn new(bandwidth: f64, lowest: f64, given: bool) -> Self {
        BandwidthCheck {
            bandwidth,
            given,
            frequency_ratio: lowest / bandwidth,
            static_is_valid: lowest >= MIN_FREQUENCY_RATIO * bandwidth,
            static_error: static_error(bandwidth, lowest),
        }
    }
}

/// The frequency \[Hz\] below which 95 % of the energy of the accelerations lies, for the joint with the widest spectrum.
#[must_use]
pub fn bandwidth(trajectory: &Trajectory) -> f64 {
    let n = trajectory.qdd.len() / trajectory.len();
    let (from, to) = (trajectory.t[0], trajectory.t[trajectory.len() - 1]);
    let count = trajectory.len().next_power_of_two().clamp(2, SAMPLES);
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
                let fraction = ((t - a) / (b - a)).clamp(0.0, 1.0);
                at(sample) * (1.0 - fraction) + at(sample + 1) * fraction
            })
            .collect();
        let spectrum = spectrum(even.into_iter().map(|x| [x, 0.0]).collect());
        // Each bin except the first and the last also represents its mirror image.
        let weight = |f: usize| if f == 0 || f == count / 2 { 1.0 } else { 2.0 };
        let power: Vec<f64> =
            (0..=count / 2).map(|f| weight(f) * (spectrum[f][0].powi(2) + spectrum[f][1].powi(2))).collect();
        let (total, mut sum) = (power.iter().sum::<f64>(), 0.0);
        if total <= 0.0 {
            continue;
        }
        let last = power.iter().position(|p| {
            sum += p;
            sum >= BANDWIDTH_ENERGY * total
        });
        let step = (count - 1) as f64 / (count as f64 * (to - from));
        widest = widest.max(last.unwrap_or(0) as f64 * step);
    }
    widest
}

/// Discrete Fourier transform of 2ⁿ samples (Cooley and Tukey).
fn spectrum(x: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let n = x.len();
    if n < 2 {
        return x;
    }
    let [even, odd] = [0, 1].map(|first| spectrum(x.iter().skip(first).step_by(2).copied().collect()));
    let mut all = vec![[0.0; 2]; n];
    for k in 0..n / 2 {
        let (s, c) = (-2.0 * PI * k as f64 / n as f64).sin_cos();
        let ([a, b], [p, q]) = (even[k], odd[k]);
        let (re, im) = (c * p - s * q, c * q + s * p);
        (all[k], all[k + n / 2]) = ([a + re, b + im], [a - re, b - im]);
    }
    all
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
            // Ten seconds resolve 0.1 Hz.
            assert!((found - f).abs() < 0.11, "{found} Hz is not {f} Hz");
        }
    }

    /// A long record is not aliased.
    #[test]
    fn a_fast_component_of_a_long_motion_is_found() {
        let t: Vec<f64> = (0..20_000).map(|k| f64::from(k) * 0.01).collect();
        let qdd: Vec<f64> = t.iter().map(|t| (2.0 * PI * 15.0 * t).sin()).collect();
        let zero = vec![0.0; qdd.len()];
        let found = bandwidth(&Trajectory::new(1, t, zero.clone(), zero, qdd).unwrap());
        assert!((found - 15.0).abs() < 0.02, "{found} Hz is not 15 Hz");
    }

    /// The constant has 93 % of the energy, less than 95 %; the sine has the rest.
    #[test]
    fn energy_of_a_sine_is_half_its_square() {
        let t: Vec<f64> = (0..1024).map(f64::from).map(|k| k / 1024.0).collect();
        let qdd: Vec<f64> = t.iter().map(|t| 0.93_f64.sqrt() + 0.14_f64.sqrt() * (2.0 * PI * 8.0 * t).cos()).collect();
        let zero = vec![0.0; qdd.len()];
        let found = bandwidth(&Trajectory::new(1, t, zero.clone(), zero, qdd).unwrap());
        assert!((found - 8.0).abs() < 1e-9, "{found} Hz is not 8 Hz");
    }

    #[test]
    fn the_static_error_follows_the_resonance_curve() {
        assert!((static_error(1.0, MIN_FREQUENCY_RATIO) - 1.0 / 24.0).abs() < 1e-15);
        assert!(static_error(2.0, 2.0).is_infinite());
    }
}
