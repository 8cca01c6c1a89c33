//! Renaud's procedure, step by step.
//!
//! M. Renaud, a quasi-minimal dynamic model (1987): augmented bodies in modified Denavit–Hartenberg frames, eqs. (0) … (10)
//! of [`augmented`](armdyn_core::augmented()), customised: zeros and parameters cost nothing, and values that no torque needs
//! are omitted. A quantity that a step names is used by the following steps as it is, and his table counts each step
//! separately: a product that two steps need is computed in both. So is the program: it has as many operations as the table.
//!
//! Where joint i + 1 is prismatic, the augmented body i depends on q, and (0) is computed in every call, as polynomials in
//! r: u + m* s + (m* d) r, where p = s + r d. Sines and cosines are inputs, and the addition of an offset to an angle is not
//! counted with the steps (`angle_operations` of [`Count`](crate::Count)); an offset of a quarter turn needs none.
//!
//! Deviations: a wrench at the tip is exerted by the environment on the arm (the paper's by the arm). A rotation is α about
//! x, then θ about z, instead of one matrix. 2 q̇ in (5) is a multiplication. Drives are not part of it.

mod constants;
mod frames;
mod procedure;

use crate::count::Count;
use crate::graph::{Array, Graph, Node};
use crate::program::{Output, Program, Quantity};
use crate::reference::Reference;
use crate::rounded_angles::exact_angles;
use armdyn_core::{Error, Force, Model, RneaData, rnea, vec3};
pub(crate) use constants::Constants;
pub use frames::{RenaudFrame, RenaudFrames};
pub use procedure::RenaudQuantity;
pub(crate) use procedure::{Inputs, by_addition, procedure};

/// The operation count of a step of the procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number in the paper, 0 … 10.
    pub number: usize,
    /// Multiplications.
    pub mul: usize,
    /// Additions.
    pub add: usize,
}

impl Step {
    /// What a step computes.
    pub fn title(&self) -> &'static str {
        STEPS[self.number]
    }
}

/// What the steps compute.
const STEPS: [&str; 11] = [
    "augmented bodies u*, k*",
    "angular velocities ω",
    "products δ of ω",
    "angular accelerations a",
    "tensors b",
    "sliding accelerations t",
    "accelerations r, α of the origins",
    "forces e",
    "forces f of prismatic joints",
    "moments n",
    "generalized forces Γ",
];

/// Options of [`renaud`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RenaudOptions {
    /// A wrench at the tip is an input.
    pub tip_wrench: bool,
    /// The parameters are inputs, with Renaud's symbols.
    pub symbolic: bool,
    /// Keep rounded angles as they are, instead of [making them exact](crate::exact_angles).
    pub exact: bool,
}

/// Renaud's procedure for one robot.
#[derive(Clone, Debug)]
pub struct Renaud {
    /// The inverse dynamics program: its operations are those of the steps.
    pub program: Program,
    /// The operations of each step, 0 … 10.
    pub steps: Vec<Step>,
    /// The operation count if what two steps have in common is computed once.
    pub shared: Count,
    /// The frames.
    pub frames: RenaudFrames,
    /// The quantities of the steps, in the order of their computation.
    pub quantities: Vec<RenaudQuantity>,
}

/// Renaud's procedure: the inverse dynamics program, and the operation counts of its steps.
///
/// ```
/// use armdyn_symbolic::{RenaudOptions, renaud};
/// let model = armdyn_core::examples::pendulum();
/// let procedure = renaud(&model, RenaudOptions::default())?;
/// let total: usize = procedure.steps.iter().map(|s| s.mul + s.add).sum();
/// assert_eq!(total, procedure.program.count().total());
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn renaud(model: &Model<f64>, options: RenaudOptions) -> Result<Renaud, Error> {
    let mut ideal = model.without_drives();
    if !options.exact {
        ideal = exact_angles(&ideal)?.0;
    }
    let frames = RenaudFrames::of(&ideal)?;
    let (graph, made) = Graph::record(|| {
        let n = frames.frames.len();
        let [q, qd, qdd] = [Array::Q, Array::Qd, Array::Qdd].map(|array| Graph::array(array, n));
        let wrench = options.tip_wrench.then(|| Graph::array(Array::Wrench, 6).try_into().expect("six components"));
        let constants = Constants::recorded(&frames, options.symbolic, options.tip_wrench);
        let (cos_sin, enter) = (procedure::of_sum, Graph::enter_step);
        procedure::procedure(&frames, &constants, &Inputs { q: &q, qd: &qd, qdd: &qdd, wrench, cos_sin, enter })
    });
    let counted = Count::counted(&graph, &made.tau);
    let of_step = |number: usize| {
        let mut step = Step { number, mul: 0, add: 0 };
        for (k, node) in graph.nodes().iter().enumerate() {
            match node {
                _ if !counted[k] || graph.step_of(k) != procedure::tag(number) => {}
                Node::Sum(..) => step.add += 1,
                Node::Product(..) => step.mul += 1,
                _ => {}
            }
        }
        step
    };
    let steps = (0..STEPS.len()).map(of_step).collect();
    let shared = {
        let (graph, tau) = graph.rebuilt(&made.tau);
        Count::of(&graph, &tau)
    };
    let outputs = made.tau.iter().enumerate().map(|(i, &value)| Output { name: format!("tau{}", i + 1), value });
    let outputs = outputs.collect();
    let mut program = Program::of(&ideal, Quantity::Inverse, "renaud", graph, outputs).with_references(&ideal);
    if options.tip_wrench {
        program.references = with_wrench(&ideal, program.references)?;
    }
    if options.symbolic {
        program.legend = legend(&frames);
    }
    Ok(Renaud { program, steps, shared, frames, quantities: made.quantities })
}

/// The references with a wrench at the tip.
fn with_wrench(m: &Model<f64>, references: Vec<Reference>) -> Result<Vec<Reference>, Error> {
    let link = m.joints().iter().rfind(|j| !j.bodies.is_empty()).map(|j| j.child);
    let Some(link) = link else { return Ok(references) };
    let mut data = RneaData::new(m);
    let one = |(k, mut reference): (usize, Reference)| {
        let w: Vec<f64> = (0..6).map(|i| ((i * 5 + k * 3) % 13) as f64 / 2.0 - 3.0).collect();
        data.boundary.clear_wrenches();
        let wrench = Force::new(vec3(w[3], w[4], w[5]), vec3(w[0], w[1], w[2]));
        data.boundary.add_external_wrench(m, link, wrench)?;
        let find = |array| reference.arrays.iter().find(|(a, _)| *a == array).map_or(&[][..], |(_, x)| x);
        let (q, qd, qdd) = (find(Array::Q), find(Array::Qd), find(Array::Qdd));
        rnea(m, &mut data, q, qd, qdd, &mut reference.results)?;
        reference.arrays.push((Array::Wrench, w));
        Ok(reference)
    };
    references.into_iter().enumerate().map(one).collect()
}

/// The frames that the parameters refer to.
fn legend(frames: &RenaudFrames) -> Vec<String> {
    let mut lines =
        vec!["frames: modified Denavit-Hartenberg; alpha [deg], theta [deg] and r [m] at q = 0".to_string()];
    for (k, f) in frames.frames.iter().enumerate() {
        let alpha = f.alpha.1.atan2(f.alpha.0).to_degrees();
        let kind = if f.prismatic { "prismatic" } else { "revolute" };
        let (a, theta, r) = (f.position.x, f.theta.to_degrees(), f.r);
        lines.push(format!("  {} {}: {kind}, alpha {alpha}, a {a:?}, theta {theta}, r {r:?}", k + 1, f.joint));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::AugmentedData;
    use armdyn_core::augmented;
    use armdyn_testkit::bundled;
    use armdyn_testkit::random::{self, State};

    fn totals(steps: &[Step]) -> (usize, usize) {
        (steps.iter().map(|s| s.mul).sum(), steps.iter().map(|s| s.add).sum())
    }

    #[test]
    fn the_counts_of_each_step_are_renauds() {
        for symbolic in [false, true] {
            let options = RenaudOptions { symbolic, ..RenaudOptions::default() };
            let found = renaud(&bundled("renaud-6r"), options).unwrap();
            let table = [(1, 18, 12), (2, 25, 0), (3, 28, 22), (4, 0, 15), (6, 22, 12), (7, 26, 16), (9, 62, 50)];
            for step in &found.steps {
                let printed = table.iter().find(|t| t.0 == step.number).map_or((0, 0), |t| (t.1, t.2));
                assert_eq!((step.mul, step.add), printed, "step {}, symbolic {symbolic}", step.number);
            }
            assert_eq!(totals(&found.steps), (181, 127));
            // The program is counted as the table is; steps 2 and 3 share two products.
            assert_eq!((found.program.count().mul, found.program.count().add), (181, 127));
            assert_eq!((found.shared.mul, found.shared.add), (179, 127));
            assert_eq!(found.program.count().angle_operations, 0);
        }
    }

    #[test]
    fn the_frames_of_a_robot_in_modified_denavit_hartenberg_frames_are_its_own() {
        let m = bundled("renaud-6r");
        let found = RenaudFrames::of(&m).unwrap();
        // The table of the paper: α, a, r.
        let quarter = 90.0;
        let table = [
            (0.0, 0.0, 0.0),
            (quarter, 0.0, 0.0),
            (0.0, 0.5, 0.0),
            (quarter, 0.0, 0.4),
            (-quarter, 0.0, 0.0),
            (quarter, 0.0, 0.0),
        ];
        for (f, (alpha, a, r)) in found.frames.iter().zip(table) {
            let angle = f.alpha.1.atan2(f.alpha.0).to_degrees();
            assert_eq!((angle, f.position.to_array(), f.r, f.theta), (alpha, [a, 0.0, 0.0], r, 0.0), "{}", f.joint);
        }
        assert_eq!(found.frames[4].inertia.first.to_array(), [0.0, 0.06, 0.0]);
        assert_eq!(found.gravity, 9.81);
    }

    #[test]
    fn the_program_computes_the_torques_of_any_arm_with_and_without_a_wrench() {
        let kinds = ["R", "P", "RP", "PR", "RPR", "PPP", "PRP", "RRPRRR", "PRRPRP", "RRRRRRR"];
        for (seed, kinds) in (0..40).zip(kinds.iter().cycle()) {
            let m = random::arm(seed, kinds);
            for (tip_wrench, symbolic) in [(false, false), (true, false), (true, true)] {
                let found = renaud(&m, RenaudOptions { tip_wrench, symbolic, exact: true }).unwrap();
                let parameters = found.program.parameters();
                let s = State::random(&m, &mut random::source(seed + 1));
                let w = random::numbers(&mut random::source(seed), 6, 5.0);
                let mut data = RneaData::new(&m);
                if tip_wrench {
                    let link = m.joints().last().unwrap().child;
                    let wrench = Force::new(vec3(w[3], w[4], w[5]), vec3(w[0], w[1], w[2]));
                    data.boundary.add_external_wrench(&m, link, wrench).unwrap();
                }
                let mut expected = vec![0.0; m.nv()];
                rnea(&m, &mut data, &s.q, &s.qd, &s.qdd, &mut expected).unwrap();
                let inputs = [(Array::Q, &s.q[..]), (Array::Qd, &s.qd), (Array::Qdd, &s.qdd), (Array::Wrench, &w)];
                let inputs = [&inputs[..], &[(Array::Parameter, &parameters)]].concat();
                let tau = found.program.evaluate(&inputs);
                let size = expected.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
                let error = tau.iter().zip(&expected).fold(0.0, |s: f64, (a, b)| s.max((a - b).abs()));
                assert!(error < 1e-12 * size, "{kinds} {seed}: {error:e} of {size}");
                assert!(found.program.reference_error().unwrap() < 1e-12);
                let count = found.program.count();
                assert_eq!(totals(&found.steps), (count.mul, count.add));
            }
        }
    }

    #[test]
    fn bundled_arms_are_covered_and_trees_and_other_joints_are_not() {
        for name in ["jpl-rrp", "stanford", "scara", "lin-rp", "puma560", "ur5e", "iiwa14", "lau-rpr"] {
            let found = renaud(&bundled(name), RenaudOptions::default()).unwrap();
            let error = found.program.reference_error().unwrap();
            assert!(error < 1e-12, "{name}: {error:e}");
        }
        let tree = random::Description::random(1, 5, random::Joints::Mixed, true, random::Drives::Ideal).build();
        assert!(renaud(&tree, RenaudOptions::default()).is_err());
    }

    /// (0) is computed where the next joint is prismatic, and nowhere else.
    #[test]
    fn augmented_bodies_before_prismatic_joints_are_counted() {
        let count = |kinds: &str| renaud(&random::arm(3, kinds), RenaudOptions::default()).unwrap().steps[0].clone();
        assert_eq!((count("RRR").mul, count("RRR").add), (0, 0));
        assert_eq!((count("RRP").mul > 0, count("PRR").mul), (true, 0));
        // Their values are those of the numeric formulation: k* of body 1, in frames that differ by a constant pose.
        let m = bundled("lin-rp");
        let found = renaud(&m, RenaudOptions::default()).unwrap();
        let (q, zero) = ([0.3, 0.8], [0.0; 2]);
        let mut d = AugmentedData::new(&m);
        augmented(&m, &mut d, &q, &zero, &zero, &mut [0.0; 2]).unwrap();
        let k = found.quantities.iter().find(|x| x.symbol == "k*" && x.body == 1).unwrap();
        let inputs: Vec<f64> =
            found.program.graph.inputs().iter().map(|i| if i.array == Array::Q { q[i.index] } else { 0.0 }).collect();
        let values = found.program.graph.evaluate(&k.values, &inputs);
        let trace = values[0] + values[3] + values[5];
        assert!((trace - d.body(1).second.trace()).abs() < 1e-13, "{trace} {}", d.body(1).second.trace());
    }
}
