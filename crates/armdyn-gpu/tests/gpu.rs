//! Batches on a GPU, compared with the CPU's. Without a GPU, the error is tested instead; with `ARMDYN_GPU=required` that fails.

use armdyn_core::{Model, examples};
use armdyn_gpu::{Error, GpuProgram, Layout, Number, gpus};
use armdyn_jit::Compiled;
use armdyn_symbolic::Quantity;
use armdyn_testkit::random::{Description, Drives, Joints, State, source};
use armdyn_testkit::{bundled, peers};

/// Whether there is a GPU; otherwise the reason must be that there is none.
fn is_there() -> bool {
    match gpus() {
        Ok(_) => true,
        Err(error) => {
            assert!(std::env::var("ARMDYN_GPU").is_err(), "a GPU is required: {error}");
            assert!(matches!(error, Error::NoDriver | Error::NoGpu { .. } | Error::NoCompiler), "{error}");
            false
        }
    }
}

/// Rows of random states.
fn rows(m: &Model<f64>, count: usize) -> [Vec<f64>; 3] {
    let states: Vec<State> = (0..count).map(|k| State::random(m, &mut source(k as u64))).collect();
    let all = |f: fn(&State) -> &Vec<f64>| states.iter().flat_map(|s| f(s).clone()).collect();
    [all(|s| &s.q), all(|s| &s.qd), all(|s| &s.qdd)]
}

/// The largest deviation of a row, relative to the largest number in the row.
fn deviation<T: Number>(found: &[T], expected: &[f64], n: usize) -> f64 {
    let row = |(f, e): (&[T], &[f64])| {
        let scale = e.iter().fold(1e-3, |s: f64, x| s.max(x.abs()));
        f.iter().zip(e).map(|(f, e)| ((*f).into() - e).abs() / scale).fold(0.0, |s, x| if x <= s { s } else { x })
    };
    found.chunks(n).zip(expected.chunks(n)).map(row).fold(0.0, |s, x| if x <= s { s } else { x })
}

/// Every quantity of several robots, through the host and in both layouts on the GPU, equals the CPU's results.
#[test]
fn batches_equal_the_cpu() -> Result<(), Box<dyn std::error::Error>> {
    if !is_there() {
        return Ok(());
    }
    let random = Description::random(3, 8, Joints::SingleAxis, true, Drives::Friction).build();
    for m in [bundled("panda"), bundled("ur5e"), bundled("jpl-rrp"), peers::robot("talos_ff"), random] {
        let count = 1001;
        let all = rows(&m, count);
        for quantity in Quantity::ALL {
            let cpu = Compiled::of_model(&m, quantity)?;
            let program = GpuProgram::of_model(&m, quantity)?;
            let (k, n) = (program.arrays().len(), program.outputs());
            let given = |i: usize| if i < k { &all[i][..] } else { &[] };
            let mut expected = vec![0.0; n * count];
            cpu.batch(count, given(0), given(1), given(2), &mut expected)?;
            let mut out = vec![0.0; n * count];
            program.batch(count, given(0), given(1), given(2), &mut out)?;
            // Forward dynamics amplifies rounding by the condition of M.
            let inverts = matches!(quantity, Quantity::Forward | Quantity::InverseMass | Quantity::ForwardDerivatives);
            let tolerance = if inverts { 1e-9 } else { 1e-12 };
            let found = deviation(&out, &expected, n);
            assert!(found < tolerance, "{} {quantity}: {found:e}", m.name());

            let gpu = &program.gpus()[0];
            for layout in [Layout::Rows, Layout::Elements] {
                let arranged = |values: &[f64], n: usize| match layout {
                    Layout::Rows => values.to_vec(),
                    Layout::Elements => (0..n * count).map(|k| values[k % count * n + k / count]).collect(),
                };
                let arrays = program.arrays();
                let inputs = (0..k).map(|i| gpu.upload(&arranged(&all[i], arrays[i].1)));
                let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
                let mut result = gpu.zeros(n * count)?;
                program.run(layout, count, &inputs.iter().collect::<Vec<_>>(), &mut result)?;
                let result = result.download()?;
                let place = |i: usize, j: usize| if layout == Layout::Rows { i * n + j } else { j * count + i };
                let result: Vec<f64> = (0..n * count).map(|k| result[place(k / n, k % n)]).collect();
                let found = deviation(&result, &expected, n);
                assert!(found < tolerance, "{} {quantity} {layout:?}: {found:e}", m.name());
            }

            let single = |values: &[f64]| values.iter().map(|x| *x as f32).collect::<Vec<f32>>();
            let [q, qd, last] = [0, 1, 2].map(|i| single(given(i)));
            let (mut f32s, mut cpus) = (vec![0f32; n * count], vec![0f32; n * count]);
            program.single().batch(count, &q, &qd, &last, &mut f32s)?;
            cpu.single().batch(count, &q, &qd, &last, &mut cpus)?;
            let expected: Vec<f64> = cpus.iter().map(|x| f64::from(*x)).collect();
            let found = deviation(&f32s, &expected, n);
            assert!(found < if inverts { 1e-1 } else { 1e-4 }, "{} {quantity} f32: {found:e}", m.name());
            println!("{} {quantity}: f32 {found:.1e}", m.name());
        }
    }
    Ok(())
}

/// Large angles are computed, NaN and infinite numbers are reported by state, and affect no other row.
#[test]
fn large_angles_and_invalid_states() -> Result<(), Box<dyn std::error::Error>> {
    if !is_there() {
        return Ok(());
    }
    let m = bundled("panda");
    let count = 200_000;
    let [mut q, qd, qdd] = rows(&m, 500).map(|v| v.repeat(count / 500));
    let program = GpuProgram::inverse(&m)?;
    let cpu = Compiled::inverse(&m)?;
    q[7 * 1234 + 2] = 1e9;
    let (mut out, mut expected) = (vec![0.0; 7 * count], vec![0.0; 7 * count]);
    program.batch(count, &q, &qd, &qdd, &mut out)?;
    cpu.batch(count, &q, &qd, &qdd, &mut expected)?;
    assert!(deviation(&out, &expected, 7) < 1e-12);
    q[7 * 150_000 + 3] = f64::NAN;
    q[7 * 77 + 1] = f64::INFINITY;
    let clean = out.clone();
    match program.batch(count, &q, &qd, &qdd, &mut out) {
        Err(Error::InvalidStates { first: 77, count: 2, source }) => {
            assert_eq!(source, armdyn_core::Error::NotFinite { what: "q", joint: "panda_joint2".to_string() });
        }
        other => panic!("{other:?}"),
    }
    for (i, (a, b)) in out.chunks(7).zip(clean.chunks(7)).enumerate() {
        let same = a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs().max(1.0));
        assert!(same || i == 77 || i == 150_000, "row {i}");
    }
    Ok(())
}

/// The same GPU twice stands for a machine with two.
#[test]
fn several_gpus_share_a_batch() -> Result<(), Box<dyn std::error::Error>> {
    if !is_there() {
        return Ok(());
    }
    let m = bundled("ur5e");
    let count = 300_000;
    let [q, qd, qdd] = rows(&m, 300).map(|v| v.repeat(count / 300));
    let program = armdyn_symbolic::trace(&m, Quantity::Inverse)?;
    let gpu = gpus()?.remove(0);
    let [one, two] = [1, 2].map(|k| GpuProgram::new(program.clone(), vec![gpu.clone(); k]));
    let (mut a, mut b) = (vec![0.0; 6 * count], vec![0.0; 6 * count]);
    one.batch(count, &q, &qd, &qdd, &mut a)?;
    two.batch(count, &q, &qd, &qdd, &mut b)?;
    assert_eq!(a, b);
    Ok(())
}

/// Wrong lengths are named; an empty batch is none.
#[test]
fn wrong_lengths() -> Result<(), Box<dyn std::error::Error>> {
    if !is_there() {
        return Ok(());
    }
    let program = GpuProgram::inverse(&examples::pendulum())?;
    let error = program.batch(2, &[0.0; 2], &[0.0; 1], &[0.0; 2], &mut [0.0; 2]).unwrap_err();
    assert_eq!(error, Error::Model(armdyn_core::Error::Length { what: "qd", expected: 2, found: 1 }));
    program.batch(0, &[], &[], &[], &mut [])?;
    Ok(())
}

/// Without a GPU, a program says what is missing and what to do.
#[test]
fn without_a_gpu() {
    if let Err(error) = GpuProgram::inverse(&examples::pendulum()) {
        let text = error.to_string();
        assert!(text.contains("use the CPU instead") || text.contains("LD_LIBRARY_PATH"), "{text}");
    }
}
