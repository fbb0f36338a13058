//! The instruction sets that tests compare.

use pulp::Arch;

/// Scalar code, and what this processor has of AVX2 and AVX-512.
pub(crate) fn levels() -> Vec<Arch> {
    let mut levels = vec![Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(pulp::x86::V3::try_new().map(Arch::V3));
        levels.extend(pulp::x86::V4::try_new().map(Arch::V4));
    }
    levels
}
