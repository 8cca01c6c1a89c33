//! Machine code in memory, and its calls. All that is `unsafe` is here.
#![allow(unsafe_code)]

use super::emit::{AnySize, Emitter, Lanes, Pool};
use crate::tape::Tape;
use armdyn::Real;
use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, default_libcall_names};
use std::sync::Mutex;

/// The constants, three input arrays, the results.
type Function = unsafe extern "C" fn(*const f64, *const f64, *const f64, *const f64, *mut f64);

/// A compiled tape.
pub(crate) struct Machine {
    /// Owns the code; taken when it is freed. Behind a lock only because a module may not be shared as it is.
    module: Mutex<Option<JITModule>>,
    function: Function,
    pool: Pool,
    /// What a call reads of each array, and what it writes.
    lengths: [usize; 3],
    outputs: usize,
}

/// sin x of any x.
extern "C" fn sine(x: f64) -> f64 {
    Real::sin_cos(x).0
}

/// cos x of any x.
extern "C" fn cosine(x: f64) -> f64 {
    Real::sin_cos(x).1
}

impl Machine {
    /// Compiles a tape for this machine.
    pub(crate) fn new(tape: &Tape, isa: OwnedTargetIsa, fuse: bool, lanes: Lanes) -> Result<Self, String> {
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        builder.symbol("sine", sine as *const u8);
        builder.symbol("cosine", cosine as *const u8);
        let mut module = JITModule::new(builder);
        let (id, pool) = write(&mut module, tape, lanes, fuse).map_err(|e| e.to_string())?;
        module.finalize_definitions().map_err(|e| e.to_string())?;
        let code = module.get_finalized_function(id);
        // SAFETY: the code at this address was written by `write` for the signature of `Function`, in the machine's own
        // calling convention, which is that of `extern "C"`; it is finished (above) and stays in memory until
        // `free_memory` in `drop`.
        let function = unsafe { std::mem::transmute::<*const u8, Function>(code) };
        let states = if lanes == Lanes::One { 1 } else { 2 };
        Ok(Machine {
            module: Mutex::new(Some(module)),
            function,
            pool,
            lengths: tape.lengths.map(|n| n * states),
            outputs: tape.outputs.len() * states,
        })
    }

    /// Computes one state, or two, rows that follow each other.
    #[inline]
    pub(crate) fn run(&self, [a, b, c]: [&[f64]; 3], out: &mut [f64]) {
        let [la, lb, lc] = self.lengths;
        assert!(a.len() >= la && b.len() >= lb && c.len() >= lc && out.len() >= self.outputs);
        // SAFETY: the code is in memory as long as `self`. It reads its pool, which is as long as it was written for, and the
        // first `lengths` elements of the inputs, and writes the first `outputs` of `out`, all within the slices (asserted
        // above); `out` is borrowed mutably, so that it is none of the inputs. It keeps no pointer, shares no memory with other
        // calls, and calls only `sine` and `cosine`, which do not unwind.
        unsafe { (self.function)(self.pool.as_ptr().cast(), a.as_ptr(), b.as_ptr(), c.as_ptr(), out.as_mut_ptr()) }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let module = self.module.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Some(module) = module {
            // SAFETY: nobody runs the code, for a call borrows `self`; the function pointers leave this module nowhere.
            unsafe { module.free_memory() }
        }
    }
}

/// Writes one function; gives its number and the constants it reads.
fn write(module: &mut JITModule, tape: &Tape, lanes: Lanes, fuse: bool) -> Result<(FuncId, Pool), Box<ModuleError>> {
    let pointer = module.target_config().pointer_type();
    let mut number = module.make_signature();
    number.params.push(AbiParam::new(types::F64));
    number.returns.push(AbiParam::new(types::F64));
    let sine = module.declare_function("sine", Linkage::Import, &number)?;
    let cosine = module.declare_function("cosine", Linkage::Import, &number)?;

    let mut context = module.make_context();
    context.func.signature.params = vec![AbiParam::new(pointer); 5];
    let name = if lanes == Lanes::One { "one" } else { "two" };
    let id = module.declare_function(name, Linkage::Local, &context.func.signature)?;
    let any = AnySize {
        sine: module.declare_func_in_func(sine, &mut context.func),
        cosine: module.declare_func_in_func(cosine, &mut context.func),
    };
    let mut frontend = FunctionBuilderContext::new();
    let builder = FunctionBuilder::new(&mut context.func, &mut frontend);
    let pool = Emitter::write(builder, tape, lanes, fuse, any, module.target_config());
    module.define_function(id, &mut context)?;
    Ok((id, pool))
}
