//! Local coordinates of a configuration: nv numbers, also where a joint has a quaternion.
//!
//! A quaternion is p exp(φ) with a reference p and a rotation vector φ in the body's axes (Munthe-Kaas's method). With the angular
//! velocity ω in the body's axes:
//!
//!   φ̇ = ω + ½ φ × ω + w φ × (φ × ω),   w = 1/θ² − cot(½θ)/(2θ),   θ = |φ|                                        (1)
//!
//! Any integrator of vectors then keeps its order, and quaternions keep their length. After each step the reference moves to the
//! current configuration, so that φ stays small. The position of a free joint is in the axes of its parent, ṗ = R v.

use armdyn_core::{Model, Pair, Rotation, Vec3, vec3};
use armdyn_numerics::Result;

/// A quaternion: where it is in q, where its rotation is in q̇, and whether three translations precede both.
#[derive(Clone, Copy, Debug)]
struct Turning {
    q: usize,
    v: usize,
    free: bool,
}

/// Local coordinates about a reference configuration.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    /// Position in q of each degree of freedom that is a number in q; none in a rotation of a quaternion.
    places: Vec<Option<usize>>,
    turning: Vec<Turning>,
    reference: Vec<f64>,
    rotation: Vec<f64>,
}

impl Chart {
    pub fn new(m: &Model<f64>) -> Self {
        let (mut places, mut turning) = (vec![None; m.nv()], vec![]);
        for (_, b) in m.base_to_tip().filter(|(_, b)| !b.follows) {
            match b.pair {
                Pair::Ball => turning.push(Turning { q: b.q, v: b.v, free: false }),
                Pair::Free => {
                    (0..3).for_each(|k| places[b.v + k] = Some(b.q + k));
                    turning.push(Turning { q: b.q + 3, v: b.v + 3, free: true });
                }
                _ => places[b.v] = Some(b.q),
            }
        }
        Chart { places, turning, reference: vec![0.0; m.nq()], rotation: vec![0.0; m.nv()] }
    }

    /// The position in q of a degree of freedom, unless it is a rotation of a quaternion.
    pub fn place(&self, dof: usize) -> Option<usize> {
        self.places[dof]
    }

    /// Moves the reference to a configuration and writes its coordinates.
    pub fn set(&mut self, q: &[f64], x: &mut [f64]) {
        self.reference.copy_from_slice(q);
        for (x, place) in x.iter_mut().zip(&self.places) {
            *x = place.map_or(0.0, |k| q[k]);
        }
    }

    /// Whether coordinates need another reference after a step.
    pub fn has_quaternions(&self) -> bool {
        !self.turning.is_empty()
    }

    /// The configuration of coordinates.
    pub fn configuration(&mut self, m: &Model<f64>, x: &[f64], q: &mut [f64]) -> Result<()> {
        if self.has_quaternions() {
            self.turning.iter().for_each(|t| self.rotation[t.v..t.v + 3].copy_from_slice(&x[t.v..t.v + 3]));
            m.integrate(&self.reference, &self.rotation, q)?;
        }
        for (x, place) in x.iter().zip(&self.places) {
            if let Some(k) = place {
                q[*k] = *x;
            }
        }
        Ok(())
    }

    /// The rates of coordinates for the velocities `v`.
    pub fn rates(&self, x: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(v);
        for t in &self.turning {
            let at = |x: &[f64], k: usize| vec3(x[k], x[k + 1], x[k + 2]);
            out[t.v..t.v + 3].copy_from_slice(&rotation_rate(at(x, t.v), at(v, t.v)).to_array());
            if t.free {
                let rotation = Rotation::quaternion([q[t.q], q[t.q + 1], q[t.q + 2], q[t.q + 3]]);
                out[t.v - 3..t.v].copy_from_slice(&rotation.rotate(at(v, t.v - 3)).to_array());
            }
        }
    }
}

/// (1).
fn rotation_rate(phi: Vec3<f64>, omega: Vec3<f64>) -> Vec3<f64> {
    let theta2 = phi.norm_squared();
    // The series is exact to rounding below 0.1 rad: its next term is θ⁶/1 209 600 of 1/12.
    let weight = if theta2 < 1e-2 {
        1.0 / 12.0 + theta2 * (1.0 / 720.0 + theta2 * (1.0 / 30_240.0 + theta2 / 1_209_600.0))
    } else {
        let half = 0.5 * theta2.sqrt();
        (1.0 - half / half.tan()) / theta2
    };
    let turn = phi.cross(omega);
    omega + turn * 0.5 + phi.cross(turn) * weight
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::{BASE, Joint, JointKind, Link, ModelBuilder};

    /// The rate of φ against a difference quotient of the configuration: p exp(φ + ε φ̇) is p exp(φ) moved by ε ω.
    #[test]
    fn rates_of_a_rotation_vector() {
        let mut robot = ModelBuilder::new("body");
        robot.add(
            BASE,
            Joint::new("f", JointKind::Free),
            Link::new("b").body(1.0, [0.0; 3], [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]),
        );
        let m = robot.build().unwrap();
        let mut chart = Chart::new(&m);
        let (mut x, mut q, mut later, mut moved) = ([0.0; 6], [0.0; 7], [0.0; 7], [0.0; 6]);
        let s = 0.5_f64.sqrt();
        chart.set(&[1.0, 2.0, 3.0, s, 0.0, 0.0, s], &mut x);
        let v = [0.3, -0.2, 0.5, 0.7, 1.1, -0.4];
        for phi in [[0.0; 3], [0.02, -0.03, 0.04], [0.9, -1.2, 0.5]] {
            x[3..].copy_from_slice(&phi);
            chart.configuration(&m, &x, &mut q).unwrap();
            let mut rates = [0.0; 6];
            chart.rates(&x, &q, &v, &mut rates);
            let step = 1e-6;
            let ahead: Vec<f64> = x.iter().zip(rates).map(|(x, r)| x + step * r).collect();
            chart.configuration(&m, &ahead, &mut later).unwrap();
            m.difference(&q, &later, &mut moved).unwrap();
            // Second order in the step.
            assert!(moved.iter().zip(v).all(|(d, v)| (d / step - v).abs() < 5e-6), "{phi:?} {moved:?}");
        }
    }
}
