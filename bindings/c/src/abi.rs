/// Number of the binary interface. It rises when a program that was compiled with an older header would no longer run correctly.
pub const ARMDYN_ABI_VERSION: u32 = 1;
