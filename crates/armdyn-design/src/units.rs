//! Units of a robot's quantities, by the kinds of its joints.

use armdyn_core::Model;

/// Unit of an acceleration.
pub(crate) fn acceleration(m: &Model<f64>, dof: usize) -> &'static str {
    if m.is_rotational(dof) { "rad/s²" } else { "m/s²" }
}

/// Unit of an element of the mass matrix.
pub(crate) fn inertia(m: &Model<f64>, i: usize, j: usize) -> &'static str {
    match (m.is_rotational(i), m.is_rotational(j)) {
        (true, true) => "kg m²",
        (false, false) => "kg",
        _ => "kg m",
    }
}

/// Unit of Dᵢⱼ / Dᵢᵢ; empty if dimensionless.
pub(crate) fn inertia_ratio(m: &Model<f64>, i: usize, j: usize) -> &'static str {
    match (m.is_rotational(i), m.is_rotational(j)) {
        (true, false) => "rad/m",
        (false, true) => "m/rad",
        _ => "",
    }
}
