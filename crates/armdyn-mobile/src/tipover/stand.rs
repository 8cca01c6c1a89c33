//! How a robot stands at an instant.

use super::force_angle::{ForceAngle, force_angles};
use super::shares::{Shares, shares};
use super::{Grip, Support};
use armdyn_core::{Force, KinematicsData, Model, Motion, RneaData, Vec3, kinematics, rnea};
use armdyn_numerics::{Error, Result};

/// How the base moves, as a boundary condition, in its own axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaseMotion {
    /// Angular velocity, and that of the base's origin.
    pub velocity: Motion<f64>,
    /// Angular acceleration, and that of the base's origin: all of it, with what turning adds.
    pub acceleration: Motion<f64>,
}

impl BaseMotion {
    /// None.
    pub fn rest() -> Self {
        BaseMotion { velocity: Motion::zero(), acceleration: Motion::zero() }
    }

    /// Along the ground: (vₓ, v_y, ω) \[m/s, rad/s\] of the base's origin in the base's own axes along the ground, and their
    /// rates \[m/s², rad/s²\]. The origin's acceleration is v̇ + ω × v.
    pub fn along(support: &Support, velocity: [f64; 3], rates: [f64; 3]) -> Self {
        let made = |[x, y, turn]: [f64; 3]| Motion::new(support.normal() * turn, support.along([x, y]));
        let (velocity, mut acceleration) = (made(velocity), made(rates));
        acceleration.linear += velocity.angular.cross(velocity.linear);
        BaseMotion { velocity, acceleration }
    }

    /// The same path, `pace` times as fast.
    pub fn faster(&self, pace: f64) -> Self {
        BaseMotion { velocity: self.velocity * pace, acceleration: self.acceleration * (pace * pace) }
    }
}

/// What the ground must do to the base, in the ground's axes, about its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand<T> {
    /// Upward force \[N\].
    pub normal: T,
    /// Force along the ground \[N\].
    pub along: [T; 2],
    /// Moment about the ground's two axes \[N m\].
    pub tilting: [T; 2],
    /// Moment about the normal \[N m\].
    pub turning: T,
}

/// How far the robot is from tipping over an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// The moment that holds it down \[N m\]; below zero it tips.
    pub moment: f64,
    /// How far the zero-moment point is inward of the edge \[m\]; none where nothing presses on the ground.
    pub distance: Option<f64>,
    /// The force-angle measure.
    pub force_angle: ForceAngle,
}

/// How a robot stands at an instant.
#[derive(Clone, Debug)]
pub struct Standing {
    /// What the ground must do.
    pub demand: Demand<f64>,
    /// The mass of base and arm \[kg\].
    pub mass: f64,
    /// Their centre, in the ground's axes, and its height \[m\].
    pub centre: [f64; 3],
    /// The zero-moment point, in the ground's axes \[m\]; none where nothing presses on the ground.
    pub zmp: Option<[f64; 2]>,
    /// The load of each contact \[N\].
    pub loads: Vec<f64>,
    /// How they were shared.
    pub shares: Shares,
    /// One for each edge of the support.
    pub margins: Vec<Margin>,
}

impl Standing {
    /// The edge that it tips over first: that with the least moment for its distance.
    pub fn weakest(&self) -> usize {
        let least = |k: &usize| self.margins[*k].distance.unwrap_or(self.margins[*k].moment);
        (0..self.margins.len()).min_by(|a, b| least(a).total_cmp(&least(b))).unwrap_or(0)
    }

    /// Whether it stands: no edge gives way.
    pub fn stands(&self) -> bool {
        self.demand.normal > 0.0 && self.margins.iter().all(|m| m.moment >= 0.0)
    }

    /// How far the zero-moment point is within the hull \[m\]; below zero: beyond its weakest edge.
    pub fn distance(&self) -> Option<f64> {
        self.margins[self.weakest()].distance
    }
}

/// How a robot stands at one instant after another; workspace.
pub struct Stand<'a> {
    model: &'a Model<f64>,
    support: &'a Support,
    rnea: RneaData<f64>,
    kinematics: KinematicsData<f64>,
    tau: Vec<f64>,
}

impl<'a> Stand<'a> {
    /// On a support; a slope is in the model's gravity ([`Support::slope`]).
    pub fn new(model: &'a Model<f64>, support: &'a Support) -> Self {
        let (rnea, kinematics) = (RneaData::new(model), KinematicsData::new(model));
        Stand { model, support, rnea, kinematics, tau: vec![0.0; model.nv()] }
    }

    /// What the ground must do to the base.
    pub fn demand(&mut self, base: &BaseMotion, [q, qd, qdd]: [&[f64]; 3]) -> Result<Demand<f64>> {
        let boundary = &mut self.rnea.boundary;
        (boundary.base_velocity, boundary.base_acceleration) = (base.velocity, base.acceleration);
        rnea(self.model, &mut self.rnea, q, qd, qdd, &mut self.tau)?;
        Ok(self.support.demand(self.rnea.base_wrench(self.model)?))
    }

    /// The moments that hold the robot down, one for each edge \[N m\].
    pub fn moments(&mut self, base: &BaseMotion, state: [&[f64]; 3], moments: &mut [f64]) -> Result<Demand<f64>> {
        let demand = self.demand(base, state)?;
        for (moment, edge) in moments.iter_mut().zip(self.support.edges()) {
            *moment = edge.moment(demand.normal, demand.tilting);
        }
        Ok(demand)
    }

    /// All of it.
    pub fn standing(&mut self, base: &BaseMotion, state: [&[f64]; 3]) -> Result<Standing> {
        let support = self.support;
        let edges = support.edges();
        let mut moments = vec![0.0; edges.len()];
        let demand = self.moments(base, state, &mut moments)?;
        let wrench = self.rnea.base_wrench(self.model)?;
        let (mass, centre) = self.centre(state[0])?;
        let angles = force_angles(support, centre, wrench);
        let presses = demand.normal > 0.0;
        let zmp = presses.then(|| [-demand.tilting[1] / demand.normal, demand.tilting[0] / demand.normal]);
        let margin = |(moment, force_angle): (&f64, ForceAngle)| Margin {
            moment: *moment,
            distance: presses.then(|| moment / demand.normal),
            force_angle,
        };
        let margins: Vec<Margin> = moments.iter().zip(angles).map(margin).collect();
        // On an edge, rounding must not tell that it tips.
        let stands = presses && margins.iter().all(|m| m.moment >= -1e-12 * demand.normal * support.size());
        let [x, y] = demand.tilting;
        let (loads, shares) = shares(support, [demand.normal, x, y], stands);
        Ok(Standing { demand, mass, centre: support.place(centre), zmp, loads, shares, margins })
    }

    /// The forces along the ground, and the friction that they take.
    pub fn grip(&self, standing: &Standing, base: &BaseMotion) -> Result<Grip> {
        Grip::new(self.support, standing, base)
    }

    /// The mass of base and arm, and its centre in the base's frame.
    fn centre(&mut self, q: &[f64]) -> Result<(f64, Vec3<f64>)> {
        let m = self.model;
        kinematics(m, &mut self.kinematics, q)?;
        let (mass, first) = first_moment(m, &self.kinematics)?;
        if mass <= 0.0 {
            return Err(Error::InvalidInput("the robot has no mass: nothing presses on the ground".to_string()));
        }
        Ok((mass, first * (1.0 / mass)))
    }
}

/// Mass and first moment of base and arm about the base's origin, in its axes.
pub(super) fn first_moment<T: armdyn_core::Real>(m: &Model<T>, d: &KinematicsData<T>) -> Result<(T, Vec3<T>)> {
    let (mut mass, mut first) = (T::zero(), Vec3::zero());
    let links = m.link_ids().zip(m.links()).map(|(k, l)| (k, l.inertia()));
    for (link, inertia) in links.chain(m.payloads().iter().map(|p| (p.link, p.in_link))) {
        let pose = d.link_pose(m, link)?;
        first += pose.rotation.rotate(inertia.first) + pose.translation * inertia.mass;
        mass += inertia.mass;
    }
    Ok((mass, first))
}

/// A wrench about a point in place of the base's origin.
pub(super) fn about(wrench: Force<f64>, point: Vec3<f64>) -> Force<f64> {
    Force::new(wrench.moment - point.cross(wrench.force), wrench.force)
}
