//! The terms of a torque, by kind.

use armdyn_core::{FormsData, Model, configuration_space};
use armdyn_numerics::Result;

/// Kind of a torque term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TermKind {
    /// Dᵢᵢ q̈ᵢ, including the inertia of the drive.
    OwnInertia,
    /// Σ Dᵢⱼ q̈ⱼ of the other joints.
    Coupling,
    /// Σ Dᵢⱼⱼ q̇ⱼ².
    Centrifugal,
    /// Σ 2 Dᵢⱼₖ q̇ⱼ q̇ₖ, j < k.
    Coriolis,
    /// Dᵢ.
    Gravity,
    /// Viscous and dry friction; static friction where a joint at rest starts to move.
    Friction,
}

impl TermKind {
    /// All kinds.
    pub const ALL: [TermKind; 6] = [
        TermKind::OwnInertia,
        TermKind::Coupling,
        TermKind::Centrifugal,
        TermKind::Coriolis,
        TermKind::Gravity,
        TermKind::Friction,
    ];

    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            TermKind::OwnInertia => "own inertia",
            TermKind::Coupling => "coupling",
            TermKind::Centrifugal => "centrifugal",
            TermKind::Coriolis => "Coriolis",
            TermKind::Gravity => "gravity",
            TermKind::Friction => "friction",
        }
    }
}

/// The terms of a torque or force \[N m, N\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TorqueTerms([f64; 6]);

impl TorqueTerms {
    /// The term of a kind.
    pub fn get(&self, kind: TermKind) -> f64 {
        self.0[kind as usize]
    }

    /// The torque.
    pub fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The sum of the magnitudes, which fractions refer to.
    pub fn magnitude(&self) -> f64 {
        self.0.iter().map(|x| x.abs()).sum()
    }
}

/// The terms of every torque at a state; they sum to the result of `rnea`. For single-axis joints.
pub fn torque_terms(
    m: &Model<f64>,
    d: &mut FormsData<f64>,
    q: &[f64],
    qd: &[f64],
    qdd: &[f64],
    out: &mut [TorqueTerms],
) -> Result<()> {
    let n = m.nv();
    let form = configuration_space(m, d, q)?;
    let products = n * n.saturating_sub(1) / 2;
    for (i, out) in out.iter_mut().enumerate() {
        let mass = &form.mass[i * n..(i + 1) * n];
        let coupling = (0..n).filter(|j| *j != i).map(|j| mass[j] * qdd[j]).sum();
        let centrifugal = (0..n).map(|j| form.centrifugal[i * n + j] * qd[j] * qd[j]).sum();
        let pairs = (0..n).flat_map(|j| (j + 1..n).map(move |k| (j, k)));
        let row = &form.coriolis[i * products..(i + 1) * products];
        let coriolis = pairs.zip(row).map(|((j, k), b)| b * qd[j] * qd[k]).sum();
        *out = TorqueTerms([
            mass[i] * qdd[i],
            coupling,
            centrifugal,
            coriolis,
            form.gravity[i],
            m.friction()[i].torque(qd[i]) + m.friction()[i].breakaway_torque(qd[i], qdd[i]),
        ]);
    }
    Ok(())
}
