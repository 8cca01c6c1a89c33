//! A row: what is printed, what armdyn computes, and the verdict.

use crate::document::{Document, Source};
use crate::identity::{Found, SAME, TRIALS, same};
use crate::printed::{Claim, Printed};
use crate::scene::at_zero;
use crate::setting::{Make, Robots, Scalar, Setting};
use crate::value::Value;
use std::collections::BTreeMap;

/// How far, of its size, what is explained by rounding may be off; or by how many units of the last digit.
const ROUNDED: (f64, f64) = (0.05, 5.0);

/// How near the numbers of a check must be, of the greatest.
const CHECKED: f64 = 1e-9;

/// What is found of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The printed is right: to half of its last digit, or identically.
    Agrees,
    /// It is right but for the rounding of what it was computed with.
    Rounding,
    /// It is wrong; the correction is borne out.
    Erratum,
    /// None of these.
    Unexplained,
}

impl Verdict {
    /// All.
    pub const ALL: [Verdict; 4] = [Verdict::Agrees, Verdict::Rounding, Verdict::Erratum, Verdict::Unexplained];

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Rounding => "rounding",
            Verdict::Erratum => "erratum",
            Verdict::Unexplained => "unexplained",
        }
    }
}

/// How a row is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A number beside a number.
    Number,
    /// A formula, or its correction, proven over polynomials.
    Proof,
    /// The same with numbers, on random robots in random states.
    Trials,
    /// By reading alone.
    Reading,
}

impl Shown {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Shown::Number => "number",
            Shown::Proof => "proof",
            Shown::Trials => "trials",
            Shown::Reading => "reading",
        }
    }
}

/// What is found of a row.
#[derive(Clone, Debug)]
pub struct Row {
    /// The document's word: `bejczy`.
    pub document: String,
    /// The part of the document.
    pub section: String,
    /// The equation, table or page.
    pub equation: String,
    /// What it is of.
    pub quantity: String,
    /// As it is printed.
    pub printed: String,
    /// What armdyn computes, as text: a number, or the correction of a formula or of words.
    pub computed: String,
    /// How a formula is known to hold.
    pub evidence: String,
    /// The number that it is, where it is one.
    pub value: Option<f64>,
    /// Printed minus computed, of the computed.
    pub difference: Option<f64>,
    /// The unit of both.
    pub unit: String,
    /// The verdict.
    pub verdict: Verdict,
    /// How it is shown.
    pub shown: Shown,
    /// Why it is wrong, or off.
    pub reason: String,
    /// That, and what else is to know.
    pub note: String,
    /// The known errata that it shows, by their names.
    pub errata: Vec<String>,
}

/// A row in its document.
pub struct Place<'a> {
    /// The document.
    pub document: &'a Document,
    /// Its robots.
    pub robots: &'a Robots,
    /// The one that is asked.
    pub robot: &'a str,
    /// The row.
    pub row: &'a Source,
}

impl<'a> Place<'a> {
    /// What its names mean.
    pub fn setting<S: Scalar>(&self, free: BTreeMap<String, Value<S>>, make: Make<'a, S>) -> Setting<'a, S> {
        Setting::new(self.document, self.robots, self.robot, self.row, free, make)
    }

    /// The value of an expression at the row's state.
    pub fn number(&self, text: &str) -> Result<f64, String> {
        self.value(text)?.number()
    }

    fn value(&self, text: &str) -> Result<Value<f64>, String> {
        self.setting(BTreeMap::new(), Box::new(|robot| Ok(at_zero(robot)))).value(text)
    }

    /// What is found of it.
    pub fn found(&self, section: &str) -> Row {
        let row = self.row;
        let mut out = Row {
            document: self.document.name.clone(),
            section: section.to_string(),
            equation: row.equation.clone(),
            quantity: row.quantity.clone(),
            printed: row
                .text
                .clone()
                .or(row.printed.clone())
                .or(row.formula.as_deref().map(readable))
                .unwrap_or_default(),
            computed: String::new(),
            evidence: String::new(),
            value: None,
            difference: None,
            unit: row.unit.clone(),
            verdict: Verdict::Unexplained,
            shown: Shown::Reading,
            reason: String::new(),
            note: row.note.clone(),
            errata: row.errata.clone(),
        };
        let outcome = match row {
            _ if unread(row).is_some() => {
                Err(format!("`{}` has no place in such a row", unread(row).unwrap_or_default()))
            }
            Source { ask: Some(ask), .. } => self.compare(ask, &mut out),
            Source { equals: Some(equals), .. } => self.identify(equals, &mut out),
            Source { text: Some(_), .. } => {
                out.computed = row.corrected.clone().unwrap_or_default();
                out.verdict = if row.erratum.is_some() { Verdict::Erratum } else { Verdict::Agrees };
                Ok(())
            }
            _ => Err("a row has `ask`, `equals` or `text`".to_string()),
        };
        if let Err(fault) = outcome {
            out.verdict = Verdict::Unexplained;
            out.note = fault;
            return out;
        }
        let reason = match out.verdict {
            Verdict::Erratum => row.erratum.as_deref(),
            Verdict::Rounding => row.rounding.as_deref().or(Some("off by less than one of the last digit")),
            _ => None,
        };
        out.reason = reason.unwrap_or_default().to_string();
        out.note = [out.reason.as_str(), &out.note].join("; ").trim_matches([';', ' ']).to_string();
        if out.shown == Shown::Reading && out.verdict == Verdict::Erratum {
            out.note = format!("{} (by reading)", out.note);
        }
        out
    }

    fn compare(&self, ask: &str, out: &mut Row) -> Result<(), String> {
        let (row, value) = (self.row, self.number(ask)?);
        if !value.is_finite() {
            return Err(format!("{value} is no number to compare"));
        }
        (out.value, out.shown, out.computed) = (Some(value), Shown::Number, plain(value));
        let tolerance = row.tolerance.unwrap_or(1e-6);
        if let Some(expected) = row.expected.filter(|x| (x - value).abs() > tolerance * x.abs().max(1e-12)) {
            return Err(format!("{} was found by other means, to {tolerance:e}", plain(expected)));
        }
        if row.erratum.is_some() && row.expected.is_none() {
            return Err("an erratum needs the right number, found by other means".to_string());
        }
        let Some(printed) = row.printed.as_deref().map(Printed::parse).transpose()? else {
            // A number that the document does not print: other means must have found it.
            if row.expected.is_none() {
                return Err("no number is printed, and none was found by other means".to_string());
            }
            out.verdict = if row.erratum.is_some() { Verdict::Erratum } else { Verdict::Agrees };
            return Ok(());
        };
        if printed.claim == Claim::Equal && printed.value != 0.0 && value != 0.0 {
            out.difference = Some((printed.value - value) / value.abs());
        }
        if let Some(rounded) = &row.rounded {
            let again = self.number(rounded)?;
            if printed.units_off(again) > 1.0 + 1e-6 {
                return Err(format!(
                    "with the document's rounded figures it is {}, which is not printed",
                    plain(again)
                ));
            }
        }
        let units = printed.units_off(value);
        let little = units <= ROUNDED.1 || (printed.value - value).abs() <= ROUNDED.0 * value.abs();
        // Half of the last digit, and what the half's own rounding has.
        out.verdict = if units <= 0.5 + 1e-9 {
            if row.erratum.is_some() {
                return Err("the printed agrees: there is no erratum".to_string());
            }
            Verdict::Agrees
        } else if row.erratum.is_some() {
            Verdict::Erratum
        } else if units <= 1.0 + 1e-9 || (row.rounding.is_some() && little) {
            Verdict::Rounding
        } else {
            return Err(format!("off by {units:.3} of the last digit, unexplained"));
        };
        Ok(())
    }

    /// The formula's quantity in single states; what the printed is off by there.
    fn check(&self, equals: &str) -> Result<Vec<String>, String> {
        let mut told = vec![];
        for check in &self.row.checks {
            let state = self.document.states.get(&check.state);
            let at = state.ok_or_else(|| format!("the document has no state `{}`", check.state))?.clone();
            let row = Source { at, ..self.row.clone() };
            let place = Place { row: &row, ..*self };
            let right = place.value(equals)?;
            let size = check.value.iter().fold(1e-12, |s: f64, x| s.max(x.abs()));
            let near = |found: &Value<f64>, known: &[f64]| {
                let both = || found.cells().iter().zip(known);
                match both().find(|(a, b)| !a.is_finite() || (*a - *b).abs() > CHECKED * size) {
                    None if found.cells().len() == known.len() => Ok(()),
                    None => Err(format!("{} numbers are known of {}", known.len(), found.cells().len())),
                    Some((a, b)) => Err(format!("{a} in the {} state, and by other means {b}", check.state)),
                }
            };
            near(&right, &check.value)?;
            if let (Some(formula), false) = (&row.formula, check.off.is_empty()) {
                near(&place.value(formula)?.minus(&right)?, &check.off)?;
                let off: Vec<String> = check.off.iter().map(|x| plain(*x)).collect();
                told.push(format!("off by {} {} in the {} state", off.join(", "), check.unit, check.state));
            }
        }
        Ok(told)
    }

    fn identify(&self, equals: &str, out: &mut Row) -> Result<(), String> {
        let row = self.row;
        let checked = self.check(equals)?;
        let holds = |formula: &Option<String>| formula.as_ref().map(|f| same(self, f, equals)).transpose();
        let (printed, correct) = (holds(&row.formula)?, holds(&row.correct)?);
        out.shown = match correct.or(printed) {
            Some(Found::Proven(_)) => Shown::Proof,
            _ => Shown::Trials,
        };
        let how = |found: Found| match found {
            Found::Proven(true) => "identical, proven".to_string(),
            Found::Proven(false) => "not the same".to_string(),
            Found::Tried(_) if found.holds() => format!("the same in {TRIALS} random cases, to {SAME:e}"),
            Found::Tried(off) if off < 0.01 => format!("off by {off:.0e} of its size"),
            Found::Tried(off) => format!("off by {off:.2} of its size"),
        };
        let correction = row.corrected.clone().or(row.correct.as_deref().map(readable)).unwrap_or_default();
        match (printed, correct) {
            (Some(printed), _) if printed.holds() => {
                if row.erratum.is_some() {
                    return Err(format!("the printed is {}: there is no erratum", how(printed)));
                }
                out.evidence = how(printed);
                out.verdict = Verdict::Agrees;
            }
            (printed, Some(correct)) if correct.holds() && row.erratum.is_some() => {
                (out.computed, out.evidence) = (correction, how(correct));
                if let Some(printed) = printed {
                    let told = [vec![format!("the printed is {}", how(printed))], checked, vec![out.note.clone()]];
                    out.note = told.concat().join("; ");
                }
                out.verdict = Verdict::Erratum;
            }
            // What is printed is lost, and stands as it must have been.
            (None, Some(correct)) if correct.holds() => {
                (out.computed, out.evidence) = (correction, how(correct));
                out.verdict = Verdict::Agrees;
            }
            (printed, correct) => {
                let told = |found: Option<Found>| found.map_or("not given".to_string(), how);
                return Err(format!("the printed is {}, the correction {}", told(printed), told(correct)));
            }
        }
        Ok(())
    }
}

/// A key that rows of this kind do not read.
fn unread(row: &Source) -> Option<&'static str> {
    let of_formulas = [
        ("formula", row.formula.is_some()),
        ("equals", row.equals.is_some()),
        ("correct", row.correct.is_some()),
        ("check", !row.checks.is_empty()),
        ("free", !row.free.is_empty()),
    ];
    let of_numbers = [
        ("printed", row.printed.is_some()),
        ("expected", row.expected.is_some()),
        ("tolerance", row.tolerance.is_some()),
        ("rounded", row.rounded.is_some()),
        ("rounding", row.rounding.is_some()),
        ("over", !row.over.is_empty()),
    ];
    let others = match (&row.ask, &row.equals) {
        (Some(_), _) => of_formulas.to_vec(),
        (None, Some(_)) => of_numbers.to_vec(),
        (None, None) => [&of_formulas[..], &of_numbers].concat(),
    };
    others.iter().find(|(_, given)| *given).map(|(key, _)| *key)
}

/// An expression as it is printed: `m5*k522^2` is m5 k522².
pub fn readable(expression: &str) -> String {
    let powers = [("*", " "), ("^2", "²"), ("^3", "³"), ("^4", "⁴"), ("{", "⟨"), ("}", "⟩")];
    let letters =
        [("theta", "θ"), ("beta", "β"), ("alpha", "α"), ("psi", "ψ"), ("gamma", "γ"), ("delta", "δ"), ("omega", "ω")];
    let short = [&powers[..], &letters[..]].concat();
    short.iter().fold(expression.to_string(), |text, (from, to)| text.replace(from, to))
}

/// A number with six digits.
pub fn plain(x: f64) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    let size = x.abs().log10().floor() as i32;
    if !(-4..7).contains(&size) {
        return format!("{x:.5e}");
    }
    let text = format!("{x:.*}", (5 - size).max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, reproduce};
    use armdyn_core::Progress;

    /// Two links of 0.6 m and 0.4 m with point masses of 2 kg and 1.5 kg at their ends: D11 = 1.5 + 0.72 cos b.
    const ARM: &str = r#"
        title = "t"
        about = ""
        implemented = []
        [robots.arm]
        file = "lin-rr"
        coordinates = ["a", "b"]
        [symbols]
        m1 = "{m1}"
        m2 = "{m2}"
        l1 = "{lx2}"
        l2 = "{x2}"
        c2 = "cos(b)"
        k1 = "{Izz1}/m1"
        k2 = "{Izz2}/m2"
        "m[j]" = "{m$j}"
        "k[j]" = "{Izz$j}/m[$j]"
        here = "there"
        there = "here"
        "p[j,k]" = "{position link$j in link$k}"
        [[section]]
        title = "s"
    "#;

    fn verdict(row: &str) -> (Verdict, Shown, String) {
        let text = format!("{ARM}\n[[section.row]]\nequation = \"1\"\nquantity = \"q\"\n{row}");
        let found = reproduce(parse("t", &text).unwrap(), &Progress::none()).unwrap();
        let row = found.rows().next().unwrap().clone();
        (row.verdict, row.shown, row.note)
    }

    #[test]
    fn numbers() {
        let d11 = "ask = \"{D11}\"\nat = \"b=60°\"\n"; // 1.86
        for (row, expected, told) in [
            ("printed = \"1.86\"", Verdict::Agrees, ""),
            ("printed = \"1.9\"", Verdict::Agrees, ""),
            ("printed = \"1.87\"", Verdict::Rounding, "less than one"),
            ("printed = \"1.88\"", Verdict::Unexplained, "off by 2.000"),
            ("printed = \"1.88\"\nrounding = \"sums\"", Verdict::Rounding, "sums"),
            ("printed = \"2.000\"\nrounding = \"sums\"", Verdict::Unexplained, "off by 140"),
            ("printed = \"2.000\"\nerratum = \"slip\"\nexpected = 1.86", Verdict::Erratum, "slip"),
            ("printed = \"2.000\"\nerratum = \"slip\"", Verdict::Unexplained, "found by other means"),
            ("printed = \"1.86\"\nerratum = \"slip\"\nexpected = 1.86", Verdict::Unexplained, "there is no erratum"),
            ("printed = \"1.86\"\nexpected = 1.87", Verdict::Unexplained, "1.87 was found by other means"),
            ("printed = \"1.86\"\nexpected = 1.86", Verdict::Agrees, ""),
            ("printed = \"1.88\"\nrounding = \"sums\"\nrounded = \"1.88\"", Verdict::Rounding, "sums"),
            (
                "printed = \"1.88\"\nrounding = \"sums\"\nrounded = \"1.9\"",
                Verdict::Unexplained,
                "which is not printed",
            ),
            ("text = \"lost\"\nexpected = 1.86", Verdict::Agrees, ""),
            ("text = \"lost\"", Verdict::Unexplained, "none was found by other means"),
            ("printed = \"< 1.9\"", Verdict::Agrees, ""),
            ("printed = \"> 1.92\"", Verdict::Unexplained, "off by 6"),
        ] {
            let (found, _, note) = verdict(&format!("{d11}{row}"));
            assert!(found == expected && note.contains(told), "{row}: {found:?} {note}");
        }
        for (ask, printed) in [
            ("max({D11})", "2.22"),
            ("min({D11})", "0.78"),
            ("cos(argmax({D11}, b))", "1.00"),
            ("p[2,1][1]", "0.60"),
            ("sum(j, 1, 2, {m$j})", "3.50"),
            ("k2", "0.16"),
        ] {
            let (found, _, note) = verdict(&format!("printed = \"{printed}\"\nask = \"{ask}\""));
            assert!(found == Verdict::Agrees, "{ask}: {note}");
        }
    }

    #[test]
    fn formulas() {
        let right = "m1*k1 + m2*(l1^2 + 2*l1*l2*c2 + k2)";
        let wrong = "m1*k1 + m2*(l1^2 + l1*l2*c2 + k2)";
        let row = |formula: &str, rest: &str| format!("equals = \"{{D11}}\"\nformula = \"{formula}\"\n{rest}");
        let correct = |formula: &str| format!("correct = \"{formula}\"\n");
        for (row, expected, told) in [
            (row(right, ""), Verdict::Agrees, ""),
            (row(wrong, ""), Verdict::Unexplained, "correction not given"),
            (row(wrong, &(correct(right) + "erratum = \"2\"")), Verdict::Erratum, "2"),
            (row(wrong, &correct(right)), Verdict::Unexplained, "not the same"),
            (row(wrong, &(correct(wrong) + "erratum = \"2\"")), Verdict::Unexplained, "not the same"),
            (row(right, &(correct(right) + "erratum = \"2\"")), Verdict::Unexplained, "there is no erratum"),
            (row("m7", ""), Verdict::Unexplained, "no symbol `m7`"),
            (row("{D19}", ""), Verdict::Unexplained, "2 degrees of freedom"),
            // Only with this angle is the wrong one right.
            (row(wrong, "at = \"b=90°\""), Verdict::Agrees, ""),
        ] {
            let (found, shown, note) = verdict(&row);
            assert!(found == expected && note.contains(told), "{row}: {found:?} {note}");
            assert!(found == Verdict::Unexplained || shown == Shown::Proof, "{row}");
        }
        for (formula, expected) in [("-cross(v, u)", Verdict::Agrees), ("cross(v, u)", Verdict::Unexplained)] {
            let free = "free = { u = \"vector\", v = \"vector\" }";
            let row = format!("equals = \"cross(u, v)\"\nformula = \"{formula}\"\n{free}");
            let (found, shown, note) = verdict(&row);
            assert!(found == expected && (shown == Shown::Trials), "{formula}: {note}");
        }
        // A root is no polynomial: it is tried.
        let row = "equals = \"sqrt({D11}^2)\"\nformula = \"{D11}\"".to_string();
        assert_eq!((verdict(&row).0, verdict(&row).1), (Verdict::Agrees, Shown::Trials));
    }

    #[test]
    fn families_of_quotients_have_a_symbol_each() {
        let row = |formula: &str| format!("equals = \"{{D11}}\"\nformula = \"{formula}\"");
        for (formula, expected, told) in [
            ("m[1]*k[1] + m[2]*(l1^2 + 2*l1*l2*c2 + k[2])", Verdict::Agrees, ""),
            ("m[1]*k[2] + m[2]*(l1^2 + 2*l1*l2*c2 + k[1])", Verdict::Unexplained, "not the same"),
            ("m1*k1 + m1*k[1]", Verdict::Unexplained, "not the only quotient"),
        ] {
            let (found, _, note) = verdict(&row(formula));
            assert!(found == expected && note.contains(told), "{formula}: {found:?} {note}");
        }
    }

    #[test]
    fn what_proves_nothing_is_told() {
        for (row, told) in [
            ("ask = \"0/0\"\nprinted = \"1\"\nerratum = \"slip\"", "no number to compare"),
            ("equals = \"sqrt(-1)\"\nformula = \"sqrt(-1)\"", "not finite"),
            ("ask = \"{D11}\"\ntext = \"lost\"\nerratum = \"slip\"", "needs the right number, found by other means"),
            ("ask = \"{D11}\"\nprinted = \"2.22\"\nformula = \"m1\"", "`formula` has no place"),
            ("text = \"x\"\nexpected = 1", "`expected` has no place"),
            ("equals = \"{D11}\"\nformula = \"here\"", "defined by itself"),
            ("ask = \"{D11}\"\nprinted = \"2.22\"\nat = \"a=b\"", "defined by itself"),
            ("equals = \"{D11}\"\nformula = \"{D11 | m1=0}\"", "`m1` is no coordinate"),
            ("equals = \"{D11}\"\nformula = \"{D11}\"\nat = \"c2=0\"", "`c2` is no figure"),
            ("equals = \"{D11}\"\nformula = \"[m1, m2]\"", "cannot be the same"),
        ] {
            let (found, _, note) = verdict(row);
            assert!(found == Verdict::Unexplained && note.contains(told), "{row}: {found:?} {note}");
        }
    }

    #[test]
    fn words() {
        let (found, shown, note) = verdict("text = \"x\"\ncorrected = \"y\"\nerratum = \"z\"");
        assert_eq!((found, shown, note.as_str()), (Verdict::Erratum, Shown::Reading, "z (by reading)"));
    }
}
