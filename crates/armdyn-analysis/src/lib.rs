//! What a designer asks of a robot: how its inertia and gravity vary, which terms matter, how simple its model may be, and
//! what its drives must bear.
//!
//! After Bejczy 1974, section VII, for any robot whose coordinates are each one angle or one length.

mod error;
pub mod plot;
mod region;
mod trajectory;
mod watch;

pub use error::{Error, Result};
pub use region::Region;
pub use trajectory::Trajectory;
pub use watch::Watch;
