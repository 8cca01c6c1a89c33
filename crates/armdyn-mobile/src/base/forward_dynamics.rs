//! Forward dynamics of a base: accelerations, wheel loads and friction at an instant.

use super::dynamics::{BaseEquations, Dynamics, Six, motion};
use super::equations::{BaseSolution, FrictionState};
use super::linear_algebra::{Basis, dot};
use super::{Base, Row};
use crate::contact::zero_moment_point;
use armdyn_core::{Model, Rotation};
use armdyn_numerics::Result;

/// Accelerations and forces of a robot on a base.
#[derive(Clone, Debug, serde::Serialize)]
pub struct BaseDynamics {
    /// Linear acceleration of the base, in base axes and relative to them \[m/s²\].
    pub linear_acceleration: [f64; 3],
    /// Angular acceleration, likewise \[rad/s²\].
    pub angular_acceleration: [f64; 3],
    /// Joint torques or forces on the moving base \[N m, N\].
    pub tau: Vec<f64>,
    /// Normal load of each wheel \[N\].
    pub wheel_loads: Vec<f64>,
    /// Lateral ground force on the axle of fixed wheels \[N\]; of least norm if it is not determined, as at rest. None if the base
    /// has no such axle or the axle cannot slip.
    pub lateral_force: Option<f64>,
    /// Whether that axle slips.
    pub slips: bool,
    /// Zero-moment point in the base frame \[m\]; none if the base floats or the ground is not loaded.
    pub zmp: Option<[f64; 2]>,
    /// Distance of the zero-moment point to the nearest edge of the support polygon \[m\]; negative if the robot tips over.
    pub tip_margin: Option<f64>,
    /// The wheels of that edge.
    pub critical_edge: Option<[usize; 2]>,
    /// Drive forces along the driven directions \[N, N m\].
    pub driving_forces: Vec<f64>,
}

impl Base {
    /// Accelerations and forces for a state of the arm (q, q̇, q̈), a heading \[rad\] and a twist in base axes (linear, angular), with
    /// the drive at time `t`.
    pub fn forward_dynamics(
        &self,
        m: &Model<f64>,
        t: f64,
        (q, qd, qdd): (&[f64], &[f64], &[f64]),
        heading: f64,
        twist: &[f64; 6],
    ) -> Result<BaseDynamics> {
        let mut d = Dynamics::new(m, self)?;
        for (what, found, expected) in [("q", q.len(), m.nq()), ("qd", qd.len(), m.nv()), ("qdd", qdd.len(), m.nv())] {
            if found != expected {
                return Err(armdyn_core::Error::Length { what, expected, found }.into());
            }
        }
        d.q.copy_from_slice(q);
        d.qd.copy_from_slice(qd);
        d.qdd.copy_from_slice(qdd);
        let attitude = Rotation::rpy(0.0, 0.0, heading);
        let terms = d.bias_and_inertia(t, &attitude, twist)?;
        let solution = self.contact_mode(&terms, twist)?;
        d.forward_dynamics(&attitude, twist, &solution)
    }
}

impl Base {
    /// Velocity of a friction constraint along its rows.
    pub(crate) fn sliding_velocity(&self, k: usize, twist: &Six) -> [f64; 2] {
        let planar = [twist[0], twist[1], twist[5]];
        let rows = &self.friction[k].rows;
        std::array::from_fn(|c| rows.get(c).map_or(0.0, |r| dot(r, &planar)))
    }

    /// Load on the wheels of a friction constraint.
    pub(crate) fn load_on(&self, k: usize, s: &BaseSolution) -> f64 {
        self.friction[k].wheels.iter().map(|i| s.loads[*i]).sum()
    }

    /// Static friction limit minus the force of a sticking constraint \[N\].
    pub(crate) fn friction_reserve(&self, k: usize, s: &BaseSolution) -> f64 {
        let [a, b] = s.friction[k];
        self.friction[k].static_coefficient * self.load_on(k, s) - a.hypot(b)
    }

    /// The smallest restoring moment about an edge of the support polygon \[N m\], and the edge's wheels.
    pub(crate) fn critical_edge(&self, s: &BaseSolution) -> Option<(f64, [usize; 2])> {
        let (edge, moment) = self.polygon.critical_edge(s.normal, s.tilting)?;
        Some((moment, self.polygon.edges()[edge].contacts))
    }

    /// All results at an instant, with the joint torques.
    pub fn results(&self, tau: &[f64], s: &BaseSolution) -> BaseDynamics {
        let axle = self.friction.iter().position(|c| c.lateral);
        let critical = self.critical_edge(s);
        let acceleration = motion(&s.rate);
        BaseDynamics {
            linear_acceleration: acceleration.linear.to_array(),
            angular_acceleration: acceleration.angular.to_array(),
            tau: tau.to_vec(),
            wheel_loads: s.loads.clone(),
            lateral_force: axle.map(|k| s.friction[k][0]),
            slips: axle.is_some_and(|k| s.mode[k] != FrictionState::Sticking),
            zmp: zero_moment_point(s.normal, s.tilting),
            tip_margin: critical.map(|(moment, _)| moment / s.normal.abs()),
            critical_edge: critical.map(|c| c.1),
            driving_forces: s.driving.clone(),
        }
    }

    /// The nearest twist with given velocities along some rows.
    pub(crate) fn project(&self, twist: Row, rows: &[(Row, f64)]) -> Row {
        let basis = Basis::new(rows, 3);
        let along = |c: usize| basis.null_space.iter().map(|z| z[c] * dot(z, &twist)).sum::<f64>();
        std::array::from_fn(|c| basis.particular[c] + along(c))
    }

    /// Whether constraints and sticking wheels hold the base in all directions.
    pub(crate) fn is_immobile(&self, mode: &[FrictionState]) -> bool {
        let terms = BaseEquations { mass: [[0.0; 6]; 6], bias: [0.0; 6], accelerations: None, efforts: None };
        !self.floats() && Basis::new(&self.constraints(&terms, mode), 3).rank == 3
    }

    /// Power of the drive \[W\].
    pub(crate) fn drive_power(&self, s: &BaseSolution, twist: &Six) -> f64 {
        let planar = [twist[0], twist[1], twist[5]];
        self.driven.iter().zip(&s.driving).map(|((_, row), f)| f * dot(row, &planar)).sum()
    }
}

impl Dynamics<'_> {
    /// All results at an instant; the joint torques are in `tau` too.
    pub(crate) fn forward_dynamics(
        &mut self,
        attitude: &Rotation<f64>,
        twist: &Six,
        s: &BaseSolution,
    ) -> Result<BaseDynamics> {
        self.recursion(attitude, twist, &s.rate)?;
        Ok(self.base.results(&self.tau, s))
    }
}
