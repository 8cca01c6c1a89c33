//! The commands, one a file.

pub mod check;
pub mod convert;
pub mod derive;
pub mod explain;
pub mod forward;
pub mod inverse;
pub mod kinematics;
pub mod robots;
pub mod show;
pub mod terms;
