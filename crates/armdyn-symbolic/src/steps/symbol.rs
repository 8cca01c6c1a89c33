//! Symbols of quantities: ¹ω̇₁, U₂₁, d/dt ∂k/∂θ̇₁.

use crate::typeset::math::{Letter, Math};
use crate::typeset::{latex_math, unicode_math};
use serde::{Serialize, Serializer};
use std::fmt;

/// The symbol of a quantity in a document, with its marks: a frame before it, dots, indices.
///
/// ```
/// use armdyn_symbolic::steps::Symbol;
/// let s = Symbol::new("ω").dots(1).index("1").frame("1");
/// assert_eq!((s.unicode().as_str(), s.latex().as_str()), ("¹ω\u{307}₁", "{}^{1}\\dot{\\omega}_{1}"));
/// ```
#[derive(Clone, Debug)]
pub struct Symbol(pub(crate) Math);

impl Symbol {
    /// A letter, or a few: `ω`, `D`, `k`.
    pub fn new(base: &str) -> Self {
        Symbol(Math::Letter(Letter { base: base.to_string(), power: 1, ..Letter::default() }))
    }

    /// With dots above it: 1 for a first time derivative, 2 for a second one.
    pub fn dots(self, dots: u8) -> Self {
        self.with(|l| l.dots = dots)
    }

    /// With subscripts: `1`, `C1`, `12`.
    pub fn index(self, index: impl Into<String>) -> Self {
        self.with(|l| l.number = index.into())
    }

    /// With the frame in which it is expressed, as a superscript before it: ¹ω₁.
    pub fn frame(self, frame: impl Into<String>) -> Self {
        self.with(|l| l.frame = frame.into())
    }

    /// With a subscript before it: ₁F.
    pub fn before(self, before: impl Into<String>) -> Self {
        self.with(|l| l.before = before.into())
    }

    /// With marks above and after it: Fᵏˡ’ʲ.
    pub fn above(self, above: impl Into<String>) -> Self {
        self.with(|l| l.above = above.into())
    }

    /// ∂`self`/∂`by`.
    pub fn partial(self, by: Symbol) -> Self {
        let of = |x: Math| Math::Row(vec![Math::Word("∂", 1), x]);
        Symbol(Math::Fraction(Box::new(of(self.0)), Box::new(of(by.0))))
    }

    /// d/dt `self`.
    pub fn time_derivative(self) -> Self {
        let word = |w| Box::new(Math::Word(w, 1));
        Symbol(Math::Row(vec![Math::Fraction(word("d"), word("dt")), self.0]))
    }

    /// As text.
    pub fn unicode(&self) -> String {
        unicode_math(&self.0)
    }

    /// For math mode.
    pub fn latex(&self) -> String {
        latex_math(&self.0)
    }

    fn with(mut self, f: impl FnOnce(&mut Letter)) -> Self {
        if let Math::Letter(l) = &mut self.0 {
            f(l);
        }
        self
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.unicode())
    }
}

impl Serialize for Symbol {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.unicode())
    }
}
