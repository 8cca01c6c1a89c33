//! Terms of the equations of motion: `V`, `G` of the state-space form; `B`, `C` of the configuration-space form; and the
//! torques by another formulation, `tau by lagrange`, `tau by augmented`, `tau by coefficients`.

use super::dynamics::{add_tool_wrench, require_no_tool_wrench};
use super::{Found, Scalar, Scene, Value};
use armdyn_core::{
    AugmentedData, CoefficientsData, FormsData, LagrangeData, augmented, coefficients_tau, configuration_space,
    lagrange_tau, state_space,
};

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    let (m, [q, qd, _], n) = (&scene.model, &scene.state, scene.model.nv());
    let mut d = FormsData::new(m);
    let found = match words {
        ["V"] => state_space(m, &mut d, q, qd).map(|form| Value::column(form.velocity.to_vec())),
        ["G"] => state_space(m, &mut d, q, qd).map(|form| Value::column(form.gravity.to_vec())),
        ["B"] => configuration_space(m, &mut d, q)
            .map(|form| Value::matrix(n * n.saturating_sub(1) / 2, form.coriolis.to_vec())),
        ["C"] => configuration_space(m, &mut d, q).map(|form| Value::matrix(n, form.centrifugal.to_vec())),
        ["tau", "by", formulation] => return Some(torques(scene, formulation)),
        _ => return None,
    };
    Some(found.map_err(|e| e.to_string()))
}

fn torques<S: Scalar>(scene: &Scene<S>, formulation: &str) -> Result<Value<S>, String> {
    let (m, [q, qd, qdd]) = (&scene.model, &scene.state);
    let mut tau = vec![S::zero(); m.nv()];
    if formulation != "augmented" {
        require_no_tool_wrench(scene)?;
    }
    match formulation {
        "lagrange" => lagrange_tau(m, &mut LagrangeData::new(m), q, qd, qdd, &mut tau),
        "augmented" => {
            let mut d = AugmentedData::new(m);
            add_tool_wrench(scene, &mut d.boundary)?;
            augmented(m, &mut d, q, qd, qdd, &mut tau)
        }
        "coefficients" => coefficients_tau(m, &mut CoefficientsData::new(m), q, qd, qdd, &mut tau),
        _ => return Err(format!("unknown formulation `{formulation}`; expected lagrange, augmented, coefficients")),
    }
    .map_err(|e| e.to_string())?;
    Ok(Value::column(scene.with_drives(tau)))
}
