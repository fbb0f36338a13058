//! Ranges of single values by their paths as text, for checks that the derived ones do not reach.

use fedbits_spec::range::{Range, whole};
use fedbits_spec::{Facts, Findings, Path};

/// Whether a whole number lies from `low` to `high`.
pub(super) fn count(findings: &mut Findings, path: &str, value: u64, low: u64, high: u64, what: &'static str) -> bool {
    whole(low, high).note(what).check(&value, &Path::Root.field(path), &Facts::default(), findings);
    (low..=high).contains(&value)
}
