//! One-call methods of the model. Each allocates its workspace and returns owned values; in a control loop call the
//! functions of [`algo`](crate::algo) with a workspace that is created once.

use super::*;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::model::{LinkId, Model};
use crate::scalar::Real;
use crate::spatial::{Motion, Transform};
use alloc::vec;
use alloc::vec::Vec;

/// Derivatives of inverse dynamics, each nv × nv.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseDynamicsDerivatives<T> {
    /// ∂τ/∂q.
    pub dtau_dq: Matrix<T>,
    /// ∂τ/∂q̇.
    pub dtau_dqd: Matrix<T>,
    /// ∂τ/∂q̈ = M.
    pub dtau_dqdd: Matrix<T>,
}

/// Derivatives of forward dynamics, each nv × nv, and q̈ itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ForwardDynamicsDerivatives<T> {
    /// q̈.
    pub qdd: Vec<T>,
    /// ∂q̈/∂q.
    pub dqdd_dq: Matrix<T>,
    /// ∂q̈/∂q̇.
    pub dqdd_dqd: Matrix<T>,
    /// ∂q̈/∂τ = M⁻¹.
    pub dqdd_dtau: Matrix<T>,
}

impl<T: Real> Model<T> {
    fn zeros(&self) -> Vec<T> {
        vec![T::zero(); self.nv()]
    }

    fn square(&self, fill: impl FnOnce(&mut [T]) -> Result<()>) -> Result<Matrix<T>> {
        let n = self.nv();
        let mut values = vec![T::zero(); n * n];
        fill(&mut values)?;
        Ok(Matrix::from_row_major(n, n, values))
    }

    /// Joint torques τ for a motion (inverse dynamics); see [`rnea`].
    ///
    /// ```
    /// let model = armdyn_core::examples::pendulum();
    /// let tau = model.inverse_dynamics(&[0.0], &[0.0], &[2.0])?;
    /// assert!((tau[0] - (0.5 * 2.0 + 9.81)).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn inverse_dynamics(&self, q: &[T], qd: &[T], qdd: &[T]) -> Result<Vec<T>> {
        let mut tau = self.zeros();
        rnea(self, &mut RneaData::new(self), q, qd, qdd, &mut tau)?;
        Ok(tau)
    }

    /// Joint accelerations q̈ under torques τ (forward dynamics); see [`aba`]. Friction at rest is taken as 0;
    /// [`Model::forward_dynamics_with_stiction`] determines it.
    ///
    /// ```
    /// let model = armdyn_core::examples::pendulum();
    /// let qdd = model.forward_dynamics(&[0.0], &[0.0], &[0.0])?; // released from the horizontal
    /// assert!((qdd[0] + 9.81 / 0.5).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn forward_dynamics(&self, q: &[T], qd: &[T], tau: &[T]) -> Result<Vec<T>> {
        let mut qdd = self.zeros();
        aba(self, &mut AbaData::new(self), q, qd, tau, &mut qdd)?;
        Ok(qdd)
    }

    /// The mass matrix M(q), drives included; see [`crba`].
    ///
    /// ```
    /// let model = armdyn_core::examples::two_link_arm();
    /// let mass = model.mass_matrix(&[0.0, std::f64::consts::FRAC_PI_2])?; // elbow bent by 90°
    /// assert!((mass[(0, 0)] - 3.0).abs() < 1e-12 && (mass[(0, 1)] - 1.0).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn mass_matrix(&self, q: &[T]) -> Result<Matrix<T>> {
        self.square(|mass| crba(self, &mut CrbaData::new(self), q, mass))
    }

    /// The inverse mass matrix M(q)⁻¹; see [`minverse`].
    ///
    /// ```
    /// let model = armdyn_core::examples::pendulum();
    /// assert!((model.inverse_mass_matrix(&[0.3])?[(0, 0)] - 1.0 / 0.5).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn inverse_mass_matrix(&self, q: &[T]) -> Result<Matrix<T>> {
        self.square(|inverse| minverse(self, &mut MinverseData::new(self), q, inverse))
    }

    /// The Coriolis matrix C(q, q̇), with Ṁ − 2C skew-symmetric; see [`coriolis`].
    ///
    /// ```
    /// let model = armdyn_core::examples::two_link_arm();
    /// let c = model.coriolis_matrix(&[0.0, std::f64::consts::FRAC_PI_2], &[2.0, 0.0])?;
    /// assert!((c[(1, 0)] - 2.0).abs() < 1e-12); // centrifugal torque of the shoulder on the elbow: sin q₂ q̇₁²
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn coriolis_matrix(&self, q: &[T], qd: &[T]) -> Result<Matrix<T>> {
        self.square(|c| coriolis(self, &mut CoriolisData::new(self), q, qd, c))
    }

    /// The Christoffel symbols Γᵢⱼₖ, one matrix over (j, k) for each degree of freedom i: the velocity torques are
    /// τᵢ = Σ Γᵢⱼₖ q̇ⱼ q̇ₖ. For joints of single-axis pairs; see [`christoffel`].
    ///
    /// ```
    /// let model = armdyn_core::examples::two_link_arm();
    /// let symbols = model.christoffel_symbols(&[0.0, std::f64::consts::FRAC_PI_2])?;
    /// assert!((symbols[1][(0, 0)] - 1.0).abs() < 1e-12); // τ₂ = sin q₂ q̇₁²
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn christoffel_symbols(&self, q: &[T]) -> Result<Vec<Matrix<T>>> {
        let n = self.nv();
        let mut values = vec![T::zero(); n * n * n];
        christoffel(self, &mut CoriolisData::new(self), q, &mut values)?;
        Ok(values.chunks((n * n).max(1)).map(|x| Matrix::from_row_major(n, n, x.to_vec())).collect())
    }

    /// Gravity torques g(q): what the drives supply to hold the robot still.
    ///
    /// ```
    /// let model = armdyn_core::examples::two_link_arm();
    /// let g = model.gravity_torques(&[0.0, 0.0])?;
    /// assert!((g[0] - 3.0 * 9.81).abs() < 1e-12 && (g[1] - 9.81).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn gravity_torques(&self, q: &[T]) -> Result<Vec<T>> {
        self.inverse_dynamics(q, &self.zeros(), &self.zeros())
    }

    /// Bias (nonlinear) torques C(q, q̇) q̇ + g(q), without friction.
    ///
    /// ```
    /// let model = armdyn_core::examples::pendulum();
    /// assert!((model.bias_torques(&[0.0], &[7.0])?[0] - 9.81).abs() < 1e-12); // one joint alone has no velocity torque
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn bias_torques(&self, q: &[T], qd: &[T]) -> Result<Vec<T>> {
        self.without_friction().inverse_dynamics(q, qd, &self.zeros())
    }

    /// The pose of a link in the base.
    ///
    /// ```
    /// let model = armdyn_core::examples::two_link_arm();
    /// let pose = model.link_pose(&[std::f64::consts::FRAC_PI_2, 0.0], model.link("lower")?)?;
    /// assert!((pose.translation.z - 1.0).abs() < 1e-12); // the upper link points upwards
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn link_pose(&self, q: &[T], link: LinkId) -> Result<Transform<T>> {
        let mut data = KinematicsData::new(self);
        kinematics(self, &mut data, q)?;
        data.link_pose(self, link)
    }

    /// The Jacobian of a link, 6 × nv: rows 0 to 2 are the linear velocity, rows 3 to 5 the angular velocity.
    ///
    /// ```
    /// use armdyn_core::JacobianFrame;
    /// let model = armdyn_core::examples::two_link_arm();
    /// let j = model.jacobian(&[0.0, 0.0], model.link("lower")?, JacobianFrame::LocalWorldAligned)?;
    /// assert!((j[(2, 0)] - 1.0).abs() < 1e-12); // the shoulder lifts the elbow, 1 m away
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn jacobian(&self, q: &[T], link: LinkId, frame: JacobianFrame) -> Result<Matrix<T>> {
        let mut data = KinematicsData::new(self);
        kinematics(self, &mut data, q)?;
        let mut columns = vec![Motion::zero(); self.nv()];
        data.jacobian(self, link, frame, &mut columns)?;
        let row = |k: usize| columns.iter().map(move |c| if k < 3 { c.linear.get(k) } else { c.angular.get(k - 3) });
        Ok(Matrix::from_row_major(6, self.nv(), (0..6).flat_map(row).collect()))
    }

    /// Kinetic and potential energy; see [`energy`].
    ///
    /// ```
    /// let model = armdyn_core::examples::pendulum();
    /// let e = model.energy(&[std::f64::consts::FRAC_PI_2], &[2.0])?;
    /// assert!((e.kinetic - 0.5 * 0.5 * 4.0).abs() < 1e-12 && (e.potential - 9.81).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn energy(&self, q: &[T], qd: &[T]) -> Result<Energy<T>> {
        energy(self, &mut EnergyData::new(self), q, qd)
    }

    /// Linear and angular momentum; see [`momentum`].
    ///
    /// ```
    /// let model = armdyn_core::examples::pendulum();
    /// let p = model.momentum(&[0.0], &[2.0])?.about_origin;
    /// assert!((p.force.z - 2.0 * 0.5 * 2.0).abs() < 1e-12); // m r q̇, upwards
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn momentum(&self, q: &[T], qd: &[T]) -> Result<Momentum<T>> {
        momentum(self, &mut EnergyData::new(self), q, qd)
    }

    /// Mass, centre of mass and its velocity, of all that moves; see [`centre_of_mass`].
    ///
    /// ```
    /// let model = armdyn_core::examples::two_link_arm();
    /// let c = model.centre_of_mass(&[0.0, 0.0], &[0.0, 0.0])?;
    /// assert!((c.mass - 2.0).abs() < 1e-12 && (c.position.x - 1.5).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn centre_of_mass(&self, q: &[T], qd: &[T]) -> Result<CentreOfMass<T>> {
        centre_of_mass(self, &mut EnergyData::new(self), q, qd)
    }

    /// The regressor Y with τ = Y π, nv × [`parameter_count`]; see [`regressor`] and [`parameters`].
    ///
    /// ```
    /// let model = armdyn_core::examples::pendulum();
    /// let y = model.regressor(&[0.0], &[0.0], &[2.0])?;
    /// let products = y.row(0).iter().zip(armdyn_core::parameters(&model)).map(|(y, p)| y * p.value);
    /// assert!((products.sum::<f64>() - (0.5 * 2.0 + 9.81)).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn regressor(&self, q: &[T], qd: &[T], qdd: &[T]) -> Result<Matrix<T>> {
        let columns = parameter_count(self);
        let mut values = vec![T::zero(); self.nv() * columns];
        regressor(self, &mut RegressorData::new(self), q, qd, qdd, &mut values)?;
        Ok(Matrix::from_row_major(self.nv(), columns, values))
    }

    /// ∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂q̈ of inverse dynamics; see [`rnea_derivatives`].
    ///
    /// ```
    /// let model = armdyn_core::examples::pendulum();
    /// let d = model.inverse_dynamics_derivatives(&[0.3], &[0.0], &[0.0])?;
    /// assert!((d.dtau_dq[(0, 0)] + 9.81 * 0.3_f64.sin()).abs() < 1e-12); // −m g r sin q
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn inverse_dynamics_derivatives(&self, q: &[T], qd: &[T], qdd: &[T]) -> Result<InverseDynamicsDerivatives<T>> {
        let dtau_dqdd = self.mass_matrix(q)?;
        let (mut dtau_dq, mut dtau_dqd) = (dtau_dqdd.clone().into_vec(), dtau_dqdd.clone().into_vec());
        rnea_derivatives(self, &mut DerivativesData::new(self), q, qd, qdd, &mut dtau_dq, &mut dtau_dqd)?;
        let [dtau_dq, dtau_dqd] = [dtau_dq, dtau_dqd].map(|x| Matrix::from_row_major(self.nv(), self.nv(), x));
        Ok(InverseDynamicsDerivatives { dtau_dq, dtau_dqd, dtau_dqdd })
    }

    /// q̈, ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ of forward dynamics; see [`aba_derivatives`].
    ///
    /// ```
    /// let model = armdyn_core::examples::pendulum();
    /// let d = model.forward_dynamics_derivatives(&[0.3], &[0.0], &[0.0])?;
    /// assert!((d.dqdd_dq[(0, 0)] - 9.81 * 0.3_f64.sin() / 0.5).abs() < 1e-12);
    /// assert!((d.dqdd_dtau[(0, 0)] - 1.0 / 0.5).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn forward_dynamics_derivatives(&self, q: &[T], qd: &[T], tau: &[T]) -> Result<ForwardDynamicsDerivatives<T>> {
        let n = self.nv();
        let mut data = DerivativesData::new(self);
        let [mut dq, mut dqd, mut dtau] = [(); 3].map(|()| vec![T::zero(); n * n]);
        aba_derivatives(self, &mut data, q, qd, tau, &mut dq, &mut dqd, &mut dtau)?;
        let [dqdd_dq, dqdd_dqd, dqdd_dtau] = [dq, dqd, dtau].map(|x| Matrix::from_row_major(n, n, x));
        Ok(ForwardDynamicsDerivatives { qdd: data.qdd().to_vec(), dqdd_dq, dqdd_dqd, dqdd_dtau })
    }
}
