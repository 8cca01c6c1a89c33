//! Control of the heading of a base by its drive, while the arm moves.
//!
//! Lau 1985, section 6.1.1.5 and step 11 of 6.2: the model predicts how the arm turns the base, the prediction is fed forward, and a
//! position sensor corrects what is left. With the driven directions D, the heading ψ, its desired value ψ_d and the forces f_d that the
//! model predicts for a base at rest below the planned motion of the arm:
//!
//!   f = f_d(t) + (Dᵀ)⁺ (0, 0, K_p (ψ_d − ψ) − K_d ω)                                                       (1)
//!   K_p = J (2π f₀)²,   K_d = 2 ζ J (2π f₀)                                                                (2)
//!
//! J is the inertia that a yaw moment meets at the start: 1 / (Z (Zᵀ I Z)⁻¹ Zᵀ)_ψψ, with the null space Z of the directions along which
//! the wheels do not move.
//!
//! Deviation: Lau estimates the angle of the castor, which the wheels then follow; here the heading itself is controlled, from which
//! that angle follows. His iteration accumulates errors; f_d is that of the simulation with a base at rest.

use super::dynamics::{BaseEquations, Dynamics, Six};
use super::equations::FrictionState;
use super::linear_algebra::{Basis, dot, solve_linear};
use super::{Base, Drive, Row};
use crate::invalid;
use crate::simulation::{SimulationOptions, simulate};
use armdyn_core::{Model, Progress, Rotation};
use armdyn_numerics::{ContinuousTrajectory, FunctionTrajectory, QuinticSpline, Result, Trajectory, require_dofs_of};
use std::f64::consts::{PI, TAU};

/// Samples per second of the predicted forces.
const RATE: f64 = 500.0;

/// How the drive of a base holds its heading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadingControl {
    /// The heading to hold, from the world's x axis \[rad\].
    pub heading: f64,
    /// Whether the forces that the model predicts are fed forward.
    pub feed_forward: bool,
    /// Natural frequency of the feedback \[Hz\]; 0: no feedback.
    pub frequency: f64,
    /// Damping ratio of the feedback.
    pub damping: f64,
}

impl Default for HeadingControl {
    /// Holds a heading of 0 with feed-forward and a critically damped feedback of 1 Hz.
    fn default() -> Self {
        HeadingControl { heading: 0.0, feed_forward: true, frequency: 1.0, damping: 1.0 }
    }
}

/// A drive that holds the heading of a base ([`Base::with_heading_control`]).
pub struct HeadingController {
    heading: f64,
    /// K_p, K_d.
    gains: [f64; 2],
    /// Forces of the driven directions for a unit yaw moment.
    forces: Vec<f64>,
    prediction: Option<QuinticSpline>,
}

impl HeadingController {
    /// Forces of the driven directions.
    pub(crate) fn forces(&self, t: f64, heading: f64, twist: &Six) -> Vec<f64> {
        let mut forces = vec![0.0; self.forces.len()];
        if let Some(prediction) = &self.prediction {
            let [mut rate, mut second] = [(); 2].map(|()| forces.clone());
            prediction.at(t.min(prediction.duration()), &mut forces, &mut rate, &mut second);
        }
        let error = (self.heading - heading + PI).rem_euclid(TAU) - PI;
        let moment = self.gains[0] * error - self.gains[1] * twist[5];
        forces.iter_mut().zip(&self.forces).for_each(|(f, per_moment)| *f += per_moment * moment);
        forces
    }

    /// The next time at which the predicted forces have a discontinuous derivative.
    pub(crate) fn next_knot(&self, t: f64) -> f64 {
        self.prediction.as_ref().map_or(f64::INFINITY, |p| p.next_knot(t))
    }
}

impl Base {
    /// The base with a drive that holds its heading while the arm follows a planned motion, by a model that may differ from the
    /// simulated robot. Fails if the drive cannot turn the base, or if the robot would tip over.
    pub fn with_heading_control(
        mut self,
        m: &Model<f64>,
        arm: &dyn ContinuousTrajectory,
        control: &HeadingControl,
    ) -> Result<Self> {
        let HeadingControl { heading, feed_forward, frequency, damping } = *control;
        require_dofs_of(m, arm)?;
        if !heading.is_finite() {
            return invalid(format!("invalid heading `{heading}`: expected an angle"));
        }
        for (what, value) in [("frequency", frequency), ("damping ratio", damping)] {
            if !(value.is_finite() && value >= 0.0) {
                return invalid(format!("invalid {what} `{value}` of the heading: expected 0 or more"));
            }
        }
        let Some(forces) = self.forces_of_yaw_moment() else {
            return invalid(
                "the drive of this base cannot turn it: heading control needs a differential, skid-steer or omnidirectional drive",
            );
        };
        let omega = TAU * frequency;
        let inertia = self.yaw_inertia(m, arm)?;
        let gains = [inertia * omega * omega, 2.0 * damping * inertia * omega];
        let mut prediction = None;
        if feed_forward {
            let (duration, n) = (arm.duration(), self.driven.len());
            let rest =
                |_, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]| [q, qd, qdd].into_iter().for_each(|x| x.fill(0.0));
            self.drive = Drive::Motion(Box::new(FunctionTrajectory::new(duration, rest)));
            let options = SimulationOptions { heading, rate: RATE, ..Default::default() };
            let run = simulate(m, &self, arm, &options, &Progress::none())?;
            if run.tipped_over {
                let t = run.end().t;
                return invalid(format!(
                    "the planned motion tips the robot over at {t:.4} s even if the base stays at rest; slow it down"
                ));
            }
            let t = run.samples.iter().map(|s| s.t).collect();
            let forces = run.samples.iter().flat_map(|s| s.dynamics.driving_forces.clone()).collect();
            prediction = Some(QuinticSpline::new(&Trajectory::from_positions(n, t, forces)?));
        }
        self.drive = Drive::Heading(Box::new(HeadingController { heading, gains, forces, prediction }));
        Ok(self)
    }

    /// Forces of least norm along the driven directions that exert a unit yaw moment; none if the drive cannot.
    fn forces_of_yaw_moment(&self) -> Option<Vec<f64>> {
        let rows: Vec<(Row, f64)> = self.driven.iter().map(|(_, row)| (*row, 0.0)).collect();
        let forces = Basis::new(&rows, 3).constraint_forces(&rows, &[0.0, 0.0, 1.0]);
        let wrench: Row = std::array::from_fn(|c| rows.iter().zip(&forces).map(|((row, _), f)| row[c] * f).sum());
        let allowed = Basis::new(&self.constrained_rows().collect::<Vec<_>>(), 3);
        let turns = allowed.null_space.iter().any(|z| z[2].abs() > 1e-9);
        (turns && (wrench[2] - 1.0).abs() < 1e-9 && wrench[0].hypot(wrench[1]) < 1e-9).then_some(forces)
    }

    /// The inertia that a yaw moment meets at the start of the arm's motion \[kg m²\].
    fn yaw_inertia(&self, m: &Model<f64>, arm: &dyn ContinuousTrajectory) -> Result<f64> {
        let mut d = Dynamics::new(m, self)?;
        arm.at(0.0, &mut d.q, &mut d.qd, &mut d.qdd);
        let equations = d.bias_and_inertia(0.0, &Rotation::identity(), &[0.0; 6])?;
        // Axles do not move sideways, wheels roll.
        let sticks = |c: &super::FrictionConstraint| match c.lateral {
            true => FrictionState::Sticking,
            false => FrictionState::Sliding([0.0; 2]),
        };
        let mode: Vec<FrictionState> = self.friction.iter().map(sticks).collect();
        let free = BaseEquations { accelerations: None, efforts: None, ..equations };
        let axles = self.constraints(&free, &mode);
        let mut basis = Basis::new(&axles, 3);
        if !basis.null_space.iter().any(|z| z[2].abs() > 1e-9) {
            // Axles that must slip for the base to turn, as those of skid-steered wheels.
            basis = Basis::new(&self.constrained_rows().collect::<Vec<_>>(), 3);
        }
        let inertia = |a: &[f64], b: &[f64]| -> f64 {
            let planar = [0, 1, 5];
            let row = |i: usize| planar.iter().zip(b).map(|(j, b)| free.mass[planar[i]][*j] * b).sum::<f64>();
            (0..3).map(|i| a[i] * row(i)).sum()
        };
        let null_space = &basis.null_space;
        let line = |z: &Vec<f64>| null_space.iter().map(|x| inertia(z, x)).chain([z[2]]).collect::<Vec<f64>>();
        let response = solve_linear(null_space.iter().map(line).collect(), null_space.len());
        let yaw: Vec<f64> = null_space.iter().map(|z| z[2]).collect();
        match response.map(|a| dot(&yaw, &a)).filter(|a| a.is_finite() && *a > 0.0) {
            Some(acceleration) => Ok(1.0 / acceleration),
            None => invalid("the base has no inertia about the vertical axis; give it or the arm a mass"),
        }
    }
}
