//! Sizes of the E-step kernel.

/// Observations per block.
pub(super) const BLOCK: usize = 32;
/// Numbers in the longest vector of any instruction set.
pub(super) const LANES: usize = 8;
