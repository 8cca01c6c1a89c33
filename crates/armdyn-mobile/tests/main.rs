//! Integration tests of mobile robots, as one program: linking is the slow part.

mod bases;
mod heading;
mod lau;
mod tipover;
