//! Code from programs: straight-line source, or a WebAssembly module, of one robot.
//!
//! What a call computes is a list of assignments (`listing`); a language only says how they are written. What follows from
//! the parameters alone is computed by a function of its own, `…_init`, into an array `k` that the calls take. Every file opens
//! with what it is of, what it costs, its inputs and outputs and their units (`sheet`). Names come from a file that nobody has
//! checked: they are made identifiers, or text that no comment ends in (`names`).

mod c;
mod cpp;
mod cuda;
mod javascript;
mod listing;
mod matlab;
mod names;
mod python;
mod rust;
mod sheet;
mod sine;
mod wasm;

use crate::graph::Node;
use crate::program::{Program, Quantity};
use listing::Listing;
use std::fmt;

/// A language that programs can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust, without `std`.
    Rust,
    /// C99: a source, a header and a test.
    C,
    /// C++17: a header of templates.
    Cpp,
    /// CUDA: a thread a state; its body is C as well.
    Cuda,
    /// Python with NumPy, over any batch.
    Python,
    /// MATLAB or Octave, a state a column.
    Matlab,
    /// JavaScript: an ES module.
    JavaScript,
    /// WebAssembly: a binary module, and an ES module that loads it.
    Wasm,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 8] = [
        Language::Rust,
        Language::C,
        Language::Cpp,
        Language::Cuda,
        Language::Python,
        Language::Matlab,
        Language::JavaScript,
        Language::Wasm,
    ];

    /// `rust`, `c`, `cpp`, `cuda`, `python`, `matlab`, `js`, `wasm`.
    pub fn name(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::Cuda => "cuda",
            Language::Python => "python",
            Language::Matlab => "matlab",
            Language::JavaScript => "js",
            Language::Wasm => "wasm",
        }
    }

    /// The numbers it can compute with; the first is taken where none is asked for.
    pub fn scalars(self) -> &'static [Scalar] {
        match self {
            Language::Rust => &[Scalar::F64, Scalar::F32, Scalar::Generic],
            Language::C | Language::Cuda | Language::Wasm => &[Scalar::F64, Scalar::F32],
            Language::Cpp | Language::Python | Language::Matlab => &[Scalar::Generic],
            Language::JavaScript => &[Scalar::F64],
        }
    }

    /// Whose sines and cosines it can take; the first where none is asked for.
    pub fn trig(self) -> &'static [Trig] {
        match self {
            Language::Rust | Language::Cuda | Language::Wasm => &[Trig::BuiltIn, Trig::Library],
            Language::C | Language::Cpp => &[Trig::Library, Trig::BuiltIn],
            Language::Python | Language::Matlab | Language::JavaScript => &[Trig::Library],
        }
    }

    /// What it computes with, and whose sines it takes, by these options; or why it can't.
    pub fn takes(self, options: &EmitOptions) -> Result<(Scalar, Trig), EmitError> {
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

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What the emitted code computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// Double precision.
    F64,
    /// Single precision.
    F32,
    /// The caller's type: a template, a trait that lanes implement too, or the type of the arrays given.
    Generic,
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Scalar::F64 => "f64",
            Scalar::F32 => "f32",
            Scalar::Generic => "generic",
        })
    }
}

/// Whose sines and cosines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trig {
    /// The language's: `math.h`, `std`, or two imports of a WebAssembly module.
    Library,
    /// Polynomials in the emitted code itself. Beyond 2²⁰ rad (8192 in single precision) they give NaN.
    BuiltIn,
}

impl fmt::Display for Trig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Trig::Library => "library",
            Trig::BuiltIn => "built-in",
        })
    }
}

/// How code is to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmitOptions<'a> {
    /// The numbers; [`Language::scalars`]' first if none.
    pub scalar: Option<Scalar>,
    /// The sines and cosines; [`Language::trig`]'s first if none.
    pub trig: Option<Trig>,
    /// What else the files are to say of themselves, a line each.
    pub notes: &'a [String],
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, without a folder.
    pub name: String,
    /// What is in it.
    pub contents: Vec<u8>,
}

/// What came out: files that belong in one folder.
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

/// Why no code can be written.
#[derive(Clone, Debug, PartialEq)]
pub enum EmitError {
    /// There are no programs.
    Nothing,
    /// Programs of two robots.
    TwoRobots {
        /// The first one's name.
        first: String,
        /// Another's.
        other: String,
    },
    /// Two programs of one quantity.
    Twice {
        /// The quantity.
        quantity: Quantity,
    },
    /// The language does not compute with such numbers.
    Scalar {
        /// The language.
        language: Language,
        /// The numbers asked for.
        scalar: Scalar,
    },
    /// The language does not take such sines.
    Trig {
        /// The language.
        language: Language,
        /// The sines asked for.
        trig: Trig,
    },
    /// A constant that the code's numbers can't hold.
    Constant {
        /// The program's quantity.
        quantity: Quantity,
        /// The constant.
        value: f64,
        /// The numbers.
        scalar: Scalar,
    },
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |all: Vec<String>| all.join(" or ");
        match self {
            EmitError::Nothing => write!(f, "there is no program to write"),
            EmitError::TwoRobots { first, other } => {
                write!(f, "programs of two robots, {first:?} and {other:?}, can't be one module")
            }
            EmitError::Twice { quantity } => write!(f, "{quantity} is there twice: a module holds one program of each"),
            EmitError::Scalar { language, scalar } => {
                let possible = list(language.scalars().iter().map(ToString::to_string).collect());
                write!(f, "{language} code can't be {scalar}: it is {possible}")
            }
            EmitError::Trig { language, trig } => {
                let possible = list(language.trig().iter().map(ToString::to_string).collect());
                write!(f, "{language} code can't take {trig} sines and cosines: it takes {possible}")
            }
            EmitError::Constant { quantity, value, scalar } => {
                write!(f, "{quantity}: the constant {value:e} is no finite {scalar}")
            }
        }
    }
}

impl std::error::Error for EmitError {}

/// The programs of one robot, and how they are to be written.
struct Module<'a> {
    programs: &'a [&'a Program],
    listings: Vec<Listing>,
    /// The robot's name as an identifier.
    name: String,
    scalar: Scalar,
    trig: Trig,
    notes: &'a [String],
}

impl Module<'_> {
    /// Any program: the robot's.
    fn robot(&self) -> &Program {
        self.programs[0]
    }

    /// Whether sines, cosines are taken.
    fn turns(&self) -> bool {
        self.listings.iter().any(Listing::turns)
    }

    /// Whether roots are.
    fn roots(&self) -> bool {
        self.has(|node| matches!(node, Node::Root(_)))
    }

    /// Whether signs are.
    fn signs(&self) -> bool {
        self.has(|node| matches!(node, Node::Sign(_)))
    }

    fn has(&self, kind: impl Fn(&Node) -> bool) -> bool {
        self.programs.iter().any(|p| {
            let needed = p.graph.needed(&p.values());
            p.graph.nodes().iter().zip(needed).any(|(node, needed)| needed && kind(node))
        })
    }
}

/// Writes programs of one robot, of a quantity each, as one module.
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
    let first = programs.first().ok_or(EmitError::Nothing)?;
    for (i, p) in programs.iter().enumerate() {
        if (&p.robot, &p.joints, &p.coordinates) != (&first.robot, &first.joints, &first.coordinates) {
            return Err(EmitError::TwoRobots { first: first.robot.clone(), other: p.robot.clone() });
        }
        if programs[..i].iter().any(|other| other.quantity == p.quantity) {
            return Err(EmitError::Twice { quantity: p.quantity });
        }
    }
    let (scalar, trig) = language.takes(options)?;
    programs.iter().try_for_each(|p| constants_fit(p, scalar))?;
    let listings = programs.iter().map(|p| Listing::of(p)).collect();
    let module =
        Module { programs, listings, name: names::identifier(&first.robot), scalar, trig, notes: options.notes };
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
