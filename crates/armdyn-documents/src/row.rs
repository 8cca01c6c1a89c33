//! A row: the printed value, the computed value and the verdict.

use crate::class::RowClass;
use crate::document::Source;
use crate::erratum::ErratumKind;
use crate::evaluation::RowContext;
use crate::identity::{Identity, TOLERANCE, TRIALS, same};
use crate::printed::{Claim, Printed};
use crate::value::Value;

/// The largest relative error, or error in units of the last digit, that rounding may explain.
const ROUNDING_LIMIT: (f64, f64) = (0.05, 5.0);

/// The tolerance of checks, relative to the largest number.
const CHECK_TOLERANCE: f64 = 1e-9;

/// The verdict on a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The printed value is right: to half a unit of its last digit, or identically.
    Agrees,
    /// Right except for the rounding of intermediate values.
    Rounding,
    /// Wrong; the computed value confirms the correction.
    Erratum,
    /// None of these.
    #[default]
    Unexplained,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Verdict; 4] = [Verdict::Agrees, Verdict::Rounding, Verdict::Erratum, Verdict::Unexplained];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Rounding => "rounding",
            Verdict::Erratum => "erratum",
            Verdict::Unexplained => "unexplained",
        }
    }
}

/// How a row is verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// By comparing numbers.
    Number,
    /// By a proof over polynomials.
    Proof,
    /// On random robots in random states.
    Trials,
    /// By reading only.
    #[default]
    Reading,
}

impl Method {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Method::Number => "number",
            Method::Proof => "proof",
            Method::Trials => "trials",
            Method::Reading => "reading",
        }
    }
}

/// The result of a row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The document's name: `bejczy`.
    pub document: String,
    /// The section of the document.
    pub section: String,
    /// The equation, table or page.
    pub equation: String,
    /// The quantity.
    pub quantity: String,
    /// The printed text.
    pub printed: String,
    /// The computed value as text: a number, or the correction of a formula or text.
    pub computed: String,
    /// The evidence for a formula.
    pub evidence: String,
    /// The computed number, if it is one.
    pub value: Option<f64>,
    /// (printed − computed) / |computed|.
    pub difference: Option<f64>,
    /// The unit of both.
    pub unit: String,
    /// The verdict.
    pub verdict: Verdict,
    /// How it is verified.
    pub method: Method,
    /// What the verdict rests on.
    pub class: RowClass,
    /// The kind of its erratum; the gravest of several.
    pub kind: Option<ErratumKind>,
    /// Why it is wrong or inexact.
    pub reason: String,
    /// The reason and further remarks.
    pub note: String,
    /// The errata that it shows, by name.
    pub errata: Vec<String>,
}

impl RowContext<'_> {
    /// Evaluates the row.
    pub fn evaluate(&self, section: &str) -> Row {
        let row = self.row;
        let printed = row.text.clone().or(row.printed.clone()).or(row.formula.as_deref().map(readable));
        let mut out = Row {
            document: self.document.name.clone(),
            section: section.to_string(),
            equation: row.equation.clone(),
            quantity: row.quantity.clone(),
            printed: printed.unwrap_or_default(),
            unit: row.unit.clone(),
            note: row.note.clone(),
            errata: row.errata.clone(),
            ..Row::default()
        };
        let outcome = self.classify(&mut out).and_then(|()| match (unused_key(row), row) {
            (Some(key), _) => Err(format!("`{key}` is not a key of this kind of row")),
            (_, Source { compute: Some(expression), .. }) => self.compare(expression, &mut out),
            (_, Source { equals: Some(equals), .. }) => self.identify(equals, &mut out),
            (_, Source { text: Some(_), .. }) => {
                out.computed = row.corrected.clone().unwrap_or_default();
                out.verdict = if row.erratum.is_some() { Verdict::Erratum } else { Verdict::Agrees };
                Ok(())
            }
            _ => Err("a row needs `compute`, `equals` or `text`".to_string()),
        });
        if let Err(fault) = outcome {
            out.verdict = Verdict::Unexplained;
            out.note = fault;
            return out;
        }
        let reason = match out.verdict {
            Verdict::Erratum => row.erratum.as_deref(),
            Verdict::Rounding => row.rounding.as_deref().or(Some("off by less than one unit of the last digit")),
            _ => None,
        };
        out.reason = reason.unwrap_or_default().to_string();
        out.note = [out.reason.as_str(), &out.note].join("; ").trim_matches([';', ' ']).to_string();
        if out.method == Method::Reading && out.verdict == Verdict::Erratum {
            out.note = format!("{} (by reading)", out.note);
        }
        out.kind = out.kind.filter(|_| out.verdict == Verdict::Erratum);
        out
    }

    /// Sets the class of the row and the kind of its errata, which must be named.
    fn classify(&self, out: &mut Row) -> Result<(), String> {
        out.class = self.class()?;
        for name in &self.row.errata {
            let kind = self.document.errata.get(name);
            let kind = kind.ok_or_else(|| format!("the document lists no erratum `{name}` with its kind"))?;
            out.kind = Some(out.kind.map_or(*kind, |gravest| gravest.min(*kind)));
        }
        match (&self.row.erratum, out.kind) {
            (Some(_), None) => Err("an erratum needs a name in `errata`".to_string()),
            _ => Ok(()),
        }
    }

    fn compare(&self, expression: &str, out: &mut Row) -> Result<(), String> {
        let (row, value) = (self.row, self.number(expression)?);
        if !value.is_finite() {
            return Err(format!("{value} cannot be compared"));
        }
        (out.value, out.method, out.computed) = (Some(value), Method::Number, plain(value));
        let tolerance = row.tolerance.unwrap_or(1e-6);
        if let Some(expected) = row.expected.filter(|x| (x - value).abs() > tolerance * x.abs().max(1e-12)) {
            return Err(format!("an independent source has {}, tolerance {tolerance:e}", plain(expected)));
        }
        if row.erratum.is_some() && row.expected.is_none() {
            return Err("an erratum needs the right number from an independent source".to_string());
        }
        let Some(printed) = row.printed.as_deref().map(Printed::parse).transpose()? else {
            // The document does not print the number: an independent source must have it.
            if row.expected.is_none() {
                return Err("no number is printed, and no independent source has one".to_string());
            }
            out.verdict = if row.erratum.is_some() { Verdict::Erratum } else { Verdict::Agrees };
            return Ok(());
        };
        if matches!(printed.claim, Claim::Equal | Claim::About) && printed.value != 0.0 && value != 0.0 {
            out.difference = Some((printed.value - value) / value.abs());
        }
        if let Some(rounded) = &row.rounded {
            let again = self.number(rounded)?;
            if printed.units_off(again) > 1.0 + 1e-6 {
                return Err(format!(
                    "with the document's rounded values it is {}, which is not what is printed",
                    plain(again)
                ));
            }
        }
        let units = printed.units_off(value);
        let small = units <= ROUNDING_LIMIT.1 || (printed.value - value).abs() <= ROUNDING_LIMIT.0 * value.abs();
        // Half a unit of the last digit, with rounding.
        out.verdict = if units <= 0.5 + 1e-9 {
            if row.erratum.is_some() {
                return Err("the printed value is right: this is not an erratum".to_string());
            }
            Verdict::Agrees
        } else if row.erratum.is_some() {
            Verdict::Erratum
        } else if units <= 1.0 + 1e-9 || (row.rounding.is_some() && small) {
            Verdict::Rounding
        } else {
            return Err(format!("off by {units:.3} units of the last digit, unexplained"));
        };
        Ok(())
    }

    /// Compares the formula's quantity in single states; returns the errors of the printed formula there.
    fn check(&self, equals: &str) -> Result<Vec<String>, String> {
        let mut errors = vec![];
        for check in &self.row.checks {
            let state = self.document.states.get(&check.state);
            let at = state.ok_or_else(|| format!("the document defines no state `{}`", check.state))?.clone();
            let row = Source { at, ..self.row.clone() };
            let place = RowContext { row: &row, ..*self };
            let right = place.value(equals)?;
            let size = check.value.iter().fold(1e-12, |s: f64, x| s.max(x.abs()));
            let near = |found: &Value<f64>, known: &[f64]| {
                let both = || found.cells().iter().zip(known);
                match both().find(|(a, b)| !a.is_finite() || (*a - *b).abs() > CHECK_TOLERANCE * size) {
                    None if found.cells().len() == known.len() => Ok(()),
                    None => Err(format!("{} of {} numbers are given", known.len(), found.cells().len())),
                    Some((a, b)) => {
                        Err(format!("{a} in the {} state, but {b} from an independent source", check.state))
                    }
                }
            };
            near(&right, &check.value)?;
            if let (Some(formula), false) = (&row.formula, check.off.is_empty()) {
                near(&place.value(formula)?.minus(&right)?, &check.off)?;
                let off: Vec<String> = check.off.iter().map(|x| plain(*x)).collect();
                errors.push(format!("off by {} {} in the {} state", off.join(", "), check.unit, check.state));
            }
        }
        Ok(errors)
    }

    fn identify(&self, equals: &str, out: &mut Row) -> Result<(), String> {
        let row = self.row;
        let checked = self.check(equals)?;
        let holds = |formula: &Option<String>| formula.as_ref().map(|f| same(self, f, equals)).transpose();
        let (printed, correct) = (holds(&row.formula)?, holds(&row.correct)?);
        out.method = match correct.or(printed) {
            Some(Identity::Proven(_)) => Method::Proof,
            _ => Method::Trials,
        };
        let how = |found: Identity| match found {
            Identity::Proven(true) => "identical (proven)".to_string(),
            Identity::Proven(false) => "different".to_string(),
            Identity::Tested(_) if found.holds() => format!("equal in {TRIALS} random cases, within {TOLERANCE:e}"),
            Identity::Tested(off) if off < 0.01 => format!("off by a fraction {off:.0e}"),
            Identity::Tested(off) => format!("off by a fraction {off:.2}"),
        };
        let correction = row.corrected.clone().or(row.correct.as_deref().map(readable)).unwrap_or_default();
        match (printed, correct) {
            (Some(printed), _) if printed.holds() => {
                if row.erratum.is_some() {
                    return Err(format!("the printed formula is {}: this is not an erratum", how(printed)));
                }
                out.evidence = how(printed);
                out.verdict = Verdict::Agrees;
            }
            (printed, Some(correct)) if correct.holds() && row.erratum.is_some() => {
                (out.computed, out.evidence) = (correction, how(correct));
                if let Some(printed) = printed {
                    let remarks =
                        [vec![format!("the printed formula is {}", how(printed))], checked, vec![out.note.clone()]];
                    out.note = remarks.concat().join("; ");
                }
                out.verdict = Verdict::Erratum;
            }
            // The printed formula is lost: the restored one holds.
            (None, Some(correct)) if correct.holds() => {
                (out.computed, out.evidence) = (correction, how(correct));
                out.verdict = Verdict::Agrees;
            }
            (printed, correct) => {
                let describe = |found: Option<Identity>| found.map_or("not given".to_string(), how);
                return Err(format!(
                    "the printed formula is {}, the correction {}",
                    describe(printed),
                    describe(correct)
                ));
            }
        }
        Ok(())
    }
}

/// A key that this kind of row does not use.
fn unused_key(row: &Source) -> Option<&'static str> {
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
    let others = match (&row.compute, &row.equals) {
        (Some(_), _) => of_formulas.to_vec(),
        (None, Some(_)) => of_numbers.to_vec(),
        (None, None) => [&of_formulas[..], &of_numbers].concat(),
    };
    others.iter().find(|(_, given)| *given).map(|(key, _)| *key)
}

/// An expression in readable form: `m5*k522^2` is m5 k522².
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
        [errata]
        E1 = "undecidable"
        E2 = "error"
        [[section]]
        title = "s"
    "#;

    fn verdict(row: &str) -> (Verdict, Method, String) {
        let named = if row.contains("erratum") { "errata = [\"E1\"]" } else { "" };
        let text = format!("{ARM}\n[[section.row]]\nequation = \"1\"\nquantity = \"q\"\n{row}\n{named}");
        let found = reproduce(parse("t", &text).unwrap(), &Progress::none()).unwrap();
        let row = found.rows().next().unwrap().clone();
        (row.verdict, row.method, row.note)
    }

    #[test]
    fn numbers() {
        let d11 = "compute = \"{D11}\"\nat = \"b=60°\"\n"; // 1.86
        for (row, expected, expected_text) in [
            ("printed = \"1.86\"", Verdict::Agrees, ""),
            ("printed = \"1.9\"", Verdict::Agrees, ""),
            ("printed = \"1.87\"", Verdict::Rounding, "less than one"),
            ("printed = \"1.88\"", Verdict::Unexplained, "off by 2.000"),
            ("printed = \"1.88\"\nrounding = \"sums\"", Verdict::Rounding, "sums"),
            ("printed = \"2.000\"\nrounding = \"sums\"", Verdict::Unexplained, "off by 140"),
            ("printed = \"2.000\"\nerratum = \"slip\"\nexpected = 1.86", Verdict::Erratum, "slip"),
            ("printed = \"2.000\"\nerratum = \"slip\"", Verdict::Unexplained, "independent source"),
            ("printed = \"1.86\"\nerratum = \"slip\"\nexpected = 1.86", Verdict::Unexplained, "not an erratum"),
            ("printed = \"1.86\"\nexpected = 1.87", Verdict::Unexplained, "independent source has 1.87"),
            ("printed = \"1.86\"\nexpected = 1.86", Verdict::Agrees, ""),
            ("printed = \"1.88\"\nrounding = \"sums\"\nrounded = \"1.88\"", Verdict::Rounding, "sums"),
            ("printed = \"1.88\"\nrounding = \"sums\"\nrounded = \"1.9\"", Verdict::Unexplained, "not what is printed"),
            ("text = \"lost\"\nexpected = 1.86", Verdict::Agrees, ""),
            ("text = \"lost\"", Verdict::Unexplained, "no independent source"),
            ("printed = \"< 1.9\"", Verdict::Agrees, ""),
            ("printed = \"> 1.92\"", Verdict::Unexplained, "off by 6"),
        ] {
            let (found, _, note) = verdict(&format!("{d11}{row}"));
            assert!(found == expected && note.contains(expected_text), "{row}: {found:?} {note}");
        }
        for (expression, printed) in [
            ("max({D11})", "2.22"),
            ("min({D11})", "0.78"),
            ("cos(argmax({D11}, b))", "1.00"),
            ("p[2,1][1]", "0.60"),
            ("sum(j, 1, 2, {m$j})", "3.50"),
            ("k2", "0.16"),
        ] {
            let (found, _, note) = verdict(&format!("printed = \"{printed}\"\ncompute = \"{expression}\""));
            assert!(found == Verdict::Agrees, "{expression}: {note}");
        }
    }

    #[test]
    fn formulas() {
        let right = "m1*k1 + m2*(l1^2 + 2*l1*l2*c2 + k2)";
        let wrong = "m1*k1 + m2*(l1^2 + l1*l2*c2 + k2)";
        let row = |formula: &str, rest: &str| format!("equals = \"{{D11}}\"\nformula = \"{formula}\"\n{rest}");
        let correct = |formula: &str| format!("correct = \"{formula}\"\n");
        for (row, expected, expected_text) in [
            (row(right, ""), Verdict::Agrees, ""),
            (row(wrong, ""), Verdict::Unexplained, "correction not given"),
            (row(wrong, &(correct(right) + "erratum = \"2\"")), Verdict::Erratum, "2"),
            (row(wrong, &correct(right)), Verdict::Unexplained, "different"),
            (row(wrong, &(correct(wrong) + "erratum = \"2\"")), Verdict::Unexplained, "different"),
            (row(right, &(correct(right) + "erratum = \"2\"")), Verdict::Unexplained, "not an erratum"),
            (row("m7", ""), Verdict::Unexplained, "no symbol `m7`"),
            (row("{D19}", ""), Verdict::Unexplained, "2 degrees of freedom"),
            // Only with this angle is the wrong one right.
            (row(wrong, "at = \"b=90°\""), Verdict::Agrees, ""),
        ] {
            let (found, method, note) = verdict(&row);
            assert!(found == expected && note.contains(expected_text), "{row}: {found:?} {note}");
            assert!(found == Verdict::Unexplained || method == Method::Proof, "{row}");
        }
        for (formula, expected) in [("-cross(v, u)", Verdict::Agrees), ("cross(v, u)", Verdict::Unexplained)] {
            let free = "free = { u = \"vector\", v = \"vector\" }";
            let row = format!("equals = \"cross(u, v)\"\nformula = \"{formula}\"\n{free}");
            let (found, method, note) = verdict(&row);
            assert!(found == expected && (method == Method::Trials), "{formula}: {note}");
        }
        // A root is no polynomial: it is tried.
        let row = "equals = \"sqrt({D11}^2)\"\nformula = \"{D11}\"".to_string();
        assert_eq!((verdict(&row).0, verdict(&row).1), (Verdict::Agrees, Method::Trials));
    }

    #[test]
    fn families_of_quotients_have_a_symbol_each() {
        let row = |formula: &str| format!("equals = \"{{D11}}\"\nformula = \"{formula}\"");
        for (formula, expected, expected_text) in [
            ("m[1]*k[1] + m[2]*(l1^2 + 2*l1*l2*c2 + k[2])", Verdict::Agrees, ""),
            ("m[1]*k[2] + m[2]*(l1^2 + 2*l1*l2*c2 + k[1])", Verdict::Unexplained, "different"),
            ("m1*k1 + m1*k[1]", Verdict::Unexplained, "not the only quotient"),
        ] {
            let (found, _, note) = verdict(&row(formula));
            assert!(found == expected && note.contains(expected_text), "{formula}: {found:?} {note}");
        }
    }

    #[test]
    fn rows_without_proof_are_unexplained() {
        for (row, expected_text) in [
            ("compute = \"0/0\"\nprinted = \"1\"\nerratum = \"slip\"", "cannot be compared"),
            ("equals = \"sqrt(-1)\"\nformula = \"sqrt(-1)\"", "not finite"),
            (
                "compute = \"{D11}\"\ntext = \"lost\"\nerratum = \"slip\"",
                "needs the right number from an independent source",
            ),
            ("compute = \"{D11}\"\nprinted = \"2.22\"\nformula = \"m1\"", "`formula` is not a key"),
            ("text = \"x\"\nexpected = 1", "`expected` is not a key"),
            ("equals = \"{D11}\"\nformula = \"here\"", "defined by itself"),
            ("compute = \"{D11}\"\nprinted = \"2.22\"\nat = \"a=b\"", "defined by itself"),
            ("equals = \"{D11}\"\nformula = \"{D11 | m1=0}\"", "`m1` is not a coordinate"),
            ("equals = \"{D11}\"\nformula = \"{D11}\"\nat = \"c2=0\"", "`c2` is neither a parameter"),
            ("equals = \"{D11}\"\nformula = \"[m1, m2]\"", "different shapes"),
        ] {
            let (found, _, note) = verdict(row);
            assert!(found == Verdict::Unexplained && note.contains(expected_text), "{row}: {found:?} {note}");
        }
    }

    #[test]
    fn words() {
        let (found, method, note) = verdict("text = \"x\"\ncorrected = \"y\"\nerratum = \"z\"");
        assert_eq!((found, method, note.as_str()), (Verdict::Erratum, Method::Reading, "z (by reading)"));
    }

    #[test]
    fn errata_have_names_and_kinds() {
        let row = |errata: &str| {
            let row = "text = 'x'\ncorrected = 'y'\nerratum = 'z'";
            let text = format!("{ARM}\n[[section.row]]\nequation = '1'\nquantity = 'q'\n{row}\nerrata = [{errata}]");
            let found = reproduce(parse("t", &text).unwrap(), &Progress::none()).unwrap();
            let names = found.errata().iter().map(|e| (e.name.to_string(), e.kind, e.rows.len())).collect::<Vec<_>>();
            (found.rows().next().unwrap().clone(), names)
        };
        let (found, names) = row("'E1', 'E2'");
        assert_eq!((found.verdict, found.kind), (Verdict::Erratum, Some(ErratumKind::Error)));
        let expected = [("E1", ErratumKind::Undecidable), ("E2", ErratumKind::Error)];
        assert_eq!(names, expected.map(|(name, kind)| (name.to_string(), kind, 1)));
        for (errata, problem) in [("", "needs a name"), ("'E3'", "lists no erratum `E3`")] {
            let (found, names) = row(errata);
            assert!(found.verdict == Verdict::Unexplained && found.note.contains(problem), "{errata}: {}", found.note);
            assert!(found.kind.is_none() && names.is_empty(), "{errata}");
        }
    }
}
