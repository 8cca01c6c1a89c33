//! Joint servos over the joint ranges: natural frequency and damping with constant gains, gains for a specification, and gains
//! scheduled with the configuration.
//!
//! Bejczy 1974, section II, asks how the inertia that a joint's drive sees changes the servo. A position servo with velocity feedback,
//! τ = K_p (q_d − q) − K_d q̇, on a joint with inertia D_ii(q) and viscous friction b, the other joints held:
//!
//!   D_ii q̈ + (b + K_d) q̇ + K_p q = K_p q_d,   ω = √(K_p / D_ii),   ζ = (b + K_d) / (2 √(K_p D_ii))       (1)
//!
//! Both fall with D_ii. So constant gains that meet ω ≥ ω₀ and ζ ≥ ζ₀ at the maximum inertia meet them everywhere,
//!
//!   K_p = ω₀² D_max,   K_d = 2 ζ₀ ω₀ D_max − b                                                          (2)
//!
//! and at the minimum inertia ω and ζ are √(D_max / D_min) times as large. Gains scheduled on a simplified inertia D̂(q),
//!
//!   K_p(q) = ω₀² D̂(q) / (1 − ε),   K_d(q) = 2 ζ₀ ω₀ D̂(q) / (1 − ε) − b,   |D̂ − D_ii| ≤ ε D_ii               (3)
//!
//! leave ω / ω₀ and ζ / ζ₀ between 1 and √((1 + ε) / (1 − ε)). K_d is at least 0 in (2) and (3): more friction damps more, with ζ up to
//! b / (2 ω₀ D_min) in (3).
//!
//! Deviation: the report says that velocity feedback reduced "to √n to its original value" restores critical damping where the
//! inertia falls by n; by (1) it is reduced by the factor √n, to 1/√n.

use crate::range::{Extremum, RangeOptions, inertia_extrema};
use crate::simplify::{Domain, Formula, SimplifyOptions, Target, simplify};
use crate::units;
use armdyn_core::{Model, Progress};
use armdyn_numerics::{JointRange, JointRanges, Result, invalid};
use serde::Serialize;
use std::f64::consts::TAU;
use std::time::Duration;

/// Specification of the joint servos.
#[derive(Clone, Debug, PartialEq)]
pub struct ServoOptions {
    /// Minimum natural frequency of each degree of freedom \[Hz\].
    pub frequency: Vec<f64>,
    /// Minimum damping ratio.
    pub damping: f64,
    /// Maximum natural frequency \[Hz\], such as a fraction of a structural resonance or of the sample rate.
    pub maximum_frequency: Option<f64>,
    /// Position and velocity gains of each degree of freedom, instead of those for the specification
    /// \[N m/rad, N m s/rad; N/m, N s/m\].
    pub gains: Option<[Vec<f64>; 2]>,
    /// Maximum relative error of the scheduled inertia; none: no schedule.
    pub schedule: Option<f64>,
    /// Gap of guaranteed bounds of the inertia; none: search only.
    pub gap: Option<f64>,
    /// Maximum time for bounds, and again for the schedule.
    pub budget: Duration,
    /// Seed of the searches.
    pub seed: u64,
}

impl Default for ServoOptions {
    /// Critical damping, guaranteed bounds within 1 %, a schedule with errors up to 10 %.
    fn default() -> Self {
        ServoOptions {
            frequency: vec![],
            damping: 1.0,
            maximum_frequency: None,
            gains: None,
            schedule: Some(0.1),
            gap: Some(0.01),
            budget: Duration::from_secs(60),
            seed: 1,
        }
    }
}

/// What constant or scheduled gains give over the joint ranges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Response {
    /// Minimum and maximum natural frequency \[Hz\]; infinite (null in JSON) if no minimum of the inertia is guaranteed.
    pub frequency: [f64; 2],
    /// Minimum and maximum damping ratio.
    pub damping: [f64; 2],
    /// Whether frequency and damping are within the specification.
    pub meets_specification: bool,
}

/// Gains that follow a simplified inertia.
#[derive(Clone, Debug, Serialize)]
pub struct GainSchedule {
    /// The simplified inertia D̂.
    pub inertia: Formula,
    /// K_p(q) / D̂(q) \[1/s²\].
    pub position_factor: f64,
    /// (K_d(q) + b) / D̂(q) where K_d(q) > 0 \[1/s\].
    pub velocity_factor: f64,
    /// Maximum relative error ε of D̂: its guaranteed bound if there is one, else the maximum found.
    pub error: f64,
    /// Whether ε is a guaranteed bound.
    pub guaranteed: bool,
    /// What it gives.
    pub response: Response,
}

/// The servo of one joint.
#[derive(Clone, Debug, Serialize)]
pub struct JointServo {
    /// The degree of freedom.
    pub joint: String,
    /// Unit of the inertia.
    pub inertia_unit: &'static str,
    /// Minimum and maximum inertia, drive included.
    pub inertia: [Extremum; 2],
    /// Inertia with its guaranteed bounds where they are known.
    pub inertia_bounds: [f64; 2],
    /// Viscous friction b \[N m s/rad, N s/m\].
    pub viscous: f64,
    /// Position gain \[N m/rad, N/m\].
    pub position_gain: f64,
    /// Velocity gain \[N m s/rad, N s/m\].
    pub velocity_gain: f64,
    /// What these gains give.
    pub response: Response,
    /// Gains that follow the configuration.
    pub schedule: Option<GainSchedule>,
}

/// The result of [`servo`].
#[derive(Clone, Debug, Serialize)]
pub struct ServoReport {
    /// The robot.
    pub robot: String,
    /// The joint ranges.
    pub ranges: Vec<JointRange>,
    /// Minimum natural frequency of each degree of freedom \[Hz\].
    pub frequency: Vec<f64>,
    /// Minimum damping ratio.
    pub damping: f64,
    /// Maximum natural frequency \[Hz\].
    pub maximum_frequency: Option<f64>,
    /// Whether the gains are given rather than computed.
    pub gains_given: bool,
    /// Whether bounds are guaranteed.
    pub guaranteed: bool,
    /// Each joint.
    pub joints: Vec<JointServo>,
    /// Whether the work ended early.
    pub partial: bool,
}

impl ServoReport {
    /// Whether constant gains meet the specification at every joint.
    pub fn meets_specification(&self) -> bool {
        self.joints.iter().all(|j| j.response.meets_specification)
    }
}

/// Relative rounding error of a specification that is met with equality.
const EQUAL: f64 = 1e-9;

impl Response {
    /// (1) between two inertias.
    fn new(inertia: [f64; 2], kp: f64, damping: f64, options: &ServoOptions, minimum: f64) -> Self {
        let [low, high] = inertia;
        let frequency = [high, low].map(|d| (kp / d).sqrt() / TAU);
        let ratio = |d: f64| if kp > 0.0 { damping / (2.0 * (kp * d).sqrt()) } else { f64::INFINITY };
        Response::within(frequency, [ratio(high), ratio(low)], options, minimum)
    }

    fn within(frequency: [f64; 2], damping: [f64; 2], options: &ServoOptions, minimum: f64) -> Self {
        let low = frequency[0] >= minimum * (1.0 - EQUAL) && damping[0] >= options.damping * (1.0 - EQUAL);
        let high = options.maximum_frequency.is_none_or(|maximum| frequency[1] <= maximum * (1.0 + EQUAL));
        Response { frequency, damping, meets_specification: low && high }
    }
}

/// Analyses and designs the position servos of all joints over the joint ranges.
///
/// ```
/// use armdyn_core::Progress;
/// use armdyn_design::{ServoOptions, servo};
/// use armdyn_numerics::JointRanges;
/// let model = armdyn_core::examples::two_link_arm(); // D₁₁ = 3 + 2 cos q₂, D₂₂ = 1 kg m²
/// let ranges = JointRanges::new(&model, &[])?;
/// let options = ServoOptions { frequency: vec![1.0; 2], ..ServoOptions::default() };
/// let report = servo(&model, &ranges, &options, &Progress::none())?;
/// let shoulder = &report.joints[0];
/// assert!((shoulder.response.frequency[1] - 5.0_f64.sqrt()).abs() < 0.02); // D₁₁ from 1 to 5 kg m²
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn servo(m: &Model<f64>, ranges: &JointRanges, options: &ServoOptions, progress: &Progress) -> Result<ServoReport> {
    check(m, options)?;
    let range_options = RangeOptions { gap: options.gap, budget: options.budget, seed: options.seed };
    let extrema = inertia_extrema(m, ranges, range_options, progress)?;
    let mut joints = vec![];
    for (i, inertia) in extrema.into_iter().enumerate() {
        let [low, high] = &inertia;
        // A bound that is not positive is none: the drive alone is a smaller inertia.
        let bounds = [
            low.bound.map_or(low.value, |b| b.min(low.value).max(m.reflected_inertia()[i])),
            high.bound.map_or(high.value, |b| b.max(high.value)),
        ];
        if !bounds[1].is_finite() {
            return invalid(format!(
                "no bound of the inertia of joint `{}` within the budget; use a larger budget, smaller joint ranges or a search",
                m.dof_names()[i]
            ));
        }
        let (f, b) = (options.frequency[i], m.friction()[i].viscous);
        let omega = TAU * f;
        let [kp, kv] = match &options.gains {
            Some(given) => [given[0][i], given[1][i]],
            None => [omega * omega * bounds[1], (2.0 * options.damping * omega * bounds[1] - b).max(0.0)], // (2)
        };
        joints.push(JointServo {
            joint: m.dof_names()[i].clone(),
            inertia_unit: units::inertia(m, i, i),
            inertia_bounds: bounds,
            viscous: b,
            position_gain: kp,
            velocity_gain: kv,
            response: Response::new(bounds, kp, b + kv, options, f),
            schedule: None,
            inertia,
        });
    }
    let mut partial = progress.cancelled() || joints.iter().any(|j| j.inertia.iter().any(|e| !e.finished));
    if let Some(error) = options.schedule {
        let simplify_options = SimplifyOptions {
            target: Target::Inertia,
            error,
            guaranteed: options.gap.is_some(),
            seed: options.seed,
            budget: options.budget,
            ..SimplifyOptions::default()
        };
        let simplified = simplify(m, Domain::Ranges(ranges), &simplify_options, progress)?;
        partial |= simplified.partial;
        for formula in simplified.formulas {
            if let crate::simplify::Coefficient::Inertia(i, j) = formula.coefficient
                && i == j
            {
                joints[i].schedule =
                    Some(schedule(formula, options, i, joints[i].viscous / joints[i].inertia_bounds[0]));
            }
        }
    }
    Ok(ServoReport {
        robot: m.name().to_string(),
        ranges: ranges.named(m),
        frequency: options.frequency.clone(),
        damping: options.damping,
        maximum_frequency: options.maximum_frequency,
        gains_given: options.gains.is_some(),
        guaranteed: options.gap.is_some(),
        joints,
        partial,
    })
}

/// (3) for a simplified inertia, with the maximum of b / D_ii \[1/s\].
fn schedule(inertia: Formula, options: &ServoOptions, i: usize, friction: f64) -> GainSchedule {
    let bound = inertia.error.bound.filter(|b| *b < 1.0);
    let error = bound.unwrap_or(inertia.error.maximum);
    let (f, omega) = (options.frequency[i], TAU * options.frequency[i]);
    let spread = ((1.0 + error) / (1.0 - error)).sqrt();
    GainSchedule {
        position_factor: omega * omega / (1.0 - error),
        velocity_factor: 2.0 * options.damping * omega / (1.0 - error),
        guaranteed: bound.is_some(),
        response: Response::within(
            [f, f * spread],
            [options.damping, (options.damping * spread).max(friction / (2.0 * omega))],
            options,
            f,
        ),
        error,
        inertia,
    }
}

fn check(m: &Model<f64>, options: &ServoOptions) -> Result<()> {
    let n = m.nv();
    let lengths = [&options.frequency].into_iter().chain(options.gains.iter().flatten());
    if let Some(given) = lengths.map(Vec::len).find(|len| *len != n) {
        return invalid(format!("{given} values for {n} degrees of freedom: expected one for each"));
    }
    let positive = |what: &str, x: f64| match x.is_finite() && x > 0.0 {
        true => Ok(()),
        false => invalid(format!("invalid {what} `{x}`: expected a finite number greater than 0")),
    };
    options.frequency.iter().try_for_each(|f| positive("natural frequency", *f))?;
    positive("damping ratio", options.damping)?;
    if let Some(maximum) = options.maximum_frequency {
        positive("maximum frequency", maximum)?;
        if let Some(f) = options.frequency.iter().find(|f| **f > maximum) {
            return invalid(format!("the minimum natural frequency {f} Hz is above the maximum of {maximum} Hz"));
        }
    }
    let [kp, kv] = options.gains.clone().unwrap_or_default();
    kp.iter().try_for_each(|k| positive("position gain", *k))?;
    match kv.iter().find(|k| !(k.is_finite() && **k >= 0.0)) {
        Some(k) => invalid(format!("invalid velocity gain `{k}`: expected a finite number of at least 0")),
        None => Ok(()),
    }
}
