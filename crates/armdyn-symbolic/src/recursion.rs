//! A quantity by the core's algorithm, over any scalar: what programs are traced from and compared with.

use crate::program::Quantity;
use armdyn_core::{
    AbaData, CrbaData, DerivativesData, Error, JacobianFrame, KinematicsData, MinverseData, Model, Motion, Real,
    RegressorData, RneaData, Vec3, aba, aba_derivatives, crba, kinematics, minverse, parameter_count, regressor, rnea,
    rnea_derivatives,
};

/// The core's algorithm of a quantity for one robot, with its workspace. A call allocates nothing.
///
/// ```
/// use armdyn_core::scalar::Interval;
/// use armdyn_symbolic::{Quantity, Recursion};
///
/// let model = armdyn_core::examples::pendulum();
/// let mut gravity = Recursion::<Interval>::new(&model.cast(), Quantity::Gravity);
/// let mut torque = [Interval::NAN];
/// gravity.compute([&[Interval::new(0.0, 0.1).unwrap()], &[], &[]], &mut torque)?;
/// assert!(torque[0].contains(9.81) && torque[0].width() < 0.05);
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub struct Recursion<T: Real> {
    model: Model<T>,
    quantity: Quantity,
    workspace: Workspace<T>,
    zero: Vec<T>,
}

enum Workspace<T: Real> {
    Inverse(RneaData<T>),
    Mass(CrbaData<T>),
    InverseMass(MinverseData<T>),
    Forward(Box<AbaData<T>>),
    Derivatives(Box<DerivativesData<T>>),
    Regressor(RegressorData<T>),
    Kinematics(KinematicsData<T>, Vec<Motion<T>>),
}

impl<T: Real> Recursion<T> {
    /// The algorithm of a quantity.
    pub fn new(model: &Model<T>, quantity: Quantity) -> Self {
        let model = match quantity {
            Quantity::Bias => model.without_friction(),
            Quantity::Coriolis => model.without_friction().with_gravity(Vec3::zero()),
            _ => model.clone(),
        };
        let m = &model;
        let workspace = match quantity {
            Quantity::Inverse | Quantity::Gravity | Quantity::Bias | Quantity::Coriolis => {
                Workspace::Inverse(RneaData::new(m))
            }
            Quantity::Mass => Workspace::Mass(CrbaData::new(m)),
            Quantity::InverseMass => Workspace::InverseMass(MinverseData::new(m)),
            Quantity::Forward => Workspace::Forward(Box::new(AbaData::new(m))),
            Quantity::Derivatives | Quantity::ForwardDerivatives => {
                Workspace::Derivatives(Box::new(DerivativesData::new(m)))
            }
            Quantity::Regressor => Workspace::Regressor(RegressorData::new(m)),
            Quantity::Kinematics | Quantity::Jacobian => {
                Workspace::Kinematics(KinematicsData::new(m), vec![Motion::zero(); m.nv()])
            }
        };
        let zero = vec![T::zero(); m.nv()];
        Recursion { model, quantity, workspace, zero }
    }

    /// The robot.
    pub fn model(&self) -> &Model<T> {
        &self.model
    }

    /// Number of results.
    pub fn outputs(&self) -> usize {
        let n = self.model.nv();
        match self.quantity {
            Quantity::Kinematics => 12,
            Quantity::Regressor => n * parameter_count(&self.model),
            quantity => n * quantity.rows(n).unwrap_or(1),
        }
    }

    /// The result at a state, as the program of the quantity returns it. The last array is q̈, or τ for forward dynamics; arrays that
    /// the quantity does not depend on are not read.
    pub fn compute(&mut self, [q, qd, last]: [&[T]; 3], out: &mut [T]) -> Result<(), Error> {
        let expected = self.outputs();
        if out.len() != expected {
            return Err(Error::Length { what: "out", expected, found: out.len() });
        }
        let (m, zero, square) = (&self.model, &self.zero[..], self.model.nv().pow(2));
        match &mut self.workspace {
            Workspace::Inverse(data) => {
                let qd = if self.quantity == Quantity::Gravity { zero } else { qd };
                let qdd = if self.quantity == Quantity::Inverse { last } else { zero };
                rnea(m, data, q, qd, qdd, out)
            }
            Workspace::Mass(data) => crba(m, data, q, out),
            Workspace::InverseMass(data) => minverse(m, data, q, out),
            Workspace::Forward(data) => aba(m, data, q, qd, last, out),
            Workspace::Derivatives(data) => {
                let (by_q, rest) = out.split_at_mut(square);
                let (by_qd, by_tau) = rest.split_at_mut(square);
                match self.quantity {
                    Quantity::Derivatives => rnea_derivatives(m, data, q, qd, last, by_q, by_qd),
                    _ => aba_derivatives(m, data, q, qd, last, by_q, by_qd, by_tau),
                }
            }
            Workspace::Regressor(data) => regressor(m, data, q, qd, last, out),
            Workspace::Kinematics(data, columns) => {
                kinematics(m, data, q)?;
                if self.quantity == Quantity::Kinematics {
                    let pose = data.link_pose(m, m.last_link())?;
                    let (rotation, position) = out.split_at_mut(9);
                    rotation.copy_from_slice(pose.rotation.to_rows().as_flattened());
                    position.copy_from_slice(&pose.translation.to_array());
                    return Ok(());
                }
                data.jacobian(m, m.last_link(), JacobianFrame::LocalWorldAligned, columns)?;
                for (k, row) in out.chunks_exact_mut(columns.len().max(1)).enumerate() {
                    for (x, c) in row.iter_mut().zip(&*columns) {
                        *x = if k < 3 { c.linear.get(k) } else { c.angular.get(k - 3) };
                    }
                }
                Ok(())
            }
        }
    }
}
