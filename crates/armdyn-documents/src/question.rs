//! Questions to a robot, as they stand in braces: `{D11 | theta2=90°}`, `{loaded: tau 2}`.
//!
//! A question is words, to the robot named before a colon, in the state behind a bar. Each kind of question has a file.

mod augmented;
mod beam;
mod cartesian;
mod count;
mod drives;
mod dynamics;
mod energy;
mod forms;
mod frames;
mod friction;
mod inertia;
mod lagrangian;
mod movement;
mod simulation;
mod support;
mod total;
mod wrench;

use crate::scene::Scene;
use crate::setting::{Scalar, conditions};
use crate::value::Value;

/// A question.
#[derive(Clone, Debug, PartialEq)]
pub struct Question<'a> {
    /// The robot asked, where one is named.
    pub robot: Option<&'a str>,
    /// What is asked.
    pub words: Vec<&'a str>,
    /// The state, beside the row's.
    pub at: Vec<(String, String)>,
}

impl<'a> Question<'a> {
    /// Reads it.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        let (words, at) = text.split_once('|').unwrap_or((text, ""));
        let (robot, words) = match words.split_once(':') {
            Some((robot, words)) => (Some(robot.trim()), words),
            None => (None, words),
        };
        Ok(Question { robot, words: words.split_whitespace().collect(), at: conditions(at)? })
    }

    /// The numbers behind a letter: `D12` is 1 and 2.
    pub fn numbers(word: &str, letter: &str) -> Option<Vec<usize>> {
        let digits = word.strip_prefix(letter).filter(|d| !d.is_empty())?;
        digits.chars().map(|c| c.to_digit(10).filter(|d| *d > 0).map(|d| d as usize)).collect()
    }
}

/// Puts it.
pub fn answer<S: Scalar>(question: &Question, scene: &Scene<S>) -> Result<Value<S>, String> {
    if let Some(&value) = scene.figures.get(&question.words.join(" ")) {
        return Ok(value.into());
    }
    let kinds = [
        dynamics::answer::<S>,
        movement::answer::<S>,
        drives::answer::<S>,
        lagrangian::answer::<S>,
        total::answer::<S>,
        augmented::answer::<S>,
        count::answer::<S>,
        support::answer::<S>,
        simulation::answer::<S>,
        beam::answer::<S>,
        frames::answer::<S>,
        inertia::answer::<S>,
        wrench::answer::<S>,
        cartesian::answer::<S>,
        energy::answer::<S>,
        forms::answer::<S>,
        friction::answer::<S>,
    ];
    let found = kinds.iter().find_map(|kind| kind(&question.words, scene));
    found.unwrap_or_else(|| Err("nobody knows what this asks".to_string()))
}

/// Why a question has no answer over polynomials.
pub const NUMBERS_ALONE: &str = "this is answered in numbers alone";

/// An answer that numbers alone have.
fn in_numbers<S: Scalar>(
    scene: &Scene<S>,
    answer: impl FnOnce(&Scene<f64>) -> Result<Value<f64>, String>,
) -> Result<Value<S>, String> {
    let numbers = S::in_numbers(scene).ok_or(NUMBERS_ALONE)?;
    Ok(answer(numbers)?.map(|x| S::lift(*x)))
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
            assert_eq!(Question::parse(text).unwrap(), Question { robot, words, at: state }, "{text}");
        }
        assert!(Question::parse("tau | a").is_err());
    }
}
