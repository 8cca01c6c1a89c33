//! The documents' own equations, against what is derived from the robots' files: equal as polynomials.

mod closed {
    mod documents;
    pub mod formula;
    mod jpl;
    mod paper;
}
