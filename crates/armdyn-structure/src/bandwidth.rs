//! How fast a motion is beside the structure's own vibrations.
//!
//! Lau 1985, section 7: statics stands for dynamics as long as the signals' bandwidth is well below the lowest structural
//! frequency. A harmonic of frequency b makes a structure of frequency f move by 1/(1 − (b/f)²) of what statics says.

use armdyn_numerics::Trajectory;
use std::f64::consts::PI;

/// The lowest frequency should be so many times the bandwidth: of a harmonic there statics is then short by 1/24, 4 %.
pub const WELL_BELOW: f64 = 5.0;
/// The share of the accelerations' energy that the bandwidth holds.
pub const ENERGY: f64 = 0.95;
/// Samples that a spectrum is taken of, at most: a power of two.
const SAMPLES: usize = 1 << 20;

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
                let share = ((t - a) / (b - a)).clamp(0.0, 1.0);
                at(sample) * (1.0 - share) + at(sample + 1) * share
            })
            .collect();
        let spectrum = spectrum(even.into_iter().map(|x| [x, 0.0]).collect());
        // All but the first and the last stand for their mirror image too.
        let twice = |f: usize| if f == 0 || f == count / 2 { 1.0 } else { 2.0 };
        let power: Vec<f64> =
            (0..=count / 2).map(|f| twice(f) * (spectrum[f][0].powi(2) + spectrum[f][1].powi(2))).collect();
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

/// The discrete Fourier transform of a power of two of samples (Cooley and Tukey).
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
            // Ten seconds tell frequencies apart by 0.1 Hz.
            assert!((found - f).abs() < 0.11, "{found} Hz is not {f} Hz");
        }
    }

    /// What a long record holds is not folded down to where it looks slow.
    #[test]
    fn a_fast_part_of_a_long_motion_is_seen() {
        let t: Vec<f64> = (0..20_000).map(|k| f64::from(k) * 0.01).collect();
        let qdd: Vec<f64> = t.iter().map(|t| (2.0 * PI * 15.0 * t).sin()).collect();
        let zero = vec![0.0; qdd.len()];
        let found = bandwidth(&Trajectory::new(1, t, zero.clone(), zero, qdd).unwrap());
        assert!((found - 15.0).abs() < 0.02, "{found} Hz is not 15 Hz");
    }

    /// A constant of 0.93 of the energy is less than 95 % of it: the sine above has the rest.
    #[test]
    fn energy_of_a_sine_is_half_its_square() {
        let t: Vec<f64> = (0..1024).map(f64::from).map(|k| k / 1024.0).collect();
        let qdd: Vec<f64> = t.iter().map(|t| 0.93_f64.sqrt() + 0.14_f64.sqrt() * (2.0 * PI * 8.0 * t).cos()).collect();
        let zero = vec![0.0; qdd.len()];
        let found = bandwidth(&Trajectory::new(1, t, zero.clone(), zero, qdd).unwrap());
        assert!((found - 8.0).abs() < 1e-9, "{found} Hz is not 8 Hz");
    }

    #[test]
    fn statics_is_short_by_the_resonance_curve() {
        assert!((dynamic_surplus(1.0, WELL_BELOW) - 1.0 / 24.0).abs() < 1e-15);
        assert!(dynamic_surplus(2.0, 2.0).is_infinite());
    }
}
