//! Elastic links and joints: deflection, stress, buckling and natural frequencies of a robot under load.
//!
//! Lau 1985, chapter 7, corrected and generalised. Links are straight beams between joints ([`Structure`]); loads are the
//! complete ones of the rigid robot in motion (`loads.rs`); displacements are exact for small deflections of Timoshenko
//! beams (`cantilever.rs`). The static solution requires a motion that is slow relative to the natural frequencies:
//! [`Structure::frequencies`] and [`bandwidth`] check that.

mod analysis;
mod bandwidth;
mod buckling;
mod cantilever;
#[cfg(feature = "plot")]
mod charts;
mod compensation;
mod deflection;
mod deflection_map;
mod deformation_modes;
mod element;
mod frequencies;
mod loads;
mod section;
mod strength;
mod structure;
mod trajectory;

pub use analysis::{DeflectionAnalysis, Motion, Options};
pub use bandwidth::{BANDWIDTH_ENERGY, BandwidthCheck, MIN_FREQUENCY_RATIO, bandwidth, static_error};
pub use buckling::EndConditions;
pub use cantilever::BeamStiffness;
pub use compensation::{Compensation, CompensationTarget};
pub use deflection::{Component, Contribution, Deflection, Displacement, LinkDeflection, ToolDeflection};
pub use deflection_map::{DeflectionMap, MapOptions, WorstConfiguration};
pub use deformation_modes::DeformationModes;
pub use frequencies::{EnergyFraction, JointSpring, VibrationMode};
pub use loads::LoadCase;
pub use section::{SectionProperties, StressPoint};
pub use strength::{Failure, Strength};
pub use structure::{ElasticBeam, ElasticLink, LumpedMass, Structure};
pub use trajectory::{LinkPeaks, TrajectoryDeflection};
