//! One run to be made.

use fedbits_record::Cut;
use fedbits_record::results::Key;

/// A run to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    /// Index of the arm.
    pub(crate) arm: usize,
    /// Number of the replicate.
    pub(crate) replicate: u64,
    /// The key of the whole run.
    pub(crate) key: Key,
    /// Where it may end early.
    pub(crate) cut: Option<Cut>,
}
