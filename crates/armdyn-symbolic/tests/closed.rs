//! The documents' equations equal those derived from the robot files, as polynomials.

mod closed {
    mod documents;
    pub mod formula;
    mod jpl;
    mod paper;
    mod supplements;
    mod verified;
}
