//! Robots to compute with: those of the peers, and random ones.

pub mod peers;
pub mod random;
