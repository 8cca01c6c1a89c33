//! The commands, one per file.

pub mod check;
pub mod completions;
pub mod control;
pub mod convert;
pub mod deflect;
pub mod derive;
pub mod explain;
pub mod forward;
pub mod importance;
pub mod inverse;
mod inverse_kinematics;
pub mod kinematics;
pub mod man;
pub mod ops;
mod programs;
pub mod range;
pub mod report;
pub mod reproduce;
pub mod robots;
pub mod show;
pub mod simplify;
pub mod simulate;
pub mod size;
pub mod terms;
pub mod tipover;
pub mod trace;
pub mod trajectory;
