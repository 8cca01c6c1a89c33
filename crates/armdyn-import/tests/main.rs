//! Integration tests of reading, checking and writing robots, as one program: linking is the slow part.

mod check;
mod export;
mod fuzz;
mod large;
mod library;
mod mjcf;
mod toml;
mod urdf;
mod xacro;
