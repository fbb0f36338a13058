//! A run to be made.

use fedbits_record::Cut;
use fedbits_record::results::Key;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) arm: usize,
    pub(crate) replicate: u64,
    pub(crate) key: Key,
    /// Where it may end early.
    pub(crate) cut: Option<Cut>,
}
