//! Whether links bear their loads: stress against yield, compression against buckling, and both together.
//!
//! Along each beam the greatest von Mises stress of its section (`section.rs`). A beam under compression P bends more than
//! statics says, by 1/(1 − P/P_cr); with that factor on its bending the two are checked together:
//!
//!   P/(A σ_y) + σ_b/((1 − P/P_cr) σ_y) ≤ 1                                                          (1)

use super::buckling::Ends;
use super::loads::{Loading, Loads};
use super::structure::Structure;
use armdyn_numerics::Result;

/// How a link bears its load.
#[derive(Clone, Debug)]
pub struct Strength {
    /// The link, by number.
    pub link: usize,
    /// The greatest von Mises stress \[Pa\], if the section is known.
    pub stress: Option<f64>,
    /// How far along the beam it is \[m\].
    pub at: f64,
    /// Yield stress by greatest stress, if both are known; infinite without load.
    pub yield_safety: Option<f64>,
    /// The greatest compression along the beam \[N\]; 0 where it is only pulled.
    pub compression: f64,
    /// The force that it buckles at \[N\], in its first modes.
    pub critical_loads: [f64; 3],
    /// The first critical load by compression; infinite where it is only pulled.
    pub buckling_safety: f64,
    /// What compression multiplies its bending by; infinite where it has buckled.
    pub amplification: f64,
    /// (1), if section and yield stress are known: above 1 it fails.
    pub interaction: Option<f64>,
}

/// Sections of each piece of beam that are looked at.
const LOOKED_AT: usize = 16;

impl Structure {
    /// Of every link that is a beam, in their order; `ends` is how it is held when it buckles, `shear` whether shear counts there.
    pub fn strength(&self, loading: &Loading, ends: Ends, shear: bool) -> Result<Vec<Strength>> {
        let loads = Loads::new(self, loading)?;
        Ok((0..self.links.len()).filter_map(|k| self.strength_of(&loads, k, ends, shear)).collect())
    }

    pub(super) fn strength_of(&self, loads: &Loads, link: usize, ends: Ends, shear: bool) -> Option<Strength> {
        let beam = self.links[link].beam.as_ref()?;
        let (mut stress, mut at, mut compression, mut bent) = (0.0_f64, 0.0, 0.0_f64, 0.0_f64);
        for pair in loads.stations(beam, link).windows(2) {
            for k in 0..=LOOKED_AT {
                let x = pair[0] + (pair[1] - pair[0]) * k as f64 / LOOKED_AT as f64;
                // Just before what hangs on the piece's end, just behind what hangs on its start.
                let inner = loads.inner(beam, link, x, k > 0);
                let (force, moment) = (inner.force.to_array(), inner.moment.to_array());
                compression = compression.max(-force[0]);
                if let Some(section) = &beam.section {
                    let here = section.stress(force, moment);
                    (stress, at) = if here > stress { (here, x) } else { (stress, at) };
                    bent = bent.max(section.bending_stress(moment));
                }
            }
        }
        let critical_loads = [1, 2, 3].map(|mode| beam.critical_load(ends, mode, shear));
        let share = compression / critical_loads[0];
        let amplification = if share < 1.0 { 1.0 / (1.0 - share) } else { f64::INFINITY };
        let known = beam.section.as_ref().zip(beam.yield_stress);
        Some(Strength {
            link,
            stress: beam.section.as_ref().map(|_| stress),
            at,
            yield_safety: known.map(|(_, limit)| limit / stress),
            compression,
            critical_loads,
            buckling_safety: critical_loads[0] / compression,
            amplification,
            interaction: known.map(|(s, limit)| compression / (s.area * limit) + amplification * bent / limit),
        })
    }
}
