//! Native code by Cranelift, for one state and for as many at a time as a register holds.

mod emit;
mod trig;

pub(crate) use emit::{AnySize, Emitter, Pool};

use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};

/// The target of this machine, or the reason why it is not supported.
pub(crate) fn host() -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    // The instructions are already ordered and free of common subexpressions.
    for (name, value) in
        [("opt_level", "none"), ("enable_verifier", "false"), ("use_colocated_libcalls", "false"), ("is_pic", "false")]
    {
        flags.set(name, value).map_err(|e| e.to_string())?;
    }
    let builder = cranelift_native::builder()?;
    builder.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())
}

/// Whether the machine has fused multiply-add; without it, Cranelift would call a function.
pub(crate) fn fuses(isa: &OwnedTargetIsa) -> bool {
    let x86 = isa.isa_flags().iter().find(|f| f.name == "has_fma").map(|f| f.as_bool() == Some(true));
    x86.unwrap_or(true)
}
