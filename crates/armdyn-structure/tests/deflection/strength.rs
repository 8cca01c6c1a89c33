//! Stress, yield and buckling.

use super::beam_fe::{Bar, buckling};
use super::golden::structure;
use armdyn_core::{Force, Vec3};
use armdyn_structure::{EndConditions, Failure, LoadCase};

/// A square bar 1 m long, 20 mm wide, clamped.
const BAR: &str = "version = 1\nname = \"c\"\ngravity = [0, 0, 0]\n[section.s]\nkind = \"box\"\nwidth = 0.02\nheight = 0.02\n\
                   [[link]]\nname = \"l\"\nmass = 5\ncentre = [0.5, 0, 0]\ninertia = { about = \"centre\", xx = 0.001, yy = 0.5, zz = 0.5 }\n\
                   joint = { name = \"j\", kind = \"revolute\" }\n\
                   beam = { section = \"s\", material = \"steel\", length = 1, end = [1, 0, 0] }\n";

fn pushed(force: [f64; 3], moment: [f64; 3]) -> LoadCase {
    let mut case = LoadCase::at_rest(&[0.0], 1);
    case.tool_wrench = Force::new(Vec3::lift(moment), Vec3::lift(force));
    case
}

/// Columns of several stiffnesses, all end conditions, three modes, with and without shear.
#[test]
fn critical_loads_match_finite_elements() {
    let column = structure(BAR);
    let beam = column.links()[1].beam.as_ref().unwrap();
    let s = beam.stiffness;
    let held = [
        (EndConditions::FixedFree, [[true, true], [false, false]]),
        (EndConditions::Pinned, [[true, false], [true, false]]),
        (EndConditions::FixedPinned, [[true, true], [true, false]]),
        (EndConditions::Fixed, [[true, true], [true, true]]),
    ];
    for (length, factor) in [(1.0, 1.0), (0.37, 3.0), (2.4, 0.2)] {
        let mut beam = beam.clone();
        beam.length = length;
        beam.stiffness.bending = s.bending.map(|x| x * factor);
        let s = beam.stiffness;
        let bar = Bar { ea: s.axial, gj: s.torsion, ei: s.bending, kga: s.shear, mu: 0.0, slice: [0.0; 3] };
        for (ends, held) in held {
            let expected = buckling(&bar, length, 80, held, false);
            for mode in 1..=3 {
                let found = beam.critical_load(ends, mode, false);
                assert!(
                    (found / expected[mode - 1] - 1.0).abs() < 1e-5,
                    "{ends:?} {mode}: {found} {}",
                    expected[mode - 1]
                );
            }
            // Engesser's formula is exact where the shear force of the buckled column follows its slope.
            if matches!(ends, EndConditions::FixedFree | EndConditions::Pinned) {
                let expected = buckling(&bar, length, 80, held, true);
                let found = beam.critical_load(ends, 1, true);
                assert!((found / expected[0] - 1.0).abs() < 1e-5, "{ends:?}: {found} {}", expected[0]);
            }
        }
    }
}

/// σ = 6 M/b³ at the clamp, F/A all along, yield of 235 MPa.
#[test]
fn stress_and_yield_of_a_square_bar() {
    let bar = structure(BAR);
    let found = &bar.strength(&pushed([0.0, 100.0, 0.0], [0.0; 3]), EndConditions::FixedFree, false).unwrap()[0];
    let sigma = 6.0 * 100.0 / 0.02_f64.powi(3);
    assert!((found.stress.unwrap() / sigma - 1.0).abs() < 1e-12 && found.station == 0.0, "{found:?}");
    assert!((found.yield_safety_factor.unwrap() / (235e6 / sigma) - 1.0).abs() < 1e-12);
    assert!(found.buckling_safety_factor.is_infinite() && found.amplification == 1.0);
    // Half of Euler's load doubles the bending.
    let critical = std::f64::consts::PI.powi(2) / 4.0 * 210e9 * 0.02_f64.powi(4) / 12.0;
    let found =
        &bar.strength(&pushed([-critical / 2.0, 10.0, 0.0], [0.0; 3]), EndConditions::FixedFree, false).unwrap()[0];
    // (2k − 1)² times it in mode k.
    for (load, times) in found.critical_loads.iter().zip([1.0, 9.0, 25.0]) {
        assert!((load / (times * critical) - 1.0).abs() < 1e-12, "{found:?}");
    }
    assert!((found.buckling_safety_factor - 2.0).abs() < 1e-9);
    assert!((found.amplification - 2.0).abs() < 1e-9);
    let together = critical / 2.0 / (0.02 * 0.02) / 235e6 + 2.0 * 6.0 * 10.0 / 0.02_f64.powi(3) / 235e6;
    assert!((found.interaction.unwrap() / together - 1.0).abs() < 1e-9);
    // Beyond the critical load no bending is safe.
    let found =
        &bar.strength(&pushed([-2.0 * critical, 10.0, 0.0], [0.0; 3]), EndConditions::FixedFree, false).unwrap()[0];
    assert!(found.amplification.is_infinite() && found.interaction.unwrap().is_infinite());
    assert_eq!(found.failures, [Failure::Buckles]);
    // 300 MPa of bending; 150 MPa doubled by half of Euler's load; 75 MPa.
    for (force, failures) in [
        ([0.0, 400.0, 0.0], &[Failure::Yields, Failure::CompressionAndBending][..]),
        ([-critical / 2.0, 200.0, 0.0], &[Failure::CompressionAndBending]),
        ([0.0, 100.0, 0.0], &[]),
    ] {
        let found = bar.strength(&pushed(force, [0.0; 3]), EndConditions::FixedFree, false).unwrap();
        assert_eq!(found[0].failures, failures, "{force:?}");
    }
}
