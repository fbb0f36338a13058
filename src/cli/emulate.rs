//! `fedbits emulate`: a scenario's arms over real sockets, one after the other, their records, and how far the
//! simulation was from them.

use fedbits_reports::Figures;

use crate::cli::args::EmulateOptions;
use crate::cli::failure::Failure;
use crate::cli::progress::Console;

#[cfg(target_os = "linux")]
mod linux;

/// Emulates a scenario.
#[cfg(target_os = "linux")]
pub(crate) fn emulate(options: &EmulateOptions, kinds: &Figures, console: &Console) -> Result<(), Failure> {
    linux::emulate(options, kinds, console)
}

/// Says why there is no emulation.
#[cfg(not(target_os = "linux"))]
pub(crate) fn emulate(_: &EmulateOptions, _: &Figures, _: &Console) -> Result<(), Failure> {
    let why = "`emulate` needs Linux: it makes network namespaces and TUN devices, which this system does not have";
    Err(Failure::Input(why.to_owned()))
}
