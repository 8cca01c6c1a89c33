//! Writes what `benches/cuda/run` measures, into a folder: a robot's inverse dynamics in CUDA, in both precisions, and states
//! with the joint forces that the core computes for them.
//!
//!   cargo run --release -p armdyn-symbolic --example cuda_bench -- FOLDER [ROBOT]

use armdyn_core::{RneaData, rnea};
use armdyn_symbolic::emit::{EmitOptions, Language, Scalar, emit};
use armdyn_symbolic::{Quantity, trace};
use armdyn_testkit::random::{State, source};
use std::error::Error;
use std::path::PathBuf;

/// States that the GPU's results are compared at.
const STATES: u64 = 65536;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("which folder?")?);
    let robot = arguments.next().unwrap_or("panda".to_string());
    std::fs::create_dir_all(&folder)?;
    let bundled = armdyn_import::library::bundled(&robot).ok_or("no such robot")?;
    let model = bundled.load().description.ok_or("it can't be read")?.model()?;
    let program = trace(&model, Quantity::Inverse)?;
    for scalar in [Scalar::F32, Scalar::F64] {
        let code = emit(&[&program], Language::Cuda, &EmitOptions { scalar: Some(scalar), ..EmitOptions::default() })?;
        std::fs::write(folder.join(format!("{scalar}.cu")), &code.files[0].contents)?;
        let name = code.files[0].name.trim_end_matches(".cu");
        let bench = format!("#define ROBOT {name}\n#define DOF {}\n", model.nv());
        std::fs::write(folder.join("robot.h"), bench)?;
    }
    let mut data = RneaData::new(&model);
    let mut tau = vec![0.0; model.nv()];
    let mut numbers: Vec<u8> = vec![];
    for seed in 0..STATES {
        // Inputs that single precision holds, so that both are given the same.
        let single = |x: &[f64]| x.iter().map(|x| f64::from(*x as f32)).collect::<Vec<f64>>();
        let s = State::random(&model, &mut source(seed));
        let (q, qd, qdd) = (single(&s.q), single(&s.qd), single(&s.qdd));
        rnea(&model, &mut data, &q, &qd, &qdd, &mut tau)?;
        [&q, &qd, &qdd, &tau].into_iter().flatten().for_each(|x| numbers.extend(x.to_le_bytes()));
    }
    std::fs::write(folder.join("states.bin"), numbers)?;
    Ok(())
}
