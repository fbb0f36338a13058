//! Which arms of a search are tried again.

use fedbits_scenarios::schema::Arm;

/// The arms of a search that are tried again under other assumptions.
pub(crate) enum Candidates {
    /// These arms of a race, by their numbers.
    Arms(Vec<usize>),
    /// Points of an optimization with what they set; the first one, which sets nothing, is the baseline.
    Points(Vec<Arm>),
}
