//! Robots to compute with (those of the documents and of the peers, and random ones), and every formulation in a list.

pub mod formulations;
pub mod peers;
pub mod random;
pub mod seeds;
