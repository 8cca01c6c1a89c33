//! Feedback gains.

use armdyn_core::Model;
use armdyn_numerics::{Result, invalid};

/// Gains of position and velocity errors, one pair for each coordinate that a controller feeds back.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Gains {
    position: Vec<f64>,
    velocity: Vec<f64>,
}

impl Gains {
    /// Gains of each coordinate, finite and not negative.
    pub fn new(position: Vec<f64>, velocity: Vec<f64>) -> Result<Self> {
        if position.len() != velocity.len() {
            let (kp, kd) = (position.len(), velocity.len());
            return invalid(format!("{kp} position gains, but {kd} velocity gains: expected as many of each"));
        }
        for (what, gains) in [("position", &position), ("velocity", &velocity)] {
            if let Some(i) = gains.iter().position(|k| !(k.is_finite() && *k >= 0.0)) {
                let (number, gain) = (i + 1, gains[i]);
                return invalid(format!(
                    "invalid {what} gain {number} `{gain}`: expected a finite number of at least 0"
                ));
            }
        }
        Ok(Gains { position, velocity })
    }

    /// The gains of unit masses with a natural frequency \[rad/s\] and a damping ratio: ω² and 2 ζ ω for `n` coordinates.
    pub fn of_unit_mass(n: usize, frequency: f64, damping: f64) -> Result<Self> {
        Gains::new(vec![frequency * frequency; n], vec![2.0 * damping * frequency; n])
    }

    /// The same multiplied by the inertia of each coordinate.
    pub fn with_inertia(&self, inertia: &[f64]) -> Result<Self> {
        let times = |gains: &[f64]| gains.iter().zip(inertia).map(|(k, m)| k * m).collect();
        Gains::new(times(&self.position), times(&self.velocity))
    }

    /// The gains of a natural frequency \[rad/s\] and a damping ratio for the inertia of each joint with the others free,
    /// 1/(M⁻¹)ᵢᵢ, at a configuration. In proportion to it, no eigenvalue of M⁻¹ K is above their sum; in proportion to Mᵢᵢ, strongly
    /// coupled joints are unstable at usual sample rates.
    pub fn of_joints(m: &Model<f64>, q: &[f64], frequency: f64, damping: f64) -> Result<Self> {
        Gains::of_unit_mass(m.nv(), frequency, damping)?.with_inertia(&free_inertia(m, q)?)
    }

    /// Number of coordinates.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Position gains.
    pub fn position(&self) -> &[f64] {
        &self.position
    }

    /// Velocity gains.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// Fails unless there is a pair for each of `n` coordinates.
    pub(super) fn require(&self, n: usize, what: &str) -> Result<()> {
        if self.len() == n {
            return Ok(());
        }
        invalid(format!("{} gains for {n} {what}: expected one pair for each", self.len()))
    }

    /// K_p e + K_d ė of a coordinate.
    #[inline]
    pub(super) fn feedback(&self, i: usize, error: f64, rate: f64) -> f64 {
        self.position[i] * error + self.velocity[i] * rate
    }
}

/// The inertia of each joint with the others free, 1/(M⁻¹)ᵢᵢ.
pub(super) fn free_inertia(m: &Model<f64>, q: &[f64]) -> Result<Vec<f64>> {
    let inverse = m.inverse_mass_matrix(q)?;
    Ok((0..m.nv()).map(|i| 1.0 / inverse[(i, i)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_validated() {
        let text = |kp: f64, kd: f64| Gains::new(vec![1.0, kp], vec![1.0, kd]).unwrap_err().to_string();
        assert!(text(f64::NAN, 1.0).starts_with("invalid position gain 2 `NaN`"));
        assert!(text(1.0, -3.0).starts_with("invalid velocity gain 2 `-3`"));
        assert!(Gains::new(vec![1.0], vec![]).is_err());
        let gains = Gains::of_unit_mass(2, 10.0, 0.5).unwrap().with_inertia(&[1.0, 3.0]).unwrap();
        assert_eq!((gains.position(), gains.velocity()), (&[100.0, 300.0][..], &[10.0, 30.0][..]));
        assert!(gains.require(3, "joints").is_err());
    }
}
