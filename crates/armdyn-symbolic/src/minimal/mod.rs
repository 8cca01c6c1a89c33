//! Quasi-minimal programs of arms and trees.
//!
//! A generator writes the program of a quantity in canonical frames with base parameters, branch by branch; a search optimises its
//! choices; every candidate is checked against the core's recursion. Robots with other pairs than revolute and prismatic ones are
//! traced instead, which [`Program::strategy`] reports.

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
mod tree;
pub(crate) mod vector;
mod wrenches;

pub use coverage::no_minimal_program;

use crate::canonical;
use crate::graph::{Expr, Graph};
use crate::program::{Output, Program, Quantity};
use crate::reference::{State, core_result};
use crate::rounded_angles::exact_angles;
use crate::tape::Tape;
use crate::trace::trace;
use armdyn_core::{Error, Model, Progress, SplitMix64, Transform};
use choices::Choices;
use context::Terms;
use drives::Drives;
use forward::Factors;
use rewrite::{Draft, rewrite};
use search::{Limits, Rewriting};
use std::time::Duration;
use tree::Tree;

/// The trigonometric values that a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trig {
    /// Sines and cosines of single joint positions as they are: no sum is rounded, so that large angles lose no digits.
    Unshifted,
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
    /// Effort of the search, as about its time on two idle cores. It is counted in nodes recorded: a slow or loaded machine takes
    /// longer and finds the same program.
    pub budget: Duration,
    /// Maximum number of restarts of each of the two threads.
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
            budget: Duration::from_secs(1),
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
    model: &'a Model<f64>,
    tree: &'a Tree,
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
        use Quantity::{Bias, Coriolis, Forward, ForwardDerivatives, Gravity, Inverse};
        let terms = Terms {
            gravity: matches!(self.quantity, Inverse | Gravity | Bias | Forward | ForwardDerivatives),
            velocity: matches!(self.quantity, Inverse | Coriolis | Bias | Forward | ForwardDerivatives),
            acceleration: self.quantity == Inverse,
        };
        let (graph, outputs) = Graph::record(|| {
            let (tree, drives, n) = (self.tree, self.drives, self.tree.dofs);
            let mut all = tree.contexts(choices, self.trig, self.parameters, terms)?;
            let outputs = match self.quantity {
                Quantity::Mass => drives.mass(&all, mass::mass(&all, n)),
                Quantity::Kinematics => kinematics::pose(&mut all[0], &self.tip),
                Quantity::Jacobian => kinematics::jacobian(&mut all[0], &self.tip, n),
                Quantity::InverseMass => Factors::of(&drives.mass(&all, mass::mass(&all, n)), n).inverse(),
                Forward | ForwardDerivatives => {
                    let tau = Graph::array(crate::Array::Tau, n);
                    let bias = drives.torques(&all, inverse::torques(&all, n), Inverse);
                    let factors = Factors::of(&drives.mass(&all, mass::mass(&all, n)), n);
                    let qdd = factors.accelerations(&tau, &bias);
                    if self.quantity == Forward {
                        qdd
                    } else {
                        forward::derivatives(self.model, &factors, &qdd).ok()?
                    }
                }
                quantity => drives.torques(&all, inverse::torques(&all, n), quantity),
            };
            Some(outputs)
        });
        outputs.map(|outputs| (graph, outputs))
    }
}

/// A quasi-minimal program of a quantity, checked against the core's recursion at random states.
///
/// Unless `options.exact` is set, rounded angles are [made exact](crate::exact_angles). Robots with other joints than revolute and
/// prismatic ones are traced, and so is a quantity whose traced program is shorter; [`Program::strategy`] reports it. The search
/// ends when restarts no longer improve the result, or with the budget; a budget of zero uses the default choices. The same seed
/// and budget give the same program on every machine, unless it is cancelled.
pub fn minimal(model: &Model<f64>, quantity: Quantity, options: &MinimalOptions) -> Result<Program, Error> {
    let exact_model = if options.exact { None } else { Some(exact_angles(model)?.0) };
    let traced = shorter_trace(model, exact_model.as_ref(), quantity)?;
    let model = exact_model.as_ref().unwrap_or(model);
    let Some(tree) = tree_of(model, quantity) else { return Ok(traced) };
    // The derivatives of τ are traced with numbers.
    if quantity == Quantity::ForwardDerivatives && options.parameters == Parameters::Symbolic {
        return Ok(traced);
    }
    let drives = Drives::of(model, &tree);
    let samples = samples(model, quantity, options.seed, CHECKS)?;
    let tip = kinematics::last_link(model);
    let task = Task {
        model,
        tree: &tree,
        drives: &drives,
        tip,
        quantity,
        trig: options.trig,
        parameters: Parameters::Numeric,
    };
    // A candidate may lose three digits more than the default choices.
    let default = task.record(&Choices::natural(tree.len()));
    let natural = default.as_ref().map_or(f64::NAN, |(g, o)| error_at(g, o, &samples));
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
    let rewritten = |draft: Draft, how: Rewriting, over: &dyn Fn() -> bool| {
        let better = rewrite(&draft, how, over);
        if better.cost < draft.cost && accurate(&better, &samples, limit) { better } else { draft }
    };
    let finished = |choices: &Choices, how: Rewriting, over: &dyn Fn() -> bool| {
        let draft = drafted(choices).filter(|d| accurate(d, &samples, limit))?;
        Some(rewritten(draft, how, over).cost)
    };
    let nodes = default.map_or(1, |(graph, _)| graph.nodes().len());
    let limits = Limits { budget: options.budget, restarts: options.restarts, nodes };
    let (choices, how) = search::anneal(tree.len(), options.seed, limits, &cost, &finished, &options.progress);
    let task = Task { parameters: options.parameters, ..task };
    let found = task.record(&choices).map(|(g, o)| Draft::new(g, o)).filter(|d| accurate(d, &samples, GATE));
    let Some(draft) = found else { return Ok(traced) };
    let draft = rewritten(draft, how, &|| false);
    if options.parameters == Parameters::Numeric && draft.cost.0 > traced.count().total() {
        return Ok(traced);
    }
    let values = draft.outputs.into_iter().zip(&traced.outputs);
    let outputs = values.map(|(value, o)| Output { name: o.name.clone(), value }).collect();
    let program = Program::of(model, quantity, "minimal", draft.graph, outputs).with_references(model);
    Ok(Program { legend: legend(model, &tree, &choices, options.parameters), ..program })
}

/// The frames that base parameters refer to; empty if the parameters are numbers.
fn legend(model: &Model<f64>, tree: &Tree, choices: &Choices, parameters: Parameters) -> Vec<String> {
    match &tree.branches[..] {
        [branch] if parameters == Parameters::Symbolic => {
            let (layout, origins, terminal) = context::chosen_layout(branch, choices, None);
            canonical::legend(&canonical::frames(&branch.arm, model.dof_names(), &layout, &origins, terminal))
        }
        _ => vec![],
    }
}

/// The branches that a quantity depends on; none for other robots than those of [`minimal`].
fn tree_of(model: &Model<f64>, quantity: Quantity) -> Option<Tree> {
    match quantity {
        Quantity::Derivatives | Quantity::Regressor => None,
        Quantity::Kinematics | Quantity::Jacobian => Tree::path(model, model.links()[model.last_link()].body),
        _ => no_minimal_program(model).is_none().then(|| Tree::of(model)).flatten(),
    }
}

/// The traced program of a model, or of the same with exact angles, whichever is shorter.
fn shorter_trace(model: &Model<f64>, exact: Option<&Model<f64>>, quantity: Quantity) -> Result<Program, Error> {
    let given = trace(model, quantity)?;
    let Some(exact) = exact else { return Ok(given) };
    let exact = trace(exact, quantity)?;
    Ok(if exact.count().total() <= given.count().total() { exact } else { given })
}

/// Random states with the core's results.
fn samples(model: &Model<f64>, quantity: Quantity, seed: u64, count: usize) -> Result<Vec<Sample>, Error> {
    let mut random = SplitMix64(seed ^ 0xd1b5_4a32_d192_ed03);
    let n = model.nv();
    (0..count)
        .map(|_| {
            let mut numbers = |range: f64| (0..n).map(|_| random.within(range)).collect::<Vec<f64>>();
            let inputs = [numbers(3.0), numbers(2.0), numbers(3.0), numbers(3.0)];
            let [q, qd, qdd, tau] = &inputs;
            let state = State { q, qd, qdd, tau };
            let expected = core_result(model, quantity, &state)?;
            let all = core_result(model, Quantity::Inverse, &state)?;
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
            crate::Array::Wrench => f64::NAN,
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
    use crate::graph::{Node, Stage};
    use armdyn_core::{BASE, Drive, Inertia, Joint, ModelBuilder};
    use armdyn_testkit::bundled;
    use armdyn_testkit::random;

    /// Revolute and prismatic joints in any order, with parallel, perpendicular, intersecting and general axes; in a tree, each
    /// link is on any of those before it or on the base.
    fn mixed(seed: u64, tree: bool) -> Model<f64> {
        let mut r = SplitMix64(seed);
        let mut builder = ModelBuilder::new(&format!("mixed {seed}"));
        builder.gravity([r.within(3.0), 0.0, -9.81]);
        let mut last = BASE;
        let mut links = vec![BASE];
        for j in 0..2 + r.below(5) {
            if tree {
                last = links[r.below(links.len())];
            }
            let alpha = [0.0, 0.5, -0.5, 1.0, 1.0 / 3.0, 0.123][r.below(6)] * std::f64::consts::PI;
            let length = |r: &mut SplitMix64| if r.below(2) == 0 { 0.0 } else { r.within(0.7) };
            let (d, slide) = (length(&mut r), length(&mut r));
            let name = format!("joint{j}");
            let joint = Joint::modified_dh(&name, r.below(4) == 0, alpha, d, r.within(2.0), slide)
                .driven_by(Drive::ideal().armature(r.unit()).viscous(r.unit()));
            let link = random::link(&mut random::source(seed * 10 + j as u64), &format!("link{j}"));
            last = builder.add(last, joint, link);
            links.push(last);
        }
        builder.build().unwrap()
    }

    /// Default and random choices give the results of the core's algorithms.
    #[test]
    fn every_choice_computes_the_same() {
        let kinds = ["R", "P", "PR", "RP", "PPR", "RPR", "RRRRRR", "RPRPRP", "PPP"];
        let general = kinds.iter().map(|k| random::arm(2, k));
        let named = ["scara", "lin-rp", "renaud-6r", "jpl-rrp", "puma560", "panda", "iiwa14", "stanford"].map(bundled);
        let mixed = (0..40).map(|seed| mixed(seed, false)).chain((0..40).map(|seed| mixed(seed, true)));
        for m in general.chain(named).chain([bundled("two-arms")]).chain(mixed) {
            let mut r = SplitMix64(5);
            for quantity in Quantity::ALL {
                let Some(tree) = tree_of(&m, quantity) else { continue };
                let drives = Drives::of(&m, &tree);
                let samples = samples(&m, quantity, 3, 2).unwrap();
                let tip = kinematics::last_link(&m);
                let parameters = Parameters::Symbolic;
                let task =
                    Task { model: &m, tree: &tree, drives: &drives, tip, quantity, trig: Trig::Sums, parameters };
                let symbolic = task.record(&Choices::natural(tree.len()));
                assert_eq!(symbolic.is_some(), tree.branches.len() == 1);
                if let Some((graph, outputs)) = symbolic {
                    let error = error_at(&graph, &outputs, &samples);
                    assert!(error < 1e-11, "{} {quantity} with symbolic parameters: {error:e}", m.name());
                }
                for trig in [Trig::Sums, Trig::SingleJoint, Trig::Unshifted] {
                    let task = Task { trig, parameters: Parameters::Numeric, ..task };
                    let mut choices = Choices::natural(tree.len());
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

    /// Counts of arms with I_xx = I_yy in their files, in which rounding residues of such differences cost up to 30 operations: at
    /// most the total given, with at most these multiplications if it is that, by the default search.
    #[test]
    fn equal_moments_cancel() {
        for (name, quantity, most) in [
            ("jpl-rrp", Quantity::Inverse, (113 + 86, 113)),
            ("jpl-rrp", Quantity::Mass, (46 + 30, 46)),
            ("jpl-rrp", Quantity::Forward, (208 + 150, 208)),
            ("puma560", Quantity::Inverse, (137 + 114, 137)),
            ("puma560", Quantity::Mass, (66 + 51, 66)),
        ] {
            let count = minimal(&bundled(name).without_drives(), quantity, &MinimalOptions::default()).unwrap().count();
            assert!((count.total(), count.mul) <= most, "{name} {quantity}: {count}, at most {most:?}");
            assert_eq!(count.div, if quantity == Quantity::Forward { 4 } else { 0 });
        }
    }

    /// The budget counts effort, not time: a search that pauses finds the same program.
    #[test]
    fn a_slow_machine_finds_the_same_program() {
        let m = bundled("jpl-rrp").without_drives();
        let program = |pause: Duration| {
            let callback = |_: &str, _: f64| std::thread::sleep(pause);
            let progress = Progress { callback: &callback, ..Progress::none() };
            let options = MinimalOptions { budget: Duration::from_millis(100), progress, ..MinimalOptions::default() };
            minimal(&m, Quantity::Mass, &options).unwrap()
        };
        let (fast, slow) = (program(Duration::ZERO), program(Duration::from_millis(120)));
        assert_eq!(fast.graph.nodes(), slow.graph.nodes());
    }

    /// A hand that is fixed to the flange, such as Franka's with locked fingers, is part of link 7, of which no base parameter is zero
    /// in either case: the program has the same operations on other numbers.
    #[test]
    fn a_hand_on_the_flange_changes_only_numbers() {
        let arm = bundled("panda").without_drives();
        let hand = Inertia::from_components([0.76, 0.002, -0.003, 0.11, 0.02, -1e-5, 1e-4, 0.021, 2e-4, 0.0018]);
        let with_hand = arm.with_payload_in_link("hand", arm.last_link(), hand).unwrap();
        let parameters = |m| crate::base_parameters(m).unwrap().iter().filter(|p| p.value.abs() > 1e-12).count();
        assert_eq!(parameters(&with_hand), parameters(&arm));
        let options = MinimalOptions { budget: Duration::from_millis(100), ..MinimalOptions::default() };
        for what in [Quantity::Inverse, Quantity::Mass, Quantity::Forward] {
            let operations = |m| {
                let count = minimal(m, what, &options).unwrap().count();
                (count.mul, count.add, count.div)
            };
            assert_eq!(operations(&with_hand), operations(&arm), "{what}");
        }
    }

    /// An arm with these angles between consecutive axes, and full inertias.
    fn revolute_arm(name: &str, angles: &[f64]) -> Model<f64> {
        let mut builder = ModelBuilder::new(name);
        let mut last = BASE;
        for (j, &alpha) in angles.iter().enumerate() {
            let joint = Joint::modified_dh(&format!("joint{j}"), false, alpha, 0.3, 0.2, 0.1);
            last = builder.add(last, joint, random::link(&mut random::source(j as u64), &format!("link{j}")));
        }
        builder.build().unwrap()
    }

    /// Axes that are parallel up to a rounded angle keep the minimal strategy, at the price of a general arm; and no program is
    /// longer than the traced one.
    #[test]
    fn nearly_parallel_axes_are_minimal_too() {
        let general = revolute_arm("general", &[0.0, 0.7, 0.4, 1.1, 0.5]);
        let none = MinimalOptions { budget: Duration::ZERO, ..MinimalOptions::default() };
        let count = |m: &Model<f64>, what| minimal(m, what, &none).unwrap().count().total();
        for off in [2e-4, 2e-5, 1e-7, 1e-9, 1e-11] {
            let near = revolute_arm("near", &[0.0, 1.571, off, 1.571, -off]);
            for what in Quantity::ALL {
                let program = minimal(&near, what, &none).unwrap();
                let (found, traced) = (program.count().total(), trace(&near, what).unwrap().count().total());
                assert!(found <= traced, "{off} {what}: {found}, traced {traced}");
                assert!(program.reference_error().unwrap() < 1e-9, "{off} {what}: {:?}", program.reference_error());
            }
            for what in [Quantity::Inverse, Quantity::Mass, Quantity::Forward] {
                assert_eq!(minimal(&near, what, &none).unwrap().strategy, "minimal", "{off} {what}");
                assert!(count(&near, what) <= count(&general, what), "{off} {what}: {}", count(&near, what));
            }
        }
    }

    /// A tree needs no more operations than traced, and two equal arms on one base twice those of one.
    #[test]
    fn branches_are_minimal() {
        let none = MinimalOptions { budget: Duration::ZERO, ..MinimalOptions::default() };
        for m in (0..10).map(|seed| mixed(seed, true)).chain([bundled("two-arms")]) {
            for what in [Quantity::Inverse, Quantity::Mass, Quantity::Forward] {
                let program = minimal(&m, what, &none).unwrap();
                let (found, traced) = (program.count().total(), trace(&m, what).unwrap().count().total());
                assert!(program.strategy == "minimal" && found < traced, "{} {what}: {found}, {traced}", m.name());
            }
        }
        let arms = |count: usize| {
            let mut builder = ModelBuilder::new("arms");
            for arm in 0..count {
                let mut last = BASE;
                for (j, alpha) in [0.0, 1.0, 0.4].into_iter().enumerate() {
                    let joint = Joint::modified_dh(&format!("joint{arm}{j}"), false, alpha, 0.3, 0.0, 0.1);
                    let link = random::link(&mut random::source(j as u64), &format!("link{arm}{j}"));
                    last = builder.add(last, joint, link);
                }
            }
            builder.build().unwrap()
        };
        let count = |m: &Model<f64>| minimal(m, Quantity::Inverse, &none).unwrap().count();
        let (one, two) = (count(&arms(1)), count(&arms(2)));
        assert_eq!((two.mul, two.add), (2 * one.mul, 2 * one.add));
    }

    /// Viscous and Coulomb friction of six joints, levels that depend on the direction: 3 + 3 operations each.
    #[test]
    fn friction_of_the_puma_needs_18_and_18_operations() {
        let none = MinimalOptions { budget: Duration::ZERO, ..MinimalOptions::default() };
        let m = bundled("puma560");
        let searched = |m: &Model<f64>| minimal(m, Quantity::Inverse, &none).unwrap().count();
        let traced = |m: &Model<f64>| trace(m, Quantity::Inverse).unwrap().count();
        let ideal = m.without_friction();
        for (with, without) in [(searched(&m), searched(&ideal)), (traced(&m), traced(&ideal))] {
            assert!(with.mul <= without.mul + 18 && with.add <= without.add + 18, "{with}, without friction {without}");
        }
    }

    /// All friction levels are inputs, and nothing is subtracted from a sum that contains it.
    #[test]
    fn base_parameters_include_friction_and_cancel() {
        let options =
            MinimalOptions { budget: Duration::ZERO, parameters: Parameters::Symbolic, ..MinimalOptions::default() };
        for name in ["puma560", "panda", "jpl-rrp"] {
            let program = minimal(&bundled(name), Quantity::Inverse, &options).unwrap();
            let nodes = program.graph.nodes();
            for node in nodes {
                if let Node::Sum(a, b) = *node
                    && let Node::Sum(c, d) = nodes[b.node()]
                    && program.graph.stage(b.node()) < Stage::Call
                {
                    let flipped = |e: Expr| e.flipped(b.is_negative());
                    assert!(a != -flipped(c) && a != -flipped(d), "{name}: {a:?} + {b:?}");
                }
            }
            let names: Vec<&str> = program.graph.inputs().iter().map(|i| i.name.as_str()).collect();
            assert!(name != "puma560" || ["FV1", "FCF1", "FCB6"].iter().all(|n| names.contains(n)), "{names:?}");
            assert!(!program.legend.is_empty());
        }
    }
}
