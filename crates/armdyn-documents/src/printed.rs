//! A number as a document prints it: its value and the unit of its last digit.

/// The unit of an exact equality: what rounding may leave.
const EXACT: f64 = 1e-9;

/// A printed number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// Its value.
    pub value: f64,
    /// One unit of its last digit.
    pub digit: f64,
    /// Whether it is stated as a value or as a bound.
    pub claim: Claim,
}

/// How a number is stated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Claim {
    /// Equal to this value.
    Equal,
    /// Below this value.
    Below,
    /// Above this value.
    Above,
    /// About this value, in words.
    About,
}

impl Printed {
    /// Reads `-5.50`, `1.2e-3`, `< 5`, `> 90`, `~ 98` (about) and `= 1` (exactly).
    pub fn parse(text: &str) -> Result<Self, String> {
        let (claim, number) = match text.trim() {
            t if t.starts_with('<') => (Claim::Below, t[1..].trim()),
            t if t.starts_with('>') => (Claim::Above, t[1..].trim()),
            t if t.starts_with('~') => (Claim::About, t[1..].trim()),
            t => (Claim::Equal, t.trim_start_matches('=').trim()),
        };
        let none = || format!("`{text}` is not a number");
        let value = number.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(none)?;
        let (digits, power) = number.split_once('e').unwrap_or((number, "0"));
        let behind = digits.split_once('.').map_or(0, |(_, d)| d.len()) as i32;
        let power: i32 = power.parse().map_err(|_| none())?;
        let exact = text.trim().starts_with('=');
        let digit = if exact { EXACT * value.abs().max(1.0) } else { 10f64.powi(power.saturating_sub(behind)) };
        Ok(Printed { value, digit, claim })
    }

    /// The difference from a value in units of the last digit.
    pub fn units_off(&self, value: f64) -> f64 {
        let off = (self.value - value) / self.digit;
        match self.claim {
            Claim::Equal | Claim::About => off.abs(),
            Claim::Below => (-off).max(0.0),
            Claim::Above => off.max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_digit_counts() {
        for (text, value, units) in [
            ("5.505", 5.615, 110.0),
            ("-5.50", -5.495, 0.5),
            ("875", 875.25, 0.25),
            ("1.2e-3", 0.00115, 0.5),
            ("0.30", 0.30, 0.0),
            ("< 5", 4.0, 0.0),
            ("< 5", 6.5, 1.5),
            ("> 90", 98.0, 0.0),
            ("~ 98", 98.1, 0.1),
            ("= 1", 1.0, 0.0),
            ("= 0", 6e-17, 6e-8),
            ("= 1", 1.001, 1e6),
        ] {
            let found = Printed::parse(text).unwrap().units_off(value);
            assert!((found - units).abs() < 1e-9 * units.max(1.0), "{text} {value}: {found}");
        }
        for text in ["about 5", "", "<", "nan", "inf", "1e-9999999999"] {
            assert!(Printed::parse(text).is_err(), "{text}");
        }
    }
}
