//! `fedbits-emulate SCENARIO --out DIR`: does the simulated network predict real TCP? See README.md.

#[cfg(target_os = "linux")]
mod program;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    program::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("fedbits-emulate needs Linux: it makes network namespaces and TUN devices");
    std::process::ExitCode::from(2)
}
