//! Which client holds which example.

use serde::{Deserialize, Serialize};

/// Which client holds which example.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Partition {
    /// A uniformly random order, cut into equal shares.
    #[default]
    Iid,
    /// Sorted by label, cut into equal shares: the most heterogeneous clients. Needs labels.
    SortedByLabel,
    /// Each label is spread over clients by a draw of Dirichlet(alpha, …, alpha). Needs labels.
    Dirichlet {
        /// Concentration; above 0; small is heterogeneous, large is iid. No unit.
        alpha: f64,
    },
    /// Whole observers (groups of the data), dealt out at random in equal numbers. Needs counts.
    Observers,
    /// The client column of the file; then `clients` is not given.
    ClientColumn,
    /// Features, not examples, are divided: consecutive ones, in shares that differ by at most one. For VP-EM.
    EvenFeatures,
    /// Features, not examples, are divided: the lists of the clients' features, counted from 0. For VP-EM.
    Features(Vec<Vec<usize>>),
}
