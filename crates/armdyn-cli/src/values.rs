//! Joint values as a person writes them: by order or by name.

use crate::diagnostics;
use armdyn_core::Model;
use armdyn_numerics::{Error, JointRanges};
use std::sync::Once;
use std::time::Duration;

/// One kind of value, for each coordinate or degree of freedom.
pub enum Kind {
    /// Positions: nq of them.
    Position,
    /// Velocities and accelerations: nv of them.
    Rate,
    /// Torques: nv of them; never in degrees.
    Torque,
}

/// The state and motion options of a command, read for one model.
pub struct Reader<'a> {
    /// The robot.
    pub model: &'a Model<f64>,
    /// Whether angles are in degrees.
    pub deg: bool,
}

impl Reader<'_> {
    /// The values of an option; neutral where it is not given.
    pub fn read(&self, option: &str, kind: &Kind, given: Option<&str>) -> Result<Vec<f64>, String> {
        let m = self.model;
        let names = self.names(kind);
        let mut values = vec![0.0; names.len()];
        if let Kind::Position = kind {
            m.neutral(&mut values).map_err(|e| e.to_string())?;
        }
        let Some(given) = given.map(str::trim).filter(|g| !g.is_empty()) else { return Ok(values) };
        for (value, given) in values.iter_mut().zip(self.given(option, kind, given)?) {
            *value = given.unwrap_or(*value);
        }
        if let Kind::Position = kind {
            self.check_quaternions(&values).map_err(|e| format!("{option}: {e}"))?;
        }
        Ok(values)
    }

    /// The values of an option that are given: by order, or by name and then perhaps not all.
    pub fn given(&self, option: &str, kind: &Kind, given: &str) -> Result<Vec<Option<f64>>, String> {
        let (names, scales) = (self.names(kind), self.scales(kind));
        let mut values = vec![None; names.len()];
        if given.contains('=') {
            let mut rest = given.trim();
            while !rest.is_empty() {
                let (at, after) = named(rest, &names).ok_or_else(|| self.unnamed(option, rest, &names))?;
                let (value, others) = after.split_once(',').unwrap_or((after, ""));
                if values[at].replace(number(value, option)? * scales[at]).is_some() {
                    return Err(format!("{option}: `{}` is given twice", names[at]));
                }
                rest = others.trim_start();
            }
            return Ok(values);
        }
        let found = numbers(given, option)?;
        if found.len() != names.len() {
            let told = format!("{option}: {} values, `{}` needs {}", found.len(), self.model.name(), names.len());
            return Err(format!("{told} ({})", names.join(", ")));
        }
        Ok(found.iter().zip(scales).map(|(x, s)| Some(x * s)).collect())
    }

    /// The configurations within the robot's limits and what `--box` gives in their place: `elbow=-1:2,wrist=0:0.5`.
    pub fn region(&self, given: &[String]) -> Result<JointRanges, String> {
        let region = JointRanges::new(self.model, &self.ranges("--box", given)?).map_err(|e| match e {
            Error::NoLimit { .. } => format!("{e} with --box JOINT=LOW:HIGH"),
            e => e.to_string(),
        })?;
        let free: Vec<&str> = (0..self.model.nv())
            .filter(|i| region.is_unlimited(*i))
            .map(|i| self.model.dof_names()[i].as_str())
            .collect();
        if !free.is_empty() {
            static TOLD: Once = Once::new();
            let (names, whole) = (free.join(", "), "all the way round is looked at (--box JOINT=LOW:HIGH is less)");
            TOLD.call_once(|| diagnostics::warn(format_args!("armdyn: no limits of {names}: {whole}")));
        }
        Ok(region)
    }

    /// Ranges by name: degree of freedom, lower end, upper end.
    pub fn ranges(&self, option: &str, given: &[String]) -> Result<Vec<(usize, f64, f64)>, String> {
        let names = self.names(&Kind::Rate);
        let scales = self.scales(&Kind::Rate);
        let mut ranges: Vec<(usize, f64, f64)> = vec![];
        for given in given {
            let mut rest = given.trim();
            if rest.is_empty() {
                return Err(format!("{option}: nothing is given; it reads JOINT=LOW:HIGH"));
            }
            while !rest.is_empty() {
                let (at, after) = named(rest, &names).ok_or_else(|| self.unnamed(option, rest, &names))?;
                let (range, others) = after.split_once(',').unwrap_or((after, ""));
                let (low, high) = range
                    .split_once(':')
                    .ok_or_else(|| format!("{option}: `{}` of `{}` should read LOW:HIGH", range.trim(), names[at]))?;
                let own = format!("{option}, `{}`", names[at]);
                if ranges.iter().any(|r| r.0 == at) {
                    return Err(format!("{option}: `{}` is given twice", names[at]));
                }
                ranges.push((at, number(low, &own)? * scales[at], number(high, &own)? * scales[at]));
                rest = others.trim_start();
            }
        }
        Ok(ranges)
    }

    /// What is wrong with a part that begins with no joint's name.
    fn unnamed(&self, option: &str, rest: &str, names: &[String]) -> String {
        let part = rest.split(',').next().unwrap_or_default();
        match part.rsplit_once('=') {
            None => format!("{option}: `{part}` has no name; give all values by name, or all by order"),
            Some((name, _)) => {
                format!("{option}: `{}` has no joint `{}`; it has {}", self.model.name(), name.trim(), names.join(", "))
            }
        }
    }

    /// A quaternion is a rotation only where its length is 1, but for what two written digits leave.
    pub fn check_quaternions(&self, q: &[f64]) -> Result<(), String> {
        for (_, b) in self.model.base_to_tip().filter(|(_, b)| b.pair.nq() != b.pair.nv()) {
            let first = b.q + b.pair.nq() - 4;
            let parts = first..first + 4;
            let length = q[parts.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
            if (length - 1.0).abs() > 0.02 {
                let names = self.model.coordinate_names()[parts].join(", ");
                return Err(format!("the quaternion {names} has length {length}, where it must be 1; give all of it"));
            }
        }
        Ok(())
    }

    /// What the values are called.
    pub fn names(&self, kind: &Kind) -> Vec<String> {
        match kind {
            Kind::Position => self.model.coordinate_names(),
            _ => self.model.dof_names().to_vec(),
        }
    }

    /// What a value as written is multiplied by.
    pub fn scales(&self, kind: &Kind) -> Vec<f64> {
        let m = self.model;
        let one = |dof: usize| if self.deg && m.turns(dof) { 1f64.to_radians() } else { 1.0 };
        match kind {
            Kind::Torque => vec![1.0; m.nv()],
            Kind::Rate => (0..m.nv()).map(one).collect(),
            Kind::Position => {
                let mut scales = vec![1.0; m.nq()];
                // A quaternion is no angle.
                for (_, b) in m.base_to_tip().filter(|(_, b)| b.pair.nq() == b.pair.nv()) {
                    scales[b.q] = one(b.v);
                }
                scales
            }
        }
    }
}

/// Whose value `rest` begins with (`elbow = 0.2, …`), and what follows the `=`. A name may hold commas and `=` itself.
fn named<'a>(rest: &'a str, names: &[String]) -> Option<(usize, &'a str)> {
    let after = |name: &String| rest.strip_prefix(name.as_str())?.trim_start().strip_prefix('=');
    let found = names.iter().enumerate().filter_map(|(at, name)| Some((at, after(name)?)));
    found.min_by_key(|(_, after)| after.len())
}

/// Finite numbers, by commas.
pub fn numbers(given: &str, option: &str) -> Result<Vec<f64>, String> {
    given.split(',').map(|part| number(part, option)).collect()
}

/// A share: `5%` or `0.05`.
pub fn share(given: &str, option: &str) -> Result<f64, String> {
    let given = given.trim();
    match given.strip_suffix('%') {
        Some(percent) => Ok(number(percent, option)? / 100.0),
        None => number(given, option),
    }
}

fn number(given: &str, option: &str) -> Result<f64, String> {
    match given.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err(format!("{option}: `{}` is not finite", given.trim())),
        Err(_) => Err(format!("{option}: `{}` is not a number", given.trim())),
    }
}

/// `10s`, `500ms`, `1m`; a bare number is seconds.
pub fn duration(given: &str) -> Result<Duration, String> {
    let given = given.trim();
    let split = given.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(given.len());
    let (number, unit) = given.split_at(split);
    let scale = match unit {
        _ if number.is_empty() => return Err(format!("--budget: `{given}` is no time; 10s, 500ms and 1m are")),
        "s" | "" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        _ => return Err(format!("--budget: `{unit}` is no unit of time; use s, ms or m")),
    };
    let no_time = |_| format!("--budget: `{given}` is no time; 10s, 500ms and 1m are");
    let seconds = number.trim().parse::<f64>().map_err(no_time)? * scale;
    if seconds > 0.0 && seconds <= 86_400.0 {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err(format!("--budget: `{given}` must be more than nothing, and a day at most"))
}
