//! Tip-over compared with Lau's corrected chapter 6 (golden numbers from particles, computed without armdyn), with statics by hand
//! and with its own properties. The thesis's own numbers are checked as errata.

use armdyn_core::{ContactFriction, Inertia, Interval, Model, Progress, UnitPayload, Vec3};
use armdyn_import::library::bundled;
use armdyn_mobile::contact::{FrictionDemand, LoadDistribution, Stability};
use armdyn_mobile::tipover::{
    ReachOptions, StabilityEvaluator, StateRanges, TipoverCase, TipoverOptions, Verdict, analyse_tipover,
};
use armdyn_mobile::{BaseMotion, Support};
use armdyn_numerics::JointRanges;
use armdyn_numerics::bound::Budget;
use serde_json::Value;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::path::Path;
use std::time::Duration;

const G: f64 = 9.81;
/// The golden numbers' own.
const GOLDEN: f64 = 1e-9;

fn golden() -> Value {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../armdyn-testkit/data/documents/lau-renaud-lin-morris.json");
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    all["lau"]["A2_movable"].clone()
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap()
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(number).collect()
}

/// Lau's coordinates as the file has them: its x is −d.
fn flipped(v: &Value) -> Vec<f64> {
    let v = numbers(v);
    vec![v[0], v[1], -v[2]]
}

fn near(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let scale = expected.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance * scale, "{what}: {found:?} against {expected:?}");
    }
}

fn robot(name: &str) -> (Model<f64>, Support) {
    let d = bundled(name).unwrap().load().description.unwrap();
    let m = d.model().unwrap();
    let support = Support::new(&m).unwrap();
    (m, support)
}

/// Lau's robot with rolling resistance as a case has it.
fn movable(rolling: f64) -> (Model<f64>, Support) {
    let m = bundled("lau-movable").unwrap().load().model().unwrap().unwrap();
    let mut contacts = m.contacts().to_vec();
    contacts.iter_mut().for_each(|c| c.friction.rolling_resistance = Some(rolling));
    let support = Support::from_contacts(&contacts, -m.gravity()).unwrap();
    (m, support)
}

/// With so much at the rod's tip.
fn carrying(m: &Model<f64>, mass: f64) -> Model<f64> {
    m.without_payloads()
        .with_payload_in_link("load", m.link("rod").unwrap(), Inertia::point(mass, Vec3::zero()))
        .unwrap()
}

fn case<'a>(model: &'a Model<f64>, support: &'a Support, base: BaseMotion) -> TipoverCase<'a> {
    TipoverCase { model, support, base, progress: Progress::none() }
}

fn moving(m: &Model<f64>, support: &Support, base: &BaseMotion, state: [&[f64]; 3]) -> Stability {
    StabilityEvaluator::new(m, support).stability(base, state).unwrap()
}

fn friction(m: &Model<f64>, support: &Support, stability: &Stability, base: &BaseMotion) -> FrictionDemand {
    StabilityEvaluator::new(m, support).friction(stability, base).unwrap()
}

fn at_rest(m: &Model<f64>, support: &Support, q: &[f64]) -> Stability {
    let zero = vec![0.0; m.nv()];
    moving(m, support, &BaseMotion::rest(), [q, &zero, &zero])
}

#[test]
fn all_instants_of_the_rolling_base() {
    let g = golden();
    for at in g["instants"].as_array().unwrap() {
        let (m, support) = movable(number(&at["cr"]));
        let [v, w, vdot, wdot] = ["V", "w", "Vdot", "wdot"].map(|k| number(&at[k]));
        let base = BaseMotion::planar(&support, [v, 0.0, w], [vdot, 0.0, wdot]);
        let (q, qd, qdd) = (flipped(&at["q"]), flipped(&at["qd"]), flipped(&at["qdd"]));
        let found = moving(&m, &support, &base, [&q, &qd, &qdd]);
        let loads = ["N1", "N2", "N3"].map(|k| number(&at[k]));
        near("N", &found.loads, &loads, GOLDEN);
        assert_eq!(found.load_distribution, LoadDistribution::Equilibrium);
        near("zmp", &found.zmp.unwrap(), &numbers(&at["zmp"]), GOLDEN);
        near("h", &found.centre_of_mass, &numbers(&at["h"]), GOLDEN);
        // With the golden V', w' the base rolls freely: the wheels resist everything else.
        let grip = friction(&m, &support, &found, &base);
        let normal = found.reaction.normal;
        assert!(grip.unresisted_force.iter().all(|f| f.abs() < 1e-9 * normal), "{grip:?}");
        assert!(grip.unresisted_moment.abs() < 1e-9 * normal);
        near("f", &[grip.contacts.iter().map(|h| h.force[1]).sum()], &[number(&at["f"])], GOLDEN);
        near("μ", &[grip.required_coefficient, grip.minimum_coefficient], &[number(&at["mu_required"]); 2], GOLDEN);
        assert!((grip.contacts[1].safety_factor.unwrap() * grip.required_coefficient - 0.6).abs() < 1e-12);
        assert!(grip.contacts[0].required_coefficient.is_none());
        // Erratum: 6-37 gives about twice the castor's load.
        let thesis = number(&at["literal_thesis"]["N1"]);
        assert!((thesis - found.loads[0]).abs() > 0.9 * found.loads[0], "{thesis} N");
    }
}

#[test]
fn loads_at_rest_and_what_the_thesis_has() {
    let g = golden();
    let (m, support) = movable(0.0);
    let found = at_rest(&m, &support, &flipped(&g["static"]["q"]));
    let loads = ["N1", "N2", "N3"].map(|k| number(&g["static"][k]));
    near("N", &found.loads, &loads, GOLDEN);
    assert!(found.stable);
    // Erratum: the thesis's N1.
    assert!((number(&g["static"]["thesis_N1"]) - 259.25).abs() < 0.01 && (found.loads[0] - 123.338).abs() < 1e-3);
}

#[test]
fn it_tips_beyond_a_reach_of_0_532778_and_0_833333_metres() {
    let g = &golden()["tipover_static"];
    let (m, support) = movable(0.0);
    let m = carrying(&m, number(&g["payload"]));
    for (side, over) in [("lateral", "castor – left"), ("rear", "left – right")] {
        let pose = |d: f64| vec![number(&g[side]["theta1"]), number(&g[side]["theta2"]), -d];
        let found = case(&m, &support, BaseMotion::rest()).safe_path(&pose(0.4), &pose(1.0)).unwrap();
        near(side, &[0.4 + 0.6 * found.fraction], &[number(&g[side]["d_star"])], GOLDEN);
        assert_eq!(support.edge_name(found.edge.unwrap()), over);
        assert_eq!(case(&m, &support, BaseMotion::rest()).safe_path(&pose(0.4), &pose(0.5)).unwrap().fraction, 1.0);
    }
    // Erratum: within the rectangle |h_y| < d, h_x < s of 6-38, 6-44, 6-45, and yet it tips.
    let case = &g["counterexample_to_6_38_6_44_6_45"];
    let found = at_rest(&m, &support, &[-FRAC_PI_2, 0.0, -number(&case["d"])]);
    near("N", &found.loads, &numbers(&case["N"]), GOLDEN);
    near("h", &found.centre_of_mass, &numbers(&case["h"]), GOLDEN);
    assert!(!found.stable && found.centre_of_mass[1].abs() < 0.25 && found.centre_of_mass[0] < 0.6);
    let critical = &found.margins[found.critical_edge];
    assert!(critical.moment < 0.0 && critical.force_angle.angle < 0.0 && critical.force_angle.measure < 0.0);
}

#[test]
fn it_tips_as_the_arm_accelerates() {
    let g = golden();
    let (m, support) = movable(0.0);
    let m = carrying(&m, 12.0);
    for case in g["tipover_dynamic"].as_array().unwrap() {
        let base = BaseMotion::planar(&support, [0.0; 3], [number(&case["Vdot"]), 0.0, number(&case["wdot"])]);
        let (q, qdd) = (flipped(&case["q"]), flipped(&case["qdd"]));
        let found = moving(&m, &support, &base, [&q, &[0.0; 3], &qdd]);
        near("N", &found.loads, &numbers(&case["N"]), GOLDEN);
        assert_eq!(!found.stable, case["tipped"].as_bool().unwrap());
        let grip = friction(&m, &support, &found, &base);
        if found.stable {
            near(
                "f",
                &[grip.contacts.iter().map(|h| h.force[1]).sum::<f64>() + 1.0],
                &[number(&case["f"]) + 1.0],
                GOLDEN,
            );
        }
    }
}

#[test]
fn where_slipping_begins() {
    let g = golden();
    let (slip, at) = (&g["slip_onset"], &g["instants"][1]);
    let m = bundled("lau-movable").unwrap().load().model().unwrap().unwrap();
    let mut contacts = m.contacts().to_vec();
    let mu = number(&slip["mu_k"]);
    for c in &mut contacts {
        c.friction =
            ContactFriction { static_friction: Some(mu), sliding_friction: Some(mu), rolling_resistance: Some(0.0) };
    }
    let support = Support::from_contacts(&contacts, -m.gravity()).unwrap();
    let (q, qd, qdd) = (flipped(&at["q"]), flipped(&at["qd"]), flipped(&at["qdd"]));
    let velocity = [number(&slip["V"]), 0.0, number(&slip["w"])];
    let at_case = |case: &Value, ay: f64| {
        let base = BaseMotion::planar(&support, velocity, [number(&case["Vdot"]), ay, number(&case["wdot"])]);
        let found = moving(&m, &support, &base, [&q, &qd, &qdd]);
        let grip = friction(&m, &support, &found, &base);
        (found, grip)
    };
    let (found, grip) = at_case(&slip["stick"], 0.0);
    near("f", &[grip.contacts.iter().map(|h| h.force[1]).sum()], &[number(&slip["stick"]["f"])], GOLDEN);
    near("μ", &[grip.required_coefficient], &[number(&slip["stick"]["mu_required"])], GOLDEN);
    // Both wheels slip; kinetic friction lacks what exceeds μ N.
    for k in [1, 2] {
        let demand = &grip.contacts[k];
        assert!(demand.slips());
        let deficit = (grip.required_coefficient - mu) * found.loads[k];
        near("deficit", &[demand.kinetic_deficit.unwrap()], &[deficit], 1e-9);
    }
    let (found, grip) = at_case(&slip["slip"], number(&slip["slip"]["ay"]));
    near("N", &found.loads, &["N1", "N2", "N3"].map(|k| number(&slip["slip"][k])), GOLDEN);
    near("μ", &[grip.required_coefficient], &[mu], GOLDEN);
}

#[test]
fn a_missing_coefficient_is_an_error_that_names_the_contact() {
    let m = bundled("lau-movable").unwrap().load().model().unwrap().unwrap();
    let mut contacts = m.contacts().to_vec();
    contacts[0].friction.rolling_resistance = None;
    contacts[2].friction.static_friction = None;
    let support = Support::from_contacts(&contacts, -m.gravity()).unwrap();
    let q = [0.7, 0.1, -0.6];
    let found = at_rest(&m, &support, &q);
    let grip = friction(&m, &support, &found, &BaseMotion::rest());
    assert!(grip.rolling_resistance_at_rest.is_none() && grip.contacts[2].safety_factor.is_none());
    let rolling = BaseMotion::planar(&support, [0.3, 0.0, 0.0], [0.0; 3]);
    let error = StabilityEvaluator::new(&m, &support).friction(&found, &rolling).unwrap_err().to_string();
    assert!(error.contains("`castor`") && error.contains("rolling"), "{error}");
}

/// On a slope the weight acts where the vertical through the centre of mass meets the ground: h tan α downhill.
#[test]
fn a_slope_moves_the_zero_moment_point_downhill() {
    let g = golden();
    let (m, support) = movable(0.0);
    let q = flipped(&g["static"]["q"]);
    let h = numbers(&g["static"]["h"]);
    for (angle, heading) in [(0.1_f64, 0.0_f64), (0.2, 0.7), (0.15, -2.0)] {
        let tilted = m.with_gravity(support.slope(G, angle, heading));
        let found = at_rest(&tilted, &support, &q);
        let expected = [h[0] - h[2] * angle.tan() * heading.cos(), h[1] - h[2] * angle.tan() * heading.sin()];
        near("zmp", &found.zmp.unwrap(), &expected, 1e-12);
        near("N", &[found.loads.iter().sum()], &[39.0 * G * angle.cos()], 1e-12);
        // No contact resists the downhill force along the fixed wheels.
        let grip = friction(&tilted, &support, &found, &BaseMotion::rest());
        near("unresisted", &[grip.unresisted_force[0] + 1e3], &[39.0 * G * angle.sin() * heading.cos() + 1e3], 1e-12);
    }
}

#[test]
fn safe_payload_and_speed_scaling_of_the_golden_cases() {
    let g = golden();
    let (m, support) = movable(0.0);
    let d_star = number(&g["tipover_static"]["lateral"]["d_star"]);
    let (q, zero) = ([-FRAC_PI_2, 0.0, -d_star], [0.0; 3]);
    let load = UnitPayload::point(m.link("rod").unwrap(), Vec3::zero());
    let payload = case(&m, &support, BaseMotion::rest()).safe_payload(&[[&q, &zero, &zero]], &load).unwrap();
    near("payload", &[payload.maximum], &[12.0], GOLDEN);
    assert_eq!(payload.minimum, 0.0);
    assert_eq!(support.edge_name(payload.critical.unwrap().edge), "castor – left");
    // N3 = a + s² b through the two golden cases with θ̈₂ = ±8, of a robot that tips at rest.
    let m = carrying(&m, 12.0);
    let n3 = |k: usize| numbers(&g["tipover_dynamic"][k]["N"])[2];
    let (a, b) = ((n3(0) + n3(1)) / 2.0, (n3(1) - n3(0)) / 2.0);
    let (q, qdd) = ([-FRAC_PI_2, 0.0, -0.6], [0.0, -8.0, 0.0]);
    let states = [[&q[..], &zero[..], &qdd[..]]];
    let scaling = case(&m, &support, BaseMotion::rest()).safe_speed_scaling(&states).unwrap();
    near("minimum", &[scaling.minimum], &[(-a / b).sqrt()], GOLDEN);
    let error = case(&m, &support, BaseMotion::rest()).trajectory_stability(&states).unwrap_err().to_string();
    assert!(error.contains("not stable at rest") && error.contains("castor – left"), "{error}");
    let back = [[&q[..], &zero[..], &[0.0, 8.0, 0.0][..]]];
    let none = case(&m, &support, BaseMotion::rest()).safe_speed_scaling(&back).unwrap();
    assert!(none.maximum < none.minimum);
}

/// At the maximum speed scaling the zero-moment point touches an edge, and at smaller ones it does not.
#[test]
fn at_the_maximum_speed_scaling_the_zmp_is_on_an_edge() {
    let (m, support) = movable(0.0);
    let time = |k: usize| 0.02 * k as f64;
    let wave = |t: f64| {
        let [a, b] = [1.5 * t, 2.0 * t];
        let q = vec![0.3 + 0.8 * a.sin(), 0.2 + 0.3 * b.sin(), -(0.6 + 0.1 * t.sin())];
        let qd = vec![1.2 * a.cos(), 0.6 * b.cos(), -0.1 * t.cos()];
        (q, qd, vec![-1.8 * a.sin(), -1.2 * b.sin(), 0.1 * t.sin()])
    };
    let made: Vec<_> = (0..300).map(|k| wave(time(k))).collect();
    let states: Vec<[&[f64]; 3]> = made.iter().map(|(q, qd, qdd)| [&q[..], &qd[..], &qdd[..]]).collect();
    let base = BaseMotion::planar(&support, [0.2, 0.0, 0.1], [0.05, 0.0, -0.02]);
    let scaling = case(&m, &support, base).safe_speed_scaling(&states).unwrap();
    assert!(scaling.minimum == 0.0 && scaling.maximum > 1.0, "{scaling:?}");
    for (factor, stable) in [(1.0 - 1e-9, true), (1.0 + 1e-9, false)] {
        let s = scaling.maximum * factor;
        let scaled: Vec<(Vec<f64>, Vec<f64>)> = made
            .iter()
            .map(|(_, qd, qdd)| (qd.iter().map(|x| s * x).collect(), qdd.iter().map(|x| s * s * x).collect()))
            .collect();
        let fast: Vec<[&[f64]; 3]> =
            states.iter().zip(&scaled).map(|(state, (qd, qdd))| [state[0], &qd[..], &qdd[..]]).collect();
        let found = case(&m, &support, base.scaled(s)).trajectory_stability(&fast).unwrap();
        let margin = found.margin[found.worst];
        assert_eq!(margin >= 0.0, stable, "{margin}");
        assert!(margin.abs() < 1e-7);
        assert_eq!((found.margin.len(), found.worst), (300, scaling.critical.unwrap().sample));
    }
}

/// Four wheels: loads are positive and in equilibrium with the weight, and the zero-moment point is below the centre of mass.
#[test]
fn a_mobile_manipulator_on_four_wheels() {
    let (m, support) = robot("ur5e-on-wheels");
    assert_eq!(support.edges().len(), 4);
    for q in [[0.0; 6], [0.4, -1.2, 1.0, 0.3, 0.8, 0.0], [2.0, -0.3, 0.2, 0.0, 0.0, 0.0]] {
        let found = at_rest(&m, &support, &q);
        assert!(found.stable && found.loads.iter().all(|n| *n >= 0.0), "{found:?}");
        assert_eq!(found.load_distribution, LoadDistribution::LeastNorm);
        let weight: f64 = found.loads.iter().sum();
        near("weight", &[weight], &[found.mass * G], 1e-12);
        for k in 0..2 {
            let moment: f64 = found.loads.iter().zip(support.points()).map(|(n, p)| n * p[k]).sum();
            assert!((moment / weight - found.centre_of_mass[k]).abs() < 1e-12);
            assert!((found.zmp.unwrap()[k] - found.centre_of_mass[k]).abs() < 1e-12);
        }
        // Driven wheels resist a tangential force and a yaw moment, with equal coefficients for a force alone.
        let base = BaseMotion::planar(&support, [0.0; 3], [0.5, 0.2, 0.0]);
        let pushed = moving(&m, &support, &base, [&q, &[0.0; 6], &[0.0; 6]]);
        let grip = friction(&m, &support, &pushed, &base);
        let tolerance = 1e-9 * pushed.reaction.normal;
        assert!(grip.unresisted_force.iter().all(|f| f.abs() <= tolerance), "{grip:?}");
        assert!(grip.unresisted_moment.abs() <= tolerance * support.size(), "{grip:?}");
        assert!(grip.required_coefficient >= grip.minimum_coefficient * (1.0 - 1e-12));
        near("push", &[grip.minimum_coefficient], &[0.5f64.hypot(0.2) / G], 1e-12);
    }
}

/// θ₂ = 0, 12 kg at the tip: by statics, where N3 or N2 or N1 falls to zero, for each θ₁.
fn critical(theta: f64) -> f64 {
    // First moments: base 30 kg at 0.25, disc 4 kg at 0.2; rod 3 kg at d − 0.4 and load 12 kg at d along −x turned by θ₁, from a
    // pivot 0.12 m to the side.
    let (s, c) = theta.sin_cos();
    let fixed = [30.0 * 0.25 + 4.0 * 0.2 + 15.0 * (0.2 - 0.12 * s) + 1.2 * c, 15.0 * 0.12 * c + 1.2 * s];
    let slope = [-15.0 * c, -15.0 * s];
    // Edges x ≥ 0 and |y| ≤ 0.25 (1 − x/0.6), each a + b d ≥ 0; 49 kg in all.
    let edges = [([1.0, 0.0], 0.0), ([-0.25 / 0.6, -1.0], 0.25 * 49.0), ([-0.25 / 0.6, 1.0], 0.25 * 49.0)];
    let mut most = f64::INFINITY;
    for ([x, y], constant) in edges {
        let (a, b) = (constant + x * fixed[0] + y * fixed[1], x * slope[0] + y * slope[1]);
        if b < 0.0 {
            most = most.min(-a / b);
        }
    }
    most
}

#[test]
fn the_reach_map_agrees_with_statics() {
    assert!(
        (critical(-FRAC_PI_2) - 0.532_777_777_777_8).abs() < 1e-12
            && (critical(0.0) - 0.833_333_333_333_3).abs() < 1e-12
    );
    let (m, support) = movable(0.0);
    let m = carrying(&m, 12.0);
    let ranges = JointRanges::new(&m, &[(0, -PI, PI), (1, 0.0, 0.0), (2, -0.8, -0.3)]).unwrap();
    let tool = (m.link("rod").unwrap(), Vec3::zero());
    let options = ReachOptions { samples: 40_000, columns: 40, ..ReachOptions::default() };
    let map = case(&m, &support, BaseMotion::rest()).reach_map(tool, &ranges, &options).unwrap();
    assert_eq!((map.directions.len(), map.samples), (36, 40_000));
    // The nearest place that tips in each direction, by a fine grid of θ₁.
    let middle = support.polygon().centre();
    let mut expected = vec![f64::INFINITY; 36];
    for k in 0..36_000 {
        let theta = TAU * k as f64 / 36_000.0;
        let (s, c) = theta.sin_cos();
        let d = critical(theta).max(0.3);
        for d in [d, 0.8] {
            if d > 0.8 {
                continue;
            }
            let (x, y) = (0.2 - 0.12 * s - d * c - middle[0], 0.12 * c - d * s - middle[1]);
            let sector = (y.atan2(x).rem_euclid(TAU) / TAU * 36.0).round() as usize % 36;
            expected[sector] = expected[sector].min(x.hypot(y));
        }
    }
    for d in &map.directions {
        let sector = (d.heading / TAU * 36.0).round() as usize % 36;
        // 40,000 poses over 36 sectors of about 0.5 m: a few millimetres apart.
        let safe = expected[sector].min(d.reach);
        assert!(d.safe >= safe - 1e-9 && d.safe < safe + 0.02, "{d:?} against {safe}");
    }
}

#[test]
fn stability_is_guaranteed_refuted_or_undecided() {
    let (m, support) = movable(0.0);
    let m = carrying(&m, 12.0);
    let minimum = (0..100_000).map(|k| critical(TAU * k as f64 / 1e5)).fold(f64::INFINITY, f64::min);
    let zero = vec![Interval::point(0.0); 3];
    let check = |far: f64, velocities: &[Interval], accelerations: &[Interval], budget: Budget| {
        let ranges = JointRanges::new(&m, &[(0, -PI, PI), (1, 0.0, 0.0), (2, -far, -0.3)]).unwrap();
        let (velocities, accelerations) = (velocities.to_vec(), accelerations.to_vec());
        let ranges = StateRanges { positions: ranges, velocities, accelerations };
        case(&m, &support, BaseMotion::rest()).guaranteed_stability(&ranges, budget).unwrap()
    };
    let minute = Budget { time: Some(Duration::from_secs(60)), ..Budget::default() };
    let guaranteed = check(minimum - 1e-3, &zero, &zero, minute);
    assert_eq!(guaranteed.verdict, Verdict::Guaranteed);
    assert!(guaranteed.edges.iter().all(|b| b.lower_bound >= 0.0 && b.lower_bound <= b.minimum));
    let tips = check(minimum + 1e-3, &zero, &zero, minute);
    assert_eq!(tips.verdict, Verdict::TipsOver);
    let worst = &tips.edges[tips.critical_edge()];
    assert!(!at_rest(&m, &support, &worst.q).stable);
    // In motion: a wide margin is guaranteed, a narrow one refuted by a state that tips.
    let within = |x: f64| vec![Interval::new(-x, x).unwrap(); 3];
    let slow = check(0.4, &within(0.2), &within(0.3), minute);
    assert_eq!(slow.verdict, Verdict::Guaranteed, "{slow:?}");
    let fast = check(minimum - 1e-3, &within(0.5), &within(2.0), minute);
    assert_eq!(fast.verdict, Verdict::TipsOver);
    let worst = &fast.edges[fast.critical_edge()];
    assert!(!moving(&m, &support, &BaseMotion::rest(), [&worst.q, &worst.qd, &worst.qdd]).stable);
    let open = check(minimum - 1e-3, &zero, &zero, Budget { boxes: 1, ..minute });
    assert_eq!(open.verdict, Verdict::Undecided);
}

/// The budget is that of all edges together. The hardest of four, which is the first, needs more than a quarter of it: what the
/// others leave goes back to it.
#[test]
fn edges_share_the_budget() {
    let (m, support) = robot("ur5e-on-wheels");
    let within = |x: f64| vec![Interval::new(-x, x).unwrap(); 6];
    let positions = JointRanges::new(&m, &[]).unwrap();
    let ranges = StateRanges { positions, velocities: within(0.2), accelerations: within(0.3) };
    let check = |boxes: usize| {
        let budget = Budget { boxes, ..Budget::default() };
        let found = case(&m, &support, BaseMotion::rest()).guaranteed_stability(&ranges, budget).unwrap();
        let boxes: Vec<usize> = found.edges.iter().map(|e| e.boxes).collect();
        (found, boxes)
    };
    let (found, needed) = check(1_000_000);
    assert_eq!(found.verdict, Verdict::Guaranteed);
    // A round of each search may exceed its part by the boxes of one round.
    let (sum, rounds) = (needed.iter().sum::<usize>(), 4 * 256);
    let total = sum + rounds;
    assert!(needed[0] > total / 4 + 256, "{needed:?}: an even part must not suffice for the first edge");
    let (found, boxes) = check(total);
    assert_eq!((found.verdict, &boxes), (Verdict::Guaranteed, &needed), "{found:?}");
    // Less than that does not suffice, and all of it is spent: no edge has a budget of its own, and none keeps what it does not need.
    for less in [sum * 3 / 4, sum / 2] {
        let (found, boxes) = check(less);
        assert_eq!(found.verdict, Verdict::Undecided, "{boxes:?} of {less}");
        let spent = boxes.iter().sum::<usize>();
        assert!(less <= spent && spent <= less + rounds, "{boxes:?}: {spent} of {less}");
    }
}

#[test]
fn what_is_not_finite_or_does_not_fit_is_refused() {
    let (m, support) = movable(0.0);
    let zero = [0.0; 3];
    let mut evaluator = StabilityEvaluator::new(&m, &support);
    assert!(evaluator.stability(&BaseMotion::rest(), [&[0.0, f64::NAN, 0.0], &zero, &zero]).is_err());
    assert!(evaluator.stability(&BaseMotion::rest(), [&[0.0, 0.0], &zero, &zero]).is_err());
    let odd = BaseMotion::planar(&support, [f64::NAN, 0.0, 0.0], [0.0; 3]);
    assert!(evaluator.stability(&odd, [&[0.0, 0.0, -0.6], &zero, &zero]).is_err());
    assert!(case(&m, &support, BaseMotion::rest()).trajectory_stability(&[]).is_err());
    let nothing = armdyn_core::ModelBuilder::new("nothing").build().unwrap();
    let error =
        StabilityEvaluator::new(&nothing, &support).stability(&BaseMotion::rest(), [&[], &[], &[]]).unwrap_err();
    assert!(error.to_string().contains("no mass"), "{error}");
    let ranges = JointRanges::new(&m, &[(0, -1.0, 1.0), (1, 0.0, 0.0), (2, -0.6, -0.3)]).unwrap();
    let odd = vec![Interval::new(0.0, f64::INFINITY).unwrap(); 3];
    let ranges = StateRanges { positions: ranges, velocities: odd.clone(), accelerations: odd };
    let found = case(&m, &support, BaseMotion::rest()).guaranteed_stability(&ranges, Budget::default());
    assert!(found.unwrap_err().to_string().contains("velocities"));
}

#[test]
fn the_analysis_is_one_serialisable_result() {
    let (m, support) = movable(0.0);
    let load = UnitPayload::point(m.link("rod").unwrap(), Vec3::zero());
    let state = [vec![0.7, 0.1, -0.6], vec![0.0; 3], vec![0.0; 3]];
    let options = TipoverOptions { state, payload: Some(load), ..TipoverOptions::default() };
    let result = analyse_tipover(&m, &support, &options, &Progress::none()).unwrap();
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!(json["load_distribution"], "equilibrium");
    near("load", &[number(&json["contacts"][0]["load"])], &[result.contacts[0].load], 0.0);
    assert!(json["speed_scaling"]["maximum"].is_null() && json["payload"]["maximum"].is_number(), "{json}");
}

#[cfg(feature = "plot")]
#[test]
fn the_top_view_shows_every_wheel() {
    let (m, support) = movable(0.0);
    let state = [vec![0.7, 0.1, -0.6], vec![0.0; 3], vec![0.0; 3]];
    let options = TipoverOptions { state, ..TipoverOptions::default() };
    let plan = armdyn_mobile::plot::top_view(&analyse_tipover(&m, &support, &options, &Progress::none()).unwrap());
    let (svg, text) = (plan.svg(), plan.terminal(80));
    for name in ["castor", "left", "right", "support polygon", "zero-moment point", "centre of mass"] {
        assert!(svg.contains(name) && text.contains(name), "{name}");
    }
}

/// A six-joint arm in motion, over all its configurations, by the bound of vector norms; no state within the ranges is below the
/// bound.
#[test]
fn a_mobile_manipulator_in_motion_is_guaranteed_stable() {
    let (m, support) = robot("ur5e-on-wheels");
    let ranges = JointRanges::new(&m, &[]).unwrap();
    let within = |x: f64| vec![Interval::new(-x, x).unwrap(); 6];
    let base = BaseMotion::planar(&support, [0.1, 0.0, 0.0], [0.1, 0.0, 0.0]);
    let budget = Budget { time: Some(Duration::from_secs(30)), ..Budget::default() };
    let ranges = StateRanges { positions: ranges, velocities: within(0.2), accelerations: within(0.3) };
    let found = case(&m, &support, base).guaranteed_stability(&ranges, budget).unwrap();
    assert_eq!(found.verdict, Verdict::Guaranteed, "{found:?}");
    let mut evaluator = StabilityEvaluator::new(&m, &support);
    for k in 0..2000 {
        let wave = |i: usize, size: f64| size * (1.7 * k as f64 + 2.3 * i as f64).sin().signum();
        let q: Vec<f64> = (0..6).map(|i| 3.1 * (0.37 * k as f64 * (i + 1) as f64).sin()).collect();
        let (qd, qdd): (Vec<f64>, Vec<f64>) = (0..6).map(|i| (wave(i, 0.2), wave(i + 1, 0.3))).unzip();
        let reaction = evaluator.ground_reaction(&base, [&q, &qd, &qdd]).unwrap();
        for (edge, bound) in support.edges().iter().zip(&found.edges) {
            assert!(edge.moment(reaction.normal, reaction.tilting) >= bound.lower_bound, "{reaction:?}");
        }
    }
}

/// A weight that follows a slide five times as far and as fast: the bound counts its acceleration, 5 q̈.
#[test]
fn the_guarantee_counts_joints_that_follow() {
    use armdyn_core::{BASE, Contact, ContactKind, Drive, Joint, Limits, Link, ModelBuilder, Transform, vec3};
    let mut robot = ModelBuilder::new("cart");
    robot.base(Link::new("cart").body(20.0, [0.0, 0.0, 0.1], [0.0; 6]));
    for (name, at) in
        [("a", [0.5, 0.4, 0.0]), ("b", [-0.5, 0.4, 0.0]), ("c", [-0.5, -0.4, 0.0]), ("d", [0.5, -0.4, 0.0])]
    {
        robot.contact(Contact::new(name, ContactKind::Foot, at));
    }
    let weight = |name: &str, mass| Link::new(name).body(mass, [0.0; 3], [0.0; 6]);
    let limits = Limits { lower: -0.05, upper: 0.05, ..Limits::NONE };
    let slide = |name: &str| {
        let up = Transform::from_translation(vec3(0.0, 0.0, 0.5));
        Joint::prismatic(name, [1.0, 0.0, 0.0]).at(up)
    };
    robot.add(BASE, slide("lead").driven_by(Drive::ideal().limits(limits)), weight("small", 1.0));
    robot.add(BASE, slide("follow").mimic("lead", 5.0, 0.02), weight("large", 4.0));
    let m = robot.build().unwrap();
    let support = Support::new(&m).unwrap();
    let within = |x: f64| vec![Interval::new(-x, x).unwrap()];
    let positions = JointRanges::new(&m, &[]).unwrap();
    let ranges = StateRanges { positions, velocities: within(0.5), accelerations: within(2.0) };
    let budget = Budget { time: Some(Duration::from_secs(30)), ..Budget::default() };
    let found = case(&m, &support, BaseMotion::rest()).guaranteed_stability(&ranges, budget).unwrap();
    assert_eq!(found.verdict, Verdict::Guaranteed, "{found:?}");
    let mut evaluator = StabilityEvaluator::new(&m, &support);
    for (q, qdd) in [(-0.05, -2.0), (-0.05, 2.0), (0.05, -2.0), (0.05, 2.0)] {
        let reaction = evaluator.ground_reaction(&BaseMotion::rest(), [&[q], &[0.0], &[qdd]]).unwrap();
        for (edge, bound) in support.edges().iter().zip(&found.edges) {
            let moment = edge.moment(reaction.normal, reaction.tilting);
            assert!(moment >= bound.lower_bound, "{moment} {bound:?}");
        }
        // By hand, about the edge x = 0.5: weights at their distances, and the slides' forces at 0.5 m.
        let weights = 20.0 * G * 0.5 + G * (0.5 - q) + 4.0 * G * (0.5 - 5.0 * q - 0.02);
        let expected = weights + 0.5 * (1.0 + 4.0 * 5.0) * qdd;
        let front = support.edges().iter().map(|e| e.moment(reaction.normal, reaction.tilting));
        assert!(front.into_iter().any(|x| (x - expected).abs() < 1e-9 * expected), "{expected}");
    }
}
