//! The coefficients of τᵢ = Dᵢ + Σ Dᵢₖ q̈ₖ + Σ Dᵢₖₗ q̇ₖ q̇ₗ, computed by either formulation.

use super::rnea::friction_torques;
use crate::error::Result;
use crate::model::Model;
use crate::scalar::Real;
use alloc::vec;
use alloc::vec::Vec;

/// Dᵢ, Dᵢₖ, Dᵢₖₗ at a configuration. Degrees of freedom are numbered from 0.
#[derive(Clone, Debug)]
pub struct DynamicCoefficients<T> {
    pub(super) gravity: Vec<T>,
    pub(super) inertia: Vec<T>,
    pub(super) velocity: Vec<T>,
}

impl<T: Real> DynamicCoefficients<T> {
    pub(super) fn new(m: &Model<T>) -> Self {
        let n = m.nv();
        let zeros = |length: usize| vec![T::zero(); length];
        DynamicCoefficients { gravity: zeros(n), inertia: zeros(n * n), velocity: zeros(n * n * n) }
    }

    /// Dᵢ: torque or force i that holds the robot against gravity.
    pub fn gravity(&self, i: usize) -> T {
        self.gravity[i]
    }

    /// Dᵢₖ: torque or force i per acceleration k, drives included.
    pub fn inertia(&self, i: usize, k: usize) -> T {
        self.inertia[i * self.gravity.len() + k]
    }

    /// Dᵢₖₗ = Dᵢₗₖ: torque or force i per product of velocities k and l; both orders count in the sum over k and l.
    pub fn velocity(&self, i: usize, k: usize, l: usize) -> T {
        let n = self.gravity.len();
        self.velocity[(i * n + k) * n + l]
    }

    pub(super) fn set_velocity(&mut self, [i, k, l]: [usize; 3], x: T) {
        let n = self.gravity.len();
        self.velocity[(i * n + k) * n + l] = x;
        self.velocity[(i * n + l) * n + k] = x;
    }

    /// The torques of a motion, friction included.
    pub(super) fn torques(&self, m: &Model<T>, qd: &[T], qdd: &[T], tau: &mut [T]) -> Result<()> {
        let n = m.nv();
        for i in 0..n {
            let mut sum = self.gravity[i];
            for k in 0..n {
                let row = &self.velocity[(i * n + k) * n..][..n];
                let rate = row.iter().zip(qd).fold(T::zero(), |s, (&d, &v)| d.mul_add(v, s));
                sum = self.inertia[i * n + k].mul_add(qdd[k], rate.mul_add(qd[k], sum));
            }
            tau[i] = sum;
        }
        friction_torques(m, qd, tau);
        m.check_finite("tau", tau, &[("qd", qd), ("qdd", qdd)])
    }
}

/// Access to the coefficients of a workspace.
macro_rules! dynamic_coefficients {
    ($data:ident) => {
        impl<T: Real> $data<T> {
            /// All coefficients of the last call.
            pub fn coefficients(&self) -> &DynamicCoefficients<T> {
                &self.coefficients
            }

            /// Dᵢ; see [`DynamicCoefficients::gravity`].
            pub fn gravity(&self, i: usize) -> T {
                self.coefficients.gravity(i)
            }

            /// Dᵢₖ; see [`DynamicCoefficients::inertia`].
            pub fn inertia(&self, i: usize, k: usize) -> T {
                self.coefficients.inertia(i, k)
            }

            /// Dᵢₖₗ; see [`DynamicCoefficients::velocity`].
            pub fn velocity(&self, i: usize, k: usize, l: usize) -> T {
                self.coefficients.velocity(i, k, l)
            }
        }
    };
}
pub(super) use dynamic_coefficients;
