//! Results of a study: many runs in few files, and what their reader needs to know about them.
//!
//! | file of a study's directory | holds |
//! |---|---|
//! | `study.json` | [`StudyPlan`]: axes, arms with their resolved scenarios, baseline, targets, replicates |
//! | `segments/*.seg` | the store: one frame per finished run ([`Store`]); the only file that cannot be made again |
//! | `results.csv` | one row per run: settings, totals, where it ended, what it took to each target, digests |
//! | `curves.csv` | one row per run and recorded round |
//! | `results.parquet`, `curves.parquet` | the same with types, when the crate is built with its feature `parquet` |
//! | `ledger.csv` | bits per arm, direction, purpose and fate, summed over the arm's runs |
//! | `tables/` | what runs leave beside these: `NAME.csv` with arm and replicate; `topology.csv` of each arm's first run |
//! | `decision.json` | of a search: what it asked for and decided so far ([`Decision`]) |
//! | `README.md` | what the columns are, and the lines that read them in other tools |
//! | `damaged/` | what was damaged or stood in the way of one of these files: nothing is thrown away |
//!
//! [`StudyRecord`] is the entrance for everything that shows results: it opens a directory, says which runs are there,
//! and gives each as a [`crate::RunRecord`] whose manifest is whole (scenario, arm, digests, caveats). The CSV files
//! are for other tools and are made from the same runs.

mod bytes;
mod decision;
mod error;
mod frame;
mod goal;
mod index;
mod key;
mod objective;
mod own_tables;
#[cfg(feature = "parquet")]
mod parquet;
mod plan;
mod repair;
mod rows;
mod run;
mod scan;
mod segment;
mod store;
mod study_record;
mod tables;
mod target;

pub use decision::{
    DECISION_FILE, Decision, DecisionArm, DecisionLook, DecisionStanding, DropReason, Effect, PlanSearch,
};
pub use error::StoreError;
pub use frame::FrameKind;
pub use goal::{Bound, PlanTarget, grows};
pub use key::{ArmIdentity, Key, file_digest};
pub use objective::{PlanObjective, RunCost};
pub use plan::{PlanArm, PlanAxis, StudyPlan, has_plan, is_study};
pub use repair::{move_aside, set_aside};
pub use run::StoredRun;
pub use segment::SegmentWriter;
pub use store::{Damage, Store};
pub use study_record::{PlannedRun, RunCounts, StudyRecord};
pub use target::{TargetCost, measured, reach};

/// Name of the plan inside a study's directory.
pub const PLAN_FILE: &str = "study.json";
/// Name of the folder of the store.
pub const SEGMENTS_FOLDER: &str = "segments";
/// Name of the folder of what was damaged or stood in the way.
pub const DAMAGED_FOLDER: &str = "damaged";
/// Name of the table of runs.
pub const RESULTS_FILE: &str = "results.csv";
/// Name of the table of recorded rounds.
pub const CURVES_FILE: &str = "curves.csv";
/// Name of the folder of the tables that only some protocols, models or networks have.
const TABLES_FOLDER: &str = "tables";
