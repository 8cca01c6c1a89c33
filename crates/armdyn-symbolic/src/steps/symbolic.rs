//! Traces over polynomials: formulas.

use super::cartesian::Tool as TaskTool;
use super::subject::{Subject, check};
use super::{Method, Procedure, Quantity, Trace, TraceError, TraceOptions, covered, general_configuration, run, tool};
use crate::closed::{ClosedOptions, Equations, Parameters, Poly, PolynomialMotion, Ring, Sum, Tensor, motion_formulas};
use crate::typeset::plain_expression;
use armdyn_core::{Model, Progress, Real, Rotation, Transform, Vec3};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// The formulas of all quantities of a method.
#[derive(Clone, Debug)]
pub struct SymbolicTrace {
    /// The formulas.
    pub trace: Trace<Sum>,
    /// The robot's coordinates and parameters, without coefficients.
    pub equations: Equations,
}

/// The formulas of all quantities of a method, in the sines and cosines of the robot's angles, its lengths, their rates and its
/// parameters. Requires joints with one degree of freedom per coordinate. Friction is excluded. Inertia tensors are about the centre of
/// mass where the document has them so, else about the origin of the link's frame, whatever `closed` says. Quantities whose formulas
/// exceed [`ClosedOptions::max_terms`] are left out, and named in the notes.
pub fn formulas(
    m: &Model<f64>,
    method: Method,
    options: &TraceOptions,
    closed: &ClosedOptions,
    progress: &Progress,
) -> Result<SymbolicTrace, TraceError> {
    check(m, covered(method))?;
    let tensor = match method {
        Method::Lau | Method::Bejczy | Method::Renaud => Tensor::Origin,
        _ => Tensor::Centre,
    };
    let parameters = if closed.parameters == Parameters::Numeric { Parameters::Numeric } else { Parameters::Symbolic };
    let closed = ClosedOptions { tensor, parameters, ..closed.clone() };
    // Directions in which the tool can move in general.
    let tool =
        tool(m, method, options, &general_configuration(m), " (in which the tool can move independently in general)")?;
    let trace = |motion: PolynomialMotion| {
        let rotation = |r: Rotation<f64>| crate::parameters::tidy(r).map(Poly::lift);
        let tool = tool.as_ref().map(|t| TaskTool {
            link: t.link,
            pose: Transform::new(rotation(t.pose.rotation), motion.point),
            axes: t.axes,
            directions: t.directions.clone(),
            choice: t.choice,
        });
        let procedure = Procedure::of(&motion.numeric, method, options)?;
        run(&subject(motion), method, options, tool.as_ref(), procedure.as_ref())
    };
    let list = |trace: &mut Result<Trace<Poly>, TraceError>, ring: &Ring| {
        let (mut all, mut groups) = (vec![], vec![]);
        if let Ok(trace) = trace {
            trace.leave_out(closed.max_terms, |q| q.value.components().iter().any(|&&p| ring.is_too_long(p)));
        }
        for quantity in trace.iter().flat_map(Trace::quantities) {
            let start = all.len();
            all.extend(quantity.value.components().into_iter().copied());
            if let Some(denominator) = quantity.denominator {
                all.push(denominator);
                groups.push((start..all.len()).collect());
            }
        }
        (all, groups)
    };
    let point = tool.as_ref().map_or((Vec3::zero(), armdyn_core::BASE), |t| (t.pose.translation, t.link));
    let (equations, trace, sums) = motion_formulas(m, &closed, progress, point, trace, list)?;
    let mut sums = sums.into_iter();
    let trace = trace?.map(&mut |_| sums.next().unwrap_or_default());
    Ok(SymbolicTrace { trace, equations })
}

fn subject(motion: PolynomialMotion) -> Subject<Poly> {
    let PolynomialMotion { numeric, model, drives, q, qd, qdd, .. } = motion;
    let n = q.len();
    let mut matrix = vec![Poly::zero(); n * n];
    for &(i, j, x) in &drives {
        matrix[i * n + j] = x;
        matrix[j * n + i] = x;
    }
    let links = Subject::links(&numeric, &model, crate::parameters::tidy);
    let drives = (!drives.is_empty()).then_some(matrix);
    Subject { model, links, q, qd, qdd, drives, friction: None }
}

impl<T> Trace<T> {
    /// Removes quantities whose formulas are too long, and notes which.
    fn leave_out(&mut self, max_terms: usize, too_long: impl Fn(&Quantity<T>) -> bool) {
        let mut names = vec![];
        for step in &mut self.steps {
            let long = step.quantities.iter().filter(|q| too_long(q));
            names.extend(long.map(|q| q.symbol.unicode()));
            step.quantities.retain(|q| !too_long(q));
        }
        if !names.is_empty() {
            let note =
                format!("Left out, because their formulas have more than {max_terms} terms: {}.", names.join(", "));
            self.notes.push(note);
        }
    }
}

impl SymbolicTrace {
    /// Each formula as plain text: `m1*x1*sin(q1)*qd1**2`.
    pub fn plain(&self) -> Trace<String> {
        self.trace.map(&mut |sum| plain_expression(&self.equations, sum))
    }

    /// The values of all formulas for the robot's parameters at a state.
    pub fn evaluate(&self, q: &[f64], qd: &[f64], qdd: &[f64]) -> Trace<f64> {
        let mut all = vec![0.0; 3 * crate::closed::RATES];
        for (order, values) in [q, qd, qdd].into_iter().enumerate() {
            let at = order * crate::closed::RATES;
            all[at..at + values.len()].copy_from_slice(values);
        }
        self.trace.map(&mut |sum| self.equations.evaluate(sum, &all)).divided()
    }
}

#[derive(Serialize)]
struct ParameterEntry<'a> {
    symbol: String,
    value: f64,
    unit: &'a str,
    description: &'a str,
}

impl Serialize for SymbolicTrace {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let parameters = self.equations.parameters.iter().map(|p| ParameterEntry {
            symbol: p.symbol.plain(),
            value: p.value,
            unit: p.unit,
            description: &p.meaning,
        });
        let plain = self.plain();
        let mut out = s.serialize_struct("SymbolicTrace", 5)?;
        out.serialize_field("method", &plain.method)?;
        out.serialize_field("document", plain.document)?;
        out.serialize_field("notes", &plain.notes)?;
        out.serialize_field("parameters", &parameters.collect::<Vec<_>>())?;
        out.serialize_field("steps", &plain.steps)?;
        out.end()
    }
}
