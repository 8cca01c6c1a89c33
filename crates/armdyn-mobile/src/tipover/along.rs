//! Over many states: the worst of them, how much faster the whole may be run, and how much more it may carry.
//!
//! The moment T that holds the robot down about an edge is Tᵍ + s² Tⁱ where base and arm run s times as fast on the same
//! path (Hollerbach 1984), and T⁰ + μ T¹ with a load of μ kilograms: each state and edge allows an interval of s² and of μ,
//! exactly.

use super::{BaseMotion, Grip, Stand, Support};
use armdyn_core::{Model, Progress, UnitPayload};
use armdyn_numerics::{Error, Result, parallel_ordered};

/// A position, speeds and accelerations.
pub type State<'a> = [&'a [f64]; 3];

/// How a robot stands from state to state.
#[derive(Clone, Debug)]
pub struct Along {
    /// The zero-moment point of each state, in the ground's axes \[m\]; NaN where nothing presses on the ground.
    pub zmp: Vec<[f64; 2]>,
    /// How far it is within the hull \[m\]; below zero the robot tips.
    pub distance: Vec<f64>,
    /// The state in which it is least.
    pub worst: usize,
    /// How many states were looked at: all, unless it was ended early.
    pub looked_at: usize,
}

/// The interval of paces at which no state tips: t → t/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SafePace {
    /// The slowest one: 0, but where only inertia holds the robot up.
    pub slowest: f64,
    /// The fastest one; infinite if nothing bounds it; below `slowest` where there is none.
    pub fastest: f64,
    /// The state and edge that allow no more.
    pub by: Option<(usize, usize)>,
}

/// The masses of a load, in place of the robot's payloads, with which no state tips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SafeMasses {
    /// The least one \[kg\]: 0, but where the load is wanted as a counterweight.
    pub least: f64,
    /// The greatest one \[kg\]; infinite if nothing bounds it; below `least` where there is none.
    pub most: f64,
    /// The state and edge that allow no more.
    pub by: Option<(usize, usize)>,
}

/// What a wrench is to the edges, state after state.
#[derive(Default)]
struct Moments {
    /// About each edge, one state a row.
    about_edges: Vec<f64>,
    normal: Vec<f64>,
    zmp: Vec<[f64; 2]>,
}

fn moments(
    m: &Model<f64>,
    support: &Support,
    base: &BaseMotion,
    states: &[State],
    what: &str,
    progress: &Progress,
) -> Result<Moments> {
    let count = support.edges().len();
    let mut found = Moments::default();
    parallel_ordered(
        states.len(),
        count + 3,
        what,
        progress,
        || Stand::new(m, support),
        |stand, k, row| {
            let demand = stand.moments(base, states[k], &mut row[..count])?;
            row[count..].copy_from_slice(&[demand.normal, -demand.tilting[1], demand.tilting[0]]);
            Ok(())
        },
        |_, rows| {
            for row in rows.chunks(count + 3) {
                found.about_edges.extend_from_slice(&row[..count]);
                let force = row[count];
                let scale = if force > 0.0 { 1.0 / force } else { f64::NAN };
                found.normal.push(force);
                found.zmp.push([row[count + 1] * scale, row[count + 2] * scale]);
            }
        },
    )?;
    Ok(found)
}

/// How a robot stands in each of the states.
///
/// A robot that does not even stand at rest in the first of them is an error: nothing after it means anything.
pub fn along(
    m: &Model<f64>,
    support: &Support,
    base: &BaseMotion,
    states: &[State],
    progress: &Progress,
) -> Result<Along> {
    let first = states.first().ok_or_else(|| Error::InvalidInput("there is no state to look at".to_string()))?;
    stands_at_rest(m, support, first[0])?;
    let count = support.edges().len();
    let Moments { about_edges, normal, zmp } = moments(m, support, base, states, "zero-moment point", progress)?;
    let distance: Vec<f64> = about_edges
        .chunks(count)
        .zip(&normal)
        .map(|(moments, force)| {
            let least = moments.iter().copied().fold(f64::INFINITY, f64::min);
            // Of a robot that leaves the ground no point is known: it is as far out as can be.
            if *force > 0.0 { least / force } else { f64::NEG_INFINITY }
        })
        .collect();
    let looked_at = distance.len();
    let worst = (0..looked_at).min_by(|a, b| distance[*a].total_cmp(&distance[*b])).unwrap_or(0);
    Ok(Along { zmp, distance, worst, looked_at })
}

/// The state that takes the most friction, and what the contacts hold in it; only of those looked at before it was ended
/// early, and of those in which the robot stands. None where there is none.
pub fn worst_grip(
    m: &Model<f64>,
    support: &Support,
    base: &BaseMotion,
    states: &[State],
    progress: &Progress,
) -> Result<Option<(usize, Grip)>> {
    let mut stand = Stand::new(m, support);
    let mut worst: Option<(usize, Grip)> = None;
    for (k, state) in states.iter().enumerate().take_while(|_| !progress.cancelled()) {
        let standing = stand.standing(base, *state)?;
        if !standing.stands() {
            continue;
        }
        let grip = stand.grip(&standing, base)?;
        if worst.as_ref().is_none_or(|(_, w)| grip.needed > w.needed) {
            worst = Some((k, grip));
        }
    }
    Ok(worst)
}

/// `Err` where the centre of mass is outside of the hull, seen along gravity.
pub(super) fn stands_at_rest(m: &Model<f64>, support: &Support, q: &[f64]) -> Result<()> {
    let still = vec![0.0; m.nv()];
    let standing = Stand::new(m, support).standing(&BaseMotion::rest(), [q, &still, &still])?;
    if standing.stands() {
        return Ok(());
    }
    let edge = support.edge_name(standing.weakest());
    let beyond = standing.distance().map_or(String::new(), |d| format!(", {:.4} m beyond it", -d));
    Err(Error::InvalidInput(format!(
        "the robot does not stand at rest from the start: its centre of mass is not over the contacts' hull; it tips over {edge}{beyond}"
    )))
}

/// The paces at which no state tips, base and arm on the same path: so many times as fast.
pub fn safe_pace(
    m: &Model<f64>,
    support: &Support,
    base: &BaseMotion,
    states: &[State],
    progress: &Progress,
) -> Result<SafePace> {
    let count = support.edges().len();
    let still = vec![0.0; m.nv()];
    let resting: Vec<State> = states.iter().map(|s| [s[0], &still, &still]).collect();
    let weight = moments(m, support, &BaseMotion::rest(), &resting, "moments at rest", progress)?.about_edges;
    let whole = moments(m, support, base, states, "moments in motion", progress)?.about_edges;
    let mut squares = Allowed::ALL;
    for (k, (weight, whole)) in weight.iter().zip(&whole).enumerate() {
        squares.hold(*weight, whole - weight, (k / count, k % count));
    }
    let Allowed { least, most, by } = squares;
    Ok(SafePace { slowest: least.sqrt(), fastest: if most < 0.0 { most } else { most.sqrt() }, by })
}

/// The masses of a load, in place of the robot's payloads, with which no state tips.
pub fn safe_masses(
    m: &Model<f64>,
    support: &Support,
    base: &BaseMotion,
    states: &[State],
    load: &UnitPayload,
    progress: &Progress,
) -> Result<SafeMasses> {
    let count = support.edges().len();
    let empty = m.without_payloads();
    let loaded = empty.with_payload_in_link("load", load.link, load.per_kilogram)?;
    let without = moments(&empty, support, base, states, "moments without payload", progress)?.about_edges;
    let with = moments(&loaded, support, base, states, "moments with payload", progress)?.about_edges;
    let mut masses = Allowed::ALL;
    for (k, (without, with)) in without.iter().zip(&with).enumerate() {
        masses.hold(*without, with - without, (k / count, k % count));
    }
    let Allowed { least, most, by } = masses;
    Ok(SafeMasses { least, most, by })
}

/// Where all of a + b x ≥ 0, from x = 0 on.
struct Allowed {
    least: f64,
    most: f64,
    by: Option<(usize, usize)>,
}

impl Allowed {
    const ALL: Allowed = Allowed { least: 0.0, most: f64::INFINITY, by: None };

    fn hold(&mut self, a: f64, b: f64, by: (usize, usize)) {
        // What rounding leaves of nothing bounds nothing.
        let none = b.abs() <= 1e-13 * a.abs();
        let most = match (none, a >= 0.0, b >= 0.0) {
            (true, true, _) | (false, true, true) => return,
            (true, false, _) | (false, false, false) => -1.0,
            (false, false, true) => {
                self.least = self.least.max(-a / b);
                return;
            }
            (false, true, false) => -a / b,
        };
        if most < self.most {
            (self.most, self.by) = (most, Some(by));
        }
    }
}
