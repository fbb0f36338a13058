//! Entries of the legends of charts.

use super::charts::Sample;
use super::facets::ArmsFrame;

/// Each label of the frames once, but for arms of which nothing is shown.
pub(crate) fn entries(frames: &[ArmsFrame], is_shown: impl Fn(usize) -> bool) -> Vec<(String, Sample)> {
    let mut entries: Vec<(String, Sample)> = Vec::new();
    for (_, label, style) in frames.iter().flat_map(|frame| &frame.arms).filter(|(arm, ..)| is_shown(*arm)) {
        if entries.iter().all(|(known, _)| known != label) {
            entries.push((label.clone(), Sample::Line(*style)));
        }
    }
    entries
}
