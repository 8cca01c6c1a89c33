//! Names of parameters chosen by the user: `x1=l1,lx2=l1,x2=l2`, or the symbols alone: `l1,l2,m1,m2`.
//!
//! An item gives a parameter, by the name that [`Symbol::plain`] has for it, a symbol. Several parameters may share a symbol if they
//! have the same value and unit: a length that the robot file has twice is one length of the equations. A symbol is a letter
//! (or the name of a Greek one), further letters as a subscript, and a number: `l1`, `lc2`, `l_c2`, `alpha1`, `Izz3`.
//!
//! Symbols alone go to the parameters of their kind in order, from base to tip: m and M to masses, I and J to inertias, g to
//! gravity, other letters to lengths. Equal lengths of one link (of its centre of mass, of the next joint, of the tool) are one.

use crate::parameters::{Parameter, Symbol};

/// Relative difference up to which two values are equal.
const EQUAL: f64 = 1e-12;

/// The Greek letters with the names that LaTeX has for them.
pub(crate) const GREEK: [(char, &str); 33] = [
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('ι', "iota"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('τ', "tau"),
    ('υ', "upsilon"),
    ('φ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('Γ', "Gamma"),
    ('Δ', "Delta"),
    ('Θ', "Theta"),
    ('Λ', "Lambda"),
    ('Ξ', "Xi"),
    ('Π', "Pi"),
    ('Σ', "Sigma"),
    ('Φ', "Phi"),
    ('Ψ', "Psi"),
    ('Ω', "Omega"),
];

/// Symbols for parameters, by the names of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolNames {
    /// Symbols of parameters.
    given: Vec<(String, Symbol)>,
    /// Symbols alone.
    ordered: Vec<Symbol>,
}

/// Reasons why names of parameters cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SymbolError {
    /// An item with nothing before `=`.
    #[error("invalid item `{0}`: expected PARAMETER=SYMBOL, such as `x1=l1`, or a symbol alone")]
    Item(String),
    /// A symbol that is given twice without its parameter.
    #[error("symbol `{0}` is given twice: name the parameters, such as `x1={0},x2={0}`")]
    Repeated(String),
    /// More or fewer symbols alone than parameters of their kind.
    #[error(
        "{found} for {expected} {kind}, which are in this order: {parameters}; give each one a symbol, or name parameters as \
         PARAMETER=SYMBOL"
    )]
    Count {
        /// The symbols.
        found: String,
        /// Number of parameters without a symbol.
        expected: usize,
        /// Their kind.
        kind: &'static str,
        /// The parameters with their values.
        parameters: String,
    },
    /// A symbol that cannot be printed.
    #[error(
        "invalid symbol `{0}`: expected a letter or the name of a Greek one, then letters and a number as a subscript, such as \
         `l1`, `lc2` or `alpha1`"
    )]
    Symbol(String),
    /// A parameter that has two symbols.
    #[error("parameter `{0}` has two symbols")]
    Twice(String),
    /// A parameter that the robot does not have.
    #[error("unknown parameter `{name}`: the robot has {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The parameters with their values.
        known: String,
    },
    /// A symbol that the equations use for something else.
    #[error("symbol `{symbol}` is reserved for {meaning}; choose another")]
    Reserved {
        /// The symbol.
        symbol: String,
        /// Its meaning in the equations.
        meaning: &'static str,
    },
    /// Parameters of different value or unit with one symbol.
    #[error(
        "symbol `{symbol}` stands for different parameters: `{first}` and `{second}`; give one of them another symbol"
    )]
    Clash {
        /// The symbol.
        symbol: String,
        /// A parameter with its value.
        first: String,
        /// Another one.
        second: String,
    },
}

impl SymbolNames {
    /// Reads `NAME=SYMBOL,…`, `SYMBOL,…` or both.
    ///
    /// ```
    /// use armdyn_symbolic::SymbolNames;
    /// assert!(SymbolNames::parse("x1=l1, lx2=l1").is_ok());
    /// assert!(SymbolNames::parse("l1, l2, m1, m2").is_ok());
    /// assert!(SymbolNames::parse("1x").unwrap_err().to_string().starts_with("invalid symbol `1x`"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, SymbolError> {
        let mut names = SymbolNames::default();
        for item in text.split(',').map(str::trim) {
            let (name, symbol) = item.split_once('=').map_or((None, item), |(n, s)| (Some(n.trim()), s.trim()));
            let symbol = parsed(symbol).ok_or_else(|| SymbolError::Symbol(symbol.to_string()))?;
            match name {
                Some("") => return Err(SymbolError::Item(item.to_string())),
                Some(name) if names.given.iter().any(|n| n.0 == name) => {
                    return Err(SymbolError::Twice(name.to_string()));
                }
                Some(name) => names.given.push((name.to_string(), symbol)),
                None if names.ordered.contains(&symbol) => return Err(SymbolError::Repeated(symbol.plain())),
                None => names.ordered.push(symbol),
            }
        }
        Ok(names)
    }

    /// Whether every parameter keeps its own symbol.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty() && self.ordered.is_empty()
    }

    /// The symbols given.
    pub fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        self.given.iter().map(|n| &n.1).chain(&self.ordered)
    }

    /// The symbol of a parameter, if it has one here.
    pub(crate) fn of(&self, parameter: &Symbol) -> Option<&Symbol> {
        let name = parameter.plain();
        self.given.iter().find(|n| n.0 == name).map(|n| &n.1)
    }

    /// The same, with a parameter for each symbol.
    pub(crate) fn assigned(&self, parameters: &[Parameter]) -> Result<Self, SymbolError> {
        let mut given = self.given.clone();
        for kind in Kind::ALL {
            let symbols: Vec<&Symbol> = self.ordered.iter().filter(|s| Kind::of_symbol(s) == kind).collect();
            if symbols.is_empty() {
                continue;
            }
            let mut groups: Vec<Vec<&Parameter>> = vec![];
            let mut free: Vec<&Parameter> =
                parameters.iter().filter(|p| Kind::of(p) == Some(kind) && self.of(&p.symbol).is_none()).collect();
            free.sort_by_key(|p| p.body);
            for p in free {
                let is_same = |q: &&Parameter| kind == Kind::Length && q.body == p.body && equal(q.value, p.value);
                match groups.iter_mut().find(|g| g.first().is_some_and(is_same)) {
                    Some(group) => group.push(p),
                    None => groups.push(vec![p]),
                }
            }
            if groups.len() != symbols.len() {
                let names = |g: &Vec<&Parameter>| g.iter().map(|p| p.symbol.plain()).collect::<Vec<_>>().join(" = ");
                let shown = groups.iter().map(|g| format!("`{} = {} {}`", names(g), g[0].value, g[0].unit));
                let found: Vec<String> = symbols.iter().map(|s| format!("`{}`", s.plain())).collect();
                let (found, parameters) = (found.join(", "), shown.collect::<Vec<_>>().join(", "));
                return Err(SymbolError::Count { found, expected: groups.len(), kind: kind.name(), parameters });
            }
            let named = |(group, symbol): (Vec<&Parameter>, &Symbol)| {
                group.into_iter().map(|p| (p.symbol.plain(), symbol.clone())).collect::<Vec<_>>()
            };
            given.extend(groups.into_iter().zip(symbols).flat_map(named));
        }
        Ok(SymbolNames { given, ordered: vec![] })
    }

    /// The parameters under their new symbols, those with the same symbol as one; an error if a name is unknown, or a symbol stands for
    /// different parameters.
    pub(crate) fn renamed(&self, parameters: &[Parameter]) -> Result<Vec<Parameter>, SymbolError> {
        // Without rounding errors.
        let number = |x: f64| format!("{x:.11e}").parse::<f64>().unwrap_or(x);
        let shown =
            |p: &Parameter| format!("{} = {} {}", p.symbol.plain(), number(p.value), p.unit).trim_end().to_string();
        if let Some((name, _)) = self.given.iter().find(|n| parameters.iter().all(|p| p.symbol.plain() != n.0)) {
            let known: Vec<String> = parameters.iter().map(|p| format!("`{}`", p.symbol.plain())).collect();
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            return Err(SymbolError::Unknown { name: name.clone(), known });
        }
        let mut merged: Vec<(Parameter, &Parameter)> = vec![];
        for p in parameters {
            let symbol = self.of(&p.symbol).unwrap_or(&p.symbol);
            match merged.iter_mut().find(|m| m.0.symbol.plain() == symbol.plain()) {
                None => merged.push((Parameter { symbol: symbol.clone(), ..p.clone() }, p)),
                Some((known, first)) => {
                    if !equal(known.value, p.value) || known.unit != p.unit {
                        let (first, second) = (shown(first), shown(p));
                        return Err(SymbolError::Clash { symbol: symbol.plain(), first, second });
                    }
                    known.meaning = format!("{}; {}", known.meaning, p.meaning);
                }
            }
        }
        Ok(merged.into_iter().map(|m| m.0).collect())
    }
}

/// Kinds of parameters to which symbols alone go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mass,
    Inertia,
    Length,
    Gravity,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Mass, Kind::Inertia, Kind::Length, Kind::Gravity];

    /// The kind that a user's symbol stands for.
    fn of_symbol(symbol: &Symbol) -> Kind {
        match &*symbol.letter {
            "m" | "M" => Kind::Mass,
            "I" | "J" => Kind::Inertia,
            "g" => Kind::Gravity,
            _ => Kind::Length,
        }
    }

    /// The kind of a parameter: that of its own letter; gear ratios have none.
    fn of(parameter: &Parameter) -> Option<Kind> {
        (&*parameter.symbol.letter != "n").then(|| Kind::of_symbol(&parameter.symbol))
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Mass => "masses",
            Kind::Inertia => "inertias",
            Kind::Length => "lengths",
            Kind::Gravity => "components of gravity",
        }
    }
}

/// Whether two values are equal up to rounding.
fn equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= EQUAL * a.abs().max(b.abs())
}

/// A letter, letters and a number.
fn parsed(text: &str) -> Option<Symbol> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let (word, number) = (digits.trim_end_matches('_'), &text[digits.len()..]);
    let number = if number.is_empty() { vec![] } else { vec![number.parse().ok().filter(|n| *n < 1000)?] };
    let (first, rest) = word.split_once('_').unwrap_or((word, ""));
    // `lc2` has the subscript c; `alpha` is a letter.
    let (letter, axes) = match GREEK.iter().find(|g| first == g.1 || first == g.0.to_string()) {
        Some((letter, _)) => (letter.to_string(), rest.to_string()),
        None => {
            let letter = first.chars().next()?;
            (letter.to_string(), format!("{}{rest}", &first[letter.len_utf8()..]))
        }
    };
    let is_letter = |c: char| c.is_ascii_alphabetic() || GREEK.iter().any(|g| g.0 == c);
    let valid = letter.chars().all(is_letter) && axes.len() <= 8 && axes.chars().all(|c| c.is_ascii_alphabetic());
    valid.then(|| Symbol { letter: letter.into(), axes: axes.into(), number })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: (&'static str, &'static str, usize), value: f64, unit: &'static str) -> Parameter {
        let symbol = Symbol { letter: name.0.into(), axes: name.1.into(), number: vec![name.2] };
        let body = if name.0 == "l" { name.2 - 1 } else { name.2 };
        Parameter { symbol, meaning: String::new(), value, unit, body }
    }

    #[test]
    fn symbols_have_letters_and_a_number() {
        let of = |text: &str| {
            let symbol = parsed(text)?;
            Some((symbol.letter.to_string(), symbol.axes.to_string(), symbol.number))
        };
        for (text, letter, axes, number) in [
            ("l1", "l", "", vec![1]),
            ("lc2", "l", "c", vec![2]),
            ("l_c2", "l", "c", vec![2]),
            ("l_2", "l", "", vec![2]),
            ("alpha", "α", "", vec![]),
            ("ρ1", "ρ", "", vec![1]),
            ("Izz12", "I", "zz", vec![12]),
        ] {
            assert_eq!(of(text), Some((letter.to_string(), axes.to_string(), number)), "{text}");
        }
        for text in ["", "1", "_1", "l-1", "l 1", "l1x", "l\u{202e}", "l12345", "labcdefghi"] {
            assert_eq!(of(text), None, "{text:?}");
        }
    }

    #[test]
    fn parameters_share_a_symbol_if_they_are_equal() {
        let arm =
            [parameter(("x", "", 1), 0.6, "m"), parameter(("l", "x", 2), 0.6, "m"), parameter(("x", "", 2), 0.4, "m")];
        let renamed = |text: &str| SymbolNames::parse(text).and_then(|n| n.renamed(&arm));
        let names: Vec<String> = renamed("x1=l1,lx2=l1,x2=l2").unwrap().iter().map(|p| p.symbol.plain()).collect();
        assert_eq!(names, ["l1", "l2"]);
        let message = |text: &str| renamed(text).unwrap_err().to_string();
        assert!(message("x1=l1,x2=l1").contains("`x1 = 0.6 m` and `x2 = 0.4 m`"), "{}", message("x1=l1,x2=l1"));
        assert!(message("x1=x2").contains("stands for different parameters"));
        let rounded = [parameter(("x", "", 1), 0.5 - 0.45, "m"), parameter(("x", "", 2), 0.4, "m")];
        let text = SymbolNames::parse("x1=l,x2=l").unwrap().renamed(&rounded).unwrap_err().to_string();
        assert!(text.contains("`x1 = 0.05 m`"), "{text}");
        assert!(message("y1=l1").contains("unknown parameter `y1`: the robot has `x1`, `lx2`, `x2`"));
        assert_eq!(message("x1=a1,x1=b1"), "parameter `x1` has two symbols");
        assert!(message("=l1").contains("expected PARAMETER=SYMBOL"));
        // Swapped names are no clash.
        assert!(renamed("x1=x2,x2=x1").is_ok());
    }
    #[test]
    fn symbols_alone_go_to_parameters_of_their_kind_from_base_to_tip() {
        // In the order of the table of parameters, where the second joint's place comes after the second link's mass.
        let arm = [
            parameter(("m", "", 1), 2.0, "kg"),
            parameter(("x", "", 1), 0.6, "m"),
            parameter(("m", "", 2), 2.0, "kg"),
            parameter(("x", "", 2), 0.6, "m"),
            parameter(("l", "x", 2), 0.6, "m"),
        ];
        let assigned = |text: &str| SymbolNames::parse(text).and_then(|n| n.assigned(&arm)).map(|n| n.given);
        let pairs = |text: &str| {
            let mut pairs: Vec<String> =
                assigned(text).unwrap().iter().map(|(name, s)| format!("{name}={}", s.plain())).collect();
            pairs.sort();
            pairs.join(",")
        };
        // Equal lengths of link 1 are one; that of link 2 is another one, and so are equal masses.
        assert_eq!(pairs("l1,l2,m1,m2"), "lx2=l1,m1=m1,m2=m2,x1=l1,x2=l2");
        assert_eq!(pairs("x2=b,a"), "lx2=a,x1=a,x2=b");
        let message = |text: &str| assigned(text).unwrap_err().to_string();
        let lengths = "`l1` for 2 lengths, which are in this order: `x1 = lx2 = 0.6 m`, `x2 = 0.6 m`";
        assert!(message("l1").starts_with(lengths), "{}", message("l1"));
        assert!(message("I1").starts_with("`I1` for 0 inertias"), "{}", message("I1"));
        assert!(message("l1,l1").contains("given twice"));
    }
}
