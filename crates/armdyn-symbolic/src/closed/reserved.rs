//! Symbols of the equations that are not parameters, and the order of parameters in products.

use super::options::{ClosedError, ClosedOptions, Notation, Parameters};
use super::ring::Coordinate;
use crate::parameters::{Parameter, Symbol};
use crate::symbols::SymbolError;

/// An error if the user gave a parameter a symbol that the equations use for something else.
pub(super) fn check(options: &ClosedOptions, coordinates: &[Coordinate]) -> Result<(), ClosedError> {
    for symbol in options.symbols.symbols() {
        if let Some(meaning) = meaning(symbol, options, coordinates) {
            return Err(SymbolError::Reserved { symbol: symbol.plain(), meaning }.into());
        }
    }
    Ok(())
}

/// What a symbol means in the equations, if it has a meaning.
fn meaning(s: &Symbol, options: &ClosedOptions, coordinates: &[Coordinate]) -> Option<&'static str> {
    let (bare, numbered) = (s.number.is_empty(), !s.number.is_empty());
    let component = numbered && matches!(&*s.axes, "x" | "y" | "z");
    let m = options.notation == Notation::M;
    Some(match (&*s.letter, &*s.axes) {
        ("s", "") if numbered => "the sine of a joint angle",
        ("c", "") if numbered => "the cosine of a joint angle",
        ("s", "in") | ("c", "os") if bare => "a function",
        ("θ" | "q", _) => "joint coordinates",
        ("d", "")
            if s.number.first().is_some_and(|&k| coordinates.get(k.wrapping_sub(1)) == Some(&Coordinate::Length)) =>
        {
            "the coordinate of a prismatic joint"
        }
        ("b", "") if numbered && options.parameters == Parameters::Grouped => "groups of parameters",
        ("τ", _) => "joint torques",
        ("D", "") if !m && numbered => "coefficients of the equations",
        ("M" | "Γ", "") | ("g", "") if m && numbered => "coefficients of the equations",
        ("M" | "C", "") if bare => "matrices of the equations",
        ("C", "") => "elements of the matrix C",
        ("T" | "V" | "L", "") if bare && options.energy => "energies",
        ("f" | "n", _) if component && options.wrenches => "components of joint wrenches",
        ("J" | "F", "") | ("M" | "V" | "G" | "a", "x") if options.cartesian.is_some() => "the Cartesian form",
        _ => return None,
    })
}

/// The names of parameters: masses, inertias and what else there is, lengths, gravity; each by its number.
pub(super) fn in_textbook_order(parameters: &[Parameter]) -> impl Iterator<Item = String> {
    let class = |p: &Parameter| match p.unit {
        "kg" => 0,
        "m" => 2,
        "m/s²" => 3,
        _ => 1,
    };
    let mut all: Vec<&Parameter> = parameters.iter().collect();
    all.sort_by_key(|p| (class(p), p.symbol.number.clone()));
    all.into_iter().map(|p| p.symbol.plain()).collect::<Vec<_>>().into_iter()
}
