//! The records of runs: typed rows and their files.
//!
//! This is the interface between the simulator, the reports and the user's own tools. It does not depend on the engine,
//! protocols or figures. A [`RunRecord`] is what one run left; [`results`] keeps the runs of a scenario in one folder.
//!
//! | table | holds |
//! |---|---|
//! | `rounds` | one [`RoundRow`] per recorded round |
//! | `ledger` | one [`LedgerRow`] per link, direction, purpose and fate |
//! | `histograms` | one [`HistogramSummary`] per measured distribution |
//! | `theta`, `statistics` | a [`Series`]: named components per recorded round |
//! | `topology` | [`TopologyRows`]: the sites of the network and the links between them, when it has any |
//! | `links` | one [`LinkRow`] per link between sites, direction over it, direction, purpose and fate |
//! | `links_over_time` | one [`LinkTimeRow`] per interval between chosen rounds, link and direction over it |
//! | `map` | [`MapProjection`]: how places on the earth became coordinates of `topology` |
//! | `marginals` | [`Marginal`]s: histograms of the columns of the examples |
//! | `trace` | one [`TraceRow`] per transfer, computation and wait of chosen rounds |
//! | others | [`RunTable`]: what a protocol or model adds at its end (a predictive check, totals over time) |
//!
//! Promises: whole numbers are written as such, time as exact decimal seconds, floats so that they read back to the
//! same bits, a value that was not measured as an empty cell. NaN and infinities are refused. Files appear under their
//! name only when complete.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod claim;
mod clients;
mod ending;
mod error;
mod figures;
mod files;
mod fit;
mod links;
mod manifest;
mod marginals;
#[cfg(feature = "parquet")]
mod parquet;
mod recorder;
mod reference;
pub mod results;
mod round;
mod run_record;
mod run_table;
mod series;
mod table;
mod topology;
mod trace;
mod verdict;

pub use claim::{Claim, FoundClaim, Hold, Holder, claims_on};
pub use clients::{
    BYZANTINE, CLIENT_COLUMNS, CLIENTS, ClientBits, ClientColumn, ClientPart, ClientRow, EnergyTotals, PerClient,
    QUALITY_OF_CLIENTS, Spread, client_table, clients_at,
};
pub use ending::{end_process, uninterrupted};
pub use error::RecordError;
pub use fedbits_tally::{Direction, FAILED, Fate, Histogram, HistogramSummary, LedgerRow};
pub use figures::{FIGURES_FOLDER, FigureFolder};
pub use files::{
    TemporaryFolder, is_temporary, is_there, make_folder, new_folder, remove_if_there, write_new, write_new_with,
    write_whole,
};
pub use fit::{FinalFit, MARGIN};
pub use links::{LinkRow, LinkTimeRow};
pub use manifest::{Digests, Host, MEAN_FIELD_REACHED, Manifest, Totals};
pub use marginals::Marginal;
pub use recorder::{Columns, Recorder};
pub use reference::{Cut, Reference, Spending, StopRules, problem_digest};
pub use round::{
    BYZANTINE_COLUMNS, ENERGY, EPSILON, GRADIENT_SQ, HELD_OUT_COLUMNS, MEASURED_COLUMNS, OCCUPIED, PARAMETER_ERROR,
    QUALITY_COLUMNS, ROUND_COLUMNS, RoundCosts, RoundRow, WORST_TENTH, is_spent, no_target,
};
pub use run_record::{MOST_CHECKS, RunRecord};
pub use run_table::{Cell, ColumnKind, RunTable};
pub use series::{Series, SeriesRow};
pub use table::{Float, Table, guarded, unguarded};
pub use topology::{MapProjection, TopologyLink, TopologyRows, TopologySite};
pub use trace::{TRACE, TracePart, TraceRow};
pub use verdict::Verdict;

#[cfg(test)]
mod interrupted_tests;
