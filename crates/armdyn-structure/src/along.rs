//! A whole motion: the tool's displacement over time, and the greatest loads of each link.

use super::buckling::Ends;
use super::loads::{Loading, Loads};
use super::structure::Structure;
use super::{Displacement, Modes};
use armdyn_core::{Force, Progress, Vec3, vec3};
use armdyn_numerics::{Peak, Result, Trajectory, parallel_ordered};

/// What a link bore at worst.
#[derive(Clone, Debug)]
pub struct LinkPeaks {
    /// The link, by number.
    pub link: usize,
    /// The greatest displacement of its end \[m\].
    pub shift: Peak,
    /// The greatest von Mises stress \[Pa\], if the section is known.
    pub stress: Option<Peak>,
    /// Yield stress by that, if known.
    pub yield_safety: Option<f64>,
    /// The greatest compression \[N\].
    pub compression: Peak,
    /// Critical load by that; infinite where it is only pulled.
    pub buckling_safety: f64,
    /// The greatest of compression and bending together, if known: above 1 it fails.
    pub interaction: Option<Peak>,
}

/// A motion under load.
#[derive(Clone, Debug)]
pub struct MotionDeflection {
    /// The tool's displacement at each sample that was done.
    pub tool: Vec<Displacement>,
    /// The sample of its greatest shift.
    pub worst: usize,
    /// Every link that is a beam.
    pub links: Vec<LinkPeaks>,
}

const TOOL: usize = 6;
const PER_LINK: usize = 4;

impl Structure {
    /// Over a trajectory, with a wrench on the tool in the base's axes.
    pub fn deflect_along(
        &self,
        trajectory: &Trajectory,
        on_tool: Force<f64>,
        modes: &Modes,
        ends: Ends,
        progress: &Progress,
    ) -> Result<MotionDeflection> {
        let beams: Vec<usize> = (0..self.links.len()).filter(|k| self.links[*k].beam.is_some()).collect();
        let width = TOOL + PER_LINK * beams.len();
        let fill = |_: &mut (), k: usize, row: &mut [f64]| {
            let [q, qd, qdd] = trajectory.state(k);
            let loads = Loads::new(self, &Loading { on_tool, ..Loading::moving(q, qd, qdd) })?;
            let found = self.deflect_under(&loads, modes);
            let (tool, links) = row.split_at_mut(TOOL);
            tool[..3].copy_from_slice(&found.tool.shift.to_array());
            tool[3..].copy_from_slice(&found.tool.turn.to_array());
            for (figures, link) in links.chunks_mut(PER_LINK).zip(&beams) {
                let Some(s) = self.strength_of(&loads, *link, ends, modes.shear) else { continue };
                let shift = found.links.iter().find(|l| l.link == *link).map_or(0.0, |l| l.displacement.shift.norm());
                let nothing = f64::NAN;
                figures.copy_from_slice(&[
                    shift,
                    s.stress.unwrap_or(nothing),
                    s.compression,
                    s.interaction.unwrap_or(nothing),
                ]);
            }
            Ok(())
        };
        let mut tool = vec![];
        let mut peaks = vec![[Peak::default(); PER_LINK]; beams.len()];
        let see = |first: usize, rows: &[f64]| {
            for (k, row) in rows.chunks(width).enumerate() {
                let (shift, turn) = (vec3(row[0], row[1], row[2]), vec3(row[3], row[4], row[5]));
                tool.push(Displacement { shift, turn });
                for (peaks, figures) in peaks.iter_mut().zip(row[TOOL..].chunks(PER_LINK)) {
                    peaks.iter_mut().zip(figures).for_each(|(peak, x)| peak.update(*x, first + k));
                }
            }
        };
        parallel_ordered(trajectory.len(), width, "deflection", progress, || (), fill, see)?;
        let size = |k: &usize| -> f64 { Vec3::norm(tool[*k].shift) };
        let worst = (0..tool.len()).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0);
        let told = |(link, [shift, stress, compression, interaction]): (usize, [Peak; PER_LINK])| {
            let beam = self.links[link].beam.as_ref()?;
            let known = beam.section.is_some();
            let limit = beam.yield_stress.filter(|_| known);
            Some(LinkPeaks {
                link,
                shift,
                stress: known.then_some(stress),
                yield_safety: limit.map(|y| y / stress.value),
                compression,
                buckling_safety: beam.critical_load(ends, 1, modes.shear) / compression.value,
                interaction: limit.map(|_| interaction),
            })
        };
        let links = beams.iter().copied().zip(peaks).filter_map(told).collect();
        Ok(MotionDeflection { tool, worst, links })
    }
}
