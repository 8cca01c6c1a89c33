//! Deflection over a trajectory: the tool's displacement over time, and the peak loads of each link.

use super::buckling::EndConditions;
use super::loads::{LoadCase, Loads};
use super::structure::Structure;
use super::{DeformationModes, Displacement};
use armdyn_core::{Force, Progress};
use armdyn_numerics::{Peak, Result, Trajectory, parallel_ordered};
use serde::Serialize;

/// Peak loads of a link over a trajectory.
#[derive(Clone, Debug, Serialize)]
pub struct LinkPeaks {
    /// Its name.
    pub link: String,
    /// Displacement of its end \[m\].
    pub displacement: Peak,
    /// Von Mises stress \[Pa\], if the section is known.
    pub stress: Option<Peak>,
    /// Safety factor against yield, if known.
    pub yield_safety_factor: Option<f64>,
    /// Compression \[N\].
    pub compression: Peak,
    /// Safety factor against buckling; infinite (null) without compression.
    pub buckling_safety_factor: f64,
    /// Interaction of compression and bending, if known; above 1 the link fails.
    pub interaction: Option<Peak>,
}

/// Deflection over a trajectory.
#[derive(Clone, Debug, Serialize)]
pub struct TrajectoryDeflection {
    /// Times of the evaluated samples \[s\].
    pub t: Vec<f64>,
    /// Displacement of the tool at each sample.
    pub tool: Vec<Displacement>,
    /// The sample with the maximum translation of the tool.
    pub worst_sample: usize,
    /// All links with a beam.
    pub links: Vec<LinkPeaks>,
}

/// Displacement, stress, compression and interaction of a link.
const VALUES: usize = 4;

impl Structure {
    /// Computes the deflection at each sample, with a wrench on the tool in the base's axes.
    pub fn deflect_trajectory(
        &self,
        trajectory: &Trajectory,
        tool_wrench: Force<f64>,
        modes: &DeformationModes,
        ends: EndConditions,
        progress: &Progress,
    ) -> Result<TrajectoryDeflection> {
        let beams: Vec<usize> = (0..self.links.len()).filter(|k| self.links[*k].beam.is_some()).collect();
        let name = |link: usize| &self.model.links()[link].name;
        let sample = |_: &mut (), k: usize| {
            let [q, qd, qdd] = trajectory.state(k);
            let loads = Loads::new(self, &LoadCase { tool_wrench, ..LoadCase::moving(q, qd, qdd) })?;
            let deflection = self.deflect_under(&loads, modes);
            let values = |link: &usize| {
                let Some(s) = self.link_strength(&loads, *link, ends, modes.shear) else { return [0.0; VALUES] };
                let deflected = deflection.links.iter().find(|l| l.link == *name(*link));
                let displacement = deflected.map_or(0.0, |l| l.displacement.translation.norm());
                [displacement, s.stress.unwrap_or(f64::NAN), s.compression, s.interaction.unwrap_or(f64::NAN)]
            };
            Ok((deflection.tool.displacement, beams.iter().map(values).collect()))
        };
        let mut tool = vec![];
        let mut peaks = vec![[Peak::default(); VALUES]; beams.len()];
        let take = |k: usize, (displacement, links): (Displacement, Vec<[f64; VALUES]>)| {
            tool.push(displacement);
            peaks.iter_mut().flatten().zip(links.iter().flatten()).for_each(|(peak, x)| peak.update(*x, k));
        };
        parallel_ordered(trajectory.len(), "deflection", progress, || Ok(()), sample, take)?;
        let size = |k: &usize| -> f64 { tool[*k].translation.norm() };
        let worst_sample = (0..tool.len()).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0);
        let link_peaks = |(link, [displacement, stress, compression, interaction]): (usize, [Peak; VALUES])| {
            let beam = self.links[link].beam.as_ref()?;
            let known = beam.section.is_some();
            let limit = beam.yield_stress.filter(|_| known);
            Some(LinkPeaks {
                link: name(link).clone(),
                displacement,
                stress: known.then_some(stress),
                yield_safety_factor: limit.map(|y| y / stress.value),
                compression,
                buckling_safety_factor: beam.critical_load(ends, 1, modes.shear) / compression.value,
                interaction: limit.map(|_| interaction),
            })
        };
        let links = beams.iter().copied().zip(peaks).filter_map(link_peaks).collect();
        Ok(TrajectoryDeflection { t: trajectory.t[..tool.len()].to_vec(), tool, worst_sample, links })
    }
}
