//! Errors of GPU programs.

use armdyn_symbolic::emit::EmitError;
use thiserror::Error;

/// Reasons why a program cannot be compiled for a GPU, or a batch cannot be computed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// NVIDIA's driver is not installed.
    #[error(
        "no NVIDIA driver was found (libcuda): a GPU batch needs an NVIDIA GPU with its driver; use the CPU instead"
    )]
    NoDriver,
    /// The driver has no GPU.
    #[error("the NVIDIA driver reports no GPU ({reason}); use the CPU instead")]
    NoGpu {
        /// What the driver answers.
        reason: String,
    },
    /// NVRTC is not installed.
    #[error(
        "NVRTC was not found (libnvrtc), which compiles the kernels: install the CUDA toolkit, or the Python package \
         `nvidia-cuda-nvrtc`, and add the folder of the library to LD_LIBRARY_PATH"
    )]
    NoCompiler,
    /// NVRTC rejected a kernel.
    #[error("NVRTC cannot compile the kernel: {log}")]
    Compile {
        /// The compiler's messages.
        log: String,
    },
    /// The driver reports an error.
    #[error("CUDA: {message}")]
    Driver {
        /// The driver's message.
        message: String,
    },
    /// The model has no program for the quantity, or an array has the wrong length.
    #[error(transparent)]
    Model(#[from] armdyn_core::Error),
    /// The program cannot be written in CUDA.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// Some states are invalid; the others have been computed.
    #[error("state {first}: {source}{}", others(*count))]
    InvalidStates {
        /// The first invalid state.
        first: usize,
        /// Number of invalid states.
        count: usize,
        /// What is wrong with the first one.
        source: armdyn_core::Error,
    },
    /// An array is on another GPU than the program's.
    #[error("the array is on GPU {found}, but `run` was called with arrays on GPU {expected}")]
    OtherGpu {
        /// The GPU of the first array.
        expected: usize,
        /// The GPU of the other one.
        found: usize,
    },
}

fn others(count: usize) -> String {
    if count > 1 { format!(" ({count} invalid states in all)") } else { String::new() }
}

impl From<cudarc::driver::DriverError> for Error {
    fn from(error: cudarc::driver::DriverError) -> Self {
        Error::Driver { message: error.to_string() }
    }
}
