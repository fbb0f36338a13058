//! What a comparison says.

use fedbits_spec::CountedCaveat;

use super::measure::Measure;
use super::paired::Paired;
use super::pareto::Front;
use super::ranking::Rank;

/// One measure over all arms.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What is measured.
    pub measure: Measure,
    /// An entry per arm.
    pub arms: Vec<ArmResult>,
    /// Replicates that all ranked arms have: the places are over these alone.
    pub ranked_over: usize,
}

impl Block {
    /// The arms that have a rank, by number, the best first.
    #[must_use]
    pub fn ranked(&self) -> Vec<(usize, Rank)> {
        let ranked = self.arms.iter().enumerate().filter_map(|(number, arm)| Some((number, arm.rank?)));
        let mut ranked: Vec<(usize, Rank)> = ranked.collect();
        let key = |rank: &Rank| rank.place.unwrap_or(usize::MAX);
        ranked.sort_by(|(_, a), (_, b)| key(a).cmp(&key(b)).then(b.first.total_cmp(&a.first)));
        ranked
    }
}

/// What one measure says of one arm.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmResult {
    /// Runs that were made.
    pub runs: usize,
    /// Those of them that reached the target; without one, for costs those that reached [`super::Samples::tolerance`].
    pub reached: usize,
    /// Those of them whose final fit is degenerate; none of these is among [`Self::reached`].
    pub degenerate: usize,
    /// Kaplan–Meier median; `None` where the estimated share of runs that get to the target stays at or below a half.
    pub median: Option<f64>,
    /// Against the baseline; `None` for the baseline itself, without a replicate that both have, for an arm that solves
    /// another problem, and for errors at the end of runs that all ended by one tolerance.
    pub paired: Option<Paired>,
    /// The place among the arms; `None` when the arms do not share three replicates, for an arm without a median over
    /// those that they share which is first in no resample, and where [`Self::paired`] is none for all arms.
    pub rank: Option<Rank>,
}

/// All comparisons of the arms.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// One per measure: targets first, the end of the runs last.
    pub blocks: Vec<Block>,
    /// The Pareto fronts, as [`super::fronts`] says.
    pub fronts: Vec<Front>,
    /// What is not compared, and why.
    pub notes: Vec<String>,
    /// What must be known before it is trusted.
    pub caveats: Vec<CountedCaveat>,
}

impl Comparison {
    /// A line for whatever is not compared, and for every caveat.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let notes = self.notes.iter().map(|note| format!("not compared: {note}"));
        notes.chain(self.caveats.iter().map(|caveat| format!("caveat: {caveat}"))).collect()
    }
}
