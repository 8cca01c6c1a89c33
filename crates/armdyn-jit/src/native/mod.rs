//! Native code by Cranelift, for one state and for as many at a time as a register holds.

mod emit;
mod trig;

pub(crate) use emit::{AnySize, Emitter, Pool};

use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};

/// This machine as a target of Cranelift: code for it can be called.
#[derive(Clone)]
pub(crate) struct Host {
    isa: OwnedTargetIsa,
    fuses: bool,
}

impl Host {
    /// The error is the reason why the machine is not supported.
    pub(crate) fn new() -> Result<Self, String> {
        let mut flags = settings::builder();
        // The instructions are already ordered and free of common subexpressions.
        for (name, value) in [
            ("opt_level", "none"),
            ("enable_verifier", "false"),
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
        ] {
            flags.set(name, value).map_err(|e| e.to_string())?;
        }
        let builder = cranelift_native::builder()?;
        let isa = builder.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())?;
        // Without fused multiply-add, Cranelift would call a function.
        let x86 = isa.isa_flags().iter().find(|f| f.name == "has_fma").map(|f| f.as_bool() == Some(true));
        Ok(Host { isa, fuses: x86.unwrap_or(true) })
    }

    pub(crate) fn isa(&self) -> OwnedTargetIsa {
        self.isa.clone()
    }

    /// Whether the machine has fused multiply-add.
    pub(crate) fn fuses(&self) -> bool {
        self.fuses
    }

    /// The same machine without fused multiply-add.
    #[cfg(test)]
    pub(crate) fn unfused(self) -> Self {
        Host { fuses: false, ..self }
    }
}
