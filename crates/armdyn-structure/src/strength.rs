//! Strength of links: stress against yield, compression against buckling, and both together.
//!
//! Along each beam the maximum von Mises stress of its section (`section.rs`). A compression P amplifies the bending of a
//! beam by 1/(1 − P/P_cr); with that factor the interaction of compression and bending is
//!
//!   P/(A σ_y) + σ_b/((1 − P/P_cr) σ_y) ≤ 1                                                          (1)

use super::buckling::EndConditions;
use super::loads::{LoadCase, Loads};
use super::structure::Structure;
use armdyn_numerics::Result;

/// Stress and buckling of a link.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Strength {
    /// Its name.
    pub link: String,
    /// Maximum von Mises stress \[Pa\], if the section is known.
    pub stress: Option<f64>,
    /// Where along the beam it occurs \[m\].
    pub station: f64,
    /// Yield stress divided by the maximum stress, if both are known; infinite (null) without load.
    pub yield_safety_factor: Option<f64>,
    /// Maximum compression along the beam \[N\]; 0 under tension.
    pub compression: f64,
    /// Critical (buckling) loads of the first modes \[N\].
    pub critical_loads: [f64; 3],
    /// First critical load divided by the compression; infinite (null) under tension.
    pub buckling_safety_factor: f64,
    /// Amplification of bending by compression; infinite (null) beyond the critical load.
    pub amplification: f64,
    /// (1), if section and yield stress are known; above 1 the link fails.
    pub interaction: Option<f64>,
    /// How the link fails under the load; empty if it does not.
    pub failures: Vec<Failure>,
}

/// How a link fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// Its stress exceeds the yield stress.
    Yields,
    /// Its compression exceeds the critical load.
    Buckles,
    /// The interaction of compression and bending exceeds 1, below the critical load.
    CompressionAndBending,
}

/// The failures of a link with these safety factors.
fn failures(yield_safety_factor: Option<f64>, buckling_safety_factor: f64, interaction: Option<f64>) -> Vec<Failure> {
    let yields = yield_safety_factor.is_some_and(|x| x < 1.0).then_some(Failure::Yields);
    let compressed = if buckling_safety_factor < 1.0 {
        Some(Failure::Buckles)
    } else {
        interaction.is_some_and(|x| x > 1.0).then_some(Failure::CompressionAndBending)
    };
    yields.into_iter().chain(compressed).collect()
}

/// Checked sections per beam segment.
const SECTIONS: usize = 16;

impl Structure {
    /// Computes stress and buckling of every link with a beam; `shear` applies Engesser's correction to buckling.
    pub fn strength(&self, case: &LoadCase, ends: EndConditions, shear: bool) -> Result<Vec<Strength>> {
        let loads = Loads::new(self, case)?;
        Ok((0..self.links.len()).filter_map(|k| self.link_strength(&loads, k, ends, shear)).collect())
    }

    pub(super) fn link_strength(
        &self,
        loads: &Loads,
        link: usize,
        ends: EndConditions,
        shear: bool,
    ) -> Option<Strength> {
        let beam = self.links[link].beam.as_ref()?;
        let (mut stress, mut station, mut compression, mut bending) = (0.0_f64, 0.0, 0.0_f64, 0.0_f64);
        for pair in loads.stations(beam, link).windows(2) {
            for k in 0..=SECTIONS {
                let x = pair[0] + (pair[1] - pair[0]) * k as f64 / SECTIONS as f64;
                // Just inside the segment: without the point loads at its start, with those at its end.
                let load = loads.internal_load(beam, link, x, k > 0);
                let (force, moment) = (load.force.to_array(), load.moment.to_array());
                compression = compression.max(-force[0]);
                if let Some(section) = &beam.section {
                    let here = section.stress(force, moment);
                    (stress, station) = if here > stress { (here, x) } else { (stress, station) };
                    bending = bending.max(section.bending_stress(moment));
                }
            }
        }
        let critical_loads = [1, 2, 3].map(|mode| beam.critical_load(ends, mode, shear));
        let ratio = compression / critical_loads[0];
        let amplification = if ratio < 1.0 { 1.0 / (1.0 - ratio) } else { f64::INFINITY };
        let known = beam.section.as_ref().zip(beam.yield_stress);
        let yield_safety_factor = known.map(|(_, limit)| limit / stress);
        let buckling_safety_factor = critical_loads[0] / compression;
        let interaction = known.map(|(s, limit)| compression / (s.area * limit) + amplification * bending / limit);
        Some(Strength {
            link: self.model.links()[link].name.clone(),
            stress: beam.section.as_ref().map(|_| stress),
            station,
            yield_safety_factor,
            compression,
            critical_loads,
            buckling_safety_factor,
            amplification,
            interaction,
            failures: failures(yield_safety_factor, buckling_safety_factor, interaction),
        })
    }
}
