//! Ranges, found and guaranteed: Bejczy's arm against extremes found by other means, planar arms against closed forms, bounds
//! against random poses of the core's own recursions.

use armdyn_core::{CrbaData, Interval, Model, Progress, RneaData, crba, rnea};
use armdyn_design::range::{Extremum, RangeOptions, joint_extrema};
use armdyn_numerics::bound::{Budget, maximise, minimise};
use armdyn_numerics::coefficients::{Coefficient, Coefficients};
use armdyn_numerics::objective::{Objective, magnitude};
use armdyn_numerics::search::{SearchOptions, search};
use armdyn_numerics::{JointRanges, Tolerance};
use armdyn_testkit::bundled;
use armdyn_testkit::random;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn golden() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../armdyn-testkit/data/documents/jpl-extremes.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The hardware's box is the bundled robot's limits; the full one has all angles and r3 from 0.
fn jpl_region(m: &Model<f64>, full: bool) -> JointRanges {
    let turn = std::f64::consts::PI;
    let given: Vec<_> = [0, 1, 3, 4, 5].map(|k| (k, -turn, turn)).into_iter().chain([(2, 0.0, 1.1176)]).collect();
    JointRanges::new(m, if full { &given } else { &[] }).unwrap()
}

/// Every extreme of the golden file: to 1e-6 as found, and enclosed with a gap of 0.1 %. The report has some of them wrong, as
/// D22 min 3.589 kg m² (3.5583) and D11 max 6.179 (6.1825).
#[test]
fn the_extremes_of_bejczys_arm() {
    let golden = golden();
    for (case, expected) in golden["extremes"].as_object().unwrap() {
        let m = bundled(if case.starts_with("load") { "jpl-rrp-loaded" } else { "jpl-rrp" });
        let ranges = jpl_region(&m, case.ends_with("full"));
        let all = Coefficients::new(&m).unwrap();
        for (name, value) in expected.as_object().unwrap() {
            let value = value.as_f64().unwrap();
            let joint = name[1..2].parse::<usize>().unwrap() - 1;
            let gravity = name.ends_with("absmax");
            let what = if gravity { Coefficient::Gravity(joint) } else { Coefficient::Inertia(joint, joint) };
            let measure = all.function(what).unwrap().over(&ranges);
            assert!(measure.is_polynomial());
            let tolerance = Tolerance { relative: 1e-3, absolute: 0.0 };
            let (budget, progress) = (Budget::default(), Progress::none());
            let found = if name.ends_with("min") {
                minimise(&measure, &ranges, tolerance, budget, &progress)
            } else {
                maximise(&magnitude(&measure), &ranges, tolerance, budget, &progress)
            };
            // The golden optimiser itself stops at about 1e-10.
            assert!((found.best - value).abs() <= 1e-6 * value, "{case} {name}: {found:?}, not {value}");
            let beyond = if name.ends_with("min") { value - found.bound } else { found.bound - value };
            assert!(
                found.finished && beyond >= -1e-9 * value && found.gap() <= 1.001e-3 * value,
                "{case} {name}: {found:?}"
            );
        }
    }
}

/// Lin's arm of point masses (slides 20–29): M11 = a + 2b cos q2, M12 = c + b cos q2, M22 = c.
#[test]
fn a_planar_arm_by_its_closed_form() {
    let (m1, m2, l1, l2, g) = (2.0, 1.5, 0.6, 0.4, 9.81);
    let (a, b, c) = (m2 * l2 * l2 + (m1 + m2) * l1 * l1, m2 * l1 * l2, m2 * l2 * l2);
    let m = bundled("lin-rr");
    let ranges = JointRanges::new(&m, &[]).unwrap();
    let options = RangeOptions { gap: Some(1e-3), ..RangeOptions::default() };
    let close = |x: f64, y: f64| (x - y).abs() <= 1e-9 * y.abs();
    for options in [options, RangeOptions { gap: None, ..options }] {
        let found = joint_extrema(&m, &ranges, options, &Progress::none()).unwrap();
        assert!(!found.partial);
        let [one, two] = &found.joints[..] else { panic!("two joints") };
        assert!(close(one.inertia.minimum.value, a - 2.0 * b) && close(one.inertia.maximum.value, a + 2.0 * b));
        assert!(close(two.inertia.minimum.value, c) && close(two.inertia.maximum.value, c));
        assert!(close(one.gravity.maximum.value, (m2 * l2 + (m1 + m2) * l1) * g));
        assert!(close(two.gravity.maximum.value, m2 * l2 * g));
        assert!(one.gravity.minimum.value == 0.0 && one.acceleration_margin.is_none() && one.gear_ratio.is_none());
        assert!(close(two.couplings[0].ratio.value, (c + b) / c));
        // The others by a grid of the closed forms, a thousandth of a turn apart.
        let grid = (0..1000).map(|k| (k as f64 * std::f64::consts::TAU / 1000.0).cos());
        let most = |f: &dyn Fn(f64) -> f64| grid.clone().map(f).fold(0.0, f64::max);
        let ratio = most(&|x| (c + b * x).abs() / (a + 2.0 * b * x));
        let correlation = most(&|x| (c + b * x).abs() / ((a + 2.0 * b * x) * c).sqrt());
        let coupling = &one.couplings[0];
        assert!((coupling.ratio.value - ratio).abs() < 1e-4 * ratio, "{coupling:?}, {ratio}");
        assert!((coupling.correlation.value - correlation).abs() < 1e-4 * correlation);
        if options.gap.is_some() {
            let bound = coupling.ratio.bound.unwrap();
            assert!(bound >= ratio && bound <= ratio * 1.0011);
            assert!(
                one.inertia.minimum.bound.unwrap() <= a - 2.0 * b && one.inertia.maximum.bound.unwrap() >= a + 2.0 * b
            );
        } else {
            assert_eq!(coupling.ratio.bound, None);
        }
    }
}

/// The arms of `two-arms` are copies, turned by half a turn about the waist: their couplings are equal. Each extremum holds for
/// either arm alone, with the other one as it is: D of the waist is a sum over the arms.
#[test]
fn couplings_of_a_tree_of_thirteen_joints() {
    let m = bundled("two-arms");
    let ranges = JointRanges::new(&m, &[]).unwrap();
    let found = joint_extrema(&m, &ranges, RangeOptions::default(), &Progress::none()).unwrap();
    let waist = &found.joints[0];
    let all = Coefficients::new(&m).unwrap();
    for k in 0..6 {
        let [left, right] = [&waist.couplings[k], &waist.couplings[6 + k]];
        assert_eq!(left.joint.replace("left", "right"), right.joint);
        for (a, b) in [(&left.ratio, &right.ratio), (&left.correlation, &right.correlation)] {
            assert!((a.value - b.value).abs() < 1e-6 * b.value, "{}: {} {}", left.joint, a.value, b.value);
        }
        for (c, dof) in [(left, 1 + k), (right, 7 + k)] {
            let f = all.function(Coefficient::Coupling(0, dof)).unwrap();
            for arm in [1..7, 7..13] {
                let fixed: Vec<_> =
                    (0..13).filter(|i| !arm.contains(i)).map(|i| (i, c.ratio.at[i], c.ratio.at[i])).collect();
                let alone = JointRanges::new(&m, &fixed).unwrap();
                let options = SearchOptions { points: 2048, climbs: 16, seed: 5 };
                let (most, _) = search(&magnitude(&f), &alone, options);
                assert!(most <= c.ratio.value * (1.0 + 1e-6), "{}: {most}, not {}", c.joint, c.ratio.value);
            }
        }
    }
}

/// What vanishes by structure is 0, found and guaranteed: gravity about a vertical axis, couplings of perpendicular wrist axes.
#[test]
fn structural_zeros_are_zero() {
    for gap in [None, Some(0.05)] {
        let m = bundled("puma560");
        let ranges = JointRanges::new(&m, &[]).unwrap();
        let options = RangeOptions { gap, budget: std::time::Duration::from_secs(20), ..RangeOptions::default() };
        let found = joint_extrema(&m, &ranges, options, &Progress::none()).unwrap();
        let zero = gap.map(|_| 0.0);
        let is_zero = |e: &Extremum| e.value == 0.0 && e.bound == zero && e.gap() == zero && !e.depends.contains(&true);
        let [one, four, five, six] = [0, 3, 4, 5].map(|i| &found.joints[i]);
        assert!(is_zero(&one.gravity.maximum) && is_zero(&one.gravity.minimum), "{:?}", one.gravity);
        assert!(is_zero(&six.gravity.maximum), "{:?}", six.gravity);
        for (joint, other) in [(four, "joint5"), (five, "joint4"), (five, "joint6"), (six, "joint5")] {
            let c = joint.couplings.iter().find(|c| c.joint == other).unwrap();
            assert!(is_zero(&c.ratio) && is_zero(&c.correlation), "{} {c:?}", joint.joint);
        }
        assert!(found.joints[1].gravity.maximum.value > 1.0);
    }
}

/// Siciliano's arm, by the book's eq. 7.82: B11 = 200.01 + 50 cos q2, drives included; between ±60° from 225.01.
#[test]
fn joint_ranges_limit_the_result() {
    let m = bundled("planar-2r");
    let sixty = 60f64.to_radians();
    let ranges = JointRanges::new(&m, &[(1, -sixty, sixty)]).unwrap();
    let found =
        joint_extrema(&m, &ranges, RangeOptions { gap: Some(1e-3), ..RangeOptions::default() }, &Progress::none())
            .unwrap();
    let one = &found.joints[0];
    assert!((one.inertia.minimum.value - 225.01).abs() < 1e-9 && (one.inertia.maximum.value - 250.01).abs() < 1e-9);
    assert!((one.inertia.minimum.at[1].abs() - sixty).abs() < 1e-9 && one.inertia.maximum.at[1].abs() < 1e-4);
    assert!(!one.inertia.maximum.depends[0] && one.inertia.maximum.depends[1]);
    assert_eq!(one.gear_ratio, Some(100.0));
    assert!((one.inertia.maximum_at_motor.unwrap() - 0.025001).abs() < 1e-12);
}

/// Coordinates that a pose leaves open: joint 1 about the vertical of any, the roll of the boom's own axis where nothing
/// beyond it is off that axis. All of them anywhere at once, the core's value is the same.
#[test]
fn free_coordinates_do_not_change_the_value() {
    let m = bundled("jpl-rrp");
    let ranges = JointRanges::new(&m, &[]).unwrap();
    let found = joint_extrema(&m, &ranges, RangeOptions::default(), &Progress::none()).unwrap();
    let (mut source, mut open) = (random::source(9), 0);
    for (i, joint) in found.joints.iter().enumerate() {
        for (e, what) in [
            (&joint.inertia.minimum, Coefficient::Inertia(i, i)),
            (&joint.inertia.maximum, Coefficient::Inertia(i, i)),
            (&joint.gravity.maximum, Coefficient::Gravity(i)),
            (&joint.gravity.minimum, Coefficient::Gravity(i)),
        ] {
            assert!(!e.depends[0], "{what:?} {e:?}");
            open += e.depends.iter().filter(|d| !**d).count();
            for _ in 0..50 {
                let other = ranges.intervals().iter().map(|r| r.mid() + 0.5 * random::number(&mut source, r.width()));
                let q: Vec<f64> =
                    other.zip(e.depends.iter().zip(&e.at)).map(|(x, (own, at))| if *own { *at } else { x }).collect();
                let value = by_the_core(&m, what, &q).abs();
                // Vanishing gravity is accurate to 1e-7 of that of the arm, about 70 N m.
                assert!((value - e.value).abs() <= 2e-7 * (e.value + 70.0), "{what:?}: {value}, not {e:?}");
            }
        }
    }
    // With the wrist straight its first and last roll matter to nothing before them.
    let straight = &found.joints[1].inertia.maximum;
    assert!(open > 24 && !straight.depends[5], "{straight:?}");
}

/// Ended at once there is no bound of a correlation, which is below 1 by itself, that looks like one.
#[test]
fn a_trivial_bound_is_none() {
    let m = bundled("panda");
    let ranges = JointRanges::new(&m, &[]).unwrap();
    let options = RangeOptions { gap: Some(0.01), budget: std::time::Duration::ZERO, ..RangeOptions::default() };
    let found = joint_extrema(&m, &ranges, options, &Progress::none()).unwrap();
    assert!(found.partial);
    let all = found.joints.iter().flat_map(|j| &j.couplings).map(|c| &c.correlation);
    let bounds: Vec<f64> = all.clone().filter_map(|e| e.bound).collect();
    assert!(bounds.iter().all(|b| *b < 1.0), "{bounds:?}");
    assert!(all.clone().any(|e| e.bound.is_none() && e.gap().is_none() && !e.finished));
}

/// Coefficient the core's recursions give, of a measure.
fn by_the_core(m: &Model<f64>, what: Coefficient, q: &[f64]) -> f64 {
    let n = m.nv();
    let (mut mass, mut g) = (vec![0.0; n * n], vec![0.0; n]);
    crba(m, &mut CrbaData::new(m), q, &mut mass).unwrap();
    rnea(m, &mut RneaData::new(m), q, &vec![0.0; n], &vec![0.0; n], &mut g).unwrap();
    let d = |i: usize, j: usize| mass[i * n + j];
    match what {
        Coefficient::Inertia(i, j) => d(i, j),
        Coefficient::Gravity(i) => g[i],
        Coefficient::Coupling(i, j) => d(i, j) / d(i, i),
        Coefficient::Correlation(i, j) => d(i, j) / (d(i, i) * d(j, j)).sqrt(),
        Coefficient::AccelerationMargin { joint, effort, forward } => {
            (effort - if forward { g[joint] } else { -g[joint] }) / d(joint, joint)
        }
    }
}

/// Enclosures, by control points and by intervals through the tape, hold every one of 10⁵ random values; and they are no
/// worse than a few times as wide as these where boxes are small.
#[test]
fn bounds_hold_at_random_poses() {
    let margin = Coefficient::AccelerationMargin { joint: 1, effort: 30.0, forward: true };
    let kinds = [
        Coefficient::Inertia(1, 1),
        Coefficient::Inertia(0, 2),
        Coefficient::Gravity(1),
        Coefficient::Coupling(1, 2),
        margin,
    ];
    let more = [Coefficient::Correlation(2, 1), Coefficient::Gravity(2), Coefficient::Coupling(2, 0)];
    let robots = [bundled("panda"), bundled("jpl-rrp-loaded"), random::arm(3, "RPR"), random::arm(5, "PRRPR")];
    for (k, m) in robots.iter().enumerate() {
        let n = m.nv();
        let given: Vec<_> = (0..n).map(|i| (i, -2.5, 2.0)).collect();
        let ranges = JointRanges::new(m, &given).unwrap();
        let all = Coefficients::new(m).unwrap();
        let mut source = random::source(k as u64);
        for what in kinds.into_iter().chain(more) {
            let plain = all.function(what).unwrap();
            let measures = [plain.clone().over(&ranges), plain];
            assert!(measures[0].is_polynomial() && !measures[1].is_polynomial());
            for trial in 0..8 {
                let half = [1.0, 0.3, 0.05, 0.01][trial % 4];
                let ranges: Vec<Interval> = (0..n)
                    .map(|_| {
                        let middle = random::number(&mut source, 1.5);
                        Interval::new((middle - half).max(-2.5), (middle + half).min(2.0)).unwrap()
                    })
                    .collect();
                let bounds = measures.each_ref().map(|measure| measure.enclose(&ranges).range);
                let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
                for sample in 0..400 {
                    let q: Vec<f64> = ranges
                        .iter()
                        .map(|r| match sample {
                            0 => r.lo(),
                            1 => r.hi(),
                            _ => r.mid() + random::number(&mut source, 0.5) * (r.hi() - r.lo()),
                        })
                        .map(|x| x.clamp(-2.5, 2.0))
                        .collect();
                    let value = by_the_core(m, what, &q);
                    (low, high) = (low.min(value), high.max(value));
                    // The core's own rounding, beside numbers of this size.
                    let slack = 1e-12 * (1.0 + value.abs());
                    for range in bounds {
                        assert!(
                            range.lo() - slack <= value && value <= range.hi() + slack,
                            "{what:?} {value} {range:?}"
                        );
                    }
                    assert!((measures[0].value(&q) - value).abs() < 1e-10 * (1.0 + value.abs()));
                }
                if half < 0.02 && !matches!(what, Coefficient::Correlation(..)) {
                    let width = bounds[0].hi() - bounds[0].lo();
                    assert!(width <= 3.0 * (high - low) + 1e-9, "{what:?}: {width} for {}", high - low);
                }
            }
        }
    }
}

/// Gravity is at most that of its worst direction.
#[test]
fn gravity_magnitude_bounds_gravity() {
    let m = bundled("panda");
    let ranges = JointRanges::new(&m, &[]).unwrap();
    let all = Coefficients::new(&m).unwrap();
    let mut source = random::source(4);
    let mut nearest = [0.0f64; 7];
    assert!(all.gravity_magnitude(0, &ranges).unwrap().is_none(), "nothing turns joint 1");
    for i in 1..7 {
        let weight = all.gravity_magnitude(i, &ranges).unwrap().unwrap();
        for _ in 0..500 {
            let q = random::numbers(&mut source, 7, 3.0);
            let (g, most) = (by_the_core(&m, Coefficient::Gravity(i), &q).abs(), 9.81 * weight.value(&q));
            assert!(g <= most * (1.0 + 1e-9), "{i}: {g} {most}");
            nearest[i] = nearest[i].max(g / most);
        }
    }
    // And all come close to it.
    assert!(nearest[1..].iter().all(|x| *x > 0.9), "{nearest:?}");
}

/// The same on any number of threads; and the gradient that climbs is that of the value.
#[test]
fn the_same_on_any_number_of_threads() {
    let m = bundled("puma560");
    let ranges = JointRanges::new(&m, &[]).unwrap();
    let measure = Coefficients::new(&m).unwrap().function(Coefficient::Coupling(1, 2)).unwrap().over(&ranges);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let tolerance = Tolerance { relative: 0.01, absolute: 0.0 };
        pool.install(|| maximise(&measure, &ranges, tolerance, Budget::default(), &Progress::none()))
    };
    assert_eq!(run(1), run(3));
    let mut source = random::source(1);
    for _ in 0..20 {
        let q = random::numbers(&mut source, 6, 2.0);
        let (_, slopes) = measure.gradient(&q);
        for k in 0..6 {
            let moved =
                |h: f64| measure.value(&(0..6).map(|i| q[i] + if i == k { h } else { 0.0 }).collect::<Vec<_>>());
            let difference = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!((slopes[k] - difference).abs() < 1e-8, "{k}: {} {difference}", slopes[k]);
        }
    }
}

/// A range of two turns holds no more than one of one, and costs no more to prove: the same extremes, over every pose.
#[test]
fn one_turn_is_enough() {
    let m = bundled("ur5e");
    let all = Coefficients::new(&m).unwrap();
    let turn = std::f64::consts::PI;
    let (wide, once) = (JointRanges::new(&m, &[]).unwrap(), [3, 4, 5].map(|k| (k, -turn, turn)));
    assert!(wide.intervals()[4].width() > 12.0);
    let once = JointRanges::new(&m, &once).unwrap();
    let tolerance = Tolerance { relative: 1e-3, absolute: 0.0 };
    let [two, one] = [&wide, &once].map(|ranges| {
        let measure = all.function(Coefficient::Inertia(2, 2)).unwrap().over(ranges);
        maximise(&measure, ranges, tolerance, Budget::default(), &Progress::none())
    });
    assert!(two.finished && (two.best - one.best).abs() < 1e-9 * one.best, "{two:?} {one:?}");
    assert!(two.boxes < 2 * one.boxes, "{} {}", two.boxes, one.boxes);
    let mut source = random::source(12);
    for _ in 0..5000 {
        let value = by_the_core(&m, Coefficient::Inertia(2, 2), &random::numbers(&mut source, 6, 2.0 * turn));
        assert!(value <= two.bound * (1.0 + 1e-12) && value <= one.bound * (1.0 + 1e-12), "{value} {two:?} {one:?}");
    }
}

/// Results cancelled at once are still bounds; a search alone is no less than a grid.
#[test]
fn cancelled_results_are_still_bounds() {
    let m = bundled("puma560");
    let ranges = JointRanges::new(&m, &[]).unwrap();
    let measure = Coefficients::new(&m).unwrap().function(Coefficient::Inertia(0, 0)).unwrap().over(&ranges);
    let stop = AtomicBool::new(true);
    let progress = Progress { callback: &|_, _| {}, cancel: &stop };
    let tolerance = Tolerance { relative: 1e-3, absolute: 0.0 };
    let stopped = maximise(&measure, &ranges, tolerance, Budget::default(), &progress);
    assert!(!stopped.finished && stopped.bound >= stopped.best);
    let few = Budget { boxes: 300, ..Budget::default() };
    let some = maximise(&measure, &ranges, tolerance, few, &Progress::none());
    assert!(!some.finished && some.bound.is_finite() && some.bound >= some.best);
    let (found, _) = search(&measure, &ranges, SearchOptions::default());
    let mut grid = 0.0f64;
    for k in 0..8 * 8 * 8 * 8 {
        let place = |axis: usize, step: usize| {
            let r = ranges.intervals()[axis];
            r.lo() + (r.hi() - r.lo()) * (step as f64 / 7.0)
        };
        let q = [0.0, place(1, k % 8), place(2, k / 8 % 8), place(3, k / 64 % 8), place(4, k / 512), 0.3];
        grid = grid.max(by_the_core(&m, Coefficient::Inertia(0, 0), &q));
    }
    assert!(found >= grid * (1.0 - 1e-12) && some.bound >= grid);
}
