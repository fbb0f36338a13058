//! One run as the store keeps it. What the host contributed (seconds, memory) stands apart from what the run's key
//! determines, so that two results under one key can be compared to the last bit.
//!
//! The host's part is the host as JSON and the fitted model, which follows from the result. The result is the manifest
//! as JSON, then the rounds, then the other tables in the format of `postcard`: who needs no tables reads none.

use fedbits_tally::words;
use serde::Deserialize;

use crate::{
    HistogramSummary, Host, LedgerRow, Manifest, RoundCosts, RoundRow, RunRecord, RunTable, Series, TopologyRows,
};

/// What became of a run. Frames have the number of the variant, from 1, as their kind.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RunStatus {
    /// Finished to its end.
    Finished,
    /// Finished until the simulation failed: a result, and it will be the same again unless the program is repaired.
    Failed,
    /// Not run: something of the machine or of the files stood in the way, so it may go well next time.
    NotRun,
    /// Ended early by a search, which needs no more of it. It has a key of its own, beside that of the whole run.
    Cut,
    /// Finished to its end with a degenerate fit ([`crate::Verdict`]).
    Degenerate,
}

words!(RunStatus, name:
    Finished = "finished",
    Failed = "failed",
    NotRun = "not_run",
    Cut = "cut",
    Degenerate = "degenerate",
);

impl RunStatus {
    /// That of a run that has a result.
    #[must_use]
    pub fn of(record: &RunRecord) -> Self {
        match &record.manifest {
            manifest if manifest.cut.is_some() => Self::Cut,
            manifest if manifest.failure().is_some() => Self::Failed,
            manifest if manifest.is_degenerate() => Self::Degenerate,
            _ => Self::Finished,
        }
    }

    /// Which of several frames of one key counts: that of the highest rank.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::NotRun => 0,
            Self::Failed => 1,
            Self::Finished | Self::Degenerate | Self::Cut => 2,
        }
    }

    /// Whether no other result of the same key can take its place.
    pub(super) fn is_final(self) -> bool {
        self.rank() == 2
    }
}

/// What became of a run that was to be made.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredRun {
    /// It ran to an end, be it that the simulation itself failed: the manifest says so. The manifest names neither
    /// scenario nor arm: the plan does.
    Finished(Box<RunRecord>),
    /// It could not be run, for this reason.
    NotRun(String),
}

/// The tables of a record beside the rounds.
type Tables = (
    Vec<LedgerRow>,
    Vec<HistogramSummary>,
    Option<Series>,
    Option<Series>,
    Option<TopologyRows>,
    Vec<RunTable>,
    Vec<u8>,
);

/// What of a run is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Depth {
    /// Manifest and rounds.
    Rounds,
    /// All.
    Tables,
}

impl StoredRun {
    /// A finished run, freed of what the plan knows.
    #[must_use]
    pub fn finished(mut record: RunRecord) -> Self {
        let manifest = &mut record.manifest;
        (manifest.scenario, manifest.arm, manifest.scenario_text) = (String::new(), String::new(), String::new());
        manifest.arm_index = 0;
        Self::Finished(Box::new(record))
    }

    /// What became of it.
    #[must_use]
    pub fn kind(&self) -> RunStatus {
        match self {
            Self::Finished(record) => RunStatus::of(record),
            Self::NotRun(_) => RunStatus::NotRun,
        }
    }

    /// What the host contributed, and what the key determines.
    pub(super) fn write(&self) -> (Vec<u8>, Vec<u8>) {
        let record = match self {
            Self::Finished(record) => record,
            Self::NotRun(why) => return (why.clone().into_bytes(), Vec::new()),
        };
        let host = serde_json::to_vec(&record.manifest.host).expect("finite numbers always serialize");
        let host = postcard::to_extend(&(host, &record.model, &record.no_model), Vec::new());
        let manifest = Manifest { host: Host::default(), ..record.manifest.clone() };
        let manifest = serde_json::to_vec(&manifest).expect("finite numbers always serialize");
        let RunRecord { rounds, ledger, histograms, theta, statistics, topology, extra, checks, .. } = &**record;
        const TEXTS: &str = "rows of numbers and texts always serialize";
        let body = postcard::to_extend(&(manifest, rounds), Vec::new());
        let tables = (ledger, histograms, theta, statistics, topology, extra, checks);
        let body = body.and_then(|body| postcard::to_extend(&tables, body));
        (host.expect(TEXTS), body.expect(TEXTS))
    }

    /// A finished run.
    pub(super) fn read_finished(host: &[u8], body: &[u8], depth: Depth) -> Option<RunRecord> {
        let ((host, model, no_model), _): ((Vec<u8>, Option<&str>, Option<&str>), _) = taken(host)?;
        let ((manifest, mut rounds), rest): ((Vec<u8>, Vec<RoundRow>), _) = taken(body)?;
        let manifest =
            Manifest { host: serde_json::from_slice(&host).ok()?, ..serde_json::from_slice(&manifest).ok()? };
        let manifest = manifest.visible();
        RoundCosts::fill(&mut rounds, &manifest.extra_columns);
        let no_model = no_model.map(fedbits_spec::visible);
        let record = RunRecord { manifest, rounds, no_model, ..RunRecord::default() };
        if depth == Depth::Rounds {
            return record.check().is_ok().then_some(record);
        }
        let ((ledger, histograms, theta, statistics, topology, extra, checks), rest): (Tables, _) = taken(rest)?;
        let record = RunRecord {
            ledger,
            histograms,
            theta,
            statistics,
            topology,
            extra,
            checks,
            model: model.map(str::to_owned),
            ..record
        };
        (rest.is_empty() && record.check().is_ok()).then_some(record)
    }
}

/// A value, and the bytes behind it.
fn taken<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Option<(T, &'b [u8])> {
    postcard::take_from_bytes(bytes).ok()
}
