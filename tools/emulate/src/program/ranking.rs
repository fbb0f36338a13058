//! Whether the order of the arms survives: by the time to the scenario's first target, or else by the mean time of a
//! round.

use fedbits_record::results::PlanTarget;
use fedbits_spec::so_many;
use serde::Serialize;

use super::run::{MeasuredRun, Run};

/// One replicate of an arm.
pub(super) struct ArmRuns {
    arm: String,
    /// Seconds to the target and per round, in the simulation.
    simulated: [Option<f64>; 2],
    /// The same over sockets, in each repeat.
    measured: Vec<[Option<f64>; 2]>,
}

impl ArmRuns {
    pub(super) fn new(arm: &str, simulated: &Run, measured: &[MeasuredRun]) -> Self {
        let costs = |run: &Run| [run.reached_ns.map(|ns| ns as f64 * 1e-9), per_round(run)];
        let measured = measured.iter().map(|measured| costs(&measured.run)).collect();
        Self { arm: arm.to_owned(), simulated: costs(simulated), measured }
    }
}

fn per_round(run: &Run) -> Option<f64> {
    let rounds = run.rounds.last().map_or(0, |(round, _)| *round);
    (rounds > 0).then(|| run.seconds() / rounds as f64)
}

/// An arm, with its costs in seconds: the means over replicates, and over replicates and repeats.
#[derive(Debug, Serialize)]
pub(super) struct RankedArm {
    arm: String,
    simulated_s: f64,
    measured_s: f64,
    measured_least_s: f64,
    measured_most_s: f64,
    /// From 1, the shortest; equal times have one rank.
    simulated_rank: usize,
    measured_rank: usize,
    /// Measured costs in the order of replicates and repeats.
    #[serde(skip)]
    runs: Vec<f64>,
}

/// The arms in the order of their simulated costs.
pub(super) struct ArmOrder {
    /// What they are ordered by, in words.
    measure: String,
    pub(super) arms: Vec<RankedArm>,
}

/// Two arms whose order differs: positions in the ranking, and whether their difference is within the spread of the
/// runs; none where there is one run.
#[derive(Debug, PartialEq)]
struct Swap {
    pair: [usize; 2],
    within_spread: Option<bool>,
}

impl ArmOrder {
    /// Ranks the arms; none of fewer than two, and of runs without rounds.
    pub(super) fn of(trials: &[ArmRuns], target: Option<&PlanTarget>) -> Option<Self> {
        let all_reach = trials
            .iter()
            .all(|trial| trial.simulated[0].is_some() && trial.measured.iter().all(|run| run[0].is_some()));
        let words = target.map(|target| format!("{} {} {}", target.column, target.bound.sign(), target.bound.value()));
        let (which, measure) = match words {
            Some(words) if all_reach => (0, format!("the time to {words}")),
            Some(words) => (1, format!("the mean time of a round (not every run reaches {words})")),
            None => (1, "the mean time of a round".to_owned()),
        };
        let mut names: Vec<&str> = Vec::new();
        trials.iter().for_each(|trial| {
            if !names.contains(&trial.arm.as_str()) {
                names.push(&trial.arm)
            }
        });
        let arms: Option<Vec<RankedArm>> = names.iter().map(|name| ranked(name, trials, which)).collect();
        let mut arms = arms.filter(|arms| arms.len() > 1)?;
        arms.sort_by(|one, next| one.simulated_s.total_cmp(&next.simulated_s));
        let rank = |costs: Vec<f64>| -> Vec<usize> {
            costs.iter().map(|cost| 1 + costs.iter().filter(|next| *next < cost).count()).collect()
        };
        let simulated = rank(arms.iter().map(|arm| arm.simulated_s).collect());
        let measured = rank(arms.iter().map(|arm| arm.measured_s).collect());
        for (arm, (simulated, measured)) in arms.iter_mut().zip(simulated.into_iter().zip(measured)) {
            (arm.simulated_rank, arm.measured_rank) = (simulated, measured);
        }
        Some(Self { measure, arms })
    }

    /// All pairs of arms, the one with the shorter simulated time first.
    fn pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        let count = self.arms.len();
        (0..count).flat_map(move |first| (first + 1..count).map(move |second| [first, second]))
    }

    /// Kendall's τ-b: (concordant − discordant) ÷ the geometric mean of the pairs without a tie in either order. None
    /// where all arms tie in one of them.
    fn tau(&self) -> Option<f64> {
        let (mut sum, mut untied) = (0.0, [0.0; 2]);
        for pair in self.pairs() {
            let order = self.order(pair);
            sum += f64::from(order[0] * order[1]);
            (0..2).for_each(|which| untied[which] += f64::from(order[which].abs()));
        }
        (untied[0] * untied[1] > 0.0).then(|| sum / (untied[0] * untied[1]).sqrt())
    }

    /// Whether the first of two arms takes longer (1), as long (0) or shorter (−1): in the simulation and over sockets.
    fn order(&self, [first, second]: [usize; 2]) -> [i32; 2] {
        let ranks = |arm: &RankedArm| [arm.simulated_rank, arm.measured_rank];
        let (first, second) = (ranks(&self.arms[first]), ranks(&self.arms[second]));
        [0, 1].map(|which| first[which].cmp(&second[which]) as i32)
    }

    /// The pairs whose order differs. Runs are paired by replicate and repeat: a difference is within their spread
    /// where its sign differs among them.
    fn swaps(&self) -> Vec<Swap> {
        let swapped = self.pairs().filter(|pair| self.order(*pair).iter().product::<i32>() < 0);
        let swap = |pair: [usize; 2]| {
            let [first, second] = pair.map(|arm| &self.arms[arm].runs);
            let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| first - second).collect();
            let is_one_sign = differences.iter().all(|by| *by > 0.0) || differences.iter().all(|by| *by < 0.0);
            Swap { pair, within_spread: (differences.len() > 1).then_some(!is_one_sign) }
        };
        swapped.map(swap).collect()
    }

    /// The table, the swapped pairs, and the verdict in a sentence.
    pub(super) fn text(&self) -> String {
        let mut text = format!("order of {} by {}\n", so_many(self.arms.len(), "arm"), self.measure);
        let width = self.arms.iter().map(|arm| arm.arm.chars().count()).max().unwrap_or(0);
        text += &format!("  {:<width$} {:>12} {:>12} {:>15}\n", "arm", "simulated, s", "measured, s", "ranks");
        for RankedArm { arm, simulated_s, measured_s, simulated_rank, measured_rank, .. } in &self.arms {
            let ranks = format!("{simulated_rank} and {measured_rank}");
            text += &format!("  {arm:<width$} {simulated_s:>12.3} {measured_s:>12.3} {ranks:>15}\n");
        }
        let swaps = self.swaps();
        for Swap { pair: [first, second], within_spread } in &swaps {
            let [first, second] = [first, second].map(|arm| &self.arms[*arm]);
            let by = |first: f64, second: f64| 100.0 * (second / first - 1.0);
            let spread = match within_spread {
                None => "one run of each: no spread is known (`--repeat`)",
                Some(true) => "within the spread of the runs",
                Some(false) => "beyond the spread of the runs",
            };
            text += &format!(
                "  swapped: `{}` against `{}`: {:+.2} % in the simulation, {:+.2} % over sockets ({spread})\n",
                second.arm,
                first.arm,
                by(first.simulated_s, second.simulated_s),
                by(first.measured_s, second.measured_s),
            );
        }
        text + &self.verdict(&swaps) + "\n"
    }

    fn verdict(&self, swaps: &[Swap]) -> String {
        let Some(tau) = self.tau() else {
            return "All arms take the same time: there is no ranking.".to_owned();
        };
        let pairs = so_many(self.pairs().count(), "pair");
        if swaps.is_empty() {
            return format!("The ranking of the arms survives: Kendall's tau is {tau:.2}, none of {pairs} is swapped.");
        }
        let within = swaps.iter().filter(|swap| swap.within_spread == Some(true)).count();
        let known = swaps.iter().all(|swap| swap.within_spread.is_some());
        let spread = if known { format!(", {within} of them within the spread of the runs") } else { String::new() };
        let swapped = swaps.len();
        let survives = if known && within == swapped { "survives up to the spread" } else { "does not survive" };
        format!("The ranking of the arms {survives}: Kendall's tau is {tau:.2}, {swapped} of {pairs} swapped{spread}.")
    }
}

/// An arm and the means of its costs; its ranks are not known yet.
fn ranked(name: &str, trials: &[ArmRuns], which: usize) -> Option<RankedArm> {
    let of_arm: Vec<&ArmRuns> = trials.iter().filter(|trial| trial.arm == name).collect();
    let simulated: Vec<f64> = of_arm.iter().map(|trial| trial.simulated[which]).collect::<Option<_>>()?;
    let runs: Vec<f64> =
        of_arm.iter().flat_map(|trial| &trial.measured).map(|run| run[which]).collect::<Option<_>>()?;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    Some(RankedArm {
        arm: name.to_owned(),
        simulated_s: mean(&simulated),
        measured_s: mean(&runs),
        measured_least_s: runs.iter().copied().fold(f64::INFINITY, f64::min),
        measured_most_s: runs.iter().copied().fold(0.0, f64::max),
        simulated_rank: 0,
        measured_rank: 0,
        runs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arms with a simulated cost, and a measured one per run; no target is reached.
    fn ranking(arms: &[(&str, f64, &[f64])]) -> ArmOrder {
        let trial = |&(arm, simulated, measured): &(&str, f64, &[f64])| ArmRuns {
            arm: arm.to_owned(),
            simulated: [None, Some(simulated)],
            measured: measured.iter().map(|cost| [None, Some(*cost)]).collect(),
        };
        let trials: Vec<ArmRuns> = arms.iter().map(trial).collect();
        ArmOrder::of(&trials, Some(&PlanTarget::at_most("objective", 1.0))).unwrap()
    }

    /// τ by hand: of (1, 3, 2, 4) one of six pairs is swapped, (5 − 1)/6; with a tie in one order of three 2/√(2 · 3).
    #[test]
    fn kendalls_tau_and_swaps() {
        let ranked = ranking(&[("c", 3.0, &[2.5]), ("a", 1.0, &[1.0]), ("b", 2.0, &[2.6]), ("d", 4.0, &[9.0])]);
        assert!((ranked.tau().unwrap() - 4.0 / 6.0).abs() < 1e-12);
        assert_eq!(ranked.swaps(), [Swap { pair: [1, 2], within_spread: None }]);
        assert!(ranked.text().contains("by the mean time of a round (not every run reaches objective ≤ 1)"));
        assert!(ranked.text().contains("does not survive: Kendall's tau is 0.67, 1 of 6 pairs swapped."));
        let tied = ranking(&[("a", 1.0, &[1.0]), ("b", 1.0, &[2.0]), ("c", 3.0, &[3.0])]);
        assert!((tied.tau().unwrap() - 2.0 / 6f64.sqrt()).abs() < 1e-12);
        assert!(tied.swaps().is_empty());
        assert_eq!(ranking(&[("a", 1.0, &[1.0]), ("b", 1.0, &[2.0])]).tau(), None);
    }

    /// Runs are paired: what differs between replicates alike for both arms is no spread of their difference.
    #[test]
    fn differences_within_and_beyond_the_spread() {
        let beyond = ranking(&[("a", 1.0, &[2.0, 9.0]), ("b", 1.5, &[1.0, 8.0])]);
        assert_eq!(beyond.swaps()[0].within_spread, Some(false));
        let within = ranking(&[("a", 1.0, &[2.0, 8.0]), ("b", 1.5, &[1.0, 8.5])]);
        assert_eq!(within.swaps()[0].within_spread, Some(true));
        assert!(within.text().contains("survives up to the spread"));
        // Replicates of an arm are one row.
        let replicates = ranking(&[("a", 1.0, &[1.0]), ("b", 3.0, &[3.0]), ("a", 3.0, &[3.0]), ("b", 4.0, &[5.0])]);
        assert_eq!(replicates.arms.len(), 2);
        assert_eq!((replicates.arms[0].simulated_s, replicates.arms[0].measured_s), (2.0, 2.0));
        assert!(replicates.text().contains("survives: Kendall's tau is 1.00, none of 1 pair is swapped."));
    }
}
