//! armdyn computes the dynamics of robot arms.
//!
//! ```
//! let model = armdyn::load("panda")?; // a bundled robot, or a file: URDF, xacro, MJCF, TOML
//! let q = vec![0.1; model.nq()];
//! let zero = vec![0.0; model.nv()];
//! let tau = model.inverse_dynamics(&q, &zero, &zero)?;
//! println!("torques that hold the arm [N m]: {tau:.2?}");
//! println!("mass matrix:\n{}", model.mass_matrix(&q)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Methods of [`Model`] compute one quantity per call: torques, accelerations, mass and Coriolis matrices, Jacobians,
//! energy, derivatives. Each has a function in [`algo`] that works in a workspace and allocates nothing, for control
//! loops: [`rnea`], [`aba()`], [`crba`], …
//!
//! The functions are generic over the scalar: `f64` and `f32` compute numbers, [`Lanes`] several states at a time,
//! [`Dual`] derivatives, [`Interval`] guaranteed bounds. [`Model::cast`] converts the model.
//!
//! # Features
//!
//! | feature | module | content |
//! |---|---|---|
//! | `import` (default) | `import` | robot files and bundled robots, findings, [`load`] |
//! | `symbolic` | `symbolic` | equations as expressions, minimal programs, generated code |
//! | `jit` | `jit` | equations compiled to machine code at run time |
//! | `numerics` | `numerics` | joint ranges, sampling, search, guaranteed bounds, trajectories |
//! | `design` | `design` | ranges, importance of terms, simplified models, drive sizing, joint servos |
//! | `structure` | `structure` | deflection, stress, buckling and frequencies of elastic links |
//! | `mobile` | `mobile` | tip-over stability, mobile and free-floating bases |
//! | `motion` | `motion` | trajectories, inverse kinematics, simulation, control |
//! | `scene` | `scene` | pages that play a motion in 3-D |
//! | `plot` | `plot` | charts (SVG, terminal) |
//! | `documents` | `documents` | the five documents and their reproduction |
//! | `nalgebra`, `faer` | | conversions of [`Matrix`] |

pub use armdyn_core::*;

#[cfg(feature = "design")]
pub use armdyn_design as design;
#[cfg(feature = "documents")]
pub use armdyn_documents as documents;
#[cfg(feature = "import")]
pub use armdyn_import::{self as import, LoadError, load_model as load};
#[cfg(feature = "jit")]
pub use armdyn_jit as jit;
#[cfg(feature = "mobile")]
pub use armdyn_mobile as mobile;
#[cfg(feature = "motion")]
pub use armdyn_motion as motion;
#[cfg(feature = "numerics")]
pub use armdyn_numerics as numerics;
#[cfg(feature = "plot")]
pub use armdyn_plot as plot;
#[cfg(feature = "scene")]
pub use armdyn_scene as scene;
#[cfg(feature = "structure")]
pub use armdyn_structure as structure;
#[cfg(feature = "symbolic")]
pub use armdyn_symbolic as symbolic;

/// The program of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
