//! Payloads and wrenches that act for a time: `--payload-during`, `--wrench`.

use crate::args::TorqueDriven;
use crate::format::number;
use crate::values::time;
use crate::wrench::wrench;
use crate::{CommandError, robot};
use armdyn_core::{Model, WrenchAxes};
use armdyn_motion::simulation::Simulation;

/// The simulation with the payloads and wrenches of the options; those without an end act until the end \[s\].
pub fn add<'a>(
    mut simulation: Simulation<'a>,
    m: &Model<f64>,
    args: &TorqueDriven,
    end: f64,
) -> Result<Simulation<'a>, CommandError> {
    for (k, text) in args.payload_during.iter().enumerate() {
        let During { what, from, to } = During::parse("--payload-during", text, end)?;
        let from =
            from.ok_or_else(|| format!("`--payload-during {text}` has no start: expected `PAYLOAD from TIME`"))?;
        let (link, inertia, pose) = robot::payload(m, "--payload-during", what)?;
        let mass = number(inertia.mass);
        let name = if args.payload_during.len() == 1 { format!("{mass} kg") } else { format!("{}: {mass} kg", k + 1) };
        simulation = simulation.attach_payload(from, &name, link, inertia.transformed(&pose));
        if let Some(to) = to {
            simulation = simulation.remove_payload(to, &name);
        }
    }
    for text in &args.wrench {
        let During { what, from, to } = During::parse("--wrench", text, end)?;
        let wrench = wrench(m, what, WrenchAxes::Base)?;
        simulation = simulation.wrench(from.unwrap_or(0.0), to.unwrap_or(end), wrench);
    }
    Ok(simulation)
}

/// `WHAT [from TIME] [to TIME]`.
#[derive(Debug, PartialEq)]
struct During<'a> {
    what: &'a str,
    from: Option<f64>,
    to: Option<f64>,
}

impl<'a> During<'a> {
    /// Fails if it starts after the end of the simulation \[s\].
    fn parse(option: &str, text: &'a str, end: f64) -> Result<Self, CommandError> {
        let read =
            |part: &str| time(part).map_err(|e| format!("`{option} {text}`: invalid time `{}`: {e}", part.trim()));
        let (rest, to) = match text.rsplit_once(" to ") {
            Some((rest, to)) => (rest, Some(read(to)?)),
            None => (text, None),
        };
        let (what, from) = match rest.rsplit_once(" from ") {
            Some((what, from)) => (what, Some(read(from)?)),
            None => (rest, None),
        };
        if let Some(to) = to.filter(|to| *to <= from.unwrap_or(0.0)) {
            let from = from.unwrap_or(0.0);
            return Err(
                format!("`{option} {text}` ends at {to} s, but starts at {from} s: expected a later end").into()
            );
        }
        if let Some(from) = from.filter(|from| *from >= end) {
            return Err(format!(
                "`{option} {text}` starts at {from} s, but the simulation ends at {end} s; start earlier, or pass a longer `--duration`"
            )
            .into());
        }
        Ok(During { what: what.trim(), from, to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_payloads_and_wrenches() {
        let parse = |text| During::parse("--wrench", text, 3.0);
        let all = |what, from, to| During { what, from, to };
        assert_eq!(parse("1,2,3@hand from 0.5s to 1200ms").unwrap(), all("1,2,3@hand", Some(0.5), Some(1.2)));
        assert_eq!(parse("1,2,3 from 0").unwrap(), all("1,2,3", Some(0.0), None));
        assert_eq!(parse("1,2,3 to 2").unwrap(), all("1,2,3", None, Some(2.0)));
        assert_eq!(parse("1,2,3").unwrap(), all("1,2,3", None, None));
        for (text, message) in [
            ("1,2,3 from x", "invalid time `x`"),
            ("1,2,3 from 2 to 1", "expected a later end"),
            ("1,2,3 from -1", "invalid time `-1`"),
            ("1,2,3 from 3s", "the simulation ends at 3 s"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
