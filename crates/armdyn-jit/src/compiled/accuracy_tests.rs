//! Batches of every quantity against the core's recursion, and single calls against batches, for each set of wide instructions that
//! this machine has; single calls by the recursion against the core, within the same bounds.

use super::batch_tests::{batch, compile, equals_calls, on_all, rows, states};
use super::tests::singles;
use super::*;
use armdyn_symbolic::Recursion;
use armdyn_testkit::random::{self, Description, Drives, Joints};
use armdyn_testkit::{bundled, peers};

/// Maximum error in `f64` and `f32`, relative to the largest number of the row.
const TOLERANCES: [f64; 2] = [1e-12, 1e-4];

/// Maximum error of what inverts M, relative to its bound by the condition of M ([`Scale`]).
const INVERTED: [f64; 2] = [1e-13, 1e-5];

/// What errors are relative to.
struct Scale<'a> {
    model: &'a Model<f64>,
    quantity: Quantity,
    mass: Recursion<f64>,
    inverse_mass: Recursion<f64>,
    bias: Recursion<f64>,
    derivatives: Recursion<f64>,
}

/// The largest number.
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |s: f64, x| s.max(x.abs()))
}

/// The largest sum of a row's magnitudes.
fn norm(matrix: &[f64], n: usize) -> f64 {
    matrix.chunks(n).map(|row| row.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max)
}

impl<'a> Scale<'a> {
    fn new(model: &'a Model<f64>, quantity: Quantity) -> Self {
        let of = |quantity| Recursion::new(model, quantity);
        Scale {
            model,
            quantity,
            mass: of(Quantity::Mass),
            inverse_mass: of(Quantity::InverseMass),
            bias: of(Quantity::Inverse),
            derivatives: of(Quantity::Derivatives),
        }
    }

    /// Rounding errors u of M, τ and b = C q̇ + g are those of another system, whose solution differs (Higham 2002, chapter 7) by
    ///
    ///   |δM⁻¹| ≤ u |M⁻¹| |M| |M⁻¹|                                   (1)
    ///   |δq̈| ≤ u |M⁻¹| (|M| |q̈| + |τ| + |b|)                          (2)
    ///
    /// in the norms of the largest row, and for D = −M⁻¹ T, with T = ∂τ/∂(q, q̇) at q̈, which is linear in q̈ with coefficients as large
    /// as those of M, times |q̈| for ∂τ/∂q̇ = ∂(C q̇)/∂q̇,
    ///
    ///   |δD| ≤ u |M⁻¹| (|M| |D| + |T|) + |M⁻¹| |M| |δq̈|.               (3)
    ///
    /// Everything else is relative to its largest number, but for C q̇ where it almost vanishes: it is a sum of terms as large as
    /// |M| |q̇|², of which a thousandth counts.
    fn of(&mut self, [q, qd, last]: [&[f64]; 3], row: &[f64]) -> f64 {
        let inverts = matches!(self.quantity, Quantity::InverseMass | Quantity::Forward | Quantity::ForwardDerivatives);
        if !inverts && self.quantity != Quantity::Coriolis {
            return largest(row);
        }
        let n = self.model.nv();
        let value = |recursion: &mut Recursion<f64>, inputs: [&[f64]; 3]| {
            let mut out = vec![0.0; recursion.outputs()];
            recursion.compute(inputs, &mut out).unwrap();
            out
        };
        let mass = norm(&value(&mut self.mass, [q, &[], &[]]), n);
        if self.quantity == Quantity::Coriolis {
            return largest(row).max(1e-3 * mass * largest(qd).powi(2));
        }
        let inverse = norm(&value(&mut self.inverse_mass, [q, &[], &[]]), n);
        if self.quantity == Quantity::InverseMass {
            return inverse * mass * inverse;
        }
        let bias = largest(&value(&mut self.bias, [q, qd, &vec![0.0; n]]));
        let mut qdd = vec![0.0; n];
        Recursion::new(self.model, Quantity::Forward).compute([q, qd, last], &mut qdd).unwrap();
        let acceleration = inverse * (mass * largest(&qdd) + largest(last) + bias);
        if self.quantity == Quantity::Forward {
            return acceleration;
        }
        let slopes = norm(&value(&mut self.derivatives, [q, qd, &qdd]), n);
        inverse * (mass * norm(row, n) + slopes) + inverse * mass * acceleration
    }
}

/// All quantities.
fn compare(m: &Model<f64>, angle: f64, counts: &[usize]) {
    compare_quantities(m, &Quantity::ALL, angle, counts);
}

/// Quantities at random states, revolute joints within ± `angle` if it is positive, against the recursion and single calls.
fn compare_quantities(m: &Model<f64>, quantities: &[Quantity], angle: f64, counts: &[usize]) {
    let mut worst = [0.0; 2];
    for &quantity in quantities {
        let compiled = compile(m, quantity);
        let (mut recursion, mut scale) = (Recursion::new(m, quantity), Scale::new(m, quantity));
        let inverts = matches!(quantity, Quantity::InverseMass | Quantity::Forward | Quantity::ForwardDerivatives);
        let mut right = vec![0.0; compiled.outputs()];
        let mut check = |k: usize, inputs: [&[f64]; 3], found: &[f64], lanes: usize| {
            recursion.compute(inputs, &mut right).unwrap();
            let error = found.iter().zip(&right).fold(0.0, |e: f64, (a, b)| e.max((a - b).abs()));
            let allowed = scale.of(inputs, &right) * if inverts { INVERTED[k] } else { TOLERANCES[k] };
            let name = m.name();
            assert!(
                error <= allowed,
                "{quantity} of {name}, {lanes} lanes: {error:e} > {allowed:e}, {found:?} {right:?}"
            );
            if error > 0.0 {
                worst[k] = f64::max(worst[k], error / allowed);
            }
        };
        for &count in counts {
            let arrays = states(m, quantity, count, angle);
            for native in on_all::<f64>(&compiled) {
                let all = batch(&native, count, &arrays).unwrap();
                for (i, found) in all.chunks(native.outputs()).enumerate() {
                    check(0, rows(&arrays, count, i), found, native.lanes());
                }
                equals_calls(&native, count, &arrays, &all);
            }
            if compiled.call_backend() == Backend::Recursion {
                let mut found = vec![0.0; compiled.outputs()];
                for i in 0..count {
                    let [q, qd, last] = rows(&arrays, count, i);
                    compiled.call(q, qd, last, &mut found).unwrap();
                    check(0, [q, qd, last], &found, 1);
                }
            }
            // The state that `f32` represents.
            let rounded = arrays.each_ref().map(|x| singles(x));
            let exact = rounded.each_ref().map(|x| x.iter().map(|&x| x.into()).collect::<Vec<f64>>());
            for native in on_all::<f32>(&compiled) {
                let all = batch(&native, count, &rounded).unwrap();
                for (i, found) in all.chunks(native.outputs()).enumerate() {
                    let found: Vec<f64> = found.iter().map(|&x| x.into()).collect();
                    check(1, rows(&exact, count, i), &found, native.lanes());
                }
                equals_calls(&native, count, &rounded, &all);
            }
        }
    }
    println!("{}, ± {angle} rad: {:.1e} and {:.1e} of the tolerances", m.name(), worst[0], worst[1]);
}

#[test]
fn bundled_robots() {
    for name in ["panda", "ur5e", "scara"] {
        compare(&bundled(name), 0.0, &[1, 8, 39]);
    }
}

#[test]
fn a_humanoid_with_a_floating_base() {
    let quantities = [Quantity::Inverse, Quantity::Forward, Quantity::Jacobian];
    compare_quantities(&peers::robot("talos_ff"), &quantities, 0.0, &[9]);
}

#[test]
#[ignore = "a minute of compilation; run it with `cargo nextest run -p armdyn-jit --run-ignored all`"]
fn every_quantity_of_a_humanoid() {
    compare(&peers::robot("talos_ff"), 0.0, &[9]);
}

/// Chains and trees with every joint and drive, friction and its signs included.
#[test]
fn random_robots() {
    for seed in 0..6 {
        let joints = [Joints::All, Joints::SingleAxis, Joints::Mixed][seed as usize % 3];
        compare(&Description::random(seed, 4, joints, seed % 2 == 0, Drives::Spinning).build(), 0.0, &[1, 21]);
    }
}

/// Rows narrower and wider than registers.
#[test]
fn arms_of_one_joint_to_nine() {
    for arm in ["R", "P", "RP", "RRP", "RPRR", "RRRRR", "RRPRRR", "RRRRPRRR", "RPRRRRRRR"] {
        compare(&random::arm(4, arm), 0.0, &[3, 35]);
    }
}

/// Angles that blocks compute, and angles that they leave to single calls (`f32`).
#[test]
fn angles_up_to_a_million() {
    for angle in [1e3, 8e3, 1e6] {
        compare(&bundled("panda"), angle, &[17]);
        for seed in 0..3 {
            compare(
                &Description::random(seed, 5, Joints::Mixed, seed % 2 == 0, Drives::Friction).build(),
                angle,
                &[17],
            );
        }
    }
}
