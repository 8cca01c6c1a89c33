//! Lau 1985, chapters 3 and 4: every golden number of the closed form and of the coefficients, by its
//! equation. (The errata are rows of `documents/lau.toml`.)

use armdyn_core::{
    BASE, ClosedFormData, CoefficientsData, CrbaData, Direction, Drive, Error, Force, Inertia, Joint, JointId,
    JointKind, Link, LinkId, Model, ModelBuilder, Order, RneaData, Rotation, Sym3, Term, Transform, Vec3, WrenchFrame,
    closed_form, coefficients, coefficients_tau, crba, rnea, vec3,
};
use armdyn_testkit::random;
use serde_json::Value;

/// The golden data state 1e-9; they were made with particles in doubles, which are good to about 1e-15.
const GOLDEN: f64 = 1e-12;

/// Two formulations in doubles, some thousand operations each, where terms may cancel.
const AGREEMENT: f64 = 1e-11;

/// A misprint that we say matters changes more than this.
const DIFFERENT: f64 = 1e-3;

fn golden(block: &str) -> Value {
    let text = include_str!("../../crates/armdyn-testkit/data/documents/lau-renaud-lin-morris.json");
    let all: Value = serde_json::from_str(text).expect("the golden data are valid");
    all["lau"][block].clone()
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap_or_else(|| panic!("not a number: {v}"))
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap_or_else(|| panic!("not a list: {v}")).iter().map(number).collect()
}

/// A map with the keys "1", "2", … in that order.
fn numbered(v: &Value) -> Vec<&Value> {
    (1..).map_while(|k: usize| v.get(k.to_string())).collect()
}

fn vector(v: &Value) -> Vec3<f64> {
    let a = numbers(v);
    vec3(a[0], a[1], a[2])
}

fn wrench(v: &Value) -> Force<f64> {
    Force::new(vector(&v["N"]), vector(&v["F"]))
}

fn size(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |s, x| s.max(x.abs()))
}

/// The largest difference, relative to the largest expected value.
fn deviation(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let difference: Vec<f64> = found.iter().zip(expected).map(|(x, y)| x - y).collect();
    size(&difference) / size(expected).max(f64::MIN_POSITIVE)
}

#[track_caller]
fn agree(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let off = deviation(found, expected);
    assert!(off <= tolerance, "{what}: off by {off:.2e}\n found {found:?}\n expected {expected:?}");
}

/// Force and torque each relative to its own size.
#[track_caller]
fn agree_wrench(what: &str, found: Force<f64>, expected: Force<f64>, tolerance: f64) {
    agree(&format!("force {what}"), &found.force.to_array(), &expected.force.to_array(), tolerance);
    agree(&format!("torque {what}"), &found.moment.to_array(), &expected.moment.to_array(), tolerance);
}

fn tau_by<F>(m: &Model<f64>, by: F) -> Vec<f64>
where
    F: FnOnce(&mut [f64]) -> armdyn_core::error::Result<()>,
{
    let mut tau = vec![0.0; m.nv()];
    by(&mut tau).expect("the formulation covers the model");
    tau
}

/// The chain of the golden blocks as they give it: joint k turns by A and displaces by A δ.
struct Chain {
    /// 0T1, 1T2, 2T3, 3T4.
    steps: Vec<Transform<f64>>,
    /// w, α, u, a of each joint, in frame k.
    motions: Vec<[Vec3<f64>; 4]>,
    /// Inertia of each link, in frame k + 1.
    links: Vec<Inertia<f64>>,
}

impl Chain {
    fn new(block: &Value) -> Self {
        let turn = |v: &Value| {
            let a = numbers(&v["rpy"]);
            Rotation::rpy(a[0], a[1], a[2])
        };
        let joints = block["joints"].as_array().unwrap();
        let mut steps = vec![Transform::new(turn(&block["base"]), vector(&block["base"]["d"]))];
        steps.extend(
            joints
                .iter()
                .map(|j| Transform::from_rotation(turn(j)).compose(&Transform::from_translation(vector(&j["delta"])))),
        );
        let link = |l: &Value| {
            let tensor = Sym3::from_rows([0, 1, 2].map(|r| vector(&l["I"][r]).to_array()));
            Inertia::about_centre(number(&l["m"]), vector(&l["c"]), tensor)
        };
        Chain {
            steps,
            motions: joints.iter().map(|j| ["w", "al", "u", "a"].map(|name| vector(&j[name]))).collect(),
            links: block["links"].as_array().unwrap().iter().map(link).collect(),
        }
    }

    /// The pose of each frame k in the base.
    fn frames(&self) -> Vec<Transform<f64>> {
        self.steps
            .iter()
            .scan(Transform::identity(), |x, step| {
                *x = x.compose(step);
                Some(*x)
            })
            .collect()
    }

    /// The tensor of link j about the origin of frame j, in its axes: Lau's I,ʲ.
    fn tensor(&self, j: usize) -> Sym3<f64> {
        self.links[j].transformed(&self.steps[j + 1]).second
    }

    /// The same chain of generalized joints, with the q, q̇, q̈ that move as given.
    fn generalized(&self) -> (Model<f64>, [Vec<f64>; 3]) {
        let kind =
            JointKind::Generalized { rotations: [true; 3], translations: [true; 3], order: Order::RotationFirst };
        let mut builder = ModelBuilder::new("Lau's generalized manipulator");
        let (mut last, mut state) = (BASE, [vec![], vec![], vec![]]);
        for (k, (inertia, [w, al, u, a])) in self.links.iter().zip(&self.motions).enumerate() {
            let at = if k == 0 { self.steps[0] } else { Transform::identity() };
            let link = Link::new(&format!("link{k}")).part("all", *inertia, Transform::identity());
            last = builder.add(last, Joint::new(&format!("joint{k}"), kind).at(at), link);
            let step = &self.steps[k + 1];
            let rows = step.rotation.to_rows();
            let [yaw, pitch, roll] = [rows[1][0].atan2(rows[0][0]), (-rows[2][0]).asin(), rows[2][1].atan2(rows[2][2])];
            // w = E (ẏ, ṗ, ṙ), α = E (ÿ, p̈, r̈) + Ė (ẏ, ṗ, ṙ).
            let z = Vec3::unit(2);
            let y = Rotation::rpy(0.0, 0.0, yaw).y;
            let x = Rotation::rpy(0.0, pitch, yaw).x;
            let solve = |b: Vec3<f64>| {
                let det = z.dot(y.cross(x));
                [b.dot(y.cross(x)) / det, z.dot(b.cross(x)) / det, z.dot(y.cross(b)) / det]
            };
            let rates = solve(*w);
            let turning = z.cross(y) * (rates[0] * rates[1]) + (z * rates[0] + y * rates[1]).cross(x) * rates[2];
            let back = |v: Vec3<f64>| step.rotation.inverse_rotate(v).to_array();
            state[0].extend([yaw, pitch, roll].into_iter().chain(back(step.translation)));
            state[1].extend(rates.into_iter().chain(back(*u)));
            state[2].extend(solve(*al - turning).into_iter().chain(back(*a)));
        }
        (builder.build().unwrap(), state)
    }

    /// The same chain of joints with one degree of freedom, at q = 0; q̇ = `rates`.
    fn one_dof(&self, rates: &[f64]) -> Model<f64> {
        let mut builder = ModelBuilder::new("Lau's manipulator of one degree of freedom per link");
        let mut last = BASE;
        for (k, &[w, _, u, _]) in self.motions.iter().enumerate() {
            let name = format!("joint{k}");
            let axis = ((w + u) * (1.0 / rates[k])).to_array();
            let joint = if w.norm() > 0.0 { Joint::revolute(&name, axis) } else { Joint::prismatic(&name, axis) };
            let link = Link::new(&format!("link{k}")).part("all", self.links[k], self.steps[k + 1]);
            last = builder.add(last, joint.at(self.steps[k]), link);
        }
        builder.build().unwrap()
    }
}

fn generalized() -> (Value, Chain, ClosedFormData<f64>) {
    let block = golden("A1_generalized");
    let chain = Chain::new(&block);
    let (m, [q, qd, qdd]) = chain.generalized();
    let mut d = ClosedFormData::new(&m);
    tau_by(&m, |tau| closed_form(&m, &mut d, &q, &qd, &qdd, tau));
    (block, chain, d)
}

#[test]
fn the_golden_link_tensors_about_frame_j_are_ours() {
    let block = golden("A1_generalized");
    let chain = Chain::new(&block);
    for (j, v) in numbered(&block["derived_proximal"]).into_iter().enumerate() {
        let rows = [0, 1, 2].map(|r| numbers(&v["I"][r])).concat();
        agree("I", &chain.tensor(j).to_rows().concat(), &rows, GOLDEN);
    }
}

#[test]
fn eqs_3_81_and_3_90_total_force_and_torque() {
    let (block, _, d) = generalized();
    for (i, v) in numbered(&block["expected"]).into_iter().enumerate() {
        agree_wrench(&format!("of joint {}", i + 1), d.wrench(i).unwrap(), wrench(v), GOLDEN);
    }
}

#[test]
fn eqs_3_87_to_3_99_every_term() {
    let (block, _, d) = generalized();
    let mut seen = 0;
    for (i, terms) in numbered(&block["expected_terms"]).into_iter().enumerate() {
        for (f, n) in [("Fk", "Nk"), ("Fkk", "Nkk"), ("Fkl", "Nkl"), ("Fg", "Ng")] {
            for (key, force) in terms[f].as_object().unwrap() {
                let at: Vec<usize> = key.split(',').map(|x| x.parse::<usize>().unwrap() - 1).collect();
                let term = match (f, &at[..]) {
                    ("Fk", &[k, j]) => Term::Inertial { k, j },
                    ("Fkk", &[k, j]) => Term::Centrifugal { k, j },
                    ("Fkl", &[k, l, j]) => Term::Coriolis { k, l, j },
                    (_, &[j]) => Term::Gravity { j },
                    other => panic!("{other:?}"),
                };
                let expected = Force::new(vector(&terms[n][key]), vector(force));
                agree_wrench(&format!("{f},{n} {key} of joint {}", i + 1), d.term(i, term).unwrap(), expected, GOLDEN);
                seen += 1;
            }
        }
    }
    // Joint i: links j ≥ i, with j terms k, j terms kk, j (j + 1) / 2 terms kl and one of gravity.
    let count = |i: usize| (i..=3).map(|j| 2 * j + j * (j + 1) / 2 + 1).sum::<usize>();
    assert_eq!(seen, (1..=3).map(count).sum::<usize>());
}

#[test]
fn terms_add_up_to_the_wrench_and_others_do_not_exist() {
    let (_, _, d) = generalized();
    for i in 0..3 {
        let total = d.wrench(i).unwrap();
        let sum = sum_of(&d, i, |_| 1.0);
        agree_wrench("sum", sum, total, 1e-14);
    }
    assert_eq!(d.term(1, Term::Gravity { j: 0 }), None);
    assert_eq!(d.term(0, Term::Coriolis { k: 1, l: 0, j: 2 }), None);
    assert_eq!(d.term(0, Term::Inertial { k: 2, j: 1 }), None);
    assert_eq!(d.term(7, Term::Gravity { j: 2 }), None);
    assert_eq!(d.term(0, Term::Gravity { j: 7 }), None);
    assert_eq!(d.wrench(3), None);
    let (m, _) = tree(1, &[JointKind::Fixed, JointKind::Revolute { axis: axis(1) }]);
    let d = ClosedFormData::new(&m);
    assert_eq!((d.wrench(0), d.term(0, Term::Gravity { j: 1 })), (None, None));
    assert!(d.wrench(1).is_some());
}

/// All terms of joint i, each as many times as `times` says.
fn sum_of(d: &ClosedFormData<f64>, i: usize, times: impl Fn(Term) -> f64) -> Force<f64> {
    let mut terms = vec![];
    for j in 0..3 {
        terms.push(Term::Gravity { j });
        for k in 0..3 {
            terms.extend([Term::Inertial { k, j }, Term::Centrifugal { k, j }]);
            terms.extend((0..3).map(|l| Term::Coriolis { k, l, j }));
        }
    }
    terms.into_iter().filter_map(|t| Some(d.term(i, t)? * times(t))).fold(Force::zero(), |sum, f| sum + f)
}

/// What a literal reading gives is another wrench, and is exactly the one that the erratum explains.
fn literal(name: &str, differs: [bool; 2], explained: impl Fn(&Chain, &ClosedFormData<f64>, usize) -> Force<f64>) {
    let (block, chain, d) = generalized();
    for (i, v) in numbered(&block["literal_thesis_values"][name]).into_iter().enumerate() {
        let (printed, truth) = (wrench(v), d.wrench(i).unwrap());
        if differs[0] {
            assert!(deviation(&printed.force.to_array(), &truth.force.to_array()) > DIFFERENT, "force of joint {i}");
        }
        if differs[1] {
            assert!(deviation(&printed.moment.to_array(), &truth.moment.to_array()) > DIFFERENT, "torque of joint {i}");
        }
        agree_wrench(&format!("of joint {i} by {name}"), explained(&chain, &d, i), printed, GOLDEN);
    }
}

#[test]
fn erratum_3_72_to_3_81_3_99_gravity_has_the_wrong_sign() {
    literal("gravity_sign", [true, true], |_, d, i| {
        sum_of(d, i, |t| if matches!(t, Term::Gravity { .. }) { -1.0 } else { 1.0 })
    });
}

#[test]
fn erratum_3_20_3_24_3_36_3_44_delta_kl_left_out() {
    literal("delta_missing", [true, true], |_, d, i| {
        sum_of(d, i, |t| if matches!(t, Term::Centrifugal { .. }) { 3.0 } else { 1.0 })
    });
}

#[test]
fn erratum_3_20_the_coriolis_term_of_one_joint_counted_twice() {
    literal("coriolis_double", [true, true], |_, d, i| {
        sum_of(d, i, |t| if matches!(t, Term::Coriolis { k, l, .. } if k == l) { 2.0 } else { 1.0 })
    });
}

#[test]
fn erratum_3_67_products_of_inertia_have_the_wrong_sign() {
    literal("Ixy_sign", [false, true], |chain, d, i| {
        explain_torque(chain, d, i, |j, [w, al], later| {
            let t = chain.tensor(j);
            let wrong = Sym3 { xy: -2.0 * t.xy, xz: -2.0 * t.xz, yz: -2.0 * t.yz, ..Sym3::zero() };
            let coriolis = later.iter().fold(Vec3::zero(), |sum, l| sum + l.cross(wrong * w) * 2.0);
            wrong * al + w.cross(wrong * w) + coriolis
        })
    });
}

#[test]
fn erratum_2_86_3_70a_3_98a_a_spurious_torque() {
    literal("eq_2_86", [false, true], |chain, d, i| {
        explain_torque(chain, d, i, |j, [w, _], later| {
            later.iter().fold(Vec3::zero(), |sum, l| sum + chain.tensor(j) * l.cross(w) * 2.0)
        })
    });
}

/// The true wrench of joint i, and besides, for each link j ≥ i and joint k ≤ j, the torque `more(j, [wₖ, αₖ], wₗ for
/// k < l ≤ j)`, all in the axes of frame j.
fn explain_torque(
    chain: &Chain,
    d: &ClosedFormData<f64>,
    i: usize,
    more: impl Fn(usize, [Vec3<f64>; 2], &[Vec3<f64>]) -> Vec3<f64>,
) -> Force<f64> {
    let frames = chain.frames();
    let mut f = d.wrench(i).unwrap();
    for j in i..3 {
        let to_j = |k: usize, v: Vec3<f64>| frames[j].rotation.inverse_rotate(frames[k].rotation.rotate(v));
        for k in 0..=j {
            let [w, al] = [0, 1].map(|c| to_j(k, chain.motions[k][c]));
            let later: Vec<_> = (k + 1..=j).map(|l| to_j(l, chain.motions[l][0])).collect();
            let torque = frames[j].rotation.rotate(more(j, [w, al], &later));
            f.moment += frames[i].rotation.inverse_rotate(torque);
        }
    }
    f
}

#[test]
fn errata_5_77_5_31_5_83_of_the_recursion_differ_as_well() {
    let (block, _, d) = generalized();
    let of = |name: &str, i: usize| wrench(&block["literal_thesis_values"][name][(i + 1).to_string()]);
    for i in 0..3 {
        let truth = d.wrench(i).unwrap();
        let force = of("rec_eq_5_77_A", i).force.to_array();
        assert!(deviation(&force, &truth.force.to_array()) > DIFFERENT, "5-77, joint {i}");
        let moment = of("rec_eq_5_83_sup", i).moment.to_array();
        assert!(deviation(&moment, &truth.moment.to_array()) > DIFFERENT, "5-83, joint {i}");
    }
}

struct OneDof {
    block: Value,
    chain: Chain,
    m: Model<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
}

fn one_dof(name: &str) -> OneDof {
    let block = golden(name);
    let chain = Chain::new(&block);
    let [qd, qdd] = ["nd", "ndd"].map(|n| numbered(&block[n]).into_iter().map(number).collect::<Vec<_>>());
    let m = chain.one_dof(&qd);
    OneDof { block, chain, m, qd, qdd }
}

#[test]
fn eqs_4_98_to_4_105_coefficients() {
    let OneDof { block, m, .. } = one_dof("A1_onedof");
    let mut d = CoefficientsData::new(&m);
    coefficients(&m, &mut d, &[0.0; 3]).unwrap();
    let gravity: Vec<f64> = numbered(&block["D_i"]).into_iter().map(number).collect();
    agree("D_i", &[0, 1, 2].map(|i| d.gravity(i)), &gravity, GOLDEN);
    for i in 0..3 {
        let of = |name: &str| block[name][(i + 1).to_string()].clone();
        agree("D_ik", &[0, 1, 2].map(|k| d.inertia(i, k)), &numbers(&of("D_ik")), GOLDEN);
        let expected: Vec<f64> = of("D_ikl").as_array().unwrap().iter().flat_map(numbers).collect();
        let found: Vec<f64> = (0..9).map(|at| d.velocity(i, at / 3, at % 3)).collect();
        agree("D_ikl", &found, &expected, GOLDEN);
    }
}

#[test]
fn eq_4_98_torque_of_both_formulations() {
    for name in ["A1_onedof", "A1_onedof_RRR"] {
        let OneDof { block, m, qd, qdd, .. } = one_dof(name);
        let expected: Vec<f64> = numbered(&block["tau"]).into_iter().map(number).collect();
        let q = [0.0; 3];
        let tau = tau_by(&m, |tau| coefficients_tau(&m, &mut CoefficientsData::new(&m), &q, &qd, &qdd, tau));
        agree(&format!("{name} by coefficients"), &tau, &expected, GOLDEN);
        let tau = tau_by(&m, |tau| closed_form(&m, &mut ClosedFormData::new(&m), &q, &qd, &qdd, tau));
        agree(&format!("{name} by the closed form"), &tau, &expected, GOLDEN);
    }
}

#[test]
fn eq_4_98_gives_the_reaction_in_any_direction() {
    let OneDof { block, m, qd, qdd, .. } = one_dof("A1_onedof");
    let mut d = CoefficientsData::new(&m);
    coefficients(&m, &mut d, &[0.0; 3]).unwrap();
    let along = |joint, direction| d.in_direction(&m, JointId::new(joint), direction, &qd, &qdd).unwrap();
    for row in block["reaction_any_direction"].as_array().unwrap() {
        let s = vector(&row["direction"]);
        let direction = match row["kind"].as_str() {
            Some("force") => Direction::Force { along: s },
            _ => Direction::Torque { about: s, through: Vec3::zero() },
        };
        let joint = row["joint"].as_u64().unwrap() as usize - 1;
        agree("component", &[along(joint, direction)], &[number(&row["value"])], GOLDEN);
    }
    let mut closed = ClosedFormData::new(&m);
    tau_by(&m, |tau| closed_form(&m, &mut closed, &[0.0; 3], &qd, &qdd, tau));
    for (i, v) in numbered(&block["reactions"]).into_iter().enumerate() {
        let expected = wrench(v);
        let at = vec3(0.3, -0.2, 0.7);
        let component = |c: usize, through| Direction::Torque { about: Vec3::unit(c), through };
        let found = Force::new(
            Vec3::from_fn(|c| along(i, component(c, Vec3::zero()))),
            Vec3::from_fn(|c| along(i, Direction::Force { along: Vec3::unit(c) })),
        );
        agree_wrench("by coefficients", found, expected, GOLDEN);
        agree_wrench("by the closed form", closed.wrench(i).unwrap(), expected, GOLDEN);
        let elsewhere = Vec3::from_fn(|c| along(i, component(c, at)));
        let moved = expected.moment - at.cross(expected.force);
        agree("torque about another point", &elsewhere.to_array(), &moved.to_array(), GOLDEN);
    }
}

#[test]
fn erratum_4_55_to_4_61_4_87_4_104_a_spurious_torque() {
    for (name, entry) in [("A1_onedof", "tau_with_literal_4_104"), ("A1_onedof_RRR", "tau_literal_4_104")] {
        let OneDof { block, chain, m, qd, qdd } = one_dof(name);
        let printed: Vec<f64> = numbered(&block[entry]).into_iter().map(number).collect();
        let mut tau = tau_by(&m, |tau| coefficients_tau(&m, &mut CoefficientsData::new(&m), &[0.0; 3], &qd, &qdd, tau));
        assert!(deviation(&printed, &tau) > DIFFERENT, "{name}");
        // The printed δᵢ·I (δₗ × δₖ), twice for l > k, none for l = k.
        let frames = chain.frames();
        for i in 0..3 {
            for j in i..3 {
                let to_j = |k: usize| {
                    let w = chain.motions[k][0];
                    frames[j].rotation.inverse_rotate(frames[k].rotation.rotate(w))
                };
                for l in 0..=j {
                    for k in 0..l {
                        let torque = chain.tensor(j) * to_j(l).cross(to_j(k)) * 2.0;
                        tau[i] += to_j(i).dot(torque) * (1.0 / qd[i]);
                    }
                }
            }
        }
        agree(name, &tau, &printed, GOLDEN);
    }
}

/// Figures 4 and 5: a disc that rotates about z; on its rim a rod that rotates about y and translates along −x.
struct Figure4 {
    block: Value,
    d1: f64,
    m3: f64,
    d: f64,
    turns: [f64; 2],
    qd: Vec<f64>,
    qdd: Vec<f64>,
}

impl Figure4 {
    fn new() -> Self {
        let block = golden("A1_example_fig4");
        let p = &block["params"];
        let of = |name: &str| number(&p[name]);
        Figure4 {
            d1: of("d1"),
            m3: of("M3"),
            d: of("d"),
            turns: [of("th1"), of("th2")],
            qd: numbers(&p["qd"]),
            qdd: numbers(&p["qdd"]),
            block: block.clone(),
        }
    }

    fn start(&self) -> (ModelBuilder, LinkId, Transform<f64>, Link) {
        let of = |name: &str| number(&self.block["params"][name]);
        let (m1, r, rod) = (of("M1"), of("disc_radius"), of("L"));
        let [x, z] = [m1 * r * r / 4.0, m1 * r * r / 2.0];
        let mut builder = ModelBuilder::new("figure 4");
        builder.gravity([0.0, 0.0, -of("g")]);
        let disc = Link::new("disc").body(m1, [0.0; 3], [x, 0.0, 0.0, x, 0.0, z]);
        let up = Transform::from_translation(vec3(0.0, 0.0, of("d0")));
        let disc = builder.add(BASE, Joint::revolute("theta1", [0.0, 0.0, 1.0]).at(up), disc);
        let i = self.m3 * rod * rod / 12.0;
        let rod = Link::new("rod").body(self.m3, [rod / 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, i, 0.0, i]);
        (builder, disc, Transform::from_translation(vec3(0.0, self.d1, 0.0)), rod)
    }

    /// Ch. 4: three joints of one degree of freedom, and a link without mass.
    fn one_dof(&self) -> (Model<f64>, Vec<f64>) {
        let (mut builder, disc, rim, rod) = self.start();
        let pivot = builder.add(disc, Joint::revolute("theta2", [0.0, 1.0, 0.0]).at(rim), Link::new("pivot"));
        builder.add(pivot, Joint::prismatic("d", [-1.0, 0.0, 0.0]), rod);
        (builder.build().unwrap(), vec![self.turns[0], self.turns[1], self.d])
    }

    /// Ch. 3: two joints, the second of two degrees of freedom, x = −d.
    fn generalized(&self) -> (Model<f64>, [Vec<f64>; 3]) {
        let (mut builder, disc, rim, rod) = self.start();
        let kind = JointKind::Generalized {
            rotations: [false, true, false],
            translations: [true, false, false],
            order: Order::RotationFirst,
        };
        builder.add(disc, Joint::new("both", kind).at(rim), rod);
        let flip = |v: &[f64]| vec![v[0], v[1], -v[2]];
        let q = flip(&[self.turns[0], self.turns[1], self.d]);
        (builder.build().unwrap(), [q, flip(&self.qd), flip(&self.qdd)])
    }
}

#[test]
fn figure_4_inertia_matrix_and_torques() {
    let f = Figure4::new();
    let (m, q) = f.one_dof();
    let mut d = CoefficientsData::new(&m);
    let tau = tau_by(&m, |tau| coefficients_tau(&m, &mut d, &q, &f.qd, &f.qdd, tau));
    agree("tau", &tau, &numbers(&f.block["tau_total"]), GOLDEN);
    agree("gravity", &[0, 1, 2].map(|i| d.gravity(i)), &numbers(&f.block["tau_gravity"]), GOLDEN);
    let inertial = [0, 1, 2].map(|i| (0..3).map(|k| d.inertia(i, k) * f.qdd[k]).sum());
    agree("inertial", &inertial, &numbers(&f.block["tau_inertial"]), GOLDEN);
    for i in 0..3 {
        let row = numbers(&f.block["inertia_matrix"][i]);
        agree("H", &[0, 1, 2].map(|k| d.inertia(i, k)), &row, GOLDEN);
    }
    let (m, [q, qd, qdd]) = f.generalized();
    let tau = tau_by(&m, |tau| closed_form(&m, &mut ClosedFormData::new(&m), &q, &qd, &qdd, tau));
    agree("tau", &[tau[0], tau[1], -tau[2]], &numbers(&f.block["tau_total"]), GOLDEN);
}

/// The wrench of each joint of figure 4, in the frame that the example uses: the joint's, turned by θ.
fn figure_4_reactions(f: &Figure4, kind: impl Fn(Term) -> bool) -> [Force<f64>; 2] {
    let (m, [q, qd, qdd]) = f.generalized();
    let mut d = ClosedFormData::new(&m);
    tau_by(&m, |tau| closed_form(&m, &mut d, &q, &qd, &qdd, tau));
    let [one, two] = f.turns;
    [Rotation::rpy(0.0, 0.0, one), Rotation::rpy(0.0, two, 0.0)]
        .map(Transform::from_rotation)
        .iter()
        .enumerate()
        .map(|(i, turned)| turned.force_back(sum_of(&d, i, |t| if kind(t) { 1.0 } else { 0.0 })))
        .collect::<Vec<_>>()
        .try_into()
        .unwrap()
}

#[test]
fn figure_4_corrected_reactions_3_114_to_3_124() {
    let f = Figure4::new();
    let inertial = figure_4_reactions(&f, |t| matches!(t, Term::Inertial { .. }));
    let gravity = figure_4_reactions(&f, |t| matches!(t, Term::Gravity { .. }));
    let total = figure_4_reactions(&f, |_| true);
    let expected = &f.block["corrected_reactions"];
    for (part, found, keys) in [
        ("inertial", inertial, [["1F(3-122)", "1N(3-124)"], ["2F(3-121)", "2N(3-123)"]]),
        ("gravity_demanded", gravity, [["1F(3-115)", "1N(3-120)"], ["2F(3-114)", "2N(3-119)"]]),
        ("total", total, [["1F", "1N"], ["2F", "2N"]]),
    ] {
        for (f, [force, moment]) in found.into_iter().zip(keys) {
            let e = Force::new(vector(&expected[part][moment]), vector(&expected[part][force]));
            agree_wrench(&format!("{part} {force} {moment}"), f, e, GOLDEN);
        }
    }
}

/// A random state; quaternions need no unit length.
fn state(m: &Model<f64>, seed: u64) -> [Vec<f64>; 3] {
    let mut rng = random::source(seed);
    [(m.nq(), 2.0), (m.nv(), 2.0), (m.nv(), 3.0)].map(|(n, range)| random::numbers(&mut rng, n, range))
}

/// Twice with one workspace: nothing of the first call may stay.
fn closed_form_agrees(m: &Model<f64>, seed: u64) {
    let mut d = ClosedFormData::new(m);
    for [q, qd, qdd] in [state(m, seed), state(m, seed + 1000)] {
        let expected = tau_by(m, |tau| rnea(m, &mut RneaData::new(m), &q, &qd, &qdd, tau));
        let found = tau_by(m, |tau| closed_form(m, &mut d, &q, &qd, &qdd, tau));
        agree(m.name(), &found, &expected, AGREEMENT);
    }
}

fn coefficients_agree(m: &Model<f64>, seed: u64) {
    let mut d = CoefficientsData::new(m);
    coefficients_agree_at(m, &mut d, state(m, seed));
    coefficients_agree_at(m, &mut d, state(m, seed + 1000));
}

fn coefficients_agree_at(m: &Model<f64>, d: &mut CoefficientsData<f64>, [q, qd, qdd]: [Vec<f64>; 3]) {
    let n = m.nv();
    let expected = tau_by(m, |tau| rnea(m, &mut RneaData::new(m), &q, &qd, &qdd, tau));
    let found = tau_by(m, |tau| coefficients_tau(m, d, &q, &qd, &qdd, tau));
    agree(m.name(), &found, &expected, AGREEMENT);
    let mut mass = vec![0.0; n * n];
    crba(m, &mut CrbaData::new(m), &q, &mut mass).unwrap();
    let inertia: Vec<f64> = (0..n * n).map(|at| d.inertia(at / n, at % n)).collect();
    agree(&format!("D_ik of {}", m.name()), &inertia, &mass, AGREEMENT);
    let still = vec![0.0; n];
    let gravity = tau_by(m, |tau| rnea(m, &mut RneaData::new(m), &q, &still, &still, tau));
    agree(&format!("D_i of {}", m.name()), &(0..n).map(|i| d.gravity(i)).collect::<Vec<_>>(), &gravity, AGREEMENT);
    for at in 0..n * n * n {
        let (i, k, l) = (at / (n * n), at / n % n, at % n);
        assert_eq!(d.velocity(i, k, l), d.velocity(i, l, k), "4-105");
    }
}

#[test]
fn random_arms_agree_with_the_recursion() {
    for (seed, kinds) in ["R", "P", "RR", "PRP", "RPR", "RRRRRR", "PPPRRR", "RPRPRPR", "RRRRRRRRRR"].iter().enumerate()
    {
        for k in 0..5 {
            let seed = (10 * seed + k) as u64;
            let m = random::arm(seed, kinds);
            closed_form_agrees(&m, seed + 1);
            coefficients_agree(&m, seed + 1);
        }
    }
}

/// A random tree: each link on the last one or on the one before that, the joints of `kinds` in turn, with a drive on
/// each joint's first degree of freedom.
fn tree(seed: u64, kinds: &[JointKind]) -> (Model<f64>, Vec<Transform<f64>>) {
    let mut rng = random::source(seed);
    let mut builder = ModelBuilder::new(&format!("random tree {seed}"));
    let (mut links, mut placements) = (vec![BASE], vec![]);
    for (k, kind) in kinds.iter().enumerate() {
        let back = (random::number(&mut rng, 1.5).abs() as usize).min(links.len() - 1);
        let at = random::pose(&mut rng);
        let mut joint = Joint::new(&format!("joint{k}"), *kind).at(at);
        if *kind != JointKind::Fixed {
            let drive = Drive::ideal().rotor(1e-3, 50.0).armature(0.1).viscous(0.3).coulomb(0.5, 0.4);
            joint = joint.driven_by(drive.stribeck(0.2, 0.1));
        }
        let link = random::link(&mut rng, &format!("link{k}"));
        placements.push(at);
        links.push(builder.add(links[links.len() - 1 - back], joint, link));
    }
    (builder.build().expect("a random tree is valid"), placements)
}

fn axis(seed: u64) -> [f64; 3] {
    random::axis(&mut random::source(seed))
}

#[test]
fn random_trees_with_drives_agree_with_the_recursion() {
    let (r, p) = (|k| JointKind::Revolute { axis: axis(k) }, |k| JointKind::Prismatic { axis: axis(k) });
    let h = JointKind::Helical { axis: axis(3), pitch: 0.2 };
    for seed in 0..20 {
        let kinds = [r(1), p(2), JointKind::Fixed, h, r(4), r(5), p(6), JointKind::Fixed, r(7), h];
        let (m, _) = tree(seed, &kinds);
        closed_form_agrees(&m, seed);
        coefficients_agree(&m, seed);
    }
}

#[test]
fn coupled_rotors_agree_with_the_recursion() {
    let mut builder = ModelBuilder::new("wrist with coupled gears");
    let mut rng = random::source(1);
    let mut last = BASE;
    for k in 0..3 {
        let joint = Joint::revolute(&format!("joint{k}"), random::axis(&mut rng)).at(random::pose(&mut rng));
        last = builder.add(last, joint, random::link(&mut rng, &format!("link{k}")));
    }
    builder.coupled_rotor(2e-4, &[("joint1", 80.0), ("joint2", -30.0)], None);
    let m = builder.build().unwrap();
    closed_form_agrees(&m, 1);
    coefficients_agree(&m, 1);
}

/// Every kind of joint there is.
fn every_kind() -> Vec<JointKind> {
    let mut kinds = vec![
        JointKind::Fixed,
        JointKind::Revolute { axis: axis(1) },
        JointKind::Prismatic { axis: axis(2) },
        JointKind::Helical { axis: axis(3), pitch: -0.3 },
        JointKind::Cylindrical { axis: axis(4) },
        JointKind::Universal { axes: [axis(5), axis(6)] },
        JointKind::Spherical,
        JointKind::Planar,
        JointKind::Translation,
        JointKind::Free,
    ];
    for order in [Order::RotationFirst, Order::TranslationFirst] {
        kinds.push(JointKind::Generalized { rotations: [true; 3], translations: [true; 3], order });
        kinds.push(JointKind::Generalized { rotations: [true, false, true], translations: [false, true, true], order });
    }
    kinds
}

#[test]
fn the_closed_form_covers_every_kind_of_joint() {
    let kinds = every_kind();
    let r = JointKind::Revolute { axis: axis(9) };
    for (seed, &kind) in kinds.iter().enumerate() {
        let (m, _) = tree(seed as u64, &[r, kind, kind, r]);
        closed_form_agrees(&m, seed as u64);
    }
    for seed in 0..20 {
        let mut shuffled = kinds.clone();
        shuffled.rotate_left(seed as usize % kinds.len());
        closed_form_agrees(&tree(seed, &shuffled[..6]).0, seed);
    }
    closed_form_agrees(&tree(0, &kinds).0, 7);
}

/// Every component that each joint transmits, by `found` and by the recursion, in the frame of the joint.
fn wrenches_agree(seed: u64, kinds: &[JointKind], found: impl Fn(&Model<f64>, &[Vec<f64>; 3], usize) -> Force<f64>) {
    let (m, placements) = tree(seed, kinds);
    let state = state(&m, seed);
    let [q, qd, qdd] = &state;
    let mut recursion = RneaData::new(&m);
    tau_by(&m, |tau| rnea(&m, &mut recursion, q, qd, qdd, tau));
    for (i, at) in placements.iter().enumerate() {
        if !m.joints()[i].bodies.is_empty() {
            let e = recursion.wrenches(&m, JointId::new(i), WrenchFrame::Parent).unwrap().last().unwrap().total;
            agree_wrench(&m.joints()[i].name, at.force(found(&m, &state, i)), e, AGREEMENT);
        }
    }
}

#[test]
fn the_closed_form_gives_every_component_that_a_joint_transmits() {
    for seed in 0..10 {
        let mut kinds = every_kind();
        kinds.rotate_left(seed as usize);
        wrenches_agree(seed, &kinds[..6], |m, [q, qd, qdd], i| {
            let mut d = ClosedFormData::new(m);
            tau_by(m, |tau| closed_form(m, &mut d, q, qd, qdd, tau));
            d.wrench(i).unwrap()
        });
    }
}

#[test]
fn the_coefficients_give_every_component_that_a_joint_transmits() {
    let mut kinds = every_kind();
    kinds.retain(|kind| !matches!(kind, JointKind::Spherical | JointKind::Free));
    for seed in 0..10 {
        kinds.rotate_left(1);
        wrenches_agree(seed, &kinds[..6], |m, [q, qd, qdd], i| {
            let mut d = CoefficientsData::new(m);
            coefficients(m, &mut d, q).unwrap();
            let along = |direction| d.in_direction(m, JointId::new(i), direction, qd, qdd).unwrap();
            Force::new(
                Vec3::from_fn(|c| along(Direction::Torque { about: Vec3::unit(c), through: Vec3::zero() })),
                Vec3::from_fn(|c| along(Direction::Force { along: Vec3::unit(c) })),
            )
        });
    }
}

#[test]
fn a_payload_is_honoured() {
    let arm = random::arm(5, "RRPR");
    let inertia = Inertia::point(3.0, vec3(0.1, 0.2, 0.3));
    let m = arm.with_payload("box", arm.last_link(), inertia, Transform::identity()).unwrap();
    closed_form_agrees(&m, 5);
    coefficients_agree(&m, 5);
}

#[test]
fn what_is_not_covered_is_refused() {
    let drive = Drive::ideal().gyroscopic_rotor(1e-3, 50.0, [0.0, 0.0, 1.0]);
    let mut builder = ModelBuilder::new("spinning");
    let link = Link::new("arm").body(1.0, [0.1, 0.0, 0.0], [0.1, 0.0, 0.0, 0.1, 0.0, 0.1]);
    builder.add(BASE, Joint::revolute("turn", [0.0, 0.0, 1.0]).driven_by(drive), link);
    let m = builder.build().unwrap();
    let (q, mut tau) = ([0.1], [0.0]);
    let refused = |e: armdyn_core::error::Result<()>, name: &str| match e {
        Err(Error::Unsupported { joint, .. }) => assert_eq!(joint, name),
        other => panic!("{other:?}"),
    };
    refused(closed_form(&m, &mut ClosedFormData::new(&m), &q, &q, &q, &mut tau), "turn");
    refused(coefficients(&m, &mut CoefficientsData::new(&m), &q), "turn");

    let (m, _) = tree(1, &[JointKind::Revolute { axis: axis(1) }, JointKind::Spherical]);
    refused(coefficients(&m, &mut CoefficientsData::new(&m), &[0.5; 5]), "joint1.roll");

    let (m, _) = tree(1, &[JointKind::Revolute { axis: axis(1) }, JointKind::Fixed]);
    let mut d = CoefficientsData::new(&m);
    coefficients(&m, &mut d, &[0.5]).unwrap();
    let along = Direction::Force { along: Vec3::unit(0) };
    assert!(matches!(d.in_direction(&m, JointId::new(1), along, &[0.0], &[0.0]), Err(Error::Unsupported { .. })));

    let m = random::arm(1, "RR");
    let (two, mut tau) = ([0.1; 2], [0.0; 2]);
    let short = closed_form(&m, &mut ClosedFormData::new(&m), &two, &two[..1], &two, &mut tau);
    assert_eq!(short, Err(Error::Length { what: "qd", expected: 2, found: 1 }));
    let nan = coefficients_tau(&m, &mut CoefficientsData::new(&m), &two, &[f64::NAN, 0.0], &two, &mut tau);
    assert!(matches!(nan, Err(Error::NotFinite { what: "qd", .. })));
    let nan = coefficients(&m, &mut CoefficientsData::new(&m), &[0.0, f64::NAN]);
    assert!(matches!(nan, Err(Error::NotFinite { what: "q", .. })));
}
