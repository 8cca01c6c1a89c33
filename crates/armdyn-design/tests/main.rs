//! Integration tests of the design analyses, as one program: linking is the slow part.

mod importance;
mod range;
mod servo;
mod simplify;
mod size;
