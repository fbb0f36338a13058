//! What must be known before a comparison is trusted: of its runs, and of its medians.

use super::pareto::Front;
use super::results::Block;
use super::samples::Samples;
use crate::words::first_few;

/// Up to this many arms are named, of more their number.
const NAMED: usize = 6;

/// The caveats of a comparison.
pub(super) fn caveats(samples: &Samples, blocks: &[Block], fronts: &[Front]) -> Vec<String> {
    let failed: usize = samples.arms.iter().map(|arm| arm.failed).sum();
    let missing = samples.arms.iter().filter(|arm| arm.runs.len() < arm.planned).count();
    let mut lines = Vec::new();
    if failed > 0 {
        lines.push(format!("{failed} simulations failed: what they had not reached by then, they never reach"));
    }
    if missing > 0 {
        lines.push(format!("runs of {missing} arms are missing; run the study again"));
    }
    lines.extend((0..samples.targets.len()).filter_map(|target| few_at(samples, blocks, target)));
    let common = fronts.iter().find_map(Front::common);
    lines.extend(common.map(|common| format!("Pareto fronts are over {common}: others say nothing of who is better")));
    lines.extend(samples.caveats.iter().cloned());
    lines
}

/// The arms that have a median of what a target costs although not more than half of their runs got there.
fn few_at(samples: &Samples, blocks: &[Block], target: usize) -> Option<String> {
    let blocks = || blocks.iter().filter(|block| block.measure.target == Some(target)).map(|block| &block.arms);
    let few = |arm: usize| blocks().any(|arms| arms[arm].median.is_some() && 2 * arms[arm].reached <= arms[arm].runs);
    let arms: Vec<usize> = (0..samples.arms.len()).filter(|&arm| few(arm)).collect();
    let target = samples.targets[target].name();
    let names = first_few(arms.iter().map(|&arm| samples.arms[arm].name.clone()), NAMED);
    (!arms.is_empty()).then(|| {
        format!(
            "not more than half of the runs got to {target} (of {names}): medians (Kaplan–Meier) count the others up \
             to what they had cost, as if those that went on were like them"
        )
    })
}
