//! The folder of a scenario's runs: what was to be run, what was, and the tables for other tools.
//!
//! | file of the folder | holds |
//! |---|---|
//! | `plan.json` | [`RunPlan`]: axes, arms with their resolved scenarios, baseline, targets, replicates |
//! | `segments/*.seg` | the store: one frame per finished run ([`Store`]); the only file that cannot be made again |
//! | `runs.csv` | one row per run: settings, totals, where it ended, what it took to each target, digests |
//! | `NAME.csv` | the table NAME of all runs ([`crate::RunRecord::table`]), with arm, axes and replicate |
//! | `traces/` | traces that were made of runs later |
//! | `models/ARM.json`, `.npz` | the fitted model of each arm's first replicate |
//! | `decision.json` | of a search: what it asked for and decided so far ([`Decision`]) |
//! | `README.md` | what the columns are, and the lines that read them in other tools |
//! | `damaged/` | what was damaged or stood in the way of one of these files: nothing is thrown away |
//!
//! [`Results`] is the entrance for everything that shows results: it opens a folder, says which runs are there, and
//! gives each as a [`crate::RunRecord`] whose manifest is whole (scenario, arm, digests, caveats). The CSV files are
//! for other tools and are made from the same runs.

mod decision;
mod error;
mod folder;
mod frame;
mod key;
mod objective;
mod plan;
mod repair;
mod run;
mod runs_table;
mod segment;
mod store;
mod tables;
mod target;

pub use decision::{
    DECISION_FILE, Decision, DecisionArm, DecisionLook, DecisionStanding, DropReason, Effect, PlanSearch,
};
pub use error::StoreError;
pub use folder::{PlannedRun, Results, RunCounts};
pub use frame::frame;
pub use key::{ArmIdentity, Key, file_digest};
pub use objective::{PlanObjective, RunCost};
pub use plan::{PlanArm, PlanAxis, RunPlan, has_plan, is_result_folder};
pub use repair::{move_aside, set_aside};
pub use run::{RunStatus, StoredRun};
pub use segment::SegmentWriter;
pub use store::{Damage, Store};
pub use tables::{Selection, TidyTable, WrittenTables};
pub use target::{Bound, PlanTarget, TargetCost, grows, measured, reach};

/// Name of the plan inside a folder of runs.
pub const PLAN_FILE: &str = "plan.json";
/// Name of the folder of the store.
pub const SEGMENTS_FOLDER: &str = "segments";
/// Name of the folder of fitted models.
pub const MODELS_FOLDER: &str = "models";
/// Name of the folder of what was damaged or stood in the way.
pub const DAMAGED_FOLDER: &str = "damaged";
