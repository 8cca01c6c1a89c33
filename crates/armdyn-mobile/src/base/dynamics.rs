//! A robot on its base: its inertia, what it needs of the ground, and its energy, by the core's recursions.

use super::{Base, Drive};
use armdyn_core::{
    EnergyData, Force, Inertia, KinematicsData, Model, Motion as Twist, RneaData, Rotation, Transform, Vec3, energy,
    kinematics, momentum, rnea, vec3,
};
use armdyn_numerics::{Error, Result};

/// Components of a twist, and of a wrench: linear first.
pub(crate) type Six = [f64; 6];

/// A robot on a base, with room to compute in.
pub(crate) struct Dynamics<'a> {
    /// Without gravity: that is counted in the base's acceleration, as the base may turn.
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

/// Base and arm at an instant, about the point of the ground below the base's origin: I, and W where ν̇ = 0.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub mass: [Six; 6],
    pub bias: Six,
    /// Accelerations of what is driven by a motion, and forces of what is driven by such.
    pub rates: Option<Vec<f64>>,
    pub efforts: Option<Vec<f64>>,
}

/// Which components of a twist are free on wheels, and afloat.
const PLANAR: [usize; 3] = [0, 1, 5];
const ALL: [usize; 6] = [0, 1, 2, 3, 4, 5];

impl<'a> Dynamics<'a> {
    pub fn new(m: &Model<f64>, base: &'a Base) -> Result<Self> {
        let model = m.with_gravity(Vec3::zero());
        let mass = m.base_inertia().mass + m.base_to_tip().map(|(_, b)| b.inertia.mass).sum::<f64>();
        if mass <= 0.0 {
            return Err(Error::InvalidInput(format!("`{}` has no mass: its base cannot move by reaction", m.name())));
        }
        let gravity = if base.weightless { Vec3::zero() } else { m.gravity() };
        let (n, data) = (model.nv(), RneaData::new(&model));
        let (kinematics, energy) = (KinematicsData::new(&model), EnergyData::new(&model));
        let (q, rest) = (vec![0.0; model.nq()], vec![0.0; n]);
        let (qd, qdd, tau) = (rest.clone(), rest.clone(), rest);
        Ok(Dynamics { model, base, gravity, data, kinematics, energy, q, qd, qdd, tau })
    }

    pub fn free(&self) -> &'static [usize] {
        if self.base.floats() { &ALL } else { &PLANAR }
    }

    /// The base's frame in that of the ground below it.
    fn above_ground(&self) -> Transform<f64> {
        Transform::from_translation(vec3(0.0, 0.0, -self.base.ground))
    }

    /// Inertia of base and arm where the arm is at `q`, in the base's frame.
    fn composite(&mut self) -> Result<Inertia<f64>> {
        kinematics(&self.model, &mut self.kinematics, &self.q)?;
        let poses = self.kinematics.poses();
        let all = self.model.base_to_tip().map(|(i, b)| b.inertia.transformed(&poses[i]));
        Ok(all.fold(*self.model.base_inertia(), |sum, i| sum + i))
    }

    /// τ of the arm at `q`, `q̇`, `q̈`, on a base with a twist and its rate; and the wrench that the base needs.
    pub(super) fn recursion(&mut self, attitude: &Rotation<f64>, twist: &Six, rate: &Six) -> Result<Force<f64>> {
        let (velocity, rate) = (motion(twist), motion(rate));
        let fall = attitude.inverse_rotate(self.gravity);
        self.data.boundary.base_velocity = velocity;
        let carried = velocity.angular.cross(velocity.linear);
        self.data.boundary.base_acceleration = Twist::new(rate.angular, rate.linear + carried - fall);
        rnea(&self.model, &mut self.data, &self.q, &self.qd, &self.qdd, &mut self.tau)?;
        Ok(self.data.base_wrench(&self.model)?)
    }

    /// I and W, and what the drive does.
    pub fn load(&mut self, t: f64, attitude: &Rotation<f64>, twist: &Six) -> Result<Load> {
        let x = self.above_ground();
        let inertia = self.composite()?.transformed(&x);
        let bias = six(x.force(self.recursion(attitude, twist, &[0.0; 6])?));
        let column = |k: usize| six(inertia.momentum(motion(&std::array::from_fn(|i| f64::from(u8::from(i == k))))));
        let mass = std::array::from_fn(column);
        let n = self.base.driven.len();
        let (mut rates, mut efforts) = (None, None);
        match &self.base.drive {
            Drive::Free => {}
            Drive::Motion(it) => {
                let (mut place, mut speed, mut rate) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
                it.at(t, &mut place, &mut speed, &mut rate);
                rates = Some(rate);
            }
            Drive::Effort(it) => {
                let mut effort = vec![0.0; n];
                it(t, &mut effort);
                efforts = Some(effort);
            }
        }
        Ok(Load { mass, bias, rates, efforts })
    }

    /// Kinetic energy \[J\], momentum about the base's origin in its axes, and the composite inertia.
    pub fn kinetic(&mut self, twist: &Six) -> Result<(f64, Force<f64>, Inertia<f64>)> {
        let (inertia, velocity) = (self.composite()?, motion(twist));
        let arm = energy(&self.model, &mut self.energy, &self.q, &self.qd)?.kinetic;
        let swing = momentum(&self.model, &mut self.energy, &self.q, &self.qd)?.about_origin;
        let carried = inertia.momentum(velocity);
        Ok((arm + velocity.dot(swing) + 0.5 * velocity.dot(carried), swing + carried, inertia))
    }

    /// What the drives' own friction takes \[W\].
    pub fn joint_friction(&self) -> f64 {
        self.model.friction().iter().zip(&self.qd).map(|(f, v)| f.torque(*v) * v).sum()
    }
}

/// A twist, or its rate.
pub(crate) fn motion(v: &Six) -> Twist<f64> {
    Twist::new(vec3(v[3], v[4], v[5]), vec3(v[0], v[1], v[2]))
}

fn six(f: Force<f64>) -> Six {
    let ([a, b, c], [d, e, g]) = (f.force.to_array(), f.moment.to_array());
    [a, b, c, d, e, g]
}
