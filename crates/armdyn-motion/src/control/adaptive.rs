//! Adaptive control.
//!
//! Slotine & Li 1987. With e = q − q_d, the reference velocity q̇_r = q̇_d − Λ e and s = q̇ − q̇_r:
//!
//!   τ = Y(q, q̇, q̇_r, q̈_r) π̂ − K s,   dπ̂/dt = −Γ Yᵀ s                                   (1)
//!   Y π = M q̈_r + C(q, q̇) q̇_r + g + f                                                  (2)
//!
//! C(q, a) b is bilinear and symmetric in a and b for Christoffel symbols, so (2) follows from the regressor of the core, which
//! has C(q, v) v, by polarisation:
//!
//!   2 C(q, a) b = C(q, a + b)(a + b) − C(q, a) a − C(q, b) b                            (3)
//!
//! Tracking errors vanish without knowledge of π: V = ½ sᵀ M s + ½ π̃ᵀ Γ⁻¹ π̃ falls as −sᵀ K s.
//!
//! Deviations: Γ is diagonal, γ times the square of a scale of each parameter (1 kg, 0.1 kg m, 0.01 kg m²), so that one number γ suits
//! parameters of all units. Friction columns are those of the measured velocity.

use super::gains::free_inertia;
use super::reference::Reference;
use super::{Controller, require_lengths};
use armdyn_core::{Model, RegressorData, parameter_count, parameters, regressor};
use armdyn_numerics::{ContinuousTrajectory, Result, invalid};

/// Gains of an [`AdaptiveController`].
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveOptions {
    /// Λ: rate at which errors vanish where s = 0 \[1/s\].
    pub rate: f64,
    /// K: damping of s, for each degree of freedom \[N m s/rad, N s/m\].
    pub damping: Vec<f64>,
    /// γ: adaptation gain, relative to the scales of the parameters; 1 suits payloads of some kilograms.
    pub adaptation: f64,
    /// Parameters that adapt: those whose name contains one of these; all if empty.
    pub adapt: Vec<String>,
}

impl AdaptiveOptions {
    /// Gains at which s vanishes as fast as the errors, at a natural frequency \[rad/s\]: Λ = ω, K = ω times the inertia of each joint
    /// with the others free at a configuration. All parameters adapt.
    pub fn of_joints(m: &Model<f64>, q: &[f64], frequency: f64, adaptation: f64) -> Result<Self> {
        let damping = free_inertia(m, q)?.iter().map(|inertia| frequency * inertia).collect();
        Ok(AdaptiveOptions { rate: frequency, damping, adaptation, adapt: vec![] })
    }
}

/// The adaptive controller of Slotine and Li.
pub struct AdaptiveController<'a> {
    model: Model<f64>,
    reference: Reference<'a>,
    options: AdaptiveOptions,
    /// π̂.
    estimate: Vec<f64>,
    /// The diagonal of Γ.
    adaptation: Vec<f64>,
    /// Whether a parameter is a friction level.
    friction: Vec<bool>,
    data: RegressorData<f64>,
    y: Vec<f64>,
    term: Vec<f64>,
    velocity: Vec<f64>,
    qd_r: Vec<f64>,
    qdd_r: Vec<f64>,
    s: Vec<f64>,
    zero: Vec<f64>,
    last: Option<f64>,
}

impl<'a> AdaptiveController<'a> {
    /// A controller whose estimate starts from the model's parameters.
    pub fn new(model: &Model<f64>, trajectory: &'a dyn ContinuousTrajectory, options: AdaptiveOptions) -> Result<Self> {
        let (n, width) = (model.nv(), parameter_count(model));
        if options.damping.len() != n {
            let given = options.damping.len();
            return invalid(format!("{given} damping gains for {n} degrees of freedom: expected one for each"));
        }
        let numbers = [("rate", options.rate), ("adaptation gain", options.adaptation)];
        let damping = options.damping.iter().map(|k| ("damping gain", *k));
        if let Some((what, x)) = numbers.into_iter().chain(damping).find(|(_, x)| !(x.is_finite() && *x >= 0.0)) {
            return invalid(format!("invalid {what} `{x}`: expected a finite number of at least 0"));
        }
        let all = parameters(model);
        let adapts = |name: &str| options.adapt.is_empty() || options.adapt.iter().any(|part| name.contains(part));
        if !all.iter().any(|p| adapts(&p.name)) {
            return invalid(format!("no parameter has a name that contains `{}`", options.adapt.join("` or `")));
        }
        let gain = |name: &str| if adapts(name) { options.adaptation * scale(name).powi(2) } else { 0.0 };
        let zeros = vec![0.0; n];
        Ok(AdaptiveController {
            reference: Reference::new(model, trajectory)?,
            estimate: all.iter().map(|p| p.value).collect(),
            adaptation: all.iter().map(|p| gain(&p.name)).collect(),
            friction: all.iter().map(|p| FRICTION.contains(&label(&p.name))).collect(),
            data: RegressorData::new(model),
            y: vec![0.0; n * width],
            term: vec![0.0; n * width],
            model: model.clone(),
            options,
            velocity: zeros.clone(),
            qd_r: zeros.clone(),
            qdd_r: zeros.clone(),
            s: zeros.clone(),
            zero: zeros,
            last: None,
        })
    }

    /// The estimated parameters, in the order of [`parameters`].
    pub fn estimate(&self) -> &[f64] {
        &self.estimate
    }

    /// Y of (2), by (3).
    fn update_regressor(&mut self, q: &[f64], qd: &[f64]) -> Result<()> {
        let (m, d) = (&self.model, &mut self.data);
        regressor(m, d, q, &self.zero, &self.qdd_r, &mut self.y)?;
        self.velocity.iter_mut().zip(qd.iter().zip(&self.qd_r)).for_each(|(sum, (a, b))| *sum = a + b);
        // 2 C(q, a) b; the regressors at rest leave no gravity.
        for (velocity, weight) in [(&self.velocity[..], 0.5), (qd, -0.5), (&self.qd_r, -0.5), (&self.zero, 0.5)] {
            regressor(m, d, q, velocity, &self.zero, &mut self.term)?;
            self.y.iter_mut().zip(&self.term).for_each(|(y, term)| *y += weight * term);
        }
        // Friction is not quadratic: its columns are those of q̇.
        regressor(m, d, q, qd, &self.zero, &mut self.term)?;
        for (y, term) in self.y.chunks_mut(self.friction.len()).zip(self.term.chunks(self.friction.len())) {
            y.iter_mut()
                .zip(term)
                .zip(&self.friction)
                .filter(|(_, friction)| **friction)
                .for_each(|((y, t), _)| *y = *t);
        }
        Ok(())
    }
}

impl Controller for AdaptiveController<'_> {
    fn model(&self) -> Option<&Model<f64>> {
        Some(&self.model)
    }

    fn torque(&mut self, t: f64, q: &[f64], qd: &[f64], tau: &mut [f64]) -> Result<()> {
        require_lengths(&self.model, q, qd, tau)?;
        let (n, width, rate) = (self.model.nv(), parameter_count(&self.model), self.options.rate);
        self.reference.evaluate(t);
        for i in 0..n {
            let to = &self.reference;
            self.qd_r[i] = to.qd[i] - rate * (q[i] - to.q[i]);
            self.qdd_r[i] = to.qdd[i] - rate * (qd[i] - to.qd[i]);
            self.s[i] = qd[i] - self.qd_r[i];
        }
        self.update_regressor(q, qd)?;
        let elapsed = self.last.map_or(0.0, |last| t - last);
        self.last = Some(t);
        for p in 0..width {
            let slope: f64 = (0..n).map(|i| self.y[i * width + p] * self.s[i]).sum();
            self.estimate[p] -= elapsed * self.adaptation[p] * slope; // (1)
        }
        for i in 0..n {
            let model: f64 = (0..width).map(|p| self.y[i * width + p] * self.estimate[p]).sum();
            tau[i] = model - self.options.damping[i] * self.s[i];
        }
        Ok(())
    }
}

/// The scale of a parameter: 1 kg at 0.1 m. Friction levels have that of moments of inertia, at 1 rad/s and 1 rad/s².
fn scale(name: &str) -> f64 {
    match label(name) {
        "m" => 1.0,
        "mx" | "my" | "mz" => 0.1,
        _ => 0.01,
    }
}

/// Names of the friction levels among the parameters of a joint.
const FRICTION: [&str; 4] = ["viscous", "coulomb_forward", "coulomb_backward", "stribeck"];

/// What follows the last dot of a parameter's name.
fn label(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, label)| label)
}
