//! What a trace consists of.

use super::Symbol;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// A method of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// The iterative Newton–Euler formulation, in link frames (Lin).
    NewtonEuler,
    /// The closed form of the generalized manipulator, term by term (Lau).
    Lau,
    /// Energies and their derivatives (Lin).
    Lagrange,
    /// 4 × 4 matrices and dynamic coefficients (Bejczy).
    Bejczy,
    /// Dynamics in Cartesian space (Lin).
    Cartesian,
    /// The procedure over augmented bodies (Renaud).
    Renaud,
}

named! { Method {
    NewtonEuler "newton-euler", Lau "lau", Lagrange "lagrange", Bejczy "bejczy", Cartesian "cartesian", Renaud "renaud"
} }

impl Method {
    /// The name in a title.
    pub fn title(self) -> &'static str {
        match self {
            Method::NewtonEuler => "Newton–Euler recursion",
            Method::Lau => "Lau's closed form",
            Method::Lagrange => "Lagrange's equations",
            Method::Bejczy => "Bejczy's dynamic coefficients",
            Method::Cartesian => "Cartesian dynamics",
            Method::Renaud => "Renaud's augmented bodies",
        }
    }
}

/// A method applied to a robot: the values of its quantities at a state, or formulas.
#[derive(Clone, Debug, Serialize)]
pub struct Trace<T> {
    /// The method.
    pub method: Method,
    /// The document: author, title, year, chapter or pages.
    pub document: &'static str,
    /// Where names, frames or signs differ from the document's.
    pub notes: Vec<String>,
    /// The steps in the document's order.
    pub steps: Vec<Step<T>>,
}

/// A step of a method.
#[derive(Clone, Debug, Serialize)]
pub struct Step<T> {
    /// What is computed.
    pub title: String,
    /// The equation in the document: `Lin p. 12`, `Lau 3-87`.
    pub equation: String,
    /// The formulas.
    pub formulas: Vec<Formula>,
    /// Errors of the document that are corrected here.
    pub corrections: Vec<Correction>,
    /// The results.
    pub quantities: Vec<Quantity<T>>,
}

/// A formula of a document, in Unicode and LaTeX.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Formula {
    /// As text.
    pub unicode: &'static str,
    /// For math mode.
    pub latex: &'static str,
}

/// An error of a document, corrected.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Correction {
    /// The equation or page.
    pub equation: &'static str,
    /// What is printed, and what is used here.
    pub text: &'static str,
}

/// A quantity of a step.
#[derive(Clone, Debug)]
pub struct Quantity<T> {
    /// Its symbol.
    pub symbol: Symbol,
    /// Its equation, where the step has several.
    pub equation: Option<&'static str>,
    /// The link that it belongs to, by name.
    pub link: Option<String>,
    /// The degree of freedom or joint that it belongs to, by name.
    pub joint: Option<String>,
    /// The indices that its symbol has in the document: joints and links, from 1.
    pub indices: Vec<usize>,
    /// The kind of a term: `inertial`, `centrifugal`, `Coriolis`, `gravity`.
    pub kind: Option<&'static str>,
    /// The frame whose axes its components refer to.
    pub frame: Option<String>,
    /// Its unit; empty if its components have several.
    pub unit: &'static str,
    /// Its value, times the denominator if there is one.
    pub value: Value<T>,
    /// The common denominator of its components.
    pub denominator: Option<T>,
}

/// A scalar, a vector or a matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<T> {
    /// A scalar.
    Scalar(T),
    /// A vector: three components of space, or one per degree of freedom.
    Vector(Vec<T>),
    /// A matrix, row by row.
    Matrix(Vec<Vec<T>>),
}

impl<T> Trace<T> {
    /// The same with other scalars.
    pub fn map<U>(&self, f: &mut impl FnMut(&T) -> U) -> Trace<U> {
        Trace {
            method: self.method,
            document: self.document,
            notes: self.notes.clone(),
            steps: self.steps.iter().map(|s| s.map(f)).collect(),
        }
    }

    /// All quantities.
    pub fn quantities(&self) -> impl Iterator<Item = &Quantity<T>> {
        self.steps.iter().flat_map(|s| &s.quantities)
    }
}

impl<T> Step<T> {
    /// A step without quantities.
    pub fn new(title: impl Into<String>, equation: impl Into<String>) -> Self {
        let (title, equation) = (title.into(), equation.into());
        Step { title, equation, formulas: vec![], corrections: vec![], quantities: vec![] }
    }

    /// With a formula in Unicode and LaTeX.
    pub fn formula(mut self, unicode: &'static str, latex: &'static str) -> Self {
        self.formulas.push(Formula { unicode, latex });
        self
    }

    /// With an error of the document that is corrected here.
    pub fn corrected(mut self, equation: &'static str, text: &'static str) -> Self {
        self.corrections.push(Correction { equation, text });
        self
    }

    /// Adds a quantity.
    pub fn push(&mut self, quantity: Quantity<T>) {
        self.quantities.push(quantity);
    }

    fn map<U>(&self, f: &mut impl FnMut(&T) -> U) -> Step<U> {
        Step {
            title: self.title.clone(),
            equation: self.equation.clone(),
            formulas: self.formulas.clone(),
            corrections: self.corrections.clone(),
            quantities: self.quantities.iter().map(|q| q.map(f)).collect(),
        }
    }
}

impl<T> Quantity<T> {
    /// A scalar.
    pub fn scalar(symbol: Symbol, value: T, unit: &'static str) -> Self {
        Quantity::new(symbol, Value::Scalar(value), unit)
    }

    /// A vector.
    pub fn vector(symbol: Symbol, value: impl Into<Vec<T>>, unit: &'static str) -> Self {
        Quantity::new(symbol, Value::Vector(value.into()), unit)
    }

    /// A matrix, row by row.
    pub fn matrix(symbol: Symbol, rows: Vec<Vec<T>>, unit: &'static str) -> Self {
        Quantity::new(symbol, Value::Matrix(rows), unit)
    }

    fn new(symbol: Symbol, value: Value<T>, unit: &'static str) -> Self {
        let (equation, link, joint, kind, frame, denominator) = (None, None, None, None, None, None);
        Quantity { symbol, equation, link, joint, indices: vec![], kind, frame, unit, value, denominator }
    }

    /// With its equation.
    pub fn by(self, equation: &'static str) -> Self {
        Quantity { equation: Some(equation), ..self }
    }

    /// With the kind of a term.
    pub fn of_kind(self, kind: &'static str) -> Self {
        Quantity { kind: Some(kind), ..self }
    }

    /// With the link that it belongs to.
    pub fn of_link(self, name: &str) -> Self {
        Quantity { link: Some(name.to_string()), ..self }
    }

    /// With the joint that it belongs to.
    pub fn of_joint(self, name: &str) -> Self {
        Quantity { joint: Some(name.to_string()), ..self }
    }

    /// With the frame whose axes its components refer to.
    pub fn in_frame(self, frame: impl Into<String>) -> Self {
        Quantity { frame: Some(frame.into()), ..self }
    }

    /// With its indices in the document, from 1.
    pub fn indices(self, indices: &[usize]) -> Self {
        Quantity { indices: indices.to_vec(), ..self }
    }

    /// With a common denominator of its components.
    pub fn over(self, denominator: T) -> Self {
        Quantity { denominator: Some(denominator), ..self }
    }

    fn map<U>(&self, f: &mut impl FnMut(&T) -> U) -> Quantity<U> {
        Quantity {
            symbol: self.symbol.clone(),
            equation: self.equation,
            link: self.link.clone(),
            joint: self.joint.clone(),
            indices: self.indices.clone(),
            kind: self.kind,
            frame: self.frame.clone(),
            unit: self.unit,
            value: self.value.map(f),
            denominator: self.denominator.as_ref().map(&mut *f),
        }
    }
}

impl<T> Value<T> {
    /// The same with other scalars.
    pub fn map<U>(&self, f: &mut impl FnMut(&T) -> U) -> Value<U> {
        match self {
            Value::Scalar(x) => Value::Scalar(f(x)),
            Value::Vector(v) => Value::Vector(v.iter().map(f).collect()),
            Value::Matrix(rows) => Value::Matrix(rows.iter().map(|r| r.iter().map(&mut *f).collect()).collect()),
        }
    }

    /// The components, row by row.
    pub fn components(&self) -> Vec<&T> {
        match self {
            Value::Scalar(x) => vec![x],
            Value::Vector(v) => v.iter().collect(),
            Value::Matrix(rows) => rows.iter().flatten().collect(),
        }
    }
}

impl<T: Serialize> Serialize for Value<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Scalar(x) => x.serialize(s),
            Value::Vector(v) => v.serialize(s),
            Value::Matrix(rows) => rows.serialize(s),
        }
    }
}

impl<T: Serialize> Serialize for Quantity<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = s.serialize_struct("Quantity", 11)?;
        out.serialize_field("symbol", &self.symbol)?;
        out.serialize_field("latex", &self.symbol.latex())?;
        macro_rules! optional {
            ($($field:ident)*) => { $(match &self.$field {
                Some(x) => out.serialize_field(stringify!($field), x)?,
                None => out.skip_field(stringify!($field))?,
            })* };
        }
        optional!(equation link joint kind frame);
        out.serialize_field("indices", &self.indices)?;
        out.serialize_field("unit", self.unit)?;
        out.serialize_field("value", &self.value)?;
        optional!(denominator);
        out.end()
    }
}
