//! Queries to a robot, in braces: `{D11 | theta2=90°}`, `{loaded: tau 2}`.
//!
//! A query is a list of words, with an optional robot before a colon and an optional state after a bar. Each subject has a file.

mod augmented;
mod beam;
mod cartesian;
mod count;
mod drives;
mod dynamics;
mod energy;
mod forms;
mod frames;
mod inertia;
mod lagrangian;
mod movement;
mod simulation;
mod support;
mod total;
mod wrench;

use crate::conditions::conditions;
use crate::scalar::Scalar;
use crate::scene::Scene;
use crate::value::Value;

/// The value of a query; none if it is about another subject.
type Found<S> = Option<Result<Value<S>, String>>;

/// A query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query<'a> {
    /// The robot, if one is named.
    pub robot: Option<&'a str>,
    /// The words of the query.
    pub words: Vec<&'a str>,
    /// The state, in addition to the row's.
    pub at: Vec<(String, String)>,
}

impl<'a> Query<'a> {
    /// Parses a query.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        let (words, at) = text.split_once('|').unwrap_or((text, ""));
        let (robot, words) = match words.split_once(':') {
            Some((robot, words)) => (Some(robot.trim()), words),
            None => (None, words),
        };
        Ok(Query { robot, words: words.split_whitespace().collect(), at: conditions(at)? })
    }

    /// The digits after a letter: `D12` gives 1 and 2.
    pub fn numbers(word: &str, letter: &str) -> Option<Vec<usize>> {
        let digits = word.strip_prefix(letter).filter(|d| !d.is_empty())?;
        digits.chars().map(|c| c.to_digit(10).filter(|d| *d > 0).map(|d| d as usize)).collect()
    }
}

/// The value of a query.
pub fn evaluate<S: Scalar>(query: &Query, scene: &Scene<S>) -> Result<Value<S>, String> {
    if let Some(&value) = scene.parameters.get(&query.words.join(" ")) {
        return Ok(value.into());
    }
    let subjects = [
        dynamics::evaluate::<S>,
        movement::evaluate::<S>,
        lagrangian::evaluate::<S>,
        total::evaluate::<S>,
        augmented::evaluate::<S>,
        count::evaluate::<S>,
        support::evaluate::<S>,
        simulation::evaluate::<S>,
        beam::evaluate::<S>,
        frames::evaluate::<S>,
        inertia::evaluate::<S>,
        wrench::evaluate::<S>,
        cartesian::evaluate::<S>,
        energy::evaluate::<S>,
        forms::evaluate::<S>,
        drives::evaluate::<S>,
    ];
    let value = subjects.iter().find_map(|subject| subject(&query.words, scene));
    value.unwrap_or_else(|| Err("unknown query".to_string()))
}

/// Whether a query reads a parameter of the robot's file instead of asking an algorithm.
pub fn reads_input<S>(query: &Query, scene: &Scene<S>) -> bool {
    let of_the_file = |words: &[&str]| {
        matches!(
            words,
            ["gear" | "effort" | "viscous" | "coulomb" | "static" | "mass", _]
                | ["contact", "at" | "holding" | "sliding" | "rolling", ..]
                | ["beam", "EI" | "length" | "mass" | "yield", ..]
                | ["gravity"]
        )
    };
    scene.parameters.contains_key(&query.words.join(" ")) || of_the_file(&query.words)
}

/// The error of a query without a value over polynomials.
pub const NUMBERS_ONLY: &str = "this query has a value over numbers only";

/// A value that exists over numbers only.
fn in_numbers<S: Scalar>(
    scene: &Scene<S>,
    value: impl FnOnce(&Scene<f64>) -> Result<Value<f64>, String>,
) -> Result<Value<S>, String> {
    let numbers = S::in_numbers(scene).ok_or(NUMBERS_ONLY)?;
    Ok(value(numbers)?.map(|x| S::lift(*x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robot_words_and_state() {
        let at = |all: &[(&str, &str)]| all.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect::<Vec<_>>();
        for (text, robot, words, state) in [
            ("D11", None, vec!["D11"], at(&[])),
            ("loaded: tau 2 | a=1", Some("loaded"), vec!["tau", "2"], at(&[("a", "1")])),
            ("m motor 1", None, vec!["m", "motor", "1"], at(&[])),
            ("tau | a=b:c", None, vec!["tau"], at(&[("a", "b:c")])),
            ("tau | a=1 | b=2", None, vec!["tau"], at(&[("a", "1 | b=2")])),
            ("", None, vec![], at(&[])),
        ] {
            assert_eq!(Query::parse(text).unwrap(), Query { robot, words, at: state }, "{text}");
        }
        assert!(Query::parse("tau | a").is_err());
    }
}
