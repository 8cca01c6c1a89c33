//! A number as a document prints it: its value, and what its last digit is worth.

/// A printed number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// Its value.
    pub value: f64,
    /// One of its last digit.
    pub digit: f64,
    /// What is claimed: nothing more, or that it is below or above.
    pub claim: Claim,
}

/// What is claimed of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Claim {
    /// That it is this.
    Equal,
    /// That it is below this.
    Below,
    /// That it is above this.
    Above,
}

impl Printed {
    /// Reads `-5.50`, `1.2e-3`, `< 5`, `> 90`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (claim, number) = match text.trim() {
            t if t.starts_with('<') => (Claim::Below, t[1..].trim()),
            t if t.starts_with('>') => (Claim::Above, t[1..].trim()),
            t => (Claim::Equal, t),
        };
        let none = || format!("`{text}` is no number");
        let value = number.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(none)?;
        let (digits, power) = number.split_once('e').unwrap_or((number, "0"));
        let behind = digits.split_once('.').map_or(0, |(_, d)| d.len()) as i32;
        let power: i32 = power.parse().map_err(|_| none())?;
        Ok(Printed { value, digit: 10f64.powi(power.saturating_sub(behind)), claim })
    }

    /// How many of the last digit's units a value is off.
    pub fn units_off(&self, value: f64) -> f64 {
        let off = (self.value - value) / self.digit;
        match self.claim {
            Claim::Equal => off.abs(),
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
        ] {
            let found = Printed::parse(text).unwrap().units_off(value);
            assert!((found - units).abs() < 1e-9, "{text} {value}: {found}");
        }
        for text in ["about 5", "", "<", "nan", "inf", "1e-9999999999"] {
            assert!(Printed::parse(text).is_err(), "{text}");
        }
    }
}
