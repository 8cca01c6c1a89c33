//! Composite inertia, bias wrench and energy of a robot on its base, by the core's recursions.

use super::{Base, Drive};
use crate::invalid;
use armdyn_core::{
    EnergyData, Force, Inertia, KinematicsData, Model, Motion as Twist, RneaData, Rotation, Transform, Vec3, energy,
    kinematics, momentum, rnea, vec3,
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

/// Inertia I and bias wrench W of base and arm, about the point of the ground below the base origin.
#[derive(Clone, Debug)]
pub(crate) struct BiasAndInertia {
    pub mass: [Six; 6],
    pub bias: Six,
    /// Prescribed accelerations or forces of the driven directions.
    pub accelerations: Option<Vec<f64>>,
    pub efforts: Option<Vec<f64>>,
}

/// Free components of the twist on wheels, and of a floating base.
const PLANAR: [usize; 3] = [0, 1, 5];
const ALL: [usize; 6] = [0, 1, 2, 3, 4, 5];

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

    pub fn free(&self) -> &'static [usize] {
        if self.base.floats() { &ALL } else { &PLANAR }
    }

    /// Pose of the base frame relative to the ground below it.
    fn above_ground(&self) -> Transform<f64> {
        Transform::from_translation(vec3(0.0, 0.0, -self.base.ground))
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
    pub fn bias_and_inertia(&mut self, t: f64, attitude: &Rotation<f64>, twist: &Six) -> Result<BiasAndInertia> {
        let x = self.above_ground();
        let inertia = self.composite()?.transformed(&x);
        let bias = six(x.force(self.recursion(attitude, twist, &[0.0; 6])?));
        let column = |k: usize| six(inertia.momentum(motion(&std::array::from_fn(|i| f64::from(u8::from(i == k))))));
        let mass = std::array::from_fn(column);
        let accelerations = self.base.prescribed_motion(t).map(|[_, acceleration]| acceleration);
        let mut efforts = None;
        if let Drive::Effort(forces) = &self.base.drive {
            forces(t, efforts.insert(vec![0.0; self.base.driven.len()]));
        }
        Ok(BiasAndInertia { mass, bias, accelerations, efforts })
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
