//! Code generation: straight-line source, or a WebAssembly module, for one robot.
//!
//! A call is a list of assignments (`listing`); a language defines only their syntax. Values that depend on the parameters only
//! are computed by a separate function, `…_init`, into an array `k` that the calls read. Every file begins with a header: robot,
//! operation counts, inputs and outputs with units (`header`). Names come from untrusted files and are converted to identifiers
//! or to text that cannot end a comment (`names`).

mod c;
mod cpp;
mod cuda;
mod cuda_body;
mod cuda_parts;
mod header;
mod javascript;
mod listing;
mod matlab;
mod names;
mod parts;
mod python;
mod rust;
mod sine;
mod wasm;

pub use cuda_parts::{CudaParts, cuda_parts};

use crate::graph::Node;
use crate::program::{Program, Quantity};
use listing::Listing;
use std::fmt;
use thiserror::Error;

/// A target language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// Rust, without `std`.
    Rust,
    /// C99: a source, a header and a test.
    C,
    /// C++17: a header of templates.
    Cpp,
    /// CUDA: one thread per state; the body is also valid C.
    Cuda,
    /// Python with NumPy, over any batch.
    Python,
    /// MATLAB or Octave, one column per state.
    Matlab,
    /// JavaScript: an ES module.
    JavaScript,
    /// WebAssembly: a binary module, and an ES module that loads it.
    Wasm,
}

named!(Language {
    Rust "rust", C "c", Cpp "cpp", Cuda "cuda", Python "python", Matlab "matlab", JavaScript "js", Wasm "wasm"
});

impl Language {
    /// The supported scalar types; the first is the default.
    pub fn scalars(self) -> &'static [Scalar] {
        match self {
            Language::Rust => &[Scalar::F64, Scalar::F32, Scalar::Generic],
            Language::C | Language::Cuda | Language::Wasm => &[Scalar::F64, Scalar::F32],
            Language::Cpp | Language::Python | Language::Matlab => &[Scalar::Generic],
            Language::JavaScript => &[Scalar::F64],
        }
    }

    /// The supported sine and cosine implementations; the first is the default.
    pub fn trig(self) -> &'static [Trig] {
        match self {
            Language::Rust | Language::Cuda | Language::Wasm => &[Trig::BuiltIn, Trig::Library],
            Language::C | Language::Cpp => &[Trig::Library, Trig::BuiltIn],
            Language::Python | Language::Matlab | Language::JavaScript => &[Trig::Library],
        }
    }

    /// The scalar type and the sine implementation for these options.
    pub fn resolve(self, options: &EmitOptions) -> Result<(Scalar, Trig), EmitError> {
        let scalar = options.scalar.unwrap_or(self.scalars()[0]);
        let trig = options.trig.unwrap_or(self.trig()[0]);
        if !self.scalars().contains(&scalar) {
            return Err(EmitError::Scalar { language: self, scalar });
        }
        if !self.trig().contains(&trig) {
            return Err(EmitError::Trig { language: self, trig });
        }
        Ok((scalar, trig))
    }
}

/// The scalar type of the emitted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// Double precision.
    F64,
    /// Single precision.
    F32,
    /// Generic: a template, a trait that lanes implement too, or the type of the arrays.
    Generic,
}

named!(Scalar { F64 "f64", F32 "f32", Generic "generic" });

impl Scalar {
    /// Size of a number [bytes]; of a generic one, that of the default.
    fn bytes(self) -> usize {
        if self == Scalar::F32 { 4 } else { 8 }
    }
}

/// The sine and cosine implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trig {
    /// The standard library: `math.h`, `std`, or two imports of a WebAssembly module.
    Library,
    /// Polynomials in the emitted code. NaN beyond 2²⁰ rad (8192 rad in single precision).
    BuiltIn,
}

named!(Trig { Library "library", BuiltIn "built-in" });

/// Options of [`emit`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmitOptions<'a> {
    /// The scalar type; default: the first of [`Language::scalars`].
    pub scalar: Option<Scalar>,
    /// The sine implementation; default: the first of [`Language::trig`].
    pub trig: Option<Trig>,
    /// Additional lines of the header.
    pub notes: &'a [String],
}

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name, without a folder.
    pub name: String,
    /// The contents.
    pub contents: Vec<u8>,
}

/// The generated files, for one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The files; the first is the code.
    pub files: Vec<File>,
}

impl Emitted {
    fn of<const N: usize>(files: [(String, String); N]) -> Self {
        let file = |(name, text): (String, String)| File { name, contents: text.into_bytes() };
        Emitted { files: files.into_iter().map(file).collect() }
    }
}

/// Reasons why no code can be emitted.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum EmitError {
    /// There are no programs.
    #[error("there is no program to emit")]
    NoPrograms,
    /// The programs belong to two robots.
    #[error("programs of two robots, `{first}` and `{other}`, cannot be one module")]
    TwoRobots {
        /// Name of the first robot.
        first: String,
        /// Name of another robot.
        other: String,
    },
    /// There are two programs of one quantity.
    #[error("there are two programs of `{quantity}`; a module holds one of each quantity")]
    DuplicateQuantity {
        /// The quantity.
        quantity: Quantity,
    },
    /// The language does not support the scalar type.
    #[error("{language} code cannot be `{scalar}`: expected {}", alternatives(language.scalars()))]
    Scalar {
        /// The language.
        language: Language,
        /// The requested scalar type.
        scalar: Scalar,
    },
    /// The language does not support the sine implementation.
    #[error("{language} code cannot use `{trig}` sines and cosines: expected {}", alternatives(language.trig()))]
    Trig {
        /// The language.
        language: Language,
        /// The requested implementation.
        trig: Trig,
    },
    /// A constant exceeds the range of the scalar type.
    #[error("{quantity}: the constant {value:e} exceeds the range of `{scalar}`")]
    Constant {
        /// The quantity of the program.
        quantity: Quantity,
        /// The constant.
        value: f64,
        /// The scalar type.
        scalar: Scalar,
    },
}

/// `a` or `b`.
fn alternatives<T: fmt::Display>(all: &[T]) -> String {
    all.iter().map(|x| format!("`{x}`")).collect::<Vec<_>>().join(" or ")
}

/// The programs of one robot, and the options.
struct Module<'a> {
    programs: &'a [&'a Program],
    listings: Vec<Listing>,
    /// The robot's name as an identifier.
    name: String,
    scalar: Scalar,
    trig: Trig,
    notes: &'a [String],
}

impl<'a> Module<'a> {
    /// At least one program, all of one robot.
    fn of(programs: &'a [&'a Program], language: Language, options: &EmitOptions<'a>) -> Result<Self, EmitError> {
        let (scalar, trig) = language.resolve(options)?;
        programs.iter().try_for_each(|p| constants_fit(p, scalar))?;
        let listings = programs.iter().map(|p| Listing::of(p)).collect();
        let name = names::identifier(&programs[0].robot);
        Ok(Module { programs, listings, name, scalar, trig, notes: options.notes })
    }

    /// The first program, for properties of the robot.
    fn robot(&self) -> &Program {
        self.programs[0]
    }

    /// Whether sines or cosines are needed.
    fn uses_trig(&self) -> bool {
        self.listings.iter().any(Listing::uses_trig)
    }

    /// Whether square roots are needed.
    fn uses_sqrt(&self) -> bool {
        self.has(|node| matches!(node, Node::Root(_)))
    }

    /// Whether the sign function is needed.
    fn uses_sign(&self) -> bool {
        self.has(|node| matches!(node, Node::Sign(_)))
    }

    fn has(&self, kind: impl Fn(&Node) -> bool) -> bool {
        self.programs.iter().any(|p| {
            let needed = p.graph.needed(&p.values());
            p.graph.nodes().iter().zip(needed).any(|(node, needed)| needed && kind(node))
        })
    }
}

/// Emits programs of one robot, at most one per quantity, as one module.
///
/// ```
/// use armdyn_symbolic::emit::{EmitOptions, Language, emit};
/// use armdyn_symbolic::{Quantity, trace};
/// # use armdyn_core::{BASE, Inertia, Joint, Link, ModelBuilder, Sym3, Transform, vec3};
/// # let mut arm = ModelBuilder::new("pendulum");
/// # let bob = Inertia::about_centre(1.0, vec3(0.5, 0.0, 0.0), Sym3::diagonal(0.0, 0.0, 0.0));
/// # arm.add(BASE, Joint::revolute("hinge", [0.0, 1.0, 0.0]), Link::new("bob").part("bob", bob, Transform::identity()));
/// # let model = arm.build().unwrap();
/// let program = trace(&model, Quantity::Inverse).unwrap();
/// let code = emit(&[&program], Language::C, &EmitOptions::default()).unwrap();
/// assert_eq!(code.files[0].name, "pendulum.c");
/// ```
pub fn emit(programs: &[&Program], language: Language, options: &EmitOptions) -> Result<Emitted, EmitError> {
    let first = programs.first().ok_or(EmitError::NoPrograms)?;
    for (i, p) in programs.iter().enumerate() {
        if (&p.robot, &p.joints, &p.coordinates) != (&first.robot, &first.joints, &first.coordinates) {
            return Err(EmitError::TwoRobots { first: first.robot.clone(), other: p.robot.clone() });
        }
        if programs[..i].iter().any(|other| other.quantity == p.quantity) {
            return Err(EmitError::DuplicateQuantity { quantity: p.quantity });
        }
    }
    let module = Module::of(programs, language, options)?;
    Ok(match language {
        Language::Rust => rust::emit(&module),
        Language::C => c::emit(&module),
        Language::Cpp => cpp::emit(&module),
        Language::Cuda => cuda::emit(&module),
        Language::Python => python::emit(&module),
        Language::Matlab => matlab::emit(&module),
        Language::JavaScript => javascript::emit(&module),
        Language::Wasm => wasm::emit(&module),
    })
}

fn constants_fit(program: &Program, scalar: Scalar) -> Result<(), EmitError> {
    let needed = program.graph.needed(&program.values());
    for (node, _) in program.graph.nodes().iter().zip(needed).filter(|(_, needed)| *needed) {
        let Node::Constant(bits) = *node else { continue };
        let value = f64::from_bits(bits);
        let held = if scalar == Scalar::F32 { f64::from(value as f32) } else { value };
        if !held.is_finite() {
            return Err(EmitError::Constant { quantity: program.quantity, value, scalar });
        }
    }
    Ok(())
}
