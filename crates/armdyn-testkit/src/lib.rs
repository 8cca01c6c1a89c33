//! Robots to test with: random ones, those of the documents and those of the peers, with their golden data.

pub mod peers;
pub mod random;
pub mod seeds;
