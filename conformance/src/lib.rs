//! Every formulation of a quantity in a list, for the tests that compare each with each.

pub mod formulations;
