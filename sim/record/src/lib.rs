//! The records of runs: typed rows and their files.
//!
//! This is the interface between the simulator, the reports and the user's own tools. It does not depend on the engine,
//! protocols or figures: any program can read these files, and files of any program can be plotted.
//!
//! | file | holds |
//! |---|---|
//! | `manifest.json` | [`Manifest`]: scenario, seed, digests, totals, caveats; written last, so where it stands the record is whole |
//! | `rounds.csv` | one [`RoundRow`] per recorded round |
//! | `ledger.csv` | one [`LedgerRow`] per link, direction, purpose and fate |
//! | `histograms.csv` | one [`HistogramSummary`] per measured distribution |
//! | `theta.csv`, `statistics.csv` | a [`Series`]: named components per recorded round |
//! | `topology.csv` | [`TopologyRows`]: the sites of the network and the links between them, when it has any |
//! | `links.csv` | one [`LinkRow`] per link between sites, direction over it, direction, purpose and fate |
//! | `links_over_time.csv` | one [`LinkTimeRow`] per interval between chosen rounds, link and direction over it |
//! | `map.csv` | [`MapProjection`]: how places on the earth became coordinates of `topology.csv` |
//! | `marginals.csv` | [`Marginal`]s: histograms of the columns of the examples |
//! | `trace.csv` | one [`TraceRow`] per transfer, computation and wait of chosen rounds |
//! | `NAME.csv` | [`ExtraTable`]: what a protocol or model adds at its end (a predictive check, totals over time) |
//! | `timeline.bin` | one check byte per event, by which a verification finds the first event that differs |
//!
//! A study keeps many runs in one directory; see [`study`].
//!
//! Promises: whole numbers are written as such, time as exact decimal seconds, floats so that they read back to the
//! same bits, a value that was not measured as an empty cell. NaN and infinities are refused. Files appear under their
//! name only when complete.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod claim;
mod clients;
mod ending;
mod error;
mod extra;
mod figures;
mod files;
mod folder;
mod histogram;
#[cfg(test)]
mod interrupted;
mod ledger;
mod link_times;
mod links;
mod manifest;
mod map;
mod marginals;
#[cfg(feature = "parquet")]
pub mod parquet;
mod read;
mod recorder;
mod reference;
mod round;
mod series;
mod spreadsheet;
pub mod study;
mod table;
mod together;
mod topology;
mod trace;
mod verdict;

pub use claim::{Claim, FoundClaim, Hold, Holder, claims_on};
pub use clients::{
    CLIENT_COLUMNS, CLIENTS, ClientBits, ClientColumn, ClientPart, ClientRow, EnergyTotals, PerClient,
    QUALITY_OF_CLIENTS, Spread, client_table, clients_at,
};
pub use ending::{end_process, undivided};
pub use error::RecordError;
pub use extra::ExtraTable;
pub use figures::{FIGURES_FOLDER, FigureFolder};
pub use files::{
    TemporaryFolder, is_temporary, is_there, make_folder, new_folder, remove_if_there, write_new, write_whole,
};
pub use folder::{
    add_to_record, check_replaceable, foreign_entry, has_manifest, is_record, remove_record, replace_record,
    retire_record,
};
pub use histogram::{Histogram, HistogramSummary};
pub use ledger::{Direction, Fate, LedgerRow};
pub use link_times::LinkTimeRow;
pub use links::LinkRow;
pub use manifest::{Digests, FAILED, Host, MEAN_FIELD_REACHED, Manifest, RECORD_FORMAT, Totals};
pub use map::MapProjection;
pub use marginals::Marginal;
pub use read::RunRecord;
pub use recorder::{Columns, Recorder};
pub use reference::{Cut, Reference, Spending, StopRules, problem_digest};
pub use round::{
    ENERGY, EPSILON, HELD_OUT_COLUMNS, MEASURED_COLUMNS, PARAMETER_ERROR, QUALITY_COLUMNS, ROUND_COLUMNS, RoundCosts,
    RoundRow, is_spent, no_target,
};
pub use series::{Series, SeriesRow};
pub use spreadsheet::{guarded, unguarded};
pub use table::{Float, Table};
pub use together::{ArmRuns, missing_caveat};
pub use topology::{TopologyLink, TopologyRows, TopologySite};
pub use trace::{TRACE, TracePart, TraceRow};
pub use verdict::{FinalFit, MARGIN, Verdict};

/// Name of the manifest inside a record directory.
pub const MANIFEST_FILE: &str = "manifest.json";
/// Name of the table of rounds.
pub const ROUNDS_FILE: &str = "rounds.csv";
/// Name of the ledger of bits.
pub const LEDGER_FILE: &str = "ledger.csv";
/// Name of the summaries of distributions.
pub const HISTOGRAMS_FILE: &str = "histograms.csv";
/// Name of the parameter's path θ.
pub const THETA_FILE: &str = "theta.csv";
/// Name of the statistics' path Ŝ.
pub const STATISTICS_FILE: &str = "statistics.csv";
/// Name of the network's topology.
pub const TOPOLOGY_FILE: &str = "topology.csv";
/// Name of the check bytes of the timeline.
pub const TIMELINE_FILE: &str = "timeline.bin";
