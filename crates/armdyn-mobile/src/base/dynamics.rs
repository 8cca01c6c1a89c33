//! Composite inertia, bias wrench and energy of a robot on its base, by the core's recursions.

use super::{Base, Drive};
use crate::invalid;
use armdyn_core::{
    EnergyData, Force, Inertia, KinematicsData, Model, Motion as Twist, RneaData, Rotation, Vec3, energy, kinematics,
    momentum, rnea, vec3,
};
use armdyn_numerics::Result;

/// Components of a twist or a wrench: linear first.
pub(crate) type Six = [f64; 6];

/// A robot on a base, with workspaces.
pub(crate) struct Dynamics<'a> {
    /// Without gravity, which enters by the base acceleration, because the base may rotate.
    model: Model<f64>,
    pub base: &'a Base,
    pub gravity: Vec3<f64>,
    data: RneaData<f64>,
    kinematics: KinematicsData<f64>,
    energy: EnergyData<f64>,
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    pub qdd: Vec<f64>,
    pub tau: Vec<f64>,
}

/// Terms of the equations of motion I ν̇ + W of a base: linear components first, about the point of the ground below the base origin.
///
/// For an arm whose motion is prescribed, I is the composite inertia of base and arm; for an arm driven by torques, it is the inertia
/// of the base with an arm that moves freely (the articulated-body inertia), and W includes the torques.
#[derive(Clone, Debug)]
pub struct BaseEquations {
    pub(crate) mass: [Six; 6],
    pub(crate) bias: Six,
    /// Prescribed accelerations or forces of the driven directions.
    pub(crate) accelerations: Option<Vec<f64>>,
    pub(crate) efforts: Option<Vec<f64>>,
}

impl Base {
    /// The equations of motion at a time, a heading \[rad\] and a twist, from I and W about the base origin.
    pub fn equations(&self, t: f64, heading: f64, twist: &Six, mass: [Six; 6], bias: Six) -> BaseEquations {
        // Moments about the ground below: (0, 0, −h) × F is added.
        let shifted = |f: Six| {
            let h = self.ground;
            [f[0], f[1], f[2], f[3] + h * f[1], f[4] - h * f[0], f[5]]
        };
        let rows = mass.map(shifted);
        let mut columns: [Six; 6] = std::array::from_fn(|j| std::array::from_fn(|i| rows[i][j]));
        columns = columns.map(shifted);
        let mass = std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]));
        let accelerations = self.prescribed_motion(t).map(|[_, acceleration]| acceleration);
        let efforts = match &self.drive {
            Drive::Effort(forces) => {
                let mut efforts = vec![0.0; self.driven.len()];
                forces(t, &mut efforts);
                Some(efforts)
            }
            Drive::Heading(controller) => Some(controller.forces(t, heading, twist)),
            Drive::Free | Drive::Motion(_) => None,
        };
        BaseEquations { mass, bias: shifted(bias), accelerations, efforts }
    }
}

impl<'a> Dynamics<'a> {
    pub fn new(m: &Model<f64>, base: &'a Base) -> Result<Self> {
        let model = m.with_gravity(Vec3::zero());
        let mass = m.base_inertia().mass + m.base_to_tip().map(|(_, b)| b.inertia.mass).sum::<f64>();
        if mass <= 0.0 {
            return invalid(format!("robot `{}` has no mass; add inertial parameters to its links or base", m.name()));
        }
        let gravity = if base.without_gravity { Vec3::zero() } else { m.gravity() };
        let (n, data) = (model.nv(), RneaData::new(&model));
        let (kinematics, energy) = (KinematicsData::new(&model), EnergyData::new(&model));
        let (q, rest) = (vec![0.0; model.nq()], vec![0.0; n]);
        let (qd, qdd, tau) = (rest.clone(), rest.clone(), rest);
        Ok(Dynamics { model, base, gravity, data, kinematics, energy, q, qd, qdd, tau })
    }

    /// Composite inertia of base and arm at `q`, in the base frame.
    fn composite(&mut self) -> Result<Inertia<f64>> {
        kinematics(&self.model, &mut self.kinematics, &self.q)?;
        let poses = self.kinematics.poses();
        let all = self.model.base_to_tip().map(|(i, b)| b.inertia.transformed(&poses[i]));
        Ok(all.fold(*self.model.base_inertia(), |sum, i| sum + i))
    }

    /// The wrench that base and arm require for a twist of the base and its derivative; joint torques in `tau`.
    pub(super) fn recursion(&mut self, attitude: &Rotation<f64>, twist: &Six, rate: &Six) -> Result<Force<f64>> {
        let (velocity, rate) = (motion(twist), motion(rate));
        let gravity = attitude.inverse_rotate(self.gravity);
        self.data.boundary.base_velocity = velocity;
        let centripetal = velocity.angular.cross(velocity.linear);
        self.data.boundary.base_acceleration = Twist::new(rate.angular, rate.linear + centripetal - gravity);
        rnea(&self.model, &mut self.data, &self.q, &self.qd, &self.qdd, &mut self.tau)?;
        Ok(self.data.base_wrench(&self.model)?)
    }

    /// I and W, and the prescribed accelerations or forces of the drive.
    pub fn bias_and_inertia(&mut self, t: f64, attitude: &Rotation<f64>, twist: &Six) -> Result<BaseEquations> {
        let inertia = self.composite()?;
        let bias = six(self.recursion(attitude, twist, &[0.0; 6])?);
        let column = |k: usize| six(inertia.momentum(motion(&std::array::from_fn(|i| f64::from(u8::from(i == k))))));
        Ok(self.base.equations(t, attitude.heading(), twist, std::array::from_fn(column), bias))
    }

    /// Kinetic energy \[J\], momentum about the base origin in base axes, and the composite inertia.
    pub fn kinetic(&mut self, twist: &Six) -> Result<(f64, Force<f64>, Inertia<f64>)> {
        let (inertia, velocity) = (self.composite()?, motion(twist));
        let arm = energy(&self.model, &mut self.energy, &self.q, &self.qd)?.kinetic;
        let arm_momentum = momentum(&self.model, &mut self.energy, &self.q, &self.qd)?.about_origin;
        let base_momentum = inertia.momentum(velocity);
        let kinetic = arm + velocity.dot(arm_momentum) + 0.5 * velocity.dot(base_momentum);
        Ok((kinetic, arm_momentum + base_momentum, inertia))
    }

    /// Power dissipated by joint friction \[W\].
    pub fn joint_friction(&self) -> f64 {
        self.model.friction().iter().zip(&self.qd).map(|(f, v)| f.torque(*v) * v).sum()
    }
}

/// A twist or its derivative as a spatial vector.
pub(crate) fn motion(v: &Six) -> Twist<f64> {
    Twist::new(vec3(v[3], v[4], v[5]), vec3(v[0], v[1], v[2]))
}

fn six(f: Force<f64>) -> Six {
    let ([a, b, c], [d, e, g]) = (f.force.to_array(), f.moment.to_array());
    [a, b, c, d, e, g]
}
