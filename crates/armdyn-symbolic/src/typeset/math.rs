//! Formulas independent of the format: letters with subscripts, numbers, sums, matrices.

use crate::closed::{
    Angle, Coefficient, Coordinate, Equations, Factor, Fraction, MotionTerm, Product, RATES, Sum, Symbol,
};

/// A letter with subscripts, dots and power.
#[derive(Clone, Debug, Default)]
pub(crate) struct Letter {
    /// Superscript before the letter: the frame of its components.
    pub frame: String,
    /// Subscript before the letter.
    pub before: String,
    pub base: String,
    /// Axes after the letter: `xx`.
    pub axes: String,
    /// Subscript numbers.
    pub number: String,
    /// Time derivatives.
    pub dots: u8,
    /// Superscript that is no power.
    pub above: String,
    pub power: u8,
}

/// Length of a sum above which it is not written as the numerator of a fraction.
const LONG: usize = 20;

/// A formula.
#[derive(Clone, Debug)]
pub(crate) enum Math {
    Letter(Letter),
    Number(f64),
    /// A measured value, never printed as a fraction.
    Decimal(f64),
    /// An upright word or sign: sin, ∂.
    Word(&'static str, u8),
    /// Numerator and denominator.
    Fraction(Box<Math>, Box<Math>),
    /// A sequence.
    Row(Vec<Math>),
    /// The terms, each with whether it is subtracted.
    Sum(Vec<(bool, Math)>),
    Brackets(Box<Math>, u8),
    Matrix(Vec<Vec<Math>>),
    /// Σ over an index.
    Total(&'static str),
}

pub(super) fn letter(base: &str, number: impl Into<String>) -> Letter {
    Letter { base: base.to_string(), number: number.into(), power: 1, ..Letter::default() }
}

/// Numbers as text; separated if those of the robot may have two digits, so that D₁,₁ is not D₁₁.
fn separated(numbers: &[usize], size: usize) -> String {
    let separator = if size >= 10 { "," } else { "" };
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(separator)
}

/// A sum of expressions, each times time derivatives of coordinates: their indices and orders, equal ones in sequence.
pub type MotionTerms = [(Sum, Vec<(usize, u8)>)];

/// The notation of one robot's equations.
pub(super) struct Letters<'a>(pub &'a Equations);

impl Letters<'_> {
    /// Indices from 0 as text.
    pub fn joined(&self, indices: &[usize]) -> String {
        separated(&indices.iter().map(|i| i + 1).collect::<Vec<_>>(), self.0.size())
    }

    /// D₁₂, τ₁: indices from 0.
    pub fn indexed(&self, base: &str, indices: &[usize]) -> Math {
        Math::Letter(letter(base, self.joined(indices)))
    }

    /// θᵢ or dᵢ, with its dots; rates are coordinates of higher numbers.
    pub fn coordinate(&self, i: usize, dots: u8) -> Letter {
        let (i, dots) = (i % RATES, dots + (i / RATES) as u8);
        let base = if self.0.dofs[i].coordinate == Coordinate::Angle { "θ" } else { "d" };
        Letter { dots, ..letter(base, self.joined(&[i])) }
    }

    pub fn symbol(&self, s: &Symbol) -> Letter {
        let dots = ['\u{307}', '\u{308}'].iter().position(|&dots| s.letter.ends_with(dots)).map_or(0, |k| k as u8 + 1);
        let base = s.letter.trim_end_matches(['\u{307}', '\u{308}']);
        Letter { axes: s.axes.to_string(), dots, ..letter(base, separated(&s.number, self.0.size())) }
    }

    pub fn group(&self, k: usize) -> Letter {
        letter("b", (k + 1).to_string())
    }

    /// s₂, c₂₃; sin(2θ₂ − θ₃) if it is no plain sum.
    fn function(&self, short: &str, long: &'static str, angle: &Angle, power: u8) -> Math {
        let joints: Vec<usize> = angle.parts().map(|p| p.0).collect();
        let plain = angle.parts().all(|p| p.1 == 1) && (joints.len() == 1 || self.0.size() < 10);
        if plain {
            let number: String = joints.iter().map(|j| (j + 1).to_string()).collect();
            return Math::Letter(Letter { power, ..letter(short, number) });
        }
        let part = |(joint, times): (usize, i32)| {
            let own = Math::Letter(self.coordinate(joint, 0));
            let size = times.unsigned_abs();
            (times < 0, if size == 1 { own } else { Math::Row(vec![Math::Number(f64::from(size)), own]) })
        };
        let sum = Math::Sum(angle.parts().map(part).collect());
        Math::Row(vec![Math::Word(long, power), Math::Brackets(Box::new(sum), 1)])
    }

    fn factor(&self, f: &Factor, power: u8) -> Math {
        let raised = |l: Letter| Math::Letter(Letter { power, ..l });
        match f {
            Factor::Symbol(k) => raised(self.symbol(&self.0.parameters[*k].symbol)),
            Factor::Group(k) => raised(self.group(*k)),
            Factor::Coordinate(i) => raised(self.coordinate(*i, 0)),
            Factor::Sin(a) => self.function("s", "sin", a, power),
            Factor::Cos(a) => self.function("c", "cos", a, power),
            Factor::Sum(sum) => Math::Brackets(Box::new(self.sum(sum)), power),
        }
    }

    fn product(&self, p: &Product) -> (bool, Math) {
        let size = p.coefficient.abs();
        let mut row = vec![];
        // 1 up to rounding is not written.
        if (size - 1.0).abs() > 1e-14 || p.factors.is_empty() {
            row.push(Math::Number(size));
        }
        row.extend(p.factors.iter().map(|(f, power)| self.factor(f, *power)));
        (p.coefficient < 0.0, Math::Row(row))
    }

    pub fn sum(&self, sum: &Sum) -> Math {
        Math::Sum(sum.0.iter().map(|p| self.product(p)).collect())
    }

    /// A sum of expressions, each times time derivatives of coordinates.
    pub fn motion_terms(&self, terms: &MotionTerms) -> Math {
        let rate = |r: &[(usize, u8)]| Letter { power: r.len() as u8, ..self.coordinate(r[0].0, r[0].1) };
        let part = |(sum, rates): &(Sum, Vec<(usize, u8)>)| match rates[..] {
            [] => sum.0.iter().map(|p| self.product(p)).collect(),
            _ => vec![self.times(sum, 1.0, rates.chunk_by(|a, b| a == b).map(|r| Math::Letter(rate(r))).collect())],
        };
        Math::Sum(terms.iter().flat_map(part).collect())
    }

    /// Coefficients times time derivatives of coordinates.
    pub fn motion(&self, terms: &[MotionTerm<Coefficient>]) -> Math {
        let terms: Vec<_> = terms.iter().map(|t| (t.coefficient.written.clone(), t.rates.clone())).collect();
        self.motion_terms(&terms)
    }

    /// Powers of factors, as one product.
    pub fn powers(&self, number: f64, factors: &[(Coefficient, u8)]) -> Math {
        let own = |(c, power): &(Coefficient, u8)| match &c.written.0[..] {
            [Product { coefficient: 1.0, factors }] => match &factors[..] {
                [(f, inner)] => self.factor(f, inner * power),
                _ => Math::Brackets(Box::new(self.sum(&c.written)), *power),
            },
            _ => Math::Brackets(Box::new(self.sum(&c.written)), *power),
        };
        let size = number.abs();
        let number = (size != 1.0 || factors.is_empty()).then_some(Math::Number(size));
        Math::Row(number.into_iter().chain(factors.iter().map(own)).collect())
    }

    /// The terms of a sum of fractions, with their signs.
    fn fractions(&self, quotient: &[Fraction<Coefficient>]) -> Vec<(bool, Math)> {
        let part = |f: &Fraction<Coefficient>| {
            let sum = &f.numerator.written;
            if f.denominator.is_empty() {
                return sum.0.iter().map(|p| self.product(p)).collect();
            }
            let (negative, numerator) = match &sum.0[..] {
                [p] => self.product(p),
                _ => self.bracket_free(sum),
            };
            vec![(negative, self.fraction(sum, numerator, &f.denominator))]
        };
        quotient.iter().flat_map(part).collect()
    }

    /// A fraction; a long numerator is written beside it, where lines can be broken.
    fn fraction(&self, sum: &Sum, numerator: Math, denominator: &[(Coefficient, u8)]) -> Math {
        let denominator = Box::new(self.powers(1.0, denominator));
        if sum.length() <= LONG {
            return Math::Fraction(Box::new(numerator), denominator);
        }
        let front = Math::Fraction(Box::new(Math::Number(1.0)), denominator);
        let factors = match numerator {
            Math::Row(factors) => factors,
            sum => vec![Math::Brackets(Box::new(sum), 1)],
        };
        Math::Row(std::iter::once(front).chain(factors).collect())
    }

    /// A sum, and whether it is the negative of what is returned: if all its terms are negative.
    fn bracket_free(&self, sum: &Sum) -> (bool, Math) {
        let all_negative = sum.0.iter().all(|p| p.coefficient < 0.0);
        let terms = sum.0.iter().map(|p| self.product(p)).map(|(negative, m)| (negative && !all_negative, m));
        (all_negative, Math::Sum(terms.collect()))
    }

    /// A sum of fractions.
    pub fn quotient(&self, quotient: &[Fraction<Coefficient>]) -> Math {
        let terms = self.fractions(quotient);
        if terms.is_empty() { Math::Number(0.0) } else { Math::Sum(terms) }
    }

    /// A sum of fractions times the product of two velocities.
    pub fn quotient_times(&self, quotient: &[Fraction<Coefficient>], rates: [usize; 2]) -> (bool, Math) {
        let factors = self.velocities(rates);
        if let [Fraction { numerator, denominator }] = quotient
            && denominator.is_empty()
        {
            return self.times(&numerator.written, 1.0, factors);
        }
        let mut terms = self.fractions(quotient);
        if let [(negative, Math::Row(row))] = &mut terms[..]
            && matches!(row[..], [Math::Fraction(..), ..])
        {
            return (*negative, Math::Row(std::mem::take(row).into_iter().chain(factors).collect()));
        }
        let all_negative = terms.iter().all(|t| t.0);
        let terms = terms.into_iter().map(|(negative, m)| (negative && !all_negative, m)).collect();
        let row = std::iter::once(Math::Brackets(Box::new(Math::Sum(terms)), 1)).chain(factors);
        (all_negative, Math::Row(row.collect()))
    }

    /// q̇ⱼ q̇ₖ, or q̇ⱼ².
    pub fn velocities(&self, [j, k]: [usize; 2]) -> Vec<Math> {
        if j == k {
            return vec![Math::Letter(Letter { power: 2, ..self.coordinate(j, 1) })];
        }
        [j, k].map(|i| Math::Letter(self.coordinate(i, 1))).into()
    }

    /// A coefficient times factors: in brackets if it is a sum.
    pub fn times(&self, sum: &Sum, number: f64, factors: Vec<Math>) -> (bool, Math) {
        if let [p] = &sum.0[..] {
            let product = Product { coefficient: p.coefficient * number, factors: p.factors.clone() };
            let (negative, math) = self.product(&product);
            let plain = p.factors.is_empty() && product.coefficient.abs() == 1.0;
            return (negative, Math::Row((!plain).then_some(math).into_iter().chain(factors).collect()));
        }
        let mut row = if number == 1.0 { vec![] } else { vec![Math::Number(number)] };
        let (negative, sum) = self.bracket_free(sum);
        row.push(Math::Brackets(Box::new(sum), 1));
        row.extend(factors);
        (negative, Math::Row(row))
    }
}

/// The sign before a term: `plus` or `minus` with spaces, before the first only a minus.
pub(super) fn sign(k: usize, negative: bool, [plus, minus]: [&str; 2]) -> String {
    match (k, negative) {
        (0, false) => "",
        (0, true) => minus.trim(),
        (_, false) => plus,
        (_, true) => minus,
    }
    .to_string()
}

/// The terms of a sum with their signs; `sign` has the number of the term, and whether it is subtracted.
pub(super) fn signed_terms(
    terms: &[(bool, Math)],
    sign: &dyn Fn(usize, bool) -> String,
    math: &dyn Fn(&Math) -> String,
) -> String {
    terms.iter().enumerate().map(|(k, (negative, term))| sign(k, *negative) + &math(term)).collect()
}

/// How a format breaks long sums between lines.
pub(super) struct Breaking<'a> {
    pub math: &'a dyn Fn(&Math) -> String,
    /// The sign before a term, by its number.
    pub sign: &'a dyn Fn(usize, bool) -> String,
    /// Whether a term or brackets, with their text, are so long that they are broken.
    pub long: &'a dyn Fn(&Math, &str) -> bool,
    pub open: &'a str,
    /// The closing bracket with its power.
    pub close: &'a dyn Fn(u8) -> String,
    /// Between factors, and after each factor.
    pub gap: &'a str,
    pub end: &'a str,
}

impl Breaking<'_> {
    /// The pieces between which a line may be broken, including inside long brackets.
    pub fn pieces(&self, m: &Math) -> Vec<String> {
        let terms = match m {
            Math::Sum(terms) if !terms.is_empty() => terms,
            _ => return vec![(self.math)(m)],
        };
        let mut out = vec![];
        for (k, (negative, term)) in terms.iter().enumerate() {
            let sign = (self.sign)(k, *negative);
            let whole = format!("{sign}{}{}", (self.math)(term), self.end);
            let (Math::Row(row), true) = (term, (self.long)(term, &whole)) else {
                out.push(whole);
                continue;
            };
            let mut open = sign;
            for (n, part) in row.iter().enumerate() {
                open.push_str(if n > 0 { self.gap } else { "" });
                let text = (self.math)(part);
                match part {
                    Math::Brackets(inner, power) if (self.long)(part, &text) => {
                        let mut inside = self.pieces(inner);
                        inside[0] = format!("{open}{}{}", self.open, inside[0]);
                        open = inside.pop().unwrap_or_default() + &(self.close)(*power);
                        out.extend(inside);
                    }
                    _ => open.push_str(&text),
                }
                open.push_str(self.end);
            }
            out.push(open);
        }
        out
    }
}

/// A number as text.
pub(super) enum Written {
    /// 1/2, 3/4.
    Fraction(i64, i64),
    /// 0.1234, or 1.2 and a power of ten.
    Decimal(String, i32),
}

/// A fraction with a small denominator, otherwise six digits.
pub(super) fn written(x: f64) -> Written {
    for denominator in [2.0, 4.0, 8.0] {
        if x.fract() != 0.0 && (x * denominator).fract() == 0.0 && x.abs() < 10.0 {
            return Written::Fraction((x * denominator) as i64, denominator as i64);
        }
    }
    decimal(x)
}

/// Six digits.
pub(super) fn decimal(x: f64) -> Written {
    let exponent = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
    let shown = if (-4..6).contains(&exponent) { 0 } else { exponent };
    let decimals = (5 - exponent + shown).clamp(0, 12) as usize;
    let text = format!("{:.decimals$}", x / 10f64.powi(shown));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text };
    Written::Decimal(text, shown)
}
