//! The class of a row: what its verdict rests on. It follows from what the row prints and from what its expressions ask of a robot.

use crate::document::Source;
use crate::evaluation::RowContext;
use crate::expression::{Expression, with_numbers};
use crate::printed::{Claim, Printed};
use crate::query::{self, Query};
use crate::scene::{Scene, at_zero};
use std::collections::{BTreeMap, HashMap};

/// What the verdict on a row rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowClass {
    /// What is printed is compared with what the algorithms compute.
    Computed,
    /// The printed number is a parameter of the robot's file: it is read back.
    Input,
    /// No algorithm is asked: vector algebra, or arithmetic on the file's parameters.
    Algebra,
    /// Nothing comparable is printed, or the print is lost: the computed value is compared with an independent one.
    Own,
    /// A bound, or a statement in words, is judged against a range.
    Statement,
    /// Judged by reading: nothing is computed.
    #[default]
    Reading,
}

impl RowClass {
    /// All classes.
    pub const ALL: [RowClass; 6] =
        [RowClass::Computed, RowClass::Input, RowClass::Algebra, RowClass::Own, RowClass::Statement, RowClass::Reading];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RowClass::Computed => "computed",
            RowClass::Input => "input",
            RowClass::Algebra => "algebra",
            RowClass::Own => "own check",
            RowClass::Statement => "statement",
            RowClass::Reading => "reading",
        }
    }

    /// What it means.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            RowClass::Computed => "computed by the algorithms",
            RowClass::Input => "read back from the robot's file",
            RowClass::Algebra => "algebra, or arithmetic on the input",
            RowClass::Own => "no print, or a lost one; own reference",
            RowClass::Statement => "bound or words, judged against a range",
            RowClass::Reading => "nothing is computed",
        }
    }
}

/// The largest nesting depth of symbol definitions.
const MAX_DEPTH: usize = 24;

/// The parameters of a product with their powers; a number has none.
type Factors = BTreeMap<String, i64>;

impl RowContext<'_> {
    /// The row's class.
    pub fn class(&self) -> Result<RowClass, String> {
        let row = self.row;
        if row.compute.is_none() && row.equals.is_none() {
            return Ok(RowClass::Reading);
        }
        let claim = row.printed.as_deref().map(Printed::parse).transpose()?.map(|p| p.claim);
        if matches!(claim, Some(Claim::Below | Claim::Above | Claim::About)) {
            return Ok(RowClass::Statement);
        }
        if row.printed.is_none() && row.formula.is_none() {
            return Ok(RowClass::Own);
        }
        let Source { compute, formula, equals, correct, .. } = row;
        let mut questions = Questions { context: *self, scenes: HashMap::new(), algorithm: false };
        let mut single = false;
        for text in [compute, formula, equals, correct].into_iter().flatten() {
            let factors = questions.factors(&Expression::parse(text)?, &[], 0)?;
            single = compute.is_some() && factors.is_some_and(|f| is_single(&f));
        }
        Ok(match (questions.algorithm, single) {
            (true, _) => RowClass::Computed,
            (false, true) => RowClass::Input,
            (false, false) => RowClass::Algebra,
        })
    }
}

/// Whether a product is one parameter, up to numbers; a gear ratio only takes it from the joint to the motor.
fn is_single(factors: &Factors) -> bool {
    let left: Vec<(&String, &i64)> = factors.iter().filter(|(_, power)| **power != 0).collect();
    let others = left.iter().filter(|(name, _)| !name.starts_with("gear ")).count();
    left.iter().all(|(_, power)| power.abs() == 1) && (others == 1 || (others == 0 && left.len() == 1))
}

/// What expressions ask of the robots.
struct Questions<'a> {
    context: RowContext<'a>,
    scenes: HashMap<String, Scene<f64>>,
    /// Whether they ask an algorithm.
    algorithm: bool,
}

impl Questions<'_> {
    /// The parameters of a product; none if it is something else. Every query within is noted.
    fn factors(&mut self, e: &Expression, bound: &[(String, i64)], depth: usize) -> Result<Option<Factors>, String> {
        match e {
            Expression::Number(_) => Ok(Some(Factors::new())),
            Expression::Name(name) if bound.iter().any(|(own, _)| own == name) || name == "pi" => {
                Ok(Some(Factors::new()))
            }
            Expression::Name(name) => self.symbol(name, &[], depth),
            Expression::Query(text) => self.query(&with_numbers(text, bound)),
            Expression::Minus(of) => self.factors(of, bound, depth),
            Expression::Binary(operator, of) => {
                let [a, b] = [&of[0], &of[1]].map(|x| self.factors(x, bound, depth));
                let (Some(a), Some(b)) = (a?, b?) else { return Ok(None) };
                Ok(match (operator, &of[1]) {
                    ('*', _) => Some(product(a, &b, 1)),
                    ('/', _) => Some(product(a, &b, -1)),
                    ('^', Expression::Number(n)) => Some(a.into_iter().map(|(k, p)| (k, p * *n as i64)).collect()),
                    _ => (a.is_empty() && b.is_empty()).then_some(a),
                })
            }
            Expression::Index(of, at) => match &**of {
                Expression::Name(name) if self.context.definition(name).is_some_and(|(_, own)| !own.is_empty()) => {
                    let numbers: Vec<i64> = at.iter().map(index).collect();
                    self.symbol(name, &numbers, depth)
                }
                of => self.factors(of, bound, depth).map(|f| f.filter(Factors::is_empty)),
            },
            Expression::List(of) => self.all(of, bound, depth),
            Expression::Call(name, of) => {
                let (mut bound, mut of) = (bound.to_vec(), &of[..]);
                if let ("sum", [Expression::Name(k), rest @ ..]) = (name.as_str(), of) {
                    bound.push((k.clone(), 1));
                    of = rest;
                }
                self.all(of, &bound, depth)
            }
        }
    }

    /// No parameters if all expressions are numbers.
    fn all(&mut self, of: &[Expression], bound: &[(String, i64)], depth: usize) -> Result<Option<Factors>, String> {
        let mut numbers = true;
        for e in of {
            numbers &= self.factors(e, bound, depth)?.is_some_and(|f| f.is_empty());
        }
        Ok(numbers.then(Factors::new))
    }

    fn symbol(&mut self, name: &str, numbers: &[i64], depth: usize) -> Result<Option<Factors>, String> {
        if depth == MAX_DEPTH {
            return Err(format!("`{name}` is defined by itself, or nested too deep"));
        }
        let context = self.context;
        let in_state = self.scene(context.robot).is_some_and(|scene| scene.place(name).is_some());
        let Some((text, own)) = context.definition(name).filter(|_| !in_state && !context.row.free.contains_key(name))
        else {
            return Ok(None);
        };
        let own: Vec<_> = own.iter().map(ToString::to_string).zip(numbers.iter().copied()).collect();
        self.factors(&Expression::parse(&with_numbers(text, &own))?, &[], depth + 1)
    }

    fn query(&mut self, text: &str) -> Result<Option<Factors>, String> {
        let query = Query::parse(text)?;
        let own = self.context.robot;
        let robot = query.robot.unwrap_or(own);
        if !self.scene(robot).is_some_and(|scene| query::reads_input(&query, scene)) {
            self.algorithm = true;
            return Ok(None);
        }
        let words = query.words.join(" ");
        let name = if robot == own { words } else { format!("{words} of {robot}") };
        Ok(Some(Factors::from([(name, 1)])))
    }

    /// A robot with the parameters of its file.
    fn scene(&mut self, robot: &str) -> Option<&Scene<f64>> {
        if !self.scenes.contains_key(robot) {
            self.scenes.insert(robot.to_string(), at_zero(self.context.robots.get(robot)?));
        }
        self.scenes.get(robot)
    }
}

fn product(mut a: Factors, b: &Factors, sign: i64) -> Factors {
    b.iter().for_each(|(name, power)| *a.entry(name.clone()).or_default() += sign * power);
    a
}

/// A member's number; any will do where it runs.
fn index(e: &Expression) -> i64 {
    if let Expression::Number(x) = e { *x as i64 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, reproduce};
    use armdyn_core::Progress;

    #[test]
    fn the_class_follows_from_what_is_printed_and_asked() {
        let document = r#"
            title = "t"
            about = ""
            implemented = []
            [robots.arm]
            file = "lin-rr"
            coordinates = ["a", "b"]
            [symbols]
            m1 = "{m1}"
            k1 = "{Izz1}/m1"
            "m[j]" = "{m$j}"
            "r[j]" = "{position link$j}"
            mass = "sum(j, 1, 2, m[j])"
            [[section]]
            title = "s"
        "#;
        for (row, expected) in [
            ("compute = '{D11}'\nprinted = '1'", RowClass::Computed),
            ("compute = 'sum(j, 1, 2, r[j][1])'\nprinted = '1'", RowClass::Computed),
            ("compute = '{D11}'\nprinted = '< 1'", RowClass::Statement),
            ("compute = '{D11}'\nprinted = '~ 1'", RowClass::Statement),
            ("compute = '{D11}'\nprinted = '= 1'", RowClass::Computed),
            ("compute = '{D11}'\ntext = 'lost'\nexpected = 1", RowClass::Own),
            ("equals = '{D11}'\ncorrect = '{D11}'\ntext = 'lost'", RowClass::Own),
            ("text = 'words'", RowClass::Reading),
            ("compute = '-100*m1/3'\nprinted = '1'", RowClass::Input),
            ("compute = 'm1*k1*cos(0°)'\nprinted = '1'", RowClass::Input),
            ("compute = '{effort 1}/{gear 1}'\nprinted = '1'", RowClass::Input),
            ("compute = '{gear 1}'\nprinted = '1'", RowClass::Input),
            ("compute = 'm[1]*k1'\nprinted = '1'", RowClass::Input),
            ("compute = 'm1^2'\nprinted = '1'", RowClass::Algebra),
            ("compute = 'm1*{lx2}'\nprinted = '1'", RowClass::Algebra),
            ("compute = 'mass'\nprinted = '1'", RowClass::Algebra),
            ("compute = '2.54'\nprinted = '1'", RowClass::Algebra),
            (
                "equals = 'cross(u, v)'\nformula = '-cross(v, u)'\nfree = { u = 'vector', v = 'vector' }",
                RowClass::Algebra,
            ),
            ("equals = 'm1'\nformula = 'm1'", RowClass::Algebra),
            ("equals = '{D22}'\nformula = 'm1'", RowClass::Computed),
        ] {
            let text = format!("{document}\n[[section.row]]\nequation = '1'\nquantity = 'q'\n{row}");
            let found = reproduce(parse("t", &text).unwrap(), &Progress::none()).unwrap();
            let found = found.rows().next().unwrap();
            assert_eq!(found.class, expected, "{row}: {}", found.note);
        }
    }
}
