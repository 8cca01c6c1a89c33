//! Equations of motion in a fixed mode: which joints stick, which slide in which direction, which rest at a stop.
//!
//! Rigid joints, and the links of flexible ones (Spong 1987), with motors' positions θ at the joint's side:
//!
//!   M(q) q̈ + C q̇ + g + f = τ                         rigid joint                                                  (1)
//!   M(q) q̈ + C q̇ + g     = K (θ − q) + D (θ̇ − q̇)      flexible joint, link side                                    (2)
//!   B θ̈ + f               = τ − K (θ − q) − D (θ̇ − q̇)  flexible joint, motor side                                   (3)
//!
//! B is the reflected inertia of the drive, which M of a flexible joint does not include: its kinetic energy is that of its own
//! rotation alone (Spong's assumption). The friction f of a drive acts on its motor. A held degree of freedom, by dry friction or at a
//! stop, has q̇ = q̈ = 0 exactly, and the force that holds it is computed (`mode.rs` compares it with its limits).

use super::chart::Chart;
use super::mobile::Mobile;
use super::torque::Applied;
use armdyn_core::{
    AbaData, Boundary, Complementarity, CrbaData, EnergyData, Error, ExternalWrench, Force, Friction, KinematicsData,
    Model, Motion as SpatialMotion, RneaData, Rotation, Unsolved, WrenchAxes, aba, crba, energy, kinematics, momentum,
    rnea, vec3,
};
use armdyn_numerics::Result;
use armdyn_numerics::integrate::Rates;

/// Energies that are integrated with the state: drive work, work of external wrenches, viscous, dry and damping losses; friction of the
/// ground, work of the drive of the base.
pub(super) const WORKS: usize = 7;

/// State of a degree of freedom or of a motor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Motion {
    /// It moves or may move, without dry friction.
    Free,
    /// It moves in a direction (±1) against dry friction.
    Sliding(f64),
    /// It is at rest and stays at rest.
    Held,
}

/// A flexible joint.
#[derive(Clone, Debug)]
pub(super) struct Flexible {
    pub dof: usize,
    pub stiffness: f64,
    pub damping: f64,
    /// B.
    pub inertia: f64,
    pub friction: Friction<f64>,
    pub motion: Motion,
    /// Acceleration of the motor, and the force that holds it; of the last evaluation.
    pub acceleration: f64,
    pub force: f64,
}

/// Friction of a degree of freedom that slides in a direction, also within rounding of rest.
fn sliding_friction(friction: &Friction<f64>, direction: f64, v: f64) -> f64 {
    friction.dry_torque(v.abs().max(f64::MIN_POSITIVE).copysign(direction))
}

/// ∂/∂v of dry friction of a degree of freedom that slides in a direction.
pub(super) fn sliding_slope(friction: &Friction<f64>, motion: Motion, v: f64) -> f64 {
    match motion {
        Motion::Sliding(d) => friction.slope(v.abs().max(f64::MIN_POSITIVE).copysign(d)),
        _ => friction.viscous,
    }
}

/// Viscous and dry friction.
fn friction_parts(friction: &Friction<f64>, motion: Motion, v: f64) -> [f64; 2] {
    let dry = if let Motion::Sliding(d) = motion { sliding_friction(friction, d, v) } else { 0.0 };
    [friction.viscous_torque(v), dry]
}

/// The robot, its mode, and workspaces.
pub(super) struct System<'a> {
    /// Without friction, and without the drives of flexible joints.
    pub model: Model<f64>,
    pub chart: Chart,
    pub friction: Vec<Friction<f64>>,
    pub flexible: Vec<Flexible>,
    /// Position limits, infinite where there is no stop, and coefficients of restitution.
    pub stops: Vec<[f64; 2]>,
    pub restitution: Vec<f64>,
    pub motion: Vec<Motion>,
    /// ±1 for a degree of freedom that touches its upper or lower stop.
    pub contact: Vec<f64>,
    pub applied: Applied,
    pub wrenches: Vec<ExternalWrench<f64>>,
    pub q: Vec<f64>,
    pub qdd: Vec<f64>,
    /// Torques on the links: applied or elastic, less friction.
    pub tau: Vec<f64>,
    /// Forces that hold what is at rest.
    pub force: Vec<f64>,
    pub mass: Vec<f64>,
    pub rest: Vec<f64>,
    pub held: Vec<bool>,
    pub complementarity: Complementarity,
    /// The ground below a base on wheels; its free joint is the first.
    pub mobile: Option<Mobile<'a>>,
    aba: AbaData<f64>,
    rnea: RneaData<f64>,
    crba: CrbaData<f64>,
    energy: EnergyData<f64>,
    kinematics: KinematicsData<f64>,
    external: Vec<f64>,
    zero: Vec<f64>,
}

impl<'a> System<'a> {
    /// A system in which nothing is held; the first `base` degrees of freedom have no drives.
    pub fn new(
        model: Model<f64>,
        friction: Vec<Friction<f64>>,
        flexible: Vec<Flexible>,
        stops: Vec<[f64; 2]>,
        restitution: Vec<f64>,
        base: usize,
    ) -> Self {
        let (n, zero) = (model.nv(), vec![0.0; model.nv()]);
        System {
            chart: Chart::new(&model),
            flexible,
            stops,
            restitution,
            motion: vec![Motion::Free; n],
            contact: zero.clone(),
            applied: Applied::new(n, base),
            wrenches: vec![],
            q: vec![0.0; model.nq()],
            qdd: zero.clone(),
            tau: zero.clone(),
            force: zero.clone(),
            mass: vec![0.0; n * n],
            rest: zero.clone(),
            held: vec![false; n],
            complementarity: Complementarity::new(n),
            mobile: None,
            aba: AbaData::new(&model),
            rnea: RneaData::new(&model),
            crba: CrbaData::new(&model),
            energy: EnergyData::new(&model),
            kinematics: KinematicsData::new(&model),
            external: zero.clone(),
            zero,
            friction,
            model,
        }
    }

    pub fn nv(&self) -> usize {
        self.motion.len()
    }

    /// Coordinates and degrees of freedom of the base before those of the arm.
    pub fn base_size(&self) -> [usize; 2] {
        if self.applied.base == 0 { [0; 2] } else { [7, self.applied.base] }
    }

    /// Length of the state: coordinates, velocities, motors' positions and velocities, works.
    pub fn len(&self) -> usize {
        2 * self.nv() + 2 * self.flexible.len() + WORKS
    }

    /// Where the velocities of the motors start in the state; their positions start at 2 nv.
    pub fn motor_velocities(&self) -> usize {
        2 * self.nv() + self.flexible.len()
    }

    /// Sets the external wrenches that act from here on.
    pub fn set_wrenches(&mut self, wrenches: Vec<ExternalWrench<f64>>) -> Result<()> {
        self.wrenches = wrenches;
        for boundary in [&mut self.aba.boundary, &mut self.rnea.boundary] {
            boundary.set_external_wrenches(&self.model, &self.kinematics, &self.wrenches)?;
        }
        Ok(())
    }

    /// Wrenches in base axes, and their torques, at the configuration `q`.
    fn update_wrenches(&mut self) -> Result<()> {
        if self.wrenches.is_empty() {
            return Ok(());
        }
        kinematics(&self.model, &mut self.kinematics, &self.q)?;
        if self.wrenches.iter().any(|w| w.axes == WrenchAxes::Base) {
            for boundary in [&mut self.aba.boundary, &mut self.rnea.boundary] {
                boundary.set_external_wrenches(&self.model, &self.kinematics, &self.wrenches)?;
            }
        }
        Ok(self.aba.boundary.external_torques(&self.model, &self.kinematics, &mut self.external)?)
    }

    /// Configuration, torques on the links, and accelerations of the motors, in the current mode.
    pub fn torques(&mut self, t: f64, y: &[f64]) -> Result<()> {
        let n = self.nv();
        let (x, v) = (&y[..n], &y[n..2 * n]);
        self.chart.configuration(&self.model, x, &mut self.q)?;
        self.applied.at(t, &mut self.tau);
        let (positions, velocities) = (2 * n, self.motor_velocities());
        for (k, f) in self.flexible.iter_mut().enumerate() {
            let (theta, speed) = (y[positions + k], y[velocities + k]);
            let elastic = f.stiffness * (theta - x[f.dof]) + f.damping * (speed - v[f.dof]);
            let [viscous, dry] = friction_parts(&f.friction, f.motion, speed);
            let rest = self.tau[f.dof] - elastic - viscous - dry;
            let held = f.motion == Motion::Held;
            (f.acceleration, f.force) = if held { (0.0, rest) } else { (rest / f.inertia, 0.0) };
            self.tau[f.dof] = elastic;
        }
        for i in 0..n {
            let [viscous, dry] = friction_parts(&self.friction[i], self.motion[i], v[i]);
            self.tau[i] -= viscous + dry;
        }
        self.update_wrenches()
    }

    /// Mass matrix and the forces r of what is at rest, after [`System::torques`].
    pub fn mass_and_rest(&mut self, v: &[f64]) -> Result<()> {
        rnea(&self.model, &mut self.rnea, &self.q, v, &self.zero, &mut self.rest)?;
        self.update_mass()?;
        self.rest.iter_mut().zip(&self.tau).for_each(|(r, t)| *r = t - *r);
        Ok(())
    }

    /// The mass matrix, after [`System::torques`].
    pub fn update_mass(&mut self) -> Result<()> {
        Ok(crba(&self.model, &mut self.crba, &self.q, &mut self.mass)?)
    }

    /// Applies the external wrenches of the last [`System::torques`] to another workspace.
    pub fn copy_wrenches(&self, boundary: &mut Boundary<f64>) -> Result<()> {
        Ok(boundary.set_external_wrenches(&self.model, &self.kinematics, &self.wrenches)?)
    }

    /// Accelerations and holding forces in the current mode.
    pub fn accelerate(&mut self, t: f64, y: &[f64]) -> Result<()> {
        let n = self.nv();
        self.torques(t, y)?;
        if self.mobile.is_some() {
            return self.accelerate_on_ground(t, y);
        }
        let v = &y[n..2 * n];
        if !self.held.contains(&true) {
            return Ok(aba(&self.model, &mut self.aba, &self.q, v, &self.tau, &mut self.qdd)?);
        }
        self.mass_and_rest(v)?;
        let solved = self.complementarity.hold(&self.mass, &self.rest, &self.held, &mut self.force, &mut self.qdd);
        solved.map_err(|e| self.unsolved(e))
    }

    /// What a complementarity problem without solution means.
    pub fn unsolved(&self, e: Unsolved) -> armdyn_numerics::Error {
        let (Unsolved::NotPositive(dof) | Unsolved::NotConverged(dof)) = e;
        let joint = self.model.dof_names()[dof].clone();
        match e {
            Unsolved::NotPositive(_) => Error::NotPositiveDefinite { joint },
            Unsolved::NotConverged(_) => Error::NotConverged { what: "friction and stops at rest", joint },
        }
        .into()
    }

    /// Kinetic, potential and elastic energy.
    pub fn energies(&mut self, y: &[f64]) -> Result<[f64; 3]> {
        let n = self.nv();
        self.chart.configuration(&self.model, &y[..n], &mut self.q)?;
        let links = energy(&self.model, &mut self.energy, &self.q, &y[n..2 * n])?;
        let (positions, velocities) = (2 * n, self.motor_velocities());
        let (mut kinetic, mut elastic) = (links.kinetic, 0.0);
        for (k, f) in self.flexible.iter().enumerate() {
            kinetic += 0.5 * f.inertia * y[velocities + k].powi(2);
            elastic += 0.5 * f.stiffness * (y[positions + k] - y[f.dof]).powi(2);
        }
        Ok([kinetic, links.potential, elastic])
    }

    /// Momentum about the world's origin, and the larger of the momenta of base and arm about the base's origin: linear, angular.
    pub fn base_momentum(&mut self, y: &[f64]) -> Result<(Force<f64>, [f64; 2])> {
        let n = self.nv();
        self.chart.configuration(&self.model, &y[..n], &mut self.q)?;
        let all = momentum(&self.model, &mut self.energy, &self.q, &y[n..2 * n])?.about_origin;
        let (q, v) = (&self.q, &y[n..]);
        let attitude = Rotation::quaternion([q[3], q[4], q[5], q[6]]);
        let twist = SpatialMotion::new(vec3(v[3], v[4], v[5]), vec3(v[0], v[1], v[2]));
        let base = self.model.body(1).inertia.momentum(twist);
        let [force, moment] = [base.force, base.moment].map(|x| attitude.rotate(x));
        let about_base = all.moment - vec3(q[0], q[1], q[2]).cross(all.force);
        let scale = [[force, all.force - force], [moment, about_base - moment]];
        Ok((all, scale.map(|[base, arm]| base.norm().max(arm.norm()))))
    }

    /// The powers whose integrals are the works, after [`System::accelerate`].
    pub fn powers(&self, t: f64, y: &[f64]) -> [f64; WORKS] {
        let n = self.nv();
        let (v, speeds) = (&y[n..2 * n], &y[self.motor_velocities()..]);
        let mut powers = [0.0; WORKS];
        for i in 0..n {
            let [viscous, dry] = friction_parts(&self.friction[i], self.motion[i], v[i]);
            powers[0] += self.applied.torque(i, t) * v[i];
            powers[2] += viscous * v[i];
            powers[3] += dry * v[i];
        }
        if !self.wrenches.is_empty() {
            powers[1] = self.external.iter().zip(v).map(|(t, v)| t * v).sum();
        }
        for (f, speed) in self.flexible.iter().zip(speeds) {
            let [viscous, dry] = friction_parts(&f.friction, f.motion, *speed);
            powers[0] += self.applied.torque(f.dof, t) * (speed - v[f.dof]);
            powers[2] += viscous * speed;
            powers[3] += dry * speed;
            powers[4] += f.damping * (speed - v[f.dof]).powi(2);
        }
        if let Some(mobile) = &self.mobile {
            [powers[5], powers[6]] = mobile.powers(&self.base_twist(y));
        }
        powers
    }

    /// Friction torque of the drive of a degree of freedom, after [`System::accelerate`] in the current mode if it is held.
    pub fn drive_friction(&self, dof: usize, y: &[f64]) -> f64 {
        let Some(k) = self.flexible.iter().position(|f| f.dof == dof) else {
            return self.friction_and_reaction(dof, y[self.nv() + dof])[0];
        };
        let (f, [lower, upper]) = (&self.flexible[k], self.flexible[k].friction.static_limits());
        if f.motion == Motion::Held {
            return f.force.clamp(lower, upper);
        }
        let [viscous, dry] = friction_parts(&f.friction, f.motion, y[self.motor_velocities() + k]);
        viscous + dry
    }

    /// Friction torque of a degree of freedom, and the reaction of its stop, after [`System::accelerate`].
    pub fn friction_and_reaction(&self, dof: usize, v: f64) -> [f64; 2] {
        let [lower, upper] = self.friction[dof].static_limits();
        match self.motion[dof] {
            Motion::Held => {
                let friction = self.force[dof].clamp(lower, upper);
                [friction, friction - self.force[dof]]
            }
            motion => {
                let [viscous, dry] = friction_parts(&self.friction[dof], motion, v);
                [viscous + dry, 0.0]
            }
        }
    }
}

impl Rates for System<'_> {
    type Error = armdyn_numerics::Error;

    fn rates(&mut self, t: f64, y: &[f64], out: &mut [f64]) -> Result<()> {
        let (n, motors) = (self.nv(), self.flexible.len());
        self.accelerate(t, y)?;
        self.chart.rates(&y[..n], &self.q, &y[n..2 * n], &mut out[..n]);
        out[n..2 * n].copy_from_slice(&self.qdd);
        out[2 * n..2 * n + motors].copy_from_slice(&y[2 * n + motors..2 * n + 2 * motors]);
        for (o, f) in out[2 * n + motors..].iter_mut().zip(&self.flexible) {
            *o = f.acceleration;
        }
        out[2 * n + 2 * motors..].copy_from_slice(&self.powers(t, y));
        Ok(())
    }
}
