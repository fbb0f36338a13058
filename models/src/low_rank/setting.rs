//! How many complete matrices there are.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

/// The complete data of low-rank imputation. EM is valid for every M that holds each cell at most once per matrix, and
/// the slower the larger M is.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Matrices {
    /// One matrix per observer, as in the FedEM paper.
    #[default]
    PerObserver,
    /// The smallest number that holds all observations: the most observations of one cell. With one observation per
    /// cell EM becomes hard- or soft-impute.
    Fewest,
}
