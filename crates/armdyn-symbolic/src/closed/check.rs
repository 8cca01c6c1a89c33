//! Comparison of equations with the core's algorithms, at a few states, before they are returned.

use super::equations::{Coefficient, Equations};
use super::options::ClosedError;
use armdyn_core::{
    CartesianData, EnergyData, Error, JointId, Model, RneaData, Task, WrenchFrame, cartesian, energy, rnea,
};

/// An error if two values differ, relative to the size of the terms of the first.
fn close(quantity: impl Fn() -> String, found: f64, expected: f64, size: f64) -> Result<(), ClosedError> {
    let difference = (found - expected).abs();
    let error = difference / (size + f64::MIN_POSITIVE);
    if error > 1e-9 && difference > 1e-12 {
        return Err(ClosedError::Mismatch { quantity: quantity(), error });
    }
    Ok(())
}

/// Checks the equations against the recursion at a few states.
pub(super) fn check(model: &Model<f64>, e: &Equations) -> Result<(), ClosedError> {
    let n = e.size();
    let mut data = RneaData::new(model);
    for state in 1..=3 {
        // Quasi-random values.
        let value = |k: usize| ((k * 7 + state * 13) as f64 * 0.618_033_988_75).fract() * 2.0 - 1.0;
        let [q, qd, qdd] = [0, 1, 2].map(|a| (0..n).map(|i| value(3 * i + a)).collect::<Vec<f64>>());
        let mut tau = vec![0.0; n];
        rnea(model, &mut data, &q, &qd, &qdd, &mut tau)?;
        for i in 0..n {
            let mut size = 0.0;
            let mut term = |c: &Coefficient, by: f64| {
                let x = e.evaluate(&c.written, &q) * by;
                size += x.abs();
                x
            };
            let mut sum = term(e.gravity(i), 1.0);
            for j in 0..n {
                sum += term(e.inertia(i, j), qdd[j]);
                for k in 0..n {
                    sum += term(e.velocity(i, j, k), qd[j] * qd[k]);
                }
            }
            close(|| format!("torque of {}", e.dofs[i].name), sum, tau[i], size)?;
        }
        supplements(model, e, &data, [&q, &qd, &qdd])?;
    }
    Ok(())
}

/// Energies, wrenches and Cartesian form; `data` has the recursion at this state.
fn supplements(
    model: &Model<f64>,
    e: &Equations,
    data: &RneaData<f64>,
    [q, qd, qdd]: [&[f64]; 3],
) -> Result<(), ClosedError> {
    let extra = e.supplements();
    if let Some(potential) = &extra.potential {
        let known = energy(model, &mut EnergyData::new(model), q, qd)?;
        let kinetic: f64 =
            e.kinetic_energy().iter().map(|(x, [i, j], c)| x * e.evaluate(&c.written, q) * qd[*i] * qd[*j]).sum();
        let found = e.evaluate(&potential.written, q);
        close(|| "potential energy".to_string(), found, known.potential, known.potential.abs() + 1.0)?;
        close(|| "kinetic energy".to_string(), kinetic, known.kinetic, known.kinetic.abs())?;
    }
    if !extra.wrenches.is_empty() {
        let mut known = vec![];
        for (k, joint) in model.joints().iter().enumerate().filter(|j| !j.1.bodies.is_empty()) {
            let wrenches = data.wrenches(model, JointId::new(k), WrenchFrame::Local)?;
            known.extend(wrenches.iter().map(|w| (w.total, &joint.name)));
        }
        for (wrench, (total, joint)) in extra.wrenches.iter().zip(known) {
            let [n, f] = [total.moment, total.force].map(|v| v.to_array());
            let size = n.iter().chain(&f).fold(1.0, |s: f64, x| s.max(x.abs()));
            for (terms, x) in wrench.components.iter().zip(f.iter().chain(&n)) {
                close(|| format!("wrench of {joint}"), e.evaluate_terms(terms, q, [qd, qdd]), *x, size)?;
            }
        }
    }
    if let Some(form) = &extra.cartesian {
        let o = &form.options;
        let task =
            Task { link: o.tool.link, at: Some(o.tool.pose), frame: o.frame, directions: &o.directions, rate: o.rate };
        let mut data = CartesianData::new(model);
        // Where the state happens to be near a singular one there is nothing to compare with.
        let known = match cartesian(model, &mut data, &task, q, qd) {
            Err(Error::Singular { .. }) => return Ok(()),
            known => known?,
        };
        let scale = |values: &[f64]| values.iter().fold(0.0, |s: f64, x| s.max(x.abs())) * known.condition.max(1.0);
        let n = e.size();
        for at in 0..n * n {
            let of = |what: &str| format!("{what} {}, {}", at / n + 1, at % n + 1);
            let j = e.evaluate(&form.jacobian[at].written, q);
            close(|| of("J"), j, known.jacobian[at], scale(known.jacobian))?;
            close(|| of("M_x"), e.evaluate_quotient(&form.mass[at], q), known.mass[at], scale(known.mass))?;
        }
        for r in 0..n {
            let of = |what: &str| format!("{what} {}", r + 1);
            let velocity: f64 =
                form.velocity[r].iter().map(|(x, [j, k])| e.evaluate_quotient(x, q) * qd[*j] * qd[*k]).sum();
            let rate = e.evaluate_terms(&form.rate[r], q, [qd, qdd]);
            close(|| of("J̇q̇"), rate, known.rate[r], scale(known.rate) + 1.0)?;
            close(|| of("V_x"), velocity, known.velocity[r], scale(known.velocity) + scale(known.mass))?;
            close(|| of("G_x"), e.evaluate_quotient(&form.gravity[r], q), known.gravity[r], scale(known.gravity))?;
        }
    }
    Ok(())
}
