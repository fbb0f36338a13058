//! Ceilings of source lines per folder, and the rule that a name is that of one type. Both only go down: who deletes lowers
//! the ceiling, who adds to a folder takes as much away from it.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::none;
use crate::tidy::source::sources;

/// Lines of source in each folder, without tests, benchmarks and examples; of several folders that fit the longest.
const CEILINGS: [(&str, usize); 18] = [
    ("src/cli/", 10200),
    ("src/", 4680),
    ("sim/record/", 5850),
    ("sim/spec/", 3295),
    ("sim/protocols/", 24100),
    ("sim/kernel/", 11400),
    ("sim/tcp/", 2675),
    ("sim/codec/", 7150),
    ("sim/", 2490),
    ("search/", 655),
    ("scenarios/", 11905),
    ("models/", 23250),
    ("reports/src/figures/", 6435),
    ("reports/setting/", 925),
    ("reports/", 10945),
    ("python/", 4065),
    ("tools/", 3335),
    ("web/", 215),
];

/// A folder may be this much shorter than its ceiling before the ceiling has to follow.
const SLACK: usize = 600;

fn folder_of(name: &str) -> &'static str {
    let fits = |folder: &&(&str, usize)| name.starts_with(folder.0);
    let longest = CEILINGS.iter().filter(fits).max_by_key(|(folder, _)| folder.len());
    longest.map_or("", |(folder, _)| folder)
}

#[test]
fn folders_keep_to_their_budgets() {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources().iter().filter(|source| source.is_library) {
        *lines.entry(folder_of(&source.name)).or_default() += source.without_tests().lines().count();
    }
    let mut found: Vec<String> =
        lines.get("").map(|count| format!("{count} lines in no folder of the list")).into_iter().collect();
    for (folder, ceiling) in CEILINGS {
        let count = lines.get(folder).copied().unwrap_or(0);
        if count > ceiling {
            found.push(format!("{folder}: {count} lines, {ceiling} allowed"));
        } else if count + SLACK < ceiling {
            found.push(format!("{folder}: {count} lines: lower its ceiling of {ceiling}"));
        }
    }
    none(found, "folders have at most so many lines of source (tests/tidy/budget.rs)");
}

/// The type that a line at the margin declares.
fn type_name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub").map_or(line, |rest| rest.split_once(' ').map_or(rest, |(_, rest)| rest));
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

/// Names that several types still have.
const SHARED_NAMES: &str = "\
    About Amount Arm Arrangement Array Attributes Axis Band Bernoulli Block Broadcast Built \
    Cell Claim Client Coder Codes Column \
    Columns Compared Comparison Compressor Conditional Connection Connections Content Coordinates Cost \
    Counts Curve Difference Distribution Document Doing Durations Ending Entry \
    Estimate Event Failure Fate Features Field Figure FigureKind Findings Fit \
    FittedMixture Flow Form Found Frame Gaps Gaussian Given Headers HeldOut Holds Host Interval \
    Iterate Kept Kernel Key Kind Known KnownRun Law Layout Level Line Lines Link \
    Literal Log Look Lossy Map Mark Matrix Measure Measured Memory Message Method Missing Mixture Model \
    Moment Moments Named Natural Neighbours Next Node Numbers Options Origin Outcome \
    Packet Page Pair Panel Part Path Phase Piece Place Plan Points Positions \
    Prepared Problem Progress Proposal Protocol Quantity Queue Race Range Reading Receiver \
    Report Row Rows Rule Run RunCost RunOptions Said Sample Sampler Scale Scanner Scenario Search \
    Sender Sending Sent Shape Shared Shares Slot Source Span Spread Standing Start State \
    Step Stop StopRules Subject Sums Table Target Task Terms Text Totals Trace Transfer \
    Unit Unread Value Values Verdict Waiting Wanted Watch Watched Way Weights Whole Window \
    Windows Wire Words Work Workspace Written";

#[test]
fn a_name_is_that_of_one_type() {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources().iter().filter(|source| source.is_library) {
        for name in source.without_tests().lines().filter_map(type_name) {
            places.entry(name.to_owned()).or_default().insert(source.name.clone());
        }
    }
    let known: BTreeSet<&str> = SHARED_NAMES.split_whitespace().collect();
    let several = |(_, files): &(&String, &BTreeSet<String>)| files.len() > 1;
    let shared: BTreeMap<&str, String> = places
        .iter()
        .filter(several)
        .map(|(name, files)| (name.as_str(), files.iter().cloned().collect::<Vec<_>>().join(", ")))
        .collect();
    let new = shared.iter().filter(|(name, _)| !known.contains(*name)).map(|(name, files)| format!("{name}: {files}"));
    let gone = known.iter().filter(|name| !shared.contains_key(*name));
    let gone = gone.map(|name| format!("{name} is one type now: take it out of the list"));
    none(new.chain(gone).collect(), "a name is that of one type (tests/tidy/budget.rs)");
}
