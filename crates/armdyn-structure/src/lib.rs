//! Elastic links and joints: where a robot goes under its own weight, its motion and its load.
//!
//! Lau 1985, chapter 7, corrected and made general. Links are straight beams between joints ([`Structure`] says how they are
//! found in a file), loads the complete ones of the rigid robot in motion (`loads.rs`), displacements exact for
//! Timoshenko's beam as long as they are small (`cantilever.rs`). The motion must be slow beside the structure's own
//! vibrations: [`Structure::frequencies`] and [`bandwidth`] tell whether it is.

mod along;
mod bandwidth;
mod buckling;
mod cantilever;
mod correction;
mod deflected;
mod deflection_map;
mod element;
mod frequencies;
mod loads;
mod modes;
mod section;
mod shape;
mod strength;
mod structure;

pub use along::{LinkPeaks, MotionDeflection};
pub use bandwidth::{ENERGY, WELL_BELOW, bandwidth, dynamic_surplus};
pub use buckling::Ends;
pub use cantilever::Stiffness;
pub use correction::{Correction, PutBack};
pub use deflected::{Contribution, Deflection, Displacement, LinkDeflection, Part};
pub use deflection_map::DeflectionMap;
pub use frequencies::{Spring, Vibration};
pub use loads::Loading;
pub use modes::Modes;
pub use section::{SectionFigures, StressPoint};
pub use strength::Strength;
pub use structure::{BeamLine, ElasticLink, Lump, Structure, Tool};
