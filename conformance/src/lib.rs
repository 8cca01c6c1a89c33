//! Robots to compute with: those of the documents and of the peers, and random ones.

pub mod peers;
pub mod random;
pub mod seeds;
