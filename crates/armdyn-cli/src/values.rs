//! Values on the command line: joint values by order or by name, durations, fractions.

use crate::diagnostics;
use crate::format::many;
use crate::limits::LimitCheck;
use crate::output::CommandError;
use crate::stream::RowError;
use armdyn_core::{EffortRange, Model, Vec3, vec3};
use armdyn_numerics::{Error, JointRanges};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use rayon::prelude::*;
use std::sync::Once;
use std::time::Duration;

/// A kind of joint value.
pub enum Kind {
    /// Positions: nq values.
    Position,
    /// Velocities and accelerations: nv values.
    Rate,
    /// Torques and forces: nv values, never in degrees.
    Torque,
}

/// An option of joint values without its dashes, their kind, and its text.
pub type Input<'a> = (&'a str, Kind, Option<&'a str>);

/// Parses joint values for a model.
pub struct Reader<'a> {
    /// The robot.
    pub model: &'a Model<f64>,
    /// Whether angles are in degrees.
    pub deg: bool,
}

impl Reader<'_> {
    /// The values of an option by order or by name; neutral (0) where it says nothing.
    pub fn read(&self, option: &str, kind: &Kind, text: Option<&str>) -> Result<Vec<f64>, CommandError> {
        let mut values = vec![0.0; self.names(kind).len()];
        if let Kind::Position = kind {
            self.model.neutral(&mut values)?;
        }
        let Some(text) = text else { return Ok(values) };
        for (value, parsed) in values.iter_mut().zip(self.parse(option, kind, text)?) {
            *value = parsed.unwrap_or(*value);
        }
        if let Kind::Position = kind {
            self.check_quaternions(&values).map_err(|e| format!("`{option}`: {e}"))?;
        }
        Ok(values)
    }

    /// The values of an option: all by order, or some by name. Warns about positions outside the joint limits.
    pub fn parse(&self, option: &str, kind: &Kind, text: &str) -> Result<Vec<Option<f64>>, CommandError> {
        let values = self.parse_values(option, kind, text)?;
        if let Kind::Position = kind {
            let q: Vec<f64> = values.iter().map(|x| x.unwrap_or(0.0)).collect();
            LimitCheck::new(self).warn(&q, |k| values[k].is_some());
        }
        Ok(values)
    }

    fn parse_values(&self, option: &str, kind: &Kind, text: &str) -> Result<Vec<Option<f64>>, CommandError> {
        let values = self.parse_each(option, &self.names(kind), text, |text| number(text, option))?;
        Ok(values.into_iter().zip(self.scales(kind)).map(|(x, s)| x.map(|x| x * s)).collect())
    }

    /// The values of an option, each read by `one`: all by order, or some by name.
    fn parse_each<V: Copy>(
        &self,
        option: &str,
        names: &[String],
        text: &str,
        one: impl Fn(&str) -> Result<V, CommandError>,
    ) -> Result<Vec<Option<V>>, CommandError> {
        let mut values = vec![None; names.len()];
        let mut rest = text.trim();
        if rest.is_empty() && !names.is_empty() {
            return Err(format!("`{option}` is empty: expected {}", expected(names)).into());
        }
        if rest.contains('=') {
            while !rest.is_empty() {
                let (i, after) = named(rest, names).ok_or_else(|| self.unknown_name(option, rest, names))?;
                let (value, others) = after.split_once(',').unwrap_or((after, ""));
                if values[i].replace(one(value)?).is_some() {
                    return Err(format!("`{option}` sets `{}` twice", names[i]).into());
                }
                rest = others.trim_start();
            }
            return Ok(values);
        }
        let parsed: Vec<V> =
            if rest.is_empty() { vec![] } else { rest.split(',').map(one).collect::<Result<_, _>>()? };
        if parsed.len() != names.len() {
            let (robot, count) = (self.model.name(), many(parsed.len(), "value"));
            return Err(format!("`{option}` has {count}, but `{robot}` needs {}", expected(names)).into());
        }
        Ok(parsed.into_iter().map(Some).collect())
    }

    /// The values of several options, each without its dashes; neutral where they say nothing.
    pub fn read_all<const N: usize>(&self, options: &[Input; N]) -> Result<[Vec<f64>; N], CommandError> {
        let mut all = [const { vec![] }; N];
        for (values, (name, kind, text)) in all.iter_mut().zip(options) {
            *values = self.read(&format!("--{name}"), kind, *text)?;
        }
        Ok(all)
    }

    /// The linear and the angular part of a base motion: three or six numbers; zero without text.
    pub fn twist(&self, option: &str, text: Option<&str>) -> Result<[Vec3<f64>; 2], CommandError> {
        let [linear, angular] = two_vectors(option, text)?;
        Ok([linear, if self.deg { angular * 1f64.to_radians() } else { angular }])
    }

    /// The values of an option: by order, by name, or one number for all joints.
    fn parse_for_all(&self, option: &str, kind: &Kind, text: &str) -> Result<Vec<Option<f64>>, CommandError> {
        match text.trim().parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(self.scales(kind).iter().map(|s| Some(x * s)).collect()),
            _ => self.parse(option, kind, text),
        }
    }

    /// Maximum magnitudes (speeds, accelerations, continuous torques): by order, by name, or one number for all joints.
    pub fn parse_maxima(&self, option: &str, kind: &Kind, text: &str) -> Result<Vec<Option<f64>>, CommandError> {
        let values = self.parse_for_all(option, kind, text)?;
        match values.iter().position(|x| x.is_some_and(|x| x < 0.0)) {
            Some(i) => {
                Err(format!("`{option}`: the value of `{}` is negative; expected a magnitude", self.names(kind)[i])
                    .into())
            }
            None => Ok(values),
        }
    }

    /// Effort limits: a magnitude or LOW:HIGH; by order, by name, or one for all joints.
    pub fn parse_efforts(&self, option: &str, text: &str) -> Result<Vec<Option<EffortRange>>, CommandError> {
        let one = |text: &str| match text.split_once(':') {
            Some((low, high)) => Ok(EffortRange { lower: number(low, option)?, upper: number(high, option)? }),
            None => match number(text, option)? {
                x if x < 0.0 => {
                    Err(format!("`{option}`: `{}` is negative; expected a magnitude or LOW:HIGH", text.trim()).into())
                }
                x => Ok(EffortRange::from(x)),
            },
        };
        if text.contains(['=', ',']) || text.trim().is_empty() {
            return self.parse_each(option, self.model.dof_names(), text, one);
        }
        Ok(vec![Some(one(text)?); self.model.nv()])
    }

    /// Maximum magnitudes of all joints, with `defaults` for those that the option does not set.
    pub fn maxima(
        &self,
        option: &str,
        kind: &Kind,
        text: Option<&str>,
        defaults: &[f64],
    ) -> Result<Vec<f64>, CommandError> {
        let values = text.map_or(Ok(vec![None; defaults.len()]), |text| self.parse_maxima(option, kind, text))?;
        self.complete(option, &values, defaults)
    }

    /// Speeds or accelerations of all joints with their signs, with `defaults` for those that the option does not set.
    pub fn rates(&self, option: &str, text: Option<&str>, defaults: &[f64]) -> Result<Vec<f64>, CommandError> {
        let parse = |text| self.parse_for_all(option, &Kind::Rate, text);
        self.complete(option, &text.map_or(Ok(vec![None; defaults.len()]), parse)?, defaults)
    }

    fn complete(&self, option: &str, values: &[Option<f64>], defaults: &[f64]) -> Result<Vec<f64>, CommandError> {
        let values: Vec<f64> = values.iter().zip(defaults).map(|(x, default)| x.unwrap_or(*default)).collect();
        let names = self.model.dof_names().iter().zip(&values);
        let missing: Vec<&str> = names.filter(|(_, x)| !x.is_finite()).map(|(name, _)| name.as_str()).collect();
        if missing.is_empty() {
            return Ok(values);
        }
        let joints = if missing.len() == values.len() { "all joints".to_string() } else { missing.join(", ") };
        Err(format!("`{option}` is required for {joints}: pass one number for all joints, or JOINT=VALUE,…").into())
    }

    /// The robot's joint limits, replaced by `--ranges` where it sets them: `elbow=-1:2,wrist=0:0.5`.
    pub fn joint_ranges(&self, texts: &[String]) -> Result<JointRanges, CommandError> {
        let ranges = JointRanges::new(self.model, &self.parse_ranges("--ranges", texts)?).map_err(|e| match e {
            Error::NoLimit { .. } => CommandError::from(format!("{e}; pass `--ranges JOINT=LOW:HIGH`")),
            e => e.into(),
        })?;
        let names = self.model.dof_names().iter().enumerate();
        let free: Vec<&str> = names.filter(|(i, _)| ranges.is_unlimited(*i)).map(|(_, name)| name.as_str()).collect();
        if !free.is_empty() {
            static ONCE: Once = Once::new();
            let free = free.join(", ");
            ONCE.call_once(|| {
                diagnostics::warn(format_args!(
                    "no limits for {free}: using a full turn (narrow it with --ranges JOINT=LOW:HIGH)"
                ));
            });
        }
        Ok(ranges)
    }

    /// Ranges by name: degree of freedom, lower end, upper end.
    pub fn parse_ranges(&self, option: &str, texts: &[String]) -> Result<Vec<(usize, f64, f64)>, CommandError> {
        let (names, scales) = (self.names(&Kind::Rate), self.scales(&Kind::Rate));
        let mut ranges: Vec<(usize, f64, f64)> = vec![];
        for text in texts {
            let mut rest = text.trim();
            if rest.is_empty() {
                return Err(format!("`{option}` is empty: expected `JOINT=LOW:HIGH`").into());
            }
            while !rest.is_empty() {
                let (i, after) = named(rest, &names).ok_or_else(|| self.unknown_name(option, rest, &names))?;
                let (range, others) = after.split_once(',').unwrap_or((after, ""));
                let (low, high) = range.split_once(':').ok_or_else(|| {
                    format!("`{option}`: invalid range `{}` for `{}`: expected `LOW:HIGH`", range.trim(), names[i])
                })?;
                if ranges.iter().any(|r| r.0 == i) {
                    return Err(format!("`{option}` sets `{}` twice", names[i]).into());
                }
                let end = |text: &str| finite(text).map_err(|e| format!("`{option}`, joint `{}`: {e}", names[i]));
                ranges.push((i, end(low)? * scales[i], end(high)? * scales[i]));
                rest = others.trim_start();
            }
        }
        Ok(ranges)
    }

    fn unknown_name(&self, option: &str, rest: &str, names: &[String]) -> String {
        let entry = rest.split(',').next().unwrap_or_default();
        match entry.rsplit_once('=') {
            None => format!("`{option}`: `{entry}` has no joint name; name all values, or list all of them by order"),
            Some((name, _)) => {
                let (robot, name) = (self.model.name(), name.trim());
                format!("`{option}`: `{robot}` has no joint `{name}`; its joints are {}", names.join(", "))
            }
        }
    }

    /// Checks that quaternions have unit length, within the rounding of two digits.
    pub fn check_quaternions(&self, q: &[f64]) -> Result<(), CommandError> {
        for (_, b) in self.model.base_to_tip().filter(|(_, b)| b.pair.nq() != b.pair.nv()) {
            let first = b.q + b.pair.nq() - 4;
            let components = first..first + 4;
            let length = q[components.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
            if (length - 1.0).abs() > 0.02 {
                let names = self.model.coordinate_names()[components].join(", ");
                return Err(
                    format!("quaternion ({names}) has length {length}, expected 1; set all four components").into()
                );
            }
        }
        Ok(())
    }

    /// Checks the quaternions of rows of positions; the error is that of the first wrong row.
    pub fn first_wrong_quaternion(&self, q: &[f64], rows: usize) -> Result<(), RowError> {
        let n = self.model.nq();
        if n == self.model.nv() || n == 0 {
            return Ok(());
        }
        let wrong = |(row, q): (usize, &[f64])| self.check_quaternions(q).err().map(|error| RowError { row, error });
        q[..rows * n].par_chunks_exact(n).enumerate().find_map_first(wrong).map_or(Ok(()), Err)
    }

    /// The names of the coordinates or degrees of freedom.
    pub fn names(&self, kind: &Kind) -> Vec<String> {
        match kind {
            Kind::Position => self.model.coordinate_names(),
            _ => self.model.dof_names().to_vec(),
        }
    }

    /// The factor from each value as written to SI units.
    pub fn scales(&self, kind: &Kind) -> Vec<f64> {
        let m = self.model;
        let scale = |dof: usize| if self.deg && m.is_rotational(dof) { 1f64.to_radians() } else { 1.0 };
        match kind {
            Kind::Torque => vec![1.0; m.nv()],
            Kind::Rate => (0..m.nv()).map(scale).collect(),
            Kind::Position => {
                let mut scales = vec![1.0; m.nq()];
                // Quaternions have no unit.
                for (_, b) in m.base_to_tip().filter(|(_, b)| b.pair.nq() == b.pair.nv()) {
                    scales[b.q] = scale(b.v);
                }
                scales
            }
        }
    }
}

fn expected(names: &[String]) -> String {
    format!("{} ({})", many(names.len(), "value"), names.join(", "))
}

/// The index of the name that `rest` begins with (`elbow = 0.2, …`), and the text after its `=`. Names may contain `,` and `=`.
fn named<'a>(rest: &'a str, names: &[String]) -> Option<(usize, &'a str)> {
    let after = |name: &String| rest.strip_prefix(name.as_str())?.trim_start().strip_prefix('=');
    let matches = names.iter().enumerate().filter_map(|(i, name)| Some((i, after(name)?)));
    matches.min_by_key(|(_, after)| after.len())
}

/// Finite numbers separated by commas.
pub fn numbers(text: &str, option: &str) -> Result<Vec<f64>, CommandError> {
    text.split(',').map(|part| number(part, option)).collect()
}

/// Three or six numbers as two vectors; zero without text.
pub fn two_vectors(option: &str, text: Option<&str>) -> Result<[Vec3<f64>; 2], CommandError> {
    let Some(text) = text else { return Ok([Vec3::zero(); 2]) };
    match numbers(text, option)?[..] {
        [x, y, z] => Ok([vec3(x, y, z), Vec3::zero()]),
        [x, y, z, a, b, c] => Ok([vec3(x, y, z), vec3(a, b, c)]),
        ref all => Err(format!("`{option}` has {}: expected three or six", many(all.len(), "number")).into()),
    }
}

fn number(text: &str, option: &str) -> Result<f64, CommandError> {
    finite(text).map_err(|e| format!("`{option}`: {e}").into())
}

/// A finite number.
pub fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err(format!("`{}` is not finite", text.trim())),
        Err(_) => Err(format!("`{}` is not a number", text.trim())),
    }
}

/// A value of an option: its name, its help text, and what it stands for.
pub type Choice<T> = (&'static str, &'static str, T);

/// The American spelling of a value.
fn other_spelling(name: &str) -> Option<&'static str> {
    (name == "centre").then_some("center")
}

/// A clap value parser of one of some names.
pub fn choice<T: Clone + Send + Sync>(all: &'static [Choice<T>]) -> impl TypedValueParser<Value = T> {
    let value = |(name, help, _): &Choice<T>| {
        let value = PossibleValue::new(*name).aliases(other_spelling(name));
        if help.is_empty() { value } else { value.help(*help) }
    };
    let is = |name: &'static str, typed: &str| name == typed || other_spelling(name) == Some(typed);
    let found =
        move |typed: String| all.iter().find(|c| is(c.0, &typed)).expect("clap accepts only these names").2.clone();
    PossibleValuesParser::new(all.iter().map(value)).map(found)
}

/// Parses a fraction: `5%` or `0.05` (a clap value parser).
pub fn fraction(text: &str) -> Result<f64, String> {
    let parsed = match text.trim().strip_suffix('%') {
        Some(percent) => finite(percent).map(|x| x / 100.0),
        None => finite(text),
    };
    parsed.map_err(|_| "expected a percentage or a fraction, such as `5%` or `0.05`".to_string())
}

/// Parses a duration: `10s`, `500ms`, `2m`; a number without a unit is in seconds (a clap value parser).
pub fn duration(text: &str) -> Result<Duration, String> {
    let parsed = seconds(text)?;
    if parsed.is_zero() || parsed > Duration::from_secs(86_400) {
        return Err("expected a duration above zero and of at most one day".to_string());
    }
    Ok(parsed)
}

/// A time from 0 \[s\], written as a [`duration`].
pub fn time(text: &str) -> Result<f64, String> {
    Ok(seconds(text)?.as_secs_f64())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let parsed = match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => humantime::parse_duration(text).ok(),
    };
    parsed.ok_or_else(|| "expected a number with a unit, such as `10s` or `500ms`, or a number of seconds".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_fractions() {
        assert_eq!(duration("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(duration(" 500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["", "5x", "-1", "0", "0s", "NaN", "2days", "1e9"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert_eq!((fraction("5%"), fraction("0.05")), (Ok(0.05), Ok(0.05)));
        assert!(fraction("five").is_err());
    }
}
