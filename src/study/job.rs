//! One run of a study.

use fedbits_record::study::Key;

/// A run to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    /// Index of the arm.
    pub(crate) arm: usize,
    /// Number of the replicate.
    pub(crate) replicate: u64,
    /// The key of its result.
    pub(crate) key: Key,
}
