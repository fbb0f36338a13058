//! What a race has decided, from the record alone: which arm, at what cost beside the baseline's, how sure, and what
//! was not tried. Nothing here prints.

use crate::compare::Quantity;
use crate::data::Collected;
use crate::figures::levels::Numbers;
use crate::figures::units::amount;
use crate::words::{first_few, listed, trimmed};
use fedbits_record::results::{
    Decision, DecisionArm, DecisionLook, DecisionStanding, DropReason, Effect, PlanObjective, PlanSearch, RunPlan,
};
use fedbits_spec::so_many;

/// The decision of a race, beside the plan that it speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Decided<'a> {
    /// The plan.
    pub plan: &'a RunPlan,
    /// How it chooses its runs.
    pub search: &'a PlanSearch,
    /// What was decided so far.
    pub decision: &'a Decision,
}

/// Where an arm stands in a race.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Place {
    /// It is the best.
    Best,
    /// It is among several that cannot be told apart, or may still be the best.
    Left,
    /// It was dropped after so many replicates of each arm.
    Dropped(u64, DropReason),
    /// The race has ended, and too few of its runs reached the target and kept to the constraints.
    Infeasible,
}

impl<'a> Decided<'a> {
    /// That of a plan; `None` of one that makes all runs, and before a race's first step.
    #[must_use]
    pub fn of(plan: &'a RunPlan, decision: Option<&'a Decision>) -> Option<Self> {
        Some(Self { plan, search: plan.search.as_ref()?, decision: decision? })
    }

    /// That of the plan of a report.
    pub(crate) fn of_report(collected: &'a Collected) -> Option<Self> {
        let planned = collected.planned.as_ref()?;
        Self::of(&planned.plan, planned.decision.as_ref())
    }

    /// The name of an arm.
    #[must_use]
    pub fn name(&self, arm: usize) -> &'a str {
        &self.plan.arms[arm].name
    }

    /// What is known of an arm.
    #[must_use]
    pub fn arm(&self, arm: usize) -> &'a DecisionArm {
        &self.decision.arms[arm]
    }

    /// Where an arm stands.
    #[must_use]
    pub fn place(&self, arm: usize) -> Place {
        let is_best = self.decision.best.contains(&arm);
        match self.last(arm) {
            Some((look, DecisionStanding { dropped: Some(why), .. })) => Place::Dropped(look.replicates, *why),
            _ if !self.decision.ended => Place::Left,
            _ if !is_best || self.is_infeasible(arm) => Place::Infeasible,
            _ if self.decision.best.len() > 1 => Place::Left,
            _ => Place::Best,
        }
    }

    /// Whether it has runs, and none of them reached the target and kept to the constraints: its costs are what they
    /// had cost when they ended.
    #[must_use]
    pub fn is_infeasible(&self, arm: usize) -> bool {
        let decided = self.arm(arm);
        decided.runs > 0 && decided.feasible == 0
    }

    /// The last look at which an arm was held against the leader.
    #[must_use]
    pub fn last(&self, arm: usize) -> Option<(&'a DecisionLook, &'a DecisionStanding)> {
        let standing_at =
            |look: &'a DecisionLook| Some((look, look.standings.iter().find(|standing| standing.arm == arm)?));
        self.decision.looks.iter().rev().find_map(standing_at)
    }

    /// What was found at that look. Of the arm that leads at the last one nothing is: that it was held against another
    /// before says nothing of where it is now.
    #[must_use]
    pub fn beside_leader(&self, arm: usize) -> Option<&'a DecisionStanding> {
        let leads = self.decision.looks.last().is_some_and(|look| look.leader == arm);
        self.last(arm).filter(|_| !leads).map(|(_, standing)| standing)
    }

    /// The arms that have a run: the best first, then those that were dropped last, and of these the cheapest; those
    /// that got nowhere stand behind the others.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let objective = &self.search.objective;
        let cost = |arm: usize| self.arm(arm).cost.map(|cost| objective.less_is_better(cost));
        let key = |arm: usize| {
            let best = self.decision.best.iter().position(|known| *known == arm).unwrap_or(usize::MAX);
            let dropped = if let Place::Dropped(after, _) = self.place(arm) { after } else { u64::MAX };
            ((best, std::cmp::Reverse(dropped), self.is_infeasible(arm)), cost(arm).unwrap_or(f64::INFINITY))
        };
        let mut arms: Vec<usize> = (0..self.plan.arms.len()).filter(|&arm| self.arm(arm).runs > 0).collect();
        arms.sort_by(|&a, &b| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        arms
    }

    /// Runs that were asked for, and those of them that have a result.
    #[must_use]
    pub fn runs(&self) -> (u64, u64) {
        let arms = || self.decision.arms.iter();
        (arms().map(|arm| arm.asked).sum(), arms().map(|arm| arm.runs).sum())
    }

    /// The runs of the whole grid.
    #[must_use]
    pub fn grid(&self) -> u64 {
        self.plan.arms.len() as u64 * self.plan.replicates
    }
}

/// What an objective counts; the value of a column is an error.
#[must_use]
pub fn counted(objective: &PlanObjective) -> Quantity {
    match objective {
        PlanObjective::BitsTo(_) => Quantity::BitsTotal,
        PlanObjective::UploadTo(_) => Quantity::BitsUp,
        PlanObjective::TimeTo(_) => Quantity::Time,
        PlanObjective::RoundsTo(_) => Quantity::Rounds,
        PlanObjective::Best(_) => Quantity::Error,
    }
}

/// The mean of costs of several runs: the geometric one where costs have ratios.
fn mean(objective: &PlanObjective) -> &'static str {
    if objective.has_ratios() { "geometric mean" } else { "mean" }
}

/// What is written of an arm that was dropped.
#[must_use]
pub fn reason(why: DropReason) -> &'static str {
    match why {
        DropReason::Worse => "worse",
        DropReason::NotBetter => "not better",
        DropReason::Infeasible => "infeasible",
    }
}

/// Up to this many arms are named, of more their number.
const NAMED: usize = 6;

impl Decided<'_> {
    /// What was decided, how sure it is, what it took, and what was not tried.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let mut all: Vec<String> = self.unfinished().into_iter().collect();
        all.push(self.choice());
        if let Some(&leader) = self.decision.best.first() {
            all.push(self.cost(leader));
        }
        all.push(self.sureness());
        all.push(self.effort());
        all.extend(self.means());
        all.extend(self.lower_bounds());
        all.extend(self.dropped());
        all.extend(self.edges());
        all
    }

    /// How far it is, in a line.
    #[must_use]
    pub fn progress(&self) -> String {
        let ((asked, made), arms) = (self.runs(), self.plan.arms.len());
        let state = if self.decision.ended { "the race has ended" } else { "the race goes on" };
        let leader = match (self.decision.best.first(), self.decision.best.len()) {
            (None, _) if self.decision.ended => {
                "no arm that is left got to the target and kept to the constraints".to_owned()
            }
            (None, _) => "no arm can be chosen yet".to_owned(),
            (Some(&arm), 1) => format!("1 of {} is left: `{}`", so_many(arms, "arm"), self.name(arm)),
            (Some(&arm), left) => format!("{left} of {} are left, `{}` first", so_many(arms, "arm"), self.name(arm)),
        };
        let (looks, grid) = (so_many(self.decision.looks.len(), "look"), self.grid());
        format!("{state}; {looks}; {leader}; {}; the full grid has {grid}", with_result(made, asked))
    }

    fn unfinished(&self) -> Option<String> {
        let (asked, made) = self.runs();
        let looks = so_many(self.decision.looks.len(), "look");
        let still = "what follows can change; `fedbits run` goes on";
        (!self.decision.ended)
            .then(|| format!("The race has not ended: {}, after {looks}; {still}.", with_result(made, asked)))
    }

    fn choice(&self) -> String {
        let (best, all) = (&self.decision.best, self.plan.arms.len());
        let what = self.search.objective.name();
        let names = || first_few(best.iter().map(|&arm| self.described(arm)), NAMED);
        match best[..] {
            [] => {
                format!("No arm can be chosen by {what}: none that is left reached the target within the constraints.")
            }
            [only] if self.decision.ended => {
                format!("The best of {} by {what}: {}.", so_many(all, "arm"), self.described(only))
            }
            _ if self.decision.ended => {
                let first = match &self.search.objective {
                    PlanObjective::Best(_) => {
                        format!("the one with the {} value first", self.better("least", "largest"))
                    }
                    _ => "the one with the least cost first".to_owned(),
                };
                let early = self.ended_early().unwrap_or_default();
                format!(
                    "{} of {} cannot be told apart by {what}, {first}: {}.{early}",
                    best.len(),
                    so_many(all, "arm"),
                    names()
                )
            }
            _ => {
                let of = so_many(all, "arm");
                let left = so_many(best.len(), &format!("of {of} is left|of {of} are left"));
                format!("{left}, by {what}: {}.", names())
            }
        }
    }

    /// That a race ended although several arms were left and had not all replicates.
    fn ended_early(&self) -> Option<String> {
        let (after, all) = (self.decision.looks.last()?.replicates, self.plan.replicates);
        (after < all).then(|| {
            format!(
                " The race ended after {after} of {}: that the others would drop an arm had a \
                 probability below {} %.",
                so_many(all, "replicate"),
                percent(self.search.futility)
            )
        })
    }

    /// Its name, with its values where it is a point in a space.
    fn described(&self, arm: usize) -> String {
        let values = self.plan.searched().into_iter().zip(self.plan.point(arm));
        let values: Vec<String> = values.filter_map(|(path, value)| Some(format!("{path} = {}", value?))).collect();
        match values.is_empty() {
            true => format!("`{}`", self.name(arm)),
            false => format!("`{}` ({})", self.name(arm), values.join(", ")),
        }
    }

    /// What an arm costs, beside the baseline.
    fn cost(&self, arm: usize) -> String {
        let (decided, objective) = (self.arm(arm), &self.search.objective);
        let Some(cost) = decided.cost else { return format!("`{}` has no run that can be counted.", self.name(arm)) };
        let runs = if decided.runs == 1 {
            "one run".to_owned()
        } else {
            format!("{} of {}", mean(objective), so_many(decided.runs, "run"))
        };
        let least = if decided.feasible < decided.runs {
            format!(
                "; {} of them reached the target within the constraints, the others count with what they cost",
                decided.feasible
            )
        } else {
            String::new()
        };
        let cost = amount(counted(objective), cost);
        let what = if matches!(objective, PlanObjective::Best(_)) { "value" } else { "cost" };
        let owner = if self.decision.best.len() == 1 { "Its" } else { "The" };
        let of = if self.decision.best.len() == 1 { "" } else { " of the first" };
        format!("{owner} {what}{of}: {cost} ({runs}{least}){}.", self.beside_baseline(arm))
    }

    fn beside_baseline(&self, arm: usize) -> String {
        let baseline = self.name(self.plan.baseline);
        if arm == self.plan.baseline {
            return "; it is the baseline".to_owned();
        }
        match self.arm(arm).against_baseline {
            Some(effect) if self.search.objective.has_ratios() => {
                format!(", {} times that of the baseline `{baseline}` ({})", ratio(effect.mean), interval(&effect))
            }
            Some(effect) => {
                format!(", {} than the baseline `{baseline}` (difference: {})", more(&effect), interval(&effect))
            }
            None => format!("; no replicate in which it and the baseline `{baseline}` both reached the target"),
        }
    }

    fn sureness(&self) -> String {
        let kept = match self.decision.best[..] {
            [] => "",
            _ => " The costs are of the runs by which it was chosen; fresh seeds show them without that advantage.",
        };
        let (error, margin) = (percent(self.search.error), self.search.margin);
        let better = match self.search.objective.has_ratios() {
            _ if margin == 0.0 => "that is better".to_owned(),
            true => format!("that is better by more than {} %", percent(margin)),
            false => format!("that is better by more than {margin}"),
        };
        format!("How sure: an arm {better} was dropped with probability at most {error} %, over all looks.{kept}")
    }

    /// A word for what is better by the objective.
    fn better(&self, less: &'static str, more: &'static str) -> &'static str {
        if self.search.objective.grows() { more } else { less }
    }

    fn effort(&self) -> String {
        let (_, made) = self.runs();
        let grid = self.grid();
        format!(
            "Effort: {} of the {grid} of the full grid ({} %; {}, {}).{}",
            so_many(made, "run"),
            percent(made as f64 / grid as f64),
            so_many(self.plan.arms.len(), "arm"),
            so_many(self.plan.replicates, "replicate"),
            self.ended_runs().unwrap_or_default()
        )
    }

    /// That mean costs are of different replicates.
    fn means(&self) -> Option<String> {
        let runs = || self.decision.arms.iter().map(|arm| arm.runs).filter(|runs| *runs > 0);
        (runs().min() != runs().max()).then(|| {
            "Costs are means of each arm's own runs, of which arms have different numbers; what stands beside them, \
             to the baseline, is over the replicates in which both reached the target."
                .to_owned()
        })
    }

    /// How many runs ended early.
    fn ended_runs(&self) -> Option<String> {
        let (cut, runs) = (self.search.cut?, self.decision.arms.iter().map(|arm| arm.cut).sum::<u64>());
        let reference = "the arm that led (in the first replicate: the baseline) cost in the same replicate";
        (runs > 0).then(|| {
            format!(" {runs} of them cost more than {} what {reference}, counted up to there.", so_many(cut, "time"))
        })
    }

    /// That some costs are none of getting there.
    fn lower_bounds(&self) -> Option<String> {
        let arms = self.decision.arms.iter().filter(|arm| arm.feasible < arm.runs).count();
        let start = format!("The costs of {} are lower bounds", so_many(arms, "arm"));
        (arms > 0).then(|| {
            format!("{start}: runs that failed, missed the target or broke a constraint count with what they had cost.")
        })
    }

    /// How many arms were dropped when, and why.
    fn dropped(&self) -> Option<String> {
        let count = |look: &DecisionLook| {
            let of = |why: DropReason| {
                let count = look.standings.iter().filter(|standing| standing.dropped == Some(why)).count();
                (count > 0).then(|| format!("{count} {}", reason(why)))
            };
            let all: Vec<String> =
                [DropReason::Worse, DropReason::NotBetter, DropReason::Infeasible].into_iter().filter_map(of).collect();
            (!all.is_empty()).then(|| format!("{} after {}", listed(&all), so_many(look.replicates, "replicate")))
        };
        let looks: Vec<String> = self.decision.looks.iter().filter_map(count).collect();
        // The baseline is what others are held against: it goes on.
        let goes_on = |look: &DecisionLook| {
            let is_baseline = |standing: &DecisionStanding| standing.arm == self.plan.baseline;
            let dropped = look.standings.iter().any(|standing| is_baseline(standing) && standing.dropped.is_some());
            dropped && self.arm(self.plan.baseline).runs > look.replicates
        };
        let but = if self.decision.looks.iter().any(goes_on) { ", but for those of the baseline" } else { "" };
        let drops = |look: &&DecisionLook| look.standings.iter().any(|standing| standing.dropped.is_some());
        let first = self.decision.looks.iter().find(drops)?;
        let untried = match first.replicates < self.plan.replicates {
            true => format!("; their further replicates were not tried{but}"),
            false => String::new(),
        };
        Some(format!("Dropped: {}{untried}.", looks.join("; ")))
    }

    /// Where the best arms have the least or the largest number of those that were tried.
    fn edges(&self) -> Option<String> {
        let tried: Vec<usize> = self.order();
        let best: Vec<usize> =
            tried.iter().copied().filter(|&arm| matches!(self.place(arm), Place::Best | Place::Left)).collect();
        let mut found = Vec::new();
        for (number, axis) in self.plan.axes.iter().enumerate() {
            let level =
                |&arm: &usize| Some(self.plan.arms[arm].levels[number]).filter(|level| axis.absent != Some(*level));
            let lists = match axis.values.is_empty() {
                true => vec![(&axis.name, &axis.levels)],
                false => axis.paths.iter().zip(&axis.values).collect(),
            };
            for (name, texts) in lists {
                let of = |arms: &[usize]| -> Vec<&str> {
                    let mut levels: Vec<&str> =
                        arms.iter().filter_map(level).filter_map(|level| Some(texts.get(level)?.as_str())).collect();
                    levels.sort_unstable();
                    levels.dedup();
                    levels
                };
                found.extend(edge(&of(&tried), &of(&best)).map(|edge| format!("{edge} of `{name}`")));
            }
        }
        let beyond = "what lies beyond was not tried";
        (!found.is_empty()).then(|| format!("At the edge: the best has the {}; {beyond}.", listed(&found)))
    }
}

/// That all of the best have the same end of several numbers.
fn edge(tried: &[&str], best: &[&str]) -> Option<String> {
    let [only] = best[..] else { return None };
    let numbers = Numbers::of(tried).filter(|numbers| numbers.levels.len() > 1)?.levels;
    let value = numbers[tried.iter().position(|text| *text == only)?].0;
    let is = |beats: fn(f64, f64) -> bool| numbers.iter().all(|(number, _)| !beats(*number, value));
    let end = if is(|number, value| number < value) {
        "least"
    } else if is(|number, value| number > value) {
        "largest"
    } else {
        return None;
    };
    Some(format!("{end} level {only}"))
}

/// A difference: `0.005 more`.
fn more(effect: &Effect) -> String {
    format!("{} {}", significant(effect.mean.abs(), 3), if effect.mean < 0.0 { "less" } else { "more" })
}

/// The ends of an interval, and what it is of.
fn interval(effect: &Effect) -> String {
    let pairs = if effect.pairs == 1 { "one pair".to_owned() } else { so_many(effect.pairs, "pair") };
    match (effect.low, effect.high) {
        (Some(low), Some(high)) => format!("95 % interval {} to {}, {pairs}", ratio(low), ratio(high)),
        _ => format!("{pairs}, which has no interval"),
    }
}

/// How many of the runs that were asked for have a result.
fn with_result(made: u64, asked: u64) -> String {
    let of = so_many(asked, "run");
    so_many(made, &format!("of {of} asked for has a result|of {of} asked for have a result"))
}

fn significant(value: f64, digits: usize) -> String {
    fedbits_numerics::significant(value, digits, -3..6)
}

/// Three digits of a ratio, or as many more as show on which side of 1 it lies.
pub(crate) fn ratio(value: f64) -> String {
    beside_one(value, |digits| significant(value, digits))
}

/// The text of a value with three digits, or as many more, up to eight, as show on which side of 1 it lies.
pub fn beside_one(value: f64, text: impl Fn(usize) -> String) -> String {
    const MOST: usize = 8;
    let shows_side = |text: &String| value == 1.0 || text.parse() != Ok(1.0);
    (3..MOST).map(&text).find(shows_side).unwrap_or_else(|| text(MOST))
}

/// A share in per cent, with at most three digits.
fn percent(share: f64) -> String {
    let text = significant(100.0 * share, 3);
    if text.contains('e') { text } else { trimmed(&text).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::ratio;

    /// Ends of intervals that span 1 differ, and one that is not 1 does not look like it.
    #[test]
    fn the_side_of_one_is_shown() {
        let texts = [0.99984, 1.00354, 1.0, 0.9, 1.25].map(ratio);
        assert_eq!(texts, ["0.9998", "1.004", "1.00", "0.900", "1.25"]);
    }
}
