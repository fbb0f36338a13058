//! Which arms are ahead, by replicates that they have in common.

use crate::optimize::front::dominates;
use crate::outcome::{Outcome, Score, eligible};

/// The outcomes of every arm, replicates 0, 1, … in their order.
pub(crate) type Known = [Vec<Outcome>];

/// What runs cost by every objective: how many ended before the target, then the mean, in which those stand with their
/// bounds.
fn costs(runs: &[Outcome]) -> Vec<(usize, f64)> {
    let cost = |objective: usize| {
        let scores = || runs.iter().map(|run| run.scores[objective]);
        let short = scores().filter(|score| matches!(score, Score::AtLeast(_))).count();
        (short, scores().map(Score::value).sum::<f64>() / runs.len() as f64)
    };
    (0..runs[0].scores.len()).map(cost).collect()
}

/// Whether `one` is worse than `other` by the replicates that both have: not eligible where the other is, or no better
/// in any objective and worse in one.
pub(crate) fn behind(one: &[Outcome], other: &[Outcome], reached: f64) -> bool {
    let count = one.len().min(other.len());
    let (one, other) = (&one[..count], &other[..count]);
    match (eligible(one, reached), eligible(other, reached)) {
        (false, true) => true,
        (true, false) => false,
        _ => dominates(&costs(other), &costs(one)),
    }
}

/// Of `arms` those with the most replicates, of those that are eligible if any is, that no other of them is ahead of:
/// the best arm, or the front of several objectives.
pub(crate) fn leaders(known: &Known, arms: &[usize], reached: f64) -> Vec<usize> {
    let fit: Vec<usize> = arms.iter().copied().filter(|&arm| eligible(&known[arm], reached)).collect();
    let asked = if fit.is_empty() { arms.to_vec() } else { fit };
    let most = asked.iter().map(|&arm| known[arm].len()).max().unwrap_or(0);
    if most == 0 {
        return Vec::new();
    }
    let ripe: Vec<usize> = asked.into_iter().filter(|&arm| known[arm].len() == most).collect();
    undominated(known, &ripe, reached)
}

/// Those of `arms` that no other of them is ahead of, by the replicates that all of them have.
pub(crate) fn undominated(known: &Known, arms: &[usize], reached: f64) -> Vec<usize> {
    let count = arms.iter().map(|&arm| known[arm].len()).min().unwrap_or(0);
    let runs = |arm: usize| &known[arm][..count];
    let ahead = |arm: usize| arms.iter().any(|&other| behind(runs(arm), runs(other), reached));
    arms.iter().copied().filter(|&arm| !ahead(arm)).collect()
}
