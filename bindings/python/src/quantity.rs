//! Quantities of states: what to compute, its shape, and the algorithm.

use armdyn_core::{
    CoriolisData, EnergyData, Error, Force, JacobianFrame, KinematicsData, LinkId, Model, Motion, Real, RneaData,
    WrenchFrame, centre_of_mass, christoffel, coriolis, energy, kinematics, momentum, rnea,
};
use armdyn_symbolic::{Quantity as Program, Recursion};

/// What is computed of a state.
#[derive(Clone, Copy, PartialEq)]
pub enum Quantity {
    /// What a compiled program can compute.
    Program(Program),
    /// C(q, q̇).
    Coriolis,
    /// The Christoffel symbols of the first kind.
    Christoffel,
    /// Kinetic and potential energy.
    Energy,
    /// Linear momentum, and angular momentum about the centre of mass.
    Momentum,
    /// The centre of mass: position and velocity.
    CentreOfMass,
    /// The wrench of each joint, fixed ones included: force and moment.
    Wrenches(WrenchFrame<f64>),
    /// The pose of a link, 4 × 4.
    Pose(LinkId, Point),
    /// The Jacobian of a link, linear rows first.
    Jacobian(LinkId, Point, JacobianFrame),
}

/// A point of a link \[m\].
pub type Point = Option<armdyn_core::Transform<f64>>;

impl Quantity {
    /// The shape of the result of one state.
    pub fn shape<T: Real>(self, model: &Model<T>) -> Vec<usize> {
        let n = model.nv();
        match self {
            Quantity::Program(Program::Mass | Program::InverseMass) | Quantity::Coriolis => vec![n, n],
            Quantity::Program(Program::Derivatives) => vec![2, n, n],
            Quantity::Program(Program::ForwardDerivatives) => vec![3, n, n],
            Quantity::Program(Program::Regressor) => vec![n, armdyn_core::parameter_count(model)],
            Quantity::Program(Program::Jacobian) | Quantity::Jacobian(..) => vec![6, n],
            Quantity::Program(Program::Kinematics) => vec![12],
            Quantity::Program(_) => vec![n],
            Quantity::Christoffel => vec![n, n, n],
            Quantity::Energy => vec![2],
            Quantity::Momentum => vec![2, 3],
            Quantity::CentreOfMass => vec![2, 3],
            Quantity::Wrenches(_) => vec![model.joints().len(), 2, 3],
            Quantity::Pose(..) => vec![4, 4],
        }
    }

    /// The program that computes batches; none if only the recursion does.
    pub fn program(self) -> Option<Program> {
        match self {
            Quantity::Program(program) => Some(program),
            _ => None,
        }
    }
}

/// The core's algorithm of a quantity with its workspace.
pub enum Algorithm<T: Real> {
    Program(Box<Recursion<T>>),
    Coriolis(Model<T>, Box<CoriolisData<T>>, bool),
    Energy(Model<T>, Box<EnergyData<T>>, Quantity),
    Kinematics(Model<T>, Box<KinematicsData<T>>, Vec<Motion<T>>, Quantity),
    Wrenches(Model<T>, Box<RneaData<T>>, Vec<T>, WrenchFrame<T>),
}

impl<T: Real> Algorithm<T> {
    pub fn new(model: &Model<T>, quantity: Quantity) -> Self {
        match quantity {
            Quantity::Program(program) => Algorithm::Program(Box::new(Recursion::new(model, program))),
            Quantity::Coriolis | Quantity::Christoffel => {
                let m = model.without_friction();
                let data = Box::new(CoriolisData::new(&m));
                Algorithm::Coriolis(m, data, quantity == Quantity::Christoffel)
            }
            Quantity::Energy | Quantity::Momentum | Quantity::CentreOfMass => {
                Algorithm::Energy(model.clone(), Box::new(EnergyData::new(model)), quantity)
            }
            Quantity::Wrenches(frame) => {
                let frame = match frame {
                    WrenchFrame::Parent => WrenchFrame::Parent,
                    WrenchFrame::LocalWorldAligned => WrenchFrame::LocalWorldAligned,
                    WrenchFrame::World => WrenchFrame::World,
                    _ => WrenchFrame::Local,
                };
                let torques = vec![T::zero(); model.nv()];
                Algorithm::Wrenches(model.clone(), Box::new(RneaData::new(model)), torques, frame)
            }
            Quantity::Pose(..) | Quantity::Jacobian(..) => {
                let data = Box::new(KinematicsData::new(model));
                Algorithm::Kinematics(model.clone(), data, vec![Motion::zero(); model.nv()], quantity)
            }
        }
    }

    /// Computes a state; arrays that the quantity does not depend on are not read.
    pub fn compute(&mut self, inputs: [&[T]; 3], out: &mut [T]) -> Result<(), Error> {
        let [q, qd, qdd] = inputs;
        match self {
            Algorithm::Program(recursion) => recursion.compute(inputs, out),
            Algorithm::Coriolis(m, data, true) => christoffel(m, data, q, out),
            Algorithm::Coriolis(m, data, false) => coriolis(m, data, q, qd, out),
            Algorithm::Energy(m, data, quantity) => {
                match quantity {
                    Quantity::Energy => {
                        let found = energy(m, data, q, qd)?;
                        out.copy_from_slice(&[found.kinetic, found.potential]);
                    }
                    Quantity::Momentum => {
                        let found = momentum(m, data, q, qd)?.about_centre;
                        out[..3].copy_from_slice(&found.force.to_array());
                        out[3..].copy_from_slice(&found.moment.to_array());
                    }
                    _ => {
                        let found = centre_of_mass(m, data, q, qd)?;
                        out[..3].copy_from_slice(&found.position.to_array());
                        out[3..].copy_from_slice(&found.velocity.to_array());
                    }
                }
                Ok(())
            }
            Algorithm::Wrenches(m, data, torques, frame) => {
                rnea(m, data, q, qd, qdd, torques)?;
                for (joint, out) in m.joint_ids().zip(out.chunks_exact_mut(6)) {
                    // Of a joint of several pairs, that of the last one: on its child link.
                    let total = data.wrenches(m, joint, *frame)?.last().map_or(Force::zero(), |w| w.total);
                    out[..3].copy_from_slice(&total.force.to_array());
                    out[3..].copy_from_slice(&total.moment.to_array());
                }
                Ok(())
            }
            Algorithm::Kinematics(m, data, columns, quantity) => {
                kinematics(m, data, q)?;
                match *quantity {
                    Quantity::Pose(link, point) => {
                        let pose = data.frame_pose(m, link, point.as_ref())?;
                        out.fill(T::zero());
                        for (i, row) in pose.rotation.to_rows().iter().enumerate() {
                            out[4 * i..4 * i + 3].copy_from_slice(row);
                            out[4 * i + 3] = pose.translation.get(i);
                        }
                        out[15] = T::one();
                        Ok(())
                    }
                    Quantity::Jacobian(link, point, frame) => {
                        data.frame_jacobian(m, link, point.as_ref(), frame, columns)?;
                        for (k, row) in out.chunks_exact_mut(columns.len().max(1)).enumerate() {
                            for (x, c) in row.iter_mut().zip(&*columns) {
                                *x = if k < 3 { c.linear.get(k) } else { c.angular.get(k - 3) };
                            }
                        }
                        Ok(())
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}
