//! What is exported of a run: its names, its settings, and the columns of its rounds as numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fedbits_record::{ROUND_COLUMNS, RoundRow, RunRecord, has_manifest};
use fedbits_reports::Arm;
use fedbits_text::Tree;

use super::names::Names;

/// Bits in all directions with headers: a column that `rounds.csv` leaves to its readers.
const BITS_TOTAL: &str = "bits_total";

/// A run.
pub(super) struct Run<'a> {
    /// The arm's name.
    pub arm: &'a str,
    /// The arm's name, and which of its runs it is where it has several.
    pub name: String,
    /// The name as that of a file; no other run has it.
    pub file: String,
    /// 32 hexadecimal digits that only this run has, and always has.
    pub id: String,
    /// What it left.
    pub record: &'a RunRecord,
    /// The folder of its record; none of a run of a study.
    pub folder: Option<&'a Path>,
    /// Paths and values of all settings but the description and the arms; a path stands once.
    pub settings: Vec<(String, String)>,
    /// What the scenario says about itself.
    pub about: String,
    /// Whether a setting is not the same in all runs, by path.
    pub varies: BTreeSet<String>,
}

/// A number of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Whole(u64),
    /// Seconds, in nanoseconds.
    Seconds(u64),
    Float(f64),
}

impl Number {
    /// With all digits, as decimal notation or with an exponent.
    pub(super) fn text(self) -> String {
        match self {
            Self::Whole(value) => value.to_string(),
            Self::Seconds(time_ns) => seconds(time_ns),
            Self::Float(value) => format!("{value:?}"),
        }
    }

    /// The nearest double.
    pub(super) fn double(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Seconds(time_ns) => seconds(time_ns).parse().unwrap_or(time_ns as f64 / 1e9),
            Self::Float(value) => value,
        }
    }
}

/// Nanoseconds as decimal seconds, exactly.
pub(super) fn seconds(time_ns: u64) -> String {
    format!("{}.{:09}", time_ns / 1_000_000_000, time_ns % 1_000_000_000)
}

impl Run<'_> {
    /// Names of the columns: those of `rounds.csv` but the round, and the bits in all.
    pub(super) fn columns(&self) -> Vec<String> {
        let extra = &self.record.manifest.extra_columns;
        let total = Some(BITS_TOTAL.to_owned()).filter(|total| !extra.contains(total));
        let fixed = ROUND_COLUMNS[1..].iter().map(|&name| name.to_owned());
        fixed.chain(extra.iter().cloned()).chain(total).collect()
    }

    /// The numbers of a row in these columns; none where nothing was measured.
    pub(super) fn numbers(&self, row: &RoundRow) -> Vec<Option<Number>> {
        let (whole, float) = (|value| Some(Number::Whole(value)), |value: Option<f64>| value.map(Number::Float));
        let bits = [row.bits_up, row.bits_down, row.bits_peer, row.bits_header];
        let clients = [row.selected, row.arrived, row.late, row.lost];
        let mut numbers = vec![Some(Number::Seconds(row.time_ns)), float(Some(row.epochs)), whole(row.expectations)];
        numbers.extend(bits.into_iter().chain([row.bits_wasted]).chain(clients).map(whole));
        numbers.extend([row.objective, row.mean_field_sq, row.field_sq].map(float));
        numbers.extend(row.extra.iter().copied().map(float));
        if !self.record.manifest.extra_columns.iter().any(|name| name == BITS_TOTAL) {
            numbers.push(whole(row.bits_total()));
        }
        numbers
    }

    /// The last number of each column that has one.
    pub(super) fn last(&self) -> BTreeMap<String, Number> {
        let mut last = BTreeMap::new();
        for row in &self.record.rounds {
            let numbers = self.columns().into_iter().zip(self.numbers(row));
            last.extend(numbers.filter_map(|(name, number)| Some((name, number?))));
        }
        last
    }
}

/// The runs of arms in their order.
pub(super) fn runs(arms: &[Arm]) -> Vec<Run<'_>> {
    let mut files = Names::default();
    let mut runs = Vec::new();
    for arm in arms {
        let several = Several::of(arm);
        for (folder, record) in arm.runs() {
            let name = format!("{}{}", arm.label(), several.which(record));
            let (settings, about) = settings(&record.manifest.scenario_text);
            runs.push(Run {
                arm: arm.label(),
                file: files.of_file(&name),
                id: id(&name, record),
                name,
                record,
                folder: Some(folder).filter(|folder| has_manifest(folder).unwrap_or(false)),
                settings,
                about,
                varies: BTreeSet::new(),
            });
        }
    }
    let varies = varying(&runs);
    runs.iter_mut().for_each(|run| run.varies.clone_from(&varies));
    runs
}

/// In what the runs of an arm differ.
struct Several {
    seeds: bool,
    replicates: bool,
}

impl Several {
    fn of(arm: &Arm) -> Self {
        let differ = |number: fn(&RunRecord) -> u64| arm.records().map(number).collect::<BTreeSet<_>>().len() > 1;
        Self { seeds: differ(|record| record.manifest.seed), replicates: differ(|record| record.manifest.replicate) }
    }

    fn which(&self, record: &RunRecord) -> String {
        let (seed, replicate) = (record.manifest.seed, record.manifest.replicate);
        match (self.seeds, self.replicates) {
            (false, false) => String::new(),
            (true, false) => format!(", seed {seed}"),
            (false, true) => format!(", replicate {replicate}"),
            (true, true) => format!(", seed {seed}, replicate {replicate}"),
        }
    }
}

/// Settings by path, without what only describes or is spread over the arms, and the description.
fn settings(scenario: &str) -> (Vec<(String, String)>, String) {
    let tree = Tree::scan(scenario);
    let about = tree.root().field("about").and_then(|about| about.string()).unwrap_or_default();
    let mut seen = BTreeSet::new();
    let is_setting = |path: &str| path != "about" && path != "arms";
    let settings = tree.settings().into_iter().filter(|(path, _)| is_setting(path) && seen.insert(path.clone()));
    (settings.collect(), about)
}

fn varying(runs: &[Run<'_>]) -> BTreeSet<String> {
    let mut values: BTreeMap<&str, (BTreeSet<&str>, usize)> = BTreeMap::new();
    for (path, value) in runs.iter().flat_map(|run| &run.settings) {
        let entry = values.entry(path).or_default();
        entry.0.insert(value);
        entry.1 += 1;
    }
    let varies = |(values, count): &(BTreeSet<&str>, usize)| values.len() > 1 || *count < runs.len();
    values.iter().filter(|(_, found)| varies(found)).map(|(path, _)| (*path).to_owned()).collect()
}

fn id(name: &str, record: &RunRecord) -> String {
    let manifest = &record.manifest;
    let mut hasher = blake3::Hasher::new();
    for part in [name, &manifest.scenario_text, &manifest.digests.timeline, &manifest.digests.state] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
