//! What a measure computes: paths into the results of commands, with arithmetic and functions of lists.
//!
//! ```text
//! size.payload.maximum
//! max(size.drives.effort_utilization)
//! size.drives[elbow].rms / show.mass
//! ```
//!
//! A path begins with the name of a run. `.key` of a list is that of each of its elements; `[3]` is an element, `[name]` the one whose
//! `joint`, `link` or `name` is that. `null` is no value; `max`, `min`, `sum` and `mean` leave it out.

use serde_json::Value;
use std::collections::BTreeMap;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(Node);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Path { run: String, steps: Vec<Step> },
    Call(Function, Box<Node>),
    Negative(Box<Node>),
    Binary(char, Box<Node>, Box<Node>),
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
    Name(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Max,
    Min,
    Sum,
    Mean,
    Abs,
}

const FUNCTIONS: [(&str, Function); 5] = [
    ("max", Function::Max),
    ("min", Function::Min),
    ("sum", Function::Sum),
    ("mean", Function::Mean),
    ("abs", Function::Abs),
];

/// Keys that name an element of a list.
const NAMES: [&str; 3] = ["joint", "link", "name"];

/// A value during evaluation: a number, none, or a list.
enum Number {
    One(Option<f64>),
    Many(Vec<Option<f64>>),
}

impl Expression {
    /// Parses an expression.
    pub fn parse(text: &str) -> Result<Expression, String> {
        let mut p = Parser { text, at: 0, depth: 0 };
        let node = p.sum()?;
        match p.rest().trim_start() {
            "" => Ok(Expression(node)),
            rest => Err(p.fault(&format!("unexpected `{}`", rest.chars().next().unwrap_or(' ')))),
        }
    }

    /// The names of the runs that it refers to.
    pub fn runs(&self) -> Vec<&str> {
        fn collect<'a>(node: &'a Node, runs: &mut Vec<&'a str>) {
            match node {
                Node::Number(_) => {}
                Node::Path { run, .. } => runs.push(run),
                Node::Call(_, a) | Node::Negative(a) => collect(a, runs),
                Node::Binary(_, a, b) => {
                    collect(a, runs);
                    collect(b, runs);
                }
            }
        }
        let mut runs = vec![];
        collect(&self.0, &mut runs);
        runs.dedup();
        runs
    }

    /// The value for the results of the runs; none if the result has no value there (`null`).
    pub fn value(&self, results: &BTreeMap<String, Value>) -> Result<Option<f64>, String> {
        match evaluate(&self.0, results)? {
            Number::One(Some(x)) if !x.is_finite() => Err(format!("the value is {x}")),
            Number::One(x) => Ok(x),
            Number::Many(all) => Err(format!(
                "the value is a list of {}: take `max(…)`, `min(…)`, `sum(…)` or `mean(…)` of it, or an element",
                all.len()
            )),
        }
    }
}

fn evaluate(node: &Node, results: &BTreeMap<String, Value>) -> Result<Number, String> {
    match node {
        Node::Number(x) => Ok(Number::One(Some(*x))),
        Node::Path { run, steps } => {
            let root = results.get(run).ok_or_else(|| format!("there is no result of `{run}`"))?;
            number(&follow(root, steps, run)?, run)
        }
        Node::Negative(a) => Ok(map(evaluate(a, results)?, |x| -x)),
        Node::Call(Function::Abs, a) => Ok(map(evaluate(a, results)?, f64::abs)),
        Node::Call(function, a) => {
            let all: Vec<f64> = match evaluate(a, results)? {
                Number::One(x) => x.into_iter().collect(),
                Number::Many(all) => all.into_iter().flatten().collect(),
            };
            if all.is_empty() {
                return Ok(Number::One(None));
            }
            Ok(Number::One(Some(match function {
                Function::Max => all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                Function::Min => all.iter().copied().fold(f64::INFINITY, f64::min),
                Function::Mean => all.iter().sum::<f64>() / all.len() as f64,
                _ => all.iter().sum(),
            })))
        }
        Node::Binary(sign, a, b) => {
            let apply = |a: Option<f64>, b: Option<f64>| {
                let (a, b) = (a?, b?);
                Some(match sign {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    _ => a / b,
                })
            };
            Ok(match (evaluate(a, results)?, evaluate(b, results)?) {
                (Number::One(a), Number::One(b)) => Number::One(apply(a, b)),
                (Number::Many(a), Number::One(b)) => Number::Many(a.into_iter().map(|a| apply(a, b)).collect()),
                (Number::One(a), Number::Many(b)) => Number::Many(b.into_iter().map(|b| apply(a, b)).collect()),
                (Number::Many(a), Number::Many(b)) if a.len() == b.len() => {
                    Number::Many(a.into_iter().zip(b).map(|(a, b)| apply(a, b)).collect())
                }
                (Number::Many(a), Number::Many(b)) => {
                    return Err(format!("`{sign}` of lists of {} and {} values", a.len(), b.len()));
                }
            })
        }
    }
}

fn map(x: Number, f: impl Fn(f64) -> f64) -> Number {
    match x {
        Number::One(x) => Number::One(x.map(f)),
        Number::Many(all) => Number::Many(all.into_iter().map(|x| x.map(&f)).collect()),
    }
}

fn number(value: &Value, run: &str) -> Result<Number, String> {
    let one = |value: &Value| match value {
        Value::Null => Ok(None),
        Value::Bool(b) => Ok(Some(f64::from(u8::from(*b)))),
        Value::Number(n) => Ok(n.as_f64()),
        Value::Array(_) => Err(format!("a list of lists in the result of `{run}`: choose one by an index")),
        Value::String(text) => Err(format!("`{text}` in the result of `{run}` is not a number")),
        Value::Object(keys) => Err(format!("an object in the result of `{run}`: choose one of {}", list(keys.keys()))),
    };
    match value {
        Value::Array(all) => Ok(Number::Many(all.iter().map(one).collect::<Result<_, _>>()?)),
        value => Ok(Number::One(one(value)?)),
    }
}

fn list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// The value at the end of a path; keys of a list are those of its elements.
fn follow(value: &Value, steps: &[Step], path: &str) -> Result<Value, String> {
    let Some((step, rest)) = steps.split_first() else { return Ok(value.clone()) };
    match (step, value) {
        // What has no value has no parts with a value.
        (_, Value::Null) => Ok(Value::Null),
        (Step::Key(key), Value::Object(keys)) => {
            let found = keys
                .get(key)
                .ok_or_else(|| format!("the result of `{path}` has no `{key}`; it has {}", list(keys.keys())))?;
            follow(found, rest, &format!("{path}.{key}"))
        }
        (Step::Key(_), Value::Array(all)) => {
            let each = all.iter().map(|value| follow(value, steps, path));
            Ok(Value::Array(each.collect::<Result<_, _>>()?))
        }
        (Step::Key(key), _) => Err(format!("`{path}` is a value without `{key}`")),
        (Step::Index(k), Value::Array(all)) => {
            let found = all.get(*k).ok_or_else(|| {
                format!("`{path}` has {} elements: there is no `[{k}]` (the first is `[0]`)", all.len())
            })?;
            follow(found, rest, &format!("{path}[{k}]"))
        }
        (Step::Name(name), Value::Array(all)) => {
            let named = |value: &&Value| NAMES.iter().any(|key| value.get(key).and_then(Value::as_str) == Some(name));
            let found = all.iter().find(named).ok_or_else(|| {
                let names = all.iter().filter_map(|v| NAMES.iter().find_map(|key| v.get(key)?.as_str()));
                let names: Vec<String> = names.map(|n| format!("`{n}`")).collect();
                format!("`{path}` has no element named `{name}`; it has {}", names.join(", "))
            })?;
            follow(found, rest, &format!("{path}[{name}]"))
        }
        (Step::Index(k), _) => Err(format!("`{path}` is not a list: there is no `[{k}]`")),
        (Step::Name(name), _) => Err(format!("`{path}` is not a list: there is no `[{name}]`")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

/// Maximum nesting of parentheses and signs.
const DEPTH: usize = 64;

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn fault(&self, what: &str) -> String {
        format!("invalid expression `{}`: {what}", self.text)
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Takes one of some characters.
    fn take(&mut self, any: &[char]) -> Option<char> {
        self.skip();
        let next = self.rest().chars().next().filter(|c| any.contains(c))?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn sum(&mut self) -> Result<Node, String> {
        let mut left = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            left = Node::Binary(sign, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, String> {
        let mut left = self.factor()?;
        while let Some(sign) = self.take(&['*', '/']) {
            left = Node::Binary(sign, Box::new(left), Box::new(self.factor()?));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.fault("it is nested too deeply"));
        }
        let node = self.atom();
        self.depth -= 1;
        node
    }

    fn atom(&mut self) -> Result<Node, String> {
        if self.take(&['-']).is_some() {
            return Ok(Node::Negative(Box::new(self.factor()?)));
        }
        if self.take(&['(']).is_some() {
            let inner = self.sum()?;
            return self.close(inner);
        }
        self.skip();
        if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.literal();
        }
        let name = self
            .word()
            .ok_or_else(|| self.fault("expected a number, a path such as `size.payload.maximum`, or a function"))?;
        if self.take(&['(']).is_some() {
            let Some((_, function)) = FUNCTIONS.iter().find(|f| f.0 == name) else {
                let known = FUNCTIONS.map(|f| format!("`{}`", f.0)).join(", ");
                return Err(self.fault(&format!("unknown function `{name}`; there are {known}")));
            };
            let inner = self.sum()?;
            return self.close(Node::Call(*function, Box::new(inner)));
        }
        let mut steps = vec![];
        loop {
            if self.rest().starts_with('.') {
                self.at += 1;
                let key = self.word().ok_or_else(|| self.fault("expected a key after `.`"))?;
                steps.push(Step::Key(key));
            } else if self.rest().starts_with('[') {
                let end = self.rest().find(']').ok_or_else(|| self.fault("`[` is not closed"))?;
                let inside = self.rest()[1..end].trim().to_string();
                self.at += end + 1;
                steps.push(inside.parse().map_or(Step::Name(inside), Step::Index));
            } else {
                return match steps.is_empty() {
                    true => {
                        Err(self.fault(&format!("`{name}` alone is no value: follow it by a key, such as `{name}.…`")))
                    }
                    false => Ok(Node::Path { run: name, steps }),
                };
            }
        }
    }

    fn close(&mut self, inner: Node) -> Result<Node, String> {
        if self.take(&[')']).is_none() {
            return Err(self.fault("`(` is not closed"));
        }
        Ok(inner)
    }

    fn literal(&mut self) -> Result<Node, String> {
        let rest = self.rest();
        let mut end = 0;
        for (k, c) in rest.char_indices() {
            let after_exponent = rest[..k].ends_with(['e', 'E']);
            if !(c.is_ascii_digit() || c == '.' || matches!(c, 'e' | 'E') || matches!(c, '+' | '-') && after_exponent) {
                break;
            }
            end = k + c.len_utf8();
        }
        let text = rest[..end].to_string();
        let x = text.parse::<f64>().ok().filter(|x| x.is_finite());
        let x = x.ok_or_else(|| self.fault(&format!("`{text}` is not a number")))?;
        self.at += end;
        Ok(Node::Number(x))
    }

    fn word(&mut self) -> Option<String> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = rest[..end].to_string();
        self.at += end;
        (!word.is_empty()).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(text: &str) -> Result<Option<f64>, String> {
        let size = json!({
            "payload": { "maximum": 7.5 }, "none": null,
            "drives": [{ "joint": "a b", "rms": 3.0, "u": null }, { "joint": "elbow", "rms": -4.0, "u": 0.5 }],
        });
        Expression::parse(text)?.value(&BTreeMap::from([("size".to_string(), size)]))
    }

    #[test]
    fn paths_functions_and_arithmetic() {
        for (text, expected) in [
            ("size.payload.maximum", 7.5),
            ("size.drives[elbow].rms", -4.0),
            ("size.drives[a b].rms", 3.0),
            ("size.drives[1].rms", -4.0),
            ("max(size.drives.rms)", 3.0),
            ("min(size.drives.rms) ", -4.0),
            ("sum(size.drives.rms)", -1.0),
            ("mean(abs(size.drives.rms))", 3.5),
            ("max(size.drives.rms * 2 - 1)", 5.0),
            ("max(size.drives.u)", 0.5),
            ("2 - 3 - 4", -5.0),
            ("-(2 + 4) / 3 / 2", -1.0),
            ("1e-3 * 2E+3", 2.0),
            ("sum(size.drives.rms * size.drives.rms)", 25.0),
        ] {
            assert_eq!(value(text), Ok(Some(expected)), "{text}");
        }
        for none in ["size.none", "size.none.anything", "size.none + 1", "max(size.none)", "size.drives[0].u"] {
            assert_eq!(value(none), Ok(None), "{none}");
        }
    }

    #[test]
    fn errors_say_what_there_is() {
        for (text, parts) in [
            ("size.paylod.maximum", &["no `paylod`", "`payload`, `none`, `drives`"][..]),
            ("size.drives[wrist].rms", &["no element named `wrist`", "`a b`, `elbow`"]),
            ("size.drives[2].rms", &["2 elements"]),
            ("size.drives.rms", &["list of 2", "max("]),
            ("size.payload", &["object", "`maximum`"]),
            ("size", &["alone"]),
            ("maximum(size.drives.rms)", &["unknown function `maximum`", "`max`"]),
            ("1 / 0", &["inf"]),
            ("(1", &["not closed"]),
            ("1 +", &["expected a number"]),
            ("1 2", &["unexpected `2`"]),
            ("size.drives[0", &["not closed"]),
            ("range.x", &["no result of `range`"]),
        ] {
            let error = value(text).unwrap_err();
            assert!(parts.iter().all(|p| error.contains(p)), "{text}: {error}");
        }
        assert!(Expression::parse(&"(".repeat(10_000)).is_err());
        assert_eq!(Expression::parse("a.x / max(b.y)").unwrap().runs(), ["a", "b"]);
    }
}
