//! The name by which programs find the shared library: it has the number of the binary interface.

include!("src/abi.rs");

fn main() {
    println!("cargo::rerun-if-changed=src/abi.rs");
    let argument = match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "android" | "freebsd" | "netbsd" | "openbsd") => {
            format!("-Wl,-soname,libarmdyn.so.{ARMDYN_ABI_VERSION}")
        }
        Ok("macos") => format!("-Wl,-install_name,@rpath/libarmdyn.{ARMDYN_ABI_VERSION}.dylib"),
        _ => return,
    };
    println!("cargo::rustc-cdylib-link-arg={argument}");
}
