//! Machine code in memory, and its calls. All `unsafe` code of the crate is in this file.
#![allow(unsafe_code)]

use crate::lower::Instructions;
use crate::native::{self, AnySize, Emitter, Pool};
use crate::number::Number;
use crate::wide::{Check, Code, Host, OneCheck, Target};
use cranelift_codegen::ir::AbiParam;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, default_libcall_names};
use memmap2::{Mmap, MmapMut};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::Mutex;

/// Arguments: constants, three input arrays, results.
type Function<T> = unsafe extern "C" fn(*const u8, *const T, *const T, *const T, *mut T) -> T;

/// A compiled program for one state or several at a time.
pub(crate) struct Machine<T> {
    /// Owns the code; taken when it is freed. The lock only makes the module `Sync`.
    module: Mutex<Option<JITModule>>,
    function: Function<T>,
    pool: Pool,
    /// Elements that a call reads of each array.
    lengths: [usize; 3],
    /// Elements that a call writes.
    outputs: usize,
}

/// sin x for any x.
extern "C" fn sine<T: Number>(x: T) -> T {
    x.sin_cos().0
}

/// cos x for any x.
extern "C" fn cosine<T: Number>(x: T) -> T {
    x.sin_cos().1
}

impl<T: Number> Machine<T> {
    /// Compiles for one state or for as many as `T` has lanes.
    pub(crate) fn new(code: &Instructions, host: &native::Host, states: usize) -> Result<Self, String> {
        assert!((states == 1 || states == const { &T::FORMAT }.lanes) && code.reads_within_arrays());
        let mut builder = JITBuilder::with_isa(host.isa(), default_libcall_names());
        builder.symbol("sine", sine::<T> as *const u8);
        builder.symbol("cosine", cosine::<T> as *const u8);
        let mut module = JITModule::new(builder);
        let (id, pool) = write::<T>(&mut module, code, states, host.fuses()).map_err(|e| e.to_string())?;
        module.finalize_definitions().map_err(|e| e.to_string())?;
        let address = module.get_finalized_function(id);
        // SAFETY: the code at this address was written by `write` for the signature of `Function<T>`, in the machine's own
        // calling convention, which is that of `extern "C"`; it is finished (above) and stays in memory until
        // `free_memory` in `drop`.
        let function = unsafe { std::mem::transmute::<*const u8, Function<T>>(address) };
        Ok(Machine {
            module: Mutex::new(Some(module)),
            function,
            pool,
            lengths: code.lengths.map(|n| n * states),
            outputs: code.outputs.len() * states,
        })
    }

    /// Computes consecutive rows. Returns false if a pivot has the wrong sign.
    #[inline]
    pub(crate) fn run(&self, [a, b, c]: [&[T]; 3], out: &mut [T]) -> bool {
        let [la, lb, lc] = self.lengths;
        assert!(a.len() >= la && b.len() >= lb && c.len() >= lc && out.len() >= self.outputs);
        // SAFETY: the code is in memory as long as `self`. It reads its pool, which is as long as it was written for, and the
        // first `lengths` elements of the inputs, and writes the first `outputs` of `out`, all within the slices (asserted
        // above); `out` is borrowed mutably, so that it is none of the inputs. It keeps no pointer, shares no memory with other
        // calls, and calls only `sine` and `cosine`, which do not unwind.
        let sign =
            unsafe { (self.function)(self.pool.as_ptr().cast(), a.as_ptr(), b.as_ptr(), c.as_ptr(), out.as_mut_ptr()) };
        !sign.into().is_sign_negative()
    }
}

impl<T> Drop for Machine<T> {
    fn drop(&mut self) {
        let module = self.module.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Some(module) = module {
            // SAFETY: the code is not running, because a call borrows `self`; the function pointer does not leave this module.
            unsafe { module.free_memory() }
        }
    }
}

/// Emits one function; returns its id and the constants it reads.
fn write<T: Number>(
    module: &mut JITModule,
    code: &Instructions,
    states: usize,
    fuse: bool,
) -> Result<(FuncId, Pool), Box<ModuleError>> {
    let format = const { &T::FORMAT };
    let pointer = module.target_config().pointer_type();
    let mut number = module.make_signature();
    number.params.push(AbiParam::new(format.number));
    number.returns.push(AbiParam::new(format.number));
    let sine = module.declare_function("sine", Linkage::Import, &number)?;
    let cosine = module.declare_function("cosine", Linkage::Import, &number)?;

    let mut context = module.make_context();
    context.func.signature.params = vec![AbiParam::new(pointer); 5];
    context.func.signature.returns.push(AbiParam::new(format.number));
    let id = module.declare_function("program", Linkage::Local, &context.func.signature)?;
    let any = AnySize {
        sine: module.declare_func_in_func(sine, &mut context.func),
        cosine: module.declare_func_in_func(cosine, &mut context.func),
    };
    let mut frontend = FunctionBuilderContext::new();
    let builder = FunctionBuilder::new(&mut context.func, &mut frontend);
    let pool = Emitter::write(builder, code, format, states, fuse, any, module.target_config());
    module.define_function(id, &mut context)?;
    Ok((id, pool))
}

/// Arguments: three input arrays, results, number of blocks, scratch memory.
#[cfg(target_arch = "x86_64")]
type BlockFunction<T> = unsafe extern "sysv64" fn(*const T, *const T, *const T, *mut T, usize, *mut Line);

/// Never called: there is no target.
#[cfg(not(target_arch = "x86_64"))]
type BlockFunction<T> = unsafe extern "C" fn(*const T, *const T, *const T, *mut T, usize, *mut Line);

/// 64 bytes of scratch memory, aligned for every vector.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Line([u8; 64]);

impl Line {
    pub(crate) const ZERO: Line = Line([0; 64]);
}

/// A compiled program for blocks of states (`wide`).
pub(crate) struct Blocks<T> {
    /// The code, not writable.
    code: Mmap,
    host: Host,
    /// Elements of a block of each input array, then of the results.
    lengths: [usize; 4],
    /// Lines of scratch memory.
    lines: usize,
    numbers: PhantomData<fn(T)>,
}

impl<T: Number> Blocks<T> {
    /// The code of a program that has results. The error is the reason why there is no executable memory.
    pub(crate) fn new(written: &Code, host: Host) -> Result<Self, String> {
        let target = written.target();
        assert!(written.lanes() == Some(target.lanes()) && written.lengths()[3] > 0);
        Ok(Blocks {
            code: executable::<T>(written, host)?,
            host,
            lengths: written.lengths(),
            lines: written.scratch().div_ceil(size_of::<Line>()),
            numbers: PhantomData,
        })
    }

    /// What the code is written for.
    pub(crate) fn target(&self) -> Target {
        self.host.target()
    }

    /// Computes blocks of rows, as many as `out` has. Returns false, and the results are invalid, if an input or result is not
    /// finite, an angle is not moderate or a pivot has the wrong sign in any of them.
    pub(crate) fn run(&self, [a, b, c]: [&[T]; 3], out: &mut [T], scratch: &mut Vec<Line>) -> bool {
        let [la, lb, lc, lo] = self.lengths;
        let blocks = out.len() / lo;
        assert!(blocks > 0 && a.len() >= blocks * la && b.len() >= blocks * lb && c.len() >= blocks * lc);
        if scratch.len() < self.lines {
            scratch.resize(self.lines, Line::ZERO);
        }
        let checks = Check::SLOTS * self.target().lanes();
        scratch[..(checks * size_of::<T>()).div_ceil(size_of::<Line>())].fill(Line::ZERO);
        // SAFETY: the code was written by `wide` (which alone makes a `Code`) for the signature and the calling convention of
        // `BlockFunction<T>`, for numbers of the size of `T` and instructions that the processor has (asserted in `executable`; a
        // `Host` is only made of what was detected); it is in memory as long as `self`.
        let function = unsafe { std::mem::transmute::<*const u8, BlockFunction<T>>(self.code.as_ptr()) };
        // SAFETY: per block the code reads the constants behind it and `lengths` elements of the inputs, and writes as many of
        // `out`, all within the slices (asserted above); `out` is borrowed mutably, so that it is none of the inputs. It reads
        // and writes the first `lines` lines of the scratch memory, which are aligned. It calls nothing and keeps no pointer.
        unsafe { function(a.as_ptr(), b.as_ptr(), c.as_ptr(), out.as_mut_ptr(), blocks, scratch.as_mut_ptr()) }
        // SAFETY: the lines hold at least so many numbers (all bits are valid ones), and are aligned for them.
        let checks = unsafe { std::slice::from_raw_parts(scratch.as_ptr().cast::<T>(), checks) };
        let slot = |k: usize| &checks[k * self.target().lanes()..(k + 1) * self.target().lanes()];
        let moderate = |x: T| x.into() <= self.target().format().moderate;
        slot(Check::SUM).iter().fold(true, |all, x| all & x.is_finite())
            & slot(Check::ANGLE).iter().fold(true, |all, &x| all & moderate(x))
            & slot(Check::PIVOTS).iter().fold(true, |all, &x| all & !x.into().is_sign_negative())
    }
}

/// Code in memory that is executable and not writable.
fn executable<T: Number>(written: &Code, host: Host) -> Result<Mmap, String> {
    let target = written.target();
    assert!(size_of::<T>() == target.format().bytes && host.target().format().bytes == target.format().bytes);
    assert!(host.target().is_wide() == target.is_wide());
    let reason = |e: std::io::Error| format!("no executable memory: {e}");
    let mut memory = MmapMut::map_anon(written.bytes().len()).map_err(reason)?;
    memory.copy_from_slice(written.bytes());
    memory.make_exec().map_err(reason)
}

/// A compiled program for one state (`wide`).
pub(crate) struct One<T> {
    /// The code, not writable.
    code: Mmap,
    host: Host,
    /// Elements of each input array, then of the results.
    lengths: [usize; 4],
    /// Numbers of the check, by [`OneCheck`].
    sums: usize,
    /// Where the pivots' signs are, if there are pivots.
    pivots: Option<usize>,
    numbers: PhantomData<fn(T)>,
}

/// Scratch memory of a call, on the stack.
type CallMemory = [MaybeUninit<Line>; 128];

impl<T: Number> One<T> {
    /// The code of a program. The error is the reason why a call cannot use it.
    pub(crate) fn new(written: &Code, host: Host) -> Result<Self, String> {
        assert!(written.lanes().is_none());
        let (needed, most) = (written.scratch(), size_of::<CallMemory>());
        if needed > most {
            return Err(format!("a call needs {needed} bytes of memory for intermediate values, more than {most}"));
        }
        let target = host.target();
        Ok(One {
            code: executable::<T>(written, host)?,
            host,
            lengths: written.lengths(),
            sums: OneCheck::sums(target),
            pivots: written.pivots().then_some(OneCheck::pivots(target)),
            numbers: PhantomData,
        })
    }

    /// What the code is written for.
    pub(crate) fn target(&self) -> Target {
        self.host.target()
    }

    /// Computes a state. Returns false, and the results are invalid, if an input or result is not finite or very large, an angle is
    /// not moderate or a pivot has the wrong sign.
    #[inline]
    pub(crate) fn run(&self, [a, b, c]: [&[T]; 3], out: &mut [T]) -> bool {
        let [la, lb, lc, lo] = self.lengths;
        assert!(a.len() >= la && b.len() >= lb && c.len() >= lc && out.len() >= lo);
        let mut scratch: CallMemory = [MaybeUninit::uninit(); 128];
        // SAFETY: as in `Blocks::run`.
        let function = unsafe { std::mem::transmute::<*const u8, BlockFunction<T>>(self.code.as_ptr()) };
        // SAFETY: the code reads the constants behind it and `lengths` elements of the inputs, and writes as many of `out`, all
        // within the slices (asserted above); `out` is borrowed mutably, so that it is none of the inputs. Of the scratch memory it
        // uses no more than there is (`new`), and reads only what it has written. It calls nothing and keeps no pointer.
        unsafe { function(a.as_ptr(), b.as_ptr(), c.as_ptr(), out.as_mut_ptr(), 1, scratch.as_mut_ptr().cast()) }
        // SAFETY: the code has written these numbers (any bits are valid ones), and the memory is aligned for them.
        let number = |i: usize| unsafe { scratch.as_ptr().cast::<T>().add(i).read() };
        let finite = (0..self.sums).fold(true, |all, i| all & number(i).is_finite());
        finite & self.pivots.is_none_or(|i| !number(i).into().is_sign_negative())
    }
}
