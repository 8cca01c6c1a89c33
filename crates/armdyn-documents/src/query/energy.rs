//! Energy: `kinetic`, `potential`, of the whole robot or of one link, `kinetic L`; potential energy is zero at the base's
//! origin. `gravity`: the vector, in the base's axes.

use super::{Found, Scalar, Scene, Value};
use armdyn_core::{EnergyData, Inertia, energy};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    Some(match words {
        ["gravity"] => Ok(scene.model.gravity().into()),
        [kind @ ("kinetic" | "potential"), link @ ..] if link.len() < 2 => part(scene, kind, link.first().copied()),
        _ => return None,
    })
}

fn part<S: Scalar>(scene: &Scene<S>, kind: &str, link: Option<&str>) -> Result<Value<S>, String> {
    let mut m = scene.model.clone();
    if let Some(link) = link {
        let body = m.links()[m.link(link).map_err(|e| e.to_string())?].body;
        m = m.without_drives().with_bodies(|k, b| (b.placement, if k == body { b.inertia } else { Inertia::zero() }));
    }
    let found = energy(&m, &mut EnergyData::new(&m), &scene.state[0], &scene.state[1]).map_err(|e| e.to_string())?;
    if kind == "potential" {
        return Ok(found.potential.into());
    }
    // Drives that are not in the model.
    let (qd, half) = (&scene.state[1], S::lift(0.5));
    let own = scene.drives.iter().filter(|_| link.is_none());
    let energy = |&(i, j, inertia): &(usize, usize, S)| inertia * qd[i] * qd[j] * if i == j { half } else { S::one() };
    Ok(own.fold(found.kinetic, |sum, d| sum + energy(d)).into())
}
