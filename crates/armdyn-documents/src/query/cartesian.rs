//! Dynamics of a link's motion in directions of x, y, z, rx, ry, rz: `J L x y`, `Mx L x y`, `Vx L x y`, `Gx …`, `Bx …`, `Cx …`, and
//! `Jdot_qd …`, which is J̇q̇.
//!
//! In the link's own axes, for the origin of its frame; Ẍ is the derivative of the components.

use super::{Found, NUMBERS_ONLY, Scalar, Scene, Value};
use armdyn_core::{CartesianData, JacobianFrame, Rate, Task, TaskDirection, cartesian, cartesian_products};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    match words {
        [kind @ ("J" | "Jdot_qd" | "Mx" | "Vx" | "Gx" | "Bx" | "Cx"), link, directions @ ..]
            if !directions.is_empty() =>
        {
            Some(found(scene, kind, link, directions))
        }
        _ => None,
    }
}

fn found<S: Scalar>(scene: &Scene<S>, kind: &str, link: &str, words: &[&str]) -> Result<Value<S>, String> {
    let (m, [q, qd, _], n) = (&scene.model, &scene.state, scene.model.nv());
    if !scene.drives.is_empty() && matches!(kind, "Mx" | "Vx" | "Bx" | "Cx") {
        // What the drives have of M is no part of the model.
        return Err(NUMBERS_ONLY.to_string());
    }
    let direction = |word: &&str| {
        let at = ["x", "y", "z", "rx", "ry", "rz"].iter().position(|w| w == word);
        at.map(|k| TaskDirection::ALL[k]).ok_or_else(|| format!("`{word}` is not a direction"))
    };
    let directions: Vec<TaskDirection> = words.iter().map(direction).collect::<Result<_, _>>()?;
    let link = m.link(link).map_err(|e| e.to_string())?;
    let task = Task { link, at: None, frame: JacobianFrame::Local, directions: &directions, rate: Rate::OfComponents };
    let mut d = CartesianData::new(m);
    if let "Bx" | "Cx" = kind {
        let x = cartesian_products(m, &mut d, &task, q).map_err(|e| e.to_string())?;
        return Ok(match kind {
            "Bx" => Value::matrix(n * n.saturating_sub(1) / 2, x.coriolis.to_vec()),
            _ => Value::matrix(n, x.centrifugal.to_vec()),
        });
    }
    let x = cartesian(m, &mut d, &task, q, qd).map_err(|e| e.to_string())?;
    Ok(match kind {
        "J" => Value::matrix(n, x.jacobian.to_vec()),
        "Jdot_qd" => Value::column(x.rate.to_vec()),
        "Mx" => Value::matrix(directions.len(), x.mass.to_vec()),
        "Vx" => Value::column(x.velocity.to_vec()),
        _ => Value::column(x.gravity.to_vec()),
    })
}
