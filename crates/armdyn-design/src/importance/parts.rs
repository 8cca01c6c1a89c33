//! A torque, by kinds of terms.

use armdyn_core::{FormsData, Model, configuration_space};
use armdyn_numerics::Result;

/// A kind of term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Dᵢᵢ q̈ᵢ, the drive's inertia included.
    OwnInertia,
    /// Σ Dᵢⱼ q̈ⱼ of the other joints.
    Coupling,
    /// Σ Dᵢⱼⱼ q̇ⱼ².
    Centrifugal,
    /// Σ 2 Dᵢⱼₖ q̇ⱼ q̇ₖ, j < k.
    Coriolis,
    /// gᵢ.
    Gravity,
    /// Viscous and dry.
    Friction,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] =
        [Kind::OwnInertia, Kind::Coupling, Kind::Centrifugal, Kind::Coriolis, Kind::Gravity, Kind::Friction];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Kind::OwnInertia => "own inertia",
            Kind::Coupling => "coupling",
            Kind::Centrifugal => "centrifugal",
            Kind::Coriolis => "Coriolis",
            Kind::Gravity => "gravity",
            Kind::Friction => "friction",
        }
    }
}

/// What a torque (or force) is made of \[N m, N\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts([f64; 6]);

impl Parts {
    /// The part of a kind.
    pub fn of(&self, kind: Kind) -> f64 {
        self.0[kind as usize]
    }

    /// The torque.
    pub fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The parts' sizes together: what shares are of.
    pub fn size(&self) -> f64 {
        self.0.iter().map(|x| x.abs()).sum()
    }
}

/// Workspace of [`parts`].
#[derive(Clone, Debug)]
pub struct PartsData(FormsData<f64>);

impl PartsData {
    /// For a model.
    pub fn new(m: &Model<f64>) -> Self {
        PartsData(FormsData::new(m))
    }
}

/// The parts of every torque of a motion; they add up to what `rnea` gives. For joints of one axis.
pub fn parts(m: &Model<f64>, d: &mut PartsData, q: &[f64], qd: &[f64], qdd: &[f64], out: &mut [Parts]) -> Result<()> {
    let n = m.nv();
    let form = configuration_space(m, &mut d.0, q)?;
    let products = n * n.saturating_sub(1) / 2;
    for (i, out) in out.iter_mut().enumerate() {
        let mass = &form.mass[i * n..(i + 1) * n];
        let coupling = (0..n).filter(|j| *j != i).map(|j| mass[j] * qdd[j]).sum();
        let centrifugal = (0..n).map(|j| form.centrifugal[i * n + j] * qd[j] * qd[j]).sum();
        let pairs = (0..n).flat_map(|j| (j + 1..n).map(move |k| (j, k)));
        let row = &form.coriolis[i * products..(i + 1) * products];
        let coriolis = pairs.zip(row).map(|((j, k), b)| b * qd[j] * qd[k]).sum();
        *out =
            Parts([mass[i] * qdd[i], coupling, centrifugal, coriolis, form.gravity[i], m.friction()[i].torque(qd[i])]);
    }
    Ok(())
}
