//! Quasi-minimal programs of serial arms.
//!
//! A generator writes the program of a quantity in canonical frames with base parameters; a search optimises its choices; every
//! candidate is checked against the core's recursion. Robots other than serial arms of revolute and prismatic pairs are traced
//! instead, which [`Program::strategy`] reports.

mod choices;
mod context;
mod coverage;
mod drives;
mod forward;
pub(crate) mod gauge;
pub(crate) mod geometry;
mod inverse;
mod kinematics;
mod mass;
mod rewrite;
pub(crate) mod search;
pub(crate) mod vector;
mod wrenches;

pub use coverage::no_minimal_program;

use crate::graph::{Expr, Graph};
use crate::program::{Output, Program, Quantity};
use crate::rounded_angles::exact_angles;
use crate::tape::Tape;
use crate::trace::{last_link, trace};
use armdyn_core::{AbaData, CrbaData, Error, Model, Progress, RneaData, SplitMix64, Transform, Vec3, aba, crba, rnea};
use choices::Choices;
use context::{Context, Terms};
use drives::Drives;
use geometry::Arm;
use rewrite::{Draft, rewrite};
use std::time::Duration;

/// The trigonometric values that a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trig {
    /// Sines and cosines of single joint positions (with a constant added).
    SingleJoint,
    /// Also of sums over parallel axes and of double angles.
    Sums,
}

/// Representation of the robot's parameters in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// Numbers.
    Numeric,
    /// Named inputs: lengths, gravity, base parameters.
    Symbolic,
}

/// Options of [`minimal`].
#[derive(Clone, Copy)]
pub struct MinimalOptions<'a> {
    /// Maximum time of the search.
    pub budget: Duration,
    /// Maximum number of restarts of each of the two threads. If they fit into the budget, the result is the same on every
    /// machine.
    pub restarts: Option<usize>,
    /// Seed of the search.
    pub seed: u64,
    /// Trigonometric values that the program may use.
    pub trig: Trig,
    /// Representation of the parameters.
    pub parameters: Parameters,
    /// Keep rounded angles as they are, instead of [making them exact](crate::exact_angles).
    pub exact: bool,
    /// Receives the best operation count so far. A cancelled search returns the best program found.
    pub progress: Progress<'a>,
}

impl Default for MinimalOptions<'_> {
    fn default() -> Self {
        MinimalOptions {
            budget: Duration::from_secs(10),
            restarts: None,
            seed: 1,
            trig: Trig::Sums,
            parameters: Parameters::Numeric,
            exact: false,
            progress: Progress::none(),
        }
    }
}

/// Maximum relative error of a program at random states.
const GATE: f64 = 1e-10;
/// Factor by which a candidate's error may exceed that of the default choices, or rounding: three digits.
const LOSS: f64 = 1e3;
/// Number of states at which a program is checked.
const CHECKS: usize = 50;

/// A state and the core's result.
struct Sample {
    inputs: [Vec<f64>; 4],
    expected: Vec<f64>,
    scale: f64,
}

/// The program to generate.
struct Task<'a> {
    arm: &'a Arm,
    drives: &'a Drives,
    /// Pose of the last link at q = 0.
    tip: Transform<f64>,
    quantity: Quantity,
    trig: Trig,
    parameters: Parameters,
}

impl Task<'_> {
    /// The program for these choices; none if they are not allowed.
    fn record(&self, choices: &Choices) -> Option<(Graph, Vec<Expr>)> {
        use Quantity::{Coriolis, Forward, Gravity, Inverse};
        let terms = Terms {
            gravity: matches!(self.quantity, Inverse | Gravity | Forward),
            velocity: matches!(self.quantity, Inverse | Coriolis | Forward),
            acceleration: self.quantity == Inverse,
        };
        let (graph, outputs) = Graph::record(|| {
            let mut context = Context::new(self.arm, choices, self.trig, self.parameters, terms)?;
            let outputs = match self.quantity {
                Quantity::Mass => self.drives.mass(&context, mass::mass(&context)),
                Quantity::Kinematics => kinematics::pose(&mut context, &self.tip),
                Quantity::Jacobian => kinematics::jacobian(&mut context, &self.tip),
                Forward => {
                    let tau = context::inputs(crate::Array::Tau, self.arm.len(), true);
                    let bias = self.drives.torques(&context, inverse::torques(&context), Inverse);
                    forward::accelerations(&self.drives.mass(&context, mass::mass(&context)), &tau, &bias)
                }
                quantity => self.drives.torques(&context, inverse::torques(&context), quantity),
            };
            Some(outputs)
        });
        outputs.map(|outputs| (graph, outputs))
    }
}

/// A quasi-minimal program of a quantity, checked against the core's recursion at random states.
///
/// Unless `options.exact` is set, rounded angles are [made exact](crate::exact_angles). Robots other than serial arms of
/// revolute and prismatic joints are traced, and so is a quantity whose traced program is shorter; [`Program::strategy`]
/// reports it. The search ends when restarts no longer improve the result, or with the budget; a budget of zero uses the default
/// choices. The same seed gives the same program unless the budget ends the search.
pub fn minimal(model: &Model<f64>, quantity: Quantity, options: &MinimalOptions) -> Result<Program, Error> {
    let exact_model = if options.exact { None } else { Some(exact_angles(model)?.0) };
    let model = exact_model.as_ref().unwrap_or(model);
    let traced = trace(model, quantity)?;
    let tip = kinematics::last_link(model);
    let (Some(arm), Some(tip)) = (Arm::of(model).filter(|_| !model.has_coupled_drives()), tip) else {
        return Ok(traced);
    };
    let drives = Drives::of(model);
    let samples = samples(model, quantity, options.seed, CHECKS)?;
    let task = Task { arm: &arm, drives: &drives, tip, quantity, trig: options.trig, parameters: Parameters::Numeric };
    // A candidate may lose three digits more than the default choices.
    let natural = task.record(&Choices::natural(arm.len())).map_or(f64::NAN, |(g, o)| error_at(&g, &o, &samples));
    if natural.is_nan() || natural > GATE {
        return Ok(traced);
    }
    let limit = (LOSS * natural).clamp(LOSS * f64::EPSILON, GATE);
    let accurate = |d: &Draft, samples: &[Sample], limit: f64| error_at(&d.graph, &d.outputs, samples) <= limit;
    let drafted = |choices: &Choices| task.record(choices).map(|(g, o)| Draft::new(g, o));
    let cost = |choices: &Choices, limit_cost: usize| {
        let draft = drafted(choices).filter(|d| d.cost.0 <= limit_cost)?;
        accurate(&draft, &samples[..2], limit).then_some(draft.cost)
    };
    let rewritten = |draft: Draft| {
        let better = rewrite(draft.clone(), options.seed);
        if better.cost < draft.cost && accurate(&better, &samples, limit) { better } else { draft }
    };
    let finished = |choices: &Choices| {
        let draft = drafted(choices).filter(|d| accurate(d, &samples, limit))?;
        Some(if options.budget.is_zero() { draft.cost } else { rewritten(draft).cost })
    };
    let limits = (options.budget, options.restarts);
    let choices = search::anneal(arm.len(), options.seed, limits, &cost, &finished, &options.progress);
    let task = Task { parameters: options.parameters, ..task };
    let found = task.record(&choices).map(|(g, o)| Draft::new(g, o)).filter(|d| accurate(d, &samples, GATE));
    let Some(mut draft) = found else { return Ok(traced) };
    if !options.budget.is_zero() {
        draft = rewritten(draft);
    }
    if options.parameters == Parameters::Numeric && draft.cost.0 > traced.count().total() {
        return Ok(traced);
    }
    let values = draft.outputs.into_iter().zip(&traced.outputs);
    let outputs = values.map(|(value, o)| Output { name: o.name.clone(), value }).collect();
    Ok(Program::of(model, quantity, "minimal", draft.graph, outputs))
}

/// Random states with the core's results.
fn samples(model: &Model<f64>, quantity: Quantity, seed: u64, count: usize) -> Result<Vec<Sample>, Error> {
    let mut random = SplitMix64(seed ^ 0xd1b5_4a32_d192_ed03);
    let n = model.nv();
    let zero = vec![0.0; n];
    (0..count)
        .map(|_| {
            let mut numbers = |range: f64| (0..n).map(|_| random.within(range)).collect::<Vec<f64>>();
            let inputs = [numbers(3.0), numbers(2.0), numbers(3.0), numbers(3.0)];
            let [q, qd, qdd, tau] = &inputs;
            let (mut expected, mut all) = (vec![0.0; n], vec![0.0; n]);
            rnea(model, &mut RneaData::new(model), q, qd, qdd, &mut all)?;
            let mut run =
                |m: &Model<f64>, qd: &[f64], qdd: &[f64]| rnea(m, &mut RneaData::new(m), q, qd, qdd, &mut expected);
            match quantity {
                Quantity::Gravity => run(model, &zero, &zero)?,
                Quantity::Coriolis => run(&model.without_friction().with_gravity(Vec3::zero()), qd, &zero)?,
                Quantity::Mass => {
                    expected = vec![0.0; n * n];
                    crba(model, &mut CrbaData::new(model), q, &mut expected)?;
                }
                Quantity::Kinematics | Quantity::Jacobian => expected = last_link(model, q, quantity)?,
                Quantity::Forward => aba(model, &mut AbaData::new(model), q, qd, tau, &mut expected)?,
                _ => run(model, qd, qdd)?,
            }
            let largest = |values: &[f64]| values.iter().fold(1e-300, |s: f64, x| s.max(x.abs()));
            // C q̇ and g may vanish: their error is then relative to the total torque.
            let scale = largest(&expected).max(1e-3 * largest(&all));
            Ok(Sample { inputs, expected, scale })
        })
        .collect()
}

/// The largest error relative to the largest result.
fn error_at(graph: &Graph, outputs: &[Expr], samples: &[Sample]) -> f64 {
    let tape = Tape::new(graph, outputs);
    let mut worst = 0.0;
    for s in samples {
        let value = |i: &crate::Input| match i.array {
            crate::Array::Q => s.inputs[0][i.index],
            crate::Array::Qd => s.inputs[1][i.index],
            crate::Array::Qdd => s.inputs[2][i.index],
            crate::Array::Tau => s.inputs[3][i.index],
            crate::Array::Parameter => i.parameter.as_ref().map_or(f64::NAN, |p| p.value),
        };
        let inputs: Vec<f64> = graph.inputs().iter().map(value).collect();
        for (found, expected) in tape.evaluate(&inputs).iter().zip(&s.expected) {
            let error = (found - expected).abs() / s.scale;
            worst = if error <= worst || worst.is_nan() { worst } else { error };
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::{BASE, Drive, Inertia, Joint, ModelBuilder};
    use armdyn_testkit::bundled;
    use armdyn_testkit::random;

    /// Revolute and prismatic joints in any order, with parallel, perpendicular, intersecting and general axes.
    fn mixed(seed: u64) -> Model<f64> {
        let mut r = SplitMix64(seed);
        let mut builder = ModelBuilder::new(&format!("mixed {seed}"));
        builder.gravity([r.within(3.0), 0.0, -9.81]);
        let mut last = BASE;
        for j in 0..2 + r.below(5) {
            let alpha = [0.0, 0.5, -0.5, 1.0, 1.0 / 3.0, 0.123][r.below(6)] * std::f64::consts::PI;
            let length = |r: &mut SplitMix64| if r.below(2) == 0 { 0.0 } else { r.within(0.7) };
            let (d, slide) = (length(&mut r), length(&mut r));
            let name = format!("joint{j}");
            let joint = Joint::modified_dh(&name, r.below(4) == 0, alpha, d, r.within(2.0), slide)
                .driven_by(Drive::ideal().armature(r.unit()).viscous(r.unit()));
            let link = random::link(&mut random::source(seed * 10 + j as u64), &format!("link{j}"));
            last = builder.add(last, joint, link);
        }
        builder.build().unwrap()
    }

    /// Default and random choices give the results of the core's algorithms.
    #[test]
    fn every_choice_computes_the_same() {
        let kinds = ["R", "P", "PR", "RP", "PPR", "RPR", "RRRRRR", "RPRPRP", "PPP"];
        let general = kinds.iter().map(|k| random::arm(2, k));
        let named = ["scara", "lin-rp", "renaud-6r", "jpl-rrp", "puma560", "panda", "iiwa14", "stanford"].map(bundled);
        for m in general.chain(named).chain((0..40).map(mixed)) {
            let (arm, drives) = (Arm::of(&m).unwrap(), Drives::of(&m));
            let mut r = SplitMix64(5);
            for quantity in Quantity::ALL {
                let samples = samples(&m, quantity, 3, 2).unwrap();
                let tip = kinematics::last_link(&m).unwrap();
                let parameters = Parameters::Symbolic;
                let task = Task { arm: &arm, drives: &drives, tip, quantity, trig: Trig::Sums, parameters };
                let (graph, outputs) = task.record(&Choices::natural(arm.len())).unwrap();
                assert!(
                    error_at(&graph, &outputs, &samples) < 1e-11,
                    "{} {quantity} with symbolic parameters",
                    m.name()
                );
                for trig in [Trig::Sums, Trig::SingleJoint] {
                    let task = Task { trig, parameters: Parameters::Numeric, ..task };
                    let mut choices = Choices::natural(arm.len());
                    for round in 0..6 {
                        if let Some((graph, outputs)) = task.record(&choices) {
                            let error = error_at(&graph, &outputs, &samples);
                            // A gauge may lose three digits, and M⁻¹ amplifies by the condition of M.
                            let allowed = if round == 0 { 1e-12 } else { 1e-9 };
                            assert!(error < allowed, "{} {quantity} {trig:?} {error:e} {choices:?}", m.name());
                        }
                        for (site, of) in choices.open() {
                            choices.set(site, if r.below(3) == 0 { r.below(of) } else { 0 });
                        }
                    }
                }
            }
        }
    }

    /// The model with random inertial parameters in place of those that are not zero, or of all.
    fn randomised(model: &Model<f64>, all: bool) -> Model<f64> {
        let mut source = random::source(1);
        let mut m = model.without_drives();
        for (id, link) in model.link_ids().zip(model.links()).filter(|(_, l)| l.body != 0) {
            let (own, other) = (link.inertia().components(), random::inertia(&mut source).components());
            let mixed = core::array::from_fn(|k| if all || own[k].abs() > 1e-12 { other[k] } else { 0.0 });
            m = m.with_payload_in_link("more", id, Inertia::from_components(mixed)).unwrap();
        }
        m
    }

    /// The best published or hand-derived counts, reached by a short search; `examples/counts.rs` has the whole table.
    #[test]
    fn operation_counts_are_at_most_the_best_published() {
        let ur5 = armdyn_testkit::peers::robot("ur5");
        let rows = [
            (randomised(&bundled("renaud-6r"), false), Trig::Sums, 210),
            (randomised(&bundled("renaud-6r"), false), Trig::SingleJoint, 215),
            (randomised(&bundled("jpl-rrp"), false), Trig::Sums, 122 + 98),
            (randomised(&bundled("puma560"), true), Trig::Sums, 219 + 207),
            (randomised(&ur5, true), Trig::Sums, 216 + 203),
            (randomised(&bundled("panda"), true), Trig::Sums, 272 + 263),
            (randomised(&bundled("iiwa14"), true), Trig::Sums, 258 + 249),
        ];
        for (m, trig, most) in rows {
            let options = MinimalOptions {
                budget: Duration::from_secs(600),
                restarts: Some(1),
                trig,
                ..MinimalOptions::default()
            };
            let program = minimal(&m, Quantity::Inverse, &options).unwrap();
            let count = program.count();
            assert_eq!(program.strategy, "minimal");
            assert!(count.total() <= most, "{}: {count}, at most {most}", m.name());
            if trig == Trig::SingleJoint {
                assert!(count.trig.iter().all(|t| !t.contains("q2 + q3") && !t.contains("2 q")), "{:?}", count.trig);
            }
        }
    }

    /// SYMORO's counts with base parameters, reached without a search.
    #[test]
    fn mass_matrix_and_forward_dynamics_need_fewer_operations_than_symoro() {
        let none = MinimalOptions { budget: Duration::ZERO, ..MinimalOptions::default() };
        for (name, mass, forward) in [
            ("renaud-6r", 123 + 73, 575 + 404),
            ("puma560", 202 + 160, 880 + 679),
            ("stanford", 127 + 103, 680 + 519),
            ("jpl-rrp", 89 + 52, 459 + 326),
            ("panda", 265 + 210, 1107 + 859),
            ("iiwa14", 235 + 185, 1020 + 782),
        ] {
            let m = randomised(&bundled(name), !matches!(name, "renaud-6r" | "jpl-rrp"));
            let count = |what| minimal(&m, what, &none).unwrap().count().total();
            assert!(count(Quantity::Mass) <= mass, "{name}: M {}", count(Quantity::Mass));
            assert!(count(Quantity::Forward) <= forward, "{name}: {}", count(Quantity::Forward));
        }
    }

    /// Parallel axes are rotated once.
    #[test]
    fn pose_and_jacobian_need_fewer_operations_than_traced() {
        for (name, gains) in [("ur5e", true), ("scara", true), ("puma560", true), ("panda", false), ("lin-rp", false)] {
            let m = bundled(name);
            for what in [Quantity::Kinematics, Quantity::Jacobian] {
                let options =
                    MinimalOptions { budget: Duration::from_secs(600), restarts: Some(1), ..MinimalOptions::default() };
                let program = minimal(&m, what, &options).unwrap();
                let (found, traced) = (program.count().total(), trace(&m, what).unwrap().count().total());
                assert!(found <= traced, "{name} {what}: {found}, traced {traced}");
                assert!(!gains || program.strategy == "minimal" && found < traced, "{name} {what}: {found}, {traced}");
            }
        }
    }

    /// The search ends by lack of improvement, not by time.
    #[test]
    fn the_search_converges_and_is_reproducible() {
        let options = MinimalOptions { budget: Duration::from_secs(600), ..MinimalOptions::default() };
        let once = || minimal(&bundled("planar-2r"), Quantity::Inverse, &options).unwrap().count();
        assert_eq!(once(), once());
    }

    #[test]
    fn other_robots_are_traced() {
        let tree = random::Description::random(3, 5, random::Joints::All, true, random::Drives::Ideal).build();
        assert_eq!(minimal(&tree, Quantity::Inverse, &MinimalOptions::default()).unwrap().strategy, "traced");
    }
}
