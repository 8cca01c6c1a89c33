//! Dynamics of many states of one robot on NVIDIA GPUs, with kernels that are generated and compiled for the robot at run time.
//!
//! CUDA is not needed to build this crate. At run time it needs NVIDIA's driver and NVRTC, the compiler library of the CUDA toolkit;
//! without them, or without a GPU, [`gpus`] and [`GpuProgram::of_model`] return an error that names what is missing.
//!
//! [`GpuProgram::batch`] takes arrays of the host, one state per row, and streams them through page-locked memory over all GPUs.
//! [`GpuProgram::run`] works on arrays that are on a GPU already ([`Gpu::upload`]).
//!
//! ```no_run
//! use armdyn_gpu::GpuProgram;
//! # let model = armdyn_core::examples::pendulum();
//! let inverse = GpuProgram::inverse(&model)?;
//! let (q, qd, qdd) = (vec![0.3; 1_000_000], vec![0.0; 1_000_000], vec![0.0; 1_000_000]);
//! let mut tau = vec![0.0; 1_000_000];
//! inverse.batch(1_000_000, &q, &qd, &qdd, &mut tau)?;
//! # Ok::<(), armdyn_gpu::Error>(())
//! ```

mod batch;
mod device;
mod error;
mod program;

pub use device::{Borrowed, DeviceArray, Gpu, Number, gpus};
pub use error::Error;
pub use program::{GpuProgram, Layout};
