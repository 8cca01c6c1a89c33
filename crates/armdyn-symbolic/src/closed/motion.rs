//! Polynomials in a robot's coordinates, their rates and its parameters, as formulas.

use super::options::{ClosedError, ClosedOptions};
use super::poly::Poly;
use super::ring::Ring;
use super::{Coefficient, Equations, Parameters, Sum, Supplements, WrittenRobot, coordinates, dofs, written};
use crate::parameters::{SymbolTable, tidied, with_symbols};
use crate::rounded_angles::{RoundedAngles, exact_angles};
use armdyn_core::{LinkId, Model, Progress, Real, Vec3};
use std::time::Instant;

/// The index of the first velocity among the coordinates of formulas; accelerations follow at twice this.
pub(crate) const RATES: usize = Ring::MAX_COORDINATES;

/// Numbers within this of 0, 1 and −1 are rounded: elements of rotations by multiples of 90°.
const ROUNDED: f64 = 1e-12;

/// A robot in motion over polynomials, in the active ring.
pub(crate) struct PolynomialMotion {
    /// The robot over numbers, with exact angles and without drives.
    pub numeric: Model<f64>,
    /// The same over polynomials.
    pub model: Model<Poly>,
    /// The contribution of the drives to M: row, column (upper triangle), symbol.
    pub drives: Vec<(usize, usize, Poly)>,
    pub q: Vec<Poly>,
    pub qd: Vec<Poly>,
    pub qdd: Vec<Poly>,
    /// A point of a link.
    pub point: Vec3<Poly>,
}

/// What is written: all polynomials of a result, in order, and groups of them whose common factors are cancelled.
pub(crate) type Listing = (Vec<Poly>, Vec<Vec<usize>>);

/// Runs `f` over polynomials, with symbols also for a point in the frame of a link, and writes those that `list` finds in its result, which it may shorten. Factors that a group of polynomials has in common are
/// cancelled. The equations have the robot's coordinates and parameters and no coefficients.
pub(crate) fn motion_formulas<R>(
    model: &Model<f64>,
    options: &ClosedOptions,
    progress: &Progress,
    point: (Vec3<f64>, LinkId),
    f: impl FnOnce(PolynomialMotion) -> R,
    list: impl FnOnce(&mut R, &Ring) -> Listing,
) -> Result<(Equations, R, Vec<Sum>), ClosedError> {
    let deadline = Instant::now().checked_add(options.budget);
    let coordinates = coordinates(model, "formulas (joints with one degree of freedom)")?;
    let friction_free = model.without_friction();
    let (exact, rounded_angles) =
        if options.exact { (friction_free, RoundedAngles::default()) } else { exact_angles(&friction_free)? };
    let model = tidied(&exact);
    let symbols = SymbolTable::new(options.parameters != Parameters::Numeric, options.tensor);
    let whole = |x: f64| if (x - x.round()).abs() < ROUNDED && x.abs() < 1.5 { x.round() } else { x };
    let (mut ring, mut result) = Ring::new(&coordinates, options.max_terms).until(deadline).record(|| {
        let over = with_symbols(&model, &model.without_drives().map(|x| Poly::lift(whole(x))), &symbols);
        let n = coordinates.len();
        let rate = |order: usize| (0..n).map(|i| Poly::symbol(&format!("q{}", order * RATES + i + 1))).collect();
        f(PolynomialMotion {
            numeric: model.without_drives(),
            model: over,
            drives: symbols.drives(&model),
            q: (0..n).map(Poly::coordinate).collect(),
            qd: rate(1),
            qdd: rate(2),
            point: {
                let link = &model.links()[point.1];
                symbols.vector(link.body, point.0, [("p", "x"), ("p", "y"), ("p", "z")], &[link.body], || {
                    format!("tool in the frame of {}", link.name)
                })
            },
        })
    });
    let (mut all, groups) = list(&mut result, &ring);
    if let Some(failure) = all.iter().find_map(|&p| ring.terms(p).err()) {
        return Err(ClosedError::of(failure, options));
    }
    for group in groups {
        let cancelled = ring.cancelled(&group.iter().map(|&k| all[k]).collect::<Vec<_>>());
        group.into_iter().zip(cancelled).for_each(|(k, p)| all[k] = p);
    }
    let parameters = symbols.into_parameters();
    let of = WrittenRobot { model: &model, coordinates: &coordinates, parameters: &parameters };
    let (ring, _, coefficients) = written(&of, ring, &all, (None, 0), options, deadline, progress)?;
    let used = ring.symbols_in(&all);
    let equations = Equations {
        robot: model.name().to_string(),
        options: options.clone(),
        dofs: dofs(&model, &coordinates),
        parameters,
        groups: vec![],
        rounded_angles,
        gravity_vector: model.gravity().to_array(),
        ring: ring.until(None),
        used,
        gravity: vec![],
        inertia: vec![],
        velocity: vec![],
        supplements: Supplements::none(),
    };
    let sums = coefficients.into_iter().map(|Coefficient { written, .. }| written).collect();
    Ok((equations, result, sums))
}
