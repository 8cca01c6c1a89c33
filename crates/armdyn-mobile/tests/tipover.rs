//! Tip-over against Lau's chapter 6 as corrected (golden numbers from particles, made without armdyn), against statics by hand
//! and against its own promises. The thesis's own numbers stand beside as errata.

use armdyn_core::{ContactFriction, Inertia, Interval, Model, Progress, UnitPayload, Vec3};
use armdyn_import::library::bundled;
use armdyn_mobile::tipover::{
    BaseMotion, Shares, Stand, Standing, Support, Verdict, along, never_tips, reach_map, reach_picture, safe_masses,
    safe_pace, safe_reach, top_view,
};
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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../armdyn-testkit/data/seeds/lau-renaud-lin-morris.json");
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

fn stand(m: &Model<f64>, support: &Support, base: &BaseMotion, state: [&[f64]; 3]) -> Standing {
    Stand::new(m, support).standing(base, state).unwrap()
}

fn still(m: &Model<f64>, support: &Support, q: &[f64]) -> Standing {
    let zero = vec![0.0; m.nv()];
    stand(m, support, &BaseMotion::rest(), [q, &zero, &zero])
}

#[test]
fn all_instants_of_the_rolling_base() {
    let g = golden();
    for at in g["instants"].as_array().unwrap() {
        let (m, support) = movable(number(&at["cr"]));
        let [v, w, vdot, wdot] = ["V", "w", "Vdot", "wdot"].map(|k| number(&at[k]));
        let base = BaseMotion::along(&support, [v, 0.0, w], [vdot, 0.0, wdot]);
        let (q, qd, qdd) = (flipped(&at["q"]), flipped(&at["qd"]), flipped(&at["qdd"]));
        let mut workspace = Stand::new(&m, &support);
        let found = workspace.standing(&base, [&q, &qd, &qdd]).unwrap();
        let loads = ["N1", "N2", "N3"].map(|k| number(&at[k]));
        near("N", &found.loads, &loads, GOLDEN);
        assert_eq!(found.shares, Shares::Exact);
        near("zmp", &found.zmp.unwrap(), &numbers(&at["zmp"]), GOLDEN);
        near("h", &found.centre, &numbers(&at["h"]), GOLDEN);
        // The base rolls by itself as the golden V', w' say: the wheels hold all else.
        let grip = workspace.grip(&found, &base).unwrap();
        assert!(grip.unheld.iter().all(|f| f.abs() < 1e-9 * found.demand.normal), "{grip:?}");
        assert!(grip.unheld_turn.abs() < 1e-9 * found.demand.normal && grip.holds_all(&found, support.size()));
        near("f", &[grip.held.iter().map(|h| h.force[1]).sum()], &[number(&at["f"])], GOLDEN);
        near("μ", &[grip.needed, grip.least], &[number(&at["mu_required"]); 2], GOLDEN);
        assert!((grip.held[1].margin.unwrap() * grip.needed - 0.6).abs() < 1e-12 && grip.held[0].needed.is_none());
        // Erratum: 6-37 gives about twice the castor's load.
        let thesis = number(&at["literal_thesis"]["N1"]);
        assert!((thesis - found.loads[0]).abs() > 0.9 * found.loads[0], "{thesis} N");
    }
}

#[test]
fn loads_at_rest_and_what_the_thesis_has() {
    let g = golden();
    let (m, support) = movable(0.0);
    let found = still(&m, &support, &flipped(&g["static"]["q"]));
    let loads = ["N1", "N2", "N3"].map(|k| number(&g["static"][k]));
    near("N", &found.loads, &loads, GOLDEN);
    assert!(found.stands());
    // Erratum: the thesis's N1.
    assert!((number(&g["static"]["thesis_N1"]) - 259.25).abs() < 0.01 && (found.loads[0] - 123.338).abs() < 1e-3);
}

#[test]
fn it_tips_beyond_a_reach_of_0_532778_and_0_833333_metres() {
    let g = &golden()["tipover_static"];
    let (m, support) = movable(0.0);
    let m = carrying(&m, number(&g["payload"]));
    for (way, over) in [("lateral", "castor – left"), ("rear", "left – right")] {
        let pose = |d: f64| vec![number(&g[way]["theta1"]), number(&g[way]["theta2"]), -d];
        let found = safe_reach(&m, &support, &BaseMotion::rest(), &pose(0.4), &pose(1.0)).unwrap();
        near(way, &[0.4 + 0.6 * found.share], &[number(&g[way]["d_star"])], GOLDEN);
        assert_eq!(support.edge_name(found.edge.unwrap()), over);
        assert_eq!(safe_reach(&m, &support, &BaseMotion::rest(), &pose(0.4), &pose(0.5)).unwrap().share, 1.0);
    }
    // Erratum: within the rectangle |h_y| < d, h_x < s of 6-38, 6-44, 6-45, and yet it tips.
    let case = &g["counterexample_to_6_38_6_44_6_45"];
    let found = still(&m, &support, &[-FRAC_PI_2, 0.0, -number(&case["d"])]);
    near("N", &found.loads, &numbers(&case["N"]), GOLDEN);
    near("h", &found.centre, &numbers(&case["h"]), GOLDEN);
    assert!(!found.stands() && found.centre[1].abs() < 0.25 && found.centre[0] < 0.6);
    let weakest = &found.margins[found.weakest()];
    assert!(weakest.moment < 0.0 && weakest.force_angle.angle < 0.0 && weakest.force_angle.measure < 0.0);
}

#[test]
fn it_tips_as_the_arm_accelerates() {
    let g = golden();
    let (m, support) = movable(0.0);
    let m = carrying(&m, 12.0);
    for case in g["tipover_dynamic"].as_array().unwrap() {
        let base = BaseMotion::along(&support, [0.0; 3], [number(&case["Vdot"]), 0.0, number(&case["wdot"])]);
        let (q, qdd) = (flipped(&case["q"]), flipped(&case["qdd"]));
        let found = stand(&m, &support, &base, [&q, &[0.0; 3], &qdd]);
        near("N", &found.loads, &numbers(&case["N"]), GOLDEN);
        assert_eq!(!found.stands(), case["tipped"].as_bool().unwrap());
        let grip = Stand::new(&m, &support).grip(&found, &base).unwrap();
        if found.stands() {
            near("f", &[grip.held.iter().map(|h| h.force[1]).sum::<f64>() + 1.0], &[number(&case["f"]) + 1.0], GOLDEN);
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
    let moving = |case: &Value, ay: f64| {
        let base = BaseMotion::along(&support, velocity, [number(&case["Vdot"]), ay, number(&case["wdot"])]);
        let found = stand(&m, &support, &base, [&q, &qd, &qdd]);
        let grip = Stand::new(&m, &support).grip(&found, &base).unwrap();
        (found, grip)
    };
    let (found, grip) = moving(&slip["stick"], 0.0);
    near("f", &[grip.held.iter().map(|h| h.force[1]).sum()], &[number(&slip["stick"]["f"])], GOLDEN);
    near("μ", &[grip.needed], &[number(&slip["stick"]["mu_required"])], GOLDEN);
    // Both wheels slip, and lack what is above μ N.
    for k in [1, 2] {
        let held = &grip.held[k];
        assert!(held.margin.unwrap() < 1.0);
        near("lacking", &[held.lacking.unwrap()], &[(grip.needed - mu) * found.loads[k]], 1e-9);
    }
    let (found, grip) = moving(&slip["slip"], number(&slip["slip"]["ay"]));
    near("N", &found.loads, &["N1", "N2", "N3"].map(|k| number(&slip["slip"][k])), GOLDEN);
    near("μ", &[grip.needed], &[mu], GOLDEN);
}

#[test]
fn a_coefficient_that_a_result_needs_is_asked_for_by_name() {
    let m = bundled("lau-movable").unwrap().load().model().unwrap().unwrap();
    let mut contacts = m.contacts().to_vec();
    contacts[0].friction.rolling_resistance = None;
    contacts[2].friction.static_friction = None;
    let support = Support::from_contacts(&contacts, -m.gravity()).unwrap();
    let q = [0.7, 0.1, -0.6];
    let at_rest = BaseMotion::rest();
    let found = still(&m, &support, &q);
    let grip = Stand::new(&m, &support).grip(&found, &at_rest).unwrap();
    assert!(grip.rolling_at_rest.is_none() && grip.held[2].margin.is_none());
    let rolling = BaseMotion::along(&support, [0.3, 0.0, 0.0], [0.0; 3]);
    let told = Stand::new(&m, &support).grip(&found, &rolling).unwrap_err().to_string();
    assert!(told.contains("`castor`") && told.contains("rolling"), "{told}");
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
        let found = still(&tilted, &support, &q);
        let expected = [h[0] - h[2] * angle.tan() * heading.cos(), h[1] - h[2] * angle.tan() * heading.sin()];
        near("zmp", &found.zmp.unwrap(), &expected, 1e-12);
        near("N", &[found.loads.iter().sum()], &[39.0 * G * angle.cos()], 1e-12);
        // Downhill nobody holds what pulls along the fixed wheels' way.
        let grip = Stand::new(&tilted, &support).grip(&found, &BaseMotion::rest()).unwrap();
        near("unheld", &[grip.unheld[0] + 1e3], &[39.0 * G * angle.sin() * heading.cos() + 1e3], 1e-12);
    }
}

#[test]
fn the_largest_payload_and_the_safe_pace_are_those_of_the_golden_cases() {
    let g = golden();
    let (m, support) = movable(0.0);
    let d_star = number(&g["tipover_static"]["lateral"]["d_star"]);
    let (q, zero) = ([-FRAC_PI_2, 0.0, -d_star], [0.0; 3]);
    let load = UnitPayload::point(m.link("rod").unwrap(), Vec3::zero());
    let nobody = Progress::none();
    let masses = safe_masses(&m, &support, &BaseMotion::rest(), &[[&q, &zero, &zero]], &load, &nobody).unwrap();
    near("payload", &[masses.most], &[12.0], GOLDEN);
    assert_eq!((masses.least, masses.by.map(|b| support.edge_name(b.1))), (0.0, Some("castor – left".to_string())));
    // N3 = a + s² b through the two golden cases with θ̈₂ = ±8, of a robot that does not stand at rest.
    let m = carrying(&m, 12.0);
    let n3 = |k: usize| numbers(&g["tipover_dynamic"][k]["N"])[2];
    let (a, b) = ((n3(0) + n3(1)) / 2.0, (n3(1) - n3(0)) / 2.0);
    let (q, qdd) = ([-FRAC_PI_2, 0.0, -0.6], [0.0, -8.0, 0.0]);
    let states = [[&q[..], &zero[..], &qdd[..]]];
    let pace = safe_pace(&m, &support, &BaseMotion::rest(), &states, &nobody).unwrap();
    near("slowest", &[pace.slowest], &[(-a / b).sqrt()], GOLDEN);
    let refused = along(&m, &support, &BaseMotion::rest(), &states, &nobody).unwrap_err().to_string();
    assert!(refused.contains("from the start") && refused.contains("castor – left"), "{refused}");
    let back = [[&q[..], &zero[..], &[0.0, 8.0, 0.0][..]]];
    let none = safe_pace(&m, &support, &BaseMotion::rest(), &back, &nobody).unwrap();
    assert!(none.fastest < none.slowest);
}

/// At the fastest safe pace the worst state is on an edge, and at any slower one none is.
#[test]
fn a_motion_at_its_fastest_safe_pace_is_on_the_edge() {
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
    let base = BaseMotion::along(&support, [0.2, 0.0, 0.1], [0.05, 0.0, -0.02]);
    let nobody = Progress::none();
    let pace = safe_pace(&m, &support, &base, &states, &nobody).unwrap();
    assert!(pace.slowest == 0.0 && pace.fastest > 1.0, "{pace:?}");
    for (share, stands) in [(1.0 - 1e-9, true), (1.0 + 1e-9, false)] {
        let s = pace.fastest * share;
        let scaled: Vec<(Vec<f64>, Vec<f64>)> = made
            .iter()
            .map(|(_, qd, qdd)| (qd.iter().map(|x| s * x).collect(), qdd.iter().map(|x| s * s * x).collect()))
            .collect();
        let fast: Vec<[&[f64]; 3]> =
            states.iter().zip(&scaled).map(|(state, (qd, qdd))| [state[0], &qd[..], &qdd[..]]).collect();
        let found = along(&m, &support, &base.faster(s), &fast, &nobody).unwrap();
        assert_eq!(found.distance[found.worst] >= 0.0, stands, "{}", found.distance[found.worst]);
        assert!(found.distance[found.worst].abs() < 1e-7);
        assert_eq!((found.looked_at, found.worst), (300, pace.by.unwrap().0));
    }
}

/// Four wheels: loads push, are in equilibrium with the weight, and the zero-moment point is below the centre of mass.
#[test]
fn a_mobile_manipulator_stands_on_four_wheels() {
    let (m, support) = robot("ur5e-on-wheels");
    assert_eq!(support.edges().len(), 4);
    for q in [[0.0; 6], [0.4, -1.2, 1.0, 0.3, 0.8, 0.0], [2.0, -0.3, 0.2, 0.0, 0.0, 0.0]] {
        let found = still(&m, &support, &q);
        assert!(found.stands() && found.loads.iter().all(|n| *n >= 0.0), "{found:?}");
        assert_eq!(found.shares, Shares::LeastNorm);
        let weight: f64 = found.loads.iter().sum();
        near("weight", &[weight], &[found.mass * G], 1e-12);
        for k in 0..2 {
            let moment: f64 = found.loads.iter().zip(support.points()).map(|(n, p)| n * p[k]).sum();
            assert!((moment / weight - found.centre[k]).abs() < 1e-12);
            assert!((found.zmp.unwrap()[k] - found.centre[k]).abs() < 1e-12);
        }
        // Driven wheels hold a push along the ground and a turn, with equal shares of the friction for a push alone.
        let base = BaseMotion::along(&support, [0.0; 3], [0.5, 0.2, 0.0]);
        let pushed = stand(&m, &support, &base, [&q, &[0.0; 6], &[0.0; 6]]);
        let grip = Stand::new(&m, &support).grip(&pushed, &base).unwrap();
        assert!(grip.holds_all(&pushed, support.size()) && grip.needed >= grip.least * (1.0 - 1e-12));
        near("push", &[grip.least], &[0.5f64.hypot(0.2) / G], 1e-12);
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
fn the_map_of_reach_is_that_of_statics() {
    assert!(
        (critical(-FRAC_PI_2) - 0.532_777_777_777_8).abs() < 1e-12
            && (critical(0.0) - 0.833_333_333_333_3).abs() < 1e-12
    );
    let (m, support) = movable(0.0);
    let m = carrying(&m, 12.0);
    let region = JointRanges::new(&m, &[(0, -PI, PI), (1, 0.0, 0.0), (2, -0.8, -0.3)]).unwrap();
    let tool = (m.link("rod").unwrap(), Vec3::zero());
    let map = reach_map(&m, &support, tool, &region, (40_000, 1, 36, 40), &Progress::none()).unwrap();
    assert_eq!((map.directions.len(), map.poses.0), (36, 40_000));
    // The nearest place that tips in each direction, by a fine grid of θ₁.
    let middle = support.middle();
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
    let picture = reach_picture(&map, &support, "reach");
    assert!(picture.svg().contains("safe in every pose") && picture.terminal(80).contains("tipping"));
}

#[test]
fn never_tips_is_proven_refuted_or_left_open() {
    let (m, support) = movable(0.0);
    let m = carrying(&m, 12.0);
    let least = (0..100_000).map(|k| critical(TAU * k as f64 / 1e5)).fold(f64::INFINITY, f64::min);
    let zero = vec![Interval::point(0.0); 3];
    let asked = |far: f64, speeds: &[Interval], accelerations: &[Interval], budget: Budget| {
        let region = JointRanges::new(&m, &[(0, -PI, PI), (1, 0.0, 0.0), (2, -far, -0.3)]).unwrap();
        let at_rest = BaseMotion::rest();
        never_tips(&m, &support, &at_rest, &region, speeds, accelerations, budget, &Progress::none()).unwrap()
    };
    let minute = Budget { time: Some(Duration::from_secs(60)), ..Budget::default() };
    let proven = asked(least - 1e-3, &zero, &zero, minute);
    assert_eq!(proven.verdict, Verdict::Proven);
    assert!(proven.edges.iter().all(|b| b.bound >= 0.0 && b.bound <= b.best));
    let tips = asked(least + 1e-3, &zero, &zero, minute);
    assert_eq!(tips.verdict, Verdict::Tips);
    let at = &tips.edges[tips.weakest()].at;
    assert!(!still(&m, &support, &at[..3]).stands());
    // With motion: a wide margin is proven, a narrow one refuted by a state that tips.
    let within = |x: f64| vec![Interval::new(-x, x).unwrap(); 3];
    let slow = asked(0.4, &within(0.2), &within(0.3), minute);
    assert_eq!(slow.verdict, Verdict::Proven, "{slow:?}");
    let fast = asked(least - 1e-3, &within(0.5), &within(2.0), minute);
    assert_eq!(fast.verdict, Verdict::Tips);
    let at = &fast.edges[fast.weakest()].at;
    assert!(!stand(&m, &support, &BaseMotion::rest(), [&at[..3], &at[3..6], &at[6..]]).stands());
    let open = asked(least - 1e-3, &zero, &zero, Budget { boxes: 1, ..minute });
    assert_eq!(open.verdict, Verdict::Undecided);
}

#[test]
fn what_is_not_finite_or_does_not_fit_is_refused() {
    let (m, support) = movable(0.0);
    let zero = [0.0; 3];
    let mut stand = Stand::new(&m, &support);
    assert!(stand.standing(&BaseMotion::rest(), [&[0.0, f64::NAN, 0.0], &zero, &zero]).is_err());
    assert!(stand.standing(&BaseMotion::rest(), [&[0.0, 0.0], &zero, &zero]).is_err());
    let odd = BaseMotion::along(&support, [f64::NAN, 0.0, 0.0], [0.0; 3]);
    assert!(stand.standing(&odd, [&[0.0, 0.0, -0.6], &zero, &zero]).is_err());
    assert!(along(&m, &support, &BaseMotion::rest(), &[], &Progress::none()).is_err());
    let nothing = armdyn_core::ModelBuilder::new("nothing").build().unwrap();
    let told = Stand::new(&nothing, &support).standing(&BaseMotion::rest(), [&[], &[], &[]]).unwrap_err().to_string();
    assert!(told.contains("no mass"), "{told}");
    let region = JointRanges::new(&m, &[(0, -1.0, 1.0), (1, 0.0, 0.0), (2, -0.6, -0.3)]).unwrap();
    let odd = [Interval::new(0.0, f64::INFINITY).unwrap(); 3];
    let at_rest = BaseMotion::rest();
    let found = never_tips(&m, &support, &at_rest, &region, &odd, &odd, Budget::default(), &Progress::none());
    assert!(found.unwrap_err().to_string().contains("speeds"));
}

#[test]
fn the_top_view_shows_every_wheel() {
    let (m, support) = movable(0.0);
    let found = still(&m, &support, &[0.7, 0.1, -0.6]);
    let centre = [found.centre[0], found.centre[1]];
    let plan = top_view(&support, "Lau", &[[0.1, 0.0], [0.2, 0.05], [0.3, 0.0]], Some([0.3, 0.0]), centre);
    let (svg, text) = (plan.svg(), plan.terminal(80));
    for name in ["castor", "left", "right", "support polygon", "zero-moment point", "where it is worst"] {
        assert!(svg.contains(name) && text.contains(name), "{name}");
    }
}

/// A six-joint arm in motion: over all its poses, by the sizes of all vectors; and a state of the box is no worse than the bound.
#[test]
fn a_mobile_manipulator_in_motion_never_tips() {
    let (m, support) = robot("ur5e-on-wheels");
    let region = JointRanges::new(&m, &[]).unwrap();
    let within = |x: f64| vec![Interval::new(-x, x).unwrap(); 6];
    let base = BaseMotion::along(&support, [0.1, 0.0, 0.0], [0.1, 0.0, 0.0]);
    let budget = Budget { time: Some(Duration::from_secs(30)), ..Budget::default() };
    let found =
        never_tips(&m, &support, &base, &region, &within(0.2), &within(0.3), budget, &Progress::none()).unwrap();
    assert_eq!(found.verdict, Verdict::Proven, "{found:?}");
    let mut moments = vec![0.0; 4];
    let mut stand = Stand::new(&m, &support);
    for k in 0..2000 {
        let wave = |i: usize, size: f64| size * (1.7 * k as f64 + 2.3 * i as f64).sin().signum();
        let q: Vec<f64> = (0..6).map(|i| 3.1 * (0.37 * k as f64 * (i + 1) as f64).sin()).collect();
        let (qd, qdd): (Vec<f64>, Vec<f64>) = (0..6).map(|i| (wave(i, 0.2), wave(i + 1, 0.3))).unzip();
        stand.moments(&base, [&q, &qd, &qdd], &mut moments).unwrap();
        assert!(moments.iter().zip(&found.edges).all(|(m, b)| *m >= b.bound), "{moments:?}");
    }
}
